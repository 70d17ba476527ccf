/* A fixed pool of threads that work on numbered jobs.
 *
 * Each thread has a home queue, and a job always goes to the same one, so what it works on stays in the caches of one
 * core.  A thread whose queue is empty takes jobs from the others'.  Threads without work spin for a tenth of a
 * millisecond and then sleep.
 *
 * One thread, the owner, publishes jobs and waits.  While it waits it may take the place of the pool's last thread, so
 * a pool of one needs no thread at all.  Threads are started when they are first needed. */
#ifndef ALE_POOL_H
#define ALE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pool pool;

/* `scratch` is the working thread's own memory. */
typedef void pool_job(void *context, uint32_t job, void *scratch);
typedef bool pool_condition(void *context);

typedef struct pool_options {
    uint32_t threads;        /* at least 1 */
    int32_t affinity_offset; /* thread i on CPU (offset + i) modulo their number; negative: anywhere */
    uint32_t most_jobs;      /* jobs are 0 to most_jobs - 1; each is published again only when it was worked on */
    size_t scratch;          /* bytes for each thread */
    bool long_jobs;          /* all jobs may take long, so the owner, which must return in time, leaves them to the
                                threads */
    pool_job *work;
    void *context;
} pool_options;

pool *pool_create(const pool_options *options); /* NULL: out of memory */
/* Drops jobs that have not begun.  `forked`: the threads do not exist in this process. */
void pool_destroy(pool *p, bool forked);
/* Start the threads that will work.  If only some can be started, those do all the work.  False: nothing could do the
 * work. */
bool pool_ready(pool *p, bool helped);
/* Leave the jobs of the next publications to the threads, because one took long: of POOL_REST at first, and of twice
 * as many each time.  It may have taken long only because other programs were busy. */
enum { POOL_REST = 64 };
void pool_rest(pool *p);
/* Publish jobs; those of one queue begin in this order.  `helped`: the owner calls pool_wait next and works as one of
 * the threads.  False: nothing could do the work, and nothing is published. */
bool pool_publish(pool *p, const uint32_t *jobs, uint32_t count, bool helped);
/* Wait for a condition that jobs establish and announce by pool_notify.  False: it did not hold within `patience_ms`
 * (0: no limit).  If the owner's own job took that long, the owner rests. */
bool pool_wait(pool *p, pool_condition *condition, void *context, uint32_t patience_ms);
void pool_notify(pool *p);
/* Return whether all published jobs are finished; a condition for pool_wait. */
bool pool_is_idle(void *p);

#endif
