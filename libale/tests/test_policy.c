/* Policies: what they decide, the same on every machine; how they play for players of a vector; what is refused. */
#include <ale/ale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "policy/policy.h"
#include "small.h"
#include "vector/vector.h"

enum { PLAYERS = 2, USED = 21, FIRST = 13, SECOND = 9, ENVS = 6, STEPS = 60, MOST = 64 * 1024 };

#define RESULT_BYTES ALE_RAM_SIZE
#include "results.h"

static const uint8_t ACTIONS[] = {ALE_NOOP, ALE_FIRE, ALE_UP, ALE_RIGHT, ALE_LEFT, ALE_DOWN, ALE_UPFIRE};
enum { COUNT = sizeof ACTIONS };

/* ---- A network ------------------------------------------------------------------------------------------- */

static uint32_t random_state;
static uint32_t next(void) { return (random_state = random_state * 1664525 + 1013904223) >> 8; }

static uint8_t used[USED], numbers[MOST];

static size_t put(size_t at, size_t count, int bytes, int32_t limit) {
    for (size_t i = 0; i < count; i++) {
        const uint32_t number = next() % (2 * (uint32_t)limit + 1) - (uint32_t)limit;
        for (int byte = 0; byte < bytes; byte++) numbers[at++] = (uint8_t)(number >> 8 * byte);
    }
    return at;
}

static ale_policy_numbers network(void) {
    random_state = 1;
    for (int i = 0; i < USED; i++) used[i] = (uint8_t)(i < 17 ? i : i + 15);
    size_t at = put(0, 2 * USED, 2, 60);
    at = put(at, 2 * USED, 4, 3000);
    at = put(at, PLAYERS * 2 * USED * FIRST, 2, 9000);
    at = put(at, PLAYERS * FIRST, 4, 4000000);
    at = put(at, FIRST * SECOND, 2, 20000);
    at = put(at, SECOND, 4, 4000000);
    at = put(at, SECOND * COUNT, 2, 32767);
    at = put(at, COUNT, 4, 4000000);
    return (ale_policy_numbers){
        .struct_size = sizeof(ale_policy_numbers),
        .players = PLAYERS,
        .used_count = USED,
        .neurons_1 = FIRST,
        .neurons_2 = SECOND,
        .action_count = COUNT,
        .shift_1 = 15,
        .shift_2 = 14,
        .shift_3 = 15,
        .used = used,
        .actions = ACTIONS,
        .numbers = numbers,
        .size = at,
    };
}

static ale_policy *policy_of(const ale_policy_numbers *network_numbers) {
    ale_policy *policy = NULL;
    CHECK_EQUAL(ale_policy_create(network_numbers, &policy), ALE_OK);
    return policy;
}

static ale_policy *make_policy(void) {
    const ale_policy_numbers network_numbers = network();
    ale_policy *policy = policy_of(&network_numbers);
    memset(numbers, 0, sizeof numbers); /* it has a copy */
    memset(used, 0, sizeof used);
    return policy;
}

/* Found by tests/opponents/oracle.py. */
static void decisions_are_those_of_every_machine(void) {
    static const char *const DECIDED[PLAYERS] = {
        "3:11300330033333330301:3:510111352:0110110503033111331112113",
        "5555555125:55155:5512552050054455011555551:5050:200150520115",
    };
    ale_policy *policy = make_policy();
    for (uint32_t player = 0; player < PLAYERS; player++) {
        policy_seat seat = {.policy = policy, .random = 7 + player, .begins = true};
        char decided[STEPS + 1] = "";
        uint8_t ram[ALE_RAM_SIZE];
        for (int step = 0; step < STEPS; step++) {
            for (int i = 0; i < ALE_RAM_SIZE; i++)
                if (!step || next() % 3 == 0) ram[i] = (uint8_t)next();
            decided[step] = (char)('0' + policy_act(&seat, player, ram));
        }
        if (strcmp(decided, DECIDED[player]) != 0)
            fprintf(stderr, "player %u decided %s\n", player, decided), check_failures = 1;
    }
    ale_policy_release(policy);
}

/* For several players at once, whatever their order, and with what speaks for each action. */
static void decisions_of_arrays_are_those_of_seats(void) {
    enum { ROWS = 5 };
    ale_policy *policy = make_policy();
    uint8_t rams[2][ROWS * ALE_RAM_SIZE];
    uint32_t players[ROWS], randoms[ROWS];
    int32_t actions[ROWS + 1] = {[ROWS] = -7};
    int64_t logits[ROWS * COUNT + 1] = {[ROWS * COUNT] = -7};
    policy_seat seats[ROWS];
    unsigned likeliest = 0;
    for (uint32_t row = 0; row < ROWS; row++) {
        players[row] = row % PLAYERS;
        randoms[row] = 1000 * row;
        seats[row] = (policy_seat){.policy = policy, .random = 1000 * row, .begins = true};
    }
    for (int step = 0; step < STEPS; step++) {
        uint8_t *now = rams[step % 2], *before = step ? rams[(step + 1) % 2] : now;
        for (size_t i = 0; i < sizeof rams[0]; i++) now[i] = step && next() % 3 ? before[i] : (uint8_t)next();
        const bool asks_logits = step % 2;
        CHECK_EQUAL(ale_policy_act(policy, ROWS, now, before, players, randoms, actions, asks_logits ? logits : NULL,
                                   asks_logits ? ROWS * COUNT : 0),
                    ALE_OK);
        for (uint32_t row = 0; row < ROWS; row++) {
            CHECK_EQUAL(actions[row], policy_act(&seats[row], players[row], now + row * ALE_RAM_SIZE));
            CHECK_EQUAL(randoms[row], seats[row].random);
            const int64_t *of_row = logits + row * COUNT;
            unsigned most = 0;
            for (unsigned i = 1; i < COUNT; i++) most = of_row[i] > of_row[most] ? i : most;
            likeliest += asks_logits && actions[row] == ACTIONS[most];
        }
    }
    CHECK(likeliest > ROWS * STEPS / 4); /* of half as many decisions twice */
    CHECK_EQUAL(actions[ROWS], -7);
    CHECK_EQUAL(logits[ROWS * COUNT], -7);
    ale_policy_release(policy);
}

/* ---- In a vector ----------------------------------------------------------------------------------------- */

static results latest;
static const ale_batch batch = BATCH_IN(latest);

static ale_vector *make_vector(ale_autoreset autoreset, const char *game, uint32_t batch_size) {
    uint8_t image[TEST_ROM_SIZE];
    test_rom(image);
    ale_rom *rom = small_rom(image, game);
    ale_vector_options options = small_options_of(8, 1, 43);
    options.observation = ALE_OBSERVE_RAM;
    options.autoreset = (int32_t)autoreset;
    options.num_threads = 3;
    options.batch_size = batch_size;
    ale_vector *vector = vector_of(rom, &options);
    ale_rom_release(rom);
    return vector;
}

static void reset(ale_vector *vector) {
    const int64_t seeds[ENVS] = {5, 6, 7, 8, 9, 10};
    begin_all(vector, &batch, seeds);
}

static void step(ale_vector *vector, const int32_t *actions) {
    CHECK_EQUAL(ale_vector_step(vector, actions, NULL, &batch), ALE_OK);
}

/* What the policy chooses in all environments but the first is what it does alone. */
static void policies_play_as_alone(ale_autoreset autoreset) {
    ale_policy *policy = make_policy();
    ale_vector *seated = make_vector(autoreset, "", ENVS), *scripted = make_vector(autoreset, "", ENVS);
    policy_seat seats[ENVS] = {0};
    uint8_t before[STEPS + 1][sizeof latest.observations];
    int32_t actions[ENVS] = {0};
    uint32_t episodes = 0;
    for (uint32_t i = 1; i < ENVS; i++) {
        seats[i] = (policy_seat){.policy = policy, .random = 100 + i, .begins = true};
        CHECK_EQUAL(ale_vector_seat(seated, i, 0, policy, 100 + i), ALE_OK);
    }
    reset(seated);
    memcpy(before[0], latest.observations, sizeof before[0]);
    for (int i = 0; i < STEPS; i++) {
        int32_t chosen[ENVS] = {i % ALE_ACTION_COUNT, -1, 99, INT32_MIN, INT32_MAX, 0};
        CHECK_EQUAL(ale_vector_choose(seated, chosen), ALE_OK);
        step(seated, chosen);
        memcpy(before[i + 1], latest.observations, sizeof before[0]);
    }
    ale_policy_release(policy); /* the vector has references */
    reset(scripted);
    CHECK(!memcmp(latest.observations, before[0], sizeof before[0]));
    bool over[ENVS] = {0};
    for (int i = 0; i < STEPS; i++) {
        actions[0] = i % ALE_ACTION_COUNT;
        for (uint32_t k = 1; k < ENVS; k++) {
            if (!over[k]) actions[k] = policy_act(&seats[k], 0, latest.observations[k]);
            seats[k].begins = over[k];
        }
        step(scripted, actions);
        CHECK(!memcmp(latest.observations, before[i + 1], sizeof before[0]));
        for (uint32_t k = 0; k < ENVS; k++) {
            over[k] = autoreset == ALE_NEXT_STEP && !over[k] && latest.truncations[k];
            if (autoreset == ALE_SAME_STEP && latest.truncations[k]) seats[k].begins = true;
            episodes += latest.truncations[k];
        }
    }
    CHECK(episodes > 2 * ENVS);
    ale_vector_destroy(seated);
    ale_vector_destroy(scripted);
}

/* In a copy and in a restored environment they have seen nothing yet, and draw on. */
static void policies_stay_and_begin_anew(void) {
    ale_policy *policy = make_policy();
    ale_vector *vector = make_vector(ALE_NEXT_STEP, "", ENVS);
    const int32_t nothing[ENVS] = {0}, sources[] = {0, 4, 5}, targets[] = {3, 5, 4};
    static uint8_t bytes[1 << 16], whole[1 << 20];
    int32_t chosen[ENVS] = {0};
    size_t size = 0;
    reset(vector);
    for (int i = 0; i < 3; i++) step(vector, nothing);
    CHECK_EQUAL(ale_vector_choose(vector, chosen), ALE_OK); /* no policies yet */
    CHECK(!memcmp(chosen, nothing, sizeof chosen));
    CHECK_EQUAL(ale_vector_save_env(vector, 0, bytes, sizeof bytes, &size), ALE_OK);
    CHECK(size <= sizeof bytes);
    for (uint32_t i = 0; i < ENVS; i++) CHECK_EQUAL(ale_vector_seat(vector, i, 0, policy, 3 + i), ALE_OK);
    CHECK_EQUAL(ale_vector_choose(vector, chosen), ALE_OK);
    for (uint32_t i = 0; i < ENVS; i++) CHECK(!vector->sub_envs[i].seats[0].begins);
    for (uint32_t i = 1; i < 3; i++) CHECK_EQUAL(ale_vector_restore_env(vector, i, bytes, size), ALE_OK);
    CHECK_EQUAL(ale_vector_copy(vector, sources, targets, 3), ALE_OK); /* the last two change places */
    for (uint32_t i = 0; i < ENVS; i++) {
        const policy_seat *seat = &vector->sub_envs[i].seats[0];
        CHECK_EQUAL(seat->begins, i > 0);
        CHECK_EQUAL(seat->random, 3 + i + 0x9E3779B9); /* after a turn */
    }
    step(vector, nothing);
    /* What is saved does not have the seats, which stay. */
    CHECK_EQUAL(ale_vector_save(vector, whole, sizeof whole, &size), ALE_OK);
    CHECK(size <= sizeof whole);
    CHECK_EQUAL(ale_vector_choose(vector, chosen), ALE_OK);
    CHECK_EQUAL(ale_vector_restore(vector, whole, size), ALE_OK);
    for (uint32_t i = 0; i < ENVS; i++) {
        CHECK(vector->sub_envs[i].seats[0].begins);
        CHECK(vector->sub_envs[i].seats[0].policy == policy);
    }
    ale_vector_destroy(vector);
    ale_policy_release(policy);
}

/* While the others play, for the environments of the batch in hand only. */
static void policies_choose_for_smaller_batches(void) {
    enum { HALF = ENVS / 2 };
    ale_policy *policy = make_policy();
    ale_vector *vector = make_vector(ALE_NEXT_STEP, "", HALF);
    for (uint32_t i = 0; i < ENVS; i++) CHECK_EQUAL(ale_vector_seat(vector, i, 0, policy, i), ALE_OK);
    ale_batch halves[] = {batch, batch};
    halves[1].observations += HALF * ALE_RAM_SIZE;
    halves[1].terminations += HALF;
    halves[1].truncations += HALF;
    int32_t **columns[] = {&halves[1].rewards, &halves[1].env_ids, &halves[1].lives, &halves[1].frame_numbers,
                           &halves[1].episode_frame_numbers};
    for (int i = 0; i < 5; i++) *columns[i] += HALF;
    for (int i = 0; i < 2; i++) CHECK_EQUAL(ale_vector_post(vector, &halves[i]), ALE_OK);
    CHECK_EQUAL(ale_vector_reset(vector, NULL, NULL), ALE_OK);
    for (int i = 0; i < STEPS; i++) {
        int32_t chosen[HALF] = {-1, -1, -1};
        CHECK_EQUAL(ale_vector_recv(vector), ALE_OK);
        CHECK_EQUAL(ale_vector_choose(vector, chosen), ALE_OK);
        CHECK_EQUAL(ale_vector_post(vector, &halves[i % 2]), ALE_OK);
        CHECK_EQUAL(ale_vector_send(vector, chosen, NULL), ALE_OK); /* refuses -1 */
        CHECK_EQUAL(ale_vector_choose(vector, chosen), ALE_OUT_OF_ORDER);
    }
    ale_vector_destroy(vector);
    ale_policy_release(policy);
}

/* ---- What is refused ------------------------------------------------------------------------------------- */

/* A rollout plays what steps play with the choices of policies, and stands still where an episode is over. */
static void rollouts_play_as_steps_do(void) {
    enum { SHORT = 5 };
    ale_policy *policy = make_policy();
    ale_vector *vectors[] = {make_vector(ALE_NO_RESET, "", ENVS), make_vector(ALE_NO_RESET, "", ENVS)};
    int32_t actions[SHORT][ENVS], chosen[ENVS] = {0};
    double returns[ENVS], expected[ENVS] = {0};
    uint8_t ended[ENVS], ended_by_steps[ENVS] = {0};
    for (int v = 0; v < 2; v++) reset(vectors[v]);
    for (uint32_t i = 0; i < ENVS; i++) {
        for (int v = 0; v < 2 && i; v++) CHECK_EQUAL(ale_vector_seat(vectors[v], i, 0, policy, i), ALE_OK);
        for (int t = 0; t < SHORT; t++) actions[t][i] = i ? ALE_OPEN : 0;
    }
    ale_rollout rollout = {.struct_size = sizeof rollout, .count = ENVS, .steps = SHORT, .discount = 0.5,
                           .actions = actions[0], .returns = returns, .ended = ended};
    CHECK_EQUAL(ale_vector_roll_out(vectors[0], &rollout), ALE_OK);
    double weight = 1;
    for (int t = 0; t < SHORT; t++, weight /= 2) {
        CHECK_EQUAL(ale_vector_choose(vectors[1], chosen), ALE_OK);
        step(vectors[1], chosen);
        for (uint32_t i = 0; i < ENVS; i++) {
            expected[i] += weight * batch.rewards[i];
            ended_by_steps[i] = batch.terminations[i] | batch.truncations[i];
        }
    }
    for (uint32_t i = 0; i < ENVS; i++) {
        CHECK(returns[i] == expected[i]);
        CHECK_EQUAL(ended[i], ended_by_steps[i]);
        CHECK(!memcmp(vectors[0]->sub_envs[i].env->console->s.ram, vectors[1]->sub_envs[i].env->console->s.ram,
                      ALE_RAM_SIZE));
    }
    vectors[0]->sub_envs[1].s.over = 1;
    rollout.count = 2;
    CHECK_EQUAL(ale_vector_roll_out(vectors[0], &rollout), ALE_OK);
    CHECK(ended[1] && returns[1] == 0);
    for (int v = 0; v < 2; v++) ale_vector_destroy(vectors[v]);
    ale_policy_release(policy);
}

static void refused(ale_status status, const char *words) {
    CHECK_EQUAL(status, ALE_INVALID_ARGUMENT);
    if (!strstr(ale_last_error(), words)) fprintf(stderr, "no %s: %s\n", words, ale_last_error()), check_failures = 1;
}

static void wrong_rollouts_are_refused(void) {
    ale_vector *vector = make_vector(ALE_NO_RESET, "", ENVS), *other = make_vector(ALE_NEXT_STEP, "", ENVS);
    int32_t actions[ENVS] = {0};
    double returns[ENVS];
    uint8_t ended[ENVS];
    ale_rollout rollout = {.struct_size = sizeof rollout, .count = ENVS, .steps = 1, .actions = actions,
                           .returns = returns, .ended = ended};
    CHECK_EQUAL(ale_vector_roll_out(vector, &rollout), ALE_OUT_OF_ORDER);
    reset(vector);
    CHECK_EQUAL(ale_vector_roll_out(vector, &rollout), ALE_OK);
    refused(ale_vector_roll_out(vector, NULL), "rollout is NULL");
    refused(ale_vector_roll_out(other, &rollout), "rollouts need ALE_NO_RESET");
    rollout.count = ENVS + 1;
    refused(ale_vector_roll_out(vector, &rollout), "rollout->count is 7; there are 6 environments");
    rollout.count = 0;
    refused(ale_vector_roll_out(vector, &rollout), "rollout->count is 0");
    rollout.count = ENVS;
    rollout.returns = NULL;
    refused(ale_vector_roll_out(vector, &rollout), "rollout->returns is NULL");
    rollout.returns = returns;
    actions[2] = 99;
    CHECK_EQUAL(ale_vector_roll_out(vector, &rollout), ALE_BAD_ACTION);
    actions[2] = -2;
    CHECK_EQUAL(ale_vector_roll_out(vector, &rollout), ALE_BAD_ACTION);
    CHECK_EQUAL(ale_vector_play(vector, NULL), ALE_OUT_OF_ORDER); /* nothing is being played */
    ale_vector_destroy(vector);
    ale_vector_destroy(other);
}

static void wrong_numbers_are_refused(void) {
    const ale_policy_numbers right = network();
    ale_policy *policy = NULL;
#define WRONG(field, value, words)                         \
    do {                                                   \
        ale_policy_numbers wrong = right;                  \
        wrong.field = value;                               \
        refused(ale_policy_create(&wrong, &policy), words); \
    } while (0)
    WRONG(players, 0, "numbers->players is 0; it must be 1 to 4");
    WRONG(players, 5, "numbers->players is 5");
    WRONG(players, 1, "numbers->size is");
    WRONG(used_count, 0, "numbers->used_count is 0; it must be 1 to 128");
    WRONG(used_count, 129, "numbers->used_count is 129");
    WRONG(neurons_1, 0, "numbers->neurons_1 is 0; it must be 1 to 256");
    WRONG(neurons_1, 257, "numbers->neurons_1 is 257");
    WRONG(neurons_2, 0, "numbers->neurons_2 is 0");
    WRONG(neurons_2, UINT32_MAX, "numbers->neurons_2 is 4294967295");
    WRONG(action_count, 0, "numbers->action_count is 0; it must be 1 to 18");
    WRONG(action_count, 19, "numbers->action_count is 19");
    WRONG(shift_1, 16, "numbers->shift_1 is 16; it must be 0 to 15");
    WRONG(shift_2, 16, "numbers->shift_2 is 16");
    WRONG(shift_3, 16, "numbers->shift_3 is 16");
    WRONG(used, NULL, "numbers->used is NULL");
    WRONG(actions, NULL, "numbers->actions is NULL");
    WRONG(numbers, NULL, "numbers->numbers is NULL");
    WRONG(size, right.size - 1, "numbers->size is");
    WRONG(size, right.size + 1, "numbers->size is");
    WRONG(struct_size, 0, "numbers->struct_size is 0");
    uint8_t beyond[USED] = {[3] = ALE_RAM_SIZE}, unknown[COUNT] = {[1] = ALE_ACTION_COUNT};
    WRONG(used, beyond, "numbers->used[3] is 128; it must be at most 127");
    WRONG(actions, unknown, "numbers->actions[1] is 18; it must be an ale_action (0 to 17)");
    refused(ale_policy_create(NULL, &policy), "numbers is NULL");
    refused(ale_policy_create(&right, NULL), "policy is NULL");
    CHECK(!policy);
    ale_policy_release(NULL);
}

static void wrong_arrays_are_refused(void) {
    const ale_policy_numbers network_numbers = network();
    ale_policy *policy = policy_of(&network_numbers);
    const uint8_t rams[2 * ALE_RAM_SIZE] = {0};
    const uint32_t players[] = {1, PLAYERS};
    uint32_t randoms[] = {3, 4};
    int32_t actions[] = {-7, -7};
    int64_t logits[2 * COUNT] = {-7};
    refused(ale_policy_act(NULL, 1, rams, rams, players, randoms, actions, NULL, 0), "policy is NULL");
    refused(ale_policy_act(policy, 1, NULL, rams, players, randoms, actions, NULL, 0), "rams is NULL");
    refused(ale_policy_act(policy, 1, rams, NULL, players, randoms, actions, NULL, 0), "before is NULL");
    refused(ale_policy_act(policy, 1, rams, rams, NULL, randoms, actions, NULL, 0), "players is NULL");
    refused(ale_policy_act(policy, 1, rams, rams, players, NULL, actions, NULL, 0), "randoms is NULL");
    refused(ale_policy_act(policy, 1, rams, rams, players, randoms, NULL, NULL, 0), "actions is NULL");
    refused(ale_policy_act(policy, 2, rams, rams, players, randoms, actions, logits, 2 * COUNT),
            "players[1] is 2; the policy can play for 2, 0 to 1");
    refused(ale_policy_act(policy, 1, rams, rams, players, randoms, actions, logits, COUNT - 1),
            "capacity is 6; it must be at least 7, for logits of 1");
    refused(ale_policy_act(policy, UINT32_MAX, rams, rams, players, randoms, actions, logits, 2 * COUNT),
            "capacity is 14; it must be at least 30064771065");
    CHECK_EQUAL(ale_policy_act(policy, 0, rams, rams, players, randoms, actions, logits, 0), ALE_OK);
    CHECK(randoms[0] == 3 && actions[0] == -7 && logits[0] == -7); /* nothing has changed */
    ale_policy_release(policy);
}

static void wrong_seats_are_refused(void) {
    ale_policy_numbers network_numbers = network();
    ale_policy *policy = policy_of(&network_numbers);
    ale_vector *vector = make_vector(ALE_NEXT_STEP, "", ENVS), *qbert = make_vector(ALE_NEXT_STEP, "qbert", ENVS);
    int32_t wrong[ENVS] = {-1};
    refused(ale_vector_seat(NULL, 0, 0, policy, 0), "vector is NULL");
    refused(ale_vector_seat(vector, ENVS, 0, policy, 0), "index is 6; environments are numbered 0 to 5");
    refused(ale_vector_seat(vector, 0, 1, policy, 0), "player is 1; the environments have 1, 0 to 0");
    CHECK_EQUAL(ale_vector_choose(vector, wrong), ALE_OUT_OF_ORDER);
    refused(ale_vector_choose(NULL, wrong), "vector is NULL");
    refused(ale_vector_choose(vector, NULL), "actions is NULL");
    reset(vector);
    CHECK_EQUAL(ale_vector_seat(vector, 0, 0, policy, 0), ALE_OK);
    CHECK_EQUAL(ale_vector_seat(vector, 0, 0, NULL, 0), ALE_OK);
    CHECK_EQUAL(ale_vector_choose(vector, wrong), ALE_OK);
    CHECK_EQUAL(wrong[0], -1);
    refused(sub_env_seat(&vector->sub_envs[0], PLAYERS, policy, 0), "player is 2; the policy can play for 2, 0 to 1");
    refused(ale_vector_seat(qbert, 0, 0, policy, 0), "the policy has actions that are not in the action set of qbert");
    ale_vector_destroy(vector);
    ale_vector_destroy(qbert);
    ale_policy_release(policy);
}

int main(void) {
    RUN(decisions_are_those_of_every_machine());
    RUN(decisions_of_arrays_are_those_of_seats());
    RUN(policies_play_as_alone(ALE_NEXT_STEP));
    RUN(policies_play_as_alone(ALE_SAME_STEP));
    RUN(policies_stay_and_begin_anew());
    RUN(policies_choose_for_smaller_batches());
    RUN(rollouts_play_as_steps_do());
    RUN(wrong_rollouts_are_refused());
    RUN(wrong_numbers_are_refused());
    RUN(wrong_arrays_are_refused());
    RUN(wrong_seats_are_refused());
    return check_failures;
}
