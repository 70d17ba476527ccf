/* Crossbow.
 *
 * The score as shown, six digits.  The game's own lives are not reported. */
#include "game.h"

enum { SCORE_HIGH = 11, SCORE_MIDDLE = 12, SCORE_LOW = 13, PHASE = 103 }; /* RAM */
enum { GAME_NUMBER = SCORE_LOW }; /* shown in the score's place, 0 before the first press */
enum { GAME_OVER = 0x82 };

static const uint16_t modes[] = {0, 2, 4, 6};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->terminal = ram[PHASE] == GAME_OVER;
}

static bool select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    return control_select_until(control, GAME_NUMBER, mode + 1, 2);
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x3,
    .step = step,
    .score_range = 1000000,
    .lives = LIVES_FLAG,
    .select_mode = select_mode,
};

const ale_game game_crossbow = {
    .name = "crossbow",
    .title = "Crossbow",
    .md5 = "8cd26dcf249456fe4aeb8db42d49df74",
    .solo = &solo,
};
