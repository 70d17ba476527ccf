/* Frostbite.
 *
 * The score as shown, six digits.  The game ends when its flag is set while no spare life is left.
 *
 * The cartridge does not set it if the last life is lost to the cold: then episodes of the originals do not end, and
 * nothing brings the game back.  corrected_rules ends them. */
#include "game.h"

/* RAM */
enum { MODE = 0, SCORE_HIGH = 72, SCORE_MIDDLE = 73, SCORE_LOW = 74, SPARE_LIVES = 76, GAME_OVER = 113 };
enum { OVER_COUNTDOWN = 70 }; /* from 255 after the end, however that came */

static const uint16_t modes[] = {0, 2};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    int spare = ram[SPARE_LIVES] & 15;
    state->lives[0] = spare + 1;
    state->terminal = spare == 0 && ram[GAME_OVER] & 0x80;
}

static void correct(const game_rules *rules, game_state *state, const game_memory *memory, const int32_t *before) {
    const uint8_t *ram = memory->ram;
    if ((ram[SPARE_LIVES] & 15) == 0 && ram[OVER_COUNTDOWN] != 0) state->terminal = true;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    .step = step,
    .score_range = 1000000,
    .correct = correct,
    .select = {MODE, .frames = 1},
};

const ale_game game_frostbite = {
    .name = "frostbite",
    .title = "Frostbite",
    .md5 = "4ca73eb959299471788f0b685c3ba0b5",
    .solo = &solo,
};
