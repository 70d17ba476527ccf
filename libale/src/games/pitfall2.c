/* Pitfall II: Lost Caverns.
 *
 * The score as shown, six digits; nobody dies, but accidents cost points.  The game ends at the highest
 * score there is, and only there. */
#include "game.h"

enum { SCORE_HIGH = 71, SCORE_MIDDLE = 72, SCORE_LOW = 73 }; /* RAM */
enum { PERFECT_SCORE = 199000 };

static const uint16_t modes[] = {0};
static const uint8_t starting_actions[] = {ACTION_UP};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->lives[0] = 1;
    state->terminal = state->score[0] == PERFECT_SCORE;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    STARTING_ACTIONS(starting_actions),
    .step = step,
};

const ale_game game_pitfall2 = {
    .name = "pitfall2",
    .title = "Pitfall II: Lost Caverns",
    .md5 = "6d842c96d5a01967be9680080dd5be54",
    .solo = &solo,
};
