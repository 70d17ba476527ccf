/* Checks of the ABI's arguments, and copies of structs that grow from version to version. */
#ifndef ALE_ARGUMENTS_H
#define ALE_ARGUMENTS_H

#include <stdbool.h>
#include <string.h>

#include "error.h"

#define REQUIRE(condition, ...)                                           \
    do {                                                                  \
        if (!(condition)) return fail(ALE_INVALID_ARGUMENT, __VA_ARGS__); \
    } while (0)
#define REQUIRE_POINTER(pointer) REQUIRE((pointer) != NULL, #pointer " is NULL")

/* A caller's struct may be shorter than the library's, or longer; bytes that the library does not know must be 0. */
static inline ale_status read_struct(const char *name, void *to, size_t full_size, const void *from) {
    uint32_t size;
    memcpy(&size, from, sizeof size);
    REQUIRE(size >= sizeof size, "%s->struct_size is %u; it must be the size of the struct", name, size);
    for (size_t i = full_size; i < size; i++)
        REQUIRE(((const uint8_t *)from)[i] == 0, "%s sets fields that this library does not know", name);
    memcpy(to, from, size < full_size ? size : full_size);
    memcpy(to, &(uint32_t){(uint32_t)full_size}, sizeof(uint32_t));
    return ALE_OK;
}

static inline ale_status write_struct(const char *name, void *to, const void *from, size_t full_size) {
    uint32_t size;
    memcpy(&size, to, sizeof size);
    REQUIRE(size >= sizeof size, "%s->struct_size is %u; it must be the size of the struct", name, size);
    size_t shared = size < full_size ? size : full_size;
    memcpy((uint8_t *)to + sizeof size, (const uint8_t *)from + sizeof size, shared - sizeof size);
    memset((uint8_t *)to + shared, 0, size - shared);
    return ALE_OK;
}

static inline void init_struct(void *to, uint32_t struct_size, const void *defaults, size_t full_size) {
    if (!to || struct_size < sizeof struct_size) return;
    memset(to, 0, struct_size);
    memcpy(to, defaults, struct_size < full_size ? struct_size : full_size);
    memcpy(to, &struct_size, sizeof struct_size);
}

static inline bool is_flag(uint32_t number) { return number <= 1; }

#endif
