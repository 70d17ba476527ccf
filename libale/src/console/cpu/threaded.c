/* The threaded core: decoded instructions, one handler after the other. */
#include "../cartridge/cartridge.h"
#include "../riot.h"
#include "../video/tia.h"
#include "cpu.h"
#include "decode.h"
#include "engine.h"
#include "handlers.h"

enum {
    TIME_MASK = (1 << COST_SHIFT) - 1,
    LONGEST_RUN = 1 << 20, /* times above are the plain core's */
    LONGEST_WAIT = 2000    /* turns of a loop that translated code does at once */
};

uint32_t cpu_timer_turns(const console *machine, uint32_t time, unsigned how) {
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
    uint32_t turn = cpu_timer_turn(how);
    uint32_t missing = (wanted << riot->shift) - (time - 1 - riot->set_at);
    uint32_t turns = (missing + turn - 1) / turn;
    return turns < LONGEST_WAIT ? turns : LONGEST_WAIT;
}

/* The same as an increment of the core's tick. */
static uint64_t timer_wait(const console *machine, uint32_t time, unsigned how) {
    const uint32_t turns = cpu_timer_turns(machine, time, how);
    return (turns < SHORT_WAIT ? turns : SHORT_WAIT) * (((uint64_t)2 << COST_SHIFT) + cpu_timer_turn(how));
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

static void *threaded_prepare(const rom_image *rom) { return cpu_code_create(rom); }

static uint32_t threaded_run(console *machine, void *prepared, uint32_t budget) {
    const cpu_code *code = prepared;
    if (budget <= code->overrun || machine->s.cpu.time >= LONGEST_RUN) return 0;
    return code->sliced ? run_sliced(machine, code, budget) : run_flat(machine, code, budget);
}

static void threaded_release(void *prepared) { cpu_code_destroy(prepared); }

const cpu_engine threaded_core = {threaded_prepare, threaded_run, threaded_release};
