/* Random states that the library could have saved, in every bank-switching scheme and under the rules of a card and of
 * every game: they are accepted, play on alike whichever fast paths are on, and lead to states that are accepted.  They
 * are drawn from the tables of invariants, which have each byte of a state once. */
#include "check.h"
#include "random_state.h"
#include "small.h"
#include "vector/sub_env.h"

enum { WAYS = 4, FRAMES = 2, LARGEST_IMAGE = 131072 };

typedef struct base {
    ale_env *env[WAYS];
    ale_state *good, *state[WAYS]; /* good: with the generators */
} base;

static ale_rom *make_rom(const uint8_t *bytes, size_t size, const char *scheme, const char *game, ale_card *card) {
    ale_rom_options options = rom_defaults();
    options.game = card ? NULL : game ? game : "";
    options.card = card;
    options.scheme = scheme;
    options.format = ALE_NTSC;
    return rom_of(bytes, size, &options);
}

static void end(base *b) {
    for (int way = 0; way < WAYS; way++) {
        ale_env_destroy(b->env[way]);
        ale_state_destroy(b->state[way]);
    }
    ale_state_destroy(b->good);
}

/* Of those for the most players. */
static bool begin_in_last_mode(ale_env *env) {
    const mode_list list = rules_modes(env->game, ALE_BY_MODE, rules_most_players(env->game, ALE_BY_MODE));
    return ale_env_set_mode(env, list.numbers[list.count - 1] - list.less) == ALE_OK && ale_env_reset(env) == ALE_OK;
}

/* Environments that have played a little, one with each set of fast paths.  False: the image does not reach the game's
 * first mode. */
static bool begin(base *b, ale_rom *rom, int32_t rules, uint32_t objects) {
    static const uint32_t paths[WAYS] = {0, ALE_FAST_ALL, ALE_FAST_ALL & ~ALE_FAST_TRANSLATE,
                                         ALE_FAST_ALL & ~(ALE_FAST_CPU | ALE_FAST_ROWS)};
    *b = (base){0};
    for (int way = 0; way < WAYS; way++) {
        ale_env_options options = env_defaults();
        options.rules = rules;
        options.sound = 1;
        options.objects = objects;
        CHECK_EQUAL(ale_state_create(&b->state[way]), ALE_OK);
        if (ale_env_create(rom, &options, &b->env[way]) != ALE_OK) return false;
        if (rules == ALE_BY_MODE && !begin_in_last_mode(b->env[way])) return false;
        b->env[way]->console->fast_paths = (uint8_t)paths[way]; /* only now: without any the reset takes long */
    }
    const int32_t actions[ALE_MAX_PLAYERS] = {ALE_UPFIRE, ALE_LEFT, ALE_RIGHT, ALE_FIRE};
    for (int i = 0; i < 3; i++)
        CHECK_EQUAL(ale_env_act(b->env[1], actions, NULL, (uint32_t)ale_env_report(b->env[1])->players, 1), ALE_OK);
    CHECK_EQUAL(ale_state_create(&b->good), ALE_OK);
    CHECK_EQUAL(ale_env_save(b->env[1], 1, b->good), ALE_OK);
    return true;
}

static bool is_accepted(ale_env *env, ale_state *state) {
    state->foreign = true;
    return environment_check(env, state) == ALE_OK;
}

static bool equal_after_a_frame(base *b, const int32_t *actions) {
    const ale_report *report = ale_env_report(b->env[0]);
    const uint32_t players = (uint32_t)report->players;
    const size_t size = environment_screen_size(b->env[0]);
    for (int way = 0; way < WAYS; way++) {
        uint32_t equal = 0;
        if (ale_env_act(b->env[way], actions, NULL, players, 1) != ALE_OK ||
            ale_env_save(b->env[way], 1, b->state[way]) != ALE_OK || !is_accepted(b->env[way], b->state[way]))
            return false;
        CHECK_EQUAL(ale_state_equal(b->state[0], b->state[way], &equal), ALE_OK);
        if (!equal || memcmp(ale_env_report(b->env[way]), report, sizeof *report) != 0 ||
            memcmp(ale_env_audio(b->env[way]), ale_env_audio(b->env[0]), ALE_AUDIO_SIZE) != 0 ||
            memcmp(ale_env_screen_indices(b->env[way]), ale_env_screen_indices(b->env[0]), size) != 0)
            return fprintf(stderr, "way %d leads elsewhere\n", way), false;
    }
    return true;
}

static bool plays_on_alike(base *b, const uint8_t *bytes, size_t size, dice *d) {
    for (int way = 0; way < WAYS; way++)
        if (ale_env_restore(b->env[way], b->good) != ALE_OK ||
            ale_state_deserialize(b->state[way], bytes, size) != ALE_OK ||
            ale_env_restore(b->env[way], b->state[way]) != ALE_OK)
            return false;
    for (int frame = 0; frame < FRAMES; frame++) {
        int32_t actions[ALE_MAX_PLAYERS];
        for (int p = 0; p < ALE_MAX_PLAYERS; p++) actions[p] = (int32_t)roll_below(d, ALE_ACTION_COUNT);
        if (!equal_after_a_frame(b, actions)) return false;
    }
    return true;
}

static void try_states(base *b, int count, uint32_t seed, const char *what) {
    dice d = {0};
    for (int i = 0; i < check_turns(count); i++) {
        mt19937_seed(&d.random, seed + 1000 * (uint32_t)i);
        CHECK_EQUAL(ale_env_save(b->env[1], i % 2 ? 1 : 0, b->state[1]), ALE_OK);
        size_t size = 0;
        uint8_t *bytes = random_state(b->env[1], b->state[1], &d, &size);
        if (!bytes) exit(1);
        if (!plays_on_alike(b, bytes, size, &d)) {
            fprintf(stderr, "%s, state %d: %s\n", what, i, ale_last_error());
            check_failures = 1;
        }
        free(bytes);
    }
}

/* Noise that reads and writes the TIA, with the code of the test cartridge in each bank. */
static void make_image(uint8_t *image, uint32_t size, uint32_t seed) {
    mt19937 random;
    mt19937_seed(&random, seed);
    uint8_t program[TEST_ROM_SIZE];
    test_rom(program);
    memcpy(program + 0x7FC, program + 0xFFC, 2); /* where 2 KiB are all */
    for (uint32_t i = 64; i < 0x7FC && seed; i++) program[i] = (uint8_t)(mt19937_next(&random) >> 4);
    for (uint32_t i = 64; i < 0x700 && seed; i += 4) memcpy(program + i, i % 8 ? "\xA5\x02" : "\x85\x1B", 2);
    for (uint32_t i = 0; i < size; i++) image[i] = program[i % TEST_ROM_SIZE];
}

static void every_scheme(void) {
    static uint8_t image[LARGEST_IMAGE];
    for (int number = 0; number < ROM_SCHEME_COUNT; number++) {
        const cartridge_scheme *scheme = cartridge_scheme_find(number);
        make_image(image, scheme->smallest, (uint32_t)number % 3);
        ale_rom *rom = make_rom(image, scheme->smallest, scheme->name, NULL, NULL);
        base b;
        CHECK(begin(&b, rom, number % 2 ? ALE_MULTI : ALE_SOLO, number / 2 % 2));
        try_states(&b, 4, (uint32_t)number, scheme->name);
        end(&b);
        ale_rom_release(rom);
    }
}

static void rules_of_all_games(void) {
    uint8_t image[TEST_ROM_SIZE];
    make_image(image, sizeof image, 0);
    const int turns = check_turns(ale_games_count), step = turns < ale_games_count ? ale_games_count / turns : 1;
    for (int game = 0; game < ale_games_count; game += step) {
        ale_rom *rom = make_rom(image, sizeof image, NULL, ale_games[game]->name, NULL);
        base b;
        if (begin(&b, rom, game % 3, 0))
            try_states(&b, 1, (uint32_t)game, ale_games[game]->name);
        end(&b);
        ale_rom_release(rom);
    }
}

static void rules_of_a_card(void) {
    static const char text[] =
        "name = \"looks_back\"\nrom = \"any.bin\"\nover = \"ram[33] > 250\"\ncontrollers = \"paddles\"\n"
        "score = [\"before(ram[36])\", \"n\"]\nlives = \"n - lives\"\n[modes]\n1 = [1, 3]\n2 = [2, 5]\n"
        "[variables]\nn = \"-n // (max_turn_time - ram[32])\"\n";
    uint8_t image[TEST_ROM_SIZE];
    make_image(image, sizeof image, 0);
    ale_card *card = NULL;
    if (ale_card_create(text, sizeof text - 1, &card) != ALE_OK) fprintf(stderr, "%s\n", ale_last_error()), exit(1);
    ale_rom *rom = make_rom(image, sizeof image, NULL, NULL, card);
    for (int32_t rules = ALE_SOLO; rules <= ALE_BY_MODE; rules++) {
        base b;
        CHECK(begin(&b, rom, rules, 1));
        try_states(&b, 8, 7, "card");
        end(&b);
    }
    ale_rom_release(rom);
    ale_card_release(card);
}

/* Each cursor evaluates its own pairs only, however far apart two of them are. */
static void cursors_do_not_meddle(void) {
    uint8_t image[TEST_ROM_SIZE];
    make_image(image, sizeof image, 0);
    ale_rom *rom = make_rom(image, sizeof image, NULL, NULL, NULL);
    base b;
    CHECK(begin(&b, rom, ALE_SOLO, 0));
    dice d = {0};
    int latched = 0;
    for (uint32_t i = 0; i < 40; i++) {
        mt19937_seed(&d.random, i);
        size_t size = 0;
        uint8_t *bytes = random_state(b.env[0], b.good, &d, &size);
        if (!bytes) exit(1);
        for (int way = 0; way < WAYS; way++) {
            CHECK_EQUAL(ale_state_deserialize(b.state[way], bytes, size), ALE_OK);
            CHECK_EQUAL(ale_env_restore(b.env[way], b.state[way]), ALE_OK);
            console *machine = b.env[way]->console;
            const frame_logs *logs = &machine->picture->logs;
            collision_cursor *cursor = machine->picture->collisions.cursor;
            machine->s.tia.collisions = 0;
            cursor[SEEN_PAIRS] = (collision_cursor){.pairs = 0x5555, .log = logs->latest};
            cursor[UNSEEN_PAIRS] =
                (collision_cursor){.pairs = 0x2AAA, .log = logs->latest, .index = logs->frame[logs->latest].count};
            picture_collide(machine, ALL_PAIRS);
            CHECK_EQUAL(machine->s.tia.collisions, b.env[0]->console->s.tia.collisions);
            CHECK_EQUAL(machine->s.tia.collisions & 0x2AAA, 0);
            latched += machine->s.tia.collisions != 0;
        }
        free(bytes);
    }
    CHECK(latched > 20);
    end(&b);
    ale_rom_release(rom);
}

/* A frame without end reads on until its clock begins again at 0; only then it writes, and ends. */
static void clocks_may_wrap(void) {
    uint8_t image[TEST_ROM_SIZE];
    make_image(image, sizeof image, 0);
    rom_builder program = {image, 0};
    EMIT(&program, LDA_Z, READ_INPT0, INX);
    rom_branch(&program, BNE, ROM_START);
    for (int i = 0; i < 8; i++) EMIT(&program, STA_Z, COLUBK);
    EMIT(&program, STX_Z, VSYNC, JMP, ROM_START);
    ale_rom *rom = make_rom(image, sizeof image, NULL, NULL, NULL);
    base b;
    CHECK(begin(&b, rom, ALE_SOLO, 0));
    for (int way = 0; way < WAYS; way++) {
        CHECK_EQUAL(ale_env_restore(b.env[way], b.good), ALE_OK);
        machine_state *s = &b.env[way]->console->s;
        picture_flush(b.env[way]->console);
        s->partial = s->tia.greyed = 1;
        s->cpu = (cpu_state){.time = UINT32_MAX - 1000, .pc = 0xF000};
        s->tia.now.drawn = s->tia.now.row_base;
        s->tia.vsync_end = 0;
    }
    const int32_t actions[ALE_MAX_PLAYERS] = {0};
    for (int frame = 0; frame < 2; frame++) CHECK(equal_after_a_frame(&b, actions));
    end(&b);
    ale_rom_release(rom);
}

/* ---- Saved states -------------------------------------------------------------------------------------- */

/* Rules that go on from a number at the end of its range, and frames that go on from any time of VSYNC: what is saved
 * next is accepted again. */
static void ends_of_ranges_lead_to_good_states(void) {
    uint8_t bytes[TEST_ROM_SIZE];
    test_rom(bytes);
    memset(bytes, 0xEA, 4); /* no VSYNC: frames end because they are too long */
    for (int i = 0; i < ale_games_count; i++) {
        ale_rom *rom = make_rom(bytes, sizeof bytes, NULL, ale_games[i]->name, NULL);
        for (int32_t rules = ALE_SOLO; rules <= ALE_BY_MODE; rules++) {
            ale_env_options options = env_defaults();
            options.rules = rules;
            ale_env *env = NULL;
            if (ale_env_create(rom, &options, &env) != ALE_OK) continue; /* an image that is not that game's */
            ale_state *state = new_state();
            for (int most = 0; most < 2; most++) {
                const int32_t bound = most ? GAME_NUMBER_LIMIT : -GAME_NUMBER_LIMIT;
                CHECK_EQUAL(ale_env_save(env, 0, state), ALE_OK);
                environment_state *s = &((saved_environment *)(void *)state->bytes)->s;
                snapshot_head *snapshot = (snapshot_head *)(void *)(state->bytes + sizeof(saved_environment));
                machine_state *machine = (machine_state *)(void *)(snapshot + 1);
                for (int p = 0; p < s->game.players || p < env->rules->kept; p++)
                    s->game.reward[p] = s->game.score[p] = s->game.lives[p] = bound;
                for (int n = 0; n < env->rules->variables; n++) s->game.var[n] = bound;
                s->game.max_turn_time = bound;
                s->lives_at_start = most ? bound : environment_lives(env, &s->game, 0);
                machine->tia.vsync_end = most ? (int64_t)UINT32_MAX + LINE_CLOCKS : 0;
                CHECK(is_accepted(env, state));
                CHECK_EQUAL(ale_env_restore(env, state), ALE_OK);
                for (int frame = 0; frame < 3; frame++) {
                    const int32_t actions[ALE_MAX_PLAYERS] = {ALE_FIRE};
                    const uint32_t players = (uint32_t)ale_env_report(env)->players;
                    CHECK_EQUAL(ale_env_act(env, actions, NULL, players, 1), ALE_OK);
                    CHECK_EQUAL(ale_env_save(env, 0, state), ALE_OK);
                    if (is_accepted(env, state)) continue;
                    fprintf(stderr, "%s: %s\n", ale_games[i]->name, ale_last_error());
                    check_failures = 1;
                }
            }
            ale_state_destroy(state);
            ale_env_destroy(env);
        }
        ale_rom_release(rom);
    }
}

static void saved_machine(const ale_state *state, machine_state *s) {
    console_saved_machine(state->bytes + sizeof(saved_environment) + sizeof(mt19937), s);
}

/* Programs played by each engine: their states are equal, and their machines the same bytes but for the collisions,
 * which are evaluated late. */
static void states_do_not_tell_the_engine(void) {
    mt19937 random;
    mt19937_seed(&random, 8);
    for (int image = 0; image < check_turns(12); image++) {
        uint8_t bytes[TEST_ROM_SIZE];
        test_rom(bytes);
        /* The frame goes on with noise, which reads and writes the TIA and ends anywhere. */
        for (uint32_t i = 52; i < 0xF00; i++) bytes[i] = (uint8_t)mt19937_next(&random);
        for (uint32_t i = 60; image % 3 && i < 0xF00; i += 4) memcpy(bytes + i, "\xA5\x02\x85\x09", 4);
        if (image % 3 == 2) memcpy(bytes + 0x100, "\x4C\x00\xF0", 3);
        if (image == 0) test_rom(bytes);
        ale_rom *rom = make_rom(bytes, sizeof bytes, NULL, NULL, NULL);
        base b;
        CHECK(begin(&b, rom, ALE_SOLO, 0));
        for (int way = 0; way < WAYS; way++) CHECK_EQUAL(ale_env_restore(b.env[way], b.good), ALE_OK);
        for (int frame = 0; frame < 6; frame++) {
            machine_state first, other;
            CHECK(equal_after_a_frame(&b, (const int32_t[]){ALE_UPFIRE}));
            saved_machine(b.state[0], &first);
            for (int way = 1; way < WAYS; way++) {
                saved_machine(b.state[way], &other);
                other.tia.collisions = first.tia.collisions;
                CHECK(memcmp(&first, &other, sizeof first) == 0);
            }
        }
        end(&b);
        ale_rom_release(rom);
    }
}

/* ---- Tables -------------------------------------------------------------------------------------------- */

static void mark(uint8_t *bytes, size_t size, size_t at, const invariant *table) {
    for (const invariant *field = table; field->name; field++) {
        const size_t length = (size_t)field->count * field->size;
        CHECK(at + field->offset + length <= size);
        for (size_t i = 0; i < length; i++) bytes[at + field->offset + i]++;
    }
}

static void check_marks(const uint8_t *bytes, size_t size, const char *what) {
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 1) {
            fprintf(stderr, "byte %zu of %s belongs to %d fields\n", i, what, bytes[i]);
            check_failures = 1;
            return;
        }
}

static void every_byte_belongs_to_a_field(void) {
    static uint8_t bytes[8][sizeof(machine_state) + sizeof(sub_env_state)];
#define MARK(n, type, at, table) mark(bytes[n], sizeof(type), at, table)
    MARK(0, environment_state, 0, environment_invariants);
    MARK(0, environment_state, offsetof(environment_state, game), game_invariants);
    MARK(1, machine_state, 0, machine_invariants);
    MARK(1, machine_state, offsetof(machine_state, cpu), cpu_invariants);
    MARK(1, machine_state, offsetof(machine_state, riot), riot_invariants);
    MARK(1, machine_state, offsetof(machine_state, audio), audio_invariants);
    MARK(1, machine_state, offsetof(machine_state, tia), tia_invariants);
    MARK(1, machine_state, offsetof(machine_state, tia.now), raster_invariants);
    MARK(1, machine_state, offsetof(machine_state, cartridge), cartridge_invariants);
    MARK(1, machine_state, offsetof(machine_state, cartridge.dpc), dpc_invariants);
    MARK(1, machine_state, offsetof(machine_state, random), mt19937_invariants);
    MARK(2, saved_picture, 0, picture_invariants);
    for (size_t i = 0; i < CURSORS; i++)
        MARK(2, saved_picture, offsetof(saved_picture, cursor) + i * sizeof(collision_cursor), cursor_invariants);
    MARK(3, saved_log, 0, log_invariants);
    MARK(3, saved_log, offsetof(saved_log, start), raster_invariants);
    MARK(4, snapshot_head, 0, snapshot_invariants);
    MARK(5, sub_env_state, 0, sub_env_invariants);
    MARK(5, sub_env_state, offsetof(sub_env_state, random), mt19937_invariants);
#undef MARK
    check_marks(bytes[0], sizeof(environment_state), "an environment");
    check_marks(bytes[1], sizeof(machine_state), "a machine");
    check_marks(bytes[2], sizeof(saved_picture), "a picture");
    check_marks(bytes[3], sizeof(saved_log), "a log");
    check_marks(bytes[4], sizeof(snapshot_head), "a snapshot");
    check_marks(bytes[5], sizeof(sub_env_state), "a sub-environment");
}

/* For how many players rules keep numbers in a mode, whatever is in RAM; and how many variables they use. */
static int kept_players(const game_rules *rules, int players, int32_t mode, mt19937 *random, int *variables) {
    uint8_t ram[GAME_RAM_SIZE], cart_ram[256] = {0};
    const game_memory memory = {ram, cart_ram};
    game_state state = {.mode = mode, .players = players, .max_turn_time = 1};
    int kept = players;
    for (int i = 0; i < GAME_RAM_SIZE; i++) ram[i] = (uint8_t)mt19937_next(random);
    if (rules->reset) rules->reset(rules, &state, &memory);
    for (int frame = 0; frame < 8; frame++) {
        for (int i = 0; i < GAME_RAM_SIZE; i++)
            if (mt19937_next(random) % 4 == 0) ram[i] = (uint8_t)mt19937_next(random);
        rules->step(rules, &state, &memory);
        for (int p = kept; p < GAME_MAX_PLAYERS; p++)
            if (state.reward[p] || state.score[p] || state.lives[p]) kept = p + 1;
        for (int i = *variables; i < GAME_VARIABLES; i++)
            if (state.var[i]) *variables = i + 1;
    }
    return kept;
}

/* Rules keep numbers for those who play, or for as many as they say, and use no other variables than they say. */
static void rules_keep_what_they_say(void) {
    mt19937 random;
    mt19937_seed(&random, 5);
    for (int game = 0; game < 2 * ale_games_count; game++) {
        const game_rules *rules = game % 2 ? ale_games[game / 2]->multi : ale_games[game / 2]->solo;
        int kept = 0, variables = 0;
        for (int players = 1; rules && players <= GAME_MAX_PLAYERS; players++)
            for (int turn = 0; turn < 300 && rules->modes[players - 1].count; turn++) {
                const int32_t mode = rules->modes[players - 1].list[turn % rules->modes[players - 1].count];
                const int here = kept_players(rules, players, mode, &random, &variables);
                if (here > players && here > kept) kept = here;
            }
        if (!rules || (kept == rules->kept && variables <= rules->variables)) continue;
        fprintf(stderr, "%s keeps numbers for %d players, not %d, and %d variables, not %d\n",
                ale_games[game / 2]->name, kept, rules->kept, variables, rules->variables);
        check_failures = 1;
    }
}

int main(void) {
    RUN(every_byte_belongs_to_a_field());
    RUN(rules_keep_what_they_say());
    RUN(every_scheme());
    RUN(rules_of_all_games());
    RUN(rules_of_a_card());
    RUN(cursors_do_not_meddle());
    RUN(clocks_may_wrap());
    RUN(ends_of_ranges_lead_to_good_states());
    RUN(states_do_not_tell_the_engine());
    return check_failures;
}
