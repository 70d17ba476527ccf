"""Parts of every environment's module: a `Setup`, and four functions made from it."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from pettingzoo.utils.wrappers import (  # type: ignore[import-untyped]
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
)

from pyale_ma._base.arguments import integer, unnamed
from pyale_ma._base.text import nearest
from pyale_ma.console.observations import AGENT_OBSERVATIONS
from pyale_ma.games import environments, modes, roms
from pyale_ma.games.environments import ENVIRONMENTS
from pyale_ma.multi.base import ArgumentError, ParallelAtariEnv, TurnwiseAtariEnv, step_limit
from pyale_ma.multi.turns import AECAtariEnv, by_turns

__all__ = ["EntryPoints", "Setup", "check", "entry_points", "is_allowed"]


class Setup(NamedTuple):
    """Which game an environment plays, in which mode.

    Attributes:
        game: The game's name, an environment's, or a card's path.
        num_players: 1 to 4.
        mode: One of the game's modes for that many players; None for the default.
        name: The environment's name; "" for its module's.
    """

    game: str
    num_players: int
    mode: int | None = None
    name: str = ""


def check(name: str, value: object, allowed: Iterable[object]) -> None:
    """Raise ArgumentError unless an argument is one of those allowed."""
    allowed = list(allowed)
    if not is_allowed(value, allowed):
        raise ArgumentError(f"{name} is {value!r}; it must be {', '.join(map(repr, allowed))}")


def is_allowed(value: object, allowed: Iterable[object]) -> bool:
    """Whether a value is one of these, whatever it does when it is compared or hashed."""
    return isinstance(value, (str, int, float, np.number)) and value in list(allowed)


class EntryPoints(NamedTuple):
    """The functions of a module; they take keyword arguments, the first three the same."""

    env: Callable[..., AECAtariEnv]
    parallel_env: Callable[..., ParallelAtariEnv]
    raw_env: Callable[..., AECAtariEnv]
    vector_options: Callable[..., dict[str, Any]]


# Arguments of ParallelAtariEnv that a module chooses; the caller chooses all others.
_CHOSEN = ("self", "game", "num_players", "mode_num", "env_name")
# Arguments of ParallelAtariEnv that define what is played; vectors have them, too.
_PLAYED = (
    "obs_type",
    "full_action_space",
    "max_cycles",
    "frame_skip",
    "repeat_action_probability",
    "difficulty",
    "variation",
    "corrected_rules",
)
_ITS_OWN = ("difficulty", "full_action_space")
# Advice on arguments that only other functions of a module have, or only vectors.
_ELSEWHERE = {
    "seed": "give it to the vector's reset",
    "render_mode": "give it to AtariVectorEnv",
    "auto_rom_install_path": "vectors look in the usual places; PYALE_MA_ROMS names others",
    "sound_obs": "give extra_infos=('sound',) to AtariVectorEnv",
    "detailed_infos": "a vector's infos have lives and frame numbers anyway",
    "noop_max": "vectors count frames, not steps: change it in the dict that is returned",
    "max_num_frames_per_episode": "give max_cycles, the number of steps",
    "frameskip": "did you mean 'frame_skip'?",
}
_ANY = ("game", "num_players", "mode", "mode_num")
_OVERRIDDEN = ("use_fire_reset", "reward_clipping")  # by `vector_options`
_Made = TypeVar("_Made")
_MOST_FRAMES = 2**31 - 1  # after which a vector truncates an episode


def entry_points(module: str, setup: Callable[..., Setup]) -> EntryPoints:
    """The functions of an environment's module.

    Args:
        module: The module's full name; its last part is the environment's.
        setup: Turns the module's own arguments into a game, a number of players and a mode.
    """
    environment = ENVIRONMENTS.get(module.rpartition(".")[2])
    # Arguments of ParallelAtariEnv that have a different default here.
    defaults = environment._asdict() if environment else {}
    defaults = {name: defaults[name] for name in _ITS_OWN if defaults.get(name)}
    own = inspect.signature(setup).parameters
    common = inspect.signature(ParallelAtariEnv.__init__).parameters
    names = [name for name in common if name not in _CHOSEN]
    changed = {
        name: common[name].replace(default=defaults.get(name, common[name].default))
        for name in names
    }
    played = {name: changed[name] for name in _PLAYED}
    played["obs_type"] = played["obs_type"].replace(default=None)

    def arguments(chosen_values: dict[str, Any]) -> dict[str, Any]:
        chosen = setup(**{name: chosen_values[name] for name in own if name in chosen_values})
        return {
            "game": chosen.game,
            "num_players": chosen.num_players,
            "mode_num": chosen.mode,
            "env_name": chosen.name or module.rpartition(".")[2],
            **defaults,
            **{name: chosen_values[name] for name in names if name in chosen_values},
        }

    def raw_env(**kwargs: Any) -> AECAtariEnv:
        """The turn-based environment, without the wrappers that check how it is used."""
        return by_turns(TurnwiseAtariEnv(**arguments(kwargs)))

    def env(**kwargs: Any) -> AECAtariEnv:
        """The turn-based environment: agents act in order, and the last one starts the frame."""
        made: AECAtariEnv = OrderEnforcingWrapper(AssertOutOfBoundsWrapper(raw_env(**kwargs)))
        return made

    def parallel_env(**kwargs: Any) -> ParallelAtariEnv:
        """The environment in which all agents act at the same time."""
        return ParallelAtariEnv(**arguments(kwargs))

    def vector_options(**kwargs: Any) -> dict[str, Any]:
        """The arguments with which an `AtariVectorEnv` plays as `parallel_env` does.

        After a reset with the same seed, the same actions give the same rewards, ends and RAM.  If
        `obs_type` is given, the vector also observes the same, whole screens one at a time, except
        for pictures of an episode's last step.  If not, observations are left to the caller.
        """
        chosen_values = arguments(kwargs)
        values = {
            name: chosen_values.get(name, parameter.default) for name, parameter in played.items()
        }
        obs_type = values["obs_type"]
        game, players, mode, *rest = environments.played(
            *(chosen_values[name] for name in ("game", "num_players", "mode_num")),
            *(values[name] for name in _ITS_OWN),
            error=ArgumentError,
        )
        values |= zip(_ITS_OWN, rest, strict=True)
        players, mode = modes.choose(roms.game_of(game), players, mode, error=ArgumentError)
        frames = integer("frame_skip", values["frame_skip"], 1)
        cycles = step_limit("max_cycles", values["max_cycles"])
        limit = math.inf if cycles == math.inf else frames * math.ceil(max(1, cycles))
        options = {
            "game": game,
            "num_players": players,
            "mode": mode,
            "frameskip": frames,
            "max_num_frames_per_episode": limit if limit <= _MOST_FRAMES else None,
            "repeat_action_probability": values["repeat_action_probability"],
            "full_action_space": values["full_action_space"],
            "corrected_rules": values["corrected_rules"],
            "noop_max": 0,
            "use_fire_reset": False,
            "reward_clipping": False,
        }
        options |= {n: values[n] for n in ("difficulty", "variation") if values[n] is not None}
        if obs_type is None:
            return options
        check("obs_type", obs_type, AGENT_OBSERVATIONS)
        kind = AGENT_OBSERVATIONS[obs_type]
        options |= {"obs_type": kind.name, "stack_num": 1, "maxpool": False}
        if kind.is_picture:
            height, width, _ = (
                ParallelAtariEnv(**chosen_values).observation_space("first_0").shape or ()
            )
            options |= {"img_height": height, "img_width": width}
        return options

    of_envs, of_vectors = (
        [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in (*own.values(), *others.values())
        ]
        for others in (changed, played)
    )
    return EntryPoints(
        _checked(env, module, of_envs),
        _checked(parallel_env, module, of_envs),
        _checked(raw_env, module, of_envs),
        _checked(vector_options, module, of_vectors),
    )


def _checked(
    function: Callable[..., _Made], module: str, parameters: list[inspect.Parameter]
) -> Callable[..., _Made]:
    """Wrap a module's function, so that errors of arguments say what to do."""
    owner = f"{module}.{function.__name__}"
    parameters_by_name = {it.name: it for it in parameters}
    required = [it.name for it in parameters if it.default is it.empty]

    @functools.wraps(function)
    def checked(*values: Any, **chosen_values: Any) -> _Made:
        for name in chosen_values:
            if name not in parameters_by_name:
                instead = _instead(name, function.__name__, parameters_by_name)
                raise TypeError(f"{owner} has no argument {name!r}; {instead}")
        for name in required:
            if name not in chosen_values:
                raise TypeError(f"{owner}: give {name}, such as {name}='pong'")
        if values:
            raise unnamed(owner, [], parameters_by_name)
        return function(**chosen_values)

    for name, value in (
        ("__module__", module),
        ("__qualname__", function.__name__),  # so that it can be pickled
        ("__signature__", inspect.Signature(parameters)),
    ):
        setattr(checked, name, value)
    return checked


def _instead(name: str, function: str, parameters_by_name: Collection[str]) -> str:
    """Return what to do instead of giving an argument that a function does not have."""
    from pyale_ma.vector import AtariVectorEnv  # not before: few programs need it

    if name in _ELSEWHERE:
        return _ELSEWHERE[name]
    if name in _ANY and "game" not in parameters_by_name:
        return f"pyale_ma.multi.{function}(game=..., num_players=..., mode=...) takes any"
    if name in _OVERRIDDEN:
        return f"give it to AtariVectorEnv: AtariVectorEnv(**vector_options() | {{{name!r}: ...}})"
    if name in inspect.signature(AtariVectorEnv).parameters.keys() - {*_ANY, "games"}:
        return f"give it to AtariVectorEnv: AtariVectorEnv({name}=..., **vector_options())"
    return nearest(name, parameters_by_name)
