/* Cards: the rules of a game as a text (TOML; docs/cards.md is its description for who writes one).
 *
 * A card is read once, into one flat struct that never changes: facts like those of a built-in game, and the
 * card's expressions as straight-line code for a small stack machine.  The code has no jumps, so it takes the
 * same time every frame; it reads the console's RAM and the game's state, and writes only the latter.
 *
 *     toml.c         text to a tree of values
 *     expression.c   an expression to code
 *     card.c         the tree to a card
 *     play.c         what a card does each frame
 */
#ifndef ALE_CARD_H
#define ALE_CARD_H

#include <ale/ale.h>
#include <stdatomic.h>

#include "../games/game.h"

enum {
    CARD_TEXT_SIZE = 64 * 1024,
    CARD_CODE_SIZE = 4096,
    CARD_STACK_SIZE = 32,
    CARD_MODES = 256, /* for each number of players */
    CARD_STARTING_ACTIONS = 600,
    CARD_VARIATIONS = 64,
    CARD_POKES = 512,
    CARD_NAME_SIZE = 32, /* of anything named in a card, with its final zero */
    CARD_TITLE_SIZE = 128,
    CARD_ROM_SIZE = 128,
    CARD_SELECTION_SIZE = 128,
    CARD_NUMBER_LIMIT = GAME_NUMBER_LIMIT
};

/* Operations take their operands from the stack and leave their result there. */
typedef enum card_op {
    /* Values; the operand says which. */
    CARD_NUMBER,
    CARD_RAM,
    CARD_BEFORE, /* a byte of RAM as of the frame before */
    CARD_STATE,  /* an int32_t of game_state; the operand is its offset */
    CARD_OVER,
    CARD_OUT,    /* the operand is a player */
    /* One operand. */
    CARD_NEGATE,
    CARD_INVERT,
    CARD_NOT,
    CARD_ABS,
    CARD_SIGNED,
    CARD_BCD,
    /* Two. */
    CARD_ADD,
    CARD_SUBTRACT,
    CARD_MULTIPLY,
    CARD_DIVIDE,
    CARD_MODULO,
    CARD_SHIFT_LEFT,
    CARD_SHIFT_RIGHT,
    CARD_BIT_AND,
    CARD_BIT_OR,
    CARD_BIT_XOR,
    CARD_AND,
    CARD_OR,
    CARD_EQUAL,
    CARD_UNEQUAL,
    CARD_LESS,
    CARD_LESS_EQUAL,
    CARD_GREATER,
    CARD_GREATER_EQUAL,
    CARD_MIN,
    CARD_MAX,
    CARD_BIT,
    CARD_BCD_PAIR, /* upper, lower: 100 * upper + bcd(lower) */
    /* Three: value, condition, other value. */
    CARD_CHOOSE,
    /* Take a value and keep it. */
    CARD_STORE, /* in an int32_t of game_state */
    CARD_SCORE, /* the operand is a player, as in the next */
    CARD_LIVES, /* takes lives and whether the player is out */
    CARD_STORE_OVER,
    /* Leave the value on top, 0 if there is none. */
    CARD_END
} card_op;

typedef struct card_instruction {
    card_op op;
    int32_t operand;
} card_instruction;

/* A byte of RAM that a variation writes. */
typedef struct card_poke {
    uint8_t index;
    uint16_t code; /* of its value */
} card_poke;

typedef struct card_pokes {
    uint16_t first, count; /* in the card's list */
} card_pokes;

/* What the functions of play.c find behind the rules that they get back. */
typedef struct card_rules {
    game_rules rules;
    const ale_card *card;
    card_pokes set, hold;
} card_rules;

/* A game as it is played in one variation, or in none. */
typedef struct card_variation {
    char name[CARD_NAME_SIZE];
    ale_game game;
    card_rules solo, multi; /* the same, but for the modes: `solo` has those for one player */
} card_variation;

typedef enum card_controllers { CONTROLLERS_KNOWN, CONTROLLERS_JOYSTICKS, CONTROLLERS_PADDLES } card_controllers;

/* Where something stands in the text, both from 1. */
typedef struct card_place {
    int line, column;
} card_place;

struct ale_card {
    atomic_int references;
    card_variation plain; /* without variation */
    game_rules rules;     /* what the rules of all variations have, with the modes for all numbers of players */
    char name[CARD_NAME_SIZE], title[CARD_TITLE_SIZE], md5[33], rom[CARD_ROM_SIZE];
    char identity[32]; /* of the text, which saved states are compared with */
    int format;        /* rom_format; -1: found out */
    card_controllers controllers;
    uint16_t modes[GAME_MAX_PLAYERS][CARD_MODES];
    uint8_t starting_actions[CARD_STARTING_ACTIONS];
    int32_t first_values[GAME_VARIABLES];
    bool is_kept[GAME_VARIABLES]; /* over a reset */
    int variable_count;
    bool selects; /* there is a mode to select, by these: */
    uint16_t select_until;
    char selection[CARD_SELECTION_SIZE]; /* where `select_until` is said */
    card_place md5_place; /* of this key's value, for a complaint that comes later */
    int select_frames, select_first, select_rest;
    int variation_count, poke_count, code_size;
    card_variation variations[CARD_VARIATIONS];
    card_poke pokes[CARD_POKES];
    card_instruction code[CARD_CODE_SIZE]; /* that of a frame comes first */
};

/* Read a card.  NULL with a message, which begins with the place, in `error` (CARD_ERROR_SIZE bytes), and NULL
 * with an empty one when memory is short. */
enum { CARD_ERROR_SIZE = 400 };
ale_card *card_create(const char *text, size_t size, char *error);
ale_card *card_retain(ale_card *card); /* NULL is fine, as in the next */
void card_release(ale_card *card);
const card_variation *card_variation_by_name(const ale_card *card, const char *name); /* NULL: none */

/* play.c */
/* The value that the code from `start` leaves on top. */
int32_t card_run(const ale_card *card, int start, game_state *state, const game_memory *memory);
/* Of the rules (games/game.h) that begin a card_rules. */
game_step card_reset, card_step;
game_pokes card_set, card_hold;
bool card_select_mode(const game_rules *rules, game_state *state, game_control *control, int mode);

#endif
