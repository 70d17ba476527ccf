/* Gray pictures from the logs of frames. */
#include "preprocessor.h"

static uint8_t *rows_of(const preprocessor *p, uint8_t *scratch) { return gray_rows(gray_memory(p, scratch)); }

static void before_frame(const preprocessor *p, const frame_window *w, uint32_t index) {
    log_frames_announce(&p->log, rows_of(p, w->scratch), index);
}

static bool after_frame(const preprocessor *p, frame_window *w, uint32_t index) {
    return log_frames_take(&p->log, rows_of(p, w->scratch), index);
}

/* Resize the gray rows in the scratch memory into the stack, and keep the logs of their frames.  Marked rows equal the
 * row above and were not stored. */
static void write_rows(preprocessor *p, uint8_t *scratch, uint32_t frames, uint8_t *to) {
    uint16_t row_of[SCREEN_ROWS], stored = 0;
    const int rows = console_screen_rows(p->env->console);
    uint8_t *gray = rows_of(p, scratch);
    const uint8_t *marks = gray_marks(gray, rows);
    for (int y = 0; y < rows; y++) {
        const uint16_t own = (uint16_t)(y & (marks[y] - 1)); /* 0 if marked; a branch would be mispredicted */
        row_of[y] = stored = stored > own ? stored : own;
    }
    resizer_run(p->resize, (plane_rows){gray, GRAY_STRIDE, row_of}, NULL, resizer_memory(p, scratch), to, 1);
    log_frames_keep(&p->log, frames);
}

static void write_picture(preprocessor *p, const frame_window *w, const uint8_t *newest, uint8_t *to) {
    (void)newest;
    write_rows(p, w->scratch, w->frames, to);
}

static bool write_first(preprocessor *p, uint8_t *scratch, uint8_t *to) {
    if (!log_frames_draw_latest(&p->log, rows_of(p, scratch))) return false;
    write_rows(p, scratch, 1, to);
    return true;
}

const frame_source log_source = {before_frame, after_frame, write_picture, write_first};
