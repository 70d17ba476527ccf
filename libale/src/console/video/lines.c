/* Drawing a line at a time.
 *
 * An object's place in a row is a mask of 160 bits.  While a log is followed, an access that changes an
 * object only notes the pixel and the new shape; when the row is complete, the masks that matter are built,
 * collisions are ANDs of them, and pixels are composed eight at a time.  Rows in which nothing changes repeat
 * the row above.
 *
 * This is the same picture as pixels.c draws, but for the reference's habits with rows that are left
 * unfinished: those are left to it. */
#include "lines.h"

#include <string.h>

#include "../../support/always_inline.h"
#include "../../support/bytes.h"
#include "shapes.h"

typedef struct mask {
    uint64_t word[3]; /* pixel x is bit x % 64 of word x / 64 */
} mask;

/* Colours of a stretch of a row. */
typedef struct colours {
    uint8_t background, ball, playfield[2], player[2]; /* playfield: left and right half */
    uint8_t playfield_first;                           /* priority: playfield and ball before the players */
    uint8_t hides_player1; /* score mode: in the left half the playfield lies over player 1 */
} colours;

typedef struct stretch {
    unsigned end; /* first pixel after it */
    colours with;
} stretch;

enum { MOST_STRETCHES = 160 };

enum { MOST_CHANGES = 64 };

/* One object's way through a row: its shape from pixel `x` on, as a key. */
typedef struct object {
    uint32_t key;   /* under the present state; 0: nothing to see */
    uint32_t built; /* key of `mask` */
    mask mask;
    unsigned changes;
    struct {
        unsigned x;
        uint32_t key;
    } change[MOST_CHANGES]; /* the first is the row's beginning */
} object;

typedef struct line {
    tia_raster *raster;
    const raster_target *target;
    uint16_t *latch;      /* of this row's collisions; NULL: they are not wanted */
    uint16_t above;       /* collisions of the row above */
    unsigned wanted;      /* objects that matter, as bits */
    unsigned present;     /* objects that show under the present state */
    unsigned active;      /* objects that may show in this row */
    uint32_t quiet;       /* up to this clock drawing only moves on in the row */
    unsigned cut;         /* objects that changed in mid-row */
    uint32_t row_start;   /* clock */
    unsigned first;       /* first pixel of this row that is ours to draw */
    unsigned blank_from;  /* HMOVE blank: these pixels up to the eighth are black */
    uint32_t blank_since; /* the clock of the last HMOVE, where no pixels are drawn to end the blank */
    bool above_blanked;   /* the row above had such pixels */
    bool row_ended;       /* the end of the row above has yet to take effect */
    bool changed;         /* something changed since the row began */
    bool settled;         /* the row above shows the present state */
    bool black;           /* VBLANK */
    colours now;
    unsigned stretches;
    stretch stretch[MOST_STRETCHES];
    object object[OBJECTS];
} line;

/* --- masks ---------------------------------------------------------------------------------------------- */

static const mask nothing;

/* `into` |= `from`, but only pixels a..b-1. */
static void add_range(mask *into, const mask *from, unsigned a, unsigned b) {
    if (a >= b) return;
    const unsigned first = a >> 6, last = (b - 1) >> 6;
    for (unsigned w = first; w <= last; w++) {
        uint64_t here = UINT64_MAX;
        if (w == first) here <<= a & 63;
        if (w == last) here &= UINT64_MAX >> (63 - ((b - 1) & 63));
        into->word[w] |= from->word[w] & here;
    }
}

/* Put a pattern of at most 32 pixels at x, wrapping at the right edge. */
static void place(uint64_t *words /* 4 */, uint64_t pattern, unsigned x) {
    if (x >= SCREEN_WIDTH) x -= SCREEN_WIDTH;
    unsigned w = x >> 6, shift = x & 63;
    words[w] |= pattern << shift;
    if (shift > 32) words[w + 1] |= pattern >> (64 - shift);
}

static mask wrapped(const uint64_t *words) {
    return (mask){{words[0] | words[2] >> 32, words[1], words[2] & 0xFFFFFFFF}};
}

ALWAYS_INLINE mask copies_of(uint64_t pattern, unsigned mode, unsigned x, unsigned first) {
    uint64_t words[4] = {0};
    for (unsigned i = first; i < tia_copies[mode].count; i++)
        place(words, pattern, x + tia_copies[mode].offset[i]);
    return wrapped(words);
}

static mask player_mask(uint32_t key) {
    unsigned byte = key & 0xFF, mode = key >> 8 & 7, x = key >> 16 & 0xFF, first = key >> 24;
    if (mode == 5) return copies_of(shape_by_two[byte], mode, x + 1, first);
    if (mode == 7) return copies_of(shape_by_four[byte], mode, x + 1, first);
    return copies_of(byte, mode, x, first);
}

static mask missile_mask(uint32_t key) {
    uint64_t pattern = (UINT64_C(1) << (1u << (key >> 1 & 3))) - 1;
    return copies_of(pattern, key >> 8 & 7, key >> 16, 0);
}

static mask playfield_mask(uint32_t key) {
    /* Cells from left to right: PF0 as it is, PF1 reversed, PF2 as it is; 80 pixels. */
    uint64_t pf0 = shape_by_four[key & 15], pf1 = shape_by_four[shape_reversed[key >> 4 & 0xFF]],
             pf2 = shape_by_four[key >> 12 & 0xFF];
    uint64_t low = pf0 | pf1 << 16 | pf2 << 48, high = pf2 >> 16;
    uint64_t right_low = low, right_high = high;
    if (key >> 20) {
        pf0 = shape_by_four[shape_reversed[key << 4 & 0xF0]];
        pf1 = shape_by_four[key >> 4 & 0xFF];
        pf2 = shape_by_four[shape_reversed[key >> 12 & 0xFF]];
        right_low = pf2 | pf1 << 32;
        right_high = pf0;
    }
    return (mask){{low, high | right_low << 16, right_low >> 48 | right_high << 16}};
}

static mask object_mask(uint32_t key, int i) {
    if (!key) return nothing;
    switch (i) {
        case P0:
        case P1: return player_mask(key);
        case M0:
        case M1: return missile_mask(key);
        case BL: return missile_mask(key & ~UINT32_C(0x700));
        default: return playfield_mask(key);
    }
}

/* The next pixel. */
static unsigned pixel_now(const line *l) {
    uint32_t h = l->raster->drawn - l->row_start;
    return h <= HBLANK_CLOCKS ? 0 : h - HBLANK_CLOCKS;
}

/* Note an object's new shape, from the next pixel on. */
static void change_object(line *l, int i, uint32_t key) {
    object *o = &l->object[i];
    unsigned x = pixel_now(l);
    if (x > o->change[o->changes - 1].x && o->changes < MOST_CHANGES) {
        o->changes++;
        l->cut |= 1u << i;
    }
    o->change[o->changes - 1].x = x > l->first ? x : l->first;
    o->change[o->changes - 1].key = o->key = key;
    if (key) {
        l->present |= 1u << i;
        l->active |= 1u << i;
    } else {
        l->present &= ~(1u << i);
    }
    l->changed = true;
}

static inline void update_object(line *l, int i) {
    uint32_t key = l->black ? 0 : object_key(l->raster, i);
    if (key != l->object[i].key) change_object(l, i, key);
}

static const mask *built_mask(object *o, int i, uint32_t key) {
    if (!key) return &nothing;
    if (o->built != key) {
        o->built = key;
        o->mask = object_mask(key, i);
    }
    return &o->mask;
}

/* What the object shows in the row, up to pixel `end`; put together in `room` if need be. */
ALWAYS_INLINE const mask *row_mask(line *l, int i, unsigned end, mask *room) {
    object *o = &l->object[i];
    if (o->changes == 1 && l->first == 0 && end == SCREEN_WIDTH) return built_mask(o, i, o->key);
    *room = nothing;
    for (unsigned k = 0; k < o->changes; k++) {
        if (!o->change[k].key) continue;
        unsigned to = k + 1 < o->changes ? o->change[k + 1].x : end;
        add_range(room, built_mask(o, i, o->change[k].key), o->change[k].x, to);
    }
    return room;
}

/* --- colours -------------------------------------------------------------------------------------------- */

static colours colours_now(const line *l) {
    const tia_raster *r = l->raster;
    if (l->black) return (colours){0};
    uint8_t loss = r->colour_loss;
    uint8_t p0 = (r->reg[COLUP0] & 0xFE) | loss, p1 = (r->reg[COLUP1] & 0xFE) | loss;
    uint8_t pf = (r->reg[COLUPF] & 0xFE) | loss, bk = (r->reg[COLUBK] & 0xFE) | loss;
    colours c = {.background = bk, .ball = pf, .playfield = {pf, pf}, .player = {p0, p1}};
    bool score = r->reg[CTRLPF] & 2;
    c.playfield_first = r->reg[CTRLPF] >> 2 & 1;
    if (score && c.playfield_first) score = playfield_is_alone(r); /* then it takes the score's colours */
    if (score) {
        c.playfield[0] = p0;
        c.playfield[1] = p1;
        c.hides_player1 = !c.playfield_first;
    }
    return c;
}

static void update_colours(line *l) {
    colours c = colours_now(l);
    if (memcmp(&c, &l->now, sizeof c) == 0) return;
    unsigned x = pixel_now(l), last = l->stretches ? l->stretch[l->stretches - 1].end : l->first;
    if (x > last) l->stretch[l->stretches++] = (stretch){x, l->now};
    l->now = c;
    l->changed = true;
}

/* --- rows ----------------------------------------------------------------------------------------------- */

/* What a row shows, by colour. */
enum { PLAYER0, PLAYER1, PLAYFIELD, BALL, LAYERS };
typedef struct layers {
    mask of[LAYERS];
} layers;

/* Let the pixels of one word of a mask differ by `change`, bit by bit. */
static void paint(uint8_t *pixels, uint64_t where, unsigned change) {
    const uint64_t changes = change * UINT64_C(0x0101010101010101);
    while (where) {
        const unsigned eight = (unsigned)__builtin_ctzll(where) / 8 * 8; /* of the pixels */
        const unsigned here = where >> eight & 0xFF;
        bytes_store(pixels + eight, bytes_load(pixels + eight) ^ (shape_to_bytes[here] & changes));
        where ^= (uint64_t)here << eight;
    }
}

/* The pixels from..to-1. */
static void compose(uint8_t *row, const layers *l, const colours *c, unsigned from, unsigned to) {
    static const mask left_half = {{UINT64_MAX, 0xFFFF, 0}};
    memset(row + from, c->background, to - from);
    mask all = {{UINT64_MAX, UINT64_MAX, UINT64_MAX}}, ours = nothing;
    if (from == 0 && to == SCREEN_WIDTH)
        ours = all;
    else
        add_range(&ours, &all, from, to);
    const bool halves = c->playfield[0] != c->playfield[1];
    for (unsigned w = 0; w < 3; w++) {
        uint64_t p0 = l->of[PLAYER0].word[w] & ours.word[w], p1 = l->of[PLAYER1].word[w] & ours.word[w];
        uint64_t pf = l->of[PLAYFIELD].word[w] & ours.word[w], bl = l->of[BALL].word[w] & ours.word[w];
        if (!(p0 | p1 | pf | bl)) continue;
        /* Of what lies upon each other only the uppermost shows. */
        if (c->playfield_first) {
            bl &= ~pf;
            p0 &= ~(pf | bl);
            p1 &= ~(pf | bl | p0);
        } else {
            if (c->hides_player1) p1 &= ~(pf & left_half.word[w]);
            p1 &= ~p0;
            pf &= ~(p0 | p1);
            bl &= ~(p0 | p1 | pf);
        }
        uint8_t *pixels = row + 64 * w;
        paint(pixels, p0, c->background ^ c->player[0]);
        paint(pixels, p1, c->background ^ c->player[1]);
        paint(pixels, bl, c->background ^ c->ball);
        if (halves) {
            paint(pixels, pf & ~left_half.word[w], c->background ^ c->playfield[1]);
            pf &= left_half.word[w];
        }
        paint(pixels, pf, c->background ^ c->playfield[0]);
    }
}

/* Sets of objects, by their bits, that have both objects of a pair. */
static uint64_t sets_with(unsigned both) {
    /* Sets with object i, as a pattern over all 64 sets. */
    static const uint64_t with[OBJECTS] = {0xAAAAAAAAAAAAAAAA, 0xCCCCCCCCCCCCCCCC, 0xF0F0F0F0F0F0F0F0,
                                           0xFF00FF00FF00FF00, 0xFFFF0000FFFF0000, 0xFFFFFFFF00000000};
    uint64_t sets = UINT64_MAX;
    for (; both; both &= both - 1) sets &= with[__builtin_ctz(both)];
    return sets;
}

void lines_set_pairs(raster_target *target, uint16_t set) {
    target->pairs = set;
    target->objects = 0;
    target->colliding = 0;
    for (unsigned left = set; left; left &= left - 1) {
        unsigned both = tia_pairs[__builtin_ctz(left)].both;
        target->objects |= (uint8_t)both;
        target->colliding |= sets_with(both);
    }
}

/* Latch the collisions of the row up to pixel `end`. */
static void collide(line *l, unsigned end) {
    uint16_t *latch = l->latch;
    unsigned missing = l->target->pairs & ~(unsigned)*latch & tia_pairs_among[l->active], have = 0;
    mask room[OBJECTS];
    const mask *masks[OBJECTS];
    for (; missing; missing &= missing - 1) {
        const int i = __builtin_ctz(missing);
        const unsigned both = tia_pairs[i].both;
        for (unsigned want = both & ~have; want; want &= want - 1) {
            int n = __builtin_ctz(want);
            masks[n] = row_mask(l, n, end, &room[n]);
        }
        have |= both;
        const uint64_t *a = masks[tia_pairs[i].a]->word, *b = masks[tia_pairs[i].b]->word;
        if ((a[0] & b[0]) | (a[1] & b[1]) | (a[2] & b[2])) *latch |= (uint16_t)(1u << i);
    }
}

static void begin_row(line *l, unsigned x) {
    if (l->first != x) l->cut = l->wanted & ALL_OBJECTS; /* all changes begin elsewhere */
    l->first = x;
    l->blank_from = 8;
    l->stretches = 0;
    for (; l->cut; l->cut &= l->cut - 1) {
        object *o = &l->object[__builtin_ctz(l->cut)];
        o->changes = 1;
        o->change[0].x = x;
        o->change[0].key = o->key;
    }
    l->active = l->present;
    l->changed = false;
}

/* Tell what covers the pixels of a row up to `end`, which are as those above, or blank at the left. */
static void cover_row(line *l, uint8_t *row, unsigned end, bool repeats, bool blank) {
    if (repeats)
        memcpy(row, row - SCREEN_WIDTH, SCREEN_WIDTH);
    else
        memset(row + l->first, 0, end - l->first);
    for (unsigned present = repeats ? 0 : l->active; present; present &= present - 1) {
        const int i = __builtin_ctz(present);
        mask room;
        const mask *m = row_mask(l, i, end, &room);
        for (unsigned w = 0; w < 3; w++) paint(row + 64 * w, m->word[w], 1u << i);
    }
    if (blank) memset(row + l->blank_from, 0, (end < 8 ? end : 8) - l->blank_from);
}

/* The pixels of the row up to `end` go out. */
static void draw_row(line *l, unsigned end, bool same) {
    const raster_target *target = l->target;
    uint32_t n = (l->row_start - l->raster->row_base) / LINE_CLOCKS;
    if (n >= target->rows) return;
    uint8_t *row = target->pixels + n * SCREEN_WIDTH;
    const bool blank = l->blank_from < 8 && l->blank_from < end;
    const bool repeats = same && n > 0 && !(l->above_blanked && !blank);
    if (target->cover) cover_row(l, target->cover + n * SCREEN_WIDTH, end, repeats, blank);
    if (repeats) {
        memcpy(row, row - SCREEN_WIDTH, SCREEN_WIDTH);
    } else {
        layers shown = {.of = {{{0}}}};
        static const uint8_t layer[OBJECTS] = {PLAYER0, PLAYER1, PLAYER0, PLAYER1, BALL, PLAYFIELD};
        for (unsigned present = l->active; present; present &= present - 1) {
            int i = __builtin_ctz(present);
            mask room, *into = &shown.of[layer[i]];
            const mask *m = row_mask(l, i, end, &room);
            for (int w = 0; w < 3; w++) into->word[w] |= m->word[w];
        }
        unsigned from = l->first;
        for (unsigned i = 0; i < l->stretches; i++) {
            compose(row, &shown, &l->stretch[i].with, from, l->stretch[i].end);
            from = l->stretch[i].end;
        }
        compose(row, &shown, &l->now, from, end);
    }
    if (blank) memset(row + l->blank_from, 0, (end < 8 ? end : 8) - l->blank_from);
    l->above_blanked = blank;
}

/* The row up to pixel `end` is complete as far as this log goes. */
static inline void emit_row(line *l, unsigned end, const bool pixels) {
    bool full = l->first == 0 && end == SCREEN_WIDTH;
    bool same = full && !l->changed && l->settled;
    l->settled = full && !l->cut && !l->stretches;
    if (pixels) draw_row(l, end, same);
    if (pixels && !l->latch) return;
    if (same)
        *l->latch |= l->above;
    else if (l->target->colliding >> l->active & 1)
        collide(l, end);
}

static void end_row_above(line *l) {
    tia_raster *r = l->raster;
    l->row_ended = false;
    unsigned affects = (unsigned)(r->reflected != (r->reg[CTRLPF] & 1)) << PF |
                       (unsigned)(r->suppressed[0] != 0) << P0 | (unsigned)(r->suppressed[1] != 0) << P1 |
                       (unsigned)(r->cosmic != 0) << M0;
    beam_end_of_row(r);
    for (affects &= l->wanted; affects; affects &= affects - 1) update_object(l, __builtin_ctz(affects));
}

/* The HMOVE blank covers the first eight pixels of the row it meets, and ends with them. */
static void blank_pixels(line *l, uint32_t to) {
    tia_raster *r = l->raster;
    unsigned x = pixel_now(l);
    if (to <= l->row_start + HBLANK_CLOCKS || x >= 8) return;
    if (x < l->blank_from) l->blank_from = x;
    if (to >= l->row_start + HBLANK_CLOCKS + 8) r->hmove_blank = 0;
}

static inline void draw_to(line *l, uint32_t clock, const bool pixels) {
    tia_raster *r = l->raster;
    const raster_target *target = l->target;
    if (r->drawn >= clock || clock < target->start || r->drawn >= target->end) return;
    if (clock > target->end) clock = target->end;
    while (r->drawn < clock) {
        if (l->row_ended) end_row_above(l);
        uint32_t row_end = l->row_start + LINE_CLOCKS;
        uint32_t to = clock < row_end ? clock : row_end;
        if (pixels && r->hmove_blank) blank_pixels(l, to);
        r->drawn = to;
        l->quiet = 0;
        if (to < row_end) {
            if (!(pixels && r->hmove_blank)) l->quiet = row_end - 1;
            return;
        }
        emit_row(l, SCREEN_WIDTH, pixels);
        if (!pixels || l->latch) l->above = *l->latch;
        l->row_start = row_end;
        l->row_ended = true;
        begin_row(l, 0);
    }
}

/* --- following a log ------------------------------------------------------------------------------------ */

/* Where no pixels are drawn, HMOVE's blank ends only here. */
static inline void end_blank(line *l) {
    if (l->raster->hmove_blank) beam_end_blank(l->raster, l->blank_since, l->raster->drawn);
    l->blank_since = l->raster->drawn;
}

ALWAYS_INLINE void follow(line *l, tia_access access, const bool pixels) {
    tia_raster *r = l->raster;
    const unsigned reg = access_reg(access);
    const tia_register *about = &tia_registers[reg];
    uint8_t value = access_value(access);
    uint32_t clock = access_clock(access);
    uint32_t to = clock + beam_delay(r, reg, clock);
    if (to > r->drawn) {
        if (to <= l->quiet)
            r->drawn = to;
        else
            draw_to(l, to, pixels);
    }

    unsigned affects = about->affects;
    switch (about->effect) {
        case NO_EFFECT: return;
        case STORE:
            if (r->reg[reg] == value) return;
            r->reg[reg] = value;
            break;
        case STORE_GRP0:
            r->reg[GRP0] = value;
            r->old_grp[1] = r->reg[GRP1];
            if (!(r->reg[VDELP1] & 1)) affects &= ~(1u << P1);
            break;
        case STORE_GRP1:
            r->reg[GRP1] = value;
            r->old_grp[0] = r->reg[GRP0];
            r->old_enabl = r->reg[ENABL];
            if (!(r->reg[VDELP0] & 1)) affects &= ~(1u << P0);
            if (!(r->reg[VDELBL] & 1)) affects &= ~(1u << BL);
            break;
        default:
            if (!pixels && reg == HMOVE) end_blank(l);
            beam_apply(r, reg, value, clock, l->target->hmove_blanks);
            break;
    }
    affects &= l->wanted;
    if (about->reshapes) {
        if (pixels) l->quiet = 0;
        affects &= l->present | COLOURS | 1 << M0; /* M0 may have been off for a row of its wandering */
    }
    if (!affects) return;
    if (reg == VBLANK) l->black = r->reg[VBLANK] & 2;
    for (unsigned objects = affects & ALL_OBJECTS; objects; objects &= objects - 1)
        update_object(l, __builtin_ctz(objects));
    if (pixels && (affects & COLOURS || (r->reg[CTRLPF] & 6) == 6)) update_colours(l);
}

/* Accesses that surely lead no further than to the end of a complete row. */
static uint32_t safe_count(const tia_raster *raster, const tia_access *access, uint32_t count,
                           const raster_target *target) {
    uint32_t last = access_clock(access[count - 1]);
    if (!target->pixels || last >= target->end) return count;
    if (last <= raster->row_base) return 0;
    uint32_t row = raster->row_base + (last - raster->row_base) / LINE_CLOCKS * LINE_CLOCKS;
    while (count > 0 && access_clock(access[count - 1]) + 12 >= row) count--;
    return count;
}

/* Begin to follow accesses from a state on. */
static inline void start(line *l, tia_raster *raster, const raster_target *target, const bool pixels) {
    l->raster = raster;
    l->target = target;
    l->latch = target->collisions;
    l->above = 0;
    l->wanted = pixels ? ALL_OBJECTS | COLOURS : target->objects;
    uint32_t from_base = raster->drawn > raster->row_base ? raster->drawn - raster->row_base : 0;
    uint32_t h = from_base % LINE_CLOCKS;
    l->row_start = raster->row_base + from_base - h;
    l->row_ended = h == 0 && from_base;
    l->blank_since = raster->drawn;
    l->above_blanked = l->settled = false;
    l->black = raster->reg[VBLANK] & 2;
    unsigned x = h <= HBLANK_CLOCKS ? 0 : h - HBLANK_CLOCKS;
    l->present = 0;
    for (unsigned wanted = l->wanted & ALL_OBJECTS; wanted; wanted &= wanted - 1) {
        int i = __builtin_ctz(wanted);
        object *o = &l->object[i];
        o->built = 0;
        o->key = l->black ? 0 : object_key(raster, i);
        o->changes = 1;
        o->change[0].x = x;
        o->change[0].key = o->key;
        l->present |= (unsigned)(o->key != 0) << i;
    }
    l->cut = l->quiet = 0;
    l->first = x;
    begin_row(l, x);
    if (pixels) l->now = colours_now(l);
}

/* What was drawn of a row that is left. */
static inline void finish(line *l, const bool pixels) {
    unsigned end = pixel_now(l);
    if (end > l->first) emit_row(l, end, pixels);
}

static inline void run(tia_raster *raster, const tia_access *access, uint32_t count, uint32_t until,
                       const raster_target *target, const bool pixels) {
    line l;
    start(&l, raster, target, pixels);
    for (uint32_t i = 0; i < count; i++) follow(&l, access[i], pixels);
    draw_to(&l, until, pixels);
    finish(&l, pixels);
    if (!pixels) end_blank(&l);
}

uint32_t lines_draw(tia_raster *raster, const tia_access *access, uint32_t count,
                    const raster_target *target) {
    if (count) count = safe_count(raster, access, count, target);
    if (count) run(raster, access, count, 0, target, true);
    return count;
}

void lines_draw_rows(tia_raster *raster, const tia_access *access, uint32_t count, uint32_t until,
                     const raster_target *target) {
    run(raster, access, count, until, target, true);
}

void lines_collide_row(tia_raster *raster, const lines_row *row, const raster_target *target) {
    raster_target to_latch = *target;
    to_latch.collisions = row->latch;
    run(raster, row->access, row->count, row->end, &to_latch, false);
}

static inline void run_rows(tia_raster *raster, lines_source *next, void *context, const raster_target *target,
                            const bool pixels) {
    lines_row row;
    if (!next(context, &row)) return;
    line l;
    start(&l, raster, target, pixels);
    do {
        l.latch = row.latch;
        for (uint32_t i = 0; i < row.count; i++) follow(&l, row.access[i], pixels);
        draw_to(&l, row.end, pixels);
        if (!pixels) end_blank(&l);
    } while (next(context, &row));
}

void lines_follow_rows(tia_raster *raster, lines_source *next, void *context, const raster_target *target) {
    if (target->pixels)
        run_rows(raster, next, context, target, true);
    else
        run_rows(raster, next, context, target, false);
}

/* --- collisions ----------------------------------------------------------------------------------------- */

/* The next stretch of a log in which wanted pairs of objects may show together (whatever VDELxx and VBLANK
 * say): from the first access's clock to the last one's.  False: there is none. */
enum { SHORT_GAP = 24 }; /* accesses between two such stretches that are not worth a stop */
static bool find_meeting(const tia_raster *r, const tia_access *access, uint32_t count, uint64_t colliding,
                         uint32_t *first, uint32_t *last) {
    uint8_t grp0 = r->reg[GRP0], grp1 = r->reg[GRP1], old0 = r->old_grp[0], old1 = r->old_grp[1];
    uint8_t enabl = r->reg[ENABL] & 2, old_enabl = r->old_enabl & 2;
    uint8_t pf[3] = {r->reg[PF0] & 0xF0, r->reg[PF1], r->reg[PF2]};
    unsigned players = (unsigned)((grp0 | old0) != 0) << P0 | (unsigned)((grp1 | old1) != 0) << P1;
    unsigned missiles = (r->reg[ENAM0] >> 1 & 1u) << M0 | (r->reg[ENAM1] >> 1 & 1u) << M1;
    unsigned ball = (unsigned)((enabl | old_enabl) != 0) << BL;
    unsigned playfield = (unsigned)((pf[0] | pf[1] | pf[2]) != 0) << PF;
    bool found = false;
    for (uint32_t i = 0;; i++) {
        bool meeting = colliding >> (players | missiles | ball | playfield) & 1;
        if (meeting && !found) *first = i ? i - 1 : 0;
        found |= meeting;
        /* On to the next access that matters. */
        while (i < count && !tia_appearances[access_reg(access[i])].object) i++;
        if (meeting) *last = i < count ? i + 1 : count;
        if (i == count || (found && i > *last + SHORT_GAP)) return found;
        uint8_t value = access_value(access[i]);
        switch (access_reg(access[i])) {
            case GRP0:
                grp0 = value;
                old1 = grp1;
                players = (unsigned)((grp0 | old0) != 0) << P0 | (unsigned)((grp1 | old1) != 0) << P1;
                break;
            case GRP1:
                grp1 = value;
                old0 = grp0;
                players = (unsigned)((grp0 | old0) != 0) << P0 | (unsigned)((grp1 | old1) != 0) << P1;
                old_enabl = enabl;
                ball = (unsigned)((enabl | old_enabl) != 0) << BL;
                break;
            case ENABL:
                enabl = value & 2;
                ball = (unsigned)((enabl | old_enabl) != 0) << BL;
                break;
            case ENAM0: missiles = (missiles & 1 << M1) | (value >> 1 & 1u) << M0; break;
            case ENAM1: missiles = (missiles & 1 << M0) | (value >> 1 & 1u) << M1; break;
            default:
                pf[access_reg(access[i]) - PF0] = access_reg(access[i]) == PF0 ? value & 0xF0 : value;
                playfield = (unsigned)((pf[0] | pf[1] | pf[2]) != 0) << PF;
                break;
        }
    }
}

uint32_t lines_collide(tia_raster *raster, const tia_access *access, uint32_t count,
                       const raster_target *target) {
    uint32_t done = 0, first = 0, last = 0;
    while (done < count &&
           find_meeting(raster, access + done, count - done, target->colliding, &first, &last)) {
        beam_follow(raster, access + done, first, target);
        run(raster, access + done + first, last - first, 0, target, false);
        done += last;
    }
    return done;
}
