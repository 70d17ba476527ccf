/* The pool is lock-free while there is work: a ring of jobs with atomic counters.  The mutex and the two condition
 * variables are only for sleeping and waking. */
#include "pool.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "../support/os.h"

enum { CACHE_LINE = 64, NANOSECONDS_PER_MS = 1000000 };

/* How long workers and the owner spin before they sleep.  Waking takes some 50 microseconds, about as long as a step of
 * an environment, so a program that steps in a loop should never cause it.  Fruitless spinning costs little: it happens
 * only where a step takes a millisecond or more anyway. */
enum { WORKER_SPINS_NS = 100000, OWNER_SPINS_NS = 200000, SPINS_PER_LOOK = 16 };

typedef struct worker {
    pool *pool;
    uint32_t index;
    os_thread thread;
} worker;

/* Job number n is ring[n % size].  An entry is read before it is claimed; there are never more unfinished
 * jobs than entries, so none is overwritten before it is claimed. */
struct pool {
    pool_options options;
    _Atomic uint32_t *ring;
    uint32_t mask; /* size - 1 */
    _Alignas(64) _Atomic uint64_t published;
    _Alignas(64) _Atomic uint64_t claimed;
    _Alignas(64) _Atomic uint64_t finished;
    _Alignas(64) atomic_bool stop, helped, owner_sleeps;
    atomic_uint sleepers;
    os_mutex mutex; /* to sleep and to wake only */
    os_condition has_work, has_news;
    bool may_spin; /* there is a CPU for each thread */
    uint32_t resting, next_rest; /* publications that the owner leaves to the threads: from now on, and the next time */
    worker *workers;
    uint32_t started;
    size_t stride;    /* of scratch */
    uint8_t *scratch; /* of each thread, and of the owner */
};

static void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void spin_briefly(void) {
    for (int i = 0; i < SPINS_PER_LOOK; i++) pause_briefly();
}

/* ---- Work ---------------------------------------------------------------------------------------------- */

static bool work_on_one(pool *p, void *scratch) {
    uint64_t n = atomic_load(&p->claimed);
    while (n < atomic_load(&p->published)) {
        uint32_t job = atomic_load_explicit(&p->ring[n & p->mask], memory_order_relaxed);
        if (!atomic_compare_exchange_weak(&p->claimed, &n, n + 1)) continue;
        p->options.work(p->options.context, job, scratch);
        uint64_t finished = atomic_fetch_add(&p->finished, 1) + 1;
        if (finished == atomic_load(&p->published)) pool_notify(p);
        return true;
    }
    return false;
}

static uint8_t *scratch_of(const pool *p, uint32_t thread) { return p->scratch + thread * p->stride; }

/* The last thread pauses while the owner works in its place. */
static bool may_work(pool *p, uint32_t index) {
    return index + 1 < p->options.threads || !atomic_load(&p->helped);
}

static bool has_work(pool *p, uint32_t index) {
    return may_work(p, index) && atomic_load(&p->claimed) < atomic_load(&p->published);
}

static void sleep_until_work(pool *p, uint32_t index) {
    os_mutex_lock(&p->mutex);
    atomic_fetch_add(&p->sleepers, 1);
    while (!atomic_load(&p->stop) && !has_work(p, index)) os_condition_wait(&p->has_work, &p->mutex);
    atomic_fetch_sub(&p->sleepers, 1);
    os_mutex_unlock(&p->mutex);
}

static void *run_worker(void *argument) {
    const worker *self = argument;
    pool *p = self->pool;
    void *scratch = scratch_of(p, self->index);
    int64_t idle_since = 0; /* 0: there was work */
    while (!atomic_load(&p->stop)) {
        if (may_work(p, self->index) && work_on_one(p, scratch)) {
            idle_since = 0;
        } else if (p->may_spin && (!idle_since || os_now() - idle_since < WORKER_SPINS_NS)) {
            if (!idle_since) idle_since = os_now();
            spin_briefly();
        } else {
            sleep_until_work(p, self->index);
            idle_since = 0;
        }
    }
    return NULL;
}

/* ---- Threads ------------------------------------------------------------------------------------------- */

static void start_threads(pool *p, uint32_t count) {
    const int32_t offset = p->options.affinity_offset;
    while (p->started < count) {
        worker *w = &p->workers[p->started];
        *w = (worker){.pool = p, .index = p->started};
        if (!os_thread_start(&w->thread, run_worker, w)) break;
        if (offset >= 0) os_thread_stay_on(w->thread, (size_t)offset + w->index);
        p->started++;
    }
}

static bool make_locks(pool *p) {
    if (!os_mutex_init(&p->mutex)) return false;
    if (os_condition_init(&p->has_work)) {
        if (os_condition_init(&p->has_news)) return true;
        os_condition_destroy(&p->has_work);
    }
    os_mutex_destroy(&p->mutex);
    return false;
}

pool *pool_create(const pool_options *options) {
    pool *p = os_aligned_alloc(CACHE_LINE, sizeof *p);
    if (!p) return NULL;
    *p = (pool){.options = *options, .next_rest = POOL_REST};
    if (!make_locks(p)) {
        os_aligned_free(p);
        return NULL;
    }
    uint32_t size = 1;
    while (size < options->most_jobs) size *= 2;
    p->mask = size - 1;
    p->may_spin = options->threads <= os_cpus();
    p->stride = (options->scratch + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE + CACHE_LINE;
    p->ring = calloc(size, sizeof *p->ring);
    p->workers = calloc(options->threads, sizeof *p->workers);
    p->scratch = os_aligned_alloc(CACHE_LINE, (options->threads + (size_t)1) * p->stride);
    if (p->ring && p->workers && p->scratch) return p;
    pool_destroy(p, false);
    return NULL;
}

void pool_destroy(pool *p, bool forked) {
    if (!p) return;
    if (!forked) {
        os_mutex_lock(&p->mutex);
        atomic_store(&p->stop, true);
        os_condition_broadcast(&p->has_work);
        os_mutex_unlock(&p->mutex);
        for (uint32_t i = 0; i < p->started; i++) os_thread_join(p->workers[i].thread);
        os_condition_destroy(&p->has_news);
        os_condition_destroy(&p->has_work);
        os_mutex_destroy(&p->mutex);
    }
    os_aligned_free(p->scratch);
    free(p->workers);
    free((void *)p->ring);
    os_aligned_free(p);
}

/* ---- The owner ----------------------------------------------------------------------------------------- */

/* With pinned threads the owner does not work, because it is not pinned. */
static bool may_help(const pool *p) {
    return p->options.affinity_offset < 0 && !p->options.long_jobs && !p->resting;
}

void pool_rest(pool *p) {
    enum { LONGEST_REST = 1 << 20 };
    p->resting = p->next_rest;
    if (p->next_rest < LONGEST_REST) p->next_rest *= 2;
}

bool pool_ready(pool *p, bool helped) {
    helped = helped && may_help(p);
    start_threads(p, helped ? p->options.threads - 1 : p->options.threads);
    return helped || p->started > 0;
}

/* Wake one thread for each job that no awake thread will take at once.  A thread that is about to sleep looks for work
 * again after it was counted, so no job is missed. */
static void wake(pool *p, bool helped) {
    const uint32_t sleepers = atomic_load(&p->sleepers);
    if (!sleepers) return;
    const uint64_t finished = atomic_load(&p->finished), claimed = atomic_load(&p->claimed);
    const uint64_t waiting = atomic_load(&p->published) - claimed, busy = claimed - finished;
    const uint64_t awake = p->started - sleepers + helped;
    const uint64_t idle = awake > busy ? awake - busy : 0;
    if (waiting <= idle) return;
    /* Signal all: a single signal could reach the thread that pauses while the owner works. */
    const bool all = waiting - idle >= sleepers || p->started == p->options.threads;
    os_mutex_lock(&p->mutex);
    if (all) os_condition_broadcast(&p->has_work);
    for (uint64_t i = idle; i < waiting && !all; i++) os_condition_signal(&p->has_work);
    os_mutex_unlock(&p->mutex);
}

bool pool_publish(pool *p, const uint32_t *jobs, uint32_t count, bool helped) {
    if (!pool_ready(p, helped)) return false;
    helped = helped && may_help(p);
    if (p->resting) p->resting--;
    uint64_t n = atomic_load_explicit(&p->published, memory_order_relaxed);
    for (uint32_t i = 0; i < count; i++)
        atomic_store_explicit(&p->ring[(n + i) & p->mask], jobs[i], memory_order_relaxed);
    atomic_store(&p->helped, helped);
    atomic_store(&p->published, n + count);
    wake(p, helped);
    return true;
}

/* The owner's job took longer than its patience, so leave the remaining jobs, and those that follow, to the threads. */
static void stop_helping(pool *p) {
    if (!pool_ready(p, false)) return; /* no thread could be started */
    pool_rest(p);
    atomic_store(&p->helped, false);
    wake(p, false);
}

bool pool_wait(pool *p, pool_condition *condition, void *context, uint32_t patience_ms) {
    const bool helping = atomic_load(&p->helped);
    const int64_t patience = (int64_t)patience_ms * NANOSECONDS_PER_MS;
    int64_t now = os_now();
    const int64_t deadline = now + patience;
    while (helping && !condition(context)) {
        const int64_t begun = now;
        if (!work_on_one(p, scratch_of(p, p->options.threads))) break;
        if (patience_ms && (now = os_now()) >= deadline) {
            if (now - begun >= patience) stop_helping(p);
            return condition(context);
        }
    }
    /* An owner that does not work shares its CPU with a thread, so it spins for less time. */
    const int64_t until = p->may_spin ? os_now() + (helping ? OWNER_SPINS_NS : OWNER_SPINS_NS / 10) : 0;
    while (!condition(context) && os_now() < until) spin_briefly();
    if (condition(context)) return true;

    bool in_time = true;
    os_mutex_lock(&p->mutex);
    atomic_store(&p->owner_sleeps, true);
    while (!condition(context) && in_time) {
        if (patience_ms)
            in_time = os_condition_wait_for(&p->has_news, &p->mutex, deadline - os_now());
        else
            os_condition_wait(&p->has_news, &p->mutex);
    }
    atomic_store(&p->owner_sleeps, false);
    os_mutex_unlock(&p->mutex);
    return condition(context);
}

void pool_notify(pool *p) {
    if (!atomic_load(&p->owner_sleeps)) return;
    os_mutex_lock(&p->mutex);
    os_condition_signal(&p->has_news);
    os_mutex_unlock(&p->mutex);
}

bool pool_is_idle(void *p) {
    pool *self = p;
    return atomic_load(&self->finished) == atomic_load(&self->published);
}
