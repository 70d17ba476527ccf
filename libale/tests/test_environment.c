/* The environment's semantics, seen through a cartridge that shows what its pins see. */
#include <stdlib.h>

#include "../src/console/video/followers.h"
#include "../src/console/video/picture.h"
#include "../src/environment/environment.h"
#include "../src/environment/rom.h"
#include "../src/environment/state.h"
#include "check.h"
#include "loops.h"
#include "small.h"

static const environment_setting setting = {.chooses = true};

static ale_env_options defaults(void) {
    ale_env_options options = env_defaults();
    options.repeat_action_probability = 0;
    return options;
}

static rom_image *make_image(void) {
    uint8_t bytes[TEST_ROM_SIZE];
    char error[256];
    test_rom(bytes);
    rom_image *image = console_open_rom(bytes, sizeof bytes, ROM_AUTO, error);
    if (!image) fprintf(stderr, "%s\n", error), exit(1);
    return image;
}

/* `game` NULL: without rules. */
static ale_rom *make_rom(const ale_game *game) {
    ale_rom *rom = rom_create(make_image(), game, game ? 0 : ALE_GAME_NONE, NULL, NULL);
    if (!rom) exit(1);
    return rom;
}

static ale_env *make(const ale_env_options *options) {
    ale_rom *rom = make_rom(NULL);
    ale_env *env = NULL;
    CHECK_EQUAL(environment_create(rom, options, &setting, &env), ALE_OK);
    rom_release(rom);
    if (!env) exit(1);
    return env;
}

enum { MIDDLE = 100 * SCREEN_WIDTH + 80 }; /* a pixel */

static void play(ale_env *env, int32_t action) { environment_act(env, &action, NULL, 1, 1); }

static uint8_t ram(const ale_env *env, int index) { return env->console->s.ram[index]; }

/* What RAM is filled with. */
static uint8_t power_on_count(uint32_t seed) {
    mt19937 random;
    mt19937_seed(&random, seed);
    for (int i = 0; i < TEST_COUNT; i++) mt19937_next(&random);
    return (uint8_t)mt19937_next(&random);
}

static void reset_runs_its_frames(void) {
    ale_env_options options = defaults();
    ale_env *env = make(&options);
    /* 60 frames to find the format; 60 of rest and twice 4 of RESET.  The program does not count the partial
     * frame after a power-on, of which there are two. */
    CHECK_EQUAL(ram(env, TEST_COUNT), (uint8_t)(power_on_count(4753849) + 59 + 67));
    CHECK_EQUAL(ram(env, TEST_SWCHB), 0x3E); /* RESET was held in the last frame */
    CHECK_EQUAL(env->report.frame_number, 0);
    environment_reset(env);
    CHECK_EQUAL(ram(env, TEST_COUNT), (uint8_t)(power_on_count(4753849) + 59 + 67 + 67));
    environment_destroy(env);

    options.rules = ALE_MULTI; /* two frames of rest follow */
    env = make(&options);
    CHECK_EQUAL(ram(env, TEST_COUNT), (uint8_t)(power_on_count(0) + 59 + 69));
    CHECK_EQUAL(ram(env, TEST_SWCHB), 0x3F);
    environment_destroy(env);
}

static void actions_reach_the_pins(void) {
    static const uint8_t swcha[ALE_ACTION_COUNT] = {0xFF, 0xFF, 0xEF, 0x7F, 0xBF, 0xDF, 0x6F, 0xAF, 0x5F,
                                                    0x9F, 0xEF, 0x7F, 0xBF, 0xDF, 0x6F, 0xAF, 0x5F, 0x9F};
    ale_env_options options = defaults();
    ale_env *env = make(&options);
    for (int action = 0; action < ALE_ACTION_COUNT; action++) {
        play(env, action);
        CHECK_EQUAL(ram(env, TEST_SWCHA), swcha[action]);
        bool fire = action == ALE_FIRE || action >= ALE_UPFIRE;
        CHECK_EQUAL(ram(env, TEST_INPT4) & 0x80, fire ? 0 : 0x80);
    }
    for (int difficulty = 0; difficulty < 4; difficulty++) {
        CHECK_EQUAL(ale_env_set_difficulty(env, difficulty), ALE_OK);
        play(env, ALE_NOOP);
        CHECK_EQUAL(ram(env, TEST_SWCHB), 0x3F | difficulty << 6);
    }
    environment_destroy(env);
}

/* SOLO draws for two players in every frame, MULTI for those there are. */
static void actions_stick(ale_rules rules, int draws) {
    ale_env_options options = defaults();
    options.rules = rules;
    options.random_seed = 5;
    options.repeat_action_probability = 0.4f;
    ale_env *env = make(&options);
    mt19937 random;
    mt19937_seed(&random, 5);
    if (rules == ALE_MULTI) mt19937_next(&random); /* the timer's, at reset */
    bool fire = false;
    for (int t = 0; t < 500; t++) {
        bool chosen_fire = t % 3 == 0;
        if (t == 200) {
            environment_reset(env);
            if (rules == ALE_MULTI) mt19937_next(&random);
            fire = false;
        }
        if (mt19937_next(&random) / 4294967296.0 >= (double)0.4f) fire = chosen_fire;
        for (int other = 1; other < draws; other++) mt19937_next(&random);
        play(env, chosen_fire ? ALE_FIRE : ALE_NOOP);
        CHECK_EQUAL(ram(env, TEST_INPT4) >> 7, !fire);
    }
    environment_destroy(env);
}

static void probabilities_are_exact(void) {
    static const float probabilities[] = {-1,       0,           1e-30f, 0.25f, 0.1f, 0.0009765625f, 0.3033695f,
                                          1.0f / 3, 0.99999994f, 1,      1.5f,  1e-6f, 1.234565e-6f,  5.5e-8f};
    for (size_t i = 0; i < sizeof probabilities / sizeof *probabilities; i++) {
        ale_env_options options = defaults();
        options.repeat_action_probability = probabilities[i];
        ale_env *env = make(&options);
        char six_digits[32];
        snprintf(six_digits, sizeof six_digits, "%.6g", (double)probabilities[i]);
        double p = (double)strtof(six_digits, NULL);
        for (int64_t off = -2; off <= 2; off++) {
            int64_t draw = (int64_t)(p * 4294967296.0) + off;
            if (draw < 0 || draw > UINT32_MAX) continue;
            CHECK(((uint64_t)draw < env->sticky_below) == ((double)draw / 4294967296.0 < p));
        }
        environment_destroy(env);
    }
}

static void frames_are_skipped_and_limited(void) {
    ale_env_options options = defaults();
    options.frame_skip = 4;
    options.max_num_frames_per_episode = 10;
    options.reward_min = 5; /* clips the sum of 0 rewards, also after the end */
    ale_env *env = make(&options);
    uint8_t count = ram(env, TEST_COUNT);
    static const int32_t frames[] = {4, 8, 10, 10};
    for (int i = 0; i < 4; i++) {
        play(env, ALE_NOOP);
        CHECK_EQUAL(env->report.episode_frame_number, frames[i]);
        CHECK_EQUAL(env->report.truncated, frames[i] == 10);
        CHECK_EQUAL(env->report.terminated, 0);
        CHECK_EQUAL(env->report.rewards[0], 5);
    }
    CHECK_EQUAL(ram(env, TEST_COUNT), (uint8_t)(count + 10));
    environment_reset(env);
    CHECK_EQUAL(env->report.frame_number, 10);
    CHECK_EQUAL(env->report.episode_frame_number, 0);
    CHECK_EQUAL(env->report.truncated, 0);
    environment_destroy(env);
}

static void repeat_is_several_acts(void) {
    ale_env_options options = defaults();
    options.repeat_action_probability = 0.25f;
    options.sound = 1;
    ale_env *one = make(&options), *other = make(&options);
    ale_state *a = new_state(), *b = new_state();
    int32_t action = ALE_RIGHT;
    for (int i = 0; i < 7; i++) environment_act(one, &action, NULL, 1, 1);
    environment_act(other, &action, NULL, 1, 7);
    environment_save(one, true, a);
    environment_save(other, true, b);
    CHECK(state_equal(a, b));
    CHECK(memcmp(one->s.samples, other->s.samples, sizeof one->s.samples) == 0);
    ale_state_destroy(a);
    ale_state_destroy(b);
    environment_destroy(one);
    environment_destroy(other);
}

static void paddles_turn(void) {
    ale_rom *rom = make_rom(NULL);
    rom->image->properties.paddles[0] = true;
    ale_env_options options = defaults();
    ale_env *env = NULL;
    environment_create(rom, &options, &setting, &env);
    const int32_t right = ALE_UPRIGHT, left = ALE_LEFTFIRE, up = ALE_UP;
    const float strength[] = {1, -0.7f, 0, 1e9f, 1.0f / 0.0f};
    CHECK_EQUAL(env->s.paddle[0], 408823);
    environment_act(env, &right, &strength[0], 1, 1);
    CHECK_EQUAL(env->s.paddle[0], 385823);
    environment_act(env, &left, &strength[1], 1, 1);
    CHECK_EQUAL(env->s.paddle[0], 385823 + 16099);
    CHECK_EQUAL(ram(env, TEST_SWCHA), 0x7F);
    environment_act(env, &left, &strength[2], 1, 1);
    environment_act(env, &up, &strength[0], 1, 1);
    CHECK_EQUAL(env->s.paddle[0], 385823 + 16099);
    CHECK_EQUAL(ram(env, TEST_SWCHA), 0xFF);
    environment_act(env, &left, &strength[0], 1, 40);
    CHECK_EQUAL(env->s.paddle[0], 790196);
    environment_act(env, &left, &strength[3], 1, 1);
    CHECK_EQUAL(env->s.paddle[0], 27450);
    environment_act(env, &right, &strength[4], 1, 1);
    CHECK_EQUAL(env->s.paddle[0], 27450);
    CHECK_EQUAL(env->s.paddle[1], 408823);
    environment_destroy(env);

    options.paddle_min = 500000; /* crossed limits pin the paddle to the upper one */
    options.paddle_max = 400000;
    environment_create(rom, &options, &setting, &env);
    CHECK_EQUAL(env->s.paddle[0], 400000);
    environment_destroy(env);

    static const int32_t absurd[] = {0, 1, INT32_MAX};
    for (size_t i = 0; i < sizeof absurd / sizeof *absurd; i++) {
        options.paddle_min = options.paddle_max = absurd[i];
        environment_create(rom, &options, &setting, &env);
        environment_act(env, &left, &strength[0], 1, 2);
        CHECK_EQUAL(env->s.paddle[0], absurd[i]);
        environment_act(env, &right, &strength[4], 1, 2);
        CHECK_EQUAL(env->s.paddle[0], absurd[i]);
        environment_destroy(env);
    }
    rom_release(rom);
}

static void screens_blend(void) {
    ale_env_options options = defaults();
    options.color_averaging = 1;
    ale_env *env = make(&options);
    CHECK_EQUAL(console_screen_rows(env->console), 210);
    for (int t = 0; t < 3; t++) {
        uint8_t before = ram(env, TEST_COLOR), after = (uint8_t)(0x48 + 0x3A * t) & 0xFE;
        CHECK_EQUAL(ale_env_set_ram(env, TEST_COLOR, after), ALE_OK);
        play(env, ALE_NOOP);
        uint8_t pixel = environment_screen(env)[MIDDLE];
        if (t) CHECK_EQUAL(pixel, palette_average(&env->colors.by_index, before, after));
    }
    environment_destroy(env);

    options.color_averaging = 0;
    env = make(&options);
    ale_env_set_ram(env, TEST_COLOR, 0x48);
    play(env, ALE_NOOP);
    CHECK_EQUAL(environment_screen(env)[MIDDLE], 0x48);
    environment_destroy(env);
}

static void sound_is_made_when_wanted(void) {
    ale_env_options options = defaults();
    options.max_num_frames_per_episode = 2;
    ale_env *env = make(&options);
    play(env, ALE_NOOP);
    CHECK_EQUAL(env->s.samples[0], 0);
    environment_destroy(env);

    options.sound = 1;
    env = make(&options);
    CHECK_EQUAL(env->s.samples[0], 0);
    for (unsigned i = 0; i < 6; i++) ale_env_set_ram(env, i, i == 0 ? 4 : i == 4 ? 15 : 0);
    for (int t = 0; t < 4; t++) { /* the episode ends, sound goes on */
        play(env, ALE_NOOP);
        CHECK_EQUAL(env->s.samples[2] + env->s.samples[3], 128 + 188);
    }
    CHECK_EQUAL(env->report.episode_frame_number, 2);
    environment_destroy(env);
}

static void reload_is_a_new_environment(ale_rules rules) {
    ale_env_options options = defaults();
    options.rules = (int32_t)rules;
    options.random_seed = 3;
    options.repeat_action_probability = 0.25f;
    options.sound = 1;
    ale_env *fresh = make(&options);
    options.random_seed = 4;
    ale_env *used = make(&options);
    const uint8_t *memory = ale_env_ram(used);
    for (int t = 0; t < 20; t++) play(used, t % 18);
    ale_env_set_ram(used, 100, 1);
    ale_env_set_difficulty(used, 3);
    CHECK_EQUAL(environment_reload(used, 3), ALE_OK);
    CHECK(memory == ale_env_ram(used));
    CHECK_EQUAL(used->report.difficulty, 3); /* as chosen before, in force only from now on */
    ale_env_set_difficulty(used, 0);

    ale_state *a = new_state(), *b = new_state();
    for (int t = 0; t < 20; t++) {
        play(fresh, t % 18);
        play(used, t % 18);
        environment_save(fresh, true, a);
        environment_save(used, true, b);
        CHECK(state_equal(a, b));
    }
    ale_state_destroy(a);
    ale_state_destroy(b);
    environment_destroy(fresh);
    environment_destroy(used);
}

/* Play on, return, and play the same again. */
static void states_return(ale_rules rules, bool include_random) {
    ale_env_options options = defaults();
    options.rules = (int32_t)rules;
    options.repeat_action_probability = include_random ? 0.5f : 0;
    options.random_seed = 11;
    options.sound = 1;
    ale_env *env = make(&options);
    options.random_seed = 12;
    ale_env *other = make(&options);
    ale_state *state = new_state();
    for (int t = 0; t < 9; t++) play(env, t * 5 % 18);
    ale_env_set_ram(env, TEST_COLOR, 0x36);
    play(env, ALE_UPFIRE);
    CHECK_EQUAL(environment_save(env, include_random, state), ALE_OK);

    enum { FRAMES = 30 };
    uint8_t seen[FRAMES][RAM_SIZE], pixel = environment_screen(env)[MIDDLE];
    for (int t = 0; t < FRAMES; t++) {
        play(env, t % 18);
        memcpy(seen[t], env->console->s.ram, RAM_SIZE);
    }
    ale_env *players[] = {env, other};
    for (int i = 0; i < 2; i++) {
        CHECK_EQUAL(environment_restore(players[i], state), ALE_OK);
        CHECK_EQUAL(environment_screen(players[i])[MIDDLE], pixel);
        CHECK_EQUAL(players[i]->report.frame_number, 10);
        for (int t = 0; t < FRAMES; t++) {
            play(players[i], t % 18);
            CHECK(memcmp(seen[t], players[i]->console->s.ram, RAM_SIZE) == 0);
        }
    }
    ale_state_destroy(state);
    environment_destroy(env);
    environment_destroy(other);
}

/* Without the generator a state leaves the environment's as it is; in MULTI too, where the console has it. */
static void states_leave_the_generator(ale_rules rules) {
    ale_env_options options = defaults();
    options.rules = (int32_t)rules;
    ale_env *env = make(&options);
    ale_state *before = new_state(), *after = new_state();
    environment_save(env, false, before);
    play(env, ALE_UP);
    mt19937 random = *env->random;
    environment_restore(env, before);
    CHECK(memcmp(&random, env->random, sizeof random) == 0);
    environment_save(env, false, after);
    CHECK(state_equal(before, after));
    environment_save(env, true, after);
    CHECK(!state_equal(before, after));
    ale_state_destroy(before);
    ale_state_destroy(after);
    environment_destroy(env);
}

/* A game whose cartridge never shows the mode asked for, and one whose selection acts. */
static bool press_for_ever(const game_rules *rules, game_state *state, game_control *control, int mode) {
    (void)rules;
    while (mode) {
        state->var[0]++;
        if (!control_press_select(control, 1)) return false;
    }
    return true;
}

static bool act_three_times(const game_rules *rules, game_state *state, game_control *control, int mode) {
    (void)rules;
    (void)state;
    (void)mode;
    for (int i = 0; i < 3; i++)
        if (!control_act(control, ACTION_UP)) return false;
    return true;
}

static void step_counts(const game_rules *rules, game_state *state, const game_memory *memory) {
    (void)rules;
    score_to(state, memory->ram[TEST_COUNT]);
}

static void selections_work_the_console(void) {
    static const uint16_t modes[] = {0, 1};
    game_rules rules = {
        .modes = {MODES(modes)},
        .minimal_actions = ACTIONS_ALL,
        .illegal_actions = ACTION_BIT(UP),
        .difficulties = 1,
        .step = step_counts,
        .lives = LIVES_ONE,
        .select_mode = press_for_ever,
    };
    const ale_game game = {.name = "a_game", .title = "A game", .md5 = "", .solo = &rules};
    ale_rom *rom = make_rom(&game);
    ale_env_options options = defaults();
    ale_env *env = NULL;
    CHECK_EQUAL(environment_create(rom, &options, &setting, &env), ALE_OK);
    CHECK_EQUAL(ale_env_set_mode(env, 1), ALE_OK);
    CHECK_EQUAL(environment_reset(env), ALE_MODE_NOT_REACHED);
    CHECK(env->report.episode_frame_number > 1000); /* each press counts one frame */
    CHECK(env->report.episode_frame_number < 10000); /* and their number is bounded */
    CHECK_EQUAL(env->report.episode_frame_number + 1, env->s.game.var[0]);
    CHECK_EQUAL(ale_env_set_mode(env, 0), ALE_OK);
    CHECK_EQUAL(environment_reset(env), ALE_OK);
    int32_t up = ALE_UP;
    environment_act(env, &up, NULL, 1, 3);
    CHECK_EQUAL(env->report.rewards[0], 3);
    CHECK_EQUAL(ram(env, TEST_SWCHA), 0xFF); /* illegal here: does nothing */
    environment_destroy(env);

    rules.select_mode = act_three_times;
    options.frame_skip = 2;
    CHECK_EQUAL(environment_create(rom, &options, &setting, &env), ALE_OK);
    CHECK_EQUAL(env->report.episode_frame_number, 6);
    CHECK_EQUAL(env->random->position, 12);
    environment_destroy(env);
    options.max_num_frames_per_episode = 4; /* the third act is refused */
    env = NULL;
    CHECK_EQUAL(environment_create(rom, &options, &setting, &env), ALE_MODE_NOT_REACHED);
    CHECK(!env);
    rom_release(rom);
}

/* The first player has no lives after the second frame, and some again; the second none after the fourth. */
static void step_loses(const game_rules *rules, game_state *state, const game_memory *memory) {
    (void)rules;
    (void)memory;
    const int frame = ++state->var[0];
    state->lives[0] = frame == 2 ? -1 : 1;
    state->lives[1] = frame >= 4 ? -1 : 1;
    state->reward[0] = state->reward[1] = 1;
    state->terminal = frame >= 20;
}

static void go_to_frame(ale_env *env, int frame) {
    env->s.game.var[0] = frame;
    env->s.game.terminal = false;
}

static void play_two(ale_env *env, int32_t first, uint32_t repeat) {
    const int32_t actions[2] = {first, ALE_LEFT};
    CHECK_EQUAL(ale_env_act(env, actions, NULL, 2, repeat), ALE_OK);
}

static void players_who_are_out_rest(void) {
    static const uint16_t modes[] = {0};
    const game_rules rules = {
        .modes = {{0}, MODES(modes)},
        .minimal_actions = ACTIONS_ALL,
        .difficulties = 1,
        .step = step_loses,
        .lives = LIVES_RAW,
    };
    const ale_game game = {.name = "a_game", .title = "A game", .md5 = "", .multi = &rules};
    ale_rom *rom = make_rom(&game);
    ale_env_options options = defaults();
    options.rules = ALE_MULTI;
    ale_env *env = NULL;
    const int32_t out[2] = {ALE_OUT, ALE_LEFT};
    for (int rest = 0; rest < 2; rest++) {
        options.idle_action = rest ? ALE_DOWN : -1;
        CHECK_EQUAL(environment_create(rom, &options, &setting, &env), ALE_OK);
        const ale_report *report = ale_env_report(env);
        go_to_frame(env, 0);
        const uint32_t drawn = env->random->position;
        play_two(env, ALE_UP, 6);
        CHECK_EQUAL(report->episode_frame_number, rest ? 4 : 6); /* it ends when all are out */
        CHECK_EQUAL(report->rewards[0], rest ? 2 : 6);
        CHECK_EQUAL(report->rewards[1], rest ? 4 : 6);
        CHECK_EQUAL(env->random->position - drawn, rest ? 8 : 12);
        CHECK_EQUAL(ram(env, TEST_SWCHA), rest ? 0xDB : 0xEB); /* DOWN, or UP still; and LEFT */

        go_to_frame(env, 0); /* nobody is out, but who is said to be */
        CHECK_EQUAL(ale_env_act(env, out, NULL, 2, 3), rest ? ALE_OK : ALE_INVALID_ARGUMENT);
        if (!rest) CHECK(strstr(ale_last_error(), "actions[0] is -1; it must be 0 to 17"));
        if (rest) CHECK(report->rewards[0] == 0 && report->rewards[1] == 3);

        go_to_frame(env, 17); /* the second player is out; the game is over after three frames */
        play_two(env, ALE_UP, 9);
        CHECK_EQUAL(report->rewards[0], 3);
        CHECK_EQUAL(report->rewards[1], rest ? 1 : 3);
        CHECK_EQUAL(report->terminated, 1);
        CHECK_EQUAL(env->random->position - drawn, rest ? 8 + 6 + 6 : 12 + 18);
        environment_destroy(env);
    }
    rom_release(rom);
}

/* ---- The faster way to follow frames ------------------------------------------------------------------- */

static bool by_engine(const ale_env *env) { return env->console->picture->following.follower == &engine_follower; }

/* Acts until the engine follows one whose turn it is. */
static int acts_before_engine(ale_env *env) {
    for (int acts = 0; acts < 100; acts++) {
        atomic_store(&env->ways->now, 1);
        play(env, ALE_NOOP);
        if (by_engine(env)) return acts;
    }
    return -1;
}

/* Two alike, of which one takes turns: the same is seen. */
static void ways_lead_to_the_same(ale_env *env, ale_env *other) {
    CHECK(other->ways == NULL);
    for (int t = 0; t < 60; t++) {
        atomic_store(&env->ways->now, (unsigned)t / 2 % 2);
        ale_env_set_ram(env, TEST_COLOR, (uint32_t)t * 4 % 256);
        ale_env_set_ram(other, TEST_COLOR, (uint32_t)t * 4 % 256);
        play(env, t % 18);
        play(other, t % 18);
        CHECK(memcmp(env->console->s.ram, other->console->s.ram, RAM_SIZE) == 0);
        if (t % 20 > 15)
            CHECK(memcmp(environment_screen(env), environment_screen(other), environment_screen_size(env)) == 0);
    }
}

static void acts_go_the_faster_way(void) {
    ale_env_options options = defaults();
    for (uint32_t averaging = 0; averaging < 2; averaging++) {
        options.color_averaging = averaging;
        options.fast_paths = ALE_FAST_ALL & ~ALE_FAST_ENGINE;
        ale_env *plain = make(&options);
        options.fast_paths = ALE_FAST_ALL;
        ale_env *env = make(&options);
        if (env->ways) {
            ways_lead_to_the_same(env, plain);
            (void)environment_screen(env);
            CHECK_EQUAL(acts_before_engine(env), 9); /* somebody looks until eight frames were not looked at */
            CHECK_EQUAL(acts_before_engine(env), 0);
            (void)environment_screen(env);
            CHECK_EQUAL(acts_before_engine(env), 9);
        }
        CHECK_EQUAL(env->ways != NULL, engine_is_wide());
        environment_destroy(env);
        environment_destroy(plain);
    }
}

static void acts_try_both_ways(void) {
    ale_env_options options = defaults();
    options.max_num_frames_per_episode = 1000;
    ale_env *env = make(&options);
    if (!env->ways) {
        environment_destroy(env);
        return;
    }
    CHECK_EQUAL(env->ways->step, 0); /* resets do not count */
    CHECK_EQUAL(env->ways->of_acts, 1);
    while (env->ways->step == 0) play(env, ALE_NOOP);
    for (int t = 1; t < CHOICE_FIRST; t++) {
        play(env, ALE_NOOP);
        CHECK(!by_engine(env));
    }
    CHECK_EQUAL(env->ways->rounds, 1);
    int engine = 0;
    for (int t = 0; t < CHOICE_TRIAL - 1; t++) { /* with the last one the times are forgotten */
        play(env, ALE_NOOP);
        engine += by_engine(env);
    }
    CHECK_EQUAL(engine, CHOICE_TRIAL / 2 - 1);
    CHECK_EQUAL(env->ways->count[0], CHOICE_TURNS / 2 * CHOICE_TIMED);
    CHECK_EQUAL(env->ways->count[1], CHOICE_TURNS / 2 * CHOICE_TIMED - 1);
    while (!env->report.truncated) play(env, ALE_NOOP);
    const uint32_t step = env->ways->step;
    play(env, ALE_NOOP);
    CHECK_EQUAL(env->ways->step, step); /* there was no frame to be timed */
    environment_destroy(env);
}

int main(void) {
    RUN(reset_runs_its_frames());
    RUN(actions_reach_the_pins());
    RUN(actions_stick(ALE_SOLO, 2));
    RUN(actions_stick(ALE_MULTI, 1));
    RUN(probabilities_are_exact());
    RUN(frames_are_skipped_and_limited());
    RUN(repeat_is_several_acts());
    RUN(players_who_are_out_rest());
    RUN(paddles_turn());
    RUN(screens_blend());
    RUN(sound_is_made_when_wanted());
    RUN(reload_is_a_new_environment(ALE_SOLO));
    RUN(reload_is_a_new_environment(ALE_MULTI));
    RUN(states_return(ALE_SOLO, true));
    RUN(states_return(ALE_SOLO, false));
    RUN(states_return(ALE_MULTI, true));
    RUN(states_return(ALE_MULTI, false));
    RUN(states_leave_the_generator(ALE_SOLO));
    RUN(states_leave_the_generator(ALE_MULTI));
    RUN(selections_work_the_console());
    RUN(acts_go_the_faster_way());
    RUN(acts_try_both_ways());
    return check_failures;
}
