/* RIOT (6532): timer and ports.  Its 128 bytes of RAM are console.s.ram. */
#ifndef ALE_RIOT_H
#define ALE_RIOT_H

#include <stdbool.h>
#include <stdint.h>

#include "machine.h"

/* System reset: the timer starts somewhere between 25 and 99, one draw of the system generator. */
void riot_reset(console *machine);
/* The clock goes back by `cycles`: so do the times that are compared with it. */
void riot_rebase(riot_state *riot, uint32_t cycles);
/* INTIM as read at `time`; may set read_expired. */
uint8_t riot_intim(riot_state *riot, uint32_t time);
/* Whether a register is one of the ports, not of the timer. */
static inline bool riot_is_port(unsigned address) { return !(address & 4); }
/* Accesses to the registers (address bits 7 and 9 set, bit 12 clear). */
uint8_t riot_read(console *machine, uint16_t address);
void riot_write(console *machine, uint16_t address, uint8_t value);

extern const invariant riot_invariants[];

#endif
