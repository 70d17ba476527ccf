/* Turmoil.
 *
 * The score as shown, in tens, and the points still being added to it.  Lives are 3 straight after a
 * reset and become 4 in the next frame. */
#include "game.h"

enum { SCORE_LOW = 9, SCORE_HIGH = 10, LIVES = 57, GAME_OVER = 69, POINTS_DUE = 83, MODE = 106 }; /* RAM */

static const uint16_t modes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
static const uint8_t starting_actions[] = {ACTION_FIRE};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, 10 * (bcd2(ram[SCORE_LOW], ram[SCORE_HIGH]) + ram[POINTS_DUE]));
    state->lives[0] = ram[LIVES];
    state->terminal = ram[LIVES] == 0 && ram[GAME_OVER] == 1;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) |
                       ACTION_BIT(LEFT) | ACTION_BIT(DOWN) | ACTION_BIT(UPRIGHT) | ACTION_BIT(UPLEFT) |
                       ACTION_BIT(DOWNRIGHT) | ACTION_BIT(DOWNLEFT) | ACTION_BIT(RIGHTFIRE) |
                       ACTION_BIT(LEFTFIRE),
    .difficulties = 0x1,
    STARTING_ACTIONS(starting_actions),
    .step = step,
    .score_range = 100000,
    .select = {MODE, .frames = 2}, /* ignored during the title: the first change takes 86 presses */
};

const ale_game game_turmoil = {
    .name = "turmoil",
    .title = "Turmoil",
    .md5 = "7a5463545dfb2dcfdafa6074b2f2c15e",
    .solo = &solo,
};
