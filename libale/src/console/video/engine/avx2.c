/* The engine's loops for AVX2: a row of pixels is five registers.
 *
 * Of BMI2 shifts are used, not pdep and pext, which are slow on some processors. */
#include "loops.h"

#ifdef ENGINE_X86
#include <string.h>

#define TARGET __attribute__((target("avx2,bmi,bmi2")))

#include "x86.inc"

/* --- pixels --------------------------------------------------------------------------------------------- */

/* Thirty-two pixels each. */
typedef struct row_pixels {
    __m256i a, b, c, d, e;
} row_pixels;

/* A byte for each of 32 bits of a mask: 0xFF where it is set. */
TARGET ALWAYS_INLINE __m256i spread(const row_mask *m, unsigned part) {
    const __m256i byte_of = _mm256_set_epi64x(0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
    const __m256i bit_of = _mm256_set1_epi64x((long long)UINT64_C(0x8040201008040201));
    int bits;
    memcpy(&bits, (const uint8_t *)m + 4 * part, sizeof bits);
    const __m256i bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(bits), byte_of);
    return _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit_of), bit_of);
}

TARGET ALWAYS_INLINE row_pixels lay(row_pixels p, __m256i where, uint8_t gray) {
    const __m256i shade = _mm256_set1_epi8((char)gray);
    row_mask m;
    keep(&m, where);
    return (row_pixels){
        _mm256_blendv_epi8(p.a, shade, spread(&m, 0)), _mm256_blendv_epi8(p.b, shade, spread(&m, 1)),
        _mm256_blendv_epi8(p.c, shade, spread(&m, 2)), _mm256_blendv_epi8(p.d, shade, spread(&m, 3)),
        _mm256_blendv_epi8(p.e, shade, spread(&m, 4)),
    };
}

TARGET ALWAYS_INLINE __m256i left_half(void) { return _mm256_set_epi64x(0, 0, 0xFFFF, -1); }

/* Ball and playfield, mostly of one colour. */
TARGET ALWAYS_INLINE row_pixels lay_field(row_pixels p, const engine *e, unsigned present) {
    const __m256i field = load(&e->row[PF]), ball = load(&e->row[BL]);
    if (e->playfield[0] == e->ball && e->playfield[1] == e->ball) {
        if (present & (1 << PF | 1 << BL)) p = lay(p, _mm256_or_si256(field, ball), e->ball);
        return p;
    }
    if (present & 1 << BL) p = lay(p, ball, e->ball);
    if (present & 1 << PF) {
        p = lay(p, _mm256_and_si256(field, left_half()), e->playfield[0]);
        p = lay(p, _mm256_andnot_si256(left_half(), field), e->playfield[1]);
    }
    return p;
}

TARGET ALWAYS_INLINE row_pixels lay_players(row_pixels p, const engine *e, unsigned present) {
    if (present & (1 << P1 | 1 << M1)) {
        __m256i player1 = _mm256_or_si256(load(&e->row[P1]), load(&e->row[M1]));
        if (e->hides_player1) player1 = _mm256_andnot_si256(_mm256_and_si256(load(&e->row[PF]), left_half()), player1);
        p = lay(p, player1, e->player[1]);
    }
    if (present & (1 << P0 | 1 << M0))
        p = lay(p, _mm256_or_si256(load(&e->row[P0]), load(&e->row[M0])), e->player[0]);
    return p;
}

TARGET ALWAYS_INLINE row_pixels compose(const engine *e) {
    const unsigned present = e->present | e->cut;
    const __m256i shade = _mm256_set1_epi8((char)e->background);
    const row_pixels background = {shade, shade, shade, shade, shade};
    return e->playfield_first ? lay_field(lay_players(background, e, present), e, present)
                              : lay_players(lay_field(background, e, present), e, present);
}

TARGET ALWAYS_INLINE row_pixels line_load(const uint8_t *line) {
    const __m256i *at = (const __m256i *)(const void *)line;
    return (row_pixels){_mm256_loadu_si256(at), _mm256_loadu_si256(at + 1), _mm256_loadu_si256(at + 2),
                        _mm256_loadu_si256(at + 3), _mm256_loadu_si256(at + 4)};
}

TARGET ALWAYS_INLINE void line_store(uint8_t *line, row_pixels p) {
    __m256i *at = (__m256i *)(void *)line;
    _mm256_storeu_si256(at, p.a);
    _mm256_storeu_si256(at + 1, p.b);
    _mm256_storeu_si256(at + 2, p.c);
    _mm256_storeu_si256(at + 3, p.d);
    _mm256_storeu_si256(at + 4, p.e);
}

TARGET ALWAYS_INLINE void line_compose(engine *e) { line_store(e->line, compose(e)); }

TARGET ALWAYS_INLINE void line_compose_part(engine *e, unsigned from, unsigned to) {
    row_mask range;
    keep(&range, _mm256_andnot_si256(before(from), before(to)));
    const row_pixels old = line_load(e->line), new = compose(e);
    line_store(e->line, (row_pixels){
                            _mm256_blendv_epi8(old.a, new.a, spread(&range, 0)),
                            _mm256_blendv_epi8(old.b, new.b, spread(&range, 1)),
                            _mm256_blendv_epi8(old.c, new.c, spread(&range, 2)),
                            _mm256_blendv_epi8(old.d, new.d, spread(&range, 3)),
                            _mm256_blendv_epi8(old.e, new.e, spread(&range, 4)),
                        });
}

TARGET ALWAYS_INLINE void line_put(engine *e, uint8_t *row, const uint8_t *pooled) {
    row_pixels p = line_load(e->line);
    if (e->blank_from < 8) {
        const row_mask blank = {{0xFF & ~((1u << e->blank_from) - 1)}};
        p.a = _mm256_blendv_epi8(p.a, _mm256_set1_epi8((char)e->gray.gray[0]), spread(&blank, 0));
    }
    if (e->gray.pool) {
        const row_pixels other = line_load(pooled);
        p = (row_pixels){_mm256_max_epu8(p.a, other.a), _mm256_max_epu8(p.b, other.b), _mm256_max_epu8(p.c, other.c),
                         _mm256_max_epu8(p.d, other.d), _mm256_max_epu8(p.e, other.e)};
    }
    line_store(row, p);
}

/* -------------------------------------------------------------------------------------------------------- */

#include "walk.inc"

const engine_loops engine_avx2 = {"avx2", follow_log};
#endif
