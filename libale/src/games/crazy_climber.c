/* Crazy Climber.
 *
 * The score as shown, in hundreds, one digit a byte.  Its fall is no reward. */
#include "game.h"

enum { MODE = 0, DIGITS = 2, LIVES = 42 }; /* RAM; the lowest digit comes first */

static const uint16_t modes[] = {0, 1, 2, 3};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    const uint8_t *digit = ram + DIGITS;
    score_to(state, 100 * (digit[0] + 10 * digit[1] + 100 * digit[2] + 1000 * digit[3]));
    if (state->reward[0] < 0) state->reward[0] = 0;
    state->lives[0] = ram[LIVES];
    state->terminal = state->lives[0] == 0;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(DOWN) | ACTION_BIT(UPRIGHT) | ACTION_BIT(UPLEFT) | ACTION_BIT(DOWNRIGHT) |
                       ACTION_BIT(DOWNLEFT),
    .difficulties = 0x3,
    .step = step,
    .score_range = 1000000,
    .select = {MODE, .frames = 2},
};

const ale_game game_crazy_climber = {
    .name = "crazy_climber",
    .title = "Crazy Climber",
    .md5 = "55ef7b65066428367844342ed59f956c",
    .solo = &solo,
};
