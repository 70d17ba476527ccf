/* Draws logs into frame buffers: by the row memory or by lines if these can, else pixel by pixel. */
#include "followers.h"
#include "lines.h"
#include "picture_parts.h"
#include "pixels.h"

raster_target picture_target(const console *machine, uint8_t *pixels, uint16_t *collisions, uint16_t pairs) {
    return target_of(machine, pixels, collisions, pairs);
}

void picture_draw_accesses(const console *machine, tia_raster *raster, const frame_log *log,
                           const raster_target *target) {
    const engine *like = machine->picture->engine;
    uint32_t done = by_lines(machine) ? lines_draw(like, raster, log->access, log->count, target) : 0;
    pixels_run(raster, log->access + done, log->count - done, target);
}

void picture_draw_log(console *machine, frame_log *log, unsigned buffer) {
    if (log->in_buffer) return;
    picture *p = machine->picture;
    log->in_buffer = 1;
    rows_note_drawing(p->rows);
    if (log == &p->logs.frame[p->logs.latest] && p->following.follower && p->following.follower->draw(machine)) return;
    rows_invalidate_buffer(p->rows, buffer);
    raster_target target = target_of(machine, picture_pixels(p, buffer), NULL, 0);
    tia_raster raster = log->start;
    picture_draw_accesses(machine, &raster, log, &target);
}

const uint8_t *picture_show(console *machine, bool previous) {
    picture *p = machine->picture;
    unsigned buffer = p->buffers.latest ^ previous;
    picture_draw_log(machine, &p->logs.frame[log_back(p, previous)], buffer);
    return picture_pixels(p, buffer);
}

bool picture_view(const console *machine, bool previous, frame_view *view) {
    const picture *p = machine->picture;
    const frame_log *log = &p->logs.frame[log_back(p, previous)];
    *view = (frame_view){&log->start, log->access, log->count};
    if (!previous && machine->s.partial) return false;
    return log->whole && log->end >= machine->window_end;
}

bool picture_draw_gray(const console *machine, const frame_view *frame, const gray_target *to) {
    const raster_target target = target_of(machine, NULL, NULL, 0);
    return engine_draw(machine->picture->engine, frame, &target, to);
}

bool picture_draw_objects(const console *machine, uint8_t *pixels, uint8_t *cover) {
    const frame_log *log = &machine->picture->logs.frame[machine->picture->logs.latest];
    if (!log->whole || machine->s.partial) return false;
    raster_target target = target_of(machine, NULL, NULL, 0);
    target.pixels = pixels;
    target.cover = cover;
    tia_raster raster = log->start;
    picture_draw_accesses(machine, &raster, log, &target);
    return true;
}

void picture_gray(console *machine, uint32_t first_row) {
    picture *p = machine->picture;
    uint8_t *pixels = picture_pixels(p, p->buffers.latest);
    rows_invalidate_buffer(p->rows, p->buffers.latest);
    if (p->buffers.black) return;
    for (size_t i = (size_t)first_row * SCREEN_WIDTH; i < (size_t)machine->height * SCREEN_WIDTH; i++)
        pixels[i] = (uint8_t)((pixels[i] & 0x0F) >> 1);
}
