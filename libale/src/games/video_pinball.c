/* Video Pinball.
 *
 * The score as shown, six digits.  Lives follow from the number of the ball in play and the extra ball.
 *
 * Some 65,500 frames without an action but FIRE, the cartridge changes colors and reads only the switches any
 * more.  Episodes of the originals go on; corrected_rules ends them. */
#include "game.h"

/* RAM */
enum { BALL = 25, EXTRA_BALL = 40, GAME_OVER = 47, MODE = 65 };
enum { SCORE_LOW = 48, SCORE_MIDDLE = 50, SCORE_HIGH = 52 };
enum { LIVES_AT_FIRST_BALL = 3, FIRST_BALL = 1 };

static const uint16_t modes[] = {0, 2};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    score_to(state, bcd3(ram[SCORE_LOW], ram[SCORE_MIDDLE], ram[SCORE_HIGH]));
    state->lives[0] = LIVES_AT_FIRST_BALL + (ram[EXTRA_BALL] & 1) - ((ram[BALL] & 7) - FIRST_BALL);
    state->terminal = ram[GAME_OVER] & 1;
}

/* In play the byte is 0 in all modes. */
static void correct(const game_rules *rules, game_state *state, const game_memory *memory, const int32_t *before) {
    if (memory->ram[MODE]) state->terminal = true;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTION_BIT(NOOP) | ACTION_BIT(FIRE) | ACTION_BIT(UP) | ACTION_BIT(RIGHT) |
                       ACTION_BIT(LEFT) | ACTION_BIT(DOWN) | ACTION_BIT(UPFIRE) | ACTION_BIT(RIGHTFIRE) |
                       ACTION_BIT(LEFTFIRE),
    .difficulties = 0x3,
    .step = step,
    .correct = correct,
    .score_range = 1000000,
    .select = {MODE, .frames = 2},
};

const ale_game game_video_pinball = {
    .name = "video_pinball",
    .title = "Video Pinball",
    .md5 = "107cc025334211e6d29da0b6be46aec7",
    .solo = &solo,
};
