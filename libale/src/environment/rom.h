/* A ROM image and the rules that it is played by.  Environments hold the one that they play. */
#ifndef ALE_ROM_H
#define ALE_ROM_H

#include <ale/ale.h>
#include <stdatomic.h>

#include "../console/rom_image.h"
#include "../games/game.h"

struct ale_rom {
    atomic_int references;
    rom_image *image;
    const ale_game *game; /* NULL: none, or unknown */
    int32_t game_number;  /* as ale_rom_info has it */
    void *owner;          /* what `game` is part of; NULL: it is there always */
    void (*release_owner)(void *owner);
};

/* Takes over the image, and a reference to what the game is part of, if that is anything: release_owner gives it back.
 * NULL, and nothing done: out of memory. */
ale_rom *rom_create(rom_image *image, const ale_game *game, int32_t game_number, void *owner,
                    void (*release_owner)(void *owner));
ale_rom *rom_retain(ale_rom *rom); /* NULL is fine, as in the next */
void rom_release(ale_rom *rom);

#endif
