/* libale for C++17: objects that free themselves, and exceptions in place of statuses.
 *
 *     std::vector<std::uint8_t> bytes = ...;             // the contents of a ROM file
 *     ale::Rom rom(bytes.data(), bytes.size());
 *     ale::Env env(rom);
 *     while (!env.report().terminated) score += env.act(ALE_FIRE);
 *
 * What functions promise stands in ale.h: this header adds nothing to it.  `get()` gives what the functions of ale.h
 * take.  Objects can be moved; one that was moved from can only be destroyed or assigned to.
 */
#ifndef ALE_ALE_HPP
#define ALE_ALE_HPP

#include <ale/ale.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ale {

using Bytes = std::vector<std::uint8_t>;

/* A function failed: its status, and as what() the words of ale_last_error(). */
class Error : public std::runtime_error {
public:
    explicit Error(ale_status status) : std::runtime_error(ale_last_error()), status_(status) {}
    ale_status status() const noexcept { return status_; }

private:
    ale_status status_;
};

inline void check(ale_status status) {
    if (status != ALE_OK) throw Error(status);
}

/* The defaults of options, to be changed. */
template <typename Options> Options defaults(void (*init)(Options *, std::uint32_t)) {
    Options options;
    init(&options, sizeof options);
    return options;
}
inline ale_rom_options rom_options() { return defaults(ale_rom_options_init); }
inline ale_env_options env_options() { return defaults(ale_env_options_init); }
inline ale_vector_options vector_options() { return defaults(ale_vector_options_init); }

/* One object of the library, which `end` gives back. */
template <typename T, void (*end)(T *)> class Owner {
public:
    T *get() const noexcept { return object_.get(); }

protected:
    /* `make` writes the new object's address to its last argument. */
    template <typename... Arguments, typename... Given>
    explicit Owner(ale_status (*make)(Arguments...), Given... given) {
        T *object = nullptr;
        check(make(given..., &object));
        object_.reset(object);
    }
    template <typename Info, typename Function> Info described(Function describe) const {
        Info info{};
        info.struct_size = sizeof info;
        check(describe(get(), &info));
        return info;
    }

private:
    struct End {
        void operator()(T *object) const noexcept { end(object); }
    };
    std::unique_ptr<T, End> object_;
};

/* Rules of one's own, from their text. */
class Card : public Owner<ale_card, ale_card_release> {
public:
    explicit Card(const std::string &text) : Owner(ale_card_create, text.data(), text.size()) {}
};

/* A cartridge's image. */
class Rom : public Owner<ale_rom, ale_rom_release> {
public:
    Rom(const void *bytes, std::size_t size, const ale_rom_options &options = rom_options())
        : Owner(ale_rom_create, bytes, size, &options) {}
    ale_rom_info info() const { return described<ale_rom_info>(ale_rom_describe); }
};

/* A saved state, empty at first. */
class State : public Owner<ale_state, ale_state_destroy> {
public:
    State() : Owner(ale_state_create) {}
    explicit State(const Bytes &bytes) : State() { check(ale_state_deserialize(get(), bytes.data(), bytes.size())); }
    ale_state_info info() const { return described<ale_state_info>(ale_state_describe); }
    Bytes serialize() const {
        Bytes bytes(info().serialized_size);
        check(ale_state_serialize(get(), bytes.data(), bytes.size()));
        return bytes;
    }
    friend bool operator==(const State &a, const State &b) {
        std::uint32_t equal = 0;
        check(ale_state_equal(a.get(), b.get(), &equal));
        return equal != 0;
    }
    friend bool operator!=(const State &a, const State &b) { return !(a == b); }
};

/* A console that plays a ROM. */
class Env : public Owner<ale_env, ale_env_destroy> {
public:
    explicit Env(const Rom &rom, const ale_env_options &options = env_options())
        : Owner(ale_env_create, rom.get(), &options) {}
    ale_env_info info() const { return described<ale_env_info>(ale_env_describe); }
    const ale_report &report() const { return *ale_env_report(get()); }
    const std::uint8_t *ram() const { return ale_env_ram(get()); }     /* ALE_RAM_SIZE bytes */
    const std::uint8_t *audio() const { return ale_env_audio(get()); } /* ALE_AUDIO_SIZE samples */
    void reset() { check(ale_env_reset(get())); }

    /* The reward of the only player; of several, the report has all. */
    std::int32_t act(std::int32_t action, std::uint32_t repeat = 1) {
        check(ale_env_act(get(), &action, nullptr, 1, repeat));
        return report().rewards[0];
    }
    /* With the strength of each player's paddle, or all full ones. */
    void act(const std::vector<std::int32_t> &actions, std::uint32_t repeat = 1,
             const std::vector<float> &strengths = {}) {
        if (!strengths.empty() && strengths.size() != actions.size())
            throw std::invalid_argument("strengths has " + std::to_string(strengths.size()) + " elements; actions has "
                                        + std::to_string(actions.size()));
        check(ale_env_act(get(), actions.data(), strengths.empty() ? nullptr : strengths.data(),
                          std::uint32_t(actions.size()), repeat));
    }
    /* The modes for so many players.  One environment has those for all, if options.rules is ALE_BY_MODE. */
    std::vector<std::int32_t> modes(std::uint32_t players = 1) const {
        std::size_t count = 0;
        check(ale_env_modes(get(), players, nullptr, 0, &count));
        std::vector<std::int32_t> modes(count);
        check(ale_env_modes(get(), players, modes.data(), count, &count));
        return modes;
    }
    /* The values of the game's labels, as ale_game_label orders them. */
    std::vector<std::int32_t> labels() const {
        std::size_t count = 0;
        check(ale_env_labels(get(), nullptr, 0, &count));
        std::vector<std::int32_t> values(count);
        check(ale_env_labels(get(), values.data(), count, &count));
        return values;
    }
    Bytes screen(ale_pixels pixels) {
        Bytes out(std::size_t(info().screen_height) * ALE_SCREEN_WIDTH * (pixels == ALE_RGB ? 3 : 1));
        check(ale_env_screen(get(), pixels, out.data(), out.size()));
        return out;
    }
    void set_mode(std::int32_t mode) { check(ale_env_set_mode(get(), mode)); }
    void set_difficulty(std::int32_t difficulty) { check(ale_env_set_difficulty(get(), difficulty)); }
    void save(State &state, bool include_random = false) { check(ale_env_save(get(), include_random, state.get())); }
    void restore(const State &state) { check(ale_env_restore(get(), state.get())); }
    void copy_from(Env &source) { check(ale_env_copy(get(), source.get())); }
};

/* What came of a vector's latest call, as in ale_batch. */
struct Results {
    Bytes observations, terminations, truncations;
    std::vector<std::int32_t> rewards, env_ids, lives, frame_numbers, episode_frame_numbers;
};

/* A trained player. */
class Policy : public Owner<ale_policy, ale_policy_release> {
public:
    explicit Policy(const ale_policy_numbers &numbers) : Owner(ale_policy_create, &numbers) {}
    /* The action of one player that sees `ram` and saw `before` at its last action, ALE_RAM_SIZE bytes each. */
    std::int32_t act(const std::uint8_t *ram, const std::uint8_t *before, std::uint32_t player,
                     std::uint32_t &random) const {
        std::int32_t action = 0;
        check(ale_policy_act(get(), 1, ram, before, &player, &random, &action, nullptr, 0));
        return action;
    }
};

/* Many environments, played a full batch at a time.  For smaller batches and the results that are left out here, call
 * ale.h's functions with get().  The results outlive the threads that write them. */
class Vector : public Results, public Owner<ale_vector, ale_vector_destroy> {
public:
    explicit Vector(const std::vector<ale_rom *> &roms, const ale_vector_options &options = vector_options())
        : Owner(ale_vector_create, roms.data(), nullptr, std::uint32_t(roms.size()), &options) {
        const std::size_t rows = info().batch_size, each = rows * info().players;
        observations.resize(rows * info().observation_size);
        terminations.resize(each);
        truncations.resize(rows);
        for (auto *numbers : {&env_ids, &frame_numbers, &episode_frame_numbers}) numbers->resize(rows);
        for (auto *numbers : {&rewards, &lives}) numbers->resize(each);
    }
    Vector(Vector &&) = default;
    Vector &operator=(Vector &&) = delete;
    ale_vector_info info() const { return described<ale_vector_info>(ale_vector_describe); }
    void reset() {
        const ale_batch filled = batch();
        check(ale_vector_post(get(), &filled));
        check(ale_vector_reset(get(), nullptr, nullptr));
        check(ale_vector_recv(get()));
    }
    /* One index into its action set for each environment, or each of its players. */
    void step(const std::vector<std::int32_t> &actions) {
        check_size(actions);
        const ale_batch filled = batch();
        check(ale_vector_step(get(), actions.data(), nullptr, &filled));
    }
    /* Give a policy a player's seat; nullptr: nobody. */
    void seat(std::uint32_t index, std::uint32_t player, const Policy *policy, std::uint32_t random = 0) {
        check(ale_vector_seat(get(), index, player, policy ? policy->get() : nullptr, random));
    }
    /* Write what policies choose for their players into the actions of the next step. */
    void choose(std::vector<std::int32_t> &actions) {
        check_size(actions);
        check(ale_vector_choose(get(), actions.data()));
    }

private:
    void check_size(const std::vector<std::int32_t> &actions) const {
        if (actions.size() != rewards.size())
            throw std::invalid_argument("actions has " + std::to_string(actions.size()) + " elements; it must have "
                                        + std::to_string(rewards.size()));
    }
    ale_batch batch() {
        ale_batch filled{};
        filled.struct_size = sizeof filled;
        filled.observations = observations.data();
        filled.rewards = rewards.data();
        filled.terminations = terminations.data();
        filled.truncations = truncations.data();
        filled.env_ids = env_ids.data();
        filled.lives = lives.data();
        filled.frame_numbers = frame_numbers.data();
        filled.episode_frame_numbers = episode_frame_numbers.data();
        return filled;
    }
};

} // namespace ale

#endif
