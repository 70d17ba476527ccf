/* Berzerk.
 *
 * The score as shown, six digits.  Modes are the twelve game numbers in BCD. */
#include "game.h"

enum { MODE = 0, LIVES = 90, SCORE_HIGH = 93, SCORE_MIDDLE = 94, SCORE_LOW = 95 }; /* RAM */
enum { TITLE_FRAMES = 20 };

static const uint16_t modes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 18};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->lives[0] = ram[LIVES] + 1;
    state->terminal = ram[LIVES] == 0xFF;
}

/* The title screen is waited out first.  An episode limit may refuse some of that: the mode is then selected
 * nevertheless. */
static bool select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    const uint8_t *ram = control_memory(control)->ram;
    for (int i = 0; i < TITLE_FRAMES; i++) control_act(control, ACTION_NOOP);
    while (ram[MODE] != mode)
        if (!control_press_select(control, 2)) return false;
    control_soft_reset(control);
    return true;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    .step = step,
    .score_range = 1000000,
    .select_mode = select_mode,
};

const ale_game game_berzerk = {
    .name = "berzerk",
    .title = "Berzerk",
    .md5 = "136f75c4dd02c29283752b7e5799f978",
    .solo = &solo,
};
