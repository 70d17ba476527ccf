/* States: what was saved of an environment, with bytes changed and the checksum mended.  It is refused, or played
 * on; then whatever is saved of it must be accepted, for a state without a flaw leads to such states only. */
#include "fuzz.h"

static ale_env *make(const uint8_t *bytes, uint32_t size, rom_scheme scheme, int32_t rules, uint32_t objects) {
    ale_rom_options rom_options;
    ale_rom_options_init(&rom_options, sizeof rom_options);
    rom_options.game = "";
    rom_options.scheme = rom_scheme_name(scheme);
    rom_options.format = ALE_NTSC;
    ale_env_options options;
    ale_env_options_init(&options, sizeof options);
    options.rules = rules;
    options.sound = 1;
    options.objects = objects;
    ale_rom *rom = NULL;
    ale_env *env = NULL;
    MUST(ale_rom_create(bytes, size, &rom_options, &rom) == ALE_OK);
    MUST(ale_env_create(rom, &options, &env) == ALE_OK);
    ale_rom_release(rom);
    return env;
}

/* A program that shows three objects and ends no frame by itself. */
static void endless_rom(uint8_t image[TEST_ROM_SIZE]) {
    static const uint8_t program[] = {
        0xE8, 0x86, 0x09, 0x86, 0x1B, 0x86, 0x1C, /* on: INX, STX COLUBK, STX GRP0, STX GRP1 */
        0x86, 0x1F, 0x86, 0x2A, 0xE6, 0xA0,       /*     STX ENABL, STX HMOVE, INC RAM[32] */
        0x4C, 0x00, 0xF0,                         /*     JMP on */
    };
    test_rom(image);
    memcpy(image, program, sizeof program);
}

/* Environments with a good state each, made when first wanted: the test cartridge in every scheme, with code for
 * each bank, under both rules, one of them with objects; then the program whose frames do not end, in all four ways. */
enum { ENDLESS = 2 * ROM_SCHEME_COUNT, BASES = ENDLESS + 4 };
typedef struct base {
    ale_env *env;
    ale_state *good, *other;
} base;

static base *find_base(uint32_t number) {
    static base bases[BASES];
    static uint8_t image[LARGEST_IMAGE];
    number %= BASES;
    base *b = &bases[number];
    if (b->env) return b;
    const bool endless = number >= ENDLESS;
    const rom_scheme scheme = endless ? ROM_4K : (rom_scheme)(number / 2);
    uint8_t program[TEST_ROM_SIZE];
    (endless ? endless_rom : test_rom)(program);
    memcpy(program + 0x7FC, program + 0xFFC, 2); /* where 2 KiB are all */
    repeat_bytes(image, size_for(scheme), program, sizeof program);
    b->env = make(image, size_for(scheme), scheme, number % 2 ? ALE_MULTI : ALE_SOLO, (number + number / 2) % 2);
    const int32_t up = ALE_UP;
    for (int i = 0; i < 3; i++) MUST(ale_env_act(b->env, &up, NULL, 1, 1) == ALE_OK);
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

static void play_on(base *b, uint32_t how) {
    const int32_t action = (int32_t)(how % ALE_ACTION_COUNT);
    for (int i = 0; i < 3; i++) {
        MUST(ale_env_act(b->env, &action, NULL, 1, 1) == ALE_OK);
        if (how >> 5 & 1) (void)ale_env_screen_indices(b->env);
    }
    save_and_restore(b, how >> 6 & 1);
    if (how >> 7 & 1) MUST(ale_env_reset(b->env) == ALE_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input in = {data, data + size};
    base *b = find_base(take(&in, 1));
    const uint32_t how = take(&in, 1);
    const size_t length = b->good->size;
    uint8_t *bytes = malloc(length);
    ale_state *bad = NULL;
    MUST(bytes && ale_state_create(&bad) == ALE_OK);
    MUST(ale_state_serialize(b->good, bytes, length) == ALE_OK);
    damage(&in, bytes, offsetof(saved_environment, s), length);
    mend_state(bytes, length);
    MUST(ale_state_deserialize(bad, bytes, length) == ALE_OK);
    if (ale_env_restore(b->env, bad) == ALE_OK)
        play_on(b, how);
    else
        save_and_restore(b, 1);
    MUST(ale_env_restore(b->env, b->good) == ALE_OK);
    ale_state_destroy(bad);
    free(bytes);
    return 0;
}
