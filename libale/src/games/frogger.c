/* Frogger.
 *
 * The score as shown, four digits.  Lives are the frogs in reserve, 0 while the last one is out.
 *
 * Only the odd game numbers are modes; the even ones are for two players. */
#include "game.h"

enum { SCORE_HIGH = 76, SCORE_LOW = 78, LIVES = 80, GAME_NUMBER = 93 }; /* RAM */

static const uint16_t modes[] = {0, 1, 2};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd2(ram[SCORE_LOW], ram[SCORE_HIGH]));
    state->lives[0] = ram[LIVES];
    state->terminal = ram[LIVES] == 0xFF;
}

static bool select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    return control_select_until(control, GAME_NUMBER, 1 + 2 * mode, 2);
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(DOWN),
    .difficulties = 0x3,
    .step = step,
    .score_range = 10000,
    .select_mode = select_mode,
};

const ale_game game_frogger = {
    .name = "frogger",
    .title = "Frogger",
    .md5 = "081e2c114c9c20b61acf25fc95c71bf4",
    .solo = &solo,
};
