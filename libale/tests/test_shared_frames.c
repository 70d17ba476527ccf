/* Observations that share frames (batch.observation_stride): they equal those of a vector whose observations are copies,
 * wherever the caller lets rows begin, and whatever was reset, copied or restored before. */
#include <ale/ale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "small.h"

enum {
    ENVS = 5,
    IMAGE = 12,
    MOST_STACK = 4,
    MOST = MOST_STACK * IMAGE * IMAGE * 3, /* bytes of an observation */
    WINDOWS = 6,
    ROW = (MOST_STACK + WINDOWS) * IMAGE * IMAGE * 3,
    TURNS = 150,
};

#define RESULT_BYTES MOST
#define RESULTS_ARE_FULL
#include "results.h"

static uint32_t seed = 1;

static uint32_t below(uint32_t limit) {
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % limit;
}

/* A screen that has another colour in each frame. */
static ale_rom *make_rom(void) {
    uint8_t image[TEST_ROM_SIZE];
    test_rom(image);
    image[19] = 0xA0; /* LDA RAM[32] before STA COLUBK */
    return small_rom(image, "");
}

/* ---- Both vectors ---------------------------------------------------------------------------------------- */

typedef struct pair {
    ale_vector_options options;
    ale_vector *copying, *sharing;
    size_t frame, size; /* in bytes, of a frame and of an observation */
    results copies, shared;
    uint8_t rows[ENVS][ROW]; /* of the vector that shares */
    uint32_t window;         /* the frame at which its observations begin */
    bool in_rows;            /* they are there, and no copies */
    uint8_t over[ENVS]; /* the episode ended in the latest step */
} pair;

static pair p;

/* Post memory for both.  Mostly the next frame follows; rows may also begin elsewhere, stay, or be copies. */
static void post(void) {
    const ale_batch of_copies = full_batch_of(&p.copies);
    ale_batch batch = full_batch_of(&p.shared);
    CHECK_EQUAL(ale_vector_post(p.copying, &of_copies), ALE_OK);
    if (below(10)) {
        if (below(6))
            p.window = (p.window + 1) % WINDOWS;
        else
            p.window = below(WINDOWS);
        batch.observation_stride = ROW;
        batch.observations = p.rows[0] + p.window * p.frame;
    }
    CHECK_EQUAL(ale_vector_post(p.sharing, &batch), ALE_OK);
    p.in_rows = batch.observation_stride;
}

/* Copies lie one after the other, whatever their size. */
static const uint8_t *observation(const void *copies, uint32_t i) { return (const uint8_t *)copies + i * p.size; }

static const uint8_t *shared_observation(uint32_t i) {
    return p.in_rows ? p.rows[i] + p.window * p.frame : observation(p.shared.observations, i);
}

static bool compare(void) {
    bool equal = true;
    for (uint32_t i = 0; i < ENVS; i++) {
        const uint8_t *copy = observation(p.copies.observations, i);
        equal = equal && memcmp(copy, shared_observation(i), p.size) == 0;
        p.over[i] = p.copies.terminations[i] || p.copies.truncations[i];
        const bool final = p.over[i] && p.options.autoreset == ALE_SAME_STEP;
        const uint8_t *last = observation(p.copies.final_observations, i);
        equal = equal && (!final || !memcmp(last, observation(p.shared.final_observations, i), p.size));
        equal = equal && p.copies.truncations[i] == p.shared.truncations[i];
    }
    equal = equal && !memcmp(p.copies.ram, p.shared.ram, sizeof p.shared.ram);
    return equal && !memcmp(p.copies.frames, p.shared.frames, sizeof p.shared.frames);
}

static void receive(void) {
    CHECK_EQUAL(ale_vector_recv(p.copying), ALE_OK);
    CHECK_EQUAL(ale_vector_recv(p.sharing), ALE_OK);
    CHECK(compare());
}

static void reset(const uint8_t *mask, const int64_t *seeds) {
    post();
    CHECK_EQUAL(ale_vector_reset(p.copying, mask, seeds), ALE_OK);
    CHECK_EQUAL(ale_vector_reset(p.sharing, mask, seeds), ALE_OK);
    receive();
}

static void step(void) {
    int32_t actions[ENVS];
    for (int i = 0; i < ENVS; i++) actions[i] = (int32_t)below(5);
    post();
    CHECK_EQUAL(ale_vector_send(p.copying, actions, NULL), ALE_OK);
    CHECK_EQUAL(ale_vector_send(p.sharing, actions, NULL), ALE_OK);
    if (p.options.autoreset != ALE_NO_RESET && !below(20)) { /* results are discarded by a reset of some, which shows the others after their step */
        const uint8_t mask[ENVS] = {[1] = 1, [3] = 1};
        CHECK_EQUAL(ale_vector_reset(p.copying, mask, NULL), ALE_OK);
        CHECK_EQUAL(ale_vector_reset(p.sharing, mask, NULL), ALE_OK);
    }
    receive();
    if (p.options.autoreset == ALE_NO_RESET) reset(p.over, NULL);
}

/* ---- What happens between steps -------------------------------------------------------------------------- */

static void reset_some(void) {
    uint8_t mask[ENVS];
    int64_t seeds[ENVS];
    for (int i = 0; i < ENVS; i++) {
        mask[i] = below(2);
        seeds[i] = below(2) ? (int64_t)below(100) : -1;
    }
    reset(mask, seeds);
}

/* Copies change no observation that was received. */
static void copy_some(void) {
    static const int32_t sources[3][ENVS] = {{0, 1, 2, 3, 4}, {1, 0, 2, 2, 2}, {0, 0, 0, 3, 1}};
    static const int32_t targets[3][ENVS] = {{1, 2, 3, 4, 0}, {0, 1, 3, 4, 2}, {1, 2, 3, 0, 4}};
    static uint8_t rows[ENVS][ROW];
    const uint32_t plan = below(3);
    memcpy(rows, p.rows, sizeof rows);
    CHECK_EQUAL(ale_vector_copy(p.copying, sources[plan], targets[plan], ENVS), ALE_OK);
    CHECK_EQUAL(ale_vector_copy(p.sharing, sources[plan], targets[plan], ENVS), ALE_OK);
    CHECK(memcmp(rows, p.rows, sizeof rows) == 0);
}

/* Both vectors save the same bytes, and each goes on from those of the other. */
static void save_and_restore(void) {
    static uint8_t rows[ENVS][ROW];
    size_t size, other;
    uint8_t *bytes = save_vector(p.copying, &size), *same = save_vector(p.sharing, &other);
    uint32_t equal = 0;
    CHECK_EQUAL(ale_vector_saved_equal(p.copying, bytes, size, same, other, &equal), ALE_OK);
    CHECK_EQUAL(equal, 1);
    for (uint32_t n = below(3); n; n--) step();
    memcpy(rows, p.rows, sizeof rows);
    CHECK_EQUAL(ale_vector_restore(p.copying, same, other), ALE_OK);
    CHECK_EQUAL(ale_vector_restore(p.sharing, bytes, size), ALE_OK);
    CHECK(memcmp(rows, p.rows, sizeof rows) == 0);
    free(bytes);
    free(same);
}

static void play(void) {
    for (int turn = 0; turn < TURNS; turn++) {
        switch (below(16)) {
            case 0: reset_some(); break;
            case 1: copy_some(); break;
            case 2: save_and_restore(); break;
            case 3: reset(NULL, NULL); break;
            default: break;
        }
        step();
    }
}

static void compare_all(ale_rom *rom) {
    static const uint32_t stacks[] = {1, 3, MOST_STACK};
    static const int32_t observations[] = {ALE_OBSERVE_GRAYSCALE, ALE_OBSERVE_RGB, ALE_OBSERVE_RAM};
    for (uint32_t kind = 0; kind < 27; kind++) {
        memset(&p, 0, sizeof p);
        p.options = small_options_of(IMAGE, stacks[kind % 3], 30);
        p.options.observation = observations[kind / 3 % 3];
        p.options.autoreset = (int32_t)(kind / 9);
        p.options.fill_stack = kind % 2;
        p.options.num_threads = 1 + kind % 4;
        p.copying = vector_of(rom, &p.options);
        p.sharing = vector_of(rom, &p.options);
        ale_vector_info info = {.struct_size = sizeof info};
        CHECK_EQUAL(ale_vector_describe(p.sharing, &info), ALE_OK);
        p.size = info.observation_size;
        p.frame = p.size / p.options.stack_num;
        reset(NULL, NULL);
        play();
        ale_vector_destroy(p.copying);
        ale_vector_destroy(p.sharing);
    }
}

/* ---- What is shared -------------------------------------------------------------------------------------- */

/* The older frames are where they were: what the caller, against the rule, has written there is observed. */
static void older_frames_are_not_copied(ale_rom *rom) {
    enum { STACK = 3, FRAME = IMAGE * IMAGE };
    static uint8_t rows[ENVS][ROW];
    static results r;
    const ale_vector_options options = small_options_of(IMAGE, STACK, 100);
    ale_vector *vector = vector_of(rom, &options);
    const int32_t actions[ENVS] = {0};
    ale_batch batch = batch_of(&r);
    batch.observation_stride = ROW;
    batch.observations = rows[0];
    begin_all(vector, &batch, NULL);
    for (int window = 1; window < WINDOWS; window++) {
        uint8_t *const newest = rows[2] + (window + STACK - 1) * FRAME;
        newest[-1] = (uint8_t)window;
        batch.observations += FRAME;
        CHECK_EQUAL(ale_vector_step(vector, actions, NULL, &batch), ALE_OK);
        for (int older = 1; older <= window; older++) CHECK_EQUAL(rows[2][(older + STACK - 1) * FRAME - 1], older);
    }
    ale_vector_destroy(vector);
}

/* After ale_vector_discard batches are the caller's, who may release them. */
static void discarded_batches_are_not_read(ale_rom *rom) {
    static results r;
    const ale_vector_options options = small_options_of(IMAGE, 2, 100);
    ale_vector *vector = vector_of(rom, &options);
    const int32_t actions[ENVS] = {0};
    ale_batch batch = batch_of(&r);
    begin_all(vector, &batch, NULL);
    uint8_t *memory = calloc(ENVS, ROW);
    if (!memory) exit(1);
    batch.observations = memory;
    batch.observation_stride = ROW;
    CHECK_EQUAL(ale_vector_post(vector, &batch), ALE_OK);
    CHECK_EQUAL(ale_vector_send(vector, actions, NULL), ALE_OK);
    CHECK_EQUAL(ale_vector_discard(vector), ALE_OK);
    free(memory);
    size_t size;
    free(save_vector(vector, &size));
    ale_vector_destroy(vector);
}

static void refuse(ale_rom *rom, const ale_vector_options *options, size_t stride, const char *text) {
    static results r;
    ale_vector *vector = vector_of(rom, options);
    ale_batch batch = batch_of(&r);
    batch.observation_stride = stride;
    CHECK_EQUAL(ale_vector_post(vector, &batch), ALE_INVALID_ARGUMENT);
    CHECK(strstr(ale_last_error(), text) != NULL);
    ale_vector_destroy(vector);
}

static void refusals(ale_rom *rom) {
    ale_vector_options options = small_options_of(IMAGE, 2, 100);
    refuse(rom, &options, 2 * IMAGE * IMAGE - 1, "an observation has 288 bytes");
    options.batch_size = ENVS - 1;
    refuse(rom, &options, 2 * IMAGE * IMAGE, "only in batches of all environments");
    options.batch_size = 0;
    options.agent_indicator = 1;
    refuse(rom, &options, 3 * IMAGE * IMAGE, "without agent_indicator and mirror");
}

int main(void) {
    ale_rom *rom = make_rom();
    RUN(compare_all(rom));
    RUN(older_frames_are_not_copied(rom));
    RUN(discarded_batches_are_not_read(rom));
    RUN(refusals(rom));
    ale_rom_release(rom);
    return check_failures;
}
