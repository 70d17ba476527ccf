/* A small assembler for programs of tests: 4 KiB, which the console sees from $F000 on.
 *
 *     rom_builder b = rom_begin(image);                 NOP everywhere; the program starts at its first byte
 *     const unsigned frame = rom_here(&b);
 *     EMIT(&b, LDA_I, 2, STA_Z, VSYNC, STA_Z, WSYNC);   instructions, each with its operand if it has one
 *     const unsigned rest = rom_branch_on(&b, BMI);     a branch to an address that comes later,
 *     rom_land(&b, rest);                               and here it is
 *     EMIT(&b, JMP, frame);
 *
 * Names end with the operand's kind: _I an immediate value, _Z page zero, _A absolute, _ZX and _AX indexed by X. */
#ifndef ALE_TEST_ROM_BUILDER_H
#define ALE_TEST_ROM_BUILDER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "console/video/registers.h"

enum { ROM_BUILDER_SIZE = 4096, ROM_START = 0xF000 };

/* Instructions: their length << 8 | their opcode. */
enum {
    AND_I = 0x229, BEQ = 0x2F0, BIT_Z = 0x224, BMI = 0x230, BNE = 0x2D0, BPL = 0x210, CLD = 0x1D8, CPX_I = 0x2E0, DEX = 0x1CA,
    INC_Z = 0x2E6, INX = 0x1E8, JMP = 0x34C, LDA_A = 0x3AD, LDA_AX = 0x3BD, LDA_I = 0x2A9, LDA_Z = 0x2A5,
    LDA_ZX = 0x2B5, LDX_I = 0x2A2, LDY_Z = 0x2A4, ORA_I = 0x209, SEI = 0x178, STA_Z = 0x285, STA_ZX = 0x295,
    STX_Z = 0x286, TAX = 0x1AA, TXS = 0x19A
};

/* Where the console's registers that are read lie; those that are written are in registers.h. */
enum { READ_CXP0FB = 0x32, READ_INPT0 = 0x38, READ_INPT4 = 0x3C, READ_SWCHA = 0x280, READ_SWCHB = 0x282 };
#define AT_RAM(index) (0x80 + (index))

typedef struct rom_builder {
    uint8_t *image;
    unsigned at; /* where the next byte goes */
} rom_builder;

static inline rom_builder rom_begin(uint8_t image[ROM_BUILDER_SIZE]) {
    memset(image, 0xEA, ROM_BUILDER_SIZE);
    image[0xFFC] = ROM_START & 0xFF;
    image[0xFFD] = ROM_START >> 8;
    return (rom_builder){image, 0};
}

/* The address of the next instruction. */
static inline unsigned rom_here(const rom_builder *b) { return ROM_START + b->at; }

static inline void rom_emit(rom_builder *b, const unsigned *code, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const unsigned length = code[i] >> 8;
        b->image[b->at++] = (uint8_t)code[i];
        if (length > 1) b->image[b->at++] = (uint8_t)code[++i];
        if (length > 2) b->image[b->at++] = (uint8_t)(code[i] >> 8);
    }
}
#define EMIT(b, ...) \
    rom_emit(b, (const unsigned[]){__VA_ARGS__}, sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned))

/* A branch back to an address. */
static inline void rom_branch(rom_builder *b, unsigned branch, unsigned target) {
    EMIT(b, branch, target - (rom_here(b) + 2));
}

/* A branch to where rom_land is called with what this returns. */
static inline unsigned rom_branch_on(rom_builder *b, unsigned branch) {
    EMIT(b, branch, 0);
    return b->at;
}
static inline void rom_land(rom_builder *b, unsigned branch) { b->image[branch - 1] = (uint8_t)(b->at - branch); }

/* Wait for the ends of so many lines as X says. */
static inline void rom_wait_for_x(rom_builder *b) {
    const unsigned line = rom_here(b);
    EMIT(b, STA_Z, WSYNC, DEX);
    rom_branch(b, BNE, line);
}

#endif
