/* Templates for x86-64: jumps, and every instruction.
 *
 * All registers of the 6502 stay in registers of the host.  The templates are one compilation unit in several
 * files: assembler.h, state.h, operands.h, stores.h and this one. */
#include "../emitter.h"

#ifdef HOST_X86_64

#include "stores.h"

const bool host_translates = true;

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
    if (target >= e->space->window)
        host_far_jump(e, (uint16_t)pc_of(e, target));
    else if (target > e->offset)
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
    const int32_t field =
        e->code->sliced ? PLACE(s.cartridge.slice) + (address >> 10 & 3) : PLACE(s.cartridge.bank);
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

void host_far_jump(emitter *e, uint16_t address) {
    const cpu_code *code = e->code;
    uint32_t offset = address & (code->window - 1), bank = e->space->bank;
    if (!(address & 0x1000)) { /* no ROM */
        constant(e, RAX, EXIT_LOOKUP | (uint32_t)address);
        jump(e);
        distance(e, TO_STUB, 0, e->stubs.exit);
        return;
    }
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
    if ((address & (uint16_t) ~(e->space->window - 1)) != e->space->base) {
        host_far_jump(e, address);
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

/* T1 = the status register; T0 changes. */
static void status_to_t1(emitter *e) {
    _Static_assert(offsetof(cpu_state, i) == offsetof(cpu_state, d) + 1, "D and I are loaded at once");
    const bool known = e->now.nz != NZ_STORED;
    const host_register where = where_nz(e->now.nz);
    constant(e, T1, 0);
    between(e, BYTES, 0x84, where, where);
    set_if(e, IF_ZERO, T1);
    if (e->now.c == C_STORED)
        indexed(e, 0, 0x8D, T1, C, T1, 1, 0x30); /* C + 2 Z + 30 */
    else
        indexed(e, 0, 0x8D, T1, T1, T1, 0, 0x30 + (e->now.c == C_SET));
    memory(e, 0, 0x0FB7, T0, RAM, STATE(d)); /* D + 100 I */
    between(e, 0, 0x69, T0, T0);
    word32(e, 0x804); /* 8 D + 4 I in bits 8 to 15 */
    byte(e, 0x08), byte(e, 0xE1); /* or cl, ah */
    move(e, T0, V);
    shift(e, SHL, T0, 6);
    between(e, 0, 0x0B, T1, T0);
    move(e, T0, where);
    if (!known) {
        shift(e, SHR, T0, 1);
        between(e, 0, 0x0B, T0, where); /* bit 7: N */
    }
    with_constant(e, AND, T0, 0x80);
    between(e, 0, 0x0B, T1, T0);
}

/* Push A or T1; below RAM the stack is in the TIA. */
static void push(emitter *e, host_register value) {
    between(e, BYTES, 0x84, S, S);
    freeze_if(e, IF_NO_SIGN);
    move(e, T0, S);
    move(e, T1, value);
    lea(e, S, S, -1);
    between(e, BYTES, 0x0FB6, S, S);
    write_tia_in_passing(e, e->offset + 1);
    uint32_t back = jump_back(e);
    indexed(e, BYTES, 0x88, value, RAM, S, 0, -0x80);
    change(e, OP_DEC, S);
    land_back(e, back);
}

/* Push an address on the stack, which is in RAM. */
static void push_address(emitter *e, uint32_t address) {
    byte(e, 0x66); /* 16 bits */
    indexed(e, 0, 0xC7, RAX, RAM, S, 0, -0x81);
    byte(e, address), byte(e, address >> 8);
    lea(e, S, S, -2);
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
        case OP_JSR:
            if (!is_executable(i->operand)) return false;
            with_constant(e, CMP, S, 0x81);
            leave_if(e, IF_BELOW);
            push_address(e, pc_of(e, e->offset + 2));
            jump_to(e, i->operand, false);
            return true;
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
        default: /* BRK */
            if (i->place != IS_TARGET || !is_executable(i->operand)) return false;
            with_constant(e, CMP, S, 0x82);
            leave_if(e, IF_BELOW);
            status_to_t1(e);
            indexed(e, BYTES, 0x88, T1, RAM, S, 0, -0x82);
            push_address(e, pc_of(e, e->offset + 2));
            lea(e, S, S, -1);
            set_field(e, STATE(i), 1);
            jump_to(e, i->operand, false);
            return true;
    }
}

/* Pull from the stack in RAM; from the TIA by a helper, which reads where the stack points first. */
static void pull(emitter *e, host_register to) {
    lea(e, T0, S, -0x80);
    with_constant(e, CMP, T0, 0x7E);
    freeze_if(e, IF_ABOVE);
    with_constant(e, CMP, S, 0x7E);
    leave_if(e, IF_ABOVE);
    lea(e, T1, S, -8);
    with_constant(e, AND, T1, 15);
    with_constant(e, CMP, T1, 6);
    uint32_t long_way = jump_ahead(e, IF_ABOVE); /* not two inputs */
    lea(e, S, S, 1);
    read_input(e, 1, true, 0x68);
    uint32_t over = jump_over(e);
    land(e, long_way);
    move(e, T0, S);
    lea(e, S, S, 1);
    call_in_passing(e, HELP_PULL_TIA);
    land(e, over);
    move(e, to, T0);
    uint32_t back = jump_back(e);
    lea(e, S, S, 1);
    indexed(e, 0, 0x0FB6, to, RAM, S, 0, -0x80);
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
