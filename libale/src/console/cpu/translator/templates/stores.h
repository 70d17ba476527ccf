/* Writes: to RAM, and to the TIA, where one that changes nothing is not logged; and changes in place. */
#ifndef ALE_TEMPLATES_STORES_H
#define ALE_TEMPLATES_STORES_H

/* ---- writes to the TIA --------------------------------------------------------------------------------- */

/* A byte of the shadow by its number, or a register's. */
static int32_t shadow_byte(unsigned number) { return PLACE(shadow) + (int32_t)number; }
static int32_t shadow_reg(unsigned reg) { return PLACE(shadow.reg) + (int32_t)reg; }

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
    store_if(e, opposite(if_below(e, T0, LATE_CTRLPF << 16)), PLACE(shadow.reflection));
}

/* A byte of the shadow that differs from a register, where one is named; else a byte, or a word, that is not 0. */
enum { MOST_DIFFERENCES = 8 };
typedef struct difference {
    int32_t at;
    host_register from;
    bool word;
} difference;

static condition if_different(emitter *e, const difference *d) {
    if (d->from != NONE) return opposite(if_field_is(e, d->at, d->from));
    return d->word ? if_word(e, d->at) : if_field(e, d->at);
}

/* A jump to be landed, over the logging of a write that changes nothing: where there is no difference. */
static uint32_t jump_if_same(emitter *e, const difference *d, unsigned count) {
    uint32_t to_log[MOST_DIFFERENCES];
    for (unsigned i = 0; i + 1 < count; i++) to_log[i] = jump_ahead(e, if_different(e, &d[i]));
    const uint32_t over = jump_ahead(e, opposite(if_different(e, &d[count - 1])));
    for (unsigned i = 0; i + 1 < count; i++) land(e, to_log[i]);
    return over;
}

/* A write changes bytes of the shadow, or words where they only become 0. */
static void change_bytes(emitter *e, const tia_filter *f) {
    const unsigned end = f->changes.first + f->changes.count;
    for (unsigned i = f->changes.first; i < end;) {
        const bool word = !f->keeps && !f->sets && end - i >= 4;
        if (word)
            clear_word(e, shadow_byte(i));
        else if (!f->keeps)
            set_field(e, shadow_byte(i), f->sets);
        else if (f->sets)
            field_with_constant(e, OR, shadow_byte(i), f->sets);
        else
            field_with_constant(e, AND, shadow_byte(i), f->keeps);
        i += word ? 4 : 1;
    }
}

/* A write that the program does not notice, logged as the register's filter says (video/registers.h). */
static void write_filtered(emitter *e, unsigned reg, host_register value) {
    static const host_register copied[FILTER_COPIES] = {T1, T2};
    const tia_filter *f = &tia_filters[reg];
    difference d[MOST_DIFFERENCES];
    unsigned count = 0, copies = 0;
    if (reg >= ENAM0 && f->logged == LOG_IF_NEW && !f->changes.count) {
        /* Presumably processors often mispredict whether these are new. */
        log_write_if_new(e, reg, value, shadow_reg(reg));
        return;
    }
    if (f->logged == LOG_IF_NEW) d[count++] = (difference){shadow_reg(reg), value, false};
    for (unsigned i = 0, left; (left = f->pending.count - i) != 0; i += left < 4 ? 1 : 4)
        d[count++] = (difference){shadow_byte(f->pending.first + i), NONE, left >= 4};
    for (; copies < FILTER_COPIES && f->copies[copies].to; copies++) {
        load_field(e, copied[copies], shadow_byte(f->copies[copies].from));
        d[count++] = (difference){shadow_byte(f->copies[copies].to), copied[copies], false};
    }
    const uint32_t over = count ? jump_if_same(e, d, count) : 0;
    if (f->logged == LOG_IF_NEW) store_field(e, value, shadow_reg(reg));
    for (unsigned i = 0; i < copies; i++) store_field(e, copied[i], shadow_byte(f->copies[i].to));
    if (reg == CTRLPF) note_reflection(e);
    change_bytes(e, f);
    log_write(e, reg, value);
    if (count) land(e, over);
}

/* A write of a register that is none of T0, T1 and T2. */
static void write_tia(emitter *e, unsigned reg, host_register value, uint32_t next) {
    if (reg == WSYNC) {
        wait_for_line(e);
    } else if (tia_registers[reg].is_seen) {
        constant(e, T0, reg);
        move(e, T1, value);
        flush_time(e);
        call_helper(e, HELP_TIA_WRITE);
        leave_if_stopped(e, next);
    } else {
        write_filtered(e, reg, value);
    }
}

/* ---- stores -------------------------------------------------------------------------------------------- */

/* A write by a helper that may end the frame. */
static void write_by(emitter *e, helper which, const instruction *i, host_register value) {
    constant(e, T0, i->operand);
    move(e, T1, value);
    flush_time(e);
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
    uint32_t unchanged = jump_ahead(e, if_field_at_is(e, PLACE(shadow.reg), T0, T1));
    store_field_at(e, T1, PLACE(shadow.reg), T0);
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
    int32_t port = 0;
    unsigned port_left = 0;
    const bool writes_port = in_port(e, base, true, &port, &port_left);
    if (writes_port)
        freeze_from_index(e, index, port_left);
    else if (in_ram || in_tia)
        freeze_from_index(e, index, 0x80 - (base & 0x7F));
    else
        freeze(e);
    add_constant(e, T1, index, (int32_t)base);
    half_of(e, T1, T1);
    store_anywhere(e, value, next);
    uint32_t back = jump_back(e);
    if (writes_port) {
        store_field_at(e, value, port, index);
    } else if (in_ram) {
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
    int32_t port;
    unsigned left;
    switch ((place)i->place) {
        case IN_RAM:
            store_ram(e, value, i->operand);
            e->flags_nz = flags;
            return true;
        case IN_TIA: write_tia(e, i->operand & 0x3F, value, next); return true;
        case IN_RIOT: write_by(e, HELP_BUS_WRITE, i, value); return true;
        case IN_CARTRIDGE:
            if (in_port(e, i->operand, true, &port, &left)) {
                store_field(e, value, port);
                e->flags_nz = flags;
                return true;
            } /* fall through */
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
