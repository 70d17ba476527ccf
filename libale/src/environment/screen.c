/* The screen: frames blended where the environment averages colors, and pictures made of them. */
#include <stdlib.h>
#include <string.h>

#include "environment.h"

enum { UNMIXED = 1 }; /* a mixture is always a color, and colors are even */

blending *blending_create(size_t pixels) {
    blending *blend = malloc(sizeof *blend + pixels);
    if (!blend) return NULL;
    blend->current = false;
    memset(blend->mixed, UNMIXED, sizeof blend->mixed);
    return blend;
}

size_t environment_screen_size(const ale_env *env) {
    return (size_t)console_screen_rows(env->console) * SCREEN_WIDTH;
}

const uint8_t *environment_screen(ale_env *env) {
    blending *blend = env->blend;
    if (!blend) return console_screen(env->console);
    if (blend->current) return blend->pixels;

    const uint8_t *latest = console_screen(env->console), *previous = console_previous_screen(env->console);
    size_t count = environment_screen_size(env);
    for (size_t i = 0; i < count; i++) {
        uint8_t *mixed = &blend->mixed[latest[i]][previous[i]];
        if (*mixed == UNMIXED) *mixed = palette_average(&env->colors.by_index, latest[i], previous[i]);
        blend->pixels[i] = *mixed;
    }
    blend->current = true;
    return blend->pixels;
}

static void show_pixels(const coloring *colors, ale_pixels pixels, const uint8_t *indices, size_t count,
                        uint8_t *out) {
    switch (pixels) {
    case ALE_INDEXED:
    case ALE_OBJECTS: memcpy(out, indices, count); break;
    case ALE_RGB: coloring_to_rgb(colors, indices, count, out); break;
    case ALE_GRAYSCALE: coloring_to_gray(colors, indices, count, out); break;
    }
}

/* Convert row by row and copy rows that repeat the one above, because conversion is slower than copying. */
static void show_rows(const coloring *colors, ale_pixels pixels, const uint8_t *indices, size_t count, uint8_t *out,
                      size_t stride) {
    const uint8_t *shown = NULL;
    for (const uint8_t *end = indices + count; indices < end; indices += SCREEN_WIDTH, out += stride) {
        if (shown && memcmp(indices, indices - SCREEN_WIDTH, SCREEN_WIDTH) == 0) {
            memcpy(out, shown, stride);
        } else {
            show_pixels(colors, pixels, indices, SCREEN_WIDTH, out);
            shown = out;
        }
    }
}

/* For several pictures, convert a few rows at a time, so that they are still in the cache when they are copied. */
void environment_show(ale_env *env, const ale_screens *screens) {
    static const uint8_t BYTES[] = {
        [ALE_INDEXED] = 1, [ALE_RGB] = 3, [ALE_GRAYSCALE] = 1, [ALE_OBJECTS] = 1}; /* of a pixel */
    const ale_pixels pixels = (ale_pixels)screens->pixels;
    const size_t bytes = BYTES[pixels], all = screens->size / bytes, some = 16 * SCREEN_WIDTH;
    const uint8_t *indices = pixels == ALE_OBJECTS ? console_objects(env->console) : environment_screen(env);
    for (size_t at = 0, count; at < all; at += count) {
        count = screens->count > 1 && all - at > some ? some : all - at;
        uint8_t *out = screens->out[0] + at * bytes;
        if (env->colors.wide)
            show_pixels(&env->colors, pixels, indices + at, count, out);
        else
            show_rows(&env->colors, pixels, indices + at, count, out, bytes * SCREEN_WIDTH);
        for (uint32_t i = 1; i < screens->count; i++) memcpy(screens->out[i] + at * bytes, out, count * bytes);
    }
}
