/* A lane: one environment of a vector, with what a learner wants around it - frames skipped, pooled, resized
 * and stacked, episodes that begin with a rest and end by themselves.
 *
 * A lane is used by one thread at a time: by the caller's between its steps, by a worker's during them. */
#ifndef ALE_LANE_H
#define ALE_LANE_H

#include "gray.h"
#include "pixels.h"

/* What is asked of a lane next. */
typedef enum lane_order {
    LANE_STEP, /* play the actions, or reset if that is due */
    LANE_RESET,
    LANE_IDLE,  /* report where it stands, with rewards and flags 0 */
    LANE_REPEAT, /* report the latest result again */
    LANE_COPY    /* go on as a copy of `source`, without a result */
} lane_order;

/* Counters as an observation comes with them. */
typedef struct lane_counts {
    int32_t lives[ALE_MAX_PLAYERS];
    int32_t frame_number, episode_frame_number;
} lane_counts;

typedef struct lane_result {
    int32_t rewards[ALE_MAX_PLAYERS]; /* unclipped */
    int32_t returns[ALE_MAX_PLAYERS];
    int32_t length;
    uint8_t terminated[ALE_MAX_PLAYERS];
    uint8_t truncated;
    uint8_t ended;     /* the episode, with this step */
    uint8_t has_final; /* `final` and the lane's final observation are of this step; else it is 0 */
    uint8_t reserved;
    lane_counts counts, final;
} lane_result;

/* Flat, saved by copying. */
typedef struct lane_state {
    mt19937 random;                           /* of the rest at the start */
    int32_t elapsed;                          /* frames of actions since the reset */
    int32_t mode, difficulty;                 /* from the next reset on */
    int32_t returns[ALE_MAX_PLAYERS], length; /* of the episode so far */
    uint32_t newest;                          /* place of the latest frame in the stack */
    uint8_t over;                             /* the episode is, and was not reset yet */
    uint8_t out[ALE_MAX_PLAYERS];             /* players for whom the game is over */
    uint8_t reserved[3];
    lane_result result;
} lane_state;

typedef struct lane lane;
struct lane {
    lane_state s;
    const ale_vector_options *options; /* complete and checked */
    ale_env *env;
    const observer *observer;
    const resizer *resize; /* NULL: no picture is observed */
    pixels *picture;       /* the latest one observed, as it was before it was resized, unless `gray` keeps its
                              frames; or NULL */
    gray_source gray;
    size_t frame_size;
    uint8_t *stack;                  /* stack_num frames */
    uint8_t *final_stack;            /* ALE_SAME_STEP: the last observation of the episode; else NULL */
    arena *arena;                    /* where these lie */
    uint8_t codes[ALE_ACTION_COUNT]; /* the action set */
    int32_t action_count;
    /* What to do, and how that went. */
    lane_order order;
    int64_t seed;                     /* LANE_RESET: negative: none */
    const lane *source;               /* LANE_COPY */
    int32_t actions[ALE_MAX_PLAYERS]; /* codes */
    float strengths[ALE_MAX_PLAYERS];
    ale_status status;
    char problem[256];
};

/* Bytes that are observed of a lane, by all players together. */
size_t lane_observation_size(const lane *l);
/* Whether there are sides in a mode, if options want pictures mirrored. */
ale_status lane_check_sides(const lane *l, int32_t mode);
/* A player's action by its number in the action set, as the console is to have it. */
int32_t lane_action(const lane *l, uint32_t player, int32_t index);
/* Memory that a thread needs to work on a lane. */
size_t lane_scratch(const lane *l);

/* A lane that is all 0 becomes one, with memory of an arena; like another one of the same ROM, or NULL.  Where that
 * fails it is to be freed all the same. */
ale_status lane_init(lane *l, ale_rom *rom, const ale_vector_options *options, uint32_t seed, arena *a,
                     const lane *like);
void lane_free(lane *l);
void lane_work(lane *l, void *scratch);
/* Make the picture of the frames that are kept; `memory` as gray.h has it. */
void lane_recall_picture(const lane *l, uint8_t *memory);
/* Write the result to a row of a batch. */
void lane_deliver(const lane *l, const ale_batch *batch, size_t row);

/* lane_state.c */
extern const invariant lane_invariants[]; /* without those of `random` */
/* Go on as a copy of a lane of the same ROM and options, whose console is settled. */
void lane_copy(lane *l, const lane *source);
/* The lane's environment is saved in `state` on the way. */
ale_status lane_save(const lane *l, ale_state *state, uint8_t *to, size_t capacity, size_t *size);
/* Whether bytes were saved of a lane like this: *size is how many these are.  Nothing changes. */
ale_status lane_check(const lane *l, ale_state *state, const uint8_t *from, size_t available, size_t *size);
/* Continue from bytes that lane_check found to be good, with the same `state`: then this cannot fail. */
ale_status lane_restore(lane *l, ale_state *state, const uint8_t *from);
/* The same without what was observed.  Restoring checks first: on failure nothing changed. */
ale_status lane_save_alone(const lane *l, ale_state *state, uint8_t *to, size_t capacity, size_t *size);
ale_status lane_restore_alone(lane *l, ale_state *state, const uint8_t *from, size_t available);

#endif
