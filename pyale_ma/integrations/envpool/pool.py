"""A pool of environments as EnvPool's, whatever its results look like: options, resets, batches.

`pyale_ma.envpool` gives it Gymnasium's results, `pyale_ma.integrations.dm` those of dm_env.
"""

from __future__ import annotations

import reprlib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from pyale_ma import _native
from pyale_ma._base.arguments import flag, integer, is_one_of, whole_numbers
from pyale_ma._base.callers import one_caller
from pyale_ma._base.text import nearest
from pyale_ma.games.environments import ENVIRONMENTS
from pyale_ma.games.rom_files import env_name
from pyale_ma.vector import AtariVectorEnv
from pyale_ma.vector.checks import env_numbers, seeds_of
from pyale_ma.vector.options import OPTIONS
from pyale_ma.vector.stepper import StepResult

if TYPE_CHECKING:
    from dm_env import specs

    from pyale_ma.integrations.dm import State

Array: TypeAlias = npt.NDArray[Any]

_FIRE = 1  # among ale-py's numbers of actions
_RENDERED = ("render_env_id", "render_width", "render_height")  # options of `render`
_INFOS = ("env_id", "lives", "unclipped_reward", "ram", "_episode")  # of the vector's


class Config(NamedTuple):
    """EnvPool's options and their defaults for Atari games."""

    num_envs: int = 1
    batch_size: int = 0
    num_threads: int = 0
    max_num_players: int = 1
    thread_affinity_offset: int = -1
    base_path: str = ""
    seed: int = 42
    env_seed: Sequence[int] = ()
    gym_reset_return_info: bool = True
    max_episode_steps: int = 27000
    stack_num: int = 4
    frame_skip: int = 4
    noop_max: int = 30
    zero_discount_on_life_loss: bool = False
    episodic_life: bool = False
    reward_clip: bool = False
    use_fire_reset: bool = True
    img_height: int = 84
    img_width: int = 84
    task: str = ""
    mode: int = -1
    difficulty: int = -1
    full_action_space: bool = False
    repeat_action_probability: float = 0.0
    use_inter_area_resize: bool = True
    gray_scale: bool = True


_DEFAULTS: Mapping[str, Any] = Config()._asdict()
# The vector's own checks, by EnvPool's names.
_CHECKS = {option.envpool: option.check for option in OPTIONS.values() if option.envpool}

OWN_SPELLINGS = {"TicTacToe3D-v5"}  # ale-py's ids, where EnvPool writes another


def games() -> dict[str, str]:
    """All games by their ids."""
    ids = {
        f"{env_name(name)}-v5": name
        for name, game in _native.games().items()
        if _native.Rules.SOLO in game.rules
    }
    return {**ids, "TicTacToe3d-v5": "tic_tac_toe_3d"}


@dataclass(frozen=True)
class EnvSpec:
    """Options and spaces of a pool."""

    config: Config
    observation_space: spaces.Box
    action_space: spaces.Discrete
    reward_threshold: float | None = None

    @property
    def gymnasium_observation_space(self) -> spaces.Box:
        """`observation_space`."""
        return self.observation_space

    @property
    def gymnasium_action_space(self) -> spaces.Discrete:
        """`action_space`."""
        return self.action_space

    def observation_spec(self) -> State:
        """Return what an environment observes, for dm_env."""
        from pyale_ma.integrations.dm import observation_spec

        return observation_spec(self.observation_space.shape)

    def action_spec(self) -> specs.DiscreteArray:
        """Return the actions of an environment, for dm_env."""
        from pyale_ma.integrations.dm import action_spec

        return action_spec(int(self.action_space.n))


@dataclass(frozen=True)
class PoolBatch:
    """Results of some environments, one a row."""

    env_id: Array
    obs: Array
    reward: Array  # float32, clipped if that was asked for
    terminated: Array  # bool: the episode is over
    truncated: Array
    lives: Array
    unclipped: Array  # float32
    game_over: Array  # int32: the game is over, not only a life
    ram: Array
    elapsed_step: Array
    first: Array  # bool: nothing was played, or only what begins an episode
    discount: Array


class EnvPool:
    """The vector, and what EnvPool knows of it that the vector does not."""

    _is_busy = False  # whether a call runs, for `one_caller`

    def __init__(self, task_id: str, options: Mapping[str, Any]) -> None:
        options = dict(options)
        render_mode = options.pop("render_mode", None)
        rendered = {name: options.pop(name) for name in _RENDERED if name in options}
        corrected_rules = options.pop("corrected_rules", False)
        config = _config_of(task_id, options)
        self.config = config
        same = {
            name: getattr(config, option.envpool)
            for name, option in OPTIONS.items()
            if option.envpool
        }
        self.envs = AtariVectorEnv(
            config.task,
            config.num_envs,
            batch_size=config.batch_size,
            # EnvPool's episodes have a step at least.
            max_num_frames_per_episode=min(
                max(config.max_episode_steps, 1) * config.frame_skip, 2**31 - 1
            ),
            autoreset_mode=AutoresetMode.NEXT_STEP,
            grayscale=config.gray_scale,
            stack_fill="reset",
            corrected_rules=corrected_rules,
            mode=None if config.mode < 0 else config.mode,
            difficulty=None if config.difficulty < 0 else config.difficulty,
            extra_infos=["unclipped_reward", "ram", "episode"],
            render_mode=render_mode,
            **same,
        )
        self._choose_rendered(**rendered)
        count = config.num_envs
        channels = config.stack_num * (1 if config.gray_scale else 3)
        self.spec = EnvSpec(
            config,
            spaces.Box(0, 255, (channels, config.img_height, config.img_width), np.uint8),
            spaces.Discrete(self.envs.num_actions[0]),
        )
        self.env_ids = np.arange(count, dtype=np.int32)
        self.is_async = config.batch_size < count
        actions = self.envs.action_sets[0]
        self._opening = actions.index(_FIRE if config.use_fire_reset and _FIRE in actions else 0)
        self._seeds: Any = list(config.env_seed) or config.seed
        seeds_of(self._seeds, range(count), count)  # refuses what no reset would take
        self._elapsed = np.zeros(count, np.int32)
        self._lives = np.zeros(count, np.int32)
        self._over = np.ones(count, np.bool_)  # the next results are those of a reset
        self._life_lost = np.zeros(count, np.bool_)  # the same, and the game goes on
        self._sent: Array | None = None  # the environments of the next results; None: any
        self._waiting: PoolBatch | None = None  # the batch of a reset that was not received yet

    @one_caller
    def reset(self, env_id: Array | None = None, seed: Any = None) -> PoolBatch:
        """Start episodes in some environments, or all.  Results not received yet are discarded."""
        return self._reset(env_id, seed)

    def _reset(self, env_id: Array | None = None, seed: Any = None) -> PoolBatch:
        if env_id is None:
            observations, infos = self.envs.reset(seed=self._seeds if seed is None else seed)
            self._seeds = None
            self._over[:] = True
            return self._begun(observations, infos)
        if self.is_async:
            raise ValueError("a pool with a batch_size below num_envs resets all environments")
        if self._seeds is not None:  # the first reset must be of all
            self._reset()
        chosen = self._env_ids("env_id", env_id)
        mask = np.zeros(len(self.env_ids), np.bool_)
        mask[chosen] = True
        if chosen.size > mask.sum():
            raise ValueError(f"env_id has an environment twice: {chosen.tolist()}")
        observations, infos = self.envs.reset(seed=seed, options={"reset_mask": mask})
        self._over |= mask
        names = ("env_id", "lives", "ram")
        return self._begun(observations[chosen], {name: infos[name][chosen] for name in names})

    def _env_ids(self, name: str, env_ids: Any) -> Array:
        """Return numbers of environments, at least one, as an array."""
        chosen = env_numbers(name, env_ids, len(self.env_ids))
        if not chosen.size:
            raise ValueError(f"{name} is empty: give one at least, or leave it out")
        return chosen

    @one_caller
    def async_reset(self) -> None:
        """Start episodes in all environments; `recv` brings their observations."""
        self._waiting = self._reset()

    def _begun(self, observations: Array, infos: dict[str, Any]) -> PoolBatch:
        self._sent = self._waiting = None
        nothing = np.zeros(len(observations), np.int32)
        no = nothing.astype(np.bool_)
        infos = {**infos, "unclipped_reward": nothing}
        return self._batch(observations, nothing, no, no, infos)

    @one_caller
    def step(self, action: Any, env_id: Array | None) -> PoolBatch:
        """Play one action in each of some environments, or all, and wait for results."""
        actions, env_ids = self._actions(action, env_id)
        if not self.is_async and np.array_equal(env_ids, self.env_ids):
            return self._batch(*self.envs.step(actions))
        self._send(actions, env_ids)
        return self._recv()

    @one_caller
    def send(self, action: Any, env_id: Array | None) -> None:
        """Start to play one action in each of some environments, or all."""
        self._send(*self._actions(action, env_id))

    def _send(self, actions: Array, env_ids: Array) -> None:
        self.envs._stepper.send_to(env_ids, actions)
        self._sent = None if self.is_async else env_ids.copy()  # the caller may change them

    @one_caller
    def recv(self) -> PoolBatch:
        """Wait for the next results."""
        return self._recv()

    def _recv(self) -> PoolBatch:
        if self._waiting is not None:
            batch, self._waiting = self._waiting, None
            return batch
        results = self.envs.recv()
        sent, self._sent = self._sent, None
        return self._batch(*(results if sent is None else _of_some(results, sent)))

    def _actions(self, action: Any, env_id: Array | None) -> tuple[Array, Array]:
        """Return actions as whole numbers, and the environments that they are for."""
        if isinstance(action, Mapping):
            env_id = action.get("env_id", env_id)
            if "action" not in action:
                raise ValueError(f"the dict of actions has {list(action)}; it must have 'action'")
            action = action["action"]
        if self._waiting is not None:
            raise RuntimeError("async_reset has begun episodes: call recv first")
        actions = _whole_actions(action)
        env_ids = self.env_ids if env_id is None else self._env_ids("env_id", env_id)
        if actions.shape == (len(env_ids), 1):
            actions = actions[:, 0]
        if actions.shape != (len(env_ids),):
            raise ValueError(
                f"action has shape {actions.shape}; it must be ({len(env_ids)},), an action for "
                f"each environment{'' if env_id is None else ' of env_id'}"
            )
        return np.where(self._life_lost[env_ids], self._opening, actions), env_ids

    def _batch(
        self,
        observations: Array,
        rewards: Array,
        terminations: Array,
        truncations: Array,
        infos: dict[str, Any],
    ) -> PoolBatch:
        ids = infos["env_id"]
        lives = infos["lives"]
        begins = self._over[ids]
        resumes = self._life_lost[ids]
        first = begins | resumes
        elapsed = np.where(begins, 0, self._elapsed[ids] + ~resumes).astype(np.int32)
        elapsed[truncations] = max(self.config.max_episode_steps, 1)  # lost lives took steps, too
        ends = infos.get("_episode", np.zeros(len(ids), np.bool_))
        game_over = terminations & ends if self.config.episodic_life else terminations
        reward = rewards.astype(np.float32)
        reward[first] = 0
        done = terminations | truncations
        discount = (~done).astype(np.float32)
        if self.config.zero_discount_on_life_loss:
            discount[(lives < self._lives[ids]) & ~begins] = 0
        self._elapsed[ids] = elapsed
        self._lives[ids] = lives
        self._over[ids] = game_over | truncations
        self._life_lost[ids] = terminations & ~game_over & ~truncations
        if not self.config.gray_scale:
            shape = self.spec.observation_space.shape
            observations = np.moveaxis(observations, -1, 2).reshape(-1, *shape)
        return PoolBatch(
            env_id=ids,
            obs=observations,
            reward=reward,
            terminated=terminations,
            truncated=truncations,
            lives=lives,
            unclipped=infos["unclipped_reward"].astype(np.float32),
            game_over=game_over.astype(np.int32),
            ram=infos["ram"],
            elapsed_step=elapsed,
            first=first & ~done,
            discount=discount,
        )

    def _choose_rendered(
        self, render_env_id: Any = 0, render_width: Any = 0, render_height: Any = 0
    ) -> None:
        """Keep what `render` shows, and by how much it enlarges screens."""
        self._rendered = integer("render_env_id", render_env_id, 0, self.config.num_envs - 1)
        self._enlarged = [
            _times("render_height", render_height, self.envs._env_infos[0].screen_height),
            _times("render_width", render_width, _native.SCREEN_WIDTH),
        ]

    def render(self, env_ids: Any) -> Array:
        """Screens, uint8 (environments, height, width, 3)."""
        screens = self.envs.render()
        if env_ids is None or np.ndim(env_ids) == 0:
            env_ids = [self._rendered if env_ids is None else env_ids]
        rendered = np.stack([screens[env_id] for env_id in self._env_ids("env_ids", env_ids)])
        for axis, times in enumerate(self._enlarged, 1):
            rendered = rendered.repeat(times, axis)
        return rendered


def _of_some(results: StepResult, env_ids: Array) -> StepResult:
    """Return the results of some environments of all; the others stood still."""
    observations, rewards, terminations, truncations, infos = results
    infos = {name: infos[name][env_ids] for name in _INFOS if name in infos}
    some = observations[env_ids], rewards[env_ids], terminations[env_ids], truncations[env_ids]
    return *some, infos


def _times(name: str, size: Any, of_screen: int) -> int:
    """Return how many times as large as the screen a picture is; 0 and less mean: not larger."""
    pixels: int = integer(name, size, None)
    if pixels > 0 and pixels % of_screen:
        raise ValueError(f"{name} is {pixels}; it must be a multiple of {of_screen}")
    return max(pixels // of_screen, 1)


def _whole_actions(action: Any) -> Array:
    """Return actions as whole numbers; EnvPool also takes arrays of truth values and of floats."""
    if not (isinstance(action, np.ndarray) and action.dtype.kind in "bf"):
        return whole_numbers("action", action)
    with np.errstate(invalid="ignore"):
        whole = action.astype(np.int64)
    if not np.array_equal(whole, action):
        raise TypeError(f"action must be whole numbers, not {reprlib.repr(action)}")
    return whole


def _config_of(task_id: str, options: Mapping[str, Any]) -> Config:
    """Return the checked options of a pool, with EnvPool's defaults.

    Raises:
        TypeError: There is no such option, or it has a value of another type.
        ValueError: There is no such game, or a value is not allowed.
    """
    try:
        game = games()[task_id]
    except KeyError:
        hint = "`list_all_envs()` may help"
        if task_id in ENVIRONMENTS:
            hint = f"as EnvPool's are for one agent: take AtariVectorEnv({task_id!r})"
        raise ValueError(f"{task_id} is not supported, {hint}") from None
    checked = {name: _checked(name, value) for name, value in options.items()}
    if not is_one_of(checked.get("task", game), (game,)):
        raise ValueError(
            f"task is {checked['task']!r}, and the id {task_id!r} plays {game!r}: leave task out"
        )
    checked["task"] = game
    seeds = checked.get("seed", 42)
    if _is_list(seeds):
        checked.update(seed=0, env_seed=seeds)
    if "env_seed" in checked:
        seeds = checked["env_seed"]
        if not _is_list(seeds):
            raise TypeError(f"env_seed must be a list of seeds, not {seeds!r}")
        checked["env_seed"] = [integer("a seed", seed, None) for seed in seeds]
    config = Config(**checked)
    config = config._replace(batch_size=config.batch_size or config.num_envs)
    _refuse(config)
    return config


def _is_list(seeds: Any) -> bool:
    return isinstance(seeds, (list, tuple)) or (isinstance(seeds, np.ndarray) and seeds.ndim > 0)


def _checked(name: str, value: Any) -> Any:
    """Return the value of EnvPool's option; errors name it as EnvPool does."""
    if name not in _DEFAULTS:
        raise TypeError(f"there is no option {name!r}; {nearest(name, _DEFAULTS)}")
    default = _DEFAULTS[name]
    if type(default) is bool:
        value = flag(name, value)
    elif type(default) is int and name != "seed":
        value = integer(name, value, None)
    if name in _CHECKS:
        _CHECKS[name](name, value)
    return value


def _refuse(config: Config) -> None:
    """Refuse options that EnvPool has and this library has not."""
    if config.max_num_players != 1:
        raise ValueError(
            f"max_num_players is {config.max_num_players}, and EnvPool's interface plays Atari "
            "games with 1: take pyale_ma.vector.AtariVectorEnv(num_players=...)"
        )
    if not config.use_inter_area_resize:
        raise ValueError("use_inter_area_resize is False; pictures are resized by area only")
    if not config.gym_reset_return_info:
        raise ValueError("gym_reset_return_info is False; resets always return infos")
    if len(config.env_seed) not in (0, config.num_envs):
        raise ValueError(
            f"there are {len(config.env_seed)} seeds for {config.num_envs} environments"
        )


class PoolMethods:
    """Methods of pools of all types."""

    _pool: EnvPool

    @property
    def config(self) -> dict[str, Any]:
        """The options, with those that were left out."""
        return self._pool.config._asdict()

    @property
    def all_env_ids(self) -> Array:
        """0 to num_envs - 1."""
        return self._pool.env_ids

    @property
    def is_async(self) -> bool:
        """Whether a batch has fewer than all environments."""
        return self._pool.is_async

    def __len__(self) -> int:
        return len(self._pool.env_ids)

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in self.config.items())
        return f"{type(self).__name__}({options})"

    __str__ = __repr__  # Gymnasium's asks for an id, which a pool has not

    def async_reset(self) -> None:
        """Start episodes in all environments; `recv` brings their observations."""
        self._pool.async_reset()

    def send(self, action: Any, env_id: Array | None = None) -> None:
        """Start to play one action in each of some environments, or all.

        `recv` returns their results in this order; with a ``batch_size`` below ``num_envs`` those
        of any environments that play, as soon as there are ``batch_size``.

        Args:
            action: Whole numbers, or a dict with "action" and "env_id".
            env_id: Whose actions these are; None: all environments, in order.

        Raises:
            RuntimeError: One of them plays, or its results were not received; nothing was played.
            IndexError: There is no such action or environment; nothing was played.
            ValueError: There are not as many actions as environments.
        """
        self._pool.send(action, env_id)

    def seed(self, seed: int | list[int] | None = None) -> None:
        """Does nothing but warn, as in EnvPool: give a seed to `make`."""
        warnings.warn("seed() does nothing: give a seed to make, or to reset", stacklevel=2)

    def xla(self) -> Any:
        """Not supported.

        Raises:
            NotImplementedError: Always; the text says what to take instead.
        """
        raise NotImplementedError(
            "EnvPool's xla() is not supported: take pyale_ma.vector.AtariVectorEnv(...).xla()"
        )
