/* A cartridge for tests, 4 KiB.  Each frame it
 *     copies RAM[0..5] to the sound registers AUDC0, AUDC1, AUDF0, AUDF1, AUDV0, AUDV1,
 *     paints the screen in the colour RAM[6],
 *     stores SWCHA, SWCHB and INPT0..5 in RAM[16..23],
 *     counts RAM[32] up, and
 *     in a busy one, while FIRE is pressed, paints over each line: more accesses than a log holds at first.
 */
#ifndef ALE_TEST_ROM_H
#define ALE_TEST_ROM_H

#include <stdint.h>
#include <string.h>

enum {
    TEST_ROM_SIZE = 4096,
    TEST_COLOR = 6,
    TEST_SWCHA = 16,
    TEST_SWCHB = 17,
    TEST_INPT4 = 22,
    TEST_COUNT = 32
};

static inline void test_rom(uint8_t image[TEST_ROM_SIZE]) {
    static const uint8_t program[] = {
        0xA9, 0x02, 0x85, 0x00,             /* frame: LDA #2, STA VSYNC */
        0x85, 0x02, 0x85, 0x02, 0x85, 0x02, /*        STA WSYNC, three times */
        0xA9, 0x00, 0x85, 0x00, 0x85, 0x01, /*        LDA #0, STA VSYNC, STA VBLANK: the new frame begins */
        0xE6, 0xA0,                         /*        INC RAM[32] */
        0xA5, 0x86, 0x85, 0x09,             /*        LDA RAM[6], STA COLUBK */
        0xA2, 0x05,                         /*        LDX #5 */
        0xB5, 0x80, 0x95, 0x15,             /* sound: LDA RAM,X, STA AUDC0,X */
        0xCA, 0x10, 0xF9,                   /*        DEX, BPL sound */
        0xAD, 0x80, 0x02, 0x85, 0x90,       /*        LDA SWCHA, STA RAM[16] */
        0xAD, 0x82, 0x02, 0x85, 0x91,       /*        LDA SWCHB, STA RAM[17] */
        0xA2, 0x05,                         /*        LDX #5 */
        0xB5, 0x38, 0x95, 0x92,             /* ports: LDA INPT0,X, STA RAM[18],X */
        0xCA, 0x10, 0xF9,                   /*        DEX, BPL ports */
        0xA2, 0xFA,                         /*        LDX #250 */
        0x85, 0x02, 0xCA, 0xD0, 0xFB,       /* lines: STA WSYNC, DEX, BNE lines */
        0x4C, 0x00, 0xF0,                   /*        JMP frame */
    };
    memset(image, 0xEA, TEST_ROM_SIZE);
    memcpy(image, program, sizeof program);
    image[0xFFC] = 0x00; /* the program starts at $F000 */
    image[0xFFD] = 0xF0;
}

static inline void busy_test_rom(uint8_t image[TEST_ROM_SIZE]) {
    static const uint8_t lines[] = {
        0xA4, 0x96, 0x30, 0x12,             /*        LDY RAM[22], BMI rest */
        0x86, 0x09, 0x85, 0x09, 0x86, 0x09, /* lines: STX COLUBK, STA COLUBK, STX COLUBK, */
        0x85, 0x09, 0x86, 0x09,             /*        STA COLUBK, STX COLUBK */
        0x85, 0x02, 0xCA, 0xD0, 0xF1,       /*        STA WSYNC, DEX, BNE lines */
        0x4C, 0x00, 0xF0,                   /*        JMP frame */
        0x85, 0x02, 0xCA, 0xD0, 0xFB,       /* rest:  STA WSYNC, DEX, BNE rest */
        0x4C, 0x00, 0xF0,                   /*        JMP frame */
    };
    test_rom(image);
    memcpy(image + 52, lines, sizeof lines);
}

#endif
