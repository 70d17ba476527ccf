/* What vectors refuse, each by the name of what is wrong: arguments out of range and saved sub-environments with one
 * byte damaged.  And the equality of states, which looks at every byte. */
#include <stddef.h>
#include <stdlib.h>

#include "check.h"
#include "environment/state.h"
#include "small.h"
#include "support/checksum.h"
#include "vector/sub_env.h"
#include "vector/vector.h"

enum { STEPS = 7, DAMAGES = 4 };
static const uint8_t DAMAGE[DAMAGES] = {0x01, 0x02, 0x80, 0xFF};

static ale_rom *make_rom(void) {
    uint8_t image[TEST_ROM_SIZE];
    test_rom(image);
    return small_rom(image, "");
}

/* A vector of one environment that has played a little. */
static ale_vector *make_vector(ale_rom *rom, ale_autoreset autoreset, ale_observation observation) {
    ale_vector_options options = vector_defaults();
    options.img_height = options.img_width = 8;
    options.autoreset = (int32_t)autoreset;
    options.observation = (int32_t)observation;
    options.max_num_frames_per_episode = 4 * STEPS - 1; /* so that the last step ends the episode */
    ale_vector *vector = vector_from(&rom, NULL, 1, &options);
    static uint8_t observations[8 * 8 * 3 * 4];
    static int32_t numbers[8];
    static uint8_t flags[2];
    const ale_batch batch = {.struct_size = sizeof batch,
                             .observations = observations,
                             .rewards = numbers,
                             .terminations = flags,
                             .truncations = flags + 1,
                             .env_ids = numbers + 1,
                             .lives = numbers + 2,
                             .frame_numbers = numbers + 3,
                             .episode_frame_numbers = numbers + 4};
    begin_all(vector, &batch, NULL);
    const int32_t action = 0;
    for (int i = 0; i < STEPS; i++) CHECK_EQUAL(ale_vector_step(vector, &action, NULL, &batch), ALE_OK);
    return vector;
}

/* A saved sub-environment's head, as sub_env_state.c has it. */
typedef struct saved_sub_env {
    size_t size, stack_size, final_size, rows, stored_size, state_size;
    sub_env_state s;
} saved_sub_env;

/* A sub-environment as bytes, which the caller frees. */
static uint8_t *save_sub_env(const sub_env *e, ale_state *state, size_t *size) {
    CHECK_EQUAL(sub_env_save(e, state, NULL, 0, size), ALE_OK);
    uint8_t *bytes = malloc(*size);
    if (!bytes) exit(1);
    CHECK_EQUAL(sub_env_save(e, state, bytes, *size, size), ALE_OK);
    return bytes;
}

/* What is refused is refused by the name of its field, and every field is. */
static void every_field_of_a_sub_env_is_checked(ale_rom *rom) {
    static const char *const FIELDS[] = {
        "sub_env.random.position", "sub_env.elapsed",      "sub_env.mode", "sub_env.difficulty",
        "sub_env.start",         "sub_env.over",         "sub_env.out",  "sub_env.result.truncated",
        "sub_env.result.ended",    "sub_env.result.label",     "sub_env.result.has_final", "sub_env.result.terminated",
        "sub_env.reserved",        "sub_env.returns",      "sub_env.result.rewards", "sub_env.result.returns",
        "sub_env.result.reserved", "sub_env.result.counts.lives", "sub_env.result.final.lives",
        "games or options, or damaged", /* sizes and rows */
    };
    enum { COUNT = sizeof FIELDS / sizeof *FIELDS };
    ale_vector *vector = make_vector(rom, ALE_SAME_STEP, ALE_OBSERVE_GRAYSCALE);
    const sub_env *e = &vector->sub_envs[0];
    ale_state *state = NULL;
    size_t size = 0, checked = 0;
    CHECK_EQUAL(ale_state_create(&state), ALE_OK);
    uint8_t *good = save_sub_env(e, state, &size), *bad = malloc(size);
    if (!bad) exit(1);
    CHECK_EQUAL(sub_env_check(e, state, good, size, &checked), ALE_OK);
    CHECK_EQUAL(checked, size);
    for (size_t less = 1; less < size; less += size / 97) CHECK(sub_env_check(e, state, good, size - less, &checked));

    bool seen[COUNT] = {0};
    const size_t head = sizeof(saved_sub_env), tables = head + 2 * 4 * 8 * 8;
    for (size_t at = 0; at < tables + 2 * 210; at++) {
        if (at >= head && at < tables) continue; /* pixels may have any value */
        for (int i = 0; i < DAMAGES; i++) {
            memcpy(bad, good, size);
            bad[at] ^= DAMAGE[i];
            ale_status status = sub_env_check(e, state, bad, size, &checked);
            if (status == ALE_OK) continue;
            CHECK_EQUAL(status, ALE_BAD_STATE);
            bool named = false;
            for (int field = 0; field < COUNT; field++)
                if (strstr(ale_last_error(), FIELDS[field])) named = seen[field] = true;
            if (!named) fprintf(stderr, "byte %zu: %s\n", at, ale_last_error()), check_failures = 1;
        }
    }
    for (int field = 0; field < COUNT; field++)
        if (!seen[field]) fprintf(stderr, "no damage was refused as %s\n", FIELDS[field]), check_failures = 1;
    ale_state_destroy(state);
    free(good);
    free(bad);
    ale_vector_destroy(vector);
}

/* The last values that are accepted, and the first ones that are not. */
static void fields_of_a_sub_env_have_bounds(ale_rom *rom, ale_autoreset autoreset) {
    const bool same_step = autoreset == ALE_SAME_STEP;
    ale_vector *vector = make_vector(rom, autoreset, ALE_OBSERVE_GRAYSCALE);
    const sub_env *e = &vector->sub_envs[0];
    ale_state *state = NULL;
    size_t size = 0, checked = 0;
    CHECK_EQUAL(ale_state_create(&state), ALE_OK);
    uint8_t *good = save_sub_env(e, state, &size), *bad = malloc(size);
    if (!bad) exit(1);
    saved_sub_env *const head = (saved_sub_env *)(void *)bad;
    sub_env_state *const s = &head->s;
    uint16_t *const rows = (uint16_t *)(void *)(bad + sizeof *head + (same_step ? 2 : 1) * 4 * 8 * 8);
#define CHANGED(expected, ...)                                                        \
    do {                                                                            \
        memcpy(bad, good, size);                                                    \
        __VA_ARGS__;                                                                \
        CHECK_EQUAL(sub_env_check(e, state, bad, size, &checked), expected);           \
    } while (0)
#define AT_MOST(most, value)                          \
    do {                                              \
        CHANGED(ALE_OK, value = (most));              \
        CHANGED(ALE_BAD_STATE, value = (most) + 1);   \
    } while (0)
    AT_MOST(MT19937_WORDS, s->random.position);
    CHANGED(ALE_OK, s->random.position = 1);
    CHANGED(ALE_BAD_STATE, s->random.position = 0);
    CHANGED(ALE_BAD_STATE, memset(s->random.state, 0, sizeof s->random.state));
    CHANGED(ALE_OK, s->elapsed = 0, s->over = 0);
    CHANGED(ALE_BAD_STATE, s->elapsed = -1);
    CHANGED(ALE_OK, s->elapsed = INT32_MAX - 1, s->over = 0);
    CHANGED(ALE_BAD_STATE, s->elapsed = INT32_MAX, s->over = 0);
    CHANGED(same_step ? ALE_BAD_STATE : ALE_OK, s->elapsed = INT32_MAX, s->over = 1);
    CHANGED(ALE_BAD_STATE, s->mode = 1);
    AT_MOST(3, s->difficulty);
    CHANGED(ALE_BAD_STATE, s->difficulty = -1);
    CHANGED(ALE_OK, s->start = 7);
    CHANGED(ALE_BAD_STATE, s->start = -2);
    CHANGED(same_step ? ALE_BAD_STATE : ALE_OK, s->over = 1);
    CHANGED(ALE_BAD_STATE, s->over = 2);
    AT_MOST(1, s->result.truncated);
    CHECK(e->s.result.has_final == same_step && e->s.result.ended);
    CHANGED(ALE_BAD_STATE, s->result.has_final = 2);
    CHANGED(ALE_BAD_STATE, s->result.has_final = !same_step); /* with a final observation, or without one */
    CHANGED(same_step ? ALE_BAD_STATE : ALE_OK, s->result.ended = 0);
    CHANGED(ALE_BAD_STATE, s->result.ended = 2);
    CHANGED(same_step ? ALE_OK : ALE_BAD_STATE, s->result.final.frame_number = 1);
    /* Who does not play has nothing, and is not out; nobody is in the solo rules. */
    for (int p = 0; p < ALE_MAX_PLAYERS; p++) {
        const ale_status expected = p == 0 ? ALE_OK : ALE_BAD_STATE;
        CHANGED(expected, s->result.terminated[p] = 1);
        CHANGED(ALE_BAD_STATE, s->result.terminated[p] = 2);
        CHANGED(expected, s->returns[p] = 1);
        CHANGED(expected, s->result.rewards[p] = 1);
        CHANGED(expected, s->result.returns[p] = -1);
        CHANGED(expected, s->result.counts.lives[p] = -1);
        CHANGED(same_step ? expected : ALE_BAD_STATE, s->result.final.lives[p] = 1);
        CHANGED(ALE_BAD_STATE, s->out[p] = 1);
        vector->options.rules = ALE_MULTI;
        CHANGED(expected, s->out[p] = 1);
        CHANGED(ALE_BAD_STATE, s->out[p] = 2);
        vector->options.rules = ALE_SOLO;
    }
    for (size_t i = 0; i < sizeof s->reserved; i++) AT_MOST(0, s->reserved[i]);
    AT_MOST(ALE_MAX_TERMINALS, s->result.label);
    for (size_t i = 0; i < sizeof s->result.reserved; i++) AT_MOST(0, s->result.reserved[i]);
    /* Sizes must fit, also where those of two parts make up for each other. */
    CHANGED(ALE_BAD_STATE, head->size++);
    CHANGED(ALE_BAD_STATE, head->size--);
    CHANGED(ALE_BAD_STATE, head->stack_size++, head->state_size--);
    CHANGED(ALE_BAD_STATE, head->final_size--, head->state_size++);
    CHANGED(ALE_BAD_STATE, head->rows--, head->stored_size += 2);
    CHANGED(ALE_BAD_STATE, head->stored_size++, head->state_size--);
    CHANGED(ALE_BAD_STATE, head->stored_size--, head->state_size++);
    CHANGED(ALE_BAD_STATE, head->stored_size = SIZE_MAX, head->size = size - 1 - head->state_size);
    CHANGED(ALE_BAD_STATE, head->state_size = SIZE_MAX);
    memcpy(bad, good, size);
    CHECK_EQUAL(sub_env_check(e, state, bad, size - 1, &checked), ALE_BAD_STATE);
    CHECK_EQUAL(sub_env_check(e, state, bad, sizeof *head - 1, &checked), ALE_BAD_STATE);
    /* Rows are numbered from 0, each as the one before or the next. */
    CHANGED(ALE_BAD_STATE, rows[0] = 1);
    for (size_t y = 1; y < ((saved_sub_env *)(void *)good)->rows; y++) {
        const uint16_t before = ((uint16_t *)(void *)(good + ((uint8_t *)rows - bad)))[y - 1];
        CHANGED(ALE_BAD_STATE, rows[y] = (uint16_t)(before + 2));
        CHANGED(ALE_BAD_STATE, rows[y] = (uint16_t)(before - 1));
    }
    CHANGED(ALE_OK, (void)bad);
#undef CHANGED
#undef AT_MOST
    ale_state_destroy(state);
    free(good);
    free(bad);
    ale_vector_destroy(vector);
}

/* Bytes of a vector with sub-environments in hand and others outstanding: whatever cannot be is refused, though its
 * checksum is right, and nothing has changed then. */
static void heads_and_numbers_are_checked(ale_rom *rom) {
    enum { ENVS = 4, BATCH = 2 };
    ale_vector_options options = vector_defaults();
    options.observation = ALE_OBSERVE_RAM;
    options.batch_size = BATCH;
    options.num_threads = 1;
    ale_rom *const roms[ENVS] = {rom, rom, rom, rom};
    ale_vector *vector = vector_from(roms, NULL, ENVS, &options);
    static uint8_t observations[BATCH * ALE_RAM_SIZE * 4], flags[2][BATCH];
    static int32_t results[5][BATCH];
    const ale_batch batch = {.struct_size = sizeof batch,
                             .observations = observations,
                             .rewards = results[0],
                             .terminations = flags[0],
                             .truncations = flags[1],
                             .env_ids = results[1],
                             .lives = results[2],
                             .frame_numbers = results[3],
                             .episode_frame_numbers = results[4]};
    for (int i = 1; i < ENVS / BATCH; i++) CHECK_EQUAL(ale_vector_post(vector, &batch), ALE_OK);
    begin_all(vector, &batch, NULL);
    size_t size = 0, again = 0;
    CHECK_EQUAL(ale_vector_save(vector, NULL, 0, &size), ALE_OK);
    uint8_t *good = malloc(size), *bad = calloc(1, size + 1), *after = malloc(size);
    if (!good || !bad || !after) exit(1);
    CHECK_EQUAL(ale_vector_save(vector, good, size, &again), ALE_OK);
    saved_vector *const head = (saved_vector *)(void *)bad;
    uint32_t *const in_hand = (uint32_t *)(void *)(head + 1), *const outstanding = in_hand + BATCH;
    size_t claimed = size;
#define CHANGED(expected, ...)                                                                       \
    do {                                                                                           \
        memcpy(bad, good, size);                                                                   \
        __VA_ARGS__;                                                                               \
        head->head.checksum = checksum(bad, claimed, offsetof(saved_head, checksum));              \
        CHECK_EQUAL(ale_vector_restore(vector, bad, claimed), expected);                             \
        if (expected == ALE_OK) {                                                                    \
            uint32_t equal = 2;                                                                      \
            CHECK_EQUAL(ale_vector_saved_equal(vector, bad, size, good, size, &equal), ALE_OK);      \
            CHECK_EQUAL(equal, memcmp(bad, good, size) == 0);                                        \
            CHECK_EQUAL(ale_vector_restore(vector, good, size), ALE_OK);                             \
        }                                                                                            \
        CHECK_EQUAL(ale_vector_save(vector, after, size, &again), ALE_OK);                         \
        CHECK(again == size && memcmp(after, good, size) == 0);                                    \
    } while (0)
    CHANGED(ALE_OK, (void)bad);
    for (size_t i = 0; i < sizeof head->head.magic; i++) CHANGED(ALE_BAD_STATE, head->head.magic[i]++);
    CHANGED(ALE_BAD_STATE, head->head.layout++);
    CHANGED(ALE_BAD_STATE, head->head.size++);
    CHANGED(ALE_BAD_STATE, head->head.size--);
    CHANGED(ALE_BAD_STATE, head->count++);
    CHANGED(ALE_BAD_STATE, head->count--);
    CHANGED(ALE_BAD_STATE, head->options.frame_skip++);
    CHANGED(ALE_OK, head->has_in_hand = 0);
    CHANGED(ALE_BAD_STATE, head->has_in_hand = 2);
    CHANGED(ALE_BAD_STATE, head->was_reset = 2);
    CHANGED(ALE_BAD_STATE, head->was_reset = 0);
    CHANGED(ALE_BAD_STATE, head->was_reset = head->has_in_hand = 0);
    CHANGED(ALE_BAD_STATE, head->outstanding = ENVS + 1);
    CHANGED(ALE_BAD_STATE, head->outstanding = UINT32_MAX);
    for (int i = 0; i < ENVS; i++) {
        CHANGED(ALE_BAD_STATE, in_hand[i] = ENVS);
        CHANGED(ALE_BAD_STATE, in_hand[i] = UINT32_MAX);
        CHANGED(ALE_BAD_STATE, in_hand[i] = in_hand[(i + 1) % ENVS]);
    }
    CHANGED(ALE_OK, in_hand[0] = outstanding[1], outstanding[1] = ((uint32_t *)(void *)(good + sizeof *head))[0]);
    const size_t first_sub_env = sizeof *head + ENVS * sizeof *in_hand;
    for (size_t i = 0, at = first_sub_env; i < ENVS; i++) {
        uint64_t of_sub_env; /* the first field of a saved_sub_env, at any address */
        memcpy(&of_sub_env, good + at, sizeof of_sub_env);
        CHANGED(ALE_BAD_STATE, bad[at + offsetof(saved_sub_env, s) + offsetof(sub_env_state, difficulty)] = 4);
        at += of_sub_env;
    }
    claimed = size + 1;
    CHANGED(ALE_BAD_STATE, head->head.size = size + 1);
    claimed = sizeof *head + BATCH * sizeof *in_hand; /* which is less than the numbers take */
    CHANGED(ALE_BAD_STATE, head->head.size = claimed);
    claimed = sizeof *head - 1;
    CHANGED(ALE_BAD_STATE, (void)bad);
#undef CHANGED
    free(good);
    free(bad);
    free(after);
    ale_vector_destroy(vector);
}

/* A vector with RAM for observations has no picture to keep. */
static void a_sub_env_without_picture_is_saved(ale_rom *rom) {
    ale_vector *vector = make_vector(rom, ALE_NEXT_STEP, ALE_OBSERVE_RAM);
    size_t size = 0, again = 0;
    CHECK_EQUAL(ale_vector_save(vector, NULL, 0, &size), ALE_OK);
    uint8_t *bytes = malloc(size), *after = malloc(size);
    if (!bytes || !after) exit(1);
    CHECK_EQUAL(ale_vector_save(vector, bytes, size, &again), ALE_OK);
    CHECK_EQUAL(ale_vector_restore(vector, bytes, size), ALE_OK);
    CHECK_EQUAL(ale_vector_save(vector, after, size, &again), ALE_OK);
    CHECK(again == size && memcmp(bytes, after, size) == 0);
    free(bytes);
    free(after);
    ale_vector_destroy(vector);
}

/* ---- Arguments ----------------------------------------------------------------------------------------- */

static void refused(ale_status status, const char *name, int line) {
    if (status == ALE_INVALID_ARGUMENT && strstr(ale_last_error(), name)) return;
    fprintf(stderr, "line %d: status %d, \"%s\" lacks \"%s\"\n", line, (int)status, ale_last_error(), name);
    check_failures = 1;
}

#define REFUSED(name, call) refused(call, name, __LINE__)

static void options_out_of_range_are_refused(ale_rom *rom) {
    ale_vector_options good = vector_defaults();
    ale_vector *vector = NULL;
    ale_rom *roms[2] = {rom, rom};
#define REFUSED_OPTION(name, ...)                                            \
    do {                                                                     \
        ale_vector_options options = good;                                   \
        __VA_ARGS__;                                                         \
        REFUSED(name, ale_vector_create(roms, NULL, 2, &options, &vector));  \
    } while (0)
    REFUSED_OPTION("batch_size", options.batch_size = 3);
    REFUSED_OPTION("batch_size", options.batch_size = 1, options.autoreset = ALE_NO_RESET);
    REFUSED_OPTION("rules", options.rules = -1);
    REFUSED_OPTION("players", options.rules = ALE_MULTI, options.players = 5);
    REFUSED_OPTION("autoreset", options.autoreset = -1);
    REFUSED_OPTION("observation", options.observation = observer_count);
    REFUSED_OPTION("img_height", options.img_height = 4097);
    REFUSED_OPTION("img_width", options.img_width = 0);
    REFUSED_OPTION("stack_num", options.stack_num = 1025);
    REFUSED_OPTION("frame_skip", options.frame_skip = UINT32_MAX);
    REFUSED_OPTION("noop_max", options.noop_max = UINT32_MAX);
    REFUSED_OPTION("use_fire_reset", options.use_fire_reset = 2);
    REFUSED_OPTION("episodic_life", options.episodic_life = 2);
    REFUSED_OPTION("life_loss_info", options.life_loss_info = 2);
    REFUSED_OPTION("reward_clipping", options.reward_clipping = 2);
    REFUSED_OPTION("full_action_space", options.full_action_space = 3);
    REFUSED_OPTION("sound", options.sound = 2);
    REFUSED_OPTION("agent_indicator", options.agent_indicator = 2);
    REFUSED_OPTION("mirror", options.mirror = 2);
    REFUSED_OPTION("mirror", options.mirror = 1, options.observation = ALE_OBSERVE_RAM);
    REFUSED_OPTION("struct_size", options.struct_size = 2);
    REFUSED_OPTION("players", options.rules = ALE_MULTI, options.players = 0);
    REFUSED_OPTION("maxpool", options.maxpool = 2);
    REFUSED_OPTION("fast_paths", options.fast_paths = 64);
    REFUSED_OPTION("repeat_action_probability", options.repeat_action_probability = 0.0f / 0.0f);
    REFUSED("roms", ale_vector_create(NULL, NULL, 2, &good, &vector));
    REFUSED("roms[1]", ale_vector_create((ale_rom *[]){rom, NULL}, NULL, 2, &good, &vector));
    REFUSED("num_envs", ale_vector_create(roms, NULL, 0, &good, &vector));
    REFUSED("vector", ale_vector_create(roms, NULL, 2, &good, NULL));
    REFUSED("num_envs", ale_vector_create(roms, NULL, UINT32_MAX, &good, &vector));
    CHECK(!vector);
}

static void bad_arguments_are_refused(ale_rom *rom) {
    ale_vector *vector = make_vector(rom, ALE_NEXT_STEP, ALE_OBSERVE_RAM);
    ale_vector_info info = {.struct_size = sizeof info};
    const int32_t action = 0;
    uint8_t room[1];
    size_t size = 0;
    ale_batch batch = {.struct_size = sizeof batch};
    REFUSED("vector", ale_vector_describe(NULL, &info));
    REFUSED("info", ale_vector_describe(vector, NULL));
    REFUSED("vector", ale_vector_post(NULL, &batch));
    REFUSED("batch", ale_vector_post(vector, NULL));
    REFUSED("batch->observations is NULL", ale_vector_post(vector, &batch));
    REFUSED("batch->observations is NULL", ale_vector_step(vector, &action, NULL, &batch));
    /* Each of the arrays is needed. */
    void *arrays[] = {room, room, room, room, room, room, room, room};
    const char *const names[] = {"batch->observations ", "batch->rewards ", "batch->terminations ",
                                 "batch->truncations ", "batch->env_ids ", "batch->lives ",
                                 "batch->frame_numbers ", "batch->episode_frame_numbers "};
    for (int missing = 0; missing < 8; missing++) {
        for (int i = 0; i < 8; i++) arrays[i] = i == missing ? NULL : room;
        batch = (ale_batch){sizeof batch, arrays[0], arrays[1], arrays[2], arrays[3], arrays[4], arrays[5],
                            arrays[6], arrays[7], .sound = NULL};
        REFUSED(names[missing], ale_vector_post(vector, &batch));
    }
    for (int i = 0; i < 8; i++) arrays[i] = room;
    batch = (ale_batch){sizeof batch, arrays[0], arrays[1], arrays[2], arrays[3], arrays[4], arrays[5],
                        arrays[6], arrays[7], .sound = room};
    REFUSED("sound", ale_vector_post(vector, &batch));
    REFUSED("vector", ale_vector_select(NULL, 0, 0, 0));
    REFUSED("index", ale_vector_select(vector, 1, 0, 0));
    REFUSED("mode", ale_vector_select(vector, 0, 99, 0));
    REFUSED("difficulty", ale_vector_select(vector, 0, 0, -1));
    REFUSED("difficulty", ale_vector_select(vector, 0, 0, 8));
    REFUSED("vector", ale_vector_reset(NULL, NULL, NULL));
    REFUSED("vector", ale_vector_send(NULL, &action, NULL));
    REFUSED("actions", ale_vector_send(vector, NULL, NULL));
    REFUSED("vector", ale_vector_send_to(NULL, &action, 1, &action, NULL));
    REFUSED("ids", ale_vector_send_to(vector, NULL, 1, &action, NULL));
    REFUSED("ids", ale_vector_send_to(vector, (int32_t[]){-1}, 1, &action, NULL));
    REFUSED("ids", ale_vector_send_to(vector, (int32_t[]){1}, 1, &action, NULL));
    REFUSED("actions", ale_vector_send_to(vector, &action, 1, NULL, NULL));
    REFUSED("count", ale_vector_send_to(vector, &action, 0, &action, NULL));
    REFUSED("count", ale_vector_send_to(vector, &action, 2, &action, NULL));
    REFUSED("vector", ale_vector_recv(NULL));
    REFUSED("vector", ale_vector_discard(NULL));
    REFUSED("vector", ale_vector_step(NULL, &action, NULL, NULL));
    REFUSED("actions", ale_vector_step(vector, NULL, NULL, NULL));
    REFUSED("sources", ale_vector_copy(vector, NULL, &action, 1));
    REFUSED("targets", ale_vector_copy(vector, &action, NULL, 1));
    REFUSED("vector", ale_vector_copy(NULL, &action, &action, 1));
    REFUSED("size", ale_vector_save(vector, NULL, 0, NULL));
    REFUSED("out", ale_vector_save(vector, NULL, 1, &size));
    REFUSED("vector", ale_vector_save(NULL, room, 1, &size));
    REFUSED("bytes", ale_vector_restore(vector, NULL, 1));
    REFUSED("vector", ale_vector_restore(NULL, room, 1));
    CHECK(!ale_vector_env(NULL, 0));
    CHECK(!ale_vector_env(vector, 1));
    ale_vector_destroy(vector);
}

/* ---- States -------------------------------------------------------------------------------------------- */

/* States differ as soon as one byte does of what is compared; the head's own bytes are not. */
static void equality_looks_at_every_byte(ale_rom *rom) {
    enum {
        MACHINE = sizeof(saved_environment) + sizeof(mt19937) + sizeof(snapshot_head),
        COLLISIONS = offsetof(machine_state, tia.collisions)
    };
    static const struct {
        size_t from, size;
    } COMPARED[] = {
#define PART(name) {offsetof(saved_environment, name), sizeof((saved_environment *)NULL)->name}
        PART(includes_random), PART(md5),          PART(game),   PART(rules),
        PART(scheme),          PART(s.frame_number), PART(s.episode_frame_number),
        PART(s.mode),          PART(s.difficulty), PART(s.paddle), PART(s.game),
#undef PART
        {MACHINE, COLLISIONS}, /* which are evaluated late */
        {MACHINE + COLLISIONS + sizeof(uint16_t), sizeof(machine_state) - COLLISIONS - sizeof(uint16_t)},
    };
    ale_env_options options = env_defaults();
    ale_env *env = env_of(rom, &options);
    ale_state *a = state_of(env, 1), *b = state_of(env, 1), *without = state_of(env, 0);
    CHECK(equal_states(a, b));
    CHECK(!equal_states(a, without));
    for (size_t i = 0; i < sizeof COMPARED / sizeof *COMPARED; i++)
        for (size_t at = COMPARED[i].from; at < COMPARED[i].from + COMPARED[i].size; at++) {
            b->bytes[at] ^= 0x10;
            if (equal_states(a, b)) fprintf(stderr, "byte %zu is not compared\n", at), check_failures = 1;
            b->bytes[at] ^= 0x10;
        }
    b->bytes[sizeof(saved_environment)] ^= 1; /* the generator */
    CHECK(!equal_states(a, b));
    ale_state_destroy(a);
    ale_state_destroy(b);
    ale_state_destroy(without);
    ale_env_destroy(env);
}

/* A vector that mirrors takes no mode without sides, neither for its next episodes nor for the present one. */
static void modes_have_sides_to_mirror(void) {
    uint8_t bytes[TEST_ROM_SIZE];
    test_rom(bytes);
    bytes[0x10] = 0x85; /* STA RAM[0] instead of INC RAM[32], with 0: Combat's first mode */
    bytes[0x11] = 0x80;
    ale_rom_options rom_options = rom_defaults();
    rom_options.game = "combat";
    rom_options.format = ALE_NTSC;
    ale_rom *rom = NULL;
    ale_vector_options options = vector_defaults();
    options.rules = ALE_MULTI;
    options.players = 2;
    options.mirror = 1;
    ale_vector *vector = NULL;
    ale_state *state = NULL;
    size_t size = 0, checked = 0;
    if (ale_rom_create(bytes, sizeof bytes, &rom_options, &rom) != ALE_OK ||
        ale_vector_create(&rom, NULL, 1, &options, &vector) != ALE_OK || ale_state_create(&state) != ALE_OK)
        exit(1);
    const sub_env *e = &vector->sub_envs[0];
    uint8_t *good = save_sub_env(e, state, &size), *bad = malloc(size);
    if (!bad) exit(1);
    enum { TANKS = 2, PLANES = 20 };
    for (int which = 0; which < 2; which++)
        for (int sided = 0; sided < 2; sided++) {
            memcpy(bad, good, size);
            saved_sub_env *head = (saved_sub_env *)(void *)bad;
            uint8_t *environment = bad + size - head->state_size;
            saved_environment saved;
            memcpy(&saved, environment, sizeof saved);
            *(which ? &saved.s.mode : &head->s.mode) = sided ? TANKS : PLANES;
            memcpy(environment, &saved, sizeof saved);
            saved.checksum = checksum(environment, head->state_size, offsetof(saved_environment, checksum));
            memcpy(environment, &saved, sizeof saved);
            CHECK_EQUAL(sub_env_check(e, state, bad, size, &checked), sided ? ALE_OK : ALE_BAD_STATE);
            CHECK(sided || strstr(ale_last_error(), "mode"));
        }
    CHECK_EQUAL(ale_vector_select(vector, 0, TANKS, 0), ALE_OK);
    CHECK_EQUAL(ale_vector_select(vector, 0, PLANES, 0), ALE_UNSUPPORTED);
    free(good);
    free(bad);
    ale_state_destroy(state);
    ale_vector_destroy(vector);
    ale_rom_release(rom);
}

int main(void) {
    ale_rom *rom = make_rom();
    RUN(options_out_of_range_are_refused(rom));
    RUN(bad_arguments_are_refused(rom));
    RUN(every_field_of_a_sub_env_is_checked(rom));
    RUN(fields_of_a_sub_env_have_bounds(rom, ALE_SAME_STEP));
    RUN(fields_of_a_sub_env_have_bounds(rom, ALE_NEXT_STEP));
    RUN(heads_and_numbers_are_checked(rom));
    RUN(a_sub_env_without_picture_is_saved(rom));
    RUN(equality_looks_at_every_byte(rom));
    RUN(modes_have_sides_to_mirror());
    ale_rom_release(rom);
    return check_failures;
}
