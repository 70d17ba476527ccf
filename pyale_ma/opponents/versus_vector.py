"""`VersusVectorEnv`: many games for several players, in each of which one is the agent."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import error
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from pyale_ma._base.arguments import known_names, refuse_truth, unknown, whole_numbers
from pyale_ma._base.callers import one_caller
from pyale_ma._base.text import shown
from pyale_ma.console.starts import AnyStarts
from pyale_ma.opponents.catalogue import select
from pyale_ma.opponents.seats import AgentSeats, Opponent
from pyale_ma.vector import AtariVectorEnv, checks as check
from pyale_ma.vector.spaces import batch_of_observations

__all__ = ["VersusVectorEnv"]

Array: TypeAlias = npt.NDArray[Any]
Infos: TypeAlias = dict[str, Any]

# Arguments of `AtariVectorEnv` that are not the caller's here, and why.
_REFUSED = {
    "games": "all play one game: give game",
    "batch_size": "all games are stepped together",
    "continuous": "opponents choose actions by number",
    "continuous_action_threshold": "opponents choose actions by number",
    "episodic_life": "opponents play whole games",
    "life_loss_info": "opponents play whole games",
    "variation": "a game against opponents is played by its own rules",
}
# All that the caller may choose, as the signatures have it.
_ARGUMENTS = ["opponent", "seat", *inspect.signature(AtariVectorEnv).parameters]
_ARGUMENTS = [name for name in _ARGUMENTS if name not in _REFUSED]
# What the vector says of the ends of episodes, and which of it here is another's.
_FINAL = ("lives", "frame_number", "episode_frame_number")
_NOT_OWN = ("ram", "labels", "final_obs", "_final_obs", "final_info", "_final_info")


class VersusVectorEnv(VectorEnv[Array, Array, Array]):
    """Games for several players in a native vector, each with an agent and its opponents.

    To an agent it is a Gymnasium vector like any other: observations, rewards (int32),
    terminations, truncations and infos are those of `AtariVectorEnv` for the seat that the agent
    has in each game.  An episode ends with the game, or when the agent is out.  ``info`` has also
    ``seat``, int64 ``(num_envs,)``.

    What happens in a game after a seeded reset depends only on its seed, not on the other games.

    Args:
        game: A game, such as "pong"; the name of an environment for several agents, such as
            "pong_v3"; or the path of a card.
        num_envs: Number of games.
        opponent: Who has the other seats: the name of a level, as for `load`, a policy
            (`pyale_ma.evaluation.Policy`) or a `Pool`; or a list with one for each other seat.
        seat: The agent's, 0 for the first player; None: another one in each episode, the first
            after a seeded reset by the seed.
        num_players: For how many players; None: what `game` means.
        mode: The games' mode; None: what `game` means.
        autoreset_mode: What follows the end of an episode: "NextStep", "SameStep" or "Disabled".
        extra_infos: Further entries of ``info``: some of "unclipped_reward", "ram", "sound"
            and "labels".
        **options: Further arguments of `AtariVectorEnv`, except "games", "batch_size",
            "continuous", "continuous_action_threshold", "episodic_life", "life_loss_info" and
            "variation".

    Attributes:
        envs: The vector of all players, to look at and to record.  What it saves and copies has
            neither the seats nor what opponents remember: after `restore_state`, `copy_envs` or
            steps there, reset all games here.
        num_actions: Number of actions.

    Examples:
        ```python
        from pyale_ma.opponents import VersusVectorEnv

        envs = VersusVectorEnv("quartet", 8, "strong", num_players=2)
        observations, infos = envs.reset(seed=42)
        observations, rewards, *_ = envs.step(envs.action_space.sample())
        envs.close()
        ```

    Raises:
        TypeError: An option is not allowed, or an opponent is of a wrong type.
        ValueError: There is no such game, mode, level or seat, an opponent was trained for another
            game, mode or frameskip, or an argument is out of range.
        FileNotFoundError: The game's ROM file was not found; the text says how to get one.
    """

    _is_busy = False  # whether a call runs, for `one_caller`

    @known_names
    def __init__(
        self,
        game: str | os.PathLike[str],
        num_envs: int = 1,
        opponent: Opponent = "strong",
        seat: int | None = None,
        *,
        num_players: int | None = None,
        mode: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        extra_infos: Iterable[str] = (),
        **options: Any,
    ) -> None:
        _check_names(options)
        if isinstance(num_envs, str):
            raise TypeError(f"num_envs must be a whole number; give opponent={num_envs!r} by name")
        if (frames := options.get("max_num_frames_per_episode")) is not None:
            check.int32("max_num_frames_per_episode", frames, 1)
        extra_names = check.extra_infos(extra_infos)
        if "episode" in extra_names:
            raise ValueError(
                "extra_infos has 'episode', which is of all players: take "
                "gymnasium.wrappers.vector.RecordEpisodeStatistics"
            )
        settings = options.pop("difficulty", None), options.pop("full_action_space", False)
        played = select(game, num_players, mode, *settings)
        self.envs = AtariVectorEnv(
            played,
            num_envs,
            num_players=played.players,
            mode=played.mode,
            autoreset_mode=autoreset_mode,
            extra_infos=extra_names | {"ram"},
            difficulty=played.difficulty,
            full_action_space=played.full_action_space,
            **options,
        )
        self._keep_ram = "ram" in extra_names
        self.num_envs = self.envs.num_envs
        self.num_actions = self.envs.num_actions[0]
        self.render_mode = self.envs.render_mode
        self.autoreset_mode = self.envs.autoreset_mode
        self.metadata = dict(self.envs.metadata)
        self._apart = self.envs.agent_indicator or self.envs.mirror
        self._seats = AgentSeats(
            opponent,
            played,
            seat,
            num_envs=self.num_envs,
            frameskip=options.get("frameskip", 4),
            vector=self.envs._native,
            game=self.envs,
        )
        self._rows = np.arange(self.num_envs)
        self._make_spaces()
        self._observations: Array | None = None  # of all players; None: a reset must come first
        self._ram: Array = np.empty((self.num_envs, 0), np.uint8)
        self._over = np.zeros(self.num_envs, np.bool_)  # whose episode waits for a reset,
        self._whole = self._over.copy()  # and whose game is over, too: the vector resets it

    def _make_spaces(self) -> None:
        single = self.envs.single_observation_space
        assert isinstance(single, gymnasium.spaces.Box)
        if self._apart:
            single = gymnasium.spaces.Box(single.low[0], single.high[0], dtype=single.dtype)
        self.single_observation_space = single
        self.observation_space = batch_of_observations(single, self.num_envs)
        self.single_action_space = gymnasium.spaces.Discrete(self.num_actions)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a VersusVectorEnv cannot be pickled or copied: pass what makes one, such as "
            "functools.partial(VersusVectorEnv, 'pong', 64)"
        )

    # ---- Episodes --------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return shown(
            self, num_envs=self.num_envs, **self._seats.facts(), obs_type=self.envs.obs_type
        )

    @one_caller
    def reset(
        self,
        *,
        seed: int | Sequence[int] | Array | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Array, Infos]:
        """Start episodes.

        Args:
            seed: As of `AtariVectorEnv`: seed s gives the i-th game that is reset the seed s + i.
            options: ``"reset_mask"``, a bool array (num_envs,), says which games are reset.
                ``"starts"`` says where these episodes begin, as the argument of that name.

        Returns:
            Observations and infos of all games.

        Raises:
            TypeError: The options, the mask or the seeds are of the wrong type.
            ValueError: They are of the wrong shape or out of range, there is another option, or the
                first reset, or one after a step that broke off, is not of all games.
        """
        refuse_truth("seed", seed)
        options = check.reset_options(options, ("reset_mask", "starts"))
        mask = np.ones(self.num_envs, np.bool_)
        if "reset_mask" in options:
            mask = check.reset_mask(options["reset_mask"], self.num_envs)
        if self._observations is None and not mask.all():
            raise ValueError(
                "the first reset must be of all games, as must one after a step that broke off: "
                "leave out 'reset_mask'"
            )
        seeds = check.seeds_of(seed, np.flatnonzero(mask).tolist(), self.num_envs)
        self.envs._native.check_open()
        self._observations = None  # until the reset is whole
        return self._seen(*self._reset(options | {"reset_mask": mask}, seeds))

    @one_caller
    def set_starts(self, starts: AnyStarts | None) -> None:
        """Choose where episodes begin from the next resets on, as the argument `starts`.

        Raises:
            TypeError: It is none of what starts may be.
            ValueError: As of `AtariVectorEnv.set_starts`.
        """
        self.envs.set_starts(starts)

    def _reset(self, options: dict[str, Any], seeds: Array | None = None) -> tuple[Array, Infos]:
        """Start games where the option ``reset_mask`` is; all observations and infos."""
        mask = options["reset_mask"]
        chosen = seeds if seeds is None else seeds[mask]
        observations, infos = self.envs.reset(seed=chosen, options=options)
        for env in np.flatnonzero(mask).tolist():
            own_seed = None if seeds is None or seeds[env] < 0 else int(seeds[env])
            self._seats.begin(env, own_seed)
        self._over = self._over & ~mask
        return observations, infos

    def _begin(self, over: Array, whole: Array, observations: Array, infos: Infos) -> Any:
        """Start episodes where they are `over`; where the game is `whole`, the vector has done it.

        Returns:
            All observations and infos.
        """
        for env in np.flatnonzero(over & whole).tolist():
            self._seats.begin(env)
        if (over & ~whole).any():
            return self._reset({"reset_mask": over & ~whole})
        return observations, infos

    @one_caller
    def step(self, actions: Any) -> tuple[Array, Array, Array, Array, Infos]:
        """Play an action of the agent in each game, and those of all opponents.

        Args:
            actions: Indices into the action set, whole numbers (num_envs,).

        Returns:
            Observations, rewards, terminations, truncations and infos.

        Raises:
            IndexError: An action is outside the action set; nothing was played.
            ValueError: `actions` has another shape.
            TypeError: `actions` is of another type.
            gymnasium.error.ResetNeeded: There was no reset, or none since a step that an interrupt
                or an exception of an opponent ended.
            RuntimeError: Another call is running, such as one in which an opponent makes this one.
        """
        self.envs._native.check_open()
        own, seen = self._checked(actions), self._observations
        if seen is None:
            raise error.ResetNeeded("there was no reset, or a step broke off: call reset first")
        mode, waited = self.autoreset_mode, self._over
        if mode == AutoresetMode.DISABLED and waited.any():
            env = np.flatnonzero(waited)[0]
            raise RuntimeError(f"the episode of environment {env} is over; reset it first")
        self._observations = None  # until the step is whole
        every = self.envs._apart(self._seats.actions, own, self._ram, seen, apart=self._apart)
        self.envs._native.check_open()  # an opponent may close the vector
        self.envs._native.choose(every.ctypes.data)
        observations, rewards, terminations, truncations, infos = self.envs.step(every)
        seats = self._seats.own
        whole = terminations.all(axis=1) | truncations
        rewards, terminations = rewards[self._rows, seats], terminations[self._rows, seats]
        over, more = terminations | truncations, {}
        if "unclipped_reward" in infos:
            more["unclipped_reward"] = infos["unclipped_reward"][self._rows, seats]
        if "ended_by" in infos:
            more["ended_by"] = infos["ended_by"].copy()
        if mode == AutoresetMode.NEXT_STEP and waited.any():
            observations, infos = self._begin(waited, self._whole, observations, infos)
            for array in (rewards, terminations, truncations, over, whole):
                array[waited] = 0
            for array in more.values():
                array[waited] = 0
        elif mode == AutoresetMode.SAME_STEP and over.any():
            more |= self._final(over, whole, observations, infos)
            observations, infos = self._begin(over, whole, observations, infos)
            over = np.zeros_like(over)
        self._over, self._whole = over, whole
        observations, infos = self._seen(observations, infos)
        return observations, rewards, terminations, truncations, infos | more

    def _checked(self, actions: Any) -> Array:
        """Check the agent's actions, and return them as an array."""
        chosen = whole_numbers("actions", actions)
        if chosen.shape != (self.num_envs,):
            raise ValueError(f"actions must have shape ({self.num_envs},), not {chosen.shape}")
        if chosen.min() < 0 or chosen.max() >= self.num_actions:
            wrong = np.flatnonzero((chosen < 0) | (chosen >= self.num_actions))
            raise IndexError(
                f"actions[{wrong[0]}] is {chosen[wrong[0]]}; it must be 0 to {self.num_actions - 1}"
            )
        return chosen

    # ---- What the agent sees ---------------------------------------------------------------------

    def _seen(self, observations: Array, infos: Infos) -> tuple[Array, Infos]:
        """The agent's observations and infos, of those of all players, which are kept."""
        own = {name: self._own(infos[name]) for name in infos if name not in _NOT_OWN}
        if self._keep_ram:
            own["ram"] = infos["ram"]
        if "labels" in infos:
            own["labels"] = infos["labels"]
        own["seat"] = self._seats.own.copy()
        seen = self._own(observations) if self._apart else observations
        # The agent may change what it is given.
        kept = observations.copy() if self._seats.needs_observations else observations
        self._ram = infos["ram"].copy() if self._keep_ram else infos["ram"]
        self._observations = kept  # the last, for with it the step is whole
        return seen, own

    def _own(self, array: Array) -> Array:
        """The agent's part of an array that has an axis of players, or may have one."""
        players = self.envs.num_players
        if array.ndim < 2 or array.shape[1] != players:
            return array
        own: Array = array[self._rows, self._seats.own]
        return own

    def _final(self, over: Array, whole: Array, observations: Array, infos: Infos) -> Infos:
        """Return the infos of the last steps of episodes.  Other rows are 0.

        Args:
            over: Whose episode is over.
            whole: Whose game is, too, and has been reset already.
            observations: Those of all players now.
            infos: Likewise.
        """
        last = np.zeros_like(observations)
        last[over] = observations[over]
        entries = {name: infos[name].copy() for name in _FINAL}
        if whole.any():
            last[whole] = infos["final_obs"][whole]
            for name, entry in entries.items():
                entry[whole] = infos["final_info"][name][whole]
        final = {name: self._own(entry) for name, entry in entries.items()}
        final["seat"] = self._seats.own.copy()
        for entry in final.values():
            entry[~over] = 0
        return {
            "final_obs": self._own(last) if self._apart else last,
            "_final_obs": over,
            "final_info": final,
            "_final_info": over.copy(),
        }

    def render(self) -> tuple[npt.NDArray[np.uint8], ...]:
        """The screens of all games; as `AtariVectorEnv.render`."""
        return self.envs.render()

    def close_extras(self, **kwargs: Any) -> None:
        """Close the vector."""
        if hasattr(self, "envs"):
            self.envs.close()

    def __del__(self) -> None:
        """Close nothing: the vector closes itself."""

    def get_action_meanings(self) -> tuple[list[str], ...]:
        """The names of the actions in each game, by index."""
        return self.envs.get_action_meanings()


def _check_names(options: Mapping[str, Any]) -> None:
    """See that options are arguments of the vector that a caller may choose."""
    for name in options:
        if name in _REFUSED:
            raise TypeError(f"{name} cannot be chosen: {_REFUSED[name]}")
        if name not in _ARGUMENTS:
            raise unknown("VersusVectorEnv", name, _ARGUMENTS)
