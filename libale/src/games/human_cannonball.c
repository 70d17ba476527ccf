/* Human Cannonball.
 *
 * One point for each hit.  The game ends with seven hits or seven misses.  Two players take turns; their game
 * ends with seven hits of the second player, or with seven hits of the first and a last shot of the second.
 *
 * Before a game starts, the cartridge shows the game number and the number of players in their places. */
#include "game.h"

enum { GAME_OVER = 23, HITS = 54, GAME_NUMBER = 54, MISSES = 55, SECOND_HITS = 55, PLAYERS = 55 }; /* RAM */
enum { GOAL = 7 };

static const uint16_t modes[] = {0, 1, 2, 3, 4, 5, 6, 7};
static const uint16_t two_player_modes[] = {
    MODE_FOR(2, 0), MODE_FOR(2, 1), MODE_FOR(2, 2), MODE_FOR(2, 3),
    MODE_FOR(2, 4), MODE_FOR(2, 5), MODE_FOR(2, 6), MODE_FOR(2, 7),
};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd(ram[HITS]));
    state->terminal = state->score[0] == GOAL || bcd(ram[MISSES]) == GOAL;
    if (state->players == 1) return;
    player_score_to(state, 1, bcd(ram[SECOND_HITS]));
    state->terminal = ram[GAME_OVER] == 1;
}

static bool select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    const uint8_t *ram = control_memory(control)->ram;
    while (ram[GAME_NUMBER] != cartridge_mode(mode) + 1 || ram[PLAYERS] != state->players)
        if (!control_press_select(control, 2)) return false;
    control_soft_reset(control);
    return true;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x3,
    .step = step,
    .lives = LIVES_FLAG,
    .select_mode = select_mode,
};

static const game_rules multi = {
    .modes = {MODES(modes), MODES(two_player_modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x3,
    .step = step,
    .lives = LIVES_FLAG,
    .select_mode = select_mode,
};

const ale_game game_human_cannonball = {
    .name = "human_cannonball",
    .title = "Human Cannonball",
    .md5 = "7972e5101fa548b952d852db24ad6060",
    .solo = &solo,
    .multi = &multi,
};
