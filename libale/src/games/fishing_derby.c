/* Fishing Derby.
 *
 * The lead in pounds of fish, so a reward is negative for what the opponent catches.  The game ends when
 * somebody has exactly 99. */
#include "game.h"

enum { MODE = 0, FIRST_SCORE = 61, SECOND_SCORE = 62 }; /* RAM */
enum { FULL = 0x99 };

static const uint16_t solo_modes[] = {0};
static const uint16_t one_player_modes[] = {1};
static const uint16_t two_player_modes[] = {2};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    int32_t first = bcd(ram[FIRST_SCORE]), second = bcd(ram[SECOND_SCORE]);
    player_score_to(state, 0, first - second);
    player_score_to(state, 1, second - first);
    state->terminal = ram[FIRST_SCORE] == FULL || ram[SECOND_SCORE] == FULL;
}

static const game_rules solo = {
    .modes = {MODES(solo_modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0xF,
    .step = step,
    .lives = LIVES_ZERO,
    .kept = 2,
};

static const game_rules multi = {
    .modes = {MODES(one_player_modes), MODES(two_player_modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0xF,
    .step = step,
    .lives = LIVES_ZERO,
    .kept = 2,
    .select = {MODE, .frames = 1, .offset = -1},
};

const ale_game game_fishing_derby = {
    .name = "fishing_derby",
    .title = "Fishing Derby",
    .md5 = "b8865f05676e64f3bec72b9defdacfa7",
    .solo = &solo,
    .multi = &multi,
};
