/* Looking for signs in an image. */
#include "signatures.h"

#include <string.h>

/* As in the reference, the very last position is not tried, and of two occurrences side by side the second is
 * missed. */
bool signature_occurs(const rom_file *file, const uint8_t *signature, size_t length, int wanted) {
    for (size_t i = 0; i + length < file->size; i++) {
        if (memcmp(file->bytes + i, signature, length)) continue;
        if (--wanted == 0) return true;
        i += length;
    }
    return false;
}

bool signatures_occur(const rom_file *file, const uint8_t *signatures, size_t total, size_t length) {
    for (size_t at = 0; at < total; at += length)
        if (signature_occurs(file, signatures + at, length, 1)) return true;
    return false;
}

bool bytes_are_equal(const uint8_t *bytes, size_t size) { return !memcmp(bytes, bytes + 1, size - 1); }
