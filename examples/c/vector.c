/* Plays 64 games at once with random actions, on all processors, and prints what their episodes returned.
 *
 *     cc vector.c -lale -o vector
 *     ./vector breakout.bin [steps]
 */
#include <ale/ale.h>
#include <stdio.h>
#include <stdlib.h>

enum { GAMES = 64 };

/* What a step of all games fills. */
typedef struct results {
    uint8_t *observations; /* of each game four gray pictures, 84 x 84, as neural networks see them */
    int32_t rewards[GAMES], env_ids[GAMES], lives[GAMES], frame_numbers[GAMES], episode_frame_numbers[GAMES];
    uint8_t terminations[GAMES], truncations[GAMES];
    uint8_t ends[GAMES];
    int64_t returns[GAMES];
} results;

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

/* A number at random, the same on every machine. */
static uint32_t draw(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static ale_status play(ale_vector *vector, long steps) {
    ale_vector_info info = {.struct_size = sizeof info};
    ale_status status = ale_vector_describe(vector, &info);
    if (status != ALE_OK) return status;
    ale_env_info game = {.struct_size = sizeof game};
    status = ale_env_describe(ale_vector_env(vector, 0), &game);
    if (status != ALE_OK) return status;
    uint32_t count = 0;
    for (uint32_t set = game.minimal_actions; set; set &= set - 1) count++;

    static results now;
    now.observations = malloc(GAMES * info.observation_size);
    if (!now.observations) return ALE_OUT_OF_MEMORY;
    ale_batch batch = {
        .struct_size = sizeof batch,
        .observations = now.observations,
        .rewards = now.rewards,
        .terminations = now.terminations,
        .truncations = now.truncations,
        .env_ids = now.env_ids,
        .lives = now.lives,
        .frame_numbers = now.frame_numbers,
        .episode_frame_numbers = now.episode_frame_numbers,
        .episode_ends = now.ends,
        .episode_returns = now.returns,
    };
    status = ale_vector_post(vector, &batch);
    if (status == ALE_OK) status = ale_vector_reset(vector, NULL, NULL);
    if (status == ALE_OK) status = ale_vector_recv(vector);

    long long episodes = 0, returned = 0;
    uint32_t random = 1;
    for (long step = 0; status == ALE_OK && step < steps; step++) {
        int32_t actions[GAMES];
        for (int i = 0; i < GAMES; i++) actions[i] = (int32_t)(draw(&random) % count);
        status = ale_vector_step(vector, actions, NULL, &batch);
        for (int i = 0; status == ALE_OK && i < GAMES; i++) {
            episodes += now.ends[i];
            returned += now.ends[i] * now.returns[i];
        }
    }
    free(now.observations);
    if (status == ALE_OK) printf("%lld episodes, which returned %lld together\n", episodes, returned);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: %s ROM [STEPS]\n", argv[0]);
        return 2;
    }
    size_t size = 0;
    void *bytes = read_file(argv[1], &size);
    if (!bytes) {
        perror(argv[1]);
        return 1;
    }
    ale_rom *rom = NULL, *roms[GAMES];
    ale_vector *vector = NULL;
    ale_status status = ale_rom_create(bytes, size, NULL, &rom);
    for (int i = 0; i < GAMES; i++) roms[i] = rom; /* each could be another game */
    if (status == ALE_OK) status = ale_vector_create(roms, NULL, GAMES, NULL, &vector);
    if (status == ALE_OK) status = play(vector, argc > 2 ? strtol(argv[2], NULL, 0) : 1000);
    if (status != ALE_OK) fprintf(stderr, "%s: %s\n", argv[1], ale_last_error());
    ale_vector_destroy(vector);
    ale_rom_release(rom);
    free(bytes);
    return status == ALE_OK ? 0 : 1;
}
