/* The picture: when logs are turned into pixels and collisions. */
#include "console.h"
#include "raster.h"

size_t picture_buffer_size(const console *machine) {
    return (size_t)console_screen_rows(machine) * SCREEN_WIDTH;
}

static raster_target make_target(const console *machine, uint8_t *pixels, uint16_t *collisions) {
    return (raster_target){
        .pixels = pixels,
        .collisions = collisions,
        .start = machine->window_start,
        .end = machine->window_end,
        .rows = (uint32_t)console_screen_rows(machine),
        .hmove_blanks = machine->rom->properties.hmove_blanks,
        .by_lines = machine->fast_paths & FAST_RASTER,
    };
}

/* Draw a log that makes up its whole picture. */
static void draw_whole(console *machine, frame_log *log, unsigned buffer) {
    if (log->in_buffer) return;
    picture *p = machine->picture;
    raster_target target =
        make_target(machine, picture_pixels(p, picture_buffer_size(machine), buffer), NULL);
    tia_raster raster = log->start;
    raster_run(&raster, log->access, log->count, &target);
    log->in_buffer = 1;
}

const uint8_t *picture_show(console *machine, bool previous) {
    picture *p = machine->picture;
    unsigned buffer = p->buffer ^ previous;
    draw_whole(machine, &p->log[(p->latest + (previous ? LOGS - 1u : 0u)) % LOGS], buffer);
    return picture_pixels(p, picture_buffer_size(machine), buffer);
}

void picture_flush(console *machine) {
    picture *p = machine->picture;
    frame_log *log = &p->log[p->latest];
    picture_collide(machine, ALL_PAIRS);
    /* The rows that this frame leaves out show the frame before last, which shares its buffer. */
    draw_whole(machine, &p->log[(p->latest + 1u) % LOGS], p->buffer);
    raster_target target =
        make_target(machine, picture_pixels(p, picture_buffer_size(machine), p->buffer), NULL);
    picture_follow(machine);
    raster_run(&log->start, log->access, log->count, &target);
    log->count = p->followed = 0;
    log->whole = 0;
    log->in_buffer = 1;
    for (int i = 0; i < CURSORS; i++)
        p->cursor[i] = (collision_cursor){.pairs = p->cursor[i].pairs, .log = p->latest};
}

void picture_follow(console *machine) {
    picture *p = machine->picture;
    const frame_log *log = &p->log[p->latest];
    raster_target target = make_target(machine, NULL, NULL);
    raster_follow(&machine->s.tia.now, log->access + p->followed, log->count - p->followed, &target);
    p->followed = log->count;
}

/* Evaluate the collisions of a log from an access on. */
static void collide_log(console *machine, unsigned n, uint32_t index, const raster_target *target) {
    picture *p = machine->picture;
    const frame_log *log = &p->log[n];
    tia_raster *now = &machine->s.tia.now, state;
    /* Go on from `now` if that is no further yet, else from the beginning. */
    bool from_now = n == p->latest && p->followed <= index;
    uint32_t from = from_now ? p->followed : 0;
    if (!from_now) {
        state = log->start;
        now = &state;
    }
    raster_follow(now, log->access + from, index - from, target);
    if (target->by_lines)
        lines_collide(now, log->access + index, log->count - index, target);
    else
        raster_run(now, log->access + index, log->count - index, target);
    if (from_now) p->followed = log->count;
}

static void catch_up(console *machine, collision_cursor *cursor) {
    const picture *p = machine->picture;
    raster_target target = make_target(machine, NULL, &machine->s.tia.collisions);
    target.pairs = cursor->pairs & (uint16_t)~machine->s.tia.collisions;
    while (target.pairs) { /* else all of them are latched */
        collide_log(machine, cursor->log, cursor->index, &target);
        if (cursor->log == p->latest) break;
        cursor->log = (uint8_t)((cursor->log + 1u) % LOGS);
        cursor->index = 0;
    }
    cursor->log = p->latest;
    cursor->index = p->log[p->latest].count;
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

void picture_retire_log(console *machine, unsigned log) {
    collision_cursor *cursor = machine->picture->cursor;
    if (cursor[SEEN_PAIRS].log == log) catch_up(machine, &cursor[SEEN_PAIRS]);
    if (cursor[UNSEEN_PAIRS].log != log) return;
    catch_up(machine, &cursor[UNSEEN_PAIRS]);
    if (!cursor[UNSEEN_PAIRS].pairs) return;
    /* A program that clears nothing: from here on follow all pairs at once. */
    catch_up(machine, &cursor[SEEN_PAIRS]);
    cursor[SEEN_PAIRS].pairs = ALL_PAIRS;
    cursor[UNSEEN_PAIRS].pairs = 0;
}

void picture_forget_collisions(console *machine) {
    picture *p = machine->picture;
    const collision_cursor here = {.log = p->latest, .index = p->log[p->latest].count};
    machine->s.tia.collisions = 0;
    p->cursor[SEEN_PAIRS] = p->cursor[UNSEEN_PAIRS] = here;
    p->cursor[SEEN_PAIRS].pairs = p->pairs_read;
    p->cursor[UNSEEN_PAIRS].pairs = (uint16_t)(ALL_PAIRS & ~p->pairs_read);
}
