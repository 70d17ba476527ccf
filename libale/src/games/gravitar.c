/* Gravitar.
 *
 * The score as shown, six digits.  Lives at the start: 6, in mode 1 15, in mode 3 100, in mode 4 25. */
#include "game.h"

/* RAM */
enum { MODE = 0, SCREEN = 1, SPARE_LIVES = 4, SCORE_HIGH = 7, SCORE_MIDDLE = 8, SCORE_LOW = 9 };
enum { START_SCREEN = 0, GAME_OVER_SCREEN = 1, START_SCREEN_LIVES = 6 };

static const uint16_t modes[] = {0, 1, 2, 3, 4};
static const uint8_t starting_actions[] = {
    ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE,
    ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE, ACTION_FIRE,
};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->lives[0] = ram[SCREEN] == START_SCREEN ? START_SCREEN_LIVES : ram[SPARE_LIVES] + 1;
    state->terminal = ram[SCREEN] == GAME_OVER_SCREEN;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x1,
    STARTING_ACTIONS(starting_actions),
    .step = step,
    .score_range = 1000000,
    .select = {MODE, .frames = 10},
};

const ale_game game_gravitar = {
    .name = "gravitar",
    .title = "Gravitar",
    .md5 = "8ac18076d01a6b63acf6e2cab4968940",
    .solo = &solo,
};
