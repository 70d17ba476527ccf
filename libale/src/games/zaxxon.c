/* Zaxxon.
 *
 * The score as shown, in hundreds. */
#include "game.h"

enum { MODE = 2, SCORE_HIGH = 104, SCORE_LOW = 105, LIVES = 106 }; /* RAM */

static const uint16_t modes[] = {0, 8, 16, 24};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, 100 * bcd2(ram[SCORE_LOW], ram[SCORE_HIGH]));
    state->lives[0] = ram[LIVES] & 7;
    state->terminal = state->lives[0] == 0;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    .step = step,
    .score_range = 1000000,
    .select = {MODE, .frames = 10},
};

const ale_game game_zaxxon = {
    .name = "zaxxon",
    .title = "Zaxxon",
    .md5 = "eea0da9b987d661264cce69a7c13c3bd",
    .solo = &solo,
};
