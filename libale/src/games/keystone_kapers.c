/* Keystone Kapers.
 *
 * The score as shown, four digits.  Lives may be 0 before the game is over. */
#include "game.h"

enum { PLAYING = 8, LIVES = 22, SCORE_HIGH = 27, SCORE_LOW = 28 }; /* RAM */

static const uint16_t modes[] = {0};
static const uint8_t starting_actions[] = {ACTION_RESET};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd2(ram[SCORE_LOW], ram[SCORE_HIGH]));
    state->lives[0] = ram[LIVES];
    state->terminal = state->lives[0] == 0 && ram[PLAYING] == 0;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) |
                       ACTION_BIT(LEFT) | ACTION_BIT(DOWN) | ACTION_BIT(UPRIGHT) | ACTION_BIT(UPLEFT) |
                       ACTION_BIT(DOWNRIGHT) | ACTION_BIT(DOWNLEFT) | ACTION_BIT(UPFIRE) |
                       ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE) | ACTION_BIT(DOWNFIRE),
    .difficulties = 0x1,
    STARTING_ACTIONS(starting_actions),
    .step = step,
    .score_range = 10000,
};

const ale_game game_keystone_kapers = {
    .name = "keystone_kapers",
    .title = "Keystone Kapers",
    .md5 = "6c1f3f2e359dbf55df462ccbcdd2f6bf",
    .solo = &solo,
};
