/* Pictures of palette indices as colours, against their definition: pixel by pixel, out of the palette. */
#include "check.h"

#include <string.h>

#include "environment/coloring.h"
#include "support/mt19937.h"

enum { MOST = 500, GUARD = 0xA5 };

/* Runs of up to `longest` pixels, of one of so many colours. */
static void draw(uint8_t *indices, size_t count, uint32_t longest, uint32_t colors, mt19937 *random) {
    for (size_t i = 0; i < count;) {
        const uint8_t index = (uint8_t)(mt19937_next(random) % colors * 37);
        for (uint32_t run = 1 + mt19937_next(random) % longest; run && i < count; run--) indices[i++] = index;
    }
}

static void check_picture(const coloring *colors, const uint8_t *indices, size_t count, size_t offset) {
    uint8_t room[3 * MOST + 128], *out = room + offset;
    memset(room, GUARD, sizeof room);
    coloring_to_rgb(colors, indices, count, out);
    for (size_t i = 0; i < count; i++) CHECK(memcmp(out + 3 * i, colors->by_index.rgb[indices[i]], 3) == 0);
    for (size_t i = 0; i < sizeof room; i++)
        if (i < offset || i >= offset + 3 * count) CHECK_EQUAL(room[i], GUARD);
    memset(room, GUARD, sizeof room);
    coloring_to_planes(colors, indices, count, out);
    for (size_t i = 0; i < 3 * count; i++) CHECK_EQUAL(out[i], colors->by_index.rgb[indices[i % count]][i / count]);
    for (size_t i = 0; i < sizeof room; i++)
        if (i < offset || i >= offset + 3 * count) CHECK_EQUAL(room[i], GUARD);
    memset(room, GUARD, sizeof room);
    coloring_to_gray(colors, indices, count, out);
    for (size_t i = 0; i < count; i++) CHECK_EQUAL(out[i], colors->by_index.gray[indices[i]]);
    for (size_t i = 0; i < sizeof room; i++)
        if (i < offset || i >= offset + count) CHECK_EQUAL(room[i], GUARD);
}

int main(void) {
    static const uint32_t LONGEST[] = {1, 3, 20, 200};
    static const uint32_t COLORS[] = {1, 2, 3, 256};
    mt19937 random;
    mt19937_seed(&random, 1);
    for (int format = FORMAT_NTSC; format <= FORMAT_SECAM; format++) {
        coloring colors, narrow;
        coloring_init(&colors, (rom_format)format);
        narrow = colors;
        narrow.wide = false;
        for (size_t count = 0; count <= MOST; count += count < 70 ? 1 : 43)
            for (int kind = 0; kind < 16; kind++) {
                uint8_t indices[MOST];
                RUN(draw(indices, count, LONGEST[kind / 4], COLORS[kind % 4], &random));
                const size_t offset = mt19937_next(&random) % 64;
                RUN(check_picture(&colors, indices, count, offset));
                RUN(check_picture(&narrow, indices, count, offset));
                for (size_t i = 0; i < count; i++) indices[i] &= 0xFE; /* as on most screens */
                RUN(check_picture(&colors, indices, count, offset));
            }
    }
    return check_failures;
}
