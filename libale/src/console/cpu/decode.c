/* Decoding a ROM image. */
#include "decode.h"

#include <stdlib.h>

#include "../cartridge/scheme.h"
#include "../machine.h"
#include "../video/registers.h"
#include "handlers.h"

enum { BANK = 4096, SLICE = 1024, CART = 0x1000, FAR_END = 8 /* entries behind a bank's code */ };

/* What the decoder knows about the bank it is in. */
typedef struct bank_view {
    const rom_image *rom;
    const cpu_code *code;
    const uint8_t *bytes; /* of this bank */
} bank_view;

bool cpu_code_is_quiet(const cpu_code *code, uint32_t offset) { return offset - code->low < code->span; }
bool cpu_code_may_be_translated(const cpu_code *code, uint32_t offset) {
    return offset - code->low < (uint32_t)(code->span + code->clocked);
}

/* How many of the bytes from an offset on clock DPC's shift register. */
static uint8_t clocking_bytes(const cpu_code *code, uint32_t offset, uint32_t length) {
    const uint32_t from = code->low + code->span, end = offset + length;
    if (!code->clocked || end <= from) return 0;
    return (uint8_t)(offset >= from ? length : end - from);
}

uint32_t cpu_code_overrun(const cpu_code *code) { return code->overrun; }

/* The byte at a fixed address, if it can only be one while this code runs. */
static bool constant_at(const bank_view *view, uint16_t address, uint8_t *value) {
    uint32_t offset = address & 0xFFF;
    if (!(address & CART) || !cpu_code_is_quiet(view->code, offset)) return false;
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
static bool is_intim(uint16_t address) { return (address & 5) == 4; }

/* ---- one instruction ----------------------------------------------------------------------------------- */

/* Where an absolute operand lies. */
static place absolute_place(const bank_view *view, operation_kind kind, uint16_t address, uint8_t *constant) {
    const cpu_code *code = view->code;
    if (is_ram(address)) return IN_RAM;
    if (is_riot(address)) return IN_RIOT;
    if (is_low(address)) return IN_TIA;
    if (kind == READS && constant_at(view, address, constant)) return IS_CONSTANT;
    /* Cartridge RAM, DPC, another slice: no bank changes by these accesses. */
    unsigned quiet = code->low + (kind == READS && code->sliced ? code->span : 0u);
    return (address & 0xFFFu) < quiet ? IN_CARTRIDGE : AT_HOTSPOT;
}

static void locate_indexed(const bank_view *view, instruction *i, unsigned word, bool y) {
    const uint32_t offset = word & 0xFFF;
    i->operand = (uint16_t)word;
    i->place = y ? INDEXED_Y : INDEXED_X;
    if (cpu_kinds[i->operation] != READS || !(word & CART) || !cpu_code_is_quiet(view->code, offset) ||
        !cpu_code_is_quiet(view->code, offset + 0xFF))
        return;
    i->place = y ? TABLE_Y : TABLE_X;
    i->operand = (uint16_t)(offset + (view->code->by_address && !(word & 0x2000) ? BANK : 0));
}

/* Loops that only wait. */
static uint8_t find_wait(const cpu_code *code, const uint8_t *b, uint32_t offset) {
    uint32_t left = code->window - offset;
    if ((b[0] == 0xCA || b[0] == 0x88) && left > 3 && b[1] == 0xD0 && b[2] == 0xFD)
        return WAITS_COUNTING | ((offset ^ (offset + 3)) & 0xFF00 ? 1 : 0);
    if ((b[0] == 0xAD || b[0] == 0xAE || b[0] == 0xAC) && left > 5 && b[4] == 0xFB &&
        (b[3] == 0xD0 || b[3] == 0x10 || b[3] == 0x30)) {
        uint16_t address = (uint16_t)(b[1] | b[2] << 8);
        if (!is_riot(address) || !is_intim(address)) return 0;
        unsigned reg = b[0] == 0xAD ? 0 : b[0] == 0xAE ? 1 : 2;
        unsigned until = b[3] == 0xD0 ? 0 : b[3] == 0x10 ? 1 : 2;
        return (uint8_t)(WAITS_FOR_TIMER | reg | until << 2 | ((offset ^ (offset + 5)) & 0xFF00 ? 16u : 0u));
    }
    return 0;
}

/* Whether an offset, of a next instruction or a branch's target, is in the window or at least in another slice. */
static bool may_go_on(const cpu_code *code, uint32_t offset) { return offset < code->window || code->sliced; }

/* Whether control may come from an instruction to another slice, by its branch or at its end. */
static bool leaves_slice(const cpu_code *code, const instruction *i, uint32_t offset) {
    return offset + i->length >= code->window ||
           (cpu_kinds[i->operation] == BRANCHES && i->operand >= code->window);
}

/* Whether BRK at an offset passes over ordinary ROM and goes on where the bank always says. */
static bool find_vector(const bank_view *view, uint32_t base, uint32_t offset, uint16_t *target) {
    uint8_t low, high;
    if (offset + 1 >= view->code->window || !cpu_code_is_quiet(view->code, base + offset + 1)) return false;
    if (!constant_at(view, 0xFFFE, &low) || !constant_at(view, 0xFFFF, &high)) return false;
    *target = (uint16_t)(low | high << 8);
    return true;
}

/* The instruction at an offset of a bank whose addresses begin at `base`; false where not all its bytes are
 * ordinary ROM of this window, or where it leads out of it and not to another slice.  Its length is found even
 * then. */
static bool decode_one(const bank_view *view, uint32_t base, uint32_t offset, instruction *i) {
    const cpu_code *code = view->code;
    const uint8_t *b = view->bytes + offset;
    const opcode row = cpu_opcodes[b[0]];
    const unsigned word = b[1] | (unsigned)b[2] << 8;
    const operation_kind kind = (operation_kind)cpu_kinds[row.operation];
    *i = (instruction){.operation = row.operation,
                       .length = cpu_lengths[row.mode],
                       .cycles = row.cycles,
                       .operand = b[1],
                       .bus = cpu_lengths[row.mode] == 3 ? b[2] : b[1]};
    if (offset + i->length > code->window || !may_go_on(code, offset + i->length) ||
        !cpu_code_may_be_translated(code, base + offset) ||
        !cpu_code_may_be_translated(code, base + offset + i->length - 1))
        return false;
    i->clocks = clocking_bytes(code, base + offset, i->length);
    if (cpu_code_is_quiet(code, base + offset + 5)) i->wait = find_wait(code, b, offset);
    uint8_t constant = 0;
    switch (row.mode) {
        case IMP:
            i->place = NOWHERE;
            if (row.operation == OP_BRK && find_vector(view, base, offset, &i->operand)) i->place = IS_TARGET;
            break;
        case ACC: i->place = IN_ACCUMULATOR; break;
        case IMM: i->place = IS_CONSTANT; break;
        case ZP: i->place = b[1] & 0x80 ? IN_RAM : IN_TIA; break;
        case ZPX: i->place = ZERO_X; break;
        case ZPY: i->place = ZERO_Y; break;
        case ABX: locate_indexed(view, i, word, false); break;
        case ABY: locate_indexed(view, i, word, true); break;
        case IZX: i->place = POINTER_X; break;
        case IZY: i->place = POINTER_Y; break;
        case REL: {
            uint32_t target = (uint32_t)((int)offset + 2 + (int8_t)b[1]);
            if (!may_go_on(code, target)) return false;
            i->place = IS_TARGET;
            i->operand = (uint16_t)target;
            i->crosses = (((offset + 2) ^ target) & 0xFF00) != 0;
            break;
        }
        case IND:
            i->operand = (uint16_t)word;
            i->place = is_ram(i->operand) && b[1] != 0xFF ? IN_RAM : AT_HOTSPOT;
            break;
        default:
            i->operand = (uint16_t)word;
            if (kind == JUMPS) {
                i->place = IS_TARGET;
            } else {
                i->place = (uint8_t)absolute_place(view, kind, i->operand, &constant);
                if (i->place == IS_CONSTANT) i->operand = constant;
            }
            break;
    }
    i->known = 1;
    return true;
}

/* ---- code in RAM --------------------------------------------------------------------------------------- */

static place place_below_cartridge(uint16_t address) {
    return is_ram(address) ? IN_RAM : is_riot(address) ? IN_RIOT : IN_TIA;
}

bool cpu_decode_ram(const uint8_t *code, uint32_t offset, instruction *i) {
    const opcode row = cpu_opcodes[code[offset]];
    const bool reads = cpu_kinds[row.operation] == READS, jumps = cpu_kinds[row.operation] == JUMPS;
    const uint8_t length = cpu_lengths[row.mode];
    *i = (instruction){.operation = row.operation, .length = length, .cycles = row.cycles, .fixed = length};
    if (offset + length >= RAM_SIZE) return false;
    const unsigned low = length > 1 ? code[offset + 1] : 0, high = length > 2 ? code[offset + 2] : 0;
    const uint16_t word = (uint16_t)(low | high << 8), behind = (uint16_t)(0x80 + offset + 1);
    i->operand = word;
    i->bus = (uint8_t)(length == 3 ? high : low);
    switch (row.mode) {
        case IMP: i->place = NOWHERE; break;
        case ACC: i->place = IN_ACCUMULATOR; break;
        case IMM: i->place = IN_RAM, i->operand = behind, i->fixed = 1; break;
        case ZP: i->place = place_below_cartridge(word); break;
        case ZPX: i->place = ZERO_X; break;
        case ZPY: i->place = ZERO_Y; break;
        case IZX: i->place = POINTER_X; break;
        case IZY: i->place = POINTER_Y; break;
        case ABX:
        case ABY:
            i->place = row.mode == ABX ? INDEXED_X : INDEXED_Y;
            if (!reads) break;
            i->place = row.mode == ABX ? FETCHED_X : POINTER_Y;
            i->operand = behind, i->fixed = 1;
            break;
        case REL: {
            const uint32_t target = (uint32_t)((int)offset + 2 + (int8_t)low);
            if (target >= RAM_SIZE) return false;
            i->place = IS_TARGET;
            i->operand = (uint16_t)target;
            break;
        }
        case IND: i->place = is_ram(word) && low != 0xFF ? IN_RAM : AT_HOTSPOT; break;
        default: /* ABS */
            if (reads) {
                i->place = FETCHED;
                i->operand = behind, i->fixed = 1;
            } else if (row.operation == OP_JMP) {
                i->place = IN_RAM; /* as by a pointer */
                i->operand = behind, i->fixed = 1;
            } else if (jumps) {
                i->place = IS_TARGET;
            } else {
                if (!is_low(word)) return false;
                i->place = place_below_cartridge(word);
            }
            break;
    }
    i->known = 1;
    return true;
}

/* ---- the threaded core's handlers ---------------------------------------------------------------------- */

/* Handlers of an operation that reads, by where; 0 (the plain core) where there is none. */
typedef struct read_handlers {
    uint8_t imm2, imm3, ram2, ram3, romx, romy, zpx, zpy, abx, aby, izx, izy, tia2, intim, io3, cart3;
} read_handlers;

#define READS_OF(op)                                                                            \
    .imm2 = H_##op##_IMM2, .imm3 = H_##op##_IMM3, .ram2 = H_##op##_RAM2, .ram3 = H_##op##_RAM3, \
    .romx = H_##op##_ROMX, .romy = H_##op##_ROMY, .zpx = H_##op##_ZPX, .abx = H_##op##_ABX,     \
    .aby = H_##op##_ABY, .izx = H_##op##_IZX, .izy = H_##op##_IZY
static const read_handlers readers[OPERATIONS] = {
    [OP_LDA] = {READS_OF(LDA), .tia2 = H_LDA_TIA2, .intim = H_LDA_INTIM, .io3 = H_LDA_IO3,
                .cart3 = H_LDA_CART3},
    [OP_ADC] = {READS_OF(ADC)},
    [OP_SBC] = {READS_OF(SBC)},
    [OP_EOR] = {READS_OF(EOR)},
    [OP_CMP] = {READS_OF(CMP)},
    [OP_ORA] = {READS_OF(ORA), .cart3 = H_ORA_CART3},
    [OP_AND] = {READS_OF(AND), .io3 = H_AND_IO3, .cart3 = H_AND_CART3},
    [OP_LDX] = {.imm2 = H_LDX_IMM2, .imm3 = H_LDX_IMM3, .ram2 = H_LDX_RAM2, .ram3 = H_LDX_RAM3,
                .romy = H_LDX_ROMY, .zpy = H_LDX_ZPY, .aby = H_LDX_ABY, .tia2 = H_LDX_TIA2,
                .intim = H_LDX_INTIM, .cart3 = H_LDX_CART3},
    [OP_LDY] = {.imm2 = H_LDY_IMM2, .imm3 = H_LDY_IMM3, .ram2 = H_LDY_RAM2, .ram3 = H_LDY_RAM3,
                .romx = H_LDY_ROMX, .zpx = H_LDY_ZPX, .abx = H_LDY_ABX, .tia2 = H_LDY_TIA2,
                .intim = H_LDY_INTIM, .cart3 = H_LDY_CART3},
    [OP_CPX] = {.imm2 = H_CPX_IMM2, .ram2 = H_CPX_RAM2},
    [OP_CPY] = {.imm2 = H_CPY_IMM2, .ram2 = H_CPY_RAM2},
    [OP_BIT] = {.imm3 = H_BIT_IMM3, .ram2 = H_BIT_RAM2, .ram3 = H_BIT_RAM3, .tia2 = H_BIT_TIA2,
                .io3 = H_BIT_IO3},
    [OP_LAX] = {.ram2 = H_LAX_RAM2, .romy = H_LAX_ROMY, .izy = H_LAX_IZY},
    [OP_NOP] = {.imm2 = H_NOP2, .ram2 = H_NOP2},
};

static unsigned reader(const instruction *i) {
    const read_handlers *h = &readers[i->operation];
    const bool two = i->length == 2;
    switch ((place)i->place) {
        case IS_CONSTANT: return two ? h->imm2 : h->imm3;
        case IN_RAM: return two ? h->ram2 : h->ram3;
        case IN_TIA: return two ? h->tia2 : 0;
        case IN_RIOT: return is_intim(i->operand) ? h->intim : h->io3;
        case IN_CARTRIDGE: return h->cart3;
        case TABLE_X: return h->romx ? h->romx : 0;
        case TABLE_Y: return h->romy ? h->romy : 0;
        case ZERO_X: return h->zpx;
        case ZERO_Y: return h->zpy;
        case INDEXED_X: return h->abx;
        case INDEXED_Y: return h->aby;
        case POINTER_X: return h->izx;
        case POINTER_Y: return h->izy;
        default: return 0;
    }
}

/* Handlers of a register's stores. */
typedef struct write_handlers {
    uint8_t ram2, ram3, zp_indexed, logged, wsync, tia2, io3, cart3, abx, aby, izx, izy;
} write_handlers;
#define WRITES_OF(op)                                                                               \
    .ram2 = H_##op##_RAM2, .ram3 = H_##op##_RAM3, .zp_indexed = H_##op##_ZP_INDEXED,                \
    .logged = H_##op##_TIA_LOGGED, .wsync = H_##op##_TIA_WSYNC, .tia2 = H_##op##_TIA2, .io3 = H_##op##_IO3
static const write_handlers writers[OPERATIONS] = {
    [OP_STA] = {WRITES_OF(STA), .cart3 = H_STA_CART3, .abx = H_STA_ABX, .aby = H_STA_ABY,
                .izx = H_STA_IZX, .izy = H_STA_IZY},
    [OP_STX] = {WRITES_OF(STX)},
    [OP_STY] = {WRITES_OF(STY)},
    [OP_SAX] = {.ram2 = H_SAX_RAM2, .logged = H_SAX_TIA_LOGGED},
};

static unsigned writer(const instruction *i) {
    const write_handlers *h = &writers[i->operation];
    const bool two = i->length == 2;
    const unsigned reg = i->operand & 0x3F;
    switch ((place)i->place) {
        case IN_RAM: return two ? h->ram2 : h->ram3;
        case IN_TIA:
            if (!two) return h->io3;
            return reg == WSYNC ? h->wsync : tia_registers[reg].is_seen ? h->tia2 : h->logged;
        case IN_RIOT: return h->io3;
        case IN_CARTRIDGE: return h->cart3;
        case ZERO_X:
        case ZERO_Y: return h->zp_indexed;
        case INDEXED_X: return h->abx;
        case INDEXED_Y: return h->aby;
        case POINTER_X: return h->izx;
        case POINTER_Y: return h->izy;
        default: return 0;
    }
}

/* The first of three, by where. */
static const uint8_t changers[OPERATIONS] = {
    [OP_INC] = H_INC_RAM2, [OP_DEC] = H_DEC_RAM2, [OP_ASL] = H_ASL_RAM2,
    [OP_LSR] = H_LSR_RAM2, [OP_ROL] = H_ROL_RAM2, [OP_ROR] = H_ROR_RAM2,
};

static unsigned changer(const instruction *i) {
    const unsigned first = changers[i->operation];
    switch ((place)i->place) {
        case IN_ACCUMULATOR: return H_ASL_A + (first - H_ASL_RAM2) / 3u;
        case IN_RAM:
            if (i->operation == OP_DCP) return i->length == 2 ? H_DCP_RAM2 : 0;
            if (i->operation == OP_ISB) return i->length == 2 ? H_ISB_RAM2 : 0;
            return first ? first + (i->length == 3) : 0;
        case ZERO_X: return first ? first + 2 : 0;
        default: return 0;
    }
}

static unsigned jumper(const instruction *i) {
    switch (i->operation) {
        case OP_JMP:
            if (i->place == IN_RAM) return H_JMP_IND;
            return i->place == IS_TARGET && i->operand & CART ? H_JMP : 0;
        case OP_JSR: return i->operand & CART ? H_JSR : 0;
        case OP_RTS: return H_RTS;
        case OP_RTI: return H_RTI;
        default: return 0; /* BRK */
    }
}

#define INSIDE_OF(op) [OP_##op] = H_##op
static const uint8_t others[OPERATIONS] = {
    INSIDE_OF(TAX), INSIDE_OF(TAY), INSIDE_OF(TXA), INSIDE_OF(TYA), INSIDE_OF(TSX), INSIDE_OF(TXS),
    INSIDE_OF(INX), INSIDE_OF(INY), INSIDE_OF(DEX), INSIDE_OF(DEY), INSIDE_OF(CLC), INSIDE_OF(SEC),
    INSIDE_OF(CLI), INSIDE_OF(SEI), INSIDE_OF(CLV), INSIDE_OF(CLD), INSIDE_OF(SED), INSIDE_OF(PHA),
    INSIDE_OF(PHP), INSIDE_OF(PLA), INSIDE_OF(PLP),
    [OP_BPL] = H_BPL_NEAR, [OP_BMI] = H_BMI_NEAR, [OP_BVC] = H_BVC_NEAR, [OP_BVS] = H_BVS_NEAR,
    [OP_BCC] = H_BCC_NEAR, [OP_BCS] = H_BCS_NEAR, [OP_BNE] = H_BNE_NEAR, [OP_BEQ] = H_BEQ_NEAR,
};

static unsigned handler_of(const instruction *i) {
    if (i->wait & WAITS_FOR_TIMER) return H_WAIT_INTIM;
    if (i->wait & WAITS_COUNTING) return i->operation == OP_DEX ? H_WAIT_DEX : H_WAIT_DEY;
    switch (cpu_kinds[i->operation]) {
        case READS: return i->place == NOWHERE ? H_NOP1 : reader(i);
        case WRITES: return writer(i);
        case CHANGES: return changer(i);
        case JUMPS: return jumper(i);
        case BRANCHES: return others[i->operation] + (unsigned)i->crosses; /* ..._FAR comes next */
        default: return others[i->operation];
    }
}

/* What the handler wants to know of its operand. */
static unsigned operand_of(const instruction *i, uint32_t offset) {
    if (i->wait) return i->wait & WAIT_HOW;
    if (cpu_kinds[i->operation] == BRANCHES) return i->operand - offset;
    if (i->place == IN_RAM) return i->operand & 0x7F;
    if (i->place == IN_TIA && cpu_kinds[i->operation] == WRITES && i->length == 2) return i->operand & 0x3F;
    return i->operand;
}

/* Returns the most instructions that the threaded core runs without a jump, where it looks at its budget. */
static uint32_t decode_bank(const rom_image *rom, const cpu_code *code, const uint8_t *bytes, cpu_op *ops,
                            uint32_t base) {
    bank_view view = {rom, code, bytes};
    uint16_t straight[BANK + FAR_END] = {0}; /* instructions from each offset up to a jump */
    uint32_t longest = 0;
    for (uint32_t offset = code->stride; offset-- > 0;) {
        instruction i;
        ops[offset] = (cpu_op){.handler = H_PLAIN_CORE};
        if (offset >= code->window || !decode_one(&view, base, offset, &i)) continue;
        if (leaves_slice(code, &i, offset) || i.clocks) continue;
        unsigned handler = handler_of(&i);
        if (handler == H_PLAIN_CORE) continue;
        ops[offset] = (cpu_op){.handler = (uint8_t)handler,
                               .operand = (uint16_t)operand_of(&i, offset),
                               .cost = i.cycles | UINT32_C(1) << COST_SHIFT};
        const unsigned rest = cpu_kinds[i.operation] == JUMPS ? 0 : straight[offset + i.length];
        straight[offset] = (uint16_t)(1 + rest);
        if (straight[offset] > longest) longest = straight[offset];
    }
    return longest;
}

/* The first address of a bank's window: where a slice lies is known only for the last; elsewhere no hotspots
 * are near. */
static uint32_t window_base(const cpu_code *code, uint32_t bank) {
    return code->sliced && bank == 7 ? 3 * SLICE : 0;
}

bool cpu_decode(const rom_image *rom, const cpu_code *code, uint32_t bank, uint32_t offset, instruction *i) {
    bank_view view = {rom, code, rom->data + (size_t)bank * code->window};
    return decode_one(&view, window_base(code, bank), offset, i);
}

/* ---- an image ------------------------------------------------------------------------------------------ */

struct cpu_code *cpu_code_create(const rom_image *rom) {
    const cartridge_scheme *scheme = rom->cartridge;
    if (!scheme->quiet_end) return NULL;
    const uint32_t window = scheme->map == MAPS_SLICES ? SLICE : BANK;
    const cpu_code shape = {
        .window = window,
        .banks = (scheme->code ? scheme->code : rom->size) / window,
        .stride = window + FAR_END,
        .low = scheme->quiet,
        .span = (uint16_t)(scheme->quiet_end - scheme->quiet),
        .port = scheme->ports ? scheme->ram : 0,
        .clocked = (uint16_t)(scheme->clocked_end ? scheme->clocked_end - scheme->quiet_end : 0),
        .sliced = scheme->map == MAPS_SLICES,
        .by_address = scheme->map == MAPS_BY_ADDRESS,
    };
    cpu_code *code = malloc(sizeof *code + (size_t)shape.banks * shape.stride * sizeof(cpu_op));
    if (!code) return NULL;
    *code = shape;
    uint32_t longest = 0;
    for (uint32_t i = 0; i < code->banks; i++) {
        const uint32_t straight = decode_bank(rom, code, rom->data + i * code->window,
                                              code->ops + (size_t)i * code->stride, window_base(code, i));
        if (straight > longest) longest = straight;
    }
    code->overrun = (uint16_t)(longest + 2 * SHORT_WAIT); /* turns of two instructions */
    return code;
}

void cpu_code_destroy(struct cpu_code *code) { free(code); }
