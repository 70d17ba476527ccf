/* The cartridge: what all schemes have in common, and the way to each one's descriptor. */
#include "cartridge.h"

#include <string.h>

#include "dpc.h"
#include "scheme.h"

#define SCHEME_ENTRY(name, number) [ROM_##name] = &scheme_##name,
static const cartridge_scheme *const schemes[ROM_SCHEME_COUNT] = {CARTRIDGE_SCHEMES(SCHEME_ENTRY)};
#undef SCHEME_ENTRY

const cartridge_scheme *cartridge_scheme_find(int number) {
    return number >= 0 && number < ROM_SCHEME_COUNT ? schemes[number] : NULL;
}

uint8_t cartridge_read(console *machine, uint16_t address) {
    return machine->rom->cartridge->read(machine, address);
}

void cartridge_write(console *machine, uint16_t address, uint8_t value) {
    const cartridge_scheme *scheme = machine->rom->cartridge;
    if (scheme->write) scheme->write(machine, address, value);
}

bool cartridge_watches_low(const rom_image *rom) { return rom->cartridge->low_read != NULL; }

bool cartridge_low_read(console *machine, uint16_t address, uint8_t *value) {
    return machine->rom->cartridge->low_read(machine, address, value);
}

bool cartridge_low_write(console *machine, uint16_t address, uint8_t value) {
    return machine->rom->cartridge->low_write(machine, address, value);
}

uint32_t cartridge_big_ram_size(const rom_image *rom) { return rom->cartridge->big_ram; }

const uint8_t *cartridge_ram(const console *machine) {
    if (machine->big_ram) return machine->big_ram;
    return machine->rom->cartridge->ram ? machine->s.cartridge.ram : NULL;
}

/* ---- reset --------------------------------------------------------------------------------------------- */

static void fill(uint8_t *ram, uint32_t size, mt19937 *random) {
    for (uint32_t i = 0; i < size; i++) ram[i] = (uint8_t)mt19937_next(random);
}

/* What the image holds for the RAM; the rest is random, or left alone without a generator. */
static void fill_ram(console *machine, mt19937 *random) {
    const cartridge_scheme *scheme = machine->rom->cartridge;
    bool loaded = scheme->load_ram && scheme->load_ram(machine);
    if (!random) return;
    fill(machine->s.cartridge.ram, scheme->ram, random);
    if (!loaded) fill(machine->big_ram, scheme->big_ram, random);
}

static void map_start(console *machine) {
    const cartridge_scheme *scheme = machine->rom->cartridge;
    if (scheme->reset) scheme->reset(machine);
}

void cartridge_install(console *machine, mt19937 *random) {
    memset(&machine->s.cartridge, 0, sizeof machine->s.cartridge);
    if (machine->big_ram) memset(machine->big_ram, 0, cartridge_big_ram_size(machine->rom));
    machine->s.cartridge.dpc.random = 1;
    fill_ram(machine, random);
    map_start(machine);
}

void cartridge_reset(console *machine, mt19937 *random) {
    if (random) fill_ram(machine, random);
    map_start(machine);
}

void cartridge_rebase(console *machine, int32_t cycles) {
    dpc_state *dpc = &machine->s.cartridge.dpc;
    dpc->stamp = (int32_t)((uint32_t)dpc->stamp - (uint32_t)cycles);
}

/* ---- saved states -------------------------------------------------------------------------------------- */

#define CARTRIDGE(member, ...) INVARIANT("cartridge." #member, cartridge_state, member, __VA_ARGS__)
#define CARTRIDGE_EACH(member, ...) INVARIANTS("cartridge." #member, cartridge_state, member, __VA_ARGS__)
const invariant cartridge_invariants[] = {
    CARTRIDGE(bank, ANY_VALUE),
    CARTRIDGE(offset, ANY_VALUE),
    CARTRIDGE_EACH(slice, ANY_VALUE),
    CARTRIDGE(mc_locked, A_FLAG),
    CARTRIDGE_EACH(ram, ANY_VALUE),
    CARTRIDGE_EACH(reserved, ONLY_ZERO),
    {0},
};

const char *cartridge_invalid_field(const rom_image *rom, const cartridge_state *cartridge) {
    const cartridge_scheme *scheme = rom->cartridge;
    const uint32_t bank = cartridge->bank;
    const uint8_t *slice = cartridge->slice;
    EXPECT_NONE(invalid_field(cartridge_invariants, cartridge));
    EXPECT(scheme->bank_exists ? scheme->bank_exists(rom, bank) : bank == 0, "cartridge.bank");
    EXPECT(cartridge->offset == (scheme->bank == 4 * KIB ? bank * scheme->bank : 0), "cartridge.offset");
    EXPECT(scheme->slices_exist ? scheme->slices_exist(slice) : is_zero(slice, 4), "cartridge.slice");
    EXPECT(cartridge->mc_locked <= scheme->locks, "cartridge.mc_locked");
    EXPECT(is_zero(cartridge->ram + scheme->ram, sizeof cartridge->ram - scheme->ram), "cartridge.ram");
    return dpc_invalid_field(&cartridge->dpc, rom->scheme == ROM_DPC);
}
