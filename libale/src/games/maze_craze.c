/* Maze Craze.
 *
 * Plus one for the player who leaves the maze first and minus one for the other; minus one for being caught.
 * The game ends when somebody leaves, which is the survivor's point if the other has been caught, or when
 * nobody is alive.
 *
 * A player caught has -1 lives until the next reset, else 0.  If both leave in the same frame, the game goes
 * on.
 *
 * The cartridge draws its maze from what RAM and timer hold at the start, so it depends on the seed and
 * changes with each reset. */
#include "game.h"

enum { MODE = 61, STATUS = 106, EXIT = 108 }; /* RAM; the second player's bytes follow the first's */
enum { CAUGHT = 0x40, LEFT = 0xFF, DEAD = -1 };

static const uint16_t two_player_modes[] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
    28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53,
    54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    for (int p = 0; p < 2; p++) {
        bool dies = state->lives[p] != DEAD && ram[STATUS + p] & CAUGHT;
        state->reward[p] = dies ? -1 : 0;
        if (dies) state->lives[p] = DEAD;
    }
    bool first_dead = state->lives[0] == DEAD, second_dead = state->lives[1] == DEAD;
    int lead = (ram[EXIT] == LEFT) - (ram[EXIT + 1] == LEFT);
    state->terminal = lead != 0 || (first_dead && second_dead);
    if (lead == 0) return;
    if (first_dead) {
        state->reward[1] = 1;
    } else if (second_dead) {
        state->reward[0] = 1;
    } else {
        state->reward[0] = lead;
        state->reward[1] = -lead;
    }
}

static const game_rules multi = {
    .modes = {[1] = MODES_USUALLY(two_player_modes, 4)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    .step = step,
    .lives = LIVES_RAW,
    .select = {MODE, .frames = 2},
};

const ale_game game_maze_craze = {
    .name = "maze_craze",
    .title = "Maze Craze",
    .md5 = "ed2218b3075d15eaa34e3356025ccca3",
    .multi = &multi,
};
