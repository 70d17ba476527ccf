/* The part of TOML that cards are written in: tables, strings on one line or several, whole numbers, truth
 * values, arrays.  Without escapes in strings, so that a place in a string is a place in the text; dotted keys
 * in headers only; no dates, fractions and arrays of tables. */
#ifndef ALE_TOML_H
#define ALE_TOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../support/printf_like.h"
#include "card.h"

enum { TOML_NODES = 4096, TOML_DEPTH = 8 };

typedef enum toml_kind { TOML_TABLE, TOML_ARRAY, TOML_STRING, TOML_INTEGER, TOML_BOOLEAN } toml_kind;

typedef struct toml_node {
    toml_kind kind;
    const char *at;  /* where it stands: the key of a table, else the value */
    const char *key; /* not of an array's elements */
    size_t key_size;
    const char *text; /* a string's */
    size_t size;
    int64_t number; /* a number's or truth value's */
    bool is_open;   /* a table that a header may still begin */
    bool is_inline; /* a table that is complete */
    struct toml_node *first, *last, *next;
} toml_node;

typedef struct toml_tree {
    const char *start, *end;
    char *error; /* CARD_ERROR_SIZE bytes; the first complaint */
    int count;
    toml_node nodes[TOML_NODES]; /* the root comes first */
} toml_tree;

/* Build the tree of a text.  False with a complaint. */
bool toml_parse(toml_tree *toml, const char *text, size_t size, char *error);
const char *toml_kind_name(toml_kind kind);
int toml_digit(char c); /* the value of a digit up to f; of another character 99 */

card_place toml_place(const toml_tree *toml, const char *at);

/* Say what is wrong at a place of the text; the first complaint counts.  False. */
PRINTF_LIKE(3, 4) bool toml_complain(toml_tree *toml, const char *at, const char *format, ...);

/* Some characters of the text in a form fit for a message. */
typedef struct toml_word {
    char text[48];
} toml_word;
toml_word toml_shown(const char *text, size_t size);

/* Whether one word may be meant by the other: few letters differ. */
bool toml_is_near(const char *a, size_t n, const char *b, size_t m);

#endif
