/* From palette indices to colours: the three display formats' tables and the conversion of pictures.
 *
 * An even index is a TIA colour; the odd index after it is what a television without colour burst shows of
 * it, its gray. */
#ifndef ALE_PALETTE_H
#define ALE_PALETTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rom_image.h"

typedef struct palette {
    uint8_t rgb[256][4]; /* red, green, blue, 0 */
    uint8_t gray[256];
    bool by_blocks; /* the processor has the loops for many pixels at once */
} palette;

void palette_init(palette *colors, rom_format format);
/* `count` pixels to 3 * count bytes, to count bytes. */
void palette_to_rgb(const palette *colors, const uint8_t *indices, size_t count, uint8_t *rgb);
void palette_to_gray(const palette *colors, const uint8_t *indices, size_t count, uint8_t *gray);
/* The index that comes nearest to the afterglow of one of two colours under the other, in either order. */
uint8_t palette_average(const palette *colors, uint8_t a, uint8_t b);

#endif
