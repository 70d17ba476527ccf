/* Surround.
 *
 * The lead in points.  The game ends at ten points. */
#include "game.h"

enum { OTHER_SCORE = 118, OWN_SCORE = 119, MODE = 121 }; /* RAM */
enum { WINNING_SCORE = 10 };

static const uint16_t solo_modes[] = {0, 2};
static const uint16_t one_player_modes[] = {2, 4};
static const uint16_t two_player_modes[] = {1, 5, 6, 7, 8, 9, 10, 11, 12};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    int32_t own = bcd(ram[OWN_SCORE]), other = bcd(ram[OTHER_SCORE]);
    player_score_to(state, 0, own - other);
    player_score_to(state, 1, other - own);
    state->terminal = own == WINNING_SCORE || other == WINNING_SCORE;
}

static bool select_variation(game_control *control, int variation) {
    return control_select_until(control, MODE, variation, 2);
}

/* Mode 0, the first for one player, is the cartridge's second variation. */
static bool solo_select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    return select_variation(control, mode + 1);
}

/* As the manual counts, from 1. */
static bool multi_select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    return select_variation(control, mode - 1);
}

static const game_rules solo = {
    .modes = {MODES(solo_modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(DOWN),
    .difficulties = 0xF,
    .step = step,
    .lives = LIVES_FLAG,
    .kept = 2,
    .select_mode = solo_select_mode,
};

/* The first player begins on the right, the second on the left. */
static game_sides sides(int mode) {
    (void)mode;
    return (game_sides){.mirrored = SECOND_MIRRORED, .turned = true};
}

static const game_rules multi = {
    .modes = {MODES(one_player_modes), MODES(two_player_modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(DOWN),
    .difficulties = 0xF,
    .step = step,
    .lives = LIVES_ZERO,
    .kept = 2,
    .select_mode = multi_select_mode,
    .sides = sides,
};

const ale_game game_surround = {
    .name = "surround",
    .title = "Surround",
    .md5 = "4d7517ae69f95cfbc053be01312b7dba",
    .solo = &solo,
    .multi = &multi,
};
