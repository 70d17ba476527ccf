/* States that come as bytes are checked before they are used, each by the file that owns its struct: by a
 * function that returns the name of the first field whose value the library never writes; NULL: there is none.
 */
#ifndef ALE_FLAW_H
#define ALE_FLAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool is_zero(const uint8_t *bytes, size_t count) {
    unsigned all = 0;
    for (size_t i = 0; i < count; i++) all |= bytes[i];
    return all == 0;
}

#define EXPECT(condition, field)         \
    do {                                 \
        if (!(condition)) return field;  \
    } while (0)

#endif
