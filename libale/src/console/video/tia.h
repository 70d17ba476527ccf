/* TIA: what the program sees of it - frames, collisions, paddles.
 *
 * An access goes into the log of the frame, and that is nearly all: positions, pixels and collisions are
 * worked out from the log when somebody looks (picture.h). */
#ifndef ALE_TIA_H
#define ALE_TIA_H

#include <stdbool.h>
#include <stdint.h>

#include "../machine.h"

void tia_reset(console *machine);
/* Begin a frame, in line 0; `lines` is the time that has passed before it, which the CPU's clock was set back by. */
void tia_start_frame(console *machine, uint32_t lines);
/* This frame will be run by translated code as far as that goes (shadow.h). */
void tia_start_shadow(console *machine);
/* Have room for so many more accesses in the log.  False: out of memory, or they are more than a log holds. */
bool tia_make_room(console *machine, uint32_t accesses);
/* Bring `now` and the picture to the end of a run of the CPU. */
void tia_end_run(console *machine);
/* Accesses; any address, its low bits count. */
uint8_t tia_read(console *machine, uint16_t address);
/* The cycle from which on bit 7 of INPT0..INPT5 (0 to 5; 6 and 7 are the addresses behind them) reads 1, as things
 * are now. */
#define TIA_NEVER UINT64_MAX
static inline bool tia_is_input(unsigned address) { return (address & 15) >= 8; }
uint64_t tia_input_from(const console *machine, unsigned input);
/* What INPT0..INPT5 (8 to 13) and the addresses behind them show now, without an access. */
uint8_t tia_read_input(const console *machine, unsigned reg);
void tia_write(console *machine, uint16_t address, uint8_t value);

extern const invariant tia_invariants[]; /* without those of `now` */

#endif
