/* What a stretch of code has not done yet; leaving it; calling C from it; the stubs. */
#ifndef ALE_X86_64_STATE_H
#define ALE_X86_64_STATE_H

#include "assembler.h"

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
    const uint32_t late = e->buffer[COLD].size;
    if (e->space->instructions[offset].known) { /* jump if it is not late */
        memory(e, 0, 0x3B, TIME, RAM, PLACE(translated.limit));
        jump_if(e, IF_NOT_BELOW);
        distance(e, TO_BUFFER, COLD, late);
        memory(e, WIDE, 0x3B, LOGGED, RAM, PLACE(translated.log_full));
        jump_if(e, IF_BELOW);
        distance(e, TO_LEADER, 0, offset);
    }
    jump(e);
    distance(e, TO_BUFFER, COLD, late);
    e->into = COLD;
    exit_at(e, EXIT_LOOKUP, offset);
    e->into = HOT;
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
    uint32_t HOST_CALL (*enter)(uint8_t *, const void *);
    memcpy(&enter, &region, sizeof enter);
    return enter(ram, code);
}

#endif
