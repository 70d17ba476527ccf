/* MT19937.  mt19937_next refills all 624 words at once, when they are used up. */
#include "mt19937.h"

enum { WORDS = MT19937_WORDS, MIDDLE = 397 };

void mt19937_seed(mt19937 *generator, uint32_t seed) {
    generator->state[0] = seed;
    for (uint32_t i = 1; i < WORDS; i++) {
        uint32_t previous = generator->state[i - 1];
        generator->state[i] = UINT32_C(1812433253) * (previous ^ (previous >> 30)) + i;
    }
    generator->position = WORDS;
}

static void refill(mt19937 *generator) {
    uint32_t *s = generator->state;
    for (int i = 0; i < WORDS; i++) {
        uint32_t y = (s[i] & 0x80000000u) | (s[(i + 1) % WORDS] & 0x7FFFFFFFu);
        s[i] = s[(i + MIDDLE) % WORDS] ^ (y >> 1) ^ ((y & 1) ? 0x9908B0DFu : 0);
    }
    generator->position = 0;
}

uint32_t mt19937_next(mt19937 *generator) {
    if (generator->position >= WORDS) refill(generator);
    uint32_t y = generator->state[generator->position++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9D2C5680u;
    y ^= (y << 15) & 0xEFC60000u;
    return y ^ (y >> 18);
}

const invariant mt19937_invariants[] = {
    INVARIANTS("random.state", mt19937, state, ANY_VALUE),
    INVARIANT("random.position", mt19937, position, IN_RANGE(0, WORDS)),
    {0},
};

bool mt19937_is_alive(const mt19937 *generator) {
    uint32_t bits = generator->state[0] & 0x80000000; /* refill ignores the low 31 bits of the first word */
    for (int i = 1; i < MT19937_WORDS; i++) bits |= generator->state[i];
    return bits != 0;
}
