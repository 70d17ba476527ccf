/* Code in RAM: random programs that are copied there, changed from outside and by themselves, and run; translated, by
 * the threaded core and by the plain core, with the whole machine compared after each frame.  Then more programs than the
 * translator takes, and several threads that translate the same. */
#include <stdlib.h>

#include "check.h"
#include "compare_engines.h"
#include "support/os.h"

enum { PROGRAMS = 30, LARGEST = 10240, CODE_OF_DPC = 8192 };
enum { START = 0x200, IN_BANK = 0x9F0, TABLE = 0xA00, HANDLER = 0xF80 };
enum { LENGTH = 0x60, CALL = 7 }; /* of code in RAM, and where it first calls the bank */

typedef struct cartridge {
    rom_scheme scheme;
    uint32_t size;
} cartridge;
static const cartridge cartridges[] = {{ROM_4K, 4096},   {ROM_F8, 8192},   {ROM_F8SC, 8192},
                                       {ROM_DPC, 10240}, {ROM_E0, 8192}, {ROM_FE, 8192}};
enum { CARTRIDGES = sizeof cartridges / sizeof *cartridges };

static void put3(writer *w, unsigned a, unsigned b, unsigned c) { put(w, a), put2(w, b, c); }

/* A call from RAM: of code in the bank, or in RAM, where it mostly ends in a loop that pushes over all of RAM. */
static void put_call(writer *w) {
    if (pick(w, 6))
        put3(w, 0x20, IN_BANK & 0xFF, 0xF0 | IN_BANK >> 8); /* JSR */
    else
        put3(w, 0x20, 0x80 + pick(w, LENGTH), 0x00);
}

/* Instructions that go to RAM, with operands that often lie in it; a JAM stops all that could be compared. */
static void put_ram_code(writer *w) {
    const uint32_t end = w->at + LENGTH;
    put3(w, 0xAD, pick(w, 256), 0xF8), put2(w, 0x45, 0xE5), put2(w, 0x85, 0xE5); /* LDA, EOR, STA: of this bank */
    put3(w, 0x20, IN_BANK & 0xFF, 0xF0 | IN_BANK >> 8);                          /* JSR, at CALL */
    while (w->at + 12 < end) {
        const unsigned opcode = pick(w, 256);
        const addressing mode = (addressing)cpu_opcodes[opcode].mode;
        const unsigned kind = cpu_kinds[cpu_opcodes[opcode].operation], in_code = 0x80 + pick(w, LENGTH);
        if (cpu_opcodes[opcode].operation == OP_JAM) continue;
        if (kind == JUMPS && pick(w, 4)) continue; /* they mostly lead far away */
        put(w, opcode);
        if (mode == REL)
            put2(w, pick(w, 8) ? pick(w, 3) : 0x100 - pick(w, 12), 0xEA), put(w, 0xEA);
        else if ((mode == ABS || mode == ABX || mode == ABY) && !pick(w, 3))
            put2(w, in_code, kind == WRITES || pick(w, 2) ? 0x00 : 0xF0 + pick(w, 16));
        else if (cpu_lengths[mode] == 2 && mode != IMM && !pick(w, 3))
            put(w, in_code);
        else
            put_operand(w, opcode);
        if (!pick(w, 6)) put2(w, 0x85, pick(w, 2) ? 0x02 : 0x06); /* STA: WSYNC, COLUP0 */
        if (!pick(w, 12)) put_call(w);
    }
    if (pick(w, 2)) put3(w, 0x4C, IN_BANK & 0xFF, 0xF0 | IN_BANK >> 8); /* JMP */
    while (w->at < end) put(w, 0x60);                                   /* RTS */
}

static void write_image(uint8_t *image, const cartridge *c, uint32_t seed) {
    memset(image, 0xEA, LARGEST);
    writer w = {.image = image, .at = START, .random = seed * 2654435761u | 1};
    put(&w, 0xD8), put2(&w, 0xA2, 0xFF), put(&w, 0x9A); /* CLD, LDX, TXS */
    const unsigned frame = 0xF000 + w.at;
    const bool again = pick(&w, 2);
    put2(&w, 0xA2, LENGTH - 1);                                                          /* LDX */
    put3(&w, 0xBD, TABLE & 0xFF, 0xF0 | TABLE >> 8);                                     /* LDA table,X */
    put2(&w, 0x95, 0x80), put(&w, 0xCA), put2(&w, 0x10, 0xF8);                           /* STA, DEX, BPL */
    for (unsigned turn = 0; turn < 12; turn++) {
        for (unsigned changes = pick(&w, 4); changes; changes--) { /* of what will run */
            if (pick(&w, 3))
                put2(&w, 0xE6, 0x80 + pick(&w, LENGTH)); /* INC */
            else
                put2(&w, 0xA9, edge(&w)), put2(&w, 0x85, 0x80 + pick(&w, LENGTH)); /* LDA, STA */
        }
        if (c->scheme == ROM_F8) put3(&w, 0xCD, 0xF8 + pick(&w, 2), 0xFF);            /* CMP: a bank */
        const bool pushes = !pick(&w, 3); /* over the code; often over its first call */
        const unsigned top = 0x80 + (pick(&w, 2) ? CALL + pick(&w, 8) : pick(&w, LENGTH));
        if (pushes) put2(&w, 0xA2, top), put(&w, 0x9A);                               /* LDX, TXS */
        put2(&w, 0xA9, edge(&w)), put2(&w, 0xA2, edge(&w)), put2(&w, 0xA0, edge(&w)); /* LDA, LDX, LDY */
        put3(&w, 0x20, 0x80 + (pick(&w, 3) ? 0 : pick(&w, LENGTH)), 0x00);            /* JSR */
        if (pushes) put2(&w, 0xA2, 0xFF), put(&w, 0x9A);                              /* LDX, TXS */
        put2(&w, 0x45, 0xE0), put2(&w, 0x85, 0xE0), put2(&w, 0x86, 0xE1), put2(&w, 0x84, 0xE2);
    }
    end_frame(&w, again ? frame : frame + 10); /* copied in each frame, or changed further */
    w.at = IN_BANK;
    put2(&w, 0xE6, 0xE4), put(&w, 0x60); /* INC, RTS */
    w.at = TABLE;
    put_ram_code(&w);
    w.at = HANDLER;
    put2(&w, 0xE6, 0xE3), put(&w, 0x40); /* INC, RTI */
    w.at = 0xFFC;
    put2(&w, START & 0xFF, 0xF0 | START >> 8), put2(&w, HANDLER & 0xFF, 0xF0 | HANDLER >> 8);
    for (uint32_t i = 4096; i < c->size; i++)
        image[i] = c->scheme == ROM_DPC && i >= CODE_OF_DPC ? (uint8_t)(i * 37) : image[i & 0xFFF];
    if (c->scheme != ROM_F8) return; /* banks that differ in what code in RAM reads and calls */
    for (uint32_t i = 0x800; i < IN_BANK; i++) image[i] = (uint8_t)(i * 11);
    image[IN_BANK] = 0xC6; /* DEC */
}

/* Each of 16 instructions at each of 80 places: more than the translator keeps. */
static void too_many(void) {
    enum { PLACES = 80, OPCODES = 0x300, CALL = 0x320 };
    static const uint8_t opcodes[16] = {0x18, 0x38, 0xB8, 0xEA, 0x0A, 0x4A, 0x2A, 0x6A,
                                        0x8A, 0x98, 0x78, 0x58, 0x1A, 0x3A, 0xF8, 0xD8};
    uint8_t image[4096];
    memset(image, 0xEA, sizeof image);
    memcpy(image + OPCODES, opcodes, sizeof opcodes);
    writer w = {.image = image};
    put2(&w, 0xA2, 0xFF), put(&w, 0x9A), put2(&w, 0xA9, 0x60), put2(&w, 0xA2, PLACES); /* LDX, TXS, LDA RTS, LDX */
    put2(&w, 0x95, 0x80), put(&w, 0xCA), put2(&w, 0x10, 0xFB);                         /* STA, DEX, BPL */
    const unsigned frame = 0xF000 + w.at;
    put2(&w, 0xA2, PLACES - 1); /* LDX */
    const unsigned place = w.at;
    put2(&w, 0xA0, 0x0F); /* LDY */
    const unsigned opcode = w.at;
    put3(&w, 0xB9, OPCODES & 0xFF, 0xF0 | OPCODES >> 8), put2(&w, 0x95, 0x80); /* LDA opcodes,Y, STA */
    put3(&w, 0x20, CALL & 0xFF, 0xF0 | CALL >> 8);                             /* JSR */
    put(&w, 0x08), put2(&w, 0x45, 0xE0), put2(&w, 0x85, 0xE0), put(&w, 0x68);  /* PHP, EOR, STA, PLA */
    put2(&w, 0x45, 0xE1), put(&w, 0x2A), put2(&w, 0x85, 0xE1);                 /* EOR, ROL, STA */
    put2(&w, 0xA9, 0x60), put2(&w, 0x95, 0x80), put(&w, 0xD8);                 /* LDA RTS, STA, CLD */
    put(&w, 0x88), put2(&w, 0x10, (opcode - w.at - 2) & 0xFF);                 /* DEY, BPL */
    put(&w, 0xCA), put2(&w, 0x10, (place - w.at - 2) & 0xFF);                  /* DEX, BPL */
    end_frame(&w, frame);
    w.at = CALL;
    put2(&w, 0xA9, 0x00), put(&w, 0x48), put(&w, 0x8A), put(&w, 0x18), put2(&w, 0x69, 0x7F); /* LDA, PHA, TXA, CLC, ADC */
    put2(&w, 0x48, 0x60);                                                                    /* PHA, RTS: to RAM */
    w.at = 0xFFC;
    put2(&w, 0x00, 0xF0);
    compare_engines(image, sizeof image, ROM_4K, 1);
}

/* A branch in the last two bytes of RAM, which is taken to another page, or else goes on in the TIA. */
static void branch_at_the_end(void) {
    for (unsigned z = 0; z < 2; z++) {
        uint8_t image[4096];
        memset(image, 0xEA, sizeof image);
        writer w = {.image = image};
        static const uint8_t code[] = {0xE6, 0x81, 0x60, 0xD0, 0xFB}; /* INC, RTS, BNE to INC */
        put2(&w, 0xA2, 0xB0), put(&w, 0x9A);                          /* LDX, TXS */
        const unsigned frame = 0xF000 + w.at;
        for (unsigned i = 0; i < sizeof code; i++)
            put2(&w, 0xA9, code[i]), put2(&w, 0x85, 0x100 - sizeof code + i);            /* LDA, STA */
        put2(&w, 0xE6, 0x80), put2(&w, 0xA9, 0x03), put2(&w, 0x25, 0x80);                /* INC, LDA, AND */
        put2(&w, 0x09, z ? 0x00 : 0x04), put3(&w, 0x20, 0xFE, 0x00), put2(&w, 0x85, 0x09); /* ORA, JSR, STA */
        end_frame(&w, frame);
        w.at = 0xFFC;
        put2(&w, 0x00, 0xF0);
        compare_engines(image, sizeof image, ROM_4K, 1);
    }
}

/* A call from RAM that pushes its address over itself: JSR reads the last byte of its target after that.  So it goes to
 * the target as written, to RAM, or to another place of the bank. */
static void call_over_itself(void) {
    enum { AT = 0xB0, LOW = 0xE0, WRITTEN = 0xF000 | LOW, PUSHED = (AT + 2) << 8 | LOW, BACK = 0x400 };
    static const uint8_t call[] = {0x20, LOW, WRITTEN >> 8};                                 /* JSR */
    static const uint8_t in_ram[] = {0xE6, 0x80, 0x4C, BACK & 0xFF, 0xF0 | BACK >> 8};       /* INC, JMP */
    for (unsigned s = AT - 2; s < AT + 7; s++) {
        uint8_t image[4096];
        memset(image, 0xEA, sizeof image);
        writer w = {.image = image, .at = START};
        for (unsigned i = 0; i < sizeof call; i++) put2(&w, 0xA9, call[i]), put2(&w, 0x85, AT + i); /* LDA, STA */
        for (unsigned i = 0; i < sizeof in_ram; i++) put2(&w, 0xA9, in_ram[i]), put2(&w, 0x85, LOW + i);
        put2(&w, 0xA2, s), put(&w, 0x9A), put3(&w, 0x4C, AT, 0x00); /* LDX, TXS, JMP */
        w.at = WRITTEN & 0xFFF;
        put2(&w, 0xE6, 0x81), put3(&w, 0x4C, BACK & 0xFF, 0xF0 | BACK >> 8); /* INC, JMP */
        w.at = PUSHED & 0xFFF;
        put2(&w, 0xE6, 0x82), put3(&w, 0x4C, BACK & 0xFF, 0xF0 | BACK >> 8);
        w.at = BACK;
        end_frame(&w, 0xF000 | START);
        w.at = 0xFFC;
        put2(&w, START & 0xFF, 0xF0 | START >> 8);
        compare_engines(image, sizeof image, ROM_4K, 1);
    }
}

static void *play(void *played) {
    for (int frame = 0; frame < FRAMES; frame++) console_run_frame(played);
    return NULL;
}

static void by_threads(uint32_t seed) {
    enum { THREADS = 3 };
    uint8_t image[LARGEST];
    char error[256];
    const cartridge *c = &cartridges[seed % CARTRIDGES];
    write_image(image, c, seed);
    rom_image *rom = console_open_rom(image, c->size, c->scheme, error);
    console *plain = rom ? console_create(rom, &(console_options){.seed = seed}) : NULL;
    CHECK(plain != NULL);
    if (plain) play(plain);
    console *fast[THREADS] = {0};
    os_thread threads[THREADS];
    bool runs[THREADS] = {0};
    for (unsigned i = 0; plain && i < THREADS; i++)
        fast[i] = console_create(rom, &(console_options){.seed = seed, .fast_paths = FAST_ALL});
    for (unsigned i = 0; plain && i < THREADS; i++) {
        runs[i] = fast[i] && os_thread_start(&threads[i], play, fast[i]);
        if (fast[i] && !runs[i]) play(fast[i]); /* where there are no threads */
    }
    for (unsigned i = 0; plain && i < THREADS; i++) {
        if (runs[i]) os_thread_join(threads[i]);
        CHECK(fast[i] && same(fast[i], plain));
        console_destroy(fast[i]);
    }
    console_destroy(plain);
    rom_image_release(rom);
}

int main(void) {
    for (uint32_t seed = 1; seed <= (uint32_t)check_turns(PROGRAMS); seed++)
        for (unsigned i = 0; i < CARTRIDGES; i++) {
            uint8_t image[LARGEST];
            RUN(write_image(image, &cartridges[i], seed));
            compare_engines(image, cartridges[i].size, cartridges[i].scheme, seed);
        }
    RUN(too_many());
    RUN(branch_at_the_end());
    RUN(call_over_itself());
    for (uint32_t seed = 1; seed <= 2 * CARTRIDGES; seed++) by_threads(seed);
    return check_failures;
}
