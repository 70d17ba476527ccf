/* ROM images are reference-counted.  The last release frees the image and releases the game's owner. */
#include "rom.h"

#include <stdlib.h>
#include <string.h>

#include "../support/error.h"

ale_rom *rom_create(rom_image *image, const ale_game *game, int32_t game_number, void *owner,
                    void (*release_owner)(void *owner)) {
    ale_rom *rom = malloc(sizeof *rom);
    if (!rom) return NULL;
    atomic_init(&rom->references, 1);
    rom->image = image;
    rom->game = game;
    rom->game_number = game_number;
    rom->labels = game_number >= 0 ? labels_of(game->name) : NULL;
    rom->terminal_count = 0;
    rom->owner = owner;
    rom->release_owner = release_owner;
    return rom;
}

static const ale_label *label_of(const label_set *set, const char *name) {
    for (uint32_t i = 0; i < set->count; i++)
        if (strcmp(set->labels[i].name, name) == 0) return &set->labels[i];
    return NULL;
}

static ale_status no_label(const label_set *set, const char *name) {
    char names[360] = "";
    uint32_t i = 0;
    for (; i < set->count && strlen(names) + strlen(set->labels[i].name) + 2 < sizeof names; i++) {
        if (i) strcat(names, ", ");
        strcat(names, set->labels[i].name);
    }
    return fail(ALE_INVALID_ARGUMENT, "terminal_on has \"%.64s\"; the labels of %s are %s%s", name, set->game, names,
                i < set->count ? " ..." : "");
}

ale_status rom_set_terminals(ale_rom *rom, const ale_terminal *terminals, uint32_t count) {
    if (count && !rom->labels)
        return fail(ALE_INVALID_ARGUMENT, "terminal_on has \"%.64s\"; %s has no labels", terminals[0].label,
                    rom->game ? rom->game->name : "a ROM without rules");
    for (uint32_t i = 0; i < count; i++) {
        const ale_label *label = label_of(rom->labels, terminals[i].label);
        if (!label) return no_label(rom->labels, terminals[i].label);
        rom->terminals[i] = (terminal){label, (ale_when)terminals[i].when, (uint16_t)terminals[i].frames};
    }
    rom->terminal_count = count;
    return ALE_OK;
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
