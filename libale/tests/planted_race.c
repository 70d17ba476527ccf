/* A race on purpose: one thread plays an environment while another reads its report.  Built under the thread
 * sanitizer only, which must find it: else a clean run of the other tests would say nothing. */
#include <ale/ale.h>
#include <pthread.h>
#include <stdio.h>

#include "test_rom.h"

enum { ACTS = 300 };

static void *play(void *env) {
    const int32_t noop = ALE_NOOP;
    for (int i = 0; i < ACTS; i++) (void)ale_env_act(env, &noop, NULL, 1, 1);
    return NULL;
}

int main(void) {
    uint8_t image[TEST_ROM_SIZE];
    test_rom(image);
    ale_rom_options options;
    ale_rom_options_init(&options, sizeof options);
    options.game = "";
    ale_rom *rom = NULL;
    ale_env *env = NULL;
    pthread_t player;
    if (ale_rom_create(image, sizeof image, &options, &rom) != ALE_OK || ale_env_create(rom, NULL, &env) != ALE_OK ||
        pthread_create(&player, NULL, play, env) != 0)
        return 0; /* which is not the failure that is wanted */
    const volatile int32_t *frame = &ale_env_report(env)->frame_number;
    while (*frame < ACTS) {}
    pthread_join(player, NULL);
    ale_env_destroy(env);
    ale_rom_release(rom);
    puts("no race was found");
    return 0;
}
