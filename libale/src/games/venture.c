/* Venture.
 *
 * The score as shown, in hundreds. */
#include "game.h"

enum { ATTRACT = 63, LIVES = 70, SCORE_HIGH = 71, SCORE_LOW = 72, DEATH = 77 }; /* RAM */
enum { IS_ATTRACT = 0x80, IS_DEAD = 0xFF };

static const uint16_t modes[] = {0};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, 100 * bcd2(ram[SCORE_LOW], ram[SCORE_HIGH]));
    state->lives[0] = (ram[LIVES] & 7) + 1;
    state->terminal = ram[LIVES] == 0 && ram[DEATH] == IS_DEAD && ram[ATTRACT] & IS_ATTRACT;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0xF,
    .step = step,
    .score_range = 1000000,
};

const ale_game game_venture = {
    .name = "venture",
    .title = "Venture",
    .md5 = "3e899eba0ca8cd2972da1ae5479b4f0d",
    .solo = &solo,
};
