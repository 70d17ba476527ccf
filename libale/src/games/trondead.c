/* Tron: Deadly Discs.
 *
 * The score as shown, six digits.  The fifth hit ends the game; hits may heal, so that lives may rise. */
#include "game.h"

enum { SCORE_HIGH = 61, SCORE_MIDDLE = 62, SCORE_LOW = 63, HITS = 72 }; /* RAM */
enum { DEADLY_HITS = 5 };

static const uint16_t modes[] = {0};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->lives[0] = DEADLY_HITS - ram[HITS];
    state->terminal = ram[HITS] == DEADLY_HITS;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x3,
    .step = step,
    .score_range = 1000000,
};

const ale_game game_trondead = {
    .name = "trondead",
    .title = "Tron: Deadly Discs",
    .md5 = "fb27afe896e7c928089307b32e5642ee",
    .solo = &solo,
};
