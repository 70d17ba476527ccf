/* Joust.
 *
 * The score as shown, six digits.  The game ends at 990000, or when all players are out.  Lives are the
 * mounts in reserve, and -1 for a player who is out. */
#include "game.h"

/* RAM; the second player's bytes follow the first's */
enum { LIVES = 1, SCORE_HIGH = 3, SCORE_MIDDLE = 5, SCORE_LOW = 7, MODE = 120 };
enum { FULL = 990000, OUT = -1 };

static const uint16_t one_player_modes[] = {0, 2};
static const uint16_t two_player_modes[] = {1, 3};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    for (int p = 0; p < 2; p++) {
        player_score_to(state, p, bcd3(ram[SCORE_LOW + p], ram[SCORE_MIDDLE + p], ram[SCORE_HIGH + p]));
        state->lives[p] = (int8_t)ram[LIVES + p];
    }
    bool alone = state->players == 1;
    bool full = state->score[0] >= FULL || (!alone && state->score[1] >= FULL);
    bool all_out = state->lives[0] == OUT && (alone || state->lives[1] == OUT);
    state->terminal = full || all_out;
}

static bool select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    const uint8_t *ram = control_memory(control)->ram;
    while ((ram[MODE] & 3) != mode)
        if (!control_press_select(control, 1)) return false;
    control_soft_reset(control);
    return true;
}

/* The first knight begins on the left, the second on the right. */
static game_sides sides(int mode) {
    (void)mode;
    return (game_sides){.mirrored = SECOND_MIRRORED, .turned = true};
}

static const game_rules multi = {
    .modes = {MODES(one_player_modes), MODES(two_player_modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    .step = step,
    .lives = LIVES_RAW,
    .kept = 2,
    .select_mode = select_mode,
    .sides = sides,
};

const ale_game game_joust = {
    .name = "joust",
    .title = "Joust",
    .md5 = "3276c777cbe97cdd2b4a63ffc16b7151",
    .multi = &multi,
};
