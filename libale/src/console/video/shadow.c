/* The TIA's registers as the log leaves them. */
#include "shadow.h"

#include <string.h>

bool shadow_changes_nothing(const tia_shadow *s, unsigned reg, uint8_t value) {
    const tia_filter *f = &tia_filters[reg];
    const uint8_t *byte = (const uint8_t *)s;
    if (f->logged == LOG_ALWAYS || (f->logged == LOG_IF_NEW && s->reg[reg] != value)) return false;
    for (unsigned i = 0; i < f->pending.count; i++)
        if (byte[f->pending.first + i]) return false;
    for (const byte_copy *c = f->copies; c < f->copies + FILTER_COPIES && c->to; c++)
        if (byte[c->to] != byte[c->from]) return false;
    return true;
}

/* The other bytes that a write changes; most change none. */
__attribute__((cold, noinline)) static void note_others(tia_shadow *s, const tia_filter *f) {
    uint8_t *byte = (uint8_t *)s;
    for (const byte_copy *c = f->copies; c < f->copies + FILTER_COPIES && c->to; c++) byte[c->to] = byte[c->from];
    for (unsigned i = f->changes.first; i < f->changes.first + f->changes.count; i++)
        byte[i] = (uint8_t)((byte[i] & f->keeps) | f->sets);
}

void shadow_note_write(tia_shadow *s, unsigned reg, uint8_t value, uint32_t time) {
    const tia_filter *f = &tia_filters[reg];
    if (f->copies[0].to || f->changes.count) note_others(s, f);
    if (reg == CTRLPF) s->reflection = time % LINE_CYCLES >= LATE_CTRLPF;
    if (reg < sizeof s->reg) s->reg[reg] = value;
}

void shadow_start_frame(tia_shadow *s, const tia_raster *now) {
    memcpy(s->reg, now->reg, sizeof s->reg);
    memcpy(s->old_grp, now->old_grp, sizeof s->old_grp);
    s->old_enabl = now->old_enabl;
    s->in_force = 1;
    s->reflection = now->reflected != (now->reg[CTRLPF] & 1);
    s->nusiz[0] = now->suppressed[0] | (now->cosmic || now->m0_override ? 2 : 0);
    s->nusiz[1] = now->suppressed[1];
}
