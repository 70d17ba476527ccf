/* Vectors as bytes: what one saved, with bytes changed and all checksums mended.  It is refused with nothing
 * changed, or played on. */
#include "fuzz.h"
#include "vector/vector.h"

enum {
    ENVS = 3,
    BATCHES = ENVS + 1,
    IMAGE = 8,
    STACK = 2,
    PLAYERS = 2,
    PLACES = IMAGE * IMAGE * ALE_OBJECT_COUNT * (STACK + PLAYERS), /* of a player's observation */
    KINDS = 128,
    MOST_STEPS = 6,
};

typedef struct results {
    uint8_t observations[ENVS][PLAYERS][PLACES], final_observations[ENVS][PLAYERS][PLACES];
    int32_t rewards[ENVS][PLAYERS], lives[ENVS][PLAYERS];
    int32_t env_ids[ENVS], frame_numbers[ENVS], episode_frame_numbers[ENVS];
    uint8_t terminations[ENVS][PLAYERS], truncations[ENVS][PLAYERS];
} results;

static results memory[BATCHES];

static ale_batch batch_of(results *r) {
    return (ale_batch){
        .struct_size = sizeof(ale_batch),
        .observations = r->observations[0][0],
        .rewards = r->rewards[0],
        .terminations = r->terminations[0],
        .truncations = r->truncations[0],
        .env_ids = r->env_ids,
        .lives = r->lives[0],
        .frame_numbers = r->frame_numbers,
        .episode_frame_numbers = r->episode_frame_numbers,
        .final_observations = r->final_observations[0][0],
    };
}

static ale_vector *make(uint32_t kind) {
    const bool two = kind / 32 % 2; /* players, each with a picture of its own */
    uint8_t program[TEST_ROM_SIZE];
    test_rom(program);
    if (two) memcpy(program + 16, (uint8_t[]){0x85, 0x80}, 2); /* STA RAM[0], of the first mode */
    ale_rom_options rom_options;
    ale_rom_options_init(&rom_options, sizeof rom_options);
    rom_options.game = two ? "combat" : "";
    rom_options.format = ALE_NTSC;
    ale_rom *rom = NULL;
    MUST(ale_rom_create(program, sizeof program, &rom_options, &rom) == ALE_OK);
    ale_rom *const roms[ENVS] = {rom, rom, rom};
    ale_vector_options options;
    ale_vector_options_init(&options, sizeof options);
    options.num_threads = 1;
    options.img_height = options.img_width = IMAGE;
    options.stack_num = STACK;
    options.frame_skip = 2;
    options.noop_max = 3;
    options.max_num_frames_per_episode = 9;
    options.observation = (int32_t)(kind % 4);
    options.autoreset = (int32_t)(kind / 4 % 2);
    options.frame_limit = &most_frames;
    options.batch_size = kind / 8 % 2 ? 2 : 0;
    options.rules = two || kind / 16 % 2 ? ALE_MULTI : ALE_SOLO;
    if (two) {
        options.players = PLAYERS;
        options.agent_indicator = kind / 16 % 2;
        options.mirror = kind / 64 && options.observation != ALE_OBSERVE_RAM;
    }
    ale_vector *vector = NULL;
    MUST(ale_vector_create(roms, NULL, ENVS, &options, &vector) == ALE_OK);
    ale_rom_release(rom);
    return vector;
}

static const int32_t actions[ENVS * PLAYERS] = {1, 2, 3};

/* So many calls, from nothing played to results outstanding. */
static void play(ale_vector *vector, uint32_t steps) {
    if (!steps) return;
    for (int i = 0; i < 2; i++) {
        ale_batch batch = batch_of(&memory[i]);
        MUST(ale_vector_post(vector, &batch) == ALE_OK);
    }
    MUST(ale_vector_reset(vector, NULL, NULL) == ALE_OK);
    for (uint32_t i = 1; i < steps; i++) {
        ale_batch batch = batch_of(&memory[i % BATCHES]);
        MUST(ale_vector_recv(vector) == ALE_OK);
        (void)ale_vector_post(vector, &batch);
        MUST(ale_vector_send(vector, actions, NULL) == ALE_OK);
    }
}

static uint8_t *save(ale_vector *vector, size_t *size) {
    MUST(ale_vector_save(vector, NULL, 0, size) == ALE_OK);
    uint8_t *bytes = malloc(*size);
    MUST(bytes && ale_vector_save(vector, bytes, *size, size) == ALE_OK);
    return bytes;
}

static void mend(uint8_t *bytes, size_t size) {
    for (size_t at = 0; at + sizeof(saved_environment) < size; at++) {
        saved_environment head;
        if (memcmp(bytes + at, "ALEstate", 8) != 0) continue;
        memcpy(&head, bytes + at, sizeof head);
        if (head.size <= size - at) mend_state(bytes + at, (size_t)head.size);
    }
    const uint64_t sum = checksum(bytes, size, offsetof(saved_head, checksum));
    memcpy(bytes + offsetof(saved_head, checksum), &sum, sizeof sum);
}

static void try_input(const uint8_t *data, size_t size) {
    static struct {
        ale_vector *vector;
        uint8_t *good;
        size_t size;
    } bases[KINDS * MOST_STEPS];
    input in = {data, data + size};
    const uint32_t kind = take(&in, 1) % KINDS, steps = take(&in, 1) % MOST_STEPS;
    const uint32_t number = kind * MOST_STEPS + steps;
    if (!bases[number].vector) {
        bases[number].vector = make(kind);
        play(bases[number].vector, steps);
        bases[number].good = save(bases[number].vector, &bases[number].size);
    }
    ale_vector *vector = bases[number].vector;
    const size_t length = bases[number].size;
    uint8_t *bad = malloc(length);
    MUST(bad);
    memcpy(bad, bases[number].good, length);
    damage(&in, bad, offsetof(saved_vector, options), length);
    mend(bad, length);
    if (ale_vector_restore(vector, bad, length) == ALE_OK) {
        size_t again;
        free(save(vector, &again));
        (void)in_time(ale_vector_recv(vector));
        ale_batch batch = batch_of(&memory[BATCHES - 1]);
        (void)in_time(ale_vector_step(vector, actions, NULL, &batch));
        for (uint32_t i = 0; i < ENVS; i++) {
            uint8_t screen[210 * 160];
            ale_env *env = ale_vector_env(vector, i);
            MUST(env && ale_env_screen(env, ALE_INDEXED, screen, sizeof screen) == ALE_OK);
        }
        ale_batch room = batch_of(&memory[0]); /* for what was outstanding, if it was received */
        (void)ale_vector_post(vector, &room);
        room = batch_of(&memory[1]);
        (void)ale_vector_post(vector, &room);
        MUST(ale_vector_restore(vector, bases[number].good, length) == ALE_OK);
    } else {
        size_t same;
        uint8_t *now = save(vector, &same);
        MUST(same == length && memcmp(now, bases[number].good, same) == 0);
        free(now);
    }
    free(bad);
}
