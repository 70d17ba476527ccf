/* States: saved moments of an environment, as bytes. */
#ifndef ALE_STATE_H
#define ALE_STATE_H

#include "environment.h"

/* The head of a saved environment.  After it come the environment's own generator (if any is included) and
 * the console's snapshot. */
typedef struct saved_environment {
    char magic[8];
    uint32_t layout;   /* of this struct */
    uint32_t includes_random;
    uint64_t size;     /* of everything */
    uint64_t checksum; /* of everything, this field being 0; 0 in memory */
    char md5[40];      /* the ROM of this state */
    char game[32];
    int32_t rules;     /* ale_rules; under ALE_BY_MODE, the bit ALE_MULTI is set if those rules are in force */
    int32_t scheme;
    environment_state s;
} saved_environment;

struct ale_state {
    size_t size, capacity; /* size is 0 if it is empty */
    bool foreign;          /* the bytes came from outside and must be checked */
    uint8_t *bytes;
};

static inline const saved_environment *state_head(const ale_state *state) {
    return (const saved_environment *)(const void *)state->bytes;
}

static inline bool state_is_multi(const saved_environment *head) { return head->rules & ALE_MULTI; }
/* Return the rule set of the environments that can restore the state. */
static inline ale_rules state_rules(const saved_environment *head) {
    return head->rules & ALE_BY_MODE ? ALE_BY_MODE : (ale_rules)head->rules;
}

bool state_equal(const ale_state *a, const ale_state *b);
void state_serialize(const ale_state *state, uint8_t *out);
ale_status state_deserialize(ale_state *state, const uint8_t *bytes, size_t size);

#endif
