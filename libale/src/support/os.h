/* The operating system's part: locks, threads, time, and memory pages.  os_posix.c, os_wasi.c and os_windows.c
 * implement it.  Only os_windows.c includes <windows.h>, because that defines hundreds of short names. */
#ifndef ALE_OS_H
#define ALE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if !defined(_WIN32)
#include <pthread.h>
#endif

/* ---- Locks: the functions that create them return false if memory is short ----------------------------- */

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
bool os_mutex_try(os_mutex *mutex); /* false if it is locked already */
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

/* Return false once `nanoseconds` have passed. */
bool os_condition_wait_for(os_condition *condition, os_mutex *mutex, int64_t nanoseconds);

/* ---- Threads ------------------------------------------------------------------------------------------- */

#if defined(_WIN32)
typedef void *os_thread; /* a HANDLE */
#else
typedef pthread_t os_thread;
#endif

/* Start a thread that blocks all signals, so that only the program's own threads handle them.  False: the system
 * refused. */
bool os_thread_start(os_thread *thread, void *(*run)(void *argument), void *argument);
void os_thread_join(os_thread thread);
/* Ask for a thread to run on one CPU; the number wraps round.  Some systems ignore this. */
void os_thread_stay_on(os_thread thread, size_t cpu);
void os_yield(void);

uint32_t os_cpus(void); /* CPUs that this process may run on */
long os_process(void);  /* the process id, which differs after a fork */
int64_t os_now(void);   /* nanoseconds since an arbitrary moment; never goes back */

/* ---- Memory -------------------------------------------------------------------------------------------- */

void *os_aligned_alloc(size_t alignment, size_t size); /* NULL: out of memory */
void os_aligned_free(void *memory);

uint64_t os_memory(void); /* the machine's memory in bytes; 0: unknown */
size_t os_page_size(void);
/* Reserve addresses of whole pages without memory.  NULL: the system refused. */
void *os_reserve(size_t size);
/* Make some of these pages writable, or make them executable and no longer writable.  False: the system refused. */
bool os_make_writable(void *pages, size_t size);
bool os_make_executable(void *pages, size_t size);
void os_unreserve(void *reserved, size_t size); /* all of it */

/* Allocate whole pages, all 0.  NULL: out of memory.  `dense` asks for large pages, as all of the memory will be used;
 * otherwise a page takes up memory only once it is written to. */
void *os_map(size_t size, bool dense);
void os_unmap(void *mapped, size_t size); /* all of it */

#endif
