/* Mario Bros.
 *
 * The score as shown, in hundreds, four digits.
 *
 * In the multi-player rules lives are one less than shown, and -1 for a player who is out; the game ends
 * when all are.  Their mode numbers are the game numbers; alone, modes count from 0, and the odd ones, for
 * two players, are left out. */
#include "game.h"

/* RAM; the second player's lives follow the first's, the second score is two bytes further */
enum { MODE = 0, LIVES = 7, SCORE_HIGH = 9, SCORE_LOW = 10 };
enum { OUT = -1 };

static const uint16_t solo_modes[] = {0, 2, 4, 6};
static const uint16_t one_player_modes[] = {1, 3, 5, 7};
static const uint16_t two_player_modes[] = {2, 4, 6, 8};
static const uint8_t starting_actions[17] = {
    [10] = ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE,
};

static int32_t score_of(int player, const uint8_t *ram) {
    return 100 * bcd2(ram[SCORE_LOW + 2 * player], ram[SCORE_HIGH + 2 * player]);
}

static void solo_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, score_of(0, ram));
    state->lives[0] = ram[LIVES];
    state->terminal = state->lives[0] == 0;
}

static void multi_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    for (int p = 0; p < 2; p++) {
        player_score_to(state, p, score_of(p, ram));
        state->lives[p] = ram[LIVES + p] - 1;
    }
    state->terminal = state->lives[0] == OUT && (state->players == 1 || state->lives[1] == OUT);
}

static bool select_game(game_control *control, int game) {
    return control_select_until(control, MODE, game, 5);
}

static bool solo_select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    return select_game(control, mode);
}

static bool multi_select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    return select_game(control, mode - 1);
}

static const game_rules solo = {
    .modes = {MODES(solo_modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    STARTING_ACTIONS(starting_actions),
    .step = solo_step,
    .score_range = 1000000,
    .select_mode = solo_select_mode,
};

static const game_rules multi = {
    .modes = {MODES(one_player_modes), MODES(two_player_modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    STARTING_ACTIONS(starting_actions),
    .step = multi_step,
    .score_range = 1000000,
    .lives = LIVES_RAW,
    .kept = 2,
    .select_mode = multi_select_mode,
};

const ale_game game_mario_bros = {
    .name = "mario_bros",
    .title = "Mario Bros.",
    .md5 = "e908611d99890733be31733a979c62d8",
    .solo = &solo,
    .multi = &multi,
    .by_mode_less = 1,
};
