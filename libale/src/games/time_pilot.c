/* Time Pilot.
 *
 * The score as shown, in hundreds.  Lives are read in one phase of the game only. */
#include "game.h"

enum { PHASE = 0, LIVES = 11, SCORE_LOW = 13, SCORE_HIGH = 15, GAME_OVER = 32 }; /* RAM */
enum { PHASE_LIVES_SHOWN = 2, FIRST_LIVES = 5 };

static const uint16_t modes[] = {0};

static void reset(const game_rules *rules, game_state *state, const game_memory *memory) {
    state->lives[0] = FIRST_LIVES;
}

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, 100 * bcd2(ram[SCORE_LOW], ram[SCORE_HIGH]));
    if ((ram[PHASE] & 15) == PHASE_LIVES_SHOWN) state->lives[0] = (ram[LIVES] & 7) + 1;
    state->terminal = ram[GAME_OVER] != 0;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) |
                       ACTION_BIT(LEFT) | ACTION_BIT(DOWN) | ACTION_BIT(UPFIRE) | ACTION_BIT(RIGHTFIRE) |
                       ACTION_BIT(LEFTFIRE) | ACTION_BIT(DOWNFIRE),
    .difficulties = 0x7,
    .reset = reset,
    .step = step,
    .score_range = 1000000,
};

const ale_game game_time_pilot = {
    .name = "time_pilot",
    .title = "Time Pilot",
    .md5 = "fc2104dd2dadf9a6176c1c1c8f87ced9",
    .solo = &solo,
};
