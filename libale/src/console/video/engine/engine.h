/* The engine: it walks once through the log of a frame, and updates the beam's state, collisions, and rows of pixels
 * (gray or color indices) on the way.
 *
 *     engine_start(e, &state, &target, &gray);                     the state is that before the first access
 *     engine_run(e, &state, access, count, &latch, pairs);         as often as there are more accesses
 *     engine_drew_all(e, &state)                                   whether the rows are complete
 *
 * An object's place in a row is a mask of 160 bits.  An access that changes an object changes its mask from the beam's
 * pixel on.  A row is drawn in parts only if colors change in mid-row.  Wide registers turn masks into pixels, and pool
 * two gray frames at the same time.  A frame that is not drawn is followed in the same way, but only for collisions: an
 * object is ignored while it cannot collide as part of a wanted pair.  Where no wanted pair can show at all, the engine
 * sleeps, and beam_follow_apart follows the accesses.
 *
 * The engine does not imitate what the reference draws beyond the end of a frame that ends early (pixels.c).  The rows
 * of such a frame are not complete, and must be drawn by the fallback renderer (pixels.c). */
#ifndef ALE_ENGINE_H
#define ALE_ENGINE_H

#include "../../../support/arena.h"
#include "../beam.h"

/* Bytes from one gray row to the next; the first SCREEN_WIDTH are pixels. */
enum { GRAY_STRIDE = 192, GRAY_ALIGNMENT = 64 };

/* The destination of gray rows. */
typedef struct gray_target {
    const uint8_t *gray; /* gray of each color */
    uint8_t *rows;       /* raster_target.rows rows, aligned; NULL: draw nothing */
    bool pool;           /* keep the brighter pixel of the rows' and of this frame */
    uint8_t *marks;      /* a byte for each row, 1: it equals the row above and was not stored; or NULL: all rows are */
} gray_target;

/* A frame to draw: its state at the start of the window, and its accesses. */
typedef struct frame_view {
    const tia_raster *start;
    const tia_access *access;
    uint32_t count;
} frame_view;

typedef struct engine engine;

/* Whether this processor has wide registers; without them, the other renderers are faster. */
bool engine_is_wide(void);
engine *engine_create(arena *a); /* in the arena, or (NULL) by malloc; returns NULL if out of memory */
void engine_destroy(engine *e, arena *a);

/* Start from a state.  With `gray`, draw gray rows, which needs a state at the window's start.  Without it, draw the
 * target's pixels and their cover, if it has these.  The target's collisions have no effect. */
void engine_start(engine *e, const tia_raster *state, const raster_target *target, const gray_target *gray);
/* Follow the next accesses, and latch the collisions of some pairs. */
void engine_run(engine *e, tia_raster *state, const tia_access *access, uint32_t count, uint16_t *latch,
                uint16_t pairs);
/* Store the part of the current row that the beam has drawn. */
void engine_put_part(const engine *e);
/* Return whether every row of the window was drawn since the start. */
bool engine_drew_all(const engine *e, const tia_raster *state);

/* Draw a frame with the loops of an engine, which does not change.  False: some rows were not drawn. */
bool engine_draw(const engine *like, const frame_view *frame, const raster_target *target, const gray_target *gray);

/* The loops for different processors; those in portable C run on each. */
typedef struct engine_loops {
    const char *name;
    void (*follow)(engine *e, const tia_access *access, uint32_t count, uint32_t until);
} engine_loops;

/* Return the n-th loops that this processor can run: the best one first, the portable one last, then NULL. */
const engine_loops *engine_loops_number(int n);
/* Use other loops than the best ones; results do not depend on them. */
void engine_use(engine *e, const engine_loops *loops);

#endif
