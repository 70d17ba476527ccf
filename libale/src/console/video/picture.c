/* Keeps three logs and two frame buffers in rotation.  A log is drawn only when its picture is needed. */
#include "picture.h"

#include <stdlib.h>
#include <string.h>

#include "followers.h"
#include "picture_parts.h"

/* --- a picture's life ----------------------------------------------------------------------------------- */

/* Return the size of all buffers. */
static size_t pixels_size(const picture *p, bool tells_objects) {
    return (tells_objects ? 4 : 2) * picture_buffer_size(p);
}

uint8_t *picture_cover(const console *machine, unsigned buffer) {
    if (!machine->tells_objects) return NULL;
    return picture_pixels(machine->picture, 2 + buffer);
}

/* Logs in the reserve are whole pages apart, so that one log's growth does not use memory for the next. */
enum { PAGE = ARENA_PAGE / sizeof(tia_access), RESERVE_STRIDE = (LOG_CAPACITY + PAGE - 1) / PAGE * PAGE };

/* Allocate the logs and the reserve, in an arena. */
static bool take_logs(frame_logs *logs, uint32_t room, arena *a) {
    logs->capacity = room > LOG_STEP ? room : LOG_STEP;
    logs->memory = arena_take(a, LOGS * logs->capacity * sizeof *logs->memory, ARENA_DENSE);
    logs->reserve = arena_take(a, LOGS * RESERVE_STRIDE * sizeof *logs->reserve, ARENA_SPARSE);
    for (unsigned i = 0; logs->memory && i < LOGS; i++) logs->frame[i].access = logs->memory + i * logs->capacity;
    return logs->memory && logs->reserve;
}

/* Grow each log to hold `accesses` accesses.  The first `count` entries of each log are kept. */
static bool make_room(frame_logs *logs, uint32_t accesses, arena *a) {
    const uint32_t capacity = (accesses + LOG_STEP - 1) / LOG_STEP * LOG_STEP;
    const uint32_t stride = a ? RESERVE_STRIDE : capacity;
    tia_access *memory = a ? logs->reserve : malloc(LOGS * stride * sizeof *memory);
    if (!memory) return false;
    for (unsigned i = 0; i < LOGS && memory != logs->memory; i++) {
        frame_log *log = &logs->frame[i];
        tia_access *access = memory + i * stride;
        if (log->count) memcpy(access, log->access, log->count * sizeof *access);
        log->access = access;
    }
    arena_release(a, logs->memory);
    logs->memory = memory;
    logs->capacity = capacity;
    return true;
}

picture *picture_create(const console *machine, uint32_t screen_rows, uint32_t log_room) {
    arena *a = machine->arena;
    picture *p = arena_take(a, sizeof *p, ARENA_DENSE);
    if (!p) return NULL;
    p->arena = a;
    p->buffers.rows = screen_rows;
    p->buffers.pixels = arena_take(a, pixels_size(p, machine->tells_objects), ARENA_SPARSE);
    p->buffers.black = true;
    p->rows = rows_create((uint32_t)machine->height, a);
    p->engine = engine_create(a);
    const bool complete = p->buffers.pixels && p->rows && p->engine;
    if (!complete || !(a ? take_logs(&p->logs, log_room, a) : make_room(&p->logs, LOG_STEP, a))) {
        picture_destroy(p);
        return NULL;
    }
    p->collisions.cursor[UNSEEN_PAIRS].pairs = ALL_PAIRS;
    return p;
}

void picture_destroy(picture *p) {
    if (!p) return;
    rows_destroy(p->rows);
    engine_destroy(p->engine, p->arena);
    arena_release(p->arena, p->logs.memory);
    arena_release(p->arena, p->logs.reserve);
    arena_release(p->arena, p->buffers.pixels);
    arena_release(p->arena, p);
}

bool picture_make_room(console *machine, uint32_t accesses) {
    if (accesses <= machine->picture->logs.capacity) return true;
    (void)latest_log(machine);
    if (accesses > LOG_CAPACITY || !make_room(&machine->picture->logs, accesses, machine->arena)) return false;
    continue_log(machine);
    return true;
}

void picture_reset(console *machine) {
    picture *p = machine->picture;
    if (!p->buffers.black) memset(p->buffers.pixels, 0, pixels_size(p, machine->tells_objects));
    p->buffers.black = true;
    invalidate_followers(machine);
    for (int i = 0; i < LOGS; i++) {
        p->logs.frame[i].count = 0;
        p->logs.frame[i].whole = 0;
        p->logs.frame[i].in_buffer = 1;
        p->logs.frame[i].start = machine->s.tia.now;
    }
    continue_log(machine);
    p->following.followed = 0;
    p->scan.scanned = NOT_SCANNED;
    for (int i = 0; i < CURSORS; i++) {
        p->collisions.cursor[i].log = p->logs.latest;
        p->collisions.cursor[i].index = 0;
        p->collisions.state[i].at = 0;
    }
}

/* --- the running frame's log ---------------------------------------------------------------------------- */

void picture_flush(console *machine) {
    picture *p = machine->picture;
    frame_log *log = latest_log(machine);
    picture_collide(machine, ALL_PAIRS);
    /* Rows that this frame does not draw show the frame before last, which shares its buffer. */
    picture_draw_log(machine, &p->logs.frame[log_back(p, 2)], p->buffers.latest);
    raster_target target = target_of(machine, picture_pixels(p, p->buffers.latest), NULL, 0);
    picture_follow(machine);
    stop_following(machine);
    rows_invalidate_buffer(p->rows, p->buffers.latest);
    picture_draw_accesses(machine, &log->start, log, &target);
    clear_log(log);
    continue_log(machine);
    p->following.followed = 0;
    invalidate_cursor_states(p, p->logs.latest);
    for (int i = 0; i < CURSORS; i++)
        p->collisions.cursor[i] = (collision_cursor){.pairs = p->collisions.cursor[i].pairs, .log = p->logs.latest};
}

void picture_log(console *machine, unsigned reg, uint8_t value) {
    const log_end *log = &machine->log;
    const uint32_t more = machine->picture->logs.capacity + 1;
    if (log->next == log->full && !picture_make_room(machine, more)) picture_flush(machine);
    log_append(&machine->log, tia_access_make(machine->s.cpu.time, reg, value));
}

void picture_apply_late(console *machine, unsigned reg, uint8_t value, uint32_t clock) {
    picture *p = machine->picture;
    bool hmove_blanks = machine->rom->properties.hmove_blanks;
    picture_flush(machine);
    beam_apply(&machine->s.tia.now, reg, value, clock, hmove_blanks);
    beam_apply(&p->logs.frame[p->logs.latest].start, reg, value, clock, hmove_blanks);
}

/* --- frames --------------------------------------------------------------------------------------------- */

/* Draw a log and evaluate its collisions, then clear it. */
static void draw_and_clear_log(console *machine, unsigned back) {
    picture *p = machine->picture;
    const unsigned log = log_back(p, back);
    picture_draw_log(machine, &p->logs.frame[log], p->buffers.latest ^ back);
    picture_collide(machine, ALL_PAIRS);
    clear_log(&p->logs.frame[log]);
    invalidate_cursor_states(p, log);
    for (int i = 0; i < CURSORS; i++)
        if (p->collisions.cursor[i].log == log) p->collisions.cursor[i].index = 0;
    if (back > 0) return;
    continue_log(machine);
    p->following.followed = 0;
    stop_following(machine);
}

void picture_flush_logs(console *machine) {
    picture_retire_log(machine);
    const picture *p = machine->picture;
    for (unsigned back = 0; back < 2; back++)
        if (is_short(machine, &p->logs.frame[log_back(p, back)])) draw_and_clear_log(machine, back);
}

void picture_start_frame(console *machine) {
    picture *p = machine->picture;
    tia_raster *now = &machine->s.tia.now;
    now->row_base = now->drawn = machine->window_start;
    const unsigned before = p->logs.latest, next = (before + 1u) % LOGS;
    const uint32_t logged = latest_log(machine)->count;
    p->logs.latest = (uint8_t)next;
    p->buffers.latest ^= 1;
    frame_log *log = &p->logs.frame[next];
    log->start = *now;
    log->count = 0;
    log->whole = 1;
    log->in_buffer = 0;
    continue_log(machine);
    p->following.followed = 0;
    invalidate_cursor_states(p, next);
    followers_start(machine);
    collision_cursor *seen = &p->collisions.cursor[SEEN_PAIRS];
    if (seen->log == before && seen->index == logged)
        *seen = (collision_cursor){.pairs = seen->pairs, .log = (uint8_t)next};
}

void picture_restart_frame(console *machine, const collision_cursor cursor[CURSORS]) {
    picture *p = machine->picture;
    memcpy(p->collisions.cursor, cursor, sizeof p->collisions.cursor);
    stop_following(machine);
    frame_log *log = &p->logs.frame[p->logs.latest];
    log->start = machine->s.tia.now;
    log->count = p->following.followed = 0;
    continue_log(machine);
    invalidate_cursor_states(p, p->logs.latest);
    log->whole = 1;
    log->in_buffer = 0;
}

/* Return the clock up to which drawing a finished frame may change pixels.  The reference draws beyond the end of a
 * frame, within the line (pixels.c), except where the picture is blank and there was no HMOVE. */
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
    picture_follow_frame(machine, !partial);
    p->following.drew_gray = !partial && p->following.follower && p->following.follower->complete(machine);
    p->following.drawing = (gray_target){0};
    frame_log *log = &p->logs.frame[p->logs.latest], *beneath = &p->logs.frame[log_back(p, 2)];
    log->end = log->reach = machine->s.tia.now.drawn;
    const bool falls_short = is_short(machine, log);
    if (partial || !log->whole || (falls_short && !by_lines(machine))) {
        picture_flush(machine);
    } else if (falls_short) {
        log->reach = find_reach(machine, log);
        if (beneath->reach > log->end) /* this frame shows pixels of `beneath`, whose log still exists */
            picture_draw_log(machine, beneath, p->buffers.latest);
    }
}
