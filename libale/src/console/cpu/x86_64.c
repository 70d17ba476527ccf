/* Templates for x86-64.
 *
 * All registers of the 6507 stay in the host's: */
#include "emitter.h"

#if defined(__x86_64__) && !defined(_WIN32)

#include <string.h>

#include "../console.h"

const bool host_translates = true;

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
    ROM = R11    /* &rom->data[0] */
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

static void opcode(emitter *e, unsigned op) {
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
    opcode(e, op);
    byte(e, 0xC0 | (reg & 7u) << 3 | (rm & 7u));
}

/* op reg, [base + displacement] */
static void memory(emitter *e, int how, unsigned op, host_register reg, host_register base, int32_t at) {
    prefix(e, how, reg, base, NONE);
    opcode(e, op);
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
    opcode(e, op);
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
    IF_SIGN = 8, IF_NO_SIGN = 9
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
void host_fix(uint8_t *at, uint32_t from, uint32_t target) {
    uint32_t relative = target - (from + 4);
    memcpy(at, &relative, 4);
}

/* A jump forward in the same buffer. */
static uint32_t jump_ahead(emitter *e, condition c) {
    jump_if(e, c);
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

/* ---- lazy state ---------------------------------------------------------------------------------------- */

static host_register where_nz(lazy_nz nz) { return nz == NZ_A ? A : nz == NZ_X ? X : nz == NZ_Y ? Y : NZ; }

/* Store what is lazy; leaves the host's flags alone. */
static void store_lazy(emitter *e, lazy_state lazy) {
    if (lazy.cycles) lea(e, TIME, TIME, (int32_t)(lazy.cycles << 16));
    if (lazy.nz != NZ_STORED) move(e, NZ, where_nz(lazy.nz));
    if (lazy.c != C_STORED) constant(e, C, lazy.c == C_SET);
}

void host_settle(emitter *e) {
    store_lazy(e, e->now);
    e->now = (lazy_state){0};
}

/* Add the lazy cycles alone. */
static void settle_time(emitter *e) {
    if (e->now.cycles) lea(e, TIME, TIME, (int32_t)(e->now.cycles << 16));
    e->now.cycles = 0;
}

static uint32_t pc_of(const emitter *e, uint32_t offset) { return (e->space->base + offset) & 0xFFFFu; }

static void exit_at(emitter *e, uint32_t why, uint32_t offset) {
    constant(e, RAX, why | pc_of(e, offset));
    jump(e);
    distance(e, TO_STUB, 0, e->stubs.exit);
}

/* Leave the present instruction to the plain core on a condition; its time must not have been touched. */
static void leave_if(emitter *e, condition c) {
    jump_if(e, c);
    e->leave_from[e->leaves] = (uint8_t)e->into;
    e->leave_at[e->leaves++] = e->buffer[e->into].size;
    word32(e, 0);
}

static void emit_leaves(emitter *e) {
    if (!e->leaves) return;
    unsigned into = e->into;
    uint32_t target = e->buffer[COLD].size;
    for (unsigned i = 0; i < e->leaves; i++) {
        e->into = e->leave_from[i];
        emit_fixup(e, TO_BUFFER, COLD, target);
        if (!e->failed) e->fixups[e->fixup_count - 1].at = e->leave_at[i];
    }
    e->leaves = 0;
    e->into = COLD;
    store_lazy(e, e->before);
    exit_at(e, EXIT_LEAVE, e->offset);
    e->into = into;
}

/* To the stub `miss` if the time, which is settled, is short; RAX holds the program counter by then. */
static void jump_if_late(emitter *e, unsigned kind, unsigned to, uint32_t target) {
    memory(e, 0, 0x3B, TIME, RAM, PLACE(translated.limit));
    jump_if(e, IF_NOT_BELOW);
    distance(e, (fixup_kind)kind, to, target);
    memory(e, WIDE, 0x3B, LOGGED, RAM, PLACE(translated.log_full));
    jump_if(e, IF_NOT_BELOW);
    distance(e, (fixup_kind)kind, to, target);
}

void host_leader(emitter *e) { e->flags_nz = false; }

void host_check(emitter *e) {
    settle_time(e);
    jump_if_late(e, TO_BUFFER, COLD, e->buffer[COLD].size);
    e->into = COLD;
    store_lazy(e, e->now);
    exit_at(e, EXIT_LOOKUP, e->offset);
    e->into = HOT;
    e->flags_nz = false;
}

/* All is settled. */
void host_jump(emitter *e, uint32_t offset) {
    if (e->space->ops[offset].handler == H_PLAIN_CORE) {
        exit_at(e, EXIT_LOOKUP, offset);
        return;
    }
    jump(e);
    distance(e, TO_LEADER, 0, offset);
}

/* The same for one that may go back. */
static void checked_jump(emitter *e, uint32_t offset) {
    jump_if_late(e, TO_BUFFER, COLD, e->buffer[COLD].size);
    e->into = COLD;
    exit_at(e, EXIT_LOOKUP, offset);
    e->into = HOT;
    host_jump(e, offset);
}

/* ---- calls --------------------------------------------------------------------------------------------- */

/* Call a C function with T0 and T1; all is settled but flags.  The result is in T0. */
static void call_helper(emitter *e, helper which) {
    byte(e, 0xE8);
    distance(e, TO_STUB, 0, e->stubs.helper[which]);
}

/* With the lazy cycles added for its time only, as in COLD. */
static void call_in_passing(emitter *e, helper which) {
    int32_t cycles = (int32_t)(e->now.cycles << 16);
    lea(e, TIME, TIME, cycles);
    call_helper(e, which);
    lea(e, TIME, TIME, -cycles);
}

/* Leave after the present instruction if T0 is not 0: the frame has ended. */
static void leave_if_stopped(emitter *e, uint32_t next) {
    between(e, 0, 0x85, T0, T0);
    if (e->into == COLD) {
        uint32_t over = jump_ahead(e, IF_ZERO);
        store_lazy(e, e->now);
        exit_at(e, EXIT_DONE, next);
        land(e, over);
    } else {
        freeze_if(e, IF_NOT_ZERO);
        store_lazy(e, e->now);
        exit_at(e, EXIT_DONE, next);
        thaw(e);
    }
}

static void stub_helper(emitter *e, void *function) {
    move(e, T2, TIME);
    shift(e, SHR, T2, 16);
    store32(e, T2, STATE(time));
    store64(e, LOGGED, PLACE(translated.logged));
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
    load64(e, LOGGED, PLACE(translated.logged));
    load32(e, NZ, PLACE(translated.nz));
    load32(e, C, PLACE(translated.c));
    load32(e, V, PLACE(translated.v));
    constant64(e, ROM, (uint64_t)(uintptr_t)e->rom->data);
    load32(e, TIME, STATE(time));
    shift(e, SHL, TIME, 16);
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
    load8(e, A, RAM, STATE(a));
    load8(e, X, RAM, STATE(x));
    load8(e, Y, RAM, STATE(y));
    load8(e, S, RAM, STATE(sp));
    load8(e, C, RAM, STATE(c));
    load8(e, V, RAM, STATE(v));
    load32(e, NZ, PLACE(translated.nz));
    load32(e, TIME, STATE(time));
    shift(e, SHL, TIME, 16);
    load64(e, LOGGED, PLACE(translated.logged));
    constant64(e, ROM, (uint64_t)(uintptr_t)e->rom->data);
    byte(e, 0xFF), byte(e, 0xE6); /* jmp rsi */

    e->stubs.miss = e->buffer[HOT].size;
    with_constant(e, OR, RAX, EXIT_LOOKUP);
    e->stubs.exit = e->buffer[HOT].size;
    byte(e, 0x66);
    store32(e, RAX, STATE(pc)); /* 16 bits of it */
    store8(e, A, STATE(a));
    store8(e, X, STATE(x));
    store8(e, Y, STATE(y));
    store8(e, S, STATE(sp));
    store8(e, C, STATE(c));
    store8(e, V, STATE(v));
    store32(e, NZ, PLACE(translated.nz));
    shift(e, SHR, TIME, 16);
    store32(e, TIME, STATE(time));
    store64(e, LOGGED, PLACE(translated.logged));
    memory(e, WIDE, 0x8D, RSP, RSP, 8);
    for (unsigned i = KEPT; i-- > 0;) {
        prefix(e, 0, RAX, kept[i], NONE);
        byte(e, 0x58 | (kept[i] & 7u));
    }
    byte(e, 0xC3);
    for (unsigned i = 0; i < HELPERS; i++) {
        e->stubs.helper[i] = e->buffer[HOT].size;
        stub_helper(e, helpers[i]);
    }
}

uint32_t host_enter(const uint8_t *region, uint8_t *ram, const void *code) {
    uint32_t (*enter)(uint8_t *, const void *);
    memcpy(&enter, &region, sizeof enter);
    return enter(ram, code);
}

/* ---- operands ------------------------------------------------------------------------------------------ */

/* What a reading instruction works on. */
typedef struct operand {
    enum { CONSTANT, MEMORY, REGISTER } kind;
    uint32_t value;  /* or the byte of RAM */
} operand;

/* Index registers of the modes. */
typedef enum read_mode { IMM2, IMM3, RAM2, RAM3, ROMX, ROMY, ZPX, ABX, ABY, IZX, IZY, READ_MODES } read_mode;

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
static void load_table(emitter *e, host_register to, const cpu_op *op, host_register index) {
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

/* T0 = a byte of the zero page, indexed; below RAM it is the TIA. */
static void load_zero_page(emitter *e, unsigned base, host_register index) {
    lea(e, T0, index, (int32_t)base);
    between(e, BYTES, 0x0FB6, T0, T0);
    with_constant(e, CMP, T0, 0x80);
    freeze_if(e, IF_BELOW);
    constant(e, T1, base);
    call_in_passing(e, HELP_TIA_READ);
    uint32_t back = jump_back(e);
    indexed(e, 0, 0x0FB6, T0, RAM, T0, 0, -0x80);
    land_back(e, back);
}

/* T0 = the address that a pointer in RAM holds. */
static bool load_pointer(emitter *e, unsigned at) {
    if (at < 0x80 || at == 0xFF) return false;
    memory(e, 0, 0x0FB7, T0, RAM, (int32_t)at - 0x80);
    return true;
}

/* to = the byte at the address in T1 (16 bits), in ROM or RAM; anything else is left to the plain core.  T0
 * and T2 change. */
static void load_anywhere(emitter *e, host_register to) {
    const cpu_code *code = e->code;
    between(e, 0, 0x8B, T0, T1);
    with_constant(e, AND, T0, 0x1000);
    freeze_if(e, IF_ZERO);
    {
        move(e, T0, T1);
        with_constant(e, AND, T0, 0x1280);
        with_constant(e, CMP, T0, 0x80);
        leave_if(e, IF_NOT_ZERO);
        with_constant(e, AND, T1, 0x7F);
        indexed(e, 0, 0x0FB6, to, RAM, T1, 0, 0);
    }
    uint32_t back = jump_back(e);
    if (code->by_address) {
        move(e, T0, T1);
        shift(e, SHR, T0, 1); /* bit 13 to bit 12 */
        with_constant(e, XOR, T0, 0x1000);
        with_constant(e, AND, T0, 0x1000);
    }
    with_constant(e, AND, T1, 0xFFF);
    if (code->low || code->span < 4096) {
        lea(e, T2, T1, -(int32_t)code->low);
        with_constant(e, CMP, T2, code->span);
        leave_if(e, IF_NOT_BELOW);
    }
    if (code->sliced) {
        load_slice_at(e, to);
    } else {
        if (code->by_address) between(e, 0, 0x03, T1, T0);
        load_rom_at(e, to, T1, bank_base(e));
    }
    land_back(e, back);
}

/* The same with an index added to T0, or to a constant where that is not negative; a crossed page costs a
 * cycle. */
static void load_indexed(emitter *e, host_register to, int32_t base, host_register index) {
    if (base >= 0)
        lea(e, T1, index, base);
    else
        indexed(e, 0, 0x8D, T1, T0, index, 0, 0);
    between(e, 0, 0x0FB7, T1, T1);
    /* Whether the page was crossed shows in the low byte of the sum: it is below the index.  A register of
     * the host that is called away for it is none of those in use. */
    host_register scratch = RSI;
    between(e, BYTES, 0x0FB6, scratch, T1);
    between(e, 0, 0x2B, scratch, index); /* negative: crossed */
    load_anywhere(e, to);
    shift(e, SHR, scratch, 31);
    shift(e, SHL, scratch, 16);
    between(e, 0, 0x03, TIME, scratch);
}

/* The operand of a reading instruction; `to` is where it goes if it is no constant and not in RAM.  False:
 * left to the plain core for good. */
static bool read_operand(emitter *e, const cpu_op *op, read_mode mode, host_register to, operand *o) {
    *o = (operand){REGISTER, 0};
    switch (mode) {
        case IMM2:
        case IMM3: *o = (operand){CONSTANT, op->operand}; return true;
        case RAM2:
        case RAM3: *o = (operand){MEMORY, op->operand}; return true;
        case ROMX: load_table(e, to, op, X); return true;
        case ROMY: load_table(e, to, op, Y); return true;
        case ZPX: load_zero_page(e, op->operand, X); return true;
        case ABX: load_indexed(e, to, op->operand, X); return true;
        case ABY: load_indexed(e, to, op->operand, Y); return true;
        case IZX: return false;
        case IZY:
            if (!load_pointer(e, op->operand)) return false;
            load_indexed(e, to, -1, Y);
            return true;
        default: return false;
    }
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
    opcode(e, 0x0FBA);
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

/* ---- stores -------------------------------------------------------------------------------------------- */

/* Log a write of a register, or of T0. */
static void log_write(emitter *e, unsigned reg, host_register value) {
    indexed(e, 0, 0x8D, T0, TIME, value, 0, (int32_t)(e->now.cycles << 16 | reg << 8));
    memory(e, 0, 0x89, T0, LOGGED, 0);
    memory(e, WIDE, 0x8D, LOGGED, LOGGED, 4);
}

/* The clock goes on to the end of the line. */
static void wait_for_line(emitter *e) {
    enum { MAGIC = 55189 }; /* 2^22 / 76, rounded up: exact up to 69905 */
    lea(e, T0, TIME, (int32_t)((e->now.cycles + LINE_CYCLES - 1) << 16));
    shift(e, SHR, T0, 16);
    between(e, 0, 0x69, T0, T0);
    word32(e, MAGIC);
    shift(e, SHR, T0, 22);
    between(e, 0, 0x69, TIME, T0);
    word32(e, LINE_CYCLES << 16);
    e->now.cycles = 0;
}

static void tia_write_long(emitter *e, uint32_t next) {
    settle_time(e);
    call_helper(e, HELP_TIA_WRITE);
    leave_if_stopped(e, next);
}

/* STA and its kind. */
typedef enum store_mode { ST_RAM2, ST_RAM3, ST_INDEXED, ST_LOGGED, ST_WSYNC, ST_TIA2, ST_IO3 } store_mode;

static void store(emitter *e, const cpu_op *op, store_mode mode, host_register value, host_register index,
                  bool flags) {
    uint32_t next = e->offset + op->length;
    switch (mode) {
        case ST_RAM2:
        case ST_RAM3:
            store8(e, value, op->operand);
            e->flags_nz = flags;
            break;
        case ST_INDEXED:
            lea(e, T0, index, op->operand);
            between(e, BYTES, 0x0FB6, T0, T0);
            with_constant(e, CMP, T0, 0x80);
            freeze_if(e, IF_BELOW);
            {
                lazy_state now = e->now;
                move(e, T1, value);
                tia_write_long(e, next);
                lea(e, TIME, TIME, -(int32_t)(now.cycles << 16));
                e->now = now;
            }
            uint32_t back = jump_back(e);
            indexed(e, BYTES, 0x88, value, RAM, T0, 0, -0x80);
            land_back(e, back);
            break;
        case ST_LOGGED:
            log_write(e, op->operand, value);
            e->flags_nz = flags;
            break;
        case ST_WSYNC:
            log_write(e, WSYNC, value);
            wait_for_line(e);
            break;
        case ST_TIA2:
        case ST_IO3:
            constant(e, T0, op->operand);
            move(e, T1, value);
            settle_time(e);
            call_helper(e, mode == ST_TIA2 ? HELP_TIA_WRITE : HELP_BUS_WRITE);
            leave_if_stopped(e, next);
            break;
    }
}

/* Store A at T1 (16 bits), which must be in RAM. */
static void store_anywhere(emitter *e) {
    move(e, T0, T1);
    with_constant(e, AND, T0, 0x1280);
    with_constant(e, CMP, T0, 0x80);
    leave_if(e, IF_NOT_ZERO);
    with_constant(e, AND, T1, 0x7F);
    indexed(e, BYTES, 0x88, A, RAM, T1, 0, 0);
}

/* ---- read, change, write ------------------------------------------------------------------------------- */

enum { MODIFY_INC, MODIFY_DEC, MODIFY_ASL, MODIFY_LSR, MODIFY_ROL, MODIFY_ROR };

static void change(emitter *e, unsigned how, host_register reg) {
    switch (how) {
        case MODIFY_INC:
        case MODIFY_DEC:
            prefix(e, BYTES, RAX, reg, NONE);
            byte(e, 0xFE);
            byte(e, 0xC0 | (how == MODIFY_DEC ? 8u : 0u) | (reg & 7u));
            return;
        case MODIFY_ASL: between(e, BYTES, 0x02, reg, reg); break;
        case MODIFY_LSR: byte_shift_by_one(e, SHR, reg); break;
        case MODIFY_ROL:
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

static void modify(emitter *e, const cpu_op *op, unsigned how, unsigned mode) {
    if (mode == 2) { /* zero page, indexed */
        lea(e, T1, X, op->operand);
        between(e, BYTES, 0x0FB6, T1, T1);
        with_constant(e, CMP, T1, 0x80);
        leave_if(e, IF_BELOW);
        indexed(e, 0, 0x0FB6, NZ, RAM, T1, 0, -0x80);
        change(e, how, NZ);
        indexed(e, BYTES, 0x88, NZ, RAM, T1, 0, -0x80);
    } else {
        load8(e, NZ, RAM, op->operand);
        change(e, how, NZ);
        store8(e, NZ, op->operand);
    }
    nz_is(e, NZ_STORED, how != MODIFY_ROR);
}

/* ---- jumps --------------------------------------------------------------------------------------------- */

/* Set the host's flags to decide a branch: the condition on which it is taken. */
static condition branch_condition(emitter *e, unsigned name, bool flags) {
    host_register where = where_nz(e->now.nz);
    bool known = e->now.nz != NZ_STORED;
    switch (name) {
        case 0: /* BPL */
        case 1: /* BMI */
            if (flags || known) {
                if (!flags) between(e, BYTES, 0x84, where, where);
                e->flags_nz = true;
                return name == 0 ? IF_NO_SIGN : IF_SIGN;
            }
            prefix(e, 0, RAX, NZ, NONE);
            byte(e, 0xF7);
            byte(e, 0xC0 | (NZ & 7u));
            word32(e, 0x180);
            return name == 0 ? IF_ZERO : IF_NOT_ZERO;
        case 2:
        case 3: between(e, 0, 0x85, V, V); return name == 2 ? IF_ZERO : IF_NOT_ZERO;
        case 4:
        case 5: between(e, 0, 0x85, C, C); return name == 4 ? IF_ZERO : IF_NOT_ZERO;
        default:
            if (!flags) between(e, BYTES, 0x84, where, where);
            e->flags_nz = flags || known;
            return name == 6 ? IF_NOT_ZERO : IF_ZERO;
    }
}

/* What a taken branch does. */
static void take_branch(emitter *e, uint32_t target, uint32_t extra) {
    lazy_state taken = e->now;
    taken.cycles += extra;
    store_lazy(e, taken);
    if (target > e->offset)
        host_jump(e, target);
    else
        checked_jump(e, target);
}

static bool branch(emitter *e, const cpu_op *op, bool flags) {
    unsigned name = (unsigned)(op->handler - H_BPL_NEAR) / 2;
    uint32_t extra = (op->handler - H_BPL_NEAR) & 1 ? 2 : 1;
    uint32_t target = branch_target(op, e->offset);
    if ((name == 4 || name == 5) && e->now.c != C_STORED) { /* known: always or never */
        if ((e->now.c == C_SET) != (name == 5)) return true;
        take_branch(e, target, extra);
        return false;
    }
    condition taken = branch_condition(e, name, flags);
    if (target > e->offset) {
        freeze_if(e, taken);
        take_branch(e, target, extra);
        thaw(e);
    } else {
        uint32_t over = jump_ahead(e, opposite(taken));
        take_branch(e, target, extra);
        land(e, over);
    }
    return true;
}

/* To the code at a fixed address of another space. */
static void far_jump(emitter *e, uint16_t address) {
    const cpu_code *code = e->code;
    uint32_t offset = address & (code->window - 1), bank = e->space->bank;
    constant(e, RAX, address);
    jump_if_late(e, TO_STUB, 0, e->stubs.miss);
    if (code->sliced && (address >> 10 & 3) != 3) {
        load8(e, T1, RAM, PLACE(s.cartridge.slice) + (address >> 10 & 3));
        shift(e, SHL, T1, 6);
        constant64(e, T2, (uint64_t)(uintptr_t)&e->tables[space_number(code, 0, address)]);
        indexed(e, WIDE, 0x8B, T2, T2, T1, 0, 0);
    } else {
        if (code->sliced) bank = 7;
        if (code->by_address) bank = address & 0x2000 ? 0 : 1;
        constant64(e, T2, (uint64_t)(uintptr_t)&e->tables[space_number(code, bank, address)]);
        memory(e, WIDE, 0x8B, T2, T2, 0);
    }
    memory(e, 0, 0xFF, (host_register)4, T2, (int32_t)(8 * offset)); /* jmp [T2 + ...] */
}

static void jump_to(emitter *e, uint16_t address, bool forward_unchecked) {
    host_settle(e);
    if ((address & (uint16_t)~(e->space->window - 1)) != e->space->base) {
        far_jump(e, address);
        return;
    }
    uint32_t offset = address & (e->space->window - 1);
    if (forward_unchecked && offset > e->offset)
        host_jump(e, offset);
    else
        checked_jump(e, offset);
}

/* To the address in RAX. */
static void jump_anywhere(emitter *e) {
    const cpu_code *code = e->code;
    jump_if_late(e, TO_STUB, 0, e->stubs.miss);
    byte(e, 0xA9), word32(e, 0x1000); /* test eax, 0x1000 */
    jump_if(e, IF_ZERO);
    distance(e, TO_STUB, 0, e->stubs.miss);
    if (code->sliced) {
        move(e, T1, RAX);
        shift(e, SHR, T1, 10);
        with_constant(e, AND, T1, 3);
        indexed(e, 0, 0x0FB6, T2, RAM, T1, 0, PLACE(s.cartridge.slice));
        indexed(e, 0, 0x8D, T2, T2, T1, 3, 0); /* slot * 8 + slice */
        move(e, T1, RAX);
        shift(e, SHR, T1, 13);
        indexed(e, 0, 0x8D, T1, T1, T2, 3, 0);
        constant64(e, T2, (uint64_t)(uintptr_t)e->tables);
    } else {
        move(e, T1, RAX);
        shift(e, SHR, T1, 13);
        if (code->by_address) {
            move(e, T2, T1);
            with_constant(e, XOR, T2, 1);
            with_constant(e, AND, T2, 1);
            indexed(e, 0, 0x8D, T1, T1, T2, 3, 0);
        }
        uint32_t bank = code->by_address ? 0 : e->space->bank;
        constant64(e, T2, (uint64_t)(uintptr_t)&e->tables[bank * LANES]);
    }
    indexed(e, WIDE, 0x8B, T2, T2, T1, 3, 0);
    move(e, T1, RAX);
    with_constant(e, AND, T1, code->window - 1);
    indexed(e, 0, 0xFF, (host_register)4, T2, T1, 3, 0);
}

/* Leave unless T0 and, with `more` 1, the address after it are quiet; T1 changes. */
static void require_quiet(emitter *e, uint32_t more) {
    const cpu_code *code = e->code;
    byte(e, 0xA9), word32(e, 0x1000);
    leave_if(e, IF_ZERO);
    if (!code->low && code->span == 4096 && !more) return;
    move(e, T1, T0);
    with_constant(e, AND, T1, 0xFFF);
    if (code->low) with_constant(e, SUB, T1, code->low);
    with_constant(e, CMP, T1, code->span - more);
    leave_if(e, IF_NOT_BELOW);
}

/* Leave if S is outside a range. */
static void require_stack(emitter *e, unsigned least, unsigned most) {
    lea(e, T1, S, -(int32_t)least);
    with_constant(e, CMP, T1, most - least);
    leave_if(e, IF_ABOVE);
}

static void flags_from_status(emitter *e) { /* in T0; T1 changes */
    move(e, C, T0);
    with_constant(e, AND, C, 1);
    move(e, V, T0);
    shift(e, SHR, V, 6);
    with_constant(e, AND, V, 1);
    move(e, T1, T0);
    shift(e, SHR, T1, 3);
    with_constant(e, AND, T1, 1);
    store8(e, T1, STATE(d));
    move(e, T1, T0);
    shift(e, SHR, T1, 2);
    with_constant(e, AND, T1, 1);
    store8(e, T1, STATE(i));
    move(e, NZ, T0);
    with_constant(e, AND, NZ, 0x80);
    between(e, 0, 0x03, NZ, NZ);
    with_constant(e, XOR, T0, 2);
    with_constant(e, AND, T0, 2);
    between(e, 0, 0x0B, NZ, T0);
    e->now.c = C_STORED;
    nz_is(e, NZ_STORED, false);
}

/* T1 = the status register; T0 and T2 change. */
static void status_to_t1(emitter *e) {
    host_register where = where_nz(e->now.nz);
    move(e, T1, V);
    shift(e, SHL, T1, 6);
    with_constant(e, OR, T1, 0x30);
    if (e->now.c == C_STORED)
        between(e, 0, 0x0B, T1, C);
    else if (e->now.c == C_SET)
        with_constant(e, OR, T1, 1);
    load8(e, T0, RAM, STATE(d));
    shift(e, SHL, T0, 3);
    between(e, 0, 0x0B, T1, T0);
    load8(e, T0, RAM, STATE(i));
    shift(e, SHL, T0, 2);
    between(e, 0, 0x0B, T1, T0);
    move(e, T0, where);
    shift(e, SHR, T0, 1);
    between(e, 0, 0x0B, T0, where); /* bit 7: N */
    with_constant(e, AND, T0, 0x80);
    between(e, 0, 0x0B, T1, T0);
    constant(e, T0, 0);
    between(e, BYTES, 0x84, where, where);
    set_if(e, IF_ZERO, T0);
    between(e, 0, 0x03, T0, T0);
    between(e, 0, 0x0B, T1, T0);
}

/* Push T1; below RAM the stack is in the TIA. */
static void push(emitter *e) {
    uint32_t next = e->offset + 1;
    move(e, T0, S);
    lea(e, S, S, -1);
    between(e, BYTES, 0x0FB6, S, S);
    with_constant(e, CMP, T0, 0x80);
    freeze_if(e, IF_BELOW);
    {
        lazy_state now = e->now;
        tia_write_long(e, next);
        lea(e, TIME, TIME, -(int32_t)(now.cycles << 16));
        e->now = now;
    }
    uint32_t back = jump_back(e);
    indexed(e, BYTES, 0x88, T1, RAM, T0, 0, -0x80);
    land_back(e, back);
}

/* ---- the instructions ---------------------------------------------------------------------------------- */

static lazy_nz nz_of(host_register reg) { return reg == A ? NZ_A : reg == X ? NZ_X : NZ_Y; }

/* to = from, with flags. */
static void transfer(emitter *e, host_register to, host_register from) {
    move(e, to, from);
    nz_is(e, nz_of(to), false);
}

static bool load_to(emitter *e, const cpu_op *op, read_mode mode, host_register to) {
    operand o;
    bool direct = mode == ROMX || mode == ROMY || mode == ABX || mode == ABY || mode == IZY;
    if (!read_operand(e, op, mode, direct ? to : T0, &o)) return false;
    if (o.kind == REGISTER)
        move(e, to, direct ? to : T0);
    else
        load_register(e, to, &o);
    nz_is(e, nz_of(to), false);
    return true;
}

/* A read by a helper, into T0. */
static void read_by(emitter *e, helper which, uint32_t address, uint32_t value) {
    settle_time(e);
    constant(e, T0, address);
    constant(e, T1, value);
    call_helper(e, which);
}

static bool accumulate(emitter *e, const cpu_op *op, read_mode mode, unsigned first) {
    operand o;
    if (!read_operand(e, op, mode, T0, &o)) return false;
    switch (first) {
        case H_ADC_IMM2: add(e, &o, false); break;
        case H_SBC_IMM2: add(e, &o, true); break;
        case H_AND_IMM2: operate(e, AND, A, &o), nz_is(e, NZ_A, true); break;
        case H_ORA_IMM2: operate(e, OR, A, &o), nz_is(e, NZ_A, true); break;
        case H_EOR_IMM2: operate(e, XOR, A, &o), nz_is(e, NZ_A, true); break;
        default: compare(e, A, &o); break;
    }
    return true;
}

static const operand in_t0 = {REGISTER, 0};

/* Emit the instruction; false: left to the plain core for good. */
static bool templates(emitter *e, const cpu_op *op, bool flags, bool *falls) {
    const unsigned h = op->handler;
    const operand immediate = {CONSTANT, op->operand}, in_ram = {MEMORY, op->operand};
    *falls = true;
    if (h >= H_LDA_IMM2 && h <= H_LDA_IZY) return load_to(e, op, (read_mode)(h - H_LDA_IMM2), A);
    if (h >= H_ADC_IMM2 && h <= H_CMP_IZY) {
        unsigned mode = (h - H_ADC_IMM2) % READ_MODES;
        return accumulate(e, op, (read_mode)mode, h - mode);
    }
    if (h >= H_STA_RAM2 && h <= H_STY_IO3) {
        static const host_register value[3] = {A, X, Y}, index[3] = {X, Y, X};
        unsigned which = (h - H_STA_RAM2) / 7;
        store(e, op, (store_mode)((h - H_STA_RAM2) % 7), value[which], index[which], flags);
        return true;
    }
    if (h >= H_INC_RAM2 && h <= H_ROR_ZPX) {
        modify(e, op, (h - H_INC_RAM2) / 3, (h - H_INC_RAM2) % 3);
        return true;
    }
    if (h >= H_BPL_NEAR && h <= H_BEQ_FAR) {
        *falls = branch(e, op, flags);
        return true;
    }
    switch (h) {
        case H_LDX_IMM2:
        case H_LDX_IMM3: return load_to(e, op, IMM2, X);
        case H_LDX_RAM2:
        case H_LDX_RAM3: return load_to(e, op, RAM2, X);
        case H_LDX_ROMY: return load_to(e, op, ROMY, X);
        case H_LDX_ZPY:
            load_zero_page(e, op->operand, Y);
            transfer(e, X, T0);
            return true;
        case H_LDX_ABY: return load_to(e, op, ABY, X);
        case H_LDY_IMM2:
        case H_LDY_IMM3: return load_to(e, op, IMM2, Y);
        case H_LDY_RAM2:
        case H_LDY_RAM3: return load_to(e, op, RAM2, Y);
        case H_LDY_ROMX: return load_to(e, op, ROMX, Y);
        case H_LDY_ZPX:
            load_zero_page(e, op->operand, X);
            transfer(e, Y, T0);
            return true;
        case H_LDY_ABX: return load_to(e, op, ABX, Y);
        case H_LAX_RAM2:
        case H_LAX_ROMY:
        case H_LAX_IZY:
            if (!load_to(e, op, h == H_LAX_RAM2 ? RAM2 : h == H_LAX_ROMY ? ROMY : IZY, A)) return false;
            move(e, X, A);
            return true;
        case H_CPX_IMM2: compare(e, X, &immediate); return true;
        case H_CPX_RAM2: compare(e, X, &in_ram); return true;
        case H_CPY_IMM2: compare(e, Y, &immediate); return true;
        case H_CPY_RAM2: compare(e, Y, &in_ram); return true;
        case H_BIT_RAM2:
        case H_BIT_RAM3: bit(e, &in_ram); return true;
        case H_BIT_IMM3: bit(e, &immediate); return true;
        case H_LDA_TIA2:
        case H_LDX_TIA2:
        case H_LDY_TIA2: {
            host_register to = h == H_LDA_TIA2 ? A : h == H_LDX_TIA2 ? X : Y;
            read_by(e, HELP_TIA_READ, op->operand, op->operand);
            transfer(e, to, T0);
            return true;
        }
        case H_BIT_TIA2:
            read_by(e, HELP_TIA_READ, op->operand, op->operand);
            bit(e, &in_t0);
            return true;
        case H_LDA_INTIM:
        case H_LDX_INTIM:
        case H_LDY_INTIM: {
            host_register to = h == H_LDA_INTIM ? A : h == H_LDX_INTIM ? X : Y;
            read_by(e, HELP_INTIM, 0, 0);
            transfer(e, to, T0);
            return true;
        }
        case H_LDA_IO3:
            read_by(e, HELP_IO_READ, op->operand, 0);
            transfer(e, A, T0);
            return true;
        case H_BIT_IO3:
            read_by(e, HELP_IO_READ, op->operand, 0);
            bit(e, &in_t0);
            return true;
        case H_AND_IO3:
            read_by(e, HELP_IO_READ, op->operand, 0);
            operate(e, AND, A, &in_t0);
            nz_is(e, NZ_A, true);
            return true;
        case H_LDA_CART3:
        case H_LDX_CART3:
        case H_LDY_CART3:
        case H_ORA_CART3:
        case H_AND_CART3:
            read_by(e, HELP_CART_READ, op->operand, 0);
            if (h == H_ORA_CART3 || h == H_AND_CART3) {
                operate(e, h == H_ORA_CART3 ? OR : AND, A, &in_t0);
                nz_is(e, NZ_A, true);
            } else {
                transfer(e, h == H_LDA_CART3 ? A : h == H_LDX_CART3 ? X : Y, T0);
            }
            return true;
        case H_STA_CART3:
            settle_time(e);
            constant(e, T0, op->operand);
            move(e, T1, A);
            call_helper(e, HELP_CART_WRITE);
            return true;
        case H_STA_ABX:
        case H_STA_ABY:
            lea(e, T1, h == H_STA_ABX ? X : Y, op->operand);
            between(e, 0, 0x0FB7, T1, T1);
            store_anywhere(e);
            return true;
        case H_STA_IZY:
            if (!load_pointer(e, op->operand)) return false;
            indexed(e, 0, 0x8D, T1, T0, Y, 0, 0);
            between(e, 0, 0x0FB7, T1, T1);
            store_anywhere(e);
            return true;
        case H_SAX_RAM2:
        case H_SAX_TIA_LOGGED:
            move(e, T0, A);
            between(e, 0, 0x23, T0, X);
            if (h == H_SAX_RAM2)
                store8(e, T0, op->operand);
            else
                log_write(e, op->operand, T0);
            return true;
        case H_DCP_RAM2:
            load8(e, T0, RAM, op->operand);
            change(e, MODIFY_DEC, T0);
            store8(e, T0, op->operand);
            compare(e, A, &in_t0);
            return true;
        case H_ISB_RAM2:
            load8(e, T0, RAM, op->operand);
            change(e, MODIFY_INC, T0);
            store8(e, T0, op->operand);
            add(e, &in_t0, true);
            return true;
        case H_ASL_A:
        case H_LSR_A:
        case H_ROL_A:
        case H_ROR_A:
            change(e, (unsigned)MODIFY_ASL + (h - H_ASL_A), A);
            nz_is(e, NZ_A, h != H_ROR_A);
            return true;
        case H_TAX: transfer(e, X, A); return true;
        case H_TAY: transfer(e, Y, A); return true;
        case H_TXA: transfer(e, A, X); return true;
        case H_TYA: transfer(e, A, Y); return true;
        case H_TSX: transfer(e, X, S); return true;
        case H_TXS: move(e, S, X), e->flags_nz = flags; return true;
        case H_INX: change(e, MODIFY_INC, X), nz_is(e, NZ_X, true); return true;
        case H_INY: change(e, MODIFY_INC, Y), nz_is(e, NZ_Y, true); return true;
        case H_DEX: change(e, MODIFY_DEC, X), nz_is(e, NZ_X, true); return true;
        case H_DEY: change(e, MODIFY_DEC, Y), nz_is(e, NZ_Y, true); return true;
        case H_CLC: e->now.c = C_CLEAR, e->flags_nz = flags; return true;
        case H_SEC: e->now.c = C_SET, e->flags_nz = flags; return true;
        case H_CLD:
        case H_SED:
        case H_CLI:
        case H_SEI:
            memory(e, 0, 0xC6, RAX, RAM, h == H_CLD || h == H_SED ? STATE(d) : STATE(i));
            byte(e, h == H_SED || h == H_SEI);
            e->flags_nz = flags;
            return true;
        case H_CLV: constant(e, V, 0), e->flags_nz = flags; return true;
        case H_NOP1:
        case H_NOP2: e->flags_nz = flags; return true;
        case H_JMP: jump_to(e, op->operand, true), *falls = false; return true;
        case H_JMP_IND:
            memory(e, 0, 0x0FB7, T0, RAM, op->operand);
            require_quiet(e, 0);
            host_settle(e);
            jump_anywhere(e);
            *falls = false;
            return true;
        case H_JSR: {
            uint32_t back = pc_of(e, e->offset + 2);
            with_constant(e, CMP, S, 0x81);
            leave_if(e, IF_BELOW);
            byte(e, 0x66); /* 16 bits */
            indexed(e, 0, 0xC7, RAX, RAM, S, 0, -0x81);
            byte(e, back), byte(e, back >> 8);
            lea(e, S, S, -2);
            jump_to(e, op->operand, false);
            *falls = false;
            return true;
        }
        case H_RTS:
            require_stack(e, 0x80, 0xFD);
            indexed(e, 0, 0x0FB7, T0, RAM, S, 0, -0x7F);
            require_quiet(e, 1);
            lea(e, S, S, 2);
            lea(e, T0, T0, 1);
            host_settle(e);
            jump_anywhere(e);
            *falls = false;
            return true;
        case H_RTI:
            require_stack(e, 0x80, 0xFC);
            indexed(e, 0, 0x0FB7, T0, RAM, S, 0, -0x7E);
            require_quiet(e, 0);
            move(e, T2, T0);
            indexed(e, 0, 0x0FB6, T0, RAM, S, 0, -0x7F);
            flags_from_status(e);
            move(e, T0, T2);
            lea(e, S, S, 3);
            host_settle(e);
            jump_anywhere(e);
            *falls = false;
            return true;
        case H_PHA:
            move(e, T1, A);
            push(e);
            return true;
        case H_PHP:
            status_to_t1(e);
            push(e);
            return true;
        case H_PLA:
            require_stack(e, 0x80, 0xFE);
            lea(e, S, S, 1);
            indexed(e, 0, 0x0FB6, A, RAM, S, 0, -0x80);
            nz_is(e, NZ_A, false);
            return true;
        case H_PLP:
            require_stack(e, 0x80, 0xFE);
            lea(e, S, S, 1);
            indexed(e, 0, 0x0FB6, T0, RAM, S, 0, -0x80);
            flags_from_status(e);
            return true;
        case H_WAIT_DEX:
        case H_WAIT_DEY: {
            /* DEX, and BNE back to it: all turns at once. */
            host_register reg = h == H_WAIT_DEX ? X : Y;
            change(e, MODIFY_DEC, reg);
            between(e, 0, 0x69, T0, reg);
            word32(e, (5u + op->operand) << 16);
            between(e, 0, 0x03, TIME, T0);
            constant(e, reg, 0);
            nz_is(e, nz_of(reg), false);
            return true;
        }
        case H_WAIT_INTIM: {
            host_register to = (op->operand & 3) == 0 ? A : (op->operand & 3) == 1 ? X : Y;
            read_by(e, HELP_WAIT_INTIM, op->operand, 0);
            transfer(e, to, T0);
            return true;
        }
        default: return false;
    }
}

bool host_instruction(emitter *e, const cpu_op *op) {
    const bool flags = e->flags_nz;
    e->flags_nz = false;
    e->before = e->now;
    e->now.cycles += op->cost & 0xFF;
    bool falls;
    if (!templates(e, op, flags, &falls)) {
        e->now = e->before;
        e->leaves = 0;
        host_settle(e);
        exit_at(e, EXIT_LEAVE, e->offset);
        return false;
    }
    emit_leaves(e);
    return falls;
}

#else

const bool host_translates = false;

void host_stubs(emitter *e, void *const helpers[HELPERS]) { (void)e, (void)helpers; }
void host_fix(uint8_t *at, uint32_t from, uint32_t target) { (void)at, (void)from, (void)target; }
void host_leader(emitter *e) { (void)e; }
void host_check(emitter *e) { (void)e; }
void host_jump(emitter *e, uint32_t offset) { (void)e, (void)offset; }
void host_settle(emitter *e) { (void)e; }
bool host_instruction(emitter *e, const cpu_op *op) { (void)e, (void)op; return false; }
uint32_t host_enter(const uint8_t *region, uint8_t *ram, const void *code) {
    (void)region, (void)ram, (void)code;
    return EXIT_LEAVE;
}

#endif
