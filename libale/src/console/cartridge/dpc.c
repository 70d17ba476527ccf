/* DPC, the custom chip of Pitfall II: banks as of F8; eight data fetchers, three of which can play music; random
 * numbers. */
#include "dpc.h"

#include "hotspots.h"

enum {
    DISPLAY_SIZE = 2048,
    COUNTER_MASK = 0x7FF,
};

static bool dpc_detect(const rom_file *file) {
    return file->size == 10 * KIB || file->size == 10 * KIB + 255 || file->size == 10 * KIB + 256;
}

/* What the shift register holds after each value. */
#define NEXT(r) (uint8_t)((r) << 1 | (~((r) >> 7 ^ (r) >> 5 ^ (r) >> 4 ^ (r) >> 3) & 1))
#define NEXT_4(r) NEXT(r), NEXT((r) + 1), NEXT((r) + 2), NEXT((r) + 3)
#define NEXT_16(r) NEXT_4(r), NEXT_4((r) + 4), NEXT_4((r) + 8), NEXT_4((r) + 12)
#define NEXT_64(r) NEXT_16(r), NEXT_16((r) + 16), NEXT_16((r) + 32), NEXT_16((r) + 48)
static const uint8_t next_random[SCHEME_TABLE] = {NEXT_64(0), NEXT_64(64), NEXT_64(128), NEXT_64(192)};

/* An access of the chip clocks its shift register. */
static void dpc_clock_random(dpc_state *dpc) { dpc->random = next_random[dpc->random]; }

/* Clocks of the music in some cycles.  Programs sample it every line or two; a table spares them the division. */
#define MUSIC(cycles) (15750.0 * (cycles) / 1193191.66666667)
#define MUSIC_4(n) MUSIC(n), MUSIC((n) + 1), MUSIC((n) + 2), MUSIC((n) + 3)
#define MUSIC_16(n) MUSIC_4(n), MUSIC_4((n) + 4), MUSIC_4((n) + 8), MUSIC_4((n) + 12)
#define MUSIC_64(n) MUSIC_16(n), MUSIC_16((n) + 16), MUSIC_16((n) + 32), MUSIC_16((n) + 48)
static double dpc_clocks(int32_t cycles) {
    static const double few[] = {MUSIC_64(0), MUSIC_64(64), MUSIC_64(128)};
    const int32_t count = (int32_t)(sizeof few / sizeof *few);
    return cycles >= 0 && cycles < count ? few[cycles] : MUSIC(cycles);
}

static bool dpc_plays_music(const dpc_state *dpc, unsigned fetcher) {
    return fetcher >= DPC_FIRST_MUSIC && dpc->music[fetcher - DPC_FIRST_MUSIC];
}

/* A fetcher in music mode goes on by some clocks. */
static inline void dpc_play(dpc_state *dpc, unsigned fetcher, int clocks) {
    const int top = dpc->top[fetcher], period = top + 1;
    int low = 0;
    if (top) {
        /* mostly one clock a line has passed: a division takes longer than all else */
        low = (dpc->counter[fetcher] & 0xFF) - (clocks < period ? clocks : clocks % period);
        if (low < 0) low += period;
    }
    if (low <= dpc->bottom[fetcher]) {
        dpc->flag[fetcher] = 0x00;
    } else if (low <= top) {
        dpc->flag[fetcher] = 0xFF;
    }
    dpc->counter[fetcher] = (uint16_t)((dpc->counter[fetcher] & 0x700) | low);
}

/* Let the fetchers in music mode catch up with the clock. */
static inline void dpc_update_music(console *machine) {
    dpc_state *dpc = &machine->s.cartridge.dpc;
    const uint32_t now = console_cycles(machine);
    const int32_t cycles = (int32_t)(now - (uint32_t)dpc->stamp);
    const double clocks = dpc_clocks(cycles) + dpc->fraction;
    const int whole = (int)clocks;
    dpc->stamp = (int32_t)now;
    dpc->fraction = whole ? clocks - whole : clocks;
    if (whole <= 0) return;
    for (unsigned fetcher = DPC_FIRST_MUSIC; fetcher < 8; fetcher++)
        if (dpc_plays_music(dpc, fetcher)) dpc_play(dpc, fetcher, whole);
}

/* The effects that all accesses of a fetcher have. */
static inline void dpc_step(dpc_state *dpc, unsigned fetcher) {
    const unsigned counter = dpc->counter[fetcher], low = counter & 0xFF;
    if (low == dpc->top[fetcher]) {
        dpc->flag[fetcher] = 0xFF;
    } else if (low == dpc->bottom[fetcher]) {
        dpc->flag[fetcher] = 0x00;
    }
    if (!dpc_plays_music(dpc, fetcher)) dpc->counter[fetcher] = (counter - 1u) & COUNTER_MASK;
}

/* Separate, so that reads of other registers do not save the registers that this needs. */
__attribute__((noinline)) static uint8_t dpc_read_music(console *machine, unsigned fetcher) {
    static const uint8_t amplitudes[8] = {0x00, 0x04, 0x05, 0x09, 0x06, 0x0A, 0x0B, 0x0F};
    dpc_state *dpc = &machine->s.cartridge.dpc;
    const uint8_t *flag = dpc->flag + DPC_FIRST_MUSIC, *music = dpc->music;
    dpc_clock_random(dpc);
    dpc_step(dpc, fetcher);
    dpc_update_music(machine);
    return amplitudes[(music[0] & flag[0]) | (music[1] & flag[1]) << 1 | (music[2] & flag[2]) << 2];
}

uint8_t dpc_read_register(console *machine, unsigned a) {
    dpc_state *dpc = &machine->s.cartridge.dpc;
    const unsigned fetcher = a & 7, function = a >> 3;
    if (function == DPC_RANDOM_OR_MUSIC && fetcher >= 4) return dpc_read_music(machine, fetcher);
    const uint8_t *data = machine->rom->data + DPC_DISPLAY + DISPLAY_SIZE - 1 - dpc->counter[fetcher];
    dpc_clock_random(dpc);
    dpc_step(dpc, fetcher);
    switch (function) {
        case DPC_RANDOM_OR_MUSIC: return dpc->random;
        case DPC_DATA: return *data;
        case DPC_DATA_AND_FLAG: return *data & dpc->flag[fetcher];
        case DPC_FLAG: return dpc->flag[fetcher];
        default: return 0;
    }
}

static uint8_t dpc_read(console *machine, uint16_t address) {
    const unsigned a = address & 0xFFF;
    if (a < DPC_REGISTERS) return dpc_read_register(machine, a);
    if (a < 0x80 || a >= 0xFC0) dpc_clock_random(&machine->s.cartridge.dpc);
    bank_hotspots(machine, a);
    return bank_byte(machine, a);
}

static void dpc_write(console *machine, uint16_t address, uint8_t value) {
    const unsigned a = address & 0xFFF;
    dpc_state *dpc = &machine->s.cartridge.dpc;
    dpc_clock_random(dpc);
    bank_hotspots(machine, a);
    if (a < DPC_REGISTERS || a >= 2 * DPC_REGISTERS) return;
    unsigned i = a & 7;
    uint16_t *counter = &dpc->counter[i];
    switch (a >> 3 & 7) {
        case 0:
            dpc->top[i] = value;
            dpc->flag[i] = 0x00;
            break;
        case 1: dpc->bottom[i] = value; break;
        case 2: *counter = (uint16_t)((*counter & 0x700) | (dpc_plays_music(dpc, i) ? dpc->top[i] : value)); break;
        case 3:
            *counter = (uint16_t)((*counter & 0xFF) | (value & 7) << 8);
            if (i >= 5) dpc->music[i - 5] = value >> 4 & 1;
            break;
        case 6: dpc->random = 1; break;
        default: break;
    }
}

static void dpc_reset(console *machine) {
    bank_reset(machine);
    machine->s.cartridge.dpc.stamp = (int32_t)console_cycles(machine);
    machine->s.cartridge.dpc.fraction = 0;
}

#define DPC(member, ...) INVARIANT("cartridge.dpc." #member, dpc_state, member, __VA_ARGS__)
#define DPC_EACH(member, ...) INVARIANTS("cartridge.dpc." #member, dpc_state, member, __VA_ARGS__)
const invariant dpc_invariants[] = {
    DPC_EACH(top, ANY_VALUE),
    DPC_EACH(bottom, ANY_VALUE),
    DPC_EACH(flag, ONE_OF(0, 0xFF)),
    DPC_EACH(counter, IN_RANGE(0, COUNTER_MASK)),
    DPC_EACH(music, A_FLAG),
    DPC(random, IN_RANGE(0, 0xFE)), /* the shift register never leaves $FF, and never gets there */
    DPC(stamp, ANY_VALUE),
    DPC(fraction, ANY_VALUE),
    {0},
};

const char *dpc_invalid_field(const dpc_state *dpc, bool exists) {
    EXPECT_NONE(invalid_field(dpc_invariants, dpc));
    EXPECT(dpc->fraction > -1 && dpc->fraction < 1, "cartridge.dpc.fraction"); /* not when it is no number */
    if (exists) return NULL;
    EXPECT(is_zero(dpc, offsetof(dpc_state, random)) && dpc->random == 1 && dpc->fraction == 0, "cartridge.dpc");
    return NULL;
}

const cartridge_scheme scheme_DPC = {
    .name = "DPC",
    .smallest = 10 * KIB,
    .largest = 10 * KIB + 256,
    .takes = "10240 to 10496 bytes",
    .bank = 4 * KIB,
    .detect = dpc_detect,
    .quiet = 0x080,
    .quiet_end = 0xFC0,
    .code = 8 * KIB,
    .table = next_random,
    .clocked_end = 0xFF8,
    .read = dpc_read,
    .write = dpc_write,
    .reset = dpc_reset,
    .bank_exists = bank_is_in_image,
    .hotspot = 0xFF8,
    .hotspots = 2,
    .start = 1,
};
