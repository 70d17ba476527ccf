/* Tables of the values that saved fields can have.  Each file that owns a saved struct has such a table.  The library
 * checks states that come as bytes by these tables before it uses them, and the tests draw random states from them
 * (tests/random_state.h).  A function beside the table checks relations between fields.
 *
 * A check returns the name of the first field with an impossible value, or NULL if all are possible. */
#ifndef ALE_INVARIANTS_H
#define ALE_INVARIANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct invariant {
    const char *name; /* NULL at the end of the table */
    uint16_t offset, count; /* in the struct, and elements of an array */
    uint8_t size;           /* of an element: 1, 2, 4 or 8 bytes */
    uint8_t values;         /* 0: any from low to high (signed if low is negative); else the number in `value` */
    uint8_t value[4];
    int64_t low, high;
} invariant;

/* A field and its possible values, for example INVARIANT("riot.shift", riot_state, shift, ONE_OF(0, 3, 6, 10)).  The
 * other macros are for an array or a part of one. */
#define INVARIANT(names, type, member, ...)                                                                   \
    {.name = names, .offset = offsetof(type, member), .count = 1, .size = sizeof((type *)0)->member, __VA_ARGS__}
#define INVARIANTS(names, type, member, ...)                                                                  \
    INVARIANTS_FROM(names, type, member, 0, sizeof((type *)0)->member / sizeof *((type *)0)->member, __VA_ARGS__)
#define INVARIANTS_FROM(names, type, member, first, number, ...)                                              \
    {.name = names, .offset = offsetof(type, member) + (first) * sizeof *((type *)0)->member, .count = number, \
     .size = sizeof *((type *)0)->member, __VA_ARGS__}

#define IN_RANGE(lowest, highest) .low = lowest, .high = highest
#define ANY_VALUE IN_RANGE(INT64_MIN, INT64_MAX)
#define A_FLAG IN_RANGE(0, 1)
#define ONLY_ZERO IN_RANGE(0, 0)
#define ONE_OF(...) .values = sizeof((const uint8_t[]){__VA_ARGS__}), .value = {__VA_ARGS__}

static inline bool allows_any(const invariant *field) { return field->low == INT64_MIN; }
const char *invalid_field(const invariant *table, const void *fields);

static inline bool is_zero(const void *bytes, size_t count) {
    unsigned all = 0;
    for (size_t i = 0; i < count; i++) all |= ((const uint8_t *)bytes)[i];
    return all == 0;
}

#define EXPECT(condition, field)         \
    do {                                 \
        if (!(condition)) return field;  \
    } while (0)
/* Return from the caller if a nested check finds an invalid field. */
#define EXPECT_NONE(check)            \
    do {                              \
        const char *invalid_ = check; \
        if (invalid_) return invalid_; \
    } while (0)

#endif
