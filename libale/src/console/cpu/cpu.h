/* 6507, stepped by whole instructions: an instruction's time is added at its start, and all its accesses but
 * the opcode fetch see the clock at its end. */
#ifndef ALE_CPU_H
#define ALE_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "../machine.h"

enum { FRAME_INSTRUCTIONS = 25000 };

void cpu_reset(console *machine);
/* Run until the frame ends, the CPU jams, or FRAME_INSTRUCTIONS are done.  `continued`: this frame goes on after that
 * many instructions, so the program may wait for the player (turns.h). */
void cpu_run(console *machine, bool continued);
/* Whether the translator may run this console's frames.  It counts no instructions, and its log leaves out writes that
 * change nothing, which holds for frames that end; false: this one is very long or does not end, and must be run again
 * from its start. */
bool cpu_translates(const console *machine);
bool cpu_run_translated(console *machine);

/* Let the engines make what they want of an image, once it is complete; it goes with the image. */
void cpu_prepare(rom_image *rom);

/* Whether the next instruction can tell what the last one left on the data bus: only if it is fetched from the TIA,
 * for any other fetch puts its own byte there. */
static inline bool cpu_sees_bus(const cpu_state *cpu) { return !(cpu->pc & 0x1080); }

extern const invariant cpu_invariants[];

/* Bus accesses with all their side effects (cpu/plain.c, and tests). */
uint8_t bus_read(console *machine, uint16_t address);
void bus_write(console *machine, uint16_t address, uint8_t value);

/* What the engines share of the arithmetic (plain.c). */
void cpu_adc(cpu_state *cpu, uint8_t m);
void cpu_sbc(cpu_state *cpu, uint8_t m);
uint8_t cpu_status(const cpu_state *cpu);
void cpu_set_status(cpu_state *cpu, uint8_t p);

#endif
