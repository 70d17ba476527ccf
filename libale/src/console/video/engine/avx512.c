/* The engine's loops for AVX-512 and BMI2: a row of pixels is three registers, a mask of it three mask registers. */
#include "loops.h"

#ifdef ENGINE_X86
#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi,bmi2,popcnt")))

#include "x86.inc"

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

TARGET ALWAYS_INLINE void line_put(engine *e, uint8_t *row, const uint8_t *pooled) {
    __m512i a = _mm512_load_si512(e->line), b = _mm512_load_si512(e->line + 64);
    if (e->blank_from < 8) a = lay(a, 0xFF & ~((1u << e->blank_from) - 1), e->gray.gray[0]);
    __m256i end = _mm256_load_si256((const __m256i *)(const void *)(e->line + 128));
    if (e->gray.pool) {
        a = _mm512_max_epu8(a, _mm512_loadu_si512(pooled));
        b = _mm512_max_epu8(b, _mm512_loadu_si512(pooled + 64));
        end = _mm256_max_epu8(end, _mm256_loadu_si256((const __m256i *)(const void *)(pooled + 128)));
    }
    _mm512_storeu_si512(row, a);
    _mm512_storeu_si512(row + 64, b);
    _mm256_storeu_si256((__m256i *)(void *)(row + 128), end);
}

/* -------------------------------------------------------------------------------------------------------- */

#include "walk.inc"

const engine_loops engine_avx512 = {"avx512", follow_log};
#endif
