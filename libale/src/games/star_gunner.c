/* Stargunner.
 *
 * The score as shown, four digits in hundreds.  Before play begins the cartridge shows other lives; until
 * then five are reported. */
#include "game.h"

enum { SCORE_LOW = 3, SCORE_HIGH = 6, LIVES = 7, MODE = 116 }; /* RAM; a digit is a byte */
enum { BLANK = 10 }; /* in place of a leading zero */
enum { FIRST_LIVES = 5 };

static const uint16_t modes[] = {0, 1, 2, 3};

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
    if (ram[LIVES] == FIRST_LIVES) state->started = true;
    state->lives[0] = state->started ? ram[LIVES] & 15 : FIRST_LIVES;
    state->terminal = ram[LIVES] == 0;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    .step = step,
    .score_range = 1000000,
    .select = {MODE, .frames = 15},
};

const ale_game game_star_gunner = {
    .name = "star_gunner",
    .title = "Stargunner",
    .md5 = "a3c1c70024d7aabb41381adbfb6d3b25",
    .solo = &solo,
};
