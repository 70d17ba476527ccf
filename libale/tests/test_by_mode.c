/* ALE_BY_MODE: one environment for all numbers of players.  What it plays is what environments of the two rule sets
 * play. */
#include <ale/ale.h>
#include <stdbool.h>
#include <string.h>

#include "check.h"
#include "environment/state.h"
#include "small.h"

/* The cartridge for tests, by a card with this text. */
static ale_rom *make_rom_by(const char *text) {
    ale_card *card = NULL;
    if (ale_card_create(text, strlen(text), &card) != ALE_OK) fprintf(stderr, "%s\n", ale_last_error()), exit(1);
    ale_rom *rom = make_test_rom(NULL, card, NULL);
    ale_card_release(card);
    return rom;
}

/* Scores that count frames, for one, two and four players. */
#define RULES                                                                           \
    "name = \"any\"\nrom = \"any.bin\"\nscore = [\"ram[32]\", \"n\", \"0\", \"-n\"]\n"  \
    "lives = \"ram[22]\"\nover = \"ram[32] == 9\"\n[modes]\n1 = [1, 3]\n2 = [2]\n4 = [4, 7]\n" \
    "[variables]\nn = \"n + ram[16]\"\n"
static const char JOYSTICKS[] = RULES;
static const char PADDLES[] = "controllers = \"paddles\"\n" RULES;
static const int32_t MODES_OF_CARD[] = {1, 3, 2, 4, 7};

static ale_env *make_env(ale_rom *rom, ale_rules rules, uint32_t random_seed) {
    ale_env_options options = env_defaults();
    options.rules = (int32_t)rules;
    options.random_seed = random_seed;
    options.sound = 1;
    return env_of(rom, &options);
}

static void begin(ale_env *env, int32_t mode) {
    CHECK_EQUAL(ale_env_set_mode(env, mode), ALE_OK);
    CHECK_EQUAL(ale_env_reset(env), ALE_OK);
}

static void act(ale_env *env, int t) {
    const int32_t actions[ALE_MAX_PLAYERS] = {t % 18, t * 5 % 18, t * 7 % 18, t * 11 % 18};
    const float strengths[ALE_MAX_PLAYERS] = {1, 0.5f, 0.25f, 1};
    CHECK_EQUAL(ale_env_act(env, actions, strengths, (uint32_t)env->report.players, 1), ALE_OK);
}

/* What is seen of two that play the same, but for the number of the mode and of the frame. */
static void check_same(const ale_env *a, const ale_env *b) {
    ale_report x = a->report, y = b->report;
    x.frame_number = y.frame_number;
    x.mode = y.mode;
    CHECK(memcmp(&x, &y, sizeof x) == 0);
    CHECK(memcmp(a->console->s.ram, b->console->s.ram, ALE_RAM_SIZE) == 0);
    CHECK(memcmp(a->s.samples, b->s.samples, sizeof a->s.samples) == 0);
}

static void play_same(ale_env *a, ale_env *b) {
    for (int episode = 0; episode < 2; episode++) {
        check_same(a, b);
        for (int t = 0; t < 60; t++) {
            act(a, t);
            act(b, t);
            check_same(a, b);
        }
        CHECK_EQUAL(ale_env_reset(a), ALE_OK);
        CHECK_EQUAL(ale_env_reset(b), ALE_OK);
    }
}

/* From any mode to any other, also if the latter was only chosen and not played. */
static void it_plays_what_the_rules_play(const char *text) {
    ale_rom *rom = make_rom_by(text);
    for (int i = 0; i < 5; i++) {
        const ale_rules rules = i < 2 ? ALE_SOLO : ALE_MULTI;
        ale_env *env = make_env(rom, ALE_BY_MODE, 5), *plain = make_env(rom, rules, 5);
        CHECK_EQUAL(env->report.mode, 1);
        CHECK_EQUAL(ale_env_set_mode(env, MODES_OF_CARD[4 - i]), ALE_OK);
        CHECK_EQUAL(ale_env_set_difficulty(env, 1), ALE_OK);
        CHECK_EQUAL(ale_env_set_difficulty(plain, 1), ALE_OK);
        begin(env, MODES_OF_CARD[i]);
        begin(plain, MODES_OF_CARD[i]);
        play_same(env, plain);
        ale_env_destroy(env);
        ale_env_destroy(plain);
    }
    ale_rom_release(rom);
}

/* Who changes again and again does not play the same again and again. */
static void seeds_are_drawn(void) {
    ale_rom *rom = make_rom_by(JOYSTICKS);
    ale_env *env = make_env(rom, ALE_BY_MODE, 5);
    uint32_t seed = 5;
    mt19937 random;
    mt19937_seed(&random, 5);
    for (int turn = 0; turn < 4; turn++) {
        const bool multi = turn % 2 == 0;
        const uint32_t next = mt19937_next(&random);
        const int32_t frame = env->report.frame_number;
        begin(env, multi ? 2 : 1);
        CHECK(env->report.frame_number >= frame);
        ale_env *plain = make_env(rom, multi ? ALE_MULTI : ALE_SOLO, seed);
        begin(plain, multi ? 2 : 1);
        play_same(env, plain);
        CHECK(memcmp(env->random, plain->random, sizeof random) == 0);
        random = *env->random;
        seed = next;
        ale_env_destroy(plain);
    }
    CHECK_EQUAL(ale_env_reload(env, 5), ALE_OK);
    ale_env *fresh = make_env(rom, ALE_BY_MODE, 5);
    begin(env, 4);
    begin(fresh, 4);
    play_same(env, fresh);
    ale_env_destroy(env);
    ale_env_destroy(fresh);
    ale_rom_release(rom);
}

/* Until the reset the game goes on by the rules that it began with, for the new number of players. */
static void the_number_of_players_changes_at_once(void) {
    ale_rom *rom = make_rom_by(PADDLES);
    ale_env *env = make_env(rom, ALE_BY_MODE, 5);
    ale_state *state = new_state(), *again = new_state();
    for (int i = 4; i >= 0; i--) {
        CHECK_EQUAL(ale_env_set_mode(env, MODES_OF_CARD[i]), ALE_OK);
        CHECK_EQUAL(env->report.players, i < 2 ? 1 : i < 3 ? 2 : 4);
        CHECK(!env->multi);
        for (int t = 0; t < 20; t++) act(env, t);
        uint8_t bytes[1 << 16];
        CHECK_EQUAL(ale_env_save(env, 1, state), ALE_OK);
        CHECK_EQUAL(ale_state_serialize(state, bytes, state->size), ALE_OK);
        CHECK_EQUAL(ale_state_deserialize(again, bytes, state->size), ALE_OK);
        CHECK_EQUAL(ale_env_restore(env, again), ALE_OK);
    }
    CHECK_EQUAL(ale_env_set_mode(env, 5), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(env->report.mode, 1);
    ale_state_destroy(state);
    ale_state_destroy(again);
    ale_env_destroy(env);
    ale_rom_release(rom);
}

/* By memory, by bytes or as a copy, a moment goes on in an environment where the other rules are in force. */
static void states_bring_their_rules(bool include_random) {
    ale_rom *rom = make_rom_by(JOYSTICKS);
    for (int way = 0; way < 3; way++) {
        for (int i = 0; i < 5; i++) {
            ale_env *env = make_env(rom, ALE_BY_MODE, 5), *other = make_env(rom, ALE_BY_MODE, include_random ? 6 : 5);
            ale_state *state = new_state(), *again = new_state();
            uint8_t bytes[1 << 16];
            begin(env, MODES_OF_CARD[i]);
            begin(other, MODES_OF_CARD[4 - i]);
            act(env, 1);
            CHECK_EQUAL(ale_env_save(env, include_random, state), ALE_OK);
            CHECK_EQUAL(ale_state_serialize(state, bytes, state->size), ALE_OK);
            CHECK_EQUAL(ale_state_deserialize(again, bytes, state->size), ALE_OK);
            if (way < 2) CHECK_EQUAL(ale_env_restore(other, way ? again : state), ALE_OK);
            if (way == 2) CHECK_EQUAL(ale_env_copy(other, env), ALE_OK);
            CHECK_EQUAL(other->report.players, env->report.players);
            CHECK_EQUAL(other->multi, env->multi);
            act(env, 2);
            act(other, 2);
            if (include_random || way == 2) play_same(env, other); /* over a reset */
            begin(env, 1);
            begin(other, 1);
            if (include_random || way == 2) play_same(env, other);
            ale_state_destroy(state);
            ale_state_destroy(again);
            ale_env_destroy(env);
            ale_env_destroy(other);
        }
    }
    ale_rom_release(rom);
}

/* A state without a generator, where there was none of these rules: it has the seed of the environment. */
static void generators_are_seeded(void) {
    ale_rom *rom = make_rom_by(JOYSTICKS);
    ale_env *env = make_env(rom, ALE_BY_MODE, 5), *other = make_env(rom, ALE_BY_MODE, 8);
    ale_state *state = new_state();
    mt19937 random;
    mt19937_seed(&random, 8);
    begin(env, 2);
    CHECK_EQUAL(ale_env_save(env, 0, state), ALE_OK);
    CHECK_EQUAL(ale_env_restore(other, state), ALE_OK);
    CHECK(other->random == &other->console->s.random);
    CHECK(memcmp(&random, other->random, sizeof random) == 0);
    act(other, 1);
    mt19937_next(&random);
    mt19937_next(&random);
    CHECK_EQUAL(ale_env_restore(other, state), ALE_OK); /* now it is its own, and goes on */
    CHECK(memcmp(&random, other->random, sizeof random) == 0);
    ale_state_destroy(state);
    ale_env_destroy(env);
    ale_env_destroy(other);
    ale_rom_release(rom);
}

static void foreign_states_are_refused(void) {
    ale_rom *rom = make_rom_by(JOYSTICKS);
    ale_env *envs[] = {make_env(rom, ALE_SOLO, 5), make_env(rom, ALE_MULTI, 5), make_env(rom, ALE_BY_MODE, 5)};
    ale_state *state = new_state();
    for (int i = 0; i < 3; i++) {
        ale_state_info info = {.struct_size = sizeof info};
        if (i > 0) begin(envs[i], 4);
        CHECK_EQUAL(ale_env_save(envs[i], 1, state), ALE_OK);
        CHECK_EQUAL(ale_state_describe(state, &info), ALE_OK);
        CHECK_EQUAL(info.rules, i);
        for (int k = 0; k < 3; k++) {
            const bool fits = i == k || (i == 0 && k == 2); /* the rules for one player are the same */
            CHECK_EQUAL(ale_env_restore(envs[k], state), fits ? ALE_OK : ALE_BAD_STATE);
        }
        for (int k = 0; k < 3; k++) CHECK_EQUAL(ale_env_copy(envs[k], envs[i]), i == k ? ALE_OK : ALE_INVALID_ARGUMENT);
    }
    /* Bytes that say something else of the rules in force than the mode does. */
    saved_environment *head = (saved_environment *)(void *)state->bytes;
    const saved_environment good = *head;
#define RESTORED(wanted, ...)                                        \
    do {                                                             \
        *head = good;                                                \
        __VA_ARGS__;                                                 \
        state->foreign = true;                                       \
        CHECK_EQUAL(ale_env_restore(envs[2], state), wanted);        \
    } while (0)
    RESTORED(ALE_OK, head->s.mode = 1); /* chosen, to be in force from the next reset on */
    RESTORED(ALE_OK, head->s.other_seed = 77);
    RESTORED(ALE_BAD_STATE, head->s.mode = 5);
    RESTORED(ALE_BAD_STATE, head->s.game.mode = 1, head->s.game.players = 1);
    RESTORED(ALE_BAD_STATE, head->s.game.players = 5);
    RESTORED(ALE_BAD_STATE, head->s.game.players = 0);
    CHECK_EQUAL(ale_env_save(envs[2], 0, state), ALE_OK);
    RESTORED(ALE_BAD_STATE, head->rules = ALE_BY_MODE);
    CHECK(envs[2]->multi); /* as it was */
    begin(envs[2], 1);
    CHECK_EQUAL(ale_env_save(envs[2], 0, state), ALE_OK);
    *(saved_environment *)(void *)&good = *head;
    RESTORED(ALE_BAD_STATE, head->rules = ALE_BY_MODE | ALE_MULTI);
    CHECK(!envs[2]->multi);
#undef RESTORED
    ale_state_destroy(state);
    for (int i = 0; i < 3; i++) ale_env_destroy(envs[i]);
    ale_rom_release(rom);
}

/* A reset that changes the rules can be stopped like any other; the next one is complete. */
static void changes_are_stopped(void) {
    ale_rom *rom = make_rom_by(JOYSTICKS);
    uint32_t limit = UINT32_MAX;
    ale_env_options options = env_defaults();
    options.rules = ALE_BY_MODE;
    options.frame_limit = &limit;
    ale_env *env = env_of(rom, &options);
    static const uint32_t limits[] = {0, 30, 70, 100, 135};
    for (int i = 0; i < 5; i++) {
        CHECK_EQUAL(ale_env_set_mode(env, i % 2 ? 4 : 1), ALE_OK);
        CHECK_EQUAL(ale_env_reset(env), ALE_OK);
        CHECK_EQUAL(ale_env_set_mode(env, i % 2 ? 1 : 4), ALE_OK);
        ale_set_frame_limit(&limit, limits[i]);
        CHECK_EQUAL(ale_env_reset(env), ALE_STOPPED);
        ale_set_frame_limit(&limit, UINT32_MAX);
        CHECK_EQUAL(ale_env_reset(env), ALE_OK);
        CHECK_EQUAL(env->multi, !(i % 2));
        CHECK_EQUAL(ale_env_report(env)->mode, i % 2 ? 1 : 4);
        for (int t = 0; t < 10; t++) act(env, t);
    }
    ale_env_destroy(env);
    ale_rom_release(rom);
}

/* ---- Numbers ------------------------------------------------------------------------------------------- */

enum { MOST_MODES = 256 };

static size_t modes_of(int32_t game, ale_rules rules, uint32_t players, int32_t *modes) {
    size_t count = 0;
    CHECK_EQUAL(ale_game_modes(game, rules, players, modes, MOST_MODES, &count), ALE_OK);
    return count;
}

/* No number means two things in a game; and each list has its place for each of the other rule set. */
static void numbers_are_unique(void) {
    int translated = 0;
    for (int32_t game = 0; game < ale_game_count(); game++) {
        ale_game_info solo = {.struct_size = sizeof solo}, info = {.struct_size = sizeof info};
        CHECK_EQUAL(ale_game_describe(game, ALE_SOLO, &solo), ALE_OK);
        CHECK_EQUAL(ale_game_describe(game, ALE_BY_MODE, &info), ALE_OK);
        const bool has_solo = solo.rules >> ALE_SOLO & 1;
        if (has_solo) CHECK_EQUAL(info.default_mode, solo.default_mode);
        if (has_solo) CHECK_EQUAL(info.minimal_actions, solo.minimal_actions);
        uint8_t seen[8192] = {0};
        for (uint32_t players = 1; players <= ALE_MAX_PLAYERS; players++) {
            int32_t modes[MOST_MODES], older[MOST_MODES], alone[MOST_MODES];
            const size_t count = modes_of(game, ALE_BY_MODE, players, modes);
            CHECK_EQUAL(modes_of(game, ALE_MULTI, players, older), count);
            CHECK_EQUAL(info.player_counts >> (players - 1) & 1, count > 0);
            if (players == 1 && has_solo) CHECK_EQUAL(modes_of(game, ALE_SOLO, 1, alone), count);
            for (size_t i = 0; i < count; i++) {
                CHECK(!seen[modes[i]]++);
                translated += players > 1 && modes[i] != older[i];
                if (players > 1) CHECK(modes[i] == older[i] || modes[i] == older[i] - 1);
                if (players == 1) CHECK_EQUAL(modes[i], has_solo ? alone[i] : older[i]);
            }
        }
    }
    CHECK_EQUAL(translated, 48 + 32 + 4 + 2 + 1); /* Pong, Space Invaders, Mario Bros., Tennis, Othello */
    size_t count = 0;
    CHECK_EQUAL(ale_game_modes(0, (ale_rules)3, 1, NULL, 0, &count), ALE_INVALID_ARGUMENT);
    CHECK(strstr(ale_last_error(), "ALE_BY_MODE"));
}

/* Without rules there is mode 0, for one player. */
static void no_rules_are_solo(void) {
    ale_rom *rom = make_test_rom("", NULL, NULL);
    ale_env *env = make_env(rom, ALE_BY_MODE, 5), *plain = make_env(rom, ALE_SOLO, 5);
    CHECK_EQUAL(ale_env_set_mode(env, 1), ALE_INVALID_ARGUMENT);
    play_same(env, plain);
    ale_env_destroy(env);
    ale_env_destroy(plain);
    ale_rom_release(rom);
}

int main(void) {
    RUN(it_plays_what_the_rules_play(JOYSTICKS));
    RUN(it_plays_what_the_rules_play(PADDLES));
    RUN(seeds_are_drawn());
    RUN(the_number_of_players_changes_at_once());
    RUN(states_bring_their_rules(true));
    RUN(states_bring_their_rules(false));
    RUN(generators_are_seeded());
    RUN(foreign_states_are_refused());
    RUN(changes_are_stopped());
    RUN(numbers_are_unique());
    RUN(no_rules_are_solo());
    return check_failures;
}
