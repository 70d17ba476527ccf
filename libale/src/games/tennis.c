/* Tennis.
 *
 * The lead in points within a game, and the lead in games.  When a game is won, the change in points of the
 * same frame does not count; if the points are cleared later, the clearing does count.  The set ends at six
 * games with a lead of two, or at seven.
 *
 * In the multi-player rules with two players, the player who holds the serve back loses a point each time
 * max_turn_time frames have passed.  A max_turn_time of -1 stands for three seconds; other values that are
 * not positive set no limit. */
#include "game.h"

/* RAM */
enum { MODE = 0, OWN_POINTS = 69, OTHER_POINTS = 70, OWN_GAMES = 71, OTHER_GAMES = 72, BALL_WAITS = 76 };
enum { DEFAULT_TURN_TIME = 180 };
enum { POINTS_LEAD, GAMES_LEAD, SECOND_SERVES, UNSERVED_FRAMES, VARIABLES }; /* state->var */

static const uint16_t solo_modes[] = {0, 2};
static const uint16_t one_player_modes[] = {1, 3};
static const uint16_t two_player_modes[] = {2, 4};

static void reset(const game_rules *rules, game_state *state, const game_memory *memory) {
    state->var[POINTS_LEAD] = state->var[GAMES_LEAD] = 0;
    state->var[SECOND_SERVES] = state->var[UNSERVED_FRAMES] = 0;
}

static void solo_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    int32_t points = ram[OWN_POINTS] - ram[OTHER_POINTS];
    int32_t games = ram[OWN_GAMES] - ram[OTHER_GAMES];
    if (games != state->var[GAMES_LEAD]) {
        state->reward[0] = games - state->var[GAMES_LEAD];
        state->var[SECOND_SERVES] = !state->var[SECOND_SERVES];
    } else {
        state->reward[0] = points - state->var[POINTS_LEAD];
    }
    state->var[POINTS_LEAD] = points;
    state->var[GAMES_LEAD] = games;
    state->terminal = (ram[OWN_GAMES] >= 6 && games >= 2) || (ram[OTHER_GAMES] >= 6 && games <= -2) ||
                      ram[OWN_GAMES] == 7 || ram[OTHER_GAMES] == 7;
}

/* A penalty takes the place of the frame's points. */
static void punish_late_serve(game_state *state, const uint8_t *ram) {
    int32_t limit = state->max_turn_time == -1 ? DEFAULT_TURN_TIME : state->max_turn_time;
    int32_t *unserved = &state->var[UNSERVED_FRAMES];
    if (ram[BALL_WAITS] == 0) *unserved = 0;
    if (limit <= 0 || ++*unserved < limit) return;
    int server = state->var[SECOND_SERVES] != 0;
    state->reward[server] = -1;
    state->reward[!server] = 0;
    *unserved = 0;
}

static void multi_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    solo_step(rules, state, memory);
    state->reward[1] = -state->reward[0];
    if (state->players == 2) punish_late_serve(state, memory->ram);
}

static const game_rules solo = {
    .modes = {MODES(solo_modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0xF,
    .reset = reset,
    .step = solo_step,
    .variables = VARIABLES,
    .lives = LIVES_ZERO,
    .select = {MODE, .frames = 2},
};

static const game_rules multi = {
    .modes = {MODES(one_player_modes), MODES(two_player_modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0xF,
    .reset = reset,
    .step = multi_step,
    .variables = VARIABLES,
    .lives = LIVES_ZERO,
    .kept = 2,
    .select = {MODE, .frames = 2, .offset = -1}, /* the manual and these modes count from 1 */
};

const ale_game game_tennis = {
    .name = "tennis",
    .title = "Tennis",
    .md5 = "42cdd6a9e42a3639e190722b8ea3fc51",
    .solo = &solo,
    .multi = &multi,
    .by_mode_less = 1,
};
