/* A sub-environment: one environment of a vector, with its preprocessing (frame skip, pooling, resizing, stacking,
 * initial NOOPs) and automatic resets.
 *
 * One thread at a time uses a sub-environment: a worker during its steps, the caller between them. */
#ifndef ALE_SUB_ENV_H
#define ALE_SUB_ENV_H

#include "../policy/policy.h"
#include "preprocess/preprocessor.h"
#include "reset_cache.h"
#include "../environment/starts.h"

/* What a sub-environment does next. */
typedef enum sub_env_order {
    SUB_ENV_STEP, /* play the actions, or reset if that is due */
    SUB_ENV_RESET,
    SUB_ENV_IDLE, /* report where it stands, with rewards and flags 0 */
    SUB_ENV_REPEAT, /* report the latest result again */
    SUB_ENV_COPY, /* go on as a copy of `source`, without a result */
    SUB_ENV_CHOOSE /* let policies choose actions, by their numbers in the action set, without a result */
} sub_env_order;

/* Counters that accompany an observation. */
typedef struct sub_env_counts {
    int32_t lives[ALE_MAX_PLAYERS];
    int32_t frame_number, episode_frame_number;
} sub_env_counts;

typedef struct sub_env_result {
    int32_t rewards[ALE_MAX_PLAYERS]; /* unclipped */
    int64_t returns[ALE_MAX_PLAYERS];
    int32_t length;
    uint8_t terminated[ALE_MAX_PLAYERS];
    uint8_t truncated;
    uint8_t ended;     /* this step ended the episode */
    uint8_t has_final; /* `final` and the final observation are of this step; otherwise `final` is 0 */
    uint8_t label;     /* that ended it, as in environment_state.ended */
    uint8_t reserved[4];
    sub_env_counts counts, final;
} sub_env_result;

/* Plain data without pointers, saved by copying. */
typedef struct sub_env_state {
    mt19937 random;                           /* draws the number of initial NOOPs */
    int32_t elapsed;                          /* frames of actions since the reset */
    int32_t mode, difficulty;                 /* from the next reset on */
    int64_t returns[ALE_MAX_PLAYERS];         /* of the episode so far */
    int32_t length;                           /* likewise */
    int32_t start;                            /* number of its start; -1: it has none */
    uint8_t over;                             /* the episode is over and was not reset yet */
    uint8_t out[ALE_MAX_PLAYERS];             /* players for whom the game is over */
    uint8_t reserved[3];
    sub_env_result result;
} sub_env_state;

/* Where the next episode begins. */
typedef struct beginning {
    const ale_starts *starts; /* NULL: at a reset */
    int32_t index;            /* of the start; negative: it is drawn */
    bool exact;               /* restore the state as it is, with its generator and its frame numbers */
} beginning;

typedef struct sub_env sub_env;
struct sub_env {
    sub_env_state s;
    const ale_vector_options *options; /* complete and checked */
    ale_env *env;
    preprocessor preprocess;
    reset_cache *cache;    /* recorded starts of its ROM; NULL: seeds lead to different starts */
    bool as_made;          /* nothing has been played yet */
    size_t frame_size;
    uint8_t *stack;                  /* stack_num frames: own_stack, or the row of observations that has them */
    uint8_t *own_stack;
    uint32_t newest;                 /* place of the latest frame in the stack; the last in a row of observations */
    uint8_t *row;                    /* where the next observation goes, if it shares frames; else NULL */
    uint8_t *final_stack;            /* ALE_SAME_STEP: the last observation of the episode; else NULL */
    arena *arena;                    /* owns these buffers */
    uint8_t codes[ALE_ACTION_COUNT]; /* the action set */
    int32_t action_count;
    /* What to do, and how that went. */
    sub_env_order order;              /* SUB_ENV_STEP, unless another is about to be worked on */
    int64_t seed;                     /* for SUB_ENV_RESET; negative: none */
    beginning next, usual;            /* of the next episode, and of those after it */
    const sub_env *source;            /* for SUB_ENV_COPY */
    int32_t actions[ALE_MAX_PLAYERS]; /* codes */
    float strengths[ALE_MAX_PLAYERS];
    policy_seat seats[ALE_MAX_PLAYERS]; /* policies that play for players */
    bool blind;                       /* skip observations, because no caller will see them */
    uint32_t stretch;                 /* index of the stretch that is being played (vector_play.c) */
    ale_status status;
    char problem[256];
};

/* Return the size of the observations of all players together. */
size_t sub_env_observation_size(const sub_env *e);
/* Refuse a mode that has no sides if options.mirror asks for mirrored pictures. */
ale_status sub_env_check_sides(const sub_env *e, int32_t mode);
/* Refuse a mode that is not one for as many players, has no such sides, or a difficulty that the game does not have and
 * that is not the present one. */
ale_status sub_env_check_mode(const sub_env *e, int32_t mode, int32_t difficulty);
/* Return whether the mode exists for this number of players. */
bool sub_env_has_mode(const sub_env *e, int32_t mode);
/* Return whether an action index is valid; any is for a player who is out. */
bool sub_env_accepts(const sub_env *e, uint32_t player, int32_t index);
/* Return the console's action for an index in the action set, turned if the player sees a mirrored picture of a turned
 * game. */
int32_t sub_env_action(const sub_env *e, uint32_t player, int32_t index);

/* Initialise a sub-environment that is all 0, with memory of an arena.  `like`: an earlier one of the same ROM to share
 * with, or NULL.  Call sub_env_free even after a failure. */
ale_status sub_env_init(sub_env *e, ale_rom *rom, const ale_vector_options *options, uint32_t seed, arena *a,
                        const sub_env *like);
void sub_env_free(sub_env *e);
/* Let a policy choose a player's actions from now on; NULL removes it. */
ale_status sub_env_seat(sub_env *e, uint32_t player, ale_policy *policy, uint32_t random);
/* Seed the random generators. */
void sub_env_seed(sub_env *e, uint32_t seed);
/* Forget what policies remember of the episode. */
void sub_env_let_policies_begin(sub_env *e);
bool sub_env_has_policies(const sub_env *e);
/* Choose a player's action by its policy, or at random if it has none; an index into the action set. */
int32_t sub_env_choose(sub_env *e, uint32_t player);
void sub_env_work(sub_env *e, void *scratch);
/* Keep a failure and its message, unless there was an earlier one. */
void sub_env_note(sub_env *e, ale_status status);
/* Write the observation.  `final`: the one before a reset in the same step, if there was one. */
void sub_env_deliver_observation(const sub_env *e, bool final, uint8_t *to);
/* Write the rewards and terminations of each player, and the truncation. */
void sub_env_deliver_outcome(const sub_env *e, int32_t *rewards, uint8_t *terminations, uint8_t *truncation);
/* Write the frames of the stack without the `dropped` oldest ones, oldest first. */
void sub_env_copy_stack(const sub_env *e, uint32_t dropped, uint8_t *to);
/* Move the stack to the sub-environment's own memory. */
void sub_env_keep_stack(sub_env *e);
/* Write the result to a row of a batch. */
void sub_env_deliver(sub_env *e, const ale_batch *batch, size_t row);

/* sub_env_state.c */
extern const invariant sub_env_invariants[]; /* without those of `random` */
/* Become a copy of a sub-environment of the same ROM and options, whose console is flushed. */
void sub_env_copy(sub_env *e, const sub_env *source);
/* Save to bytes; `state` is scratch memory for the environment's state. */
ale_status sub_env_save(const sub_env *e, ale_state *state, uint8_t *to, size_t capacity, size_t *size);
/* Check that bytes were saved from a sub-environment of this kind, and set *size to their number.  Changes nothing. */
ale_status sub_env_check(const sub_env *e, ale_state *state, const uint8_t *from, size_t available, size_t *size);
/* Compare two saves that passed sub_env_check: equal ones have the same future. s and t are scratch memory. */
ale_status sub_env_compare(ale_state *s, ale_state *t, const uint8_t *a, const uint8_t *b, bool *equal);
/* Restore bytes that passed sub_env_check with the same `state`, so that this cannot fail. */
ale_status sub_env_restore(sub_env *e, ale_state *state, const uint8_t *from);
/* The same without observations.  Restoring checks first, so a failure changes nothing. */
ale_status sub_env_save_alone(const sub_env *e, ale_state *state, uint8_t *to, size_t capacity, size_t *size);
ale_status sub_env_restore_alone(sub_env *e, ale_state *state, const uint8_t *from, size_t available);

#endif
