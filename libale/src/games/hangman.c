/* Hangman.
 *
 * One point for a guessed word, minus one for a failed one.  An episode is one word: it ends with the first
 * reward, or when nothing has been guessed for 256 seconds. */
#include "game.h"

enum { PLAYER_SCORE = 107, COMPUTER_SCORE = 108, MODE = 110, IDLE_SECONDS = 113 }; /* RAM */
enum { IDLE_SECONDS_BEFORE }; /* state->var */

static const uint16_t modes[] = {0, 1, 2, 3};

static void reset(game_state *state) { state->var[IDLE_SECONDS_BEFORE] = 0; }

static void step(game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd(ram[PLAYER_SCORE]) - bcd(ram[COMPUTER_SCORE]));
    bool timed_out = state->var[IDLE_SECONDS_BEFORE] == 0xFF && ram[IDLE_SECONDS] == 0;
    state->var[IDLE_SECONDS_BEFORE] = ram[IDLE_SECONDS];
    state->terminal = state->reward[0] != 0 || timed_out;
}

static bool select_mode(game_state *state, game_control *control, int mode) {
    return control_select_until(control, MODE, mode, 2);
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x3,
    .reset = reset,
    .step = step,
    .lives = lives_flag,
    .select_mode = select_mode,
};

const ale_game game_hangman = {
    .name = "hangman",
    .title = "Hangman",
    .md5 = "f16c709df0a6c52f47ff52b9d95b7d8d",
    .solo = &solo,
};
