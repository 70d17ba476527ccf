/* Followers: the two ways to follow the log of a frame that runs, by the video engine or by the row memory.
 *
 * A follower brings tia.now on and latches collisions.  It is asked once a run of the CPU, and once for a read of
 * collisions that the log alone does not answer, never once an access.  A frame that nobody follows, or nobody any
 * more, is evaluated as picture_collisions.c does without. */
#ifndef ALE_FOLLOWERS_H
#define ALE_FOLLOWERS_H

#include "../machine.h"

typedef struct follower {
    /* Go on from access `from` of the latest log to access `to`, or (frame_over) to the end of the frame, and latch
     * collisions of some pairs. */
    void (*run)(console *machine, uint32_t from, uint32_t to, bool frame_over, uint16_t pairs);
    /* The same where only the latch is wanted: it may stop before an earlier access, from which on nothing new is
     * latched up to `to`.  Return the next access. */
    uint32_t (*collide)(console *machine, uint32_t from, uint32_t to, uint16_t pairs);
    /* The same where nothing is latched before `to`: it may stop before an earlier access, from which on none of the
     * pairs collides. */
    uint32_t (*pass)(console *machine, uint32_t from, uint32_t to, uint16_t pairs);
    /* The frame is over.  Whether all of it was drawn in gray, where that was expected. */
    bool (*complete)(console *machine);
    /* Draw the frame into its buffer.  False: it is not known well enough, and must be drawn from its log. */
    bool (*draw)(console *machine);
} follower;

extern const follower engine_follower, rows_follower;

/* Choose who follows the frame that begins. */
void followers_start(console *machine);

#endif
