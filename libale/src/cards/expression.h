/* Expressions of cards: from text to code, whose need of the stack is known before it ever runs. */
#ifndef ALE_EXPRESSION_H
#define ALE_EXPRESSION_H

#include "toml.h"

enum { CARD_BYTE_NAMES = 256, EXPRESSION_DEPTH = 64 };

typedef struct named_byte {
    const char *name;
    size_t size;
    uint8_t index;
} named_byte;

/* What expressions are compiled with: the names they may use and the code they become. */
typedef struct compiler {
    toml_tree *toml;
    ale_card *card;
    named_byte bytes[CARD_BYTE_NAMES];
    int byte_count;
    const toml_node *variables[GAME_VARIABLES];
    int variable_count;
    int players;      /* at most, in the card's modes */
    bool has_score;
    int player;       /* whose `score` and `lives` are meant where none is named; -1: nobody's */
    bool has_change;  /* whether the code that reads `change` runs when it is known */
} compiler;

/* Append the code of a string's expression, without its end.  False with a complaint. */
bool expression_compile(compiler *compiler, const toml_node *text);
/* Append one instruction. */
bool expression_emit(compiler *compiler, const char *at, card_op op, int32_t operand);
/* Whether a name is one that cards cannot give: a function, or a value that is always there. */
bool expression_is_reserved(const char *name, size_t size);
const named_byte *expression_byte(const compiler *compiler, const char *name, size_t size);

#endif
