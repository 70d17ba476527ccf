/* Cards: any text is refused with a place, or is a card that can be played under both rule sets, whose states are
 * accepted again.  The image is that of the C tests. */
#include "fuzz.h"

enum { FRAMES = 3 };

static void play(ale_card *card, ale_rules rules, const char *variation) {
    uint8_t image[TEST_ROM_SIZE];
    ale_rom_options options;
    ale_env_options settings;
    ale_rom *rom = NULL;
    ale_env *env = NULL;
    ale_state *state = NULL;
    test_rom(image);
    ale_rom_options_init(&options, sizeof options);
    options.card = card;
    options.variation = variation;
    const ale_status made = ale_rom_create(image, sizeof image, &options, &rom);
    if (made == ALE_BAD_ROM) return; /* another image's card */
    MUST(made == ALE_OK);
    ale_env_options_init(&settings, sizeof settings);
    settings.rules = rules;
    settings.frame_limit = &most_frames;
    const ale_status played = in_time(ale_env_create(rom, &settings, &env));
    ale_rom_release(rom);
    MUST(played == ALE_OK || played == ALE_UNSUPPORTED || played == ALE_MODE_NOT_REACHED);
    if (played != ALE_OK) return;
    MUST(ale_state_create(&state) == ALE_OK);
    for (int frame = 0; frame < FRAMES; frame++) {
        const int32_t actions[ALE_MAX_PLAYERS] = {frame, 1, 2, 3};
        MUST(ale_env_act(env, actions, NULL, (uint32_t)ale_env_report(env)->players, 1) == ALE_OK);
        MUST(ale_env_save(env, 1, state) == ALE_OK);
        uint8_t *bytes = malloc(state->size);
        MUST(bytes && ale_state_serialize(state, bytes, state->size) == ALE_OK);
        MUST(ale_state_deserialize(state, bytes, state->size) == ALE_OK);
        MUST(ale_env_restore(env, state) == ALE_OK);
        free(bytes);
    }
    ale_state_destroy(state);
    ale_env_destroy(env);
}

static void try_input(const uint8_t *data, size_t size) {
    ale_card *card = NULL;
    const ale_status status = ale_card_create((const char *)data, size, &card);
    MUST(status == ALE_OK || status == ALE_BAD_CARD);
    if (status == ALE_BAD_CARD) {
        MUST(strncmp(ale_last_error(), "line ", 5) == 0 || size > 65536);
        return;
    }
    play(card, ALE_SOLO, NULL);
    play(card, ALE_MULTI, ale_card_variation(card, 0));
    ale_card_release(card);
}
