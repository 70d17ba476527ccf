/* Quartet, the game that ships with this library: cartridges/quartet/quartet.asm, docs/quartet.md.
 *
 * The change of a byte that the cartridge keeps for each player: what the player has won minus what it has
 * lost.  The byte wraps around.  So all modes have one rule.  A player without lives is out. */
#include "game.h"

enum { MODE = 0, STATE = 3, POINTS = 20, LIVES = 28 }; /* RAM */
enum { OVER = 3 };                                     /* STATE */

static const uint16_t one_player_modes[] = {1, 3, 7, 11, 15};
static const uint16_t two_player_modes[] = {2, 4, 8, 12, 16};
static const uint16_t four_player_modes[] = {6, 10, 14, 18};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    for (int p = 0; p < GAME_MAX_PLAYERS; p++) {
        const int gained = (ram[POINTS + p] - state->score[p]) & 0xFF;
        player_score_to(state, p, state->score[p] + (gained < 0x80 ? gained : gained - 0x100));
        state->lives[p] = ram[LIVES + p] - 1;
    }
    state->terminal = ram[STATE] == OVER;
}

static bool select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    (void)state;
    return control_select_until(control, MODE, mode, 1);
}

#define PADDLE_ACTIONS                                                                              \
    (ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |                   \
     ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE))

static const game_rules solo = {
    .modes = {MODES(one_player_modes)},
    .minimal_actions = PADDLE_ACTIONS,
    .difficulties = 0x7,
    .step = step,
    .lives = LIVES_RAW,
    .kept = 4,
    .select_mode = select_mode,
};

/* Left against right; top and bottom see the picture as it is.  Paddles at the sides move up and down. */
static game_sides sides(int mode) {
    (void)mode;
    return (game_sides){.mirrored = SECOND_MIRRORED};
}

static const game_rules multi = {
    .modes = {MODES(one_player_modes), MODES(two_player_modes), [3] = MODES(four_player_modes)},
    .minimal_actions = PADDLE_ACTIONS,
    .difficulties = 0x7,
    .step = step,
    .lives = LIVES_RAW,
    .kept = 4,
    .select_mode = select_mode,
    .sides = sides,
};

const ale_game game_quartet = {
    .name = "quartet",
    .title = "Quartet",
    .md5 = "9e359ff090e6c3bee3430d2f7c8063e4",
    .solo = &solo,
    .multi = &multi,
};
