/* The picture: when logs are turned into pixels and collisions. */
#include "picture.h"

#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "pixels.h"

/* --- a picture's life ----------------------------------------------------------------------------------- */

/* Of all buffers. */
static size_t pixels_size(const picture *p, bool tells_objects) {
    return (tells_objects ? 4 : 2) * picture_buffer_size(p);
}

uint8_t *picture_cover(const console *machine, unsigned buffer) {
    if (!machine->tells_objects) return NULL;
    return picture_pixels(machine->picture, 2 + buffer);
}

/* From log to log of the reserve: whole pages. */
enum { PAGE = ARENA_PAGE / sizeof(tia_access), RESERVE_STRIDE = (LOG_CAPACITY + PAGE - 1) / PAGE * PAGE };

/* In an arena: room for so many accesses in each log, and the reserve. */
static bool take_logs(picture *p, uint32_t room) {
    p->capacity = room > LOG_STEP ? room : LOG_STEP;
    p->accesses = arena_take(p->arena, LOGS * p->capacity * sizeof *p->accesses, ARENA_DENSE);
    p->reserve = arena_take(p->arena, LOGS * RESERVE_STRIDE * sizeof *p->reserve, ARENA_SPARSE);
    for (unsigned i = 0; p->accesses && i < LOGS; i++) p->log[i].access = p->accesses + i * p->capacity;
    return p->accesses && p->reserve;
}

/* Let so many accesses fit into each log, of which there are those that the logs say. */
static bool make_room(picture *p, uint32_t accesses) {
    const uint32_t capacity = (accesses + LOG_STEP - 1) / LOG_STEP * LOG_STEP;
    const uint32_t stride = p->arena ? RESERVE_STRIDE : capacity;
    tia_access *memory = p->arena ? p->reserve : malloc(LOGS * stride * sizeof *memory);
    if (!memory) return false;
    for (unsigned i = 0; i < LOGS && memory != p->accesses; i++) {
        tia_access *access = memory + i * stride;
        if (p->log[i].count) memcpy(access, p->log[i].access, p->log[i].count * sizeof *access);
        p->log[i].access = access;
    }
    arena_release(p->arena, p->accesses);
    p->accesses = memory;
    p->capacity = capacity;
    return true;
}

picture *picture_create(const console *machine, uint32_t screen_rows, uint32_t log_room) {
    arena *a = machine->arena;
    picture *p = arena_take(a, sizeof *p, ARENA_DENSE);
    if (!p) return NULL;
    p->arena = a;
    p->screen_rows = screen_rows;
    p->pixels = arena_take(a, pixels_size(p, machine->tells_objects), ARENA_SPARSE);
    p->black = true;
    p->rows = rows_create((uint32_t)machine->height, a);
    p->engine = engine_create(a);
    const bool complete = p->pixels && p->rows && p->engine;
    if (!complete || !(a ? take_logs(p, log_room) : make_room(p, LOG_STEP))) {
        picture_destroy(p);
        return NULL;
    }
    p->cursor[UNSEEN_PAIRS].pairs = ALL_PAIRS;
    return p;
}

void picture_destroy(picture *p) {
    if (!p) return;
    rows_destroy(p->rows);
    engine_destroy(p->engine, p->arena);
    arena_release(p->arena, p->accesses);
    arena_release(p->arena, p->reserve);
    arena_release(p->arena, p->pixels);
    arena_release(p->arena, p);
}

uint32_t picture_logged(const console *machine) {
    const picture *p = machine->picture;
    return (uint32_t)(machine->log.next - p->log[p->latest].access);
}

/* The latest log, with all that the CPU has logged so far. */
static frame_log *latest_log(console *machine) {
    frame_log *log = &machine->picture->log[machine->picture->latest];
    log->count = picture_logged(machine);
    return log;
}

/* The latest log goes on behind the accesses that it has. */
static void continue_log(console *machine) {
    const frame_log *log = &machine->picture->log[machine->picture->latest];
    machine->log = (log_end){.next = log->access + log->count, .full = log->access + machine->picture->capacity};
}

bool picture_make_room(console *machine, uint32_t accesses) {
    if (accesses <= machine->picture->capacity) return true;
    (void)latest_log(machine);
    if (accesses > LOG_CAPACITY || !make_room(machine->picture, accesses)) return false;
    continue_log(machine);
    return true;
}

/* The running frame is not followed by rows or the engine, or no further. */
static void abandon(console *machine) {
    machine->picture->in_engine = false;
    rows_abandon(machine->picture->rows);
}

/* The logs are no more those that were followed. */
static void forget(console *machine) {
    machine->picture->in_engine = machine->picture->drew_gray = false;
    rows_forget(machine->picture->rows);
}

void picture_reset(console *machine) {
    picture *p = machine->picture;
    if (!p->black) memset(p->pixels, 0, pixels_size(p, machine->tells_objects));
    p->black = true;
    forget(machine);
    for (int i = 0; i < LOGS; i++) {
        p->log[i].count = 0;
        p->log[i].whole = 0;
        p->log[i].in_buffer = 1;
        p->log[i].start = machine->s.tia.now;
    }
    continue_log(machine);
    p->followed = 0;
    p->scanned = NOT_SCANNED;
    for (int i = 0; i < CURSORS; i++) {
        p->cursor[i].log = p->latest;
        p->cursor[i].index = 0;
        p->state[i].at = 0;
    }
}

/* A log that nothing is known of but that its picture is drawn. */
static void drop_log(frame_log *log) {
    log->whole = 0;
    log->in_buffer = 1;
    log->count = 0;
}

/* A log begins anew: states on the way through it are no more. */
static void forget_states(picture *p, unsigned log) {
    p->scanned = NOT_SCANNED;
    for (int i = 0; i < CURSORS; i++)
        if (p->state[i].log == log) p->state[i].at = 0;
}

/* A frame that is over and does not fill its window, as far as its log tells. */
static bool is_short(const console *machine, const frame_log *log) {
    return log->whole && log->end < machine->window_end;
}

static unsigned log_back(const picture *p, unsigned back) { return (p->latest + LOGS - back) % LOGS; }

/* --- drawing -------------------------------------------------------------------------------------------- */

/* Lines at once, rather than pixel by pixel. */
static bool by_lines(const console *machine) { return machine->fast_paths & FAST_RASTER; }

raster_target picture_target(const console *machine, uint8_t *pixels, uint16_t *collisions, uint16_t pairs) {
    picture *p = machine->picture;
    if (pairs && p->wanted.pairs != pairs) lines_set_pairs(&p->wanted, pairs);
    if (pixels) p->black = false;
    return (raster_target){
        .pairs = collisions ? pairs & (uint16_t)~*collisions : pairs,
        .colliding = p->wanted.colliding,
        .pixels = pixels,
        .cover = pixels && machine->tells_objects ? pixels + 2 * picture_buffer_size(machine->picture) : NULL,
        .collisions = collisions,
        .start = machine->window_start,
        .end = machine->window_end,
        .rows = p->screen_rows,
        .hmove_blanks = machine->rom->properties.hmove_blanks,
    };
}

/* Draw accesses of a log, the state being that before them. */
static void draw(const console *machine, tia_raster *raster, const frame_log *log,
                 const raster_target *target) {
    const engine *like = machine->picture->engine;
    uint32_t done = by_lines(machine) ? lines_draw(like, raster, log->access, log->count, target) : 0;
    pixels_run(raster, log->access + done, log->count - done, target);
}

/* The latest frame as rows.c takes it, to be drawn or not. */
static row_view view_for_rows(console *machine, bool draws, uint16_t pairs) {
    picture *p = machine->picture;
    uint8_t *pixels = draws ? picture_pixels(p, p->buffer) : NULL;
    const frame_log *before = &p->log[log_back(p, p->rows->period)];
    return (row_view){
        .engine = p->engine,
        .now = &machine->s.tia.now,
        .access = p->log[p->latest].access,
        .before = before->access,
        .before_count = before->count,
        .buffer = p->buffer,
        .target = picture_target(machine, pixels, &machine->s.tia.collisions, pairs),
    };
}

/* Draw the latest log, all of whose rows are known. */
static void draw_rows(console *machine) {
    picture *p = machine->picture;
    uint8_t *pixels = picture_pixels(p, p->buffer ^ 1);
    const raster_target other = picture_target(machine, pixels, NULL, 0);
    const row_view view = view_for_rows(machine, true, 0);
    rows_draw(p->rows, &view, &other);
}

/* Draw a log that its picture follows from. */
static void draw_whole(console *machine, frame_log *log, unsigned buffer) {
    if (log->in_buffer) return;
    picture *p = machine->picture;
    log->in_buffer = 1;
    rows_note_drawing(p->rows);
    if (log == &p->log[p->latest] && rows_complete(p->rows)) {
        draw_rows(machine);
        return;
    }
    rows_forget_buffer(p->rows, buffer);
    raster_target target = picture_target(machine, picture_pixels(p, buffer), NULL, 0);
    tia_raster raster = log->start;
    draw(machine, &raster, log, &target);
}

const uint8_t *picture_show(console *machine, bool previous) {
    picture *p = machine->picture;
    unsigned buffer = p->buffer ^ previous;
    draw_whole(machine, &p->log[log_back(p, previous)], buffer);
    return picture_pixels(p, buffer);
}

bool picture_view(const console *machine, bool previous, frame_view *view) {
    const picture *p = machine->picture;
    const frame_log *log = &p->log[log_back(p, previous)];
    *view = (frame_view){&log->start, log->access, log->count};
    if (!previous && machine->s.partial) return false;
    return log->whole && log->end >= machine->window_end;
}

bool picture_draw_gray(const console *machine, const frame_view *frame, const gray_target *to) {
    const raster_target target = picture_target(machine, NULL, NULL, 0);
    return engine_draw(machine->picture->engine, frame, &target, to);
}

void picture_flush(console *machine) {
    picture *p = machine->picture;
    frame_log *log = latest_log(machine);
    picture_collide(machine, ALL_PAIRS);
    /* The rows that this frame leaves out show the frame before last, which shares its buffer. */
    draw_whole(machine, &p->log[log_back(p, 2)], p->buffer);
    raster_target target = picture_target(machine, picture_pixels(p, p->buffer), NULL, 0);
    picture_follow(machine);
    abandon(machine);
    rows_forget_buffer(p->rows, p->buffer);
    draw(machine, &log->start, log, &target);
    drop_log(log);
    continue_log(machine);
    p->followed = 0;
    forget_states(p, p->latest);
    for (int i = 0; i < CURSORS; i++)
        p->cursor[i] = (collision_cursor){.pairs = p->cursor[i].pairs, .log = p->latest};
}

void picture_log(console *machine, unsigned reg, uint8_t value) {
    const log_end *log = &machine->log;
    if (log->next == log->full && !picture_make_room(machine, machine->picture->capacity + 1)) picture_flush(machine);
    log_append(&machine->log, tia_access_make(machine->s.cpu.time, reg, value));
}

void picture_apply_late(console *machine, unsigned reg, uint8_t value, uint32_t clock) {
    picture *p = machine->picture;
    bool hmove_blanks = machine->rom->properties.hmove_blanks;
    picture_flush(machine);
    beam_apply(&machine->s.tia.now, reg, value, clock, hmove_blanks);
    beam_apply(&p->log[p->latest].start, reg, value, clock, hmove_blanks);
}

void picture_gray(console *machine, uint32_t first_row) {
    picture *p = machine->picture;
    uint8_t *pixels = picture_pixels(p, p->buffer);
    rows_forget_buffer(p->rows, p->buffer);
    if (p->black) return;
    for (size_t i = (size_t)first_row * SCREEN_WIDTH; i < (size_t)machine->height * SCREEN_WIDTH; i++)
        pixels[i] = (uint8_t)((pixels[i] & 0x0F) >> 1);
}

/* --- following and colliding ---------------------------------------------------------------------------- */

/* Row by row, or by the engine. */
static bool is_followed(const picture *p) { return p->in_engine || p->rows->following; }

/* Bring tia.now from access `from` of the latest log to access `to`, latching collisions of `pairs`. */
static uint32_t run_engine(console *machine, uint32_t from, uint32_t to, uint16_t pairs) {
    picture *p = machine->picture;
    tia_raster *now = &machine->s.tia.now;
    uint16_t *latch = &machine->s.tia.collisions;
    const raster_target target = picture_target(machine, NULL, latch, pairs);
    const tia_access *access = p->log[p->latest].access;
    if (!p->drawing.rows && !target.pairs) {
        beam_follow(now, access + from, to - from, &target);
        return to;
    }
    if (from == 0 || p->engine_at != from) engine_start(p->engine, now, &target, &p->drawing);
    engine_run(p->engine, now, access + from, to - from, latch, target.pairs);
    p->engine_at = to;
    return to;
}

/* The same by rows that repeat. */
static void run_rows(console *machine, uint32_t from, uint32_t to, bool frame_over, uint16_t pairs) {
    row_memory *rows = machine->picture->rows;
    const row_view view = view_for_rows(machine, rows->drawing, pairs);
    rows_follow(rows, &view, from, to, frame_over);
}

static uint32_t collide_rows(console *machine, uint32_t from, uint32_t to, uint16_t pairs) {
    row_memory *rows = machine->picture->rows;
    const row_view view = view_for_rows(machine, rows->drawing, pairs);
    return rows_collide(rows, &view, from, to);
}

static uint32_t pass_rows(console *machine, uint32_t from, uint32_t to, uint16_t pairs) {
    row_memory *rows = machine->picture->rows;
    uint16_t latch = 0; /* as if nothing were latched */
    const row_view view = view_for_rows(machine, rows->drawing, 0);
    const raster_target waiting = picture_target(machine, NULL, &latch, pairs);
    return rows_pass(rows, &view, from, to, &waiting);
}

/* Where the pairs that the program reads are evaluated no further than tia.now is, the two go on together. */
static bool goes_along(const picture *p, const collision_cursor *cursor) {
    return is_followed(p) && cursor == &p->cursor[SEEN_PAIRS] && cursor->log == p->latest &&
           cursor->index >= p->followed;
}

/* Bring tia.now to where the collisions of the pairs that go along are to be evaluated from, or to an earlier
 * access from which on there are none. */
static void follow_to_cursor(console *machine, collision_cursor *cursor) {
    picture *p = machine->picture;
    if (cursor->index <= p->followed) return;
    const uint32_t from = p->followed, to = cursor->index;
    cursor->index = p->followed =
        p->in_engine ? run_engine(machine, from, to, 0) : pass_rows(machine, from, to, cursor->pairs);
}

static void follow_all(console *machine, uint32_t count, bool frame_over) {
    picture *p = machine->picture;
    collision_cursor *seen = &p->cursor[SEEN_PAIRS];
    const bool along = goes_along(p, seen);
    const uint16_t pairs = along ? seen->pairs : 0;
    if (along) follow_to_cursor(machine, seen);
    if (p->in_engine)
        run_engine(machine, p->followed, count, pairs);
    else
        run_rows(machine, p->followed, count, frame_over, pairs);
    p->followed = count;
    if (along) seen->index = count;
}

/* Whether the running frame fills its window already. */
static bool fills_window(const console *machine) {
    return picture_logged(machine) && access_clock(machine->log.next[-1]) >= machine->window_end;
}

bool picture_is_behind(const console *machine, uint32_t clock) {
    if (!picture_logged(machine) && machine->s.tia.now.drawn >= machine->window_end) return false;
    return clock > machine->window_start && !fills_window(machine);
}

/* Bring tia.now to the end of the log. */
static void follow(console *machine, bool frame_over) {
    picture *p = machine->picture;
    const frame_log *log = latest_log(machine);
    if (is_followed(p)) {
        follow_all(machine, log->count, frame_over && fills_window(machine));
        return;
    }
    raster_target target = picture_target(machine, NULL, NULL, 0);
    beam_follow(&machine->s.tia.now, log->access + p->followed, log->count - p->followed, &target);
    p->followed = log->count;
}

void picture_follow(console *machine) { follow(machine, false); }

/* Evaluate the collisions of a cursor's log. */
static void collide_log(console *machine, const collision_cursor *cursor, const raster_target *target) {
    picture *p = machine->picture;
    const frame_log *log = &p->log[cursor->log];
    cursor_state *state = &p->state[cursor - p->cursor];
    tia_raster *now = &state->raster;
    uint32_t *at = &state->at;
    if (cursor->log == p->latest && p->followed <= cursor->index && !is_followed(p)) {
        now = &machine->s.tia.now;
        at = &p->followed;
    } else if (state->log != cursor->log || state->at == 0 || state->at > cursor->index) {
        *state = (cursor_state){.raster = log->start, .log = cursor->log};
    }
    beam_follow(now, log->access + *at, cursor->index - *at, target);
    *at = cursor->index;
    const tia_access *access = log->access + *at;
    if (by_lines(machine)) {
        *at += lines_collide(p->engine, now, access, log->count - *at, target);
    } else {
        pixels_run(now, access, log->count - *at, target);
        *at = log->count;
    }
}

/* Bring a cursor to the end of the latest log. */
static void catch_up(console *machine, collision_cursor *cursor) {
    picture *p = machine->picture;
    const uint32_t count = latest_log(machine)->count;
    raster_target target = picture_target(machine, NULL, &machine->s.tia.collisions, cursor->pairs);
    while (target.pairs && !goes_along(p, cursor)) { /* else all of them are latched */
        collide_log(machine, cursor, &target);
        if (cursor->log == p->latest) break;
        cursor->log = (uint8_t)((cursor->log + 1u) % LOGS);
        cursor->index = 0;
    }
    if (target.pairs && goes_along(p, cursor)) {
        follow_to_cursor(machine, cursor);
        const uint32_t from = p->followed;
        cursor->index = p->followed = p->in_engine ? run_engine(machine, from, count, cursor->pairs)
                                                   : collide_rows(machine, from, count, cursor->pairs);
        return;
    }
    cursor->log = p->latest;
    cursor->index = count;
}

void picture_collide(console *machine, uint16_t wanted) {
    picture *p = machine->picture;
    wanted &= (uint16_t)~machine->s.tia.collisions;
    for (int i = 0; i < CURSORS; i++)
        if (p->cursor[i].pairs & wanted) catch_up(machine, &p->cursor[i]);
}

void picture_read_collisions(console *machine, uint16_t pairs) {
    machine->picture->pairs_read |= pairs;
    picture_collide(machine, pairs);
}

bool picture_surely_apart(console *machine, uint16_t pairs) {
    picture *p = machine->picture;
    const frame_log *log = latest_log(machine);
    enum { WORTH = 100 }; /* accesses; among more of them mostly everything shows */
    if (p->scanned == NOT_SCANNED || tia_pairs_among[p->may_show] & pairs) return false;
    if (log->count > p->scanned + WORTH) return false;
    unsigned may_show = p->may_show;
    for (uint32_t i = p->scanned; i < log->count; i++) may_show |= access_shows(log->access[i]);
    p->may_show = (uint8_t)may_show;
    p->scanned = log->count;
    return !(tia_pairs_among[may_show] & pairs);
}

void picture_forget_collisions(console *machine) {
    picture *p = machine->picture;
    const tia_shadow *s = &machine->shadow;
    p->scanned = NOT_SCANNED;
    if (s->in_force) { /* the registers are known */
        p->may_show = (uint8_t)beam_showing(s->reg, s->old_grp, s->old_enabl);
        p->scanned = picture_logged(machine);
    }
    const collision_cursor here = {.log = p->latest, .index = picture_logged(machine)};
    machine->s.tia.collisions = 0;
    p->cursor[SEEN_PAIRS] = p->cursor[UNSEEN_PAIRS] = here;
    p->cursor[SEEN_PAIRS].pairs = p->pairs_read;
    p->cursor[UNSEEN_PAIRS].pairs = (uint16_t)(ALL_PAIRS & ~p->pairs_read);
}

/* --- frames --------------------------------------------------------------------------------------------- */

void picture_retire_log(console *machine) {
    collision_cursor *cursor = machine->picture->cursor;
    const unsigned log = log_back(machine->picture, 2);
    if (cursor[SEEN_PAIRS].log == log) catch_up(machine, &cursor[SEEN_PAIRS]);
    if (cursor[UNSEEN_PAIRS].log != log) return;
    catch_up(machine, &cursor[UNSEEN_PAIRS]);
    if (!cursor[UNSEEN_PAIRS].pairs) return;
    /* A program that clears nothing: from here on follow all pairs at once. */
    catch_up(machine, &cursor[SEEN_PAIRS]);
    cursor[SEEN_PAIRS].pairs = ALL_PAIRS;
    cursor[UNSEEN_PAIRS].pairs = 0;
}

/* Leave nothing of a log but its picture. */
static void empty_log(console *machine, unsigned back) {
    picture *p = machine->picture;
    const unsigned log = log_back(p, back);
    draw_whole(machine, &p->log[log], p->buffer ^ back);
    picture_collide(machine, ALL_PAIRS);
    drop_log(&p->log[log]);
    forget_states(p, log);
    for (int i = 0; i < CURSORS; i++)
        if (p->cursor[i].log == log) p->cursor[i].index = 0;
    if (back > 0) return;
    continue_log(machine);
    p->followed = 0;
    abandon(machine);
}

void picture_flush_logs(console *machine) {
    picture_retire_log(machine);
    for (unsigned back = 0; back < 2; back++)
        if (is_short(machine, &machine->picture->log[log_back(machine->picture, back)])) empty_log(machine, back);
}

/* Choose how the frame that begins is followed. */
static void start_following(console *machine) {
    picture *p = machine->picture;
    p->in_engine = p->by_engine;
    p->drawing = p->expected;
    p->expected = (gray_target){0};
    p->drew_gray = false;
    p->engine_at = 0;
    if (p->in_engine)
        rows_skip_frame(p->rows);
    else
        rows_start_frame(p->rows, by_lines(machine) && machine->fast_paths & FAST_ROWS);
}

void picture_start_frame(console *machine) {
    picture *p = machine->picture;
    tia_raster *now = &machine->s.tia.now;
    now->row_base = now->drawn = machine->window_start;
    const unsigned before = p->latest, next = (before + 1u) % LOGS;
    const uint32_t logged = latest_log(machine)->count;
    p->latest = (uint8_t)next;
    p->buffer ^= 1;
    frame_log *log = &p->log[next];
    log->start = *now;
    log->count = 0;
    log->whole = 1;
    log->in_buffer = 0;
    continue_log(machine);
    p->followed = 0;
    forget_states(p, next);
    start_following(machine);
    collision_cursor *seen = &p->cursor[SEEN_PAIRS];
    if (seen->log == before && seen->index == logged)
        *seen = (collision_cursor){.pairs = seen->pairs, .log = (uint8_t)next};
}

void picture_restart_frame(console *machine, const collision_cursor cursor[CURSORS]) {
    picture *p = machine->picture;
    memcpy(p->cursor, cursor, sizeof p->cursor);
    abandon(machine);
    frame_log *log = &p->log[p->latest];
    log->start = machine->s.tia.now;
    log->count = p->followed = 0;
    continue_log(machine);
    forget_states(p, p->latest);
    log->whole = 1;
    log->in_buffer = 0;
}

/* How far drawing a frame that is over may reach beyond its end: the reference does, within the line (pixels.c), but
 * not where the picture is blank without HMOVE. */
static uint32_t find_reach(const console *machine, const frame_log *log) {
    bool blank = machine->s.tia.now.reg[VBLANK] & 2;
    for (uint32_t i = log->count; blank && i > 0; i--) {
        const tia_access access = log->access[i - 1];
        if (access_clock(access) + 2 * LINE_CLOCKS <= log->end) break;
        blank = access_reg(access) != VBLANK && access_reg(access) != HMOVE;
    }
    return blank ? log->end : log->end + LINE_CLOCKS;
}

void picture_end_run(console *machine) {
    picture *p = machine->picture;
    const bool partial = machine->s.partial;
    follow(machine, !partial);
    p->drew_gray = !partial && p->in_engine && engine_drew_all(p->engine, &machine->s.tia.now);
    p->drawing = (gray_target){0};
    frame_log *log = &p->log[p->latest], *beneath = &p->log[log_back(p, 2)];
    log->end = log->reach = machine->s.tia.now.drawn;
    const bool falls_short = is_short(machine, log);
    if (partial || !log->whole || (falls_short && !by_lines(machine))) {
        picture_flush(machine);
    } else if (falls_short) {
        log->reach = find_reach(machine, log);
        if (beneath->reach > log->end) /* it shows pixels of that one, which is still known */
            draw_whole(machine, beneath, p->buffer);
    }
}

/* --- snapshots ------------------------------------------------------------------------------------------ */

static size_t saved_log_size(const console *machine, uint32_t count, bool whole, bool covered) {
    const size_t pixels = whole ? 0 : (covered ? 2u : 1u) * picture_buffer_size(machine->picture);
    return sizeof(saved_log) + count * sizeof(tia_access) + pixels;
}

size_t picture_saved_size(const console *machine) {
    const picture *p = machine->picture;
    size_t size = sizeof(saved_picture);
    for (unsigned back = 0; back < 2; back++) {
        const frame_log *log = &p->log[log_back(p, back)];
        const bool whole = log->whole && !is_short(machine, log); /* once flushed */
        size += saved_log_size(machine, whole ? log->count : 0, whole, machine->tells_objects);
    }
    return size;
}

size_t picture_saved_limit(const console *machine) {
    return sizeof(saved_picture) + 2 * saved_log_size(machine, LOG_CAPACITY, false, machine->tells_objects);
}

static uint8_t *put(uint8_t *to, const void *from, size_t size) {
    memcpy(to, from, size);
    return to + size;
}

static const uint8_t *get(void *to, const uint8_t *from, size_t size) {
    memcpy(to, from, size);
    return from + size;
}

void picture_save(const console *machine, uint8_t *to) {
    picture *p = machine->picture;
    const size_t size = picture_buffer_size(p);
    saved_picture head = {.buffer = p->buffer};
    for (int i = 0; i < CURSORS; i++) {
        head.back[i] = p->cursor[i].log != p->latest;
        head.cursor[i] = p->cursor[i];
        head.cursor[i].log = 0; /* `back` says where */
    }
    to = put(to, &head, sizeof head);
    for (unsigned back = 0; back < 2; back++) {
        const frame_log *log = &p->log[log_back(p, back)];
        saved_log record = {.count = log->count,
                            .whole = log->whole,
                            .covered = !log->whole && machine->tells_objects};
        if (log->whole) record.start = log->start;
        to = put(to, &record, sizeof record);
        to = put(to, log->access, log->count * sizeof(tia_access));
        if (!log->whole) to = put(to, picture_pixels(p, p->buffer ^ back), size);
        if (record.covered) to = put(to, picture_cover(machine, p->buffer ^ back), size);
    }
}

#define PICTURE(member, ...) INVARIANT("picture." #member, saved_picture, member, __VA_ARGS__)
#define PICTURE_EACH(member, ...) INVARIANTS("picture." #member, saved_picture, member, __VA_ARGS__)
const invariant picture_invariants[] = {
    PICTURE(buffer, A_FLAG),
    PICTURE_EACH(back, A_FLAG),
    PICTURE_EACH(reserved, ONLY_ZERO),
    {0},
};

#define CURSOR(member, ...) INVARIANT("cursor." #member, collision_cursor, member, __VA_ARGS__)
const invariant cursor_invariants[] = {
    CURSOR(index, IN_RANGE(0, LOG_CAPACITY)),
    CURSOR(pairs, IN_RANGE(0, ALL_PAIRS)),
    CURSOR(log, ONLY_ZERO),
    CURSOR(reserved, ONLY_ZERO),
    {0},
};

#define LOG(member, ...) INVARIANT("log." #member, saved_log, member, __VA_ARGS__)
const invariant log_invariants[] = {
    LOG(count, IN_RANGE(0, LOG_CAPACITY)),
    LOG(whole, A_FLAG),
    LOG(covered, A_FLAG),
    INVARIANTS("log.reserved", saved_log, reserved, ONLY_ZERO),
    {0},
};

/* Times never go back, from the cycle `from` on. */
static const char *accesses_invalid_field(const saved_log *log, const uint8_t *accesses, uint32_t from,
                                          uint32_t until) {
    for (uint32_t i = 0; i < log->count; i++) {
        tia_access access;
        memcpy(&access, accesses + i * sizeof access, sizeof access);
        const uint32_t time = access >> 16, reg = access >> 8 & 0xFF;
        EXPECT(reg <= TIA_READ, "log.access (register)");
        EXPECT(reg < TIA_READ || access_value(access) == 0, "log.access (value)");
        EXPECT(time >= from && time <= until, "log.access (time)");
        from = time;
    }
    return NULL;
}

/* A picture that follows from its log alone does so from the beginning of the window to its end: where the log ends
 * before, pixels would show that are in no state.  The latest log leads to what the machine is `now`. */
static const char *whole_invalid_field(const console *machine, const saved_log *log, const uint8_t *accesses,
                              const tia_raster *now) {
    const raster_target target = picture_target(machine, NULL, NULL, 0);
    tia_raster raster = log->start;
    EXPECT_NONE(beam_invalid_field(&raster, &target));
    EXPECT(raster.row_base == target.start && raster.drawn == target.start, "log.start");
    beam_follow(&raster, (const tia_access *)(const void *)accesses, log->count, &target);
    EXPECT(raster.drawn == target.end, "log.whole");
    EXPECT(!now || memcmp(&raster, now, sizeof raster) == 0, "tia.now");
    return NULL;
}

static const char *log_invalid_field(const console *machine, const machine_state *s, const saved_log *log,
                            const uint8_t *accesses, bool latest) {
    const uint32_t last = LATEST_ACCESS - 1; /* after later ones the log is empty */
    const uint32_t from = latest ? s->tia.phase : 0, until = latest && s->cpu.time < last ? s->cpu.time : last;
    if (log->whole) {
        EXPECT_NONE(accesses_invalid_field(log, accesses, from, until));
        return whole_invalid_field(machine, log, accesses, latest ? &s->tia.now : NULL);
    }
    /* It was emptied into its picture. */
    EXPECT(log->count == 0, "log.count");
    EXPECT(is_zero(&log->start, sizeof log->start), "log.start");
    const size_t cover = log->covered ? picture_buffer_size(machine->picture) : 0;
    EXPECT(are_object_sets(accesses + picture_buffer_size(machine->picture), cover), "log.cover");
    return NULL;
}

static const char *head_invalid_field(const saved_picture *head) {
    EXPECT_NONE(invalid_field(picture_invariants, head));
    for (int i = 0; i < CURSORS; i++) EXPECT_NONE(invalid_field(cursor_invariants, &head->cursor[i]));
    unsigned seen = head->cursor[SEEN_PAIRS].pairs, unseen = head->cursor[UNSEEN_PAIRS].pairs;
    EXPECT((seen ^ unseen) == ALL_PAIRS && !(seen & unseen), "cursor.pairs");
    return NULL;
}

const char *picture_invalid_field(const console *machine, const machine_state *s, const uint8_t *from, size_t size) {
    saved_picture head;
    EXPECT(size >= sizeof head, "size");
    memcpy(&head, from, sizeof head);
    EXPECT_NONE(head_invalid_field(&head));
    size_t used = sizeof head;
    for (unsigned back = 0; back < 2; back++) {
        saved_log log;
        EXPECT(size - used >= sizeof log, "size");
        memcpy(&log, from + used, sizeof log);
        EXPECT_NONE(invalid_field(log_invariants, &log));
        EXPECT(log.covered <= !log.whole, "log.covered");
        const size_t need = saved_log_size(machine, log.count, log.whole, log.covered);
        EXPECT(size - used >= need, "size");
        for (int i = 0; i < CURSORS; i++)
            EXPECT(head.back[i] != back || head.cursor[i].index <= log.count, "cursor.index");
        /* A frame that goes on was drawn so far, and continues with an empty log. */
        EXPECT(!s->partial || back > 0 || !log.whole, "partial");
        EXPECT_NONE(log_invalid_field(machine, s, &log, from + used + sizeof log, back == 0));
        used += need;
    }
    EXPECT(used == size, "size");
    return NULL;
}

/* What covers pixels that came from elsewhere; NULL: nobody knows any more, and nothing is told. */
static void adopt_cover(console *machine, unsigned buffer, const uint8_t *from) {
    uint8_t *cover = picture_cover(machine, buffer);
    const size_t size = picture_buffer_size(machine->picture);
    if (cover && from) memcpy(cover, from, size);
    if (cover && !from) memset(cover, 0, size);
}

/* The logs came from elsewhere: nothing is known of them but what they hold. */
static void adopt_logs(console *machine) {
    picture *p = machine->picture;
    continue_log(machine);
    p->followed = p->log[p->latest].count;
    p->scanned = NOT_SCANNED;
    for (int i = 0; i < CURSORS; i++) p->state[i].at = 0;
    forget(machine);
}

bool picture_make_room_for(console *machine, const uint8_t *from) {
    from += sizeof(saved_picture);
    for (unsigned back = 0; back < 2; back++) {
        saved_log log;
        memcpy(&log, from, sizeof log);
        if (!picture_make_room(machine, log.count)) return false;
        from += saved_log_size(machine, log.count, log.whole, log.covered);
    }
    return true;
}

void picture_restore(console *machine, const uint8_t *from) {
    picture *p = machine->picture;
    saved_picture head;
    from = get(&head, from, sizeof head);
    p->latest = 1;
    p->buffer = head.buffer;
    for (int i = 0; i < CURSORS; i++) {
        p->cursor[i] = head.cursor[i];
        p->cursor[i].log = head.back[i] ? 0 : 1;
    }
    drop_log(&p->log[2]);
    const size_t size = picture_buffer_size(p);
    for (unsigned back = 0; back < 2; back++) {
        frame_log *log = &p->log[1 - back];
        saved_log record;
        from = get(&record, from, sizeof record);
        log->start = record.whole ? record.start : machine->s.tia.now;
        log->count = record.count;
        log->end = log->reach = machine->window_end;
        log->whole = record.whole;
        log->in_buffer = !record.whole;
        from = get(log->access, from, record.count * sizeof(tia_access));
        if (record.whole) continue;
        const unsigned buffer = p->buffer ^ back;
        p->black = p->black && !record.covered && is_zero(from, size); /* as after every reset */
        if (!p->black) memcpy(picture_pixels(p, buffer), from, size);
        from += size;
        adopt_cover(machine, buffer, record.covered ? from : NULL);
        if (record.covered) from += size;
    }
    adopt_logs(machine);
}

void picture_copy(console *machine, const console *source) {
    picture *p = machine->picture;
    const picture *other = source->picture;
    const size_t size = picture_buffer_size(p);
    p->latest = other->latest;
    p->buffer = other->buffer;
    p->pairs_read = other->pairs_read;
    memcpy(p->cursor, other->cursor, sizeof p->cursor);
    for (unsigned back = 0; back < 2; back++) {
        const frame_log *from = &other->log[log_back(other, back)];
        frame_log *log = &p->log[log_back(other, back)];
        memcpy(log, from, offsetof(frame_log, access));
        memcpy(log->access, from->access, from->count * sizeof(tia_access));
        log->in_buffer = !log->whole;
        const size_t at = (p->buffer ^ back) * size;
        if (log->whole) continue;
        p->black = p->black && other->black;
        if (!p->black) memcpy(p->pixels + at, other->pixels + at, size);
        adopt_cover(machine, p->buffer ^ back, picture_cover(source, p->buffer ^ back));
    }
    drop_log(&p->log[log_back(p, 2)]);
    adopt_logs(machine);
}
