/* The decoded instructions' handlers: one list, from which the enumeration and the jump table are made. */
#ifndef ALE_CPU_HANDLERS_H
#define ALE_CPU_HANDLERS_H

#include <stdint.h>

/* One decoded instruction.  `cost` has the base cycles in its low bits and one instruction above them. */
typedef struct cpu_op {
    uint8_t handler;
    uint8_t reserved;
    uint16_t operand; /* value, RAM index, address, or jump distance, as the handler wants it */
    uint32_t cost;
} cpu_op;

enum { COST_SHIFT = 24, SHORT_WAIT = 256 /* turns of a loop that the threaded core does at once, at most */ };

/* Operands of reading instructions:
 *   IMM2, IMM3  a constant: immediate, or a byte of ROM at a fixed address
 *   RAM2, RAM3  RAM by zero-page or absolute address
 *   ROMX, ROMY  a table in ROM, indexed
 *   ZPX, ABX, ABY, IZX, IZY  addresses known only at run time */
#define READ_HANDLERS(X, op)                                                                              \
    X(op##_IMM2) X(op##_IMM3) X(op##_RAM2) X(op##_RAM3) X(op##_ROMX) X(op##_ROMY) X(op##_ZPX) X(op##_ABX) \
    X(op##_ABY) X(op##_IZX) X(op##_IZY)

/* Stores of one register: RAM, the TIA's registers that are just logged, WSYNC, and the others. */
#define STORE_HANDLERS(X, op)                                                                             \
    X(op##_RAM2) X(op##_RAM3) X(op##_ZP_INDEXED) X(op##_TIA_LOGGED) X(op##_TIA_WSYNC) X(op##_TIA2)        \
    X(op##_IO3)

#define MODIFY_HANDLERS(X, op) X(op##_RAM2) X(op##_RAM3) X(op##_ZPX)

#define BRANCH_HANDLERS(X, op) X(op##_NEAR) X(op##_FAR)

#define CPU_HANDLERS(X)                                                                                   \
    X(PLAIN_CORE)                                                                                         \
    READ_HANDLERS(X, LDA) READ_HANDLERS(X, ADC) READ_HANDLERS(X, SBC) READ_HANDLERS(X, AND)               \
    READ_HANDLERS(X, ORA) READ_HANDLERS(X, EOR) READ_HANDLERS(X, CMP)                                     \
    X(LDX_IMM2) X(LDX_IMM3) X(LDX_RAM2) X(LDX_RAM3) X(LDX_ROMY) X(LDX_ZPY) X(LDX_ABY)                     \
    X(LDY_IMM2) X(LDY_IMM3) X(LDY_RAM2) X(LDY_RAM3) X(LDY_ROMX) X(LDY_ZPX) X(LDY_ABX)                     \
    X(LAX_RAM2) X(LAX_IZY) X(LAX_ROMY)                                                                    \
    X(CPX_IMM2) X(CPX_RAM2) X(CPY_IMM2) X(CPY_RAM2) X(BIT_RAM2) X(BIT_RAM3) X(BIT_IMM3)                   \
    X(LDA_TIA2) X(LDX_TIA2) X(LDY_TIA2) X(BIT_TIA2)                                                       \
    X(LDA_INTIM) X(LDX_INTIM) X(LDY_INTIM) X(LDA_IO3) X(BIT_IO3) X(AND_IO3)                               \
    X(LDA_CART3) X(LDX_CART3) X(LDY_CART3) X(STA_CART3) X(ORA_CART3) X(AND_CART3)                         \
    STORE_HANDLERS(X, STA) STORE_HANDLERS(X, STX) STORE_HANDLERS(X, STY)                                  \
    X(STA_ABX) X(STA_ABY) X(STA_IZX) X(STA_IZY)                                                           \
    X(SAX_RAM2) X(SAX_TIA_LOGGED) X(DCP_RAM2) X(ISB_RAM2)                                                 \
    MODIFY_HANDLERS(X, INC) MODIFY_HANDLERS(X, DEC) MODIFY_HANDLERS(X, ASL) MODIFY_HANDLERS(X, LSR)       \
    MODIFY_HANDLERS(X, ROL) MODIFY_HANDLERS(X, ROR)                                                       \
    X(ASL_A) X(LSR_A) X(ROL_A) X(ROR_A)                                                                   \
    X(TAX) X(TAY) X(TXA) X(TYA) X(TSX) X(TXS) X(INX) X(INY) X(DEX) X(DEY)                                 \
    X(CLC) X(SEC) X(CLD) X(SED) X(CLI) X(SEI) X(CLV) X(NOP1) X(NOP2)                                      \
    BRANCH_HANDLERS(X, BPL) BRANCH_HANDLERS(X, BMI) BRANCH_HANDLERS(X, BVC) BRANCH_HANDLERS(X, BVS)       \
    BRANCH_HANDLERS(X, BCC) BRANCH_HANDLERS(X, BCS) BRANCH_HANDLERS(X, BNE) BRANCH_HANDLERS(X, BEQ)       \
    X(JMP) X(JMP_IND) X(JSR) X(RTS) X(RTI) X(PHA) X(PLA) X(PHP) X(PLP)                                    \
    X(WAIT_DEX) X(WAIT_DEY) X(WAIT_INTIM)

#define CPU_HANDLER_ENUM(name) H_##name,
enum { CPU_HANDLERS(CPU_HANDLER_ENUM) };
#undef CPU_HANDLER_ENUM

/* The decoded image. */
typedef struct cpu_code {
    uint32_t window;     /* bytes mapped at once: 4096, or 1024 of a slice */
    uint32_t banks;      /* or slices, of the image */
    uint32_t stride;     /* entries from one bank's code to the next's */
    uint16_t low, span;  /* part of the cartridge's addresses that is ROM without side effects */
    uint16_t clocked;    /* addresses behind these whose reading clocks DPC's shift register */
    uint16_t overrun;    /* see cpu_code_overrun */
    uint8_t sliced;      /* four slices are mapped, the last of them is number 7 */
    uint8_t by_address;  /* the bank follows from address bit 13 */
    cpu_op ops[];
} cpu_code;

#endif
