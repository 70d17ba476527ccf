/* Pictures from the console's screens. */
#include <string.h>

#include "preprocessor.h"

static void before_frame(const preprocessor *p, const frame_window *w, uint32_t index) {
    (void)w, (void)index;
    console_expect_screen(p->env->console);
}

/* Draw all but the last frame now, while the console knows which rows repeat earlier frames.  A frame that did not end
 * continues in the same buffer, so its screen must be copied. */
static bool after_frame(const preprocessor *p, frame_window *w, uint32_t index) {
    if (index + 1 == w->frames) return true;
    const uint8_t *screen = p->observer->screen(p->env, false);
    if (p->env->console->s.partial) w->copied = memcpy(w->scratch, screen, screen_size(p));
    return true;
}

/* Show two screens.  `copied`: one is a copy, so the console does not know which of its rows changed. */
static void show(preprocessor *p, const uint8_t *screen, const uint8_t *other, bool copied) {
    uint64_t written[ROW_WORDS];
    console_take_written_rows(p->env->console, written);
    pooled_show(p->picture, &p->env->colors, screen, other, copied ? NULL : written);
}

/* Resize the picture into the stack.  Except at the first frame of an episode (`newest` is NULL), unchanged rows are
 * copied from the newest frame, which shows the picture before this one. */
static void resize(const preprocessor *p, uint8_t *scratch, const uint8_t *newest, uint8_t *to) {
    const size_t height = p->options->img_height, row = observer_frame_size(p->options, p->env) / height;
    uint8_t *kept = kept_marks(p, scratch);
    if (newest)
        resizer_keep(p->resize, p->picture->changed, kept);
    else
        memset(kept, 0, height);
    for (size_t y = 0, end; newest && to != newest && y < height; y = end + 1) {
        for (end = y; end < height && kept[end]; end++) {}
        memcpy(to + y * row, newest + y * row, (end - y) * row);
    }
    const int channels = p->observer->channels;
    for (int n = 0; n < channels; n++)
        resizer_run(p->resize, p->observer->channel(p->picture, n, scratch), kept, resizer_memory(p, scratch), to + n,
                    (size_t)channels);
}

/* The picture must be drawn before it is compared with the next. */
static void recall(preprocessor *p, uint8_t *scratch) {
    preprocessor_draw_kept(p, gray_memory(p, scratch));
    p->log.frames = 0;
}

static void write_picture(preprocessor *p, const frame_window *w, const uint8_t *newest, uint8_t *to) {
    const observer *of = p->observer;
    recall(p, w->scratch);
    const uint8_t *last = of->screen(p->env, false);
    const uint8_t *before = w->copied ? w->copied : w->frames > 1 ? of->screen(p->env, true) : last;
    show(p, last, before, w->copied);
    resize(p, w->scratch, newest, to);
}

void screen_source_write_earlier(preprocessor *p, const frame_window *w, const uint8_t *newest, uint8_t *to) {
    recall(p, w->scratch);
    pooled_add(p->picture, &p->env->colors, w->copied ? w->copied : p->observer->screen(p->env, true));
    resize(p, w->scratch, newest, to);
}

static bool write_first(preprocessor *p, uint8_t *scratch, uint8_t *to) {
    const uint8_t *screen = p->observer->screen(p->env, false);
    p->log.frames = 0;
    show(p, screen, screen, false);
    resize(p, scratch, NULL, to);
    return true;
}

const frame_source screen_source = {before_frame, after_frame, write_picture, write_first};
