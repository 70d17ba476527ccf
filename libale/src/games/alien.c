/* Alien.
 *
 * The score as shown.  Its five digits are in every other byte, the highest first.  A byte holds the offset
 * of the digit's picture, which has eight bytes. */
#include "game.h"

enum { MODE = 1, DIGITS = 3, DIGITS_END = 13, LIVES = 64 }; /* RAM */
enum { BLANK = 0x80 };

static const uint16_t modes[] = {0, 1, 2, 3};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    int32_t score = 0;
    for (int i = DIGITS; i < DIGITS_END; i += 2) score = 10 * score + (ram[i] == BLANK ? 0 : ram[i] >> 3);
    score_to(state, 10 * score);
    state->lives[0] = ram[LIVES] & 15;
    state->terminal = state->lives[0] == 0;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0xF,
    .step = step,
    .score_range = 1000000,
    .select = {MODE, .frames = 1},
};

const ale_game game_alien = {
    .name = "alien",
    .title = "Alien",
    .md5 = "f1a0a23e6464d954e3a9579c4ccd01c8",
    .solo = &solo,
};
