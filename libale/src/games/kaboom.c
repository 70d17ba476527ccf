/* Kaboom!
 *
 * The score as shown, six digits.  The game ends with the last bucket, or at 999999.  The buckets are not
 * reported as lives. */
#include "game.h"

enum { BUCKETS = 33, SCORE_HIGH = 35, SCORE_MIDDLE = 36, SCORE_LOW = 37 }; /* RAM */
enum { FULL = 999999 };

static const uint16_t modes[] = {0};
static const uint8_t starting_actions[] = {ACTION_FIRE};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->terminal = ram[BUCKETS] == 0 || state->score[0] == FULL;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT),
    .difficulties = 0x1,
    STARTING_ACTIONS(starting_actions),
    .step = step,
    .lives = LIVES_FLAG,
};

const ale_game game_kaboom = {
    .name = "kaboom",
    .title = "Kaboom!",
    .md5 = "5428cdfada281c569c74c7308c7f2c26",
    .solo = &solo,
};
