/* Drawing a line at a time. */
#ifndef ALE_LINES_H
#define ALE_LINES_H

#include "beam.h"

/* Follow a log with pixels, as far as rows are surely complete; returns how many accesses that were. */
uint32_t lines_draw(tia_raster *raster, const tia_access *access, uint32_t count,
                    const raster_target *target);
/* Follow a log with collisions. */
void lines_collide(tia_raster *raster, const tia_access *access, uint32_t count, const raster_target *target);
/* The same two for complete rows, up to the clock `until`. */
void lines_draw_rows(tia_raster *raster, const tia_access *access, uint32_t count, uint32_t until,
                     const raster_target *target);
void lines_collide_rows(tia_raster *raster, const tia_access *access, uint32_t count, uint32_t until,
                        const raster_target *target);
/* Set target.pairs, and find target.objects and target.colliding. */
void lines_set_pairs(raster_target *target, uint16_t pairs);

#endif
