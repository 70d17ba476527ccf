/* Elevator Action.
 *
 * The score as shown, six digits.  No lives on the start screen are not the end. */
#include "game.h"

enum { PLAYING = 1, LIVES = 3, SCORE_HIGH = 7, SCORE_MIDDLE = 8, SCORE_LOW = 9 }; /* RAM */

static const uint16_t modes[] = {0};
static const uint8_t starting_actions[] = {
    ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE,
    ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE,
};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->lives[0] = ram[LIVES];
    state->terminal = state->lives[0] == 0 && ram[PLAYING] != 0;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    STARTING_ACTIONS(starting_actions),
    .step = step,
    .score_range = 1000000,
};

const ale_game game_elevator_action = {
    .name = "elevator_action",
    .title = "Elevator Action",
    .md5 = "71f8bacfbdca019113f3f0801849057e",
    .solo = &solo,
};
