/* The ABI against careless and hostile callers. */
#define _GNU_SOURCE /* fork */
#include <ale/ale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#if !defined(_WIN32) && !defined(__EMSCRIPTEN__)
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "check.h"
#include "environment/environment.h"
#include "support/os.h"
#include "small.h"

#define CHECK_REFUSED(call)                                       \
    do {                                                          \
        CHECK_EQUAL(call, ALE_INVALID_ARGUMENT);                  \
        CHECK(ale_last_error()[0] && !strchr(ale_last_error(), '\n')); \
    } while (0)

static uint8_t image[TEST_ROM_SIZE];

static ale_rom *make_rom(void) { return small_rom(image, ""); }

static ale_env *make_env(ale_rom *rom, int32_t rules) {
    ale_env_options options = env_defaults();
    options.rules = rules;
    return env_of(rom, &options);
}

static void versions(void) {
    CHECK_EQUAL(ale_abi_version(), ALE_ABI_VERSION);
    CHECK(strcmp(ale_version(), ALE_VERSION) == 0);
}

static void games(void) {
    CHECK(ale_game_count() > 0);
    CHECK_EQUAL(ale_game_by_name("no such game"), ALE_GAME_UNKNOWN);
    CHECK_EQUAL(ale_game_by_name(NULL), ALE_GAME_UNKNOWN);
    CHECK_EQUAL(ale_game_by_md5(NULL), ALE_GAME_UNKNOWN);
    CHECK_EQUAL(ale_game_by_md5("short"), ALE_GAME_UNKNOWN);
    for (int32_t game = 0; game < ale_game_count(); game++) {
        for (int rules = ALE_SOLO; rules <= ALE_MULTI; rules++) {
            ale_game_info info = {.struct_size = sizeof info};
            CHECK_EQUAL(ale_game_describe(game, (ale_rules)rules, &info), ALE_OK);
            CHECK_EQUAL(ale_game_by_name(info.name), game);
            if (strlen(info.md5) == 32) CHECK_EQUAL(ale_game_by_md5(info.md5), game);
            bool played = info.rules >> rules & 1;
            CHECK_EQUAL(info.minimal_actions != 0, played);
            CHECK_EQUAL(info.minimal_actions & ~info.legal_actions, 0);
            CHECK_EQUAL(info.difficulties != 0, played);
            for (uint32_t players = 1; players <= ALE_MAX_PLAYERS; players++) {
                size_t count = 99;
                int32_t first = -1;
                CHECK_EQUAL(ale_game_modes(game, (ale_rules)rules, players, &first, 1, &count), ALE_OK);
                CHECK_EQUAL(count > 0, info.player_counts >> (players - 1) & 1);
                bool is_known = false;
                int32_t modes[256];
                CHECK_EQUAL(ale_game_modes(game, (ale_rules)rules, players, modes, 256, &count), ALE_OK);
                for (size_t i = 0; i < count; i++) is_known |= modes[i] == info.default_modes[players - 1];
                CHECK(count ? is_known : info.default_modes[players - 1] == -1);
            }
        }
    }
    ale_game_info pong = {.struct_size = sizeof pong};
    CHECK_EQUAL(ale_game_describe(ale_game_by_name("pong"), ALE_MULTI, &pong), ALE_OK);
    CHECK_EQUAL(pong.default_mode, 1);
    CHECK_EQUAL(pong.default_modes[1], 4);
    CHECK_EQUAL(pong.default_modes[2], -1);
    CHECK_EQUAL(pong.default_modes[3], 6);
    size_t count;
    ale_game_info info = {.struct_size = sizeof info};
    CHECK_REFUSED(ale_game_describe(-1, ALE_SOLO, &info));
    CHECK_REFUSED(ale_game_describe(ale_game_count(), ALE_SOLO, &info));
    CHECK_REFUSED(ale_game_describe(0, (ale_rules)3, &info));
    CHECK_REFUSED(ale_game_describe(0, ALE_SOLO, NULL));
    info.struct_size = 3;
    CHECK_REFUSED(ale_game_describe(0, ALE_SOLO, &info));
    CHECK_REFUSED(ale_game_modes(0, ALE_SOLO, 0, NULL, 0, &count));
    CHECK_REFUSED(ale_game_modes(0, ALE_SOLO, 5, NULL, 0, &count));
    CHECK_REFUSED(ale_game_modes(0, ALE_SOLO, 1, NULL, 1, &count));
    CHECK_REFUSED(ale_game_modes(0, ALE_SOLO, 1, NULL, 0, NULL));
}

/* A caller of another age: his structs are shorter or longer than the library's. */
static void structs_grow(ale_rom *rom) {
    struct {
        ale_env_options options;
        uint32_t future;
    } longer;
    ale_env_options_init(&longer.options, sizeof longer);
    CHECK_EQUAL(longer.options.struct_size, sizeof longer);
    CHECK_EQUAL(longer.future, 0);
    ale_env *env = env_of(rom, &longer.options);
    ale_env_destroy(env);
    longer.future = 1;
    CHECK_REFUSED(ale_env_create(rom, &longer.options, &env));

    ale_env_options options;
    memset(&options, 0xFF, sizeof options);
    ale_env_options_init(&options, offsetof(ale_env_options, sound));
    CHECK_EQUAL(options.color_averaging, 0);
    CHECK_EQUAL(options.sound, UINT32_MAX); /* not touched, not read */
    CHECK_EQUAL(ale_env_create(rom, &options, &env), ALE_OK);
    ale_rom_info info;
    memset(&info, 0xFF, sizeof info);
    info.struct_size = 8;
    CHECK_EQUAL(ale_rom_describe(rom, &info), ALE_OK);
    CHECK_EQUAL(info.game, ALE_GAME_NONE);
    CHECK_EQUAL((uint8_t)info.md5[0], 0xFF);
    ale_env_destroy(env);
    ale_env_options_init(NULL, 100);
    ale_rom_options_init(NULL, 100);
}

static void roms(void) {
    ale_rom *rom = NULL;
    CHECK_REFUSED(ale_rom_create(NULL, 4096, NULL, &rom));
    CHECK_REFUSED(ale_rom_create(image, sizeof image, NULL, NULL));
    CHECK_REFUSED(ale_rom_create(image, 0, NULL, &rom));
    CHECK_REFUSED(ale_rom_create(image, 512 * 1024 + 1, NULL, &rom));
    ale_rom_options options = rom_defaults();
    options.game = "no such game";
    CHECK_REFUSED(ale_rom_create(image, sizeof image, &options, &rom));
    ale_rom_options_init(&options, sizeof options);
    options.scheme = "no such scheme";
    CHECK_REFUSED(ale_rom_create(image, sizeof image, &options, &rom));
    ale_rom_options_init(&options, sizeof options);
    options.format = 3;
    CHECK_REFUSED(ale_rom_create(image, sizeof image, &options, &rom));
    CHECK(!rom);

    CHECK_EQUAL(ale_rom_create(image, sizeof image, NULL, &rom), ALE_OK);
    ale_rom_info info = {.struct_size = sizeof info};
    CHECK_EQUAL(ale_rom_describe(rom, &info), ALE_OK);
    CHECK_EQUAL(info.game, ALE_GAME_UNKNOWN);
    CHECK(strcmp(info.scheme, "4K") == 0);
    CHECK_EQUAL(strlen(info.md5), 32);
    CHECK(info.translated <= 1);
    ale_env *env = NULL;
    CHECK_EQUAL(ale_env_create(rom, NULL, &env), ALE_UNSUPPORTED);
    CHECK(strstr(ale_last_error(), info.md5));
    CHECK(ale_rom_retain(rom) == rom);
    ale_rom_release(rom);
    ale_rom_release(rom);
    ale_rom_release(NULL);
    CHECK(!ale_rom_retain(NULL));
}

static void options_are_checked(ale_rom *rom) {
    ale_env *env = NULL;
    ale_env_options good, bad;
    ale_env_options_init(&good, sizeof good);
#define REFUSE(field, value)                      \
    do {                                          \
        bad = good;                               \
        bad.field = value;                        \
        CHECK_REFUSED(ale_env_create(rom, &bad, &env)); \
        CHECK(strstr(ale_last_error(), #field));  \
    } while (0)
    REFUSE(rules, 3);
    REFUSE(rules, -1);
    REFUSE(repeat_action_probability, NAN);
    REFUSE(frame_skip, 0);
    REFUSE(frame_skip, 10001);
    REFUSE(paddle_min, -2);
    REFUSE(paddle_max, INT32_MIN);
    REFUSE(max_turn_time, INT32_MIN);
    REFUSE(max_turn_time, -(1 << 28) - 1);
    REFUSE(max_turn_time, (1 << 28) + 1);
    CHECK(strstr(ale_last_error(), "is 268435457; it must be -268435456 to 268435456"));
    REFUSE(truncate_on_loss_of_life, 2);
    REFUSE(color_averaging, 2);
    REFUSE(corrected_rules, 2);
    REFUSE(sound, 2);
    REFUSE(idle_action, 18);
    REFUSE(idle_action, -2);
    REFUSE(fast_paths, 64);
    REFUSE(reward_min, 1; bad.reward_max = 0);
    REFUSE(struct_size, 2);
#undef REFUSE
    CHECK_REFUSED(ale_env_create(NULL, NULL, &env));
    CHECK_REFUSED(ale_env_create(rom, NULL, NULL));
    CHECK(!env);
}

static void environments(ale_rom *rom, int32_t rules) {
    ale_env *env = make_env(rom, rules);
    const ale_report *report = ale_env_report(env);
    ale_env_info info = {.struct_size = sizeof info};
    CHECK_EQUAL(ale_env_describe(env, &info), ALE_OK);
    CHECK_EQUAL(info.game, ALE_GAME_NONE);
    CHECK_EQUAL(info.screen_height, 210);
    CHECK_EQUAL(report->players, 1);

    int32_t actions[2] = {ALE_NOOP, ALE_NOOP};
    CHECK_EQUAL(ale_env_act(env, actions, NULL, 1, 1), ALE_OK);
    ale_report before = *report;
    CHECK_REFUSED(ale_env_act(NULL, actions, NULL, 1, 1));
    CHECK_REFUSED(ale_env_act(env, NULL, NULL, 1, 1));
    CHECK_REFUSED(ale_env_act(env, actions, NULL, 2, 1));
    CHECK_REFUSED(ale_env_act(env, actions, NULL, 0, 1));
    CHECK_REFUSED(ale_env_act(env, actions, NULL, 1, 0));
    actions[0] = 18;
    CHECK_REFUSED(ale_env_act(env, actions, NULL, 1, 1));
    CHECK(strstr(ale_last_error(), "actions[0] is 18"));
    actions[0] = -1;
    CHECK_REFUSED(ale_env_act(env, actions, NULL, 1, 1));
    CHECK_REFUSED(ale_env_set_mode(env, 1));
    CHECK_REFUSED(ale_env_set_mode(NULL, 0));
    CHECK_REFUSED(ale_env_set_difficulty(env, 4));
    CHECK(strstr(ale_last_error(), "difficulty is 4; an environment without rules has 0, 1, 2, 3"));
    CHECK_REFUSED(ale_env_set_difficulty(env, -1));
    CHECK_REFUSED(ale_env_set_ram(env, 128, 0));
    CHECK_REFUSED(ale_env_set_ram(env, 0, 256));
    CHECK_REFUSED(ale_env_reset(NULL));
    CHECK_REFUSED(ale_env_reload(NULL, 0));
    size_t count = 0;
    CHECK_REFUSED(ale_env_modes(env, 0, NULL, 0, &count));

    enum { PIXELS = 210 * ALE_SCREEN_WIDTH };
    uint8_t *screen = malloc(3 * PIXELS);
    CHECK_REFUSED(ale_env_screen(env, ALE_RGB, screen, 3 * PIXELS - 1));
    CHECK_REFUSED(ale_env_screen(env, ALE_INDEXED, screen, 3 * PIXELS));
    CHECK_REFUSED(ale_env_screen(env, ALE_OBJECTS, screen, PIXELS));
    CHECK_REFUSED(ale_env_screen(env, (ale_pixels)4, screen, PIXELS));
    CHECK_REFUSED(ale_env_screen(env, ALE_INDEXED, NULL, PIXELS));
    CHECK_REFUSED(ale_env_palette(env, ALE_INDEXED, screen, 256));
    CHECK_REFUSED(ale_env_palette(env, ALE_RGB, screen, 256));
    CHECK(memcmp(&before, report, sizeof before) == 0);

    CHECK_EQUAL(ale_env_modes(env, 1, NULL, 0, &count), ALE_OK);
    CHECK_EQUAL(count, 1);
    CHECK_EQUAL(ale_env_set_ram(env, TEST_COLOR, 0x36), ALE_OK);
    CHECK_EQUAL(ale_env_ram(env)[TEST_COLOR], 0x36);
    actions[0] = ALE_FIRE;
    CHECK_EQUAL(ale_env_act(env, actions, NULL, 1, 2), ALE_OK);
    CHECK_EQUAL(report->frame_number, 3);
    uint8_t palette[3 * 256];
    CHECK_EQUAL(ale_env_palette(env, ALE_RGB, palette, sizeof palette), ALE_OK);
    CHECK_EQUAL(ale_env_screen(env, ALE_RGB, screen, 3 * PIXELS), ALE_OK);
    CHECK(memcmp(screen + 3 * (PIXELS / 2), palette + 3 * 0x36, 3) == 0);
    CHECK_EQUAL(ale_env_screen(env, ALE_INDEXED, screen, PIXELS), ALE_OK);
    CHECK_EQUAL(screen[PIXELS / 2], 0x36);
    CHECK(memcmp(screen, ale_env_screen_indices(env), PIXELS) == 0);
    CHECK_EQUAL(ale_env_screen(env, ALE_GRAYSCALE, screen, PIXELS), ALE_OK);
    CHECK_EQUAL(ale_env_palette(env, ALE_GRAYSCALE, palette, 256), ALE_OK);
    CHECK_EQUAL(screen[PIXELS / 2], palette[0x36]);
    free(screen);
    ale_env_destroy(env);
    ale_env_destroy(NULL);
}

/* A step is an act and its screen, as often as wished. */
static void steps_show_what_they_play(ale_rom *rom, ale_rules rules) {
    enum { PIXELS = 210 * ALE_SCREEN_WIDTH };
    static uint8_t shown[ALE_MAX_PLAYERS][3 * PIXELS], expected[3 * PIXELS];
    ale_env *env = make_env(rom, rules), *other = make_env(rom, rules);
    const ale_report *report = ale_env_report(env);
    const int32_t action = ALE_FIRE;
    for (int32_t pixels = ALE_INDEXED; pixels <= ALE_GRAYSCALE; pixels++)
        for (uint32_t count = 1; count <= ALE_MAX_PLAYERS; count++) {
            ale_screens screens = {sizeof screens, pixels, count, pixels == ALE_RGB ? 3 * PIXELS : PIXELS,
                                   {shown[0], shown[1], shown[2], shown[3]}, NULL};
            memset(shown, 7, sizeof shown);
            CHECK_EQUAL(ale_env_step(env, &action, NULL, 1, 2, &screens), ALE_OK);
            CHECK_EQUAL(ale_env_act(other, &action, NULL, 1, 2), ALE_OK);
            CHECK_EQUAL(ale_env_screen(other, (ale_pixels)pixels, expected, screens.size), ALE_OK);
            CHECK(memcmp(report, ale_env_report(other), sizeof *report) == 0);
            for (uint32_t i = 0; i < count; i++) CHECK(memcmp(shown[i], expected, screens.size) == 0);
            for (uint32_t i = count; i < ALE_MAX_PLAYERS; i++) CHECK(shown[i][0] == 7);
        }

    const ale_report before = *report;
    const ale_screens good = {sizeof good, ALE_RGB, 2, 3 * PIXELS, {shown[0], shown[1]}, NULL};
    ale_screens bad = good;
    CHECK_REFUSED(ale_env_step(NULL, &action, NULL, 1, 1, &good));
    CHECK_REFUSED(ale_env_step(env, NULL, NULL, 1, 1, &good));
    CHECK_REFUSED(ale_env_step(env, &action, NULL, 1, 1, NULL));
    CHECK_REFUSED(ale_env_step(env, &action, NULL, 2, 1, &good));
    CHECK_REFUSED(ale_env_step(env, &action, NULL, 1, 0, &good));
    CHECK_REFUSED(ale_env_step(env, &(int32_t){18}, NULL, 1, 1, &good));
#define BAD(change)                                                     \
    do {                                                                \
        bad = good;                                                     \
        change;                                                         \
        CHECK_REFUSED(ale_env_step(env, &action, NULL, 1, 1, &bad));    \
    } while (0)
    BAD(bad.struct_size = 0);
    BAD(bad.pixels = 3);
    BAD(bad.pixels = -1);
    BAD(bad.pixels = ALE_GRAYSCALE);
    BAD(bad.count = 0);
    BAD(bad.count = ALE_MAX_PLAYERS + 1);
    BAD(bad.count = 3);
    BAD(bad.size--);
    BAD(bad.out[1] = NULL);
    ale_report copy = {0};
    BAD(bad.report = &copy); /* without its size */
#undef BAD
    CHECK(memcmp(&before, report, sizeof before) == 0);

    /* The report, with screens and alone; a caller may know less of it. */
    copy.struct_size = sizeof copy;
    bad = good;
    for (bad.count = 0; bad.count <= 2; bad.count += 2) {
        bad.report = &copy;
        CHECK_EQUAL(ale_env_step(env, &action, NULL, 1, 2, &bad), ALE_OK);
        CHECK(memcmp(&copy, report, sizeof copy) == 0);
    }
    const ale_report full = copy;
    copy.struct_size = offsetof(ale_report, lives);
    bad.count = 0;
    CHECK_EQUAL(ale_env_step(env, &action, NULL, 1, 2, &bad), ALE_OK);
    CHECK(copy.frame_number == full.frame_number && copy.players == report->players);

    /* The reward of an act, or why there is none. */
    CHECK_EQUAL(ale_env_act_alone(env, ALE_FIRE, 3), report->rewards[0]);
    CHECK_EQUAL(report->frame_number, full.frame_number + 2 + 3);
    CHECK(ale_env_act_alone(NULL, ALE_FIRE, 1) == INT64_MIN + ALE_INVALID_ARGUMENT);
    CHECK(ale_env_act_alone(env, ALE_FIRE, 0) == INT64_MIN + ALE_INVALID_ARGUMENT);
    CHECK(ale_env_act_alone(env, ALE_ACTION_COUNT, 1) == INT64_MIN + ALE_INVALID_ARGUMENT);
    CHECK(ale_env_act_alone(env, -1, 1) == INT64_MIN + ALE_INVALID_ARGUMENT);
    ale_env_destroy(env);
    ale_env_destroy(other);
}

/* While a call runs, all others are refused. */
static void calls_are_refused(ale_env *env, ale_env *idle) {
    const int32_t action = ALE_FIRE;
    uint8_t screen[210 * ALE_SCREEN_WIDTH];
    ale_state *state = new_state();
    CHECK_EQUAL(ale_env_act(env, &action, NULL, 1, 1), ALE_OUT_OF_ORDER);
    CHECK(strstr(ale_last_error(), "the environment of") && strstr(ale_last_error(), "is in use"));
    CHECK(ale_env_act_alone(env, action, 1) == INT64_MIN + ALE_OUT_OF_ORDER);
    CHECK_EQUAL(ale_env_reset(env), ALE_OUT_OF_ORDER);
    CHECK_EQUAL(ale_env_reload(env, 1), ALE_OUT_OF_ORDER);
    CHECK_EQUAL(ale_env_screen(env, ALE_INDEXED, screen, sizeof screen), ALE_OUT_OF_ORDER);
    CHECK(!ale_env_screen_indices(env));
    CHECK_EQUAL(ale_env_set_ram(env, 1, 1), ALE_OUT_OF_ORDER);
    CHECK_EQUAL(ale_env_set_mode(env, 0), ALE_OUT_OF_ORDER);
    CHECK_EQUAL(ale_env_set_difficulty(env, 0), ALE_OUT_OF_ORDER);
    CHECK_EQUAL(ale_env_save(env, 0, state), ALE_OUT_OF_ORDER);
    CHECK_EQUAL(ale_env_save(idle, 0, state), ALE_OK);
    CHECK_EQUAL(ale_env_restore(env, state), ALE_OUT_OF_ORDER);
    CHECK_EQUAL(ale_env_restore(idle, state), ALE_OK);
    CHECK_EQUAL(ale_env_copy(env, idle), ALE_OUT_OF_ORDER);
    CHECK_EQUAL(ale_env_copy(idle, env), ALE_OUT_OF_ORDER);
    CHECK_EQUAL(ale_env_act(idle, &action, NULL, 1, 1), ALE_OK); /* neither is it in use now */
    ale_state_destroy(state);
}

static void one_caller_at_a_time(ale_rom *rom) {
    ale_env *env = make_env(rom, ALE_SOLO), *idle = make_env(rom, ALE_SOLO);
    const ale_report before = *ale_env_report(env);
    CHECK(!atomic_flag_test_and_set(&env->in_use)); /* as if another thread's call were running */
    calls_are_refused(env, idle);
#if !defined(_WIN32) && !defined(__EMSCRIPTEN__)
    const pid_t child = fork(); /* which does not have that thread */
    CHECK(child >= 0);
    if (child == 0) {
        alarm(60);
        calls_are_refused(env, idle);
        _exit(check_failures != 0);
    }
    int result = -1;
    CHECK_EQUAL(waitpid(child, &result, 0), child);
    CHECK_EQUAL(result, 0);
#endif
    CHECK(memcmp(&before, ale_env_report(env), sizeof before) == 0);
    atomic_flag_clear(&env->in_use);
    CHECK_EQUAL(ale_env_act_alone(env, ALE_FIRE, 1), 0);
    ale_env_destroy(env);
    ale_env_destroy(idle);
}

/* Each call of two threads is made as a whole or refused. */
typedef struct shared {
    ale_env *env[2];
    uint32_t first;
    int played;
} shared;

static void *play_together(void *with) {
    static const int32_t action = ALE_FIRE;
    shared *s = with;
    ale_env *env = s->env[s->first], *other = s->env[!s->first];
    ale_state *state = new_state();
    for (int i = 0; i < 200 || !s->played; i++) { /* all may be refused while the other thread is not running */
        const ale_status statuses[] = {
            ale_env_act(env, &action, NULL, 1, 1), ale_env_copy(env, other), ale_env_set_ram(other, 5, 5),
            ale_env_set_mode(other, 0), ale_env_set_difficulty(env, 0),
        };
        s->played += statuses[0] == ALE_OK;
        for (size_t k = 0; k < sizeof statuses / sizeof *statuses; k++)
            CHECK(statuses[k] == ALE_OK || statuses[k] == ALE_OUT_OF_ORDER);
        if (ale_env_save(other, 1, state) == ALE_OK) (void)ale_env_restore(env, state);
        if (!s->played) os_yield();
    }
    ale_state_destroy(state);
    return NULL;
}

static void threads_do_not_meet(ale_rom *rom) {
    shared with[2] = {{{make_env(rom, ALE_SOLO), make_env(rom, ALE_SOLO)}, 0, 0}};
    with[1] = (shared){{with[0].env[0], with[0].env[1]}, 1, 0};
#if defined(__EMSCRIPTEN__) /* it has no threads */
    play_together(&with[1]);
    play_together(&with[0]);
#else
    os_thread thread;
    CHECK(os_thread_start(&thread, play_together, &with[1]));
    play_together(&with[0]);
    os_thread_join(thread);
#endif
    ale_env_destroy(with[0].env[0]);
    ale_env_destroy(with[0].env[1]);
}

/* Every single damaged byte is noticed, and nothing happens then. */
static void damaged_states_are_refused(ale_rom *rom) {
    ale_env *env = make_env(rom, ALE_SOLO);
    ale_state *state = new_state(), *other = new_state();
    CHECK(equal_states(state, other));
    CHECK_EQUAL(ale_env_restore(env, state), ALE_BAD_STATE);
    CHECK_REFUSED(ale_env_save(env, 2, state));
    CHECK_EQUAL(ale_env_save(env, 1, state), ALE_OK);
    CHECK(!equal_states(state, other));

    ale_state_info info = {.struct_size = sizeof info};
    CHECK_EQUAL(ale_state_describe(state, &info), ALE_OK);
    CHECK_EQUAL(info.empty, 0);
    CHECK_EQUAL(info.includes_random, 1);
    size_t size = info.serialized_size;
    uint8_t *bytes = malloc(size + 1);
    CHECK_REFUSED(ale_state_serialize(state, bytes, size - 1));
    CHECK_EQUAL(ale_state_serialize(state, bytes, size), ALE_OK);
    for (size_t i = 0; i < size; i++) {
        uint8_t change = (uint8_t)(1u << i % 8);
        bytes[i] ^= change;
        if (ale_state_deserialize(other, bytes, size) != ALE_BAD_STATE) {
            fprintf(stderr, "damage at byte %zu goes unnoticed\n", i);
            check_failures = 1;
        }
        bytes[i] ^= change;
    }
    for (size_t length = 0; length < size; length += 1 + length / 50)
        CHECK_EQUAL(ale_state_deserialize(other, bytes, length), ALE_BAD_STATE);
    CHECK_EQUAL(ale_state_deserialize(other, bytes, size + 1), ALE_BAD_STATE);
    CHECK_EQUAL(ale_state_describe(other, &info), ALE_OK);
    CHECK_EQUAL(info.empty, 1);

    CHECK_EQUAL(ale_state_deserialize(other, bytes, size), ALE_OK);
    CHECK(equal_states(state, other));
    CHECK_EQUAL(ale_env_restore(env, other), ALE_OK);

    /* States of others: other rules, another image. */
    ale_env *multi = make_env(rom, ALE_MULTI);
    CHECK_EQUAL(ale_env_restore(multi, state), ALE_BAD_STATE);
    image[0x800] ^= 1;
    ale_rom *other_rom = make_rom();
    image[0x800] ^= 1;
    ale_env *stranger = make_env(other_rom, ALE_SOLO);
    CHECK_EQUAL(ale_env_restore(stranger, state), ALE_BAD_STATE);
    ale_rom_release(other_rom);
    ale_env_destroy(stranger);
    ale_env_destroy(multi);
    ale_env_destroy(env);
    ale_state_destroy(state);
    ale_state_destroy(other);
    ale_state_destroy(NULL);
    free(bytes);
}

/* A copy goes on as its source would, and the source goes on as if nobody had copied it. */
static void copies_go_on_alike(ale_rom *rom, int32_t rules) {
    enum { PIXELS = 210 * ALE_SCREEN_WIDTH };
    static uint8_t screen[PIXELS];
    ale_env *source = make_env(rom, rules), *copy = make_env(rom, rules), *twin = make_env(rom, rules);
    const ale_report *report = ale_env_report(source), *copied = ale_env_report(copy);
    for (int32_t i = 0; i < 60; i++) {
        int32_t action = i % ALE_ACTION_COUNT;
        if (i % 5 == 0) CHECK_EQUAL(ale_env_copy(copy, source), ALE_OK);
        if (i == 31) CHECK_EQUAL(ale_env_reset(source), ALE_OK);
        if (i == 31) CHECK_EQUAL(ale_env_reset(copy), ALE_OK);
        if (i == 31) CHECK_EQUAL(ale_env_reset(twin), ALE_OK);
        CHECK_EQUAL(ale_env_act(copy, &action, NULL, 1, 1), ALE_OK);
        CHECK_EQUAL(ale_env_act(source, &action, NULL, 1, 1), ALE_OK);
        CHECK_EQUAL(ale_env_act(twin, &action, NULL, 1, 1), ALE_OK);
        CHECK(memcmp(report, copied, sizeof *report) == 0);
        CHECK(memcmp(report, ale_env_report(twin), sizeof *report) == 0);
        CHECK(memcmp(ale_env_ram(source), ale_env_ram(copy), ALE_RAM_SIZE) == 0);
        CHECK(memcmp(ale_env_ram(source), ale_env_ram(twin), ALE_RAM_SIZE) == 0);
        if (i % 3) continue;
        memcpy(screen, ale_env_screen_indices(source), PIXELS);
        CHECK(memcmp(screen, ale_env_screen_indices(copy), PIXELS) == 0);
        CHECK(memcmp(screen, ale_env_screen_indices(twin), PIXELS) == 0);
    }
    ale_report before = *report;
    CHECK_EQUAL(ale_env_copy(source, source), ALE_OK);
    CHECK(memcmp(&before, report, sizeof before) == 0);

    ale_env *others = make_env(rom, rules == ALE_SOLO ? ALE_MULTI : ALE_SOLO);
    CHECK_REFUSED(ale_env_copy(others, source));
    image[0x800] ^= 1;
    ale_rom *other_rom = make_rom();
    image[0x800] ^= 1;
    ale_env *stranger = make_env(other_rom, rules);
    CHECK_REFUSED(ale_env_copy(source, stranger));
    CHECK_REFUSED(ale_env_copy(NULL, source));
    CHECK_REFUSED(ale_env_copy(source, NULL));
    CHECK(memcmp(&before, report, sizeof before) == 0);
    ale_rom_release(other_rom);
    ale_env_destroy(stranger);
    ale_env_destroy(others);
    ale_env_destroy(twin);
    ale_env_destroy(copy);
    ale_env_destroy(source);
}

int main(void) {
    test_rom(image);
    ale_rom *rom = make_rom();
    CHECK(strcmp(ale_last_error(), "") == 0);
    RUN(versions());
    RUN(games());
    RUN(roms());
    RUN(structs_grow(rom));
    RUN(options_are_checked(rom));
    RUN(environments(rom, ALE_SOLO));
    RUN(environments(rom, ALE_MULTI));
    RUN(steps_show_what_they_play(rom, ALE_SOLO));
    RUN(steps_show_what_they_play(rom, ALE_MULTI));
    RUN(one_caller_at_a_time(rom));
    RUN(threads_do_not_meet(rom));
    RUN(damaged_states_are_refused(rom));
    RUN(copies_go_on_alike(rom, ALE_SOLO));
    RUN(copies_go_on_alike(rom, ALE_MULTI));
    ale_rom_release(rom);
    return check_failures;
}
