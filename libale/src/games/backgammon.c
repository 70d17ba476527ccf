/* Backgammon.
 *
 * One point for the player who has borne off all fifteen men, which ends the game; the loser loses one point.
 *
 * The cartridge uses the board as scratch space while it thinks, so only a board on which both sides own
 * fifteen men is believed.  Result and end stand until the next reset.
 *
 * Difficulty 3 is a real game, but you have to choose it: at the initial 0 the cartridge is in its set-up
 * mode. */
#include "game.h"

/* RAM: points and bars, around the second player's men off.  A byte is a number of men, negative for the
 * first player's; the second player is the computer in the one-player game. */
enum { FIRST_OFF = 0, SECOND_OFF = 14, BOARD_END = 28, MODE = 92 };
enum { MEN = 15, ONE_PLAYER_GAME = 3 };

static const uint16_t solo_modes[] = {0};
static const uint16_t one_player_modes[] = {3};
static const uint16_t two_player_modes[] = {4};

/* Sums wrap as the signed bytes in which the reference keeps them. */
static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    int8_t first_off = (int8_t)-(int8_t)ram[FIRST_OFF], second_off = (int8_t)ram[SECOND_OFF];
    int8_t first_on = 0, second_on = 0;
    for (int i = 1; i < BOARD_END; i++) {
        int8_t men = (int8_t)ram[i];
        if (i == SECOND_OFF) continue;
        if (men < 0)
            first_on = (int8_t)(first_on - men);
        else
            second_on = (int8_t)(second_on + men);
    }
    if (first_on + first_off != MEN || second_on + second_off != MEN) return;
    if (first_off != MEN && second_off != MEN) return;
    state->terminal = true;
    state->reward[0] = first_off == MEN ? 1 : -1;
    state->reward[1] = -state->reward[0];
}

static bool select_game(game_control *control, int game) {
    return control_select_until(control, MODE, game, 1);
}

static bool solo_select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    return select_game(control, ONE_PLAYER_GAME);
}

static bool multi_select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    return select_game(control, mode);
}

static const game_rules solo = {
    .modes = {MODES(solo_modes)},
    .minimal_actions = ACTION_BIT(FIRE) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT),
    .difficulties = 0x8,
    .step = step,
    .lives = LIVES_FLAG,
    .select_mode = solo_select_mode,
};

static const game_rules multi = {
    .modes = {MODES(one_player_modes), MODES(two_player_modes)},
    .minimal_actions = ACTION_BIT(FIRE) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT),
    .difficulties = 0x8,
    .step = step,
    .lives = LIVES_ZERO,
    .select_mode = multi_select_mode,
};

const ale_game game_backgammon = {
    .name = "backgammon",
    .title = "Backgammon",
    .md5 = "8556b42aa05f94bc29ff39c39b11bff4",
    .paddle_max = 1000000,
    .solo = &solo,
    .multi = &multi,
};
