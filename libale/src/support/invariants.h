/* What the library saves, field by field: each file that owns a struct has a table of its fields, and of the values
 * that ever are in each.  States that come as bytes are checked by these tables before they are used, and the tests
 * draw random states from them (tests/random_state.h).  What one field says of another is checked by a function beside
 * the table.
 *
 * A check returns the name of the first field whose value the library never saves; NULL: there is none. */
#ifndef ALE_INVARIANTS_H
#define ALE_INVARIANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct invariant {
    const char *name; /* NULL: the table ends */
    uint16_t offset, count; /* in the struct, and elements of an array */
    uint8_t size;           /* of an element: 1, 2, 4 or 8 bytes */
    uint8_t values;         /* 0: any from low to high (signed, if low is negative); else only so many of these: */
    uint8_t value[4];
    int64_t low, high;
} invariant;

/* A field, with what may be in it: INVARIANT("riot.shift", riot_state, shift, ONE_OF(0, 3, 6, 10)).  And an array, or a
 * part of one. */
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
/* The invalid field that another check finds, if it finds one. */
#define EXPECT_NONE(check)            \
    do {                              \
        const char *invalid_ = check; \
        if (invalid_) return invalid_; \
    } while (0)

#endif
