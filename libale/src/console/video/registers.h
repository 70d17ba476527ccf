/* The TIA's registers by their addresses, its objects, and the measures of a line. */
#ifndef ALE_REGISTERS_H
#define ALE_REGISTERS_H

enum {
    VSYNC, VBLANK, WSYNC, RSYNC, NUSIZ0, NUSIZ1, COLUP0, COLUP1, COLUPF, COLUBK, CTRLPF, REFP0, REFP1,
    PF0, PF1, PF2, RESP0, RESP1, RESM0, RESM1, RESBL, AUDC0, AUDC1, AUDF0, AUDF1, AUDV0, AUDV1,
    GRP0, GRP1, ENAM0, ENAM1, ENABL, HMP0, HMP1, HMM0, HMM1, HMBL, VDELP0, VDELP1, VDELBL,
    RESMP0, RESMP1, HMOVE, HMCLR, CXCLR,
    TIA_READ = 0x40 /* in the log: a read, which only brings the picture up to its time */
};

/* The six objects; the movable ones first, as positions are numbered. */
enum { P0, P1, M0, M1, BL, PF, OBJECTS, MOVABLE = PF };

enum {
    LINE_CYCLES = 76,
    LINE_CLOCKS = 3 * LINE_CYCLES,
    HBLANK_CLOCKS = 68,
    SCREEN_WIDTH = LINE_CLOCKS - HBLANK_CLOCKS
};

/* Bits of the collision latch: one for each pair of objects. */
enum { COLLISIONS = 15, ALL_PAIRS = (1 << COLLISIONS) - 1 };

#endif
