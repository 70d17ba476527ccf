/* Frame sources: the two ways to make the observed picture of a step.
 *
 *   log_source     gray pictures straight from the logs of frames, without a screen in between
 *   screen_source  any pictures, from the console's screens
 *
 * A step begins with one of them.  The second takes over where the first cannot make a picture (preprocessor.c). */
#ifndef ALE_FRAME_SOURCE_H
#define ALE_FRAME_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct preprocessor preprocessor;
typedef struct frame_source frame_source;

/* The observed frames of a step: the last one, or the last two if they are pooled. */
typedef struct frame_window {
    const frame_source *source;
    uint8_t *scratch;      /* preprocessor_scratch() bytes */
    uint32_t first;        /* the step's first observed frame, counted from 0 */
    uint32_t frames;       /* number of observed frames, 0 to 2; two are pooled */
    uint32_t taken;        /* number of frames that `source` took so far */
    bool by_log;           /* the step began with the log source */
    const uint8_t *copied; /* copy of the screen before the last, if the console overwrote it; else NULL */
} frame_window;

struct frame_source {
    /* Prepare for a frame before it runs.  It is number `index` of the window. */
    void (*before_frame)(const preprocessor *p, const frame_window *w, uint32_t index);
    /* Take the frame after it ran.  False: this source cannot make a picture with this frame. */
    bool (*after_frame)(const preprocessor *p, frame_window *w, uint32_t index);
    /* Write the picture of the window, resized, to a frame of the stack.  `newest` is the frame before it. */
    void (*write)(preprocessor *p, const frame_window *w, const uint8_t *newest, uint8_t *to);
    /* Write the picture of the console's latest frame, which was not announced.  It is the first of an episode.
     * False: this source cannot make it. */
    bool (*write_first)(preprocessor *p, uint8_t *scratch, uint8_t *to);
};

extern const frame_source log_source, screen_source;

#endif
