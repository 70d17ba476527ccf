/* A cartridge for tests, 4 KiB.  Each frame it
 *     copies RAM[0..5] to the sound registers AUDC0, AUDC1, AUDF0, AUDF1, AUDV0, AUDV1,
 *     paints the screen in the colour RAM[6],
 *     stores SWCHA, SWCHB and INPT0..5 in RAM[16..23],
 *     counts RAM[32] up, and
 *     in a busy one, while FIRE is pressed, paints over each line: more accesses than a log holds at first.
 */
#ifndef ALE_TEST_ROM_H
#define ALE_TEST_ROM_H

#include <ale/ale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "rom_builder.h"

enum {
    TEST_ROM_SIZE = ROM_BUILDER_SIZE,
    TEST_COLOR = 6,
    TEST_SWCHA = 16,
    TEST_SWCHB = 17,
    TEST_INPT4 = 22,
    TEST_COUNT = 32
};

/* All but the lines of the picture. */
static inline rom_builder begin_test_rom(uint8_t image[TEST_ROM_SIZE]) {
    rom_builder b = rom_begin(image);
    EMIT(&b, LDA_I, 2, STA_Z, VSYNC, STA_Z, WSYNC, STA_Z, WSYNC, STA_Z, WSYNC);
    EMIT(&b, LDA_I, 0, STA_Z, VSYNC, STA_Z, VBLANK); /* the new frame begins */
    EMIT(&b, INC_Z, AT_RAM(TEST_COUNT));
    EMIT(&b, LDA_Z, AT_RAM(TEST_COLOR), STA_Z, COLUBK);
    EMIT(&b, LDX_I, 5);
    const unsigned sound = rom_here(&b);
    EMIT(&b, LDA_ZX, AT_RAM(0), STA_ZX, AUDC0, DEX);
    rom_branch(&b, BPL, sound);
    EMIT(&b, LDA_A, READ_SWCHA, STA_Z, AT_RAM(TEST_SWCHA));
    EMIT(&b, LDA_A, READ_SWCHB, STA_Z, AT_RAM(TEST_SWCHB));
    EMIT(&b, LDX_I, 5);
    const unsigned ports = rom_here(&b);
    EMIT(&b, LDA_ZX, READ_INPT0, STA_ZX, AT_RAM(TEST_SWCHB + 1), DEX);
    rom_branch(&b, BPL, ports);
    EMIT(&b, LDX_I, 250);
    return b;
}

static inline void test_rom(uint8_t image[TEST_ROM_SIZE]) {
    rom_builder b = begin_test_rom(image);
    rom_wait_for_x(&b);
    EMIT(&b, JMP, ROM_START);
}

/* The cartridge, played by the rules of a game, or else of a card and one of its variations. */
static inline ale_rom *make_test_rom(const char *game, ale_card *card, const char *variation) {
    uint8_t image[TEST_ROM_SIZE];
    test_rom(image);
    ale_rom_options options;
    ale_rom_options_init(&options, sizeof options);
    options.game = game;
    options.card = card;
    options.variation = variation;
    ale_rom *rom = NULL;
    if (ale_rom_create(image, sizeof image, &options, &rom) != ALE_OK)
        fprintf(stderr, "%s\n", ale_last_error()), exit(1);
    return rom;
}

static inline void busy_test_rom(uint8_t image[TEST_ROM_SIZE]) {
    rom_builder b = begin_test_rom(image);
    EMIT(&b, LDY_Z, AT_RAM(TEST_INPT4));
    const unsigned rest = rom_branch_on(&b, BMI);
    const unsigned line = rom_here(&b);
    EMIT(&b, STX_Z, COLUBK, STA_Z, COLUBK, STX_Z, COLUBK, STA_Z, COLUBK, STX_Z, COLUBK, STA_Z, WSYNC, DEX);
    rom_branch(&b, BNE, line);
    EMIT(&b, JMP, ROM_START);
    rom_land(&b, rest);
    rom_wait_for_x(&b);
    EMIT(&b, JMP, ROM_START);
}

#endif
