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
        if (*mixed == UNMIXED) *mixed = palette_average(&env->colors, latest[i], previous[i]);
        blend->pixels[i] = *mixed;
    }
    blend->current = true;
    return blend->pixels;
}

static void show_row(const palette *colors, ale_pixels pixels, const uint8_t *indices, uint8_t *row) {
    switch (pixels) {
    case ALE_INDEXED:
    case ALE_OBJECTS: memcpy(row, indices, SCREEN_WIDTH); break;
    case ALE_RGB: palette_to_rgb(colors, indices, SCREEN_WIDTH, row); break;
    case ALE_GRAYSCALE: palette_to_gray(colors, indices, SCREEN_WIDTH, row); break;
    }
}

/* Row by row, all pictures at once, while the row is near.  Many rows repeat the one above. */
void environment_show(ale_env *env, const ale_screens *screens) {
    static const uint8_t BYTES[] = {
        [ALE_INDEXED] = 1, [ALE_RGB] = 3, [ALE_GRAYSCALE] = 1, [ALE_OBJECTS] = 1}; /* of a pixel */
    const size_t stride = (size_t)BYTES[screens->pixels] * SCREEN_WIDTH;
    const bool objects = screens->pixels == ALE_OBJECTS;
    const uint8_t *indices = objects ? console_objects(env->console) : environment_screen(env), *shown = NULL;
    for (size_t at = 0; at < screens->size; at += stride, indices += SCREEN_WIDTH) {
        uint8_t *row = screens->out[0] + at;
        if (shown && memcmp(indices, indices - SCREEN_WIDTH, SCREEN_WIDTH) == 0) {
            memcpy(row, shown, stride);
        } else {
            show_row(&env->colors, (ale_pixels)screens->pixels, indices, row);
            shown = row;
        }
        for (uint32_t i = 1; i < screens->count; i++) memcpy(screens->out[i] + at, shown, stride);
    }
}
