/* Arenas: what is taken is 0, aligned, and nobody else's, whatever was expected. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../src/support/arena.h"
#include "check.h"

static bool is_all(const uint8_t *bytes, size_t size, uint8_t value) {
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != value) return false;
    return true;
}

enum { OBJECTS = 60 };

typedef struct taken {
    uint8_t *bytes;
    size_t size;
} taken;

/* Sizes from a byte to more than a chunk has. */
static size_t size_of(unsigned i) { return i % 20 == 19 ? (size_t)300000 * (i / 20 + 1) : (size_t)1 + i * i * 37; }

static void take_all(arena *a, bool expecting) {
    taken object[ARENA_USES][OBJECTS];
    for (unsigned i = 0; i < OBJECTS; i++) {
        if (expecting && i % 7 == 0) arena_expect(a, i % 2 ? OBJECTS / 7 - i / 7 : 0);
        for (unsigned use = 0; use < ARENA_USES; use++) {
            taken *t = &object[use][i];
            *t = (taken){arena_take(a, size_of(i), (arena_use)use), size_of(i)};
            if (!t->bytes) exit(1);
            CHECK_EQUAL((uintptr_t)t->bytes % (use == ARENA_DENSE ? ARENA_LINE : ARENA_PAGE), 0);
            CHECK(is_all(t->bytes, t->size, 0));
            memset(t->bytes, (int)(2 * i + use + 1), t->size);
        }
    }
    for (unsigned use = 0; use < ARENA_USES; use++)
        for (unsigned i = 0; i < OBJECTS; i++) {
            const taken *t = &object[use][i];
            CHECK(is_all(t->bytes, t->size, (uint8_t)(2 * i + use + 1)));
            arena_release(a, t->bytes);
        }
}

static void too_much_is_refused(arena *a) {
    CHECK(arena_take(a, SIZE_MAX / 2, ARENA_DENSE) == NULL);
    CHECK(arena_take(a, SIZE_MAX / 2, ARENA_SPARSE) == NULL);
    uint8_t *bytes = arena_take(a, 1, ARENA_SPARSE);
    CHECK(bytes && !*bytes);
    arena_expect(a, SIZE_MAX); /* no chunk is as large */
    bytes = arena_take(a, 1 << 20, ARENA_SPARSE);
    CHECK(bytes && !*bytes);
}

static void none_is_the_heap(void) {
    uint8_t *bytes = arena_take(NULL, 1000, ARENA_DENSE);
    CHECK(bytes && is_all(bytes, 1000, 0));
    arena_release(NULL, bytes);
    arena_release(NULL, NULL);
    arena_destroy(NULL);
}

int main(void) {
    for (int expecting = 0; expecting < 2; expecting++) {
        arena *a = arena_create();
        if (!a) exit(1);
        RUN(take_all(a, expecting));
        RUN(too_much_is_refused(a));
        arena_destroy(a);
    }
    RUN(none_is_the_heap());
    return check_failures;
}
