/* The third engine: instructions of the ROM translated to machine code of the host.
 *
 * The decoder (decode.h) says what each instruction of an image does; here these become templates of host
 * code, one stretch of instructions after the other, as far as jumps can be followed from an address at
 * which the program arrives.  Code is made when it is first needed, once per image, and shared by all
 * consoles that run it.  Whatever has no template is left to the plain core, one instruction at a time, with
 * every register as it is between two instructions.
 *
 * Where the host is of another kind, or will not map memory that can be executed, there is no translation:
 * the threaded core does the same work. */
#ifndef ALE_TRANSLATE_H
#define ALE_TRANSLATE_H

#include <stdbool.h>
#include <stdint.h>

struct console;

/* What translated code keeps in a console while it runs: nothing of it outlives a frame. */
typedef struct translated_registers {
    uint32_t *log_limit;   /* from here on the log might have too little room up to the next check */
    uint32_t limit;        /* likewise for the time, << 16 */
    uint32_t nz;           /* Z: low byte is 0; N: bit 7 or 8 */
    uint32_t c, v;
} translated_registers;

#endif
