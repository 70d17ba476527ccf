/* MC: four slots of 1 KiB, each ROM or 512 bytes of RAM with two ports. */
#include "../machine.h"
#include "scheme.h"

enum { IMAGE = 128 * KIB, LOCKED_BLOCK = 0xFF };

static bool mc_detect(const rom_file *file) { return file->size == IMAGE; }

/* At the end, zeros before it. */
static void mc_arrange(rom_layout *layout) { layout->front = IMAGE - layout->size; }

/* Reading the reset vector locks the last slot to the last block, until another slot is used. */
static void mc_unlock(cartridge_state *cartridge, unsigned a) {
    if (a < 0xC00) cartridge->mc_locked = 0;
}

static unsigned mc_block_at(const cartridge_state *cartridge, unsigned a) {
    return a >= 0xC00 && cartridge->mc_locked ? LOCKED_BLOCK : cartridge->slice[a / 1024];
}

/* The RAM byte whose write port is at `a`, or NULL. */
static uint8_t *mc_port(const console *machine, unsigned a) {
    unsigned block = mc_block_at(&machine->s.cartridge, a);
    return block & 0x80 || a & 0x200 ? NULL : &machine->big_ram[(block & 0x3F) * 512 + a % 512];
}

static uint8_t mc_read(console *machine, uint16_t address) {
    cartridge_state *cartridge = &machine->s.cartridge;
    const unsigned a = address & 0xFFF;
    mc_unlock(cartridge, a);
    if (a == 0xFFC || a == 0xFFD) cartridge->mc_locked = 1;
    unsigned block = mc_block_at(cartridge, a);
    if (block & 0x80) return machine->rom->data[(block & 0x7F) * 1024 + a % 1024];
    uint8_t *written = mc_port(machine, a);
    if (written) *written = 0; /* here alone a read of the write port does write */
    return machine->big_ram[(block & 0x3F) * 512 + a % 512];
}

static void mc_write(console *machine, uint16_t address, uint8_t value) {
    const unsigned a = address & 0xFFF;
    mc_unlock(&machine->s.cartridge, a);
    uint8_t *ram = mc_port(machine, a);
    if (ram) *ram = value;
}

static bool mc_low_read(console *machine, uint16_t address, uint8_t *value) {
    (void)machine;
    if ((address & 0x1FFF) >= 0x40) return false;
    *value = 0;
    return true;
}

static bool mc_low_write(console *machine, uint16_t address, uint8_t value) {
    const unsigned low = address & 0x1FFF;
    if (low >= 0x40) return false;
    if (low >= 0x3C) machine->s.cartridge.slice[low - 0x3C] = value;
    return true;
}

static bool mc_slices_exist(const uint8_t slice[4]) {
    (void)slice;
    return true;
}

const cartridge_scheme scheme_MC = {
    .name = "MC",
    .smallest = 1,
    .largest = IMAGE,
    .takes = "up to 131072 bytes",
    .bank = 1 * KIB,
    .detect = mc_detect,
    .arrange = mc_arrange,
    .read = mc_read,
    .write = mc_write,
    .low_read = mc_low_read,
    .low_write = mc_low_write,
    .big_ram = 32 * KIB, /* and the slots survive a reset */
    .slices_exist = mc_slices_exist,
    .locks = true,
};
