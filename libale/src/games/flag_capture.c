/* Flag Capture.
 *
 * The score as shown, two digits.  A game alone lasts 75 seconds; a game of two players lasts until somebody
 * has 99 points.
 *
 * The multi-player rules also end a game alone at 99 points, and hold FIRE for ten frames to start it. */
#include "game.h"

/* RAM; in a game of two players the second one's score takes the clock's place */
enum { FIRST_SCORE = 43, MODE = 86, SCORE_ALONE = 106, CLOCK = 107, SECOND_SCORE = 107 };
enum { FULL = 99 };

static const uint16_t one_player_modes[] = {8, 9, 10};
static const uint16_t two_player_modes[] = {1, 2, 3, 4};
static const uint8_t starting_actions[] = {
    ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE,
    ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE,
};

static void solo_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd(ram[SCORE_ALONE]));
    state->terminal = ram[CLOCK] == 0;
}

static void multi_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    if (state->players == 1) {
        solo_step(rules, state, memory);
        if (state->score[0] == FULL) state->terminal = true;
        return;
    }
    player_score_to(state, 0, bcd(ram[FIRST_SCORE]));
    player_score_to(state, 1, bcd(ram[SECOND_SCORE]));
    state->terminal = state->score[0] == FULL || state->score[1] == FULL;
}

static bool select_game(game_control *control, int game, int frames) {
    const uint8_t *ram = control_memory(control)->ram;
    while (ram[MODE] != game)
        if (!control_press_select(control, frames)) return false;
    control_soft_reset(control);
    return true;
}

static bool solo_select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    return select_game(control, mode, 2);
}

static bool multi_select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    return select_game(control, mode, 10);
}

static const game_rules solo = {
    .modes = {MODES(one_player_modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    .step = solo_step,
    .score_range = 100,
    .lives = LIVES_FLAG,
    .select_mode = solo_select_mode,
};

static const game_rules multi = {
    .modes = {MODES(one_player_modes), MODES(two_player_modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) |
                       ACTION_BIT(LEFT) | ACTION_BIT(DOWN) | ACTION_BIT(UPRIGHT) | ACTION_BIT(UPLEFT) |
                       ACTION_BIT(DOWNRIGHT) | ACTION_BIT(DOWNLEFT),
    .difficulties = 0x1,
    STARTING_ACTIONS(starting_actions),
    .step = multi_step,
    .lives = LIVES_ZERO,
    .select_mode = multi_select_mode,
};

const ale_game game_flag_capture = {
    .name = "flag_capture",
    .title = "Flag Capture",
    .md5 = "30512e0e83903fc05541d2f6a6a62654",
    .solo = &solo,
    .multi = &multi,
};
