/* Expressions of cards to code.
 *
 *     expression  = alternative [ "if" alternative "else" expression ]
 *     alternative = operand { operator operand }       operators as in `operators`, which bind as in Python
 *     operand     = { "-" | "+" | "~" | "not" } ( number | name | name "[" number "]" |
 *                   function "(" expression { "," expression } ")" | "(" expression ")" )
 *
 * The code leaves a value on the stack for each operand; operators and functions follow theirs.  Where all
 * operands are numbers the result is worked out here. */
#include "expression.h"

#include <stdio.h>
#include <string.h>

typedef struct parser {
    compiler *c;
    const char *at, *end; /* of the expression */
    int height, depth;    /* of the stack; of parentheses and the like */
} parser;

static bool parse_expression(parser *p);

/* ---- Words --------------------------------------------------------------------------------------------- */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static void skip_space(parser *p) {
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r')) p->at++;
}

static char next(parser *p) {
    skip_space(p);
    return p->at < p->end ? *p->at : 0;
}

static bool is_word(const char *text, size_t size, const char *word) {
    return size == strlen(word) && memcmp(text, word, size) == 0;
}

/* The letters from here on; 0: there are none. */
static size_t word_size(parser *p) {
    const char *c = (skip_space(p), p->at);
    if (c == p->end || !is_letter(*c)) return 0;
    while (c < p->end && (is_letter(*c) || is_digit(*c))) c++;
    return (size_t)(c - p->at);
}

/* Step over a sign or word, if it is what comes. */
static bool accept(parser *p, const char *sign) {
    skip_space(p);
    size_t size = strlen(sign);
    if (is_letter(*sign) ? !is_word(p->at, word_size(p), sign)
                         : (size_t)(p->end - p->at) < size || memcmp(p->at, sign, size) != 0)
        return false;
    p->at += size;
    return true;
}

static bool complain_of_rest(parser *p, const char *expected) {
    if (!next(p)) return toml_complain(p->c->toml, p->at, "the expression ends where %s should follow", expected);
    return toml_complain(p->c->toml, p->at, "expected %s, not %s", expected,
                         toml_shown(p->at, word_size(p) ? word_size(p) : 1).text);
}

static bool expect(parser *p, const char *sign, const char *where) {
    char expected[40];
    snprintf(expected, sizeof expected, "%s %s", sign, where);
    return accept(p, sign) || complain_of_rest(p, expected);
}

/* ---- Code ---------------------------------------------------------------------------------------------- */

bool expression_emit(compiler *c, const char *at, card_op op, int32_t operand) {
    if (c->card->code_size == CARD_CODE_SIZE)
        return toml_complain(c->toml, at, "the card's expressions have more than %d operations", CARD_CODE_SIZE);
    c->card->code[c->card->code_size++] = (card_instruction){op, operand};
    return true;
}

static bool push(parser *p, const char *at, card_op op, int32_t operand) {
    if (++p->height >= CARD_STACK_SIZE - GAME_MAX_PLAYERS) /* which rewards may leave there */
        return toml_complain(p->c->toml, at, "the expression has too many values at a time; use a variable");
    return expression_emit(p->c, at, op, operand);
}

static bool is_number(const ale_card *card, int back, int32_t *number) {
    const card_instruction *i = &card->code[card->code_size - back];
    *number = i->operand;
    return i->op == CARD_NUMBER;
}

/* An operation on the `count` values whose code began at `start`. */
static bool operate(parser *p, const char *at, card_op op, int count, int start) {
    ale_card *card = p->c->card;
    int32_t divisor;
    if ((op == CARD_DIVIDE || op == CARD_MODULO) && is_number(card, 1, &divisor) && divisor == 0)
        return toml_complain(p->c->toml, at, "a division by zero");
    p->height -= count - 1;
    bool is_constant = card->code_size - start == count;
    for (int i = start; i < card->code_size; i++) is_constant = is_constant && card->code[i].op == CARD_NUMBER;
    if (!expression_emit(p->c, at, op, 0)) return false;
    if (!is_constant) return true;
    if (!expression_emit(p->c, at, CARD_END, 0)) return false;
    int32_t result = card_run(card, start, NULL, NULL);
    card->code_size = start;
    return expression_emit(p->c, at, CARD_NUMBER, result);
}

/* ---- Operands ------------------------------------------------------------------------------------------ */

static bool parse_number(parser *p, int32_t *number) {
    const char *start = (skip_space(p), p->at);
    int base = accept(p, "0x") ? 16 : accept(p, "0b") ? 2 : 10;
    const char *digits = p->at;
    int64_t sum = 0;
    for (; p->at < p->end && (toml_digit(*p->at) < base || (*p->at == '_' && p->at > digits)); p->at++) {
        if (*p->at != '_') sum = sum * base + toml_digit(*p->at);
        if (sum > CARD_NUMBER_LIMIT)
            return toml_complain(p->c->toml, start, "a number beyond %d", CARD_NUMBER_LIMIT);
    }
    if (p->at == digits || (p->at < p->end && (is_letter(*p->at) || is_digit(*p->at) || *p->at == '.')))
        return toml_complain(p->c->toml, start, "this is no whole number");
    *number = (int32_t)sum;
    return true;
}

static bool parse_index(parser *p, const char *what, int32_t most, int32_t *index) {
    if (!expect(p, "[", "and a number")) return false;
    const char *at = (skip_space(p), p->at);
    if (!is_digit(next(p))) return complain_of_rest(p, "a number (an index cannot be worked out)");
    if (!parse_number(p, index) || !expect(p, "]", "after the number")) return false;
    if (*index <= most) return true;
    if (most == GAME_RAM_SIZE - 1 && *index < 256)
        return toml_complain(p->c->toml, at, "%s[%d] does not exist; it is 0 to %d, address 0x%X being %s[%d]", what,
                             *index, most, (unsigned)*index, what, *index - 128);
    return toml_complain(p->c->toml, at, "%s[%d] does not exist; it is 0 to %d", what, *index, most);
}

const named_byte *expression_byte(const compiler *c, const char *name, size_t size) {
    for (int i = 0; i < c->byte_count; i++)
        if (c->bytes[i].size == size && memcmp(c->bytes[i].name, name, size) == 0) return &c->bytes[i];
    return NULL;
}

/* The values of each player.  Without an index: those of the player whose expression it is. */
enum { SCORE, CHANGE, LIVES, OUT, PLAYER_VALUES };
static const char *const player_values[PLAYER_VALUES] = {"score", "change", "lives", "out"};

static int32_t offset_of(size_t array, int32_t player) {
    return (int32_t)(array + (size_t)player * sizeof(int32_t));
}

static bool parse_player_value(parser *p, int which, const char *at) {
    const char *name = player_values[which];
    int32_t player = p->c->player;
    if (next(p) == '[') {
        if (!parse_index(p, name, p->c->players - 1, &player)) return false;
    } else if (player < 0) {
        return toml_complain(p->c->toml, at, "whose? write %s[0] for the first player's", name);
    }
    if (which == CHANGE && (!p->c->has_change || !p->c->has_score))
        return toml_complain(p->c->toml, at, "change is that of the score: known in reward only, in a card with score");
    switch (which) {
    case SCORE: return push(p, at, CARD_STATE, offset_of(offsetof(game_state, score), player));
    case LIVES: return push(p, at, CARD_STATE, offset_of(offsetof(game_state, lives), player));
    case OUT: return push(p, at, CARD_OUT, player);
    default: return push(p, at, CARD_STATE, offset_of(offsetof(game_state, reward), player));
    }
}

static const struct {
    const char *name;
    uint16_t offset;
} state_values[] = {
    {"mode", offsetof(game_state, mode)},
    {"players", offsetof(game_state, players)},
    {"max_turn_time", offsetof(game_state, max_turn_time)},
};

static const struct {
    const char *name;
    card_op op;
    int count;
} functions[] = {
    {"abs", CARD_ABS, 1}, {"signed", CARD_SIGNED, 1}, {"min", CARD_MIN, 2}, {"max", CARD_MAX, 2}, {"bit", CARD_BIT, 2},
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };
static const char *const other_words[] = {
    "ram", "over", "reward", "bcd", "before", "changed", "and", "or", "not", "if", "else",
};

bool expression_is_reserved(const char *name, size_t size) {
    for (size_t i = 0; i < sizeof other_words / sizeof *other_words; i++)
        if (is_word(name, size, other_words[i])) return true;
    for (size_t i = 0; i < sizeof state_values / sizeof *state_values; i++)
        if (is_word(name, size, state_values[i].name)) return true;
    for (int i = 0; i < FUNCTIONS; i++)
        if (is_word(name, size, functions[i].name)) return true;
    for (int i = 0; i < PLAYER_VALUES; i++)
        if (is_word(name, size, player_values[i])) return true;
    return false;
}

static bool parse_arguments(parser *p, const char *name, int count, int *passed) {
    for (*passed = 0; *passed < count;) {
        if (!parse_expression(p)) return false;
        ++*passed;
        if (!accept(p, ",")) break;
        if (*passed == count)
            return toml_complain(p->c->toml, p->at, "%s takes %s%d value%s", name,
                                 *name == 'b' ? "at most " : "", count, count == 1 ? "" : "s");
    }
    return expect(p, ")", "after the values");
}

/* Decimal digits, the upper byte first. */
static bool parse_bcd(parser *p, const char *at) {
    for (int passed = 0; passed < 3; passed++) {
        int start = p->c->card->code_size;
        if (!parse_expression(p)) return false;
        /* A pair's first value is the number that the bytes before it make. */
        bool done = passed ? operate(p, at, CARD_BCD_PAIR, 2, start - 1) : operate(p, at, CARD_BCD, 1, start);
        if (!done) return false;
        if (!accept(p, ",")) return expect(p, ")", "after the bytes");
    }
    return toml_complain(p->c->toml, p->at, "bcd takes at most 3 bytes");
}

static bool parse_byte(parser *p, const char *function) {
    const char *at = (skip_space(p), p->at);
    size_t size = word_size(p);
    const named_byte *byte = expression_byte(p->c, p->at, size);
    int32_t index = byte ? byte->index : 0;
    p->at += size;
    if (!byte && !is_word(at, size, "ram"))
        return toml_complain(p->c->toml, at, "%s is of one byte: ram[n], or a name of [ram]", function);
    if (!byte && !parse_index(p, "ram", GAME_RAM_SIZE - 1, &index)) return false;
    return push(p, at, CARD_RAM, index) && expect(p, ")", "after the byte");
}

static bool parse_function(parser *p, const char *name, size_t size) {
    ale_card *card = p->c->card;
    const int start = card->code_size;
    if (is_word(name, size, "bcd")) return parse_bcd(p, name);
    if (is_word(name, size, "before") || is_word(name, size, "changed")) {
        if (!parse_byte(p, *name == 'b' ? "before" : "changed")) return false;
        card->rules.looks_back = true;
        int32_t index = card->code[start].operand;
        if (*name == 'c') return push(p, name, CARD_BEFORE, index) && operate(p, name, CARD_UNEQUAL, 2, start);
        card->code[start].op = CARD_BEFORE;
        return true;
    }
    for (int i = 0; i < FUNCTIONS; i++) {
        int passed;
        if (!is_word(name, size, functions[i].name)) continue;
        if (!parse_arguments(p, functions[i].name, functions[i].count, &passed)) return false;
        if (passed < functions[i].count)
            return toml_complain(p->c->toml, name, "%s takes %d values", functions[i].name, functions[i].count);
        return operate(p, name, functions[i].op, passed, start);
    }
    return toml_complain(p->c->toml, name, "there is no function %s; there are bcd, before, changed, abs, signed, min, "
                         "max, bit", toml_shown(name, size).text);
}

static bool complain_of_name(parser *p, const char *name, size_t size) {
    const char *near = NULL;
    size_t near_size = 0;
    for (int i = 0; i < p->c->byte_count && !near; i++)
        if (toml_is_near(name, size, p->c->bytes[i].name, p->c->bytes[i].size))
            near = p->c->bytes[i].name, near_size = p->c->bytes[i].size;
    for (int i = 0; i < p->c->variable_count && !near; i++)
        if (toml_is_near(name, size, p->c->variables[i]->key, p->c->variables[i]->key_size))
            near = p->c->variables[i]->key, near_size = p->c->variables[i]->key_size;
    if (near)
        return toml_complain(p->c->toml, name, "there is no %s; did you mean %s?", toml_shown(name, size).text,
                             toml_shown(near, near_size).text);
    return toml_complain(p->c->toml, name, "there is no %s; names are those in [ram] and [variables]",
                         toml_shown(name, size).text);
}

static bool parse_name(parser *p) {
    const char *name = p->at;
    const size_t size = word_size(p);
    int32_t index;
    p->at += size;
    if (next(p) == '(') {
        p->at++;
        return parse_function(p, name, size);
    }
    if (is_word(name, size, "ram"))
        return parse_index(p, "ram", GAME_RAM_SIZE - 1, &index) && push(p, name, CARD_RAM, index);
    if (is_word(name, size, "over")) return push(p, name, CARD_OVER, 0);
    for (int i = 0; i < PLAYER_VALUES; i++)
        if (is_word(name, size, player_values[i])) return parse_player_value(p, i, name);
    for (size_t i = 0; i < sizeof state_values / sizeof *state_values; i++)
        if (is_word(name, size, state_values[i].name)) return push(p, name, CARD_STATE, state_values[i].offset);
    const named_byte *byte = expression_byte(p->c, name, size);
    if (byte) return push(p, name, CARD_RAM, byte->index);
    for (int i = 0; i < p->c->variable_count; i++)
        if (p->c->variables[i]->key_size == size && memcmp(p->c->variables[i]->key, name, size) == 0)
            return push(p, name, CARD_STATE, offset_of(offsetof(game_state, var), i));
    if (expression_is_reserved(name, size))
        return toml_complain(p->c->toml, name, "%s cannot stand here", toml_shown(name, size).text);
    return complain_of_name(p, name, size);
}

static bool parse_operand(parser *p) {
    int32_t number;
    const char *at = (skip_space(p), p->at);
    if (is_digit(next(p))) return parse_number(p, &number) && push(p, at, CARD_NUMBER, number);
    if (accept(p, "(")) return parse_expression(p) && expect(p, ")", "that closes the (");
    if (word_size(p)) return parse_name(p);
    return complain_of_rest(p, "a value");
}

/* ---- Operators ----------------------------------------------------------------------------------------- */

/* How they bind, loosely first. */
enum {
    BINDS_OR, BINDS_AND, BINDS_NOT, COMPARES, BINDS_BITS, BINDS_XOR, BINDS_BIT_AND, SHIFTS, ADDS, MULTIPLIES,
    SIGNS,
};

static const struct {
    const char *sign;
    card_op op;
    int binding;
} operators[] = { /* the longer of two that begin alike comes first */
    {"or", CARD_OR, BINDS_OR}, {"and", CARD_AND, BINDS_AND},
    {"==", CARD_EQUAL, COMPARES}, {"!=", CARD_UNEQUAL, COMPARES},
    {"<<", CARD_SHIFT_LEFT, SHIFTS}, {">>", CARD_SHIFT_RIGHT, SHIFTS},
    {"<=", CARD_LESS_EQUAL, COMPARES}, {">=", CARD_GREATER_EQUAL, COMPARES},
    {"<", CARD_LESS, COMPARES}, {">", CARD_GREATER, COMPARES},
    {"|", CARD_BIT_OR, BINDS_BITS}, {"^", CARD_BIT_XOR, BINDS_XOR}, {"&", CARD_BIT_AND, BINDS_BIT_AND},
    {"+", CARD_ADD, ADDS}, {"-", CARD_SUBTRACT, ADDS}, {"*", CARD_MULTIPLY, MULTIPLIES},
    {"//", CARD_DIVIDE, MULTIPLIES}, {"%", CARD_MODULO, MULTIPLIES},
};

static bool parse_operators(parser *p, int binding);

static bool parse_signs(parser *p, int binding) {
    static const struct {
        const char *sign;
        card_op op;
        int binding;
    } signs[] = {
        {"not", CARD_NOT, BINDS_NOT}, {"-", CARD_NEGATE, SIGNS}, {"~", CARD_INVERT, SIGNS}, {"+", CARD_END, SIGNS},
    };
    const char *at = (skip_space(p), p->at);
    if (p->depth >= EXPRESSION_DEPTH) return toml_complain(p->c->toml, at, "the expression is nested too deeply");
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (!accept(p, signs[i].sign)) continue;
        if (signs[i].binding < binding)
            return toml_complain(p->c->toml, at, "put %s and what follows in parentheses", signs[i].sign);
        int start = p->c->card->code_size;
        p->depth++;
        if (!parse_operators(p, signs[i].binding)) return false;
        p->depth--;
        return signs[i].op == CARD_END || operate(p, at, signs[i].op, 1, start);
    }
    return parse_operand(p);
}

/* Operands joined by operators that bind at least so strongly. */
static bool parse_operators(parser *p, int binding) {
    const int start = p->c->card->code_size;
    if (!parse_signs(p, binding)) return false;
    for (bool compared = false;;) {
        const char *at = (skip_space(p), p->at);
        size_t i = 0;
        for (; i < sizeof operators / sizeof *operators; i++)
            if (accept(p, operators[i].sign)) break;
        if (i == sizeof operators / sizeof *operators) return true;
        if (operators[i].binding < binding) {
            p->at = at;
            return true;
        }
        if (operators[i].binding == COMPARES && compared)
            return toml_complain(p->c->toml, at, "only two values can be compared; join comparisons by and");
        compared = operators[i].binding == COMPARES;
        p->depth++;
        if (!parse_operators(p, operators[i].binding + 1)) return false;
        p->depth--;
        if (!operate(p, at, operators[i].op, 2, start)) return false;
    }
}

static bool parse_expression(parser *p) {
    const int start = p->c->card->code_size;
    const char *at = p->at;
    if (++p->depth > EXPRESSION_DEPTH) return toml_complain(p->c->toml, at, "the expression is nested too deeply");
    if (!parse_operators(p, BINDS_OR)) return false;
    if (accept(p, "if")) {
        if (!parse_operators(p, BINDS_OR) || !expect(p, "else", "and another value") || !parse_expression(p) ||
            !operate(p, at, CARD_CHOOSE, 3, start))
            return false;
    }
    p->depth--;
    return true;
}

bool expression_compile(compiler *c, const toml_node *text) {
    parser p = {.c = c, .at = text->text, .end = text->text + text->size};
    if (!next(&p)) return toml_complain(c->toml, text->at, "the expression is empty");
    if (!parse_expression(&p)) return false;
    if (!next(&p)) return true;
    if (*p.at == '/') return toml_complain(c->toml, p.at, "write // for a division, which rounds down");
    if (*p.at == '=') return toml_complain(c->toml, p.at, "write == to compare");
    return complain_of_rest(&p, "an operator or the end");
}
