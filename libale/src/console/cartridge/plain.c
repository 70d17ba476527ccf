/* Nothing is switched: 2K and 4K, and FE, whose two banks lie at different addresses. */
#include "../machine.h"
#include "scheme.h"
#include "signatures.h"

static uint8_t plain_read(console *machine, uint16_t address) { return machine->rom->data[address & 0xFFF]; }

const cartridge_scheme scheme_2K = {
    .name = "2K",
    .smallest = 2 * KIB,
    .largest = 4 * KIB,
    .step = 2 * KIB,
    .takes = "2048 bytes, or 4096 with equal halves",
    .bank = 4 * KIB,
    .doubled = true,
    .quiet_end = 0x1000,
    .read = plain_read,
};

const cartridge_scheme scheme_4K = {
    .name = "4K",
    .smallest = 4 * KIB,
    .largest = 8 * KIB,
    .step = 4 * KIB,
    .takes = "4096 bytes, or 8192 with equal halves",
    .bank = 4 * KIB,
    .doubled = true,
    .quiet_end = 0x1000,
    .read = plain_read,
};

/* Pieces of the few games there are. */
static bool fe_detect(const rom_file *file) {
    static const uint8_t signatures[] = {0x20, 0x00, 0xD0, 0xC6, 0xC5, 0x20, 0xC3, 0xF8, 0xA5, 0x82,
                                         0xD0, 0xFB, 0x20, 0x73, 0xFE, 0x20, 0x00, 0xF0, 0x84, 0xD6};
    return file->size == 8 * KIB && signatures_occur(file, signatures, sizeof signatures, 5);
}

static uint8_t fe_read(console *machine, uint16_t address) {
    return machine->rom->data[(address & 0x2000 ? 0 : 4 * KIB) + (address & 0xFFF)];
}

const cartridge_scheme scheme_FE = {
    .name = "FE",
    .smallest = 8 * KIB,
    .largest = 8 * KIB,
    .takes = "8192 bytes",
    .bank = 4 * KIB,
    .detect = fe_detect,
    .quiet_end = 0x1000,
    .map = MAPS_BY_ADDRESS,
    .read = fe_read,
};
