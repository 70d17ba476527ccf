/* ROM images: which bank-switching scheme one has, and its bytes laid out for that scheme. */
#include "rom_image.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/md5.h"
#include "cartridge/scheme.h"

enum {
    LARGEST_IMAGE = 512 * KIB,
    SUPERCHARGER_LOAD = 8448,
    PADDING = 4 * KIB, /* zeros behind the image */
    ERROR_SIZE = 200,
};

const char *rom_scheme_name(rom_scheme scheme) {
    const cartridge_scheme *found = cartridge_scheme_find(scheme);
    return found ? found->name : NULL;
}

static bool equal_halves(const rom_file *file) {
    return !memcmp(file->bytes, file->bytes + file->size / 2, file->size / 2);
}

/* Whether a scheme would take one half of the file, if it equals the other. */
static bool is_doubled(const cartridge_scheme *scheme, const rom_file *file) {
    return scheme->doubled && file->size == scheme->largest;
}

static bool fits(const cartridge_scheme *scheme, const rom_file *file) {
    if (file->size < scheme->smallest || file->size > scheme->largest) return false;
    if (scheme->step && file->size % scheme->step) return false;
    return !is_doubled(scheme, file) || equal_halves(file);
}

static bool is_detected(const cartridge_scheme *scheme, const rom_file *file) {
    return scheme->detect ? scheme->detect(file) : fits(scheme, file);
}

rom_scheme rom_scheme_detect(const uint8_t *bytes, size_t size, const char *md5) {
    const rom_file file = {bytes, size, md5};
    if (size % SUPERCHARGER_LOAD == 0) return ROM_AUTO;
#define SCHEME_TRIED(name, number) \
    if (is_detected(&scheme_##name, &file)) return ROM_##name;
    CARTRIDGE_SCHEMES(SCHEME_TRIED)
#undef SCHEME_TRIED
    return ROM_AUTO;
}

/* ---- Building ------------------------------------------------------------------------------------------ */

/* Lay the file out in rom->data so that no address of the scheme leads outside. */
static bool arrange(rom_image *rom, const rom_file *file) {
    const cartridge_scheme *scheme = rom->cartridge;
    rom_layout layout = {.rom = file->bytes, .size = (uint32_t)file->size};
    if (is_doubled(scheme, file)) layout.size = scheme->smallest;
    if (scheme->arrange) scheme->arrange(&layout);
    const uint32_t times = layout.size == 2 * KIB && scheme->bank == 4 * KIB ? 2 : 1; /* it is seen twice */

    rom->size = layout.front + times * layout.size + layout.ram_size;
    rom->banks = rom->size / scheme->bank;
    rom->data = calloc(1, rom->size + PADDING + (scheme->table ? SCHEME_TABLE : 0));
    if (!rom->data) return false;
    if (scheme->table) {
        rom->table = rom->size + PADDING;
        memcpy(rom->data + rom->table, scheme->table, SCHEME_TABLE);
    }
    uint8_t *to = rom->data + layout.front;
    for (uint32_t i = 0; i < times; i++, to += layout.size) memcpy(to, layout.rom, layout.size);
    if (layout.ram) memcpy(to, layout.ram, layout.ram_size);
    return true;
}

/* Say why there will be no image. */
static void explain(char *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error, ERROR_SIZE, format, arguments);
    va_end(arguments);
}

/* The scheme for a file, the wanted one if that takes it; ROM_AUTO and a message where there is none. */
static rom_scheme choose_scheme(const rom_file *file, rom_scheme wanted, char *error) {
    const size_t size = file->size;
    const rom_scheme number = wanted == ROM_AUTO ? rom_scheme_detect(file->bytes, size, file->md5) : wanted;
    const cartridge_scheme *scheme = cartridge_scheme_find(number);
    if (number == ROM_AUTO && size % SUPERCHARGER_LOAD == 0) {
        explain(error, "a ROM image of %zu bytes is for the Supercharger (AR), which is not supported", size);
    } else if (number == ROM_AUTO) {
        explain(error,
                "a ROM image of %zu bytes fits no bank-switching scheme; images have 2, 4, 8, 12, 16, 32, "
                "64 or 128 KiB, or 10240, 10495 or 10496 bytes",
                size);
    } else if (!scheme) {
        explain(error, "there is no bank-switching scheme number %d", (int)number);
    } else if (!fits(scheme, file)) {
        explain(error, "scheme %s takes %s; the ROM image has %zu bytes%s", scheme->name, scheme->takes, size,
                is_doubled(scheme, file) ? ", and its halves differ" : "");
    } else {
        return number;
    }
    return ROM_AUTO;
}

rom_image *rom_image_create(const uint8_t *bytes, size_t size, rom_scheme scheme, char *error) {
    if (size == 0 || size > LARGEST_IMAGE) {
        explain(error, "the ROM image has %zu bytes; 1 to %d are supported", size, LARGEST_IMAGE);
        return NULL;
    }
    char md5[33];
    md5_hex(bytes, size, md5);
    const rom_file file = {bytes, size, md5};
    scheme = choose_scheme(&file, scheme, error);
    if (scheme == ROM_AUTO) return NULL;

    rom_image *rom = calloc(1, sizeof *rom);
    if (rom) {
        atomic_init(&rom->references, 1);
        memcpy(rom->md5, md5, sizeof md5);
        rom->scheme = scheme;
        rom->cartridge = cartridge_scheme_find(scheme);
        rom->properties = rom_properties_find(md5);
    }
    if (!rom || !arrange(rom, &file)) {
        *error = 0;
        free(rom);
        return NULL;
    }
    return rom;
}

rom_image *rom_image_retain(rom_image *rom) {
    if (rom) atomic_fetch_add_explicit(&rom->references, 1, memory_order_relaxed);
    return rom;
}

void rom_image_release(rom_image *rom) {
    if (!rom || atomic_fetch_sub_explicit(&rom->references, 1, memory_order_acq_rel) > 1) return;
    if (rom->release_prepared) rom->release_prepared(rom);
    free(rom->data);
    free(rom);
}
