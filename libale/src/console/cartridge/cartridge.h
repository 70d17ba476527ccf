/* The cartridge: what the program sees in its half of the address space. */
#ifndef ALE_CARTRIDGE_H
#define ALE_CARTRIDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "../../support/mt19937.h"
#include "dpc.h"

struct console;
struct rom_image;

/* The part of a cartridge that changes; flat, saved by copying. */
typedef struct cartridge_state {
    uint32_t bank;      /* scheme's bank number (4 KiB banks, or the scheme's own size); 3E: 256 + RAM bank */
    uint32_t offset;    /* of the mapped 4 KiB bank in the image, for schemes that map 4 KiB at once */
    uint8_t slice[4];   /* E0: 1 KiB slices of segments 0..3; E7: [0] slice, [1] RAM block; MC: blocks */
    uint8_t mc_locked;
    uint8_t ram[256];   /* F8SC, F6SC, F4SC: 128 bytes; FASC: 256; what there is not is 0 */
    uint8_t reserved[3];
    dpc_state dpc;      /* as at power-on where there is none, but for its stamp */
} cartridge_state;

/* State right after the cartridge is put in: everything zero but what the scheme maps and sets.  With `random` not
 * NULL the extra RAM is filled from it (the multi-player reference does that here instead of at each reset). */
void cartridge_install(struct console *console, mt19937 *random);
/* System reset: RAM from `random` (NULL: RAM is left alone), then the start bank. */
void cartridge_reset(struct console *console, mt19937 *random);

/* The cycle counter goes back by `cycles`: so does the stamp that counts with it. */
void cartridge_rebase(struct console *console, int32_t cycles);

/* Accesses with A12 = 1.  `address` is the full 16-bit address. */
uint8_t cartridge_read(struct console *console, uint16_t address);
void cartridge_write(struct console *console, uint16_t address, uint8_t value);

/* Accesses with A12 = 0, of cartridges that watch them (console.low_watch).  True when the cartridge answers for
 * that access itself; false: it goes on to its usual chip. */
bool cartridge_watches_low(const struct rom_image *rom);
bool cartridge_low_read(struct console *console, uint16_t address, uint8_t *value);
bool cartridge_low_write(struct console *console, uint16_t address, uint8_t value);

/* Bytes of RAM beyond cartridge_state.ram; they live in console.big_ram. */
uint32_t cartridge_big_ram_size(const struct rom_image *rom);
/* The extra RAM as the games' rules see it, NULL where there is none. */
const uint8_t *cartridge_ram(const struct console *console);

extern const invariant cartridge_invariants[];
/* As support/invariants.h has it: with a state that has none, no access leaves the image or the RAM. */
const char *cartridge_invalid_field(const struct rom_image *rom, const cartridge_state *cartridge);

#endif
