/* Operands of the 6502's instructions that read, and what they do with them. */
#ifndef ALE_AARCH64_OPERANDS_H
#define ALE_AARCH64_OPERANDS_H

#include "state.h"

/* ---- operands ------------------------------------------------------------------------------------------ */

/* What a reading instruction works on. */
typedef struct operand {
    enum { CONSTANT, MEMORY, REGISTER } kind;
    uint32_t value;  /* or the byte of RAM */
} operand;

/* A read by a helper, into T0. */
static void read_by(emitter *e, helper which, const instruction *i) {
    settle_time(e);
    constant(e, T0, i->operand);
    constant(e, T1, i->bus);
    call_helper(e, which);
}

/* A crossed page costs a cycle more. */
static void page_penalty(emitter *e, host_register index, uint32_t base) {
    if (!(base & 0xFF)) return;
    compare_constant(e, index, 0x100 - (base & 0xFF));
    freeze_if(e, IF_NOT_BELOW);
    add_time(e, 1);
    thaw_and_return(e);
}

/* to = the byte of ROM at at + more. */
static void load_rom_at(emitter *e, host_register to, host_register at, int32_t more) {
    if (more) {
        add_constant(e, U1, at, more);
        at = U1;
    }
    indexed(e, LOADING, BYTE, to, ROM, at, false);
}

static int32_t bank_base(const emitter *e) {
    return e->code->by_address ? 0 : (int32_t)(e->space->bank * e->code->window);
}

/* to = the slice that the console maps at slot `slot`, a register; U1 changes. */
static void load_slice_number(emitter *e, host_register to, host_register slot) {
    add_constant(e, U1, slot, PLACE(s.cartridge.slice));
    indexed(e, LOADING, BYTE, to, MACHINE, U1, false);
}

/* to = the byte of a slice at T1 (below 4096); T1 and T2 change. */
static void load_slice_at(emitter *e, host_register to) {
    shift_right(e, T2, T1, 10);
    load_slice_number(e, T2, T2);
    and_constant(e, T1, T1, 0x3FF);
    between_shifted(e, ADD, T1, T1, T2, 10);
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
        add_constant(e, T1, index, op->operand);
        load_slice_at(e, to);
    }
}

/* to = (index + base) & 0xFF */
static void zero_page_address(emitter *e, host_register to, unsigned base, host_register index) {
    add_constant(e, to, index, (int32_t)base);
    byte_of(e, to, to);
}

/* T0 = a byte of page zero, indexed; below RAM it is the TIA. */
static void load_zero_page(emitter *e, unsigned base, host_register index) {
    zero_page_address(e, T0, base, index);
    compare_constant(e, T0, 0x80);
    freeze_if(e, IF_BELOW);
    constant(e, T1, base);
    call_in_passing(e, HELP_TIA_READ);
    uint32_t back = jump_back(e);
    ram_at(e, LOADING, BYTE, T0, T0, -0x80);
    land_back(e, back);
}

/* T0 = the address that a pointer in RAM holds. */
static bool load_pointer(emitter *e, unsigned at) {
    if (at < 0x80 || at == 0xFF) return false;
    memory(e, LOADING, HALF, T0, RAM, (int32_t)at - 0x80);
    return true;
}

/* Set the host's flags: IF_ZERO if the address in `at` is in RAM.  T0 = its bits that tell. */
static void test_for_ram(emitter *e, host_register at) {
    and_constant(e, T0, at, 0x1280);
    compare_constant(e, T0, 0x80);
}

/* A crossed page (SCRATCH negative) is left to the plain core: what is read there may depend on the time. */
static void leave_if_crossed(emitter *e) {
    compare_constant(e, SCRATCH, 0);
    leave_if(e, IF_NEGATIVE);
}

/* to = the byte at the address in T1 (16 bits), in the cartridge, but at no hotspot, in RAM or in the TIA, there with
 * T2 before it on the bus; at other addresses, and but for ROM and RAM after a crossed page, the plain core reads.  T0
 * and T2 change. */
static void load_anywhere(emitter *e, host_register to, bool may_cross) {
    const cpu_code *code = e->code;
    test_constant(e, T1, 0x1000);
    freeze_if(e, IF_ZERO);
    {
        test_for_ram(e, T1);
        uint32_t in_ram = jump_ahead(e, IF_ZERO);
        test_constant(e, T0, 0x80);
        leave_if(e, IF_NOT_ZERO);
        if (may_cross) leave_if_crossed(e);
        move(e, T0, T1);
        move(e, T1, T2);
        call_in_passing(e, HELP_TIA_READ);
        if (may_cross) constant(e, SCRATCH, 0);
        move(e, to, T0);
        e->back = e->fixup_count;
        jump_to_fixup(e, JUMP, TO_BUFFER, HOT, 0);
        land(e, in_ram);
        and_constant(e, T1, T1, 0x7F);
        ram_at(e, LOADING, BYTE, to, T1, 0);
    }
    uint32_t back = jump_back(e);
    if (code->by_address) { /* bit 13, inverted, becomes bit 12 */
        shift_right(e, T0, T1, 1);
        logic(e, EOR, T0, T0, 0x1000);
        and_constant(e, T0, T0, 0x1000);
    }
    and_constant(e, T1, T1, 0xFFF);
    uint32_t back_from_below = 0;
    if (code->low) { /* the cartridge's RAM or registers */
        compare_constant(e, T1, code->low);
        freeze_if(e, IF_BELOW);
        if (may_cross) leave_if_crossed(e);
        add_constant(e, T0, T1, 0x1000);
        call_in_passing(e, HELP_CART_READ);
        if (may_cross) constant(e, SCRATCH, 0);
        move(e, to, T0);
        back_from_below = jump_back(e);
    }
    if (code->low + code->span < 4096) {
        compare_constant(e, T1, code->low + code->span);
        leave_if(e, IF_NOT_BELOW);
    }
    if (code->sliced) {
        load_slice_at(e, to);
    } else {
        if (code->by_address) between(e, ADD, T1, T1, T0);
        load_rom_at(e, to, T1, bank_base(e));
    }
    land_back(e, back);
    land_back(e, e->back);
    if (code->low) land_back(e, back_from_below);
}

/* The same with an index added to T0, or to a constant where that is not negative; a crossed page costs a
 * cycle. */
static void load_indexed(emitter *e, host_register to, int32_t base, host_register index) {
    if (base >= 0) {
        add_constant(e, T1, index, base);
        constant(e, T2, (uint32_t)base >> 8);
    } else {
        between(e, ADD, T1, T0, index);
        shift_right(e, T2, T0, 8);
    }
    half_of(e, T1, T1);
    /* If the page was crossed, the low byte of the sum is below the index. */
    byte_of(e, SCRATCH, T1);
    between(e, SUB, SCRATCH, SCRATCH, index);
    load_anywhere(e, to, true);
    shift_right(e, SCRATCH, SCRATCH, 31);
    between_shifted(e, ADD, TIME, TIME, SCRATCH, 16);
}

/* The operand of a reading instruction; `to` is where it goes if it is no constant and not in RAM.  False:
 * left to the plain core for good. */
static bool read_operand(emitter *e, const instruction *i, host_register to, operand *o) {
    *o = (operand){REGISTER, 0};
    switch ((place)i->place) {
        case IS_CONSTANT: *o = (operand){CONSTANT, i->operand}; return true;
        case IN_RAM: *o = (operand){MEMORY, i->operand & 0x7Fu}; return true;
        case IN_TIA: read_by(e, HELP_TIA_READ, i); break;
        case IN_RIOT: read_by(e, HELP_IO_READ, i); break;
        case IN_CARTRIDGE:
        case AT_HOTSPOT: read_by(e, HELP_CART_READ, i); break;
        case TABLE_X: load_table(e, to, i, X); return true;
        case TABLE_Y: load_table(e, to, i, Y); return true;
        case ZERO_X: load_zero_page(e, i->operand, X); break;
        case ZERO_Y: load_zero_page(e, i->operand, Y); break;
        case INDEXED_X: load_indexed(e, to, i->operand, X); return true;
        case INDEXED_Y: load_indexed(e, to, i->operand, Y); return true;
        case POINTER_X:
            zero_page_address(e, T1, i->operand, X);
            add_constant(e, T0, T1, -0x80); /* in RAM with its high byte: 80 to FE */
            compare_constant(e, T0, 0x7E);
            leave_if(e, IF_ABOVE);
            ram_at(e, LOADING, HALF, T1, T0, 0);
            shift_right(e, T2, T1, 8);
            load_anywhere(e, to, false);
            return true;
        case POINTER_Y:
            if (!load_pointer(e, i->operand)) return false;
            load_indexed(e, to, -1, Y);
            return true;
        default: return false;
    }
    move(e, to, T0);
    return true;
}

/* ---- operations ---------------------------------------------------------------------------------------- */

static void load_register(emitter *e, host_register to, const operand *o) {
    if (o->kind == CONSTANT) constant(e, to, o->value);
    if (o->kind == MEMORY) load_ram(e, to, o->value);
}

/* A = A op operand: AND, ORR or EOR. */
static void operate(emitter *e, uint32_t op, const operand *o) {
    if (o->kind == CONSTANT) {
        logic(e, op, A, A, o->value);
    } else {
        load_register(e, T0, o);
        between(e, op, A, A, T0);
    }
    nz_is(e, NZ_A);
}

/* The host's part of a decimal addition of T0. */
static void add_decimal(emitter *e, bool subtract) {
    if (e->now.c == C_STORED)
        move(e, T1, C);
    else
        constant(e, T1, e->now.c == C_SET);
    between_shifted(e, ORR, T1, A, T1, 8);
    call_helper(e, subtract ? HELP_SBC_DECIMAL : HELP_ADC_DECIMAL);
    byte_of(e, A, T0);
    take_bit(e, C, T0, 8);
    shift_right(e, V, T0, 16);
}

static void add(emitter *e, const operand *o, bool subtract) {
    load_register(e, T0, o);
    load_field(e, U1, STATE(d));
    freeze_if(e, if_not_zero(U1));
    add_decimal(e, subtract);
    uint32_t back = jump_back(e);
    if (subtract) logic(e, EOR, T0, T0, 0xFF);
    between(e, ADD, U1, A, T0);
    if (e->now.c == C_STORED) between(e, ADD, U1, U1, C);
    if (e->now.c == C_SET) add_constant(e, U1, U1, 1);
    /* An overflow: the sum's sign is neither operand's. */
    between(e, EOR, V, A, U1);
    between(e, EOR, T0, T0, U1);
    between(e, AND, V, V, T0);
    take_bit(e, V, V, 7);
    shift_right(e, C, U1, 8);
    byte_of(e, A, U1);
    land_back(e, back);
    e->now.c = C_STORED;
    nz_is(e, NZ_A);
}

static void compare(emitter *e, host_register reg, const operand *o) {
    if (o->kind == CONSTANT) {
        subtract_flags(e, NZ, reg, o->value);
    } else {
        load_register(e, T0, o);
        between(e, SUBS, NZ, reg, T0);
    }
    set_if(e, IF_NOT_BELOW, C);
    byte_of(e, NZ, NZ);
    e->now.c = C_STORED;
    nz_is(e, NZ_STORED);
}

/* NZ = bit 7 of T0 as N in bit 8. */
static void n_from_t0(emitter *e) {
    and_constant(e, NZ, T0, 0x80);
    shift_left(e, NZ, NZ, 1);
}

static void bit(emitter *e, const operand *o) {
    load_register(e, T0, o);
    take_bit(e, V, T0, 6);
    n_from_t0(e);
    between(e, AND, T0, T0, A);
    between(e, ORR, NZ, NZ, T0);
    nz_is(e, NZ_STORED);
}

#endif
