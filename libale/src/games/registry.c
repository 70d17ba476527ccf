/* All games, by name and by image. */
#include <string.h>

#include "game.h"

#define GAME(name) extern const ale_game game_##name;
#include "list.h"
#undef GAME

const ale_game *const ale_games[] = {
#define GAME(name) &game_##name,
#include "list.h"
#undef GAME
};
const int ale_games_count = (int)(sizeof ale_games / sizeof *ale_games);

const ale_game *game_by_name(const char *name) {
    for (int i = 0; i < ale_games_count; i++)
        if (strcmp(ale_games[i]->name, name) == 0) return ale_games[i];
    return NULL;
}

const ale_game *game_by_md5(const char *md5) {
    for (int i = 0; i < ale_games_count; i++)
        if (strcmp(ale_games[i]->md5, md5) == 0) return ale_games[i];
    return NULL;
}
