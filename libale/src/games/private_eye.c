/* Private Eye.
 *
 * The score as shown, six digits; thugs and obstacles take points away.  The cartridge takes a score of 800,000 or
 * more for a negative number and sets it to 0. */
#include "game.h"

enum { MODE = 0, GAME_PHASE = 66, SCORE_HIGH = 72, SCORE_MIDDLE = 73, SCORE_LOW = 74 }; /* RAM */
enum { LAST_PHASE_OF_PLAY = 1 };

static const uint16_t modes[] = {0, 1, 2, 3, 4};
static const uint8_t starting_actions[] = {ACTION_UP};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->terminal = ram[GAME_PHASE] > LAST_PHASE_OF_PLAY;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0xF,
    STARTING_ACTIONS(starting_actions),
    .step = step,
    .score_range = 800000,
    .lives = LIVES_ZERO,
    .select = {MODE, .frames = 2},
};

const ale_game game_private_eye = {
    .name = "private_eye",
    .title = "Private Eye",
    .md5 = "ef3a4f64b6494ba770862768caf04b86",
    .solo = &solo,
};
