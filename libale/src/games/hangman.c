/* Hangman.
 *
 * One point for a guessed word, minus one for a failed one.  An episode is one word: it ends with the first
 * reward, or when nothing has been guessed for 256 seconds.
 *
 * Two players guess at the same word, each until a guess fails.  The player who completes the word gets the
 * point.  Nobody gets it if the man is hanged before. */
#include "game.h"

/* RAM; the second player's score has the computer's place; FAILURES is 0 again as soon as the word is over */
enum { PLAYER_SCORE = 107, COMPUTER_SCORE = 108, MODE = 110, IDLE_SECONDS = 113, FAILURES = 114 };
enum { FAILURES_MASK = 0x7F };
enum { IDLE_SECONDS_BEFORE, FAILURES_BEFORE, VARIABLES }; /* state->var */

static const uint16_t modes[] = {0, 1, 2, 3};
static const uint16_t two_player_modes[] = {MODE_FOR(2, 4), MODE_FOR(2, 5), MODE_FOR(2, 6), MODE_FOR(2, 7)};

static void reset(const game_rules *rules, game_state *state, const game_memory *memory) {
    state->var[IDLE_SECONDS_BEFORE] = state->var[FAILURES_BEFORE] = 0;
}

static bool timed_out(game_state *state, const uint8_t *ram) {
    bool timed_out = state->var[IDLE_SECONDS_BEFORE] == 0xFF && ram[IDLE_SECONDS] == 0;
    state->var[IDLE_SECONDS_BEFORE] = ram[IDLE_SECONDS];
    return timed_out;
}

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd(ram[PLAYER_SCORE]) - bcd(ram[COMPUTER_SCORE]));
    state->terminal = timed_out(state, ram) || state->reward[0] != 0;
}

static void multi_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    if (state->players == 1) {
        step(rules, state, memory);
        return;
    }
    player_score_to(state, 0, bcd(ram[PLAYER_SCORE]));
    player_score_to(state, 1, bcd(ram[COMPUTER_SCORE]));
    int failures = ram[FAILURES] & FAILURES_MASK;
    bool hanged = state->var[FAILURES_BEFORE] != 0 && failures == 0;
    state->var[FAILURES_BEFORE] = failures;
    state->terminal = timed_out(state, ram) || hanged || state->reward[0] != 0 || state->reward[1] != 0;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x3,
    .reset = reset,
    .step = step,
    .variables = VARIABLES,
    .lives = LIVES_FLAG,
    .select = {MODE, .frames = 2},
};

static const game_rules multi = {
    .modes = {MODES(modes), MODES(two_player_modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x3,
    .reset = reset,
    .step = multi_step,
    .variables = VARIABLES,
    .lives = LIVES_FLAG,
    .select = {MODE, .frames = 2},
};

const ale_game game_hangman = {
    .name = "hangman",
    .title = "Hangman",
    .md5 = "f16c709df0a6c52f47ff52b9d95b7d8d",
    .solo = &solo,
    .multi = &multi,
};
