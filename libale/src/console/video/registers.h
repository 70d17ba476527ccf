/* The TIA's registers and objects: one table with all properties of each. */
#ifndef ALE_REGISTERS_H
#define ALE_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers by their addresses. */
enum {
    VSYNC, VBLANK, WSYNC, RSYNC, NUSIZ0, NUSIZ1, COLUP0, COLUP1, COLUPF, COLUBK, CTRLPF, REFP0, REFP1,
    PF0, PF1, PF2, RESP0, RESP1, RESM0, RESM1, RESBL, AUDC0, AUDC1, AUDF0, AUDF1, AUDV0, AUDV1,
    GRP0, GRP1, ENAM0, ENAM1, ENABL, HMP0, HMP1, HMM0, HMM1, HMBL, VDELP0, VDELP1, VDELBL,
    RESMP0, RESMP1, HMOVE, HMCLR, CXCLR,
    TIA_READ = 0x40, /* in the log: a read, which only brings the picture up to its time */
    TIA_REGISTERS = 0x80
};

/* The six objects; the movable ones first, as positions are numbered. */
enum { P0, P1, M0, M1, BL, PF, OBJECTS, MOVABLE = PF };
enum { ALL_OBJECTS = (1 << OBJECTS) - 1, COLOURS = 1 << OBJECTS };

/* Whether bytes are sets of objects: no other bit is set in any. */
static inline bool are_object_sets(const uint8_t *sets, size_t count) {
    unsigned all = 0;
    for (size_t i = 0; i < count; i++) all |= sets[i];
    return all <= ALL_OBJECTS;
}

enum {
    LINE_CYCLES = 76,
    LINE_CLOCKS = 3 * LINE_CYCLES,
    HBLANK_CLOCKS = 68,
    SCREEN_WIDTH = LINE_CLOCKS - HBLANK_CLOCKS,
    ROW_WORDS = 5 /* of 64 bits: a set of rows of the screen */
};

/* How the beam's state follows a write. */
typedef enum register_effect {
    NO_EFFECT,   /* or none on the picture */
    STORE,       /* only the register changes, wherever in the row the beam is */
    STORE_GRP0,  /* the same, and delayed copies of other registers are made */
    STORE_GRP1,
    APPLY        /* see beam_apply */
} register_effect;

/* Fields of a tia_raster (beam.h), as bits: bit n is its byte n. */
typedef uint64_t raster_fields;

typedef struct tia_register { /* of four bytes: it is looked up for every access */
    _Alignas(4) uint8_t effect; /* register_effect */
    uint8_t delay;              /* clocks that an access draws ahead with the old state; the least ... */
    bool delay_varies;          /* ... if that varies */
    bool is_seen;               /* the program notices the write at once: logging it is not all */
} tia_register;
extern const tia_register tia_registers[TIA_REGISTERS];

/* How a write influences the beam's state. */
typedef struct tia_influence {
    raster_fields depends;  /* what its effect follows from.  A field that it may change other than by
                               overwriting it counts, but for the positions that HMOVE changes */
    raster_fields replaces; /* what it overwrites, whatever was there */
} tia_influence;
extern const tia_influence tia_influences[TIA_REGISTERS];

/* The object that a write may let appear, as a bit, and the bits of the value one of which must be set. */
typedef struct tia_appearance {
    uint8_t object, bits;
} tia_appearance;
extern const tia_appearance tia_appearances[TIA_REGISTERS];

/* Which writes translated code need not log, as they change nothing, and what a write changes of the bytes that tell
 * (tia_shadow in shadow.h), beside the register's own.  Two things are not said here: CTRLPF notes whether it came late
 * (reflection), and VBLANK when the inputs are high. */
enum { LOG_ALWAYS, LOG_IF_NEW, LOG_IF_PENDING, FILTER_COPIES = 2 };
typedef struct byte_span {
    uint8_t first, count; /* bytes of a tia_shadow */
} byte_span;
typedef struct byte_copy {
    uint8_t to, from;
} byte_copy;
typedef struct tia_filter {
    _Alignas(16) uint8_t logged;     /* always; or for a byte that is new; or else for one of two reasons: */
    uint8_t keeps, sets;             /* of `changes` */
    byte_span pending;               /* one of these is not 0 */
    byte_copy copies[FILTER_COPIES]; /* one of these, which a write makes, changes anything; to 0: no more of them */
    byte_span changes;               /* each becomes itself & keeps | sets */
} tia_filter;
extern const tia_filter tia_filters[TIA_REGISTERS];

/* Bits of the registers, and of the other bytes of a tia_raster, that nothing depends on. */
enum { RASTER_BYTES = 64 };
extern const uint8_t tia_meaningless[RASTER_BYTES];

/* Bits of the collision latch: one for each pair of objects. */
enum { COLLISIONS = 15, ALL_PAIRS = (1 << COLLISIONS) - 1 };
typedef struct object_pair {
    uint8_t a, b, both; /* two objects, and as bits */
} object_pair;
extern const object_pair tia_pairs[COLLISIONS];
extern const uint16_t tia_pairs_among[1 << OBJECTS]; /* those of a set of objects, as bits of the latch */

/* Copies of a player or missile, by NUSIZ mode: how many, and their distances from its position. */
typedef struct nusiz_copies {
    uint8_t count, offset[3];
} nusiz_copies;
extern const nusiz_copies tia_copies[8];

#endif
