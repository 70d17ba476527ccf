/* Solaris.
 *
 * The score as shown, in tens. */
#include "game.h"

enum { LIVES = 89, SCORE_LOW = 92, SCORE_MIDDLE = 93, SCORE_HIGH = 94 }; /* RAM */

static const uint16_t modes[] = {0};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, 10 * bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->lives[0] = ram[LIVES] & 15;
    state->terminal = ram[LIVES] == 0;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    .step = step,
    .score_range = 10000000,
};

const ale_game game_solaris = {
    .name = "solaris",
    .title = "Solaris",
    .md5 = "e72eb8d4410152bdcb69e7fba327b420",
    .solo = &solo,
};
