/* Draws single pixels as the reference does, including what that writes beyond the end of an interrupted row. */
#include "pixels.h"

#include <string.h>

static uint8_t shown_player(const tia_raster *raster, int n) {
    return raster->reg[VDELP0 + n] & 1 ? raster->old_grp[n] : raster->reg[GRP0 + n];
}

static bool missile_on(const tia_raster *raster, int n) {
    return (raster->reg[ENAM0 + n] & 2) && !(raster->reg[RESMP0 + n] & 2);
}

static bool ball_on(const tia_raster *raster) {
    return ((raster->reg[VDELBL] & 1 ? raster->old_enabl : raster->reg[ENABL]) & 2) != 0;
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

/* Pixels of a row, `from` to `to` - 1, and the set of objects at each. */
typedef struct stretch {
    unsigned from, to;
    uint8_t objects[SCREEN_WIDTH];
} stretch;

static void start(stretch *s, unsigned from, unsigned to) {
    s->from = from;
    s->to = to;
    memset(s->objects + from, 0, to - from);
}

static void put(stretch *s, int object, unsigned x) {
    x = beam_wrap(x);
    if (x >= s->from && x < s->to) s->objects[x] |= (uint8_t)(1u << object);
}

/* The pixels of a player's shape, or all its cells; each is one pixel wide, or two or four and a pixel late. */
static void put_player(stretch *s, const tia_raster *raster, int n, bool cells) {
    const unsigned mode = raster->reg[NUSIZ0 + n] & 7, width = mode == 5 ? 2 : mode == 7 ? 4 : 1;
    const unsigned start = raster->position[P0 + n] + (width > 1 ? 1u : 0u), shape = shown_player(raster, n);
    if (!shape) return;
    for (unsigned i = raster->suppressed[n]; i < tia_copies[mode].count; i++)
        for (unsigned d = 0; d < 8 * width; d++) {
            const unsigned cell = d / width, bit = raster->reg[REFP0 + n] & 8 ? cell : 7 - cell;
            if (cells || shape >> bit & 1) put(s, P0 + n, start + tia_copies[mode].offset[i] + d);
        }
}

static void put_missile(stretch *s, const tia_raster *raster, int n) {
    const uint8_t override = n == 0 ? raster->m0_override : 0;
    if (!missile_on(raster, n) || override == 2) return;
    const unsigned mode = raster->reg[NUSIZ0 + n] & 7, code = raster->reg[NUSIZ0 + n] >> 4 & 3;
    for (unsigned i = 0; i < tia_copies[mode].count; i++)
        for (unsigned d = 0; d < 1u << (code | override); d++)
            put(s, M0 + n, raster->position[M0 + n] + tia_copies[mode].offset[i] + d);
}

static void put_playfield(stretch *s, const tia_raster *raster) {
    for (unsigned x = s->from & ~3u; x < s->to; x += 4) {
        if (!playfield_pixel(raster, x)) continue;
        for (unsigned d = 0; d < 4; d++) put(s, PF, x + d);
    }
}

static void put_movable(stretch *s, const tia_raster *raster, bool cells) {
    for (int n = 0; n < 2; n++) {
        put_player(s, raster, n, cells);
        put_missile(s, raster, n);
    }
    for (unsigned d = 0; ball_on(raster) && d < 1u << (raster->reg[CTRLPF] >> 4 & 3); d++)
        put(s, BL, raster->position[BL] + d);
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
    stretch four;
    start(&four, group, group + 4);
    put_movable(&four, raster, true);
    return !(four.objects[group] | four.objects[group + 1] | four.objects[group + 2] | four.objects[group + 3]);
}

static uint8_t blanked(const tia_raster *raster, unsigned x, uint8_t value) {
    return raster->hmove_blank && x < 8 ? 0 : value;
}

/* Draw pixels of a row, `from` to `to` - 1, with the same state. */
static void draw(tia_raster *raster, unsigned from, unsigned to, uint8_t *row, uint8_t *cover,
                 const raster_target *target) {
    if (from >= to) return; /* all of it is in the horizontal blank */
    const bool black = raster->reg[VBLANK] & 2;
    stretch s;
    start(&s, from, to);
    if (!black) {
        put_playfield(&s, raster);
        put_movable(&s, raster, false);
    }
    uint64_t seen = 0; /* sets of objects */
    for (unsigned x = from, end; x < to; x = end) {
        const uint8_t objects = s.objects[x];
        end = x + 1;
        while (end < to && end != SCREEN_WIDTH / 2 && s.objects[end] == objects) end++;
        seen |= UINT64_C(1) << objects;
        if (row) memset(row + x, black ? 0 : pixel_colour(raster, objects, x), end - x);
        if (cover) memset(cover + x, objects, end - x);
    }
    for (; target->collisions && seen; seen &= seen - 1)
        *target->collisions |= tia_pairs_among[__builtin_ctzll(seen)] & target->pairs;

    if (!raster->hmove_blank || from >= 8) return;
    const unsigned blank = to < 8 ? to : 8;
    if (row) memset(row + from, 0, blank - from);
    if (cover) memset(cover + from, 0, blank - from);
    if (to >= 8) raster->hmove_blank = 0;
}

static void advance(tia_raster *raster, uint32_t clock, const raster_target *target) {
    if (clock < target->start || raster->drawn >= target->end || raster->drawn >= clock) return;
    if (clock > target->end) clock = target->end;
    uint8_t *row = NULL, *cover = NULL;
    unsigned first = 0; /* first pixel of the row drawn by this call */
    for (uint32_t at = raster->drawn, next; at < clock; at = next) {
        const uint32_t from_base = at - raster->row_base, n = from_base / LINE_CLOCKS, h = from_base % LINE_CLOCKS;
        const uint32_t left = LINE_CLOCKS - h;
        if (h == 0 && from_base) beam_end_of_row(raster);
        next = clock - at < left ? clock : at + left;
        row = target->pixels && n < target->rows ? target->pixels + n * SCREEN_WIDTH : NULL;
        cover = row && target->cover ? target->cover + n * SCREEN_WIDTH : NULL;
        first = h < HBLANK_CLOCKS ? 0 : h - HBLANK_CLOCKS;
        const uint32_t end = h + (next - at);
        draw(raster, first, end < HBLANK_CLOCKS ? 0 : end - HBLANK_CLOCKS, row, cover, target);
    }
    raster->drawn = clock;

    uint32_t end = (clock - raster->row_base) % LINE_CLOCKS;
    if (!row || end == 0) return;
    if (raster->hmove_blank && end <= HBLANK_CLOCKS + 7) {
        unsigned to = end < HBLANK_CLOCKS ? HBLANK_CLOCKS + 8 - end : 8;
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
