/* Drawing pixel by pixel. */
#include "pixels.h"

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
    unsigned d = beam_wrap(x + SCREEN_WIDTH - raster->position[P0 + n]);
    for (unsigned i = raster->suppressed[n]; i < tia_copies[mode].count; i++) {
        unsigned from = tia_copies[mode].offset[i];
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
    unsigned d = beam_wrap(x + SCREEN_WIDTH - raster->position[M0 + n]);
    for (unsigned i = 0; i < tia_copies[mode].count; i++) {
        unsigned from = tia_copies[mode].offset[i];
        if (d >= from && d < from + (1u << code)) return true;
    }
    return false;
}

static bool ball_cell(const tia_raster *raster, unsigned x) {
    unsigned d = beam_wrap(x + SCREEN_WIDTH - raster->position[BL]);
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

static uint16_t collisions_of(unsigned objects) {
    unsigned latch = 0;
    if (objects & (objects - 1))
        for (int i = 0; i < COLLISIONS; i++)
            if ((objects & tia_pairs[i].both) == tia_pairs[i].both) latch |= 1u << i;
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

static void advance(tia_raster *raster, uint32_t clock, const raster_target *target) {
    if (clock < target->start || raster->drawn >= target->end || raster->drawn >= clock) return;
    if (clock > target->end) clock = target->end;
    uint8_t *row = NULL, *cover = NULL;
    unsigned first = 0; /* first pixel of the row drawn by this call */
    for (uint32_t at = raster->drawn; at < clock; at++) {
        uint32_t from_base = at - raster->row_base, h = from_base % LINE_CLOCKS;
        if (h == 0 && from_base) beam_end_of_row(raster);
        if (!row || h == 0) {
            uint32_t n = from_base / LINE_CLOCKS;
            row = target->pixels && n < target->rows ? target->pixels + n * SCREEN_WIDTH : NULL;
            cover = row && target->cover ? target->cover + n * SCREEN_WIDTH : NULL;
            first = h < HBLANK_CLOCKS ? 0 : h - HBLANK_CLOCKS;
        }
        if (h < HBLANK_CLOCKS) continue;
        unsigned x = h - HBLANK_CLOCKS;
        uint8_t value = 0;
        unsigned objects = 0;
        if (!(raster->reg[VBLANK] & 2)) {
            objects = objects_at(raster, x);
            if (target->collisions) *target->collisions |= collisions_of(objects);
            value = blanked(raster, x, pixel_colour(raster, objects, x));
        }
        if (row) row[x] = value;
        if (cover) cover[x] = blanked(raster, x, (uint8_t)objects);
        if (x == 7) raster->hmove_blank = 0;
    }
    raster->drawn = clock;

    uint32_t end = (clock - raster->row_base) % LINE_CLOCKS;
    if (!row || end == 0) return;
    if (raster->hmove_blank && end <= HBLANK_CLOCKS + 7) {
        unsigned to = end < HBLANK_CLOCKS ? LINE_CYCLES - end : 8;
        for (unsigned x = first; x < to; x++) row[x] = 0;
        for (unsigned x = first; x < to && cover; x++) cover[x] = 0;
    }
    if (end <= HBLANK_CLOCKS) return;
    unsigned x = end - HBLANK_CLOCKS, group = x & ~3u;
    if (x == group || group < first || raster->reg[VBLANK] & 2 || !overdraws(raster, group)) return;
    for (; x < group + 4; x++) {
        const unsigned objects = (unsigned)playfield_pixel(raster, x) << PF;
        row[x] = blanked(raster, x, pixel_colour(raster, objects, x));
        if (cover) cover[x] = blanked(raster, x, (uint8_t)objects);
    }
}

void pixels_run(tia_raster *raster, const tia_access *access, uint32_t count, const raster_target *target) {
    for (uint32_t i = 0; i < count; i++) {
        unsigned reg = access_reg(access[i]);
        uint32_t clock = access_clock(access[i]);
        advance(raster, clock + beam_delay(raster, reg, clock), target);
        beam_apply(raster, reg, access_value(access[i]), clock, target->hmove_blanks);
    }
}
