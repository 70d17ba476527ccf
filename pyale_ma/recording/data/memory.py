"""`SequenceMemory`: what a running vector plays, kept as actions and keyframes to learn from."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from pyale_ma._base.arguments import flag, integer, known_names, numbers_of
from pyale_ma.recording.data.memory_file import load_timeline, save_timeline
from pyale_ma.recording.data.memory_timeline import MOST_STEP, MemoryTimeline
from pyale_ma.recording.data.window_source import Part, Weights, WindowSource
from pyale_ma.recording.file.format import RecordingError, check_observe, seeds_of_reset
from pyale_ma.recording.keeper import Keeper, guarded
from pyale_ma.recording.replay.layers import layer_of
from pyale_ma.recording.replay.timelines import Reset, has_unclear_ends
from pyale_ma.recording.replay.window_players import VectorPlayer, threads_of
from pyale_ma.recording.replay.windows import Array, Numbers, Windows
from pyale_ma.vector import AtariVectorEnv

_OBJECT = 48  # bytes that Python takes for each object, about


class SequenceMemory(Keeper):
    """The latest steps of a running vector, drawn as windows to learn from.

    It keeps what the vector plays from now on: actions, rewards and ends, some ten bytes a step,
    and now and then an environment's state, packed.  Observations are made when a window is drawn,
    by playing it again; so they take no memory, and may be others than those of the vector.

    ::

        memory = SequenceMemory(envs, 1_000_000)
        observations, _ = envs.reset(seed=1)
        ...  # envs.step(actions), as ever
        windows = memory.sample(32, 64)
        windows.observations  # uint8 (32, 65, 4, 84, 84)

    Steps have numbers, which they keep as long as they are in the memory: the step that the vector
    played as its n-th has in environment e the number ``n * num_envs + e``.  A memory serves one
    caller at a time: while `sample` or `save` runs, steps of the vector are refused.

    Args:
        envs: An `AtariVectorEnv` with ``batch_size`` 0, in any wrappers; it stays as it is.
        capacity: Steps of all environments that are kept; the earliest are forgotten.
        keyframe_every: Steps between kept states of an environment.  Fewer states take less
            memory, and more time to draw.
        num_threads: Threads that play windows; 0: as many as there are CPUs.
        **observe: What to observe instead of what the vector does: `obs_type`, `img_height`,
            `img_width`, `crop`, `stack_num`, `stack_fill`, `maxpool` and `agent_indicator`.

    Attributes:
        capacity: Steps that are kept, a multiple of the number of environments.
        observation_shape: Of one observation.
        observation_dtype: Its type: uint8, of labels int32.

    Examples:
        ```python
        import numpy as np

        from pyale_ma.recording import SequenceMemory
        from pyale_ma.vector import AtariVectorEnv

        envs = AtariVectorEnv("quartet", 8)
        memory = SequenceMemory(envs, 100_000)
        envs.reset(seed=42)
        for _ in range(40):
            envs.step(envs.action_space.sample())
        windows = memory.sample(16, 8, np.random.default_rng(0))
        ```

    Raises:
        RecordingError: The vector cannot be kept; the text says why.
        ValueError: An argument is out of range, or there is no such argument.
        TypeError: A number is not whole.
    """

    @known_names
    def __init__(
        self,
        envs: Any,
        capacity: int,
        *,
        keyframe_every: int = 64,
        num_threads: int = 0,
        **observe: Any,
    ) -> None:
        layer = layer_of(envs)
        env = layer.env
        if not isinstance(env, AtariVectorEnv):
            raise RecordingError(
                f"{type(env).__name__} is no AtariVectorEnv, which alone a SequenceMemory keeps; "
                "make one with num_envs=1, or record others and read them with a Dataset"
            )
        super().__init__(layer)
        if env.closed:
            raise RecordingError("the vector is closed: keep it before it is")
        header = layer.header({})
        options = header.options
        self._tells_ends = "episode" in env.extra_infos
        if has_unclear_ends(header) and not self._tells_ends:
            raise RecordingError(
                "with life_loss_info, or episodic_life of several players, terminations do not "
                "tell when an episode ends: make the vector with extra_infos=['episode']"
            )
        if header.options["autoreset_mode"] == "NextStep" and (
            options["max_num_frames_per_episode"] < 1
        ):
            raise RecordingError("with max_num_frames_per_episode below 1 nothing is played")
        check_observe("vector", observe)
        count = env.num_envs
        self._every = integer("keyframe_every", keyframe_every, 1, MOST_STEP // 2)
        room = integer("capacity", capacity, count * 2 * self._every, count * MOST_STEP) // count
        self.capacity = room * count
        num_threads = threads_of(num_threads)
        stack = integer("stack_num", observe.get("stack_num", options["stack_num"]), 1)
        self._observe = dict(observe)
        self._timeline = MemoryTimeline(header, stack + 1, room)
        self._players = [
            VectorPlayer(header, game, observe, num_threads) for game in range(len(header.games))
        ]
        self._player_of = [self._players[game] for game in header.game_of_env]
        self.observation_shape, self.observation_dtype = self._players[0].kind
        self._alone = env.num_players is None
        self._weights: Weights | None = None  # until some are set
        self._source: tuple[int, WindowSource] | None = None  # and as of which step
        self._env = env
        self._mode = options["autoreset_mode"]
        self._over = np.zeros(count, np.bool_)  # environments that the next step resets
        self._native = env._native
        self._moved = self._native.was_reset
        self._nobody = np.zeros(count, np.bool_)
        # Environments whose states are kept, by the number of steps: some at a time.
        self._due: list[list[int]] = [[] for _ in range(self._every)]
        for index in range(count):
            self._due[index * self._every // count].append(index)
        layer.attach(self)

    # ---- What the vector plays -------------------------------------------------------------------

    def _prepare_reset(self, seed: Any, options: dict[str, Any] | None) -> Any:
        """Note what the reset is given, if what is reset follows from what is kept."""
        entry, _ = self._layer.entry(seed, options)
        # Steps whose results are discarded have moved the games.
        return None if self._moved or self._given is not None else entry

    def _add_reset(self, kept: Any) -> None:
        modes, difficulties = self._env._modes, self._env._difficulties
        for index, seed in seeds_of_reset(kept, self._env.num_envs):
            reset = Reset(seed, int(modes[index]), int(difficulties[index]))
            if not self._timeline.add_reset(index, reset):
                self._break([index])
            self._over[index] = False
        self._follow()

    def copied(self, sources: Sequence[int], targets: Sequence[int]) -> None:
        """Keep the states of the targets, and which of them the next step resets."""
        if not self._moved:
            self._moved = True
            self._keep_copies(sources, targets)

    @guarded
    def _keep_copies(self, sources: Sequence[int], targets: Sequence[int]) -> None:
        self._over[targets] = self._over[sources]
        self._break(targets)
        self._follow()

    def _go_on(self) -> None:
        """Note a state that does not come from the step before."""
        if self._moved and self._native.was_reset:
            self._over[:] = False  # who is reset by the next step is not known, nor in a window
            self._break(range(self._env.num_envs))
            self._follow()

    def _break(self, envs: Iterable[int]) -> None:
        for index in envs:
            self._timeline.break_off(index, self._native.save_env(index))

    def _add(self, actions: Array, result: Any) -> None:
        _, rewards, terminations, truncations, infos = result
        if self._tells_ends:
            ended = infos.get("_episode", self._nobody)
        else:
            ended = (terminations if self._alone else terminations.all(1)) | truncations
        timeline, over = self._timeline, self._over
        row = timeline.add(
            over,
            ended if self._mode == "SameStep" else over,
            actions=actions,
            rewards=rewards,
            terminations=terminations,
            truncations=truncations,
        )
        if self._weights is not None:
            self._weights[row] = 1
        self._over = np.array(ended) if self._mode == "NextStep" else self._nobody
        for index in self._due[timeline.count % self._every]:
            timeline.keep(index, self._native.save_env(index))
        self._follow()

    # ---- Windows ---------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"<SequenceMemory of {self._env!r}: {len(self)} of {self.capacity} steps>"

    def __len__(self) -> int:
        """Return the number of kept steps of all environments, resets included."""
        return (self._timeline.count - self._timeline.first) * self._env.num_envs

    @property
    def nbytes(self) -> int:
        """The bytes that it takes: arrays, keyframes, and Python's objects for them."""
        timeline = self._timeline
        arrays = [*timeline.columns.values(), timeline.fresh, timeline.reset_only, timeline.breaks]
        packed = [one for each in timeline.keyframes for one in each.values()]
        bases = {id(one.base): len(one.base) + _OBJECT for one in packed}
        return (
            sum(array.nbytes for array in arrays)
            + (0 if self._weights is None else self._weights.nbytes)
            + sum(len(one.data) + 3 * _OBJECT for one in packed)
            + sum(bases.values())
        )

    def _current(self) -> WindowSource:
        """Return the source of windows of the steps that are kept now."""
        timeline = self._timeline
        if self._source is None or self._source[0] != timeline.count:
            source = WindowSource(
                [Part(timeline, timeline.make_index(), self._player_of)],
                self.observation_shape,
                self.observation_dtype,
                whole="environment",
                advice="play on, give a shorter length, or make keyframe_every smaller",
            )
            self._source = timeline.count, source
        return self._source[1]

    def _steps(self, source: WindowSource, places: Numbers) -> tuple[Numbers, Numbers]:
        """Return the times and environments of places."""
        index = source.parts[0].index
        return index.steps[places] + self._timeline.first, index.envs[places]

    def _numbers(self, source: WindowSource, places: Numbers) -> Numbers:
        """Return the numbers of the steps at places."""
        times, envs = self._steps(source, places)
        numbers: Numbers = times * self._env.num_envs + envs
        return numbers

    @known_names
    @guarded
    def starts(self, length: int, *, across_episodes: bool = False) -> Numbers:
        """The numbers of the steps at which windows may begin, int64.

        Args:
            length: Steps of a window.
            across_episodes: Whether windows may go on with the next episode.

        Raises:
            RecordingError: There is none.
        """
        source = self._current()
        return self._numbers(source, source.starts(length, across_episodes))

    @known_names
    @guarded
    def sample(
        self,
        batch: int,
        length: int,
        rng: np.random.Generator | None = None,
        *,
        across_episodes: bool = False,
        weighted: bool = False,
        out: Array | None = None,
    ) -> Windows:
        """Draw windows with replacement.

        Args:
            batch: How many.
            length: Steps of a window.
            rng: Draws them; None: a new one.
            across_episodes: Whether windows may go on with the next episode.
            weighted: Draw by the weights of `set_weights`; False: all are as likely.
            out: Where observations are written, such as those of windows that nobody needs any
                more; None: a new array, which takes the system some time if it is large.

        Returns:
            The windows; ``indices`` are the numbers of their first steps.

        Raises:
            RecordingError: No steps on end are as many.
            ValueError: All weights are 0, or `out` is not an array for such observations.
            TypeError: `rng` is something else, such as a seed, or a flag is none.
        """
        source, weights_of = self._current(), None
        if flag("weighted", weighted) and self._weights is not None:
            weights_of = functools.partial(self._weights_of, source, self._weights)
        windows = source.sample(batch, length, rng, across_episodes, out, weights_of)
        return windows._replace(indices=self._numbers(source, windows.indices))

    def _weights_of(self, source: WindowSource, weights: Weights, places: Numbers) -> Weights:
        times, envs = self._steps(source, places)
        chosen: Weights = weights[self._timeline.rows(times), envs]
        return chosen

    @known_names
    @guarded
    def windows(
        self, numbers: Sequence[int] | Numbers, length: int, *, out: Array | None = None
    ) -> Windows:
        """Windows that begin at given steps; they may go on with the next episode.

        Args:
            numbers: Numbers of steps, as `starts` and `sample` give them.
            length: Steps of a window.
            out: Where observations are written, as for `sample`.

        Raises:
            IndexError: A step, or one of the window, is not in the memory (any more).
            TypeError: `numbers` are not whole, or not in a list.
            ValueError: `out` is not an array for such observations.
        """
        length = integer("length", length, 1)
        requested = numbers_of("numbers", numbers)
        source = self._current()
        times, envs = np.divmod(requested, self._env.num_envs)
        places = source.parts[0].index.find(times - self._timeline.first, envs)
        following = source.parts[0].index.following(places)
        for row in np.flatnonzero(following < min(length, len(source) + 1))[:1]:
            raise IndexError(
                f"numbers[{row}] is {requested[row]}: no window of {length} steps begins there "
                "in the memory, or not any more"
            )
        return source.windows(places, length, out)._replace(indices=requested)

    @guarded
    def set_weights(self, numbers: Sequence[int] | Numbers, weights: Any) -> None:
        """Say how likely windows that begin at given steps are to be drawn; new steps have 1.

        Args:
            numbers: Numbers of steps; of those that are forgotten nothing is kept.
            weights: A number from 0 on for each, or one for all.

        Raises:
            ValueError: A weight is negative or no number, or there are not as many as numbers.
            IndexError: A step was not played yet.
            TypeError: `numbers` are not whole, or not in a list.
        """
        steps = numbers_of("numbers", numbers)
        try:
            each = np.asarray(weights, np.float64)
        except (OverflowError, TypeError, ValueError):
            each = np.array(np.nan)
        if each.shape not in ((), steps.shape) or not (np.isfinite(each) & (each >= 0)).all():
            raise ValueError(
                f"weights must be {steps.size} numbers from 0 on, or one; they are {weights!r}"
            )
        times, envs = np.divmod(steps, self._env.num_envs)
        if times.max() >= self._timeline.count or steps.min() < 0:
            raise IndexError(
                f"numbers has {steps.max() if steps.min() >= 0 else steps.min()}; steps have "
                f"the numbers 0 to {self._timeline.count * self._env.num_envs - 1}"
            )
        if self._weights is None:
            self._weights = np.ones(self._timeline.fresh.shape)
        kept = times >= self._timeline.first
        each = np.broadcast_to(each, steps.shape)[kept]
        self._weights[self._timeline.rows(times[kept]), envs[kept]] = each

    # ---- Files -----------------------------------------------------------------------------------

    @guarded
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all kept steps to a file; save the vector with its own `save_state`.

        Raises:
            OSError: It cannot be written; an earlier file stays.
        """
        save_timeline(self._timeline, self._every, self._weights, path)

    @guarded
    def restore(self, path: str | os.PathLike[str]) -> None:
        """Keep what a file has, and forget the rest; the vector plays on as it is.

        The vector's next step counts as one that does not follow from those of the file.

        Raises:
            RecordingError: The file is not a memory, is damaged, or is of another vector or
                capacity.  Nothing has changed.
            OSError: It cannot be read.
        """
        old = self._timeline
        timeline = MemoryTimeline(old.header, old.warm_up, old.room)
        self._weights = load_timeline(timeline, path)
        self._timeline, self._source, self._moved = timeline, None, True

    # ---- The end ---------------------------------------------------------------------------------

    def close(self) -> None:
        """Leave the vector to itself; what is kept can be drawn further."""
        super().close()

    def _complete(self) -> None:
        self._leave()
        for player in self._players:
            player.close()

    def __enter__(self) -> SequenceMemory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
