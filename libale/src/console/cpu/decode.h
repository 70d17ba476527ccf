/* Instructions decoded ahead, once per ROM image, for the threaded core and the translator.
 *
 * Every byte of the ROM is decoded as if an instruction began there.  What an operand refers to (RAM, a TIA
 * register, a ROM table) is known from its address, so most instructions become handlers that go straight to
 * it.  Whatever is unusual - code outside the ROM, hotspots, a stack in the TIA, undocumented opcodes - is
 * left to the plain core (cpu/plain.c), one instruction at a time: the two agree on every bit of the machine's
 * state. */
#ifndef ALE_CPU_CODE_H
#define ALE_CPU_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "../rom_image.h"
#include "opcodes.h"

struct console;

/* Where an instruction's operand lies, as far as it is known ahead. */
typedef enum place {
    NOWHERE,                  /* none, or the stack */
    IN_ACCUMULATOR,
    IS_CONSTANT,              /* an immediate value, or a byte of ROM */
    IN_RAM, IN_TIA, IN_RIOT,  /* at a fixed address */
    IN_CARTRIDGE,             /* its RAM or its registers, or another slice: no bank changes by it */
    AT_HOTSPOT,               /* elsewhere in the cartridge, whatever that does */
    TABLE_X, TABLE_Y,         /* ROM that only is ROM, indexed; an offset in the cartridge */
    ZERO_X, ZERO_Y,           /* page zero, indexed */
    INDEXED_X, INDEXED_Y,     /* elsewhere, indexed */
    POINTER_X, POINTER_Y,     /* where a pointer in page zero leads to */
    FETCHED, FETCHED_X,       /* of code in RAM: at the address in the instruction itself, read when it runs */
    IS_TARGET                 /* of a jump or BRK: an address; of a branch: an offset in the window */
} place;

/* Loops that only poll: DEX or DEY and BNE back to it, a load of INTIM and a branch back to it. */
enum { WAITS_COUNTING = 0x40, WAITS_FOR_TIMER = 0x80, WAIT_HOW = 0x3F };

typedef struct instruction {
    uint8_t operation, place; /* opcodes.h, and above */
    uint8_t length, cycles;
    uint16_t operand;         /* value, address or offset, as the place says; of a branch out of a slice: its
                                 distance from the slice's beginning, 0x10000 - n for n bytes before it */
    uint8_t bus;              /* the last byte on the bus before the operand is read */
    uint8_t crosses : 1;      /* a branch leads to another page */
    uint8_t known : 1;        /* it is all ROM */
    uint8_t check : 1;        /* translated code looks at the time here */
    uint8_t wait;             /* WAITS_... and how; 0: does not */
    uint8_t clocks;           /* bytes whose reading clocks DPC's shift register */
    uint8_t fixed;            /* of code in RAM: the first bytes that this was decoded from; the others are read when it
                                 runs */
} instruction;

/* Decode an image; NULL for schemes that the plain core runs alone, or when memory is short. */
struct cpu_code *cpu_code_create(const rom_image *rom);
void cpu_code_destroy(struct cpu_code *code);
/* Whether an offset in the cartridge's 4 KiB is ROM whose reads have no side effects. */
bool cpu_code_is_quiet(const struct cpu_code *code, uint32_t offset);
/* Whether instructions there may be translated: where it is quiet, or only clocks DPC's shift register. */
bool cpu_code_may_be_translated(const struct cpu_code *code, uint32_t offset);
/* Instructions that the threaded core may run beyond a budget before it looks at it again, at most. */
uint32_t cpu_code_overrun(const struct cpu_code *code);

/* The instruction at an offset of a bank (or slice); false where the plain core must look at it itself.  Its
 * length is found even then. */
bool cpu_decode(const rom_image *rom, const struct cpu_code *code, uint32_t bank, uint32_t offset, instruction *i);

static inline bool cpu_is_ram_code(uint16_t address) { return address >= 0x80 && address < 0x100; } /* no mirror */
/* Decode the instruction at an offset of RAM; false, as above, and also where the next one would lie behind RAM,
 * because opcodes come from the bus there.
 *
 * Programs that keep code in RAM mostly change its operands.  So immediate values, and addresses of 16 bits that are
 * read or jumped to, are not taken from `code`: they are read when the instruction runs. */
bool cpu_decode_ram(const uint8_t *code, uint32_t offset, instruction *i);

/* Turns that a loop polling INTIM (operand of WAIT_INTIM) surely makes before the value it waits for can show:
 * none of its reads has a side effect, for the timer has not expired.  And the cycles of each. */
uint32_t cpu_timer_turns(const struct console *machine, uint32_t time, unsigned how);
static inline uint32_t cpu_timer_turn(unsigned how) { return how & 16 ? 8 : 7; }

#endif
