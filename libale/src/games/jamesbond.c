/* James Bond.
 *
 * The score as shown, six digits.  The game ends in the frames that show the death of the last life; later
 * the cartridge is back on its welcome screen. */
#include "game.h"

/* RAM; the mode's byte tells later how the game stands */
enum { SPARE_LIVES = 6, MODE = 12, PHASE = 12, SCORE_LOW = 92, SCORE_MIDDLE = 93, SCORE_HIGH = 94 };
enum { WELCOME = 0x48, LAST_DEATH = 0x68 };

static const uint16_t modes[] = {0, 1};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    int spare = ram[SPARE_LIVES] & 15;
    state->lives[0] = spare + 1;
    state->terminal = spare == 0 && ram[PHASE] == LAST_DEATH;
}

static bool select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    const uint8_t *ram = control_memory(control)->ram;
    while (ram[MODE] != mode && ram[MODE] != mode + WELCOME)
        if (!control_press_select(control, 20)) return false;
    control_soft_reset(control);
    return true;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    .step = step,
    .score_range = 1000000,
    .select_mode = select_mode,
};

const ale_game game_jamesbond = {
    .name = "jamesbond",
    .title = "James Bond",
    .md5 = "e51030251e440cffaab1ac63438b44ae",
    .solo = &solo,
};
