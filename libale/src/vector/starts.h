/* Starts: where seeded resets lead, played once and then copied.
 *
 * Under ALE_SOLO a seed is that of the sticky actions alone.  Environments of a ROM that were just made, or reset with
 * seeds into the same mode and difficulty, differ only in that generator, unless a mode selection draws from it.  One
 * that was just made stands where seeding it again would put it, so its first reset leads to the same moment.
 *
 * The list only grows, by whole starts, so any number of threads may read and extend it at once. */
#ifndef ALE_STARTS_H
#define ALE_STARTS_H

#include "../environment/environment.h"

typedef struct starts starts;

/* Starts of the ROM and options of an environment that was just made.  NULL: out of memory. */
starts *starts_create(const ale_env *made, starts *next);
/* The one that was given as `next`. */
starts *starts_destroy(starts *s);
/* Let an environment begin an episode in a mode and difficulty.  A negative seed keeps that of an environment that was
 * just made.  False, nothing changed: this start must be played. */
bool starts_recall(starts *s, ale_env *env, int32_t mode, int32_t difficulty, int64_t seed);
/* Keep where an environment stands, which was just reset so.  That reset played `frames`, without those that a seed
 * plays before it.  Nothing is kept where a generator was drawn from, or without memory. */
void starts_note(starts *s, ale_env *env, uint32_t frames);

#endif
