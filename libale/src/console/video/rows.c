/* A row repeats if its accesses and all state that it depends on are those of the earlier frame.  Rows that repeat
 * together form groups, which are passed in one step.  Where this does not pay, following pauses for some frames. */
#include "rows.h"

#include <stddef.h>
#include <string.h>

#include "../../support/always_inline.h"
#include "../../support/bytes.h"
#include "lines.h"

#if defined(__SSE2__)
#include <emmintrin.h>
static inline __m128i sixteen_bytes(const uint8_t *at) {
    return _mm_loadu_si128((const __m128i *)(const void *)at);
}
#endif

/* --- fields --------------------------------------------------------------------------------------------- */

/* Fields that every row depends on, mainly those that decide which objects show. */
static const raster_fields always =
    CLOCKS | FIELD(VBLANK) | FIELD(COLUBK) | FIELD(CTRLPF) | FIELD(PF0) | FIELD(PF1) | FIELD(PF2) |
    FIELD(GRP0) | FIELD(GRP1) | FIELD(ENAM0) | FIELD(ENAM1) | FIELD(ENABL) | OLD_GRP(0) | OLD_GRP(1) |
    OLD_ENABL | SUPPRESSED(0) | SUPPRESSED(1) | REFLECTED | HMOVE_BLANK | FIELD_OF(colour_loss) | WANDERING;

/* Further fields that a row depends on if the object shows. */
#define PLAYER(n)                                                                           \
    (FIELD(VDELP0 + (n)) | FIELD(REFP0 + (n)) | FIELD(NUSIZ0 + (n)) | FIELD(COLUP0 + (n)) | \
     POSITION(P0 + (n)))
#define MISSILE(n) (FIELD(RESMP0 + (n)) | FIELD(NUSIZ0 + (n)) | FIELD(COLUP0 + (n)) | POSITION(M0 + (n)))
static const raster_fields of_object[OBJECTS] = {
    PLAYER(0), PLAYER(1), MISSILE(0), MISSILE(1), FIELD(VDELBL) | FIELD(COLUPF) | POSITION(BL), FIELD(COLUPF),
};

/* Bit n: byte n of two states differs, in a bit that is not ignored. */
static inline raster_fields differing_bytes(const uint8_t *a, const uint8_t *b, const uint8_t *ignored) {
#if defined(__SSE2__)
    raster_fields same = 0;
    for (unsigned i = 0; i < RASTER_BYTES; i += 16) {
        __m128i bits = _mm_xor_si128(sixteen_bytes(a + i), sixteen_bytes(b + i));
        if (ignored) bits = _mm_andnot_si128(sixteen_bytes(ignored + i), bits);
        const int zero = _mm_movemask_epi8(_mm_cmpeq_epi8(bits, _mm_setzero_si128()));
        same |= (raster_fields)(unsigned)zero << i;
    }
    return ~same;
#else
    raster_fields differing = 0;
    const uint64_t low = UINT64_C(0x7F7F7F7F7F7F7F7F);
    for (unsigned i = 0; i < RASTER_BYTES; i += 8) {
        uint64_t word = bytes_load(a + i) ^ bytes_load(b + i);
        if (ignored) word &= ~bytes_load(ignored + i);
        const uint64_t high = (((word & low) + low) | word) & ~low;
        differing |= (raster_fields)((high >> 7) * UINT64_C(0x0102040810204080) >> 56) << i;
    }
    return differing;
#endif
}

/* How a state differs from one of the earlier frame. */
static void find_difference(row_difference *d, const tia_raster *now, const tia_raster *before) {
    const uint8_t *a = (const uint8_t *)now, *b = (const uint8_t *)before;
    d->raw = differing_bytes(a, b, NULL);
    if (now->hmove_clock != before->hmove_clock) d->raw |= HMOVE_CLOCK;
    if (now->drawn != before->drawn || now->row_base != before->row_base) d->raw |= CLOCKS;
    d->relevant = 0;
    if (!d->raw) return;
    d->relevant = differing_bytes(a, b, tia_meaningless) | (d->raw & (HMOVE_CLOCK | CLOCKS));
    d->now = *now;
    if (!(d->raw & POSITIONS)) return;
    for (unsigned i = 0; i < MOVABLE; i++)
        d->now.position[i] =
            (uint8_t)beam_wrap((unsigned)now->position[i] + SCREEN_WIDTH - before->position[i]);
}

/* Turn a state of the earlier frame into the present one. */
static void apply_difference(const row_difference *d, tia_raster *state) {
    uint8_t *bytes = (uint8_t *)state;
    const uint8_t *now = (const uint8_t *)&d->now;
    for (raster_fields left = d->raw & POSITIONS; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);
        bytes[i] = (uint8_t)beam_wrap((unsigned)bytes[i] + now[i]);
    }
    for (raster_fields left = d->raw & ~(POSITIONS | HMOVE_CLOCK); left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);
        bytes[i] = now[i];
    }
    if (d->raw & HMOVE_CLOCK) state->hmove_clock = d->now.hmove_clock;
}

/* --- following a frame ---------------------------------------------------------------------------------- */

typedef struct walk {
    engine *engine;
    tia_raster *now;
    row_memory *memory;
    const tia_access *access; /* of the latest log, up to `count` */
    uint32_t count;
    const tia_access *before; /* of the earlier frame */
    uint32_t before_count;
    /* Accesses before `alike` are known to be those of the earlier frame, which are `shift` indices further
     * on; the one at `limit` is not. */
    uint32_t alike, limit;
    uint32_t shift;
    bool frame_over;
    uint32_t next; /* access */
    bool begun;    /* the cached row of the next span, which is to be followed */
    uint32_t end;  /* clock at which the span ends that was begun last */
    bool compared; /* the next span, which repeats: `difference` is that of its beginning */
    row_difference difference;
    uint32_t *ids;                /* of the rows that the frame buffer shows */
    raster_target target;         /* with pixels, if they are to be drawn on the way */
    const raster_target *waiting; /* where it may stop early: what must not collide from there on */
    uint32_t last;                /* clock up to which the accesses may draw */
} walk;

static bool is_row(const row_memory *memory, uint32_t span) {
    return span > 0 && span + 1 < memory->spans;
}

/* The clock at which a span ends. */
static uint32_t span_end(const walk *w, uint32_t span) {
    return span + 1 < w->memory->spans ? w->target.start + span * LINE_CLOCKS : UINT32_MAX;
}

/* Work out what a span of the earlier frame depends on and replaces. */
static void analyse(const walk *w, uint32_t span) {
    const row_memory *memory = w->memory;
    cached_row *row = &memory->row[span];
    row_beginning *beginning = &memory->beginning[span];
    const tia_access *access = w->before + row->first;
    const bool in_window = is_row(memory, span);
    raster_fields depends = in_window ? always : CLOCKS, replaces = 0;
    bool score = beginning->state.reg[CTRLPF] & 2;
    for (uint32_t i = 0; i < row->count; i++) {
        unsigned reg = access_reg(access[i]);
        depends |= tia_influences[reg].depends;
        replaces |= tia_influences[reg].replaces;
        score |= reg == CTRLPF;
    }
    if (in_window) {
        for (unsigned left = row->shown; left; left &= left - 1) depends |= of_object[__builtin_ctz(left)];
        if (score) depends |= FIELD(COLUP0) | FIELD(COLUP1);
    }
    beginning->depends = depends;
    beginning->replaces = replaces;
    row->analysed = true;
}

/* A row as lines.c wants it. */
static inline lines_row as_line(cached_row *row, uint32_t end, const tia_access *log) {
    return (lines_row){
        .access = log + row->first, .count = row->count, .end = end, .latch = &row->collisions};
}

/* Evaluate the collisions of a known row, whose accesses are in `log`. */
static void know_collisions(const walk *w, uint32_t span, const tia_access *log,
                            const raster_target *target) {
    cached_row *row = &w->memory->row[span];
    tia_raster state = w->memory->beginning[span].state;
    const lines_row line = as_line(row, span_end(w, span), log);
    lines_collide_row(w->engine, &state, &line, target);
    row->pairs |= target->pairs;
}

/* Latch the collisions of a row that repeats and in which objects may collide. */
static inline void collide_again(const walk *w, uint32_t span) {
    cached_row *row = &w->memory->row[span];
    w->memory->spared++;
    if (w->target.pairs & (uint16_t)~(row->pairs | *w->target.collisions))
        know_collisions(w, span, w->access, &w->target);
    *w->target.collisions |= row->collisions & w->target.pairs;
}

/* Begin to compare accesses with those of the earlier frame at i, which has them `shift` indices on. */
static void compare_from(walk *w, uint32_t i, uint32_t shift) {
    const uint32_t there = w->before_count - shift;
    w->shift = shift;
    w->alike = i;
    w->limit = there < w->count ? there : w->count;
}

/* Compare accesses up to `end` at least, and further as long as they are alike. */
static bool are_alike(walk *w, uint32_t end) {
    enum { BLOCK = 32 };
    const tia_access *now = w->access, *before = w->before;
    const uint32_t shift = w->shift, limit = w->limit;
    uint32_t i = w->alike;
    while (i < end && i < limit && now[i] == before[(uint32_t)(i + shift)]) i++;
    if (i == end) {
        while (i + BLOCK <= limit &&
               memcmp(now + i, before + (uint32_t)(i + shift), BLOCK * sizeof *now) == 0)
            i += BLOCK;
        while (i < limit && now[i] == before[(uint32_t)(i + shift)]) i++;
    }
    w->alike = w->limit = i;
    return end <= i;
}

/* Whether accesses from i on, of spans that end at `clock`, are those that the earlier frame has from
 * `first` on, and all of them are there. */
static bool surely_repeat(walk *w, uint32_t i, uint32_t count, uint32_t first, uint32_t clock) {
    const uint32_t end = i + count, shift = first - i;
    if (shift != w->shift || i > w->alike) compare_from(w, i, shift);
    if (end > w->alike && (w->alike == w->limit || !are_alike(w, end))) return false;
    return end < w->count ? access_clock(w->access[end]) >= clock : w->frame_over;
}

static inline bool repeats(walk *w, const cached_row *row, uint32_t i, uint32_t span) {
    if (!row->known) return false;
    /* What follows in the log belongs to another span there, so here too. */
    if (row->first - i == w->shift && i + row->count < w->alike) return true;
    return surely_repeat(w, i, row->count, row->first, span_end(w, span));
}

/* Return whether the next span begins with the state of the earlier frame, except for fields that it does not depend
 * on.  Its accesses are known to be equal.  Sets w->difference. */
ALWAYS_INLINE bool begins_alike(walk *w) {
    row_memory *memory = w->memory;
    const uint32_t span = memory->span;
    row_difference *d = &w->difference;
    find_difference(d, w->now, &memory->beginning[span].state);
    if (!d->raw) return true;
    if (!memory->row[span].analysed) analyse(w, span);
    return !(d->relevant & memory->beginning[span].depends);
}

/* --- groups --------------------------------------------------------------------------------------------- */

/* The group that begins with a span, or NULL. */
static inline row_group *group_from(const row_memory *memory, uint32_t span) {
    return span % ROW_GROUP == 1 && span / ROW_GROUP < memory->groups
               ? &memory->group[span / ROW_GROUP]
               : NULL;
}

/* Bring the rows of a group up to date. */
static void flush_group(row_memory *memory, uint32_t number) {
    row_group *g = &memory->group[number];
    if (!g->grouped) return;
    const uint32_t span = number * ROW_GROUP + 1;
    cached_row *row = &memory->row[span];
    const uint16_t moved = (uint16_t)(g->first - row->first);
    if (moved)
        for (unsigned i = 0; i < ROW_GROUP; i++) row[i].first = (uint16_t)(row[i].first + moved);
    if (g->pending.raw)
        for (unsigned i = 0; i < ROW_GROUP; i++)
            apply_difference(&g->pending, &memory->beginning[span + i].state);
    g->pending.raw = 0;
}

/* Break up the group that begins with a span, because its rows are about to change.  Code that reaches a row inside a
 * group has always passed the group's first row, and so has called this. */
static inline void open_group(row_memory *memory, uint32_t span) {
    row_group *g = group_from(memory, span);
    if (!g || !g->grouped) return;
    flush_group(memory, span / ROW_GROUP);
    g->grouped = false;
}

/* Form the group that begins with a span, all of whose rows repeat.  From now on they may be passed at once. */
static void close_group(const walk *w, row_group *g, uint32_t span) {
    const cached_row *row = &w->memory->row[span];
    const row_beginning *beginning = &w->memory->beginning[span];
    const uint64_t colliding = w->target.colliding;
    *g = (row_group){.grouped = true, .first = row->first, .pairs = ALL_PAIRS, .colliding = colliding};
    for (unsigned i = 0; i < ROW_GROUP; i++, row++, beginning++) {
        g->count = (uint16_t)(g->count + row->count);
        g->sets |= UINT64_C(1) << row->shown;
        g->depends |= row->analysed ? beginning->depends : ~UINT64_C(0);
        g->replaces |= row->analysed ? beginning->replaces : ~UINT64_C(0);
        if (!(colliding >> row->shown & 1)) continue;
        g->spared++;
        g->pairs &= row->pairs;
        g->collisions |= row->collisions;
    }
}

/* Pass the rows of a group, which begins with a span and access *i, if that needs no work on single rows. */
static bool pass_group(walk *w, row_group *g, uint32_t span, uint32_t *i) {
    const row_difference *d = &w->difference;
    if (!g->grouped || d->relevant & g->depends || d->raw & g->replaces) return false;
    const bool collide = w->target.colliding & g->sets;
    if (collide && (g->colliding != w->target.colliding ||
                    w->target.pairs & (uint16_t)~(g->pairs | *w->target.collisions)))
        return false;
    if (!(g->first - *i == w->shift && *i + g->count < w->alike) &&
        !surely_repeat(w, *i, g->count, g->first, span_end(w, span + ROW_GROUP - 1)))
        return false;
    if (collide) {
        w->memory->spared = (uint16_t)(w->memory->spared + g->spared);
        *w->target.collisions |= g->collisions & w->target.pairs;
    }
    if (d->raw) {
        if (!g->pending.raw) g->pending.now = (tia_raster){0};
        apply_difference(d, &g->pending.now);
        g->pending.raw |= d->raw;
    }
    g->first = (uint16_t)*i;
    *i += g->count;
    return true;
}

/* --- rows ----------------------------------------------------------------------------------------------- */

/* Pass a span that repeats and whose first access is i, unless the difference matters to it. */
static bool pass_span(walk *w, uint32_t span, uint32_t i) {
    row_memory *memory = w->memory;
    cached_row *row = &memory->row[span];
    row_difference *d = &w->difference;
    if (d->raw) {
        if (!row->analysed) analyse(w, span);
        row_beginning *beginning = &memory->beginning[span];
        if (d->relevant & beginning->depends) return false;
        apply_difference(d, &beginning->state);
        d->raw &= ~beginning->replaces;
        d->relevant &= ~beginning->replaces;
    }
    row->first = (uint16_t)i;
    if (w->target.colliding >> row->shown & 1 && is_row(memory, span)) collide_again(w, span);
    return true;
}

/* Whether the next span, whose first access is i, may be passed. */
static inline bool begins_repeat(walk *w, uint32_t i) {
    row_memory *memory = w->memory;
    const uint32_t span = memory->span;
    if (w->compared) return true;
    if (group_from(memory, span)) flush_group(memory, span / ROW_GROUP);
    w->compared = repeats(w, &memory->row[span], i, span) && begins_alike(w);
    return w->compared;
}

/* Go through spans that repeat, from access i on; return the next one's first access.  The rows' memory
 * becomes that of the present frame, and `now` the state before the next span. */
static uint32_t pass_repeats(walk *w, uint32_t i) {
    row_memory *memory = w->memory;
    if (!begins_repeat(w, i)) return i;
    w->compared = false;
    uint32_t span = memory->span, group_end = 0; /* of the group whose rows were just passed, if any */
    while (span < memory->spans) {
        row_group *g = group_from(memory, span);
        if (g) {
            if (pass_group(w, g, span, &i)) {
                span += ROW_GROUP;
                continue;
            }
            open_group(memory, span);
            group_end = span + ROW_GROUP;
        }
        const cached_row *row = &memory->row[span];
        if (!repeats(w, row, i, span) || !pass_span(w, span, i)) break;
        i += row->count;
        span++;
        if (span == group_end)
            close_group(w, &memory->group[(span - 1) / ROW_GROUP - 1], span - ROW_GROUP);
    }
    memory->repeated = (uint16_t)(memory->repeated + (span - memory->span));
    memory->span = span;
    *w->now = memory->beginning[span].state;
    if (w->difference.raw) apply_difference(&w->difference, w->now);
    return i;
}

/* --- waiting -------------------------------------------------------------------------------------------- */

/* Whether a row that is alike as far as it goes surely has no collision that is new to the latch. */
static bool stays_apart(const walk *w, uint32_t span) {
    const raster_target *target = w->waiting;
    cached_row *row = &w->memory->row[span];
    if (!(target->colliding >> row->shown & 1)) return true;
    const uint16_t wanted = target->pairs & (uint16_t)~*target->collisions;
    if (wanted & (uint16_t)~row->pairs) know_collisions(w, span, w->before, target);
    return !(row->collisions & wanted);
}

/* Whether the next span, whose first access is i, is not complete and need not be followed yet: it has no
 * pixels so far, or is alike and collides with nothing that is wanted.  Once complete, it may repeat as a whole.
 */
static bool can_wait(walk *w, uint32_t i) {
    const row_memory *memory = w->memory;
    const uint32_t span = memory->span, end = span_end(w, span);
    if (!is_row(memory, span) || w->last <= end - SCREEN_WIDTH) return true;
    const cached_row *row = &memory->row[span];
    if (!memory->has_previous || !row->known || row->count < w->count - i) return false;
    if (row->first - i != w->shift || i > w->alike) compare_from(w, i, row->first - i);
    return are_alike(w, w->count) && begins_alike(w) && stays_apart(w, span);
}

static inline bool waits(walk *w, uint32_t i) {
    return w->waiting && i < w->count && w->last <= span_end(w, w->memory->span) && can_wait(w, i);
}

/* Note that a row of a frame buffer now shows the pixels with this id. */
static inline void note_drawn(row_memory *memory, uint32_t *shown_ids, uint32_t row, uint32_t id) {
    shown_ids[row] = id;
    memory->written[row / 64] |= UINT64_C(1) << row % 64;
}

/* Begin the cached row of a span whose first access is i; return the next one's first access. */
ALWAYS_INLINE uint32_t begin_span(walk *w, uint32_t i) {
    row_memory *memory = w->memory;
    cached_row *row = &memory->row[memory->span];
    const uint32_t end = span_end(w, memory->span);
    unsigned shown = beam_showing(w->now->reg, w->now->old_grp, w->now->old_enabl);
    uint32_t j = i;
    open_group(memory, memory->span);
    for (; j < w->count && is_before(w->access[j], end); j++) shown |= access_shows(w->access[j]);
    memory->beginning[memory->span].state = *w->now;
    row->first = (uint16_t)i;
    row->count = (uint16_t)(j - i);
    row->shown = (uint8_t)shown;
    row->pairs = row->collisions = 0;
    row->analysed = false;
    row->known = j < w->count || w->frame_over;
    row->id = ++memory->last_id;
    w->end = end;
    return j;
}

/* Whether the collisions of the span that was begun are of interest. */
static inline bool may_collide(const walk *w, const cached_row *row) {
    return w->target.colliding >> row->shown & 1 && is_row(w->memory, w->memory->span) &&
           w->target.pairs & (uint16_t)~*w->target.collisions;
}

/* Whether there is more to do for the span that was begun than to follow it. */
static bool is_of_interest(const walk *w, const cached_row *row) {
    return w->target.pixels ? is_row(w->memory, w->memory->span) : may_collide(w, row);
}

/* For lines.c: the span that was begun, and those after it as far as they do not repeat, are complete and
 * of interest. */
ALWAYS_INLINE bool next_line(void *context, lines_row *line) {
    walk *w = context;
    row_memory *memory = w->memory;
    cached_row *row = &memory->row[memory->span];
    if (w->begun) {
        if (w->target.pixels) note_drawn(memory, w->ids, memory->span - 1, row->id);
        row->pairs = w->target.pairs;
        *w->target.collisions |= row->collisions & w->target.pairs;
        memory->span++;
        row++;
        w->begun = false;
        if (memory->span == memory->spans || (w->next == w->count && !w->frame_over)) return false;
        if ((memory->has_previous && begins_repeat(w, w->next)) || waits(w, w->next)) return false;
        w->next = begin_span(w, w->next);
    }
    w->begun = true;
    if (!row->known || !is_of_interest(w, row)) return false;
    *line = as_line(row, w->end, w->access);
    return true;
}

/* Follow accesses of a span that is not complete. */
static void follow_part(const walk *w, const tia_access *access, uint32_t count) {
    uint32_t done = w->target.pairs ? lines_collide(w->engine, w->now, access, count, &w->target) : 0;
    if (done < count) beam_follow(w->now, access + done, count - done, &w->target);
}

/* Follow a span from its beginning at access i, and some after it; return the next one's first access. */
static uint32_t follow_span(walk *w, uint32_t i) {
    row_memory *memory = w->memory;
    w->next = begin_span(w, i);
    w->begun = false;
    cached_row *row = &memory->row[memory->span];
    if (row->known && is_of_interest(w, row)) {
        lines_follow_rows(w->engine, w->now, next_line, w, &w->target);
        if (!w->begun) return w->next;
        row = &memory->row[memory->span];
    }
    const tia_access *access = w->access + row->first;
    if (row->known) {
        if (!(w->target.colliding >> row->shown & 1)) row->pairs = w->target.pairs;
        beam_follow_to(w->now, access, row->count, w->end, &w->target);
        memory->span++;
    } else {
        memory->inside = true;
        follow_part(w, access, row->count);
    }
    return w->next;
}

/* Follow the rest of a span from access i; return the next one's first access. */
static uint32_t finish_span(walk *w, uint32_t i) {
    row_memory *memory = w->memory;
    cached_row *row = &memory->row[memory->span];
    const uint32_t span = memory->span, end = span_end(w, span);
    uint32_t j = i;
    for (; j < w->count && is_before(w->access[j], end); j++) row->shown |= (uint8_t)access_shows(w->access[j]);
    memory->inside = j == w->count && !w->frame_over;
    row->count = (uint16_t)(j - row->first);
    row->known = !memory->inside;
    const tia_access *access = w->access + i;
    if (memory->inside) {
        follow_part(w, access, j - i);
    } else if (w->target.pairs && is_row(memory, span)) {
        const lines_row rest = {.access = access, .count = j - i, .end = end, .latch = w->target.collisions};
        lines_collide_row(w->engine, w->now, &rest, &w->target);
    } else {
        beam_follow_to(w->now, access, j - i, end, &w->target);
    }
    if (!memory->inside) memory->span++;
    return j;
}

/* Bring the state from access `from` of the latest log on; return the next access. */
static uint32_t follow(uint32_t from, walk *w) {
    row_memory *memory = w->memory;
    uint32_t i = from;
    memory->calls++;
    if (memory->inside) i = finish_span(w, i);
    while (!memory->inside && memory->span < memory->spans && (i < w->count || w->frame_over)) {
        if (memory->has_previous) i = pass_repeats(w, i);
        if (memory->span == memory->spans || waits(w, i)) break;
        i = follow_span(w, i);
    }
    if (memory->span == memory->spans) memory->beginning[memory->span].state = *w->now;
    return i;
}

static walk begin_walk(row_memory *memory, const row_view *view, uint32_t to) {
    walk w = {
        .engine = view->engine,
        .now = view->now,
        .memory = memory,
        .access = view->access,
        .count = to,
        .before = view->before,
        .before_count = view->before_count,
        .ids = memory->shown_ids[view->buffer],
        .target = view->target,
    };
    if (!w.target.pairs) w.target.colliding = 0;
    return w;
}

void rows_follow(row_memory *memory, const row_view *view, uint32_t from, uint32_t to, bool frame_over) {
    walk w = begin_walk(memory, view, to);
    w.frame_over = frame_over;
    follow(from, &w);
}

/* Follow as far as rows do not wait. */
static uint32_t follow_lazily(uint32_t from, walk *w, const raster_target *waiting) {
    w->waiting = waiting;
    if (w->count) w->last = access_clock(w->access[w->count - 1]) + LONGEST_DELAY;
    return follow(from, w);
}

uint32_t rows_collide(row_memory *memory, const row_view *view, uint32_t from, uint32_t to) {
    walk w = begin_walk(memory, view, to);
    return follow_lazily(from, &w, &w.target);
}

uint32_t rows_pass(row_memory *memory, const row_view *view, uint32_t from, uint32_t to, const raster_target *waiting) {
    walk w = begin_walk(memory, view, to);
    return follow_lazily(from, &w, waiting);
}

/* --- drawing -------------------------------------------------------------------------------------------- */

void rows_take_written(row_memory *memory, uint64_t written[ROW_WORDS]) {
    memcpy(written, memory->written, sizeof memory->written);
    memset(memory->written, 0, sizeof memory->written);
}

static void copy_row(uint8_t *to, const uint8_t *from, uint32_t n) {
    memcpy(to + n * SCREEN_WIDTH, from + n * SCREEN_WIDTH, SCREEN_WIDTH);
}

void rows_draw(row_memory *memory, const row_view *view, const raster_target *other) {
    const raster_target *target = &view->target;
    uint32_t *ids = memory->shown_ids[view->buffer];
    const uint32_t *other_ids = memory->shown_ids[view->buffer ^ 1];
    const uint32_t rows = memory->spans - 2;
    for (uint32_t n = 0; n < rows; n++) {
        const cached_row *row = &memory->row[n + 1];
        if (ids[n] == row->id) continue;
        if (other_ids[n] == row->id) {
            copy_row(target->pixels, other->pixels, n);
            if (target->cover) copy_row(target->cover, other->cover, n);
            note_drawn(memory, ids, n, row->id);
            continue;
        }
        uint32_t count = 0, end = n;
        for (; end < rows && ids[end] != row[end - n].id && other_ids[end] != row[end - n].id; end++) {
            note_drawn(memory, ids, end, row[end - n].id);
            count += row[end - n].count;
        }
        if (n / ROW_GROUP < memory->groups) flush_group(memory, n / ROW_GROUP);
        tia_raster state = memory->beginning[n + 1].state;
        const uint32_t until = target->start + end * LINE_CLOCKS;
        lines_draw_rows(view->engine, &state, view->access + row->first, count, until, target);
        n = end - 1;
    }
}

/* --- frames --------------------------------------------------------------------------------------------- */

/* Allocate the tables of a frame in one piece: its rows' beginnings, the rows, the groups.  NULL: out of memory. */
static row_beginning *create_table(const row_memory *memory) {
    const size_t size = (memory->spans + 1) * sizeof(row_beginning) + memory->groups * sizeof(row_group) +
                        memory->spans * sizeof(cached_row);
    return arena_take(memory->arena, size, ARENA_SPARSE);
}

static void use_table(row_memory *memory, row_beginning *table) {
    memory->beginning = table;
    memory->group = (row_group *)(void *)(table + memory->spans + 1);
    memory->row = (cached_row *)(void *)(memory->group + memory->groups);
}

enum { SHORTEST_BACK_OFF = 16, LONGEST_BACK_OFF = 64 }; /* frames that are not followed */

row_memory *rows_create(uint32_t rows, arena *a) {
    const uint32_t spans = rows + 2;
    row_memory *memory = arena_take(a, sizeof(row_memory) + 2 * rows * sizeof(uint32_t), ARENA_DENSE);
    if (!memory) return NULL;
    memory->arena = a;
    memory->spans = spans;
    memory->period = 1;
    memory->next_back_off = SHORTEST_BACK_OFF;
    for (unsigned i = 0; i < 2; i++) memory->shown_ids[i] = memory->ids + i * rows;
    memory->groups = rows / ROW_GROUP;
    row_beginning *table = create_table(memory);
    if (table) use_table(memory, table);
    if (a) memory->other = create_table(memory); /* allocated now, because an arena has no memory for it later */
    if (table && (memory->other || !a)) return memory;
    rows_destroy(memory);
    return NULL;
}

void rows_destroy(row_memory *memory) {
    if (!memory) return;
    arena_release(memory->arena, memory->beginning);
    arena_release(memory->arena, memory->other);
    arena_release(memory->arena, memory);
}

bool rows_are_watched(const row_memory *memory) {
    enum { RECENT = 8 };
    return memory->undrawn <= RECENT;
}

/* Return whether following row by row paid in the latest frames; many programs do not repeat their frames.  If pictures
 * are drawn it spares all rows that repeat, otherwise only those in which objects may collide.  Rows that do not repeat
 * cost more than without it.  The sum decays from frame to frame, so that a single frame does not decide.  The weights
 * are from measurements. */
static bool pays(row_memory *memory) {
    enum { MOST_CALLS = 50, WORTH_OF_SPARED = 7, COST_OF_A_FRAME = 10 };
    const int32_t spans = (int32_t)memory->spans, repeated = memory->repeated, spared = memory->spared;
    const int32_t gain = rows_are_watched(memory)
                             ? repeated - spans / 8
                             : WORTH_OF_SPARED * spared - (spans - repeated) - COST_OF_A_FRAME;
    memory->recent = (int16_t)(memory->recent * 7 / 8 + gain);
    return memory->calls <= MOST_CALLS && memory->recent >= 0;
}

/* After a frame for which following did not pay, pause for some frames, and for twice as many each time. */
static void update_back_off(row_memory *memory, bool in_vain) {
    if (!in_vain) {
        memory->next_back_off = SHORTEST_BACK_OFF;
        return;
    }
    memory->back_off = memory->next_back_off;
    memory->recent = 0;
    if (memory->next_back_off < LONGEST_BACK_OFF) memory->next_back_off = (uint16_t)(2 * memory->next_back_off);
}

/* Compare with the frame before last from now on (2), or with the last one (1). */
static void set_period(row_memory *memory, uint8_t period) {
    if (period == 2 && !memory->other) {
        memory->other = create_table(memory);
        if (!memory->other) return;
    }
    memory->period = period;
    memory->other_complete = false;
}

/* A program that shows more than the TIA's objects alternates between two frames.  So if few rows repeat, try the other
 * period for some frames, and keep it if more rows repeat then. */
static void choose_period(row_memory *memory) {
    const uint32_t least_gain = 24, worth = memory->repeated + 4u * memory->spared;
    enum { FRAMES = 5, SHORTEST = 64, LONGEST = 2048 };
    if (memory->trial) {
        if (--memory->trial) return;
        const bool better = worth > memory->worth + least_gain;
        if (!better) set_period(memory, memory->period == 1 ? 2 : 1);
        const unsigned longer = memory->wait < LONGEST ? 2u * memory->wait : LONGEST;
        memory->wait = (uint16_t)(better || !memory->wait ? SHORTEST : longer);
        memory->until_trial = memory->wait;
    } else if (!memory->until_trial && memory->repeated < memory->spans * 3 / 5) {
        memory->worth = (uint16_t)worth;
        memory->trial = FRAMES;
        set_period(memory, memory->period == 1 ? 2 : 1);
    }
}

void rows_start_frame(row_memory *memory, bool follow) {
    const bool complete = rows_complete(memory);
    if (memory->until_trial) memory->until_trial--;
    if (complete && memory->has_previous) choose_period(memory);
    if (memory->following && (memory->has_previous || !complete))
        update_back_off(memory, !(complete && (memory->trial || pays(memory))));
    memory->has_previous = complete;
    if (memory->period == 2) {
        row_beginning *latest = memory->beginning;
        use_table(memory, memory->other);
        memory->other = latest;
        memory->has_previous = memory->other_complete;
        memory->other_complete = complete;
    }
    memory->drawing = memory->expected;
    memory->expected = false;
    memory->following = follow && memory->back_off == 0;
    if (memory->back_off) memory->back_off--;
    if (memory->undrawn < UINT16_MAX) memory->undrawn++;
    memory->calls = memory->repeated = memory->spared = 0;
    memory->inside = false;
    memory->span = 0;
    if (memory->last_id < UINT32_MAX / 2) return;
    memory->has_previous = memory->other_complete = false; /* ids start again, so old ones must not match */
    memory->last_id = 0;
    for (unsigned i = 0; i < 2; i++) rows_invalidate_buffer(memory, i);
}

void rows_stop_following(row_memory *memory) { memory->following = false; }

void rows_skip_frame(row_memory *memory) {
    rows_stop_following(memory);
    memory->other_complete = false;
}

void rows_invalidate(row_memory *memory) {
    rows_skip_frame(memory);
    for (unsigned i = 0; i < 2; i++) rows_invalidate_buffer(memory, i);
}

void rows_expect_drawing(row_memory *memory) { memory->expected = true; }

void rows_note_drawing(row_memory *memory) { memory->undrawn = 0; }

void rows_invalidate_buffer(row_memory *memory, unsigned buffer) {
    memset(memory->shown_ids[buffer], 0, (memory->spans - 2) * sizeof(uint32_t));
    memset(memory->written, 0xFF, sizeof memory->written);
}

bool rows_complete(const row_memory *memory) {
    return memory->following && memory->span == memory->spans;
}
