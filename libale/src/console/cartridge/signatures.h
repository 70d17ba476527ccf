/* Signs by which images of a scheme are known. */
#ifndef ALE_CARTRIDGE_SIGNATURES_H
#define ALE_CARTRIDGE_SIGNATURES_H

#include "scheme.h"

/* Whether a signature of `length` bytes occurs `wanted` times. */
bool signature_occurs(const rom_file *file, const uint8_t *signature, size_t length, int wanted);
/* Whether any of the signatures, `total` bytes of `length` each, occurs. */
bool signatures_occur(const rom_file *file, const uint8_t *signatures, size_t total, size_t length);
bool bytes_are_equal(const uint8_t *bytes, size_t size);

#endif
