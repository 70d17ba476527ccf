/* Memory for machine code: never writable and executable at once. */
#ifndef ALE_EXECUTABLE_H
#define ALE_EXECUTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct executable {
    uint8_t *base;
    size_t reserved, used; /* bytes; whole pages are used */
} executable;

/* Reserve addresses for `size` bytes; false where that is refused. */
bool executable_reserve(executable *memory, size_t size);
/* Copy code to memory->base + memory->used and make it executable; false, with nothing changed, where there
 * is no room or the system refuses. */
bool executable_append(executable *memory, const uint8_t *code, size_t size);
/* Bytes of the reserved memory that code of this size takes. */
size_t executable_pages(size_t size);
void executable_release(executable *memory);

#endif
