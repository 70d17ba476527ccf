/* Demon Attack.
 *
 * The score as shown, six digits.  Two players have one ship by turns of four seconds; when one of them loses
 * it, the other gets 500 points.
 *
 * Modes 3, 5 and 7 are over as soon as they begin, as in the reference: the bytes that stand for the end have these
 * values while RESET is held, and after a selection the rules ignore them for one frame only.  With corrected_rules,
 * no episode ends before the first ship is there. */
#include "game.h"

/* RAM; the second player's score is a byte further each */
enum { SCORE_HIGH = 1, SCORE_MIDDLE = 3, SCORE_LOW = 5, MODE = 106, SCREEN = 113, LIVES = 114 };
enum { JUST_SELECTED, HAS_BEGUN, VARIABLES }; /* state->var */
enum { GAME_OVER_SCREEN = 0xBD };

static const uint16_t modes[] = {1, 3, 5, 7};
static const uint16_t two_player_modes[] = {MODE_FOR(2, 9)};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    uint8_t low = ram[SCORE_LOW], middle = ram[SCORE_MIDDLE], high = ram[SCORE_HIGH];
    bool power_on = high == 0xAB && middle == 0xCD && low == 0xEA; /* a pattern in the score's place */
    score_to(state, power_on ? 0 : bcd3(low, middle, high));
    state->lives[0] = ram[LIVES] + 1;
    if (state->players == 2) {
        player_score_to(state, 1, bcd3(ram[SCORE_LOW + 1], ram[SCORE_MIDDLE + 1], ram[SCORE_HIGH + 1]));
        state->lives[1] = state->lives[0];
    }
    state->terminal = ram[LIVES] == 0 && ram[SCREEN] == GAME_OVER_SCREEN && !state->var[JUST_SELECTED];
    state->var[JUST_SELECTED] = false;
}

static void correct(const game_rules *rules, game_state *state, const game_memory *memory, const int32_t *before) {
    if (memory->ram[LIVES] != 0) state->var[HAS_BEGUN] = true;
    if (!state->var[HAS_BEGUN]) state->terminal = false;
}

static bool select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    const uint8_t *ram = control_memory(control)->ram;
    while (ram[MODE] != cartridge_mode(mode))
        if (!control_press_select(control, 1)) return false;
    state->var[JUST_SELECTED] = true;
    state->var[HAS_BEGUN] = false;
    control_soft_reset(control);
    return true;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE),
    .difficulties = 0x3,
    .step = step,
    .score_range = 1000000,
    .correct = correct,
    .variables = VARIABLES,
    .select_mode = select_mode,
};

static const game_rules multi = {
    .modes = {MODES(modes), MODES(two_player_modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE),
    .difficulties = 0x3,
    .step = step,
    .score_range = 1000000,
    .correct = correct,
    .variables = VARIABLES,
    .select_mode = select_mode,
};

const ale_game game_demon_attack = {
    .name = "demon_attack",
    .title = "Demon Attack",
    .md5 = "f0e0addc07971561ab80d9abe1b8d333",
    .solo = &solo,
    .multi = &multi,
};
