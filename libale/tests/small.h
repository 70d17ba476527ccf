/* What many tests begin with: options as they are by default, and what is made of them, without which a test ends; the
 * ROM of a small program, and options of small vectors. */
#ifndef ALE_TEST_SMALL_H
#define ALE_TEST_SMALL_H

#include <ale/ale.h>
#include <stdbool.h>

#include "check.h"
#include "test_rom.h"

static inline ale_rom_options rom_defaults(void) {
    ale_rom_options options;
    ale_rom_options_init(&options, sizeof options);
    return options;
}

static inline ale_env_options env_defaults(void) {
    ale_env_options options;
    ale_env_options_init(&options, sizeof options);
    return options;
}

static inline ale_vector_options vector_defaults(void) {
    ale_vector_options options;
    ale_vector_options_init(&options, sizeof options);
    return options;
}

static inline void need(ale_status status) {
    if (status != ALE_OK) fprintf(stderr, "%s\n", ale_last_error()), exit(1);
}

static inline ale_rom *rom_of(const uint8_t *bytes, size_t size, const ale_rom_options *options) {
    ale_rom *rom = NULL;
    need(ale_rom_create(bytes, size, options, &rom));
    return rom;
}

static inline ale_env *env_of(ale_rom *rom, const ale_env_options *options) {
    ale_env *env = NULL;
    need(ale_env_create(rom, options, &env));
    return env;
}

static inline ale_vector *vector_from(ale_rom *const *roms, const uint32_t *seeds, uint32_t count,
                                      const ale_vector_options *options) {
    ale_vector *vector = NULL;
    need(ale_vector_create(roms, seeds, count, options, &vector));
    return vector;
}

static inline ale_state *new_state(void) {
    ale_state *state = NULL;
    need(ale_state_create(&state));
    return state;
}

static inline ale_state *state_of(ale_env *env, uint32_t include_random) {
    ale_state *state = new_state();
    need(ale_env_save(env, include_random, state));
    return state;
}

static inline bool equal_states(const ale_state *a, const ale_state *b) {
    uint32_t equal = 0;
    CHECK_EQUAL(ale_state_equal(a, b, &equal), ALE_OK);
    return equal;
}

/* Reset all environments of a vector, and receive what they show. */
static inline void begin_all(ale_vector *vector, const ale_batch *batch, const int64_t *seeds) {
    CHECK_EQUAL(ale_vector_post(vector, batch), ALE_OK);
    CHECK_EQUAL(ale_vector_reset(vector, NULL, seeds), ALE_OK);
    CHECK_EQUAL(ale_vector_recv(vector), ALE_OK);
}

/* With the rules of a game; "": without any. */
static inline ale_rom *small_rom(const uint8_t image[TEST_ROM_SIZE], const char *game) {
    ale_rom_options options = rom_defaults();
    options.game = game;
    return rom_of(image, TEST_ROM_SIZE, &options);
}

/* Square pictures, and short episodes. */
static inline ale_vector_options small_options_of(uint32_t image, uint32_t stack, int32_t frames) {
    ale_vector_options options = vector_defaults();
    options.img_height = options.img_width = image;
    options.stack_num = stack;
    options.repeat_action_probability = 0.25f;
    options.max_num_frames_per_episode = frames;
    options.noop_max = 5;
    return options;
}

#endif
