/* Labels: values of each code, the tables of the games, and vectors that deliver them.  tests/labels/test_values.py
 * compares all values with another implementation. */
#include <ale/ale.h>
#include <string.h>

#include "check.h"
#include "small.h"

enum { ENVS = 3, STEPS = 20, MOST_LABELS = 128, STACK = 4 };
#define RESULT_BYTES ((STACK + 1) * MOST_LABELS * 4)
#include "results.h"

/* ---- Values -------------------------------------------------------------------------------------------- */

#define LABEL(...) {.struct_size = sizeof(ale_label), .mask = UINT64_MAX, __VA_ARGS__}

static void a_label_is_a_function_of_bytes(void) {
    static const struct {
        ale_label label;
        uint8_t bytes[3];
        int32_t value, low, high;
    } CASES[] = {
        {LABEL(.byte_count = 1, .places = {3}, .offset = -49, .scale = 1, .blank = -1), {60}, 11, -49, 206},
        {LABEL(.byte_count = 1, .places = {3}, .offset = 193, .scale = -1, .blank = -1), {14}, 179, -62, 193},
        {LABEL(.byte_count = 2, .places = {3, 4}, .scale = 1, .blank = -1), {1, 2}, 258, 0, 65535},
        {LABEL(.byte_count = 2, .places = {3, 4}, .code = ALE_LABEL_BCD, .scale = 1, .blank = -1), {0x12, 0x34}, 1234,
         0, 16665},
        {LABEL(.byte_count = 2, .places = {4, 3}, .code = ALE_LABEL_DIGITS, .scale = 1, .blank = 10), {7, 10}, 7,
         0, 2805},
        {LABEL(.byte_count = 1, .places = {3}, .code = ALE_LABEL_HMOVE, .scale = 1, .blank = -1), {0x34}, 57, -7, 233},
        {LABEL(.byte_count = 1, .places = {3}, .code = ALE_LABEL_HMOVE, .scale = 1, .blank = -1), {0xF4}, 61, -7, 233},
        {LABEL(.byte_count = 1, .places = {3}, .code = ALE_LABEL_SIGNED, .scale = 2, .blank = -1), {0xFE}, -4, -256, 254},
        {LABEL(.byte_count = 2, .places = {3, 4}, .code = ALE_LABEL_SIGNED, .scale = 1, .blank = -1), {0xFF, 0xFE}, -2,
         -32768, 32767},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        uint8_t rams[2][ALE_RAM_SIZE] = {{0}};
        memcpy(&rams[1][3], CASES[i].bytes, sizeof CASES[i].bytes);
        const ale_label *both[] = {&CASES[i].label, &CASES[i].label};
        int32_t values[4];
        CHECK_EQUAL(ale_label_values(both, 2, rams[0], 2, values), ALE_OK);
        CHECK_EQUAL(values[0], CASES[i].label.offset);
        CHECK_EQUAL(values[1], values[0]);
        CHECK_EQUAL(values[2], CASES[i].value);
        CHECK_EQUAL(values[3], CASES[i].value);
        ale_label bounded = CASES[i].label;
        CHECK_EQUAL(ale_label_bound(&bounded), ALE_OK);
        CHECK_EQUAL(bounded.low, CASES[i].low);
        CHECK_EQUAL(bounded.high, CASES[i].high);
    }
}

static void bits_that_count(void) {
    ale_label label = LABEL(.byte_count = 1, .places = {3}, .scale = 1, .blank = -1);
    uint8_t ram[ALE_RAM_SIZE] = {[3] = 0x35};
    const ale_label *one = &label;
    int32_t value = 0;
    label.mask = 0xF0;
    CHECK_EQUAL(ale_label_values(&one, 1, ram, 1, &value), ALE_OK);
    CHECK_EQUAL(value, 3);
    label.byte_count = 2;
    label.places[1] = 4;
    label.code = ALE_LABEL_DIGITS;
    label.mask = 0x7800; /* no bit of the last byte counts */
    ram[3] = 0x28;
    ram[4] = 9;
    CHECK_EQUAL(ale_label_values(&one, 1, ram, 1, &value), ALE_OK);
    CHECK_EQUAL(value, 50);
}

static void labels_that_are_refused(void) {
    const ale_label good = LABEL(.byte_count = 1, .places = {3}, .scale = 1, .blank = -1);
    ale_label bad[] = {good, good, good, good, good, good};
    bad[0].byte_count = 0;
    bad[1].byte_count = ALE_LABEL_BYTES + 1;
    bad[2].places[0] = ALE_RAM_SIZE;
    bad[3].code = ALE_LABEL_SIGNED + 1;
    bad[4].code = -1;
    bad[5].struct_size = 0;
    const uint8_t ram[ALE_RAM_SIZE] = {0};
    int32_t values[] = {5, 5};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const ale_label *both[] = {&good, &bad[i]};
        CHECK_EQUAL(ale_label_values(both, 2, ram, 1, values), ALE_INVALID_ARGUMENT);
        CHECK_EQUAL(values[0], 5);
        CHECK_EQUAL(ale_label_bound(&bad[i]), ALE_INVALID_ARGUMENT);
    }
    const ale_label *none = NULL;
    CHECK_EQUAL(ale_label_values(&none, 1, ram, 1, values), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(ale_label_values(NULL, 1, ram, 1, values), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(ale_label_values(NULL, 0, ram, 1, values), ALE_OK);
    CHECK_EQUAL(ale_label_values(&none, 0, NULL, 0, NULL), ALE_OK);
    ale_label large = LABEL(.byte_count = 4, .places = {1, 2, 3, 4}, .scale = 1, .blank = -1);
    CHECK_EQUAL(ale_label_bound(&large), ALE_INVALID_ARGUMENT);
    large.mask = INT32_MAX;
    CHECK_EQUAL(ale_label_bound(&large), ALE_OK);
    CHECK_EQUAL(large.high, INT32_MAX);
    large.offset = 1;
    CHECK_EQUAL(ale_label_bound(&large), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(large.high, INT32_MAX);
}

/* ---- Games --------------------------------------------------------------------------------------------- */

static void tables_of_games(void) {
    int32_t games = 0, labels = 0;
    for (int32_t game = 0; game < ale_game_count(); game++) {
        const uint32_t count = ale_game_label_count(game);
        games += count > 0;
        labels += (int32_t)count;
        ale_label label = {.struct_size = sizeof label};
        for (uint32_t i = 0; i < count; i++) {
            CHECK_EQUAL(ale_game_label(game, i, &label), ALE_OK);
            const int32_t low = label.low, high = label.high;
            CHECK(label.name && label.about && low < high);
            CHECK(label.kind >= ALE_LABEL_X && label.kind <= ALE_LABEL_NUMBER && label.player <= ALE_MAX_PLAYERS);
            CHECK_EQUAL(ale_label_bound(&label), ALE_OK); /* so all its fields are in range */
            CHECK(label.low == low && label.high == high);
        }
        CHECK(count <= MOST_LABELS);
        CHECK_EQUAL(ale_game_label(game, count, &label), ALE_INVALID_ARGUMENT);
    }
    CHECK(games > 100 && labels > 600);
    CHECK_EQUAL(ale_game_label_count(-1), 0);
    CHECK_EQUAL(ale_game_label_count(ale_game_count()), 0);
    CHECK_EQUAL(ale_game_label_count(ale_game_by_name("video_cube")), 0);
    ale_label label = {.struct_size = sizeof label};
    CHECK_EQUAL(ale_game_label(-1, 0, &label), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(ale_game_label(ale_game_by_name("pong"), 0, NULL), ALE_INVALID_ARGUMENT);
}

/* The labels of a game by ale_label_values. */
static uint32_t expect_labels(const char *name, const uint8_t *ram, int32_t *values) {
    static ale_label labels[MOST_LABELS];
    const ale_label *all[MOST_LABELS];
    const int32_t game = ale_game_by_name(name);
    const uint32_t count = ale_game_label_count(game);
    for (uint32_t i = 0; i < count; i++) {
        labels[i].struct_size = sizeof *labels;
        CHECK_EQUAL(ale_game_label(game, i, &labels[i]), ALE_OK);
        all[i] = &labels[i];
    }
    CHECK_EQUAL(ale_label_values(all, count, ram, 1, values), ALE_OK);
    return count;
}

static void an_environment_has_labels(void) {
    ale_rom *rom = make_test_rom("qbert", NULL, NULL);
    ale_env *env = env_of(rom, NULL);
    for (uint32_t i = 0; i < ALE_RAM_SIZE; i++) CHECK_EQUAL(ale_env_set_ram(env, i, 37 * i & 255), ALE_OK);
    int32_t values[MOST_LABELS] = {0}, expected[MOST_LABELS];
    size_t count = 0;
    CHECK_EQUAL(ale_env_labels(env, values, MOST_LABELS, &count), ALE_OK);
    CHECK_EQUAL(count, expect_labels("qbert", ale_env_ram(env), expected));
    CHECK(count && memcmp(values, expected, count * sizeof *values) == 0);
    values[1] = 12345;
    CHECK_EQUAL(ale_env_labels(env, values, 1, &count), ALE_OK);
    CHECK_EQUAL(values[1], 12345);
    CHECK_EQUAL(ale_env_labels(env, NULL, 0, &count), ALE_OK);
    CHECK_EQUAL(ale_env_labels(env, NULL, 1, &count), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(ale_env_labels(env, values, 1, NULL), ALE_INVALID_ARGUMENT);
    ale_env_destroy(env);
    ale_rom_release(rom);

    rom = make_test_rom("", NULL, NULL);
    CHECK_EQUAL(ale_env_create(rom, NULL, &env), ALE_OK);
    CHECK_EQUAL(ale_env_labels(env, values, MOST_LABELS, &count), ALE_OK);
    CHECK_EQUAL(count, 0);
    ale_env_destroy(env);
    ale_rom_release(rom);
}

static ale_status create_with(const ale_terminal *terminals, uint32_t count, ale_rom **rom) {
    uint8_t image[TEST_ROM_SIZE];
    test_rom(image);
    ale_rom_options options = rom_defaults();
    options.game = "qbert";
    options.terminals = terminals;
    options.terminal_count = count;
    return ale_rom_create(image, sizeof image, &options, rom);
}

/* tests/layers/test_terminal_on.py tests when. */
static void a_label_ends_an_episode(void) {
    ale_rom *rom = NULL;
    ale_env *env = NULL;
    const ale_terminal stays[] = {{"player_x", ALE_RISES, 0}, {"score", ALE_STAYS, 3}};
    CHECK_EQUAL(create_with(stays, 2, &rom), ALE_OK);
    CHECK_EQUAL(ale_env_create(rom, NULL, &env), ALE_OK);
    const ale_report *report = ale_env_report(env);
    for (int episode = 0; episode < 2; episode++) {
        const int32_t first = report->episode_frame_number, noop = ALE_NOOP;
        CHECK(!report->terminated);
        CHECK_EQUAL(report->ended_by, -1);
        CHECK_EQUAL(ale_env_act(env, &noop, NULL, 1, 5), ALE_OK);
        CHECK(report->terminated);
        CHECK_EQUAL(report->ended_by, 1);
        CHECK_EQUAL(report->episode_frame_number - first, 3);
        CHECK_EQUAL(ale_env_reset(env), ALE_OK);
    }
    ale_env_destroy(env);
    ale_rom_release(rom);
}

static void terminals_that_are_refused(void) {
    static const ale_terminal refused[][2] = {
        {{NULL, ALE_RISES, 0}},   {{"score", -1, 0}},         {{"score", ALE_STAYS + 1, 0}}, {{"score", ALE_STAYS, 0}},
        {{"score", ALE_RISES, 1}}, {{"score", ALE_STAYS, 65536}}, {{"scores", ALE_RISES, 0}},
        {{"score", ALE_STAYS, 5}, {"player_x", ALE_STAYS, 5}},
    };
    ale_rom *rom = NULL;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        CHECK_EQUAL(create_with(refused[i], refused[i][1].label ? 2 : 1, &rom), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(create_with(NULL, 1, &rom), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(create_with(refused[0], ALE_MAX_TERMINALS + 1, &rom), ALE_INVALID_ARGUMENT);
    CHECK(!rom);
}

/* ---- Vectors ------------------------------------------------------------------------------------------- */

static ale_vector_options labels_options(void) {
    ale_vector_options options = vector_defaults();
    options.observation = ALE_OBSERVE_LABELS;
    options.max_num_frames_per_episode = 25;
    options.autoreset = ALE_SAME_STEP;
    return options;
}

static void a_vector_delivers_labels(void) {
    ale_rom *rom = make_test_rom("qbert", NULL, NULL), *roms[ENVS] = {rom, rom, rom};
    const size_t count = ale_game_label_count(ale_game_by_name("qbert")), row = count * sizeof(int32_t);
    const ale_vector_options options = labels_options();
    ale_vector *vector = vector_from(roms, NULL, ENVS, &options);
    ale_vector_info info = {.struct_size = sizeof info};
    CHECK_EQUAL(ale_vector_describe(vector, &info), ALE_OK);
    CHECK_EQUAL(info.observation_size, STACK * row);
    static results r;
    static int32_t labels[ENVS * MOST_LABELS], before[ENVS * MOST_LABELS];
    static uint8_t ram[ENVS][ALE_RAM_SIZE];
    ale_batch batch = batch_of(&r);
    batch.labels = labels;
    batch.ram = ram[0];
    begin_all(vector, &batch, NULL);
    for (int step = 0; step < STEPS; step++) {
        for (size_t env = 0; env < ENVS; env++) {
            int32_t expected[MOST_LABELS];
            expect_labels("qbert", ram[env], expected);
            const uint8_t *seen = r.observations[0] + env * info.observation_size;
            CHECK(memcmp(&labels[env * count], expected, row) == 0);
            CHECK(memcmp(seen + (STACK - 1) * row, expected, row) == 0);
            if (step && !r.truncations[env]) CHECK(memcmp(seen + (STACK - 2) * row, &before[env * count], row) == 0);
        }
        memcpy(before, labels, sizeof before);
        const int32_t actions[ENVS] = {0};
        CHECK_EQUAL(ale_vector_step(vector, actions, NULL, &batch), ALE_OK);
    }
    size_t size = 0;
    uint8_t *saved = save_vector(vector, &size);
    CHECK_EQUAL(ale_vector_copy(vector, (int32_t[]){2}, (int32_t[]){0}, 1), ALE_OK);
    CHECK_EQUAL(ale_vector_restore(vector, saved, size), ALE_OK);
    free(saved);
    ale_vector_destroy(vector);
    ale_rom_release(rom);
}

static void indicators_are_numbers(void) {
    ale_rom *rom = make_test_rom("qbert", NULL, NULL);
    ale_vector_options options = labels_options();
    options.rules = ALE_MULTI;
    options.agent_indicator = 1;
    ale_vector *vector = vector_from(&rom, NULL, 1, &options);
    static results r;
    const ale_batch batch = batch_of(&r);
    begin_all(vector, &batch, NULL);
    const uint32_t count = ale_game_label_count(ale_game_by_name("qbert"));
    for (uint32_t i = 0; i < count; i++) {
        int32_t value = 0;
        memcpy(&value, r.observations[0] + (STACK * count + i) * sizeof value, sizeof value);
        CHECK_EQUAL(value, 255);
    }
    ale_vector_destroy(vector);
    ale_rom_release(rom);
}

static void vectors_without_labels(void) {
    ale_rom *some = make_test_rom("qbert", NULL, NULL), *other = make_test_rom("amidar", NULL, NULL), *none = make_test_rom("", NULL, NULL);
    ale_vector_options options = labels_options();
    ale_vector *vector = NULL;
    CHECK_EQUAL(ale_vector_create(&none, NULL, 1, &options, &vector), ALE_UNSUPPORTED);
    CHECK(strcmp(ale_last_error(), "a ROM without rules has no labels") == 0);
    ale_rom *mixed[] = {some, other};
    CHECK_EQUAL(ale_vector_create(mixed, NULL, 2, &options, &vector), ALE_UNSUPPORTED);
    CHECK(strcmp(ale_last_error(), "labels are of one game; there are qbert and amidar") == 0);
    options.mirror = 1;
    CHECK_EQUAL(ale_vector_create(&some, NULL, 1, &options, &vector), ALE_INVALID_ARGUMENT);
    options.mirror = 0;
    options.observation = ALE_OBSERVE_RAM;
    CHECK_EQUAL(ale_vector_create(mixed, NULL, 2, &options, &vector), ALE_OK);
    static results r;
    ale_batch batch = batch_of(&r);
    static int32_t labels[2 * MOST_LABELS];
    batch.labels = labels;
    CHECK_EQUAL(ale_vector_post(vector, &batch), ALE_UNSUPPORTED);
    batch.labels = NULL;
    CHECK_EQUAL(ale_vector_post(vector, &batch), ALE_OK);
    ale_vector_destroy(vector);
    ale_rom_release(some);
    ale_rom_release(other);
    ale_rom_release(none);
}

int main(void) {
    RUN(a_label_is_a_function_of_bytes());
    RUN(bits_that_count());
    RUN(labels_that_are_refused());
    RUN(tables_of_games());
    RUN(an_environment_has_labels());
    RUN(a_label_ends_an_episode());
    RUN(terminals_that_are_refused());
    RUN(a_vector_delivers_labels());
    RUN(indicators_are_numbers());
    RUN(vectors_without_labels());
    return check_failures;
}
