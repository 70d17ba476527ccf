/* The colours of the three display formats, and pictures of them. */
#include "palette.h"

#include <stdlib.h>
#include <string.h>

#include "../support/processor.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <tmmintrin.h>
#endif

/* 0xRRGGBB by hue (a row) and luminance (a column); index / 2.  SECAM has one row for all hues. */
static const uint32_t NTSC_COLORS[128] = {
    0x000000, 0x4a4a4a, 0x6f6f6f, 0x8e8e8e, 0xaaaaaa, 0xc0c0c0, 0xd6d6d6, 0xececec,
    0x484800, 0x69690f, 0x86861d, 0xa2a22a, 0xbbbb35, 0xd2d240, 0xe8e84a, 0xfcfc54,
    0x7c2c00, 0x904811, 0xa26221, 0xb47a30, 0xc3903d, 0xd2a44a, 0xdfb755, 0xecc860,
    0x901c00, 0xa33915, 0xb55328, 0xc66c3a, 0xd5824a, 0xe39759, 0xf0aa67, 0xfcbc74,
    0x940000, 0xa71a1a, 0xb83232, 0xc84848, 0xd65c5c, 0xe46f6f, 0xf08080, 0xfc9090,
    0x840064, 0x97197a, 0xa8308f, 0xb846a2, 0xc659b3, 0xd46cc3, 0xe07cd2, 0xec8ce0,
    0x500084, 0x68199a, 0x7d30ad, 0x9246c0, 0xa459d0, 0xb56ce0, 0xc57cee, 0xd48cfc,
    0x140090, 0x331aa3, 0x4e32b5, 0x6848c6, 0x7f5cd5, 0x956fe3, 0xa980f0, 0xbc90fc,
    0x000094, 0x181aa7, 0x2d32b8, 0x4248c8, 0x545cd6, 0x656fe4, 0x7580f0, 0x8490fc,
    0x001c88, 0x183b9d, 0x2d57b0, 0x4272c2, 0x548ad2, 0x65a0e1, 0x75b5ef, 0x84c8fc,
    0x003064, 0x185080, 0x2d6d98, 0x4288b0, 0x54a0c5, 0x65b7d9, 0x75cceb, 0x84e0fc,
    0x004030, 0x18624e, 0x2d8169, 0x429e82, 0x54b899, 0x65d1ae, 0x75e7c2, 0x84fcd4,
    0x004400, 0x1a661a, 0x328432, 0x48a048, 0x5cba5c, 0x6fd26f, 0x80e880, 0x90fc90,
    0x143c00, 0x355f18, 0x527e2d, 0x6e9c42, 0x87b754, 0x9ed065, 0xb4e775, 0xc8fc84,
    0x303800, 0x505916, 0x6d762b, 0x88923e, 0xa0ab4f, 0xb7c25f, 0xccd86e, 0xe0ec7c,
    0x482c00, 0x694d14, 0x866a26, 0xa28638, 0xbb9f47, 0xd2b656, 0xe8cc63, 0xfce070,
};

static const uint32_t PAL_COLORS[128] = {
    0x000000, 0x2b2b2b, 0x525252, 0x767676, 0x979797, 0xb6b6b6, 0xd2d2d2, 0xececec,
    0x000000, 0x2b2b2b, 0x525252, 0x767676, 0x979797, 0xb6b6b6, 0xd2d2d2, 0xececec,
    0x805800, 0x96711a, 0xab8732, 0xbe9c48, 0xcfaf5c, 0xdfc06f, 0xeed180, 0xfce090,
    0x445c00, 0x5e791a, 0x769332, 0x8cac48, 0xa0c25c, 0xb3d76f, 0xc4ea80, 0xd4fc90,
    0x703400, 0x89511a, 0xa06b32, 0xb68448, 0xc99a5c, 0xdcaf6f, 0xecc280, 0xfcd490,
    0x006414, 0x1a8035, 0x329852, 0x48b06e, 0x5cc587, 0x6fd99e, 0x80ebb4, 0x90fcc8,
    0x700014, 0x891a35, 0xa03252, 0xb6486e, 0xc95c87, 0xdc6f9e, 0xec80b4, 0xfc90c8,
    0x005c5c, 0x1a7676, 0x328e8e, 0x48a4a4, 0x5cb8b8, 0x6fcbcb, 0x80dcdc, 0x90ecec,
    0x70005c, 0x841a74, 0x963289, 0xa8489e, 0xb75cb0, 0xc66fc1, 0xd380d1, 0xe090e0,
    0x003c70, 0x195a89, 0x2f75a0, 0x448eb6, 0x57a5c9, 0x68badc, 0x79ceec, 0x88e0fc,
    0x580070, 0x6e1a89, 0x8332a0, 0x9648b6, 0xa75cc9, 0xb76fdc, 0xc680ec, 0xd490fc,
    0x002070, 0x193f89, 0x2f5aa0, 0x4474b6, 0x578bc9, 0x68a1dc, 0x79b5ec, 0x88c8fc,
    0x340080, 0x4a1a96, 0x5f32ab, 0x7248be, 0x835ccf, 0x936fdf, 0xa280ee, 0xb090fc,
    0x000088, 0x1a1a9d, 0x3232b0, 0x4848c2, 0x5c5cd2, 0x6f6fe1, 0x8080ef, 0x9090fc,
    0x000000, 0x2b2b2b, 0x525252, 0x767676, 0x979797, 0xb6b6b6, 0xd2d2d2, 0xececec,
    0x000000, 0x2b2b2b, 0x525252, 0x767676, 0x979797, 0xb6b6b6, 0xd2d2d2, 0xececec,
};

static const uint32_t SECAM_COLORS[8] = {
    0x000000, 0x2121ff, 0xf03c79, 0xff50ff, 0x7fff00, 0x7fffff, 0xffff3f, 0xffffff,
};

static uint32_t color_of(rom_format format, unsigned index) {
    switch (format) {
    case FORMAT_PAL: return PAL_COLORS[index / 2];
    case FORMAT_SECAM: return SECAM_COLORS[index / 2 % 8];
    default: return NTSC_COLORS[index / 2];
    }
}

void palette_init(palette *colors, rom_format format) {
    memset(colors, 0, sizeof *colors);
    colors->by_blocks = processor_has_ssse3();
    for (unsigned index = 0; index < 256; index += 2) {
        uint32_t color = color_of(format, index);
        uint8_t red = (uint8_t)(color >> 16), green = (uint8_t)(color >> 8), blue = (uint8_t)color;
        uint8_t gray = (uint8_t)((2989u * red + 5870u * green + 1140u * blue + 5000u) / 10000u);
        uint8_t *even = colors->rgb[index], *odd = colors->rgb[index + 1];
        even[0] = red;
        even[1] = green;
        even[2] = blue;
        odd[0] = odd[1] = odd[2] = gray;
        colors->gray[index] = gray;
        /* The reference takes the byte after the color's own, which for an odd index is the next color's
         * blue, and 0 after the last.  Trained agents have seen it, so it stays. */
        if (index) colors->gray[index - 1] = blue;
    }
}

/* ---- Pictures ------------------------------------------------------------------------------------------
 *
 * Pictures consist of long runs of few colours, and sixteen pixels are nearly always of one colour or two.  So where
 * the processor can, they are put together colour by colour: the bytes of that colour, where a pixel has it. */

#if defined(__x86_64__) && defined(__GNUC__)

enum { BLOCK = 16 };

/* Of the bytes of a block in RGB: the pixel that each belongs to, and the part of its colour that it is. */
static const uint8_t PIXEL[3][BLOCK] = {
    {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5},
    {5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9, 9, 10, 10},
    {10, 11, 11, 11, 12, 12, 12, 13, 13, 13, 14, 14, 14, 15, 15, 15},
};
static const uint8_t PART[3][BLOCK] = {
    {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0},
    {1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1},
    {2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2},
};

#define BY_BLOCKS __attribute__((target("ssse3")))

static inline BY_BLOCKS __m128i load(const uint8_t *from) { return _mm_loadu_si128((const __m128i *)from); }
static inline BY_BLOCKS void store(uint8_t *to, __m128i bytes) { _mm_storeu_si128((__m128i *)to, bytes); }

/* The pixels of a block that have this index, which is taken from those left. */
static inline BY_BLOCKS __m128i having(__m128i block, uint8_t index, unsigned *left) {
    __m128i equal = _mm_cmpeq_epi8(block, _mm_set1_epi8((char)index));
    *left &= ~(unsigned)_mm_movemask_epi8(equal);
    return equal;
}

static inline BY_BLOCKS __m128i color_of_block(const palette *colors, uint8_t index, int part) {
    int32_t bytes;
    memcpy(&bytes, colors->rgb[index], sizeof bytes);
    return _mm_shuffle_epi8(_mm_cvtsi32_si128(bytes), load(PART[part]));
}

static inline BY_BLOCKS void rgb_block(const palette *colors, const uint8_t *indices, uint8_t *rgb) {
    const __m128i block = load(indices);
    unsigned left = (1u << BLOCK) - 1;
    __m128i sum[3], equal = having(block, indices[0], &left);
    for (int i = 0; i < 3; i++) sum[i] = color_of_block(colors, indices[0], i);
    if (left)
        for (int i = 0; i < 3; i++) sum[i] = _mm_and_si128(sum[i], _mm_shuffle_epi8(equal, load(PIXEL[i])));
    while (left) {
        const uint8_t index = indices[__builtin_ctz(left)];
        equal = having(block, index, &left);
        for (int i = 0; i < 3; i++) {
            const __m128i where = _mm_shuffle_epi8(equal, load(PIXEL[i]));
            sum[i] = _mm_or_si128(sum[i], _mm_and_si128(where, color_of_block(colors, index, i)));
        }
    }
    for (int i = 0; i < 3; i++) store(rgb + i * BLOCK, sum[i]);
}

static BY_BLOCKS void gray_block(const palette *colors, const uint8_t *indices, uint8_t *gray) {
    const __m128i block = load(indices);
    __m128i sum = _mm_setzero_si128();
    for (unsigned left = (1u << BLOCK) - 1; left;) {
        const uint8_t index = indices[__builtin_ctz(left)];
        const __m128i equal = having(block, index, &left);
        sum = _mm_or_si128(sum, _mm_and_si128(equal, _mm_set1_epi8((char)colors->gray[index])));
    }
    store(gray, sum);
}

/* Whole blocks; how many pixels these were. */
static BY_BLOCKS size_t rgb_blocks(const palette *colors, const uint8_t *indices, size_t count, uint8_t *rgb) {
    size_t i = 0;
    for (; i + BLOCK <= count; i += BLOCK) rgb_block(colors, indices + i, rgb + 3 * i);
    return i;
}

static BY_BLOCKS size_t gray_blocks(const palette *colors, const uint8_t *indices, size_t count, uint8_t *gray) {
    size_t i = 0;
    for (; i + BLOCK <= count; i += BLOCK) gray_block(colors, indices + i, gray + i);
    return i;
}

#else

static size_t rgb_blocks(const palette *colors, const uint8_t *indices, size_t count, uint8_t *rgb) {
    (void)colors, (void)indices, (void)count, (void)rgb;
    return 0;
}

static size_t gray_blocks(const palette *colors, const uint8_t *indices, size_t count, uint8_t *gray) {
    (void)colors, (void)indices, (void)count, (void)gray;
    return 0;
}

#endif

enum { GROUP = 8 };

/* Whether eight pixels are of one colour. */
static bool is_uniform(const uint8_t *indices) {
    uint64_t group;
    memcpy(&group, indices, GROUP);
    return group == (group << 8 | group >> 56);
}

/* Other pixels are written four bytes at a time, the fourth to be overwritten by the next pixel. */
static void rgb_groups(const palette *colors, const uint8_t *indices, size_t count, uint8_t *rgb) {
    uint8_t run[3 * GROUP + 1] = {0};
    int run_of = -1;
    size_t i = 0;
    for (; i + GROUP < count; i += GROUP, rgb += 3 * GROUP) {
        if (is_uniform(indices + i)) {
            if (run_of != indices[i]) {
                run_of = indices[i];
                for (int pixel = 0; pixel < GROUP; pixel++) memcpy(run + 3 * pixel, colors->rgb[run_of], 4);
            }
            memcpy(rgb, run, 3 * GROUP);
        } else {
            for (int pixel = 0; pixel < GROUP; pixel++)
                memcpy(rgb + 3 * pixel, colors->rgb[indices[i + (size_t)pixel]], 4);
        }
    }
    for (; i < count; i++, rgb += 3) memcpy(rgb, colors->rgb[indices[i]], 3);
}

static void gray_groups(const palette *colors, const uint8_t *indices, size_t count, uint8_t *gray) {
    size_t i = 0;
    for (; i + GROUP <= count; i += GROUP) {
        if (is_uniform(indices + i))
            memset(gray + i, colors->gray[indices[i]], GROUP);
        else
            for (size_t pixel = i; pixel < i + GROUP; pixel++) gray[pixel] = colors->gray[indices[pixel]];
    }
    for (; i < count; i++) gray[i] = colors->gray[indices[i]];
}

void palette_to_rgb(const palette *colors, const uint8_t *indices, size_t count, uint8_t *rgb) {
    size_t done = colors->by_blocks ? rgb_blocks(colors, indices, count, rgb) : 0;
    rgb_groups(colors, indices + done, count - done, rgb + 3 * done);
}

void palette_to_gray(const palette *colors, const uint8_t *indices, size_t count, uint8_t *gray) {
    size_t done = colors->by_blocks ? gray_blocks(colors, indices, count, gray) : 0;
    gray_groups(colors, indices + done, count - done, gray + done);
}

uint8_t palette_average(const palette *colors, uint8_t a, uint8_t b) {
    int mixed[3];
    for (int part = 0; part < 3; part++) {
        int one = colors->rgb[a][part], other = colors->rgb[b][part];
        int high = one > other ? one : other, low = one > other ? other : one;
        mixed[part] = ((high - low) * 77 / 100 + low) & ~3;
    }
    unsigned nearest = 0;
    int nearest_distance = 3 * 256;
    for (unsigned index = 0; index < 256; index += 2) {
        int distance = 0;
        for (int part = 0; part < 3; part++) distance += abs(colors->rgb[index][part] - mixed[part]);
        if (distance < nearest_distance) {
            nearest_distance = distance;
            nearest = index;
        }
    }
    return (uint8_t)nearest;
}
