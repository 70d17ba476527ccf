/* Pong, a cartridge of fifty variations sold as Video Olympics.
 *
 * The lead in points, which are plain binary numbers.  The game ends at 21 points.  Of four players, the
 * first and the third are one side.
 *
 * In the multi-player rules, a side that holds its serve back loses a point every two seconds.  This is so
 * even if one player meets the cartridge itself. */
#include "game.h"

enum { BALL_IN_PLAY = 12, OTHER_POINTS = 13, OWN_POINTS = 14, OWN_SERVE = 18, MODE = 22 }; /* RAM */
enum { WINNING_POINTS = 21, SERVE_TIME = 120 };
enum { UNSERVED_FRAMES, VARIABLES }; /* state->var */

static const uint16_t solo_modes[] = {0, 1};
static const uint16_t one_player_modes[] = {1, 2};
static const uint16_t two_player_modes[] = {
    3, 4, 9, 10, 13, 14, 19, 20, 23, 24, 25, 26, 27, 28, 35, 36, 39, 40, 43, 44, 45, 46,
};
static const uint16_t four_player_modes[] = {
    5, 6, 7, 8, 11, 12, 15, 16, 17, 18, 21, 22, 29, 30, 31, 32, 33, 34, 37, 38, 41, 42, 47, 48, 49, 50,
};

static void solo_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, ram[OWN_POINTS] - ram[OTHER_POINTS]);
    state->terminal = ram[OWN_POINTS] == WINNING_POINTS || ram[OTHER_POINTS] == WINNING_POINTS;
}

static void multi_reset(const game_rules *rules, game_state *state, const game_memory *memory) {
    state->var[UNSERVED_FRAMES] = 0;
}

static void multi_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    solo_step(rules, state, memory);
    int32_t own = state->reward[0], other = -own;
    int32_t *unserved = &state->var[UNSERVED_FRAMES];
    *unserved = ram[BALL_IN_PLAY] >> 4 ? 0 : *unserved + 1;
    if (*unserved >= SERVE_TIME) {
        if (ram[OWN_SERVE])
            own--;
        else
            other--;
        *unserved = 0;
    }
    state->reward[0] = state->reward[2] = own;
    state->reward[1] = state->reward[3] = other;
}

static const game_rules solo = {
    .modes = {MODES(solo_modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE),
    .difficulties = 0xF,
    .step = solo_step,
    .lives = LIVES_ZERO,
    .select = {MODE, .frames = 2},
};

/* Up to the 22nd variation right plays left, with paddles that move up and down.  In the others all are on one
 * side, on four sides, or on the ground at places that are no mirror images. */
static game_sides sides(int mode) {
    return (game_sides){.mirrored = mode <= 22 ? SECOND_AND_FOURTH_MIRRORED : 0};
}

static const game_rules multi = {
    .modes = {MODES(one_player_modes), MODES_USUALLY(two_player_modes, 4), [3] = MODES_USUALLY(four_player_modes, 6)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE),
    .difficulties = 0xF,
    .reset = multi_reset,
    .step = multi_step,
    .variables = VARIABLES,
    .lives = LIVES_ZERO,
    .kept = 4,
    .select = {MODE, .frames = 2, .offset = -1}, /* the manual and these modes count from 1 */
    .sides = sides,
};

const ale_game game_pong = {
    .name = "pong",
    .title = "Pong (Video Olympics)",
    .md5 = "60e0ea3cbe0913d39803477945e9e5ec",
    .solo = &solo,
    .multi = &multi,
    .by_mode_less = 1,
};
