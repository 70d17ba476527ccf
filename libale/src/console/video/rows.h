/* The row memory: it recognises rows that repeat an earlier frame.
 *
 * Most rows of a frame have the same accesses at the same clocks as one frame earlier (or two, if a program shows its
 * objects in alternate frames).  They also begin with the same state, except for details without effect there, such as
 * the position of an object that is switched off.  Such a row has the same pixels and collisions.  So the memory keeps
 * the state at each row's beginning, what the row depends on, and its results.  A frame is followed row by row, and
 * only rows that differ are evaluated. */
#ifndef ALE_ROWS_H
#define ALE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../support/arena.h"
#include "engine/engine.h"

/* A span: a row of the window, or the part of the frame before the first row or after the last.  What every frame needs
 * is small and contiguous here; the rest is only needed for rows that change. */
typedef struct cached_row {
    uint32_t id;           /* equal only where pixels are equal */
    uint16_t first, count; /* its accesses in the log */
    uint16_t collisions;   /* of `pairs` */
    uint16_t pairs;        /* pairs whose collisions are known */
    bool known;            /* complete: such a row may repeat */
    uint8_t shown;         /* objects that may show, as bits */
    bool analysed;         /* `depends` and `replaces` of its beginning hold */
} cached_row;

typedef struct row_beginning {
    tia_raster state;
    raster_fields depends;  /* fields that determine the row's pixels, its collisions, and its effect on other fields */
    raster_fields replaces; /* fields that the row overwrites */
} row_beginning;

/* How a state differs from that of the earlier frame at the same place. */
typedef struct row_difference {
    raster_fields raw;      /* fields that differ */
    raster_fields relevant; /* those that differ in a bit that matters */
    tia_raster now;         /* their values; of positions, the distance */
} row_difference;

/* Adjacent rows of the window that repeated.  They are passed at once if they repeat again: then the change is noted
 * here, and each row is updated only when it is needed. */
enum { ROW_GROUP = 8 };
typedef struct row_group {
    row_difference pending;     /* of all their beginnings (raw and now) */
    bool grouped;               /* all repeated last time, and the following fields are valid */
    uint8_t spared;             /* rows in which objects may have collided, if `colliding` is asked for */
    uint16_t collisions, pairs; /* as in cached_row, of the spared rows */
    uint16_t first, count;      /* accesses */
    uint64_t colliding;
    uint64_t sets; /* of objects that may show, bit n for set n */
    raster_fields depends, replaces;
} row_group;

/* The memory.  `span` says how far the latest frame is followed. */
typedef struct row_memory {
    bool following;    /* this frame is followed row by row */
    bool inside;       /* partway through `span` */
    bool expected;     /* the next frame will be drawn */
    bool drawing;      /* this frame will be drawn, so rows that are followed are drawn on the way */
    bool has_previous; /* rows from `span` on are those of the frame `period` frames earlier */
    uint32_t span;     /* the next to be followed */
    /* Statistics that decide whether following row by row pays: */
    uint16_t calls;         /* how often the latest frame was followed a bit further */
    uint16_t repeated;      /* rows */
    uint16_t spared;        /* rows that repeated in which objects may have collided */
    uint16_t undrawn;       /* frames since the last one that was drawn */
    int16_t recent;         /* decaying sum of what following gained */
    uint16_t back_off;      /* frames that will not be followed */
    uint16_t next_back_off; /* back_off of the next time */
    /* Which frame a frame is compared with: */
    uint8_t period;       /* 1: the one before, 2: the one before that */
    uint8_t trial;        /* frames for which it is still tried */
    uint16_t worth;       /* worth of the other period before the trial */
    uint16_t until_trial; /* frames to the next trial */
    uint16_t wait;        /* frames from that trial to the one after it */
    bool other_complete;  /* `other` may be compared with */
    uint32_t spans;
    uint32_t groups;
    uint32_t last_id;
    row_beginning *beginning;    /* of all spans, and the state after the last */
    cached_row *row;             /* of all spans */
    row_group *group;            /* group n: the spans from n * ROW_GROUP + 1 on */
    row_beginning *other;        /* with period 2, another table of the three, of the previous frame; NULL: none yet */
    uint32_t *shown_ids[2];      /* which rows the frame buffers hold; 0: unknown */
    uint64_t written[ROW_WORDS]; /* rows of either buffer, since rows_take_written */
    arena *arena;                /* where this lies, or NULL */
    uint32_t ids[];
} row_memory;

/* The latest frame, with the caller's logs and frame buffer. */
typedef struct row_view {
    engine *engine;
    tia_raster *now;          /* the state, as far as the frame is followed */
    const tia_access *access; /* its log */
    const tia_access *before; /* the log of the frame `period` frames earlier */
    uint32_t before_count;    /* accesses in `before` */
    unsigned buffer;          /* the latest frame's buffer */
    raster_target target;     /* the buffer's pixels, if rows are to be drawn; the pairs to be latched */
} row_view;

/* Create the memory for a window of `rows` rows.  NULL: out of memory. */
row_memory *rows_create(uint32_t rows, arena *a);
void rows_destroy(row_memory *memory);
/* Begin a frame with an empty log.  `follow`: it may be followed row by row. */
void rows_start_frame(row_memory *memory, bool follow);
/* Stop following this frame row by row. */
void rows_stop_following(row_memory *memory);
/* Begin a frame that is followed elsewhere.  This invalidates the tables, as the next frame cannot be compared with
 * this one. */
void rows_skip_frame(row_memory *memory);
/* Invalidate the tables and the buffers' rows, because the logs were replaced. */
void rows_invalidate(row_memory *memory);
/* Note that a frame is drawn, by this memory or not. */
void rows_note_drawing(row_memory *memory);
/* Return whether any of the latest frames was drawn. */
bool rows_are_watched(const row_memory *memory);
/* Announce that the next frame will be drawn. */
void rows_expect_drawing(row_memory *memory);
/* Invalidate what is known of a frame buffer, because something else writes to it. */
void rows_invalidate_buffer(row_memory *memory, unsigned buffer);
/* Get the rows of the frame buffers that were written since the last call, or all rows if this is not known. */
void rows_take_written(row_memory *memory, uint64_t written[ROW_WORDS]);
/* Advance the state from access `from` of the log to access `to`, or (frame_over) to the end of the frame, and latch
 * collisions. */
void rows_follow(row_memory *memory, const row_view *view, uint32_t from, uint32_t to, bool frame_over);
/* The same if only the latch is needed.  It may stop at an earlier access, if nothing new would be latched between that
 * and `to`.  Return the next access. */
uint32_t rows_collide(row_memory *memory, const row_view *view, uint32_t from, uint32_t to);
/* The same without latching.  It may stop at an earlier access, if nothing that `waiting` asks for collides between
 * that and `to`.  Return the next access. */
uint32_t rows_pass(row_memory *memory, const row_view *view, uint32_t from, uint32_t to, const raster_target *waiting);
/* Return whether the latest frame was followed to its end. */
bool rows_complete(const row_memory *memory);
/* Draw the latest frame, which must be complete.  `other`: the other frame buffer. */
void rows_draw(row_memory *memory, const row_view *view, const raster_target *other);

#endif
