/* libale: Atari 2600 games as environments for reinforcement learning.
 *
 * This header is the library's whole interface, and states everything that the library promises.  A complete
 * program that plays one episode with random actions:
 *
 *     #include <ale/ale.h>
 *     #include <stdio.h>
 *     #include <stdlib.h>
 *
 *     int play(const uint8_t *bytes, size_t size) {              // the contents of a ROM file
 *         ale_rom *rom = NULL;
 *         ale_env *env = NULL;
 *         if (ale_rom_create(bytes, size, NULL, &rom) != ALE_OK ||
 *             ale_env_create(rom, NULL, &env) != ALE_OK) {
 *             fprintf(stderr, "%s\n", ale_last_error());
 *             ale_rom_release(rom);
 *             return 1;
 *         }
 *         const ale_report *report = ale_env_report(env);        // kept up to date by every call
 *         int32_t score = 0;
 *         while (!report->terminated && !report->truncated) {
 *             int32_t action = rand() % ALE_ACTION_COUNT;
 *             if (ale_env_act(env, &action, NULL, 1, 1) != ALE_OK) break;
 *             score += report->rewards[0];
 *         }
 *         printf("score %d in %d frames\n", score, report->episode_frame_number);
 *         ale_env_destroy(env);
 *         ale_rom_release(rom);
 *         return 0;
 *     }
 *
 * Objects.   An ale_rom is the image of a cartridge and what is known about it; an ale_env is a console that
 *            plays it, with rewards and the ends of episodes; an ale_state is a saved state of an ale_env.
 * Threads.   An ale_rom never changes; any number of threads may use it at once.  An ale_env serves one caller at a
 *            time: a call that comes while another one runs fails with ALE_OUT_OF_ORDER; nothing waits.  While a call
 *            runs, nobody may read what was borrowed from the ale_env.  The call that destroys it must be the last one.
 *            After a fork the child has a copy of each ale_env, which it can use, unless a call was running then.
 *            Only one thread at a time may use an ale_state, but any number may restore from it at once.  The
 *            library has no global mutable state, starts no threads except those of an ale_vector, prints
 *            nothing and never ends the process.
 * Errors.    Functions that can fail return an ale_status; ale_last_error() then says in words which argument
 *            was wrong, its value and what is allowed.  A function that fails has changed nothing, neither
 *            its object nor what its output arguments point at, unless its description says otherwise.
 *            (tests/test_memory.c tests this for lack of memory, threads or locks, fuzz/fuzz_calls.c for
 *            calls in any order.)
 * NULL.      A NULL argument is an error (ALE_INVALID_ARGUMENT) unless the description says what it means.
 *            Functions that release or destroy accept it and do nothing.  Functions that cannot fail
 *            (they return no ale_status) need valid objects.
 * Ownership. An object belongs to whoever created it.  Borrowed pointers (each is described as such) belong to
 *            the object they came from and are never freed by the caller.  Input is read during the call only.
 * Versions.  Structs that may grow start with `struct_size`, which the caller sets to sizeof of the struct it
 *            was compiled with (the ..._init functions do it).  Fields are only ever added at the end,
 *            enumerators are never renumbered, functions never change their arguments; what would break that
 *            raises ale_abi_version().
 */
#ifndef ALE_ALE_H
#define ALE_ALE_H

#include <stddef.h>
#include <stdint.h>

/* Programs need not define anything, whether they link the library statically or not: it exports only functions. */
#if defined(_WIN32) && defined(ALE_BUILDING)
#define ALE_API __declspec(dllexport)
#elif defined(__GNUC__) && !defined(_WIN32)
#define ALE_API __attribute__((visibility("default")))
#else
#define ALE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Library ------------------------------------------------------------------------------------------- */

#define ALE_ABI_VERSION 1
#define ALE_VERSION "1.0.0"

/* The ABI_VERSION and VERSION that the library was built with.  A program that was compiled with another
 * ALE_ABI_VERSION must not call anything else.  The text is static. */
ALE_API uint32_t ale_abi_version(void);
ALE_API const char *ale_version(void);

typedef enum ale_status {
    ALE_OK = 0,
    ALE_INVALID_ARGUMENT = 1, /* NULL, a number out of range, a buffer of the wrong size, an unknown name */
    ALE_OUT_OF_MEMORY = 2,
    ALE_BAD_ROM = 3,          /* the bytes are no image of a cartridge that the library knows how to map */
    ALE_UNSUPPORTED = 4,      /* the game of this image is unknown, or cannot be played under these rules */
    ALE_MODE_NOT_REACHED = 5, /* a reset pressed SELECT, but the cartridge did not reach the mode */
    ALE_BAD_STATE = 6,        /* the bytes are no state, are damaged, or the state is another game's */
    ALE_OUT_OF_ORDER = 7,     /* a vector cannot accept the call now: nothing was sent, or not yet received; or an
                                 environment or a vector cannot in this forked process */
    ALE_UNFINISHED = 8,       /* no failure: environments are still playing, call again */
    ALE_BAD_CARD = 9,         /* the text is no card; the error begins with "line 3, column 14: " */
    ALE_STOPPED = 10,         /* the frame_limit of the options was reached */
    ALE_BAD_ACTION = 11,      /* an action given to a vector is outside its environment's action set */
    ALE_INTERRUPTED = 12      /* an earlier call was stopped in the middle: reset the environment */
} ale_status;

/* A description of the latest failure in this thread, one line without a newline; "" before the first.
 * Borrowed from the thread; the next failure in the same thread replaces it.  Never NULL. */
ALE_API const char *ale_last_error(void);

/* ---- Actions ------------------------------------------------------------------------------------------- */

/* What one player does with the controller for a frame.  In paddle games RIGHT and LEFT turn the paddle, FIRE is
 * its button, UP and DOWN do nothing.  Sets of actions are bit masks: bit n stands for action n. */
typedef enum ale_action {
    ALE_NOOP = 0,
    ALE_FIRE = 1,
    ALE_UP = 2,
    ALE_RIGHT = 3,
    ALE_LEFT = 4,
    ALE_DOWN = 5,
    ALE_UPRIGHT = 6,
    ALE_UPLEFT = 7,
    ALE_DOWNRIGHT = 8,
    ALE_DOWNLEFT = 9,
    ALE_UPFIRE = 10,
    ALE_RIGHTFIRE = 11,
    ALE_LEFTFIRE = 12,
    ALE_DOWNFIRE = 13,
    ALE_UPRIGHTFIRE = 14,
    ALE_UPLEFTFIRE = 15,
    ALE_DOWNRIGHTFIRE = 16,
    ALE_DOWNLEFTFIRE = 17,
    ALE_ACTION_COUNT = 18
} ale_action;

/* ---- Games --------------------------------------------------------------------------------------------- */

/* The rule set under which an environment plays its game.
 * SOLO: one player; two random generators, of which random_seed feeds only the sticky actions; equal to
 *       ale-py 0.12.1 bit for bit.
 * MULTI: one to four players, by mode; one generator for everything; equal to multi-agent-ale-py 0.1.12.
 * BY_MODE: both, by the mode that is set: SOLO and its numbers for one player, MULTI for several.  The four games
 *       that lack SOLO have MULTI for one player, too.  Modes for several players have MULTI's numbers, less 1 in
 *       Pong, Space Invaders, Mario Bros., Tennis and Othello; so no number means two things in a game.  For each
 *       number of players the list of modes has the same variations in the same order as MULTI's, which
 *       translates the numbers.
 *       A reset in a mode of the other set begins as a new environment does: created with that set, reset in its
 *       default mode, then in this one.  Its seed is random_seed the first time, later a random number. */
typedef enum ale_rules { ALE_SOLO = 0, ALE_MULTI = 1, ALE_BY_MODE = 2 } ale_rules;

enum {
    ALE_MAX_PLAYERS = 4,
    ALE_GAME_UNKNOWN = -1, /* instead of a game's number: the library does not know the image */
    ALE_GAME_NONE = -2,    /* the image is played without rules: reward 0, lives 0, never over */
    ALE_GAME_CARD = -3     /* the rules are a card's */
};

/* A game under one rule set. */
typedef struct ale_game_info {
    uint32_t struct_size;
    uint32_t rules;           /* bit ALE_SOLO, bit ALE_MULTI: the rule sets that the game has */
    const char *name;         /* the field's identifier, such as "ms_pacman"; static, as the next two */
    const char *title;        /* for people */
    const char *md5;          /* of the supported image, 32 lower-case hexadecimal digits */
    uint32_t minimal_actions; /* those that have an effect.  This field and all below are for the rules asked */
    uint32_t legal_actions;   /* for; they are 0 if the game does not have these rules.  BY_MODE: the sets of actions
                                 are SOLO's, if the game has it */
    uint32_t difficulties;    /* bit d is set if difficulty d can be chosen */
    uint32_t player_counts;   /* bit n - 1 is set if there are modes for n players */
    int32_t default_mode;     /* of a console, until it is told another */
    uint32_t paddles;         /* 1: played with paddles */
    int32_t default_modes[ALE_MAX_PLAYERS]; /* [n - 1]: what n players play where nobody chooses a mode, as in the
                                 PettingZoo environment of the game's name; of most games it is the first.  -1: there
                                 is no mode for n players */
} ale_game_info;

/* Games are numbered 0 .. ale_game_count() - 1 in alphabetical order of their names.  The numbers may differ
 * in another version of the library; names do not change. */
ALE_API int32_t ale_game_count(void);
/* The number of a game by name, or by the MD5 of an image (32 hexadecimal digits of either case).
 * ALE_GAME_UNKNOWN if there is none, also for NULL. */
ALE_API int32_t ale_game_by_name(const char *name);
ALE_API int32_t ale_game_by_md5(const char *md5);
/* Fill the first info->struct_size bytes of `info`. */
ALE_API ale_status ale_game_describe(int32_t game, ale_rules rules, ale_game_info *info);
/* The modes of a game for 1 .. 4 players, ascending.  Writes the number of modes (maybe 0) to *count and the
 * modes to `modes`, which has room for `capacity`; if that is too little, only the first `capacity` are written.
 * `modes` may be NULL if `capacity` is 0. */
ALE_API ale_status ale_game_modes(int32_t game, ale_rules rules, uint32_t players, int32_t *modes,
                                  size_t capacity, size_t *count);

/* ---- Cards: rules of one's own ----------------------------------------------------------------------------
 *
 * A card is a text that states the rules of a game: what is in RAM, what scores, when the game is over.
 * docs/cards.md describes the language.  Cards from untrusted sources are safe: their expressions are checked when the
 * card is made, have no loops, and reach nothing but the console's RAM and the card's own variables
 * (fuzz/fuzz_cards.c). */

typedef struct ale_card ale_card;

typedef struct ale_card_info {
    uint32_t struct_size;
    uint32_t rules;           /* bit ALE_SOLO: there are modes for one player; bit ALE_MULTI, always */
    const char *name;         /* the card's name; this and the next three are borrowed from the card */
    const char *title;
    const char *md5;          /* of the image that the card is for, in lower case; "": any */
    const char *rom;          /* the name of the image's file in the card's folder; "": none */
    uint32_t minimal_actions; /* this and the next four, and `default_modes`, as in ale_game_info */
    uint32_t legal_actions;
    uint32_t difficulties;
    uint32_t player_counts;
    int32_t default_mode;
    uint32_t variations;      /* how many the card names */
    int32_t default_modes[ALE_MAX_PLAYERS]; /* the first for 1 .. 4 players */
} ale_card_info;

/* Make a card from `size` bytes of text (UTF-8, at most 64 KiB; a byte order mark is left out).  The caller owns a
 * reference, which ale_card_release gives back; ROMs and environments hold their own references.  A card never
 * changes and may be used by any number of threads at once.  ALE_BAD_CARD: ale_last_error() says where and what
 * is wrong. */
ALE_API ale_status ale_card_create(const char *text, size_t size, ale_card **card);
ALE_API void ale_card_release(ale_card *card);
/* Fill the first info->struct_size bytes of `info`. */
ALE_API ale_status ale_card_describe(const ale_card *card, ale_rules rules, ale_card_info *info);
/* As ale_game_modes. */
ALE_API ale_status ale_card_modes(const ale_card *card, ale_rules rules, uint32_t players, int32_t *modes,
                                  size_t capacity, size_t *count);
/* The name of a variation, 0 .. info.variations - 1, borrowed from the card; NULL beyond. */
ALE_API const char *ale_card_variation(const ale_card *card, uint32_t index);

/* ---- ROM images ---------------------------------------------------------------------------------------- */

typedef struct ale_rom ale_rom;

enum { ALE_MAX_ROM_SIZE = 524288 }; /* bytes: 512 KiB */

typedef enum ale_format { ALE_FORMAT_AUTO = -1, ALE_NTSC = 0, ALE_PAL = 1, ALE_SECAM = 2 } ale_format;

/* When a label ends the episode: in the frame after which its value differs from that after the frame before, is more
 * or is less; or is what it was for `frames` frames of the episode. */
typedef enum ale_when { ALE_CHANGES = 0, ALE_RISES = 1, ALE_FALLS = 2, ALE_STAYS = 3 } ale_when;
typedef struct ale_terminal {
    const char *label; /* one of the game's (ale_game_label) */
    int32_t when;      /* ale_when */
    uint32_t frames;   /* of ALE_STAYS, which one label of a ROM may have: 1 to 65535; else 0 */
} ale_terminal;

enum { ALE_MAX_TERMINALS = 8 };

typedef struct ale_rom_options {
    uint32_t struct_size;
    int32_t format;     /* ale_format; AUTO (default): as known for the image, else detected by running it */
    const char *game;   /* NULL (default): the game whose MD5 the image has; a game's name: the rules of that
                           game, whatever the image; "": no rules */
    const char *scheme; /* bank-switching scheme ("4K", "F8", "F8SC", "E0", ...); NULL (default): detect it */
    ale_card *card;        /* NULL (default), or the rules; then `game` must be NULL.  ALE_BAD_ROM if the
                              card names another image's MD5 */
    const char *variation; /* NULL (default), or the name of one of the card's variations */
    /* Labels that end episodes as the end of the game does.  They are looked at after each frame of an act, but not in
     * resets, which include the first frames of a vector's episode. */
    const ale_terminal *terminals; /* NULL (default) if there are none */
    uint32_t terminal_count;       /* 0; at most ALE_MAX_TERMINALS */
} ale_rom_options;

typedef struct ale_rom_info {
    uint32_t struct_size;
    int32_t game;       /* number of the game, ALE_GAME_UNKNOWN, ALE_GAME_NONE or ALE_GAME_CARD */
    char md5[40];       /* of the bytes given, 32 lower-case hexadecimal digits and a zero */
    const char *scheme; /* name of the bank-switching scheme; static */
    int32_t format;     /* ale_format asked for or known; AUTO: detected when an environment is created */
    uint32_t paddles;   /* 1: the image is played with paddles */
    uint32_t translated; /* 1: environments can run it as machine code; 0: they interpret it (ALE_FAST_TRANSLATE) */
} ale_rom_info;

/* Set the defaults; `struct_size` is sizeof(ale_rom_options).  NULL does nothing. */
ALE_API void ale_rom_options_init(ale_rom_options *options, uint32_t struct_size);
/* Make a ROM from the bytes of a file (not compressed; up to ALE_MAX_ROM_SIZE).  The bytes are copied; whatever
 * they are, they are safe to play (tests/test_random_roms.c, fuzz/fuzz_images.c).  `options` NULL means the
 * defaults.  An image of an unknown game is a ROM as well (ale_rom_describe tells); only environments of it are
 * refused.  The caller owns one reference. */
ALE_API ale_status ale_rom_create(const void *bytes, size_t size, const ale_rom_options *options,
                                  ale_rom **rom);
/* Add a reference and return `rom`; give one back.  The last one frees it.  Both may be called by any thread.
 * Environments hold a reference of their own.  NULL is returned as it is. */
ALE_API ale_rom *ale_rom_retain(ale_rom *rom);
ALE_API void ale_rom_release(ale_rom *rom);
/* Fill the first info->struct_size bytes of `info`. */
ALE_API ale_status ale_rom_describe(const ale_rom *rom, ale_rom_info *info);

/* ---- Environments -------------------------------------------------------------------------------------- */

typedef struct ale_env ale_env;

/* Limits for the frames of an act and for the NOOP frames before an episode, so that no call takes minutes. */
enum { ALE_MAX_FRAME_SKIP = 10000, ALE_MAX_NOOPS = 100000 };

/* Flags of ale_env_options.fast_paths: optimisations of the emulator.  They change nothing that can be observed
 * except time; switch them off to search for a bug.
 *
 * ALE_FAST_TRANSLATE runs programs as machine code, which is made from a ROM image when it is first needed and
 * shared by all environments of the ale_rom.  The code's memory is never writable and executable at once.  An
 * interpreter does the same work on processors other than x86-64 and, except on macOS and Windows, AArch64; for
 * images of some rare bank-switching schemes; if the system refuses such memory; and if the environment variable
 * ALE_TRANSLATE is 0 when the ale_rom is created.  ale_rom_info.translated says which is used.
 *
 * ALE_FAST_ENGINE makes the gray observations of vectors straight from what a program writes to the video chip, in one
 * pass with collisions, on processors with AVX2 and BMI2 and on AArch64, where that is faster than without: a vector
 * times both now and then.  So do acts whose screens nobody looks at.  On other processors it does nothing. */
enum { ALE_FAST_CPU = 1, ALE_FAST_LOOPS = 2, ALE_FAST_RASTER = 4, ALE_FAST_ROWS = 8, ALE_FAST_TRANSLATE = 16,
       ALE_FAST_ENGINE = 32, ALE_FAST_ALL = 63 };

typedef struct ale_env_options {
    uint32_t struct_size;
    int32_t rules;                        /* ale_rules; default ALE_SOLO.  Of BY_MODE, what is said of SOLO and of
                                             MULTI is true while that is in force */
    uint32_t random_seed;                 /* 0.  SOLO: of sticky actions.  MULTI: of everything random */
    uint32_t system_seed;                 /* 4753849.  SOLO: of RAM and timer at power-on.  MULTI: not used */
    float repeat_action_probability;      /* 0.25; in each frame, that a player's previous action is repeated; 1
                                             and more: always, 0 and less: never; NaN is refused.  Six significant
                                             digits count, as in the originals */
    uint32_t frame_skip;                  /* 1; frames of an act, 1 to ALE_MAX_FRAME_SKIP */
    int32_t max_num_frames_per_episode;   /* 0; the episode is truncated at this episode frame number; 0 and
                                             less: never */
    uint32_t truncate_on_loss_of_life;    /* 0; 1: truncated while there are fewer lives than after the reset
                                             (SOLO only) */
    int32_t reward_min, reward_max;       /* INT32_MIN, INT32_MAX; the reward of an act is clamped to them
                                             (SOLO only); reward_min <= reward_max */
    int32_t paddle_min, paddle_max;       /* -1: the usual limits of a paddle, 27450 and 790196 ohms; others are
                                             0 or more */
    uint32_t color_averaging;             /* 0; 1: the screen shows each frame blended with the one before */
    uint32_t sound;                       /* 0; 1: each act makes ALE_AUDIO_SIZE samples */
    int32_t max_turn_time;                /* -1; frames that a player may take for a move in the four MULTI
                                             games that count them; -1: the game's own limit; 0 and less than
                                             -1: none; at least -2^28, at most 2^28 */
    uint32_t fast_paths;                  /* ALE_FAST_ALL */
    uint32_t objects;                     /* 0; 1: ALE_OBJECTS works: which objects cover which pixels is noted as a
                                             frame is drawn */
    const uint32_t *frame_limit;          /* NULL: calls may take as long as they need; else see
                                             ale_set_frame_limit */
    int32_t idle_action;                  /* -1; MULTI: what players do who are out, 0 .. 17, and calls end with the
                                             episode: see ale_env_act */
    uint32_t corrected_rules;             /* 0: rewards and ends as in the originals, with their faults; 1: the game's
                                             corrections hold (docs/rules-audit.md) */
} ale_env_options;

/* What stays the same as long as an environment exists. */
typedef struct ale_env_info {
    uint32_t struct_size;
    int32_t rules;            /* ale_rules */
    int32_t game;             /* number of the game, ALE_GAME_NONE or ALE_GAME_CARD */
    uint32_t screen_width;    /* 160 */
    uint32_t screen_height;   /* rows: 210 for most games, 250 in PAL */
    int32_t format;           /* ale_format detected or given; never AUTO */
    uint32_t minimal_actions; /* sets of actions and difficulties as in ale_game_info; without rules: all */
    uint32_t legal_actions;
    uint32_t difficulties;
    uint32_t player_counts;
    int32_t default_mode;
    uint32_t paddles;
    int32_t default_modes[ALE_MAX_PLAYERS]; /* as in ale_game_info */
} ale_env_info;

/* The current status of an environment.  The library keeps it up to date: it is that after the latest ale_env_act,
 * ale_env_reset, ale_env_reload, ale_env_restore, ale_env_set_mode or ale_env_set_difficulty. */
typedef struct ale_report {
    uint32_t struct_size;            /* size of this struct in the library; set by the library */
    int32_t players;                 /* active players of the mode: 1, 2 or 4 */
    int32_t rewards[ALE_MAX_PLAYERS]; /* of the latest ale_env_act; 0 after resets, restores and copies */
    int32_t lives[ALE_MAX_PLAYERS];  /* MULTI: negative if this player is out.  0 beyond `players` */
    uint32_t terminated;             /* 1: the game is over, or a label has ended the episode (ale_terminal) */
    uint32_t truncated;              /* 1: the frame limit is reached, or a life was lost and that truncates */
    int32_t frame_number;            /* frames since the environment was made or reloaded */
    int32_t episode_frame_number;    /* since the start of the latest reset, including its SELECT presses */
    int32_t mode;                    /* as chosen; the cartridge follows at the next reset */
    int32_t difficulty;              /* bit 0: left switch, bit 1: right switch */
    int32_t ended_by;                /* the place in ale_rom_options.terminals of the label that has ended the episode,
                                        the first of several; -1: none */
} ale_report;

/* How calls that take too long are stopped.  options.frame_limit points at a number in the caller's memory, which must
 * stay there as long as the environment or vector: how many frames a call may play.  It is looked at before each
 * frame, or what is left of one when the episode is over; a call that has played as many plays no more and returns
 * ALE_STOPPED.  UINT32_MAX: any number.
 * This function sets the number, at any time and from any thread, while calls run too; it may be called in signal
 * handlers.  0 stops at the next frame whatever is playing, and what is called before the number is raised again.
 * Environments: ale_env_create has then made nothing.  ale_env_reset, ale_env_reload, ale_env_act and ale_env_step have
 * stopped in the middle: until ale_env_reset, ale_env_reload, ale_env_restore or ale_env_copy into it succeeds, calls
 * that change, save or show the environment fail with ALE_INTERRUPTED.
 * Vectors: the number is that of the frames which one environment may play in a step or reset.  After ALE_STOPPED from
 * ale_vector_recv or ale_vector_step environments have stopped in the middle of their step or reset: until all are
 * reset, or the vector is restored, ale_vector_send fails.  Give seeds to that reset: how much was drawn from the
 * generators is not known. */
ALE_API void ale_set_frame_limit(uint32_t *frame_limit, uint32_t frames);

/* Set the defaults; `struct_size` is sizeof(ale_env_options).  NULL does nothing. */
ALE_API void ale_env_options_init(ale_env_options *options, uint32_t struct_size);
/* Build a console, put the cartridge in, seed the generators and reset once in the default mode with
 * difficulty 0.  `options` NULL: the defaults.  The environment holds a reference to `rom` until it is
 * destroyed.  ALE_UNSUPPORTED: the game is unknown or lacks the rules asked for; ALE_MODE_NOT_REACHED: the
 * image does not behave like the game whose rules it should be played by. */
ALE_API ale_status ale_env_create(ale_rom *rom, const ale_env_options *options, ale_env **env);
ALE_API void ale_env_destroy(ale_env *env);
ALE_API ale_status ale_env_describe(const ale_env *env, ale_env_info *info);
/* Borrowed until the environment is destroyed; the address stays the same. */
ALE_API const ale_report *ale_env_report(const ale_env *env);

/* Start an episode in the mode last set: power-on reset of the chips (RAM keeps its contents), 60 frames of NOOP,
 * the console's RESET switch, the selection of the mode and the game's starting actions.
 * ALE_MODE_NOT_REACHED: the sequence was completed, but the cartridge shows another mode, or the frame limit came
 * first; the environment is usable.  ALE_OUT_OF_MEMORY, and nothing changed, where BY_MODE brings the other set of
 * rules into force. */
ALE_API ale_status ale_env_reset(ale_env *env);
/* Start anew, as if the environment were destroyed and created with the same ROM and options, except `random_seed`;
 * after that the mode and difficulty that were chosen before are chosen again, whether the call is stopped or not.
 * Borrowed pointers stay valid.  Fails as ale_env_reset does, or if there is not enough memory; then nothing has
 * changed. */
ALE_API ale_status ale_env_reload(ale_env *env, uint32_t random_seed);

/* Play: `repeat` acts (at least 1), one after another, of frame_skip frames each.  `actions` and `strengths`
 * have `count` elements, one for each active player (report->players).  A strength scales how far a RIGHT or
 * LEFT turns a paddle in a frame; `strengths` NULL means 1.0 for all; without paddles strengths do nothing.
 * The report's rewards are the sums over all frames.  Frames are played only while the episode is neither
 * terminated nor truncated; after that, acts are allowed, but only random draws and sound continue.
 * Actions outside 0 .. 17 are refused; those that are illegal in the game do nothing.
 *
 * With options.idle_action (and MULTI rules) the call plays as vectors and PettingZoo do, in which each frame is a step
 * of its own; then frame_skip should be 1, and `repeat` the frames of a step.  A player whose lives are negative after
 * an act is out: in the acts that are left it does idle_action, and has no more rewards.  The call ends with the act
 * after which the episode is terminated or truncated, or all players are out.  The library does not remember from one
 * call to the next who is out: there the action ALE_OUT says so, which is refused without idle_action.
 * Without it every player goes on with its action, and every act draws random numbers, as in multi-agent-ale-py. */
enum { ALE_OUT = -1 };
ALE_API ale_status ale_env_act(ale_env *env, const int32_t *actions, const float *strengths, uint32_t count,
                               uint32_t repeat);
/* ale_env_act of the only player at full strength.  Returns the reward; if it fails, INT64_MIN + the ale_status, which
 * no reward is as low as. */
ALE_API int64_t ale_env_act_alone(ale_env *env, int32_t action, uint32_t repeat);

/* The modes for 1 .. 4 players, as ale_game_modes.  Without rules the only mode is 0. */
ALE_API ale_status ale_env_modes(const ale_env *env, uint32_t players, int32_t *modes, size_t capacity,
                                 size_t *count);
/* Choose one of the modes, for any number of players: report->players changes at once, the cartridge's mode, and with
 * BY_MODE the rules, at the next reset. */
ALE_API ale_status ale_env_set_mode(ale_env *env, int32_t mode);
/* Choose one of the difficulties; it applies from the next frame on. */
ALE_API ale_status ale_env_set_difficulty(ale_env *env, int32_t difficulty);

/* ---- What can be seen and heard ------------------------------------------------------------------------ */

enum { ALE_SCREEN_WIDTH = 160, ALE_RAM_SIZE = 128, ALE_AUDIO_SIZE = 512 };

typedef enum ale_pixels {
    ALE_INDEXED = 0,  /* 1 byte per pixel: the index in the palette of the display format */
    ALE_RGB = 1,      /* 3 bytes per pixel */
    ALE_GRAYSCALE = 2, /* 1 byte per pixel */
    ALE_OBJECTS = 3   /* 1 byte per pixel: bit n is set if ale_object n covers it, visible or hidden by another; 0
                         if none does and where the picture is blank (VBLANK, HMOVE).  color_averaging does
                         not change it.  Needs the option `objects` */
} ale_pixels;

/* The objects from which the console's video chip, the TIA, draws a picture. */
typedef enum ale_object {
    ALE_PLAYER0 = 0,
    ALE_PLAYER1 = 1,
    ALE_MISSILE0 = 2,
    ALE_MISSILE1 = 3,
    ALE_BALL = 4,
    ALE_PLAYFIELD = 5,
    ALE_OBJECT_COUNT = 6
} ale_object;

/* Buffers for the screen: `count` copies, 1 to ALE_MAX_PLAYERS, so that each player can have its own; with a `report`
 * also none. */
typedef struct ale_screens {
    uint32_t struct_size;
    int32_t pixels;                 /* ale_pixels */
    uint32_t count;
    size_t size;                    /* of each, as in ale_env_screen */
    uint8_t *out[ALE_MAX_PLAYERS];  /* `count` buffers that do not overlap */
    ale_report *report;             /* NULL, or for a copy of the report after this act; its struct_size is set by the
                                       caller */
} ale_screens;

/* ale_env_act, then ale_env_screen into every buffer of `screens` and its report, in one call.  All arguments are
 * checked before anything is played. */
ALE_API ale_status ale_env_step(ale_env *env, const int32_t *actions, const float *strengths, uint32_t count,
                                uint32_t repeat, const ale_screens *screens);

/* Write the latest frame to `out`, row by row without gaps.  `size` must be screen_height * 160, for RGB
 * three times as much. */
ALE_API ale_status ale_env_screen(ale_env *env, ale_pixels pixels, uint8_t *out, size_t size);
/* The same as indices, borrowed: screen_height * 160 bytes, valid until the environment is next changed.  NULL:
 * another call is running, or one was stopped; ale_last_error() says which. */
ALE_API const uint8_t *ale_env_screen_indices(ale_env *env);
/* A box around pixels of one object that belong together: one copy of the object, or one of the places further
 * down where the program shows it again.  Pixels of a PLAYER, a MISSILE or the BALL belong together if they are
 * in the same row or in neighbouring rows, and at most 8 columns apart; pixels of the PLAYFIELD if they share a
 * side. */
typedef struct ale_object_box {
    int32_t object;              /* ale_object */
    int32_t color;               /* index of the first pixel in it, row by row, that no other object covers; -1:
                                    there is none */
    int32_t x, y, width, height; /* pixels */
} ale_object_box;

/* The boxes of the latest frame, ordered by object, then as the beam meets them.
 * Writes their number to *count and the boxes to `boxes`, which has room for `capacity`; if that is too little, only
 * the first `capacity` are written.  `boxes` may be NULL if `capacity` is 0.  The environment may be one of a vector.
 * Without the option `objects` the frame is drawn again from what the program wrote to the TIA.  Then it has no boxes
 * if it did not end, or if it was too short for the screen and its state was saved. */
ALE_API ale_status ale_env_object_boxes(ale_env *env, ale_object_box *boxes, size_t capacity, size_t *count);
/* The red, green and blue (or the one gray) of all 256 indices of the environment's palette, for programs that
 * convert pixels themselves.  `size` must be 256, times 3 for RGB; INDEXED and OBJECTS are refused. */
ALE_API ale_status ale_env_palette(const ale_env *env, ale_pixels pixels, uint8_t *out, size_t size);

/* The console's ALE_RAM_SIZE bytes of RAM, borrowed until the environment is destroyed; always current. */
ALE_API const uint8_t *ale_env_ram(const ale_env *env);
/* Change one byte, index 0 .. 127, at once.  The report changes with the next frame. */
ALE_API ale_status ale_env_set_ram(ale_env *env, uint32_t index, uint32_t value);
/* The ALE_AUDIO_SIZE samples (unsigned, 128 is silence) of the latest act, borrowed until the environment is
 * destroyed; always current.  All 0 before the first act and without the option `sound`. */
ALE_API const uint8_t *ale_env_audio(const ale_env *env);

/* ---- Labels: bytes with names --------------------------------------------------------------------------
 *
 * A label is a name for bytes of RAM, with a unit (docs/labels.md).  Its value depends on these bytes alone. */

typedef enum ale_label_kind {
    ALE_LABEL_X = 0,      /* a column of the screen */
    ALE_LABEL_Y = 1,      /* a row of the screen */
    ALE_LABEL_SCORE = 2,  /* points */
    ALE_LABEL_LIVES = 3,
    ALE_LABEL_NUMBER = 4  /* a number, or a row of marks, on the screen */
} ale_label_kind;

/* How bytes are a number. */
typedef enum ale_label_code {
    ALE_LABEL_BINARY = 0, /* a digit of base 256 a byte */
    ALE_LABEL_BCD = 1,    /* two decimal digits a byte */
    ALE_LABEL_DIGITS = 2, /* a decimal digit a byte */
    ALE_LABEL_HMOVE = 3,  /* a position as the TIA's registers take it: 15 times the low four bits, less the high four,
                             which have a sign; several bytes are added */
    ALE_LABEL_SIGNED = 4  /* as ALE_LABEL_BINARY, in two's complement: the first byte has a sign */
} ale_label_code;

enum { ALE_LABEL_BYTES = 8 };

/* A label: scale * number + offset. */
typedef struct ale_label {
    uint32_t struct_size;
    int32_t kind;                   /* ale_label_kind */
    const char *name;               /* such as "player_x"; static, as the next one.  NULL is allowed where labels are
                                       read */
    const char *about;              /* what it tells of, for people */
    uint32_t player;                /* whose it is, from 1; 0: nobody's */
    uint32_t byte_count;            /* 1 to ALE_LABEL_BYTES */
    uint8_t places[ALE_LABEL_BYTES]; /* indices into RAM; the byte with the highest digits comes first */
    uint64_t mask;                  /* the bits that count, the lowest eight for the last byte.  Those of a single byte,
                                       and of each of ALE_LABEL_DIGITS, are shifted until the lowest is bit 0 */
    int32_t code;                   /* ale_label_code */
    int32_t blank;                  /* the digit that counts as 0, as it is drawn as nothing; -1: none */
    int32_t scale;
    int32_t offset;
    int32_t low, high;              /* the least and the greatest value; set by the library, and not read */
} ale_label;

/* The number of labels of a game; 0: it has none, or there is no such game. */
ALE_API uint32_t ale_game_label_count(int32_t game);
/* Fill the first label->struct_size bytes of `label`; `index` is below the game's number of labels. */
ALE_API ale_status ale_game_label(int32_t game, uint32_t index, ale_label *label);
/* The present values of the labels of the environment's game, in their order.  Writes their number (0 without a game
 * that has labels) to *count and the values to `values`, which has room for `capacity`; if that is too little, only the
 * first `capacity` are written.  `values` may be NULL if `capacity` is 0. */
ALE_API ale_status ale_env_labels(const ale_env *env, int32_t *values, size_t capacity, size_t *count);
/* Set the label's `low` and `high`.  ALE_INVALID_ARGUMENT, and nothing changed: a field is out of range, or values do
 * not fit into 32 bits. */
ALE_API ale_status ale_label_bound(ale_label *label);
/* The values of labels, of a game's or of one's own, in any RAM: `rams` has `rows` rows of ALE_RAM_SIZE bytes, and
 * `values` gets as many rows of `count` numbers.  Values that do not fit into 32 bits wrap. */
ALE_API ale_status ale_label_values(const ale_label *const *labels, uint32_t count, const uint8_t *rams, size_t rows,
                                    int32_t *values);

/* ---- States -------------------------------------------------------------------------------------------- */

/* A saved state of an environment: console, cartridge, pictures, sound, rule, frame counters, mode, difficulty,
 * paddles and their limits, sticky actions; and, on request, the random generator.  (The generator of the
 * SOLO rules' system_seed is part of the console and always included.)  Not included: the options.
 *
 * An ale_state can be reused: saving into it replaces its contents, and allocates memory only if it grows. */
typedef struct ale_state ale_state;

typedef struct ale_state_info {
    uint32_t struct_size;
    uint32_t empty;            /* 1: nothing was saved here yet; all other fields are 0 */
    uint32_t includes_random;  /* 1: saved with its random generator */
    int32_t rules;             /* ale_rules, as in the options */
    int32_t frame_number;
    int32_t episode_frame_number;
    int32_t mode;
    int32_t difficulty;
    char rom_md5[40];
    size_t serialized_size;    /* bytes that ale_state_serialize writes */
} ale_state_info;

/* An empty state. */
ALE_API ale_status ale_state_create(ale_state **state);
ALE_API void ale_state_destroy(ale_state *state);
/* Fill the first info->struct_size bytes of `info`. */
ALE_API ale_status ale_state_describe(const ale_state *state, ale_state_info *info);
/* Set *equal to 1 if both states have the same future under the same actions, if none is sticky; else to 0.
 * Compared are the machine, rule, counters, mode, difficulty, paddles, and the generator if both include it (a
 * state with a generator never equals one without).  Pictures, samples, sticky actions and paddle limits are not
 * compared.  Two empty states are equal.  States saved after the same play are equal whichever fast_paths are on. */
ALE_API ale_status ale_state_equal(const ale_state *a, const ale_state *b, uint32_t *equal);

/* Save the current state of `env` in `state`.  `include_random`: 1 saves the random generator too. */
ALE_API ale_status ale_env_save(ale_env *env, uint32_t include_random, ale_state *state);
/* Restore a state of this environment, or of another one with the same ROM image and rules; those of ALE_BY_MODE for
 * one player are those of ALE_SOLO.  A state without a generator leaves the one of `env` as it is; but if it is of
 * BY_MODE, and the other of the two sets is in force in it, the generator gets the seed that a reset would give it.
 * ALE_BAD_STATE, and `env` unchanged, for any other state, and for bytes with a value that the library never saves;
 * ale_last_error() names the field.  ALE_OUT_OF_MEMORY, and `env` unchanged.  An unfinished frame that was saved
 * without the option `objects` has no objects. */
ALE_API ale_status ale_env_restore(ale_env *env, const ale_state *state);
/* Seed the random generator of sticky actions, so that what follows a restored state is another play of it. */
ALE_API ale_status ale_env_seed(ale_env *env, uint32_t random_seed);

/* Make `env` an exact copy of another environment with the same ROM image and rules, as if that were saved with its
 * random generator and restored here, but without a state in between.  The options stay as they are.  An
 * environment that copies itself stays as it is, its report included.  ALE_OUT_OF_MEMORY, and `env` unchanged. */
ALE_API ale_status ale_env_copy(ale_env *env, ale_env *source);

/* A state as bytes, to store or send: `size` must be the serialized_size of its info; an empty state is
 * refused.  The bytes are for the same version of the library and for processors of the same word size and byte
 * order; others refuse them cleanly. */
ALE_API ale_status ale_state_serialize(const ale_state *state, void *out, size_t size);
/* Replace the contents of `state` by those of serialized bytes.  Bytes that are truncated, damaged or foreign
 * are refused with ALE_BAD_STATE.  Bytes from untrusted sources are safe, also with a checksum that fits: every
 * field is checked before the state is restored (tests/test_states.c, fuzz/fuzz_states.c). */
ALE_API ale_status ale_state_deserialize(ale_state *state, const void *bytes, size_t size);

/* ---- Starts -------------------------------------------------------------------------------------------- */

/* Saved states at which episodes begin instead of where a reset leads, and how often each of them does.  Starts do not
 * change, and have a reference count, so that any number of threads and vectors may use them at once. */
typedef struct ale_starts ale_starts;

/* Copy `count` states, at least 1; NULL, and an empty state, stand for a reset.  Starts are drawn in proportion to
 * their weights, finite numbers from 0 on; `weights` NULL: all alike.  `env` says what all states must be of; NULL:
 * that is checked when they are used.  ALE_BAD_STATE: `env` could not restore one of them. */
ALE_API ale_status ale_starts_create(ale_env *env, const ale_state *const *states, const double *weights,
                                     uint32_t count, ale_starts **starts);
ALE_API void ale_starts_release(ale_starts *starts);
/* Choose a start, set *index to its number, and let an episode begin there: with the frames of the episode counted from
 * 0, and with the random generator of `env`, whatever was saved.  *index below 0: the generator draws the start.
 * `seed` (0 to 2^32 - 1) seeds the generator before; negative: it goes on.  If the start is a reset, nothing else is
 * done: call ale_env_reset.  ALE_BAD_STATE: as ale_env_restore. */
ALE_API ale_status ale_env_start(ale_env *env, const ale_starts *starts, int64_t seed, int32_t *index);

/* ---- Vectors: many environments in a batch --------------------------------------------------------------
 *
 * An ale_vector plays any number of environments, of one game or of many, on a pool of threads, and does the usual
 * preprocessing: frames are skipped, pooled, resized and stacked, rewards clipped, episodes restarted.
 *
 *     ale_vector_create(roms, seeds, 64, &options, &vector);
 *     ale_vector_post(vector, &batch);                         // memory for the results
 *     ale_vector_reset(vector, NULL, NULL);
 *     ale_vector_recv(vector);                                 // batch is filled
 *     for (;;) {
 *         choose(actions, &batch);
 *         ale_vector_step(vector, actions, NULL, &batch);      // = post, send, recv
 *     }
 *
 * Batches.   With batch_size equal to the number of environments every batch holds all of them, in order.
 *            With a smaller one, recv returns the first batch_size results that are ready, in the order in which
 *            they became ready, and the next send takes the actions for exactly these environments.  What
 *            happens in an environment depends only on its ROM, seed and actions, not on threads or batches.
 * Memory.    Results are written directly into the caller's memory while environments play.  So memory for all
 *            outstanding results must be posted before they start.
 * Threads.   A vector serves one caller at a time: a call that comes while another one runs fails with
 *            ALE_OUT_OF_ORDER, but ale_vector_destroy waits for it.  It works on num_threads threads of its
 *            own, and in step and reset the caller's thread takes the place of one of them.  After a fork only
 *            the parent can use it; in the child every function but ale_vector_destroy fails.
 * Actions    are indices into the action set of the environment, ascending: the minimal one, or as
 *            full_action_space says. */

typedef struct ale_vector ale_vector;

typedef enum ale_observation {
    ALE_OBSERVE_GRAYSCALE = 0, /* img_height * img_width bytes a frame */
    ALE_OBSERVE_RGB = 1,       /* three times as many, channels last */
    ALE_OBSERVE_RAM = 2,       /* ALE_RAM_SIZE bytes */
    ALE_OBSERVE_OBJECTS = 3,   /* img_height * img_width * ALE_OBJECT_COUNT bytes, channels last: how much of the
                                  pixel each object covers; 255: all of it */
    ALE_OBSERVE_LABELS = 4     /* an int32_t for each label of the game, which must be the same in all environments */
} ale_observation;

/* What happens to an environment whose episode is over. */
typedef enum ale_autoreset {
    ALE_NEXT_STEP = 0, /* its next action, whatever it is, resets it */
    ALE_SAME_STEP = 1, /* it is reset in the same step: observation and counts are the new episode's, rewards
                          and flags the old one's */
    ALE_NO_RESET = 2   /* it accepts no actions until the caller resets it */
} ale_autoreset;

typedef struct ale_vector_options {
    uint32_t struct_size;
    uint32_t batch_size;                /* 0: all environments; at most their number */
    uint32_t num_threads;               /* 0: one for each CPU; at most batch_size are used, and at most as many
                                           as there are CPUs */
    int32_t thread_affinity_offset;     /* -1; 0 and more: thread i stays on CPU (offset + i) modulo their
                                           number, where the system can do that */
    uint32_t patience_ms;               /* 0: recv, step and wait wait for ever; else they return ALE_UNFINISHED
                                           after about so many milliseconds.  A thread whose environment then still
                                           plays leaves the others, and all later ones, to the vector's threads */
    int32_t rules;                      /* ale_rules; ALE_SOLO */
    uint32_t players;                   /* 1; of every environment's mode; ALE_SOLO: 1 only */
    int32_t autoreset;                  /* ale_autoreset; ALE_NEXT_STEP.  ALE_NO_RESET: full batches only */
    int32_t observation;                /* ale_observation; ALE_OBSERVE_GRAYSCALE */
    uint32_t img_height, img_width;     /* 84, 84; 1 to 4096 */
    uint32_t stack_num;                 /* 4; frames of an observation, oldest first, 1 to 1024; before the
                                           first of an episode they are 0, or as fill_stack says */
    uint32_t frame_skip;                /* 4; frames of a step, 1 to ALE_MAX_FRAME_SKIP.  The screen after the last
                                           is observed; a step that ends early observes the one before again */
    uint32_t maxpool;                   /* 1: observe the brighter of the last two frames, byte by byte, if
                                           a step has two; of OBJECTS those of both */
    uint32_t noop_max;                  /* 30; an episode begins with 0 to noop_max - 1 frames of NOOP; at most
                                           ALE_MAX_NOOPS */
    uint32_t use_fire_reset;            /* 1: the first of these frames is FIRE, if the action set has it; if
                                           there are none, one FIRE frame is played */
    uint32_t episodic_life;             /* 0; 1: losing a life (except the last, which ends it anyway) ends the
                                           episode */
    uint32_t life_loss_info;            /* 0; 1: losing a life terminates, but the episode goes on */
    uint32_t reward_clipping;           /* 1: rewards of a step are clamped to -1 .. 1 */
    int32_t max_num_frames_per_episode; /* 108000; frames of actions after which an episode is truncated.  0
                                           and less: at once */
    float repeat_action_probability;    /* 0; as in ale_env_options */
    uint32_t full_action_space;         /* 0: the minimal set; 1: the legal one; 2: all 18 actions, of which
                                           illegal ones do nothing */
    uint32_t sound;                     /* 0; 1: the environments make sound */
    /* With either of these, each player has an observation of its own: there are `players` observations, one after
     * the other. */
    uint32_t agent_indicator;           /* 0; 1: after the stack come `players` more frames, all bytes or labels 255
                                           for the player who observes, 0 for the others */
    uint32_t mirror;                    /* 0; 1: players on the other side of the field than the first see
                                           pictures mirrored from left to right, and their LEFT and RIGHT change
                                           places where these are directions on the screen.  For games and modes
                                           with such sides only, and with pictures only */
    const uint32_t *frame_limit;        /* NULL; see ale_set_frame_limit */
    uint32_t fast_paths;                /* ALE_FAST_ALL; as in ale_env_options */
    uint32_t corrected_rules;           /* 0; as in ale_env_options */
    uint32_t fill_stack;                /* 0; 1: before the first frame of an episode there are copies of it, not 0 */
    uint32_t crop[4];                   /* 0; rows at the top and bottom, columns at the left and right of the screen
                                           that pictures leave out before they are resized */
} ale_vector_options;

/* Memory for the results of one batch: an array for each, with batch_size elements, or batch_size rows of
 * `players` elements where that is said.  From `episode_ends` on, fields may be NULL: then that result is left out. */
typedef struct ale_batch {
    uint32_t struct_size;
    uint8_t *observations;         /* rows of observation_size bytes */
    int32_t *rewards;              /* x players; of the step; 0 for a player who was out before */
    uint8_t *terminations;         /* x players; 1: the game is over, or over for this player, or as the
                                      options about lives say */
    uint8_t *truncations;          /* 1: out of frames, and not terminated */
    int32_t *env_ids;              /* the environment that the row belongs to */
    int32_t *lives;                /* x players */
    int32_t *frame_numbers;        /* since the environment was made or seeded */
    int32_t *episode_frame_numbers; /* since its reset, including the frames that the reset itself counted */

    uint8_t *episode_ends;         /* 1: with this step the episode ended */
    int64_t *episode_returns;      /* x players; unclipped rewards since the reset, as of this step */
    int32_t *episode_lengths;      /* steps since the reset, as of this step */
    int32_t *unclipped_rewards;    /* x players */
    uint8_t *ram;                  /* rows of ALE_RAM_SIZE bytes */
    uint8_t *sound;                /* rows of ALE_AUDIO_SIZE samples of the latest frame (options.sound) */
    /* ALE_SAME_STEP, only in rows with a termination or truncation: the values after the step, before the reset. */
    uint8_t *final_observations;   /* rows of observation_size bytes */
    int32_t *final_lives;          /* x players */
    int32_t *final_frame_numbers;
    int32_t *final_episode_frame_numbers;

    int32_t *labels;               /* rows of as many values as the game has labels, which must be the same game in all
                                      environments; may be NULL */
    int32_t *starts;               /* the start of the episode, as ale_vector_set_starts says; may be NULL */
    int32_t *ended_by;             /* the label that ended the episode with this step, as in ale_report; may be NULL */
    size_t observation_stride;     /* 0: rows of observations are on end, and nobody reads them but the caller.  Else
                                      the bytes from one row to the next, and observations share frames: the library
                                      reads this batch, too, until the next one is received, or the results are
                                      discarded.  If there a row begins one frame after the same row here, a step
                                      writes its new frame and copies none; rows may overlap in other ways, too.  Only
                                      in batches of all environments, without agent_indicator and mirror */
} ale_batch;

typedef struct ale_vector_info {
    uint32_t struct_size;
    uint32_t num_envs;
    uint32_t batch_size;
    uint32_t num_threads;
    uint32_t players;
    uint32_t outstanding; /* results that were requested and not received yet */
    uint32_t posted;      /* batches that were posted and not received yet */
    uint64_t received;    /* batches that were received since the vector was made */
    size_t observation_size;
} ale_vector_info;

/* Set the defaults; `struct_size` is sizeof(ale_vector_options).  NULL does nothing. */
ALE_API void ale_vector_options_init(ale_vector_options *options, uint32_t struct_size);
/* Whether a vector of so many environments can have these options and fits into the machine's memory, as far as that
 * can be told in advance; ale_vector_create looks at the same before anything else. */
ALE_API ale_status ale_vector_check(const ale_vector_options *options, uint32_t num_envs);
/* Make num_envs environments, at least 1; environment i plays roms[i] and is seeded with seeds[i] (`seeds`
 * NULL: with i).  A ROM may occur any number of times; the vector takes references.  Mode and difficulty are the
 * defaults, the mode being the game's default_modes[players - 1].  Fails as ale_env_create does. */
ALE_API ale_status ale_vector_create(ale_rom *const *roms, const uint32_t *seeds, uint32_t num_envs,
                                     const ale_vector_options *options, ale_vector **vector);
/* Waits for environments that are playing; results not received are lost. */
ALE_API void ale_vector_destroy(ale_vector *vector);
ALE_API ale_status ale_vector_describe(const ale_vector *vector, ale_vector_info *info);
/* One of the environments, borrowed until the vector is destroyed, to look at while no results of it are
 * outstanding: its info, report, screen, boxes, palette, RAM and sound.  It must not be changed.  Waits until none
 * is playing.  NULL if there is no environment `index`, while another thread uses the vector, and in a forked
 * process; ale_last_error() says which. */
ALE_API ale_env *ale_vector_env(ale_vector *vector, uint32_t index);

/* Hand over memory for one more batch.  The struct is copied; what it points at belongs to the vector until
 * the batch is received or the vector destroyed.  Batches are filled in the order in which they came. */
ALE_API ale_status ale_vector_post(ale_vector *vector, const ale_batch *batch);
/* Choose an environment's mode (for the same number of players) and difficulty; they apply from its next reset on.
 * The difficulty is one of the game's, or stays as it is: backgammon begins with 0, which it does not list.
 * ALE_UNSUPPORTED: options.mirror is set, and the field of this mode does not have two sides. */
ALE_API ale_status ale_vector_select(ale_vector *vector, uint32_t index, int32_t mode, int32_t difficulty);
/* Start episodes.  Results that are outstanding are waited for and discarded; the batches they would have
 * filled remain posted.  `mask` has a byte for each environment, 1: reset it; NULL: reset all.  Environments
 * that are not reset report their current values, with rewards and flags 0.  The first reset must reset all; so must
 * every reset if batch_size is below the number of environments.  `seeds` has a number for each environment: it
 * starts anew with this seed (0 to 2^32 - 1), or keeps its random generator (negative); NULL: all keep theirs. */
ALE_API ale_status ale_vector_reset(ale_vector *vector, const uint8_t *mask, const int64_t *seeds);
/* Let all episodes from the next reset on begin at starts (see ale_env_start), also those of automatic resets; NULL: no
 * longer.  No FIRE or NOOP comes before; a start that is a reset is one as without starts.  The vector takes a
 * reference.  ALE_OUT_OF_ORDER: results are outstanding.  ALE_INVALID_ARGUMENT: the environments play different games.
 * ALE_BAD_STATE: as ale_env_restore, or a state is not for as many players. */
ALE_API ale_status ale_vector_set_starts(ale_vector *vector, const ale_starts *starts);
/* Reset as ale_vector_reset does, but in other modes or at other starts; everything is checked before anything changes.
 * `modes` and `difficulties` have one for each environment that is reset, as ale_vector_select takes them; both NULL:
 * they stay.  `starts` NULL: as ale_vector_set_starts said.  `indices` has the number of a start for each environment,
 * below 0: it is drawn; NULL: all are.  `exact` 1: restore the states as they are, with their random generators and
 * frame numbers, and seed the generators with `seeds` after that; all indices must be given then, and no start may be a
 * reset. */
ALE_API ale_status ale_vector_reset_from(ale_vector *vector, const uint8_t *mask, const int64_t *seeds,
                                         const int32_t *modes, const int32_t *difficulties, const ale_starts *starts,
                                         const int32_t *indices, uint32_t exact);
/* Play one action for each environment, and player, of the batch that was received last: batch_size rows of
 * `players` indices.  `strengths`, with as many elements, is as in ale_env_act.  Everything is checked before
 * anything is played; the action of an environment that will be reset is ignored. */
ALE_API ale_status ale_vector_send(ale_vector *vector, const int32_t *actions, const float *strengths);
/* The same for `count` environments that wait for actions, no two alike: those whose result was received, in whichever
 * batch, and who were sent no action since.  `actions` has a row for each of `ids`.  If a batch holds all environments,
 * the others stand still: they report their current values, with rewards and flags 0.  Otherwise the batches that
 * follow have results of any environments that were sent actions.  ALE_OUT_OF_ORDER: one of them does not wait.
 * ale_vector_save keeps of those who wait only the batch that was received last. */
ALE_API ale_status ale_vector_send_to(ale_vector *vector, const int32_t *ids, uint32_t count, const int32_t *actions,
                                      const float *strengths);
/* Wait until the first batch posted is filled; it then belongs to the caller again.
 * ALE_UNFINISHED: it is not filled yet, call again.  ALE_OUT_OF_ORDER: too few results are outstanding.
 * Any other failure is that of an environment, the first in the order of rows (see ale_env_reset and
 * ale_env_reload); the batch is received, and that environment continues as it is. */
ALE_API ale_status ale_vector_recv(ale_vector *vector);
/* Wait until no environment plays, and the next call need not wait for any; results stay outstanding.
 * ALE_UNFINISHED: some still play, call again. */
ALE_API ale_status ale_vector_wait(ale_vector *vector);
/* Wait until no environment plays, and discard all results; all posted batches belong to the caller again, filled or
 * not.  Then ale_vector_reset must reset all, or ale_vector_restore follow.  For callers who have lost count, as after
 * an exception. */
ALE_API ale_status ale_vector_discard(ale_vector *vector);
/* Post, send and recv in one.  `batch` NULL: one was posted before.  ALE_UNFINISHED: continue with
 * ale_vector_recv.  If post or send fail, nothing was posted or sent. */
ALE_API ale_status ale_vector_step(ale_vector *vector, const int32_t *actions, const float *strengths,
                                   const ale_batch *batch);

/* Make environments exact copies of others: targets[k] of sources[k], for k from 0 to `count` - 1, as if all were
 * copied at once, with stack, counters, random generators, mode, difficulty and a pending reset.  A source may occur
 * several times and be a target too; a target may occur only once.  The copies are made on the vector's threads.
 * A pointer that ale_vector_env returned before may belong to another environment afterwards.
 * ALE_OUT_OF_ORDER: results are outstanding.  ALE_INVALID_ARGUMENT: a number is no environment's, a target
 * occurs twice, or the two do not play the same ROM image by the same scheme.  ALE_OUT_OF_MEMORY.  After any of
 * these, nothing was copied. */
ALE_API ale_status ale_vector_copy(ale_vector *vector, const int32_t *sources, const int32_t *targets,
                                   uint32_t count);

/* Seed the random generators of `count` environments, those of seats included (ale_vector_seat), so that copies play
 * differently: environments[k] with seeds[k], 0 to 2^32 - 1; negative: it stays as it is.  ALE_OUT_OF_ORDER: results
 * are outstanding. */
ALE_API ale_status ale_vector_seed(ale_vector *vector, const int32_t *environments, const int64_t *seeds,
                                   uint32_t count);

/* The whole vector as bytes: all environments with their random generators, stacks and pending resets, and
 * the results that are outstanding, which are waited for.  Sets *size; the bytes are complete if `capacity`
 * is at least that (`out` may be NULL when `capacity` is 0).  The bytes are as those of
 * ale_state_serialize: for the same version of the library and the same kind of processor. */
ALE_API ale_status ale_vector_save(ale_vector *vector, void *out, size_t capacity, size_t *size);
/* Continue from bytes that were saved by a vector with the same ROMs and options; threads and patience may
 * differ.  Memory must be posted for the results that were outstanding when it was saved; those outstanding now are
 * discarded.
 * ALE_BAD_STATE, and nothing changed, for any other bytes; they are safe as in ale_state_deserialize
 * (tests/test_states.c, fuzz/fuzz_vectors.c). */
ALE_API ale_status ale_vector_restore(ale_vector *vector, const void *bytes, size_t size);
/* Set *equal to 1 if both were saved by vectors like this and have the same future, as ale_state_equal says, with the
 * same stacks, pictures and results; else to 0.  Bytes of equal vectors may differ: collisions are evaluated late.
 * ALE_BAD_STATE for bytes that ale_vector_restore would refuse. */
ALE_API ale_status ale_vector_saved_equal(ale_vector *vector, const void *a, size_t a_size, const void *b,
                                          size_t b_size, uint32_t *equal);

/* One environment as bytes, with its random generators and a pending reset, but without what was observed of it: its
 * stack of frames and its latest result.  They are a tenth of its share of ale_vector_save, and for the same version of
 * the library and the same kind of processor.  Sets *size as ale_vector_save does.
 * ALE_OUT_OF_ORDER: results are outstanding, or there was no reset. */
ALE_API ale_status ale_vector_save_env(ale_vector *vector, uint32_t index, void *out, size_t capacity, size_t *size);
/* Let an environment continue from such bytes, saved of any environment of any vector with the same ROM, rules and
 * number of players.  How it plays on is as the options of this vector say; with those of the other, it has the same
 * future.  It keeps its own stack: after stack_num + 1 steps, or a reset, its observations are those of the other.
 * ALE_OUT_OF_ORDER: results are outstanding, or there was no reset.  ALE_BAD_STATE, and nothing changed, for any other
 * bytes, and where this vector has ALE_SAME_STEP for an environment whose episode is over, as none of its own can be;
 * they are safe as in ale_state_deserialize. */
ALE_API ale_status ale_vector_restore_env(ale_vector *vector, uint32_t index, const void *bytes, size_t size);

/* Stretches of play, for ale_vector_play(): steps of one environment each, from a saved state or a reset on.  Arrays
 * have an element for each stretch, for each step (of all stretches, one stretch after the other) or for each reset, or
 * rows of `players` elements where that is said. */
typedef struct ale_stretches {
    uint32_t struct_size;
    uint32_t count;               /* of stretches, at least 1 */
    /* Of each stretch. */
    const void *const *states;    /* bytes of ale_vector_save_env; NULL: a reset with a seed comes first */
    const size_t *sizes;          /* of these bytes */
    const uint32_t *steps;        /* how many it has, at least 1 */
    uint8_t *const *observations; /* where they go: observation_size bytes for each step that is `observed`, and as many
                                     for what is observed after the last one (ALE_SAME_STEP: before a reset) */
    uint32_t *played;             /* set: the number of its steps that were played */
    /* Of each step. */
    const int32_t *actions;       /* x players */
    const float *strengths;       /* x players, as in ale_env_act; NULL: 1 */
    const uint8_t *observed;      /* 1: write what is observed before the step, after resets that come before it */
    int32_t *rewards;             /* x players */
    uint8_t *terminations;        /* x players */
    uint8_t *truncations;
    /* Of each reset. */
    uint64_t resets;              /* how many there are; 0: what follows may be NULL */
    const uint64_t *reset_steps;  /* the step that it comes before, by its number among those of all stretches;
                                     ascending */
    const int64_t *seeds;         /* as in ale_vector_reset */
    const int32_t *modes;         /* as in ale_vector_select */
    const int32_t *difficulties;
} ale_stretches;

/* Play stretches, each in some environment of the vector, on its threads: what was played before is played again in one
 * call, much faster than by steps.  Results are those of the vector that was saved, if the options are the same;
 * observations are so from stack_num + 1 steps after a state on, or from a reset on.  Steps on which nothing that is
 * written depends are not observed.
 * What `stretches` point at belongs to the vector until the call returns something else than ALE_UNFINISHED (after
 * patience_ms: go on by a call with `stretches` NULL; until then all functions but this, ale_vector_wait and
 * ale_vector_destroy fail).  The environments then stand anywhere: before anything else is played, reset all.
 * ALE_OUT_OF_ORDER: results are outstanding, or NULL was given and nothing is played.  ALE_INVALID_ARGUMENT: a number
 * is out of range, or the environments play different games.  Nothing was played then.  Any other failure ends all
 * stretches: ALE_BAD_STATE, ALE_BAD_ACTION, ALE_OUT_OF_ORDER (ALE_NO_RESET, and an episode that is over), ALE_STOPPED,
 * or that of a reset. */
ALE_API ale_status ale_vector_play(ale_vector *vector, const ale_stretches *stretches);

/* In place of an action: the player's policy chooses (ale_vector_seat), or all actions are equally likely if it has
 * none, with the random numbers that ale_vector_seat seeded. */
enum { ALE_OPEN = -1 };

/* Many steps of the first `count` environments, for ale_vector_roll_out(). */
typedef struct ale_rollout {
    uint32_t struct_size;
    uint32_t count;         /* of environments, at least 1 */
    uint32_t steps;
    double discount;        /* factor from a step's rewards to those of the next */
    const int32_t *actions; /* steps x count x players: indices into the action set, or ALE_OPEN */
    double *returns;        /* set: count x players; the sums of discounted rewards, which are not clipped */
    uint8_t *ended;         /* set: count; 1: the episode is over */
} ale_rollout;

/* Play many steps in one call, on the vector's threads.  An environment whose episode is over stands still.  Nothing is
 * observed: after stack_num + 1 further steps observations are right again.  Needs ALE_NO_RESET.
 * What `rollout` points at belongs to the vector until the call returns something else than ALE_UNFINISHED; then go on
 * by ale_vector_play with NULL, as for stretches.
 * ALE_OUT_OF_ORDER: results are outstanding, or there was no reset.  ALE_INVALID_ARGUMENT, ALE_BAD_ACTION: nothing was
 * played.  ALE_STOPPED. */
ALE_API ale_status ale_vector_roll_out(ale_vector *vector, const ale_rollout *rollout);

/* ---- Policies: trained players ------------------------------------------------------------------------- */

/* A policy: a trained player, which chooses actions from the bytes of RAM that it sees.  It never changes, and may be
 * used by any number of vectors and threads at once.  It decides the same on every machine. */
typedef struct ale_policy ale_policy;

/* The network of a policy: three layers of whole numbers.  Inputs are the bytes that it sees, then their changes since
 * its last action: byte * scale - offset, in units of 2^-10, clipped to -5 .. 5.  Each layer adds its bias and the
 * products of inputs and weights, and rounds down, to units of 2^-10, which the first two layers clip to 0 .. 2^10, and
 * the third to units of 2^-5.  An action is drawn: more likely by a factor of e for each unit of its output.
 * A file of players (pyale_ma/opponents) has such numbers at its end: for frame_skip 4, and the mode that it names. */
typedef struct ale_policy_numbers {
    uint32_t struct_size;
    uint32_t players;                   /* 1 to ALE_MAX_PLAYERS: for how many it can play */
    uint32_t used_count;                /* 1 to ALE_RAM_SIZE: the number of bytes that it sees */
    uint32_t neurons_1, neurons_2;      /* 1 to 256: outputs of the first two layers */
    uint32_t action_count;              /* 1 to ALE_ACTION_COUNT: outputs of the third */
    uint32_t shift_1, shift_2, shift_3; /* 0 to 15: a layer's weights are in units of 2^-shift, its biases of
                                           2^-(shift + 10) */
    const uint8_t *used;                /* the bytes of RAM that it sees */
    const uint8_t *actions;             /* what it chooses from: an ale_action each */
    const uint8_t *numbers;             /* with sign, little-endian, one array after the other:
                                               int16 scale[2 * used_count]; int32 offset[2 * used_count];
                                               int16 weights[players][2 * used_count][neurons_1];
                                               int32 bias[players][neurons_1];
                                               int16 weights[neurons_1][neurons_2]; int32 bias[neurons_2];
                                               int16 weights[neurons_2][action_count]; int32 bias[action_count]; */
    size_t size;                        /* of these numbers, in bytes */
} ale_policy_numbers;

/* Make a policy; everything that `numbers` points at is copied.  The caller owns a reference, which ale_policy_release
 * gives back; vectors hold their own. */
ALE_API ale_status ale_policy_create(const ale_policy_numbers *numbers, ale_policy **policy);
ALE_API void ale_policy_release(ale_policy *policy);
/* Let a policy choose the actions of `count` players, wherever they play.  It remembers nothing between calls.  Arrays
 * have an element for each player, or rows of so many elements as are said:
 *     rams      ALE_RAM_SIZE bytes: RAM as it is now;
 *     before    ALE_RAM_SIZE bytes: RAM at the player's last action; before its first one, the same as in `rams`, which
 *               may be the same array;
 *     players   which player of its game it is, 0 for the first;
 *     randoms   the state of its random numbers: at first their seed, after the call the state for its next action;
 *     actions   set: an ale_action;
 *     logits    set: the outputs of the third layer, one for each action in `actions` of ale_policy_numbers.  It has
 *               room for `capacity` numbers, at least those of all players.  NULL: not wanted.
 * With the same seed it chooses what ale_vector_choose chooses for a player that sees the same RAM.  `count` may be 0.
 * ALE_INVALID_ARGUMENT: an element of `players` is out of range, or `capacity` is too small. */
ALE_API ale_status ale_policy_act(const ale_policy *policy, uint32_t count, const uint8_t *rams, const uint8_t *before,
                                  const uint32_t *players, uint32_t *randoms, int32_t *actions, int64_t *logits,
                                  size_t capacity);
/* Let a policy choose the actions of a player of an environment, also before its first reset; NULL: none does.  After a
 * reset, a copy or a restore it has seen nothing yet; its random numbers, whose seed is `random`, go on.  Policies are
 * neither copied nor saved.
 * ALE_INVALID_ARGUMENT: a number is out of range, or an action of the policy is not in the action set. */
ALE_API ale_status ale_vector_seat(ale_vector *vector, uint32_t index, uint32_t player, ale_policy *policy,
                                   uint32_t random);
/* Write what policies choose for their players into the actions of the next ale_vector_send or step, as indices into
 * the action set; the others stay as they are, and where a reset is due it is 0.  It is chosen on the vector's threads,
 * unless results are outstanding.  To be called once before each of these: policies remember what they saw.
 * ALE_OUT_OF_ORDER: no batch waits for actions. */
ALE_API ale_status ale_vector_choose(ale_vector *vector, int32_t *actions);

#ifdef __cplusplus
}
#endif

#endif
