/* What changes in the custom chip of Pitfall II. */
#ifndef ALE_CARTRIDGE_DPC_H
#define ALE_CARTRIDGE_DPC_H

#include <stdint.h>

typedef struct dpc_state {
    uint8_t top[8], bottom[8], flag[8];
    uint16_t counter[8];
    uint8_t music[3]; /* booleans of fetchers 5, 6, 7 */
    uint8_t random;
    int32_t stamp; /* cycle counter at the latest music update; rebased with the frames */
    double fraction;
} dpc_state;

const char *dpc_flaw(const dpc_state *dpc); /* as support/flaw.h has it */

#endif
