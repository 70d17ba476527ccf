/* Breakout.
 *
 * The score as shown, three digits.  Lives are the balls left; 0 of them end a game that has started with
 * five.
 *
 * 65,535 frames after the start a counter of the cartridge ends the game, whatever balls are left: nothing moves any
 * more, and no action has an effect.  Episodes of the originals go on; corrected_rules ends them. */
#include "game.h"

enum { MODE = 50, PLAYS = 52, LIVES = 57, SCORE_HIGH = 76, SCORE_LOW = 77 }; /* RAM */
enum { FIRST_LIVES = 5 };

static const uint16_t modes[] = {0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd(ram[SCORE_LOW]) + 100 * (ram[SCORE_HIGH] & 15));
    state->lives[0] = ram[LIVES];
    if (ram[LIVES] == FIRST_LIVES) state->started = true;
    state->terminal = state->started && ram[LIVES] == 0;
}

static void correct(const game_rules *rules, game_state *state, const game_memory *memory, const int32_t *before) {
    if (state->started && memory->ram[PLAYS] == 0) state->terminal = true; /* as at the end of all balls, too */
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT),
    .difficulties = 0x3,
    .step = step,
    .correct = correct,
    .select = {MODE, .frames = 1},
};

const ale_game game_breakout = {
    .name = "breakout",
    .title = "Breakout",
    .md5 = "f34f08e5eb96e500e851a80be3277a56",
    .solo = &solo,
};
