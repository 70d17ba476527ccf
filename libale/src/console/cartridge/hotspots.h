/* Banks of 4 KiB, selected by accesses to the hotspots of a descriptor. */
#ifndef ALE_CARTRIDGE_HOTSPOTS_H
#define ALE_CARTRIDGE_HOTSPOTS_H

#include "../machine.h"
#include "scheme.h"

static inline void bank_select(console *machine, uint32_t bank) {
    machine->s.cartridge.bank = bank;
    machine->s.cartridge.offset = bank * 4 * KIB;
}

static inline uint8_t bank_byte(const console *machine, unsigned a) {
    return machine->rom->data[machine->s.cartridge.offset + a];
}

/* An access to `a`, an address within the cartridge's 4 KiB. */
static inline void bank_hotspots(console *machine, unsigned a) {
    const cartridge_scheme *scheme = machine->rom->cartridge;
    unsigned bank = a - scheme->hotspot; /* huge for addresses before the first */
    if (bank < scheme->hotspots) bank_select(machine, bank);
}

static inline void bank_reset(console *machine) { bank_select(machine, machine->rom->cartridge->start); }

static inline bool bank_is_in_image(const rom_image *rom, uint32_t bank) { return bank < rom->banks; }

#endif
