/* Everything of ale.hpp, with one ROM file; .ci/c_example compiles and runs it. */
#include <ale/ale.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#define CHECK(what) ((what) ? (void)0 : (std::fprintf(stderr, "line %d: %s\n", __LINE__, #what), std::exit(1)))

/* The status with which something fails. */
template <typename Function> static ale_status refused(Function function) {
    try {
        function();
    } catch (const ale::Error &error) {
        CHECK(*error.what());
        return error.status();
    }
    return ALE_OK;
}

static void environments(const ale::Rom &rom) {
    ale_env_options options = ale::env_options();
    options.frame_skip = 4;
    ale::Env env(rom, options);
    env.act(ALE_FIRE, 5);
    ale::State state, same;
    CHECK(state.info().empty && state == same);
    env.save(state, true);
    CHECK(state != same);
    same = ale::State(state.serialize());
    CHECK(state == same && same.info().frame_number == env.report().frame_number);

    ale::Env moved(std::move(env));
    const auto play = [&moved] {
        for (int i = 0; i < 50; i++) moved.act({i % 3 ? ALE_LEFT : ALE_RIGHT});
        return moved.screen(ALE_RGB);
    };
    const ale::Bytes first = play();
    CHECK(first.size() == 210 * 160 * 3);
    moved.restore(same);
    CHECK(play() == first);
    ale::Env other(rom, options);
    CHECK(other.screen(ALE_RGB) != first);
    other.copy_from(moved);
    CHECK(other.screen(ALE_RGB) == first && other.ram()[57] == moved.ram()[57]);
    CHECK(other.info().screen_height == 210 && other.audio());
    other.set_mode(4);
    other.set_difficulty(1);
    other.reset();
    CHECK(other.report().mode == 4 && other.report().difficulty == 1);
    CHECK(refused([&other] { other.set_mode(99); }) == ALE_INVALID_ARGUMENT);
    CHECK(refused([&other] { other.act(18); }) == ALE_INVALID_ARGUMENT);
    CHECK(refused([] { ale::State(ale::Bytes(100)); }) == ALE_BAD_STATE);
    CHECK(other.modes().size() > 4 && other.modes()[1] == 4 && other.modes(2).empty());
    CHECK(refused([&other] { other.modes(5); }) == ALE_INVALID_ARGUMENT);
    other.act({ALE_LEFT}, 1, {0.5f});
    try {
        other.act({ALE_LEFT}, 1, {0.5f, 1.0f});
        CHECK(false);
    } catch (const std::invalid_argument &) {
    }
}

static void vectors(const ale::Rom &rom) {
    ale_vector_options options = ale::vector_options();
    options.num_threads = 2;
    ale::Vector one({rom.get(), rom.get(), rom.get()}, options);
    options.patience_ms = 1;
    options.frame_skip = ALE_MAX_FRAME_SKIP;
    ale::Vector slow({rom.get(), rom.get()}, options);
    (void)refused([&slow] { slow.reset(); slow.step({0, 0}); }); /* it may end while its threads play */
    one.reset();
    ale::Vector vector(std::move(one));
    for (int i = 0; i < 20; i++) vector.step({1, 2, 3});
    CHECK(vector.info().received == 21 && vector.observations.size() == 3 * 4 * 84 * 84);
    CHECK(vector.lives[0] > 0 && vector.env_ids[2] == 2 && vector.frame_numbers[1] > 60);
    CHECK(refused([&vector] { vector.step({1, 2, 99}); }) == ALE_BAD_ACTION);
    try {
        vector.step({1});
        CHECK(false);
    } catch (const std::invalid_argument &) {
    }

    /* One that sees a byte and always fires: all weights are 0, and of one action. */
    const std::uint8_t used[] = {0}, actions[] = {ALE_FIRE}, numbers[12 + 8 + 6 + 6] = {0};
    ale_policy_numbers network{};
    network.struct_size = sizeof network;
    network.players = network.used_count = network.neurons_1 = network.neurons_2 = network.action_count = 1;
    network.used = used;
    network.actions = actions;
    network.numbers = numbers;
    CHECK(refused([&network] { ale::Policy policy(network); }) == ALE_INVALID_ARGUMENT);
    network.size = sizeof numbers;
    std::vector<std::int32_t> chosen{0, 0, 0};
    {
        const ale::Policy policy(network);
        vector.seat(1, 0, &policy);
        vector.seat(2, 0, &policy, 7);
        vector.seat(2, 0, nullptr);
        const ale::Bytes ram(ALE_RAM_SIZE);
        std::uint32_t random = 0;
        CHECK(policy.act(ram.data(), ram.data(), 0, random) == ALE_FIRE && random == 0x9E3779B9);
        CHECK(refused([&] { policy.act(ram.data(), ram.data(), 1, random); }) == ALE_INVALID_ARGUMENT);
    }
    vector.choose(chosen);
    CHECK(chosen == (std::vector<std::int32_t>{0, 1, 0}));
    vector.step(chosen);
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    std::ifstream file(argv[1], std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    const ale::Rom rom(bytes.data(), bytes.size());
    CHECK(rom.info().game == ale_game_by_name("breakout"));
    CHECK(refused([] { ale::Rom("", 0); }) == ALE_INVALID_ARGUMENT);
    CHECK(refused([] { ale::Card("nonsense"); }) == ALE_BAD_CARD);
    environments(rom);
    vectors(rom);
    return 0;
}
