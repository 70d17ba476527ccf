/* A fixed pool of threads that work on numbered jobs.
 *
 * Jobs are handed out through atomic counters; nobody locks anything while there is work.  Threads without
 * work spin for a tenth of a millisecond and then sleep; only as many as there are jobs for are woken.
 * One thread, the owner's, publishes and waits; while it waits it may take the place of the last thread of the
 * pool, so that a pool of one needs no thread at all.
 * Threads are started when they are first needed. */
#ifndef ALE_POOL_H
#define ALE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pool pool;

/* `scratch` is memory of the thread that works. */
typedef void pool_job(void *context, uint32_t job, void *scratch);
typedef bool pool_condition(void *context);

typedef struct pool_options {
    uint32_t threads;        /* at least 1 */
    int32_t affinity_offset; /* thread i on CPU (offset + i) modulo their number; negative: anywhere */
    uint32_t most_jobs;      /* that are published and unfinished at a time */
    size_t scratch;          /* bytes for each thread */
    bool long_jobs;          /* jobs may take long: the owner, who may have to answer, leaves them to the threads */
    pool_job *work;
    void *context;
} pool_options;

pool *pool_create(const pool_options *options); /* NULL: out of memory */
/* Jobs that nobody has begun are dropped.  `forked`: the threads do not exist in this process. */
void pool_destroy(pool *p, bool forked);
/* Start the threads that jobs will be given to; where some cannot be started the others do their work.  False:
 * there is nobody to work. */
bool pool_ready(pool *p, bool helped);
/* Give out jobs, to be begun in this order.  `helped`: the owner is going to wait now, as one of the threads.
 * False, and nothing given out: there is nobody to work. */
bool pool_publish(pool *p, const uint32_t *jobs, uint32_t count, bool helped);
/* Wait until a condition holds that jobs bring about, and then tell by pool_notify.  False: it did not within
 * `patience_ms` (0: for ever), or within a job of the owner's, who takes no more jobs then. */
bool pool_wait(pool *p, pool_condition *condition, void *context, uint32_t patience_ms);
void pool_notify(pool *p);
/* Whether all jobs that were published are finished; a condition for pool_wait. */
bool pool_is_idle(void *p);

#endif
