/* Compares the machine before and after a turn.  Of all that accesses can change, it looks at RAM and at the small
 * state of the cartridge.  The plain core says whether there was an access of any other kind (machine->acted). */
#include "turns.h"

#include <string.h>

#include "engine.h"

enum { LONGEST_TURN = 256 }; /* instructions; to look for longer ones costs more than a hundredth of a frame */

typedef struct position {
    cpu_state cpu;
    cartridge_state cartridge;
    uint8_t ram[RAM_SIZE];
} position;

/* Return the registers without the time, and with flags as every engine leaves them. */
static cpu_state registers(const cpu_state *cpu) {
    cpu_state bare = *cpu;
    bare.time = 0;
    bare.n &= 0x80;
    bare.z = bare.z != 0;
    return bare;
}

static position position_of(const console *machine) {
    position p = {.cpu = registers(&machine->s.cpu), .cartridge = machine->s.cartridge};
    memcpy(p.ram, machine->s.ram, RAM_SIZE);
    return p;
}

static bool is_at(const console *machine, const position *p) {
    if (machine->s.cpu.pc != p->cpu.pc) return false;
    const cpu_state here = registers(&machine->s.cpu);
    return memcmp(&here, &p->cpu, sizeof here) == 0 && memcmp(machine->s.ram, p->ram, RAM_SIZE) == 0 &&
           memcmp(&machine->s.cartridge, &p->cartridge, sizeof p->cartridge) == 0;
}

uint32_t cpu_run_turns(console *machine, uint32_t budget) {
    if (machine->big_ram) return 0; /* too much to compare */
    const position start = position_of(machine);
    cpu_state *cpu = &machine->s.cpu;
    const uint32_t from = cpu->time, most = budget < LONGEST_TURN ? budget : LONGEST_TURN;
    uint32_t used = 0;
    machine->acted = false;
    while (used < most && !cpu->jammed) {
        used += plain_core.run(machine, NULL, 1);
        if (machine->acted) return used;
        if (!is_at(machine, &start)) continue;
        const uint32_t turns = budget / used; /* with the one that was run */
        cpu->time = from + turns * (cpu->time - from);
        return turns * used;
    }
    return used;
}
