/* TIA: what the program sees of it - frames, collisions, paddles - and the log of its accesses.
 *
 * An access goes into the log of the frame (raster.h), and that is nearly all: positions, pixels and
 * collisions are worked out from the log when somebody looks. */
#ifndef ALE_TIA_H
#define ALE_TIA_H

#include <stdbool.h>
#include <stdint.h>

struct console;

/* Registers by their addresses. */
enum {
    VSYNC, VBLANK, WSYNC, RSYNC, NUSIZ0, NUSIZ1, COLUP0, COLUP1, COLUPF, COLUBK, CTRLPF, REFP0, REFP1,
    PF0, PF1, PF2, RESP0, RESP1, RESM0, RESM1, RESBL, AUDC0, AUDC1, AUDF0, AUDF1, AUDV0, AUDV1,
    GRP0, GRP1, ENAM0, ENAM1, ENABL, HMP0, HMP1, HMM0, HMM1, HMBL, VDELP0, VDELP1, VDELBL,
    RESMP0, RESMP1, HMOVE, HMCLR, CXCLR,
    TIA_READ = 0x40 /* in the log: a read, which only brings the picture up to its time */
};

/* The six objects; the movable ones first, as positions are numbered. */
enum { P0, P1, M0, M1, BL, PF, OBJECTS, MOVABLE = PF };

enum { LINE_CYCLES = 76, LINE_CLOCKS = 228, HBLANK_CLOCKS = 68 };

/* Everything a pixel depends on, and how far the picture is drawn.  Clocks count from the start of line 0. */
typedef struct tia_raster {
    uint8_t reg[48];       /* as last written; strobes stay 0 */
    uint8_t old_grp[2];    /* GRP0 as of the last write to GRP1 and the other way round */
    uint8_t old_enabl;
    uint8_t position[MOVABLE];
    uint8_t suppressed[2]; /* a RESP moved the player away: no first copy until the line ends */
    uint8_t reflected;     /* playfield reflection in force */
    uint8_t hmove_blank;   /* the next eight first pixels of a row are black */
    uint8_t cosmic;        /* missile 0 wanders by itself (the trick of Cosmic Ark) */
    uint8_t cosmic_step;
    uint8_t m0_override;   /* 0: none, 1: wider, 2: off */
    uint8_t colour_loss;   /* bit 0 of all colours of this frame */
    uint32_t hmove_clock;  /* of the last HMOVE */
    uint32_t row_base;     /* clock at which row 0 begins */
    uint32_t drawn;        /* the picture exists up to this clock */
} tia_raster;

typedef struct tia_state {
    tia_raster now;        /* as of the accesses followed so far (picture.followed); at a frame's end, all */
    int64_t vsync_end;     /* a VSYNC that is switched off from this clock on ends the frame */
    int32_t dump_release;  /* time at which the paddles' capacitors began to charge */
    uint32_t line;         /* of the CPU at the end of the latest run */
    uint32_t last_lines;   /* lines of the last complete frame */
    uint16_t collisions;   /* as far as evaluated */
    uint8_t dump;
    uint8_t phase;         /* cycles of line 0 that had passed when the frame started */
    uint8_t stop;          /* the frame has ended: leave the CPU loop */
    uint8_t greyed;
    uint8_t vblank;        /* VBLANK as last written */
    uint8_t reserved;
} tia_state;

void tia_reset(struct console *machine);
/* Begin a frame: line 0 is the line in which the last frame ended. */
void tia_start_frame(struct console *machine);
/* Bring `now` and the picture to the end of a run of the CPU. */
void tia_end_run(struct console *machine);
/* Accesses; any address, its low bits count. */
uint8_t tia_read(struct console *machine, uint16_t address);
void tia_write(struct console *machine, uint16_t address, uint8_t value);

#endif
