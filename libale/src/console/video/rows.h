/* Rows that repeat an earlier frame.
 *
 * Most rows of a frame see the same accesses at the same clocks as they did one frame earlier (two, where a
 * program shows its objects in turns), and begin with the same state but for a few things that do not show
 * there, as the place of an object that is switched off.  Such a row has the same pixels and collisions.  So
 * each row is kept with the state it began with, what it depends on and what came of it; a frame is then
 * followed row by row, and evaluated only where it differs.
 */
#ifndef ALE_ROWS_H
#define ALE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../support/arena.h"
#include "engine/engine.h"

/* A row of the window; also the part of the frame before the first row, and the part after the last.  What is
 * looked at in every frame is small and lies together; the rest is touched where rows change. */
typedef struct cached_row {
    uint32_t id;           /* equal only where pixels are equal */
    uint16_t first, count; /* its accesses in the log */
    uint16_t collisions;   /* of `pairs` */
    uint16_t pairs;        /* whose collisions are known */
    bool known;            /* complete: such a row may repeat */
    uint8_t shown;         /* objects that may show, as bits */
    bool analysed;         /* `depends` and `replaces` of its beginning hold */
} cached_row;

typedef struct row_beginning {
    tia_raster state;
    raster_fields depends;  /* what pixels, collisions and other fields of the state follow from */
    raster_fields replaces; /* what the row overwrites */
} row_beginning;

/* How a state differs from that of the earlier frame at the same place. */
typedef struct row_difference {
    raster_fields raw;      /* fields that differ */
    raster_fields relevant; /* those that differ in a bit that matters */
    tia_raster now;         /* their values; of positions, the distance */
} row_difference;

/* Some rows of the window, one below the other, that repeated and are passed at once where they do again.
 * Then what is new of them is noted here, and each row is brought up to date when somebody looks at it. */
enum { ROW_GROUP = 8 };
typedef struct row_group {
    row_difference pending;     /* of all their beginnings (raw and now) */
    bool grouped;                  /* they repeated when they were seen last, and the following hold */
    uint8_t spared;             /* rows in which objects may have collided, if `colliding` is asked for: */
    uint16_t collisions, pairs; /* as in cached_row, of those rows */
    uint16_t first, count;      /* accesses */
    uint64_t colliding;
    uint64_t sets; /* of objects that may show, bit n for set n */
    raster_fields depends, replaces;
} row_group;

/* How far the latest frame is followed; spans are the rows and the two parts around them. */
typedef struct row_memory {
    bool following;    /* this frame is followed row by row */
    bool inside;       /* partway through `span` */
    bool expected;     /* the next frame will be drawn, */
    bool drawing;      /* this one, too: rows that are followed are drawn on the way */
    bool has_previous; /* rows from `span` on are those of the frame `period` frames earlier */
    uint32_t span;     /* the next to be followed */
    /* Whether it pays, as seen in the latest frame: */
    uint16_t calls;         /* how often it was followed a bit further */
    uint16_t repeated;      /* rows */
    uint16_t spared;        /* rows that repeated in which objects may have collided */
    uint16_t undrawn;       /* frames since the last one that was drawn */
    int16_t recent;         /* what it gained lately */
    uint16_t back_off;      /* frames to go without */
    uint16_t next_back_off; /* how many it will be next time */
    /* Which frame a frame is compared with: */
    uint8_t period;       /* 1: the one before, 2: the one before that */
    uint8_t trial;        /* frames for which it is still tried */
    uint16_t worth;       /* of the other period, before the trial */
    uint16_t until_trial; /* frames to the next, */
    uint16_t wait;        /* and from that one to the next */
    bool other_complete;  /* `other` may be compared with */
    uint32_t spans;
    uint32_t groups;
    uint32_t last_id;
    row_beginning *beginning;    /* of all spans, and the state after the last */
    cached_row *row;             /* of all spans */
    row_group *group;            /* group n: the spans from n * ROW_GROUP + 1 on */
    row_beginning *other;        /* a table of the three, of the frame before, with period 2; NULL: none yet */
    uint32_t *shown_ids[2];      /* which rows the frame buffers hold; 0: unknown */
    uint64_t written[ROW_WORDS]; /* rows of either buffer, since rows_take_written */
    arena *arena;                /* where this lies, or NULL */
    uint32_t ids[];
} row_memory;

/* The latest frame, as the owner of the logs and of the frame buffers has it. */
typedef struct row_view {
    engine *engine;
    tia_raster *now;          /* the state, as far as the frame is followed */
    const tia_access *access; /* its log */
    const tia_access *before; /* that of the frame `period` frames earlier, */
    uint32_t before_count;    /* and how many accesses it has */
    unsigned buffer;          /* its frame buffer, */
    raster_target target;     /* whose pixels these are, if rows are to be drawn; the pairs to be latched */
} row_view;

/* For a window of so many rows.  NULL: out of memory. */
row_memory *rows_create(uint32_t rows, arena *a);
void rows_destroy(row_memory *memory);
/* A frame begins, with an empty log; `follow`: it may be followed row by row. */
void rows_start_frame(row_memory *memory, bool follow);
/* This frame is not followed row by row, or no further. */
void rows_abandon(row_memory *memory);
/* A frame begins that others follow: the rows' tables are no more of the frames before the next. */
void rows_skip_frame(row_memory *memory);
/* The logs are no more those that the rows' memory is about. */
void rows_forget(row_memory *memory);
/* A frame is being drawn, by whatever way. */
void rows_note_drawing(row_memory *memory);
/* Whether the latest frames that this memory might have followed had one that was. */
bool rows_are_watched(const row_memory *memory);
/* The next frame that begins will be drawn. */
void rows_expect_drawing(row_memory *memory);
/* A frame buffer gets pixels of other origin. */
void rows_forget_buffer(row_memory *memory, unsigned buffer);
/* Rows of the frame buffers that were written since the last call; where it is not known which, all. */
void rows_take_written(row_memory *memory, uint64_t written[ROW_WORDS]);
/* Bring the state from access `from` of the log to access `to`, or (frame_over) to the end of the frame, latching
 * collisions. */
void rows_follow(row_memory *memory, const row_view *view, uint32_t from, uint32_t to, bool frame_over);
/* The same where only the latch is wanted: it may stop before an earlier access, from which on nothing new is
 * latched up to `to`.  Return the next access. */
uint32_t rows_collide(row_memory *memory, const row_view *view, uint32_t from, uint32_t to);
/* The same where nothing is latched before `to`: it may stop before an earlier access, from which on nothing that
 * `waiting` wants collides. */
uint32_t rows_pass(row_memory *memory, const row_view *view, uint32_t from, uint32_t to, const raster_target *waiting);
/* Whether the latest frame was followed to its end. */
bool rows_complete(const row_memory *memory);
/* Draw the latest frame, which is complete; `other`: the other frame buffer. */
void rows_draw(row_memory *memory, const row_view *view, const raster_target *other);

#endif
