/* Casino.
 *
 * The chips as shown, 1000 at the start, in blackjack and stud poker; the points of the hands laid out in
 * poker solitaire.
 *
 * A quirk that results depend on: while the cartridge refuses input in the card games, the reward is neither
 * computed nor cleared, so that of the frame before is paid again and changes of the score are lost. */
#include "game.h"

enum { SCORE_HIGH = 12, SCORE_LOW = 21, GAME_END = 30, INPUT = 83, MODE = 84 }; /* RAM */
enum { POKER_SOLITAIRE = 3, SOLITAIRE_END = 0xAA, INPUT_OFF = 0x80 };

static const uint16_t modes[] = {0, 2, 3};
/* The cards are shuffled for a second; then twice FIRE. */
static const uint8_t starting_actions[62] = {[60] = ACTION_FIRE, ACTION_FIRE};

static void step(game_state *state, const game_memory *memory) {
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

static bool select_mode(game_state *state, game_control *control, int mode) {
    return control_select_until(control, MODE, mode, 2);
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(DOWN),
    .difficulties = 0xF,
    STARTING_ACTIONS(starting_actions),
    .step = step,
    .lives = lives_flag,
    .select_mode = select_mode,
};

const ale_game game_casino = {
    .name = "casino",
    .title = "Casino",
    .md5 = "b816296311019ab69a21cb9e9e235d12",
    .solo = &solo,
};
