/* River Raid.
 *
 * The score as shown, six digits, each in a byte of its own.  The jets left are shown in the same way,
 * with special values before the start and for the last jet; the step back from the last jet to the start
 * is the end of the game. */
#include "game.h"

enum { LIVES = 64, SCORE_HIGHEST = 77, SCORE_LOWEST = 87 }; /* RAM; a digit is every other byte */
enum { DIGIT_STEP = 8 }; /* digits are offsets into the cartridge's font */
enum { LIVES_AT_START = 0x58, LIVES_LAST = 0x59 };
enum { LIVES_BEFORE, VARIABLES }; /* state->var: the lives byte of the latest step */

static const uint16_t modes[] = {0};

static int32_t digit(uint8_t shown) {
    return shown <= 9 * DIGIT_STEP && shown % DIGIT_STEP == 0 ? shown / DIGIT_STEP : 0;
}

static int32_t lives_shown(uint8_t shown) {
    if (shown == LIVES_AT_START) return 4;
    if (shown == LIVES_LAST) return 1;
    return shown / DIGIT_STEP + 1;
}

static void reset(const game_rules *rules, game_state *state, const game_memory *memory) {
    state->var[LIVES_BEFORE] = LIVES_AT_START;
}

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    int32_t score = 0;
    for (int i = SCORE_HIGHEST; i <= SCORE_LOWEST; i += 2) score = 10 * score + digit(ram[i]);
    score_to(state, score);
    state->terminal = ram[LIVES] == LIVES_AT_START && state->var[LIVES_BEFORE] == LIVES_LAST;
    state->var[LIVES_BEFORE] = ram[LIVES];
    state->lives[0] = lives_shown(ram[LIVES]);
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x3,
    .reset = reset,
    .step = step,
    .score_range = 1000000,
    .variables = VARIABLES,
};

const ale_game game_riverraid = {
    .name = "riverraid",
    .title = "River Raid",
    .md5 = "393948436d1f4cc3192410bb918f9724",
    .solo = &solo,
};
