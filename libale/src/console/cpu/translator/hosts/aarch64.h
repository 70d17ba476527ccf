/* AArch64: its instructions, as far as they are needed, and what the templates ask of it (primitives.h).
 *
 * NZ is decided by the 6502's registers alone, never by the host's flags.
 *
 * Code becomes known to other threads by a release store of its entry, after the caches have been told of it
 * (executable_append).  No core can hold older instructions of its addresses: nothing was ever mapped there.
 * Its pages do not ask for landing pads (BTI), so every instruction may be jumped to. */
#ifndef ALE_HOST_AARCH64_H
#define ALE_HOST_AARCH64_H

typedef enum host_register {
    W0, W1, W2, W3, W9 = 9, W10, W11, W16 = 16, W17, W19 = 19, W20, W21, W22, W23, W24, W25, W26, W27, W28,
    FRAME = 29, LINK = 30, SP = 31, ZERO = 31, NONE,
    T0 = W0, T1 = W1, T2 = W2, /* for an instruction's own use */
    SCRATCH = W3,
    U0 = W16, U1 = W17,        /* for the use of what emits a few instructions; constants may go through U0 */
    ROM = W9,                  /* &rom->data[0] */
    MACHINE = W10,             /* the console */
    TRANSLATED = W11,          /* &machine->translated */
    A = W19,
    X = W20,
    Y = W21,
    S = W22,
    NZ = W23,                  /* where not lazy: Z: low byte is 0; N: bit 7 or 8 */
    C = W24,                   /* likewise; 0 or 1 */
    V = W25,
    TIME = W26,                /* cycles << 16, without those that are lazy */
    RAM = W27,                 /* &machine->s.ram[0] */
    LOGGED = W28               /* where the next access is logged */
} host_register;

enum {
    ADD = 0x0B000000, SUB = 0x4B000000, SUBS = 0x6B000000,
    AND = 0x0A000000, OR = 0x2A000000, XOR = 0x4A000000, ANDS = 0x6A000000
};

/* A conditional jump, without its distance. */
typedef enum condition {
    IF_ZERO = 0x54000000, IF_NOT_ZERO, IF_NOT_BELOW, IF_BELOW, IF_LESS = 0x5400000B
} condition;

typedef enum access_size { BYTE, HALF, WORD, DOUBLE } access_size; /* log2 of the bytes */

/* Fields of the console. */
#define PLACE(member) ((int32_t)offsetof(console, member))

#include "../primitives.h"

/* ---- instructions of the host -------------------------------------------------------------------------- */

static void word(emitter *e, uint32_t value) {
    uint8_t *to = emit_space(e, 4);
    for (int i = 0; i < 4; i++) to[i] = (uint8_t)(value >> 8 * i);
}

#define WIDE 0x80000000u /* added to an instruction: 64 bits */

/* to = a op b */
static void between(emitter *e, uint32_t op, host_register to, host_register a, host_register b) {
    word(e, op | (uint32_t)b << 16 | (uint32_t)a << 5 | to);
}
/* to = a op (b << by) */
static void between_shifted(emitter *e, uint32_t op, host_register to, host_register a, host_register b,
                            unsigned by) {
    between(e, op | by << 10, to, a, b);
}

static void move_wide(emitter *e, host_register to, host_register from) { between(e, OR | WIDE, to, ZERO, from); }

static void constant64(emitter *e, host_register to, uint64_t value) {
    bool begun = false;
    for (unsigned half = 0; half < 4; half++) {
        uint32_t part = value >> 16 * half & 0xFFFF;
        if (!part && (begun || half < 3)) continue;
        word(e, (begun ? 0xF2800000u : 0xD2800000u) | half << 21 | part << 5 | to); /* movk, movz */
        begun = true;
    }
}
/* to = from + value, 32 bits or with WIDE in `wide` 64; leaves the flags alone. */
static void add_constant_to(emitter *e, uint32_t wide, host_register to, host_register from, int32_t value) {
    const uint32_t op = wide | (value < 0 ? 0x51000000u : 0x11000000u);
    const uint32_t size = value < 0 ? 0u - (uint32_t)value : (uint32_t)value;
    if (size >> 24) {
        constant(e, U0, size);
        between(e, (value < 0 ? SUB : ADD) | wide, to, from, U0);
        return;
    }
    if (size >> 12) {
        word(e, op | 1u << 22 | size >> 12 << 10 | (uint32_t)from << 5 | to);
        from = to;
    }
    if (size & 0xFFF || (!size && to != from))
        word(e, op | (size & 0xFFF) << 10 | (uint32_t)from << 5 | to);
}
/* Whether the bits of a value, not all of 32, lie side by side. */
static bool is_run(uint32_t value) {
    uint32_t above = value + (value & (0u - value));
    return value && value != UINT32_MAX && !(above & value);
}

/* to = from op value; AND, OR, XOR or ANDS. */
static void logic(emitter *e, uint32_t op, host_register to, host_register from, uint32_t value) {
    if (!is_run(value)) {
        constant(e, U0, value);
        between(e, op, to, from, U0);
        return;
    }
    uint32_t ones = 0, shift = 0;
    while (!(value >> shift & 1)) shift++;
    while (value >> shift >> ones & 1) ones++;
    word(e, (op ^ 0x18000000u) | ((32 - shift) & 31u) << 16 | (ones - 1) << 10 | (uint32_t)from << 5 | to);
}
static void compare_registers(emitter *e, host_register a, host_register b) { between(e, SUBS, ZERO, a, b); }

/* to = from - value, with flags; below 4096. */
static void subtract_flags(emitter *e, host_register to, host_register from, uint32_t value) {
    word(e, 0x71000000u | value << 10 | (uint32_t)from << 5 | to);
}
static void compare_constant(emitter *e, host_register a, uint32_t value) {
    if (value < 4096) {
        subtract_flags(e, ZERO, a, value);
    } else {
        constant(e, U0, value);
        compare_registers(e, a, U0);
    }
}

/* UBFM: bits of a register, of which the shifts are kinds. */
static void bitfield(emitter *e, host_register to, host_register from, unsigned rotate, unsigned last) {
    word(e, 0x53000000u | rotate << 16 | last << 10 | (uint32_t)from << 5 | to);
}
/* to = (from & 0x7F) << 1 */
static void double_byte(emitter *e, host_register to, host_register from) { bitfield(e, to, from, 31, 6); }

/* to = a * b + c */
static void multiply_add(emitter *e, host_register to, host_register a, host_register b, host_register c) {
    between(e, 0x1B000000u | (uint32_t)c << 10, to, a, b);
}

enum { STORING = 0, LOADING = 1 << 22 };

/* reg = [base + at], or the other way round; U0 changes where `at` is out of the common. */
static void memory(emitter *e, uint32_t how, access_size size, host_register reg, host_register base, int32_t at) {
    const uint32_t op = (uint32_t)size << 30 | how | (uint32_t)base << 5 | reg;
    const uint32_t scaled = (uint32_t)at >> size;
    if (at >= 0 && scaled < 4096 && (int32_t)(scaled << size) == at) {
        word(e, op | 0x39000000u | scaled << 10);
    } else if (at >= -256 && at < 256) {
        word(e, op | 0x38000000u | ((uint32_t)at & 0x1FF) << 12);
    } else {
        constant64(e, U0, (uint64_t)(int64_t)at);
        word(e, op | 0x38206800u | (uint32_t)U0 << 16);
    }
}

/* reg = [base + index], or the other way round; the index is a word without sign, `scaled` by the size. */
static void indexed(emitter *e, uint32_t how, access_size size, host_register reg, host_register base,
                    host_register index, bool scaled) {
    word(e, (uint32_t)size << 30 | how | 0x38204800u | (scaled ? 1u << 12 : 0u) | (uint32_t)index << 16 |
                (uint32_t)base << 5 | reg);
}

/* A pair of 64-bit registers at the stack pointer + at. */
#define STORE_PAIR 0xA9000000u
#define LOAD_PAIR 0xA9400000u
#define PUSH_PAIR 0xA9800000u
#define POP_PAIR 0xA8C00000u
static void pair(emitter *e, uint32_t op, host_register a, host_register b, int32_t at) {
    word(e, op | ((uint32_t)(at / 8) & 0x7F) << 15 | (uint32_t)b << 10 | (uint32_t)SP << 5 | a);
}

static void field(emitter *e, uint32_t how, access_size size, host_register reg, int32_t at) {
    const int32_t beyond = at - PLACE(translated);
    if (beyond >= 0 && beyond < (int32_t)sizeof(translated_registers))
        memory(e, how, size, reg, TRANSLATED, beyond);
    else
        memory(e, how, size, reg, MACHINE, at);
}
/* reg = a byte of the console at index + at, or the other way round; U1 changes. */
static void field_at(emitter *e, uint32_t how, host_register reg, int32_t at, host_register index) {
    add_constant(e, U1, index, at);
    indexed(e, how, BYTE, reg, MACHINE, U1, false);
}
/* reg = the RAM at index + more, or the other way round; U1 changes. */
static void ram_at(emitter *e, uint32_t how, access_size size, host_register reg, host_register index,
                   int32_t more) {
    if (more) {
        add_constant(e, U1, index, more);
        index = U1;
    }
    indexed(e, how, size, reg, RAM, index, false);
}

/* reg = 1 or 0 */
static void set_if(emitter *e, condition c, host_register reg) { word(e, 0x1A9F07E0u | ((c & 15u) ^ 1u) << 12 | reg); }

#define JUMP 0x14000000u
#define CALL 0x94000000u

static void jump_register(emitter *e, host_register to) { word(e, 0xD61F0000u | (uint32_t)to << 5); }
static void call_register(emitter *e, host_register to) { word(e, 0xD63F0000u | (uint32_t)to << 5); }
static void go_back(emitter *e) { word(e, 0xD65F03C0u); }

/* ---- registers ----------------------------------------------------------------------------------------- */

static void move(emitter *e, host_register to, host_register from) {
    if (to != from) between(e, OR, to, ZERO, from);
}
static void constant(emitter *e, host_register to, uint32_t value) {
    if (value)
        constant64(e, to, value);
    else
        move(e, to, ZERO);
}
static void add_constant(emitter *e, host_register to, host_register from, int32_t value) {
    add_constant_to(e, 0, to, from, value);
}
static void combine(emitter *e, unsigned op, host_register to, host_register a, host_register b) {
    between(e, op, to, a, b);
}
static void combine_constant(emitter *e, unsigned op, host_register to, host_register from, uint32_t value) {
    logic(e, op, to, from, value);
}
static void add_registers(emitter *e, host_register to, host_register a, host_register b, int32_t more) {
    between(e, ADD, to, a, b);
    if (more) add_constant(e, to, to, more);
}
static void add_shifted(emitter *e, host_register to, host_register a, host_register b, unsigned by) {
    between_shifted(e, ADD, to, a, b, by);
}
static void shift_left(emitter *e, host_register to, host_register from, unsigned by) {
    bitfield(e, to, from, (32 - by) & 31u, 31 - by);
}
static void shift_right(emitter *e, host_register to, host_register from, unsigned by) {
    bitfield(e, to, from, by, 31);
}
static void shift_right_by_t1(emitter *e) { between(e, 0x1AC02400u, T0, T0, T1); }
static void take_bits(emitter *e, host_register to, host_register from, unsigned first, unsigned count) {
    bitfield(e, to, from, first, first + count - 1);
}
static void byte_of(emitter *e, host_register to, host_register from) { bitfield(e, to, from, 0, 7); }
static void half_of(emitter *e, host_register to, host_register from) { bitfield(e, to, from, 0, 15); }
static void add_turns(emitter *e, host_register reg, uint32_t cycles) {
    constant(e, U1, cycles << 16);
    multiply_add(e, TIME, reg, U1, TIME);
}
static void line_begins(emitter *e, host_register to) {
    enum { MAGIC = 55189 }; /* 2^22 / 76, rounded up: exact up to 69905 */
    shift_right(e, to, T0, 16);
    constant(e, U1, MAGIC);
    multiply_add(e, to, to, U1, ZERO);
    shift_right(e, to, to, 22);
    constant(e, U1, LINE_CYCLES << 16);
    multiply_add(e, to, to, U1, ZERO);
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static void load_field(emitter *e, host_register to, int32_t at) { field(e, LOADING, BYTE, to, at); }
static void store_field(emitter *e, host_register from, int32_t at) { field(e, STORING, BYTE, from, at); }
static void set_field(emitter *e, int32_t at, unsigned value) {
    if (value) constant(e, U1, value);
    store_field(e, value ? U1 : ZERO, at);
}
static void field_with_constant(emitter *e, unsigned op, int32_t at, unsigned value) {
    load_field(e, U1, at);
    logic(e, op, U1, U1, value);
    store_field(e, U1, at);
}
static void store_if(emitter *e, condition c, int32_t at) {
    set_if(e, c, U1);
    store_field(e, U1, at);
}
static void load_field_at(emitter *e, host_register to, int32_t at, host_register index) {
    field_at(e, LOADING, to, at, index);
}
static void store_field_at(emitter *e, host_register from, int32_t at, host_register index) {
    field_at(e, STORING, from, at, index);
}
static void load_word(emitter *e, host_register to, int32_t at) { field(e, LOADING, WORD, to, at); }
static void clear_word(emitter *e, int32_t at) { field(e, STORING, WORD, ZERO, at); }
static void subtract_word(emitter *e, host_register from, int32_t at) {
    load_word(e, U1, at);
    between(e, SUB, from, from, U1);
}
static void mask_if_below_word(emitter *e, int32_t at, bool plus_t1) {
    if (plus_t1) {
        constant(e, U1, (uint32_t)at);
        between_shifted(e, ADD, U1, U1, T1, 2);
        indexed(e, LOADING, WORD, U1, MACHINE, U1, false);
    } else {
        load_word(e, U1, at);
    }
    compare_registers(e, T0, U1);
    word(e, 0x5A9F03E0u | ((IF_BELOW & 15u) ^ 1u) << 12 | T0); /* csetm */
}

static void load_ram(emitter *e, access_size size, host_register to, uint32_t at) {
    memory(e, LOADING, size, to, RAM, (int32_t)(at & 0x7F));
}
static void store_ram(emitter *e, host_register from, uint32_t at) {
    memory(e, STORING, BYTE, from, RAM, (int32_t)(at & 0x7F));
}
static void load_ram_at(emitter *e, access_size size, host_register to, host_register index, int32_t more) {
    ram_at(e, LOADING, size, to, index, more);
}
static void store_ram_at(emitter *e, host_register from, host_register index, int32_t more) {
    ram_at(e, STORING, BYTE, from, index, more);
}
static void set_ram_half_at(emitter *e, uint32_t value, host_register index, int32_t more) {
    constant(e, T0, value);
    ram_at(e, STORING, HALF, T0, index, more);
}
static void load_rom_at(emitter *e, host_register to, host_register index, int32_t more) {
    if (more) {
        add_constant(e, U1, index, more);
        index = U1;
    }
    indexed(e, LOADING, BYTE, to, ROM, index, false);
}
static void log_entry_to_u1(emitter *e, unsigned reg, host_register value) {
    constant(e, U1, e->now.cycles << 16 | reg << 8);
    between(e, ADD, U1, U1, TIME);
    between(e, ADD, U1, U1, value);
}
static void log_write(emitter *e, unsigned reg, host_register value) {
    log_entry_to_u1(e, reg, value);
    word(e, 0xB8000400u | 4u << 12 | (uint32_t)LOGGED << 5 | (uint32_t)U1); /* str U1, [LOGGED], 4 */
}
static void log_write_if_new(emitter *e, unsigned reg, host_register value, int32_t at) {
    log_entry_to_u1(e, reg, value);
    memory(e, STORING, WORD, U1, LOGGED, 0);
    set_if(e, opposite(if_field_is(e, at, value)), T1);
    store_field(e, value, at);
    between_shifted(e, ADD | WIDE, LOGGED, LOGGED, T1, 2);
}

/* ---- conditions ---------------------------------------------------------------------------------------- */

static condition if_not_zero(host_register reg) { return (condition)(0x35000000u | reg); } /* cbnz */
static condition opposite(condition c) { return (condition)(c ^ (c >> 30 ? 1u : 1u << 24)); }
static condition if_zero(emitter *e, host_register reg) {
    (void)e;
    return opposite(if_not_zero(reg));
}
static condition if_equal(emitter *e, host_register reg, uint32_t value) {
    compare_constant(e, reg, value);
    return IF_ZERO;
}
static condition if_below(emitter *e, host_register reg, uint32_t value) {
    compare_constant(e, reg, value);
    return IF_BELOW;
}
static condition if_bits(emitter *e, host_register reg, uint32_t mask) {
    logic(e, ANDS, ZERO, reg, mask);
    return IF_NOT_ZERO;
}
static condition if_member(emitter *e, host_register reg, uint64_t set) {
    constant64(e, T2, set);
    between(e, WIDE | 0x1AC02400u, T2, T2, reg); /* set >> reg */
    return if_bits(e, T2, 1);
}
static condition if_in_tia(emitter *e, host_register reg) { return if_below(e, reg, 0x80); }
static condition if_crosses(emitter *e, host_register index) {
    byte_of(e, T0, T0);
    between(e, ADD, T0, T0, index);
    return if_bits(e, T0, 0x100);
}
static condition if_field(emitter *e, int32_t at) {
    load_field(e, U1, at);
    return if_not_zero(U1);
}
static condition if_word(emitter *e, int32_t at) {
    load_word(e, U1, at);
    return if_not_zero(U1);
}
static condition if_less_than_word(emitter *e, host_register reg, int32_t at) {
    load_word(e, U1, at);
    compare_registers(e, reg, U1);
    return IF_LESS;
}
static condition if_field_is(emitter *e, int32_t at, host_register reg) {
    load_field(e, U1, at);
    compare_registers(e, U1, reg);
    return IF_ZERO;
}
static condition if_field_at_is(emitter *e, int32_t at, host_register index, host_register reg) {
    load_field_at(e, U1, at, index);
    compare_registers(e, U1, reg);
    return IF_ZERO;
}

static condition if_minus(emitter *e, bool flags) {
    (void)flags;
    return if_bits(e, where_nz(e->now.nz), e->now.nz == NZ_STORED ? 0x180 : 0x80);
}
static condition if_result_zero(emitter *e, bool flags) {
    (void)flags;
    if (e->now.nz == NZ_STORED) return opposite(if_bits(e, NZ, 0xFF));
    return if_zero(e, where_nz(e->now.nz)); /* a byte */
}

/* ---- arithmetic ---------------------------------------------------------------------------------------- */

static void operate(emitter *e, unsigned op, const operand *o) {
    if (o->kind == CONSTANT) {
        logic(e, op, A, A, o->value);
    } else {
        load_operand(e, T0, o);
        between(e, op, A, A, T0);
    }
}

static void add_binary(emitter *e, const operand *o, bool subtract) {
    load_operand(e, T0, o);
    if (subtract) logic(e, XOR, T0, T0, 0xFF);
    between(e, ADD, U1, A, T0);
    if (e->now.c == C_STORED) between(e, ADD, U1, U1, C);
    if (e->now.c == C_SET) add_constant(e, U1, U1, 1);
    /* An overflow: the sum's sign is neither operand's. */
    between(e, XOR, V, A, U1);
    between(e, XOR, T0, T0, U1);
    between(e, AND, V, V, T0);
    take_bits(e, V, V, 7, 1);
    shift_right(e, C, U1, 8);
    byte_of(e, A, U1);
    e->now.c = C_STORED;
}

static void compare(emitter *e, host_register reg, const operand *o) {
    if (o->kind == CONSTANT) {
        subtract_flags(e, NZ, reg, o->value);
    } else {
        load_operand(e, T0, o);
        between(e, SUBS, NZ, reg, T0);
    }
    set_if(e, IF_NOT_BELOW, C);
    byte_of(e, NZ, NZ);
    e->now.c = C_STORED;
}

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
            logic(e, AND, C, reg, 1);
            shift_right(e, reg, reg, 1);
            break;
        case OP_ROL:
        case OP_RLA:
            double_byte(e, U1, reg);
            if (stored) between(e, OR, U1, U1, C);
            if (set) logic(e, OR, U1, U1, 1);
            shift_right(e, C, reg, 7);
            move(e, reg, U1);
            break;
        default: /* ROR and RRA */
            shift_right(e, U1, reg, 1);
            if (stored) between_shifted(e, OR, U1, U1, C, 7);
            if (set) logic(e, OR, U1, U1, 0x80);
            logic(e, AND, C, reg, 1);
            move(e, reg, U1);
            break;
    }
    e->now.c = C_STORED;
}

static void show_flags(emitter *e, host_register reg) { (void)e, (void)reg; }

static void status_to_t1(emitter *e) {
    host_register where = where_nz(e->now.nz);
    shift_left(e, T1, V, 6);
    logic(e, OR, T1, T1, 0x30);
    if (e->now.c == C_STORED)
        between(e, OR, T1, T1, C);
    else if (e->now.c == C_SET)
        logic(e, OR, T1, T1, 1);
    load_field(e, T0, STATE(d));
    between_shifted(e, OR, T1, T1, T0, 3);
    load_field(e, T0, STATE(i));
    between_shifted(e, OR, T1, T1, T0, 2);
    shift_right(e, T0, where, 1);
    between(e, OR, T0, T0, where); /* bit 7: N */
    logic(e, AND, T0, T0, 0x80);
    between(e, OR, T1, T1, T0);
    logic(e, ANDS, ZERO, where, 0xFF);
    set_if(e, IF_ZERO, T0);
    between_shifted(e, OR, T1, T1, T0, 1);
}

/* ---- jumps --------------------------------------------------------------------------------------------- */

static uint32_t jump_by(emitter *e, uint32_t op) {
    word(e, op);
    return e->buffer[e->into].size - 4;
}
static uint32_t jump(emitter *e) { return jump_by(e, JUMP); }
static uint32_t jump_if(emitter *e, condition c) { return jump_by(e, c); }
/* Conditional jumps reach less than 1 MiB. */
static uint32_t jump_far_if(emitter *e, condition c) {
    word(e, opposite(c) | 2u << 5); /* over the next */
    return jump(e);
}
static uint32_t call(emitter *e) { return jump_by(e, CALL); }
bool host_fix(uint8_t *at, uint32_t from, uint32_t target) {
    uint32_t jump;
    memcpy(&jump, at, 4);
    const uint32_t distance = (target - from) >> 2;
    const uint32_t bits = (jump & 0x7C000000) == JUMP ? 26 : 19; /* B or BL; else B.cond, CBZ or CBNZ */
    const uint32_t half = 1u << (bits - 1);
    if (((distance + half) & 0x3FFFFFFF) >= 2 * half) return false;
    jump |= (distance & (2 * half - 1)) << (bits == 26 ? 0 : 5);
    memcpy(at, &jump, 4);
    return true;
}

/* Set the host's flags: IF_NOT_BELOW if the time, which is flushed, or the log's room is short. */
static void look_at_time(emitter *e) {
    field(e, LOADING, WORD, U0, PLACE(translated.limit));
    field(e, LOADING, DOUBLE, U1, PLACE(translated.log_limit));
    compare_registers(e, TIME, U0);
    /* ccmp LOGGED, U1, C, lo: if not below already, let the flags say so again */
    word(e, 0xFA400000u | (uint32_t)U1 << 16 | 3u << 12 | (uint32_t)LOGGED << 5 | 2u);
}

static void jump_if_late(emitter *e, fixup_kind kind, unsigned to, uint32_t target) {
    look_at_time(e);
    emit_fixup(e, kind == TO_STUB ? jump_far_if(e, IF_NOT_BELOW) : jump_if(e, IF_NOT_BELOW), kind, to, target);
}
static void jump_unless_late(emitter *e, uint32_t leader, uint32_t late) {
    jump_if_late(e, TO_BUFFER, COLD, late);
    emit_fixup(e, jump(e), TO_LEADER, 0, leader);
}

static void jump_to_entry(emitter *e, uint32_t number, bool by_bank, uint32_t offset) {
    _Static_assert(MIRRORS == 1 << 3, "from bank to bank");
    if (by_bank) shift_left(e, T1, T1, 3);
    constant64(e, T2, (uint64_t)(uintptr_t)&e->tables[number]);
    if (by_bank)
        indexed(e, LOADING, DOUBLE, T2, T2, T1, true);
    else
        memory(e, LOADING, DOUBLE, T2, T2, 0);
    memory(e, LOADING, DOUBLE, T2, T2, (int32_t)(8 * offset));
    jump_register(e, T2);
}
static void jump_to_entry_of_t0(emitter *e, uint32_t number, uint32_t mask) {
    constant64(e, T2, (uint64_t)(uintptr_t)&e->tables[number]);
    indexed(e, LOADING, DOUBLE, T2, T2, T1, true);
    logic(e, AND, T1, T0, mask);
    indexed(e, LOADING, DOUBLE, T2, T2, T1, true);
    jump_register(e, T2);
}

/* ---- the stubs ----------------------------------------------------------------------------------------- */

/* What C functions do not keep. */
static void load_bases(emitter *e) {
    add_constant_to(e, WIDE, MACHINE, RAM, -PLACE(s.ram));
    add_constant_to(e, WIDE, TRANSLATED, RAM, PLACE(translated) - PLACE(s.ram));
    constant64(e, ROM, (uint64_t)(uintptr_t)e->rom->data);
}

static void load_time_and_log(emitter *e) {
    field(e, LOADING, DOUBLE, LOGGED, PLACE(log.next));
    field(e, LOADING, WORD, TIME, STATE(time));
    shift_left(e, TIME, TIME, 16);
}
static void store_time_and_log(emitter *e) {
    shift_right(e, U1, TIME, 16);
    field(e, STORING, WORD, U1, STATE(time));
    field(e, STORING, DOUBLE, LOGGED, PLACE(log.next));
}

static void stub_helper(emitter *e, void *function) {
    store_time_and_log(e);
    move(e, W2, T1);
    move(e, W1, T0);
    move_wide(e, W0, MACHINE);
    constant64(e, U0, (uint64_t)(uintptr_t)function);
    pair(e, PUSH_PAIR, FRAME, LINK, -16);
    call_register(e, U0);
    pair(e, POP_PAIR, FRAME, LINK, 16);
    load_bases(e);
    load_time_and_log(e);
    go_back(e);
}

enum { FRAME_BYTES = 96, KEPT = 10 };

void host_stubs(emitter *e, void *const helpers[HELPERS]) {
    e->into = HOT;
    /* uint32_t enter(uint8_t *ram, const void *code): at the region's start. */
    pair(e, PUSH_PAIR, FRAME, LINK, -FRAME_BYTES);
    add_constant_to(e, WIDE, FRAME, SP, 0);
    for (int i = 0; i < KEPT; i += 2)
        pair(e, STORE_PAIR, (host_register)(W19 + i), (host_register)(W20 + i), 16 + 8 * i);
    move_wide(e, RAM, W0);
    load_bases(e);
    load_registers(e);
    field(e, LOADING, WORD, NZ, PLACE(translated.nz));
    load_time_and_log(e);
    jump_register(e, W1);

    e->stub.miss = e->buffer[HOT].size;
    logic(e, OR, T0, T0, EXIT_LOOKUP);
    e->stub.exit = e->buffer[HOT].size;
    field(e, STORING, HALF, T0, STATE(pc));
    store_registers(e);
    field(e, STORING, WORD, NZ, PLACE(translated.nz));
    store_time_and_log(e);
    for (int i = 0; i < KEPT; i += 2)
        pair(e, LOAD_PAIR, (host_register)(W19 + i), (host_register)(W20 + i), 16 + 8 * i);
    pair(e, POP_PAIR, FRAME, LINK, FRAME_BYTES);
    go_back(e);
    for (unsigned i = 0; i < HELPERS; i++) {
        e->stub.helper[i] = e->buffer[HOT].size;
        stub_helper(e, helpers[i]);
    }
}

uint32_t host_enter(const uint8_t *region, uint8_t *ram, const void *code) {
    uint32_t (*enter)(uint8_t *, const void *);
    memcpy(&enter, &region, sizeof enter);
    return enter(ram, code);
}

#endif
