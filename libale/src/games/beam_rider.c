/* Beam Rider.
 *
 * The score as shown, six digits.
 *
 * The lives byte blinks while a ship explodes, so that the loss of one life counts only when the byte is
 * known to be steady. */
#include "game.h"

enum { LIVES = 5, SCORE_LOW = 9, SCORE_MIDDLE = 10, SCORE_HIGH = 11, LIVES_STEADY = 12 }; /* RAM */
enum { FIRST_LIVES = 3 };

static const uint16_t modes[] = {0};
static const uint8_t starting_actions[] = {ACTION_RIGHT};

static void reset(const game_rules *rules, game_state *state, const game_memory *memory) {
    state->lives[0] = FIRST_LIVES;
}

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    int32_t shown = ram[LIVES] + 1;
    if (shown != state->lives[0] - 1 || ram[LIVES_STEADY] == 1) state->lives[0] = shown;
    state->terminal = ram[LIVES] == 0xFF;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) |
                       ACTION_BIT(LEFT) | ACTION_BIT(UPRIGHT) | ACTION_BIT(UPLEFT) | ACTION_BIT(RIGHTFIRE) |
                       ACTION_BIT(LEFTFIRE),
    .difficulties = 0x3,
    STARTING_ACTIONS(starting_actions),
    .reset = reset,
    .step = step,
};

const ale_game game_beam_rider = {
    .name = "beam_rider",
    .title = "Beam Rider",
    .md5 = "79ab4123a83dc11d468fb2108ea09e2e",
    .solo = &solo,
};
