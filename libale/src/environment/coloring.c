/* Colours by AVX-512, whose permutations of bytes (VBMI) look 64 bytes up in a table of 128; else by the palette's own
 * loops, which are as quick only where a picture has long runs of few colours. */
#include "coloring.h"

#include "../support/processor.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

enum { BLOCK = 64 };

#define WIDE __attribute__((target("avx512f,avx512bw,avx512vbmi")))

static inline WIDE __m512i load(const uint8_t *from) { return _mm512_loadu_si512(from); }
static inline WIDE void store(uint8_t *to, __m512i bytes) { _mm512_storeu_si512(to, bytes); }

typedef struct table {
    __m512i low, high; /* entries 0 to 63, 64 to 127 */
} table;

static inline WIDE table load_table(const uint8_t entries[128]) {
    return (table){load(entries), load(entries + 64)};
}

/* The entries of the lower seven bits. */
static inline WIDE __m512i look_up(table in, __m512i indices) {
    return _mm512_permutex2var_epi8(in.low, indices, in.high);
}

/* Where the bytes of three blocks in RGB come from: byte n is part n % 3 of pixel n / 3. */
#define PIXEL(n) (n) / 3
#define PIXEL_OR_GREEN(n) (n) / 3 + (n) % 3 % 2 * 64 /* greens lie behind reds */
#define FOUR(of, n) of(n), of((n) + 1), of((n) + 2), of((n) + 3)
#define SIXTEEN(of, n) FOUR(of, n), FOUR(of, (n) + 4), FOUR(of, (n) + 8), FOUR(of, (n) + 12)
#define ALL(of) SIXTEEN(of, 0), SIXTEEN(of, 16), SIXTEEN(of, 32), SIXTEEN(of, 48), SIXTEEN(of, 64), \
                SIXTEEN(of, 80), SIXTEEN(of, 96), SIXTEEN(of, 112), SIXTEEN(of, 128), SIXTEEN(of, 144), \
                SIXTEEN(of, 160), SIXTEEN(of, 176)
static const uint8_t RED_OR_GREEN_OF[3 * BLOCK] = {ALL(PIXEL_OR_GREEN)}, BLUE_OF[3 * BLOCK] = {ALL(PIXEL)};
static const __mmask64 BLUES[3] = {
    UINT64_C(0x4924924924924924), UINT64_C(0x2492492492492492), UINT64_C(0x9249249249249249)};

typedef struct rgb_loop {
    table red, green, blue;
    __m512i red_or_green_of[3], blue_of[3];
} rgb_loop;

static inline WIDE __m512i rgb_block(const rgb_loop *with, const uint8_t *indices, uint8_t *rgb) {
    const __m512i block = load(indices), halves = _mm512_srli_epi16(block, 1);
    const __m512i red = look_up(with->red, halves), green = look_up(with->green, halves);
    const __m512i blue = look_up(with->blue, halves);
    for (int i = 0; i < 3; i++) {
        const __m512i two = _mm512_permutex2var_epi8(red, with->red_or_green_of[i], green);
        store(rgb + i * BLOCK, _mm512_mask_permutexvar_epi8(two, BLUES[i], with->blue_of[i], blue));
    }
    return block;
}

/* False: there are too few pixels, or an index is odd, which the tables do not cover.
 *
 * Stores that cross a cache line take twice as long, so blocks begin at multiples of 64 bytes.  Only the first and the
 * last may not, and overlap their neighbours.  Pixel 21 * a is -a bytes, modulo 64, behind an address a. */
static WIDE bool wide_rgb(const coloring *c, const uint8_t *indices, size_t count, uint8_t *rgb) {
    if (count < BLOCK) return false;
    rgb_loop with = {
        .red = load_table(c->rgb[0]), .green = load_table(c->rgb[1]), .blue = load_table(c->rgb[2])};
    for (int i = 0; i < 3; i++) {
        with.red_or_green_of[i] = load(RED_OR_GREEN_OF + i * BLOCK);
        with.blue_of[i] = load(BLUE_OF + i * BLOCK);
    }
    __m512i seen = rgb_block(&with, indices, rgb);
    for (size_t i = (uintptr_t)rgb * 21 % 64; i + BLOCK <= count; i += BLOCK)
        seen = _mm512_or_si512(seen, rgb_block(&with, indices + i, rgb + 3 * i));
    const size_t last = count - BLOCK;
    seen = _mm512_or_si512(seen, rgb_block(&with, indices + last, rgb + 3 * last));
    return !_mm512_test_epi8_mask(seen, _mm512_set1_epi8(1));
}

static inline WIDE __m512i plane_block(table in, const uint8_t *indices, uint8_t *plane) {
    const __m512i block = load(indices);
    store(plane, look_up(in, _mm512_srli_epi16(block, 1)));
    return block;
}

/* False: as of wide_rgb. */
static WIDE bool wide_planes(const coloring *c, const uint8_t *indices, size_t count, uint8_t *planes) {
    if (count < BLOCK) return false;
    const size_t last = count - BLOCK;
    __m512i seen = load(indices);
    for (int part = 0; part < 3; part++, planes += count) {
        const table in = load_table(c->rgb[part]);
        for (size_t i = 0; i < last; i += BLOCK)
            seen = _mm512_or_si512(seen, plane_block(in, indices + i, planes + i));
        seen = _mm512_or_si512(seen, plane_block(in, indices + last, planes + last));
    }
    return !_mm512_test_epi8_mask(seen, _mm512_set1_epi8(1));
}

static inline WIDE void gray_block(table low, table high, const uint8_t *indices, uint8_t *gray) {
    const __m512i block = load(indices);
    store(gray, _mm512_mask_mov_epi8(look_up(low, block), _mm512_movepi8_mask(block), look_up(high, block)));
}

/* False: there are too few pixels. */
static WIDE bool wide_gray(const coloring *c, const uint8_t *indices, size_t count, uint8_t *gray) {
    if (count < BLOCK) return false;
    const table low = load_table(c->by_index.gray), high = load_table(c->by_index.gray + 128);
    for (size_t i = 0; i + BLOCK <= count; i += BLOCK) gray_block(low, high, indices + i, gray + i);
    gray_block(low, high, indices + count - BLOCK, gray + count - BLOCK);
    return true;
}

#else

static bool wide_rgb(const coloring *c, const uint8_t *indices, size_t count, uint8_t *rgb) {
    (void)c, (void)indices, (void)count, (void)rgb;
    return false;
}

static bool wide_gray(const coloring *c, const uint8_t *indices, size_t count, uint8_t *gray) {
    (void)c, (void)indices, (void)count, (void)gray;
    return false;
}

static bool wide_planes(const coloring *c, const uint8_t *indices, size_t count, uint8_t *planes) {
    (void)c, (void)indices, (void)count, (void)planes;
    return false;
}

#endif

void coloring_init(coloring *c, rom_format format) {
    palette_init(&c->by_index, format);
    c->wide = processor_has_avx512_vbmi();
    for (int i = 0; i < 128; i++)
        for (int part = 0; part < 3; part++) c->rgb[part][i] = c->by_index.rgb[2 * i][part];
}

void coloring_to_rgb(const coloring *c, const uint8_t *indices, size_t count, uint8_t *rgb) {
    if (!c->wide || !wide_rgb(c, indices, count, rgb)) palette_to_rgb(&c->by_index, indices, count, rgb);
}

void coloring_to_gray(const coloring *c, const uint8_t *indices, size_t count, uint8_t *gray) {
    if (!c->wide || !wide_gray(c, indices, count, gray)) palette_to_gray(&c->by_index, indices, count, gray);
}

void coloring_to_planes(const coloring *c, const uint8_t *indices, size_t count, uint8_t *planes) {
    if (c->wide && wide_planes(c, indices, count, planes)) return;
    for (int part = 0; part < 3; part++, planes += count)
        for (size_t i = 0; i < count; i++) planes[i] = c->by_index.rgb[indices[i]][part];
}
