/* Observers: a struct of functions for each ale_observation.
 *
 * Screens become planes of bytes, which are pooled over two frames and resized (pooling.h).  Any other observation is
 * bytes that a function writes. */
#ifndef ALE_OBSERVER_H
#define ALE_OBSERVER_H

#include "pooling.h"

extern const observer observers[]; /* by ale_observation */
extern const int observer_count;

static inline const observer *observer_of(const ale_vector_options *options) {
    return &observers[options->observation];
}
/* `env` NULL: the least size in any environment. */
size_t observer_frame_size(const ale_vector_options *options, const ale_env *env);

#endif
