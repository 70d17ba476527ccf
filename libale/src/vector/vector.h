/* Vectors: sub-environments, a pool of threads, and the batches that receive results.  These functions implement ale.h.
 * api_vector.c has checked their arguments, except for what depends on the vector's state.
 *
 * A result is `outstanding` from its request until its batch is received.  Batches are numbered in the order in which
 * they are posted; batch n is batches[n % capacity].  If a batch holds all sub-environments, each has the row of its
 * own number; otherwise rows are taken in the order in which results become ready. */
#ifndef ALE_VECTOR_H
#define ALE_VECTOR_H

#include <stdatomic.h>

#include "sub_env.h"
#include "pool.h"

typedef struct posted_batch {
    ale_batch memory;
    uint32_t *ids;        /* sub-environment of each row */
    atomic_uint written;  /* rows that are written */
    atomic_uint failures; /* how many of these rows failed */
} posted_batch;

struct ale_vector {
    ale_vector_options options; /* complete and checked; num_threads and batch_size are resolved */
    uint32_t count;
    arena *arena; /* owns the sub-environments and their memory */
    sub_env *sub_envs;
    resizer **resizers; /* index: rows of the screen; NULL where no screen has that height */
    ale_starts *starts;  /* where episodes begin, or NULL */
    ale_starts *once;    /* the same of the latest vector_reset_from */
    reset_cache *cache; /* a list, with an entry for each ROM whose environments start alike */
    pool *pool;
    long process;       /* process that created the vector; a forked one lacks the threads */
    atomic_flag in_use; /* a call is running */

    posted_batch *batches;
    uint32_t capacity;         /* of batches */
    uint64_t posted, received; /* numbers of the next batch to post and to receive */
    _Atomic uint64_t results;  /* number of results so far, which determines the next one's batch and row */
    uint32_t outstanding;

    uint32_t *in_hand; /* sub-environments of the batch received last, which need actions */
    uint32_t *order;   /* sub-environments to publish */
    /* Of each sub-environment, in arrays, because the owner's loops would wait for memory that other cores wrote to. */
    bool *waits;       /* its result was received, and no action was sent since */
    uint8_t *choices;  /* its number of actions; 0 while its episode is over */
    int32_t *actions;  /* of each player, as sent */
    float *strengths;  /* likewise */
    uint32_t labelled; /* number of sub-environments before the first without the labels of sub-environment 0 */
    bool has_in_hand, was_reset;
    atomic_bool stopped;       /* options.frame_limit stopped a sub-environment, so all must be reset */

    struct playing *playing; /* stretches or a rollout being played, or whose end was not reported yet; or NULL */
};

ale_status vector_create(ale_rom *const *roms, const uint32_t *seeds, uint32_t count,
                         const ale_vector_options *options, ale_vector **created);
void vector_destroy(ale_vector *v);
ale_status vector_post(ale_vector *v, const ale_batch *batch);
ale_status vector_reset(ale_vector *v, const uint8_t *mask, const int64_t *seeds);
ale_status vector_reset_from(ale_vector *v, const uint8_t *mask, const int64_t *seeds, const int32_t *modes,
                             const int32_t *difficulties, const ale_starts *starts, const int32_t *indices,
                             bool exact);
/* Run the orders of the first `count` sub-environments of v->order, which yield no results, and wait for them. */
void vector_run(ale_vector *v, uint32_t count);
ale_status vector_choose(ale_vector *v, int32_t *actions);
ale_status vector_send(ale_vector *v, const int32_t *actions, const float *strengths, bool helped);
ale_status vector_send_to(ale_vector *v, const uint32_t *ids, uint32_t count, const int32_t *actions,
                          const float *strengths);
ale_status vector_recv(ale_vector *v);
ale_status vector_step(ale_vector *v, const int32_t *actions, const float *strengths, const ale_batch *batch);

/* Return whether all sub-environments were reset, and none was stopped in mid-step since. */
bool vector_was_reset(const ale_vector *v);
/* Wait for all sub-environments: without a limit, for at most options.patience_ms, or discarding outstanding
 * results. */
void vector_finish(ale_vector *v);
ale_status vector_wait(ale_vector *v);
void vector_discard(ale_vector *v);
/* Discard outstanding results and posted batches, and demand a reset. */
void vector_begin_anew(ale_vector *v);
/* Refuse environments that have no labels, or not those of one game. */
ale_status vector_check_labels(const ale_vector *v);
/* Refuse a vector that cannot fit into the machine's memory. */
ale_status vector_check_size(const ale_vector_options *options, uint32_t count);
/* Start the threads that are needed for the next vector_publish. */
ale_status vector_ready(ale_vector *v, bool helped);
/* Note in v->choices whether a sub-environment's episode is over now. */
void vector_note_choices(ale_vector *v, uint32_t id);
/* Request results of the first `count` sub-environments of v->order.  Cannot fail after vector_ready. */
ale_status vector_publish(ale_vector *v, uint32_t count, bool helped);

/* vector_copy.c */
ale_status vector_copy(ale_vector *v, const int32_t *sources, const int32_t *targets, uint32_t count);

/* vector_starts.c */
/* Check the starts of a reset, of which `mask` and `indices` may be NULL. */
ale_status vector_check_starts(const ale_vector *v, const uint8_t *mask, const ale_starts *starts,
                               const int32_t *indices, bool exact);
ale_status vector_set_starts(ale_vector *v, const ale_starts *starts);
ale_status vector_seed(ale_vector *v, const int32_t *environments, const int64_t *seeds, uint32_t count);

/* vector_play.c */
ale_status vector_play(ale_vector *v, const ale_stretches *stretches);
ale_status vector_roll_out(ale_vector *v, const ale_rollout *rollout);
/* Play stretches with a sub-environment until none is left, or its part of a rollout; runs on a worker. */
void vector_play_on(ale_vector *v, sub_env *e, void *scratch);
/* Make the threads stop before their next step. */
void vector_stop_playing(ale_vector *v);
void vector_forget_stretches(ale_vector *v);

/* vector_state.c */
typedef struct saved_head { /* begins the bytes of a vector, and those of one environment */
    char magic[8];
    uint64_t layout;
    uint64_t size;     /* of everything */
    uint64_t checksum; /* of everything, this field being 0 */
} saved_head;

typedef struct saved_vector { /* followed by the numbers of the sub-environments in hand and outstanding, then by all
                                 sub-environments */
    saved_head head;
    ale_vector_options options; /* options that results depend on; the others are 0 */
    uint32_t count;
    uint32_t outstanding;
    uint32_t has_in_hand, was_reset;
} saved_vector;

ale_status vector_save(ale_vector *v, uint8_t *out, size_t capacity, size_t *size);
ale_status vector_restore(ale_vector *v, const uint8_t *bytes, size_t size);
/* Set *equal to whether both saved vectors have the same future. */
ale_status vector_compare(const ale_vector *v, const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                          bool *equal);
ale_status vector_save_env(ale_vector *v, uint32_t index, uint8_t *out, size_t capacity, size_t *size);
/* Restore one sub-environment.  The caller must ensure that no other thread uses it. */
ale_status vector_restore_sub_env(sub_env *e, const uint8_t *bytes, size_t size);
ale_status vector_restore_env(ale_vector *v, uint32_t index, const uint8_t *bytes, size_t size);

#endif
