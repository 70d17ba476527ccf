/* The video engine's loops, chosen (NULL: the best ones), and whether vectors use it: results do not depend on these. */
#ifndef ALE_TEST_LOOPS_H
#define ALE_TEST_LOOPS_H

#include <stdlib.h>

#include "console/console.h"
#include "console/video/picture.h"
#include "vector/vector.h"

static inline void use_loops(console *machine, const engine_loops *loops) {
    if (loops) engine_use(machine->picture->engine, loops);
}

static inline void use_loops_in_all(ale_vector *v, const engine_loops *loops) {
    for (uint32_t i = 0; i < v->count; i++) use_loops(v->sub_envs[i].env->console, loops);
}

/* The engine follows an environment's frames, or the row memory does; nothing is tried. */
static inline void use_engine_for_acts(ale_env *env, bool use) {
    free(env->ways);
    env->ways = NULL;
    (void)console_use_engine(env->console, use);
}

/* Gray pictures come in the way that a choice found, which nothing is tried for. */
static inline void use_way_in_all(ale_vector *v, way_choice *way) {
    for (uint32_t i = 0; i < v->count; i++) {
        log_frames *g = &v->sub_envs[i].preprocess.log;
        if (g->part == GRAY_LEADS) arena_release(g->arena, g->ways);
        g->part = GRAY_FOLLOWS;
        g->ways = way;
    }
}

/* A turn with each of those that this processor can run. */
static inline const engine_loops *loops_of_turn(uint32_t turn) {
    int count = 0;
    while (engine_loops_number(count)) count++;
    return engine_loops_number((int)(turn % (uint32_t)count));
}

#endif
