/* The beam: the state that the TIA draws with, and how accesses change it. */
#ifndef ALE_BEAM_H
#define ALE_BEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../support/always_inline.h"
#include "../../support/invariants.h"
#include "access_log.h"
#include "registers.h"

/* All state that a pixel depends on, and how far the picture is drawn.  Clocks count from the start of line 0. */
typedef struct tia_raster {
    uint8_t reg[48];    /* as last written; strobes stay 0 */
    uint8_t old_grp[2]; /* GRP0 as of the last write to GRP1 and the other way round */
    uint8_t old_enabl;
    uint8_t position[MOVABLE];
    uint8_t suppressed[2]; /* a RESP moved the player away: no first copy until the line ends */
    uint8_t reflected;     /* playfield reflection in force */
    uint8_t hmove_blank;   /* the next eight first pixels of a row are black */
    uint8_t cosmic;        /* missile 0 wanders by itself (the trick of Cosmic Ark) */
    uint8_t cosmic_step;
    uint8_t m0_override;  /* 0: none, 1: wider, 2: off */
    uint8_t colour_loss;  /* bit 0 of all colours of this frame */
    uint32_t hmove_clock; /* of the last HMOVE */
    uint32_t row_base;    /* clock at which row 0 begins */
    uint32_t drawn;       /* the picture exists up to this clock */
} tia_raster;

/* Its fields as bits.  Two registers that nothing is stored in stand for the fields that are no bytes. */
#define FIELD(n) (UINT64_C(1) << (n))
#define FIELD_OF(member) FIELD(offsetof(tia_raster, member))
#define HMOVE_CLOCK FIELD(WSYNC)
#define CLOCKS FIELD(RSYNC) /* drawn, row_base */
#define POSITION(i) FIELD(offsetof(tia_raster, position) + (i))
#define OLD_GRP(n) FIELD(offsetof(tia_raster, old_grp) + (n))
#define OLD_ENABL FIELD_OF(old_enabl)
#define SUPPRESSED(n) FIELD(offsetof(tia_raster, suppressed) + (n))
#define REFLECTED FIELD_OF(reflected)
#define HMOVE_BLANK FIELD_OF(hmove_blank)
#define M0_OVERRIDE FIELD_OF(m0_override)
#define POSITIONS (POSITION(P0) | POSITION(P1) | POSITION(M0) | POSITION(M1) | POSITION(BL))
#define MOTION (FIELD(HMP0) | FIELD(HMP1) | FIELD(HMM0) | FIELD(HMM1) | FIELD(HMBL))
#define WANDERING (FIELD_OF(cosmic) | FIELD_OF(cosmic_step) | M0_OVERRIDE)
_Static_assert(offsetof(tia_raster, hmove_clock) == RASTER_BYTES, "the bytes of the state come first");

/* The destination of drawing. */
typedef struct raster_target {
    uint8_t *pixels;      /* frame buffer, or NULL */
    uint8_t *cover;       /* with it: the objects that cover each pixel, as bits; or NULL */
    uint16_t *collisions; /* latch, or NULL */
    uint16_t pairs;       /* bits of the latch that are wanted */
    uint64_t colliding;   /* bit n: the set of objects n has one of those pairs, or more */
    uint32_t start, end;  /* the window's clocks */
    uint32_t rows;        /* of the frame buffer */
    bool hmove_blanks;
} raster_target;

static inline unsigned beam_wrap(unsigned x) { return x >= SCREEN_WIDTH ? x - SCREEN_WIDTH : x; }

/* Return the objects that may show, ignoring VDELxx, RESMPx and VBLANK, as bits; and those that an access may let
 * appear. */
static inline unsigned beam_showing(const uint8_t *reg, const uint8_t old_grp[2], uint8_t old_enabl) {
    return (unsigned)((reg[GRP0] | old_grp[0]) != 0) << P0 | (unsigned)((reg[GRP1] | old_grp[1]) != 0) << P1 |
           (reg[ENAM0] >> 1 & 1u) << M0 | (reg[ENAM1] >> 1 & 1u) << M1 |
           ((reg[ENABL] | old_enabl) >> 1 & 1u) << BL |
           (unsigned)(((reg[PF0] & 0xF0) | reg[PF1] | reg[PF2]) != 0) << PF;
}
static inline unsigned access_shows(tia_access access) {
    const tia_appearance about = tia_appearances[access_reg(access)];
    const bool shows = access_value(access) & about.bits;
    return about.object & -(unsigned)shows; /* without a branch: it would often be mispredicted */
}

/* Move the objects as an HMOVE in one of the first cycles of a line does: only those that are set to move.  Their
 * registers are read one by one: to load all at once waits for a byte that was just stored. */
enum { LAST_USUAL_CYCLE = 12 };
static inline void beam_move(tia_raster *r, unsigned cycle) {
    static const int8_t most_left[LAST_USUAL_CYCLE + 1] = {-7, -7, -7, -7, -6, -5, -5, -4, -3, -2, -2, -1, 0};
    if (!((r->reg[HMP0] | r->reg[HMP1] | r->reg[HMM0] | r->reg[HMM1] | r->reg[HMBL]) & 0xF0)) return;
    for (unsigned i = 0; i < MOVABLE; i++) {
        const int by = -((int8_t)r->reg[HMP0 + i] >> 4); /* the nibble counts pixels to the left, as a signed number */
        if (!by) continue;
        const int x = r->position[i] + (by < most_left[cycle] ? most_left[cycle] : by);
        r->position[i] = (uint8_t)(x < 0 ? x + SCREEN_WIDTH : x >= SCREEN_WIDTH ? x - SCREEN_WIDTH : x);
    }
}

/* A write of GRP0 or GRP1 also copies what waits for one (VDELP0, VDELP1, VDELBL). */
static inline void beam_store_grp(tia_raster *raster, unsigned n, uint8_t value) {
    raster->reg[GRP0 + n] = value;
    raster->old_grp[n ^ 1] = raster->reg[GRP0 + (n ^ 1)];
    if (n == 1) raster->old_enabl = raster->reg[ENABL];
}
/* A write that changes no more than that. */
ALWAYS_INLINE void beam_store(tia_raster *raster, unsigned reg, uint8_t value) {
    if (reg == GRP0 || reg == GRP1) beam_store_grp(raster, reg - GRP0, value);
    else raster->reg[reg] = value;
}
/* Return the objects that look different after such a write, as bits; and those of them that may show afterwards. */
static inline unsigned beam_grp_changes(const tia_raster *raster, unsigned n, uint8_t value) {
    const unsigned other = n ^ 1;
    const bool own = !(raster->reg[VDELP0 + n] & 1) && raster->reg[GRP0 + n] != value;
    const bool waiting = raster->reg[VDELP0 + other] & 1 && raster->old_grp[other] != raster->reg[GRP0 + other];
    const bool ball = n == 1 && raster->reg[VDELBL] & 1 && (raster->old_enabl ^ raster->reg[ENABL]) & 2;
    return (unsigned)own << (P0 + n) | (unsigned)waiting << (P0 + other) | (unsigned)ball << BL;
}
static inline unsigned beam_grp_shows(unsigned changes, unsigned n, uint8_t value) {
    return value ? changes : changes & ~(1u << (P0 + n));
}

/* Clocks that an access draws ahead with the old state, and the most that any does: RESP0 and RESP1. */
enum { LONGEST_DELAY = 11 };
static inline unsigned beam_playfield_delay(uint32_t cycle) {
    static const uint8_t delay[4] = {4, 5, 2, 3};
    return delay[cycle % 4];
}
unsigned beam_varying_delay(const tia_raster *raster, unsigned reg, uint32_t clock);
static inline unsigned beam_delay(const tia_raster *raster, unsigned reg, uint32_t clock) {
    return tia_registers[reg].delay_varies ? beam_varying_delay(raster, reg, clock) : tia_registers[reg].delay;
}
/* Apply a write to the state. */
void beam_apply(tia_raster *raster, unsigned reg, uint8_t value, uint32_t clock, bool hmove_blanks);
/* Apply the end of a row to the state. */
void beam_end_of_row(tia_raster *raster);
/* Follow a log up to the first write after which one of the pairs may show together; return the number of accesses
 * followed.  None may show together before. */
uint32_t beam_follow_apart(tia_raster *raster, const tia_access *access, uint32_t count, const raster_target *target,
                           unsigned pairs);
/* Follow a log, without pixels and collisions. */
void beam_follow(tia_raster *raster, const tia_access *access, uint32_t count, const raster_target *target);
/* The same up to the clock `until`, which is after all the accesses. */
void beam_follow_to(tia_raster *raster, const tia_access *access, uint32_t count, uint32_t until,
                    const raster_target *target);

extern const invariant raster_invariants[];
/* As support/invariants.h has it, for the window and the HMOVE blanks of a target. */
const char *beam_invalid_field(const tia_raster *raster, const raster_target *target);

#endif
