/* Which of two ways is the faster one. */
#include "choice.h"

enum { HALF = CHOICE_TRIAL / 2 };

unsigned choice_way(way_choice *c) { return choice_found(c) ^ (c->step >= HALF && c->step < CHOICE_TRIAL); }

bool choice_is_timed(const way_choice *c) { return c->step < CHOICE_TRIAL && c->step % HALF >= CHOICE_IDLE; }

/* What the quicker three quarters took: other programs come between the rest. */
static uint64_t cost(uint32_t took[CHOICE_SAMPLES]) {
    uint64_t sum = 0;
    for (int i = 0; i < CHOICE_SAMPLES; i++) {
        const uint32_t next = took[i];
        int at = i;
        for (; at > 0 && took[at - 1] > next; at--) took[at] = took[at - 1];
        took[at] = next;
    }
    for (int i = 0; i < CHOICE_SAMPLES * 3 / 4; i++) sum += took[i];
    return sum;
}

void choice_note(way_choice *c, int64_t nanoseconds) {
    if (choice_is_timed(c))
        c->took[choice_way(c)][c->step % HALF - CHOICE_IDLE] =
            nanoseconds < UINT32_MAX ? (uint32_t)nanoseconds : UINT32_MAX;
    c->step++;
    const uint32_t round = CHOICE_FIRST << c->rounds;
    if (c->step == round) {
        c->step = 0;
        c->rounds += round < CHOICE_LAST;
    }
    if (c->step != CHOICE_TRIAL) return;
    const unsigned found = choice_found(c);
    /* A change has its own cost, and two ways may be alike. */
    if (cost(c->took[!found]) < cost(c->took[found]) * 15 / 16)
        atomic_store_explicit(&c->found, !found, memory_order_relaxed);
}
