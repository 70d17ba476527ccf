/* Follows a log a line at a time, by the engine.  The pictures equal those of pixels.c. pixels.c itself draws
 * unfinished rows, because the reference has quirks there. */
#include "lines.h"

#include "engine/state.h"

/* --- pixels --------------------------------------------------------------------------------------------- */

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

uint32_t lines_draw(const engine *like, tia_raster *raster, const tia_access *access, uint32_t count,
                    const raster_target *target) {
    if (count) count = safe_count(raster, access, count, target);
    if (!count) return 0;
    uint16_t latch = 0;
    engine e = {.loops = like->loops};
    engine_start(&e, raster, target, NULL);
    engine_run(&e, raster, access, count, &latch, 0);
    engine_put_part(&e);
    return count;
}

/* --- rows ----------------------------------------------------------------------------------------------- */

static void start_rows(engine *e, tia_raster *raster, const raster_target *target) {
    engine_start(e, raster, target, NULL);
    e->raster = raster;
    e->pairs = target->pairs;
}

static void follow_row(engine *e, const lines_row *row) {
    if (e->pending) e->whole = false; /* what did not matter to the latch of the row above may matter to this one's */
    e->latch = row->latch;
    e->loops->follow(e, row->access, row->count, row->end);
    e->above = *row->latch;
}

void lines_follow_rows(engine *e, tia_raster *raster, lines_source *next, void *context, const raster_target *target) {
    lines_row row;
    if (!next(context, &row)) return;
    start_rows(e, raster, target);
    do follow_row(e, &row);
    while (next(context, &row));
}

void lines_collide_row(const engine *like, tia_raster *raster, const lines_row *row, const raster_target *target) {
    engine e = {.loops = like->loops};
    start_rows(&e, raster, target);
    follow_row(&e, row);
}

void lines_draw_rows(const engine *like, tia_raster *raster, const tia_access *access, uint32_t count, uint32_t until,
                     const raster_target *target) {
    uint16_t latch = 0;
    const lines_row rows = {.access = access, .count = count, .end = until, .latch = &latch};
    lines_collide_row(like, raster, &rows, target);
}

/* --- collisions ----------------------------------------------------------------------------------------- */

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
    target->colliding = 0;
    for (unsigned left = set; left; left &= left - 1)
        target->colliding |= sets_with(tia_pairs[__builtin_ctz(left)].both);
}

/* Whether wanted pairs of objects may show together during the next accesses (whatever VDELxx and VBLANK say); of the
 * state before them, only what tells that is followed. */
static bool may_meet(tia_raster *ahead, const tia_access *access, uint32_t count, uint64_t colliding) {
    unsigned may_show = beam_showing(ahead->reg, ahead->old_grp, ahead->old_enabl);
    for (uint32_t i = 0; i < count; i++) {
        const unsigned reg = access_reg(access[i]);
        if (!tia_appearances[reg].object) continue;
        may_show |= access_shows(access[i]);
        beam_store(ahead, reg, access_value(access[i]));
    }
    return colliding >> may_show & 1;
}

uint32_t lines_collide(const engine *like, tia_raster *raster, const tia_access *access, uint32_t count,
                       const raster_target *target) {
    enum { PART = 16 }; /* accesses that are looked at together */
    tia_raster ahead = *raster;
    engine e;
    bool meeting = false;
    uint32_t done = 0;
    for (uint32_t i = 0, n; i < count; i += n) {
        n = count - i < PART ? count - i : PART;
        const bool met = meeting;
        meeting = may_meet(&ahead, access + i, n, target->colliding);
        if (!meeting) continue;
        if (!met) {
            beam_follow(raster, access + done, i - done, target);
            e = (engine){.loops = like->loops};
            engine_start(&e, raster, target, NULL);
        }
        engine_run(&e, raster, access + i, n, target->collisions, target->pairs);
        done = i + n;
    }
    return done;
}
