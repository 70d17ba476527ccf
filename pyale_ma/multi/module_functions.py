"""The functions of every environment's module, made from the table of environments."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Collection, Iterable
from inspect import Parameter
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from pettingzoo.utils.wrappers import (  # type: ignore[import-untyped]
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
)

from pyale_ma._base.arguments import integer, unnamed
from pyale_ma._base.text import nearest
from pyale_ma.console.observations import AGENT_OBSERVATIONS
from pyale_ma.games.environments import ENVIRONMENTS
from pyale_ma.games.selection import Selection, resolve
from pyale_ma.multi.base import ArgumentError, ParallelAtariEnv, TurnwiseAtariEnv, step_limit
from pyale_ma.multi.turns import AECAtariEnv, by_turns


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
    "terminal_on",
)
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


class Module:
    """The functions of a module, all with the same arguments.

    Args:
        name: The module's full name.
        choose: Turns the module's own arguments into what is played.
        defaults: Arguments of `ParallelAtariEnv` that have a different default here.

    Attributes:
        choose: See above.
        own: The module's own parameters, by name.
        of_envs: The parameters of its environments, by name.
        of_vectors: Those of `vector_options`.
    """

    def __init__(
        self, name: str, choose: Callable[..., Selection], defaults: dict[str, Any] | None = None
    ) -> None:
        self.choose = choose
        self.own = dict(inspect.signature(choose).parameters)
        self._name = name
        self._defaults = defaults or {}
        common = inspect.signature(ParallelAtariEnv.__init__).parameters
        self._common = {
            name: parameter.replace(default=self._defaults.get(name, parameter.default))
            for name, parameter in common.items()
            if name not in _CHOSEN
        }
        self._played = {name: self._common[name] for name in _PLAYED}
        self._played["obs_type"] = self._played["obs_type"].replace(default=None)
        self.of_envs = _by_keyword(self.own | self._common)
        self.of_vectors = _by_keyword(self.own | self._played)

    def _arguments(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of the environment, from those that the caller gives."""
        chosen = self.choose(**{name: given[name] for name in self.own if name in given})
        stem = self._name.rpartition(".")[2]
        return {
            "game": chosen,
            "num_players": chosen.num_players,
            "mode_num": chosen.mode,
            "env_name": stem if stem in ENVIRONMENTS else None,
            **self._defaults,
            **{name: given[name] for name in self._common if name in given},
        }

    def raw_env(self, **given: Any) -> AECAtariEnv:
        """The turn-based environment, without the wrappers that check how it is used."""
        return by_turns(TurnwiseAtariEnv(**self._arguments(given)))

    def env(self, **given: Any) -> AECAtariEnv:
        """The turn-based environment: agents act in order, and the last one starts the frame.

        Examples:
            ```python
            from pyale_ma import multi

            env = multi.env(game="quartet", num_players=2, max_cycles=10)
            env.reset(seed=42)
            for agent in env.agent_iter():
                observation, reward, termination, truncation, info = env.last()
                over = termination or truncation
                env.step(None if over else env.action_space(agent).sample())
            ```
        """
        made: AECAtariEnv = OrderEnforcingWrapper(AssertOutOfBoundsWrapper(self.raw_env(**given)))
        return made

    def parallel_env(self, **given: Any) -> ParallelAtariEnv:
        """The environment in which all agents act at the same time.

        Examples:
            ```python
            from pyale_ma.multi import parallel_env

            env = parallel_env(game="quartet", num_players=4)
            observations, infos = env.reset(seed=42)
            actions = {agent: env.action_space(agent).sample() for agent in env.agents}
            observations, rewards, terminations, truncations, infos = env.step(actions)
            ```
        """
        return ParallelAtariEnv(**self._arguments(given))

    def vector_options(self, **given: Any) -> dict[str, Any]:
        """The arguments with which an `AtariVectorEnv` plays as `parallel_env` does.

        After a reset with the same seed, the same actions give the same rewards, ends and RAM.  If
        `obs_type` is given, the vector also observes the same, whole screens one at a time, except
        for pictures of an episode's last step.  If not, observations are left to the caller.

        Examples:
            ```python
            from pyale_ma import multi
            from pyale_ma.vector import AtariVectorEnv

            options = multi.vector_options(game="quartet", num_players=4, obs_type="ram")
            envs = AtariVectorEnv(num_envs=8, **options)
            ```
        """
        arguments = self._arguments(given)
        values = {name: arguments.get(name, it.default) for name, it in self._played.items()}
        played = resolve(
            arguments["game"],
            arguments["num_players"],
            arguments["mode_num"],
            values["difficulty"],
            values["full_action_space"],
            error=ArgumentError,
        )
        frames = integer("frame_skip", values["frame_skip"], 1)
        cycles = step_limit("max_cycles", values["max_cycles"])
        limit = math.inf if cycles == math.inf else frames * math.ceil(max(1, cycles))
        options = {
            "game": played.source,
            "num_players": played.num_players,
            "mode": played.mode,
            "frameskip": frames,
            "max_num_frames_per_episode": limit if limit <= _MOST_FRAMES else None,
            "repeat_action_probability": values["repeat_action_probability"],
            "full_action_space": played.full_action_space,
            "corrected_rules": values["corrected_rules"],
            "noop_max": 0,
            "use_fire_reset": False,
            "reward_clipping": False,
        }
        more = {"difficulty": played.difficulty}
        more |= {name: values[name] for name in ("variation", "terminal_on")}
        options |= {name: value for name, value in more.items() if value is not None}
        return options | self._observed(arguments, values["obs_type"])

    def _observed(self, arguments: dict[str, Any], obs_type: Any) -> dict[str, Any]:
        """Return a vector's options for the observations of an environment; None: no options."""
        if obs_type is None:
            return {}
        check("obs_type", obs_type, AGENT_OBSERVATIONS)
        kind = AGENT_OBSERVATIONS[obs_type]
        options = {"obs_type": kind.name, "stack_num": 1, "maxpool": False}
        if not kind.is_picture:
            return options
        shape = ParallelAtariEnv(**arguments).observation_space("first_0").shape or ()
        return options | {"img_height": shape[0], "img_width": shape[1]}

    def entry_points(self) -> EntryPoints:
        """Return the functions, whose errors of arguments say what to do."""
        return EntryPoints(
            _checked(self.env, self._name, self.of_envs),
            _checked(self.parallel_env, self._name, self.of_envs),
            _checked(self.raw_env, self._name, self.of_envs),
            _checked(self.vector_options, self._name, self.of_vectors),
        )


def _by_keyword(parameters: dict[str, Parameter]) -> dict[str, Parameter]:
    return {n: it.replace(kind=Parameter.KEYWORD_ONLY) for n, it in parameters.items()}


def choice_of(name: str, mode: Callable[..., int | None] | None = None) -> Callable[..., Selection]:
    """Return the function that turns an environment's own arguments into what is played.

    Args:
        name: The environment's, in the table.
        mode: Turns its own arguments into one of the game's modes; None for the game's default.
            Left out, the environment plays the modes of the table, and its only argument is the
            number of players, where there are several.
    """
    environment = ENVIRONMENTS[name]
    counts = tuple(environment.modes)
    parameters = list(inspect.signature(mode).parameters.values()) if mode else []
    if mode is None and len(counts) > 1:
        kind = Literal[tuple(sorted(counts))]  # type: ignore[valid-type]
        parameters.append(
            Parameter("num_players", Parameter.KEYWORD_ONLY, default=counts[0], annotation=kind)
        )

    def choose(**own: Any) -> Selection:
        players = own.get("num_players", counts[0])
        if not is_allowed(players, counts):
            raise ArgumentError(
                f"num_players is {players}; {environment.game} only supports "
                f"{' or '.join(map(str, sorted(counts)))} players"
            )
        chosen = environment.modes[players] if mode is None else mode(**own)
        return resolve(environment.game, players, chosen, error=ArgumentError)

    if mode:
        functools.update_wrapper(choose, mode)
    else:
        choose.__doc__ = "The game of the table."
        choose.__annotations__ = {it.name: it.annotation for it in parameters}
    setattr(choose, "__signature__", inspect.Signature(parameters))  # noqa: B010 (for mypy)
    return choose


def entry_points(name: str, mode: Callable[..., int | None] | None = None) -> EntryPoints:
    """The functions of an environment's module.

    Args:
        name: The module's full name; its last part is the environment's.
        mode: See `choice_of`.
    """
    stem = name.rpartition(".")[2]
    environment = ENVIRONMENTS[stem]
    defaults: dict[str, Any] = {}
    if environment.difficulty is not None:
        defaults["difficulty"] = environment.difficulty
    if environment.full_action_space:
        defaults["full_action_space"] = True
    return Module(name, choice_of(stem, mode), defaults).entry_points()


def _checked(
    function: Callable[..., _Made], module: str, parameters: dict[str, Parameter]
) -> Callable[..., _Made]:
    """Wrap a module's function, so that errors of arguments say what to do."""
    owner = f"{module}.{function.__name__}"
    required = [name for name, it in parameters.items() if it.default is it.empty]

    @functools.wraps(function)
    def checked(*values: Any, **chosen_values: Any) -> _Made:
        for name in chosen_values:
            if name not in parameters:
                instead = _instead(name, function.__name__, parameters)
                raise TypeError(f"{owner} has no argument {name!r}; {instead}")
        for name in required:
            if name not in chosen_values:
                raise TypeError(f"{owner}: give {name}, such as {name}='pong'")
        if values:
            raise unnamed(owner, [], parameters)
        return function(**chosen_values)

    for name, value in (
        ("__module__", module),
        ("__qualname__", function.__name__),  # so that it can be pickled
        ("__signature__", inspect.Signature([*parameters.values()])),
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
