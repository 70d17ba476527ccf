/* What many tests begin with: the ROM of a small program, and options of small vectors. */
#ifndef ALE_TEST_SMALL_H
#define ALE_TEST_SMALL_H

#include <ale/ale.h>

#include "check.h"
#include "test_rom.h"

/* With the rules of a game; "": without any. */
static inline ale_rom *small_rom(const uint8_t image[TEST_ROM_SIZE], const char *game) {
    ale_rom_options options;
    ale_rom_options_init(&options, sizeof options);
    options.game = game;
    ale_rom *rom = NULL;
    CHECK_EQUAL(ale_rom_create(image, TEST_ROM_SIZE, &options, &rom), ALE_OK);
    if (!rom) exit(1);
    return rom;
}

/* Square pictures, and short episodes. */
static inline ale_vector_options small_options_of(uint32_t image, uint32_t stack, int32_t frames) {
    ale_vector_options options;
    ale_vector_options_init(&options, sizeof options);
    options.img_height = options.img_width = image;
    options.stack_num = stack;
    options.repeat_action_probability = 0.25f;
    options.max_num_frames_per_episode = frames;
    options.noop_max = 5;
    return options;
}

#endif
