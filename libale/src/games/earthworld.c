/* Swordquest: Earthworld.
 *
 * One point for each clue found; the tenth ends the game. */
#include "game.h"

enum { CLUES = 39 }; /* RAM */

static const uint16_t modes[] = {0};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd(ram[CLUES]));
    state->terminal = state->score[0] == 10;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    .step = step,
    .lives = LIVES_FLAG,
};

const ale_game game_earthworld = {
    .name = "earthworld",
    .title = "Swordquest: Earthworld",
    .md5 = "5aea9974b975a6a844e6df10d2b861c4",
    .solo = &solo,
};
