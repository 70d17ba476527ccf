/* Road Runner.
 *
 * The score as shown, four digits in hundreds.  The game ends when the last road runner begins to fall or
 * is hit. */
#include "game.h"

enum { FALLING = 57, HIT = 61, LIVES = 68, SCORE_LOW = 73, SCORE_HIGH = 76 }; /* RAM; a digit is a byte */
enum { BLANK = 10 }; /* in place of a leading zero */

static const uint16_t modes[] = {0};

static int32_t score_shown(const uint8_t *ram) {
    int32_t score = 0;
    for (int i = SCORE_HIGH; i >= SCORE_LOW; i--) {
        int32_t digit = ram[i] & 15;
        score = 10 * score + (digit == BLANK ? 0 : digit);
    }
    return 100 * score;
}

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, score_shown(ram));
    int spare = ram[LIVES] & 7;
    state->lives[0] = spare + 1;
    state->terminal = spare == 0 && (ram[FALLING] != 0 || ram[HIT] != 0);
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    .step = step,
    .score_range = 1000000,
};

const ale_game game_road_runner = {
    .name = "road_runner",
    .title = "Road Runner",
    .md5 = "ce5cc62608be2cd3ed8abd844efb8919",
    .solo = &solo,
};
