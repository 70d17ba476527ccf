/* Ice Hockey.
 *
 * The lead in goals, so a reward is negative for the player who concedes one.  The game ends with the clock.
 *
 * Alone, a reward is at most 1; the multi-player rules do not cap it. */
#include "game.h"

enum { MODE = 0, SECONDS = 6, MINUTES = 7, FIRST_SCORE = 10, SECOND_SCORE = 11 }; /* RAM */

static const uint16_t one_player_modes[] = {0, 2};
static const uint16_t two_player_modes[] = {1, 3};

static void multi_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    int32_t first = bcd(ram[FIRST_SCORE]), second = bcd(ram[SECOND_SCORE]);
    player_score_to(state, 0, first - second);
    player_score_to(state, 1, second - first);
    state->terminal = ram[MINUTES] == 0 && ram[SECONDS] == 0;
}

static void solo_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    multi_step(rules, state, memory);
    if (state->reward[0] > 1) state->reward[0] = 1;
}

static const game_rules solo = {
    .modes = {MODES(one_player_modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0xF,
    .step = solo_step,
    .score_range = 100,
    .score_is_lead = true,
    .lives = LIVES_ZERO,
    .kept = 2,
    .select = {MODE, .frames = 2},
};

static const game_rules multi = {
    .modes = {MODES(one_player_modes), MODES(two_player_modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0xF,
    .step = multi_step,
    .score_range = 100,
    .score_is_lead = true,
    .lives = LIVES_ZERO,
    .kept = 2,
    .select = {MODE, .frames = 2},
};

const ale_game game_ice_hockey = {
    .name = "ice_hockey",
    .title = "Ice Hockey",
    .md5 = "a4c08c4994eb9d24fb78be1793e82e26",
    .solo = &solo,
    .multi = &multi,
};
