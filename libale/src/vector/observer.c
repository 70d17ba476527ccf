/* What can be observed. */
#include "observer.h"

/* ---- Pictures ------------------------------------------------------------------------------------------ */

static const uint8_t *screen(ale_env *env, bool previous) {
    return previous ? console_previous_screen(env->console) : console_screen(env->console);
}

static void convert_to_gray(const palette *colors, const uint8_t *row, uint8_t *gray) {
    palette_to_gray(colors, row, SCREEN_WIDTH, gray);
}

static void convert_to_rgb(const palette *colors, const uint8_t *row, uint8_t *planes) {
    for (int plane = 0; plane < 3; plane++, planes += SCREEN_WIDTH)
        for (int x = 0; x < SCREEN_WIDTH; x++) planes[x] = colors->rgb[row[x]][plane];
}

static void brighten(uint8_t *restrict planes, const uint8_t *restrict other, size_t size) {
    for (size_t i = 0; i < size; i++) planes[i] = planes[i] > other[i] ? planes[i] : other[i];
}

/* ---- Bytes --------------------------------------------------------------------------------------------- */

static const uint8_t *ram(const ale_env *env) { return env->console->s.ram; }

/* -------------------------------------------------------------------------------------------------------- */

const observer observers[OBSERVERS] = {
    [ALE_OBSERVE_GRAYSCALE] = {.planes = 1, .screen = screen, .convert = convert_to_gray, .pool = brighten},
    [ALE_OBSERVE_RGB] = {.planes = 3, .screen = screen, .convert = convert_to_rgb, .pool = brighten},
    [ALE_OBSERVE_RAM] = {.size = ALE_RAM_SIZE, .bytes = ram},
};

size_t observer_frame_size(const ale_vector_options *o) {
    const observer *what = observer_of(o);
    return what->planes ? (size_t)o->img_height * o->img_width * (size_t)what->planes : what->size;
}
