/* Blackjack.
 *
 * The chips as shown, 200 at the start; the game ends at 1000 or when the cartridge shows that they are
 * gone. */
#include "game.h"

enum { CHIPS_HIGH = 6, CHIPS_LOW = 9 }; /* RAM */

static const uint16_t modes[] = {0};

static void step(game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    bool bust = ram[CHIPS_HIGH] == 0x0B && ram[CHIPS_LOW] == 0xBB; /* a picture, no number */
    int32_t chips = bust ? 0 : bcd2(ram[CHIPS_LOW], ram[CHIPS_HIGH]);
    score_to(state, chips);
    state->terminal = bust || chips >= 1000;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(DOWN),
    .difficulties = 0xF,
    .step = step,
    .lives = lives_flag,
};

const ale_game game_blackjack = {
    .name = "blackjack",
    .title = "Blackjack",
    .md5 = "0a981c03204ac2b278ba392674682560",
    .paddle_max = 795000,
    .solo = &solo,
};
