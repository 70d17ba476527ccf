/* Krull.
 *
 * The score as shown, six digits.  The spare lives may stay at 0 for long, so the end is read off two more
 * bytes. */
#include "game.h"

/* RAM */
enum { STATUS = 0, SCORE_HIGH = 28, SCORE_MIDDLE = 29, SCORE_LOW = 30, SPARE_LIVES = 31, PHASE = 34 };
enum { STATUS_OVER = 0x80, LAST_PHASE = 3 };

static const uint16_t modes[] = {0};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->lives[0] = (ram[SPARE_LIVES] & 7) + 1;
    state->terminal = ram[SPARE_LIVES] == 0 && ram[PHASE] == LAST_PHASE && ram[STATUS] == STATUS_OVER;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    .step = step,
    .score_range = 1000000,
};

const ale_game game_krull = {
    .name = "krull",
    .title = "Krull",
    .md5 = "4baada22435320d185c95b7dd2bcdb24",
    .solo = &solo,
};
