/* E.T. the Extra-Terrestrial.
 *
 * The score as shown, six digits, which stands at 3 after a reset.  The game ends when it is back on its
 * title screen without lives. */
#include "game.h"

/* RAM */
enum { SCREEN = 0, SCORE_HIGH = 95, SCORE_MIDDLE = 96, SCORE_LOW = 97, LIVES = 101, GAME_NUMBER = 106 };
enum { TITLE_SCREEN = 8, MAX_PRESSES = 100 };

static const uint16_t modes[] = {0, 1, 2};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->lives[0] = (int8_t)(ram[LIVES] + 1);
    state->terminal = state->lives[0] == 0 && ram[SCREEN] == TITLE_SCREEN;
}

static bool select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    const uint8_t *ram = control_memory(control)->ram;
    for (int presses = 0; ram[GAME_NUMBER] != mode + 1; presses++)
        if (presses == MAX_PRESSES || !control_press_select(control, 25)) return false;
    control_soft_reset(control);
    return true;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0xF,
    .step = step,
    .score_range = 1000000,
    .select_mode = select_mode,
};

const ale_game game_et = {
    .name = "et",
    .title = "E.T. the Extra-Terrestrial",
    .md5 = "615a3bf251a38eb6638cdc7ffbde5480",
    .solo = &solo,
};
