/* The engine's loops for any processor: a row of pixels is bytes, eight of which are painted at once. */
#include "engine_loops.h"

#include <string.h>

#include "../../support/always_inline.h"
#include "../../support/bytes.h"
#include "engine_state.h"

#define TARGET

/* --- masks ---------------------------------------------------------------------------------------------- */

typedef row_mask row_bits;

static inline void keep(row_mask *m, row_bits bits) { *m = bits; }
static inline row_bits no_bits(void) { return (row_bits){{0}}; }
static inline row_bits bits_of(uint64_t a, uint64_t b, uint64_t c) { return (row_bits){{a, b, c}}; }

static inline row_bits either(row_bits a, row_bits b) {
    for (unsigned i = 0; i < 4; i++) a.word[i] |= b.word[i];
    return a;
}

ALWAYS_INLINE row_bits pattern_at(uint64_t pattern, unsigned x) {
    const unsigned word = x / 64, shift = x % 64;
    row_bits bits = {{0}};
    bits.word[word] = pattern << shift;
    if (shift && word < 3) bits.word[word + 1] = pattern >> (64 - shift);
    return bits;
}

ALWAYS_INLINE row_bits wrap(row_bits bits) {
    const uint64_t *w = bits.word;
    return (row_bits){{w[0] | w[2] >> 32 | w[3] << 32, w[1] | w[3] >> 32, w[2] & UINT32_MAX}};
}

static inline void mask_splice(row_mask *row, const row_mask *mask, unsigned x) {
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t stays = pixels_before(x, i);
        row->word[i] = (row->word[i] & stays) | (mask->word[i] & ~stays);
    }
}

static inline bool masks_meet(const row_mask *a, const row_mask *b, unsigned from, unsigned to) {
    const uint64_t both[3] = {a->word[0] & b->word[0], a->word[1] & b->word[1], a->word[2] & b->word[2]};
    if (!(both[0] | both[1] | both[2])) return false;
    for (unsigned i = 0; i < 3; i++)
        if (both[i] & pixels_before(to, i) & ~pixels_before(from, i)) return true;
    return false;
}

#include "engine_masks.inc"

/* --- pixels --------------------------------------------------------------------------------------------- */

static const uint64_t left_half[3] = {UINT64_MAX, 0xFFFF, 0};

/* Pixels of a word, which have the background's gray. */
static inline void compose_word(engine *e, unsigned word, uint64_t ours) {
    uint64_t player0 = (e->row[P0].word[word] | e->row[M0].word[word]) & ours;
    uint64_t player1 = (e->row[P1].word[word] | e->row[M1].word[word]) & ours;
    uint64_t field = e->row[PF].word[word] & ours, ball = e->row[BL].word[word] & ours;
    if (!(player0 | player1 | field | ball)) return;
    /* Of what lies upon each other only the uppermost shows. */
    if (e->playfield_first) {
        ball &= ~field;
        player0 &= ~(field | ball);
        player1 &= ~(field | ball | player0);
    } else {
        if (e->hides_player1) player1 &= ~(field & left_half[word]);
        player1 &= ~player0;
        field &= ~(player0 | player1);
        ball &= ~(player0 | player1 | field);
    }
    uint8_t *pixels = e->line + 64 * word;
    shape_paint(pixels, player0, e->background ^ e->player[0]);
    shape_paint(pixels, player1, e->background ^ e->player[1]);
    shape_paint(pixels, ball, e->background ^ e->ball);
    if (e->playfield[0] != e->playfield[1]) {
        shape_paint(pixels, field & ~left_half[word], e->background ^ e->playfield[1]);
        field &= left_half[word];
    }
    shape_paint(pixels, field, e->background ^ e->playfield[0]);
}

static inline void line_compose(engine *e) {
    memset(e->line, e->background, SCREEN_WIDTH);
    for (unsigned i = 0; i < 3; i++) compose_word(e, i, UINT64_MAX);
}

static inline void line_compose_part(engine *e, unsigned from, unsigned to) {
    memset(e->line + from, e->background, to - from);
    for (unsigned i = from / 64; i <= (to - 1) / 64; i++)
        compose_word(e, i, pixels_before(to, i) & ~pixels_before(from, i));
}

/* Of eight bytes each, the greater ones. */
static inline uint64_t brighter(uint64_t a, uint64_t b) {
    const uint64_t high = UINT64_C(0x8080808080808080);
    const uint64_t low_is_less = ~((a | high) - (b & ~high)) & high; /* in the bits below the highest */
    const uint64_t less = ((~a & b) | (~(a ^ b) & low_is_less)) & high;
    return a ^ ((a ^ b) & (less >> 7) * 0xFF);
}

static inline void line_put(engine *e, uint8_t *row) {
    uint64_t first = bytes_load(e->line);
    if (e->blank_from < 8) {
        const uint64_t blank = UINT64_MAX << 8 * e->blank_from;
        first = (first & ~blank) | (e->gray.gray[0] * UINT64_C(0x0101010101010101) & blank);
    }
    if (!e->gray.pool) {
        memcpy(row, e->line, SCREEN_WIDTH);
        bytes_store(row, first);
        return;
    }
    bytes_store(row, brighter(bytes_load(row), first));
    for (unsigned x = 8; x < SCREEN_WIDTH; x += 8)
        bytes_store(row + x, brighter(bytes_load(row + x), bytes_load(e->line + x)));
}

/* -------------------------------------------------------------------------------------------------------- */

#include "engine_walk.inc"

const engine_loops engine_plain = {"plain", follow_log};
