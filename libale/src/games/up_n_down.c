/* Up 'n Down.
 *
 * The score as shown, six digits.  With the right difficulty switch at A the game has three lives, not
 * five. */
#include "game.h"

enum { SCORE_HIGH = 0, SCORE_MIDDLE = 1, SCORE_LOW = 2, LIVES = 6, PHASE = 20 }; /* RAM */
enum { LAST_PHASE_OF_PLAY = 0x40 };

static const uint16_t modes[] = {0};
static const uint8_t starting_actions[] = {ACTION_FIRE};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    int spare = ram[LIVES] & 15;
    state->lives[0] = spare + 1;
    state->terminal = spare == 0 && ram[PHASE] > LAST_PHASE_OF_PLAY;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(DOWN) |
                       ACTION_BIT(UPFIRE) | ACTION_BIT(DOWNFIRE),
    .difficulties = 0xF,
    STARTING_ACTIONS(starting_actions),
    .step = step,
    .score_range = 1000000,
};

const ale_game game_up_n_down = {
    .name = "up_n_down",
    .title = "Up 'n Down",
    .md5 = "a499d720e7ee35c62424de882a3351b6",
    .solo = &solo,
};
