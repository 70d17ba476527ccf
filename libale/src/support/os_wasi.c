/* The operating system under WASI, for WebAssembly in a web page.  There is one thread, memory is never executable, and
 * all memory comes from malloc. */
#include "os.h"

#if defined(__wasi__)
#include <stdlib.h>
#include <string.h>

/* There is no clock, and none is needed: there are no threads to wait for and no ways to time. */
int64_t os_now(void) { return 0; }

/* There is no other thread that could signal it. */
bool os_condition_wait_for(os_condition *condition, os_mutex *mutex, int64_t nanoseconds) {
    (void)condition, (void)mutex, (void)nanoseconds;
    return false;
}

bool os_thread_start(os_thread *thread, void *(*run)(void *), void *argument) {
    (void)thread, (void)run, (void)argument;
    return false;
}

void os_thread_join(os_thread thread) { (void)thread; }
void os_thread_stay_on(os_thread thread, size_t cpu) { (void)thread, (void)cpu; }
void os_yield(void) {}
uint32_t os_cpus(void) { return 1; }
long os_process(void) { return 1; }

void *os_aligned_alloc(size_t alignment, size_t size) {
    void *memory;
    return posix_memalign(&memory, alignment, size) == 0 ? memory : NULL;
}

void os_aligned_free(void *memory) { free(memory); }

uint64_t os_memory(void) { return 0; }
size_t os_page_size(void) { return 4096; }

void *os_reserve(size_t size) {
    (void)size;
    return NULL;
}

bool os_make_writable(void *pages, size_t size) {
    (void)pages, (void)size;
    return false;
}

bool os_make_executable(void *pages, size_t size) {
    (void)pages, (void)size;
    return false;
}

void os_unreserve(void *reserved, size_t size) { (void)reserved, (void)size; }

void *os_map(size_t size, bool dense) {
    (void)dense;
    void *pages = os_aligned_alloc(os_page_size(), size);
    return pages ? memset(pages, 0, size) : NULL;
}

void os_unmap(void *mapped, size_t size) {
    (void)size;
    os_aligned_free(mapped);
}

#endif
