/* options.frame_limit: after calls that are stopped, from the start and by another thread while they run, environments
 * and vectors must be reset; memory that no machine has is refused at once. */
#include <ale/ale.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/os.h"
#include "small.h"

enum { MANY = UINT16_MAX, ENVS = 5, IMAGE = 8 };

static uint32_t limit;

static ale_status make_env(ale_rom *rom, ale_rules rules, uint32_t frame_skip, ale_env **env) {
    ale_env_options options = env_defaults();
    options.rules = (int32_t)rules;
    options.frame_skip = frame_skip;
    options.sound = 1;
    options.frame_limit = &limit;
    return ale_env_create(rom, &options, env);
}

/* ---- Environments -------------------------------------------------------------------------------------- */

enum { SCREEN = 160 * 210 };

/* All that can be seen and saved of an environment. */
typedef struct sight {
    ale_report report;
    uint8_t ram[ALE_RAM_SIZE], audio[ALE_AUDIO_SIZE], screen[SCREEN];
    ale_state *state;
} sight;

static sight look(ale_env *env) {
    sight s = {.report = *ale_env_report(env)};
    memcpy(s.ram, ale_env_ram(env), sizeof s.ram);
    memcpy(s.audio, ale_env_audio(env), sizeof s.audio);
    CHECK_EQUAL(ale_env_screen(env, ALE_INDEXED, s.screen, SCREEN), ALE_OK);
    CHECK_EQUAL(ale_state_create(&s.state), ALE_OK);
    CHECK_EQUAL(ale_env_save(env, 1, s.state), ALE_OK);
    return s;
}

static bool same(const sight *a, const sight *b) {
    uint32_t equal = 0;
    CHECK_EQUAL(ale_state_equal(a->state, b->state, &equal), ALE_OK);
    return equal && memcmp(&a->report, &b->report, sizeof a->report) == 0 &&
           memcmp(a->ram, b->ram, sizeof a->ram) == 0 && memcmp(a->audio, b->audio, sizeof a->audio) == 0 &&
           memcmp(a->screen, b->screen, sizeof a->screen) == 0;
}

static const int32_t hands[ALE_MAX_PLAYERS] = {ALE_RIGHT, ALE_FIRE, 0, 0};

typedef enum call { RESET, RELOAD, ACT, STEP, CALLS } call;

static ale_status make_call(ale_env *env, call which, uint32_t repeat) {
    static uint8_t pixels[SCREEN];
    const ale_screens screens = {.struct_size = sizeof screens, .count = 1, .size = SCREEN, .out = {pixels}};
    const uint32_t players = (uint32_t)ale_env_report(env)->players;
    switch (which) {
        case RESET: return ale_env_reset(env);
        case RELOAD: return ale_env_reload(env, 7);
        case ACT: return ale_env_act(env, hands, NULL, players, repeat);
        default: return ale_env_step(env, hands, NULL, players, repeat, &screens);
    }
}

/* After a call that was stopped, what would go on from there is refused. */
static void nothing_goes_on(ale_env *env, ale_env *twin, ale_state *state) {
    static uint8_t screen[SCREEN];
    const ale_status statuses[] = {
        make_call(env, ACT, 1),
        make_call(env, STEP, 1),
        ale_env_set_mode(env, ale_env_report(env)->mode),
        ale_env_set_difficulty(env, 0),
        ale_env_set_ram(env, 0, 0),
        ale_env_screen(env, ALE_INDEXED, screen, SCREEN),
        ale_env_save(env, 1, state),
        ale_env_copy(twin, env),
    };
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) CHECK_EQUAL(statuses[i], ALE_INTERRUPTED);
    CHECK(!ale_env_screen_indices(env));
    CHECK(strstr(ale_last_error(), "reset the environment") != NULL);
    CHECK(ale_env_act_alone(env, 0, 1) == INT64_MIN + ALE_INTERRUPTED);
}

static void stopped_environments_are_reset(ale_rom *rom, ale_rules rules) {
    ale_env *env = NULL, *twin = NULL;
    for (limit = 0; limit < 60; limit += 20) CHECK_EQUAL(make_env(rom, rules, 3, &env), ALE_STOPPED);
    CHECK(env == NULL);
    ale_set_frame_limit(&limit, UINT32_MAX);
    CHECK_EQUAL(make_env(rom, rules, 3, &env), ALE_OK);
    CHECK_EQUAL(make_env(rom, rules, 3, &twin), ALE_OK);
    ale_state *unused = new_state();
    if (!env || !twin) return;
    for (call which = RESET; which < CALLS; which++) {
        for (uint32_t frames = 0; frames < 64; frames = 2 * frames + 1) {
            ale_set_frame_limit(&limit, frames);
            const sight before = look(twin);
            CHECK_EQUAL(make_call(env, which, MANY), ALE_STOPPED);
            CHECK(strstr(ale_last_error(), "frame_limit") != NULL);
            nothing_goes_on(env, twin, unused);
            ale_set_frame_limit(&limit, UINT32_MAX);
            switch (frames % 3) { /* each of which ends it */
                case 0: CHECK_EQUAL(ale_env_restore(env, before.state), ALE_OK); break;
                case 1: CHECK_EQUAL(ale_env_copy(env, twin), ALE_OK); break;
                default:
                    CHECK_EQUAL(make_call(env, RESET, 0), ALE_OK);
                    CHECK_EQUAL(make_call(env, RELOAD, 0), ALE_OK);
                    CHECK_EQUAL(make_call(twin, RELOAD, 0), ALE_OK);
            }
            CHECK_EQUAL(make_call(env, ACT, 30), ALE_OK);
            CHECK_EQUAL(make_call(twin, ACT, 30), ALE_OK);
            sight mine = look(env), other = look(twin);
            CHECK(same(&mine, &other));
            ale_state_destroy(mine.state), ale_state_destroy(other.state), ale_state_destroy(before.state);
        }
    }
    ale_set_frame_limit(&limit, 0); /* a failed reset leaves it so */
    CHECK_EQUAL(make_call(env, ACT, 1), ALE_STOPPED);
    CHECK_EQUAL(make_call(env, RESET, 0), ALE_STOPPED);
    CHECK_EQUAL(make_call(env, ACT, 1), ALE_INTERRUPTED);
    ale_state_destroy(unused);
    ale_env_destroy(env);
    ale_env_destroy(twin);
}

/* ---- From another thread ------------------------------------------------------------------------------- */

static atomic_bool done;

/* Again and again: nobody knows when the call begins. */
static void *stop_calls(void *unused) {
    while (!atomic_load(&done)) ale_set_frame_limit(&limit, 0), os_yield();
    return unused;
}

static void a_thread_stops_calls(ale_rom *rom) {
    os_thread thread;
    ale_env *env = NULL;
    ale_set_frame_limit(&limit, UINT32_MAX);
    CHECK_EQUAL(make_env(rom, ALE_SOLO, ALE_MAX_FRAME_SKIP, &env), ALE_OK);
    atomic_store(&done, false);
    if (os_thread_start(&thread, stop_calls, NULL)) {
        CHECK_EQUAL(make_call(env, ACT, UINT32_MAX), ALE_STOPPED); /* years of playing */
        atomic_store(&done, true);
        os_thread_join(thread);
        CHECK_EQUAL(make_call(env, ACT, 1), ALE_INTERRUPTED);
    }
    ale_env_destroy(env);
}

/* ---- Vectors ------------------------------------------------------------------------------------------- */

static uint8_t observations[2][ENVS * IMAGE * IMAGE * 4], flags[2 * ENVS];
static int32_t numbers[5][ENVS];

static ale_batch batch_of(int which) {
    return (ale_batch){.struct_size = sizeof(ale_batch), .observations = observations[which], .rewards = numbers[0],
                       .terminations = flags, .truncations = flags + ENVS, .env_ids = numbers[1],
                       .lives = numbers[2], .frame_numbers = numbers[3], .episode_frame_numbers = numbers[4]};
}

static ale_vector *make_vector(ale_rom *rom, uint32_t threads, uint32_t noop_max) {
    ale_vector_options options = vector_defaults();
    options.num_threads = threads;
    options.img_height = options.img_width = IMAGE;
    options.frame_skip = ALE_MAX_FRAME_SKIP;
    options.noop_max = noop_max;
    options.patience_ms = 1;
    options.frame_limit = &limit;
    ale_rom *roms[ENVS];
    for (int i = 0; i < ENVS; i++) roms[i] = rom;
    ale_vector *v = NULL;
    ale_set_frame_limit(&limit, 0);
    CHECK_EQUAL(ale_vector_create(roms, NULL, ENVS, &options, &v), ALE_STOPPED);
    ale_set_frame_limit(&limit, UINT32_MAX);
    CHECK_EQUAL(ale_vector_create(roms, NULL, ENVS, &options, &v), ALE_OK);
    return v;
}

static ale_status wait_for(ale_vector *v) {
    ale_status status;
    do status = ale_vector_recv(v);
    while (status == ALE_UNFINISHED);
    return status;
}

static void reset_all(ale_vector *v) {
    static const int64_t seeds[ENVS] = {1, 2, 3, 4, 5};
    CHECK_EQUAL(ale_vector_reset(v, NULL, seeds), ALE_OK);
    CHECK_EQUAL(wait_for(v), ALE_OK);
}

static void stopped_vectors_are_reset(ale_rom *rom, uint32_t threads) {
    static const int32_t actions[ENVS];
    static const uint8_t one[ENVS] = {1};
    ale_vector *v = make_vector(rom, threads, 30);
    if (!v) return;
    const ale_batch first = batch_of(0), second = batch_of(1);
    size_t size;
    CHECK_EQUAL(ale_vector_post(v, &first), ALE_OK);
    reset_all(v);
    CHECK_EQUAL(ale_vector_post(v, &second), ALE_OK);
    CHECK_EQUAL(ale_vector_send(v, actions, NULL), ALE_OK);
    ale_set_frame_limit(&limit, 0);
    CHECK_EQUAL(wait_for(v), ALE_STOPPED);
    ale_set_frame_limit(&limit, UINT32_MAX);
    CHECK_EQUAL(ale_vector_post(v, &second), ALE_OK);
    CHECK_EQUAL(ale_vector_send(v, actions, NULL), ALE_OUT_OF_ORDER);
    CHECK_EQUAL(ale_vector_reset(v, one, NULL), ALE_OUT_OF_ORDER);
    CHECK_EQUAL(ale_vector_save(v, NULL, 0, &size), ALE_OUT_OF_ORDER);
    reset_all(v);
    CHECK(memcmp(observations[0], observations[1], sizeof observations[0]) == 0);
    CHECK_EQUAL(ale_vector_save(v, NULL, 0, &size), ALE_OK);
    ale_vector_destroy(v);
}

/* What is under way in the vector is not waited for longer than patience lasts. */
static void waiting_has_patience(ale_rom *rom) {
    ale_vector *v = make_vector(rom, 2, ALE_MAX_NOOPS);
    if (!v) return;
    const ale_batch batch = batch_of(0);
    CHECK_EQUAL(ale_vector_post(v, &batch), ALE_OK);
    CHECK_EQUAL(ale_vector_reset(v, NULL, NULL), ALE_OK);
    CHECK_EQUAL(ale_vector_recv(v), ALE_UNFINISHED);
    CHECK_EQUAL(ale_vector_wait(v), ALE_UNFINISHED);
    ale_set_frame_limit(&limit, 0);
    while (ale_vector_wait(v) == ALE_UNFINISHED) continue;
    CHECK_EQUAL(ale_vector_wait(v), ALE_OK);
    CHECK_EQUAL(ale_vector_recv(v), ALE_STOPPED);
    ale_vector_destroy(v);
}

static void impossible_sizes_are_refused(void) {
    ale_vector_options options = vector_defaults();
    CHECK_EQUAL(ale_vector_check(NULL, 1), ALE_OK);
    CHECK_EQUAL(ale_vector_check(&options, 0), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(ale_vector_check(&options, UINT32_MAX), ALE_INVALID_ARGUMENT);
    if (!os_memory()) return;
    options.stack_num = 1024;
    options.img_height = options.img_width = 4096;
    CHECK_EQUAL(ale_vector_check(&options, INT32_MAX), ALE_OUT_OF_MEMORY);
    CHECK(strstr(ale_last_error(), "2147483647 environments need at least") != NULL);
    options.frame_skip = 0;
    CHECK_EQUAL(ale_vector_check(&options, INT32_MAX), ALE_INVALID_ARGUMENT);
}

int main(void) {
    ale_rom *rom = make_test_rom("", NULL, NULL);
    RUN(stopped_environments_are_reset(rom, ALE_SOLO));
    RUN(stopped_environments_are_reset(rom, ALE_MULTI));
    RUN(a_thread_stops_calls(rom));
    for (uint32_t threads = 1; threads <= 2; threads++) stopped_vectors_are_reset(rom, threads);
    RUN(waiting_has_patience(rom));
    RUN(impossible_sizes_are_refused());
    ale_rom_release(rom);
    return check_failures;
}
