/* Lanes that go on as copies of others, all at once.
 *
 * A lane is overwritten when all copies of it are made.  So they are made in rounds: first onto lanes that
 * nobody is a copy of, then onto those whose copies that were, and so on.  What remains are rings, in which
 * each lane becomes a copy of the next: they change places. */
#include <stdlib.h>

#include "../environment/error.h"
#include "vector.h"

typedef struct plan {
    lane **source;    /* of each lane; NULL: it stays as it is, or is done */
    uint32_t *copies; /* of each lane, still to be made */
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
        p->source[to] = &v->lanes[from];
        if (environment_check_copy(v->lanes[to].env, v->lanes[from].env) != ALE_OK)
            return fail(ALE_INVALID_ARGUMENT,
                        "environment %d (targets[%u]) cannot go on as a copy of %d (sources[%u]): they play "
                        "different games",
                        to, k, from, k);
    }
    for (uint32_t k = 0; k < count; k++) {
        const ale_status status = environment_make_room(v->lanes[targets[k]].env, v->lanes[sources[k]].env);
        if (status != ALE_OK) return status;
        if (sources[k] == targets[k])
            p->source[targets[k]] = NULL;
        else
            p->copies[sources[k]]++;
    }
    return ALE_OK;
}

/* Make copies onto the first `count` lanes of v->order. */
static void copy_round(ale_vector *v, const plan *p, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        lane *l = &v->lanes[v->order[i]];
        l->order = LANE_COPY;
        l->source = p->source[v->order[i]];
    }
    if (count > 1 && pool_publish(v->pool, v->order, count, true)) {
        vector_finish(v);
        return;
    }
    for (uint32_t i = 0; i < count; i++) lane_work(&v->lanes[v->order[i]], NULL);
}

/* What a lane is goes with its memory. */
static void turn_ring(ale_vector *v, const plan *p, uint32_t start) {
    const lane first = v->lanes[start];
    uint32_t at = start;
    for (;;) {
        uint32_t next = (uint32_t)(p->source[at] - v->lanes);
        p->source[at] = NULL;
        v->lanes[at] = next == start ? first : v->lanes[next];
        if (next == start) return;
        at = next;
    }
}

static void make_copies(ale_vector *v, plan *p, const int32_t *targets, uint32_t count) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t to = (uint32_t)targets[k];
        if (p->source[to]) console_settle(p->source[to]->env->console);
        if (p->source[to] && !p->copies[to]) v->order[n++] = to;
    }
    while (n) {
        copy_round(v, p, n);
        uint32_t next = 0;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t to = v->order[i], from = (uint32_t)(p->source[to] - v->lanes);
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
