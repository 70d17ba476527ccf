/* An arena: memory of many objects that returns to the system at once.  free would keep most of it in the process.
 *
 *     arena *a = arena_create();
 *     thing *t = arena_take(a, sizeof *t, ARENA_DENSE);       all 0; NULL: out of memory
 *     arena_release(a, t);                                    nothing happens yet
 *     arena_destroy(a);
 *
 * Without an arena (NULL) arena_take and arena_release are calloc and free, so code that creates an object works in
 * both cases.  Only one thread at a time may use an arena. */
#ifndef ALE_ARENA_H
#define ALE_ARENA_H

#include <stddef.h>
#include <stdint.h>

typedef struct arena arena;

typedef enum arena_use {
    ARENA_DENSE,  /* all of it will be used: aligned to a cache line, close to others, in large pages if possible */
    ARENA_SPARSE, /* little of it may be used: aligned to a page; only pages that were written to take up memory */
    ARENA_USES
} arena_use;

enum { ARENA_LINE = 64, ARENA_PAGE = 4096 };

arena *arena_create(void); /* NULL: out of memory */
void arena_destroy(arena *a);
/* Announce that what was taken since the last call (or creation) will be taken `times` more times. */
void arena_expect(arena *a, size_t times);

void *arena_take(arena *a, size_t size, arena_use use);
void arena_release(arena *a, void *memory);

#endif
