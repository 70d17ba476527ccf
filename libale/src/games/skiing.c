/* Skiing.
 *
 * The time on the clock, in hundredths of a second, is lost: each frame of a run costs 1 or 2.
 *
 * FIRE is illegal, alone and with any direction. */
#include "game.h"

enum { RUN_OVER = 17, MINUTES = 104, SECONDS = 105, HUNDREDTHS = 106 }; /* RAM */
enum { IS_RUN_OVER = 0xFF, HUNDREDTHS_PER_MINUTE = 6000 };

static const uint16_t modes[] = {0};
static const uint8_t starting_actions[] = {
    ACTION_DOWN, ACTION_DOWN, ACTION_DOWN, ACTION_DOWN, ACTION_DOWN, ACTION_DOWN, ACTION_DOWN, ACTION_DOWN,
    ACTION_DOWN, ACTION_DOWN, ACTION_DOWN, ACTION_DOWN, ACTION_DOWN, ACTION_DOWN, ACTION_DOWN, ACTION_DOWN,
};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, -(HUNDREDTHS_PER_MINUTE * ram[MINUTES] + bcd2(ram[HUNDREDTHS], ram[SECONDS])));
    state->terminal = ram[RUN_OVER] == IS_RUN_OVER;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT),
    .illegal_actions = ACTION_BIT(FIRE) | ACTION_BIT(UPFIRE) | ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE) |
                       ACTION_BIT(DOWNFIRE) | ACTION_BIT(UPRIGHTFIRE) | ACTION_BIT(UPLEFTFIRE) |
                       ACTION_BIT(DOWNRIGHTFIRE) | ACTION_BIT(DOWNLEFTFIRE),
    .difficulties = 0x1,
    STARTING_ACTIONS(starting_actions),
    .step = step,
    .lives = LIVES_ZERO,
};

const ale_game game_skiing = {
    .name = "skiing",
    .title = "Skiing",
    .md5 = "b76fbadc8ffb1f83e2ca08b6fb4d6c9f",
    .solo = &solo,
};
