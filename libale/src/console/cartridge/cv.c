/* CV: 1 KiB RAM below 2 KiB ROM. */
#include <string.h>

#include "../machine.h"
#include "scheme.h"
#include "signatures.h"

enum { RAM = 1024, RAM_IMAGE = 4096 /* where the image holds what is in the RAM at the start, if it does */ };

/* Writes to the RAM. */
static bool cv_detect(const rom_file *file) {
    static const uint8_t signatures[] = {0x9D, 0xFF, 0xF3, 0x99, 0x00, 0xF4};
    if (file->size != 2 * KIB && file->size != 4 * KIB) return false;
    return signatures_occur(file, signatures, sizeof signatures, 3);
}

/* The ROM is at the end; the first KiB of 4 is the RAM's. */
static void cv_arrange(rom_layout *layout) {
    if (layout->size == 2 * KIB) return;
    layout->ram = layout->rom;
    layout->ram_size = RAM;
    layout->rom += 2 * KIB;
    layout->size = 2 * KIB;
}

static uint8_t cv_read(console *machine, uint16_t address) {
    const unsigned a = address & 0xFFF;
    return a < RAM ? machine->big_ram[a] : machine->rom->data[a];
}

static void cv_write(console *machine, uint16_t address, uint8_t value) {
    const unsigned a = address & 0xFFF;
    if (a >= RAM && a < 2 * RAM) machine->big_ram[a - RAM] = value;
}

static bool cv_load_ram(console *machine) {
    if (machine->rom->size == RAM_IMAGE) return false;
    memcpy(machine->big_ram, machine->rom->data + RAM_IMAGE, RAM);
    return true;
}

const cartridge_scheme scheme_CV = {
    .name = "CV",
    .smallest = 2 * KIB,
    .largest = 4 * KIB,
    .step = 2 * KIB,
    .takes = "2048 or 4096 bytes",
    .bank = 4 * KIB,
    .detect = cv_detect,
    .arrange = cv_arrange,
    .read = cv_read,
    .write = cv_write,
    .big_ram = RAM,
    .load_ram = cv_load_ram,
};
