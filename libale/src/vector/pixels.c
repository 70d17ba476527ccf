/* Conversion and pooling of screens, row by row. */
#include "pixels.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PLANES = 3 };

pixels *pixels_create(int rows, int planes) {
    size_t bytes = (size_t)rows * (size_t)planes * SCREEN_WIDTH + RESIZE_PADDING;
    pixels *p = calloc(1, sizeof *p + bytes);
    if (!p) return NULL;
    p->rows = rows;
    p->planes = planes;
    return p;
}

void pixels_copy(pixels *p, const pixels *source) {
    memcpy(p->row_of, source->row_of, (size_t)p->rows * sizeof *p->row_of);
    memcpy(p->stored, source->stored, pixels_stored_rows(source) * pixels_stride(source));
}

static bool same_row(const uint8_t *a, const uint8_t *b) {
    uint64_t difference = 0;
    for (int i = 0; i < SCREEN_WIDTH; i += 8) {
        uint64_t x, y;
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, b + i, sizeof y);
        difference |= x ^ y;
    }
    return difference == 0;
}

static void convert_row(const pixels *p, const palette *colors, const uint8_t *indices, uint8_t *row) {
    if (p->planes == 1) {
        palette_to_gray(colors, indices, SCREEN_WIDTH, row);
        return;
    }
    for (int plane = 0; plane < p->planes; plane++, row += SCREEN_WIDTH)
        for (int x = 0; x < SCREEN_WIDTH; x++) row[x] = colors->rgb[indices[x]][plane];
}

static void brighten(uint8_t *restrict row, const uint8_t *restrict other, size_t size) {
    for (size_t i = 0; i < size; i++) row[i] = row[i] > other[i] ? row[i] : other[i];
}

/* Note where the picture differs from the one before.  Of rows that repeat the one above in both of them one is
 * compared. */
static void find_changes(pixels *p, const uint16_t *row_before, const uint8_t *before) {
    const size_t stride = pixels_stride(p);
    bool changed = true;
    for (int y = 0; y < p->rows; y++) {
        const size_t now = p->row_of[y], then = row_before[y];
        if (y == 0 || now != p->row_of[y - 1] || then != row_before[y - 1])
            changed = memcmp(p->stored + now * stride, before + then * stride, stride) != 0;
        p->changed[y] = changed;
    }
}

void pixels_show(pixels *p, const palette *colors, const uint8_t *screen, void *scratch) {
    pixels_show_brighter(p, colors, screen, screen, scratch);
}

void pixels_show_brighter(pixels *p, const palette *colors, const uint8_t *screen, const uint8_t *other,
                          void *scratch) {
    const size_t stride = pixels_stride(p);
    uint8_t converted[MOST_PLANES * SCREEN_WIDTH];
    uint16_t row_before[SCREEN_ROWS];
    memcpy(row_before, p->row_of, (size_t)p->rows * sizeof *row_before);
    memcpy(scratch, p->stored, pixels_stored_rows(p) * stride);
    uint8_t *row = p->stored;
    for (int y = 0; y < p->rows; y++, screen += SCREEN_WIDTH, other += SCREEN_WIDTH) {
        if (y > 0) {
            p->row_of[y] = p->row_of[y - 1];
            bool repeats = same_row(screen, screen - SCREEN_WIDTH) &&
                           (screen == other || same_row(other, other - SCREEN_WIDTH));
            if (repeats) continue;
            p->row_of[y]++;
            row += stride;
        }
        convert_row(p, colors, screen, row);
        if (screen == other || same_row(screen, other)) continue;
        convert_row(p, colors, other, converted);
        brighten(row, converted, stride);
    }
    find_changes(p, row_before, scratch);
}

void pixels_pool(pixels *p, const palette *colors, const uint8_t *screen) {
    const size_t stride = pixels_stride(p);
    uint8_t converted[MOST_PLANES * SCREEN_WIDTH];
    for (int y = p->rows - 1; y >= 0; y--) { /* a row is stored no further down than it is shown */
        uint8_t *row = p->stored + (size_t)y * stride;
        memmove(row, p->stored + p->row_of[y] * stride, stride);
        p->row_of[y] = (uint16_t)y;
        convert_row(p, colors, screen + y * SCREEN_WIDTH, converted);
        brighten(row, converted, stride);
    }
    memset(p->changed, 1, (size_t)p->rows);
}
