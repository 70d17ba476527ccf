/* Followers: the two ways to follow the log of the running frame, by the video engine or by the row memory.
 *
 * A follower advances tia.now and latches collisions.  It is called once per run of the CPU, and once for each read of
 * collisions that the log alone cannot answer, but never for each access. picture_collisions.c evaluates a frame that
 * has no follower, or whose follower gave up. */
#ifndef ALE_FOLLOWERS_H
#define ALE_FOLLOWERS_H

#include "../machine.h"

typedef struct follower {
    /* Continue from access `from` of the latest log to access `to`, or (frame_over) to the end of the frame, and latch
     * collisions of `pairs`. */
    void (*run)(console *machine, uint32_t from, uint32_t to, bool frame_over, uint16_t pairs);
    /* The same if only the latch is needed.  It may stop at an earlier access, if nothing new would be latched between
     * that and `to`.  Return the next access. */
    uint32_t (*collide)(console *machine, uint32_t from, uint32_t to, uint16_t pairs);
    /* The same without latching.  It may stop at an earlier access, if none of the pairs collides between that and
     * `to`.  Return the next access. */
    uint32_t (*pass)(console *machine, uint32_t from, uint32_t to, uint16_t pairs);
    /* End the frame; return whether all of it was drawn in gray.  Matters only if a gray frame was announced. */
    bool (*complete)(console *machine);
    /* Draw the frame into its buffer.  False: the follower cannot, and the frame must be drawn from its log. */
    bool (*draw)(console *machine);
} follower;

extern const follower engine_follower, rows_follower;

/* Choose the follower of the frame that begins. */
void followers_start(console *machine);

#endif
