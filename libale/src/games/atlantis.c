/* Atlantis.
 *
 * The score as shown, in hundreds.  Lives are the buildings left, 0 for the last one.  Two players defend one
 * city, and both get what either scores.
 *
 * When the game ends, the cartridge overwrites its score with garbage, which is ignored. */
#include "game.h"

enum { MODE = 13, SCORE_HIGH = 33, SCORE_LOW = 34, SCORE_MIDDLE = 35, LIVES = 113 }; /* RAM */

static const uint16_t modes[] = {0, 1, 2, 3};
static const uint16_t two_player_modes[] = {MODE_FOR(2, 2)};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    state->terminal = ram[LIVES] == 0xFF;
    for (int p = 0; p < state->players; p++) {
        state->lives[p] = ram[LIVES];
        if (state->terminal)
            state->reward[p] = 0;
        else
            player_score_to(state, p, 100 * bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    }
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE),
    .difficulties = 0x1,
    .step = step,
    .score_range = 100000000,
    .select = {MODE, .frames = 2},
};

static const game_rules multi = {
    .modes = {MODES(modes), MODES(two_player_modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE),
    .difficulties = 0x1,
    .step = step,
    .score_range = 100000000,
    .select = {MODE, .frames = 2},
};

const ale_game game_atlantis = {
    .name = "atlantis",
    .title = "Atlantis",
    .md5 = "9ad36e699ef6f45d9eb6c4cf90475c9f",
    .solo = &solo,
    .multi = &multi,
};
