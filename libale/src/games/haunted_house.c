/* Haunted House.
 *
 * Minus one for each match lit, 100 for escaping with the urn, which ends the game. */
#include "game.h"

enum { MATCHES_LIT = 2, LIVES = 22, ESCAPE = 25, MODE = 76 }; /* RAM */
enum { MATCHES, VARIABLES }; /* state->var */
enum { ESCAPED = 0x44, ESCAPE_REWARD = 100 };

static const uint16_t modes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};

static void reset(const game_rules *rules, game_state *state, const game_memory *memory) {
    state->var[MATCHES] = 0;
}

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    bool escaped = ram[ESCAPE] == ESCAPED;
    int32_t matches = bcd(ram[MATCHES_LIT]);
    state->reward[0] = escaped ? ESCAPE_REWARD : 0;
    if (matches != state->var[MATCHES]) state->reward[0]--; /* one match, whatever the difference */
    state->var[MATCHES] = matches;
    state->lives[0] = ram[LIVES];
    state->terminal = state->lives[0] == 0 || escaped;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x3,
    .reset = reset,
    .step = step,
    .variables = VARIABLES,
    .select = {MODE, .frames = 2},
};

const ale_game game_haunted_house = {
    .name = "haunted_house",
    .title = "Haunted House",
    .md5 = "f0a6e99f5875891246c3dbecbf2d2cea",
    .solo = &solo,
};
