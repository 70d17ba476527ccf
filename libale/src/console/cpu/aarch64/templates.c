/* Templates for AArch64: jumps, and every instruction.
 *
 * All registers of the 6502 stay in registers of the host, those of eight bits with zeros above.  The templates
 * are one compilation unit in several files, as those for x86-64 are; but NZ is decided by these registers alone,
 * never by the host's flags.
 *
 * Code becomes known to other threads by a release store of its entry, after the caches have been told of it
 * (executable_append).  No core can hold older instructions of its addresses: nothing was ever mapped there.
 * Its pages do not ask for landing pads (BTI), so every instruction may be jumped to. */
#include "../emitter.h"

#ifdef HOST_AARCH64

#include "stores.h"

const bool host_translates = true;

/* ---- jumps --------------------------------------------------------------------------------------------- */

/* Whether a branch is taken. */
static test branch_test(emitter *e, operation name) {
    const host_register where = where_nz(e->now.nz);
    const bool known = e->now.nz != NZ_STORED; /* then it is a byte */
    switch (name) {
        case OP_BPL:
        case OP_BMI:
            test_constant(e, where, known ? 0x80 : 0x180);
            return name == OP_BPL ? IF_ZERO : IF_NOT_ZERO;
        case OP_BVC: return if_zero(V);
        case OP_BVS: return if_not_zero(V);
        case OP_BCC: return if_zero(C);
        case OP_BCS: return if_not_zero(C);
        default:
            if (known) return name == OP_BNE ? if_not_zero(where) : if_zero(where);
            test_constant(e, where, 0xFF);
            return name == OP_BNE ? IF_NOT_ZERO : IF_ZERO;
    }
}

/* What a taken branch does. */
static void take_branch(emitter *e, uint32_t target, uint32_t extra) {
    lazy_state taken = e->now;
    taken.cycles += extra;
    store_lazy(e, taken);
    if (target >= e->space->window)
        host_far_jump(e, (uint16_t)pc_of(e, target));
    else if (target > e->offset)
        host_jump(e, target);
    else
        checked_jump(e, target);
}

/* False when it is always taken. */
static bool branch(emitter *e, const instruction *i) {
    const operation name = (operation)i->operation;
    const uint32_t extra = i->crosses ? 2 : 1, target = i->operand;
    if ((name == OP_BCC || name == OP_BCS) && e->now.c != C_STORED) { /* known: always or never */
        if ((e->now.c == C_SET) != (name == OP_BCS)) return true;
        take_branch(e, target, extra);
        return false;
    }
    test taken = branch_test(e, name);
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

/* To the stub `miss` if the time, which is settled, is short; T0 holds the program counter. */
static void miss_if_late(emitter *e) {
    look_at_time(e);
    jump_to_stub_if(e, IF_NOT_BELOW, e->stubs.miss);
}

/* Through a table of spaces: `first` is the one of bank 0 or the only one, T1 the bank's distance in spaces. */
static void load_table_entry(emitter *e, uint32_t first, bool by_bank) {
    constant64(e, T2, (uint64_t)(uintptr_t)&e->tables[first]);
    if (by_bank)
        indexed(e, LOADING, DOUBLE, T2, T2, T1, true);
    else
        memory(e, LOADING, DOUBLE, T2, T2, 0);
}

static void jump_to_entry(emitter *e, uint32_t offset) {
    memory(e, LOADING, DOUBLE, T2, T2, (int32_t)(8 * offset));
    jump_register(e, T2);
}

/* T1 = a field, the number of a bank, in spaces. */
static void load_bank(emitter *e, int32_t at) {
    load_field(e, T1, at);
    shift_left(e, T1, T1, 3);
}

/* After an access that may have changed the bank: to the next instruction of the one that is mapped now. */
static void jump_after_hotspot(emitter *e, uint32_t next) {
    const uint16_t address = (uint16_t)pc_of(e, next);
    host_settle(e);
    if (e->code->by_address) { /* it has not */
        exit_at(e, EXIT_LOOKUP, next);
        return;
    }
    constant(e, T0, address);
    miss_if_late(e);
    load_bank(e, e->code->sliced ? PLACE(s.cartridge.slice) + (address >> 10 & 3) : PLACE(s.cartridge.bank));
    load_table_entry(e, space_number(e->code, 0, address), true);
    jump_to_entry(e, address & (e->code->window - 1));
}

void host_far_jump(emitter *e, uint16_t address) {
    const cpu_code *code = e->code;
    uint32_t bank = e->space->bank;
    if (!(address & 0x1000)) { /* no ROM */
        constant(e, T0, EXIT_LOOKUP | (uint32_t)address);
        jump_to_stub(e, e->stubs.exit);
        return;
    }
    constant(e, T0, address);
    miss_if_late(e);
    if (code->sliced && (address >> 10 & 3) != 3) {
        load_bank(e, PLACE(s.cartridge.slice) + (address >> 10 & 3));
        load_table_entry(e, space_number(code, 0, address), true);
    } else {
        if (code->sliced) bank = 7;
        if (code->by_address) bank = address & 0x2000 ? 0 : 1;
        load_table_entry(e, space_number(code, bank, address), false);
    }
    jump_to_entry(e, address & (code->window - 1));
}

static bool is_in_ram(uint16_t address) { return (address & 0x1280) == 0x0080; }
/* Code in the TIA sees what the bus held before, which the plain core alone knows. */
static bool is_executable(uint16_t address) { return address & 0x1000 || is_in_ram(address); }

static void jump_to(emitter *e, uint16_t address, bool forward_unchecked) {
    host_settle(e);
    if ((address & (uint16_t)~(e->space->window - 1)) != e->space->base) {
        host_far_jump(e, address);
        return;
    }
    uint32_t offset = address & (e->space->window - 1);
    if (forward_unchecked && offset > e->offset)
        host_jump(e, offset);
    else
        checked_jump(e, offset);
}

/* To the address in T0. */
static void jump_anywhere(emitter *e) {
    const cpu_code *code = e->code;
    uint32_t first = 0;
    miss_if_late(e);
    test_constant(e, T0, 0x1000);
    jump_to_stub_if(e, IF_ZERO, e->stubs.miss);
    shift_right(e, T1, T0, 13);
    if (code->sliced) {
        bitfield(e, T2, T0, 10, 11); /* the slot */
        load_slice_number(e, SCRATCH, T2);
        between_shifted(e, ADD, T2, SCRATCH, T2, 3); /* slot * 8 + slice */
        between_shifted(e, ADD, T1, T1, T2, 3);
    } else if (code->by_address) {
        logic(e, EOR, T2, T1, 1);
        and_constant(e, T2, T2, 1);
        between_shifted(e, ADD, T1, T1, T2, 3);
    } else {
        first = e->space->bank * LANES;
    }
    load_table_entry(e, first, true);
    and_constant(e, T1, T0, code->window - 1);
    indexed(e, LOADING, DOUBLE, T2, T2, T1, true);
    jump_register(e, T2);
}

/* Leave unless T0 and, with `more` 1, the address after it are quiet; T1 changes. */
static void require_quiet(emitter *e, uint32_t more) {
    const cpu_code *code = e->code;
    test_constant(e, T0, 0x1000);
    leave_if(e, IF_ZERO);
    if (!code->low && code->span == 4096 && !more) return;
    and_constant(e, T1, T0, 0xFFF);
    if (code->low) add_constant(e, T1, T1, -(int32_t)code->low);
    compare_constant(e, T1, code->span - more);
    leave_if(e, IF_NOT_BELOW);
}

/* Leave if S is outside a range; T1 = its distance from the least. */
static void require_stack(emitter *e, unsigned least, unsigned most) {
    add_constant(e, T1, S, -(int32_t)least);
    compare_constant(e, T1, most - least);
    leave_if(e, IF_ABOVE);
}

static void flags_from_status(emitter *e) { /* in T0; T1 changes */
    and_constant(e, C, T0, 1);
    take_bit(e, V, T0, 6);
    take_bit(e, T1, T0, 3);
    store_field(e, T1, STATE(d));
    take_bit(e, T1, T0, 2);
    store_field(e, T1, STATE(i));
    n_from_t0(e);
    logic(e, EOR, T0, T0, 2);
    and_constant(e, T0, T0, 2);
    between(e, ORR, NZ, NZ, T0);
    e->now.c = C_STORED;
    nz_is(e, NZ_STORED);
}

/* T1 = the status register; T0 changes. */
static void status_to_t1(emitter *e) {
    host_register where = where_nz(e->now.nz);
    shift_left(e, T1, V, 6);
    logic(e, ORR, T1, T1, 0x30);
    if (e->now.c == C_STORED)
        between(e, ORR, T1, T1, C);
    else if (e->now.c == C_SET)
        logic(e, ORR, T1, T1, 1);
    load_field(e, T0, STATE(d));
    between_shifted(e, ORR, T1, T1, T0, 3);
    load_field(e, T0, STATE(i));
    between_shifted(e, ORR, T1, T1, T0, 2);
    shift_right(e, T0, where, 1);
    between(e, ORR, T0, T0, where); /* bit 7: N */
    and_constant(e, T0, T0, 0x80);
    between(e, ORR, T1, T1, T0);
    test_constant(e, where, 0xFF);
    set_if(e, IF_ZERO, T0);
    between_shifted(e, ORR, T1, T1, T0, 1);
}

/* Push T1; below RAM the stack is in the TIA. */
static void push(emitter *e) {
    move(e, T0, S);
    add_constant(e, S, S, -1);
    byte_of(e, S, S);
    compare_constant(e, T0, 0x80);
    freeze_if(e, IF_BELOW);
    write_in_passing(e, HELP_TIA_WRITE, e->offset + 1);
    uint32_t back = jump_back(e);
    ram_at(e, STORING, BYTE, T1, T0, -0x80);
    land_back(e, back);
}

/* Pull into T0 from the stack in RAM; from the TIA by a helper, which reads where the stack points first. */
static void pull(emitter *e) {
    add_constant(e, T0, S, -0x80);
    compare_constant(e, T0, 0x7E);
    freeze_if(e, IF_ABOVE);
    compare_constant(e, S, 0x7E);
    leave_if(e, IF_ABOVE);
    move(e, T0, S);
    add_constant(e, S, S, 1);
    call_in_passing(e, HELP_PULL_TIA);
    uint32_t back = jump_back(e);
    add_constant(e, S, S, 1);
    ram_at(e, LOADING, BYTE, T0, T0, 1);
    land_back(e, back);
}

/* Push an address on the stack, which is in RAM. */
static void push_address(emitter *e, uint32_t address) {
    constant(e, T0, address);
    ram_at(e, STORING, HALF, T0, S, -0x81);
    add_constant(e, S, S, -2);
}

/* ---- the instructions ---------------------------------------------------------------------------------- */

/* to = from, with flags. */
static void transfer(emitter *e, host_register to, host_register from) {
    move(e, to, from);
    nz_is(e, to == A ? NZ_A : to == X ? NZ_X : NZ_Y);
}

static bool reads(emitter *e, const instruction *i) {
    const operation what = (operation)i->operation;
    const bool loads = what == OP_LDA || what == OP_LDX || what == OP_LDY || what == OP_LAX;
    const host_register reg = what == OP_LDX || what == OP_CPX   ? X
                              : what == OP_LDY || what == OP_CPY ? Y
                                                                 : A;
    operand o;
    if (what == OP_NOP && (i->place == NOWHERE || i->place == IS_CONSTANT || i->place == IN_RAM)) return true;
    if (what > OP_LAX || !read_operand(e, i, loads ? reg : T0, &o)) return false; /* the rarest of all */
    switch (what) {
        case OP_ADC: add(e, &o, false); break;
        case OP_SBC: add(e, &o, true); break;
        case OP_AND: operate(e, AND, &o); break;
        case OP_ORA: operate(e, ORR, &o); break;
        case OP_EOR: operate(e, EOR, &o); break;
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

static bool writes(emitter *e, const instruction *i) {
    switch ((operation)i->operation) {
        case OP_STA: return store(e, i, A);
        case OP_STX: return store(e, i, X);
        case OP_STY: return store(e, i, Y);
        case OP_SAX:
            between(e, AND, SCRATCH, A, X);
            return store(e, i, SCRATCH);
        default: return false; /* SHA and its kind */
    }
}

static bool changes(emitter *e, const instruction *i) {
    static const operand changed = {REGISTER, 0};
    const operation what = (operation)i->operation;
    if (i->place == IN_ACCUMULATOR) {
        change(e, what, A);
        nz_is(e, NZ_A);
        return true;
    }
    if (!modify(e, i)) return false;
    nz_is(e, NZ_STORED);
    if (what <= OP_ROR) return true;
    move(e, T0, NZ);
    switch (what) { /* the rest of a combined operation */
        case OP_SLO: operate(e, ORR, &changed); break;
        case OP_RLA: operate(e, AND, &changed); break;
        case OP_SRE: operate(e, EOR, &changed); break;
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
            memory(e, LOADING, HALF, T0, RAM, i->operand & 0x7F);
            require_quiet(e, 0);
            host_settle(e);
            jump_anywhere(e);
            return true;
        case OP_JSR:
            if (!is_executable(i->operand)) return false;
            compare_constant(e, S, 0x81);
            leave_if(e, IF_BELOW);
            push_address(e, pc_of(e, e->offset + 2));
            jump_to(e, i->operand, false);
            return true;
        case OP_RTS:
            require_stack(e, 0x80, 0xFD);
            ram_at(e, LOADING, HALF, T0, T1, 1);
            require_quiet(e, 1);
            add_constant(e, S, S, 2);
            add_constant(e, T0, T0, 1);
            host_settle(e);
            jump_anywhere(e);
            return true;
        case OP_RTI:
            require_stack(e, 0x80, 0xFC);
            ram_at(e, LOADING, HALF, T0, T1, 2);
            require_quiet(e, 0);
            move(e, T2, T0);
            ram_at(e, LOADING, BYTE, T0, S, 1 - 0x80);
            flags_from_status(e);
            move(e, T0, T2);
            add_constant(e, S, S, 3);
            host_settle(e);
            jump_anywhere(e);
            return true;
        default: /* BRK */
            if (i->place != IS_TARGET || !is_executable(i->operand)) return false;
            compare_constant(e, S, 0x82);
            leave_if(e, IF_BELOW);
            status_to_t1(e);
            ram_at(e, STORING, BYTE, T1, S, -0x82);
            push_address(e, pc_of(e, e->offset + 2));
            add_constant(e, S, S, -1);
            set_field(e, STATE(i), 1);
            jump_to(e, i->operand, false);
            return true;
    }
}

static bool inside(emitter *e, const instruction *i) {
    const operation what = (operation)i->operation;
    if (i->wait) { /* DEX or DEY, and BNE back to it: all turns at once */
        const host_register reg = what == OP_DEX ? X : Y;
        change(e, OP_DEC, reg);
        constant(e, U1, (5u + (i->wait & WAIT_HOW)) << 16);
        multiply_add(e, TIME, reg, U1, TIME);
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
        case OP_INX: change(e, OP_INC, X), nz_is(e, NZ_X); return true;
        case OP_INY: change(e, OP_INC, Y), nz_is(e, NZ_Y); return true;
        case OP_DEX: change(e, OP_DEC, X), nz_is(e, NZ_X); return true;
        case OP_DEY: change(e, OP_DEC, Y), nz_is(e, NZ_Y); return true;
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
        case OP_TXS: move(e, S, X); return true;
        case OP_CLC: e->now.c = C_CLEAR; return true;
        case OP_SEC: e->now.c = C_SET; return true;
        case OP_CLV: constant(e, V, 0); return true;
        case OP_CLD: set_field(e, STATE(d), 0); return true;
        case OP_SED: set_field(e, STATE(d), 1); return true;
        case OP_CLI: set_field(e, STATE(i), 0); return true;
        case OP_SEI: set_field(e, STATE(i), 1); return true;
        default: return false; /* JAM */
    }
}

/* A load of INTIM and a branch back to it: as many turns as surely come. */
static void wait_for_timer(emitter *e, const instruction *i) {
    settle_time(e);
    constant(e, T0, i->wait & WAIT_HOW);
    call_helper(e, HELP_WAIT_INTIM);
    transfer(e, i->operation == OP_LDA ? A : i->operation == OP_LDX ? X : Y, T0);
}

bool host_instruction(emitter *e, const instruction *i) {
    bool done = true, falls = true;
    e->before = e->now;
    e->now.cycles += i->cycles;
    switch (i->known ? cpu_kinds[i->operation] : (operation_kind)-1) {
        case READS:
            if (i->wait)
                wait_for_timer(e, i);
            else
                done = reads(e, i);
            break;
        case WRITES: done = writes(e, i); break;
        case CHANGES: done = i->place != AT_HOTSPOT && changes(e, i); break;
        case BRANCHES: /* out of the last slice to the TIA: there opcodes come from the bus */
            done = is_executable((uint16_t)pc_of(e, i->operand));
            if (done) falls = branch(e, i);
            break;
        case JUMPS: done = jumps(e, i), falls = false; break;
        case INSIDE: done = inside(e, i); break;
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

#endif
