/* RIOT (6532): timer and ports.  Its 128 bytes of RAM are console.s.ram. */
#ifndef ALE_RIOT_H
#define ALE_RIOT_H

#include <stdbool.h>
#include <stdint.h>

#include "../support/invariants.h"

struct console;

typedef struct riot_state {
    uint32_t value;      /* as written to the timer, 0..255 */
    uint32_t set_at;     /* time of that write */
    uint32_t read_at;    /* time of the first INTIM read after expiry */
    uint8_t shift;       /* log2 of the interval: 0, 3, 6, 10 */
    uint8_t read_expired; /* INTIM was read after expiry: read_at counts, INSTAT shows 0 */
    uint8_t ddra;        /* SWACNT */
    uint8_t reserved;
} riot_state;

/* System reset: the timer starts somewhere between 25 and 99, one draw of the system generator. */
void riot_reset(struct console *machine);
/* The clock goes back by `cycles`: so do the times that are compared with it. */
void riot_rebase(riot_state *riot, uint32_t cycles);
/* INTIM as read at `time`; may set read_expired. */
uint8_t riot_intim(riot_state *riot, uint32_t time);
/* Accesses to the registers (address bits 7 and 9 set, bit 12 clear). */
uint8_t riot_read(struct console *machine, uint16_t address);
void riot_write(struct console *machine, uint16_t address, uint8_t value);

extern const invariant riot_invariants[];

#endif
