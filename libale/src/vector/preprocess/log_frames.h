/* Gray pictures that the video engine makes from the logs of frames.  This skips the console's screen, which would only
 * be pooled and resized.
 *
 * In games in which little changes, screens made by the row memory are faster.  The first few sub-environments of a ROM
 * time both ways for all of them.  The others never touch the memory of the screens if this way is faster.
 *
 * Observed rows are in the thread's scratch memory.  The latest observed picture may be needed again (pooling.h), so
 * the logs of its frames are kept. */
#ifndef ALE_LOG_FRAMES_H
#define ALE_LOG_FRAMES_H

#include "../../support/choice.h"
#include "pooling.h"

enum { MOST_POOLED = 2 };

typedef struct kept_frame {
    tia_raster start;
    uint32_t count;
} kept_frame;

/* The two ways to make gray pictures. */
enum { GRAY_FROM_LOGS, GRAY_FROM_SCREENS };

/* A sub-environment's part in timing the two ways: it uses the result, takes part, or leads (choice.h). */
typedef enum gray_part { GRAY_FOLLOWS, GRAY_TRIES, GRAY_LEADS } gray_part;

typedef struct log_frames {
    console *machine;    /* NULL: pictures are not gray, or are always made from screens */
    way_choice *ways;    /* the choice that all sub-environments of the ROM share */
    gray_part part;      /* in timing the ways */
    way_user user;       /* of `ways` */
    const uint8_t *gray; /* gray of each color of the palette */
    kept_frame kept[MOST_POOLED];
    tia_access *access;  /* logs of the kept frames, one after the other; equals `first` or `reserve` */
    tia_access *first;   /* room for the usual number of accesses */
    size_t room;
    tia_access *reserve; /* room for any number; its pages take up no memory until they are written to */
    arena *arena;        /* where these lie, or NULL */
    uint32_t frames;     /* number of kept frames, those of the latest observed picture; 0: that was made from
                            screens */
    uint32_t back_off;   /* steps until gray is tried again */
} log_frames;

/* Initialise, with memory of an arena or (NULL) of malloc.  `like`: an earlier one of the same ROM, whose choice this
 * one shares; NULL: it has a choice of its own.  False: out of memory. */
bool log_frames_init(log_frames *g, ale_env *env, const log_frames *like, arena *a);
void log_frames_free(log_frames *g);

/* Size of the scratch memory, which holds rows of GRAY_STRIDE bytes and then a mark for each row (gray_target). */
size_t gray_size(const console *machine);
static inline uint8_t *gray_rows(uint8_t *memory) {
    return memory + (GRAY_ALIGNMENT - (uintptr_t)memory % GRAY_ALIGNMENT) % GRAY_ALIGNMENT;
}
static inline uint8_t *gray_marks(uint8_t *rows, int count) { return rows + (size_t)count * GRAY_STRIDE; }

/* Begin a step.  Return whether its frames are drawn in gray from logs. */
bool log_frames_begin_step(log_frames *g);
/* End a step that was observed. */
void log_frames_end_step(log_frames *g);
/* Stop trying for some steps, after one that could not be drawn in gray.  A program that ends frames early may do so
 * all the time. */
void log_frames_back_off(log_frames *g);
/* Announce the next frame.  It is number `index` of those that are pooled in `rows`. */
void log_frames_announce(const log_frames *g, uint8_t *rows, uint32_t index);
/* Take the announced frame after it ran.  False: it was not drawn. */
bool log_frames_take(const log_frames *g, uint8_t *rows, uint32_t index);
/* Draw the latest frame, which was not announced.  False: its log is not enough to draw it. */
bool log_frames_draw_latest(const log_frames *g, uint8_t *rows);
/* Keep the logs of the latest `frames` frames, of which the observed picture is made. */
void log_frames_keep(log_frames *g, uint32_t frames);
/* Draw the picture again from the kept frames. */
void log_frames_draw(const log_frames *g, uint8_t *rows);
void log_frames_copy(log_frames *g, const log_frames *source);

#endif
