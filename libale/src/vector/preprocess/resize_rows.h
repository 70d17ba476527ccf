/* The loops in which resizing by boxes spends its time, for different processors. */
#ifndef ALE_RESIZE_ROWS_H
#define ALE_RESIZE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GROUP = 8, HALF_GROUP = 4, GROUP_BYTES = 16, MOST_TAPS = 4 };

/* What eight target positions take from a row: 16 bytes from `from` on, the bytes to take of them (two neighbours
 * for each position), and their parts; then the same two bytes further on.  Where eight take more than 16 bytes, there
 * are four. */
typedef struct tap_group {
    int32_t from;
    uint8_t take[2 * GROUP];
    uint8_t part[MOST_TAPS / 2][2 * GROUP]; /* at most 127; of one position, too */
} tap_group;

/* The same of two groups, for registers of 32 bytes. */
typedef struct group_pair {
    int32_t from[2]; /* where these are GROUP_BYTES apart, one load is enough for both */
    uint8_t take[2 * GROUP_BYTES];
    uint8_t part[MOST_TAPS / 2][2 * GROUP_BYTES];
} group_pair;

/* The same of 32 target positions and 64 bytes. */
enum { WIDE_GROUP = 32 };
typedef struct wide_group {
    int32_t from;
    uint8_t take[MOST_TAPS / 2][2 * WIDE_GROUP];
    uint8_t part[MOST_TAPS / 2][2 * WIDE_GROUP];
} wide_group;

/* The weights of a target position's neighbours as resizing is defined; 0 after the last. */
typedef struct tap_weights {
    float of[MOST_TAPS];
} tap_weights;

/* n / divisor is (n >> pre_shift) * multiplier >> 16 >> shift. */
typedef struct row_division {
    uint16_t divisor, multiplier;
    uint8_t pre_shift, shift;
} row_division;

/* A sum's value is sum * inverse; it may lie halfway if it is further than `near_half` from a whole number. */
typedef struct float_division {
    float inverse, near_half;
} float_division;

typedef struct row_loops {
    const char *name;
    /* Write the sums of `count` groups of a row. */
    void (*narrow)(const tap_group *groups, size_t count, const uint8_t *row, uint16_t *sums);
    /* The same of groups that have four positions. */
    void (*narrow_halves)(const tap_group *groups, size_t count, const uint8_t *row, uint16_t *sums);
    /* The same of pairs of groups; NULL: there are none for these loops. */
    void (*narrow_pairs)(const group_pair *pairs, size_t count, const uint8_t *row, uint16_t *sums);
    /* The same of wide groups; NULL: there are none for these loops. */
    void (*narrow_wide)(const wide_group *groups, size_t count, const uint8_t *row, uint16_t *sums);
    /* Divide sums of `count` rows, each multiplied by its part, and half a divisor.  The rows, and sums[], which is
     * scratch memory, have room for whole wide groups.  Returns whether some of the sums were multiples of the divisor;
     * then bit x % 32 of multiples[x / 32] says which, and bits beyond the width are 0. */
    bool (*weigh)(const uint16_t *const rows[], const uint16_t parts[], int count, const row_division *by,
                  size_t width, uint16_t *restrict sums, uint8_t *restrict out, uint32_t *restrict multiples);
    /* The same for sums that do not fit into 16 bits, but are whole numbers below 2^24.  sums[] and out[] have room for
     * whole wide groups.  Returns whether some of the values may lie halfway; halves[] says which, as above. */
    bool (*weigh_floats)(const uint16_t *const rows[], const float parts[], int count, const float_division *by,
                         size_t width, float *restrict sums, uint8_t *restrict out, uint32_t *restrict halves);
    /* Compute out[] as it is defined at eight positions, which may repeat: of `count` rows of pixels and their weights,
     * from the first neighbour of each position on.  NULL: one position after the other is as fast. */
    void (*define)(const uint8_t *const rows[], const float of_rows[], int count, const int *first,
                   const tap_weights *weights, const int positions[GROUP], uint8_t *out);
} row_loops;

/* Those that this processor can run, the best one first, the portable one last; then NULL. */
const row_loops *row_loops_number(int n);

#endif
