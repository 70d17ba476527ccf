/* DPC, the custom chip of Pitfall II. */
#ifndef ALE_CARTRIDGE_DPC_H
#define ALE_CARTRIDGE_DPC_H

#include <stdbool.h>
#include <stdint.h>

#include "../machine.h"

enum {
    DPC_DISPLAY = 8192,   /* where the display data begins in the image; it is read backwards */
    DPC_REGISTERS = 0x40, /* the registers that are read lie below, those that are written behind */
    DPC_FIRST_MUSIC = 5,  /* this fetcher and those after it can play music */
};

/* The functions of the registers that are read: the address divided by 8.  The others read as 0. */
enum { DPC_RANDOM_OR_MUSIC = 0, DPC_DATA = 1, DPC_DATA_AND_FLAG = 2, DPC_FLAG = 7 };

/* Read a register, a < DPC_REGISTERS: 8 functions of 8 fetchers.  Translated code does this by itself where it can
 * (cpu/translator/templates/operands.inc). */
uint8_t dpc_read_register(console *machine, unsigned a);

extern const invariant dpc_invariants[];
const char *dpc_invalid_field(const dpc_state *dpc, bool exists); /* as support/invariants.h has it */

#endif
