/* The raster: the TIA's drawing state, and drawing pixel by pixel.
 *
 * The rules are those of the emulated core, a line-table renderer that catches up at each access: an access
 * first draws everything up to its clock (plus a few clocks more for some registers), then takes effect. */
#include "raster.h"

#include "../console.h"

/* Distances from a player's or missile's position to its copies, by NUSIZ mode. */
static const struct {
    uint8_t count, offset[3];
} copies[8] = {{1, {0}},     {2, {0, 16}}, {2, {0, 32}},     {3, {0, 16, 32}},
               {2, {0, 64}}, {1, {0}},     {3, {0, 32, 64}}, {1, {0}}};

static unsigned wrap(unsigned x) { return x >= SCREEN_WIDTH ? x - SCREEN_WIDTH : x; }

static uint8_t reset_position(uint32_t h, unsigned in_hblank, unsigned ahead) {
    return (uint8_t)(h < HBLANK_CLOCKS ? in_hblank : (h - HBLANK_CLOCKS + ahead) % SCREEN_WIDTH);
}

/* What a player's RESP does to the copy that is due: drawn on, about to start, or none. */
typedef enum resp_zone { RESP_ELSEWHERE, RESP_ABOUT_TO_START, RESP_BEING_DRAWN } resp_zone;

static resp_zone find_resp_zone(const tia_raster *raster, int player, uint32_t h) {
    unsigned mode = raster->reg[NUSIZ0 + player] & 7;
    unsigned width = mode == 5 ? 16 : mode == 7 ? 32 : 8;
    unsigned moved = wrap(reset_position(h, 3, 5) + (unsigned)SCREEN_WIDTH - raster->position[P0 + player]);
    for (unsigned i = 0; i < copies[mode].count; i++) {
        unsigned from = copies[mode].offset[i];
        if (moved >= from && moved < from + 4) return RESP_ABOUT_TO_START;
        if (moved >= from + 4 && moved < from + 4 + width) return RESP_BEING_DRAWN;
    }
    return RESP_ELSEWHERE;
}

const uint8_t raster_delays[TIA_READ + 1] = {
    [VBLANK] = 1,
    [NUSIZ0] = 8,
    [NUSIZ1] = 8,
    [REFP0] = 1,
    [REFP1] = 1,
    [PF0] = DELAY_VARIES,
    [PF1] = DELAY_VARIES,
    [PF2] = DELAY_VARIES,
    [RESP0] = DELAY_VARIES,
    [RESP1] = DELAY_VARIES,
    [RESM0] = 8,
    [RESM1] = 8,
    [GRP0] = 1,
    [GRP1] = 1,
};

unsigned raster_varying_delay(const tia_raster *raster, unsigned reg, uint32_t clock) {
    static const uint8_t playfield[4] = {4, 5, 2, 3};
    uint32_t h = clock % LINE_CLOCKS;
    if (reg != RESP0 && reg != RESP1) return playfield[h / 3 % 4];
    return find_resp_zone(raster, (int)reg - RESP0, h) == RESP_BEING_DRAWN ? 11 : 0;
}

/* How far objects move at an HMOVE in a given cycle of the line: their usual motion plus `add`, kept within
 * `least` and `most`. */
typedef struct motion {
    int add, least, most;
} motion;

static motion motion_at(unsigned cycle) {
    static const int8_t least[21] = {-7, -7, -7, -7, -6, -5, -5, -4, -3, -2, -2,
                                     -1, 0,  1,  1,  2,  3,  4,  4,  5,  6};
    static const int8_t late[20] = {6, 5, 4, 4, 3, 2, 1, 1, 0, -1, -2, -2, -3, -4, -5, -5, -6, -7, -8, -8};
    if (cycle <= 20) return (motion){0, least[cycle], 8};
    if (cycle < 55) return (motion){0, 0, 0};
    if (cycle < 75) return (motion){late[cycle - 55], -16, 0};
    return (motion){0, -7, 8};
}

static void hmove(tia_raster *raster, uint32_t clock, bool hmove_blanks) {
    unsigned cycle = clock % LINE_CLOCKS / 3;
    if (hmove_blanks && (cycle <= 20 || cycle == 75)) raster->hmove_blank = 1;
    raster->suppressed[0] = raster->suppressed[1] = 0;
    raster->m0_override = 0;
    raster->cosmic = 0;
    raster->hmove_clock = clock;
    unsigned nibbles =
        raster->reg[HMP0] | raster->reg[HMP1] | raster->reg[HMM0] | raster->reg[HMM1] | raster->reg[HMBL];
    if (!(nibbles & 0xF0) && cycle <= 12) return; /* the usual HMOVE, and nothing set to move */
    motion m = motion_at(cycle);
    for (int i = 0; i < MOVABLE; i++) {
        /* The nibble counts pixels to the left, as a signed number. */
        int by = m.add - ((int8_t)raster->reg[HMP0 + i] >> 4);
        by = by < m.least ? m.least : by > m.most ? m.most : by;
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

void raster_apply(tia_raster *raster, unsigned reg, uint8_t value, uint32_t clock, bool hmove_blanks) {
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
        case GRP0: raster->old_grp[1] = raster->reg[GRP1]; break;
        case GRP1:
            raster->old_grp[0] = raster->reg[GRP0];
            raster->old_enabl = raster->reg[ENABL];
            break;
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
                raster->position[M0 + n] = (uint8_t)wrap(raster->position[P0 + n] + middle);
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

void raster_end_of_row(tia_raster *raster) {
    raster->reflected = raster->reg[CTRLPF] & 1;
    raster->suppressed[0] = raster->suppressed[1] = 0;
    if (!raster->cosmic) return;
    static const uint8_t back[4] = {18, 33, 0, 17};
    raster->cosmic_step = (raster->cosmic_step + 1) & 3;
    raster->position[M0] =
        (uint8_t)wrap(raster->position[M0] + (unsigned)SCREEN_WIDTH - back[raster->cosmic_step]);
    raster->m0_override = raster->cosmic_step == 1 ? 1 : raster->cosmic_step == 2 ? 2 : 0;
}

void raster_end_blank(tia_raster *raster, uint32_t from, uint32_t to) {
    if (!raster->hmove_blank) return;
    uint32_t base = raster->row_base;
    uint32_t eighth = base + (from - base) / LINE_CLOCKS * LINE_CLOCKS + HBLANK_CLOCKS + 7;
    if (from > eighth) eighth += LINE_CLOCKS;
    if (to > eighth) raster->hmove_blank = 0;
}

/* Follow the state to a clock. */
static inline void skip_to(tia_raster *raster, uint32_t clock, const raster_target *target) {
    if (clock < target->start || raster->drawn >= target->end || raster->drawn >= clock) return;
    if (clock > target->end) clock = target->end;
    uint32_t base = raster->row_base, from = raster->drawn;
    raster->drawn = clock;
    if (!(raster->hmove_blank | raster->suppressed[0] | raster->suppressed[1] | raster->cosmic |
          (raster->reflected ^ (raster->reg[CTRLPF] & 1))))
        return; /* the ends of rows change nothing */
    /* Row boundaries at or after `from` and before `clock`, but for the window's first. */
    uint32_t first = (from - base + LINE_CLOCKS - 1) / LINE_CLOCKS;
    if (first == 0) first = 1;
    uint32_t past = (clock - base + LINE_CLOCKS - 1) / LINE_CLOCKS;
    if (first < past) {
        uint32_t rows = raster->cosmic ? past - first : 1;
        while (rows--) raster_end_of_row(raster);
    }
    raster_end_blank(raster, from, clock);
}

/* How the state follows a write: most registers are just stored, and do not care where in the row that is. */
enum { FOLLOW_NOT, FOLLOW_STORE, FOLLOW_GRP0, FOLLOW_GRP1, FOLLOW_APPLY };
#define STORE FOLLOW_STORE
#define APPLY FOLLOW_APPLY
static const uint8_t follow_how[TIA_READ + 1] = {
    [VSYNC] = STORE,      [VBLANK] = STORE,     [NUSIZ0] = APPLY, [NUSIZ1] = APPLY, [COLUP0] = STORE,
    [COLUP1] = STORE,     [COLUPF] = STORE,     [COLUBK] = STORE, [CTRLPF] = APPLY, [REFP0] = STORE,
    [REFP1] = STORE,      [PF0] = STORE,        [PF1] = STORE,    [PF2] = STORE,    [RESP0] = APPLY,
    [RESP1] = APPLY,      [RESM0] = APPLY,      [RESM1] = APPLY,  [RESBL] = APPLY,  [AUDC0] = STORE,
    [AUDC1] = STORE,      [AUDF0] = STORE,      [AUDF1] = STORE,  [AUDV0] = STORE,  [AUDV1] = STORE,
    [GRP0] = FOLLOW_GRP0, [GRP1] = FOLLOW_GRP1, [ENAM0] = STORE,  [ENAM1] = STORE,  [ENABL] = STORE,
    [HMP0] = STORE,       [HMP1] = STORE,       [HMM0] = APPLY,   [HMM1] = STORE,   [HMBL] = STORE,
    [VDELP0] = STORE,     [VDELP1] = STORE,     [VDELBL] = STORE, [RESMP0] = APPLY, [RESMP1] = APPLY,
    [HMOVE] = APPLY,      [HMCLR] = APPLY,
};
#undef STORE
#undef APPLY

static inline void follow(tia_raster *raster, const tia_access *access, uint32_t count,
                          const raster_target *target) {
    for (uint32_t i = 0; i < count; i++) {
        unsigned reg = access_reg(access[i]);
        uint8_t value = access_value(access[i]);
        switch (follow_how[reg]) {
            case FOLLOW_STORE: raster->reg[reg] = value; break;
            case FOLLOW_GRP0:
                raster->reg[GRP0] = value;
                raster->old_grp[1] = raster->reg[GRP1];
                break;
            case FOLLOW_GRP1:
                raster->reg[GRP1] = value;
                raster->old_grp[0] = raster->reg[GRP0];
                raster->old_enabl = raster->reg[ENABL];
                break;
            case FOLLOW_APPLY: {
                uint32_t clock = access_clock(access[i]);
                skip_to(raster, clock + raster_delay(raster, reg, clock), target);
                raster_apply(raster, reg, value, clock, target->hmove_blanks);
                break;
            }
            default: break;
        }
    }
}

void raster_follow_to(tia_raster *raster, const tia_access *access, uint32_t count, uint32_t until,
                      const raster_target *target) {
    follow(raster, access, count, target);
    skip_to(raster, until, target);
}

void raster_follow(tia_raster *raster, const tia_access *access, uint32_t count,
                   const raster_target *target) {
    follow(raster, access, count, target);
    /* The last few accesses tell how far the picture is drawn by now. */
    uint32_t drawn = raster->drawn;
    for (uint32_t i = count; i > 0 && i + 6 > count; i--) {
        unsigned reg = access_reg(access[i - 1]);
        uint32_t clock = access_clock(access[i - 1]);
        if (reg == RESP0 || reg == RESP1) continue; /* known already */
        uint32_t to = clock + raster_delay(raster, reg, clock);
        if (to > drawn) drawn = to;
    }
    skip_to(raster, drawn, target);
}

/* --- pixels --------------------------------------------------------------------------------------------- */

static uint8_t shown_player(const tia_raster *raster, int n) {
    return raster->reg[VDELP0 + n] & 1 ? raster->old_grp[n] : raster->reg[GRP0 + n];
}

static bool missile_on(const tia_raster *raster, int n) {
    return (raster->reg[ENAM0 + n] & 2) && !(raster->reg[RESMP0 + n] & 2);
}

static bool ball_on(const tia_raster *raster) {
    return ((raster->reg[VDELBL] & 1 ? raster->old_enabl : raster->reg[ENABL]) & 2) != 0;
}

/* Which cell (0..7) of a player's shape lies at x; -1: none. */
static int player_cell(const tia_raster *raster, int n, unsigned x) {
    unsigned mode = raster->reg[NUSIZ0 + n] & 7;
    unsigned d = wrap(x + SCREEN_WIDTH - raster->position[P0 + n]);
    for (unsigned i = raster->suppressed[n]; i < copies[mode].count; i++) {
        unsigned from = copies[mode].offset[i];
        if (mode == 5) {
            if (d >= 1 && d < 17) return (int)(d - 1) / 2;
        } else if (mode == 7) {
            if (d >= 1 && d < 33) return (int)(d - 1) / 4;
        } else if (d >= from && d < from + 8) {
            return (int)(d - from);
        }
    }
    return -1;
}

static bool player_pixel(const tia_raster *raster, int n, unsigned x) {
    int cell = player_cell(raster, n, x);
    if (cell < 0) return false;
    unsigned bit = raster->reg[REFP0 + n] & 8 ? (unsigned)cell : 7 - (unsigned)cell;
    return shown_player(raster, n) >> bit & 1;
}

static bool missile_cell(const tia_raster *raster, int n, unsigned x) {
    if (n == 0 && raster->m0_override == 2) return false;
    unsigned mode = raster->reg[NUSIZ0 + n] & 7, code = raster->reg[NUSIZ0 + n] >> 4 & 3;
    if (n == 0 && raster->m0_override == 1) code |= 1;
    unsigned d = wrap(x + SCREEN_WIDTH - raster->position[M0 + n]);
    for (unsigned i = 0; i < copies[mode].count; i++) {
        unsigned from = copies[mode].offset[i];
        if (d >= from && d < from + (1u << code)) return true;
    }
    return false;
}

static bool ball_cell(const tia_raster *raster, unsigned x) {
    unsigned d = wrap(x + SCREEN_WIDTH - raster->position[BL]);
    return d < 1u << (raster->reg[CTRLPF] >> 4 & 3);
}

static bool playfield_pixel(const tia_raster *raster, unsigned x) {
    unsigned cell = x / 4;
    if (cell >= 20) cell = raster->reflected ? 39 - cell : cell - 20;
    if (cell < 4) return raster->reg[PF0] >> (4 + cell) & 1;
    if (cell < 12) return raster->reg[PF1] >> (11 - cell) & 1;
    return raster->reg[PF2] >> (cell - 12) & 1;
}

/* The objects that could show anywhere, as a set of bits 1 << P0 ... 1 << PF. */
static unsigned enabled_objects(const tia_raster *raster) {
    unsigned playfield = (raster->reg[PF0] & 0xF0) | raster->reg[PF1] | raster->reg[PF2];
    return (unsigned)((shown_player(raster, 0) != 0) << P0 | (shown_player(raster, 1) != 0) << P1 |
                      missile_on(raster, 0) << M0 | missile_on(raster, 1) << M1 | ball_on(raster) << BL |
                      (playfield != 0) << PF);
}

static unsigned objects_at(const tia_raster *raster, unsigned x) {
    return (unsigned)(player_pixel(raster, 0, x) << P0 | player_pixel(raster, 1, x) << P1 |
                      (missile_on(raster, 0) && missile_cell(raster, 0, x)) << M0 |
                      (missile_on(raster, 1) && missile_cell(raster, 1, x)) << M1 |
                      (ball_on(raster) && ball_cell(raster, x)) << BL | playfield_pixel(raster, x) << PF);
}

static uint8_t colour(const tia_raster *raster, unsigned reg) {
    return (uint8_t)((raster->reg[reg] & 0xFE) | raster->colour_loss);
}

static uint8_t pixel_colour(const tia_raster *raster, unsigned objects, unsigned x) {
    bool score = raster->reg[CTRLPF] & 2, priority = raster->reg[CTRLPF] & 4;
    unsigned half = x < SCREEN_WIDTH / 2 ? COLUP0 : COLUP1;
    if (priority) {
        if (objects & (1 << PF | 1 << BL)) {
            /* With score mode on too, a playfield all alone takes the score's colours. */
            bool alone = score && !(enabled_objects(raster) & ~(1u << PF));
            return colour(raster, alone ? half : COLUPF);
        }
        if (objects & (1 << P0 | 1 << M0)) return colour(raster, COLUP0);
        if (objects & (1 << P1 | 1 << M1)) return colour(raster, COLUP1);
        return colour(raster, COLUBK);
    }
    if (objects & (1 << P0 | 1 << M0)) return colour(raster, COLUP0);
    if (objects & (1 << P1 | 1 << M1)) {
        bool hidden = score && half == COLUP0 && objects & 1 << PF; /* the left score lies over player 1 */
        return colour(raster, hidden ? COLUP0 : COLUP1);
    }
    if (objects & 1 << PF) return colour(raster, score ? half : COLUPF);
    return colour(raster, objects & 1 << BL ? COLUPF : COLUBK);
}

/* Bits of the collision latch by pairs of objects. */
static const struct {
    uint8_t pair, bit;
} pairs[15] = {
    {1 << M0 | 1 << P1, 0},  {1 << M0 | 1 << P0, 1},  {1 << M1 | 1 << P0, 2},  {1 << M1 | 1 << P1, 3},
    {1 << P0 | 1 << PF, 4},  {1 << P0 | 1 << BL, 5},  {1 << P1 | 1 << PF, 6},  {1 << P1 | 1 << BL, 7},
    {1 << M0 | 1 << PF, 8},  {1 << M0 | 1 << BL, 9},  {1 << M1 | 1 << PF, 10}, {1 << M1 | 1 << BL, 11},
    {1 << BL | 1 << PF, 12}, {1 << P0 | 1 << P1, 13}, {1 << M0 | 1 << M1, 14},
};

static uint16_t collisions_of(unsigned objects) {
    unsigned latch = 0;
    if (objects & (objects - 1))
        for (int i = 0; i < 15; i++)
            if ((objects & pairs[i].pair) == pairs[i].pair) latch |= 1u << pairs[i].bit;
    return (uint16_t)latch;
}

/* The reference writes some pixels in groups of four, beyond the end of what it draws, when only these
 * objects are enabled and no movable one of them has a cell in the group. */
static bool overdraws(const tia_raster *raster, unsigned group) {
    static const uint8_t sets[] = {1 << PF, 1 << P0, 1 << P1, 1 << P0 | 1 << P1, 1 << M0, 1 << M1,
                                   1 << M0 | 1 << M1, 1 << BL, 1 << BL | 1 << M0, 1 << BL | 1 << M1,
                                   1 << BL | 1 << P1,
                                   /* these only outside score mode */
                                   1 << PF | 1 << P0, 1 << PF | 1 << P1, 1 << PF | 1 << BL};
    unsigned enabled = enabled_objects(raster);
    unsigned usable = raster->reg[CTRLPF] & 2 ? 11 : 14;
    unsigned i = 0;
    while (i < usable && sets[i] != enabled) i++;
    if (i == usable) return false;
    for (unsigned x = group; x < group + 4; x++)
        if ((enabled & 1 << P0 && player_cell(raster, 0, x) >= 0) ||
            (enabled & 1 << P1 && player_cell(raster, 1, x) >= 0) ||
            (enabled & 1 << M0 && missile_cell(raster, 0, x)) ||
            (enabled & 1 << M1 && missile_cell(raster, 1, x)) || (enabled & 1 << BL && ball_cell(raster, x)))
            return false;
    return true;
}

static uint8_t blanked(const tia_raster *raster, unsigned x, uint8_t value) {
    return raster->hmove_blank && x < 8 ? 0 : value;
}

void raster_advance(tia_raster *raster, uint32_t clock, const raster_target *target) {
    if (clock < target->start || raster->drawn >= target->end || raster->drawn >= clock) return;
    if (clock > target->end) clock = target->end;
    uint8_t *row = NULL;
    unsigned first = 0; /* first pixel of the row drawn by this call */
    for (uint32_t at = raster->drawn; at < clock; at++) {
        uint32_t from_base = at - raster->row_base, h = from_base % LINE_CLOCKS;
        if (h == 0 && from_base) raster_end_of_row(raster);
        if (!row || h == 0) {
            uint32_t n = from_base / LINE_CLOCKS;
            row = target->pixels && n < target->rows ? target->pixels + n * SCREEN_WIDTH : NULL;
            first = h < HBLANK_CLOCKS ? 0 : h - HBLANK_CLOCKS;
        }
        if (h < HBLANK_CLOCKS) continue;
        unsigned x = h - HBLANK_CLOCKS;
        uint8_t value = 0;
        if (!(raster->reg[VBLANK] & 2)) {
            unsigned objects = objects_at(raster, x);
            if (target->collisions) *target->collisions |= collisions_of(objects);
            value = blanked(raster, x, pixel_colour(raster, objects, x));
        }
        if (row) row[x] = value;
        if (x == 7) raster->hmove_blank = 0;
    }
    raster->drawn = clock;

    uint32_t end = (clock - raster->row_base) % LINE_CLOCKS;
    if (!row || end == 0) return;
    if (raster->hmove_blank && end <= HBLANK_CLOCKS + 7) {
        unsigned to = end < HBLANK_CLOCKS ? LINE_CYCLES - end : 8;
        for (unsigned x = first; x < to; x++) row[x] = 0;
    }
    if (end <= HBLANK_CLOCKS) return;
    unsigned x = end - HBLANK_CLOCKS, group = x & ~3u;
    if (x == group || group < first || raster->reg[VBLANK] & 2 || !overdraws(raster, group)) return;
    for (; x < group + 4; x++)
        row[x] = blanked(raster, x, pixel_colour(raster, playfield_pixel(raster, x) << PF, x));
}

void raster_run(tia_raster *raster, const tia_access *access, uint32_t count, const raster_target *target) {
    if (target->by_lines && target->pixels) {
        uint32_t done = lines_draw(raster, access, count, target);
        access += done;
        count -= done;
    }
    for (uint32_t i = 0; i < count; i++) {
        unsigned reg = access_reg(access[i]);
        uint32_t clock = access_clock(access[i]);
        raster_advance(raster, clock + raster_delay(raster, reg, clock), target);
        raster_apply(raster, reg, access_value(access[i]), clock, target->hmove_blanks);
    }
}
