/* A bank-switching scheme: all that the rest of the machine knows of one.
 *
 * Each family of schemes has a file with its descriptors; schemes.h lists them.  What is left out of a descriptor
 * is 0 or NULL: the scheme does not have it. */
#ifndef ALE_CARTRIDGE_SCHEME_H
#define ALE_CARTRIDGE_SCHEME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schemes.h"

struct console;
struct rom_image;

enum { KIB = 1024, SCHEME_TABLE = 256 };

/* The bytes of a ROM file. */
typedef struct rom_file {
    const uint8_t *bytes;
    size_t size;
    const char *md5;
} rom_file;

/* How a file's bytes become an image: zeros, ROM, and what the cartridge's RAM holds at the start. */
typedef struct rom_layout {
    uint32_t front; /* zeros before the ROM */
    const uint8_t *rom;
    uint32_t size;
    const uint8_t *ram;
    uint32_t ram_size;
} rom_layout;

/* What the program counter says of the place of an instruction in the image. */
typedef enum cartridge_map {
    MAPS_BANK,      /* in the 4 KiB bank at cartridge_state.offset */
    MAPS_SLICES,    /* in one of four slices of 1 KiB: cartridge_state.slice; the last slice is always number 7 */
    MAPS_BY_ADDRESS /* in one of two banks of 4 KiB: the second one if address bit 13 is 0 */
} cartridge_map;

typedef struct cartridge_scheme {
    const char *name;

    /* Images. */
    uint32_t smallest, largest, step; /* sizes it takes */
    const char *takes;                /* the same in words */
    uint32_t bank;                    /* bytes it switches */
    bool doubled;                     /* an image of the largest size holds one of the smallest twice */
    bool (*detect)(const rom_file *file); /* whether an image is of this scheme; NULL: if it has such a size */
    void (*arrange)(rom_layout *layout);  /* given with the file's bytes as ROM; NULL: that is right */

    /* Code that is decoded ahead: addresses from `quiet` to before `quiet_end` are ROM, without hotspots, RAM or
     * registers, and nothing below `quiet` switches.  No such addresses: the plain core runs the program. */
    uint16_t quiet, quiet_end;
    cartridge_map map;
    uint32_t code; /* bytes of the image that may be code; 0: all */
    const uint8_t *table; /* SCHEME_TABLE bytes to be copied behind the image, where translated code reads them */
    uint16_t clocked_end; /* if not 0: addresses from `quiet_end` to before this are ROM, too, but every byte that is read
                             there clocks DPC's shift register by the table */

    /* Accesses with A12 = 1; the full address.  Hotspots act on reads and writes alike, and a read that switches
     * returns the byte of the new bank.  Reading the write port of a RAM does not disturb the RAM. */
    uint8_t (*read)(struct console *machine, uint16_t address);
    void (*write)(struct console *machine, uint16_t address, uint8_t value);
    /* Accesses with A12 = 0, as in cartridge.h; both or none. */
    bool (*low_read)(struct console *machine, uint16_t address, uint8_t *value);
    bool (*low_write)(struct console *machine, uint16_t address, uint8_t value);

    /* Memory. */
    uint16_t ram;     /* bytes of cartridge_state.ram */
    uint32_t big_ram; /* bytes of console.big_ram */
    bool (*load_ram)(struct console *machine); /* big RAM from the image; false: it holds nothing for it */
    void (*reset)(struct console *machine);    /* the mapping, and what else is not RAM */

    /* What a saved state may hold; NULL: nothing but 0. */
    bool (*bank_exists)(const struct rom_image *rom, uint32_t bank);
    bool (*slices_exist)(const uint8_t slice[4]);
    bool locks; /* cartridge_state.mc_locked */

    /* Hotspots that select a bank of 4 KiB each, one after the other, and the bank at the start (hotspots.h). */
    uint16_t hotspot, hotspots;
    uint8_t start;
} cartridge_scheme;

#define SCHEME_DECLARED(name, number) extern const cartridge_scheme scheme_##name;
CARTRIDGE_SCHEMES(SCHEME_DECLARED)
#undef SCHEME_DECLARED

/* The descriptor of a number; NULL for numbers that are none. */
const cartridge_scheme *cartridge_scheme_find(int number);

#endif
