/* The fast core: running decoded instructions. */
#include "../console.h"
#include "decode.h"
#include "handlers.h"
#include "../video/picture.h"

enum {
    TIME_MASK = (1 << COST_SHIFT) - 1,
    LONGEST_RUN = 1 << 20, /* times above are the plain core's */
    LONGEST_WAIT = 2000,   /* turns of a loop done at once */
    BUDGET_MARGIN = 10000  /* above what can be done between two looks at the budget */
};

/* Turns that a loop polling INTIM surely makes before the value it waits for can show: none of its reads has
 * a side effect, for the timer has not expired.  As an increment of the core's tick. */
static uint64_t timer_turns(const console *machine, uint32_t time, unsigned how) {
    const riot_state *riot = &machine->s.riot;
    uint32_t value = riot->value, passed = (time - 1 - riot->set_at) >> riot->shift;
    if (passed >= value) return 0;
    uint32_t shown = value - passed - 1, wanted; /* intervals passed when the loop ends */
    switch (how >> 2 & 3) {
        case 0: wanted = value - 1; break;                        /* until it is 0 */
        case 1: wanted = shown < 0x80 ? value : passed; break;    /* until it is negative */
        default: wanted = value > 0x80 ? value - 0x80 : 0; break; /* until it is positive */
    }
    if (passed >= wanted) return 0;
    uint32_t turn = how & 16 ? 8 : 7;
    uint32_t missing = (wanted << riot->shift) - (time - 1 - riot->set_at);
    uint32_t turns = (missing + turn - 1) / turn;
    if (turns > LONGEST_WAIT) turns = LONGEST_WAIT;
    return turns * (((uint64_t)2 << COST_SHIFT) + turn);
}

#define CPU_HANDLER_LABEL(name) &&name,

#pragma GCC diagnostic ignored "-Wpedantic" /* labels as values */

#define RUN_NAME run_flat
#include "threaded.inc"
#undef RUN_NAME

#undef MAP
#undef ROM_AT
#undef DATA_AT
#define SLICED
#define RUN_NAME run_sliced
#include "threaded.inc"

uint32_t cpu_code_run(console *machine, uint32_t instructions) {
    if (instructions <= BUDGET_MARGIN || machine->s.cpu.time >= LONGEST_RUN) return 0;
    return machine->rom->code->sliced ? run_sliced(machine, instructions) : run_flat(machine, instructions);
}
