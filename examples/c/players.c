/* Plays one episode with as many players as wanted, who act at random, and prints what each has won.
 *
 *     cc players.c -lale -o players
 *     ./players pong.bin 4 [seed]
 */
#include <ale/ale.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_MODES = 256 };

/* The contents of a file; NULL when it cannot be read. */
static void *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    void *bytes = malloc(ALE_MAX_ROM_SIZE);
    if (bytes) *size = fread(bytes, 1, ALE_MAX_ROM_SIZE, file);
    fclose(file);
    return bytes;
}

/* Begin an episode in the first mode for so many players. */
static ale_status begin(ale_env *env, uint32_t players) {
    int32_t modes[MOST_MODES];
    size_t count = 0;
    ale_status status = ale_env_modes(env, players, modes, MOST_MODES, &count);
    if (status != ALE_OK) return status;
    if (count == 0) {
        fprintf(stderr, "this game has no modes for %u players\n", players);
        exit(1);
    }
    printf("%zu modes, of which this is %d\n", count, modes[0]);
    status = ale_env_set_mode(env, modes[0]); /* report->players changes at once */
    return status == ALE_OK ? ale_env_reset(env) : status;
}

static ale_status play(ale_env *env) {
    const ale_report *report = ale_env_report(env);
    const uint32_t players = (uint32_t)report->players;
    long score[ALE_MAX_PLAYERS] = {0};
    while (!report->terminated && !report->truncated) {
        int32_t actions[ALE_MAX_PLAYERS];
        for (uint32_t p = 0; p < players; p++) actions[p] = rand() % ALE_ACTION_COUNT;
        const ale_status status = ale_env_act(env, actions, NULL, players, 1);
        if (status != ALE_OK) return status;
        for (uint32_t p = 0; p < players; p++) score[p] += report->rewards[p];
    }
    for (uint32_t p = 0; p < players; p++)
        printf("player %u: score %ld, %d lives left\n", p, score[p], report->lives[p]);
    return ALE_OK;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: %s ROM PLAYERS [SEED]\n", argv[0]);
        return 2;
    }
    size_t size = 0;
    void *bytes = read_file(argv[1], &size);
    if (!bytes) {
        perror(argv[1]);
        return 1;
    }
    ale_env_options options;
    ale_env_options_init(&options, sizeof options);
    options.rules = ALE_BY_MODE; /* the mode says how many play */
    options.random_seed = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 0) : 1;
    options.frame_skip = 4;
    options.max_num_frames_per_episode = 20000;
    srand(options.random_seed);

    ale_rom *rom = NULL;
    ale_env *env = NULL;
    ale_status status = ale_rom_create(bytes, size, NULL, &rom);
    if (status == ALE_OK) status = ale_env_create(rom, &options, &env);
    if (status == ALE_OK) status = begin(env, (uint32_t)strtoul(argv[2], NULL, 0));
    if (status == ALE_OK) status = play(env);
    if (status != ALE_OK) fprintf(stderr, "%s: %s\n", argv[1], ale_last_error());
    ale_env_destroy(env);
    ale_rom_release(rom);
    free(bytes);
    return status == ALE_OK ? 0 : 1;
}
