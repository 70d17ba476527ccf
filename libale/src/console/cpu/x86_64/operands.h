/* Operands of the 6502's instructions that read, and what they do with them. */
#ifndef ALE_X86_64_OPERANDS_H
#define ALE_X86_64_OPERANDS_H

#include "state.h"

/* ---- operands ------------------------------------------------------------------------------------------ */

/* What a reading instruction works on. */
typedef struct operand {
    enum { CONSTANT, MEMORY, REGISTER } kind;
    uint32_t value; /* or the byte of RAM */
} operand;

/* A read by a helper, into T0. */
static void read_by(emitter *e, helper which, const instruction *i) {
    settle_time(e);
    constant(e, T0, i->operand);
    constant(e, T1, i->bus);
    call_helper(e, which);
}

/* T0 = an input of the TIA (INPT0 is 0), from a table of when they are high, plus T1 inputs; with what the
 * bus shows in the other bits. */
static void read_input(emitter *e, unsigned input, bool plus_t1, unsigned noise) {
    const int32_t from = PLACE(shadow.input_from) + (int32_t)(sizeof(uint32_t) * input);
    lea(e, T0, TIME, (int32_t)(e->now.cycles << 16));
    if (plus_t1)
        indexed(e, 0, 0x3B, T0, RAM, T1, 2, from);
    else
        memory(e, 0, 0x3B, T0, RAM, from);
    between(e, 0, 0x1B, T0, T0); /* sbb: all bits, if that is later */
    with_constant(e, AND, T0, 0x80);
    with_constant(e, XOR, T0, 0x80 | (noise & 0x3F));
}

/* T1 = which input of the TIA an address is; a jump to be landed if it is none. */
static uint32_t jump_unless_input(emitter *e, host_register address) {
    lea(e, T1, address, -8);
    with_constant(e, AND, T1, 15);
    with_constant(e, CMP, T1, 7);
    return jump_ahead(e, IF_ABOVE);
}

/* T0 = the byte at T0, an address of the TIA; what the bus shows in the other bits is known, or in
 * T2.  T1 and T2 change; SCRATCH stays, or is 0 then. */
enum { NOISE_IN_T2 = -1 };
static void read_tia_in_passing(emitter *e, int32_t noise) {
    const bool known = noise != NOISE_IN_T2;
    uint32_t no_input = jump_unless_input(e, T0);
    read_input(e, 0, true, known ? (unsigned)noise : 0);
    if (!known) {
        with_constant(e, AND, T2, 0x3F);
        between(e, 0, 0x0B, T0, T2);
    }
    uint32_t over = jump_over(e);
    land(e, no_input);
    if (known)
        constant(e, T1, (uint32_t)noise);
    else
        move(e, T1, T2);
    call_in_passing(e, HELP_TIA_READ);
    constant(e, SCRATCH, 0);
    land(e, over);
}

/* A crossed page costs a cycle more. */
static void page_penalty(emitter *e, host_register index, uint32_t base) {
    if (!(base & 0xFF)) return;
    with_constant(e, CMP, index, 0x100 - (base & 0xFF));
    freeze_if(e, IF_NOT_BELOW);
    with_constant(e, ADD, TIME, 0x10000);
    thaw_and_return(e);
}

/* to = the byte of ROM at T1, an offset in the cartridge's 4 KiB (FE: with bit 13 in T0). */
static void load_rom_at(emitter *e, host_register to, host_register at, int32_t more) {
    indexed(e, 0, 0x0FB6, to, ROM, at, 0, more);
}

static int32_t bank_base(const emitter *e) {
    return e->code->by_address ? 0 : (int32_t)(e->space->bank * e->code->window);
}

/* to = the byte of a slice at T1 (below 4096); T1 and T2 change. */
static void load_slice_at(emitter *e, host_register to) {
    move(e, T2, T1);
    shift(e, SHR, T2, 10);
    indexed(e, 0, 0x0FB6, T2, RAM, T2, 0, PLACE(s.cartridge.slice));
    shift(e, SHL, T2, 10);
    with_constant(e, AND, T1, 0x3FF);
    between(e, 0, 0x03, T1, T2);
    load_rom_at(e, to, T1, 0);
}

/* A table in ROM. */
static void load_table(emitter *e, host_register to, const instruction *op, host_register index) {
    page_penalty(e, index, op->operand);
    if (!e->code->sliced) {
        load_rom_at(e, to, index, bank_base(e) + op->operand);
    } else if (op->operand / 1024 == (op->operand + 255) / 1024 && op->operand / 1024 == 3) {
        load_rom_at(e, to, index, 7 * 1024 + (op->operand & 0x3FF));
    } else {
        lea(e, T1, index, op->operand);
        load_slice_at(e, to);
    }
}

/* The next code goes to COLD until jump_back(), if the index is not below a limit. */
static void freeze_from_index(emitter *e, host_register index, unsigned limit) {
    with_constant(e, CMP, index, limit);
    freeze_if(e, IF_NOT_BELOW);
}

/* T0 = base + index, in page zero. */
static void zero_page_address(emitter *e, unsigned base, host_register index) {
    lea(e, T0, index, (int32_t)base);
    between(e, BYTES, 0x0FB6, T0, T0);
}

/* to = a byte of page zero at T0, in COLD; below RAM it is the TIA. */
static void load_zero_page_at(emitter *e, host_register to, unsigned noise) {
    with_constant(e, CMP, T0, 0x80);
    uint32_t in_ram = jump_ahead(e, IF_NOT_BELOW);
    read_tia_in_passing(e, (int32_t)noise);
    move(e, to, T0);
    uint32_t done = jump_over(e);
    land(e, in_ram);
    indexed(e, 0, 0x0FB6, to, RAM, T0, 0, -0x80);
    land(e, done);
}

/* to = a byte of page zero, indexed. */
static void load_zero_page(emitter *e, host_register to, unsigned base, host_register index) {
    uint32_t back;
    if (base >= 0x80) { /* from a place in RAM an index seldom leads elsewhere */
        freeze_from_index(e, index, 0x100 - base);
        zero_page_address(e, base, index);
        load_zero_page_at(e, to, base);
        back = jump_back(e);
        indexed(e, 0, 0x0FB6, to, RAM, index, 0, (int32_t)base - 0x80);
    } else {
        zero_page_address(e, base, index);
        with_constant(e, CMP, T0, 0x80);
        freeze_if(e, IF_BELOW);
        read_tia_in_passing(e, (int32_t)base);
        move(e, to, T0);
        back = jump_back(e);
        indexed(e, 0, 0x0FB6, to, RAM, T0, 0, -0x80);
    }
    land_back(e, back);
}

/* T0 = the address that a pointer in RAM holds. */
static bool load_pointer(emitter *e, unsigned at) {
    if (at < 0x80 || at == 0xFF) return false;
    memory(e, 0, 0x0FB7, T0, RAM, (int32_t)at - 0x80);
    return true;
}

/* How an address came about: a constant base (its value) or a pointer, plus an index; or a pointer alone. */
enum { BY_POINTER = -1, NOT_INDEXED = -2 };

/* From which index on base + index is in the next page. */
static unsigned crossing_index(int32_t base) { return 0x100 - ((unsigned)base & 0xFF); }

/* A crossed page, where there may be one, is left to the plain core: what is read there may depend on the time. */
static void leave_if_crossed(emitter *e, int32_t base, host_register index) {
    if (base > 0 && base & 0xFF) {
        with_constant(e, CMP, index, crossing_index(base));
        leave_if(e, IF_NOT_BELOW);
    } else if (base == BY_POINTER) {
        with_constant(e, AND, SCRATCH, 0x100);
        leave_if(e, IF_NOT_ZERO);
    }
}

/* to = the byte at a constant base, or a pointer in T0, plus an index, in COLD; a crossed page costs a cycle more.
 * It may be in the cartridge, but at no hotspot, in RAM or the TIA.  At other addresses, and but for ROM and RAM after
 * a crossed page, the plain core reads.  T0 to T2 and SCRATCH change. */
static void load_anywhere(emitter *e, host_register to, int32_t base, host_register index) {
    const cpu_code *code = e->code;
    const bool may_cross = base == BY_POINTER || (base >= 0 && base & 0xFF);
    if (base >= 0) {
        lea(e, T1, index, base);
    } else if (base == NOT_INDEXED) {
        move(e, T1, T0);
    } else {
        indexed(e, 0, 0x8D, T1, T0, index, 0, 0);
        move(e, SCRATCH, T0);
        between(e, 0, 0x33, SCRATCH, T1); /* bit 8: the carry out of the low byte */
    }
    byte(e, 0xF6), byte(e, 0xC5), byte(e, 0x10); /* test ch, 0x10: bit 12 of T1 */
    uint32_t not_cartridge = jump_ahead(e, IF_ZERO);
    if (code->by_address) {
        move(e, T0, T1);
        shift(e, SHR, T0, 1); /* bit 13 to bit 12 */
        with_constant(e, XOR, T0, 0x1000);
        with_constant(e, AND, T0, 0x1000);
    }
    with_constant(e, AND, T1, 0xFFF);
    uint32_t done_below = 0;
    if (code->low) { /* the cartridge's RAM or registers */
        with_constant(e, CMP, T1, code->low);
        uint32_t above = jump_ahead(e, IF_NOT_BELOW);
        leave_if_crossed(e, base, index);
        lea(e, T0, T1, 0x1000);
        call_in_passing(e, HELP_CART_READ);
        constant(e, SCRATCH, 0);
        move(e, to, T0);
        done_below = jump_over(e);
        land(e, above);
    }
    if (code->low + code->span < 4096) {
        with_constant(e, CMP, T1, code->low + code->span);
        leave_if(e, IF_NOT_BELOW);
    }
    if (code->sliced) {
        load_slice_at(e, to);
    } else {
        if (code->by_address) between(e, 0, 0x03, T1, T0);
        load_rom_at(e, to, T1, bank_base(e));
    }
    uint32_t done = jump_over(e);

    land(e, not_cartridge);
    between(e, 0, 0x0FB7, T1, T1);
    if (base >= 0) {
        constant(e, T2, (uint32_t)base >> 8);
    } else {
        move(e, T2, T0);
        shift(e, SHR, T2, 8);
    }
    move(e, T0, T1);
    with_constant(e, AND, T0, 0x1280);
    with_constant(e, CMP, T0, 0x80);
    uint32_t in_ram = jump_ahead(e, IF_ZERO);
    with_constant(e, AND, T0, 0x1080);
    leave_if(e, IF_NOT_ZERO);
    leave_if_crossed(e, base, index);
    move(e, T0, T1);
    read_tia_in_passing(e, NOISE_IN_T2);
    move(e, to, T0);
    uint32_t done_too = jump_over(e);
    land(e, in_ram);
    with_constant(e, AND, T1, 0x7F);
    indexed(e, 0, 0x0FB6, to, RAM, T1, 0, 0);
    land(e, done_too);
    land(e, done);
    if (code->low) land(e, done_below);
    if (!may_cross) return;
    if (base >= 0) {
        with_constant(e, CMP, index, crossing_index(base));
        uint32_t over = jump_ahead(e, IF_BELOW);
        with_constant(e, ADD, TIME, 0x10000);
        land(e, over);
    } else {
        with_constant(e, AND, SCRATCH, 0x100);
        shift(e, SHL, SCRATCH, 8);
        between(e, 0, 0x03, TIME, SCRATCH);
    }
}

/* to = the byte at a constant base with an index.  From a base in RAM, in the TIA or in ROM it seldom leads
 * elsewhere. */
static void load_indexed(emitter *e, host_register to, uint32_t base, host_register index) {
    const cpu_code *code = e->code;
    const unsigned offset = base & 0xFFF;
    const bool in_rom = base & 0x1000 && offset - code->low < code->span && (!code->sliced || offset >= 3 * 1024);
    const unsigned to_half = 0x80 - (base & 0x7F), rom_left = code->low + code->span - offset;
    const bool in_ram = (base & 0x1280) == 0x80, in_tia = (base & 0x1080) == 0;
    if (in_rom)
        freeze_from_index(e, index, rom_left);
    else if (in_ram || in_tia)
        freeze_from_index(e, index, to_half);
    else
        freeze(e);
    load_anywhere(e, to, (int32_t)base, index);
    uint32_t back = jump_back(e);
    if (in_rom) {
        int32_t bank = code->by_address ? (base & 0x2000 ? 0 : 4096) : bank_base(e);
        if (code->sliced) bank = (7 - 3) * 1024;
        load_rom_at(e, to, index, bank + (int32_t)offset);
        if (rom_left > crossing_index((int32_t)base)) page_penalty(e, index, base);
    } else if (in_ram) {
        indexed(e, 0, 0x0FB6, to, RAM, index, 0, (int32_t)base & 0x7F);
    } else if (in_tia) {
        lea(e, T0, index, (int32_t)base);
        read_tia_in_passing(e, (int32_t)base >> 8);
        move(e, to, T0);
    }
    land_back(e, back);
}

/* to = the byte at the pointer in T0, plus an index if there is one.  It mostly is in ROM, where this code is. */
static void load_by_pointer(emitter *e, host_register to, host_register index) {
    const cpu_code *code = e->code;
    const uint32_t mirror = e->space->base & 0xF000u;
    if (index == NONE)
        lea(e, T1, T0, -(int32_t)mirror);
    else
        indexed(e, 0, 0x8D, T1, T0, index, 0, -(int32_t)mirror);
    if (code->sliced) with_constant(e, AND, T1, 0x1FFF); /* all mirrors are the same */
    if (code->low) lea(e, T2, T1, -(int32_t)code->low);
    with_constant(e, CMP, code->low ? T2 : T1, code->span);
    freeze_if(e, IF_NOT_BELOW);
    load_anywhere(e, to, index == NONE ? NOT_INDEXED : BY_POINTER, index);
    uint32_t back = jump_back(e);
    if (index != NONE) {
        between(e, BYTES, 0x02, T0, index); /* add: carries if the page is crossed */
        freeze_if(e, IF_BELOW);
        with_constant(e, ADD, TIME, 0x10000);
        thaw_and_return(e);
    }
    if (code->sliced)
        load_slice_at(e, to);
    else
        load_rom_at(e, to, T1, code->by_address ? (mirror & 0x2000 ? 0 : 4096) : bank_base(e));
    land_back(e, back);
}

/* to = SWCHA, or the timer's registers while it has not expired; else the RIOT's byte by a helper. */
static void load_riot(emitter *e, host_register to, const instruction *i) {
    const unsigned reg = i->operand & 7;
    if (reg == 0) {
        load8(e, to, RAM, PLACE(swcha));
    } else if (reg < 4) {
        read_by(e, HELP_IO_READ, i);
        move(e, to, T0);
    } else {
        settle_time(e);
        move(e, T0, TIME);
        shift(e, SHR, T0, 16);
        memory(e, 0, 0x2B, T0, RAM, PLACE(s.riot.set_at));
        lea(e, T0, T0, -1);
        load8(e, T1, RAM, PLACE(s.riot.shift));
        shift_by_t1(e, SHR, T0); /* whole intervals gone by */
        memory(e, 0, 0x3B, T0, RAM, PLACE(s.riot.value));
        freeze_if(e, IF_NOT_LESS);
        read_by(e, HELP_IO_READ, i);
        move(e, to, T0);
        uint32_t back = jump_back(e);
        if (reg & 1) {
            constant(e, to, 0); /* INSTAT */
        } else {
            load32(e, T1, PLACE(s.riot.value));
            between(e, 0, 0x2B, T1, T0);
            lea(e, T1, T1, -1);
            between(e, BYTES, 0x0FB6, to, T1);
        }
        land_back(e, back);
    }
}

/* The operand of a reading instruction; `to` is where it goes if it is no constant and not in RAM.  False:
 * left to the plain core for good. */
static bool read_operand(emitter *e, const instruction *i, host_register to, operand *o) {
    *o = (operand){REGISTER, 0};
    switch ((place)i->place) {
        case IS_CONSTANT: *o = (operand){CONSTANT, i->operand}; return true;
        case IN_RAM: *o = (operand){MEMORY, i->operand & 0x7Fu}; return true;
        case IN_TIA:
            if (tia_is_input(i->operand))
                read_input(e, (i->operand & 15u) - 8, false, i->bus);
            else
                read_by(e, HELP_TIA_READ, i);
            break;
        case IN_RIOT: load_riot(e, to, i); return true;
        case IN_CARTRIDGE:
        case AT_HOTSPOT: read_by(e, HELP_CART_READ, i); break;
        case TABLE_X: load_table(e, to, i, X); return true;
        case TABLE_Y: load_table(e, to, i, Y); return true;
        case ZERO_X: load_zero_page(e, to, i->operand, X); return true;
        case ZERO_Y: load_zero_page(e, to, i->operand, Y); return true;
        case INDEXED_X: load_indexed(e, to, i->operand, X); return true;
        case INDEXED_Y: load_indexed(e, to, i->operand, Y); return true;
        case POINTER_X:
            lea(e, T1, X, i->operand);
            between(e, BYTES, 0x0FB6, T1, T1);
            lea(e, T0, T1, -0x80); /* in RAM with its high byte: 80 to FE */
            with_constant(e, CMP, T0, 0x7E);
            leave_if(e, IF_ABOVE);
            indexed(e, 0, 0x0FB7, T0, RAM, T1, 0, -0x80);
            load_by_pointer(e, to, NONE);
            return true;
        case POINTER_Y:
            if (!load_pointer(e, i->operand)) return false;
            load_by_pointer(e, to, Y);
            return true;
        default: return false;
    }
    move(e, to, T0);
    return true;
}

/* ---- operations ---------------------------------------------------------------------------------------- */

static void nz_is(emitter *e, lazy_nz where, bool flags) {
    e->now.nz = where;
    e->flags_nz = flags;
}

static void load_register(emitter *e, host_register to, const operand *o) {
    if (o->kind == CONSTANT) constant(e, to, o->value);
    if (o->kind == MEMORY) load8(e, to, RAM, (int32_t)o->value);
}

/* reg = reg what operand, eight bits. */
static void operate(emitter *e, unsigned what, host_register reg, const operand *o) {
    if (o->kind == CONSTANT)
        byte_with_constant(e, what, reg, o->value);
    else if (o->kind == MEMORY)
        memory(e, BYTES, what << 3 | 2, reg, RAM, (int32_t)o->value);
    else
        between(e, BYTES, what << 3 | 2, reg, T0);
}

/* bt reg, 0 */
static void test_bit_0(emitter *e, host_register reg) {
    prefix(e, 0, RAX, reg, NONE);
    code_bytes(e, 0x0FBA);
    byte(e, 0xC0 | 4 << 3 | (reg & 7u));
    byte(e, 0);
}

/* The host's carry flag = C, or with `inverted` its opposite. */
static void carry_to_flags(emitter *e, bool inverted) {
    if (e->now.c == C_STORED) {
        if (inverted)
            byte_with_constant(e, CMP, C, 1);
        else
            test_bit_0(e, C);
    } else {
        byte(e, (e->now.c == C_SET) != inverted ? 0xF9 : 0xF8); /* stc, clc */
    }
}

static void carry_from_flags(emitter *e, bool inverted) {
    set_if(e, inverted ? IF_NOT_BELOW : IF_BELOW, C);
    e->now.c = C_STORED;
}

static void add_decimal(emitter *e, const operand *o, bool subtract) {
    if (o->kind == CONSTANT) constant(e, T0, o->value);
    if (o->kind == MEMORY) load8(e, T0, RAM, (int32_t)o->value);
    if (e->now.c == C_STORED)
        move(e, T1, C);
    else
        constant(e, T1, e->now.c == C_SET);
    shift(e, SHL, T1, 8);
    between(e, 0, 0x0B, T1, A);
    call_helper(e, subtract ? HELP_SBC_DECIMAL : HELP_ADC_DECIMAL);
    between(e, BYTES, 0x0FB6, A, T0);
    move(e, C, T0);
    shift(e, SHR, C, 8);
    with_constant(e, AND, C, 1);
    move(e, V, T0);
    shift(e, SHR, V, 16);
    between(e, BYTES, 0x84, A, A); /* the flags as after the other way */
}

static void add(emitter *e, const operand *o, bool subtract) {
    memory(e, 0, 0x80, (host_register)CMP, RAM, STATE(d)); /* cmp byte [d], 0 */
    byte(e, 0);
    freeze_if(e, IF_NOT_ZERO);
    add_decimal(e, o, subtract);
    uint32_t back = jump_back(e);
    if (e->now.c == (subtract ? C_SET : C_CLEAR)) {
        operate(e, subtract ? SUB : ADD, A, o);
    } else {
        carry_to_flags(e, subtract);
        operate(e, subtract ? SBB : ADC, A, o);
    }
    carry_from_flags(e, subtract);
    set_if(e, IF_OVERFLOW, V);
    land_back(e, back);
    nz_is(e, NZ_A, true);
}

static void compare(emitter *e, host_register reg, const operand *o) {
    move(e, NZ, reg);
    operate(e, SUB, NZ, o);
    carry_from_flags(e, true);
    nz_is(e, NZ_STORED, true);
}

static void bit(emitter *e, const operand *o) {
    if (o->kind == CONSTANT) constant(e, T0, o->value);
    if (o->kind == MEMORY) load8(e, T0, RAM, (int32_t)o->value);
    move(e, V, T0);
    shift(e, SHR, V, 6);
    with_constant(e, AND, V, 1);
    move(e, NZ, T0);
    with_constant(e, AND, NZ, 0x80);
    between(e, 0, 0x03, NZ, NZ);
    between(e, 0, 0x23, T0, A);
    between(e, 0, 0x0B, NZ, T0);
    nz_is(e, NZ_STORED, false);
}

#endif
