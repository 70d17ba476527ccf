/* Small programs byte by byte, and their play by the translator, the threaded core and the plain core. */
#ifndef ALE_TEST_COMPARE_ENGINES_H
#define ALE_TEST_COMPARE_ENGINES_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "console/console.h"
#include "console/cpu/engine.h"
#include "console/cpu/opcodes.h"
#include "console/cpu/translator/emitter.h"
#include "numbers.h"

enum { FRAMES = 8 };

typedef struct writer {
    uint8_t *image;
    uint32_t at, random;
} writer;

static inline uint32_t pick(writer *w, uint32_t count) { return next_random(&w->random) % count; }

static inline void put(writer *w, unsigned byte) { w->image[w->at++] = (uint8_t)byte; }
static inline void put2(writer *w, unsigned a, unsigned b) { put(w, a), put(w, b); }

/* Values at which something happens, or any. */
static inline unsigned edge(writer *w) {
    static const uint8_t edges[] = {0x00, 0x01, 0x7F, 0x80, 0x81, 0xFE, 0xFF, 0x09, 0x10, 0x99};
    return pick(w, 3) ? edges[pick(w, sizeof edges)] : pick(w, 256);
}

/* An address of page zero: mostly RAM, else the TIA, but for VSYNC, which would end the frame. */
static inline unsigned zero_page(writer *w) {
    return pick(w, 4) ? 0x80 + pick(w, 0x80) : 1 + pick(w, 0x3F);
}

static inline void put_address(writer *w) {
    unsigned address;
    switch (pick(w, 6)) {
        case 0: address = 0x80 + pick(w, 0x80); break;
        case 1: address = 0x180 + pick(w, 0x80); break; /* a mirror of RAM */
        case 2: address = 0x280 + pick(w, 0x20); break; /* RIOT */
        case 3: address = 1 + pick(w, 0x2E); break;     /* TIA */
        case 4: address = 0x8D + pick(w, 0xF00); break; /* anything low */
        default: address = 0xF000 + pick(w, 0xFF0); break;
    }
    put2(w, address & 0xFF, address >> 8);
}

static inline void put_operand(writer *w, unsigned opcode) {
    switch (cpu_opcodes[opcode].mode) {
        case IMM: put(w, edge(w)); break;
        case ZP:
        case ZPX:
        case ZPY:
        case IZX:
        case IZY: put(w, zero_page(w)); break;
        case REL: put(w, pick(w, 3)); break; /* over some of the NOPs that follow */
        case ABS:
        case ABX:
        case ABY: put_address(w); break;
        default: break;
    }
}

/* A VSYNC of three lines, which ends the frame; then the program goes on at `frame`. */
static inline void end_frame(writer *w, unsigned frame) {
    static const uint8_t code[] = {0xA9, 0x02, 0x85, 0x00, 0x85, 0x02, 0x85, 0x02, 0x85, 0x02, 0xA9, 0x00, 0x85, 0x00};
    for (unsigned i = 0; i < sizeof code; i++) put(w, code[i]);
    put(w, 0x4C), put2(w, frame & 0xFF, frame >> 8); /* JMP */
}

/* Everything that a program can see, now or later.  N and Z stand for themselves, and the bus is driven afresh
 * by the next instruction. */
static inline bool same(console *a, console *b) {
    machine_state p = a->s, q = b->s;
    p.cpu.n &= 0x80, q.cpu.n &= 0x80;
    p.cpu.z = p.cpu.z != 0, q.cpu.z = q.cpu.z != 0;
    return memcmp(&p.cpu, &q.cpu, sizeof p.cpu) == 0 && memcmp(p.ram, q.ram, RAM_SIZE) == 0 &&
           memcmp(&p.riot, &q.riot, sizeof p.riot) == 0 &&
           memcmp(p.tia.now.reg + NUSIZ0, q.tia.now.reg + NUSIZ0, sizeof p.tia.now.reg - NUSIZ0) == 0 &&
           memcmp(p.tia.now.position, q.tia.now.position, sizeof p.tia.now.position) == 0 &&
           p.tia.dump == q.tia.dump && p.partial == q.partial &&
           memcmp(&p.cartridge, &q.cartridge, sizeof p.cartridge) == 0 &&
           memcmp(console_screen(a), console_screen(b), (size_t)console_screen_rows(a) * SCREEN_WIDTH) == 0;
}

static inline void compare_engines(const uint8_t *image, size_t size, rom_scheme scheme, uint32_t seed) {
    enum { WAYS = 2 };
    static const uint8_t paths[WAYS] = {FAST_ALL, FAST_ALL & ~FAST_TRANSLATE};
    char error[256];
    rom_image *rom = console_open_rom(image, size, scheme, error);
    CHECK(rom != NULL);
#ifndef ALE_NO_TRANSLATION
    CHECK(!rom || rom->prepared[TRANSLATOR] || !host_translates); /* else no template would be seen */
#endif
    /* One plain console for all: it takes most of the time. */
    console *plain = rom ? console_create(rom, &(console_options){.seed = seed}) : NULL, *fast[WAYS] = {0};
    bool good[WAYS] = {0};
    for (unsigned i = 0; plain && i < WAYS; i++) {
        fast[i] = console_create(rom, &(console_options){.seed = seed, .fast_paths = paths[i]});
        good[i] = fast[i] != NULL;
    }
    for (int frame = 0; plain && frame < FRAMES; frame++) {
        console_run_frame(plain);
        for (unsigned i = 0; i < WAYS; i++) {
            if (!good[i]) continue; /* what follows a difference says no more */
            console_run_frame(fast[i]);
            good[i] = same(fast[i], plain);
            if (!good[i])
                fprintf(stderr, "seed %u, scheme %d, fast paths %d, frame %d\n", seed, scheme, paths[i], frame);
        }
    }
    for (unsigned i = 0; rom && i < WAYS; i++) {
        CHECK(good[i]);
        console_destroy(fast[i]);
    }
    console_destroy(plain);
    rom_image_release(rom);
}

#endif
