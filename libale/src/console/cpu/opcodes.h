/* The 6502 described once: what each of the 256 opcodes does, on what, and in how many cycles.
 *
 * All engines read this table.  Timing is that of whole instructions: a read with ABX, ABY or IZY that crosses
 * a page takes a cycle more, a taken branch one more, or two to another page. */
#ifndef ALE_OPCODES_H
#define ALE_OPCODES_H

#include <stdint.h>

typedef enum addressing {
    IMP, ACC, IMM, ZP, ZPX, ZPY, ABS, ABX, ABY, IZX, IZY, REL, IND,
    ADDRESSINGS
} addressing;

/* What an operation does with its operand. */
typedef enum operation_kind { READS, WRITES, CHANGES, BRANCHES, JUMPS, INSIDE } operation_kind;

/* Operations by kind; the undocumented ones under the names that assemblers give them. */
#define CPU_OPERATIONS(X)                                                                                  \
    X(ADC, READS) X(AND, READS) X(BIT, READS) X(CMP, READS) X(CPX, READS) X(CPY, READS) X(EOR, READS)     \
    X(LDA, READS) X(LDX, READS) X(LDY, READS) X(NOP, READS) X(ORA, READS) X(SBC, READS) X(LAX, READS)     \
    X(LAS, READS) X(ANC, READS) X(ALR, READS) X(ARR, READS) X(ANE, READS) X(LXA, READS) X(SBX, READS)     \
    X(STA, WRITES) X(STX, WRITES) X(STY, WRITES) X(SAX, WRITES) X(SHA, WRITES) X(SHX, WRITES)             \
    X(SHY, WRITES) X(SHS, WRITES)                                                                         \
    X(INC, CHANGES) X(DEC, CHANGES) X(ASL, CHANGES) X(LSR, CHANGES) X(ROL, CHANGES) X(ROR, CHANGES)       \
    X(SLO, CHANGES) X(RLA, CHANGES) X(SRE, CHANGES) X(RRA, CHANGES) X(DCP, CHANGES) X(ISB, CHANGES)       \
    X(BPL, BRANCHES) X(BMI, BRANCHES) X(BVC, BRANCHES) X(BVS, BRANCHES) X(BCC, BRANCHES)                  \
    X(BCS, BRANCHES) X(BNE, BRANCHES) X(BEQ, BRANCHES)                                                    \
    X(JMP, JUMPS) X(JSR, JUMPS) X(RTS, JUMPS) X(RTI, JUMPS) X(BRK, JUMPS)                                 \
    X(TAX, INSIDE) X(TAY, INSIDE) X(TXA, INSIDE) X(TYA, INSIDE) X(TSX, INSIDE) X(TXS, INSIDE)             \
    X(INX, INSIDE) X(INY, INSIDE) X(DEX, INSIDE) X(DEY, INSIDE) X(CLC, INSIDE) X(SEC, INSIDE)             \
    X(CLI, INSIDE) X(SEI, INSIDE) X(CLV, INSIDE) X(CLD, INSIDE) X(SED, INSIDE) X(PHA, INSIDE)             \
    X(PHP, INSIDE) X(PLA, INSIDE) X(PLP, INSIDE) X(JAM, INSIDE)

#define CPU_OPERATION_ENUM(name, kind) OP_##name,
typedef enum operation { CPU_OPERATIONS(CPU_OPERATION_ENUM) OPERATIONS } operation;
#undef CPU_OPERATION_ENUM

typedef struct opcode {
    uint8_t operation, mode, cycles;
} opcode;

extern const opcode cpu_opcodes[256];
extern const uint8_t cpu_lengths[ADDRESSINGS]; /* bytes */
extern const uint8_t cpu_kinds[OPERATIONS];

#endif
