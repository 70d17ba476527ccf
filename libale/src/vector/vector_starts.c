/* Where the episodes of a vector begin, and with which random numbers. */
#include <inttypes.h>
#include <stdio.h>

#include "../support/error.h"
#include "vector.h"

static ale_status check_start(const sub_env *e, const ale_starts *starts, uint32_t index, bool drawn,
                              uint32_t number) {
    char name[48];
    snprintf(name, sizeof name, drawn ? "starts[%u]" : "the state for environment %u", number);
    const ale_status status = starts_check(starts, index, e->env, name);
    const ale_state *state = &starts->states[index];
    if (status != ALE_OK || !state->size) return status;
    const environment_state *s = &state_head(state)->s;
    if (sub_env_has_mode(e, s->mode) && s->game.players == (int32_t)e->options->players) return ALE_OK;
    return fail(ALE_BAD_STATE, "%s is of mode %d, which is not for the %u players of this vector, or has no sides",
                name, s->mode, e->options->players);
}

ale_status vector_check_starts(const ale_vector *v, const uint8_t *mask, const ale_starts *starts,
                               const int32_t *indices, bool exact) {
    const sub_env *first = NULL; /* of those whose start is drawn */
    ale_status status = ALE_OK;
    for (uint32_t i = 0; i < v->count && status == ALE_OK; i++) {
        const sub_env *e = &v->sub_envs[i];
        if (mask && !mask[i]) continue;
        if (indices && (indices[i] >= 0 || exact)) {
            if (indices[i] < 0 || (uint32_t)indices[i] >= starts->count)
                return fail(ALE_INVALID_ARGUMENT, "indices[%u] is %d; there are %u starts", i, indices[i],
                            starts->count);
            status = check_start(e, starts, (uint32_t)indices[i], false, i);
        } else if (first && environment_check_copy(e->env, first->env) != ALE_OK) {
            return fail(ALE_INVALID_ARGUMENT, "starts are of one game, but environment %u plays another than %u", i,
                        (uint32_t)(first - v->sub_envs));
        } else if (!first) {
            first = e;
            for (uint32_t k = 0; k < starts->count && status == ALE_OK; k++)
                status = check_start(e, starts, k, true, k);
        }
    }
    return status;
}

ale_status vector_set_starts(ale_vector *v, const ale_starts *starts) {
    if (v->outstanding)
        return fail(ALE_OUT_OF_ORDER, "%u results are outstanding; receive them first", v->outstanding);
    const ale_status status = starts ? vector_check_starts(v, NULL, starts, NULL, false) : ALE_OK;
    if (status != ALE_OK) return status;
    starts_release(v->starts);
    v->starts = starts_retain(starts);
    for (uint32_t i = 0; i < v->count; i++)
        v->sub_envs[i].next = v->sub_envs[i].usual = (beginning){.starts = v->starts, .index = -1};
    return ALE_OK;
}

ale_status vector_seed(ale_vector *v, const int32_t *environments, const int64_t *seeds, uint32_t count) {
    if (v->outstanding)
        return fail(ALE_OUT_OF_ORDER, "%u results are outstanding; receive them first", v->outstanding);
    for (uint32_t k = 0; k < count; k++)
        if (environments[k] < 0 || (uint32_t)environments[k] >= v->count || seeds[k] > UINT32_MAX)
            return fail(ALE_INVALID_ARGUMENT, "environments[%u] is %d of %u, seeds[%u] %" PRId64 "; seeds have 32 bits",
                        k, environments[k], v->count, k, seeds[k]);
    for (uint32_t k = 0; k < count; k++)
        if (seeds[k] >= 0) sub_env_seed(&v->sub_envs[environments[k]], (uint32_t)seeds[k]);
    return ALE_OK;
}
