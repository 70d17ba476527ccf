/* Words that many rule cards share, and how they work the console. */
#include "game.h"

#include <string.h>

#define CALCULABLE IN_RANGE(-GAME_NUMBER_LIMIT, GAME_NUMBER_LIMIT)
#define GAME(member, ...) INVARIANT("game." #member, game_state, member, __VA_ARGS__)
#define GAME_EACH(member, ...) INVARIANTS("game." #member, game_state, member, __VA_ARGS__)
const invariant game_invariants[] = {
    GAME_EACH(reward, CALCULABLE),
    GAME_EACH(score, CALCULABLE),
    GAME_EACH(lives, CALCULABLE),
    GAME_EACH(var, CALCULABLE),
    GAME(mode, ANY_VALUE),
    GAME(players, IN_RANGE(1, GAME_MAX_PLAYERS)),
    GAME(max_turn_time, CALCULABLE),
    GAME(terminal, A_FLAG),
    GAME(started, A_FLAG),
    GAME_EACH(reserved, ONLY_ZERO),
    GAME_EACH(before, ANY_VALUE),
    {0},
};

int32_t bcd(uint8_t byte) { return 10 * (byte >> 4) + (byte & 15); }

int32_t bcd2(uint8_t low, uint8_t high) { return bcd(low) + 100 * bcd(high); }

int32_t bcd3(uint8_t low, uint8_t middle, uint8_t high) {
    return bcd(low) + 100 * bcd(middle) + 10000 * bcd(high);
}

void player_score_to(game_state *state, int player, int32_t score) {
    state->reward[player] = score - state->score[player];
    state->score[player] = score;
}

void score_to(game_state *state, int32_t score) { player_score_to(state, 0, score); }

/* A score that fell by nearly its whole range has begun again at 0: no game takes so many points at once.  One above
 * the highest is no number, but signs that a game shows when it has ended with that.  A lead rises by as much when the
 * other side's counter begins again. */
static void unwrap_rewards(game_state *state, const int32_t *before, int32_t range, bool is_lead) {
    for (int p = 0; p < GAME_MAX_PLAYERS; p++) {
        const int32_t from = before[p] < range ? before[p] : range;
        /* an end may have cleared the score, after the reward was counted */
        const int32_t score = state->terminal ? before[p] + state->reward[p] : state->score[p];
        const int32_t to = score < range ? score : range;
        if (to - from < range / 8 - range)
            state->reward[p] = to - from + range;
        else if (is_lead && to - from > range - range / 8)
            state->reward[p] = to - from - range;
        else if (to < score || from < before[p])
            state->reward[p] = to - from;
        if (to < score) state->terminal = true;
    }
}

void step_corrected(const game_rules *rules, game_state *state, const game_memory *memory) {
    int32_t before[GAME_MAX_PLAYERS];
    memcpy(before, state->score, sizeof before);
    rules->step(rules, state, memory);
    if (rules->score_range) unwrap_rewards(state, before, rules->score_range, rules->score_is_lead);
    if (rules->correct) rules->correct(rules, state, memory, before);
}

int32_t lives_of(const game_state *state, game_lives lives, int player) {
    switch (lives) {
        case LIVES_RAW: return state->lives[player];
        case LIVES_FLAG: return !state->terminal;
        case LIVES_ONE: return 1;
        case LIVES_ZERO: return 0;
        case LIVES_COUNTED: break;
    }
    return state->terminal ? 0 : state->lives[player];
}

const game_memory *control_memory(const game_control *control) { return control->memory; }

bool control_press_select(game_control *control, int frames) {
    return control->functions->press_select(control, frames);
}

void control_soft_reset(game_control *control) { control->functions->soft_reset(control); }

bool control_act(game_control *control, int action) { return control->functions->act(control, action); }

uint32_t control_random(game_control *control) { return control->functions->random(control); }

void control_poke(game_control *control, uint8_t ram_index, uint8_t value) {
    control->functions->poke(control, ram_index, value);
}

bool control_select_until(game_control *control, int ram_index, int value, int frames) {
    const uint8_t *ram = control_memory(control)->ram;
    while (ram[ram_index] != value)
        if (!control_press_select(control, frames)) return false;
    control_soft_reset(control);
    return true;
}

bool rules_select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    if (rules->select_mode) return rules->select_mode(rules, state, control, mode);
    if (!rules->select.frames) return true;
    const int shown = cartridge_mode(mode) + rules->select.offset;
    return control_select_until(control, rules->select.ram_index, shown, rules->select.frames);
}
