/* Collisions are evaluated lazily: a log is followed only as far as a read by the program needs it. */
#include "followers.h"
#include "lines.h"
#include "picture_parts.h"
#include "pixels.h"

/* Return whether a cursor can advance together with tia.now.  It can unless tia.now has passed it, as tia.now never
 * goes back. */
static bool goes_along(const picture *p, const collision_cursor *cursor) {
    return p->following.follower && cursor == &p->collisions.cursor[SEEN_PAIRS] && cursor->log == p->logs.latest &&
           cursor->index >= p->following.followed;
}

/* Bring tia.now to the cursor, or to an earlier access if the pairs do not collide between that and the cursor. */
static void follow_to_cursor(console *machine, collision_cursor *cursor) {
    picture *p = machine->picture;
    if (cursor->index <= p->following.followed) return;
    const uint32_t from = p->following.followed, to = cursor->index;
    cursor->index = p->following.followed = p->following.follower->pass(machine, from, to, cursor->pairs);
}

static void follow_all(console *machine, uint32_t count, bool frame_over) {
    picture *p = machine->picture;
    collision_cursor *seen = &p->collisions.cursor[SEEN_PAIRS];
    const bool along = goes_along(p, seen);
    const uint16_t pairs = along ? seen->pairs : 0;
    if (along) follow_to_cursor(machine, seen);
    p->following.follower->run(machine, p->following.followed, count, frame_over, pairs);
    p->following.followed = count;
    if (along) seen->index = count;
}

/* Return whether the running frame fills its window already. */
static bool fills_window(const console *machine) {
    return picture_logged(machine) && access_clock(machine->log.next[-1]) >= machine->window_end;
}

bool picture_is_behind(const console *machine, uint32_t clock) {
    if (!picture_logged(machine) && machine->s.tia.now.drawn >= machine->window_end) return false;
    return clock > machine->window_start && !fills_window(machine);
}

void picture_follow_frame(console *machine, bool frame_over) {
    picture *p = machine->picture;
    const frame_log *log = latest_log(machine);
    if (p->following.follower) {
        follow_all(machine, log->count, frame_over && fills_window(machine));
        return;
    }
    raster_target target = target_of(machine, NULL, NULL, 0);
    beam_follow(&machine->s.tia.now, log->access + p->following.followed, log->count - p->following.followed, &target);
    p->following.followed = log->count;
}

void picture_follow(console *machine) { picture_follow_frame(machine, false); }

/* Evaluate the collisions of a cursor's log. */
static void collide_log(console *machine, const collision_cursor *cursor, const raster_target *target) {
    picture *p = machine->picture;
    const frame_log *log = &p->logs.frame[cursor->log];
    cursor_state *state = &p->collisions.state[cursor - p->collisions.cursor];
    tia_raster *now = &state->raster;
    uint32_t *at = &state->at;
    if (cursor->log == p->logs.latest && p->following.followed <= cursor->index && !p->following.follower) {
        now = &machine->s.tia.now;
        at = &p->following.followed;
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
    raster_target target = target_of(machine, NULL, &machine->s.tia.collisions, cursor->pairs);
    while (target.pairs && !goes_along(p, cursor)) { /* else all of them are latched */
        collide_log(machine, cursor, &target);
        if (cursor->log == p->logs.latest) break;
        cursor->log = (uint8_t)((cursor->log + 1u) % LOGS);
        cursor->index = 0;
    }
    if (target.pairs && goes_along(p, cursor)) {
        follow_to_cursor(machine, cursor);
        const uint32_t from = p->following.followed;
        cursor->index = p->following.followed = p->following.follower->collide(machine, from, count, cursor->pairs);
        return;
    }
    cursor->log = p->logs.latest;
    cursor->index = count;
}

/* Bring some bits of the latch up to now; return all bits that are up to date after it. */
static uint16_t collide(console *machine, uint16_t wanted) {
    picture *p = machine->picture;
    wanted &= (uint16_t)~machine->s.tia.collisions;
    uint16_t evaluated = 0;
    for (int i = 0; i < CURSORS; i++) {
        const uint16_t pairs = p->collisions.cursor[i].pairs;
        if (!(pairs & wanted)) continue;
        catch_up(machine, &p->collisions.cursor[i]);
        evaluated |= pairs;
    }
    return evaluated;
}

void picture_collide(console *machine, uint16_t wanted) { (void)collide(machine, wanted); }

/* From this moment on, scan the log for objects that show.  The latch is right for some pairs. */
static void start_scan(console *machine, uint16_t pairs) {
    picture *p = machine->picture;
    const tia_shadow *s = &machine->shadow;
    p->scan.scanned = NOT_SCANNED;
    if (!s->in_force) return; /* the registers are not known */
    p->scan.may_show = (uint8_t)beam_showing(s->reg, s->old_grp, s->old_enabl);
    p->scan.scanned = picture_logged(machine);
    p->scan.pairs = pairs;
}

void picture_read_collisions(console *machine, uint16_t pairs) {
    picture *p = machine->picture;
    p->collisions.pairs_read |= pairs;
    const uint16_t evaluated = collide(machine, pairs);
    /* In the row memory, rows that wait are cheaper than scans unless they are also drawn. */
    if (p->following.by_engine || rows_are_watched(p->rows)) start_scan(machine, evaluated);
}

bool picture_surely_apart(console *machine, uint16_t pairs) {
    picture *p = machine->picture;
    const frame_log *log = latest_log(machine);
    enum { WORTH = 100 }; /* accesses; among more of them mostly everything shows */
    if (p->scan.scanned == NOT_SCANNED || (tia_pairs_among[p->scan.may_show] | ~p->scan.pairs) & pairs) return false;
    if (log->count > p->scan.scanned + WORTH) return false;
    unsigned may_show = p->scan.may_show;
    for (uint32_t i = p->scan.scanned; i < log->count; i++) may_show |= access_shows(log->access[i]);
    p->scan.may_show = (uint8_t)may_show;
    p->scan.scanned = log->count;
    return !(tia_pairs_among[may_show] & pairs);
}

void picture_clear_collisions(console *machine) {
    picture *p = machine->picture;
    start_scan(machine, ALL_PAIRS);
    const collision_cursor here = {.log = p->logs.latest, .index = picture_logged(machine)};
    machine->s.tia.collisions = 0;
    p->collisions.cursor[SEEN_PAIRS] = p->collisions.cursor[UNSEEN_PAIRS] = here;
    p->collisions.cursor[SEEN_PAIRS].pairs = p->collisions.pairs_read;
    p->collisions.cursor[UNSEEN_PAIRS].pairs = (uint16_t)(ALL_PAIRS & ~p->collisions.pairs_read);
}

void picture_retire_log(console *machine) {
    collision_cursor *cursor = machine->picture->collisions.cursor;
    const unsigned log = log_back(machine->picture, 2);
    if (cursor[SEEN_PAIRS].log == log) catch_up(machine, &cursor[SEEN_PAIRS]);
    if (cursor[UNSEEN_PAIRS].log != log) return;
    catch_up(machine, &cursor[UNSEEN_PAIRS]);
    if (!cursor[UNSEEN_PAIRS].pairs) return;
    /* The program does not use CXCLR, so follow all pairs together from here on. */
    catch_up(machine, &cursor[SEEN_PAIRS]);
    cursor[SEEN_PAIRS].pairs = ALL_PAIRS;
    cursor[UNSEEN_PAIRS].pairs = 0;
}
