/* Operands of the 6502's instructions that read, and what they do with them. */
#ifndef ALE_TEMPLATES_OPERANDS_H
#define ALE_TEMPLATES_OPERANDS_H

/* ---- operands ------------------------------------------------------------------------------------------ */

/* A read by a helper, into T0. */
static void read_by(emitter *e, helper which, const instruction *i) {
    flush_time(e);
    constant(e, T0, i->operand);
    constant(e, T1, i->bus);
    call_helper(e, which);
}

/* T0 = an input of the TIA (INPT0 is 0), from a table of when they are high, plus T1 inputs; with what the
 * bus shows in the other bits. */
static void read_input(emitter *e, unsigned input, bool plus_t1, unsigned noise) {
    const int32_t from = PLACE(shadow.input_from) + (int32_t)(sizeof(uint32_t) * input);
    load_time(e, T0);
    mask_if_below_word(e, from, plus_t1);
    combine_constant(e, AND, T0, T0, 0x80);
    combine_constant(e, XOR, T0, T0, 0x80 | (noise & 0x3F));
}

/* T1 = which input of the TIA an address is; a jump to be landed if it is none. */
static uint32_t jump_unless_input(emitter *e, host_register address) {
    add_constant(e, T1, address, -8);
    combine_constant(e, AND, T1, T1, 15);
    return jump_ahead(e, opposite(if_below(e, T1, 8)));
}

/* T0 = the byte at T0, an address of the TIA; what the bus shows in the other bits is known, or in
 * T2.  T1 and T2 change; SCRATCH stays, or is 0 then. */
enum { NOISE_IN_T2 = -1 };
static void read_tia_in_passing(emitter *e, int32_t noise) {
    const bool known = noise != NOISE_IN_T2;
    uint32_t no_input = jump_unless_input(e, T0);
    read_input(e, 0, true, known ? (unsigned)noise : 0);
    if (!known) {
        combine_constant(e, AND, T2, T2, 0x3F);
        combine(e, OR, T0, T0, T2);
    }
    uint32_t over = jump_over(e);
    land(e, no_input);
    if (known)
        constant(e, T1, (uint32_t)noise);
    else
        move(e, T1, T2);
    call_in_passing(e, HELP_TIA_READ);
    constant(e, SCRATCH, 0);
    land(e, over);
}

/* A crossed page costs a cycle more. */
static void page_penalty(emitter *e, host_register index, uint32_t base) {
    if (!(base & 0xFF)) return;
    freeze_if(e, opposite(if_below(e, index, 0x100 - (base & 0xFF))));
    add_time(e, 1);
    thaw_and_return(e);
}

static int32_t bank_base(const emitter *e) {
    return e->code->by_address ? 0 : (int32_t)(e->space->bank * e->code->window);
}

/* to = the byte of the mapped bank at T1; T1 and T2 may change. */
static void load_bank_at(emitter *e, host_register to) {
    if (e->space->ram) {
        load_word(e, T2, PLACE(s.cartridge.offset));
        combine(e, ADD, T1, T1, T2);
        load_rom_at(e, to, T1, 0);
    } else {
        load_rom_at(e, to, T1, bank_base(e));
    }
}

/* to = the byte of a slice at T1 (below 4096); T1 and T2 change. */
static void load_slice_at(emitter *e, host_register to) {
    shift_right(e, T2, T1, 10);
    load_field_at(e, T2, PLACE(s.cartridge.slice), T2);
    combine_constant(e, AND, T1, T1, 0x3FF);
    add_shifted(e, T1, T1, T2, 10);
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
        add_constant(e, T1, index, op->operand);
        load_slice_at(e, to);
    }
}

/* The next code goes to COLD until jump_back(), if the index is not below a limit. */
static void freeze_from_index(emitter *e, host_register index, unsigned limit) {
    freeze_if(e, opposite(if_below(e, index, limit)));
}

/* T0 = base + index, in page zero. */
static void zero_page_address(emitter *e, unsigned base, host_register index) {
    add_constant(e, T0, index, (int32_t)base);
    byte_of(e, T0, T0);
}

/* to = a byte of page zero at T0, in COLD; below RAM it is the TIA. */
static void load_zero_page_at(emitter *e, host_register to, unsigned noise) {
    uint32_t in_ram = jump_ahead(e, opposite(if_in_tia(e, T0)));
    read_tia_in_passing(e, (int32_t)noise);
    move(e, to, T0);
    uint32_t done = jump_over(e);
    land(e, in_ram);
    load_ram_at(e, BYTE, to, T0, -0x80);
    land(e, done);
}

/* to = a byte of page zero, indexed. */
static void load_zero_page(emitter *e, host_register to, unsigned base, host_register index) {
    uint32_t back;
    if (base >= 0x80) { /* from a place in RAM an index seldom leads elsewhere */
        freeze_from_index(e, index, 0x100 - base);
        zero_page_address(e, base, index);
        load_zero_page_at(e, to, base);
        back = jump_back(e);
        load_ram_at(e, BYTE, to, index, (int32_t)base - 0x80);
    } else {
        zero_page_address(e, base, index);
        freeze_if(e, if_in_tia(e, T0));
        read_tia_in_passing(e, (int32_t)base);
        move(e, to, T0);
        back = jump_back(e);
        load_ram_at(e, BYTE, to, T0, -0x80);
    }
    land_back(e, back);
}

/* T0 = the address that a pointer in RAM holds. */
static bool load_pointer(emitter *e, unsigned at) {
    if (at < 0x80 || at == 0xFF) return false;
    load_ram(e, HALF, T0, at);
    return true;
}

/* How an address came about: a constant base (its value) or a pointer, plus an index; or a pointer alone. */
enum { BY_POINTER = -1, NOT_INDEXED = -2 };

/* From which index on base + index is in the next page. */
static unsigned crossing_index(int32_t base) { return 0x100 - ((unsigned)base & 0xFF); }

/* A crossed page, where there may be one, is left to the plain core: what is read there may depend on the time. */
static void leave_if_crossed(emitter *e, int32_t base, host_register index) {
    if (base > 0 && base & 0xFF)
        leave_if(e, opposite(if_below(e, index, crossing_index(base))));
    else if (base == BY_POINTER)
        leave_if(e, if_bits(e, SCRATCH, 0x100));
}

/* to = the byte at a constant base, or a pointer in T0, plus an index, in COLD; a crossed page costs a cycle more.
 * It may be in the cartridge, but at no hotspot, in RAM or the TIA.  At other addresses, and but for ROM and RAM after
 * a crossed page, the plain core reads.  T0 to T2 and SCRATCH change. */
static void load_anywhere(emitter *e, host_register to, int32_t base, host_register index) {
    const cpu_code *code = e->code;
    const bool may_cross = base == BY_POINTER || (base >= 0 && base & 0xFF);
    if (base >= 0) {
        add_constant(e, T1, index, base);
    } else if (base == NOT_INDEXED) {
        move(e, T1, T0);
    } else {
        add_registers(e, T1, T0, index, 0);
        combine(e, XOR, SCRATCH, T0, T1); /* bit 8: the carry out of the low byte */
    }
    uint32_t not_cartridge = jump_ahead(e, opposite(if_bits(e, T1, 0x1000)));
    if (code->by_address) {
        shift_right(e, T0, T1, 1); /* bit 13 to bit 12 */
        combine_constant(e, XOR, T0, T0, 0x1000);
        combine_constant(e, AND, T0, T0, 0x1000);
    }
    combine_constant(e, AND, T1, T1, 0xFFF);
    uint32_t done_below = 0;
    if (code->low) { /* the cartridge's RAM or registers */
        uint32_t above = jump_ahead(e, opposite(if_below(e, T1, code->low)));
        leave_if_crossed(e, base, index);
        add_constant(e, T0, T1, 0x1000);
        call_in_passing(e, HELP_CART_READ);
        constant(e, SCRATCH, 0);
        move(e, to, T0);
        done_below = jump_over(e);
        land(e, above);
    }
    if (code->low + code->span < 4096) leave_if(e, opposite(if_below(e, T1, code->low + code->span)));
    if (code->sliced) {
        load_slice_at(e, to);
    } else {
        if (code->by_address) combine(e, ADD, T1, T1, T0);
        load_bank_at(e, to);
    }
    uint32_t done = jump_over(e);

    land(e, not_cartridge);
    half_of(e, T1, T1);
    if (base >= 0)
        constant(e, T2, (uint32_t)base >> 8);
    else
        shift_right(e, T2, T0, 8);
    combine_constant(e, AND, T0, T1, 0x1280);
    uint32_t in_ram = jump_ahead(e, if_equal(e, T0, 0x80));
    leave_if(e, if_bits(e, T0, 0x1080));
    leave_if_crossed(e, base, index);
    move(e, T0, T1);
    read_tia_in_passing(e, NOISE_IN_T2);
    move(e, to, T0);
    uint32_t done_too = jump_over(e);
    land(e, in_ram);
    combine_constant(e, AND, T1, T1, 0x7F);
    load_ram_at(e, BYTE, to, T1, 0);
    land(e, done_too);
    land(e, done);
    if (code->low) land(e, done_below);
    if (!may_cross) return;
    if (base >= 0) {
        uint32_t over = jump_ahead(e, if_below(e, index, crossing_index(base)));
        add_time(e, 1);
        land(e, over);
    } else {
        combine_constant(e, AND, SCRATCH, SCRATCH, 0x100);
        add_shifted(e, TIME, TIME, SCRATCH, 8);
    }
}

/* to = the byte at a constant base with an index.  From a base in RAM, in the TIA or in ROM it seldom leads
 * elsewhere. */
static void load_indexed(emitter *e, host_register to, uint32_t base, host_register index) {
    const cpu_code *code = e->code;
    const unsigned offset = base & 0xFFF;
    const bool in_rom = base & 0x1000 && offset - code->low < code->span && (!code->sliced || offset >= 3 * 1024);
    const unsigned to_half = 0x80 - (base & 0x7F), rom_left = code->low + code->span - offset;
    const bool in_ram = (base & 0x1280) == 0x80, in_tia = (base & 0x1080) == 0;
    if (in_rom)
        freeze_from_index(e, index, rom_left);
    else if (in_ram || in_tia)
        freeze_from_index(e, index, to_half);
    else
        freeze(e);
    load_anywhere(e, to, (int32_t)base, index);
    uint32_t back = jump_back(e);
    if (in_rom) {
        int32_t bank = code->by_address ? (base & 0x2000 ? 0 : 4096) : bank_base(e);
        if (code->sliced) bank = (7 - 3) * 1024;
        load_rom_at(e, to, index, bank + (int32_t)offset);
        if (rom_left > crossing_index((int32_t)base)) page_penalty(e, index, base);
    } else if (in_ram) {
        load_ram_at(e, BYTE, to, index, (int32_t)base & 0x7F);
    } else if (in_tia) {
        add_constant(e, T0, index, (int32_t)base);
        read_tia_in_passing(e, (int32_t)base >> 8);
        move(e, to, T0);
    }
    land_back(e, back);
}

/* to = the byte at the pointer in T0, plus an index if there is one.  It mostly is in ROM, where this code is. */
static void load_by_pointer(emitter *e, host_register to, host_register index) {
    const cpu_code *code = e->code;
    const bool any_mirror = code->sliced || e->space->ram;
    const uint32_t mirror = e->space->ram ? 0x1000u : e->space->base & 0xF000u;
    if (index == NONE)
        add_constant(e, T1, T0, -(int32_t)mirror);
    else
        add_registers(e, T1, T0, index, -(int32_t)mirror);
    if (any_mirror) combine_constant(e, AND, T1, T1, 0x1FFF);
    if (code->low) add_constant(e, T2, T1, -(int32_t)code->low);
    freeze_if(e, opposite(if_below(e, code->low ? T2 : T1, code->span)));
    load_anywhere(e, to, index == NONE ? NOT_INDEXED : BY_POINTER, index);
    uint32_t back = jump_back(e);
    if (index != NONE) {
        freeze_if(e, if_crosses(e, index));
        add_time(e, 1);
        thaw_and_return(e);
    }
    if (code->sliced)
        load_slice_at(e, to);
    else if (code->by_address)
        load_rom_at(e, to, T1, mirror & 0x2000 ? 0 : 4096);
    else
        load_bank_at(e, to);
    land_back(e, back);
}

/* to = SWCHA, or the timer's registers while it has not expired; else the RIOT's byte by a helper. */
static void load_riot(emitter *e, host_register to, const instruction *i) {
    const unsigned reg = i->operand & 7;
    if (reg == 0) {
        load_field(e, to, PLACE(swcha));
    } else if (reg < 4) {
        read_by(e, HELP_IO_READ, i);
        move(e, to, T0);
    } else {
        flush_time(e);
        shift_right(e, T0, TIME, 16);
        subtract_word(e, T0, PLACE(s.riot.set_at));
        add_constant(e, T0, T0, -1);
        load_field(e, T1, PLACE(s.riot.shift));
        shift_right_by_t1(e); /* whole intervals gone by */
        freeze_if(e, opposite(if_less_than_word(e, T0, PLACE(s.riot.value))));
        read_by(e, HELP_IO_READ, i);
        move(e, to, T0);
        uint32_t back = jump_back(e);
        if (reg & 1) {
            constant(e, to, 0); /* INSTAT */
        } else {
            load_word(e, T1, PLACE(s.riot.value));
            combine(e, SUB, T1, T1, T0);
            add_constant(e, T1, T1, -1);
            byte_of(e, to, T1);
        }
        land_back(e, back);
    }
}


/* T0 = what a fetcher's data or flag reads as, unless it plays music; as dpc_fetch has it.  COLD is where its flag
 * changes, and where the counter's low byte wraps. */
static void fetch_dpc_data(emitter *e, unsigned fetcher, unsigned function) {
    const int32_t counter = PLACE(s.cartridge.dpc.counter) + (int32_t)(2 * fetcher);
    const int32_t flag = PLACE(s.cartridge.dpc.flag) + (int32_t)fetcher;
    load_field(e, T0, counter);
    freeze_if(e, if_field_is(e, PLACE(s.cartridge.dpc.bottom) + (int32_t)fetcher, T0));
    set_field(e, flag, 0);
    thaw_and_return(e);
    freeze_if(e, if_field_is(e, PLACE(s.cartridge.dpc.top) + (int32_t)fetcher, T0)); /* has the last word */
    set_field(e, flag, 0xFF);
    thaw_and_return(e);
    load_field(e, T1, counter + 1);
    add_shifted(e, T2, T0, T1, 8); /* the place of the data, counted from its end */
    add_constant(e, T0, T0, -1);
    store_field(e, T0, counter);
    freeze_if(e, opposite(if_below(e, T0, 0x100)));
    load_field(e, T1, counter + 1);
    add_constant(e, T1, T1, -1);
    combine_constant(e, AND, T1, T1, 7);
    store_field(e, T1, counter + 1);
    thaw_and_return(e);
    if (function == DPC_FLAG) {
        load_field(e, T0, flag);
        return;
    }
    combine_constant(e, XOR, T2, T2, 0x7FF);
    load_rom_at(e, T0, T2, DPC_DISPLAY);
    if (function != DPC_DATA_AND_FLAG) return;
    load_field(e, T1, flag);
    combine(e, AND, T0, T0, T1);
}

/* T0 = a register of DPC.  Fetchers that may play music are asked first; where they do, a helper reads them. */
static void read_dpc(emitter *e, unsigned a) {
    const unsigned fetcher = a & 7, function = a >> 3;
    const bool by_itself = function == DPC_DATA || function == DPC_DATA_AND_FLAG || function == DPC_FLAG;
    const bool may_play = fetcher >= DPC_FIRST_MUSIC;
    const int32_t music = PLACE(s.cartridge.dpc.music) + (int32_t)fetcher - DPC_FIRST_MUSIC;
    if (by_itself && may_play) freeze_if(e, if_field(e, music));
    if (!by_itself || may_play) {
        constant(e, T0, a);
        call_in_passing(e, HELP_DPC_READ);
    }
    if (!by_itself) return;
    const uint32_t back = may_play ? jump_back(e) : 0;
    clock_dpc_random(e, 1);
    fetch_dpc_data(e, fetcher, function);
    if (may_play) land_back(e, back);
}

/* The operand of a reading instruction; `to` is where it goes if it is no constant and not in RAM.  False:
 * left to the plain core for good. */
static bool read_operand(emitter *e, const instruction *i, host_register to, operand *o) {
    *o = (operand){REGISTER, 0};
    switch ((place)i->place) {
        case IS_CONSTANT: *o = (operand){CONSTANT, i->operand}; return true;
        case IN_RAM: *o = (operand){MEMORY, i->operand & 0x7Fu}; return true;
        case IN_TIA:
            if (tia_is_input(i->operand))
                read_input(e, (i->operand & 15u) - 8, false, i->bus);
            else
                read_by(e, HELP_TIA_READ, i);
            break;
        case IN_RIOT: load_riot(e, to, i); return true;
        case IN_CARTRIDGE:
            if (e->rom->table && (i->operand & 0xFFFu) < DPC_REGISTERS) {
                read_dpc(e, i->operand & 0xFFFu);
                break;
            } /* fall through */
        case AT_HOTSPOT: read_by(e, HELP_CART_READ, i); break;
        case TABLE_X: load_table(e, to, i, X); return true;
        case TABLE_Y: load_table(e, to, i, Y); return true;
        case ZERO_X: load_zero_page(e, to, i->operand, X); return true;
        case ZERO_Y: load_zero_page(e, to, i->operand, Y); return true;
        case INDEXED_X: load_indexed(e, to, i->operand, X); return true;
        case INDEXED_Y: load_indexed(e, to, i->operand, Y); return true;
        case POINTER_X:
            add_constant(e, T1, X, i->operand);
            byte_of(e, T1, T1);
            add_constant(e, T0, T1, -0x80); /* in RAM with its high byte: 80 to FE */
            leave_if(e, opposite(if_below(e, T0, 0x7F)));
            load_ram_at(e, HALF, T0, T1, -0x80);
            load_by_pointer(e, to, NONE);
            return true;
        case POINTER_Y:
        case FETCHED:
        case FETCHED_X:
            if (!load_pointer(e, i->operand)) return false;
            load_by_pointer(e, to, i->place == POINTER_Y ? Y : i->place == FETCHED_X ? X : NONE);
            return true;
        default: return false;
    }
    move(e, to, T0);
    return true;
}

/* ---- operations ---------------------------------------------------------------------------------------- */

static void load_operand(emitter *e, host_register to, const operand *o) {
    if (o->kind == CONSTANT) constant(e, to, o->value);
    if (o->kind == MEMORY) load_ram(e, BYTE, to, o->value);
}

/* The part of an addition that is done in C: A, C and V. */
static void add_decimal(emitter *e, const operand *o, bool subtract) {
    load_operand(e, T0, o);
    if (e->now.c == C_STORED)
        move(e, T1, C);
    else
        constant(e, T1, e->now.c == C_SET);
    shift_left(e, T1, T1, 8);
    combine(e, OR, T1, T1, A);
    call_helper(e, subtract ? HELP_SBC_DECIMAL : HELP_ADC_DECIMAL);
    byte_of(e, A, T0);
    take_bits(e, C, T0, 8, 1);
    shift_right(e, V, T0, 16);
    show_flags(e, A); /* as after the other way */
}

static void add(emitter *e, const operand *o, bool subtract) {
    freeze_if(e, if_field(e, STATE(d)));
    add_decimal(e, o, subtract);
    uint32_t back = jump_back(e);
    add_binary(e, o, subtract);
    land_back(e, back);
    nz_is(e, NZ_A, true);
}

/* NZ = bit 7 of T0 as N. */
static void n_from_t0(emitter *e) {
    combine_constant(e, AND, NZ, T0, 0x80);
    shift_left(e, NZ, NZ, 1);
}

static void bit(emitter *e, const operand *o) {
    load_operand(e, T0, o);
    take_bits(e, V, T0, 6, 1);
    n_from_t0(e);
    combine(e, AND, T0, T0, A);
    combine(e, OR, NZ, NZ, T0);
    nz_is(e, NZ_STORED, false);
}

#endif
