/* An RL environment: a console, the rules of its game, and what lies between the two - resets, acts, sticky
 * actions, frame skip, paddles, truncation.  The functions behind ale.h, whose promises they keep; arguments
 * have been checked by api.c, but for the options. */
#ifndef ALE_ENVIRONMENT_H
#define ALE_ENVIRONMENT_H

#include <ale/ale.h>
#include <stdbool.h>

#include "../console/console.h"
#include "../games/game.h"
#include "../support/choice.h"
#include "../support/os.h"
#include "coloring.h"

/* The usual limits of a paddle, in ohms. */
enum { PADDLE_MIN = 27450, PADDLE_MAX = 790196 };

/* What changes while an environment lives, but for the console; flat, saved by copying. */
typedef struct environment_state {
    int32_t frame_number, episode_frame_number;
    int32_t mode, difficulty;
    int32_t paddle[GAME_MAX_PLAYERS]; /* positions, which are the resistances */
    int32_t paddle_min, paddle_max;
    int32_t lives_at_start;           /* of the episode, as soon as the game shows any */
    uint32_t other_seed;              /* ALE_BY_MODE: of the random generator when the other rules come into force;
                                         else 0 */
    uint8_t reserved[4];
    game_state game;
    uint8_t held[GAME_MAX_PLAYERS];   /* sticky actions: what each player's hand was last made to do */
    float held_strength[GAME_MAX_PLAYERS];
    uint8_t samples[AUDIO_SAMPLES];
} environment_state;

/* Frames blended with the ones before them. */
typedef struct blending {
    bool current;            /* `pixels` is of the latest frame */
    uint8_t mixed[256][256]; /* of two indices; UNMIXED: not worked out yet */
    uint8_t pixels[];
} blending;

/* What its owner wants of an environment besides. */
typedef struct environment_setting {
    arena *arena;   /* where it lies; NULL: by itself */
    bool chooses;   /* acts find out whether the row memory or the video engine is the faster way */
    bool by_engine; /* the video engine follows frames from the first one on */
    uint32_t log_room; /* as in console_options */
    struct ale_env *twin; /* of the same ROM and options but for random_seed, just made, and it starts alike: the
                             environment begins as its copy; NULL: by itself */
} environment_setting;

struct ale_env {
    environment_state s;
    ale_report report;
    ale_rom *rom;
    console *console;
    const ale_game *game;    /* NULL: no rules */
    const game_rules *rules; /* in force: those of s.game.mode */
    game_step *step;         /* their `step`, or step_corrected */
    bool multi;              /* they are ALE_MULTI's */
    bool resets;             /* a reset is under way */
    bool limited;            /* options.frame_limit holds for the call under way */
    bool stopped;            /* it was reached */
    uint32_t frames;         /* played in this call, where it holds */
    ale_env_options options; /* complete and checked */
    environment_setting setting;
    game_memory memory;
    mt19937 own_random;      /* of the solo rules */
    mt19937 *random;         /* the generator that sticky actions draw from */
    uint64_t sticky_below;   /* a draw below this repeats the action: probability * 2^32 */
    bool has_paddles;
    coloring colors;
    blending *blend;         /* NULL: no color averaging */
    os_mutex in_use;         /* by a call from outside (api.c) */
    long process;            /* that made it */
    way_choice *ways;        /* of acts, FOLLOW_...; NULL: nothing is chosen */
    way_user user;           /* of these */
};

/* modes.c */
/* A game's rules, or those of no game; of ALE_BY_MODE those for one player, if there are any.  NULL: the game cannot be
 * played so. */
const game_rules *rules_of(const ale_game *game, ale_rules rules);
/* The modes for 1 .. 4 players, and the rules that they are played by (NULL, if there are none). */
typedef struct mode_list {
    const game_rules *rules;
    bool multi;              /* they are ALE_MULTI's */
    const uint16_t *numbers; /* as these rules have them */
    int count;
    int less;                /* than these numbers are those under the rule set asked for */
} mode_list;
mode_list rules_modes(const ale_game *game, ale_rules rules, int players);
/* What a number means under a rule set. */
typedef struct known_mode {
    const game_rules *rules;
    bool multi;
    int players;    /* 0: there is no such mode */
    int32_t number; /* as these rules have it */
} known_mode;
known_mode rules_find_mode(const ale_game *game, ale_rules rules, int32_t mode);
int32_t rules_default_mode(const ale_game *game, ale_rules rules); /* after loading */
/* That of so many players where nobody chooses one; -1: there is none. */
int32_t rules_mode_for(const ale_game *game, ale_rules rules, int players);
int rules_most_players(const ale_game *game, ale_rules rules); /* of any mode */
int rules_players(const game_rules *rules, int32_t mode); /* of a mode, by the rules' own number; 0: no such mode */
/* 0 is every environment's first difficulty, even where the game's list lacks it. */
bool rules_has_difficulty(const game_rules *rules, int32_t difficulty);
/* The difficulties in a bit mask, for messages: "0, 1". */
typedef struct difficulty_list {
    char text[24];
} difficulty_list;
difficulty_list rules_list_difficulties(uint8_t mask);

/* environment.c */
/* As ale_env_create, which does it with a setting that is all 0; the options are complete. */
ale_status environment_create(ale_rom *rom, const ale_env_options *options, const environment_setting *setting,
                              ale_env **env);
void environment_destroy(ale_env *env);
ale_status environment_reset(ale_env *env);
ale_status environment_reload(ale_env *env, uint32_t random_seed);
/* Whether an environment that was just made or reset with a seed would stand where it stands with any other, but for
 * the generator of the sticky actions.  Seed that anew. */
bool environment_starts_alike(const ale_env *env);
void environment_seed(ale_env *env, uint32_t random_seed);
void environment_act(ale_env *env, const int32_t *actions, const float *strengths, uint32_t count,
                     uint32_t repeat);
/* Whether options.idle_action holds, and an action may be ALE_OUT. */
bool environment_lets_rest(const ale_env *env);
/* Note which of `count` players are out after the latest frame, besides those who were before; whether all are. */
bool environment_note_out(const ale_env *env, uint32_t count, uint8_t *out);
/* A call begins for which options.frame_limit holds, if there is one. */
void environment_limit(ale_env *env);
/* Frames that are copied count as played.  False: the call may not play so many; let it play those that it may. */
bool environment_skip_frames(ale_env *env, uint32_t frames);
/* What the number of a mode means under the options. */
known_mode environment_find_mode(const ale_env *env, int32_t mode);
/* Let rules be in force: ALE_MULTI's or ALE_SOLO's.  The random generator is then theirs, but not seeded. */
void environment_play_by(ale_env *env, bool multi);
/* What to return for a call that `stopped`. */
ale_status environment_fail_stopped(const ale_env *env);
/* Paddles that turn; the others stay in the middle. */
int environment_paddles(const ale_env *env);
int32_t environment_middle(const environment_state *s);
/* What is reported as a player's lives, as the rules have them. */
int32_t environment_lives(const ale_env *env, const game_state *game, int player);
/* Bring the report up to date.  `rewards` NULL: zero. */
void environment_report(ale_env *env, const int32_t *rewards);

/* options.c */
extern const ale_env_options environment_default_options;
ale_status environment_check_options(const ale_env_options *options);

/* screen.c */
blending *blending_create(size_t pixels);
/* screen_height * 160 palette indices, valid until the environment changes. */
const uint8_t *environment_screen(ale_env *env);
size_t environment_screen_size(const ale_env *env); /* in pixels */
/* The screen, as what is asked for. */
void environment_show(ale_env *env, const ale_screens *screens);

/* boxes.c */
/* As ale_env_object_boxes, of an environment that tells objects.  False: out of memory. */
bool environment_boxes(ale_env *env, ale_object_box *boxes, size_t capacity, size_t *count);

/* state.c */
extern const invariant environment_invariants[]; /* without those of `game` */
/* Whether a reset can begin an episode in this mode of the rules in force, for so many players. */
bool environment_may_play(const ale_env *env, int32_t mode, int32_t players);
ale_status environment_save(ale_env *env, bool include_random, ale_state *state);
/* Whether a state can be restored; there is room for it then, and nothing else changes. */
ale_status environment_check(ale_env *env, const ale_state *state);
ale_status environment_restore(ale_env *env, const ale_state *state);
/* Whether `env` can go on where `source` stands; make room for that; do so.  `source` must be flushed (console.h). */
ale_status environment_check_copy(const ale_env *env, const ale_env *source);
ale_status environment_make_room(ale_env *env, const ale_env *source);
void environment_copy(ale_env *env, const ale_env *source);

#endif
