/* The part of the engine that does not depend on the processor. walk.inc is the walk itself, compiled for each
 * processor by the loops (avx2.c, avx512.c, neon.c, plain.c). */
#include "engine.h"

#include <string.h>

#include "../../../support/processor.h"
#include "loops.h"
#include "state.h"

/* --- life ----------------------------------------------------------------------------------------------- */

engine *engine_create(arena *a) {
    void *memory = arena_take(a, sizeof(engine) + GRAY_ALIGNMENT, ARENA_DENSE);
    if (!memory) return NULL;
    const size_t beyond = (uintptr_t)memory % GRAY_ALIGNMENT;
    engine *e = (engine *)(void *)((uint8_t *)memory + (GRAY_ALIGNMENT - beyond));
    e->loops = engine_loops_number(0);
    e->memory = memory;
    return e;
}

void engine_destroy(engine *e, arena *a) {
    if (e) arena_release(a, e->memory);
}

void engine_use(engine *e, const engine_loops *loops) { e->loops = loops; }

/* --- frames --------------------------------------------------------------------------------------------- */

/* Rows of the screen below the window are always black. */
static void blacken_below(const engine *e) {
    const uint32_t window = (e->end - e->start) / LINE_CLOCKS;
    for (uint32_t n = window; n < e->rows; n++) {
        memset(e->gray.rows + n * GRAY_STRIDE, e->gray.gray[0], GRAY_STRIDE);
        if (e->gray.marks) e->gray.marks[n] = 0;
    }
}

/* The table in which each colour has its number. */
#define FOUR(n) (n), (n) + 1, (n) + 2, (n) + 3
#define SIXTEEN(n) FOUR(n), FOUR((n) + 4), FOUR((n) + 8), FOUR((n) + 12)
#define SIXTY_FOUR(n) SIXTEEN(n), SIXTEEN((n) + 16), SIXTEEN((n) + 32), SIXTEEN((n) + 48)
static const uint8_t colour_numbers[256] = {SIXTY_FOUR(0), SIXTY_FOUR(64), SIXTY_FOUR(128), SIXTY_FOUR(192)};

/* The part of the first row that is drawn already. */
static void take_up_row(engine *e) {
    if (e->first == 0 || e->number >= e->rows) return;
    const size_t row = (size_t)e->number * e->stride;
    memcpy(e->line, e->gray.rows + row, e->first);
    if (e->cover) memcpy(e->line_cover, e->cover + row, e->first);
}

void engine_take_up(engine *e, const tia_raster *state) {
    const uint32_t from_base = state->drawn > state->row_base ? state->drawn - state->row_base : 0;
    const uint32_t h = from_base % LINE_CLOCKS;
    e->asleep = false;
    e->row_start = state->row_base + from_base - h;
    e->row_ended = h == 0 && from_base;
    e->number = from_base / LINE_CLOCKS;
    e->quiet = 0;
    e->hmove_row = 0;
    e->first = h <= HBLANK_CLOCKS ? 0 : h - HBLANK_CLOCKS;
    e->blank_from = e->blank_above = 8;
    e->whole = false;
    e->black = state->reg[VBLANK] & 2;
    e->pending = ALL_OBJECTS | COLOURS;
    for (unsigned left = e->cut; left; left &= left - 1) e->row[__builtin_ctz(left)] = e->mask[__builtin_ctz(left)];
    e->cut = 0;
}

void engine_start(engine *e, const tia_raster *state, const raster_target *target, const gray_target *gray) {
    e->start = target->start;
    e->end = target->end;
    e->rows = target->rows;
    e->hmove_blanks = target->hmove_blanks;
    engine_take_up(e, state);
    e->asleep = true;
    e->above = 0;
    e->gray = (gray_target){0};
    e->cover = NULL;
    if (gray && gray->rows && state->drawn == target->start && state->row_base == target->start) {
        e->gray = *gray;
        e->stride = GRAY_STRIDE;
        blacken_below(e);
    }
    if (!gray && target->pixels) {
        e->gray = (gray_target){.gray = colour_numbers, .rows = target->pixels};
        e->stride = SCREEN_WIDTH;
        e->cover = target->cover;
        take_up_row(e);
    }
}

void engine_cover(engine *e, unsigned from, unsigned to) {
    memset(e->line_cover + from, 0, to - from);
    for (unsigned left = e->present | e->cut; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        for (unsigned w = from / 64; w <= (to - 1) / 64; w++) {
            const uint64_t ours = pixels_before(to, w) & ~pixels_before(from, w);
            shape_paint(e->line_cover + 64 * w, e->row[i].word[w] & ours, 1u << i);
        }
    }
}

/* Up to pixel `to`. */
static void put_bytes(const engine *e, const uint8_t *line, uint8_t *row, unsigned to, uint8_t blank) {
    memcpy(row, line, to);
    for (unsigned x = e->blank_from; x < 8 && x < to; x++) row[x] = blank;
}

void engine_put_cover(const engine *e, uint32_t row, unsigned to) {
    put_bytes(e, e->line_cover, e->cover + row * e->stride, to, 0);
}

void engine_put_part(const engine *e) {
    const uint32_t h = e->raster->drawn - e->row_start;
    if (h <= HBLANK_CLOCKS || e->number >= e->rows) return;
    put_bytes(e, e->line, e->gray.rows + e->number * e->stride, h - HBLANK_CLOCKS, e->gray.gray[0]);
    if (e->cover) engine_put_cover(e, e->number, h - HBLANK_CLOCKS);
}

void engine_run(engine *e, tia_raster *state, const tia_access *access, uint32_t count, uint16_t *latch,
                uint16_t pairs) {
    e->raster = state;
    e->latch = latch;
    e->pairs = pairs;
    if (pairs & ~*latch) e->whole = false; /* its collisions may have been forgotten, or not been asked for */
    e->loops->follow(e, access, count, 0);
}

bool engine_drew_all(const engine *e, const tia_raster *state) { return e->gray.rows && state->drawn == e->end; }

bool engine_draw(const engine *like, const frame_view *frame, const raster_target *target, const gray_target *gray) {
    engine e = {.loops = like->loops};
    tia_raster state = *frame->start;
    uint16_t latch = 0;
    engine_start(&e, &state, target, gray);
    engine_run(&e, &state, frame->access, frame->count, &latch, 0);
    return engine_drew_all(&e, &state);
}

/* --- choice --------------------------------------------------------------------------------------------- */

bool engine_is_wide(void) { return engine_loops_number(0) != &engine_plain; }

const engine_loops *engine_loops_number(int n) {
#ifdef ENGINE_X86
    if (processor_has_avx512_bmi2() && n-- == 0) return &engine_avx512;
    if (processor_has_avx2_bmi2() && n-- == 0) return &engine_avx2;
#elif defined(ENGINE_NEON)
    if (n-- == 0) return &engine_neon;
#endif
    return n == 0 ? &engine_plain : NULL;
}
