/* States: what was saved of an environment, with bytes changed and the checksum mended, is refused, or played on; and
 * states drawn from the tables of invariants must be accepted, and play on alike without fast paths.  Whatever is saved
 * then must be accepted, for a valid state leads to such states only. */
#include "fuzz.h"
#include "random_state.h"

/* By the rules of a game, or a card, or (NULL) none.  NULL: the image does not get to that game's first mode. */
static ale_env *make(const uint8_t *bytes, uint32_t size, rom_scheme scheme, const char *game, ale_card *card,
                     int32_t rules, uint32_t objects) {
    ale_rom_options rom_options;
    ale_rom_options_init(&rom_options, sizeof rom_options);
    rom_options.game = game ? game : card ? NULL : "";
    rom_options.card = card;
    rom_options.scheme = rom_scheme_name(scheme);
    rom_options.format = ALE_NTSC;
    ale_env_options options;
    ale_env_options_init(&options, sizeof options);
    options.rules = rules;
    options.sound = 1;
    options.objects = objects;
    options.frame_limit = &most_frames;
    ale_rom *rom = NULL;
    ale_env *env = NULL;
    MUST(ale_rom_create(bytes, size, &rom_options, &rom) == ALE_OK);
    const ale_status status = in_time(ale_env_create(rom, &options, &env));
    MUST(status == ALE_OK || (game && (status == ALE_MODE_NOT_REACHED || status == ALE_UNSUPPORTED)));
    ale_rom_release(rom);
    return env;
}

/* A program that shows three objects and ends no frame by itself. */
static void endless_rom(uint8_t image[TEST_ROM_SIZE]) {
    test_rom(image);
    rom_builder program = {image, 0};
    EMIT(&program, INX, STX_Z, COLUBK, STX_Z, GRP0, STX_Z, GRP1, STX_Z, ENABL, STX_Z, HMOVE);
    EMIT(&program, INC_Z, AT_RAM(TEST_COUNT), JMP, ROM_START);
}

/* A card that calculates with all it can see. */
static ale_card *make_card(void) {
    static const char text[] =
        "name = \"fuzzed\"\nrom = \"any.bin\"\nover = \"ram[33] > 250\"\n"
        "score = \"max_turn_time // (0 - players) + n * bcd(ram[34], ram[35])\"\n"
        "lives = \"abs(m) % (n - lives) - before(ram[36])\"\nreward = \"change - score // m\"\n"
        "[variables]\nn = \"-n // (m - ram[32]) ^ score[0]\"\nm = \"~m << bit(n, 3) | lives[0]\"\n";
    ale_card *card = NULL;
    MUST(ale_card_create(text, sizeof text - 1, &card) == ALE_OK);
    return card;
}

/* Environments with a good state each, made when first wanted: the test cartridge in every scheme, with code for
 * each bank, under both rules, one of them with objects; then the program whose frames do not end, in all four ways;
 * then the test cartridge under the rules of a card and of each game. */
enum { ENDLESS = 2 * ROM_SCHEME_COUNT, WITH_CARD = ENDLESS + 4, WITH_GAME = WITH_CARD + 2, MOST_BASES = 1024 };
typedef struct base {
    ale_env *env;  /* NULL: not wanted yet, or (tried) impossible */
    ale_env *slow; /* the same without fast paths */
    ale_state *good, *other;
    bool tried;
} base;

static ale_env *make_base(uint32_t number) {
    static uint8_t image[LARGEST_IMAGE];
    const bool endless = number >= ENDLESS && number < WITH_CARD;
    const rom_scheme scheme = number >= ENDLESS ? ROM_4K : (rom_scheme)(number / 2);
    const char *game = number >= WITH_GAME ? ale_games[(number - WITH_GAME) / 2]->name : NULL;
    ale_card *card = number >= WITH_CARD && !game ? make_card() : NULL;
    uint8_t program[TEST_ROM_SIZE];
    (endless ? endless_rom : test_rom)(program);
    memcpy(program + 0x7FC, program + 0xFFC, 2); /* where 2 KiB are all */
    repeat_bytes(image, size_for(scheme), program, sizeof program);
    ale_env *env = make(image, size_for(scheme), scheme, game, card, number % 2 ? ALE_MULTI : ALE_SOLO,
                        (number + number / 2) % 2);
    ale_card_release(card);
    return env;
}

static void act(ale_env *env, int32_t action) {
    const int32_t actions[ALE_MAX_PLAYERS] = {action, action, action, action};
    MUST(ale_env_act(env, actions, NULL, (uint32_t)ale_env_report(env)->players, 1) == ALE_OK);
}

static base *find_base(uint32_t number) { /* NULL: there is none of that game */
    static base bases[MOST_BASES];
    const uint32_t count = WITH_GAME + 2 * (uint32_t)ale_games_count;
    MUST(count <= MOST_BASES);
    base *b = &bases[number %= count];
    if (b->tried) return b->env ? b : NULL;
    b->tried = true;
    b->env = make_base(number);
    if (!b->env) return NULL;
    b->slow = make_base(number);
    b->slow->console->fast_paths = 0; /* only now: without any the reset takes long */
    for (int i = 0; i < 3; i++) act(b->env, ALE_UP);
    MUST(ale_state_create(&b->good) == ALE_OK && ale_state_create(&b->other) == ALE_OK);
    MUST(ale_env_save(b->env, 1, b->good) == ALE_OK);
    return b;
}

static void save_and_restore(base *b, uint32_t include_random) {
    ale_state *copy = NULL;
    MUST(ale_env_save(b->env, include_random, b->other) == ALE_OK);
    uint8_t *bytes = malloc(b->other->size);
    MUST(bytes && ale_state_create(&copy) == ALE_OK);
    MUST(ale_state_serialize(b->other, bytes, b->other->size) == ALE_OK);
    MUST(ale_state_deserialize(copy, bytes, b->other->size) == ALE_OK);
    MUST(ale_env_restore(b->env, copy) == ALE_OK);
    ale_state_destroy(copy);
    free(bytes);
}

/* The fast paths change nothing. */
static void play_alike(base *b, const ale_state *state, int32_t action) {
    MUST(ale_env_restore(b->slow, b->good) == ALE_OK && ale_env_restore(b->slow, state) == ALE_OK);
    ale_state *slow = NULL;
    MUST(ale_state_create(&slow) == ALE_OK);
    for (int i = 0; i < 2; i++) {
        uint32_t equal = 0;
        act(b->env, action);
        act(b->slow, action);
        MUST(ale_env_save(b->env, 1, b->other) == ALE_OK && ale_env_save(b->slow, 1, slow) == ALE_OK);
        MUST(ale_state_equal(b->other, slow, &equal) == ALE_OK && equal);
        MUST(memcmp(ale_env_report(b->env), ale_env_report(b->slow), sizeof(ale_report)) == 0);
        MUST(memcmp(environment_screen(b->env), environment_screen(b->slow), environment_screen_size(b->env)) == 0);
    }
    ale_state_destroy(slow);
}

static void play_on(base *b, uint32_t how) {
    const int32_t action = (int32_t)(how % ALE_ACTION_COUNT);
    for (int i = 0; i < 3; i++) {
        act(b->env, action);
        if (how >> 5 & 1) (void)ale_env_screen_indices(b->env);
    }
    save_and_restore(b, how >> 6 & 1);
    if (how >> 7 & 1) { /* not every state of a game leads to its mode again */
        const ale_status status = in_time(ale_env_reset(b->env));
        MUST(status == ALE_OK || status == ALE_MODE_NOT_REACHED);
    }
}

static uint8_t *damaged(const ale_state *good, input *in) {
    uint8_t *bytes = malloc(good->size);
    MUST(bytes && ale_state_serialize(good, bytes, good->size) == ALE_OK);
    damage(in, bytes, offsetof(saved_environment, s), good->size);
    mend_state(bytes, good->size);
    return bytes;
}

static void try_input(const uint8_t *data, size_t size) {
    input in = {data, data + size};
    base *b = find_base(take(&in, 2));
    const uint32_t how = take(&in, 1), drawn = take(&in, 1) & 1;
    if (!b) return;
    size_t length = b->good->size;
    uint8_t *bytes = drawn ? random_state(b->env, b->good, &(dice){.at = in.at, .end = in.end}, &length)
                           : damaged(b->good, &in);
    ale_state *state = NULL;
    MUST(bytes && ale_state_create(&state) == ALE_OK);
    MUST(ale_state_deserialize(state, bytes, length) == ALE_OK);
    const bool accepted = ale_env_restore(b->env, state) == ALE_OK;
    MUST(accepted || !drawn);
    if (drawn) {
        play_alike(b, state, (int32_t)(how % ALE_ACTION_COUNT));
        MUST(ale_env_restore(b->env, state) == ALE_OK);
    }
    if (accepted)
        play_on(b, how);
    else
        save_and_restore(b, 1);
    MUST(ale_env_restore(b->env, b->good) == ALE_OK);
    ale_state_destroy(state);
    free(bytes);
}
