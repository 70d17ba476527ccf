/* Which of two ways is faster is found out by trials, whatever comes between. */
#include "check.h"
#include "vector/choice.h"

/* Steps of which the ways take so long; each eighth is disturbed.  How many of them went way 1. */
static int run(way_choice *c, int steps, int64_t first, int64_t second) {
    int found = 0;
    for (int i = 0; i < steps; i++) {
        const unsigned way = choice_way(c);
        found += (int)way;
        choice_note(c, (way ? second : first) + (i % 8 == 7 ? 10000000 : 0));
    }
    return found;
}

int main(void) {
    way_choice c = {0};
    CHECK_EQUAL(run(&c, CHOICE_FIRST, 2000, 1000), 0); /* not tried yet */
    CHECK_EQUAL(run(&c, CHOICE_TRIAL, 1000, 2000), CHOICE_TRIAL / 2);
    CHECK_EQUAL(choice_found(&c), 0);
    CHECK_EQUAL(run(&c, CHOICE_FIRST - CHOICE_TRIAL, 1000, 2000), 0);
    /* The game changes: trials show it, and later that it changed back. */
    (void)run(&c, 20 * CHOICE_LAST, 2000, 1000);
    CHECK_EQUAL(choice_found(&c), 1);
    while (c.step) choice_note(&c, 1000);
    CHECK_EQUAL(run(&c, CHOICE_LAST, 2000, 1000), CHOICE_LAST - CHOICE_TRIAL / 2);
    (void)run(&c, 20 * CHOICE_LAST, 1000, 2000);
    CHECK_EQUAL(choice_found(&c), 0);
    /* Ways that are alike, or take for ever, change nothing. */
    (void)run(&c, 20 * CHOICE_LAST, 1000, 980);
    CHECK_EQUAL(choice_found(&c), 0);
    (void)run(&c, 20 * CHOICE_LAST, INT64_MAX / 2, INT64_MAX / 2);
    CHECK_EQUAL(choice_found(&c), 0);
    /* Trials become rare, and stay. */
    while (c.step) choice_note(&c, 1000);
    CHECK_EQUAL(run(&c, CHOICE_LAST, 1000, 2000), CHOICE_TRIAL / 2);
    CHECK_EQUAL(c.step, 0);
    return check_failures;
}
