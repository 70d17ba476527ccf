/* A sub-environment: one environment of a vector, with what a learner wants around it - frames skipped, pooled, resized
 * and stacked, episodes that begin with NOOPs and end by themselves.
 *
 * A sub-environment is used by one thread at a time: by the caller's between its steps, by a worker's during them. */
#ifndef ALE_SUB_ENV_H
#define ALE_SUB_ENV_H

#include "../policy/policy.h"
#include "preprocess/gray.h"
#include "preprocess/observer.h"
#include "starts.h"

/* What is asked of a sub-environment next. */
typedef enum sub_env_order {
    SUB_ENV_STEP, /* play the actions, or reset if that is due */
    SUB_ENV_RESET,
    SUB_ENV_IDLE, /* report where it stands, with rewards and flags 0 */
    SUB_ENV_REPEAT, /* report the latest result again */
    SUB_ENV_COPY, /* go on as a copy of `source`, without a result */
    SUB_ENV_CHOOSE /* let policies choose actions, by their numbers in the action set, without a result */
} sub_env_order;

/* Counters as an observation comes with them. */
typedef struct sub_env_counts {
    int32_t lives[ALE_MAX_PLAYERS];
    int32_t frame_number, episode_frame_number;
} sub_env_counts;

typedef struct sub_env_result {
    int32_t rewards[ALE_MAX_PLAYERS]; /* unclipped */
    int32_t returns[ALE_MAX_PLAYERS];
    int32_t length;
    uint8_t terminated[ALE_MAX_PLAYERS];
    uint8_t truncated;
    uint8_t ended;     /* the episode, with this step */
    uint8_t has_final; /* `final` and the sub-environment's final observation are of this step; else it is 0 */
    uint8_t reserved;
    sub_env_counts counts, final;
} sub_env_result;

/* Flat, saved by copying. */
typedef struct sub_env_state {
    mt19937 random;                           /* of the NOOPs at the start */
    int32_t elapsed;                          /* frames of actions since the reset */
    int32_t mode, difficulty;                 /* from the next reset on */
    int32_t returns[ALE_MAX_PLAYERS], length; /* of the episode so far */
    uint32_t newest;                          /* place of the latest frame in the stack */
    uint8_t over;                             /* the episode is, and was not reset yet */
    uint8_t out[ALE_MAX_PLAYERS];             /* players for whom the game is over */
    uint8_t reserved[3];
    sub_env_result result;
} sub_env_state;

typedef struct sub_env sub_env;
struct sub_env {
    sub_env_state s;
    const ale_vector_options *options; /* complete and checked */
    ale_env *env;
    const observer *observer;
    const resizer *resize; /* NULL: no picture is observed */
    pixels *picture;       /* the latest one observed, as it was before it was resized, unless `gray` keeps its
                              frames; or NULL */
    gray_source gray;
    starts *starts;        /* of its ROM; NULL: each seed has its own */
    bool as_made;          /* nothing was played yet */
    size_t frame_size;
    uint8_t *stack;                  /* stack_num frames */
    uint8_t *final_stack;            /* ALE_SAME_STEP: the last observation of the episode; else NULL */
    arena *arena;                    /* where these lie */
    uint8_t codes[ALE_ACTION_COUNT]; /* the action set */
    int32_t action_count;
    /* What to do, and how that went. */
    sub_env_order order;
    int64_t seed;                     /* SUB_ENV_RESET: negative: none */
    const sub_env *source;            /* SUB_ENV_COPY */
    int32_t actions[ALE_MAX_PLAYERS]; /* codes */
    float strengths[ALE_MAX_PLAYERS];
    policy_seat seats[ALE_MAX_PLAYERS]; /* of policies */
    bool blind;                       /* nobody will see what is observed of steps: nothing is */
    uint32_t stretch;                 /* of those played (vector_play.c), the present one */
    ale_status status;
    char problem[256];
};

/* Bytes that are observed of a sub-environment, by all players together. */
size_t sub_env_observation_size(const sub_env *e);
/* Whether there are sides in a mode, if options want pictures mirrored. */
ale_status sub_env_check_sides(const sub_env *e, int32_t mode);
/* Whether there is such a mode for as many players as there are. */
bool sub_env_has_mode(const sub_env *e, int32_t mode);
/* Whether a player's action is one of the set, or does not matter. */
bool sub_env_accepts(const sub_env *e, uint32_t player, int32_t index);
/* A player's action by its number in the action set, as the console is to have it. */
int32_t sub_env_action(const sub_env *e, uint32_t player, int32_t index);
/* Memory that a thread needs to work on a sub-environment. */
size_t sub_env_scratch(const sub_env *e);

/* A sub-environment that is all 0 becomes one, with memory of an arena; like another one of the same ROM, or NULL.
 * Where that fails it is to be freed all the same. */
ale_status sub_env_init(sub_env *e, ale_rom *rom, const ale_vector_options *options, uint32_t seed, arena *a,
                        const sub_env *like);
void sub_env_free(sub_env *e);
/* Let a policy choose a player's actions from now on; NULL: none does. */
ale_status sub_env_seat(sub_env *e, uint32_t player, ale_policy *policy, uint32_t random);
/* Policies are as before their first action. */
void sub_env_let_policies_begin(sub_env *e);
bool sub_env_has_policies(const sub_env *e);
void sub_env_work(sub_env *e, void *scratch);
/* Keep a failure, unless there was one before. */
void sub_env_note(sub_env *e, ale_status status);
/* Make the picture of the frames that are kept; `memory` as gray.h has it. */
void sub_env_recall_picture(const sub_env *e, uint8_t *memory);
/* Write the stack as it is observed; `final`: as it was before a reset in the same step. */
void sub_env_deliver_observation(const sub_env *e, bool final, uint8_t *to);
/* Write what came of a step, rewards and terminations of each player. */
void sub_env_deliver_outcome(const sub_env *e, int32_t *rewards, uint8_t *terminations, uint8_t *truncation);
/* Write the result to a row of a batch. */
void sub_env_deliver(const sub_env *e, const ale_batch *batch, size_t row);

/* sub_env_state.c */
extern const invariant sub_env_invariants[]; /* without those of `random` */
/* Go on as a copy of a sub-environment of the same ROM and options, whose console is flushed. */
void sub_env_copy(sub_env *e, const sub_env *source);
/* The sub-environment's environment is saved in `state` on the way. */
ale_status sub_env_save(const sub_env *e, ale_state *state, uint8_t *to, size_t capacity, size_t *size);
/* Whether bytes were saved of a sub-environment like this: *size is how many these are.  Nothing changes. */
ale_status sub_env_check(const sub_env *e, ale_state *state, const uint8_t *from, size_t available, size_t *size);
/* Whether two that sub_env_check found to be good have the same future, with states to work in. */
ale_status sub_env_compare(ale_state *s, ale_state *t, const uint8_t *a, const uint8_t *b, bool *equal);
/* Continue from bytes that sub_env_check found to be good, with the same `state`: then this cannot fail. */
ale_status sub_env_restore(sub_env *e, ale_state *state, const uint8_t *from);
/* The same without what was observed.  Restoring checks first: on failure nothing changed. */
ale_status sub_env_save_alone(const sub_env *e, ale_state *state, uint8_t *to, size_t capacity, size_t *size);
ale_status sub_env_restore_alone(sub_env *e, ale_state *state, const uint8_t *from, size_t available);

#endif
