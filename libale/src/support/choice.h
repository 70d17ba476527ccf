/* Finds the faster of two ways to do the same thing, by timing both during a few of every thousand steps.
 *
 * Several users try a way at the same time, because code and data that are not in the caches yet would be timed too
 * slow.  One of these users is the leader.  A step looks like this:
 *
 *     const unsigned way = choice_begin_step(c, &user, tries);
 *     ... the step ...
 *     choice_end_step(c, &user, frames);
 *     choice_go_on(c);                               only the leader, last
 *
 * Any thread may call these functions, but the leader's steps must not overlap. */
#ifndef ALE_CHOICE_H
#define ALE_CHOICE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    CHOICE_TRIERS = 8, /* at most this many users try together */
    CHOICE_TURNS = 8,  /* per trial; the ways alternate, because a processor's speed may change meanwhile */
    CHOICE_TIMED = 4,  /* steps of a turn that are timed, */
    CHOICE_IDLE = 4,   /* after these, which are not timed */
    CHOICE_TURN = CHOICE_IDLE + CHOICE_TIMED,
    CHOICE_TRIAL = CHOICE_TURNS * CHOICE_TURN,
    CHOICE_SAMPLES = CHOICE_TRIERS * CHOICE_TURNS / 2 * CHOICE_TIMED, /* of each way */
    CHOICE_FIRST = 64, /* steps of the first two rounds; each later round is twice as long, */
    CHOICE_LAST = 1024, /* up to this */
    CHOICE_LAST_OF_ACTS = 8192 /* or up to this, if of_acts */
};

/* A choice that is all 0 uses way 0 until both ways have been timed. */
typedef struct way_choice {
    atomic_uint faster; /* the way that was faster in the trials so far */
    atomic_uint now;    /* the way that triers take now */
    atomic_bool timed;
    atomic_uint count[2]; /* number of times noted in took[way] */
    _Atomic uint32_t took[2][CHOICE_SAMPLES];
    uint32_t triers; /* number of users that try, including the leader; set by the owner */
    bool of_acts;    /* set by the owner: steps are short, so trials become rarer and a small gain counts */
    /* Only the leader uses these. */
    uint32_t step;   /* within the round */
    uint32_t rounds; /* 0: the first round, which has no trial because the start of a game is not typical */
    double usual;    /* moving average of (time of way 1) / (time of way 0); 0 before the first trial */
} way_choice;

/* A user of a choice, such as a sub-environment. */
typedef struct way_user {
    unsigned way;  /* of the present step */
    int64_t begun; /* when the step began, in nanoseconds; 0: it is not timed */
} way_user;

/* Return the way that was faster in the trials so far. */
static inline unsigned choice_faster(way_choice *c) { return atomic_load_explicit(&c->faster, memory_order_relaxed); }
/* Return the way that triers take now. */
static inline unsigned choice_way(way_choice *c) { return atomic_load_explicit(&c->now, memory_order_relaxed); }
static inline bool choice_is_timed(way_choice *c) { return atomic_load_explicit(&c->timed, memory_order_relaxed); }
void choice_note(way_choice *c, unsigned way, int64_t nanoseconds);
/* Return the way that the step must take: the one under trial if `tries`, else the faster one.  The first step after a
 * change of way is not timed. */
unsigned choice_begin_step(way_choice *c, way_user *user, bool tries);
/* End the step, and note its time per frame if it is timed.  `frames` is at least 1. */
void choice_end_step(way_choice *c, const way_user *user, uint32_t frames);
void choice_go_on(way_choice *c);

#endif
