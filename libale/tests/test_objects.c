/* The objects that cover the pixels of games, and boxes around them.
 *
 *     test_objects [ROMS]
 *
 * ROMS, or else the environment variable ALE_TEST_ROMS, is a folder with images (test_checksums.c).  Without it only
 * made-up pictures are looked at; with a number in ALE_TEST_EVERY one game out of so many is.
 * (That the fast ways of drawing tell what the slow one does: test_rows.c, test_random_roms.c.) */
#include <ale/ale.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "numbers.h"
#include "console/video/tia.h"
#include "environment/environment.h"
#include "recompute.h"
#include "small.h"

/* ---- Games --------------------------------------------------------------------------------------------- */

enum { FRAMES = 300, EVERY = 23, LARGEST = 1 << 19 };

static controls random_hands(uint32_t *random, int frame) {
    controls hands = {.reset = frame < 8};
    const uint32_t bits = next_random(random);
    for (int i = 0; i < 2; i++) hands.joystick[i] = bits >> 5 * i & 31;
    for (int i = 0; i < 4; i++) {
        hands.paddle_fire[i] = bits >> (10 + i) & 1;
        hands.paddle[i] = (int32_t)(next_random(random) % 1000000);
    }
    return hands;
}

/* A frame whose log is all there is of it, drawn anew and pixel by pixel. */
static void is_drawn_alike(console *machine, console *plain, void *moment) {
    const size_t size = picture_buffer_size(machine->picture);
    const size_t saved = console_save(machine, moment);
    CHECK(console_make_room(plain, moment, saved) && console_restore(plain, moment, saved));
    CHECK(memcmp(console_objects(machine), console_objects(plain), size) == 0);
    CHECK(memcmp(console_previous_objects(machine), console_previous_objects(plain), size) == 0);
}

/* Objects drawn from the log alone are those that were noted, and so are the pixels, as far as the frame went; none of a
 * frame that was stopped. */
static bool is_drawn_again(console *machine, uint8_t *memory) {
    const size_t size = (size_t)console_screen_rows(machine) * SCREEN_WIDTH;
    const frame_log *log = &machine->picture->logs.frame[machine->picture->logs.latest];
    memset(memory, 0, 2 * size);
    if (!console_draw_objects(machine, memory, memory + size)) return !log->whole;
    const size_t drawn = (size_t)(log->end - machine->window_start) / LINE_CLOCKS * SCREEN_WIDTH;
    return memcmp(memory, console_screen(machine), drawn) == 0 &&
           memcmp(memory + size, console_objects(machine), drawn) == 0;
}

static int play(const char *name, const uint8_t *image, size_t size) {
    char error[256];
    rom_image *rom = console_open_rom(image, size, ROM_AUTO, error);
    CHECK(rom);
    if (!rom) return 0;
    console_options options = {.seed = 1, .fast_paths = FAST_ALL, .tells_objects = true};
    console *machine = console_create(rom, &options);
    options.fast_paths = 0;
    console *plain = console_create(rom, &options);
    void *moment = malloc(console_snapshot_limit(machine));
    uint8_t *again = malloc(2 * (size_t)console_screen_rows(machine) * SCREEN_WIDTH);
    uint32_t random = 12345;
    int compared = 0;
    for (int frame = 0; frame < FRAMES; frame++) {
        const controls hands = random_hands(&random, frame);
        console_set_controls(machine, &hands);
        if (frame % 8 == 0) console_expect_screen(machine);
        console_run_frame(machine);
        if (frame % 4 == 0) (void)console_screen(machine); /* so that rows repeat those of earlier pictures */
        if (frame % EVERY) continue;
        const bool good = is_recomputed(machine, &compared) && is_drawn_again(machine, again);
        CHECK(good);
        if (!good) fprintf(stderr, "%s, frame %d\n", name, frame);
        is_drawn_alike(machine, plain, moment);
    }
    free(again);
    free(moment);
    console_destroy(plain);
    console_destroy(machine);
    rom_image_release(rom);
    return compared;
}

/* The screens of all games follow from their objects. */
static void play_all(const char *folder) {
    static uint8_t image[LARGEST];
    DIR *list = opendir(folder);
    CHECK(list);
    const char *says = getenv("ALE_TEST_EVERY");
    const int every = says && atoi(says) > 1 ? atoi(says) : 1;
    int seen = 0, games = 0, compared = 0;
    for (struct dirent *entry; list && (entry = readdir(list));) {
        char path[4096];
        if (!strstr(entry->d_name, ".bin") || seen++ % every) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = fopen(path, "rb");
        CHECK(file);
        if (!file) continue;
        const size_t size = fread(image, 1, sizeof image, file);
        fclose(file);
        const int frames = play(entry->d_name, image, size);
        CHECK(frames > 0);
        compared += frames;
        games++;
    }
    if (list) closedir(list);
    printf("%d frames of %d games\n", compared, games);
    CHECK(games > 0);
}

/* ---- Boxes --------------------------------------------------------------------------------------------- */

enum { MOST_BOXES = 32, LINES = 262 };

/* A write in a cycle of a line of the window. */
typedef struct scene_write {
    uint32_t line, cycle;
    uint8_t reg, value;
} scene_write;

static void show(console *machine, const scene_write *writes, size_t count) {
    console_start_frame(machine);
    machine->s.partial = 1;
    machine->s.tia.stop = 0;
    for (size_t i = 0; i < count; i++) {
        const scene_write *w = &writes[i];
        machine->s.cpu.time = ((uint32_t)machine->ystart + w->line) * LINE_CYCLES + w->cycle;
        tia_write(machine, w->reg, w->value);
    }
    machine->s.cpu.time = (LINES - 3) * LINE_CYCLES;
    tia_write(machine, VSYNC, 2);
    machine->s.cpu.time = LINES * LINE_CYCLES;
    tia_write(machine, VSYNC, 0);
    tia_end_run(machine);
}

static ale_env *make_env(const ale_env_options *options) {
    uint8_t image[TEST_ROM_SIZE];
    test_rom(image);
    ale_rom *rom = NULL;
    ale_env *env = NULL;
    ale_rom_options of_rom = rom_defaults();
    of_rom.game = "";
    CHECK_EQUAL(ale_rom_create(image, sizeof image, &of_rom, &rom), ALE_OK);
    CHECK_EQUAL(ale_env_create(rom, options, &env), ALE_OK);
    ale_rom_release(rom);
    return env;
}

static void check_box(const ale_object_box *box, ale_object_box expected) {
    CHECK_EQUAL(box->object, expected.object);
    CHECK_EQUAL(box->color, expected.color);
    CHECK_EQUAL(box->x, expected.x);
    CHECK_EQUAL(box->y, expected.y);
    CHECK_EQUAL(box->width, expected.width);
    CHECK_EQUAL(box->height, expected.height);
}

/* Two copies of a player with a hole, which appears again further down; a ball on the playfield; a missile that is
 * hidden behind it. */
static void boxes_are_found(void) {
    ale_env_options options = env_defaults();
    options.objects = 1;
    ale_env *env = make_env(&options);
    static const scene_write scene[] = {
        {0, 0, VBLANK, 0},      {0, 3, COLUP0, 0x40},   {0, 6, COLUP1, 0x80},   {0, 9, COLUPF, 0x1E},
        {0, 12, COLUBK, 0},     {0, 15, CTRLPF, 0x24},  {1, 0, NUSIZ0, 1},      {1, 30, RESP0, 0},
        {1, 45, RESM1, 0},      {1, 60, RESBL, 0},      {10, 3, GRP0, 0xC3},    {14, 3, GRP0, 0},
        {15, 3, GRP0, 0x18},    {17, 3, GRP0, 0},       {30, 3, PF0, 0xF0},     {30, 6, PF1, 0xFF},
        {30, 9, PF2, 0xFF},     {32, 3, ENAM1, 2},      {33, 3, ENABL, 2},      {34, 3, ENAM1, 0},
        {36, 3, PF0, 0},        {36, 6, PF1, 0},        {36, 9, PF2, 0},        {38, 3, ENABL, 0},
    };
    show(env->console, scene, sizeof scene / sizeof *scene);
    show(env->console, scene, sizeof scene / sizeof *scene);
    int compared = 0;
    CHECK(is_recomputed(env->console, &compared));
    CHECK_EQUAL(compared, 1);
    const uint8_t *at = env->console->s.tia.now.position;
    ale_object_box boxes[MOST_BOXES];
    size_t count = 0;
    CHECK_EQUAL(ale_env_object_boxes(env, boxes, MOST_BOXES, &count), ALE_OK);
    CHECK_EQUAL(count, 7);
    check_box(&boxes[0], (ale_object_box){ALE_PLAYER0, 0x40, at[P0], 10, 8, 4});
    check_box(&boxes[1], (ale_object_box){ALE_PLAYER0, 0x40, at[P0] + 16, 10, 8, 4});
    check_box(&boxes[2], (ale_object_box){ALE_PLAYER0, 0x40, at[P0] + 3, 15, 2, 2});
    check_box(&boxes[3], (ale_object_box){ALE_PLAYER0, 0x40, at[P0] + 19, 15, 2, 2});
    check_box(&boxes[4], (ale_object_box){ALE_MISSILE1, -1, at[M1], 32, 1, 2});
    check_box(&boxes[5], (ale_object_box){ALE_BALL, 0x1E, at[BL], 33, 4, 5});
    check_box(&boxes[6], (ale_object_box){ALE_PLAYFIELD, 0x1E, 0, 30, 160, 6});

    /* Room for fewer. */
    ale_object_box few[2];
    CHECK_EQUAL(ale_env_object_boxes(env, few, 2, &count), ALE_OK);
    CHECK_EQUAL(count, 7);
    CHECK(memcmp(few, boxes, sizeof few) == 0);
    CHECK_EQUAL(ale_env_object_boxes(env, NULL, 0, &count), ALE_OK);
    CHECK_EQUAL(count, 7);
    CHECK_EQUAL(ale_env_object_boxes(env, NULL, 1, &count), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(ale_env_object_boxes(env, boxes, 1, NULL), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(ale_env_object_boxes(NULL, boxes, 1, &count), ALE_INVALID_ARGUMENT);

    /* The same as bits. */
    const size_t size = environment_screen_size(env);
    uint8_t *cover = malloc(size);
    CHECK_EQUAL(ale_env_screen(env, ALE_OBJECTS, cover, size - 1), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(ale_env_screen(env, ALE_OBJECTS, cover, size), ALE_OK);
    CHECK_EQUAL(cover[10 * SCREEN_WIDTH + at[P0]], 1 << ALE_PLAYER0);
    CHECK_EQUAL(cover[10 * SCREEN_WIDTH + at[P0] + 2], 0);
    CHECK_EQUAL(cover[33 * SCREEN_WIDTH + at[M1]] & ~(1 << ALE_BALL), 1 << ALE_MISSILE1 | 1 << ALE_PLAYFIELD);
    CHECK_EQUAL(cover[35 * SCREEN_WIDTH + at[BL]], 1 << ALE_BALL | 1 << ALE_PLAYFIELD);
    free(cover);
    ale_env_destroy(env);
}

/* Environments that were not asked to tell objects have boxes only, and a state goes from one kind to the other. */
static void objects_are_optional(void) {
    ale_env_options options = env_defaults();
    ale_env *without = make_env(&options);
    options.objects = 2;
    ale_env *none = NULL;
    CHECK_EQUAL(ale_env_create((ale_rom *)1, &options, &none), ALE_INVALID_ARGUMENT);
    CHECK(strstr(ale_last_error(), "options->objects is 2"));
    options.objects = 1;
    ale_env *with = make_env(&options);
    const size_t size = environment_screen_size(with);
    uint8_t *cover = malloc(size), *other = malloc(size);
    size_t count;
    CHECK_EQUAL(ale_env_screen(without, ALE_OBJECTS, cover, size), ALE_INVALID_ARGUMENT);
    CHECK(strstr(ale_last_error(), "options->objects"));

    /* A whole frame, and one that ends half-way, whose objects only its pixels could tell. */
    static const scene_write bar[] = {{0, 0, VBLANK, 0}, {20, 3, PF1, 0x3C}, {50, 3, PF1, 0}};
    ale_state *state = new_state();
    show(with->console, bar, 3);
    show(without->console, bar, 3);
    for (int half = 0; half < 2; half++) {
        if (half) {
            picture_flush(with->console);
            picture_flush(without->console);
        }
        CHECK_EQUAL(ale_env_screen(with, ALE_OBJECTS, cover, size), ALE_OK);
        CHECK_EQUAL(cover[20 * SCREEN_WIDTH + 24], 1 << ALE_PLAYFIELD);
        ale_object_box box = {0};
        CHECK_EQUAL(ale_env_object_boxes(without, &box, 1, &count), ALE_OK);
        CHECK_EQUAL(count, half ? 0 : 2);
        if (!half) check_box(&box, (ale_object_box){ALE_PLAYFIELD, 0, 24, 20, 16, 30});
        CHECK_EQUAL(ale_env_save(without, 1, state), ALE_OK);
        CHECK_EQUAL(ale_env_restore(with, state), ALE_OK);
        CHECK_EQUAL(ale_env_screen(with, ALE_OBJECTS, other, size), ALE_OK);
        if (half) memset(cover, 0, size);
        CHECK(memcmp(cover, other, size) == 0);
        show(with->console, bar, 3);
        if (half) picture_flush(with->console);
        CHECK_EQUAL(ale_env_screen(with, ALE_OBJECTS, cover, size), ALE_OK);
        CHECK_EQUAL(ale_env_save(with, 1, state), ALE_OK);
        CHECK_EQUAL(ale_env_restore(without, state), ALE_OK);
        CHECK(memcmp(ale_env_screen_indices(with), ale_env_screen_indices(without), size) == 0);
        show(with->console, NULL, 0);
        CHECK_EQUAL(ale_env_restore(with, state), ALE_OK);
        CHECK_EQUAL(ale_env_screen(with, ALE_OBJECTS, other, size), ALE_OK);
        CHECK(memcmp(cover, other, size) == 0);
    }
    ale_state_destroy(state);
    free(other);
    free(cover);
    ale_env_destroy(with);
    ale_env_destroy(without);
}

int main(int argc, char **argv) {
    const char *folder = argc > 1 ? argv[1] : getenv("ALE_TEST_ROMS");
    RUN(boxes_are_found());
    RUN(objects_are_optional());
    if (folder && *folder) play_all(folder);
    return check_failures;
}
