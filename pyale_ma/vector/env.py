"""`AtariVectorEnv`: many games in a batch, equal to ale-py's class of that name."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeVar

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from pyale_ma import _native
from pyale_ma._base import install_hints
from pyale_ma._base.arguments import flag, integer, known_names, number
from pyale_ma._base.callers import in_use, one_caller
from pyale_ma._base.tap import Tap
from pyale_ma._base.text import shown
from pyale_ma.console.observations import VECTOR_OBSERVATIONS, VectorObsType, check_render_mode
from pyale_ma.console.starts import AnyStarts, Starts, check_state
from pyale_ma.console.state import ALEState
from pyale_ma.games.actions import action_names, joystick_actions, joystick_table
from pyale_ma.games.modes import no_mode
from pyale_ma.games.selection import AnyGame
from pyale_ma.vector import checks as check
from pyale_ma.vector.branches import Branches
from pyale_ma.vector.infos import Array, Infos
from pyale_ma.vector.options import fields
from pyale_ma.vector.results import ResultBuffers
from pyale_ma.vector.screens import Screens
from pyale_ma.vector.spaces import action_spaces, batch_of_observations, observation_space
from pyale_ma.vector.stepper import Stepper, StepResult

if TYPE_CHECKING:
    from pyale_ma.vector.torch_adapter import TorchAdapter

_Result = TypeVar("_Result")

_PATIENCE_MS = 100  # between looks at signals
# Options of a vector that its branches have, too.
_OF_BRANCHES = (
    "max_num_frames_per_episode",
    "repeat_action_probability",
    "episodic_life",
    "life_loss_info",
    "corrected_rules",
)
# Attributes that a recording's header states.
_HEADER_ATTRIBUTES = (
    *("num_envs", "num_players", "games", "variations", "batch_size"),
    *("continuous", "continuous_action_threshold", "autoreset_mode", "obs_type"),
)


class AtariVectorEnv(Screens, VectorEnv[Array, Array, Array]):
    """Many games, stepped together by a pool of threads.

    Observations are stacks of frames, uint8 of shape ``(batch_size, stack_num, ...)``, oldest
    first; `obs_type` says what a frame is (labels are int32).  With `agent_indicator` or `mirror`
    each player has an observation of its own: ``(batch_size, num_players, stack_num, ...)``, or
    with an indicator ``(batch_size, num_players, stack_num + num_players, ...)``.

    Rewards are int32, terminations and truncations bool, and ``info`` has the int32 arrays
    ``env_id``, ``lives``, ``frame_number`` and ``episode_frame_number``.

    A vector serves one caller at a time: a call of another thread, a signal handler or a callback
    is refused while one runs, but for `close`.

    Args:
        game: The game's name, such as "ms_pacman"; the path of a card (docs/cards.md); or the
            name of an environment for several agents, such as "pong_v3", with its number of
            players, mode, difficulty and action set.
        num_envs: Number of environments; with `games`, the number for each entry.
        games: Several games instead of one; a game may occur several times.  A name alone is one.
        batch_size: Environments per batch; 0: all.  With a smaller number, `recv` returns the first
            results that are ready.
        num_threads: Number of threads; 0: as many as there are CPUs, at most `batch_size`.
        thread_affinity_offset: Bind thread i to CPU offset + i; negative: do not bind threads.
        max_num_frames_per_episode: Truncate an episode after this many frames; None: never.
        repeat_action_probability: The probability, in each frame, that the previous action is
            repeated.
        full_action_space: Use all 18 actions instead of those that have an effect.
        continuous: Actions are float32: radius 0..1, angle -pi..pi, fire 0..1.
        continuous_action_threshold: How far the joystick must be moved along an axis to count.
        autoreset_mode: What follows the end of an episode: "NextStep", "SameStep" or "Disabled".
        img_height: Height of observations.
        img_width: Width of observations.
        grayscale: Observe gray; False: RGB.
        stack_num: Frames per observation.
        stack_fill: What is before the first frame of an episode: "zeros", or "reset" for copies of
            it, as Gymnasium's and EnvPool's stacks have.
        crop: Rows at the top and the bottom, and columns at the left and the right of the screen,
            that pictures leave out before they are resized.
        frameskip: Frames per step.
        maxpool: Observe the maximum of the last two frames; of objects, those of both frames.
        noop_max: Episodes begin with 0 to noop_max - 1 frames of NOOP.
        episodic_life: End the episode with the loss of a life.
        life_loss_info: Report the loss of a life as termination, but continue the game.
        reward_clipping: Clamp rewards to -1..1.
        use_fire_reset: Press FIRE at the start, if the game has this action.
        mode: One of the game's modes, or one for each environment; None for the default, with
            `num_players` that of the game's PettingZoo environment.
        difficulty: One of the game's difficulties, or one for each environment; None for 0.
        num_players: 1, 2 or 4: play under the rules for several players; actions, rewards,
            terminations and lives get a last axis of players.  None: one player without such an
            axis, under the rules of ale-py.  1 is not the same: default modes, rewards, lives and
            ends may differ, and so returns.
        obs_type: What a frame is: "grayscale", the screen ``(img_height, img_width)``; "rgb", in
            colour ``(img_height, img_width, 3)``; "ram", the console's RAM ``(128,)``; "objects"
            ``(img_height, img_width, 6)``: how much of the pixel each of `pyale_ma.objects.Object`
            covers; 255 is all of it; or "labels", int32 ``(number of labels,)``, in the order of
            `label_names` (docs/labels.md).  None: as `grayscale` says.
        extra_infos: Further entries of ``info``: some of "unclipped_reward", "ram", "sound",
            "labels" (int32 ``(batch_size, number of labels)``, in the order of `label_names`;
            docs/labels.md) and "episode" (return ``r``, before clipping, and length ``l`` of
            episodes, where ``_episode``; in ``final_info``, too).
        copy: False: observations are read-only, and valid only until the next `step`, `send`,
            `reset` or `restore_states`, because they share the memory of their frames
            (docs/vector-reference.md).
        render_mode: None or "rgb_array".
        agent_indicator: Each player has an observation of its own, with a plane for each player
            after the stack: 255 in the plane of the player who observes, 0 in the others.
        mirror: Each player has an observation of its own, and all play as if they were on the first
            player's side of the field: players on the other side see pictures mirrored from left to
            right, and their LEFT and RIGHT are exchanged if these are directions on the screen.
            docs/vector.md lists the games and modes with such sides.
        corrected_rules: Correct the faults of the originals' rewards and ends that
            docs/rules-audit.md lists, such as scores that wrap.
        variation: One of the card's variations, or one for each environment; None: no variation.
        starts: Where episodes begin, also after automatic resets, instead of where a reset leads: a
            state, a list of states, a dict of their weights, or, if `autoreset_mode` is "Disabled",
            a function (docs/starts.md).  ``info`` then has ``start``, the number of each, but not
            of a function's.
        terminal_on: Labels that end the episode, each with "changes", "rises" or "falls", or with a
            number of frames: it has not changed for so many (docs/labels.md).  Every game must have
            them.

    Attributes:
        num_envs: Number of environments.
        batch_size: Environments per batch.
        num_actions: Number of actions of each environment.
        action_sets: These actions, by ale-py's numbers from 0 to 17.
        games: The name of each environment's game, or the path of its card.
        variations: The variation of each environment's card; None for none.

    Examples:
        ```python
        from pyale_ma.vector import AtariVectorEnv

        envs = AtariVectorEnv("quartet", num_envs=8)
        observations, infos = envs.reset(seed=42)  # uint8 (8, 4, 84, 84)
        observations, rewards, *_ = envs.step(envs.action_space.sample())
        envs.close()
        ```

    Raises:
        gymnasium.error.Error: `frameskip` is not a positive int.
        ValueError: There is no such game or variation, a card has an error, or an argument is out
            of range.
        TypeError: An argument is of the wrong type.
        FileNotFoundError: A game's ROM file was not found; the text says how to get one.
    """

    _is_busy = False  # whether a call runs, for `one_caller`

    @known_names
    def __init__(
        self,
        game: AnyGame | None = None,
        num_envs: int = 1,
        *,
        games: str | os.PathLike[str] | Sequence[AnyGame] | None = None,
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
        obs_type: VectorObsType | None = None,
        extra_infos: Iterable[str] = (),
        copy: bool = True,
        render_mode: Literal["rgb_array"] | None = None,
        variation: str | Sequence[str | None] | None = None,
        agent_indicator: bool = False,
        mirror: bool = False,
        corrected_rules: bool = False,
        starts: AnyStarts | None = None,
        terminal_on: _native.TerminalOn | None = None,
        stack_fill: Literal["zeros", "reset"] = "zeros",
        crop: Sequence[int] = (0, 0, 0, 0),
    ) -> None:
        arguments = locals()
        self.tap: Tap | None = None
        copies = integer("num_envs", num_envs, 1)
        self._played = check.selections(
            game, games, copies, num_players, mode, difficulty, full_action_space, variation
        )
        self.num_envs = len(self._played)
        self.games = [each.source for each in self._played]
        self.variations = [each.variation for each in self._played]
        self._terminals = _native.checked_terminals(terminal_on)
        self.num_players = self._played[0].num_players
        arguments["num_players"] = self.num_players
        arguments["full_action_space"] = self._played[0].full_action_space
        options = fields(arguments)
        self._choose_results(arguments, options)
        self._choose_actions(continuous, continuous_action_threshold)
        self._make_native(options, integer("batch_size", batch_size, 0, self.num_envs))
        self._make_spaces(options)
        self._stepper = self._make_stepper()
        self._starts: Starts | None = None
        self._randoms_of_starts: dict[int, np.random.Generator] = {}  # of a function, by row
        if starts is not None:
            self.set_starts(starts)
        # Values for a recording's header, unless they are changed later.
        self._made_with = {name: getattr(self, name) for name in _HEADER_ATTRIBUTES}
        self._made_with |= {"games": [*self.games], "variations": [*self.variations]}

    def _choose_results(self, arguments: dict[str, Any], options: dict[str, Any]) -> None:
        """Keep the arguments that say what is observed, and what else steps return."""
        self.extra_infos = check.extra_infos(arguments["extra_infos"])
        self.obs_type = check.obs_type(arguments["obs_type"], arguments["grayscale"])
        has_labels = self.obs_type == "labels" or "labels" in self.extra_infos
        self._labels = check.labels(self._played) if has_labels else None
        self._observed = VECTOR_OBSERVATIONS[self.obs_type].of_game(self._played[0].game)
        self.grayscale = self.obs_type == "grayscale"
        self.render_mode = arguments["render_mode"]
        check_render_mode(self.render_mode, "rgb_array")
        self.autoreset_mode = AutoresetMode(arguments["autoreset_mode"])
        self.agent_indicator = options["agent_indicator"]
        self.mirror = options["mirror"]
        check.crop_of(options["crop"], self._observed)
        check.views(self.agent_indicator, self.mirror, self.num_players, self._observed)
        self.copy = flag("copy", arguments["copy"])
        self.metadata = {
            "autoreset_mode": self.autoreset_mode,
            "render_modes": ["rgb_array"],
            "render_fps": 60 // arguments["frameskip"],
        }
        self.is_xla_registered = False  # as in ale-py: whether `xla` has made functions

    def _choose_actions(self, continuous: bool, threshold: float) -> None:
        self.continuous = flag("continuous", continuous)
        self.continuous_action_threshold = number("continuous_action_threshold", threshold)
        self.map_action_idx = joystick_table()

    def _make_native(self, options: dict[str, Any], batch_size: int) -> None:
        """Make the library's vector, and choose its modes and difficulties."""
        self._first_seed: int | None = None  # of the first reset, if that is given none
        self._native = _native.Vector(
            self._roms(),
            np.random.SeedSequence().generate_state(self.num_envs).astype(np.uint32),
            batch_size=batch_size,
            patience_ms=_PATIENCE_MS,
            rules=self._played[0].rules,
            observation=self._observed.preprocessed,
            sound="sound" in self.extra_infos,
            **(options | {"full_action_space": 2} if self.continuous else options),
        )
        self.batch_size = self._native.info.batch_size
        self.num_threads = self._native.info.num_threads
        self._env_infos = [self._native.env_info(index) for index in range(self.num_envs)]
        self._modes = np.array([each.mode for each in self._played], np.int64)
        self._difficulties = np.array([each.difficulty or 0 for each in self._played], np.int64)
        for index, played in enumerate(self._played):
            if played.is_chosen:
                self._native.select(index, played.mode, played.difficulty or 0)

    def _make_spaces(self, options: dict[str, Any]) -> None:
        """Make the spaces of actions and observations."""
        self.action_sets = [each.action_set for each in self._played]
        self.num_actions = [len(actions) for actions in self.action_sets]
        self.single_action_space, self.action_space = action_spaces(  # type: ignore[assignment]
            self.num_actions,
            # Which environments a smaller batch has differs from batch to batch.
            self.batch_size if len({*self.games}) == 1 else self.num_envs,
            self.num_players,
            continuous=self.continuous,
        )
        self.single_observation_space = observation_space(
            self._observed,
            (options["img_height"], options["img_width"]),
            options["stack_num"],
            players=self.num_players if self.agent_indicator or self.mirror else None,
            agent_indicator=self.agent_indicator,
        )
        self.observation_space = batch_of_observations(
            self.single_observation_space, self.batch_size
        )

    def _roms(self) -> list[_native.Rom]:
        """Return the ROM of each environment; equal environments share it."""
        loaded = {each: each.rom(self._terminals) for each in dict.fromkeys(self._played)}
        return [loaded[each] for each in self._played]

    def _make_stepper(self) -> Stepper:
        """Make the stepper, with the memory for its results."""
        same_step = self.autoreset_mode == AutoresetMode.SAME_STEP
        views = self.agent_indicator or self.mirror
        results = ResultBuffers(
            self.batch_size,
            self.num_players,
            self.single_observation_space.shape or (),
            dtype=self._observed.dtype,
            extra_infos=self.extra_infos,
            labels=len(self._labels or ()),
            ends=bool(self._terminals),
            final=same_step,
            copy=self.copy,
            shared=not (self.copy or views) and self.batch_size == self.num_envs,
            depth=self._native.depth,
        )
        return Stepper(
            self._native,
            results,
            self.num_players,
            joystick=self._joystick() if self.continuous else None,
            same_step=same_step,
            extra_infos=self.extra_infos,
        )

    def _joystick(self) -> Callable[[Array], Array]:
        """Return the function from joystick positions to actions."""
        return functools.partial(
            joystick_actions,
            threshold=np.float32(self.continuous_action_threshold),
            table=self.map_action_idx,
        )

    def __repr__(self) -> str:
        games, modes = list(dict.fromkeys(self.games)), list(dict.fromkeys(self._modes.tolist()))
        return shown(
            self,
            games[0] if len(games) == 1 else games,
            num_envs=self.num_envs,
            num_players=self.num_players,
            mode=modes[0] if len(modes) == 1 else None,
            obs_type=self.obs_type,
        )

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "an AtariVectorEnv cannot be pickled or copied: pass what makes one, such as "
            "functools.partial(AtariVectorEnv, 'pong', 64), and the bytes of its save_state()"
        )

    # ---- Episodes --------------------------------------------------------------------------------

    @one_caller
    def reset(
        self,
        *,
        seed: int | Sequence[int] | Array | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Array, Infos]:
        """Start episodes.

        Results that were not received yet are discarded.

        Args:
            seed: Seed s gives the i-th environment that is reset the seed s + i; an array has one
                seed for each of them, -1 for no new seed.  A seeded environment starts anew, so
                that everything that follows depends only on the seed.  None: all random
                generators continue.
            options: ``"reset_mask"``, a bool array (num_envs,), says which environments are reset;
                the others stay as they are.  ``"mode"`` and ``"difficulty"``, one value or one for
                each environment of the vector, apply from this reset on.  ``"starts"`` says where
                these episodes begin, as the argument of that name.

        Returns:
            Observations and infos of a batch.

        Raises:
            TypeError: The options, the mask or the seeds are of the wrong type.
            ValueError: They are of the wrong shape or out of range, there is another option, or not
                all environments are reset with a `batch_size` smaller than their number.
            RuntimeError: The first reset is not of all environments.
        """
        self._native.check_open()
        options = check.reset_options(options)
        mask = (
            check.reset_mask(options["reset_mask"], self.num_envs)
            if "reset_mask" in options
            else None
        )
        chosen = range(self.num_envs) if mask is None else [int(i) for i in np.flatnonzero(mask)]
        self._check_chosen(chosen)
        if seed is None and not self._native.was_reset:
            seed = self._first_seed
        seeds = check.seeds_of(seed, chosen, self.num_envs)
        choices = self._choices(options.get("mode"), options.get("difficulty"), chosen)
        beginnings = self._beginnings(options, chosen, seeds)
        tap = self.tap
        if tap is not None:
            begun = tap.before_reset(seed, options)
        results = self._stepper.observed(self._native.reset(mask, seeds, choices, beginnings))
        self._keep_choices(choices)
        self._native.interrupted = False
        if tap is not None:
            tap.after_reset(begun)
        return results

    @one_caller
    def set_starts(self, starts: AnyStarts | None) -> None:
        """Choose where episodes begin from the next resets on, as the argument `starts`.

        Raises:
            TypeError: It is none of what starts may be.
            ValueError: A state is another game's, a weight is not allowed, there are several games,
                it is a function, and environments are reset automatically, or `xla` has made its
                functions without starts.
            RuntimeError: Results are not received yet.
        """
        self._native.check_open()
        self._native.check_whole()
        chosen = None if starts is None else Starts(starts, self._native.first_env())
        if chosen and chosen.function and self.autoreset_mode != AutoresetMode.DISABLED:
            raise ValueError(
                "starts is a function, which automatic resets do not ask: give states, or take "
                'autoreset_mode="Disabled" and reset environments yourself'
            )
        drawn = chosen.native if chosen and chosen.function is None else None
        if drawn:
            self._check_not_compiled()
        self._native.set_starts(drawn)
        if drawn:
            self._stepper.results.tells_starts = True
        self._starts = chosen

    def _check_not_compiled(self) -> None:
        """Refuse starts that functions of `xla` could not tell."""
        if self.is_xla_registered and not self._stepper.results.tells_starts:
            raise ValueError(
                "starts must be set before xla(), whose functions return the same infos for ever: "
                "give starts= when you make the vector"
            )

    def _check_chosen(self, chosen: Sequence[int]) -> None:
        """Refuse to reset these environments without the others."""
        if len(chosen) == self.num_envs:
            return
        if not self._native.was_reset:
            raise RuntimeError(
                "the first reset must be of every environment "
                f"(got {len(chosen)} of {self.num_envs})"
            )
        self._native.check_whole()
        if self.batch_size < self.num_envs:
            raise ValueError(
                "Partial reset is not supported for async mode (batch_size < num_envs)"
            )

    def _beginnings(
        self, options: dict[str, Any], chosen: Sequence[int], seeds: Array | None
    ) -> _native.Beginnings | None:
        """Return where these environments begin; None: as the library was told for all resets."""
        starts = self._starts
        if "starts" in options:
            starts = Starts(options["starts"], None)
        if starts is None or (starts is self._starts and starts.function is None) or not chosen:
            return None
        if starts.function is None:
            self._check_not_compiled()
            self._stepper.results.tells_starts = True
            return _native.Beginnings(starts.native)
        states = []
        for row in chosen:
            seed = -1 if seeds is None else int(seeds[row])
            random = self._randoms_of_starts.get(row)
            if random is None or seed >= 0:
                random = np.random.default_rng(seed if seed >= 0 else None)
                self._randoms_of_starts[row] = random
            states.append(starts.ask(random, row))
        return self._one_each(states, chosen)

    def _one_each(
        self, states: Sequence[ALEState | None], rows: Sequence[int], exact: bool = False
    ) -> _native.Beginnings:
        """Let each of these environments begin at a state of its own."""
        distinct = {id(state): state for state in states}
        numbers = {key: number for number, key in enumerate(distinct)}
        indices = np.full(self.num_envs, -1, np.int32)
        indices[list(rows)] = [numbers[id(state)] for state in states]
        return _native.Beginnings(_native.Starts([*distinct.values()]), indices, exact)

    def seed_first_reset(self, seed: int | None) -> None:
        """Let the first reset use this seed if it gets none; errors are those of `reset`."""
        check.seeds_of(seed, range(self.num_envs), self.num_envs)
        self._first_seed = seed

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
            gymnasium.error.ResetNeeded: The last call was interrupted.
            RuntimeError: There was no reset, the results of a `send` were not received, or another
                call is running.
        """
        if self._is_busy:  # as `one_caller` does, but a call quicker
            raise in_use(self)
        self._is_busy = True
        try:
            tap = self.tap
            if tap is not None:
                self._native.check_whole()
                begun = tap.before_step(actions)
            results = self._stepper.step(actions)
            if tap is not None:
                tap.after_step(begun, results)
        finally:
            self._is_busy = False
        return results

    @one_caller
    def send(self, actions: Any) -> None:
        """Start to play one action in each environment of the batch received last.

        See `step` for arguments and errors.
        """
        tap = self.tap
        if tap is not None:
            self._native.check_whole()
            tap.before_step(actions)
        self._stepper.send(actions)

    @one_caller
    def recv(self) -> StepResult:
        """Wait for the next batch of results.

        Returns:
            What `step` returns; ``info["env_id"]`` says which environments the results belong to.

        Raises:
            RuntimeError: Too few environments are playing to fill a batch.
        """
        results = self._stepper.unpack(self._native.recv())
        tap = self.tap
        if tap is not None:
            tap.after_step(None, results)
        return results

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the threads and free the games."""
        tap = self.tap
        if tap is not None:
            tap.before_close()
        if hasattr(self, "_stepper"):
            self._native.close()
            self._stepper.results.drop()

    def __del__(self) -> None:
        """Close nothing, as Gymnasium 1.1 does: another finalizer may keep this environment."""

    @property
    def label_names(self) -> list[str]:
        """The names of the labels, in the order of observations and of ``info["labels"]``.

        Raises:
            ValueError: The game has no labels, or there are several games.
        """
        return [*(self._labels or check.labels(self._played)).names]

    @property
    def ale(self) -> NoReturn:
        """None: what ale-py's `AtariVectorEnv.ale` has, the vector has itself."""
        raise AttributeError(
            "a vector has no `ale`: use its own `reset`, `send` and `recv`, `num_envs`, "
            "`action_sets` and `single_observation_space.shape`, and `xla()` for the handle"
        )

    def get_action_meanings(self) -> tuple[list[str], ...]:
        """The names of each environment's actions, by index, as `AtariEnv` gives them."""
        return tuple(action_names(actions) for actions in self.action_sets)

    # ---- Arguments -------------------------------------------------------------------------------

    def _select(self, mode: Any, difficulty: Any, chosen: Iterable[int]) -> None:
        """Choose modes and difficulties from the next reset on."""
        choices = self._choices(mode, difficulty, chosen)
        for choice in choices:
            self._native.select(*choice)
        self._keep_choices(choices)

    def _choices(
        self, mode: Any, difficulty: Any, chosen: Iterable[int]
    ) -> list[tuple[int, int, int]]:
        """Return environments with the modes and difficulties that must be chosen.

        After an interrupt these are all: some may have been chosen.
        """
        if mode is None and difficulty is None and not self._native.interrupted:
            return []
        modes = check.one_each("mode", mode, self._modes.tolist())
        difficulties = check.one_each("difficulty", difficulty, self._difficulties.tolist())
        chosen = list(chosen)
        for index in chosen:
            allowed = self._native.modes(index, self.num_players or 1)
            if modes[index] not in allowed:
                played = self._played[index]
                text = no_mode(played.game, modes[index], self.num_players, played.rules)
                raise ValueError(f"environment {index}: {text}")
            allowed = _native.bits(self._env_infos[index].difficulties)
            if difficulty is not None and difficulties[index] not in allowed:
                raise ValueError(
                    f"environment {index}: {self.games[index]} has no difficulty "
                    f"{difficulties[index]}; it has {', '.join(map(str, allowed))}"
                )
        return [(index, modes[index], difficulties[index]) for index in chosen]

    def _keep_choices(self, choices: list[tuple[int, int, int]]) -> None:
        for index, mode, difficulty in choices:
            self._modes[index], self._difficulties[index] = mode, difficulty

    # ---- JAX -------------------------------------------------------------------------------------

    def xla(self) -> tuple[Any, Any, Any]:
        """`reset` and `step` as JAX functions, for ``jax.jit`` and ``jax.lax.scan``.

        Each takes a handle and returns one for the next call::

            handle, reset, step = envs.xla()
            handle, (obs, info) = reset(handle, seed=0)  # seed=None, reset_mask=None
            handle, (obs, rewards, terminations, truncations, info) = step(handle, actions)

        Observations, rewards, flags and infos are JAX arrays, equal to what the methods return;
        infos always have all their entries, with zeros where a method leaves one out.  A
        wrong shape or type of an argument raises an error while tracing; an error that only the
        call shows, such as an action outside the action set, is a RuntimeError of JAX.
        Wait for results, with ``jax.block_until_ready``, before you call methods again.

        Raises:
            gymnasium.error.DependencyNotInstalled: JAX is not installed.
        """
        self._native.check_open()
        try:
            from pyale_ma.vector.xla import make_functions
        except ModuleNotFoundError as problem:
            command = install_hints.install("jax")
            raise install_hints.missing(problem, command, "xla()") from problem
        functions = make_functions(self, self._stepper)
        self.is_xla_registered = True
        return functions

    # ---- PyTorch ---------------------------------------------------------------------------------

    def torch(self, device: Any = "cpu") -> TorchAdapter:
        """This environment with tensors in place of arrays.

        Its methods are operators that ``torch.compile(fullgraph=True)`` includes in its graph.

        Args:
            device: Where results are put: "cpu", "cuda" or another name or `torch.device`.  On the
                CPU tensors share the arrays' memory; to a GPU they are copied from page-locked
                memory, while the caller continues.

        Raises:
            gymnasium.error.DependencyNotInstalled: PyTorch is not installed.
            RuntimeError: There is no such device.
        """
        self._native.check_open()
        try:
            import torch

            from pyale_ma.vector.torch_adapter import TorchAdapter
        except ModuleNotFoundError as problem:
            command = install_hints.install("torch")
            raise install_hints.missing(problem, command, "torch()") from problem
        return TorchAdapter(self, self._stepper, torch.device(device))

    # ---- Branches --------------------------------------------------------------------------------

    @one_caller
    def copy_envs(
        self,
        sources: Sequence[int] | Array,
        targets: Sequence[int] | Array,
        seeds: int | Sequence[int] | Array | None = None,
    ) -> None:
        """Make environments ``targets[k]`` exact copies of ``sources[k]``.

        A copy has everything that its source has: the state of the game, the stack of frames,
        counters, random generators, mode and difficulty, and a pending reset.  With the same
        actions it has the same future.  The source does not change, nor do arrays that were
        returned before.

        All copies are made at once: each shows its source as it was before the call.

        Args:
            sources: Numbers of environments, which may repeat and be targets too.
            targets: As many numbers, each of which may occur once.
            seeds: Of the targets' random generators, as `reset` takes seeds, so that sticky actions
                of copies differ; None: copies have the random numbers of their sources.

        Raises:
            IndexError: There is no environment with such a number.
            ValueError: Not as many sources as targets, a target occurs twice, or a source plays
                another game than its target.
            TypeError: The numbers are not integers.
            RuntimeError: Environments are playing: results are not received yet.

        After any of these errors, nothing was copied.
        """
        self._native.check_open()
        from_envs = check.env_numbers("sources", sources, self.num_envs)
        to_envs = check.env_numbers("targets", targets, self.num_envs)
        if len(from_envs) != len(to_envs):
            raise ValueError(
                f"there are {len(from_envs)} sources, but {len(to_envs)} targets; each needs one"
            )
        given = check.seeds_of(seeds, to_envs.tolist(), self.num_envs, "seeds")
        self._native.copy(from_envs, to_envs)
        if given is not None:
            self._native.seed(to_envs, np.ascontiguousarray(given[to_envs]))
        self._modes[to_envs] = self._modes[from_envs]
        self._difficulties[to_envs] = self._difficulties[from_envs]
        self._native.interrupted = False

    def branches(
        self, n: int, *, others: Any = "random", num_threads: int | None = None
    ) -> Branches:
        """Make a pool of consoles onto which these games are copied, to play on from there.

        Args:
            n: How many.
            others: Who chooses in seats that a rollout leaves open: "random", or a trained player
                of this game, by its level or as a `TrainedPolicy`.
            num_threads: Threads that play; None: as many as this vector has.

        Raises:
            ValueError: There are several games, `n` is below 1, there is no such player, or this
                vector has an option that branches cannot follow.
            TypeError: `n` is no whole number.
        """
        self._native.check_open()
        if len({*zip(self.games, self.variations, strict=True)}) > 1:
            raise ValueError("branches are of one game, and this vector has several")
        if self.continuous or self.mirror:
            raise ValueError("branches have neither continuous actions nor mirrored pictures")
        options = self._native.options
        return Branches(
            self._played[0],
            self.num_envs,
            self._native.save_env,
            n,
            others,
            {
                "terminal_on": dict(self._terminals) or None,
                "frameskip": options["frame_skip"],
                "num_threads": self.num_threads if num_threads is None else num_threads,
                **{name: options[name] for name in _OF_BRANCHES},
            },
        )

    def _check_whole(self) -> None:
        """Refuse to look at what another call is changing, or was when an exception ended it."""
        self._native.check_open()
        if self._is_busy and self._native.interrupted:
            raise in_use(self)
        self._native.check_whole()

    @one_caller
    def _apart(self, function: Callable[..., _Result], *args: Any, **named: Any) -> _Result:
        """Call a function that must not use this vector, such as one that chooses actions."""
        return function(*args, **named)

    # ---- States ----------------------------------------------------------------------------------

    def save_states(self, rows: Sequence[int] | Array) -> list[ALEState]:
        """The states of some environments' consoles, with their random generators, for any layer.

        They do not include stacks of frames and returns.

        Raises:
            IndexError: There is no environment with such a number.
            TypeError: The numbers are not integers.
        """
        self._check_whole()
        states = []
        for row in check.env_numbers("rows", rows, self.num_envs).tolist():
            states.append(ALEState())
            self._native.save_into(row, states[-1])
        return states

    @one_caller
    def restore_states(
        self,
        rows: Sequence[int] | Array,
        states: ALEState | Sequence[ALEState],
        seeds: int | Sequence[int] | Array | None = None,
    ) -> tuple[Array, Infos]:
        """Restore states of any layer in some environments, as a reset of these alone.

        Their stacks of frames, returns and limits of frames begin anew.

        Args:
            rows: Numbers of environments, each at most once.
            states: A state for each, or one for all.
            seeds: Of their random generators, as `reset` takes seeds; None: those of the states.

        Returns:
            What `reset` returns.

        Raises:
            ValueError: A state is another game's, or one row has two states.
            IndexError: There is no environment with such a number.
            TypeError: The numbers are not integers, or a state is none.
            RuntimeError: The first reset is still to come, and these are not all environments.
        """
        self._native.check_open()
        chosen = check.env_numbers("rows", rows, self.num_envs).tolist()
        each = [states] * len(chosen) if isinstance(states, ALEState) else list(states)
        if len(each) != len(chosen) or len({*chosen}) < len(chosen):
            raise ValueError(
                f"rows has {len(chosen)} numbers, {len({*chosen})} different ones, for {len(each)} "
                "states; each row needs one"
            )
        for k, state in enumerate(each):
            check_state(f"states[{k}]", state)
        self._check_chosen(chosen)
        mask = np.zeros(self.num_envs, np.bool_)
        mask[chosen] = True
        given = check.seeds_of(seeds, chosen, self.num_envs, "seeds")
        beginnings = self._one_each(each, chosen, exact=True) if chosen else None
        results = self._stepper.observed(self._native.reset(mask, given, [], beginnings))
        self._native.interrupted = False
        return results

    def save_state(self) -> bytes:
        """The state of the whole vector: games, random generators, stacks, results to receive.

        Only this version of the library, on this kind of processor, can restore the bytes.
        """
        self._check_whole()
        return self._native.save()

    @one_caller
    def restore_state(self, state: bytes) -> None:
        """Restore a state of `save_state`, of this vector or of one made with the same arguments.

        Results that were not received when the state was saved can be received now; those that are
        outstanding now are discarded.

        Raises:
            ValueError: The bytes are of a vector with other arguments, or damaged.  Nothing has
                changed, except that outstanding results are lost.
        """
        self._native.check_open()
        self._native.restore(state)
        for index in range(self.num_envs):
            self._modes[index], self._difficulties[index] = self._native.selected(index)
        self._native.interrupted = False
