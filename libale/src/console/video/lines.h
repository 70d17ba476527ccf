/* Follows a log a line at a time, by an engine, or one `like` it. */
#ifndef ALE_LINES_H
#define ALE_LINES_H

#include "engine/engine.h"

/* Draw as much of a log as is certain to make complete rows; return the number of accesses followed. */
uint32_t lines_draw(const engine *like, tia_raster *raster, const tia_access *access, uint32_t count,
                    const raster_target *target);
/* Evaluate a log's collisions as far as wanted pairs may collide; return the number of accesses followed. */
uint32_t lines_collide(const engine *like, tia_raster *raster, const tia_access *access, uint32_t count,
                       const raster_target *target);
/* Follow complete rows with pixels, up to the clock `until`. */
void lines_draw_rows(const engine *like, tia_raster *raster, const tia_access *access, uint32_t count, uint32_t until,
                     const raster_target *target);

/* A complete row. */
typedef struct lines_row {
    const tia_access *access;
    uint32_t count;
    uint32_t end;    /* clock */
    uint16_t *latch; /* for its collisions */
} lines_row;
/* Follow it with collisions. */
void lines_collide_row(const engine *like, tia_raster *raster, const lines_row *row, const raster_target *target);
/* Evaluate the collisions of rows in sequence, and draw them if the target has pixels.  `next` is called with the state
 * before each row and returns that row; false: there are no more rows. */
typedef bool lines_source(void *context, lines_row *row);
void lines_follow_rows(engine *e, tia_raster *raster, lines_source *next, void *context, const raster_target *target);

/* Set target.pairs, and find target.colliding. */
void lines_set_pairs(raster_target *target, uint16_t pairs);

#endif
