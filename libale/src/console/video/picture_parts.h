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
    frame_log *log = &machine->picture->log[machine->picture->latest];
    log->count = picture_logged(machine);
    return log;
}

/* Continue the latest log after its last access. */
static inline void continue_log(console *machine) {
    const frame_log *log = &machine->picture->log[machine->picture->latest];
    machine->log = (log_end){.next = log->access + log->count, .full = log->access + machine->picture->capacity};
}

/* Stop following the running frame. */
static inline void abandon(console *machine) {
    machine->picture->follower = NULL;
    rows_abandon(machine->picture->rows);
}

/* Forget everything that was learned from the logs, because these were replaced. */
static inline void forget(console *machine) {
    machine->picture->follower = NULL;
    machine->picture->drew_gray = false;
    rows_forget(machine->picture->rows);
}

/* Empty a log whose picture is drawn. */
static inline void drop_log(frame_log *log) {
    log->whole = 0;
    log->in_buffer = 1;
    log->count = 0;
}

/* Forget the saved states inside a log, because the log starts again. */
static inline void forget_states(picture *p, unsigned log) {
    p->scanned = NOT_SCANNED;
    for (int i = 0; i < CURSORS; i++)
        if (p->state[i].log == log) p->state[i].at = 0;
}

/* Return whether a finished frame does not fill its window, judging by its log. */
static inline bool is_short(const console *machine, const frame_log *log) {
    return log->whole && log->end < machine->window_end;
}

static inline unsigned log_back(const picture *p, unsigned back) { return (p->latest + LOGS - back) % LOGS; }

/* Return whether to draw whole lines instead of single pixels. */
static inline bool by_lines(const console *machine) { return machine->fast_paths & FAST_RASTER; }

/* See picture_target: here it is for each file to have inline. */
static inline raster_target target_of(const console *machine, uint8_t *pixels, uint16_t *collisions, uint16_t pairs) {
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
