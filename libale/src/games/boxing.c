/* Boxing.
 *
 * The lead in punches, so a reward is negative for the player who is hit.  The bout ends with a knockout, at
 * 100 punches, or after two minutes. */
#include "game.h"

enum { MINUTES = 16, SECONDS = 17, FIRST_SCORE = 18, SECOND_SCORE = 19 }; /* RAM */
enum { MODE = FIRST_SCORE }; /* the game number is shown in the score's place */
enum { KNOCKOUT = 100, KNOCKOUT_SHOWN = 0xC0 };

static const uint16_t solo_modes[] = {0};
static const uint16_t one_player_modes[] = {1};
static const uint16_t two_player_modes[] = {2};

static int32_t punches(uint8_t shown) { return shown == KNOCKOUT_SHOWN ? KNOCKOUT : bcd(shown); }

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    int32_t first = punches(ram[FIRST_SCORE]), second = punches(ram[SECOND_SCORE]);
    player_score_to(state, 0, first - second);
    player_score_to(state, 1, second - first);
    bool time_out = ram[MINUTES] >> 4 == 0 && ram[SECONDS] == 0;
    state->terminal = first == KNOCKOUT || second == KNOCKOUT || time_out;
}

static const game_rules solo = {
    .modes = {MODES(solo_modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0xF,
    .step = step,
    .lives = LIVES_ZERO,
    .kept = 2,
};

/* White begins on the left, black on the right. */
static game_sides sides(int mode) {
    (void)mode;
    return (game_sides){.mirrored = SECOND_MIRRORED, .turned = true};
}

static const game_rules multi = {
    .modes = {MODES(one_player_modes), MODES(two_player_modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0xF,
    .step = step,
    .lives = LIVES_ZERO,
    .kept = 2,
    .select = {MODE, .frames = 1},
    .sides = sides,
};

const ale_game game_boxing = {
    .name = "boxing",
    .title = "Boxing",
    .md5 = "c3ef5c4653212088eda54dc91d787870",
    .solo = &solo,
    .multi = &multi,
};
