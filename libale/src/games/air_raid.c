/* Air Raid.
 *
 * The score as shown, six digits.  The game's own lives are not reported.
 *
 * The lowest score byte doubles as the game number while the console is in game selection. */
#include "game.h"

enum { GAME_OVER = 39, SCORE_HIGH = 40, SCORE_MIDDLE = 41, SCORE_LOW = 42, MODE = 42 }; /* RAM */

static const uint16_t modes[] = {1, 2, 3, 4, 5, 6, 7, 8};
static const uint8_t starting_actions[] = {ACTION_FIRE};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->terminal = ram[GAME_OVER] == 0xFF;
}

/* The first press is unconditional: only then does the byte show the game number. */
static bool select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    const uint8_t *ram = control_memory(control)->ram;
    if (!control_press_select(control, 20)) return false;
    while (ram[MODE] != mode)
        if (!control_press_select(control, 10)) return false;
    control_soft_reset(control);
    return true;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE),
    .difficulties = 0x1,
    STARTING_ACTIONS(starting_actions),
    .step = step,
    .score_range = 1000000,
    .lives = LIVES_FLAG,
    .select_mode = select_mode,
};

const ale_game game_air_raid = {
    .name = "air_raid",
    .title = "Air Raid",
    .md5 = "35be55426c1fec32dfb503b4f0651572",
    .solo = &solo,
};
