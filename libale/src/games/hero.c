/* H.E.R.O.
 *
 * The score as shown, six digits. */
#include "game.h"

enum { MODE = 0, LIVES = 51, SCORE_HIGH = 55, SCORE_MIDDLE = 56, SCORE_LOW = 57 }; /* RAM */

static const uint16_t modes[] = {0, 1, 2, 3, 4};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->lives[0] = ram[LIVES];
    state->terminal = state->lives[0] == 0;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    .step = step,
    .score_range = 1000000,
    .select = {MODE, .frames = 1},
};

const ale_game game_hero = {
    .name = "hero",
    .title = "H.E.R.O.",
    .md5 = "fca4a5be1251927027f2c24774a02160",
    .solo = &solo,
};
