/* Kangaroo.
 *
 * The score as shown, in hundreds, four digits.  The spare lives wrap at the end. */
#include "game.h"

enum { SCORE_HIGH = 39, SCORE_LOW = 40, SPARE_LIVES = 45, MODE = 58 }; /* RAM */
enum { WELCOME = 0x80 };

static const uint16_t modes[] = {0, 1};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, 100 * bcd2(ram[SCORE_LOW], ram[SCORE_HIGH]));
    state->lives[0] = (ram[SPARE_LIVES] & 7) + 1;
    state->terminal = ram[SPARE_LIVES] == 0xFF;
}

static bool select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    const uint8_t *ram = control_memory(control)->ram;
    while (ram[MODE] != mode && ram[MODE] != mode + WELCOME)
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

const ale_game game_kangaroo = {
    .name = "kangaroo",
    .title = "Kangaroo",
    .md5 = "4326edb70ff20d0ee5ba58fa5cb09d60",
    .solo = &solo,
};
