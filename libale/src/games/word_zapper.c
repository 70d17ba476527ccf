/* Word Zapper.
 *
 * One point for each word completed; the third ends the game, and so does the clock.
 *
 * When the wall clock stands at zero the rules stand still as well, and the latest reward is given again
 * in every frame; with corrected_rules it is given once. */
#include "game.h"

enum { WALL_CLOCK = 79, MODE = 91, WORDS_LEFT = 92, SECONDS_LEFT = 94 }; /* RAM */
enum { WORDS = 3, FIRST_WORDS_LEFT = 2, TITLE_FRAMES = 486 };

static const uint16_t modes[] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
};
static const uint8_t starting_actions[TITLE_FRAMES + 3] = {[TITLE_FRAMES] = ACTION_FIRE};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    if (bcd(ram[WALL_CLOCK]) == 0) return;
    score_to(state, FIRST_WORDS_LEFT - (int8_t)ram[WORDS_LEFT]);
    state->terminal = state->score[0] == WORDS || bcd(ram[SECONDS_LEFT]) == 0;
}

static void correct(const game_rules *rules, game_state *state, const game_memory *memory, const int32_t *before) {
    if (bcd(memory->ram[WALL_CLOCK]) == 0) state->reward[0] = 0;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0xF,
    STARTING_ACTIONS(starting_actions),
    .step = step,
    .correct = correct,
    .lives = LIVES_FLAG,
    .select = {MODE, .frames = 2}, /* ignored during the title: the first change takes 140 presses */
};

const ale_game game_word_zapper = {
    .name = "word_zapper",
    .title = "Word Zapper",
    .md5 = "ec3beb6d8b5689e867bafb5d5f507491",
    .solo = &solo,
};
