/* Which of two ways to do the same is the faster one: both are timed, a few steps of each thousand, at first of fewer.
 *
 *     const unsigned way = choice_way(c);
 *     ... the step ...
 *     choice_note(c, nanoseconds);         after each step; the time is looked at if choice_is_timed(c) was true
 *
 * One thread at a time does this; others may ask choice_found at any time. */
#ifndef ALE_CHOICE_H
#define ALE_CHOICE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    CHOICE_IDLE = 4,     /* steps after a change that are not timed */
    CHOICE_SAMPLES = 16, /* and those that are, of each way */
    CHOICE_TRIAL = 2 * (CHOICE_IDLE + CHOICE_SAMPLES),
    CHOICE_FIRST = 128,  /* steps from the first trial to the next, and twice as many each time, */
    CHOICE_LAST = 1024   /* up to so many */
};

/* All 0: way 0 is taken to be the faster one until both have been tried. */
typedef struct way_choice {
    atomic_uint found;
    uint32_t step;     /* of the round */
    uint32_t rounds;   /* 0: the first, without a trial, as games begin in other ways than they go on */
    uint64_t usual[2]; /* what the ways cost in the trials so far, the latest ones above all */
    uint32_t took[2][CHOICE_SAMPLES];
} way_choice;

/* The way that was found to be the faster one. */
static inline unsigned choice_found(way_choice *c) { return atomic_load_explicit(&c->found, memory_order_relaxed); }
/* The way of the present step. */
unsigned choice_way(way_choice *c);
bool choice_is_timed(const way_choice *c);
void choice_note(way_choice *c, int64_t nanoseconds);

#endif
