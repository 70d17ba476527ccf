/* An RL environment: a console, the rules of its game, and what connects them (resets, acts, sticky actions, frame
 * skip, paddles, truncation).  These functions implement ale.h. api.c has checked their arguments, except for the
 * options. */
#ifndef ALE_ENVIRONMENT_H
#define ALE_ENVIRONMENT_H

#include <ale/ale.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "../console/console.h"
#include "../games/game.h"
#include "../support/choice.h"
#include "coloring.h"

/* The usual limits of a paddle, in ohms. */
enum { PADDLE_MIN = 27450, PADDLE_MAX = 790196 };

/* All that changes during an environment's life, except for the console.  Plain data without pointers, saved by
 * copying. */
typedef struct environment_state {
    int32_t frame_number, episode_frame_number;
    int32_t mode, difficulty;
    int32_t paddle[GAME_MAX_PLAYERS]; /* positions, which are the resistances */
    int32_t paddle_min, paddle_max;
    int32_t lives_at_start;           /* lives at the start of the episode, noted once the game shows any */
    uint32_t other_seed;              /* ALE_BY_MODE: of the random generator when the other rules come into force;
                                         else 0 */
    uint8_t ended;                    /* 1 + the place of the label that has ended the episode; 0: none has */
    uint8_t reserved;
    uint16_t stayed;                  /* frames for which the label that may not stay has stayed */
    game_state game;
    uint8_t held[GAME_MAX_PLAYERS];   /* sticky actions: what each player's hand was last made to do */
    float held_strength[GAME_MAX_PLAYERS];
    uint8_t samples[AUDIO_SAMPLES]; /* last: states are copied without them where there is no sound */
} environment_state;

/* Color averaging: each frame is blended with the one before it. */
typedef struct blending {
    bool current;            /* `pixels` shows the latest frame */
    uint8_t mixed[256][256]; /* mixture of two indices; UNMIXED: not computed yet */
    uint8_t pixels[];
} blending;

/* Settings that are not part of ale.h's options. */
typedef struct environment_setting {
    arena *arena;   /* owns its memory; NULL: malloc does */
    bool chooses;   /* acts time the row memory and the video engine, and use the faster one */
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
    const ale_game *game;    /* NULL if it has no rules */
    const game_rules *rules; /* the rules in force, which are those of s.game.mode */
    game_step *step;         /* their `step`, or step_corrected */
    bool multi;              /* `rules` are ALE_MULTI's */
    bool resets;             /* a reset is under way */
    bool labels_end;         /* labels of the ROM end episodes; false while a vector begins one */
    bool limited;            /* options.frame_limit holds for the call under way */
    bool stopped;            /* the limit was reached */
    bool interrupted;        /* a call from outside was stopped, and none has set the game anew since (api.c) */
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
    atomic_flag in_use;      /* a call from outside is running (api.c) */
    way_choice *ways;        /* FOLLOW_... ways of acts; NULL: there is no choice */
    way_user user;           /* this environment's use of `ways` */
};

/* modes.c */
/* Return a game's rules, or those without a game.  For ALE_BY_MODE these are the rules for one player, if it has any.
 * NULL: the game does not support this rule set. */
const game_rules *rules_of(const ale_game *game, ale_rules rules);
/* The modes for 1 to 4 players, and their rules (NULL if there are no such modes). */
typedef struct mode_list {
    const game_rules *rules;
    bool multi;              /* `rules` are ALE_MULTI's */
    const uint16_t *numbers; /* as these rules have them */
    int count;
    int less;                /* than these numbers are those under the rule set asked for */
} mode_list;
mode_list rules_modes(const ale_game *game, ale_rules rules, int players);
/* The meaning of a mode's number under a rule set. */
typedef struct mode_meaning {
    const game_rules *rules;
    bool multi;
    int players;    /* 0: there is no such mode */
    int32_t number; /* as these rules have it */
} mode_meaning;
mode_meaning rules_find_mode(const ale_game *game, ale_rules rules, int32_t mode);
int32_t rules_default_mode(const ale_game *game, ale_rules rules); /* after loading */
/* Return the default mode for a number of players; -1: there is none. */
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
/* Like ale_env_create, which passes a setting that is all 0.  The options must be complete. */
ale_status environment_create(ale_rom *rom, const ale_env_options *options, const environment_setting *setting,
                              ale_env **env);
void environment_destroy(ale_env *env);
ale_status environment_reset(ale_env *env);
ale_status environment_reload(ale_env *env, uint32_t random_seed);
/* Return whether a new or just seeded environment would be the same with any other seed, except for the generator of
 * the sticky actions. environment_seed seeds that generator again. */
bool environment_starts_alike(const ale_env *env);
void environment_seed(ale_env *env, uint32_t random_seed);
void environment_act(ale_env *env, const int32_t *actions, const float *strengths, uint32_t count,
                     uint32_t repeat);
/* Return whether options.idle_action applies, so that an action may be ALE_OUT. */
bool environment_lets_rest(const ale_env *env);
/* Add the players who are out after the latest frame to `out`; return whether all `count` players are out. */
bool environment_note_out(const ale_env *env, uint32_t count, uint8_t *out);
/* Begin a call to which options.frame_limit applies, if there is a limit. */
void environment_limit(ale_env *env);
/* Count frames that are copied as played.  False: that would exceed the limit, so the call must play them up to the
 * limit. */
bool environment_skip_frames(ale_env *env, uint32_t frames);
/* Return the meaning of a mode's number under the options. */
mode_meaning environment_find_mode(const ale_env *env, int32_t mode);
/* Put ALE_MULTI's or ALE_SOLO's rules in force, with their random generator, which this does not seed. */
void environment_play_by(ale_env *env, bool multi);
/* Return the error for a call that `stopped`. */
ale_status environment_fail_stopped(const ale_env *env);
/* Return how many paddles turn; the others stay in the middle. */
int environment_paddles(const ale_env *env);
int32_t environment_middle(const environment_state *s);
/* Return the lives that are reported for a player. */
int32_t environment_lives(const ale_env *env, const game_state *game, int player);
/* Update the report.  `rewards` NULL: all are zero. */
void environment_report(ale_env *env, const int32_t *rewards);

/* options.c */
extern const ale_env_options environment_default_options;
ale_status environment_check_options(const ale_env_options *options);

/* screen.c */
blending *blending_create(size_t pixels);
/* screen_height * 160 palette indices, valid until the environment changes. */
const uint8_t *environment_screen(ale_env *env);
size_t environment_screen_size(const ale_env *env); /* in pixels */
/* Write the screen in the requested format to each picture. */
void environment_show(ale_env *env, const ale_screens *screens);

/* boxes.c */
/* Like ale_env_object_boxes.  False: out of memory. */
bool environment_boxes(ale_env *env, ale_object_box *boxes, size_t capacity, size_t *count);

/* state.c */
extern const invariant environment_invariants[]; /* without those of `game` */
/* Return whether a reset can begin an episode in this mode, under the rules in force and for this number of players. */
bool environment_may_play(const ale_env *env, int32_t mode, int32_t players);
ale_status environment_save(ale_env *env, bool include_random, ale_state *state);
/* Check that a state can be restored, and make room for it.  Changes nothing else. */
ale_status environment_check(ale_env *env, const ale_state *state);
ale_status environment_restore(ale_env *env, const ale_state *state);
/* Check that `env` can become a copy of `source`; make room for the copy; copy.  `source` must be flushed
 * (console.h). */
ale_status environment_check_copy(const ale_env *env, const ale_env *source);
ale_status environment_make_room(ale_env *env, const ale_env *source);
void environment_copy(ale_env *env, const ale_env *source);

#endif
