/* A ROM image and its rules.  Each environment holds a reference to its ROM. */
#ifndef ALE_ROM_H
#define ALE_ROM_H

#include <ale/ale.h>
#include <stdatomic.h>

#include "../console/rom_image.h"
#include "../games/game.h"
#include "../labels/labels.h"

/* A label that ends episodes. */
typedef struct terminal {
    const ale_label *label;
    ale_when when;
    uint16_t frames;
} terminal;

struct ale_rom {
    atomic_int references;
    rom_image *image;
    const ale_game *game; /* NULL: none, or unknown */
    int32_t game_number;  /* as ale_rom_info has it */
    const label_set *labels; /* NULL: there are none, as of a card */
    terminal terminals[ALE_MAX_TERMINALS];
    uint32_t terminal_count;
    void *owner;          /* the object that contains `game`; NULL: `game` is static */
    void (*release_owner)(void *owner);
};

/* Take over the image, and a reference to the game's owner, if it has one; release_owner returns that reference.  NULL:
 * out of memory, and nothing was taken over. */
ale_rom *rom_create(rom_image *image, const ale_game *game, int32_t game_number, void *owner,
                    void (*release_owner)(void *owner));
/* Let labels end episodes; api.c has checked all but their names.  To be called before anybody else has the ROM. */
ale_status rom_set_terminals(ale_rom *rom, const ale_terminal *terminals, uint32_t count);
ale_rom *rom_retain(ale_rom *rom); /* NULL is allowed, as in rom_release */
void rom_release(ale_rom *rom);

#endif
