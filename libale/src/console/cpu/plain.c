/* The plain core: one bus access after the other. */
#include "../cartridge/cartridge.h"
#include "../riot.h"
#include "../video/tia.h"
#include "cpu.h"
#include "engine.h"
#include "opcodes.h"

uint8_t bus_read(console *machine, uint16_t address) {
    uint8_t value;
    if (address & 0x1000) {
        value = cartridge_read(machine, address);
    } else if (machine->low_watch && cartridge_low_read(machine, address, &value)) {
        machine->acted = true; /* the cartridge answered */
    } else if (!(address & 0x80)) {
        value = tia_read(machine, address);
        machine->acted |= !tia_is_fire(address);
    } else if (address & 0x200) {
        value = riot_read(machine, address);
        machine->acted |= !riot_is_port(address);
    } else {
        value = machine->s.ram[address & 0x7F];
    }
    machine->s.data_bus = value;
    machine->s.bus_was_read = 1;
    return value;
}

void bus_write(console *machine, uint16_t address, uint8_t value) {
    machine->acted |= (address & 0x1280) != 0x80; /* to other places than RAM */
    if (address & 0x1000) {
        cartridge_write(machine, address, value);
    } else if (machine->low_watch && cartridge_low_write(machine, address, value)) {
        /* the cartridge took it */
    } else if (!(address & 0x80)) {
        tia_write(machine, address, value);
    } else if (address & 0x200) {
        riot_write(machine, address, value);
    } else {
        machine->s.ram[address & 0x7F] = value;
    }
    machine->s.data_bus = value;
    machine->s.bus_was_read = 0;
}

/* Decimal digits of any byte, valid or not, and back. */
static int from_bcd(uint8_t byte) { return 10 * (byte >> 4) + (byte & 15); }
static uint8_t to_bcd(int n) { return (uint8_t)((n % 100 / 10) << 4 | n % 10); }

static void set_nz(cpu_state *cpu, uint8_t value) { cpu->n = cpu->z = value; }

void cpu_adc(cpu_state *cpu, uint8_t m) {
    uint8_t a = cpu->a;
    if (!cpu->d) {
        int sum = a + m + cpu->c;
        cpu->v = (~(a ^ m) & (a ^ sum)) >> 7 & 1;
        cpu->c = sum > 0xFF;
        cpu->a = (uint8_t)sum;
    } else {
        int sum = from_bcd(a) + from_bcd(m) + cpu->c;
        cpu->c = sum > 99;
        cpu->a = to_bcd(sum & 0xFF);
        cpu->v = ((a ^ cpu->a) & (cpu->a ^ m)) >> 7 & 1;
    }
    set_nz(cpu, cpu->a);
}

void cpu_sbc(cpu_state *cpu, uint8_t m) {
    if (!cpu->d) {
        cpu_adc(cpu, (uint8_t)~m);
        return;
    }
    uint8_t a = cpu->a;
    int borrow = 1 - cpu->c;
    int difference = from_bcd(a) - from_bcd(m) - borrow;
    if (difference < 0) difference += 100;
    /* Still negative only with digits above 9; the reference then reads its table of decimal values. */
    cpu->a = difference >= 0 ? to_bcd(difference) : (uint8_t)from_bcd((uint8_t)(256 + difference));
    cpu->c = a >= m + borrow;
    cpu->v = ((a ^ cpu->a) & (cpu->a ^ m)) >> 7 & 1;
    set_nz(cpu, cpu->a);
}

static void compare(cpu_state *cpu, uint8_t reg, uint8_t m) {
    cpu->c = reg >= m;
    set_nz(cpu, (uint8_t)(reg - m));
}

static uint8_t asl(cpu_state *cpu, uint8_t m) {
    cpu->c = m >> 7;
    set_nz(cpu, (uint8_t)(m << 1));
    return cpu->n;
}

static uint8_t lsr(cpu_state *cpu, uint8_t m) {
    cpu->c = m & 1;
    set_nz(cpu, m >> 1);
    return cpu->n;
}

static uint8_t rol(cpu_state *cpu, uint8_t m) {
    uint8_t carry = cpu->c;
    cpu->c = m >> 7;
    set_nz(cpu, (uint8_t)(m << 1 | carry));
    return cpu->n;
}

static uint8_t ror(cpu_state *cpu, uint8_t m) {
    uint8_t carry = cpu->c;
    cpu->c = m & 1;
    set_nz(cpu, (uint8_t)(m >> 1 | carry << 7));
    return cpu->n;
}

static void arr(cpu_state *cpu, uint8_t m) {
    uint8_t v = cpu->a & m;
    uint8_t a = (uint8_t)(v >> 1 | cpu->c << 7);
    if (!cpu->d) {
        cpu->c = a >> 6 & 1;
        cpu->v = (a >> 6 ^ a >> 5) & 1;
        set_nz(cpu, a);
    } else {
        cpu->n = (uint8_t)(cpu->c << 7);
        cpu->z = a;
        cpu->v = (v ^ a) >> 6 & 1;
        if ((v & 0x0F) + (v & 0x01) > 5) a = (uint8_t)((a & 0xF0) | ((a + 6) & 0x0F));
        cpu->c = (v & 0xF0) + (v & 0x10) > 0x50;
        if (cpu->c) a = (uint8_t)(a + 0x60);
    }
    cpu->a = a;
}

uint8_t cpu_status(const cpu_state *cpu) {
    return (uint8_t)((cpu->n & 0x80) | cpu->v << 6 | 0x30 | cpu->d << 3 | cpu->i << 2 | (cpu->z == 0) << 1 |
                     cpu->c);
}

void cpu_set_status(cpu_state *cpu, uint8_t p) {
    cpu->n = p & 0x80;
    cpu->v = p >> 6 & 1;
    cpu->d = p >> 3 & 1;
    cpu->i = p >> 2 & 1;
    cpu->z = !(p & 2);
    cpu->c = p & 1;
}

static void push(console *machine, uint8_t value) {
    cpu_state *cpu = &machine->s.cpu;
    bus_write(machine, 0x100 | cpu->sp, value);
    cpu->sp = (uint8_t)(cpu->sp - 1);
}

static uint8_t pull(console *machine) {
    cpu_state *cpu = &machine->s.cpu;
    cpu->sp = (uint8_t)(cpu->sp + 1);
    return bus_read(machine, 0x100 | cpu->sp);
}

static uint8_t stack_peek(console *machine) { return bus_read(machine, 0x100 | machine->s.cpu.sp); }

static uint8_t fetch(console *machine) {
    const uint16_t at = machine->s.cpu.pc;
    machine->s.cpu.pc = (uint16_t)(at + 1); /* behind the last address comes the first */
    return bus_read(machine, at);
}

static uint16_t fetch_word(console *machine) {
    int low = fetch(machine);
    return (uint16_t)(low | fetch(machine) << 8);
}

/* The high byte of a pointer comes from the next address, without wrapping inside page zero. */
static uint16_t read_pointer(console *machine, uint8_t at) {
    int low = bus_read(machine, at);
    return (uint16_t)(low | bus_read(machine, (uint16_t)(at + 1)) << 8);
}

static uint16_t indexed(console *machine, uint16_t base, uint8_t index, bool penalty) {
    uint16_t address = (uint16_t)(base + index);
    if (penalty && (base & 0xFF) + index > 0xFF) machine->s.cpu.time++;
    return address;
}

static void branch(console *machine, bool taken) {
    cpu_state *cpu = &machine->s.cpu;
    int8_t offset = (int8_t)fetch(machine);
    if (!taken) return;
    uint16_t target = (uint16_t)(cpu->pc + offset);
    cpu->time += (target ^ cpu->pc) & 0xFF00 ? 2 : 1;
    cpu->pc = target;
}

/* The address of an operand in memory; a page crossed by a read costs a cycle. */
static uint16_t operand_address(console *machine, addressing mode, bool read) {
    const cpu_state *cpu = &machine->s.cpu;
    switch (mode) {
        case ZP: return fetch(machine);
        case ZPX: return (uint8_t)(fetch(machine) + cpu->x);
        case ZPY: return (uint8_t)(fetch(machine) + cpu->y);
        case ABS: return fetch_word(machine);
        case ABX: return indexed(machine, fetch_word(machine), cpu->x, read);
        case ABY: return indexed(machine, fetch_word(machine), cpu->y, read);
        case IZX: return read_pointer(machine, (uint8_t)(fetch(machine) + cpu->x));
        default: return indexed(machine, read_pointer(machine, fetch(machine)), cpu->y, read);
    }
}

static void do_read(console *machine, operation what, addressing mode) {
    cpu_state *cpu = &machine->s.cpu;
    if (mode == IMP) return; /* NOP */
    uint8_t m = mode == IMM ? fetch(machine) : bus_read(machine, operand_address(machine, mode, true));
    switch (what) {
        case OP_ADC: cpu_adc(cpu, m); break;
        case OP_SBC: cpu_sbc(cpu, m); break;
        case OP_AND: set_nz(cpu, cpu->a &= m); break;
        case OP_ORA: set_nz(cpu, cpu->a |= m); break;
        case OP_EOR: set_nz(cpu, cpu->a ^= m); break;
        case OP_CMP: compare(cpu, cpu->a, m); break;
        case OP_CPX: compare(cpu, cpu->x, m); break;
        case OP_CPY: compare(cpu, cpu->y, m); break;
        case OP_LDA: set_nz(cpu, cpu->a = m); break;
        case OP_LDX: set_nz(cpu, cpu->x = m); break;
        case OP_LDY: set_nz(cpu, cpu->y = m); break;
        case OP_BIT:
            cpu->n = m;
            cpu->v = m >> 6 & 1;
            cpu->z = cpu->a & m;
            break;
        case OP_LAX: set_nz(cpu, cpu->a = cpu->x = m); break;
        case OP_LAS: set_nz(cpu, cpu->a = cpu->x = cpu->sp &= m); break;
        case OP_ANC:
            set_nz(cpu, cpu->a &= m);
            cpu->c = cpu->a >> 7;
            break;
        case OP_ALR: cpu->a = lsr(cpu, cpu->a & m); break;
        case OP_ARR: arr(cpu, m); break;
        case OP_ANE: set_nz(cpu, cpu->a = (cpu->a | 0xEE) & cpu->x & m); break;
        case OP_LXA: set_nz(cpu, cpu->a = cpu->x = (cpu->a | 0xEE) & m); break;
        case OP_SBX:
            cpu->x &= cpu->a;
            compare(cpu, cpu->x, m);
            cpu->x = cpu->n;
            break;
        default: break; /* NOP */
    }
}

static void do_write(console *machine, operation what, addressing mode) {
    cpu_state *cpu = &machine->s.cpu;
    uint16_t address = operand_address(machine, mode, false);
    uint8_t high = (uint8_t)((address >> 8) + 1), value;
    switch (what) {
        case OP_STA: value = cpu->a; break;
        case OP_STX: value = cpu->x; break;
        case OP_STY: value = cpu->y; break;
        case OP_SAX: value = cpu->a & cpu->x; break;
        case OP_SHA: value = cpu->a & cpu->x & high; break;
        case OP_SHX: value = cpu->x & high; break;
        case OP_SHY: value = cpu->y & high; break;
        default: /* SHS */
            cpu->sp = cpu->a & cpu->x;
            value = cpu->sp & high;
            break;
    }
    bus_write(machine, address, value);
}

/* The change of a byte, with the flags that come of it. */
static uint8_t changed(cpu_state *cpu, operation what, uint8_t m) {
    switch (what) {
        case OP_ASL:
        case OP_SLO: return asl(cpu, m);
        case OP_LSR:
        case OP_SRE: return lsr(cpu, m);
        case OP_ROL:
        case OP_RLA: return rol(cpu, m);
        case OP_ROR:
        case OP_RRA: return ror(cpu, m);
        case OP_INC: set_nz(cpu, (uint8_t)(m + 1)); return cpu->n;
        case OP_DEC: set_nz(cpu, (uint8_t)(m - 1)); return cpu->n;
        case OP_ISB: return (uint8_t)(m + 1);
        default: return (uint8_t)(m - 1); /* DCP */
    }
}

static void do_change(console *machine, operation what, addressing mode) {
    cpu_state *cpu = &machine->s.cpu;
    if (mode == ACC) {
        cpu->a = changed(cpu, what, cpu->a);
        return;
    }
    uint16_t address = operand_address(machine, mode, false);
    uint8_t m = changed(cpu, what, bus_read(machine, address));
    bus_write(machine, address, m);
    switch (what) { /* the rest of a combined operation */
        case OP_SLO: set_nz(cpu, cpu->a |= m); break;
        case OP_RLA: set_nz(cpu, cpu->a &= m); break;
        case OP_SRE: set_nz(cpu, cpu->a ^= m); break;
        case OP_RRA: cpu_adc(cpu, m); break;
        case OP_DCP: compare(cpu, cpu->a, m); break;
        case OP_ISB: cpu_sbc(cpu, m); break;
        default: break;
    }
}

static void do_branch(console *machine, operation what) {
    const cpu_state *cpu = &machine->s.cpu;
    switch (what) {
        case OP_BPL: branch(machine, !(cpu->n & 0x80)); break;
        case OP_BMI: branch(machine, cpu->n & 0x80); break;
        case OP_BVC: branch(machine, !cpu->v); break;
        case OP_BVS: branch(machine, cpu->v); break;
        case OP_BCC: branch(machine, !cpu->c); break;
        case OP_BCS: branch(machine, cpu->c); break;
        case OP_BNE: branch(machine, cpu->z != 0); break;
        default: branch(machine, cpu->z == 0); break; /* BEQ */
    }
}

static void do_jump(console *machine, operation what, addressing mode) {
    cpu_state *cpu = &machine->s.cpu;
    int low;
    switch (what) {
        case OP_JMP:
            cpu->pc = fetch_word(machine);
            if (mode == IND) { /* the pointer's high byte never leaves its page */
                uint16_t at = cpu->pc;
                low = bus_read(machine, at);
                at = (uint16_t)((at & 0xFF00) | ((at + 1) & 0xFF));
                cpu->pc = (uint16_t)(low | bus_read(machine, at) << 8);
            }
            break;
        case OP_JSR:
            low = fetch(machine);
            stack_peek(machine);
            push(machine, (uint8_t)(cpu->pc >> 8));
            push(machine, (uint8_t)cpu->pc);
            cpu->pc = (uint16_t)(low | fetch(machine) << 8);
            break;
        case OP_RTS:
            stack_peek(machine);
            low = pull(machine);
            cpu->pc = (uint16_t)(low | pull(machine) << 8);
            fetch(machine);
            break;
        case OP_RTI:
            stack_peek(machine);
            cpu_set_status(cpu, pull(machine));
            low = pull(machine);
            cpu->pc = (uint16_t)(low | pull(machine) << 8);
            break;
        default: /* BRK */
            fetch(machine);
            push(machine, (uint8_t)(cpu->pc >> 8));
            push(machine, (uint8_t)cpu->pc);
            push(machine, cpu_status(cpu));
            cpu->i = 1;
            low = bus_read(machine, 0xFFFE);
            cpu->pc = (uint16_t)(low | bus_read(machine, 0xFFFF) << 8);
            break;
    }
}

static void do_inside(console *machine, operation what) {
    cpu_state *cpu = &machine->s.cpu;
    switch (what) {
        case OP_TAX: set_nz(cpu, cpu->x = cpu->a); break;
        case OP_TAY: set_nz(cpu, cpu->y = cpu->a); break;
        case OP_TXA: set_nz(cpu, cpu->a = cpu->x); break;
        case OP_TYA: set_nz(cpu, cpu->a = cpu->y); break;
        case OP_TSX: set_nz(cpu, cpu->x = cpu->sp); break;
        case OP_TXS: cpu->sp = cpu->x; break;
        case OP_INX: set_nz(cpu, cpu->x = (uint8_t)(cpu->x + 1)); break;
        case OP_INY: set_nz(cpu, cpu->y = (uint8_t)(cpu->y + 1)); break;
        case OP_DEX: set_nz(cpu, cpu->x = (uint8_t)(cpu->x - 1)); break;
        case OP_DEY: set_nz(cpu, cpu->y = (uint8_t)(cpu->y - 1)); break;
        case OP_CLC: cpu->c = 0; break;
        case OP_SEC: cpu->c = 1; break;
        case OP_CLI: cpu->i = 0; break;
        case OP_SEI: cpu->i = 1; break;
        case OP_CLV: cpu->v = 0; break;
        case OP_CLD: cpu->d = 0; break;
        case OP_SED: cpu->d = 1; break;
        case OP_PHA: push(machine, cpu->a); break;
        case OP_PHP: push(machine, cpu_status(cpu)); break;
        case OP_PLA:
            stack_peek(machine);
            set_nz(cpu, cpu->a = pull(machine));
            break;
        case OP_PLP:
            stack_peek(machine);
            cpu_set_status(cpu, pull(machine));
            break;
        default: cpu->jammed = 1; break; /* JAM */
    }
}

static void step(console *machine) {
    const opcode row = cpu_opcodes[fetch(machine)];
    const operation what = (operation)row.operation;
    const addressing mode = (addressing)row.mode;
    machine->s.cpu.time += row.cycles;
    switch (cpu_kinds[what]) {
        case READS: do_read(machine, what, mode); break;
        case WRITES: do_write(machine, what, mode); break;
        case CHANGES: do_change(machine, what, mode); break;
        case BRANCHES: do_branch(machine, what); break;
        case JUMPS: do_jump(machine, what, mode); break;
        default: do_inside(machine, what); break;
    }
}

static uint32_t plain_run(console *machine, void *prepared, uint32_t budget) {
    (void)prepared;
    uint32_t used = 0;
    for (; used < budget && !machine->s.tia.stop && !machine->s.cpu.jammed; used++) step(machine);
    return used;
}

const cpu_engine plain_core = {.run = plain_run};
