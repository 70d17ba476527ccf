/* Schemes that switch 4 KiB at once: by hotspots in the cartridge, with or without RAM (F8, F6, F4, FA); MB, whose one
 * hotspot goes round its banks; UA, whose hotspots lie among the TIA's addresses. */
#include "hotspots.h"

#include <string.h>

#include "signatures.h"

/* ---- F8, F6, F4, and with RAM F8SC, F6SC, F4SC, FASC --------------------------------------------------- */

static uint8_t hotspots_read(console *machine, uint16_t address) {
    const unsigned a = address & 0xFFF, ram = machine->rom->cartridge->ram;
    if (a >= ram && a < 2 * ram) return machine->s.cartridge.ram[a - ram];
    bank_hotspots(machine, a);
    return bank_byte(machine, a);
}

static void ram_write(console *machine, uint16_t address, uint8_t value) {
    const unsigned a = address & 0xFFF;
    if (a < machine->rom->cartridge->ram) machine->s.cartridge.ram[a] = value;
}

static void hotspots_write(console *machine, uint16_t address, uint8_t value) {
    ram_write(machine, address, value);
    bank_hotspots(machine, address & 0xFFF);
}

/* Images that a plain F8 console would start in the wrong bank. */
static bool f8_swapped_detect(const rom_file *file) {
    return !strcmp(file->md5, "bc24440b59092559a1ec26055fd1270e") ||
           !strcmp(file->md5, "75ee371ccfc4f43e7d9b8f24e1266b55");
}

/* The RAM ports at the start of every bank are filled evenly. */
static bool has_ports(const rom_file *file, size_t size) {
    if (file->size != size) return false;
    for (size_t bank = 0; bank < size; bank += 4 * KIB)
        if (!bytes_are_equal(file->bytes + bank, 256)) return false;
    return true;
}

static bool f8sc_detect(const rom_file *file) { return has_ports(file, 8 * KIB); }
static bool f6sc_detect(const rom_file *file) { return has_ports(file, 16 * KIB); }
static bool f4sc_detect(const rom_file *file) { return has_ports(file, 32 * KIB); }

#define SIZE(bytes) .smallest = bytes, .largest = bytes, .takes = #bytes " bytes", .bank = 4 * KIB
/* `count` hotspots from `first` to the end of what is quiet. */
#define HOTSPOTS(first, count) .hotspot = first, .hotspots = count, .quiet_end = first
/* The write port of the RAM, and behind it the read port, are at the start. */
#define RAM(bytes) .ram = bytes, .quiet = 2 * bytes, .ports = true
#define ACCESSES .read = hotspots_read, .write = hotspots_write, .reset = bank_reset, .bank_exists = bank_is_in_image

const cartridge_scheme scheme_F8 = {.name = "F8", SIZE(8192), HOTSPOTS(0xFF8, 2), .start = 1, ACCESSES};
const cartridge_scheme scheme_F8_SWAPPED = {
    .name = "F8 swapped", SIZE(8192), .detect = f8_swapped_detect, HOTSPOTS(0xFF8, 2), .start = 0, ACCESSES};
const cartridge_scheme scheme_F8SC = {
    .name = "F8SC", SIZE(8192), .detect = f8sc_detect, HOTSPOTS(0xFF8, 2), RAM(128), .start = 1, ACCESSES};

const cartridge_scheme scheme_F6 = {.name = "F6", SIZE(16384), HOTSPOTS(0xFF6, 4), .start = 0, ACCESSES};
const cartridge_scheme scheme_F6SC = {
    .name = "F6SC", SIZE(16384), .detect = f6sc_detect, HOTSPOTS(0xFF6, 4), RAM(128), .start = 0, ACCESSES};

const cartridge_scheme scheme_F4 = {.name = "F4", SIZE(32768), HOTSPOTS(0xFF4, 8), .start = 0, ACCESSES};
/* F4SC switches on reads only. */
const cartridge_scheme scheme_F4SC = {
    .name = "F4SC", SIZE(32768), .detect = f4sc_detect, HOTSPOTS(0xFF4, 8), RAM(128), .start = 0,
    .read = hotspots_read, .write = ram_write, .reset = bank_reset, .bank_exists = bank_is_in_image};

const cartridge_scheme scheme_FASC = {.name = "FASC", SIZE(12288), HOTSPOTS(0xFF8, 3), RAM(256), .start = 2, ACCESSES};

/* ---- MB ------------------------------------------------------------------------------------------------ */

static void mb_hotspot(console *machine, unsigned a) {
    if (a == 0xFF0) bank_select(machine, (machine->s.cartridge.bank + 1) % machine->rom->banks);
}

static uint8_t mb_read(console *machine, uint16_t address) {
    mb_hotspot(machine, address & 0xFFF);
    return bank_byte(machine, address & 0xFFF);
}

static void mb_write(console *machine, uint16_t address, uint8_t value) {
    (void)value;
    mb_hotspot(machine, address & 0xFFF);
}

const cartridge_scheme scheme_MB = {
    .name = "MB",
    SIZE(65536),
    .read = mb_read,
    .write = mb_write,
    .reset = bank_reset,
    .bank_exists = bank_is_in_image,
    .start = 1,
};

/* ---- UA ------------------------------------------------------------------------------------------------ */

static bool ua_detect(const rom_file *file) {
    return file->size == 8 * KIB && signature_occurs(file, (const uint8_t[]){0x8D, 0x40, 0x02}, 3, 1); /* STA $0240 */
}

static uint8_t ua_read(console *machine, uint16_t address) { return bank_byte(machine, address & 0xFFF); }

/* The TIA gets the access as well. */
static void ua_hotspots(console *machine, uint16_t address) {
    unsigned low = address & 0x1FFF;
    if (low == 0x220) bank_select(machine, 0);
    if (low == 0x240) bank_select(machine, 1);
}

static bool ua_low_read(console *machine, uint16_t address, uint8_t *value) {
    (void)value;
    ua_hotspots(machine, address);
    return false;
}

static bool ua_low_write(console *machine, uint16_t address, uint8_t value) {
    (void)value;
    ua_hotspots(machine, address);
    return false;
}

const cartridge_scheme scheme_UA = {
    .name = "UA",
    SIZE(8192),
    .detect = ua_detect,
    .read = ua_read,
    .low_read = ua_low_read,
    .low_write = ua_low_write,
    .reset = bank_reset,
    .bank_exists = bank_is_in_image,
};
