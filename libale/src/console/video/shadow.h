/* The TIA's registers as the log leaves them, for frames that run in translated code.
 *
 * A write that changes nothing is not logged, and inputs are read without a call.  That holds for frames that
 * end: one that does not is run again without translation (console_run_frame). */
#ifndef ALE_SHADOW_H
#define ALE_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "beam.h"

typedef struct tia_shadow {
    uint8_t reg[48], old_grp[2], old_enabl; /* as in tia_raster */
    uint8_t in_force;   /* the following and the above hold: this is a frame with translated code */
    uint8_t reflection; /* a CTRLPF that came late in its line may have yet to take effect */
    uint8_t reserved;
    uint8_t nusiz[2];   /* why a repeated NUSIZ must be logged; bit 0: after RESPx or HMOVE, bit 1: missile 0 may
                           wander */
    uint32_t input_from[8]; /* tia_input_from of each, << 16 */
} tia_shadow;

/* Cycle of a line from which on CTRLPF comes too late for the right half. */
enum { LATE_CTRLPF = (HBLANK_CLOCKS + 79) / 3 };
_Static_assert((HBLANK_CLOCKS + 79) % 3 == 0, "a cycle has three clocks");

/* Begin a frame that translated code runs as far as it can.  Sets all fields from the beam's state except `input_from`,
 * which tia_start_shadow sets. */
void shadow_start_frame(tia_shadow *s, const tia_raster *now);
/* Update the shadow for a logged write of this cycle that translated code did not make. */
void shadow_note_write(tia_shadow *s, unsigned reg, uint8_t value, uint32_t time);
/* Return whether a write need not be logged. */
bool shadow_changes_nothing(const tia_shadow *s, unsigned reg, uint8_t value);

#endif
