/* Mr. Do!
 *
 * The score as shown, in tens, four digits.  Lives are the spare ones, 0 for the last life. */
#include "game.h"

enum { MODE = 0, SCORE_LOW = 2, SCORE_HIGH = 3, GAME_OVER = 90, SPARE_LIVES = 91 }; /* RAM */

static const uint16_t modes[] = {0, 1, 2, 3};
static const uint8_t starting_actions[] = {ACTION_FIRE};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, 10 * bcd2(ram[SCORE_LOW], ram[SCORE_HIGH]));
    state->lives[0] = ram[SPARE_LIVES];
    state->terminal = ram[GAME_OVER] == 0x40;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) |
                       ACTION_BIT(LEFT) | ACTION_BIT(DOWN) | ACTION_BIT(UPFIRE) | ACTION_BIT(RIGHTFIRE) |
                       ACTION_BIT(LEFTFIRE) | ACTION_BIT(DOWNFIRE),
    .difficulties = 0x1,
    STARTING_ACTIONS(starting_actions),
    .step = step,
    .score_range = 100000,
    .select = {MODE, .frames = 5},
};

const ale_game game_mr_do = {
    .name = "mr_do",
    .title = "Mr. Do!",
    .md5 = "aa7bb54d2c189a31bb1fa20099e42859",
    .solo = &solo,
};
