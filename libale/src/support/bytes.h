/* Eight bytes as a number, the first byte as the lowest one whatever the host's own order is. */
#ifndef ALE_BYTES_H
#define ALE_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint64_t bytes_in_order(uint64_t word) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(word);
#else
    return word;
#endif
}

static inline uint64_t bytes_load(const uint8_t *from) {
    uint64_t word;
    memcpy(&word, from, sizeof word);
    return bytes_in_order(word);
}

static inline void bytes_store(uint8_t *to, uint64_t word) {
    word = bytes_in_order(word);
    memcpy(to, &word, sizeof word);
}

#endif
