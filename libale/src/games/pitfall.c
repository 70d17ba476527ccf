/* Pitfall!
 *
 * The score as shown, six digits; falls and logs cost points.  Lives are drawn as two marks.
 *
 * When the clock has run out, the cartridge lets nobody move any more.  The originals end the episode only if that is
 * the last life; corrected_rules ends it in any. */
#include "game.h"

enum { LIFE_MARKS = 0, GAME_HALTED = 30, SCORE_HIGH = 85, SCORE_MIDDLE = 86, SCORE_LOW = 87 }; /* RAM */
enum { MINUTES = 88, SECONDS = 89 }; /* of the clock */
enum { TWO_MARKS = 10, ONE_MARK = 8 }; /* binary pictures of the marks */

static const uint16_t modes[] = {0};
static const uint8_t starting_actions[] = {ACTION_UP};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    int marks = ram[LIFE_MARKS] >> 4;
    state->lives[0] = marks == TWO_MARKS ? 3 : marks == ONE_MARK ? 2 : 1;
    state->terminal = marks == 0 && ram[GAME_HALTED] != 0;
}

static void correct(const game_rules *rules, game_state *state, const game_memory *memory, const int32_t *before) {
    const uint8_t *ram = memory->ram;
    if (ram[MINUTES] == 0 && ram[SECONDS] == 0) state->terminal = true;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    STARTING_ACTIONS(starting_actions),
    .step = step,
    .correct = correct,
};

const ale_game game_pitfall = {
    .name = "pitfall",
    .title = "Pitfall!",
    .md5 = "3e90cf23106f2e08b2781e41299de556",
    .solo = &solo,
};
