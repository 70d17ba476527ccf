/* Resizing of pictures, equal to the last bit to OpenCV's INTER_AREA (x86-64, no fused multiply-add).
 *
 *     resizer *r = resizer_create(210, 160, NULL, 84, 84);
 *     resizer_run(r, rows, NULL, scratch, out, 1);     scratch: resizer_scratch(r) bytes
 *
 * A resizer never changes and may be used by many threads at once, each with its own scratch memory. */
#ifndef ALE_RESIZE_H
#define ALE_RESIZE_H

#include <stddef.h>
#include <stdint.h>

#include "resize_rows.h"

enum {
    RESIZE_PADDING = 32 /* readable bytes after the last row: it is read in groups */
};

typedef struct resizer resizer;

/* One plane of a picture, a byte a pixel.  A row that equals the one above is stored once: picture row y is
 * stored row row_of[y], where row_of[0] is 0 and no other one is less than the one before it or more than y. */
typedef struct plane_rows {
    const uint8_t *pixels;
    size_t stride; /* from one stored row to the next */
    const uint16_t *row_of;
} plane_rows;

/* Rows and columns that are left out before a picture is resized. */
typedef struct resize_crop {
    int top, bottom, left, right;
} resize_crop;

/* `crop` NULL: resize all of the picture.  NULL: out of memory.  All sizes are at least 1, also of what is left. */
resizer *resizer_create(int height, int width, const resize_crop *crop, int target_height, int target_width);
void resizer_destroy(resizer *r);
/* Use other loops than the best ones; results do not depend on them. */
void resizer_use(resizer *r, const row_loops *loops);
size_t resizer_scratch(const resizer *r);
/* Which target rows (kept[y] becomes 1) are made of rows of the source that are all not marked as changed. */
void resizer_keep(const resizer *r, const uint8_t *changed, uint8_t *kept);
/* Write each pixel `step` bytes after the one before it.  Rows that are marked as kept are left out; `kept` NULL:
 * none is. */
void resizer_run(const resizer *r, plane_rows source, const uint8_t *kept, void *scratch, uint8_t *out,
                 size_t step);

#endif
