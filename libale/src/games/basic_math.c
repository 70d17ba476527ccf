/* Basic Math.
 *
 * One point for each right answer to ten questions.  The end is the screen that shows the final score, so
 * that the last point is still paid.
 *
 * At difficulty 0, some 8,060 frames without an action, the cartridge changes colors and reads only the switches any
 * more.  Episodes of the originals go on; corrected_rules ends them. */
#include "game.h"

enum { SCORE = 4, FINAL_SCORE_SHOWN = 6, STOPPED = 19, GAME_NUMBER = 69 }; /* RAM */
enum { FIRST_GAME = 5 }; /* mode 5 of the solo rules, mode 0 of the multi-player ones */

static const uint16_t solo_modes[] = {5, 6, 7, 8};
static const uint16_t multi_modes[] = {0, 1, 2, 3};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd(ram[SCORE]));
    state->terminal = ram[FINAL_SCORE_SHOWN] != 0;
}

static void correct(const game_rules *rules, game_state *state, const game_memory *memory, const int32_t *before) {
    if (memory->ram[STOPPED]) state->terminal = true;
}

static bool select_game(game_control *control, int game) {
    return control_select_until(control, GAME_NUMBER, game, 2);
}

static bool solo_select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    return select_game(control, mode);
}

static bool multi_select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    return select_game(control, FIRST_GAME + mode);
}

static const game_rules solo = {
    .modes = {MODES(solo_modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) |
                       ACTION_BIT(LEFT) | ACTION_BIT(DOWN),
    .difficulties = 0xD,
    .step = step,
    .correct = correct,
    .lives = LIVES_FLAG,
    .select_mode = solo_select_mode,
};

static const game_rules multi = {
    .modes = {MODES(multi_modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) |
                       ACTION_BIT(LEFT) | ACTION_BIT(DOWN),
    .difficulties = 0xD,
    .step = step,
    .correct = correct,
    .lives = LIVES_ZERO,
    .select_mode = multi_select_mode,
};

const ale_game game_basic_math = {
    .name = "basic_math",
    .title = "Basic Math",
    .md5 = "819aeeb9a2e11deb54e6de334f843894",
    .solo = &solo,
    .multi = &multi,
};
