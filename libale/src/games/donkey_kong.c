/* Donkey Kong.
 *
 * The score as shown, in hundreds.  Lives are the spare ones, 0 during the last, so two more bytes tell the
 * end. */
#include "game.h"

enum { SCORE_HIGH = 7, SCORE_LOW = 8, END_A = 11, END_B = 15, LIVES = 35 }; /* RAM */

static const uint16_t modes[] = {0};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, 100 * bcd2(ram[SCORE_LOW], ram[SCORE_HIGH]));
    state->lives[0] = ram[LIVES];
    state->terminal = state->lives[0] == 0 && ram[END_A] == 0x1F && ram[END_B] == 0x03;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    .step = step,
    .score_range = 1000000,
};

const ale_game game_donkey_kong = {
    .name = "donkey_kong",
    .title = "Donkey Kong",
    .md5 = "36b20c427975760cb9cf4a47e41369e4",
    .solo = &solo,
};
