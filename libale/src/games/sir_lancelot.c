/* Sir Lancelot.
 *
 * The score as shown, six digits.  Lives are 0 while the last life is played.
 *
 * The originals recognise the end by a phase that points set, too.  So an episode may end in the middle of the last
 * life.  With corrected_rules it ends when that life is lost. */
#include "game.h"

enum { SCORE_HIGH = 30, SCORE_MIDDLE = 31, SCORE_LOW = 32, PHASE = 39, LIVES = 41 }; /* RAM */
enum { PHASE_GAME_OVER = 0xA0, NO_LIFE = 0xFF };

static const uint16_t modes[] = {0};
static const uint8_t starting_actions[] = {ACTION_RESET, ACTION_LEFT};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->lives[0] = ram[LIVES];
    state->terminal = ram[LIVES] == 0 && ram[PHASE] == PHASE_GAME_OVER;
}

static void correct(const game_rules *rules, game_state *state, const game_memory *memory, const int32_t *before) {
    state->terminal = memory->ram[LIVES] == NO_LIFE;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE),
    .difficulties = 0x1,
    STARTING_ACTIONS(starting_actions),
    .step = step,
    .score_range = 1000000,
    .correct = correct,
};

const ale_game game_sir_lancelot = {
    .name = "sir_lancelot",
    .title = "Sir Lancelot",
    .md5 = "dd0cbe5351551a538414fb9e37fc56e8",
    .solo = &solo,
};
