/* Atari Video Cube.
 *
 * One point for each face of a single colour, lost again when the face is broken.  The game ends with all six faces
 * complete, or with a point lost when the clock runs out.  That clock counts spans of 256 frames without a movement;
 * every movement sets it to 0.
 *
 * A mode is 100 times the number of the cube, 1 to 50, plus the variant: cartridge games 1, 3 and 9.
 * Cube 0 stands for cube 1. */
#include "game.h"

enum { CUBE_NUMBER = 31, FACES = 32, CLOCK = 91, GAME_NUMBER = 123 }; /* RAM */
enum { FACE_COUNT = 6, FACE_SQUARES = 9, CLOCK_LAST = 255, GAME_NUMBER_BITS = 0x1F };
enum { INTRODUCTION_FRAMES = 61 };
enum { CLOCK_BEFORE, VARIABLES }; /* state->var; goes on through a reset */

#define CUBE(n) 100 * (n), 100 * (n) + 1, 100 * (n) + 2
#define TEN_CUBES(n)                                                                                   \
    CUBE(n), CUBE((n) + 1), CUBE((n) + 2), CUBE((n) + 3), CUBE((n) + 4), CUBE((n) + 5), CUBE((n) + 6), \
        CUBE((n) + 7), CUBE((n) + 8), CUBE((n) + 9)

static const uint16_t modes[] = {
    TEN_CUBES(0), TEN_CUBES(10), TEN_CUBES(20), TEN_CUBES(30), TEN_CUBES(40), CUBE(50),
};
static const uint8_t starting_actions[INTRODUCTION_FRAMES + 3] = {[INTRODUCTION_FRAMES] = ACTION_FIRE};

static bool is_complete(const uint8_t *face) {
    for (int i = 1; i < FACE_SQUARES; i++)
        if (face[i] != face[0]) return false;
    return true;
}

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    int32_t complete = 0;
    for (int i = 0; i < FACE_COUNT; i++) complete += is_complete(ram + FACES + i * FACE_SQUARES);
    score_to(state, complete);
    bool timed_out = ram[CLOCK] == 0 && state->var[CLOCK_BEFORE] == CLOCK_LAST;
    state->var[CLOCK_BEFORE] = ram[CLOCK];
    if (timed_out) state->reward[0] = -1;
    state->terminal = timed_out || complete == FACE_COUNT;
}

/* SELECT chooses the game; the joystick, held to the right, turns the cubes' numbers. */
static bool select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    static const uint8_t game_numbers[] = {0, 2, 8}; /* as the cartridge counts them */
    const uint8_t *ram = control_memory(control)->ram;
    int cube = mode < 100 ? 1 : mode / 100;
    while ((ram[GAME_NUMBER] & GAME_NUMBER_BITS) != game_numbers[mode % 100])
        if (!control_press_select(control, 2)) return false;
    control_soft_reset(control);
    while (bcd(ram[CUBE_NUMBER]) != cube)
        if (!control_act(control, ACTION_RIGHT)) return false;
    return true;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0x3,
    STARTING_ACTIONS(starting_actions),
    .step = step,
    .variables = VARIABLES,
    .lives = LIVES_FLAG,
    .select_mode = select_mode,
};

const ale_game game_video_cube = {
    .name = "video_cube",
    .title = "Atari Video Cube",
    .md5 = "3f540a30fdee0b20aed7288e4a5ea528",
    .solo = &solo,
};
