/* 6507: the plain core, one bus access after the other. */
#include "cpu.h"

#include <string.h>

#include "../../support/flaw.h"
#include "../console.h"
#include "../video/picture.h"
#include "decode.h"
#include "translate.h"

uint32_t console_cycles(const console *machine) { return machine->s.cpu.time - machine->s.tia.phase; }

uint8_t bus_read(console *machine, uint16_t address) {
    uint8_t value;
    if (address & 0x1000) {
        value = cartridge_read(machine, address);
    } else if (machine->low_watch && cartridge_low_read(machine, address, &value)) {
        /* the cartridge answered */
    } else if (!(address & 0x80)) {
        value = tia_read(machine, address);
    } else if (address & 0x200) {
        value = riot_read(machine, address);
    } else {
        value = machine->s.ram[address & 0x7F];
    }
    machine->s.data_bus = value;
    machine->s.bus_was_read = 1;
    return value;
}

void bus_write(console *machine, uint16_t address, uint8_t value) {
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

void cpu_reset(console *machine) {
    cpu_state *cpu = &machine->s.cpu;
    uint32_t time = cpu->time;
    *cpu = (cpu_state){.time = time, .sp = 0xFF, .z = 1};
    machine->s.bus_was_read = 1;
    unsigned low = bus_read(machine, 0xFFFC);
    cpu->pc = (uint16_t)(low | bus_read(machine, 0xFFFD) << 8);
}

const uint8_t cpu_cycles[256] = {
    7, 6, 2, 8, 3, 3, 5, 5, 3, 2, 2, 2, 4, 4, 6, 6, 2, 5, 2, 8, 4, 4, 6, 6, 2, 4, 2, 7, 4, 4, 7, 7,
    6, 6, 2, 8, 3, 3, 5, 5, 4, 2, 2, 2, 4, 4, 6, 6, 2, 5, 2, 8, 4, 4, 6, 6, 2, 4, 2, 7, 4, 4, 7, 7,
    6, 6, 2, 8, 3, 3, 5, 5, 3, 2, 2, 2, 3, 4, 6, 6, 2, 5, 2, 8, 4, 4, 6, 6, 2, 4, 2, 7, 4, 4, 7, 7,
    6, 6, 2, 8, 3, 3, 5, 5, 4, 2, 2, 2, 5, 4, 6, 6, 2, 5, 2, 8, 4, 4, 6, 6, 2, 4, 2, 7, 4, 4, 7, 7,
    2, 6, 2, 6, 3, 3, 3, 3, 2, 2, 2, 2, 4, 4, 4, 4, 2, 6, 2, 6, 4, 4, 4, 4, 2, 5, 2, 5, 5, 5, 5, 5,
    2, 6, 2, 6, 3, 3, 3, 4, 2, 2, 2, 2, 4, 4, 4, 4, 2, 5, 2, 5, 4, 4, 4, 4, 2, 4, 2, 4, 4, 4, 4, 4,
    2, 6, 2, 8, 3, 3, 5, 5, 2, 2, 2, 2, 4, 4, 6, 6, 2, 5, 2, 8, 4, 4, 6, 6, 2, 4, 2, 7, 4, 4, 7, 7,
    2, 6, 2, 8, 3, 3, 5, 5, 2, 2, 2, 2, 4, 4, 6, 6, 2, 5, 2, 8, 4, 4, 6, 6, 2, 4, 2, 7, 4, 4, 7, 7,
};

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
    cpu->sp--;
}

static uint8_t pull(console *machine) {
    cpu_state *cpu = &machine->s.cpu;
    cpu->sp++;
    return bus_read(machine, 0x100 | cpu->sp);
}

static uint8_t stack_peek(console *machine) { return bus_read(machine, 0x100 | machine->s.cpu.sp); }
static uint8_t fetch(console *machine) { return bus_read(machine, machine->s.cpu.pc++); }

static uint16_t fetch_word(console *machine) {
    unsigned low = fetch(machine);
    return (uint16_t)(low | fetch(machine) << 8);
}

/* The high byte of a pointer comes from the next address, without wrapping inside page zero. */
static uint16_t read_pointer(console *machine, uint8_t at) {
    unsigned low = bus_read(machine, at);
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

/* Addressing modes. */
#define ZP() fetch(machine)
#define ZPX() (uint8_t)(fetch(machine) + cpu->x)
#define ZPY() (uint8_t)(fetch(machine) + cpu->y)
#define ABS() fetch_word(machine)
#define ABX_R() indexed(machine, fetch_word(machine), cpu->x, true)
#define ABX_W() indexed(machine, fetch_word(machine), cpu->x, false)
#define ABY_R() indexed(machine, fetch_word(machine), cpu->y, true)
#define ABY_W() indexed(machine, fetch_word(machine), cpu->y, false)
#define IZX() read_pointer(machine, (uint8_t)(fetch(machine) + cpu->x))
#define IZY_R() indexed(machine, read_pointer(machine, fetch(machine)), cpu->y, true)
#define IZY_W() indexed(machine, read_pointer(machine, fetch(machine)), cpu->y, false)
#define READ(address) bus_read(machine, (address))
#define WRITE(address, value) bus_write(machine, (address), (value))

/* An operation on a value read in each of the eight reading modes (opcodes in 6502 order). */
#define EIGHT_READS(izx, zp, imm, abs, izy, zpx, aby, abx, DO) \
    case izx: m = READ(IZX()); DO; break;                      \
    case zp: m = READ(ZP()); DO; break;                        \
    case imm: m = fetch(machine); DO; break;                   \
    case abs: m = READ(ABS()); DO; break;                      \
    case izy: m = READ(IZY_R()); DO; break;                    \
    case zpx: m = READ(ZPX()); DO; break;                      \
    case aby: m = READ(ABY_R()); DO; break;                    \
    case abx: m = READ(ABX_R()); DO; break;

/* Read, change, write back, then the rest of a combined instruction. */
#define MODIFY(mode, CHANGE, THEN) \
    {                              \
        address = mode;            \
        m = READ(address);         \
        m = CHANGE;                \
        WRITE(address, m);         \
        THEN;                      \
        break;                     \
    }
#define FOUR_MODIFIES(zp, zpx, abs, abx, CHANGE) \
    case zp: MODIFY(ZP(), CHANGE, )              \
    case zpx: MODIFY(ZPX(), CHANGE, )            \
    case abs: MODIFY(ABS(), CHANGE, )            \
    case abx: MODIFY(ABX_W(), CHANGE, )
#define SEVEN_MODIFIES(zp, zpx, abs, abx, aby, izx, izy, CHANGE, THEN) \
    case zp: MODIFY(ZP(), CHANGE, THEN)                                \
    case zpx: MODIFY(ZPX(), CHANGE, THEN)                              \
    case abs: MODIFY(ABS(), CHANGE, THEN)                              \
    case abx: MODIFY(ABX_W(), CHANGE, THEN)                            \
    case aby: MODIFY(ABY_W(), CHANGE, THEN)                            \
    case izx: MODIFY(IZX(), CHANGE, THEN)                              \
    case izy: MODIFY(IZY_W(), CHANGE, THEN)

#define LOAD(reg) set_nz(cpu, cpu->reg = m)
#define HIGH_PLUS_1 (uint8_t)((address >> 8) + 1)

static void step(console *machine) {
    cpu_state *cpu = &machine->s.cpu;
    uint8_t opcode = fetch(machine), m;
    uint16_t address;
    cpu->time += cpu_cycles[opcode];
    switch (opcode) {
        EIGHT_READS(0x01, 0x05, 0x09, 0x0D, 0x11, 0x15, 0x19, 0x1D, set_nz(cpu, cpu->a |= m))
        EIGHT_READS(0x21, 0x25, 0x29, 0x2D, 0x31, 0x35, 0x39, 0x3D, set_nz(cpu, cpu->a &= m))
        EIGHT_READS(0x41, 0x45, 0x49, 0x4D, 0x51, 0x55, 0x59, 0x5D, set_nz(cpu, cpu->a ^= m))
        EIGHT_READS(0x61, 0x65, 0x69, 0x6D, 0x71, 0x75, 0x79, 0x7D, cpu_adc(cpu, m))
        EIGHT_READS(0xA1, 0xA5, 0xA9, 0xAD, 0xB1, 0xB5, 0xB9, 0xBD, LOAD(a))
        EIGHT_READS(0xC1, 0xC5, 0xC9, 0xCD, 0xD1, 0xD5, 0xD9, 0xDD, compare(cpu, cpu->a, m))
        EIGHT_READS(0xE1, 0xE5, 0xE9, 0xED, 0xF1, 0xF5, 0xF9, 0xFD, cpu_sbc(cpu, m))
        case 0xEB: m = fetch(machine); cpu_sbc(cpu, m); break;

        case 0xA2: m = fetch(machine); LOAD(x); break;
        case 0xA6: m = READ(ZP()); LOAD(x); break;
        case 0xB6: m = READ(ZPY()); LOAD(x); break;
        case 0xAE: m = READ(ABS()); LOAD(x); break;
        case 0xBE: m = READ(ABY_R()); LOAD(x); break;
        case 0xA0: m = fetch(machine); LOAD(y); break;
        case 0xA4: m = READ(ZP()); LOAD(y); break;
        case 0xB4: m = READ(ZPX()); LOAD(y); break;
        case 0xAC: m = READ(ABS()); LOAD(y); break;
        case 0xBC: m = READ(ABX_R()); LOAD(y); break;

        case 0x81: WRITE(IZX(), cpu->a); break;
        case 0x85: WRITE(ZP(), cpu->a); break;
        case 0x8D: WRITE(ABS(), cpu->a); break;
        case 0x91: WRITE(IZY_W(), cpu->a); break;
        case 0x95: WRITE(ZPX(), cpu->a); break;
        case 0x99: WRITE(ABY_W(), cpu->a); break;
        case 0x9D: WRITE(ABX_W(), cpu->a); break;
        case 0x86: WRITE(ZP(), cpu->x); break;
        case 0x96: WRITE(ZPY(), cpu->x); break;
        case 0x8E: WRITE(ABS(), cpu->x); break;
        case 0x84: WRITE(ZP(), cpu->y); break;
        case 0x94: WRITE(ZPX(), cpu->y); break;
        case 0x8C: WRITE(ABS(), cpu->y); break;

        case 0xAA: set_nz(cpu, cpu->x = cpu->a); break;
        case 0xA8: set_nz(cpu, cpu->y = cpu->a); break;
        case 0x8A: set_nz(cpu, cpu->a = cpu->x); break;
        case 0x98: set_nz(cpu, cpu->a = cpu->y); break;
        case 0xBA: set_nz(cpu, cpu->x = cpu->sp); break;
        case 0x9A: cpu->sp = cpu->x; break;
        case 0xE8: set_nz(cpu, ++cpu->x); break;
        case 0xC8: set_nz(cpu, ++cpu->y); break;
        case 0xCA: set_nz(cpu, --cpu->x); break;
        case 0x88: set_nz(cpu, --cpu->y); break;

        FOUR_MODIFIES(0xE6, 0xF6, 0xEE, 0xFE, (set_nz(cpu, (uint8_t)(m + 1)), cpu->n))
        FOUR_MODIFIES(0xC6, 0xD6, 0xCE, 0xDE, (set_nz(cpu, (uint8_t)(m - 1)), cpu->n))
        FOUR_MODIFIES(0x06, 0x16, 0x0E, 0x1E, asl(cpu, m))
        FOUR_MODIFIES(0x46, 0x56, 0x4E, 0x5E, lsr(cpu, m))
        FOUR_MODIFIES(0x26, 0x36, 0x2E, 0x3E, rol(cpu, m))
        FOUR_MODIFIES(0x66, 0x76, 0x6E, 0x7E, ror(cpu, m))
        case 0x0A: cpu->a = asl(cpu, cpu->a); break;
        case 0x4A: cpu->a = lsr(cpu, cpu->a); break;
        case 0x2A: cpu->a = rol(cpu, cpu->a); break;
        case 0x6A: cpu->a = ror(cpu, cpu->a); break;

        case 0xE0: compare(cpu, cpu->x, fetch(machine)); break;
        case 0xE4: compare(cpu, cpu->x, READ(ZP())); break;
        case 0xEC: compare(cpu, cpu->x, READ(ABS())); break;
        case 0xC0: compare(cpu, cpu->y, fetch(machine)); break;
        case 0xC4: compare(cpu, cpu->y, READ(ZP())); break;
        case 0xCC: compare(cpu, cpu->y, READ(ABS())); break;
        case 0x24:
        case 0x2C:
            m = opcode == 0x24 ? READ(ZP()) : READ(ABS());
            cpu->n = m;
            cpu->v = m >> 6 & 1;
            cpu->z = cpu->a & m;
            break;

        case 0x18: cpu->c = 0; break;
        case 0x38: cpu->c = 1; break;
        case 0x58: cpu->i = 0; break;
        case 0x78: cpu->i = 1; break;
        case 0xB8: cpu->v = 0; break;
        case 0xD8: cpu->d = 0; break;
        case 0xF8: cpu->d = 1; break;

        case 0x10: branch(machine, !(cpu->n & 0x80)); break;
        case 0x30: branch(machine, cpu->n & 0x80); break;
        case 0x50: branch(machine, !cpu->v); break;
        case 0x70: branch(machine, cpu->v); break;
        case 0x90: branch(machine, !cpu->c); break;
        case 0xB0: branch(machine, cpu->c); break;
        case 0xD0: branch(machine, cpu->z != 0); break;
        case 0xF0: branch(machine, cpu->z == 0); break;

        case 0x4C: cpu->pc = fetch_word(machine); break;
        case 0x6C: { /* the pointer's high byte never leaves its page */
            address = fetch_word(machine);
            unsigned low = READ(address);
            cpu->pc = (uint16_t)(low | READ((uint16_t)((address & 0xFF00) | ((address + 1) & 0xFF))) << 8);
            break;
        }
        case 0x20: {
            unsigned low = fetch(machine);
            stack_peek(machine);
            push(machine, (uint8_t)(cpu->pc >> 8));
            push(machine, (uint8_t)cpu->pc);
            cpu->pc = (uint16_t)(low | fetch(machine) << 8);
            break;
        }
        case 0x60: {
            stack_peek(machine);
            unsigned low = pull(machine);
            cpu->pc = (uint16_t)(low | pull(machine) << 8);
            fetch(machine);
            break;
        }
        case 0x40: {
            stack_peek(machine);
            cpu_set_status(cpu, pull(machine));
            unsigned low = pull(machine);
            cpu->pc = (uint16_t)(low | pull(machine) << 8);
            break;
        }
        case 0x00: {
            fetch(machine);
            push(machine, (uint8_t)(cpu->pc >> 8));
            push(machine, (uint8_t)cpu->pc);
            push(machine, cpu_status(cpu));
            cpu->i = 1;
            unsigned low = READ(0xFFFE);
            cpu->pc = (uint16_t)(low | READ(0xFFFF) << 8);
            break;
        }
        case 0x48: push(machine, cpu->a); break;
        case 0x08: push(machine, cpu_status(cpu)); break;
        case 0x68:
            stack_peek(machine);
            m = pull(machine);
            LOAD(a);
            break;
        case 0x28:
            stack_peek(machine);
            cpu_set_status(cpu, pull(machine));
            break;

        /* Undocumented. */
        case 0xEA: case 0x1A: case 0x3A: case 0x5A: case 0x7A: case 0xDA: case 0xFA: break;
        case 0x80: case 0x82: case 0x89: case 0xC2: case 0xE2: fetch(machine); break;
        case 0x04: case 0x44: case 0x64: READ(ZP()); break;
        case 0x14: case 0x34: case 0x54: case 0x74: case 0xD4: case 0xF4: READ(ZPX()); break;
        case 0x0C: READ(ABS()); break;
        case 0x1C: case 0x3C: case 0x5C: case 0x7C: case 0xDC: case 0xFC: READ(ABX_R()); break;
        SEVEN_MODIFIES(0x07, 0x17, 0x0F, 0x1F, 0x1B, 0x03, 0x13, asl(cpu, m), set_nz(cpu, cpu->a |= m))
        SEVEN_MODIFIES(0x27, 0x37, 0x2F, 0x3F, 0x3B, 0x23, 0x33, rol(cpu, m), set_nz(cpu, cpu->a &= m))
        SEVEN_MODIFIES(0x47, 0x57, 0x4F, 0x5F, 0x5B, 0x43, 0x53, lsr(cpu, m), set_nz(cpu, cpu->a ^= m))
        SEVEN_MODIFIES(0x67, 0x77, 0x6F, 0x7F, 0x7B, 0x63, 0x73, ror(cpu, m), cpu_adc(cpu, m))
        SEVEN_MODIFIES(0xC7, 0xD7, 0xCF, 0xDF, 0xDB, 0xC3, 0xD3, (uint8_t)(m - 1), compare(cpu, cpu->a, m))
        SEVEN_MODIFIES(0xE7, 0xF7, 0xEF, 0xFF, 0xFB, 0xE3, 0xF3, (uint8_t)(m + 1), cpu_sbc(cpu, m))
        case 0xA7: m = READ(ZP()); cpu->x = m; LOAD(a); break;
        case 0xB7: m = READ(ZPY()); cpu->x = m; LOAD(a); break;
        case 0xAF: m = READ(ABS()); cpu->x = m; LOAD(a); break;
        case 0xBF: m = READ(ABY_R()); cpu->x = m; LOAD(a); break;
        case 0xA3: m = READ(IZX()); cpu->x = m; LOAD(a); break;
        case 0xB3: m = READ(IZY_R()); cpu->x = m; LOAD(a); break;
        case 0x87: WRITE(ZP(), cpu->a & cpu->x); break;
        case 0x97: WRITE(ZPY(), cpu->a & cpu->x); break;
        case 0x8F: WRITE(ABS(), cpu->a & cpu->x); break;
        case 0x83: WRITE(IZX(), cpu->a & cpu->x); break;
        case 0x0B: case 0x2B:
            set_nz(cpu, cpu->a &= fetch(machine));
            cpu->c = cpu->a >> 7;
            break;
        case 0x4B: cpu->a = lsr(cpu, cpu->a & fetch(machine)); break;
        case 0x6B: arr(cpu, fetch(machine)); break;
        case 0x8B: set_nz(cpu, cpu->a = (cpu->a | 0xEE) & cpu->x & fetch(machine)); break;
        case 0xAB: set_nz(cpu, cpu->a = cpu->x = (cpu->a | 0xEE) & fetch(machine)); break;
        case 0xCB:
            m = fetch(machine);
            cpu->x &= cpu->a;
            compare(cpu, cpu->x, m);
            cpu->x = cpu->n;
            break;
        case 0xBB:
            m = cpu->sp & READ(ABY_R());
            cpu->sp = cpu->x = m;
            LOAD(a);
            break;
        case 0x9F: address = ABY_W(); WRITE(address, cpu->a & cpu->x & HIGH_PLUS_1); break;
        case 0x93: address = IZY_W(); WRITE(address, cpu->a & cpu->x & HIGH_PLUS_1); break;
        case 0x9E: address = ABY_W(); WRITE(address, cpu->x & HIGH_PLUS_1); break;
        case 0x9C: address = ABX_W(); WRITE(address, cpu->y & HIGH_PLUS_1); break;
        case 0x9B:
            address = ABY_W();
            cpu->sp = cpu->a & cpu->x;
            WRITE(address, cpu->sp & HIGH_PLUS_1);
            break;
        default: cpu->jammed = 1; break; /* 02 12 22 32 42 52 62 72 92 B2 D2 F2 */
    }
}

/* Run until the frame ends, the CPU jams, or `instructions` are done. */
static void run_counted(console *machine, uint32_t instructions) {
    while (instructions && !machine->s.tia.stop && !machine->s.cpu.jammed) {
        if (machine->rom->code && machine->fast_paths & FAST_CPU) {
            uint32_t done = cpu_code_run(machine, instructions);
            instructions -= done;
            if (!instructions || machine->s.tia.stop) break;
        }
        step(machine);
        instructions--;
    }
}

/* The machine at the start of a frame, but for its generator, which no program reaches. */
typedef struct frame_start {
    uint8_t state[offsetof(machine_state, random)];
    collision_cursor cursor[CURSORS];
} frame_start;

static void note_start(const console *machine, frame_start *start) {
    memcpy(start->state, &machine->s, sizeof start->state);
    memcpy(start->cursor, machine->picture->cursor, sizeof start->cursor);
}

static void return_to_start(console *machine, const frame_start *start) {
    memcpy(&machine->s, start->state, sizeof start->state);
    picture_restart_frame(machine, start->cursor);
}

/* Translated code counts no instructions.  As each takes two cycles or more, the clock tells that there were
 * not too many, unless the frame is very long or does not end: then it is run again. */
static bool run_translated(console *machine) {
    const uint32_t end = machine->s.cpu.time + 2 * FRAME_INSTRUCTIONS;
    bool alone = false;
    while (!machine->s.tia.stop && !machine->s.cpu.jammed && machine->s.cpu.time < end) {
        if (!alone) alone = translation_run(machine);
        if (machine->s.tia.stop) break;
        if (alone) cpu_code_run(machine, (end - machine->s.cpu.time + 1) / 2);
        if (machine->s.tia.stop) break;
        step(machine);
    }
    return machine->s.tia.stop;
}

void cpu_run(console *machine, bool continued) {
    machine->s.tia.stop = 0;
    if (!continued && machine->rom->translation && machine->fast_paths & FAST_TRANSLATE &&
        machine->fast_paths & FAST_RASTER) {
        frame_start start;
        note_start(machine, &start);
        if (run_translated(machine)) return;
        return_to_start(machine, &start);
    }
    run_counted(machine, FRAME_INSTRUCTIONS);
}

const char *cpu_flaw(const cpu_state *cpu) {
    EXPECT(cpu->v <= 1, "cpu.v");
    EXPECT(cpu->d <= 1, "cpu.d");
    EXPECT(cpu->i <= 1, "cpu.i");
    EXPECT(cpu->c <= 1, "cpu.c");
    EXPECT(cpu->jammed <= 1, "cpu.jammed");
    EXPECT(cpu->reserved == 0, "cpu.reserved");
    return NULL;
}
