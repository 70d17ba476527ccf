/* The host's registers and instructions, as far as the templates need them. */
#ifndef ALE_AARCH64_ASSEMBLER_H
#define ALE_AARCH64_ASSEMBLER_H

#include <string.h>

#include "../../console.h"
#include "../emitter.h"

typedef enum host_register {
    W0, W1, W2, W3, W9 = 9, W10, W11, W16 = 16, W17, W19 = 19, W20, W21, W22, W23, W24, W25, W26, W27, W28,
    FRAME = 29, LINK = 30, SP = 31, ZERO = 31,
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

static void word(emitter *e, uint32_t value) {
    uint8_t *to = emit_space(e, 4);
    for (int i = 0; i < 4; i++) to[i] = (uint8_t)(value >> 8 * i);
}

/* ---- registers ----------------------------------------------------------------------------------------- */

#define WIDE 0x80000000u /* added to an instruction: 64 bits */

enum {
    ADD = 0x0B000000, SUB = 0x4B000000, SUBS = 0x6B000000,
    AND = 0x0A000000, ORR = 0x2A000000, EOR = 0x4A000000, ANDS = 0x6A000000
};

/* to = a op b */
static void between(emitter *e, uint32_t op, host_register to, host_register a, host_register b) {
    word(e, op | (uint32_t)b << 16 | (uint32_t)a << 5 | to);
}
/* to = a op (b << by) */
static void between_shifted(emitter *e, uint32_t op, host_register to, host_register a, host_register b,
                            unsigned by) {
    between(e, op | by << 10, to, a, b);
}

static void move(emitter *e, host_register to, host_register from) {
    if (to != from) between(e, ORR, to, ZERO, from);
}
static void move_wide(emitter *e, host_register to, host_register from) { between(e, ORR | WIDE, to, ZERO, from); }

static void constant64(emitter *e, host_register to, uint64_t value) {
    bool begun = false;
    for (unsigned half = 0; half < 4; half++) {
        uint32_t part = value >> 16 * half & 0xFFFF;
        if (!part && (begun || half < 3)) continue;
        word(e, (begun ? 0xF2800000u : 0xD2800000u) | half << 21 | part << 5 | to); /* movk, movz */
        begun = true;
    }
}
static void constant(emitter *e, host_register to, uint32_t value) {
    if (value)
        constant64(e, to, value);
    else
        move(e, to, ZERO);
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
static void add_constant(emitter *e, host_register to, host_register from, int32_t value) {
    add_constant_to(e, 0, to, from, value);
}

/* Whether the bits of a value, not all of 32, lie side by side. */
static bool is_run(uint32_t value) {
    uint32_t above = value + (value & (0u - value));
    return value && value != UINT32_MAX && !(above & value);
}

/* to = from op value; op is AND, ORR, EOR or ANDS. */
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
static void and_constant(emitter *e, host_register to, host_register from, uint32_t value) {
    logic(e, AND, to, from, value);
}
/* Flags of from & value. */
static void test_constant(emitter *e, host_register from, uint32_t value) { logic(e, ANDS, ZERO, from, value); }

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

/* UBFM, under the names of its uses. */
static void bitfield(emitter *e, host_register to, host_register from, unsigned rotate, unsigned last) {
    word(e, 0x53000000u | rotate << 16 | last << 10 | (uint32_t)from << 5 | to);
}
static void shift_right(emitter *e, host_register to, host_register from, unsigned by) {
    bitfield(e, to, from, by, 31);
}
static void shift_left(emitter *e, host_register to, host_register from, unsigned by) {
    bitfield(e, to, from, (32 - by) & 31u, 31 - by);
}
static void take_bit(emitter *e, host_register to, host_register from, unsigned bit) {
    bitfield(e, to, from, bit, bit);
}
/* to = (from & 0x7F) << 1 */
static void double_byte(emitter *e, host_register to, host_register from) { bitfield(e, to, from, 31, 6); }
static void byte_of(emitter *e, host_register to, host_register from) { bitfield(e, to, from, 0, 7); }
static void half_of(emitter *e, host_register to, host_register from) { bitfield(e, to, from, 0, 15); }

/* to = a * b + c */
static void multiply_add(emitter *e, host_register to, host_register a, host_register b, host_register c) {
    between(e, 0x1B000000u | (uint32_t)c << 10, to, a, b);
}

/* ---- memory -------------------------------------------------------------------------------------------- */

typedef enum access_size { BYTE, HALF, WORD, DOUBLE } access_size; /* log2 of the bytes */
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

/* ---- conditions and jumps ------------------------------------------------------------------------------ */

/* A conditional jump, without its distance. */
typedef enum test {
    IF_ZERO = 0x54000000, IF_NOT_ZERO, IF_NOT_BELOW, IF_BELOW, IF_NEGATIVE, IF_ABOVE = 0x54000008
} test;
static test if_zero(host_register reg) { return (test)(0x34000000u | reg); }
static test if_not_zero(host_register reg) { return (test)(0x35000000u | reg); }
static test opposite(test t) { return (test)(t ^ (t >> 30 ? 1u : 1u << 24)); }

/* reg = 1 or 0 */
static void set_if(emitter *e, test t, host_register reg) { word(e, 0x1A9F07E0u | ((t & 15u) ^ 1u) << 12 | reg); }

/* Where the flags say equal, compare a with b; else let them say unequal. */
static void and_compare(emitter *e, host_register a, host_register b) {
    word(e, 0x7A400000u | (uint32_t)b << 16 | (uint32_t)a << 5);
}

#define JUMP 0x14000000u
#define CALL 0x94000000u

static void jump_register(emitter *e, host_register to) { word(e, 0xD61F0000u | (uint32_t)to << 5); }
static void call_register(emitter *e, host_register to) { word(e, 0xD63F0000u | (uint32_t)to << 5); }
static void go_back(emitter *e) { word(e, 0xD65F03C0u); }

/* ---- fields of the console, and RAM ------------------------------------------------------------------ */

/* Fields of the console. */
#define PLACE(member) ((int32_t)offsetof(console, member))
#define STATE(member) PLACE(s.cpu.member)

static void field(emitter *e, uint32_t how, access_size size, host_register reg, int32_t at) {
    const int32_t beyond = at - PLACE(translated);
    if (beyond >= 0 && beyond < (int32_t)sizeof(translated_registers))
        memory(e, how, size, reg, TRANSLATED, beyond);
    else
        memory(e, how, size, reg, MACHINE, at);
}
static void load_field(emitter *e, host_register to, int32_t at) { field(e, LOADING, BYTE, to, at); }
static void store_field(emitter *e, host_register from, int32_t at) { field(e, STORING, BYTE, from, at); }

static void load_ram(emitter *e, host_register to, uint32_t at) {
    memory(e, LOADING, BYTE, to, RAM, (int32_t)(at & 0x7F));
}
static void store_ram(emitter *e, host_register from, uint32_t at) {
    memory(e, STORING, BYTE, from, RAM, (int32_t)(at & 0x7F));
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

/* ---- jumps in the host's code -------------------------------------------------------------------------- */

/* A jump, conditional or not, or a call. */
static void jump_to_fixup(emitter *e, uint32_t jump, fixup_kind kind, unsigned to, uint32_t target) {
    emit_fixup(e, kind, to, target);
    word(e, jump);
}

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

/* A jump forward in the same buffer. */
static uint32_t jump_ahead(emitter *e, test t) {
    word(e, t);
    return e->buffer[e->into].size - 4;
}
static void land(emitter *e, uint32_t from) {
    code_buffer *b = &e->buffer[e->into];
    if (!e->failed && !host_fix(b->bytes + from, from, b->size)) e->failed = true;
}

/* A jump into COLD, which then grows, until thaw(). */
static void freeze_if(emitter *e, test t) {
    jump_to_fixup(e, t, TO_BUFFER, COLD, e->buffer[COLD].size);
    e->into = COLD;
}
static void thaw(emitter *e) { e->into = HOT; }
/* The same, going back to where HOT is now. */
static void thaw_and_return(emitter *e) {
    jump_to_fixup(e, JUMP, TO_BUFFER, HOT, e->buffer[HOT].size);
    e->into = HOT;
}
/* The same, going back to where land_back() is told to. */
static uint32_t jump_back(emitter *e) {
    jump_to_fixup(e, JUMP, TO_BUFFER, HOT, 0);
    e->into = HOT;
    return e->fixup_count - 1;
}
static void land_back(emitter *e, uint32_t jump) {
    if (!e->failed) e->fixups[jump].target = e->buffer[HOT].size;
}

static void jump_to_stub(emitter *e, uint32_t stub) { jump_to_fixup(e, JUMP, TO_STUB, 0, stub); }
/* Stubs may be out of a conditional jump's reach. */
static void jump_to_stub_if(emitter *e, test t, uint32_t stub) {
    uint32_t over = jump_ahead(e, opposite(t));
    jump_to_stub(e, stub);
    land(e, over);
}

#endif
