/* Casino.
 *
 * The chips as shown, 1000 at the start, in blackjack and stud poker; the points of the hands laid out in
 * poker solitaire.
 *
 * Results depend on a quirk.  While the cartridge refuses input in the card games, the reward is neither
 * computed nor cleared: the reward of the frame before is paid again, and changes of the score are lost.  The
 * rules for two players do not have this quirk; there a player has lost as soon as the cartridge takes the
 * seat away.
 *
 * When the last chip is lost, or the ten-thousandth is won, the cartridge takes the player's seat away and puts 1000
 * chips there for the next game.  So the originals for one player give no reward for that step; corrected_rules
 * does. */
#include "game.h"

/* RAM; of the scores one for each player */
enum { SCORE_HIGH = 12, SCORE_LOW = 21, GAME_END = 30, INPUT = 83, MODE = 84 };
enum { POKER_SOLITAIRE = 3, SOLITAIRE_END = 0xAA, INPUT_OFF = 0x80 }; /* the second player's bit is the next */
enum { SEATED, VARIABLES = GAME_MAX_PLAYERS }; /* state->var, one for each player */
enum { OUT = -1 };
enum { BANK = 10000 }; /* chips that end the game */

static const uint16_t modes[] = {0, 2, 3};
static const uint16_t two_player_modes[] = {MODE_FOR(2, 0), MODE_FOR(2, 1), MODE_FOR(2, 2)};
/* The cards are shuffled for a second; then twice FIRE. */
static const uint8_t starting_actions[62] = {[60] = ACTION_FIRE, ACTION_FIRE};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    int32_t score = bcd2(ram[SCORE_LOW], ram[SCORE_HIGH]);
    bool solitaire = ram[MODE] == POKER_SOLITAIRE;
    bool input_off = ram[INPUT] & INPUT_OFF;
    if (solitaire || !input_off) state->reward[0] = score - state->score[0];
    state->score[0] = score;
    if (solitaire)
        state->terminal = score > 0 && ram[GAME_END] == SOLITAIRE_END;
    else
        state->terminal = score == 0 || (ram[GAME_END] != 0 && input_off);
}

static void correct(const game_rules *rules, game_state *state, const game_memory *memory, const int32_t *before) {
    if (state->players > 1 || !state->terminal || memory->ram[MODE] == POKER_SOLITAIRE) return;
    state->reward[0] = before[0] < BANK / 2 ? -before[0] : BANK - before[0];
}

static void reset(const game_rules *rules, game_state *state, const game_memory *memory) {
    for (int p = 0; p < GAME_MAX_PLAYERS; p++) state->var[SEATED + p] = false;
}

static void multi_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    if (state->players == 1) {
        step(rules, state, memory);
        return;
    }
    state->terminal = true;
    for (int p = 0; p < state->players; p++) {
        bool has_seat = !(ram[INPUT] & INPUT_OFF >> p);
        if (has_seat) state->var[SEATED + p] = true;
        if (state->var[SEATED + p] && !has_seat) state->lives[p] = OUT;
        bool out = state->lives[p] == OUT;
        player_score_to(state, p, out ? 0 : bcd2(ram[SCORE_LOW + p], ram[SCORE_HIGH + p]));
        state->terminal = state->terminal && out;
    }
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(DOWN),
    .difficulties = 0xF,
    STARTING_ACTIONS(starting_actions),
    .step = step,
    .score_range = BANK,
    .correct = correct,
    .lives = LIVES_FLAG,
    .select = {MODE, .frames = 2},
};

static const game_rules multi = {
    .modes = {MODES(modes), MODES(two_player_modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(DOWN),
    .difficulties = 0xF,
    STARTING_ACTIONS(starting_actions),
    .reset = reset,
    .step = multi_step,
    .score_range = BANK,
    .correct = correct,
    .variables = VARIABLES,
    .lives = LIVES_RAW,
    .select = {MODE, .frames = 2},
};

const ale_game game_casino = {
    .name = "casino",
    .title = "Casino",
    .md5 = "b816296311019ab69a21cb9e9e235d12",
    .solo = &solo,
    .multi = &multi,
};
