/* x86-64: its instructions, as far as they are needed, and what the templates ask of it (primitives.h). */
#ifndef ALE_HOST_X86_64_H
#define ALE_HOST_X86_64_H

typedef enum host_register {
    RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15, NONE,
    T0 = RAX, T1 = RCX, T2 = RDX, /* for an instruction's own use */
    A = RBX,
    X = RBP,
    Y = R12,
    S = R13,
    TIME = R14,  /* cycles << 16, without those that are lazy */
    RAM = R15,   /* &machine->s.ram[0] */
    LOGGED = RDI,/* where the next access is logged */
    NZ = R8,     /* where not lazy */
    C = R9,      /* likewise; 0 or 1 */
    V = R10,
    ROM = R11,   /* &rom->data[0] */
    SCRATCH = RSI
} host_register;

/* Fields of the console, as distances from RAM. */
#define PLACE(member) ((int32_t)offsetof(console, member) - (int32_t)offsetof(console, s.ram))

typedef enum condition {
    IF_OVERFLOW = 0, IF_BELOW = 2, IF_NOT_BELOW = 3, IF_ZERO = 4, IF_NOT_ZERO = 5, IF_SIGN = 8, IF_LESS = 12
} condition;

/* The eight operations of the group that begins with ADD. */
enum { ADD, OR, ADC, SBB, AND, SUB, XOR, CMP };

/* By the instruction that loads so many bits. */
typedef enum access_size { BYTE = 0x0FB6, HALF = 0x0FB7 } access_size;

#include "../primitives.h"

/* ---- instructions of the host -------------------------------------------------------------------------- */

static void byte(emitter *e, unsigned value) { *emit_space(e, 1) = (uint8_t)value; }

static void word32(emitter *e, uint32_t value) {
    uint8_t *to = emit_space(e, 4);
    for (int i = 0; i < 4; i++) to[i] = (uint8_t)(value >> 8 * i);
}

static void word64(emitter *e, uint64_t value) {
    word32(e, (uint32_t)value);
    word32(e, (uint32_t)(value >> 32));
}

enum { WIDE = 1, BYTES = 2 }; /* 64 bits; the register operand is one of eight bits */

static void code_bytes(emitter *e, unsigned op) {
    if (op > 0xFF) byte(e, op >> 8);
    byte(e, op);
}

static void prefix(emitter *e, int how, host_register reg, host_register base, host_register index) {
    unsigned rex = (how & WIDE ? 8u : 0u) | (reg & 8u) >> 1 | (index == NONE ? 0u : (index & 8u) >> 2) |
                   (base & 8u) >> 3;
    if (rex || (how & BYTES && (reg >= RSP || base >= RSP))) byte(e, 0x40 | rex);
}

/* op reg, rm */
static void between(emitter *e, int how, unsigned op, host_register reg, host_register rm) {
    prefix(e, how, reg, rm, NONE);
    code_bytes(e, op);
    byte(e, 0xC0 | (reg & 7u) << 3 | (rm & 7u));
}

/* op reg, [base + displacement] */
static void memory(emitter *e, int how, unsigned op, host_register reg, host_register base, int32_t at) {
    prefix(e, how, reg, base, NONE);
    code_bytes(e, op);
    bool near = at >= -128 && at < 128;
    byte(e, (near ? 0x40u : 0x80u) | (reg & 7u) << 3 | (base & 7u));
    if ((base & 7) == RSP) byte(e, 0x24);
    if (near)
        byte(e, (uint8_t)at);
    else
        word32(e, (uint32_t)at);
}

/* op reg, [base + index << scale + displacement] */
static void indexed(emitter *e, int how, unsigned op, host_register reg, host_register base,
                    host_register index, unsigned scale, int32_t at) {
    prefix(e, how, reg, base, index);
    code_bytes(e, op);
    bool near = at >= -128 && at < 128;
    byte(e, (near ? 0x44u : 0x84u) | (reg & 7u) << 3);
    byte(e, scale << 6 | (index & 7u) << 3 | (base & 7u));
    if (near)
        byte(e, (uint8_t)at);
    else
        word32(e, (uint32_t)at);
}

static void load64(emitter *e, host_register to, int32_t field) { memory(e, WIDE, 0x8B, to, RAM, field); }
static void store32(emitter *e, host_register from, int32_t field) { memory(e, 0, 0x89, from, RAM, field); }
static void store64(emitter *e, host_register from, int32_t field) { memory(e, WIDE, 0x89, from, RAM, field); }

static void constant64(emitter *e, host_register to, uint64_t value) {
    prefix(e, WIDE, RAX, to, NONE);
    byte(e, 0xB8 | (to & 7u));
    word64(e, value);
}

static void with_constant(emitter *e, unsigned what, host_register reg, uint32_t value) {
    prefix(e, 0, RAX, reg, NONE);
    bool near = (int32_t)value >= -128 && (int32_t)value < 128;
    byte(e, near ? 0x83 : 0x81);
    byte(e, 0xC0 | what << 3 | (reg & 7u));
    if (near)
        byte(e, value);
    else
        word32(e, value);
}
static void byte_with_constant(emitter *e, unsigned what, host_register reg, unsigned value) {
    prefix(e, BYTES, RAX, reg, NONE);
    byte(e, 0x80);
    byte(e, 0xC0 | what << 3 | (reg & 7u));
    byte(e, value);
}

enum { RCR = 3, SHL = 4, SHR = 5 };
static void shift(emitter *e, int how, unsigned what, host_register reg, unsigned by) {
    prefix(e, how, RAX, reg, NONE);
    byte(e, 0xC1);
    byte(e, 0xC0 | what << 3 | (reg & 7u));
    byte(e, by);
}
static void byte_shift_by_one(emitter *e, unsigned what, host_register reg) {
    prefix(e, BYTES, RAX, reg, NONE);
    byte(e, 0xD0);
    byte(e, 0xC0 | what << 3 | (reg & 7u));
}

/* test of two registers' bytes */
static void test_byte(emitter *e, host_register reg) { between(e, BYTES, 0x84, reg, reg); }

/* setcc of a register that holds 0 or 1. */
static void set_if(emitter *e, condition c, host_register reg) {
    prefix(e, BYTES, RAX, reg, NONE);
    byte(e, 0x0F);
    byte(e, 0x90u | c);
    byte(e, 0xC0 | (reg & 7u));
}

/* ---- registers ----------------------------------------------------------------------------------------- */

static void move(emitter *e, host_register to, host_register from) {
    if (to != from) between(e, 0, 0x8B, to, from);
}
static void constant(emitter *e, host_register to, uint32_t value) {
    prefix(e, 0, RAX, to, NONE);
    byte(e, 0xB8 | (to & 7u));
    word32(e, value);
}
static void add_constant(emitter *e, host_register to, host_register from, int32_t value) {
    memory(e, 0, 0x8D, to, from, value); /* lea */
}
static void combine(emitter *e, unsigned op, host_register to, host_register a, host_register b) {
    move(e, to, a);
    between(e, 0, op << 3 | 3, to, b);
}
static void combine_constant(emitter *e, unsigned op, host_register to, host_register from, uint32_t value) {
    move(e, to, from);
    with_constant(e, op, to, value);
}
static void add_registers(emitter *e, host_register to, host_register a, host_register b, int32_t more) {
    indexed(e, 0, 0x8D, to, a, b, 0, more);
}
static void add_shifted(emitter *e, host_register to, host_register a, host_register b, unsigned by) {
    if (by <= 3) {
        indexed(e, 0, 0x8D, to, a, b, by, 0);
    } else {
        shift(e, 0, SHL, b, by);
        combine(e, ADD, to, a, b);
    }
}
static void shift_left(emitter *e, host_register to, host_register from, unsigned by) {
    move(e, to, from);
    if (by == 1)
        between(e, 0, 0x03, to, to);
    else
        shift(e, 0, SHL, to, by);
}
static void shift_right(emitter *e, host_register to, host_register from, unsigned by) {
    move(e, to, from);
    shift(e, 0, SHR, to, by);
}
static void shift_right_by_t1(emitter *e) {
    _Static_assert(T1 == RCX, "where shifts count");
    byte(e, 0xD3);
    byte(e, 0xC0 | SHR << 3 | (T0 & 7u));
}
static void take_bits(emitter *e, host_register to, host_register from, unsigned first, unsigned count) {
    shift_right(e, to, from, first);
    with_constant(e, AND, to, (1u << count) - 1);
}
static void byte_of(emitter *e, host_register to, host_register from) { between(e, BYTES, BYTE, to, from); }
static void half_of(emitter *e, host_register to, host_register from) { between(e, 0, HALF, to, from); }

/* to = from * value */
static void multiply(emitter *e, int how, host_register to, host_register from, uint32_t value) {
    between(e, how, 0x69, to, from);
    word32(e, value);
}
static void add_turns(emitter *e, host_register reg, uint32_t cycles) {
    multiply(e, 0, T0, reg, cycles << 16);
    combine(e, ADD, TIME, TIME, T0);
}
static void line_begins(emitter *e, host_register to) {
    enum { MAGIC = 55189 }; /* 2^22 / 76, rounded up: exact up to 69905 */
    const host_register line = to == TIME ? T0 : to;
    multiply(e, WIDE, line, T0, MAGIC);
    shift(e, WIDE, SHR, line, 16 + 22);
    multiply(e, 0, to, line, LINE_CYCLES << 16);
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static void load_field(emitter *e, host_register to, int32_t at) { memory(e, 0, BYTE, to, RAM, at); }
static void store_field(emitter *e, host_register from, int32_t at) { memory(e, BYTES, 0x88, from, RAM, at); }
static void set_field(emitter *e, int32_t at, unsigned value) {
    memory(e, 0, 0xC6, RAX, RAM, at);
    byte(e, value);
}
static void field_with_constant(emitter *e, unsigned op, int32_t at, unsigned value) {
    memory(e, 0, 0x80, (host_register)op, RAM, at);
    byte(e, value);
}
static void store_if(emitter *e, condition c, int32_t at) { memory(e, 0, 0x0F90 | c, RAX, RAM, at); }
static void load_field_at(emitter *e, host_register to, int32_t at, host_register index) {
    indexed(e, 0, BYTE, to, RAM, index, 0, at);
}
static void store_field_at(emitter *e, host_register from, int32_t at, host_register index) {
    indexed(e, BYTES, 0x88, from, RAM, index, 0, at);
}
static void load_word(emitter *e, host_register to, int32_t at) { memory(e, 0, 0x8B, to, RAM, at); }
static void clear_word(emitter *e, int32_t at) { memory(e, 0, 0xC7, RAX, RAM, at), word32(e, 0); }
static void subtract_word(emitter *e, host_register from, int32_t at) { memory(e, 0, 0x2B, from, RAM, at); }
static void mask_if_below_word(emitter *e, int32_t at, bool plus_t1) {
    if (plus_t1)
        indexed(e, 0, 0x3B, T0, RAM, T1, 2, at);
    else
        memory(e, 0, 0x3B, T0, RAM, at);
    between(e, 0, 0x1B, T0, T0); /* sbb */
}

static void load_ram(emitter *e, access_size size, host_register to, uint32_t at) {
    memory(e, 0, size, to, RAM, (int32_t)(at & 0x7F));
}
static void store_ram(emitter *e, host_register from, uint32_t at) { store_field(e, from, (int32_t)(at & 0x7F)); }
static void load_ram_at(emitter *e, access_size size, host_register to, host_register index, int32_t more) {
    indexed(e, 0, size, to, RAM, index, 0, more);
}
static void store_ram_at(emitter *e, host_register from, host_register index, int32_t more) {
    store_field_at(e, from, more, index);
}
static void set_ram_half_at(emitter *e, uint32_t value, host_register index, int32_t more) {
    byte(e, 0x66); /* 16 bits */
    indexed(e, 0, 0xC7, RAX, RAM, index, 0, more);
    byte(e, value), byte(e, value >> 8);
}
static void load_rom_at(emitter *e, host_register to, host_register index, int32_t more) {
    indexed(e, 0, BYTE, to, ROM, index, 0, more);
}
static void place_in_log(emitter *e, unsigned reg, host_register value) {
    add_registers(e, T0, TIME, value, (int32_t)(e->now.cycles << 16 | reg << 8));
    memory(e, 0, 0x89, T0, LOGGED, 0);
}
static void log_write(emitter *e, unsigned reg, host_register value) {
    place_in_log(e, reg, value);
    memory(e, WIDE, 0x8D, LOGGED, LOGGED, 4);
}
static void log_write_if_new(emitter *e, unsigned reg, host_register value, int32_t at) {
    place_in_log(e, reg, value);
    combine(e, XOR, T1, T1, T1);
    set_if(e, opposite(if_field_is(e, at, value)), T1);
    store_field(e, value, at);
    indexed(e, WIDE, 0x8D, LOGGED, LOGGED, T1, 2, 0);
}

/* ---- conditions ---------------------------------------------------------------------------------------- */

static condition opposite(condition c) { return (condition)(c ^ 1u); }
static condition if_zero(emitter *e, host_register reg) {
    between(e, 0, 0x85, reg, reg);
    return IF_ZERO;
}
static condition if_equal(emitter *e, host_register reg, uint32_t value) {
    with_constant(e, CMP, reg, value);
    return IF_ZERO;
}
static condition if_below(emitter *e, host_register reg, uint32_t value) {
    with_constant(e, CMP, reg, value);
    return IF_BELOW;
}
static condition if_bits(emitter *e, host_register reg, uint32_t mask) {
    if (reg < RSP && !(mask & ~0xFF00u)) { /* test ah, ... */
        byte(e, 0xF6), byte(e, 0xC4 | reg), byte(e, mask >> 8);
        return IF_NOT_ZERO;
    }
    prefix(e, 0, RAX, reg, NONE);
    byte(e, 0xF7), byte(e, 0xC0 | (reg & 7u)), word32(e, mask);
    return IF_NOT_ZERO;
}
static condition if_member(emitter *e, host_register reg, uint64_t set) {
    constant64(e, T2, set);
    between(e, WIDE, 0x0FA3, reg, T2); /* bt T2, reg */
    return IF_BELOW;
}
static condition if_in_tia(emitter *e, host_register reg) {
    test_byte(e, reg);
    return opposite(IF_SIGN);
}
static condition if_crosses(emitter *e, host_register index) {
    between(e, BYTES, ADD << 3 | 2, T0, index);
    return IF_BELOW;
}
static condition if_field(emitter *e, int32_t at) {
    field_with_constant(e, CMP, at, 0);
    return IF_NOT_ZERO;
}
static condition if_word(emitter *e, int32_t at) {
    memory(e, 0, 0x83, (host_register)CMP, RAM, at), byte(e, 0);
    return IF_NOT_ZERO;
}
static condition if_less_than_word(emitter *e, host_register reg, int32_t at) {
    memory(e, 0, 0x3B, reg, RAM, at);
    return IF_LESS;
}
static condition if_field_is(emitter *e, int32_t at, host_register reg) {
    memory(e, BYTES, 0x38, reg, RAM, at); /* cmp byte [at], reg */
    return IF_ZERO;
}
static condition if_field_at_is(emitter *e, int32_t at, host_register index, host_register reg) {
    indexed(e, BYTES, 0x38, reg, RAM, index, 0, at);
    return IF_ZERO;
}

static condition if_minus(emitter *e, bool flags) {
    const bool known = e->now.nz != NZ_STORED;
    if (!flags && !known) return if_bits(e, NZ, 0x180);
    if (!flags) test_byte(e, where_nz(e->now.nz));
    e->flags_nz = true;
    return IF_SIGN;
}
static condition if_result_zero(emitter *e, bool flags) {
    if (!flags) test_byte(e, where_nz(e->now.nz));
    e->flags_nz = flags || e->now.nz != NZ_STORED;
    return IF_ZERO;
}

/* ---- arithmetic ---------------------------------------------------------------------------------------- */

/* reg = reg what operand, eight bits. */
static void with_operand(emitter *e, unsigned what, host_register reg, const operand *o) {
    if (o->kind == CONSTANT)
        byte_with_constant(e, what, reg, o->value);
    else if (o->kind == MEMORY)
        memory(e, BYTES, what << 3 | 2, reg, RAM, (int32_t)o->value);
    else
        between(e, BYTES, what << 3 | 2, reg, T0);
}

static void operate(emitter *e, unsigned op, const operand *o) { with_operand(e, op, A, o); }

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

static void add_binary(emitter *e, const operand *o, bool subtract) {
    if (e->now.c == (subtract ? C_SET : C_CLEAR)) {
        with_operand(e, subtract ? SUB : ADD, A, o);
    } else {
        carry_to_flags(e, subtract);
        with_operand(e, subtract ? SBB : ADC, A, o);
    }
    carry_from_flags(e, subtract);
    set_if(e, IF_OVERFLOW, V);
}

static void compare(emitter *e, host_register reg, const operand *o) {
    move(e, NZ, reg);
    with_operand(e, SUB, NZ, o);
    carry_from_flags(e, true);
}

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

static void show_flags(emitter *e, host_register reg) { test_byte(e, reg); }

static void status_to_t1(emitter *e) {
    _Static_assert(offsetof(cpu_state, i) == offsetof(cpu_state, d) + 1, "D and I are loaded at once");
    const host_register where = where_nz(e->now.nz);
    constant(e, T1, 0);
    test_byte(e, where);
    set_if(e, IF_ZERO, T1);
    if (e->now.c == C_STORED)
        indexed(e, 0, 0x8D, T1, C, T1, 1, 0x30); /* C + 2 Z + 30 */
    else
        indexed(e, 0, 0x8D, T1, T1, T1, 0, 0x30 + (e->now.c == C_SET));
    memory(e, 0, HALF, T0, RAM, STATE(d)); /* D + 100 I */
    multiply(e, 0, T0, T0, 0x804);         /* 8 D + 4 I in bits 8 to 15 */
    byte(e, 0x08), byte(e, 0xE1);          /* or cl, ah */
    shift_left(e, T0, V, 6);
    combine(e, OR, T1, T1, T0);
    move(e, T0, where);
    if (e->now.nz == NZ_STORED) {
        shift(e, 0, SHR, T0, 1);
        combine(e, OR, T0, T0, where); /* bit 7: N */
    }
    with_constant(e, AND, T0, 0x80);
    combine(e, OR, T1, T1, T0);
}

/* ---- jumps --------------------------------------------------------------------------------------------- */

/* The four bytes of the distance come last. */
static uint32_t distance(emitter *e) {
    word32(e, 0);
    return e->buffer[e->into].size - 4;
}
static uint32_t jump(emitter *e) {
    byte(e, 0xE9);
    return distance(e);
}
static uint32_t jump_if(emitter *e, condition c) {
    byte(e, 0x0F), byte(e, 0x80u | c);
    return distance(e);
}
static uint32_t jump_far_if(emitter *e, condition c) { return jump_if(e, c); }
static uint32_t call(emitter *e) {
    byte(e, 0xE8);
    return distance(e);
}
bool host_fix(uint8_t *at, uint32_t from, uint32_t target) {
    uint32_t relative = target - (from + 4);
    memcpy(at, &relative, 4);
    return true;
}

static void compare_time(emitter *e) { memory(e, 0, 0x3B, TIME, RAM, PLACE(translated.limit)); }
static void compare_log(emitter *e) { memory(e, WIDE, 0x3B, LOGGED, RAM, PLACE(translated.log_limit)); }
static void jump_if_late(emitter *e, fixup_kind kind, unsigned to, uint32_t target) {
    compare_time(e);
    emit_fixup(e, jump_if(e, IF_NOT_BELOW), kind, to, target);
    compare_log(e);
    emit_fixup(e, jump_if(e, IF_NOT_BELOW), kind, to, target);
}
static void jump_unless_late(emitter *e, uint32_t leader, uint32_t late) {
    compare_time(e);
    emit_fixup(e, jump_if(e, IF_NOT_BELOW), TO_BUFFER, COLD, late);
    compare_log(e);
    emit_fixup(e, jump_if(e, IF_BELOW), TO_LEADER, 0, leader);
    emit_fixup(e, jump(e), TO_BUFFER, COLD, late);
}

enum { JMP = 4 }; /* of the group FF */
static void jump_to_entry(emitter *e, uint32_t number, bool by_bank, uint32_t offset) {
    _Static_assert(MIRRORS * sizeof(void **) == 1 << 6, "from bank to bank");
    if (by_bank) shift(e, 0, SHL, T1, 6);
    constant64(e, T2, (uint64_t)(uintptr_t)&e->tables[number]);
    if (by_bank)
        indexed(e, WIDE, 0x8B, T2, T2, T1, 0, 0);
    else
        memory(e, WIDE, 0x8B, T2, T2, 0);
    memory(e, 0, 0xFF, (host_register)JMP, T2, (int32_t)(8 * offset));
}
static void jump_to_entry_of_t0(emitter *e, uint32_t number, uint32_t mask) {
    constant64(e, T2, (uint64_t)(uintptr_t)&e->tables[number]);
    indexed(e, WIDE, 0x8B, T2, T2, T1, 3, 0);
    combine_constant(e, AND, T1, T0, mask);
    indexed(e, 0, 0xFF, (host_register)JMP, T2, T1, 3, 0);
}

/* ---- the stubs ----------------------------------------------------------------------------------------- */

static void stub_helper(emitter *e, void *function) {
    move(e, T2, TIME);
    shift(e, 0, SHR, T2, 16);
    store32(e, T2, STATE(time));
    store64(e, LOGGED, PLACE(log.next));
    store32(e, NZ, PLACE(translated.nz));
    store32(e, C, PLACE(translated.c));
    store32(e, V, PLACE(translated.v));
    memory(e, WIDE, 0x8D, RDI, RAM, -(int32_t)offsetof(console, s.ram));
    move(e, RSI, T0);
    move(e, RDX, T1);
    constant64(e, RAX, (uint64_t)(uintptr_t)function);
    memory(e, WIDE, 0x8D, RSP, RSP, -8);
    byte(e, 0xFF), byte(e, 0xD0); /* call rax */
    memory(e, WIDE, 0x8D, RSP, RSP, 8);
    load64(e, LOGGED, PLACE(log.next));
    load_word(e, NZ, PLACE(translated.nz));
    load_word(e, C, PLACE(translated.c));
    load_word(e, V, PLACE(translated.v));
    constant64(e, ROM, (uint64_t)(uintptr_t)e->rom->data);
    load_word(e, TIME, STATE(time));
    shift(e, 0, SHL, TIME, 16);
    byte(e, 0xC3);
}

static const host_register kept[] = {RBX, RBP, R12, R13, R14, R15};
enum { KEPT = sizeof kept / sizeof *kept };

void host_stubs(emitter *e, void *const helpers[HELPERS]) {
    e->into = HOT;
    /* uint32_t enter(uint8_t *ram, const void *code): at the region's start. */
    for (unsigned i = 0; i < KEPT; i++) {
        prefix(e, 0, RAX, kept[i], NONE);
        byte(e, 0x50 | (kept[i] & 7u));
    }
    memory(e, WIDE, 0x8D, RSP, RSP, -8);
    between(e, WIDE, 0x8B, RAM, RDI);
    load_registers(e);
    load_word(e, NZ, PLACE(translated.nz));
    load_word(e, TIME, STATE(time));
    shift(e, 0, SHL, TIME, 16);
    load64(e, LOGGED, PLACE(log.next));
    constant64(e, ROM, (uint64_t)(uintptr_t)e->rom->data);
    byte(e, 0xFF), byte(e, 0xE6); /* jmp rsi */

    e->stub.miss = e->buffer[HOT].size;
    with_constant(e, OR, RAX, EXIT_LOOKUP);
    e->stub.exit = e->buffer[HOT].size;
    byte(e, 0x66);
    store32(e, RAX, STATE(pc)); /* 16 bits of it */
    store_registers(e);
    store32(e, NZ, PLACE(translated.nz));
    shift(e, 0, SHR, TIME, 16);
    store32(e, TIME, STATE(time));
    store64(e, LOGGED, PLACE(log.next));
    memory(e, WIDE, 0x8D, RSP, RSP, 8);
    for (unsigned i = KEPT; i-- > 0;) {
        prefix(e, 0, RAX, kept[i], NONE);
        byte(e, 0x58 | (kept[i] & 7u));
    }
    byte(e, 0xC3);
    for (unsigned i = 0; i < HELPERS; i++) {
        e->stub.helper[i] = e->buffer[HOT].size;
        stub_helper(e, helpers[i]);
    }
}

uint32_t host_enter(const uint8_t *region, uint8_t *ram, const void *code) {
    uint32_t HOST_CALL (*enter)(uint8_t *, const void *);
    memcpy(&enter, &region, sizeof enter);
    return enter(ram, code);
}

#endif
