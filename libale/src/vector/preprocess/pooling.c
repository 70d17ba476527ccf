/* Conversion and pooling of screens, row by row. */
#include "pooling.h"

#include <string.h>

pooled_picture *pooled_create(int rows, const observer *of, arena *a) {
    const size_t bytes = (size_t)rows * (size_t)of->planes * SCREEN_WIDTH + RESIZE_PADDING;
    pooled_picture *p = arena_take(a, sizeof *p, ARENA_DENSE);
    if (!p) return NULL;
    p->rows = rows;
    p->observer = of;
    p->arena = a;
    p->stored = arena_take(a, bytes, ARENA_SPARSE);
    if (p->stored) return p;
    pooled_destroy(p);
    return NULL;
}

void pooled_destroy(pooled_picture *p) {
    if (!p) return;
    arena_release(p->arena, p->stored);
    arena_release(p->arena, p);
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

/* Rows are looked at from the last to the first.  A stored row is overwritten when the rows below it, which may
 * have shown it, were compared with what they showed. */
enum { CHANGED = 1, REPEATS_STILL, REPEATS_NOW }; /* marks of a row while it is compared */

static uint8_t show_row(pooled_picture *p, const coloring *colors, const uint8_t *screen, const uint8_t *other, int y) {
    const size_t stride = pooled_stride(p);
    const uint8_t *row = screen + y * SCREEN_WIDTH, *other_row = other + y * SCREEN_WIDTH;
    uint8_t shown[MOST_PLANES * SCREEN_WIDTH], others[MOST_PLANES * SCREEN_WIDTH];
    if (y > 0 && same_row(row, row - SCREEN_WIDTH) &&
        (screen == other || same_row(other_row, other_row - SCREEN_WIDTH)))
        return p->row_of[y] == y ? REPEATS_NOW : REPEATS_STILL;
    p->observer->convert(colors, row, shown);
    if (screen != other && !same_row(row, other_row)) {
        p->observer->convert(colors, other_row, others);
        p->observer->pool(shown, others, stride);
    }
    const bool changed = memcmp(p->stored + p->row_of[y] * stride, shown, stride) != 0;
    if (changed || p->row_of[y] != y) memcpy(p->stored + (size_t)y * stride, shown, stride);
    p->row_of[y] = (uint16_t)y;
    return changed ? CHANGED : 0;
}

/* Map each row that repeats to the stored row. */
static void link_rows(pooled_picture *p) {
    const size_t stride = pooled_stride(p);
    for (int y = 1; y < p->rows; y++) {
        const uint8_t mark = p->changed[y];
        if (mark < REPEATS_STILL && p->row_of[y] == y) continue;
        p->row_of[y] = p->row_of[y - 1];
        if (mark == REPEATS_STILL) p->changed[y] = p->changed[y - 1];
        if (mark == REPEATS_NOW)
            p->changed[y] = memcmp(p->stored + (size_t)y * stride, p->stored + p->row_of[y] * stride, stride) != 0;
    }
}

void pooled_show(pooled_picture *p, const coloring *colors, const uint8_t *screen, const uint8_t *other,
                 const uint64_t *written) {
    const bool recognised = written && ((p->shown[0] == screen && p->shown[1] == other) ||
                                   (p->shown[0] == other && p->shown[1] == screen));
    memset(p->changed, 0, sizeof p->changed);
    p->shown[0] = written ? screen : NULL;
    p->shown[1] = written ? other : NULL;
    for (int word = ROW_WORDS - 1; word >= 0; word--) {
        /* A row is also shown again if the one above was written, because it may have repeated that row. */
        uint64_t left = UINT64_MAX;
        if (recognised) left = written[word] | written[word] << 1 | (word ? written[word - 1] >> 63 : 0);
        while (left) {
            const int bit = 63 - __builtin_clzll(left), y = 64 * word + bit;
            left ^= UINT64_C(1) << bit;
            if (y < p->rows) p->changed[y] = show_row(p, colors, screen, other, y);
        }
    }
    link_rows(p);
}

void pooled_add(pooled_picture *p, const coloring *colors, const uint8_t *screen) {
    const size_t stride = pooled_stride(p);
    uint8_t converted[MOST_PLANES * SCREEN_WIDTH];
    for (int y = p->rows - 1; y >= 0; y--) { /* a row is stored no further down than it is shown */
        uint8_t *row = p->stored + (size_t)y * stride;
        memmove(row, p->stored + p->row_of[y] * stride, stride);
        p->row_of[y] = (uint16_t)y;
        p->observer->convert(colors, screen + y * SCREEN_WIDTH, converted);
        p->observer->pool(row, converted, stride);
    }
    memset(p->changed, 1, (size_t)p->rows);
    p->shown[0] = p->shown[1] = NULL;
}

void pooled_take(pooled_picture *p, const uint8_t *rows, size_t stride) {
    const size_t size = pooled_stride(p);
    for (int y = 0; y < p->rows; y++, rows += stride) {
        const bool repeats = y > 0 && memcmp(rows, rows - stride, size) == 0;
        p->row_of[y] = repeats ? p->row_of[y - 1] : (uint16_t)y;
        if (!repeats) memcpy(p->stored + (size_t)y * size, rows, size);
    }
    memset(p->changed, 1, (size_t)p->rows);
    p->shown[0] = p->shown[1] = NULL;
}

/* ---- Copies -------------------------------------------------------------------------------------------- */

void pooled_copy(pooled_picture *p, const pooled_picture *source) {
    const size_t stride = pooled_stride(p);
    memcpy(p->row_of, source->row_of, (size_t)p->rows * sizeof *p->row_of);
    for (int y = 0; y < p->rows; y++)
        if (p->row_of[y] == y) memcpy(p->stored + (size_t)y * stride, source->stored + (size_t)y * stride, stride);
    p->shown[0] = p->shown[1] = NULL;
}

size_t pooled_save(const pooled_picture *p, uint8_t *rows, uint8_t *bytes) {
    const size_t stride = pooled_stride(p);
    uint16_t number = 0;
    for (int y = 0; y < p->rows; y++) {
        const uint8_t *row = p->stored + p->row_of[y] * stride;
        const uint8_t *above = y > 0 ? p->stored + p->row_of[y - 1] * stride : NULL;
        const bool differs = row != above && (!above || memcmp(row, above, stride) != 0);
        if (differs && y > 0) number++;
        if (rows) memcpy(rows + (size_t)y * sizeof number, &number, sizeof number);
        if (differs && bytes) memcpy(bytes + number * stride, row, stride);
    }
    return (number + (size_t)1) * stride;
}

void pooled_restore(pooled_picture *p, const uint8_t *rows, const uint8_t *bytes) {
    const size_t stride = pooled_stride(p);
    uint16_t number, before = UINT16_MAX;
    for (int y = 0; y < p->rows; y++, before = number) {
        memcpy(&number, rows + (size_t)y * sizeof number, sizeof number);
        p->row_of[y] = number == before ? p->row_of[y - 1] : (uint16_t)y;
        if (number != before) memcpy(p->stored + (size_t)y * stride, bytes + number * stride, stride);
    }
    p->shown[0] = p->shown[1] = NULL;
}
