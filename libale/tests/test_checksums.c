/* Plays the lines of checksums.txt on the C interface: on every machine, from every compiler, the same sums.  Now and
 * then it goes on from what was saved, which must be accepted and change nothing.
 *
 *     test_checksums CHECKSUMS [ROMS]
 *
 * Vectors are played with each of the video engine's loops that this processor can run, environments once as they are
 * and once with frames that the engine and the row memory follow in turns.  Compiled with ALE_TEST_INSTALLED,
 * it is linked with nothing but an installed library, whose best loops play.
 *
 * ROMS, or else the environment variable ALE_TEST_ROMS, is a folder with images named after their games, such
 * as pong.bin.  Without it there is nothing to play, and the test is skipped (status 77).  With a number in
 * ALE_TEST_EVERY one line out of so many is played, where a processor is emulated and slow. */
#include <ale/ale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "small.h"
#ifdef ALE_TEST_INSTALLED
typedef struct engine_loops engine_loops;
static const engine_loops *engine_loops_number(int n) { (void)n; return NULL; }
static void use_loops_in_all(ale_vector *v, const engine_loops *loops) { (void)v, (void)loops; }
static void use_engine_for_acts(ale_env *env, int use) { (void)env, (void)use; }
#else
#include "loops.h"
#endif

enum {
    MOST_OPTIONS = 24,
    MOST_ENVS = 4,
    MOST_PLAYERS = MOST_ENVS * ALE_MAX_PLAYERS,
    SCREEN_EVERY = 4, /* acts */
    RGB_EVERY = 25,
    SAVE_EVERY = 50, /* acts or steps */
    TURN = 3, /* acts that the engine follows, and after these the row memory */
    MOST_PIXELS = 300 * ALE_SCREEN_WIDTH, /* more rows no screen has */
    SKIPPED = 77 /* what Meson takes for it */
};

/* ---- Sums ---------------------------------------------------------------------------------------------- */

static uint32_t crc_tables[4][256];

static void make_crc_tables(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xEDB88320) : 0);
        crc_tables[0][i] = crc;
    }
    for (uint32_t i = 0; i < 256; i++)
        for (int n = 1; n < 4; n++)
            crc_tables[n][i] = crc_tables[n - 1][i] >> 8 ^ crc_tables[0][crc_tables[n - 1][i] & 0xFF];
}

/* CRC-32, four bytes at a time. */
static void add(uint32_t *sum, const uint8_t *bytes, size_t size) {
    uint32_t crc = ~*sum;
    for (; size >= 4; bytes += 4, size -= 4)
        crc = crc_tables[3][(crc ^ bytes[0]) & 0xFF] ^ crc_tables[2][(crc >> 8 ^ bytes[1]) & 0xFF] ^
              crc_tables[1][(crc >> 16 ^ bytes[2]) & 0xFF] ^ crc_tables[0][crc >> 24 ^ bytes[3]];
    for (; size; bytes++, size--) crc = crc >> 8 ^ crc_tables[0][(crc ^ *bytes) & 0xFF];
    *sum = ~crc;
}

static void add_number(uint32_t *sum, int64_t number) {
    const uint32_t n = (uint32_t)number;
    add(sum, (const uint8_t[]){(uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16), (uint8_t)(n >> 24)}, 4);
}

static void add_numbers(uint32_t *sum, const int32_t *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) add_number(sum, numbers[i]);
}

/* ---- Lines --------------------------------------------------------------------------------------------- */

typedef struct line {
    char *kind, *name;
    struct {
        const char *key;
        double value; /* holds every int32 */
        int used;
    } options[MOST_OPTIONS];
    size_t count;
    const char *sums; /* expected */
} line;

/* Splits `text` in place. */
static line parse(char *text) {
    line l = {0};
    char *sums = strstr(text, " : ");
    if (sums) *sums = 0, l.sums = sums + 3;
    l.kind = strtok(text, " ");
    l.name = strtok(NULL, " ");
    for (char *word; (word = strtok(NULL, " ")) != NULL && l.count < MOST_OPTIONS;) {
        char *value = strchr(word, '=');
        if (!value) continue;
        *value = 0;
        l.options[l.count].key = word;
        l.options[l.count++].value = strtod(value + 1, NULL);
    }
    return l;
}

/* An option's value, or what it is without it. */
static double option(line *l, const char *key, double otherwise) {
    for (size_t i = 0; i < l->count; i++) {
        if (strcmp(l->options[i].key, key) != 0) continue;
        l->options[i].used = 1;
        return l->options[i].value;
    }
    return otherwise;
}

static int64_t number(line *l, const char *key, int64_t otherwise) {
    return (int64_t)option(l, key, (double)otherwise);
}

/* Set a field of the options to what the line says of it. */
#define SET(type, field) options.field = (type)option(l, #field, (double)options.field)

/* ---- Play ---------------------------------------------------------------------------------------------- */

/* What each player does: now and then something else, at random. */
typedef struct choice {
    uint32_t random;
    int32_t held[MOST_PLAYERS];
} choice;

static uint32_t draw(choice *c) {
    c->random = c->random * 1664525 + 1013904223;
    return c->random >> 16;
}

static void choose(choice *c, int32_t player, const int32_t *actions, uint32_t count) {
    const uint32_t n = draw(c);
    if (n % 4 == 0) c->held[player] = actions[n / 4 % count];
}

static uint32_t actions_of(uint32_t mask, int32_t *actions) {
    uint32_t count = 0;
    for (int32_t action = 0; action < ALE_ACTION_COUNT; action++)
        if (mask >> action & 1) actions[count++] = action;
    return count;
}

static int must(ale_status status, const char *what) {
    if (status == ALE_OK) return 1;
    fprintf(stderr, "%s: %s\n", what, ale_last_error());
    check_failures = 1;
    return 0;
}

/* Go on from bytes. */
static void save_environment(ale_env *env, uint32_t include_random) {
    ale_state *state = NULL;
    ale_state_info info = {.struct_size = sizeof info};
    if (!must(ale_state_create(&state), "state") || !must(ale_env_save(env, include_random, state), "save") ||
        !must(ale_state_describe(state, &info), "describe"))
        return;
    uint8_t *bytes = malloc(info.serialized_size);
    must(ale_state_serialize(state, bytes, info.serialized_size), "serialize");
    must(ale_state_deserialize(state, bytes, info.serialized_size), "deserialize");
    must(ale_env_restore(env, state), "restore");
    ale_state_destroy(state);
    free(bytes);
}

static void save_vector(ale_vector *vector) {
    size_t size = 0;
    must(ale_vector_save(vector, NULL, 0, &size), "save");
    uint8_t *bytes = malloc(size);
    must(ale_vector_save(vector, bytes, size, &size), "save");
    must(ale_vector_restore(vector, bytes, size), "restore");
    free(bytes);
}

static void play_environment(line *l, ale_rom *rom, int turns, char *sums, size_t size) {
    static const float STRENGTHS[] = {1.0f, 0.5f, 0.25f, -0.75f, 1.5f};
    static uint8_t rgb_bytes[3 * MOST_PIXELS];
    ale_env_options options = env_defaults();
    options.rules = strcmp(l->kind, "multi") == 0 ? ALE_MULTI : ALE_SOLO;
    options.random_seed = (uint32_t)number(l, "random_seed", 0);
    SET(uint32_t, system_seed);
    SET(float, repeat_action_probability);
    SET(uint32_t, frame_skip);
    SET(int32_t, max_num_frames_per_episode);
    SET(uint32_t, truncate_on_loss_of_life);
    SET(int32_t, reward_min);
    SET(int32_t, reward_max);
    SET(int32_t, paddle_min);
    SET(int32_t, paddle_max);
    SET(uint32_t, color_averaging);
    SET(uint32_t, sound);
    ale_env *env = NULL;
    ale_env_info info = {.struct_size = sizeof info};
    if (!must(ale_env_create(rom, &options, &env), "create") || !must(ale_env_describe(env, &info), "describe") ||
        !must(ale_env_set_mode(env, (int32_t)number(l, "mode", 0)), "mode") ||
        !must(ale_env_set_difficulty(env, (int32_t)number(l, "difficulty", 0)), "difficulty") ||
        !must(ale_env_reset(env), "reset")) {
        ale_env_destroy(env);
        return;
    }
    const ale_report *now = ale_env_report(env);
    const size_t players = (size_t)now->players, pixels = info.screen_height * ALE_SCREEN_WIDTH;
    const int64_t acts = number(l, "acts", 0), strengths = number(l, "strengths", 0);
    int32_t actions[ALE_ACTION_COUNT];
    const uint32_t count = actions_of(info.minimal_actions, actions);
    choice c = {.random = options.random_seed};
    int64_t rewards[ALE_MAX_PLAYERS] = {0};
    uint32_t resets = 0, report = 0, ram = 0, screen = 0, rgb = 0, sound = 0;
    for (int64_t t = 1; t <= acts; t++) {
        for (int32_t p = 0; p < now->players; p++) choose(&c, p, actions, count);
        if (turns) use_engine_for_acts(env, t / TURN % 2);
        const float strength = strengths ? STRENGTHS[draw(&c) % 5] : 1.0f;
        must(ale_env_act(env, c.held, players == 1 ? &strength : NULL, (uint32_t)players, 1), "act");
        for (size_t p = 0; p < players; p++) rewards[p] += now->rewards[p];
        const int over = now->terminated || now->truncated;
        add_numbers(&report, now->rewards, players);
        add_numbers(&report, now->lives, players);
        add_numbers(&report, (const int32_t[]){over, now->frame_number, now->episode_frame_number}, 3);
        add(&ram, ale_env_ram(env), ALE_RAM_SIZE);
        if (t % SCREEN_EVERY == 0) add(&screen, ale_env_screen_indices(env), pixels);
        if (t % RGB_EVERY == 0) {
            must(ale_env_screen(env, ALE_RGB, rgb_bytes, 3 * pixels), "screen");
            add(&rgb, rgb_bytes, 3 * pixels);
        }
        add(&sound, ale_env_audio(env), ALE_AUDIO_SIZE);
        if (t % SAVE_EVERY == 3) save_environment(env, t / SAVE_EVERY % 2);
        if (!over) continue;
        must(ale_env_reset(env), "reset");
        resets++;
    }
    ale_env_destroy(env);
    int at = snprintf(sums, size, "rewards=");
    for (size_t p = 0; p < players; p++)
        at += snprintf(sums + at, size - (size_t)at, p ? ",%lld" : "%lld", (long long)rewards[p]);
    at += snprintf(sums + at, size - (size_t)at, " resets=%u report=%08x ram=%08x screen=%08x rgb=%08x", resets,
                   report, ram, screen, rgb);
    if (options.sound) snprintf(sums + at, size - (size_t)at, " sound=%08x", sound);
}

static void play_vector(line *l, ale_rom *rom, const engine_loops *loops, char *sums, size_t size) {
    ale_vector_options options = vector_defaults();
    SET(uint32_t, players);
    options.rules = options.players > 1 ? ALE_MULTI : ALE_SOLO;
    SET(int32_t, autoreset);
    SET(int32_t, observation);
    SET(uint32_t, img_height);
    SET(uint32_t, img_width);
    SET(uint32_t, stack_num);
    SET(uint32_t, frame_skip);
    SET(uint32_t, maxpool);
    SET(uint32_t, noop_max);
    SET(uint32_t, use_fire_reset);
    SET(uint32_t, episodic_life);
    SET(uint32_t, life_loss_info);
    SET(uint32_t, reward_clipping);
    SET(int32_t, max_num_frames_per_episode);
    SET(float, repeat_action_probability);
    SET(uint32_t, full_action_space);
    const uint32_t envs = (uint32_t)number(l, "num_envs", 1), seed = (uint32_t)number(l, "seed", 0);
    const int64_t steps = number(l, "steps", 0);
    ale_rom *roms[MOST_ENVS] = {rom, rom, rom, rom};
    int64_t seeds[MOST_ENVS];
    for (uint32_t i = 0; i < MOST_ENVS; i++) seeds[i] = seed + i;
    ale_vector *vector = NULL;
    ale_vector_info info = {.struct_size = sizeof info};
    if (envs > MOST_ENVS || !must(ale_vector_create(roms, NULL, envs, &options, &vector), "create") ||
        !must(ale_vector_describe(vector, &info), "describe"))
        return;
    use_loops_in_all(vector, loops);
    const size_t observed = envs * info.observation_size, each = envs * options.players;
    int32_t rewards[MOST_PLAYERS], lives[MOST_PLAYERS], ids[MOST_ENVS], frames[MOST_ENVS], episode[MOST_ENVS];
    uint8_t terminations[MOST_PLAYERS], truncations[MOST_ENVS];
    ale_batch batch = {.struct_size = sizeof batch,
                       .observations = malloc(observed),
                       .rewards = rewards,
                       .terminations = terminations,
                       .truncations = truncations,
                       .env_ids = ids,
                       .lives = lives,
                       .frame_numbers = frames,
                       .episode_frame_numbers = episode};
    ale_env_info env = {.struct_size = sizeof env};
    must(ale_env_describe(ale_vector_env(vector, 0), &env), "describe");
    int32_t actions[ALE_ACTION_COUNT];
    const uint32_t count = actions_of(
        options.full_action_space ? env.legal_actions : env.minimal_actions, actions);
    for (int32_t i = 0; i < ALE_ACTION_COUNT; i++) actions[i] = i; /* vectors take indices */
    choice c = {.random = seed};
    uint32_t observations = 0, reports = 0, infos = 0;
    int64_t total = 0, ends = 0;
    must(ale_vector_post(vector, &batch), "post");
    must(ale_vector_reset(vector, NULL, seeds), "reset");
    must(ale_vector_recv(vector), "recv");
    for (int64_t t = 0;; t++) {
        add(&observations, batch.observations, observed);
        add_numbers(&infos, lives, each);
        add_numbers(&infos, frames, envs);
        add_numbers(&infos, episode, envs);
        if (t == steps) break;
        if (t % SAVE_EVERY == 3) save_vector(vector);
        for (int32_t p = 0; p < (int32_t)each; p++) choose(&c, p, actions, count);
        must(ale_vector_step(vector, c.held, NULL, &batch), "step");
        for (size_t p = 0; p < each; p++) total += rewards[p], ends += terminations[p];
        for (size_t i = 0; i < envs; i++) ends += truncations[i];
        add_numbers(&reports, rewards, each);
        for (size_t p = 0; p < each; p++) add_number(&reports, terminations[p]);
        for (size_t i = 0; i < envs; i++) add_number(&reports, truncations[i]);
    }
    free(batch.observations);
    ale_vector_destroy(vector);
    snprintf(sums, size, "rewards=%lld ends=%lld observations=%08x reports=%08x infos=%08x", (long long)total,
             (long long)ends, observations, reports, infos);
}

static ale_rom *load(const char *folder, const char *name) {
    static uint8_t bytes[512 * 1024];
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.bin", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "there is no %s\n", path);
        return NULL;
    }
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    ale_rom *rom = NULL;
    must(ale_rom_create(bytes, size, NULL, &rom), name);
    return rom;
}

static void compare(const line *l, const char *sums, const char *whole) {
    if (strcmp(sums, l->sums) == 0) return;
    fprintf(stderr, "%s\n    found %s\n", whole, sums);
    check_failures = 1;
}

static int play(char *text, const char *folder) {
    char whole[512], sums[512] = "";
    snprintf(whole, sizeof whole, "%s", text);
    line l = parse(text);
    if (!l.name || !l.sums || strcmp(l.kind, "module") == 0) return 0; /* modules are made of Python */
    ale_rom *rom = load(folder, l.name);
    CHECK(rom != NULL);
    if (!rom) return 0;
    if (strcmp(l.kind, "vector") == 0) {
        int n = 0;
        do {
            play_vector(&l, rom, engine_loops_number(n), sums, sizeof sums);
            compare(&l, sums, whole);
        } while (engine_loops_number(++n));
    } else {
        for (int turns = 0; turns < 2; turns++) {
            play_environment(&l, rom, turns, sums, sizeof sums);
            compare(&l, sums, whole);
        }
    }
    ale_rom_release(rom);
    for (size_t i = 0; i < l.count; i++) {
        if (!l.options[i].used) fprintf(stderr, "unknown option %s\n", l.options[i].key), check_failures = 1;
    }
    return 1;
}

int main(int argc, char **argv) {
    const char *folder = argc > 2 ? argv[2] : getenv("ALE_TEST_ROMS");
    if (argc < 2 || !folder || !*folder) {
        printf("skipped: say in ALE_TEST_ROMS in which folder the ROM images are\n");
        return SKIPPED;
    }
    const char *says = getenv("ALE_TEST_EVERY");
    const int every = says ? atoi(says) : 1;
    CHECK(every > 0);
    FILE *file = fopen(argv[1], "r");
    CHECK(file != NULL);
    if (!file || every < 1) return check_failures;
    make_crc_tables();
    char text[512];
    int played = 0, number = 0;
    while (fgets(text, sizeof text, file)) {
        text[strcspn(text, "\n")] = 0;
        if (*text && *text != '#' && number++ % every == 0) played += play(text, folder);
    }
    fclose(file);
    CHECK(played > 500 / every);
    printf("%d lines played\n", played);
    return check_failures;
}
