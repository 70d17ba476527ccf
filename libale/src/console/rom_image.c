/* ROM images: which bank-switching scheme one has, and its bytes laid out for that scheme. */
#include "rom_image.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/md5.h"
#include "cpu/decode.h"
#include "cpu/translate.h"

enum {
    KIB = 1024,
    LARGEST_IMAGE = 512 * KIB,
    SUPERCHARGER_LOAD = 8448,
    PADDING = 4 * KIB, /* zeros behind the image */
    ERROR_SIZE = 200,
};

/* The sizes a scheme takes, and the size of the banks it switches. */
static const struct {
    const char *name;
    uint32_t smallest, largest, step;
    uint32_t bank;
    const char *takes;
} schemes[ROM_SCHEME_COUNT] = {
    [ROM_2K] = {"2K", 2 * KIB, 4 * KIB, 2 * KIB, 4 * KIB, "2048 bytes, or 4096 with equal halves"},
    [ROM_4K] = {"4K", 4 * KIB, 8 * KIB, 4 * KIB, 4 * KIB, "4096 bytes, or 8192 with equal halves"},
    [ROM_F8] = {"F8", 8 * KIB, 8 * KIB, 1, 4 * KIB, "8192 bytes"},
    [ROM_F8_SWAPPED] = {"F8 swapped", 8 * KIB, 8 * KIB, 1, 4 * KIB, "8192 bytes"},
    [ROM_F8SC] = {"F8SC", 8 * KIB, 8 * KIB, 1, 4 * KIB, "8192 bytes"},
    [ROM_F6] = {"F6", 16 * KIB, 16 * KIB, 1, 4 * KIB, "16384 bytes"},
    [ROM_F6SC] = {"F6SC", 16 * KIB, 16 * KIB, 1, 4 * KIB, "16384 bytes"},
    [ROM_F4] = {"F4", 32 * KIB, 32 * KIB, 1, 4 * KIB, "32768 bytes"},
    [ROM_F4SC] = {"F4SC", 32 * KIB, 32 * KIB, 1, 4 * KIB, "32768 bytes"},
    [ROM_FASC] = {"FASC", 12 * KIB, 12 * KIB, 1, 4 * KIB, "12288 bytes"},
    [ROM_FE] = {"FE", 8 * KIB, 8 * KIB, 1, 4 * KIB, "8192 bytes"},
    [ROM_E0] = {"E0", 8 * KIB, 8 * KIB, 1, 1 * KIB, "8192 bytes"},
    [ROM_E7] = {"E7", 16 * KIB, 16 * KIB, 1, 2 * KIB, "16384 bytes"},
    [ROM_3F] = {"3F", 2 * KIB, LARGEST_IMAGE, 2 * KIB, 2 * KIB, "multiples of 2048 bytes up to 524288"},
    [ROM_3E] = {"3E", 2 * KIB, LARGEST_IMAGE, 2 * KIB, 2 * KIB, "multiples of 2048 bytes up to 524288"},
    [ROM_UA] = {"UA", 8 * KIB, 8 * KIB, 1, 4 * KIB, "8192 bytes"},
    [ROM_MB] = {"MB", 64 * KIB, 64 * KIB, 1, 4 * KIB, "65536 bytes"},
    [ROM_CV] = {"CV", 2 * KIB, 4 * KIB, 2 * KIB, 4 * KIB, "2048 or 4096 bytes"},
    [ROM_MC] = {"MC", 1, 128 * KIB, 1, 1 * KIB, "up to 131072 bytes"},
    [ROM_DPC] = {"DPC", 10 * KIB, 10 * KIB + 256, 1, 4 * KIB, "10240 to 10496 bytes"},
};

const char *rom_scheme_name(rom_scheme scheme) {
    return scheme >= 0 && scheme < ROM_SCHEME_COUNT ? schemes[scheme].name : NULL;
}

static bool equal_halves(const uint8_t *bytes, size_t size) {
    return !memcmp(bytes, bytes + size / 2, size / 2);
}

static bool fits(rom_scheme scheme, const uint8_t *bytes, size_t size) {
    if (size < schemes[scheme].smallest || size > schemes[scheme].largest) return false;
    if (size % schemes[scheme].step) return false;
    if ((scheme == ROM_2K || scheme == ROM_4K) && size == schemes[scheme].largest)
        return equal_halves(bytes, size);
    return true;
}

/* ---- Detection ----------------------------------------------------------------------------------------- */

/* Images that a plain F8 console would start in the wrong bank. */
static const char *const f8_swapped[] = {
    "bc24440b59092559a1ec26055fd1270e",
    "75ee371ccfc4f43e7d9b8f24e1266b55",
};

static bool all_equal(const uint8_t *bytes, size_t size) { return !memcmp(bytes, bytes + 1, size - 1); }

/* Whether a signature of `length` bytes occurs `wanted` times.  As in the reference, the very last position
 * is not tried, and of two occurrences side by side the second is missed. */
static bool occurs(const uint8_t *bytes, size_t size, const uint8_t *signature, size_t length, int wanted) {
    for (size_t i = 0; i + length < size; i++) {
        if (memcmp(bytes + i, signature, length)) continue;
        if (--wanted == 0) return true;
        i += length;
    }
    return false;
}

/* Whether any of the signatures, each of `length` bytes, occurs. */
static bool any_occurs(const uint8_t *bytes, size_t size, const uint8_t *signatures, size_t total,
                       size_t length) {
    for (size_t at = 0; at < total; at += length)
        if (occurs(bytes, size, signatures + at, length, 1)) return true;
    return false;
}

static bool probably_3f(const uint8_t *bytes, size_t size) {
    return occurs(bytes, size, (const uint8_t[]){0x85, 0x3F}, 2, 2); /* STA $3F, more than once */
}

static bool probably_3e(const uint8_t *bytes, size_t size) {
    return occurs(bytes, size, (const uint8_t[]){0x85, 0x3E, 0xA9, 0x00}, 4, 1); /* STA $3E, LDA #0 */
}

static bool probably_ua(const uint8_t *bytes, size_t size) {
    return occurs(bytes, size, (const uint8_t[]){0x8D, 0x40, 0x02}, 3, 1); /* STA $0240 */
}

/* Writes to the RAM. */
static bool probably_cv(const uint8_t *bytes, size_t size) {
    static const uint8_t signatures[] = {0x9D, 0xFF, 0xF3, 0x99, 0x00, 0xF4};
    return any_occurs(bytes, size, signatures, sizeof signatures, 3);
}

/* Accesses to the hotspots. */
static bool probably_e0(const uint8_t *bytes, size_t size) {
    static const uint8_t signatures[] = {0x8D, 0xE0, 0x1F, 0x8D, 0xE0, 0x5F, 0x8D, 0xE9, 0xFF,
                                         0xAD, 0xE9, 0xFF, 0xAD, 0xED, 0xFF, 0xAD, 0xF3, 0xBF};
    return any_occurs(bytes, size, signatures, sizeof signatures, 3);
}

/* Pieces of the few games there are. */
static bool probably_fe(const uint8_t *bytes, size_t size) {
    static const uint8_t signatures[] = {0x20, 0x00, 0xD0, 0xC6, 0xC5, 0x20, 0xC3, 0xF8, 0xA5, 0x82,
                                         0xD0, 0xFB, 0x20, 0x73, 0xFE, 0x20, 0x00, 0xF0, 0x84, 0xD6};
    return any_occurs(bytes, size, signatures, sizeof signatures, 5);
}

/* The hole for the RAM ports is filled evenly, unlike what is around it. */
static bool probably_e7(const uint8_t *bytes) {
    const uint8_t *hole = bytes + 0x3800;
    if (!all_equal(hole, 0x200)) return false;
    return !all_equal(hole - 32, 33) || !all_equal(hole + 0x1FF, 33);
}

/* The RAM ports at the start of every bank are filled evenly. */
static bool probably_sc(const uint8_t *bytes, size_t size) {
    for (size_t bank = 0; bank < size; bank += 4 * KIB)
        if (!all_equal(bytes + bank, 256)) return false;
    return true;
}

rom_scheme rom_scheme_detect(const uint8_t *bytes, size_t size, const char *md5) {
    for (size_t i = 0; i < sizeof f8_swapped / sizeof f8_swapped[0]; i++)
        if (!strcmp(md5, f8_swapped[i])) return ROM_F8_SWAPPED;
    if (size == 0 || size % SUPERCHARGER_LOAD == 0) return ROM_AUTO;

    switch (size) {
        case 2 * KIB: return probably_cv(bytes, size) ? ROM_CV : ROM_2K;
        case 4 * KIB:
            if (probably_cv(bytes, size)) return ROM_CV;
            return equal_halves(bytes, size) ? ROM_2K : ROM_4K;
        case 8 * KIB:
            if (probably_sc(bytes, size)) return ROM_F8SC;
            if (equal_halves(bytes, size)) return ROM_4K;
            if (probably_e0(bytes, size)) return ROM_E0;
            break;
        case 10 * KIB:
        case 10 * KIB + 255:
        case 10 * KIB + 256: return ROM_DPC;
        case 12 * KIB: return ROM_FASC;
        case 16 * KIB:
            if (probably_sc(bytes, size)) return ROM_F6SC;
            if (probably_e7(bytes)) return ROM_E7;
            break;
        case 32 * KIB:
            if (probably_sc(bytes, size)) return ROM_F4SC;
            break;
        default: break;
    }
    if (probably_3e(bytes, size)) return ROM_3E;
    if (probably_3f(bytes, size)) return ROM_3F;
    switch (size) {
        case 8 * KIB:
            if (probably_ua(bytes, size)) return ROM_UA;
            return probably_fe(bytes, size) ? ROM_FE : ROM_F8;
        case 16 * KIB: return ROM_F6;
        case 32 * KIB: return ROM_F4;
        case 64 * KIB: return ROM_MB;
        case 128 * KIB: return ROM_MC;
        default: return ROM_AUTO;
    }
}

/* ---- Building ------------------------------------------------------------------------------------------ */

/* Lay the bytes out in rom->data so that no address of the scheme leads outside. */
static bool arrange(rom_image *rom, const uint8_t *bytes, uint32_t size) {
    const uint8_t *ram_image = NULL; /* what a 4 KiB CV image puts into the RAM, from 4096 on */
    uint32_t front = 0;              /* zeros before the image */
    switch (rom->scheme) {
        case ROM_2K: size = 2 * KIB; break;
        case ROM_4K: size = 4 * KIB; break;
        case ROM_CV:
            if (size == 4 * KIB) ram_image = bytes;
            bytes += size - 2 * KIB;
            size = 2 * KIB;
            break;
        case ROM_MC: front = 128 * KIB - size; break;
        default: break;
    }
    bool doubled = size == 2 * KIB && schemes[rom->scheme].bank == 4 * KIB;

    rom->size = front + (doubled ? 2 : 1) * size + (ram_image ? KIB : 0);
    rom->banks = rom->size / schemes[rom->scheme].bank;
    rom->data = calloc(1, rom->size + PADDING);
    if (!rom->data) return false;
    memcpy(rom->data + front, bytes, size);
    if (doubled) memcpy(rom->data + size, bytes, size);
    if (ram_image) memcpy(rom->data + 4 * KIB, ram_image, KIB);
    return true;
}

/* Say why there will be no image. */
static void explain(char *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error, ERROR_SIZE, format, arguments);
    va_end(arguments);
}

/* The scheme for these bytes, the wanted one if they fit it; ROM_AUTO and a message where there is none. */
static rom_scheme choose_scheme(const uint8_t *bytes, size_t size, rom_scheme wanted, const char *md5,
                                char *error) {
    rom_scheme scheme = wanted == ROM_AUTO ? rom_scheme_detect(bytes, size, md5) : wanted;
    if (scheme == ROM_AUTO && size % SUPERCHARGER_LOAD == 0) {
        explain(error, "a ROM image of %zu bytes is for the Supercharger (AR), which is not supported", size);
    } else if (scheme == ROM_AUTO) {
        explain(error,
                "a ROM image of %zu bytes fits no bank-switching scheme; images have 2, 4, 8, 12, 16, 32, "
                "64 or 128 KiB, or 10240, 10495 or 10496 bytes",
                size);
    } else if (!rom_scheme_name(scheme)) {
        explain(error, "there is no bank-switching scheme number %d", (int)scheme);
    } else if (!fits(scheme, bytes, size)) {
        bool halves = size == schemes[scheme].largest && (scheme == ROM_2K || scheme == ROM_4K);
        explain(error, "scheme %s takes %s; the ROM image has %zu bytes%s", schemes[scheme].name,
                schemes[scheme].takes, size, halves ? ", and its halves differ" : "");
    } else {
        return scheme;
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
    scheme = choose_scheme(bytes, size, scheme, md5, error);
    if (scheme == ROM_AUTO) return NULL;

    rom_image *rom = calloc(1, sizeof *rom);
    if (rom) {
        atomic_init(&rom->references, 1);
        memcpy(rom->md5, md5, sizeof md5);
        rom->scheme = scheme;
        rom->properties = rom_properties_find(md5);
    }
    if (!rom || !arrange(rom, bytes, (uint32_t)size)) {
        *error = 0;
        free(rom);
        return NULL;
    }
    rom->code = cpu_code_create(rom);
    rom->translation = translation_create(rom);
    return rom;
}

rom_image *rom_image_retain(rom_image *rom) {
    if (rom) atomic_fetch_add_explicit(&rom->references, 1, memory_order_relaxed);
    return rom;
}

void rom_image_release(rom_image *rom) {
    if (!rom || atomic_fetch_sub_explicit(&rom->references, 1, memory_order_acq_rel) > 1) return;
    translation_destroy(rom->translation);
    cpu_code_destroy(rom->code);
    free(rom->data);
    free(rom);
}
