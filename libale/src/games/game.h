/* What a game is: its rule card and the few functions that read a score out of its RAM.
 *
 * Every .c file of this folder but game.c and registry.c is one game: constant tables (title, md5, actions,
 * modes, difficulties) and two or three short functions.  A game has up to two rule sets, which differ in
 * details that training results depend on: `solo` (one player) and `multi` (one to four players).
 *
 * Rules may also come from a text, a card; then the tables are made by cards/card.c.
 *
 * A rule set never sees the console: it gets the console's RAM after each emulated frame, and works the
 * console's switches, or writes RAM, through a `game_control`.
 */
#ifndef ALE_GAME_H
#define ALE_GAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../support/invariants.h"

enum { GAME_MAX_PLAYERS = 4, GAME_VARIABLES = 32, GAME_RAM_SIZE = 128 };
/* Bound of every number that a game keeps, so that the sum of two fits into 32 bits. */
enum { GAME_NUMBER_LIMIT = 1 << 28 };

/* Joystick actions, numbered as everywhere in the field. */
enum {
    ACTION_NOOP,
    ACTION_FIRE,
    ACTION_UP,
    ACTION_RIGHT,
    ACTION_LEFT,
    ACTION_DOWN,
    ACTION_UPRIGHT,
    ACTION_UPLEFT,
    ACTION_DOWNRIGHT,
    ACTION_DOWNLEFT,
    ACTION_UPFIRE,
    ACTION_RIGHTFIRE,
    ACTION_LEFTFIRE,
    ACTION_DOWNFIRE,
    ACTION_UPRIGHTFIRE,
    ACTION_UPLEFTFIRE,
    ACTION_DOWNRIGHTFIRE,
    ACTION_DOWNLEFTFIRE,
    ACTION_COUNT,
    ACTION_RESET = 40 /* the console's RESET switch, in starting actions only */
};

/* Sets of actions are bit masks. */
#define ACTION_BIT(name) (UINT32_C(1) << ACTION_##name)
#define ACTIONS_ALL ((UINT32_C(1) << ACTION_COUNT) - 1)

/* The memory a rule may look at. */
typedef struct game_memory {
    const uint8_t *ram;      /* the console's 128 bytes, ram[i] is address 0x80 + i */
    const uint8_t *cart_ram; /* the cartridge's extra RAM, or NULL where it has none */
} game_memory;

/* What a rule remembers.  All of it is saved in and restored from snapshots. */
typedef struct game_state {
    int32_t reward[GAME_MAX_PLAYERS]; /* of the latest step */
    int32_t score[GAME_MAX_PLAYERS];  /* as of the latest step */
    int32_t lives[GAME_MAX_PLAYERS];
    int32_t var[GAME_VARIABLES]; /* the game's own, named in the game's file */
    int32_t mode;                /* the mode in force; the environment keeps it */
    int32_t players;             /* players of that mode; the environment keeps it */
    int32_t max_turn_time;       /* setting of the multi-player rules, -1: none; the environment keeps it */
    bool terminal;
    bool started; /* for the rules that wait for a game to begin */
    uint8_t reserved[2];
    uint8_t before[GAME_RAM_SIZE]; /* RAM as of the latest step, for rules that look back */
} game_state;

/* The environment as rules see it that work the console: to select a mode, or to write RAM.  What it does is the
 * environment's: each function as the one below that calls it. */
typedef struct game_control game_control;
typedef struct game_control_functions {
    bool (*press_select)(game_control *control, int frames);
    void (*soft_reset)(game_control *control);
    bool (*act)(game_control *control, int action);
    uint32_t (*random)(game_control *control);
    void (*poke)(game_control *control, uint8_t ram_index, uint8_t value);
} game_control_functions;
struct game_control { /* begins a struct of the environment's */
    const game_memory *memory;
    const game_control_functions *functions;
};

/* The memory pointers stay valid and always show the console as it is after the latest press, soft reset, act or
 * poke. */
const game_memory *control_memory(const game_control *control);

/* Hold SELECT for `frames` frames without a rule step, then one NOOP frame with one; counts one frame.
 * False (and nothing done) once a reset has pressed or acted unreasonably often: the cartridge does not
 * answer, and the selection must give up by returning false. */
bool control_press_select(game_control *control, int frames);
/* Call control_press_select until RAM shows a value, then make the soft reset. */
bool control_select_until(game_control *control, int ram_index, int value, int frames);
/* Hold the console's RESET switch for 4 frames (rule step after each), then forget sticky actions. */
void control_soft_reset(game_control *control);
/* One ordinary action of player A (player B: NOOP).  False as control_press_select, and also when the
 * episode is over or truncated, so that nothing is emulated any more. */
bool control_act(game_control *control, int action);
/* One 32-bit output of the environment's generator. */
uint32_t control_random(game_control *control);
/* Write a byte of RAM, as the program would. */
void control_poke(game_control *control, uint8_t ram_index, uint8_t value);

/* Sides of a field that is symmetric from left to right, for learners that play every side as if it were the
 * first player's. */
typedef struct game_sides {
    uint8_t mirrored; /* bit p: player p is on the other side; 0: this mode has no such sides */
    bool turned;      /* LEFT and RIGHT are directions on the screen, which change places with the sides */
} game_sides;
enum { SECOND_MIRRORED = 0x2, SECOND_AND_FOURTH_MIRRORED = 0xA }; /* game_sides.mirrored */

/* What is reported as a player's lives.  A game that does not show them has a FLAG: one in the solo rules, while
 * it runs, and none in the multi-player ones. */
typedef enum game_lives {
    LIVES_COUNTED, /* state->lives while the game runs, else 0 */
    LIVES_RAW,     /* state->lives; negative: the player is out */
    LIVES_FLAG,
    LIVES_ONE,
    LIVES_ZERO
} game_lives;

extern const invariant game_invariants[];

/* One rule set.  Its functions get it back, for what it has of its own: it may begin a larger struct. */
typedef struct game_rules game_rules;
typedef void game_step(const game_rules *rules, game_state *state, const game_memory *memory);
/* A correction after `step`; `before` are the players' scores as of the step before. */
typedef void game_correction(const game_rules *rules, game_state *state, const game_memory *memory,
                             const int32_t *before);
typedef void game_pokes(const game_rules *rules, game_state *state, game_control *control);
struct game_rules {
    /* Lists of mode numbers by number of players: modes[0] for one player, [1] for two, [3] for four.
     * Each list is ascending as the reference gives it; unused lists are empty. */
    struct {
        const uint16_t *list;
        uint16_t count;
        uint16_t usual; /* the mode that is played where nobody chooses one; 0: the first */
    } modes[GAME_MAX_PLAYERS];
    uint32_t minimal_actions;        /* bit mask */
    uint32_t illegal_actions;        /* bit mask: these act as NOOP and are left out of the legal set */
    uint8_t difficulties;            /* bit mask: bit d is set where difficulty d is available */
    uint16_t starting_action_count;
    const uint8_t *starting_actions; /* played by player A after each reset; may contain ACTION_RESET */

    /* Start values.  Called on a state whose reward, score, lives, terminal and started are all zero and
     * whose `var` still holds what it held (a few rules keep something over a reset; on a new
     * environment it is zero).  NULL: nothing more to do. */
    game_step *reset;
    /* Read reward, score, lives and the end of the game after one frame. */
    game_step *step;
    /* Write bytes of RAM: `set` at the end of a reset; `hold` after that, and after each frame that is no part of a
     * reset, before `step`.  NULL: none. */
    game_pokes *set, *hold;
    game_lives lives;
    bool looks_back;   /* state->before is used; else it stays 0 */
    uint8_t variables; /* number of state->var that are used; the others stay 0 */
    uint8_t kept;      /* number of players with reward, score and lives even in modes for fewer; 0: the mode's own */
    /* Whether the game is over; NULL: state->terminal. */
    bool (*over)(const game_state *state);
    /* Corrections of faults that the originals have, for the option corrected_rules (step_corrected). */
    int32_t score_range; /* the highest score and 1: the counter goes on at 0, or shows signs; 0: nothing to correct */
    bool score_is_lead;  /* the score is one counter less another, of which each goes on at 0 */
    game_correction *correct; /* what else to change after `step`; NULL: nothing */
    /* How most games select a mode: SELECT is held for `frames` frames at a time until RAM shows
     * cartridge_mode(mode) + offset, then comes the soft reset.  frames: 0 if this is not how. */
    struct {
        uint8_t ram_index;
        uint8_t frames;
        int8_t offset;
    } select;
    /* Work the switches until the cartridge shows `mode` (always one of the lists).  False: gave up.  NULL: `select`
     * says how.  If that selects nothing either, nothing happens, not even a soft reset. */
    bool (*select_mode)(const game_rules *rules, game_state *state, game_control *control, int mode);
    const char *selection; /* what it waited for, for the message when it gave up; NULL: nothing to say */
    /* Of one of the modes; NULL: none has sides. */
    game_sides (*sides)(int mode);
};

typedef struct ale_game {
    const char *name;  /* the field's identifier, such as "ms_pacman" */
    const char *title; /* for people */
    const char *md5;   /* of the raw image, 32 lower-case hex digits */
    int32_t paddle_max; /* upper paddle limit this game asks for in the solo rules, 0: the usual one */
    const game_rules *solo;  /* NULL: not playable alone */
    const game_rules *multi; /* NULL: the solo rules serve, with multi-player conventions */
    int by_mode_less; /* ALE_BY_MODE: by how much numbers of modes for several players are less than in `multi`; it
                         sets them apart from those in `solo` */
    const char *identity;    /* that saved states are compared with, below 32 characters; NULL: the name */
} ale_game;

#define MODES(array) MODES_USUALLY(array, 0)
#define MODES_USUALLY(array, mode) {(array), (uint16_t)(sizeof(array) / sizeof(*(array))), (mode)}
#define STARTING_ACTIONS(array)                                                                         \
    .starting_actions = (array), .starting_action_count = (uint16_t)sizeof(array)

/* Modes for several players that no other package has: the number that the cartridge gives the variation, and
 * 100 for each further player, so that all numbers of the originals keep their meaning. */
#define MODE_FOR(players, number) (100 * ((players) - 1) + (number))
static inline int cartridge_mode(int mode) { return mode % 100; }

/* All games in alphabetical order. */
extern const ale_game *const ale_games[];
extern const int ale_games_count;
const ale_game *game_by_name(const char *name); /* NULL: unknown */
const ale_game *game_by_md5(const char *md5);   /* NULL: unknown */

/* Words that many rule cards share. */
int32_t bcd(uint8_t byte);                             /* two decimal digits; nibbles above 9 count as they are */
int32_t bcd2(uint8_t low, uint8_t high);               /* four */
int32_t bcd3(uint8_t low, uint8_t middle, uint8_t high); /* six */
void score_to(game_state *state, int32_t score);       /* player 0: reward = score - old score */
void player_score_to(game_state *state, int player, int32_t score);
/* Select a mode, as the rules say.  False: the cartridge does not answer. */
bool rules_select_mode(const game_rules *rules, game_state *state, game_control *control, int mode);
/* The rules' step without its faults. */
void step_corrected(const game_rules *rules, game_state *state, const game_memory *memory);

int32_t lives_of(const game_state *state, game_lives lives, int player);

#endif
