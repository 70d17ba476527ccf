/* Miniature Golf.
 *
 * Par minus strokes at the end of each hole, so usually negative; the game ends after the last one.
 *
 * The cartridge shows the strokes of the whole round, in two digits, and between holes a hole's number and
 * its par in the same place.  When the strokes roll over, 99 are carried, so such a hole counts one stroke
 * too few.  The end stands until the next reset. */
#include "game.h"

/* RAM; LEFT and RIGHT are the numbers at the top of the screen */
enum { LEFT = 7, RIGHT = 8, HOLE_NUMBER = 47 };
/* state->var; strokes of the round: SHOWN at last, SHOWN_AT_TEE when the hole began, CARRIED on roll-over */
enum { HOLE, PAR, SHOWN, SHOWN_AT_TEE, CARRIED, VARIABLES };

static const uint16_t modes[] = {0};

static void reset(const game_rules *rules, game_state *state, const game_memory *memory) {
    for (int i = 0; i < VARIABLES; i++) state->var[i] = 0;
}

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    int32_t left = bcd(ram[LEFT]), right = bcd(ram[RIGHT]), hole = bcd(ram[HOLE_NUMBER]);
    int32_t *var = state->var;
    state->reward[0] = 0;
    if (hole != var[HOLE]) {
        int32_t strokes = var[SHOWN] - var[SHOWN_AT_TEE] + var[CARRIED];
        if (strokes > 0) state->reward[0] = var[PAR] - strokes;
        if (hole == 0) state->terminal = true;
        var[HOLE] = hole;
        var[SHOWN_AT_TEE] = var[SHOWN];
        var[CARRIED] = 0;
    }
    bool between_holes = right != 0;
    if (between_holes) {
        var[PAR] = right;
    } else {
        if (left < var[SHOWN]) var[CARRIED] += var[SHOWN];
        var[SHOWN] = left;
    }
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x3,
    .reset = reset,
    .step = step,
    .variables = VARIABLES,
    .lives = LIVES_FLAG,
};

const ale_game game_miniature_golf = {
    .name = "miniature_golf",
    .title = "Miniature Golf",
    .md5 = "df62a658496ac98a3aa4a6ee5719c251",
    .solo = &solo,
};
