/* The 32-bit Mersenne Twister MT19937, seeded from one word; equal to std::mt19937 and numpy's RandomState. */
#ifndef ALE_MT19937_H
#define ALE_MT19937_H

#include <stdbool.h>
#include <stdint.h>

#include "invariants.h"

enum { MT19937_WORDS = 624 };

typedef struct mt19937 {
    uint32_t state[MT19937_WORDS];
    uint32_t position; /* index of the next word, 0..MT19937_WORDS */
} mt19937;

void mt19937_seed(mt19937 *generator, uint32_t seed);
extern const invariant mt19937_invariants[];
/* Return false for an all-zero state, which yields zeros for ever: a caller that draws until a number fits would
 * hang. */
bool mt19937_is_alive(const mt19937 *generator);
uint32_t mt19937_next(mt19937 *generator);

#endif
