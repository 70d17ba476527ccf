/* Kung-Fu Master.
 *
 * The score as shown, six digits.  The spare lives wrap at the end. */
#include "game.h"

enum { SCORE_HIGH = 24, SCORE_MIDDLE = 25, SCORE_LOW = 26, SPARE_LIVES = 29 }; /* RAM */

static const uint16_t modes[] = {0};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->lives[0] = (ram[SPARE_LIVES] & 7) + 1;
    state->terminal = ram[SPARE_LIVES] == 0xFF;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(DOWN) | ACTION_BIT(DOWNRIGHT) | ACTION_BIT(DOWNLEFT) |
                       ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE) | ACTION_BIT(DOWNFIRE) |
                       ACTION_BIT(UPRIGHTFIRE) | ACTION_BIT(UPLEFTFIRE) | ACTION_BIT(DOWNRIGHTFIRE) |
                       ACTION_BIT(DOWNLEFTFIRE),
    .difficulties = 0x1,
    .step = step,
    .score_range = 1000000,
};

const ale_game game_kung_fu_master = {
    .name = "kung_fu_master",
    .title = "Kung-Fu Master",
    .md5 = "5b92a93b23523ff16e2789b820e2a4c5",
    .solo = &solo,
};
