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
static bool take_logs(picture *p, uint32_t room) {
    p->capacity = room > LOG_STEP ? room : LOG_STEP;
    p->accesses = arena_take(p->arena, LOGS * p->capacity * sizeof *p->accesses, ARENA_DENSE);
    p->reserve = arena_take(p->arena, LOGS * RESERVE_STRIDE * sizeof *p->reserve, ARENA_SPARSE);
    for (unsigned i = 0; p->accesses && i < LOGS; i++) p->log[i].access = p->accesses + i * p->capacity;
    return p->accesses && p->reserve;
}

/* Grow each log to hold `accesses` accesses.  The first `count` entries of each log are kept. */
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

bool picture_make_room(console *machine, uint32_t accesses) {
    if (accesses <= machine->picture->capacity) return true;
    (void)latest_log(machine);
    if (accesses > LOG_CAPACITY || !make_room(machine->picture, accesses)) return false;
    continue_log(machine);
    return true;
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

/* --- the running frame's log ---------------------------------------------------------------------------- */

void picture_flush(console *machine) {
    picture *p = machine->picture;
    frame_log *log = latest_log(machine);
    picture_collide(machine, ALL_PAIRS);
    /* Rows that this frame does not draw show the frame before last, which shares its buffer. */
    picture_draw_log(machine, &p->log[log_back(p, 2)], p->buffer);
    raster_target target = target_of(machine, picture_pixels(p, p->buffer), NULL, 0);
    picture_follow(machine);
    abandon(machine);
    rows_forget_buffer(p->rows, p->buffer);
    picture_draw_accesses(machine, &log->start, log, &target);
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

/* --- frames --------------------------------------------------------------------------------------------- */

/* Draw a log and evaluate its collisions, then empty it. */
static void empty_log(console *machine, unsigned back) {
    picture *p = machine->picture;
    const unsigned log = log_back(p, back);
    picture_draw_log(machine, &p->log[log], p->buffer ^ back);
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
    followers_start(machine);
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
    p->drew_gray = !partial && p->follower && p->follower->complete(machine);
    p->drawing = (gray_target){0};
    frame_log *log = &p->log[p->latest], *beneath = &p->log[log_back(p, 2)];
    log->end = log->reach = machine->s.tia.now.drawn;
    const bool falls_short = is_short(machine, log);
    if (partial || !log->whole || (falls_short && !by_lines(machine))) {
        picture_flush(machine);
    } else if (falls_short) {
        log->reach = find_reach(machine, log);
        if (beneath->reach > log->end) /* this frame shows pixels of `beneath`, whose log still exists */
            picture_draw_log(machine, beneath, p->buffer);
    }
}
