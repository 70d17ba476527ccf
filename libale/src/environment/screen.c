/* The screen, with frames blended when the environment averages colors. */
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

const uint8_t *environment_screen(ale_env *env) {
    blending *blend = env->blend;
    if (!blend) return console_screen(env->console);
    if (blend->current) return blend->pixels;

    const uint8_t *latest = console_screen(env->console), *previous = console_previous_screen(env->console);
    size_t count = (size_t)console_screen_rows(env->console) * SCREEN_WIDTH;
    for (size_t i = 0; i < count; i++) {
        uint8_t *mixed = &blend->mixed[latest[i]][previous[i]];
        if (*mixed == UNMIXED) *mixed = palette_average(&env->colors, latest[i], previous[i]);
        blend->pixels[i] = *mixed;
    }
    blend->current = true;
    return blend->pixels;
}
