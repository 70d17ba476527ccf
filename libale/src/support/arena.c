/* An arena is a list of chunks of whole pages.  Objects are cut off the latest chunk from its beginning on. */
#include "arena.h"

#include <stdlib.h>
#include <string.h>

#include "os.h"

/* Under the address sanitizer each object is allocated alone, so that accesses beyond its end are found. */
#if defined(__SANITIZE_ADDRESS__)
#define APART 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define APART 1
#endif
#endif
#ifndef APART
#define APART 0
#endif

enum { LEAST_CHUNK = 256 * 1024, MOST_CHUNK = 64 * 1024 * 1024 };

/* A chunk begins with this head, padded to the alignment of objects. */
typedef struct chunk {
    struct chunk *next;
    size_t size;
} chunk;

typedef struct supply {
    uint8_t *at, *end; /* what is left of the latest chunk */
    size_t taken;      /* since arena_expect */
    size_t expected;   /* from then on */
    size_t align;
} supply;

struct arena {
    chunk *chunks; /* the latest first */
    supply supplies[ARENA_USES];
};

static size_t round_up(size_t size, size_t to) { return (size + to - 1) / to * to; }

arena *arena_create(void) {
    arena *a = calloc(1, sizeof *a);
    if (!a) return NULL;
    a->supplies[ARENA_DENSE].align = ARENA_LINE;
    a->supplies[ARENA_SPARSE].align = ARENA_PAGE;
    return a;
}

void arena_destroy(arena *a) {
    if (!a) return;
    for (chunk *c = a->chunks, *next; c; c = next) {
        next = c->next;
        if (APART)
            os_aligned_free(c);
        else
            os_unmap(c, c->size);
    }
    free(a);
}

void arena_expect(arena *a, size_t times) {
    for (int use = 0; use < ARENA_USES; use++) {
        supply *s = &a->supplies[use];
        s->expected = times && s->taken > SIZE_MAX / times ? SIZE_MAX : s->taken * times;
        s->taken = 0;
    }
}

/* Add a chunk with room for `room` bytes. */
static uint8_t *add_chunk(arena *a, size_t room, arena_use use) {
    const size_t align = a->supplies[use].align, size = APART ? room + align : round_up(room + align, os_page_size());
    chunk *c = APART ? os_aligned_alloc(align, size) : os_map(size, use == ARENA_DENSE);
    if (!c) return NULL;
    if (APART) memset(c, 0, size);
    *c = (chunk){a->chunks, size};
    a->chunks = c;
    return (uint8_t *)c + align;
}

void *arena_take(arena *a, size_t size, arena_use use) {
    if (!a) return calloc(1, size);
    supply *s = &a->supplies[use];
    if (size > SIZE_MAX / 4) return NULL;
    if (APART) return add_chunk(a, size, use);
    size = round_up(size, s->align);
    if (size > (size_t)(s->end - s->at)) {
        const size_t expected = s->expected < MOST_CHUNK ? s->expected : MOST_CHUNK;
        size_t room = expected > LEAST_CHUNK ? expected : LEAST_CHUNK;
        if (size > room) room = size;
        uint8_t *memory = add_chunk(a, room, use);
        if (!memory) return NULL;
        s->at = memory;
        s->end = memory + room;
    }
    uint8_t *taken = s->at;
    s->at += size;
    s->taken += size;
    return taken;
}

void arena_release(arena *a, void *memory) {
    if (!a) free(memory);
}
