/* A preprocessor makes the observed pictures of a sub-environment: it chooses a frame source for each step, pools and
 * resizes what that source takes, and keeps the latest picture. */
#ifndef ALE_PREPROCESSOR_H
#define ALE_PREPROCESSOR_H

#include "frame_source.h"
#include "log_frames.h"
#include "observer.h"

struct preprocessor {
    const ale_vector_options *options;
    ale_env *env;
    const observer *observer;
    const resizer *resize;   /* NULL if no picture is observed */
    pooled_picture *picture; /* the latest observed picture before resizing, unless `log` keeps its frames; or NULL */
    log_frames log;
};

/* Initialise a preprocessor that is all 0, with memory of an arena.  `like`: an earlier one of the same ROM, or NULL.
 * The owner sets `resize`.  False: out of memory. */
bool preprocessor_init(preprocessor *p, const ale_vector_options *options, ale_env *env, const preprocessor *like,
                       arena *a);
void preprocessor_free(preprocessor *p);

/* Return the scratch memory, in bytes, that a step needs. */
size_t preprocessor_scratch(const preprocessor *p);

/* Begin a step.  One that is not observed needs no call of preprocessor_end_step. */
frame_window preprocessor_begin_step(preprocessor *p, bool observed, uint8_t *scratch);
/* Prepare for a frame of the step before it runs.  Frames are counted from 0. */
static inline void preprocessor_before_frame(const preprocessor *p, const frame_window *w, uint32_t frame) {
    if (frame >= w->first) w->source->before_frame(p, w, frame - w->first);
}
/* Take the frame after it ran, if the step did not end early. */
static inline void preprocessor_after_frame(const preprocessor *p, frame_window *w, uint32_t frame) {
    if (frame < w->first) return;
    if (!w->source->after_frame(p, w, frame - w->first)) {
        w->source = &screen_source;
        (void)w->source->after_frame(p, w, frame - w->first);
    }
    w->taken++;
}
/* End a step of `frames` frames, and write its picture.  A step that ended early (not `complete`) does not observe its
 * last frame.  `newest` is the frame of the stack before `to`; both are the same in a stack of one. */
void preprocessor_end_step(preprocessor *p, frame_window *w, uint32_t frames, bool complete, const uint8_t *newest,
                           uint8_t *to);
/* Write the first picture of an episode, that of the console's latest frame. */
void preprocessor_write_first(preprocessor *p, uint8_t *scratch, uint8_t *to);

/* Become a copy of a preprocessor of the same ROM and options. */
void preprocessor_copy(preprocessor *p, const preprocessor *source);
/* Draw the latest picture into p->picture, if it is kept as logs. */
ale_status preprocessor_recall(const preprocessor *p);
/* Restore the latest picture from the bytes of pooled_save(). */
void preprocessor_restore(preprocessor *p, const uint8_t *rows, const uint8_t *bytes);
/* Keep the picture that was recalled, though the console has changed. */
void preprocessor_detach(preprocessor *p);

/* ---- For the sources ----------------------------------------------------------------------------------- */

/* Scratch memory holds, each part aligned: a screen with the padding that the resizer reads, a mark for each row of an
 * observation, the resizer's memory, and gray rows. */
static inline size_t screen_size(const preprocessor *p) {
    return (size_t)console_screen_rows(p->env->console) * SCREEN_WIDTH;
}
static inline size_t padded_screen_size(const preprocessor *p) {
    return screen_size(p) + (RESIZE_PADDING + 63) / 64 * 64;
}
static inline size_t marks_size(const preprocessor *p) { return ((size_t)p->options->img_height + 63) / 64 * 64; }
static inline uint8_t *kept_marks(const preprocessor *p, uint8_t *scratch) { return scratch + padded_screen_size(p); }
static inline uint8_t *resizer_memory(const preprocessor *p, uint8_t *scratch) {
    return kept_marks(p, scratch) + marks_size(p);
}
static inline uint8_t *gray_memory(const preprocessor *p, uint8_t *scratch) {
    return resizer_memory(p, scratch) + resizer_scratch(p->resize);
}

/* Draw p->picture from the frames that `log` keeps, if it keeps any; `memory` is gray_size() bytes. */
void preprocessor_draw_kept(const preprocessor *p, uint8_t *memory);
/* Write the picture of a window whose last frame is not observed: the screen before it is pooled with the latest
 * picture. */
void screen_source_write_earlier(preprocessor *p, const frame_window *w, const uint8_t *newest, uint8_t *to);

#endif
