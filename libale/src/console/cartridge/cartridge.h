/* The cartridge: what the program sees in its half of the address space. */
#ifndef ALE_CARTRIDGE_H
#define ALE_CARTRIDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "../machine.h"

/* State right after the cartridge is put in: everything zero but what the scheme maps and sets.  With `random` not
 * NULL the extra RAM is filled from it (the multi-player reference does that here instead of at each reset). */
void cartridge_install(console *machine, mt19937 *random);
/* System reset: RAM from `random` (NULL: RAM is left alone), then the start bank. */
void cartridge_reset(console *machine, mt19937 *random);

/* The cycle counter goes back by `cycles`: so does the stamp that counts with it. */
void cartridge_rebase(console *machine, int32_t cycles);

/* Accesses with A12 = 1.  `address` is the full 16-bit address. */
uint8_t cartridge_read(console *machine, uint16_t address);
void cartridge_write(console *machine, uint16_t address, uint8_t value);

/* Accesses with A12 = 0, of cartridges that watch them (console.low_watch).  True when the cartridge answers for
 * that access itself; false: it goes on to its usual chip. */
bool cartridge_watches_low(const rom_image *rom);
bool cartridge_low_read(console *machine, uint16_t address, uint8_t *value);
bool cartridge_low_write(console *machine, uint16_t address, uint8_t value);

/* Bytes of RAM beyond cartridge_state.ram; they live in console.big_ram. */
uint32_t cartridge_big_ram_size(const rom_image *rom);
/* The extra RAM as the games' rules see it, NULL where there is none. */
const uint8_t *cartridge_ram(const console *machine);

extern const invariant cartridge_invariants[];
/* As support/invariants.h has it: with a state that has none, no access leaves the image or the RAM. */
const char *cartridge_invalid_field(const rom_image *rom, const cartridge_state *cartridge);

#endif
