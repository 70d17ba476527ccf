/* 6507: which engine runs the program. */
#include "cpu.h"

#include <assert.h>

#include "decode.h"
#include "engine.h"
#include "handlers.h"
#include "turns.h"

static const cpu_engine *const engines[ENGINES] = {
    [PLAIN_CORE] = &plain_core, [THREADED_CORE] = &threaded_core, [TRANSLATOR] = &translator};

static void release_prepared(rom_image *rom) {
    for (int i = ENGINES; i-- > 0;)
        if (engines[i]->release) engines[i]->release(rom->prepared[i]);
}

void cpu_prepare(rom_image *rom) {
    for (int i = 0; i < ENGINES; i++)
        if (engines[i]->prepare) rom->prepared[i] = engines[i]->prepare(rom);
    rom->release_prepared = release_prepared;
}

void cpu_reset(console *machine) {
    cpu_state *cpu = &machine->s.cpu;
    uint32_t time = cpu->time;
    *cpu = (cpu_state){.time = time, .sp = 0xFF, .z = 1};
    machine->s.bus_was_read = 1;
    const unsigned low = bus_read(machine, 0xFFFC), high = bus_read(machine, 0xFFFD);
    cpu->pc = (uint16_t)(low | high << 8);
}

/* ---- a frame ------------------------------------------------------------------------------------------- */

static uint32_t run(console *machine, unsigned which, uint32_t budget) {
    const uint32_t used = engines[which]->run(machine, machine->rom->prepared[which], budget);
    assert(used <= budget);
    return used < budget ? used : budget;
}

static bool is_on(const console *machine, unsigned which, unsigned fast_paths) {
    return machine->rom->prepared[which] && (machine->fast_paths & fast_paths) == fast_paths;
}

void cpu_run(console *machine, bool continued) {
    uint32_t budget = FRAME_INSTRUCTIONS;
    const bool threaded = is_on(machine, THREADED_CORE, FAST_CPU);
    /* The last instructions, which only the plain core counts one by one. */
    const uint32_t last = threaded ? cpu_code_overrun(machine->rom->prepared[THREADED_CORE]) : FRAME_INSTRUCTIONS;
    machine->s.tia.stop = 0;
    if (continued && machine->fast_paths & FAST_LOOPS) budget -= cpu_run_turns(machine, budget);
    while (budget && !machine->s.tia.stop && !machine->s.cpu.jammed) {
        const uint32_t before = budget;
        if (budget > last) budget -= run(machine, THREADED_CORE, budget);
        if (budget && !machine->s.tia.stop) budget -= run(machine, PLAIN_CORE, budget > last ? 1 : budget);
        assert(budget < before); /* so this ends */
        (void)before;
    }
}

/* Code at the cartridge's registers and hotspots, and in mirrors of RAM, stays in the plain core: to ask the
 * translator after each instruction costs more than the instruction. */
static bool is_never_translated(const console *machine) {
    const struct cpu_code *code = machine->rom->prepared[THREADED_CORE];
    const uint16_t pc = machine->s.cpu.pc;
    return pc & 0x1000 ? !cpu_code_may_be_translated(code, pc & 0xFFF) : !cpu_is_ram_code(pc);
}

/* One instruction that is not translated, and those after it that never are. */
static void run_plainly(console *machine, uint32_t end) {
    const cpu_state *cpu = &machine->s.cpu;
    do
        run(machine, PLAIN_CORE, 1);
    while (is_never_translated(machine) && cpu->time < end && !machine->s.tia.stop && !cpu->jammed);
}

bool cpu_translates(const console *machine) { return is_on(machine, TRANSLATOR, FAST_TRANSLATE | FAST_RASTER); }

/* As each instruction takes two cycles or more, the clock tells that there were not too many.
 *
 * The clock must not come to LATEST_ACCESS, as such an access draws the frame.  That could not be taken back, and the
 * frame may end earlier when it is run again, so that some of its rows show an older frame.  Of what the threaded core
 * runs beyond its budget, 4 KiB of straight code take no more than 4 cycles a byte; a wait for the line that passes the
 * longest frame's end, ends it. */
bool cpu_run_translated(console *machine) {
    enum {
        PATIENCE = 30000, /* cycles; longer frames mostly do not end */
        SLOWEST = 8,      /* cycles of an instruction */
    };
    _Static_assert(PATIENCE + LINE_CYCLES + 4 * 4096 + 2 * SLOWEST * SHORT_WAIT < LATEST_ACCESS, "it is not reached");
    const uint32_t start = machine->s.cpu.time, end = start + PATIENCE;
    const uint32_t overrun = cpu_code_overrun(machine->rom->prepared[THREADED_CORE]);
    uint32_t work = 0; /* no fewer than the instructions that were run */
    unsigned which = TRANSLATOR;
    machine->s.tia.stop = 0;
    while (!machine->s.tia.stop && !machine->s.cpu.jammed && machine->s.cpu.time < end) {
        const uint32_t before = machine->s.cpu.time;
        const uint32_t left = which == TRANSLATOR ? FRAME_INSTRUCTIONS : (end - before) / SLOWEST;
        const uint32_t used = run(machine, which, left + overrun);
        work += which == TRANSLATOR ? (machine->s.cpu.time - before) / 2 : used;
        assert(machine->s.cpu.time < LATEST_ACCESS);
        if (machine->s.tia.stop) break;
        if (which == TRANSLATOR && used) {
            which = THREADED_CORE;
        } else {
            const uint32_t left_at = machine->s.cpu.time;
            run_plainly(machine, end);
            work += (machine->s.cpu.time - left_at) / 2 + 1;
            assert(machine->s.cpu.time > before || machine->s.cpu.jammed); /* so this ends */
        }
        assert(work <= 2 * FRAME_INSTRUCTIONS); /* and soon */
    }
    (void)work;
    return machine->s.tia.stop && machine->s.cpu.time < start + 2 * FRAME_INSTRUCTIONS;
}

#define CPU(member, ...) INVARIANT("cpu." #member, cpu_state, member, __VA_ARGS__)
const invariant cpu_invariants[] = {
    CPU(time, ANY_VALUE),
    CPU(pc, ANY_VALUE),
    CPU(a, ANY_VALUE),
    CPU(x, ANY_VALUE),
    CPU(y, ANY_VALUE),
    CPU(sp, ANY_VALUE),
    CPU(n, ONE_OF(0, 0x80)),
    CPU(z, A_FLAG),
    CPU(v, A_FLAG),
    CPU(d, A_FLAG),
    CPU(i, A_FLAG),
    CPU(c, A_FLAG),
    CPU(jammed, A_FLAG),
    INVARIANTS("cpu.reserved", cpu_state, reserved, ONLY_ZERO),
    {0},
};
