/* Pooyan.
 *
 * The score as shown, six digits. */
#include "game.h"

enum { SCORE_HIGH = 8, SCORE_MIDDLE = 9, SCORE_LOW = 10, LIVES = 22, PHASE = 24, MODE = 61 }; /* RAM */
enum { PHASE_GAME_OVER = 5 };

static const uint16_t modes[] = {10, 30, 50, 70};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->lives[0] = (ram[LIVES] & 7) + 1;
    state->terminal = ram[LIVES] == 0 && ram[PHASE] == PHASE_GAME_OVER;
}

/* The first press opens the selection. */
static bool select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    const uint8_t *ram = control_memory(control)->ram;
    do
        if (!control_press_select(control, 2)) return false;
    while (ram[MODE] != mode);
    control_soft_reset(control);
    return true;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(DOWN) |
                       ACTION_BIT(UPFIRE) | ACTION_BIT(DOWNFIRE),
    .difficulties = 0x1,
    .step = step,
    .score_range = 1000000,
    .select_mode = select_mode,
};

const ale_game game_pooyan = {
    .name = "pooyan",
    .title = "Pooyan",
    .md5 = "4799a40b6e889370b7ee55c17ba65141",
    .solo = &solo,
};
