/* Memory of one batch of a vector.  Who includes this says before for how many environments, as ENVS, and defines
 *
 *     RESULT_BYTES         that an environment's observations take up
 *     RESULT_PLAYERS       of an environment; 1, if it is not said
 *     RESULTS_ARE_FULL     with RAM, and what was observed at the end of episodes (full_batch_of) */
#ifndef ALE_TEST_RESULTS_H
#define ALE_TEST_RESULTS_H

#include <ale/ale.h>
#include <stdlib.h>

#include "small.h"

#ifndef RESULT_PLAYERS
#define RESULT_PLAYERS 1
#endif

typedef struct results {
    uint8_t observations[ENVS][RESULT_BYTES];
    uint8_t terminations[RESULT_PLAYERS * ENVS], truncations[RESULT_PLAYERS * ENVS];
    int32_t rewards[RESULT_PLAYERS * ENVS], lives[RESULT_PLAYERS * ENVS];
    int32_t env_ids[ENVS], frames[ENVS], episode_frames[ENVS];
#ifdef RESULTS_ARE_FULL
    uint8_t final_observations[ENVS][RESULT_BYTES], ram[ENVS][ALE_RAM_SIZE];
#endif
} results;

/* The initialiser of a batch in the memory of some results. */
#define BATCH_IN(r) \
    { \
        .struct_size = sizeof(ale_batch), .observations = (r).observations[0], .rewards = (r).rewards, \
        .terminations = (r).terminations, .truncations = (r).truncations, .env_ids = (r).env_ids, .lives = (r).lives, \
        .frame_numbers = (r).frames, .episode_frame_numbers = (r).episode_frames, \
    }

static inline ale_batch batch_of(results *r) { return (ale_batch)BATCH_IN(*r); }

#ifdef RESULTS_ARE_FULL
static inline ale_batch full_batch_of(results *r) {
    ale_batch batch = batch_of(r);
    batch.ram = r->ram[0];
    batch.final_observations = r->final_observations[0];
    return batch;
}
#endif

/* A vector of ENVS environments of one ROM. */
static inline ale_vector *vector_of(ale_rom *rom, const ale_vector_options *options) {
    ale_rom *roms[ENVS];
    for (int i = 0; i < ENVS; i++) roms[i] = rom;
    return vector_from(roms, NULL, ENVS, options);
}

/* A vector as bytes, which the caller frees. */
static inline uint8_t *save_vector(ale_vector *vector, size_t *size) {
    CHECK_EQUAL(ale_vector_save(vector, NULL, 0, size), ALE_OK);
    uint8_t *bytes = malloc(*size);
    if (!bytes) exit(1);
    CHECK_EQUAL(ale_vector_save(vector, bytes, *size, size), ALE_OK);
    return bytes;
}

#endif
