/* Sequences of public calls, right and wrong ones, on environments, states and a vector. */
#include "fuzz.h"

enum { SLOTS = 3, ENVS = 2, IMAGE = 6, SCREEN = 160 * 250 * 3, MOST_CALLS = 30 };

typedef struct world {
    ale_rom *rom[2];
    ale_env *env[SLOTS];
    ale_state *state[SLOTS];
    ale_vector *vector;
    uint8_t observations[ENVS][4 * IMAGE * IMAGE * 3];
    int32_t rewards[4 * ENVS], lives[4 * ENVS], env_ids[ENVS], frames[ENVS], episode_frames[ENVS];
    uint8_t terminations[4 * ENVS], truncations[ENVS];
} world;

static ale_rom *make_rom(int game) {
    uint8_t program[TEST_ROM_SIZE];
    test_rom(program);
    ale_rom_options options;
    ale_rom_options_init(&options, sizeof options);
    options.game = game ? "qbert" : ""; /* a game with nothing to select */
    options.format = ALE_NTSC;
    ale_rom *rom = NULL;
    MUST(ale_rom_create(program, sizeof program, &options, &rom) == ALE_OK);
    return rom;
}

static void make_env(world *w, input *in, ale_env **slot) {
    ale_env_options options;
    ale_env_options_init(&options, sizeof options);
    if (take(in, 1) % 8 == 7) /* an older one, without the pointer, of which half would be none */
        options.struct_size = take(in, 1) % (offsetof(ale_env_options, frame_limit) + 1);
    const uint32_t bits = take(in, 2);
    options.rules = bits % 8 == 7 ? 3 : bits % 3;
    options.fast_paths = bits >> 3 & 1 ? ALE_FAST_RASTER : ALE_FAST_ALL; /* pixel by pixel is for fuzz_images */
    options.frame_skip = bits >> 4 & 3;
    options.sound = bits >> 6 & 1;
    options.color_averaging = bits >> 7 & 1;
    options.objects = bits >> 11 & 1;
    options.corrected_rules = bits >> 12 & 1;
    options.paddle_min = bits >> 8 & 1 ? (int32_t)take(in, 4) : -1;
    options.paddle_max = bits >> 9 & 1 ? (int32_t)take(in, 4) : -1;
    options.max_num_frames_per_episode = (int32_t)(bits >> 10 & 7);
    options.repeat_action_probability = (float)(bits >> 13) / 4;
    options.reward_min = bits >> 12 & 1 ? 1 : INT32_MIN;
    options.frame_limit = &most_frames;
    ale_env *made = NULL;
    if (in_time(ale_env_create(w->rom[0], &options, &made)) != ALE_OK) return;
    ale_env_destroy(*slot);
    *slot = made;
}

static ale_batch batch_of(world *w) {
    return (ale_batch){
        .struct_size = sizeof(ale_batch),
        .observations = w->observations[0],
        .rewards = w->rewards,
        .terminations = w->terminations,
        .truncations = w->truncations,
        .env_ids = w->env_ids,
        .lives = w->lives,
        .frame_numbers = w->frames,
        .episode_frame_numbers = w->episode_frames,
    };
}

static void make_vector(world *w, input *in) {
    ale_vector_options options;
    ale_vector_options_init(&options, sizeof options);
    const uint32_t bits = take(in, 2);
    options.num_threads = 1 + (bits & 1);
    options.batch_size = bits >> 1 & 3;
    options.autoreset = (int32_t)(bits >> 3 & 3);
    options.observation = (int32_t)(bits >> 5 & 3);
    options.img_height = options.img_width = IMAGE;
    options.stack_num = 1 + (bits >> 7 & 1);
    options.frame_skip = bits >> 8 & 3;
    options.noop_max = bits >> 10 & 3;
    options.rules = (int32_t)(bits >> 12 & 1);
    options.players = 1 + (bits >> 13 & 3);
    options.max_num_frames_per_episode = 20;
    options.frame_limit = &most_frames;
    ale_rom *const roms[ENVS] = {w->rom[0], w->rom[bits >> 15]};
    ale_vector *made = NULL;
    if (in_time(ale_vector_create(roms, NULL, ENVS, &options, &made)) != ALE_OK) return;
    ale_vector_destroy(w->vector);
    w->vector = made;
}

/* A player of any small network, with numbers of any size. */
static void seat(world *w, input *in) {
    uint8_t numbers[512], some[7], used[3], actions[3];
    const uint32_t bits = take(in, 2);
    ale_policy_numbers network = {
        .struct_size = sizeof network,
        .players = bits & 3,
        .used_count = bits >> 2 & 3,
        .neurons_1 = bits >> 4 & 3,
        .neurons_2 = bits >> 6 & 3,
        .action_count = bits >> 8 & 3,
        .shift_1 = bits >> 10 & 15,
        .shift_2 = bits >> 12 & 15,
        .shift_3 = bits >> 8 & 15,
        .used = used,
        .actions = actions,
        .numbers = numbers,
    };
    for (size_t i = 0; i < sizeof used; i++) used[i] = take(in, 1) & 0x8F;
    for (size_t i = 0; i < sizeof actions; i++) actions[i] = take(in, 1) % (ALE_ACTION_COUNT + 1);
    for (size_t i = 0; i < sizeof some; i++) some[i] = (uint8_t)take(in, 1);
    repeat_bytes(numbers, sizeof numbers, some, sizeof some);
    const uint32_t outputs = network.players * network.neurons_1;
    network.size = 12 * network.used_count + outputs * (4 * network.used_count + 4) +
                 network.neurons_2 * (2 * network.neurons_1 + 4) + network.action_count * (2 * network.neurons_2 + 4);
    ale_policy *policy = NULL;
    if (ale_policy_create(&network, &policy) != ALE_OK) policy = NULL;
    (void)ale_vector_seat(w->vector, take(in, 1) % 3, take(in, 1) % 5, policy, take(in, 4));
    int32_t chosen[4 * ENVS];
    (void)ale_vector_choose(w->vector, chosen);
    /* For some players who saw these bytes, and then the same one further. */
    uint8_t rams[3 * ALE_RAM_SIZE];
    uint32_t players[] = {0, take(in, 1) % 5, 0}, randoms[] = {bits, 0, UINT32_MAX};
    int64_t logits[8];
    repeat_bytes(rams, sizeof rams, some, sizeof some);
    (void)ale_policy_act(policy, bits & 1, rams + 1, rams, players, randoms, chosen, NULL, 0);
    (void)ale_policy_act(policy, 2, rams + 1, rams, players, randoms, chosen, logits, take(in, 1) % 9);
    ale_policy_release(policy);
}

static void call_vector(world *w, input *in) {
    const int32_t actions[4 * ENVS] = {(int32_t)take(in, 1) % 20, 1, 2, 3};
    const ale_batch batch = batch_of(w);
    ale_vector_info info = {.struct_size = sizeof info};
    switch (take(in, 1) % 12) {
    case 0: (void)ale_vector_post(w->vector, &batch); break;
    case 1: (void)ale_vector_reset(w->vector, NULL, NULL); break;
    case 2: (void)ale_vector_send(w->vector, actions, NULL); break;
    case 3: (void)in_time(ale_vector_recv(w->vector)); break;
    case 4: (void)in_time(ale_vector_step(w->vector, actions, NULL, &batch)); break;
    case 5: (void)ale_vector_select(w->vector, take(in, 1) % 3, take(in, 1) % 4, (int32_t)(take(in, 1) % 4)); break;
    case 6: (void)ale_vector_describe(w->vector, &info); break;
    case 7: {
        ale_env *env = ale_vector_env(w->vector, take(in, 1) % 3);
        if (env) (void)ale_env_screen_indices(env);
        break;
    }
    case 8: seat(w, in); break;
    case 9: (void)ale_vector_discard(w->vector); break;
    case 10: {
        const int32_t ids[] = {(int32_t)take(in, 1) % 4 - 1, 1};
        (void)ale_vector_send_to(w->vector, ids, take(in, 1) % 3, actions, NULL);
        break;
    }
    default: {
        size_t size = 0;
        if (ale_vector_save(w->vector, NULL, 0, &size) != ALE_OK) break;
        uint8_t *bytes = malloc(size);
        MUST(bytes && ale_vector_save(w->vector, bytes, size, &size) == ALE_OK);
        const ale_status status = ale_vector_restore(w->vector, bytes, size);
        MUST(status == ALE_OK || status == ALE_OUT_OF_ORDER);
        free(bytes);
    }
    }
}

static void ship(ale_state *from, ale_state *to) {
    ale_state_info info = {.struct_size = sizeof info};
    MUST(ale_state_describe(from, &info) == ALE_OK);
    uint8_t *bytes = malloc(info.serialized_size + 1);
    MUST(bytes);
    if (ale_state_serialize(from, bytes, info.serialized_size) == ALE_OK)
        MUST(ale_state_deserialize(to, bytes, info.serialized_size) == ALE_OK);
    free(bytes);
}

static void call_env(world *w, input *in) {
    ale_env *env = w->env[take(in, 1) % SLOTS];
    ale_state **state = &w->state[take(in, 1) % SLOTS];
    if (!*state) MUST(ale_state_create(state) == ALE_OK);
    uint32_t equal;
    if (!env) return;
    switch (take(in, 1) % 11) {
    case 0: (void)in_time(ale_env_reset(env)); break;
    case 1: (void)in_time(ale_env_reload(env, take(in, 4))); break;
    case 2: (void)ale_env_set_mode(env, (int32_t)(take(in, 1) % 4)); break;
    case 3: (void)ale_env_set_difficulty(env, (int32_t)(take(in, 1) % 5) - 1); break;
    case 4: (void)ale_env_set_ram(env, take(in, 1), take(in, 1)); break;
    case 5: MUST(ale_env_save(env, take(in, 1) & 1, *state) == ALE_OK); break;
    case 6: (void)ale_env_restore(env, *state); break;
    case 7:
        if (w->state[0]) ship(*state, w->state[0]);
        break;
    case 8: {
        ale_object_box boxes[4];
        size_t count;
        (void)ale_env_screen_indices(env);
        (void)ale_env_object_boxes(env, boxes, take(in, 1) % 5, &count);
        int32_t values[4];
        MUST(ale_env_labels(env, values, take(in, 1) % 5, &count) == ALE_OK);
        const ale_label label = {
            .struct_size = sizeof label,
            .byte_count = take(in, 1) % 10,
            .places = {(uint8_t)take(in, 1), (uint8_t)take(in, 1)},
            .mask = UINT64_C(0x0101010101010101) * take(in, 1),
            .code = (int32_t)take(in, 1) % 5,
            .scale = INT32_MAX,
        }, *one = &label;
        (void)ale_label_values(&one, 1, ale_env_ram(env), 1, values);
        break;
    }
    case 9:
        if (w->state[0]) MUST(ale_state_equal(*state, w->state[0], &equal) == ALE_OK);
        break;
    default: {
        const float strengths[4] = {1, -3.5f, 1e30f, (float)take(in, 1)};
        const int32_t actions[4] = {(int32_t)(take(in, 1) % 20) - 1, 1, 2, 3};
        const uint32_t count = take(in, 1) % 16 ? (uint32_t)ale_env_report(env)->players : take(in, 1) % 5;
        (void)in_time(ale_env_act(env, actions, strengths, count, take(in, 1) % 4));
    }
    }
}

static void try_input(const uint8_t *data, size_t size) {
    static ale_rom *rom[2];
    for (int i = 0; i < 2; i++)
        if (!rom[i]) rom[i] = make_rom(i);
    world *w = calloc(1, sizeof *w);
    MUST(w);
    w->rom[0] = rom[0];
    w->rom[1] = rom[1];
    input in = {data, data + size};
    for (int i = 0; i < MOST_CALLS && in.at < in.end; i++) {
        const uint32_t what = take(&in, 1) % 16;
        if (what == 0)
            make_env(w, &in, &w->env[take(&in, 1) % SLOTS]);
        else if (what == 1)
            make_vector(w, &in);
        else if (what < 9)
            call_env(w, &in);
        else
            call_vector(w, &in);
    }
    for (int i = 0; i < SLOTS; i++) {
        ale_env_destroy(w->env[i]);
        ale_state_destroy(w->state[i]);
    }
    ale_vector_destroy(w->vector);
    free(w);
}
