/* A program as users compile it: it plays Quartet for two, in an environment and in a vector of two, and prints a checksum
 * after each.
 *
 *     program QUARTET [LESS]
 *
 * LESS: how many bytes smaller it says that its structs are, as a program does that was compiled before their last fields
 * were added.  The library must neither read nor write beyond the size it is told; nonsense lies there. */
#include <ale/ale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEYOND = 256, UNTOUCHED = 0xA5, ENVS = 2, PLAYERS = 2, DUEL = 2, HEIGHT = 84, STACK = 4 };

#define STRUCT(type, name) \
    union { type its; uint8_t bytes[sizeof(type) + BEYOND]; } name; \
    memset(&name, UNTOUCHED, sizeof name); \
    name.its.struct_size = (uint32_t)sizeof(type) - less
#define OPTIONS(type, name) \
    STRUCT(type, name); \
    type##_init(&name.its, name.its.struct_size)
#define CHECK(condition) \
    if (!(condition)) { \
        fprintf(stderr, "line %d: %s: %s\n", __LINE__, #condition, ale_last_error()); \
        exit(1); \
    }
#define CHECK_UNTOUCHED(name) \
    for (size_t i = name.its.struct_size; i < sizeof name; i++) CHECK(name.bytes[i] == UNTOUCHED)

static uint32_t less, sum = 2166136261U;

static void add(const void *bytes, size_t size) { /* FNV-1a */
    for (size_t i = 0; i < size; i++) sum = (sum ^ ((const uint8_t *)bytes)[i]) * 16777619U;
}

static void add_numbers(const int32_t *numbers, size_t count) { /* the same on processors of either byte order */
    for (size_t i = 0; i < count; i++) sum = (sum ^ (uint32_t)numbers[i]) * 16777619U;
}

static void play_one(ale_rom *rom) {
    OPTIONS(ale_env_options, options);
    CHECK_UNTOUCHED(options);
    options.its.rules = ALE_MULTI;
    options.its.random_seed = 7;
    ale_env *env = NULL;
    CHECK(ale_env_create(rom, &options.its, &env) == ALE_OK);
    STRUCT(ale_env_info, info);
    CHECK(ale_env_describe(env, &info.its) == ALE_OK && info.its.screen_width == 160);
    CHECK_UNTOUCHED(info);
    CHECK(ale_env_set_mode(env, DUEL) == ALE_OK && ale_env_reset(env) == ALE_OK);
    const ale_report *now = ale_env_report(env);
    CHECK(now->struct_size >= sizeof *now && now->players == PLAYERS);

    size_t size = info.its.screen_height * 160;
    uint8_t *screen = malloc(size);
    CHECK(screen);
    STRUCT(ale_report, report);
    ale_screens screens = {sizeof screens, ALE_INDEXED, 1, size, {screen}, &report.its}; /* all of its fields are used */
    for (int32_t step = 0; step < 300; step++) {
        int32_t actions[PLAYERS] = {step / 7 % ALE_ACTION_COUNT, step / 5 % ALE_ACTION_COUNT};
        CHECK(ale_env_step(env, actions, NULL, PLAYERS, 4, &screens) == ALE_OK);
        CHECK_UNTOUCHED(report);
        add(screen, size);
        add(ale_env_ram(env), ALE_RAM_SIZE);
        add_numbers(report.its.rewards, PLAYERS);
        add_numbers(&report.its.frame_number, 1);
    }
    free(screen);
    ale_env_destroy(env);
}

static void play_two(ale_rom *rom) {
    OPTIONS(ale_vector_options, options);
    CHECK_UNTOUCHED(options);
    options.its.rules = ALE_MULTI;
    options.its.players = PLAYERS;
    options.its.img_height = options.its.img_width = HEIGHT;
    options.its.stack_num = STACK;
    options.its.repeat_action_probability = 0.25f;
    ale_rom *roms[ENVS] = {rom, rom};
    ale_vector *vector = NULL;
    CHECK(ale_vector_create(roms, NULL, ENVS, &options.its, &vector) == ALE_OK);
    static struct {
        uint8_t observations[ENVS][STACK * HEIGHT * HEIGHT], terminations[ENVS][PLAYERS], truncations[ENVS];
        int32_t rewards[ENVS][PLAYERS], env_ids[ENVS], lives[ENVS][PLAYERS], frames[ENVS], episode_frames[ENVS];
    } seen;
    STRUCT(ale_batch, batch);
    uint32_t size = batch.its.struct_size;
    memset(batch.bytes + sizeof size, 0, size - sizeof size);
    batch.its.observations = seen.observations[0];
    batch.its.rewards = seen.rewards[0];
    batch.its.terminations = seen.terminations[0];
    batch.its.truncations = seen.truncations;
    batch.its.env_ids = seen.env_ids;
    batch.its.lives = seen.lives[0];
    batch.its.frame_numbers = seen.frames;
    batch.its.episode_frame_numbers = seen.episode_frames;
    STRUCT(ale_vector_info, info);
    CHECK(ale_vector_describe(vector, &info.its) == ALE_OK && info.its.players == PLAYERS);
    CHECK_UNTOUCHED(info);
    CHECK(ale_vector_post(vector, &batch.its) == ALE_OK && ale_vector_reset(vector, NULL, NULL) == ALE_OK);
    CHECK(ale_vector_recv(vector) == ALE_OK);
    for (int32_t step = 0; step < 300; step++) {
        int32_t actions[ENVS][PLAYERS] = {{step / 7 % 6, step / 5 % 6}, {step / 3 % 6, step % 6}};
        CHECK(ale_vector_step(vector, actions[0], NULL, &batch.its) == ALE_OK);
        add(seen.observations, sizeof seen.observations);
        add(seen.terminations, sizeof seen.terminations);
        add_numbers(seen.rewards[0], ENVS * PLAYERS);
        add_numbers(seen.episode_frames, ENVS);
    }
    ale_vector_destroy(vector);
}

int main(int argc, char **argv) {
    CHECK(argc > 1 && ale_abi_version() == ALE_ABI_VERSION);
    less = argc > 2 ? (uint32_t)atoi(argv[2]) : 0;
    static uint8_t image[ALE_MAX_ROM_SIZE];
    FILE *file = fopen(argv[1], "rb");
    CHECK(file);
    size_t size = fread(image, 1, sizeof image, file);
    fclose(file);

    STRUCT(ale_game_info, game);
    CHECK(ale_game_describe(ale_game_by_name("quartet"), ALE_MULTI, &game.its) == ALE_OK);
    CHECK_UNTOUCHED(game);
    OPTIONS(ale_rom_options, options);
    CHECK_UNTOUCHED(options);
    ale_rom *rom = NULL;
    CHECK(ale_rom_create(image, size, &options.its, &rom) == ALE_OK);
    STRUCT(ale_rom_info, info);
    CHECK(ale_rom_describe(rom, &info.its) == ALE_OK && strcmp(info.its.scheme, "4K") == 0);
    CHECK_UNTOUCHED(info);
    play_one(rom);
    printf("%08x ", (unsigned)sum);
    play_two(rom);
    printf("%08x\n", (unsigned)sum);
    ale_rom_release(rom);
    return 0;
}
