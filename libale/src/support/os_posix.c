/* The operating system under POSIX, with extras where Linux has them: CPU affinity and huge pages. */
#define _GNU_SOURCE /* CPU affinity, MAP_ANONYMOUS */
#include "os.h"

#if !defined(_WIN32) && !defined(__wasi__)
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

enum { NANOSECONDS = 1000000000 };

/* ---- Time, and locks that know it ---------------------------------------------------------------------- */

static int64_t read_clock(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * NANOSECONDS + time.tv_nsec;
}

int64_t os_now(void) { return read_clock(CLOCK_MONOTONIC); }

bool os_condition_wait_for(os_condition *condition, os_mutex *mutex, int64_t nanoseconds) {
    const int64_t until = read_clock(CLOCK_REALTIME) + (nanoseconds > 0 ? nanoseconds : 0);
    const struct timespec time = {.tv_sec = (time_t)(until / NANOSECONDS),
                                  .tv_nsec = (long)(until % NANOSECONDS)};
    return pthread_cond_timedwait(condition, mutex, &time) == 0;
}

/* ---- Threads ------------------------------------------------------------------------------------------- */

bool os_thread_start(os_thread *thread, void *(*run)(void *), void *argument) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(thread, NULL, run, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

void os_thread_join(os_thread thread) { pthread_join(thread, NULL); }
void os_yield(void) { sched_yield(); }
long os_process(void) { return getpid(); }

static size_t cpus_of_machine(void) {
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (size_t)count;
}

#if defined(__linux__)
void os_thread_stay_on(os_thread thread, size_t cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu % cpus_of_machine(), &set);
    (void)pthread_setaffinity_np(thread, sizeof set, &set);
}

uint32_t os_cpus(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (uint32_t)CPU_COUNT(&set)
                                                       : (uint32_t)cpus_of_machine();
}
#else
void os_thread_stay_on(os_thread thread, size_t cpu) { (void)thread, (void)cpu; }
uint32_t os_cpus(void) { return (uint32_t)cpus_of_machine(); }
#endif

/* ---- Memory -------------------------------------------------------------------------------------------- */

void *os_aligned_alloc(size_t alignment, size_t size) {
    void *memory;
    return posix_memalign(&memory, alignment, size) == 0 ? memory : NULL;
}

void os_aligned_free(void *memory) { free(memory); }

#if defined(_SC_PHYS_PAGES) && !defined(__wasm__) /* whose memory grows */
uint64_t os_memory(void) {
    const long pages = sysconf(_SC_PHYS_PAGES);
    return pages > 0 ? (uint64_t)pages * os_page_size() : 0;
}
#else
uint64_t os_memory(void) { return 0; }
#endif

size_t os_page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

void *os_reserve(size_t size) {
    void *pages = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

bool os_make_writable(void *pages, size_t size) { return mprotect(pages, size, PROT_READ | PROT_WRITE) == 0; }

#if defined(__wasm__) /* memory holds no code there */
bool os_make_executable(void *pages, size_t size) {
    (void)pages, (void)size;
    return false;
}
#else
bool os_make_executable(void *pages, size_t size) {
    if (mprotect(pages, size, PROT_READ | PROT_EXEC) != 0) return false;
    __builtin___clear_cache(pages, (char *)pages + size);
    return true;
}
#endif

void os_unreserve(void *reserved, size_t size) { munmap(reserved, size); }

void *os_map(size_t size, bool dense) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (pages == MAP_FAILED) return NULL;
#if defined(MADV_HUGEPAGE)
    (void)madvise(pages, size, dense ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#else
    (void)dense;
#endif
    return pages;
}

void os_unmap(void *mapped, size_t size) { munmap(mapped, size); }

#endif
