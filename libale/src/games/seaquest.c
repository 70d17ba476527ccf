/* Seaquest.
 *
 * The score as shown, six digits. */
#include "game.h"

enum { GAME_OVER = 35, SCORE_HIGH = 56, SCORE_MIDDLE = 57, SCORE_LOW = 58, LIVES = 59 }; /* RAM */

static const uint16_t modes[] = {0};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->lives[0] = ram[LIVES] + 1;
    state->terminal = ram[GAME_OVER] != 0;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x3,
    .step = step,
};

const ale_game game_seaquest = {
    .name = "seaquest",
    .title = "Seaquest",
    .md5 = "240bfbac5163af4df5ae713985386f92",
    .solo = &solo,
};
