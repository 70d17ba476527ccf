/* The 6502's opcodes. */
#include "opcodes.h"

const opcode cpu_opcodes[256] = {
    {OP_BRK, IMP, 7}, {OP_ORA, IZX, 6}, {OP_JAM, IMP, 2}, {OP_SLO, IZX, 8}, /* 00 */
    {OP_NOP, ZP, 3}, {OP_ORA, ZP, 3}, {OP_ASL, ZP, 5}, {OP_SLO, ZP, 5}, /* 04 */
    {OP_PHP, IMP, 3}, {OP_ORA, IMM, 2}, {OP_ASL, ACC, 2}, {OP_ANC, IMM, 2}, /* 08 */
    {OP_NOP, ABS, 4}, {OP_ORA, ABS, 4}, {OP_ASL, ABS, 6}, {OP_SLO, ABS, 6}, /* 0C */
    {OP_BPL, REL, 2}, {OP_ORA, IZY, 5}, {OP_JAM, IMP, 2}, {OP_SLO, IZY, 8}, /* 10 */
    {OP_NOP, ZPX, 4}, {OP_ORA, ZPX, 4}, {OP_ASL, ZPX, 6}, {OP_SLO, ZPX, 6}, /* 14 */
    {OP_CLC, IMP, 2}, {OP_ORA, ABY, 4}, {OP_NOP, IMP, 2}, {OP_SLO, ABY, 7}, /* 18 */
    {OP_NOP, ABX, 4}, {OP_ORA, ABX, 4}, {OP_ASL, ABX, 7}, {OP_SLO, ABX, 7}, /* 1C */
    {OP_JSR, ABS, 6}, {OP_AND, IZX, 6}, {OP_JAM, IMP, 2}, {OP_RLA, IZX, 8}, /* 20 */
    {OP_BIT, ZP, 3}, {OP_AND, ZP, 3}, {OP_ROL, ZP, 5}, {OP_RLA, ZP, 5}, /* 24 */
    {OP_PLP, IMP, 4}, {OP_AND, IMM, 2}, {OP_ROL, ACC, 2}, {OP_ANC, IMM, 2}, /* 28 */
    {OP_BIT, ABS, 4}, {OP_AND, ABS, 4}, {OP_ROL, ABS, 6}, {OP_RLA, ABS, 6}, /* 2C */
    {OP_BMI, REL, 2}, {OP_AND, IZY, 5}, {OP_JAM, IMP, 2}, {OP_RLA, IZY, 8}, /* 30 */
    {OP_NOP, ZPX, 4}, {OP_AND, ZPX, 4}, {OP_ROL, ZPX, 6}, {OP_RLA, ZPX, 6}, /* 34 */
    {OP_SEC, IMP, 2}, {OP_AND, ABY, 4}, {OP_NOP, IMP, 2}, {OP_RLA, ABY, 7}, /* 38 */
    {OP_NOP, ABX, 4}, {OP_AND, ABX, 4}, {OP_ROL, ABX, 7}, {OP_RLA, ABX, 7}, /* 3C */
    {OP_RTI, IMP, 6}, {OP_EOR, IZX, 6}, {OP_JAM, IMP, 2}, {OP_SRE, IZX, 8}, /* 40 */
    {OP_NOP, ZP, 3}, {OP_EOR, ZP, 3}, {OP_LSR, ZP, 5}, {OP_SRE, ZP, 5}, /* 44 */
    {OP_PHA, IMP, 3}, {OP_EOR, IMM, 2}, {OP_LSR, ACC, 2}, {OP_ALR, IMM, 2}, /* 48 */
    {OP_JMP, ABS, 3}, {OP_EOR, ABS, 4}, {OP_LSR, ABS, 6}, {OP_SRE, ABS, 6}, /* 4C */
    {OP_BVC, REL, 2}, {OP_EOR, IZY, 5}, {OP_JAM, IMP, 2}, {OP_SRE, IZY, 8}, /* 50 */
    {OP_NOP, ZPX, 4}, {OP_EOR, ZPX, 4}, {OP_LSR, ZPX, 6}, {OP_SRE, ZPX, 6}, /* 54 */
    {OP_CLI, IMP, 2}, {OP_EOR, ABY, 4}, {OP_NOP, IMP, 2}, {OP_SRE, ABY, 7}, /* 58 */
    {OP_NOP, ABX, 4}, {OP_EOR, ABX, 4}, {OP_LSR, ABX, 7}, {OP_SRE, ABX, 7}, /* 5C */
    {OP_RTS, IMP, 6}, {OP_ADC, IZX, 6}, {OP_JAM, IMP, 2}, {OP_RRA, IZX, 8}, /* 60 */
    {OP_NOP, ZP, 3}, {OP_ADC, ZP, 3}, {OP_ROR, ZP, 5}, {OP_RRA, ZP, 5}, /* 64 */
    {OP_PLA, IMP, 4}, {OP_ADC, IMM, 2}, {OP_ROR, ACC, 2}, {OP_ARR, IMM, 2}, /* 68 */
    {OP_JMP, IND, 5}, {OP_ADC, ABS, 4}, {OP_ROR, ABS, 6}, {OP_RRA, ABS, 6}, /* 6C */
    {OP_BVS, REL, 2}, {OP_ADC, IZY, 5}, {OP_JAM, IMP, 2}, {OP_RRA, IZY, 8}, /* 70 */
    {OP_NOP, ZPX, 4}, {OP_ADC, ZPX, 4}, {OP_ROR, ZPX, 6}, {OP_RRA, ZPX, 6}, /* 74 */
    {OP_SEI, IMP, 2}, {OP_ADC, ABY, 4}, {OP_NOP, IMP, 2}, {OP_RRA, ABY, 7}, /* 78 */
    {OP_NOP, ABX, 4}, {OP_ADC, ABX, 4}, {OP_ROR, ABX, 7}, {OP_RRA, ABX, 7}, /* 7C */
    {OP_NOP, IMM, 2}, {OP_STA, IZX, 6}, {OP_NOP, IMM, 2}, {OP_SAX, IZX, 6}, /* 80 */
    {OP_STY, ZP, 3}, {OP_STA, ZP, 3}, {OP_STX, ZP, 3}, {OP_SAX, ZP, 3}, /* 84 */
    {OP_DEY, IMP, 2}, {OP_NOP, IMM, 2}, {OP_TXA, IMP, 2}, {OP_ANE, IMM, 2}, /* 88 */
    {OP_STY, ABS, 4}, {OP_STA, ABS, 4}, {OP_STX, ABS, 4}, {OP_SAX, ABS, 4}, /* 8C */
    {OP_BCC, REL, 2}, {OP_STA, IZY, 6}, {OP_JAM, IMP, 2}, {OP_SHA, IZY, 6}, /* 90 */
    {OP_STY, ZPX, 4}, {OP_STA, ZPX, 4}, {OP_STX, ZPY, 4}, {OP_SAX, ZPY, 4}, /* 94 */
    {OP_TYA, IMP, 2}, {OP_STA, ABY, 5}, {OP_TXS, IMP, 2}, {OP_SHS, ABY, 5}, /* 98 */
    {OP_SHY, ABX, 5}, {OP_STA, ABX, 5}, {OP_SHX, ABY, 5}, {OP_SHA, ABY, 5}, /* 9C */
    {OP_LDY, IMM, 2}, {OP_LDA, IZX, 6}, {OP_LDX, IMM, 2}, {OP_LAX, IZX, 6}, /* A0 */
    {OP_LDY, ZP, 3}, {OP_LDA, ZP, 3}, {OP_LDX, ZP, 3}, {OP_LAX, ZP, 4}, /* A4 */
    {OP_TAY, IMP, 2}, {OP_LDA, IMM, 2}, {OP_TAX, IMP, 2}, {OP_LXA, IMM, 2}, /* A8 */
    {OP_LDY, ABS, 4}, {OP_LDA, ABS, 4}, {OP_LDX, ABS, 4}, {OP_LAX, ABS, 4}, /* AC */
    {OP_BCS, REL, 2}, {OP_LDA, IZY, 5}, {OP_JAM, IMP, 2}, {OP_LAX, IZY, 5}, /* B0 */
    {OP_LDY, ZPX, 4}, {OP_LDA, ZPX, 4}, {OP_LDX, ZPY, 4}, {OP_LAX, ZPY, 4}, /* B4 */
    {OP_CLV, IMP, 2}, {OP_LDA, ABY, 4}, {OP_TSX, IMP, 2}, {OP_LAS, ABY, 4}, /* B8 */
    {OP_LDY, ABX, 4}, {OP_LDA, ABX, 4}, {OP_LDX, ABY, 4}, {OP_LAX, ABY, 4}, /* BC */
    {OP_CPY, IMM, 2}, {OP_CMP, IZX, 6}, {OP_NOP, IMM, 2}, {OP_DCP, IZX, 8}, /* C0 */
    {OP_CPY, ZP, 3}, {OP_CMP, ZP, 3}, {OP_DEC, ZP, 5}, {OP_DCP, ZP, 5}, /* C4 */
    {OP_INY, IMP, 2}, {OP_CMP, IMM, 2}, {OP_DEX, IMP, 2}, {OP_SBX, IMM, 2}, /* C8 */
    {OP_CPY, ABS, 4}, {OP_CMP, ABS, 4}, {OP_DEC, ABS, 6}, {OP_DCP, ABS, 6}, /* CC */
    {OP_BNE, REL, 2}, {OP_CMP, IZY, 5}, {OP_JAM, IMP, 2}, {OP_DCP, IZY, 8}, /* D0 */
    {OP_NOP, ZPX, 4}, {OP_CMP, ZPX, 4}, {OP_DEC, ZPX, 6}, {OP_DCP, ZPX, 6}, /* D4 */
    {OP_CLD, IMP, 2}, {OP_CMP, ABY, 4}, {OP_NOP, IMP, 2}, {OP_DCP, ABY, 7}, /* D8 */
    {OP_NOP, ABX, 4}, {OP_CMP, ABX, 4}, {OP_DEC, ABX, 7}, {OP_DCP, ABX, 7}, /* DC */
    {OP_CPX, IMM, 2}, {OP_SBC, IZX, 6}, {OP_NOP, IMM, 2}, {OP_ISB, IZX, 8}, /* E0 */
    {OP_CPX, ZP, 3}, {OP_SBC, ZP, 3}, {OP_INC, ZP, 5}, {OP_ISB, ZP, 5}, /* E4 */
    {OP_INX, IMP, 2}, {OP_SBC, IMM, 2}, {OP_NOP, IMP, 2}, {OP_SBC, IMM, 2}, /* E8 */
    {OP_CPX, ABS, 4}, {OP_SBC, ABS, 4}, {OP_INC, ABS, 6}, {OP_ISB, ABS, 6}, /* EC */
    {OP_BEQ, REL, 2}, {OP_SBC, IZY, 5}, {OP_JAM, IMP, 2}, {OP_ISB, IZY, 8}, /* F0 */
    {OP_NOP, ZPX, 4}, {OP_SBC, ZPX, 4}, {OP_INC, ZPX, 6}, {OP_ISB, ZPX, 6}, /* F4 */
    {OP_SED, IMP, 2}, {OP_SBC, ABY, 4}, {OP_NOP, IMP, 2}, {OP_ISB, ABY, 7}, /* F8 */
    {OP_NOP, ABX, 4}, {OP_SBC, ABX, 4}, {OP_INC, ABX, 7}, {OP_ISB, ABX, 7}, /* FC */
};

const uint8_t cpu_lengths[ADDRESSINGS] = {
    [IMP] = 1, [ACC] = 1, [IMM] = 2, [ZP] = 2,  [ZPX] = 2, [ZPY] = 2, [ABS] = 3,
    [ABX] = 3, [ABY] = 3, [IZX] = 2, [IZY] = 2, [REL] = 2, [IND] = 3,
};

#define KIND(name, kind) [OP_##name] = kind,
const uint8_t cpu_kinds[OPERATIONS] = {CPU_OPERATIONS(KIND)};
