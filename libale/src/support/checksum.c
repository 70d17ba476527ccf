/* The checksum detects damage; it is not cryptographic. */
#include "checksum.h"

#include <string.h>

/* Each step is a bijection of the sum so far and of the word, so one damaged word always changes the checksum. */
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
