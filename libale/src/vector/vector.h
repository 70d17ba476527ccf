/* Many sub-environments, a pool of threads, and the batches that results go to.  The functions behind ale.h, whose
 * promises they keep; arguments have been checked by api_vector.c, but for those that depend on where the
 * vector stands.
 *
 * A result is `outstanding` from the moment it is asked for until the batch it is in is received.  Batches
 * are numbered as they are posted; number n is batches[n % capacity].  Where batches hold all sub-environments, a
 * sub-environment's row is its own number; else rows are taken as results become ready. */
#ifndef ALE_VECTOR_H
#define ALE_VECTOR_H

#include <stdatomic.h>

#include "sub_env.h"
#include "pool.h"

typedef struct posted_batch {
    ale_batch memory;
    uint32_t *ids;        /* sub-environment of each row */
    atomic_uint written;  /* rows */
    atomic_uint failures; /* among them */
} posted_batch;

struct ale_vector {
    ale_vector_options options; /* complete and checked; num_threads and batch_size are resolved */
    uint32_t count;
    arena *arena; /* where the sub-environments lie, with all that is theirs */
    sub_env *sub_envs;
    resizer **resizers; /* one for each height of a screen, by number of rows */
    starts *starts;     /* of the ROMs whose environments start alike, in a list */
    pool *pool;
    long process;       /* whose threads these are */
    atomic_flag in_use; /* a call is running */

    posted_batch *batches;
    uint32_t capacity;         /* of batches */
    uint64_t posted, received; /* numbers of the next ones */
    _Atomic uint64_t results;  /* that became ready; the next one's row in its batch follows from it */
    uint32_t outstanding;

    uint32_t *in_hand; /* sub-environments of the batch received last, which wait for actions */
    uint32_t *order;   /* sub-environments to publish */
    bool has_in_hand, was_reset;
    atomic_bool stopped;       /* a sub-environment was, by options.frame_limit: all must be reset */

    struct playing *playing; /* stretches that are played, until their end was told; or NULL */
};

ale_status vector_create(ale_rom *const *roms, const uint32_t *seeds, uint32_t count,
                         const ale_vector_options *options, ale_vector **created);
void vector_destroy(ale_vector *v);
ale_status vector_post(ale_vector *v, const ale_batch *batch);
ale_status vector_reset(ale_vector *v, const uint8_t *mask, const int64_t *seeds);
/* Let the first `count` sub-environments of v->order work, without results. */
void vector_run(ale_vector *v, uint32_t count);
ale_status vector_choose(ale_vector *v, int32_t *actions);
ale_status vector_send(ale_vector *v, const int32_t *actions, const float *strengths, bool helped);
ale_status vector_recv(ale_vector *v);
ale_status vector_step(ale_vector *v, const int32_t *actions, const float *strengths, const ale_batch *batch);

/* Whether all sub-environments stand where a reset or step left them. */
bool vector_was_reset(const ale_vector *v);
/* Wait for all sub-environments; as long as options.patience_ms says; discard what is outstanding. */
void vector_finish(ale_vector *v);
ale_status vector_wait(ale_vector *v);
void vector_discard(ale_vector *v);
/* Refuse what surely does not fit into the machine's memory. */
ale_status vector_check_size(const ale_vector_options *options, uint32_t count);
/* Whether there are threads to work on what is published next. */
ale_status vector_ready(ale_vector *v, bool helped);
/* Ask for results of the first `count` sub-environments of v->order.  Does not fail after vector_ready. */
ale_status vector_publish(ale_vector *v, uint32_t count, bool helped);

/* vector_copy.c */
ale_status vector_copy(ale_vector *v, const int32_t *sources, const int32_t *targets, uint32_t count);

/* vector_play.c */
ale_status vector_play(ale_vector *v, const ale_stretches *stretches);
/* A thread plays stretches with a sub-environment until none is left. */
void vector_play_on(ale_vector *v, sub_env *e, void *scratch);
/* Let threads play no step more. */
void vector_stop_playing(ale_vector *v);
void vector_forget_stretches(ale_vector *v);

/* vector_state.c */
typedef struct saved_head { /* of a vector, and of one environment of it, which follows */
    char magic[8];
    uint64_t layout;
    uint64_t size;     /* of everything */
    uint64_t checksum; /* of everything, this field being 0 */
} saved_head;

typedef struct saved_vector { /* then the numbers of those in hand and outstanding, and all */
    saved_head head;
    ale_vector_options options; /* as far as results depend on them */
    uint32_t count;
    uint32_t outstanding;
    uint32_t has_in_hand, was_reset;
} saved_vector;

ale_status vector_save(ale_vector *v, uint8_t *out, size_t capacity, size_t *size);
ale_status vector_restore(ale_vector *v, const uint8_t *bytes, size_t size);
/* Whether both have the same future. */
ale_status vector_compare(const ale_vector *v, const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                          bool *equal);
ale_status vector_save_env(ale_vector *v, uint32_t index, uint8_t *out, size_t capacity, size_t *size);
/* The same of a sub-environment that nobody else uses. */
ale_status vector_restore_sub_env(sub_env *e, const uint8_t *bytes, size_t size);
ale_status vector_restore_env(ale_vector *v, uint32_t index, const uint8_t *bytes, size_t size);

#endif
