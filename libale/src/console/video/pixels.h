/* Draws pixel by pixel.  This is the definition that every faster way must equal. */
#ifndef ALE_VIDEO_PIXELS_H
#define ALE_VIDEO_PIXELS_H

#include "beam.h"

/* Follow a log with pixels, collisions or both. */
void pixels_run(tia_raster *raster, const tia_access *access, uint32_t count, const raster_target *target);

#endif
