/* Asteroids.
 *
 * The score as shown, five digits.  It rolls over: any fall of the score counts as a roll-over. */
#include "game.h"

enum { MODE = 0, LIVES = 60, SCORE_HIGH = 61, SCORE_LOW = 62 }; /* RAM */
enum { ROLL_OVER = 100000 };

static const uint16_t modes[] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
    28, 29, 30, 31, 128,
};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, 10 * bcd2(ram[SCORE_LOW], ram[SCORE_HIGH]));
    if (state->reward[0] < 0) state->reward[0] += ROLL_OVER;
    state->lives[0] = ram[LIVES] >> 4;
    state->terminal = state->lives[0] == 0;
}

/* Modes come in ascending order; the last, 128, is the children's game.  `select` is for numbers below 100. */
static bool select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    return control_select_until(control, MODE, mode, 2);
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) |
                       ACTION_BIT(LEFT) | ACTION_BIT(DOWN) | ACTION_BIT(UPRIGHT) | ACTION_BIT(UPLEFT) |
                       ACTION_BIT(UPFIRE) | ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE) |
                       ACTION_BIT(DOWNFIRE) | ACTION_BIT(UPRIGHTFIRE) | ACTION_BIT(UPLEFTFIRE),
    .difficulties = 0x9,
    .step = step,
    .select_mode = select_mode,
};

const ale_game game_asteroids = {
    .name = "asteroids",
    .title = "Asteroids",
    .md5 = "ccbd36746ed4525821a8083b0d6d2c2c",
    .solo = &solo,
};
