/* Sub-environments as copies, and as bytes: head, stack, final observation, picture, environment. */
#include <string.h>

#include "../environment/state.h"
#include "../support/error.h"
#include "sub_env.h"

static size_t stack_size(const sub_env *e) { return e->options->stack_num * e->frame_size; }

/* Go on with the stack that was written to its own memory, oldest frame first. */
static void begin_own_stack(sub_env *e) {
    e->stack = e->own_stack;
    e->newest = e->options->stack_num - 1;
}

void sub_env_copy(sub_env *e, const sub_env *source) {
    environment_copy(e->env, source->env);
    e->s = source->s;
    e->as_made = false;
    sub_env_let_policies_begin(e);
    sub_env_copy_stack(source, 0, e->own_stack);
    begin_own_stack(e);
    if (e->s.result.has_final) memcpy(e->final_stack, source->final_stack, stack_size(e));
    preprocessor_copy(&e->preprocess, &source->preprocess);
}

/* ---- Bytes --------------------------------------------------------------------------------------------- */

typedef struct saved_sub_env {
    size_t size; /* of everything */
    size_t stack_size;
    size_t final_size;  /* stack_size, or 0 */
    size_t rows;        /* of the screen; 0: no picture */
    size_t stored_size; /* of the picture's stored rows */
    size_t state_size;
    sub_env_state s;
} saved_sub_env;

ale_status sub_env_save(const sub_env *e, ale_state *state, uint8_t *to, size_t capacity, size_t *size) {
    ale_status status = environment_save(e->env, true, state);
    if (status == ALE_OK) status = preprocessor_recall(&e->preprocess);
    if (status != ALE_OK) return status;
    const pooled_picture *p = e->preprocess.picture;
    saved_sub_env head;
    memset(&head, 0, sizeof head);
    head.stack_size = stack_size(e);
    head.final_size = e->s.result.has_final ? stack_size(e) : 0;
    head.rows = p ? (size_t)p->rows : 0;
    head.stored_size = p ? pooled_save(p, NULL, NULL) : 0;
    head.state_size = state->size;
    head.size = sizeof head + head.stack_size + head.final_size + head.rows * sizeof *p->row_of +
                head.stored_size + head.state_size;
    memcpy(&head.s, &e->s, sizeof head.s);
    *size = head.size;
    if (capacity < head.size) return ALE_OK;

    memcpy(to, &head, sizeof head);
    sub_env_copy_stack(e, 0, to += sizeof head);
    to += head.stack_size;
    if (head.final_size) memcpy(to, e->final_stack, head.final_size);
    to += head.final_size;
    if (p) {
        pooled_save(p, to, to + head.rows * sizeof *p->row_of);
        to += head.rows * sizeof *p->row_of + head.stored_size;
    }
    state_serialize(state, to);
    return ALE_OK;
}

ale_status sub_env_save_alone(const sub_env *e, ale_state *state, uint8_t *to, size_t capacity, size_t *size) {
    ale_status status = environment_save(e->env, true, state);
    if (status != ALE_OK) return status;
    saved_sub_env head;
    memset(&head, 0, sizeof head);
    head.state_size = state->size;
    head.size = sizeof head + head.state_size;
    memcpy(&head.s, &e->s, sizeof head.s);
    memset(&head.s.result, 0, sizeof head.s.result);
    *size = head.size;
    if (capacity < head.size) return ALE_OK;
    memcpy(to, &head, sizeof head);
    state_serialize(state, to + sizeof head);
    return ALE_OK;
}

bool sub_env_has_mode(const sub_env *e, int32_t mode) {
    return rules_players(e->env->rules, mode) == (int)e->options->players && sub_env_check_sides(e, mode) == ALE_OK;
}

#define SUB_ENV(member, ...) INVARIANT("sub_env." #member, sub_env_state, member, __VA_ARGS__)
#define SUB_ENV_EACH(member, ...) INVARIANTS("sub_env." #member, sub_env_state, member, __VA_ARGS__)
const invariant sub_env_invariants[] = {
    SUB_ENV(elapsed, IN_RANGE(0, INT32_MAX)),
    SUB_ENV(mode, ANY_VALUE),
    SUB_ENV(difficulty, ANY_VALUE),
    SUB_ENV_EACH(returns, ANY_VALUE),
    SUB_ENV(length, ANY_VALUE), /* numbers may wrap */
    SUB_ENV(start, IN_RANGE(-1, INT32_MAX)),
    SUB_ENV(over, A_FLAG),
    SUB_ENV_EACH(out, A_FLAG),
    SUB_ENV_EACH(reserved, ONLY_ZERO),
    SUB_ENV_EACH(result.rewards, ANY_VALUE),
    SUB_ENV_EACH(result.returns, ANY_VALUE),
    SUB_ENV(result.length, ANY_VALUE),
    SUB_ENV_EACH(result.terminated, A_FLAG),
    SUB_ENV(result.truncated, A_FLAG),
    SUB_ENV(result.ended, A_FLAG),
    SUB_ENV(result.has_final, A_FLAG),
    SUB_ENV(result.label, IN_RANGE(0, ALE_MAX_TERMINALS)),
    SUB_ENV_EACH(result.reserved, ONLY_ZERO),
    SUB_ENV_EACH(result.counts.lives, ANY_VALUE),
    SUB_ENV(result.counts.frame_number, ANY_VALUE),
    SUB_ENV(result.counts.episode_frame_number, ANY_VALUE),
    SUB_ENV_EACH(result.final.lives, ANY_VALUE),
    SUB_ENV(result.final.frame_number, ANY_VALUE),
    SUB_ENV(result.final.episode_frame_number, ANY_VALUE),
    {0},
};

static const char *result_invalid_field(const sub_env *e, const sub_env_result *result) {
    const bool same_step = e->options->autoreset == ALE_SAME_STEP;
    for (uint32_t p = e->options->players; p < ALE_MAX_PLAYERS; p++) {
        EXPECT(!result->rewards[p], "sub_env.result.rewards");
        EXPECT(!result->returns[p], "sub_env.result.returns");
        EXPECT(!result->terminated[p], "sub_env.result.terminated");
        EXPECT(!result->counts.lives[p], "sub_env.result.counts.lives");
        EXPECT(!result->final.lives[p], "sub_env.result.final.lives");
    }
    EXPECT(result->has_final == (same_step && result->ended), "sub_env.result.has_final");
    EXPECT(result->has_final || is_zero(&result->final, sizeof result->final), "sub_env.result.final");
    return NULL;
}

static const char *sub_env_invalid_field(const sub_env *e, const saved_sub_env *head) {
    const sub_env_state *s = &head->s;
    EXPECT_NONE(invalid_field(sub_env_invariants, s));
    EXPECT(s->random.position > 0 && s->random.position <= MT19937_WORDS, "sub_env.random.position");
    EXPECT(mt19937_is_alive(&s->random), "sub_env.random.state");
    EXPECT(s->elapsed < INT32_MAX || s->over, "sub_env.elapsed");
    EXPECT(sub_env_has_mode(e, s->mode), "sub_env.mode");
    EXPECT(rules_has_difficulty(e->env->rules, s->difficulty), "sub_env.difficulty");
    EXPECT(!s->over || e->options->autoreset != ALE_SAME_STEP, "sub_env.over");
    for (uint32_t p = 0; p < ALE_MAX_PLAYERS; p++) {
        const bool may_be_out = e->options->rules == ALE_MULTI && p < e->options->players;
        EXPECT(!s->out[p] || may_be_out, "sub_env.out");
        EXPECT(!s->returns[p] || p < e->options->players, "sub_env.returns");
    }
    return result_invalid_field(e, &s->result);
}

static bool sizes_fit(const sub_env *e, const saved_sub_env *head, size_t available) {
    const pooled_picture *p = e->preprocess.picture;
    const size_t most = p ? (size_t)p->rows * pooled_stride(p) : 0;
    if (head->stack_size != stack_size(e) || head->rows != (p ? (size_t)p->rows : 0)) return false;
    if (head->final_size != (head->s.result.has_final ? stack_size(e) : 0)) return false;
    if (head->stored_size > most || head->state_size > available || head->size > available) return false;
    return head->size == sizeof *head + head->stack_size + head->final_size + head->rows * sizeof(uint16_t) +
                             head->stored_size + head->state_size;
}

static bool rows_fit(const sub_env *e, const saved_sub_env *head, const uint8_t *rows) {
    uint16_t before = 0, row = 0;
    for (size_t y = 0; y < head->rows; y++, before = row) {
        memcpy(&row, rows + y * sizeof row, sizeof row);
        if (y == 0 ? row != 0 : row != before && row != before + 1) return false;
    }
    return !head->rows || head->stored_size == (row + (size_t)1) * pooled_stride(e->preprocess.picture);
}

static bool stored_fits(const sub_env *e, const saved_sub_env *head, const uint8_t *stored) {
    return !e->preprocess.observer->objects || are_object_sets(stored, head->stored_size);
}

static const uint8_t *after_stacks(const saved_sub_env *head, const uint8_t *from) {
    return from + sizeof *head + head->stack_size + head->final_size;
}

static const uint8_t *environment_bytes(const saved_sub_env *head, const uint8_t *from) {
    return after_stacks(head, from) + head->rows * sizeof(uint16_t) + head->stored_size;
}

static ale_status check_head(const sub_env *e, const uint8_t *from, size_t available, saved_sub_env *head) {
    if (available < sizeof *head) return fail(ALE_BAD_STATE, "bytes of a vector end early");
    memcpy(head, from, sizeof *head);
    const char *field = sub_env_invalid_field(e, head);
    if (field) return fail(ALE_BAD_STATE, "bytes have a value in %s that no vector like this saves", field);
    return ALE_OK;
}

/* The environment's bytes, into `state`. */
static ale_status check_environment(const sub_env *e, ale_state *state, const uint8_t *bytes, size_t size) {
    ale_status status = state_deserialize(state, bytes, size);
    if (status == ALE_OK) status = environment_check(e->env, state);
    if (status == ALE_OK && !sub_env_has_mode(e, state_head(state)->s.mode))
        return fail(ALE_BAD_STATE, "state has a value in mode that no environment of this vector saves");
    return status;
}

ale_status sub_env_check(const sub_env *e, ale_state *state, const uint8_t *from, size_t available, size_t *size) {
    saved_sub_env head;
    ale_status status = check_head(e, from, available, &head);
    if (status != ALE_OK) return status;
    if (!sizes_fit(e, &head, available) || !rows_fit(e, &head, after_stacks(&head, from)) ||
        !stored_fits(e, &head, environment_bytes(&head, from) - head.stored_size))
        return fail(ALE_BAD_STATE, "bytes are of a vector with other games or options, or damaged");
    *size = head.size;
    return check_environment(e, state, environment_bytes(&head, from), head.state_size);
}

ale_status sub_env_restore(sub_env *e, ale_state *state, const uint8_t *from) {
    saved_sub_env head;
    memcpy(&head, from, sizeof head);
    ale_status status = state_deserialize(state, environment_bytes(&head, from), head.state_size);
    if (status == ALE_OK) status = environment_restore(e->env, state);
    if (status != ALE_OK) return status;
    memcpy(&e->s, &head.s, sizeof e->s);
    e->as_made = false;
    sub_env_let_policies_begin(e);
    from += sizeof head;
    memcpy(e->own_stack, from, head.stack_size);
    begin_own_stack(e);
    from += head.stack_size;
    if (head.final_size) memcpy(e->final_stack, from, head.final_size);
    from += head.final_size;
    preprocessor_restore(&e->preprocess, from, from + head.rows * sizeof(uint16_t));
    return ALE_OK;
}

ale_status sub_env_compare(ale_state *s, ale_state *t, const uint8_t *a, const uint8_t *b, bool *equal) {
    saved_sub_env x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    const uint8_t *of_a = environment_bytes(&x, a), *of_b = environment_bytes(&y, b);
    const size_t first = offsetof(saved_sub_env, s); /* behind the sizes, of which an environment's may differ */
    *equal = of_a - a == of_b - b && x.final_size == y.final_size && x.stored_size == y.stored_size &&
             memcmp(a + first, b + first, (size_t)(of_a - a) - first) == 0;
    if (!*equal) return ALE_OK;
    ale_status status = state_deserialize(s, of_a, x.state_size);
    if (status == ALE_OK) status = state_deserialize(t, of_b, y.state_size);
    if (status == ALE_OK) *equal = state_equal(s, t);
    return status;
}

/* The frames that are kept stay: the picture and the newest of them belong together. */
ale_status sub_env_restore_alone(sub_env *e, ale_state *state, const uint8_t *from, size_t available) {
    saved_sub_env head;
    ale_status status = check_head(e, from, available, &head);
    if (status != ALE_OK) return status;
    const bool alone = !head.stack_size && !head.final_size && !head.rows && !head.stored_size &&
                       is_zero(&head.s.result, sizeof head.s.result);
    if (!alone || head.size != available || head.state_size != available - sizeof head)
        return fail(ALE_BAD_STATE, "bytes are not of one environment, or damaged");
    status = check_environment(e, state, from + sizeof head, head.state_size);
    if (status == ALE_OK) status = preprocessor_recall(&e->preprocess);
    if (status == ALE_OK) status = environment_restore(e->env, state);
    if (status != ALE_OK) return status;
    memcpy(&e->s, &head.s, sizeof e->s);
    e->as_made = false;
    sub_env_let_policies_begin(e);
    preprocessor_detach(&e->preprocess);
    return ALE_OK;
}
