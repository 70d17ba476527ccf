/* A mode's number determines its number of players and its rules.  Under ALE_BY_MODE the numbers of the two rule sets
 * share one list. */
#include "environment.h"

static void step_nothing(const game_rules *rules, game_state *state, const game_memory *memory) {
    (void)rules;
    (void)state;
    (void)memory;
}

const game_rules *rules_of(const ale_game *game, ale_rules rules) {
    static const uint16_t only_mode[] = {0};
    static const game_rules no_rules = {
        .modes = {MODES(only_mode)},
        .minimal_actions = ACTIONS_ALL,
        .difficulties = 0xF,
        .step = step_nothing,
        .lives = LIVES_ZERO,
    };
    if (!game) return &no_rules;
    if (rules == ALE_SOLO || !game->multi) return game->solo;
    return rules == ALE_BY_MODE && game->solo ? game->solo : game->multi;
}

static bool are_multi(const ale_game *game, ale_rules rules, int players) {
    return rules == ALE_MULTI || (rules == ALE_BY_MODE && (players > 1 || !rules_of(game, ALE_SOLO)));
}

mode_list rules_modes(const ale_game *game, ale_rules rules, int players) {
    const bool multi = are_multi(game, rules, players);
    const game_rules *own = rules_of(game, multi ? ALE_MULTI : ALE_SOLO);
    return (mode_list){
        .rules = own,
        .multi = multi,
        .numbers = own ? own->modes[players - 1].list : NULL,
        .count = own ? own->modes[players - 1].count : 0,
        .less = game && rules == ALE_BY_MODE && players > 1 ? game->by_mode_less : 0,
    };
}

mode_meaning rules_find_mode(const ale_game *game, ale_rules rules, int32_t mode) {
    for (int players = GAME_MAX_PLAYERS; players > 0; players--) {
        const mode_list list = rules_modes(game, rules, players);
        for (int i = 0; i < list.count; i++)
            if (list.numbers[i] - list.less == mode)
                return (mode_meaning){list.rules, list.multi, players, list.numbers[i]};
    }
    return (mode_meaning){0};
}

int32_t rules_default_mode(const ale_game *game, ale_rules rules) {
    for (int players = 1; players <= GAME_MAX_PLAYERS; players++) {
        const mode_list list = rules_modes(game, rules, players);
        if (list.count) return list.numbers[0] - list.less;
    }
    return 0;
}

int32_t rules_mode_for(const ale_game *game, ale_rules rules, int players) {
    const mode_list list = rules_modes(game, rules, players);
    if (!list.count) return -1;
    const uint16_t usual = list.rules->modes[players - 1].usual;
    return (usual ? usual : list.numbers[0]) - list.less;
}

int rules_players(const game_rules *rules, int32_t mode) {
    for (int players = GAME_MAX_PLAYERS; players > 0; players--)
        for (int i = 0; i < rules->modes[players - 1].count; i++)
            if (rules->modes[players - 1].list[i] == mode) return players;
    return 0;
}

int rules_most_players(const ale_game *game, ale_rules rules) {
    for (int players = GAME_MAX_PLAYERS; players > 0; players--)
        if (rules_modes(game, rules, players).count) return players;
    return 0;
}

bool rules_has_difficulty(const game_rules *rules, int32_t difficulty) {
    return difficulty == 0 || (difficulty > 0 && difficulty < 8 && rules->difficulties >> difficulty & 1);
}

difficulty_list rules_list_difficulties(uint8_t mask) {
    difficulty_list list;
    char *end = list.text;
    for (int difficulty = 0; difficulty < 8; difficulty++) {
        if (!(mask >> difficulty & 1)) continue;
        if (end > list.text) *end++ = ',', *end++ = ' ';
        *end++ = (char)('0' + difficulty);
    }
    *end = 0;
    return list;
}
