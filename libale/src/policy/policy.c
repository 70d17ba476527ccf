/* Policies: a network of three layers, and a random draw weighted by its logits.
 *
 * All operands and sums are whole numbers below 2^53, held in doubles.  So every sum is exact, whatever the order of
 * additions and the instructions. */
#include "policy.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../support/always_inline.h"
#include "../support/arguments.h"
#include "../support/processor.h"

enum {
    UNIT_BITS = 10, /* fraction bits of a layer's inputs */
    LOGIT_BITS = 5, /* fraction bits of the logits */
    LARGEST_INPUT = 5 << UNIT_BITS,
    LARGEST_HIDDEN = 1 << 20,
    LAYERS = 3,
    LANES = 4,         /* numbers per vector register */
    GROUP = 2 * LANES, /* outputs that are summed at once */
    SHARES = 378       /* entries of `shares`; all further ones would be 0 */
};

/* Compute the logit of each action, in units of 2^-LOGIT_BITS. */
typedef void policy_logits(const ale_policy *policy, uint32_t player, const uint8_t *ram, const uint8_t *before,
                           double *logits);

typedef struct layer {
    unsigned players;         /* how many players have numbers of their own in this layer */
    unsigned inputs, outputs; /* padded to whole pairs and groups; the padding is 0 */
    double unit;              /* factor from sums to outputs, a power of two */
    double *numbers;          /* per player and group of outputs: the biases, then the weights of each input */
} layer;

struct ale_policy {
    atomic_uint references;
    unsigned used_count, action_count;
    uint8_t used[ALE_RAM_SIZE], actions[ALE_ACTION_COUNT];
    double scale[POLICY_MOST_INPUTS], offset[POLICY_MOST_INPUTS];
    layer layers[LAYERS];
    uint32_t shares[SHARES]; /* shares[i] is 2^16 * exp(-i * 2^-LOGIT_BITS), rounded */
    policy_logits *logits;
    double numbers[]; /* of all layers */
};

/* ---- The network ---------------------------------------------------------------------------------------- */

/* The conditional expressions compile to minimum and maximum instructions, unlike fmin and fmax. */
static inline double clip(double value, double low, double high) {
    value = value > low ? value : low;
    return value < high ? value : high;
}

/* Compute the first layer's inputs: the RAM bytes that the policy uses, and their changes, scaled and clipped. */
ALWAYS_INLINE void load_inputs(const ale_policy *p, const uint8_t *ram, const uint8_t *before,
                               double *restrict inputs) {
    const unsigned n = p->used_count;
    for (unsigned i = 0; i < n; i++) {
        const unsigned byte = p->used[i];
        inputs[i] = ram[byte];
        inputs[n + i] = ram[byte] - before[byte];
    }
    for (unsigned i = 0; i < 2 * n; i++)
        inputs[i] = clip(inputs[i] * p->scale[i] - p->offset[i], -LARGEST_INPUT, LARGEST_INPUT);
}

typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

/* Return the place of an output's bias (row 0) or of its weight for input row - 1. */
static inline double *number(const layer *l, uint32_t player, unsigned row, unsigned output) {
    const size_t group = (player * l->outputs + output) / GROUP;
    return l->numbers + (group * (l->inputs + 1) + row) * GROUP + output % GROUP;
}

/* Compute a layer's outputs.  Even and odd inputs are summed separately, because two shorter chains of additions run in
 * parallel. */
ALWAYS_INLINE void dense(const layer *l, uint32_t player, const double *inputs, double *restrict outputs) {
    for (unsigned from = 0; from < l->outputs; from += GROUP) {
        const lanes *numbers = (const lanes *)number(l, player, 0, from);
        lanes a = numbers[0], b = numbers[1], c = {0}, d = {0};
        const lanes *weights = numbers + GROUP / LANES;
        for (unsigned i = 0; i < l->inputs; i += 2, weights += 2 * GROUP / LANES) {
            a += inputs[i] * weights[0];
            b += inputs[i] * weights[1];
            c += inputs[i + 1] * weights[2];
            d += inputs[i + 1] * weights[3];
        }
        memcpy(outputs + from, &(lanes[]){a + c, b + d}, GROUP * sizeof *outputs);
    }
    for (unsigned i = 0; i < l->outputs; i++) outputs[i] = floor(outputs[i] * l->unit);
}

/* Compute the logits.  Inlined into each function below, so that compilers vectorize it for that function's
 * processor. */
ALWAYS_INLINE void forward(const ale_policy *policy, uint32_t player, const uint8_t *ram, const uint8_t *before,
                         double *logits) {
    const layer *layers = policy->layers;
    double inputs[POLICY_MOST_INPUTS], sums[POLICY_MOST_INPUTS];
    load_inputs(policy, ram, before, inputs);
    for (int n = 0; n + 1 < LAYERS; n++) {
        dense(&layers[n], n ? 0 : player, inputs, sums);
        for (unsigned i = 0; i < layers[n].outputs; i++) inputs[i] = clip(sums[i], 0, LARGEST_HIDDEN);
    }
    dense(&layers[LAYERS - 1], 0, inputs, logits);
}

static void logits_portable(const ale_policy *policy, uint32_t player, const uint8_t *ram, const uint8_t *before,
                            double *logits) {
    forward(policy, player, ram, before, logits);
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) static void logits_avx2(const ale_policy *policy, uint32_t player, const uint8_t *ram,
                                                        const uint8_t *before, double *logits) {
    forward(policy, player, ram, before, logits);
}
static policy_logits *choose_logits(void) { return processor_has_avx2() ? logits_avx2 : logits_portable; }
#else
static policy_logits *choose_logits(void) { return logits_portable; }
#endif

/* ---- Life ---------------------------------------------------------------------------------------------- */

static int32_t read_16(const uint8_t **from) {
    const uint8_t *at = *from;
    *from += 2;
    return (int16_t)(at[0] | at[1] << 8);
}

static int32_t read_32(const uint8_t **from) {
    const uint8_t *at = *from;
    *from += 4;
    return (int32_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24);
}

static void read_layer(const layer *l, unsigned inputs, unsigned outputs, const uint8_t **from) {
    for (unsigned player = 0; player < l->players; player++)
        for (unsigned row = 1; row <= inputs; row++)
            for (unsigned i = 0; i < outputs; i++) *number(l, player, row, i) = read_16(from);
    for (unsigned player = 0; player < l->players; player++)
        for (unsigned i = 0; i < outputs; i++) *number(l, player, 0, i) = read_32(from);
}

/* Multiply by e^(-2^-LOGIT_BITS), rounding down.  The value and the factor are in units of 2^-64, lowest 32 bits
 * first. */
static void decay(uint32_t value[3]) {
    static const uint32_t factor[] = {0x45AEBC8A, 0xF81FAB54};
    uint32_t product[5] = {0};
    for (int i = 0; i < 3; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < 2; j++, carry >>= 32) {
            carry += (uint64_t)value[i] * factor[j] + product[i + j];
            product[i + j] = (uint32_t)carry;
        }
        product[i + 2] = (uint32_t)carry;
    }
    memcpy(value, product + 2, 3 * sizeof *value);
}

ale_status policy_create(const ale_policy_numbers *n, ale_policy **created) {
    const uint32_t sizes[] = {2 * n->used_count, n->neurons_1, n->neurons_2, n->action_count};
    const uint32_t shifts[] = {n->shift_1, n->shift_2, n->shift_3 + UNIT_BITS - LOGIT_BITS};
    layer layers[LAYERS];
    size_t count = 0, bytes = sizes[0] * (sizeof(int16_t) + sizeof(int32_t));
    for (int i = 0; i < LAYERS; i++) {
        layer *l = &layers[i];
        *l = (layer){
            .players = i ? 1 : n->players,
            .inputs = (sizes[i] + 1) / 2 * 2,
            .outputs = (sizes[i + 1] + GROUP - 1) / GROUP * GROUP,
            .unit = ldexp(1, -(int)shifts[i]),
        };
        count += (size_t)l->players * (l->inputs + 1) * l->outputs;
        bytes += (size_t)l->players * sizes[i + 1] * (sizes[i] * sizeof(int16_t) + sizeof(int32_t));
    }
    REQUIRE(n->size == bytes, "numbers->size is %zu; such a network has %zu bytes", n->size, bytes);
    ale_policy *p = calloc(1, sizeof *p + count * sizeof *p->numbers);
    if (!p) return fail(ALE_OUT_OF_MEMORY, "no memory for a policy");
    atomic_init(&p->references, 1);
    p->logits = choose_logits();
    p->used_count = n->used_count;
    p->action_count = n->action_count;
    memcpy(p->used, n->used, n->used_count);
    memcpy(p->actions, n->actions, n->action_count);
    const uint8_t *from = n->numbers;
    for (uint32_t i = 0; i < sizes[0]; i++) p->scale[i] = read_16(&from);
    for (uint32_t i = 0; i < sizes[0]; i++) p->offset[i] = read_32(&from);
    double *numbers = p->numbers;
    for (int i = 0; i < LAYERS; i++) {
        layer *l = &p->layers[i];
        *l = layers[i];
        l->numbers = numbers;
        numbers += (size_t)l->players * (l->inputs + 1) * l->outputs;
        read_layer(l, sizes[i], sizes[i + 1], &from);
    }
    uint32_t value[] = {0, 0, 1 << 16};
    for (int i = 0; i < SHARES; i++, decay(value)) p->shares[i] = value[2] + (value[1] >> 31);
    *created = p;
    return ALE_OK;
}

ale_policy *policy_retain(ale_policy *policy) {
    if (policy) atomic_fetch_add(&policy->references, 1);
    return policy;
}

void policy_release(ale_policy *policy) {
    if (policy && atomic_fetch_sub(&policy->references, 1) == 1) free(policy);
}

uint32_t policy_players(const ale_policy *policy) { return policy->layers[0].players; }

uint32_t policy_action_count(const ale_policy *policy) { return policy->action_count; }

uint32_t policy_actions(const ale_policy *policy) {
    uint32_t actions = 0;
    for (unsigned i = 0; i < policy->action_count; i++) actions |= UINT32_C(1) << policy->actions[i];
    return actions;
}

/* ---- Actions ------------------------------------------------------------------------------------------- */

uint32_t policy_draw(uint32_t *state) {
    uint32_t mixed = *state += 0x9E3779B9;
    mixed = (mixed ^ mixed >> 16) * 0x21F0AAAD;
    mixed = (mixed ^ mixed >> 15) * 0x735A2D97;
    return mixed ^ mixed >> 15;
}

/* Choose action i with a probability proportional to exp(logit i). */
static unsigned choose(const ale_policy *p, const double *logits, uint32_t drawn) {
    uint64_t shares[ALE_ACTION_COUNT], all = 0;
    double most = logits[0];
    for (unsigned i = 1; i < p->action_count; i++) most = logits[i] > most ? logits[i] : most;
    for (unsigned i = 0; i < p->action_count; i++) {
        const double less = most - logits[i];
        shares[i] = all += less < SHARES ? p->shares[(int)less] : 0;
    }
    const uint64_t picked = drawn * all >> 32;
    unsigned chosen = 0;
    while (shares[chosen] <= picked) chosen++;
    return chosen;
}

uint8_t policy_decide(const ale_policy *p, uint32_t player, const uint8_t *ram, const uint8_t *before,
                      uint32_t *random, int64_t *logits) {
    double outputs[(ALE_ACTION_COUNT + GROUP - 1) / GROUP * GROUP];
    p->logits(p, player, ram, before, outputs);
    for (unsigned i = 0; logits && i < p->action_count; i++) logits[i] = (int64_t)outputs[i];
    return p->actions[choose(p, outputs, policy_draw(random))];
}

uint8_t policy_act(policy_seat *seat, uint32_t player, const uint8_t *ram) {
    const uint8_t action =
        policy_decide(seat->policy, player, ram, seat->begins ? ram : seat->before, &seat->random, NULL);
    memcpy(seat->before, ram, ALE_RAM_SIZE);
    seat->begins = false;
    return action;
}
