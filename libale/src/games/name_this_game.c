/* Name This Game.
 *
 * The score as shown, six digits.
 *
 * SELECT has to be pressed some 130 times, for any mode. */
#include "game.h"

enum { SCORE_HIGH = 68, SCORE_MIDDLE = 69, SCORE_LOW = 70, LIVES = 71, MODE = 94 }; /* RAM */

static const uint16_t modes[] = {8, 24, 40};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->lives[0] = ram[LIVES] & 7;
    state->terminal = state->lives[0] == 0;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE),
    .difficulties = 0x3,
    .step = step,
    .score_range = 1000000,
    .select = {MODE, .frames = 2},
};

const ale_game game_name_this_game = {
    .name = "name_this_game",
    .title = "Name This Game",
    .md5 = "36306070f0c90a72461551a7a4f3a209",
    .solo = &solo,
};
