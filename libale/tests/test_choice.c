/* Which of two ways is faster is found out by trials, whatever comes between. */
#include "check.h"
#include "support/choice.h"

/* Steps of which the ways take so long, of some who try; one of eight is disturbed.  How many steps went way 1. */
static int run_all(way_choice *c, int triers, int steps, int64_t first, int64_t second) {
    int by_second = 0;
    for (int i = 0; i < steps; i++) {
        const unsigned way = choice_way(c);
        const bool timed = choice_is_timed(c);
        by_second += (int)way;
        for (int t = 0; t < triers && timed; t++)
            choice_note(c, way, (way ? second : first) + ((i + t) % 8 == 7 ? 10000000 : 0));
        choice_go_on(c);
    }
    return by_second;
}

static int run(way_choice *c, int steps, int64_t first, int64_t second) { return run_all(c, 1, steps, first, second); }

static void finish_round(way_choice *c) {
    while (c->step) choice_go_on(c);
}

/* A step that changes to another way is not timed; the others are, by the frame. */
static void times_are_of_frames(void) {
    way_choice c = {0};
    way_user user = {0};
    atomic_store(&c.timed, true);
    atomic_store(&c.now, 1);
    CHECK_EQUAL(choice_begin_step(&c, &user, false), 0); /* the faster way */
    choice_end_step(&c, &user, 1);
    CHECK_EQUAL(choice_begin_step(&c, &user, true), 1);
    choice_end_step(&c, &user, 1);
    CHECK_EQUAL(c.count[0] + c.count[1], 0);
    CHECK_EQUAL(choice_begin_step(&c, &user, true), 1);
    user.begun -= 4000000000;
    choice_end_step(&c, &user, 4);
    CHECK_EQUAL(c.count[1], 1);
    CHECK(c.took[1][0] >= 1000000000 && c.took[1][0] < 2000000000);
}

int main(void) {
    way_choice c = {0};
    CHECK_EQUAL(run(&c, CHOICE_FIRST, 2000, 1000), 0); /* not tried yet */
    CHECK_EQUAL(run(&c, CHOICE_TRIAL, 1000, 2000), CHOICE_TRIAL / 2);
    CHECK_EQUAL(choice_faster(&c), 0);
    CHECK_EQUAL(run_all(&c, CHOICE_TRIERS + 1, CHOICE_TRIAL, 1000, 2000), CHOICE_TRIAL / 2); /* one too many */
    CHECK_EQUAL(choice_faster(&c), 0);
    RUN(finish_round(&c));
    /* The game changes: trials show it, and later that it changed back. */
    (void)run_all(&c, CHOICE_TRIERS, 20 * CHOICE_LAST, 2000, 1000);
    CHECK_EQUAL(choice_faster(&c), 1);
    RUN(finish_round(&c));
    CHECK_EQUAL(run(&c, CHOICE_LAST, 2000, 1000), CHOICE_LAST - CHOICE_TRIAL / 2);
    (void)run(&c, 20 * CHOICE_LAST, 1000, 2000);
    CHECK_EQUAL(choice_faster(&c), 0);
    /* Ways that are alike, take for ever or were not timed change nothing. */
    (void)run(&c, 20 * CHOICE_LAST, 1000, 980);
    CHECK_EQUAL(choice_faster(&c), 0);
    (void)run(&c, 20 * CHOICE_LAST, INT64_MAX / 2, INT64_MAX / 2);
    CHECK_EQUAL(choice_faster(&c), 0);
    (void)run_all(&c, 0, 20 * CHOICE_LAST, 2000, 1000);
    CHECK_EQUAL(choice_faster(&c), 0);
    /* A processor that becomes slower all the time misleads nobody. */
    for (int64_t i = 1000; i < 100 * CHOICE_LAST; i++) (void)run(&c, 1, 110 * i, 100 * i);
    CHECK_EQUAL(choice_faster(&c), 1);
    for (int64_t i = 1000; i < 100 * CHOICE_LAST; i++) (void)run(&c, 1, 100 * i, 110 * i);
    CHECK_EQUAL(choice_faster(&c), 0);
    /* Steps that are acts: a small gain counts, and trials become rarer. */
    way_choice acts = {.of_acts = true};
    (void)run(&acts, 20 * CHOICE_LAST, 1000, 980);
    CHECK_EQUAL(choice_faster(&acts), 1);
    (void)run(&acts, 4 * CHOICE_LAST_OF_ACTS, 1000, 990);
    RUN(finish_round(&acts));
    CHECK_EQUAL(run(&acts, CHOICE_LAST_OF_ACTS, 1000, 990), CHOICE_LAST_OF_ACTS - CHOICE_TRIAL / 2);
    CHECK_EQUAL(acts.step, 0);
    RUN(times_are_of_frames());
    /* Trials become rare, and stay. */
    RUN(finish_round(&c));
    CHECK_EQUAL(run(&c, CHOICE_LAST, 1000, 2000), CHOICE_TRIAL / 2);
    CHECK_EQUAL(c.step, 0);
    return check_failures;
}
