/* Plays one episode with random actions and prints its score.
 *
 *     cc play.c -lale -o play
 *     ./play breakout.bin [seed]
 */
#include <ale/ale.h>
#include <stdio.h>
#include <stdlib.h>

/* The contents of a file; NULL when it cannot be read. */
static void *read_file(const char *path, size_t *size) {
    enum { LARGEST = 512 * 1024 };
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    void *bytes = malloc(LARGEST);
    if (bytes) *size = fread(bytes, 1, LARGEST, file);
    fclose(file);
    return bytes;
}

/* The actions of a set, ascending; returns their number. */
static uint32_t list_actions(uint32_t set, int32_t actions[ALE_ACTION_COUNT]) {
    uint32_t count = 0;
    for (int32_t action = 0; action < ALE_ACTION_COUNT; action++)
        if (set >> action & 1) actions[count++] = action;
    return count;
}

static ale_status play(ale_env *env) {
    ale_env_info info = {.struct_size = sizeof info};
    ale_status status = ale_env_describe(env, &info);
    if (status != ALE_OK) return status;

    int32_t actions[ALE_ACTION_COUNT];
    uint32_t count = list_actions(info.minimal_actions, actions);
    const ale_report *report = ale_env_report(env);
    long score = 0;
    while (!report->terminated && !report->truncated) {
        status = ale_env_act(env, &actions[(uint32_t)rand() % count], NULL, 1, 1);
        if (status != ALE_OK) return status;
        score += report->rewards[0];
    }
    printf("score %ld in %d frames, %d lives left\n", score, report->episode_frame_number, report->lives[0]);
    return ALE_OK;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: %s ROM [SEED]\n", argv[0]);
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
    options.random_seed = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 0) : 1;
    options.frame_skip = 4;
    options.max_num_frames_per_episode = 108000;
    srand(options.random_seed);

    ale_rom *rom = NULL;
    ale_env *env = NULL;
    ale_status status = ale_rom_create(bytes, size, NULL, &rom);
    if (status == ALE_OK) status = ale_env_create(rom, &options, &env);
    if (status == ALE_OK) status = play(env);
    if (status != ALE_OK) fprintf(stderr, "%s: %s\n", argv[1], ale_last_error());
    ale_env_destroy(env);
    ale_rom_release(rom);
    free(bytes);
    return status == ALE_OK ? 0 : 1;
}
