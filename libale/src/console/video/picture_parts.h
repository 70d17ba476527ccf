/* Helpers that the picture's sources share.
 *
 *     picture.c              creation, and the logs from frame to frame
 *     picture_draw.c         drawing a log
 *     picture_collisions.c   evaluating collisions, and following a frame as far as they need
 *     followers.c            the two ways to follow a frame while it runs
 *     picture_state.c        snapshots and copies */
#ifndef ALE_PICTURE_PARTS_H
#define ALE_PICTURE_PARTS_H

#include <string.h>

#include "lines.h"
#include "picture.h"

/* The latest log, with all that the CPU has logged so far. */
static inline frame_log *latest_log(console *machine) {
    frame_log *log = &machine->picture->logs.frame[machine->picture->logs.latest];
    log->count = picture_logged(machine);
    return log;
}

/* Continue the latest log after its last access. */
static inline void continue_log(console *machine) {
    const frame_logs *logs = &machine->picture->logs;
    const frame_log *log = &logs->frame[logs->latest];
    machine->log = (log_end){.next = log->access + log->count, .full = log->access + logs->capacity};
}

/* Stop following the running frame.  What was learned from earlier frames stays valid. */
static inline void stop_following(console *machine) {
    machine->picture->following.follower = NULL;
    rows_stop_following(machine->picture->rows);
}

/* Stop following, and invalidate what the followers know of earlier frames, because the logs were replaced. */
static inline void invalidate_followers(console *machine) {
    machine->picture->following.follower = NULL;
    machine->picture->following.drew_gray = false;
    rows_invalidate(machine->picture->rows);
}

/* Clear a log whose picture is drawn. */
static inline void clear_log(frame_log *log) {
    log->whole = 0;
    log->in_buffer = 1;
    log->count = 0;
}

/* Invalidate the saved states inside a log, because the log starts again. */
static inline void invalidate_cursor_states(picture *p, unsigned log) {
    p->scan.scanned = NOT_SCANNED;
    for (int i = 0; i < CURSORS; i++)
        if (p->collisions.state[i].log == log) p->collisions.state[i].at = 0;
}

/* Return whether a finished frame does not fill its window, judging by its log. */
static inline bool is_short(const console *machine, const frame_log *log) {
    return log->whole && log->end < machine->window_end;
}

static inline unsigned log_back(const picture *p, unsigned back) { return (p->logs.latest + LOGS - back) % LOGS; }

/* Return whether to draw whole lines instead of single pixels. */
static inline bool by_lines(const console *machine) { return machine->fast_paths & FAST_RASTER; }

/* picture_target, inline for the picture's own sources. */
static inline raster_target target_of(const console *machine, uint8_t *pixels, uint16_t *collisions, uint16_t pairs) {
    picture *p = machine->picture;
    if (pairs && p->collisions.wanted.pairs != pairs) lines_set_pairs(&p->collisions.wanted, pairs);
    if (pixels) p->buffers.black = false;
    return (raster_target){
        .pairs = collisions ? pairs & (uint16_t)~*collisions : pairs,
        .colliding = p->collisions.wanted.colliding,
        .pixels = pixels,
        .cover = pixels && machine->tells_objects ? pixels + 2 * picture_buffer_size(machine->picture) : NULL,
        .collisions = collisions,
        .start = machine->window_start,
        .end = machine->window_end,
        .rows = p->buffers.rows,
        .hmove_blanks = machine->rom->properties.hmove_blanks,
    };
}

/* picture_draw.c */
/* Draw accesses of a log, the state being that before them. */
void picture_draw_accesses(const console *machine, tia_raster *raster, const frame_log *log,
                           const raster_target *target);
/* Draw a log that its picture follows from. */
void picture_draw_log(console *machine, frame_log *log, unsigned buffer);

/* picture_collisions.c */
/* Bring tia.now to the end of the log, which may be that of the frame. */
void picture_follow_frame(console *machine, bool frame_over);

#endif
