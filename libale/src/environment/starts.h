/* Starts: saved states at which episodes begin instead of where a reset leads, and how often each of them does.
 *
 * They do not change, so any number of threads may use them at once. */
#ifndef ALE_STARTS_H
#define ALE_STARTS_H

#include "state.h"

struct ale_starts {
    atomic_uint users; /* references */
    uint32_t count;
    ale_state *states; /* an empty one stands for a reset */
    uint64_t *below;   /* a number of 32 bits below this, but not below the one before, draws this start */
};

/* See ale.h. */
ale_status starts_create(ale_env *env, const ale_state *const *states, const double *weights, uint32_t count,
                         ale_starts **created);
ale_starts *starts_retain(const ale_starts *starts);
void starts_release(ale_starts *starts);

/* Refuse a start that the environment could not restore; `name` begins the message. */
ale_status starts_check(const ale_starts *starts, uint32_t index, ale_env *env, const char *name);
/* Choose a start, and let an episode begin there: with the environment's own random generator, which also draws the
 * start if *index is negative, and which `seed` seeds before if it is not negative.  Set *index.  Set *begun to false,
 * without more, if that start is a reset. */
ale_status environment_start(ale_env *env, const ale_starts *starts, int64_t seed, int32_t *index, bool *begun);

#endif
