/* The engine: one walk through the log of a frame for all that is wanted of it - the beam's state, collisions, and
 * rows of pixels, in gray or in the colours' numbers.
 *
 *     engine_start(e, &state, &target, &gray);                     the state is that before the first access
 *     engine_run(e, &state, access, count, &latch, pairs);         as often as there are more accesses
 *     engine_drew_all(e)                                           the rows are complete
 *
 * An object's place in a row is a mask of 160 bits.  An access that changes an object changes its mask from the pixel
 * on at which the beam is; only where colours change in mid-row is a row drawn in parts.  Rows are made of the masks
 * by wide registers; two frames in gray are pooled on the way.  A frame that is not drawn is followed in the same way,
 * but looks only for collisions: objects of which no wanted pair can show are not looked at until one can.
 *
 * What it does not do is to draw as the reference does beyond the end of a frame that ends early (pixels.c): then the
 * rows are not complete, and are to be had by other ways. */
#ifndef ALE_ENGINE_H
#define ALE_ENGINE_H

#include "../../../support/arena.h"
#include "../beam.h"

/* Bytes from one gray row to the next, of which SCREEN_WIDTH count. */
enum { GRAY_STRIDE = 192, GRAY_ALIGNMENT = 64 };

/* Where gray rows go. */
typedef struct gray_target {
    const uint8_t *gray; /* of each colour */
    uint8_t *rows;       /* raster_target.rows, aligned; NULL: nothing is to be drawn */
    bool pool;           /* the brighter of what is there and of this frame */
    uint8_t *marks;      /* a byte for each row, 1: it equals the row above and was not stored; or NULL: all rows are */
} gray_target;

/* A frame to be drawn: the state that it begins with, at the start of the window, and its accesses. */
typedef struct frame_view {
    const tia_raster *start;
    const tia_access *access;
    uint32_t count;
} frame_view;

typedef struct engine engine;

bool engine_is_wide(void); /* whether this processor has wide registers: without them, other ways draw faster */
engine *engine_create(arena *a); /* which lies there (NULL: by itself); NULL: out of memory */
void engine_destroy(engine *e, arena *a);

/* From a state on.  With `gray`, in gray, but only where the state is one at the window's start; without, to the
 * target's pixels and what covers them, if it has any.  Its collisions do not matter. */
void engine_start(engine *e, const tia_raster *state, const raster_target *target, const gray_target *gray);
/* Follow the next accesses, and latch the collisions of some pairs. */
void engine_run(engine *e, tia_raster *state, const tia_access *access, uint32_t count, uint16_t *latch,
                uint16_t pairs);
/* What the beam has drawn of the row that it is in goes out. */
void engine_put_part(const engine *e);
/* Whether every row of the window was drawn since the start. */
bool engine_drew_all(const engine *e, const tia_raster *state);

/* Draw a frame with the loops of an engine, which stays as it is.  False: there are rows that are not drawn. */
bool engine_draw(const engine *like, const frame_view *frame, const raster_target *target, const gray_target *gray);

/* The loops for different processors; those in portable C run on each. */
typedef struct engine_loops {
    const char *name;
    void (*follow)(engine *e, const tia_access *access, uint32_t count, uint32_t until);
} engine_loops;

/* Those that this processor can run, the best one first, the portable one last; then NULL. */
const engine_loops *engine_loops_number(int n);
/* Use other loops than the best ones; results do not depend on them. */
void engine_use(engine *e, const engine_loops *loops);

#endif
