/* The beam's rules are those of the emulated core, a line-table renderer that catches up at each access: an access
 * first draws everything up to its clock (plus a few clocks more for some registers), then takes effect. */
#include "beam.h"

#include <string.h>

#include "../../support/always_inline.h"

static uint8_t reset_position(uint32_t h, unsigned in_hblank, unsigned ahead) {
    return (uint8_t)(h < HBLANK_CLOCKS ? in_hblank : beam_wrap(h - HBLANK_CLOCKS + ahead));
}

/* What a player's RESP does to the copy that is due: drawn on, about to start, or none. */
typedef enum resp_zone { RESP_ELSEWHERE, RESP_ABOUT_TO_START, RESP_BEING_DRAWN } resp_zone;

ALWAYS_INLINE resp_zone find_resp_zone(const tia_raster *raster, int player, uint32_t h) {
    unsigned mode = raster->reg[NUSIZ0 + player] & 7;
    unsigned width = mode == 5 ? 16 : mode == 7 ? 32 : 8;
    unsigned moved =
        beam_wrap(reset_position(h, 3, 5) + (unsigned)SCREEN_WIDTH - raster->position[P0 + player]);
    for (unsigned i = 0; i < tia_copies[mode].count; i++) {
        unsigned from = tia_copies[mode].offset[i];
        if (moved >= from && moved < from + 4) return RESP_ABOUT_TO_START;
        if (moved >= from + 4 && moved < from + 4 + width) return RESP_BEING_DRAWN;
    }
    return RESP_ELSEWHERE;
}

unsigned beam_varying_delay(const tia_raster *raster, unsigned reg, uint32_t clock) {
    if (reg != RESP0 && reg != RESP1) return beam_playfield_delay(clock / 3);
    return find_resp_zone(raster, (int)reg - RESP0, clock % LINE_CLOCKS) == RESP_BEING_DRAWN ? LONGEST_DELAY : 0;
}

/* How far objects move at an HMOVE in a given cycle of the line, after those of beam_move: their usual motion plus
 * `add`, kept within `least` and `most`. */
typedef struct motion {
    int add, least, most;
} motion;

static motion motion_at(unsigned cycle) {
    static const int8_t least[20 - LAST_USUAL_CYCLE] = {1, 1, 2, 3, 4, 4, 5, 6};
    static const int8_t late[20] = {6, 5, 4, 4, 3, 2, 1, 1, 0, -1, -2, -2, -3, -4, -5, -5, -6, -7, -8, -8};
    if (cycle <= 20) return (motion){0, least[cycle - LAST_USUAL_CYCLE - 1], 8};
    if (cycle < 55) return (motion){0, 0, 0};
    if (cycle < 75) return (motion){late[cycle - 55], -16, 0};
    return (motion){0, -7, 8};
}

static void hmove(tia_raster *raster, uint32_t clock, bool hmove_blanks) {
    unsigned cycle = clock % LINE_CLOCKS / 3;
    if (hmove_blanks && (cycle <= 20 || cycle == 75)) raster->hmove_blank = 1;
    raster->suppressed[0] = raster->suppressed[1] = 0;
    raster->m0_override = 0;
    raster->cosmic = raster->cosmic_step = 0;
    raster->hmove_clock = clock;
    if (cycle <= LAST_USUAL_CYCLE) {
        beam_move(raster, cycle);
        return;
    }
    const motion m = motion_at(cycle);
    if (!(m.least | m.most)) return; /* in the middle of the line nothing moves */
    for (unsigned i = 0; i < MOVABLE; i++) {
        /* The nibble counts pixels to the left, as a signed number. */
        int by = m.add - ((int8_t)raster->reg[HMP0 + i] >> 4);
        by = by < m.least ? m.least : by > m.most ? m.most : by;
        if (!by) continue;
        int x = raster->position[i] + by;
        raster->position[i] = (uint8_t)(x < 0 ? x + SCREEN_WIDTH : x >= SCREEN_WIDTH ? x - SCREEN_WIDTH : x);
    }
}

/* RESM0, RESM1, RESBL soon after an HMOVE, as the reference has them. */
static uint8_t reset_after_hmove(unsigned reg, uint32_t since, uint32_t h, uint8_t usual) {
    if (reg == RESM0 && since == 60 && h == 69) return 8;
    if (reg == RESM1 && since == 9 && h == 18) return 3;
    if (reg == RESBL) {
        if (since == 54 && (h == 60 || h == 69)) return 10;
        if (since == 9 && h == 18) return 3;
        if (since == 21 && h == 30) return 6;
        if (since == 18 && h == 27) return 5;
    }
    return usual;
}

void beam_apply(tia_raster *raster, unsigned reg, uint8_t value, uint32_t clock, bool hmove_blanks) {
    uint32_t h = clock % LINE_CLOCKS;
    switch (reg) {
        case NUSIZ0:
        case NUSIZ1:
            raster->suppressed[reg - NUSIZ0] = 0;
            if (reg == NUSIZ0) raster->m0_override = 0;
            break;
        case CTRLPF:
            /* Too late for the right half: the change waits for the end of the row. */
            if (h < HBLANK_CLOCKS + 79) raster->reflected = value & 1;
            break;
        case RESP0:
        case RESP1: {
            int player = (int)reg - RESP0;
            raster->suppressed[player] = find_resp_zone(raster, player, h) != RESP_ABOUT_TO_START;
            raster->position[P0 + player] = reset_position(h, 3, 5);
            return;
        }
        case RESM0:
        case RESM1:
        case RESBL:
            raster->position[M0 + (reg - RESM0)] =
                reset_after_hmove(reg, clock - raster->hmove_clock, h, reset_position(h, 2, 4));
            if (reg == RESM0) raster->m0_override = 0;
            return;
        case GRP0:
        case GRP1: beam_store_grp(raster, reg - GRP0, value); return;
        case HMM0:
            if (clock - raster->hmove_clock == 63 && raster->reg[HMM0] >> 4 == 7 && value >> 4 == 6) {
                raster->cosmic = 1;
                raster->cosmic_step = 0;
            }
            break;
        case RESMP0:
        case RESMP1:
            if ((raster->reg[reg] & ~value) & 2) { /* released: the missile stands in its player's middle */
                unsigned n = reg - RESMP0, mode = raster->reg[NUSIZ0 + n] & 7;
                unsigned middle = mode == 5 ? 8 : mode == 7 ? 16 : 4;
                raster->position[M0 + n] = (uint8_t)beam_wrap(raster->position[P0 + n] + middle);
                if (n == 0) raster->m0_override = 0;
            }
            break;
        case HMOVE: hmove(raster, clock, hmove_blanks); return;
        case HMCLR:
            for (int i = 0; i < MOVABLE; i++) raster->reg[HMP0 + i] = 0;
            return;
        case WSYNC:
        case RSYNC:
        case CXCLR: return;
        default:
            if (reg > CXCLR) return; /* no register, or a read */
            break;
    }
    raster->reg[reg] = value;
}

void beam_end_of_row(tia_raster *raster) {
    raster->reflected = raster->reg[CTRLPF] & 1;
    raster->suppressed[0] = raster->suppressed[1] = 0;
    if (!raster->cosmic) return;
    static const uint8_t back[4] = {18, 33, 0, 17};
    raster->cosmic_step = (raster->cosmic_step + 1) & 3;
    raster->position[M0] =
        (uint8_t)beam_wrap(raster->position[M0] + (unsigned)SCREEN_WIDTH - back[raster->cosmic_step]);
    raster->m0_override = raster->cosmic_step == 1 ? 1 : raster->cosmic_step == 2 ? 2 : 0;
}

/* The HMOVE blank ends with the eighth pixel of a row, if that lies between two clocks; `row` is where the row of the
 * first begins. */
static inline void end_blank(tia_raster *raster, uint32_t row, uint32_t from, uint32_t to) {
    uint32_t eighth = row + HBLANK_CLOCKS + 7;
    if (from > eighth) eighth += LINE_CLOCKS;
    if (to > eighth) raster->hmove_blank = 0;
}

/* Whether the end of the row changes the playfield's reflection. */
static inline bool reflects_anew(const tia_raster *raster) { return raster->reflected ^ (raster->reg[CTRLPF] & 1); }

/* Advance the state to a clock. */
static inline void skip_to(tia_raster *raster, uint32_t clock, const raster_target *target) {
    if (clock < target->start || raster->drawn >= target->end || raster->drawn >= clock) return;
    if (clock > target->end) clock = target->end;
    uint32_t base = raster->row_base, from = raster->drawn;
    raster->drawn = clock;
    if (!(raster->hmove_blank | raster->suppressed[0] | raster->suppressed[1] | raster->cosmic | reflects_anew(raster)))
        return; /* the ends of rows change nothing */
    const uint32_t row = base + (from - base) / LINE_CLOCKS * LINE_CLOCKS; /* begins at or before `from` */
    /* Row boundaries at or after `from` and before `clock`, but for the window's first. */
    const uint32_t boundary = row == from && row != base ? row : row + LINE_CLOCKS;
    if (boundary < clock) {
        uint32_t rows = raster->cosmic ? (clock - boundary + LINE_CLOCKS - 1) / LINE_CLOCKS : 1;
        while (rows--) beam_end_of_row(raster);
    }
    if (raster->hmove_blank) end_blank(raster, row, from, clock);
}

/* An HMOVE early in the line, where only what it overwrites waits for the end of a row. */
static inline void hmove_early(tia_raster *raster, uint32_t clock, unsigned cycle, const raster_target *target) {
    if (clock >= target->start && raster->drawn < clock) raster->drawn = clock < target->end ? clock : target->end;
    raster->hmove_blank = target->hmove_blanks;
    raster->suppressed[0] = raster->suppressed[1] = 0;
    raster->hmove_clock = clock;
    beam_move(raster, cycle);
}

/* A write that may have more effects than that its value is stored. */
static inline void follow_effects(tia_raster *raster, tia_access access, const raster_target *target) {
    const unsigned reg = access_reg(access);
    const uint8_t value = access_value(access);
    const uint32_t clock = access_clock(access);
    switch (reg) {
        case HMOVE: {
            const unsigned cycle = access_cycle(access);
            if (cycle > LAST_USUAL_CYCLE || raster->cosmic || reflects_anew(raster)) break;
            hmove_early(raster, clock, cycle, target);
            return;
        }
        case NUSIZ0:
        case NUSIZ1:
            if (raster->suppressed[reg - NUSIZ0] | raster->cosmic) break;
            raster->reg[reg] = value;
            return;
        case CTRLPF:
            if ((raster->reg[CTRLPF] ^ value) & 1 || raster->reflected != (value & 1)) break;
            raster->reg[CTRLPF] = value;
            return;
        case HMM0:
            if (clock - raster->hmove_clock == 63) break;
            raster->reg[HMM0] = value;
            return;
        case HMCLR: memset(&raster->reg[HMP0], 0, MOVABLE); return;
        default: break;
    }
    skip_to(raster, clock + beam_delay(raster, reg, clock), target);
    beam_apply(raster, reg, value, clock, target->hmove_blanks);
}

/* Return whether one of the pairs may show after a write, given objects `showing` that may show before. */
ALWAYS_INLINE bool meets(const tia_raster *raster, tia_access access, unsigned pairs, unsigned *showing) {
    const unsigned appears = access_shows(access) & ~*showing;
    const bool blank = raster->reg[VBLANK] & 2;
    if (appears) {
        *showing |= appears;
        if (!(pairs & tia_pairs_among[*showing])) return false;
        *showing = beam_showing(raster->reg, raster->old_grp, raster->old_enabl) | appears;
        return !blank && pairs & tia_pairs_among[*showing];
    }
    if (access_reg(access) != VBLANK || !blank || access_value(access) & 2) return false;
    *showing = beam_showing(raster->reg, raster->old_grp, raster->old_enabl);
    return pairs & tia_pairs_among[*showing];
}

/* Return the number of accesses followed: all, or those before one after which one of the pairs may show. */
ALWAYS_INLINE uint32_t follow(tia_raster *raster, const tia_access *access, uint32_t count, const raster_target *target,
                              const unsigned pairs) {
    unsigned showing = 0; /* these may show */
    if (pairs) showing = beam_showing(raster->reg, raster->old_grp, raster->old_enabl);
    for (uint32_t i = 0; i < count; i++) {
        const unsigned reg = access_reg(access[i]);
        const uint8_t value = access_value(access[i]);
        if (pairs && meets(raster, access[i], pairs, &showing)) return i;
        const uint8_t effect = tia_registers[reg].effect;
        if (__builtin_expect(effect == STORE, 1)) {
            raster->reg[reg] = value;
            continue;
        }
        switch (effect) {
            case STORE_GRP0: beam_store_grp(raster, 0, value); break;
            case STORE_GRP1: beam_store_grp(raster, 1, value); break;
            case APPLY: follow_effects(raster, access[i], target); break;
            default: break;
        }
    }
    return count;
}

void beam_follow_to(tia_raster *raster, const tia_access *access, uint32_t count, uint32_t until,
                    const raster_target *target) {
    (void)follow(raster, access, count, target, 0);
    skip_to(raster, until, target);
}

/* How far the picture is drawn depends only on the last few accesses. */
static void skip_to_last(tia_raster *raster, const tia_access *access, uint32_t count, const raster_target *target) {
    uint32_t drawn = raster->drawn;
    for (uint32_t i = count; i > 0 && access_clock(access[i - 1]) + LONGEST_DELAY > drawn; i--) {
        const unsigned reg = access_reg(access[i - 1]);
        if (reg == RESP0 || reg == RESP1) continue; /* known already */
        const uint32_t clock = access_clock(access[i - 1]), to = clock + beam_delay(raster, reg, clock);
        if (to > drawn) drawn = to;
    }
    skip_to(raster, drawn, target);
}

void beam_follow(tia_raster *raster, const tia_access *access, uint32_t count, const raster_target *target) {
    (void)follow(raster, access, count, target, 0);
    skip_to_last(raster, access, count, target);
}

uint32_t beam_follow_apart(tia_raster *raster, const tia_access *access, uint32_t count, const raster_target *target,
                           unsigned pairs) {
    count = follow(raster, access, count, target, pairs);
    skip_to_last(raster, access, count, target);
    return count;
}

/* ---- States from outside ------------------------------------------------------------------------------- */

#define RASTER(member, ...) INVARIANT("raster." #member, tia_raster, member, __VA_ARGS__)
#define RASTER_EACH(member, ...) INVARIANTS("raster." #member, tia_raster, member, __VA_ARGS__)
#define REGISTERS_FROM(first, last, ...) \
    INVARIANTS_FROM("raster.reg", tia_raster, reg, first, (last) - (first) + 1, __VA_ARGS__)
const invariant raster_invariants[] = {
    REGISTERS_FROM(VSYNC, VBLANK, ANY_VALUE),
    REGISTERS_FROM(WSYNC, RSYNC, ONLY_ZERO),
    REGISTERS_FROM(NUSIZ0, PF2, ANY_VALUE),
    REGISTERS_FROM(RESP0, RESBL, ONLY_ZERO),
    REGISTERS_FROM(AUDC0, RESMP1, ANY_VALUE),
    REGISTERS_FROM(HMOVE, 47, ONLY_ZERO),
    RASTER_EACH(old_grp, ANY_VALUE),
    RASTER(old_enabl, ANY_VALUE),
    RASTER_EACH(position, IN_RANGE(0, SCREEN_WIDTH - 1)),
    RASTER_EACH(suppressed, A_FLAG),
    RASTER(reflected, A_FLAG),
    RASTER(hmove_blank, A_FLAG),
    RASTER(cosmic, A_FLAG),
    RASTER(cosmic_step, IN_RANGE(0, 3)),
    RASTER(m0_override, IN_RANGE(0, 2)),
    RASTER(colour_loss, A_FLAG),
    RASTER(hmove_clock, ANY_VALUE),
    RASTER(row_base, ANY_VALUE),
    RASTER(drawn, ANY_VALUE),
    {0},
};

const char *beam_invalid_field(const tia_raster *raster, const raster_target *target) {
    EXPECT_NONE(invalid_field(raster_invariants, raster));
    EXPECT(raster->hmove_blank <= target->hmove_blanks, "raster.hmove_blank");
    EXPECT(raster->cosmic || !raster->m0_override, "raster.m0_override");
    EXPECT(raster->cosmic || !raster->cosmic_step, "raster.cosmic_step");
    /* A reset in the middle of a frame, which then goes on, leaves both 0. */
    EXPECT(raster->row_base == target->start || raster->row_base == 0, "raster.row_base");
    EXPECT(raster->drawn >= raster->row_base && raster->drawn <= target->end, "raster.drawn");
    return NULL;
}
