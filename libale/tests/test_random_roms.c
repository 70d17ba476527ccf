/* Images that no one wrote: random bytes of every size and in every bank-switching scheme, played at random
 * with resets and returns to older moments.  Meant for the sanitizers; it checks that fast paths and snapshots
 * change nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "gray_screen.h"
#include "loops.h"
#include "numbers.h"

enum { IMAGES = 40, FRAMES = 40, LARGEST = 512 * 1024 };
/* Those beyond, which only ALE_TEST_TIMES asks for, are for the translator alone: the other console has all other fast
 * paths, and nobody tries which format the image is for, which both took most of the time. */
enum { FRAMES_BEYOND = 8 };

/* Bytes with the vectors in the cartridge; every other image without the opcodes that stop the CPU. */
static void fill(uint8_t *image, size_t size, uint32_t *random) {
    bool tame = next_random(random) & 1;
    for (size_t i = 0; i < size; i++) {
        image[i] = (uint8_t)(next_random(random) >> 8);
        if (tame && (image[i] & 0x1F) == 0x12) image[i] = 0xEA;
    }
    for (size_t end = 2048; end <= size; end += 2048) {
        image[end - 3] |= 0xF0;
        image[end - 1] |= 0xF0;
    }
}

static controls random_hands(uint32_t *random) {
    controls hands;
    memset(&hands, 0, sizeof hands);
    uint32_t bits = next_random(random);
    hands.joystick[0] = bits & 0x1F;
    hands.joystick[1] = bits >> 5 & 0x1F;
    for (int i = 0; i < 4; i++) {
        hands.paddle_fire[i] = bits >> (10 + i) & 1;
        hands.paddle[i] = (int32_t)(next_random(random) % 1000000);
    }
    hands.select = (bits >> 14 & 7) == 0;
    hands.reset = (bits >> 17 & 7) == 0;
    hands.difficulty_set = bits >> 20 & 1;
    hands.difficulty = bits >> 21 & 3;
    return hands;
}

static bool same(console *a, console *b) {
    size_t size = (size_t)(console_screen_rows(a) * SCREEN_WIDTH);
    return memcmp(a->s.ram, b->s.ram, RAM_SIZE) == 0 &&
           memcmp(console_screen(a), console_screen(b), size) == 0 &&
           (!a->tells_objects || memcmp(console_objects(a), console_objects(b), size) == 0);
}

/* Two consoles, one without some fast paths, get the same hands; both wander off and return now and then. */
static bool play(rom_image *rom, uint32_t seed, uint8_t without, int frames) {
    uint32_t random = seed | 1;
    console_options options = {.seed = seed, .fast_paths = FAST_ALL, .tells_objects = seed & 1};
    console *fast = console_create(rom, &options);
    options.fast_paths = FAST_ALL & ~without;
    console *slow = console_create(rom, &options);
    void *fast_moment = fast ? malloc(console_snapshot_limit(fast)) : NULL;
    void *slow_moment = slow ? malloc(console_snapshot_limit(slow)) : NULL;
    bool good = fast_moment && slow_moment;
    static gray_screen gray;
    gray_screen_init(&gray);
    const gray_target target = gray_screen_target(&gray);
    const bool engine = seed & 2 && console_use_engine(fast, true);
    use_loops(fast, loops_of_turn(seed / 4));
    for (int frame = 0; good && frame < frames; frame++) {
        controls hands = random_hands(&random);
        console_set_controls(fast, &hands);
        console_set_controls(slow, &hands);
        if (frame & 2) console_expect_screen(fast);
        if (engine) console_expect_gray(fast, &target);
        console_run_frame(fast);
        console_run_frame(slow);
        good = same(fast, slow) &&
               (!console_drew_gray(fast) || gray_screen_shows(&gray, console_screen(slow), console_screen_rows(slow)));
        uint32_t choice = next_random(&random) % 16;
        if (choice == 0) {
            console_reset(fast);
            console_reset(slow);
        } else if (choice == 1) {
            uint8_t index = next_random(&random) % RAM_SIZE, value = (uint8_t)next_random(&random);
            console_poke(fast, index, value);
            console_poke(slow, index, value);
        } else if (choice < 4) { /* away and back */
            size_t fast_size = console_save(fast, fast_moment), slow_size = console_save(slow, slow_moment);
            for (uint32_t away = 0; away < choice; away++) console_run_frame(fast);
            good = good && console_restore(fast, fast_moment, fast_size) &&
                   console_restore(slow, slow_moment, slow_size) && same(fast, slow);
        }
    }
    free(slow_moment);
    free(fast_moment);
    console_destroy(slow);
    console_destroy(fast);
    return good;
}

int main(void) {
    static const size_t sizes[] = {0,     1,     100,   2047,  2048,  4096,  8192,   8448,   10240,     10495,
                                   10496, 12288, 16384, 16896, 32768, 65536, 131072, 131073, LARGEST};
    uint8_t *image = malloc(LARGEST);
    char error[256];
    CHECK(image != NULL);
    if (!image) return 1;
    long programs = 0;
    for (uint32_t seed = 1; seed <= (uint32_t)check_turns(IMAGES); seed++) {
        uint32_t random = seed * 2654435761u | 1;
        size_t size = sizes[next_random(&random) % (sizeof sizes / sizeof *sizes)];
        fill(image, size, &random);
        for (int scheme = ROM_AUTO; scheme < ROM_SCHEME_COUNT; scheme++) {
            rom_image *rom = console_open_rom(image, size, (rom_scheme)scheme, error);
            if (!rom) continue; /* the size does not fit the scheme */
            const bool beyond = seed > IMAGES;
            if (beyond) rom->properties.format = FORMAT_NTSC;
            bool good = beyond ? play(rom, seed, FAST_TRANSLATE, FRAMES_BEYOND) : play(rom, seed, FAST_ALL, FRAMES);
            programs++;
            CHECK(good);
            if (!good) {
                fprintf(stderr, "seed %u, %zu bytes, scheme %d\n", (unsigned)seed, size, scheme);
            }
            rom_image_release(rom);
        }
    }
    free(image);
    printf("%ld programs\n", programs);
    return check_failures;
}
