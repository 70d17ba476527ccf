/* A step of a sub-environment runs frame_skip frames but draws only those that are observed (preprocessor.h).  A seeded
 * reset is copied from an earlier one where possible (reset_cache.h). */
#include "sub_env.h"

#include <string.h>

#include "../environment/rom.h"
#include "../support/arguments.h"
#include "../support/error.h"

static const float full_strength[ALE_MAX_PLAYERS] = {1, 1, 1, 1};

/* ---- Life ---------------------------------------------------------------------------------------------- */

ale_status sub_env_init(sub_env *e, ale_rom *rom, const ale_vector_options *o, uint32_t seed, arena *a,
                        const sub_env *like) {
    ale_env_options options = environment_default_options;
    options.rules = o->rules;
    options.random_seed = seed;
    options.repeat_action_probability = o->repeat_action_probability;
    options.sound = o->sound;
    options.objects = observer_of(o)->objects;
    options.frame_limit = o->frame_limit;
    options.fast_paths = o->fast_paths;
    options.corrected_rules = o->corrected_rules;
    e->options = o;
    e->arena = a;
    const environment_setting setting = {
        .arena = a,
        .by_engine = o->observation == ALE_OBSERVE_GRAYSCALE && engine_is_wide(),
        .log_room = like ? console_log_room(like->env->console) : 0,
        .twin = like && like->cache ? like->env : NULL,
    };
    ale_status status = environment_create(rom, &options, &setting, &e->env);
    if (status != ALE_OK) return status;
    const game_rules *rules = e->env->rules;
    const int32_t mode = rules_mode_for(e->env->game, (ale_rules)options.rules, (int)o->players);
    if (mode < 0)
        return fail(ALE_UNSUPPORTED, "%s has no mode for %u players",
                    e->env->game ? e->env->game->name : "a ROM without rules", o->players);
    const uint32_t sets[] = {rules->minimal_actions, ACTIONS_ALL & ~rules->illegal_actions, ACTIONS_ALL};
    for (uint8_t code = 0; code < ALE_ACTION_COUNT; code++)
        if (sets[o->full_action_space] >> code & 1) e->codes[e->action_count++] = code;

    status = sub_env_check_sides(e, mode);
    if (status != ALE_OK) return status;
    e->s.mode = e->env->s.mode = mode;
    mt19937_seed(&e->s.random, seed);
    e->s.start = -1;
    e->next = e->usual = (beginning){.index = -1};
    e->cache = like ? like->cache : NULL;
    e->as_made = true;
    e->frame_size = observer_frame_size(o, e->env);
    const size_t stack = o->stack_num * e->frame_size;
    e->stack = e->own_stack = arena_take(a, stack, ARENA_DENSE);
    bool complete = e->stack;
    if (o->autoreset == ALE_SAME_STEP) {
        e->final_stack = arena_take(a, stack, ARENA_SPARSE);
        complete = complete && e->final_stack;
    }
    complete = preprocessor_init(&e->preprocess, o, e->env, like ? &like->preprocess : NULL, a) && complete;
    return complete ? ALE_OK : fail(ALE_OUT_OF_MEMORY, "no memory for observations");
}

void sub_env_free(sub_env *e) {
    environment_destroy(e->env);
    preprocessor_free(&e->preprocess);
    arena_release(e->arena, e->own_stack);
    arena_release(e->arena, e->final_stack);
    for (int p = 0; p < ALE_MAX_PLAYERS; p++) policy_release(e->seats[p].policy);
}

/* ---- Observations -------------------------------------------------------------------------------------- */

/* Return a frame of the stack; 0 is the latest, 1 the one before it. */
static uint8_t *latest_frame(const sub_env *e, uint32_t age) {
    const uint32_t frames = e->options->stack_num;
    return e->stack + (e->newest + frames - age) % frames * e->frame_size;
}

/* `to` may overlap the stack if the latest frame is the last there. */
void sub_env_copy_stack(const sub_env *e, uint32_t dropped, uint8_t *to) {
    const uint32_t frames = e->options->stack_num, oldest = (e->newest + 1 + dropped) % frames;
    const uint32_t all = frames - dropped, first = all < frames - oldest ? all : frames - oldest;
    memmove(to, e->stack + oldest * e->frame_size, first * e->frame_size);
    memmove(to + first * e->frame_size, e->stack, (all - first) * e->frame_size);
}

/* Let the stack, without the `dropped` oldest frames, begin at `to`.  If they are there already, nothing is copied. */
static void move_stack(sub_env *e, uint32_t dropped, uint8_t *to) {
    if (to != e->stack + dropped * e->frame_size) sub_env_copy_stack(e, dropped, to);
    e->stack = to;
    e->newest = e->options->stack_num - 1;
}

void sub_env_keep_stack(sub_env *e) {
    if (e->stack != e->own_stack) move_stack(e, 0, e->own_stack);
}

/* Return where the next frame goes, in place of the oldest. */
static uint8_t *push_frame(sub_env *e) {
    if (e->row) {
        move_stack(e, 1, e->row);
    } else {
        sub_env_keep_stack(e);
        e->newest = (e->newest + 1) % e->options->stack_num;
    }
    return latest_frame(e, 0);
}

/* ---- Players' own observations --------------------------------------------------------------------------- */

/* Return whether each player has an observation of its own. */
static bool apart(const ale_vector_options *o) { return o->agent_indicator || o->mirror; }

static size_t view_size(const sub_env *e) {
    const ale_vector_options *o = e->options;
    return (o->stack_num + (o->agent_indicator ? o->players : 0)) * e->frame_size;
}

size_t sub_env_observation_size(const sub_env *e) {
    return apart(e->options) ? e->options->players * view_size(e) : e->options->stack_num * e->frame_size;
}

static game_sides sides_in(const sub_env *e, int32_t mode) {
    const game_rules *rules = e->env->rules;
    return e->options->mirror && rules->sides ? rules->sides(mode) : (game_sides){0};
}

ale_status sub_env_check_sides(const sub_env *e, int32_t mode) {
    const ale_vector_options *o = e->options;
    const uint8_t playing = (uint8_t)((1u << o->players) - 1);
    if (!o->mirror || sides_in(e, mode).mirrored & playing) return ALE_OK;
    char names[160] = "";
    for (int g = 0; g < ale_games_count; g++) {
        const game_rules *rules = ale_games[g]->multi;
        if (!rules || !rules->sides) continue;
        if (*names) strncat(names, ", ", sizeof names - 1 - strlen(names));
        strncat(names, ale_games[g]->name, sizeof names - 1 - strlen(names));
    }
    return fail(ALE_UNSUPPORTED,
                "mirror is for players on both sides of a field, which mode %d of %s with %u players has not; "
                "some modes of these games have: %s",
                mode, e->env->game ? e->env->game->name : "a ROM without rules", o->players, names);
}

ale_status sub_env_check_mode(const sub_env *e, int32_t mode, int32_t difficulty) {
    const char *name = e->env->game ? e->env->game->name : "an environment without rules";
    const game_rules *rules = e->env->rules;
    REQUIRE(rules_players(rules, mode) == (int)e->options->players, "mode is %d; %s has no such mode for %u players",
            mode, name, e->options->players);
    const bool has = difficulty >= 0 && difficulty < 8 && rules->difficulties >> difficulty & 1;
    REQUIRE(has || difficulty == e->s.difficulty, "difficulty is %d; %s has %s", difficulty, name,
            rules_list_difficulties(rules->difficulties).text);
    return sub_env_check_sides(e, mode);
}

bool sub_env_accepts(const sub_env *e, uint32_t player, int32_t index) {
    return e->s.out[player] || (index >= 0 && index < e->action_count);
}

int32_t sub_env_action(const sub_env *e, uint32_t player, int32_t index) {
    static const uint8_t turned[ALE_ACTION_COUNT] = {
        ALE_NOOP,          ALE_FIRE,       ALE_UP,           ALE_LEFT,         ALE_RIGHT,    ALE_DOWN,
        ALE_UPLEFT,        ALE_UPRIGHT,    ALE_DOWNLEFT,     ALE_DOWNRIGHT,    ALE_UPFIRE,   ALE_LEFTFIRE,
        ALE_RIGHTFIRE,     ALE_DOWNFIRE,   ALE_UPLEFTFIRE,   ALE_UPRIGHTFIRE,  ALE_DOWNLEFTFIRE,
        ALE_DOWNRIGHTFIRE,
    };
    const uint8_t code = e->codes[index >= 0 && index < e->action_count ? index : 0];
    const game_sides sides = sides_in(e, e->env->s.mode);
    return sides.turned && sides.mirrored >> player & 1 ? turned[code] : code;
}

static void mirror(const sub_env *e, const uint8_t *restrict from, uint8_t *restrict to) {
    const size_t width = e->options->img_width, channels = (size_t)e->preprocess.observer->channels;
    const size_t row = width * channels;
    const size_t rows = e->options->stack_num * (e->frame_size / row);
    for (size_t y = 0; y < rows; y++, from += row, to += row)
        for (size_t x = 0; x < width; x++)
            for (size_t n = 0; n < channels; n++) to[x * channels + n] = from[(width - 1 - x) * channels + n];
}

/* Fill a frame with 255, or with 0. */
static void fill(const sub_env *e, uint8_t *frame, bool full) {
    static const int32_t number = 255;
    memset(frame, full && !e->preprocess.observer->numbers ? 255 : 0, e->frame_size);
    for (size_t i = 0; full && e->preprocess.observer->numbers && i < e->frame_size; i += sizeof number)
        memcpy(frame + i, &number, sizeof number);
}

/* Expand the first player's stack to the observations of all players. */
static void spread(const sub_env *e, uint8_t *observations) {
    const ale_vector_options *o = e->options;
    if (!apart(o)) return;
    const game_sides sides = sides_in(e, e->env->s.mode);
    const size_t stack = o->stack_num * e->frame_size;
    for (uint32_t p = 0; p < o->players; p++) {
        uint8_t *own = observations + p * view_size(e), *indicator = own + stack;
        if (p && sides.mirrored >> p & 1)
            mirror(e, observations, own);
        else if (p)
            memcpy(own, observations, stack);
        for (uint32_t q = 0; q < o->players && o->agent_indicator; q++, indicator += e->frame_size)
            fill(e, indicator, q == p);
    }
}

/* ---- Policies ------------------------------------------------------------------------------------------ */

ale_status sub_env_seat(sub_env *e, uint32_t player, ale_policy *policy, uint32_t random) {
    uint32_t action_set = 0;
    for (int i = 0; i < e->action_count; i++) action_set |= UINT32_C(1) << e->codes[i];
    if (policy && player >= policy_players(policy))
        return fail(ALE_INVALID_ARGUMENT, "player is %u; the policy can play for %u, 0 to %u", player,
                    policy_players(policy), policy_players(policy) - 1);
    if (policy && policy_actions(policy) & ~action_set)
        return fail(ALE_INVALID_ARGUMENT, "the policy has actions that are not in the action set of %s",
                    e->env->game ? e->env->game->name : "an environment without rules");
    policy_seat *seat = &e->seats[player];
    policy_retain(policy);
    policy_release(seat->policy);
    *seat = (policy_seat){.policy = policy, .random = random, .begins = true};
    return ALE_OK;
}

void sub_env_let_policies_begin(sub_env *e) {
    for (int p = 0; p < ALE_MAX_PLAYERS; p++) e->seats[p].begins = true;
}

bool sub_env_has_policies(const sub_env *e) {
    bool any = false;
    for (int p = 0; p < ALE_MAX_PLAYERS; p++) any = any || e->seats[p].policy;
    return any;
}

int32_t sub_env_choose(sub_env *e, uint32_t player) {
    policy_seat *seat = &e->seats[player];
    if (!seat->policy) return (int32_t)((uint64_t)policy_draw(&seat->random) * (uint32_t)e->action_count >> 32);
    const uint8_t code = policy_act(seat, player, e->env->console->s.ram);
    int32_t index = 0;
    while (e->codes[index] != code) index++;
    return index;
}

/* Where a reset is due the choice has no effect, so the policy's random state is left alone. */
static void choose(sub_env *e) {
    for (uint32_t p = 0; p < e->options->players; p++)
        if (e->seats[p].policy) e->actions[p] = e->s.over ? 0 : sub_env_choose(e, p);
}

/* ---- Episodes ------------------------------------------------------------------------------------------ */

static int players(const sub_env *e) { return (int)e->options->players; }

static sub_env_counts count(const sub_env *e) {
    const ale_report *report = &e->env->report;
    sub_env_counts counts = {
        .frame_number = report->frame_number,
        .episode_frame_number = report->episode_frame_number,
    };
    memcpy(counts.lives, report->lives, sizeof counts.lives);
    return counts;
}

/* Draw a number below `limit` uniformly, by Lemire's method. */
static uint32_t draw_below(mt19937 *random, uint32_t limit) {
    for (;;) {
        uint64_t product = (uint64_t)mt19937_next(random) * limit;
        uint32_t low = (uint32_t)product;
        if (low >= limit || low >= (0 - limit) % limit) return (uint32_t)(product >> 32);
    }
}

static void act_alike(sub_env *e, int32_t action) {
    const int32_t actions[ALE_MAX_PLAYERS] = {action, action, action, action};
    environment_act(e->env, actions, full_strength, e->options->players, 1);
}

void sub_env_note(sub_env *e, ale_status status) {
    if (status == ALE_OK || e->status != ALE_OK) return;
    e->status = status;
    strncpy(e->problem, last_error(), sizeof e->problem - 1);
}

/* Begin with random NOOPs.  They are single acts, so sticky actions apply to each frame. */
static void start_with_noops(sub_env *e) {
    const ale_vector_options *o = e->options;
    bool fire = false;
    for (int i = 0; i < e->action_count; i++) fire = fire || e->codes[i] == ALE_FIRE;
    fire = fire && o->use_fire_reset;
    const bool labels_end = e->env->labels_end;
    e->env->labels_end = false;
    if (fire) act_alike(e, ALE_FIRE);
    uint32_t frames = draw_below(&e->s.random, o->noop_max ? o->noop_max : 1);
    if (fire && frames) frames--;
    for (; frames && !e->env->stopped; frames--) {
        act_alike(e, ALE_NOOP);
        if (e->env->report.terminated) sub_env_note(e, environment_reset(e->env));
    }
    e->env->labels_end = labels_end;
}

/* Reset the environment in the chosen mode and difficulty; a negative seed means none. */
static void begin_episode(sub_env *e, int64_t seed) {
    const sub_env_state *s = &e->s;
    reset_cache *recorded = seed >= 0 || e->as_made ? e->cache : NULL;
    e->as_made = false;
    if (recorded && reset_cache_recall(recorded, e->env, s->mode, s->difficulty, seed)) return;
    if (seed >= 0) sub_env_note(e, environment_reload(e->env, (uint32_t)seed));
    const uint32_t frames = e->env->frames;
    e->env->s.mode = s->mode;
    e->env->s.difficulty = s->difficulty;
    sub_env_note(e, environment_reset(e->env));
    if (recorded && e->status == ALE_OK) reset_cache_note(recorded, e->env, e->env->frames - frames);
}

void sub_env_seed(sub_env *e, uint32_t seed) {
    environment_seed(e->env, seed);
    mt19937_seed(&e->s.random, seed);
    for (uint32_t p = 0; p < ALE_MAX_PLAYERS; p++) e->seats[p].random = (4 * seed + p) * 0x2C1B3C6D;
    e->as_made = false;
}

/* Begin an episode at a start.  False: there is none, or it is a reset, which is still to be done. */
static bool begin_at_start(sub_env *e, int64_t seed) {
    const beginning here = e->next;
    bool begun = here.exact;
    e->next = e->usual;
    e->s.start = here.exact ? -1 : here.index;
    if (!here.starts) return false;
    e->as_made = false;
    if (here.exact) {
        sub_env_note(e, environment_restore(e->env, &here.starts->states[here.index]));
        if (seed >= 0) environment_seed(e->env, (uint32_t)seed);
    } else {
        sub_env_note(e, environment_start(e->env, here.starts, seed, &e->s.start, &begun));
    }
    return begun;
}

static void reset(sub_env *e, int64_t seed, uint8_t *scratch) {
    sub_env_state *s = &e->s;
    const bool begun = begin_at_start(e, seed);
    if (!begun) begin_episode(e, seed);
    if (seed >= 0) mt19937_seed(&s->random, (uint32_t)seed);
    if (!begun) start_with_noops(e);

    e->stack = e->row ? e->row : e->own_stack;
    e->newest = e->options->stack_num - 1;
    uint8_t *first = latest_frame(e, 0);
    memset(e->stack, 0, e->options->stack_num * e->frame_size);
    if (e->preprocess.resize)
        preprocessor_write_first(&e->preprocess, scratch, first);
    else
        e->preprocess.observer->write(e->env, first);
    for (uint32_t i = 0; e->options->fill_stack && i < e->newest; i++)
        memcpy(e->stack + i * e->frame_size, first, e->frame_size);
    s->elapsed = s->length = 0;
    memset(s->returns, 0, sizeof s->returns);
    memset(s->out, 0, sizeof s->out);
    if (begun && e->options->rules == ALE_MULTI) environment_note_out(e->env, e->options->players, s->out);
    s->result.counts = count(e);
    sub_env_let_policies_begin(e);
}

static void sub_env_reset(sub_env *e, int64_t seed, uint8_t *scratch) {
    bool out_of_frames = e->options->max_num_frames_per_episode <= 0;
    memset(&e->s.result, 0, sizeof e->s.result);
    reset(e, seed, scratch);
    e->s.over = out_of_frames && e->options->autoreset == ALE_NEXT_STEP;
    e->s.result.truncated = e->s.over;
}

/* Add a step's observation to the stack.  A step that ended early (not `complete`) does not observe its last frame. */
static void observe(sub_env *e, frame_window *window, uint32_t frames, bool complete) {
    if (e->blind) return;
    const uint8_t *before = latest_frame(e, 0);
    uint8_t *to = push_frame(e);
    if (e->options->stack_num > 1) before = latest_frame(e, 1); /* which may have moved */
    if (e->preprocess.resize)
        preprocessor_end_step(&e->preprocess, window, frames, complete, before, to);
    else
        e->preprocess.observer->write(e->env, to);
}

/* Note which players are out after a frame; those do NOOP from then on.  Return whether all are out. */
static bool all_out(sub_env *e) {
    if (e->options->rules != ALE_MULTI) return false;
    const bool all = environment_note_out(e->env, e->options->players, e->s.out);
    for (int p = 0; p < players(e); p++)
        if (e->s.out[p]) e->actions[p] = e->codes[0];
    return all;
}

/* Addition that wraps, because a restored state may hold any number. */
static int32_t wrapping_add(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }

static void step(sub_env *e, uint8_t *scratch) {
    const ale_vector_options *o = e->options;
    sub_env_state *s = &e->s;
    sub_env_result *result = &s->result;
    ale_env *env = e->env;
    const int32_t limit = o->max_num_frames_per_episode;
    int32_t lives[ALE_MAX_PLAYERS];
    bool over = all_out(e), lost_any = false, stop = false;
    uint8_t lost[ALE_MAX_PLAYERS] = {0};
    memcpy(lives, env->report.lives, sizeof lives);
    memset(result, 0, sizeof *result);

    frame_window window = preprocessor_begin_step(&e->preprocess, !e->blind, scratch);
    uint32_t frames = 0;
    while (frames < o->frame_skip && !stop && !env->stopped) {
        preprocessor_before_frame(&e->preprocess, &window, frames);
        environment_act(env, e->actions, e->strengths, o->players, 1);
        frames++;
        s->elapsed++;
        lost_any = false;
        for (int p = 0; p < players(e); p++) {
            if (!s->out[p]) result->rewards[p] = wrapping_add(result->rewards[p], env->report.rewards[p]);
            lost[p] = env->report.lives[p] < lives[p] && env->report.lives[p] > 0;
            lost_any = lost_any || lost[p];
        }
        over = all_out(e) || env->report.terminated;
        stop = over || s->elapsed >= limit || (o->episodic_life && lost_any);
        if (!stop && !env->stopped) preprocessor_after_frame(&e->preprocess, &window, frames - 1);
    }
    observe(e, &window, frames, !stop);

    const bool lives_count = o->episodic_life || o->life_loss_info;
    bool terminated = over;
    for (int p = 0; p < players(e); p++) {
        result->terminated[p] = over || s->out[p] || (lives_count && lost[p]);
        terminated = terminated || (lives_count && lost[p]);
        s->returns[p] = (int64_t)((uint64_t)s->returns[p] + (uint64_t)(int64_t)result->rewards[p]);
    }
    s->length = wrapping_add(s->length, 1);
    result->truncated = s->elapsed >= limit && !terminated;
    result->ended = stop;
    result->label = env->s.ended;
    result->length = s->length;
    memcpy(result->returns, s->returns, sizeof result->returns);
    result->counts = count(e);
}

static void sub_env_step(sub_env *e, uint8_t *scratch) {
    sub_env_state *s = &e->s;
    if (s->over) {
        sub_env_reset(e, -1, scratch);
        return;
    }
    step(e, scratch);
    if (e->options->autoreset != ALE_SAME_STEP) {
        s->over = s->result.ended;
    } else if (s->result.ended) {
        s->result.has_final = 1;
        s->result.final = s->result.counts;
        sub_env_copy_stack(e, 0, e->final_stack);
        reset(e, -1, scratch);
    }
}

void sub_env_work(sub_env *e, void *scratch) {
    e->status = ALE_OK;
    environment_limit(e->env);
    switch (e->order) {
        case SUB_ENV_STEP: sub_env_step(e, scratch); break;
        case SUB_ENV_RESET: sub_env_reset(e, e->seed, scratch); break;
        case SUB_ENV_IDLE:
            memset(&e->s.result, 0, sizeof e->s.result);
            e->s.result.counts = count(e);
            break;
        case SUB_ENV_REPEAT: break;
        case SUB_ENV_COPY: sub_env_copy(e, e->source); break;
        case SUB_ENV_CHOOSE: choose(e); break;
    }
    if (e->env->stopped) sub_env_note(e, environment_fail_stopped(e->env));
}

/* ---- Results ------------------------------------------------------------------------------------------- */

static int32_t clip(int32_t reward) { return reward < -1 ? -1 : reward > 1 ? 1 : reward; }

static void put(int32_t *array, size_t row, const int32_t *values, size_t players) {
    if (array) memcpy(array + row * players, values, players * sizeof *values);
}

void sub_env_deliver_outcome(const sub_env *e, int32_t *rewards, uint8_t *terminations, uint8_t *truncation) {
    const sub_env_result *result = &e->s.result;
    for (uint32_t p = 0; p < e->options->players; p++) {
        rewards[p] = e->options->reward_clipping ? clip(result->rewards[p]) : result->rewards[p];
        terminations[p] = result->terminated[p];
    }
    *truncation = result->truncated;
}

void sub_env_deliver_observation(const sub_env *e, bool final, uint8_t *to) {
    if (final && e->s.result.has_final)
        memcpy(to, e->final_stack, e->options->stack_num * e->frame_size);
    else
        sub_env_copy_stack(e, 0, to);
    spread(e, to);
}

void sub_env_deliver(sub_env *e, const ale_batch *batch, size_t row) {
    const sub_env_result *result = &e->s.result;
    const size_t n = e->options->players, size = sub_env_observation_size(e);
    if (e->row)
        move_stack(e, 0, e->row);
    else
        sub_env_deliver_observation(e, false, batch->observations + row * size);
    sub_env_deliver_outcome(e, batch->rewards + row * n, batch->terminations + row * n, batch->truncations + row);
    put(batch->lives, row, result->counts.lives, n);
    batch->frame_numbers[row] = result->counts.frame_number;
    batch->episode_frame_numbers[row] = result->counts.episode_frame_number;

    if (batch->episode_ends) batch->episode_ends[row] = result->ended;
    if (batch->episode_returns) memcpy(batch->episode_returns + row * n, result->returns, n * sizeof *result->returns);
    put(batch->episode_lengths, row, &result->length, 1);
    put(batch->unclipped_rewards, row, result->rewards, n);
    put(batch->starts, row, &e->s.start, 1);
    if (batch->ended_by) batch->ended_by[row] = result->label - 1;
    if (batch->ram) memcpy(batch->ram + row * ALE_RAM_SIZE, e->env->console->s.ram, ALE_RAM_SIZE);
    if (batch->sound) memcpy(batch->sound + row * ALE_AUDIO_SIZE, e->env->s.samples, ALE_AUDIO_SIZE);
    const label_set *labels = e->env->rom->labels;
    if (batch->labels) labels_write(labels, e->env->console->s.ram, batch->labels + row * labels->count);

    bool flagged = result->truncated;
    for (size_t p = 0; p < n; p++) flagged = flagged || result->terminated[p];
    if (!flagged || e->options->autoreset != ALE_SAME_STEP) return;
    const sub_env_counts *final = result->has_final ? &result->final : &result->counts;
    if (batch->final_observations) sub_env_deliver_observation(e, true, batch->final_observations + row * size);
    put(batch->final_lives, row, final->lives, n);
    put(batch->final_frame_numbers, row, &final->frame_number, 1);
    put(batch->final_episode_frame_numbers, row, &final->episode_frame_number, 1);
}
