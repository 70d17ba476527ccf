/* What is observed of an environment: a struct of functions for each ale_observation.
 *
 * A picture is made of screens: they become planes of bytes, which are pooled over two frames and resized
 * (pixels.h).  Anything else is bytes, observed as they are. */
#ifndef ALE_OBSERVER_H
#define ALE_OBSERVER_H

#include "../../environment/environment.h"
#include "resize.h"

struct pixels;

typedef struct observer {
    /* A picture: */
    int planes; /* 0: bytes */
    const uint8_t *(*screen)(ale_env *env, bool previous);                       /* the latest, or the one before */
    void (*convert)(const coloring *colors, const uint8_t *row, uint8_t *planes); /* a row's, side by side */
    void (*pool)(uint8_t *restrict planes, const uint8_t *restrict other, size_t size);
    int channels; /* of a pixel that is observed */
    plane_rows (*channel)(const struct pixels *p, int n, uint8_t *scratch); /* to be resized; scratch: padded screen */
    bool objects; /* the environment must tell objects */
    /* Bytes: */
    size_t size;
    const uint8_t *(*bytes)(const ale_env *env);
} observer;

enum { MOST_PLANES = 3 };

extern const observer observers[]; /* by ale_observation */
extern const int observer_count;

static inline const observer *observer_of(const ale_vector_options *options) {
    return &observers[options->observation];
}
size_t observer_frame_size(const ale_vector_options *options);

#endif
