/* Ms. Pac-Man.
 *
 * The score as shown, six digits.  The game ends at one particular frame of the death animation of the last
 * life. */
#include "game.h"

/* RAM */
enum {
    GAME_NUMBER = 25, VARIATION = 33, DEATH_TIMER = 39,
    SCORE_LOW = 120, SCORE_MIDDLE = 121, SCORE_HIGH = 122, SPARE_LIVES = 123
};
enum { GAME_OVER = 0x53 };

static const uint16_t modes[] = {0, 1, 2, 3};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    int spare = ram[SPARE_LIVES] & 15;
    state->lives[0] = (spare & 7) + 1;
    state->terminal = spare == 0 && ram[DEATH_TIMER] == GAME_OVER;
}

/* Mode 0 is a variation of game 1, which itself is mode 1. */
static bool select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    const uint8_t *ram = control_memory(control)->ram;
    int game = mode == 0 ? 1 : mode, variation = mode == 0;
    while (ram[GAME_NUMBER] != game || ram[VARIATION] != variation)
        if (!control_press_select(control, 10)) return false;
    control_soft_reset(control);
    return true;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(DOWN) | ACTION_BIT(UPRIGHT) | ACTION_BIT(UPLEFT) | ACTION_BIT(DOWNRIGHT) |
                       ACTION_BIT(DOWNLEFT),
    .difficulties = 0x1,
    .step = step,
    .score_range = 1000000,
    .select_mode = select_mode,
};

const ale_game game_ms_pacman = {
    .name = "ms_pacman",
    .title = "Ms. Pac-Man",
    .md5 = "87e79cd41ce136fd4f72cc6e2c161bee",
    .solo = &solo,
};
