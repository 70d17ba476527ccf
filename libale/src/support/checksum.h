/* The checksum of states and vectors as bytes. */
#ifndef ALE_CHECKSUM_H
#define ALE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* The eight bytes at `hole` (a multiple of eight) count as 0, because the checksum itself is stored there. */
uint64_t checksum(const uint8_t *bytes, size_t size, size_t hole);

#endif
