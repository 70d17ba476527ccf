/* TIA: what the program sees of it. */
#include "tia.h"

#include <string.h>

#include "../console.h"
#include "raster.h"

static const int64_t NEVER = 0x7FFFFFFF;

static bool is_pal(const console *machine) { return machine->format == FORMAT_PAL; }

void tia_reset(console *machine) {
    tia_state *tia = &machine->s.tia;
    /* The sound registers go on through a reset, and so does the note that the running frame was greyed. */
    uint8_t sound[6], greyed = tia->greyed;
    memcpy(sound, &tia->now.reg[AUDC0], sizeof sound);
    *tia = (tia_state){.greyed = greyed};
    memcpy(&tia->now.reg[AUDC0], sound, sizeof sound);
    tia->vsync_end = NEVER;
    picture *p = machine->picture;
    size_t size = picture_buffer_size(machine);
    memset(p->pixels, 0, 2 * size);
    rows_abandon(machine);
    for (unsigned i = 0; i < 2; i++) rows_forget_buffer(machine, i);
    for (int i = 0; i < LOGS; i++) {
        p->log[i].count = 0;
        p->log[i].whole = 0;
        p->log[i].in_buffer = 1;
        p->log[i].start = tia->now;
    }
    p->followed = 0;
    for (int i = 0; i < CURSORS; i++) {
        p->cursor[i].log = p->latest;
        p->cursor[i].index = 0;
    }
}

void tia_start_frame(console *machine) {
    tia_state *tia = &machine->s.tia;
    tia_raster *now = &tia->now;
    uint32_t time = machine->s.cpu.time;
    uint32_t phase = time % LINE_CYCLES, lines = time - phase;
    picture *p = machine->picture;
    unsigned next = (p->latest + 1u) % LOGS;
    picture_retire_log(machine, next);

    /* All stamps count from the new line 0. */
    machine->s.cpu.time = phase;
    machine->s.riot.set_at -= lines;
    machine->s.riot.read_at -= lines;
    cartridge_rebase(machine, (int32_t)(time - tia->phase));
    tia->dump_release -= (int32_t)lines;
    tia->vsync_end -= 3 * (int64_t)lines;
    now->hmove_clock -= 3 * lines;
    tia->phase = (uint8_t)phase;
    tia->greyed = 0;

    now->colour_loss = is_pal(machine) ? tia->last_lines & 1 : 0;
    now->row_base = now->drawn = machine->window_start;

    p->latest = (uint8_t)next;
    p->buffer ^= 1;
    frame_log *log = &p->log[next];
    log->start = *now;
    log->count = 0;
    log->whole = 1;
    log->in_buffer = 0;
    p->followed = 0;
    rows_start_frame(machine);
    collision_cursor *seen = &p->cursor[SEEN_PAIRS];
    if (seen->log != next && seen->index == p->log[seen->log].count && (seen->log + 1u) % LOGS == next)
        *seen = (collision_cursor){.pairs = seen->pairs, .log = (uint8_t)next};
}

void tia_end_run(console *machine) {
    tia_state *tia = &machine->s.tia;
    picture *p = machine->picture;
    frame_log *log = &p->log[p->latest];
    picture_follow(machine, !machine->s.partial);
    memcpy(machine->s.audio.registers, &tia->now.reg[AUDC0], sizeof machine->s.audio.registers);

    tia->line = (uint32_t)(3 * machine->s.cpu.time) / LINE_CLOCKS;
    if (!machine->s.partial) {
        tia->last_lines = tia->line;
        tia->greyed = 0;
        /* A frame that does not fill its window shows old rows: settle that while they are known. */
        if (!log->whole || tia->now.drawn < machine->window_end) picture_flush(machine);
        return;
    }
    picture_flush(machine);
    if (tia->greyed) return;
    tia->greyed = 1;
    uint32_t first = tia->line > (uint32_t)machine->ystart ? tia->line - (uint32_t)machine->ystart : 0;
    size_t size = picture_buffer_size(machine);
    uint8_t *pixels = picture_pixels(p, size, p->buffer);
    rows_forget_buffer(machine, p->buffer);
    for (size_t i = (size_t)first * SCREEN_WIDTH; i < (size_t)machine->height * SCREEN_WIDTH; i++)
        pixels[i] = (pixels[i] & 0x0F) >> 1;
}

static void log_access(console *machine, unsigned reg, uint8_t value) {
    picture *p = machine->picture;
    frame_log *log = &p->log[p->latest];
    if (log->count == LOG_CAPACITY) picture_flush(machine);
    log->access[log->count++] = tia_access_make(machine->s.cpu.time, reg, value);
}

/* Without the fast path every access is drawn up to at once. */
static void draw_now(console *machine) {
    if (!(machine->fast_paths & FAST_RASTER)) picture_flush(machine);
}

/* A write so late that the log cannot hold its clock: the picture is finished, the rest is state. */
static void apply_late(console *machine, unsigned reg, uint8_t value, uint32_t clock) {
    picture *p = machine->picture;
    bool hmove_blanks = machine->rom->properties.hmove_blanks;
    picture_flush(machine);
    raster_apply(&machine->s.tia.now, reg, value, clock, hmove_blanks);
    raster_apply(&p->log[p->latest].start, reg, value, clock, hmove_blanks);
}

static void end_frame(console *machine) {
    machine->s.tia.stop = 1;
    machine->s.partial = 0;
}

void tia_write(console *machine, uint16_t address, uint8_t value) {
    tia_state *tia = &machine->s.tia;
    unsigned reg = address & 0x3F;
    uint32_t time = machine->s.cpu.time, clock = 3 * time;

    bool late = time >= LATEST_ACCESS;
    log_access(machine, late ? TIA_READ : reg, value);
    if (clock >= 3 * machine->limit_time) end_frame(machine);
    switch (reg) {
        case VSYNC:
            if (value & 2) {
                tia->vsync_end = (int64_t)clock + LINE_CLOCKS;
            } else if ((int64_t)clock >= tia->vsync_end) {
                tia->vsync_end = NEVER + 3 * (int64_t)tia->phase;
                end_frame(machine);
            }
            break;
        case VBLANK:
            if ((value & ~tia->vblank) & 0x80) tia->dump = 1;
            if ((tia->vblank & ~value) & 0x80) {
                tia->dump = 0;
                tia->dump_release = (int32_t)time;
            }
            tia->vblank = value;
            break;
        case WSYNC: {
            uint32_t cycle = time % LINE_CYCLES;
            if (machine->s.bus_was_read && cycle) machine->s.cpu.time = time + LINE_CYCLES - cycle;
            break;
        }
        case CXCLR: picture_forget_collisions(machine); break;
        default: break;
    }
    if (late) apply_late(machine, reg, value, clock);
    draw_now(machine);
}

/* Bit 7 of INPT0..3: the capacitor has charged through the paddle's resistance. */
static uint8_t charged(const console *machine, int32_t resistance) {
    const tia_state *tia = &machine->s.tia;
    if (resistance == 0) return 0x80;
    if (resistance == INT32_MAX || tia->dump) return 0;
    uint32_t needed = (uint32_t)(1.6 * resistance * 0.01e-6 * 1.19e6);
    /* The reference counts from the frame's first instruction and compares unsigned: a capacitor that was
     * charged before the frame began reads 0. */
    uint32_t release = (uint32_t)(tia->dump_release - tia->phase);
    return console_cycles(machine) > release + needed ? 0x80 : 0;
}

/* Bits of the collision latch shown by the registers CXM0P..CXPPMM: bit 7, bit 6. */
static const uint16_t shown[8][2] = {
    {1 << 0, 1 << 1}, {1 << 2, 1 << 3},   {1 << 4, 1 << 5}, {1 << 6, 1 << 7},
    {1 << 8, 1 << 9}, {1 << 10, 1 << 11}, {1 << 12, 0},     {1 << 13, 1 << 14},
};

uint8_t tia_read(console *machine, uint16_t address) {
    tia_state *tia = &machine->s.tia;
    uint32_t clock = 3 * machine->s.cpu.time;
    if (clock > machine->window_start && !picture_is_whole(machine->picture, machine->window_end)) {
        log_access(machine, TIA_READ, 0);
        draw_now(machine);
    }
    uint8_t noise = machine->s.data_bus & 0x3F;
    unsigned reg = address & 0x0F;
    if (reg < 8) {
        picture_read_collisions(machine, shown[reg][0] | shown[reg][1]);
        unsigned latch = tia->collisions;
        return (uint8_t)((latch & shown[reg][0] ? 0x80 : 0) | (latch & shown[reg][1] ? 0x40 : 0) | noise);
    }
    if (reg < 12) return charged(machine, machine->resistance[reg - 8]) | noise;
    if (reg < 14) return machine->fire[reg - 12] | noise;
    return noise;
}
