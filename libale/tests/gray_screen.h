/* Frames in gray, as a console's engine draws them, to be compared with the screen of another console. */
#ifndef ALE_GRAY_SCREEN_H
#define ALE_GRAY_SCREEN_H

#include <string.h>

#include "console/console.h"

typedef struct gray_screen {
    _Alignas(GRAY_ALIGNMENT) uint8_t rows[SCREEN_ROWS * GRAY_STRIDE];
    uint8_t expected[SCREEN_ROWS * SCREEN_WIDTH];
    uint8_t gray[256], marks[SCREEN_ROWS];
    bool pool;  /* with the frame before */
    bool marks_rows; /* that equal the one above; both frames that are pooled, or neither */
} gray_screen;

/* Store the rows that were only marked.  The marks stay valid. */
static inline void store_marked_rows(uint8_t *rows, const uint8_t *marks, uint32_t count) {
    for (uint32_t y = 1; y < count; y++)
        if (marks[y]) memcpy(rows + y * GRAY_STRIDE, rows + (y - 1) * GRAY_STRIDE, GRAY_STRIDE);
}

/* Another gray for every colour, and none for black that memory holds by chance. */
static inline void gray_screen_init(gray_screen *s) {
    for (unsigned i = 0; i < 256; i++) s->gray[i] = (uint8_t)(37 * i + 11);
    s->pool = s->marks_rows = false;
}

static inline gray_target gray_screen_target(gray_screen *s) {
    return (gray_target){
        .gray = s->gray, .rows = s->rows, .pool = s->pool, .marks = s->marks_rows ? s->marks : NULL};
}

/* Whether the rows are what the screen is in gray. */
static inline bool gray_screen_shows(gray_screen *s, const uint8_t *screen, int rows) {
    bool same = true;
    if (s->marks_rows) store_marked_rows(s->rows, s->marks, (uint32_t)rows);
    for (int y = 0; y < rows; y++) {
        uint8_t *expected = s->expected + y * SCREEN_WIDTH;
        for (int x = 0; x < SCREEN_WIDTH; x++) {
            const uint8_t gray = s->gray[screen[y * SCREEN_WIDTH + x]];
            if (!s->pool || gray > expected[x]) expected[x] = gray;
        }
        same = same && memcmp(s->rows + y * GRAY_STRIDE, expected, SCREEN_WIDTH) == 0;
    }
    return same;
}

#endif
