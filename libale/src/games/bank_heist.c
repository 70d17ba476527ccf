/* Bank Heist.
 *
 * The score as shown, six digits.  Lives are the spare cars: 0 while the last one is driven, until its death
 * countdown ends. */
#include "game.h"

/* RAM */
enum { MODE = 0, DEATH_COUNTDOWN = 78, LIVES = 85, SCORE_HIGH = 88, SCORE_MIDDLE = 89, SCORE_LOW = 90 };

static const uint16_t modes[] = {0, 4, 8, 12, 16, 20, 24, 28};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->lives[0] = ram[LIVES];
    state->terminal = ram[DEATH_COUNTDOWN] == 1 && state->lives[0] == 0;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0xF,
    .step = step,
    .score_range = 1000000,
    .select = {MODE, .frames = 1},
};

const ale_game game_bank_heist = {
    .name = "bank_heist",
    .title = "Bank Heist",
    .md5 = "00ce0bdd43aed84a983bef38fe7f5ee3",
    .solo = &solo,
};
