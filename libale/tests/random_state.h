/* Random states as the library could have saved them: of a saved one, some fields are drawn anew from the tables of
 * invariants, most often at the ends of their ranges, and the logs or pixels of its frames are written anew; then the
 * relations between fields are made to hold.  Every such state must be accepted. */
#ifndef ALE_RANDOM_STATE_H
#define ALE_RANDOM_STATE_H

#include <stdlib.h>
#include <string.h>

#include "console/cartridge/cartridge.h"
#include "console/cartridge/dpc.h"
#include "console/cartridge/scheme.h"
#include "console/cpu/cpu.h"
#include "console/riot.h"
#include "console/video/picture.h"
#include "console/video/tia.h"
#include "environment/environment.h"
#include "environment/state.h"
#include "support/checksum.h"

/* Where chance comes from: a generator; or, once there are any, the bytes of a fuzzer, and zeros behind them. */
typedef struct dice {
    mt19937 random;
    const uint8_t *at, *end; /* NULL: the generator */
} dice;

static inline uint8_t roll_byte(dice *d) {
    if (!d->end) return (uint8_t)(mt19937_next(&d->random) >> 8);
    return d->at < d->end ? *d->at++ : 0;
}

static inline uint64_t roll(dice *d, int bytes) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) value = value << 8 | roll_byte(d);
    return value;
}

static inline uint32_t roll_below(dice *d, uint32_t limit) {
    return (uint32_t)(roll(d, limit > 0x10000 ? 4 : limit > 0x100 ? 2 : 1) % limit);
}

/* ---- Fields -------------------------------------------------------------------------------------------- */

static inline uint64_t draw_value(const invariant *field, dice *d) {
    if (field->values) return field->value[roll_below(d, field->values)];
    const bool any = allows_any(field);
    const uint64_t most = field->size < 8 ? (UINT64_C(1) << 8 * field->size) - 1 : UINT64_MAX;
    const uint64_t low = any ? 0 : (uint64_t)field->low, span = any ? most : (uint64_t)(field->high - field->low);
    switch (roll_below(d, 4)) {
    case 0: return low;
    case 1: return low + span;
    case 2: return low + (span ? roll_below(d, 4) % span : 0);
    default: return low + (span == UINT64_MAX ? roll(d, 8) : roll(d, field->size) % (span + 1));
    }
}

static inline void draw_element(const invariant *field, uint8_t *to, dice *d) {
    const uint64_t value = draw_value(field, d);
    const uint8_t one = (uint8_t)value;
    const uint16_t two = (uint16_t)value;
    const uint32_t four = (uint32_t)value;
    const void *from = field->size == 1 ? (const void *)&one : field->size == 2 ? &two : field->size == 4 ? &four
                                                                                 : (const void *)&value;
    memcpy(to, from, field->size);
}

/* One field of a struct, or some elements of an array. */
static inline void draw_field(const invariant *table, void *fields, dice *d) {
    uint32_t count = 0;
    while (table[count].name) count++;
    const invariant *field = &table[roll_below(d, count)];
    uint32_t elements = field->count == 1 || !roll_below(d, 4) ? field->count : 1 + roll_below(d, 3);
    if (elements >= field->count) {
        for (uint32_t i = 0; i < field->count; i++)
            draw_element(field, (uint8_t *)fields + field->offset + i * field->size, d);
        return;
    }
    while (elements--)
        draw_element(field, (uint8_t *)fields + field->offset + roll_below(d, field->count) * field->size, d);
}

/* ---- The parts of a state ------------------------------------------------------------------------------ */

/* Apart, where each is aligned. */
typedef struct state_parts {
    saved_environment head;
    mt19937 own_random;
    snapshot_head snapshot;
    machine_state machine;
    uint8_t big_ram[32 * KIB];
    saved_picture picture;
    saved_log log[2];
    tia_access access[2][LOG_CAPACITY];
    uint8_t pixels[2][2 * 256 * SCREEN_WIDTH]; /* and what covers them */
} state_parts;

static inline size_t own_random_size(const state_parts *p) {
    return p->head.includes_random && !state_is_multi(&p->head) ? sizeof p->own_random : 0;
}
static inline size_t accesses_size(const saved_log *log) { return log->count * sizeof(tia_access); }
static inline size_t pixels_size(const ale_env *env, const saved_log *log) {
    return log->whole ? 0 : (1u + log->covered) * picture_buffer_size(env->console->picture);
}

/* Bytes from or to each part in turn; returns how many. */
static inline size_t move_parts(const ale_env *env, state_parts *p, uint8_t *bytes, bool save) {
    uint8_t *at = bytes;
#define MOVE(part, length)                     \
    do {                                       \
        const size_t size_ = length;           \
        if (save)                              \
            memcpy(at, part, size_);           \
        else                                   \
            memcpy(part, at, size_);           \
        at += size_;                           \
    } while (0)
    MOVE(&p->head, sizeof p->head);
    MOVE(&p->own_random, own_random_size(p));
    MOVE(&p->snapshot, sizeof p->snapshot);
    MOVE(&p->machine, sizeof p->machine);
    MOVE(p->big_ram, cartridge_big_ram_size(env->console->rom));
    MOVE(&p->picture, sizeof p->picture);
    for (int back = 0; back < 2; back++) {
        MOVE(&p->log[back], sizeof p->log[back]);
        MOVE(p->access[back], accesses_size(&p->log[back]));
        MOVE(p->pixels[back], pixels_size(env, &p->log[back]));
    }
#undef MOVE
    return (size_t)(at - bytes);
}

/* ---- Relations ----------------------------------------------------------------------------------------- */

static inline int32_t draw_mode(const ale_env *env, dice *d) {
    const ale_rules rules = (ale_rules)env->options.rules;
    uint32_t count = 0;
    for (int p = 1; p <= GAME_MAX_PLAYERS; p++) count += (uint32_t)rules_modes(env->game, rules, p).count;
    uint32_t which = roll_below(d, count);
    for (int p = 1;; p++) {
        const mode_list list = rules_modes(env->game, rules, p);
        if (which < (uint32_t)list.count) return list.numbers[which] - list.less;
        which -= (uint32_t)list.count;
    }
}

static inline void relate_game(const ale_env *env, game_state *game, dice *d) {
    const game_rules *rules = env->rules;
    while (!environment_may_play(env, game->mode, rules_players(rules, game->mode)))
        game->mode = environment_find_mode(env, draw_mode(env, d)).number;
    game->players = rules_players(rules, game->mode);
    for (int p = game->players > rules->kept ? game->players : rules->kept; p < GAME_MAX_PLAYERS; p++)
        game->reward[p] = game->score[p] = game->lives[p] = 0;
    for (int i = rules->variables; i < GAME_VARIABLES; i++) game->var[i] = 0;
    if (!rules->looks_back) memset(game->before, 0, sizeof game->before);
    if (!env->game) memset(game, 0, offsetof(game_state, mode)), game->terminal = game->started = false;
}

static inline void relate_paddles(const ale_env *env, environment_state *s) {
    if (!env->has_paddles) s->paddle_min = PADDLE_MIN, s->paddle_max = PADDLE_MAX;
    if (env->has_paddles && env->game && env->game->paddle_max) s->paddle_max = env->game->paddle_max;
    const int32_t low = s->paddle_min < s->paddle_max ? s->paddle_min : s->paddle_max;
    const int32_t high = s->paddle_min < s->paddle_max ? s->paddle_max : s->paddle_min;
    for (int p = 0; p < GAME_MAX_PLAYERS; p++) {
        if (s->paddle[p] < low) s->paddle[p] = low;
        if (s->paddle[p] > high) s->paddle[p] = high;
        if (p >= environment_paddles(env)) s->paddle[p] = environment_middle(s);
    }
}

static inline void relate_environment(const ale_env *env, environment_state *s, dice *d) {
    if (!environment_find_mode(env, s->mode).players) s->mode = draw_mode(env, d);
    if (env->options.rules != ALE_BY_MODE) s->other_seed = 0;
    while (!rules_has_difficulty(env->rules, s->difficulty)) s->difficulty = (int32_t)roll_below(d, 8);
    relate_paddles(env, s);
    for (int p = rules_most_players(env->game, (ale_rules)env->options.rules); p < GAME_MAX_PLAYERS; p++) {
        s->held[p] = ACTION_NOOP;
        memset(&s->held_strength[p], 0, sizeof s->held_strength[p]);
    }
    if (!audio_made(s->samples))
        for (int i = 0; i < AUDIO_SAMPLES; i++)
            s->samples[i] = (uint8_t)(AUDIO_SILENCE + AUDIO_STEP * (s->samples[i] % 31));
    relate_game(env, &s->game, d);
    if (s->lives_at_start <= 0) s->lives_at_start = environment_lives(env, &s->game, 0);
}

static inline void relate_random(mt19937 *random) {
    if (!random->position) random->position = 1;
    if (!mt19937_is_alive(random)) random->state[1] = 1;
}

static inline void relate_cartridge(const ale_env *env, cartridge_state *cartridge, const cartridge_state *good,
                                    dice *d) {
    const rom_image *rom = env->console->rom;
    const cartridge_scheme *scheme = rom->cartridge;
    if (scheme->bank_exists && !scheme->bank_exists(rom, cartridge->bank)) cartridge->bank = roll_below(d, 288);
    if (!scheme->bank_exists || !scheme->bank_exists(rom, cartridge->bank)) cartridge->bank = good->bank;
    cartridge->offset = scheme->bank == 4 * KIB ? cartridge->bank * scheme->bank : 0;
    if (!scheme->slices_exist || !scheme->slices_exist(cartridge->slice)) {
        const uint8_t first = cartridge->slice[0] & 7, second = cartridge->slice[1] & 3;
        memcpy(cartridge->slice, good->slice, sizeof cartridge->slice);
        if (scheme->slices_exist) cartridge->slice[0] = first, cartridge->slice[1] = second;
    }
    if (!scheme->locks) cartridge->mc_locked = 0;
    memset(cartridge->ram + scheme->ram, 0, sizeof cartridge->ram - scheme->ram);
    const int32_t stamp = cartridge->dpc.stamp;
    if (rom->scheme != ROM_DPC) cartridge->dpc = good->dpc, cartridge->dpc.stamp = stamp;
    const double fraction = cartridge->dpc.fraction;
    if (!(fraction > -1 && fraction < 1)) cartridge->dpc.fraction = roll_below(d, 2) ? 1 - 0x1p-53 : -1 + 0x1p-53;
}

static inline void relate_raster(const raster_target *target, tia_raster *raster) {
    raster->hmove_blank = raster->hmove_blank && target->hmove_blanks;
    if (!raster->cosmic) raster->m0_override = raster->cosmic_step = 0;
    if (raster->row_base) raster->row_base = target->start;
    if (raster->drawn < raster->row_base || raster->drawn > target->end)
        raster->drawn = raster->row_base + raster->drawn % (target->end - raster->row_base + 1);
}

/* What the latest frame leaves the machine with. */
static inline void relate_machine(const raster_target *target, state_parts *p, const machine_state *good) {
    machine_state *s = &p->machine;
    tia_state *tia = &s->tia;
    const saved_log *log = &p->log[0];
    relate_raster(target, &tia->now);
    if (log->whole) {
        tia->now = log->start;
        beam_follow(&tia->now, p->access[0], log->count, target);
        const uint32_t first = p->access[0][0] >> 16, last = p->access[0][log->count - 1] >> 16;
        if (tia->phase > first) tia->phase = (uint8_t)first;
        if (s->cpu.time < last) s->cpu.time = last;
        s->partial = 0;
    }
    if (!s->partial) s->cpu.jammed = 0;
    tia->stop = !s->partial;
    tia->greyed = s->partial;
    tia->line = 3 * s->cpu.time / LINE_CLOCKS;
    if (!s->partial) tia->last_lines = tia->line;
    tia->vblank = tia->now.reg[VBLANK];
    tia->dump = tia->vblank >> 7;
    memcpy(s->audio.registers, &tia->now.reg[AUDC0], sizeof s->audio.registers);
    if (!cpu_sees_bus(&s->cpu)) s->data_bus = 0;
    s->switches = (uint8_t)((s->switches & ~0x3C) | (good->switches & 0x3C));
}

static inline void relate_cursors(state_parts *p) {
    collision_cursor *cursor = p->picture.cursor;
    for (int i = 0; i < CURSORS; i++) {
        const uint32_t count = p->log[p->picture.back[i]].count;
        if (cursor[i].index > count) cursor[i].index = count;
    }
    cursor[UNSEEN_PAIRS].pairs = cursor[SEEN_PAIRS].pairs ^ ALL_PAIRS;
}

/* ---- Frames -------------------------------------------------------------------------------------------- */

static inline tia_access draw_access(uint32_t time, dice *d) {
    const uint32_t which = roll_below(d, 16);
    if (which == 0) return tia_access_make(time, TIA_READ, 0);
    return tia_access_make(time, roll_below(d, which == 1 ? TIA_READ : CXCLR + 1), roll_byte(d));
}

/* A log that fills its window, more or less densely. */
static inline void draw_log(const raster_target *target, saved_log *log, tia_access *access, dice *d) {
    const uint32_t end = target->end / 3 + 1, step = 2 + (1u << roll_below(d, 8));
    uint32_t time = roll_below(d, LINE_CYCLES);
    log->count = 0;
    while (time < end && log->count < LOG_CAPACITY - 1) {
        access[log->count++] = draw_access(time, d);
        time += d->end && d->at == d->end ? step : roll_below(d, step);
    }
    access[log->count++] = draw_access(time < end ? end + roll_below(d, 9 * LINE_CYCLES) : time, d);
}

static inline void change_log(saved_log *log, tia_access *access, dice *d) {
    for (uint32_t turns = roll_below(d, 8); turns > 0 && log->count > 1; turns--) {
        const uint32_t i = roll_below(d, log->count - 1); /* the last one fills the window */
        access[i] = draw_access(access[i] >> 16, d);
        if (roll_below(d, 2) && i > 0) access[i] = (access[i] & 0xFFFF) | (access[i - 1] & 0xFFFF0000);
    }
}

static inline void draw_pixels(const ale_env *env, saved_log *log, uint8_t *pixels, dice *d) {
    const size_t size = picture_buffer_size(env->console->picture);
    *log = (saved_log){.covered = (uint8_t)roll_below(d, 2)};
    const uint8_t first = roll_byte(d), next = roll_byte(d);
    for (size_t i = 0; i < 2 * size; i++) pixels[i] = (uint8_t)(first + i * next);
    for (size_t i = size; i < 2 * size; i++) pixels[i] &= ALL_OBJECTS;
}

static inline void draw_frame(const ale_env *env, const raster_target *target, state_parts *p, int back, dice *d) {
    saved_log *log = &p->log[back];
    const uint32_t kind = roll_below(d, 4);
    if ((back == 0 && p->machine.partial) || kind == 3) {
        draw_pixels(env, log, p->pixels[back], d);
        return;
    }
    if (!log->whole) *log = (saved_log){.start = p->machine.tia.now, .whole = 1};
    for (uint32_t turns = roll_below(d, 8); turns > 0; turns--) draw_field(raster_invariants, &log->start, d);
    log->start.row_base = log->start.drawn = target->start;
    relate_raster(target, &log->start);
    if (kind == 2 || !log->count)
        draw_log(target, log, p->access[back], d);
    else
        change_log(log, p->access[back], d);
}

/* ---- A state ------------------------------------------------------------------------------------------- */

static inline void draw_fields(state_parts *p, dice *d) {
    machine_state *s = &p->machine;
    const struct {
        const invariant *table;
        void *fields;
    } structs[] = {
        {environment_invariants, &p->head.s}, {game_invariants, &p->head.s.game},
        {cpu_invariants, &s->cpu},            {riot_invariants, &s->riot},
        {audio_invariants, &s->audio},        {tia_invariants, &s->tia},
        {raster_invariants, &s->tia.now},     {cartridge_invariants, &s->cartridge},
        {dpc_invariants, &s->cartridge.dpc},  {machine_invariants, s},
        {mt19937_invariants, &s->random},     {mt19937_invariants, &p->own_random},
        {picture_invariants, &p->picture},    {cursor_invariants, &p->picture.cursor[SEEN_PAIRS]},
        {cursor_invariants, &p->picture.cursor[UNSEEN_PAIRS]},
    };
    for (uint32_t turns = roll_below(d, 64); turns > 0; turns--) {
        const uint32_t which = roll_below(d, sizeof structs / sizeof *structs);
        draw_field(structs[which].table, structs[which].fields, d);
    }
}

/* Draw a state from one that `env` saved; its bytes are to be freed.  NULL: out of memory. */
static inline uint8_t *random_state(const ale_env *env, const ale_state *good, dice *d, size_t *size) {
    state_parts *p = malloc(sizeof *p);
    uint8_t *bytes = NULL;
    if (p) {
        move_parts(env, p, good->bytes, false);
        const machine_state before = p->machine;
        const bool has_random = p->head.includes_random || !state_is_multi(&p->head);
        const raster_target target = picture_target(env->console, NULL, NULL, 0);
        draw_fields(p, d);
        for (int back = 0; back < 2; back++) draw_frame(env, &target, p, back, d);
        relate_environment(env, &p->head.s, d);
        relate_cartridge(env, &p->machine.cartridge, &before.cartridge, d);
        relate_machine(&target, p, &before);
        relate_cursors(p);
        relate_random(&p->own_random);
        if (has_random)
            relate_random(&p->machine.random);
        else
            p->machine.random = before.random;
        bytes = malloc(sizeof *p);
    }
    if (bytes) {
        *size = move_parts(env, p, bytes, true);
        p->head.size = *size;
        p->snapshot.size = (uint32_t)(*size - sizeof p->head - own_random_size(p));
        p->head.checksum = 0;
        move_parts(env, p, bytes, true);
        const uint64_t sum = checksum(bytes, *size, offsetof(saved_environment, checksum));
        memcpy(bytes + offsetof(saved_environment, checksum), &sum, sizeof sum);
    }
    free(p);
    return bytes;
}

#endif
