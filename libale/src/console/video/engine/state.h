/* The engine's state during a frame, private to engine.c and the loops. */
#ifndef ALE_ENGINE_STATE_H
#define ALE_ENGINE_STATE_H

#include "../shapes.h"
#include "engine.h"

/* Pixels of a row: pixel x is bit x % 64 of word x / 64; the fourth word is 0. */
typedef struct row_mask {
    _Alignas(32) uint64_t word[4];
} row_mask;

struct engine {
    _Alignas(GRAY_ALIGNMENT) uint8_t line[GRAY_STRIDE]; /* the row, as far as it is drawn */
    uint8_t line_cover[GRAY_STRIDE];                    /* and what covers its pixels, if that is wanted */
    uint8_t first_frame[GRAY_STRIDE]; /* pooling: the row of the first frame that its next, marked rows equal */
    row_mask mask[OBJECTS];                             /* of the objects' keys, unless they are stale */
    row_mask row[OBJECTS];                              /* of the row: differs where the object is cut */
    uint32_t key[OBJECTS];
    uint8_t pending; /* objects whose keys are not those of the state yet, as bits; and COLOURS */
    uint8_t stale;   /* objects whose masks are not those of their keys yet */
    uint8_t present; /* objects with a key other than 0 */
    uint8_t cut;     /* objects that changed in mid-row */
    bool black;      /* VBLANK */
    bool row_ended;  /* the end of the row above has yet to take effect */
    bool whole;      /* `line` is the whole row under the present state, whose collisions are latched */
    bool hmove_blanks;
    bool asleep;     /* the state was followed without the engine, or not at all yet */
    /* Grays of the present state; the playfield's two are those of the left and of the right half. */
    uint8_t background, ball, playfield[2], player[2];
    bool playfield_first, hides_player1; /* priority; score mode, in which the left half lies over player 1 */
    /* The row: */
    uint32_t row_start;  /* clock */
    uint32_t number;
    unsigned first;      /* pixels before this one are drawn, and their collisions latched */
    unsigned blank_from; /* HMOVE blank: these pixels up to the eighth are black */
    unsigned blank_above; /* the same of the row above */
    uint32_t hmove_row;  /* where the row of the latest HMOVE that moved nothing begins, plus 1, or 0: its blank is
                            noted here and not in the state */
    uint32_t quiet;      /* up to this clock the beam only moves on in the row */
    /* What is wanted, and how: */
    tia_raster *raster;
    uint16_t *latch;
    uint16_t pairs;
    uint16_t missing; /* while the log is followed: of these, those that are not latched */
    uint16_t above; /* where each row has a latch of its own, that of the row above; else 0 */
    uint32_t start, end; /* the window's clocks */
    uint32_t rows;       /* to be drawn */
    gray_target gray;
    uint8_t *cover;      /* what covers the pixels goes here, too; or NULL */
    uint32_t stride;     /* of the rows */
    const engine_loops *loops;
    void *memory; /* that it is part of */
};

/* Of a word's pixels those before x. */
static inline uint64_t pixels_before(unsigned x, unsigned word) {
    if (x <= 64 * word) return 0;
    return x >= 64 * word + 64 ? UINT64_MAX : (UINT64_C(1) << x % 64) - 1;
}

/* Pairs that are to be looked for. */
static inline unsigned pairs_missing(const engine *e) { return e->missing; }

/* Go on from a state that was followed without the engine. */
void engine_take_up(engine *e, const tia_raster *state);

/* What covers the pixels from..to-1 of the row is noted; and goes out, up to pixel `to`. */
void engine_cover(engine *e, unsigned from, unsigned to);
void engine_put_cover(const engine *e, uint32_t row, unsigned to);

#endif
