/* Tetris 2600.
 *
 * The score as shown, four digits; no reward is ever negative.  After the end the score counts from zero
 * again.
 *
 * In the originals the points that pass 9999 are lost, because the score falls; corrected_rules rewards them. */
#include "game.h"

enum { SCORE_LOW = 113, SCORE_HIGH = 114, GAME_OVER = 115 }; /* RAM */
enum { IS_GAME_OVER = 0x80 };

static const uint16_t modes[] = {0};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd2(ram[SCORE_LOW], ram[SCORE_HIGH]));
    if (state->reward[0] < 0) state->reward[0] = 0;
    state->terminal = ram[GAME_OVER] & IS_GAME_OVER;
    if (state->terminal) state->score[0] = 0;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(DOWN),
    .difficulties = 0x1,
    .step = step,
    .score_range = 10000,
    .lives = LIVES_ZERO,
};

const ale_game game_tetris = {
    .name = "tetris",
    .title = "Tetris 2600",
    .md5 = "b0e1ee07fbc73493eac5651a52f90f00",
    .solo = &solo,
};
