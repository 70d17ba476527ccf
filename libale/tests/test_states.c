/* Saved states as attackers would write them, with right checksums: each field is damaged by itself and must be
 * refused by name with nothing changed; what is not refused must be harmless; and whatever the library saves, in
 * any situation, must be accepted. */
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

/* The copy of the machine that states are compared by, made to fit again. */
static void mend_copy(parts *p) {
    p->head->machine = *p->machine;
    p->head->machine.tia.collisions = 0;
}

static ale_state *new_state(void) {
    ale_state *state = NULL;
    if (ale_state_create(&state) != ALE_OK) exit(1);
    return state;
}

static ale_env *make(const uint8_t *bytes, size_t size, const char *scheme, ale_rules rules,
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
    ale_rom *rom = NULL;
    ale_env *env = NULL;
    if (ale_rom_create(bytes, size, &rom_options, &rom) != ALE_OK ||
        ale_env_create(rom, &options, &env) != ALE_OK)
        fprintf(stderr, "%s\n", ale_last_error()), exit(1);
    ale_rom_release(rom);
    return env;
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

/* Through the public door: bytes with the right checksum. */
static ale_status restore_bytes(ale_env *env, const ale_state *changed) {
    uint8_t *bytes = malloc(changed->size);
    ale_state *state = new_state();
    if (!bytes) exit(1);
    state_serialize(changed, bytes);
    CHECK_EQUAL(ale_state_deserialize(state, bytes, changed->size), ALE_OK);
    ale_status status = ale_env_restore(env, state);
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

/* Damage a copy of a good state by one statement, and see it refused. */
#define REFUSED(field, ...)                                     \
    do {                                                        \
        memcpy(bad->bytes, good->bytes, good->size);            \
        parts p = find(bad->bytes);                             \
        __VA_ARGS__;                                            \
        mend_copy(&p);                                          \
        check_refused(env, bad, field, #__VA_ARGS__);           \
    } while (0)

static void every_field_is_checked(void) {
    ale_env *env = make_test_env(ALE_SOLO);
    for (int i = 0; i < 3; i++) play(env);
    ale_state *good = new_state(), *bad = new_state();
    CHECK_EQUAL(ale_env_save(env, 0, good), ALE_OK);
    CHECK_EQUAL(ale_env_save(env, 0, bad), ALE_OK);
    CHECK_EQUAL(restore_bytes(env, good), ALE_OK);
    const parts sound = find(good->bytes);
    CHECK(sound.log[0]->whole && sound.log[0]->count > 10 && sound.log[1]->whole);

    /* the environment and its game */
    REFUSED("mode", p.head->s.mode = 1);
    REFUSED("difficulty", p.head->s.difficulty = 4);
    REFUSED("difficulty", p.head->s.difficulty = -1);
    REFUSED("paddle", p.head->s.paddle[3] = p.head->s.paddle_max + 1);
    REFUSED("paddle", p.head->s.paddle[0] = p.head->s.paddle_min - 1);
    REFUSED("paddle_min", p.head->s.paddle_min = -1);
    REFUSED("paddle_max", p.head->s.paddle_max = INT32_MIN);
    REFUSED("lives_at_start", p.head->s.lives_at_start = INT32_MAX);
    REFUSED("held", p.head->s.held[3] = ALE_ACTION_COUNT);
    REFUSED("game.terminal", memset(&p.head->s.game.terminal, 2, 1));
    REFUSED("game.started", memset(&p.head->s.game.started, 0xFF, 1));
    REFUSED("game.players", p.head->s.game.players = 2);
    REFUSED("game.players", p.head->s.game.mode = 7);
    REFUSED("game.reward", p.head->s.game.reward[3] = INT32_MIN);
    REFUSED("game.score", p.head->s.game.score[0] = INT32_MAX);
    REFUSED("game.lives", p.head->s.game.lives[1] = 1 << 30);
    REFUSED("game.var", p.head->s.game.var[GAME_VARIABLES - 1] = -(1 << 30));

    /* the snapshot's frame */
    REFUSED("snapshot_head", p.snapshot->layout++);
    REFUSED("snapshot_head", p.snapshot->size--);
    REFUSED("picture.buffer", p.picture->buffer = 2);
    REFUSED("snapshot_head", p.snapshot->height++);
    REFUSED("picture.back", p.picture->back[1] = 2);
    REFUSED("cursor.log", p.picture->cursor[0].log = 1);
    REFUSED("cursor.pairs", p.picture->cursor[0].pairs ^= 1);
    REFUSED("cursor.pairs", p.picture->cursor[1].pairs |= 0x8000);
    REFUSED("cursor.index", p.picture->back[0] = 0, p.picture->cursor[0].index = p.log[0]->count + 1);
    REFUSED("cursor.index", p.picture->back[1] = 1, p.picture->cursor[1].index = UINT32_MAX);

    /* the chips */
    REFUSED("cpu.v", p.machine->cpu.v = 2);
    REFUSED("cpu.d", p.machine->cpu.d = 2);
    REFUSED("cpu.i", p.machine->cpu.i = 2);
    REFUSED("cpu.c", p.machine->cpu.c = 0x80);
    REFUSED("cpu.jammed", p.machine->cpu.jammed = 2);
    REFUSED("cpu.reserved", p.machine->cpu.reserved = 1);
    REFUSED("riot.value", p.machine->riot.value = 256);
    REFUSED("riot.shift", p.machine->riot.shift = 31);
    REFUSED("riot.read_expired", p.machine->riot.read_expired = 2);
    REFUSED("riot.reserved", p.machine->riot.reserved = 1);
    REFUSED("tia.vsync_end", p.machine->tia.vsync_end = INT64_MIN);
    REFUSED("tia.vsync_end", p.machine->tia.vsync_end = INT64_MAX);
    REFUSED("tia.line", p.machine->tia.line = UINT32_MAX);
    REFUSED("tia.last_lines", p.machine->tia.last_lines = UINT32_MAX);
    REFUSED("tia.collisions", p.machine->tia.collisions = 0x8000);
    REFUSED("tia.dump", p.machine->tia.dump = 2);
    REFUSED("tia.phase", p.machine->tia.phase = LINE_CYCLES);
    REFUSED("tia.stop", p.machine->tia.stop = 2);
    REFUSED("tia.greyed", p.machine->tia.greyed = 2);
    REFUSED("tia.reserved", p.machine->tia.reserved = 1);
    REFUSED("cartridge.bank", p.machine->cartridge.bank = 1);
    REFUSED("cartridge.offset", p.machine->cartridge.offset = 4096);
    REFUSED("cartridge.slice", p.machine->cartridge.slice[3] = 1);
    REFUSED("cartridge.mc_locked", p.machine->cartridge.mc_locked = 1);
    REFUSED("cartridge.dpc.counter", p.machine->cartridge.dpc.counter[7] = 0x800);
    REFUSED("cartridge.dpc.flag", p.machine->cartridge.dpc.flag[0] = 1);
    REFUSED("cartridge.dpc.music", p.machine->cartridge.dpc.music[2] = 2);
    REFUSED("cartridge.dpc.fraction", p.machine->cartridge.dpc.fraction = 1e300);
    REFUSED("cartridge.dpc.fraction", memset(&p.machine->cartridge.dpc.fraction, 0xFF, 8));
    REFUSED("audio.divider", p.machine->audio.divider[0] = 32);
    REFUSED("audio.poly4", p.machine->audio.poly4[1] = 16);
    REFUSED("audio.poly5", p.machine->audio.poly5[1] = 32);
    REFUSED("bus_was_read", p.machine->bus_was_read = 2);
    REFUSED("partial", p.machine->partial = 2);
    REFUSED("partial", p.machine->partial = 1); /* with a log, from which the frame cannot go on */
    REFUSED("random.position", p.machine->random.position = UINT32_MAX);

    /* the raster, as of now and as of the beginning of each log */
    for (int which = 0; which < 3; which++) {
#define RASTER (which ? &p.log[which - 1]->start : &p.machine->tia.now)
        REFUSED("raster.reg", RASTER->reg[WSYNC] = 1);
        REFUSED("raster.reg", RASTER->reg[RESBL] = 1);
        REFUSED("raster.reg", RASTER->reg[47] = 1);
        REFUSED("raster.position", RASTER->position[BL] = SCREEN_WIDTH);
        REFUSED("raster.suppressed", RASTER->suppressed[1] = 3);
        REFUSED("raster.reflected", RASTER->reflected = 2);
        REFUSED("raster.hmove_blank", RASTER->hmove_blank = 2);
        REFUSED("raster.cosmic", RASTER->cosmic = 2);
        REFUSED("raster.cosmic_step", RASTER->cosmic_step = 4);
        REFUSED("raster.m0_override", RASTER->m0_override = 3);
        REFUSED("raster.colour_loss", RASTER->colour_loss = 2);
        REFUSED("raster.row_base", RASTER->row_base++);
        REFUSED("raster.drawn", RASTER->drawn = UINT32_MAX);
        REFUSED("raster.drawn", RASTER->drawn = 0);
#undef RASTER
    }
    /* the logs */
    for (int back = 0; back < 2; back++) {
        const uint32_t last = sound.log[back]->count - 1;
        REFUSED("log.count", p.log[back]->count = LOG_CAPACITY + 1);
        REFUSED("log.whole", p.log[back]->whole = 2);
        REFUSED("size", p.log[back]->whole = 0); /* without the pixels */
        REFUSED("log.access (register)", p.access[back][0] |= (TIA_READ + 1) << 8);
        REFUSED("log.access (register)", p.access[back][last] |= 0xFF00);
        REFUSED("log.access (register)", p.access[back][last] |= 0x8000);
        REFUSED("log.access (time)", p.access[back][last] &= 0xFFFF);
    }
    REFUSED("size", p.log[1]->count--);
    /* the copy of the machine alone */
    memcpy(bad->bytes, good->bytes, good->size);
    find(bad->bytes).head->machine.cpu.a ^= 1;
    check_refused(env, bad, "machine", "the copy");
    /* the environment's own generator */
    CHECK_EQUAL(ale_env_save(env, 1, bad), ALE_OK);
    ((mt19937 *)(void *)(bad->bytes + sizeof(saved_environment)))->position = MT19937_WORDS + 1;
    check_refused(env, bad, "own_random.position", "position");

    ale_state_destroy(good);
    ale_state_destroy(bad);
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
    int accepted = 0;
    for (int round = 0; round < 2000; round++) {
        memcpy(bad->bytes, good->bytes, good->size);
        uint32_t damages = 1 + mt19937_next(&random) % 4;
        for (uint32_t i = 0; i < damages; i++)
            bad->bytes[start + mt19937_next(&random) % (good->size - start)] = (uint8_t)mt19937_next(&random);
        parts p = find(bad->bytes);
        mend_copy(&p);
        if (restore_bytes(env, bad) != ALE_OK) continue;
        accepted++;
        for (int i = 0; i < 3; i++) {
            play(env);
            (void)ale_env_screen_indices(env);
        }
    }
    CHECK(accepted > 100);
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
        for (int image = 0; image < 6; image++) {
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
    every_field_is_checked();
    drawn_logs_are_empty();
    accepted_damage_is_harmless(ALE_SOLO);
    accepted_damage_is_harmless(ALE_MULTI);
    whatever_is_saved_is_accepted();
    return check_failures;
}
