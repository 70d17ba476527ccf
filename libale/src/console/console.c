/* The Atari 2600: building it, its jacks and switches, its frames, its snapshots. */
#include "console.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/decode.h"
#include "video/raster.h"

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

void console_run_frame(console *machine) {
    if (!machine->s.partial) tia_start_frame(machine);
    machine->s.partial = 1;
    cpu_run(machine, FRAME_INSTRUCTIONS);
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

static void picture_free(picture *p) {
    if (p) free(p->rows);
    free(p);
}

/* The format in force, and a window of `height` rows with its logs and frame buffers. */
static bool open_window(console *machine, rom_format format, int height) {
    machine->format = format;
    machine->limit_time = (format == FORMAT_PAL ? PAL_LINES : NTSC_LINES) * LINE_CYCLES;
    machine->height = height;
    machine->window_start = (uint32_t)machine->ystart * LINE_CLOCKS;
    machine->window_end = (uint32_t)(machine->ystart + height) * LINE_CLOCKS;
    picture_free(machine->picture);
    machine->picture = calloc(1, sizeof(picture) + 2 * picture_buffer_size(machine));
    if (!machine->picture) return false;
    machine->picture->rows = rows_create(machine);
    if (!machine->picture->rows) return false;
    machine->picture->cursor[UNSEEN_PAIRS].pairs = ALL_PAIRS;
    return true;
}

console *console_create(rom_image *rom, const console_options *options) {
    const rom_properties *properties = &rom->properties;
    console *machine = calloc(1, sizeof *machine);
    if (!machine) return NULL;
    machine->rom = rom_image_retain(rom);
    machine->ystart = properties->ystart;
    uint32_t big = cartridge_big_ram_size(rom->scheme);
    machine->big_ram = big ? calloc(1, big) : NULL;
    rom_format format = properties->format == FORMAT_AUTO ? FORMAT_NTSC : properties->format;
    if (!open_window(machine, format, properties->height) || (big && !machine->big_ram)) {
        console_destroy(machine);
        return NULL;
    }
    machine->fast_paths = options->fast_paths;
    machine->cartridge_ram_once = options->cartridge_ram_once;
    machine->low_watch = cartridge_watches_low(rom->scheme);
    machine->s.switches =
        (uint8_t)(0x37 | (properties->black_and_white ? 0 : 0x08) | (properties->difficulty_a[0] ? 0x40 : 0) |
                  (properties->difficulty_a[1] ? 0x80 : 0));
    audio_init(&machine->s.audio);
    update_pins(machine);

    console_seed(machine, options->seed);
    cartridge_install(machine, machine->cartridge_ram_once ? &machine->s.random : NULL);
    for (int i = 0; i < RAM_SIZE; i++) machine->s.ram[i] = (uint8_t)mt19937_next(&machine->s.random);
    riot_reset(machine);
    tia_reset(machine);
    if (properties->format == FORMAT_AUTO) format = detect_format(machine);
    int height = format != FORMAT_NTSC && properties->height == 210 ? 250 : properties->height;
    if (format != machine->format || height != machine->height) {
        if (!open_window(machine, format, height)) {
            console_destroy(machine);
            return NULL;
        }
    }
    console_reset(machine);
    return machine;
}

void console_destroy(console *machine) {
    if (!machine) return;
    rom_image_release(machine->rom);
    free(machine->big_ram);
    picture_free(machine->picture);
    free(machine);
}

int console_screen_rows(const console *machine) { return machine->height > 200 ? machine->height : 200; }

const uint8_t *console_screen(console *machine) { return picture_show(machine, false); }
const uint8_t *console_previous_screen(console *machine) { return picture_show(machine, true); }

void console_poke(console *machine, uint8_t index, uint8_t value) {
    bus_write(machine, 0x80 | (index & 0x7F), value);
}

/* --- snapshots ---
 * The machine's state, the collision cursor, and the pictures of the last two frames: as logs where these
 * make up the picture, else as pixels.  (The log of the frame before those is needed no more once a frame is
 * over.) */

typedef struct snapshot_head {
    uint32_t layout; /* sizeof(machine_state), which changes with the layout */
    uint32_t size;
    uint8_t buffer;
    uint8_t back[CURSORS]; /* which of the two logs a collision cursor is in: 0 latest, 1 the one before */
    uint8_t height;
    uint8_t reserved[4];
} snapshot_head;

typedef struct snapshot_log {
    tia_raster start;
    uint32_t count;
    uint8_t whole;
    uint8_t reserved[3];
} snapshot_log;

static unsigned log_back(const picture *p, unsigned back) { return (p->latest + LOGS - back) % LOGS; }

static size_t log_size(const console *machine, const frame_log *log) {
    return sizeof(snapshot_log) + log->count * sizeof(tia_access) +
           (log->whole ? 0 : picture_buffer_size(machine));
}

static size_t fixed_size(const console *machine) {
    return sizeof(snapshot_head) + sizeof(machine_state) + sizeof(collision_cursor[CURSORS]) +
           cartridge_big_ram_size(machine->rom->scheme);
}

size_t console_snapshot_size(const console *machine) {
    const picture *p = machine->picture;
    return fixed_size(machine) + log_size(machine, &p->log[p->latest]) +
           log_size(machine, &p->log[log_back(p, 1)]);
}

size_t console_snapshot_limit(const console *machine) {
    return fixed_size(machine) +
           2 * (sizeof(snapshot_log) + LOG_CAPACITY * sizeof(tia_access) + picture_buffer_size(machine));
}

static inline uint8_t *put(uint8_t *to, const void *from, size_t size) {
    memcpy(to, from, size);
    return to + size;
}

static inline const uint8_t *get(void *to, const uint8_t *from, size_t size) {
    memcpy(to, from, size);
    return from + size;
}

size_t console_save(console *machine, void *buffer) {
    picture *p = machine->picture;
    /* Collisions pending from a frame that is not saved. */
    picture_retire_log(machine, log_back(p, 2));
    snapshot_head head = {
        .layout = (uint32_t)sizeof(machine_state),
        .size = (uint32_t)console_snapshot_size(machine),
        .buffer = p->buffer,
        .height = (uint8_t)(machine->height & 0xFF),
    };
    for (int i = 0; i < CURSORS; i++) head.back[i] = p->cursor[i].log != p->latest;
    uint8_t *to = put(buffer, &head, sizeof head);
    to = put(to, &machine->s, sizeof machine->s);
    collision_cursor cursor[CURSORS];
    memcpy(cursor, p->cursor, sizeof cursor);
    for (int i = 0; i < CURSORS; i++) cursor[i].log = 0; /* head.back says where */
    to = put(to, cursor, sizeof cursor);
    uint32_t big = cartridge_big_ram_size(machine->rom->scheme);
    if (big) to = put(to, machine->big_ram, big);
    for (unsigned back = 0; back < 2; back++) {
        const frame_log *log = &p->log[log_back(p, back)];
        snapshot_log record = {.start = log->start, .count = log->count, .whole = log->whole};
        to = put(to, &record, sizeof record);
        to = put(to, log->access, log->count * sizeof(tia_access));
        size_t size = picture_buffer_size(machine);
        if (!log->whole) to = put(to, picture_pixels(p, size, p->buffer ^ back), size);
    }
    return (size_t)(to - (uint8_t *)buffer);
}

/* Whether every index that comes with foreign bytes stays inside its array; values need no check. */
static bool plausible(const console *machine, const uint8_t *from, size_t size) {
    snapshot_head head;
    size_t need = fixed_size(machine);
    if (size < need + 2 * sizeof(snapshot_log)) return false;
    memcpy(&head, from, sizeof head);
    if (head.layout != sizeof(machine_state) || head.size != size || head.buffer > 1 ||
        head.height != (machine->height & 0xFF))
        return false;
    collision_cursor cursor[CURSORS];
    memcpy(cursor, from + sizeof head + sizeof(machine_state), sizeof cursor);
    for (int i = 0; i < CURSORS; i++)
        if (head.back[i] > 1) return false;
    for (unsigned back = 0; back < 2; back++) {
        snapshot_log record;
        if (size < need + sizeof record) return false;
        memcpy(&record, from + need, sizeof record);
        if (record.count > LOG_CAPACITY || record.whole > 1) return false;
        for (int i = 0; i < CURSORS; i++)
            if (head.back[i] == back && cursor[i].index > record.count) return false;
        need += sizeof record + record.count * sizeof(tia_access) +
                (record.whole ? 0 : picture_buffer_size(machine));
    }
    return need == size;
}

/* Keep shifts, indices and loops inside their ranges. */
static void tame_machine(machine_state *s) {
    static const uint8_t shifts[4] = {0, 3, 6, 10};
    uint8_t shift = 0;
    for (int i = 0; i < 4; i++)
        if (s->riot.shift == shifts[i]) shift = shifts[i];
    s->riot.shift = shift;
    s->riot.value &= 0xFF;
    s->cpu.v &= 1;
    s->cpu.d &= 1;
    s->cpu.i &= 1;
    s->cpu.c &= 1;
    s->tia.collisions &= ALL_PAIRS;
    s->tia.phase %= LINE_CYCLES;
}

/* Positions index into lines; keep those of foreign bytes inside. */
static void tame(const console *machine, tia_raster *raster) {
    for (int i = 0; i < MOVABLE; i++) raster->position[i] %= SCREEN_WIDTH;
    raster->suppressed[0] &= 1;
    raster->suppressed[1] &= 1;
    raster->cosmic_step &= 3;
    raster->colour_loss &= 1;
    if (raster->row_base) raster->row_base = machine->window_start;
    if (raster->drawn < raster->row_base) raster->drawn = raster->row_base;
}

bool console_restore(console *machine, const void *buffer, size_t size) {
    if (!plausible(machine, buffer, size)) return false;
    picture *p = machine->picture;
    snapshot_head head;
    const uint8_t *from = get(&head, buffer, sizeof head);
    from = get(&machine->s, from, sizeof machine->s);
    from = get(p->cursor, from, sizeof p->cursor);
    uint32_t big = cartridge_big_ram_size(machine->rom->scheme);
    if (big) from = get(machine->big_ram, from, big);

    p->latest = 1;
    p->buffer = head.buffer;
    for (int i = 0; i < CURSORS; i++) {
        p->cursor[i].log = head.back[i] ? 0 : 1;
        p->cursor[i].pairs &= ALL_PAIRS;
    }
    p->log[2].whole = 0;
    p->log[2].in_buffer = 1;
    p->log[2].count = 0;
    for (unsigned back = 0; back < 2; back++) {
        frame_log *log = &p->log[1 - back];
        snapshot_log record;
        from = get(&record, from, sizeof record);
        log->start = record.start;
        log->count = record.count;
        log->whole = record.whole;
        log->in_buffer = !record.whole;
        from = get(log->access, from, record.count * sizeof(tia_access));
        size_t bytes = picture_buffer_size(machine);
        if (!record.whole) from = get(picture_pixels(p, bytes, p->buffer ^ back), from, bytes);
        tame(machine, &log->start);
    }
    p->followed = p->log[p->latest].count;
    rows_abandon(machine);
    for (unsigned i = 0; i < 2; i++) rows_forget_buffer(machine, i);
    tame(machine, &machine->s.tia.now);
    tame_machine(&machine->s);
    cartridge_restored(machine);
    return true;
}
