/* The machine as data: the state of every chip, and the console, one struct that owns them all.
 *
 * A snapshot is a copy of `machine_state`, which has no pointers.  What stands here has no functions: the chips'
 * headers (riot.h, cpu/cpu.h, cartridge/cartridge.h, video/tia.h, video/picture.h) say what changes it, and console.h
 * works the whole.  Chips include this file, and never console.h.  The sound and the beam know their own state only:
 * it is in their headers. */
#ifndef ALE_MACHINE_H
#define ALE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "../support/arena.h"
#include "../support/mt19937.h"
#include "audio.h"
#include "rom_image.h"
#include "video/access_log.h"
#include "video/beam.h"
#include "video/shadow.h"

enum { SCREEN_ROWS = 300, RAM_SIZE = 128 };
_Static_assert(ROW_WORDS * 64 >= SCREEN_ROWS, "a bit for every row");

/* Fast paths of the emulator that a debug option can switch off; results do not depend on them. */
enum {
    FAST_CPU = 1,    /* instructions decoded ahead */
    FAST_LOOPS = 2,  /* loops that only poll the timer are run in closed form */
    FAST_RASTER = 4, /* pixels and collisions only on demand, a line at a time */
    FAST_ROWS = 8,   /* rows that repeat an earlier frame are not evaluated again */
    FAST_TRANSLATE = 16, /* instructions translated to machine code of the host */
    FAST_ENGINE = 32,    /* gray pixels straight from the log, with state and collisions */
    FAST_ALL = 63
};

/* What the hands do, as the program will see it from the next frame on. */
typedef struct controls {
    uint8_t joystick[2];   /* players A and B: bit 0 up, 1 down, 2 left, 3 right, 4 fire; 1 = pressed */
    bool paddle_fire[4];
    int32_t paddle[4];     /* resistance in ohms */
    bool select, reset;    /* console switches, true = held */
    bool difficulty_set;   /* false: both difficulty switches stay as they are */
    uint8_t difficulty;    /* bit 0 left, bit 1 right; 1 = A */
} controls;

/* ---- the chips ----------------------------------------------------------------------------------------- */

typedef struct cpu_state {
    uint32_t time;  /* cycles since the start of line 0 of the frame */
    uint16_t pc;
    uint8_t a, x, y, sp;
    uint8_t n;      /* bit 7 is N; saved as 0 or $80 */
    uint8_t z;      /* Z is set when this is 0; saved as 0 or 1 */
    uint8_t v, d, i, c; /* 0 or 1 */
    uint8_t jammed; /* an illegal opcode was met: no instruction until the next reset */
    uint8_t reserved[3];
} cpu_state;

typedef struct riot_state {
    uint32_t value;      /* as written to the timer, 0..255 */
    uint32_t set_at;     /* time of that write */
    uint32_t read_at;    /* time of the first INTIM read after expiry */
    uint8_t shift;       /* log2 of the interval: 0, 3, 6, 10 */
    uint8_t read_expired; /* INTIM was read after expiry: read_at counts, INSTAT shows 0 */
    uint8_t ddra;        /* SWACNT */
    uint8_t reserved;
} riot_state;

typedef struct tia_state {
    int64_t vsync_end;     /* a VSYNC that is switched off from this clock on ends the frame */
    tia_raster now;        /* as of the accesses followed so far (picture.followed); at a frame's end, all */
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

/* What changes in the custom chip of Pitfall II. */
typedef struct dpc_state {
    uint8_t top[8], bottom[8], flag[8];
    uint16_t counter[8];
    uint8_t music[3]; /* booleans of fetchers 5, 6, 7 */
    uint8_t random;
    int32_t stamp; /* cycle counter at the latest music update; rebased with the frames */
    double fraction;
} dpc_state;

/* The part of a cartridge that changes; flat, saved by copying. */
typedef struct cartridge_state {
    uint32_t bank;      /* scheme's bank number (4 KiB banks, or the scheme's own size); 3E: 256 + RAM bank */
    uint32_t offset;    /* of the mapped 4 KiB bank in the image, for schemes that map 4 KiB at once */
    uint8_t slice[4];   /* E0: 1 KiB slices of segments 0..3; E7: [0] slice, [1] RAM block; MC: blocks */
    uint8_t mc_locked;
    uint8_t ram[256];   /* F8SC, F6SC, F4SC: 128 bytes; FASC: 256; what there is not is 0 */
    uint8_t reserved[3];
    dpc_state dpc;      /* as at power-on where there is none, but for its stamp */
} cartridge_state;

/* ---- the console --------------------------------------------------------------------------------------- */

/* What translated code keeps in a console while it runs: nothing of it outlives a frame. */
typedef struct translated_registers {
    uint32_t *log_limit;   /* from here on the log might have too little room up to the next check */
    uint32_t limit;        /* likewise for the time, << 16 */
    uint32_t nz;           /* Z: low byte is 0; N: bit 7 or 8 */
    uint32_t c, v;
    uint8_t dpc_random;    /* DPC's shift register before an instruction that clocked it */
} translated_registers;

/* The part that a snapshot holds; flat, no pointers. */
typedef struct machine_state {
    cpu_state cpu;
    riot_state riot;
    audio_state audio;
    tia_state tia;
    cartridge_state cartridge;
    uint8_t ram[RAM_SIZE];
    uint8_t data_bus;       /* last byte on the bus; saved where the CPU sees it (cpu_sees_bus), else 0 */
    uint8_t bus_was_read;   /* last access was a read (WSYNC asks); saved as 0 */
    uint8_t switches;       /* SWCHB as latched */
    uint8_t partial;        /* the last frame did not end */
    mt19937 random;         /* system generator */
} machine_state;

typedef struct console {
    machine_state s;
    rom_image *rom;
    rom_format format;      /* in force */
    int ystart, height;     /* window: lines, rows */
    uint32_t window_start, window_end; /* its clocks */
    uint32_t limit_time;    /* a write from this cycle on ends the frame: it is too long */
    uint8_t fast_paths;
    bool cartridge_ram_once;
    bool tells_objects;
    bool low_watch;         /* the cartridge watches addresses below $1000 */
    bool acted;             /* the plain core's latest instructions depended on the time, or changed more than
                               cpu/turns.c compares; that clears it */
    arena *arena;           /* where it lies, or NULL */
    /* levels at the pins, from console_set_controls */
    controls hands;
    uint8_t swcha;
    uint8_t fire[2];        /* INPT4, INPT5: $80 released, $00 pressed */
    int32_t resistance[4];  /* INPT0..3 */
    tia_shadow shadow;
    translated_registers translated;
    log_end log;            /* of the running frame */
    uint8_t *big_ram;       /* of the few schemes that need much, else NULL */
    struct picture *picture;/* logs and frame buffers (video/picture.h) */
} console;

/* The reference's cycle counter. */
static inline uint32_t console_cycles(const console *machine) { return machine->s.cpu.time - machine->s.tia.phase; }

#endif
