/* Klax.
 *
 * The score as shown, six digits, which lies in the cartridge's RAM.  The game ends with the last tile that
 * may be dropped, with a full bin, or at wave 99. */
#include "game.h"

/* console RAM */
enum { PHASE = 40, BIN = 51, BIN_END = 76 };
/* cartridge RAM */
enum { WAVE = 29, SCORE_LOW = 52, SCORE_MIDDLE = 53, SCORE_HIGH = 54 };
enum { MAX_DROPS = 105, MODE = 106, DROPS = 110 };
enum { PLAYING = 4, LAST_WAVE = 0x99 };

static const uint16_t modes[] = {0, 1, 2};
static const uint8_t starting_actions[] = {ACTION_FIRE, ACTION_NOOP};

/* Pictures of an empty place. */
static bool is_empty(uint8_t place) {
    return place == 0 || place == 2 || place == 6 || place == 10 || place == 14;
}

static bool is_bin_full(const uint8_t *ram) {
    for (int i = BIN; i < BIN_END; i++)
        if (is_empty(ram[i])) return false;
    return true;
}

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram, *cart = memory->cart_ram;
    if (!cart) return; /* another image under this game's name */
    score_to(state, bcd3(cart[SCORE_LOW], cart[SCORE_MIDDLE], cart[SCORE_HIGH]));
    bool dropped_all = cart[MAX_DROPS] > 0 && cart[DROPS] == cart[MAX_DROPS];
    bool bin_full = ram[PHASE] == PLAYING && is_bin_full(ram);
    state->terminal = dropped_all || bin_full || cart[WAVE] == LAST_WAVE;
}

static bool select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    const uint8_t *cart = control_memory(control)->cart_ram;
    if (!cart) return false;
    while (cart[MODE] != mode)
        if (!control_press_select(control, 2)) return false;
    control_soft_reset(control);
    return true;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    STARTING_ACTIONS(starting_actions),
    .step = step,
    .score_range = 1000000,
    .lives = LIVES_FLAG,
    .select_mode = select_mode,
};

const ale_game game_klax = {
    .name = "klax",
    .title = "Klax",
    .md5 = "eed9eaf1a0b6a2b9bc4c8032cb43e3fb",
    .solo = &solo,
};
