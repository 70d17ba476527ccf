#include "starts.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/error.h"

static ale_status copy_state(ale_state *copy, const ale_state *state) {
    if (!state || !state->size) return ALE_OK;
    copy->bytes = malloc(state->size);
    if (!copy->bytes) return fail(ALE_OUT_OF_MEMORY, "no memory for a start of %zu bytes", state->size);
    memcpy(copy->bytes, state->bytes, state->size);
    copy->size = copy->capacity = state->size;
    copy->foreign = state->foreign;
    return ALE_OK;
}

static ale_status set_weights(ale_starts *s, const double *weights) {
    double total = 0, so_far = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const double weight = weights ? weights[i] : 1;
        if (!(weight >= 0 && weight <= DBL_MAX))
            return fail(ALE_INVALID_ARGUMENT, "weights[%u] is %g; it must be a number from 0 on", i, weight);
        total += weight;
    }
    if (!(total > 0 && total <= DBL_MAX))
        return fail(ALE_INVALID_ARGUMENT, "the weights of the starts add up to %g; one must be above 0", total);
    for (uint32_t i = 0; i < s->count; i++) {
        so_far += weights ? weights[i] : 1;
        s->below[i] = (uint64_t)(so_far / total * 4294967296.0);
    }
    return ALE_OK;
}

ale_status starts_check(const ale_starts *starts, uint32_t index, ale_env *env, const char *name) {
    const ale_state *state = &starts->states[index];
    if (!state->size) return ALE_OK;
    const ale_status status = environment_check(env, state);
    if (status == ALE_OK) return ALE_OK;
    char problem[256];
    snprintf(problem, sizeof problem, "%s", last_error());
    return fail(status, "%s: %s", name, problem);
}

ale_status starts_create(ale_env *env, const ale_state *const *states, const double *weights, uint32_t count,
                         ale_starts **created) {
    ale_starts *s = calloc(1, sizeof *s);
    if (s) s->states = calloc(count, sizeof *s->states);
    if (s) s->below = calloc(count, sizeof *s->below);
    if (!s || !s->states || !s->below) {
        if (s) free(s->states);
        free(s);
        return fail(ALE_OUT_OF_MEMORY, "no memory for %u starts", count);
    }
    s->users = 1;
    s->count = count;
    ale_status status = set_weights(s, weights);
    for (uint32_t i = 0; i < count && status == ALE_OK; i++) {
        status = copy_state(&s->states[i], states[i]);
        if (status != ALE_OK || !env) continue;
        char name[32];
        snprintf(name, sizeof name, "starts[%u]", i);
        status = starts_check(s, i, env, name);
        s->states[i].foreign = false; /* it was checked */
    }
    if (status == ALE_OK)
        *created = s;
    else
        starts_release(s);
    return status;
}

ale_starts *starts_retain(const ale_starts *starts) {
    ale_starts *s = (ale_starts *)(uintptr_t)starts;
    if (s) atomic_fetch_add(&s->users, 1);
    return s;
}

void starts_release(ale_starts *starts) {
    if (!starts || atomic_fetch_sub(&starts->users, 1) > 1) return;
    for (uint32_t i = 0; i < starts->count; i++) free(starts->states[i].bytes);
    free(starts->states);
    free(starts->below);
    free(starts);
}

static int32_t draw(const ale_starts *starts, mt19937 *random) {
    const uint32_t number = mt19937_next(random);
    uint32_t low = 0, high = starts->count - 1;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (number < starts->below[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return (int32_t)low;
}

ale_status environment_start(ale_env *env, const ale_starts *starts, int64_t seed, int32_t *index, bool *begun) {
    if (seed >= 0) environment_seed(env, (uint32_t)seed);
    if (*index < 0) *index = draw(starts, env->random);
    const ale_state *state = &starts->states[*index];
    *begun = state->size > 0;
    if (!*begun) return ALE_OK;
    const mt19937 own = *env->random;
    const ale_status status = environment_restore(env, state);
    if (status != ALE_OK) return status;
    *env->random = own;
    env->s.episode_frame_number = 0;
    env->s.lives_at_start = 0;
    env->s.ended = 0;
    env->s.stayed = 0;
    environment_report(env, NULL);
    return ALE_OK;
}
