/* 3-D Tic-Tac-Toe.
 *
 * 1 for a game won, -1 for a game lost, 0 for a draw.  A return address on the stack shows that there is a
 * winner.  The end stands until the next reset.
 *
 * The right difficulty switch decides who begins: the computer or the second player at B, the player at A.
 *
 * In a game for two players, the board does not show the end: a piece that blinks under the cursor stands
 * there like the others.  So a full board is no end there. */
#include "game.h"

enum { MODE = 8, BOARD = 26, WINNER = 97, STACK_LOW = 126, STACK_HIGH = 127 }; /* RAM */
enum { SQUARES = 64, FREE = 0, PLAYER = 8, GAME_WON = 0xF310 };

static const uint16_t modes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
static const uint16_t two_player_modes[] = {MODE_FOR(2, 8)};

static bool is_full(const uint8_t *board) {
    for (int i = 0; i < SQUARES; i++)
        if (board[i] == FREE) return false;
    return true;
}

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    bool won = (ram[STACK_HIGH] << 8 | ram[STACK_LOW]) == GAME_WON;
    state->reward[0] = !won ? 0 : ram[WINNER] == PLAYER ? 1 : -1;
    if (won || is_full(ram + BOARD)) state->terminal = true;
}

/* The winning row blinks, and WINNER with it: nobody's while the row is dark. */
static void multi_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    if (state->players == 1) {
        step(rules, state, memory);
        return;
    }
    bool shown = (ram[STACK_HIGH] << 8 | ram[STACK_LOW]) == GAME_WON && ram[WINNER] != FREE;
    state->reward[0] = !shown || state->terminal ? 0 : ram[WINNER] == PLAYER ? 1 : -1;
    state->reward[1] = -state->reward[0];
    if (shown) state->terminal = true;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) |
                       ACTION_BIT(LEFT) | ACTION_BIT(DOWN) | ACTION_BIT(UPRIGHT) | ACTION_BIT(UPLEFT) |
                       ACTION_BIT(DOWNRIGHT) | ACTION_BIT(DOWNLEFT),
    .difficulties = 0x5,
    .step = step,
    .lives = LIVES_FLAG,
    .select = {MODE, .frames = 2},
};

static const game_rules multi = {
    .modes = {MODES(modes), MODES(two_player_modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) |
                       ACTION_BIT(LEFT) | ACTION_BIT(DOWN) | ACTION_BIT(UPRIGHT) | ACTION_BIT(UPLEFT) |
                       ACTION_BIT(DOWNRIGHT) | ACTION_BIT(DOWNLEFT),
    .difficulties = 0x5,
    .step = multi_step,
    .lives = LIVES_FLAG,
    .select = {MODE, .frames = 2},
};

const ale_game game_tic_tac_toe_3d = {
    .name = "tic_tac_toe_3d",
    .title = "3-D Tic-Tac-Toe",
    .md5 = "0db4f4150fecf77e4ce72ca4d04c052f",
    .solo = &solo,
    .multi = &multi,
};
