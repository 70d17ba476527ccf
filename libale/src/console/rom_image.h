/* A ROM image and all that follows from its bytes alone: scheme, properties, what the engines make of it
 * (console_open_rom).  Immutable once built, shared by any number of consoles in any number of threads,
 * reference-counted. */
#ifndef ALE_ROM_IMAGE_H
#define ALE_ROM_IMAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cartridge/schemes.h"
#include "cpu/engine.h"

typedef enum rom_format { FORMAT_NTSC, FORMAT_PAL, FORMAT_SECAM, FORMAT_AUTO = -1 } rom_format;

/* What the cartridge's property table says of an image. */
typedef struct rom_properties {
    bool paddles[2];      /* left and right controller are a pair of paddles (else: a joystick) */
    bool swap_ports;      /* the left controller sits in the right jack and the other way round */
    bool swap_paddles;    /* the two paddles of each jack are exchanged */
    bool difficulty_a[2]; /* left and right difficulty switch at power-on */
    bool black_and_white; /* TV type switch */
    bool hmove_blanks;    /* HMOVE blanks the first eight pixels of its line */
    rom_format format;    /* FORMAT_AUTO: found by running 60 frames */
    int ystart;           /* first visible line */
    int height;           /* visible lines; 210 becomes 250 for PAL and SECAM */
} rom_properties;

struct cartridge_scheme;

typedef struct rom_image {
    atomic_int references;
    char md5[33];
    rom_scheme scheme;
    const struct cartridge_scheme *cartridge; /* the same, described (cartridge/scheme.h) */
    rom_properties properties;
    uint32_t size;  /* bytes of `data` that come from the image, after the scheme's own arrangement */
    uint32_t banks; /* of the scheme's bank size */
    uint8_t *data;
    uint32_t table; /* where the scheme's table lies in `data`; 0: it has none */
    void *prepared[ENGINES]; /* by the engines that run the program (cpu/engine.h); NULL where one does not */
    void (*release_prepared)(struct rom_image *rom); /* gives that back; NULL: nothing is prepared */
} rom_image;

/* Build an image from the bytes of a file (not gzip-compressed).  `scheme` ROM_AUTO detects it.
 * Returns NULL with a message in `error` (at least 200 bytes) when the bytes fit no scheme, and with an empty
 * one when memory is short. */
rom_image *rom_image_create(const uint8_t *bytes, size_t size, rom_scheme scheme, char *error);
rom_image *rom_image_retain(rom_image *rom);
void rom_image_release(rom_image *rom); /* NULL is fine */

const char *rom_scheme_name(rom_scheme scheme); /* "F8SC"; NULL for numbers that are none */
rom_scheme rom_scheme_detect(const uint8_t *bytes, size_t size, const char *md5); /* ROM_AUTO: none fits */
rom_properties rom_properties_find(const char *md5); /* defaults for images the table does not know */

#endif
