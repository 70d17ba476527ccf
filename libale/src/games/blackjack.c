/* Blackjack.
 *
 * The chips as shown, 200 at the start; the game ends at 1000 or when the cartridge shows that they are
 * gone.  Of two players one may be out and the other play on. */
#include "game.h"

enum { CHIPS_HIGH = 6, CHIPS_LOW = 9 }; /* RAM; one for each of three seats */
enum { NO_CHIPS_HIGH = 0x0B, NO_CHIPS_LOW = 0xBB }; /* a picture, no number */
enum { OUT = -1 };

static const uint16_t modes[] = {0};
static const uint16_t two_player_modes[] = {MODE_FOR(2, 0)};

static bool is_empty(const uint8_t *ram, int seat) {
    return ram[CHIPS_HIGH + seat] == NO_CHIPS_HIGH && ram[CHIPS_LOW + seat] == NO_CHIPS_LOW;
}

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    bool all_out = true, broke_the_bank = false;
    for (int p = 0; p < state->players; p++) {
        bool out = is_empty(ram, p);
        int32_t chips = out ? 0 : bcd2(ram[CHIPS_LOW + p], ram[CHIPS_HIGH + p]);
        player_score_to(state, p, chips);
        state->lives[p] = out && state->players > 1 ? OUT : 0;
        all_out = all_out && out;
        broke_the_bank = broke_the_bank || chips >= 1000;
    }
    state->terminal = all_out || broke_the_bank;
}

/* SELECT goes through all companies at the table. */
static bool multi_select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    const uint8_t *ram = control_memory(control)->ram;
    (void)mode;
    if (state->players == 1) return true;
    while (is_empty(ram, 0) || is_empty(ram, 1) || !is_empty(ram, 2))
        if (!control_press_select(control, 2)) return false;
    control_soft_reset(control);
    return true;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(DOWN),
    .difficulties = 0xF,
    .step = step,
    .lives = LIVES_FLAG,
};

static const game_rules multi = {
    .modes = {MODES(modes), MODES(two_player_modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(DOWN),
    .difficulties = 0xF,
    .step = step,
    .lives = LIVES_RAW,
    .select_mode = multi_select_mode,
};

const ale_game game_blackjack = {
    .name = "blackjack",
    .title = "Blackjack",
    .md5 = "0a981c03204ac2b278ba392674682560",
    .paddle_max = 795000,
    .solo = &solo,
    .multi = &multi,
};
