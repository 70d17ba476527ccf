/* Assault.
 *
 * The score as shown, six digits. */
#include "game.h"

enum { SCORE_HIGH = 0, SCORE_MIDDLE = 1, SCORE_LOW = 2, LIVES = 101 }; /* RAM */

static const uint16_t modes[] = {0};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->lives[0] = ram[LIVES];
    state->terminal = state->lives[0] == 0;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) |
                       ACTION_BIT(LEFT) | ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE),
    .difficulties = 0x1,
    .step = step,
};

const ale_game game_assault = {
    .name = "assault",
    .title = "Assault",
    .md5 = "de78b3a064d374390ac0710f95edde92",
    .solo = &solo,
};
