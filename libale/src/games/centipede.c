/* Centipede.
 *
 * The score as shown, six digits.  It falls to 0 before the end shows; this fall is no reward. */
#include "game.h"

/* RAM */
enum { GAME_OVER = 38, MODE = 39, LIVES = 109, SCORE_HIGH = 116, SCORE_MIDDLE = 117, SCORE_LOW = 118 };

/* 22: the standard game, 86: the children's. */
static const uint16_t modes[] = {22, 86};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    if (state->reward[0] < 0) state->reward[0] = 0;
    state->lives[0] = (ram[LIVES] >> 4 & 7) + 1;
    state->terminal = ram[GAME_OVER] & 0x40;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    .step = step,
    .score_range = 1000000,
    .select = {MODE, .frames = 2},
};

const ale_game game_centipede = {
    .name = "centipede",
    .title = "Centipede",
    .md5 = "91c2098e88a6b13f977af8c003e0bca5",
    .solo = &solo,
};
