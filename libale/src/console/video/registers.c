/* The table itself, and tables that are derived from it by the preprocessor. */
#include "registers.h"

#include "beam.h"
#include "shadow.h"

/* Objects as they are written in the table. */
enum {
    P_0 = 1 << P0,
    P_1 = 1 << P1,
    M_0 = 1 << M0,
    M_1 = 1 << M1,
    B_L = 1 << BL,
    P_F = 1 << PF
};

/* When a write is logged, and what else it does to the shadow: see tia_filter. */
#define ALWAYS .logged = LOG_ALWAYS
#define IF_NEW .logged = LOG_IF_NEW
#define IF_PENDING .logged = LOG_IF_PENDING
#define BYTES(member, number) {offsetof(tia_shadow, member), number}
#define BYTE(member) BYTES(member, 1)
#define COPY(to, from) {offsetof(tia_shadow, to), offsetof(tia_shadow, from)}

/* R(register, effect, delay, shows, shows if, is seen, meaningless bits, depends, replaces besides itself,
 * logged ...) */
#define NONE UINT64_C(0)
#define REGISTERS(R) \
    R(VSYNC,  STORE,      0, 0,   0,    1, 0xFF, NONE, NONE, IF_NEW)                                        \
    R(VBLANK, STORE,      1, 0,   0,    1, 0xFD, NONE, NONE, IF_NEW)                                        \
    R(WSYNC,  NO_EFFECT,  0, 0,   0,    1, 0,    NONE, NONE, ALWAYS)                                        \
    R(RSYNC,  NO_EFFECT,  0, 0,   0,    0, 0,    NONE, NONE, ALWAYS)                                        \
    R(NUSIZ0, APPLY,      8, 0,   0,    0, 0xC8,                                                            \
      NONE, SUPPRESSED(0) | M0_OVERRIDE,                                                                    \
      IF_NEW, .pending = BYTE(nusiz[0]), .changes = BYTE(nusiz[0]), .keeps = 2)                             \
    R(NUSIZ1, APPLY,      8, 0,   0,    0, 0xC8,                                                            \
      NONE, SUPPRESSED(1), IF_NEW, .pending = BYTE(nusiz[1]), .changes = BYTE(nusiz[1]), .keeps = 2)        \
    R(COLUP0, STORE,      0, 0,   0,    0, 0x01, NONE, NONE, IF_NEW)                                        \
    R(COLUP1, STORE,      0, 0,   0,    0, 0x01, NONE, NONE, IF_NEW)                                        \
    R(COLUPF, STORE,      0, 0,   0,    0, 0x01, NONE, NONE, IF_NEW)                                        \
    R(COLUBK, STORE,      0, 0,   0,    0, 0x01, NONE, NONE, IF_NEW)                                        \
    R(CTRLPF, APPLY,      0, 0,   0,    0, 0xC8,                                                            \
      REFLECTED, NONE, IF_NEW, .pending = BYTE(reflection))                                                 \
    R(REFP0,  STORE,      1, 0,   0,    0, 0xF7, NONE, NONE, IF_NEW)                                        \
    R(REFP1,  STORE,      1, 0,   0,    0, 0xF7, NONE, NONE, IF_NEW)                                        \
    R(PF0,    STORE, 2|VARY, P_F, 0xF0, 0, 0x0F, NONE, NONE, IF_NEW)                                        \
    R(PF1,    STORE, 2|VARY, P_F, 0xFF, 0, 0,    NONE, NONE, IF_NEW)                                        \
    R(PF2,    STORE, 2|VARY, P_F, 0xFF, 0, 0,    NONE, NONE, IF_NEW)                                        \
    R(RESP0,  APPLY, 0|VARY, 0,   0,    0, 0,                                                               \
      POSITION(P0) | FIELD(NUSIZ0), POSITION(P0) | SUPPRESSED(0),                                           \
      ALWAYS, .changes = BYTE(nusiz[0]), .keeps = 0xFF, .sets = 1)                                          \
    R(RESP1,  APPLY, 0|VARY, 0,   0,    0, 0,                                                               \
      POSITION(P1) | FIELD(NUSIZ1), POSITION(P1) | SUPPRESSED(1),                                           \
      ALWAYS, .changes = BYTE(nusiz[1]), .keeps = 0xFF, .sets = 1)                                          \
    R(RESM0,  APPLY,      8, 0,   0,    0, 0,                                                               \
      HMOVE_CLOCK, POSITION(M0) | M0_OVERRIDE, ALWAYS)                                                      \
    R(RESM1,  APPLY,      8, 0,   0,    0, 0,    HMOVE_CLOCK, POSITION(M1), ALWAYS)                         \
    R(RESBL,  APPLY,      0, 0,   0,    0, 0,    HMOVE_CLOCK, POSITION(BL), ALWAYS)                         \
    R(AUDC0,  STORE,      0, 0,   0,    0, 0xFF, NONE, NONE, IF_NEW)                                        \
    R(AUDC1,  STORE,      0, 0,   0,    0, 0xFF, NONE, NONE, IF_NEW)                                        \
    R(AUDF0,  STORE,      0, 0,   0,    0, 0xFF, NONE, NONE, IF_NEW)                                        \
    R(AUDF1,  STORE,      0, 0,   0,    0, 0xFF, NONE, NONE, IF_NEW)                                        \
    R(AUDV0,  STORE,      0, 0,   0,    0, 0xFF, NONE, NONE, IF_NEW)                                        \
    R(AUDV1,  STORE,      0, 0,   0,    0, 0xFF, NONE, NONE, IF_NEW)                                        \
    R(GRP0,   STORE_GRP0, 1, P_0, 0xFF, 0, 0,                                                               \
      FIELD(GRP1), OLD_GRP(1), IF_NEW, .copies = {COPY(old_grp[1], reg[GRP1])})                             \
    R(GRP1,   STORE_GRP1, 1, P_1, 0xFF, 0, 0,                                                               \
      FIELD(GRP0) | FIELD(ENABL), OLD_GRP(0) | OLD_ENABL,                                                   \
      IF_NEW, .copies = {COPY(old_grp[0], reg[GRP0]), COPY(old_enabl, reg[ENABL])})                         \
    R(ENAM0,  STORE,      0, M_0, 2,    0, 0xFD, NONE, NONE, IF_NEW)                                        \
    R(ENAM1,  STORE,      0, M_1, 2,    0, 0xFD, NONE, NONE, IF_NEW)                                        \
    R(ENABL,  STORE,      0, B_L, 2,    0, 0,    NONE, NONE, IF_NEW)                                        \
    R(HMP0,   STORE,      0, 0,   0,    0, 0x0F, NONE, NONE, IF_NEW)                                        \
    R(HMP1,   STORE,      0, 0,   0,    0, 0x0F, NONE, NONE, IF_NEW)                                        \
    R(HMM0,   APPLY,      0, 0,   0,    0, 0x0F,                                                            \
      FIELD(HMM0) | HMOVE_CLOCK | WANDERING, NONE,                                                          \
      IF_NEW, .changes = BYTE(nusiz[0]), .keeps = 0xFF, .sets = 2)                                          \
    R(HMM1,   STORE,      0, 0,   0,    0, 0x0F, NONE, NONE, IF_NEW)                                        \
    R(HMBL,   STORE,      0, 0,   0,    0, 0x0F, NONE, NONE, IF_NEW)                                        \
    R(VDELP0, STORE,      0, 0,   0,    0, 0xFE, NONE, NONE, IF_NEW)                                        \
    R(VDELP1, STORE,      0, 0,   0,    0, 0xFE, NONE, NONE, IF_NEW)                                        \
    R(VDELBL, STORE,      0, 0,   0,    0, 0xFE, NONE, NONE, IF_NEW)                                        \
    R(RESMP0, APPLY,      0, 0,   0,    0, 0xFD,                                                            \
      FIELD(RESMP0) | FIELD(NUSIZ0) | POSITION(P0) | POSITION(M0) | M0_OVERRIDE, NONE, IF_NEW)              \
    R(RESMP1, APPLY,      0, 0,   0,    0, 0xFD,                                                            \
      FIELD(RESMP1) | FIELD(NUSIZ1) | POSITION(P1) | POSITION(M1), NONE, IF_NEW)                            \
    R(HMOVE,  APPLY,      0, 0,   0,    0, 0,                                                               \
      MOTION | HMOVE_BLANK, HMOVE_CLOCK | SUPPRESSED(0) | SUPPRESSED(1) | WANDERING,                        \
      ALWAYS, .changes = BYTES(nusiz[0], 2))                                                                \
    R(HMCLR,  APPLY,      0, 0,   0,    0, 0,                                                               \
      NONE, MOTION, IF_PENDING, .pending = BYTES(reg[HMP0], MOVABLE), .changes = BYTES(reg[HMP0], MOVABLE)) \
    R(CXCLR,  NO_EFFECT,  0, 0,   0,    1, 0,    NONE, NONE, ALWAYS)

enum { VARY = 0x80 };

#define ROW(r, does, ahead, object, bits, seen, ignored, from, over, ...) \
    [r] = {.effect = does, .delay = (ahead) & ~VARY, .delay_varies = ((ahead) & VARY) != 0, .is_seen = seen},
const tia_register tia_registers[TIA_REGISTERS] = {REGISTERS(ROW)};

#define INFLUENCE(r, does, ahead, object, bits, seen, ignored, from, over, ...) \
    [r] = {.depends = from, .replaces = (over) | OWN_##does(r)},
/* A strobe has no byte of its own. */
#define OWN_NO_EFFECT(r) NONE
#define OWN_STORE(r) FIELD(r)
#define OWN_STORE_GRP0(r) FIELD(r)
#define OWN_STORE_GRP1(r) FIELD(r)
#define OWN_APPLY(r) (IS_STROBE(r) ? NONE : FIELD(r))
#define IS_STROBE(r) (((r) >= RESP0 && (r) <= RESBL) || (r) == HMOVE || (r) == HMCLR)
const tia_influence tia_influences[TIA_REGISTERS] = {REGISTERS(INFLUENCE)};

#define APPEARS(r, does, ahead, object, bits, seen, ignored, from, over, ...) [r] = {object, bits},
const tia_appearance tia_appearances[TIA_REGISTERS] = {REGISTERS(APPEARS)};

#define FILTER(r, does, ahead, object, bits, seen, ignored, from, over, ...) [r] = {__VA_ARGS__},
const tia_filter tia_filters[TIA_REGISTERS] = {REGISTERS(FILTER)};

#define IGNORED(r, does, ahead, object, bits, seen, ignored, from, over, ...) [r] = ignored,
const uint8_t tia_meaningless[RASTER_BYTES] = {REGISTERS(IGNORED)};

/* C(what is asked for, bit of the latch, one object, the other one) */
#define PAIRS(C, x)                                                                                    \
    C(x, 0, M0, P1) C(x, 1, M0, P0) C(x, 2, M1, P0) C(x, 3, M1, P1) C(x, 4, P0, PF) C(x, 5, P0, BL)    \
    C(x, 6, P1, PF) C(x, 7, P1, BL) C(x, 8, M0, PF) C(x, 9, M0, BL) C(x, 10, M1, PF) C(x, 11, M1, BL)  \
    C(x, 12, BL, PF) C(x, 13, P0, P1) C(x, 14, M0, M1)

#define PAIR(x, bit, a, b) [bit] = {a, b, 1 << (a) | 1 << (b)},
const object_pair tia_pairs[COLLISIONS] = {PAIRS(PAIR, )};

#define BOTH_IN(set, bit, a, b) | ((set) >> (a) & (set) >> (b) & 1) << (bit)
#define AMONG(set) 0 PAIRS(BOTH_IN, set)
#define FOUR(set) AMONG(set), AMONG((set) + 1), AMONG((set) + 2), AMONG((set) + 3)
#define SIXTEEN(set) FOUR(set), FOUR((set) + 4), FOUR((set) + 8), FOUR((set) + 12)
const uint16_t tia_pairs_among[1 << OBJECTS] = {SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48)};

const nusiz_copies tia_copies[8] = {{1, {0}},     {2, {0, 16}}, {2, {0, 32}},     {3, {0, 16, 32}},
                                    {2, {0, 64}}, {1, {0}},     {3, {0, 32, 64}}, {1, {0}}};
