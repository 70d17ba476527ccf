/* Galaxian.
 *
 * The score as shown, six digits.  It rolls over: any fall of the score counts as a roll-over. */
#include "game.h"

/* RAM */
enum { SCORE_HIGH = 44, SCORE_MIDDLE = 45, SCORE_LOW = 46, MODE = 51, SPARE_LIVES = 57, GAME_OVER = 63 };
enum { ROLL_OVER = 1000000 };

static const uint16_t modes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    if (state->reward[0] < 0) state->reward[0] += ROLL_OVER;
    state->lives[0] = ram[SPARE_LIVES] + 1;
    state->terminal = ram[GAME_OVER] & 0x80;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE),
    .difficulties = 0x3,
    .step = step,
    .select = {MODE, .frames = 1},
};

const ale_game game_galaxian = {
    .name = "galaxian",
    .title = "Galaxian",
    .md5 = "211774f4c5739042618be8ff67351177",
    .solo = &solo,
};
