/* Saved states as attackers would write them, with right checksums: each field is damaged by itself and must be
 * refused by name with nothing changed, and accepted with the last value before that; what is not refused must be
 * harmless; and whatever the library saves, in any situation, must be accepted. */
#include <stdlib.h>

#include "check.h"
#include "console/cartridge/scheme.h"
#include "console/video/picture.h"
#include "environment/environment.h"
#include "environment/state.h"
#include "small.h"

/* A state without its own generator (with one the machine would not be aligned), from the head on. */
typedef struct parts {
    saved_environment *head;
    snapshot_head *snapshot;
    machine_state *machine;
    saved_picture *picture;
    saved_log *log[2];
    tia_access *access[2];
} parts;

static parts find(uint8_t *bytes) {
    parts p = {.head = (void *)bytes};
    p.snapshot = (void *)(bytes += sizeof *p.head);
    p.machine = (void *)(bytes += sizeof *p.snapshot);
    bytes += sizeof *p.machine + cartridge_scheme_find((int)p.head->scheme)->big_ram;
    p.picture = (void *)bytes;
    bytes += sizeof *p.picture;
    for (int back = 0; back < 2; back++) {
        p.log[back] = (void *)bytes;
        p.access[back] = (void *)(bytes += sizeof(saved_log));
        if (!p.log[back]->whole || p.log[back]->count > LOG_CAPACITY) break; /* pixels follow, or it is damaged */
        bytes += p.log[back]->count * sizeof(tia_access);
    }
    return p;
}

static ale_env *make_telling(uint32_t objects, const uint8_t *bytes, size_t size, const char *scheme, ale_rules rules,
                             uint32_t fast_paths) {
    ale_rom_options rom_options = rom_defaults();
    rom_options.game = "";
    rom_options.scheme = scheme;
    ale_env_options options = env_defaults();
    options.rules = rules;
    options.sound = 1;
    options.fast_paths = fast_paths;
    options.objects = objects;
    ale_rom *rom = NULL;
    ale_env *env = NULL;
    if (ale_rom_create(bytes, size, &rom_options, &rom) != ALE_OK ||
        ale_env_create(rom, &options, &env) != ALE_OK)
        fprintf(stderr, "%s\n", ale_last_error()), exit(1);
    ale_rom_release(rom);
    return env;
}

static ale_env *make(const uint8_t *bytes, size_t size, const char *scheme, ale_rules rules,
                     uint32_t fast_paths) {
    return make_telling(0, bytes, size, scheme, rules, fast_paths);
}

static ale_env *make_test_env(ale_rules rules) {
    uint8_t bytes[TEST_ROM_SIZE];
    test_rom(bytes);
    /* Without translation all writes are logged, so that there is something to damage. */
    return make(bytes, sizeof bytes, NULL, rules, ALE_FAST_ALL & ~ALE_FAST_TRANSLATE);
}

static void play(ale_env *env) {
    const int32_t action = ALE_UPFIRE;
    CHECK_EQUAL(ale_env_act(env, &action, NULL, 1, 1), ALE_OK);
}

/* Through the public functions: bytes with the right checksum. */
static ale_status restore_bytes(ale_env *env, const ale_state *changed) {
    uint8_t *bytes = malloc(changed->size);
    ale_state *state = new_state();
    if (!bytes) exit(1);
    state_serialize(changed, bytes);
    ale_status status = ale_state_deserialize(state, bytes, changed->size);
    if (status == ALE_OK) status = ale_env_restore(env, state);
    ale_state_destroy(state);
    free(bytes);
    return status;
}

/* Refused, by name, with nothing changed. */
static void check_refused(ale_env *env, const ale_state *bad, const char *field, const char *what) {
    ale_state *before = state_of(env, 1);
    ale_status status = restore_bytes(env, bad);
    if (status != ALE_BAD_STATE || !strstr(ale_last_error(), field)) {
        fprintf(stderr, "%s: status %d, \"%s\" lacks \"%s\"\n", what, (int)status, ale_last_error(), field);
        check_failures = 1;
    }
    ale_state *after = state_of(env, 1);
    CHECK(before->size == after->size && memcmp(before->bytes, after->bytes, before->size) == 0);
    ale_state_destroy(before);
    ale_state_destroy(after);
}

static void check_accepted(ale_env *env, const ale_state *changed, const ale_state *good, const char *what) {
    if (restore_bytes(env, changed) != ALE_OK) {
        fprintf(stderr, "%s: %s\n", what, ale_last_error());
        check_failures = 1;
    }
    CHECK_EQUAL(ale_env_restore(env, good), ALE_OK);
}

static void end(ale_env *env, ale_state *good, ale_state *bad) {
    ale_state_destroy(good);
    ale_state_destroy(bad);
    ale_env_destroy(env);
}

/* Change a copy of a good state by one statement, and see it refused, */
#define REFUSED(field, ...)                         \
    do {                                            \
        CHANGED(__VA_ARGS__);                       \
        check_refused(env, bad, field, #__VA_ARGS__); \
    } while (0)

/* or accepted. */
#define ACCEPTED(...)                                \
    do {                                             \
        CHANGED(__VA_ARGS__);                        \
        check_accepted(env, bad, good, #__VA_ARGS__); \
    } while (0)

#define CHANGED(...)                                 \
    parts p = find(memcpy(bad->bytes, good->bytes, good->size)); \
    __VA_ARGS__

/* An integer may be `most` and no more; or `least` and no less. */
#define AT_MOST(most, field, value)         \
    do {                                    \
        ACCEPTED(value = (most));           \
        REFUSED(field, value = (most) + 1); \
    } while (0)
#define AT_LEAST(least, field, value)        \
    do {                                     \
        ACCEPTED(value = (least));           \
        REFUSED(field, value = (least) - 1); \
    } while (0)
#define BOOLEAN(field, value) AT_MOST(1, field, value)

/* Of a card for four players with paddles, who have all that rules can keep. */
static ale_env *make_card_env(void) {
    static const char text[] =
        "name = \"for_four\"\nrom = \"any.bin\"\ncontrollers = \"paddles\"\nscore = \"before(ram[36])\"\n"
        "lives = \"ram[37]\"\nover = \"ram[33] > 250\"\n[modes]\n1 = [1]\n4 = [4, 7]\n"
        "[variables]\nm = \"m + 1\"\nn = \"2\"\n";
    uint8_t bytes[TEST_ROM_SIZE];
    test_rom(bytes);
    ale_rom_options rom_options = rom_defaults();
    ale_env_options options = env_defaults();
    options.rules = ALE_MULTI;
    options.paddle_min = 100;
    ale_rom *rom = NULL;
    ale_env *env = NULL;
    if (ale_card_create(text, sizeof text - 1, &rom_options.card) != ALE_OK ||
        ale_rom_create(bytes, sizeof bytes, &rom_options, &rom) != ALE_OK ||
        ale_env_create(rom, &options, &env) != ALE_OK || ale_env_set_mode(env, 4) != ALE_OK ||
        ale_env_reset(env) != ALE_OK)
        fprintf(stderr, "%s\n", ale_last_error()), exit(1);
    ale_rom_release(rom);
    ale_card_release(rom_options.card);
    return env;
}

static void set_paddles(saved_environment *head, int32_t min, int32_t max, int32_t position) {
    head->s.paddle_min = min;
    head->s.paddle_max = max;
    for (int i = 0; i < GAME_MAX_PLAYERS; i++) head->s.paddle[i] = position;
}

static void set_samples(environment_state *s, uint8_t all, uint8_t last) {
    memset(s->samples, all, sizeof s->samples);
    s->samples[AUDIO_SAMPLES - 1] = last;
}

static void set_mode_in_force(saved_environment *head, int32_t mode, int32_t players) {
    head->s.game.mode = mode;
    head->s.game.players = players;
}

static void what_players_have_is_checked(void) {
    const int32_t bound = 1 << 28;
    ale_env *env = make_card_env();
    ale_state *good = state_of(env, 1), *bad = state_of(env, 1);
    REFUSED("mode", p.head->s.mode = 2);
    ACCEPTED(p.head->s.mode = 7);
    AT_MOST(3, "difficulty", p.head->s.difficulty);
    AT_LEAST(0, "difficulty", p.head->s.difficulty);
    for (int i = 0; i < GAME_MAX_PLAYERS; i++) {
        AT_MOST(p.head->s.paddle_max, "paddle", p.head->s.paddle[i]);
        AT_LEAST(p.head->s.paddle_min, "paddle", p.head->s.paddle[i]);
        AT_MOST(ALE_ACTION_COUNT - 1, "held", p.head->s.held[i]);
        AT_MOST(bound, "game.reward", p.head->s.game.reward[i]);
        AT_MOST(bound, "game.score", p.head->s.game.score[i]);
        AT_MOST(bound, "game.lives", p.head->s.game.lives[i]);
        AT_LEAST(-bound, "game.lives", p.head->s.game.lives[i]);
        ACCEPTED(memset(p.head->s.held_strength, 0xFF, sizeof p.head->s.held_strength)); /* no numbers */
    }
    for (int i = 0; i < 2; i++) AT_LEAST(-bound, "game.var", p.head->s.game.var[i]);
    for (int i = 2; i < GAME_VARIABLES; i++) REFUSED("game.var", p.head->s.game.var[i] = 1); /* the card has two */
    AT_MOST(bound, "game.max_turn_time", p.head->s.game.max_turn_time);
    AT_LEAST(-bound, "game.max_turn_time", p.head->s.game.max_turn_time);
    AT_MOST(bound, "lives_at_start", p.head->s.lives_at_start);
    AT_MOST(0, "other_seed", p.head->s.other_seed);
    AT_MOST(ALE_MAX_TERMINALS, "ended", p.head->s.ended);
    AT_MOST(0, "reserved", p.head->s.reserved);
    ACCEPTED(p.head->s.game.lives[0] = p.head->s.lives_at_start = -bound);
    REFUSED("lives_at_start", p.head->s.game.lives[0] = 0, p.head->s.lives_at_start = -1); /* a report brings them up */
    REFUSED("lives_at_start", p.head->s.game.lives[0] = 1, p.head->s.lives_at_start = 0);
    AT_LEAST(0, "paddle_min", p.head->s.paddle_min);
    REFUSED("paddle_max", p.head->s.paddle_max = -1);
    /* the range may be upside down, or of one place */
    ACCEPTED(set_paddles(p.head, 3, 2, 2));
    ACCEPTED(set_paddles(p.head, 3, 2, 3));
    REFUSED("paddle", set_paddles(p.head, 3, 2, 1));
    REFUSED("paddle", set_paddles(p.head, 3, 2, 4));
    ACCEPTED(set_paddles(p.head, 0, 0, 0));
    ACCEPTED(memset(&p.head->s.game.terminal, 1, 1));
    REFUSED("game.terminal", memset(&p.head->s.game.terminal, 2, 1));
    REFUSED("game.started", memset(&p.head->s.game.started, 2, 1));
    for (int i = 0; i < 2; i++) AT_MOST(0, "game.reserved", p.head->s.game.reserved[i]);
    ACCEPTED(set_mode_in_force(p.head, 7, 4));
    ACCEPTED(set_mode_in_force(p.head, 1, 1)); /* a card's rules keep all players' numbers in all modes */
    REFUSED("game.players", set_mode_in_force(p.head, 1, 4));
    REFUSED("game.players", set_mode_in_force(p.head, 2, 1));
    REFUSED("game.players", set_mode_in_force(p.head, 2, 0));
    ACCEPTED(set_samples(&p.head->s, 128, 248));
    ACCEPTED(set_samples(&p.head->s, 0, 0));
    REFUSED("samples", set_samples(&p.head->s, 128, 0));
    REFUSED("samples", set_samples(&p.head->s, 128, 124));
    REFUSED("samples", set_samples(&p.head->s, 128, 126));
    REFUSED("samples", set_samples(&p.head->s, 128, 252));
    end(env, good, bad);
}

/* Who does not play has nothing, paddles that are not there do not turn, and without rules nothing counts. */
static void what_is_absent_is_checked(ale_env *env, const ale_state *good, ale_state *bad) {
    REFUSED("mode", p.head->s.mode = 1);
    for (int i = 0; i < GAME_MAX_PLAYERS; i++) {
        REFUSED("paddle", p.head->s.paddle[i]++);
        REFUSED("game.reward", p.head->s.game.reward[i] = 1);
        REFUSED("game.score", p.head->s.game.score[i] = 1);
        REFUSED("game.lives", p.head->s.game.lives[i] = -1);
        if (i == 0) continue;
        REFUSED("held", p.head->s.held[i] = ACTION_FIRE);
        REFUSED("held_strength", p.head->s.held_strength[i] = 1);
        REFUSED("held_strength", p.head->s.held_strength[i] = -0.0f);
    }
    AT_MOST(ALE_ACTION_COUNT - 1, "held", p.head->s.held[0]);
    REFUSED("paddle_min", p.head->s.paddle_min = 0);
    REFUSED("paddle_max", p.head->s.paddle_max++);
    REFUSED("game.var", p.head->s.game.var[0] = 1);
    REFUSED("game.terminal", p.head->s.game.terminal = true);
    REFUSED("game.started", p.head->s.game.started = true);
    REFUSED("game.before", p.head->s.game.before[GAME_RAM_SIZE - 1] = 1);
    REFUSED("game.players", p.head->s.game.players = 2);
    REFUSED("game.players", p.head->s.game.mode = 7);
    REFUSED("game.players", p.head->s.game.mode = 7, p.head->s.game.players = 0);
    ACCEPTED(p.head->s.lives_at_start = 1);
    REFUSED("lives_at_start", p.head->s.lives_at_start = -1);
}

/* Samples come only with sound: an environment without it has none, whose state it may restore. */
static void samples_come_only_with_sound(void) {
    ale_env *loud = make_test_env(ALE_SOLO), *silent = make_test_env(ALE_SOLO);
    ale_state *state = new_state();
    silent->options.sound = 0;
    play(loud);
    CHECK_EQUAL(loud->s.samples[0], AUDIO_SILENCE);
    CHECK_EQUAL(ale_env_save(loud, 1, state), ALE_OK);
    CHECK_EQUAL(restore_bytes(silent, state), ALE_OK);
    CHECK(is_zero(silent->s.samples, AUDIO_SAMPLES));
    CHECK_EQUAL(ale_env_copy(silent, loud), ALE_OK);
    CHECK(is_zero(silent->s.samples, AUDIO_SAMPLES));
    ale_state_destroy(state);
    ale_env_destroy(loud);
    ale_env_destroy(silent);
}

/* A log that makes up its picture ends after the window: where it ended before, rows would show what they showed in the
 * environment that restores it. */
static void check_ends(ale_env *env, const ale_state *good, ale_state *bad, int back) {
    const uint32_t end = env->console->window_end;
    const parts sound = find(good->bytes);
    uint32_t first = sound.log[back]->count - 1; /* of those at or after the end */
    while (first && access_clock(sound.access[back][first - 1]) >= end) first--;
    const uint32_t inside = sound.access[back][first - 1] >> 16;
    CHECK(access_clock(sound.access[back][first]) >= end && 3 * inside < end);
#define MOVE_END(time)                                                                        \
    for (uint32_t i = first; i < p.log[back]->count; i++) /* NUSIZ0 draws little ahead */ \
    p.access[back][i] = (uint32_t)(time) << 16 | NUSIZ0 << 8
    const uint32_t last = back ? LATEST_ACCESS - 1 : sound.machine->cpu.time;
    ACCEPTED(MOVE_END((end + 2) / 3));
    ACCEPTED(MOVE_END(last));
    REFUSED("log.access (time)", MOVE_END(last + 1));
    REFUSED("log.whole", MOVE_END(inside));
    REFUSED("log.whole", MOVE_END((end - LONGEST_DELAY) / 3 - 1));
#undef MOVE_END
}

static void set_partial(machine_state *s) {
    s->partial = s->tia.greyed = 1;
    s->tia.stop = 0;
}

static void check_picture(ale_env *env, const ale_state *good, ale_state *bad) {
    REFUSED("snapshot_head", p.snapshot->layout++);
    REFUSED("snapshot_head", p.snapshot->size--);
    REFUSED("snapshot_head", p.snapshot->height++);
    BOOLEAN("picture.buffer", p.picture->buffer);
    REFUSED("cursor.pairs", p.picture->cursor[0].pairs ^= 1);
    REFUSED("cursor.pairs", p.picture->cursor[1].pairs ^= 1);
    REFUSED("cursor.pairs", p.picture->cursor[1].pairs |= 0x8000);
    for (int i = 0; i < CURSORS; i++) {
        REFUSED("cursor.log", p.picture->cursor[i].log = 1);
        AT_MOST(0, "cursor.reserved", p.picture->cursor[i].reserved);
        REFUSED("picture.back", p.picture->back[i] = 2);
        for (uint8_t back = 0; back < 2; back++) {
            ACCEPTED(p.picture->back[i] = back, p.picture->cursor[i].index = p.log[back]->count);
            REFUSED("cursor.index", p.picture->back[i] = back, p.picture->cursor[i].index = p.log[back]->count + 1);
        }
    }
    const parts sound = find(good->bytes);
    for (int back = 0; back < 2; back++) {
        const uint32_t last = sound.log[back]->count - 1;
        CHECK(sound.log[back]->whole && last > 10);
        REFUSED("log.count", p.log[back]->count = LOG_CAPACITY + 1);
        REFUSED("log.whole", p.log[back]->whole = 2);
        REFUSED("size", p.log[back]->whole = 0); /* without the pixels */
        for (uint32_t i = 0; i <= last; i += last) {
            if (back) ACCEPTED(p.access[back][i] = (p.access[back][i] & 0xFFFF0000) | TIA_READ << 8);
            REFUSED("log.access (value)", p.access[back][i] = (p.access[back][i] & 0xFFFF0000) | TIA_READ << 8 | 1);
            REFUSED("log.access (register)",
                    p.access[back][i] = (p.access[back][i] & 0xFFFF00FF) | (TIA_READ + 1) << 8);
        }
        REFUSED("log.access (register)", p.access[back][last] |= 0x8000);
        REFUSED("log.access (time)", p.access[back][last] = p.access[back][last - 1] - 0x10000);
        check_ends(env, good, bad, back);
    }
    ACCEPTED(p.machine->tia.phase = (uint8_t)(p.access[0][0] >> 16));
    REFUSED("log.access (time)", p.machine->tia.phase = (uint8_t)((p.access[0][0] >> 16) + 1));
    /* The latest log leads to the machine's state. */
    REFUSED("tia.now", p.machine->tia.now.reg[COLUPF] ^= 2);
    REFUSED("tia.now", p.machine->tia.now.hmove_clock++);
    REFUSED("tia.now", p.log[0]->start.reg[COLUPF] ^= 2);
    REFUSED("tia.now", p.machine->tia.now.row_base = p.machine->tia.now.drawn = 0);
    REFUSED("partial", set_partial(p.machine)); /* there is nothing from which the frame could go on */
    REFUSED("size", p.log[1]->count--, p.picture->cursor[0].index = p.picture->cursor[1].index = 0);
}

/* Each byte of the chips' states has its bounds. */
static void check_chips(ale_env *env, const ale_state *good, ale_state *bad) {
    ACCEPTED(p.machine->cpu.n = 0x80);
    REFUSED("cpu.n", p.machine->cpu.n = 0x7F);
    BOOLEAN("cpu.z", p.machine->cpu.z);
    REFUSED("cpu.z", p.machine->cpu.z = 0x80);
    BOOLEAN("cpu.v", p.machine->cpu.v);
    BOOLEAN("cpu.d", p.machine->cpu.d);
    BOOLEAN("cpu.i", p.machine->cpu.i);
    BOOLEAN("cpu.c", p.machine->cpu.c);
    REFUSED("cpu.jammed", p.machine->cpu.jammed = 1); /* the frame could not have ended */
    ACCEPTED(set_partial(p.machine), p.machine->cpu.jammed = 1);
    REFUSED("cpu.jammed", set_partial(p.machine), p.machine->cpu.jammed = 2);
    for (int i = 0; i < 3; i++) AT_MOST(0, "cpu.reserved", p.machine->cpu.reserved[i]);
    AT_MOST(0xFF, "riot.value", p.machine->riot.value);
    for (uint32_t shift = 0; shift < 32; shift++) {
        if (shift == 0 || shift == 3 || shift == 6 || shift == 10)
            ACCEPTED(p.machine->riot.shift = (uint8_t)shift);
        else
            REFUSED("riot.shift", p.machine->riot.shift = (uint8_t)shift);
    }
    BOOLEAN("riot.read_expired", p.machine->riot.read_expired);
    AT_MOST(0, "riot.reserved", p.machine->riot.reserved);
    AT_LEAST(0, "tia.vsync_end", p.machine->tia.vsync_end);
    AT_MOST((int64_t)UINT32_MAX + LINE_CLOCKS, "tia.vsync_end", p.machine->tia.vsync_end);
    REFUSED("tia.line", p.machine->tia.line++);
    REFUSED("tia.last_lines", p.machine->tia.last_lines++);
    ACCEPTED(set_partial(p.machine), p.machine->tia.last_lines = UINT32_MAX / LINE_CLOCKS);
    REFUSED("tia.last_lines", set_partial(p.machine), p.machine->tia.last_lines = UINT32_MAX / LINE_CLOCKS + 1);
    ACCEPTED(p.machine->cpu.time = UINT32_MAX / 3,
             p.machine->tia.line = p.machine->tia.last_lines = UINT32_MAX / LINE_CLOCKS);
    AT_MOST(ALL_PAIRS, "tia.collisions", p.machine->tia.collisions);
    REFUSED("tia.dump", p.machine->tia.dump = 1);
    REFUSED("tia.vblank", p.machine->tia.vblank = 1);
    ACCEPTED(p.machine->tia.vblank = p.machine->tia.now.reg[VBLANK] = 0xFF, p.machine->tia.dump = 1);
    REFUSED("tia.dump", p.machine->tia.vblank = p.machine->tia.now.reg[VBLANK] = 0x80);
    AT_MOST(LINE_CYCLES - 1, "tia.phase", p.machine->tia.phase);
    REFUSED("tia.stop", p.machine->tia.stop = 0);
    REFUSED("tia.stop", p.machine->tia.stop = 2);
    REFUSED("tia.greyed", p.machine->tia.greyed = 1);
    REFUSED("tia.greyed", set_partial(p.machine), p.machine->tia.greyed = 0);
    REFUSED("tia.greyed", set_partial(p.machine), p.machine->tia.greyed = 2);
    AT_MOST(0, "tia.reserved", p.machine->tia.reserved);
    for (int i = 0; i < 8; i++) { /* there is no such chip */
        REFUSED("cartridge.dpc", p.machine->cartridge.dpc.top[i] = 1);
        REFUSED("cartridge.dpc", p.machine->cartridge.dpc.bottom[i] = 1);
        REFUSED("cartridge.dpc", p.machine->cartridge.dpc.flag[i] = 0xFF);
        REFUSED("cartridge.dpc", p.machine->cartridge.dpc.counter[i] = 1);
    }
    REFUSED("cartridge.dpc", p.machine->cartridge.dpc.music[0] = 1);
    REFUSED("cartridge.dpc", p.machine->cartridge.dpc.random = 2);
    REFUSED("cartridge.dpc", p.machine->cartridge.dpc.fraction = 0.5);
    ACCEPTED(p.machine->cartridge.dpc.stamp = INT32_MIN);
    for (int i = 0; i < 3; i++) AT_MOST(0, "cartridge.reserved", p.machine->cartridge.reserved[i]);
    for (int i = 0; i < 2; i++) {
        AT_MOST(31, "audio.divider", p.machine->audio.divider[i]);
        AT_MOST(15, "audio.poly4", p.machine->audio.poly4[i]);
        AT_MOST(31, "audio.poly5", p.machine->audio.poly5[i]);
    }
    for (int i = 0; i < 6; i++) {
        REFUSED("audio.registers", p.machine->audio.registers[i]++);
        ACCEPTED(p.machine->audio.registers[i] = p.machine->tia.now.reg[AUDC0 + i] = 0xFF);
    }
    AT_MOST(0, "bus_was_read", p.machine->bus_was_read);
    ACCEPTED(p.machine->switches ^= 0xC3);
    for (int bit = 2; bit < 6; bit++) REFUSED("switches", p.machine->switches ^= (uint8_t)(1 << bit));
    AT_MOST(0, "data_bus", p.machine->data_bus);
    ACCEPTED(p.machine->data_bus = 0xFF, p.machine->cpu.pc = 0x2F7F); /* the next fetch sees it */
    REFUSED("data_bus", p.machine->data_bus = 1, p.machine->cpu.pc = 0x80);
    for (int i = 0; i < 7; i++) AT_MOST(0, "snapshot_head.reserved", p.snapshot->reserved[i]);
    REFUSED("partial", p.machine->partial = 2);
    ACCEPTED(set_partial(p.machine));
    AT_MOST(MT19937_WORDS, "random.position", p.machine->random.position);
    AT_LEAST(1, "random.position", p.machine->random.position);
    REFUSED("random.state", memset(p.machine->random.state, 0, sizeof p.machine->random.state));
}

/* The raster as of now, or as of the beginning of the older log. */
static void check_raster(ale_env *env, const ale_state *good, ale_state *bad, bool of_log) {
#define RASTER (of_log ? &p.log[1]->start : &p.machine->tia.now)
    for (unsigned reg = 0; reg < 48; reg++) {
        if (reg == WSYNC || reg == RSYNC || (reg >= RESP0 && reg <= RESBL) || reg >= HMOVE)
            REFUSED("raster.reg", RASTER->reg[reg] = 1);
        else if (of_log || (reg != VBLANK && !(reg >= AUDC0 && reg <= AUDV1))) /* others see them */
            ACCEPTED(RASTER->reg[reg] = 0xFF);
    }
    for (int i = 0; i < MOVABLE; i++) AT_MOST(SCREEN_WIDTH - 1, "raster.position", RASTER->position[i]);
    for (int i = 0; i < 2; i++) BOOLEAN("raster.suppressed", RASTER->suppressed[i]);
    BOOLEAN("raster.reflected", RASTER->reflected);
    BOOLEAN("raster.hmove_blank", RASTER->hmove_blank);
    BOOLEAN("raster.cosmic", RASTER->cosmic);
    REFUSED("raster.cosmic_step", RASTER->cosmic_step = 1);
    ACCEPTED(RASTER->cosmic = 1, RASTER->cosmic_step = 3);
    REFUSED("raster.cosmic_step", RASTER->cosmic = 1, RASTER->cosmic_step = 4);
    REFUSED("raster.m0_override", RASTER->m0_override = 1);
    ACCEPTED(RASTER->cosmic = 1, RASTER->m0_override = 2);
    REFUSED("raster.m0_override", RASTER->cosmic = 1, RASTER->m0_override = 3);
    BOOLEAN("raster.colour_loss", RASTER->colour_loss);
    REFUSED("raster.row_base", RASTER->row_base = env->console->window_start - 1);
    REFUSED("raster.row_base", RASTER->row_base = env->console->window_start + 1);
    REFUSED("raster.drawn", RASTER->drawn = env->console->window_end + 1);
    AT_LEAST(env->console->window_start, "raster.drawn", RASTER->drawn);
    if (!of_log) {
        ACCEPTED(RASTER->drawn = env->console->window_end);
        ACCEPTED(RASTER->row_base = RASTER->drawn = 0);
    } else { /* a log that makes up its picture begins with the window */
        REFUSED("log.start", RASTER->drawn++);
        REFUSED("log.start", RASTER->row_base = RASTER->drawn = 0);
    }
#undef RASTER
}

/* The environment's own generator. */
static void generators_are_checked(ale_env *env, ale_state *bad) {
    CHECK_EQUAL(ale_env_save(env, 1, bad), ALE_OK);
    mt19937 *own = (void *)(bad->bytes + sizeof(saved_environment));
    own->position = MT19937_WORDS;
    CHECK_EQUAL(restore_bytes(env, bad), ALE_OK);
    own->position++;
    check_refused(env, bad, "own_random.position", "position");
    *own = (mt19937){{0x80000000}, 1};
    CHECK_EQUAL(restore_bytes(env, bad), ALE_OK);
    own->position = 0;
    check_refused(env, bad, "own_random.position", "no generator is saved before its first number");
    *own = (mt19937){{0x7FFFFFFF}, 1};
    check_refused(env, bad, "own_random.state", "zeros for ever");
}

/* Where the console's generator is not wanted there are zeros. */
static void zeros_for_a_generator_are_checked(void) {
    ale_env *env = make_test_env(ALE_MULTI);
    ale_state *good = state_of(env, 0), *bad = state_of(env, 0);
    REFUSED("random.state", p.machine->random.state[MT19937_WORDS - 1] = 1);
    REFUSED("random.position", p.machine->random.position = 1);
    CHECK_EQUAL(ale_env_save(env, 1, good), ALE_OK);
    AT_LEAST(1, "random.position", p.machine->random.position);
    REFUSED("random.state", memset(p.machine->random.state, 0, sizeof p.machine->random.state));
    end(env, good, bad);
}

static void every_field_is_checked(void) {
    ale_env *env = make_test_env(ALE_SOLO);
    for (int i = 0; i < 3; i++) play(env);
    ale_state *good = state_of(env, 0), *bad = state_of(env, 0);
    CHECK_EQUAL(restore_bytes(env, good), ALE_OK);
    what_is_absent_is_checked(env, good, bad);
    check_picture(env, good, bad);
    check_raster(env, good, bad, true);
    generators_are_checked(env, bad);
    /* A frame that is drawn while it runs has an empty log, which says nothing of the machine. */
    env->console->fast_paths = 0;
    play(env);
    CHECK_EQUAL(ale_env_save(env, 0, good), ALE_OK);
    CHECK_EQUAL(ale_env_save(env, 0, bad), ALE_OK);
    check_chips(env, good, bad);
    check_raster(env, good, bad, false);
    REFUSED("log.start", p.log[0]->start.drawn = 1);
    end(env, good, bad);
}

static void set_bank(cartridge_state *cartridge, uint32_t bank, uint32_t bank_size) {
    cartridge->bank = bank;
    cartridge->offset = bank * bank_size;
}

static void check_dpc(ale_env *env, const ale_state *good, ale_state *bad) {
    for (int i = 0; i < 8; i++) {
        AT_MOST(0x7FF, "cartridge.dpc.counter", p.machine->cartridge.dpc.counter[i]);
        ACCEPTED(p.machine->cartridge.dpc.flag[i] = 0xFF);
        REFUSED("cartridge.dpc.flag", p.machine->cartridge.dpc.flag[i] = 1);
        REFUSED("cartridge.dpc.flag", p.machine->cartridge.dpc.flag[i] = 0xFE);
    }
    for (int i = 0; i < 3; i++) BOOLEAN("cartridge.dpc.music", p.machine->cartridge.dpc.music[i]);
    AT_MOST(0xFE, "cartridge.dpc.random", p.machine->cartridge.dpc.random);
    ACCEPTED(p.machine->cartridge.dpc.fraction = 1 - 0x1p-53);
    ACCEPTED(p.machine->cartridge.dpc.fraction = -1 + 0x1p-53);
    REFUSED("cartridge.dpc.fraction", p.machine->cartridge.dpc.fraction = 1);
    REFUSED("cartridge.dpc.fraction", p.machine->cartridge.dpc.fraction = -1);
    REFUSED("cartridge.dpc.fraction", memset(&p.machine->cartridge.dpc.fraction, 0xFF, 8)); /* no number */
}

/* Whatever a cartridge switches to must be there. */
static void banks_are_checked(void) {
    enum { FLAT = 4096, RAM_3E = 256, RAM_3E_BANKS = 32 };
    static const struct {
        const char *scheme;
        uint32_t size, banks;
        uint32_t bank_size; /* FLAT: banks fill the cartridge's half of the address space, and have an offset; or 0 */
        uint8_t slice[4];   /* the last that there is */
        uint8_t locks;
    } schemes[] = {
        {"4K", 4096, 1, FLAT, {0}, 0},    {"F8", 8192, 2, FLAT, {0}, 0},   {"F6", 16384, 4, FLAT, {0}, 0},
        {"F4", 32768, 8, FLAT, {0}, 0},   {"FASC", 12288, 3, FLAT, {0}, 0}, {"F8SC", 8192, 2, FLAT, {0}, 0},
        {"UA", 8192, 2, FLAT, {0}, 0},
        {"MB", 65536, 16, FLAT, {0}, 0},  {"DPC", 10240, 2, FLAT, {0}, 0}, {"FE", 8192, 1, 0, {0}, 0},
        {"CV", 2048, 1, 0, {0}, 0},       {"3F", 8192, 4, 0, {0}, 0},      {"3E", 8192, 4, 0, {0}, 0},
        {"E0", 8192, 1, 0, {7, 7, 7, 7}, 0}, {"E7", 16384, 1, 0, {7, 3, 0, 0}, 0},
        {"MC", 131072, 1, 0, {0xFF, 0xFF, 0xFF, 0xFF}, 1},
    };
    static const uint8_t bytes[131072];
    for (size_t n = 0; n < sizeof schemes / sizeof *schemes; n++) {
        const char *scheme = schemes[n].scheme;
        const uint32_t size = schemes[n].bank_size, last = schemes[n].banks - 1;
        ale_env *env = make(bytes, schemes[n].size, scheme, ALE_SOLO, ALE_FAST_ALL);
        ale_state *good = state_of(env, 0), *bad = state_of(env, 0);
        ACCEPTED(set_bank(&p.machine->cartridge, last, size));
        REFUSED("cartridge.bank", set_bank(&p.machine->cartridge, last + 1, size));
        REFUSED("cartridge.offset", p.machine->cartridge.offset++);
        AT_MOST(schemes[n].locks, "cartridge.mc_locked", p.machine->cartridge.mc_locked);
        for (int i = 0; i < 4; i++) {
            ACCEPTED(p.machine->cartridge.slice[i] = schemes[n].slice[i]);
            if (schemes[n].slice[i] < 0xFF)
                REFUSED("cartridge.slice", p.machine->cartridge.slice[i] = (uint8_t)(schemes[n].slice[i] + 1));
        }
        const cartridge_scheme *cartridge = env->console->rom->cartridge;
        if (cartridge->ram) ACCEPTED(p.machine->cartridge.ram[cartridge->ram - 1] ^= 0xFF);
        if (cartridge->ram < 256) REFUSED("cartridge.ram", p.machine->cartridge.ram[cartridge->ram] = 1);
        if (strcmp(scheme, "DPC") == 0) check_dpc(env, good, bad);
        if (strcmp(scheme, "E0") == 0) REFUSED("cartridge.slice", p.machine->cartridge.slice[3] = 6);
        if (strcmp(scheme, "3E") == 0) {
            AT_LEAST(RAM_3E, "cartridge.bank", p.machine->cartridge.bank);
            AT_MOST(RAM_3E + RAM_3E_BANKS - 1, "cartridge.bank", p.machine->cartridge.bank);
        }
        end(env, good, bad);
    }
}

/* States that end in the middle of something, or only after the end, whatever they say of their size. */
static void sizes_are_checked(int32_t include_random) {
    ale_env *env = make_test_env(ALE_SOLO);
    play(env);
    ale_state *good = state_of(env, include_random), *bad = state_of(env, include_random);
    const size_t whole = good->size, start = sizeof(saved_environment);
    const size_t offset = start + (include_random ? sizeof(mt19937) : 0);
    bad->capacity = whole + 1;
    free(bad->bytes);
    bad->bytes = calloc(1, bad->capacity);
    if (!bad->bytes) exit(1);
    for (bad->size = start; bad->size <= whole + 1; bad->size++) {
        if (bad->size == whole) continue;
        memcpy(bad->bytes, good->bytes, bad->size < whole ? bad->size : whole);
        ((saved_environment *)(void *)bad->bytes)->size = bad->size;
        const uint32_t of_snapshot = (uint32_t)(bad->size - offset);
        if (bad->size >= offset + sizeof(snapshot_head))
            memcpy(bad->bytes + offset + offsetof(snapshot_head, size), &of_snapshot, sizeof of_snapshot);
        check_refused(env, bad, "size", "another size");
    }
    end(env, good, bad);
}

/* Heads that no environment saves are not even taken for states. */
static void heads_are_checked(void) {
    ale_env *env = make_test_env(ALE_SOLO);
    ale_state *good = state_of(env, 1), *state = new_state();
    uint8_t *bytes = malloc(good->size);
    if (!bytes) exit(1);
    const saved_environment sound = *state_head(good);
    saved_environment *const head = (saved_environment *)(void *)good->bytes;
#define TAKEN(expected, ...)                                                             \
    do {                                                                               \
        *head = sound;                                                                 \
        __VA_ARGS__;                                                                   \
        state_serialize(good, bytes);                                                  \
        CHECK_EQUAL(ale_state_deserialize(state, bytes, good->size), expected);          \
    } while (0)
    TAKEN(ALE_OK, head->includes_random = 0);
    TAKEN(ALE_OK, head->rules = ALE_MULTI);
    TAKEN(ALE_OK, memset(head->game, 'x', sizeof head->game - 1));
    TAKEN(ALE_BAD_STATE, head->md5[sizeof head->md5 - 2] = 'x');   /* behind the end */
    TAKEN(ALE_BAD_STATE, head->game[sizeof head->game - 2] = 'x');
    TAKEN(ALE_BAD_STATE, head->includes_random = 2);
    TAKEN(ALE_OK, head->rules = ALE_BY_MODE);
    TAKEN(ALE_OK, head->rules = ALE_BY_MODE | ALE_MULTI);
    TAKEN(ALE_BAD_STATE, head->rules = (ALE_BY_MODE | ALE_MULTI) + 1);
    TAKEN(ALE_BAD_STATE, head->rules = ALE_SOLO - 1);
    TAKEN(ALE_BAD_STATE, head->md5[sizeof head->md5 - 1] = 'x');
    TAKEN(ALE_BAD_STATE, head->game[sizeof head->game - 1] = 'x');
    TAKEN(ALE_BAD_STATE, head->layout++);
    TAKEN(ALE_BAD_STATE, head->layout = __builtin_bswap32(head->layout));
    CHECK(strstr(ale_last_error(), "byte order"));
    TAKEN(ALE_BAD_STATE, head->size++);
    TAKEN(ALE_BAD_STATE, head->size--);
    for (size_t i = 0; i < sizeof head->magic; i++) TAKEN(ALE_BAD_STATE, head->magic[i]++);
#undef TAKEN
    free(bytes);
    ale_state_destroy(good);
    ale_state_destroy(state);
    ale_env_destroy(env);
}

/* Make `bad` a copy of a state with some zeros after it, which count as part of its snapshot. */
static parts find_longer(ale_state *bad, const ale_state *good, size_t more) {
    bad->size = good->size + more;
    free(bad->bytes);
    bad->bytes = calloc(1, bad->size);
    if (!bad->bytes) exit(1);
    memcpy(bad->bytes, good->bytes, good->size);
    parts p = find(bad->bytes);
    p.head->size = bad->size;
    p.snapshot->size += (uint32_t)more;
    return p;
}

/* A log may be full, or empty. */
static void logs_of_all_sizes_are_accepted(void) {
    ale_env *env = make_test_env(ALE_SOLO);
    play(env);
    ale_state *good = state_of(env, 0), *bad = state_of(env, 0);
    const uint32_t count = find(good->bytes).log[1]->count;
    const size_t more = (LOG_CAPACITY - count) * sizeof(tia_access);
    parts p = find_longer(bad, good, more);
    for (p.log[1]->count = count; p.log[1]->count < LOG_CAPACITY; p.log[1]->count++)
        p.access[1][p.log[1]->count] = p.access[1][count - 1];
    check_accepted(env, bad, good, "a full log");
    p.log[1]->count = 0;
    p.picture->back[0] = p.picture->back[1] = 0;
    p.head->size = bad->size = good->size - count * sizeof(tia_access);
    p.snapshot->size -= (uint32_t)(LOG_CAPACITY * sizeof(tia_access));
    check_refused(env, bad, "log.whole", "an empty log");
    CHECK_EQUAL(ale_env_restore(env, good), ALE_OK);
    end(env, good, bad);
}

/* What covers the pixels of a frame that did not end has bits of objects only. */
static void covers_are_checked(void) {
    uint8_t program[TEST_ROM_SIZE] = {0x4C, 0x00, 0xF0}; /* JMP to itself */
    program[0xFFD] = 0xF0;
    ale_env *env = make_telling(1, program, sizeof program, NULL, ALE_SOLO, ALE_FAST_ALL);
    play(env);
    ale_state *good = state_of(env, 0), *bad = state_of(env, 0);
    const size_t cover = picture_buffer_size(env->console->picture), latest = bad->size - 2 * cover - sizeof(saved_log);
    for (int back = 0; back < 2; back++) {
        const size_t last = (back ? bad->size : latest) - 1;
        AT_MOST(ALL_OBJECTS, "log.cover", ((uint8_t *)p.head)[last]);
        AT_MOST(ALL_OBJECTS, "log.cover", ((uint8_t *)p.head)[last + 1 - cover]);
        CHECK(find(bad->bytes).log[0]->covered);
    }
    end(env, good, bad);
}

/* States are compared by their machines, which must be there. */
static void states_have_a_machine(void) {
    ale_env *env = make_test_env(ALE_SOLO);
    for (uint32_t random = 0; random < 2; random++) {
        ale_state *good = state_of(env, random), *bad = state_of(env, random), *read = new_state();
        size_t least = sizeof(saved_environment) + (random ? sizeof(mt19937) : 0) + CONSOLE_SNAPSHOT_LEAST;
        for (bad->size = least - 1; bad->size <= least; bad->size++) {
            ((saved_environment *)(void *)bad->bytes)->size = bad->size;
            uint8_t *bytes = malloc(bad->size);
            if (!bytes) exit(1);
            CHECK_EQUAL(ale_state_serialize(bad, bytes, bad->size), ALE_OK);
            bool enough = bad->size == least;
            CHECK_EQUAL(ale_state_deserialize(read, bytes, bad->size), enough ? ALE_OK : ALE_BAD_STATE);
            if (!enough) CHECK(strstr(ale_last_error(), "machine"));
            free(bytes);
        }
        CHECK(equal_states(good, read));
        CHECK_EQUAL(ale_env_restore(env, read), ALE_BAD_STATE); /* without a picture */
        ale_state_destroy(good);
        ale_state_destroy(bad);
        ale_state_destroy(read);
    }
    ale_env_destroy(env);
}

/* Accesses beside pixels: what is drawn is in no log. */
static void drawn_logs_are_empty(void) {
    ale_env *env = make_test_env(ALE_SOLO);
    play(env);
    ale_state *good = state_of(env, 0), *bad = new_state();
    const size_t pixels = picture_buffer_size(env->console->picture);
    parts p = find_longer(bad, good, pixels);
    p.log[1]->whole = 0;
    check_refused(env, bad, "log.count", "accesses beside pixels");
    bad->size -= p.log[1]->count * sizeof(tia_access);
    p.head->size = bad->size;
    p.snapshot->size -= (uint32_t)(p.log[1]->count * sizeof(tia_access));
    p.log[1]->count = 0;
    p.picture->back[0] = p.picture->back[1] = 0;
    check_refused(env, bad, "log.start", "the beginning of nothing");
    memset(&p.log[1]->start, 0, sizeof p.log[1]->start);
    CHECK_EQUAL(restore_bytes(env, bad), ALE_OK); /* pixels alone are fine */
    end(env, good, bad);
}

/* Random damage: what is accepted must do no harm, which only a sanitizer sees. */
static void accepted_damage_is_harmless(ale_rules rules) {
    ale_env *env = make_test_env(rules);
    for (int i = 0; i < 3; i++) play(env);
    ale_state *good = state_of(env, rules == ALE_MULTI), *bad = state_of(env, rules == ALE_MULTI);
    mt19937 random;
    mt19937_seed(&random, 1);
    const size_t start = offsetof(saved_environment, s);
    const int rounds = check_turns(2000);
    int accepted = 0;
    for (int round = 0; round < rounds; round++) {
        memcpy(bad->bytes, good->bytes, good->size);
        uint32_t damages = 1 + mt19937_next(&random) % 4;
        for (uint32_t i = 0; i < damages; i++)
            bad->bytes[start + mt19937_next(&random) % (good->size - start)] = (uint8_t)mt19937_next(&random);
        if (restore_bytes(env, bad) != ALE_OK) continue;
        accepted++;
        for (int i = 0; i < 3; i++) {
            play(env);
            (void)ale_env_screen_indices(env);
        }
    }
    CHECK(accepted > rounds / 20);
    CHECK_EQUAL(ale_env_restore(env, good), ALE_OK);
    end(env, good, bad);
}

/* Noise for a program meets what no game does: frames without end, the CPU jammed, stacks in the TIA. */
static void whatever_is_saved_is_accepted(void) {
    static const struct {
        const char *scheme;
        uint32_t size;
    } schemes[] = {{"2K", 2048},  {"4K", 4096},  {"F8", 8192},  {"F8SC", 8192},  {"F6", 16384}, {"F6SC", 16384},
                   {"F4", 32768}, {"F4SC", 32768}, {"FASC", 12288}, {"FE", 8192}, {"E0", 8192}, {"E7", 16384},
                   {"3F", 8192},  {"3E", 8192},  {"UA", 8192},  {"MB", 65536}, {"CV", 2048},  {"MC", 131072},
                   {"DPC", 10240}};
    static uint8_t bytes[131072];
    mt19937 random;
    mt19937_seed(&random, 3);
    for (size_t n = 0; n < sizeof schemes / sizeof *schemes; n++) {
        for (int image = 0; image < check_turns(6); image++) {
            for (uint32_t i = 0; i < schemes[n].size; i++) {
                uint32_t draw = mt19937_next(&random);
                /* fewer jams and jumps than pure noise; with stores to the TIA */
                bytes[i] = (uint8_t)(image % 2 && draw >> 8 & 1 ? (draw >> 9 & 1 ? 0x85 : draw & 0x3F) : draw);
            }
            ale_env *env = make(bytes, schemes[n].size, schemes[n].scheme, image % 3 ? ALE_SOLO : ALE_MULTI,
                                ALE_FAST_ALL);
            ale_state *state = new_state();
            for (int i = 0; i < 12; i++) {
                CHECK_EQUAL(ale_env_save(env, image % 2 ? 1 : 0, state), ALE_OK);
                ale_status status = restore_bytes(env, state);
                if (status != ALE_OK) {
                    fprintf(stderr, "%s, image %d, frame %d: %s\n", schemes[n].scheme, image, i, ale_last_error());
                    check_failures = 1;
                }
                if (i == 5) (void)ale_env_screen_indices(env);
                if (i == 8) CHECK_EQUAL(ale_env_reset(env), ALE_OK);
                play(env);
            }
            ale_state_destroy(state);
            ale_env_destroy(env);
        }
    }
}

int main(void) {
    RUN(every_field_is_checked());
    RUN(what_players_have_is_checked());
    RUN(zeros_for_a_generator_are_checked());
    RUN(samples_come_only_with_sound());
    RUN(banks_are_checked());
    RUN(sizes_are_checked(0));
    RUN(sizes_are_checked(1));
    RUN(heads_are_checked());
    RUN(logs_of_all_sizes_are_accepted());
    RUN(covers_are_checked());
    RUN(states_have_a_machine());
    RUN(drawn_logs_are_empty());
    RUN(accepted_damage_is_harmless(ALE_SOLO));
    RUN(accepted_damage_is_harmless(ALE_MULTI));
    RUN(whatever_is_saved_is_accepted());
    return check_failures;
}
