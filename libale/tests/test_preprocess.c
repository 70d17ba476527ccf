/* Pictures that observations are made of: screens that change in some rows only, pooled, saved, and resized:
 * to known ones, and by all the loops that this processor has. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "numbers.h"
#include "vector/preprocess/observer.h"

enum { ROWS = 210 };

static uint32_t random_state = 1;
static uint32_t random_below(uint32_t limit) { return next_random(&random_state) % limit; }

static const uint8_t *row_of(const pooled_picture *p, int y) { return p->stored + p->row_of[y] * pooled_stride(p); }

/* Write a run of rows: alike, or as others are, or with a few pixels of their own. */
static void write_rows(uint8_t *screen, uint64_t written[ROW_WORDS]) {
    const uint32_t first = random_below(ROWS), end = first + 1 + random_below(ROWS / 4);
    const uint32_t like = random_below(ROWS), kind = random_below(3);
    for (uint32_t y = first; y < end && y < ROWS; y++) {
        uint8_t *row = screen + y * SCREEN_WIDTH;
        if (kind == 0) memset(row, (int)(2 * random_below(4)), SCREEN_WIDTH);
        if (kind == 1) memmove(row, screen + like * SCREEN_WIDTH, SCREEN_WIDTH);
        if (kind == 2) row[random_below(SCREEN_WIDTH)] = (uint8_t)random_below(256);
        written[y / 64] |= UINT64_C(1) << y % 64;
    }
}

/* What is shown of a part of the rows is what is shown of all, and what was not marked as changed is as before. */
static void test_written_rows(const observer *of) {
    static uint8_t screens[2][ROWS * SCREEN_WIDTH], copied[ROWS * SCREEN_WIDTH], before[ROWS][3 * SCREEN_WIDTH];
    coloring colors;
    coloring_init(&colors, FORMAT_NTSC);
    pooled_picture *p = pooled_create(ROWS, of, NULL), *q = pooled_create(ROWS, of, NULL);
    uint64_t written[ROW_WORDS] = {0};
    int unchanged = 0, changed = 0;
    for (int round = 0; round < 2000; round++) {
        const size_t stride = pooled_stride(p);
        for (int y = 0; y < ROWS; y++) memcpy(before[y], row_of(p, y), stride);
        for (uint32_t n = random_below(5); n; n--) write_rows(screens[random_below(2)], written);
        const uint32_t way = random_below(12);
        const uint8_t *one = screens[round % 2], *other = screens[way == 0 ? round % 2 : 1 - round % 2];
        if (way == 1) other = memcpy(copied, other, sizeof copied);
        pooled_show(p, &colors, one, other, way == 1 ? NULL : written);
        pooled_show(q, &colors, one, other, NULL);
        memset(written, 0, sizeof written);
        if (way == 2) {
            pooled_add(p, &colors, copied);
            pooled_add(q, &colors, copied);
        }
        for (int y = 0; y < ROWS; y++) {
            CHECK(p->row_of[y] == y || (y > 0 && p->row_of[y] == p->row_of[y - 1]));
            CHECK(memcmp(row_of(p, y), row_of(q, y), stride) == 0);
            CHECK(p->changed[y] <= 1);
            CHECK(p->changed[y] || memcmp(row_of(p, y), before[y], stride) == 0);
            *(p->changed[y] ? &changed : &unchanged) += 1;
        }
        if (way == 3) pooled_copy(p, q);
        if (way == 4) {
            uint8_t rows[2 * ROWS], *bytes = malloc(pooled_save(p, NULL, NULL));
            pooled_save(p, rows, bytes);
            memset(p->stored, 0xAA, ROWS * stride);
            pooled_restore(p, rows, bytes);
            free(bytes);
            for (int y = 0; y < ROWS; y++) CHECK(memcmp(row_of(p, y), row_of(q, y), stride) == 0);
        }
    }
    CHECK(unchanged > 100000 && changed > 50000);
    pooled_destroy(p);
    pooled_destroy(q);
}

/* Each pixel is that of the brighter index. */
static void test_pooling(void) {
    static uint8_t one[ROWS * SCREEN_WIDTH], other[ROWS * SCREEN_WIDTH];
    coloring colors;
    coloring_init(&colors, FORMAT_PAL);
    for (size_t i = 0; i < sizeof one; i++) one[i] = (uint8_t)random_below(256);
    for (size_t i = 0; i < sizeof other; i++) other[i] = (uint8_t)random_below(256);
    for (int kind = ALE_OBSERVE_GRAYSCALE; kind <= ALE_OBSERVE_RGB; kind++) {
        const observer *of = &observers[kind];
        const int planes = of->planes;
        pooled_picture *shown = pooled_create(ROWS, of, NULL), *added = pooled_create(ROWS, of, NULL);
        pooled_show(shown, &colors, one, other, NULL);
        pooled_show(added, &colors, one, one, NULL);
        pooled_add(added, &colors, other);
        for (int y = 0; y < ROWS; y++)
            for (int plane = 0; plane < planes; plane++)
                for (int x = 0; x < SCREEN_WIDTH; x++) {
                    const uint8_t a = one[y * SCREEN_WIDTH + x], b = other[y * SCREEN_WIDTH + x];
                    const uint8_t of_a = planes == 1 ? colors.by_index.gray[a] : colors.by_index.rgb[a][plane];
                    const uint8_t of_b = planes == 1 ? colors.by_index.gray[b] : colors.by_index.rgb[b][plane];
                    const uint8_t brighter = of_a > of_b ? of_a : of_b;
                    CHECK_EQUAL(row_of(shown, y)[plane * SCREEN_WIDTH + x], brighter);
                    CHECK_EQUAL(row_of(added, y)[plane * SCREEN_WIDTH + x], brighter);
                }
        pooled_destroy(shown);
        pooled_destroy(added);
    }
}

/* The loops chosen are those of the processor: where the system names its features, the library sees them, too,
 * whatever compiler built it. */
static void test_choice(void) {
#if defined(__linux__) && defined(__x86_64__)
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file) return;
    static char line[1 << 16];
    while (fgets(line, sizeof line, file) && strncmp(line, "flags", 5) != 0) continue;
    fclose(file);
    const bool avx2 = strstr(line, " avx2 "), ssse3 = strstr(line, " ssse3 ");
    const bool vbmi = strstr(line, " avx512bw ") && strstr(line, " avx512vbmi ");
    const char *best = vbmi ? "avx512" : avx2 ? "avx2" : ssse3 ? "ssse3" : "portable";
    CHECK(strcmp(row_loops_number(0)->name, best) == 0);
    coloring colors;
    coloring_init(&colors, FORMAT_NTSC);
    CHECK(colors.by_index.by_blocks == ssse3);
    CHECK(colors.wide == vbmi);
#endif
}

/* Whatever the loops, the picture is that of the portable ones, at any size. */
static void test_loops(void) {
    static uint8_t picture[250 * SCREEN_WIDTH + RESIZE_PADDING], expected[250 * 160], out[250 * 160];
    static uint16_t rows[250];
    const row_loops *portable = row_loops_number(0);
    int sets = 0;
    for (; row_loops_number(sets); sets++) portable = row_loops_number(sets);
    CHECK(strcmp(portable->name, "portable") == 0);
    for (int round = 0; round < 400; round++) {
        const int source = random_below(2) ? 210 : 250;
        const int height = round == 0 ? 84 : 1 + (int)random_below((uint32_t)source);
        const int width = round < 100 ? 84 : 1 + (int)random_below(160);
        const uint32_t grays = round % 3 == 0 ? 256 : 2 + random_below(4), step = 1 + random_below(3);
        uint8_t gray[256];
        for (int i = 0; i < 256; i++) gray[i] = (uint8_t)random_below(256);
        for (int y = 0; y < source; y++) {
            rows[y] = (uint16_t)(y && random_below(2) ? rows[y - 1] : y);
            for (int x = 0; x < SCREEN_WIDTH; x++)
                picture[y * SCREEN_WIDTH + x] = gray[random_below(grays)];
        }
        resizer *r = resizer_create(source, SCREEN_WIDTH, NULL, height, width);
        void *scratch = malloc(resizer_scratch(r));
        const size_t size = (size_t)(height * width);
        resizer_use(r, portable);
        resizer_run(r, (plane_rows){picture, SCREEN_WIDTH, rows}, NULL, scratch, expected, 1);
        for (int n = 0; n < sets; n++) {
            uint8_t *wide = malloc(size * step);
            resizer_use(r, row_loops_number(n));
            resizer_run(r, (plane_rows){picture, SCREEN_WIDTH, rows}, NULL, scratch, wide, step);
            for (size_t i = 0; i < size; i++) out[i] = wide[i * step];
            CHECK(memcmp(out, expected, size) == 0);
            free(wide);
        }
        free(scratch);
        resizer_destroy(r);
    }
}

/* ---- Resizing ------------------------------------------------------------------------------------------ */

static void test_resize(void) {
    static const struct {
        int source, height, width;
        uint32_t crc;
    } cases[] = {
        {210, 84, 84, 0x1ccff64e},   {250, 84, 84, 0x75d9241c},   {210, 105, 80, 0xbaedb626},
        {210, 70, 80, 0xe8832e27},   {210, 105, 160, 0xea9e3096}, {250, 50, 32, 0x2c5a8ccf},
        {210, 96, 100, 0x5eb309fa},  {210, 210, 84, 0xbc6ad941},  {210, 128, 170, 0x8c6d221f},
        {210, 84, 300, 0xce167892},  {210, 300, 84, 0xe6684f25},  {210, 420, 320, 0x17fc51be},
        {250, 210, 160, 0x3e23e56e},
    };
    static uint8_t source[250 * 160 + RESIZE_PADDING], out[2 * 420 * 320];
    static uint16_t row_of[250];
    for (int y = 0; y < 250; y++) {
        row_of[y] = (uint16_t)y;
        for (int x = 0; x < 160; x++)
            source[y * 160 + x] = (uint8_t)(7 * x * x + 13 * y * y + 5 * x * y + 31 * (x / 9));
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int height = cases[i].height, width = cases[i].width;
        const size_t size = (size_t)(height * width);
        resizer *r = resizer_create(cases[i].source, 160, NULL, height, width);
        void *scratch = malloc(resizer_scratch(r));
        resizer_run(r, (plane_rows){source, 160, row_of}, NULL, scratch, out, 1);
        CHECK_EQUAL(crc32(out, size), cases[i].crc);
        resizer_run(r, (plane_rows){source, 160, row_of}, NULL, scratch, out, 2); /* as one of several planes */
        for (size_t pixel = 0; pixel < size; pixel++) out[pixel] = out[2 * pixel];
        CHECK_EQUAL(crc32(out, size), cases[i].crc);
        free(scratch);
        resizer_destroy(r);
    }
}

/* A part of a picture gives what it gives alone, for every way of resizing; rows are stored once. */
static void test_resize_part(void) {
    static const int sizes[][2] = {{84, 84}, {80, 80}, {40, 40}, {160, 160}, {105, 80}, {53, 47}, {300, 84}, {84, 300}};
    static const resize_crop crops[] = {{34, 16, 0, 0}, {0, 50, 0, 0}, {25, 25, 8, 8}, {50, 0, 13, 0}, {3, 1, 0, 99}};
    static uint8_t picture[210 * 160 + RESIZE_PADDING], part[210 * 160 + RESIZE_PADDING];
    static uint8_t expected[300 * 300], out[300 * 300];
    static uint16_t row_of[210], all[210];
    for (int y = 0; y < 210; y++) {
        all[y] = (uint16_t)y;
        row_of[y] = (uint16_t)(y && random_below(2) ? row_of[y - 1] : y);
        for (int x = 0; x < 160; x++) picture[y * 160 + x] = (uint8_t)random_below(y % 3 ? 256 : 4);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t c = 0; c < sizeof crops / sizeof *crops; c++) {
            const resize_crop *crop = &crops[c];
            const int rows = 210 - crop->top - crop->bottom, columns = 160 - crop->left - crop->right;
            for (int y = 0; y < rows; y++)
                memcpy(part + y * columns, picture + row_of[crop->top + y] * 160 + crop->left, (size_t)columns);
            resizer *whole = resizer_create(210, 160, crop, sizes[i][0], sizes[i][1]);
            resizer *alone = resizer_create(rows, columns, NULL, sizes[i][0], sizes[i][1]);
            void *scratch = malloc(resizer_scratch(whole) + resizer_scratch(alone));
            resizer_run(whole, (plane_rows){picture, 160, row_of}, NULL, scratch, out, 1);
            resizer_run(alone, (plane_rows){part, (size_t)columns, all}, NULL, scratch, expected, 1);
            CHECK(memcmp(out, expected, (size_t)(sizes[i][0] * sizes[i][1])) == 0);
            free(scratch);
            resizer_destroy(whole);
            resizer_destroy(alone);
        }
}

/* Rows that are stored once give what they give stored each. */
static void test_resize_repeated_rows(void) {
    static uint8_t whole[210 * 160 + RESIZE_PADDING], stored[210 * 160 + RESIZE_PADDING];
    static uint16_t all[210], row_of[210];
    static uint8_t expected[100 * 100], out[100 * 100];
    uint16_t row = 0;
    for (int y = 0; y < 210; y++) {
        all[y] = (uint16_t)y;
        if (y > 0 && random_below(3) == 0) row++;
        row_of[y] = row;
        for (int x = 0; x < 160 && (y == 0 || row != row_of[y - 1]); x++)
            stored[row * 160 + x] = (uint8_t)(random_below(4) ? 80 : random_below(256));
        memcpy(whole + y * 160, stored + row * 160, 160);
    }
    for (int size = 20; size <= 100; size += 16) {
        resizer *r = resizer_create(210, 160, NULL, size, size);
        void *scratch = malloc(resizer_scratch(r));
        resizer_run(r, (plane_rows){whole, 160, all}, NULL, scratch, expected, 1);
        resizer_run(r, (plane_rows){stored, 160, row_of}, NULL, scratch, out, 1);
        CHECK(memcmp(out, expected, (size_t)(size * size)) == 0);
        free(scratch);
        resizer_destroy(r);
    }
}

/* Rows that are made of unchanged ones are as before; the others alone are made, for every way of resizing. */
static void test_resize_changed_rows(void) {
    static const int sizes[][2] = {{84, 84},  {105, 80}, {70, 80},  {105, 160}, {96, 100},
                                   {210, 84}, {300, 84}, {84, 300}, {210, 160}, {53, 47}};
    static uint8_t picture[210 * 160 + RESIZE_PADDING], changed[210], kept[300];
    static uint8_t out[300 * 300], expected[300 * 300];
    static uint16_t row_of[210];
    for (int y = 0; y < 210; y++) row_of[y] = (uint16_t)y;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int height = sizes[i][0], width = sizes[i][1];
        resizer *r = resizer_create(210, 160, NULL, height, width);
        void *scratch = malloc(resizer_scratch(r));
        memset(picture, 0, sizeof picture);
        resizer_run(r, (plane_rows){picture, 160, row_of}, NULL, scratch, out, 1);
        for (uint32_t round = 0; round < 12; round++) {
            int all_kept = 0;
            for (int y = 0; y < 210; y++) {
                changed[y] = random_below(12) < round;
                for (int x = 0; changed[y] && x < 160; x++) picture[y * 160 + x] = (uint8_t)random_below(256);
            }
            resizer_keep(r, changed, kept);
            resizer_run(r, (plane_rows){picture, 160, row_of}, kept, scratch, out, 1);
            resizer_run(r, (plane_rows){picture, 160, row_of}, NULL, scratch, expected, 1);
            CHECK(memcmp(out, expected, (size_t)(height * width)) == 0);
            for (int y = 0; y < height; y++) all_kept += kept[y];
            if (round == 0) CHECK_EQUAL(all_kept, height);
            if (round == 1) CHECK(all_kept > 0 && all_kept < height);
        }
        free(scratch);
        resizer_destroy(r);
    }
}

int main(void) {
    RUN(test_written_rows(&observers[ALE_OBSERVE_GRAYSCALE]));
    RUN(test_written_rows(&observers[ALE_OBSERVE_RGB]));
    RUN(test_written_rows(&observers[ALE_OBSERVE_OBJECTS]));
    RUN(test_pooling());
    RUN(test_choice());
    RUN(test_loops());
    RUN(test_resize());
    RUN(test_resize_part());
    RUN(test_resize_repeated_rows());
    RUN(test_resize_changed_rows());
    return check_failures;
}
