/* Superman.
 *
 * The only reward comes at the end, when Clark Kent is back at the Daily Planet with the bridge repaired
 * and the gang in jail: the seconds that the clock has not reached yet.  The clock turns over at 100
 * minutes. */
#include "game.h"

enum { ROOM_LOW = 0, ROOM_HIGH = 1, DEEDS = 31, SECONDS = 98, MINUTES = 99 }; /* RAM */
enum { DAILY_PLANET = 0xF2AC, ALL_DONE = 0x40, LAST_SECOND = 5999 };

static const uint16_t modes[] = {0};

static void step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const uint8_t *ram = memory->ram;
    int room = ram[ROOM_HIGH] << 8 | ram[ROOM_LOW];
    int32_t seconds = 60 * bcd(ram[MINUTES]) + bcd(ram[SECONDS]);
    state->terminal = ram[DEEDS] & ALL_DONE && room == DAILY_PLANET;
    state->reward[0] = state->terminal ? LAST_SECOND - seconds : 0;
}

static const game_rules solo = {
    .modes = {MODES(modes)},
    .minimal_actions = ACTIONS_ALL,
    .difficulties = 0xF,
    .step = step,
    .lives = LIVES_FLAG,
};

const ale_game game_superman = {
    .name = "superman",
    .title = "Superman",
    .md5 = "a9531c763077464307086ec9a1fd057d",
    .solo = &solo,
};
