/* Bowling.
 *
 * The score as shown, three digits.  The end is the eleventh frame.  Two players bowl frame by frame. */
#include "game.h"

enum { MODE = 2, SCORE_LOW = 33, FRAME = 36, SCORE_HIGH = 38 }; /* RAM; of the scores one for each player */
enum { TENTH_FRAME = 0x10 };

static const uint16_t modes[] = {0, 2, 4};
static const uint16_t two_player_modes[] = {MODE_FOR(2, 1), MODE_FOR(2, 3), MODE_FOR(2, 5)};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    for (int p = 0; p < state->players; p++)
        player_score_to(state, p, bcd2(ram[SCORE_LOW + p], ram[SCORE_HIGH + p]));
    state->terminal = ram[FRAME] > TENTH_FRAME;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(DOWN) |
                       ACTION_BIT(UPFIRE) | ACTION_BIT(DOWNFIRE),
    .difficulties = 0x3,
    .step = step,
    .lives = LIVES_ZERO,
    .select = {MODE, .frames = 2},
};

static const game_rules multi = {
    .modes = {MODES(modes), MODES(two_player_modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(DOWN) |
                       ACTION_BIT(UPFIRE) | ACTION_BIT(DOWNFIRE),
    .difficulties = 0x3,
    .step = step,
    .lives = LIVES_ZERO,
    .select = {MODE, .frames = 2},
};

const ale_game game_bowling = {
    .name = "bowling",
    .title = "Bowling",
    .md5 = "c9b7afad3bfd922e006a6bfc1d4f3fe7",
    .solo = &solo,
    .multi = &multi,
};
