/* Cards: what expressions are worth, what cards do to an environment, and what is said of bad ones. */
#include <ale/ale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "small.h"

#define HEAD "name = \"test\"\nrom = \"test.bin\"\n"

static ale_status make_card(const char *text, ale_card **card) {
    return ale_card_create(text, strlen(text), card);
}

/* An environment by the card of a text, which is released at once: whoever needs it holds it. */
static ale_env *make_env_by(const char *text, const char *variation, ale_rules rules, int32_t max_turn_time,
                            bool corrected) {
    ale_card *card = NULL;
    ale_env_options options;
    ale_env *env = NULL;
    if (make_card(text, &card) != ALE_OK) {
        fprintf(stderr, "%s\nof the card\n%s", ale_last_error(), text);
        exit(1);
    }
    ale_rom *rom = make_test_rom(NULL, card, variation);
    ale_env_options_init(&options, sizeof options);
    options.rules = rules;
    options.repeat_action_probability = 0;
    options.max_turn_time = max_turn_time;
    options.corrected_rules = corrected;
    ale_card_release(card);
    CHECK_EQUAL(ale_env_create(rom, &options, &env), ALE_OK);
    ale_rom_release(rom);
    return env;
}

static ale_env *make_env_with(const char *text, const char *variation, ale_rules rules, int32_t max_turn_time) {
    return make_env_by(text, variation, rules, max_turn_time, false);
}

static ale_env *make_env(const char *text, const char *variation, ale_rules rules) {
    return make_env_with(text, variation, rules, -1);
}

static void act(ale_env *env) {
    const int32_t actions[ALE_MAX_PLAYERS] = {0};
    CHECK_EQUAL(ale_env_act(env, actions, NULL, (uint32_t)ale_env_report(env)->players, 1), ALE_OK);
}

/* ---- Expressions ---------------------------------------------------------------------------------------- */

static void test_values(void) {
    /* Bytes 40 to 44 are 0x12, 0x34, 0x99, 0xFF, 0xA5. */
    static const struct {
        const char *text;
        int32_t value;
    } cases[] = {
        {"7", 7}, {"0x1F", 31}, {"0b101", 5}, {"1_000", 1000}, {"-5 + 2", -3}, {"+4", 4}, {"~0", -1},
        {"2 + 3 * 4", 14}, {"(2 + 3) * 4", 20}, {"10 - 3 - 2", 5}, {"7 // 2", 3}, {"-7 // 2", -4}, {"7 // -2", -4},
        {"7 % 3", 1}, {"-7 % 3", 2}, {"7 % -3", -2}, {"1 << 4", 16}, {"-9 >> 1", -5}, {"1 << -3", 1},
        {"6 & 3", 2}, {"6 | 3", 7}, {"6 ^ 3", 5}, {"6 & 3 == 2", 1}, {"1 + 1 << 1", 4}, {"1 | 2 ^ 2 & 0", 3},
        {"1 < 2", 1}, {"2 < 1", 0}, {"2 <= 2", 1}, {"3 > 2", 1}, {"2 >= 3", 0}, {"1 == 1", 1}, {"1 != 1", 0},
        {"1 and 0", 0}, {"5 and 6", 1}, {"0 or 7", 1}, {"not 3", 0}, {"not 0", 1}, {"not 1 == 2", 1},
        {"1 if 2 else 3", 1}, {"1 if 0 else 3", 3}, {"1 if 0 else 2 if 0 else 3", 3}, {"4 + 1 if 1 else 0", 5},
        {"min(3, 5)", 3}, {"max(3, 5)", 5}, {"abs(-3)", 3}, {"signed(255)", -1}, {"bit(4, 2)", 1}, {"bit(4, 1)", 0},
        {"bcd(0x42)", 42}, {"bcd(0x12, 0x34)", 1234}, {"bcd(1, 2, 3)", 10203}, {"bcd(0xAB)", 111},
        {"ram[40]", 0x12}, {"upper", 0x12}, {"bcd(upper, lower)", 1234}, {"bcd(ram[42], upper, lower)", 991234},
        {"upper - lower", -0x22}, {"signed(ram[43])", -1}, {"ram[43] // (lower - lower)", 0},
        {"ram[43] % (lower - lower)", 0}, {"bit(ram[44], 7) + bit(ram[44], 1)", 1}, {"ram[44] & 15", 5},
        {"268435456 + 1", 1 << 28}, {"-268435456 - 1", -(1 << 28)}, {"268435456 * 268435456", 1 << 28},
        {"ram[43] << 31", 1 << 28}, {"~268435456", -(1 << 28)}, {"mode", 0}, {"players", 1}, {"max_turn_time", -1},
        {"over", 0}, {"changed(upper)", 0}, {"before(ram[41]) == ram[41]", 1}, {"out", 0}, {"lives", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text, HEAD "reward = \"%s\"\n[ram]\nupper = 40\nlower = 41\n", cases[i].text);
        ale_env *env = make_env(text, NULL, ALE_SOLO);
        const uint8_t bytes[] = {0x12, 0x34, 0x99, 0xFF, 0xA5};
        for (uint32_t k = 0; k < sizeof bytes; k++) ale_env_set_ram(env, 40 + k, bytes[k]);
        act(env);
        act(env); /* the byte of the frame before is the same now */
        if (ale_env_report(env)->rewards[0] != cases[i].value)
            fprintf(stderr, "%s is %d\n", cases[i].text, ale_env_report(env)->rewards[0]);
        CHECK_EQUAL(ale_env_report(env)->rewards[0], cases[i].value);
        ale_env_destroy(env);
    }
}

/* Operations on the largest and the smallest number that an expression can meet, for which the option stands: results
 * are those of Python, within the range. */
static void test_extremes(void) {
    enum { MOST = 1 << 28 };
    static const struct {
        const char *text;
        int32_t of_most, of_least;
    } cases[] = {
        {"n", MOST, -MOST}, {"n // (0 - players)", -MOST, MOST}, {"n // players", MOST, -MOST},
        {"n // -2", -MOST / 2, MOST / 2},
        {"n // 7", 38347922, -38347923}, {"n // -7", -38347923, 38347922}, {"n % 7", 2, 5}, {"n % -7", -5, -2},
        {"n % (0 - players)", 0, 0}, {"n // (n - n)", 0, 0}, {"n % (n - n)", 0, 0}, {"1 // n", 0, -1},
        {"-1 // n", -1, 0}, {"-1 % n", MOST - 1, -1}, {"1 % n", 1, 1 - MOST}, {"n // n", 1, 1}, {"n // ~n", -1, -2},
        {"-n", -MOST, MOST}, {"abs(n)", MOST, MOST}, {"~n", -MOST, MOST - 1}, {"n + n", MOST, -MOST},
        {"0 - n - n", -MOST, MOST}, {"n * n", MOST, MOST}, {"n << 31", MOST, -MOST}, {"n >> 31", 0, -1},
        {"n ^ -n", -MOST, -MOST}, {"n | -n", -MOST, -MOST}, {"n & -n", MOST, MOST}, {"signed(n)", 0, 0},
        {"bit(n, 28)", 1, 1},
        {"bit(n, 31)", 0, 1}, {"min(n, -n)", -MOST, -MOST}, {"bcd(n)", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        snprintf(text, sizeof text, HEAD "reward = \"%s\"\n[variables]\nn = \"max_turn_time\"\n", cases[i].text);
        for (int least = 0; least < 2; least++) {
            ale_env *env = make_env_with(text, NULL, ALE_SOLO, least ? -MOST : MOST);
            act(env);
            if (ale_env_report(env)->rewards[0] != (least ? cases[i].of_least : cases[i].of_most))
                fprintf(stderr, "%s is %d\n", cases[i].text, ale_env_report(env)->rewards[0]);
            CHECK_EQUAL(ale_env_report(env)->rewards[0], least ? cases[i].of_least : cases[i].of_most);
            ale_env_destroy(env);
        }
    }
}

/* ---- Rules ---------------------------------------------------------------------------------------------- */

static void test_players(void) {
    ale_env *env = make_env(HEAD "score = [\"ram[40]\", \"ram[41] * 10\"]\n"
                                 "reward = [\"change - change[1]\", \"change - change[0]\"]\n"
                                 "lives = \"ram[42]\"\nout = [\"ram[43] == 1\", \"ram[43] == 2\"]\n"
                                 "over = \"score[0] > 5\"\nmodes = {1 = [4], 2 = [7, \"10-12\"]}\n",
                            NULL, ALE_MULTI);
    const ale_report *report = ale_env_report(env);
    int32_t modes[8];
    size_t count;
    CHECK_EQUAL(ale_env_modes(env, 2, modes, 8, &count), ALE_OK);
    CHECK_EQUAL(count, 4);
    CHECK(modes[0] == 7 && modes[1] == 10 && modes[3] == 12);
    CHECK_EQUAL(report->mode, 4);
    ale_env_set_mode(env, 10);
    CHECK_EQUAL(report->players, 2);
    for (uint32_t i = 40; i < 44; i++) ale_env_set_ram(env, i, 0);
    ale_env_reset(env);
    act(env);
    ale_env_set_ram(env, 40, 3);
    ale_env_set_ram(env, 41, 1);
    ale_env_set_ram(env, 42, 2);
    ale_env_set_ram(env, 43, 2);
    act(env);
    CHECK_EQUAL(report->rewards[0], -7);
    CHECK_EQUAL(report->rewards[1], 7);
    CHECK_EQUAL(report->lives[0], 2);
    CHECK_EQUAL(report->lives[1], -1);
    CHECK_EQUAL(report->terminated, 0);
    ale_env_set_ram(env, 40, 6);
    act(env);
    CHECK_EQUAL(report->rewards[0], 3);
    CHECK_EQUAL(report->terminated, 1);
    ale_env_destroy(env);
}

/* Byte 32 counts the frames. */
static void test_variables(void) {
    ale_env *env = make_env(HEAD "reward = \"frames\"\nlives = \"starts\"\nover = \"over or frames == 6\"\n"
                                 "[variables]\nframes = {start = -1, update = \"frames + (ram[32] != before(ram[32]))\"}\n"
                                 "starts = {keep = true, update = \"starts + changed(ram[50])\"}\n",
                            NULL, ALE_SOLO);
    const ale_report *report = ale_env_report(env);
    const int32_t first = report->lives[0];
    int32_t reward = 3; /* four frames of the reset, which held the switch RESET */
    while (!report->terminated) {
        act(env);
        CHECK_EQUAL(report->rewards[0], ++reward);
    }
    CHECK_EQUAL(reward, 6);
    ale_env_reset(env);
    ale_env_set_ram(env, 50, (uint32_t)ale_env_ram(env)[50] ^ 1);
    CHECK_EQUAL(report->lives[0], first);
    ale_env_destroy(env);
}

/* The score goes from 999 to 0, from which corrected rules make 1000. */
static void test_score_range(void) {
    static const char text[] = HEAD "score = \"n % 1000\"\nscore_range = 1000\n[variables]\nn = \"n + 9\"\n";
    for (int corrected = 0; corrected <= 1; corrected++) {
        ale_env *env = make_env_by(text, NULL, ALE_SOLO, -1, corrected);
        int wraps = 0;
        for (int i = 0; i < 300; i++) {
            act(env);
            const int32_t reward = ale_env_report(env)->rewards[0];
            CHECK(reward == 9 || (!corrected && reward == 9 - 1000));
            wraps += reward != 9;
        }
        CHECK_EQUAL(wraps, corrected ? 0 : 2);
        ale_env_destroy(env);
    }
}

static void test_variations(void) {
    static const char text[] = HEAD "reward = \"ram[60]\"\n[ram]\nenemies = 60\n"
                               "[variations.calm]\nhold = {enemies = 3, \"ram[61]\" = \"ram[32]\"}\n"
                               "[variations.rich]\nset = {\"ram[62]\" = 200, \"ram[63]\" = \"-5\"}\n";
    ale_env *env = make_env(text, "calm", ALE_SOLO);
    CHECK_EQUAL(ale_env_ram(env)[60], 3);
    ale_env_set_ram(env, 60, 9);
    act(env);
    CHECK_EQUAL(ale_env_report(env)->rewards[0], 3);
    CHECK_EQUAL(ale_env_ram(env)[61], ale_env_ram(env)[32]);

    ale_env *rich = make_env(text, "rich", ALE_SOLO);
    CHECK_EQUAL(ale_env_ram(rich)[62], 200);
    CHECK_EQUAL(ale_env_ram(rich)[63], 0);
    ale_env_set_ram(rich, 62, 1);
    act(rich);
    CHECK_EQUAL(ale_env_ram(rich)[62], 1);
    CHECK_EQUAL(ale_env_copy(rich, env), ALE_OK); /* it goes on without what was held there */
    ale_env_set_ram(rich, 60, 9);
    act(rich);
    CHECK_EQUAL(ale_env_report(rich)->rewards[0], 9);
    ale_env_destroy(env);
    ale_env_destroy(rich);
}

static void test_selection(void) {
    ale_card *card = NULL;
    ale_env *env = NULL;
    CHECK_EQUAL(make_card(HEAD "modes = [2, 5]\n[select]\nuntil = \"ram[32] % 8 == mode\"\nframes = 3\n"
                               "first_press = 2\nrest = 5\n", &card), ALE_OK);
    ale_rom *rom = make_test_rom(NULL, card, NULL);
    CHECK_EQUAL(ale_env_create(rom, NULL, &env), ALE_MODE_NOT_REACHED); /* 4 frames a press: 2 or 6, say, for ever */
    CHECK(strstr(ale_last_error(), "the card test waits for it by what it says in line 5, column 9"));
    ale_card_release(card);
    ale_rom_release(rom);
    env = make_env(HEAD "modes = [2, 5]\n[select]\nuntil = \"ram[32] % 8 == mode\"\nframes = 2\n", NULL, ALE_SOLO);
    ale_env_set_mode(env, 5);
    CHECK_EQUAL(ale_env_reset(env), ALE_OK);
    ale_env_destroy(env);
}

static void test_states(void) {
    static const char text[] = HEAD "reward = \"n\"\n[variables]\nn = \"n + 1 + before(ram[32]) * 0\"\n";
    ale_env *env = make_env(text, NULL, ALE_SOLO), *same = make_env(text, NULL, ALE_SOLO);
    ale_env *other = make_env(HEAD "# the same otherwise\nreward = \"n\"\n[variables]\nn = \"n + 1\"\n", NULL, ALE_SOLO);
    ale_state *state = new_state();
    act(env);
    CHECK_EQUAL(ale_env_save(env, 1, state), ALE_OK);
    const int32_t then = ale_env_report(env)->rewards[0];
    act(env);
    CHECK_EQUAL(ale_env_restore(same, state), ALE_OK);
    act(same);
    CHECK_EQUAL(ale_env_report(same)->rewards[0], then + 1);
    CHECK_EQUAL(ale_env_restore(other, state), ALE_BAD_STATE);
    CHECK_EQUAL(ale_env_copy(other, env), ALE_INVALID_ARGUMENT);
    CHECK_EQUAL(ale_env_copy(same, env), ALE_OK);
    ale_state_destroy(state);
    ale_env_destroy(env);
    ale_env_destroy(same);
    ale_env_destroy(other);
}

/* A text with a byte order mark is the same card, whose states the other takes. */
static void test_byte_order_mark(void) {
    static const char text[] = "\xEF\xBB\xBF" HEAD "score = \"ram[40]\"\n", bad[] = "\xEF\xBB\xBFname = 1\n";
    ale_env *marked = make_env(text, NULL, ALE_SOLO), *plain = make_env(text + 3, NULL, ALE_SOLO);
    ale_state *state = NULL;
    ale_card *card = NULL;
    CHECK_EQUAL(ale_state_create(&state), ALE_OK);
    act(marked);
    CHECK_EQUAL(ale_env_save(marked, 1, state), ALE_OK);
    CHECK_EQUAL(ale_env_restore(plain, state), ALE_OK);
    CHECK_EQUAL(make_card(bad, &card), ALE_BAD_CARD);
    CHECK(strncmp(ale_last_error(), "line 1, column 8: ", 18) == 0);
    for (size_t size = 0; size < 4; size++) CHECK_EQUAL(ale_card_create(text, size, &card), ALE_BAD_CARD);
    ale_state_destroy(state);
    ale_env_destroy(marked);
    ale_env_destroy(plain);
}

static void test_facts(void) {
    ale_card *card = NULL;
    ale_card_info info = {.struct_size = sizeof info};
    CHECK_EQUAL(make_card("name = 'my_game'\ntitle = \"My \xC3\xA9 game\"\nmd5 = \"ABCDEF0123456789abcdef0123456789\"\n"
                          "format = \"PAL\"\ncontrollers = \"paddles\"\nminimal_actions = [\"NOOP\", \"LEFT\",]\n"
                          "illegal_actions = [\"UP\"]\ndifficulties = [0, 3]\nstarting_actions = [\"NOOP*3\", 'RESET']\n"
                          "modes = {4 = [9]}\nscore = \"\"\"\n  1 +  2\n\"\"\" # three\n"
                          "variations = {a = {hold = {\"ram[0]\" = 1}}, b = {set = {\"ram[127]\" = 0x7F}}}\n", &card), ALE_OK);
    CHECK_EQUAL(ale_card_describe(card, ALE_MULTI, &info), ALE_OK);
    CHECK(strcmp(info.name, "my_game") == 0 && strcmp(info.title, "My \xC3\xA9 game") == 0);
    CHECK(strcmp(info.md5, "abcdef0123456789abcdef0123456789") == 0 && strcmp(info.rom, "") == 0);
    CHECK_EQUAL(info.rules, 1 << ALE_MULTI);
    CHECK_EQUAL(info.minimal_actions, 1 << ALE_NOOP | 1 << ALE_LEFT);
    CHECK_EQUAL(info.legal_actions, 0x3FFFF & ~(1 << ALE_UP));
    CHECK_EQUAL(info.difficulties, 9);
    CHECK_EQUAL(info.player_counts, 8);
    CHECK_EQUAL(info.default_mode, 9);
    CHECK_EQUAL(info.variations, 2);
    CHECK(strcmp(ale_card_variation(card, 1), "b") == 0 && !ale_card_variation(card, 2));
    uint8_t image[TEST_ROM_SIZE];
    ale_rom_options options;
    ale_rom *rom = NULL;
    test_rom(image);
    ale_rom_options_init(&options, sizeof options);
    options.card = card;
    CHECK_EQUAL(ale_rom_create(image, sizeof image, &options, &rom), ALE_BAD_ROM);
    CHECK(strncmp(ale_last_error(), "line 3, column 7: ", 18) == 0);
    CHECK(strstr(ale_last_error(), "abcdef0123456789abcdef0123456789"));
    options.variation = "c";
    CHECK_EQUAL(ale_rom_create(image, sizeof image, &options, &rom), ALE_INVALID_ARGUMENT);
    options.card = NULL;
    CHECK_EQUAL(ale_rom_create(image, sizeof image, &options, &rom), ALE_INVALID_ARGUMENT);
    ale_card_release(card);

    CHECK_EQUAL(make_card(HEAD "controllers = \"paddles\"\nformat = \"PAL\"\nmodes = {1 = [0], 4 = [1]}\n", &card), ALE_OK);
    rom = make_test_rom(NULL, card, NULL);
    ale_rom_info rom_info = {.struct_size = sizeof rom_info};
    CHECK_EQUAL(ale_rom_describe(rom, &rom_info), ALE_OK);
    CHECK_EQUAL(rom_info.game, ALE_GAME_CARD);
    CHECK_EQUAL(rom_info.format, ALE_PAL);
    CHECK_EQUAL(rom_info.paddles, 1);
    ale_env *env = NULL;
    ale_env_info about = {.struct_size = sizeof about};
    CHECK_EQUAL(ale_env_create(rom, NULL, &env), ALE_OK);
    CHECK_EQUAL(ale_env_describe(env, &about), ALE_OK);
    CHECK_EQUAL(about.game, ALE_GAME_CARD);
    CHECK_EQUAL(about.player_counts, 1); /* of one player's rules */
    ale_env_destroy(env);
    ale_rom_release(rom);
    ale_card_release(card);
}

/* ---- Bad cards ------------------------------------------------------------------------------------------- */

static void test_bad_cards(void) {
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"", "line 1, column 1: a card needs a name"},
        {"name = \"test\"\n", "line 1, column 1: a card needs md5"},
        {HEAD "livez = \"1\"", "line 3, column 1: a card has no key livez; did you mean lives?"},
        {HEAD "flower = 1", "line 3, column 1: a card has no key flower; it has name, title"},
        {HEAD "score = \"ram[128]\"", "line 3, column 14: ram[128] does not exist; it is 0 to 127, address 0x80 being ram[0]"},
        {HEAD "score = \"ram[300]\"", "line 3, column 14: ram[300] does not exist; it is 0 to 127"},
        {HEAD "score = \"ram[-1]\"", "line 3, column 14: expected a number"},
        {HEAD "score = \"ram[ram[0]]\"", "line 3, column 14: expected a number (an index cannot be worked out)"},
        {HEAD "score = \"ram[1] // 0\"", "line 3, column 17: a division by zero"},
        {HEAD "score = \"1 % (3 - 3)\"", "line 3, column 12: a division by zero"},
        {HEAD "score = \"1 / 2\"", "line 3, column 12: write // for a division"},
        {HEAD "score = \"1 = 2\"", "line 3, column 12: write == to compare"},
        {HEAD "score = \"1 < 2 < 3\"", "line 3, column 16: only two values can be compared"},
        {HEAD "score = \"2 + not 3\"", "line 3, column 14: put not and what follows in parentheses"},
        {HEAD "score = \"(1 + 2\"", "line 3, column 16: the expression ends where )"},
        {HEAD "score = \"1 2\"", "line 3, column 12: expected an operator or the end, not 2"},
        {HEAD "score = \"1 if 2\"", "line 3, column 16: the expression ends where else"},
        {HEAD "score = \"\"", "line 3, column 9: the expression is empty"},
        {HEAD "score = \"lifes\"\n[ram]\nlives_left = 3\nlife = 4\n", "line 3, column 10: there is no lifes; did you mean life?"},
        {HEAD "score = \"sin(3)\"", "line 3, column 10: there is no function sin"},
        {HEAD "score = \"min(3)\"", "line 3, column 10: min takes 2 values"},
        {HEAD "score = \"bcd(1, 2, 3, 4)\"", "bcd takes at most 3 bytes"},
        {HEAD "score = \"before(3)\"", "line 3, column 17: before is of one byte"},
        {HEAD "score = \"99999999999\"", "line 3, column 10: a number beyond 268435456"},
        {HEAD "score = \"1.5\"", "line 3, column 10: this is no whole number"},
        {HEAD "score = \"change\"", "line 3, column 10: change is that of the score"},
        {HEAD "over = \"lives == 0\"", "line 3, column 9: whose? write lives[0]"},
        {HEAD "over = \"lives[1] == 0\"", "line 3, column 15: lives[1] does not exist; it is 0 to 0"},
        {HEAD "score = [\"1\", \"2\"]", "line 3, column 9: there are 2 values for 1 players"},
        {HEAD "score = 3", "line 3, column 9: what each player has must be an array, not a number"},
        {HEAD "score = \"a", "line 3, column 9: a string without its closing \""},
        {HEAD "score = \"a\\n\"", "line 3, column 11: a backslash has no meaning"},
        {HEAD "score \"a\"", "line 3, column 7: expected = after a key"},
        {HEAD "score = \"1\" x", "line 3, column 13: expected the end of the line"},
        {HEAD "score = \"1\"\nscore = \"2\"", "line 4, column 1: score occurs twice"},
        {HEAD "[ram]\n[ram]", "line 4, column 2: ram occurs twice"},
        {HEAD "[[ram]]", "line 3, column 2: cards have no arrays of tables"},
        {HEAD "a.b = 1", "line 3, column 2: a key with a dot"},
        {HEAD "modes = [1.5]", "line 3, column 10: this is no whole number"},
        {HEAD "modes = [007]", "line 3, column 10: this is no whole number"},
        {HEAD "modes = []", "line 3, column 9: the list of modes is empty"},
        {HEAD "modes = [1, 1]", "line 3, column 13: mode 1 occurs twice"},
        {HEAD "modes = [2, 1]", "line 3, column 13: modes must ascend; 1 comes after 2"},
        {HEAD "modes = [70000]", "line 3, column 10: a mode is 70000; it must be 0 to 65535"},
        {HEAD "modes = [\"3-1\"]", "line 3, column 10: a range of modes"},
        {HEAD "score_range = 1", "line 3, column 15: score_range is 1; it must be 2 to 268435456"},
        {HEAD "modes = {5 = [1]}", "line 3, column 10: [modes], by number of players, has no key 5"},
        {HEAD "[ram]\nx = 128", "line 4, column 5: RAM has bytes 0 to 127; address 0x80 is byte 0"},
        {HEAD "[ram]\nx = 300", "line 4, column 5: a byte of RAM is 300; it must be 0 to 127"},
        {HEAD "[ram]\nscore = 3", "line 4, column 1: score is a word of the language"},
        {HEAD "[ram]\n2x = 3", "line 4, column 1: 2x is no name"},
        {HEAD "[ram]\nx = 3\n[variables]\nx = \"1\"", "line 6, column 1: x is the name of a byte already"},
        {HEAD "[variables]\nx = {start = 3}", "line 4, column 5: a variable needs update"},
        {HEAD "[variables]\nx = {keep = true, start = 1, update = \"x\"}", "line 4, column 27: a variable that is kept"},
        {HEAD "[select]\nframes = 2", "line 3, column 2: [select] needs until"},
        {HEAD "[select]\nuntil = \"1\"\nframes = 0", "line 5, column 10: frames is 0; it must be 1 to 100"},
        {HEAD "difficulties = [4]", "line 3, column 17: a difficulty is 4; it must be 0 to 3"},
        {HEAD "minimal_actions = [\"JUMP\"]", "line 3, column 20: an action is JUMP; it must be one of NOOP, FIRE"},
        {HEAD "minimal_actions = [\"UP\"]\nillegal_actions = [\"UP\"]", "line 4, column 19: an action is both"},
        {HEAD "starting_actions = [\"UP*0\"]", "line 3, column 24: write such as NOOP*60"},
        {HEAD "starting_actions = [\"UP*300\", \"UP*300\", \"UP\"]", "line 3, column 41: more than 600 starting actions"},
        {HEAD "format = \"VHS\"", "line 3, column 10: format is VHS; it must be one of NTSC, PAL, SECAM"},
        {HEAD "controllers = 3", "line 3, column 15: controllers must be a string: one of joysticks, paddles"},
        {HEAD "md5 = \"12\"", "line 3, column 7: md5 must be 32 hexadecimal digits"},
        {"name = \"a b\"\nrom = \"x\"", "line 1, column 8: a b is no name"},
        {"name = \"a\"\nrom = \"../x\"", "line 2, column 7: rom is the name of a file beside the card"},
        {HEAD "[variations.a]\n", "line 3, column 13: a variation needs hold or set"},
        {HEAD "[variations.a]\nhold = {x = 1}", "line 4, column 9: x is no byte"},
        {HEAD "[variations.a]\nhold = {\"ram[200]\" = 1}", "ram[200] does not exist; it is 0 to 127"},
        {HEAD "[variations.a]\nhold = {\"ram[20]\" = 256}", "the value of a byte is 256; it must be 0 to 255"},
        {HEAD "title = \"\xFF\"", "line 3, column 10: this is no UTF-8 text"},
        {HEAD "title = \"\xC3\xA9\xC3\xA9\" x", "line 3, column 14: expected the end of the line"},
        {HEAD "title = \"\x01\"", "line 3, column 10: a control character (1)"},
        {HEAD "score = [[[[[[[[[[1]]]]]]]]]]", "values are nested too deeply"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ale_card *card = NULL;
        CHECK_EQUAL(make_card(cases[i].text, &card), ALE_BAD_CARD);
        if (!strstr(ale_last_error(), cases[i].error)) {
            fprintf(stderr, "%s\ninstead of\n%s\n", ale_last_error(), cases[i].error);
            check_failures = 1;
        }
        CHECK(!card && strncmp(ale_last_error(), "line ", 5) == 0 && !strchr(ale_last_error(), '\n'));
        ale_card_release(card);
    }
}

/* A long text of one thing over and over, which each bound must stop. */
static void test_bounds(void) {
    static const struct {
        const char *head, *part, *error;
    } cases[] = {
        {HEAD "score = \"", "(", "nested too deeply"},
        {HEAD "score = \"", "-", "nested too deeply"},
        {HEAD "score = \"", "1 + (", "too many values at a time"},
        {HEAD "score = \"", "not ", "nested too deeply"},
        {HEAD "score = \"", "1 if 1 else ", "too many values at a time"},
        {HEAD "score = \"ram[1]", " + ram[1]", "more than 4096 operations"},
        {HEAD "score = \"", "ram[0] ^ ram[1] ** ", "expected a value"},
        {HEAD "a = ", "[", "nested too deeply"},
        {HEAD "a = [", "1,", "at most 4096 keys and values"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ale_card *card = NULL;
        char *text = malloc(60000 + 200), *to = text;
        to += snprintf(to, 200, "%s", cases[i].head);
        const size_t part = strlen(cases[i].part);
        for (; to + part < text + 60000; to += part) memcpy(to, cases[i].part, part);
        snprintf(to, 10, "\"\n");
        CHECK_EQUAL(ale_card_create(text, strlen(text), &card), ALE_BAD_CARD);
        if (!strstr(ale_last_error(), cases[i].error)) {
            fprintf(stderr, "%s\ninstead of\n%s\n", ale_last_error(), cases[i].error);
            check_failures = 1;
        }
        free(text);
    }
    ale_card *card = NULL;
    char *text = calloc(1, 70000);
    CHECK_EQUAL(ale_card_create(text, 70000, &card), ALE_BAD_CARD);
    CHECK(strstr(ale_last_error(), "at most 65536"));
    free(text);
}

/* Thousands of cards with one mistake, at every place of a card that uses everything: each is a card still, or is
 * refused with a place. */
static void test_mistakes(void) {
    static const char good[] =
        HEAD "title = \"T\"\nmd5 = \"0123456789abcdef0123456789abcdef\"\nformat = \"NTSC\"\n"
             "controllers = \"joysticks\"\nminimal_actions = [\"NOOP\", \"UP\"]\nillegal_actions = [\"FIRE\"]\n"
             "difficulties = [0, 1]\nstarting_actions = [\"FIRE*2\", \"RESET\"]\n"
             "score = [\"bcd(high, low)\", \"before(ram[9]) if bit(low, 3) else -x\"]\n"
             "reward = \"min(change, 1) * 2 // 3\"\nlives = '''\n  signed(ram[0x10]) + score[0]'''\n"
             "out = \"over and lives < 0\"\nover = \"changed(low) or not (mode == players)\"\n"
             "[modes]\n1 = [0, \"2-4\"]\n2 = [9]\n[ram]\nhigh = 1 # one\nlow = 0x7F\n"
             "[variables]\nx = {start = 3, update = \"x + 1\"}\ny = \"~x & 15\"\nz = {keep = true, update = \"z\"}\n"
             "[select]\nuntil = \"high == mode\"\nframes = 2\nfirst_press = 1\nrest = 0\n"
             "[variations.easy]\nhold = {high = 3, \"ram[4]\" = \"low\"}\n[variations.hard]\nset = {low = 1}\n";
    static const char instead[] = "\"'[]{}()=,.#\n\\x0-+/\xC3 ";
    const size_t size = sizeof good - 1;
    ale_card *card = NULL;
    CHECK_EQUAL(ale_card_create(good, size, &card), ALE_OK);
    if (!card) fprintf(stderr, "%s\n", ale_last_error());
    ale_card_release(card);
    int refused = 0;
    for (size_t i = 0; i < size; i++) {
        /* With another byte, and cut off after that; the last two: without the byte, and cut off here. */
        enum { BYTES = sizeof instead - 1, WITHOUT = 2 * BYTES, CUT };
        for (size_t k = 0; k <= CUT; k++) {
            char *text = malloc(size + 1);
            size_t length = k < BYTES ? size : k < WITHOUT ? i + 1 : k == WITHOUT ? size - 1 : i;
            memcpy(text, good, i);
            if (k < WITHOUT)
                memcpy(text + i, good + i, size - i), text[i] = instead[k % BYTES];
            else if (k == WITHOUT)
                memcpy(text + i, good + i + 1, size - i - 1);
            text = realloc(text, length ? length : 1); /* for sanitizers to see what is read behind it */
            card = NULL;
            ale_status status = ale_card_create(text, length, &card);
            CHECK(status == ALE_OK || status == ALE_BAD_CARD);
            if (status != ALE_OK) {
                refused++;
                CHECK(!card && strncmp(ale_last_error(), "line ", 5) == 0);
            }
            ale_card_release(card);
            free(text);
        }
    }
    CHECK(refused > 20000);
}

int main(void) {
    RUN(test_values());
    RUN(test_extremes());
    RUN(test_players());
    RUN(test_variables());
    RUN(test_score_range());
    RUN(test_variations());
    RUN(test_selection());
    RUN(test_states());
    RUN(test_byte_order_mark());
    RUN(test_facts());
    RUN(test_bad_cards());
    RUN(test_bounds());
    RUN(test_mistakes());
    return check_failures;
}
