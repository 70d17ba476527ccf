/* Timing of two ways.  Each round but the first begins with a trial, in which the ways alternate, and continues with
 * the faster one.  The faster one changes only if the moving average over the trials exceeds a margin, so that two ways
 * of about equal speed do not take turns. */
#include "choice.h"

#include "os.h"

void choice_note(way_choice *c, unsigned way, int64_t nanoseconds) {
    const unsigned at = atomic_fetch_add_explicit(&c->count[way], 1, memory_order_relaxed);
    const uint32_t took = nanoseconds < UINT32_MAX ? (uint32_t)nanoseconds : UINT32_MAX;
    if (at < CHOICE_SAMPLES) atomic_store_explicit(&c->took[way][at], took, memory_order_relaxed);
}

unsigned choice_begin_step(way_choice *c, way_user *user, bool tries) {
    const unsigned way = tries ? choice_way(c) : choice_faster(c);
    const bool timed = tries && way == user->way && choice_is_timed(c);
    user->way = way;
    user->begun = timed ? os_now() : 0;
    return way;
}

void choice_end_step(way_choice *c, const way_user *user, uint32_t frames) {
    if (user->begun) choice_note(c, user->way, (os_now() - user->begun) / frames);
}

/* Return the mean of the fastest three quarters, or 0 if no time was noted.  The slowest quarter is left out because
 * other programs may have interrupted those steps. */
static double cost(way_choice *c, unsigned way) {
    const unsigned noted = atomic_exchange_explicit(&c->count[way], 0, memory_order_relaxed);
    const unsigned count = noted < CHOICE_SAMPLES ? noted : CHOICE_SAMPLES, quicker = count - count / 4;
    uint32_t sorted[CHOICE_SAMPLES];
    double sum = 0;
    for (unsigned i = 0; i < count; i++) {
        const uint32_t next = atomic_load_explicit(&c->took[way][i], memory_order_relaxed);
        unsigned at = i;
        for (; at > 0 && sorted[at - 1] > next; at--) sorted[at] = sorted[at - 1];
        sorted[at] = next;
    }
    for (unsigned i = 0; i < quicker; i++) sum += sorted[i];
    return quicker ? sum / quicker : 0;
}

/* Evaluate a trial. */
static void choose(way_choice *c) {
    const double margin = c->of_acts ? 63.0 / 64 : 15.0 / 16; /* avoids needless changes between ways of about equal
                                                                 speed */
    const double first = cost(c, 0), second = cost(c, 1);
    if (first <= 0 || second <= 0) return;
    const double now = second / first;
    c->usual = c->usual > 0 ? (3 * c->usual + now) / 4 : now;
    if (choice_faster(c) ? c->usual * margin > 1 : c->usual < margin)
        atomic_store_explicit(&c->faster, !choice_faster(c), memory_order_relaxed);
}

void choice_go_on(way_choice *c) {
    const uint32_t round = (uint32_t)CHOICE_FIRST << (c->rounds ? c->rounds - 1 : 0);
    const uint32_t last = c->of_acts ? CHOICE_LAST_OF_ACTS : CHOICE_LAST;
    if (++c->step == CHOICE_TRIAL && c->rounds) choose(c);
    if (c->step >= round) {
        c->step = 0;
        c->rounds += round < last;
    }
    const bool trial = c->rounds && c->step < CHOICE_TRIAL;
    const unsigned other = trial && c->step / CHOICE_TURN % 2;
    atomic_store_explicit(&c->now, choice_faster(c) ^ other, memory_order_relaxed);
    atomic_store_explicit(&c->timed, trial && c->step % CHOICE_TURN >= CHOICE_IDLE, memory_order_relaxed);
}
