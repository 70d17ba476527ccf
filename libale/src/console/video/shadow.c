/* The TIA's registers as the log leaves them. */
#include "shadow.h"

#include <string.h>

#include "../console.h"

bool shadow_changes_nothing(const tia_shadow *s, unsigned reg, uint8_t value) {
    switch (reg) {
        case NUSIZ0:
        case NUSIZ1: return s->reg[reg] == value && !s->nusiz[reg - NUSIZ0];
        case CTRLPF: return s->reg[reg] == value && !s->reflection;
        case GRP0: return s->reg[reg] == value && s->old_grp[1] == s->reg[GRP1];
        case GRP1:
            return s->reg[reg] == value && s->old_grp[0] == s->reg[GRP0] && s->old_enabl == s->reg[ENABL];
        case HMCLR: return !(s->reg[HMP0] | s->reg[HMP1] | s->reg[HMM0] | s->reg[HMM1] | s->reg[HMBL]);
        case HMM0:
        case RESMP0:
        case RESMP1: return s->reg[reg] == value;
        default: return tia_registers[reg].effect == STORE && s->reg[reg] == value;
    }
}

static void note_inputs(console *machine) {
    uint32_t *from = machine->shadow.input_from;
    for (unsigned i = 0; i < 8; i++) {
        const uint64_t cycle = tia_input_from(machine, i);
        from[i] = cycle <= UINT16_MAX ? (uint32_t)cycle << 16 : UINT32_MAX;
    }
}

void shadow_note_write(console *machine, unsigned reg, uint8_t value) {
    tia_shadow *s = &machine->shadow;
    switch (reg) {
        case VBLANK: note_inputs(machine); break; /* it discharges the paddles' capacitors */
        case NUSIZ0:
        case NUSIZ1: s->nusiz[reg - NUSIZ0] &= 2; break;
        case CTRLPF: s->reflection = machine->s.cpu.time % LINE_CYCLES >= LATE_CTRLPF; break;
        case RESP0:
        case RESP1: s->nusiz[reg - RESP0] |= 1; break;
        case GRP0: s->old_grp[1] = s->reg[GRP1]; break;
        case GRP1:
            s->old_grp[0] = s->reg[GRP0];
            s->old_enabl = s->reg[ENABL];
            break;
        case HMM0: s->nusiz[0] |= 2; break;
        case HMOVE: s->nusiz[0] = s->nusiz[1] = 0; break;
        case HMCLR: memset(&s->reg[HMP0], 0, MOVABLE); break;
        default: break;
    }
    if (reg < sizeof s->reg) s->reg[reg] = value;
}

void shadow_start_frame(console *machine) {
    const tia_raster *now = &machine->s.tia.now;
    tia_shadow *s = &machine->shadow;
    memcpy(s->reg, now->reg, sizeof s->reg);
    memcpy(s->old_grp, now->old_grp, sizeof s->old_grp);
    s->old_enabl = now->old_enabl;
    s->in_force = 1;
    s->reflection = now->reflected != (now->reg[CTRLPF] & 1);
    s->nusiz[0] = now->suppressed[0] | (now->cosmic || now->m0_override ? 2 : 0);
    s->nusiz[1] = now->suppressed[1];
    note_inputs(machine);
}
