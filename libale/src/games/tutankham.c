/* Tutankham.
 *
 * The score as shown, four digits. */
#include "game.h"

enum { PHASE = 1, SCORE_HIGH = 26, SCORE_LOW = 28, LIVES = 30, MODE = 43 }; /* RAM */
enum { PHASE_POWER_ON = 0x84 }; /* until a game starts */

static const uint16_t modes[] = {0, 4, 8, 12};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd2(ram[SCORE_LOW], ram[SCORE_HIGH]));
    state->lives[0] = ram[LIVES] & 3;
    state->terminal = ram[LIVES] == 0 && ram[PHASE] != PHASE_POWER_ON;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(DOWN) | ACTION_BIT(UPFIRE) | ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE),
    .difficulties = 0x1,
    .step = step,
    .score_range = 10000,
    .select = {MODE, .frames = 2},
};

const ale_game game_tutankham = {
    .name = "tutankham",
    .title = "Tutankham",
    .md5 = "085322bae40d904f53bdcc56df0593fc",
    .solo = &solo,
};
