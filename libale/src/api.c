/* The ABI: every function of ale.h but the vector's.  Checks arguments and calls those who do the work. */
#include <ale/ale.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cards/card.h"
#include "environment/environment.h"
#include "environment/rom.h"
#include "environment/starts.h"
#include "environment/state.h"
#include "labels/labels.h"
#include "support/arguments.h"
#include "support/error.h"

/* Calls on an environment, one at a time; another is refused:
 *     CALL_ALONE(enter, env, function(env, ...));
 * After a call that was stopped, only those that set the game anew are made; they use enter_anyway. */
static ale_status enter_anyway(ale_env *env) {
    if (!atomic_flag_test_and_set_explicit(&env->in_use, memory_order_acquire)) return ALE_OK;
    return fail(ALE_OUT_OF_ORDER,
                "the environment of %s is in use by another call: it serves one at a time; let threads take turns, let "
                "callbacks set a flag for later, and make another one in a forked process",
                env->game ? env->game->name : "a ROM without rules");
}

static ale_status leave(ale_env *env, ale_status status) {
    atomic_flag_clear_explicit(&env->in_use, memory_order_release);
    return status;
}

static ale_status enter(ale_env *env) {
    const ale_status status = enter_anyway(env);
    if (status != ALE_OK || !env->interrupted) return status;
    return leave(env, fail(ALE_INTERRUPTED, "a call was stopped in the middle; reset the environment"));
}

/* Return the status of a call. */
#define CALL_ALONE(enter, env, call)                               \
    do {                                                           \
        const ale_status entered = enter(env);                     \
        return entered == ALE_OK ? leave(env, (call)) : entered;   \
    } while (0)

/* A call that options->frame_limit may stop:
 *     environment_limit(env);
 *     return end_limited(env, function(env, ...)); */
static ale_status end_limited(ale_env *env, ale_status status) {
    const bool stopped = env->stopped;
    env->limited = env->stopped = false;
    if (stopped) status = environment_fail_stopped(env);
    env->interrupted = stopped || (env->interrupted && status != ALE_OK);
    return status;
}

/* ---- Library ------------------------------------------------------------------------------------------- */

uint32_t ale_abi_version(void) { return ALE_ABI_VERSION; }
const char *ale_version(void) { return ALE_VERSION; }
const char *ale_last_error(void) { return last_error(); }

/* ---- Games --------------------------------------------------------------------------------------------- */

static int32_t number_of(const ale_game *game) {
    for (int32_t i = 0; i < ale_games_count; i++)
        if (ale_games[i] == game) return i;
    return ALE_GAME_UNKNOWN;
}

int32_t ale_game_count(void) { return ale_games_count; }

int32_t ale_game_by_name(const char *name) {
    const ale_game *game = name ? game_by_name(name) : NULL;
    return game ? number_of(game) : ALE_GAME_UNKNOWN;
}

int32_t ale_game_by_md5(const char *md5) {
    char lower[33] = {0};
    if (!md5 || strlen(md5) != 32) return ALE_GAME_UNKNOWN;
    for (int i = 0; i < 32; i++) lower[i] = (char)tolower((unsigned char)md5[i]);
    const ale_game *game = game_by_md5(lower);
    return game ? number_of(game) : ALE_GAME_UNKNOWN;
}

#define REQUIRE_RULES(rules)                                                                                         \
    REQUIRE((int)(rules) >= ALE_SOLO && (int)(rules) <= ALE_BY_MODE,                                                  \
            "rules is %d; it must be ALE_SOLO (0), ALE_MULTI (1) or ALE_BY_MODE (2)", (int)(rules))

static ale_status check_game(int32_t game, ale_rules rules) {
    REQUIRE(game >= 0 && game < ale_games_count, "game is %d; games are numbered 0 to %d", game,
            ale_games_count - 1);
    REQUIRE_RULES(rules);
    return ALE_OK;
}

static uint32_t legal_actions(const game_rules *rules) { return ACTIONS_ALL & ~rules->illegal_actions; }

static uint32_t player_counts(const ale_game *game, ale_rules rules) {
    uint32_t counts = 0;
    for (int i = 0; i < GAME_MAX_PLAYERS; i++) counts |= (uint32_t)(rules_modes(game, rules, i + 1).count > 0) << i;
    return counts;
}

/* One for each number of players. */
static void list_default_modes(const ale_game *game, ale_rules rules, int32_t *modes) {
    for (int i = 0; i < GAME_MAX_PLAYERS; i++) modes[i] = rules_mode_for(game, rules, i + 1);
}

static uint32_t has_paddles(const rom_properties *properties) {
    return properties->paddles[0] || properties->paddles[1];
}

/* A game as its own rules describe it; nothing of its cartridge. */
static ale_game_info describe_game(const ale_game *game, ale_rules rules) {
    const game_rules *r = rules_of(game, rules);
    ale_game_info info = {
        .rules = (uint32_t)(rules_of(game, ALE_SOLO) != NULL) << ALE_SOLO |
                 (uint32_t)(rules_of(game, ALE_MULTI) != NULL) << ALE_MULTI,
        .name = game->name,
        .title = game->title,
        .md5 = game->md5,
    };
    if (r) {
        info.minimal_actions = r->minimal_actions;
        info.legal_actions = legal_actions(r);
        info.difficulties = r->difficulties;
        info.player_counts = player_counts(game, rules);
        info.default_mode = rules_default_mode(game, rules);
    }
    list_default_modes(game, rules, info.default_modes);
    return info;
}

ale_status ale_game_describe(int32_t game, ale_rules rules, ale_game_info *info) {
    ale_status status = check_game(game, rules);
    if (status != ALE_OK) return status;
    REQUIRE_POINTER(info);
    const rom_properties properties = rom_properties_find(ale_games[game]->md5);
    ale_game_info game_info = describe_game(ale_games[game], rules);
    game_info.paddles = has_paddles(&properties);
    return write_struct("info", info, &game_info, sizeof game_info);
}

static ale_status list_modes(const ale_game *game, ale_rules rules, uint32_t players, int32_t *modes, size_t capacity,
                             size_t *count) {
    REQUIRE(players >= 1 && players <= GAME_MAX_PLAYERS, "players is %u; it must be 1 to %d", players,
            GAME_MAX_PLAYERS);
    REQUIRE(modes || !capacity, "modes is NULL with a capacity of %zu", capacity);
    REQUIRE_POINTER(count);
    const mode_list list = rules_modes(game, rules, (int)players);
    *count = (size_t)list.count;
    for (size_t i = 0; i < *count && i < capacity; i++) modes[i] = list.numbers[i] - list.less;
    return ALE_OK;
}

ale_status ale_game_modes(int32_t game, ale_rules rules, uint32_t players, int32_t *modes, size_t capacity,
                          size_t *count) {
    ale_status status = check_game(game, rules);
    if (status != ALE_OK) return status;
    return list_modes(ale_games[game], rules, players, modes, capacity, count);
}

/* ---- Labels -------------------------------------------------------------------------------------------- */

static const label_set *labels_of_number(int32_t game) {
    return game >= 0 && game < ale_games_count ? labels_of(ale_games[game]->name) : NULL;
}

uint32_t ale_game_label_count(int32_t game) {
    const label_set *set = labels_of_number(game);
    return set ? set->count : 0;
}

ale_status ale_game_label(int32_t game, uint32_t index, ale_label *label) {
    REQUIRE_POINTER(label);
    const label_set *set = labels_of_number(game);
    REQUIRE(set, "game is %d, which has no labels", game);
    REQUIRE(index < set->count, "index is %u; %s has %u labels, 0 to %u", index, set->game, set->count, set->count - 1);
    ale_label known = set->labels[index];
    (void)label_bound(&known);
    return write_struct("label", label, &known, sizeof known);
}

ale_status ale_env_labels(const ale_env *env, int32_t *values, size_t capacity, size_t *count) {
    REQUIRE_POINTER(env);
    REQUIRE_POINTER(count);
    REQUIRE(values || !capacity, "values is NULL with a capacity of %zu", capacity);
    const label_set *set = env->rom->labels;
    *count = set ? set->count : 0;
    for (size_t i = 0; i < *count && i < capacity; i++) values[i] = label_value(&set->labels[i], env->console->s.ram);
    return ALE_OK;
}

static ale_status read_label(ale_label *known, const ale_label *label) {
    REQUIRE_POINTER(label);
    *known = (ale_label){.blank = -1};
    ale_status status = read_struct("label", known, sizeof *known, label);
    if (status != ALE_OK) return status;
    REQUIRE(known->byte_count >= 1 && known->byte_count <= ALE_LABEL_BYTES,
            "label->byte_count is %u; it must be 1 to %d", known->byte_count, ALE_LABEL_BYTES);
    for (uint32_t i = 0; i < known->byte_count; i++)
        REQUIRE(known->places[i] < ALE_RAM_SIZE, "label->places[%u] is %u; it must be 0 to %d", i, known->places[i],
                ALE_RAM_SIZE - 1);
    REQUIRE(known->code >= ALE_LABEL_BINARY && known->code <= ALE_LABEL_SIGNED,
            "label->code is %d; it must be an ale_label_code (0 to %d)", known->code, ALE_LABEL_SIGNED);
    return ALE_OK;
}

ale_status ale_label_bound(ale_label *label) {
    ale_label known;
    ale_status status = read_label(&known, label);
    if (status != ALE_OK) return status;
    REQUIRE(label_bound(&known), "the label has values beyond 32 bits; they must fit in 32 bits");
    return write_struct("label", label, &known, sizeof known);
}

ale_status ale_label_values(const ale_label *const *labels, uint32_t count, const uint8_t *rams, size_t rows,
                            int32_t *values) {
    REQUIRE(labels || !count, "labels is NULL with a count of %u", count);
    REQUIRE(rams || !rows, "rams is NULL with %zu rows", rows);
    REQUIRE(values || !rows || !count, "values is NULL");
    ale_label known;
    for (uint32_t i = 0; i < count; i++) {
        ale_status status = read_label(&known, labels[i]);
        if (status != ALE_OK) return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        (void)read_label(&known, labels[i]);
        for (size_t row = 0; row < rows; row++)
            values[row * count + i] = label_value(&known, rams + row * ALE_RAM_SIZE);
    }
    return ALE_OK;
}

/* ---- Cards --------------------------------------------------------------------------------------------- */

ale_status ale_card_create(const char *text, size_t size, ale_card **card) {
    char why[CARD_ERROR_SIZE];
    REQUIRE_POINTER(text);
    REQUIRE_POINTER(card);
    ale_card *made = card_create(text, size, why);
    if (!made && *why) return fail(ALE_BAD_CARD, "%s", why);
    if (!made) return fail(ALE_OUT_OF_MEMORY, "no memory for a card");
    *card = made;
    return ALE_OK;
}

void ale_card_release(ale_card *card) { card_release(card); }

ale_status ale_card_describe(const ale_card *card, ale_rules rules, ale_card_info *info) {
    REQUIRE_POINTER(card);
    REQUIRE_RULES(rules);
    REQUIRE_POINTER(info);
    const ale_game_info game = describe_game(&card->plain.game, rules);
    ale_card_info card_info = {
        .rules = game.rules,
        .name = card->name,
        .title = card->title,
        .md5 = card->md5,
        .rom = card->rom,
        .minimal_actions = game.minimal_actions,
        .legal_actions = game.legal_actions,
        .difficulties = game.difficulties,
        .player_counts = game.player_counts,
        .default_mode = game.default_mode,
        .variations = (uint32_t)card->variation_count,
    };
    memcpy(card_info.default_modes, game.default_modes, sizeof card_info.default_modes);
    return write_struct("info", info, &card_info, sizeof card_info);
}

ale_status ale_card_modes(const ale_card *card, ale_rules rules, uint32_t players, int32_t *modes,
                          size_t capacity, size_t *count) {
    REQUIRE_POINTER(card);
    REQUIRE_RULES(rules);
    return list_modes(&card->plain.game, rules, players, modes, capacity, count);
}

const char *ale_card_variation(const ale_card *card, uint32_t index) {
    return card && index < (uint32_t)card->variation_count ? card->variations[index].name : NULL;
}

/* ---- ROM images ---------------------------------------------------------------------------------------- */

void ale_rom_options_init(ale_rom_options *options, uint32_t struct_size) {
    const ale_rom_options defaults = {.format = ALE_FORMAT_AUTO};
    init_struct(options, struct_size, &defaults, sizeof defaults);
}

static rom_scheme scheme_by_name(const char *name) {
    for (int scheme = 0; scheme < ROM_SCHEME_COUNT; scheme++)
        if (strcmp(rom_scheme_name((rom_scheme)scheme), name) == 0) return (rom_scheme)scheme;
    return ROM_AUTO;
}

/* Whether the options about a card fit each other; and the game that the card makes. */
static ale_status check_card(const ale_rom_options *options, const ale_game **game) {
    REQUIRE(!options->card || !options->game, "options->game is \"%.64s\"; with a card it must be NULL",
            options->game);
    if (options->card) *game = &options->card->plain.game;
    if (!options->variation) return ALE_OK;
    REQUIRE(options->card, "options->variation is \"%.64s\"; only cards have variations", options->variation);
    const card_variation *variation = card_variation_by_name(options->card, options->variation);
    REQUIRE(variation, "options->variation is \"%.64s\"; %s has no such variation", options->variation,
            options->card->name);
    *game = &variation->game;
    return ALE_OK;
}

/* What a card says of its image. */
static ale_status apply_card(const ale_card *card, rom_image *image) {
    if (*card->md5 && strcmp(card->md5, image->md5) != 0)
        return fail(ALE_BAD_ROM, "line %d, column %d: the card %s is for the image with the MD5 %s; this one has %s",
                    card->md5_place.line, card->md5_place.column, card->name, card->md5, image->md5);
    rom_properties *properties = &image->properties;
    if (card->format >= 0) properties->format = (rom_format)card->format;
    if (card->controllers != CONTROLLERS_KNOWN)
        properties->paddles[0] = properties->paddles[1] = card->controllers == CONTROLLERS_PADDLES;
    return ALE_OK;
}

static ale_status check_terminals(const ale_rom_options *options) {
    REQUIRE(options->terminal_count <= ALE_MAX_TERMINALS, "terminal_on has %u labels; it may have %d",
            options->terminal_count, ALE_MAX_TERMINALS);
    REQUIRE(options->terminals || !options->terminal_count, "options->terminals is NULL with a terminal_count of %u",
            options->terminal_count);
    uint32_t staying = 0;
    for (uint32_t i = 0; i < options->terminal_count; i++) {
        const ale_terminal *t = &options->terminals[i];
        REQUIRE(t->label, "options->terminals[%u].label is NULL", i);
        REQUIRE(t->when >= ALE_CHANGES && t->when <= ALE_STAYS,
                "options->terminals[%u].when is %d; it must be an ale_when (0 to %d)", i, t->when, ALE_STAYS);
        const bool stays = t->when == ALE_STAYS;
        REQUIRE(stays ? t->frames >= 1 && t->frames <= UINT16_MAX : !t->frames,
                "options->terminals[%u].frames is %u; it must be %s", i, t->frames, stays ? "1 to 65535" : "0");
        staying += stays;
    }
    REQUIRE(staying <= 1, "terminal_on has %u labels with a number of frames; one may have it", staying);
    return ALE_OK;
}

static void release_card(void *card) { card_release(card); }

ale_status ale_rom_create(const void *bytes, size_t size, const ale_rom_options *options, ale_rom **rom) {
    REQUIRE_POINTER(bytes);
    REQUIRE_POINTER(rom);
    REQUIRE(size >= 1 && size <= ALE_MAX_ROM_SIZE, "size is %zu; it must be 1 to %d", size, ALE_MAX_ROM_SIZE);
    ale_rom_options rom_options;
    ale_rom_options_init(&rom_options, sizeof rom_options);
    if (options) {
        ale_status status = read_struct("options", &rom_options, sizeof rom_options, options);
        if (status != ALE_OK) return status;
    }
    REQUIRE(rom_options.format >= ALE_FORMAT_AUTO && rom_options.format <= ALE_SECAM,
            "options->format is %d; it must be an ale_format (-1 to 2)", rom_options.format);
    rom_scheme scheme = rom_options.scheme ? scheme_by_name(rom_options.scheme) : ROM_AUTO;
    REQUIRE(!rom_options.scheme || scheme != ROM_AUTO, "options->scheme is \"%.32s\"; there is no such scheme",
            rom_options.scheme);
    bool by_name = rom_options.game && *rom_options.game;
    const ale_game *game = by_name ? game_by_name(rom_options.game) : NULL;
    REQUIRE(!by_name || game, "options->game is \"%.64s\"; there is no such game", rom_options.game);
    ale_status status = check_card(&rom_options, &game);
    if (status == ALE_OK) status = check_terminals(&rom_options);
    if (status != ALE_OK) return status;

    char why[256] = "";
    rom_image *image = console_open_rom(bytes, size, scheme, why);
    if (!image && *why) return fail(ALE_BAD_ROM, "%s", why);
    if (!image) return fail(ALE_OUT_OF_MEMORY, "no memory for a ROM");
    if (rom_options.card) {
        status = apply_card(rom_options.card, image);
        if (status != ALE_OK) {
            rom_image_release(image);
            return status;
        }
    }
    if (rom_options.format != ALE_FORMAT_AUTO) image->properties.format = (rom_format)rom_options.format;
    if (!rom_options.game && !rom_options.card) game = game_by_md5(image->md5);
    const int32_t number = rom_options.card   ? ALE_GAME_CARD
                           : game        ? number_of(game)
                           : rom_options.game ? ALE_GAME_NONE
                                         : ALE_GAME_UNKNOWN;
    ale_rom *made = rom_create(image, game, number, rom_options.card, release_card);
    if (!made) {
        rom_image_release(image);
        return fail(ALE_OUT_OF_MEMORY, "no memory for a ROM");
    }
    card_retain(rom_options.card);
    status = rom_set_terminals(made, rom_options.terminals, rom_options.terminal_count);
    if (status != ALE_OK) {
        rom_release(made);
        return status;
    }
    *rom = made;
    return ALE_OK;
}

ale_rom *ale_rom_retain(ale_rom *rom) { return rom_retain(rom); }

void ale_rom_release(ale_rom *rom) { rom_release(rom); }

ale_status ale_rom_describe(const ale_rom *rom, ale_rom_info *info) {
    REQUIRE_POINTER(rom);
    REQUIRE_POINTER(info);
    ale_rom_info rom_info = {
        .game = rom->game_number,
        .scheme = rom_scheme_name(rom->image->scheme),
        .format = rom->image->properties.format,
        .paddles = has_paddles(&rom->image->properties),
        .translated = rom->image->prepared[TRANSLATOR] != NULL,
    };
    memcpy(rom_info.md5, rom->image->md5, sizeof rom->image->md5);
    return write_struct("info", info, &rom_info, sizeof rom_info);
}

/* ---- Environments -------------------------------------------------------------------------------------- */

void ale_set_frame_limit(uint32_t *frame_limit, uint32_t frames) {
    if (frame_limit) __atomic_store_n(frame_limit, frames, __ATOMIC_RELAXED);
}

void ale_env_options_init(ale_env_options *options, uint32_t struct_size) {
    init_struct(options, struct_size, &environment_default_options, sizeof environment_default_options);
}

ale_status ale_env_create(ale_rom *rom, const ale_env_options *options, ale_env **env) {
    REQUIRE_POINTER(rom);
    REQUIRE_POINTER(env);
    ale_env_options env_options = environment_default_options;
    const ale_status status = options ? read_struct("options", &env_options, sizeof env_options, options) : ALE_OK;
    if (status != ALE_OK) return status;
    return environment_create(rom, &env_options, &(environment_setting){.chooses = true}, env);
}

void ale_env_destroy(ale_env *env) { environment_destroy(env); }

ale_status ale_env_describe(const ale_env *env, ale_env_info *info) {
    REQUIRE_POINTER(env);
    REQUIRE_POINTER(info);
    const ale_rules rules = (ale_rules)env->options.rules;
    const game_rules *always = rules_of(env->game, rules);
    ale_env_info env_info = {
        .rules = env->options.rules,
        .game = env->rom->game_number,
        .screen_width = SCREEN_WIDTH,
        .screen_height = (uint32_t)console_screen_rows(env->console),
        .format = env->console->format,
        .minimal_actions = always->minimal_actions,
        .legal_actions = legal_actions(always),
        .difficulties = always->difficulties,
        .player_counts = player_counts(env->game, rules),
        .default_mode = rules_default_mode(env->game, rules),
        .paddles = env->has_paddles,
    };
    list_default_modes(env->game, rules, env_info.default_modes);
    return write_struct("info", info, &env_info, sizeof env_info);
}

const ale_report *ale_env_report(const ale_env *env) { return &env->report; }

static ale_status reset(ale_env *env) {
    environment_limit(env);
    return end_limited(env, environment_reset(env));
}

ale_status ale_env_reset(ale_env *env) {
    REQUIRE_POINTER(env);
    CALL_ALONE(enter_anyway, env, reset(env));
}

static ale_status reload(ale_env *env, uint32_t random_seed) {
    environment_limit(env);
    return end_limited(env, environment_reload(env, random_seed));
}

ale_status ale_env_reload(ale_env *env, uint32_t random_seed) {
    REQUIRE_POINTER(env);
    CALL_ALONE(enter_anyway, env, reload(env, random_seed));
}

static ale_status act(ale_env *env, const int32_t *actions, const float *strengths, uint32_t count,
                      uint32_t repeat) {
    REQUIRE(count == (uint32_t)env->report.players, "count is %u; mode %d is for %d players", count,
            env->report.mode, env->report.players);
    REQUIRE(repeat >= 1, "repeat is 0; it must be at least 1");
    const int lowest = environment_lets_rest(env) ? ALE_OUT : 0;
    for (uint32_t i = 0; i < count; i++)
        REQUIRE(actions[i] >= lowest && actions[i] < ACTION_COUNT, "actions[%u] is %d; it must be %d to %d", i,
                actions[i], lowest, ACTION_COUNT - 1);
    environment_limit(env);
    environment_act(env, actions, strengths, count, repeat);
    return end_limited(env, ALE_OK);
}

ale_status ale_env_act(ale_env *env, const int32_t *actions, const float *strengths, uint32_t count,
                       uint32_t repeat) {
    REQUIRE_POINTER(env);
    REQUIRE_POINTER(actions);
    CALL_ALONE(enter, env, act(env, actions, strengths, count, repeat));
}

int64_t ale_env_act_alone(ale_env *env, int32_t action, uint32_t repeat) {
    ale_status status = env ? enter(env) : fail(ALE_INVALID_ARGUMENT, "env is NULL");
    if (status != ALE_OK) return INT64_MIN + status;
    status = act(env, &action, NULL, 1, repeat);
    const int64_t result = status == ALE_OK ? env->report.rewards[0] : INT64_MIN + status;
    (void)leave(env, status);
    return result;
}

static ale_status check_objects(const ale_env *env) {
    REQUIRE(env->options.objects, "the environment was made without options->objects, and tells no objects");
    return ALE_OK;
}

static ale_status check_screens(const ale_env *env, const ale_screens *screens) {
    if (screens->report) {
        REQUIRE(screens->report->struct_size >= sizeof(uint32_t),
                "screens->report->struct_size is %u; it must be the size of the struct", screens->report->struct_size);
        if (!screens->count) return ALE_OK;
    }
    REQUIRE((uint32_t)screens->pixels <= ALE_OBJECTS, "pixels is %d; it must be 0 to 3", screens->pixels);
    if (screens->pixels == ALE_OBJECTS && check_objects(env) != ALE_OK) return ALE_INVALID_ARGUMENT;
    REQUIRE(screens->count >= 1 && screens->count <= ALE_MAX_PLAYERS, "count is %u screens; it must be 1 to %d",
            screens->count, ALE_MAX_PLAYERS);
    size_t needed = environment_screen_size(env) * (screens->pixels == ALE_RGB ? 3 : 1);
    REQUIRE(screens->size == needed, "size is %zu bytes; this screen needs exactly %zu", screens->size, needed);
    for (uint32_t i = 0; i < screens->count; i++) REQUIRE(screens->out[i], "screens->out[%u] is NULL", i);
    return ALE_OK;
}

static ale_status act_and_show(ale_env *env, const int32_t *actions, const float *strengths, uint32_t count,
                               uint32_t repeat, const ale_screens *screens) {
    ale_status status = act(env, actions, strengths, count, repeat);
    if (status != ALE_OK) return status;
    if (screens->count) environment_show(env, screens);
    if (!screens->report) return ALE_OK;
    return write_struct("screens->report", screens->report, &env->report, sizeof env->report);
}

ale_status ale_env_step(ale_env *env, const int32_t *actions, const float *strengths, uint32_t count,
                        uint32_t repeat, const ale_screens *screens) {
    ale_screens complete = {0};
    REQUIRE_POINTER(env);
    REQUIRE_POINTER(actions);
    REQUIRE_POINTER(screens);
    ale_status status = read_struct("screens", &complete, sizeof complete, screens);
    if (status == ALE_OK) status = check_screens(env, &complete);
    if (status != ALE_OK) return status;
    CALL_ALONE(enter, env, act_and_show(env, actions, strengths, count, repeat, &complete));
}

ale_status ale_env_modes(const ale_env *env, uint32_t players, int32_t *modes, size_t capacity,
                         size_t *count) {
    REQUIRE_POINTER(env);
    return list_modes(env->game, (ale_rules)env->options.rules, players, modes, capacity, count);
}

static ale_status set_mode(ale_env *env, int32_t mode) {
    REQUIRE(environment_find_mode(env, mode).players, "mode is %d; %s has no such mode", mode,
            env->game ? env->game->name : "an environment without rules");
    env->s.mode = mode;
    environment_report(env, NULL);
    return ALE_OK;
}

ale_status ale_env_set_mode(ale_env *env, int32_t mode) {
    REQUIRE_POINTER(env);
    CALL_ALONE(enter, env, set_mode(env, mode));
}

static ale_status set_difficulty(ale_env *env, int32_t difficulty) {
    REQUIRE(difficulty >= 0 && difficulty < 8 && env->rules->difficulties >> difficulty & 1,
            "difficulty is %d; %s has %s", difficulty, env->game ? env->game->name : "an environment without rules",
            rules_list_difficulties(env->rules->difficulties).text);
    env->s.difficulty = difficulty;
    environment_report(env, NULL);
    return ALE_OK;
}

ale_status ale_env_set_difficulty(ale_env *env, int32_t difficulty) {
    REQUIRE_POINTER(env);
    CALL_ALONE(enter, env, set_difficulty(env, difficulty));
}

/* ---- What can be seen and heard ------------------------------------------------------------------------ */

ale_status ale_env_screen(ale_env *env, ale_pixels pixels, uint8_t *out, size_t size) {
    REQUIRE_POINTER(env);
    REQUIRE_POINTER(out);
    const ale_screens screens = {.pixels = (int32_t)pixels, .count = 1, .size = size, .out = {out}};
    ale_status status = check_screens(env, &screens);
    if (status != ALE_OK) return status;
    status = enter(env);
    if (status != ALE_OK) return status;
    environment_show(env, &screens);
    return leave(env, ALE_OK);
}

const uint8_t *ale_env_screen_indices(ale_env *env) {
    if (enter(env) != ALE_OK) return NULL;
    const uint8_t *screen = environment_screen(env);
    leave(env, ALE_OK);
    return screen;
}

static ale_status find_boxes(ale_env *env, ale_object_box *boxes, size_t capacity, size_t *count) {
    return environment_boxes(env, boxes, capacity, count) ? ALE_OK : fail(ALE_OUT_OF_MEMORY, "no memory for boxes");
}

ale_status ale_env_object_boxes(ale_env *env, ale_object_box *boxes, size_t capacity, size_t *count) {
    REQUIRE_POINTER(env);
    REQUIRE_POINTER(count);
    REQUIRE(boxes || !capacity, "boxes is NULL, but capacity is %zu", capacity);
    CALL_ALONE(enter, env, find_boxes(env, boxes, capacity, count));
}

ale_status ale_env_palette(const ale_env *env, ale_pixels pixels, uint8_t *out, size_t size) {
    REQUIRE_POINTER(env);
    REQUIRE_POINTER(out);
    REQUIRE(pixels == ALE_RGB || pixels == ALE_GRAYSCALE,
            "pixels is %d; a palette is ALE_RGB (1) or ALE_GRAYSCALE (2)", (int)pixels);
    size_t needed = pixels == ALE_RGB ? 3 * 256 : 256;
    REQUIRE(size == needed, "size is %zu bytes; this palette needs exactly %zu", size, needed);
    uint8_t all[256];
    for (int i = 0; i < 256; i++) all[i] = (uint8_t)i;
    if (pixels == ALE_RGB)
        coloring_to_rgb(&env->colors, all, 256, out);
    else
        coloring_to_gray(&env->colors, all, 256, out);
    return ALE_OK;
}

const uint8_t *ale_env_ram(const ale_env *env) { return env->console->s.ram; }

ale_status ale_env_set_ram(ale_env *env, uint32_t index, uint32_t value) {
    REQUIRE_POINTER(env);
    REQUIRE(index < RAM_SIZE, "index is %u; it must be 0 to %d", index, RAM_SIZE - 1);
    REQUIRE(value <= 255, "value is %u; it must be 0 to 255", value);
    ale_status status = enter(env);
    if (status != ALE_OK) return status;
    console_poke(env->console, (uint8_t)index, (uint8_t)value);
    return leave(env, ALE_OK);
}

const uint8_t *ale_env_audio(const ale_env *env) { return env->s.samples; }

/* ---- States -------------------------------------------------------------------------------------------- */

ale_status ale_state_create(ale_state **state) {
    REQUIRE_POINTER(state);
    ale_state *made = calloc(1, sizeof *made);
    if (!made) return fail(ALE_OUT_OF_MEMORY, "no memory for a state");
    *state = made;
    return ALE_OK;
}

void ale_state_destroy(ale_state *state) {
    if (!state) return;
    free(state->bytes);
    free(state);
}

ale_status ale_state_describe(const ale_state *state, ale_state_info *info) {
    REQUIRE_POINTER(state);
    REQUIRE_POINTER(info);
    ale_state_info state_info = {.empty = !state->size};
    if (state->size) {
        const saved_environment *head = state_head(state);
        state_info.includes_random = head->includes_random;
        state_info.rules = (int32_t)state_rules(head);
        state_info.frame_number = head->s.frame_number;
        state_info.episode_frame_number = head->s.episode_frame_number;
        state_info.mode = head->s.mode;
        state_info.difficulty = head->s.difficulty;
        memcpy(state_info.rom_md5, head->md5, sizeof state_info.rom_md5);
        state_info.serialized_size = state->size;
    }
    return write_struct("info", info, &state_info, sizeof state_info);
}

ale_status ale_state_equal(const ale_state *a, const ale_state *b, uint32_t *equal) {
    REQUIRE_POINTER(a);
    REQUIRE_POINTER(b);
    REQUIRE_POINTER(equal);
    *equal = state_equal(a, b);
    return ALE_OK;
}

ale_status ale_env_save(ale_env *env, uint32_t include_random, ale_state *state) {
    REQUIRE_POINTER(env);
    REQUIRE_POINTER(state);
    REQUIRE(is_flag(include_random), "include_random is %u; it must be 0 or 1", include_random);
    CALL_ALONE(enter, env, environment_save(env, include_random, state));
}

/* `status` of what gives an environment the state of another one. */
static ale_status end_interruption(ale_env *env, ale_status status) {
    env->interrupted = env->interrupted && status != ALE_OK;
    return status;
}

ale_status ale_env_restore(ale_env *env, const ale_state *state) {
    REQUIRE_POINTER(env);
    REQUIRE_POINTER(state);
    CALL_ALONE(enter_anyway, env, end_interruption(env, environment_restore(env, state)));
}

static ale_status seed(ale_env *env, uint32_t random_seed) {
    environment_seed(env, random_seed);
    return ALE_OK;
}

ale_status ale_env_seed(ale_env *env, uint32_t random_seed) {
    REQUIRE_POINTER(env);
    CALL_ALONE(enter, env, seed(env, random_seed));
}

ale_status ale_starts_create(ale_env *env, const ale_state *const *states, const double *weights, uint32_t count,
                             ale_starts **starts) {
    REQUIRE_POINTER(states);
    REQUIRE_POINTER(starts);
    REQUIRE(count >= 1 && count <= INT32_MAX, "count is %u; it must be 1 to %d", count, INT32_MAX);
    if (!env) return starts_create(NULL, states, weights, count, starts);
    CALL_ALONE(enter_anyway, env, starts_create(env, states, weights, count, starts));
}

void ale_starts_release(ale_starts *starts) { starts_release(starts); }

static ale_status start(ale_env *env, const ale_starts *starts, int64_t seed, int32_t *index) {
    bool begun;
    const ale_status status = environment_start(env, starts, seed, index, &begun);
    return begun ? end_interruption(env, status) : status;
}

ale_status ale_env_start(ale_env *env, const ale_starts *starts, int64_t seed, int32_t *index) {
    REQUIRE_POINTER(env);
    REQUIRE_POINTER(starts);
    REQUIRE_POINTER(index);
    REQUIRE(seed <= UINT32_MAX, "seed is %" PRId64 "; seeds have 32 bits", seed);
    REQUIRE(*index < (int64_t)starts->count, "*index is %d; there are %u starts", *index, starts->count);
    CALL_ALONE(enter_anyway, env, start(env, starts, seed, index));
}

ale_status ale_env_copy(ale_env *env, ale_env *source) {
    REQUIRE_POINTER(env);
    REQUIRE_POINTER(source);
    if (env == source) return ALE_OK;
    ale_status status = environment_check_copy(env, source); /* of what never changes */
    if (status != ALE_OK) return status;
    status = enter_anyway(env);
    if (status != ALE_OK) return status;
    status = enter(source);
    if (status != ALE_OK) return leave(env, status);
    console_flush(source->console);
    status = environment_make_room(env, source);
    if (status == ALE_OK) environment_copy(env, source);
    leave(source, ALE_OK);
    return leave(env, end_interruption(env, status));
}

ale_status ale_state_serialize(const ale_state *state, void *out, size_t size) {
    REQUIRE_POINTER(state);
    REQUIRE_POINTER(out);
    REQUIRE(state->size, "state is empty: nothing was saved in it");
    REQUIRE(size == state->size, "size is %zu bytes; this state needs exactly %zu", size, state->size);
    state_serialize(state, out);
    return ALE_OK;
}

ale_status ale_state_deserialize(ale_state *state, const void *bytes, size_t size) {
    REQUIRE_POINTER(state);
    REQUIRE_POINTER(bytes);
    return state_deserialize(state, bytes, size);
}
