/* Images: any bytes in any scheme, format and fast path, under the rules of any game; a console with the fast
 * paths must agree with one without in every bit. */
#include "console/cartridge/cartridge.h"
#include "fuzz.h"
#include "gray_screen.h"
#include "loops.h"

enum { FRAMES = 5 };

/* N and Z stand for what the flags show; of the bus nothing is left once the next instruction is fetched. */
static machine_state comparable(const console *machine) {
    machine_state s;
    memcpy(&s, &machine->s, sizeof s);
    s.cpu.n &= 0x80;
    s.cpu.z = s.cpu.z != 0;
    s.data_bus = s.bus_was_read = 0;
    return s;
}

static void compare(console *fast, console *slow) {
    const size_t pixels = (size_t)console_screen_rows(fast) * SCREEN_WIDTH;
    MUST(console_screen_rows(fast) == console_screen_rows(slow));
    MUST(memcmp(console_screen(fast), console_screen(slow), pixels) == 0);
    picture_collide(fast, ALL_PAIRS);
    picture_collide(slow, ALL_PAIRS);
    const machine_state a = comparable(fast), b = comparable(slow);
    const uint8_t *x = (const uint8_t *)&a, *y = (const uint8_t *)&b;
    for (size_t i = 0; i < sizeof a; i++)
        if (x[i] != y[i]) fprintf(stderr, "machine_state differs in byte %zu\n", i);
    MUST(memcmp(&a, &b, sizeof a) == 0);
}

static void play(rom_image *rom, input *in, const ale_game *game, uint8_t fast_paths) {
    console *fast = console_create(rom, &(console_options){.seed = 1, .fast_paths = fast_paths});
    console *slow = console_create(rom, &(console_options){.seed = 1});
    void *moment = malloc(console_snapshot_limit(fast));
    const game_rules *rules[] = {game->solo, game->multi};
    game_state state[2] = {{.mode = 0, .players = 1, .max_turn_time = -1}, {.mode = 0, .players = 2}};
    const game_memory memory = {fast->s.ram, cartridge_ram(fast)};
    MUST(fast && slow && moment);
    static gray_screen gray;
    gray_screen_init(&gray);
    const gray_target target = gray_screen_target(&gray);
    const bool engine = console_use_engine(fast, true);
    for (int frame = 0; frame < FRAMES; frame++) {
        const uint32_t bits = take(in, 2);
        controls hands = {
            .joystick = {bits & 0x1F, bits >> 5 & 0x1F},
            .paddle = {(int32_t)(bits << 4), 1, 27450, INT32_MAX},
            .select = bits >> 10 & 1,
            .reset = bits >> 11 & 1,
            .difficulty_set = true,
            .difficulty = bits >> 12 & 3,
        };
        console_set_controls(fast, &hands);
        console_set_controls(slow, &hands);
        if (engine) use_loops(fast, loops_of_turn(bits)), console_expect_gray(fast, &target);
        console_run_frame(fast);
        console_run_frame(slow);
        compare(fast, slow);
        MUST(!console_drew_gray(fast) ||
             gray_screen_shows(&gray, console_screen(slow), console_screen_rows(slow)));
        if (bits >> 14 & 1) {
            const size_t size = console_save(fast, moment);
            MUST(console_invalid_field(fast, moment, size) == NULL);
            console_run_frame(fast);
            MUST(console_restore(fast, moment, size));
        }
        if (bits >> 15) {
            console_reset(fast);
            console_reset(slow);
        }
        for (int i = 0; i < 2; i++)
            if (rules[i]) rules[i]->step(rules[i], &state[i], &memory);
        uint8_t samples[AUDIO_SAMPLES];
        audio_generate(&fast->s.audio, samples);
        audio_generate(&slow->s.audio, samples);
    }
    free(moment);
    console_destroy(fast);
    console_destroy(slow);
}

static void try_input(const uint8_t *data, size_t size) {
    static uint8_t image[LARGEST_IMAGE];
    input in = {data, data + size};
    const uint32_t choice = take(&in, 1), format = take(&in, 1), number = take(&in, 1), fast = take(&in, 1);
    input hands = in;
    in.at += in.end - in.at < 2 * FRAMES ? in.end - in.at : 2 * FRAMES;
    const size_t rest = (size_t)(in.end - in.at);
    /* One time in eight the bytes are the whole image, and their scheme is found out. */
    rom_scheme scheme = choice & 0xE0 ? (rom_scheme)((choice & 0x1F) % ROM_SCHEME_COUNT) : ROM_AUTO;
    char error[256];
    rom_image *rom;
    if (scheme == ROM_AUTO) {
        rom = console_open_rom(in.at, rest, scheme, error);
    } else {
        repeat_bytes(image, size_for(scheme), in.at, rest);
        rom = console_open_rom(image, size_for(scheme), scheme, error);
    }
    if (!rom) return;
    rom->properties.format = format & 0xF0 ? (rom_format)(format % 3) : FORMAT_AUTO;
    rom->properties.paddles[0] = format & 8;
    rom->properties.hmove_blanks = format & 4;
    const uint8_t paths = fast & 1 ? FAST_ALL : (uint8_t)(fast >> 1) & FAST_ALL;
    play(rom, &hands, ale_games[number % (uint32_t)ale_games_count], paths);
    rom_image_release(rom);
}
