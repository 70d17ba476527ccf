/* Robot Tank.
 *
 * One point for each tank destroyed; the cartridge counts them in squadrons of twelve. */
#include "game.h"

enum { LIVES = 40, GAME_OVER = 52, TANKS = 53, SQUADRONS = 54 }; /* RAM */
enum { TANKS_PER_SQUADRON = 12, IS_GAME_OVER = 0xFF };

static const uint16_t modes[] = {0};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, ram[SQUADRONS] * TANKS_PER_SQUADRON + ram[TANKS]);
    state->lives[0] = (ram[LIVES] & 15) + 1;
    state->terminal = ram[LIVES] == 0 && ram[GAME_OVER] == IS_GAME_OVER;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    .step = step,
    .score_range = 256 * TANKS_PER_SQUADRON,
};

const ale_game game_robotank = {
    .name = "robotank",
    .title = "Robot Tank",
    .md5 = "4f618c2429138e0280969193ed6c107e",
    .solo = &solo,
};
