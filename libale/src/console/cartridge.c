/* Bank switching, scheme by scheme.
 *
 * `a` is an address within the cartridge's 4 KiB.  Hotspots act on reads and writes alike, and a read that
 * switches returns the byte of the new bank.  Reading the write port of a RAM does not disturb the RAM. */
#include "cartridge.h"

#include <string.h>

#include "../support/flaw.h"
#include "console.h"

enum {
    BANK = 4096,
    SLICE_E0 = 1024,
    SLICE_E7 = 2048,
    SLICE_3F = 2048,
    E7_RAM = 7, /* slice number that maps the 1 KiB RAM */
    RAM_3E = 256, /* bank numbers from here on are RAM */
    RAM_3E_BANKS = 32,
    CV_RAM = 1024,
    CV_RAM_IMAGE = 4096, /* where the ROM image holds the contents of the RAM, if it does */
    DPC_DISPLAY = 8192,  /* display data in the image, read backwards */
    DPC_DISPLAY_SIZE = 2048,
    COUNTER_MASK = 0x7FF,
    MC_LOCKED_BLOCK = 0xFF,
};

/* Schemes that map 4 KiB at once. */
typedef struct flat_scheme {
    uint16_t hotspot;  /* the first; one for each bank in turn */
    uint16_t hotspots;
    uint16_t ram;      /* bytes; write port at 0, read port behind it */
    uint8_t start;     /* bank at reset */
    bool flat;
} flat_scheme;

static const flat_scheme flat_schemes[ROM_SCHEME_COUNT] = {
    [ROM_2K] = {.flat = true},
    [ROM_4K] = {.flat = true},
    [ROM_F8] = {0xFF8, 2, 0, 1, true},
    [ROM_F8_SWAPPED] = {0xFF8, 2, 0, 0, true},
    [ROM_F8SC] = {0xFF8, 2, 128, 1, true},
    [ROM_F6] = {0xFF6, 4, 0, 0, true},
    [ROM_F6SC] = {0xFF6, 4, 128, 0, true},
    [ROM_F4] = {0xFF4, 8, 0, 0, true},
    [ROM_F4SC] = {0xFF4, 8, 128, 0, true},
    [ROM_FASC] = {0xFF8, 3, 256, 2, true},
    [ROM_UA] = {.flat = true},
    [ROM_MB] = {.start = 1, .flat = true},
    [ROM_DPC] = {0xFF8, 2, 0, 1, true},
};

static void select_bank(console *machine, uint32_t bank) {
    machine->s.cartridge.bank = bank;
    machine->s.cartridge.offset = bank * BANK;
}

static void hotspots(console *machine, unsigned a) {
    const flat_scheme *flat = &flat_schemes[machine->rom->scheme];
    unsigned bank = a - flat->hotspot; /* huge for addresses before the first */
    if (bank < flat->hotspots) select_bank(machine, bank);
}

static uint8_t flat_byte(const console *machine, unsigned a) {
    return machine->rom->data[machine->s.cartridge.offset + a];
}

static uint8_t flat_read(console *machine, unsigned a) {
    unsigned ram = flat_schemes[machine->rom->scheme].ram;
    if (a >= ram && a < 2 * ram) return machine->s.cartridge.ram[a - ram];
    hotspots(machine, a);
    return flat_byte(machine, a);
}

static void flat_write(console *machine, unsigned a, uint8_t value) {
    if (a < flat_schemes[machine->rom->scheme].ram) machine->s.cartridge.ram[a] = value;
    if (machine->rom->scheme != ROM_F4SC) hotspots(machine, a); /* F4SC switches on reads only */
}

/* ---- MB: one hotspot, which goes round 16 banks -------------------------------------------------------- */

static void mb_hotspot(console *machine, unsigned a) {
    if (a == 0xFF0) select_bank(machine, (machine->s.cartridge.bank + 1) % machine->rom->banks);
}

/* ---- E0: four segments of 1 KiB, the last one fixed ---------------------------------------------------- */

static void e0_hotspots(cartridge_state *cartridge, unsigned a) {
    if (a >= 0xFE0 && a < 0xFF8) cartridge->slice[(a - 0xFE0) / 8] = a & 7;
}

static uint8_t e0_read(console *machine, unsigned a) {
    cartridge_state *cartridge = &machine->s.cartridge;
    e0_hotspots(cartridge, a);
    return machine->rom->data[cartridge->slice[a / SLICE_E0] * SLICE_E0 + a % SLICE_E0];
}

/* ---- E7: a segment of 2 KiB or of 1 KiB RAM, a port to 4 times 256 bytes of RAM, a fixed segment ------- */

static void e7_hotspots(cartridge_state *cartridge, unsigned a) {
    if (a >= 0xFE0 && a < 0xFE8) cartridge->slice[0] = a & 7;
    if (a >= 0xFE8 && a < 0xFEC) cartridge->slice[1] = a & 3;
}

/* The RAM byte whose write port is at `a`, or NULL. */
static uint8_t *e7_port(const console *machine, unsigned a) {
    const cartridge_state *cartridge = &machine->s.cartridge;
    if (a < 0x400 && cartridge->slice[0] == E7_RAM) return &machine->big_ram[a];
    if (a >= 0x800 && a < 0x900) return &machine->big_ram[0x400 + 0x100u * cartridge->slice[1] + (a & 0xFF)];
    return NULL;
}

static uint8_t e7_read(console *machine, unsigned a) {
    cartridge_state *cartridge = &machine->s.cartridge;
    e7_hotspots(cartridge, a);
    const uint8_t *ram = NULL;
    if (a >= 0x400 && a < 0x800) ram = e7_port(machine, a - 0x400);
    if (a >= 0x900 && a < 0xA00) ram = e7_port(machine, a - 0x100);
    if (ram) return *ram;
    unsigned slice = a < SLICE_E7 ? cartridge->slice[0] : 7;
    return machine->rom->data[slice * SLICE_E7 + a % SLICE_E7];
}

static void e7_write(console *machine, unsigned a, uint8_t value) {
    e7_hotspots(&machine->s.cartridge, a);
    uint8_t *ram = e7_port(machine, a);
    if (ram) *ram = value;
}

/* ---- 3F and 3E: 2 KiB banks chosen by writes to TIA addresses, the last bank fixed --------------------- */

/* The RAM byte of 3E that is seen at `a`, or NULL where it is ROM. */
static uint8_t *c3e_ram(const console *machine, unsigned a) {
    uint32_t bank = machine->s.cartridge.bank;
    return bank >= RAM_3E && a < SLICE_3F ? &machine->big_ram[(bank - RAM_3E) * 1024 + a % 1024] : NULL;
}

static uint8_t c3f_read(const console *machine, unsigned a) {
    const rom_image *rom = machine->rom;
    const uint8_t *ram = c3e_ram(machine, a);
    if (ram) return *ram;
    uint32_t bank = a < SLICE_3F ? machine->s.cartridge.bank : rom->banks - 1;
    return rom->data[bank * SLICE_3F + a % SLICE_3F];
}

/* What a write of `value` to the low six bits of `a` switches. */
static void c3f_switch(console *machine, unsigned a, uint8_t value) {
    const rom_image *rom = machine->rom;
    uint32_t *bank = &machine->s.cartridge.bank;
    if (rom->scheme == ROM_3F || a == 0x3F) *bank = value % rom->banks;
    if (rom->scheme == ROM_3E && a == 0x3E) *bank = RAM_3E + value % RAM_3E_BANKS;
}

static void c3f_write(console *machine, unsigned a, uint8_t value) {
    uint8_t *ram = a & 0x400 ? c3e_ram(machine, a) : NULL;
    if (ram) {
        *ram = value;
        return;
    }
    if (a < 0x40) c3f_switch(machine, a, value);
    tia_write(machine, (uint16_t)a, value);
}

/* ---- CV: 1 KiB RAM below 2 KiB ROM --------------------------------------------------------------------- */

static uint8_t cv_read(const console *machine, unsigned a) {
    return a < CV_RAM ? machine->big_ram[a] : machine->rom->data[a];
}

static void cv_write(console *machine, unsigned a, uint8_t value) {
    if (a >= CV_RAM && a < 2 * CV_RAM) machine->big_ram[a - CV_RAM] = value;
}

static bool cv_has_ram_image(const rom_image *rom) {
    return rom->scheme == ROM_CV && rom->size > CV_RAM_IMAGE;
}

/* ---- MC: four slots of 1 KiB, each ROM or 512 bytes of RAM with two ports ------------------------------ */

/* Reading the reset vector locks the last slot to the last block, until another slot is used. */
static void mc_unlock(cartridge_state *cartridge, unsigned a) {
    if (a < 0xC00) cartridge->mc_locked = 0;
}

static unsigned mc_block(const cartridge_state *cartridge, unsigned a) {
    return a >= 0xC00 && cartridge->mc_locked ? MC_LOCKED_BLOCK : cartridge->slice[a / 1024];
}

/* The RAM byte whose write port is at `a`, or NULL. */
static uint8_t *mc_port(const console *machine, unsigned a) {
    unsigned block = mc_block(&machine->s.cartridge, a);
    return block & 0x80 || a & 0x200 ? NULL : &machine->big_ram[(block & 0x3F) * 512 + a % 512];
}

static uint8_t mc_read(console *machine, unsigned a) {
    cartridge_state *cartridge = &machine->s.cartridge;
    mc_unlock(cartridge, a);
    if (a == 0xFFC || a == 0xFFD) cartridge->mc_locked = 1;
    unsigned block = mc_block(cartridge, a);
    if (block & 0x80) return machine->rom->data[(block & 0x7F) * 1024 + a % 1024];
    uint8_t *written = mc_port(machine, a);
    if (written) *written = 0; /* here alone a read of the write port does write */
    return machine->big_ram[(block & 0x3F) * 512 + a % 512];
}

static void mc_write(console *machine, unsigned a, uint8_t value) {
    mc_unlock(&machine->s.cartridge, a);
    uint8_t *ram = mc_port(machine, a);
    if (ram) *ram = value;
}

/* ---- DPC: eight data fetchers, three of which can play music, and random numbers ----------------------- */

/* An access of the chip clocks its shift register. */
static void dpc_clock_random(dpc_state *dpc) {
    unsigned r = dpc->random;
    unsigned bit = ~(r >> 7 ^ r >> 5 ^ r >> 4 ^ r >> 3) & 1;
    dpc->random = (uint8_t)(r << 1 | bit);
}

/* Let the fetchers in music mode catch up with the clock. */
static void dpc_update_music(console *machine) {
    dpc_state *dpc = &machine->s.cartridge.dpc;
    uint32_t now = console_cycles(machine);
    int32_t cycles = (int32_t)(now - (uint32_t)dpc->stamp);
    dpc->stamp = (int32_t)now;
    double clocks = 15750.0 * cycles / 1193191.66666667 + dpc->fraction;
    int whole = (int)clocks;
    dpc->fraction = clocks - whole;
    if (whole <= 0) return;

    for (unsigned i = 5; i < 8; i++) {
        if (!dpc->music[i - 5]) continue;
        int period = dpc->top[i] + 1, low = 0;
        if (dpc->top[i]) {
            low = (dpc->counter[i] & 0xFF) - whole % period;
            if (low < 0) low += period;
        }
        if (low <= dpc->bottom[i]) {
            dpc->flag[i] = 0x00;
        } else if (low <= dpc->top[i]) {
            dpc->flag[i] = 0xFF;
        }
        dpc->counter[i] = (uint16_t)((dpc->counter[i] & 0x700) | low);
    }
}

static uint8_t dpc_music(console *machine) {
    static const uint8_t amplitudes[8] = {0x00, 0x04, 0x05, 0x09, 0x06, 0x0A, 0x0B, 0x0F};
    const dpc_state *dpc = &machine->s.cartridge.dpc;
    dpc_update_music(machine);
    unsigned voices = 0;
    for (unsigned i = 0; i < 3; i++)
        if (dpc->music[i] && dpc->flag[5 + i]) voices |= 1u << i;
    return amplitudes[voices];
}

static bool dpc_plays(const dpc_state *dpc, unsigned fetcher) {
    return fetcher >= 5 && dpc->music[fetcher - 5];
}

static uint8_t dpc_fetch(console *machine, unsigned fetcher, unsigned function) {
    dpc_state *dpc = &machine->s.cartridge.dpc;
    unsigned low = dpc->counter[fetcher] & 0xFF;
    if (low == dpc->top[fetcher]) {
        dpc->flag[fetcher] = 0xFF;
    } else if (low == dpc->bottom[fetcher]) {
        dpc->flag[fetcher] = 0x00;
    }
    const uint8_t *display_end = machine->rom->data + DPC_DISPLAY + DPC_DISPLAY_SIZE;
    uint8_t data = display_end[-1 - dpc->counter[fetcher]];
    uint8_t value = 0;
    switch (function) {
        case 0: value = fetcher < 4 ? dpc->random : dpc_music(machine); break;
        case 1: value = data; break;
        case 2: value = data & dpc->flag[fetcher]; break;
        case 7: value = dpc->flag[fetcher]; break;
        default: break;
    }
    if (!dpc_plays(dpc, fetcher)) dpc->counter[fetcher] = (dpc->counter[fetcher] - 1u) & COUNTER_MASK;
    return value;
}

static uint8_t dpc_read(console *machine, unsigned a) {
    if (a < 0x80 || a >= 0xFC0) dpc_clock_random(&machine->s.cartridge.dpc);
    if (a < 0x40) return dpc_fetch(machine, a & 7, a >> 3);
    hotspots(machine, a);
    return flat_byte(machine, a);
}

static void dpc_write(console *machine, unsigned a, uint8_t value) {
    dpc_state *dpc = &machine->s.cartridge.dpc;
    dpc_clock_random(dpc);
    hotspots(machine, a);
    if (a < 0x40 || a >= 0x80) return;
    unsigned i = a & 7;
    uint16_t *counter = &dpc->counter[i];
    switch (a >> 3 & 7) {
        case 0:
            dpc->top[i] = value;
            dpc->flag[i] = 0x00;
            break;
        case 1: dpc->bottom[i] = value; break;
        case 2: *counter = (uint16_t)((*counter & 0x700) | (dpc_plays(dpc, i) ? dpc->top[i] : value)); break;
        case 3:
            *counter = (uint16_t)((*counter & 0xFF) | (value & 7) << 8);
            if (i >= 5) dpc->music[i - 5] = value >> 4 & 1;
            break;
        case 6: dpc->random = 1; break;
        default: break;
    }
}

/* ---- Accesses ------------------------------------------------------------------------------------------ */

uint8_t cartridge_read(console *machine, uint16_t address) {
    unsigned a = address & 0xFFF;
    switch (machine->rom->scheme) {
        case ROM_FE: return machine->rom->data[(address & 0x2000 ? 0 : BANK) + a];
        case ROM_E0: return e0_read(machine, a);
        case ROM_E7: return e7_read(machine, a);
        case ROM_3F:
        case ROM_3E: return c3f_read(machine, a);
        case ROM_CV: return cv_read(machine, a);
        case ROM_MC: return mc_read(machine, a);
        case ROM_DPC: return dpc_read(machine, a);
        case ROM_MB: mb_hotspot(machine, a); return flat_byte(machine, a);
        default: return flat_read(machine, a);
    }
}

void cartridge_write(console *machine, uint16_t address, uint8_t value) {
    unsigned a = address & 0xFFF;
    switch (machine->rom->scheme) {
        case ROM_FE: break;
        case ROM_E0: e0_hotspots(&machine->s.cartridge, a); break;
        case ROM_E7: e7_write(machine, a, value); break;
        case ROM_3F:
        case ROM_3E: c3f_write(machine, a, value); break;
        case ROM_CV: cv_write(machine, a, value); break;
        case ROM_MC: mc_write(machine, a, value); break;
        case ROM_DPC: dpc_write(machine, a, value); break;
        case ROM_MB: mb_hotspot(machine, a); break;
        default: flat_write(machine, a, value); break;
    }
}

bool cartridge_watches_low(rom_scheme scheme) {
    return scheme == ROM_3F || scheme == ROM_3E || scheme == ROM_MC || scheme == ROM_UA;
}

/* UA's hotspots lie among the TIA's mirrors, which get the access as well. */
static void ua_hotspots(console *machine, unsigned low) {
    if (low == 0x220) select_bank(machine, 0);
    if (low == 0x240) select_bank(machine, 1);
}

bool cartridge_low_read(console *machine, uint16_t address, uint8_t *value) {
    unsigned low = address & 0x1FFF;
    switch (machine->rom->scheme) {
        case ROM_UA: ua_hotspots(machine, low); return false;
        case ROM_3F:
        case ROM_3E:
            if (low >= 0x40) return false;
            *value = c3f_read(machine, low);
            return true;
        case ROM_MC:
            if (low >= 0x40) return false;
            *value = 0;
            return true;
        default: return false;
    }
}

bool cartridge_low_write(console *machine, uint16_t address, uint8_t value) {
    unsigned low = address & 0x1FFF;
    switch (machine->rom->scheme) {
        case ROM_UA: ua_hotspots(machine, low); return false;
        case ROM_3F:
        case ROM_3E:
            if (low < 0x40) c3f_switch(machine, low, value);
            return false;
        case ROM_MC:
            if (low >= 0x40) return false;
            if (low >= 0x3C) machine->s.cartridge.slice[low - 0x3C] = value;
            return true;
        default: return false;
    }
}

/* ---- Reset, snapshots ---------------------------------------------------------------------------------- */

uint32_t cartridge_big_ram_size(rom_scheme scheme) {
    switch (scheme) {
        case ROM_CV: return CV_RAM;
        case ROM_E7: return 2048;
        case ROM_3E:
        case ROM_MC: return 32768;
        default: return 0;
    }
}

static void fill(uint8_t *ram, uint32_t size, mt19937 *random) {
    for (uint32_t i = 0; i < size; i++) ram[i] = (uint8_t)mt19937_next(random);
}

static void fill_ram(console *machine, mt19937 *random) {
    const rom_image *rom = machine->rom;
    fill(machine->s.cartridge.ram, flat_schemes[rom->scheme].ram, random);
    if (!cv_has_ram_image(rom)) fill(machine->big_ram, cartridge_big_ram_size(rom->scheme), random);
}

static void load_ram_image(console *machine) {
    if (cv_has_ram_image(machine->rom)) memcpy(machine->big_ram, machine->rom->data + CV_RAM_IMAGE, CV_RAM);
}

static void map_start(console *machine) {
    const rom_image *rom = machine->rom;
    cartridge_state *cartridge = &machine->s.cartridge;
    if (flat_schemes[rom->scheme].flat) select_bank(machine, flat_schemes[rom->scheme].start);
    switch (rom->scheme) {
        case ROM_E0: memcpy(cartridge->slice, (const uint8_t[4]){4, 5, 6, 7}, 4); break;
        case ROM_E7: cartridge->slice[0] = cartridge->slice[1] = 0; break;
        case ROM_3F:
        case ROM_3E: cartridge->bank = 0; break;
        case ROM_DPC:
            cartridge->dpc.stamp = (int32_t)console_cycles(machine);
            cartridge->dpc.fraction = 0;
            break;
        default: break; /* MC's slots survive a reset */
    }
}

void cartridge_install(console *machine, mt19937 *random) {
    memset(&machine->s.cartridge, 0, sizeof machine->s.cartridge);
    if (machine->big_ram) memset(machine->big_ram, 0, cartridge_big_ram_size(machine->rom->scheme));
    machine->s.cartridge.dpc.random = 1;
    load_ram_image(machine);
    if (random) fill_ram(machine, random);
    map_start(machine);
}

void cartridge_reset(console *machine, mt19937 *random) {
    if (random) {
        load_ram_image(machine);
        fill_ram(machine, random);
    }
    map_start(machine);
}

void cartridge_rebase(console *machine, int32_t cycles) {
    dpc_state *dpc = &machine->s.cartridge.dpc;
    dpc->stamp = (int32_t)((uint32_t)dpc->stamp - (uint32_t)cycles);
}

static const char *dpc_flaw(const dpc_state *dpc) {
    for (unsigned i = 0; i < 8; i++) {
        EXPECT(dpc->counter[i] <= COUNTER_MASK, "cartridge.dpc.counter");
        EXPECT(dpc->flag[i] == 0 || dpc->flag[i] == 0xFF, "cartridge.dpc.flag");
    }
    for (unsigned i = 0; i < 3; i++) EXPECT(dpc->music[i] <= 1, "cartridge.dpc.music");
    EXPECT(dpc->fraction > -1 && dpc->fraction < 1, "cartridge.dpc.fraction"); /* not when it is no number */
    return NULL;
}

static bool bank_exists(const rom_image *rom, uint32_t bank) {
    if (flat_schemes[rom->scheme].flat || rom->scheme == ROM_3F) return bank < rom->banks;
    if (rom->scheme == ROM_3E) return bank < rom->banks || bank - RAM_3E < RAM_3E_BANKS;
    return bank == 0; /* not used */
}

static bool slices_exist(rom_scheme scheme, const uint8_t slice[4]) {
    switch (scheme) {
        case ROM_E0: return slice[0] < 8 && slice[1] < 8 && slice[2] < 8 && slice[3] == 7;
        case ROM_E7: return slice[0] < 8 && slice[1] < 4 && !slice[2] && !slice[3];
        case ROM_MC: return true;
        default: return !slice[0] && !slice[1] && !slice[2] && !slice[3];
    }
}

const char *cartridge_flaw(const rom_image *rom, const cartridge_state *cartridge) {
    EXPECT(bank_exists(rom, cartridge->bank), "cartridge.bank");
    uint32_t offset = flat_schemes[rom->scheme].flat ? cartridge->bank * BANK : 0;
    EXPECT(cartridge->offset == offset, "cartridge.offset");
    EXPECT(slices_exist(rom->scheme, cartridge->slice), "cartridge.slice");
    EXPECT(cartridge->mc_locked <= (rom->scheme == ROM_MC), "cartridge.mc_locked");
    return dpc_flaw(&cartridge->dpc);
}

const uint8_t *cartridge_ram(const console *machine) {
    if (machine->big_ram) return machine->big_ram;
    return flat_schemes[machine->rom->scheme].ram ? machine->s.cartridge.ram : NULL;
}
