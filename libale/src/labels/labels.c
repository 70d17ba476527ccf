/* The value of a label is that of a number with a digit for each byte; hmove has the sum of its bytes instead. */
#include "labels.h"

#include <stdlib.h>
#include <string.h>

#include "table.inc"

static int compare_games(const void *name, const void *set) {
    return strcmp(name, ((const label_set *)set)->game);
}

const label_set *labels_of(const char *game) {
    return bsearch(game, label_sets, sizeof label_sets / sizeof *label_sets, sizeof *label_sets, compare_games);
}

/* ---- Values -------------------------------------------------------------------------------------------- */

static int32_t digit_of(const ale_label *label, uint32_t bits) {
    return (int32_t)bits == label->blank ? 0 : (int32_t)bits;
}

/* Return the digit that a byte stands for.  `place` is 0 for the lowest byte. */
static int32_t byte_value(const ale_label *label, uint32_t place, uint8_t byte) {
    const uint32_t mask = (uint32_t)(label->mask >> 8 * place & 255);
    uint32_t bits = byte & mask;
    if (mask && (label->byte_count == 1 || label->code == ALE_LABEL_DIGITS)) bits >>= __builtin_ctz(mask);
    if (label->code == ALE_LABEL_HMOVE) return (int32_t)(15 * (bits & 15) + 16 * (bits >> 7)) - (int32_t)(bits >> 4);
    if (label->code == ALE_LABEL_SIGNED && place == label->byte_count - 1) return (int8_t)bits;
    if (label->code == ALE_LABEL_BCD) return 10 * digit_of(label, bits >> 4) + digit_of(label, bits & 15);
    return digit_of(label, bits);
}

static uint32_t base_of(const ale_label *label) {
    static const uint32_t bases[] = {
        [ALE_LABEL_BINARY] = 256, [ALE_LABEL_BCD] = 100,    [ALE_LABEL_DIGITS] = 10,
        [ALE_LABEL_HMOVE] = 1,    [ALE_LABEL_SIGNED] = 256,
    };
    return bases[label->code];
}

int32_t label_value(const ale_label *label, const uint8_t *ram) {
    const uint32_t count = label->byte_count, base = base_of(label);
    uint32_t value = 0; /* wraps where label_bound would refuse the label */
    for (uint32_t i = 0; i < count; i++)
        value = value * base + (uint32_t)byte_value(label, count - 1 - i, ram[label->places[i]]);
    return (int32_t)(value * (uint32_t)label->scale + (uint32_t)label->offset);
}

void labels_write(const label_set *set, const uint8_t *ram, int32_t *values) {
    for (uint32_t i = 0; i < set->count; i++) values[i] = label_value(&set->labels[i], ram);
}

bool label_bound(ale_label *label) {
    double low = label->offset, high = label->offset, unit = label->scale;
    for (uint32_t place = 0; place < label->byte_count; place++, unit *= base_of(label)) {
        double least = 0, most = 0;
        for (int byte = 0; byte < 256; byte++) {
            const double part = unit * byte_value(label, place, (uint8_t)byte);
            if (!byte || part < least) least = part;
            if (!byte || part > most) most = part;
        }
        low += least;
        high += most;
    }
    const bool fits = low >= INT32_MIN && high <= INT32_MAX;
    label->low = fits ? (int32_t)low : 0;
    label->high = fits ? (int32_t)high : 0;
    return fits;
}
