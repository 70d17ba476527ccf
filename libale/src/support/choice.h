/* Which of two ways to do the same is the faster one: some try both now and then, a few steps of each thousand.
 *
 * Several try together, as a way of which the processor's caches know nothing looks slow.  One of them leads:
 *
 *     const unsigned way = choice_begin_step(c, &user, tries);
 *     ... the step ...
 *     choice_end_step(c, &user, frames);
 *     choice_go_on(c);                               the leader, last
 *
 * Any thread may do this, the leader's steps one after the other. */
#ifndef ALE_CHOICE_H
#define ALE_CHOICE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    CHOICE_TRIERS = 8, /* as many try together, if there are so many */
    CHOICE_TURNS = 8,  /* of a trial: the ways take turns, as a processor's speed may change in between */
    CHOICE_TIMED = 4,  /* steps of a turn that are timed, after */
    CHOICE_IDLE = 4,   /* those that are not */
    CHOICE_TURN = CHOICE_IDLE + CHOICE_TIMED,
    CHOICE_TRIAL = CHOICE_TURNS * CHOICE_TURN,
    CHOICE_SAMPLES = CHOICE_TRIERS * CHOICE_TURNS / 2 * CHOICE_TIMED, /* of each way */
    CHOICE_FIRST = 64, /* steps before the first trial, and to the next, and twice as many each time, */
    CHOICE_LAST = 1024, /* up to so many, */
    CHOICE_LAST_OF_ACTS = 8192 /* where steps are single acts */
};

/* All 0: way 0 is taken to be the faster one until both have been tried. */
typedef struct way_choice {
    atomic_uint found;
    atomic_uint now; /* the way of those who try */
    atomic_bool timed;
    atomic_uint count[2]; /* of the times that were noted, */
    _Atomic uint32_t took[2][CHOICE_SAMPLES];
    uint32_t triers; /* who try, the leader among them: the owner's */
    bool of_acts;    /* the owner's: steps are short, so that trials become rarer, and a small gain counts */
    /* The leader's. */
    uint32_t step;   /* of the round */
    uint32_t rounds; /* 0: the first, without a trial, as games begin in other ways than they go on */
    double usual;    /* how many times as long way 1 took in the trials so far, the latest ones above all; or 0 */
} way_choice;

/* One who goes by a choice. */
typedef struct way_user {
    unsigned way;  /* of the present step */
    int64_t begun; /* when that began, in nanoseconds, or 0: it is not timed */
} way_user;

/* The way that was found to be the faster one. */
static inline unsigned choice_found(way_choice *c) { return atomic_load_explicit(&c->found, memory_order_relaxed); }
/* The way of those who try. */
static inline unsigned choice_way(way_choice *c) { return atomic_load_explicit(&c->now, memory_order_relaxed); }
static inline bool choice_is_timed(way_choice *c) { return atomic_load_explicit(&c->timed, memory_order_relaxed); }
void choice_note(way_choice *c, unsigned way, int64_t nanoseconds);
/* The way that a step goes; of one who does not try: the one that was found.  The first step of a way is not timed. */
unsigned choice_begin_step(way_choice *c, way_user *user, bool tries);
/* It is over; its time is that of so many frames, at least one. */
void choice_end_step(way_choice *c, const way_user *user, uint32_t frames);
void choice_go_on(way_choice *c);

#endif
