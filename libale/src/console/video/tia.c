/* The TIA's registers.  A write that needs no immediate effect only goes into the log. */
#include "tia.h"

#include <string.h>

#include "picture.h"

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
    picture_reset(machine);
}

void tia_start_frame(console *machine, uint32_t lines) {
    tia_state *tia = &machine->s.tia;
    tia_raster *now = &tia->now;
    tia->dump_release = (int32_t)((uint32_t)tia->dump_release - lines); /* wraps, in a long game */
    /* What has passed stays so: at 0 as at any time before. */
    tia->vsync_end = tia->vsync_end > 3 * (int64_t)lines ? tia->vsync_end - 3 * (int64_t)lines : 0;
    now->hmove_clock -= 3 * lines;
    tia->phase = (uint8_t)machine->s.cpu.time;
    tia->greyed = 0;

    now->colour_loss = is_pal(machine) ? tia->last_lines & 1 : 0;
    picture_start_frame(machine);
}

/* For translated code, which reads inputs without a call. */
static void note_inputs(console *machine) {
    uint32_t *from = machine->shadow.input_from;
    for (unsigned i = 0; i < 8; i++) {
        const uint64_t cycle = tia_input_from(machine, i);
        from[i] = cycle <= UINT16_MAX ? (uint32_t)cycle << 16 : UINT32_MAX;
    }
}

void tia_start_shadow(console *machine) {
    shadow_start_frame(&machine->shadow, &machine->s.tia.now);
    note_inputs(machine);
}

bool tia_make_room(console *machine, uint32_t accesses) {
    return picture_make_room(machine, picture_logged(machine) + accesses);
}

void tia_end_run(console *machine) {
    tia_state *tia = &machine->s.tia;
    picture_end_run(machine);
    memcpy(machine->s.audio.registers, &tia->now.reg[AUDC0], sizeof machine->s.audio.registers);

    tia->line = (uint32_t)(3 * machine->s.cpu.time) / LINE_CLOCKS;
    if (!machine->s.partial) {
        tia->last_lines = tia->line;
        tia->greyed = 0;
    } else if (!tia->greyed) {
        tia->greyed = 1;
        uint32_t ystart = (uint32_t)machine->ystart;
        picture_gray(machine, tia->line > ystart ? tia->line - ystart : 0);
    }
}

/* Draw up to every access immediately without the fast path, and up to a late one, whose time the log cannot hold. */
static void draw_now(console *machine, bool late) {
    if (late || !(machine->fast_paths & FAST_RASTER)) picture_flush(machine);
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
    picture_log(machine, late ? TIA_READ : reg, value);
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
            if (machine->shadow.in_force) note_inputs(machine); /* it discharges the paddles' capacitors */
            break;
        case WSYNC: {
            uint32_t cycle = time % LINE_CYCLES;
            if (machine->s.bus_was_read && cycle) machine->s.cpu.time = time + LINE_CYCLES - cycle;
            break;
        }
        case CXCLR: tia_clear_collisions(machine); break;
        default: break;
    }
    if (machine->shadow.in_force) shadow_note_write(&machine->shadow, reg, value, time);
    if (late) picture_apply_late(machine, reg, value, clock);
    draw_now(machine, false);
}

void tia_clear_collisions(console *machine) { picture_clear_collisions(machine); }

/* When the capacitor has charged through the paddle's resistance. */
static uint64_t charged_from(const tia_state *tia, int32_t resistance) {
    if (resistance == 0) return 0;
    if (resistance == INT32_MAX || tia->dump) return TIA_NEVER;
    uint32_t needed = (uint32_t)(int64_t)(1.6 * resistance * 0.01e-6 * 1.19e6);
    /* The reference counts from the frame's first instruction and compares unsigned: a capacitor that was
     * charged before the frame began reads 0. */
    uint32_t release = (uint32_t)tia->dump_release - tia->phase;
    return (uint64_t)(release + needed) + tia->phase + 1;
}

uint64_t tia_input_from(const console *machine, unsigned input) {
    if (input < 4) return charged_from(&machine->s.tia, machine->resistance[input]);
    return input < 6 && machine->fire[input - 4] ? 0 : TIA_NEVER;
}

/* Bits of the collision latch shown by the registers CXM0P..CXPPMM: bit 7, bit 6. */
static const uint16_t shown[8][2] = {
    {1 << 0, 1 << 1}, {1 << 2, 1 << 3},   {1 << 4, 1 << 5}, {1 << 6, 1 << 7},
    {1 << 8, 1 << 9}, {1 << 10, 1 << 11}, {1 << 12, 0},     {1 << 13, 1 << 14},
};

uint8_t tia_read_input(const console *machine, unsigned reg) {
    const uint8_t noise = machine->s.data_bus & 0x3F;
    return machine->s.cpu.time >= tia_input_from(machine, reg - 8) ? 0x80 | noise : noise;
}

/* A read that may bring the picture up to date. */
static void note_read(console *machine) {
    if (!picture_is_behind(machine, 3 * machine->s.cpu.time)) return;
    machine->acted = true;
    picture_log(machine, TIA_READ, 0);
    draw_now(machine, machine->s.cpu.time >= LATEST_ACCESS);
}

__attribute__((noinline)) static void evaluate_collisions(console *machine, uint16_t pairs) {
    note_read(machine);
    picture_read_collisions(machine, pairs);
}

uint8_t tia_read(console *machine, uint16_t address) {
    const unsigned reg = address & 0x0F;
    if (tia_is_input(address)) {
        note_read(machine);
        return tia_read_input(machine, reg);
    }
    return tia_read_collisions(machine, reg);
}

uint8_t tia_read_collisions(console *machine, unsigned reg) {
    const uint16_t pairs = shown[reg][0] | shown[reg][1];
    /* Nothing needs to be evaluated if the log alone proves that nothing collided. */
    if (!picture_surely_apart(machine, pairs & (uint16_t)~machine->s.tia.collisions))
        evaluate_collisions(machine, pairs);
    const unsigned latch = machine->s.tia.collisions;
    return (uint8_t)((latch & shown[reg][0] ? 0x80 : 0) | (latch & shown[reg][1] ? 0x40 : 0) |
                     (machine->s.data_bus & 0x3F));
}

#define TIA(member, ...) INVARIANT("tia." #member, tia_state, member, __VA_ARGS__)
const invariant tia_invariants[] = {
    TIA(vsync_end, IN_RANGE(0, (int64_t)UINT32_MAX + LINE_CLOCKS)),
    TIA(dump_release, ANY_VALUE),
    TIA(line, IN_RANGE(0, UINT32_MAX / LINE_CLOCKS)),
    TIA(last_lines, IN_RANGE(0, UINT32_MAX / LINE_CLOCKS)),
    TIA(collisions, IN_RANGE(0, ALL_PAIRS)),
    TIA(dump, A_FLAG),
    TIA(phase, IN_RANGE(0, LINE_CYCLES - 1)),
    TIA(stop, A_FLAG),
    TIA(greyed, A_FLAG),
    TIA(vblank, ANY_VALUE),
    TIA(reserved, ONLY_ZERO),
    {0},
};
