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
    ale_card *card;       /* that `game` is of; NULL: it is no card's */
    const ale_game *game; /* NULL: none, or unknown */
    int32_t game_number;  /* as ale_rom_info has it */
};

/* Takes over the image and retains the card.  NULL, and nothing done: out of memory. */
ale_rom *rom_create(rom_image *image, ale_card *card, const ale_game *game, int32_t game_number);
ale_rom *rom_retain(ale_rom *rom); /* NULL is fine, as in the next */
void rom_release(ale_rom *rom);

#endif
