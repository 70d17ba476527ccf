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

/* The TIA's registers as the log leaves them, kept to tell which writes change nothing and need no entry. */
typedef struct tia_shadow {
    uint8_t reg[48], old_grp[2], old_enabl; /* as in tia_raster */
    uint8_t in_force;     /* the following and the above hold: this is a frame with translated code */
    uint8_t reflection;   /* a CTRLPF that came late in its line may have yet to take effect */
    uint8_t reserved;
    uint8_t nusiz[2];     /* a NUSIZ of the same value might change something; bit 0: because of a RESP since
                             the last one or HMOVE, bit 1: because missile 0 may wander */
} tia_shadow;

/* What translated code keeps in a console while it runs: nothing of it outlives a frame. */
typedef struct translated_registers {
    tia_shadow shadow;
    uint32_t *logged;      /* where the next access is logged */
    uint32_t *log_full;    /* from here on there might be too little room up to the next check */
    uint32_t limit;        /* likewise for the time, << 16 */
    uint32_t input_from[8]; /* tia_input_from of each, << 16 */
    uint32_t nz;           /* Z: low byte is 0; N: bit 7 or 8 */
    uint32_t c, v;
} translated_registers;

/* A frame begins that will be run by translated code as far as that goes. */
void translation_start_frame(struct console *machine);
/* The log holds a write that translated code did not make itself. */
void translation_note_write(struct console *machine, unsigned reg, uint8_t value);

#endif
