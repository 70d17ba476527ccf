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
    if (!e->space->instructions[offset].known) {
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
static void load_table(emitter *e, host_register to, const instruction *op, host_register index) {
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

/* T0 = a byte of page zero, indexed; below RAM it is the TIA. */
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

/* to = the byte at the address in T1 (16 bits), in ROM, RAM or the TIA, there with T2 before it on the bus; at
 * other addresses, and in the TIA after a crossed page (SCRATCH negative), the plain core reads.  T0 and T2
 * change. */
static void load_anywhere(emitter *e, host_register to, bool may_cross) {
    const cpu_code *code = e->code;
    move(e, T0, T1);
    with_constant(e, AND, T0, 0x1000);
    freeze_if(e, IF_ZERO);
    {
        move(e, T0, T1);
        with_constant(e, AND, T0, 0x1280);
        with_constant(e, CMP, T0, 0x80);
        uint32_t in_ram = jump_ahead(e, IF_ZERO);
        with_constant(e, AND, T0, 0x1080);
        leave_if(e, IF_NOT_ZERO);
        if (may_cross) {
            between(e, 0, 0x85, SCRATCH, SCRATCH);
            leave_if(e, IF_SIGN);
        }
        move(e, T0, T1);
        move(e, T1, T2);
        call_in_passing(e, HELP_TIA_READ);
        if (may_cross) constant(e, SCRATCH, 0);
        move(e, to, T0);
        uint32_t done = e->fixup_count;
        jump(e);
        distance(e, TO_BUFFER, HOT, 0);
        land(e, in_ram);
        with_constant(e, AND, T1, 0x7F);
        indexed(e, 0, 0x0FB6, to, RAM, T1, 0, 0);
        e->back[0] = done;
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
    land_back(e, e->back[0]);
}

/* The same with an index added to T0, or to a constant where that is not negative; a crossed page costs a
 * cycle. */
static void load_indexed(emitter *e, host_register to, int32_t base, host_register index) {
    if (base >= 0) {
        lea(e, T1, index, base);
        constant(e, T2, (uint32_t)base >> 8);
    } else {
        indexed(e, 0, 0x8D, T1, T0, index, 0, 0);
        move(e, T2, T0);
        shift(e, SHR, T2, 8);
    }
    between(e, 0, 0x0FB7, T1, T1);
    /* If the page was crossed, the low byte of the sum is below the index. */
    between(e, BYTES, 0x0FB6, SCRATCH, T1);
    between(e, 0, 0x2B, SCRATCH, index);
    load_anywhere(e, to, true);
    shift(e, SHR, SCRATCH, 31);
    shift(e, SHL, SCRATCH, 16);
    between(e, 0, 0x03, TIME, SCRATCH);
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
            lea(e, T1, X, i->operand);
            between(e, BYTES, 0x0FB6, T1, T1);
            lea(e, T0, T1, -0x80); /* in RAM with its high byte: 80 to FE */
            with_constant(e, CMP, T0, 0x7E);
            leave_if(e, IF_ABOVE);
            indexed(e, 0, 0x0FB7, T1, RAM, T1, 0, -0x80);
            move(e, T2, T1);
            shift(e, SHR, T2, 8);
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

/* ---- writes to the TIA --------------------------------------------------------------------------------- */

#define SHADOW(member) PLACE(translated.shadow.member)
#define SHADOW_REG(r) (SHADOW(reg) + (int32_t)(r))

/* Log a write of a register, or of T0. */
static void log_write(emitter *e, unsigned reg, host_register value) {
    indexed(e, 0, 0x8D, T0, TIME, value, 0, (int32_t)(e->now.cycles << 16 | reg << 8));
    memory(e, 0, 0x89, T0, LOGGED, 0);
    memory(e, WIDE, 0x8D, LOGGED, LOGGED, 4);
}

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

/* T0 and T1, an address and a value, go to the TIA the long way. */
static void tia_write_long(emitter *e, uint32_t next) {
    settle_time(e);
    call_helper(e, HELP_TIA_WRITE);
    leave_if_stopped(e, next);
}

/* Log a write if it changes anything (see translate.c).  `value` is none of T0, T1 and T2. */
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
        constant(e, T0, reg);
        move(e, T1, value);
        call_in_passing(e, HELP_TIA_WRITE);
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
        if (reg == RESP0 || reg == RESP1) field_with_constant(e, OR, SHADOW(nusiz) + (int32_t)(reg - RESP0), 1);
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

/* T0, below 80, and T1 go to the TIA, in COLD; the clock is then as lazy as before. */
static void write_tia_in_passing(emitter *e, uint32_t next) {
    lazy_state now = e->now;
    tia_write_long(e, next);
    lea(e, TIME, TIME, -(int32_t)(now.cycles << 16));
    e->now = now;
}

/* Store a register at T1 (16 bits); outside RAM by a helper. */
static void store_anywhere(emitter *e, host_register value, uint32_t next) {
    move(e, T0, T1);
    with_constant(e, AND, T0, 0x1280);
    with_constant(e, CMP, T0, 0x80);
    freeze_if(e, IF_NOT_ZERO);
    {
        lazy_state now = e->now;
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
    }
    uint32_t back = jump_back(e);
    with_constant(e, AND, T1, 0x7F);
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
        case ZERO_X:
        case ZERO_Y: {
            lea(e, T0, i->place == ZERO_X ? X : Y, i->operand);
            between(e, BYTES, 0x0FB6, T0, T0);
            with_constant(e, CMP, T0, 0x80);
            freeze_if(e, IF_BELOW);
            move(e, T1, value);
            write_tia_in_passing(e, next);
            uint32_t back = jump_back(e);
            indexed(e, BYTES, 0x88, value, RAM, T0, 0, -0x80);
            land_back(e, back);
            return true;
        }
        case INDEXED_X:
        case INDEXED_Y:
            lea(e, T1, i->place == INDEXED_X ? X : Y, i->operand);
            between(e, 0, 0x0FB7, T1, T1);
            store_anywhere(e, value, next);
            return true;
        case POINTER_Y:
            if (!load_pointer(e, i->operand)) return false;
            indexed(e, 0, 0x8D, T1, T0, Y, 0, 0);
            between(e, 0, 0x0FB7, T1, T1);
            store_anywhere(e, value, next);
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

/* ---- jumps --------------------------------------------------------------------------------------------- */

/* Set the host's flags to decide a branch: the condition on which it is taken. */
static condition branch_condition(emitter *e, operation name, bool flags) {
    const host_register where = where_nz(e->now.nz);
    const bool known = e->now.nz != NZ_STORED;
    switch (name) {
        case OP_BPL:
        case OP_BMI:
            if (flags || known) {
                if (!flags) between(e, BYTES, 0x84, where, where);
                e->flags_nz = true;
                return name == OP_BPL ? IF_NO_SIGN : IF_SIGN;
            }
            prefix(e, 0, RAX, NZ, NONE);
            byte(e, 0xF7), byte(e, 0xC0 | (NZ & 7u)), word32(e, 0x180); /* test NZ, 0x180 */
            return name == OP_BPL ? IF_ZERO : IF_NOT_ZERO;
        case OP_BVC:
        case OP_BVS: between(e, 0, 0x85, V, V); return name == OP_BVC ? IF_ZERO : IF_NOT_ZERO;
        case OP_BCC:
        case OP_BCS: between(e, 0, 0x85, C, C); return name == OP_BCC ? IF_ZERO : IF_NOT_ZERO;
        default:
            if (!flags) between(e, BYTES, 0x84, where, where);
            e->flags_nz = flags || known;
            return name == OP_BNE ? IF_NOT_ZERO : IF_ZERO;
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

/* False when it is always taken. */
static bool branch(emitter *e, const instruction *i, bool flags) {
    const operation name = (operation)i->operation;
    const uint32_t extra = i->crosses ? 2 : 1, target = i->operand;
    if ((name == OP_BCC || name == OP_BCS) && e->now.c != C_STORED) { /* known: always or never */
        if ((e->now.c == C_SET) != (name == OP_BCS)) return true;
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

/* After an access that may have changed the bank: to the next instruction of the one that is mapped now. */
static void jump_after_hotspot(emitter *e, uint32_t next) {
    const uint16_t address = (uint16_t)pc_of(e, next);
    const int32_t field = e->code->sliced ? PLACE(s.cartridge.slice) + (address >> 10 & 3) : PLACE(s.cartridge.bank);
    host_settle(e);
    if (e->code->by_address) { /* it has not */
        exit_at(e, EXIT_LOOKUP, next);
        return;
    }
    constant(e, RAX, address);
    jump_if_late(e, TO_STUB, 0, e->stubs.miss);
    load8(e, T1, RAM, field);
    shift(e, SHL, T1, 6);
    constant64(e, T2, (uint64_t)(uintptr_t)&e->tables[space_number(e->code, 0, address)]);
    indexed(e, WIDE, 0x8B, T2, T2, T1, 0, 0);
    memory(e, 0, 0xFF, (host_register)4, T2, (int32_t)(8 * (address & (e->code->window - 1)))); /* jmp */
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

static bool is_in_ram(uint16_t address) { return (address & 0x1280) == 0x0080; }
/* Code in the TIA sees what the bus held before, which the plain core alone knows. */
static bool is_executable(uint16_t address) { return address & 0x1000 || is_in_ram(address); }

static void jump_to(emitter *e, uint16_t address, bool forward_unchecked) {
    host_settle(e);
    if (is_in_ram(address)) {
        constant(e, RAX, EXIT_LOOKUP | (uint32_t)address);
        jump(e);
        distance(e, TO_STUB, 0, e->stubs.exit);
        return;
    }
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
        write_tia_in_passing(e, next);
    }
    uint32_t back = jump_back(e);
    indexed(e, BYTES, 0x88, T1, RAM, T0, 0, -0x80);
    land_back(e, back);
}

/* ---- the instructions ---------------------------------------------------------------------------------- */

/* to = from, with flags. */
static void transfer(emitter *e, host_register to, host_register from) {
    move(e, to, from);
    nz_is(e, to == A ? NZ_A : to == X ? NZ_X : NZ_Y, false);
}

static bool reads(emitter *e, const instruction *i, bool flags) {
    const operation what = (operation)i->operation;
    const bool loads = what == OP_LDA || what == OP_LDX || what == OP_LDY || what == OP_LAX;
    const host_register reg = what == OP_LDX || what == OP_CPX   ? X
                              : what == OP_LDY || what == OP_CPY ? Y
                                                                 : A;
    operand o;
    if (what == OP_NOP && (i->place == NOWHERE || i->place == IS_CONSTANT || i->place == IN_RAM)) {
        e->flags_nz = flags;
        return true;
    }
    if (what > OP_LAX || !read_operand(e, i, loads ? reg : T0, &o)) return false; /* the rarest of all */
    switch (what) {
        case OP_ADC: add(e, &o, false); break;
        case OP_SBC: add(e, &o, true); break;
        case OP_AND: operate(e, AND, A, &o), nz_is(e, NZ_A, true); break;
        case OP_ORA: operate(e, OR, A, &o), nz_is(e, NZ_A, true); break;
        case OP_EOR: operate(e, XOR, A, &o), nz_is(e, NZ_A, true); break;
        case OP_CMP:
        case OP_CPX:
        case OP_CPY: compare(e, reg, &o); break;
        case OP_BIT: bit(e, &o); break;
        case OP_NOP: break;
        default:
            load_register(e, reg, &o);
            transfer(e, reg, reg);
            if (what == OP_LAX) move(e, X, A);
            break;
    }
    return true;
}

static bool writes(emitter *e, const instruction *i, bool flags) {
    switch ((operation)i->operation) {
        case OP_STA: return store(e, i, A, flags);
        case OP_STX: return store(e, i, X, flags);
        case OP_STY: return store(e, i, Y, flags);
        case OP_SAX:
            move(e, SCRATCH, A);
            between(e, 0, 0x23, SCRATCH, X);
            return store(e, i, SCRATCH, false);
        default: return false; /* SHA and its kind */
    }
}

static bool changes(emitter *e, const instruction *i) {
    static const operand changed = {REGISTER, 0};
    const operation what = (operation)i->operation;
    if (i->place == IN_ACCUMULATOR) {
        change(e, what, A);
        nz_is(e, NZ_A, what != OP_ROR);
        return true;
    }
    if (!modify(e, i)) return false;
    nz_is(e, NZ_STORED, what != OP_ROR && i->place != IN_TIA && i->place != IN_RIOT);
    if (what <= OP_ROR) return true;
    move(e, T0, NZ);
    switch (what) { /* the rest of a combined operation */
        case OP_SLO: operate(e, OR, A, &changed), nz_is(e, NZ_A, true); break;
        case OP_RLA: operate(e, AND, A, &changed), nz_is(e, NZ_A, true); break;
        case OP_SRE: operate(e, XOR, A, &changed), nz_is(e, NZ_A, true); break;
        case OP_RRA: add(e, &changed, false); break;
        case OP_DCP: compare(e, A, &changed); break;
        default: add(e, &changed, true); break; /* ISB */
    }
    return true;
}

static bool jumps(emitter *e, const instruction *i) {
    switch ((operation)i->operation) {
        case OP_JMP:
            if (i->place == IS_TARGET) {
                if (!is_executable(i->operand)) return false;
                jump_to(e, i->operand, true);
                return true;
            }
            if (i->place != IN_RAM) return false;
            memory(e, 0, 0x0FB7, T0, RAM, i->operand & 0x7F);
            require_quiet(e, 0);
            host_settle(e);
            jump_anywhere(e);
            return true;
        case OP_JSR: {
            if (!is_executable(i->operand)) return false;
            uint32_t back = pc_of(e, e->offset + 2);
            with_constant(e, CMP, S, 0x81);
            leave_if(e, IF_BELOW);
            byte(e, 0x66); /* 16 bits */
            indexed(e, 0, 0xC7, RAX, RAM, S, 0, -0x81);
            byte(e, back), byte(e, back >> 8);
            lea(e, S, S, -2);
            jump_to(e, i->operand, false);
            return true;
        }
        case OP_RTS:
            require_stack(e, 0x80, 0xFD);
            indexed(e, 0, 0x0FB7, T0, RAM, S, 0, -0x7F);
            require_quiet(e, 1);
            lea(e, S, S, 2);
            lea(e, T0, T0, 1);
            host_settle(e);
            jump_anywhere(e);
            return true;
        case OP_RTI:
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
            return true;
        default: return false; /* BRK */
    }
}

/* Pull into T0 from the stack in RAM; from the TIA by a helper, which reads where the stack points first. */
static void pull(emitter *e) {
    lea(e, T0, S, -0x80);
    with_constant(e, CMP, T0, 0x7E);
    freeze_if(e, IF_ABOVE);
    with_constant(e, CMP, S, 0x7E);
    leave_if(e, IF_ABOVE);
    move(e, T0, S);
    byte_with_constant(e, ADD, S, 1);
    call_in_passing(e, HELP_PULL_TIA);
    uint32_t back = jump_back(e);
    lea(e, S, S, 1);
    indexed(e, 0, 0x0FB6, T0, RAM, S, 0, -0x80);
    land_back(e, back);
}

static bool inside(emitter *e, const instruction *i, bool flags) {
    const operation what = (operation)i->operation;
    if (i->wait) { /* DEX or DEY, and BNE back to it: all turns at once */
        const host_register reg = what == OP_DEX ? X : Y;
        change(e, OP_DEC, reg);
        between(e, 0, 0x69, T0, reg);
        word32(e, (5u + (i->wait & WAIT_HOW)) << 16);
        between(e, 0, 0x03, TIME, T0);
        constant(e, reg, 0);
        transfer(e, reg, reg);
        return true;
    }
    switch (what) {
        case OP_TAX: transfer(e, X, A); return true;
        case OP_TAY: transfer(e, Y, A); return true;
        case OP_TXA: transfer(e, A, X); return true;
        case OP_TYA: transfer(e, A, Y); return true;
        case OP_TSX: transfer(e, X, S); return true;
        case OP_INX: change(e, OP_INC, X), nz_is(e, NZ_X, true); return true;
        case OP_INY: change(e, OP_INC, Y), nz_is(e, NZ_Y, true); return true;
        case OP_DEX: change(e, OP_DEC, X), nz_is(e, NZ_X, true); return true;
        case OP_DEY: change(e, OP_DEC, Y), nz_is(e, NZ_Y, true); return true;
        case OP_PHA:
            move(e, T1, A);
            push(e);
            return true;
        case OP_PHP:
            status_to_t1(e);
            push(e);
            return true;
        case OP_PLA:
            pull(e);
            transfer(e, A, T0);
            return true;
        case OP_PLP:
            pull(e);
            flags_from_status(e);
            return true;
        case OP_TXS: move(e, S, X); break;
        case OP_CLC: e->now.c = C_CLEAR; break;
        case OP_SEC: e->now.c = C_SET; break;
        case OP_CLV: constant(e, V, 0); break;
        case OP_CLD: set_field(e, STATE(d), 0); break;
        case OP_SED: set_field(e, STATE(d), 1); break;
        case OP_CLI: set_field(e, STATE(i), 0); break;
        case OP_SEI: set_field(e, STATE(i), 1); break;
        default: return false; /* JAM */
    }
    e->flags_nz = flags; /* these leave them alone */
    return true;
}

/* A load of INTIM and a branch back to it: as many turns as surely come. */
static void wait_for_timer(emitter *e, const instruction *i) {
    settle_time(e);
    constant(e, T0, i->wait & WAIT_HOW);
    call_helper(e, HELP_WAIT_INTIM);
    transfer(e, i->operation == OP_LDA ? A : i->operation == OP_LDX ? X : Y, T0);
}

bool host_instruction(emitter *e, const instruction *i) {
    const bool flags = e->flags_nz;
    bool done = true, falls = true;
    e->flags_nz = false;
    e->before = e->now;
    e->now.cycles += i->cycles;
    switch (i->known ? cpu_kinds[i->operation] : (operation_kind)-1) {
        case READS:
            if (i->wait)
                wait_for_timer(e, i);
            else
                done = reads(e, i, flags);
            break;
        case WRITES: done = writes(e, i, flags); break;
        case CHANGES: done = i->place != AT_HOTSPOT && changes(e, i); break;
        case BRANCHES: falls = branch(e, i, flags); break;
        case JUMPS: done = jumps(e, i), falls = false; break;
        case INSIDE: done = inside(e, i, flags); break;
        default: done = false; break;
    }
    if (!done) { /* nothing has been emitted but what does no harm */
        e->now = e->before;
        e->leaves = 0;
        host_settle(e);
        exit_at(e, EXIT_LEAVE, e->offset);
        return false;
    }
    if (i->place == AT_HOTSPOT && falls) {
        jump_after_hotspot(e, e->offset + i->length);
        falls = false;
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
bool host_instruction(emitter *e, const instruction *i) { (void)e, (void)i; return false; }
uint32_t host_enter(const uint8_t *region, uint8_t *ram, const void *code) {
    (void)region, (void)ram, (void)code;
    return EXIT_LEAVE;
}

#endif
