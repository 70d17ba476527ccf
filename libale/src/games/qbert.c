/* Q*bert.
 *
 * The score as shown, six digits; points that come in the frame in which the game ends are not counted.
 *
 * Lives are counted down here, each time the cartridge's own count falls by one, which may be negative.
 * An extra life is not seen. */
#include "game.h"

enum { LIVES = 8, SCORE_HIGH = 89, SCORE_MIDDLE = 90, SCORE_LOW = 91 }; /* RAM */
enum { LIVES_BEFORE, VARIABLES }; /* state->var: the cartridge's count as of the latest step */
enum { FIRST_LIVES = 4, FIRST_COUNT = 2, ATTRACT_COUNT = 2, LAST_COUNT = -1, GAME_OVER_COUNT = -2 };

static const uint16_t modes[] = {0};

static void reset(const game_rules *rules, game_state *state, const game_memory *memory) {
    state->lives[0] = FIRST_LIVES;
    state->var[LIVES_BEFORE] = FIRST_COUNT;
}

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    int32_t before = state->var[LIVES_BEFORE], now = (int8_t)ram[LIVES];
    state->terminal = now == GAME_OVER_COUNT || (now == ATTRACT_COUNT && before == LAST_COUNT);
    if (now == before - 1) state->lives[0]--;
    state->var[LIVES_BEFORE] = now;
    if (state->terminal)
        state->reward[0] = 0;
    else
        score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) |
                       ACTION_BIT(LEFT) | ACTION_BIT(DOWN),
    .difficulties = 0x3,
    .reset = reset,
    .step = step,
    .score_range = 1000000,
    .variables = VARIABLES,
};

const ale_game game_qbert = {
    .name = "qbert",
    .title = "Q*bert",
    .md5 = "484b0076816a104875e00467d431c2d2",
    .solo = &solo,
};
