/* Pictures before they are resized: one frame, or two frames pooled.
 *
 * Most rows of an Atari picture repeat the row above, so equal rows are stored once.  Most rows also equal those of the
 * previous picture.  If it is known which rows of the screens were written since, only those are converted, and the
 * rows that may differ are marked.
 *
 * The planes of a colour picture are side by side in a row: 160 reds, 160 greens, 160 blues. */
#ifndef ALE_POOLING_H
#define ALE_POOLING_H

#include "../../environment/environment.h"
#include "resize.h"

struct pooled_picture;

/* What an ale_observation is made of (observer.c). */
typedef struct observer {
    /* A picture: */
    int planes; /* 0: bytes */
    const uint8_t *(*screen)(ale_env *env, bool previous);                       /* the latest, or the one before */
    void (*convert)(const coloring *colors, const uint8_t *row, uint8_t *planes); /* a row's, side by side */
    void (*pool)(uint8_t *restrict planes, const uint8_t *restrict other, size_t size);
    int channels; /* of a pixel that is observed */
    /* A channel, to be resized; scratch: padded screen. */
    plane_rows (*channel)(const struct pooled_picture *p, int n, uint8_t *scratch);
    bool objects; /* the environment must tell objects */
    /* Bytes: */
    size_t (*size)(const ale_env *env);
    void (*write)(const ale_env *env, uint8_t *to);
    bool numbers; /* they are of 32 bits each */
} observer;

enum { MOST_PLANES = 3 };

typedef struct pooled_picture {
    const observer *observer;     /* of pictures */
    int rows;                     /* of the screen */
    const uint8_t *shown[2];      /* the screens that the picture shows; NULL: they cannot be recognised */
    uint16_t row_of[SCREEN_ROWS]; /* stored row that a row of the screen shows: its own, or that of the one above */
    uint8_t changed[SCREEN_ROWS]; /* 1: a row of the screen may differ from the picture before */
    arena *arena;                 /* where this lies, or NULL */
    uint8_t *stored;              /* rows of pooled_stride() bytes, and RESIZE_PADDING */
} pooled_picture;

/* All 0, in an arena or (NULL) by itself.  NULL: out of memory. */
pooled_picture *pooled_create(int rows, const observer *of, arena *a);
void pooled_destroy(pooled_picture *p);
static inline size_t pooled_stride(const pooled_picture *p) { return (size_t)p->observer->planes * SCREEN_WIDTH; }
static inline plane_rows pooled_plane(const pooled_picture *p, int plane) {
    return (plane_rows){p->stored + plane * SCREEN_WIDTH, pooled_stride(p), p->row_of};
}

/* Show two screens pooled, or one screen that is given twice.  `written`: a bit for each row that was written in either
 * screen since the last call, which counts if that call was for the same two screens.  NULL: an address does not
 * identify its screen, because the memory is reused. */
void pooled_show(pooled_picture *p, const coloring *colors, const uint8_t *screen, const uint8_t *other,
                 const uint64_t *written);
/* Pool a further screen with what is shown. */
void pooled_add(pooled_picture *p, const coloring *colors, const uint8_t *screen);

/* Show a finished picture: rows of pooled_stride() bytes, each `stride` bytes after the one before. */
void pooled_take(pooled_picture *p, const uint8_t *rows, size_t stride);

void pooled_copy(pooled_picture *p, const pooled_picture *source); /* of the same observer and as many rows */

/* As bytes: numbers of rows that differ from the one above, counted from 0, then these rows. */
size_t pooled_save(const pooled_picture *p, uint8_t *rows, uint8_t *bytes); /* the latter's size; both may be NULL */
void pooled_restore(pooled_picture *p, const uint8_t *rows, const uint8_t *bytes);

#endif
