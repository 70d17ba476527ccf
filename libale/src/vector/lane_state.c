/* Lanes as copies, and as bytes: head, stack, final observation, picture, environment. */
#include <stdlib.h>
#include <string.h>

#include "../environment/error.h"
#include "../environment/state.h"
#include "lane.h"

static size_t stack_size(const lane *l) { return l->options->stack_num * l->frame_size; }

void lane_copy(lane *l, const lane *source) {
    environment_copy(l->env, source->env);
    l->s = source->s;
    memcpy(l->stack, source->stack, stack_size(l));
    if (l->s.result.has_final) memcpy(l->final_stack, source->final_stack, stack_size(l));
    gray_copy(&l->gray, &source->gray);
    if (l->picture && !l->gray.frames) pixels_copy(l->picture, source->picture);
}

/* ---- Bytes --------------------------------------------------------------------------------------------- */

typedef struct saved_lane {
    size_t size; /* of everything */
    size_t stack_size;
    size_t final_size;  /* stack_size, or 0 */
    size_t rows;        /* of the screen; 0: no picture */
    size_t stored_size; /* of the picture's stored rows */
    size_t state_size;
    lane_state s;
    uint8_t reserved[4];
} saved_lane;

static ale_status recall_picture(const lane *l) {
    if (!l->gray.frames) return ALE_OK;
    uint8_t *memory = malloc(gray_size(l->env->console));
    if (!memory) return fail(ALE_OUT_OF_MEMORY, "no memory for a picture");
    lane_recall_picture(l, memory);
    free(memory);
    return ALE_OK;
}

ale_status lane_save(const lane *l, ale_state *state, uint8_t *to, size_t capacity, size_t *size) {
    ale_status status = environment_save(l->env, true, state);
    if (status == ALE_OK) status = recall_picture(l);
    if (status != ALE_OK) return status;
    const pixels *p = l->picture;
    saved_lane head;
    memset(&head, 0, sizeof head);
    head.stack_size = stack_size(l);
    head.final_size = l->s.result.has_final ? stack_size(l) : 0;
    head.rows = p ? (size_t)p->rows : 0;
    head.stored_size = p ? pixels_save(p, NULL, NULL) : 0;
    head.state_size = state->size;
    head.size = sizeof head + head.stack_size + head.final_size + head.rows * sizeof *p->row_of +
                head.stored_size + head.state_size;
    memcpy(&head.s, &l->s, sizeof head.s);
    *size = head.size;
    if (capacity < head.size) return ALE_OK;

    memcpy(to, &head, sizeof head);
    memcpy(to += sizeof head, l->stack, head.stack_size);
    to += head.stack_size;
    if (head.final_size) memcpy(to, l->final_stack, head.final_size);
    to += head.final_size;
    if (p) {
        pixels_save(p, to, to + head.rows * sizeof *p->row_of);
        to += head.rows * sizeof *p->row_of + head.stored_size;
    }
    state_serialize(state, to);
    return ALE_OK;
}

ale_status lane_save_alone(const lane *l, ale_state *state, uint8_t *to, size_t capacity, size_t *size) {
    ale_status status = environment_save(l->env, true, state);
    if (status != ALE_OK) return status;
    saved_lane head;
    memset(&head, 0, sizeof head);
    head.state_size = state->size;
    head.size = sizeof head + head.state_size;
    memcpy(&head.s, &l->s, sizeof head.s);
    head.s.newest = 0;
    memset(&head.s.result, 0, sizeof head.s.result);
    *size = head.size;
    if (capacity < head.size) return ALE_OK;
    memcpy(to, &head, sizeof head);
    state_serialize(state, to + sizeof head);
    return ALE_OK;
}

static bool mode_fits(const lane *l, int32_t mode) {
    return rules_players(l->env->rules, mode) == (int)l->options->players && lane_check_sides(l, mode) == ALE_OK;
}

#define LANE(member, ...) INVARIANT("lane." #member, lane_state, member, __VA_ARGS__)
#define LANE_EACH(member, ...) INVARIANTS("lane." #member, lane_state, member, __VA_ARGS__)
const invariant lane_invariants[] = {
    LANE(elapsed, IN_RANGE(0, INT32_MAX)),
    LANE(mode, ANY_VALUE),
    LANE(difficulty, ANY_VALUE),
    LANE_EACH(returns, ANY_VALUE), /* numbers may wrap */
    LANE(length, ANY_VALUE),
    LANE(newest, ANY_VALUE),
    LANE(over, A_FLAG),
    LANE_EACH(out, A_FLAG),
    LANE_EACH(reserved, ONLY_ZERO),
    LANE_EACH(result.rewards, ANY_VALUE),
    LANE_EACH(result.returns, ANY_VALUE),
    LANE(result.length, ANY_VALUE),
    LANE_EACH(result.terminated, A_FLAG),
    LANE(result.truncated, A_FLAG),
    LANE(result.ended, A_FLAG),
    LANE(result.has_final, A_FLAG),
    LANE(result.reserved, ONLY_ZERO),
    LANE_EACH(result.counts.lives, ANY_VALUE),
    LANE(result.counts.frame_number, ANY_VALUE),
    LANE(result.counts.episode_frame_number, ANY_VALUE),
    LANE_EACH(result.final.lives, ANY_VALUE),
    LANE(result.final.frame_number, ANY_VALUE),
    LANE(result.final.episode_frame_number, ANY_VALUE),
    {0},
};

static const char *result_invalid_field(const lane *l, const lane_result *result) {
    const bool same_step = l->options->autoreset == ALE_SAME_STEP;
    for (uint32_t p = l->options->players; p < ALE_MAX_PLAYERS; p++) {
        EXPECT(!result->rewards[p], "lane.result.rewards");
        EXPECT(!result->returns[p], "lane.result.returns");
        EXPECT(!result->terminated[p], "lane.result.terminated");
        EXPECT(!result->counts.lives[p], "lane.result.counts.lives");
        EXPECT(!result->final.lives[p], "lane.result.final.lives");
    }
    EXPECT(result->has_final == (same_step && result->ended), "lane.result.has_final");
    EXPECT(result->has_final || is_zero(&result->final, sizeof result->final), "lane.result.final");
    return NULL;
}

static const char *lane_invalid_field(const lane *l, const saved_lane *head) {
    const lane_state *s = &head->s;
    EXPECT(is_zero(head->reserved, sizeof head->reserved), "lane.reserved");
    EXPECT_NONE(invalid_field(lane_invariants, s));
    EXPECT(s->random.position > 0 && s->random.position <= MT19937_WORDS, "lane.random.position");
    EXPECT(mt19937_is_alive(&s->random), "lane.random.state");
    EXPECT(s->elapsed < INT32_MAX || s->over, "lane.elapsed");
    EXPECT(mode_fits(l, s->mode), "lane.mode");
    EXPECT(rules_has_difficulty(l->env->rules, s->difficulty), "lane.difficulty");
    EXPECT(s->newest < l->options->stack_num, "lane.newest");
    EXPECT(!s->over || l->options->autoreset != ALE_SAME_STEP, "lane.over");
    for (uint32_t p = 0; p < ALE_MAX_PLAYERS; p++) {
        const bool may_be_out = l->options->rules == ALE_MULTI && p < l->options->players;
        EXPECT(!s->out[p] || may_be_out, "lane.out");
        EXPECT(!s->returns[p] || p < l->options->players, "lane.returns");
    }
    return result_invalid_field(l, &s->result);
}

static bool sizes_fit(const lane *l, const saved_lane *head, size_t available) {
    const pixels *p = l->picture;
    const size_t most = p ? (size_t)p->rows * pixels_stride(p) : 0;
    if (head->stack_size != stack_size(l) || head->rows != (p ? (size_t)p->rows : 0)) return false;
    if (head->final_size != (head->s.result.has_final ? stack_size(l) : 0)) return false;
    if (head->stored_size > most || head->state_size > available || head->size > available) return false;
    return head->size == sizeof *head + head->stack_size + head->final_size + head->rows * sizeof(uint16_t) +
                             head->stored_size + head->state_size;
}

static bool rows_fit(const lane *l, const saved_lane *head, const uint8_t *rows) {
    uint16_t before = 0, row = 0;
    for (size_t y = 0; y < head->rows; y++, before = row) {
        memcpy(&row, rows + y * sizeof row, sizeof row);
        if (y == 0 ? row != 0 : row != before && row != before + 1) return false;
    }
    return !head->rows || head->stored_size == (row + (size_t)1) * pixels_stride(l->picture);
}

static bool stored_fits(const lane *l, const saved_lane *head, const uint8_t *stored) {
    return !l->observer->objects || are_object_sets(stored, head->stored_size);
}

static const uint8_t *after_stacks(const saved_lane *head, const uint8_t *from) {
    return from + sizeof *head + head->stack_size + head->final_size;
}

static const uint8_t *environment_bytes(const saved_lane *head, const uint8_t *from) {
    return after_stacks(head, from) + head->rows * sizeof(uint16_t) + head->stored_size;
}

static ale_status check_lane_head(const lane *l, const uint8_t *from, size_t available, saved_lane *head) {
    if (available < sizeof *head) return fail(ALE_BAD_STATE, "bytes of a vector end early");
    memcpy(head, from, sizeof *head);
    const char *field = lane_invalid_field(l, head);
    if (field) return fail(ALE_BAD_STATE, "bytes have a value in %s that no vector like this saves", field);
    return ALE_OK;
}

/* The environment's bytes, into `state`. */
static ale_status check_environment(const lane *l, ale_state *state, const uint8_t *bytes, size_t size) {
    ale_status status = state_deserialize(state, bytes, size);
    if (status == ALE_OK) status = environment_check(l->env, state);
    if (status == ALE_OK && !mode_fits(l, state_head(state)->s.mode))
        return fail(ALE_BAD_STATE, "state has a value in mode that no environment of this vector saves");
    return status;
}

ale_status lane_check(const lane *l, ale_state *state, const uint8_t *from, size_t available, size_t *size) {
    saved_lane head;
    ale_status status = check_lane_head(l, from, available, &head);
    if (status != ALE_OK) return status;
    if (!sizes_fit(l, &head, available) || !rows_fit(l, &head, after_stacks(&head, from)) ||
        !stored_fits(l, &head, environment_bytes(&head, from) - head.stored_size))
        return fail(ALE_BAD_STATE, "bytes are of a vector with other games or options, or damaged");
    *size = head.size;
    return check_environment(l, state, environment_bytes(&head, from), head.state_size);
}

ale_status lane_restore(lane *l, ale_state *state, const uint8_t *from) {
    saved_lane head;
    memcpy(&head, from, sizeof head);
    ale_status status = state_deserialize(state, environment_bytes(&head, from), head.state_size);
    if (status == ALE_OK) status = environment_restore(l->env, state);
    if (status != ALE_OK) return status;
    memcpy(&l->s, &head.s, sizeof l->s);
    from += sizeof head;
    memcpy(l->stack, from, head.stack_size);
    from += head.stack_size;
    if (head.final_size) memcpy(l->final_stack, from, head.final_size);
    from += head.final_size;
    l->gray.frames = 0;
    if (l->picture) pixels_restore(l->picture, from, from + head.rows * sizeof *l->picture->row_of);
    return ALE_OK;
}

/* The frames that are kept stay: the picture and the newest of them belong together. */
ale_status lane_restore_alone(lane *l, ale_state *state, const uint8_t *from, size_t available) {
    saved_lane head;
    ale_status status = check_lane_head(l, from, available, &head);
    if (status != ALE_OK) return status;
    const bool alone = !head.stack_size && !head.final_size && !head.rows && !head.stored_size &&
                       !head.s.newest && is_zero(&head.s.result, sizeof head.s.result);
    if (!alone || head.size != available || head.state_size != available - sizeof head)
        return fail(ALE_BAD_STATE, "bytes are not of one environment, or damaged");
    status = check_environment(l, state, from + sizeof head, head.state_size);
    if (status == ALE_OK) status = recall_picture(l);
    if (status == ALE_OK) status = environment_restore(l->env, state);
    if (status != ALE_OK) return status;
    head.s.newest = l->s.newest;
    memcpy(&l->s, &head.s, sizeof l->s);
    l->gray.frames = 0;
    if (l->picture) l->picture->shown[0] = l->picture->shown[1] = NULL;
    return ALE_OK;
}
