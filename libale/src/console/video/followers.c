/* The engine draws gray frames while it follows.  The row memory draws frame buffers. */
#include "followers.h"

#include "picture_parts.h"

/* --- the engine ----------------------------------------------------------------------------------------- */

/* Bring tia.now from access `from` of the latest log to access `to`, latching collisions of `pairs`. */
static uint32_t collide_by_engine(console *machine, uint32_t from, uint32_t to, uint16_t pairs) {
    picture *p = machine->picture;
    tia_raster *now = &machine->s.tia.now;
    uint16_t *latch = &machine->s.tia.collisions;
    const raster_target target = target_of(machine, NULL, latch, pairs);
    const tia_access *access = p->logs.frame[p->logs.latest].access;
    if (!p->following.drawing.rows && !target.pairs) {
        beam_follow(now, access + from, to - from, &target);
        return to;
    }
    if (from == 0 || p->following.engine_at != from) engine_start(p->engine, now, &target, &p->following.drawing);
    engine_run(p->engine, now, access + from, to - from, latch, target.pairs);
    p->following.engine_at = to;
    return to;
}

static void follow_by_engine(console *machine, uint32_t from, uint32_t to, bool frame_over, uint16_t pairs) {
    (void)frame_over;
    (void)collide_by_engine(machine, from, to, pairs);
}

static uint32_t pass_by_engine(console *machine, uint32_t from, uint32_t to, uint16_t pairs) {
    (void)pairs;
    return collide_by_engine(machine, from, to, 0);
}

static bool complete_by_engine(console *machine) {
    return engine_drew_all(machine->picture->engine, &machine->s.tia.now);
}

static bool draw_by_engine(console *machine) {
    (void)machine;
    return false;
}

const follower engine_follower = {
    .run = follow_by_engine,
    .collide = collide_by_engine,
    .pass = pass_by_engine,
    .complete = complete_by_engine,
    .draw = draw_by_engine,
};

/* --- the row memory ------------------------------------------------------------------------------------- */

/* Return the latest frame in the form that rows.c takes.  `draws`: with its frame buffer. */
static row_view view_for_rows(console *machine, bool draws, uint16_t pairs) {
    picture *p = machine->picture;
    uint8_t *pixels = draws ? picture_pixels(p, p->buffers.latest) : NULL;
    const frame_log *before = &p->logs.frame[log_back(p, p->rows->period)];
    return (row_view){
        .engine = p->engine,
        .now = &machine->s.tia.now,
        .access = p->logs.frame[p->logs.latest].access,
        .before = before->access,
        .before_count = before->count,
        .buffer = p->buffers.latest,
        .target = target_of(machine, pixels, &machine->s.tia.collisions, pairs),
    };
}

static void follow_by_rows(console *machine, uint32_t from, uint32_t to, bool frame_over, uint16_t pairs) {
    row_memory *rows = machine->picture->rows;
    const row_view view = view_for_rows(machine, rows->drawing, pairs);
    rows_follow(rows, &view, from, to, frame_over);
}

static uint32_t collide_by_rows(console *machine, uint32_t from, uint32_t to, uint16_t pairs) {
    row_memory *rows = machine->picture->rows;
    const row_view view = view_for_rows(machine, rows->drawing, pairs);
    return rows_collide(rows, &view, from, to);
}

static uint32_t pass_by_rows(console *machine, uint32_t from, uint32_t to, uint16_t pairs) {
    row_memory *rows = machine->picture->rows;
    uint16_t latch = 0; /* empty, so that collisions that are latched already count, too */
    const row_view view = view_for_rows(machine, rows->drawing, 0);
    const raster_target waiting = target_of(machine, NULL, &latch, pairs);
    return rows_pass(rows, &view, from, to, &waiting);
}

static bool complete_by_rows(console *machine) {
    (void)machine;
    return false;
}

static bool draw_by_rows(console *machine) {
    picture *p = machine->picture;
    if (!rows_complete(p->rows)) return false;
    uint8_t *pixels = picture_pixels(p, p->buffers.latest ^ 1);
    const raster_target other = target_of(machine, pixels, NULL, 0);
    const row_view view = view_for_rows(machine, true, 0);
    rows_draw(p->rows, &view, &other);
    return true;
}

const follower rows_follower = {
    .run = follow_by_rows,
    .collide = collide_by_rows,
    .pass = pass_by_rows,
    .complete = complete_by_rows,
    .draw = draw_by_rows,
};

/* --- the choice ----------------------------------------------------------------------------------------- */

void followers_start(console *machine) {
    picture *p = machine->picture;
    p->following.drawing = p->following.expected;
    p->following.expected = (gray_target){0};
    p->following.drew_gray = false;
    p->following.engine_at = 0;
    if (p->following.by_engine) {
        rows_skip_frame(p->rows);
        p->following.follower = &engine_follower;
    } else {
        rows_start_frame(p->rows, by_lines(machine) && machine->fast_paths & FAST_ROWS);
        p->following.follower = p->rows->following ? &rows_follower : NULL;
    }
}
