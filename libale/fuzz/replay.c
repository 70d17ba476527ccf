/*
 * A fuzz target without a fuzzer: runs the inputs in the files named, or else some made of random bytes.  Any compiler
 * builds it, so that the targets keep up with the library where there is no libFuzzer, and an input that was found runs
 * under any debugger.
 */
#include <stdint.h>
#include <stdio.h>

#define INPUTS 64
#define LARGEST 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path) {
    static uint8_t data[1 << 20];
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    const size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    return 0;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (replay(argv[i])) return 1;
    if (argc > 1) return 0;
    static uint8_t data[LARGEST];
    uint64_t random = 1;
    for (size_t size = 0; size < LARGEST; size += LARGEST / INPUTS) {
        for (size_t i = 0; i < size; i++) {
            random = random * 6364136223846793005U + 1442695040888963407U;
            data[i] = (uint8_t)(random >> 56);
        }
        LLVMFuzzerTestOneInput(data, size);
    }
    return 0;
}
