/* Programs that stop and wait for the player.
 *
 * Some cartridges, once nobody has played for some time, no longer draw and end no frame: they go round a short loop
 * that reads the joystick or the console's switches.  Such a frame takes FRAME_INSTRUCTIONS.  A turn of the loop which
 * changed nothing and read nothing that depends on the time is followed by equal turns up to the frame's end. */
#ifndef ALE_CPU_TURNS_H
#define ALE_CPU_TURNS_H

#include "../machine.h"

/* Run some instructions, and if they were such a turn, advance the time by as many further turns as fit into the
 * budget.  Return how many instructions that were, at most `budget`. */
uint32_t cpu_run_turns(console *machine, uint32_t budget);

#endif
