/* Episodes.  SOLO and MULTI differ in their random generators, in the order of random draws and in what a reset does;
 * the functions that differ are together in one section. */
#include "environment.h"

#include <stdlib.h>
#include <string.h>

#include "../console/cartridge/cartridge.h"
#include "../support/error.h"
#include "rom.h"

enum {
    WARM_UP_FRAMES = 60,
    RESET_SWITCH_FRAMES = 4,
    SELECTION_PATIENCE = 6000, /* frames and acts after which a mode selection has failed: games need 900, and
                                 double_dunk 4000 where no action ever comes through */
    PADDLE_SPEED = 23000, /* ohms a frame */
    SOLO_DRAWS = 2
};

typedef struct hands { /* of all players in one frame */
    uint8_t action[GAME_MAX_PLAYERS];
    float strength[GAME_MAX_PLAYERS];
} hands;

static const hands at_rest; /* all NOOP */

/* ---- Where the two rule sets differ, but for the games' own rules -----------------------------------------
 *
 * SOLO has two generators: one, seeded by random_seed, for sticky actions; the other, in the console, for
 * power-on.  MULTI has only the console's, which is seeded by random_seed before the console is built and
 * once more after it.
 *
 * Under BY_MODE one of the two is in force: that of the mode in which the latest reset began an episode. */

static bool is_multi(const ale_env *env) { return env->multi; }

mode_meaning environment_find_mode(const ale_env *env, int32_t mode) {
    return rules_find_mode(env->game, (ale_rules)env->options.rules, mode);
}

void environment_play_by(ale_env *env, bool multi) {
    env->multi = multi;
    env->rules = rules_of(env->game, multi ? ALE_MULTI : ALE_SOLO);
    env->step = env->options.corrected_rules ? step_corrected : env->rules->step;
    env->random = multi ? &env->console->s.random : &env->own_random;
    env->console->cartridge_ram_once = multi;
}

/* Random draws of a frame.  SOLO always draws for a second player, who is never there. */
static int draws_per_frame(const ale_env *env) { return is_multi(env) ? env->report.players : SOLO_DRAWS; }

int environment_paddles(const ale_env *env) { return !env->has_paddles ? 0 : is_multi(env) ? 4 : 2; }

static console_options options_of_console(const ale_env *env, bool multi, uint32_t random_seed) {
    return (console_options){
        .seed = multi ? random_seed : env->options.system_seed,
        .cartridge_ram_once = multi,
        .fast_paths = (uint8_t)env->options.fast_paths,
        .tells_objects = env->options.objects,
        .by_engine = env->setting.by_engine,
    };
}

int32_t environment_lives(const ale_env *env, const game_state *game, int player) {
    const game_lives lives = env->rules->lives;
    return lives_of(game, lives == LIVES_FLAG && is_multi(env) ? LIVES_ZERO : lives, player);
}

static bool is_truncated(const ale_env *env) {
    const environment_state *s = &env->s;
    if (env->options.max_num_frames_per_episode > 0 &&
        s->episode_frame_number >= env->options.max_num_frames_per_episode)
        return true;
    if (is_multi(env) || !env->options.truncate_on_loss_of_life) return false;
    return environment_lives(env, &s->game, 0) < s->lives_at_start;
}

static int32_t clip_reward(const ale_env *env, int64_t sum) {
    int32_t low = is_multi(env) ? INT32_MIN : env->options.reward_min;
    int32_t high = is_multi(env) ? INT32_MAX : env->options.reward_max;
    return sum < low ? low : sum > high ? high : (int32_t)sum;
}

/* ---- The report ----------------------------------------------------------------------------------------- */

static bool is_over(const ale_env *env) {
    return env->s.ended || (env->rules->over ? env->rules->over(&env->s.game) : env->s.game.terminal);
}

void environment_report(ale_env *env, const int32_t *rewards) {
    ale_report *report = &env->report;
    environment_state *s = &env->s;
    if (!report->players || report->mode != s->mode) report->players = environment_find_mode(env, s->mode).players;
    for (int p = 0; p < GAME_MAX_PLAYERS; p++) {
        report->rewards[p] = rewards ? rewards[p] : 0;
        report->lives[p] = p < report->players ? environment_lives(env, &s->game, p) : 0;
    }
    if (s->lives_at_start <= 0) s->lives_at_start = report->lives[0]; /* some games show them late */
    report->terminated = is_over(env);
    report->ended_by = s->ended - 1;
    report->truncated = is_truncated(env);
    report->frame_number = s->frame_number;
    report->episode_frame_number = s->episode_frame_number;
    report->mode = s->mode;
    report->difficulty = s->difficulty;
}

/* ---- Frames -------------------------------------------------------------------------------------------- */

/* The joystick contacts of each action, as in `controls`. */
enum { UP = 1, DOWN = 2, LEFT = 4, RIGHT = 8, FIRE = 16 };
static uint8_t contacts(uint8_t action) {
    static const uint8_t table[ACTION_COUNT] = {
        0, FIRE, UP, RIGHT, LEFT, DOWN,
        UP | RIGHT, UP | LEFT, DOWN | RIGHT, DOWN | LEFT,
        UP | FIRE, RIGHT | FIRE, LEFT | FIRE, DOWN | FIRE,
        UP | RIGHT | FIRE, UP | LEFT | FIRE, DOWN | RIGHT | FIRE, DOWN | LEFT | FIRE,
    };
    return action < ACTION_COUNT ? table[action] : 0;
}

/* Turning right lowers the resistance.  A strength that is not a number, or beyond what the reference's
 * integers hold, sends the paddle to its lower end, as there. */
static void turn_paddle(environment_state *s, int player, uint8_t stick, float strength) {
    int64_t position = s->paddle[player];
    if (stick & (LEFT | RIGHT)) {
        double distance = (double)PADDLE_SPEED * (double)(strength < 0 ? -strength : strength);
        if (!(distance < 2147483648.0))
            position += INT32_MIN;
        else
            position += stick & LEFT ? (int32_t)distance : -(int32_t)distance;
    }
    if (position < s->paddle_min) position = s->paddle_min;
    if (position > s->paddle_max) position = s->paddle_max;
    s->paddle[player] = (int32_t)position;
}

/* Apply the players' actions to the console's controls; paddles turn by one frame's amount. */
static void apply(ale_env *env, const hands *players, bool select) {
    environment_state *s = &env->s;
    controls c = {
        .select = select,
        .reset = players->action[0] == ACTION_RESET,
        .difficulty_set = true,
        .difficulty = (uint8_t)s->difficulty,
    };
    if (env->has_paddles) {
        for (int p = 0; p < environment_paddles(env); p++) {
            uint8_t stick = contacts(players->action[p]);
            turn_paddle(s, p, stick, players->strength[p]);
            c.paddle[p] = s->paddle[p];
            c.paddle_fire[p] = stick & FIRE;
        }
    } else {
        for (int p = 0; p < 2; p++) c.joystick[p] = contacts(players->action[p]);
    }
    console_set_controls(env->console, &c);
}

/* The functions by which rules operate the console. */
typedef struct environment_control {
    game_control for_rules;
    ale_env *env;
    int patience; /* that a mode selection still has */
} environment_control;

static environment_control make_control(ale_env *env, int patience);

/* Let the rules write RAM. */
static void poke(ale_env *env, game_pokes *pokes) {
    if (!pokes || env->resets) return;
    environment_control control = make_control(env, 0);
    pokes(env->rules, &env->s.game, &control.for_rules);
}

void environment_limit(ale_env *env) {
    env->limited = env->options.frame_limit;
    env->stopped = false;
    env->frames = 0;
}

ale_status environment_fail_stopped(const ale_env *env) {
    return fail(ALE_STOPPED, "the call was stopped after %u frames by options->frame_limit", env->frames);
}

static uint32_t frame_limit(const ale_env *env) { return __atomic_load_n(env->options.frame_limit, __ATOMIC_RELAXED); }

/* Return whether the call may play one more frame.  Once it may not, the environment stays stopped even if the limit
 * grows. */
static bool may_play(ale_env *env) {
    if (!env->limited) return true;
    const uint32_t limit = frame_limit(env);
    env->stopped = env->stopped || (env->frames >= limit && limit != UINT32_MAX);
    env->frames += !env->stopped;
    return !env->stopped;
}

bool environment_skip_frames(ale_env *env, uint32_t frames) {
    if (!env->limited) return true;
    const uint32_t limit = frame_limit(env);
    const bool may = !env->stopped && (limit == UINT32_MAX || (uint64_t)env->frames + frames <= limit);
    if (may) env->frames += frames;
    return may;
}

/* Run frames with the same actions.  They are applied once, so a caller that turns a paddle must run single frames. */
static void emulate(ale_env *env, const hands *players, int frames) {
    const game_rules *rules = env->rules;
    apply(env, players, false);
    for (int i = 0; i < frames && may_play(env); i++) {
        console_run_frame(env->console);
        poke(env, rules->hold);
        env->step(rules, &env->s.game, &env->memory);
    }
}

static void emulate_one(ale_env *env, int player, uint8_t action) {
    hands players = {.strength = {1, 1, 1, 1}};
    players.action[player] = action;
    emulate(env, &players, 1);
}

static void count_frame(environment_state *s) { /* the numbers may wrap in a restored state */
    s->frame_number = (int32_t)((uint32_t)s->frame_number + 1);
    s->episode_frame_number = (int32_t)((uint32_t)s->episode_frame_number + 1);
}

static void read_terminals(const ale_env *env, int32_t values[ALE_MAX_TERMINALS]) {
    for (uint32_t i = 0; i < env->rom->terminal_count; i++)
        values[i] = label_value(env->rom->terminals[i].label, env->memory.ram);
}

/* Note which label has ended the episode, if one has, from the values before the frame. */
static void note_ended(ale_env *env, const int32_t before[ALE_MAX_TERMINALS]) {
    int32_t now[ALE_MAX_TERMINALS];
    read_terminals(env, now);
    for (uint32_t i = 0; i < env->rom->terminal_count; i++) {
        const terminal *t = &env->rom->terminals[i];
        bool ended = false;
        switch (t->when) {
            case ALE_CHANGES: ended = now[i] != before[i]; break;
            case ALE_RISES: ended = now[i] > before[i]; break;
            case ALE_FALLS: ended = now[i] < before[i]; break;
            case ALE_STAYS:
                env->s.stayed = (uint16_t)(now[i] == before[i] && env->s.stayed < UINT16_MAX ? env->s.stayed + 1 : 0);
                ended = env->s.stayed >= t->frames;
                break;
        }
        if (ended && !env->s.ended) env->s.ended = (uint8_t)(i + 1);
    }
}

/* One act: frame_skip frames, whose rewards are added up, and the sound of the last. */
static void act(ale_env *env, const hands *chosen, int draws, int32_t rewards[GAME_MAX_PLAYERS]) {
    environment_state *s = &env->s;
    int64_t sum[GAME_MAX_PLAYERS] = {0};
    int32_t before[ALE_MAX_TERMINALS];
    const bool labels_end = env->labels_end && !env->resets;
    for (uint32_t i = 0; i < env->options.frame_skip && !env->stopped; i++) {
        for (int p = 0; p < draws; p++)
            if (mt19937_next(env->random) >= env->sticky_below) {
                s->held[p] = chosen->action[p];
                s->held_strength[p] = chosen->strength[p];
            }
        for (int p = draws; p < GAME_MAX_PLAYERS; p++) s->held[p] = ACTION_NOOP;
        if (is_over(env) || is_truncated(env)) {
            (void)may_play(env); /* counts although nothing is played, because very many repeats take long */
            continue;
        }

        hands players = at_rest;
        for (int p = 0; p < GAME_MAX_PLAYERS; p++) {
            bool legal = !(env->rules->illegal_actions >> s->held[p] & 1);
            players.action[p] = legal ? s->held[p] : ACTION_NOOP;
            players.strength[p] = s->held_strength[p];
        }
        if (labels_end) read_terminals(env, before);
        emulate(env, &players, 1);
        count_frame(s);
        if (labels_end) note_ended(env, before);
        for (int p = 0; p < GAME_MAX_PLAYERS; p++) sum[p] += s->game.reward[p];
    }
    if (env->options.sound) audio_generate(&env->console->s.audio, s->samples);
    for (int p = 0; p < GAME_MAX_PLAYERS; p++) rewards[p] = clip_reward(env, sum[p]);
}

bool environment_lets_rest(const ale_env *env) { return is_multi(env) && env->options.idle_action >= 0; }

bool environment_note_out(const ale_env *env, uint32_t count, uint8_t *out) {
    bool all = true;
    for (uint32_t p = 0; p < count; p++) {
        if (environment_lives(env, &env->s.game, (int)p) < 0) out[p] = 1;
        all = all && out[p];
    }
    return all;
}

/* ---- The faster way to follow frames -------------------------------------------------------------------- */

enum { FOLLOW_BY_ROWS, FOLLOW_BY_ENGINE };

/* Prepare to time the ways, if the processor makes the engine fast and the engine is not switched off.  False: out of
 * memory. */
static bool prepare_choice(ale_env *env) {
    if (!engine_is_wide() || !console_use_engine(env->console, true)) return true;
    (void)console_use_engine(env->console, false);
    env->ways = calloc(1, sizeof *env->ways);
    if (env->ways) env->ways->of_acts = true;
    return env->ways != NULL;
}

/* Begin an act; return whether its time counts.  While pictures are requested the row memory follows all frames,
 * because it draws them fastest. */
static bool begin_following(ale_env *env) {
    if (!env->ways) return false;
    const bool counts = !console_is_watched(env->console);
    if (counts)
        (void)choice_begin_step(env->ways, &env->user, true);
    else
        env->user.way = FOLLOW_BY_ROWS;
    (void)console_use_engine(env->console, env->user.way == FOLLOW_BY_ENGINE);
    return counts;
}

static void end_following(ale_env *env, uint32_t frames) {
    if (!frames) return; /* the episode is over */
    choice_end_step(env->ways, &env->user, frames);
    choice_go_on(env->ways);
}

/* ---- Acts ----------------------------------------------------------------------------------------------- */

void environment_act(ale_env *env, const int32_t *actions, const float *strengths, uint32_t count,
                     uint32_t repeat) {
    const bool rest = environment_lets_rest(env);
    hands chosen = at_rest;
    uint8_t out[GAME_MAX_PLAYERS] = {0};
    for (uint32_t p = 0; p < count; p++) {
        out[p] = actions[p] == ALE_OUT;
        chosen.action[p] = (uint8_t)(out[p] ? env->options.idle_action : actions[p]);
        chosen.strength[p] = strengths ? strengths[p] : 1.0f;
    }
    int draws = draws_per_frame(env);
    const int32_t first = env->s.frame_number;
    const bool chooses = begin_following(env);
    int32_t rewards[GAME_MAX_PLAYERS] = {0};
    for (uint32_t i = 0; i < repeat && !env->stopped; i++) {
        int32_t more[GAME_MAX_PLAYERS];
        act(env, &chosen, draws, more);
        for (uint32_t p = 0; p < count; p++) {
            if (out[p]) continue;
            int64_t sum = (int64_t)rewards[p] + more[p];
            rewards[p] = sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : (int32_t)sum;
        }
        if (!rest || i + 1 == repeat) continue;
        if (environment_note_out(env, count, out) || is_over(env) || is_truncated(env)) break;
        for (uint32_t p = 0; p < count; p++)
            if (out[p]) chosen.action[p] = (uint8_t)env->options.idle_action;
    }
    if (chooses) end_following(env, (uint32_t)env->s.frame_number - (uint32_t)first);
    if (env->blend) env->blend->current = false;
    environment_report(env, rewards);
}

/* ---- What rules can do that work the console ----------------------------------------------------------- */

static environment_control *own(game_control *control) { return (environment_control *)(void *)control; }

static uint32_t draw(game_control *control) { return mt19937_next(own(control)->env->random); }

static void write_ram(game_control *control, uint8_t ram_index, uint8_t value) {
    console_poke(own(control)->env->console, ram_index, value);
}

static bool press_select(game_control *control, int frames) {
    ale_env *env = own(control)->env;
    if (own(control)->patience <= 0 || env->stopped) return false;
    own(control)->patience -= frames;
    apply(env, &at_rest, true);
    for (int i = 0; i < frames && may_play(env); i++) console_run_frame(env->console);
    emulate(env, &at_rest, 1);
    count_frame(&env->s);
    return true;
}

static void soft_reset(ale_env *env) {
    emulate(env, &(hands){.action = {ACTION_RESET}}, RESET_SWITCH_FRAMES);
    memset(env->s.held, ACTION_NOOP, sizeof env->s.held);
}

static void press_reset(game_control *control) { soft_reset(own(control)->env); }

static bool play_action(game_control *control, int action) {
    ale_env *env = own(control)->env;
    if (env->stopped || own(control)->patience-- <= 0) return false;
    const bool plays = !is_over(env) && !is_truncated(env);
    int32_t rewards[GAME_MAX_PLAYERS];
    act(env, &(hands){.action = {(uint8_t)action}, .strength = {1}}, 2, rewards); /* draws in any case */
    return plays;
}

static environment_control make_control(ale_env *env, int patience) {
    static const game_control_functions functions = {
        .press_select = press_select,
        .soft_reset = press_reset,
        .act = play_action,
        .random = draw,
        .poke = write_ram,
    };
    return (environment_control){
        .for_rules = {.memory = &env->memory, .functions = &functions}, .env = env, .patience = patience};
}

/* ---- Episodes ------------------------------------------------------------------------------------------ */

int32_t environment_middle(const environment_state *s) {
    return (int32_t)(((int64_t)s->paddle_min + s->paddle_max) / 2);
}

static void center_paddles(ale_env *env) {
    for (int p = 0; p < GAME_MAX_PLAYERS; p++) env->s.paddle[p] = environment_middle(&env->s);
}

static void start_rules(ale_env *env) {
    game_state *game = &env->s.game;
    memset(game->reward, 0, sizeof game->reward);
    memset(game->score, 0, sizeof game->score);
    memset(game->lives, 0, sizeof game->lives);
    game->terminal = game->started = false;
    if (env->rules->reset) env->rules->reset(env->rules, game, &env->memory);
}

static bool select_mode(ale_env *env) {
    game_state *game = &env->s.game;
    environment_control control = make_control(env, SELECTION_PATIENCE);
    return rules_select_mode(env->rules, game, &control.for_rules, game->mode);
}

static void play_starting_actions(ale_env *env, int player) {
    for (int i = 0; i < env->rules->starting_action_count; i++) {
        uint8_t action = env->rules->starting_actions[i];
        if (player == 0 || action != ACTION_RESET) emulate_one(env, player, action);
    }
}

/* In a mode of the rules in force, by their own number. */
static ale_status start_episode(ale_env *env, int32_t mode) {
    environment_state *s = &env->s;
    env->resets = true;
    s->episode_frame_number = 0;
    s->lives_at_start = 0;
    s->ended = 0;
    s->stayed = 0;
    center_paddles(env);
    console_reset(env->console);
    emulate(env, &at_rest, WARM_UP_FRAMES);
    soft_reset(env);
    start_rules(env);

    s->game.mode = mode;
    s->game.players = rules_players(env->rules, mode);
    bool selected = select_mode(env);
    soft_reset(env);
    play_starting_actions(env, 0);
    if (is_multi(env)) {
        emulate(env, &at_rest, 1);
        play_starting_actions(env, 1);
        emulate(env, &at_rest, 1);
    }
    env->resets = false;
    poke(env, env->rules->set);
    poke(env, env->rules->hold);
    if (env->blend) env->blend->current = false;
    environment_report(env, NULL);
    if (env->stopped) return environment_fail_stopped(env);
    if (selected) return ALE_OK;
    if (is_truncated(env))
        return fail(ALE_MODE_NOT_REACHED,
                    "max_num_frames_per_episode %d ended the episode before mode %d was selected",
                    env->options.max_num_frames_per_episode, s->mode);
    const char *selection = env->rules->selection;
    return fail(ALE_MODE_NOT_REACHED, "the SELECT switch did not bring the cartridge to mode %d%s%s", s->mode,
                selection ? ": " : "", selection ? selection : "");
}

/* Set everything except the console to what it is before the first reset under these rules. */
static void begin(ale_env *env, bool multi, uint32_t random_seed) {
    environment_state *s = &env->s;
    const ale_env_options *options = &env->options;
    environment_play_by(env, multi);
    mt19937_seed(env->random, random_seed);
    memset(s, 0, sizeof *s);
    s->paddle_min = PADDLE_MIN;
    s->paddle_max = PADDLE_MAX;
    if (env->has_paddles) {
        if (options->paddle_min != -1) s->paddle_min = options->paddle_min;
        if (options->paddle_max != -1) s->paddle_max = options->paddle_max;
        if (env->game && env->game->paddle_max) s->paddle_max = env->game->paddle_max;
    }
    s->mode = rules_default_mode(env->game, (ale_rules)options->rules);
    s->game.mode = rules_default_mode(env->game, multi ? ALE_MULTI : ALE_SOLO);
    s->game.players = rules_players(env->rules, s->game.mode);
    s->game.max_turn_time = options->max_turn_time;
    if (options->rules == ALE_BY_MODE) s->other_seed = random_seed;
    start_rules(env);
}

/* Become like a new environment before its first reset.  The old console takes over a new one's state, because callers
 * hold pointers into the old one. */
static ale_status renew(ale_env *env, bool multi, uint32_t random_seed) {
    console_options options = options_of_console(env, multi, random_seed);
    console *machine = console_create(env->console->rom, &options);
    size_t size = machine ? console_snapshot_size(machine) : 0;
    void *snapshot = machine ? malloc(size) : NULL;
    if (snapshot) size = console_save(machine, snapshot);
    const bool room = snapshot && console_make_room(env->console, snapshot, size);
    const bool moved = room && console_restore(env->console, snapshot, size);
    free(snapshot);
    console_destroy(machine);
    if (!room) return fail(ALE_OUT_OF_MEMORY, "no memory for a console");
    if (!moved)
        return fail(ALE_UNSUPPORTED, "random_seed %u gives this image another display format", random_seed);
    begin(env, multi, random_seed);
    return ALE_OK;
}

/* Start under the other rules as a new environment would: its first reset selects their default mode. */
static ale_status change_rules(ale_env *env, bool multi) {
    const environment_state before = env->s;
    mt19937 random = *env->random;
    const ale_status status = renew(env, multi, before.other_seed);
    if (status != ALE_OK) return status;
    env->s.frame_number = before.frame_number;
    (void)start_episode(env, env->s.game.mode); /* a failure to reach that mode does not matter */
    env->s.other_seed = mt19937_next(&random);
    env->s.mode = before.mode;
    env->s.difficulty = before.difficulty;
    return ALE_OK;
}

ale_status environment_reset(ale_env *env) {
    const mode_meaning next_mode = environment_find_mode(env, env->s.mode);
    if (next_mode.multi != env->multi) {
        const ale_status status = change_rules(env, next_mode.multi);
        if (status != ALE_OK) return status;
    }
    return start_episode(env, next_mode.number);
}

bool environment_starts_alike(const ale_env *env) {
    if (env->options.rules != ALE_SOLO) return false;
    mt19937 seeded;
    mt19937_seed(&seeded, env->options.random_seed);
    return memcmp(&seeded, &env->own_random, sizeof seeded) == 0; /* nothing was drawn */
}

void environment_seed(ale_env *env, uint32_t random_seed) {
    env->options.random_seed = random_seed;
    mt19937_seed(env->random, random_seed);
}

/* Refuse an image without rules of this kind, unless the caller asked for none. */
static ale_status check_rules(const ale_rom *rom, ale_rules rules) {
    if (rom->game_number == ALE_GAME_UNKNOWN)
        return fail(ALE_UNSUPPORTED,
                    "no game is known by the MD5 %s; name the game whose rules apply, or \"\" for no rules",
                    rom->image->md5);
    if (!rules_of(rom->game, rules))
        return fail(ALE_UNSUPPORTED, "%s cannot be played alone; it needs ALE_MULTI rules (in Python num_players)",
                    rom->game->name);
    return ALE_OK;
}

/*
 * A probability as the originals keep it: as text of six significant digits, of which they make a float.
 * Ties go to the even digit, as printf's do.
 */
static float kept_probability(float probability) {
    if (!(probability >= 1e-9f && probability < 1)) return probability; /* nearer to 0: less than one draw of 2^32 */
    double power = 1e6;
    while (probability * power < 100000) power *= 10;
    const double scaled = probability * power; /* exact from 1e-6 on */
    double digits = (double)(int64_t)scaled;
    const double rest = scaled - digits;
    if (rest > 0.5 || (rest == 0.5 && (int64_t)digits % 2)) digits++;
    return (float)(digits / power);
}

ale_status environment_create(ale_rom *rom, const ale_env_options *options, const environment_setting *setting,
                              ale_env **created) {
    ale_status status = environment_check_options(options);
    if (status == ALE_OK) status = check_rules(rom, (ale_rules)options->rules);
    if (status != ALE_OK) return status;
    ale_env *env = arena_take(setting->arena, sizeof *env, ARENA_DENSE);
    if (!env) return fail(ALE_OUT_OF_MEMORY, "no memory for an environment");
    atomic_flag_clear(&env->in_use);
    env->options = *options;
    env->setting = *setting;
    env->rom = rom_retain(rom);
    env->game = rom->game;
    env->labels_end = rom->terminal_count > 0;
    const int32_t first = rules_default_mode(rom->game, (ale_rules)options->rules);
    const bool multi = environment_find_mode(env, first).multi;
    env->report.struct_size = sizeof env->report;
    double below = (double)kept_probability(options->repeat_action_probability) * 4294967296.0;
    env->sticky_below = below <= 0 ? 0 : below >= 4294967296.0 ? UINT64_C(1) << 32 : (uint64_t)below;
    if ((double)env->sticky_below < below && below < 4294967296.0) env->sticky_below++;

    console_options machine = options_of_console(env, multi, options->random_seed);
    machine.arena = setting->arena;
    machine.log_room = setting->log_room;
    environment_limit(env);
    ale_env *twin = setting->twin && environment_skip_frames(env, setting->twin->frames) ? setting->twin : NULL;
    env->console = twin ? console_create_like(twin->console, &machine) : console_create(rom->image, &machine);
    if (env->console && options->color_averaging)
        env->blend = blending_create((size_t)console_screen_rows(env->console) * SCREEN_WIDTH);
    const bool can_choose = !env->console || !setting->chooses || prepare_choice(env);
    if (!env->console || !can_choose || (options->color_averaging && !env->blend)) {
        environment_destroy(env);
        return fail(ALE_OUT_OF_MEMORY, "no memory for a console");
    }
    env->has_paddles = console_has_paddles(env->console);
    env->memory = (game_memory){env->console->s.ram, cartridge_ram(env->console)};
    coloring_init(&env->colors, env->console->format);
    begin(env, multi, options->random_seed);
    if (twin) {
        console_flush(twin->console);
        environment_copy(env, twin);
        environment_seed(env, options->random_seed);
    } else {
        status = environment_reset(env);
    }
    env->limited = false;
    if (status != ALE_OK) {
        environment_destroy(env);
        return status;
    }
    *created = env;
    return ALE_OK;
}

void environment_destroy(ale_env *env) {
    if (!env) return;
    console_destroy(env->console);
    rom_release(env->rom);
    free(env->blend);
    free(env->ways);
    arena_release(env->setting.arena, env);
}

ale_status environment_reload(ale_env *env, uint32_t random_seed) {
    const int32_t first = rules_default_mode(env->game, (ale_rules)env->options.rules);
    const int32_t mode = env->s.mode, difficulty = env->s.difficulty;
    ale_status status = renew(env, environment_find_mode(env, first).multi, random_seed);
    if (status != ALE_OK) return status;
    env->options.random_seed = random_seed;
    status = environment_reset(env);
    env->s.mode = mode;
    env->s.difficulty = difficulty;
    environment_report(env, NULL);
    return status;
}
