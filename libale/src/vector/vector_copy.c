/* Copies sub-environments onto others, as if all at once.
 *
 * A sub-environment may be overwritten only after all copies of it are made.  So copies are made in rounds: first onto
 * targets that are not a source, then onto targets whose own copies are made by then, and so on.  The rest are rings,
 * in which each sub-environment becomes a copy of the next: these swap their memory. */
#include <stdlib.h>
#include <string.h>

#include "../support/error.h"
#include "vector.h"

typedef struct plan {
    sub_env **source; /* per sub-environment; NULL: it stays as it is, or its copy is made */
    uint32_t *copies; /* per sub-environment: how many copies of it are still to be made */
} plan;

static ale_status make_plan(ale_vector *v, const int32_t *sources, const int32_t *targets, uint32_t count,
                            plan *p) {
    for (uint32_t k = 0; k < count; k++) {
        const int32_t from = sources[k], to = targets[k];
        if (from < 0 || (uint32_t)from >= v->count)
            return fail(ALE_INVALID_ARGUMENT, "sources[%u] is %d; environments are numbered 0 to %u", k, from,
                        v->count - 1);
        if (to < 0 || (uint32_t)to >= v->count)
            return fail(ALE_INVALID_ARGUMENT, "targets[%u] is %d; environments are numbered 0 to %u", k, to,
                        v->count - 1);
        if (p->source[to])
            return fail(ALE_INVALID_ARGUMENT, "targets[%u] is %d, which occurs before; each may occur once",
                        k, to);
        p->source[to] = &v->sub_envs[from];
        if (environment_check_copy(v->sub_envs[to].env, v->sub_envs[from].env) != ALE_OK)
            return fail(ALE_INVALID_ARGUMENT,
                        "environment %d (targets[%u]) cannot go on as a copy of %d (sources[%u]): they play "
                        "different games",
                        to, k, from, k);
    }
    for (uint32_t k = 0; k < count; k++) {
        const ale_status status = environment_make_room(v->sub_envs[targets[k]].env, v->sub_envs[sources[k]].env);
        if (status != ALE_OK) return status;
        if (sources[k] == targets[k])
            p->source[targets[k]] = NULL;
        else
            p->copies[sources[k]]++;
    }
    return ALE_OK;
}

/* Make copies onto the first `count` sub-environments of v->order. */
static void copy_round(ale_vector *v, const plan *p, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        sub_env *e = &v->sub_envs[v->order[i]];
        e->order = SUB_ENV_COPY;
        e->source = p->source[v->order[i]];
    }
    vector_run(v, count);
}

/* Swap the structs round the ring.  Policies keep their seats, because they belong to a place and not to its state. */
static void turn_ring(ale_vector *v, const plan *p, uint32_t start) {
    uint32_t at = start;
    do { /* where a stack is in a row of observations, that row is another one's from now on */
        sub_env_keep_stack(&v->sub_envs[at]);
        at = (uint32_t)(p->source[at] - v->sub_envs);
    } while (at != start);
    const sub_env first = v->sub_envs[start];
    for (;;) {
        uint32_t next = (uint32_t)(p->source[at] - v->sub_envs);
        policy_seat seats[ALE_MAX_PLAYERS];
        memcpy(seats, v->sub_envs[at].seats, sizeof seats);
        p->source[at] = NULL;
        v->sub_envs[at] = next == start ? first : v->sub_envs[next];
        memcpy(v->sub_envs[at].seats, seats, sizeof seats);
        sub_env_let_policies_begin(&v->sub_envs[at]);
        vector_note_choices(v, at);
        if (next == start) return;
        at = next;
    }
}

static void make_copies(ale_vector *v, plan *p, const int32_t *targets, uint32_t count) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t to = (uint32_t)targets[k];
        if (p->source[to]) console_flush(p->source[to]->env->console);
        if (p->source[to] && !p->copies[to]) v->order[n++] = to;
    }
    while (n) {
        copy_round(v, p, n);
        uint32_t next = 0;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t to = v->order[i], from = (uint32_t)(p->source[to] - v->sub_envs);
            p->source[to] = NULL;
            if (--p->copies[from] == 0 && p->source[from]) v->order[next++] = from;
        }
        n = next;
    }
    for (uint32_t k = 0; k < count; k++)
        if (p->source[targets[k]]) turn_ring(v, p, (uint32_t)targets[k]);
}

ale_status vector_copy(ale_vector *v, const int32_t *sources, const int32_t *targets, uint32_t count) {
    if (v->outstanding)
        return fail(ALE_OUT_OF_ORDER, "copy called with %u results outstanding; receive them first",
                    v->outstanding);
    plan p = {calloc(v->count, sizeof *p.source), calloc(v->count, sizeof *p.copies)};
    ale_status status = p.source && p.copies ? make_plan(v, sources, targets, count, &p)
                                             : fail(ALE_OUT_OF_MEMORY, "no memory to plan copies");
    if (status == ALE_OK) make_copies(v, &p, targets, count);
    free(p.source);
    free(p.copies);
    return status;
}
