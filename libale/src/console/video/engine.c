/* The engine: its life, and what does not depend on the processor. */
#include "engine.h"

#include <string.h>

#include "../../support/processor.h"
#include "engine_loops.h"
#include "engine_state.h"

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
    for (uint32_t n = window; n < e->rows; n++) memset(e->gray.rows + n * GRAY_STRIDE, e->gray.gray[0], GRAY_STRIDE);
}

void engine_start(engine *e, const tia_raster *state, const raster_target *target, const gray_target *gray) {
    const uint32_t from_base = state->drawn > state->row_base ? state->drawn - state->row_base : 0;
    const uint32_t h = from_base % LINE_CLOCKS;
    e->start = target->start;
    e->end = target->end;
    e->rows = target->rows;
    e->hmove_blanks = target->hmove_blanks;
    e->row_start = state->row_base + from_base - h;
    e->row_ended = h == 0 && from_base;
    e->number = from_base / LINE_CLOCKS;
    e->quiet = 0;
    e->first = h <= HBLANK_CLOCKS ? 0 : h - HBLANK_CLOCKS;
    e->blank_from = 8;
    e->whole = false;
    e->black = state->reg[VBLANK] & 2;
    e->pending = ALL_OBJECTS | COLOURS;
    for (unsigned left = e->cut; left; left &= left - 1) e->row[__builtin_ctz(left)] = e->mask[__builtin_ctz(left)];
    e->cut = 0;
    e->gray = gray && state->drawn == target->start && state->row_base == target->start ? *gray : (gray_target){0};
    if (e->gray.rows) blacken_below(e);
}

void engine_run(engine *e, tia_raster *state, const tia_access *access, uint32_t count, uint16_t *latch,
                uint16_t pairs) {
    e->raster = state;
    e->latch = latch;
    e->pairs = pairs;
    if (pairs_missing(e)) e->whole = false; /* its collisions may have been forgotten, or not been asked for */
    e->loops->follow(e, access, count);
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
#endif
    return n == 0 ? &engine_plain : NULL;
}
