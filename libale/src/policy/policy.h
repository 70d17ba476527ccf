/* Policies of ale.h: trained players that choose actions from what they see of RAM.  All their numbers are whole, so
 * that they decide the same on every machine; tests/opponents/oracle.py is the same in Python. */
#ifndef ALE_POLICY_H
#define ALE_POLICY_H

#include <ale/ale.h>
#include <stdbool.h>

enum {
    POLICY_MOST_INPUTS = 256, /* of a layer */
    POLICY_MOST_SHIFT = 15
};

/* Who plays for a player of an environment, and what it remembers. */
typedef struct policy_seat {
    ale_policy *policy; /* a reference; NULL: the caller plays */
    uint32_t random;
    bool begins;                  /* it has seen nothing yet */
    uint8_t before[ALE_RAM_SIZE]; /* RAM at its last action */
} policy_seat;

ale_status policy_create(const ale_policy_numbers *numbers, ale_policy **created);
ale_policy *policy_retain(ale_policy *policy); /* NULL is fine, as in the next */
void policy_release(ale_policy *policy);
/* For how many players it can play. */
uint32_t policy_players(const ale_policy *policy);
/* The actions that it chooses from: how many, and which, as bits. */
uint32_t policy_action_count(const ale_policy *policy);
uint32_t policy_actions(const ale_policy *policy);
/* The action, an ale_action, for a player that sees `ram` and saw `before` at its last action.  The state of its random
 * numbers moves on.  `logits`, NULL: not wanted, gets the network's output for each action. */
uint8_t policy_decide(const ale_policy *policy, uint32_t player, const uint8_t *ram, const uint8_t *before,
                      uint32_t *random, int64_t *logits);
/* The action, an ale_action, of the policy of a seat, for a player. */
uint8_t policy_act(policy_seat *seat, uint32_t player, const uint8_t *ram);

#endif
