/* The TIA as the program sees it: frames, collisions, paddles.
 *
 * An access is only appended to the log of the frame.  Positions, pixels and collisions are derived from the log when
 * they are needed (picture.h). */
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
/* Make room for `accesses` more accesses in the log.  False: out of memory, or beyond LOG_CAPACITY. */
bool tia_make_room(console *machine, uint32_t accesses);
/* Bring `now` and the picture to the end of a run of the CPU. */
void tia_end_run(console *machine);
/* Accesses; any address, its low bits count. */
uint8_t tia_read(console *machine, uint16_t address);
/* The cycle from which on bit 7 of INPT0..INPT5 (0 to 5; 6 and 7 are the addresses behind them) reads 1, as things
 * are now. */
#define TIA_NEVER UINT64_MAX
static inline bool tia_is_input(unsigned address) { return (address & 15) >= 8; }
static inline bool tia_is_fire(unsigned address) { return (address & 14) == 12; } /* INPT4 and INPT5 */
uint64_t tia_input_from(const console *machine, unsigned input);
/* What INPT0..INPT5 (8 to 13) and the addresses behind them show now, without an access. */
uint8_t tia_read_input(const console *machine, unsigned reg);
/* What CXM0P..CXPPMM (0 to 7) show, read now. */
uint8_t tia_read_collisions(console *machine, unsigned reg);
void tia_write(console *machine, uint16_t address, uint8_t value);
/* What CXCLR does, once it is logged. */
void tia_clear_collisions(console *machine);

extern const invariant tia_invariants[]; /* without those of `now` */

#endif
