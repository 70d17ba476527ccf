/* What the fuzz targets share: reading an input bit by bit, environments to damage, and mending what was damaged
 * so that checksums do not keep the fuzzer out. */
#ifndef ALE_FUZZ_H
#define ALE_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "console/video/picture.h"
#include "environment/environment.h"
#include "environment/state.h"
#include "support/checksum.h"
#include "test_rom.h"

/* A finding, for libFuzzer to keep the input. */
#define MUST(condition)                                                                                  \
    do {                                                                                                 \
        if (!(condition)) {                                                                              \
            fprintf(stderr, "%s:%d: MUST(%s) failed: %s\n", __FILE__, __LINE__, #condition, ale_last_error()); \
            abort();                                                                                     \
        }                                                                                                \
    } while (0)

/* ---- Time ---------------------------------------------------------------------------------------------- */

/* What a target does with an input. */
static void try_input(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An input that takes longer than so many seconds of a processor, whatever else runs there, is a finding; where the
 * environment variable is not set, none is. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *seconds = getenv("ALE_FUZZ_SECONDS");
    const clock_t start = clock();
    try_input(data, size);
    MUST(!seconds || (double)(clock() - start) <= atof(seconds) * (double)CLOCKS_PER_SEC);
    return 0;
}

/* For the options of all environments: no call plays more frames, of which each has its most instructions
 * (console/cpu/cpu.c).  The longest selection of a mode has 6,000 acts, of up to three frames here. */
static const uint32_t most_frames = 20000;
static inline ale_status in_time(ale_status status) {
    MUST(status != ALE_STOPPED);
    return status;
}

/* ---- Inputs -------------------------------------------------------------------------------------------- */

typedef struct input {
    const uint8_t *at, *end;
} input;

static inline uint32_t take(input *in, int bytes) { /* 0 behind the end */
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++) value = value << 8 | (in->at < in->end ? *in->at++ : 0u);
    return value;
}

/* The cartridge of the C tests, or the rest of the input over and over, in a size that the scheme takes. */
enum { LARGEST_IMAGE = 131072 };
static inline uint32_t size_for(rom_scheme scheme) {
    static const uint32_t sizes[ROM_SCHEME_COUNT] = {
        [ROM_2K] = 2048, [ROM_4K] = 4096, [ROM_F8] = 8192, [ROM_F8_SWAPPED] = 8192, [ROM_F8SC] = 8192,
        [ROM_F6] = 16384, [ROM_F6SC] = 16384, [ROM_F4] = 32768, [ROM_F4SC] = 32768, [ROM_FASC] = 12288,
        [ROM_FE] = 8192, [ROM_E0] = 8192, [ROM_E7] = 16384, [ROM_3F] = 8192, [ROM_3E] = 8192,
        [ROM_UA] = 8192, [ROM_MB] = 65536, [ROM_CV] = 2048, [ROM_MC] = 131072, [ROM_DPC] = 10240,
    };
    return sizes[scheme];
}

static inline void repeat_bytes(uint8_t *image, uint32_t size, const uint8_t *bytes, size_t count) {
    for (uint32_t i = 0; i < size; i++) image[i] = count ? bytes[i % count] : 0xEA;
}

/* Change single bytes, each a place and a value, behind `start`. */
static inline void damage(input *in, uint8_t *bytes, size_t start, size_t size) {
    while (in->at < in->end) {
        uint32_t place = take(in, 3);
        bytes[start + place % (size - start)] = (uint8_t)take(in, 1);
    }
}

/* Make a saved environment's checksum fit again. */
static inline void mend_state(uint8_t *bytes, size_t size) {
    if (size < sizeof(saved_environment)) return;
    const uint64_t sum = checksum(bytes, size, offsetof(saved_environment, checksum));
    memcpy(bytes + offsetof(saved_environment, checksum), &sum, sizeof sum);
}

#endif
