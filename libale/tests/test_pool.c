/* The pool of threads that a vector plays on. */
#include <stdbool.h>
#include <string.h>

#include "check.h"
#include "numbers.h"
#include "support/os.h"
#include "vector/pool.h"

enum { JOBS = 40 };

static uint32_t random_state = 1;
static uint32_t random_below(uint32_t limit) { return next_random(&random_state) % limit; }

static void count_job(void *context, uint32_t job, void *scratch) {
    uint32_t *done = context;
    done[job]++;
    memset(scratch, (int)job, 64); /* each thread has its own */
}

static void wait_a_millisecond(void) {
    const int64_t until = os_now() + 1000000;
    while (os_now() < until) os_yield();
}

/* Every job is done once, however many threads there are, awake or asleep, and whether the owner helps. */
static void test_pool(void) {
    static const uint32_t counts[] = {1, 2, 3, 5, 9, 33};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        const uint32_t threads = counts[c];
        uint32_t done[JOBS] = {0}, expected[JOBS] = {0}, jobs[JOBS];
        const pool_options options = {
            .threads = threads,
            .affinity_offset = -1,
            .most_jobs = JOBS,
            .scratch = 64,
            .work = count_job,
            .context = done,
        };
        pool *p = pool_create(&options);
        for (int round = 0; round < 300; round++) {
            uint32_t count = random_below(JOBS + 1), first = random_below(JOBS);
            for (uint32_t i = 0; i < count; i++) expected[jobs[i] = (first + i) % JOBS]++;
            CHECK(pool_publish(p, jobs, count, random_below(4) > 0));
            CHECK(pool_wait(p, pool_is_idle, p, 0));
            CHECK(memcmp(done, expected, sizeof done) == 0);
            if (round % 50 == 0) wait_a_millisecond(); /* all fall asleep */
        }
        pool_destroy(p, false);
    }
}

typedef struct where {
    void *scratch;    /* of the thread that did the latest job */
    int64_t duration; /* of the next jobs, in nanoseconds */
} where;

static void note_thread(void *context, uint32_t job, void *scratch) {
    where *w = context;
    const int64_t until = os_now() + w->duration;
    (void)job;
    while (os_now() < until) os_yield();
    w->scratch = scratch;
}

static void *run_one(pool *p, where *w, uint32_t patience_ms) {
    const uint32_t job = 0;
    CHECK(pool_publish(p, &job, 1, true));
    while (!pool_wait(p, pool_is_idle, p, patience_ms)) continue;
    return w->scratch;
}

/* Return whether the owner does a job soon.  A thread that is about to pause may still take one. */
static bool owner_works(pool *p, where *w, const void *owner, uint32_t patience_ms) {
    for (int i = 0; i < 100; i++)
        if (run_one(p, w, patience_ms) == owner) return true;
    return false;
}

/* The owner of a pool of one does all jobs until one takes longer than its patience.  Then the thread does the next
 * ones, and after these the owner again: the job may have waited for other programs only. */
static void test_rest(void) {
    where w = {0};
    const pool_options options = {
        .threads = 1,
        .affinity_offset = -1,
        .most_jobs = 1,
        .scratch = 64,
        .work = note_thread,
        .context = &w,
    };
    pool *p = pool_create(&options);
    const void *const owner = run_one(p, &w, 0);
    for (int rest = POOL_REST, times = 0; times < 3; times++, rest *= 2) {
        w.duration = 3000000;
        CHECK(owner_works(p, &w, owner, 1));
        w.duration = 0;
        for (int i = 0; i < rest; i++) CHECK(run_one(p, &w, 0) != owner);
        CHECK(owner_works(p, &w, owner, 0));
    }
    pool_destroy(p, false);
}

int main(void) {
    RUN(test_pool());
    RUN(test_rest());
    return check_failures;
}
