/* Numbers for tests: random ones, the same in every run, and checksums. */
#ifndef ALE_NUMBERS_H
#define ALE_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

/* The next of a sequence (xorshift), of which *state is any but 0 at first. */
static inline uint32_t next_random(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static inline uint32_t crc32(const uint8_t *bytes, size_t size) {
    uint32_t crc = ~UINT32_C(0);
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xEDB88320) : 0);
    }
    return ~crc;
}

#endif
