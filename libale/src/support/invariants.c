/* Checks each element of each field by its table entry. */
#include "invariants.h"

#include <string.h>

/* Read an element, which may be unaligned. */
static int64_t element(const uint8_t *from, unsigned size, bool is_signed) {
    uint8_t byte;
    uint16_t two;
    uint32_t four;
    int64_t eight;
    switch (size) {
    case 1: memcpy(&byte, from, 1); return is_signed ? (int8_t)byte : byte;
    case 2: memcpy(&two, from, 2); return is_signed ? (int16_t)two : two;
    case 4: memcpy(&four, from, 4); return is_signed ? (int32_t)four : (int64_t)four;
    default: memcpy(&eight, from, 8); return eight;
    }
}

static bool is_allowed(const invariant *field, int64_t value) {
    if (!field->values) return value >= field->low && value <= field->high;
    for (unsigned i = 0; i < field->values; i++)
        if (value == field->value[i]) return true;
    return false;
}

const char *invalid_field(const invariant *table, const void *fields) {
    for (const invariant *field = table; field->name; field++) {
        if (allows_any(field)) continue;
        const uint8_t *from = (const uint8_t *)fields + field->offset;
        for (unsigned i = 0; i < field->count; i++, from += field->size)
            EXPECT(is_allowed(field, element(from, field->size, field->low < 0)), field->name);
    }
    return NULL;
}
