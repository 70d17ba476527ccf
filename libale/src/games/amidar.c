/* Amidar.
 *
 * The score as shown, six digits.
 *
 * Bit 3 of the lives byte is set all game, so lives count 11, 10, 9, 8; right after a reset the byte is
 * still 0. */
#include "game.h"

enum { LIVES = 86, SCORE_LOW = 89, SCORE_MIDDLE = 90, SCORE_HIGH = 91 }; /* RAM */

static const uint16_t modes[] = {0};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->lives[0] = ram[LIVES] & 15;
    state->terminal = ram[LIVES] == 0x80;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) |
                       ACTION_BIT(LEFT) | ACTION_BIT(DOWN) | ACTION_BIT(UPFIRE) | ACTION_BIT(RIGHTFIRE) |
                       ACTION_BIT(LEFTFIRE) | ACTION_BIT(DOWNFIRE),
    .difficulties = 0x9,
    .step = step,
    .score_range = 1000000,
};

const ale_game game_amidar = {
    .name = "amidar",
    .title = "Amidar",
    .md5 = "acb7750b4d0c4bd34969802a7deb2990",
    .solo = &solo,
};
