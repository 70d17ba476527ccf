/* Video Checkers.
 *
 * 1 for a game won, -1 for a game lost, when all pieces of one colour are gone; from mode 11 on, whoever
 * loses all pieces wins.  The first player has the black pieces.  The end stands until the next reset.  A
 * colour that is gone for one frame only, while the cartridge redraws its board, has lost too.
 *
 * In the multi-player rules, the player whose turn it is loses a point each time max_turn_time frames have
 * passed.  So does the cartridge itself.  A max_turn_time of -1 stands for ten seconds; other values that are
 * not positive set no limit.
 *
 * A side that has pieces but no move ends the game, and the cartridge then waits for ever.  The originals do not
 * end the episode; corrected_rules does, with the rewards of a side that has no pieces. */
#include "game.h"

/* RAM; after the end, LAST_MOVED is the piece that moved last, and IN_PLAY is 0 */
enum { BOARD = 0, TURN = 64, LAST_MOVED = 100, OVER = 102, IN_PLAY = 111, MODE = 118 };
enum { ROWS = 4, SQUARES_PER_ROW = 8, ROW_STRIDE = 9 }; /* a row of memory is two of the board */
enum { BLACK_MAN = 0x10, BLACK_KING = 0x20, WHITE_MAN = 0x90, WHITE_KING = 0xA0 };
enum { FIRST_REVERSE_MODE = 11, DEFAULT_TURN_TIME = 600 };
enum { WHITE_TO_MOVE, TURN_FRAMES, VARIABLES }; /* state->var */

static const uint16_t one_player_modes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19};
static const uint16_t two_player_modes[] = {10};

static bool is_on_board(const uint8_t *ram, uint8_t man, uint8_t king) {
    for (int row = 0; row < ROWS; row++)
        for (int i = 0; i < SQUARES_PER_ROW; i++) {
            uint8_t square = ram[BOARD + row * ROW_STRIDE + i];
            if (square == man || square == king) return true;
        }
    return false;
}

static void end_of_game(game_state *state, bool black_lost) {
    bool reverse = state->mode >= FIRST_REVERSE_MODE;
    state->reward[0] = black_lost == reverse ? 1 : -1;
    state->reward[1] = -state->reward[0];
    state->terminal = true;
}

static void solo_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    bool black_gone = !is_on_board(ram, BLACK_MAN, BLACK_KING);
    if (!black_gone && is_on_board(ram, WHITE_MAN, WHITE_KING)) return;
    end_of_game(state, black_gone);
}

static void correct(const game_rules *rules, game_state *state, const game_memory *memory, const int32_t *before) {
    const uint8_t *ram = memory->ram;
    const uint8_t piece = ram[LAST_MOVED];
    const bool white_moved = piece == WHITE_MAN || piece == WHITE_KING;
    const bool black_moved = piece == BLACK_MAN || piece == BLACK_KING;
    if (ram[OVER] == 1 && ram[IN_PLAY] == 0 && (white_moved || black_moved)) end_of_game(state, white_moved);
}

static void multi_reset(const game_rules *rules, game_state *state, const game_memory *memory) {
    state->var[WHITE_TO_MOVE] = state->var[TURN_FRAMES] = 0;
}

static void multi_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    int32_t limit = state->max_turn_time == -1 ? DEFAULT_TURN_TIME : state->max_turn_time;
    int32_t white_to_move = memory->ram[TURN] >> 4 != 0;
    int32_t *turn_frames = &state->var[TURN_FRAMES];
    state->reward[0] = state->reward[1] = 0;
    if (white_to_move != state->var[WHITE_TO_MOVE]) *turn_frames = 0;
    state->var[WHITE_TO_MOVE] = white_to_move;
    if (limit > 0 && *turn_frames >= limit) {
        state->reward[white_to_move] = -1;
        *turn_frames = 0;
    } else if (limit > 0) {
        ++*turn_frames;
    }
    solo_step(rules, state, memory);
}

static bool select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    const uint8_t *ram = control_memory(control)->ram;
    while (bcd(ram[MODE]) != mode)
        if (!control_press_select(control, 1)) return false;
    control_soft_reset(control);
    return true;
}

static const game_rules solo = {
    .modes = {MODES(one_player_modes)},
    .minimal_actions = ACTION_BIT(FIRE) | ACTION_BIT(UPRIGHT) | ACTION_BIT(UPLEFT) | ACTION_BIT(DOWNRIGHT) |
                       ACTION_BIT(DOWNLEFT),
    .difficulties = 0x1,
    .step = solo_step,
    .correct = correct,
    .lives = LIVES_FLAG,
    .kept = 2,
    .select_mode = select_mode,
};

static const game_rules multi = {
    .modes = {MODES(one_player_modes), MODES(two_player_modes)},
    .minimal_actions = ACTION_BIT(FIRE) | ACTION_BIT(UPRIGHT) | ACTION_BIT(UPLEFT) | ACTION_BIT(DOWNRIGHT) |
                       ACTION_BIT(DOWNLEFT),
    .difficulties = 0x1,
    .reset = multi_reset,
    .step = multi_step,
    .correct = correct,
    .variables = VARIABLES,
    .lives = LIVES_ZERO,
    .kept = 2,
    .select_mode = select_mode,
};

const ale_game game_video_checkers = {
    .name = "video_checkers",
    .title = "Video Checkers",
    .md5 = "539d26b6e9df0da8e7465f0f5ad863b7",
    .solo = &solo,
    .multi = &multi,
};
