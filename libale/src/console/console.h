/* The Atari 2600: 6507, TIA, RIOT, cartridge and what is plugged into the jacks, in one struct.
 *
 *     rom_image *rom = console_open_rom(bytes, size, ...);    once for all consoles of an image
 *     console *machine = console_create(rom, options);        power on, find the display format, reset
 *     console_set_controls(machine, &controls);               levels seen from the next frame on
 *     console_run_frame(machine);                             one frame, or 25000 instructions
 *     machine->ram[12];  console_screen(machine);             look
 *
 * Time.  One CPU cycle is three colour clocks; a line has 76 cycles.  All stamps count cycles from the
 * start of line 0 of the running frame, so at a new frame whole lines are subtracted from them (the
 * reference counts from the frame's first instruction, `frame_phase` cycles into line 0).
 *
 * The TIA is not drawn while the CPU runs: its accesses go into a log, and the picture (video/picture.h)
 * makes collisions or pixels of the log when somebody asks for them.
 */
#ifndef ALE_CONSOLE_H
#define ALE_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine.h"
#include "video/engine/engine.h"

typedef struct console_options {
    uint32_t seed;                 /* of the system generator */
    bool cartridge_ram_once;       /* multi-player reference: extra RAM is filled when the cartridge is put
                                      in, before the RIOT's, and never again */
    uint8_t fast_paths;            /* FAST_... */
    bool tells_objects;            /* console_objects will be asked for */
    bool by_engine;                /* console_use_engine, from the first frame on */
    arena *arena;                  /* where it is to lie; NULL: by itself */
    uint32_t log_room;             /* there: console_log_room of one like it, or 0 */
} console_options;

/* An image as rom_image_create has it, with what the engines of the CPU make of it. */
rom_image *console_open_rom(const uint8_t *bytes, size_t size, rom_scheme scheme, char *error);
console *console_create(rom_image *rom, const console_options *options); /* NULL: out of memory */
/* One like `source`, with room for a copy of it.  It must not run before console_copy: it was not switched on. */
console *console_create_like(const console *source, const console_options *options);
void console_destroy(console *machine);
/* System reset (power-on reset of every chip; RIOT RAM stays). */
void console_reset(console *machine);
/* Reseed the system generator. */
void console_seed(console *machine, uint32_t seed);
void console_set_controls(console *machine, const controls *hands);
void console_run_frame(console *machine);
/* The beginning of a frame that does not go on with the last one: all stamps count from the line in which that
 * ended (for console_run_frame, and tests). */
void console_start_frame(console *machine);

static inline bool console_has_paddles(const console *machine) {
    return machine->rom->properties.paddles[0] || machine->rom->properties.paddles[1];
}
/* Rows of the screen: the window's height, at least 200. */
static inline int console_screen_rows(const console *machine) { return machine->height > 200 ? machine->height : 200; }
/* The picture of the latest frame (of the one before it): rows * 160 palette indices, valid until the
 * console runs, is reset or restored. */
const uint8_t *console_screen(console *machine);
const uint8_t *console_previous_screen(console *machine);
/* The objects that cover each pixel of these, bit n for object n (video/registers.h), whatever wins; 0 where the
 * picture is blank.  Only for consoles that tell objects. */
const uint8_t *console_objects(console *machine);
const uint8_t *console_previous_objects(console *machine);
/* Draw the latest frame and these objects into buffers of 0, one byte per pixel of the screen.  For all consoles.
 * False: they do not follow from the frame's log: it did not end, or fell short of the screen and was saved. */
bool console_draw_objects(const console *machine, uint8_t *pixels, uint8_t *cover);
/* The next frame that begins will be looked at: its rows are drawn while they are followed. */
void console_expect_screen(console *machine);
/* The memory of all these is always the same.  Tell which rows of it, as bits, may have been written since the
 * last call. */
void console_take_written_rows(console *machine, uint64_t rows[ROW_WORDS]);

/* Whether somebody looked at a screen lately; frames that the engine follows change nothing about that. */
bool console_is_watched(const console *machine);

/* Let the engine (video/engine/) follow frames from the next one on, or no more.  False: that is switched off. */
bool console_use_engine(console *machine, bool use);
/* Then frames can be had in gray: the next one that begins is drawn on the way (NULL: no further one is).  Whether the
 * latest frame was, all of it. */
void console_expect_gray(console *machine, const gray_target *to);
bool console_drew_gray(const console *machine);
/* The log of the latest frame, or of the one before it, until the next one begins; false: that is not all of its
 * picture.  Such a frame, or a copy of it, can be drawn in gray any time; false: it left out rows. */
bool console_view_frame(const console *machine, bool previous, frame_view *view);
bool console_draw_gray(const console *machine, const frame_view *frame, const gray_target *to);
/* Accesses that fit into the log of a frame, as no frame so far has had more. */
uint32_t console_log_room(const console *machine);

/* The RAM byte as a bus access sees it: tells the data bus, as the reference's observers do. */
void console_poke(console *machine, uint8_t index, uint8_t value);

/* Snapshots: everything that later frames, pictures and sounds follow from.  A snapshot restores into any
 * console of the same ROM image. */
typedef struct snapshot_head { /* then the machine's state, the cartridge's big RAM and the picture's part */
    uint32_t layout; /* sizeof(machine_state), which changes with the layout */
    uint32_t size;
    uint8_t height;
    uint8_t reserved[7];
} snapshot_head;

size_t console_snapshot_size(const console *machine); /* of this moment's; at most console_snapshot_limit */
size_t console_snapshot_limit(const console *machine);
size_t console_save(console *machine, void *buffer);  /* returns the bytes written */
extern const invariant machine_invariants[], snapshot_invariants[]; /* without those of the chips */
/* What is wrong with bytes that may come from anywhere, as support/invariants.h has it.  NULL: they are safe to restore
 * into this console. */
const char *console_invalid_field(const console *machine, const void *buffer, size_t size);
/* The machine's state within a snapshot; any CONSOLE_SNAPSHOT_LEAST bytes will do. */
enum { CONSOLE_SNAPSHOT_LEAST = sizeof(snapshot_head) + sizeof(machine_state) };
void console_saved_machine(const void *buffer, machine_state *s);
/* For valid bytes, or those that this process saved.  First make room; false: out of memory.  Then restore; false,
 * nothing changed: they are of a screen of another height. */
bool console_make_room(console *machine, const void *buffer, size_t size);
bool console_restore(console *machine, const void *buffer, size_t size);
/* The same from console to console of one ROM image and window.  The source must be flushed: nothing waits any
 * more that a copy would lack.  Then any number of threads may copy from it at once. */
void console_flush(console *machine);
bool console_make_room_to_copy(console *machine, const console *source); /* false: out of memory */
void console_copy(console *machine, const console *source);

#endif
