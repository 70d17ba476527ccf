/* Warlords.
 *
 * -1 for a player whose castle has fallen, and 1 for the last who stands.  Lives are 0 in the game and -1 out
 * of it.  All four castles count for the end of the game, also those that the cartridge itself defends in
 * modes for fewer players. */
#include "game.h"

enum { MODE = 89, FALLEN = 110 }; /* RAM */
enum { FIRST_FALLEN = 0x80 };     /* a bit a castle, the first player's on the left */
enum { CASTLES = 4, STANDING = 0, OUT = -1 };

static const uint16_t one_player_modes[] = {4, 9, 14, 19};
static const uint16_t two_player_modes[] = {3, 5, 8, 10, 13, 15, 18, 20, 23};
static const uint16_t four_player_modes[] = {1, 6, 11, 16, 21};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t fallen = memory->ram[FALLEN];
    int standing = 0;
    for (int p = 0; p < CASTLES; p++) {
        int32_t before = state->lives[p];
        state->lives[p] = fallen & (FIRST_FALLEN >> p) ? OUT : STANDING;
        state->reward[p] = state->lives[p] < before ? -1 : 0;
        standing += state->lives[p] == STANDING;
    }
    state->terminal = standing <= 1;
    for (int p = 0; p < CASTLES; p++)
        if (state->terminal && state->lives[p] == STANDING) state->reward[p] = 1;
}

/* Four players have the castles in the left corners and in the right ones. */
static game_sides sides(int mode) {
    return (game_sides){.mirrored = mode % 5 == 1 ? SECOND_AND_FOURTH_MIRRORED : 0, .turned = true};
}

static const game_rules multi = {
    .modes = {MODES(one_player_modes), MODES(two_player_modes), [3] = MODES(four_player_modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(RIGHT) | ACTION_BIT(LEFT) |
                       ACTION_BIT(RIGHTFIRE) | ACTION_BIT(LEFTFIRE),
    .difficulties = 0x1,
    .step = step,
    .lives = LIVES_RAW,
    .kept = 4,
    .select = {MODE, .frames = 1, .offset = -1}, /* the cartridge counts from 0, and these modes from 1 */
    .sides = sides,
};

const ale_game game_warlords = {
    .name = "warlords",
    .title = "Warlords",
    .md5 = "cbe5a166550a8129a5e6d374901dffad",
    .multi = &multi,
};
