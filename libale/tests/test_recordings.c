/* Plays recordings, the files that docs/recordings.md specifies: rewards, ends, RAM and the last screen must be what they
 * were where they were made, on every machine.
 *
 * ALE_TEST_RECORDINGS is a folder that tests/recording/all_games.py has written: list.txt names the files, in which
 * consoles were played frame by frame, and whose members are not packed; beside them are the images, named after their
 * games, such as pong.bin.  Without it the test is skipped (status 77).
 *
 * It reads what the package writes, and does not check it: the readers for files of strangers are in Python and
 * JavaScript. */
#include <ale/ale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "small.h"

enum {
    HEAD = 30, /* bytes of a member's header before its name */
    NPY_HEAD = 10,
    LONGEST = 1024, /* path */
    SKIPPED = 77
};

/* ---- Files --------------------------------------------------------------------------------------------- */

typedef struct bytes {
    uint8_t *data;
    size_t size;
} bytes;

static bytes read_file(const char *path) {
    bytes read = {0};
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "there is no %s\n", path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    read.data = calloc((size_t)size + 1, 1); /* what is text ends with 0 */
    read.size = fread(read.data, 1, (size_t)size, file);
    fclose(file);
    return read;
}

static uint32_t number_at(const uint8_t *at, int size) {
    uint32_t number = 0;
    for (int i = 0; i < size; i++) number |= (uint32_t)at[i] << 8 * i;
    return number;
}

/* The member of this name; without data if there is none. */
static bytes member(bytes zip, const char *format, ...) {
    char name[LONGEST];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    for (const uint8_t *at = zip.data; memcmp(at, "PK\3\4", 4) == 0;) {
        const uint32_t size = number_at(at + 18, 4), letters = number_at(at + 26, 2);
        uint8_t *data = zip.data + (at - zip.data) + HEAD + letters + number_at(at + 28, 2);
        CHECK_EQUAL(number_at(at + 8, 2), 0); /* packed */
        if (letters == strlen(name) && memcmp(at + HEAD, name, letters) == 0) return (bytes){data, size};
        at = data + size;
    }
    return (bytes){0};
}

/* The numbers of the array of a chunk. */
static const uint8_t *array(bytes zip, unsigned chunk, const char *name) {
    const bytes file = member(zip, "chunks/%06u/%s.npy", chunk, name);
    return file.data ? file.data + NPY_HEAD + number_at(file.data + 8, 2) : NULL;
}

/* What stands behind a field's name in JSON, from `json` on; NULL: there is no such field. */
static const char *field(const char *json, const char *name) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\": ", name);
    const char *value = strstr(json, quoted);
    return value ? value + strlen(quoted) : NULL;
}

static double option(const char *json, const char *name) {
    const char *value = field(json, name);
    CHECK(value != NULL);
    return value ? strtod(value, NULL) : 0;
}

/* A member of JSON, which ends with 0; to be freed. */
static char *text_of(bytes data) {
    char *text = calloc(data.size + 1, 1);
    if (data.data) memcpy(text, data.data, data.size);
    return text;
}

/* ---- SHA-256 ------------------------------------------------------------------------------------------- */

static uint32_t turned(uint32_t word, int bits) { return word >> bits | word << (32 - bits); }

static void digest_block(uint32_t sum[8], const uint8_t *block) {
    static const uint32_t constants[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
    };
    uint32_t words[64], s[8];
    memcpy(s, sum, sizeof s);
    for (int i = 0; i < 64; i++) {
        if (i < 16) {
            words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                       (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
        } else {
            const uint32_t a = words[i - 15], b = words[i - 2];
            words[i] = words[i - 16] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + words[i - 7] +
                       (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
        }
        const uint32_t t1 = s[7] + (turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)) +
                            ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + words[i];
        const uint32_t t2 = (turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)) +
                            ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++) sum[i] += s[i];
}

/* In hexadecimal. */
static void digest(const uint8_t *data, size_t size, char hex[65]) {
    uint32_t sum[8] = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    };
    uint8_t last[128] = {0};
    const size_t whole = size / 64 * 64, rest = size - whole, padded = rest < 56 ? 64 : 128;
    for (size_t at = 0; at < whole; at += 64) digest_block(sum, data + at);
    memcpy(last, data + whole, rest);
    last[rest] = 0x80;
    for (int i = 0; i < 8; i++) last[padded - 1 - (size_t)i] = (uint8_t)((uint64_t)size * 8 >> 8 * i);
    for (size_t at = 0; at < padded; at += 64) digest_block(sum, last + at);
    for (int i = 0; i < 8; i++) snprintf(hex + 8 * i, 9, "%08x", sum[i]);
}

/* ---- Play ---------------------------------------------------------------------------------------------- */

typedef struct play {
    const char *file;
    ale_env *env;
    uint32_t players;
    unsigned played; /* steps */
} play;

static int must(const play *p, ale_status status, const char *what) {
    if (status == ALE_OK) return 1;
    fprintf(stderr, "%s: %s before step %u: %s\n", p->file, what, p->played, ale_last_error());
    check_failures = 1;
    return 0;
}

static void compare(const play *p, const char *what, int64_t now, int64_t was) {
    if (now == was) return;
    fprintf(stderr, "%s diverges at step %u: %s is %lld, was %lld\n", p->file, p->played, what, (long long)now,
            (long long)was);
    check_failures = 1;
}

static void compare_ram(const play *p, const uint8_t *was) {
    char what[24];
    for (int i = 0; i < ALE_RAM_SIZE; i++) {
        snprintf(what, sizeof what, "RAM[%d]", i);
        compare(p, what, ale_env_ram(p->env)[i], was[i]);
    }
}

/* Whether play begins anew before this step of a chunk; `resets` is where its JSON has them. */
static int resets_before(const char *resets, unsigned step) {
    const char *end = strchr(resets, ']');
    for (const char *at = resets; (at = field(at, "step")) != NULL && at < end;)
        if (strtoul(at, NULL, 10) == step) return 1;
    return 0;
}

/* Plays a chunk's steps; 0: it cannot go on. */
static int play_chunk(play *p, bytes zip, unsigned chunk, const char *json) {
    const uint32_t players = p->players;
    const unsigned steps = (unsigned)option(json, "steps");
    const char *resets = field(json, "resets"), *checks = field(json, "checks") + 1;
    const uint8_t *actions = array(zip, chunk, "actions"), *strengths = array(zip, chunk, "strengths"),
                  *rewards = array(zip, chunk, "rewards"), *terminations = array(zip, chunk, "terminations"),
                  *truncations = array(zip, chunk, "truncations"), *ram = array(zip, chunk, "ram");
    CHECK(actions && rewards && terminations && truncations && ram && resets);
    const ale_report *now = ale_env_report(p->env);
    for (unsigned step = 0; step <= steps; step++) {
        if (resets_before(resets, step) && !must(p, ale_env_reset(p->env), "reset")) return 0;
        if (step == steps) break;
        int32_t chosen[ALE_MAX_PLAYERS];
        float turns[ALE_MAX_PLAYERS];
        for (uint32_t i = 0, at = step * players; i < players; i++, at++) {
            const uint32_t bits = strengths ? number_at(strengths + 4 * at, 4) : 0;
            chosen[i] = actions[at];
            memcpy(turns + i, &bits, sizeof bits);
        }
        if (!must(p, ale_env_act(p->env, chosen, strengths ? turns : NULL, players, 1), "act")) return 0;
        for (uint32_t i = 0, at = step * players; i < players; i++, at++) {
            compare(p, "reward", now->rewards[i], (int32_t)number_at(rewards + 4 * at, 4));
            compare(p, "termination", now->terminated != 0, terminations[at]);
        }
        compare(p, "truncation", now->truncated != 0, truncations[step]);
        if (strtoul(checks, NULL, 10) == step + 1) {
            compare_ram(p, ram);
            ram += ALE_RAM_SIZE;
            checks += strcspn(checks, ",]");
            checks += *checks == ',';
        }
        p->played++;
    }
    if (strstr(json, "\"final\": true")) compare_ram(p, ram);
    return 1;
}

static void compare_screen(const play *p, const char *end) {
    ale_env_info info = {.struct_size = sizeof info};
    if (!must(p, ale_env_describe(p->env, &info), "describe")) return;
    const size_t size = (size_t)3 * ALE_SCREEN_WIDTH * info.screen_height;
    uint8_t *rgb = malloc(size);
    char hex[65];
    must(p, ale_env_screen(p->env, ALE_RGB, rgb, size), "screen");
    digest(rgb, size, hex);
    if (!strstr(end, hex)) {
        fprintf(stderr, "%s: the last screen is another\n", p->file);
        check_failures = 1;
    }
    free(rgb);
}

static void play_recording(const char *folder, const char *file, bytes zip) {
    char path[LONGEST];
    char *header = text_of(member(zip, "recording.json")), *end = text_of(member(zip, "end.json"));
    const char *name = field(header, "name") + 1;
    snprintf(path, sizeof path, "%s/%.*s.bin", folder, (int)strcspn(name, "\""), name);
    bytes image = read_file(path);
    const char *options = field(header, "options");
    ale_env_options chosen = env_defaults();
    chosen.rules = (int32_t)option(options, "rules");
    chosen.random_seed = (uint32_t)option(options, "random_seed");
    chosen.repeat_action_probability = (float)option(options, "repeat_action_probability");
    play p = {.file = file, .players = (uint32_t)option(options, "players")};
    ale_rom *rom = NULL;
    if (must(&p, ale_rom_create(image.data, image.size, NULL, &rom), "rom") &&
        must(&p, ale_env_create(rom, &chosen, &p.env), "create") &&
        must(&p, ale_env_set_mode(p.env, (int32_t)option(options, "mode")), "mode") &&
        (ale_env_report(p.env)->difficulty == (int32_t)option(options, "difficulty") ||
         must(&p, ale_env_set_difficulty(p.env, (int32_t)option(options, "difficulty")), "difficulty"))) {
        int goes_on = 1;
        bytes chunk;
        for (unsigned n = 0; goes_on && (chunk = member(zip, "chunks/%06u/chunk.json", n)).data; n++) {
            char *json = text_of(chunk);
            goes_on = play_chunk(&p, zip, n, json);
            free(json);
        }
        CHECK_EQUAL(p.played, option(end, "steps"));
        CHECK(p.played > 0);
        compare_screen(&p, end);
    }
    ale_env_destroy(p.env);
    ale_rom_release(rom);
    free(image.data);
    free(header);
    free(end);
}

int main(void) {
    const char *folder = getenv("ALE_TEST_RECORDINGS");
    if (!folder || !*folder) {
        printf("skipped: say in ALE_TEST_RECORDINGS in which folder recordings are\n");
        return SKIPPED;
    }
    char path[LONGEST];
    snprintf(path, sizeof path, "%s/list.txt", folder);
    bytes list = read_file(path);
    int played = 0;
    for (char *file = strtok((char *)list.data, "\n"); file; file = strtok(NULL, "\n"), played++) {
        snprintf(path, sizeof path, "%s/%s", folder, file);
        bytes zip = read_file(path);
        play_recording(folder, file, zip);
        free(zip.data);
    }
    free(list.data);
    CHECK(played > 100); /* there are as many games */
    printf("%d recordings played\n", played);
    return check_failures;
}
