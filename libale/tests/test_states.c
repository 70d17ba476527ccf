/* Saved states as attackers would write them, with right checksums: each field is damaged by itself and must be
 * refused by name with nothing changed, and accepted with the last value before that; what is not refused must be
 * harmless; and whatever the library saves, in any situation, must be accepted. */
#include <stdlib.h>

#include "check.h"
#include "console/cartridge/scheme.h"
#include "console/video/picture.h"
#include "environment/environment.h"
#include "environment/state.h"
#include "test_rom.h"

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

static ale_state *new_state(void) {
    ale_state *state = NULL;
    if (ale_state_create(&state) != ALE_OK) exit(1);
    return state;
}

static ale_env *make_telling(uint32_t objects, const uint8_t *bytes, size_t size, const char *scheme, ale_rules rules,
                             uint32_t fast_paths) {
    ale_rom_options rom_options;
    ale_rom_options_init(&rom_options, sizeof rom_options);
    rom_options.game = "";
    rom_options.scheme = scheme;
    ale_env_options options;
    ale_env_options_init(&options, sizeof options);
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

/* Through the public doors: bytes with the right checksum. */
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
    ale_state *before = new_state(), *after = new_state();
    CHECK_EQUAL(ale_env_save(env, 1, before), ALE_OK);
    ale_status status = restore_bytes(env, bad);
    if (status != ALE_BAD_STATE || !strstr(ale_last_error(), field)) {
        fprintf(stderr, "%s: status %d, \"%s\" lacks \"%s\"\n", what, (int)status, ale_last_error(), field);
        check_failures = 1;
    }
    CHECK_EQUAL(ale_env_save(env, 1, after), ALE_OK);
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
#define FLAG(field, value) AT_MOST(1, field, value)

static void set_paddles(saved_environment *head, int32_t min, int32_t max, int32_t position) {
    head->s.paddle_min = min;
    head->s.paddle_max = max;
    for (int i = 0; i < GAME_MAX_PLAYERS; i++) head->s.paddle[i] = position;
}

static void check_environment(ale_env *env, const ale_state *good, ale_state *bad) {
    const int32_t bound = 1 << 28;
    REFUSED("mode", p.head->s.mode = 1);
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
    }
    for (int i = 0; i < GAME_VARIABLES; i++) AT_LEAST(-bound, "game.var", p.head->s.game.var[i]);
    AT_MOST(bound, "game.max_turn_time", p.head->s.game.max_turn_time);
    AT_LEAST(-bound, "game.max_turn_time", p.head->s.game.max_turn_time);
    AT_MOST(bound, "lives_at_start", p.head->s.lives_at_start);
    AT_LEAST(0, "paddle_min", p.head->s.paddle_min);
    REFUSED("paddle_max", p.head->s.paddle_max = -1);
    /* the range may be upside down, or of one place */
    ACCEPTED(set_paddles(p.head, 3, 2, 2));
    ACCEPTED(set_paddles(p.head, 3, 2, 3));
    REFUSED("paddle", set_paddles(p.head, 3, 2, 1));
    REFUSED("paddle", set_paddles(p.head, 3, 2, 4));
    ACCEPTED(set_paddles(p.head, 0, 0, 0));
    REFUSED("game.terminal", memset(&p.head->s.game.terminal, 2, 1));
    REFUSED("game.started", memset(&p.head->s.game.started, 2, 1));
    REFUSED("game.players", p.head->s.game.players = 2);
    REFUSED("game.players", p.head->s.game.mode = 7);
    REFUSED("game.players", p.head->s.game.mode = 7, p.head->s.game.players = 0);
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
    ACCEPTED(MOVE_END((end + 2) / 3));
    ACCEPTED(MOVE_END(LATEST_ACCESS));
    REFUSED("log.whole", MOVE_END(inside));
    REFUSED("log.whole", MOVE_END((end - LONGEST_DELAY) / 3 - 1));
#undef MOVE_END
}

static void check_picture(ale_env *env, const ale_state *good, ale_state *bad) {
    REFUSED("snapshot_head", p.snapshot->layout++);
    REFUSED("snapshot_head", p.snapshot->size--);
    REFUSED("snapshot_head", p.snapshot->height++);
    FLAG("picture.buffer", p.picture->buffer);
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
            ACCEPTED(p.access[back][i] = (p.access[back][i] & 0xFFFF00FF) | TIA_READ << 8);
            REFUSED("log.access (register)",
                    p.access[back][i] = (p.access[back][i] & 0xFFFF00FF) | (TIA_READ + 1) << 8);
        }
        REFUSED("log.access (register)", p.access[back][last] |= 0x8000);
        REFUSED("log.access (time)", p.access[back][last] = p.access[back][last - 1] - 0x10000);
        check_ends(env, good, bad, back);
    }
    REFUSED("size", p.log[1]->count--, p.picture->cursor[0].index = p.picture->cursor[1].index = 0);
}

/* Each byte of the chips' states has its bounds. */
static void check_chips(ale_env *env, const ale_state *good, ale_state *bad) {
    ACCEPTED(p.machine->cpu.n = 0x80);
    REFUSED("cpu.n", p.machine->cpu.n = 0x7F);
    FLAG("cpu.z", p.machine->cpu.z);
    REFUSED("cpu.z", p.machine->cpu.z = 0x80);
    FLAG("cpu.v", p.machine->cpu.v);
    FLAG("cpu.d", p.machine->cpu.d);
    FLAG("cpu.i", p.machine->cpu.i);
    FLAG("cpu.c", p.machine->cpu.c);
    FLAG("cpu.jammed", p.machine->cpu.jammed);
    AT_MOST(0, "cpu.reserved", p.machine->cpu.reserved);
    AT_MOST(0xFF, "riot.value", p.machine->riot.value);
    for (uint32_t shift = 0; shift < 32; shift++) {
        if (shift == 0 || shift == 3 || shift == 6 || shift == 10)
            ACCEPTED(p.machine->riot.shift = (uint8_t)shift);
        else
            REFUSED("riot.shift", p.machine->riot.shift = (uint8_t)shift);
    }
    FLAG("riot.read_expired", p.machine->riot.read_expired);
    AT_MOST(0, "riot.reserved", p.machine->riot.reserved);
    AT_LEAST(0, "tia.vsync_end", p.machine->tia.vsync_end);
    AT_MOST((int64_t)UINT32_MAX + LINE_CLOCKS, "tia.vsync_end", p.machine->tia.vsync_end);
    AT_MOST(UINT32_MAX / LINE_CLOCKS, "tia.line", p.machine->tia.line);
    AT_MOST(UINT32_MAX / LINE_CLOCKS, "tia.last_lines", p.machine->tia.last_lines);
    AT_MOST(ALL_PAIRS, "tia.collisions", p.machine->tia.collisions);
    FLAG("tia.dump", p.machine->tia.dump);
    AT_MOST(LINE_CYCLES - 1, "tia.phase", p.machine->tia.phase);
    FLAG("tia.stop", p.machine->tia.stop);
    FLAG("tia.greyed", p.machine->tia.greyed);
    AT_MOST(0, "tia.reserved", p.machine->tia.reserved);
    for (int i = 0; i < 8; i++) {
        AT_MOST(0x7FF, "cartridge.dpc.counter", p.machine->cartridge.dpc.counter[i]);
        ACCEPTED(p.machine->cartridge.dpc.flag[i] = 0xFF);
        REFUSED("cartridge.dpc.flag", p.machine->cartridge.dpc.flag[i] = 1);
        REFUSED("cartridge.dpc.flag", p.machine->cartridge.dpc.flag[i] = 0xFE);
    }
    for (int i = 0; i < 3; i++) FLAG("cartridge.dpc.music", p.machine->cartridge.dpc.music[i]);
    ACCEPTED(p.machine->cartridge.dpc.fraction = 1 - 0x1p-53);
    ACCEPTED(p.machine->cartridge.dpc.fraction = -1 + 0x1p-53);
    REFUSED("cartridge.dpc.fraction", p.machine->cartridge.dpc.fraction = 1);
    REFUSED("cartridge.dpc.fraction", p.machine->cartridge.dpc.fraction = -1);
    REFUSED("cartridge.dpc.fraction", memset(&p.machine->cartridge.dpc.fraction, 0xFF, 8)); /* no number */
    for (int i = 0; i < 2; i++) {
        AT_MOST(31, "audio.divider", p.machine->audio.divider[i]);
        AT_MOST(15, "audio.poly4", p.machine->audio.poly4[i]);
        AT_MOST(31, "audio.poly5", p.machine->audio.poly5[i]);
    }
    AT_MOST(0, "bus_was_read", p.machine->bus_was_read);
    AT_MOST(0, "data_bus", p.machine->data_bus);
    ACCEPTED(p.machine->data_bus = 0xFF, p.machine->cpu.pc = 0x2F7F); /* the next fetch sees it */
    REFUSED("data_bus", p.machine->data_bus = 1, p.machine->cpu.pc = 0x80);
    for (int i = 0; i < 4; i++) AT_MOST(0, "machine.reserved", p.machine->reserved[i]);
    for (int i = 0; i < 7; i++) AT_MOST(0, "snapshot_head.reserved", p.snapshot->reserved[i]);
    REFUSED("partial", p.machine->partial = 2);
    REFUSED("partial", p.machine->partial = 1); /* with a log, from which the frame cannot go on */
    AT_MOST(MT19937_WORDS, "random.position", p.machine->random.position);
}

/* The raster as of now and as of the beginning of each log. */
static void check_raster(ale_env *env, const ale_state *good, ale_state *bad, int which) {
#define RASTER (which ? &p.log[which - 1]->start : &p.machine->tia.now)
    for (unsigned reg = 0; reg < 48; reg++) {
        if (reg == WSYNC || reg == RSYNC || (reg >= RESP0 && reg <= RESBL) || reg >= HMOVE)
            REFUSED("raster.reg", RASTER->reg[reg] = 1);
        else
            ACCEPTED(RASTER->reg[reg] = 0xFF);
    }
    for (int i = 0; i < MOVABLE; i++) AT_MOST(SCREEN_WIDTH - 1, "raster.position", RASTER->position[i]);
    for (int i = 0; i < 2; i++) FLAG("raster.suppressed", RASTER->suppressed[i]);
    FLAG("raster.reflected", RASTER->reflected);
    FLAG("raster.hmove_blank", RASTER->hmove_blank);
    FLAG("raster.cosmic", RASTER->cosmic);
    AT_MOST(3, "raster.cosmic_step", RASTER->cosmic_step);
    AT_MOST(2, "raster.m0_override", RASTER->m0_override);
    FLAG("raster.colour_loss", RASTER->colour_loss);
    REFUSED("raster.row_base", RASTER->row_base = env->console->window_start - 1);
    REFUSED("raster.row_base", RASTER->row_base = env->console->window_start + 1);
    REFUSED("raster.drawn", RASTER->drawn = env->console->window_end + 1);
    AT_LEAST(env->console->window_start, "raster.drawn", RASTER->drawn);
    if (which == 0) {
        ACCEPTED(RASTER->drawn = env->console->window_end);
        ACCEPTED(RASTER->row_base = RASTER->drawn = 0);
    } else { /* a log that makes up its picture begins with the window */
        REFUSED("log.start", RASTER->drawn++);
        REFUSED("log.start", RASTER->row_base = RASTER->drawn = 0);
    }
#undef RASTER
}

static void every_field_is_checked(void) {
    ale_env *env = make_test_env(ALE_SOLO);
    for (int i = 0; i < 3; i++) play(env);
    ale_state *good = new_state(), *bad = new_state();
    CHECK_EQUAL(ale_env_save(env, 0, good), ALE_OK);
    CHECK_EQUAL(ale_env_save(env, 0, bad), ALE_OK);
    CHECK_EQUAL(restore_bytes(env, good), ALE_OK);
    check_environment(env, good, bad);
    check_picture(env, good, bad);
    check_chips(env, good, bad);
    for (int which = 0; which < 3; which++) check_raster(env, good, bad, which);
    /* the environment's own generator */
    CHECK_EQUAL(ale_env_save(env, 1, bad), ALE_OK);
    mt19937 *own = (void *)(bad->bytes + sizeof(saved_environment));
    own->position = MT19937_WORDS;
    CHECK_EQUAL(restore_bytes(env, bad), ALE_OK);
    own->position++;
    check_refused(env, bad, "own_random.position", "position");
    *own = (mt19937){{0x80000000}, 0};
    CHECK_EQUAL(restore_bytes(env, bad), ALE_OK);
    *own = (mt19937){{0x7FFFFFFF}, 0};
    check_refused(env, bad, "own_random.state", "zeros for ever");

    ale_state_destroy(good);
    ale_state_destroy(bad);
    ale_env_destroy(env);
}

static void set_bank(cartridge_state *cartridge, uint32_t bank, uint32_t bank_size) {
    cartridge->bank = bank;
    cartridge->offset = bank * bank_size;
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
        {"F4", 32768, 8, FLAT, {0}, 0},   {"FASC", 12288, 3, FLAT, {0}, 0}, {"UA", 8192, 2, FLAT, {0}, 0},
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
        ale_state *good = new_state(), *bad = new_state();
        CHECK_EQUAL(ale_env_save(env, 0, good), ALE_OK);
        CHECK_EQUAL(ale_env_save(env, 0, bad), ALE_OK);
        ACCEPTED(set_bank(&p.machine->cartridge, last, size));
        REFUSED("cartridge.bank", set_bank(&p.machine->cartridge, last + 1, size));
        REFUSED("cartridge.offset", p.machine->cartridge.offset++);
        AT_MOST(schemes[n].locks, "cartridge.mc_locked", p.machine->cartridge.mc_locked);
        for (int i = 0; i < 4; i++) {
            ACCEPTED(p.machine->cartridge.slice[i] = schemes[n].slice[i]);
            if (schemes[n].slice[i] < 0xFF)
                REFUSED("cartridge.slice", p.machine->cartridge.slice[i] = (uint8_t)(schemes[n].slice[i] + 1));
        }
        if (strcmp(scheme, "E0") == 0) REFUSED("cartridge.slice", p.machine->cartridge.slice[3] = 6);
        if (strcmp(scheme, "3E") == 0) {
            AT_LEAST(RAM_3E, "cartridge.bank", p.machine->cartridge.bank);
            AT_MOST(RAM_3E + RAM_3E_BANKS - 1, "cartridge.bank", p.machine->cartridge.bank);
        }
        ale_state_destroy(good);
        ale_state_destroy(bad);
        ale_env_destroy(env);
    }
}

/* States that end in the middle of something, or only after the end, whatever they say of their size. */
static void sizes_are_checked(int32_t include_random) {
    ale_env *env = make_test_env(ALE_SOLO);
    play(env);
    ale_state *good = new_state(), *bad = new_state();
    CHECK_EQUAL(ale_env_save(env, include_random, good), ALE_OK);
    CHECK_EQUAL(ale_env_save(env, include_random, bad), ALE_OK);
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
    ale_state_destroy(good);
    ale_state_destroy(bad);
    ale_env_destroy(env);
}

/* Heads that no environment saves are not even taken for states. */
static void heads_are_checked(void) {
    ale_env *env = make_test_env(ALE_SOLO);
    ale_state *good = new_state(), *state = new_state();
    CHECK_EQUAL(ale_env_save(env, 1, good), ALE_OK);
    uint8_t *bytes = malloc(good->size);
    if (!bytes) exit(1);
    const saved_environment sound = *state_head(good);
    saved_environment *const head = (saved_environment *)(void *)good->bytes;
#define TAKEN(wanted, ...)                                                             \
    do {                                                                               \
        *head = sound;                                                                 \
        __VA_ARGS__;                                                                   \
        state_serialize(good, bytes);                                                  \
        CHECK_EQUAL(ale_state_deserialize(state, bytes, good->size), wanted);          \
    } while (0)
    TAKEN(ALE_OK, head->includes_random = 0);
    TAKEN(ALE_OK, head->rules = ALE_MULTI);
    TAKEN(ALE_OK, head->md5[sizeof head->md5 - 2] = 'x');
    TAKEN(ALE_OK, head->game[sizeof head->game - 2] = 'x');
    TAKEN(ALE_BAD_STATE, head->includes_random = 2);
    TAKEN(ALE_BAD_STATE, head->rules = ALE_MULTI + 1);
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

/* A log may be full, or empty. */
static void logs_of_all_sizes_are_accepted(void) {
    ale_env *env = make_test_env(ALE_SOLO);
    play(env);
    ale_state *good = new_state(), *bad = new_state();
    CHECK_EQUAL(ale_env_save(env, 0, good), ALE_OK);
    CHECK_EQUAL(ale_env_save(env, 0, bad), ALE_OK);
    const uint32_t count = find(good->bytes).log[1]->count;
    const size_t more = (LOG_CAPACITY - count) * sizeof(tia_access);
    bad->size = good->size + more;
    free(bad->bytes);
    bad->bytes = calloc(1, bad->size);
    if (!bad->bytes) exit(1);
    memcpy(bad->bytes, good->bytes, good->size);
    parts p = find(bad->bytes);
    p.head->size = bad->size;
    p.snapshot->size += (uint32_t)more;
    for (p.log[1]->count = count; p.log[1]->count < LOG_CAPACITY; p.log[1]->count++)
        p.access[1][p.log[1]->count] = p.access[1][count - 1];
    check_accepted(env, bad, good, "a full log");
    p.log[1]->count = 0;
    p.picture->back[0] = p.picture->back[1] = 0;
    p.head->size = bad->size = good->size - count * sizeof(tia_access);
    p.snapshot->size -= (uint32_t)(LOG_CAPACITY * sizeof(tia_access));
    check_refused(env, bad, "log.whole", "an empty log");
    CHECK_EQUAL(ale_env_restore(env, good), ALE_OK);
    ale_state_destroy(good);
    ale_state_destroy(bad);
    ale_env_destroy(env);
}

/* What covers the pixels of a frame that did not end has bits of objects only. */
static void covers_are_checked(void) {
    uint8_t program[TEST_ROM_SIZE] = {0x4C, 0x00, 0xF0}; /* JMP to itself */
    program[0xFFD] = 0xF0;
    ale_env *env = make_telling(1, program, sizeof program, NULL, ALE_SOLO, ALE_FAST_ALL);
    play(env);
    ale_state *good = new_state(), *bad = new_state();
    CHECK_EQUAL(ale_env_save(env, 0, good), ALE_OK);
    CHECK_EQUAL(ale_env_save(env, 0, bad), ALE_OK);
    const size_t cover = picture_buffer_size(env->console), latest = bad->size - 2 * cover - sizeof(saved_log);
    for (int back = 0; back < 2; back++) {
        const size_t last = (back ? bad->size : latest) - 1;
        AT_MOST(ALL_OBJECTS, "log.cover", ((uint8_t *)p.head)[last]);
        AT_MOST(ALL_OBJECTS, "log.cover", ((uint8_t *)p.head)[last + 1 - cover]);
        CHECK(find(bad->bytes).log[0]->covered);
    }
    ale_state_destroy(good);
    ale_state_destroy(bad);
    ale_env_destroy(env);
}

/* States are compared by their machines, which must be there. */
static void states_have_a_machine(void) {
    ale_env *env = make_test_env(ALE_SOLO);
    for (uint32_t random = 0; random < 2; random++) {
        ale_state *good = new_state(), *bad = new_state(), *read = new_state();
        CHECK_EQUAL(ale_env_save(env, random, good), ALE_OK);
        CHECK_EQUAL(ale_env_save(env, random, bad), ALE_OK);
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
        uint32_t equal = 0;
        CHECK_EQUAL(ale_state_equal(good, read, &equal), ALE_OK);
        CHECK_EQUAL(equal, 1);
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
    ale_state *good = new_state(), *bad = new_state();
    CHECK_EQUAL(ale_env_save(env, 0, good), ALE_OK);
    const size_t pixels = picture_buffer_size(env->console);
    bad->size = good->size + pixels;
    free(bad->bytes);
    bad->bytes = calloc(1, bad->size);
    if (!bad->bytes) exit(1);
    memcpy(bad->bytes, good->bytes, good->size);
    parts p = find(bad->bytes);
    p.head->size = bad->size;
    p.snapshot->size += (uint32_t)pixels;
    p.log[1]->whole = 0;
    check_refused(env, bad, "log.count", "accesses beside pixels");
    bad->size -= p.log[1]->count * sizeof(tia_access);
    p.head->size = bad->size;
    p.snapshot->size -= (uint32_t)(p.log[1]->count * sizeof(tia_access));
    p.log[1]->count = 0;
    p.picture->back[0] = p.picture->back[1] = 0;
    CHECK_EQUAL(restore_bytes(env, bad), ALE_OK); /* pixels alone are fine */
    ale_state_destroy(good);
    ale_state_destroy(bad);
    ale_env_destroy(env);
}

/* Random damage: what is accepted must do no harm, which only a sanitizer sees. */
static void accepted_damage_is_harmless(ale_rules rules) {
    ale_env *env = make_test_env(rules);
    for (int i = 0; i < 3; i++) play(env);
    ale_state *good = new_state(), *bad = new_state();
    CHECK_EQUAL(ale_env_save(env, 0, good), ALE_OK);
    CHECK_EQUAL(ale_env_save(env, 0, bad), ALE_OK);
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
    ale_state_destroy(good);
    ale_state_destroy(bad);
    ale_env_destroy(env);
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

/* Rules that go on from a number at the end of its range, and frames that go on from any time of VSYNC: what is saved
 * next is accepted again. */
static void ends_of_ranges_lead_to_good_states(void) {
    uint8_t bytes[TEST_ROM_SIZE];
    test_rom(bytes);
    memset(bytes, 0xEA, 4); /* no VSYNC: frames end because they are too long */
    for (int i = 0; i < ale_games_count; i++) {
        ale_rom_options rom_options;
        ale_rom_options_init(&rom_options, sizeof rom_options);
        rom_options.game = ale_games[i]->name;
        ale_rom *rom = NULL;
        CHECK_EQUAL(ale_rom_create(bytes, sizeof bytes, &rom_options, &rom), ALE_OK);
        for (int32_t rules = ALE_SOLO; rules <= ALE_MULTI; rules++) {
            ale_env_options options;
            ale_env_options_init(&options, sizeof options);
            options.rules = rules;
            ale_env *env = NULL;
            if (ale_env_create(rom, &options, &env) != ALE_OK) continue; /* an image that is not that game's */
            ale_state *state = new_state();
            for (int most = 0; most < 2; most++) {
                const int32_t bound = most ? GAME_NUMBER_LIMIT : -GAME_NUMBER_LIMIT;
                CHECK_EQUAL(ale_env_save(env, 0, state), ALE_OK);
                environment_state *s = &((saved_environment *)(void *)state->bytes)->s;
                for (int p = 0; p < GAME_MAX_PLAYERS; p++)
                    s->game.reward[p] = s->game.score[p] = s->game.lives[p] = bound;
                for (int n = 0; n < GAME_VARIABLES; n++) s->game.var[n] = bound;
                s->game.max_turn_time = s->lives_at_start = bound;
                find(state->bytes).machine->tia.vsync_end = most ? (int64_t)UINT32_MAX + LINE_CLOCKS : 0;
                CHECK_EQUAL(restore_bytes(env, state), ALE_OK);
                for (int frame = 0; frame < 3; frame++) {
                    const int32_t actions[ALE_MAX_PLAYERS] = {ALE_FIRE};
                    const uint32_t players = (uint32_t)ale_env_report(env)->players;
                    CHECK_EQUAL(ale_env_act(env, actions, NULL, players, 1), ALE_OK);
                    CHECK_EQUAL(ale_env_save(env, 0, state), ALE_OK);
                    if (restore_bytes(env, state) == ALE_OK) continue;
                    fprintf(stderr, "%s: %s\n", ale_games[i]->name, ale_last_error());
                    check_failures = 1;
                }
            }
            ale_state_destroy(state);
            ale_env_destroy(env);
        }
        ale_rom_release(rom);
    }
}

/* Programs played by each engine: their states are equal, and their machines the same bytes but for the collisions,
 * which are evaluated late. */
static void states_do_not_tell_the_engine(void) {
    static const uint32_t paths[] = {ALE_FAST_ALL, ALE_FAST_ALL & ~ALE_FAST_TRANSLATE, ALE_FAST_ALL & ~ALE_FAST_CPU, 0};
    enum { WAYS = sizeof paths / sizeof *paths };
    mt19937 random;
    mt19937_seed(&random, 8);
    for (int image = 0; image < check_turns(12); image++) {
        uint8_t bytes[TEST_ROM_SIZE];
        test_rom(bytes);
        /* The frame goes on with noise, which reads and writes the TIA and ends anywhere. */
        for (uint32_t i = 52; i < 0xF00; i++) bytes[i] = (uint8_t)mt19937_next(&random);
        for (uint32_t i = 60; image % 3 && i < 0xF00; i += 4) memcpy(bytes + i, "\xA5\x02\x85\x09", 4);
        if (image % 3 == 2) memcpy(bytes + 0x100, "\x4C\x00\xF0", 3);
        if (image == 0) test_rom(bytes);
        ale_env *env[WAYS];
        ale_state *state[WAYS];
        for (int i = 0; i < WAYS; i++) {
            env[i] = make(bytes, sizeof bytes, NULL, ALE_SOLO, paths[i]);
            state[i] = new_state();
        }
        for (int frame = 0; frame < 6; frame++) {
            for (int i = 0; i < WAYS; i++) {
                uint32_t equal = 0;
                play(env[i]);
                CHECK_EQUAL(ale_env_save(env[i], 0, state[i]), ALE_OK);
                CHECK_EQUAL(ale_state_equal(state[0], state[i], &equal), ALE_OK);
                CHECK_EQUAL(equal, 1);
                machine_state *first = find(state[0]->bytes).machine, *other = find(state[i]->bytes).machine;
                const uint16_t collisions = other->tia.collisions;
                other->tia.collisions = first->tia.collisions;
                CHECK(memcmp(first, other, sizeof *first) == 0);
                other->tia.collisions = collisions;
            }
        }
        for (int i = 0; i < WAYS; i++) {
            ale_env_destroy(env[i]);
            ale_state_destroy(state[i]);
        }
    }
}

int main(void) {
    every_field_is_checked();
    banks_are_checked();
    sizes_are_checked(0);
    sizes_are_checked(1);
    heads_are_checked();
    logs_of_all_sizes_are_accepted();
    covers_are_checked();
    states_have_a_machine();
    drawn_logs_are_empty();
    accepted_damage_is_harmless(ALE_SOLO);
    accepted_damage_is_harmless(ALE_MULTI);
    whatever_is_saved_is_accepted();
    ends_of_ranges_lead_to_good_states();
    states_do_not_tell_the_engine();
    return check_failures;
}
