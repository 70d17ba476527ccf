/* The steps of a preprocessor: each begins with one frame source and ends with the same or the other one. */
#include "preprocessor.h"

#include <stdlib.h>
#include <string.h>

#include "../../support/error.h"

/* ---- Life ---------------------------------------------------------------------------------------------- */

bool preprocessor_init(preprocessor *p, const ale_vector_options *o, ale_env *env, const preprocessor *like, arena *a) {
    p->options = o;
    p->env = env;
    p->observer = observer_of(o);
    if (p->observer->planes) {
        p->picture = pooled_create(console_screen_rows(env->console), p->observer, a);
        if (!p->picture) return false;
    }
    return o->observation != ALE_OBSERVE_GRAYSCALE || log_frames_init(&p->log, env, like ? &like->log : NULL, a);
}

void preprocessor_free(preprocessor *p) {
    log_frames_free(&p->log);
    pooled_destroy(p->picture);
}

size_t preprocessor_scratch(const preprocessor *p) {
    if (!p->resize) return 0;
    return padded_screen_size(p) + marks_size(p) + resizer_scratch(p->resize) + gray_size(p->env->console);
}

/* ---- Steps --------------------------------------------------------------------------------------------- */

frame_window preprocessor_begin_step(preprocessor *p, bool observed, uint8_t *scratch) {
    const ale_vector_options *o = p->options;
    if (!observed || !p->resize) return (frame_window){.first = o->frame_skip};
    const uint32_t frames = o->maxpool && o->frame_skip > 1 ? 2 : 1;
    const bool by_log = log_frames_begin_step(&p->log);
    return (frame_window){
        .source = by_log ? &log_source : &screen_source,
        .scratch = scratch,
        .first = o->frame_skip - frames,
        .frames = frames,
        .by_log = by_log,
    };
}

/* The log source may also have missed the last frame, if that did not run to its end. */
static void write_complete(preprocessor *p, frame_window *w, const uint8_t *newest, uint8_t *to) {
    if (w->taken < w->frames) w->source = &screen_source;
    w->source->write(p, w, newest, to);
    if (w->by_log && w->source != &log_source && !p->env->stopped) log_frames_back_off(&p->log);
}

void preprocessor_end_step(preprocessor *p, frame_window *w, uint32_t frames, bool complete, const uint8_t *newest,
                           uint8_t *to) {
    if (w->by_log) console_expect_gray(p->env->console, NULL);
    if (complete)
        write_complete(p, w, newest, to);
    else if (w->frames > 1 && frames == p->options->frame_skip)
        screen_source_write_earlier(p, w, newest, to);
    else if (to != newest) /* no frame was observed */
        memcpy(to, newest, observer_frame_size(p->options, p->env));
    log_frames_end_step(&p->log);
}

void preprocessor_write_first(preprocessor *p, uint8_t *scratch, uint8_t *to) {
    if (!log_source.write_first(p, scratch, to)) (void)screen_source.write_first(p, scratch, to);
}

/* ---- The latest picture -------------------------------------------------------------------------------- */

void preprocessor_copy(preprocessor *p, const preprocessor *source) {
    log_frames_copy(&p->log, &source->log);
    if (p->picture && !p->log.frames) pooled_copy(p->picture, source->picture);
}

void preprocessor_draw_kept(const preprocessor *p, uint8_t *memory) {
    if (!p->log.frames) return;
    uint8_t *rows = gray_rows(memory);
    log_frames_draw(&p->log, rows);
    pooled_take(p->picture, rows, GRAY_STRIDE);
}

ale_status preprocessor_recall(const preprocessor *p) {
    if (!p->log.frames) return ALE_OK;
    uint8_t *memory = malloc(gray_size(p->env->console));
    if (!memory) return fail(ALE_OUT_OF_MEMORY, "no memory for a picture");
    preprocessor_draw_kept(p, memory);
    free(memory);
    return ALE_OK;
}

void preprocessor_restore(preprocessor *p, const uint8_t *rows, const uint8_t *bytes) {
    p->log.frames = 0;
    if (p->picture) pooled_restore(p->picture, rows, bytes);
}

void preprocessor_detach(preprocessor *p) {
    p->log.frames = 0;
    if (p->picture) p->picture->shown[0] = p->picture->shown[1] = NULL;
}
