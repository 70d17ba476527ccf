/* The shapes of objects in a row: a key for each shape, and tables for making pixel masks. */
#ifndef ALE_SHAPES_H
#define ALE_SHAPES_H

#include "../../support/bytes.h"
#include "beam.h"

/* For every byte: each bit as a byte, as two bits, as four; and its bits in reverse. */
extern const uint64_t shape_to_bytes[256];
extern const uint16_t shape_by_two[256];
extern const uint32_t shape_by_four[256];
extern const uint8_t shape_reversed[256];

/* Let the bytes of 64 pixels differ by `change` where a mask has their bits. */
static inline void shape_paint(uint8_t *pixels, uint64_t where, unsigned change) {
    const uint64_t changes = change * UINT64_C(0x0101010101010101);
    while (where) {
        const unsigned eight = (unsigned)__builtin_ctzll(where) / 8 * 8; /* of the pixels */
        const unsigned here = where >> eight & 0xFF;
        bytes_store(pixels + eight, bytes_load(pixels + eight) ^ (shape_to_bytes[here] & changes));
        where ^= (uint64_t)here << eight;
    }
}

/* A key of an object's shape: equal keys have equal masks; 0: nothing shows. */
static inline uint32_t player_key(const tia_raster *r, int n) {
    uint8_t byte = r->reg[VDELP0 + n] & 1 ? r->old_grp[n] : r->reg[GRP0 + n];
    if (!byte) return 0;
    if (!(r->reg[REFP0 + n] & 8)) byte = shape_reversed[byte];
    return byte | (r->reg[NUSIZ0 + n] & 7u) << 8 | (uint32_t)r->position[P0 + n] << 16 |
           (uint32_t)r->suppressed[n] << 24;
}

static inline uint32_t missile_key(const tia_raster *r, int n) {
    if (!(r->reg[ENAM0 + n] & 2) || r->reg[RESMP0 + n] & 2) return 0;
    unsigned width = r->reg[NUSIZ0 + n] >> 4 & 3;
    if (n == 0 && r->m0_override) {
        if (r->m0_override == 2) return 0;
        width |= 1;
    }
    return 1 | width << 1 | (r->reg[NUSIZ0 + n] & 7u) << 8 | (uint32_t)r->position[M0 + n] << 16;
}

static inline uint32_t ball_key(const tia_raster *r) {
    uint8_t enabled = r->reg[VDELBL] & 1 ? r->old_enabl : r->reg[ENABL];
    if (!(enabled & 2)) return 0;
    return 1 | (r->reg[CTRLPF] >> 4 & 3u) << 1 | (uint32_t)r->position[BL] << 16;
}

static inline uint32_t playfield_key(const tia_raster *r) {
    uint32_t bits = (uint32_t)r->reg[PF0] >> 4 | (uint32_t)r->reg[PF1] << 4 | (uint32_t)r->reg[PF2] << 12;
    return bits ? bits | (uint32_t)r->reflected << 20 : 0;
}

/* Whether no other object is switched on.  A missile that wanders is, also where it is hidden. */
static inline bool playfield_is_alone(const tia_raster *r) {
    const bool missile0 = (r->reg[ENAM0] & 2) && !(r->reg[RESMP0] & 2);
    return !(player_key(r, 0) | player_key(r, 1) | missile_key(r, 1) | ball_key(r)) && !missile0;
}

#endif
