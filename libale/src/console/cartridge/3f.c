/* 3F and 3E: banks of 2 KiB chosen by writes to TIA addresses, the last bank fixed; with 3E, also RAM. */
#include "../machine.h"
#include "../video/tia.h"
#include "scheme.h"
#include "signatures.h"

enum {
    BANK = 2048,
    RAM_BANK = 256, /* bank numbers from here on are RAM */
    RAM_BANKS = 32,
};

static bool detect_3f(const rom_file *file) {
    return signature_occurs(file, (const uint8_t[]){0x85, 0x3F}, 2, 2); /* STA $3F, more than once */
}

static bool detect_3e(const rom_file *file) {
    return signature_occurs(file, (const uint8_t[]){0x85, 0x3E, 0xA9, 0x00}, 4, 1); /* STA $3E, LDA #0 */
}

/* The RAM byte of 3E that is seen at `a`, or NULL where it is ROM. */
static uint8_t *seen_ram(const console *machine, unsigned a) {
    uint32_t bank = machine->s.cartridge.bank;
    return bank >= RAM_BANK && a < BANK ? &machine->big_ram[(bank - RAM_BANK) * 1024 + a % 1024] : NULL;
}

static uint8_t tigervision_read(console *machine, uint16_t address) {
    const rom_image *rom = machine->rom;
    const unsigned a = address & 0xFFF;
    const uint8_t *ram = seen_ram(machine, a);
    if (ram) return *ram;
    uint32_t bank = a < BANK ? machine->s.cartridge.bank : rom->banks - 1;
    return rom->data[bank * BANK + a % BANK];
}

/* What a write of `value` to the TIA address `a` switches. */
static void bank_switch(console *machine, unsigned a, uint8_t value) {
    const rom_image *rom = machine->rom;
    uint32_t *bank = &machine->s.cartridge.bank;
    if (rom->scheme == ROM_3F || a == 0x3F) *bank = value % rom->banks;
    if (rom->scheme == ROM_3E && a == 0x3E) *bank = RAM_BANK + value % RAM_BANKS;
}

static void tigervision_write(console *machine, uint16_t address, uint8_t value) {
    const unsigned a = address & 0xFFF;
    uint8_t *ram = a & 0x400 ? seen_ram(machine, a) : NULL;
    if (ram) {
        *ram = value;
        return;
    }
    if (a < 0x40) bank_switch(machine, a, value);
    tia_write(machine, (uint16_t)a, value);
}

static bool tigervision_low_read(console *machine, uint16_t address, uint8_t *value) {
    const unsigned low = address & 0x1FFF;
    if (low >= 0x40) return false;
    *value = tigervision_read(machine, (uint16_t)low);
    return true;
}

static bool tigervision_low_write(console *machine, uint16_t address, uint8_t value) {
    const unsigned low = address & 0x1FFF;
    if (low < 0x40) bank_switch(machine, low, value);
    return false;
}

static void tigervision_reset(console *machine) { machine->s.cartridge.bank = 0; }

static bool bank_exists_3f(const rom_image *rom, uint32_t bank) { return bank < rom->banks; }

static bool bank_exists_3e(const rom_image *rom, uint32_t bank) {
    return bank < rom->banks || bank - RAM_BANK < RAM_BANKS;
}

const cartridge_scheme scheme_3F = {
    .name = "3F",
    .smallest = BANK,
    .largest = 512 * KIB,
    .step = BANK,
    .takes = "multiples of 2048 bytes up to 524288",
    .bank = BANK,
    .detect = detect_3f,
    .read = tigervision_read,
    .write = tigervision_write,
    .low_read = tigervision_low_read,
    .low_write = tigervision_low_write,
    .reset = tigervision_reset,
    .bank_exists = bank_exists_3f,
};

const cartridge_scheme scheme_3E = {
    .name = "3E",
    .smallest = BANK,
    .largest = 512 * KIB,
    .step = BANK,
    .takes = "multiples of 2048 bytes up to 524288",
    .bank = BANK,
    .detect = detect_3e,
    .read = tigervision_read,
    .write = tigervision_write,
    .low_read = tigervision_low_read,
    .low_write = tigervision_low_write,
    .big_ram = 32 * KIB,
    .reset = tigervision_reset,
    .bank_exists = bank_exists_3e,
};
