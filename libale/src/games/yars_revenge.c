/* Yars' Revenge.
 *
 * The score as shown, six digits.
 *
 * The game may end with lives left.  A player who hits the Swirl in flight, and then flies to a dark line in its
 * explosion, sees the initials of the author, and the joystick has no effect any more.  The originals do not end the
 * episode then; corrected_rules does. */
#include "game.h"

enum { STATUS = 0, LIVES = 30, SCORE_HIGH = 96, SCORE_MIDDLE = 97, SCORE_LOW = 98, MODE = 99 }; /* RAM */
enum { STATUS_OVER = 0x80 };

static const uint16_t modes[] = {0, 32, 64, 96};
static const uint8_t starting_actions[] = {ACTION_FIRE};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->lives[0] = ram[LIVES] >> 4;
    state->terminal = state->lives[0] == 0;
}

static void correct(const game_rules *rules, game_state *state, const game_memory *memory, const int32_t *before) {
    if (memory->ram[STATUS] & STATUS_OVER) state->terminal = true;
}

/* The first press opens the selection, at the mode after the default one. */
static bool select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    const uint8_t *ram = control_memory(control)->ram;
    if (!control_press_select(control, 2)) return false;
    while (ram[MODE] != mode)
        if (!control_press_select(control, 1)) return false;
    control_soft_reset(control);
    return true;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x3,
    STARTING_ACTIONS(starting_actions),
    .step = step,
    .score_range = 1000000,
    .correct = correct,
    .select_mode = select_mode,
};

const ale_game game_yars_revenge = {
    .name = "yars_revenge",
    .title = "Yars' Revenge",
    .md5 = "c5930d0e8cdae3e037349bfa08e871be",
    .solo = &solo,
};
