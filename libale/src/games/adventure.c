/* Adventure.
 *
 * One point for bringing the chalice home to the yellow castle, which ends the game.  Being eaten ends the
 * game without a point.
 *
 * The reference never takes the point back before the next reset, and always reports one life.
 *
 * In mode 2 the cartridge places the objects by its frame counter, so SELECT is held for a random time. */
#include "game.h"

enum { PLACE_OF_CHALICE = 57, MODE = 93, PLAYER = 96 }; /* RAM */
enum { YELLOW_CASTLE = 0x12, EATEN = 2 };

static const uint16_t modes[] = {0, 1, 2};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    bool home = ram[PLACE_OF_CHALICE] == YELLOW_CASTLE;
    if (home) state->reward[0] = 1;
    state->terminal = home || ram[PLAYER] == EATEN;
}

static bool select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    const uint8_t *ram = control_memory(control)->ram;
    while ((ram[MODE] >> 1 & 3) != mode) {
        int frames = 2 + (int)(control_random(control) % 256);
        if (!control_press_select(control, frames)) return false;
        control_act(control, ACTION_NOOP); /* the cartridge debounces its switch */
    }
    control_soft_reset(control);
    return true;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0xF,
    .step = step,
    .lives = LIVES_ONE,
    .select_mode = select_mode,
};

const ale_game game_adventure = {
    .name = "adventure",
    .title = "Adventure",
    .md5 = "4b27f5397c442d25f0c418ccdacf1926",
    .solo = &solo,
};
