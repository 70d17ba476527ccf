/* Wizard of Wor.
 *
 * The score as shown, in hundreds.  Lives keep their value while they are marked as unsteady.
 *
 * In the multi-player rules lives are the spare ones, and -1 for a player who is out. */
#include "game.h"

/* RAM */
enum { MODE = 1, SECOND_SCORE_LOW = 5, FIRST_SCORE_LOW = 6, SECOND_SCORE_HIGH = 7, FIRST_SCORE_HIGH = 8 };
enum { SECOND_LIVES = 12, FIRST_LIVES = 13, SECOND_UNSTEADY = 86, FIRST_UNSTEADY = 87, PHASE = 116 };
enum { PHASE_GAME_OVER = 0xF8, LIVES_AT_START = 3 };
enum { SCORE_FLAG = 8000 }; /* the score's highest digit is a flag as well */

static const uint16_t one_player_modes[] = {0};
static const uint16_t two_player_modes[] = {1};

static int32_t points(uint8_t low, uint8_t high) {
    int32_t shown = bcd2(low, high);
    return 100 * (shown >= SCORE_FLAG ? shown - SCORE_FLAG : shown);
}

static void solo_reset(const game_rules *rules, game_state *state, const game_memory *memory) {
    state->lives[0] = LIVES_AT_START;
}

static void solo_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    int32_t lives = ram[FIRST_LIVES] & 15;
    score_to(state, points(ram[FIRST_SCORE_LOW], ram[FIRST_SCORE_HIGH]));
    if (!(ram[FIRST_UNSTEADY] & 1)) state->lives[0] = lives;
    state->terminal = lives == 0 && ram[PHASE] == PHASE_GAME_OVER;
}

static void multi_reset(const game_rules *rules, game_state *state, const game_memory *memory) {
    state->lives[0] = state->lives[1] = LIVES_AT_START - 1;
}

static void multi_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    int32_t first = (ram[FIRST_LIVES] & 15) - 1, second = (ram[SECOND_LIVES] & 15) - 1;
    player_score_to(state, 0, points(ram[FIRST_SCORE_LOW], ram[FIRST_SCORE_HIGH]));
    player_score_to(state, 1, points(ram[SECOND_SCORE_LOW], ram[SECOND_SCORE_HIGH]));
    if (!(ram[FIRST_UNSTEADY] & 1)) state->lives[0] = first;
    if (!(ram[SECOND_UNSTEADY] & 1)) state->lives[1] = second;
    bool all_out = first == -1 && (second == -1 || state->players == 1);
    state->terminal = all_out && ram[PHASE] == PHASE_GAME_OVER;
}

static bool multi_select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    const uint8_t *ram = control_memory(control)->ram;
    while (bcd(ram[MODE]) != mode)
        if (!control_press_select(control, 1)) return false;
    control_soft_reset(control);
    return true;
}

static const game_rules solo = {
    .modes = {MODES(one_player_modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) |
                       ACTION_BIT(LEFT) | ACTION_BIT(DOWN) | ACTION_BIT(UPFIRE) | ACTION_BIT(RIGHTFIRE) |
                       ACTION_BIT(LEFTFIRE) | ACTION_BIT(DOWNFIRE),
    .difficulties = 0x3,
    .reset = solo_reset,
    .step = solo_step,
    .score_range = 200000,
};

static const game_rules multi = {
    .modes = {MODES(one_player_modes), MODES(two_player_modes)},
    .minimal_actions = ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(DOWN) | ACTION_BIT(UPFIRE) | ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE) |
                       ACTION_BIT(DOWNFIRE),
    .difficulties = 0x3,
    .reset = multi_reset,
    .step = multi_step,
    .score_range = 200000,
    .lives = LIVES_RAW,
    .kept = 2,
    .select_mode = multi_select_mode,
};

const ale_game game_wizard_of_wor = {
    .name = "wizard_of_wor",
    .title = "Wizard of Wor",
    .md5 = "7e8aa18bc9502eb57daaf5e7c1e94da7",
    .solo = &solo,
    .multi = &multi,
};
