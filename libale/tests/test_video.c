/* The ways to draw and to collide, without a console: from a random state of the beam, through a window of a few rows
 * and a log of random accesses.  Each must come to the pixels, the collisions and the state that pixels.c comes to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "console/video/engine/engine.h"
#include "console/video/lines.h"
#include "console/video/pixels.h"
#include "gray_screen.h"
#include "numbers.h"

enum { SCENES = 12000, MOST_ROWS = 24, MOST_BELOW = 2, MOST_ACCESSES = 400, BUFFER_ROWS = MOST_ROWS + MOST_BELOW };

typedef struct scene {
    uint32_t seed;
    tia_raster state;
    raster_target target; /* without where it is drawn */
    uint16_t latch;
    bool covers;
    uint32_t count;
    tia_access access[MOST_ACCESSES];
} scene;

typedef struct outcome {
    tia_raster state;
    uint16_t latch;
    uint8_t pixels[BUFFER_ROWS * SCREEN_WIDTH], cover[BUFFER_ROWS * SCREEN_WIDTH];
} outcome;

static uint32_t below(uint32_t *random, uint32_t limit) { return (next_random(random) >> 8) % limit; }

/* ---- Scenes -------------------------------------------------------------------------------------------- */

static tia_raster random_state(uint32_t *random, const raster_target *target) {
    tia_raster r = {.hmove_clock = below(random, target->end), .row_base = target->start, .drawn = target->start};
    const uint32_t rarely_set = 1 + below(random, 4);
    for (unsigned reg = 0; reg <= RESMP1; reg++) {
        const bool strobe = reg == WSYNC || reg == RSYNC || (reg >= RESP0 && reg <= RESBL);
        if (!strobe && below(random, rarely_set) == 0) r.reg[reg] = (uint8_t)next_random(random);
    }
    if (below(random, 4)) r.reg[VBLANK] = 0;
    for (int i = 0; i < MOVABLE; i++) r.position[i] = (uint8_t)below(random, SCREEN_WIDTH);
    for (int i = 0; i < 2; i++) {
        r.old_grp[i] = (uint8_t)next_random(random);
        r.suppressed[i] = below(random, 4) == 0;
    }
    r.old_enabl = (uint8_t)next_random(random);
    r.reflected = below(random, 8) ? r.reg[CTRLPF] & 1 : 0;
    r.hmove_blank = target->hmove_blanks && below(random, 4) == 0;
    r.cosmic = below(random, 8) == 0;
    if (r.cosmic) {
        r.cosmic_step = below(random, 4);
        r.m0_override = r.cosmic_step == 1 ? 1 : r.cosmic_step == 2 ? 2 : 0;
    }
    r.colour_loss = below(random, 8) == 0;
    return r;
}

/* Any register, or one of those that change most; in the usual cycles for HMOVE and RESP0, or whenever. */
static tia_access random_access(uint32_t *random, uint32_t first, uint32_t end, uint32_t rarely_set) {
    static const uint8_t often[] = {GRP0,   GRP1,   PF0,   PF1,   PF2,   COLUBK, COLUP0, COLUP1, COLUPF, HMOVE,
                                    NUSIZ0, NUSIZ1, RESP0, RESP1, RESM0, RESM1,  RESBL,  ENAM0,  ENAM1,  ENABL,
                                    REFP0,  REFP1,  HMP0,  VDELP0, VDELP1, VDELBL, RESMP0, RESMP1, HMCLR, CTRLPF};
    static const uint8_t cycles[] = {3, 3, 0, 10, 20, 73, 74, 75};
    uint32_t time = first + below(random, end - first);
    unsigned reg = below(random, 3) ? often[below(random, sizeof often)] : below(random, CXCLR + 2);
    if (reg == CXCLR + 1) reg = TIA_READ;
    if (reg == VBLANK && below(random, 4)) reg = COLUPF;
    if ((reg == HMOVE || reg == RESP0) && below(random, 2))
        time += cycles[below(random, sizeof cycles)] - time % LINE_CYCLES;
    return tia_access_make(time, reg, below(random, rarely_set) ? 0 : (uint8_t)next_random(random));
}

static int by_time(const void *a, const void *b) {
    const uint32_t x = *(const tia_access *)a >> 16, y = *(const tia_access *)b >> 16;
    return (x > y) - (x < y);
}

/* A program accesses the TIA every third cycle at most, but for instructions that read a register or write it twice. */
static void space(scene *s) {
    for (uint32_t i = 1; i < s->count; i++) {
        const unsigned before = access_reg(s->access[i - 1]), reg = access_reg(s->access[i]);
        const uint32_t least = (s->access[i - 1] >> 16) + (reg == before || before == TIA_READ ? 1 : 3);
        if (s->access[i] >> 16 < least) s->access[i] = tia_access_make(least, reg, access_value(s->access[i]));
    }
}

/* Motion of missile 0 that is set anew 21 cycles after an HMOVE lets it wander. */
static void wander(scene *s, uint32_t time) {
    s->access[s->count++] = tia_access_make(time, HMM0, 0x70);
    s->access[s->count++] = tia_access_make(time + 3, HMOVE, 0);
    s->access[s->count++] = tia_access_make(time + 24, HMM0, 0x60);
}

static void make_scene(scene *s, uint32_t seed) {
    uint32_t random = seed * 2654435761u | 1;
    for (int i = 0; i < 8; i++) next_random(&random);
    const uint32_t first = below(&random, 40), height = 1 + below(&random, MOST_ROWS);
    *s = (scene){.seed = seed, .covers = below(&random, 2)};
    s->target.start = first * LINE_CLOCKS;
    s->target.end = (first + height) * LINE_CLOCKS;
    s->target.rows = height + below(&random, MOST_BELOW + 1);
    s->target.hmove_blanks = below(&random, 4) != 0;
    s->state = random_state(&random, &s->target);
    s->latch = below(&random, 2) ? 0 : next_random(&random) & ALL_PAIRS;
    uint16_t pairs = below(&random, 2) ? ALL_PAIRS : next_random(&random) & ALL_PAIRS;
    if (below(&random, 4) == 0) pairs = (uint16_t)(1u << below(&random, COLLISIONS)); /* mostly far from colliding */
    lines_set_pairs(&s->target, pairs);
    s->target.pairs = s->target.pairs & (uint16_t)~s->latch;

    /* From some lines before the window to some behind it, or only somewhere in it. */
    const uint32_t from = (first - below(&random, first + 1)) * LINE_CYCLES;
    const uint32_t to = (first + below(&random, height + 3) + 1) * LINE_CYCLES;
    const uint32_t count = below(&random, 1 + below(&random, MOST_ACCESSES - 8)), rarely_set = 1 + below(&random, 4);
    while (s->count < count) s->access[s->count++] = random_access(&random, from, to, rarely_set);
    if (below(&random, 4) == 0) wander(s, from + below(&random, to - from));
    if (below(&random, 4)) /* the frame goes on behind its window */
        s->access[s->count++] = tia_access_make((first + height + 3) * LINE_CYCLES, TIA_READ, 0);
    qsort(s->access, s->count, sizeof *s->access, by_time);
    space(s);
}

/* ---- Comparing ----------------------------------------------------------------------------------------- */

static void begin(const scene *s, outcome *o) {
    o->state = s->state;
    o->latch = s->latch;
    memset(o->pixels, 0xEE, sizeof o->pixels);
    memset(o->cover, 0x11, sizeof o->cover);
}

static raster_target to_pixels(const scene *s, outcome *o) {
    raster_target target = s->target;
    target.pixels = o->pixels;
    target.cover = s->covers ? o->cover : NULL;
    return target;
}

static raster_target to_latch(const scene *s, outcome *o) {
    raster_target target = s->target;
    target.collisions = &o->latch;
    return target;
}

typedef struct comparison {
    const scene *scene;
    const char *way, *loops; /* what is compared with pixels.c */
} comparison;

static void fail_in(const comparison *c, const char *what) {
    fprintf(stderr, "seed %u, %s (%s loops): other %s\n", (unsigned)c->scene->seed, c->way, c->loops, what);
    check_failures = 1;
}

static void compare_bytes(const comparison *c, const char *what, const uint8_t *got, size_t stride,
                          const uint8_t *expected) {
    for (uint32_t row = 0; row < c->scene->target.rows; row++)
        for (uint32_t x = 0; x < SCREEN_WIDTH; x++) {
            const uint8_t here = got[row * stride + x], there = expected[row * SCREEN_WIDTH + x];
            if (here == there) continue;
            fail_in(c, what);
            fprintf(stderr, "    row %u, pixel %u: %u, not %u\n", (unsigned)row, (unsigned)x, here, there);
            return;
        }
}

static void compare_states(const comparison *c, const tia_raster *got, const tia_raster *expected) {
    for (size_t i = 0; i < sizeof *got; i++) {
        const uint8_t here = ((const uint8_t *)got)[i], there = ((const uint8_t *)expected)[i];
        if (here == there) continue;
        fail_in(c, "state");
        fprintf(stderr, "    byte %u: %u, not %u\n", (unsigned)i, here, there);
        return;
    }
}

static void compare_latches(const comparison *c, uint16_t got, uint16_t expected) {
    if (got == expected) return;
    fail_in(c, "collisions");
    fprintf(stderr, "    %04x, not %04x\n", got, expected);
}

/* ---- The ways ------------------------------------------------------------------------------------------ */

/* All that there is to know. */
static void by_pixels(const scene *s, outcome *o) {
    begin(s, o);
    raster_target target = to_pixels(s, o);
    target.collisions = &o->latch;
    pixels_run(&o->state, s->access, s->count, &target);
}

static void by_beam(const scene *s, const outcome *expected) {
    tia_raster state = s->state;
    beam_follow(&state, s->access, s->count, &s->target);
    compare_states(&(comparison){s, "beam_follow", "no"}, &state, &expected->state);
}

/* In parts, as a frame is drawn that somebody looks at before it is over. */
static void pixels_by_lines(const scene *s, const engine *like, const outcome *expected, comparison c) {
    static outcome o;
    begin(s, &o);
    c.way = "lines_draw";
    const raster_target target = to_pixels(s, &o);
    uint32_t random = s->seed | 1;
    for (uint32_t at = 0, end; at < s->count; at = end) {
        end = at + 1 + below(&random, s->count - at);
        const uint32_t done = lines_draw(like, &o.state, s->access + at, end - at, &target);
        pixels_run(&o.state, s->access + at + done, end - at - done, &target);
    }
    compare_states(&c, &o.state, &expected->state);
    compare_bytes(&c, "pixels", o.pixels, SCREEN_WIDTH, expected->pixels);
    if (s->covers) compare_bytes(&c, "objects", o.cover, SCREEN_WIDTH, expected->cover);
}

static void collisions_by_lines(const scene *s, const engine *like, const outcome *expected, comparison c) {
    static outcome o;
    begin(s, &o);
    c.way = "lines_collide";
    const raster_target target = to_latch(s, &o);
    const uint32_t done = lines_collide(like, &o.state, s->access, s->count, &target);
    beam_follow(&o.state, s->access + done, s->count - done, &target);
    compare_states(&c, &o.state, &expected->state);
    compare_latches(&c, o.latch, expected->latch);
}

/* Rows that are complete, up to one of them. */
static void rows_by_lines(const scene *s, const engine *like, comparison c) {
    static outcome o, expected;
    begin(s, &o);
    begin(s, &expected);
    c.way = "lines_draw_rows";
    const raster_target target = to_pixels(s, &o), other = to_pixels(s, &expected);
    const uint32_t rows = (target.end - target.start) / LINE_CLOCKS;
    const uint32_t until = target.start + (1 + s->seed % rows) * LINE_CLOCKS;
    uint32_t count = 0;
    while (count < s->count && access_clock(s->access[count]) + LONGEST_DELAY < until) count++;
    lines_draw_rows(like, &o.state, s->access, count, until, &target);
    pixels_run(&expected.state, s->access, count, &other);
    pixels_run(&expected.state, &(tia_access){tia_access_make(until / 3, TIA_READ, 0)}, 1, &other);
    compare_states(&c, &o.state, &expected.state);
    compare_bytes(&c, "pixels", o.pixels, SCREEN_WIDTH, expected.pixels);
    if (s->covers) compare_bytes(&c, "objects", o.cover, SCREEN_WIDTH, expected.cover);
}

/* Gray rows: another gray for every colour, pooled with what was there before, or not; stored, or marked where they
 * equal the row above. */
typedef struct gray_rows {
    _Alignas(GRAY_ALIGNMENT) uint8_t rows[BUFFER_ROWS * GRAY_STRIDE];
    uint8_t expected[BUFFER_ROWS * SCREEN_WIDTH], gray[256], marks[BUFFER_ROWS];
    bool pool, marks_rows;
} gray_rows;

/* What was there before: runs of equal rows, of which all but the first may be marked, and hold anything. */
static uint8_t put_first_frame(gray_rows *g, uint32_t y, uint32_t *random) {
    const uint8_t gray = (uint8_t)(y / 5 * 40);
    g->marks[y] = g->marks_rows && y % 5 && below(random, 4);
    memset(g->rows + y * GRAY_STRIDE, g->marks[y] ? 0xFF : gray, GRAY_STRIDE);
    return gray;
}

static gray_target begin_gray(gray_rows *g, const scene *s, const outcome *expected) {
    const uint32_t window = (s->target.end - s->target.start) / LINE_CLOCKS;
    uint32_t random = s->seed | 1;
    g->pool = s->seed & 1;
    g->marks_rows = s->seed & 2;
    for (unsigned i = 0; i < 256; i++) g->gray[i] = (uint8_t)(37 * i + 11);
    for (uint32_t y = 0; y < s->target.rows; y++) {
        const uint8_t first = put_first_frame(g, y, &random);
        for (size_t i = y * SCREEN_WIDTH; i < (y + 1) * SCREEN_WIDTH; i++) {
            const uint8_t gray = g->gray[y < window ? expected->pixels[i] : 0];
            g->expected[i] = y < window && g->pool && gray < first ? first : gray;
        }
    }
    return (gray_target){.gray = g->gray, .rows = g->rows, .pool = g->pool, .marks = g->marks_rows ? g->marks : NULL};
}

static void compare_gray(const comparison *c, gray_rows *g) {
    if (g->marks_rows) store_marked_rows(g->rows, g->marks, c->scene->target.rows);
    compare_bytes(c, "gray rows", g->rows, GRAY_STRIDE, g->expected);
}

/* The engine, which goes on and on, for all that there is to know; from a copy, for the rows.  Returns whether it drew
 * all of them. */
static bool by_engine(const scene *s, engine *e, const outcome *expected, comparison c) {
    static outcome o;
    static gray_rows g;
    begin(s, &o);
    c.way = "engine_run";
    const gray_target gray = begin_gray(&g, s, expected);
    uint32_t random = s->seed | 1;
    engine_start(e, &o.state, &s->target, &gray);
    for (uint32_t at = 0, end; at < s->count; at = end) {
        end = at + 1 + below(&random, s->count - at);
        engine_run(e, &o.state, s->access + at, end - at, &o.latch, s->target.pairs);
    }
    const bool complete = engine_drew_all(e, &o.state);
    compare_states(&c, &o.state, &expected->state);
    compare_latches(&c, o.latch, expected->latch);
    if (complete) compare_gray(&c, &g);

    c.way = "engine_draw";
    (void)begin_gray(&g, s, expected);
    const frame_view frame = {&s->state, s->access, s->count};
    if (engine_draw(e, &frame, &s->target, &gray) != complete) fail_in(&c, "number of rows");
    if (complete) compare_gray(&c, &g);
    return complete;
}

/* The engine without pixels, which leaves accesses to beam_follow_apart where no pair can show. */
static void unseen_by_engine(const scene *s, engine *e, const outcome *expected, comparison c) {
    static outcome o;
    begin(s, &o);
    c.way = "engine_run without pixels";
    uint32_t random = s->seed | 1;
    engine_start(e, &o.state, &s->target, NULL);
    for (uint32_t at = 0, end; at < s->count; at = end) {
        end = at + 1 + below(&random, s->count - at);
        engine_run(e, &o.state, s->access + at, end - at, &o.latch, s->target.pairs);
    }
    compare_states(&c, &o.state, &expected->state);
    compare_latches(&c, o.latch, expected->latch);
}

/* Accesses are followed to the first one after which a pair may collide, and no further. */
static void test_apart(void) {
    const raster_target target = {.end = 100 * LINE_CLOCKS, .hmove_blanks = true};
    const tia_access log[] = {
        tia_access_make(100, PF1, 0xFF),  tia_access_make(110, GRP1, 0xFF),  tia_access_make(120, GRP0, 0),
        tia_access_make(200, HMOVE, 0),   tia_access_make(300, VBLANK, 2),   tia_access_make(400, GRP0, 1),
        tia_access_make(500, VBLANK, 0),
    };
    enum { COUNT = sizeof log / sizeof *log };
    static const struct {
        uint16_t pairs;
        uint32_t until;
    } cases[] = {{0, COUNT}, {1 << 14, COUNT}, {1 << 6, 1}, {1 << 13, COUNT - 1}, {1 << 4, COUNT - 1}, {ALL_PAIRS, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tia_raster state = {0}, expected = {0};
        CHECK_EQUAL(beam_follow_apart(&state, log, COUNT, &target, cases[i].pairs), cases[i].until);
        beam_follow(&expected, log, cases[i].until, &target);
        CHECK(memcmp(&state, &expected, sizeof state) == 0);
    }
}

int main(void) {
    static scene s;
    static outcome expected;
    RUN(test_apart());
    engine *e = engine_create(NULL);
    int complete = 0;
    const int scenes = check_turns(SCENES);
    for (int seed = 1; seed <= scenes && !check_failures; seed++) {
        RUN(make_scene(&s, (uint32_t)seed));
        RUN(by_pixels(&s, &expected));
        RUN(by_beam(&s, &expected));
        for (int n = 0; engine_loops_number(n); n++) {
            const comparison c = {&s, NULL, engine_loops_number(n)->name};
            engine_use(e, engine_loops_number(n));
            RUN(pixels_by_lines(&s, e, &expected, c));
            RUN(collisions_by_lines(&s, e, &expected, c));
            RUN(rows_by_lines(&s, e, c));
            complete += by_engine(&s, e, &expected, c);
            RUN(unseen_by_engine(&s, e, &expected, c));
        }
    }
    CHECK(check_failures || complete > scenes / 2);
    engine_destroy(e, NULL);
    return check_failures;
}
