/* Every opcode in small programs that set all registers, run it on operands of all kinds and keep what came of
 * it: translated, by the threaded core and by the plain core, with the whole machine compared after each frame.  Every
 * other program is also run in slices.  Then programs that leave translated code where it is easily missed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "compare_engines.h"
#include "console/cpu/opcodes.h"

enum { IMAGES = 150, CODE = 0x000, HANDLER = 0xF80, SUBROUTINE = 0xFA0, END = 0xF00 };

/* One instruction, with registers and flags set before and kept after. */
static void put_case(writer *w, unsigned opcode) {
    const operation what = (operation)cpu_opcodes[opcode].operation;
    const bool jumps = cpu_kinds[what] == JUMPS;
    put2(w, 0xA2, pick(w, 8) || jumps ? 0xA0 + pick(w, 0x50) : edge(w)), put(w, 0x9A); /* LDX, TXS */
    put2(w, 0xA9, edge(w)), put2(w, 0x85, 0x80 + pick(w, 0x80));                        /* LDA, STA: RAM */
    put2(w, 0xA9, 0x80 + pick(w, 0x70)), put2(w, 0x85, zero_page(w) | 0x80);            /* parts of pointers */
    put2(w, 0xA9, pick(w, 256)), put(w, 0x48), put(w, 0x28);                            /* LDA, PHA, PLP */
    if (!pick(w, 4)) put(w, pick(w, 2) ? 0x18 : 0x38);                                  /* CLC, SEC */
    put2(w, 0xA9, edge(w)), put2(w, 0xA2, edge(w)), put2(w, 0xA0, edge(w));
    unsigned next = 0xF000 + w->at;
    if (what == OP_RTS || what == OP_RTI) { /* something to return to */
        next += what == OP_RTS ? 7 : 10;
        unsigned to = what == OP_RTS ? next - 1 : next;
        put2(w, 0xA9, to >> 8), put(w, 0x48), put2(w, 0xA9, to & 0xFF), put(w, 0x48);
        if (what == OP_RTI) put2(w, 0xA9, pick(w, 256)), put(w, 0x48);
        put(w, opcode);
    } else if (what == OP_JMP || what == OP_JSR) {
        unsigned to = what == OP_JSR ? 0xF000 + SUBROUTINE : next + 3;
        if (cpu_opcodes[opcode].mode == IND) {
            unsigned pointer = 0x80 + pick(w, 0x7E);
            to = next + 11;
            put2(w, 0xA9, to & 0xFF), put2(w, 0x85, pointer);
            put2(w, 0xA9, to >> 8), put2(w, 0x85, pointer + 1);
            to = pointer;
        }
        put(w, opcode), put2(w, to & 0xFF, to >> 8);
    } else {
        put(w, opcode);
        put_operand(w, opcode);
    }
    put2(w, 0xEA, 0xEA), put(w, 0xEA);
    if (what == OP_BRK) put(w, 0xEA);
    put(w, 0x08);                                                          /* PHP */
    put2(w, 0x85, 0x80 + pick(w, 16)), put2(w, 0x86, 0x90 + pick(w, 16)); /* STA, STX, STY */
    put2(w, 0x84, 0xA0 + pick(w, 16));
    put(w, 0xBA), put2(w, 0x86, 0xB0 + pick(w, 16));                      /* TSX, STX */
}

static void write_image(uint8_t image[4096], uint32_t seed) {
    writer w = {.image = image, .random = seed * 2654435761u | 1};
    memset(image, 0xEA, 4096);
    put(&w, 0xD8);
    while (w.at < END - 80) {
        unsigned opcode = pick(&w, 256);
        if (cpu_opcodes[opcode].operation == OP_JAM) continue;
        if (!pick(&w, 8)) put2(&w, 0x85, 0x02); /* WSYNC */
        put_case(&w, opcode);
    }
    static const uint8_t end_frame[] = {0xA9, 0x02, 0x85, 0x00, 0x85, 0x02, 0x85, 0x02, 0x85,
                                        0x02, 0xA9, 0x00, 0x85, 0x00, 0x4C, 0x00, 0xF0};
    static const uint8_t handler[] = {0xE6, 0xC0, 0x40};    /* INC, RTI */
    static const uint8_t subroutine[] = {0xC6, 0xC1, 0x60}; /* DEC, RTS */
    memcpy(image + END, end_frame, sizeof end_frame);
    memcpy(image + HANDLER, handler, sizeof handler);
    memcpy(image + SUBROUTINE, subroutine, sizeof subroutine);
    static const uint8_t vectors[] = {0x00, 0xF0, HANDLER & 0xFF, 0xF0 | HANDLER >> 8};
    memcpy(image + 0xFFC, vectors, sizeof vectors);
}

/* Branches out of the last slice, past $FFFF, to the TIA: its opcodes come from the bus, where the distance of the
 * branch was last. */
static void branch_to_tia(void) {
    enum { LAST = 7 * 1024, DISTANCES = 0x30 };
    for (unsigned distance = 0; distance < DISTANCES; distance += 3) {
        uint8_t image[8192];
        memset(image, 0xEA, sizeof image);
        writer w = {.image = image, .at = LAST};
        put2(&w, 0xA2, 0xFF), put(&w, 0x9A), put(&w, 0xD8);        /* LDX, TXS, CLD */
        put2(&w, 0xE6, 0x80), put(&w, 0x4C), put2(&w, 0xD0, 0xFF); /* INC, JMP */
        w.at = LAST + 0x3D0;
        put2(&w, 0xA9, 0x02), put2(&w, 0x85, 0x00);           /* LDA, STA: VSYNC */
        put2(&w, 0xA2, 0x00), put(&w, 0x18);                  /* LDX, CLC */
        put2(&w, 0x90, 0x50 + distance);                      /* BCC */
        w.at = LAST + 0x3FC;
        put2(&w, 0x00, 0xFC);
        compare_engines(image, sizeof image, ROM_E0, distance + 1);
    }
}

/* Frames without an end, in straight code that waits for lines by writes whose address is not known in advance: the
 * first write to the TIA after the limit ends them. */
static void late_lines(void) {
    enum { KINDS = 4, WAITS = 60, PADDINGS = 40 };
    for (unsigned kind = 0; kind < KINDS; kind++)
        for (unsigned padding = 0; padding < PADDINGS; padding += 11) {
            uint8_t image[4096];
            memset(image, 0xEA, sizeof image);
            writer w = {.image = image};
            put(&w, 0xD8), put2(&w, 0xA2, 0xFF), put(&w, 0x9A);                   /* CLD, LDX, TXS */
            put2(&w, 0xA9, 0x00), put2(&w, 0x85, 0x90), put2(&w, 0x85, 0x91);     /* LDA, STA: a pointer */
            const unsigned loop = 0xF000 + w.at;
            w.at += padding;
            for (int i = 0; i < WAITS; i++) {
                put2(&w, 0xA2, 0x02); /* LDX */
                switch (kind) {
                    case 0: put2(&w, 0x95, 0x00); break;                          /* STA zp,X */
                    case 1: put(&w, 0x9D), put2(&w, 0x00, 0x00); break;           /* STA abs,X */
                    case 2: put2(&w, 0x9A, 0x48); break;                          /* TXS, PHA */
                    default: put2(&w, 0xA0, 0x02), put2(&w, 0x91, 0x90); break;   /* LDY, STA (zp),Y */
                }
                put2(&w, 0xE6, 0x80), put2(&w, 0xA5, 0x80), put2(&w, 0x85, 0x09); /* INC, LDA, STA: COLUBK */
                put2(&w, 0xE6, 0x81), put2(&w, 0xA5, 0x81), put2(&w, 0x85, 0x08); /* INC, LDA, STA: COLUPF */
            }
            put(&w, 0x4C), put2(&w, loop & 0xFF, loop >> 8);
            w.at = 0xFFC;
            put2(&w, 0x00, 0xF0);
            compare_engines(image, sizeof image, ROM_4K, 1 + padding);
        }
}

/* Reads by an index and through a pointer of a cartridge's RAM and registers, from there to ROM and from below it; what
 * they are may depend on the time. */
static void cartridge_by_index(void) {
    static const rom_scheme schemes[] = {ROM_F8SC, ROM_FASC, ROM_DPC};
    static const uint32_t sizes[] = {8192, 12288, 10240};
    static const uint16_t bases[] = {0xF07A, 0xF0C1, 0xF1F0, 0xEFF8, 0x0FF3, 0xFF00};
    enum { START = 0x200, PORTS = 0x60, LARGEST = 12288, CODE_OF_DPC = 8192 };
    for (unsigned s = 0; s < sizeof schemes / sizeof *schemes; s++)
        for (unsigned b = 0; b < sizeof bases / sizeof *bases; b++) {
            uint8_t image[LARGEST];
            memset(image, 0xEA, sizeof image);
            writer w = {.image = image, .at = START};
            put(&w, 0xD8), put2(&w, 0xA2, 0xFF), put(&w, 0x9A); /* CLD, LDX, TXS */
            for (unsigned port = 0; port < PORTS; port++) {     /* RAM, or the settings of DPC's fetchers and music */
                put2(&w, 0xA9, (port * 7 | 0x10) & 0xFF);       /* LDA */
                put(&w, 0x8D), put2(&w, port, 0xF0);            /* STA */
            }
            put2(&w, 0xA9, bases[b] & 0xFF), put2(&w, 0x85, 0x90), put2(&w, 0xA9, bases[b] >> 8), put2(&w, 0x85, 0x91);
            const unsigned frame = 0xF000 + w.at;
            put2(&w, 0xA2, 0x00), put2(&w, 0xA0, 0x00); /* LDX, LDY */
            const unsigned loop = w.at;
            put(&w, 0xBD), put2(&w, bases[b] & 0xFF, bases[b] >> 8);              /* LDA base,X */
            put2(&w, 0x45, 0x80), put(&w, 0x2A), put2(&w, 0x85, 0x80);            /* EOR, ROL, STA */
            put2(&w, 0xB1, 0x90);                                                 /* LDA (zp),Y */
            put2(&w, 0x45, 0x81), put(&w, 0x2A), put2(&w, 0x85, 0x81);            /* EOR, ROL, STA */
            if (schemes[s] != ROM_DPC) /* writes to the port, and to what lies behind it */
                put(&w, 0x9D), put2(&w, 0x38 + 0x40 * (b & 1), 0xF0); /* STA base,X */
            put(&w, 0xC8), put(&w, 0xE8), put2(&w, 0xD0, (loop - w.at - 2) & 0xFF); /* INY, INX, BNE */
            end_frame(&w, frame);
            w.at = 0xFFC;
            put2(&w, 0x00, 0xF0 | START >> 8);
            for (uint32_t i = 4096; i < sizes[s]; i++)
                image[i] = schemes[s] == ROM_DPC && i >= CODE_OF_DPC ? (uint8_t)(i * 37) : image[i & 0xFFF];
            compare_engines(image, sizes[s], schemes[s], 1 + b);
        }
}

/* Reads of all of DPC's registers by absolute addresses, from fetchers whose counters reach their top, their bottom or
 * both, and wrap; with music and without. */
static void dpc_registers(void) {
    enum { START = 0x200, SETTINGS = 0x40, FETCHERS = 8, SIZE = 10240, CODE = 8192, VARIATIONS = 8 };
    for (unsigned variation = 0; variation < VARIATIONS; variation++) {
        uint8_t image[SIZE];
        memset(image, 0xEA, sizeof image);
        writer w = {.image = image, .at = START};
        put(&w, 0xD8), put2(&w, 0xA2, 0xFF), put(&w, 0x9A); /* CLD, LDX, TXS */
        for (unsigned fetcher = 0; fetcher < FETCHERS; fetcher++) {
            const unsigned low = 16 * fetcher + variation;
            const unsigned top = low + 3 * (variation & 1), bottom = low + variation, music = variation & 4 ? 0x10 : 0;
            const unsigned settings[] = {top, bottom, low + 9, (fetcher + variation) | music};
            for (unsigned kind = 0; kind < sizeof settings / sizeof *settings; kind++) {
                put2(&w, 0xA9, settings[kind] & 0xFF);                        /* LDA */
                put(&w, 0x8D), put2(&w, SETTINGS + 8 * kind + fetcher, 0xF0); /* STA */
            }
        }
        const unsigned loop = 0xF000 + w.at;
        for (unsigned a = 0; a < SETTINGS; a++) {
            put(&w, 0xAD), put2(&w, a, 0xF0);                                     /* LDA the register */
            put2(&w, 0x45, 0x80 + a), put(&w, 0x2A), put2(&w, 0x85, 0x80 + a);    /* EOR, ROL, STA */
        }
        end_frame(&w, loop);
        w.at = 0xFFC;
        put2(&w, 0x00, 0xF0 | START >> 8);
        for (uint32_t i = 4096; i < SIZE; i++) image[i] = i >= CODE ? (uint8_t)(i * 37 ^ i >> 8) : image[i & 0xFFF];
        compare_engines(image, sizeof image, ROM_DPC, 1 + variation);
    }
}

/* Random instructions behind $FBF of DPC's banks, each byte of which clocks its shift register, and those that lie half
 * before; its numbers and the data of a fetcher are read all the time. */
static void dpc_clocked_code(uint32_t seed) {
    enum { START = 0x200, FIRST = 0xFB0, LAST = 0xFE8, SUMS = 0xFA0, SIZE = 10240, CODE = 8192 };
    uint8_t image[SIZE];
    memset(image, 0xEA, sizeof image);
    writer w = {.image = image, .at = START, .random = seed * 2654435761u | 1};
    put(&w, 0xD8), put2(&w, 0xA2, 0xFF), put(&w, 0x9A); /* CLD, LDX, TXS */
    const unsigned frame = w.at;
    for (unsigned turn = 0; turn < 6; turn++) {
        put2(&w, 0xA9, 0x80 + pick(&w, 0x70)), put2(&w, 0x85, zero_page(&w) | 0x80); /* LDA, STA: parts of pointers */
        put2(&w, 0xA9, edge(&w)), put2(&w, 0xA2, edge(&w)), put2(&w, 0xA0, edge(&w)); /* LDA, LDX, LDY */
        put(&w, 0x20), put2(&w, (FIRST + pick(&w, 0x18)) & 0xFF, 0xFF);               /* JSR */
        put(&w, 0x20), put2(&w, SUMS & 0xFF, 0xF0 | SUMS >> 8);                       /* JSR */
    }
    end_frame(&w, 0xF000 + frame);
    w.at = FIRST;
    while (w.at < LAST) {
        const unsigned opcode = pick(&w, 256);
        if (cpu_opcodes[opcode].operation == OP_JAM || (cpu_kinds[cpu_opcodes[opcode].operation] == JUMPS && pick(&w, 4)))
            continue;
        if (!pick(&w, 4)) put(&w, 0xAD), put2(&w, pick(&w, 0x10), 0xF0); /* LDA: a register */
        put(&w, opcode);
        put_operand(&w, opcode);
    }
    put2(&w, 0xEA, 0xEA), put(&w, 0x20), put2(&w, SUMS & 0xFF, 0xF0 | SUMS >> 8), put(&w, 0x60); /* JSR, RTS */
    w.at = SUMS;
    put(&w, 0x4D), put2(&w, 0x00, 0xF0), put(&w, 0x2A), put2(&w, 0x85, 0x80), put(&w, 0x60); /* EOR, ROL, STA, RTS */
    w.at = 0xFFC;
    put2(&w, START & 0xFF, 0xF0 | START >> 8), put2(&w, SUMS & 0xFF, 0xF0 | SUMS >> 8);
    for (uint32_t i = 4096; i < SIZE; i++) image[i] = i >= CODE ? (uint8_t)(i * 37 ^ i >> 8) : image[i & 0xFFF];
    compare_engines(image, sizeof image, ROM_DPC, seed);
}

/* Returns and jumps through a pointer to addresses at and beside the hotspots and the ports of RAM, from where NOPs
 * lead to the next one: RTS reads the byte before its target. */
static void jumps_to_hotspots(void) {
    enum { START = 0xA00, LARGEST = 16384, SCHEMES = 5, WAYS = 3 }; /* the vectors are BRK and a NOP as well */
    static const rom_scheme schemes[SCHEMES] = {ROM_4K, ROM_F8, ROM_F6, ROM_F8SC, ROM_FASC};
    static const uint32_t sizes[SCHEMES] = {4096, 8192, 16384, 8192, 12288}, rams[SCHEMES] = {0, 0, 0, 128, 256};
    static const uint8_t ways[WAYS][4] = {{0x60}, {0x08, 0x40}, {0x6C, 0x82, 0x00}}; /* RTS; PHP, RTI; JMP () */
    for (unsigned s = 0; s < SCHEMES; s++)
        for (unsigned way = 0; way < WAYS; way++)
            for (unsigned high = 0xF0; high <= 0xFF; high += 0xF) {
                uint8_t image[LARGEST];
                memset(image, 0xEA, sizeof image);
                writer w = {.image = image, .at = START};
                put(&w, 0xD8), put2(&w, 0xA9, 0xEA), put2(&w, 0xA2, 0x00); /* CLD, LDA, LDX */
                for (unsigned half = 0; half < rams[s]; half += 128) {     /* STA, INX, BPL or BNE: NOPs for the RAM */
                    put(&w, 0x9D), put2(&w, 0x00, 0xF0);
                    put(&w, 0xE8), put2(&w, half ? 0xD0 : 0x10, 0xFA);
                }
                put2(&w, 0xA2, 0xFF), put(&w, 0x9A);                              /* LDX, TXS */
                put(&w, 0xAD), put2(&w, 0x00, 0xFE), put2(&w, 0x45, 0x84);        /* LDA the bank, EOR */
                put(&w, 0x2A), put2(&w, 0x85, 0x84);                              /* ROL, STA: a sum */
                put2(&w, 0xE6, 0x80), put2(&w, 0xA5, 0x80), put2(&w, 0x29, 0x03); /* INC, LDA, AND */
                put2(&w, 0xD0, 0x11);                                             /* BNE over the end of the frame */
                end_frame(&w, 0xF000 + START);
                put(&w, 0xAD), put2(&w, 0xF8, 0xFF), put2(&w, 0x85, 0x09); /* LDA a hotspot, STA: COLUBK */
                put2(&w, 0xA9, high), put2(&w, 0x85, 0x83), put(&w, 0x48); /* LDA, STA, PHA: in translated code */
                put2(&w, 0xA5, 0x80), put2(&w, 0x29, 0x0F);                /* LDA, AND */
                put(&w, 0x18), put2(&w, 0x69, 0xEC);                       /* CLC, ADC: from $EC to $FB */
                put2(&w, 0x85, 0x82), put(&w, 0x48);                       /* STA, PHA */
                for (unsigned i = 0; i < sizeof ways[way]; i++) put(&w, ways[way][i]);
                w.at = 0xFFC;
                for (int vector = 0; vector < 2; vector++) put2(&w, 0x00, 0xF0 | START >> 8);
                for (uint32_t i = 4096; i < sizes[s]; i++) image[i] = image[i & 0xFFF];
                for (uint32_t bank = 0; bank < sizes[s] / 4096; bank++) image[bank * 4096 + 0xE00] = (uint8_t)bank;
                compare_engines(image, sizes[s], schemes[s], 1 + way);
            }
}

/* Loops that count down in a row, without an end of the frame: the fast engines run each in one go, with as many
 * instructions as turns by turn. */
static void loops_in_a_row(void) {
    enum { MOST = 42, STEP = 14 };
    for (unsigned loops = STEP; loops <= MOST; loops += STEP)
        for (unsigned opcode = 0x88; opcode <= 0xCA; opcode += 0xCA - 0x88) { /* DEY, DEX */
            uint8_t image[4096];
            memset(image, 0xEA, sizeof image);
            writer w = {.image = image};
            for (unsigned i = 0; i < loops; i++) put(&w, opcode), put2(&w, 0xD0, 0xFD); /* BNE back to it */
            put2(&w, 0xE6, 0x80), put(&w, 0x4C), put2(&w, 0x00, 0xF0);                  /* INC, JMP */
            w.at = 0xFFC;
            put2(&w, 0x00, 0xF0);
            compare_engines(image, sizeof image, ROM_4K, loops);
        }
}

int main(void) {
    for (uint32_t seed = 1; seed <= (uint32_t)check_turns(IMAGES); seed++) {
        uint8_t image[8192];
        RUN(write_image(image + 4096, seed));
        compare_engines(image + 4096, 4096, ROM_4K, seed);
        if (seed % 2) continue;
        /* In four slices, from one to the next of which the program goes on and branches. */
        memcpy(image, image + 4096, 4096);
        compare_engines(image, sizeof image, ROM_E0, seed);
    }
    RUN(branch_to_tia());
    RUN(late_lines());
    RUN(cartridge_by_index());
    RUN(dpc_registers());
    for (uint32_t seed = 1; seed <= (uint32_t)check_turns(60); seed++) dpc_clocked_code(seed);
    RUN(jumps_to_hotspots());
    RUN(loops_in_a_row());
    return check_failures;
}
