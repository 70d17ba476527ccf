/* The engine's loops for AVX-512 and BMI2: a row of pixels is three registers, a mask of it three mask registers. */
#include "engine_loops.h"

#ifdef ENGINE_AVX512
#include <immintrin.h>

#include "../../support/always_inline.h"
#include "engine_state.h"

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi,bmi2,popcnt")))

TARGET ALWAYS_INLINE __m256i load(const row_mask *m) { return _mm256_load_si256((const __m256i *)(const void *)m); }
TARGET ALWAYS_INLINE void keep(row_mask *m, __m256i bits) { _mm256_store_si256((__m256i *)(void *)m, bits); }

/* --- masks ---------------------------------------------------------------------------------------------- */

/* The copies of NUSIZ modes that are near, as a factor for a pattern; without the first one where it is suppressed.
 * The far ones, 64 pixels on, are those of modes 4 and 6. */
#define ONE UINT64_C(1)
static const uint64_t near_copies[2][8] = {
    {1, 1 | ONE << 16, 1 | ONE << 32, 1 | ONE << 16 | ONE << 32, 1, 1, 1 | ONE << 32, 1},
    {0, ONE << 16, ONE << 32, ONE << 16 | ONE << 32, 0, 0, ONE << 32, 0},
};

TARGET ALWAYS_INLINE __m256i pattern_at(uint64_t pattern, unsigned x) {
    const __m256i bits = _mm256_set1_epi64x((long long)pattern), at = _mm256_set1_epi64x((long long)x);
    const __m256i word = _mm256_set_epi64x(192, 128, 64, 0);
    return _mm256_or_si256(_mm256_sllv_epi64(bits, _mm256_sub_epi64(at, word)),
                           _mm256_srlv_epi64(bits, _mm256_sub_epi64(word, at)));
}

/* What is beyond pixel 159, at most 96 pixels, goes to the left edge. */
TARGET ALWAYS_INLINE __m256i wrap(__m256i bits) {
    const __m256i high = _mm256_srli_epi64(_mm256_maskz_permutex_epi64(3, bits, 0xE), 32);
    const __m256i low = _mm256_slli_epi64(_mm256_maskz_permutex_epi64(1, bits, 3), 32);
    const __m256i stays = _mm256_and_si256(bits, _mm256_set_epi64x(0, 0xFFFFFFFF, -1, -1));
    return _mm256_or_si256(_mm256_or_si256(high, low), stays);
}

/* Copies of a pattern of at most 32 pixels, x < 160. */
TARGET ALWAYS_INLINE __m256i copies(uint64_t pattern, unsigned mode, unsigned x, unsigned suppressed) {
    __m256i bits = pattern_at(pattern * near_copies[suppressed][mode], x);
    if (mode == 4 || mode == 6) bits = _mm256_or_si256(bits, pattern_at(pattern, x + 64));
    return wrap(bits);
}

TARGET ALWAYS_INLINE __m256i player_bits(uint32_t key) {
    const unsigned byte = key & 0xFF, mode = key >> 8 & 7, x = key >> 16 & 0xFF, suppressed = key >> 24;
    if (mode != 5 && mode != 7) return copies(byte, mode, x, suppressed);
    return copies(mode == 5 ? shape_by_two[byte] : shape_by_four[byte], mode, beam_wrap(x + 1), suppressed);
}

TARGET ALWAYS_INLINE __m256i missile_bits(uint32_t key, unsigned mode) {
    return copies((ONE << (1u << (key >> 1 & 3))) - 1, mode, key >> 16, 0);
}

TARGET ALWAYS_INLINE __m256i playfield_bits(uint32_t key) {
    const uint64_t cells = UINT64_C(0x1111111111111111); /* one pixel of each */
    const uint32_t left = (key & 15) | (uint32_t)shape_reversed[key >> 4 & 0xFF] << 4 | (key & 0xFF000);
    const uint32_t mirrored = (uint32_t)shape_reversed[left & 0xFF] << 12 |
                              (uint32_t)shape_reversed[left >> 8 & 0xFF] << 4 | shape_reversed[left >> 16] >> 4;
    const uint32_t right = key >> 20 ? mirrored : left;
    const uint64_t low = _pdep_u64(left, cells) * 15, high = _pdep_u64(left >> 16, cells) * 15;
    const uint64_t right_low = _pdep_u64(right, cells) * 15, right_high = _pdep_u64(right >> 16, cells) * 15;
    return _mm256_set_epi64x(0, (long long)(right_low >> 48 | right_high << 16), (long long)(high | right_low << 16),
                             (long long)low);
}

TARGET ALWAYS_INLINE void mask_build(row_mask *m, int object, uint32_t key) {
    if (!key)
        keep(m, _mm256_setzero_si256());
    else if (object == PF)
        keep(m, playfield_bits(key));
    else if (object < M0)
        keep(m, player_bits(key));
    else
        keep(m, missile_bits(key, object == BL ? 0 : key >> 8 & 7));
}

/* The pixels before x. */
TARGET ALWAYS_INLINE __m256i before(unsigned x) {
    const __m256i end = _mm256_set_epi64x(256, 192, 128, 64), at = _mm256_set1_epi64x((long long)x);
    return _mm256_srlv_epi64(_mm256_set1_epi64x(-1), _mm256_subs_epu16(end, at));
}

TARGET ALWAYS_INLINE void mask_splice(row_mask *row, const row_mask *mask, unsigned x) {
    keep(row, _mm256_ternarylogic_epi64(before(x), load(row), load(mask), 0xCA));
}

TARGET ALWAYS_INLINE bool masks_meet(const row_mask *a, const row_mask *b, unsigned from, unsigned to) {
    const __m256i both = _mm256_and_si256(load(a), load(b));
    return !_mm256_testz_si256(both, both) && !_mm256_testz_si256(both, _mm256_andnot_si256(before(from), before(to)));
}

/* --- pixels --------------------------------------------------------------------------------------------- */

static const uint64_t left_half[3] = {UINT64_MAX, 0xFFFF, 0};

TARGET ALWAYS_INLINE __m512i lay(__m512i pixels, uint64_t where, uint8_t gray) {
    return _mm512_mask_blend_epi8(where, pixels, _mm512_set1_epi8((char)gray));
}

/* Which pixels of a word are from..to-1. */
static inline uint64_t range_in_word(unsigned word, unsigned from, unsigned to) {
    uint64_t range = UINT64_MAX;
    if (from > 64 * word) range <<= from - 64 * word;
    if (to < 64 * word + 64) range &= UINT64_MAX >> (64 * word + 64 - to);
    return range;
}

/* Sixty-four pixels of the row. */
TARGET ALWAYS_INLINE __m512i compose_word(const engine *e, unsigned word, unsigned present) {
    const uint64_t player0 = e->row[P0].word[word] | e->row[M0].word[word], field = e->row[PF].word[word];
    const uint64_t ball = e->row[BL].word[word], left = field & left_half[word], right = field & ~left_half[word];
    uint64_t player1 = e->row[P1].word[word] | e->row[M1].word[word];
    __m512i pixels = _mm512_set1_epi8((char)e->background);
    if (e->playfield_first) {
        if (present & (1 << P1 | 1 << M1)) pixels = lay(pixels, player1, e->player[1]);
        if (present & (1 << P0 | 1 << M0)) pixels = lay(pixels, player0, e->player[0]);
        if (present & 1 << BL) pixels = lay(pixels, ball, e->ball);
        if (!(present & 1 << PF)) return pixels;
        if (word < 2) pixels = lay(pixels, left, e->playfield[0]);
        if (word > 0) pixels = lay(pixels, right, e->playfield[1]);
        return pixels;
    }
    if (present & 1 << BL) pixels = lay(pixels, ball, e->ball);
    if (present & 1 << PF) {
        if (word < 2) pixels = lay(pixels, left, e->playfield[0]);
        if (word > 0) pixels = lay(pixels, right, e->playfield[1]);
        if (e->hides_player1) player1 &= ~left;
    }
    if (present & (1 << P1 | 1 << M1)) pixels = lay(pixels, player1, e->player[1]);
    if (present & (1 << P0 | 1 << M0)) pixels = lay(pixels, player0, e->player[0]);
    return pixels;
}

TARGET ALWAYS_INLINE void line_compose(engine *e) {
    const unsigned present = e->present | e->cut;
    const __m512i a = compose_word(e, 0, present), b = compose_word(e, 1, present), c = compose_word(e, 2, present);
    _mm512_store_si512(e->line, a);
    _mm512_store_si512(e->line + 64, b);
    _mm512_store_si512(e->line + 128, c);
}

TARGET ALWAYS_INLINE void line_compose_part(engine *e, unsigned from, unsigned to) {
    const unsigned present = e->present | e->cut;
    for (unsigned word = from / 64; word <= (to - 1) / 64; word++) {
        uint8_t *at = e->line + 64 * word;
        const __m512i pixels = compose_word(e, word, present);
        _mm512_store_si512(at, _mm512_mask_blend_epi8(range_in_word(word, from, to), _mm512_load_si512(at), pixels));
    }
}

TARGET ALWAYS_INLINE void line_put(engine *e, uint8_t *row) {
    __m512i a = _mm512_load_si512(e->line), b = _mm512_load_si512(e->line + 64), c = _mm512_load_si512(e->line + 128);
    if (e->blank_from < 8) a = lay(a, 0xFF & ~((1u << e->blank_from) - 1), e->gray.gray[0]);
    if (e->gray.pool) {
        a = _mm512_max_epu8(a, _mm512_load_si512(row));
        b = _mm512_max_epu8(b, _mm512_load_si512(row + 64));
        c = _mm512_max_epu8(c, _mm512_load_si512(row + 128));
    }
    _mm512_store_si512(row, a);
    _mm512_store_si512(row + 64, b);
    _mm512_store_si512(row + 128, c);
}

/* -------------------------------------------------------------------------------------------------------- */

#include "engine_walk.inc"

const engine_loops engine_avx512 = {"avx512", follow_log};
#endif
