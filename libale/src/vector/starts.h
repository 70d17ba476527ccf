/* Starts: the results of seeded resets, played once and then copied.
 *
 * Under ALE_SOLO a seed affects only the sticky actions.  So environments of a ROM that are new, or that were reset
 * with seeds into the same mode and difficulty, differ only in that generator, unless a mode selection draws from it.
 * Seeding a new environment again does not change where it is, so its first reset leads to the same start.
 *
 * Starts are only added, each as a whole, so any number of threads may read and extend the list at once. */
#ifndef ALE_STARTS_H
#define ALE_STARTS_H

#include "../environment/environment.h"

typedef struct starts starts;

/* Create the list of starts for the ROM and options of a new environment.  NULL: out of memory. */
starts *starts_create(const ale_env *made, starts *next);
/* Return the `next` that was given to starts_create. */
starts *starts_destroy(starts *s);
/* Begin an episode in a mode and difficulty.  A negative seed keeps that of a new environment.  False: this start must
 * be played first, and nothing changed. */
bool starts_recall(starts *s, ale_env *env, int32_t mode, int32_t difficulty, int64_t seed);
/* Keep the start of an environment after such a reset.  `frames`: frames that the reset played, without those that
 * seeding plays before it.  Keeps nothing if a random number was drawn, or if memory is short. */
void starts_note(starts *s, ale_env *env, uint32_t frames);

#endif
