/* What the library asks of the operating system: locks, threads, the time, memory of a kind.  os_posix.c, os_wasi.c and
 * os_windows.c answer; <windows.h>, which defines hundreds of short names, stays in the latter. */
#ifndef ALE_OS_H
#define ALE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if !defined(_WIN32)
#include <pthread.h>
#endif

/* ---- Locks: those that are made by a function which may return false for want of memory ---------------- */

#if defined(_WIN32)
typedef struct os_mutex {
    void *lock;
} os_mutex; /* an SRWLOCK */
typedef struct os_condition {
    void *variable;
} os_condition; /* a CONDITION_VARIABLE */

bool os_mutex_init(os_mutex *mutex);
void os_mutex_destroy(os_mutex *mutex);
void os_mutex_lock(os_mutex *mutex);
bool os_mutex_try(os_mutex *mutex); /* false: it is locked */
void os_mutex_unlock(os_mutex *mutex);

bool os_condition_init(os_condition *condition);
void os_condition_destroy(os_condition *condition);
void os_condition_wait(os_condition *condition, os_mutex *mutex);
void os_condition_signal(os_condition *condition);
void os_condition_broadcast(os_condition *condition);
#else
typedef pthread_mutex_t os_mutex;
typedef pthread_cond_t os_condition;

static inline bool os_mutex_init(os_mutex *mutex) { return pthread_mutex_init(mutex, NULL) == 0; }
static inline void os_mutex_destroy(os_mutex *mutex) { pthread_mutex_destroy(mutex); }
static inline void os_mutex_lock(os_mutex *mutex) { pthread_mutex_lock(mutex); }
static inline bool os_mutex_try(os_mutex *mutex) { return pthread_mutex_trylock(mutex) == 0; }
static inline void os_mutex_unlock(os_mutex *mutex) { pthread_mutex_unlock(mutex); }

static inline bool os_condition_init(os_condition *condition) {
    return pthread_cond_init(condition, NULL) == 0;
}
static inline void os_condition_destroy(os_condition *condition) { pthread_cond_destroy(condition); }
static inline void os_condition_wait(os_condition *condition, os_mutex *mutex) {
    pthread_cond_wait(condition, mutex);
}
static inline void os_condition_signal(os_condition *condition) { pthread_cond_signal(condition); }
static inline void os_condition_broadcast(os_condition *condition) { pthread_cond_broadcast(condition); }
#endif

/* False: so many nanoseconds have passed. */
bool os_condition_wait_for(os_condition *condition, os_mutex *mutex, int64_t nanoseconds);

/* ---- Threads ------------------------------------------------------------------------------------------- */

#if defined(_WIN32)
typedef void *os_thread; /* a HANDLE */
#else
typedef pthread_t os_thread;
#endif

/* Start a thread, which no signal reaches: those are for the program's own.  False: there is none to be had.
 */
bool os_thread_start(os_thread *thread, void *(*run)(void *argument), void *argument);
void os_thread_join(os_thread thread);
/* On one CPU of the machine, counted round and round; a wish, which not every system grants. */
void os_thread_stay_on(os_thread thread, size_t cpu);
void os_yield(void);

uint32_t os_cpus(void); /* that this process may run on */
long os_process(void);  /* the number of this process; one forked from it has another */
int64_t os_now(void);   /* nanoseconds since some moment */

/* ---- Memory -------------------------------------------------------------------------------------------- */

void *os_aligned_alloc(size_t alignment, size_t size); /* NULL: out of memory */
void os_aligned_free(void *memory);

uint64_t os_memory(void); /* bytes that the machine has; 0: not known */
size_t os_page_size(void);
/* Addresses for whole pages, without memory; NULL: refused. */
void *os_reserve(size_t size);
/* Give some of these pages memory to write to, or let what was written be run instead.  False: refused. */
bool os_make_writable(void *pages, size_t size);
bool os_make_executable(void *pages, size_t size);
void os_unreserve(void *reserved, size_t size); /* all of it */

/* Whole pages of memory, all 0; NULL: out of memory.  `dense`: all of it will be used, and large pages are welcome;
 * otherwise each page takes up memory when it is written to. */
void *os_map(size_t size, bool dense);
void os_unmap(void *mapped, size_t size); /* all of it */

#endif
