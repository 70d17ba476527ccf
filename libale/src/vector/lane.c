/* Steps, resets and observations of one environment in a vector. */
#include "lane.h"

#include <string.h>

#include "../environment/error.h"

static const float full_strength[ALE_MAX_PLAYERS] = {1, 1, 1, 1};

/* ---- Life ---------------------------------------------------------------------------------------------- */

static size_t screen_size(const lane *l) {
    return (size_t)console_screen_rows(l->env->console) * SCREEN_WIDTH;
}

/* Scratch memory: a screen that may be resized; then what resizing takes: a mark for each row of an observation, and
 * what the resizer needs, aligned; then gray rows. */
static size_t padded_screen_size(const lane *l) { return screen_size(l) + (RESIZE_PADDING + 63) / 64 * 64; }
static size_t marks_size(const lane *l) { return ((size_t)l->options->img_height + 63) / 64 * 64; }
size_t lane_scratch(const lane *l) {
    if (!l->resize) return 0;
    return padded_screen_size(l) + marks_size(l) + resizer_scratch(l->resize) + gray_size(l->env->console);
}
static uint8_t *resizer_memory(const lane *l, uint8_t *scratch) {
    return scratch + padded_screen_size(l) + marks_size(l);
}
static uint8_t *gray_memory(const lane *l, uint8_t *scratch) {
    return resizer_memory(l, scratch) + resizer_scratch(l->resize);
}

ale_status lane_init(lane *l, ale_rom *rom, const ale_vector_options *o, uint32_t seed, arena *a,
                     const lane *like) {
    ale_env_options options;
    ale_env_options_init(&options, sizeof options);
    options.rules = o->rules;
    options.random_seed = seed;
    options.repeat_action_probability = o->repeat_action_probability;
    options.sound = o->sound;
    options.objects = observer_of(o)->objects;
    options.frame_limit = o->frame_limit;
    options.fast_paths = o->fast_paths;
    l->options = o;
    l->observer = observer_of(o);
    l->arena = a;
    const environment_setting setting = {
        .arena = a,
        .by_engine = o->observation == ALE_OBSERVE_GRAYSCALE && engine_is_wide(),
        .log_room = like ? console_log_room(like->env->console) : 0,
    };
    ale_status status = environment_of_rom(rom, &options, &setting, &l->env);
    if (status != ALE_OK) return status;
    const game_rules *rules = l->env->rules;
    const uint16_t *modes = rules->modes[o->players - 1].list;
    if (!rules->modes[o->players - 1].count)
        return fail(ALE_UNSUPPORTED, "%s has no mode for %u players",
                    l->env->game ? l->env->game->name : "a ROM without rules", o->players);
    const uint32_t sets[] = {rules->minimal_actions, ACTIONS_ALL & ~rules->illegal_actions, ACTIONS_ALL};
    for (uint8_t code = 0; code < ALE_ACTION_COUNT; code++)
        if (sets[o->full_action_space] >> code & 1) l->codes[l->action_count++] = code;

    status = lane_check_sides(l, modes[0]);
    if (status != ALE_OK) return status;
    l->s.mode = l->env->s.mode = modes[0];
    mt19937_seed(&l->s.random, seed);
    l->frame_size = observer_frame_size(o);
    const size_t stack = o->stack_num * l->frame_size;
    l->stack = arena_take(a, stack, ARENA_DENSE);
    bool complete = l->stack;
    if (o->autoreset == ALE_SAME_STEP) {
        l->final_stack = arena_take(a, stack, ARENA_SPARSE);
        complete = complete && l->final_stack;
    }
    if (l->observer->planes) {
        l->picture = pixels_create(console_screen_rows(l->env->console), l->observer, a);
        complete = complete && l->picture;
    }
    if (o->observation == ALE_OBSERVE_GRAYSCALE) complete = gray_init(&l->gray, l->env, a) && complete;
    return complete ? ALE_OK : fail(ALE_OUT_OF_MEMORY, "no memory for observations");
}

void lane_free(lane *l) {
    environment_destroy(l->env);
    gray_free(&l->gray);
    pixels_destroy(l->picture);
    arena_release(l->arena, l->stack);
    arena_release(l->arena, l->final_stack);
}

/* ---- Observations -------------------------------------------------------------------------------------- */

static uint8_t *push_frame(lane *l) {
    l->s.newest = (l->s.newest + 1) % l->options->stack_num;
    return l->stack + l->s.newest * l->frame_size;
}

/* The latest frame once more. */
static void push_again(lane *l) {
    const uint8_t *newest = l->stack + l->s.newest * l->frame_size;
    uint8_t *frame = push_frame(l);
    if (frame != newest) memcpy(frame, newest, l->frame_size);
}

static void push_bytes(lane *l) { memcpy(push_frame(l), l->observer->bytes(l->env), l->frame_size); }

/* Show screens of the console, or of a copy. */
static void show(lane *l, const uint8_t *screen, const uint8_t *other, bool copied) {
    uint64_t written[ROW_WORDS];
    console_take_written_rows(l->env->console, written);
    pixels_show(l->picture, &l->env->colors, screen, other, copied ? NULL : written);
}

/* The latest frame shows the picture before, unless this is the first one of an episode; so rows are taken over
 * from it where nothing changed. */
static void push_picture(lane *l, bool first, uint8_t *scratch) {
    const size_t height = l->options->img_height, row = l->frame_size / height;
    const uint8_t *newest = l->stack + l->s.newest * l->frame_size;
    uint8_t *frame = push_frame(l), *kept = scratch + padded_screen_size(l);
    if (first)
        memset(kept, 0, height);
    else
        resizer_keep(l->resize, l->picture->changed, kept);
    for (size_t y = 0, end; y < height && frame != newest; y = end + 1) {
        for (end = y; end < height && kept[end]; end++) {}
        memcpy(frame + y * row, newest + y * row, (end - y) * row);
    }
    const int channels = l->observer->channels;
    for (int n = 0; n < channels; n++)
        resizer_run(l->resize, l->observer->channel(l->picture, n, scratch), kept, resizer_memory(l, scratch),
                    frame + n, (size_t)channels);
}

/* Gray rows that lie in the scratch memory. */
static void push_gray(lane *l, uint8_t *scratch) {
    uint16_t row_of[SCREEN_ROWS];
    const int rows = console_screen_rows(l->env->console);
    for (int y = 0; y < rows; y++) row_of[y] = (uint16_t)y;
    const plane_rows source = {gray_rows(gray_memory(l, scratch)), GRAY_STRIDE, row_of};
    resizer_run(l->resize, source, NULL, resizer_memory(l, scratch), push_frame(l), 1);
}

void lane_recall_picture(const lane *l, uint8_t *memory) {
    if (!l->gray.frames) return;
    uint8_t *rows = gray_rows(memory);
    gray_recall(&l->gray, rows);
    pixels_take(l->picture, rows, GRAY_STRIDE);
}

static void copy_stack(const lane *l, uint8_t *to) {
    size_t older = (l->s.newest + 1) % l->options->stack_num * l->frame_size;
    size_t all = l->options->stack_num * l->frame_size;
    memcpy(to, l->stack + older, all - older);
    memcpy(to + all - older, l->stack, older);
}

/* ---- Players' own observations --------------------------------------------------------------------------- */

/* Whether each player has one. */
static bool apart(const ale_vector_options *o) { return o->agent_indicator || o->mirror; }

static size_t view_size(const lane *l) {
    const ale_vector_options *o = l->options;
    return (o->stack_num + (o->agent_indicator ? o->players : 0)) * l->frame_size;
}

size_t lane_observation_size(const lane *l) {
    return apart(l->options) ? l->options->players * view_size(l) : l->options->stack_num * l->frame_size;
}

static game_sides sides_in(const lane *l, int32_t mode) {
    const game_rules *rules = l->env->rules;
    return l->options->mirror && rules->sides ? rules->sides(mode) : (game_sides){0};
}

ale_status lane_check_sides(const lane *l, int32_t mode) {
    const ale_vector_options *o = l->options;
    const uint8_t playing = (uint8_t)((1u << o->players) - 1);
    if (!o->mirror || sides_in(l, mode).mirrored & playing) return ALE_OK;
    char names[160] = "";
    for (int g = 0; g < ale_games_count; g++) {
        const game_rules *rules = ale_games[g]->multi;
        if (!rules || !rules->sides) continue;
        if (*names) strncat(names, ", ", sizeof names - 1 - strlen(names));
        strncat(names, ale_games[g]->name, sizeof names - 1 - strlen(names));
    }
    return fail(ALE_UNSUPPORTED,
                "mirror is for players on both sides of a field, which mode %d of %s with %u players has not; "
                "some modes of these games have: %s",
                mode, l->env->game ? l->env->game->name : "a ROM without rules", o->players, names);
}

int32_t lane_action(const lane *l, uint32_t player, int32_t index) {
    static const uint8_t turned[ALE_ACTION_COUNT] = {
        ALE_NOOP,          ALE_FIRE,       ALE_UP,           ALE_LEFT,         ALE_RIGHT,    ALE_DOWN,
        ALE_UPLEFT,        ALE_UPRIGHT,    ALE_DOWNLEFT,     ALE_DOWNRIGHT,    ALE_UPFIRE,   ALE_LEFTFIRE,
        ALE_RIGHTFIRE,     ALE_DOWNFIRE,   ALE_UPLEFTFIRE,   ALE_UPRIGHTFIRE,  ALE_DOWNLEFTFIRE,
        ALE_DOWNRIGHTFIRE,
    };
    const uint8_t code = l->codes[index >= 0 && index < l->action_count ? index : 0];
    const game_sides sides = sides_in(l, l->env->s.mode);
    return sides.turned && sides.mirrored >> player & 1 ? turned[code] : code;
}

static void mirror(const lane *l, const uint8_t *restrict from, uint8_t *restrict to) {
    const size_t width = l->options->img_width, channels = (size_t)l->observer->channels, row = width * channels;
    const size_t rows = l->options->stack_num * (l->frame_size / row);
    for (size_t y = 0; y < rows; y++, from += row, to += row)
        for (size_t x = 0; x < width; x++)
            for (size_t n = 0; n < channels; n++) to[x * channels + n] = from[(width - 1 - x) * channels + n];
}

/* Make of a stack, which the first player sees as it is, what all players see. */
static void spread(const lane *l, uint8_t *observations) {
    const ale_vector_options *o = l->options;
    if (!apart(o)) return;
    const game_sides sides = sides_in(l, l->env->s.mode);
    const size_t stack = o->stack_num * l->frame_size;
    for (uint32_t p = 0; p < o->players; p++) {
        uint8_t *own = observations + p * view_size(l), *indicator = own + stack;
        if (p && sides.mirrored >> p & 1)
            mirror(l, observations, own);
        else if (p)
            memcpy(own, observations, stack);
        for (uint32_t q = 0; q < o->players && o->agent_indicator; q++, indicator += l->frame_size)
            memset(indicator, q == p ? 255 : 0, l->frame_size);
    }
}

static void deliver_stack(const lane *l, uint8_t *to) {
    copy_stack(l, to);
    spread(l, to);
}

/* ---- Episodes ------------------------------------------------------------------------------------------ */

static int players(const lane *l) { return (int)l->options->players; }

static lane_counts count(const lane *l) {
    const ale_report *report = &l->env->report;
    lane_counts counts = {
        .frame_number = report->frame_number,
        .episode_frame_number = report->episode_frame_number,
    };
    memcpy(counts.lives, report->lives, sizeof counts.lives);
    return counts;
}

/* A number below `limit`, every one as likely. */
static uint32_t draw_below(mt19937 *random, uint32_t limit) {
    for (;;) {
        uint64_t product = (uint64_t)mt19937_next(random) * limit;
        uint32_t low = (uint32_t)product;
        if (low >= limit || low >= (0 - limit) % limit) return (uint32_t)(product >> 32);
    }
}

static void act_alike(lane *l, int32_t action) {
    const int32_t actions[ALE_MAX_PLAYERS] = {action, action, action, action};
    environment_act(l->env, actions, full_strength, l->options->players, 1);
}

static void note(lane *l, ale_status status) {
    if (status == ALE_OK || l->status != ALE_OK) return;
    l->status = status;
    strncpy(l->problem, last_error(), sizeof l->problem - 1);
}

/* Every frame of rest takes part in the sticky actions. */
static void rest(lane *l) {
    const ale_vector_options *o = l->options;
    bool fire = false;
    for (int i = 0; i < l->action_count; i++) fire = fire || l->codes[i] == ALE_FIRE;
    fire = fire && o->use_fire_reset;
    if (fire) act_alike(l, ALE_FIRE);
    uint32_t frames = draw_below(&l->s.random, o->noop_max ? o->noop_max : 1);
    if (fire && frames) frames--;
    for (; frames && !l->env->stopped; frames--) {
        act_alike(l, ALE_NOOP);
        if (l->env->report.terminated) note(l, environment_reset(l->env));
    }
}

static void reset(lane *l, int64_t seed, uint8_t *scratch) {
    lane_state *s = &l->s;
    if (seed >= 0) {
        note(l, environment_reload(l->env, (uint32_t)seed));
        mt19937_seed(&s->random, (uint32_t)seed);
    }
    l->env->s.mode = s->mode;
    l->env->s.difficulty = s->difficulty;
    note(l, environment_reset(l->env));
    rest(l);

    memset(l->stack, 0, l->options->stack_num * l->frame_size);
    if (l->resize && gray_see_latest(&l->gray, gray_rows(gray_memory(l, scratch)))) {
        push_gray(l, scratch);
        gray_keep(&l->gray, 1);
    } else if (l->resize) {
        const uint8_t *screen = l->observer->screen(l->env, false);
        l->gray.frames = 0;
        show(l, screen, screen, false);
        push_picture(l, true, scratch);
    } else {
        push_bytes(l);
    }
    s->elapsed = s->length = 0;
    memset(s->returns, 0, sizeof s->returns);
    memset(s->out, 0, sizeof s->out);
    s->result.counts = count(l);
}

static void lane_reset(lane *l, int64_t seed, uint8_t *scratch) {
    bool out_of_frames = l->options->max_num_frames_per_episode <= 0;
    memset(&l->s.result, 0, sizeof l->s.result);
    reset(l, seed, scratch);
    l->s.over = out_of_frames && l->options->autoreset == ALE_NEXT_STEP;
    l->s.result.truncated = l->s.over;
}

/* The frames at the end of a step that are looked at. */
typedef struct sight {
    uint8_t *scratch;
    uint32_t frames;       /* as many, of a step that does not end early: more than one are pooled */
    bool by_gray;          /* they come in gray, */
    uint32_t in_gray;      /* and so many of them lie in the scratch memory, pooled */
    const uint8_t *copied; /* the screen before the last, where the console does not have it any more */
} sight;

static sight begin_sight(lane *l, uint8_t *scratch) {
    const ale_vector_options *o = l->options;
    const bool pool = o->maxpool && o->frame_skip > 1;
    return (sight){
        .scratch = scratch, .frames = !l->resize ? 0 : pool ? 2 : 1, .by_gray = gray_begin_step(&l->gray)};
}

/* Which of the frames looked at one of the step is: 0 is the first; negative: none. */
static int64_t place_in_sight(const lane *l, const sight *s, uint32_t frame) {
    return (int64_t)frame + s->frames - l->options->frame_skip;
}

/* A frame of the step is about to be run. */
static void expect(lane *l, const sight *s, uint32_t frame) {
    const int64_t place = place_in_sight(l, s, frame);
    if (place < 0) return;
    if (s->by_gray && place == s->in_gray)
        gray_expect(&l->gray, gray_rows(gray_memory(l, s->scratch)), (uint32_t)place);
    else
        console_expect_screen(l->env->console);
}

/* It was run, and the step goes on or is complete. */
static void see(lane *l, sight *s, uint32_t frame) {
    const int64_t place = place_in_sight(l, s, frame);
    if (place < 0) return;
    if (s->by_gray && place == s->in_gray) {
        s->in_gray += gray_see(&l->gray, gray_rows(gray_memory(l, s->scratch)), (uint32_t)place);
        if (place < s->in_gray) return;
    }
    if (place + 1 == s->frames) return;
    /* Drawn now, while the console knows which rows are those of earlier frames.  A frame that did not end goes on in
     * the same buffer. */
    const uint8_t *screen = l->observer->screen(l->env, false);
    if (l->env->console->s.partial) s->copied = memcpy(s->scratch, screen, screen_size(l));
}

/* What is observed of a step's frames.  A step that ended early did not see its last one. */
static void observe(lane *l, const sight *s, uint32_t frames, bool complete) {
    const bool pool = s->frames > 1;
    const observer *what = l->observer;
    if (!l->resize) {
        push_bytes(l);
        return;
    }
    if (!complete && !(pool && frames == l->options->frame_skip)) {
        push_again(l);
        return;
    }
    if (complete && s->in_gray == s->frames) {
        push_gray(l, s->scratch);
        gray_keep(&l->gray, s->frames);
        return;
    }
    lane_recall_picture(l, gray_memory(l, s->scratch));
    l->gray.frames = 0;
    if (complete) {
        const uint8_t *last = what->screen(l->env, false);
        const uint8_t *before = s->copied ? s->copied : pool ? what->screen(l->env, true) : last;
        show(l, last, before, s->copied);
        if (s->by_gray && !l->env->stopped) gray_pause(&l->gray);
    } else {
        pixels_pool(l->picture, &l->env->colors, s->copied ? s->copied : what->screen(l->env, true));
    }
    push_picture(l, false, s->scratch);
}

/* Note for whom a frame was the last.  Players who are out rest their hands. */
static bool all_out(lane *l) {
    bool all = l->options->rules == ALE_MULTI;
    for (int p = 0; p < players(l) && l->options->rules == ALE_MULTI; p++) {
        if (l->env->report.lives[p] < 0) l->s.out[p] = 1;
        if (l->s.out[p]) l->actions[p] = l->codes[0];
        all = all && l->s.out[p];
    }
    return all;
}

/* Wraps, as a number in a restored state may. */
static int32_t add(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }

static void step(lane *l, uint8_t *scratch) {
    const ale_vector_options *o = l->options;
    lane_state *s = &l->s;
    lane_result *result = &s->result;
    ale_env *env = l->env;
    const int32_t limit = o->max_num_frames_per_episode;
    int32_t lives[ALE_MAX_PLAYERS];
    bool over = all_out(l), lost_any = false, stop = false;
    uint8_t lost[ALE_MAX_PLAYERS] = {0};
    memcpy(lives, env->report.lives, sizeof lives);
    memset(result, 0, sizeof *result);

    sight seen = begin_sight(l, scratch);
    uint32_t frames = 0;
    while (frames < o->frame_skip && !stop && !env->stopped) {
        expect(l, &seen, frames);
        environment_act(env, l->actions, l->strengths, o->players, 1);
        frames++;
        s->elapsed++;
        lost_any = false;
        for (int p = 0; p < players(l); p++) {
            if (!s->out[p]) result->rewards[p] = add(result->rewards[p], env->report.rewards[p]);
            lost[p] = env->report.lives[p] < lives[p] && env->report.lives[p] > 0;
            lost_any = lost_any || lost[p];
        }
        over = all_out(l) || env->report.terminated;
        stop = over || s->elapsed >= limit || (o->episodic_life && lost_any);
        if (!stop && !env->stopped) see(l, &seen, frames - 1);
    }
    if (seen.by_gray) console_expect_gray(env->console, NULL);
    observe(l, &seen, frames, !stop);

    const bool lives_count = o->episodic_life || o->life_loss_info;
    bool terminated = over;
    for (int p = 0; p < players(l); p++) {
        result->terminated[p] = over || s->out[p] || (lives_count && lost[p]);
        terminated = terminated || (lives_count && lost[p]);
        s->returns[p] = add(s->returns[p], result->rewards[p]);
    }
    s->length = add(s->length, 1);
    result->truncated = s->elapsed >= limit && !terminated;
    result->ended = stop;
    result->length = s->length;
    memcpy(result->returns, s->returns, sizeof result->returns);
    result->counts = count(l);
}

static void lane_step(lane *l, uint8_t *scratch) {
    lane_state *s = &l->s;
    if (s->over) {
        lane_reset(l, -1, scratch);
        return;
    }
    step(l, scratch);
    if (l->options->autoreset != ALE_SAME_STEP) {
        s->over = s->result.ended;
    } else if (s->result.ended) {
        s->result.has_final = 1;
        s->result.final = s->result.counts;
        copy_stack(l, l->final_stack);
        reset(l, -1, scratch);
    }
}

void lane_work(lane *l, void *scratch) {
    l->status = ALE_OK;
    environment_limit(l->env);
    switch (l->order) {
        case LANE_STEP: lane_step(l, scratch); break;
        case LANE_RESET: lane_reset(l, l->seed, scratch); break;
        case LANE_IDLE:
            memset(&l->s.result, 0, sizeof l->s.result);
            l->s.result.counts = count(l);
            break;
        case LANE_REPEAT: break;
        case LANE_COPY: lane_copy(l, l->source); break;
    }
    if (l->env->stopped) note(l, environment_fail_stopped(l->env));
}

/* ---- Results ------------------------------------------------------------------------------------------- */

static int32_t clip(int32_t reward) { return reward < -1 ? -1 : reward > 1 ? 1 : reward; }

static void put(int32_t *array, size_t row, const int32_t *values, size_t players) {
    if (array) memcpy(array + row * players, values, players * sizeof *values);
}

void lane_deliver(const lane *l, const ale_batch *batch, size_t row) {
    const lane_result *result = &l->s.result;
    const size_t n = l->options->players, size = lane_observation_size(l);
    deliver_stack(l, batch->observations + row * size);
    for (size_t p = 0; p < n; p++) {
        int32_t reward = result->rewards[p];
        batch->rewards[row * n + p] = l->options->reward_clipping ? clip(reward) : reward;
        batch->terminations[row * n + p] = result->terminated[p];
    }
    batch->truncations[row] = result->truncated;
    put(batch->lives, row, result->counts.lives, n);
    batch->frame_numbers[row] = result->counts.frame_number;
    batch->episode_frame_numbers[row] = result->counts.episode_frame_number;

    if (batch->episode_ends) batch->episode_ends[row] = result->ended;
    put(batch->episode_returns, row, result->returns, n);
    put(batch->episode_lengths, row, &result->length, 1);
    put(batch->unclipped_rewards, row, result->rewards, n);
    if (batch->ram) memcpy(batch->ram + row * ALE_RAM_SIZE, l->env->console->s.ram, ALE_RAM_SIZE);
    if (batch->sound) memcpy(batch->sound + row * ALE_AUDIO_SIZE, l->env->s.samples, ALE_AUDIO_SIZE);

    bool flagged = result->truncated;
    for (size_t p = 0; p < n; p++) flagged = flagged || result->terminated[p];
    if (!flagged || l->options->autoreset != ALE_SAME_STEP) return;
    const lane_counts *final = result->has_final ? &result->final : &result->counts;
    uint8_t *last = batch->final_observations ? batch->final_observations + row * size : NULL;
    if (last && result->has_final) {
        memcpy(last, l->final_stack, l->options->stack_num * l->frame_size);
        spread(l, last);
    } else if (last) {
        deliver_stack(l, last);
    }
    put(batch->final_lives, row, final->lives, n);
    put(batch->final_frame_numbers, row, &final->frame_number, 1);
    put(batch->final_episode_frame_numbers, row, &final->episode_frame_number, 1);
}
