/* Space Invaders.
 *
 * The score as shown, four digits.  It rolls over: any fall of the score counts as a roll-over.  Two players
 * fight side by side and share their lives.
 *
 * In the multi-player rules lives are the spare ones, and -1 at the end. */
#include "game.h"

/* RAM */
enum { GAME_OVER = 24, LIVES = 73, MODE = 92 };
enum { FIRST_SCORE_HIGH = 102, SECOND_SCORE_HIGH = 103, FIRST_SCORE_LOW = 104, SECOND_SCORE_LOW = 105 };
enum { IS_GAME_OVER = 0x80, ROLL_OVER = 10000 };

static const uint16_t solo_modes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const uint16_t one_player_modes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static const uint16_t two_player_modes[] = {
    33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58,
    59, 60, 61, 62, 63, 64,
};

static void rolling_score_to(game_state *state, int player, int32_t score) {
    player_score_to(state, player, score);
    if (state->reward[player] < 0) state->reward[player] += ROLL_OVER;
}

static void solo_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    rolling_score_to(state, 0, bcd2(ram[FIRST_SCORE_LOW], ram[FIRST_SCORE_HIGH]));
    state->lives[0] = ram[LIVES];
    state->terminal = ram[GAME_OVER] & IS_GAME_OVER || ram[LIVES] == 0;
}

static void multi_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    solo_step(rules, state, memory);
    rolling_score_to(state, 1, bcd2(ram[SECOND_SCORE_LOW], ram[SECOND_SCORE_HIGH]));
    state->lives[0] = state->lives[1] = ram[LIVES] - 1;
}

static const game_rules solo = {
    .modes = {MODES(solo_modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE),
    .difficulties = 0x3,
    .step = solo_step,
    .select = {MODE, .frames = 2},
};

static const game_rules multi = {
    .modes = {MODES(one_player_modes), MODES_USUALLY(two_player_modes, 34)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE),
    .difficulties = 0x3,
    .step = multi_step,
    .lives = LIVES_RAW,
    .kept = 2,
    .select = {MODE, .frames = 2, .offset = -1}, /* the manual and these modes count from 1 */
};

const ale_game game_space_invaders = {
    .name = "space_invaders",
    .title = "Space Invaders",
    .md5 = "72ffbef6504b75e69ee1045af9075f66",
    .solo = &solo,
    .multi = &multi,
    .by_mode_less = 1,
};
