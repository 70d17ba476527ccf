/* Templates: what every instruction of the 6502 becomes, said once for all hosts.
 *
 * All registers of the 6502 stay in registers of the host.  This is one compilation unit in several files: the host's
 * (hosts/), which defines the words of primitives.h, then state.inc, operands.inc, stores.inc and this one. */
#include <string.h>

#include "../../../cartridge/dpc.h"
#include "../../../machine.h"
#include "../../../video/tia.h"
#include "../emitter.h"

#if defined(HOST_X86_64)
#include "../hosts/x86_64.inc"
#elif defined(HOST_AARCH64)
#include "../hosts/aarch64.inc"
#endif

#ifdef HOST

#include "state.inc"
#include "operands.inc"
#include "stores.inc"

const bool host_translates = true;

/* ---- jumps --------------------------------------------------------------------------------------------- */

/* On which a branch is taken. */
static condition branch_condition(emitter *e, operation name, bool flags) {
    switch (name) {
        case OP_BMI: return if_minus(e, flags);
        case OP_BPL: return opposite(if_minus(e, flags));
        case OP_BVC: return if_zero(e, V);
        case OP_BVS: return opposite(if_zero(e, V));
        case OP_BCC: return if_zero(e, C);
        case OP_BCS: return opposite(if_zero(e, C));
        case OP_BEQ: return if_result_zero(e, flags);
        default: return opposite(if_result_zero(e, flags));
    }
}

/* What a taken branch does. */
static void take_branch(emitter *e, uint32_t target, uint32_t extra) {
    lazy_state taken = e->now;
    taken.cycles += extra;
    store_lazy(e, taken);
    if (target >= e->space->window)
        emit_far_jump(e, (uint16_t)pc_of(e, target));
    else if (target > e->offset)
        emit_jump(e, target);
    else
        checked_jump(e, target);
}

/* Whether a target is a leader further on in this space. */
static bool is_leader_ahead(const emitter *e, uint32_t target) {
    return target > e->offset && target < e->space->window && e->space->instructions[target].known;
}

/* Branch straight to a leader.  All is stored before it, as if it were taken; if it is not, its `extra` cycles are
 * subtracted later. */
static void branch_ahead(emitter *e, operation name, bool flags, uint32_t target, uint32_t extra) {
    lazy_state taken = e->now;
    taken.cycles += extra;
    store_lazy(e, taken);
    emit_fixup(e, jump_far_if(e, branch_condition(e, name, flags)), TO_LEADER, 0, target);
    e->now.cycles = 0u - extra;
    e->now.nz = NZ_STORED;
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
    if (is_leader_ahead(e, target)) {
        branch_ahead(e, name, flags, target, extra);
        return true;
    }
    const condition taken = branch_condition(e, name, flags);
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

/* To the stub `miss` if the time, which is flushed, is short; T0 holds the program counter. */
static void miss_if_late(emitter *e) { jump_if_late(e, TO_STUB, 0, e->stub.miss); }

/* To an address in the bank or slice that a field tells. */
static void jump_to_mapped(emitter *e, uint16_t address, int32_t field) {
    load_field(e, T1, field);
    jump_to_entry(e, space_number(e->code, 0, address), true, address & (e->code->window - 1));
}

static int32_t slice_of(uint16_t address) { return PLACE(s.cartridge.slice) + (address >> 10 & 3); }

/* After an access that may have changed the bank: to the next instruction of the one that is mapped now. */
static void jump_after_hotspot(emitter *e, uint32_t next) {
    const uint16_t address = (uint16_t)pc_of(e, next);
    emit_flush(e);
    if (e->code->by_address) { /* it has not */
        exit_at(e, EXIT_LOOKUP, next);
        return;
    }
    constant(e, T0, address);
    miss_if_late(e);
    jump_to_mapped(e, address, e->code->sliced ? slice_of(address) : PLACE(s.cartridge.bank));
}

void emit_far_jump(emitter *e, uint16_t address) {
    const cpu_code *code = e->code;
    uint32_t bank = e->space->bank;
    if (cpu_is_ram_code(address)) {
        constant(e, T0, address);
        miss_if_late(e);
        jump_to_entry(e, space_count(code), false, address & (RAM_SIZE - 1));
        return;
    }
    if (!(address & 0x1000)) { /* no ROM */
        constant(e, T0, EXIT_LOOKUP | (uint32_t)address);
        jump_to_stub(e, e->stub.exit);
        return;
    }
    constant(e, T0, address);
    miss_if_late(e);
    if (code->sliced && (address >> 10 & 3) != 3) {
        jump_to_mapped(e, address, slice_of(address));
        return;
    }
    if (!code->sliced && e->space->ram) {
        jump_to_mapped(e, address, PLACE(s.cartridge.bank));
        return;
    }
    if (code->sliced) bank = 7;
    if (code->by_address) bank = address & 0x2000 ? 0 : 1;
    jump_to_entry(e, space_number(code, bank, address), false, address & (code->window - 1));
}

static bool is_in_ram(uint16_t address) { return (address & 0x1280) == 0x0080; }
/* Code in the TIA sees what the bus held before, which the plain core alone knows. */
static bool is_executable(uint16_t address) { return address & 0x1000 || is_in_ram(address); }

static void jump_to(emitter *e, uint16_t address, bool forward_unchecked) {
    emit_flush(e);
    if ((address & (uint16_t) ~(e->space->window - 1)) != e->space->base) {
        emit_far_jump(e, address);
        return;
    }
    uint32_t offset = address & (e->space->window - 1);
    if (forward_unchecked && offset > e->offset)
        emit_jump(e, offset);
    else
        checked_jump(e, offset);
}

/* To the address in T0. */
static void jump_anywhere(emitter *e) {
    const cpu_code *code = e->code;
    miss_if_late(e);
    jump_to_stub_if(e, opposite(if_bits(e, T0, 0x1000)), e->stub.miss);
    if (code->sliced) {
        take_bits(e, T1, T0, 10, 2); /* the slot */
        load_field_at(e, T2, PLACE(s.cartridge.slice), T1);
        add_shifted(e, T2, T2, T1, 3); /* slot * 8 + slice */
        shift_right(e, T1, T0, 13);
        add_shifted(e, T1, T1, T2, 3);
    } else {
        shift_right(e, T1, T0, 13);
        if (code->by_address) {
            combine_constant(e, XOR, T2, T1, 1);
            combine_constant(e, AND, T2, T2, 1);
            add_shifted(e, T1, T1, T2, 3);
        }
    }
    const bool by_bank = !code->sliced && !code->by_address && !e->space->ram;
    if (!code->sliced && e->space->ram) {
        load_field(e, T2, PLACE(s.cartridge.bank));
        add_shifted(e, T1, T1, T2, 3);
    }
    jump_to_entry_of_t0(e, by_bank ? e->space->bank * MIRRORS : 0, code->window - 1);
}

/* Leave unless T0 is in the cartridge.  Where that is not quiet there is no code to jump to. */
static void require_cartridge(emitter *e) { leave_if(e, opposite(if_bits(e, T0, 0x1000))); }

/* Leave unless T0, which RTS reads, and the address after it are quiet; T1 changes. */
static void require_quiet(emitter *e) {
    const cpu_code *code = e->code;
    require_cartridge(e);
    combine_constant(e, AND, T1, T0, 0xFFF);
    if (code->low) add_constant(e, T1, T1, -(int32_t)code->low);
    leave_if(e, opposite(if_below(e, T1, code->span - 1u)));
}

/* Leave if S is outside a range. */
static void require_stack(emitter *e, unsigned least, unsigned most) {
    add_constant(e, T1, S, -(int32_t)least);
    leave_if(e, opposite(if_below(e, T1, most - least + 1)));
}

static void flags_from_status(emitter *e) { /* in T0; T1 changes */
    combine_constant(e, AND, C, T0, 1);
    take_bits(e, V, T0, 6, 1);
    take_bits(e, T1, T0, 3, 1);
    store_field(e, T1, STATE(d));
    take_bits(e, T1, T0, 2, 1);
    store_field(e, T1, STATE(i));
    n_from_t0(e);
    combine_constant(e, XOR, T0, T0, 2);
    combine_constant(e, AND, T0, T0, 2);
    combine(e, OR, NZ, NZ, T0);
    e->now.c = C_STORED;
    nz_is(e, NZ_STORED, false);
}

/* Push A or T1; below RAM the stack is in the TIA. */
static void push(emitter *e, host_register value) {
    freeze_if(e, if_in_tia(e, S));
    move(e, T0, S);
    move(e, T1, value);
    add_constant(e, S, S, -1);
    byte_of(e, S, S);
    write_tia_in_passing(e, e->offset + 1);
    uint32_t back = jump_back(e);
    store_ram_at(e, value, S, -0x80);
    change(e, OP_DEC, S);
    land_back(e, back);
}

/* JSR reads the last byte of its target after it has pushed its address.  In RAM the push may change that byte. */
static void require_target(emitter *e) {
    if (!e->space->ram) return;
    add_constant(e, T1, S, -(int32_t)pc_of(e, e->offset + 2));
    leave_if(e, if_below(e, T1, 2));
}

/* Push an address on the stack, which is in RAM. */
static void push_address(emitter *e, uint32_t address) {
    set_ram_half_at(e, address, S, -0x81);
    add_constant(e, S, S, -2);
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
    const host_register reg = what == OP_LDX || what == OP_CPX ? X : what == OP_LDY || what == OP_CPY ? Y : A;
    operand o;
    if (what == OP_NOP && (i->place == NOWHERE || i->place == IS_CONSTANT || i->place == IN_RAM)) {
        e->flags_nz = flags;
        return true;
    }
    if (what > OP_LAX || !read_operand(e, i, loads ? reg : T0, &o)) return false; /* the rarest of all */
    switch (what) {
        case OP_ADC: add(e, &o, false); break;
        case OP_SBC: add(e, &o, true); break;
        case OP_AND: operate(e, AND, &o), nz_is(e, NZ_A, true); break;
        case OP_ORA: operate(e, OR, &o), nz_is(e, NZ_A, true); break;
        case OP_EOR: operate(e, XOR, &o), nz_is(e, NZ_A, true); break;
        case OP_CMP:
        case OP_CPX:
        case OP_CPY: compare(e, reg, &o), nz_is(e, NZ_STORED, true); break;
        case OP_BIT: bit(e, &o); break;
        case OP_NOP: break;
        default:
            load_operand(e, reg, &o);
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
            combine(e, AND, SCRATCH, A, X);
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
        case OP_SLO: operate(e, OR, &changed), nz_is(e, NZ_A, true); break;
        case OP_RLA: operate(e, AND, &changed), nz_is(e, NZ_A, true); break;
        case OP_SRE: operate(e, XOR, &changed), nz_is(e, NZ_A, true); break;
        case OP_RRA: add(e, &changed, false); break;
        case OP_DCP: compare(e, A, &changed), nz_is(e, NZ_STORED, true); break;
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
            load_ram(e, HALF, T0, i->operand & 0x7F);
            require_cartridge(e);
            emit_flush(e);
            jump_anywhere(e);
            return true;
        case OP_JSR:
            if (!is_executable(i->operand)) return false;
            leave_if(e, if_below(e, S, 0x81));
            require_target(e);
            push_address(e, pc_of(e, e->offset + 2));
            jump_to(e, i->operand, false);
            return true;
        case OP_RTS:
            require_stack(e, 0x80, 0xFD);
            load_ram_at(e, HALF, T0, S, -0x7F);
            require_quiet(e);
            add_constant(e, S, S, 2);
            add_constant(e, T0, T0, 1);
            emit_flush(e);
            jump_anywhere(e);
            return true;
        case OP_RTI:
            require_stack(e, 0x80, 0xFC);
            load_ram_at(e, HALF, T0, S, -0x7E);
            require_cartridge(e);
            move(e, T2, T0);
            load_ram_at(e, BYTE, T0, S, -0x7F);
            flags_from_status(e);
            move(e, T0, T2);
            add_constant(e, S, S, 3);
            emit_flush(e);
            jump_anywhere(e);
            return true;
        default: /* BRK */
            if (i->place != IS_TARGET || !is_executable(i->operand)) return false;
            leave_if(e, if_below(e, S, 0x82));
            status_to_t1(e);
            store_ram_at(e, T1, S, -0x82);
            push_address(e, pc_of(e, e->offset + 2));
            add_constant(e, S, S, -1);
            set_field(e, STATE(i), 1);
            jump_to(e, i->operand, false);
            return true;
    }
}

/* Pull from the stack in RAM; from the TIA by a helper, which reads where the stack points first. */
static void pull(emitter *e, host_register to) {
    add_constant(e, T0, S, -0x80);
    freeze_if(e, opposite(if_below(e, T0, 0x7F)));
    leave_if(e, opposite(if_below(e, S, 0x7F)));
    add_constant(e, T1, S, -8);
    combine_constant(e, AND, T1, T1, 15);
    uint32_t long_way = jump_ahead(e, opposite(if_below(e, T1, 7))); /* not two inputs */
    add_constant(e, S, S, 1);
    read_input(e, 1, true, 0x68);
    uint32_t over = jump_over(e);
    land(e, long_way);
    move(e, T0, S);
    add_constant(e, S, S, 1);
    call_in_passing(e, HELP_PULL_TIA);
    land(e, over);
    move(e, to, T0);
    uint32_t back = jump_back(e);
    add_constant(e, S, S, 1);
    load_ram_at(e, BYTE, to, S, -0x80);
    land_back(e, back);
}

static bool inside(emitter *e, const instruction *i, bool flags) {
    const operation what = (operation)i->operation;
    if (i->wait) { /* DEX or DEY, and BNE back to it: all turns at once */
        const host_register reg = what == OP_DEX ? X : Y;
        change(e, OP_DEC, reg);
        add_turns(e, reg, 5u + (i->wait & WAIT_HOW));
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
            push(e, A);
            return true;
        case OP_PHP:
            status_to_t1(e);
            push(e, T1);
            return true;
        case OP_PLA:
            pull(e, A);
            transfer(e, A, A);
            return true;
        case OP_PLP:
            pull(e, T0);
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
    flush_time(e);
    constant(e, T0, i->wait & WAIT_HOW);
    call_helper(e, HELP_WAIT_INTIM);
    transfer(e, i->operation == OP_LDA ? A : i->operation == OP_LDX ? X : Y, T0);
}

bool emit_instruction(emitter *e, const instruction *i) {
    if (i->known && i->fixed) guard(e, i->fixed);
    const bool flags = e->flags_nz;
    bool done = true, falls = true;
    e->flags_nz = false;
    e->before = e->now;
    e->now.cycles += i->cycles;
    clock_dpc_by_code(e, i);
    switch (i->known ? cpu_kinds[i->operation] : (operation_kind)-1) {
        case READS:
            if (i->wait)
                wait_for_timer(e, i);
            else
                done = reads(e, i, flags);
            break;
        case WRITES: done = writes(e, i, flags); break;
        case CHANGES: done = i->place != AT_HOTSPOT && changes(e, i); break;
        case BRANCHES: /* out of the last slice to the TIA: there opcodes come from the bus */
            done = is_executable((uint16_t)pc_of(e, i->operand));
            if (done) falls = branch(e, i, flags);
            break;
        case JUMPS: done = jumps(e, i), falls = false; break;
        case INSIDE: done = inside(e, i, flags); break;
        default: done = false; break;
    }
    if (!done) { /* nothing has been emitted but what does no harm */
        e->now = e->before;
        e->leaves = 0;
        emit_flush(e);
        restore_dpc_random(e);
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
