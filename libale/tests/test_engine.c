/* The video engine in turn with the row memory, which follows the frames that the engine cannot draw and those after them:
 * the same pictures and the same RAM as without the engine, whichever loops it has. */
#include <ale/ale.h>
#include <stdbool.h>
#include <string.h>

#include "check.h"
#include "loops.h"
#include "rom_builder.h"
#include "small.h"

enum { SIZE = ROM_BUILDER_SIZE, RAM = 128, PIXELS = 210 * 160 };

static void wait_lines(rom_builder *b, uint8_t lines) {
    EMIT(b, LDX_I, lines);
    rom_wait_for_x(b);
}

/* GRP0 alternates with the frames, so that rows repeat every second one; one row shows the joystick; with FIRE a frame is
 * short.  `collides`: with a playfield, and the collisions kept in RAM. */
static void assemble(uint8_t image[SIZE], bool collides) {
    enum { SHAPES = 0xF00 };
    rom_builder b = rom_begin(image);
    EMIT(&b, SEI, CLD, LDX_I, 0xFF, TXS, LDA_I, 0x0E, STA_Z, COLUP0, LDA_I, 0, STA_Z, COLUBK);
    if (collides) EMIT(&b, LDA_I, 0x10, STA_Z, PF0, LDA_I, 0x44, STA_Z, COLUPF);
    const unsigned frame = rom_here(&b);
    EMIT(&b, LDA_I, 2, STA_Z, VSYNC, STA_Z, WSYNC, STA_Z, WSYNC, STA_Z, WSYNC);
    EMIT(&b, LDA_I, 0, STA_Z, VSYNC, LDA_I, 2, STA_Z, VBLANK);
    EMIT(&b, INC_Z, AT_RAM(0), LDA_Z, AT_RAM(0), AND_I, 1, TAX);
    EMIT(&b, LDA_AX, ROM_START + SHAPES, STA_Z, AT_RAM(1)); /* this frame's */
    EMIT(&b, LDA_A, READ_SWCHA);
    if (collides) EMIT(&b, AND_I, 0x10, ORA_I, 0x0C);
    EMIT(&b, STA_Z, AT_RAM(2));
    if (collides) EMIT(&b, LDA_Z, READ_CXP0FB, STA_Z, AT_RAM(4), STA_Z, CXCLR);
    wait_lines(&b, 36);
    EMIT(&b, LDA_I, 0, STA_Z, VBLANK, LDX_I, 192, BIT_Z, READ_INPT4);
    const unsigned released = rom_branch_on(&b, BMI);
    EMIT(&b, LDX_I, 110); /* fewer lines */
    rom_land(&b, released);
    const unsigned line = rom_here(&b);
    EMIT(&b, STA_Z, WSYNC, LDA_Z, AT_RAM(1), CPX_I, 100);
    const unsigned usual = rom_branch_on(&b, BNE);
    EMIT(&b, LDA_Z, AT_RAM(2));
    rom_land(&b, usual);
    EMIT(&b, STA_Z, GRP0, DEX);
    rom_branch(&b, BNE, line);
    EMIT(&b, STA_Z, WSYNC, LDA_I, 2, STA_Z, VBLANK);
    wait_lines(&b, 28);
    EMIT(&b, JMP, frame);
    image[SHAPES] = collides ? 0x0C : 0x3C, image[SHAPES + 1] = collides ? 0x03 : 0xC3;
}

typedef struct side {
    ale_vector *vector;
    ale_batch batch;
    int32_t reward, id, lives, number, number_of_episode;
    uint8_t terminated, truncated, ram[RAM], pixels[PIXELS];
} side;

static void begin(side *s, ale_rom *rom, uint32_t frame_skip, uint32_t fast_paths) {
    ale_vector_options options = vector_defaults();
    options.frame_skip = frame_skip;
    options.stack_num = 1;
    options.maxpool = options.noop_max = options.use_fire_reset = 0;
    options.full_action_space = 1;
    options.img_height = 210, options.img_width = 160;
    options.fast_paths = fast_paths;
    *s = (side){0};
    s->batch = (ale_batch){
        .struct_size = sizeof s->batch,
        .observations = s->pixels,
        .rewards = &s->reward,
        .terminations = &s->terminated,
        .truncations = &s->truncated,
        .env_ids = &s->id,
        .lives = &s->lives,
        .frame_numbers = &s->number,
        .episode_frame_numbers = &s->number_of_episode,
        .ram = s->ram,
    };
    CHECK_EQUAL(ale_vector_create(&rom, NULL, 1, &options, &s->vector), ALE_OK);
    CHECK_EQUAL(ale_vector_post(s->vector, &s->batch), ALE_OK);
    CHECK_EQUAL(ale_vector_reset(s->vector, NULL, NULL), ALE_OK);
    CHECK_EQUAL(ale_vector_recv(s->vector), ALE_OK);
}

/* A short frame lets the row memory follow for some time; then the engine does; after another short frame the row memory
 * must not take up what it knew of frames long ago.  `change_every`: so many steps follow in one way, as many in the
 * other; 0: only by the engine where it can. */
static void play(ale_rom *rom, const engine_loops *loops, uint32_t frame_skip, int second_short, int turns_before,
                 int change_every) {
    enum { FIRST_SHORT = 10, LONGER = 20 };
    static side sides[2];
    begin(&sides[0], rom, frame_skip, ALE_FAST_ALL & ~ALE_FAST_ENGINE);
    begin(&sides[1], rom, frame_skip, ALE_FAST_ALL);
    use_loops_in_all(sides[1].vector, loops);
    way_choice way = {0};
    use_way_in_all(sides[1].vector, &way);
    for (int step = 0; step < second_short + LONGER; step++) {
        int32_t action = step < second_short - turns_before ? ALE_UP : ALE_LEFT;
        if (step == FIRST_SHORT) action = ALE_UPFIRE;
        if (step == second_short) action = ALE_LEFTFIRE;
        if (change_every) atomic_store(&way.faster, (unsigned)(step / change_every % 2));
        for (int i = 0; i < 2; i++)
            CHECK_EQUAL(ale_vector_step(sides[i].vector, &action, NULL, &sides[i].batch), ALE_OK);
        CHECK(memcmp(sides[0].pixels, sides[1].pixels, PIXELS) == 0);
        CHECK(memcmp(sides[0].ram, sides[1].ram, RAM) == 0);
    }
    for (int i = 0; i < 2; i++) ale_vector_destroy(sides[i].vector);
}

static const engine_loops *last_loops(void) {
    int n = 0;
    while (engine_loops_number(n + 1)) n++;
    return engine_loops_number(n);
}

/* The loops are those of the processor, the best ones first, where the system names its features; the last ones are for
 * any. */
static void test_choice(void) {
    CHECK(strcmp(last_loops()->name, "plain") == 0);
#if defined(__linux__) && defined(__x86_64__)
    static const struct {
        const char *name, *needs[8];
    } named[] = {
        {"avx512", {" avx512f ", " avx512bw ", " avx512vl ", " avx512dq ", " avx2 ", " bmi1 ", " bmi2 "}},
        {"avx2", {" avx2 ", " bmi1 ", " bmi2 "}},
    };
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file) return;
    static char line[1 << 16];
    while (fgets(line, sizeof line, file) && strncmp(line, "flags", 5) != 0) continue;
    fclose(file);
    int n = 0;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        bool possible = true;
        for (const char *const *need = named[i].needs; *need; need++) possible = possible && strstr(line, *need);
        if (possible) {
            const engine_loops *loops = engine_loops_number(n++);
            CHECK(loops && strcmp(loops->name, named[i].name) == 0);
        } else {
            printf("loops for %s are not tested: this processor has not all of it\n", named[i].name);
        }
    }
    CHECK(engine_loops_number(n) == last_loops());
#endif
}

int main(void) {
    const int frames = check_turns(21), step = frames < 84 ? 84 / frames : 1;
    RUN(test_choice());
    for (int collides = 0; collides < 2; collides++) {
        static uint8_t image[SIZE];
        RUN(assemble(image, collides));
        ale_rom_options options = rom_defaults();
        options.game = "";
        options.format = ALE_NTSC;
        ale_rom *rom = rom_of(image, SIZE, &options);
        for (int n = 0; engine_loops_number(n); n++)
            for (uint32_t frame_skip = 1; frame_skip <= 2; frame_skip++)
                for (int second_short = 66; second_short < 150; second_short += step)
                    for (int turns = 4; turns <= 5; turns++) {
                        RUN(play(rom, engine_loops_number(n), frame_skip, second_short, turns, 0));
                        RUN(play(rom, engine_loops_number(n), frame_skip, second_short, turns, 1 + second_short / 4 % 7));
                    }
        ale_rom_release(rom);
    }
    return check_failures;
}
