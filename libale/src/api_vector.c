/* The ABI: the vector's functions of ale.h.  Checks arguments and calls those who do the work. */
#include <ale/ale.h>
#include <inttypes.h>
#include <math.h>

#include "support/arguments.h"
#include "support/os.h"
#include "vector/vector.h"

enum { MOST_PIXELS = 4096, MOST_STACKED = 1024 };

void ale_vector_options_init(ale_vector_options *options, uint32_t struct_size) {
    const ale_vector_options defaults = {
        .thread_affinity_offset = -1,
        .rules = ALE_SOLO,
        .players = 1,
        .autoreset = ALE_NEXT_STEP,
        .observation = ALE_OBSERVE_GRAYSCALE,
        .img_height = 84,
        .img_width = 84,
        .stack_num = 4,
        .frame_skip = 4,
        .maxpool = 1,
        .noop_max = 30,
        .use_fire_reset = 1,
        .reward_clipping = 1,
        .max_num_frames_per_episode = 108000,
        .fast_paths = ALE_FAST_ALL,
    };
    init_struct(options, struct_size, &defaults, sizeof defaults);
}

#define REQUIRE_NUMBER(name, low, high)                                                                     \
    REQUIRE(n.name - (low) <= (uint32_t)((high) - (low)), "numbers->" #name " is %u; it must be %d to %d", \
            n.name, low, high)
#define REQUIRE_FLAG(name) REQUIRE(is_flag(o->name), "options->" #name " is %u; it must be 0 or 1", o->name)

static ale_status check_options(const ale_vector_options *o, uint32_t num_envs) {
    REQUIRE(o->batch_size <= num_envs, "options->batch_size is %u, more than num_envs, which is %u",
            o->batch_size, num_envs);
    REQUIRE(o->rules == ALE_SOLO || o->rules == ALE_MULTI,
            "options->rules is %d; it must be ALE_SOLO (0) or ALE_MULTI (1)", o->rules);
    REQUIRE(o->players >= 1 && o->players <= (o->rules == ALE_SOLO ? 1 : ALE_MAX_PLAYERS),
            "options->players is %u; it must be 1, with ALE_MULTI 1 to %d", o->players, ALE_MAX_PLAYERS);
    REQUIRE(o->autoreset >= ALE_NEXT_STEP && o->autoreset <= ALE_NO_RESET,
            "options->autoreset is %d; it must be an ale_autoreset (0 to 2)", o->autoreset);
    REQUIRE(o->autoreset != ALE_NO_RESET || !o->batch_size || o->batch_size == num_envs,
            "options->batch_size is %u; with ALE_NO_RESET a batch must hold all %u environments",
            o->batch_size, num_envs);
    REQUIRE(o->observation >= 0 && o->observation < observer_count,
            "options->observation is %d; it must be an ale_observation (0 to %d)", o->observation,
            observer_count - 1);
    REQUIRE(o->img_height >= 1 && o->img_height <= MOST_PIXELS,
            "options->img_height is %u; it must be 1 to %d", o->img_height, MOST_PIXELS);
    REQUIRE(o->img_width >= 1 && o->img_width <= MOST_PIXELS, "options->img_width is %u; it must be 1 to %d",
            o->img_width, MOST_PIXELS);
    REQUIRE(o->stack_num >= 1 && o->stack_num <= MOST_STACKED, "options->stack_num is %u; it must be 1 to %d",
            o->stack_num, MOST_STACKED);
    REQUIRE(o->frame_skip >= 1 && o->frame_skip <= ALE_MAX_FRAME_SKIP,
            "options->frame_skip is %u; it must be at least 1, at most %d", o->frame_skip, ALE_MAX_FRAME_SKIP);
    REQUIRE(o->noop_max <= ALE_MAX_NOOPS, "options->noop_max is %u; it must be at most %d", o->noop_max,
            ALE_MAX_NOOPS);
    REQUIRE_FLAG(maxpool);
    REQUIRE_FLAG(use_fire_reset);
    REQUIRE_FLAG(episodic_life);
    REQUIRE_FLAG(life_loss_info);
    REQUIRE_FLAG(reward_clipping);
    REQUIRE(o->full_action_space <= 2, "options->full_action_space is %u; it must be 0, 1 or 2",
            o->full_action_space);
    REQUIRE_FLAG(sound);
    REQUIRE_FLAG(agent_indicator);
    REQUIRE_FLAG(mirror);
    REQUIRE(!o->mirror || observers[o->observation].planes,
            "options->mirror is 1, but options->observation %d is no picture that could be mirrored", o->observation);
    REQUIRE(!isnan(o->repeat_action_probability), "options->repeat_action_probability is not a number");
    REQUIRE(o->fast_paths <= ALE_FAST_ALL, "options->fast_paths is %u; it must be 0 to %d", o->fast_paths,
            ALE_FAST_ALL);
    REQUIRE_FLAG(corrected_rules);
    REQUIRE_FLAG(fill_stack);
    for (int side = 0; side < 4; side++)
        REQUIRE(o->crop[side] < SCREEN_ROWS, "crop[%d] is %u; it must be at most %d", side, o->crop[side],
                SCREEN_ROWS - 1);
    REQUIRE(o->crop[2] + o->crop[3] < SCREEN_WIDTH, "crop leaves out %u and %u columns; the screen has %d", o->crop[2],
            o->crop[3], SCREEN_WIDTH);
    return ALE_OK;
}

/* Complete options of a vector that can be made. */
static ale_status read_options(const ale_vector_options *options, uint32_t num_envs, ale_vector_options *complete) {
    REQUIRE(num_envs >= 1 && num_envs <= INT32_MAX, "num_envs is %u; it must be at least 1, at most %d", num_envs,
            INT32_MAX);
    ale_vector_options_init(complete, sizeof *complete);
    ale_status status = options ? read_struct("options", complete, sizeof *complete, options) : ALE_OK;
    if (status == ALE_OK) status = check_options(complete, num_envs);
    return status == ALE_OK ? vector_check_size(complete, num_envs) : status;
}

ale_status ale_vector_check(const ale_vector_options *options, uint32_t num_envs) {
    ale_vector_options complete;
    return read_options(options, num_envs, &complete);
}

ale_status ale_vector_create(ale_rom *const *roms, const uint32_t *seeds, uint32_t num_envs,
                             const ale_vector_options *options, ale_vector **vector) {
    REQUIRE_POINTER(roms);
    REQUIRE_POINTER(vector);
    ale_vector_options complete;
    ale_status status = read_options(options, num_envs, &complete);
    if (status != ALE_OK) return status;
    for (uint32_t i = 0; i < num_envs; i++) REQUIRE(roms[i], "roms[%u] is NULL", i);
    return vector_create(roms, seeds, num_envs, &complete, vector);
}

void ale_vector_destroy(ale_vector *vector) {
    if (vector && vector->process == os_process())
        while (atomic_flag_test_and_set(&vector->in_use)) os_yield();
    vector_destroy(vector);
}

/* What every function that works with threads does first.  `playing`: it may be called while stretches are played. */
static ale_status enter(ale_vector *vector, bool playing) {
    REQUIRE_POINTER(vector);
    if (vector->process != os_process())
        return fail(ALE_OUT_OF_ORDER,
                    "the vector was made in process %ld, whose threads a forked process lacks; make it after "
                    "the fork",
                    vector->process);
    if (atomic_flag_test_and_set(&vector->in_use))
        return fail(ALE_OUT_OF_ORDER, "the vector is in use by another call: it serves one at a time; let threads "
                                      "take turns");
    if (!vector->playing || playing) return ALE_OK;
    atomic_flag_clear(&vector->in_use);
    return fail(ALE_OUT_OF_ORDER, "stretches are being played; call ale_vector_play with NULL until they are finished");
}

static ale_status leave(ale_vector *vector, ale_status status) {
    atomic_flag_clear(&vector->in_use);
    return status;
}

#define ENTER_PLAYING(playing)                       \
    do {                                             \
        ale_status entered = enter(vector, playing); \
        if (entered != ALE_OK) return entered;       \
    } while (0)
#define ENTER() ENTER_PLAYING(false)

ale_status ale_vector_describe(const ale_vector *vector, ale_vector_info *info) {
    REQUIRE_POINTER(vector);
    REQUIRE_POINTER(info);
    const ale_vector_options *o = &vector->options;
    const ale_vector_info vector_info = {
        .num_envs = vector->count,
        .batch_size = o->batch_size,
        .num_threads = o->num_threads,
        .players = o->players,
        .outstanding = vector->outstanding,
        .posted = (uint32_t)(vector->posted - vector->received),
        .received = vector->received,
        .observation_size = sub_env_observation_size(&vector->sub_envs[0]),
    };
    return write_struct("info", info, &vector_info, sizeof vector_info);
}

static ale_status check_index(const ale_vector *vector, uint32_t index) {
    REQUIRE(index < vector->count, "index is %u; environments are numbered 0 to %u", index,
            vector->count - 1);
    return ALE_OK;
}

ale_env *ale_vector_env(ale_vector *vector, uint32_t index) {
    if (enter(vector, false) != ALE_OK) return NULL;
    ale_status status = check_index(vector, index);
    if (status == ALE_OK) vector_finish(vector);
    return leave(vector, status) == ALE_OK ? vector->sub_envs[index].env : NULL;
}

/* A member of a struct that must be an array. */
typedef struct array_member {
    const char *name;
    const void *array;
} array_member;

#define MEMBER(member) {#member, complete->member}

static ale_status check_members(const char *of, const array_member *members, size_t count) {
    for (size_t i = 0; i < count; i++)
        REQUIRE(members[i].array, "%s->%s is NULL; it must be an array", of, members[i].name);
    return ALE_OK;
}

static ale_status read_batch(const ale_vector *vector, const ale_batch *batch, ale_batch *complete) {
    memset(complete, 0, sizeof *complete);
    ale_status status = read_struct("batch", complete, sizeof *complete, batch);
    if (status != ALE_OK) return status;
    const array_member needed[] = {
        MEMBER(observations), MEMBER(rewards), MEMBER(terminations),  MEMBER(truncations),
        MEMBER(env_ids),      MEMBER(lives),   MEMBER(frame_numbers), MEMBER(episode_frame_numbers),
    };
    status = check_members("batch", needed, sizeof needed / sizeof *needed);
    if (status != ALE_OK) return status;
    REQUIRE(!complete->sound || vector->options.sound, "batch->sound is set, but options.sound is 0");
    const ale_vector_options *o = &vector->options;
    const size_t size = sub_env_observation_size(&vector->sub_envs[0]), stride = complete->observation_stride;
    REQUIRE(!stride || stride >= size, "batch->observation_stride is %zu; an observation has %zu bytes", stride, size);
    REQUIRE(!stride || (o->batch_size == vector->count && !o->agent_indicator && !o->mirror),
            "batch->observation_stride is set; observations share frames only in batches of all environments, without "
            "agent_indicator and mirror");
    return complete->labels ? vector_check_labels(vector) : ALE_OK;
}

ale_status ale_vector_post(ale_vector *vector, const ale_batch *batch) {
    REQUIRE_POINTER(vector);
    REQUIRE_POINTER(batch);
    ale_batch complete;
    ale_status status = read_batch(vector, batch, &complete);
    if (status != ALE_OK) return status;
    ENTER();
    return leave(vector, vector_post(vector, &complete));
}

static ale_status select_mode(ale_vector *vector, uint32_t index, int32_t mode, int32_t difficulty) {
    ale_status status = check_index(vector, index);
    if (status != ALE_OK) return status;
    if (vector->outstanding) vector_finish(vector);
    sub_env *e = &vector->sub_envs[index];
    status = sub_env_check_mode(e, mode, difficulty);
    if (status != ALE_OK) return status;
    e->s.mode = mode;
    e->s.difficulty = difficulty;
    return ALE_OK;
}

ale_status ale_vector_select(ale_vector *vector, uint32_t index, int32_t mode, int32_t difficulty) {
    ENTER();
    return leave(vector, select_mode(vector, index, mode, difficulty));
}

ale_status ale_policy_create(const ale_policy_numbers *numbers, ale_policy **policy) {
    REQUIRE_POINTER(numbers);
    REQUIRE_POINTER(policy);
    ale_policy_numbers n = {0};
    ale_status status = read_struct("numbers", &n, sizeof n, numbers);
    if (status != ALE_OK) return status;
    REQUIRE_NUMBER(players, 1, ALE_MAX_PLAYERS);
    REQUIRE_NUMBER(used_count, 1, ALE_RAM_SIZE);
    REQUIRE_NUMBER(neurons_1, 1, POLICY_MOST_INPUTS);
    REQUIRE_NUMBER(neurons_2, 1, POLICY_MOST_INPUTS);
    REQUIRE_NUMBER(action_count, 1, ALE_ACTION_COUNT);
    REQUIRE_NUMBER(shift_1, 0, POLICY_MOST_SHIFT);
    REQUIRE_NUMBER(shift_2, 0, POLICY_MOST_SHIFT);
    REQUIRE_NUMBER(shift_3, 0, POLICY_MOST_SHIFT);
    const array_member needed[] = {{"used", n.used}, {"actions", n.actions}, {"numbers", n.numbers}};
    status = check_members("numbers", needed, sizeof needed / sizeof *needed);
    if (status != ALE_OK) return status;
    for (uint32_t i = 0; i < n.used_count; i++)
        REQUIRE(n.used[i] < ALE_RAM_SIZE, "numbers->used[%u] is %u; it must be at most %d", i, n.used[i],
                ALE_RAM_SIZE - 1);
    for (uint32_t i = 0; i < n.action_count; i++)
        REQUIRE(n.actions[i] < ALE_ACTION_COUNT, "numbers->actions[%u] is %u; it must be an ale_action (0 to %d)", i,
                n.actions[i], ALE_ACTION_COUNT - 1);
    return policy_create(&n, policy);
}

void ale_policy_release(ale_policy *policy) { policy_release(policy); }

ale_status ale_policy_act(const ale_policy *policy, uint32_t count, const uint8_t *rams, const uint8_t *before,
                          const uint32_t *players, uint32_t *randoms, int32_t *actions, int64_t *logits,
                          size_t capacity) {
    REQUIRE_POINTER(policy);
    REQUIRE_POINTER(rams);
    REQUIRE_POINTER(before);
    REQUIRE_POINTER(players);
    REQUIRE_POINTER(randoms);
    REQUIRE_POINTER(actions);
    const uint32_t each = policy_action_count(policy);
    REQUIRE(!logits || capacity / each >= count, "capacity is %zu; it must be at least %" PRIu64 ", for logits of %u",
            capacity, (uint64_t)count * each, count);
    for (uint32_t i = 0; i < count; i++)
        REQUIRE(players[i] < policy_players(policy), "players[%u] is %u; the policy can play for %u, 0 to %u", i,
                players[i], policy_players(policy), policy_players(policy) - 1);
    for (size_t i = 0; i < count; i++)
        actions[i] = policy_decide(policy, players[i], rams + i * ALE_RAM_SIZE, before + i * ALE_RAM_SIZE, &randoms[i],
                                   logits ? logits + i * each : NULL);
    return ALE_OK;
}

static ale_status seat(ale_vector *vector, uint32_t index, uint32_t player, ale_policy *policy, uint32_t random) {
    ale_status status = check_index(vector, index);
    if (status != ALE_OK) return status;
    REQUIRE(player < vector->options.players, "player is %u; the environments have %u, 0 to %u", player,
            vector->options.players, vector->options.players - 1);
    if (vector->outstanding) vector_finish(vector);
    return sub_env_seat(&vector->sub_envs[index], player, policy, random);
}

ale_status ale_vector_seat(ale_vector *vector, uint32_t index, uint32_t player, ale_policy *policy, uint32_t random) {
    ENTER();
    return leave(vector, seat(vector, index, player, policy, random));
}

ale_status ale_vector_choose(ale_vector *vector, int32_t *actions) {
    REQUIRE_POINTER(actions);
    ENTER();
    return leave(vector, vector_choose(vector, actions));
}

ale_status ale_vector_reset(ale_vector *vector, const uint8_t *mask, const int64_t *seeds) {
    ENTER();
    return leave(vector, vector_reset(vector, mask, seeds));
}

static ale_status check_exact(const ale_starts *starts, const int32_t *indices, uint32_t exact) {
    REQUIRE(is_flag(exact), "exact is %u; it must be 0 or 1", exact);
    REQUIRE(!exact || indices, "indices is NULL; with exact 1 there must be one for each environment");
    for (uint32_t i = 0; starts && i < starts->count; i++)
        REQUIRE(!exact || starts->states[i].size, "starts[%u] is a reset; with exact 1 it must be a state", i);
    return ALE_OK;
}

ale_status ale_vector_reset_from(ale_vector *vector, const uint8_t *mask, const int64_t *seeds, const int32_t *modes,
                                 const int32_t *difficulties, const ale_starts *starts, const int32_t *indices,
                                 uint32_t exact) {
    REQUIRE(!modes == !difficulties, "modes and difficulties must be given both, or both be NULL");
    REQUIRE(starts || (!indices && !exact), "starts is NULL, but indices or exact are given");
    const ale_status status = check_exact(starts, indices, exact);
    if (status != ALE_OK) return status;
    ENTER();
    return leave(vector, vector_reset_from(vector, mask, seeds, modes, difficulties, starts, indices, exact));
}

ale_status ale_vector_set_starts(ale_vector *vector, const ale_starts *starts) {
    ENTER();
    return leave(vector, vector_set_starts(vector, starts));
}

ale_status ale_vector_send(ale_vector *vector, const int32_t *actions, const float *strengths) {
    REQUIRE_POINTER(actions);
    ENTER();
    return leave(vector, vector_send(vector, actions, strengths, false));
}

ale_status ale_vector_send_to(ale_vector *vector, const int32_t *ids, uint32_t count, const int32_t *actions,
                              const float *strengths) {
    REQUIRE_POINTER(vector);
    REQUIRE_POINTER(ids);
    REQUIRE_POINTER(actions);
    REQUIRE(count >= 1 && count <= vector->count, "count is %u; it must be 1 to %u", count, vector->count);
    for (uint32_t row = 0; row < count; row++)
        REQUIRE(ids[row] >= 0 && (uint32_t)ids[row] < vector->count, "ids[%u] is %d; it must be 0 to %u", row, ids[row],
                vector->count - 1);
    ENTER();
    return leave(vector, vector_send_to(vector, (const uint32_t *)ids, count, actions, strengths));
}

ale_status ale_vector_recv(ale_vector *vector) {
    ENTER();
    return leave(vector, vector_recv(vector));
}

ale_status ale_vector_wait(ale_vector *vector) {
    ENTER_PLAYING(true);
    return leave(vector, vector_wait(vector));
}

ale_status ale_vector_discard(ale_vector *vector) {
    ENTER();
    vector_begin_anew(vector);
    return leave(vector, ALE_OK);
}

ale_status ale_vector_step(ale_vector *vector, const int32_t *actions, const float *strengths,
                           const ale_batch *batch) {
    REQUIRE_POINTER(vector);
    REQUIRE_POINTER(actions);
    ale_batch complete;
    if (batch) {
        ale_status status = read_batch(vector, batch, &complete);
        if (status != ALE_OK) return status;
    }
    ENTER();
    return leave(vector, vector_step(vector, actions, strengths, batch ? &complete : NULL));
}

ale_status ale_vector_copy(ale_vector *vector, const int32_t *sources, const int32_t *targets,
                           uint32_t count) {
    REQUIRE(sources || !count, "sources is NULL");
    REQUIRE(targets || !count, "targets is NULL");
    ENTER();
    return leave(vector, vector_copy(vector, sources, targets, count));
}

ale_status ale_vector_seed(ale_vector *vector, const int32_t *environments, const int64_t *seeds, uint32_t count) {
    REQUIRE(environments || !count, "environments is NULL");
    REQUIRE(seeds || !count, "seeds is NULL");
    ENTER();
    return leave(vector, vector_seed(vector, environments, seeds, count));
}

ale_status ale_vector_save(ale_vector *vector, void *out, size_t capacity, size_t *size) {
    REQUIRE_POINTER(size);
    REQUIRE(out || !capacity, "out is NULL with a capacity of %zu", capacity);
    ENTER();
    return leave(vector, vector_save(vector, out, capacity, size));
}

ale_status ale_vector_restore(ale_vector *vector, const void *bytes, size_t size) {
    REQUIRE_POINTER(bytes);
    ENTER();
    return leave(vector, vector_restore(vector, bytes, size));
}

ale_status ale_vector_saved_equal(ale_vector *vector, const void *a, size_t a_size, const void *b, size_t b_size,
                                  uint32_t *equal) {
    REQUIRE_POINTER(a);
    REQUIRE_POINTER(b);
    REQUIRE_POINTER(equal);
    ENTER();
    bool same = false;
    const ale_status status = vector_compare(vector, a, a_size, b, b_size, &same);
    if (status == ALE_OK) *equal = same;
    return leave(vector, status);
}

ale_status ale_vector_save_env(ale_vector *vector, uint32_t index, void *out, size_t capacity, size_t *size) {
    REQUIRE_POINTER(size);
    REQUIRE(out || !capacity, "out is NULL with a capacity of %zu", capacity);
    ENTER();
    return leave(vector, vector_save_env(vector, index, out, capacity, size));
}

ale_status ale_vector_restore_env(ale_vector *vector, uint32_t index, const void *bytes, size_t size) {
    REQUIRE_POINTER(bytes);
    ENTER();
    return leave(vector, vector_restore_env(vector, index, bytes, size));
}

static ale_status read_stretches(const ale_stretches *stretches, ale_stretches *complete) {
    memset(complete, 0, sizeof *complete);
    ale_status status = read_struct("stretches", complete, sizeof *complete, stretches);
    if (status != ALE_OK) return status;
    REQUIRE(complete->count, "stretches->count is 0");
    const array_member needed[] = {
        MEMBER(states),  MEMBER(sizes),    MEMBER(steps),   MEMBER(observations), MEMBER(played),
        MEMBER(actions), MEMBER(observed), MEMBER(rewards), MEMBER(terminations), MEMBER(truncations),
    };
    const array_member of_resets[] = {
        MEMBER(reset_steps), MEMBER(seeds), MEMBER(modes), MEMBER(difficulties),
    };
    status = check_members("stretches", needed, sizeof needed / sizeof *needed);
    if (status != ALE_OK || !complete->resets) return status;
    return check_members("stretches", of_resets, sizeof of_resets / sizeof *of_resets);
}

ale_status ale_vector_play(ale_vector *vector, const ale_stretches *stretches) {
    ale_stretches complete;
    if (stretches) {
        ale_status status = read_stretches(stretches, &complete);
        if (status != ALE_OK) return status;
    }
    ENTER_PLAYING(!stretches);
    return leave(vector, vector_play(vector, stretches ? &complete : NULL));
}

ale_status ale_vector_roll_out(ale_vector *vector, const ale_rollout *rollout) {
    REQUIRE_POINTER(rollout);
    ale_rollout complete_rollout = {0}, *complete = &complete_rollout;
    ale_status status = read_struct("rollout", complete, sizeof *complete, rollout);
    if (status != ALE_OK) return status;
    REQUIRE(complete->count, "rollout->count is 0");
    const array_member needed[] = {MEMBER(actions), MEMBER(returns), MEMBER(ended)};
    status = check_members("rollout", needed, sizeof needed / sizeof *needed);
    if (status != ALE_OK) return status;
    ENTER();
    return leave(vector, vector_roll_out(vector, complete));
}
