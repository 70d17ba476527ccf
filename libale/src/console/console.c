/* The Atari 2600: building it, its jacks and switches, its frames, its snapshots. */
#include "console.h"

#include <string.h>

#include "cartridge/cartridge.h"
#include "cpu/cpu.h"
#include "riot.h"
#include "video/picture.h"
#include "video/tia.h"

/* Bits of SWCHB that neither players nor environments touch, as the image has them; and what it begins with. */
enum { FIXED_SWITCHES = 0x3C };
static uint8_t switches_at_start(const rom_properties *properties) {
    return (uint8_t)(0x37 | (properties->black_and_white ? 0 : 0x08) | (properties->difficulty_a[0] ? 0x40 : 0) |
                     (properties->difficulty_a[1] ? 0x80 : 0));
}

/* Lines after which a frame ends by itself. */
enum { NTSC_LINES = 291, PAL_LINES = 343 };
enum { DETECTION_FRAMES = 60, DETECTION_FIRST = 30, DETECTION_LINES = 285, DETECTION_HITS = 15 };

/* Registers of the paddles: the pins that a paddle's two signals reach, by jack and by wiring. */
static void update_pins(console *machine) {
    const rom_properties *properties = &machine->rom->properties;
    const controls *hands = &machine->hands;
    unsigned port = 0xFF;
    for (int jack = 0; jack < 2; jack++) {
        int controller = properties->swap_ports ? !jack : jack;
        unsigned nibble = jack == 0 ? 4 : 0; /* of SWCHA */
        machine->fire[jack] = 0x80;
        if (properties->paddles[controller]) {
            for (int i = 0; i < 2; i++) {
                int paddle = 2 * controller + i, pin = properties->swap_paddles ? !i : i;
                machine->resistance[2 * jack + pin] = hands->paddle[paddle];
                if (hands->paddle_fire[paddle]) port &= ~(1u << (nibble + (pin == 0 ? 3 : 2)));
            }
        } else {
            uint8_t stick = hands->joystick[controller];
            port &= ~((stick & 0x0Fu) << nibble);
            if (stick & 0x10) machine->fire[jack] = 0;
            machine->resistance[2 * jack] = machine->resistance[2 * jack + 1] = INT32_MAX;
        }
    }
    machine->swcha = (uint8_t)port;
}

void console_set_controls(console *machine, const controls *hands) {
    machine->hands = *hands;
    update_pins(machine);
}

void console_seed(console *machine, uint32_t seed) { mt19937_seed(&machine->s.random, seed); }

void console_reset(console *machine) {
    /* The cycle counter starts again, which DPC's stamp must hear of before the cartridge is reset. */
    cartridge_rebase(machine, (int32_t)console_cycles(machine));
    machine->s.cpu.time = 0;
    riot_reset(machine);
    tia_reset(machine);
    cartridge_reset(machine, machine->cartridge_ram_once ? NULL : &machine->s.random);
    cpu_reset(machine);
}

void console_start_frame(console *machine) {
    const uint32_t time = machine->s.cpu.time, phase = time % LINE_CYCLES, lines = time - phase;
    picture_retire_log(machine);
    machine->s.cpu.time = phase;
    riot_rebase(&machine->s.riot, lines);
    cartridge_rebase(machine, (int32_t)(time - machine->s.tia.phase));
    tia_start_frame(machine, lines);
}

/* The machine at the start of a frame, but for its generator, which no program reaches. */
typedef struct checkpoint {
    uint8_t state[offsetof(machine_state, random)];
    collision_cursor cursor[CURSORS];
} checkpoint;

static void note_start(const console *machine, checkpoint *start) {
    memcpy(start->state, &machine->s, sizeof start->state);
    memcpy(start->cursor, machine->picture->collisions.cursor, sizeof start->cursor);
}

static void return_to_start(console *machine, const checkpoint *start) {
    memcpy(&machine->s, start->state, sizeof start->state);
    picture_restart_frame(machine, start->cursor);
}

/* Run a frame as translated code; false, with nothing changed: that cannot be, or it does not end. */
static bool run_translated(console *machine) {
    checkpoint start;
    if (!cpu_translates(machine)) return false;
    note_start(machine, &start);
    tia_start_shadow(machine);
    const bool ended = cpu_run_translated(machine);
    machine->shadow.in_force = 0;
    if (!ended) return_to_start(machine, &start);
    return ended;
}

void console_run_frame(console *machine) {
    const bool continued = machine->s.partial;
    if (!continued) console_start_frame(machine);
    machine->s.partial = 1;
    if (continued || !run_translated(machine)) cpu_run(machine, continued);
    tia_end_run(machine);
}

/* PAL programs draw more lines than NTSC ones. */
static rom_format detect_format(console *machine) {
    int hits = 0;
    console_reset(machine);
    for (int i = 0; i < DETECTION_FRAMES; i++) {
        console_run_frame(machine);
        if (i >= DETECTION_FIRST && machine->s.tia.line > DETECTION_LINES) hits++;
    }
    return hits >= DETECTION_HITS ? FORMAT_PAL : FORMAT_NTSC;
}

/* The format in force, and a window of `height` rows with its logs and frame buffers. */
static bool open_window(console *machine, rom_format format, int height, const console_options *options) {
    machine->format = format;
    machine->limit_time = (format == FORMAT_PAL ? PAL_LINES : NTSC_LINES) * LINE_CYCLES;
    machine->height = height;
    machine->window_start = (uint32_t)machine->ystart * LINE_CLOCKS;
    machine->window_end = (uint32_t)(machine->ystart + height) * LINE_CLOCKS;
    picture_destroy(machine->picture);
    machine->picture = picture_create(machine, (uint32_t)console_screen_rows(machine), options->log_room);
    if (machine->picture) (void)console_use_engine(machine, options->by_engine);
    return machine->picture != NULL;
}

rom_image *console_open_rom(const uint8_t *bytes, size_t size, rom_scheme scheme, char *error) {
    rom_image *rom = rom_image_create(bytes, size, scheme, error);
    if (rom) cpu_prepare(rom);
    return rom;
}

/* A console with a window of this format and height, not switched on. */
static console *build(rom_image *rom, rom_format format, int height, const console_options *options) {
    console *machine = arena_take(options->arena, sizeof *machine, ARENA_DENSE);
    if (!machine) return NULL;
    machine->arena = options->arena;
    machine->rom = rom_image_retain(rom);
    machine->ystart = rom->properties.ystart;
    machine->tells_objects = options->tells_objects;
    machine->fast_paths = options->fast_paths;
    uint32_t big = cartridge_big_ram_size(rom);
    machine->big_ram = big ? arena_take(machine->arena, big, ARENA_DENSE) : NULL;
    if (!open_window(machine, format, height, options) || (big && !machine->big_ram)) {
        console_destroy(machine);
        return NULL;
    }
    machine->cartridge_ram_once = options->cartridge_ram_once;
    machine->low_watch = cartridge_watches_low(rom);
    update_pins(machine);
    tia_reset(machine);
    return machine;
}

console *console_create(rom_image *rom, const console_options *options) {
    const rom_properties *properties = &rom->properties;
    rom_format format = properties->format == FORMAT_AUTO ? FORMAT_NTSC : properties->format;
    console *machine = build(rom, format, properties->height, options);
    if (!machine) return NULL;
    machine->s.switches = switches_at_start(properties);
    audio_init(&machine->s.audio);

    console_seed(machine, options->seed);
    cartridge_install(machine, machine->cartridge_ram_once ? &machine->s.random : NULL);
    for (int i = 0; i < RAM_SIZE; i++) machine->s.ram[i] = (uint8_t)mt19937_next(&machine->s.random);
    riot_reset(machine);
    if (properties->format == FORMAT_AUTO) format = detect_format(machine);
    int height = format != FORMAT_NTSC && properties->height == 210 ? 250 : properties->height;
    if (format != machine->format || height != machine->height) {
        if (!open_window(machine, format, height, options)) {
            console_destroy(machine);
            return NULL;
        }
    }
    console_reset(machine);
    return machine;
}

console *console_create_like(const console *source, const console_options *options) {
    console *machine = build(source->rom, source->format, source->height, options);
    if (machine && !console_make_room_to_copy(machine, source)) {
        console_destroy(machine);
        return NULL;
    }
    return machine;
}

void console_destroy(console *machine) {
    if (!machine) return;
    rom_image_release(machine->rom);
    arena_release(machine->arena, machine->big_ram);
    picture_destroy(machine->picture);
    arena_release(machine->arena, machine);
}

const uint8_t *console_screen(console *machine) { return picture_show(machine, false); }
const uint8_t *console_previous_screen(console *machine) { return picture_show(machine, true); }
const uint8_t *console_objects(console *machine) {
    (void)picture_show(machine, false);
    return picture_cover(machine, machine->picture->buffers.latest);
}
const uint8_t *console_previous_objects(console *machine) {
    (void)picture_show(machine, true);
    return picture_cover(machine, machine->picture->buffers.latest ^ 1);
}
bool console_draw_objects(const console *machine, uint8_t *pixels, uint8_t *cover) {
    return picture_draw_objects(machine, pixels, cover);
}
void console_expect_screen(console *machine) { rows_expect_drawing(machine->picture->rows); }
void console_take_written_rows(console *machine, uint64_t rows[ROW_WORDS]) {
    rows_take_written(machine->picture->rows, rows);
}

bool console_is_watched(const console *machine) { return rows_are_watched(machine->picture->rows); }

bool console_use_engine(console *machine, bool use) {
    const unsigned needed = FAST_RASTER | FAST_ENGINE;
    picture *p = machine->picture;
    p->following.by_engine = use && (machine->fast_paths & needed) == needed;
    return p->following.by_engine;
}
void console_expect_gray(console *machine, const gray_target *to) {
    machine->picture->following.expected = to ? *to : (gray_target){0};
}
bool console_drew_gray(const console *machine) { return machine->picture->following.drew_gray; }
bool console_view_frame(const console *machine, bool previous, frame_view *view) {
    return picture_view(machine, previous, view);
}
bool console_draw_gray(const console *machine, const frame_view *frame, const gray_target *to) {
    return picture_draw_gray(machine, frame, to);
}
uint32_t console_log_room(const console *machine) { return machine->picture->logs.capacity; }

void console_poke(console *machine, uint8_t index, uint8_t value) {
    bus_write(machine, 0x80 | (index & 0x7F), value);
}

/* --- snapshots: the machine's state, the cartridge's memory, the picture --------------------------------- */

/* Bytes before the picture's. */
static size_t fixed_size(const console *machine) {
    return sizeof(snapshot_head) + sizeof(machine_state) + cartridge_big_ram_size(machine->rom);
}

size_t console_snapshot_size(const console *machine) {
    return fixed_size(machine) + picture_saved_size(machine);
}

size_t console_snapshot_limit(const console *machine) {
    return fixed_size(machine) + picture_saved_limit(machine);
}

void console_flush(console *machine) { picture_flush_logs(machine); }

bool console_make_room_to_copy(console *machine, const console *source) {
    return picture_make_room(machine, source->picture->logs.capacity);
}

void console_copy(console *machine, const console *source) {
    memcpy(&machine->s, &source->s, sizeof machine->s);
    uint32_t big = cartridge_big_ram_size(machine->rom);
    if (big) memcpy(machine->big_ram, source->big_ram, big);
    picture_copy(machine, source);
}

/* The machine as it is saved: what depends on the engine that ran, and nobody can tell, is left out. */
static void save_machine(const console *machine, uint8_t *to) {
    const cpu_state *cpu = &machine->s.cpu;
    memcpy(to, &machine->s, sizeof machine->s);
    to[offsetof(machine_state, cpu.n)] = cpu->n & 0x80;
    to[offsetof(machine_state, cpu.z)] = cpu->z != 0;
    if (!cpu_sees_bus(cpu)) to[offsetof(machine_state, data_bus)] = 0;
    to[offsetof(machine_state, bus_was_read)] = 0; /* the next fetch is a read */
}

size_t console_save(console *machine, void *buffer) {
    console_flush(machine);
    const size_t size = console_snapshot_size(machine);
    const snapshot_head head = {
        .layout = (uint32_t)sizeof(machine_state),
        .size = (uint32_t)size,
        .height = (uint8_t)(machine->height & 0xFF),
    };
    uint8_t *to = buffer;
    memcpy(to, &head, sizeof head);
    save_machine(machine, to + sizeof head);
    uint32_t big = cartridge_big_ram_size(machine->rom);
    if (big) memcpy(to + sizeof head + sizeof machine->s, machine->big_ram, big);
    picture_save(machine, to + fixed_size(machine));
    return size;
}

const invariant snapshot_invariants[] = {
    INVARIANT("snapshot_head.layout", snapshot_head, layout, ANY_VALUE),
    INVARIANT("snapshot_head.size", snapshot_head, size, ANY_VALUE),
    INVARIANT("snapshot_head.height", snapshot_head, height, ANY_VALUE),
    INVARIANTS("snapshot_head.reserved", snapshot_head, reserved, ONLY_ZERO),
    {0},
};

/* Whether bytes begin like a snapshot of this machine's window. */
static bool fits(const console *machine, const void *buffer, size_t size) {
    snapshot_head head;
    if (size < sizeof head) return false;
    memcpy(&head, buffer, sizeof head);
    return head.layout == sizeof(machine_state) && head.size == size && head.height == (machine->height & 0xFF);
}

#define MACHINE(member, ...) INVARIANT(#member, machine_state, member, __VA_ARGS__)
const invariant machine_invariants[] = {
    INVARIANTS("ram", machine_state, ram, ANY_VALUE),
    MACHINE(data_bus, ANY_VALUE),
    MACHINE(bus_was_read, ONLY_ZERO),
    MACHINE(switches, ANY_VALUE),
    MACHINE(partial, A_FLAG),
    {0},
};

/* The end of a frame stores these values twice; they must agree. */
static const char *frame_invalid_field(const machine_state *s) {
    const tia_state *tia = &s->tia;
    EXPECT(s->cpu.jammed <= s->partial, "cpu.jammed");
    EXPECT(tia->stop == !s->partial, "tia.stop");
    EXPECT(tia->greyed == s->partial, "tia.greyed");
    EXPECT(tia->line == 3 * s->cpu.time / LINE_CLOCKS, "tia.line");
    EXPECT(s->partial || tia->last_lines == tia->line, "tia.last_lines");
    EXPECT(tia->vblank == tia->now.reg[VBLANK], "tia.vblank");
    EXPECT(tia->dump == tia->vblank >> 7, "tia.dump");
    EXPECT(memcmp(s->audio.registers, &tia->now.reg[AUDC0], sizeof s->audio.registers) == 0, "audio.registers");
    return NULL;
}

static const char *machine_invalid_field(const console *machine, const machine_state *s) {
    const raster_target target = picture_target(machine, NULL, NULL, 0);
    EXPECT_NONE(invalid_field(cpu_invariants, &s->cpu));
    EXPECT_NONE(invalid_field(riot_invariants, &s->riot));
    EXPECT_NONE(invalid_field(audio_invariants, &s->audio));
    EXPECT_NONE(invalid_field(tia_invariants, &s->tia));
    EXPECT_NONE(beam_invalid_field(&s->tia.now, &target));
    EXPECT_NONE(cartridge_invalid_field(machine->rom, &s->cartridge));
    EXPECT_NONE(invalid_field(machine_invariants, s));
    EXPECT_NONE(invalid_field(mt19937_invariants, &s->random));
    EXPECT(s->data_bus == 0 || cpu_sees_bus(&s->cpu), "data_bus");
    EXPECT(((s->switches ^ switches_at_start(&machine->rom->properties)) & FIXED_SWITCHES) == 0, "switches");
    return frame_invalid_field(s);
}

void console_saved_machine(const void *buffer, machine_state *s) {
    memcpy(s, (const uint8_t *)buffer + sizeof(snapshot_head), sizeof *s);
}

const char *console_invalid_field(const console *machine, const void *buffer, size_t size) {
    machine_state s;
    const size_t fixed = fixed_size(machine);
    EXPECT(size >= fixed, "size");
    EXPECT(fits(machine, buffer, size), "snapshot_head");
    EXPECT_NONE(invalid_field(snapshot_invariants, buffer));
    console_saved_machine(buffer, &s);
    EXPECT_NONE(machine_invalid_field(machine, &s));
    return picture_invalid_field(machine, &s, (const uint8_t *)buffer + fixed, size - fixed);
}

bool console_make_room(console *machine, const void *buffer, size_t size) {
    return !fits(machine, buffer, size) ||
           picture_make_room_for(machine, (const uint8_t *)buffer + fixed_size(machine));
}

bool console_restore(console *machine, const void *buffer, size_t size) {
    if (!fits(machine, buffer, size)) return false;
    console_saved_machine(buffer, &machine->s);
    const uint8_t *from = (const uint8_t *)buffer + sizeof(snapshot_head) + sizeof machine->s;
    uint32_t big = cartridge_big_ram_size(machine->rom);
    if (big) memcpy(machine->big_ram, from, big);
    picture_restore(machine, from + big);
    return true;
}
