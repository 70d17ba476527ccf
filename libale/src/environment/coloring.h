/* How the indices of a screen become a picture in colour or gray. */
#ifndef ALE_COLORING_H
#define ALE_COLORING_H

#include "../console/palette.h"

typedef struct coloring {
    palette by_index;
    bool wide;           /* the processor looks 64 pixels up at a time, whatever they are; long pictures are best */
    uint8_t rgb[3][128]; /* reds, greens and blues of the even indices, for that */
} coloring;

void coloring_init(coloring *c, rom_format format);
/* `count` pixels to 3 * count bytes, to count bytes. */
void coloring_to_rgb(const coloring *c, const uint8_t *indices, size_t count, uint8_t *rgb);
void coloring_to_gray(const coloring *c, const uint8_t *indices, size_t count, uint8_t *gray);
/* To `count` reds, as many greens, as many blues. */
void coloring_to_planes(const coloring *c, const uint8_t *indices, size_t count, uint8_t *planes);

#endif
