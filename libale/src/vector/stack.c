/* The latest frames that were observed. */
#include "stack.h"

#include <stdlib.h>
#include <string.h>

bool stack_init(stack *s, size_t frames, size_t rows, size_t row_size) {
    s->frames = frames;
    s->rows = rows;
    s->row_size = row_size;
    s->pixels = calloc(frames, rows * row_size);
    s->place = calloc(frames, rows * sizeof *s->place);
    s->shown = calloc(frames, rows * sizeof *s->shown);
    if (!s->pixels || !s->place || !s->shown) return false;
    stack_clear(s);
    return true;
}

void stack_free(stack *s) {
    free(s->pixels);
    free(s->place);
    free(s->shown);
}

static uint8_t *pixels_at(const stack *s, size_t place, size_t row) {
    return s->pixels + (place * s->rows + row) * s->row_size;
}

static size_t after(const stack *s, size_t frame) { return frame + 1 < s->frames ? frame + 1 : 0; }

void stack_clear(stack *s) {
    memset(s->pixels, 0, s->rows * s->row_size);
    memset(s->place, 0, s->frames * s->rows * sizeof *s->place);
    memset(s->shown, 0, s->frames * s->rows * sizeof *s->shown);
    for (size_t y = 0; y < s->rows; y++) s->shown[y] = (uint16_t)s->frames;
}

/* A place where no frame has the row; `liked`, if that is one. */
static size_t free_place(const stack *s, size_t row, size_t liked) {
    if (!s->shown[liked * s->rows + row]) return liked;
    size_t place = 0;
    while (s->shown[place * s->rows + row]) place++;
    return place;
}

void stack_push(stack *s, const uint8_t *kept, uint8_t *row[]) {
    const uint16_t *before = s->place + s->newest * s->rows;
    s->newest = after(s, s->newest);
    uint16_t *place = s->place + s->newest * s->rows;
    size_t liked = 0; /* rows side by side are copied at once */
    for (size_t y = 0; y < s->rows; y++) {
        const bool keep = kept && kept[y];
        size_t at = before[y];
        s->shown[place[y] * s->rows + y]--;
        if (!keep) liked = at = free_place(s, y, liked);
        s->shown[at * s->rows + y]++;
        place[y] = (uint16_t)at;
        row[y] = keep ? NULL : pixels_at(s, at, y);
    }
}

void stack_push_again(stack *s) {
    const uint16_t *before = s->place + s->newest * s->rows;
    s->newest = after(s, s->newest);
    uint16_t *place = s->place + s->newest * s->rows;
    for (size_t y = 0; y < s->rows; y++) {
        s->shown[place[y] * s->rows + y]--;
        place[y] = before[y];
        s->shown[place[y] * s->rows + y]++;
    }
}

void stack_show(const stack *s, uint8_t *to) {
    size_t frame = s->newest;
    for (size_t n = 0; n < s->frames; n++) {
        frame = after(s, frame);
        const uint16_t *place = s->place + frame * s->rows;
        for (size_t y = 0, end; y < s->rows; y = end) {
            for (end = y + 1; end < s->rows && place[end] == place[y];) end++;
            memcpy(to, pixels_at(s, place[y], y), (end - y) * s->row_size);
            to += (end - y) * s->row_size;
        }
    }
}

void stack_restore(stack *s, const uint8_t *from) {
    const size_t frame_size = s->rows * s->row_size;
    memcpy(s->pixels, from, s->frames * frame_size);
    memset(s->shown, 0, s->frames * s->rows * sizeof *s->shown);
    s->newest = s->frames - 1;
    for (size_t n = 0; n < s->frames; n++)
        for (size_t y = 0; y < s->rows; y++) {
            const uint8_t *row = from + n * frame_size + y * s->row_size;
            const bool same = n > 0 && memcmp(row, row - frame_size, s->row_size) == 0;
            const size_t place = same ? s->place[(n - 1) * s->rows + y] : n;
            s->place[n * s->rows + y] = (uint16_t)place;
            s->shown[place * s->rows + y]++;
        }
}

void stack_copy(stack *s, const stack *source) {
    s->newest = source->newest;
    memcpy(s->place, source->place, s->frames * s->rows * sizeof *s->place);
    memcpy(s->shown, source->shown, s->frames * s->rows * sizeof *s->shown);
    const size_t all = s->frames * s->rows;
    for (size_t n = 0, end; n < all; n = end + 1) {
        for (end = n; end < all && source->shown[end];) end++;
        memcpy(s->pixels + n * s->row_size, source->pixels + n * s->row_size, (end - n) * s->row_size);
    }
}
