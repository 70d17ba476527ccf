/* Carnival.
 *
 * The score as shown, in tens.  The game ends with the last bullet. */
#include "game.h"

enum { BULLETS = 3, SCORE_HIGH = 45, SCORE_LOW = 46 }; /* RAM */

static const uint16_t modes[] = {0};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, 10 * bcd2(ram[SCORE_LOW], ram[SCORE_HIGH]));
    state->terminal = ram[BULLETS] == 0;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE),
    .difficulties = 0x1,
    .step = step,
    .score_range = 100000,
    .lives = LIVES_ZERO,
};

const ale_game game_carnival = {
    .name = "carnival",
    .title = "Carnival",
    .md5 = "028024fb8e5e5f18ea586652f9799c96",
    .solo = &solo,
};
