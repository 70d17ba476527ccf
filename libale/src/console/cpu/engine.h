/* An engine: one way to run the program.
 *
 * There are three.  Each may be entered before any instruction, and all agree on every bit of the machine after it.
 * The plain core runs every instruction of every image; the others run most of them faster, and leave the rest to
 * it. */
#ifndef ALE_CPU_ENGINE_H
#define ALE_CPU_ENGINE_H

#include <stdint.h>

struct console;
struct rom_image;

typedef struct cpu_engine {
    /* What it makes of an image, once for all consoles; NULL: it does not run it, or memory is short. */
    void *(*prepare)(const struct rom_image *rom);
    /* Run until the frame ends, the CPU jams, an instruction comes that is left to the plain core, or a budget of
     * instructions is used up.  Returns how many of these were used, never more than there were. */
    uint32_t (*run)(struct console *machine, void *prepared, uint32_t budget);
    void (*release)(void *prepared); /* NULL is fine */
} cpu_engine;

/* From the plainest to the fastest; what one prepares is there when the next one does. */
enum { PLAIN_CORE, THREADED_CORE, TRANSLATOR, ENGINES };

extern const cpu_engine plain_core;    /* plain.c; it prepares nothing */
extern const cpu_engine threaded_core; /* threaded.c; a cpu_code (handlers.h) */
extern const cpu_engine translator;    /* translator/translate.c; counts no instructions: see there */

#endif
