/* Chopper Command.
 *
 * The score as shown, in hundreds, four digits.
 *
 * Before the game starts there are no lives, but this is not its end.  It has started once the helicopter has
 * faced right.  The multi-player rules do not remember that, and see no end while the byte differs from 1. */
#include "game.h"

enum { FACING = 66, MODE = 96, LIVES = 100, SCORE_HIGH = 108, SCORE_LOW = 110 }; /* RAM */
enum { RIGHT = 1 };

static const uint16_t modes[] = {0, 2};

static void read_score_and_lives(game_state *state, const uint8_t *ram) {
    score_to(state, 100 * bcd2(ram[SCORE_LOW], ram[SCORE_HIGH]));
    state->lives[0] = ram[LIVES] & 15;
    state->terminal = state->lives[0] == 0;
}

static void solo_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    read_score_and_lives(state, memory->ram);
    if (memory->ram[FACING] & RIGHT) state->started = true;
}

static void multi_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    read_score_and_lives(state, memory->ram);
    state->started = memory->ram[FACING] == RIGHT;
}

static bool over(const game_state *state) { return state->started && state->terminal; }

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x3,
    .step = solo_step,
    .lives = LIVES_RAW,
    .over = over,
    .select = {MODE, .frames = 2},
};

static const game_rules multi = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x3,
    .step = multi_step,
    .lives = LIVES_RAW,
    .over = over,
    .select = {MODE, .frames = 2},
};

const ale_game game_chopper_command = {
    .name = "chopper_command",
    .title = "Chopper Command",
    .md5 = "c1cb228470a87beb5f36e90ac745da26",
    .solo = &solo,
    .multi = &multi,
};
