/* Writes: to RAM, and to the TIA, where one that changes nothing is not logged; and changes in place. */
#ifndef ALE_X86_64_STORES_H
#define ALE_X86_64_STORES_H

#include "operands.h"

/* ---- writes to the TIA --------------------------------------------------------------------------------- */

#define SHADOW(member) PLACE(shadow.member)
#define SHADOW_REG(r) (SHADOW(reg) + (int32_t)(r))

/* Log a write of a register, or of T0. */
static void log_write(emitter *e, unsigned reg, host_register value) {
    indexed(e, 0, 0x8D, T0, TIME, value, 0, (int32_t)(e->now.cycles << 16 | reg << 8));
    memory(e, 0, 0x89, T0, LOGGED, 0);
    memory(e, WIDE, 0x8D, LOGGED, LOGGED, 4);
}

/* The same for T0, a register << 8 and the value. */
static void log_entry(emitter *e) { log_write(e, 0, T0); }

/* cmp byte [field], reg */
static void compare_field(emitter *e, int32_t field, host_register reg) {
    memory(e, BYTES, 0x38, reg, RAM, field);
}

/* what byte [field], value */
static void field_with_constant(emitter *e, unsigned what, int32_t field, unsigned value) {
    memory(e, 0, 0x80, (host_register)what, RAM, field);
    byte(e, value);
}

static void set_field(emitter *e, int32_t field, unsigned value) {
    memory(e, 0, 0xC6, RAX, RAM, field);
    byte(e, value);
}

/* A write of GRP0 or GRP1, which also copies other registers. */
static void write_grp(emitter *e, unsigned n, host_register value) {
    const unsigned reg = GRP0 + n, other = GRP0 + (n ^ 1);
    const int32_t copy = SHADOW(old_grp) + (int32_t)(n ^ 1);
    uint32_t to_log[3], changes = 0;
    load8(e, T1, RAM, SHADOW_REG(other));
    if (n == 1) load8(e, T2, RAM, SHADOW_REG(ENABL));
    compare_field(e, SHADOW_REG(reg), value);
    to_log[changes++] = jump_ahead(e, IF_NOT_ZERO);
    if (n == 1) {
        compare_field(e, SHADOW(old_enabl), T2);
        to_log[changes++] = jump_ahead(e, IF_NOT_ZERO);
    }
    compare_field(e, copy, T1);
    uint32_t over = jump_ahead(e, IF_ZERO);
    while (changes) land(e, to_log[--changes]);
    store8(e, value, SHADOW_REG(reg));
    store8(e, T1, copy);
    if (n == 1) store8(e, T2, SHADOW(old_enabl));
    log_write(e, reg, value);
    land(e, over);
}

/* to = the time << 16 of the beginning of the line in which the time << 16 in T0 lies.  T0 may be `to`. */
static void line_begins(emitter *e, host_register to) {
    enum { MAGIC = 55189 }; /* 2^22 / 76, rounded up: exact up to 69905 */
    host_register line = to == TIME ? T0 : to;
    between(e, WIDE, 0x69, line, T0);
    word32(e, MAGIC);
    wide_shift(e, SHR, line, 16 + 22);
    between(e, 0, 0x69, to, line);
    word32(e, LINE_CYCLES << 16);
}

/* The clock goes on to the end of the line. */
static void wait_for_line(emitter *e) {
    lea(e, T0, TIME, (int32_t)((e->now.cycles + LINE_CYCLES - 1) << 16));
    line_begins(e, TIME);
    e->now.cycles = 0;
}

/* shadow.reflection: whether a CTRLPF that is written now comes too late for the right half of its line. */
static void note_reflection(emitter *e) {
    lea(e, T0, TIME, (int32_t)(e->now.cycles << 16));
    line_begins(e, T1);
    between(e, 0, 0x2B, T0, T1);
    with_constant(e, CMP, T0, LATE_CTRLPF << 16);
    memory(e, 0, 0x0F93, RAX, RAM, SHADOW(reflection)); /* setae */
}

/* T0 and T1, an address and a value, go to the TIA the long way. */
static void tia_write_long(emitter *e, uint32_t next) {
    settle_time(e);
    call_helper(e, HELP_TIA_WRITE);
    leave_if_stopped(e, next);
}

/* Log a write if it changes anything (see video/shadow.h).  `value` is none of T0, T1 and T2. */
static void write_tia(emitter *e, unsigned reg, host_register value, uint32_t next) {
    uint32_t over = 0, log = 0;
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
        log = jump_ahead(e, IF_NOT_ZERO);
        field_with_constant(e, CMP, SHADOW(reflection), 0);
        over = jump_ahead(e, IF_ZERO);
        land(e, log);
        store8(e, value, SHADOW_REG(reg));
        note_reflection(e);
        log_write(e, reg, value);
        land(e, over);
    } else if (reg == NUSIZ0 || reg == NUSIZ1) {
        const int32_t changes = SHADOW(nusiz) + (int32_t)(reg - NUSIZ0);
        compare_field(e, SHADOW_REG(reg), value);
        log = jump_ahead(e, IF_NOT_ZERO);
        field_with_constant(e, CMP, changes, 0);
        over = jump_ahead(e, IF_ZERO);
        land(e, log);
        store8(e, value, SHADOW_REG(reg));
        field_with_constant(e, AND, changes, 2);
        log_write(e, reg, value);
        land(e, over);
    } else if (reg == HMCLR) {
        memory(e, 0, 0x83, (host_register)CMP, RAM, SHADOW_REG(HMP0)), byte(e, 0); /* four of them */
        log = jump_ahead(e, IF_NOT_ZERO);
        field_with_constant(e, CMP, SHADOW_REG(HMBL), 0);
        over = jump_ahead(e, IF_ZERO);
        land(e, log);
        memory(e, 0, 0xC7, RAX, RAM, SHADOW_REG(HMP0)), word32(e, 0);
        set_field(e, SHADOW_REG(HMBL), 0);
        log_write(e, reg, value);
        land(e, over);
    } else if (tia_registers[reg].effect == STORE || reg == HMM0 || reg == RESMP0 || reg == RESMP1) {
        compare_field(e, SHADOW_REG(reg), value);
        over = jump_ahead(e, IF_ZERO);
        store8(e, value, SHADOW_REG(reg));
        if (reg == HMM0) field_with_constant(e, OR, SHADOW(nusiz), 2);
        log_write(e, reg, value);
        land(e, over);
    } else { /* a strobe, or no register */
        if (reg == RESP0 || reg == RESP1)
            field_with_constant(e, OR, SHADOW(nusiz) + (int32_t)(reg - RESP0), 1);
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

/* Registers that are but stored, as bits by their addresses. */
static uint64_t plain_registers(void) {
    uint64_t set = 0;
    for (unsigned reg = 0; reg <= CXCLR; reg++)
        if (tia_registers[reg].effect == STORE && !tia_registers[reg].is_seen) set |= UINT64_C(1) << reg;
    return set;
}

/* T0, an address in the TIA, and T1 go there; the clock is then as lazy as before. */
static void write_tia_in_passing(emitter *e, uint32_t next) {
    lazy_state now = e->now;
    with_constant(e, AND, T0, 0x3F);
    constant64(e, T2, plain_registers());
    between(e, WIDE, 0x0FA3, T0, T2); /* bt T2, T0 */
    uint32_t not_plain = jump_ahead(e, IF_NOT_BELOW);
    indexed(e, BYTES, 0x38, T1, RAM, T0, 0, SHADOW(reg)); /* cmp [...], T1 */
    uint32_t unchanged = jump_ahead(e, IF_ZERO);
    indexed(e, BYTES, 0x88, T1, RAM, T0, 0, SHADOW(reg));
    shift(e, SHL, T0, 8);
    between(e, 0, 0x03, T0, T1);
    log_entry(e);
    uint32_t done = jump_over(e);
    land(e, not_plain);
    tia_write_long(e, next);
    lea(e, TIME, TIME, -(int32_t)(now.cycles << 16));
    e->now = now;
    land(e, done);
    land(e, unchanged);
}

/* Store a register at T1 (16 bits), in COLD; outside RAM by a helper. */
static void store_anywhere(emitter *e, host_register value, uint32_t next) {
    const lazy_state now = e->now;
    move(e, T0, T1);
    with_constant(e, AND, T0, 0x1280);
    with_constant(e, CMP, T0, 0x80);
    uint32_t elsewhere = jump_ahead(e, IF_NOT_ZERO);
    with_constant(e, AND, T1, 0x7F);
    indexed(e, BYTES, 0x88, value, RAM, T1, 0, 0);
    uint32_t done = jump_over(e);
    land(e, elsewhere);
    /* Hotspots might map another bank under this code. */
    byte(e, 0xF7), byte(e, 0xC0 | T1), word32(e, 0x1000); /* test T1, 0x1000 */
    if (e->code->low) {
        uint32_t low = jump_ahead(e, IF_ZERO);
        move(e, T0, T1);
        with_constant(e, AND, T0, 0xFFF);
        with_constant(e, CMP, T0, e->code->low);
        leave_if(e, IF_NOT_BELOW);
        land(e, low);
    } else {
        leave_if(e, IF_NOT_ZERO);
    }
    move(e, T0, T1);
    move(e, T1, value);
    settle_time(e);
    call_helper(e, HELP_BUS_WRITE);
    leave_if_stopped(e, next);
    lea(e, TIME, TIME, -(int32_t)(now.cycles << 16));
    e->now = now;
    land(e, done);
}

/* Store a register at a constant base with an index.  From a base in RAM or in the TIA it seldom leads elsewhere. */
static void store_indexed(emitter *e, host_register value, uint32_t base, host_register index, uint32_t next) {
    const bool in_ram = (base & 0x1280) == 0x80, in_tia = (base & 0x1080) == 0;
    if (in_ram || in_tia)
        freeze_from_index(e, index, 0x80 - (base & 0x7F));
    else
        freeze(e);
    lea(e, T1, index, (int32_t)base);
    between(e, 0, 0x0FB7, T1, T1);
    store_anywhere(e, value, next);
    uint32_t back = jump_back(e);
    if (in_ram) {
        indexed(e, BYTES, 0x88, value, RAM, index, 0, (int32_t)base & 0x7F);
    } else if (in_tia) {
        lea(e, T0, index, (int32_t)base);
        move(e, T1, value);
        write_tia_in_passing(e, next);
    }
    land_back(e, back);
}

/* Store a register in page zero, indexed. */
static void store_zero_page(emitter *e, host_register value, unsigned base, host_register index, uint32_t next) {
    uint32_t back;
    if (base >= 0x80) { /* from a place in RAM an index seldom leads elsewhere */
        freeze_from_index(e, index, 0x100 - base);
        zero_page_address(e, base, index);
        with_constant(e, CMP, T0, 0x80);
        uint32_t in_tia = jump_ahead(e, IF_BELOW);
        indexed(e, BYTES, 0x88, value, RAM, T0, 0, -0x80);
        uint32_t done = jump_over(e);
        land(e, in_tia);
        move(e, T1, value);
        write_tia_in_passing(e, next);
        land(e, done);
        back = jump_back(e);
        indexed(e, BYTES, 0x88, value, RAM, index, 0, (int32_t)base - 0x80);
    } else {
        zero_page_address(e, base, index);
        with_constant(e, CMP, T0, 0x80);
        freeze_if(e, IF_BELOW);
        move(e, T1, value);
        write_tia_in_passing(e, next);
        back = jump_back(e);
        indexed(e, BYTES, 0x88, value, RAM, T0, 0, -0x80);
    }
    land_back(e, back);
}

/* Store a register at the pointer in T0 plus Y, which mostly is in RAM at its usual addresses. */
static void store_by_pointer(emitter *e, host_register value, uint32_t next) {
    indexed(e, 0, 0x8D, T1, T0, Y, 0, -0x80);
    with_constant(e, CMP, T1, 0x80);
    freeze_if(e, IF_NOT_BELOW);
    with_constant(e, ADD, T1, 0x80);
    between(e, 0, 0x0FB7, T1, T1);
    store_anywhere(e, value, next);
    uint32_t back = jump_back(e);
    indexed(e, BYTES, 0x88, value, RAM, T1, 0, 0);
    land_back(e, back);
}

/* A store of a register that is none of T0, T1 and T2; false: left to the plain core. */
static bool store(emitter *e, const instruction *i, host_register value, bool flags) {
    const uint32_t next = e->offset + i->length;
    switch ((place)i->place) {
        case IN_RAM:
            store8(e, value, i->operand & 0x7F);
            e->flags_nz = flags;
            return true;
        case IN_TIA: write_tia(e, i->operand & 0x3F, value, next); return true;
        case IN_RIOT: write_by(e, HELP_BUS_WRITE, i, value); return true;
        case IN_CARTRIDGE:
        case AT_HOTSPOT: write_by(e, HELP_CART_WRITE, i, value); return true;
        case ZERO_X: store_zero_page(e, value, i->operand, X, next); return true;
        case ZERO_Y: store_zero_page(e, value, i->operand, Y, next); return true;
        case INDEXED_X: store_indexed(e, value, i->operand, X, next); return true;
        case INDEXED_Y: store_indexed(e, value, i->operand, Y, next); return true;
        case POINTER_Y:
            if (!load_pointer(e, i->operand)) return false;
            store_by_pointer(e, value, next);
            return true;
        default: return false;
    }
}

/* ---- read, change, write ------------------------------------------------------------------------------- */

static void change(emitter *e, operation how, host_register reg) {
    switch (how) {
        case OP_INC:
        case OP_DEC:
        case OP_ISB:
        case OP_DCP:
            prefix(e, BYTES, RAX, reg, NONE);
            byte(e, 0xFE);
            byte(e, 0xC0 | (how == OP_DEC || how == OP_DCP ? 8u : 0u) | (reg & 7u));
            return;
        case OP_ASL:
        case OP_SLO: between(e, BYTES, 0x02, reg, reg); break;
        case OP_LSR:
        case OP_SRE: byte_shift_by_one(e, SHR, reg); break;
        case OP_ROL:
        case OP_RLA:
            carry_to_flags(e, false);
            between(e, BYTES, 0x12, reg, reg);
            break;
        default:
            carry_to_flags(e, false);
            byte_shift_by_one(e, RCR, reg);
            break;
    }
    carry_from_flags(e, false);
}

/* Read, change, write; the new value is in NZ.  False: left to the plain core. */
static bool modify(emitter *e, const instruction *i) {
    const operation how = (operation)i->operation;
    switch ((place)i->place) {
        case IN_RAM:
            load8(e, NZ, RAM, i->operand & 0x7F);
            change(e, how, NZ);
            store8(e, NZ, i->operand & 0x7F);
            return true;
        case IN_TIA:
        case IN_RIOT:
            if (how > OP_ROR)
                return false; /* the write may end the frame, and something would be left to do */
            read_by(e, HELP_BUS_READ, i);
            move(e, NZ, T0);
            change(e, how, NZ);
            e->now.nz = NZ_STORED;
            write_by(e, i->place == IN_TIA ? HELP_TIA_WRITE : HELP_BUS_WRITE, i, NZ);
            return true;
        case ZERO_X:
        case INDEXED_X:
        case INDEXED_Y:
            lea(e, T1, i->place == INDEXED_Y ? Y : X, i->operand);
            if (i->place == ZERO_X) {
                between(e, BYTES, 0x0FB6, T1, T1);
                with_constant(e, CMP, T1, 0x80);
                leave_if(e, IF_BELOW);
            } else {
                move(e, T0, T1);
                with_constant(e, AND, T0, 0x1280);
                with_constant(e, CMP, T0, 0x80);
                leave_if(e, IF_NOT_ZERO);
                with_constant(e, AND, T1, 0x7F);
                with_constant(e, OR, T1, 0x80);
            }
            indexed(e, 0, 0x0FB6, NZ, RAM, T1, 0, -0x80);
            change(e, how, NZ);
            indexed(e, BYTES, 0x88, NZ, RAM, T1, 0, -0x80);
            return true;
        default: return false;
    }
}

#endif
