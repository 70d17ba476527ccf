/* What changes in the custom chip of Pitfall II. */
#ifndef ALE_CARTRIDGE_DPC_H
#define ALE_CARTRIDGE_DPC_H

#include <stdint.h>

#include "../../support/invariants.h"

typedef struct dpc_state {
    uint8_t top[8], bottom[8], flag[8];
    uint16_t counter[8];
    uint8_t music[3]; /* booleans of fetchers 5, 6, 7 */
    uint8_t random;
    int32_t stamp; /* cycle counter at the latest music update; rebased with the frames */
    double fraction;
} dpc_state;

extern const invariant dpc_invariants[];
const char *dpc_invalid_field(const dpc_state *dpc, bool exists); /* as support/invariants.h has it */

#endif
