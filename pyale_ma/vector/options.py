"""Options of vectors: one row for each argument that says what is played, or how it is observed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from pyale_ma._base.arguments import flag, probability
from pyale_ma.vector import checks as check

_MODES = "int | ints | none"


class Option(NamedTuple):
    """Properties of an argument of `AtariVectorEnv`.

    Attributes:
        field: The field of ``ale_vector_options`` that it becomes; "": none, Python applies it.
        check: Returns the field's value, or raises an error.
        kind: The kind of its value in recordings, see docs/recordings.md; "": they do not name it.
        observed: Whether it changes only what is observed.
        envpool: EnvPool's option with the same meaning and the same values; "": none.
    """

    field: str = ""
    check: Callable[[str, Any], Any] = lambda _, value: value
    kind: str = ""
    observed: bool = False
    envpool: str = ""


OPTIONS: Mapping[str, Option] = MappingProxyType(
    {
        "num_players": Option("players", check.players, "int | none"),
        "mode": Option(kind=_MODES),
        "difficulty": Option(kind=_MODES),
        "max_num_frames_per_episode": Option(
            "max_num_frames_per_episode", check.frame_limit, "int"
        ),
        "repeat_action_probability": Option(
            "repeat_action_probability",
            probability,
            "number",
            envpool="repeat_action_probability",
        ),
        "full_action_space": Option("full_action_space", flag, "bool", envpool="full_action_space"),
        "continuous": Option(kind="bool"),
        "continuous_action_threshold": Option(kind="number"),
        "autoreset_mode": Option("autoreset", check.autoreset, "str"),
        "img_height": Option(
            "img_height", check.at_least(1), "int", observed=True, envpool="img_height"
        ),
        "img_width": Option(
            "img_width", check.at_least(1), "int", observed=True, envpool="img_width"
        ),
        "obs_type": Option(kind="str", observed=True),
        "stack_num": Option(
            "stack_num", check.at_least(1), "int", observed=True, envpool="stack_num"
        ),
        "stack_fill": Option("fill_stack", check.stack_fill, "str", observed=True),
        "crop": Option("crop", check.crop, "ints", observed=True),
        "frameskip": Option("frame_skip", check.frameskip, "int", envpool="frame_skip"),
        "maxpool": Option("maxpool", flag, "bool", observed=True),
        "noop_max": Option("noop_max", check.clamped(0), "int", envpool="noop_max"),
        "episodic_life": Option("episodic_life", flag, "bool"),
        # EnvPool's episodic_life goes on with the game after a lost life.
        "life_loss_info": Option("life_loss_info", flag, "bool", envpool="episodic_life"),
        "reward_clipping": Option("reward_clipping", flag, "bool", envpool="reward_clip"),
        "use_fire_reset": Option("use_fire_reset", flag, "bool", envpool="use_fire_reset"),
        "agent_indicator": Option("agent_indicator", flag, "bool", observed=True),
        "mirror": Option("mirror", flag, "bool"),
        "terminal_on": Option(kind="terminals | none"),
        "corrected_rules": Option("corrected_rules", flag, "bool"),
        "num_threads": Option("num_threads", check.clamped(0), envpool="num_threads"),
        "thread_affinity_offset": Option(
            "thread_affinity_offset", check.clamped(-1), envpool="thread_affinity_offset"
        ),
    }
)


def fields(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of ``ale_vector_options``, of checked arguments.

    Raises:
        TypeError, ValueError: An argument is of another type, or not allowed.
    """
    return {
        option.field: option.check(name, arguments[name])
        for name, option in OPTIONS.items()
        if option.field
    }
