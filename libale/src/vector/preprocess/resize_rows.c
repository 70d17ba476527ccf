/* The loops of resizing, in plain C and for SSSE3, AVX2, AVX-512 and NEON; all give the same numbers. */
#include "resize_rows.h"

#include <math.h>
#include <string.h>

#include "../../support/always_inline.h"
#include "../../support/processor.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_X86
#include <immintrin.h>
#elif defined(__aarch64__)
#define HAVE_NEON
#include <arm_neon.h>
#endif

/* ---- Plain C ------------------------------------------------------------------------------------------- */

ALWAYS_INLINE void narrow(const tap_group *groups, size_t count, int size, const uint8_t *row, uint16_t *sums) {
    for (const tap_group *g = groups; g < groups + count; g++)
        for (int i = 0; i < 2 * size; i += 2) {
            unsigned sum = 0;
            for (int tap = 0; tap < MOST_TAPS; tap++)
                sum += (unsigned)row[g->from + tap / 2 * 2 + g->take[i + tap % 2]] * g->part[tap / 2][i + tap % 2];
            *sums++ = (uint16_t)sum;
        }
}

static void narrow_portable(const tap_group *groups, size_t count, const uint8_t *row, uint16_t *sums) {
    narrow(groups, count, GROUP, row, sums);
}

static void narrow_halves_portable(const tap_group *groups, size_t count, const uint8_t *row, uint16_t *sums) {
    narrow(groups, count, HALF_GROUP, row, sums);
}

/* Compilers make vector instructions of it, each function below that holds it for its processor. */
ALWAYS_INLINE bool weigh(const uint16_t *const rows[], const uint16_t parts[], int count, const row_division *by,
                         size_t width, uint16_t *restrict sums, uint8_t *restrict out, uint32_t *restrict multiples) {
    const uint32_t multiplier = by->multiplier;
    const uint16_t divisor = by->divisor, half = divisor / 2;
    const unsigned pre = by->pre_shift, shift = by->shift;
    int done = 1;
    const uint16_t *restrict first = rows[0];
    for (size_t i = 0; i < width; i++) sums[i] = (uint16_t)(half + parts[0] * first[i]);
    for (; done + 1 < count; done += 2) {
        const uint16_t *restrict a = rows[done], *restrict b = rows[done + 1];
        const uint16_t of_a = parts[done], of_b = parts[done + 1];
        for (size_t i = 0; i < width; i++) sums[i] = (uint16_t)(sums[i] + of_a * a[i] + of_b * b[i]);
    }
    if (done < count) {
        const uint16_t *restrict a = rows[done];
        const uint16_t of_a = parts[done];
        for (size_t i = 0; i < width; i++) sums[i] = (uint16_t)(sums[i] + of_a * a[i]);
    }
    uint16_t multiple = 0;
    for (size_t i = 0; i < width; i++) {
        uint16_t quotient = (uint16_t)((uint16_t)((uint16_t)(sums[i] >> pre) * multiplier >> 16) >> shift);
        multiple |= (uint16_t)(sums[i] == (uint16_t)(quotient * divisor));
        out[i] = (uint8_t)quotient;
    }
    if (!multiple) return false;
    memset(multiples, 0, (width + WIDE_GROUP - 1) / WIDE_GROUP * sizeof *multiples);
    for (size_t i = 0; i < width; i++)
        multiples[i / WIDE_GROUP] |= (uint32_t)(sums[i] == (uint16_t)(out[i] * divisor)) << i % WIDE_GROUP;
    return true;
}

static bool weigh_portable(const uint16_t *const rows[], const uint16_t parts[], int count,
                           const row_division *by, size_t width, uint16_t *restrict sums,
                           uint8_t *restrict out, uint32_t *restrict multiples) {
    return weigh(rows, parts, count, by, width, sums, out, multiples);
}

static bool may_be_half(float value, float near_half) {
    return fabsf(value - (float)(int32_t)(value + 0.5f)) > near_half;
}

static bool weigh_floats_portable(const uint16_t *const rows[], const float parts[], int count,
                                  const float_division *by, size_t width, float *restrict sums,
                                  uint8_t *restrict out, uint32_t *restrict halves) {
    const float inverse = by->inverse, near_half = by->near_half;
    unsigned some = 0;
    for (size_t i = 0; i < width; i++) sums[i] = 0;
    for (int j = 0; j < count; j++) {
        const uint16_t *restrict row = rows[j];
        const float part = parts[j];
        for (size_t i = 0; i < width; i++) sums[i] += part * (float)row[i];
    }
    for (size_t i = 0; i < width; i++) {
        const float value = sums[i] * inverse;
        out[i] = (uint8_t)(int32_t)(value + 0.5f);
        some |= may_be_half(value, near_half);
    }
    if (!some) return false;
    memset(halves, 0, (width + WIDE_GROUP - 1) / WIDE_GROUP * sizeof *halves);
    for (size_t i = 0; i < width; i++)
        halves[i / WIDE_GROUP] |= (uint32_t)may_be_half(sums[i] * inverse, near_half) << i % WIDE_GROUP;
    return true;
}

static const row_loops portable = {
    .name = "portable",
    .narrow = narrow_portable,
    .narrow_halves = narrow_halves_portable,
    .weigh = weigh_portable,
    .weigh_floats = weigh_floats_portable,
};

/* ---- x86-64 -------------------------------------------------------------------------------------------- */

#ifdef HAVE_X86
static __m128i load(const void *from) { return _mm_loadu_si128(from); }
__attribute__((target("avx2"))) ALWAYS_INLINE __m256i load_wide(const void *from) { return _mm256_loadu_si256(from); }

#define TARGET_SSSE3 __attribute__((target("ssse3")))

TARGET_SSSE3 ALWAYS_INLINE __m128i sums_of(const tap_group *g, const uint8_t *row) {
    const uint8_t *from = row + g->from;
    const __m128i take = load(g->take);
    return _mm_add_epi16(_mm_maddubs_epi16(_mm_shuffle_epi8(load(from), take), load(g->part[0])),
                         _mm_maddubs_epi16(_mm_shuffle_epi8(load(from + 2), take), load(g->part[1])));
}

TARGET_SSSE3 static void narrow_ssse3(const tap_group *groups, size_t count, const uint8_t *row, uint16_t *sums) {
    for (const tap_group *g = groups; g < groups + count; g++, sums += GROUP)
        _mm_storeu_si128((void *)sums, sums_of(g, row));
}

TARGET_SSSE3 static void narrow_halves_ssse3(const tap_group *groups, size_t count, const uint8_t *row,
                                             uint16_t *sums) {
    for (const tap_group *g = groups; g < groups + count; g++, sums += HALF_GROUP)
        _mm_storel_epi64((void *)sums, sums_of(g, row));
}

#define TARGET_AVX2 __attribute__((target("avx2")))

TARGET_AVX2 static void narrow_pairs_avx2(const group_pair *pairs, size_t count, const uint8_t *row, uint16_t *sums) {
    for (const group_pair *p = pairs; p < pairs + count; p++, sums += 2 * GROUP) {
        const uint8_t *from = row + p->from[0], *next = row + p->from[1];
        __m256i near, far;
        if (next - from == GROUP_BYTES) {
            near = load_wide(from);
            far = load_wide(from + 2);
        } else {
            near = _mm256_set_m128i(load(next), load(from));
            far = _mm256_set_m128i(load(next + 2), load(from + 2));
        }
        const __m256i take = load_wide(p->take);
        near = _mm256_maddubs_epi16(_mm256_shuffle_epi8(near, take), load_wide(p->part[0]));
        far = _mm256_maddubs_epi16(_mm256_shuffle_epi8(far, take), load_wide(p->part[1]));
        _mm256_storeu_si256((void *)sums, _mm256_add_epi16(near, far));
    }
}

/* Store fewer than 32 bytes.  A call of memcpy, and a load of bytes that two stores wrote, would take longer. */
TARGET_AVX2 ALWAYS_INLINE void store_some(uint8_t *to, __m256i bytes, size_t count) {
    __m128i low = _mm256_castsi256_si128(bytes);
    if (count & 16) {
        _mm_storeu_si128((void *)to, low);
        low = _mm256_extracti128_si256(bytes, 1);
        to += 16;
    }
    if (count & 8) {
        _mm_storel_epi64((void *)to, low);
        low = _mm_srli_si128(low, 8);
        to += 8;
    }
    uint32_t last = (uint32_t)_mm_cvtsi128_si32(low);
    if (count & 4) {
        memcpy(to, &last, 4);
        last = (uint32_t)_mm_extract_epi32(low, 1);
        to += 4;
    }
    for (; count & 3; count--, last >>= 8) *to++ = (uint8_t)last;
}

typedef struct wide_division { /* a row_division in registers */
    __m256i half, divisor, multiplier;
    __m128i pre, shift;
} wide_division;

/* Weigh and divide sixteen sums; in *multiple, all bits of those that are multiples of the divisor. */
TARGET_AVX2 ALWAYS_INLINE __m256i weigh_sixteen(const uint16_t *const rows[], const uint16_t parts[], int count,
                                                size_t x, const wide_division *by, __m256i *multiple) {
    __m256i sum = by->half;
    for (int j = 0; j < count; j++)
        sum = _mm256_add_epi16(sum,
                               _mm256_mullo_epi16(load_wide(rows[j] + x), _mm256_set1_epi16((short)parts[j])));
    const __m256i multiplied = _mm256_mulhi_epu16(_mm256_srl_epi16(sum, by->pre), by->multiplier);
    const __m256i quotient = _mm256_srl_epi16(multiplied, by->shift);
    *multiple = _mm256_cmpeq_epi16(sum, _mm256_mullo_epi16(quotient, by->divisor));
    return quotient;
}

TARGET_AVX2 ALWAYS_INLINE bool weigh_rows(const uint16_t *const rows[], const uint16_t parts[], int count,
                                          const row_division *by, size_t width, uint8_t *restrict out,
                                          uint32_t *restrict multiples) {
    enum { IN_ORDER = 0xD8 }; /* packing leaves the halves of both sixteens interleaved */
    const wide_division wide = {
        .half = _mm256_set1_epi16((short)(by->divisor / 2)),
        .divisor = _mm256_set1_epi16((short)by->divisor),
        .multiplier = _mm256_set1_epi16((short)by->multiplier),
        .pre = _mm_cvtsi32_si128(by->pre_shift),
        .shift = _mm_cvtsi32_si128(by->shift),
    };
    uint32_t any = 0;
    for (size_t x = 0; x < width; x += WIDE_GROUP) {
        __m256i of_low, of_high;
        const __m256i low = weigh_sixteen(rows, parts, count, x, &wide, &of_low);
        const __m256i high = weigh_sixteen(rows, parts, count, x + 16, &wide, &of_high);
        const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packus_epi16(low, high), IN_ORDER);
        const __m256i equal = _mm256_permute4x64_epi64(_mm256_packs_epi16(of_low, of_high), IN_ORDER);
        uint32_t bits = (uint32_t)_mm256_movemask_epi8(equal);
        if (width - x >= WIDE_GROUP) {
            _mm256_storeu_si256((void *)(out + x), bytes);
        } else {
            store_some(out + x, bytes, width - x);
            bits &= (UINT32_C(1) << (width - x)) - 1;
        }
        multiples[x / WIDE_GROUP] = bits;
        any |= bits;
    }
    return any;
}

/* Three rows are the usual ones: 84 of 210. */
TARGET_AVX2 static bool weigh_avx2(const uint16_t *const rows[], const uint16_t parts[], int count,
                                   const row_division *by, size_t width, uint16_t *restrict sums,
                                   uint8_t *restrict out, uint32_t *restrict multiples) {
    (void)sums;
    if (count != 3) return weigh_rows(rows, parts, count, by, width, out, multiples);
    const uint16_t *const three_rows[] = {rows[0], rows[1], rows[2]};
    const uint16_t three_parts[] = {parts[0], parts[1], parts[2]};
    return weigh_rows(three_rows, three_parts, 3, by, width, out, multiples);
}

/* Eight values; their bytes are in the low half of the result, the bits of those that may lie halfway in *half. */
TARGET_AVX2 ALWAYS_INLINE __m128i weigh_eight(const uint16_t *const rows[], const float parts[], int count, size_t x,
                                              const float_division *by, uint32_t *half) {
    __m256 sum = _mm256_setzero_ps();
    for (int j = 0; j < count; j++)
        sum = _mm256_add_ps(sum, _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(load(rows[j] + x))),
                                               _mm256_set1_ps(parts[j])));
    const __m256 value = _mm256_mul_ps(sum, _mm256_set1_ps(by->inverse));
    const __m256i whole = _mm256_cvttps_epi32(_mm256_add_ps(value, _mm256_set1_ps(0.5f)));
    const __m256 apart = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), _mm256_sub_ps(value, _mm256_cvtepi32_ps(whole)));
    *half = (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(apart, _mm256_set1_ps(by->near_half), _CMP_GT_OQ));
    const __m128i words = _mm_packus_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
    return _mm_packus_epi16(words, words);
}

TARGET_AVX2 static bool weigh_floats_avx2(const uint16_t *const rows[], const float parts[], int count,
                                          const float_division *by, size_t width, float *restrict sums,
                                          uint8_t *restrict out, uint32_t *restrict halves) {
    (void)sums;
    uint32_t some = 0;
    for (size_t x = 0; x < width; x += WIDE_GROUP) {
        const uint32_t here = width - x < WIDE_GROUP ? (UINT32_C(1) << (width - x)) - 1 : UINT32_MAX;
        uint32_t bits = 0;
        for (unsigned i = 0; i < WIDE_GROUP; i += 8) {
            uint32_t half;
            _mm_storel_epi64((void *)(out + x + i), weigh_eight(rows, parts, count, x + i, by, &half));
            bits |= half << i;
        }
        halves[x / WIDE_GROUP] = bits & here;
        some |= halves[x / WIDE_GROUP];
    }
    return some;
}

TARGET_AVX2 ALWAYS_INLINE __m256 load_pair(const tap_weights *low, const tap_weights *high) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low->of)), _mm_loadu_ps(high->of), 1);
}

/* Put the weights of eight positions together by their numbers. */
TARGET_AVX2 ALWAYS_INLINE void transpose(const tap_weights *weights, const int at[GROUP], __m256 by_tap[MOST_TAPS]) {
    const __m256 a = load_pair(&weights[at[0]], &weights[at[4]]), b = load_pair(&weights[at[1]], &weights[at[5]]);
    const __m256 c = load_pair(&weights[at[2]], &weights[at[6]]), d = load_pair(&weights[at[3]], &weights[at[7]]);
    const __m256d ab = _mm256_castps_pd(_mm256_unpacklo_ps(a, b)), ab_high = _mm256_castps_pd(_mm256_unpackhi_ps(a, b));
    const __m256d cd = _mm256_castps_pd(_mm256_unpacklo_ps(c, d)), cd_high = _mm256_castps_pd(_mm256_unpackhi_ps(c, d));
    by_tap[0] = _mm256_castpd_ps(_mm256_unpacklo_pd(ab, cd));
    by_tap[1] = _mm256_castpd_ps(_mm256_unpackhi_pd(ab, cd));
    by_tap[2] = _mm256_castpd_ps(_mm256_unpacklo_pd(ab_high, cd_high));
    by_tap[3] = _mm256_castpd_ps(_mm256_unpackhi_pd(ab_high, cd_high));
}

ALWAYS_INLINE int32_t load_taps(const uint8_t *from) {
    int32_t taps;
    memcpy(&taps, from, sizeof taps);
    return taps;
}

/* One row's sums.  The instruction that gathers them is slow on many processors. */
TARGET_AVX2 ALWAYS_INLINE __m256 sum_taps(const uint8_t *row, const int from[GROUP], const __m256 by_tap[MOST_TAPS]) {
    const __m256i pixels = _mm256_set_epi32(
        load_taps(row + from[7]), load_taps(row + from[6]), load_taps(row + from[5]), load_taps(row + from[4]),
        load_taps(row + from[3]), load_taps(row + from[2]), load_taps(row + from[1]), load_taps(row + from[0]));
    const __m256i byte = _mm256_set1_epi32(0xFF);
    const __m256 first = _mm256_cvtepi32_ps(_mm256_and_si256(pixels, byte));
    const __m256 second = _mm256_cvtepi32_ps(_mm256_and_si256(_mm256_srli_epi32(pixels, 8), byte));
    const __m256 third = _mm256_cvtepi32_ps(_mm256_and_si256(_mm256_srli_epi32(pixels, 16), byte));
    const __m256 fourth = _mm256_cvtepi32_ps(_mm256_srli_epi32(pixels, 24));
    __m256 sum = _mm256_add_ps(_mm256_mul_ps(first, by_tap[0]), _mm256_mul_ps(second, by_tap[1]));
    sum = _mm256_add_ps(sum, _mm256_mul_ps(third, by_tap[2]));
    return _mm256_add_ps(sum, _mm256_mul_ps(fourth, by_tap[3]));
}

/* Each product and each sum is rounded, in the order of the definition.  A neighbour with weight 0 changes nothing. */
TARGET_AVX2 static void define_avx2(const uint8_t *const rows[], const float of_rows[], int count, const int *first,
                                    const tap_weights *weights, const int positions[GROUP], uint8_t *out) {
    __m256 by_tap[MOST_TAPS], of_row = _mm256_setzero_ps(), sum = of_row;
    int from[GROUP];
    transpose(weights, positions, by_tap);
    for (int i = 0; i < GROUP; i++) from[i] = first[positions[i]];
    for (int j = 0; j < count; j++) {
        if (j == 0 || rows[j] != rows[j - 1]) of_row = sum_taps(rows[j], from, by_tap);
        sum = _mm256_add_ps(sum, _mm256_mul_ps(_mm256_set1_ps(of_rows[j]), of_row));
    }
    const __m256i whole = _mm256_cvtps_epi32(sum);
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
    const __m128i bytes = _mm_packus_epi16(words, words);
    uint8_t eight[GROUP];
    _mm_storel_epi64((void *)eight, bytes);
    for (int i = 0; i < GROUP; i++) out[positions[i]] = eight[i];
}

#define WIDE __attribute__((target("avx512f,avx512bw,avx512vbmi")))

WIDE static void narrow_avx512(const wide_group *groups, size_t count, const uint8_t *row, uint16_t *sums) {
    for (const wide_group *g = groups; g < groups + count; g++, sums += WIDE_GROUP) {
        const __m512i bytes = _mm512_loadu_si512(row + g->from);
        const __m512i near = _mm512_permutexvar_epi8(_mm512_loadu_si512(g->take[0]), bytes);
        const __m512i far = _mm512_permutexvar_epi8(_mm512_loadu_si512(g->take[1]), bytes);
        _mm512_storeu_si512(sums, _mm512_add_epi16(_mm512_maddubs_epi16(near, _mm512_loadu_si512(g->part[0])),
                                                   _mm512_maddubs_epi16(far, _mm512_loadu_si512(g->part[1]))));
    }
}

WIDE static bool weigh_avx512(const uint16_t *const rows[], const uint16_t parts[], int count, const row_division *by,
                              size_t width, uint16_t *restrict sums, uint8_t *restrict out,
                              uint32_t *restrict multiples) {
    const __m512i half = _mm512_set1_epi16((short)(by->divisor / 2)), divisor = _mm512_set1_epi16((short)by->divisor);
    const __m512i multiplier = _mm512_set1_epi16((short)by->multiplier);
    const __m128i pre = _mm_cvtsi32_si128(by->pre_shift), shift = _mm_cvtsi32_si128(by->shift);
    uint32_t any = 0;
    (void)sums;
    for (size_t x = 0; x < width; x += WIDE_GROUP) {
        const __mmask32 here = width - x < WIDE_GROUP ? (__mmask32)((UINT64_C(1) << (width - x)) - 1) : UINT32_MAX;
        __m512i sum = half;
        for (int j = 0; j < count; j++)
            sum = _mm512_add_epi16(sum, _mm512_mullo_epi16(_mm512_maskz_loadu_epi16(here, rows[j] + x),
                                                           _mm512_set1_epi16((short)parts[j])));
        const __m512i quotient =
            _mm512_srl_epi16(_mm512_mulhi_epu16(_mm512_srl_epi16(sum, pre), multiplier), shift);
        _mm512_mask_cvtepi16_storeu_epi8(out + x, here, quotient);
        multiples[x / WIDE_GROUP] = _mm512_mask_cmpeq_epi16_mask(here, sum, _mm512_mullo_epi16(quotient, divisor));
        any |= multiples[x / WIDE_GROUP];
    }
    return any;
}

static const row_loops ssse3 = {
    .name = "ssse3",
    .narrow = narrow_ssse3,
    .narrow_halves = narrow_halves_ssse3,
    .weigh = weigh_portable,
    .weigh_floats = weigh_floats_portable,
};
static const row_loops avx2 = {
    .name = "avx2",
    .narrow = narrow_ssse3,
    .narrow_halves = narrow_halves_ssse3,
    .narrow_pairs = narrow_pairs_avx2,
    .weigh = weigh_avx2,
    .weigh_floats = weigh_floats_avx2,
    .define = define_avx2,
};
static const row_loops avx512 = {
    .name = "avx512",
    .narrow = narrow_ssse3,
    .narrow_halves = narrow_halves_ssse3,
    .narrow_pairs = narrow_pairs_avx2,
    .narrow_wide = narrow_avx512,
    .weigh = weigh_avx512,
    .weigh_floats = weigh_floats_avx2,
    .define = define_avx2,
};
#endif

/* ---- AArch64: NEON is always there, for the plain loop too ---------------------------------------------- */

#ifdef HAVE_NEON
static uint16x8_t add_pairs(const uint8_t *from, uint8x16_t take, const uint8_t *parts) {
    const uint8x16_t pixels = vqtbl1q_u8(vld1q_u8(from), take), part = vld1q_u8(parts);
    return vpaddq_u16(vmull_u8(vget_low_u8(pixels), vget_low_u8(part)), vmull_high_u8(pixels, part));
}

static uint16x8_t sums_of(const tap_group *g, const uint8_t *row) {
    const uint8_t *from = row + g->from;
    const uint8x16_t take = vld1q_u8(g->take);
    return vaddq_u16(add_pairs(from, take, g->part[0]), add_pairs(from + 2, take, g->part[1]));
}

static void narrow_neon(const tap_group *groups, size_t count, const uint8_t *row, uint16_t *sums) {
    for (const tap_group *g = groups; g < groups + count; g++, sums += GROUP) vst1q_u16(sums, sums_of(g, row));
}

static void narrow_halves_neon(const tap_group *groups, size_t count, const uint8_t *row, uint16_t *sums) {
    for (const tap_group *g = groups; g < groups + count; g++, sums += HALF_GROUP)
        vst1_u16(sums, vget_low_u16(sums_of(g, row)));
}

static const row_loops neon = {
    .name = "neon",
    .narrow = narrow_neon,
    .narrow_halves = narrow_halves_neon,
    .weigh = weigh_portable,
    .weigh_floats = weigh_floats_portable,
};
#endif

/* ---- Choice -------------------------------------------------------------------------------------------- */

const row_loops *row_loops_number(int n) {
#ifdef HAVE_X86
    if (processor_has_avx512_vbmi() && processor_has_avx2() && n-- == 0) return &avx512;
    if (processor_has_avx2() && n-- == 0) return &avx2;
    if (processor_has_ssse3() && n-- == 0) return &ssse3;
#endif
#ifdef HAVE_NEON
    if (n-- == 0) return &neon;
#endif
    return n == 0 ? &portable : NULL;
}
