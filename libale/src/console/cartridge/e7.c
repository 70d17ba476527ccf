/* E7: a slice of 2 KiB ROM or of 1 KiB RAM, a port to one of four blocks of 256 bytes of RAM, the last slice. */
#include "../machine.h"
#include "scheme.h"
#include "signatures.h"

enum {
    SLICE = 2048,
    RAM_SLICE = 7,   /* number of a slice: the first KiB of RAM */
    BLOCKS = 0x400,  /* where the blocks lie in RAM */
    BLOCK = 0x100,
    HOLE = 0x3800,   /* what the ports hide, in the image */
};

/* The hole for the RAM ports is filled evenly, unlike what is around it. */
static bool e7_detect(const rom_file *file) {
    if (file->size != 16 * KIB) return false;
    const uint8_t *hole = file->bytes + HOLE;
    if (!bytes_are_equal(hole, 0x200)) return false;
    return !bytes_are_equal(hole - 32, 33) || !bytes_are_equal(hole + 0x1FF, 33);
}

static void e7_hotspots(cartridge_state *cartridge, unsigned a) {
    if (a >= 0xFE0 && a < 0xFE8) cartridge->slice[0] = a & 7;
    if (a >= 0xFE8 && a < 0xFEC) cartridge->slice[1] = a & 3;
}

/* The RAM byte whose write port is at `a`, or NULL. */
static uint8_t *e7_port(const console *machine, unsigned a) {
    const cartridge_state *cartridge = &machine->s.cartridge;
    if (a < 0x400 && cartridge->slice[0] == RAM_SLICE) return &machine->big_ram[a];
    if (a >= 0x800 && a < 0x900) return &machine->big_ram[BLOCKS + (unsigned)BLOCK * cartridge->slice[1] + (a & 0xFF)];
    return NULL;
}

static uint8_t e7_read(console *machine, uint16_t address) {
    cartridge_state *cartridge = &machine->s.cartridge;
    const unsigned a = address & 0xFFF;
    e7_hotspots(cartridge, a);
    const uint8_t *ram = NULL;
    if (a >= 0x400 && a < 0x800) ram = e7_port(machine, a - 0x400);
    if (a >= 0x900 && a < 0xA00) ram = e7_port(machine, a - 0x100);
    if (ram) return *ram;
    unsigned slice = a < SLICE ? cartridge->slice[0] : 7;
    return machine->rom->data[slice * SLICE + a % SLICE];
}

static void e7_write(console *machine, uint16_t address, uint8_t value) {
    const unsigned a = address & 0xFFF;
    e7_hotspots(&machine->s.cartridge, a);
    uint8_t *ram = e7_port(machine, a);
    if (ram) *ram = value;
}

static void e7_reset(console *machine) { machine->s.cartridge.slice[0] = machine->s.cartridge.slice[1] = 0; }

static bool e7_slices_exist(const uint8_t slice[4]) {
    return slice[0] < 8 && slice[1] < 4 && !slice[2] && !slice[3];
}

const cartridge_scheme scheme_E7 = {
    .name = "E7",
    .smallest = 16 * KIB,
    .largest = 16 * KIB,
    .takes = "16384 bytes",
    .bank = SLICE,
    .detect = e7_detect,
    .read = e7_read,
    .write = e7_write,
    .big_ram = 2 * KIB,
    .reset = e7_reset,
    .slices_exist = e7_slices_exist,
};
