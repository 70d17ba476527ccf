/* Asterix.
 *
 * The score as shown, six digits.  The game ends with the death countdown of the last life, one frame before
 * the lives byte would reach 0.
 *
 * FIRE starts the game.  It is not a minimal action, because it could start a second game. */
#include "game.h"

enum { DEATH_COUNTDOWN = 71, LIVES = 83, SCORE_HIGH = 94, SCORE_MIDDLE = 95, SCORE_LOW = 96 }; /* RAM */

static const uint16_t modes[] = {0};
static const uint8_t starting_actions[] = {ACTION_FIRE};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->lives[0] = ram[LIVES] & 15;
    state->terminal = ram[DEATH_COUNTDOWN] == 1 && state->lives[0] == 1;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(DOWN) | ACTION_BIT(UPRIGHT) | ACTION_BIT(UPLEFT) | ACTION_BIT(DOWNRIGHT) |
                       ACTION_BIT(DOWNLEFT),
    .difficulties = 0x1,
    STARTING_ACTIONS(starting_actions),
    .step = step,
    .score_range = 1000000,
};

const ale_game game_asterix = {
    .name = "asterix",
    .title = "Asterix",
    .md5 = "89a68746eff7f266bbf08de2483abe55",
    .solo = &solo,
};
