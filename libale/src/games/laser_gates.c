/* Laser Gates.
 *
 * The score as shown, six digits.  It reports no lives. */
#include "game.h"

enum { SCORE_HIGH = 0, SCORE_MIDDLE = 1, SCORE_LOW = 2, PLAYING = 3 }; /* RAM */

static const uint16_t modes[] = {0};
static const uint8_t starting_actions[] = {ACTION_RESET};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->terminal = ram[PLAYING] == 0;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    STARTING_ACTIONS(starting_actions),
    .step = step,
    .lives = LIVES_ZERO,
};

const ale_game game_laser_gates = {
    .name = "laser_gates",
    .title = "Laser Gates",
    .md5 = "8e4cd60d93fcde8065c1a2b972a26377",
    .solo = &solo,
};
