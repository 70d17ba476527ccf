/* Following a log a line at a time: what the engine is asked for besides whole frames in gray.
 *
 * The pictures are those that pixels.c draws, but for the reference's habits with rows that are left unfinished: those
 * are left to it. */
#include "lines.h"

#include "engine_state.h"

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

uint32_t lines_collide(const engine *like, tia_raster *raster, const tia_access *access, uint32_t count,
                       const raster_target *target) {
    uint32_t done = 0, first = 0, last = 0;
    while (done < count &&
           find_meeting(raster, access + done, count - done, target->colliding, &first, &last)) {
        beam_follow(raster, access + done, first, target);
        engine e = {.loops = like->loops};
        engine_start(&e, raster, target, NULL);
        engine_run(&e, raster, access + done + first, last - first, target->collisions, target->pairs);
        done += last;
    }
    return done;
}
