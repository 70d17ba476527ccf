/* King Kong.
 *
 * The score as shown, four digits.
 *
 * Only the even game numbers are modes; the odd ones are for two players. */
#include "game.h"

enum { SCORE_HIGH = 2, SCORE_LOW = 3, GAME_NUMBER = 108, LIVES = 110 }; /* RAM; game numbers start at 0 */

static const uint16_t modes[] = {0, 1, 2, 3};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd2(ram[SCORE_LOW], ram[SCORE_HIGH]));
    state->lives[0] = ram[LIVES];
    state->terminal = state->lives[0] == 0;
}

static bool select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    return control_select_until(control, GAME_NUMBER, 2 * mode, 2);
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) |
                       ACTION_BIT(LEFT) | ACTION_BIT(DOWN),
    .difficulties = 0x1,
    .step = step,
    .score_range = 10000,
    .select_mode = select_mode,
};

const ale_game game_king_kong = {
    .name = "king_kong",
    .title = "King Kong",
    .md5 = "0dd4c69b5f9a7ae96a7a08329496779a",
    .solo = &solo,
};
