/* The engine's loops for any processor: a row of pixels is bytes, eight of which are painted at once. */
#include "loops.h"

#include <string.h>

#include "../../../support/bytes.h"

#define TARGET

#include "words.inc"

/* --- pixels --------------------------------------------------------------------------------------------- */

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

static inline void line_put(engine *e, uint8_t *row, const uint8_t *pooled) {
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
    bytes_store(row, brighter(bytes_load(pooled), first));
    for (unsigned x = 8; x < SCREEN_WIDTH; x += 8)
        bytes_store(row + x, brighter(bytes_load(pooled + x), bytes_load(e->line + x)));
}

/* -------------------------------------------------------------------------------------------------------- */

#include "walk.inc"

const engine_loops engine_plain = {"plain", follow_log};
