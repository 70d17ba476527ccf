/* Battlezone.
 *
 * The score as shown, in thousands, three digits. */
#include "game.h"

enum { SCORE_LOW = 29, SCORE_HIGH = 30, MODE = 33, LIVES = 58 }; /* RAM */

static const uint16_t modes[] = {1, 2, 3};

static int32_t digit(int nibble) {
    return nibble == 10 ? 0 : nibble; /* 10 is a blank */
}

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    uint8_t low = ram[SCORE_LOW], high = ram[SCORE_HIGH];
    score_to(state, 1000 * (digit(low >> 4) + 10 * digit(high & 15) + 100 * digit(high >> 4)));
    state->lives[0] = ram[LIVES] & 15;
    state->terminal = state->lives[0] == 0;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    .step = step,
    .score_range = 1000000,
    .select = {MODE, .frames = 2},
};

const ale_game game_battle_zone = {
    .name = "battle_zone",
    .title = "Battlezone",
    .md5 = "41f252a66c6301f1e8ab3612c19bc5d4",
    .solo = &solo,
};
