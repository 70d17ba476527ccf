/* The operating system: Windows 7 or later. */
#include "os.h"

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <malloc.h>
#include <stdlib.h>
#include <windows.h>

enum { NANOSECONDS = 1000000000, NANOSECONDS_PER_MS = 1000000 };

/* ---- Time ---------------------------------------------------------------------------------------------- */

int64_t os_now(void) {
    LARGE_INTEGER ticks, per_second;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&per_second);
    const int64_t seconds = ticks.QuadPart / per_second.QuadPart, rest = ticks.QuadPart % per_second.QuadPart;
    return seconds * NANOSECONDS + rest * NANOSECONDS / per_second.QuadPart;
}

/* ---- Locks: slim locks, which are initialised by zeros and need no cleanup ----------------------------- */

_Static_assert(sizeof(os_mutex) == sizeof(SRWLOCK) && sizeof(os_condition) == sizeof(CONDITION_VARIABLE),
               "os.h has their sizes");

static SRWLOCK *lock_of(os_mutex *mutex) { return (SRWLOCK *)mutex; }
static CONDITION_VARIABLE *variable_of(os_condition *condition) { return (CONDITION_VARIABLE *)condition; }

bool os_mutex_init(os_mutex *mutex) {
    InitializeSRWLock(lock_of(mutex));
    return true;
}

void os_mutex_destroy(os_mutex *mutex) { (void)mutex; }
void os_mutex_lock(os_mutex *mutex) { AcquireSRWLockExclusive(lock_of(mutex)); }
bool os_mutex_try(os_mutex *mutex) { return TryAcquireSRWLockExclusive(lock_of(mutex)); }
void os_mutex_unlock(os_mutex *mutex) { ReleaseSRWLockExclusive(lock_of(mutex)); }

bool os_condition_init(os_condition *condition) {
    InitializeConditionVariable(variable_of(condition));
    return true;
}

void os_condition_destroy(os_condition *condition) { (void)condition; }

void os_condition_wait(os_condition *condition, os_mutex *mutex) {
    SleepConditionVariableSRW(variable_of(condition), lock_of(mutex), INFINITE, 0);
}

bool os_condition_wait_for(os_condition *condition, os_mutex *mutex, int64_t nanoseconds) {
    int64_t ms = nanoseconds > 0 ? (nanoseconds + NANOSECONDS_PER_MS - 1) / NANOSECONDS_PER_MS : 0;
    if (ms >= INFINITE) ms = INFINITE - 1;
    return SleepConditionVariableSRW(variable_of(condition), lock_of(mutex), (DWORD)ms, 0);
}

void os_condition_signal(os_condition *condition) { WakeConditionVariable(variable_of(condition)); }
void os_condition_broadcast(os_condition *condition) { WakeAllConditionVariable(variable_of(condition)); }

/* ---- Threads ------------------------------------------------------------------------------------------- */

typedef struct task {
    void *(*run)(void *);
    void *argument;
} task;

static DWORD WINAPI run_task(void *started) {
    const task now = *(task *)started;
    free(started);
    now.run(now.argument);
    return 0;
}

bool os_thread_start(os_thread *thread, void *(*run)(void *), void *argument) {
    task *start = malloc(sizeof *start);
    if (!start) return false;
    *start = (task){run, argument};
    *thread = CreateThread(NULL, 0, run_task, start, 0, NULL);
    if (!*thread) free(start);
    return *thread;
}

void os_thread_join(os_thread thread) {
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
}

/* This counts only the CPUs of the processor group that the process was started in, which has at most 64. */
static DWORD_PTR cpus_of(bool machine) {
    DWORD_PTR of_process, of_machine;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &of_process, &of_machine)) return 1;
    return machine ? of_machine : of_process;
}

static uint32_t count(DWORD_PTR cpus) {
    uint32_t n = 0;
    for (; cpus; cpus &= cpus - 1) n++;
    return n ? n : 1;
}

void os_thread_stay_on(os_thread thread, size_t cpu) {
    (void)SetThreadAffinityMask(thread, (DWORD_PTR)1 << cpu % count(cpus_of(true)));
}

uint32_t os_cpus(void) { return count(cpus_of(false)); }
void os_yield(void) { SwitchToThread(); }
long os_process(void) { return (long)GetCurrentProcessId(); }

/* ---- Memory -------------------------------------------------------------------------------------------- */

void *os_aligned_alloc(size_t alignment, size_t size) { return _aligned_malloc(size, alignment); }
void os_aligned_free(void *memory) { _aligned_free(memory); }

uint64_t os_memory(void) {
    MEMORYSTATUSEX status = {.dwLength = sizeof status};
    return GlobalMemoryStatusEx(&status) ? status.ullTotalPhys : 0;
}

size_t os_page_size(void) {
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwPageSize;
}

void *os_reserve(size_t size) { return VirtualAlloc(NULL, size, MEM_RESERVE, PAGE_NOACCESS); }
bool os_make_writable(void *pages, size_t size) {
    return VirtualAlloc(pages, size, MEM_COMMIT, PAGE_READWRITE);
}

bool os_make_executable(void *pages, size_t size) {
    DWORD before;
    return VirtualProtect(pages, size, PAGE_EXECUTE_READ, &before) &&
           FlushInstructionCache(GetCurrentProcess(), pages, size);
}

void os_unreserve(void *reserved, size_t size) {
    (void)size;
    VirtualFree(reserved, 0, MEM_RELEASE);
}

void *os_map(size_t size, bool dense) {
    (void)dense;
    return VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void os_unmap(void *mapped, size_t size) {
    (void)size;
    VirtualFree(mapped, 0, MEM_RELEASE);
}

#endif
