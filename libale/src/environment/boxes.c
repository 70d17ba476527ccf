/* Boxes around the objects of a frame.
 *
 * Row by row an object's pixels make runs; runs that belong together, in a row or with the row above, make a box. */
#include <stdlib.h>
#include <string.h>

#include "environment.h"

/* Copies of an object begin 16 pixels or more apart, and a copy's eight pixels may have holes: so of movable objects
 * pixels up to 8 apart belong together, of the playfield only neighbours. */
static int reach_of(int object) { return object == PF ? 1 : 8; }

typedef struct run {
    int from, to; /* pixels, the last included */
    size_t box;
} run;

typedef struct row_runs {
    int count;
    run list[SCREEN_WIDTH / 2];
} row_runs;

/* A box that grows; boxes keep the order in which the beam meets them. */
typedef struct growing_box {
    ale_object_box shown;
    int right, bottom;   /* pixels, included */
    size_t color_at;     /* the pixel whose color it is */
    size_t part_of;      /* itself, or an earlier box */
} growing_box;

/* Whether a row has a pixel of an object; most rows have none of most. */
static bool has_object(const uint8_t *cover, int object) {
    uint64_t all = 0, eight;
    for (int x = 0; x < SCREEN_WIDTH; x += (int)sizeof eight) {
        memcpy(&eight, cover + x, sizeof eight);
        all |= eight;
    }
    return all & UINT64_C(0x0101010101010101) << object;
}

static void find_runs(const uint8_t *cover, int object, row_runs *runs) {
    const int reach = reach_of(object);
    runs->count = 0;
    if (!has_object(cover, object)) return;
    for (int x = 0; x < SCREEN_WIDTH; x++) {
        if (!(cover[x] >> object & 1)) continue;
        run *last = runs->count ? &runs->list[runs->count - 1] : NULL;
        if (last && x - last->to <= reach)
            last->to = x;
        else
            runs->list[runs->count++] = (run){.from = x, .to = x};
    }
}

static size_t first_part(const growing_box *boxes, size_t box) {
    while (boxes[box].part_of != box) box = boxes[box].part_of;
    return box;
}

static int smaller(int a, int b) { return a < b ? a : b; }
static int larger(int a, int b) { return a > b ? a : b; }

/* Merge two boxes into the earlier one, and return that. */
static size_t join(growing_box *boxes, size_t a, size_t b) {
    if (a == b) return a;
    if (b < a) return join(boxes, b, a);
    growing_box *into = &boxes[a];
    const growing_box *from = &boxes[b];
    into->shown.x = smaller(into->shown.x, from->shown.x);
    into->shown.y = smaller(into->shown.y, from->shown.y);
    into->right = larger(into->right, from->right);
    into->bottom = larger(into->bottom, from->bottom);
    if (from->color_at < into->color_at) {
        into->color_at = from->color_at;
        into->shown.color = from->shown.color;
    }
    boxes[b].part_of = a;
    return a;
}

static growing_box box_of_run(int object, const run *r, int y, const uint8_t *cover, const uint8_t *screen) {
    growing_box box = {
        .shown = {.object = object, .color = -1, .x = r->from, .y = y},
        .right = r->to,
        .bottom = y,
        .color_at = SIZE_MAX,
    };
    for (int x = r->from; x <= r->to && box.color_at == SIZE_MAX; x++) {
        if (cover[x] != 1u << object) continue;
        box.color_at = (size_t)(y * SCREEN_WIDTH + x);
        box.shown.color = screen[x];
    }
    return box;
}

/* Add the boxes of an object after the first `count` boxes; return the new number. */
static size_t find_boxes(int object, int rows, const uint8_t *cover, const uint8_t *screen, growing_box *boxes,
                         size_t count) {
    const int reach = reach_of(object) - (object == PF); /* the playfield has no corners in common */
    row_runs runs[2] = {{0}};
    for (int y = 0; y < rows; y++, cover += SCREEN_WIDTH, screen += SCREEN_WIDTH) {
        row_runs *here = &runs[y % 2];
        const row_runs *above = &runs[1 - y % 2];
        find_runs(cover, object, here);
        for (run *r = here->list; r < here->list + here->count; r++) {
            r->box = count;
            boxes[count] = box_of_run(object, r, y, cover, screen);
            boxes[count].part_of = count;
            count++;
            for (const run *o = above->list; o < above->list + above->count; o++)
                if (o->from <= r->to + reach && r->from <= o->to + reach)
                    r->box = join(boxes, r->box, first_part(boxes, o->box));
        }
    }
    return count;
}

static size_t count_runs(int rows, const uint8_t *cover) {
    row_runs runs;
    size_t count = 0;
    for (int y = 0; y < rows; y++, cover += SCREEN_WIDTH)
        for (int object = 0; object < OBJECTS; object++) {
            find_runs(cover, object, &runs);
            count += (size_t)runs.count;
        }
    return count;
}

static bool write_boxes(int rows, const uint8_t *cover, const uint8_t *screen, ale_object_box *out, size_t capacity,
                        size_t *count) {
    growing_box *boxes = malloc((count_runs(rows, cover) + 1) * sizeof *boxes);
    if (!boxes) return false;
    size_t made = 0;
    for (int object = 0; object < OBJECTS; object++) made = find_boxes(object, rows, cover, screen, boxes, made);
    *count = 0;
    for (size_t i = 0; i < made; i++) {
        growing_box *box = &boxes[i];
        if (box->part_of != i) continue;
        box->shown.width = box->right - box->shown.x + 1;
        box->shown.height = box->bottom - box->shown.y + 1;
        if (*count < capacity) out[*count] = box->shown;
        ++*count;
    }
    free(boxes);
    return true;
}

bool environment_boxes(ale_env *env, ale_object_box *out, size_t capacity, size_t *count) {
    console *machine = env->console;
    const int rows = console_screen_rows(machine);
    if (env->options.objects)
        return write_boxes(rows, console_objects(machine), console_screen(machine), out, capacity, count);
    const size_t size = environment_screen_size(env);
    uint8_t *screen = calloc(2, size);
    if (!screen) return false;
    *count = 0;
    bool done = !console_draw_objects(machine, screen, screen + size);
    if (!done) done = write_boxes(rows, screen + size, screen, out, capacity, count);
    free(screen);
    return done;
}
