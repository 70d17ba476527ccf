/* The raster: makes pixels and collisions out of a log of TIA accesses. */
#ifndef ALE_RASTER_H
#define ALE_RASTER_H

#include <stddef.h>

#include "rows.h"
#include "tia.h"

struct console;

enum { LOG_CAPACITY = 2560, LOGS = 3, COLLISIONS = 15, ALL_PAIRS = (1 << COLLISIONS) - 1 };

/* A logged access: time in cycles << 16 | register << 8 | value.  Later times than LATEST_ACCESS, all of them
 * long after the window, count as that one. */
typedef uint32_t tia_access;
enum { LATEST_ACCESS = 0xFFFF };
static inline tia_access tia_access_make(uint32_t time, unsigned reg, uint8_t value) {
    return (time < LATEST_ACCESS ? time : LATEST_ACCESS) << 16 | reg << 8 | value;
}
static inline uint32_t access_clock(tia_access access) { return 3 * (access >> 16); }
static inline unsigned access_reg(tia_access access) { return (access >> 8) & 0xFF; }
static inline uint8_t access_value(tia_access access) { return (uint8_t)access; }

/* One frame's accesses. */
typedef struct frame_log {
    tia_raster start; /* before the first of them */
    uint32_t count;
    uint8_t whole;     /* the picture follows from this log alone: it starts with the frame, and once the
                          frame is over it covers the whole window */
    uint8_t in_buffer; /* the picture as far as logged is in the frame buffer */
    uint8_t reserved[2];
    tia_access access[LOG_CAPACITY];
} frame_log;

/* Collisions are evaluated when the program reads them.  The pairs it has read before are kept apart from
 * those it never looked at, which are mostly forgotten (CXCLR) before they need be known. */
enum { SEEN_PAIRS, UNSEEN_PAIRS, CURSORS };

/* How far the collisions of some pairs are evaluated. */
typedef struct collision_cursor {
    uint32_t index; /* first access of `log` not yet evaluated */
    uint16_t pairs; /* bits of the collision latch */
    uint8_t log;
    uint8_t reserved;
} collision_cursor;

/* Where drawing goes. */
typedef struct raster_target {
    uint8_t *pixels;      /* frame buffer, or NULL */
    uint16_t *collisions; /* latch, or NULL; one of the two is wanted at a time */
    uint16_t pairs;       /* bits of the latch that are wanted */
    uint8_t objects;      /* of those pairs, or more */
    uint64_t colliding;   /* bit n: the set of objects n has one of those pairs, or more */
    size_t latch_step;    /* bytes from one row's latch to the next one's; 0: one latch for all */
    uint32_t start, end;  /* the window's clocks */
    uint32_t rows;        /* of the frame buffer */
    bool hmove_blanks;
    bool by_lines; /* use the line-at-a-time path for complete rows */
} raster_target;

/* Logs of the last three frames, pixels of the last two.  The buffer of a new frame still holds the frame
 * before last, which shows where the new one ends early; hence the third log. */
typedef struct picture {
    frame_log log[LOGS];
    collision_cursor cursor[CURSORS];
    uint32_t followed;    /* accesses of the latest log that tia.now has seen */
    uint16_t pairs_read;  /* by the program, so far */
    raster_target wanted; /* for collisions: the pairs asked for last, their objects and sets */
    uint8_t latest;       /* log of the running or latest frame */
    uint8_t buffer;       /* its frame buffer */
    row_memory *rows;     /* what the latest frame was like, row by row */
    uint8_t pixels[];     /* two buffers of picture_buffer_size() bytes */
} picture;

size_t picture_buffer_size(const struct console *machine);
static inline uint8_t *picture_pixels(picture *p, size_t size, unsigned buffer) {
    return p->pixels + buffer * size;
}

/* Clocks that an access draws ahead with the old state. */
enum { DELAY_VARIES = 0xFF };
extern const uint8_t raster_delays[TIA_READ + 1];
unsigned raster_varying_delay(const tia_raster *raster, unsigned reg, uint32_t clock);
static inline unsigned raster_delay(const tia_raster *raster, unsigned reg, uint32_t clock) {
    unsigned delay = raster_delays[reg <= TIA_READ ? reg : TIA_READ];
    return delay == DELAY_VARIES ? raster_varying_delay(raster, reg, clock) : delay;
}
/* The change of state that a write makes. */
void raster_apply(tia_raster *raster, unsigned reg, uint8_t value, uint32_t clock, bool hmove_blanks);
/* What the end of a row does to the state. */
void raster_end_of_row(tia_raster *raster);
/* Follow a log: the state alone, and with pixels or collisions. */
void raster_follow(tia_raster *raster, const tia_access *access, uint32_t count, const raster_target *target);
/* The state up to the clock `until`, which is after all the accesses. */
void raster_follow_to(tia_raster *raster, const tia_access *access, uint32_t count, uint32_t until,
                      const raster_target *target);
void raster_run(tia_raster *raster, const tia_access *access, uint32_t count, const raster_target *target);
/* The HMOVE blank ends with the eighth pixel of a row, if that lies between two clocks. */
void raster_end_blank(tia_raster *raster, uint32_t from, uint32_t to);
/* The same a line at a time: pixels, as far as rows are surely complete, and how many accesses that were; and
 * collisions. */
uint32_t lines_draw(tia_raster *raster, const tia_access *access, uint32_t count,
                    const raster_target *target);
void lines_collide(tia_raster *raster, const tia_access *access, uint32_t count, const raster_target *target);
/* The same for complete rows, up to the clock `until`. */
void lines_draw_rows(tia_raster *raster, const tia_access *access, uint32_t count, uint32_t until,
                     const raster_target *target);
void lines_collide_rows(tia_raster *raster, const tia_access *access, uint32_t count, uint32_t until,
                        const raster_target *target);
/* Find target.objects and target.colliding. */
void lines_set_pairs(raster_target *target, uint16_t pairs);
void raster_advance(tia_raster *raster, uint32_t clock, const raster_target *target);

/* Of the console's picture, for pixels or for the collisions of some pairs that are not latched yet. */
raster_target picture_target(const struct console *machine, uint8_t *pixels, uint16_t *collisions,
                             uint16_t pairs);
/* The latest frame, or the one before it, brought into its buffer. */
const uint8_t *picture_show(struct console *machine, bool previous);
/* Whether the running frame fills its window already. */
static inline bool picture_is_whole(const picture *p, uint32_t window_end) {
    const frame_log *log = &p->log[p->latest];
    return log->count && access_clock(log->access[log->count - 1]) >= window_end;
}
/* Bring tia.now to the end of the log. */
void picture_follow(struct console *machine, bool frame_over);
/* Bring the running frame's picture up to date and start its log afresh. */
void picture_flush(struct console *machine);
/* Bring some bits of the collision latch up to now. */
void picture_collide(struct console *machine, uint16_t pairs);
/* The same for a read by the program, which tells what it is interested in. */
void picture_read_collisions(struct console *machine, uint16_t pairs);
/* The log before the latest two is about to be reused: evaluate what still waits in it. */
void picture_retire_log(struct console *machine, unsigned log);
/* Forget collisions up to now (CXCLR). */
void picture_forget_collisions(struct console *machine);

#endif
