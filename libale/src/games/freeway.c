/* Freeway.
 *
 * One point for each chicken across.  Whatever the score does, a reward is 0 or 1.  The cartridge always has
 * two chickens: a mode for two players is the mode for one player, with somebody to lead the second chicken. */
#include "game.h"

enum { MODE = 0, GAME_OVER = 22, SCORE = 103 }; /* RAM; of SCORE one for each player */

static const uint16_t modes[] = {0, 1, 2, 3, 4, 5, 6, 7};
static const uint16_t two_player_modes[] = {
    MODE_FOR(2, 0), MODE_FOR(2, 1), MODE_FOR(2, 2), MODE_FOR(2, 3),
    MODE_FOR(2, 4), MODE_FOR(2, 5), MODE_FOR(2, 6), MODE_FOR(2, 7),
};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    for (int p = 0; p < state->players; p++) {
        player_score_to(state, p, bcd(ram[SCORE + p]));
        if (state->reward[p] < 0) state->reward[p] = 0;
        if (state->reward[p] > 1) state->reward[p] = 1;
    }
    state->terminal = ram[GAME_OVER] == 1;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(UP) | ACTION_BIT(DOWN),
    .difficulties = 0x3,
    .step = step,
    .lives = LIVES_ZERO,
    .select = {MODE, .frames = 1},
};

static const game_rules multi = {
    .modes = {MODES(modes), MODES(two_player_modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(UP) | ACTION_BIT(DOWN),
    .difficulties = 0x3,
    .step = step,
    .lives = LIVES_ZERO,
    .select = {MODE, .frames = 1},
};

const ale_game game_freeway = {
    .name = "freeway",
    .title = "Freeway",
    .md5 = "8e0ab801b1705a740b476b7f588c6d16",
    .solo = &solo,
    .multi = &multi,
};
