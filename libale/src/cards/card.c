/* From the tree of a card's text to the card. */
#include "card.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/md5.h"
#include "expression.h"

typedef toml_node node;

/* ---- Tables and their keys ------------------------------------------------------------------------------ */

static bool is_key(const node *n, const char *key) {
    return n->key_size == strlen(key) && memcmp(n->key, key, n->key_size) == 0;
}

static const node *find(const node *table, const char *key) {
    for (const node *n = table->first; n; n = n->next)
        if (is_key(n, key)) return n;
    return NULL;
}

/* `allowed` ends with NULL. */
static bool check_keys(toml_tree *toml, const node *table, const char *where, const char *const *allowed) {
    for (const node *n = table->first; n; n = n->next) {
        const char *near = NULL;
        int i = 0;
        for (; allowed[i] && !is_key(n, allowed[i]); i++)
            if (!near && toml_is_near(n->key, n->key_size, allowed[i], strlen(allowed[i]))) near = allowed[i];
        if (allowed[i]) continue;
        for (; allowed[i]; i++)
            if (!near && toml_is_near(n->key, n->key_size, allowed[i], strlen(allowed[i]))) near = allowed[i];
        if (near)
            return toml_complain(toml, n->key, "%s has no key %s; did you mean %s?", where,
                                 toml_shown(n->key, n->key_size).text, near);
        char all[240] = "";
        for (i = 0; allowed[i]; i++) {
            strncat(all, i ? ", " : "", sizeof all - strlen(all) - 1);
            strncat(all, allowed[i], sizeof all - strlen(all) - 1);
        }
        return toml_complain(toml, n->key, "%s has no key %s; it has %s", where,
                             toml_shown(n->key, n->key_size).text, all);
    }
    return true;
}

static bool check_kind(toml_tree *toml, const node *n, toml_kind kind, const char *what) {
    return n->kind == kind ||
           toml_complain(toml, n->at, "%s must be %s, not %s", what, toml_kind_name(kind), toml_kind_name(n->kind));
}

static bool read_integer(toml_tree *toml, const node *n, const char *what, int low, int high, int *number) {
    *number = low;
    if (!check_kind(toml, n, TOML_INTEGER, what)) return false;
    if (n->number < low || n->number > high)
        return toml_complain(toml, n->at, "%s is %lld; it must be %d to %d", what, (long long)n->number, low, high);
    *number = (int)n->number;
    return true;
}

/* A string of 1 to size - 1 bytes on one line; `key` is left alone where the table lacks it. */
static bool read_text(toml_tree *toml, const node *table, const char *key, char *to, size_t size) {
    const node *n = find(table, key);
    if (!n) return true;
    if (!check_kind(toml, n, TOML_STRING, key)) return false;
    if (!n->size || n->size >= size)
        return toml_complain(toml, n->at, "%s has %zu bytes; it must have 1 to %zu", key, n->size, size - 1);
    if (memchr(n->text, '\n', n->size)) return toml_complain(toml, n->at, "%s has more than one line", key);
    memcpy(to, n->text, n->size);
    to[n->size] = 0;
    return true;
}

static bool is_string(const node *n, const char *text) {
    return n->kind == TOML_STRING && n->size == strlen(text) && memcmp(n->text, text, n->size) == 0;
}

/* The place of a string among words; a complaint that names them all where it is none. */
static bool read_word(toml_tree *toml, const node *n, const char *what, const char *const *words, int count,
                      int *index) {
    char all[240] = "";
    for (*index = 0; *index < count; ++*index) {
        if (is_string(n, words[*index])) return true;
        if (!*words[*index]) continue;
        strncat(all, *all ? ", " : "", sizeof all - strlen(all) - 1);
        strncat(all, words[*index], sizeof all - strlen(all) - 1);
    }
    return n->kind == TOML_STRING
               ? toml_complain(toml, n->at, "%s is %s; it must be one of %s", what,
                               toml_shown(n->text, n->size).text, all)
               : toml_complain(toml, n->at, "%s must be a string: one of %s", what, all);
}

/* Names: of a card, and of what a card names. */
static bool check_name(toml_tree *toml, const char *at, const char *name, size_t size) {
    bool good = size >= 1 && size < CARD_NAME_SIZE && !(name[0] >= '0' && name[0] <= '9');
    for (size_t i = 0; i < size && good; i++)
        good = (name[i] >= 'a' && name[i] <= 'z') || (name[i] >= '0' && name[i] <= '9') || name[i] == '_' ||
               (name[i] >= 'A' && name[i] <= 'Z');
    return good || toml_complain(toml, at, "%s is no name; it must be 1 to %d letters, digits and _, and begin with "
                                 "no digit", toml_shown(name, size).text, CARD_NAME_SIZE - 1);
}

/* ---- Facts ---------------------------------------------------------------------------------------------- */

static bool read_md5(toml_tree *toml, ale_card *card, const node *root) {
    const node *n = find(root, "md5");
    if (!read_text(toml, root, "md5", card->md5, sizeof card->md5)) return false;
    if (!n) return true;
    card->md5_place = toml_place(toml, n->at);
    bool good = n->size == 32;
    for (size_t i = 0; i < n->size && good; i++) {
        char *c = &card->md5[i];
        if (*c >= 'A' && *c <= 'F') *c = (char)(*c - 'A' + 'a');
        good = toml_digit(*c) < 16;
    }
    return good || toml_complain(toml, n->at, "md5 must be 32 hexadecimal digits");
}

static bool read_facts(toml_tree *toml, ale_card *card, const node *root) {
    static const char *const formats[] = {"NTSC", "PAL", "SECAM"};
    static const char *const controllers[] = {"", "joysticks", "paddles"};
    const node *name = find(root, "name"), *rom = find(root, "rom"), *n;
    if (!name) return toml_complain(toml, toml->start, "a card needs a name, such as name = \"my_game\"");
    if (!read_text(toml, root, "name", card->name, sizeof card->name) ||
        !check_name(toml, name->at, name->text, name->size))
        return false;
    memcpy(card->title, card->name, sizeof card->name);
    if (!read_text(toml, root, "title", card->title, sizeof card->title) || !read_md5(toml, card, root) ||
        !read_text(toml, root, "rom", card->rom, sizeof card->rom))
        return false;
    if (strpbrk(card->rom, "/\\:") || *card->rom == '.')
        return toml_complain(toml, rom->at, "rom is the name of a file beside the card, without a folder");
    if (!*card->rom && !*card->md5)
        return toml_complain(toml, toml->start, "a card needs md5, the MD5 of its image, or rom, a file beside it");
    card->format = -1;
    int number;
    if ((n = find(root, "format")) && !read_word(toml, n, "format", formats, 3, &card->format)) return false;
    if ((n = find(root, "controllers"))) {
        if (!read_word(toml, n, "controllers", controllers, 3, &number)) return false;
        card->controllers = (card_controllers)number;
    }
    return true;
}

static const char *const action_names[ACTION_COUNT] = {
    "NOOP", "FIRE", "UP", "RIGHT", "LEFT", "DOWN", "UPRIGHT", "UPLEFT", "DOWNRIGHT", "DOWNLEFT", "UPFIRE",
    "RIGHTFIRE", "LEFTFIRE", "DOWNFIRE", "UPRIGHTFIRE", "UPLEFTFIRE", "DOWNRIGHTFIRE", "DOWNLEFTFIRE",
};

/* The set is left alone where the card lacks it. */
static bool read_actions(toml_tree *toml, const node *root, const char *key, uint32_t *set) {
    const node *n = find(root, key);
    if (!n) return true;
    if (!check_kind(toml, n, TOML_ARRAY, key)) return false;
    *set = 0;
    for (const node *element = n->first; element; element = element->next) {
        int action;
        if (!read_word(toml, element, "an action", action_names, ACTION_COUNT, &action)) return false;
        *set |= UINT32_C(1) << action;
    }
    return *set || toml_complain(toml, n->at, "%s is empty", key);
}

static bool read_starting_action(toml_tree *toml, ale_card *card, const node *element) {
    const char *star = element->kind == TOML_STRING ? memchr(element->text, '*', element->size) : NULL;
    node word = *element;
    int action, times = 1;
    if (star) {
        const char *c = star + 1, *end = element->text + element->size;
        word.size = (size_t)(star - element->text);
        for (times = 0; c < end && *c >= '0' && *c <= '9' && times <= CARD_STARTING_ACTIONS; c++)
            times = 10 * times + (*c - '0');
        if (c < end || times < 1 || times > CARD_STARTING_ACTIONS)
            return toml_complain(toml, star, "write such as NOOP*60, up to %d times", CARD_STARTING_ACTIONS);
    }
    if (is_string(&word, "RESET"))
        action = ACTION_RESET;
    else if (!read_word(toml, &word, "a starting action", action_names, ACTION_COUNT, &action))
        return false;
    for (; times; times--) {
        if (card->rules.starting_action_count == CARD_STARTING_ACTIONS)
            return toml_complain(toml, element->at, "more than %d starting actions", CARD_STARTING_ACTIONS);
        card->starting_actions[card->rules.starting_action_count++] = (uint8_t)action;
    }
    return true;
}

static bool read_controls(toml_tree *toml, ale_card *card, const node *root) {
    game_rules *rules = &card->rules;
    const node *n;
    rules->minimal_actions = ACTIONS_ALL;
    if (!read_actions(toml, root, "minimal_actions", &rules->minimal_actions) ||
        !read_actions(toml, root, "illegal_actions", &rules->illegal_actions))
        return false;
    if (rules->minimal_actions & rules->illegal_actions)
        return toml_complain(toml, find(root, "illegal_actions")->at, "an action is both minimal and illegal");
    rules->difficulties = 0xF;
    if ((n = find(root, "difficulties"))) {
        if (!check_kind(toml, n, TOML_ARRAY, "difficulties")) return false;
        rules->difficulties = 0;
        for (const node *element = n->first; element; element = element->next) {
            int difficulty;
            if (!read_integer(toml, element, "a difficulty", 0, 3, &difficulty)) return false;
            rules->difficulties |= (uint8_t)(1 << difficulty);
        }
        if (!rules->difficulties) return toml_complain(toml, n->at, "difficulties is empty");
    }
    rules->starting_actions = card->starting_actions;
    if ((n = find(root, "starting_actions"))) {
        if (!check_kind(toml, n, TOML_ARRAY, "starting_actions")) return false;
        for (const node *element = n->first; element; element = element->next)
            if (!read_starting_action(toml, card, element)) return false;
    }
    return true;
}

/* ---- Modes ---------------------------------------------------------------------------------------------- */

static bool add_mode(toml_tree *toml, ale_card *card, const char *at, int players, int mode) {
    for (int p = 0; p < GAME_MAX_PLAYERS; p++)
        for (int i = 0; i < card->rules.modes[p].count; i++)
            if (card->modes[p][i] == mode) return toml_complain(toml, at, "mode %d occurs twice", mode);
    uint16_t *count = &card->rules.modes[players - 1].count;
    if (*count == CARD_MODES) return toml_complain(toml, at, "more than %d modes", CARD_MODES);
    if (*count && card->modes[players - 1][*count - 1] > mode)
        return toml_complain(toml, at, "modes must ascend; %d comes after %d", mode,
                             card->modes[players - 1][*count - 1]);
    card->modes[players - 1][(*count)++] = (uint16_t)mode;
    return true;
}

static bool read_range(toml_tree *toml, const node *n, int *first, int *last) {
    int number[2] = {-1, -1}, part = 0;
    *first = *last = 0;
    for (size_t i = 0; i < n->size; i++) {
        const char c = n->text[i];
        if (c == '-' && part == 0 && number[0] >= 0) {
            part = 1;
        } else if (c >= '0' && c <= '9' && number[part] < 10000) {
            number[part] = 10 * (number[part] < 0 ? 0 : number[part]) + (c - '0');
        } else {
            return toml_complain(toml, n->at, "modes are numbers, or ranges such as \"1-8\"");
        }
    }
    *first = number[0];
    *last = number[1];
    if (number[1] >= 0 && number[0] <= number[1] && number[1] - number[0] < CARD_MODES && number[1] <= UINT16_MAX)
        return true;
    return toml_complain(toml, n->at, "a range of modes is such as \"1-8\", of at most %d", CARD_MODES);
}

static bool read_mode_list(toml_tree *toml, ale_card *card, const node *list, int players) {
    if (!check_kind(toml, list, TOML_ARRAY, "a list of modes")) return false;
    for (const node *n = list->first; n; n = n->next) {
        int first, last;
        if (n->kind == TOML_STRING) {
            if (!read_range(toml, n, &first, &last)) return false;
        } else {
            if (!read_integer(toml, n, "a mode", 0, UINT16_MAX, &first)) return false;
            last = first;
        }
        for (int mode = first; mode <= last; mode++)
            if (!add_mode(toml, card, n->at, players, mode)) return false;
    }
    return list->first || toml_complain(toml, list->at, "the list of modes is empty");
}

static bool read_modes(compiler *c, const node *root) {
    static const char *const counts[] = {"1", "2", "3", "4", NULL};
    ale_card *card = c->card;
    const node *n = find(root, "modes");
    c->players = 1;
    if (!n) {
        card->rules.modes[0].count = 1; /* mode 0 */
    } else if (n->kind == TOML_ARRAY) {
        if (!read_mode_list(c->toml, card, n, 1)) return false;
    } else {
        if (n->kind != TOML_TABLE)
            return toml_complain(c->toml, n->at, "modes must be an array, or a table of arrays by number of players");
        if (!check_keys(c->toml, n, "[modes], by number of players,", counts)) return false;
        if (!n->first) return toml_complain(c->toml, n->at, "modes is empty");
        for (const node *list = n->first; list; list = list->next) {
            const int players = *list->key - '0';
            if (!read_mode_list(c->toml, card, list, players)) return false;
            if (players > c->players) c->players = players;
        }
    }
    for (int p = 0; p < GAME_MAX_PLAYERS; p++) card->rules.modes[p].list = card->modes[p];
    return true;
}

static bool read_select(compiler *c, const node *root) {
    static const char *const keys[] = {"until", "frames", "first_press", "rest", NULL};
    ale_card *card = c->card;
    toml_tree *toml = c->toml;
    const node *n = find(root, "select"), *key;
    if (!n) return true;
    if (!check_kind(toml, n, TOML_TABLE, "select") || !check_keys(toml, n, "[select]", keys)) return false;
    const node *until = find(n, "until");
    if (!until) return toml_complain(toml, n->at, "[select] needs until, such as until = \"ram[0] == mode\"");
    if (!check_kind(toml, until, TOML_STRING, "until")) return false;
    card->select_until = (uint16_t)card->code_size;
    const card_place place = toml_place(toml, until->at);
    snprintf(card->selection, sizeof card->selection, "the card %s waits for it by what it says in line %d, column %d",
             card->name, place.line, place.column);
    card->rules.selection = card->selection;
    card->select_frames = 1;
    card->selects = true;
    if ((key = find(n, "frames")) && !read_integer(toml, key, "frames", 1, 100, &card->select_frames)) return false;
    if ((key = find(n, "first_press")) && !read_integer(toml, key, "first_press", 0, 100, &card->select_first))
        return false;
    if ((key = find(n, "rest")) && !read_integer(toml, key, "rest", 0, 1000, &card->select_rest)) return false;
    return expression_compile(c, until) && expression_emit(c, until->at, CARD_END, 0);
}

/* ---- What happens in a frame ----------------------------------------------------------------------------- */

static bool check_new_name(compiler *c, const node *n) {
    if (!check_name(c->toml, n->key, n->key, n->key_size)) return false;
    if (expression_is_reserved(n->key, n->key_size))
        return toml_complain(c->toml, n->key, "%s is a word of the language; take another name",
                             toml_shown(n->key, n->key_size).text);
    if (expression_byte(c, n->key, n->key_size))
        return toml_complain(c->toml, n->key, "%s is the name of a byte already", toml_shown(n->key, n->key_size).text);
    return true;
}

static bool read_byte_names(compiler *c, const node *root) {
    const node *table = find(root, "ram");
    if (!table) return true;
    if (!check_kind(c->toml, table, TOML_TABLE, "ram")) return false;
    for (const node *n = table->first; n; n = n->next) {
        int index;
        if (!check_new_name(c, n)) return false;
        if (n->kind == TOML_INTEGER && n->number >= GAME_RAM_SIZE && n->number < 256)
            return toml_complain(c->toml, n->at, "RAM has bytes 0 to %d; address 0x%X is byte %d", GAME_RAM_SIZE - 1,
                                 (unsigned)n->number, (int)n->number - 128);
        if (!read_integer(c->toml, n, "a byte of RAM", 0, GAME_RAM_SIZE - 1, &index)) return false;
        if (c->byte_count == CARD_BYTE_NAMES)
            return toml_complain(c->toml, n->key, "more than %d names of bytes", CARD_BYTE_NAMES);
        c->bytes[c->byte_count++] = (named_byte){n->key, n->key_size, (uint8_t)index};
    }
    return true;
}

static int32_t offset_in(size_t array, int index) { return (int32_t)(array + (size_t)index * sizeof(int32_t)); }

static bool read_variable(compiler *c, const node *n, int index) {
    static const char *const keys[] = {"start", "update", "keep", NULL};
    ale_card *card = c->card;
    const node *update = n, *start = NULL, *keep = NULL;
    int first = 0;
    if (n->kind == TOML_TABLE) {
        if (!check_keys(c->toml, n, "a variable", keys)) return false;
        update = find(n, "update"), start = find(n, "start"), keep = find(n, "keep");
        if (!update) return toml_complain(c->toml, n->at, "a variable needs update, its value of each frame");
    }
    if (start && !read_integer(c->toml, start, "start", -CARD_NUMBER_LIMIT, CARD_NUMBER_LIMIT, &first)) return false;
    if (keep && !check_kind(c->toml, keep, TOML_BOOLEAN, "keep")) return false;
    if (keep && keep->number && start)
        return toml_complain(c->toml, start->at, "a variable that is kept begins with 0; it has no start");
    card->first_values[index] = first;
    card->is_kept[index] = keep && keep->number;
    return check_kind(c->toml, update, TOML_STRING, "a variable") && expression_compile(c, update) &&
           expression_emit(c, update->at, CARD_STORE, offset_in(offsetof(game_state, var), index));
}

static bool read_variables(compiler *c, const node *root) {
    const node *table = find(root, "variables");
    if (!table) return true;
    if (!check_kind(c->toml, table, TOML_TABLE, "variables")) return false;
    for (const node *n = table->first; n; n = n->next) {
        if (!check_new_name(c, n)) return false;
        if (c->variable_count == GAME_VARIABLES)
            return toml_complain(c->toml, n->key, "more than %d variables", GAME_VARIABLES);
        c->variables[c->variable_count++] = n;
    }
    c->card->variable_count = c->variable_count;
    for (int i = 0; i < c->variable_count; i++)
        if (!read_variable(c, c->variables[i], i)) return false;
    return true;
}

/* A value that is each player's: one string for all of them, or an array with one for each. */
static bool check_player_value(compiler *c, const node *n) {
    if (!n || n->kind == TOML_STRING) return true;
    if (!check_kind(c->toml, n, TOML_ARRAY, "what each player has")) return false;
    int count = 0;
    for (const node *element = n->first; element; element = element->next, count++)
        if (!check_kind(c->toml, element, TOML_STRING, "what a player has")) return false;
    return count == c->players || toml_complain(c->toml, n->at, "there are %d values for %d players; one for each, or "
                                                "one string for all", count, c->players);
}

static bool compile_for(compiler *c, const node *n, int player) {
    if (n->kind == TOML_ARRAY) {
        n = n->first;
        for (int i = 0; i < player; i++) n = n->next;
    }
    c->player = player;
    return expression_compile(c, n);
}

static bool read_frame(compiler *c, const node *root) {
    const node *score = find(root, "score"), *over = find(root, "over"), *reward = find(root, "reward");
    const node *lives = find(root, "lives"), *out = find(root, "out");
    c->player = -1;
    c->has_score = score != NULL;
    if (!read_variables(c, root)) return false;
    if (!check_player_value(c, score) || !check_player_value(c, reward) || !check_player_value(c, lives) ||
        !check_player_value(c, out))
        return false;
    for (int p = 0; score && p < c->players; p++)
        if (!compile_for(c, score, p) || !expression_emit(c, score->at, CARD_SCORE, p)) return false;
    c->player = -1;
    if (over && (!check_kind(c->toml, over, TOML_STRING, "over") || !expression_compile(c, over) ||
                 !expression_emit(c, over->at, CARD_STORE_OVER, 0)))
        return false;
    if (reward) { /* all are worked out before the first takes the place of its change */
        c->has_change = true;
        for (int p = 0; p < c->players; p++)
            if (!compile_for(c, reward, p)) return false;
        c->has_change = false;
        for (int p = c->players - 1; p >= 0; p--)
            if (!expression_emit(c, reward->at, CARD_STORE, offset_in(offsetof(game_state, reward), p))) return false;
    }
    for (int p = 0; (lives || out) && p < c->players; p++) {
        if (lives ? !compile_for(c, lives, p) : !expression_emit(c, out->at, CARD_NUMBER, 0)) return false;
        if (out ? !compile_for(c, out, p) : !expression_emit(c, lives->at, CARD_NUMBER, 0)) return false;
        if (!expression_emit(c, root->at, CARD_LIVES, p)) return false;
    }
    c->player = -1;
    return expression_emit(c, root->at, CARD_END, 0);
}

/* For corrected_rules. */
static bool read_score_range(compiler *c, const node *root) {
    const node *n = find(root, "score_range");
    int range = 0;
    if (n && !read_integer(c->toml, n, "score_range", 2, GAME_NUMBER_LIMIT, &range)) return false;
    c->card->rules.score_range = range;
    return true;
}

/* ---- Variations ----------------------------------------------------------------------------------------- */

static bool read_poked_byte(compiler *c, const node *n, uint8_t *index) {
    const named_byte *byte = expression_byte(c, n->key, n->key_size);
    int number = 0;
    size_t i = 4;
    *index = 0;
    if (byte) {
        *index = byte->index;
        return true;
    }
    bool is_ram = n->key_size >= 6 && memcmp(n->key, "ram[", 4) == 0 && n->key[n->key_size - 1] == ']';
    for (; is_ram && i < n->key_size - 1; i++) {
        if (n->key[i] < '0' || n->key[i] > '9' || number > 255) is_ram = false;
        number = 10 * number + (n->key[i] - '0');
    }
    if (!is_ram)
        return toml_complain(c->toml, n->key, "%s is no byte; write a name of [ram], or \"ram[3]\" in quotes",
                             toml_shown(n->key, n->key_size).text);
    if (number >= GAME_RAM_SIZE)
        return toml_complain(c->toml, n->key, "ram[%d] does not exist; it is 0 to %d", number, GAME_RAM_SIZE - 1);
    *index = (uint8_t)number;
    return true;
}

static bool read_pokes(compiler *c, const node *table, card_pokes *pokes) {
    ale_card *card = c->card;
    *pokes = (card_pokes){.first = (uint16_t)card->poke_count};
    if (!table) return true;
    if (!check_kind(c->toml, table, TOML_TABLE, "the bytes of a variation")) return false;
    for (const node *n = table->first; n; n = n->next) {
        int value;
        uint8_t index;
        if (!read_poked_byte(c, n, &index)) return false;
        if (card->poke_count == CARD_POKES)
            return toml_complain(c->toml, n->key, "the variations write more than %d bytes", CARD_POKES);
        card->pokes[card->poke_count++] = (card_poke){index, (uint16_t)card->code_size};
        pokes->count++;
        if (n->kind == TOML_STRING) {
            if (!expression_compile(c, n)) return false;
        } else if (!read_integer(c->toml, n, "the value of a byte", 0, 255, &value) ||
                   !expression_emit(c, n->at, CARD_NUMBER, value)) {
            return false;
        }
        if (!expression_emit(c, n->at, CARD_END, 0)) return false;
    }
    return true;
}

static bool read_variations(compiler *c, const node *root) {
    static const char *const keys[] = {"hold", "set", NULL};
    ale_card *card = c->card;
    const node *table = find(root, "variations");
    if (!table) return true;
    if (!check_kind(c->toml, table, TOML_TABLE, "variations")) return false;
    for (const node *n = table->first; n; n = n->next) {
        if (!check_name(c->toml, n->key, n->key, n->key_size) || !check_kind(c->toml, n, TOML_TABLE, "a variation") ||
            !check_keys(c->toml, n, "a variation", keys))
            return false;
        if (!find(n, "hold") && !find(n, "set"))
            return toml_complain(c->toml, n->at, "a variation needs hold or set");
        if (card->variation_count == CARD_VARIATIONS)
            return toml_complain(c->toml, n->key, "more than %d variations", CARD_VARIATIONS);
        card_variation *made = &card->variations[card->variation_count++];
        memcpy(made->name, n->key, n->key_size);
        if (!read_pokes(c, find(n, "hold"), &made->multi.hold) || !read_pokes(c, find(n, "set"), &made->multi.set))
            return false;
    }
    return true;
}

/* ---- Cards ---------------------------------------------------------------------------------------------- */

/* Of a variation whose `set` and `hold` are known for several players. */
static void make_game(ale_card *card, card_variation *variation) {
    card_rules *solo = &variation->solo, *multi = &variation->multi;
    multi->card = card;
    multi->rules = card->rules;
    multi->rules.set = multi->set.count ? card_set : NULL;
    multi->rules.hold = multi->hold.count ? card_hold : NULL;
    *solo = *multi;
    for (int p = 1; p < GAME_MAX_PLAYERS; p++) solo->rules.modes[p].count = 0;
    variation->game = (ale_game){
        .name = card->name,
        .title = card->title,
        .md5 = card->md5,
        .solo = solo->rules.modes[0].count ? &solo->rules : NULL,
        .multi = &multi->rules,
        .identity = card->identity,
    };
}

static bool read_card(compiler *c, const char *text, size_t size, char *error) {
    static const char *const keys[] = {
        "name", "title", "md5", "rom", "format", "controllers", "minimal_actions", "illegal_actions",
        "difficulties", "starting_actions", "modes", "select", "ram", "variables", "score", "over", "reward",
        "lives", "out", "variations", "score_range", NULL,
    };
    ale_card *card = c->card;
    if (!toml_parse(c->toml, text, size, error)) return false;
    const node *root = &c->toml->nodes[0];
    if (!check_keys(c->toml, root, "a card", keys) || !read_facts(c->toml, card, root) ||
        !read_controls(c->toml, card, root) || !read_modes(c, root) || !read_byte_names(c, root) ||
        !read_frame(c, root) || !read_score_range(c, root) || !read_select(c, root) || !read_variations(c, root))
        return false;
    char digest[33];
    md5_hex(text, size, digest);
    snprintf(card->identity, sizeof card->identity, "card %.26s", digest);
    card->rules.reset = card_reset;
    card->rules.step = card_step;
    card->rules.lives = LIVES_RAW;
    card->rules.variables = (uint8_t)card->variable_count;
    card->rules.kept = (uint8_t)c->players;
    card->rules.select_mode = card_select_mode;
    make_game(card, &card->plain);
    for (int i = 0; i < card->variation_count; i++) make_game(card, &card->variations[i]);
    return true;
}

ale_card *card_create(const char *text, size_t size, char *error) {
    *error = 0;
    if (size > CARD_TEXT_SIZE) {
        snprintf(error, CARD_ERROR_SIZE, "the text has %zu bytes; a card has at most %d", size, CARD_TEXT_SIZE);
        return NULL;
    }
    /* Some editors begin a file of UTF-8 with a byte order mark, which says nothing. */
    static const char mark[] = "\xEF\xBB\xBF";
    const size_t marked = size >= 3 && !memcmp(text, mark, 3) ? 3 : 0;
    text += marked;
    size -= marked;
    compiler *c = calloc(1, sizeof *c);
    toml_tree *tree = malloc(sizeof *tree);
    ale_card *made = calloc(1, sizeof *made);
    if (c && tree && made) {
        *c = (compiler){.toml = tree, .card = made, .player = -1};
        atomic_init(&made->references, 1);
        if (!read_card(c, text, size, error)) {
            free(made);
            made = NULL;
        }
    } else {
        free(made);
        made = NULL;
    }
    free(tree);
    free(c);
    return made;
}

ale_card *card_retain(ale_card *card) {
    if (card) atomic_fetch_add(&card->references, 1);
    return card;
}

void card_release(ale_card *card) {
    if (card && atomic_fetch_sub(&card->references, 1) == 1) free(card);
}

const card_variation *card_variation_by_name(const ale_card *card, const char *name) {
    for (int i = 0; i < card->variation_count; i++)
        if (strcmp(card->variations[i].name, name) == 0) return &card->variations[i];
    return NULL;
}
