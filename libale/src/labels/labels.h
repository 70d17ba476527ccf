/* Labels: names for bytes of RAM, and their values.  table.inc has those of all games. */
#ifndef ALE_LABELS_H
#define ALE_LABELS_H

#include <ale/ale.h>
#include <stdbool.h>

/* The labels of a game. */
typedef struct label_set {
    const char *game;
    uint32_t count;
    const ale_label *labels; /* without `low` and `high` */
} label_set;

const label_set *labels_of(const char *game); /* NULL: the game has none */
int32_t label_value(const ale_label *label, const uint8_t *ram);
/* Write the values of all labels of a set. */
void labels_write(const label_set *set, const uint8_t *ram, int32_t *values);
/* Set `low` and `high`.  False: the values do not fit into 32 bits. */
bool label_bound(ale_label *label);

#endif
