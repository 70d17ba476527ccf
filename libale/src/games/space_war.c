/* Space War.
 *
 * The score as shown, up to ten; for two players, the lead.  The game ends at ten points or with the
 * clock, after ten minutes.
 *
 * Modes 8 to 13 are made for two; here one player has a silent opponent.
 *
 * In modes 6 and 7, a ship that falls into the star gives the other side a point.  The other side's tenth point ends
 * the game, and the clock stands still.  For one player, the originals do not end the episode then; corrected_rules
 * does. */
#include "game.h"

enum { CLOCK = 0, FIRST_SCORE = 39, SECOND_SCORE = 40 }; /* RAM */
enum { MODE = FIRST_SCORE }; /* the game number is shown in the score's place */
enum { WINNING_SCORE = 10 };

static const uint16_t one_player_modes[] = {6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
static const uint16_t two_player_modes[] = {1, 2, 3, 4, 5};

static void solo_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd(ram[FIRST_SCORE]));
    state->terminal = state->score[0] == WINNING_SCORE || ram[CLOCK] == 0;
}

static void correct(const game_rules *rules, game_state *state, const game_memory *memory, const int32_t *before) {
    if (bcd(memory->ram[SECOND_SCORE]) == WINNING_SCORE) state->terminal = true;
}

static void multi_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    solo_step(rules, state, memory);
    if (state->players < 2) return;
    player_score_to(state, 1, bcd(memory->ram[SECOND_SCORE]));
    int32_t lead = state->reward[0] - state->reward[1];
    state->reward[0] = lead;
    state->reward[1] = -lead;
    if (state->score[1] == WINNING_SCORE) state->terminal = true;
}

static bool select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    const uint8_t *ram = control_memory(control)->ram;
    while (bcd(ram[MODE]) != mode)
        if (!control_press_select(control, 2)) return false;
    control_soft_reset(control);
    return true;
}

static const game_rules solo = {
    .modes = {MODES(one_player_modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    .step = solo_step,
    .correct = correct,
    .lives = LIVES_FLAG,
    .select_mode = select_mode,
};

static const game_rules multi = {
    .modes = {MODES(one_player_modes), MODES(two_player_modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    .step = multi_step,
    .correct = correct,
    .lives = LIVES_ZERO,
    .select_mode = select_mode,
};

const ale_game game_space_war = {
    .name = "space_war",
    .title = "Space War",
    .md5 = "b702641d698c60bcdc922dbd8c9dd49c",
    .solo = &solo,
    .multi = &multi,
};
