/* Kool-Aid Man.
 *
 * The score as shown, in hundreds, four digits. */
#include "game.h"

enum { SCORE_HIGH = 0, SCORE_LOW = 1, GAME_OVER = 81 }; /* RAM */

static const uint16_t modes[] = {0};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, 100 * bcd2(ram[SCORE_LOW], ram[SCORE_HIGH]));
    state->terminal = ram[GAME_OVER] == 0x80;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(DOWN) | ACTION_BIT(UPRIGHT) | ACTION_BIT(UPLEFT) | ACTION_BIT(DOWNRIGHT) |
                       ACTION_BIT(DOWNLEFT),
    .difficulties = 0x1,
    .step = step,
    .score_range = 1000000,
    .lives = LIVES_ZERO,
};

const ale_game game_koolaid = {
    .name = "koolaid",
    .title = "Kool-Aid Man",
    .md5 = "534e23210dd1993c828d944c6ac4d9fb",
    .solo = &solo,
};
