/* The reset cache: results of seeded resets, played once and then copied.
 *
 * Under ALE_SOLO a seed affects only the sticky actions.  So environments of a ROM that are new, or that were reset
 * with seeds into the same mode and difficulty, differ only in that generator, unless a mode selection draws from it.
 * Seeding a new environment again does not change where it is, so its first reset leads to the same start.
 *
 * Starts are only added, each as a whole, so any number of threads may read and extend the list at once. */
#ifndef ALE_RESET_CACHE_H
#define ALE_RESET_CACHE_H

#include "../environment/environment.h"

typedef struct reset_cache reset_cache;

/* Create the list of starts for the ROM and options of a new environment.  NULL: out of memory. */
reset_cache *reset_cache_create(const ale_env *made, reset_cache *next);
/* Return the `next` that was given to reset_cache_create. */
reset_cache *reset_cache_destroy(reset_cache *s);
/* Begin an episode in a mode and difficulty.  A negative seed keeps that of a new environment.  False: this start must
 * be played first, and nothing changed. */
bool reset_cache_recall(reset_cache *s, ale_env *env, int32_t mode, int32_t difficulty, int64_t seed);
/* Keep the start of an environment after such a reset.  `frames`: frames that the reset played, without those that
 * seeding plays before it.  Keeps nothing if a random number was drawn, or if memory is short. */
void reset_cache_note(reset_cache *s, ale_env *env, uint32_t frames);

#endif
