/* The engine's loops for NEON: 64 pixels of a row are four registers. */
#include "loops.h"

#ifdef ENGINE_NEON
#include <arm_neon.h>

#define TARGET

#include "words.inc"

/* --- pixels --------------------------------------------------------------------------------------------- */

/* A byte for each of sixteen bits of a word: 0xFF where it is set. */
ALWAYS_INLINE uint8x16_t spread(uint64_t word, unsigned part) {
    const uint8x16_t bit_of = vreinterpretq_u8_u64(vdupq_n_u64(UINT64_C(0x8040201008040201)));
    const uint8x16_t bytes = vreinterpretq_u8_u64(vdupq_n_u64(word));
    const uint8x16_t byte_of = vcombine_u8(vdup_n_u8((uint8_t)(2 * part)), vdup_n_u8((uint8_t)(2 * part + 1)));
    return vtstq_u8(vqtbl1q_u8(bytes, byte_of), bit_of);
}

ALWAYS_INLINE void load_pixels(uint8x16_t pixels[4], const uint8_t *from) {
    for (unsigned i = 0; i < 4; i++) pixels[i] = vld1q_u8(from + 16 * i);
}

ALWAYS_INLINE void store_pixels(uint8_t *to, const uint8x16_t pixels[4]) {
    for (unsigned i = 0; i < 4; i++) vst1q_u8(to + 16 * i, pixels[i]);
}

ALWAYS_INLINE void lay(uint8x16_t pixels[4], uint64_t where, uint8_t gray) {
    if (!where) return;
    const uint8x16_t shade = vdupq_n_u8(gray);
    for (unsigned i = 0; i < 4; i++) pixels[i] = vbslq_u8(spread(where, i), shade, pixels[i]);
}

ALWAYS_INLINE void lay_field(uint8x16_t pixels[4], const engine *e, unsigned word) {
    const uint64_t field = e->row[PF].word[word], ball = e->row[BL].word[word];
    if (e->playfield[0] == e->ball && e->playfield[1] == e->ball) { /* mostly */
        lay(pixels, field | ball, e->ball);
        return;
    }
    lay(pixels, ball, e->ball);
    lay(pixels, field & left_half[word], e->playfield[0]);
    lay(pixels, field & ~left_half[word], e->playfield[1]);
}

ALWAYS_INLINE void lay_players(uint8x16_t pixels[4], const engine *e, unsigned word) {
    uint64_t player1 = e->row[P1].word[word] | e->row[M1].word[word];
    if (e->hides_player1) player1 &= ~(e->row[PF].word[word] & left_half[word]);
    lay(pixels, player1, e->player[1]);
    lay(pixels, e->row[P0].word[word] | e->row[M0].word[word], e->player[0]);
}

ALWAYS_INLINE void compose_word(uint8x16_t pixels[4], const engine *e, unsigned word) {
    for (unsigned i = 0; i < 4; i++) pixels[i] = vdupq_n_u8(e->background);
    if (e->playfield_first) {
        lay_players(pixels, e, word);
        lay_field(pixels, e, word);
    } else {
        lay_field(pixels, e, word);
        lay_players(pixels, e, word);
    }
}

static inline void line_compose(engine *e) {
    for (unsigned word = 0; word < 3; word++) {
        uint8x16_t pixels[4];
        compose_word(pixels, e, word);
        store_pixels(e->line + 64 * word, pixels);
    }
}

static inline void line_compose_part(engine *e, unsigned from, unsigned to) {
    for (unsigned word = from / 64; word <= (to - 1) / 64; word++) {
        const uint64_t range = pixels_before(to, word) & ~pixels_before(from, word);
        uint8x16_t old[4], new[4];
        load_pixels(old, e->line + 64 * word);
        compose_word(new, e, word);
        for (unsigned i = 0; i < 4; i++) new[i] = vbslq_u8(spread(range, i), new[i], old[i]);
        store_pixels(e->line + 64 * word, new);
    }
}

static inline void line_put(engine *e, uint8_t *row, const uint8_t *pooled) {
    uint8x16_t first = vld1q_u8(e->line);
    if (e->blank_from < 8) {
        const uint8x16_t blank = spread(0xFF & ~(uint64_t)0 << e->blank_from, 0);
        first = vbslq_u8(blank, vdupq_n_u8(e->gray.gray[0]), first);
    }
    const bool pool = e->gray.pool;
    vst1q_u8(row, pool ? vmaxq_u8(first, vld1q_u8(pooled)) : first);
    for (unsigned x = 16; x < SCREEN_WIDTH; x += 16) {
        const uint8x16_t pixels = vld1q_u8(e->line + x);
        vst1q_u8(row + x, pool ? vmaxq_u8(pixels, vld1q_u8(pooled + x)) : pixels);
    }
}

/* -------------------------------------------------------------------------------------------------------- */

#include "walk.inc"

const engine_loops engine_neon = {"neon", follow_log};
#endif
