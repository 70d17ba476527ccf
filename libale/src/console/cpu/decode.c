/* Decoding a ROM image for the fast core. */
#include "decode.h"

#include <stdlib.h>

#include "handlers.h"
#include "../video/tia.h"

enum { BANK = 4096, SLICE = 1024, CART = 0x1000, FAR_END = 8 /* entries behind a bank's code */ };

/* What the decoder knows about the bank it is in. */
typedef struct bank_view {
    const rom_image *rom;
    const cpu_code *code;
    const uint8_t *bytes; /* of this bank */
} bank_view;

static bool is_quiet(const cpu_code *code, uint32_t offset) {
    return offset - code->low < code->span;
}

/* The byte at a fixed address, if it can only be one while this code runs. */
static bool constant_at(const bank_view *view, uint16_t address, uint8_t *value) {
    uint32_t offset = address & 0xFFF;
    if (!(address & CART) || !is_quiet(view->code, offset)) return false;
    if (view->code->sliced) {
        if (offset < 3 * SLICE) return false;
        *value = view->rom->data[7 * SLICE + (offset & (SLICE - 1))];
    } else if (view->code->by_address) {
        *value = view->rom->data[(address & 0x2000 ? 0 : BANK) + offset];
    } else {
        *value = view->bytes[offset];
    }
    return true;
}

static bool is_ram(uint16_t address) { return (address & 0x1280) == 0x0080; }
static bool is_riot(uint16_t address) { return (address & 0x1280) == 0x0280; }
static bool is_low(uint16_t address) { return !(address & CART); }

/* Handlers of the documented instructions by mode; 0 (the plain core) where a mode does not exist. */
typedef struct mode_handlers {
    uint8_t imm2, imm3, ram2, ram3, romx, romy, zpx, zpy, abx, aby, tia2, intim, io3, cart3;
} mode_handlers;

#define READS(op)                                                                                \
    .imm2 = H_##op##_IMM2, .imm3 = H_##op##_IMM3, .ram2 = H_##op##_RAM2, .ram3 = H_##op##_RAM3, \
    .romx = H_##op##_ROMX, .romy = H_##op##_ROMY, .zpx = H_##op##_ZPX, .abx = H_##op##_ABX,     \
    .aby = H_##op##_ABY
static const mode_handlers lda = {
    READS(LDA), .tia2 = H_LDA_TIA2, .intim = H_LDA_INTIM, .io3 = H_LDA_IO3, .cart3 = H_LDA_CART3};
static const mode_handlers adc = {READS(ADC)}, sbc = {READS(SBC)}, eor = {READS(EOR)}, cmp = {READS(CMP)};
static const mode_handlers ora = {READS(ORA), .cart3 = H_ORA_CART3};
static const mode_handlers and = {READS(AND), .io3 = H_AND_IO3, .cart3 = H_AND_CART3};
static const mode_handlers ldx = {
    .imm2 = H_LDX_IMM2, .imm3 = H_LDX_IMM3, .ram2 = H_LDX_RAM2, .ram3 = H_LDX_RAM3, .romy = H_LDX_ROMY,
    .zpy = H_LDX_ZPY, .aby = H_LDX_ABY, .tia2 = H_LDX_TIA2, .intim = H_LDX_INTIM, .cart3 = H_LDX_CART3};
static const mode_handlers ldy = {
    .imm2 = H_LDY_IMM2, .imm3 = H_LDY_IMM3, .ram2 = H_LDY_RAM2, .ram3 = H_LDY_RAM3, .romx = H_LDY_ROMX,
    .zpx = H_LDY_ZPX, .abx = H_LDY_ABX, .tia2 = H_LDY_TIA2, .intim = H_LDY_INTIM, .cart3 = H_LDY_CART3};
static const mode_handlers cpx = {.imm2 = H_CPX_IMM2, .ram2 = H_CPX_RAM2};
static const mode_handlers cpy = {.imm2 = H_CPY_IMM2, .ram2 = H_CPY_RAM2};
static const mode_handlers bit = {
    .imm3 = H_BIT_IMM3, .ram2 = H_BIT_RAM2, .ram3 = H_BIT_RAM3, .tia2 = H_BIT_TIA2, .io3 = H_BIT_IO3};
static const mode_handlers lax = {.ram2 = H_LAX_RAM2, .romy = H_LAX_ROMY};

typedef enum addressing { A_NONE, A_IMM, A_ZP, A_ABS, A_ABX, A_ABY, A_ZPX, A_ZPY } addressing;

static cpu_op op(unsigned handler, unsigned operand) {
    return (cpu_op){.handler = (uint8_t)handler, .operand = (uint16_t)operand};
}

static const cpu_op plain_core = {.handler = H_PLAIN_CORE};

static cpu_op decode_read(const bank_view *view, const mode_handlers *h, addressing mode, uint16_t operand) {
    uint8_t value;
    switch (mode) {
        case A_IMM: return op(h->imm2, operand);
        case A_ZP: return operand & 0x80 ? op(h->ram2, operand & 0x7F) : op(h->tia2, operand);
        case A_ZPX: return op(h->zpx, operand);
        case A_ZPY: return op(h->zpy, operand);
        case A_ABS:
            if (is_ram(operand)) return op(h->ram3, operand & 0x7F);
            if (is_riot(operand)) return (operand & 5) == 4 ? op(h->intim, 0) : op(h->io3, operand);
            if (is_low(operand)) return plain_core;
            if (constant_at(view, operand, &value)) return op(h->imm3, value);
            /* Cartridge RAM, DPC, another slice: no bank changes by these reads. */
            if ((operand & 0xFFF) < view->code->low + (view->code->sliced ? view->code->span : 0u))
                return op(h->cart3, operand);
            return plain_core;
        case A_ABX:
        case A_ABY: {
            uint32_t offset = operand & 0xFFF;
            bool table =
                (operand & CART) && is_quiet(view->code, offset) && is_quiet(view->code, offset + 0xFF);
            unsigned rom = mode == A_ABX ? h->romx : h->romy;
            if (!table || !rom) return op(mode == A_ABX ? h->abx : h->aby, operand);
            if (view->code->by_address && !(operand & 0x2000)) offset += BANK;
            return op(rom, offset);
        }
        default: return plain_core;
    }
}

/* Handlers of a register's stores; consecutive in the list for all three registers. */
typedef struct store_handlers {
    uint8_t ram2, ram3, zp_indexed, logged, wsync, tia2, io3;
} store_handlers;
#define STORES(op)                                                                         \
    {H_##op##_RAM2,      H_##op##_RAM3, H_##op##_ZP_INDEXED, H_##op##_TIA_LOGGED,          \
     H_##op##_TIA_WSYNC, H_##op##_TIA2, H_##op##_IO3}
static const store_handlers sta = STORES(STA), stx = STORES(STX), sty = STORES(STY);

/* Registers whose writes the program sees nothing of by itself, so that they need only be logged. */
static bool is_logged(unsigned reg) { return !tia_registers[reg].is_seen; }

static cpu_op decode_store(const store_handlers *h, addressing mode, uint16_t operand) {
    unsigned reg = operand & 0x3F;
    switch (mode) {
        case A_ZP:
            if (operand & 0x80) return op(h->ram2, operand & 0x7F);
            if (reg == WSYNC) return op(h->wsync, 0);
            return op(is_logged(reg) ? h->logged : h->tia2, reg);
        case A_ABS:
            if (is_ram(operand)) return op(h->ram3, operand & 0x7F);
            return is_low(operand) ? op(h->io3, operand) : plain_core;
        case A_ZPX:
        case A_ZPY: return op(h->zp_indexed, operand);
        default: return plain_core;
    }
}

static cpu_op decode_modify(unsigned first, addressing mode, uint16_t operand) {
    if (mode == A_ZP && operand & 0x80) return op(first, operand & 0x7F);
    if (mode == A_ABS && is_ram(operand)) return op(first + 1, operand & 0x7F);
    if (mode == A_ZPX) return op(first + 2, operand);
    return plain_core;
}

/* `near` and `near + 1`: taken inside a page and across one. */
static cpu_op decode_branch(const cpu_code *code, unsigned near, uint32_t offset, uint8_t distance) {
    uint32_t next = offset + 2, target = (uint32_t)((int)next + (int8_t)distance);
    if (target >= code->window) return plain_core;
    return op((next ^ target) & 0xFF00 ? near + 1 : near, target - offset);
}

/* Loops that only wait. */
static cpu_op decode_wait(const cpu_code *code, const uint8_t *b, uint32_t offset) {
    uint32_t left = code->window - offset;
    if ((b[0] == 0xCA || b[0] == 0x88) && left > 3 && b[1] == 0xD0 && b[2] == 0xFD)
        return op(b[0] == 0xCA ? H_WAIT_DEX : H_WAIT_DEY, (offset ^ (offset + 3)) & 0xFF00 ? 1 : 0);
    if ((b[0] == 0xAD || b[0] == 0xAE || b[0] == 0xAC) && left > 5 && b[4] == 0xFB &&
        (b[3] == 0xD0 || b[3] == 0x10 || b[3] == 0x30)) {
        uint16_t address = (uint16_t)(b[1] | b[2] << 8);
        if (!is_riot(address) || (address & 5) != 4) return plain_core;
        unsigned reg = b[0] == 0xAD ? 0 : b[0] == 0xAE ? 1 : 2;
        unsigned until = b[3] == 0xD0 ? 0 : b[3] == 0x10 ? 1 : 2;
        return op(H_WAIT_INTIM, reg | until << 2 | ((offset ^ (offset + 5)) & 0xFF00 ? 16u : 0u));
    }
    return plain_core;
}

static cpu_op decode_one(const bank_view *view, uint32_t offset, unsigned *length) {
    const cpu_code *code = view->code;
    const uint8_t *b = view->bytes + offset;
    unsigned byte = b[1], word = b[1] | (unsigned)b[2] << 8;
    uint16_t zp = (uint16_t)byte, abs = (uint16_t)word;
#define R(opcode, size, table, mode, operand) \
    case opcode: *length = size; return decode_read(view, &table, mode, operand);
#define R8(table, izx_h, zp_, imm_, abs_, izy_h, zpx_, aby_, abx_)             \
    R(zp_, 2, table, A_ZP, zp)                                                 \
    R(imm_, 2, table, A_IMM, zp)                                               \
    R(abs_, 3, table, A_ABS, abs)                                              \
    R(zpx_, 2, table, A_ZPX, zp)                                               \
    R(aby_, 3, table, A_ABY, abs)                                              \
    R(abx_, 3, table, A_ABX, abs)
#define S(opcode, size, table, mode, operand) \
    case opcode: *length = size; return decode_store(&table, mode, operand);
#define M(opcode, size, name, mode, operand) \
    case opcode: *length = size; return decode_modify(H_##name##_RAM2, mode, operand);
#define I(opcode, size, name) \
    case opcode: *length = size; return op(H_##name, byte);
#define B(opcode, name) \
    case opcode: *length = 2; return decode_branch(code, H_##name##_NEAR, offset, b[1]);
    switch (b[0]) {
        R8(ora, 0x01, 0x05, 0x09, 0x0D, 0x11, 0x15, 0x19, 0x1D)
        R8(and, 0x21, 0x25, 0x29, 0x2D, 0x31, 0x35, 0x39, 0x3D)
        R8(eor, 0x41, 0x45, 0x49, 0x4D, 0x51, 0x55, 0x59, 0x5D)
        R8(adc, 0x61, 0x65, 0x69, 0x6D, 0x71, 0x75, 0x79, 0x7D)
        R8(lda, 0xA1, 0xA5, 0xA9, 0xAD, 0xB1, 0xB5, 0xB9, 0xBD)
        R8(cmp, 0xC1, 0xC5, 0xC9, 0xCD, 0xD1, 0xD5, 0xD9, 0xDD)
        R8(sbc, 0xE1, 0xE5, 0xE9, 0xED, 0xF1, 0xF5, 0xF9, 0xFD)
        I(0x01, 2, ORA_IZX) I(0x11, 2, ORA_IZY) I(0x21, 2, AND_IZX) I(0x31, 2, AND_IZY)
        I(0x41, 2, EOR_IZX) I(0x51, 2, EOR_IZY) I(0x61, 2, ADC_IZX) I(0x71, 2, ADC_IZY)
        I(0xA1, 2, LDA_IZX) I(0xB1, 2, LDA_IZY) I(0xC1, 2, CMP_IZX) I(0xD1, 2, CMP_IZY)
        I(0xE1, 2, SBC_IZX) I(0xF1, 2, SBC_IZY) I(0xB3, 2, LAX_IZY)
        R(0xA2, 2, ldx, A_IMM, zp) R(0xA6, 2, ldx, A_ZP, zp) R(0xB6, 2, ldx, A_ZPY, zp)
        R(0xAE, 3, ldx, A_ABS, abs) R(0xBE, 3, ldx, A_ABY, abs)
        R(0xA0, 2, ldy, A_IMM, zp) R(0xA4, 2, ldy, A_ZP, zp) R(0xB4, 2, ldy, A_ZPX, zp)
        R(0xAC, 3, ldy, A_ABS, abs) R(0xBC, 3, ldy, A_ABX, abs)
        R(0xE0, 2, cpx, A_IMM, zp) R(0xE4, 2, cpx, A_ZP, zp)
        R(0xC0, 2, cpy, A_IMM, zp) R(0xC4, 2, cpy, A_ZP, zp)
        R(0x24, 2, bit, A_ZP, zp) R(0x2C, 3, bit, A_ABS, abs)
        R(0xA7, 2, lax, A_ZP, zp) R(0xBF, 3, lax, A_ABY, abs)
        S(0x85, 2, sta, A_ZP, zp) S(0x95, 2, sta, A_ZPX, zp)
        S(0x86, 2, stx, A_ZP, zp) S(0x96, 2, stx, A_ZPY, zp) S(0x8E, 3, stx, A_ABS, abs)
        S(0x84, 2, sty, A_ZP, zp) S(0x94, 2, sty, A_ZPX, zp) S(0x8C, 3, sty, A_ABS, abs)
        case 0x8D:
            *length = 3;
            if (abs & CART && (abs & 0xFFF) < code->low) return op(H_STA_CART3, abs);
            return decode_store(&sta, A_ABS, abs);
        case 0x9D: *length = 3; return op(H_STA_ABX, abs);
        case 0x99: *length = 3; return op(H_STA_ABY, abs);
        I(0x81, 2, STA_IZX) I(0x91, 2, STA_IZY)
        case 0x87:
            *length = 2;
            if (zp & 0x80) return op(H_SAX_RAM2, zp & 0x7F);
            return is_logged(zp & 0x3F) ? op(H_SAX_TIA_LOGGED, zp & 0x3F) : plain_core;
        case 0xC7: *length = 2; return zp & 0x80 ? op(H_DCP_RAM2, zp & 0x7F) : plain_core;
        case 0xE7: *length = 2; return zp & 0x80 ? op(H_ISB_RAM2, zp & 0x7F) : plain_core;
        M(0xE6, 2, INC, A_ZP, zp) M(0xF6, 2, INC, A_ZPX, zp) M(0xEE, 3, INC, A_ABS, abs)
        M(0xC6, 2, DEC, A_ZP, zp) M(0xD6, 2, DEC, A_ZPX, zp) M(0xCE, 3, DEC, A_ABS, abs)
        M(0x06, 2, ASL, A_ZP, zp) M(0x16, 2, ASL, A_ZPX, zp) M(0x0E, 3, ASL, A_ABS, abs)
        M(0x46, 2, LSR, A_ZP, zp) M(0x56, 2, LSR, A_ZPX, zp) M(0x4E, 3, LSR, A_ABS, abs)
        M(0x26, 2, ROL, A_ZP, zp) M(0x36, 2, ROL, A_ZPX, zp) M(0x2E, 3, ROL, A_ABS, abs)
        M(0x66, 2, ROR, A_ZP, zp) M(0x76, 2, ROR, A_ZPX, zp) M(0x6E, 3, ROR, A_ABS, abs)
        I(0x0A, 1, ASL_A) I(0x4A, 1, LSR_A) I(0x2A, 1, ROL_A) I(0x6A, 1, ROR_A)
        I(0xAA, 1, TAX) I(0xA8, 1, TAY) I(0x8A, 1, TXA) I(0x98, 1, TYA) I(0xBA, 1, TSX) I(0x9A, 1, TXS)
        I(0xE8, 1, INX) I(0xC8, 1, INY) I(0xCA, 1, DEX) I(0x88, 1, DEY)
        I(0x18, 1, CLC) I(0x38, 1, SEC) I(0xD8, 1, CLD) I(0xF8, 1, SED) I(0x58, 1, CLI) I(0x78, 1, SEI)
        I(0xB8, 1, CLV) I(0xEA, 1, NOP1) I(0x80, 2, NOP2)
        case 0x04: *length = 2; return zp & 0x80 ? op(H_NOP2, 0) : plain_core;
        B(0x10, BPL) B(0x30, BMI) B(0x50, BVC) B(0x70, BVS)
        B(0x90, BCC) B(0xB0, BCS) B(0xD0, BNE) B(0xF0, BEQ)
        case 0x4C: *length = 3; return abs & CART ? op(H_JMP, abs) : plain_core;
        case 0x20: *length = 3; return abs & CART ? op(H_JSR, abs) : plain_core;
        case 0x6C:
            *length = 3;
            return is_ram(abs) && (abs & 0xFF) != 0xFF ? op(H_JMP_IND, abs & 0x7F) : plain_core;
        I(0x60, 1, RTS) I(0x40, 1, RTI) I(0x48, 1, PHA) I(0x68, 1, PLA) I(0x08, 1, PHP) I(0x28, 1, PLP)
        default: *length = 1; return plain_core;
    }
}

static void decode_bank(const rom_image *rom, const cpu_code *code, const uint8_t *bytes, cpu_op *ops,
                        uint32_t base) {
    bank_view view = {rom, code, bytes};
    for (uint32_t offset = 0; offset < code->stride; offset++) {
        ops[offset] = plain_core;
        if (offset >= code->window) continue;
        unsigned length = 1;
        cpu_op decoded = decode_one(&view, offset, &length);
        cpu_op wait = decode_wait(code, bytes + offset, offset);
        if (wait.handler != H_PLAIN_CORE && is_quiet(code, base + offset + 5)) decoded = wait;
        /* All bytes of an instruction, and where it leads to, must be ordinary ROM. */
        ops[offset].length = (uint8_t)length;
        if (decoded.handler == H_PLAIN_CORE || offset + length >= code->window ||
            !is_quiet(code, base + offset) || !is_quiet(code, base + offset + length - 1))
            continue;
        decoded.length = (uint8_t)length;
        decoded.cost = cpu_cycles[bytes[offset]] | UINT32_C(1) << COST_SHIFT;
        ops[offset] = decoded;
    }
}

/* The part of the cartridge's addresses without hotspots, RAM or registers. */
static bool find_quiet(rom_scheme scheme, cpu_code *shape) {
    *shape = (cpu_code){.window = BANK, .low = 0};
    unsigned end;
    switch (scheme) {
        case ROM_2K:
        case ROM_4K: end = BANK; break;
        case ROM_FE:
            shape->by_address = 1;
            end = BANK;
            break;
        case ROM_F8:
        case ROM_F8_SWAPPED: end = 0xFF8; break;
        case ROM_F6: end = 0xFF6; break;
        case ROM_F4: end = 0xFF4; break;
        case ROM_F8SC: shape->low = 0x100; end = 0xFF8; break;
        case ROM_F6SC: shape->low = 0x100; end = 0xFF6; break;
        case ROM_F4SC: shape->low = 0x100; end = 0xFF4; break;
        case ROM_FASC: shape->low = 0x200; end = 0xFF8; break;
        case ROM_DPC: shape->low = 0x080; end = 0xFC0; break;
        case ROM_E0:
            shape->sliced = 1;
            shape->window = SLICE;
            end = 0xFE0;
            break;
        default: return false;
    }
    shape->span = (uint16_t)(end - shape->low);
    shape->stride = shape->window + FAR_END;
    return true;
}

struct cpu_code *cpu_code_create(const rom_image *rom) {
    cpu_code shape;
    if (!find_quiet(rom->scheme, &shape)) return NULL;
    uint32_t bytes = rom->scheme == ROM_DPC ? 2 * BANK : rom->size;
    uint32_t banks = bytes / shape.window;
    cpu_code *code = malloc(sizeof *code + (size_t)banks * shape.stride * sizeof(cpu_op));
    if (!code) return NULL;
    *code = shape;
    for (uint32_t i = 0; i < banks; i++) {
        /* Where a slice lies is known only for the last; elsewhere no hotspots are near. */
        uint32_t base = shape.sliced && i == 7 ? 3 * SLICE : 0;
        decode_bank(rom, code, rom->data + i * shape.window, code->ops + (size_t)i * shape.stride, base);
    }
    return code;
}

void cpu_code_destroy(struct cpu_code *code) { free(code); }
