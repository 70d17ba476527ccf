/* What instructions.py counts the host instructions of, game by game:
 *
 *     instructions ROMS GAME...
 *
 * act      frames of ale_env_act, by the row memory.  Which way is faster (ALE_FAST_ENGINE) is found out by the time,
 *          which is never the same twice, so it is switched off.
 * vector   frames of ale_vector_step: gray, 84 x 84, pooled, stacked; by the video engine, as no trial comes so soon.
 * states   ale_env_save and ale_env_restore, together.
 *
 * Each is played a little before it is counted.  Valgrind dumps the counts of each under its name, with the number of
 * frames or states, "pong act 300"; "processor ..." names what of the processor valgrind lets programs see. */
#include <ale/ale.h>
#include <stdio.h>
#include <stdlib.h>
#include <valgrind/callgrind.h>

enum { ACTS = 240, WARM_ACTS = 100, ENVS = 2, STEPS = 20, WARM_STEPS = 4, FRAME_SKIP = 4, STATES = 40 };

static void must(ale_status status) {
    if (status == ALE_OK) return;
    fprintf(stderr, "%s\n", ale_last_error());
    exit(1);
}

static uint32_t seed;
static int32_t draw(uint32_t count) {
    seed = seed * 1664525 + 1013904223;
    return (int32_t)((seed >> 16) % count);
}

static void begin_count(void) { CALLGRIND_START_INSTRUMENTATION; }
static void end_count(const char *game, const char *what, int count) {
    char name[64];
    CALLGRIND_STOP_INSTRUMENTATION;
    snprintf(name, sizeof name, "%s %s %d", game, what, count);
    CALLGRIND_DUMP_STATS_AT(name);
}

/* ---- A single environment ------------------------------------------------------------------------------ */

static uint32_t actions_of(const ale_env *env, int32_t *actions) {
    ale_env_info info = {.struct_size = sizeof info};
    uint32_t count = 0;
    must(ale_env_describe(env, &info));
    for (int32_t action = 0; action < ALE_ACTION_COUNT; action++)
        if (info.minimal_actions >> action & 1) actions[count++] = action;
    return count;
}

static void act(ale_env *env, int acts) {
    int32_t actions[ALE_ACTION_COUNT];
    const uint32_t count = actions_of(env, actions);
    const ale_report *now = ale_env_report(env);
    for (int i = 0; i < acts; i++) {
        const int32_t action = actions[draw(count)];
        must(ale_env_act(env, &action, NULL, 1, 1));
        if (now->terminated || now->truncated) must(ale_env_reset(env));
    }
}

static void copy_states(ale_env *env, ale_state *state, int count) {
    for (int i = 0; i < count; i++) {
        must(ale_env_save(env, 0, state));
        must(ale_env_restore(env, state));
    }
}

static void play_environment(ale_rom *rom, const char *game) {
    ale_env_options options;
    ale_env *env;
    ale_state *state;
    ale_env_options_init(&options, sizeof options);
    options.fast_paths = ALE_FAST_ALL & ~ALE_FAST_ENGINE;
    must(ale_env_create(rom, &options, &env));
    must(ale_state_create(&state));
    act(env, WARM_ACTS);
    begin_count();
    act(env, ACTS);
    end_count(game, "act", ACTS);
    copy_states(env, state, 2);
    begin_count();
    copy_states(env, state, STATES);
    end_count(game, "states", STATES);
    ale_state_destroy(state);
    ale_env_destroy(env);
}

/* ---- A vector ------------------------------------------------------------------------------------------ */

static void step(ale_vector *vector, ale_batch *batch, uint32_t actions, int steps) {
    int32_t chosen[ENVS];
    for (int i = 0; i < steps; i++) {
        for (int e = 0; e < ENVS; e++) chosen[e] = draw(actions);
        must(ale_vector_step(vector, chosen, NULL, batch));
    }
}

static void play_vector(ale_rom *rom, const char *game) {
    ale_vector_options options;
    ale_vector *vector;
    ale_vector_info info = {.struct_size = sizeof info};
    ale_rom *roms[ENVS];
    int64_t seeds[ENVS];
    int32_t rewards[ENVS], ids[ENVS], lives[ENVS], frames[ENVS], episode[ENVS], actions[ALE_ACTION_COUNT];
    uint8_t terminations[ENVS], truncations[ENVS];
    for (int e = 0; e < ENVS; e++) roms[e] = rom, seeds[e] = e;
    ale_vector_options_init(&options, sizeof options);
    options.observation = ALE_OBSERVE_GRAYSCALE;
    options.img_height = options.img_width = 84;
    options.stack_num = 4;
    options.frame_skip = FRAME_SKIP;
    options.maxpool = 1;
    options.num_threads = 1;
    must(ale_vector_create(roms, NULL, ENVS, &options, &vector));
    must(ale_vector_describe(vector, &info));
    ale_batch batch = {.struct_size = sizeof batch,
                       .observations = malloc(ENVS * info.observation_size),
                       .rewards = rewards,
                       .terminations = terminations,
                       .truncations = truncations,
                       .env_ids = ids,
                       .lives = lives,
                       .frame_numbers = frames,
                       .episode_frame_numbers = episode};
    const uint32_t count = actions_of(ale_vector_env(vector, 0), actions);
    must(ale_vector_post(vector, &batch));
    must(ale_vector_reset(vector, NULL, seeds));
    must(ale_vector_recv(vector));
    step(vector, &batch, count, WARM_STEPS);
    begin_count();
    step(vector, &batch, count, STEPS);
    end_count(game, "vector", STEPS * ENVS * FRAME_SKIP);
    ale_vector_destroy(vector);
    free(batch.observations);
}

/* ---- All ----------------------------------------------------------------------------------------------- */

static void tell_processor(void) {
#if defined(__x86_64__)
    printf("processor x86-64%s%s%s%s\n", __builtin_cpu_supports("ssse3") ? " ssse3" : "",
           __builtin_cpu_supports("avx2") ? " avx2" : "", __builtin_cpu_supports("bmi2") ? " bmi2" : "",
           __builtin_cpu_supports("avx512f") ? " avx512f" : "");
#else
    printf("processor other\n");
#endif
}

static ale_rom *load(const char *folder, const char *game) {
    static uint8_t bytes[ALE_MAX_ROM_SIZE];
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.bin", folder, game);
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "there is no %s\n", path);
        exit(1);
    }
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    ale_rom *rom;
    must(ale_rom_create(bytes, size, NULL, &rom));
    return rom;
}

int main(int argc, char **argv) {
    tell_processor();
    for (int i = 2; i < argc; i++) {
        ale_rom *rom = load(argv[1], argv[i]);
        seed = 1;
        play_environment(rom, argv[i]);
        play_vector(rom, argv[i]);
        ale_rom_release(rom);
    }
    return 0;
}
