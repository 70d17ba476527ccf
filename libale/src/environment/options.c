/* The options of an environment: what they are unless they are set, and what they may be. */
#include <math.h>

#include "../support/arguments.h"
#include "environment.h"

const ale_env_options environment_default_options = {
    .struct_size = sizeof(ale_env_options),
    .rules = ALE_SOLO,
    .system_seed = 4753849,
    .repeat_action_probability = 0.25f,
    .frame_skip = 1,
    .reward_min = INT32_MIN,
    .reward_max = INT32_MAX,
    .paddle_min = -1,
    .paddle_max = -1,
    .max_turn_time = -1,
    .fast_paths = ALE_FAST_ALL,
    .idle_action = -1,
};

ale_status environment_check_options(const ale_env_options *o) {
    REQUIRE(o->rules >= ALE_SOLO && o->rules <= ALE_BY_MODE,
            "options->rules is %d; it must be ALE_SOLO (0), ALE_MULTI (1) or ALE_BY_MODE (2)", o->rules);
    REQUIRE(!isnan(o->repeat_action_probability), "options->repeat_action_probability is not a number");
    REQUIRE(o->frame_skip >= 1 && o->frame_skip <= ALE_MAX_FRAME_SKIP,
            "options->frame_skip is %u; it must be at least 1, at most %d", o->frame_skip, ALE_MAX_FRAME_SKIP);
    REQUIRE(is_flag(o->truncate_on_loss_of_life),
            "options->truncate_on_loss_of_life is %u; it must be 0 or 1", o->truncate_on_loss_of_life);
    REQUIRE(o->reward_min <= o->reward_max, "options->reward_min is %d, more than reward_max, which is %d",
            o->reward_min, o->reward_max);
    REQUIRE(o->paddle_min >= -1, "options->paddle_min is %d; it must be at least 0, or -1", o->paddle_min);
    REQUIRE(o->paddle_max >= -1, "options->paddle_max is %d; it must be at least 0, or -1", o->paddle_max);
    REQUIRE(o->max_turn_time >= -GAME_NUMBER_LIMIT && o->max_turn_time <= GAME_NUMBER_LIMIT,
            "options->max_turn_time is %d; it must be %d to %d", o->max_turn_time, -GAME_NUMBER_LIMIT,
            GAME_NUMBER_LIMIT);
    REQUIRE(is_flag(o->color_averaging), "options->color_averaging is %u; it must be 0 or 1",
            o->color_averaging);
    REQUIRE(is_flag(o->sound), "options->sound is %u; it must be 0 or 1", o->sound);
    REQUIRE(is_flag(o->objects), "options->objects is %u; it must be 0 or 1", o->objects);
    REQUIRE(o->fast_paths <= ALE_FAST_ALL, "options->fast_paths is %u; it must be 0 to %d", o->fast_paths,
            ALE_FAST_ALL);
    REQUIRE(o->idle_action >= -1 && o->idle_action < ACTION_COUNT, "options->idle_action is %d; it must be -1 to %d",
            o->idle_action, ACTION_COUNT - 1);
    REQUIRE(is_flag(o->corrected_rules), "options->corrected_rules is %u; it must be 0 or 1", o->corrected_rules);
    return ALE_OK;
}
