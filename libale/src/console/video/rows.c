/* Rows that repeat the frame before. */
#include "rows.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../console.h"
#include "lines.h"
#include "picture.h"

/* --- fields --------------------------------------------------------------------------------------------- */

/* What every row depends on: above all whatever decides which objects show. */
static const raster_fields always =
    CLOCKS | FIELD(VBLANK) | FIELD(COLUBK) | FIELD(CTRLPF) | FIELD(PF0) | FIELD(PF1) | FIELD(PF2) |
    FIELD(GRP0) | FIELD(GRP1) | FIELD(ENAM0) | FIELD(ENAM1) | FIELD(ENABL) | OLD_GRP(0) | OLD_GRP(1) |
    OLD_ENABL | SUPPRESSED(0) | SUPPRESSED(1) | REFLECTED | HMOVE_BLANK |
    FIELD_OF(colour_loss) | WANDERING;

/* What an object that shows depends on besides. */
#define PLAYER(n)                                                                           \
    (FIELD(VDELP0 + (n)) | FIELD(REFP0 + (n)) | FIELD(NUSIZ0 + (n)) | FIELD(COLUP0 + (n)) | \
     POSITION(P0 + (n)))
#define MISSILE(n) (FIELD(RESMP0 + (n)) | FIELD(NUSIZ0 + (n)) | FIELD(COLUP0 + (n)) | POSITION(M0 + (n)))
static const raster_fields of_object[OBJECTS] = {
    PLAYER(0), PLAYER(1), MISSILE(0), MISSILE(1), FIELD(VDELBL) | FIELD(COLUPF) | POSITION(BL), FIELD(COLUPF),
};

/* Bit n: byte n is not 0. */
static unsigned bytes_set(uint64_t word) {
    const uint64_t low = UINT64_C(0x7F7F7F7F7F7F7F7F);
    uint64_t high = (((word & low) + low) | word) & ~low;
    return (unsigned)((high >> 7) * UINT64_C(0x0102040810204080) >> 56);
}

/* How the present state differs from that of the frame before, at the same place. */
typedef struct difference {
    raster_fields raw;      /* fields that differ */
    raster_fields relevant; /* those that differ in a bit that matters */
    tia_raster now;         /* their values; of positions, the distance */
} difference;

static void find_difference(difference *d, const tia_raster *now, const tia_raster *before) {
    d->raw = d->relevant = 0;
    for (unsigned i = 0; i < RASTER_BYTES; i += 8) {
        uint64_t a, b, ignored;
        memcpy(&a, (const uint8_t *)now + i, 8);
        memcpy(&b, (const uint8_t *)before + i, 8);
        if (a == b) continue;
        memcpy(&ignored, tia_meaningless + i, 8);
        d->raw |= (raster_fields)bytes_set(a ^ b) << i;
        d->relevant |= (raster_fields)bytes_set((a ^ b) & ~ignored) << i;
    }
    if (now->hmove_clock != before->hmove_clock) d->raw |= HMOVE_CLOCK;
    if (now->drawn != before->drawn || now->row_base != before->row_base) d->raw |= CLOCKS;
    if (!d->raw) return;
    d->relevant |= d->raw & (HMOVE_CLOCK | CLOCKS);
    d->now = *now;
    if (!(d->raw & POSITIONS)) return;
    for (unsigned i = 0; i < MOVABLE; i++)
        d->now.position[i] =
            (uint8_t)((now->position[i] + SCREEN_WIDTH - before->position[i]) % SCREEN_WIDTH);
}

/* Turn a state of the frame before into the present one. */
static void apply_difference(const difference *d, tia_raster *state) {
    uint8_t *bytes = (uint8_t *)state;
    const uint8_t *now = (const uint8_t *)&d->now;
    for (raster_fields left = d->raw; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);
        if (FIELD(i) & POSITIONS) {
            unsigned x = (unsigned)bytes[i] + now[i];
            bytes[i] = (uint8_t)(x >= SCREEN_WIDTH ? x - SCREEN_WIDTH : x);
        } else if (FIELD(i) == HMOVE_CLOCK) {
            state->hmove_clock = d->now.hmove_clock;
        } else {
            bytes[i] = now[i];
        }
    }
}

/* --- following a frame ---------------------------------------------------------------------------------- */

typedef struct walk {
    tia_raster *now;
    row_memory *memory;
    const tia_access *access; /* of the latest log, up to `count` */
    uint32_t count;
    const tia_access *before; /* of the frame before */
    bool frame_over;
    uint32_t waiting; /* rows from here on wait for their collisions; UINT32_MAX: none do */
    raster_target target;
} walk;

static bool is_row(const row_memory *memory, uint32_t section) {
    return section > 0 && section + 1 < memory->sections;
}

/* The clock at which a section ends. */
static uint32_t section_end(const walk *w, uint32_t section) {
    return section + 1 < w->memory->sections ? w->target.start + section * LINE_CLOCKS : UINT32_MAX;
}

/* Objects that may show, whatever VDELxx, RESMPx and VBLANK say. */
static unsigned showing(const tia_raster *r) {
    return (unsigned)((r->reg[GRP0] | r->old_grp[0]) != 0) << P0 |
           (unsigned)((r->reg[GRP1] | r->old_grp[1]) != 0) << P1 | (r->reg[ENAM0] >> 1 & 1u) << M0 |
           (r->reg[ENAM1] >> 1 & 1u) << M1 | ((r->reg[ENABL] | r->old_enabl) >> 1 & 1u) << BL |
           (unsigned)(((r->reg[PF0] & 0xF0) | r->reg[PF1] | r->reg[PF2]) != 0) << PF;
}

/* Objects that an access may let appear. */
static inline unsigned shown_by(tia_access access) {
    const tia_register *about = &tia_registers[access_reg(access)];
    return access_value(access) & about->shows_if ? about->shows : 0u;
}

/* Work out what a section depends on and replaces. */
static void analyse(row_memo *row, const tia_access *access, bool in_window) {
    raster_fields depends = in_window ? always : CLOCKS, replaces = 0;
    bool score = row->start.reg[CTRLPF] & 2;
    for (uint32_t i = 0; i < row->count; i++) {
        unsigned reg = access_reg(access[i]);
        depends |= tia_registers[reg].depends;
        replaces |= tia_registers[reg].replaces;
        score |= reg == CTRLPF;
    }
    if (in_window) {
        for (unsigned left = row->shown; left; left &= left - 1) depends |= of_object[__builtin_ctz(left)];
        if (score) depends |= FIELD(COLUP0) | FIELD(COLUP1);
    }
    row->depends = depends;
    row->replaces = replaces;
    row->analysed = true;
}

/* Find the collisions of complete rows, up to section `end`, and latch them. */
static void collide(const walk *w, uint32_t section, uint32_t end) {
    row_memo *row = &w->memory->row[section];
    const uint32_t rows = end - section;
    uint32_t count = 0;
    for (uint32_t i = 0; i < rows; i++) count += row[i].count;
    tia_raster state = row->start;
    raster_target target = w->target;
    target.collisions = &row->collisions;
    target.latch_step = sizeof *row;
    lines_collide_rows(&state, w->access + row->first, count, section_end(w, end - 1), &target);
    for (uint32_t i = 0; i < rows; i++) {
        row[i].pairs |= w->target.pairs;
        *w->target.collisions |= row[i].collisions & w->target.pairs;
    }
}

/* Latch the collisions of rows that were followed. */
static void collide_followed(walk *w) {
    const uint32_t end = w->memory->section;
    uint32_t section = w->waiting;
    w->waiting = UINT32_MAX;
    while (section < end && w->target.pairs & (uint16_t)~*w->target.collisions) {
        const row_memo *rows = w->memory->row;
        uint32_t first = section;
        while (section < end && w->target.colliding >> rows[section].shown & 1) section++;
        if (section > first) collide(w, first, section);
        for (; section < end && !(w->target.colliding >> rows[section].shown & 1); section++)
            w->memory->row[section].pairs |= w->target.pairs;
    }
}

/* Latch the collisions of a row that repeats. */
static inline void collide_again(const walk *w, uint32_t section) {
    row_memo *row = &w->memory->row[section];
    if (!(w->target.colliding >> row->shown & 1)) return;
    w->memory->spared++;
    if (w->target.pairs & (uint16_t)~(row->pairs | *w->target.collisions))
        collide(w, section, section + 1);
    else
        *w->target.collisions |= row->collisions & w->target.pairs;
}

/* Whether the accesses of a section are those of the frame before, and all of them are there. */
static bool repeats(const walk *w, const row_memo *row, uint32_t i, uint32_t section) {
    uint32_t end = i + row->count;
    if (end > w->count) return false;
    const tia_access *now = w->access + i, *before = w->before + row->first;
    tia_access different = 0;
    for (uint32_t k = 0; k < row->count; k++) different |= now[k] ^ before[k];
    if (different) return false;
    return end < w->count ? access_clock(w->access[end]) >= section_end(w, section) : w->frame_over;
}

/* Go through sections that repeat, from access i on; return the next access.  The rows' memory becomes that
 * of the present frame, and `now` the state before the next section. */
static uint32_t pass_repeats(walk *w, uint32_t i) {
    row_memory *memory = w->memory;
    uint32_t section = memory->section;
    row_memo *row = &memory->row[section];
    if (!row->known || !repeats(w, row, i, section)) return i;
    difference d;
    find_difference(&d, w->now, &row->start);
    if (d.raw) row->start = *w->now;
    collide_followed(w);
    for (;;) {
        if (d.raw) {
            if (!row->analysed) analyse(row, w->access + i, is_row(memory, section));
            if (d.relevant & row->depends) break;
        }
        row->first = (uint16_t)i;
        i += row->count;
        memory->repeated++;
        if (w->target.pairs && is_row(memory, section)) collide_again(w, section);
        section++;
        if (d.raw) {
            d.raw &= ~row->replaces;
            d.relevant &= ~row->replaces;
            apply_difference(&d, &row[1].start);
        }
        row++;
        if (section == memory->sections || !row->known || !repeats(w, row, i, section)) break;
    }
    memory->section = section;
    *w->now = row->start;
    return i;
}

/* Follow a section from its beginning at access i; return the next one's first access. */
static uint32_t follow_section(walk *w, uint32_t i) {
    row_memory *memory = w->memory;
    const uint32_t section = memory->section, end = section_end(w, section);
    row_memo *row = &memory->row[section];
    unsigned shown = showing(w->now);
    uint32_t j = i;
    for (; j < w->count && access_clock(w->access[j]) < end; j++) shown |= shown_by(w->access[j]);
    row->start = *w->now;
    row->first = (uint16_t)i;
    row->count = (uint16_t)(j - i);
    row->shown = (uint8_t)shown;
    row->pairs = row->collisions = 0;
    row->analysed = false;
    row->known = j < w->count || w->frame_over;
    row->id = ++memory->last_id;
    if (row->known) {
        if (w->target.pairs && w->waiting == UINT32_MAX && is_row(memory, section)) w->waiting = section;
        beam_follow_to(w->now, w->access + i, j - i, end, &w->target);
        memory->section++;
    } else {
        collide_followed(w);
        memory->inside = true;
        if (w->target.pairs)
            lines_collide(w->now, w->access + i, j - i, &w->target);
        else
            beam_follow(w->now, w->access + i, j - i, &w->target);
    }
    return j;
}

/* Follow the rest of a section from access i; return the next one's first access. */
static uint32_t finish_section(const walk *w, uint32_t i) {
    row_memory *memory = w->memory;
    const uint32_t section = memory->section, end = section_end(w, section);
    uint32_t j = i;
    while (j < w->count && access_clock(w->access[j]) < end) j++;
    memory->inside = j == w->count && !w->frame_over;
    memory->row[section].count = (uint16_t)(j - memory->row[section].first);
    const tia_access *access = w->access + i;
    if (w->target.pairs && memory->inside)
        lines_collide(w->now, access, j - i, &w->target);
    else if (w->target.pairs && is_row(memory, section))
        lines_collide_rows(w->now, access, j - i, end, &w->target);
    else if (memory->inside)
        beam_follow(w->now, access, j - i, &w->target);
    else
        beam_follow_to(w->now, access, j - i, end, &w->target);
    if (!memory->inside) memory->section++;
    return j;
}

void rows_follow(console *machine, uint32_t from, uint32_t to, bool frame_over, uint16_t pairs) {
    const picture *p = machine->picture;
    row_memory *memory = p->rows;
    walk w = {
        .now = &machine->s.tia.now,
        .memory = memory,
        .access = p->log[p->latest].access,
        .count = to,
        .before = p->log[(p->latest + LOGS - 1u) % LOGS].access,
        .frame_over = frame_over,
        .waiting = UINT32_MAX,
        .target = picture_target(machine, NULL, &machine->s.tia.collisions, pairs),
    };
    uint32_t i = from;
    memory->calls++;
    if (memory->inside) i = finish_section(&w, i);
    while (!memory->inside && memory->section < memory->sections && (i < to || frame_over)) {
        if (memory->has_previous) i = pass_repeats(&w, i);
        if (memory->section < memory->sections) i = follow_section(&w, i);
    }
    collide_followed(&w);
    if (memory->section == memory->sections) memory->row[memory->section].start = *w.now;
}

/* --- drawing -------------------------------------------------------------------------------------------- */

void rows_draw(console *machine, unsigned buffer) {
    const picture *p = machine->picture;
    const row_memory *memory = p->rows;
    const frame_log *log = &p->log[p->latest];
    const size_t size = picture_buffer_size(machine);
    uint8_t *pixels = picture_pixels(machine->picture, size, buffer);
    const uint8_t *others = picture_pixels(machine->picture, size, buffer ^ 1);
    uint32_t *ids = memory->shown_ids[buffer];
    const uint32_t *other_ids = memory->shown_ids[buffer ^ 1];
    const raster_target target = picture_target(machine, pixels, NULL, 0);
    const uint32_t rows = memory->sections - 2;
    for (uint32_t n = 0; n < rows; n++) {
        const row_memo *row = &memory->row[n + 1];
        if (ids[n] == row->id) continue;
        if (other_ids[n] == row->id) {
            ids[n] = row->id;
            memcpy(pixels + n * SCREEN_WIDTH, others + n * SCREEN_WIDTH, SCREEN_WIDTH);
            continue;
        }
        uint32_t count = 0, end = n;
        for (; end < rows && ids[end] != row[end - n].id && other_ids[end] != row[end - n].id; end++) {
            ids[end] = row[end - n].id;
            count += row[end - n].count;
        }
        tia_raster state = row->start;
        lines_draw_rows(&state, log->access + row->first, count, target.start + end * LINE_CLOCKS, &target);
        n = end - 1;
    }
}

/* --- frames --------------------------------------------------------------------------------------------- */

row_memory *rows_create(const console *machine) {
    const uint32_t rows = (uint32_t)machine->height, sections = rows + 2;
    const size_t size = sizeof(row_memory) + (sections + 1) * sizeof(row_memo);
    row_memory *memory = calloc(1, size + 2 * rows * sizeof(uint32_t));
    if (!memory) return NULL;
    memory->sections = sections;
    for (unsigned i = 0; i < 2; i++) memory->shown_ids[i] = (uint32_t *)((uint8_t *)memory + size) + i * rows;
    return memory;
}

/* Whether following the latest frame row by row was worth its while.  The bounds are from measurements: where
 * pictures are drawn rows that repeat spare much, elsewhere only those in which objects may collide. */
static bool pays(const row_memory *memory) {
    enum { RECENT = 8, MOST_CALLS = 50, LEAST_SPARED = 20 };
    if (memory->calls > MOST_CALLS) return false;
    return memory->undrawn <= RECENT ? memory->repeated > memory->sections / 4
                                     : memory->spared > LEAST_SPARED;
}

void rows_start_frame(console *machine) {
    enum { PAUSE = 16 };
    row_memory *memory = machine->picture->rows;
    const bool complete = rows_complete(machine);
    if (memory->following && (memory->has_previous || !complete) && !(complete && pays(memory)))
        memory->pause = PAUSE;
    memory->has_previous = complete;
    memory->following =
        memory->pause == 0 && machine->fast_paths & FAST_RASTER && machine->fast_paths & FAST_ROWS;
    if (memory->pause) memory->pause--;
    if (memory->undrawn < UINT16_MAX) memory->undrawn++;
    memory->calls = memory->repeated = memory->spared = 0;
    memory->inside = false;
    memory->section = 0;
    if (memory->last_id < UINT32_MAX / 2) return;
    memory->has_previous = false; /* begin to count again */
    memory->last_id = 0;
    for (unsigned i = 0; i < 2; i++) rows_forget_buffer(machine, i);
}

void rows_abandon(console *machine) { machine->picture->rows->following = false; }

void rows_note_drawing(console *machine) { machine->picture->rows->undrawn = 0; }

void rows_forget_buffer(console *machine, unsigned buffer) {
    const row_memory *memory = machine->picture->rows;
    memset(memory->shown_ids[buffer], 0, (memory->sections - 2) * sizeof(uint32_t));
}

bool rows_complete(const console *machine) {
    const row_memory *memory = machine->picture->rows;
    return memory->following && memory->section == memory->sections;
}
