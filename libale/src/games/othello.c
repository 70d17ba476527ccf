/* Othello.
 *
 * The lead in discs, so what one player wins the other loses.  The game ends when it has been nobody's turn
 * for a while.
 *
 * With two players, whoever lets max_turn_time frames pass without a change of the score loses a point.  This
 * penalty replaces the player's reward in the frame; the other player's reward stays as it is. */
#include "game.h"

enum { TURN = 64, FIRST_DISCS = 78, SECOND_DISCS = 80, GAME_NUMBER = 94 }; /* RAM */
enum { NOBODY = 0, FIRST_PLAYER = 0xFF }; /* TURN */
enum { IDLE_FRAMES, TURN_FRAMES, VARIABLES }; /* state->var */
enum { SOLO_MAX_IDLE_FRAMES = 50, MULTI_MAX_IDLE_FRAMES = 75, DEFAULT_TURN_TIME = 600 };

static const uint16_t solo_modes[] = {0, 1, 2};
static const uint16_t one_player_modes[] = {1, 2, 3};
static const uint16_t two_player_modes[] = {4};

static void reset(const game_rules *rules, game_state *state, const game_memory *memory) {
    state->var[IDLE_FRAMES] = state->var[TURN_FRAMES] = 0;
}

static void count_discs(game_state *state, const uint8_t *ram, int max_idle_frames) {
    int32_t lead = bcd(ram[FIRST_DISCS]) - bcd(ram[SECOND_DISCS]);
    player_score_to(state, 0, lead);
    player_score_to(state, 1, -lead);
    state->var[IDLE_FRAMES] = ram[TURN] == NOBODY ? state->var[IDLE_FRAMES] + 1 : 0;
    state->terminal = state->var[IDLE_FRAMES] > max_idle_frames;
}

static void solo_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    count_discs(state, memory->ram, SOLO_MAX_IDLE_FRAMES);
}

static void multi_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    count_discs(state, ram, MULTI_MAX_IDLE_FRAMES);
    int32_t limit = state->max_turn_time == -1 ? DEFAULT_TURN_TIME : state->max_turn_time;
    if (state->players == 1 || limit <= 0) return;
    if (state->reward[0] != 0) state->var[TURN_FRAMES] = 0;
    if (++state->var[TURN_FRAMES] < limit) return;
    state->reward[ram[TURN] == FIRST_PLAYER ? 0 : 1] = -1;
    state->var[TURN_FRAMES] = 0;
}

static bool select_game(game_control *control, int game) {
    return control_select_until(control, GAME_NUMBER, game, 2);
}

static bool solo_select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    return select_game(control, mode + 1);
}

static bool multi_select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    return select_game(control, mode);
}

static const game_rules solo = {
    .modes = {MODES(solo_modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) |
                       ACTION_BIT(LEFT) | ACTION_BIT(DOWN) | ACTION_BIT(UPRIGHT) | ACTION_BIT(UPLEFT) |
                       ACTION_BIT(DOWNRIGHT) | ACTION_BIT(DOWNLEFT),
    .difficulties = 0x5,
    .reset = reset,
    .step = solo_step,
    .variables = VARIABLES,
    .lives = LIVES_FLAG,
    .kept = 2,
    .select_mode = solo_select_mode,
};

static const game_rules multi = {
    .modes = {MODES(one_player_modes), MODES(two_player_modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) |
                       ACTION_BIT(LEFT) | ACTION_BIT(DOWN) | ACTION_BIT(UPRIGHT) | ACTION_BIT(UPLEFT) |
                       ACTION_BIT(DOWNRIGHT) | ACTION_BIT(DOWNLEFT),
    .difficulties = 0x5,
    .reset = reset,
    .step = multi_step,
    .variables = VARIABLES,
    .lives = LIVES_ZERO,
    .kept = 2,
    .select_mode = multi_select_mode,
};

const ale_game game_othello = {
    .name = "othello",
    .title = "Othello",
    .md5 = "113cd09c9771ac278544b7e90efe7df2",
    .solo = &solo,
    .multi = &multi,
    .by_mode_less = 1,
};
