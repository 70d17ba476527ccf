/* Ways through the code of a stretch; what it has not done yet; leaving it, and calling C from it. */
#ifndef ALE_TEMPLATES_STATE_H
#define ALE_TEMPLATES_STATE_H

/* ---- jumps in the code of a stretch -------------------------------------------------------------------- */

/* A jump forward in the same buffer, to be landed. */
static uint32_t jump_ahead(emitter *e, condition c) { return jump_if(e, c); }
static uint32_t jump_over(emitter *e) { return jump(e); }
static void land(emitter *e, uint32_t from) {
    code_buffer *b = &e->buffer[e->into];
    if (!e->failed && !host_fix(b->bytes + from, from, b->size)) e->failed = true;
}

/* A jump into COLD, which then grows, until thaw(). */
static void freeze_from(emitter *e, uint32_t jump) {
    emit_fixup(e, jump, TO_BUFFER, COLD, e->buffer[COLD].size);
    e->into = COLD;
}
static void freeze_if(emitter *e, condition c) { freeze_from(e, jump_if(e, c)); }
static void freeze(emitter *e) { freeze_from(e, jump(e)); }
static void thaw(emitter *e) { e->into = HOT; }
/* The same, going back to where land_back() is told to. */
static uint32_t jump_back(emitter *e) {
    emit_fixup(e, jump(e), TO_BUFFER, HOT, 0);
    e->into = HOT;
    return e->fixup_count - 1;
}
static void land_back(emitter *e, uint32_t jump) {
    if (!e->failed) e->fixups[jump].target = e->buffer[HOT].size;
}
/* The same, going back to where HOT is now. */
static void thaw_and_return(emitter *e) { land_back(e, jump_back(e)); }

static void jump_to_stub(emitter *e, uint32_t stub) { emit_fixup(e, jump(e), TO_STUB, 0, stub); }
static void jump_to_stub_if(emitter *e, condition c, uint32_t stub) {
    emit_fixup(e, jump_far_if(e, c), TO_STUB, 0, stub);
}

/* ---- lazy state ---------------------------------------------------------------------------------------- */

/* N and Z are those of a register; with `flags` the host's own flags show them, too. */
static void nz_is(emitter *e, lazy_nz where, bool flags) {
    e->now.nz = where;
    e->flags_nz = flags;
}

/* Leaves the host's flags alone. */
static void add_time(emitter *e, int32_t cycles) {
    if (cycles) add_constant(e, TIME, TIME, cycles * 0x10000);
}

/* to = TIME with the lazy cycles. */
static void load_time(emitter *e, host_register to) { add_constant(e, to, TIME, (int32_t)(e->now.cycles << 16)); }

/* Store what is lazy; leaves the host's flags alone. */
static void store_lazy(emitter *e, lazy_state lazy) {
    add_time(e, (int32_t)lazy.cycles);
    if (lazy.nz != NZ_STORED) move(e, NZ, where_nz(lazy.nz));
    if (lazy.c != C_STORED) constant(e, C, lazy.c == C_SET);
}

void emit_flush(emitter *e) {
    store_lazy(e, e->now);
    e->now = (lazy_state){0};
}

/* Add the lazy cycles alone. */
static void flush_time(emitter *e) {
    add_time(e, (int32_t)e->now.cycles);
    e->now.cycles = 0;
}

/* ---- DPC ----------------------------------------------------------------------------------------------- */

/* DPC's shift register after some accesses of the chip; T1 changes. */
static void clock_dpc_random(emitter *e, unsigned accesses) {
    load_field(e, T1, PLACE(s.cartridge.dpc.random));
    for (unsigned i = 0; i < accesses; i++) load_rom_at(e, T1, T1, (int32_t)e->rom->table);
    store_field(e, T1, PLACE(s.cartridge.dpc.random));
}

/* The bytes of the present instruction have been read. */
static void clock_dpc_by_code(emitter *e, const instruction *i) {
    e->clocked = i->known && i->clocks;
    if (!e->clocked) return;
    load_field(e, T1, PLACE(s.cartridge.dpc.random));
    store_field(e, T1, PLACE(translated.dpc_random));
    clock_dpc_random(e, i->clocks);
}

/* As before the present instruction, which will be begun again. */
static void restore_dpc_random(emitter *e) {
    if (!e->clocked) return;
    load_field(e, T1, PLACE(translated.dpc_random));
    store_field(e, T1, PLACE(s.cartridge.dpc.random));
}

/* ---- leaving ------------------------------------------------------------------------------------------- */

static uint32_t pc_of(const emitter *e, uint32_t offset) { return (e->space->base + offset) & 0xFFFFu; }

static void exit_at(emitter *e, uint32_t why, uint32_t offset) {
    constant(e, T0, why | pc_of(e, offset));
    jump_to_stub(e, e->stub.exit);
}

/* Code in RAM: go on only while the bytes that an instruction was made of are there. */
static void guard(emitter *e, unsigned count) {
    const uint8_t *bytes = e->space->ram + e->offset;
    uint32_t changed[2];
    unsigned jumps = 0;
    if (count & 1) {
        load_ram(e, BYTE, T0, e->offset);
        changed[jumps++] = jump_if(e, opposite(if_equal(e, T0, bytes[0])));
    }
    if (count & 2) {
        const unsigned first = count & 1;
        load_ram(e, HALF, T0, e->offset + first);
        changed[jumps++] = jump_if(e, opposite(if_equal(e, T0, bytes[first] | (uint32_t)bytes[first + 1] << 8)));
    }
    for (unsigned i = 0; i < jumps; i++) emit_fixup(e, changed[i], TO_BUFFER, COLD, e->buffer[COLD].size);
    e->into = COLD;
    store_lazy(e, e->now);
    exit_at(e, EXIT_LOOKUP, e->offset);
    thaw(e);
    e->flags_nz = false;
}

/* Leave the present instruction to the plain core on a condition; its time must not have been touched. */
static void leave_if(emitter *e, condition c) {
    e->leave_from[e->leaves] = (uint8_t)e->into;
    e->leave_at[e->leaves++] = jump_if(e, c);
}

static void emit_leaves(emitter *e) {
    if (!e->leaves) return;
    const unsigned into = e->into;
    const uint32_t target = e->buffer[COLD].size;
    for (unsigned i = 0; i < e->leaves; i++) {
        e->into = e->leave_from[i];
        emit_fixup(e, e->leave_at[i], TO_BUFFER, COLD, target);
    }
    e->leaves = 0;
    e->into = COLD;
    store_lazy(e, e->before);
    restore_dpc_random(e);
    exit_at(e, EXIT_LEAVE, e->offset);
    e->into = into;
}

void emit_leader(emitter *e) { e->flags_nz = false; }

void emit_check(emitter *e) {
    flush_time(e);
    jump_if_late(e, TO_BUFFER, COLD, e->buffer[COLD].size);
    e->into = COLD;
    store_lazy(e, e->now);
    exit_at(e, EXIT_LOOKUP, e->offset);
    thaw(e);
    e->flags_nz = false;
}

/* All is flushed. */
void emit_jump(emitter *e, uint32_t offset) {
    if (e->space->instructions[offset].known)
        emit_fixup(e, jump(e), TO_LEADER, 0, offset);
    else
        exit_at(e, EXIT_LOOKUP, offset);
}

/* The same for one that may go back. */
static void checked_jump(emitter *e, uint32_t offset) {
    const uint32_t late = e->buffer[COLD].size;
    if (e->space->instructions[offset].known)
        jump_unless_late(e, offset, late);
    else
        emit_fixup(e, jump(e), TO_BUFFER, COLD, late);
    e->into = COLD;
    exit_at(e, EXIT_LOOKUP, offset);
    thaw(e);
}

/* ---- calls --------------------------------------------------------------------------------------------- */

/* Call a C function with T0 and T1; all is flushed but flags.  The result is in T0. */
static void call_helper(emitter *e, helper which) { emit_fixup(e, call(e), TO_STUB, 0, e->stub.helper[which]); }

/* With the lazy cycles added for its time only, as in COLD. */
static void call_in_passing(emitter *e, helper which) {
    add_time(e, (int32_t)e->now.cycles);
    call_helper(e, which);
    add_time(e, -(int32_t)e->now.cycles);
}

/* Leave after the present instruction if T0 is not 0: the frame has ended. */
static void leave_if_stopped(emitter *e, uint32_t next) {
    const condition goes_on = if_zero(e, T0);
    const bool cold = e->into == COLD;
    uint32_t over = 0;
    if (cold)
        over = jump_ahead(e, goes_on);
    else
        freeze_if(e, opposite(goes_on));
    store_lazy(e, e->now);
    exit_at(e, EXIT_DONE, next);
    if (cold)
        land(e, over);
    else
        thaw(e);
}

/* A call of a helper that writes T1 to T0 and may end the frame; the clock is then as lazy as before. */
static void write_in_passing(emitter *e, helper which, uint32_t next) {
    const lazy_state now = e->now;
    flush_time(e);
    call_helper(e, which);
    leave_if_stopped(e, next);
    add_time(e, -(int32_t)now.cycles);
    e->now = now;
}

#endif
