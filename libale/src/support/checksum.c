/* The checksum of states and vectors as bytes. */
#include "checksum.h"

#include <string.h>

/* Each word goes through a bijection of the sum so far, so that one damaged word always shows. */
static uint64_t mix(uint64_t sum, uint64_t word) {
    sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return sum ^ sum >> 32;
}

uint64_t checksum(const uint8_t *bytes, size_t size, size_t hole) {
    uint64_t sum = size, word;
    for (size_t at = 0; at < size; at += sizeof word) {
        word = 0;
        if (at != hole) memcpy(&word, bytes + at, size - at < sizeof word ? size - at : sizeof word);
        sum = mix(sum, word);
    }
    return sum;
}
