/* Video Chess.
 *
 * 1 for a game won, -1 for a game lost.  While the computer thinks, the moves that it tries may look like
 * the end: only what is shown when the player, who is white, has the move counts.  The end stands until
 * the next reset. */
#include "game.h"

enum { TO_MOVE = 97, MODE = 106, OUTCOME = 110 }; /* RAM */
enum { WHITE_TO_MOVE = 0x82, WHITE_WINS = 0, BLACK_WINS = 1 };

static const uint16_t modes[] = {0, 1, 2, 3, 4};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    bool final = ram[TO_MOVE] == WHITE_TO_MOVE;
    bool won = final && ram[OUTCOME] == WHITE_WINS, lost = final && ram[OUTCOME] == BLACK_WINS;
    state->reward[0] = won - lost;
    state->lives[0] = 1;
    if (won || lost) state->terminal = true;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) |
                       ACTION_BIT(LEFT) | ACTION_BIT(DOWN) | ACTION_BIT(UPRIGHT) | ACTION_BIT(UPLEFT) |
                       ACTION_BIT(DOWNRIGHT) | ACTION_BIT(DOWNLEFT),
    .difficulties = 0x1,
    .step = step,
    .select = {MODE, .frames = 1},
};

const ale_game game_video_chess = {
    .name = "video_chess",
    .title = "Video Chess",
    .md5 = "f0b7db930ca0e548c41a97160b9f6275",
    .solo = &solo,
};
