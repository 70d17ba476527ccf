/* Memory for machine code, page by page. */
#include "executable.h"

#include <string.h>

#include "../../../support/os.h"

size_t executable_pages(size_t size) {
    size_t page = os_page_size();
    return (size + page - 1) / page * page;
}

bool executable_reserve(executable *memory, size_t size) {
    size = executable_pages(size);
    void *base = os_reserve(size);
    if (!base) return false;
    *memory = (executable){.base = base, .reserved = size};
    return true;
}

bool executable_append(executable *memory, const uint8_t *code, size_t size) {
    if (size == 0) return true;
    size_t pages = executable_pages(size);
    if (pages > memory->reserved - memory->used) return false;
    uint8_t *to = memory->base + memory->used;
    if (!os_make_writable(to, pages)) return false;
    memcpy(to, code, size);
    if (!os_make_executable(to, pages)) return false;
    memory->used += pages;
    return true;
}

void executable_release(executable *memory) {
    if (memory->base) os_unreserve(memory->base, memory->reserved);
    *memory = (executable){0};
}
