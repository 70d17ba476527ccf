/* A start is kept as a copy of the environment after its reset.  Threads add starts to the list by compare-and-swap. */
#include "reset_cache.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "../environment/state.h"

typedef struct start {
    struct start *next;
    uint32_t frames; /* of the reset in its mode */
    ale_state state; /* without the generator of the sticky actions */
} start;

struct reset_cache {
    reset_cache *next;
    uint32_t frames; /* from power-on to where the environment was made */
    _Atomic(start *) latest;
};

reset_cache *reset_cache_create(const ale_env *made, reset_cache *next) {
    reset_cache *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->next = next;
    s->frames = made->frames;
    return s;
}

static void destroy(start *one) {
    free(one->state.bytes);
    free(one);
}

reset_cache *reset_cache_destroy(reset_cache *s) {
    reset_cache *next = s->next;
    for (start *one = atomic_load(&s->latest), *older; one; one = older) {
        older = one->next;
        destroy(one);
    }
    free(s);
    return next;
}

static const start *find(reset_cache *s, int32_t mode, int32_t difficulty) {
    for (const start *one = atomic_load(&s->latest); one; one = one->next) {
        const environment_state *there = &state_head(&one->state)->s;
        if (there->mode == mode && there->difficulty == difficulty) return one;
    }
    return NULL;
}

bool reset_cache_recall(reset_cache *s, ale_env *env, int32_t mode, int32_t difficulty, int64_t seed) {
    const start *one = find(s, mode, difficulty);
    if (!one || environment_check(env, &one->state) != ALE_OK) return false;
    if (!environment_skip_frames(env, seed < 0 ? one->frames : s->frames + one->frames)) return false;
    if (environment_restore(env, &one->state) != ALE_OK) return false;
    environment_seed(env, seed < 0 ? env->options.random_seed : (uint32_t)seed);
    return true;
}

void reset_cache_note(reset_cache *s, ale_env *env, uint32_t frames) {
    if (!environment_starts_alike(env)) return;
    start *one = calloc(1, sizeof *one);
    if (!one) return;
    one->frames = frames;
    if (environment_save(env, false, &one->state) != ALE_OK) {
        destroy(one);
        return;
    }
    one->next = atomic_load(&s->latest);
    while (!atomic_compare_exchange_weak(&s->latest, &one->next, one)) {}
}
