/* Entombed.
 *
 * Alone: one point for each section of the catacombs passed.  For two players, mode 2 is a contest, whose
 * score is the lead in lives, and mode 3 a joint venture, where each section passed is a point for both; the
 * cartridge plays the same variation.  The game ends when a player's lives do.
 *
 * Without the multi-player rules the game's own lives are not reported. */
#include "game.h"

enum { LIVES = 71, DEPTH = 99, SECTION = 111, SECOND_PLAYER_ABSENT = 116 }; /* RAM */
enum { SECTION_BEFORE, VARIABLES }; /* state->var */
enum { ALONE = 1, COOPERATIVE = 3 }; /* modes of the multi-player rules; 2 is competitive */

static const uint16_t solo_modes[] = {0};
static const uint16_t one_player_modes[] = {1};
static const uint16_t two_player_modes[] = {2, 3};
static const uint8_t starting_actions[] = {
    ACTION_FIRE, ACTION_NOOP, ACTION_NOOP, ACTION_NOOP, ACTION_NOOP, ACTION_NOOP,
};

static void solo_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, ram[DEPTH]);
    state->terminal = (ram[LIVES] & 3) == 0;
}

static void multi_reset(const game_rules *rules, game_state *state, const game_memory *memory) {
    state->var[SECTION_BEFORE] = 0;
}

static void multi_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    int32_t first = ram[LIVES] & 3, second = ram[LIVES] >> 4 & 3;
    state->lives[0] = first;
    state->lives[1] = second;
    if (state->mode == ALONE) {
        solo_step(rules, state, memory);
        state->reward[1] = -state->reward[0]; /* seen if a mode for two was chosen meanwhile */
        return;
    }
    if (state->mode == COOPERATIVE) {
        state->reward[0] = state->reward[1] = ram[SECTION] > state->var[SECTION_BEFORE];
        state->var[SECTION_BEFORE] = ram[SECTION];
    } else {
        player_score_to(state, 0, first - second);
        player_score_to(state, 1, second - first);
    }
    state->terminal = first == 0 || second == 0;
}

static bool multi_select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    const uint8_t *ram = control_memory(control)->ram;
    while (ram[SECOND_PLAYER_ABSENT] != (mode == ALONE))
        if (!control_press_select(control, 1)) return false;
    control_soft_reset(control);
    return true;
}

static const game_rules solo = {
    .modes = {MODES(solo_modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x5,
    STARTING_ACTIONS(starting_actions),
    .step = solo_step,
    .score_range = 256,
    .lives = LIVES_FLAG,
};

static const game_rules multi = {
    .modes = {MODES(one_player_modes), MODES(two_player_modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x5,
    STARTING_ACTIONS(starting_actions),
    .reset = multi_reset,
    .step = multi_step,
    .score_range = 256, /* of one player alone */
    .variables = VARIABLES,
    .lives = LIVES_RAW,
    .kept = 2,
    .select_mode = multi_select_mode,
};

const ale_game game_entombed = {
    .name = "entombed",
    .title = "Entombed",
    .md5 = "6b683be69f92958abe0e2a9945157ad5",
    .solo = &solo,
    .multi = &multi,
};
