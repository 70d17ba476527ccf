/* TOML texts to trees. */
#include "toml.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct reader {
    toml_tree *toml;
    const char *at, *end;
} reader;

/* ---- Complaints ---------------------------------------------------------------------------------------- */

card_place toml_place(const toml_tree *toml, const char *at) {
    card_place place = {1, 1};
    for (const char *c = toml->start; c < at; c++) {
        if (*c == '\n')
            place.line++, place.column = 1;
        else if (((uint8_t)*c & 0xC0) != 0x80) /* a character's first byte */
            place.column++;
    }
    return place;
}

bool toml_complain(toml_tree *toml, const char *at, const char *format, ...) {
    if (*toml->error) return false;
    card_place place = toml_place(toml, at);
    int size = snprintf(toml->error, CARD_ERROR_SIZE, "line %d, column %d: ", place.line, place.column);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(toml->error + size, CARD_ERROR_SIZE - (size_t)size, format, arguments);
    va_end(arguments);
    return false;
}

toml_word toml_shown(const char *text, size_t size) {
    toml_word word;
    size_t n = 0;
    for (; n < size && n < sizeof word.text - 4; n++)
        word.text[n] = text[n] >= ' ' && text[n] <= '~' ? text[n] : '?';
    if (n < size) memcpy(word.text + n, "...", 3), n += 3;
    word.text[n] = 0;
    return word;
}

const char *toml_kind_name(toml_kind kind) {
    static const char *const names[] = {"a table", "an array", "a string", "a number", "true or false"};
    return names[kind];
}

enum { WORD_SIZE = 32 };

bool toml_is_near(const char *a, size_t n, const char *b, size_t m) {
    size_t row[WORD_SIZE + 1];
    if (n > WORD_SIZE || m > WORD_SIZE) return false;
    for (size_t j = 0; j <= m; j++) row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[m] <= 1 + n / 4;
}

/* ---- Characters ---------------------------------------------------------------------------------------- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_in_key(char c) { return is_letter(c) || is_digit(c) || c == '-'; }

/* The bytes of the UTF-8 character that begins here; 0: none does. */
static int character_size(const uint8_t *at, const uint8_t *end) {
    int size = *at < 0x80 ? 1 : *at >= 0xC2 && *at < 0xE0 ? 2 : *at >> 4 == 0xE ? 3 : *at >= 0xF0 && *at < 0xF5 ? 4 : 0;
    if (size > end - at) return 0;
    for (int i = 1; i < size; i++)
        if ((at[i] & 0xC0) != 0x80) return 0;
    uint8_t second = size > 1 ? at[1] : 0;
    bool overlong = (*at == 0xE0 && second < 0xA0) || (*at == 0xF0 && second < 0x90);
    bool beyond = (*at == 0xED && second > 0x9F) || (*at == 0xF4 && second > 0x8F);
    return overlong || beyond ? 0 : size;
}

static bool check_characters(toml_tree *toml) {
    for (const char *c = toml->start; c < toml->end;) {
        int size = character_size((const uint8_t *)c, (const uint8_t *)toml->end);
        if (!size) return toml_complain(toml, c, "this is no UTF-8 text");
        bool is_line_end = *c == '\n' || (*c == '\r' && c + 1 < toml->end && c[1] == '\n');
        if ((size == 1 && (uint8_t)*c < ' ' && *c != '\t' && !is_line_end) || *c == 0x7F)
            return toml_complain(toml, c, "a control character (%d)", *c);
        c += size;
    }
    return true;
}

int toml_digit(char c) {
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

static bool looking_at(const reader *r, const char *word) {
    size_t size = strlen(word);
    return (size_t)(r->end - r->at) >= size && memcmp(r->at, word, size) == 0;
}

static char next(const reader *r) { return r->at < r->end ? *r->at : 0; }

static void skip_blanks(reader *r) {
    while (next(r) == ' ' || next(r) == '\t' || next(r) == '\r') r->at++;
    if (next(r) == '#')
        while (r->at < r->end && *r->at != '\n') r->at++;
}

static void skip_lines(reader *r) {
    for (skip_blanks(r); next(r) == '\n'; skip_blanks(r)) r->at++;
}

static bool expect(reader *r, char expected, const char *where) {
    if (next(r) == expected) {
        r->at++;
        return true;
    }
    return toml_complain(r->toml, r->at, "expected %c %s", expected, where);
}

/* ---- Nodes --------------------------------------------------------------------------------------------- */

static toml_node *add(reader *r, toml_node *parent, const char *at) {
    if (r->toml->count == TOML_NODES) {
        toml_complain(r->toml, at, "a card has at most %d keys and values", TOML_NODES);
        return NULL;
    }
    toml_node *node = &r->toml->nodes[r->toml->count++];
    *node = (toml_node){.at = at};
    if (parent->last)
        parent->last->next = node;
    else
        parent->first = node;
    parent->last = node;
    return node;
}

static toml_node *child(const toml_node *parent, const char *key, size_t size) {
    for (toml_node *node = parent->first; node; node = node->next)
        if (node->key_size == size && memcmp(node->key, key, size) == 0) return node;
    return NULL;
}

static bool read_key(reader *r, const char **key, size_t *size) {
    const char quote = next(r), *start = r->at;
    if (quote == '"' || quote == '\'') {
        for (r->at++; next(r) && next(r) != '\n' && next(r) != quote; r->at++)
            if (quote == '"' && *r->at == '\\')
                return toml_complain(r->toml, r->at, "a backslash has no meaning in a card");
        if (next(r) != quote) return toml_complain(r->toml, start, "a key without its closing %c", quote);
        *key = start + 1;
        *size = (size_t)(r->at++ - *key);
        return true;
    }
    while (is_in_key(next(r))) r->at++;
    *key = start;
    *size = (size_t)(r->at - start);
    return *size || toml_complain(r->toml, start, "expected a key, such as name or [modes]");
}

/* ---- Values -------------------------------------------------------------------------------------------- */

static bool read_value(reader *r, toml_node *node, int depth);

static bool read_string(reader *r, toml_node *node) {
    const char quote = *r->at;
    const bool is_long = looking_at(r, quote == '"' ? "\"\"\"" : "'''");
    const char *start = r->at;
    r->at += is_long ? 3 : 1;
    node->kind = TOML_STRING;
    node->text = r->at;
    for (;; r->at++) {
        if (r->at == r->end || (*r->at == '\n' && !is_long))
            return toml_complain(r->toml, start, "a string without its closing %c", quote);
        if (*r->at == '\\' && quote == '"')
            return toml_complain(r->toml, r->at, "a backslash has no meaning in a card");
        if (*r->at != quote) continue;
        if (!is_long || looking_at(r, quote == '"' ? "\"\"\"" : "'''")) break;
    }
    node->size = (size_t)(r->at - node->text);
    r->at += is_long ? 3 : 1;
    return true;
}

static bool read_number(reader *r, toml_node *node) {
    const char *start = r->at;
    const bool negative = next(r) == '-';
    if (negative || next(r) == '+') r->at++;
    int base = looking_at(r, "0x") ? 16 : looking_at(r, "0o") ? 8 : looking_at(r, "0b") ? 2 : 10;
    if (base != 10) r->at += 2;
    const char *digits = r->at;
    int64_t number = 0;
    for (;; r->at++) {
        if (next(r) == '_' && r->at > digits) continue;
        int digit = toml_digit(next(r));
        if (digit >= base) break;
        number = number * base + digit;
        if (number > INT32_MAX) return toml_complain(r->toml, start, "a number beyond 32 bits");
    }
    bool is_padded = base == 10 && r->at > digits + 1 && *digits == '0'; /* there may be no digit */
    bool is_signed = base != 10 && digits != start + 2;
    if (r->at == digits || r->at[-1] == '_' || is_padded || is_signed || is_in_key(next(r)) || next(r) == '.')
        return toml_complain(r->toml, start, "this is no whole number");
    node->kind = TOML_INTEGER;
    node->number = negative ? -number : number;
    return true;
}

static bool read_array(reader *r, toml_node *node, int depth) {
    node->kind = TOML_ARRAY;
    r->at++;
    for (;;) {
        skip_lines(r);
        if (next(r) == ']') break;
        toml_node *element = add(r, node, r->at);
        if (!element || !read_value(r, element, depth + 1)) return false;
        skip_lines(r);
        if (next(r) == ']') break;
        if (!expect(r, ',', "or ] after an element")) return false;
    }
    r->at++;
    return true;
}

static bool read_pair(reader *r, toml_node *table, int depth) {
    const char *key, *at = r->at;
    size_t size;
    if (!read_key(r, &key, &size)) return false;
    if (child(table, key, size))
        return toml_complain(r->toml, at, "%s occurs twice", toml_shown(key, size).text);
    skip_blanks(r);
    if (next(r) == '.')
        return toml_complain(r->toml, r->at, "a key with a dot; write a table [%s...] instead",
                             toml_shown(key, size).text);
    if (!expect(r, '=', "after a key")) return false;
    skip_blanks(r);
    toml_node *node = add(r, table, r->at);
    if (!node) return false;
    node->key = key;
    node->key_size = size;
    return read_value(r, node, depth);
}

static bool read_inline_table(reader *r, toml_node *node, int depth) {
    node->kind = TOML_TABLE;
    node->is_inline = true;
    r->at++;
    skip_blanks(r);
    if (next(r) == '}') {
        r->at++;
        return true;
    }
    for (;;) {
        skip_blanks(r);
        if (!read_pair(r, node, depth + 1)) return false;
        skip_blanks(r);
        if (next(r) == '}') break;
        if (!expect(r, ',', "or } after a value")) return false;
    }
    r->at++;
    return true;
}

static bool read_value(reader *r, toml_node *node, int depth) {
    const char c = next(r);
    if (depth > TOML_DEPTH) return toml_complain(r->toml, r->at, "values are nested too deeply");
    if (c == '"' || c == '\'') return read_string(r, node);
    if (c == '[') return read_array(r, node, depth);
    if (c == '{') return read_inline_table(r, node, depth);
    if (is_digit(c) || c == '-' || c == '+') return read_number(r, node);
    const char *start = r->at;
    while (is_in_key(next(r))) r->at++;
    const size_t size = (size_t)(r->at - start);
    node->kind = TOML_BOOLEAN;
    node->number = size == 4 && memcmp(start, "true", 4) == 0;
    if (node->number || (size == 5 && memcmp(start, "false", 5) == 0)) return true;
    return toml_complain(r->toml, start, "expected a value: a number, a string in quotes, an array or a table");
}

/* ---- Texts --------------------------------------------------------------------------------------------- */

/* [a.b]: the table that the following pairs belong to. */
static toml_node *read_header(reader *r) {
    toml_node *table = &r->toml->nodes[0];
    r->at++;
    if (next(r) == '[') {
        toml_complain(r->toml, r->at, "cards have no arrays of tables");
        return NULL;
    }
    for (bool last = false; !last;) {
        const char *key, *at;
        size_t size;
        skip_blanks(r);
        at = r->at;
        if (!read_key(r, &key, &size)) return NULL;
        skip_blanks(r);
        last = next(r) != '.';
        if (last ? !expect(r, ']', "after the name of a table") : !expect(r, '.', "")) return NULL;
        toml_node *table_here = child(table, key, size);
        if (table_here && (table_here->kind != TOML_TABLE || table_here->is_inline || (last && !table_here->is_open))) {
            toml_complain(r->toml, at, "%s occurs twice", toml_shown(key, size).text);
            return NULL;
        }
        if (!table_here) {
            table_here = add(r, table, at);
            if (!table_here) return NULL;
            table_here->kind = TOML_TABLE;
            table_here->key = key;
            table_here->key_size = size;
            table_here->is_open = true;
        }
        if (last) table_here->is_open = false;
        table = table_here;
    }
    return table;
}

bool toml_parse(toml_tree *toml, const char *text, size_t size, char *error) {
    toml->start = text;
    toml->end = text + size;
    toml->error = error;
    toml->count = 1;
    toml->nodes[0] = (toml_node){.at = text};
    *error = 0;
    if (!check_characters(toml)) return false;
    reader r = {toml, text, toml->end};
    toml_node *table = &toml->nodes[0];
    for (;;) {
        skip_lines(&r);
        if (r.at == r.end) return true;
        if (next(&r) == '[') {
            table = read_header(&r);
            if (!table) return false;
        } else if (!read_pair(&r, table, 0)) {
            return false;
        }
        skip_blanks(&r);
        if (r.at < r.end && *r.at != '\n')
            return toml_complain(toml, r.at, "expected the end of the line");
    }
}
