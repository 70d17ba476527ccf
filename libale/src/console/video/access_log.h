/* The log's entry for an access to the TIA, and the end of the running frame's log. */
#ifndef ALE_ACCESS_LOG_H
#define ALE_ACCESS_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "registers.h"

enum { LOG_CAPACITY = 2560, LOG_STEP = 512 }; /* accesses of a frame that fit into its log; it grows in steps */

/* Time in cycles << 16 | register << 8 | value.  Later times than LATEST_ACCESS, all of them long after the
 * window, count as that one. */
typedef uint32_t tia_access;
enum { LATEST_ACCESS = 0xFFFF };

/* One that is known to be early enough, and one of any time. */
static inline tia_access tia_access_early(uint32_t time, unsigned reg, unsigned value) {
    return time << 16 | reg << 8 | value;
}
static inline tia_access tia_access_make(uint32_t time, unsigned reg, uint8_t value) {
    return tia_access_early(time < LATEST_ACCESS ? time : LATEST_ACCESS, reg, value);
}
static inline uint32_t access_clock(tia_access access) { return 3 * (access >> 16); }
static inline unsigned access_cycle(tia_access access) { return (access >> 16) % LINE_CYCLES; } /* of its line */
static inline bool is_before(tia_access access, uint32_t clock) { return access_clock(access) < clock; }
static inline unsigned access_reg(tia_access access) { return (access >> 8) % TIA_REGISTERS; }
static inline uint8_t access_value(tia_access access) { return (uint8_t)access; }

/* The place of the next access, in the picture's memory (picture.h).  The CPU's engines may work on a copy while they
 * run, if they write it back before other code can use the log. */
typedef struct log_end {
    tia_access *next;
    tia_access *full; /* there is no room from here on */
} log_end;
static inline void log_append(log_end *to, tia_access access) { *to->next++ = access; }

#endif
