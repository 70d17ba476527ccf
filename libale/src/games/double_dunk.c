/* Double Dunk.
 *
 * The lead in points.  The game ends at 24 points, when its end is shown.
 *
 * In the multi-player rules with two players, a player who stalls the game loses a point each time
 * max_turn_time frames have passed.  Both lose one if the cartridge waits for both.  A max_turn_time of -1
 * stands for two seconds; other values that are not positive set no limit. */
#include "game.h"

/* RAM */
enum { OPTIONS = 0, WAITING_FOR = 9, MENU_LINE = 48, FIRST_SCORE = 118, SECOND_SCORE = 119, PHASE = 126 };
enum { GAME_END = 0xE7, WINNING_SCORE = 24 };
enum { SECOND_PLAYER = 0x40, FIRST_PLAYER = 0x80 }; /* bits of WAITING_FOR */
enum { TWO_PLAYERS = 0x40 };                        /* a bit of OPTIONS */
enum { FIRST_TWO_PLAYER_MODE = 16, DEFAULT_TURN_TIME = 120 };

/* state->var.  A reset leaves PAIR alone: until SELECT has been pressed it is that of the episode before. */
enum { PAIR, STALLED_FRAMES, VARIABLES };

static const uint16_t one_player_modes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const uint16_t two_player_modes[] = {16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
static const uint8_t starting_actions[] = {ACTION_UPFIRE};

static void reset(const game_rules *rules, game_state *state, const game_memory *memory) {
    state->var[STALLED_FRAMES] = 0;
}

static void solo_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    int32_t first = bcd(ram[FIRST_SCORE]), second = bcd(ram[SECOND_SCORE]);
    player_score_to(state, 0, first - second);
    player_score_to(state, 1, second - first);
    state->terminal = (first >= WINNING_SCORE || second >= WINNING_SCORE) && ram[PHASE] == GAME_END;
}

/* A penalty takes the place of the frame's points. */
static void punish(game_state *state, uint8_t waiting_for) {
    bool both = waiting_for == 0;
    bool second = both || waiting_for & SECOND_PLAYER;
    bool first = both || (!second && waiting_for & FIRST_PLAYER);
    if (!first && !second) return;
    state->reward[0] = -first;
    state->reward[1] = -second;
}

static void multi_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    solo_step(rules, state, memory);
    if (!state->var[PAIR]) return;
    int32_t limit = state->max_turn_time == -1 ? DEFAULT_TURN_TIME : state->max_turn_time;
    uint8_t waiting_for = memory->ram[WAITING_FOR];
    int32_t *stalled = &state->var[STALLED_FRAMES];
    if (waiting_for != 0 && !(waiting_for & (FIRST_PLAYER | SECOND_PLAYER))) *stalled = 0;
    if (limit <= 0) return;
    if (*stalled < limit) {
        ++*stalled;
    } else {
        punish(state, waiting_for);
        *stalled = 0;
    }
}

/* ---- The menu, which is worked with the joystick.  Each move is released again, which an episode limit may
 * refuse: that matters only if the menu goes on. */

static bool menu_down(game_control *control) {
    const uint8_t *ram = control_memory(control)->ram;
    uint8_t line = ram[MENU_LINE];
    while (ram[MENU_LINE] == line) {
        if (!control_act(control, ACTION_DOWN)) return false;
        control_act(control, ACTION_NOOP);
    }
    return true;
}

static bool menu_set(game_control *control, int option, bool on) {
    const uint8_t *ram = control_memory(control)->ram;
    while (((ram[OPTIONS] & option) != 0) != on) {
        if (!control_act(control, on ? ACTION_RIGHT : ACTION_LEFT)) return false;
        control_act(control, ACTION_NOOP);
    }
    return true;
}

/* The mode's bits are: three-point shots, 10-second rule, 3-second rule, fouls. */
static bool select_options(game_control *control, int mode) {
    static const uint8_t options[] = {0x08, 0x10, 0x04, 0x20};
    if (!menu_down(control)) return false;
    for (int i = 0; i < 4; i++)
        if (!menu_down(control) || !menu_set(control, options[i], mode >> i & 1)) return false;
    control_soft_reset(control);
    return true;
}

static bool solo_select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    if (!control_press_select(control, 1) || !select_options(control, mode)) return false;
    control_act(control, ACTION_UPFIRE);
    control_act(control, ACTION_NOOP);
    return true;
}

static bool multi_select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    bool pair = mode >= FIRST_TWO_PLAYER_MODE;
    if (!control_press_select(control, 1)) return false;
    state->var[PAIR] = pair;
    return menu_set(control, TWO_PLAYERS, pair) && select_options(control, mode);
}

static const game_rules solo = {
    .modes = {MODES(one_player_modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    STARTING_ACTIONS(starting_actions),
    .step = solo_step,
    .score_range = 100,
    .score_is_lead = true,
    .lives = LIVES_ZERO,
    .kept = 2,
    .select_mode = solo_select_mode,
};

static const game_rules multi = {
    .modes = {MODES(one_player_modes), MODES(two_player_modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    STARTING_ACTIONS(starting_actions),
    .reset = reset,
    .step = multi_step,
    .score_range = 100,
    .score_is_lead = true,
    .variables = VARIABLES,
    .lives = LIVES_ZERO,
    .kept = 2,
    .select_mode = multi_select_mode,
};

const ale_game game_double_dunk = {
    .name = "double_dunk",
    .title = "Double Dunk",
    .md5 = "368d88a6c071caba60b4f778615aae94",
    .solo = &solo,
    .multi = &multi,
};
