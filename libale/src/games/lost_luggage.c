/* Lost Luggage.
 *
 * The score as shown, six digits.  The last life is lost long before the last fall has been played out.
 *
 * FIRE starts the game and is no legal action of play.  The multi-player rules call the two games by their
 * numbers, 1 and 4, which the cartridge shows in the score's place before a game starts; after RESET a 0
 * stands there. */
#include "game.h"

/* RAM */
enum {
    SCORE_HIGH = 20, GAME_NUMBER = 20, SCORE_MIDDLE = 21, SCORE_LOW = 22,
    FIRST_MOVING = 37, SECOND_MOVING = 41, FALL_COUNTDOWN = 72, LIVES = 74
};
enum { FALL_END = 10 };

#define WITHOUT_FIRE                                                                                    \
    (ACTION_BIT(NOOP) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) | ACTION_BIT(DOWN) |      \
     ACTION_BIT(UPRIGHT) | ACTION_BIT(UPLEFT) | ACTION_BIT(DOWNRIGHT) | ACTION_BIT(DOWNLEFT))

static const uint16_t solo_modes[] = {0, 1};
static const uint16_t multi_modes[] = {1, 4};
static const uint8_t starting_actions[] = {ACTION_FIRE};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->lives[0] = ram[LIVES];
    bool still = ram[FALL_COUNTDOWN] == FALL_END && ram[FIRST_MOVING] == 0 && ram[SECOND_MOVING] == 0;
    state->terminal = state->lives[0] == 0 && still;
}

static bool select_game(game_control *control, int game) {
    return control_select_until(control, GAME_NUMBER, game, 2);
}

static bool solo_select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    return select_game(control, 1 + 3 * mode);
}

static bool multi_select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    return select_game(control, mode);
}

static const game_rules solo = {
    .modes = {MODES(solo_modes)},
    .minimal_actions = WITHOUT_FIRE,
    .illegal_actions = ACTIONS_ALL & ~WITHOUT_FIRE,
    .difficulties = 0x3,
    STARTING_ACTIONS(starting_actions),
    .step = step,
    .score_range = 1000000,
    .select_mode = solo_select_mode,
};

static const game_rules multi = {
    .modes = {MODES(multi_modes)},
    .minimal_actions = WITHOUT_FIRE,
    .illegal_actions = ACTIONS_ALL & ~WITHOUT_FIRE,
    .difficulties = 0x3,
    STARTING_ACTIONS(starting_actions),
    .step = step,
    .score_range = 1000000,
    .select_mode = multi_select_mode,
};

const ale_game game_lost_luggage = {
    .name = "lost_luggage",
    .title = "Lost Luggage",
    .md5 = "2d76c5d1aad506442b9e9fb67765e051",
    .solo = &solo,
    .multi = &multi,
};
