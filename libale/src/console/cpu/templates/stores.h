/* Writes: to RAM, and to the TIA, where one that changes nothing is not logged; and changes in place. */
#ifndef ALE_TEMPLATES_STORES_H
#define ALE_TEMPLATES_STORES_H

/* ---- writes to the TIA --------------------------------------------------------------------------------- */

#define SHADOW(member) PLACE(shadow.member)
#define SHADOW_REG(r) (SHADOW(reg) + (int32_t)(r))

/* A write of GRP0 or GRP1, which also copies other registers. */
static void write_grp(emitter *e, unsigned n, host_register value) {
    const unsigned reg = GRP0 + n, other = GRP0 + (n ^ 1);
    const int32_t copy = SHADOW(old_grp) + (int32_t)(n ^ 1);
    uint32_t to_log[3], changes = 0;
    load_field(e, T1, SHADOW_REG(other));
    if (n == 1) load_field(e, T2, SHADOW_REG(ENABL));
    to_log[changes++] = jump_ahead(e, opposite(if_field_is(e, SHADOW_REG(reg), value)));
    if (n == 1) to_log[changes++] = jump_ahead(e, opposite(if_field_is(e, SHADOW(old_enabl), T2)));
    uint32_t over = jump_ahead(e, if_field_is(e, copy, T1));
    while (changes) land(e, to_log[--changes]);
    store_field(e, value, SHADOW_REG(reg));
    store_field(e, T1, copy);
    if (n == 1) store_field(e, T2, SHADOW(old_enabl));
    log_write(e, reg, value);
    land(e, over);
}

/* The clock goes on to the end of the line. */
static void wait_for_line(emitter *e) {
    add_constant(e, T0, TIME, (int32_t)((e->now.cycles + LINE_CYCLES - 1) << 16));
    line_begins(e, TIME);
    e->now.cycles = 0;
}

/* shadow.reflection: whether a CTRLPF that is written now comes too late for the right half of its line. */
static void note_reflection(emitter *e) {
    load_time(e, T0);
    line_begins(e, T1);
    combine(e, SUB, T0, T0, T1);
    store_if(e, opposite(if_below(e, T0, LATE_CTRLPF << 16)), SHADOW(reflection));
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
        log = jump_ahead(e, opposite(if_field_is(e, SHADOW_REG(reg), value)));
        over = jump_ahead(e, opposite(if_field(e, SHADOW(reflection))));
        land(e, log);
        store_field(e, value, SHADOW_REG(reg));
        note_reflection(e);
        log_write(e, reg, value);
        land(e, over);
    } else if (reg == NUSIZ0 || reg == NUSIZ1) {
        const int32_t changes = SHADOW(nusiz) + (int32_t)(reg - NUSIZ0);
        log = jump_ahead(e, opposite(if_field_is(e, SHADOW_REG(reg), value)));
        over = jump_ahead(e, opposite(if_field(e, changes)));
        land(e, log);
        store_field(e, value, SHADOW_REG(reg));
        field_with_constant(e, AND, changes, 2);
        log_write(e, reg, value);
        land(e, over);
    } else if (reg == HMCLR) {
        log = jump_ahead(e, if_word(e, SHADOW_REG(HMP0))); /* four of them */
        over = jump_ahead(e, opposite(if_field(e, SHADOW_REG(HMBL))));
        land(e, log);
        clear_word(e, SHADOW_REG(HMP0));
        set_field(e, SHADOW_REG(HMBL), 0);
        log_write(e, reg, value);
        land(e, over);
    } else if (tia_registers[reg].effect == STORE || reg == HMM0 || reg == RESMP0 || reg == RESMP1) {
        over = jump_ahead(e, if_field_is(e, SHADOW_REG(reg), value));
        store_field(e, value, SHADOW_REG(reg));
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
    combine_constant(e, AND, T0, T0, 0x3F);
    uint32_t not_plain = jump_ahead(e, opposite(if_member(e, T0, plain_registers())));
    uint32_t unchanged = jump_ahead(e, if_field_at_is(e, SHADOW(reg), T0, T1));
    store_field_at(e, T1, SHADOW(reg), T0);
    shift_left(e, T0, T0, 8);
    combine(e, ADD, T0, T0, T1);
    log_write(e, 0, T0);
    uint32_t done = jump_over(e);
    land(e, not_plain);
    write_in_passing(e, HELP_TIA_WRITE, next);
    land(e, done);
    land(e, unchanged);
}

/* Store a register at T1 (16 bits), in COLD; outside RAM by a helper. */
static void store_anywhere(emitter *e, host_register value, uint32_t next) {
    combine_constant(e, AND, T0, T1, 0x1280);
    uint32_t elsewhere = jump_ahead(e, opposite(if_equal(e, T0, 0x80)));
    combine_constant(e, AND, T1, T1, 0x7F);
    store_ram_at(e, value, T1, 0);
    uint32_t done = jump_over(e);
    land(e, elsewhere);
    /* Hotspots might map another bank under this code. */
    const condition in_cartridge = if_bits(e, T1, 0x1000);
    if (e->code->low) {
        uint32_t low = jump_ahead(e, opposite(in_cartridge));
        combine_constant(e, AND, T0, T1, 0xFFF);
        leave_if(e, opposite(if_below(e, T0, e->code->low)));
        land(e, low);
    } else {
        leave_if(e, in_cartridge);
    }
    move(e, T0, T1);
    move(e, T1, value);
    write_in_passing(e, HELP_BUS_WRITE, next);
    land(e, done);
}

/* Store a register at a constant base with an index.  From a base in RAM or in the TIA it seldom leads elsewhere. */
static void store_indexed(emitter *e, host_register value, uint32_t base, host_register index, uint32_t next) {
    const bool in_ram = (base & 0x1280) == 0x80, in_tia = (base & 0x1080) == 0;
    if (in_ram || in_tia)
        freeze_from_index(e, index, 0x80 - (base & 0x7F));
    else
        freeze(e);
    add_constant(e, T1, index, (int32_t)base);
    half_of(e, T1, T1);
    store_anywhere(e, value, next);
    uint32_t back = jump_back(e);
    if (in_ram) {
        store_ram_at(e, value, index, (int32_t)base & 0x7F);
    } else if (in_tia) {
        add_constant(e, T0, index, (int32_t)base);
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
        uint32_t in_tia = jump_ahead(e, if_in_tia(e, T0));
        store_ram_at(e, value, T0, -0x80);
        uint32_t done = jump_over(e);
        land(e, in_tia);
        move(e, T1, value);
        write_tia_in_passing(e, next);
        land(e, done);
        back = jump_back(e);
        store_ram_at(e, value, index, (int32_t)base - 0x80);
    } else {
        zero_page_address(e, base, index);
        freeze_if(e, if_in_tia(e, T0));
        move(e, T1, value);
        write_tia_in_passing(e, next);
        back = jump_back(e);
        store_ram_at(e, value, T0, -0x80);
    }
    land_back(e, back);
}

/* Store a register at the pointer in T0 plus Y, which mostly is in RAM at its usual addresses. */
static void store_by_pointer(emitter *e, host_register value, uint32_t next) {
    add_registers(e, T1, T0, Y, -0x80);
    freeze_if(e, opposite(if_below(e, T1, 0x80)));
    add_constant(e, T1, T1, 0x80);
    half_of(e, T1, T1);
    store_anywhere(e, value, next);
    uint32_t back = jump_back(e);
    store_ram_at(e, value, T1, 0);
    land_back(e, back);
}

/* A store of a register that is none of T0, T1 and T2; false: left to the plain core. */
static bool store(emitter *e, const instruction *i, host_register value, bool flags) {
    const uint32_t next = e->offset + i->length;
    switch ((place)i->place) {
        case IN_RAM:
            store_ram(e, value, i->operand);
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

/* Read, change, write; the new value is in NZ.  False: left to the plain core. */
static bool modify(emitter *e, const instruction *i) {
    const operation how = (operation)i->operation;
    switch ((place)i->place) {
        case IN_RAM:
            load_ram(e, BYTE, NZ, i->operand);
            change(e, how, NZ);
            store_ram(e, NZ, i->operand);
            return true;
        case IN_TIA:
        case IN_RIOT:
            if (how > OP_ROR) return false; /* the write may end the frame, and something would be left to do */
            read_by(e, HELP_BUS_READ, i);
            move(e, NZ, T0);
            change(e, how, NZ);
            e->now.nz = NZ_STORED;
            write_by(e, i->place == IN_TIA ? HELP_TIA_WRITE : HELP_BUS_WRITE, i, NZ);
            return true;
        case ZERO_X:
        case INDEXED_X:
        case INDEXED_Y:
            add_constant(e, T1, i->place == INDEXED_Y ? Y : X, i->operand);
            if (i->place == ZERO_X) {
                byte_of(e, T1, T1);
                leave_if(e, if_in_tia(e, T1));
            } else {
                combine_constant(e, AND, T0, T1, 0x1280);
                leave_if(e, opposite(if_equal(e, T0, 0x80)));
                combine_constant(e, AND, T1, T1, 0x7F);
                combine_constant(e, OR, T1, T1, 0x80);
            }
            load_ram_at(e, BYTE, NZ, T1, -0x80);
            change(e, how, NZ);
            store_ram_at(e, NZ, T1, -0x80);
            return true;
        default: return false;
    }
}

#endif
