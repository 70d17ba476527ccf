/* The table of observers, with the conversions of each. */
#include "observer.h"

#include <string.h>

#include "../../environment/rom.h"

/* ---- Pictures ------------------------------------------------------------------------------------------ */

static const uint8_t *screen(ale_env *env, bool previous) {
    return previous ? console_previous_screen(env->console) : console_screen(env->console);
}

static void convert_to_gray(const coloring *colors, const uint8_t *row, uint8_t *gray) {
    coloring_to_gray(colors, row, SCREEN_WIDTH, gray);
}

static void convert_to_rgb(const coloring *colors, const uint8_t *row, uint8_t *planes) {
    coloring_to_planes(colors, row, SCREEN_WIDTH, planes);
}

static void brighten(uint8_t *restrict planes, const uint8_t *restrict other, size_t size) {
    for (size_t i = 0; i < size; i++) planes[i] = planes[i] > other[i] ? planes[i] : other[i];
}

static plane_rows plane(const pooled_picture *p, int n, uint8_t *scratch) {
    (void)scratch;
    return pooled_plane(p, n);
}

/* ---- Objects ------------------------------------------------------------------------------------------- */

static const uint8_t *objects(ale_env *env, bool previous) {
    return previous ? console_previous_objects(env->console) : console_objects(env->console);
}

static void take_over(const coloring *colors, const uint8_t *row, uint8_t *sets) {
    (void)colors;
    memcpy(sets, row, SCREEN_WIDTH);
}

static void unite(uint8_t *restrict sets, const uint8_t *restrict other, size_t size) {
    for (size_t i = 0; i < size; i++) sets[i] |= other[i];
}

/* White where the object is. */
static plane_rows mask_of_object(const pooled_picture *p, int object, uint8_t *scratch) {
    for (int y = 0; y < p->rows; y++) {
        if (p->row_of[y] != y) continue;
        const uint8_t *sets = p->stored + y * SCREEN_WIDTH;
        uint8_t *row = scratch + y * SCREEN_WIDTH;
        for (int x = 0; x < SCREEN_WIDTH; x++) row[x] = (uint8_t)-(sets[x] >> object & 1);
        memset(row + SCREEN_WIDTH, 0, RESIZE_PADDING);
    }
    return (plane_rows){scratch, SCREEN_WIDTH, p->row_of};
}

/* ---- Bytes --------------------------------------------------------------------------------------------- */

static size_t ram_size(const ale_env *env) {
    (void)env;
    return ALE_RAM_SIZE;
}

static void write_ram(const ale_env *env, uint8_t *to) { memcpy(to, env->console->s.ram, ALE_RAM_SIZE); }

static size_t labels_size(const ale_env *env) {
    return (env && env->rom->labels ? env->rom->labels->count : 1) * sizeof(int32_t);
}

/* Frames of a stack are as aligned as numbers are. */
static void write_labels(const ale_env *env, uint8_t *to) {
    labels_write(env->rom->labels, env->console->s.ram, (int32_t *)(void *)to);
}

/* -------------------------------------------------------------------------------------------------------- */

const observer observers[] = {
    [ALE_OBSERVE_GRAYSCALE] = {.planes = 1,
                               .screen = screen,
                               .convert = convert_to_gray,
                               .pool = brighten,
                               .channels = 1,
                               .channel = plane},
    [ALE_OBSERVE_RGB] = {.planes = 3,
                         .screen = screen,
                         .convert = convert_to_rgb,
                         .pool = brighten,
                         .channels = 3,
                         .channel = plane},
    [ALE_OBSERVE_RAM] = {.size = ram_size, .write = write_ram},
    [ALE_OBSERVE_OBJECTS] = {.planes = 1,
                             .screen = objects,
                             .convert = take_over,
                             .pool = unite,
                             .channels = ALE_OBJECT_COUNT,
                             .channel = mask_of_object,
                             .objects = true},
    [ALE_OBSERVE_LABELS] = {.size = labels_size, .write = write_labels, .numbers = true},
};
const int observer_count = sizeof observers / sizeof *observers;

size_t observer_frame_size(const ale_vector_options *o, const ale_env *env) {
    const observer *what = observer_of(o);
    return what->planes ? (size_t)o->img_height * o->img_width * (size_t)what->channels : what->size(env);
}
