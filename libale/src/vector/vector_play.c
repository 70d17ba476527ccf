/* Many steps without returning to the caller between them.
 *
 * Stretches are recorded actions.  A thread plays a whole stretch before it takes the next, always with the same
 * sub-environment, whose memory then stays in the processor's caches.  In a rollout each sub-environment plays actions
 * of its own. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../support/error.h"
#include "vector.h"

typedef struct first { /* of a stretch */
    uint64_t step, reset; /* indices of its first step and first reset */
} first;

struct playing {
    ale_stretches stretches;
    ale_rollout rollout; /* its `count` is 0: stretches are played */
    first *begin;
    _Atomic uint64_t next;            /* next stretch to play */
    _Atomic(const sub_env *) failed;  /* the sub-environment that failed first, or NULL */
    atomic_bool stop;
};

/* ---- On any thread ------------------------------------------------------------------------------------- */

/* Run an order; return whether it succeeded. */
static bool worked(sub_env *e, sub_env_order order, void *scratch) {
    e->order = order;
    sub_env_work(e, scratch);
    return e->status == ALE_OK;
}

static ale_status take_actions(sub_env *e, const ale_stretches *s, uint64_t step) {
    const uint32_t players = e->options->players;
    if (e->s.over && e->options->autoreset == ALE_NO_RESET)
        return fail(ALE_OUT_OF_ORDER, "the episode is over before step %" PRIu64 "; reset it first", step);
    for (uint32_t p = 0; p < players; p++) {
        const uint64_t place = step * players + p;
        if (!e->s.over && !sub_env_accepts(e, p, s->actions[place]))
            return fail(ALE_BAD_ACTION, "actions[%" PRIu64 "] is %d; there are %d actions, 0 to %d", place,
                        s->actions[place], e->action_count, e->action_count - 1);
        e->actions[p] = sub_env_action(e, p, s->actions[place]);
        e->strengths[p] = s->strengths ? s->strengths[place] : 1.0f;
    }
    return ALE_OK;
}

static uint64_t first_observed(const ale_stretches *s, uint64_t begin, uint64_t end) {
    while (begin < end && !s->observed[begin]) begin++;
    return begin;
}

/* Play one stretch.  False: it failed, or all threads must stop. */
static bool play_stretch(const struct playing *p, sub_env *e, uint32_t number, void *scratch) {
    const ale_stretches *s = &p->stretches;
    const uint32_t players = e->options->players;
    const uint64_t begin = p->begin[number].step, end = begin + s->steps[number];
    const uint64_t seen = first_observed(s, begin, end);
    uint64_t reset = p->begin[number].reset;
    uint8_t *to = s->observations[number];
    if (s->states[number]) sub_env_note(e, vector_restore_sub_env(e, s->states[number], s->sizes[number]));
    if (e->status != ALE_OK) return false;
    for (uint64_t step = begin; step < end; step++) {
        for (; reset < s->resets && s->reset_steps[reset] == step; reset++) {
            e->s.mode = s->modes[reset];
            e->s.difficulty = s->difficulties[reset];
            e->seed = s->seeds[reset];
            if (!worked(e, SUB_ENV_RESET, scratch)) return false;
        }
        if (s->observed[step]) {
            sub_env_deliver_observation(e, false, to);
            to += sub_env_observation_size(e);
        }
        sub_env_note(e, take_actions(e, s, step));
        if (e->status != ALE_OK || atomic_load(&p->stop)) return false;
        /* An observation needs stack_num frames.  If the first of them repeats the end of an episode, it also needs the
         * picture before that, hence one more. */
        e->blind = step + e->options->stack_num + 1 < seen;
        const bool could = worked(e, SUB_ENV_STEP, scratch);
        e->blind = false;
        if (!could) return false;
        sub_env_deliver_outcome(e, s->rewards + step * players, s->terminations + step * players,
                                s->truncations + step);
        s->played[number]++;
    }
    sub_env_deliver_observation(e, true, to);
    return true;
}

/* Play a sub-environment's part of a rollout. */
static void roll_out(const struct playing *p, sub_env *e, uint32_t row, void *scratch) {
    const ale_rollout *r = &p->rollout;
    const uint32_t players = e->options->players;
    double *returns = r->returns + (size_t)row * players, weight = 1;
    memset(returns, 0, players * sizeof *returns);
    e->blind = true;
    for (uint32_t step = 0; step < r->steps && !e->s.over && !atomic_load(&p->stop); step++, weight *= r->discount) {
        const int32_t *actions = r->actions + ((size_t)step * r->count + row) * players;
        for (uint32_t q = 0; q < players; q++) {
            const int32_t index = actions[q] == ALE_OPEN ? sub_env_choose(e, q) : actions[q];
            e->actions[q] = sub_env_action(e, q, index);
            e->strengths[q] = 1.0f;
        }
        if (!worked(e, SUB_ENV_STEP, scratch)) break;
        for (uint32_t q = 0; q < players; q++) returns[q] += weight * e->s.result.rewards[q];
    }
    e->blind = false;
    r->ended[row] = e->s.over;
}

void vector_play_on(ale_vector *v, sub_env *e, void *scratch) {
    struct playing *p = v->playing;
    e->status = ALE_OK;
    if (p->rollout.count) {
        roll_out(p, e, (uint32_t)(e - v->sub_envs), scratch);
        if (e->status == ALE_STOPPED) atomic_store(&v->stopped, true);
        return;
    }
    while (!atomic_load(&p->stop)) {
        const uint64_t number = atomic_fetch_add(&p->next, 1);
        if (number >= p->stretches.count) return;
        e->stretch = (uint32_t)number;
        if (play_stretch(p, e, e->stretch, scratch)) continue;
        const sub_env *none = NULL;
        if (e->status != ALE_OK) (void)atomic_compare_exchange_strong(&p->failed, &none, e);
        atomic_store(&p->stop, true);
    }
}

void vector_stop_playing(ale_vector *v) {
    if (v->playing) atomic_store(&v->playing->stop, true);
}

void vector_forget_stretches(ale_vector *v) {
    if (v->playing) free(v->playing->begin);
    free(v->playing);
    v->playing = NULL;
}

/* ---- Asking -------------------------------------------------------------------------------------------- */

static ale_status check_reset(const sub_env *e, const ale_stretches *s, uint64_t i, uint64_t steps) {
    if (s->reset_steps[i] >= steps || (i && s->reset_steps[i] < s->reset_steps[i - 1]))
        return fail(ALE_INVALID_ARGUMENT,
                    "reset_steps[%" PRIu64 "] is %" PRIu64 "; they must ascend, and there are %" PRIu64 " steps", i,
                    s->reset_steps[i], steps);
    if (s->seeds[i] > UINT32_MAX)
        return fail(ALE_INVALID_ARGUMENT, "seeds[%" PRIu64 "] is %" PRId64 "; seeds have 32 bits", i, s->seeds[i]);
    if (!sub_env_has_mode(e, s->modes[i]))
        return fail(ALE_INVALID_ARGUMENT, "modes[%" PRIu64 "] is %d; there is no such mode for %u players", i,
                    s->modes[i], e->options->players);
    if (!rules_has_difficulty(e->env->rules, s->difficulties[i]))
        return fail(ALE_INVALID_ARGUMENT, "difficulties[%" PRIu64 "] is %d; there are %s", i, s->difficulties[i],
                    rules_list_difficulties(e->env->rules->difficulties | 1).text);
    return ALE_OK;
}

/* Check all that does not depend on states, and note where stretches begin. */
static ale_status check_stretches(const ale_vector *v, const ale_stretches *s, first *begin) {
    const sub_env *any = &v->sub_envs[0];
    for (uint32_t i = 1; i < v->count; i++)
        if (v->sub_envs[i].env->console->rom != any->env->console->rom)
            return fail(ALE_INVALID_ARGUMENT, "environment %u plays another game than environment 0", i);
    uint64_t steps = 0, reset = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (!s->steps[i]) return fail(ALE_INVALID_ARGUMENT, "steps[%u] is 0", i);
        if (!s->observations[i]) return fail(ALE_INVALID_ARGUMENT, "observations[%u] is NULL", i);
        steps += s->steps[i];
    }
    for (uint64_t i = 0; i < s->resets; i++) {
        const ale_status status = check_reset(any, s, i, steps);
        if (status != ALE_OK) return status;
    }
    steps = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        while (reset < s->resets && s->reset_steps[reset] < steps) reset++;
        begin[i] = (first){steps, reset};
        const bool seeded = reset < s->resets && s->reset_steps[reset] == steps && s->seeds[reset] >= 0;
        if (!s->states[i] && !seeded)
            return fail(ALE_INVALID_ARGUMENT, "states[%u] is NULL, but no reset with a seed comes first", i);
        steps += s->steps[i];
    }
    return ALE_OK;
}

/* Let the first `jobs` sub-environments play what v->playing says. */
static ale_status start(ale_vector *v, uint32_t jobs) {
    /* With a limit on waiting the owner must watch the time, so it leaves the work to the threads, if there are any. */
    const bool helped = !v->options.patience_ms || !pool_ready(v->pool, false);
    const ale_status status = vector_ready(v, helped);
    if (status != ALE_OK) return status;
    for (uint32_t i = 0; i < jobs; i++) v->order[i] = i;
    (void)pool_publish(v->pool, v->order, jobs, helped);
    return ALE_OK;
}

static ale_status start_stretches(ale_vector *v, const ale_stretches *stretches) {
    struct playing *p = v->playing;
    p->begin = calloc(stretches->count, sizeof *p->begin);
    if (!p->begin) return fail(ALE_OUT_OF_MEMORY, "no memory for %u stretches", stretches->count);
    p->stretches = *stretches;
    ale_status status = check_stretches(v, stretches, p->begin);
    if (status != ALE_OK) return status;
    for (uint32_t i = 0; i < stretches->count; i++) stretches->played[i] = 0;
    const uint32_t threads = v->options.num_threads;
    status = start(v, stretches->count < threads ? stretches->count : threads);
    if (status == ALE_OK) v->was_reset = v->has_in_hand = false;
    return status;
}

static ale_status check_rollout(const ale_vector *v, const ale_rollout *r) {
    const size_t players = v->options.players, row = r->count * players;
    if (r->count > v->count)
        return fail(ALE_INVALID_ARGUMENT, "rollout->count is %u; there are %u environments", r->count, v->count);
    if (v->options.autoreset != ALE_NO_RESET)
        return fail(ALE_INVALID_ARGUMENT, "options.autoreset is %d; rollouts need ALE_NO_RESET", v->options.autoreset);
    if (!vector_was_reset(v)) return fail(ALE_OUT_OF_ORDER, "a rollout before the first reset; reset all first");
    for (size_t i = 0; i < r->steps * row; i++) {
        const sub_env *e = &v->sub_envs[i % row / players];
        if (r->actions[i] != ALE_OPEN && !sub_env_accepts(e, (uint32_t)(i % players), r->actions[i]))
            return fail(ALE_BAD_ACTION, "actions[%zu] is %d; there are %d actions, 0 to %d, and ALE_OPEN (%d)", i,
                        r->actions[i], e->action_count, e->action_count - 1, ALE_OPEN);
    }
    return ALE_OK;
}

static ale_status start_rollout(ale_vector *v, const ale_rollout *rollout) {
    const ale_status status = check_rollout(v, rollout);
    v->playing->rollout = *rollout;
    return status == ALE_OK ? start(v, rollout->count) : status;
}

static ale_status make_playing(ale_vector *v) {
    if (v->outstanding)
        return fail(ALE_OUT_OF_ORDER, "%u results are outstanding; receive them first", v->outstanding);
    v->playing = calloc(1, sizeof *v->playing);
    return v->playing ? ALE_OK : fail(ALE_OUT_OF_MEMORY, "no memory to play");
}

/* `status`: of the start. */
static ale_status finish(ale_vector *v, ale_status status) {
    if (status != ALE_OK) {
        vector_forget_stretches(v);
        return status;
    }
    status = vector_wait(v);
    if (status != ALE_OK) return status;
    const sub_env *failed = atomic_load(&v->playing->failed);
    const bool stretches = !v->playing->rollout.count;
    vector_forget_stretches(v);
    if (!stretches && atomic_load(&v->stopped))
        return fail(ALE_STOPPED, "the rollout was stopped; reset all environments");
    return failed ? fail(failed->status, "stretch %u: %s", failed->stretch, failed->problem) : ALE_OK;
}

ale_status vector_play(ale_vector *v, const ale_stretches *stretches) {
    if (!stretches && !v->playing) return fail(ALE_OUT_OF_ORDER, "stretches is NULL, and none are being played");
    if (!stretches) return finish(v, ALE_OK);
    const ale_status status = make_playing(v);
    return status == ALE_OK ? finish(v, start_stretches(v, stretches)) : status;
}

ale_status vector_roll_out(ale_vector *v, const ale_rollout *rollout) {
    const ale_status status = make_playing(v);
    return status == ALE_OK ? finish(v, start_rollout(v, rollout)) : status;
}
