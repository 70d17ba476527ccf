/* Gopher.
 *
 * The score as shown, six digits.  Lives are the carrots left, one bit each. */
#include "game.h"

enum { SCORE_HIGH = 48, SCORE_MIDDLE = 49, SCORE_LOW = 50, CARROTS = 52, MODE = 83 }; /* RAM */

static const uint16_t modes[] = {0, 2};
static const uint8_t starting_actions[] = {ACTION_FIRE};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    int carrots = ram[CARROTS];
    state->lives[0] = (carrots & 1) + (carrots >> 1 & 1) + (carrots >> 2 & 1);
    state->terminal = state->lives[0] == 0;
}

/* RESET is held once more before the first look at the mode. */
static bool select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    const uint8_t *ram = control_memory(control)->ram;
    control_soft_reset(control);
    while (ram[MODE] != mode)
        if (!control_press_select(control, 5)) return false;
    control_soft_reset(control);
    return true;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) |
                       ACTION_BIT(LEFT) | ACTION_BIT(UPFIRE) | ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE),
    .difficulties = 0x3,
    STARTING_ACTIONS(starting_actions),
    .step = step,
    .score_range = 1000000,
    .select_mode = select_mode,
};

const ale_game game_gopher = {
    .name = "gopher",
    .title = "Gopher",
    .md5 = "c16c79aad6272baffb8aae9a7fff0864",
    .solo = &solo,
};
