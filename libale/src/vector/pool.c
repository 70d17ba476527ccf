/* The pool is lock-free while there is work.  A queue is a ring with two counters on cache lines that other threads
 * seldom want.  Mutexes and condition variables are only for sleeping and waking. */
#include "pool.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "../support/os.h"

enum { CACHE_LINE = 64, NANOSECONDS_PER_MS = 1000000 };

/* How long workers and the owner spin before they sleep.  Waking takes some 50 microseconds, about as long as a step of
 * an environment, so a program that steps in a loop should never cause it.  Fruitless spinning costs little: it happens
 * only where a step takes a millisecond or more anyway. */
enum { WORKER_SPINS_NS = 100000, OWNER_SPINS_NS = 200000, SPINS_PER_LOOK = 16 };

/* Job number n is ring[n % size].  An entry is read before it is claimed; there are never more unfinished
 * jobs than entries, so none is overwritten before it is claimed. */
typedef struct queue {
    _Alignas(64) _Atomic uint64_t published;
    _Atomic uint32_t *ring;
    _Alignas(64) _Atomic uint64_t claimed;
} queue;

typedef struct worker {
    _Alignas(64) pool *pool;
    uint32_t index;
    os_thread thread;
    atomic_bool asleep;
    os_mutex mutex; /* to sleep and to wake only */
    os_condition wakes;
} worker;

struct pool {
    pool_options options;
    queue *queues; /* one for each thread */
    uint32_t mask; /* entries of a ring - 1 */
    bool may_spin; /* there is a CPU for each thread */
    uint32_t resting, next_rest; /* publications that the owner leaves to the threads: from now on, and the next time */
    worker *workers;
    atomic_uint started; /* the first of the workers */
    size_t stride;    /* of scratch */
    uint8_t *scratch; /* of each thread, and of the owner */
    _Alignas(64) _Atomic uint64_t published; /* jobs, so far; before they are in their queues */
    atomic_uint news; /* counts publications: a thread that found no job looks again when it changes */
    atomic_bool stop, helped, in_tree; /* in_tree: each thread that is awake wakes two others */
    _Alignas(64) _Atomic uint64_t finished;
    _Alignas(64) atomic_uint sleepers;
    _Alignas(64) atomic_bool owner_sleeps;
    os_mutex mutex; /* for the owner to sleep */
    os_condition has_news;
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

static bool take_from(const pool *p, queue *q, uint32_t *job) {
    uint64_t n = atomic_load(&q->claimed);
    while (n < atomic_load(&q->published)) {
        *job = atomic_load_explicit(&q->ring[n & p->mask], memory_order_relaxed);
        if (atomic_compare_exchange_weak(&q->claimed, &n, n + 1)) return true;
    }
    return false;
}

/* Take a job of a thread's own queue, or of the next one that has any. */
static bool take(const pool *p, uint32_t thread, uint32_t *job) {
    for (uint32_t i = 0, at = thread; i < p->options.threads; i++) {
        if (take_from(p, &p->queues[at], job)) return true;
        if (++at == p->options.threads) at = 0;
    }
    return false;
}

static void finish(pool *p, uint64_t jobs) {
    const uint64_t finished = atomic_fetch_add(&p->finished, jobs) + jobs;
    if (finished == atomic_load(&p->published)) pool_notify(p);
}

static bool work_on_one(pool *p, uint32_t thread, void *scratch) {
    uint32_t job;
    if (!take(p, thread, &job)) return false;
    p->options.work(p->options.context, job, scratch);
    finish(p, 1);
    return true;
}

static uint8_t *scratch_of(const pool *p, uint32_t thread) { return p->scratch + thread * p->stride; }

/* The last thread pauses while the owner works in its place. */
static bool may_work(pool *p, uint32_t index) {
    return index + 1 < p->options.threads || !atomic_load(&p->helped);
}

static void rouse(worker *w) {
    if (!atomic_load(&w->asleep)) return;
    os_mutex_lock(&w->mutex);
    os_condition_signal(&w->wakes);
    os_mutex_unlock(&w->mutex);
}

/* Two of the threads that come after one in the tree. */
static void rouse_next(pool *p, uint32_t index) {
    for (uint32_t next = 2 * index + 2; next < 2 * index + 4 && next < p->started; next++) rouse(&p->workers[next]);
}

static void work(worker *self) {
    enum { MOST_UNTOLD = 64 };
    pool *p = self->pool;
    void *scratch = scratch_of(p, self->index);
    uint32_t job, untold = 0; /* finished */
    if (atomic_load(&p->in_tree)) rouse_next(p, self->index);
    while (!atomic_load(&p->stop) && may_work(p, self->index)) {
        if (!take_from(p, &p->queues[self->index], &job)) {
            if (untold) finish(p, untold);
            untold = 0;
            if (!work_on_one(p, self->index, scratch)) return;
            continue;
        }
        p->options.work(p->options.context, job, scratch);
        if (++untold < MOST_UNTOLD) continue;
        finish(p, untold);
        untold = 0;
    }
    if (untold) finish(p, untold);
}

static bool waits(pool *p, unsigned news) { return !atomic_load(&p->stop) && atomic_load(&p->news) == news; }

static void sleep_until(worker *self, unsigned news) {
    pool *p = self->pool;
    os_mutex_lock(&self->mutex);
    atomic_store(&self->asleep, true);
    atomic_fetch_add(&p->sleepers, 1);
    while (waits(p, news)) os_condition_wait(&self->wakes, &self->mutex);
    atomic_fetch_sub(&p->sleepers, 1);
    atomic_store(&self->asleep, false);
    os_mutex_unlock(&self->mutex);
}

static void *run_worker(void *argument) {
    worker *self = argument;
    pool *p = self->pool;
    while (!atomic_load(&p->stop)) {
        const unsigned news = atomic_load(&p->news);
        work(self);
        const int64_t until = p->may_spin ? os_now() + WORKER_SPINS_NS : 0;
        while (p->may_spin && waits(p, news) && os_now() < until) spin_briefly();
        if (waits(p, news)) sleep_until(self, news);
    }
    return NULL;
}

/* ---- Threads ------------------------------------------------------------------------------------------- */

static bool prepare(worker *w) {
    if (!os_mutex_init(&w->mutex)) return false;
    if (os_condition_init(&w->wakes)) return true;
    os_mutex_destroy(&w->mutex);
    return false;
}

static void start_threads(pool *p, uint32_t count) {
    const int32_t offset = p->options.affinity_offset;
    while (p->started < count) {
        worker *w = &p->workers[p->started];
        *w = (worker){.pool = p, .index = p->started};
        if (!prepare(w)) break;
        if (!os_thread_start(&w->thread, run_worker, w)) {
            os_condition_destroy(&w->wakes);
            os_mutex_destroy(&w->mutex);
            break;
        }
        if (offset >= 0) os_thread_stay_on(w->thread, (size_t)offset + w->index);
        p->started++;
    }
}

static bool make_locks(pool *p) {
    if (!os_mutex_init(&p->mutex)) return false;
    if (os_condition_init(&p->has_news)) return true;
    os_mutex_destroy(&p->mutex);
    return false;
}

static bool make_queues(pool *p) {
    const uint32_t threads = p->options.threads, most = p->options.most_jobs / threads + 1;
    uint32_t size = 1;
    while (size < most) size *= 2;
    p->mask = size - 1;
    p->queues = os_aligned_alloc(CACHE_LINE, threads * sizeof *p->queues);
    for (uint32_t i = 0; p->queues && i < threads; i++) p->queues[i] = (queue){0};
    for (uint32_t i = 0; p->queues && i < threads; i++)
        if (!(p->queues[i].ring = calloc(size, sizeof *p->queues[i].ring))) return false;
    return p->queues;
}

pool *pool_create(const pool_options *options) {
    pool *p = os_aligned_alloc(CACHE_LINE, sizeof *p);
    if (!p) return NULL;
    *p = (pool){.options = *options, .next_rest = POOL_REST};
    if (!make_locks(p)) {
        os_aligned_free(p);
        return NULL;
    }
    p->may_spin = options->threads <= os_cpus();
    p->stride = (options->scratch + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE + CACHE_LINE;
    p->workers = os_aligned_alloc(CACHE_LINE, options->threads * sizeof *p->workers);
    p->scratch = os_aligned_alloc(CACHE_LINE, (options->threads + (size_t)1) * p->stride);
    if (make_queues(p) && p->workers && p->scratch) return p;
    pool_destroy(p, false);
    return NULL;
}

void pool_destroy(pool *p, bool forked) {
    if (!p) return;
    if (!forked) {
        atomic_store(&p->stop, true);
        for (uint32_t i = 0; i < p->started; i++) rouse(&p->workers[i]);
        for (uint32_t i = 0; i < p->started; i++) {
            os_thread_join(p->workers[i].thread);
            os_condition_destroy(&p->workers[i].wakes);
            os_mutex_destroy(&p->workers[i].mutex);
        }
        os_condition_destroy(&p->has_news);
        os_mutex_destroy(&p->mutex);
    }
    for (uint32_t i = 0; p->queues && i < p->options.threads; i++) free((void *)p->queues[i].ring);
    os_aligned_free(p->queues);
    os_aligned_free(p->scratch);
    os_aligned_free(p->workers);
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

/* Wake threads for the jobs that no awake thread will take at once.  A thread that is about to sleep looks for news
 * again after it was counted, so no job is missed. */
static void wake(pool *p, uint64_t waiting, bool helped) {
    const uint32_t sleepers = atomic_load(&p->sleepers);
    if (!sleepers) return;
    const uint64_t before = atomic_load(&p->published) - waiting, finished = atomic_load(&p->finished);
    const uint64_t busy = before > finished ? before - finished : 0; /* or finished and not told */
    const uint64_t awake = p->started - sleepers + helped;
    const uint64_t idle = awake > busy ? awake - busy : 0;
    if (waiting <= idle) return;
    uint64_t needed = waiting - idle;
    if (atomic_load(&p->in_tree)) needed = 2;
    for (uint32_t i = 0; i < p->started && needed; i++) {
        if (!atomic_load(&p->workers[i].asleep)) continue;
        rouse(&p->workers[i]);
        needed--;
    }
}

/* Tell the threads to look for jobs. */
static void tell(pool *p, uint64_t waiting, bool helped) {
    enum { FEW = 4 };
    /* Only while none is at work will all look soon. */
    const bool idle = atomic_load(&p->published) - waiting <= atomic_load(&p->finished);
    atomic_store(&p->in_tree, idle && waiting > FEW && waiting >= p->started);
    atomic_fetch_add(&p->news, 1);
    wake(p, waiting, helped);
}

bool pool_publish(pool *p, const uint32_t *jobs, uint32_t count, bool helped) {
    if (!pool_ready(p, helped)) return false;
    helped = helped && may_help(p);
    if (p->resting) p->resting--;
    const uint64_t threads = p->options.threads;
    atomic_fetch_add(&p->published, count);
    for (uint32_t i = 0; i < count; i++) {
        queue *q = &p->queues[jobs[i] * threads / p->options.most_jobs];
        const uint64_t n = atomic_load_explicit(&q->published, memory_order_relaxed);
        atomic_store_explicit(&q->ring[n & p->mask], jobs[i], memory_order_relaxed);
        atomic_store_explicit(&q->published, n + 1, memory_order_release);
    }
    atomic_store(&p->helped, helped);
    tell(p, count, helped);
    return true;
}

/* The owner's job took longer than its patience, so leave the remaining jobs, and those that follow, to the threads. */
static void stop_helping(pool *p) {
    if (!pool_ready(p, false)) return; /* no thread could be started */
    pool_rest(p);
    atomic_store(&p->helped, false);
    uint64_t waiting = 0;
    for (uint32_t i = 0; i < p->options.threads; i++)
        waiting += atomic_load(&p->queues[i].published) - atomic_load(&p->queues[i].claimed);
    tell(p, waiting, false);
}

bool pool_wait(pool *p, pool_condition *condition, void *context, uint32_t patience_ms) {
    const bool helping = atomic_load(&p->helped);
    const int64_t patience = (int64_t)patience_ms * NANOSECONDS_PER_MS;
    int64_t now = os_now();
    const int64_t deadline = now + patience;
    while (helping && !condition(context)) {
        const int64_t begun = now;
        if (!work_on_one(p, p->options.threads - 1, scratch_of(p, p->options.threads))) break;
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
