/* A state is a copy of the structs.  Serialized, it is the same bytes with a checksum.  So only the same build on the
 * same kind of processor can read it, which `layout` and `size` ensure. */
#include "state.h"

#include <stdlib.h>
#include <string.h>

#include "../support/checksum.h"
#include "../support/error.h"
#include "rom.h"

static const char MAGIC[8] = {'A', 'L', 'E', 's', 't', 'a', 't', 'e'};

/* Changes with every layout of the structs, and with the byte order.  Raise the version when the meaning of a
 * field changes. */
enum { LAYOUT_VERSION = 4 };
static const uint32_t LAYOUT =
    (uint32_t)(LAYOUT_VERSION << 24 | sizeof(void *) << 16 | sizeof(saved_environment));

/* Return the name of the rules that a state belongs to. */
static const char *rules_name(const ale_env *env) {
    if (!env->game) return "";
    return env->game->identity ? env->game->identity : env->game->name;
}

static bool has_own_random(const saved_environment *head) {
    return head->includes_random && !state_is_multi(head);
}

/* ---- Save and restore ---------------------------------------------------------------------------------- */

static ale_status reserve(ale_state *state, size_t size) {
    if (size <= state->capacity) return ALE_OK;
    size = (size | 4095) + 1; /* rounded up, because sizes vary a little from frame to frame */
    uint8_t *bytes = realloc(state->bytes, size);
    if (!bytes) return fail(ALE_OUT_OF_MEMORY, "no memory for a state of %zu bytes", size);
    state->bytes = bytes;
    state->capacity = size;
    return ALE_OK;
}

/* Save the console's snapshot, which includes MULTI's random generator.  If random numbers are not to be included,
 * zeros are saved in its place. */
static size_t save_console(ale_env *env, bool include_random, uint8_t *to) {
    mt19937 *unwanted = include_random || env->random == &env->own_random ? NULL : env->random;
    mt19937 kept;
    if (unwanted) {
        kept = *unwanted;
        memset(unwanted, 0, sizeof *unwanted);
    }
    size_t size = console_save(env->console, to);
    if (unwanted) *unwanted = kept;
    return size;
}

static void hold(int32_t *numbers, int count) {
    uint32_t above = 0; /* the lower bound, as bits: nearly always all are within, which this finds without branches */
    for (int i = 0; i < count; i++) above |= (uint32_t)numbers[i] + GAME_NUMBER_LIMIT;
    if (above < 2 * GAME_NUMBER_LIMIT) return;
    for (int i = 0; i < count; i++) {
        if (numbers[i] < -GAME_NUMBER_LIMIT) numbers[i] = -GAME_NUMBER_LIMIT;
        if (numbers[i] > GAME_NUMBER_LIMIT) numbers[i] = GAME_NUMBER_LIMIT;
    }
}

/* Numbers that rules calculate with are saved within their range, which they can leave only in a game that began
 * near its ends. */
static void hold_numbers(environment_state *s) {
    hold(s->game.reward, GAME_MAX_PLAYERS);
    hold(s->game.score, GAME_MAX_PLAYERS);
    hold(s->game.lives, GAME_MAX_PLAYERS);
    hold(s->game.var, GAME_VARIABLES);
    hold(&s->lives_at_start, 1);
}

ale_status environment_save(ale_env *env, bool include_random, ale_state *state) {
    size_t most = sizeof(saved_environment) + sizeof(mt19937) + console_snapshot_size(env->console);
    ale_status status = reserve(state, most);
    if (status != ALE_OK) return status;

    saved_environment *head = (saved_environment *)(void *)state->bytes;
    memset(head, 0, offsetof(saved_environment, s));
    memcpy(head->magic, MAGIC, sizeof MAGIC);
    head->layout = LAYOUT;
    head->includes_random = include_random;
    memcpy(head->md5, env->console->rom->md5, sizeof env->console->rom->md5);
    memcpy(head->game, rules_name(env), strlen(rules_name(env))); /* no name is as long as the field */
    head->rules = env->options.rules | (env->multi ? ALE_MULTI : 0);
    head->scheme = env->console->rom->scheme;
    memcpy(&head->s, &env->s, sizeof head->s);
    hold_numbers(&head->s);

    size_t size = sizeof *head;
    if (has_own_random(head)) {
        memcpy(state->bytes + size, &env->own_random, sizeof env->own_random);
        size += sizeof env->own_random;
    }
    size += save_console(env, include_random, state->bytes + size);
    head->size = size;
    state->size = size;
    state->foreign = false;
    return ALE_OK;
}

#define ENVIRONMENT(member, ...) INVARIANT(#member, environment_state, member, __VA_ARGS__)
#define ENVIRONMENT_EACH(member, ...) INVARIANTS(#member, environment_state, member, __VA_ARGS__)
const invariant environment_invariants[] = {
    ENVIRONMENT(frame_number, ANY_VALUE), /* it wraps */
    ENVIRONMENT(episode_frame_number, ANY_VALUE),
    ENVIRONMENT(mode, ANY_VALUE),
    ENVIRONMENT(difficulty, ANY_VALUE),
    ENVIRONMENT_EACH(paddle, IN_RANGE(0, INT32_MAX)),
    ENVIRONMENT(paddle_min, IN_RANGE(0, INT32_MAX)),
    ENVIRONMENT(paddle_max, IN_RANGE(0, INT32_MAX)),
    ENVIRONMENT(lives_at_start, IN_RANGE(-GAME_NUMBER_LIMIT, GAME_NUMBER_LIMIT)),
    ENVIRONMENT(other_seed, ANY_VALUE),
    ENVIRONMENT(ended, IN_RANGE(0, ALE_MAX_TERMINALS)),
    ENVIRONMENT(reserved, ONLY_ZERO),
    ENVIRONMENT(stayed, ANY_VALUE),
    ENVIRONMENT_EACH(held, IN_RANGE(0, ACTION_COUNT - 1)),
    ENVIRONMENT_EACH(held_strength, ANY_VALUE),
    ENVIRONMENT_EACH(samples, IN_RANGE(0, AUDIO_LOUDEST)),
    {0},
};

bool environment_may_play(const ale_env *env, int32_t mode, int32_t players) {
    if (players < 1 || players > GAME_MAX_PLAYERS) return false;
    const mode_list list = rules_modes(env->game, (ale_rules)env->options.rules, players);
    return list.multi == env->multi && rules_players(env->rules, mode) == players;
}

/* Absent players have no score or lives, unless the rules keep these all the same. */
static const char *game_invalid_field(const ale_env *env, const game_state *game) {
    const game_rules *rules = env->rules;
    EXPECT_NONE(invalid_field(game_invariants, game));
    EXPECT(environment_may_play(env, game->mode, game->players), "game.players");
    for (int p = game->players > rules->kept ? game->players : rules->kept; p < GAME_MAX_PLAYERS; p++) {
        EXPECT(game->reward[p] == 0, "game.reward");
        EXPECT(game->score[p] == 0, "game.score");
        EXPECT(game->lives[p] == 0, "game.lives");
    }
    for (int i = rules->variables; i < GAME_VARIABLES; i++) EXPECT(game->var[i] == 0, "game.var");
    EXPECT(rules->looks_back || is_zero(game->before, sizeof game->before), "game.before");
    if (env->game) return NULL;
    /* no rules */
    EXPECT(!game->reward[0], "game.reward");
    EXPECT(!game->score[0], "game.score");
    EXPECT(!game->lives[0], "game.lives");
    EXPECT(!game->terminal, "game.terminal");
    EXPECT(!game->started, "game.started");
    return NULL;
}

static const char *paddles_invalid_field(const ale_env *env, const environment_state *s) {
    const int32_t max = !env->has_paddles ? PADDLE_MAX : env->game ? env->game->paddle_max : 0;
    EXPECT(env->has_paddles || s->paddle_min == PADDLE_MIN, "paddle_min");
    EXPECT(!max || s->paddle_max == max, "paddle_max");
    int32_t low = s->paddle_min, high = s->paddle_max;
    if (low > high) low = s->paddle_max, high = s->paddle_min;
    for (int p = 0; p < GAME_MAX_PLAYERS; p++) {
        if (p >= environment_paddles(env)) low = high = environment_middle(s);
        EXPECT(s->paddle[p] >= low && s->paddle[p] <= high, "paddle");
    }
    return NULL;
}

static const char *environment_invalid_field(const ale_env *env, const saved_environment *head) {
    const environment_state *s = &head->s;
    const ale_rules rules = state_rules(head);
    EXPECT_NONE(invalid_field(environment_invariants, s));
    EXPECT(environment_find_mode(env, s->mode).players, "mode");
    EXPECT(rules == ALE_BY_MODE || !s->other_seed, "other_seed");
    EXPECT(rules_has_difficulty(env->rules, s->difficulty), "difficulty");
    EXPECT_NONE(paddles_invalid_field(env, s));
    for (int p = rules_most_players(env->game, rules); p < GAME_MAX_PLAYERS; p++) {
        EXPECT(s->held[p] == ACTION_NOOP, "held");
        EXPECT(is_zero(&s->held_strength[p], sizeof s->held_strength[p]), "held_strength");
    }
    EXPECT(audio_made(s->samples) || is_zero(s->samples, sizeof s->samples), "samples");
    EXPECT_NONE(game_invalid_field(env, &s->game));
    EXPECT(s->lives_at_start > 0 || s->lives_at_start == environment_lives(env, &s->game, 0), "lives_at_start");
    return NULL;
}

static size_t snapshot_offset(const saved_environment *head) {
    return sizeof *head + (has_own_random(head) ? sizeof(mt19937) : 0);
}

static const uint8_t *state_snapshot(const ale_state *state) {
    return state->bytes + snapshot_offset(state_head(state));
}

static const char *own_random_invalid_field(const mt19937 *random) {
    EXPECT(random->position > 0 && random->position <= MT19937_WORDS, "own_random.position");
    EXPECT(mt19937_is_alive(random), "own_random.state");
    return NULL;
}

/* The console's generator is saved, or zeros in its place. */
static const char *random_invalid_field(const saved_environment *head, const mt19937 *random) {
    if (state_is_multi(head) && !head->includes_random) {
        EXPECT(is_zero(random->state, sizeof random->state), "random.state");
        EXPECT(random->position == 0, "random.position");
        return NULL;
    }
    EXPECT(random->position > 0, "random.position");
    EXPECT(mt19937_is_alive(random), "random.state");
    return NULL;
}

/* The first field of bytes from outside that this environment could not have saved so under the rules in force. */
static const char *state_invalid_field(const ale_env *env, const ale_state *state) {
    const saved_environment *head = state_head(state);
    const size_t offset = snapshot_offset(head);
    EXPECT_NONE(environment_invalid_field(env, head));
    if (has_own_random(head)) {
        mt19937 random;
        memcpy(&random, state->bytes + sizeof *head, sizeof random);
        EXPECT_NONE(own_random_invalid_field(&random));
    }
    EXPECT_NONE(console_invalid_field(env->console, state->bytes + offset, state->size - offset));
    machine_state machine;
    console_saved_machine(state->bytes + offset, &machine);
    return random_invalid_field(head, &machine.random);
}

/* Likewise, under the state's rules. */
static const char *check_fields(ale_env *env, const ale_state *state) {
    const bool multi = env->multi, changes = multi != state_is_multi(state_head(state));
    if (changes) environment_play_by(env, !multi);
    const char *field = state_invalid_field(env, state);
    if (changes) environment_play_by(env, multi);
    return field;
}

/* Return whether an environment can go on under the rules of a state.  Those of ALE_BY_MODE for one player are
 * ALE_SOLO's. */
static bool rules_fit(const ale_env *env, const saved_environment *head) {
    const ale_rules rules = state_rules(head), own = (ale_rules)env->options.rules;
    if (rules == own) return true;
    if (rules == ALE_MULTI || own == ALE_MULTI || state_is_multi(head)) return false;
    const mode_meaning mode = environment_find_mode(env, head->s.mode);
    return mode.players == 1 && !mode.multi;
}

static const char *rules_words(const saved_environment *head, ale_rules rules) {
    if (rules == ALE_MULTI || (head && state_is_multi(head))) return "several players (num_players, pyale_ma.multi)";
    return rules == ALE_SOLO ? "one player" : "one player or more (ALEInterface)";
}

ale_status environment_check(ale_env *env, const ale_state *state) {
    const saved_environment *head = state_head(state);
    if (!state->size) return fail(ALE_BAD_STATE, "state is empty: nothing was saved in it");
    if (memcmp(head->md5, env->console->rom->md5, sizeof env->console->rom->md5) != 0)
        return fail(ALE_BAD_STATE, "state is of %.31s (ROM image %.32s), the environment plays %s (%.32s)", head->game,
                    head->md5, rules_name(env), env->console->rom->md5);
    if (!rules_fit(env, head))
        return fail(ALE_BAD_STATE, "state is of the rules for %s, the environment plays by those for %s",
                    rules_words(head, state_rules(head)), rules_words(NULL, (ale_rules)env->options.rules));
    if (strncmp(head->game, rules_name(env), sizeof head->game) != 0 ||
        head->scheme != (int32_t)env->console->rom->scheme)
        return fail(ALE_BAD_STATE, "state is of the same ROM image under other rules or another scheme");
    const char *field = state->foreign ? check_fields(env, state) : NULL;
    if (field) return fail(ALE_BAD_STATE, "state has a value in %s that no environment of this game saves", field);
    const size_t offset = snapshot_offset(head);
    if (!console_make_room(env->console, state->bytes + offset, state->size - offset))
        return fail(ALE_OUT_OF_MEMORY, "no memory for the picture of a state");
    return ALE_OK;
}

/* Without sound there are no samples, though another environment had some. */
static void adopt(ale_env *env, const environment_state *from) {
    memcpy(&env->s, from, env->options.sound ? sizeof env->s : offsetof(environment_state, samples));
}

/* The state may be of an environment whose episodes labels end. */
static void forget_labels(ale_env *env) {
    if (env->rom->terminal_count) return;
    env->s.ended = 0;
    env->s.stayed = 0;
}

ale_status environment_restore(ale_env *env, const ale_state *state) {
    ale_status status = environment_check(env, state);
    if (status != ALE_OK) return status;
    const saved_environment *head = state_head(state);
    const size_t offset = snapshot_offset(head);
    const bool multi = state_is_multi(head), changes = multi != env->multi;
    const uint32_t seed = env->s.other_seed;
    bool keep_random = !head->includes_random && multi && !changes;
    mt19937 kept;
    if (keep_random) kept = *env->random;
    if (!console_restore(env->console, state->bytes + offset, state->size - offset))
        return fail(ALE_BAD_STATE, "state is of the same ROM image with a screen of another height");
    if (keep_random) *env->random = kept;
    if (changes) environment_play_by(env, multi);
    if (changes && !head->includes_random) mt19937_seed(env->random, seed);
    if (has_own_random(head)) memcpy(&env->own_random, state->bytes + sizeof *head, sizeof env->own_random);
    adopt(env, &head->s);
    if ((int32_t)state_rules(head) != env->options.rules)
        env->s.other_seed = env->options.rules == ALE_BY_MODE ? seed : 0;
    forget_labels(env);
    if (env->blend) env->blend->current = false;
    environment_report(env, NULL);
    return ALE_OK;
}

/* ---- Copies -------------------------------------------------------------------------------------------- */

ale_status environment_check_copy(const ale_env *env, const ale_env *source) {
    const rom_image *mine = env->console->rom, *other = source->console->rom;
    if (memcmp(mine->md5, other->md5, sizeof mine->md5) != 0)
        return fail(ALE_INVALID_ARGUMENT, "the source plays the ROM image with MD5 %.32s, not %.32s",
                    other->md5, mine->md5);
    if (strcmp(rules_name(env), rules_name(source)) != 0 || env->options.rules != source->options.rules ||
        mine->scheme != other->scheme || env->console->format != source->console->format ||
        env->console->height != source->console->height)
        return fail(ALE_INVALID_ARGUMENT,
                    "the source plays the same ROM image by other rules, or in another scheme or format");
    return ALE_OK;
}

ale_status environment_make_room(ale_env *env, const ale_env *source) {
    return console_make_room_to_copy(env->console, source->console)
               ? ALE_OK
               : fail(ALE_OUT_OF_MEMORY, "no memory for the picture of a copy");
}

void environment_copy(ale_env *env, const ale_env *source) {
    console_copy(env->console, source->console);
    env->own_random = source->own_random;
    if (env->multi != source->multi) environment_play_by(env, source->multi);
    adopt(env, &source->s);
    forget_labels(env);
    if (env->blend) env->blend->current = false;
    environment_report(env, NULL);
}

/* ---- Equality ------------------------------------------------------------------------------------------ */

static bool machines_equal(const ale_state *a, const ale_state *b) {
    machine_state x, y;
    console_saved_machine(state_snapshot(a), &x);
    console_saved_machine(state_snapshot(b), &y);
    x.tia.collisions = y.tia.collisions = 0; /* collisions are evaluated late, so they may differ for the same moment */
    return memcmp(&x, &y, sizeof x) == 0;
}

bool state_equal(const ale_state *a, const ale_state *b) {
    if (!a->size || !b->size) return a->size == b->size;
    const saved_environment *x = state_head(a), *y = state_head(b);
    const environment_state *s = &x->s, *t = &y->s;
    return x->includes_random == y->includes_random && x->rules == y->rules && x->scheme == y->scheme &&
           memcmp(x->md5, y->md5, sizeof x->md5) == 0 && memcmp(x->game, y->game, sizeof x->game) == 0 &&
           s->frame_number == t->frame_number && s->episode_frame_number == t->episode_frame_number &&
           s->mode == t->mode && s->difficulty == t->difficulty &&
           s->ended == t->ended && s->stayed == t->stayed && memcmp(s->paddle, t->paddle, sizeof s->paddle) == 0 &&
           memcmp(&s->game, &t->game, sizeof s->game) == 0 &&
           (!x->includes_random || s->other_seed == t->other_seed) &&
           machines_equal(a, b) && (!has_own_random(x) || memcmp(x + 1, y + 1, sizeof(mt19937)) == 0);
}

/* ---- Bytes --------------------------------------------------------------------------------------------- */

static uint64_t checksum_of(const uint8_t *bytes, size_t size) {
    return checksum(bytes, size, offsetof(saved_environment, checksum));
}

void state_serialize(const ale_state *state, uint8_t *out) {
    memcpy(out, state->bytes, state->size);
    uint64_t sum = checksum_of(out, state->size);
    memcpy(out + offsetof(saved_environment, checksum), &sum, sizeof sum);
}

/* Characters, and nothing but zeros behind them. */
static bool is_text(const char *text, size_t size) {
    const char *end = memchr(text, 0, size);
    return end && is_zero(end, (size_t)(text + size - end));
}

ale_status state_deserialize(ale_state *state, const uint8_t *bytes, size_t size) {
    saved_environment head;
    if (size < sizeof head)
        return fail(ALE_BAD_STATE, "size is %zu bytes, too few for a serialized state", size);
    memcpy(&head, bytes, sizeof head);
    if (memcmp(head.magic, MAGIC, sizeof MAGIC) != 0)
        return fail(ALE_BAD_STATE, "bytes are not a serialized state");
    if (head.layout == __builtin_bswap32(LAYOUT))
        return fail(ALE_BAD_STATE, "bytes are a state of a processor with another byte order");
    if (head.layout != LAYOUT)
        return fail(ALE_BAD_STATE, "bytes are a state of another build of libale (layout %08x, not %08x)",
                    (unsigned)head.layout, (unsigned)LAYOUT);
    if (head.size != size)
        return fail(ALE_BAD_STATE, "size is %zu bytes, but the state was serialized to %llu", size,
                    (unsigned long long)head.size);
    if (head.checksum != checksum_of(bytes, size))
        return fail(ALE_BAD_STATE, "bytes are a damaged state: the checksum is wrong");
    if (head.includes_random > 1 || !is_text(head.md5, sizeof head.md5) || !is_text(head.game, sizeof head.game) ||
        head.rules < ALE_SOLO || head.rules > (ALE_BY_MODE | ALE_MULTI))
        return fail(ALE_BAD_STATE, "bytes are a state with impossible values");
    if (size < snapshot_offset(&head) + CONSOLE_SNAPSHOT_LEAST)
        return fail(ALE_BAD_STATE, "size is %zu bytes, too few for a state with its machine", size);
    ale_status status = reserve(state, size);
    if (status != ALE_OK) return status;
    memcpy(state->bytes, bytes, size);
    ((saved_environment *)(void *)state->bytes)->checksum = 0;
    state->size = size;
    state->foreign = true;
    return ALE_OK;
}
