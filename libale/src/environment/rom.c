/* ROM images are reference-counted.  The last release frees the image and releases the game's owner. */
#include "rom.h"

#include <stdlib.h>

ale_rom *rom_create(rom_image *image, const ale_game *game, int32_t game_number, void *owner,
                    void (*release_owner)(void *owner)) {
    ale_rom *rom = malloc(sizeof *rom);
    if (!rom) return NULL;
    atomic_init(&rom->references, 1);
    rom->image = image;
    rom->game = game;
    rom->game_number = game_number;
    rom->labels = game_number >= 0 ? labels_of(game->name) : NULL;
    rom->owner = owner;
    rom->release_owner = release_owner;
    return rom;
}

ale_rom *rom_retain(ale_rom *rom) {
    if (rom) atomic_fetch_add(&rom->references, 1);
    return rom;
}

void rom_release(ale_rom *rom) {
    if (!rom || atomic_fetch_sub(&rom->references, 1) != 1) return;
    rom_image_release(rom->image);
    if (rom->owner) rom->release_owner(rom->owner);
    free(rom);
}
