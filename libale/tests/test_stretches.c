/* Stretches: what an environment of a vector played step by step is played again in one call, with the same results;
 * and what ale_vector_play refuses. */
#include <ale/ale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "small.h"

enum {
    ENVS = 4,
    ME = 2, /* the environment that is played again */
    IMAGE = 12,
    STACK = 2,
    MOST = STACK * IMAGE * IMAGE * 3, /* bytes of an observation */
    STORY = 90,
    STRETCHES = 7,
    LEAD = 9, /* steps of a stretch before those that are observed */
    WINDOW = 20,
    SPAN = LEAD + WINDOW,
    SEEDED = 40, /* the step before which it is reset with a seed */
    SEED = 77,
};

#define RESULT_BYTES MOST
#define RESULTS_ARE_FULL
#include "results.h"

/* Two games: one whose screen has another colour in each frame. */
static ale_rom *make_rom(bool colourful) {
    uint8_t image[TEST_ROM_SIZE];
    test_rom(image);
    if (colourful) image[19] = 0xA0; /* LDA RAM[32] before STA COLUBK */
    return small_rom(image, "");
}

static size_t observation_size(const ale_vector *vector) {
    ale_vector_info info = {.struct_size = sizeof info};
    CHECK_EQUAL(ale_vector_describe(vector, &info), ALE_OK);
    return info.observation_size;
}

/* ---- What is played again -------------------------------------------------------------------------------- */

static struct {
    size_t size; /* of an observation */
    uint8_t before[STORY][MOST], after[STORY][MOST];
    int32_t actions[STORY], rewards[STORY];
    uint8_t terminations[STORY], truncations[STORY], over[STORY];
    uint8_t *states[STORY]; /* before each step, and before resets that come before it */
    size_t sizes[STORY];
} story;

static results seen;
static ale_batch batch;

static void receive(ale_vector *vector, ale_status status) {
    while (status == ALE_UNFINISHED) status = ale_vector_recv(vector);
    CHECK_EQUAL(status, ALE_OK);
}

static void reset(ale_vector *vector, const uint8_t *mask, const int64_t *seeds) {
    CHECK_EQUAL(ale_vector_post(vector, &batch), ALE_OK);
    CHECK_EQUAL(ale_vector_reset(vector, mask, seeds), ALE_OK);
    receive(vector, ALE_UNFINISHED);
}

static void tell(ale_vector *vector, int32_t autoreset) {
    memset(&story, 0, sizeof story);
    const size_t size = story.size = observation_size(vector);
    reset(vector, NULL, NULL);
    uint8_t over[ENVS] = {0};
    for (int step = 0; step < STORY; step++) {
        CHECK_EQUAL(ale_vector_save_env(vector, ME, NULL, 0, &story.sizes[step]), ALE_OK);
        story.states[step] = malloc(story.sizes[step]);
        CHECK_EQUAL(ale_vector_save_env(vector, ME, story.states[step], story.sizes[step], &story.sizes[step]), ALE_OK);
        if (step == SEEDED) {
            reset(vector, (const uint8_t[ENVS]){[ME] = 1}, (const int64_t[ENVS]){[ME] = SEED});
            over[ME] = 0;
        }
        if (autoreset == ALE_NO_RESET) reset(vector, over, NULL);
        memcpy(story.before[step], (const uint8_t *)seen.observations + ME * size, size);
        story.actions[step] = step * 7 % 5;
        const int32_t actions[ENVS] = {1, 2, story.actions[step], 3};
        CHECK_EQUAL(ale_vector_step(vector, actions, NULL, &batch), ALE_OK);
        for (int i = 0; i < ENVS; i++) over[i] = seen.terminations[i] || seen.truncations[i];
        story.over[step] = over[ME];
        const bool is_final = autoreset == ALE_SAME_STEP && over[ME];
        const uint8_t *after = (const uint8_t *)(is_final ? seen.final_observations : seen.observations);
        memcpy(story.after[step], after + ME * size, size);
        story.rewards[step] = seen.rewards[ME];
        story.terminations[step] = seen.terminations[ME];
        story.truncations[step] = seen.truncations[ME];
    }
}

static void forget(void) {
    for (int step = 0; step < STORY; step++) free(story.states[step]);
}

/* ---- Stretches of it ------------------------------------------------------------------------------------- */

static struct {
    const void *states[STRETCHES];
    size_t sizes[STRETCHES];
    uint32_t steps[STRETCHES], played[STRETCHES];
    uint8_t *to[STRETCHES], observations[STRETCHES][(WINDOW + 1) * MOST];
    int32_t actions[STRETCHES][SPAN], rewards[STRETCHES][SPAN];
    float strengths[STRETCHES][SPAN];
    uint8_t observed[STRETCHES][SPAN], terminations[STRETCHES][SPAN], truncations[STRETCHES][SPAN];
    uint64_t reset_steps[STRETCHES * SPAN];
    int64_t seeds[STRETCHES * SPAN];
    int32_t modes[STRETCHES * SPAN], difficulties[STRETCHES * SPAN];
} memory;

static const int begins[STRETCHES] = {0, 3, SEEDED, 20, SEEDED - 12, 50, 61};

static ale_stretches stretches_of_story(int32_t autoreset) {
    memset(&memory, 0, sizeof memory);
    uint64_t resets = 0;
    for (int i = 0; i < STRETCHES; i++) {
        const bool seeded = begins[i] == SEEDED;
        memory.states[i] = seeded ? NULL : story.states[begins[i]];
        memory.sizes[i] = story.sizes[begins[i]];
        memory.steps[i] = SPAN;
        memory.to[i] = memory.observations[i];
        for (int k = 0; k < SPAN; k++) {
            const int step = begins[i] + k;
            memory.actions[i][k] = story.actions[step];
            memory.strengths[i][k] = 1;
            memory.observed[i][k] = k >= LEAD;
            const bool over = autoreset == ALE_NO_RESET && step && story.over[step - 1];
            if (step != SEEDED && !over) continue;
            memory.reset_steps[resets] = (uint64_t)(i * SPAN + k);
            memory.seeds[resets++] = step == SEEDED ? SEED : -1;
        }
    }
    return (ale_stretches){
        .struct_size = sizeof(ale_stretches),
        .count = STRETCHES,
        .states = memory.states,
        .sizes = memory.sizes,
        .steps = memory.steps,
        .observations = memory.to,
        .played = memory.played,
        .actions = memory.actions[0],
        .strengths = memory.strengths[0],
        .observed = memory.observed[0],
        .rewards = memory.rewards[0],
        .terminations = memory.terminations[0],
        .truncations = memory.truncations[0],
        .resets = resets,
        .reset_steps = memory.reset_steps,
        .seeds = memory.seeds,
        .modes = memory.modes,
        .difficulties = memory.difficulties,
    };
}

static ale_status play(ale_vector *vector, const ale_stretches *stretches) {
    ale_status status = ale_vector_play(vector, stretches);
    while (status == ALE_UNFINISHED) status = ale_vector_play(vector, NULL);
    return status;
}

static void check_stretches(void) {
    for (int i = 0; i < STRETCHES; i++) {
        CHECK_EQUAL(memory.played[i], SPAN);
        const uint8_t *now = memory.observations[i];
        for (int k = 0; k < SPAN; k++) {
            const int step = begins[i] + k;
            CHECK_EQUAL(memory.rewards[i][k], story.rewards[step]);
            CHECK_EQUAL(memory.terminations[i][k], story.terminations[step]);
            CHECK_EQUAL(memory.truncations[i][k], story.truncations[step]);
            if (k < LEAD) continue;
            CHECK(memcmp(now, story.before[step], story.size) == 0);
            now += story.size;
        }
        CHECK(memcmp(now, story.after[begins[i] + SPAN - 1], story.size) == 0);
    }
}

static ale_vector_options small_options(void) { return small_options_of(IMAGE, STACK, 44); }

/* Whatever their threads are, and twice with the same vector. */
static void test_same_as_by_steps(ale_rom *rom) {
    static const int32_t observations[] = {ALE_OBSERVE_GRAYSCALE, ALE_OBSERVE_RGB, ALE_OBSERVE_RAM};
    for (int kind = 0; kind < 12; kind++) {
        ale_vector_options options = small_options();
        options.autoreset = kind % 3;
        options.observation = observations[kind / 3 % 3];
        options.frame_skip = kind < 9 ? 4 : 1; /* the last three are gray again */
        ale_vector *vector = vector_of(rom, &options);
        tell(vector, options.autoreset);
        ale_vector_destroy(vector);
        for (uint32_t threads = 1; threads <= 3; threads++) {
            options.num_threads = threads;
            options.patience_ms = threads - 1;
            vector = vector_of(rom, &options);
            for (int times = 0; times < 2; times++) {
                ale_stretches stretches = stretches_of_story(options.autoreset);
                if (times) stretches.strengths = NULL;
                CHECK_EQUAL(play(vector, &stretches), ALE_OK);
                check_stretches();
            }
            /* Then only a reset of all goes. */
            CHECK_EQUAL(ale_vector_play(vector, NULL), ALE_OUT_OF_ORDER);
            CHECK_EQUAL(ale_vector_step(vector, story.actions, NULL, &batch), ALE_OUT_OF_ORDER);
            CHECK_EQUAL(ale_vector_reset(vector, (const uint8_t[ENVS]){1}, NULL), ALE_OUT_OF_ORDER);
            reset(vector, NULL, NULL);
            receive(vector, ale_vector_step(vector, story.actions, NULL, &batch));
            ale_vector_destroy(vector);
        }
        forget();
    }
}

/* ---- What is refused ------------------------------------------------------------------------------------- */

static void refuse(ale_vector *vector, const ale_stretches *stretches, ale_status status, const char *text) {
    CHECK_EQUAL(play(vector, stretches), status);
    CHECK(strstr(ale_last_error(), text) != NULL);
}

#define WITHOUT(member)                                                                   \
    do {                                                                                  \
        ale_stretches lacking = stretches;                                                \
        lacking.member = 0;                                                               \
        CHECK_EQUAL(ale_vector_play(vector, &lacking), ALE_INVALID_ARGUMENT);             \
        CHECK(strstr(ale_last_error(), "stretches->" #member " is ") != NULL);            \
    } while (0)

/* For a moment a number is another one. */
#define WITH(place, value, status, text)              \
    do {                                              \
        const __typeof__(place) kept = (place);       \
        (place) = (value);                            \
        refuse(vector, &stretches, (status), (text)); \
        (place) = kept;                               \
    } while (0)

static void test_refusals(ale_rom *rom, ale_rom *other) {
    ale_vector_options options = small_options();
    options.autoreset = ALE_NO_RESET;
    ale_vector *vector = vector_of(rom, &options);
    tell(vector, options.autoreset);
    const ale_stretches stretches = stretches_of_story(options.autoreset);
    CHECK_EQUAL(ale_vector_play(NULL, &stretches), ALE_INVALID_ARGUMENT);
    WITHOUT(struct_size);
    WITHOUT(count);
    WITHOUT(states);
    WITHOUT(sizes);
    WITHOUT(steps);
    WITHOUT(observations);
    WITHOUT(played);
    WITHOUT(actions);
    WITHOUT(observed);
    WITHOUT(rewards);
    WITHOUT(terminations);
    WITHOUT(truncations);
    WITHOUT(reset_steps);
    WITHOUT(seeds);
    WITHOUT(modes);
    WITHOUT(difficulties);
    WITH(memory.steps[1], 0, ALE_INVALID_ARGUMENT, "steps[1] is 0");
    WITH(memory.to[2], NULL, ALE_INVALID_ARGUMENT, "observations[2] is NULL");
    WITH(memory.states[3], NULL, ALE_INVALID_ARGUMENT, "states[3] is NULL, but no reset");
    WITH(memory.reset_steps[0], STRETCHES * SPAN, ALE_INVALID_ARGUMENT, "reset_steps[0] is 203; ");
    WITH(memory.reset_steps[1], 0, ALE_INVALID_ARGUMENT, "reset_steps[1] is 0; ");
    WITH(memory.seeds[0], INT64_C(1) << 32, ALE_INVALID_ARGUMENT, "seeds[0] is 4294967296; ");
    WITH(memory.modes[0], 1234, ALE_INVALID_ARGUMENT, "modes[0] is 1234; ");
    WITH(memory.difficulties[0], 8, ALE_INVALID_ARGUMENT, "difficulties[0] is 8; there are 0");

    /* Before anything was played the environments go on; */
    CHECK_EQUAL(ale_vector_post(vector, &batch), ALE_OK);
    CHECK_EQUAL(ale_vector_reset(vector, (const uint8_t[ENVS]){1, 1, 1, 1}, NULL), ALE_OK);
    refuse(vector, &stretches, ALE_OUT_OF_ORDER, "4 results are outstanding");
    CHECK_EQUAL(ale_vector_recv(vector), ALE_OK);
    /* what is found on the way ends all stretches. */
    WITH(memory.actions[1][4], 99, ALE_BAD_ACTION, "stretch 1: actions[33] is 99; ");
    CHECK_EQUAL(memory.played[1], 4);
    WITH(memory.sizes[1], 5, ALE_BAD_STATE, "stretch 1: size is 5 bytes");
    CHECK_EQUAL(memory.played[1], 0);
    WITH(memory.reset_steps[0], 0, ALE_OUT_OF_ORDER, "the episode is over before step ");
    CHECK_EQUAL(ale_vector_step(vector, story.actions, NULL, &batch), ALE_OUT_OF_ORDER);
    CHECK_EQUAL(play(vector, &stretches), ALE_OK);
    ale_vector_destroy(vector);

    ale_rom *const roms[] = {rom, other};
    CHECK_EQUAL(ale_vector_create(roms, NULL, 2, &options, &vector), ALE_OK);
    refuse(vector, &stretches, ALE_INVALID_ARGUMENT, "environment 1 plays another game than environment 0");
    ale_vector_destroy(vector);
    forget();
}

/* While threads play, nothing else is done, and whoever waits no longer stops them. */
static void test_stopped(ale_rom *rom) {
    static uint32_t limit = UINT32_MAX;
    enum { LONG = 50000 };
    ale_vector_options options = small_options();
    options.autoreset = ALE_NEXT_STEP;
    options.patience_ms = 1;
    options.frame_limit = &limit;
    int32_t *zeros = calloc(LONG, sizeof *zeros); /* numbers of all kinds */
    int32_t *written = calloc(LONG, sizeof *written);
    uint8_t *flags = calloc(2 * LONG, 1);
    const uint32_t steps = LONG;
    uint32_t played;
    uint8_t *const to = seen.observations[0];
    const void *const none = NULL;
    ale_stretches stretches = {
        .struct_size = sizeof stretches,
        .count = 1,
        .states = &none,
        .sizes = &(const size_t){0},
        .steps = &steps,
        .observations = &to,
        .played = &played,
        .actions = zeros,
        .observed = (const uint8_t *)zeros,
        .rewards = written,
        .terminations = flags,
        .truncations = flags + LONG,
        .resets = 1,
        .reset_steps = &(const uint64_t){0},
        .seeds = &(const int64_t){1},
        .modes = zeros,
        .difficulties = zeros,
    };
    for (int destroyed = 0; destroyed < 2; destroyed++) {
        ale_vector *vector = vector_of(rom, &options);
        CHECK_EQUAL(ale_vector_play(vector, &stretches), ALE_UNFINISHED);
        CHECK_EQUAL(ale_vector_play(vector, &stretches), ALE_OUT_OF_ORDER);
        CHECK_EQUAL(ale_vector_reset(vector, NULL, NULL), ALE_OUT_OF_ORDER);
        CHECK(strstr(ale_last_error(), "stretches are being played") != NULL);
        CHECK(ale_vector_env(vector, 0) == NULL);
        CHECK_EQUAL(ale_vector_wait(vector), ALE_UNFINISHED);
        if (!destroyed) {
            ale_set_frame_limit(&limit, 0);
            CHECK_EQUAL(play(vector, NULL), ALE_STOPPED);
            CHECK(played < LONG);
            ale_set_frame_limit(&limit, UINT32_MAX);
            reset(vector, NULL, NULL);
        }
        ale_vector_destroy(vector);
    }
    free(zeros);
    free(written);
    free(flags);
}

int main(void) {
    batch = full_batch_of(&seen);
    ale_rom *rom = make_rom(true), *other = make_rom(false);
    RUN(test_same_as_by_steps(rom));
    RUN(test_refusals(rom, other));
    RUN(test_stopped(rom));
    ale_rom_release(rom);
    ale_rom_release(other);
    return check_failures;
}
