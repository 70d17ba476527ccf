/* Combat.
 *
 * The lead in hits, so what one player wins the other loses.  The game ends when the clock runs out, or at
 * 99. */
#include "game.h"

enum { FIRST_PLANES = 15 }; /* modes */
enum { MODE = 0, CLOCK = 8, FIRST_SCORE = 33, SECOND_SCORE = 34 }; /* RAM */

static const uint16_t two_player_modes[] = {
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    int32_t first = bcd(ram[FIRST_SCORE]), second = bcd(ram[SECOND_SCORE]);
    player_score_to(state, 0, first - second);
    player_score_to(state, 1, second - first);
    state->terminal = first == 99 || second == 99 || ram[CLOCK] == 0;
}

/* Tanks face each other; planes begin above one another. */
static game_sides sides(int mode) {
    return (game_sides){.mirrored = mode < FIRST_PLANES ? SECOND_MIRRORED : 0, .turned = true};
}

static const game_rules multi = {
    .modes = {[1] = MODES_USUALLY(two_player_modes, 9)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0xF,
    .step = step,
    .lives = LIVES_ZERO,
    .select = {MODE, .frames = 1, .offset = -1},
    .sides = sides,
};

const ale_game game_combat = {
    .name = "combat",
    .title = "Combat",
    .md5 = "0ef64cdbecccb7049752a3de0b7ade14",
    .multi = &multi,
};
