/* Plays one episode with random actions and prints its score, as examples/c/play.c does.
 *
 *     ./play breakout.bin [seed]
 */
#include <ale/ale.hpp>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

static std::vector<std::int32_t> actions_of(std::uint32_t set) {
    std::vector<std::int32_t> actions;
    for (std::int32_t action = 0; action < ALE_ACTION_COUNT; action++)
        if (set >> action & 1) actions.push_back(action);
    return actions;
}

static void play(const char *path, std::uint32_t seed) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot be read");
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};

    ale_env_options options = ale::env_options();
    options.random_seed = seed;
    options.frame_skip = 4;
    options.max_num_frames_per_episode = 108000;
    ale::Env env(ale::Rom(bytes.data(), bytes.size()), options);
    const ale_report &report = env.report();

    std::srand(seed);
    const std::vector<std::int32_t> actions = actions_of(env.info().minimal_actions);
    long score = 0;
    while (!report.terminated && !report.truncated) score += env.act(actions[std::size_t(std::rand()) % actions.size()]);
    std::cout << "score " << score << " in " << report.episode_frame_number << " frames, " << report.lives[0]
              << " lives left\n";
}

int main(int argc, char **argv) {
    if (argc < 2) {
        std::cerr << "usage: " << argv[0] << " ROM [SEED]\n";
        return 2;
    }
    try {
        play(argv[1], argc > 2 ? std::uint32_t(std::strtoul(argv[2], nullptr, 0)) : 1);
    } catch (const std::exception &problem) {
        std::cerr << argv[1] << ": " << problem.what() << '\n';
        return 1;
    }
}
