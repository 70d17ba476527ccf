/* ROM images and bank switching: every scheme through the bus; the bytes of the images say where they are. */
#include <stdlib.h>
#include <string.h>

#include "../src/console/cartridge/cartridge.h"
#include "../src/console/cartridge/scheme.h"
#include "../src/console/console.h"
#include "../src/console/cpu/cpu.h"
#include "../src/console/video/picture.h"
#include "../src/support/md5.h"
#include "check.h"

/* Differs between the same places of any two of 256 neighbouring KiB. */
static uint8_t mark(uint32_t offset) { return (uint8_t)(offset + 7 * (offset / KIB)); }

static rom_image *make_image(const uint8_t *bytes, size_t size, rom_scheme scheme) {
    char error[200];
    rom_image *rom = console_open_rom(bytes, size, scheme, error);
    if (!rom) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
    return rom;
}

/* A console with `size` marked bytes in it. */
static console *insert_with(rom_scheme scheme, uint32_t size, bool ram_once) {
    uint8_t *bytes = malloc(size);
    if (!bytes) exit(1);
    for (uint32_t i = 0; i < size; i++) bytes[i] = mark(i);
    rom_image *rom = make_image(bytes, size, scheme);
    free(bytes);
    rom->properties.format = FORMAT_NTSC; /* there is no program to find the format with */
    console_options options = {.seed = 1, .cartridge_ram_once = ram_once, .fast_paths = FAST_ALL};
    console *machine = console_create(rom, &options);
    rom_image_release(rom);
    if (!machine) exit(1);
    return machine;
}

static console *insert(rom_scheme scheme, uint32_t size) { return insert_with(scheme, size, false); }

/* The byte at an address, and the one at an offset of the image. */
#define CHECK_MAPS(machine, address, offset) CHECK_EQUAL(bus_read(machine, address), mark(offset))

/* ---- Images -------------------------------------------------------------------------------------------- */

static void md5_of_known_texts(void) {
    char hex[33];
    md5_hex("", 0, hex);
    CHECK(!strcmp(hex, "d41d8cd98f00b204e9800998ecf8427e"));
    md5_hex("abc", 3, hex);
    CHECK(!strcmp(hex, "900150983cd24fb0d6963f7d28e17f72"));
    md5_hex("12345678901234567890123456789012345678901234567890123456789012345678901234567890", 80, hex);
    CHECK(!strcmp(hex, "57edf4a22be3c955ac49da2e2107b67a"));
}

static rom_scheme detected(const uint8_t *bytes, size_t size) { return rom_scheme_detect(bytes, size, ""); }

static void schemes_are_detected(void) {
    static uint8_t bytes[128 * KIB];
    for (uint32_t i = 0; i < sizeof bytes; i++) bytes[i] = mark(i);
    CHECK_EQUAL(detected(bytes, 2 * KIB), ROM_2K);
    CHECK_EQUAL(detected(bytes, 4 * KIB), ROM_4K);
    CHECK_EQUAL(detected(bytes, 8 * KIB), ROM_F8);
    CHECK_EQUAL(detected(bytes, 10495), ROM_DPC);
    CHECK_EQUAL(detected(bytes, 12 * KIB), ROM_FASC);
    CHECK_EQUAL(detected(bytes, 16 * KIB), ROM_F6);
    CHECK_EQUAL(detected(bytes, 32 * KIB), ROM_F4);
    CHECK_EQUAL(detected(bytes, 64 * KIB), ROM_MB);
    CHECK_EQUAL(detected(bytes, 128 * KIB), ROM_MC);
    CHECK_EQUAL(detected(bytes, 3000), ROM_AUTO);
    CHECK_EQUAL(detected(bytes, 8448), ROM_AUTO);
    CHECK_EQUAL(rom_scheme_detect(bytes, 8 * KIB, "75ee371ccfc4f43e7d9b8f24e1266b55"), ROM_F8_SWAPPED);

    memset(bytes, 0, sizeof bytes);
    CHECK_EQUAL(detected(bytes, 4 * KIB), ROM_2K);
    CHECK_EQUAL(detected(bytes, 8 * KIB), ROM_F8SC);
    bytes[0] = 1, bytes[4096] = 1;
    CHECK_EQUAL(detected(bytes, 8 * KIB), ROM_4K);

    /* The last position is not tried; of two signatures side by side only the first counts. */
    bytes[8189] = 0x8D, bytes[8190] = 0xE0, bytes[8191] = 0x1F;
    CHECK_EQUAL(detected(bytes, 8 * KIB), ROM_F8);
    memmove(bytes + 8188, bytes + 8189, 3);
    CHECK_EQUAL(detected(bytes, 8 * KIB), ROM_E0);
    memset(bytes + 8188, 0, 4);
    memcpy(bytes + 100, (const uint8_t[]){0x85, 0x3F, 0x85, 0x3F}, 4);
    CHECK_EQUAL(detected(bytes, 8 * KIB), ROM_F8);
    memcpy(bytes + 105, (const uint8_t[]){0x85, 0x3F}, 2);
    CHECK_EQUAL(detected(bytes, 8 * KIB), ROM_3F);
}

static void properties_are_found(void) {
    rom_properties unknown = rom_properties_find("00000000000000000000000000000000");
    CHECK(!unknown.paddles[0] && !unknown.swap_ports && unknown.hmove_blanks && !unknown.black_and_white);
    CHECK_EQUAL(unknown.format, FORMAT_AUTO);
    CHECK_EQUAL(unknown.ystart, 34);
    CHECK_EQUAL(unknown.height, 210);
    rom_properties pong = rom_properties_find("60e0ea3cbe0913d39803477945e9e5ec");
    CHECK(pong.paddles[0] && pong.paddles[1] && pong.swap_paddles && !pong.swap_ports);
    rom_properties combat = rom_properties_find("0ef64cdbecccb7049752a3de0b7ade14");
    CHECK_EQUAL(combat.ystart, 39);
    CHECK_EQUAL(combat.height, 256);
}

static void check_error(const uint8_t *bytes, size_t size, rom_scheme scheme, const char *wanted) {
    char error[200] = "";
    rom_image *rom = console_open_rom(bytes, size, scheme, error);
    CHECK(!rom);
    CHECK(strstr(error, wanted));
    rom_image_release(rom);
}

static void misfits_are_explained(void) {
    static const uint8_t bytes[512 * KIB + 1] = {1};
    check_error(bytes, 0, ROM_AUTO, "0 bytes");
    check_error(bytes, sizeof bytes, ROM_AUTO, "524289 bytes");
    check_error(bytes, 3000, ROM_AUTO, "3000 bytes");
    check_error(bytes, 8448, ROM_AUTO, "Supercharger");
    check_error(bytes, 4096, ROM_F8, "F8 takes 8192 bytes");
    check_error(bytes, 4096, ROM_2K, "halves");
    check_error(bytes, 4096, ROM_SCHEME_COUNT, "number");
    CHECK(!strcmp(rom_scheme_name(ROM_F8SC), "F8SC"));
    CHECK(!rom_scheme_name(ROM_AUTO));
    CHECK(!rom_scheme_name(ROM_SCHEME_COUNT));
}

/* ---- Schemes ------------------------------------------------------------------------------------------- */

static void small_images_are_mirrored(void) {
    console *machine = insert(ROM_2K, 2 * KIB);
    CHECK_MAPS(machine, 0x1123, 0x123);
    CHECK_MAPS(machine, 0xF923, 0x123);
    console_destroy(machine);
    machine = insert(ROM_4K, 4 * KIB);
    CHECK_MAPS(machine, 0xF923, 0x923);
    CHECK_MAPS(machine, 0x5923, 0x923);
    console_destroy(machine);
}

/* Schemes of 4 KiB banks with a hotspot for each. */
static void flat_schemes_switch(void) {
    static const struct {
        rom_scheme scheme;
        uint32_t banks, hotspot, start;
    } all[] = {{ROM_F8, 2, 0xFF8, 1}, {ROM_F8_SWAPPED, 2, 0xFF8, 0}, {ROM_F8SC, 2, 0xFF8, 1},
               {ROM_F6, 4, 0xFF6, 0}, {ROM_F6SC, 4, 0xFF6, 0},       {ROM_F4, 8, 0xFF4, 0},
               {ROM_F4SC, 8, 0xFF4, 0}, {ROM_FASC, 3, 0xFF8, 2},     {ROM_DPC, 2, 0xFF8, 1}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        uint32_t banks = all[i].banks;
        console *machine = insert(all[i].scheme, all[i].scheme == ROM_DPC ? 10240 : banks * 4096);
        CHECK_MAPS(machine, 0xF234, all[i].start * 4096 + 0x234);
        for (uint32_t bank = 0; bank < banks; bank++) {
            uint16_t hotspot = (uint16_t)(0xF000 | (all[i].hotspot + bank));
            CHECK_MAPS(machine, hotspot, bank * 4096 + (hotspot & 0xFFF)); /* already of the new bank */
            CHECK_MAPS(machine, 0x1234, bank * 4096 + 0x234);
            CHECK_EQUAL(machine->s.cartridge.offset, bank * 4096);
        }
        bus_write(machine, (uint16_t)(0xF000 | all[i].hotspot), 0);
        CHECK_MAPS(machine, 0xF234, (all[i].scheme == ROM_F4SC ? banks - 1 : 0) * 4096 + 0x234);
        bus_read(machine, (uint16_t)(0xF000 | (all[i].hotspot - 1))); /* no hotspot */
        bus_read(machine, (uint16_t)(0xF000 | (all[i].hotspot + banks)));
        CHECK_MAPS(machine, 0xF234, (all[i].scheme == ROM_F4SC ? banks - 1 : 0) * 4096 + 0x234);
        console_reset(machine);
        CHECK_MAPS(machine, 0xF234, all[i].start * 4096 + 0x234);
        console_destroy(machine);
    }
}

static void superchip_ram(void) {
    static const struct {
        rom_scheme scheme;
        uint32_t size, ram, start;
    } all[] = {{ROM_F8SC, 8 * KIB, 128, 1}, {ROM_F6SC, 16 * KIB, 128, 0}, {ROM_F4SC, 32 * KIB, 128, 0},
               {ROM_FASC, 12 * KIB, 256, 2}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        console *machine = insert(all[i].scheme, all[i].size);
        uint16_t write_port = 0xF005, read_port = (uint16_t)(0xF005 + all[i].ram);
        bus_write(machine, write_port, 0x5A);
        bus_write(machine, read_port, 0x77);
        CHECK_EQUAL(bus_read(machine, read_port), 0x5A);
        CHECK_MAPS(machine, write_port, all[i].start * 4096 + 5); /* the ROM; the RAM is not disturbed */
        CHECK_EQUAL(bus_read(machine, read_port), 0x5A);
        CHECK_EQUAL(cartridge_ram(machine)[5], 0x5A);

        mt19937 random = machine->s.random;
        mt19937_next(&random); /* the RIOT's timer comes first */
        console_reset(machine);
        for (uint32_t at = 0; at < all[i].ram; at++) {
            read_port = (uint16_t)(0xF000 + all[i].ram + at);
            CHECK_EQUAL(bus_read(machine, read_port), mt19937_next(&random) & 0xFF);
        }
        CHECK_EQUAL(machine->s.random.position, random.position);
        console_destroy(machine);
    }
}

static void ram_is_filled_once_where_asked(void) {
    console *machine = insert_with(ROM_F8SC, 8 * KIB, true);
    mt19937 random;
    mt19937_seed(&random, 1);
    for (uint16_t at = 0; at < 128; at++)
        CHECK_EQUAL(bus_read(machine, 0xF080 + at), mt19937_next(&random) & 0xFF);
    CHECK_EQUAL(machine->s.ram[0], mt19937_next(&random) & 0xFF);
    bus_write(machine, 0xF003, 0x42);
    console_reset(machine);
    CHECK_EQUAL(bus_read(machine, 0xF083), 0x42);
    console_destroy(machine);
}

static void fe_follows_address_bit_13(void) {
    console *machine = insert(ROM_FE, 8 * KIB);
    CHECK_MAPS(machine, 0xF234, 0x234);
    CHECK_MAPS(machine, 0x3234, 0x234);
    CHECK_MAPS(machine, 0xD234, 0x1234);
    CHECK_MAPS(machine, 0x1234, 0x1234);
    console_destroy(machine);
}

static void e0_slices(void) {
    console *machine = insert(ROM_E0, 8 * KIB);
    for (uint16_t segment = 0; segment < 4; segment++) {
        uint16_t address = (uint16_t)(0xF012 + segment * KIB);
        CHECK_MAPS(machine, address, (4u + segment) * KIB + 0x12);
        if (segment == 3) break;
        CHECK_MAPS(machine, (uint16_t)(0xFFE2 + 8 * segment), 0x1FE2u + 8u * segment);
        CHECK_MAPS(machine, address, 2 * KIB + 0x12);
        bus_write(machine, (uint16_t)(0xFFE1 + 8 * segment), 0);
        CHECK_MAPS(machine, address, 1 * KIB + 0x12);
    }
    console_reset(machine);
    CHECK_MAPS(machine, 0xF012, 4 * KIB + 0x12);
    console_destroy(machine);
}

static void e7_slices_and_ram(void) {
    console *machine = insert(ROM_E7, 16 * KIB);
    CHECK_MAPS(machine, 0xF123, 0x123);
    CHECK_MAPS(machine, 0xFB23, 7 * 2048 + 0x323);
    bus_read(machine, 0xFFE3);
    CHECK_MAPS(machine, 0xF523, 3 * 2048 + 0x523);
    bus_write(machine, 0xF123, 0x11); /* ROM */
    bus_write(machine, 0xFFE7, 0);    /* 1 KiB of RAM */
    bus_write(machine, 0xF123, 0x99);
    CHECK_EQUAL(bus_read(machine, 0xF523), 0x99);
    CHECK_MAPS(machine, 0xF123, 7 * 2048 + 0x123);
    for (uint16_t block = 0; block < 4; block++) {
        bus_read(machine, 0xFFE8 + block);
        bus_write(machine, 0xF810, (uint8_t)(block + 50));
        CHECK_MAPS(machine, 0xF810, 7 * 2048 + 0x010);
    }
    for (uint16_t block = 0; block < 4; block++) {
        bus_read(machine, 0xFFE8 + block);
        CHECK_EQUAL(bus_read(machine, 0xF910), block + 50);
    }
    CHECK_EQUAL(bus_read(machine, 0xF523), 0x99);
    console_destroy(machine);
}

/* COLUBK as the TIA has it after all accesses so far. */
static uint8_t background(console *machine) {
    picture_follow(machine);
    return machine->s.tia.now.reg[COLUBK];
}

static void tigervision_banks(void) {
    console *machine = insert(ROM_3F, 8 * KIB);
    CHECK_MAPS(machine, 0xF123, 0x123);
    CHECK_MAPS(machine, 0xF923, 3 * 2048 + 0x123);
    bus_write(machine, 0x0002, 2);
    CHECK_MAPS(machine, 0xF123, 2 * 2048 + 0x123);
    CHECK_MAPS(machine, 0x0003, 2 * 2048 + 3); /* hides the TIA, but not its mirrors */
    CHECK(bus_read(machine, 0x004E) < 0x40);
    bus_write(machine, 0x203F, 5); /* modulo four banks */
    CHECK_MAPS(machine, 0xF123, 1 * 2048 + 0x123);
    bus_write(machine, 0x0049, 3); /* a mirror */
    CHECK_MAPS(machine, 0xF123, 1 * 2048 + 0x123);
    bus_write(machine, 0xF009, 3);
    CHECK_MAPS(machine, 0xF123, 3 * 2048 + 0x123);
    CHECK_EQUAL(background(machine), 3); /* the TIA got it, too */
    bus_write(machine, 0xF149, 0);
    CHECK_EQUAL(background(machine), 0);
    CHECK_MAPS(machine, 0xF123, 3 * 2048 + 0x123);
    console_destroy(machine);
}

static void tigervision_ram(void) {
    console *machine = insert(ROM_3E, 8 * KIB);
    bus_write(machine, 0x003F, 6);
    CHECK_MAPS(machine, 0xF123, 2 * 2048 + 0x123);
    bus_write(machine, 0x0009, 1);
    CHECK_MAPS(machine, 0xF123, 2 * 2048 + 0x123);
    bus_write(machine, 0x003E, 33); /* modulo 32 */
    bus_write(machine, 0xF409, 0x77);
    CHECK_EQUAL(background(machine), 1);
    CHECK_EQUAL(bus_read(machine, 0xF009), 0x77);
    CHECK_EQUAL(bus_read(machine, 0xF409), 0x77);
    CHECK_EQUAL(machine->big_ram[KIB + 9], 0x77);
    CHECK_MAPS(machine, 0xF923, 3 * 2048 + 0x123);
    bus_write(machine, 0xF03F, 1);
    CHECK_MAPS(machine, 0xF123, 1 * 2048 + 0x123);
    console_destroy(machine);
}

static void ua_hotspots_among_the_tia(void) {
    console *machine = insert(ROM_UA, 8 * KIB);
    CHECK_MAPS(machine, 0xF123, 0x123);
    bus_read(machine, 0x2240);
    CHECK_MAPS(machine, 0xF123, 0x1123);
    bus_read(machine, 0x0221);
    CHECK_MAPS(machine, 0xF123, 0x1123);
    bus_write(machine, 0x0220, 0);
    CHECK_MAPS(machine, 0xF123, 0x123);
    console_destroy(machine);
}

static void mb_goes_round(void) {
    console *machine = insert(ROM_MB, 64 * KIB);
    for (uint32_t i = 1; i < 20; i++) {
        CHECK_MAPS(machine, 0xF123, i % 16 * 4096 + 0x123);
        if (i % 2) {
            CHECK_MAPS(machine, 0xFFF0, (i + 1) % 16 * 4096 + 0xFF0);
        } else {
            bus_write(machine, 0xFFF0, 0);
        }
    }
    console_destroy(machine);
}

static void cv_ram(void) {
    console *machine = insert(ROM_CV, 2 * KIB);
    CHECK_MAPS(machine, 0xF923, 0x123);
    bus_write(machine, 0xF423, 0x88);
    bus_write(machine, 0xF023, 0x11);
    CHECK_EQUAL(bus_read(machine, 0xF023), 0x88);
    CHECK_MAPS(machine, 0xF423, 0x423);
    console_destroy(machine);

    machine = insert(ROM_CV, 4 * KIB); /* starts with the contents of the RAM */
    CHECK_MAPS(machine, 0xF923, 0x923);
    CHECK_MAPS(machine, 0xF023, 0x023);
    bus_write(machine, 0xF423, 0x88);
    CHECK_EQUAL(bus_read(machine, 0xF023), 0x88);
    console_reset(machine);
    CHECK_MAPS(machine, 0xF023, 0x023);
    console_destroy(machine);
}

static void mc_slots(void) {
    console *machine = insert(ROM_MC, 128 * KIB);
    bus_write(machine, 0x003C, 0x80 | 5);
    CHECK_MAPS(machine, 0xF123, 5 * KIB + 0x123);
    CHECK_EQUAL(bus_read(machine, 0x003C), 0);
    bus_write(machine, 0x003D, 2); /* RAM */
    bus_write(machine, 0xF411, 0x66);
    CHECK_EQUAL(bus_read(machine, 0xF611), 0x66);
    CHECK_EQUAL(machine->big_ram[2 * 512 + 0x11], 0x66);
    CHECK_EQUAL(bus_read(machine, 0xF411), 0); /* and clears it */
    CHECK_EQUAL(bus_read(machine, 0xF611), 0);

    bus_write(machine, 0x003F, 0x80 | 9);
    CHECK_MAPS(machine, 0xFC22, 9 * KIB + 0x22);
    CHECK_MAPS(machine, 0xFFFC, 128 * KIB - 4);
    CHECK_MAPS(machine, 0xFC00, 127 * KIB); /* until another slot is used */
    CHECK_MAPS(machine, 0xFC22, 127 * KIB + 0x22);
    bus_write(machine, 0xF000, 0);
    CHECK_MAPS(machine, 0xFC22, 9 * KIB + 0x22);
    console_destroy(machine);

    machine = insert(ROM_MC, 1000); /* at the end, zeros before it */
    CHECK_MAPS(machine, 0xFFFC, 996);
    bus_write(machine, 0x003C, 0xFF);
    CHECK_EQUAL(bus_read(machine, 0xF017), 0);
    console_destroy(machine);
}

/* ---- DPC ----------------------------------------------------------------------------------------------- */

/* Registers of fetcher i: reads at 8 f + i, writes at $40 + 8 f + i. */
static uint8_t dpc_get(console *machine, unsigned function, unsigned i) {
    return bus_read(machine, (uint16_t)(0xF000 + 8 * function + i));
}
static void dpc_set(console *machine, unsigned function, unsigned i, uint8_t value) {
    bus_write(machine, (uint16_t)(0xF040 + 8 * function + i), value);
}

static void dpc_fetches(void) {
    console *machine = insert(ROM_DPC, 10495);
    const dpc_state *dpc = &machine->s.cartridge.dpc;
    dpc_set(machine, 0, 2, 0x20); /* top */
    dpc_set(machine, 1, 2, 0x1E); /* bottom */
    dpc_set(machine, 2, 2, 0x21);
    dpc_set(machine, 3, 2, 0xF9); /* only three bits count */
    CHECK_EQUAL(dpc->counter[2], 0x121);
    CHECK_EQUAL(dpc_get(machine, 1, 2), mark(8192 + 2047 - 0x121));
    CHECK_EQUAL(dpc_get(machine, 2, 2), mark(8192 + 2047 - 0x120)); /* $20 is the top: inside the window */
    CHECK_EQUAL(dpc_get(machine, 7, 2), 0xFF);
    CHECK_EQUAL(dpc_get(machine, 2, 2), 0); /* $1E is the bottom */
    CHECK_EQUAL(dpc_get(machine, 5, 2), 0);
    CHECK_EQUAL(dpc->counter[2], 0x11C);
    dpc_set(machine, 2, 3, 0);
    dpc_get(machine, 1, 3);
    CHECK_EQUAL(dpc->counter[3], 0x7FF);
    console_destroy(machine);
}

static void dpc_random_numbers(void) {
    console *machine = insert(ROM_DPC, 10495);
    dpc_set(machine, 6, 0, 0);
    static const uint8_t numbers[] = {0x03, 0x07, 0x0F, 0x1E};
    for (unsigned i = 0; i < sizeof numbers; i++) CHECK_EQUAL(dpc_get(machine, 0, 0), numbers[i]);
    bus_read(machine, 0xF080); /* does not clock */
    bus_read(machine, 0xFFBF);
    CHECK_EQUAL(machine->s.cartridge.dpc.random, 0x1E);
    bus_read(machine, 0xFFC0);
    CHECK_EQUAL(machine->s.cartridge.dpc.random, 0x3D);
    bus_write(machine, 0xF800, 0);
    CHECK_EQUAL(machine->s.cartridge.dpc.random, 0x7A);
    console_reset(machine); /* survives; clocked by the two bytes of the reset vector */
    CHECK_EQUAL(machine->s.cartridge.dpc.random, 0xE8);
    console_destroy(machine);
}

static void dpc_plays_music(void) {
    console *machine = insert(ROM_DPC, 10495);
    const dpc_state *dpc = &machine->s.cartridge.dpc;
    dpc_set(machine, 0, 5, 9); /* a period of ten clocks */
    dpc_set(machine, 1, 5, 4);
    dpc_set(machine, 3, 5, 0x10);
    dpc_set(machine, 2, 5, 77); /* reloads the top instead */
    CHECK_EQUAL(dpc->counter[5], 9);
    machine->s.cpu.time += 76 * 4; /* 4.01 clocks */
    CHECK_EQUAL(dpc_get(machine, 0, 4), 0x04);
    CHECK_EQUAL(dpc->counter[5], 5);
    CHECK(dpc->fraction > 0.012 && dpc->fraction < 0.014);
    cartridge_rebase(machine, 200); /* as at a new frame */
    machine->s.cpu.time -= 200;
    machine->s.cpu.time += 76;
    CHECK_EQUAL(dpc_get(machine, 0, 4), 0x00);
    CHECK_EQUAL(dpc->counter[5], 4);
    machine->s.cpu.time += 76 * 5;
    CHECK_EQUAL(dpc_get(machine, 0, 4), 0x04);
    CHECK_EQUAL(dpc->counter[5], 9); /* went round */
    console_destroy(machine);
}

/* ---- Snapshots ----------------------------------------------------------------------------------------- */

static void snapshots_restore_the_mapping(void) {
    console *machine = insert(ROM_E0, 8 * KIB);
    size_t limit = console_snapshot_limit(machine);
    void *buffer = malloc(limit);
    if (!buffer) exit(1);
    bus_read(machine, 0xFFE2);
    size_t size = console_save(machine, buffer);
    CHECK(size <= limit);
    bus_read(machine, 0xFFE0);
    CHECK_MAPS(machine, 0xF012, 0x12);
    CHECK(console_restore(machine, buffer, size));
    CHECK_MAPS(machine, 0xF012, 2 * KIB + 0x12);
    free(buffer);
    console_destroy(machine);
}

/* A byte that may have any value: of RAM, of DPC, or of the stamp that all cartridges have. */
static size_t changeable(const rom_image *rom, uint32_t draw) {
    if (rom->cartridge->ram) return offsetof(cartridge_state, ram) + draw % rom->cartridge->ram;
    const size_t dpc = offsetof(cartridge_state, dpc);
    if (rom->scheme == ROM_DPC) return dpc + draw % sizeof(dpc_state);
    return dpc + offsetof(dpc_state, stamp) + draw % sizeof(int32_t);
}

/* A valid state lets no access leave the image or the RAM, whatever bytes it came from (sanitizers
 * watch).  Few fields are damaged at a time, or none would be valid. */
static void any_state_is_safe(void) {
    static const uint32_t sizes[ROM_SCHEME_COUNT] = {
        [ROM_2K] = 2048, [ROM_4K] = 4096, [ROM_F8] = 8192, [ROM_F8_SWAPPED] = 8192, [ROM_F8SC] = 8192,
        [ROM_F6] = 16384, [ROM_F6SC] = 16384, [ROM_F4] = 32768, [ROM_F4SC] = 32768, [ROM_FASC] = 12288,
        [ROM_FE] = 8192, [ROM_E0] = 8192, [ROM_E7] = 16384, [ROM_3F] = 6144, [ROM_3E] = 6144,
        [ROM_UA] = 8192, [ROM_MB] = 65536, [ROM_CV] = 4096, [ROM_MC] = 131072, [ROM_DPC] = 10240,
    };
    mt19937 random;
    mt19937_seed(&random, 7);
    for (int scheme = 0; scheme < ROM_SCHEME_COUNT; scheme++) {
        console *machine = insert((rom_scheme)scheme, sizes[scheme]);
        int safe = 0;
        for (int round = 0; round < 128; round++) {
            uint8_t *state = (uint8_t *)&machine->s.cartridge;
            const cartridge_state kept = machine->s.cartridge;
            CHECK(cartridge_invalid_field(machine->rom, &kept) == NULL);
            for (int i = 0; i < 3; i++) {
                const uint32_t draw = mt19937_next(&random);
                const size_t mapping = draw / 3 % offsetof(cartridge_state, ram);
                const size_t at = draw % 3 ? changeable(machine->rom, draw / 3) : mapping;
                state[at] = (uint8_t)(mt19937_next(&random) >> mt19937_next(&random) % 8);
            }
            if (cartridge_invalid_field(machine->rom, &machine->s.cartridge)) {
                machine->s.cartridge = kept;
                continue;
            }
            safe++;
            for (int i = 0; i < 300; i++) {
                uint16_t address = (uint16_t)mt19937_next(&random);
                if (i % 3 == 0) address &= 0x127F; /* the ports and the low hotspots */
                if (i % 3 == 1) address |= 0x1FC0; /* the hotspots */
                if (i % 2) {
                    bus_read(machine, address);
                } else {
                    bus_write(machine, address, (uint8_t)mt19937_next(&random));
                }
            }
        }
        CHECK(safe > 10);
        console_destroy(machine);
    }
}

int main(void) {
    RUN(md5_of_known_texts());
    RUN(schemes_are_detected());
    RUN(properties_are_found());
    RUN(misfits_are_explained());
    RUN(small_images_are_mirrored());
    RUN(flat_schemes_switch());
    RUN(superchip_ram());
    RUN(ram_is_filled_once_where_asked());
    RUN(fe_follows_address_bit_13());
    RUN(e0_slices());
    RUN(e7_slices_and_ram());
    RUN(tigervision_banks());
    RUN(tigervision_ram());
    RUN(ua_hotspots_among_the_tia());
    RUN(mb_goes_round());
    RUN(cv_ram());
    RUN(mc_slots());
    RUN(dpc_fetches());
    RUN(dpc_random_numbers());
    RUN(dpc_plays_music());
    RUN(snapshots_restore_the_mapping());
    RUN(any_state_is_safe());
    return check_failures;
}
