/* Creates vectors, publishes work to the pool and receives batches.  A worker that finishes a sub-environment claims
 * the next row by an atomic counter, and the last row of a batch wakes the owner. */
#include "vector.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../environment/rom.h"
#include "../support/error.h"
#include "../support/os.h"

/* ---- Work, on any thread ------------------------------------------------------------------------------- */

static void take_actions(const ale_vector *v, sub_env *e, uint32_t id) {
    const size_t players = v->options.players;
    for (uint32_t p = 0; p < players; p++) {
        e->actions[p] = sub_env_action(e, p, v->actions[id * players + p]);
        e->strengths[p] = v->strengths[id * players + p];
    }
}

void vector_note_choices(ale_vector *v, uint32_t id) {
    const sub_env *e = &v->sub_envs[id];
    v->choices[id] = e->s.over ? 0 : (uint8_t)e->action_count;
}

/* Return where a result's observation goes if it shares frames with the one before, or NULL.  Batches hold all. */
static uint8_t *shared_row(const ale_vector *v, uint32_t id) {
    const ale_batch *batch = &v->batches[v->received % v->capacity].memory;
    return batch->observation_stride ? batch->observations + id * batch->observation_stride : NULL;
}

static void work(void *context, uint32_t id, void *scratch) {
    ale_vector *v = context;
    const uint32_t size = v->options.batch_size;
    sub_env *e = &v->sub_envs[id];
    const sub_env_order order = e->order;
    const bool has_result = !v->playing && order != SUB_ENV_COPY && order != SUB_ENV_CHOOSE;
    const bool whole = size == v->count;
    e->row = has_result && whole ? shared_row(v, id) : NULL;
    if (v->playing) {
        vector_play_on(v, e, scratch);
    } else {
        if (order == SUB_ENV_STEP) take_actions(v, e, id);
        sub_env_work(e, scratch);
    }
    e->order = SUB_ENV_STEP;
    vector_note_choices(v, id);
    if (!has_result) return;
    if (e->status == ALE_STOPPED) atomic_store(&v->stopped, true);

    /* A batch of all sub-environments is the first one that is posted, and filled when all jobs are finished. */
    const uint64_t result = whole ? v->received * size : atomic_fetch_add(&v->results, 1);
    posted_batch *batch = &v->batches[result / size % v->capacity];
    uint32_t row = whole ? id : (uint32_t)(result % size);
    batch->ids[row] = id;
    batch->memory.env_ids[row] = (int32_t)id;
    sub_env_deliver(e, &batch->memory, row);
    if (e->status != ALE_OK) atomic_fetch_add(&batch->failures, 1);
    if (!whole && atomic_fetch_add(&batch->written, 1) + 1 == size) pool_notify(v->pool);
}

/* ---- Life ---------------------------------------------------------------------------------------------- */

/* Sub-environments with the same screen height share a resizer. */
static ale_status give_resizer(ale_vector *v, sub_env *e) {
    if (!e->preprocess.observer->planes) return ALE_OK;
    int rows = console_screen_rows(e->env->console);
    resizer **shared = &v->resizers[rows];
    const ale_vector_options *o = &v->options;
    const resize_crop crop = {(int)o->crop[0], (int)o->crop[1], (int)o->crop[2], (int)o->crop[3]};
    if (crop.top + crop.bottom >= rows)
        return fail(ALE_INVALID_ARGUMENT, "crop leaves out %d and %d rows; the screen of environment %td has %d",
                    crop.top, crop.bottom, e - v->sub_envs, rows);
    if (!*shared) *shared = resizer_create(rows, SCREEN_WIDTH, &crop, (int)o->img_height, (int)o->img_width);
    e->preprocess.resize = *shared;
    return *shared ? ALE_OK : fail(ALE_OUT_OF_MEMORY, "no memory for tables");
}

/* Sub-environments of one ROM share their starts if seeds do not change these. */
static ale_status give_cache(ale_vector *v, sub_env *e, const sub_env *like) {
    if (like || !environment_starts_alike(e->env)) return ALE_OK;
    e->cache = reset_cache_create(e->env, v->cache);
    if (!e->cache) return fail(ALE_OUT_OF_MEMORY, "no memory for starts");
    v->cache = e->cache;
    return ALE_OK;
}

/* Return the first sub-environment with the same ROM, or NULL. */
static const sub_env *find_like(const ale_vector *v, ale_rom *const *roms, uint32_t index) {
    for (uint32_t i = 0; i < index; i++)
        if (roms[i] == roms[index]) return &v->sub_envs[i];
    return NULL;
}

ale_status vector_check_labels(const ale_vector *v) {
    if (v->labelled == v->count) return ALE_OK;
    const ale_env *other = v->sub_envs[v->labelled].env;
    const char *name = other->game ? other->game->name : "a ROM without rules";
    if (!other->rom->labels) return fail(ALE_UNSUPPORTED, "%s has no labels", name);
    return fail(ALE_UNSUPPORTED, "labels are of one game; there are %s and %s", v->sub_envs[0].env->game->name, name);
}

/* Create the sub-environments.  Sets *slow if one takes longer than patience_ms: then its resets would, too. */
static ale_status make_sub_envs(ale_vector *v, ale_rom *const *roms, const uint32_t *seeds, bool *slow) {
    int64_t now = os_now();
    arena_expect(v->arena, 0);
    for (uint32_t i = 0; i < v->count; i++) {
        const int64_t begun = now;
        const sub_env *like = find_like(v, roms, i);
        ale_status status = sub_env_init(&v->sub_envs[i], roms[i], &v->options, seeds ? seeds[i] : i, v->arena, like);
        if (status == ALE_OK) status = give_resizer(v, &v->sub_envs[i]);
        if (status == ALE_OK) status = give_cache(v, &v->sub_envs[i], like);
        if (status != ALE_OK) return status;
        arena_expect(v->arena, v->count - i - 1);
        now = os_now();
        *slow = *slow || now - begun > (int64_t)v->options.patience_ms * 1000000;
    }
    const label_set *labels = v->sub_envs[0].env->rom->labels;
    while (labels && v->labelled < v->count && v->sub_envs[v->labelled].env->rom->labels == labels) v->labelled++;
    return v->options.observation == ALE_OBSERVE_LABELS ? vector_check_labels(v) : ALE_OK;
}

static bool make_batches(ale_vector *v) {
    const uint32_t size = v->options.batch_size;
    v->capacity = (v->count + size - 1) / size + 1;
    v->batches = calloc(v->capacity, sizeof *v->batches);
    for (uint32_t i = 0; v->batches && i < v->capacity; i++)
        if (!(v->batches[i].ids = calloc(size, sizeof *v->batches[i].ids))) return false;
    return v->batches;
}

static bool make_pool(ale_vector *v, bool slow) {
    enum { MANY_FRAMES = 1000 };
    /* Jobs never block, so more threads than CPUs would only compete for these. */
    const uint32_t cpus = os_cpus();
    pool_options options = {
        .threads = v->options.num_threads < cpus ? v->options.num_threads : cpus,
        .affinity_offset = v->options.thread_affinity_offset,
        .most_jobs = v->count,
        .long_jobs = v->options.patience_ms &&
                     (v->options.frame_skip > MANY_FRAMES || v->options.noop_max > MANY_FRAMES),
        .work = work,
        .context = v,
    };
    for (uint32_t i = 0; i < v->count; i++) {
        size_t scratch = preprocessor_scratch(&v->sub_envs[i].preprocess);
        if (scratch > options.scratch) options.scratch = scratch;
    }
    v->pool = pool_create(&options);
    if (v->pool && slow && v->options.patience_ms) pool_rest(v->pool);
    return v->pool;
}

ale_status vector_check_size(const ale_vector_options *options, uint32_t count) {
    const double stack = (double)options->stack_num * (double)observer_frame_size(options, NULL);
    const size_t game = sizeof(sub_env) + sizeof(ale_env) + sizeof(console);
    const double needed = ((double)game + stack) * count, there = (double)os_memory();
    if (there == 0 || needed <= there) return ALE_OK;
    return fail(ALE_OUT_OF_MEMORY, "%u environments need at least %.0f MiB of memory, but this machine has %.0f MiB",
                count, needed / 1048576, there / 1048576);
}

ale_status vector_create(ale_rom *const *roms, const uint32_t *seeds, uint32_t count,
                         const ale_vector_options *options, ale_vector **created) {
    ale_vector *v = calloc(1, sizeof *v);
    if (!v) return fail(ALE_OUT_OF_MEMORY, "no memory for a vector");
    v->options = *options;
    v->count = count;
    v->process = os_process();
    atomic_flag_clear(&v->in_use);
    if (!v->options.batch_size) v->options.batch_size = count;
    if (!v->options.num_threads) v->options.num_threads = os_cpus();
    if (v->options.num_threads > v->options.batch_size) v->options.num_threads = v->options.batch_size;
    v->arena = arena_create();
    size_t sub_envs;
    const bool countable = !__builtin_mul_overflow(count, sizeof *v->sub_envs, &sub_envs);
    if (v->arena && countable) v->sub_envs = arena_take(v->arena, sub_envs, ARENA_DENSE);
    v->resizers = calloc(SCREEN_ROWS + 1, sizeof(resizer *));
    v->in_hand = calloc(count, sizeof *v->in_hand);
    v->order = calloc(count, sizeof *v->order);
    const size_t players = v->options.players;
    v->waits = calloc(count, sizeof *v->waits);
    v->choices = calloc(count, sizeof *v->choices);
    v->actions = calloc(count, players * sizeof *v->actions);
    v->strengths = calloc(count, players * sizeof *v->strengths);
    bool complete = v->sub_envs && v->resizers && v->in_hand && v->order && v->waits && v->choices && v->actions &&
                    v->strengths && make_batches(v);
    bool slow = false;
    ale_status status =
        complete ? make_sub_envs(v, roms, seeds, &slow) : fail(ALE_OUT_OF_MEMORY, "no memory for a vector");
    if (status == ALE_OK && !make_pool(v, slow)) status = fail(ALE_OUT_OF_MEMORY, "no memory for threads");
    if (status != ALE_OK) {
        vector_destroy(v);
        return status;
    }
    *created = v;
    return ALE_OK;
}

void vector_destroy(ale_vector *v) {
    if (!v) return;
    vector_stop_playing(v);
    pool_destroy(v->pool, v->process != os_process());
    vector_forget_stretches(v);
    for (uint32_t i = 0; v->sub_envs && i < v->count; i++) sub_env_free(&v->sub_envs[i]);
    starts_release(v->starts);
    starts_release(v->once);
    while (v->cache) v->cache = reset_cache_destroy(v->cache);
    for (int rows = 0; v->resizers && rows <= SCREEN_ROWS; rows++) resizer_destroy(v->resizers[rows]);
    for (uint32_t i = 0; v->batches && i < v->capacity; i++) free(v->batches[i].ids);
    free(v->batches);
    free(v->resizers);
    arena_destroy(v->arena);
    free(v->in_hand);
    free(v->order);
    free(v->waits);
    free(v->choices);
    free(v->actions);
    free(v->strengths);
    free(v);
}

/* ---- Asking -------------------------------------------------------------------------------------------- */

void vector_finish(ale_vector *v) { (void)pool_wait(v->pool, pool_is_idle, v->pool, 0); }

ale_status vector_wait(ale_vector *v) {
    return pool_wait(v->pool, pool_is_idle, v->pool, v->options.patience_ms) ? ALE_OK : ALE_UNFINISHED;
}

bool vector_was_reset(const ale_vector *v) { return v->was_reset && !atomic_load(&v->stopped); }

/* Drop all results that were not received.  Posted batches stay posted, and empty. */
void vector_discard(ale_vector *v) {
    vector_finish(v);
    for (uint64_t n = v->received; n < v->posted; n++) {
        posted_batch *batch = &v->batches[n % v->capacity];
        atomic_store(&batch->written, 0);
        atomic_store(&batch->failures, 0);
    }
    atomic_store(&v->results, v->received * v->options.batch_size);
    v->outstanding = 0;
    v->has_in_hand = false;
}

void vector_begin_anew(ale_vector *v) {
    vector_discard(v);
    for (uint32_t i = 0; i < v->count; i++) sub_env_keep_stack(&v->sub_envs[i]); /* batches are the caller's again */
    v->posted = v->received;
    v->was_reset = false;
}

static ale_status check_room(const ale_vector *v, uint64_t batches, uint64_t results) {
    uint64_t room = batches * v->options.batch_size;
    if (room >= results) return ALE_OK;
    return fail(ALE_OUT_OF_ORDER,
                "there will be %" PRIu64 " results outstanding, but batches for only %" PRIu64 " are posted",
                results, room);
}

static ale_status no_threads(void) { return fail(ALE_OUT_OF_MEMORY, "no thread could be started"); }

ale_status vector_ready(ale_vector *v, bool helped) {
    return pool_ready(v->pool, helped) ? ALE_OK : no_threads();
}

ale_status vector_publish(ale_vector *v, uint32_t count, bool helped) {
    if (!pool_publish(v->pool, v->order, count, helped)) return no_threads();
    for (uint32_t i = 0; i < count; i++) v->waits[v->order[i]] = false;
    v->outstanding += count;
    return ALE_OK;
}

void vector_run(ale_vector *v, uint32_t count) {
    const bool alone = !v->outstanding; /* otherwise vector_finish would wait for environments that play, too */
    if (count > 1 && alone && pool_publish(v->pool, v->order, count, true)) {
        vector_finish(v);
        return;
    }
    for (uint32_t i = 0; i < count; i++) work(v, v->order[i], NULL);
}

ale_status vector_post(ale_vector *v, const ale_batch *batch) {
    if (v->posted - v->received == v->capacity)
        return fail(ALE_OUT_OF_ORDER, "%u batches are posted already; receive one first", v->capacity);
    posted_batch *posted = &v->batches[v->posted++ % v->capacity];
    posted->memory = *batch;
    atomic_store(&posted->written, 0);
    atomic_store(&posted->failures, 0);
    return ALE_OK;
}

ale_status vector_reset(ale_vector *v, const uint8_t *mask, const int64_t *seeds) {
    return vector_reset_from(v, mask, seeds, NULL, NULL, NULL, NULL, false);
}

ale_status vector_reset_from(ale_vector *v, const uint8_t *mask, const int64_t *seeds, const int32_t *modes,
                             const int32_t *difficulties, const ale_starts *starts, const int32_t *indices,
                             bool exact) {
    uint32_t selected = 0;
    for (uint32_t i = 0; i < v->count; i++) {
        selected += !mask || mask[i];
        if (seeds && seeds[i] > UINT32_MAX)
            return fail(ALE_INVALID_ARGUMENT, "seeds[%u] is %" PRId64 "; seeds have 32 bits", i, seeds[i]);
    }
    vector_finish(v); /* only then is it known whether some were stopped */
    if (selected < v->count && !vector_was_reset(v))
        return fail(ALE_OUT_OF_ORDER, "the first reset must be of every environment (got %u of %u)", selected,
                    v->count);
    if (selected < v->count && v->options.batch_size < v->count)
        return fail(ALE_OUT_OF_ORDER,
                    "with a batch_size of %u, smaller than %u, every environment must be reset (got %u)",
                    v->options.batch_size, v->count, selected);
    ale_status status = check_room(v, v->posted - v->received, v->count);
    for (uint32_t i = 0; i < v->count && modes && status == ALE_OK; i++)
        if (!mask || mask[i]) status = sub_env_check_mode(&v->sub_envs[i], modes[i], difficulties[i]);
    if (status == ALE_OK && starts) status = vector_check_starts(v, mask, starts, indices, exact);
    if (status == ALE_OK) status = vector_ready(v, true);
    if (status != ALE_OK) return status;

    vector_discard(v);
    starts_release(v->once);
    v->once = starts_retain(starts);
    uint32_t n = 0, idle = selected; /* resets take long, so they are published first */
    for (uint32_t i = 0; i < v->count; i++) {
        sub_env *e = &v->sub_envs[i];
        bool chosen = !mask || mask[i];
        e->order = chosen ? SUB_ENV_RESET : SUB_ENV_IDLE;
        e->seed = seeds ? seeds[i] : -1;
        if (chosen && modes) {
            e->s.mode = modes[i];
            e->s.difficulty = difficulties[i];
        }
        if (chosen && starts) e->next = (beginning){starts, indices ? indices[i] : -1, exact};
        v->order[chosen ? n++ : idle++] = i;
    }
    v->was_reset = true;
    atomic_store(&v->stopped, false);
    return vector_publish(v, v->count, true);
}

static ale_status check_actions(const ale_vector *v, const uint32_t *ids, uint32_t count, const int32_t *actions) {
    const uint32_t players = v->options.players;
    for (uint32_t row = 0; row < count; row++) {
        const uint32_t id = ids[row];
        const int32_t *of_row = actions + (size_t)row * players;
        uint32_t usual = 0;
        while (usual < players && (uint32_t)of_row[usual] < v->choices[id]) usual++;
        if (usual == players) continue;
        const sub_env *e = &v->sub_envs[id];
        if (e->s.over && v->options.autoreset == ALE_NEXT_STEP) continue;
        if (e->s.over)
            return fail(ALE_OUT_OF_ORDER, "the episode of environment %u is over; reset it first", id);
        for (uint32_t p = 0; p < players; p++) {
            int32_t action = actions[row * players + p];
            if (sub_env_accepts(e, p, action)) continue;
            return fail(ALE_BAD_ACTION,
                        "actions[%u] is %d; environment %u (%s) has %d actions, 0 to %d", row * players + p,
                        action, id, e->env->game ? e->env->game->name : "no game", e->action_count,
                        e->action_count - 1);
        }
    }
    return ALE_OK;
}

static ale_status check_begun(const ale_vector *v) {
    if (!v->was_reset) return fail(ALE_OUT_OF_ORDER, "send() called before reset(); call reset() first");
    if (!vector_was_reset(v))
        return fail(ALE_OUT_OF_ORDER, "environments were stopped while they played; reset all of them first");
    return ALE_OK;
}

static ale_status check_send(const ale_vector *v, const int32_t *actions, uint64_t batches) {
    ale_status status = check_begun(v);
    if (status == ALE_OK && !v->has_in_hand)
        status = fail(ALE_OUT_OF_ORDER, "actions were sent already; call recv() before the next send()");
    if (status == ALE_OK) status = check_room(v, batches, (uint64_t)v->outstanding + v->options.batch_size);
    return status == ALE_OK ? check_actions(v, v->in_hand, v->options.batch_size, actions) : status;
}

/* Request a step of the sub-environments `ids`, and of those from v->order[count] to v->order[requested - 1] what was
 * ordered already. */
static ale_status send(ale_vector *v, const uint32_t *ids, uint32_t count, uint32_t requested, const int32_t *actions,
                       const float *strengths, bool helped) {
    const uint32_t players = v->options.players;
    uint32_t n = 0;
    for (uint32_t row = 0; row < count; row++) {
        const size_t to = (size_t)ids[row] * players, from = (size_t)row * players;
        for (uint32_t p = 0; p < players; p++) {
            v->actions[to + p] = actions[from + p];
            v->strengths[to + p] = strengths ? strengths[from + p] : 1.0f;
        }
        if (!v->choices[ids[row]]) v->order[n++] = ids[row]; /* resets take long, so they are published first */
    }
    for (uint32_t row = 0; row < count; row++)
        if (v->choices[ids[row]]) v->order[n++] = ids[row];
    ale_status status = vector_publish(v, requested, helped);
    if (status == ALE_OK) v->has_in_hand = false;
    return status;
}

ale_status vector_choose(ale_vector *v, int32_t *actions) {
    const uint32_t players = v->options.players;
    uint32_t n = 0;
    if (!v->has_in_hand)
        return fail(ALE_OUT_OF_ORDER, "no batch waits for actions; call reset() and recv() first");
    for (uint32_t row = 0; row < v->options.batch_size; row++) {
        sub_env *e = &v->sub_envs[v->in_hand[row]];
        if (!sub_env_has_policies(e)) continue;
        e->order = SUB_ENV_CHOOSE;
        v->order[n++] = v->in_hand[row];
    }
    vector_run(v, n);
    for (uint32_t row = 0; row < v->options.batch_size && n; row++) {
        const sub_env *e = &v->sub_envs[v->in_hand[row]];
        for (uint32_t p = 0; p < players; p++)
            if (e->seats[p].policy) actions[row * players + p] = e->actions[p];
    }
    return ALE_OK;
}

ale_status vector_send(ale_vector *v, const int32_t *actions, const float *strengths, bool helped) {
    ale_status status = check_send(v, actions, v->posted - v->received);
    const uint32_t size = v->options.batch_size;
    return status == ALE_OK ? send(v, v->in_hand, size, size, actions, strengths, helped) : status;
}

static void set_waiting(ale_vector *v, const uint32_t *ids, uint32_t count, bool waits) {
    for (uint32_t row = 0; row < count; row++) v->waits[ids[row]] = waits;
}

/* Mark sub-environments as those that wait no more: all of them, or none and fail. */
static ale_status take_waiting(ale_vector *v, const uint32_t *ids, uint32_t count) {
    uint32_t taken = 0;
    for (; taken < count && v->waits[ids[taken]]; taken++) v->waits[ids[taken]] = false;
    if (taken == count) return ALE_OK;
    set_waiting(v, ids, taken, true);
    return fail(ALE_OUT_OF_ORDER,
                "environment %u waits for no action: its result was not received yet, or it is there twice",
                ids[taken]);
}

ale_status vector_send_to(ale_vector *v, const uint32_t *ids, uint32_t count, const int32_t *actions,
                          const float *strengths) {
    const bool is_whole = v->options.batch_size == v->count;
    const uint32_t requested = is_whole ? v->count : count;
    ale_status status = check_begun(v);
    if (status == ALE_OK) status = take_waiting(v, ids, count);
    if (status != ALE_OK) return status;
    status = check_room(v, v->posted - v->received, (uint64_t)v->outstanding + requested);
    if (status == ALE_OK) status = check_actions(v, ids, count, actions);
    if (status == ALE_OK) status = vector_ready(v, false);
    if (status != ALE_OK) {
        set_waiting(v, ids, count, true);
        return status;
    }
    uint32_t n = count;
    for (uint32_t i = 0; n < requested; i++) {
        if (!v->waits[i]) continue;
        v->sub_envs[i].order = SUB_ENV_IDLE;
        v->order[n++] = i;
    }
    return send(v, ids, count, requested, actions, strengths, false);
}

/* ---- Receiving ----------------------------------------------------------------------------------------- */

static posted_batch *first_batch(ale_vector *v) { return &v->batches[v->received % v->capacity]; }

static bool is_filled(void *context) {
    ale_vector *v = context;
    if (v->options.batch_size == v->count) return pool_is_idle(v->pool);
    return atomic_load(&first_batch(v)->written) == v->options.batch_size;
}

ale_status vector_recv(ale_vector *v) {
    const uint32_t size = v->options.batch_size;
    if (v->outstanding < size)
        return fail(ALE_OUT_OF_ORDER,
                    "recv() called with %u results outstanding, too few for a batch of %u; call %s first",
                    v->outstanding, size, v->was_reset ? "send()" : "reset()");
    if (!pool_wait(v->pool, is_filled, v, v->options.patience_ms)) return ALE_UNFINISHED;
    posted_batch *batch = first_batch(v);
    v->received++;
    v->outstanding -= size;
    memcpy(v->in_hand, batch->ids, size * sizeof *v->in_hand);
    v->has_in_hand = true;
    set_waiting(v, batch->ids, size, true);
    for (uint32_t row = 0; row < size && atomic_load(&batch->failures); row++) {
        const sub_env *e = &v->sub_envs[batch->ids[row]];
        if (e->status != ALE_OK) return fail(e->status, "environment %u: %s", batch->ids[row], e->problem);
    }
    return ALE_OK;
}

ale_status vector_step(ale_vector *v, const int32_t *actions, const float *strengths,
                       const ale_batch *batch) {
    ale_status status = check_send(v, actions, v->posted - v->received + (batch != NULL));
    if (status == ALE_OK && batch) status = vector_post(v, batch);
    if (status != ALE_OK) return status;
    const uint32_t size = v->options.batch_size;
    status = send(v, v->in_hand, size, size, actions, strengths, true);
    if (status != ALE_OK) {
        if (batch) v->posted--;
        return status;
    }
    return vector_recv(v);
}
