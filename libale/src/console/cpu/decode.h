/* The fast core: instructions decoded ahead, once per ROM image.
 *
 * Every byte of the ROM is decoded as if an instruction began there.  What an operand refers to (RAM, a TIA
 * register, a ROM table) is known from its address, so most instructions become handlers that go straight to
 * it.  Whatever is unusual - code outside the ROM, hotspots, a stack in the TIA, undocumented opcodes - is
 * left to the plain core (cpu/plain.c), one instruction at a time: the two agree on every bit of the machine's
 * state. */
#ifndef ALE_CPU_CODE_H
#define ALE_CPU_CODE_H

#include <stdint.h>

#include "cpu.h"
#include "../rom_image.h"

struct console;

/* Decode an image; NULL for schemes that the plain core runs alone, or when memory is short. */
struct cpu_code *cpu_code_create(const rom_image *rom);
void cpu_code_destroy(struct cpu_code *code);

/* Run decoded instructions until one comes that needs the plain core, the frame ends, or `instructions` are
 * nearly used up; returns how many were done. */
uint32_t cpu_code_run(struct console *machine, uint32_t instructions);

/* Turns that a loop polling INTIM (operand of WAIT_INTIM) surely makes before the value it waits for can show:
 * none of its reads has a side effect, for the timer has not expired.  And the cycles of each. */
uint32_t cpu_timer_turns(const struct console *machine, uint32_t time, unsigned how);
static inline uint32_t cpu_timer_turn(unsigned how) { return how & 16 ? 8 : 7; }

/* Shared with the plain core. */
extern const uint8_t cpu_cycles[256];
void cpu_adc(cpu_state *cpu, uint8_t m);
void cpu_sbc(cpu_state *cpu, uint8_t m);
uint8_t cpu_status(const cpu_state *cpu);
void cpu_set_status(cpu_state *cpu, uint8_t p);

#endif
