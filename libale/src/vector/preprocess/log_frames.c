/* The choice between logs and screens, and the logs of the latest frames. */
#include "log_frames.h"

#include <string.h>

bool log_frames_init(log_frames *g, ale_env *env, const log_frames *like, arena *a) {
    if (!engine_is_wide() || !console_use_engine(env->console, true)) return true;
    g->arena = a;
    g->room = MOST_POOLED * console_log_room(env->console);
    g->first = arena_take(a, g->room * sizeof *g->first, ARENA_DENSE);
    g->reserve = arena_take(a, MOST_POOLED * LOG_CAPACITY * sizeof *g->reserve, ARENA_SPARSE);
    if (!g->first || !g->reserve) return false;
    g->ways = like ? like->ways : arena_take(a, sizeof *g->ways, ARENA_DENSE);
    if (!g->ways) return false;
    g->part = !like ? GRAY_LEADS : g->ways->triers < CHOICE_TRIERS ? GRAY_TRIES : GRAY_FOLLOWS;
    g->ways->triers += g->part != GRAY_FOLLOWS;
    g->machine = env->console;
    g->gray = env->colors.by_index.gray;
    return true;
}

void log_frames_free(log_frames *g) {
    arena_release(g->arena, g->first);
    arena_release(g->arena, g->reserve);
    if (g->part == GRAY_LEADS) arena_release(g->arena, g->ways);
}

size_t gray_size(const console *machine) {
    return (size_t)console_screen_rows(machine) * (GRAY_STRIDE + 1) + GRAY_ALIGNMENT;
}

bool log_frames_begin_step(log_frames *g) {
    if (!g->machine) return false;
    if (g->back_off) {
        if (--g->back_off) return false;
        g->user.way = GRAY_FROM_SCREENS;
    }
    const bool from_logs = choice_begin_step(g->ways, &g->user, g->part != GRAY_FOLLOWS) == GRAY_FROM_LOGS;
    (void)console_use_engine(g->machine, from_logs);
    return from_logs;
}

void log_frames_end_step(log_frames *g) {
    if (!g->machine || g->back_off) return;
    choice_end_step(g->ways, &g->user, 1);
    if (g->part == GRAY_LEADS) choice_go_on(g->ways);
}

void log_frames_back_off(log_frames *g) {
    enum { STEPS = 64 };
    g->back_off = STEPS;
    (void)console_use_engine(g->machine, false);
}

static gray_target target_of(const log_frames *g, uint8_t *rows, uint32_t index) {
    uint8_t *marks = gray_marks(rows, console_screen_rows(g->machine));
    return (gray_target){.gray = g->gray, .rows = rows, .pool = index > 0, .marks = marks};
}

void log_frames_announce(const log_frames *g, uint8_t *rows, uint32_t index) {
    const gray_target target = target_of(g, rows, index);
    console_expect_gray(g->machine, &target);
}

/* Draw the latest frames, number 0 to `index`. */
static bool draw_latest(const log_frames *g, uint8_t *rows, uint32_t index) {
    for (uint32_t i = 0; i <= index; i++) {
        const gray_target target = target_of(g, rows, i);
        frame_view frame;
        if (!console_view_frame(g->machine, i < index, &frame)) return false;
        if (!console_draw_gray(g->machine, &frame, &target)) return false;
    }
    return true;
}

bool log_frames_take(const log_frames *g, uint8_t *rows, uint32_t index) {
    /* A frame that was restarted may have drawn rows that it no longer has. */
    return console_drew_gray(g->machine) || draw_latest(g, rows, index);
}

bool log_frames_draw_latest(const log_frames *g, uint8_t *rows) { return g->machine && draw_latest(g, rows, 0); }

/* Memory for the accesses of the frames that are kept. */
static tia_access *choose_memory(log_frames *g) {
    size_t count = 0;
    for (uint32_t i = 0; i < g->frames; i++) count += g->kept[i].count;
    return g->access = count <= g->room ? g->first : g->reserve;
}

void log_frames_keep(log_frames *g, uint32_t frames) {
    frame_view view[MOST_POOLED];
    for (uint32_t i = 0; i < frames; i++) {
        (void)console_view_frame(g->machine, i + 1 < frames, &view[i]);
        g->kept[i] = (kept_frame){*view[i].start, view[i].count};
    }
    g->frames = frames;
    tia_access *access = choose_memory(g);
    for (uint32_t i = 0; i < frames; access += view[i++].count)
        memcpy(access, view[i].access, view[i].count * sizeof *access);
}

void log_frames_draw(const log_frames *g, uint8_t *rows) {
    const tia_access *access = g->access;
    for (uint32_t i = 0; i < g->frames; access += g->kept[i++].count) {
        gray_target target = target_of(g, rows, i);
        target.marks = NULL; /* all rows are wanted */
        const frame_view frame = {&g->kept[i].start, access, g->kept[i].count};
        (void)console_draw_gray(g->machine, &frame, &target);
    }
}

void log_frames_copy(log_frames *g, const log_frames *source) {
    g->frames = source->frames;
    memcpy(g->kept, source->kept, sizeof g->kept);
    tia_access *access = choose_memory(g);
    const tia_access *from = source->access;
    for (uint32_t i = 0; i < g->frames; from += g->kept[i].count, access += g->kept[i++].count)
        memcpy(access, from, g->kept[i].count * sizeof *access);
}
