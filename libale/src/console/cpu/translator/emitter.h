/* What the translator (translate.c), the templates (templates/) and the host (hosts/) say to each other. */
#ifndef ALE_EMITTER_H
#define ALE_EMITTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../decode.h"
#include "executable.h"
#include "../handlers.h"

struct rom_image;

/* Code grows in two places at once: what mostly runs, and what seldom does, which goes behind it. */
enum { HOT, COLD, BUFFERS };

typedef struct code_buffer {
    uint8_t *bytes;
    uint32_t size, capacity;
} code_buffer;

/* What the code of a block has not done yet: cycles not added to the clock, and flags that can still be
 * found elsewhere. */
typedef enum lazy_nz { NZ_STORED, NZ_A, NZ_X, NZ_Y } lazy_nz;
typedef enum lazy_c { C_STORED, C_CLEAR, C_SET } lazy_c;
typedef struct lazy_state {
    uint32_t cycles; /* modulo 2^32: after a branch that was not taken there may be too many in the clock */
    lazy_nz nz;
    lazy_c c;
} lazy_state;

/* Places in the code that refer to others not known yet. */
typedef enum fixup_kind { TO_BUFFER, TO_STUB, TO_LEADER } fixup_kind;
typedef struct fixup {
    uint32_t at, target; /* offset in a buffer, from the region's start, or of the leader's instruction */
    uint8_t from, to;    /* buffers */
    uint8_t kind;
} fixup;

/* Why translated code returns; with the program counter in the low half. */
enum { EXIT_LEAVE = 0 << 16, EXIT_LOOKUP = 1 << 16, EXIT_DONE = 2 << 16, EXIT_MASK = 3 << 16 };

enum { MIRRORS = 8 }; /* the upper three bits of the program counter: mirrors of the cartridge */

/* C functions that templates call, with an address and a value; see translate.c. */
typedef enum helper {
    HELP_TIA_READ,    /* address, what the bus held */
    HELP_BUS_READ,    /* likewise */
    HELP_IO_READ,     /* RIOT address */
    HELP_CART_READ,
    HELP_CART_WRITE,
    HELP_TIA_WRITE,   /* may end the frame */
    HELP_BUS_WRITE,   /* likewise */
    HELP_PULL_TIA,    /* where the stack points */
    HELP_WAIT_INTIM,  /* how; time passes */
    HELP_DPC_READ,    /* a register of DPC */
    HELP_ADC_DECIMAL, /* operand, A | C << 8; returns A | C << 8 | V << 16 */
    HELP_SBC_DECIMAL,
    HELPERS
} helper;

/* Code that every block may jump to; offsets from the region's start. */
typedef struct stubs {
    uint32_t exit;            /* with the reason and the program counter */
    uint32_t miss;            /* an instruction without code was jumped to, with the program counter */
    uint32_t helper[HELPERS]; /* calls of C functions */
} stubs;

/* Where instructions are the same bytes at the same addresses: a bank under one mirror, or a slice.  Or RAM, where each
 * instruction first checks that its bytes are still the same. */
typedef struct space {
    const instruction *instructions;
    uint32_t window;
    uint32_t bank;        /* or slice */
    uint16_t base;        /* address of the first instruction */
    void **entry;         /* code by instruction */
    const uint8_t *ram;   /* the bytes of code in RAM, else NULL */
} space;

typedef struct emitter {
    const struct rom_image *rom;
    const cpu_code *code;
    void ***tables;       /* of the spaces' entries, for code that looks them up */
    stubs stub;
    code_buffer buffer[BUFFERS];
    unsigned into;        /* the buffer that grows */
    fixup *fixups;
    uint32_t fixup_count, fixup_capacity;
    bool failed;          /* out of memory */
    uint8_t nowhere[16];  /* written to then, and read by nobody */

    const space *space;
    uint32_t offset;      /* of the present instruction */
    lazy_state now;       /* before what is emitted next */
    lazy_state before;    /* before the present instruction */
    bool flags_nz;        /* the host's own flags show the NZ of the result */
    bool clocked;         /* the present instruction's bytes have clocked DPC's shift register */
    uint32_t leave_at[8]; /* jumps of the present instruction to the plain core, in `leave_from` */
    uint8_t leave_from[8];
    unsigned leaves;
} emitter;

/* The entry of a space by number; see translate.c.  That of RAM comes last. */
static inline uint32_t space_count(const cpu_code *code) {
    return code->banks * MIRRORS * (code->sliced ? 4 : 1);
}
static inline uint32_t space_number(const cpu_code *code, uint32_t bank, uint16_t address) {
    const uint32_t mirrors = code->sliced ? (address >> 10 & 3u) * 8 + bank : bank;
    return mirrors * MIRRORS + (address >> 13);
}

uint8_t *emit_space(emitter *e, uint32_t size); /* room for `size` bytes, never NULL */
/* What a reference at `at` in the buffer that grows leads to. */
void emit_fixup(emitter *e, uint32_t at, fixup_kind kind, unsigned to, uint32_t target);

/* ---- The host ---- */

#if defined(__x86_64__)
#define HOST
#define HOST_X86_64
#elif defined(__aarch64__) && !defined(__AARCH64EB__) && !defined(_WIN32) && !defined(__APPLE__)
#define HOST
#define HOST_AARCH64
#endif

/* On x86-64, templates call and are called by System V's convention, on Windows too. */
#if defined(HOST_X86_64) && defined(_WIN32)
#define HOST_CALL __attribute__((sysv_abi))
#else
#define HOST_CALL
#endif

extern const bool host_translates;
/* The stubs, at the region's start.  `helpers` are C functions. */
void host_stubs(emitter *e, void *const helpers[HELPERS]);
/* Resolve a reference at `at`, which lies at `from`, to `target`; both from the region's
 * start.  False: that is out of reach. */
bool host_fix(uint8_t *at, uint32_t from, uint32_t target);
/* Call code. */
uint32_t host_enter(const uint8_t *region, uint8_t *ram, const void *code);

/* ---- The templates ---- */

/* A place that is jumped to begins: all is stored. */
void emit_leader(emitter *e);
/* Look at the time. */
void emit_check(emitter *e);
/* Go on at the instruction at `offset` of the same space, which is a leader. */
void emit_jump(emitter *e, uint32_t offset);
/* Go on at an address outside this space, after a look at the time; all is flushed. */
void emit_far_jump(emitter *e, uint16_t address);
/* Store what is lazy. */
void emit_flush(emitter *e);
/* Emit one instruction; false if the block ends with it. */
bool emit_instruction(emitter *e, const instruction *i);

#endif
