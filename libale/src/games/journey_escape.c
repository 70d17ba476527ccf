/* Journey Escape.
 *
 * The cash as shown, six digits; most rewards are losses.  The game ends with the clock.
 *
 * The 50000 that the band starts with are no reward. */
#include "game.h"

enum { CASH_HIGH = 16, CASH_MIDDLE = 17, CASH_LOW = 18, MINUTES = 21, SECONDS = 22 }; /* RAM */
enum { STARTING_CASH = 50000 };

static const uint16_t modes[] = {0};
static const uint8_t starting_actions[] = {ACTION_FIRE};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[CASH_LOW], ram[CASH_MIDDLE], ram[CASH_HIGH]));
    if (state->reward[0] == STARTING_CASH) state->reward[0] = 0;
    state->terminal = ram[MINUTES] == 0 && ram[SECONDS] == 0;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(DOWN) | ACTION_BIT(UPRIGHT) | ACTION_BIT(UPLEFT) | ACTION_BIT(DOWNRIGHT) |
                       ACTION_BIT(DOWNLEFT) | ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE) |
                       ACTION_BIT(DOWNFIRE) | ACTION_BIT(UPRIGHTFIRE) | ACTION_BIT(UPLEFTFIRE) |
                       ACTION_BIT(DOWNRIGHTFIRE) | ACTION_BIT(DOWNLEFTFIRE),
    .difficulties = 0x3,
    STARTING_ACTIONS(starting_actions),
    .step = step,
    .lives = LIVES_ZERO,
};

const ale_game game_journey_escape = {
    .name = "journey_escape",
    .title = "Journey Escape",
    .md5 = "718ae62c70af4e5fd8e932fee216948a",
    .solo = &solo,
};
