/* Atlantis II.
 *
 * The score as shown, six digits.  Lives are the buildings left, 0 for the last one.
 *
 * Its score is not kept in the order of Atlantis's, and not in hundreds. */
#include "game.h"

enum { SCORE_LOW = 33, SCORE_MIDDLE = 34, SCORE_HIGH = 35, LIVES = 113 }; /* RAM */

static const uint16_t modes[] = {0};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    state->lives[0] = ram[LIVES];
    state->terminal = ram[LIVES] == 0xFF;
    if (state->terminal)
        state->reward[0] = 0;
    else
        score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE),
    .difficulties = 0x1,
    .step = step,
    .score_range = 1000000,
};

const ale_game game_atlantis2 = {
    .name = "atlantis2",
    .title = "Atlantis II",
    .md5 = "826481f6fc53ea47c9f272f7050eedf7",
    .solo = &solo,
};
