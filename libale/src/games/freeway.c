/* Freeway.
 *
 * One point for each chicken across.  Whatever the score does, a reward is 0 or 1. */
#include "game.h"

enum { MODE = 0, GAME_OVER = 22, SCORE = 103 }; /* RAM */

static const uint16_t modes[] = {0, 1, 2, 3, 4, 5, 6, 7};

static void step(game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd(ram[SCORE]));
    if (state->reward[0] < 0) state->reward[0] = 0;
    if (state->reward[0] > 1) state->reward[0] = 1;
    state->terminal = ram[GAME_OVER] == 1;
}

static bool select_mode(game_state *state, game_control *control, int mode) {
    return control_select_until(control, MODE, mode, 1);
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(UP) | ACTION_BIT(DOWN),
    .difficulties = 0x3,
    .step = step,
    .lives = lives_zero,
    .select_mode = select_mode,
};

const ale_game game_freeway = {
    .name = "freeway",
    .title = "Freeway",
    .md5 = "8e0ab801b1705a740b476b7f588c6d16",
    .solo = &solo,
};
