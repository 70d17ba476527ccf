/* Defender.
 *
 * The score as shown, six digits, one a byte. */
#include "game.h"

enum { MODE = 27, DIGITS = 28, DIGITS_END = 34, LIVES = 66 }; /* RAM; the lowest digit comes first */
enum { BLANK = 10 };

static const uint16_t modes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 16};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    int32_t score = 0;
    for (int i = DIGITS_END - 1; i >= DIGITS; i--) {
        int digit = ram[i] & 15;
        score = 10 * score + (digit == BLANK ? 0 : digit);
    }
    score_to(state, score);
    state->lives[0] = ram[LIVES];
    state->terminal = state->lives[0] == 0;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x3,
    .step = step,
    .score_range = 1000000,
    .select = {MODE, .frames = 2},
};

const ale_game game_defender = {
    .name = "defender",
    .title = "Defender",
    .md5 = "0f643c34e40e3f1daafd9c524d3ffe64",
    .solo = &solo,
};
