/* Tables for masks of pixels. */
#include "shapes.h"

#define BIT(n, i) ((uint64_t)((n) >> (i) & 1))
#define SPREAD(n, step, unit)                                                               \
    (BIT(n, 0) * (unit) | BIT(n, 1) * (unit) << (step) | BIT(n, 2) * (unit) << 2 * (step) | \
     BIT(n, 3) * (unit) << 3 * (step) | BIT(n, 4) * (unit) << 4 * (step) |                  \
     BIT(n, 5) * (unit) << 5 * (step) | BIT(n, 6) * (unit) << 6 * (step) | BIT(n, 7) * (unit) << 7 * (step))
#define REVERSE(n)                                                                                         \
    (BIT(n, 0) << 7 | BIT(n, 1) << 6 | BIT(n, 2) << 5 | BIT(n, 3) << 4 | BIT(n, 4) << 3 | BIT(n, 5) << 2 | \
     BIT(n, 6) << 1 | BIT(n, 7))
#define TO_BYTES(n) SPREAD(n, 8, UINT64_C(0xFF))
#define BY_TWO(n) (uint16_t)SPREAD(n, 2, UINT64_C(3))
#define BY_FOUR(n) (uint32_t)SPREAD(n, 4, UINT64_C(15))
#define REVERSED(n) (uint8_t)REVERSE(n)
#define FOUR(M, n) M(n), M((n) + 1), M((n) + 2), M((n) + 3)
#define SIXTEEN(M, n) FOUR(M, n), FOUR(M, (n) + 4), FOUR(M, (n) + 8), FOUR(M, (n) + 12)
#define SIXTY_FOUR(M, n) SIXTEEN(M, n), SIXTEEN(M, (n) + 16), SIXTEEN(M, (n) + 32), SIXTEEN(M, (n) + 48)
#define ALL(M) SIXTY_FOUR(M, 0), SIXTY_FOUR(M, 64), SIXTY_FOUR(M, 128), SIXTY_FOUR(M, 192)

const uint64_t shape_to_bytes[256] = {ALL(TO_BYTES)};
const uint16_t shape_by_two[256] = {ALL(BY_TWO)};
const uint32_t shape_by_four[256] = {ALL(BY_FOUR)};
const uint8_t shape_reversed[256] = {ALL(REVERSED)};
