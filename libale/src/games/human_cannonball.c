/* Human Cannonball.
 *
 * One point for each hit.  The game ends with seven hits or seven misses.
 *
 * Before a game starts, the cartridge shows the game number and the number of players in their places. */
#include "game.h"

enum { HITS = 54, GAME_NUMBER = 54, MISSES = 55, PLAYERS = 55 }; /* RAM */
enum { GOAL = 7 };

static const uint16_t modes[] = {0, 1, 2, 3, 4, 5, 6, 7};

static void step(game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd(ram[HITS]));
    state->terminal = state->score[0] == GOAL || bcd(ram[MISSES]) == GOAL;
}

static bool select_mode(game_state *state, game_control *control, int mode) {
    const uint8_t *ram = control_memory(control)->ram;
    while (ram[GAME_NUMBER] != mode + 1 || ram[PLAYERS] != 1)
        if (!control_press_select(control, 2)) return false;
    control_soft_reset(control);
    return true;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x3,
    .step = step,
    .lives = lives_flag,
    .select_mode = select_mode,
};

const ale_game game_human_cannonball = {
    .name = "human_cannonball",
    .title = "Human Cannonball",
    .md5 = "7972e5101fa548b952d852db24ad6060",
    .solo = &solo,
};
