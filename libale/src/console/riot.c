/* RIOT (6532): timer and ports. */
#include "riot.h"

/* log2 of the intervals, by register. */
static const uint8_t shifts[4] = {0, 3, 6, 10};

void riot_reset(struct console *machine) {
    riot_state *riot = &machine->s.riot;
    *riot = (riot_state){0};
    riot->value = 25 + mt19937_next(&machine->s.random) % 75;
    riot->shift = 6;
}

void riot_rebase(riot_state *riot, uint32_t cycles) {
    riot->set_at -= cycles;
    riot->read_at -= cycles;
}

/* Whole intervals gone by; the timer has expired once they reach the value, compared as signed numbers. */
static uint32_t intervals(const riot_state *riot, uint32_t time) {
    return (time - 1 - riot->set_at) >> riot->shift;
}

static bool expired(const riot_state *riot, uint32_t passed) {
    return (int32_t)passed >= (int32_t)riot->value;
}

uint8_t riot_intim(riot_state *riot, uint32_t time) {
    uint32_t passed = intervals(riot, time);
    if (!expired(riot, passed)) return (uint8_t)(riot->value - passed - 1);
    /* -1 in the first expired cycle, one less each cycle. */
    uint32_t end = riot->value << riot->shift;
    int32_t since = (int32_t)(end - (time - 1 - riot->set_at) - 1);
    if (since <= -2 && !riot->read_expired) {
        riot->read_expired = 1;
        riot->read_at = time;
    }
    if (!riot->read_expired) return (uint8_t)since;
    /* From that first read on the counter goes on at the interval's rate. */
    return (uint8_t)(riot->value - passed - (riot->read_at - (riot->set_at + end)));
}

static uint8_t instat(const riot_state *riot, uint32_t time) {
    return expired(riot, intervals(riot, time)) && !riot->read_expired ? 0x80 : 0;
}

/* The switches are a latch that follows the hands when it is read. */
static uint8_t swchb(struct console *machine) {
    const controls *hands = &machine->hands;
    uint8_t s = machine->s.switches;
    if (hands->difficulty_set) {
        s = (uint8_t)((s & 0x3F) | ((hands->difficulty & 1) << 6) | ((hands->difficulty & 2) << 6));
    }
    s = (uint8_t)((s & ~3) | (hands->reset ? 0 : 1) | (hands->select ? 0 : 2));
    machine->s.switches = s;
    return s;
}

uint8_t riot_read(struct console *machine, uint16_t address) {
    riot_state *riot = &machine->s.riot;
    switch (address & 7) {
        case 0: return machine->swcha; /* always the pins, whatever the direction register says */
        case 1: return riot->ddra;
        case 2: return swchb(machine);
        case 3: return 0;
        case 4:
        case 6: return riot_intim(riot, machine->s.cpu.time);
        default: return instat(riot, machine->s.cpu.time);
    }
}

void riot_write(struct console *machine, uint16_t address, uint8_t value) {
    riot_state *riot = &machine->s.riot;
    unsigned reg = address & 7;
    if (reg == 1) riot->ddra = value;
    if (reg < 4 || !(address & 0x10)) return;
    riot->value = value;
    riot->shift = shifts[reg & 3];
    riot->set_at = machine->s.cpu.time;
    riot->read_expired = 0;
}

#define RIOT(member, ...) INVARIANT("riot." #member, riot_state, member, __VA_ARGS__)
const invariant riot_invariants[] = {
    RIOT(value, IN_RANGE(0, 0xFF)),
    RIOT(set_at, ANY_VALUE),
    RIOT(read_at, ANY_VALUE),
    RIOT(shift, ONE_OF(0, 3, 6, 10)),
    RIOT(read_expired, A_FLAG),
    RIOT(ddra, ANY_VALUE),
    RIOT(reserved, ONLY_ZERO),
    {0},
};
