/* Phoenix.
 *
 * The score as shown, whose last digit is always 0. */
#include "game.h"

enum { SCORE_TENS = 71, SCORE_LOW = 72, SCORE_HIGH = 73, LIVES = 75, GAME_OVER = 76 }; /* RAM */

static const uint16_t modes[] = {0};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    int32_t tens = ram[SCORE_TENS] >> 4;
    score_to(state, 10 * tens + 100 * bcd2(ram[SCORE_LOW], ram[SCORE_HIGH]));
    state->lives[0] = ram[LIVES] & 7;
    state->terminal = ram[GAME_OVER] == 0x80;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(DOWN) | ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE) | ACTION_BIT(DOWNFIRE),
    .difficulties = 0x1,
    .step = step,
    .score_range = 1000000,
};

const ale_game game_phoenix = {
    .name = "phoenix",
    .title = "Phoenix",
    .md5 = "7e52a95074a66640fcfde124fffd491a",
    .solo = &solo,
};
