/* Frames as an observation sees them before they are resized: gray or coloured, and two of them pooled.
 *
 * Rows of Atari pictures mostly repeat the row above, so equal rows are kept once.  Most rows are also as they
 * were in the picture shown before; which of them may not be is noted.  The planes of a colour
 * picture lie side by side in a row: 160 reds, 160 greens, 160 blues. */
#ifndef ALE_PIXELS_H
#define ALE_PIXELS_H

#include <stdbool.h>

#include "../console/console.h"
#include "../console/palette.h"
#include "resize.h"

typedef struct pixels {
    int rows, planes;             /* of the screen; 1: gray, 3: colour */
    uint16_t row_of[SCREEN_ROWS]; /* which stored row a row of the screen shows; ascending from 0 */
    uint8_t changed[SCREEN_ROWS]; /* 1: a row of the screen may differ from the picture before */
    uint8_t stored[];             /* rows of pixels_stride() bytes, and RESIZE_PADDING */
} pixels;

pixels *pixels_create(int rows, int planes); /* black; NULL: out of memory */
static inline size_t pixels_stride(const pixels *p) { return (size_t)p->planes * SCREEN_WIDTH; }
static inline size_t pixels_stored_rows(const pixels *p) { return p->row_of[p->rows - 1] + (size_t)1; }
static inline plane_rows pixels_plane(const pixels *p, int plane) {
    return (plane_rows){p->stored + plane * SCREEN_WIDTH, pixels_stride(p), p->row_of};
}

void pixels_copy(pixels *p, const pixels *source); /* of as many rows and planes */

/* Show a screen of palette indices.  `scratch` has pixels_scratch() bytes. */
void pixels_show(pixels *p, const palette *colors, const uint8_t *screen, void *scratch);
/* Show the brighter of two, byte by byte. */
void pixels_show_brighter(pixels *p, const palette *colors, const uint8_t *screen, const uint8_t *other,
                          void *scratch);
static inline size_t pixels_scratch(const pixels *p) { return (size_t)p->rows * pixels_stride(p); }
/* Let a screen shine through where it is brighter. */
void pixels_pool(pixels *p, const palette *colors, const uint8_t *screen);

#endif
