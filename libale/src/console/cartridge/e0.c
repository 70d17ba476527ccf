/* E0: four slices of 1 KiB, the last one fixed. */
#include <string.h>

#include "../machine.h"
#include "scheme.h"
#include "signatures.h"

/* Accesses to the hotspots. */
static bool e0_detect(const rom_file *file) {
    static const uint8_t signatures[] = {0x8D, 0xE0, 0x1F, 0x8D, 0xE0, 0x5F, 0x8D, 0xE9, 0xFF,
                                         0xAD, 0xE9, 0xFF, 0xAD, 0xED, 0xFF, 0xAD, 0xF3, 0xBF};
    return file->size == 8 * KIB && signatures_occur(file, signatures, sizeof signatures, 3);
}

static void e0_hotspots(cartridge_state *cartridge, unsigned a) {
    if (a >= 0xFE0 && a < 0xFF8) cartridge->slice[(a - 0xFE0) / 8] = a & 7;
}

static uint8_t e0_read(console *machine, uint16_t address) {
    cartridge_state *cartridge = &machine->s.cartridge;
    const unsigned a = address & 0xFFF;
    e0_hotspots(cartridge, a);
    return machine->rom->data[cartridge->slice[a / KIB] * KIB + a % KIB];
}

static void e0_write(console *machine, uint16_t address, uint8_t value) {
    (void)value;
    e0_hotspots(&machine->s.cartridge, address & 0xFFF);
}

static void e0_reset(console *machine) { memcpy(machine->s.cartridge.slice, (const uint8_t[4]){4, 5, 6, 7}, 4); }

static bool e0_slices_exist(const uint8_t slice[4]) {
    return slice[0] < 8 && slice[1] < 8 && slice[2] < 8 && slice[3] == 7;
}

const cartridge_scheme scheme_E0 = {
    .name = "E0",
    .smallest = 8 * KIB,
    .largest = 8 * KIB,
    .takes = "8192 bytes",
    .bank = 1 * KIB,
    .detect = e0_detect,
    .quiet_end = 0xFE0,
    .map = MAPS_SLICES,
    .read = e0_read,
    .write = e0_write,
    .reset = e0_reset,
    .slices_exist = e0_slices_exist,
};
