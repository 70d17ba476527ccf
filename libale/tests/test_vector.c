/* Vectors: results that do not depend on threads and batches, calls out of order, snapshots, copies, and long
 * random sequences of calls for the thread sanitizer to watch. */
#include <ale/ale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "loops.h"
#include "numbers.h"
#include "small.h"
#include "support/os.h"
#include "vector/vector.h"

enum { ENVS = 6, IMAGE = 12, STACK = 2, FRAME = IMAGE * IMAGE, MOST_BATCHES = ENVS + 1 };

#define RESULT_BYTES (STACK * FRAME)
#define RESULTS_ARE_FULL
#include "results.h"

static uint32_t random_state = 1;
static uint32_t random_below(uint32_t limit) { return next_random(&random_state) % limit; }

/* ---- Vectors ------------------------------------------------------------------------------------------- */

static ale_rom *make_rom(const char *game) {
    uint8_t image[TEST_ROM_SIZE];
    test_rom(image);
    return small_rom(image, game);
}

static ale_vector_options small_options(void) { return small_options_of(IMAGE, STACK, 40); }

/* A running digest of what became of each environment. */
typedef struct histories {
    uint32_t digest[ENVS];
    int steps[ENVS];
} histories;

static void mix(uint32_t *digest, const void *bytes, size_t size) {
    *digest = (*digest * 31) ^ crc32(bytes, size);
}

static void note(histories *h, const results *r, uint32_t row) {
    uint32_t *digest = &h->digest[r->env_ids[row]];
    h->steps[r->env_ids[row]]++;
    mix(digest, r->observations[row], sizeof r->observations[row]);
    mix(digest, r->ram[row], sizeof r->ram[row]);
    mix(digest, &r->rewards[row], sizeof r->rewards[row]);
    mix(digest, &r->terminations[row], 1);
    mix(digest, &r->truncations[row], 1);
    mix(digest, &r->episode_frames[row], sizeof r->episode_frames[row]);
}

static void note_all(histories *h, const results *r) {
    for (uint32_t row = 0; row < ENVS; row++) note(h, r, row);
}

/* Play with some loops until every environment has given `steps` results, noting no more than these. */
static void play_by(const engine_loops *loops, ale_rom *rom, ale_vector_options options, int steps, histories *h) {
    static results memory[MOST_BATCHES];
    ale_vector *vector = vector_of(rom, &options);
    use_loops_in_all(vector, loops);
    way_choice way = {0};
    if (loops) use_way_in_all(vector, &way);
    const uint32_t size = options.batch_size ? options.batch_size : ENVS;
    const uint32_t depth = (ENVS + size - 1) / size;
    memset(h, 0, sizeof *h);
    const int64_t seeds[ENVS] = {5, 6, 7, 8, 9, 10};
    uint32_t posted = 0, received = 0;
    for (; posted < depth; posted++) {
        ale_batch batch = full_batch_of(&memory[posted % MOST_BATCHES]);
        CHECK_EQUAL(ale_vector_post(vector, &batch), ALE_OK);
    }
    CHECK_EQUAL(ale_vector_reset(vector, NULL, seeds), ALE_OK);
    for (bool done = false; !done;) {
        ale_status status;
        do status = ale_vector_recv(vector);
        while (status == ALE_UNFINISHED);
        CHECK_EQUAL(status, ALE_OK);
        const results *r = &memory[received++ % MOST_BATCHES];
        int32_t actions[ENVS];
        atomic_store(&way.faster, received / 3 % 3 == 2); /* every third batch or so from screens */
        for (uint32_t row = 0; row < size; row++) {
            int32_t id = r->env_ids[row];
            actions[row] = (id + h->steps[id] / 2) % ALE_ACTION_COUNT;
            if (h->steps[id] < steps) note(h, r, row);
        }
        done = true;
        for (int id = 0; id < ENVS; id++) done = done && h->steps[id] >= steps;
        ale_batch batch = full_batch_of(&memory[posted++ % MOST_BATCHES]);
        CHECK_EQUAL(ale_vector_post(vector, &batch), ALE_OK);
        CHECK_EQUAL(ale_vector_send(vector, actions, NULL), ALE_OK);
    }
    ale_vector_destroy(vector); /* while some are playing */
}

static void play(ale_rom *rom, ale_vector_options options, int steps, histories *h) {
    play_by(NULL, rom, options, steps, h);
}

static void test_threads_and_batches_do_not_matter(ale_rom *rom) {
    ale_vector_options options = small_options();
    options.num_threads = 1;
    histories expected, h;
    play(rom, options, 40, &expected);
    CHECK(expected.digest[0] != expected.digest[1]);
    for (uint32_t batch = 1; batch <= ENVS; batch++)
        for (uint32_t threads = 1; threads <= batch; threads += 2) {
            options.batch_size = batch;
            options.num_threads = threads;
            options.patience_ms = threads == 1 ? 1 : 0;
            options.thread_affinity_offset = batch == 3 ? 0 : -1;
            play(rom, options, 40, &h);
            CHECK(memcmp(h.digest, expected.digest, sizeof h.digest) == 0);
        }
}

/* Each environment's future follows from its own actions, whenever and with whomever these are sent. */
static void test_actions_for_some(ale_rom *rom) {
    enum { STEPS = 40 };
    static results memory[MOST_BATCHES];
    for (uint32_t size = 1; size <= ENVS; size++) {
        ale_vector_options options = small_options();
        options.batch_size = size;
        options.num_threads = 2;
        histories expected, h = {0};
        play(rom, options, STEPS, &expected);
        ale_vector *vector = vector_of(rom, &options);
        const int32_t none[2] = {0}, wrong[2] = {ALE_ACTION_COUNT};
        CHECK_EQUAL(ale_vector_send_to(vector, none, 1, none, NULL), ALE_OUT_OF_ORDER);
        uint32_t posted = 0, received = 0, behind = ENVS; /* how many have fewer results than they must */
        for (; posted < (ENVS + size - 1) / size; posted++) {
            ale_batch batch = full_batch_of(&memory[posted % MOST_BATCHES]);
            CHECK_EQUAL(ale_vector_post(vector, &batch), ALE_OK);
        }
        CHECK_EQUAL(ale_vector_reset(vector, NULL, (const int64_t[ENVS]){5, 6, 7, 8, 9, 10}), ALE_OK);
        bool plays[ENVS] = {true, true, true, true, true, true};
        for (uint32_t outstanding = ENVS; behind;) {
            int32_t ids[ENVS], actions[ENVS];
            uint32_t count = 0;
            for (int32_t id = ENVS; id-- > 0;) {
                if (plays[id] || random_below(3) == 0) continue;
                actions[count] = (id + (h.steps[id] - 1) / 2) % ALE_ACTION_COUNT;
                ids[count++] = id;
            }
            if (count && (outstanding < size || random_below(2))) {
                CHECK_EQUAL(ale_vector_send_to(vector, (int32_t[]){ids[0], ids[0]}, 2, none, NULL), ALE_OUT_OF_ORDER);
                if (h.steps[ids[0]] == 1)
                    CHECK_EQUAL(ale_vector_send_to(vector, ids, 1, wrong, NULL), ALE_BAD_ACTION);
                CHECK_EQUAL(ale_vector_send_to(vector, ids, count, actions, NULL), ALE_OK);
                CHECK_EQUAL(ale_vector_send_to(vector, ids, 1, actions, NULL), ALE_OUT_OF_ORDER);
                for (uint32_t i = 0; i < count; i++) plays[ids[i]] = true;
                outstanding += size < ENVS ? count : ENVS; /* in whole batches the others stand still */
            }
            if (outstanding < size) continue;
            CHECK_EQUAL(ale_vector_recv(vector), ALE_OK);
            const results *r = &memory[received++ % MOST_BATCHES];
            outstanding -= size;
            for (uint32_t row = 0; row < size; row++) {
                const int32_t id = r->env_ids[row];
                if (!plays[id]) CHECK(!r->rewards[row] && !r->terminations[row] && !r->truncations[row]);
                if (plays[id] && h.steps[id] < STEPS) {
                    note(&h, r, row);
                    behind -= h.steps[id] == STEPS;
                }
                plays[id] = false;
            }
            ale_batch batch = full_batch_of(&memory[posted++ % MOST_BATCHES]);
            CHECK_EQUAL(ale_vector_post(vector, &batch), ALE_OK);
        }
        CHECK(memcmp(h.digest, expected.digest, sizeof h.digest) == 0);
        ale_vector_destroy(vector);
    }
}

/* Gray pictures by the engine, and by the other ways: of one frame or more, of each size, also where episodes end in
 * the middle of a step. */
static void test_engine_changes_nothing(ale_rom *rom) {
    histories expected, h;
    for (uint32_t i = 0; i < 16; i++) {
        ale_vector_options options = small_options();
        options.frame_skip = 1 + i % 5;
        options.maxpool = i / 2 % 2;
        options.autoreset = i / 4 % 2 ? ALE_SAME_STEP : ALE_NEXT_STEP;
        options.max_num_frames_per_episode = 11 + (int32_t)i;
        options.fast_paths = ALE_FAST_ALL & ~ALE_FAST_ENGINE;
        play(rom, options, 40, &expected);
        options.fast_paths = ALE_FAST_ALL;
        for (int n = 0; engine_loops_number(n); n++) {
            play_by(engine_loops_number(n), rom, options, 40, &h);
            CHECK(memcmp(h.digest, expected.digest, sizeof h.digest) == 0);
        }
    }
}

/* The way to gray pictures is found out while several threads play, each at its own pace. */
static void test_trials_change_nothing(ale_rom *rom) {
    enum { STEPS = 2 * CHOICE_FIRST + CHOICE_TRIAL };
    histories expected, h;
    ale_vector_options options = small_options();
    options.num_threads = 1;
    options.fast_paths = ALE_FAST_ALL & ~ALE_FAST_ENGINE;
    play(rom, options, STEPS, &expected);
    options.fast_paths = ALE_FAST_ALL;
    for (uint32_t batch = 1; batch <= ENVS; batch++) {
        options.batch_size = batch;
        options.num_threads = batch < 3 ? batch : 3;
        play(rom, options, STEPS, &h);
        CHECK(memcmp(h.digest, expected.digest, sizeof h.digest) == 0);
    }
}

/* Of many sub-environments of a ROM one leads trials, and a few others try as well; another ROM has its own. */
static void test_who_tries(ale_rom *rom, ale_rom *other) {
    enum { COUNT = CHOICE_TRIERS + 4, FIRST = CHOICE_TRIERS + 2 };
    if (!engine_is_wide()) return;
    ale_rom *roms[COUNT];
    for (int i = 0; i < COUNT; i++) roms[i] = i < FIRST ? rom : other;
    const ale_vector_options options = small_options();
    ale_vector *vector = vector_from(roms, NULL, COUNT, &options);
    for (int i = 0; i < COUNT; i++) {
        const log_frames *g = &vector->sub_envs[i].preprocess.log;
        const bool leads = i == 0 || i == FIRST, tries = i < CHOICE_TRIERS || i >= FIRST;
        CHECK_EQUAL(g->part, leads ? GRAY_LEADS : tries ? GRAY_TRIES : GRAY_FOLLOWS);
        CHECK(g->ways == vector->sub_envs[i < FIRST ? 0 : FIRST].preprocess.log.ways);
    }
    ale_vector_destroy(vector);
}

static void test_same_step(ale_rom *rom) {
    static results r;
    ale_vector_options options = small_options();
    options.autoreset = ALE_SAME_STEP;
    ale_vector *vector = vector_of(rom, &options);
    ale_batch batch = full_batch_of(&r);
    const int32_t actions[ENVS] = {0};
    uint8_t before[STACK * FRAME];
    begin_all(vector, &batch, NULL);
    for (int step = 1; step <= 25; step++) {
        memcpy(before, r.observations[2], sizeof before);
        CHECK_EQUAL(ale_vector_step(vector, actions, NULL, &batch), ALE_OK);
        CHECK_EQUAL(r.truncations[2], step % 10 == 0);
        /* The last step of an episode shows its last but one observation again, and then a new episode. */
        if (step % 10 != 0) continue;
        CHECK(memcmp(r.final_observations[2] + FRAME, before + FRAME, FRAME) == 0);
        uint8_t black[FRAME] = {0};
        CHECK(memcmp(r.observations[2], black, FRAME) == 0);
    }
    ale_vector_destroy(vector);
}

typedef struct caller {
    ale_vector *vector;
    results *memory;
    int done, refused, others;
} caller;

static void *step_along(void *argument) {
    caller *me = argument;
    ale_batch batch = full_batch_of(me->memory);
    const int32_t actions[ENVS] = {0};
    for (int i = 0; i < 200; i++) {
        ale_status status = ale_vector_step(me->vector, actions, NULL, &batch);
        me->done += status == ALE_OK;
        me->refused += status == ALE_OUT_OF_ORDER;
        me->others += status != ALE_OK && status != ALE_OUT_OF_ORDER;
    }
    return NULL;
}

/* Calls of two threads at once: each is refused or carried out. */
static void test_two_callers(ale_rom *rom) {
    static results r[2];
    ale_vector_options options = small_options();
    options.num_threads = 2;
    ale_vector *vector = vector_of(rom, &options);
    ale_batch batch = full_batch_of(&r[0]);
    begin_all(vector, &batch, NULL);
    caller here = {.vector = vector, .memory = &r[0]}, there = {.vector = vector, .memory = &r[1]};
    os_thread thread;
    CHECK(os_thread_start(&thread, step_along, &there));
    step_along(&here);
    os_thread_join(thread);
    CHECK_EQUAL(here.done + here.refused, 200);
    CHECK_EQUAL(there.done + there.refused, 200);
    CHECK(here.done + there.done > 0);
    const int32_t actions[ENVS] = {0};
    CHECK_EQUAL(ale_vector_step(vector, actions, NULL, &batch), ALE_OK);
    ale_vector_destroy(vector);
}

static void test_calls_out_of_order(ale_rom *rom) {
    static results r;
    ale_vector_options options = small_options();
    options.autoreset = ALE_NO_RESET;
    ale_vector *vector = vector_of(rom, &options);
    ale_batch batch = full_batch_of(&r);
    int32_t actions[ENVS] = {0};
    uint8_t mask[ENVS] = {1, 0, 0, 1};
    CHECK_EQUAL(ale_vector_recv(vector), ALE_OUT_OF_ORDER);
    CHECK_EQUAL(ale_vector_send(vector, actions, NULL), ALE_OUT_OF_ORDER);
    CHECK_EQUAL(ale_vector_reset(vector, NULL, NULL), ALE_OUT_OF_ORDER); /* nothing posted */
    CHECK_EQUAL(ale_vector_post(vector, &batch), ALE_OK);
    CHECK_EQUAL(ale_vector_reset(vector, mask, NULL), ALE_OUT_OF_ORDER);
    const int64_t seeds[ENVS] = {INT64_C(1) << 32};
    CHECK_EQUAL(ale_vector_reset(vector, NULL, seeds), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(ale_vector_reset(vector, NULL, NULL), ALE_OK);
    CHECK_EQUAL(ale_vector_send(vector, actions, NULL), ALE_OUT_OF_ORDER);
    CHECK_EQUAL(ale_vector_reset(vector, NULL, NULL), ALE_OK); /* discards */
    CHECK_EQUAL(ale_vector_recv(vector), ALE_OK);
    CHECK_EQUAL(ale_vector_recv(vector), ALE_OUT_OF_ORDER);
    CHECK_EQUAL(ale_vector_post(vector, &batch), ALE_OK);
    CHECK_EQUAL(ale_vector_send(vector, actions, NULL), ALE_OK);
    CHECK_EQUAL(ale_vector_discard(vector), ALE_OK);
    CHECK_EQUAL(ale_vector_recv(vector), ALE_OUT_OF_ORDER);
    CHECK_EQUAL(ale_vector_step(vector, actions, NULL, &batch), ALE_OUT_OF_ORDER); /* reset first */
    CHECK_EQUAL(ale_vector_reset(vector, NULL, NULL), ALE_OUT_OF_ORDER);           /* nothing posted */
    CHECK_EQUAL(ale_vector_post(vector, &batch), ALE_OK);
    CHECK_EQUAL(ale_vector_reset(vector, mask, NULL), ALE_OUT_OF_ORDER);
    CHECK_EQUAL(ale_vector_reset(vector, NULL, NULL), ALE_OK);
    CHECK_EQUAL(ale_vector_recv(vector), ALE_OK);
    actions[4] = ALE_ACTION_COUNT;
    CHECK_EQUAL(ale_vector_step(vector, actions, NULL, &batch), ALE_BAD_ACTION);
    CHECK(strstr(ale_last_error(), "actions[4] is 18; environment 4"));
    actions[4] = -1;
    CHECK_EQUAL(ale_vector_step(vector, actions, NULL, &batch), ALE_BAD_ACTION);
    actions[4] = 0;
    ale_vector_info info = {.struct_size = sizeof info};
    CHECK_EQUAL(ale_vector_describe(vector, &info), ALE_OK);
    CHECK_EQUAL(info.posted, 0);
    CHECK_EQUAL(info.outstanding, 0);
    CHECK_EQUAL(info.received, 2);
    CHECK_EQUAL(info.observation_size, STACK * FRAME);
    for (int step = 0; step < 10; step++) CHECK_EQUAL(ale_vector_step(vector, actions, NULL, &batch), ALE_OK);
    CHECK_EQUAL(r.truncations[1], 1);
    CHECK_EQUAL(ale_vector_step(vector, actions, NULL, &batch), ALE_OUT_OF_ORDER);
    memset(mask, 1, sizeof mask);
    mask[5] = 0;
    CHECK_EQUAL(ale_vector_post(vector, &batch), ALE_OK);
    CHECK_EQUAL(ale_vector_reset(vector, mask, NULL), ALE_OK);
    CHECK_EQUAL(ale_vector_recv(vector), ALE_OK);
    CHECK_EQUAL(ale_vector_step(vector, actions, NULL, &batch), ALE_OUT_OF_ORDER); /* because of 5 */
    batch.rewards = NULL;
    CHECK_EQUAL(ale_vector_post(vector, &batch), ALE_INVALID_ARGUMENT);
    batch = full_batch_of(&r);
    batch.sound = r.ram[0];
    CHECK_EQUAL(ale_vector_post(vector, &batch), ALE_INVALID_ARGUMENT);
    CHECK(ale_vector_env(vector, ENVS) == NULL);
    CHECK(ale_vector_env(vector, 0) != NULL);
    CHECK(!atomic_flag_test_and_set(&vector->in_use)); /* as if another thread's call were running */
    CHECK(ale_vector_env(vector, 0) == NULL);
    CHECK(strstr(ale_last_error(), "in use by another call"));
    atomic_flag_clear(&vector->in_use);
    vector->process++; /* as if this were a forked child */
    CHECK(ale_vector_env(vector, 0) == NULL);
    CHECK(strstr(ale_last_error(), "fork"));
    vector->process--;
    CHECK_EQUAL(ale_vector_select(vector, 0, 5, 0), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(ale_vector_select(vector, ENVS, 0, 0), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(ale_vector_select(vector, 0, 0, 1), ALE_OK);
    ale_vector_destroy(vector);
}

static bool never_select(const game_rules *rules, game_state *state, game_control *control, int mode) {
    (void)rules, (void)state, (void)control, (void)mode;
    return false;
}

/* A cartridge that does not show its mode: an error of a worker, which reaches the caller. */
static void test_failing_environment(ale_rom *rom) {
    static results r;
    ale_vector_options options = small_options();
    options.num_threads = 2;
    ale_vector *vector = vector_of(rom, &options);
    game_rules stubborn = *vector->sub_envs[3].env->rules;
    stubborn.select_mode = never_select;
    vector->sub_envs[3].env->rules = &stubborn, vector->sub_envs[3].cache = NULL; /* which are of the others' rules */
    ale_batch batch = full_batch_of(&r);
    CHECK_EQUAL(ale_vector_post(vector, &batch), ALE_OK);
    CHECK_EQUAL(ale_vector_reset(vector, NULL, NULL), ALE_OK);
    CHECK_EQUAL(ale_vector_recv(vector), ALE_MODE_NOT_REACHED);
    CHECK(strstr(ale_last_error(), "environment 3: "));
    const int32_t actions[ENVS] = {0};
    CHECK_EQUAL(ale_vector_step(vector, actions, NULL, &batch), ALE_OK); /* all go on */
    ale_vector_destroy(vector);
}

/* ---- Players' own observations ------------------------------------------------------------------------- */

static game_sides sides(int mode) {
    return (game_sides){.mirrored = mode == 1 ? SECOND_AND_FOURTH_MIRRORED : 0, .turned = true};
}

/* What four players see of a stack, and what their actions mean, by rules for which two of them are on the other
 * side.  The vector is made for one player: no cartridge of a game is needed. */
static void test_views(ale_rom *rom, int32_t observation, size_t planes) {
    enum { PLAYERS = 4 };
    static uint8_t seen[PLAYERS][STACK + PLAYERS][3 * FRAME], last[sizeof seen];
    ale_vector_options options = small_options();
    options.observation = observation;
    options.autoreset = ALE_SAME_STEP;
    ale_vector *vector = vector_from(&rom, NULL, 1, &options);
    sub_env *e = vector->sub_envs;
    static const uint16_t modes[] = {1, 2};
    game_rules rules = *e->env->rules;
    rules.modes[PLAYERS - 1].list = modes;
    rules.modes[PLAYERS - 1].count = 2;
    rules.sides = sides;
    e->env->rules = &rules;
    e->env->s.mode = e->s.mode = 1;
    vector->options.players = PLAYERS;
    vector->options.agent_indicator = vector->options.mirror = 1;
    const size_t frame = planes * FRAME, view = (STACK + PLAYERS) * frame;
    ale_vector_info info = {.struct_size = sizeof info};
    CHECK_EQUAL(ale_vector_describe(vector, &info), ALE_OK);
    CHECK_EQUAL(info.observation_size, PLAYERS * view);

    int32_t numbers[4][PLAYERS];
    uint8_t flags[PLAYERS];
    const ale_batch batch = {
        .observations = seen[0][0],
        .rewards = numbers[0],
        .terminations = flags,
        .truncations = &flags[0],
        .lives = numbers[1],
        .frame_numbers = numbers[2],
        .episode_frame_numbers = numbers[3],
        .final_observations = last,
    };
    for (size_t i = 0; i < STACK * frame; i++) e->stack[i] = (uint8_t)random_below(256);
    e->s.result.truncated = 1;
    e->newest = STACK - 1; /* the stack as it is */
    sub_env_deliver(e, &batch, 0);
    const uint8_t *views = seen[0][0];
    for (size_t p = 0; p < PLAYERS; p++) {
        for (size_t i = 0; i < STACK * frame; i++) {
            const size_t x = i / planes % IMAGE, from = p % 2 ? i + (IMAGE - 1) * planes - 2 * x * planes : i;
            CHECK_EQUAL(views[p * view + i], e->stack[from]);
        }
        for (size_t i = 0; i < PLAYERS * frame; i++)
            CHECK_EQUAL(views[p * view + STACK * frame + i], i / frame == p ? 255 : 0);
    }
    CHECK(memcmp(last, seen, PLAYERS * view) == 0);
    memset(last, 0, sizeof last);
    memcpy(e->final_stack, e->stack, STACK * frame);
    memset(e->stack, 0, STACK * frame);
    e->s.result.has_final = 1;
    const uint32_t expected = crc32(views, PLAYERS * view);
    sub_env_deliver(e, &batch, 0);
    CHECK_EQUAL(crc32(last, PLAYERS * view), expected);
    CHECK(views[0] == 0);

    CHECK_EQUAL(e->action_count, ALE_ACTION_COUNT);
    for (int32_t code = 0; code < ALE_ACTION_COUNT; code++) {
        const int32_t turned = sub_env_action(e, 1, code);
        const bool sideways = code != ALE_NOOP && code != ALE_FIRE && code != ALE_UP && code != ALE_DOWN &&
                              code != ALE_UPFIRE && code != ALE_DOWNFIRE;
        CHECK_EQUAL(turned != code, sideways);
        CHECK_EQUAL(sub_env_action(e, 3, turned), code);
        CHECK_EQUAL(sub_env_action(e, 0, code), code);
        CHECK_EQUAL(sub_env_action(e, 2, code), code);
    }
    CHECK_EQUAL(sub_env_action(e, 1, ALE_UPRIGHTFIRE), ALE_UPLEFTFIRE);
    CHECK_EQUAL(sub_env_action(e, 1, -1), ALE_NOOP);

    CHECK_EQUAL(ale_vector_select(vector, 0, 2, 0), ALE_UNSUPPORTED); /* it has no sides */
    CHECK(strstr(ale_last_error(), "mode 2 of"));
    CHECK(strstr(ale_last_error(), "warlords"));
    CHECK_EQUAL(e->s.mode, 1);
    CHECK_EQUAL(ale_vector_select(vector, 0, 1, 0), ALE_OK);
    ale_vector_destroy(vector);

    vector = NULL;
    options.mirror = 1;
    CHECK_EQUAL(ale_vector_create(&rom, NULL, 1, &options, &vector), ALE_UNSUPPORTED);
    CHECK(strstr(ale_last_error(), "mode 0 of a ROM without rules with 1 players"));
    CHECK(!vector);
}

/* ---- Snapshots ----------------------------------------------------------------------------------------- */

static uint32_t play_on(ale_vector *vector, results *r, int steps) {
    histories h = {0};
    ale_batch batch = full_batch_of(r);
    for (int step = 0; step < steps; step++) {
        const int32_t actions[ENVS] = {step % 5, 1, 2, 3, 4, step % 3};
        CHECK_EQUAL(ale_vector_step(vector, actions, NULL, &batch), ALE_OK);
        note_all(&h, r);
    }
    return crc32((const uint8_t *)h.digest, sizeof h.digest);
}

static void test_snapshot(ale_rom *rom) {
    static results r;
    for (int32_t autoreset = ALE_NEXT_STEP; autoreset <= ALE_SAME_STEP; autoreset++) {
        ale_vector_options options = small_options();
        options.autoreset = autoreset;
        ale_vector *vector = vector_of(rom, &options), *other;
        options.num_threads = 1;
        other = vector_of(rom, &options);
        ale_batch batch = full_batch_of(&r);
        begin_all(vector, &batch, NULL);
        (void)play_on(vector, &r, 10); /* now resets are pending */
        size_t size;
        uint8_t *bytes = save_vector(vector, &size);
        uint32_t expected = play_on(vector, &r, 15);
        CHECK_EQUAL(ale_vector_restore(vector, bytes, size), ALE_OK);
        CHECK_EQUAL(play_on(vector, &r, 15), expected);
        CHECK_EQUAL(ale_vector_restore(other, bytes, size), ALE_OK);
        for (int i = 0; i < 40; i++) { /* damaged bytes change nothing */
            size_t at = random_below((uint32_t)size);
            bytes[at] ^= (uint8_t)(1 + random_below(255));
            CHECK_EQUAL(ale_vector_restore(other, bytes, size), ALE_BAD_STATE);
            free(bytes);
            bytes = save_vector(other, &size);
        }
        CHECK_EQUAL(ale_vector_restore(other, bytes, size - 1), ALE_BAD_STATE);
        for (int i = 0; i < 4; i++) { /* the layout, the other way round */
            const uint8_t byte = bytes[8 + i];
            bytes[8 + i] = bytes[15 - i];
            bytes[15 - i] = byte;
        }
        CHECK_EQUAL(ale_vector_restore(other, bytes, size), ALE_BAD_STATE);
        CHECK(strstr(ale_last_error(), "byte order"));
        CHECK_EQUAL(play_on(other, &r, 15), expected);
        free(bytes);

        /* With results outstanding. */
        const int32_t actions[ENVS] = {1, 2, 3, 4, 5, 6};
        CHECK_EQUAL(ale_vector_post(vector, &batch), ALE_OK);
        CHECK_EQUAL(ale_vector_send(vector, actions, NULL), ALE_OK);
        bytes = save_vector(vector, &size);
        CHECK_EQUAL(ale_vector_recv(vector), ALE_OK);
        results then = r;
        CHECK_EQUAL(ale_vector_restore(other, bytes, size), ALE_OUT_OF_ORDER);
        CHECK_EQUAL(ale_vector_post(other, &batch), ALE_OK);
        CHECK_EQUAL(ale_vector_restore(other, bytes, size), ALE_OK);
        CHECK_EQUAL(ale_vector_recv(other), ALE_OK);
        CHECK(memcmp(then.observations, r.observations, sizeof r.observations) == 0);
        CHECK(memcmp(then.truncations, r.truncations, sizeof r.truncations) == 0);
        CHECK_EQUAL(play_on(other, &r, 5), play_on(vector, &r, 5));
        options.frame_skip = 3;
        ale_vector *stranger = vector_of(rom, &options);
        CHECK_EQUAL(ale_vector_restore(stranger, bytes, size), ALE_BAD_STATE);
        free(bytes);
        ale_vector_destroy(stranger);
        ale_vector_destroy(other);
        ale_vector_destroy(vector);
    }
}

/* ---- Copies -------------------------------------------------------------------------------------------- */

/* The same environments, each in a vector of its own. */
typedef struct apart {
    ale_vector *vector[ENVS];
    results r[ENVS];
} apart;

static void begin_apart(apart *a, ale_rom *rom, const ale_vector_options *options, const int64_t *seeds) {
    for (int i = 0; i < ENVS; i++) {
        ale_batch batch = full_batch_of(&a->r[i]);
        CHECK_EQUAL(ale_vector_create(&rom, NULL, 1, options, &a->vector[i]), ALE_OK);
        CHECK_EQUAL(ale_vector_post(a->vector[i], &batch), ALE_OK);
        CHECK_EQUAL(ale_vector_reset(a->vector[i], NULL, &seeds[i]), ALE_OK);
        CHECK_EQUAL(ale_vector_recv(a->vector[i]), ALE_OK);
    }
}

static void copy_apart(apart *a, const int32_t *sources, const int32_t *targets, uint32_t count) {
    uint8_t *bytes[ENVS];
    size_t size[ENVS];
    for (uint32_t k = 0; k < count; k++) bytes[k] = save_vector(a->vector[sources[k]], &size[k]);
    for (uint32_t k = 0; k < count; k++) {
        CHECK_EQUAL(ale_vector_restore(a->vector[targets[k]], bytes[k], size[k]), ALE_OK);
        free(bytes[k]);
    }
}

static void step_apart(apart *a, const int32_t *actions, results *all) {
    for (int i = 0; i < ENVS; i++) {
        results *r = &a->r[i];
        ale_batch batch = full_batch_of(r);
        CHECK_EQUAL(ale_vector_step(a->vector[i], &actions[i], NULL, &batch), ALE_OK);
        memcpy(all->observations[i], r->observations[0], sizeof r->observations[0]);
        memcpy(all->ram[i], r->ram[0], sizeof r->ram[0]);
        all->env_ids[i] = i;
        all->rewards[i] = r->rewards[0];
        all->terminations[i] = r->terminations[0];
        all->truncations[i] = r->truncations[0];
        all->episode_frames[i] = r->episode_frames[0];
        if (!r->truncations[0] && !r->terminations[0]) continue;
        memcpy(all->final_observations[i], r->final_observations[0], sizeof r->final_observations[0]);
    }
}

/* Copies at random, sources being targets and rings among them, give what saving all sources first and
 * restoring them afterwards gives to environments that stand apart. */
static void test_copy(ale_rom *rom) {
    static results r, expected;
    static apart a;
    for (int round = 0; round < 4; round++) {
        ale_vector_options options = small_options();
        options.autoreset = round % 2 ? ALE_SAME_STEP : ALE_NEXT_STEP;
        options.num_threads = 1 + (uint32_t)round;
        ale_vector *vector = vector_of(rom, &options);
        ale_batch batch = full_batch_of(&r);
        const int64_t seeds[ENVS] = {5, 6, 7, 8, 9, 10};
        begin_all(vector, &batch, seeds);
        begin_apart(&a, rom, &options, seeds);
        for (int step = 0; step < 60; step++) {
            int32_t sources[ENVS], targets[ENVS], actions[ENVS];
            for (int i = 0; i < ENVS; i++) {
                actions[i] = (int32_t)random_below(ALE_ACTION_COUNT);
                sources[i] = (int32_t)random_below(ENVS);
                targets[i] = i;
            }
            for (uint32_t i = 0; i < ENVS; i++) {
                uint32_t other = random_below(ENVS);
                int32_t target = targets[i];
                targets[i] = targets[other];
                targets[other] = target;
                if (step % 3) continue;
                sources[i] = (targets[i] + 1 + step % 2) % ENVS; /* one ring, or two */
            }
            const uint32_t count = step % 3 ? random_below(ENVS + 1) : ENVS;
            CHECK_EQUAL(ale_vector_copy(vector, sources, targets, count), ALE_OK);
            copy_apart(&a, sources, targets, count);
            CHECK_EQUAL(ale_vector_step(vector, actions, NULL, &batch), ALE_OK);
            step_apart(&a, actions, &expected);
            histories h = {0}, sent = {0};
            note_all(&h, &r);
            note_all(&sent, &expected);
            CHECK(memcmp(&h, &sent, sizeof h) == 0);
            for (int i = 0; i < ENVS && options.autoreset == ALE_SAME_STEP; i++)
                CHECK((!r.truncations[i] && !r.terminations[i]) ||
                      !memcmp(r.final_observations[i], expected.final_observations[i],
                              sizeof r.final_observations[i]));
        }
        for (int i = 0; i < ENVS; i++) ale_vector_destroy(a.vector[i]);
        ale_vector_destroy(vector);
    }
}

static void test_copies_that_are_refused(ale_rom *rom) {
    static results r;
    uint8_t image[TEST_ROM_SIZE];
    test_rom(image);
    image[0x800] ^= 1;
    ale_rom_options options = rom_defaults();
    options.game = "";
    ale_rom *other = NULL, *roms[ENVS] = {rom, rom, rom, rom, rom, rom};
    CHECK_EQUAL(ale_rom_create(image, sizeof image, &options, &other), ALE_OK);
    roms[ENVS - 1] = other;
    ale_vector *vector;
    ale_vector_options small = small_options();
    CHECK_EQUAL(ale_vector_create(roms, NULL, ENVS, &small, &vector), ALE_OK);
    ale_rom_release(other);
    ale_batch batch = full_batch_of(&r);
    CHECK_EQUAL(ale_vector_post(vector, &batch), ALE_OK);
    CHECK_EQUAL(ale_vector_reset(vector, NULL, NULL), ALE_OK);
    CHECK_EQUAL(ale_vector_copy(vector, (int32_t[]){0}, (int32_t[]){1}, 1), ALE_OUT_OF_ORDER);
    CHECK(strstr(ale_last_error(), "6 results"));
    CHECK_EQUAL(ale_vector_recv(vector), ALE_OK);
    size_t size, size_after;
    uint8_t *before = save_vector(vector, &size);
    static const struct {
        int32_t sources[2], targets[2];
        const char *words;
    } cases[] = {
        {{0, ENVS}, {1, 2}, "sources[1] is 6; environments are numbered 0 to 5"},
        {{0, 1}, {1, -1}, "targets[1] is -1; environments are numbered 0 to 5"},
        {{0, 3}, {1, 1}, "targets[1] is 1, which occurs before"},
        {{1, 3}, {1, 1}, "targets[1] is 1, which occurs before"},
        {{0, 0}, {1, 5}, "environment 5 (targets[1]) cannot go on as a copy of 0 (sources[1])"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_EQUAL(ale_vector_copy(vector, cases[i].sources, cases[i].targets, 2), ALE_INVALID_ARGUMENT);
        CHECK(strstr(ale_last_error(), cases[i].words));
    }
    CHECK_EQUAL(ale_vector_copy(vector, NULL, (int32_t[]){0}, 1), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(ale_vector_copy(vector, (int32_t[]){0}, NULL, 1), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(ale_vector_copy(NULL, NULL, NULL, 0), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(ale_vector_copy(vector, NULL, NULL, 0), ALE_OK);
    CHECK_EQUAL(ale_vector_copy(vector, (int32_t[]){5}, (int32_t[]){5}, 1), ALE_OK);
    uint8_t *after = save_vector(vector, &size_after);
    CHECK(size == size_after && memcmp(before, after, size) == 0);
    free(before);
    free(after);
    ale_vector_destroy(vector);
}

/* ---- Random calls -------------------------------------------------------------------------------------- */

/* Any sequence of calls is answered, and none hangs. */
static void test_random_calls(ale_rom *rom, int vectors, int calls) {
    static results memory[MOST_BATCHES];
    for (int i = 0; i < vectors; i++) {
        ale_vector_options options = small_options();
        options.img_height = options.img_width = IMAGE;
        options.batch_size = random_below(ENVS + 1);
        options.num_threads = random_below(5);
        options.patience_ms = random_below(3);
        options.autoreset = (int32_t)random_below(options.batch_size % ENVS ? 2 : 3);
        options.frame_skip = 1 + random_below(3);
        ale_vector *vector = vector_of(rom, &options);
        uint8_t *saved = NULL;
        size_t size = 0;
        for (int call = 0; call < calls; call++) {
            int32_t actions[ENVS];
            for (int p = 0; p < ENVS; p++) actions[p] = (int32_t)random_below(ALE_ACTION_COUNT);
            ale_vector_info info = {.struct_size = sizeof info};
            CHECK_EQUAL(ale_vector_describe(vector, &info), ALE_OK);
            /* The first posted memory is the first to be received. */
            ale_batch batch = full_batch_of(&memory[(info.received + info.posted) % MOST_BATCHES]);
            switch (random_below(14)) {
                case 13: (void)ale_vector_discard(vector); break;
                case 0: (void)ale_vector_reset(vector, NULL, NULL); break;
                case 1: {
                    uint8_t mask[ENVS];
                    for (int p = 0; p < ENVS; p++) mask[p] = (uint8_t)random_below(2);
                    (void)ale_vector_reset(vector, mask, NULL);
                    break;
                }
                case 2:
                case 3: (void)ale_vector_post(vector, &batch); break;
                case 4:
                case 5: (void)ale_vector_send(vector, actions, NULL); break;
                case 6:
                    free(saved);
                    saved = save_vector(vector, &size);
                    break;
                case 7:
                    if (saved) (void)ale_vector_restore(vector, saved, size);
                    break;
                case 8: CHECK(ale_vector_env(vector, random_below(ENVS)) != NULL); break;
                case 9: (void)ale_vector_step(vector, actions, NULL, &batch); break;
                case 10: {
                    const int32_t sources[] = {(int32_t)random_below(ENVS), (int32_t)random_below(ENVS)};
                    (void)ale_vector_copy(vector, sources, (int32_t[]){0, (int32_t)random_below(ENVS)}, 2);
                    break;
                }
                default: (void)ale_vector_recv(vector); break;
            }
        }
        free(saved);
        ale_vector_destroy(vector);
    }
}

/* ---- One environment as bytes ---------------------------------------------------------------------------- */

static uint8_t *save_env(ale_vector *vector, uint32_t index, size_t *size) {
    CHECK_EQUAL(ale_vector_save_env(vector, index, NULL, 0, size), ALE_OK);
    uint8_t *bytes = malloc(*size);
    CHECK_EQUAL(ale_vector_save_env(vector, index, bytes, *size - 1, size), ALE_OK); /* not written */
    CHECK_EQUAL(ale_vector_save_env(vector, index, bytes, *size, size), ALE_OK);
    return bytes;
}

/* An environment goes on elsewhere, under another number and beside others; what is observed of it is the same once
 * its stack is full. */
static void test_saved_env(ale_rom *rom) {
    static results r, s;
    for (int32_t autoreset = ALE_NEXT_STEP; autoreset <= ALE_SAME_STEP; autoreset++) {
        ale_vector_options options = small_options();
        options.autoreset = autoreset;
        ale_vector *vector = vector_of(rom, &options), *other = vector_of(rom, &options);
        way_choice way = {0}; /* bytes tell which way it was */
        use_way_in_all(vector, &way);
        use_way_in_all(other, &way);
        size_t size, again, none;
        CHECK_EQUAL(ale_vector_save_env(vector, 0, NULL, 0, &none), ALE_OUT_OF_ORDER); /* no reset yet */
        ale_batch batch = full_batch_of(&r), other_batch = full_batch_of(&s);
        CHECK_EQUAL(ale_vector_post(vector, &batch), ALE_OK);
        CHECK_EQUAL(ale_vector_reset(vector, NULL, NULL), ALE_OK);
        CHECK_EQUAL(ale_vector_save_env(vector, 0, NULL, 0, &none), ALE_OUT_OF_ORDER); /* outstanding */
        CHECK_EQUAL(ale_vector_recv(vector), ALE_OK);
        begin_all(other, &other_batch, (const int64_t[ENVS]){9, 8, 7, 6, 5, 4});
        CHECK_EQUAL(ale_vector_save_env(vector, ENVS, NULL, 0, &none), ALE_INVALID_ARGUMENT);
        (void)play_on(vector, &r, 10);
        (void)play_on(other, &s, 7);
        uint8_t *bytes = save_env(vector, 1, &size);
        for (int i = 0; i < 40; i++) { /* damaged bytes change nothing */
            size_t at = random_below((uint32_t)size);
            bytes[at] ^= (uint8_t)(1 + random_below(255));
            CHECK_EQUAL(ale_vector_restore_env(other, 4, bytes, size), ALE_BAD_STATE);
            free(bytes);
            bytes = save_env(vector, 1, &size);
        }
        CHECK_EQUAL(ale_vector_restore_env(other, 4, bytes, size - 1), ALE_BAD_STATE);
        CHECK_EQUAL(ale_vector_restore_env(other, 4, bytes, 3), ALE_BAD_STATE);
        CHECK_EQUAL(ale_vector_restore_env(other, ENVS, bytes, size), ALE_INVALID_ARGUMENT);
        CHECK_EQUAL(ale_vector_restore_env(other, 4, bytes, size), ALE_OK);
        ale_vector_info info = {.struct_size = sizeof info};
        CHECK_EQUAL(ale_vector_describe(vector, &info), ALE_OK);
        for (uint32_t step = 0; step < 60; step++) {
            const int32_t action = (int32_t)(step * 7 % 5);
            const int32_t actions[ENVS] = {1, action, 2, 3, 0, 4}, others[ENVS] = {0, 1, 2, 3, action, 4};
            CHECK_EQUAL(ale_vector_step(vector, actions, NULL, &batch), ALE_OK);
            CHECK_EQUAL(ale_vector_step(other, others, NULL, &other_batch), ALE_OK);
            CHECK_EQUAL(batch.rewards[1], other_batch.rewards[4]);
            CHECK_EQUAL(batch.terminations[1], other_batch.terminations[4]);
            CHECK_EQUAL(batch.frame_numbers[1], other_batch.frame_numbers[4]);
            CHECK_EQUAL(batch.lives[1], other_batch.lives[4]);
            if (step > options.stack_num)
                CHECK(memcmp(batch.observations + info.observation_size,
                             other_batch.observations + 4 * info.observation_size, info.observation_size) == 0);
        }
        uint8_t *one = save_env(vector, 1, &size), *two = save_env(other, 4, &again);
        CHECK(size == again && memcmp(one, two, size) == 0);
        for (int i = 0; i < 2; i++) { /* whatever was played before, a reset leads to the same bytes */
            CHECK_EQUAL(ale_vector_post(i ? other : vector, &batch), ALE_OK);
            CHECK_EQUAL(ale_vector_reset(i ? other : vector, NULL, (const int64_t[ENVS]){3, 1, 4}), ALE_OK);
            CHECK_EQUAL(ale_vector_recv(i ? other : vector), ALE_OK);
            free(i ? two : one);
            *(i ? &two : &one) = save_vector(i ? other : vector, i ? &again : &size);
        }
        CHECK(size == again && memcmp(one, two, size) == 0);
        free(one);
        free(two);
        free(bytes);
        ale_vector_destroy(other);
        ale_vector_destroy(vector);
    }
}

/* An environment that continues from its own bytes does as if nothing had happened: the next step, too, gives what it
 * gives a twin, pictures and ends of episodes included. */
static void test_restored_in_place(ale_rom *rom) {
    static results r, s;
    for (int32_t autoreset = ALE_NEXT_STEP; autoreset <= ALE_SAME_STEP; autoreset++) {
        ale_vector_options options = small_options();
        options.autoreset = autoreset;
        ale_vector *vector = vector_of(rom, &options), *twin = vector_of(rom, &options);
        ale_batch batch = full_batch_of(&r), twin_batch = full_batch_of(&s);
        begin_all(vector, &batch, NULL);
        begin_all(twin, &twin_batch, NULL);
        uint32_t ends = 0;
        for (uint32_t step = 0; step < 60; step++) {
            const uint32_t index = step % ENVS;
            size_t size;
            uint8_t *bytes = save_env(vector, index, &size);
            CHECK_EQUAL(ale_vector_restore_env(vector, index, bytes, size), ALE_OK);
            free(bytes);
            const int32_t actions[ENVS] = {1, (int32_t)(step * 7 % 5), 2, 3, 0, 4};
            CHECK_EQUAL(ale_vector_step(vector, actions, NULL, &batch), ALE_OK);
            CHECK_EQUAL(ale_vector_step(twin, actions, NULL, &twin_batch), ALE_OK);
            CHECK(memcmp(&r, &s, sizeof r) == 0);
            for (uint32_t i = 0; i < ENVS; i++) ends += batch.terminations[i] || batch.truncations[i];
        }
        CHECK(ends > 0);
        ale_vector_destroy(twin);
        ale_vector_destroy(vector);
    }
}

int main(void) {
    ale_rom *rom = make_rom("");
    RUN(test_threads_and_batches_do_not_matter(rom));
    RUN(test_actions_for_some(rom));
    RUN(test_engine_changes_nothing(rom));
    RUN(test_trials_change_nothing(rom));
    ale_rom *other = make_rom("");
    RUN(test_who_tries(rom, other));
    ale_rom_release(other);
    RUN(test_same_step(rom));
    RUN(test_two_callers(rom));
    RUN(test_calls_out_of_order(rom));
    RUN(test_failing_environment(rom));
    RUN(test_views(rom, ALE_OBSERVE_GRAYSCALE, 1));
    RUN(test_views(rom, ALE_OBSERVE_RGB, 3));
    RUN(test_snapshot(rom));
    RUN(test_saved_env(rom));
    RUN(test_restored_in_place(rom));
    RUN(test_copy(rom));
    RUN(test_copies_that_are_refused(rom));
    RUN(test_random_calls(rom, 60, 60));
    ale_rom_release(rom);
    return check_failures;
}
