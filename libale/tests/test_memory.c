/* Failing memory: in every call the first allocation, thread or lock is denied, then the second, and so on
 * until none is.  Calls succeed without what they do not need, or fail as ALE_OUT_OF_MEMORY with nothing
 * changed; what they leak, the leak sanitizer sees. */
#include <ale/ale.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>

#include "check.h"
#include "small.h"
#include "console/video/engine/engine.h"

/* ---- Denials: the linker sends the library's calls here (-Wl,--wrap) ----------------------------------- */

static atomic_int countdown = -1; /* requests granted before one is denied; -1: all are granted */
static atomic_bool denied;

static bool deny(void) {
    if (atomic_load(&countdown) < 0 || atomic_fetch_sub(&countdown, 1) != 0) return false;
    atomic_store(&denied, true);
    return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
int __real_posix_memalign(void **to, size_t alignment, size_t size);
void *__real_mmap(void *at, size_t size, int how, int flags, int file, off_t offset);
void *__real_mmap64(void *at, size_t size, int how, int flags, int file, off_t offset);
int __real_mprotect(void *at, size_t size, int how);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *with);
int __real_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *how);
int __real_pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *how);

void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size) { return deny() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size) { return deny() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size) { return deny() ? NULL : __real_realloc(old, size); }
int __wrap_posix_memalign(void **to, size_t alignment, size_t size);
int __wrap_posix_memalign(void **to, size_t alignment, size_t size) {
    return deny() ? ENOMEM : __real_posix_memalign(to, alignment, size);
}
void *__wrap_mmap(void *at, size_t size, int how, int flags, int file, off_t offset);
void *__wrap_mmap(void *at, size_t size, int how, int flags, int file, off_t offset) {
    return deny() ? MAP_FAILED : __real_mmap(at, size, how, flags, file, offset);
}
void *__wrap_mmap64(void *at, size_t size, int how, int flags, int file, off_t offset);
void *__wrap_mmap64(void *at, size_t size, int how, int flags, int file, off_t offset) {
    return deny() ? MAP_FAILED : __real_mmap64(at, size, how, flags, file, offset);
}
int __wrap_mprotect(void *at, size_t size, int how);
int __wrap_mprotect(void *at, size_t size, int how) { return deny() ? -1 : __real_mprotect(at, size, how); }
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *with);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *with) {
    return deny() ? EAGAIN : __real_pthread_create(thread, how, run, with);
}
int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *how);
int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *how) {
    return deny() ? ENOMEM : __real_pthread_mutex_init(mutex, how);
}
int __wrap_pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *how);
int __wrap_pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *how) {
    return deny() ? ENOMEM : __real_pthread_cond_init(condition, how);
}

/* Begin to count, and stop; whether a request was denied meanwhile. */
static void deny_after(int granted) {
    atomic_store(&denied, false);
    atomic_store(&countdown, granted);
}
static bool stop_denying(void) {
    atomic_store(&countdown, -1);
    return atomic_load(&denied);
}

/* Do something with one denial after the other, while there is one; `n` tells which. */
#define WITH_DENIALS(n) for (int n = 0, more_ = 1; more_; more_ = was_denied, n++)
static bool was_denied;

static void check_status(ale_status status) {
    CHECK(status == ALE_OK || (status == ALE_OUT_OF_MEMORY && was_denied));
}

/* ---- ROMs, environments, states ------------------------------------------------------------------------ */

static ale_rom *make_rom(void (*assemble)(uint8_t[TEST_ROM_SIZE])) {
    uint8_t image[TEST_ROM_SIZE];
    assemble(image);
    return small_rom(image, "");
}

/* By a card's rules, for one player and for two. */
static ale_rom *make_rom_of_several(void) {
    static const char text[] = "name = \"test\"\nrom = \"test.bin\"\n[modes]\n1 = [1]\n2 = [2]\n";
    uint8_t bytes[TEST_ROM_SIZE];
    test_rom(bytes);
    ale_rom_options options = rom_defaults();
    need(ale_card_create(text, sizeof text - 1, &options.card));
    ale_rom *rom = rom_of(bytes, sizeof bytes, &options);
    ale_card_release(options.card);
    return rom;
}

static ale_env *make_env(ale_rom *rom) {
    ale_env_options options = env_defaults();
    options.color_averaging = options.sound = 1;
    return env_of(rom, &options);
}

static int made_cards(void) {
    static const char text[] = "name = \"test\"\nrom = \"test.bin\"\nscore = \"ram[0]\"\n";
    int failures = 0;
    WITH_DENIALS(n) {
        ale_card *card = NULL;
        deny_after(n);
        ale_status status = ale_card_create(text, sizeof text - 1, &card);
        was_denied = stop_denying();
        check_status(status);
        CHECK((status == ALE_OK) == (card != NULL));
        ale_card_release(card);
        failures += status != ALE_OK;
    }
    return failures;
}

static int made_roms(void) {
    uint8_t bytes[TEST_ROM_SIZE];
    test_rom(bytes);
    int failures = 0;
    WITH_DENIALS(n) {
        ale_rom *rom = NULL;
        deny_after(n);
        ale_status status = ale_rom_create(bytes, sizeof bytes, NULL, &rom);
        was_denied = stop_denying();
        check_status(status);
        CHECK((status == ALE_OK) == (rom != NULL));
        ale_rom_release(rom);
        failures += status != ALE_OK;
    }
    return failures;
}

static int made_environments(ale_rom *rom) {
    ale_env_options options = env_defaults();
    options.color_averaging = 1;
    int failures = 0;
    WITH_DENIALS(n) {
        ale_env *env = NULL;
        deny_after(n);
        ale_status status = ale_env_create(rom, &options, &env);
        was_denied = stop_denying();
        check_status(status);
        CHECK((status == ALE_OK) == (env != NULL));
        ale_env_destroy(env);
        failures += status != ALE_OK;
    }
    return failures;
}

/* Play and look: whatever is denied, the same is seen. */
static void played(ale_rom *rom) {
    static uint8_t screen[2][250 * 160 * 3];
    const int32_t action = ALE_FIRE;
    WITH_DENIALS(n) {
        ale_env *env[2] = {make_env(rom), make_env(rom)};
        ale_env_info info = {.struct_size = sizeof info};
        CHECK_EQUAL(ale_env_describe(env[0], &info), ALE_OK);
        const size_t size = (size_t)3 * 160 * info.screen_height;
        for (int i = 0; i < 2; i++) {
            if (i) deny_after(n);
            for (int frame = 0; frame < 5; frame++)
                CHECK_EQUAL(ale_env_act(env[i], &action, NULL, 1, 2), ALE_OK);
            CHECK_EQUAL(ale_env_reset(env[i]), ALE_OK);
            CHECK_EQUAL(ale_env_act(env[i], &action, NULL, 1, 1), ALE_OK);
            CHECK_EQUAL(ale_env_screen(env[i], ALE_RGB, screen[i], size), ALE_OK);
        }
        was_denied = stop_denying();
        CHECK(memcmp(screen[0], screen[1], size) == 0);
        for (int i = 0; i < 2; i++) ale_env_destroy(env[i]);
    }
}

/* Go on where an environment stands of whose picture more is to be known. */
static int taken_over(ale_rom *busy) {
    const int32_t action = ALE_FIRE;
    ale_env *source = make_env(busy);
    CHECK_EQUAL(ale_env_act(source, &action, NULL, 1, 2), ALE_OK);
    ale_state *moment = state_of(source, 1);
    int failures = 0;
    for (int copy = 0; copy < 2; copy++) WITH_DENIALS(n) {
            ale_env *env = make_env(busy);
            ale_state *before = state_of(env, 1);
            deny_after(n);
            ale_status status = copy ? ale_env_copy(env, source) : ale_env_restore(env, moment);
            was_denied = stop_denying();
            check_status(status);
            ale_state *after = state_of(env, 1);
            CHECK(equal_states(after, status == ALE_OK ? moment : before));
            failures += status != ALE_OK;
            ale_state_destroy(before);
            ale_state_destroy(after);
            ale_env_destroy(env);
        }
    ale_state_destroy(moment);
    ale_env_destroy(source);
    return failures;
}

/* Return whether a call fails when requests are denied after the first n; then the environment is as it was. */
static bool fails_cleanly(ale_env *env, ale_status (*call)(ale_env *env), int n) {
    ale_state *before = state_of(env, 1);
    deny_after(n);
    const ale_status status = call(env);
    was_denied = stop_denying();
    check_status(status);
    ale_state *after = state_of(env, 1);
    CHECK(status == ALE_OK || equal_states(before, after));
    ale_state_destroy(before);
    ale_state_destroy(after);
    return status != ALE_OK;
}

static ale_status reload(ale_env *env) { return ale_env_reload(env, 7); }

static int reloaded(ale_rom *rom) {
    int failures = 0;
    WITH_DENIALS(n) {
        ale_env *env = make_env(rom);
        failures += fails_cleanly(env, reload, n);
        ale_env_destroy(env);
    }
    return failures;
}

/* Resets that bring other rules into force. */
static int changed_rules(ale_rom *rom) {
    int failures = 0;
    WITH_DENIALS(n) {
        ale_env_options options = env_defaults();
        options.rules = ALE_BY_MODE;
        ale_env *env = env_of(rom, &options);
        CHECK_EQUAL(ale_env_set_mode(env, 2), ALE_OK);
        failures += fails_cleanly(env, ale_env_reset, n);
        ale_env_destroy(env);
    }
    return failures;
}

static int kept_and_shipped(ale_rom *rom) {
    ale_env *env = make_env(rom);
    ale_state *moment = state_of(env, 1);
    ale_state_info info = {.struct_size = sizeof info};
    CHECK_EQUAL(ale_state_describe(moment, &info), ALE_OK);
    const size_t size = info.serialized_size;
    uint8_t *bytes = malloc(size);
    if (!bytes || ale_state_serialize(moment, bytes, size) != ALE_OK) exit(1);
    int failures = 0;
    WITH_DENIALS(n) {
        ale_state *state[2] = {NULL, NULL};
        ale_status status[4];
        deny_after(n);
        for (int i = 0; i < 2; i++) status[i] = ale_state_create(&state[i]);
        status[2] = state[0] ? ale_env_save(env, 1, state[0]) : ALE_OK;
        status[3] = state[1] ? ale_state_deserialize(state[1], bytes, size) : ALE_OK;
        was_denied = stop_denying();
        for (int i = 0; i < 4; i++) {
            check_status(status[i]);
            failures += status[i] != ALE_OK;
        }
        for (int i = 0; i < 2; i++) {
            if (!state[i]) continue;
            CHECK_EQUAL(ale_state_describe(state[i], &info), ALE_OK);
            CHECK_EQUAL(info.empty, status[2 + i] != ALE_OK);
            CHECK(info.empty || equal_states(state[i], moment));
            CHECK_EQUAL(ale_env_restore(env, state[i]), info.empty ? ALE_BAD_STATE : ALE_OK);
            ale_state_destroy(state[i]);
        }
    }
    free(bytes);
    ale_state_destroy(moment);
    ale_env_destroy(env);
    return failures;
}

/* ---- Vectors ------------------------------------------------------------------------------------------- */

enum { ENVS = 4, IMAGE = 8, PLACES = IMAGE * IMAGE };

#define RESULT_BYTES PLACES
#include "results.h"

static results memory[3];

static ale_status create_vector(ale_rom *rom, int32_t affinity, ale_vector **vector) {
    ale_rom *const roms[ENVS] = {rom, rom, rom, rom};
    ale_vector_options options = vector_defaults();
    options.num_threads = 3;
    options.thread_affinity_offset = affinity;
    options.img_height = options.img_width = IMAGE;
    options.stack_num = 1;
    options.noop_max = options.use_fire_reset = 0;
    return ale_vector_create(roms, NULL, ENVS, &options, vector);
}

static ale_vector *make_vector(ale_rom *rom, int32_t affinity) {
    ale_vector *vector = NULL;
    need(create_vector(rom, affinity, &vector));
    return vector;
}

static void post(ale_vector *vector, int slot) {
    ale_batch batch = batch_of(&memory[slot]);
    CHECK_EQUAL(ale_vector_post(vector, &batch), ALE_OK);
}

static int made_vectors(ale_rom *rom) {
    int failures = 0;
    WITH_DENIALS(n) {
        ale_vector *vector = NULL;
        deny_after(n);
        ale_status status = create_vector(rom, -1, &vector);
        was_denied = stop_denying();
        check_status(status);
        CHECK((status == ALE_OK) == (vector != NULL));
        if (vector) { /* what is missing, is missed by none of its calls */
            const int32_t actions[ENVS] = {0}, from = 0, to = 1;
            ale_batch batch = batch_of(&memory[0]);
            post(vector, 0);
            CHECK_EQUAL(ale_vector_reset(vector, NULL, NULL), ALE_OK);
            CHECK_EQUAL(ale_vector_recv(vector), ALE_OK);
            CHECK_EQUAL(ale_vector_step(vector, actions, NULL, &batch), ALE_OK);
            CHECK_EQUAL(ale_vector_copy(vector, &from, &to, 1), ALE_OK);
        }
        ale_vector_destroy(vector);
        failures += status != ALE_OK;
    }
    return failures;
}

/* Threads that do not start are done without, but where all are needed: with an affinity the caller cannot
 * help, and sending does not wait. */
static void vector_plays_on(ale_rom *rom, int32_t affinity) {
    const int32_t actions[ENVS] = {0};
    WITH_DENIALS(n) {
        ale_vector *vector = make_vector(rom, affinity);
        size_t size[2];
        uint8_t *bytes[2];
        post(vector, 0);
        bytes[0] = save_vector(vector, &size[0]);
        deny_after(n);
        ale_status status = ale_vector_reset(vector, NULL, NULL);
        if (status == ALE_OK) status = ale_vector_recv(vector);
        was_denied = stop_denying();
        check_status(status);
        if (status != ALE_OK) {
            bytes[1] = save_vector(vector, &size[1]);
            CHECK(size[0] == size[1] && memcmp(bytes[0], bytes[1], size[0]) == 0);
            free(bytes[1]);
            CHECK_EQUAL(ale_vector_send(vector, actions, NULL), ALE_OUT_OF_ORDER);
            CHECK_EQUAL(ale_vector_reset(vector, NULL, NULL), ALE_OK);
            CHECK_EQUAL(ale_vector_recv(vector), ALE_OK);
        }
        free(bytes[0]);
        post(vector, 1);
        deny_after(n);
        status = ale_vector_send(vector, actions, NULL);
        bool denied_too = stop_denying();
        was_denied = was_denied || denied_too;
        check_status(status);
        if (status != ALE_OK) CHECK_EQUAL(ale_vector_send(vector, actions, NULL), ALE_OK);
        CHECK_EQUAL(ale_vector_recv(vector), ALE_OK);
        ale_vector_destroy(vector);
    }
}

static int saved_and_restored(ale_rom *rom) {
    int failures = 0;
    ale_vector *source = make_vector(rom, -1);
    const int32_t actions[ENVS] = {1, 1, 1, 1};
    post(source, 0);
    post(source, 1);
    CHECK_EQUAL(ale_vector_reset(source, NULL, NULL), ALE_OK);
    CHECK_EQUAL(ale_vector_recv(source), ALE_OK);
    CHECK_EQUAL(ale_vector_send(source, actions, NULL), ALE_OK); /* results are outstanding */
    size_t expected_size, size;
    uint8_t *expected = save_vector(source, &expected_size);
    WITH_DENIALS(n) {
        ale_vector *vector = make_vector(rom, -1);
        post(vector, 2);
        uint8_t *before = save_vector(vector, &size);
        uint8_t *after = malloc(expected_size);
        if (!after) exit(1);
        size_t after_size = 0;
        deny_after(n);
        ale_status save = ale_vector_save(source, after, expected_size, &after_size);
        ale_status status = ale_vector_restore(vector, expected, expected_size);
        was_denied = stop_denying();
        check_status(save);
        check_status(status);
        failures += (save != ALE_OK) + (status != ALE_OK);
        CHECK(save != ALE_OK || (after_size == expected_size && memcmp(after, expected, expected_size) == 0));
        free(after);
        after = save_vector(vector, &after_size);
        if (status == ALE_OK)
            CHECK(after_size == expected_size && memcmp(after, expected, expected_size) == 0);
        else
            CHECK(after_size == size && memcmp(after, before, size) == 0);
        free(after);
        free(before);
        ale_vector_destroy(vector);
    }
    free(expected);
    ale_vector_destroy(source);
    return failures;
}

/* The first environment, of whose picture more is to be known, for all. */
static int copied(ale_rom *busy) {
    const int32_t actions[ENVS] = {1}; /* FIRE */
    int failures = 0;
    WITH_DENIALS(n) {
        ale_vector *vector = make_vector(busy, -1);
        size_t size[2];
        uint8_t *bytes[2];
        post(vector, 0);
        CHECK_EQUAL(ale_vector_reset(vector, NULL, NULL), ALE_OK);
        CHECK_EQUAL(ale_vector_recv(vector), ALE_OK);
        post(vector, 1);
        CHECK_EQUAL(ale_vector_step(vector, actions, NULL, NULL), ALE_OK);
        bytes[0] = save_vector(vector, &size[0]);
        deny_after(n);
        ale_status status = ale_vector_copy(vector, (int32_t[]){0, 0, 0}, (int32_t[]){1, 2, 3}, 3);
        was_denied = stop_denying();
        check_status(status);
        bytes[1] = save_vector(vector, &size[1]);
        const bool same = size[0] == size[1] && memcmp(bytes[0], bytes[1], size[0]) == 0;
        CHECK_EQUAL(same, status != ALE_OK);
        failures += status != ALE_OK;
        for (int i = 0; i < 2; i++) free(bytes[i]);
        ale_vector_destroy(vector);
    }
    return failures;
}

/* Two stretches from the same state: what is missing fails the call, and the vector plays them afterwards. */
static int stretches_played(ale_rom *rom) {
    enum { STRETCHES = 2, STEPS = 3, ALL = STRETCHES * STEPS };
    static const int32_t actions[ALL];
    static const uint8_t observed[ALL];
    ale_vector *source = make_vector(rom, -1);
    post(source, 0);
    CHECK_EQUAL(ale_vector_reset(source, NULL, NULL), ALE_OK);
    CHECK_EQUAL(ale_vector_recv(source), ALE_OK);
    size_t size = 0;
    CHECK_EQUAL(ale_vector_save_env(source, 1, NULL, 0, &size), ALE_OK);
    uint8_t *state = malloc(size);
    if (!state || ale_vector_save_env(source, 1, state, size, &size) != ALE_OK) exit(1);
    ale_vector_destroy(source);
    uint8_t flags[2][ALL], seen[STRETCHES][PLACES];
    int32_t rewards[ALL];
    uint32_t played[STRETCHES];
    const ale_stretches stretches = {
        .struct_size = sizeof stretches,
        .count = STRETCHES,
        .states = (const void *[]){state, state},
        .sizes = (const size_t[]){size, size},
        .steps = (const uint32_t[]){STEPS, STEPS},
        .observations = (uint8_t *[]){seen[0], seen[1]},
        .played = played,
        .actions = actions,
        .observed = observed,
        .rewards = rewards,
        .terminations = flags[0],
        .truncations = flags[1],
    };
    int failures = 0;
    WITH_DENIALS(n) {
        ale_vector *vector = make_vector(rom, -1);
        deny_after(n);
        ale_status status = ale_vector_play(vector, &stretches);
        was_denied = stop_denying();
        check_status(status);
        failures += status != ALE_OK;
        CHECK_EQUAL(ale_vector_play(vector, &stretches), ALE_OK);
        CHECK(played[0] == STEPS && played[1] == STEPS);
        ale_vector_destroy(vector);
    }
    free(state);
    return failures;
}

int main(void) {
    ale_rom *rom = make_rom(test_rom), *busy = make_rom(busy_test_rom);
    /* Each of these needs some memory, without which it must have failed. */
    CHECK_EQUAL(made_cards(), 3);
    CHECK(made_roms() > 1);
    CHECK(made_environments(rom) > 2);
    RUN(played(rom));
    RUN(played(busy));
    CHECK_EQUAL(taken_over(busy), 2);
    CHECK(reloaded(rom) > 2);
    ale_rom *several = make_rom_of_several();
    CHECK(changed_rules(several) > 2);
    ale_rom_release(several);
    CHECK_EQUAL(kept_and_shipped(rom), 4);
    CHECK(made_vectors(rom) > 10);
    RUN(vector_plays_on(rom, -1));
    RUN(vector_plays_on(rom, 0));
    const int pictures = engine_is_wide() ? ENVS : 0; /* made of logs when they are saved */
    CHECK_EQUAL(saved_and_restored(rom), 3 + pictures);
    CHECK_EQUAL(copied(busy), 2);
    CHECK(stretches_played(rom) >= 4); /* two for the call, two or more for the states */
    ale_rom_release(rom);
    ale_rom_release(busy);
    return check_failures;
}
