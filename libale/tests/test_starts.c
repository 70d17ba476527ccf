/* Starts: episodes begin at saved states, in an environment as in a vector, and what is no start is refused. */
#include <ale/ale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "environment/state.h"
#include "small.h"
#include "vector/vector.h"

enum { ENVS = 3, IMAGE = 8, STATES = 3 };

#define RESULT_BYTES (IMAGE * IMAGE)
#define RESULT_PLAYERS 1
#include "results.h"

static ale_env *make_env(ale_rom *rom, ale_rules rules) {
    ale_env_options options = env_defaults();
    options.rules = (int32_t)rules;
    options.repeat_action_probability = 0.25f;
    return env_of(rom, &options);
}

/* States, and the last of them is a reset. */
static void play_states(ale_env *env, ale_state *states[STATES]) {
    for (int i = 0; i < STATES; i++) {
        CHECK_EQUAL(ale_state_create(&states[i]), ALE_OK);
        CHECK(ale_env_act_alone(env, ALE_FIRE, 5) >= 0);
        if (i < STATES - 1) CHECK_EQUAL(ale_env_save(env, 1, states[i]), ALE_OK);
    }
}

static ale_starts *make_starts(ale_env *env, ale_state *const states[STATES], const double *weights) {
    ale_starts *starts = NULL;
    CHECK_EQUAL(ale_starts_create(env, (const ale_state *const *)states, weights, STATES, &starts), ALE_OK);
    if (!starts) exit(1);
    return starts;
}

static bool same_moment(ale_env *env, const ale_env *other) {
    return memcmp(env->console->s.ram, other->console->s.ram, ALE_RAM_SIZE) == 0 &&
           memcmp(env->random, other->random, sizeof *env->random) == 0 &&
           env->s.frame_number == other->s.frame_number;
}

/* An environment and a row of a vector that have the same seed begin alike, again and again. */
static void vectors_begin_as_environments(ale_rom *rom, ale_env *env, ale_starts *starts) {
    static results r;
    const ale_vector_options options = small_options_of(IMAGE, 1, 1000);
    ale_vector *v = vector_of(rom, &options);
    int32_t chosen[ENVS], drawn = 0;
    const int64_t seeds[ENVS] = {5, 6, 7};
    ale_batch batch = batch_of(&r);
    batch.starts = chosen;
    CHECK_EQUAL(ale_vector_set_starts(v, starts), ALE_OK);
    for (int episode = 0; episode < 8; episode++) {
        CHECK_EQUAL(ale_vector_post(v, &batch), ALE_OK);
        CHECK_EQUAL(ale_vector_reset(v, NULL, episode ? NULL : seeds), ALE_OK);
        CHECK_EQUAL(ale_vector_set_starts(v, NULL), ALE_OUT_OF_ORDER);
        CHECK_EQUAL(ale_vector_recv(v), ALE_OK);
        for (int i = 0; i < ENVS; i++) drawn |= 1 << chosen[i];
        int32_t index = -1;
        CHECK_EQUAL(ale_env_start(env, starts, episode ? -1 : seeds[1], &index), ALE_OK);
        CHECK_EQUAL(index, chosen[1]);
        if (index == STATES - 1) { /* a reset, after which the vector plays NOOPs */
            CHECK_EQUAL(ale_env_reset(env), ALE_OK);
            *env->random = *v->sub_envs[1].env->random;
        } else {
            CHECK(same_moment(env, v->sub_envs[1].env));
            CHECK_EQUAL(r.episode_frames[1], 0);
        }
    }
    CHECK_EQUAL(drawn, 7);
    ale_vector_destroy(v);
}

static void weights_count(ale_env *env, ale_state *const states[STATES]) {
    const double refused[][STATES] = {{0, 0, 0}, {1, -1, 1}, {1, NAN, 1}, {1, 1, INFINITY}, {1e308, 1e308, 1}};
    const double weights[STATES] = {0, 3, 1};
    ale_starts *starts = NULL;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        CHECK_EQUAL(ale_starts_create(env, (const ale_state *const *)states, refused[i], STATES, &starts),
                    ALE_INVALID_ARGUMENT);
    starts = make_starts(env, states, weights);
    int times[STATES] = {0};
    for (int i = 0; i < 4000; i++) {
        int32_t index = -1;
        CHECK_EQUAL(ale_env_start(env, starts, -1, &index), ALE_OK);
        times[index]++;
    }
    CHECK(times[0] == 0 && times[1] > 2850 && times[1] < 3150);
    ale_starts_release(starts);
}

static void exact_is_the_state_itself(ale_rom *rom, ale_env *env, ale_starts *starts, const ale_state *state) {
    static results r;
    const ale_vector_options options = small_options_of(IMAGE, 1, 1000);
    ale_vector *v = vector_of(rom, &options);
    const ale_batch batch = batch_of(&r);
    const int32_t indices[ENVS] = {1, 1, 1}, wrong[ENVS] = {1, 3, 1}, drawn[ENVS] = {-1, 1, 1};
    const int64_t seeds[ENVS] = {-1, 9, -1}, large[ENVS] = {0, INT64_C(1) << 32, 0};
    const int32_t numbers[] = {0, 3};
    ale_starts *all = starts;
    CHECK_EQUAL(ale_vector_post(v, &batch), ALE_OK);
    CHECK_EQUAL(ale_vector_reset_from(v, NULL, NULL, NULL, NULL, all, indices, 2), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(ale_vector_reset_from(v, NULL, NULL, NULL, NULL, all, NULL, 1), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(ale_vector_reset_from(v, NULL, NULL, NULL, NULL, all, indices, 1), ALE_INVALID_ARGUMENT); /* one is a reset */
    CHECK_EQUAL(ale_vector_reset_from(v, NULL, NULL, NULL, NULL, all, wrong, 0), ALE_INVALID_ARGUMENT);
    const int32_t modes[ENVS] = {0, 5, 0}, easy[ENVS] = {0};
    CHECK_EQUAL(ale_vector_reset_from(v, NULL, NULL, modes, easy, NULL, NULL, 0), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(ale_vector_reset_from(v, NULL, NULL, modes, NULL, NULL, NULL, 0), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(ale_vector_reset_from(v, NULL, NULL, NULL, NULL, NULL, indices, 0), ALE_INVALID_ARGUMENT);
    const ale_state *both[] = {state, state};
    CHECK_EQUAL(ale_starts_create(NULL, both, NULL, 2, &starts), ALE_OK);
    CHECK_EQUAL(ale_vector_reset_from(v, NULL, NULL, NULL, NULL, starts, drawn, 1), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(ale_vector_reset_from(v, NULL, seeds, NULL, NULL, starts, indices, 1), ALE_OK);
    ale_starts_release(starts); /* of which the vector has a reference */
    CHECK_EQUAL(ale_vector_recv(v), ALE_OK);
    CHECK_EQUAL(ale_env_restore(env, state), ALE_OK);
    CHECK(same_moment(env, v->sub_envs[0].env));
    CHECK_EQUAL(r.episode_frames[0], env->report.episode_frame_number);
    CHECK_EQUAL(v->sub_envs[0].s.start, -1);
    CHECK(!same_moment(env, v->sub_envs[1].env));
    CHECK_EQUAL(ale_env_seed(env, 9), ALE_OK);
    CHECK(same_moment(env, v->sub_envs[1].env));
    CHECK_EQUAL(ale_vector_seed(v, numbers, seeds, 2), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(ale_vector_seed(v, numbers, large + 1, 1), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(ale_vector_seed(v, numbers, seeds + 1, 1), ALE_OK);
    CHECK(same_moment(env, v->sub_envs[0].env));
    ale_vector_destroy(v);
}

static void others_are_refused(ale_rom *rom, ale_state *const states[STATES]) {
    ale_env *several = make_env(rom, ALE_MULTI);
    ale_starts *starts = NULL;
    CHECK_EQUAL(ale_starts_create(several, (const ale_state *const *)states, NULL, STATES, &starts), ALE_BAD_STATE);
    CHECK(strstr(ale_last_error(), "starts[0]: state is of the rules for one player"));
    CHECK_EQUAL(ale_starts_create(NULL, (const ale_state *const *)states, NULL, 0, &starts), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(ale_starts_create(NULL, (const ale_state *const *)states, NULL, STATES, &starts), ALE_OK);
    int32_t index = 0;
    CHECK_EQUAL(ale_env_start(several, starts, -1, &index), ALE_BAD_STATE);
    CHECK_EQUAL(ale_env_start(several, starts, INT64_C(1) << 32, &index), ALE_INVALID_ARGUMENT);
    index = STATES;
    CHECK_EQUAL(ale_env_start(several, starts, -1, &index), ALE_INVALID_ARGUMENT);
    ale_starts_release(starts);
    ale_starts_release(NULL);
    ale_env_destroy(several);
}

int main(void) {
    ale_rom *rom = make_test_rom("", NULL, NULL);
    ale_env *env = make_env(rom, ALE_SOLO);
    ale_state *states[STATES];
    play_states(env, states);
    ale_starts *starts = make_starts(env, states, NULL);
    RUN(vectors_begin_as_environments(rom, env, starts));
    RUN(weights_count(env, states));
    RUN(exact_is_the_state_itself(rom, env, starts, states[0]));
    RUN(others_are_refused(rom, states));
    ale_starts_release(starts);
    for (int i = 0; i < STATES; i++) ale_state_destroy(states[i]);
    ale_env_destroy(env);
    ale_rom_release(rom);
    return check_failures;
}
