/* Frames that nearly repeat: random accesses to the TIA, of which a few change from frame to frame, seen by a
 * console that remembers rows, by one that has the engine and by one that draws pixel by pixel.  Collisions, pictures
 * and the state they leave must be the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "console/video/tia.h"
#include "gray_screen.h"
#include "loops.h"
#include "numbers.h"
#include "recompute.h"

enum {
    PLAYS = 80,
    FRAMES = 60,
    MOST = 1500,
    LINES = 262,
    SHORT_LINES = 150,
    HALF_LINES = 100,
    LAST_LINE = 258
};

static uint32_t below(uint32_t *random, uint32_t limit) { return (next_random(random) >> 8) % limit; }

typedef struct access {
    uint32_t time;
    uint8_t reg, value;
    bool reads;
} access;

typedef struct frame {
    uint32_t count;
    access list[MOST];
} frame;

/* What programs write most: little to see, and few objects at a time, so that rows have much to ignore. */
static access any_access(uint32_t *random, uint32_t rarely_reads) {
    static const uint8_t often[] = {GRP0,   GRP1,  GRP0,  GRP1,   PF0,    PF1,   PF2,    COLUBK, COLUP0,
                                    COLUP1, HMOVE, HMOVE, NUSIZ0, NUSIZ1, RESP0, RESP1,  RESM0,  RESM1,
                                    RESBL,  ENAM0, ENAM1, ENABL,  REFP0,  HMP0,  VDELP0, HMCLR,  CTRLPF};
    access a = {.time = below(random, LAST_LINE * LINE_CYCLES)};
    a.reg = below(random, 3) ? often[below(random, sizeof often)] : (uint8_t)below(random, CXCLR + 1);
    a.value = below(random, 3) ? 0 : (uint8_t)next_random(random);
    if (a.reg == VSYNC || a.reg == WSYNC || (a.reg == VBLANK && below(random, 4))) a.reg = COLUPF;
    if ((a.reg == HMOVE || a.reg == RESP0) && below(random, 2)) {
        static const uint8_t cycles[] = {3, 3, 0, 74, 75}; /* of the line */
        a.time += cycles[below(random, sizeof cycles)] - a.time % LINE_CYCLES;
    }
    if (below(random, rarely_reads) == 0) {
        a.reads = true;
        a.reg = below(random, 8) ? CXCLR : (uint8_t)below(random, 8);
        if (a.reg == CXCLR) a.reads = below(random, 2), a.reg = a.reads ? 2 : CXCLR;
    }
    return a;
}

static int by_time(const void *a, const void *b) {
    uint32_t x = ((const access *)a)->time, y = ((const access *)b)->time;
    return (x > y) - (x < y);
}

/* The trick that lets missile 0 wander: motion set anew 21 cycles after an HMOVE. */
static void wander(frame *f, uint32_t *random) {
    uint32_t time = below(random, LAST_LINE) * LINE_CYCLES + 3;
    const access trick[] = {
        {time - 3, HMM0, 0x70, false}, {time, HMOVE, 0, false}, {time + 21, HMM0, 0x60, false}};
    for (int i = 0; i < 3 && f->count < MOST; i++) f->list[f->count++] = trick[i];
}

static void change(frame *f, uint32_t *random, uint32_t changes, uint32_t rarely_reads) {
    while (changes--) {
        access *a = &f->list[below(random, f->count)];
        switch (below(random, 6)) {
            case 0: *a = any_access(random, rarely_reads); break;
            case 1: a->time += below(random, 4); break;
            case 2: *a = f->list[--f->count]; break;
            case 3:
                if (f->count < MOST) f->list[f->count++] = any_access(random, rarely_reads);
                break;
            case 4:
                if (below(random, 4) == 0) wander(f, random);
                break;
            default: a->value = (uint8_t)next_random(random); break;
        }
    }
    qsort(f->list, f->count, sizeof f->list[0], by_time);
}

static void write_at(console *machine, uint32_t time, unsigned reg, uint8_t value) {
    if (machine->s.cpu.time < time) machine->s.cpu.time = time;
    tia_write(machine, (uint16_t)reg, value);
}

/* The frame up to a moment; returns a digest of the collisions read. */
static uint32_t show_part(console *machine, const frame *f, uint32_t end) {
    uint32_t digest = 0;
    machine->shadow.in_force = 0;
    if (!machine->s.partial) {
        console_start_frame(machine);
        if (machine->fast_paths & FAST_TRANSLATE) tia_start_shadow(machine); /* so that reads may be answered by scans */
    }
    machine->s.partial = 1;
    machine->s.tia.stop = 0;
    for (uint32_t i = 0; i < f->count && f->list[i].time < end; i++) {
        const access *a = &f->list[i];
        if (!a->reads) {
            write_at(machine, a->time, a->reg, a->value);
        } else {
            if (machine->s.cpu.time < a->time) machine->s.cpu.time = a->time;
            digest = digest * 31 + (tia_read(machine, a->reg) & 0xC0);
        }
    }
    return digest;
}

/* The whole frame, which is over at `end`; f ends with VSYNC on. */
static uint32_t show_until(console *machine, const frame *f, uint32_t end) {
    const uint32_t digest = show_part(machine, f, end);
    write_at(machine, end, VSYNC, 0);
    tia_end_run(machine);
    return digest;
}

/* The frame of so many lines; with HALF_LINES it is not over then. */
static uint32_t show(console *machine, const frame *f, uint32_t lines) {
    const bool ends = lines != HALF_LINES;
    const uint32_t digest = show_part(machine, f, (ends ? lines - (LINES - LAST_LINE) : lines) * LINE_CYCLES);
    if (ends) {
        write_at(machine, (lines - 3) * LINE_CYCLES, VSYNC, 2);
        write_at(machine, lines * LINE_CYCLES - 10, VSYNC, 0);
    }
    tia_end_run(machine);
    return digest;
}

static bool same_pictures(console *a, console *b, uint32_t which) {
    size_t size = (size_t)(console_screen_rows(a) * SCREEN_WIDTH);
    if (which & 1 && memcmp(console_previous_screen(a), console_previous_screen(b), size) != 0) return false;
    if (which & 2 && memcmp(console_screen(a), console_screen(b), size) != 0) return false;
    if (a->tells_objects && which & 2 && memcmp(console_objects(a), console_objects(b), size) != 0) return false;
    if (a->tells_objects && which & 4 && memcmp(console_previous_objects(a), console_previous_objects(b), size) != 0)
        return false;
    return !(which & 4) || memcmp(console_previous_screen(a), console_previous_screen(b), size) == 0;
}

static bool same_state(const console *a, const console *b) {
    return memcmp(&a->s.tia.now, &b->s.tia.now, sizeof a->s.tia.now) == 0;
}

static int recomputed; /* frames */
static int scanned;    /* frames that the engine drew on the way, */
static int drawn_anew; /* and those that it drew from their logs */

/* What the engine drew of a frame, on the way or from its log, is what another console shows.  Then ask for the next. */
static bool is_scanned(console *scans, console *slow, gray_screen *s, uint32_t *random) {
    frame_view log;
    bool there = console_drew_gray(scans);
    scanned += there;
    if (!there) {
        s->pool = false;
        const gray_target target = gray_screen_target(s);
        there = console_view_frame(scans, false, &log) && console_draw_gray(scans, &log, &target);
        drawn_anew += there;
    }
    const bool right = !there || gray_screen_shows(s, console_screen(slow), console_screen_rows(slow));
    s->pool = there && below(random, 2);
    if (!s->pool) s->marks_rows = below(random, 2);
    const gray_target target = gray_screen_target(s);
    console_use_engine(scans, below(random, 16));
    console_expect_gray(scans, below(random, 4) ? &target : NULL);
    return right;
}

static bool play(rom_image *rom, uint32_t seed) {
    uint32_t random = seed * 2654435761u | 1;
    const bool objects = seed % 3 != 0;
    console *remembers =
        console_create(rom, &(console_options){.seed = 1, .fast_paths = FAST_ALL, .tells_objects = objects});
    console *slow = console_create(rom, &(console_options){.seed = 1, .fast_paths = 0, .tells_objects = objects});
    console *scans = console_create(rom, &(console_options){.seed = 1, .fast_paths = FAST_ALL});
    use_loops(scans, loops_of_turn(seed));
    use_loops(remembers, loops_of_turn(seed / 3));
    static gray_screen gray;
    gray_screen_init(&gray);
    /* With PAL the frame after one of odd length loses its colours. */
    if (seed % 4 == 0) remembers->format = slow->format = scans->format = FORMAT_PAL;
    frame *f = malloc(sizeof *f);
    void *moments[3] = {malloc(console_snapshot_limit(slow)), malloc(console_snapshot_limit(slow)),
                        malloc(console_snapshot_limit(scans))};
    size_t sizes[3] = {0};
    const uint32_t rarely_reads = 1u << (2 + below(&random, 9)), most_changes = below(&random, 12);
    const uint32_t watching = below(&random, 8); /* which pictures, and how often */
    const uint32_t expecting = below(&random, 9); /* in eight frames: they are drawn on the way, looked at or not */
    const bool often_short = seed % 5 == 0; /* frames that leave out the last rows of their window */
    const uint32_t usual_lines = SHORT_LINES + below(&random, LAST_LINE - SHORT_LINES);
    f->count = 100 + below(&random, MOST - 100);
    for (uint32_t i = 0; i < f->count; i++) f->list[i] = any_access(&random, rarely_reads);
    const char *wrong = NULL; /* the first comparison that fails */
#define SAME(condition, what) (wrong || (condition) || (wrong = (what), false))
    for (int i = 0; !wrong && i < FRAMES; i++) {
        change(f, &random, below(&random, most_changes + 1), rarely_reads);
        uint32_t odd = below(&random, 60);
        if (below(&random, 8) < expecting) console_expect_screen(remembers);
        uint32_t lines = odd == 0 ? SHORT_LINES : odd == 1 ? HALF_LINES : odd < 10 ? LINES + 1 : LINES;
        if (often_short && odd > 1 && below(&random, 4)) lines = usual_lines + below(&random, odd < 20 ? 60 : 1);
        const uint32_t digest = show(slow, f, lines);
        SAME(show(remembers, f, lines) == digest, "collisions, by rows that repeat");
        SAME(same_state(remembers, slow), "state, by rows that repeat");
        SAME(show(scans, f, lines) == digest, "collisions, by the engine");
        SAME(same_state(scans, slow), "state, by the engine");
        SAME(is_scanned(scans, slow, &gray, &random), "gray rows, by the engine");
        if (watching == 0 || below(&random, watching) == 0)
            SAME(same_pictures(remembers, slow, below(&random, 8)), "pictures, by rows that repeat");
        if (objects && below(&random, 16) == 0) SAME(is_recomputed(remembers, &recomputed), "what rows know");
        const uint32_t moment = below(&random, often_short ? 12 : 60);
        if (moment == 2) {
            sizes[0] = console_snapshot_size(remembers);
            SAME(console_save(remembers, moments[0]) == sizes[0], "size of a snapshot");
            sizes[1] = console_save(slow, moments[1]);
            sizes[2] = console_save(scans, moments[2]);
        } else if (moment == 3 && sizes[0]) {
            SAME(!console_invalid_field(remembers, moments[0], sizes[0]), "fields of a snapshot");
            SAME(console_restore(remembers, moments[0], sizes[0]) && console_restore(slow, moments[1], sizes[1]) &&
                     console_restore(scans, moments[2], sizes[2]),
                 "restored snapshot");
        } else if (moment == 4) {
            tia_reset(remembers);
            tia_reset(slow);
            tia_reset(scans);
        }
        if (wrong) fprintf(stderr, "seed %u, frame %d: other %s\n", (unsigned)seed, i, wrong);
    }
#undef SAME
    for (int i = 0; i < 3; i++) free(moments[i]);
    free(f);
    console_destroy(scans);
    console_destroy(slow);
    console_destroy(remembers);
    return !wrong;
}

typedef struct pair {
    console *remembers, *slow;
} pair;

static pair make_pair(rom_image *rom) {
    const pair p = {
        console_create(rom, &(console_options){.seed = 1, .fast_paths = FAST_ALL, .tells_objects = true}),
        console_create(rom, &(console_options){.seed = 1, .fast_paths = 0, .tells_objects = true})};
    p.remembers->picture->rows->back_off = 0; /* what the format was found by did not repeat */
    return p;
}

static void destroy_pair(pair p) {
    console_destroy(p.slow);
    console_destroy(p.remembers);
}

/* A frame that both show; what the one that remembers knows of its rows then. */
static const row_memory *see(pair p, const frame *f) {
    CHECK_EQUAL(show(p.remembers, f, LINES), show(p.slow, f, LINES));
    CHECK(same_pictures(p.remembers, p.slow, 2) && same_state(p.remembers, p.slow));
    return p.remembers->picture->rows;
}

/* Objects collide in rows that are like the one above.  Then they miss each other in the first of them, and
 * the others repeat. */
static bool collide_later(rom_image *rom) {
    enum { ROW = 100 * LINE_CYCLES };
    frame f = {.count = 7,
               .list = {{20 * LINE_CYCLES, CXCLR, 0, false},
                        {90 * LINE_CYCLES + 40, RESP0, 0, false},
                        {0},
                        {0},
                        {140 * LINE_CYCLES, GRP0, 0, false},
                        {140 * LINE_CYCLES + 3, PF2, 0, false},
                        {200 * LINE_CYCLES, 2, 0, true}}};
    const pair p = make_pair(rom);
    bool good = true;
    for (int i = 0; i < FRAMES; i++) {
        const bool later = i % 6 >= 3;
        const uint8_t shape = i % 6 == 0 ? 0x7F : 0xFF;
        f.list[2] = later ? (access){ROW + 6, GRP0, shape, false} : (access){ROW + 3, PF2, 0xFF, false};
        f.list[3] = later ? (access){ROW + 70, PF2, 0xFF, false} : (access){ROW + 6, GRP0, shape, false};
        good = show(p.remembers, &f, LINES) == show(p.slow, &f, LINES) && good;
    }
    destroy_pair(p);
    return good;
}

/* Whatever bit lets an object show, its colour then matters. */
static void every_bit_shows(rom_image *rom) {
    static const struct {
        uint8_t reg, bits, colour;
    } objects[] = {{GRP0, 0xFF, COLUP0}, {GRP1, 0xFF, COLUP1}, {ENAM0, 2, COLUP0}, {ENAM1, 2, COLUP1},
                   {ENABL, 2, COLUPF},   {PF0, 0xF0, COLUPF},  {PF1, 0xFF, COLUPF}, {PF2, 0xFF, COLUPF}};
    enum { COLOURS_EACH = 3 };
    const pair p = make_pair(rom);
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        for (unsigned left = objects[i].bits; left; left &= left - 1)
            for (uint8_t colour = 1; colour <= COLOURS_EACH; colour++) {
                const frame f = {.count = 4,
                                 .list = {{99 * LINE_CYCLES, objects[i].colour, (uint8_t)(colour << 2), false},
                                          {100 * LINE_CYCLES, objects[i].reg, (uint8_t)(1u << __builtin_ctz(left)), false},
                                          {104 * LINE_CYCLES, objects[i].reg, 0, false},
                                          {105 * LINE_CYCLES, objects[i].colour, 0, false}}};
                see(p, &f);
            }
    destroy_pair(p);
}

/* Frames that stop half-way, from the first one on: in the row that is not finished lines are no good. */
static void first_frames_may_stop(rom_image *rom) {
    enum { SEEDS = 60, ACCESSES = 600 };
    static frame f;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        uint32_t random = seed * 2654435761u | 1;
        const pair p = make_pair(rom);
        f.count = ACCESSES;
        for (uint32_t i = 0; i < ACCESSES; i++) f.list[i] = any_access(&random, ACCESSES);
        qsort(f.list, f.count, sizeof f.list[0], by_time);
        for (int i = 0; i < 2; i++) {
            CHECK_EQUAL(show(p.remembers, &f, HALF_LINES), show(p.slow, &f, HALF_LINES));
            CHECK(same_state(p.remembers, p.slow) && same_pictures(p.remembers, p.slow, 2));
        }
        destroy_pair(p);
    }
}

/* A playfield in the players' colours, which a row may ask for half-way: it then depends on them, though no player
 * shows. */
static void scores_take_colours(rom_image *rom) {
    enum { LINE = 100 * LINE_CYCLES };
    static frame f = {.count = 5,
                      .list = {{20 * LINE_CYCLES, COLUP0, 0, false},
                               {30 * LINE_CYCLES, PF1, 0xFF, false},
                               {LINE + 5, CTRLPF, 2, false},
                               {LINE + 70, CTRLPF, 0, false},
                               {200 * LINE_CYCLES, PF1, 0, false}}};
    const pair p = make_pair(rom);
    for (int i = 0; i < FRAMES; i++) {
        f.list[0].value = (uint8_t)(i / 2 * 2 + 2);
        see(p, &f);
    }
    destroy_pair(p);
}

/* Two missiles meet in the first pixels of one row, and what they latched is forgotten about then.  They are switched
 * off in that row or, so that the rest of it is all alike, before the next one shows. */
static void collisions_are_forgotten_in_time(rom_image *rom) {
    enum { LINE = 100 * LINE_CYCLES, FIRST_PIXEL = 22, TIMES = 6 };
    static const uint32_t ends[] = {70, LINE_CYCLES + 3};
    const pair p = make_pair(rom);
    for (uint32_t motion = 0; motion < 4; motion++)
        for (uint32_t time = FIRST_PIXEL - 1; time < FIRST_PIXEL + TIMES; time++)
            for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
                const uint8_t left = (uint8_t)(motion << 4);
                const frame f = {.count = 11,
                                 .list = {{20 * LINE_CYCLES + 3, RESM0, 0, false},
                                          {20 * LINE_CYCLES + 6, RESM1, 0, false},
                                          {20 * LINE_CYCLES + 30, HMM0, left, false},
                                          {20 * LINE_CYCLES + 33, HMM1, left, false},
                                          {21 * LINE_CYCLES + 3, HMOVE, 0, false},
                                          {LINE + 3, ENAM0, 2, false},
                                          {LINE + 6, ENAM1, 2, false},
                                          {LINE + time, CXCLR, 0, false},
                                          {LINE + ends[i], ENAM0, 0, false},
                                          {LINE + ends[i] + 3, ENAM1, 0, false},
                                          {LINE + ends[i] + 6, 7, 0, true}}};
                see(p, &f);
            }
    destroy_pair(p);
}

/* After a read that evaluated some pairs, the log is scanned for these.  Others may have met before. */
static void rare_reads_are_evaluated(rom_image *rom) {
    enum { ON = 100 * LINE_CYCLES, OFF = 104 * LINE_CYCLES, BOTH_MISSILES = 7, PLAYER_AND_PLAYFIELD = 2 };
    const pair p = make_pair(rom);
    for (uint32_t rare = 0; rare < 2; rare++) {
        const uint8_t last = rare ? PLAYER_AND_PLAYFIELD : BOTH_MISSILES;
        const frame f = {.count = 13,
                         .list = {{20 * LINE_CYCLES + 30, RESM0, 0, false},
                                  {20 * LINE_CYCLES + 50, RESM1, 0, false},
                                  {20 * LINE_CYCLES + 60, CXCLR, 0, false},
                                  {ON, ENAM0, 2, false},
                                  {ON + 3, ENAM1, 2, false},
                                  {ON + 6, GRP0, 0xFF, false},
                                  {ON + 9, PF0, 0xF0, false},
                                  {OFF, ENAM0, 0, false},
                                  {OFF + 3, ENAM1, 0, false},
                                  {OFF + 6, GRP0, 0, false},
                                  {OFF + 9, GRP1, 0, false},
                                  {OFF + 12, BOTH_MISSILES, 0, true},
                                  {OFF + 15, last, 0, true}}};
        see(p, &f);
    }
    destroy_pair(p);
}

/* Frames of one length, short of their window, that nobody looks at: drawing them may reach beyond their end, and each
 * shows there what the one before last drew. */
static void short_frames_overlap(rom_image *rom) {
    enum { START = 20 * LINE_CYCLES, LAST = 50 * LINE_CYCLES, TURNS = 6, KINDS = 5 };
    for (uint32_t kind = 0; kind < KINDS; kind++)
        for (uint32_t end = LAST; end < LAST + LINE_CYCLES; end++) {
            const pair p = make_pair(rom);
            for (uint32_t i = 0; i < TURNS; i++) {
                const bool late = i >= TURNS - 2;
                const uint8_t shown = late && kind != 1 ? 2 : 0;
                frame f = {.count = 8,
                           .list = {{START, COLUBK, (uint8_t)(2 + 16 * i), false},
                                    {START + 3, COLUPF, (uint8_t)(8 + 16 * i), false},
                                    {START + 6, PF1, 0xFF, false},
                                    {START + 9, VBLANK, kind == 4 && late ? 2 : 0, false},
                                    {START + 12, ENABL, shown, false},
                                    {START + 15, ENAM1, shown, false},
                                    {START + 18, GRP0, shown, false},
                                    {LAST - 3 * LINE_CYCLES, VSYNC, 2, false}}};
                if (kind == 1 && !late) f.list[f.count++] = (access){LAST, HMOVE, 0, false};
                if (kind == 2 && !late) f.list[f.count++] = (access){end - 1, VBLANK, 2, false};
                if (kind == 3 && i >= 2) f.list[f.count++] = (access){LAST - 3 * LINE_CYCLES, VBLANK, 2, false};
                if (kind == 3 && !late) f.list[f.count++] = (access){LAST, HMOVE, 0, false};
                if (i < 2)
                    CHECK_EQUAL(show(p.remembers, &f, LINES), show(p.slow, &f, LINES));
                else
                    CHECK_EQUAL(show_until(p.remembers, &f, end), show_until(p.slow, &f, end));
            }
            CHECK(same_pictures(p.remembers, p.slow, 3));
            destroy_pair(p);
        }
}

/* What collided in a frame that does not fill its window is known after a snapshot, which keeps only its picture. */
static void snapshots_keep_collisions(rom_image *rom) {
    enum { LINE = 100 * LINE_CYCLES };
    const frame f = {.count = 5,
                     .list = {{LINE, CXCLR, 0, false},
                              {LINE + 3, PF2, 0xFF, false},
                              {LINE + 6, PF0, 0xFF, false},
                              {LINE + 9, GRP0, 0xFF, false},
                              {LINE + 4 * LINE_CYCLES, GRP0, 0, false}}};
    const frame reading = {.count = 1, .list = {{LINE, 2, 0, true}}};
    for (int frames = 1; frames <= 2; frames++) {
        const pair p = make_pair(rom);
        void *moment = malloc(console_snapshot_limit(p.slow));
        for (int i = 0; i < frames; i++) CHECK_EQUAL(show(p.remembers, &f, SHORT_LINES), show(p.slow, &f, SHORT_LINES));
        (void)console_save(p.remembers, moment);
        const uint32_t digest = show(p.remembers, &reading, LINES);
        CHECK(digest && digest == show(p.slow, &reading, LINES));
        free(moment);
        destroy_pair(p);
    }
}

/* --- what rows spare ------------------------------------------------------------------------------------ */

/* A playfield that changes in every line; between two of them, how it does is up to `salt`. */
static void striped(frame *f, uint32_t from, uint32_t to, uint32_t salt) {
    f->count = 1;
    f->list[0] = (access){LINE_CYCLES, COLUPF, 0x0E, false};
    for (uint32_t line = 3; line < LAST_LINE; line++) {
        const uint32_t own = line >= from && line < to ? salt : 0;
        f->list[f->count++] = (access){line * LINE_CYCLES + 9, PF1, (uint8_t)(line * 7 + own * 31 + 1), false};
    }
}

/* Every row of the window; what is before and after it does not count. */
static bool all_repeats(const row_memory *rows) { return rows->repeated >= rows->spans - 2; }

/* Every row of a still picture is known from the frame before. */
static void still_pictures_repeat(rom_image *rom) {
    const pair p = make_pair(rom);
    static frame f;
    striped(&f, 0, 0, 0);
    for (int i = 0; i < FRAMES; i++) {
        const row_memory *rows = see(p, &f);
        CHECK(rows->following && rows_complete(rows));
        if (i > 1) CHECK(all_repeats(rows));
        CHECK_EQUAL(rows->period, 1);
    }
    destroy_pair(p);
}

/* A change costs the rows about it, whether it is of a value, of a time, or of the number of accesses. */
static void changes_cost_little(rom_image *rom) {
    const uint32_t cost = 4;
    const pair p = make_pair(rom);
    static frame f;
    for (int i = 0; i < FRAMES; i++) {
        striped(&f, 0, 0, 0);
        access *changed = &f.list[120];
        if (i % 5 == 1) changed->value ^= 0xFF;
        if (i % 5 == 2) changed->time++;
        if (i % 5 == 3) memmove(changed, changed + 1, (--f.count - 120) * sizeof *changed);
        const row_memory *rows = see(p, &f);
        if (i > 1) CHECK(rows->repeated + cost >= rows->spans - 2);
    }
    destroy_pair(p);
}

/* Rows of the latest frame that its buffer does not show yet. */
static uint32_t rows_to_draw(const console *machine) {
    const row_memory *rows = machine->picture->rows;
    const uint32_t *shown = rows->shown_ids[machine->picture->buffers.latest];
    uint32_t count = 0;
    for (uint32_t n = 0; n + 2 < rows->spans; n++) count += shown[n] != rows->row[n + 1].id;
    return count;
}

/* Rows that change are drawn on the way where a look at the frame is expected, which it is once; else later. */
static void expected_pictures_are_drawn_on_the_way(rom_image *rom) {
    const pair p = make_pair(rom);
    static frame f;
    for (int i = 0; i < FRAMES; i++) {
        const bool expected = i % 3 == 1;
        striped(&f, 100, 110, (uint32_t)i);
        if (expected) console_expect_screen(p.remembers);
        CHECK_EQUAL(show(p.remembers, &f, LINES), show(p.slow, &f, LINES));
        if (i > 1 && expected) CHECK_EQUAL(rows_to_draw(p.remembers), 0);
        if (i > 1 && !expected) CHECK(rows_to_draw(p.remembers) >= 10);
        CHECK(same_pictures(p.remembers, p.slow, 2) && same_state(p.remembers, p.slow));
    }
    destroy_pair(p);
}

/* Where pictures take turns, each is known from the frame before last, once that was tried. */
static void turns_repeat(rom_image *rom) {
    enum { UNTIL_TRIED = 20 };
    const pair p = make_pair(rom);
    static frame f;
    for (uint32_t i = 0; i < FRAMES; i++) {
        striped(&f, 0, LINES, i % 2);
        const row_memory *rows = see(p, &f);
        if (i < UNTIL_TRIED) continue;
        CHECK_EQUAL(rows->period, 2);
        CHECK(all_repeats(rows));
    }
    destroy_pair(p);
}

/* Where as much repeats from one frame to the next, the frame before last is tried now and then, and left. */
static void trials_end(rom_image *rom) {
    enum { MANY = 200, RARELY = MANY / 8 };
    const pair p = make_pair(rom);
    static frame f;
    int other = 0, followed = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        striped(&f, 80, LINES, i % 8);
        const row_memory *rows = see(p, &f);
        other += rows->period == 2;
        followed += rows->following;
    }
    CHECK(other > 0 && other < RARELY);
    CHECK(followed > MANY - RARELY);
    destroy_pair(p);
}

/* Where nothing repeats, frames are seldom followed row by row. */
static void following_backs_off(rom_image *rom) {
    enum { MANY = 200, RARELY = MANY / 5 };
    const pair p = make_pair(rom);
    static frame f;
    int followed = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        striped(&f, 0, LINES, i % 8);
        followed += see(p, &f)->following;
    }
    CHECK(followed > 0 && followed < RARELY);
    destroy_pair(p);
}

/* When the rows' numbers run out, they begin again, and none is taken for the row that had it before, in either frame
 * buffer. */
static void numbers_begin_again(rom_image *rom) {
    enum { TIMES = 4 };
    const pair p = make_pair(rom);
    static frame f;
    for (uint32_t i = 0; i < 2 * TIMES; i++) {
        striped(&f, 220, LINES, i);
        const row_memory *rows = see(p, &f);
        if (i > 1) CHECK(rows->following && rows->last_id <= rows->spans * (i % 2 + 1));
        if (i % 2) p.remembers->picture->rows->last_id = UINT32_MAX / 2;
    }
    destroy_pair(p);
}

/* A row's last access is over after the longest delay. */
static void delays_are_short(void) {
    for (unsigned reg = 0; reg < TIA_REGISTERS; reg++) CHECK(tia_registers[reg].delay <= LONGEST_DELAY);
    const tia_raster raster = {.reg = {[PF0] = 0}};
    for (uint32_t clock = 0; clock < LINE_CLOCKS; clock++) {
        const unsigned delay = beam_delay(&raster, PF0, clock);
        CHECK(delay >= tia_registers[PF0].delay && delay <= LONGEST_DELAY);
    }
}

int main(void) {
    static uint8_t image[4096];
    char error[256];
    rom_image *rom = console_open_rom(image, sizeof image, ROM_4K, error);
    CHECK(rom != NULL);
    RUN(delays_are_short());
    if (rom) {
        CHECK(collide_later(rom));
        RUN(every_bit_shows(rom));
        RUN(collisions_are_forgotten_in_time(rom));
        RUN(rare_reads_are_evaluated(rom));
        RUN(scores_take_colours(rom));
        RUN(short_frames_overlap(rom));
        RUN(snapshots_keep_collisions(rom));
        RUN(first_frames_may_stop(rom));
        RUN(still_pictures_repeat(rom));
        RUN(changes_cost_little(rom));
        RUN(expected_pictures_are_drawn_on_the_way(rom));
        RUN(turns_repeat(rom));
        RUN(trials_end(rom));
        RUN(following_backs_off(rom));
        RUN(numbers_begin_again(rom));
    }
    for (uint32_t seed = 1; rom && seed <= (uint32_t)check_turns(PLAYS); seed++) CHECK(play(rom, seed));
    CHECK(recomputed > check_turns(PLAYS));
    CHECK(scanned > 10 * check_turns(PLAYS) && drawn_anew > check_turns(PLAYS));
    rom_image_release(rom);
    return check_failures;
}
