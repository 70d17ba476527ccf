/* Dark Chambers.
 *
 * The score as shown, in tens; no reward is ever negative.  The game ends when health is gone, or when the
 * score or the level falls.  The end stands until the next reset.
 *
 * In the originals the score's wrap after 99990 is an end, too; with corrected_rules the game goes on. */
#include "game.h"

enum { HEALTH = 74, SCORE_LOW = 76, SCORE_HIGH = 79, LEVEL_NUMBER = 85 }; /* RAM */
enum { LEVEL, VARIABLES }; /* state->var */
enum { SCORE_RANGE = 100000 };
enum { INTRODUCTION_FRAMES = 486 };

static const uint16_t modes[] = {0};
static const uint8_t starting_actions[INTRODUCTION_FRAMES] = {ACTION_NOOP};

static void reset(const game_rules *rules, game_state *state, const game_memory *memory) {
    state->var[LEVEL] = 0;
}

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    state->reward[0] = 0;
    if (ram[LEVEL_NUMBER] < state->var[LEVEL]) {
        state->terminal = true;
        return;
    }
    state->var[LEVEL] = ram[LEVEL_NUMBER];
    int32_t score = 10 * bcd2(ram[SCORE_LOW], ram[SCORE_HIGH]);
    if (score < state->score[0])
        state->terminal = true;
    else
        score_to(state, score);
    if ((ram[HEALTH] & 0x1F) == 0) state->terminal = true;
}

/* The score falls at an end, too, but not to a few points from nearly the highest. */
static void correct(const game_rules *rules, game_state *state, const game_memory *memory, const int32_t *before) {
    const uint8_t *ram = memory->ram;
    const int32_t points = 10 * bcd2(ram[SCORE_LOW], ram[SCORE_HIGH]) - state->score[0] + SCORE_RANGE;
    const bool wraps = state->terminal && 0 < points && points < SCORE_RANGE / 8;
    if (!wraps || (ram[HEALTH] & 0x1F) == 0 || ram[LEVEL_NUMBER] < state->var[LEVEL]) return;
    state->terminal = false;
    state->reward[0] = points;
    state->score[0] += points - SCORE_RANGE;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    STARTING_ACTIONS(starting_actions),
    .reset = reset,
    .step = step,
    .correct = correct,
    .variables = VARIABLES,
    .lives = LIVES_FLAG,
};

const ale_game game_darkchambers = {
    .name = "darkchambers",
    .title = "Dark Chambers",
    .md5 = "106855474c69d08c8ffa308d47337269",
    .solo = &solo,
};
