/* What the templates ask of a host, and all that they do.
 *
 * The templates (templates/) say once for every host what an instruction of the 6502 reads,
 * writes and changes, and where control goes on.  They say it in the words below.  A host is one file, hosts/NAME.h: it
 * names its registers, includes this file, and defines every function that is declared here, in as few instructions as
 * it can.
 *
 * Registers of the 6502 hold 32 bits, those of eight bits with zeros above.  They and the conditions are the host's:
 *
 *     host_register   A X Y S, TIME (cycles << 16), NZ (Z: low byte is 0; N: bit 7 or 8), C and V (0 or 1);
 *                     T0 T1 T2 for an instruction's own use; SCRATCH, which survives all below but calls; NONE
 *     condition       whether a jump is taken; it holds until something is emitted that may change the host's flags
 *     ADD SUB AND OR XOR  operations, as the host writes them; BYTE HALF  sizes
 *     PLACE(member)   a field of the console, as the host reaches it */
#ifndef ALE_PRIMITIVES_H
#define ALE_PRIMITIVES_H

#define STATE(member) PLACE(s.cpu.member)

/* The register that N and Z follow from. */
static host_register where_nz(lazy_nz nz) { return nz == NZ_A ? A : nz == NZ_X ? X : nz == NZ_Y ? Y : NZ; }

/* ---- registers ----------------------------------------------------------------------------------------- */

/* These leave the host's flags alone. */
static void move(emitter *e, host_register to, host_register from);
static void constant(emitter *e, host_register to, uint32_t value);
static void add_constant(emitter *e, host_register to, host_register from, int32_t value);

/* to = a op b; b is not `to`, but where it is a, too. */
static void combine(emitter *e, unsigned op, host_register to, host_register a, host_register b);
/* to = from op value: AND, OR or XOR. */
static void combine_constant(emitter *e, unsigned op, host_register to, host_register from, uint32_t value);
/* to = a + b + more */
static void add_registers(emitter *e, host_register to, host_register a, host_register b, int32_t more);
/* to = a + (b << by); b may change. */
static void add_shifted(emitter *e, host_register to, host_register a, host_register b, unsigned by);
static void shift_left(emitter *e, host_register to, host_register from, unsigned by);
static void shift_right(emitter *e, host_register to, host_register from, unsigned by);
/* T0 = T0 >> T1 */
static void shift_right_by_t1(emitter *e);
/* to = `count` bits of `from`, from bit `first` on. */
static void take_bits(emitter *e, host_register to, host_register from, unsigned first, unsigned count);
static void byte_of(emitter *e, host_register to, host_register from);
static void half_of(emitter *e, host_register to, host_register from);
/* TIME = TIME + reg * cycles */
static void add_turns(emitter *e, host_register reg, uint32_t cycles);
/* to = TIME of the beginning of the line in which T0, a TIME, lies; T0 may change. */
static void line_begins(emitter *e, host_register to);

/* ---- memory -------------------------------------------------------------------------------------------- */

/* Bytes of the console; with an index, a register, added to where they are.  With `word`: 32 bits. */
static void load_field(emitter *e, host_register to, int32_t at);
static void store_field(emitter *e, host_register from, int32_t at);
static void set_field(emitter *e, int32_t at, unsigned value);
static void field_with_constant(emitter *e, unsigned op, int32_t at, unsigned value); /* AND or OR */
static void store_if(emitter *e, condition c, int32_t at); /* 1 or 0 */
static void load_field_at(emitter *e, host_register to, int32_t at, host_register index);
static void store_field_at(emitter *e, host_register from, int32_t at, host_register index);
static void load_word(emitter *e, host_register to, int32_t at);
static void clear_word(emitter *e, int32_t at);
static void subtract_word(emitter *e, host_register from, int32_t at); /* from = from - it */
/* T0 = all bits if it is below a word, else 0.  The word may be the one that T1 says of several. */
static void mask_if_below_word(emitter *e, int32_t at, bool plus_t1);

/* RAM, at a constant or at index + more. */
static void load_ram(emitter *e, access_size size, host_register to, uint32_t at);
static void store_ram(emitter *e, host_register from, uint32_t at);
static void load_ram_at(emitter *e, access_size size, host_register to, host_register index, int32_t more);
static void store_ram_at(emitter *e, host_register from, host_register index, int32_t more);
static void set_ram_half_at(emitter *e, uint32_t value, host_register index, int32_t more); /* T0 may change */
/* to = the byte of the image at index + more. */
static void load_rom_at(emitter *e, host_register to, host_register index, int32_t more);
/* Log a write of this moment: a register of the TIA and a byte; or T0, a register << 8 and the byte, where the register
 * is 0.  T0 may change. */
static void log_write(emitter *e, unsigned reg, host_register value);
/* Log a write unless the byte at `at` is the same, without a jump; and store it there.  T0 and T1 change. */
static void log_write_if_new(emitter *e, unsigned reg, host_register value, int32_t at);

/* ---- conditions ---------------------------------------------------------------------------------------- */

static condition opposite(condition c);
static condition if_zero(emitter *e, host_register reg);
static condition if_equal(emitter *e, host_register reg, uint32_t value);
static condition if_below(emitter *e, host_register reg, uint32_t value); /* without sign */
static condition if_bits(emitter *e, host_register reg, uint32_t mask);   /* one of them is set */
static condition if_member(emitter *e, host_register reg, uint64_t set);  /* that bit of a set; T2 may change */
/* The byte of page zero at the address in a register lies below RAM, in the TIA. */
static condition if_in_tia(emitter *e, host_register reg);
/* The low bytes of T0 and a byte carry when they are added; T0 may change. */
static condition if_crosses(emitter *e, host_register index);
static condition if_field(emitter *e, int32_t at); /* it is not 0 */
static condition if_word(emitter *e, int32_t at);  /* likewise */
static condition if_less_than_word(emitter *e, host_register reg, int32_t at); /* with sign */
static condition if_field_is(emitter *e, int32_t at, host_register reg);
static condition if_field_at_is(emitter *e, int32_t at, host_register index, host_register reg);
/* N and Z.  With `flags` the host's own flags show them (flags_nz); these may say so again. */
static condition if_minus(emitter *e, bool flags);
static condition if_result_zero(emitter *e, bool flags);

/* What a reading instruction works on: a constant, a byte of RAM, or a register, which is T0 or where the operand was
 * asked for. */
typedef struct operand {
    enum { CONSTANT, MEMORY, REGISTER } kind;
    uint32_t value; /* or the byte of RAM */
} operand;

/* Load an operand unless it is in a register (operands.inc). */
static void load_operand(emitter *e, host_register to, const operand *o);

/* ---- arithmetic ---------------------------------------------------------------------------------------- */

/* Those that set C say so (e->now.c); where N and Z are then, the templates do. */

/* A = A op operand: AND, OR or XOR. */
static void operate(emitter *e, unsigned op, const operand *o);
/* ADC and SBC, not decimal: A, C and V. */
static void add_binary(emitter *e, const operand *o, bool subtract);
/* NZ = reg - operand, and C. */
static void compare(emitter *e, host_register reg, const operand *o);
/* INC, DEC, shifts and rotations of a byte, by any operation that contains them; and C. */
static void change(emitter *e, operation how, host_register reg);
/* Let the host's flags, if it has any, show a byte. */
static void show_flags(emitter *e, host_register reg);
/* T1 = the status register; T0 changes. */
static void status_to_t1(emitter *e);

/* ---- jumps --------------------------------------------------------------------------------------------- */

/* They return the place that host_fix completes. */
static uint32_t jump(emitter *e);
static uint32_t jump_if(emitter *e, condition c);     /* inside one block */
static uint32_t jump_far_if(emitter *e, condition c); /* anywhere */
static uint32_t call(emitter *e);
/* Jump if the time, which is flushed, is short, or the log's room is. */
static void jump_if_late(emitter *e, fixup_kind kind, unsigned to, uint32_t target);
/* Jump to a leader, or if it is late to a place in COLD. */
static void jump_unless_late(emitter *e, uint32_t leader, uint32_t late);
/* Jump to the entry at `offset` of a space, by its number; with `by_bank` that is the space of bank 0, and T1 the bank.
 * T1 and T2 change. */
static void jump_to_entry(emitter *e, uint32_t number, bool by_bank, uint32_t offset);
/* The same for the space T1 numbers further on, and the offset that `mask` leaves of T0. */
static void jump_to_entry_of_t0(emitter *e, uint32_t number, uint32_t mask);

/* And the functions that emitter.h declares as the host's: host_fix, host_stubs and host_enter. */

/* ---- entering and leaving code ------------------------------------------------------------------------- */

/* Registers of eight bits and flags, and where the CPU's state has them. */
static const struct {
    host_register reg;
    int32_t at;
} kept_registers[] = {
    {A, STATE(a)}, {X, STATE(x)}, {Y, STATE(y)}, {S, STATE(sp)}, {C, STATE(c)}, {V, STATE(v)},
};
enum { KEPT_REGISTERS = sizeof kept_registers / sizeof kept_registers[0] };

static inline void load_registers(emitter *e) {
    for (unsigned i = 0; i < KEPT_REGISTERS; i++)
        load_field(e, kept_registers[i].reg, kept_registers[i].at);
}

static inline void store_registers(emitter *e) {
    for (unsigned i = 0; i < KEPT_REGISTERS; i++)
        store_field(e, kept_registers[i].reg, kept_registers[i].at);
}

#endif
