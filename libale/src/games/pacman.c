/* Pac-Man.
 *
 * The score as shown, six digits.  The game ends at one particular frame of the death animation of the last
 * life.
 *
 * Before a game starts, the cartridge shows the game number in the place of the score's low digits. */
#include "game.h"

/* RAM */
enum {
    SPARE_LIVES = 24, SCORE_LOW = 76, GAME_NUMBER = 76, SCORE_MIDDLE = 78, SCORE_HIGH = 80,
    DEATH_TIMER = 100, TWO_PLAYERS = 102
};
enum { GAME_OVER = 0x3F };

static const uint16_t modes[] = {0, 1, 2, 3, 4, 5, 6, 7};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->lives[0] = ram[SPARE_LIVES] + 1;
    state->terminal = ram[SPARE_LIVES] == 0 && ram[DEATH_TIMER] == GAME_OVER;
}

static bool select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    const uint8_t *ram = control_memory(control)->ram;
    while (ram[GAME_NUMBER] != mode + 1 || ram[TWO_PLAYERS])
        if (!control_press_select(control, 2)) return false;
    control_soft_reset(control);
    return true;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(DOWN),
    .difficulties = 0x3,
    .step = step,
    .score_range = 1000000,
    .select_mode = select_mode,
};

const ale_game game_pacman = {
    .name = "pacman",
    .title = "Pac-Man",
    .md5 = "fc2233fc116faef0d3c31541717ca2db",
    .solo = &solo,
};
