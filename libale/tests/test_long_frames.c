/* Programs that compute for so long that a frame ends by its number of instructions, or just does not.  Such a frame is
 * run as translated code at first, then again from its start, by the threaded and the plain core in turn.  Its screen, its
 * RAM and its time must be the same as without these fast paths.
 *
 * Programs that wait for the player end no frame at all.  Turns of their loop are skipped (cpu/turns.h) if, and only if,
 * one is like the other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "console/console.h"
#include "console/cpu/cpu.h"
#include "console/cpu/turns.h"
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

/* --- programs that wait ---------------------------------------------------------------------------------- */

enum { READ_INTIM = 0x284, INC_A = 0x3EE, EOR_I = 0x249, TSX = 0x1BA, PHA = 0x148 };

/* A loop that a program enters after its third frame and leaves, mostly never, if a branch falls through. */
typedef struct wait {
    const char *name;
    unsigned code[12]; /* of a turn, without the branch back; ends with 0 */
    unsigned branch;
    bool skips;
} wait;

static const wait waits[] = {
    {"the joystick, by way of RAM", {LDA_A, READ_SWCHA, STA_Z, AT_RAM(9), EOR_I, 0xFF}, BEQ, true},
    {"a switch", {LDA_A, READ_SWCHB, AND_I, 1}, BNE, true},
    {"fire", {BIT_Z, READ_INPT4}, BMI, true},
    {"nothing", {LDA_I, 1}, BNE, true},
    {"nothing, with the stack", {LDX_I, 0xFF, TXS, PHA, TSX}, BNE, true},
    {"two turns that differ", {LDA_Z, AT_RAM(9), EOR_I, 0x0F, STA_Z, AT_RAM(9), LDA_I, 1}, BNE, true},
    {"a count in RAM", {INC_Z, AT_RAM(9), LDA_I, 1}, BNE, false},
    {"the timer", {LDA_A, READ_INTIM, AND_I, 0x40}, BEQ, false},
    {"a paddle", {BIT_Z, READ_INPT0}, BPL, false},
    {"a collision", {BIT_Z, READ_CXP0FB, LDA_I, 1}, BNE, false},
    {"a colour that is written", {INC_Z, COLUBK, LDA_I, 1}, BNE, false},
    {"the ROM, which is written", {INC_A, ROM_START + 0x123, LDA_I, 1}, BNE, false},
};

static void write_waiting(uint8_t image[ROM_BUILDER_SIZE], const wait *w) {
    rom_builder b = rom_begin(image);
    EMIT(&b, LDX_I, 0xFF, TXS);
    const unsigned frame = rom_here(&b);
    EMIT(&b, LDA_I, 2, STA_Z, VSYNC, STA_Z, WSYNC, STA_Z, WSYNC, STA_Z, WSYNC, LDA_I, 0, STA_Z, VSYNC, STA_Z, VBLANK);
    EMIT(&b, LDX_I, 230);
    rom_wait_for_x(&b);
    EMIT(&b, INC_Z, AT_RAM(0), LDA_Z, AT_RAM(0), STA_Z, COLUBK, AND_I, 3);
    rom_branch(&b, BNE, frame);
    const unsigned turn = rom_here(&b);
    for (unsigned i = 0; w->code[i]; i += w->code[i] >> 8 > 1 ? 2 : 1)
        rom_emit(&b, &w->code[i], w->code[i] >> 8 > 1 ? 2 : 1);
    rom_branch(&b, w->branch, turn);
    EMIT(&b, JMP, frame);
}

/* Nobody plays, or somebody does for a few frames. */
static void play_a_little(console *machine, int frame) {
    const bool plays = frame % 16 >= 12;
    const controls hands = {.joystick = {plays ? 0x19 : 0, 0}, .reset = plays, .paddle = {1000000, 0, 0, 0}};
    console_set_controls(machine, &hands);
}

static void compare_waiting(const wait *w) {
    static const uint8_t fast_paths[] = {FAST_ALL, FAST_ALL & ~FAST_TRANSLATE, FAST_LOOPS, FAST_ALL & ~FAST_LOOPS};
    enum { WAYS = sizeof fast_paths, LONG = 60 };
    uint8_t image[ROM_BUILDER_SIZE];
    char error[256];
    write_waiting(image, w);
    rom_image *rom = console_open_rom(image, sizeof image, ROM_4K, error);
    CHECK(rom != NULL);
    if (!rom) return;
    rom->properties.format = FORMAT_NTSC;
    console *way[WAYS], *slow = switch_on(rom, 0);
    for (int i = 0; i < WAYS; i++) way[i] = switch_on(rom, fast_paths[i]);
    int waited = 0;
    for (int frame = 0; frame < LONG && !check_failures; frame++) {
        play_a_little(slow, frame);
        console_run_frame(slow);
        waited += slow->s.partial;
        for (int i = 0; i < WAYS; i++) {
            play_a_little(way[i], frame);
            console_run_frame(way[i]);
            CHECK(same(way[i], slow));
            CHECK_EQUAL(way[i]->s.partial, slow->s.partial);
        }
    }
    if (w->skips) CHECK(waited > 2);
    while (!check_failures && w->skips && !slow->s.partial) console_run_frame(slow);
    if (slow->s.partial) {
        const uint32_t done = cpu_run_turns(slow, FRAME_INSTRUCTIONS);
        CHECK_EQUAL(done > FRAME_INSTRUCTIONS / 2, w->skips);
        CHECK(done <= FRAME_INSTRUCTIONS);
    }
    if (check_failures) fprintf(stderr, "waits for %s\n", w->name);
    for (int i = 0; i < WAYS; i++) console_destroy(way[i]);
    console_destroy(slow);
    rom_image_release(rom);
}

int main(void) {
    for (unsigned i = 0; i < sizeof waits / sizeof *waits; i++)
        if (!check_failures) compare_waiting(&waits[i]);
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
