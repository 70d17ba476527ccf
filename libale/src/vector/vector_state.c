/* Saved vectors: a head, the numbers of sub-environments in hand and outstanding, then each sub-environment. */
#include <stdlib.h>
#include <string.h>

#include "../environment/state.h"
#include "../support/checksum.h"
#include "../support/error.h"
#include "vector.h"

enum { LAYOUT_VERSION = 2 }; /* raise it when the meaning of a field changes */

static const uint64_t LAYOUT = (uint64_t)LAYOUT_VERSION << 48 | (uint64_t)sizeof(void *) << 40 |
                               sizeof(sub_env_state) << 16 | sizeof(saved_vector);

/* ---- How bytes begin ----------------------------------------------------------------------------------- */

typedef struct saved_kind {
    char magic[8];
    size_t head; /* size of the head, which begins with a saved_head */
    const char *name, *one;
} saved_kind;

static const saved_kind VECTOR = {
    {'A', 'L', 'E', 'b', 'a', 't', 'c', 'h'}, sizeof(saved_vector), "vector", "a vector"};
static const saved_kind ENVIRONMENT = {
    {'A', 'L', 'E', 'l', 'a', 'n', 'e', 0}, sizeof(saved_head), "environment", "an environment"};

static uint64_t checksum_of(const uint8_t *bytes, size_t size) {
    return checksum(bytes, size, offsetof(saved_head, checksum));
}

/* Write the head with the checksum, after all other bytes. */
static void seal(const saved_kind *kind, uint8_t *bytes, size_t size) {
    saved_head head = {.layout = LAYOUT, .size = size};
    memcpy(head.magic, kind->magic, sizeof head.magic);
    memcpy(bytes, &head, sizeof head);
    head.checksum = checksum_of(bytes, size);
    memcpy(bytes, &head, sizeof head);
}

static ale_status check_seal(const saved_kind *kind, const uint8_t *bytes, size_t size) {
    saved_head head;
    if (size < kind->head)
        return fail(ALE_BAD_STATE, "size is %zu bytes, too few for a saved %s", size, kind->name);
    memcpy(&head, bytes, sizeof head);
    if (memcmp(head.magic, kind->magic, sizeof head.magic) != 0)
        return fail(ALE_BAD_STATE, "bytes are not of a saved %s", kind->name);
    if (head.layout == __builtin_bswap64(LAYOUT))
        return fail(ALE_BAD_STATE, "bytes are of %s on a processor with another byte order", kind->one);
    if (head.layout != LAYOUT)
        return fail(ALE_BAD_STATE, "bytes are of %s of another build of libale", kind->one);
    if (head.size != size)
        return fail(ALE_BAD_STATE, "size is %zu bytes, but the %s was saved to %llu", size, kind->name,
                    (unsigned long long)head.size);
    if (head.checksum != checksum_of(bytes, size))
        return fail(ALE_BAD_STATE, "bytes are a damaged %s: the checksum is wrong", kind->name);
    return ALE_OK;
}

/* ---- Vectors ------------------------------------------------------------------------------------------- */

/* Copy the options that results depend on.  This leaves out frame_limit, which padding may precede, and fast_paths,
 * which has no effect on results.  An option that is added after crop must be copied, too;
 * tests/native/test_native.py finds one that fits into the padding and so escapes this assertion. */
_Static_assert(sizeof(ale_vector_options) - offsetof(ale_vector_options, crop) <
                   sizeof(uint32_t[4]) + _Alignof(ale_vector_options),
               "crop is the last option");
static void lasting_options(const ale_vector *v, ale_vector_options *options) {
    memset(options, 0, sizeof *options);
    memcpy(options, &v->options, offsetof(ale_vector_options, mirror) + sizeof options->mirror);
    options->corrected_rules = v->options.corrected_rules;
    options->fill_stack = v->options.fill_stack;
    memcpy(options->crop, v->options.crop, sizeof options->crop);
    options->num_threads = options->patience_ms = 0;
    options->thread_affinity_offset = 0;
}

/* Return the name of the first lasting option in which two vectors differ. */
static const char *different_option(const ale_vector_options *one, const ale_vector_options *other) {
#define OPTION(name) {#name, offsetof(ale_vector_options, name), sizeof one->name}
    static const struct {
        const char *name;
        size_t offset, size;
    } lasting[] = {
        OPTION(batch_size), OPTION(rules), OPTION(players), OPTION(autoreset), OPTION(observation),
        OPTION(img_height), OPTION(img_width), OPTION(stack_num), OPTION(frame_skip), OPTION(maxpool),
        OPTION(noop_max), OPTION(use_fire_reset), OPTION(episodic_life), OPTION(life_loss_info),
        OPTION(reward_clipping), OPTION(max_num_frames_per_episode), OPTION(repeat_action_probability),
        OPTION(full_action_space), OPTION(sound), OPTION(agent_indicator), OPTION(mirror), OPTION(corrected_rules),
        OPTION(fill_stack), OPTION(crop),
    };
#undef OPTION
    for (size_t i = 0; i < sizeof lasting / sizeof *lasting; i++)
        if (memcmp((const uint8_t *)one + lasting[i].offset, (const uint8_t *)other + lasting[i].offset,
                   lasting[i].size) != 0)
            return lasting[i].name;
    return "struct_size";
}

static size_t numbers_size(const ale_vector *v, uint32_t outstanding) {
    return (v->options.batch_size + (size_t)outstanding) * sizeof(uint32_t);
}

/* List the sub-environments with outstanding results, in the order of the results. */
static void list_outstanding(ale_vector *v, uint8_t *to) {
    const uint32_t size = v->options.batch_size;
    uint64_t result = v->received * size;
    for (uint32_t i = 0; i < v->outstanding; i++, result++)
        memcpy(to + i * sizeof(uint32_t), &v->batches[result / size % v->capacity].ids[result % size],
               sizeof(uint32_t));
}

/* Sub-environments are written as far as they fit, because the total size is known only after the last one. */
ale_status vector_save(ale_vector *v, uint8_t *out, size_t capacity, size_t *size) {
    vector_finish(v);
    if (atomic_load(&v->stopped))
        return fail(ALE_OUT_OF_ORDER, "environments were stopped while they played; reset all of them first");
    ale_state state = {0};
    ale_status status = ALE_OK;
    size_t at = sizeof(saved_vector) + numbers_size(v, v->outstanding);
    for (uint32_t i = 0; i < v->count && status == ALE_OK; i++) {
        size_t of_sub_env = 0;
        uint8_t *to = at < capacity ? out + at : NULL;
        status = sub_env_save(&v->sub_envs[i], &state, to, at < capacity ? capacity - at : 0, &of_sub_env);
        at += of_sub_env;
    }
    free(state.bytes);
    if (status != ALE_OK) return status;
    *size = at;
    if (capacity < at) return ALE_OK;

    saved_vector head;
    memset(&head, 0, sizeof head);
    lasting_options(v, &head.options);
    head.count = v->count;
    head.outstanding = v->outstanding;
    head.has_in_hand = v->has_in_hand;
    head.was_reset = v->was_reset;
    memcpy(out, &head, sizeof head);
    const size_t in_hand = v->options.batch_size * sizeof *v->in_hand;
    memset(out + sizeof head, 0, in_hand);
    if (v->has_in_hand) memcpy(out + sizeof head, v->in_hand, in_hand);
    list_outstanding(v, out + sizeof head + in_hand);
    seal(&VECTOR, out, at);
    return ALE_OK;
}

static ale_status check_head(const ale_vector *v, const uint8_t *bytes, size_t size, saved_vector *head) {
    const ale_status status = check_seal(&VECTOR, bytes, size);
    if (status != ALE_OK) return status;
    memcpy(head, bytes, sizeof *head);
    ale_vector_options options;
    lasting_options(v, &options);
    if (head->count != v->count)
        return fail(ALE_BAD_STATE, "bytes are of a vector of %u environments, not %u", head->count, v->count);
    if (memcmp(&head->options, &options, sizeof options) != 0)
        return fail(ALE_BAD_STATE, "bytes are of a vector with other options: %s differs",
                    different_option(&head->options, &options));
    if (head->outstanding > v->count || head->has_in_hand > 1 || head->was_reset > 1 ||
        (!head->was_reset && (head->has_in_hand || head->outstanding)) ||
        size - sizeof *head < numbers_size(v, head->outstanding))
        return fail(ALE_BAD_STATE, "bytes are of a vector with impossible values");
    return ALE_OK;
}

/* Check sub-environment numbers; each may occur once. */
static bool numbers_fit(const ale_vector *v, const uint8_t *numbers, uint32_t count, uint8_t *seen) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id;
        memcpy(&id, numbers + i * sizeof id, sizeof id);
        if (id >= v->count || seen[id]) return false;
        seen[id] = 1;
    }
    return true;
}

static ale_status check_numbers(const ale_vector *v, const saved_vector *head, const uint8_t *numbers) {
    const uint32_t size = v->options.batch_size;
    uint8_t *seen = calloc(v->count, 1);
    if (!seen) return fail(ALE_OUT_OF_MEMORY, "no memory to check a saved vector");
    bool fit = (!head->has_in_hand || numbers_fit(v, numbers, size, seen)) &&
               numbers_fit(v, numbers + size * sizeof(uint32_t), head->outstanding, seen);
    free(seen);
    return fit ? ALE_OK : fail(ALE_BAD_STATE, "bytes are of a vector with impossible batches");
}

static ale_status check_sub_envs(const ale_vector *v, ale_state *state, const uint8_t *from, const uint8_t *end) {
    for (uint32_t i = 0; i < v->count; i++) {
        size_t size = 0;
        ale_status status = sub_env_check(&v->sub_envs[i], state, from, (size_t)(end - from), &size);
        if (status != ALE_OK) return status;
        from += size;
    }
    if (from != end) return fail(ALE_BAD_STATE, "bytes of a vector do not end with the last sub-environment");
    return ALE_OK;
}

/* The check made room in `state` for the largest sub-environment, so nothing can fail from here on. */
static void restore_sub_envs(ale_vector *v, ale_state *state, const uint8_t *from) {
    for (uint32_t i = 0; i < v->count; i++) {
        size_t size;
        memcpy(&size, from, sizeof size); /* the first field, and checked */
        (void)sub_env_restore(&v->sub_envs[i], state, from);
        vector_note_choices(v, i);
        from += size;
    }
}

ale_status vector_restore(ale_vector *v, const uint8_t *bytes, size_t size) {
    saved_vector head;
    ale_status status = check_head(v, bytes, size, &head);
    if (status != ALE_OK) return status;
    const uint32_t batch = v->options.batch_size;
    const uint8_t *numbers = bytes + sizeof head;
    const uint8_t *sub_envs = numbers + numbers_size(v, head.outstanding);
    if ((v->posted - v->received) * batch < head.outstanding)
        return fail(ALE_OUT_OF_ORDER, "%u results were outstanding; post batches for them first",
                    head.outstanding);
    status = check_numbers(v, &head, numbers);
    if (status != ALE_OK) return status;
    vector_finish(v);
    ale_state state = {0};
    status = check_sub_envs(v, &state, sub_envs, bytes + size);
    if (status == ALE_OK && head.outstanding) status = vector_ready(v, true);
    if (status == ALE_OK) {
        vector_discard(v);
        restore_sub_envs(v, &state, sub_envs);
    }
    free(state.bytes);
    if (status != ALE_OK) return status;

    if (head.has_in_hand) memcpy(v->in_hand, numbers, batch * sizeof *v->in_hand);
    v->has_in_hand = head.has_in_hand;
    memset(v->waits, 0, v->count * sizeof *v->waits);
    for (uint32_t row = 0; row < batch && v->has_in_hand; row++) v->waits[v->in_hand[row]] = true;
    v->was_reset = head.was_reset;
    atomic_store(&v->stopped, false);
    memcpy(v->order, numbers + batch * sizeof *v->in_hand, head.outstanding * sizeof *v->order);
    for (uint32_t i = 0; i < head.outstanding; i++) v->sub_envs[v->order[i]].order = SUB_ENV_REPEAT;
    return head.outstanding ? vector_publish(v, head.outstanding, true) : ALE_OK;
}

/* ---- Equality ------------------------------------------------------------------------------------------ */

/* Check that bytes are of a vector like this, and set *sub_envs to where the first sub-environment begins. */
static ale_status check_all(const ale_vector *v, ale_state *state, const uint8_t *bytes, size_t size,
                            const uint8_t **sub_envs) {
    saved_vector head;
    ale_status status = check_head(v, bytes, size, &head);
    if (status == ALE_OK) status = check_numbers(v, &head, bytes + sizeof head);
    if (status != ALE_OK) return status;
    *sub_envs = bytes + sizeof head + numbers_size(v, head.outstanding);
    return check_sub_envs(v, state, *sub_envs, bytes + size);
}

/* What lies before the sub-environments has a checksum first. */
static bool heads_equal(const uint8_t *a, const uint8_t *b, size_t size) {
    return memcmp(a + sizeof(saved_head), b + sizeof(saved_head), size - sizeof(saved_head)) == 0;
}

ale_status vector_compare(const ale_vector *v, const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                          bool *equal) {
    ale_state s = {0}, t = {0};
    const uint8_t *of_a, *of_b;
    ale_status status = check_all(v, &s, a, a_size, &of_a);
    if (status == ALE_OK) status = check_all(v, &t, b, b_size, &of_b);
    if (status == ALE_OK) *equal = of_a - a == of_b - b && heads_equal(a, b, (size_t)(of_a - a));
    for (uint32_t i = 0; i < v->count && status == ALE_OK && *equal; i++) {
        size_t size; /* the first field */
        status = sub_env_compare(&s, &t, of_a, of_b, equal);
        memcpy(&size, of_a, sizeof size);
        of_a += size;
        memcpy(&size, of_b, sizeof size);
        of_b += size;
    }
    free(s.bytes);
    free(t.bytes);
    return status;
}

/* ---- One environment ----------------------------------------------------------------------------------- */

static ale_status check_env_call(ale_vector *v, uint32_t index) {
    if (index >= v->count)
        return fail(ALE_INVALID_ARGUMENT, "index is %u; environments are numbered 0 to %u", index, v->count - 1);
    if (v->outstanding)
        return fail(ALE_OUT_OF_ORDER, "%u results are outstanding; receive them first", v->outstanding);
    if (!vector_was_reset(v)) return fail(ALE_OUT_OF_ORDER, "the vector was not reset; call reset() first");
    return ALE_OK;
}

ale_status vector_save_env(ale_vector *v, uint32_t index, uint8_t *out, size_t capacity, size_t *size) {
    ale_status status = check_env_call(v, index);
    if (status != ALE_OK) return status;
    const size_t head = sizeof(saved_head), room = capacity > head ? capacity - head : 0;
    ale_state state = {0};
    status = sub_env_save_alone(&v->sub_envs[index], &state, room ? out + head : NULL, room, size);
    free(state.bytes);
    if (status != ALE_OK) return status;
    *size += head;
    if (capacity >= *size) seal(&ENVIRONMENT, out, *size);
    return ALE_OK;
}

ale_status vector_restore_sub_env(sub_env *e, const uint8_t *bytes, size_t size) {
    ale_status status = check_seal(&ENVIRONMENT, bytes, size);
    if (status != ALE_OK) return status;
    ale_state state = {0};
    status = sub_env_restore_alone(e, &state, bytes + sizeof(saved_head), size - sizeof(saved_head));
    free(state.bytes);
    return status;
}

ale_status vector_restore_env(ale_vector *v, uint32_t index, const uint8_t *bytes, size_t size) {
    ale_status status = check_env_call(v, index);
    if (status == ALE_OK) status = vector_restore_sub_env(&v->sub_envs[index], bytes, size);
    if (status == ALE_OK) vector_note_choices(v, index);
    return status;
}
