/* Programs that compute for so long that a frame ends by its number of instructions, or just does not.  Such a frame is
 * run as translated code at first, then again from its start, by the threaded and the plain core in turn.  Its screen, its
 * RAM and its time must be the same as without these fast paths. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "console/console.h"
#include "console/cpu/cpu.h"
#include "rom_builder.h"

enum { FRAMES = 8, NOPS = 200, QUICK_TURN = NOPS + 3 /* instructions */ };

/* How a program spends its frames: turns of a loop of quick instructions, turns of a loop of slow ones, and straight
 * code before the write that ends a frame. */
typedef struct plan {
    unsigned quick, slow, straight;
} plan;

static void write_program(uint8_t image[ROM_BUILDER_SIZE], const plan *p) {
    rom_builder b = rom_begin(image);
    EMIT(&b, LDA_I, 2, STA_Z, VSYNC, STA_Z, WSYNC, STA_Z, WSYNC, STA_Z, WSYNC, LDA_I, 0, STA_Z, VSYNC, STA_Z, VBLANK);
    EMIT(&b, INC_Z, AT_RAM(0), LDA_Z, AT_RAM(0), STA_Z, COLUBK);
    if (p->quick) {
        EMIT(&b, LDX_I, p->quick);
        const unsigned turn = rom_here(&b);
        b.at += NOPS;
        EMIT(&b, DEX, BEQ, 0);
        const unsigned done = b.at;
        EMIT(&b, JMP, turn);
        rom_land(&b, done);
    }
    EMIT(&b, LDA_I, -p->slow & 0xFF, STA_Z, AT_RAM(1), LDA_I, -p->slow >> 8 & 0xFF, STA_Z, AT_RAM(2));
    const unsigned again = rom_here(&b);
    EMIT(&b, INC_Z, AT_RAM(1));
    rom_branch(&b, BNE, again);
    EMIT(&b, INC_Z, AT_RAM(2));
    rom_branch(&b, BNE, again);
    b.at += p->straight;
    EMIT(&b, STA_Z, COLUPF, JMP, ROM_START); /* so late a write ends the frame */
}

static console *switch_on(rom_image *rom, uint8_t fast_paths) {
    const console_options options = {.seed = 1, .fast_paths = fast_paths};
    return console_create(rom, &options);
}

static bool same(console *a, console *b) {
    const size_t size = (size_t)(console_screen_rows(a) * SCREEN_WIDTH);
    return a->s.cpu.time == b->s.cpu.time && a->s.cpu.pc == b->s.cpu.pc &&
           memcmp(a->s.ram, b->s.ram, RAM_SIZE) == 0 && memcmp(console_screen(a), console_screen(b), size) == 0;
}

static void compare(const plan *p) {
    uint8_t image[ROM_BUILDER_SIZE];
    char error[256];
    write_program(image, p);
    rom_image *rom = console_open_rom(image, sizeof image, ROM_4K, error);
    CHECK(rom != NULL);
    if (!rom) return;
    rom->properties.format = FORMAT_NTSC;
    console *fast = switch_on(rom, FAST_ALL);
    console *threaded = switch_on(rom, FAST_ALL & ~FAST_TRANSLATE);
    console *slow = switch_on(rom, 0);
    for (int frame = 0; fast && threaded && slow && frame < FRAMES && !check_failures; frame++) {
        console_run_frame(fast);
        console_run_frame(threaded);
        console_run_frame(slow);
        CHECK(same(fast, slow));
        CHECK(same(threaded, slow));
    }
    if (check_failures) fprintf(stderr, "%u quick, %u slow turns, %u more\n", p->quick, p->slow, p->straight);
    console_destroy(slow);
    console_destroy(threaded);
    console_destroy(fast);
    rom_image_release(rom);
}

int main(void) {
    static const unsigned quick[] = {0, 20, 40, 50}, straight[] = {0, 40, 300, 1200};
    for (unsigned q = 0; q < 4; q++)
        for (unsigned s = 0; s < 4; s++)
            for (unsigned total = FRAME_INSTRUCTIONS - 400; total < FRAME_INSTRUCTIONS + 600; total += 100) {
                const unsigned rest = total - quick[q] * QUICK_TURN - straight[s];
                const plan p = {.quick = quick[q], .slow = rest / 2, .straight = straight[s]};
                if (!check_failures) compare(&p);
            }
    return check_failures;
}
