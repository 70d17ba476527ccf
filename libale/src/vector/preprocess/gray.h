/* Gray pictures from the logs of frames, by the console's engine: nothing is drawn that is only pooled and resized.
 *
 * In games in which little changes, screens whose rows are remembered are faster.  Of the sub-environments of a ROM the
 * first few find out, for all, which way is; only they have used the memory of both, where that is this one.
 *
 * What is observed lies in scratch memory of the thread.  The picture observed last may be asked for again (pixels.h),
 * so the logs of its frames are kept. */
#ifndef ALE_GRAY_H
#define ALE_GRAY_H

#include "../../support/choice.h"
#include "pixels.h"

enum { MOST_POOLED = 2 };

typedef struct kept_frame {
    tia_raster start;
    uint32_t count;
} kept_frame;

/* Ways to gray pictures. */
enum { GRAY_FROM_LOGS, GRAY_FROM_SCREENS };

/* What a sub-environment does to find out which is the faster one. */
typedef enum gray_part { GRAY_FOLLOWS, GRAY_TRIES, GRAY_LEADS } gray_part;

typedef struct gray_source {
    console *machine;    /* NULL: gray is not wanted, or always made from screens */
    way_choice *ways;    /* of these, for all of the ROM */
    gray_part part;      /* in finding out */
    way_user user;       /* of `ways` */
    const uint8_t *gray; /* of its palette */
    kept_frame kept[MOST_POOLED];
    tia_access *access;  /* of the frames kept, one after the other: in one of the following */
    tia_access *first;   /* has room for as many as there mostly are; */
    size_t room;
    tia_access *reserve; /* for any number, but its pages are not used until they are needed */
    arena *arena;        /* where these lie, or NULL */
    uint32_t frames;     /* kept: those of the picture observed last; 0: that was made in another way */
    uint32_t back_off;   /* steps to go without */
} gray_source;

/* Of an environment that lies in an arena, or (NULL) by itself.  `like`: it goes by what that one of the same ROM, or
 * the one whom that goes by, finds out; NULL: it finds out itself.  False: out of memory. */
bool gray_init(gray_source *g, ale_env *env, const gray_source *like, arena *a);
void gray_free(gray_source *g);

/* Scratch memory; the rows in it, GRAY_STRIDE bytes each; and behind these their marks (gray_target). */
size_t gray_size(const console *machine);
static inline uint8_t *gray_rows(uint8_t *memory) {
    return memory + (GRAY_ALIGNMENT - (uintptr_t)memory % GRAY_ALIGNMENT) % GRAY_ALIGNMENT;
}
static inline uint8_t *gray_marks(uint8_t *rows, int count) { return rows + (size_t)count * GRAY_STRIDE; }

/* A step begins: whether its frames come in gray, from logs. */
bool gray_begin_step(gray_source *g);
/* It is over, and was observed. */
void gray_end_step(gray_source *g);
/* A step that was to be observed in gray could not be: programs may end their frames early all the time, so it is not
 * tried again for a while. */
void gray_back_off(gray_source *g);
/* The next frame is number `index` of those that are pooled, the others lying in `rows`. */
void gray_expect(const gray_source *g, uint8_t *rows, uint32_t index);
/* It was run.  False: it is not there. */
bool gray_see(const gray_source *g, uint8_t *rows, uint32_t index);
/* The latest frame, which nobody expected.  False: it is not to be had. */
bool gray_see_latest(const gray_source *g, uint8_t *rows);
/* The picture of the latest frames is observed. */
void gray_keep(gray_source *g, uint32_t frames);
/* Draw the picture of the frames that are kept. */
void gray_recall(const gray_source *g, uint8_t *rows);
void gray_copy(gray_source *g, const gray_source *source);

#endif
