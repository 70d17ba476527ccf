/* Memory for machine code, by POSIX calls. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "executable.h"

#if defined(__unix__) || defined(__APPLE__)
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

static size_t whole_pages(size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (size + page - 1) / page * page;
}

bool executable_reserve(executable *memory, size_t size) {
    size = whole_pages(size);
    void *base = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return false;
    *memory = (executable){.base = base, .reserved = size};
    return true;
}

bool executable_append(executable *memory, const uint8_t *code, size_t size) {
    if (size == 0) return true;
    size_t pages = whole_pages(size);
    if (pages > memory->reserved - memory->used) return false;
    uint8_t *to = memory->base + memory->used;
    if (mprotect(to, pages, PROT_READ | PROT_WRITE)) return false;
    memcpy(to, code, size);
    if (mprotect(to, pages, PROT_READ | PROT_EXEC)) return false;
    __builtin___clear_cache((char *)to, (char *)to + size);
    memory->used += pages;
    return true;
}

void executable_release(executable *memory) {
    if (memory->base) munmap(memory->base, memory->reserved);
    *memory = (executable){0};
}

#else

bool executable_reserve(executable *memory, size_t size) {
    (void)memory, (void)size;
    return false;
}

bool executable_append(executable *memory, const uint8_t *code, size_t size) {
    (void)memory, (void)code, (void)size;
    return false;
}

void executable_release(executable *memory) { (void)memory; }

#endif
