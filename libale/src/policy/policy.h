/* The policies of ale.h: trained networks that choose a player's actions from RAM.  They calculate with whole numbers
 * only, so they decide the same on every machine. tests/opponents/oracle.py does the same in Python. */
#ifndef ALE_POLICY_H
#define ALE_POLICY_H

#include <ale/ale.h>
#include <stdbool.h>

enum {
    POLICY_MOST_INPUTS = 256, /* inputs of a layer, at most */
    POLICY_MOST_SHIFT = 15
};

/* The policy that plays for a player of an environment, and its memory. */
typedef struct policy_seat {
    ale_policy *policy; /* a reference; NULL: the caller plays */
    uint32_t random;              /* of the policy, or of chance in a rollout */
    bool begins;                  /* it has not acted since the reset, so `before` does not count */
    uint8_t before[ALE_RAM_SIZE]; /* RAM at the last action */
} policy_seat;

ale_status policy_create(const ale_policy_numbers *numbers, ale_policy **created);
ale_policy *policy_retain(ale_policy *policy); /* NULL is allowed, as in policy_release */
void policy_release(ale_policy *policy);
/* Return the number of players that the policy can play for. */
uint32_t policy_players(const ale_policy *policy);
/* Return how many actions the policy chooses from, and which, as bits. */
uint32_t policy_action_count(const ale_policy *policy);
uint32_t policy_actions(const ale_policy *policy);
/* Return the ale_action for `ram`, where `before` was the RAM at the player's last action.  Advances *random.  Writes
 * the network's output for each action to `logits`, unless that is NULL. */
uint8_t policy_decide(const ale_policy *policy, uint32_t player, const uint8_t *ram, const uint8_t *before,
                      uint32_t *random, int64_t *logits);
/* Return the ale_action that a seat's policy chooses for a player, and remember `ram`. */
uint8_t policy_act(policy_seat *seat, uint32_t player, const uint8_t *ram);
/* Return a random number, and advance *state. */
uint32_t policy_draw(uint32_t *state);

#endif
