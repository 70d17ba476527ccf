/* What a stretch of code has not done yet; leaving it; calling C from it; the stubs. */
#ifndef ALE_AARCH64_STATE_H
#define ALE_AARCH64_STATE_H

#include "assembler.h"

/* ---- lazy state ---------------------------------------------------------------------------------------- */

static host_register where_nz(lazy_nz nz) {
    return nz == NZ_A ? A : nz == NZ_X ? X : nz == NZ_Y ? Y : NZ;
}

static void nz_is(emitter *e, lazy_nz where) { e->now.nz = where; }

/* Leaves the host's flags alone. */
static void add_time(emitter *e, int32_t cycles) {
    if (cycles) add_constant(e, TIME, TIME, cycles * 0x10000);
}

/* Store what is lazy; leaves the host's flags alone. */
static void store_lazy(emitter *e, lazy_state lazy) {
    add_time(e, (int32_t)lazy.cycles);
    if (lazy.nz != NZ_STORED) move(e, NZ, where_nz(lazy.nz));
    if (lazy.c != C_STORED) constant(e, C, lazy.c == C_SET);
}

void host_settle(emitter *e) {
    store_lazy(e, e->now);
    e->now = (lazy_state){0};
}

/* Add the lazy cycles alone. */
static void settle_time(emitter *e) {
    add_time(e, (int32_t)e->now.cycles);
    e->now.cycles = 0;
}

static uint32_t pc_of(const emitter *e, uint32_t offset) { return (e->space->base + offset) & 0xFFFFu; }

static void exit_at(emitter *e, uint32_t why, uint32_t offset) {
    constant(e, T0, why | pc_of(e, offset));
    jump_to_stub(e, e->stubs.exit);
}

/* Leave the present instruction to the plain core on a condition; its time must not have been touched. */
static void leave_if(emitter *e, test t) {
    e->leave_from[e->leaves] = (uint8_t)e->into;
    e->leave_at[e->leaves++] = e->buffer[e->into].size;
    word(e, t);
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

/* Set the host's flags: IF_NOT_BELOW if the time, which is settled, or the log's room is short. */
static void look_at_time(emitter *e) {
    field(e, LOADING, WORD, U0, PLACE(translated.limit));
    field(e, LOADING, DOUBLE, U1, PLACE(translated.log_full));
    compare_registers(e, TIME, U0);
    /* ccmp LOGGED, U1, C, lo: if not below already, let the flags say so again */
    word(e, 0xFA400000u | (uint32_t)U1 << 16 | 3u << 12 | (uint32_t)LOGGED << 5 | 2u);
}

void host_leader(emitter *e) { (void)e; }

/* Look at the time before going on at `offset`, in HOT. */
static void exit_if_late(emitter *e, uint32_t offset, lazy_state lazy) {
    look_at_time(e);
    freeze_if(e, IF_NOT_BELOW);
    store_lazy(e, lazy);
    exit_at(e, EXIT_LOOKUP, offset);
    thaw(e);
}

void host_check(emitter *e) {
    settle_time(e);
    exit_if_late(e, e->offset, e->now);
}

/* All is settled. */
void host_jump(emitter *e, uint32_t offset) {
    if (!e->space->instructions[offset].known) {
        exit_at(e, EXIT_LOOKUP, offset);
        return;
    }
    jump_to_fixup(e, JUMP, TO_LEADER, 0, offset);
}

/* The same for one that may go back. */
static void checked_jump(emitter *e, uint32_t offset) {
    exit_if_late(e, offset, (lazy_state){0});
    host_jump(e, offset);
}

/* ---- calls --------------------------------------------------------------------------------------------- */

/* Call a C function with T0 and T1; all is settled but flags.  The result is in T0. */
static void call_helper(emitter *e, helper which) {
    jump_to_fixup(e, CALL, TO_STUB, 0, e->stubs.helper[which]);
}

/* With the lazy cycles added for its time only, as in COLD. */
static void call_in_passing(emitter *e, helper which) {
    add_time(e, (int32_t)e->now.cycles);
    call_helper(e, which);
    add_time(e, -(int32_t)e->now.cycles);
}

/* Leave after the present instruction if T0 is not 0: the frame has ended. */
static void leave_if_stopped(emitter *e, uint32_t next) {
    if (e->into == COLD) {
        uint32_t over = jump_ahead(e, if_zero(T0));
        store_lazy(e, e->now);
        exit_at(e, EXIT_DONE, next);
        land(e, over);
    } else {
        freeze_if(e, if_not_zero(T0));
        store_lazy(e, e->now);
        exit_at(e, EXIT_DONE, next);
        thaw(e);
    }
}

/* What C functions do not keep. */
static void load_bases(emitter *e) {
    add_constant_to(e, WIDE, MACHINE, RAM, -PLACE(s.ram));
    add_constant_to(e, WIDE, TRANSLATED, RAM, PLACE(translated) - PLACE(s.ram));
    constant64(e, ROM, (uint64_t)(uintptr_t)e->rom->data);
}

static void load_time_and_log(emitter *e) {
    field(e, LOADING, DOUBLE, LOGGED, PLACE(translated.logged));
    field(e, LOADING, WORD, TIME, STATE(time));
    shift_left(e, TIME, TIME, 16);
}
static void store_time_and_log(emitter *e) {
    shift_right(e, U1, TIME, 16);
    field(e, STORING, WORD, U1, STATE(time));
    field(e, STORING, DOUBLE, LOGGED, PLACE(translated.logged));
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
    load_field(e, A, STATE(a));
    load_field(e, X, STATE(x));
    load_field(e, Y, STATE(y));
    load_field(e, S, STATE(sp));
    load_field(e, C, STATE(c));
    load_field(e, V, STATE(v));
    field(e, LOADING, WORD, NZ, PLACE(translated.nz));
    load_time_and_log(e);
    jump_register(e, W1);

    e->stubs.miss = e->buffer[HOT].size;
    logic(e, ORR, T0, T0, EXIT_LOOKUP);
    e->stubs.exit = e->buffer[HOT].size;
    field(e, STORING, HALF, T0, STATE(pc));
    store_field(e, A, STATE(a));
    store_field(e, X, STATE(x));
    store_field(e, Y, STATE(y));
    store_field(e, S, STATE(sp));
    store_field(e, C, STATE(c));
    store_field(e, V, STATE(v));
    field(e, STORING, WORD, NZ, PLACE(translated.nz));
    store_time_and_log(e);
    for (int i = 0; i < KEPT; i += 2)
        pair(e, LOAD_PAIR, (host_register)(W19 + i), (host_register)(W20 + i), 16 + 8 * i);
    pair(e, POP_PAIR, FRAME, LINK, FRAME_BYTES);
    go_back(e);
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

#endif
