/* Vectors, and one environment of them, as bytes: what was saved, with bytes changed and all checksums mended.  It is
 * refused with nothing changed, or played on. */
#include "fuzz.h"
#include "vector/vector.h"

enum {
    ENVS = 3,
    BATCHES = ENVS + 1,
    IMAGE = 8,
    STACK = 2,
    PLAYERS = 2,
    PLACES = IMAGE * IMAGE * ALE_OBJECT_COUNT * (STACK + PLAYERS), /* of a player's observation */
    ONE = 128, /* of a kind: an environment is damaged, of a vector without outstanding results */
    KINDS = 256,
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
    options.observation = (int32_t)(kind % 4) % observer_count;
    options.autoreset = (int32_t)(kind / 4 % 2);
    options.frame_limit = &most_frames;
    options.batch_size = kind / 8 % 2 && !(kind & ONE) ? 2 : 0;
    options.rules = two || kind / 16 % 2 ? ALE_MULTI : ALE_SOLO;
    if (two) {
        options.players = PLAYERS;
        options.agent_indicator = kind / 16 % 2;
        options.mirror = kind / 64 % 2 && observers[options.observation].planes;
    }
    ale_vector *vector = NULL;
    MUST(ale_vector_create(roms, NULL, ENVS, &options, &vector) == ALE_OK);
    for (uint32_t i = 0; two && i < ENVS; i++) MUST(ale_vector_select(vector, i, 1, 0) == ALE_OK);
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

static uint8_t *save_env(ale_vector *vector, uint32_t index, size_t *size) {
    MUST(ale_vector_save_env(vector, index, NULL, 0, size) == ALE_OK);
    uint8_t *bytes = malloc(*size);
    MUST(bytes && ale_vector_save_env(vector, index, bytes, *size, size) == ALE_OK);
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

typedef struct base {
    ale_vector *vector;
    uint8_t *good; /* what it saved */
    size_t size;
} base;

static void play_on(ale_vector *vector) {
    ale_batch batch = batch_of(&memory[BATCHES - 1]);
    (void)in_time(ale_vector_step(vector, actions, NULL, &batch));
    for (uint32_t i = 0; i < ENVS; i++) {
        uint8_t screen[210 * 160];
        ale_env *env = ale_vector_env(vector, i);
        MUST(env && ale_env_screen(env, ALE_INDEXED, screen, sizeof screen) == ALE_OK);
    }
}

static void must_be_as_before(const base *b) {
    size_t same;
    uint8_t *now = save(b->vector, &same);
    MUST(same == b->size && memcmp(now, b->good, same) == 0);
    free(now);
}

static void try_vector(const base *b, input *in) {
    uint8_t *bad = malloc(b->size);
    MUST(bad);
    memcpy(bad, b->good, b->size);
    damage(in, bad, offsetof(saved_vector, options), b->size);
    mend(bad, b->size);
    if (ale_vector_restore(b->vector, bad, b->size) == ALE_OK) {
        size_t again;
        free(save(b->vector, &again));
        (void)in_time(ale_vector_recv(b->vector));
        play_on(b->vector);
        ale_batch room = batch_of(&memory[0]); /* for what was outstanding, if it was received */
        (void)ale_vector_post(b->vector, &room);
        room = batch_of(&memory[1]);
        (void)ale_vector_post(b->vector, &room);
        MUST(ale_vector_restore(b->vector, b->good, b->size) == ALE_OK);
    } else {
        must_be_as_before(b);
    }
    free(bad);
}

/* Put bytes of an environment into the next one. */
static void try_env(const base *b, input *in) {
    const uint32_t from = take(in, 1) % ENVS, to = (from + 1) % ENVS;
    size_t size;
    uint8_t *bad = save_env(b->vector, from, &size);
    damage(in, bad, sizeof(saved_head), size);
    mend(bad, size);
    if (ale_vector_restore_env(b->vector, to, bad, size) == ALE_OK) {
        size_t again, whole;
        uint8_t *saved = save_env(b->vector, to, &again); /* which is as good */
        free(save(b->vector, &whole));
        MUST(ale_vector_restore_env(b->vector, from, saved, again) == ALE_OK);
        free(saved);
        play_on(b->vector);
        MUST(ale_vector_restore(b->vector, b->good, b->size) == ALE_OK);
    } else {
        must_be_as_before(b);
    }
    free(bad);
}

static void try_input(const uint8_t *data, size_t size) {
    static base bases[KINDS * MOST_STEPS];
    input in = {data, data + size};
    const uint32_t kind = take(&in, 1) % KINDS, steps = take(&in, 1) % MOST_STEPS;
    base *b = &bases[kind * MOST_STEPS + steps];
    if (!b->vector) {
        b->vector = make(kind);
        play(b->vector, steps);
        if (kind & ONE && steps) MUST(ale_vector_recv(b->vector) == ALE_OK);
        b->good = save(b->vector, &b->size);
    }
    if (!(kind & ONE)) {
        try_vector(b, &in);
    } else if (steps) {
        try_env(b, &in);
    } else {
        size_t none;
        MUST(ale_vector_save_env(b->vector, 0, NULL, 0, &none) == ALE_OUT_OF_ORDER); /* it was not reset */
    }
}
