/* Which of two ways is the faster one. */
#include "choice.h"

enum { HALF = CHOICE_TRIAL / 2 };

static bool is_trial(const way_choice *c) { return c->rounds > 0 && c->step < CHOICE_TRIAL; }

unsigned choice_way(way_choice *c) { return choice_found(c) ^ (is_trial(c) && c->step >= HALF); }

bool choice_is_timed(const way_choice *c) { return is_trial(c) && c->step % HALF >= CHOICE_IDLE; }

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
    const uint32_t round = CHOICE_FIRST << (c->rounds > 1 ? c->rounds - 1 : 0);
    if (c->step == CHOICE_TRIAL && c->rounds) {
        const unsigned found = choice_found(c);
        for (unsigned way = 0; way < 2; way++) {
            const uint64_t now = cost(c->took[way]);
            c->usual[way] = c->usual[way] ? (3 * c->usual[way] + now) / 4 : now;
        }
        /* A change has its own cost, and two ways may be alike. */
        if (c->usual[!found] < c->usual[found] * 15 / 16)
            atomic_store_explicit(&c->found, !found, memory_order_relaxed);
    }
    if (c->step < round) return;
    c->step = 0;
    c->rounds += round < CHOICE_LAST;
}
