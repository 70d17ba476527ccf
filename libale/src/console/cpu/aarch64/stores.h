/* Writes: to RAM, and to the TIA, where one that changes nothing is not logged; and changes in place. */
#ifndef ALE_AARCH64_STORES_H
#define ALE_AARCH64_STORES_H

#include "operands.h"

/* ---- writes to the TIA --------------------------------------------------------------------------------- */

#define SHADOW(member) PLACE(shadow.member)
#define SHADOW_REG(r) (SHADOW(reg) + (int32_t)(r))

/* Log a write of a register; U1 changes. */
static void log_write(emitter *e, unsigned reg, host_register value) {
    constant(e, U1, e->now.cycles << 16 | reg << 8);
    between(e, ADD, U1, U1, TIME);
    between(e, ADD, U1, U1, value);
    word(e, 0xB8000400u | 4u << 12 | (uint32_t)LOGGED << 5 | (uint32_t)U1); /* str U1, [LOGGED], 4 */
}

/* Set the host's flags: whether a field is the same as a register; U0 changes. */
static void compare_field(emitter *e, int32_t at, host_register reg) {
    load_field(e, U0, at);
    compare_registers(e, U0, reg);
}
/* The same of one more field, if all before were. */
static void and_compare_field(emitter *e, int32_t at, host_register reg) {
    load_field(e, U0, at);
    and_compare(e, U0, reg);
}

/* field = field op value; U1 changes. */
static void field_with_constant(emitter *e, uint32_t op, int32_t at, unsigned value) {
    load_field(e, U1, at);
    logic(e, op, U1, U1, value);
    store_field(e, U1, at);
}

static void set_field(emitter *e, int32_t at, unsigned value) {
    if (value) constant(e, U1, value);
    store_field(e, value ? U1 : ZERO, at);
}

/* A write of GRP0 or GRP1, which also copies other registers. */
static void write_grp(emitter *e, unsigned n, host_register value) {
    const unsigned reg = GRP0 + n, other = GRP0 + (n ^ 1);
    const int32_t copy = SHADOW(old_grp) + (int32_t)(n ^ 1);
    load_field(e, T1, SHADOW_REG(other));
    if (n == 1) load_field(e, T2, SHADOW_REG(ENABL));
    compare_field(e, SHADOW_REG(reg), value);
    if (n == 1) and_compare_field(e, SHADOW(old_enabl), T2);
    and_compare_field(e, copy, T1);
    uint32_t over = jump_ahead(e, IF_ZERO);
    store_field(e, value, SHADOW_REG(reg));
    store_field(e, T1, copy);
    if (n == 1) store_field(e, T2, SHADOW(old_enabl));
    log_write(e, reg, value);
    land(e, over);
}

/* The clock goes on to the end of the line. */
static void wait_for_line(emitter *e) {
    enum { MAGIC = 55189 }; /* 2^22 / 76, rounded up: exact up to 69905 */
    add_constant(e, T0, TIME, (int32_t)((e->now.cycles + LINE_CYCLES - 1) << 16));
    shift_right(e, T0, T0, 16);
    constant(e, U1, MAGIC);
    multiply_add(e, T0, T0, U1, ZERO);
    shift_right(e, T0, T0, 22);
    constant(e, U1, LINE_CYCLES << 16);
    multiply_add(e, TIME, T0, U1, ZERO);
    e->now.cycles = 0;
}

/* T0 and T1, an address and a value, go to the TIA the long way. */
static void tia_write_long(emitter *e, uint32_t next) {
    settle_time(e);
    call_helper(e, HELP_TIA_WRITE);
    leave_if_stopped(e, next);
}

/* Log a write if it changes anything (see video/shadow.h).  `value` is none of T0, T1 and T2. */
static void write_tia(emitter *e, unsigned reg, host_register value, uint32_t next) {
    uint32_t over = 0;
    if (reg == WSYNC) {
        wait_for_line(e);
    } else if (tia_registers[reg].is_seen) {
        constant(e, T0, reg);
        move(e, T1, value);
        tia_write_long(e, next);
    } else if (reg == GRP0 || reg == GRP1) {
        write_grp(e, reg - GRP0, value);
    } else if (reg == CTRLPF) {
        compare_field(e, SHADOW_REG(reg), value);
        and_compare_field(e, SHADOW(reflection), ZERO);
        over = jump_ahead(e, IF_ZERO);
        constant(e, T0, reg);
        move(e, T1, value);
        call_in_passing(e, HELP_TIA_WRITE);
        land(e, over);
    } else if (reg == NUSIZ0 || reg == NUSIZ1) {
        const int32_t changes = SHADOW(nusiz) + (int32_t)(reg - NUSIZ0);
        compare_field(e, SHADOW_REG(reg), value);
        and_compare_field(e, changes, ZERO);
        over = jump_ahead(e, IF_ZERO);
        store_field(e, value, SHADOW_REG(reg));
        field_with_constant(e, AND, changes, 2);
        log_write(e, reg, value);
        land(e, over);
    } else if (reg == HMCLR) {
        field(e, LOADING, WORD, U0, SHADOW_REG(HMP0)); /* four of them */
        load_field(e, U1, SHADOW_REG(HMBL));
        between(e, ORR, U1, U1, U0);
        over = jump_ahead(e, if_zero(U1));
        field(e, STORING, WORD, ZERO, SHADOW_REG(HMP0));
        set_field(e, SHADOW_REG(HMBL), 0);
        log_write(e, reg, value);
        land(e, over);
    } else if (tia_registers[reg].effect == STORE || reg == HMM0 || reg == RESMP0 || reg == RESMP1) {
        compare_field(e, SHADOW_REG(reg), value);
        over = jump_ahead(e, IF_ZERO);
        store_field(e, value, SHADOW_REG(reg));
        if (reg == HMM0) field_with_constant(e, ORR, SHADOW(nusiz), 2);
        log_write(e, reg, value);
        land(e, over);
    } else { /* a strobe, or no register */
        if (reg == RESP0 || reg == RESP1) field_with_constant(e, ORR, SHADOW(nusiz) + (int32_t)(reg - RESP0), 1);
        if (reg == HMOVE) set_field(e, SHADOW(nusiz), 0), set_field(e, SHADOW(nusiz) + 1, 0);
        log_write(e, reg, value);
    }
}

/* ---- stores -------------------------------------------------------------------------------------------- */

/* A write by a helper that may end the frame. */
static void write_by(emitter *e, helper which, const instruction *i, host_register value) {
    constant(e, T0, i->operand);
    move(e, T1, value);
    settle_time(e);
    call_helper(e, which);
    leave_if_stopped(e, e->offset + i->length);
}

/* T0 and T1 are written by a helper, in COLD; the clock is then as lazy as before. */
static void write_in_passing(emitter *e, helper which, uint32_t next) {
    lazy_state now = e->now;
    settle_time(e);
    call_helper(e, which);
    leave_if_stopped(e, next);
    add_time(e, -(int32_t)now.cycles);
    e->now = now;
}

/* Store a register at T1 (16 bits); outside RAM by a helper. */
static void store_anywhere(emitter *e, host_register value, uint32_t next) {
    test_for_ram(e, T1);
    freeze_if(e, IF_NOT_ZERO);
    {
        /* Hotspots might map another bank under this code. */
        test_constant(e, T1, 0x1000);
        if (e->code->low) {
            uint32_t low = jump_ahead(e, IF_ZERO);
            and_constant(e, T0, T1, 0xFFF);
            compare_constant(e, T0, e->code->low);
            leave_if(e, IF_NOT_BELOW);
            land(e, low);
        } else {
            leave_if(e, IF_NOT_ZERO);
        }
        move(e, T0, T1);
        move(e, T1, value);
        write_in_passing(e, HELP_BUS_WRITE, next);
    }
    uint32_t back = jump_back(e);
    and_constant(e, T1, T1, 0x7F);
    ram_at(e, STORING, BYTE, value, T1, 0);
    land_back(e, back);
}

/* A store of a register that is none of T0, T1 and T2; false: left to the plain core. */
static bool store(emitter *e, const instruction *i, host_register value) {
    const uint32_t next = e->offset + i->length;
    switch ((place)i->place) {
        case IN_RAM: store_ram(e, value, i->operand); return true;
        case IN_TIA: write_tia(e, i->operand & 0x3F, value, next); return true;
        case IN_RIOT: write_by(e, HELP_BUS_WRITE, i, value); return true;
        case IN_CARTRIDGE:
        case AT_HOTSPOT: write_by(e, HELP_CART_WRITE, i, value); return true;
        case ZERO_X:
        case ZERO_Y: {
            zero_page_address(e, T0, i->operand, i->place == ZERO_X ? X : Y);
            compare_constant(e, T0, 0x80);
            freeze_if(e, IF_BELOW);
            move(e, T1, value);
            write_in_passing(e, HELP_TIA_WRITE, next);
            uint32_t back = jump_back(e);
            ram_at(e, STORING, BYTE, value, T0, -0x80);
            land_back(e, back);
            return true;
        }
        case INDEXED_X:
        case INDEXED_Y:
            add_constant(e, T1, i->place == INDEXED_X ? X : Y, i->operand);
            half_of(e, T1, T1);
            store_anywhere(e, value, next);
            return true;
        case POINTER_Y:
            if (!load_pointer(e, i->operand)) return false;
            between(e, ADD, T1, T0, Y);
            half_of(e, T1, T1);
            store_anywhere(e, value, next);
            return true;
        default: return false;
    }
}

/* ---- read, change, write ------------------------------------------------------------------------------- */

static void change(emitter *e, operation how, host_register reg) {
    const bool stored = e->now.c == C_STORED, set = e->now.c == C_SET;
    switch (how) {
        case OP_INC:
        case OP_DEC:
        case OP_ISB:
        case OP_DCP:
            add_constant(e, reg, reg, how == OP_DEC || how == OP_DCP ? -1 : 1);
            byte_of(e, reg, reg);
            return;
        case OP_ASL:
        case OP_SLO:
            shift_right(e, C, reg, 7);
            double_byte(e, reg, reg);
            break;
        case OP_LSR:
        case OP_SRE:
            and_constant(e, C, reg, 1);
            shift_right(e, reg, reg, 1);
            break;
        case OP_ROL:
        case OP_RLA:
            double_byte(e, U1, reg);
            if (stored) between(e, ORR, U1, U1, C);
            if (set) logic(e, ORR, U1, U1, 1);
            shift_right(e, C, reg, 7);
            move(e, reg, U1);
            break;
        default: /* ROR and RRA */
            shift_right(e, U1, reg, 1);
            if (stored) between_shifted(e, ORR, U1, U1, C, 7);
            if (set) logic(e, ORR, U1, U1, 0x80);
            and_constant(e, C, reg, 1);
            move(e, reg, U1);
            break;
    }
    e->now.c = C_STORED;
}

/* Read, change, write; the new value is in NZ.  False: left to the plain core. */
static bool modify(emitter *e, const instruction *i) {
    const operation how = (operation)i->operation;
    switch ((place)i->place) {
        case IN_RAM:
            load_ram(e, NZ, i->operand);
            change(e, how, NZ);
            store_ram(e, NZ, i->operand);
            return true;
        case IN_TIA:
        case IN_RIOT:
            if (how > OP_ROR) return false; /* the write may end the frame, and something would be left to do */
            read_by(e, HELP_BUS_READ, i);
            move(e, NZ, T0);
            change(e, how, NZ);
            nz_is(e, NZ_STORED);
            write_by(e, i->place == IN_TIA ? HELP_TIA_WRITE : HELP_BUS_WRITE, i, NZ);
            return true;
        case ZERO_X:
        case INDEXED_X:
        case INDEXED_Y:
            if (i->place == ZERO_X) {
                zero_page_address(e, T1, i->operand, X);
                compare_constant(e, T1, 0x80);
                leave_if(e, IF_BELOW);
            } else {
                add_constant(e, T1, i->place == INDEXED_Y ? Y : X, i->operand);
                test_for_ram(e, T1);
                leave_if(e, IF_NOT_ZERO);
            }
            and_constant(e, T1, T1, 0x7F);
            ram_at(e, LOADING, BYTE, NZ, T1, 0);
            change(e, how, NZ);
            ram_at(e, STORING, BYTE, NZ, T1, 0);
            return true;
        default: return false;
    }
}

#endif
