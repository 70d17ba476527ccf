/* The picture: it decides when logs are turned into pixels and collisions.
 *
 * The CPU appends to the latest log.  The console has that log's end (access_log.h). */
#ifndef ALE_PICTURE_H
#define ALE_PICTURE_H

#include "../machine.h"
#include "engine/engine.h"
#include "rows.h"

enum { LOGS = 3 };

/* One frame's accesses. */
typedef struct frame_log {
    tia_raster start;  /* before the first of them */
    uint32_t count;    /* stale for the latest log while the CPU runs; use picture_logged */
    uint32_t end;      /* once the frame is over: the clock up to which it fills its window */
    uint32_t reach;    /* once the frame is over: drawing it changes no pixels from this clock on */
    uint8_t whole;     /* the picture up to `end` follows from this log alone, which starts with the frame */
    uint8_t in_buffer; /* the picture as far as logged is in the frame buffer */
    uint8_t reserved[2];
    tia_access *access;
} frame_log;

/* The logs of the last three frames.  The picture has pixels of the last two only, but the buffer of a new frame still
 * holds the frame before last, which shows where the new one ends early; hence the third log. */
typedef struct frame_logs {
    frame_log frame[LOGS];
    tia_access *memory;  /* of all three */
    tia_access *reserve; /* in an arena: memory for the longest logs, whose pages are not used until they are needed */
    uint32_t capacity;   /* of each log, at most LOG_CAPACITY */
    uint8_t latest;      /* the log of the running or latest frame */
} frame_logs;

/* Collisions are evaluated when the program reads them.  Pairs that it has read before have a cursor of their own,
 * because the other pairs are mostly cleared (CXCLR) before anything needs them. */
enum { SEEN_PAIRS, UNSEEN_PAIRS, CURSORS };

/* How far the collisions of some pairs are evaluated. */
typedef struct collision_cursor {
    uint32_t index; /* first access of `log` not yet evaluated */
    uint16_t pairs; /* bits of the collision latch */
    uint8_t log;
    uint8_t reserved;
} collision_cursor;

/* The state after the last evaluated access of a log, if that was not tia.now.  The next evaluation continues
 * from it. */
typedef struct cursor_state {
    tia_raster raster;
    uint32_t at; /* accesses of `log` followed; 0: none */
    uint32_t log;
} cursor_state;

typedef struct frame_collisions {
    collision_cursor cursor[CURSORS];
    cursor_state state[CURSORS];
    raster_target wanted; /* the pairs asked for last, and the sets of objects that have one of them */
    uint16_t pairs_read;  /* by the program, so far */
} frame_collisions;

enum { NOT_SCANNED = UINT16_MAX };

/* Which objects may have shown since the collisions of some pairs were right: evaluated, or cleared. */
typedef struct object_scan {
    uint32_t scanned; /* accesses of the latest log that are taken into account; NOT_SCANNED: this is not known */
    uint16_t pairs;
    uint8_t may_show; /* objects, as bits */
} object_scan;

/* Following the latest frame: tia.now advances through its log. */
typedef struct frame_following {
    const struct follower *follower; /* NULL: none, or no longer */
    uint32_t followed;               /* accesses of the latest log that tia.now has seen */
    uint32_t engine_at;              /* the access of the latest log from which the engine can continue */
    gray_target expected;            /* where to draw the next frame in gray */
    gray_target drawing;             /* where to draw this frame in gray */
    bool drew_gray;                  /* the announced gray frame was drawn completely */
    bool by_engine;                  /* the engine follows frames, and the row memory does not */
} frame_following;

/* The pixels of the last two frames. */
typedef struct frame_buffers {
    uint8_t *pixels; /* two buffers of picture_buffer_size() bytes; if objects are recorded, then two of what covers
                        each pixel */
    uint32_t rows;   /* the window's, and black ones below it */
    uint8_t latest;  /* the buffer of the running or latest frame */
    bool black;      /* all of `pixels` is 0; they may take up no memory yet */
} frame_buffers;

typedef struct picture {
    arena *arena;     /* owns this memory, or NULL */
    engine *engine;
    row_memory *rows; /* what the latest frame was like, row by row */
    frame_logs logs;
    frame_collisions collisions;
    object_scan scan;
    frame_following following;
    frame_buffers buffers;
} picture;

/* Create a picture.  `log_room`: initial room of a log, in accesses, if the console has an arena.  NULL: out of
 * memory. */
picture *picture_create(const console *machine, uint32_t screen_rows, uint32_t log_room);
void picture_destroy(picture *p);
static inline size_t picture_buffer_size(const picture *p) { return (size_t)p->buffers.rows * SCREEN_WIDTH; }
static inline uint8_t *picture_pixels(const picture *p, unsigned buffer) {
    return p->buffers.pixels + buffer * picture_buffer_size(p);
}

/* Return the objects that cover each pixel of a buffer: bit n for object n; 0 where the picture is blank.  NULL: the
 * console does not record objects. */
uint8_t *picture_cover(const console *machine, unsigned buffer);

/* Return the number of accesses in the latest log. */
static inline uint32_t picture_logged(const console *machine) {
    const picture *p = machine->picture;
    return (uint32_t)(machine->log.next - p->logs.frame[p->logs.latest].access);
}
/* Grow the logs, which invalidates pointers into them.  False: out of memory, or more than LOG_CAPACITY; nothing
 * changed. */
bool picture_make_room(console *machine, uint32_t accesses);

/* Black, with nothing logged. */
void picture_reset(console *machine);
/* Evaluate what still waits in the log that the next frame reuses. */
void picture_retire_log(console *machine);
/* Prepare for a snapshot, which has no room for that log, and holds another log only if its frame fills the window:
 * draw all others. */
void picture_flush_logs(console *machine);
/* Begin a frame with the state tia.now, whose clocks must count from the new frame's line 0. */
void picture_start_frame(console *machine);
/* Begin the running frame again, with the state tia.now and the cursors of its beginning. */
void picture_restart_frame(console *machine, const collision_cursor cursor[CURSORS]);
/* End a run of the CPU: bring tia.now to its end, and draw what cannot be drawn from the log later. */
void picture_end_run(console *machine);
/* Dim to gray what the unfinished frame has not drawn from a row on. */
void picture_gray(console *machine, uint32_t first_row);

/* Log an access of this moment. */
void picture_log(console *machine, unsigned reg, uint8_t value);
/* Apply a write whose clock is too late for the log.  The picture is complete by then, so only the state changes. */
void picture_apply_late(console *machine, unsigned reg, uint8_t value, uint32_t clock);
/* Return whether pixels before this clock are neither drawn nor covered by the log. */
bool picture_is_behind(const console *machine, uint32_t clock);
/* Bring the running frame's picture up to date and start its log afresh. */
void picture_flush(console *machine);
/* Bring tia.now to the end of the log. */
void picture_follow(console *machine);
/* Draw the latest frame, or the one before it, and return its buffer. */
const uint8_t *picture_show(console *machine, bool previous);
/* Get the log of the latest frame, or of the one before it.  False: the log does not make up the whole picture. */
bool picture_view(const console *machine, bool previous, frame_view *view);
/* Draw the latest frame, and the objects that cover each pixel, elsewhere; rows below a short frame are left alone.
 * False: the log does not make up the frame. */
bool picture_draw_objects(const console *machine, uint8_t *pixels, uint8_t *cover);
/* Draw a frame of this console's window in gray.  False: some rows were not drawn. */
bool picture_draw_gray(const console *machine, const frame_view *frame, const gray_target *to);

/* Bring some bits of the collision latch up to now. */
void picture_collide(console *machine, uint16_t pairs);
/* The same for a read by the program.  This records that the program reads these pairs. */
void picture_read_collisions(console *machine, uint16_t pairs);
/* Return whether the log alone proves that none of the pairs collided since collisions were cleared. */
bool picture_surely_apart(console *machine, uint16_t pairs);
/* Clear the collision latch (CXCLR). */
void picture_clear_collisions(console *machine);

/* Return a target in the console's picture, for pixels, or for those of the pairs that are not latched yet. */
raster_target picture_target(const console *machine, uint8_t *pixels, uint16_t *collisions,
                             uint16_t pairs);

/* Snapshots: the collision cursors and the pictures of the last two frames, as logs where these make up the
 * whole picture, else as pixels. */
typedef struct saved_picture { /* then a saved_log of each frame, the latest first */
    uint8_t buffer;
    uint8_t back[CURSORS]; /* which of the two logs a cursor is in: 0 latest, 1 the one before */
    uint8_t reserved[5];
    collision_cursor cursor[CURSORS];
} saved_picture;

typedef struct saved_log { /* then its accesses, and unless it is whole the picture's pixels */
    tia_raster start; /* 0 unless it is whole: then nothing follows from it */
    uint32_t count;
    uint8_t whole;
    uint8_t covered; /* and what covers them */
    uint8_t reserved[2];
} saved_log;

size_t picture_saved_size(const console *machine); /* of this moment's; at most picture_saved_limit */
size_t picture_saved_limit(const console *machine);
void picture_save(const console *machine, uint8_t *to);
extern const invariant picture_invariants[], cursor_invariants[], log_invariants[]; /* each without nested structs */
/* Return the first invalid field of bytes from outside, or NULL (support/invariants.h).  `s` must be valid. */
const char *picture_invalid_field(const console *machine, const machine_state *s, const uint8_t *from,
                                  size_t size);
/* Restore from valid bytes, or from those that this process saved.  First make room (false: out of memory).  Then
 * restore tia.now, then the picture. */
bool picture_make_room_for(console *machine, const uint8_t *from);
void picture_restore(console *machine, const uint8_t *from);
/* The same from console to console.  The source must be flushed. */
void picture_copy(console *machine, const console *source);

#endif
