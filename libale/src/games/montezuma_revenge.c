/* Montezuma's Revenge.
 *
 * The score as shown, six digits.  The end is read off the stack, in the frame in which the game ends.
 *
 * When time is up in the treasure room the stack looks so, too, in one frame.  If no life is spare, episodes of the
 * originals end there, although the next level follows, with one more life; corrected_rules goes on. */
#include "game.h"

enum { PHASE = 2, SCORE_HIGH = 19, SCORE_MIDDLE = 20, SCORE_LOW = 21, SPARE_LIVES = 58, STACK = 126 }; /* RAM */
enum { GAME_OVER = 0x60, TIME_UP = 8 };

static const uint16_t modes[] = {0};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->lives[0] = (ram[SPARE_LIVES] & 7) + 1;
    state->terminal = ram[SPARE_LIVES] == 0 && ram[STACK] == GAME_OVER;
}

static void correct(const game_rules *rules, game_state *state, const game_memory *memory, const int32_t *before) {
    if (memory->ram[PHASE] == TIME_UP) state->terminal = false;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    .step = step,
    .correct = correct,
    .score_range = 1000000,
};

const ale_game game_montezuma_revenge = {
    .name = "montezuma_revenge",
    .title = "Montezuma's Revenge",
    .md5 = "3347a6dd59049b15a38394aa2dafa585",
    .solo = &solo,
};
