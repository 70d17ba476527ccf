/* Enduro.
 *
 * One point for each car passed; being passed takes one back.  There are 200 cars to pass on the first day, and
 * 300 on each later day.
 *
 * The cartridge counts days in decimal digits.  The originals read them as a binary number: each tenth day brings
 * 1,800 points for nothing, and the day after the 99th takes all points away.  With corrected_rules these rewards
 * are 0. */
#include "game.h"

enum { CARS_LOW = 43, CARS_HIGH = 44, DAY = 45, GAME_OVER = 47 }; /* RAM; the cars still to pass */
enum { FIRST_DAY_CARS = 200, LATER_DAY_CARS = 300 };
enum { MISREAD_DAYS = 6 }; /* from 0x09 to 0x10 */

static const uint16_t modes[] = {0};
static const uint8_t starting_actions[] = {ACTION_FIRE};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    int day = ram[DAY]; /* 0: not started */
    int32_t goal = FIRST_DAY_CARS + LATER_DAY_CARS * (day - 1);
    score_to(state, day == 0 ? 0 : goal - bcd2(ram[CARS_LOW], ram[CARS_HIGH]));
    state->terminal = ram[GAME_OVER] == 0xFF;
}

/* No frame has so many cars. */
static void correct(const game_rules *rules, game_state *state, const game_memory *memory, const int32_t *before) {
    if (state->reward[0] > LATER_DAY_CARS)
        state->reward[0] -= MISREAD_DAYS * LATER_DAY_CARS;
    else if (state->reward[0] < -LATER_DAY_CARS)
        state->reward[0] = 0;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(DOWN) | ACTION_BIT(DOWNRIGHT) | ACTION_BIT(DOWNLEFT) |
                       ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE),
    .difficulties = 0x1,
    STARTING_ACTIONS(starting_actions),
    .step = step,
    .correct = correct,
    .lives = LIVES_ZERO,
};

const ale_game game_enduro = {
    .name = "enduro",
    .title = "Enduro",
    .md5 = "94b92a882f6dbaa6993a46e2dcc58402",
    .solo = &solo,
};
