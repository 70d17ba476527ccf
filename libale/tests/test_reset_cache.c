/* Starts: environments that begin as copies are what those are that play every frame themselves, bit by bit and in the
 * frames that they count. */
#include <ale/ale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "environment/state.h"
#include "small.h"
#include "vector/vector.h"

enum { ENVS = 6, IMAGE = 12, STACK = 2, MOST_OBSERVED = 2 * 4 * STACK * 210 * 160, STEPS = 9, ROUNDS = 5 };

#define RESULT_BYTES (MOST_OBSERVED / ENVS)
#define RESULT_PLAYERS 2
#include "results.h"

/* ---- Vectors, and vectors of one ------------------------------------------------------------------------ */

static ale_vector *make_vector(ale_rom *const *roms, const uint32_t *seeds, uint32_t count,
                               const ale_vector_options *options) {
    return vector_from(roms, seeds, count, options);
}

static void mix(uint32_t *digest, const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) *digest = (*digest ^ ((const uint8_t *)bytes)[i]) * UINT32_C(16777619);
}

/* All of an environment but the latches of collisions, which are evaluated late (state_equal). */
static void mix_env(uint32_t *digest, const sub_env *e) {
    ale_state state = {0};
    machine_state machine;
    CHECK_EQUAL(environment_save(e->env, true, &state), ALE_OK);
    const saved_environment *head = state_head(&state);
    const size_t own = state_is_multi(head) ? 0 : sizeof(mt19937);
    console_saved_machine(state.bytes + sizeof *head + own, &machine);
    machine.tia.collisions = 0;
    mix(digest, &head->s, sizeof head->s);
    mix(digest, head + 1, own);
    mix(digest, &machine, sizeof machine);
    mix(digest, environment_screen(e->env), environment_screen_size(e->env));
    mix(digest, &e->s.random, sizeof e->s.random);
    mix(digest, &e->env->report, sizeof e->env->report);
    free(state.bytes);
}

/* Mix into each digest what an environment is, and what is observed and counted of it. */
static void note(ale_vector *v, const results *r, uint32_t *digest) {
    const size_t size = sub_env_observation_size(v->sub_envs), players = v->options.players;
    for (uint32_t i = 0; i < v->count; i++) {
        mix_env(&digest[i], &v->sub_envs[i]);
        mix(&digest[i], r->observations[0] + i * size, size);
        mix(&digest[i], &r->frames[i], sizeof r->frames[i]);
        mix(&digest[i], &r->episode_frames[i], sizeof r->episode_frames[i]);
        mix(&digest[i], &r->rewards[i * players], players * sizeof *r->rewards);
        mix(&digest[i], &r->lives[i * players], players * sizeof *r->lives);
    }
}

static void reset(ale_vector *v, results *r, const int64_t *seeds) {
    const ale_batch batch = batch_of(r);
    begin_all(v, &batch, seeds);
}

/* `first` is the number of the vector's first environment among all. */
static void step(ale_vector *v, results *r, uint32_t first, int t) {
    const ale_batch batch = batch_of(r);
    int32_t actions[2 * ENVS];
    for (uint32_t i = 0; i < v->count * v->options.players; i++)
        actions[i] = (int32_t)((first * v->options.players + i) * 5 + (uint32_t)t * 3) % ALE_ACTION_COUNT;
    CHECK_EQUAL(ale_vector_step(v, actions, NULL, &batch), ALE_OK);
}

/* ---- The same together and apart ------------------------------------------------------------------------ */

typedef struct game {
    ale_rom *rom;
    int32_t modes[2];
    int32_t difficulties;
} game;

/* What an environment begins with in a round: the first one has no seeds, and in the last one half have none. */
static int64_t seed_of(int round, uint32_t i) {
    if (!round) return -1;
    return round == 2 ? 7 : 10 * round + (int64_t)i; /* once all have the same */
}

static void choose(ale_vector *v, uint32_t index, const game *g, int round, uint32_t i) {
    const int32_t mode = g->modes[round > 2 && i % 2], difficulty = (int32_t)(i / 2) % g->difficulties;
    CHECK_EQUAL(ale_vector_select(v, index, mode, round > 1 ? difficulty : 0), ALE_OK);
}

static void play_together(const game *const games[ENVS], const ale_vector_options *options,
                          uint32_t digests[ROUNDS][ENVS]) {
    static results r;
    ale_rom *roms[ENVS];
    for (int i = 0; i < ENVS; i++) roms[i] = games[i]->rom;
    ale_vector *v = make_vector(roms, NULL, ENVS, options);
    for (int round = 0; round < ROUNDS; round++) {
        int64_t seeds[ENVS];
        for (uint32_t i = 0; i < ENVS; i++) {
            seeds[i] = seed_of(round, i);
            choose(v, i, games[i], round, i);
        }
        reset(v, &r, round ? seeds : NULL);
        note(v, &r, digests[round]);
        for (int t = 0; t < STEPS; t++) step(v, &r, 0, t);
        note(v, &r, digests[round]);
    }
    ale_vector_destroy(v);
}

/* Each environment in each round in a new vector, where it is the first to begin. */
static void play_apart(const game *const games[ENVS], const ale_vector_options *options,
                       uint32_t digests[ROUNDS][ENVS]) {
    static results r;
    for (int round = 0; round < ROUNDS; round++)
        for (uint32_t i = 0; i < ENVS; i++) {
            const int64_t seed = seed_of(round, i);
            ale_vector *v = make_vector(&games[i]->rom, &i, 1, options);
            choose(v, 0, games[i], round, i);
            reset(v, &r, round ? &seed : NULL);
            note(v, &r, &digests[round][i]);
            for (int t = 0; t < STEPS; t++) step(v, &r, i, t);
            note(v, &r, &digests[round][i]);
            ale_vector_destroy(v);
        }
}

static void compare(const char *what, const game *const games[ENVS], const ale_vector_options *options) {
    uint32_t together[ROUNDS][ENVS] = {0}, apart[ROUNDS][ENVS] = {0};
    play_together(games, options, together);
    play_apart(games, options, apart);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < ENVS; i++) {
            if (together[round][i] == apart[round][i]) continue;
            fprintf(stderr, "%s, round %d, environment %d:\n", what, round, i);
            CHECK_EQUAL(together[round][i], apart[round][i]);
        }
    CHECK(together[1][0] != together[1][1]); /* seeds matter */
}

/* Programs with frames of 50 lines, which leave rows undrawn, of 250 and of 300, which are PAL. */
typedef enum program { SHORT, USUAL, OTHER, LONG } program;

static void assemble(program which, uint8_t image[TEST_ROM_SIZE]) {
    static const uint8_t lines[] = {0xA2, 0xFA, 0x85, 0x02, 0xCA, 0xD0, 0xFB, 0x4C}; /* LDX #250 ... JMP frame */
    static const uint8_t more[] = {0xA2, 0x32, 0x85, 0x02, 0xCA, 0xD0, 0xFB, 0x4C, 0x00, 0xF0};
    size_t at = 0;
    if (which == USUAL || which == OTHER)
        busy_test_rom(image);
    else
        test_rom(image);
    if (which == OTHER) image[0x800] = 1;
    while (which != USUAL && which != OTHER && memcmp(image + at, lines, sizeof lines) != 0) at++;
    if (which == SHORT) image[at + 1] = 50;
    if (which == LONG) memcpy(image + at + sizeof lines - 1, more, sizeof more);
}

static ale_rom *make_rom(const char *text, program which) {
    uint8_t image[TEST_ROM_SIZE];
    assemble(which, image);
    ale_rom_options options = rom_defaults();
    ale_rom *rom = NULL;
    if (ale_card_create(text, strlen(text), &options.card) != ALE_OK ||
        ale_rom_create(image, sizeof image, &options, &rom) != ALE_OK)
        fprintf(stderr, "%s\n", ale_last_error()), exit(1);
    ale_card_release(options.card);
    return rom;
}

#define HEAD "name = \"any\"\nrom = \"any.bin\"\nscore = \"ram[32] + n\"\nlives = \"ram[22]\"\n"
#define VARIABLES "[variables]\nn = \"n + ram[16]\"\n"
static const char PLAIN[] = HEAD "difficulties = [0, 1, 2]\nmodes = [1, 3]\n" VARIABLES;
static const char SELECTS[] =
    HEAD "modes = [2, 5]\n[select]\nuntil = \"ram[32] % 8 == mode\"\nframes = 2\n" VARIABLES;
/* Acts while the mode is selected, which draw whether actions stick. */
static const char DRAWS[] =
    HEAD "modes = [2, 5]\n[select]\nuntil = \"ram[32] % 8 == mode\"\nframes = 2\nrest = 3\n" VARIABLES;
static const char PADDLES[] = "controllers = \"paddles\"\n" HEAD "modes = [1, 3]\n" VARIABLES;
static const char SEVERAL[] = "name = \"any\"\nrom = \"any.bin\"\nscore = [\"ram[32]\", \"n\"]\n"
                              "[modes]\n1 = [1]\n2 = [2, 4]\n" VARIABLES;

static ale_vector_options options_of(uint32_t variant) {
    ale_vector_options options = small_options_of(IMAGE, STACK, 12);
    options.num_threads = 3 - variant % 3;
    options.autoreset = variant % 2 ? ALE_SAME_STEP : ALE_NEXT_STEP;
    options.observation = (int32_t[]){ALE_OBSERVE_GRAYSCALE, ALE_OBSERVE_RAM, ALE_OBSERVE_RGB}[variant % 3];
    options.sound = variant % 2;
    options.noop_max = variant % 4 ? 5 : 0;
    return options;
}

static void copies_are_what_is_played(void) {
    const game plain = {make_rom(PLAIN, USUAL), {1, 3}, 3}, other = {make_rom(PLAIN, OTHER), {1, 3}, 3};
    const game selects = {make_rom(SELECTS, USUAL), {2, 5}, 1}, draws = {make_rom(DRAWS, USUAL), {2, 5}, 1};
    const game brief = {make_rom(PLAIN, SHORT), {1, 3}, 3}, lengthy = {make_rom(PLAIN, LONG), {1, 3}, 3};
    const game paddles = {make_rom(PADDLES, USUAL), {1, 3}, 1}, several = {make_rom(SEVERAL, USUAL), {2, 4}, 1};
    const uint32_t variants = (uint32_t)check_turns(6);
    for (uint32_t variant = 0; variant < variants; variant++) {
        ale_vector_options options = options_of(variant);
        compare("plain", (const game *[]){&plain, &plain, &plain, &plain, &plain, &plain}, &options);
        compare("selects", (const game *[]){&selects, &selects, &selects, &selects, &selects, &selects}, &options);
        compare("draws", (const game *[]){&draws, &draws, &draws, &draws, &draws, &draws}, &options);
        compare("mixed", (const game *[]){&plain, &other, &draws, &other, &plain, &draws}, &options);
        compare("formats", (const game *[]){&brief, &lengthy, &brief, &lengthy, &brief, &lengthy}, &options);
        compare("paddles", (const game *[]){&paddles, &selects, &paddles, &selects, &paddles, &paddles}, &options);
        options.rules = ALE_MULTI;
        options.players = 2;
        options.repeat_action_probability = 0;
        compare("several", (const game *[]){&several, &several, &several, &several, &several, &several}, &options);
    }
    const game *const all[] = {&plain, &other, &selects, &draws, &brief, &lengthy, &paddles, &several};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) ale_rom_release(all[i]->rom);
}

/* Not under ALE_MULTI, and not where a mode selection draws. */
static void starts_are_kept_where_seeds_do_not_matter(void) {
    const struct {
        const char *card;
        ale_rules rules;
        bool kept;
    } cases[] = {{PLAIN, ALE_SOLO, true}, {SELECTS, ALE_SOLO, true}, {DRAWS, ALE_SOLO, false}, {SEVERAL, ALE_MULTI, false}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        ale_rom *rom = make_rom(cases[n].card, USUAL);
        ale_vector_options options = options_of(0);
        options.rules = (int32_t)cases[n].rules;
        ale_vector *v = make_vector((ale_rom *[]){rom, rom}, NULL, 2, &options);
        CHECK_EQUAL(v->cache != NULL, cases[n].kept);
        CHECK(v->sub_envs[0].cache == v->cache && v->sub_envs[1].cache == v->cache);
        ale_vector_destroy(v);
        ale_rom_release(rom);
    }
}

/* Nor where one draws in that mode only. */
static void what_drew_is_not_kept(void) {
    for (int draws = 0; draws < 2; draws++) {
        ale_rom *rom = make_rom(draws ? DRAWS : SELECTS, USUAL);
        const int32_t mode = draws ? 2 : 5;
        ale_env *env = NULL;
        CHECK_EQUAL(environment_create(rom, &environment_default_options, &(environment_setting){0}, &env), ALE_OK);
        reset_cache *s = reset_cache_create(env, NULL);
        if (!env || !s) exit(1);
        env->s.mode = mode;
        CHECK_EQUAL(environment_reset(env), ALE_OK);
        reset_cache_note(s, env, 0);
        CHECK_EQUAL(reset_cache_recall(s, env, mode, 0, 1), !draws);
        CHECK(reset_cache_destroy(s) == NULL);
        environment_destroy(env);
        ale_rom_release(rom);
    }
}

/* A vector that is restored before its first reset goes on as the saved one does: it does not stand where it was made,
 * though nothing was drawn yet. */
static void restored_are_not_as_made(void) {
    static results r;
    ale_rom *const rom = make_rom(PLAIN, USUAL), *const roms[] = {rom, rom, rom};
    const ale_vector_options options = options_of(0);
    const int64_t seeds[] = {3, 4, 5};
    uint32_t digest[3] = {0}, expected[3] = {0};
    size_t size, one;
    ale_vector *source = make_vector(roms, NULL, 3, &options), *v = make_vector(roms, NULL, 3, &options);
    reset(source, &r, NULL);
    CHECK_EQUAL(ale_vector_save(source, NULL, 0, &size), ALE_OK);
    CHECK_EQUAL(ale_vector_save_env(source, 0, NULL, 0, &one), ALE_OK);
    uint8_t *bytes = malloc(size), *bytes_of_one = malloc(one);
    if (!bytes || !bytes_of_one) exit(1);
    CHECK_EQUAL(ale_vector_save(source, bytes, size, &size), ALE_OK);
    CHECK_EQUAL(ale_vector_save_env(source, 0, bytes_of_one, one, &one), ALE_OK);
    CHECK_EQUAL(ale_vector_restore(v, bytes, size), ALE_OK);
    for (int i = 0; i < 3; i++) CHECK(!v->sub_envs[i].as_made);
    for (int again = 0; again < 2; again++) {
        reset(source, &r, again ? seeds : NULL);
        note(source, &r, expected);
        reset(v, &r, again ? seeds : NULL);
        note(v, &r, digest);
        CHECK(memcmp(digest, expected, sizeof digest) == 0);
    }
    ale_vector_destroy(v);
    v = make_vector(roms, NULL, 3, &options);
    CHECK_EQUAL(vector_restore_sub_env(&v->sub_envs[1], bytes_of_one, one), ALE_OK);
    CHECK(v->sub_envs[0].as_made && !v->sub_envs[1].as_made);
    free(bytes);
    free(bytes_of_one);
    ale_vector_destroy(v);
    ale_vector_destroy(source);
    ale_rom_release(rom);
}

/* A copy stands elsewhere, too, though its memory may be another's. */
static void copies_are_not_as_made(void) {
    static results r;
    ale_rom *const rom = make_rom(PLAIN, USUAL), *const roms[] = {rom, rom, rom};
    const ale_vector_options options = options_of(0);
    ale_vector *v = make_vector(roms, NULL, 3, &options);
    CHECK_EQUAL(ale_vector_copy(v, (int32_t[]){1}, (int32_t[]){0}, 1), ALE_OK);
    CHECK(!v->sub_envs[0].as_made && v->sub_envs[1].as_made && v->sub_envs[2].as_made);
    CHECK_EQUAL(ale_vector_copy(v, (int32_t[]){1, 0}, (int32_t[]){0, 1}, 2), ALE_OK); /* they change places */
    CHECK(v->sub_envs[0].as_made && !v->sub_envs[1].as_made && v->sub_envs[2].as_made);
    reset(v, &r, NULL);
    for (int i = 0; i < 3; i++) CHECK(!v->sub_envs[i].as_made);
    ale_vector_destroy(v);
    ale_rom_release(rom);
}

static uint32_t saved_equal(ale_vector *v, const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size) {
    uint32_t equal = 2;
    CHECK_EQUAL(ale_vector_saved_equal(v, a, a_size, b, b_size, &equal), ALE_OK);
    return equal;
}

/* By other threads and other fast paths, with starts that were played or copied. */
static void saved_vectors_are_compared(void) {
    static results r;
    ale_rom *rom = make_rom(PLAIN, USUAL), *roms[ENVS];
    for (int i = 0; i < ENVS; i++) roms[i] = rom;
    const int64_t seeds[ENVS] = {1, 2, 1, 3, 2, 1};
    ale_vector_options options = options_of(0);
    ale_vector *one = make_vector(roms, NULL, ENVS, &options), *other;
    options.num_threads = 1;
    options.fast_paths = 0;
    other = make_vector(roms, NULL, ENVS, &options);
    uint8_t *bytes[2] = {NULL, NULL};
    size_t sizes[2];
    for (int t = 0; t < 12; t++) {
        for (int i = 0; i < 2; i++) {
            ale_vector *v = i ? other : one;
            if (t % 4 == 0) reset(v, &r, seeds);
            for (int n = 0; n < 5; n++) step(v, &r, 0, 5 * t + n);
            free(bytes[i]);
            bytes[i] = save_vector(v, &sizes[i]);
        }
        CHECK_EQUAL(saved_equal(one, bytes[0], sizes[0], bytes[1], sizes[1]), 1);
    }
    step(one, &r, 0, 0);
    size_t size;
    uint8_t *later = save_vector(one, &size);
    CHECK_EQUAL(saved_equal(one, bytes[0], sizes[0], later, size), 0);
    CHECK_EQUAL(saved_equal(other, later, size, later, size), 1);
    uint32_t equal = 2;
    later[size / 2] ^= 1;
    CHECK_EQUAL(ale_vector_saved_equal(one, later, size, later, size, &equal), ALE_BAD_STATE);
    CHECK_EQUAL(ale_vector_saved_equal(one, bytes[0], sizes[0], later, size, &equal), ALE_BAD_STATE);
    CHECK_EQUAL(ale_vector_saved_equal(one, bytes[0], sizes[0] - 1, bytes[1], sizes[1], &equal), ALE_BAD_STATE);
    CHECK_EQUAL(ale_vector_saved_equal(one, NULL, 0, later, size, &equal), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(equal, 2);
    free(later);
    free(bytes[0]);
    free(bytes[1]);
    ale_vector_destroy(one);
    ale_vector_destroy(other);
    ale_rom_release(rom);
}

/* ---- Frames --------------------------------------------------------------------------------------------- */

static uint32_t limit;

static ale_vector_options limited_options(void) {
    ale_vector_options options = options_of(0);
    options.noop_max = 5;
    options.frame_limit = &limit;
    return options;
}

/* A copy is made within the frames that it would take to play, and not with fewer. */
static void copies_are_made_within_the_limit(void) {
    ale_rom *rom = make_rom(SELECTS, USUAL);
    ale_env_options options = environment_default_options;
    options.frame_limit = &limit;
    int made = 0;
    for (uint32_t frames = 60; frames < 140; frames++) {
        ale_env *first = NULL, *alone = NULL, *copy = NULL;
        limit = UINT32_MAX;
        CHECK_EQUAL(environment_create(rom, &options, &(environment_setting){0}, &first), ALE_OK);
        limit = frames;
        const ale_status status = environment_create(rom, &options, &(environment_setting){0}, &alone);
        CHECK_EQUAL(environment_create(rom, &options, &(environment_setting){.twin = first}, &copy), status);
        if (status == ALE_OK) CHECK_EQUAL(copy->frames, alone->frames);
        made += status == ALE_OK;
        environment_destroy(first);
        environment_destroy(alone);
        environment_destroy(copy);
    }
    CHECK(made > 0 && made < 80);
    ale_rom_release(rom);
}

/* Under every limit those of a vector stop, or count, as each does alone. */
static void resets_count_frames(bool seeded) {
    static results r;
    static const int64_t seeds[] = {3, 4, 5}, others[] = {6, 7, 8};
    ale_rom *const rom = make_rom(SELECTS, USUAL), *const roms[] = {rom, rom, rom};
    const ale_vector_options options = limited_options();
    const ale_batch batch = batch_of(&r);
    int stopped = 0, went_on = 0;
    for (uint32_t frames = 0; frames < 240; frames += frames < 60 ? 30 : 3) {
        limit = UINT32_MAX;
        ale_vector *v = make_vector(roms, NULL, 3, &options);
        if (seeded) reset(v, &r, others); /* from here on the start is known */
        CHECK_EQUAL(ale_vector_post(v, &batch), ALE_OK);
        limit = frames;
        CHECK_EQUAL(ale_vector_reset(v, NULL, seeded ? seeds : NULL), ALE_OK);
        const ale_status status = ale_vector_recv(v);
        ale_status expected = ALE_OK;
        for (uint32_t i = 0; i < 3; i++) {
            limit = UINT32_MAX;
            ale_vector *one = make_vector(&rom, &i, 1, &options);
            CHECK_EQUAL(ale_vector_post(one, &batch), ALE_OK);
            limit = frames;
            CHECK_EQUAL(ale_vector_reset(one, NULL, seeded ? &seeds[i] : NULL), ALE_OK);
            const ale_status alone = ale_vector_recv(one);
            if (alone != ALE_OK) expected = alone;
            stopped += alone == ALE_STOPPED;
            went_on += alone == ALE_OK;
            CHECK_EQUAL(v->sub_envs[i].status, alone);
            CHECK_EQUAL(v->sub_envs[i].env->frames, one->sub_envs[0].env->frames);
            ale_vector_destroy(one);
        }
        CHECK_EQUAL(status, expected);
        ale_vector_destroy(v);
    }
    CHECK(stopped && went_on);
    ale_rom_release(rom);
}

/* A reset that was stopped leaves no start. */
static void stopped_starts_are_not_kept(bool seeded) {
    static results r;
    static const int64_t seeds[] = {3, 4, 5};
    ale_rom *const rom = make_rom(SELECTS, USUAL), *const roms[] = {rom, rom, rom};
    const ale_vector_options options = limited_options();
    const ale_batch batch = batch_of(&r);
    uint32_t digest[3] = {0}, expected[3] = {0};
    limit = UINT32_MAX;
    ale_vector *v = make_vector(roms, NULL, 3, &options), *other = make_vector(roms, NULL, 3, &options);
    CHECK_EQUAL(ale_vector_post(v, &batch), ALE_OK);
    limit = 70;
    CHECK_EQUAL(ale_vector_reset(v, NULL, seeded ? seeds : NULL), ALE_OK);
    CHECK_EQUAL(ale_vector_recv(v), ALE_STOPPED);
    limit = UINT32_MAX;
    reset(v, &r, seeds);
    note(v, &r, digest);
    reset(other, &r, seeds);
    note(other, &r, expected);
    CHECK(memcmp(digest, expected, sizeof digest) == 0);
    ale_vector_destroy(v);
    ale_vector_destroy(other);
    ale_rom_release(rom);
}

int main(void) {
    RUN(copies_are_what_is_played());
    RUN(starts_are_kept_where_seeds_do_not_matter());
    RUN(what_drew_is_not_kept());
    RUN(restored_are_not_as_made());
    RUN(copies_are_not_as_made());
    RUN(saved_vectors_are_compared());
    RUN(copies_are_made_within_the_limit());
    RUN(resets_count_frames(false));
    RUN(resets_count_frames(true));
    RUN(stopped_starts_are_not_kept(false));
    RUN(stopped_starts_are_not_kept(true));
    return check_failures;
}
