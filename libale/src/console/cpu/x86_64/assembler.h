/* The host's registers and instructions, as far as the templates need them. */
#ifndef ALE_X86_64_ASSEMBLER_H
#define ALE_X86_64_ASSEMBLER_H

#include <string.h>

#include "../../console.h"
#include "../emitter.h"

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
#define STATE(member) PLACE(s.cpu.member)

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

static void move(emitter *e, host_register to, host_register from) {
    if (to != from) between(e, 0, 0x8B, to, from);
}
static void load8(emitter *e, host_register to, host_register base, int32_t at) {
    memory(e, 0, 0x0FB6, to, base, at);
}
static void load32(emitter *e, host_register to, int32_t field) { memory(e, 0, 0x8B, to, RAM, field); }
static void load64(emitter *e, host_register to, int32_t field) { memory(e, WIDE, 0x8B, to, RAM, field); }
static void store8(emitter *e, host_register from, int32_t at) { memory(e, BYTES, 0x88, from, RAM, at); }
static void store32(emitter *e, host_register from, int32_t field) { memory(e, 0, 0x89, from, RAM, field); }
static void store64(emitter *e, host_register from, int32_t field) { memory(e, WIDE, 0x89, from, RAM, field); }

static void constant(emitter *e, host_register to, uint32_t value) {
    prefix(e, 0, RAX, to, NONE);
    byte(e, 0xB8 | (to & 7u));
    word32(e, value);
}
static void constant64(emitter *e, host_register to, uint64_t value) {
    prefix(e, WIDE, RAX, to, NONE);
    byte(e, 0xB8 | (to & 7u));
    word64(e, value);
}

/* The eight operations of the group that begins with ADD. */
enum { ADD, OR, ADC, SBB, AND, SUB, XOR, CMP };
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

enum { ROL_ = 0, RCR = 3, SHL = 4, SHR = 5 };
static void shift(emitter *e, unsigned what, host_register reg, unsigned by) {
    prefix(e, 0, RAX, reg, NONE);
    byte(e, 0xC1);
    byte(e, 0xC0 | what << 3 | (reg & 7u));
    byte(e, by);
}
static void shift_by_t1(emitter *e, unsigned what, host_register reg) {
    prefix(e, 0, RAX, reg, NONE);
    byte(e, 0xD3);
    byte(e, 0xC0 | what << 3 | (reg & 7u));
}
static void wide_shift(emitter *e, unsigned what, host_register reg, unsigned by) {
    prefix(e, WIDE, RAX, reg, NONE);
    byte(e, 0xC1);
    byte(e, 0xC0 | what << 3 | (reg & 7u));
    byte(e, by);
}
static void byte_shift_by_one(emitter *e, unsigned what, host_register reg) {
    prefix(e, BYTES, RAX, reg, NONE);
    byte(e, 0xD0);
    byte(e, 0xC0 | what << 3 | (reg & 7u));
}

/* lea reg, [base + at]: an addition that leaves the flags alone. */
static void lea(emitter *e, host_register to, host_register base, int32_t at) {
    memory(e, 0, 0x8D, to, base, at);
}

typedef enum condition {
    IF_OVERFLOW = 0, IF_BELOW = 2, IF_NOT_BELOW = 3, IF_ZERO = 4, IF_NOT_ZERO = 5, IF_ABOVE = 7,
    IF_SIGN = 8, IF_NO_SIGN = 9, IF_NOT_LESS = 13
} condition;
static condition opposite(condition c) { return (condition)(c ^ 1u); }

/* setcc of a register that holds 0 or 1. */
static void set_if(emitter *e, condition c, host_register reg) {
    prefix(e, BYTES, RAX, reg, NONE);
    byte(e, 0x0F);
    byte(e, 0x90u | c);
    byte(e, 0xC0 | (reg & 7u));
}

/* Jumps; the four bytes of the distance come last. */
static void jump_if(emitter *e, condition c) {
    byte(e, 0x0F);
    byte(e, 0x80u | c);
}
static void jump(emitter *e) { byte(e, 0xE9); }
static void distance(emitter *e, fixup_kind kind, unsigned to, uint32_t target) {
    emit_fixup(e, kind, to, target);
    word32(e, 0);
}
bool host_fix(uint8_t *at, uint32_t from, uint32_t target) {
    uint32_t relative = target - (from + 4);
    memcpy(at, &relative, 4);
    return true;
}

/* A jump forward in the same buffer. */
static uint32_t jump_ahead(emitter *e, condition c) {
    jump_if(e, c);
    word32(e, 0);
    return e->buffer[e->into].size;
}
static uint32_t jump_over(emitter *e) {
    jump(e);
    word32(e, 0);
    return e->buffer[e->into].size;
}
static void land(emitter *e, uint32_t from) {
    code_buffer *b = &e->buffer[e->into];
    uint32_t relative = b->size - from;
    if (!e->failed) memcpy(b->bytes + from - 4, &relative, 4);
}

/* A jump into COLD, which then grows, until thaw(). */
static void freeze_if(emitter *e, condition c) {
    jump_if(e, c);
    distance(e, TO_BUFFER, COLD, e->buffer[COLD].size);
    e->into = COLD;
}
static void freeze(emitter *e) {
    jump(e);
    distance(e, TO_BUFFER, COLD, e->buffer[COLD].size);
    e->into = COLD;
}
static void thaw(emitter *e) { e->into = HOT; }
/* The same, going back to where HOT is now. */
static void thaw_and_return(emitter *e) {
    jump(e);
    distance(e, TO_BUFFER, HOT, e->buffer[HOT].size);
    e->into = HOT;
}
/* The same, going back to where land_back() is told to. */
static uint32_t jump_back(emitter *e) {
    jump(e);
    distance(e, TO_BUFFER, HOT, 0);
    e->into = HOT;
    return e->fixup_count - 1;
}
static void land_back(emitter *e, uint32_t jump) {
    if (!e->failed) e->fixups[jump].target = e->buffer[HOT].size;
}

#endif
