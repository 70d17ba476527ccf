"""`AtariVectorEnv`: many games in a batch, equal to ale-py's class of that name."""

from __future__ import annotations

import math
import operator
import os
import threading
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import error, spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from pyale_ma import _native, cards, roms
from pyale_ma._native import SCREEN_WIDTH, Autoreset, Batch, Observation, Rules
from pyale_ma.objects import Object
from pyale_ma.vector.actions import joystick_actions, map_action_idx
from pyale_ma.vector.episodes import with_episodes
from pyale_ma.vector.results import EXTRA_INFOS, Results
from pyale_ma.vector.threads import one_at_a_time

if TYPE_CHECKING:
    from pyale_ma.vector.torch_door import TorchDoor

Array: TypeAlias = npt.NDArray[Any]
Infos: TypeAlias = dict[str, Any]
StepResult: TypeAlias = tuple[Array, Array, Array, Array, Infos]

_OBS_TYPES = {
    "grayscale": Observation.OBSERVE_GRAYSCALE,
    "rgb": Observation.OBSERVE_RGB,
    "ram": Observation.OBSERVE_RAM,
    "objects": Observation.OBSERVE_OBJECTS,
}
_AUTORESETS = {
    AutoresetMode.NEXT_STEP: Autoreset.NEXT_STEP,
    AutoresetMode.SAME_STEP: Autoreset.SAME_STEP,
    AutoresetMode.DISABLED: Autoreset.NO_RESET,
}
_PATIENCE_MS = 100  # between looks at signals
_UNLIMITED = 2**31 - 1


class AtariVectorEnv(VectorEnv[Array, Array, Array]):
    """Many games, stepped together by a pool of threads.

    Observations are stacks of preprocessed frames, uint8 of shape ``(batch_size, stack_num,
    img_height, img_width)``, oldest first, with a last axis of 3 for RGB and of 6 for objects: how
    much of the pixel each of `pyale_ma.objects.Object` covers, 255 being all of it; or of RAM
    ``(batch_size, stack_num, 128)``.  With `agent_indicator` or `mirror` each player has one of its
    own: ``(batch_size, num_players, stack_num, ...)``, or with an indicator ``(batch_size,
    num_players, stack_num + num_players, ...)``.  Rewards are int32, terminations and truncations
    bool, and
    ``info`` has the int32 arrays ``env_id``, ``lives``, ``frame_number`` and
    ``episode_frame_number``.  Threads may share a vector: one call waits for another.

    Args:
        game: The game's name, such as "ms_pacman"; also as in ids, "MsPacman", "ALE/MsPacman-v5";
            or the path of a card (docs/cards.md).
        num_envs: Number of environments; with `games`, of each.
        games: Several games instead of one, which may repeat.
        batch_size: Environments of a batch; 0: all.  A smaller number makes `recv` return the first
            that are ready.
        num_threads: Threads to step on; 0: as many as there are CPUs, at most `batch_size`.
        thread_affinity_offset: Keep thread i on CPU offset + i; negative: let them move.
        max_num_frames_per_episode: Truncate an episode after so many frames; None: never.
        repeat_action_probability: That the previous action stays in force for a frame.
        full_action_space: Use all 18 actions instead of those that do something.
        continuous: Take actions (radius 0..1, angle -pi..pi, fire 0..1) as float32.
        continuous_action_threshold: How far the joystick must be moved to count.
        autoreset_mode: What follows the end of an episode: "NextStep", "SameStep" or "Disabled".
        img_height: Height of observations.
        img_width: Width of observations.
        grayscale: Observe gray; False: RGB.
        stack_num: Frames of an observation.
        frameskip: Frames of a step.
        maxpool: Observe the brighter of the last two frames; of objects, those of both.
        noop_max: Episodes begin with 0 to noop_max - 1 frames of rest.
        episodic_life: End the episode with the loss of a life.
        life_loss_info: Report the loss of a life as termination, and play on.
        reward_clipping: Clamp rewards to -1..1.
        use_fire_reset: Press FIRE at the start, where the game has it.
        mode: One of the game's modes, or one for each environment; None for the usual one.
        difficulty: One of the game's difficulties, or one for each environment; None for 0.
        num_players: Play for 1, 2 or 4 players: actions, rewards, terminations and lives get a last
            axis of so many.  None: one player without such an axis, by the rules of ale-py.
        obs_type: "grayscale", "rgb", "ram" or "objects"; None: as `grayscale` says.
        extra_infos: Further entries of ``info``: some of "unclipped_reward", "ram", "sound" and
            "episode" (return ``r``, before clipping, and length ``l`` of episodes, where
            ``_episode``; in ``final_info``, too, and under `RecordEpisodeStatistics`).
        copy: False: observations are valid only until the next `step`, `send` or `reset`, and no
            new memory is needed for them.
        render_mode: None or "rgb_array".
        agent_indicator: Each player has an observation of its own, with a plane for each player
            after the stack: 255 in the player's own plane, 0 in the others'.
        mirror: Each player has an observation of its own, and all play as if they sat on the first
            player's side of the field: those on the other side see pictures mirrored from left to
            right, and LEFT and RIGHT change places where these are directions on the screen.  For
            games and modes with such sides: docs/vector.md.
        variation: One of the card's variations, or one for each environment; None for none.

    Attributes:
        num_envs: All environments.
        batch_size: Environments of a batch.
        num_actions: Number of actions of each environment.
        action_sets: These actions, as ale-py numbers all 18 of them.
        games: Name of the game of each environment, or path of its card.
        native: The library's object, for those who bring their own memory.

    Raises:
        gymnasium.error.Error: `frameskip` is no positive int.
        ValueError: There is no such game or variation, a card has a mistake, or an argument is out
            of range.
        TypeError: An argument is of the wrong type.
        FileNotFoundError: A game's ROM file was not found; the text says how to get one.
    """

    def __init__(
        self,
        game: str | os.PathLike[str] | None = None,
        num_envs: int = 1,
        *,
        games: Sequence[str | os.PathLike[str]] | None = None,
        batch_size: int = 0,
        num_threads: int = 0,
        thread_affinity_offset: int = -1,
        max_num_frames_per_episode: int | None = 108000,
        repeat_action_probability: float = 0.0,
        full_action_space: bool = False,
        continuous: bool = False,
        continuous_action_threshold: float = 0.5,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        img_height: int = 84,
        img_width: int = 84,
        grayscale: bool = True,
        stack_num: int = 4,
        frameskip: int = 4,
        maxpool: bool = True,
        noop_max: int = 30,
        episodic_life: bool = False,
        life_loss_info: bool = False,
        reward_clipping: bool = True,
        use_fire_reset: bool = True,
        mode: int | Sequence[int] | None = None,
        difficulty: int | Sequence[int] | None = None,
        num_players: int | None = None,
        obs_type: Literal["grayscale", "rgb", "ram", "objects"] | None = None,
        extra_infos: Iterable[str] = (),
        copy: bool = True,
        render_mode: Literal["rgb_array"] | None = None,
        variation: str | Sequence[str | None] | None = None,
        agent_indicator: bool = False,
        mirror: bool = False,
    ) -> None:
        self.games = _game_of_each(game, games, _integer("num_envs", num_envs, 1))
        self.num_envs = len(self.games)
        _check_frameskip(frameskip)
        autoreset = _autoreset_mode(autoreset_mode)
        extra_infos = _extra_infos(extra_infos)
        if obs_type not in (None, *_OBS_TYPES):
            raise ValueError(f"obs_type is {obs_type!r}; it must be grayscale, rgb, ram or objects")
        if render_mode not in (None, "rgb_array"):
            raise error.Error(f"Invalid render mode: {render_mode!r}. Expecting: rgb_array.")
        self.agent_indicator = _flag("agent_indicator", agent_indicator)
        self.mirror = _flag("mirror", mirror)
        if (agent_indicator or mirror) and num_players is None:
            name = "agent_indicator" if agent_indicator else "mirror"
            raise ValueError(f"{name} is for several players: give num_players")
        self.render_mode = render_mode
        self.autoreset_mode = autoreset
        self.metadata = {
            "autoreset_mode": autoreset,
            "render_modes": ["rgb_array"],
            "render_fps": 60 // frameskip,
        }
        self.continuous = _flag("continuous", continuous)
        self.continuous_action_threshold = continuous_action_threshold
        self.obs_type = obs_type or ("grayscale" if _flag("grayscale", grayscale) else "rgb")
        self.grayscale = self.obs_type == "grayscale"
        self.map_action_idx = map_action_idx()
        self.num_players = num_players
        self.copy = _flag("copy", copy)
        self._threshold = np.float32(continuous_action_threshold)
        self.extra_infos = extra_infos
        self._same_step = autoreset == AutoresetMode.SAME_STEP
        self._in_use = threading.RLock()  # by the thread whose call is running, XLA's among them

        wanted = list(zip(self.games, _variation_of_each(variation, self.num_envs), strict=True))
        roms_of_games = {pair: _rom_of(*pair) for pair in dict.fromkeys(wanted)}
        limit = max_num_frames_per_episode
        self.native = _native.Vector(
            [roms_of_games[pair] for pair in wanted],
            np.random.SeedSequence().generate_state(self.num_envs).astype(np.uint32),
            batch_size=_integer("batch_size", batch_size, 0, self.num_envs),
            num_threads=max(0, _integer("num_threads", num_threads)),
            thread_affinity_offset=max(
                -1, _integer("thread_affinity_offset", thread_affinity_offset)
            ),
            patience_ms=_PATIENCE_MS,
            rules=Rules.SOLO if num_players is None else Rules.MULTI,
            players=1 if num_players is None else _integer("num_players", num_players, 1, 4),
            autoreset=_AUTORESETS[autoreset],
            observation=_OBS_TYPES[self.obs_type],
            img_height=_integer("img_height", img_height, 1),
            img_width=_integer("img_width", img_width, 1),
            stack_num=_integer("stack_num", stack_num, 1),
            frame_skip=frameskip,
            maxpool=_flag("maxpool", maxpool),
            noop_max=max(0, _integer("noop_max", noop_max)),
            use_fire_reset=_flag("use_fire_reset", use_fire_reset),
            episodic_life=_flag("episodic_life", episodic_life),
            life_loss_info=_flag("life_loss_info", life_loss_info),
            reward_clipping=_flag("reward_clipping", reward_clipping),
            max_num_frames_per_episode=(
                _UNLIMITED if limit is None else _integer("max_num_frames_per_episode", limit)
            ),
            repeat_action_probability=_number(
                "repeat_action_probability", repeat_action_probability
            ),
            full_action_space=2 if continuous else _flag("full_action_space", full_action_space),
            sound="sound" in extra_infos,
            agent_indicator=self.agent_indicator,
            mirror=self.mirror,
        )
        info = self.native.info
        self.batch_size = info.batch_size
        self.num_threads = info.num_threads
        # Batches that must be posted while all environments play.
        self._depth = -(-self.num_envs // self.batch_size)

        self._env_infos = [self.native.env_info(index) for index in range(self.num_envs)]
        modes = [env.default_mode for env in self._env_infos]
        if num_players is not None:
            modes = [self.native.modes(index, num_players)[0] for index in range(self.num_envs)]
        self._modes = np.array(modes)
        self._difficulties = np.zeros_like(self._modes)
        self._select(mode, difficulty, range(self.num_envs))

        self.action_sets = [
            _native.bits(env.legal_actions if full_action_space else env.minimal_actions)
            for env in self._env_infos
        ]
        self.num_actions = [len(actions) for actions in self.action_sets]
        frame = {
            "grayscale": (img_height, img_width),
            "rgb": (img_height, img_width, 3),
            "ram": (_native.RAM_SIZE,),
            "objects": (img_height, img_width, len(Object)),
        }[self.obs_type]
        observed: tuple[int, ...] = (stack_num, *frame)
        if agent_indicator or mirror:
            assert num_players is not None
            planes = stack_num + num_players if agent_indicator else stack_num
            observed = (num_players, planes, *frame)
        self.single_observation_space = spaces.Box(0, 255, observed, np.uint8)
        self.observation_space = batch_space(self.single_observation_space, self.batch_size)
        self._make_action_space()
        self._results = Results(
            self.batch_size,
            num_players,
            observed,
            extra_infos=extra_infos,
            final=self._same_step,
            copy=copy,
            depth=self._depth,
        )

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "an AtariVectorEnv cannot be pickled or copied: pass what makes one, such as "
            "functools.partial(AtariVectorEnv, 'pong', 64), and the bytes of its save_state()"
        )

    def _make_action_space(self) -> None:
        """Spaces, and the memory that actions are passed in."""
        each = (
            (self.batch_size,) if self.num_players is None else (self.batch_size, self.num_players)
        )
        self._actions = np.zeros(each, np.int32)
        self._action_address = self._actions.ctypes.data
        self._strengths = np.ones(each, np.float32)
        self._strength_address = self._strengths.ctypes.data if self.continuous else None
        players = each[1:]
        single: spaces.Space[Any] | None
        if self.continuous:
            low, high = np.array([0, -math.pi, 0]), np.array([1, math.pi, 1])
            shape = (*players, 3)
            single = spaces.Box(
                np.broadcast_to(low, shape).astype(np.float32),
                np.broadcast_to(high, shape).astype(np.float32),
            )
        elif len(set(self.num_actions)) > 1:
            single = None
        else:
            count = self.num_actions[0]
            single = (
                spaces.MultiDiscrete([count] * players[0]) if players else spaces.Discrete(count)
            )
        self.single_action_space = single  # type: ignore[assignment]
        if single is not None:
            self.action_space = batch_space(single, self.batch_size)
            return
        # Of a smaller batch it is not known beforehand which environments it has.
        counts = np.array(self.num_actions)
        if self.batch_size < self.num_envs:
            counts = np.full(self.batch_size, counts.min())
        self.action_space = spaces.MultiDiscrete(
            np.broadcast_to(counts[:, None], each).copy() if players else counts
        )

    # ---- Episodes --------------------------------------------------------------------------------

    @one_at_a_time
    def reset(
        self,
        *,
        seed: int | Sequence[int] | Array | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Array, Infos]:
        """Start episodes.

        Results that were sent for and not received are discarded.

        Args:
            seed: Seed s gives the i-th environment that is reset the seed s + i; an array has one
                for each of them, and -1 for none.  A seeded environment is put in anew, so that all
                that follows depends on the seed alone.  None: random numbers run on.
            options: ``"reset_mask"``, a bool array (num_envs,), says which environments are reset;
                the others stay as they are.  ``"mode"`` and ``"difficulty"``, one value or one for
                each environment of the vector, are in force from this reset on.

        Returns:
            Observations and infos, of a batch.

        Raises:
            TypeError: The mask or the seeds are of the wrong type.
            ValueError: They are of the wrong shape or out of range; or not all environments are
                reset with a `batch_size` smaller than their number.
            RuntimeError: The first reset is not of all environments.
        """
        self._check_open()
        options = options or {}
        mask = self._mask(options["reset_mask"]) if "reset_mask" in options else None
        chosen = range(self.num_envs) if mask is None else [int(i) for i in np.flatnonzero(mask)]
        if len(chosen) < self.num_envs and self._was_reset and self.batch_size < self.num_envs:
            raise ValueError(
                "Partial reset is not supported for async mode (batch_size < num_envs)"
            )
        if seed is None and not self._was_reset:
            seed = self._first_seed
        seeds = self._seeds(seed, chosen)
        self._select(options.get("mode"), options.get("difficulty"), chosen)

        self._post(self._depth)
        self.native.reset(
            None if mask is None else mask.ctypes.data,
            None if seeds is None else seeds.ctypes.data,
        )
        self._was_reset = True
        batch = self.native.recv()
        arrays = batch.numbers.arrays
        return batch.images.arrays["observations"], self._infos(arrays)

    def seed_first_reset(self, seed: int | None) -> None:
        """Have the first reset use this seed, if it is given none; errors are those of `reset`."""
        self._seeds(seed, range(self.num_envs))
        self._first_seed = seed

    @one_at_a_time
    def step(self, actions: Any) -> StepResult:
        """Play one action of each environment of the batch.

        Args:
            actions: Indices into the environments' action sets, whole numbers of shape
                ``(batch_size,)`` or ``(batch_size, num_players)``; with `continuous` float32 with a
                last axis of 3: radius, angle and fire.

        Returns:
            Observations, rewards, terminations, truncations and infos.

        Raises:
            IndexError: An action is outside the action set; nothing was played.
            ValueError: `actions` has another shape.
            TypeError: `actions` is of another type.
            RuntimeError: There was no reset, or what was sent before was not received.
        """
        self._take(actions)
        native = self.native
        if native.unsure or len(native.posted) != self._depth - 1:
            self._post(self._depth - 1)
        try:
            batch = native.step(
                self._action_address, self._strength_address, self._results.take(native.posted)
            )
        except ValueError as problem:
            self._explain(problem)
            raise
        return self._unpack(batch)

    @one_at_a_time
    def send(self, actions: Any) -> None:
        """Start to play one action of each environment of the batch received last.

        See `step` for arguments and errors.
        """
        self._take(actions)
        self._post(self._depth)
        try:
            self.native.send(self._action_address, self._strength_address)
        except ValueError as problem:
            self._explain(problem)
            raise

    @one_at_a_time
    def recv(self) -> StepResult:
        """Wait for the next batch of results.

        Returns:
            What `step` returns; ``info["env_id"]`` says whose results these are.

        Raises:
            RuntimeError: Too few environments are playing to fill a batch.
        """
        self._check_open()
        return self._unpack(self.native.recv())

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the threads and free the games."""
        if hasattr(self, "native"):
            with self._in_use:
                self.native.close()
                self.closed = True  # before another thread has its turn

    # ---- Arguments -------------------------------------------------------------------------------

    _was_reset = False
    _first_seed: int | None = None  # of the first reset, if that is given none

    def _check_open(self) -> None:
        if self.closed:
            raise error.ClosedEnvironmentError("the vector environment was closed")

    def _post(self, count: int) -> None:
        """Have memory posted for so many batches."""
        native = self.native
        if native.unsure or len(native.posted) != count:
            native.recount()
        while len(native.posted) < count:
            native.post(self._results.take(native.posted))

    def _take(self, actions: Any) -> None:
        """Put actions where the library reads them."""
        if self.closed:
            self._check_open()
        if self.continuous:
            self._take_positions(actions)
            return
        taken = self._actions
        given = actions if isinstance(actions, np.ndarray) else np.asarray(actions)
        if given.dtype.kind not in "iu":
            raise TypeError(f"actions must be whole numbers, not {given.dtype}")
        if given.shape != taken.shape:
            raise ValueError(f"actions must have shape {taken.shape}, not {given.shape}")
        taken[...] = given
        if given.dtype.itemsize > 2 and given.dtype != np.int32:
            wrong = np.flatnonzero(taken != given)
            if wrong.size:
                raise IndexError(
                    f"actions[{wrong[0]}] is {given.flat[wrong[0]]}, which has no 32 bits"
                )

    def _take_positions(self, actions: Any) -> None:
        shape = (*self._actions.shape, 3)
        if not isinstance(actions, np.ndarray) or actions.dtype != np.float32:
            given = getattr(actions, "dtype", type(actions).__name__)
            raise TypeError(f"continuous actions are a numpy array of float32, not {given}")
        if actions.shape != shape:
            raise ValueError(f"actions must have shape {shape}, not {actions.shape}")
        self._actions[...] = joystick_actions(actions, self._threshold, self.map_action_idx)
        self._strengths[...] = actions[..., 0]

    def _explain(self, problem: ValueError) -> None:
        """Only an action can have been out of range."""
        if str(problem).startswith("actions["):
            raise IndexError(str(problem)) from None

    def _mask(self, mask: Any) -> npt.NDArray[np.bool_]:
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            dtype = getattr(mask, "dtype", "none")
            raise TypeError(
                f"`reset_mask` must be a boolean numpy array, got {type(mask)} with dtype {dtype}"
            )
        if mask.shape != (self.num_envs,):
            raise ValueError(f"`reset_mask` must have shape ({self.num_envs},), got {mask.shape}")
        return np.ascontiguousarray(mask)

    def _seeds(self, seed: Any, chosen: Sequence[int]) -> npt.NDArray[np.int64] | None:
        """The seed of each environment, negative for none."""
        if seed is None:
            return None
        if isinstance(seed, (int, np.integer)):
            given = np.arange(len(chosen)) + operator.index(seed)
            if operator.index(seed) < 0:
                raise ValueError(f"`seed` is {seed}; it must not be negative")
        else:
            given = np.asarray(seed)
            if not isinstance(seed, (np.ndarray, list, tuple)) or given.dtype.kind not in "iu":
                raise TypeError(
                    f"Unsupported seed type {type(seed)} with dtype {given.dtype}; "
                    "it must be an int, or have one int for each environment"
                )
            if given.shape != (len(chosen),):
                raise ValueError(
                    "`seed` must have one entry per sub-environment being reset, "
                    f"expected shape ({len(chosen)},), got {given.shape}"
                )
        if given.size and int(given.max()) >= 2**32:
            raise ValueError(f"a seed is {given.max()}; seeds have 32 bits")
        seeds = np.full(self.num_envs, -1, np.int64)
        seeds[list(chosen)] = np.maximum(given.astype(np.int64), -1)
        return seeds

    def _select(self, mode: Any, difficulty: Any, chosen: Iterable[int]) -> None:
        """Choose modes and difficulties, all or none of them."""
        if mode is None and difficulty is None:
            return
        modes = _one_each("mode", mode, self._modes.tolist())
        difficulties = _one_each("difficulty", difficulty, self._difficulties.tolist())
        chosen = list(chosen)
        for index in chosen:
            known = self.native.modes(index, self.num_players or 1)
            if modes[index] not in known:
                raise ValueError(
                    f"environment {index}: {self.games[index]} has no mode {modes[index]}; "
                    f"it has {', '.join(map(str, known))}"
                )
            known = _native.bits(self._env_infos[index].difficulties)
            if difficulties[index] not in known:
                raise ValueError(
                    f"environment {index}: {self.games[index]} has no difficulty "
                    f"{difficulties[index]}; it has {', '.join(map(str, known))}"
                )
        for index in chosen:
            self.native.select(index, modes[index], difficulties[index])
            self._modes[index], self._difficulties[index] = modes[index], difficulties[index]

    # ---- Results ---------------------------------------------------------------------------------

    def _unpack(self, batch: Batch) -> StepResult:
        numbers = batch.numbers.arrays
        images = batch.images.arrays
        terminations, truncations = numbers["terminations"], numbers["truncations"]
        infos = self._infos(numbers)
        if self._same_step:
            flagged = terminations if self.num_players is None else terminations.any(axis=1)
            flagged = flagged | truncations
            if flagged.any():
                self._add_final(infos, numbers, images["final_observations"], flagged)
        if "episode" in self.extra_infos:
            infos = with_episodes(infos, numbers)
        return images["observations"], numbers["rewards"], terminations, truncations, infos

    def _infos(self, numbers: dict[str, Array]) -> Infos:
        infos = {
            "env_id": numbers["env_ids"],
            "lives": numbers["lives"],
            "frame_number": numbers["frame_numbers"],
            "episode_frame_number": numbers["episode_frame_numbers"],
        }
        if self.extra_infos:
            if "unclipped_reward" in self.extra_infos:
                infos["unclipped_reward"] = numbers["unclipped_rewards"]
            for name in ("ram", "sound"):
                if name in self.extra_infos:
                    infos[name] = numbers[name]
        return infos

    @staticmethod
    def _add_final(infos: Infos, numbers: dict[str, Array], images: Array, flagged: Array) -> None:
        """What the step left before the reset.  Other rows are 0."""
        others = ~flagged
        images[others] = 0
        final = {
            "lives": numbers["final_lives"],
            "frame_number": numbers["final_frame_numbers"],
            "episode_frame_number": numbers["final_episode_frame_numbers"],
        }
        for array in final.values():
            array[others] = 0
        infos["final_obs"] = images
        infos["_final_obs"] = flagged
        infos["final_info"] = final
        infos["_final_info"] = flagged.copy()  # arrays of their own: one may be written to

    def _examples(self) -> tuple[StepResult, Infos]:
        """What `step` returns, all 0, but for the infos that come only now and then; and these."""
        batch = self._results.take(())
        numbers, images = batch.numbers.arrays, batch.images.arrays
        rare: Infos = {}
        if self._same_step:
            nobody = np.zeros(self.batch_size, np.bool_)
            self._add_final(rare, numbers, images["final_observations"], nobody)
        if "episode" in self.extra_infos:
            numbers["episode_ends"][:] = True
            rare = with_episodes(rare, numbers)
        flags = (numbers["rewards"], numbers["terminations"], numbers["truncations"])
        usual = (images["observations"], *flags, self._infos(numbers))
        return _zeros(usual), _zeros(rare)

    # ---- JAX -------------------------------------------------------------------------------------

    def xla(self) -> tuple[Any, Any, Any]:
        """`reset` and `step` as JAX functions, for ``jax.jit`` and ``jax.lax.scan``.

        Each takes a handle and returns it anew, for the next call::

            handle, reset, step = envs.xla()
            handle, (obs, info) = reset(handle, seed=0)  # seed=None, reset_mask=None
            handle, (obs, rewards, terminations, truncations, info) = step(handle, actions)

        Observations, rewards, flags and infos are JAX arrays, equal to what the methods return;
        infos always have all their entries, with zeros where a method leaves one out.  What is
        wrong with the shape or type of an argument is raised while tracing; what only the call
        shows, such as an action outside the action set, is a RuntimeError of JAX's.
        Wait for results, with ``jax.block_until_ready``, before you call methods again.

        Raises:
            gymnasium.error.DependencyNotInstalled: JAX is not installed.
        """
        self._check_open()
        try:
            from pyale_ma.vector.xla import open_door
        except ModuleNotFoundError as missing:
            raise error.DependencyNotInstalled(
                f'{missing.name} is missing, which xla() needs; run `pip install "pyale_ma[jax]"`'
            ) from missing
        return open_door(self)

    # ---- PyTorch ---------------------------------------------------------------------------------

    def torch(self, device: Any = "cpu") -> TorchDoor:
        """This environment with tensors in place of arrays.

        Its methods are operators that ``torch.compile(fullgraph=True)`` takes into its graph.

        Args:
            device: Where results are put: "cpu", "cuda" or another name or `torch.device`.  On the
                CPU tensors share the arrays' memory; to a GPU they are copied from page-locked
                memory, while the caller goes on.

        Raises:
            gymnasium.error.DependencyNotInstalled: PyTorch is not installed.
            RuntimeError: There is no such device.
        """
        self._check_open()
        try:
            import torch

            from pyale_ma.vector.torch_door import TorchDoor
        except ModuleNotFoundError as missing:
            raise error.DependencyNotInstalled(
                f"{missing.name} is missing, which torch() needs; "
                'run `pip install "pyale_ma[torch]"`'
            ) from missing
        return TorchDoor(self, torch.device(device))

    # ---- Branches --------------------------------------------------------------------------------

    def copy_envs(self, sources: Sequence[int] | Array, targets: Sequence[int] | Array) -> None:
        """Let environments ``targets[k]`` go on as exact copies of ``sources[k]``.

        A copy has everything that its source has: the game, the stack of frames, counters, random
        generators, mode and difficulty, and a reset that is due.  By the same actions it has the
        same future, which the source does not notice.  Arrays that were returned before stay as
        they are.

        All copies are made at once: each shows its source as it was before the call.

        Args:
            sources: Numbers of environments, which may repeat and be targets too.
            targets: As many numbers, each of which may occur once.

        Raises:
            IndexError: A number is no environment's.
            ValueError: Not as many sources as targets, a target occurs twice, or a source plays
                another game than its target.
            TypeError: The numbers are not whole.
            RuntimeError: Environments are playing: results are not received yet.

        Nothing was copied then.
        """
        self._check_open()
        given = self._numbers("sources", sources)
        wanted = self._numbers("targets", targets)
        if len(given) != len(wanted):
            raise ValueError(
                f"there are {len(given)} sources, but {len(wanted)} targets; each needs one"
            )
        self.native.copy(given.ctypes.data, wanted.ctypes.data, len(given))
        self._modes[wanted] = self._modes[given]
        self._difficulties[wanted] = self._difficulties[given]

    def _numbers(self, name: str, numbers: Any) -> npt.NDArray[np.int32]:
        """Numbers of environments."""
        given = np.asarray(numbers)
        if not given.size:
            return np.empty(0, np.int32)
        if given.dtype.kind not in "iu" or given.ndim != 1:
            raise TypeError(
                f"{name} must be a list of whole numbers, not {given.dtype} of shape {given.shape}"
            )
        if given.min() < 0 or given.max() >= self.num_envs:
            k = int(np.flatnonzero((given < 0) | (given >= self.num_envs))[0])
            raise IndexError(
                f"{name}[{k}] is {given[k]}; environments are numbered 0 to {self.num_envs - 1}"
            )
        return np.ascontiguousarray(given, np.int32)

    # ---- Pictures and states ---------------------------------------------------------------------

    @one_at_a_time
    def render(self) -> tuple[npt.NDArray[np.uint8], ...]:
        """The screens of all environments, uint8 (height, 160, 3) each.

        Where games differ in height, all are as high as the highest, with black rows at the bottom.

        Raises:
            gymnasium.error.Error: The environment was made without a render mode.
        """
        self._check_open()
        if self.render_mode != "rgb_array":
            raise error.Error(
                "the environment was made without a render mode: give it render_mode='rgb_array'"
            )
        return tuple(self._screens(range(self.num_envs)))

    @one_at_a_time
    def render_grid(self, env_ids: Sequence[int] | None = None, columns: int = 0) -> Array:
        """Screens side by side in one picture, uint8 (rows, columns, 3).

        Args:
            env_ids: Which environments; None: all.
            columns: How many stand in a row; 0: about as many as there are rows.
        """
        self._check_open()
        screens = self._screens(range(self.num_envs) if env_ids is None else env_ids)
        count, height, width, depth = screens.shape
        across = columns or math.ceil(math.sqrt(count))
        down = -(-count // across)
        grid = np.zeros((down * across, height, width, depth), np.uint8)
        grid[:count] = screens
        tiles = grid.reshape(down, across, height, width, depth).swapaxes(1, 2)
        picture: Array = tiles.reshape(down * height, across * width, depth)
        return picture

    def _screens(self, env_ids: Sequence[int]) -> npt.NDArray[np.uint8]:
        highest = max(env.screen_height for env in self._env_infos)
        screens = np.zeros((len(env_ids), highest, SCREEN_WIDTH, 3), np.uint8)
        for screen, env_id in zip(screens, env_ids, strict=True):
            self.native.screen(env_id, screen[: self._env_infos[env_id].screen_height])
        return screens

    @one_at_a_time
    def save_state(self) -> bytes:
        """The whole vector at this moment: games, random numbers, stacks, results under way.

        The bytes are for this version of the library and this kind of processor.
        """
        self._check_open()
        return self.native.save()

    @one_at_a_time
    def restore_state(self, state: bytes) -> None:
        """Continue from the moment of a `save_state`, of this vector or one made alike.

        What was sent and not received by then is to be received again; what is under way now is
        discarded.

        Raises:
            ValueError: The bytes are of another kind of vector, or damaged.  Nothing has changed
                but what was under way.
        """
        self._check_open()
        self._post(self._depth)
        self.native.restore(state)
        self._was_reset = True


def _zeros(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {name: _zeros(value) for name, value in tree.items()}
    return tuple(map(_zeros, tree)) if isinstance(tree, tuple) else np.zeros_like(tree)


def _game_of_each(game: Any, games: Any, copies: int) -> list[str]:
    names: list[Any]
    if game is not None and games is None:
        names = [game]
    elif game is None and games is not None:
        if isinstance(games, str):
            raise TypeError(f"games must be a list of names, not {games!r}")
        names = list(games)
    else:
        raise ValueError("give either a game or a list of games")
    if not names:
        raise ValueError("the list of games is empty")
    return [_name_of(name) for name in names for _ in range(copies)]


def _name_of(game: str | os.PathLike[str]) -> str:
    """The game's usual name; of a card the path, which is looked at later."""
    return os.fspath(game) if cards.is_card(game) else roms.known_game(str(game))


def _variation_of_each(variation: Any, count: int) -> list[str | None]:
    if variation is None or isinstance(variation, str):
        return [variation] * count
    variations = list(variation)
    if len(variations) != count:
        raise ValueError(f"variation has {len(variations)} values for {count} environments")
    return variations


def _rom_of(game: str, variation: str | None) -> _native.Rom:
    return cards.shared_rom(roms.read(roms.find_rom(game)), roms.game_of(game), variation)


def _check_frameskip(frameskip: Any) -> None:
    if type(frameskip) is not int:
        raise error.Error(f"Invalid frameskip type: {type(frameskip)}.")
    if frameskip <= 0:
        raise error.Error(f"Invalid frameskip of {frameskip}, frameskip must be positive.")


def _autoreset_mode(mode: Any) -> AutoresetMode:
    if not isinstance(mode, (str, AutoresetMode)):
        raise TypeError(f"autoreset_mode is {mode!r}; it must be an AutoresetMode or its value")
    try:
        return AutoresetMode(mode)
    except ValueError:
        known = ", ".join(repr(known.value) for known in AutoresetMode)
        raise ValueError(f"Invalid autoreset_mode: {mode!r}. Expecting: {known}.") from None


def _extra_infos(names: Any) -> frozenset[str]:
    if isinstance(names, str):
        raise TypeError(f"extra_infos must be a list of names, not {names!r}")
    wanted = frozenset(names)
    for name in wanted.difference(EXTRA_INFOS):
        raise ValueError(f"extra_infos has {name!r}; there are {', '.join(EXTRA_INFOS)}")
    return wanted


def _integer(name: str, value: Any, low: int = -(2**31), high: int = 2**31 - 1) -> int:
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {value!r}") from None
    if not low <= number <= high:
        raise ValueError(f"{name} is {number}; it must be {low} to {high}")
    return number


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, not {value!r}")
    return bool(value)


def _number(name: str, value: Any) -> float:
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise TypeError(f"{name} must be a number, not {value!r}")
    number = float(value)
    if not 0 <= number <= 1:
        raise ValueError(f"{name} is {number}; it must be 0 to 1")
    return number


def _one_each(name: str, given: Any, present: list[int]) -> list[int]:
    """A value for each environment, from one for all or one for each; None: those present."""
    if given is None:
        return list(present)
    if np.ndim(given) == 0:
        return [_integer(name, given)] * len(present)
    values = [_integer(name, value) for value in given]
    if len(values) != len(present):
        raise ValueError(f"{name} has {len(values)} values for {len(present)} environments")
    return values
