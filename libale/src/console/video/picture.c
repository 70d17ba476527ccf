/* The picture: when logs are turned into pixels and collisions. */
#include "../console.h"
#include "raster.h"

size_t picture_buffer_size(const console *machine) {
    return (size_t)console_screen_rows(machine) * SCREEN_WIDTH;
}

raster_target picture_target(const console *machine, uint8_t *pixels, uint16_t *collisions, uint16_t pairs) {
    picture *p = machine->picture;
    if (pairs && p->wanted.pairs != pairs) lines_set_pairs(&p->wanted, pairs);
    return (raster_target){
        .pairs = collisions ? pairs & (uint16_t)~*collisions : pairs,
        .objects = p->wanted.objects,
        .colliding = p->wanted.colliding,
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
    log->in_buffer = 1;
    rows_note_drawing(machine);
    if (log == &p->log[p->latest] && rows_complete(machine)) {
        rows_draw(machine, buffer);
        return;
    }
    rows_forget_buffer(machine, buffer);
    raster_target target =
        picture_target(machine, picture_pixels(p, picture_buffer_size(machine), buffer), NULL, 0);
    tia_raster raster = log->start;
    raster_run(&raster, log->access, log->count, &target);
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
        picture_target(machine, picture_pixels(p, picture_buffer_size(machine), p->buffer), NULL, 0);
    picture_follow(machine, false);
    rows_abandon(machine);
    rows_forget_buffer(machine, p->buffer);
    raster_run(&log->start, log->access, log->count, &target);
    log->count = p->followed = 0;
    log->whole = 0;
    log->in_buffer = 1;
    for (int i = 0; i < CURSORS; i++)
        p->cursor[i] = (collision_cursor){.pairs = p->cursor[i].pairs, .log = p->latest};
}

/* Where the pairs that the program reads are evaluated no further than tia.now is, the two go on together. */
static bool goes_along(const picture *p, const collision_cursor *cursor) {
    return p->rows->following && cursor == &p->cursor[SEEN_PAIRS] && cursor->log == p->latest &&
           cursor->index >= p->followed;
}

static void follow_rows(console *machine, uint32_t count, bool frame_over) {
    picture *p = machine->picture;
    collision_cursor *seen = &p->cursor[SEEN_PAIRS];
    uint16_t pairs = 0;
    if (goes_along(p, seen)) {
        if (seen->index > p->followed) rows_follow(machine, seen->index, false, 0);
        pairs = seen->pairs;
        seen->index = count;
    }
    rows_follow(machine, count, frame_over, pairs);
}

void picture_follow(console *machine, bool frame_over) {
    picture *p = machine->picture;
    const frame_log *log = &p->log[p->latest];
    if (p->rows->following) {
        bool filled = log->count && access_clock(log->access[log->count - 1]) >= machine->window_end;
        follow_rows(machine, log->count, frame_over && filled);
        return;
    }
    raster_target target = picture_target(machine, NULL, NULL, 0);
    raster_follow(&machine->s.tia.now, log->access + p->followed, log->count - p->followed, &target);
    p->followed = log->count;
}

/* Evaluate the collisions of a log from an access on. */
static void collide_log(console *machine, unsigned n, uint32_t index, const raster_target *target) {
    picture *p = machine->picture;
    const frame_log *log = &p->log[n];
    tia_raster *now = &machine->s.tia.now, state;
    /* Go on from `now` if that is no further yet, else from the beginning. */
    bool from_now = n == p->latest && p->followed <= index && !p->rows->following;
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
    raster_target target = picture_target(machine, NULL, &machine->s.tia.collisions, cursor->pairs);
    while (target.pairs && !goes_along(p, cursor)) { /* else all of them are latched */
        collide_log(machine, cursor->log, cursor->index, &target);
        if (cursor->log == p->latest) break;
        cursor->log = (uint8_t)((cursor->log + 1u) % LOGS);
        cursor->index = 0;
    }
    if (target.pairs && goes_along(p, cursor)) follow_rows(machine, p->log[p->latest].count, false);
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
