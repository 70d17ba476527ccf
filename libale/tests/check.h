/* The whole test framework: CHECK notes a failure and goes on, `check_failures` is the exit status. */
#ifndef ALE_CHECK_H
#define ALE_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_failures;

/* Call a test, but where ALE_TEST_ONLY is set only those whose call has that text in it. */
#define RUN(call)                                     \
    do {                                              \
        const char *only_ = getenv("ALE_TEST_ONLY");  \
        if (!only_ || strstr(#call, only_)) call;     \
    } while (0)

#define CHECK(condition)                                                                        \
    do {                                                                                        \
        if (!(condition)) {                                                                     \
            fprintf(stderr, "%s:%d: CHECK(%s) failed\n", __FILE__, __LINE__, #condition);       \
            check_failures = 1;                                                                 \
        }                                                                                       \
    } while (0)

/* Of integers, showing both. */
#define CHECK_EQUAL(got, expected)                                                              \
    do {                                                                                        \
        long long got_ = (long long)(got), expected_ = (long long)(expected);                   \
        if (got_ != expected_) {                                                                \
            fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #got, got_,    \
                    expected_);                                                                 \
            check_failures = 1;                                                                 \
        }                                                                                       \
    } while (0)

/* How many turns a test takes that plays at random: all, or one out of as many as ALE_TEST_SHARE says, where another
 * build takes them all; or so many times as many as ALE_TEST_TIMES says, for hours. */
static inline int check_turns(int all) {
    const char *share_says = getenv("ALE_TEST_SHARE"), *times_says = getenv("ALE_TEST_TIMES");
    const int share = share_says ? atoi(share_says) : 1, times = times_says ? atoi(times_says) : 1;
    if (times > 1) return all * times;
    return share > 1 ? (all + share - 1) / share : all;
}

#endif
