/* The latest frames that were observed, for observations that stack some of them.
 *
 * Most rows of a frame are those of the frame before.  Such a row is stored once, so that much less memory is gone
 * through than a stack of whole frames would take. */
#ifndef ALE_STACK_H
#define ALE_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct stack {
    size_t frames, rows, row_size;
    size_t newest;   /* frame; the next one, or the first after the last, is the oldest */
    uint8_t *pixels; /* `frames` places for each row: place after place, in each row after row */
    uint16_t *place; /* of the rows of frame after frame */
    uint16_t *shown; /* by how many frames, of the rows of place after place */
} stack;

/* A stack that is all 0 gets frames that are all 0.  False: out of memory; it is to be freed all the same. */
bool stack_init(stack *s, size_t frames, size_t rows, size_t row_size);
void stack_free(stack *s);
static inline size_t stack_size(const stack *s) { return s->frames * s->rows * s->row_size; }

/* Make all frames 0. */
void stack_clear(stack *s);
/* A frame comes in place of the oldest.  Rows that are marked as kept are those of the frame before it; `kept` NULL:
 * none is.  The others are to be written by the caller: `row` says where; NULL for those that are kept. */
void stack_push(stack *s, const uint8_t *kept, uint8_t *row[]);
/* The newest frame once more. */
void stack_push_again(stack *s);
/* Write all frames, the oldest first. */
void stack_show(const stack *s, uint8_t *to);
/* Take over frames that were shown. */
void stack_restore(stack *s, const uint8_t *from);
void stack_copy(stack *s, const stack *source); /* of the same sizes */

#endif
