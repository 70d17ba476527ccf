"""`VersusEnv`: a game for several players as a Gymnasium environment for one, against opponents."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal, NoReturn

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import error
from gymnasium.utils import EzPickle

from pyale_ma._base.arguments import (
    check_reset_options,
    known_names,
    refuse_truth,
)
from pyale_ma._base.callers import one_caller
from pyale_ma._base.text import shown
from pyale_ma.console.observations import (
    OBSERVATIONS,
    ObsType,
    check_observation,
    check_render_mode,
)
from pyale_ma.console.starts import AnyStarts
from pyale_ma.games.actions import action_names
from pyale_ma.multi import ParallelAtariEnv
from pyale_ma.opponents.catalogue import select
from pyale_ma.opponents.seats import AgentSeats, Opponent
from pyale_ma.single.action import index_of, no_action
from pyale_ma.vector import checks as check

__all__ = ["VersusEnv"]


class VersusEnv(gymnasium.Env[Any, Any], EzPickle):
    """A game for several players, of which one is the agent and the others are opponents.

    Observations are those of `pyale_ma.single.AtariEnv`: uint8 arrays, the screen in colour
    ``(height, 160, 3)`` or gray ``(height, 160)``, RAM ``(128,)``, or the objects that cover each
    pixel; or labels, int32.  Actions are indices into the game's minimal action set.  An episode
    ends with the game, or when the agent is out.  ``info`` has ``seat``, ``lives``,
    ``frame_number`` and ``episode_frame_number``.

    All that happens after a seeded reset depends only on the seed.

    Args:
        game: A game, such as "pong"; the name of an environment for several agents, such as
            "pong_v3"; or the path of a card.
        opponent: Who has the other seats: the name of a level, as for `load`, a policy
            (`pyale_ma.evaluation.Policy`) or a `Pool`; or a list with one for each other seat.
        seat: The agent's, 0 for the first player; None: another one in each episode, the first
            after a seeded reset by the seed.
        num_players: For how many players; None: what `game` means.
        mode: The game's mode; None: what `game` means.
        obs_type: "rgb", "grayscale", "ram", "objects" or "labels".
        frameskip: Frames per step.
        repeat_action_probability: The probability, in each frame, that a player's previous action
            is repeated.
        full_action_space: Use all 18 actions instead of those that have an effect.
        max_num_frames_per_episode: Truncate an episode after this many frames; None: never.
        noop_max: An episode begins with a random number of steps of NOOP, at most this many.
        render_mode: None, "human" (a window, which needs pygame) or "rgb_array".
        difficulty: One of the game's difficulties; None for 0.
        corrected_rules: Correct the faults that docs/rules-audit.md lists.
        terminal_on: As of `ParallelAtariEnv`.
        starts: As of `ParallelAtariEnv`: where episodes begin.

    Examples:
        ```python
        from pyale_ma.opponents import VersusEnv

        env = VersusEnv("quartet", "strong", num_players=2)
        observation, info = env.reset(seed=42)
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        ```

    Raises:
        gymnasium.error.Error: `obs_type`, `frameskip` or `render_mode` is not an allowed value.
        TypeError: An opponent or another argument is of a wrong type.
        ValueError: There is no such game, mode, level or seat, or an opponent was trained for
            another game, mode or frameskip, or an argument is out of range.
        FileNotFoundError: The game's ROM file was not found; the text says how to get one.
    """

    metadata = {"render_modes": ["human", "rgb_array"], "render_fps": 15}  # noqa: RUF012

    _is_busy = False  # whether a call runs, for `one_caller`

    @known_names
    def __init__(
        self,
        game: str | os.PathLike[str],
        opponent: Opponent = "strong",
        seat: int | None = None,
        *,
        num_players: int | None = None,
        mode: int | None = None,
        obs_type: ObsType = "rgb",
        frameskip: int = 4,
        repeat_action_probability: float = 0.0,
        full_action_space: bool = False,
        max_num_frames_per_episode: int | None = 108000,
        noop_max: int = 30,
        render_mode: Literal["human", "rgb_array"] | None = None,
        difficulty: int | None = None,
        corrected_rules: bool = False,
        terminal_on: Mapping[str, str | int] | None = None,
        starts: AnyStarts | None = None,
    ) -> None:
        arguments = {name: value for name, value in locals().items() if name != "self"}
        check_observation(obs_type)
        check_render_mode(render_mode, *self.metadata["render_modes"])
        check.frameskip("frameskip", frameskip)
        chosen = select(game, num_players, mode, difficulty, full_action_space)
        # With what was read: a copy plays the same, whatever has become of the files.
        arguments |= {"game": chosen, "num_players": chosen.num_players, "mode": chosen.mode}
        EzPickle.__init__(self, **arguments)
        frames = max_num_frames_per_episode
        if frames is not None:
            frames = check.int32("max_num_frames_per_episode", frames, 1)
        self.env = ParallelAtariEnv(
            chosen,
            chosen.players,
            chosen.mode,
            obs_type=OBSERVATIONS[obs_type].agent_name,
            full_action_space=chosen.full_action_space,
            difficulty=chosen.difficulty,
            # A step that reaches the limit is the last, as in vectors.
            max_cycles=2**62 if frames is None else -(-frames // frameskip),
            render_mode=render_mode,
            frame_skip=frameskip,
            repeat_action_probability=repeat_action_probability,
            detailed_infos=True,
            noop_max=noop_max,
            corrected_rules=corrected_rules,
            terminal_on=terminal_on,
            starts=starts,
        )
        self._seats = AgentSeats(
            opponent, chosen, seat, num_envs=1, frameskip=frameskip, game=self.env
        )
        self.render_mode = render_mode
        self._obs_type = obs_type
        self._frameskip = frameskip  # which Gymnasium's AtariPreprocessing looks at
        kind = OBSERVATIONS[obs_type].of_game(self.env._played.game)
        self._shape = kind.shape(self.env.ale.env.info.screen_height)
        self.observation_space = kind.space(self._shape)
        self.action_space = gymnasium.spaces.Discrete(len(chosen.action_set))
        self._observation: npt.NDArray[Any] | None = None

    @one_caller
    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode.

        Args:
            seed: From here on all depends only on it; None: all random generators continue.
            options: ``"starts"`` says where this episode begins, as the argument of that name.
                Those of vectors are refused: choose mode and difficulty when you make the
                environment.

        Returns:
            The first observation, and `info`.

        Raises:
            TypeError: `options` is not a dict, or `seed` a truth value.
            ValueError: `options` has an option of vectors, or the agent is out at the start.
        """
        check_reset_options(options, ("starts",))
        refuse_truth("seed", seed)
        super().reset(seed=seed, options=options)
        # The environment for several agents would draw its random numbers anew.
        drawn = int(self.np_random.integers(2**32)) if seed is None else seed
        self._observation = None  # until the reset is whole
        chosen = {"starts": options["starts"]} if options and "starts" in options else None
        observations, infos = self.env.reset(seed=drawn, options=chosen)
        self._seats.begin(0, seed)
        if self._agent() not in self.env.agents:
            raise ValueError(
                f"the agent has seat {self._seats.own[0]}, which is out at this start: "
                "choose a start where it plays"
            )
        seen, info = self._seen(observations), self._info(infos)
        self._observation = self._kept(seen)
        return seen, info

    @one_caller
    def set_starts(self, starts: AnyStarts | None) -> None:
        """Choose where episodes begin from the next reset on, as the argument `starts`.

        Raises:
            TypeError: It is none of what starts may be.
            ValueError: A state is another game's, or a weight is not allowed.
        """
        self.env.set_starts(starts)

    @one_caller
    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action of the agent and one of each opponent.

        Args:
            action: An index into the action set.

        Returns:
            Observation, reward, whether the agent's game is over, whether it was truncated, and
            `info`.

        Raises:
            gymnasium.error.ResetNeeded: There was no reset since the beginning, the last end, or a
                step that an interrupt or an exception of an opponent broke off.
            IndexError: `action` is outside the action set.
            TypeError: `action` is not a whole number.
            RuntimeError: Another call is running, such as one in which an opponent makes this one.
        """
        before = self._observation
        if before is None:
            raise error.ResetNeeded(
                "the episode is over, did not begin, or a step broke off: call reset first"
            )
        count = int(self.action_space.n)  # type: ignore[attr-defined]
        try:
            refuse_truth("action", action)
            index = index_of(action)
        except TypeError:
            raise no_action(action, count) from None
        if not 0 <= index < count:
            raise IndexError(f"action is {index}; it must be 0 to {count - 1}")
        env = self.env
        self._observation = None  # until the step is whole
        agents, frame = env.agents, env.frame
        chosen = self._seats.actions(
            np.array([index]), env.state()[None], before[None], apart=False
        )[0].tolist()
        if env.agents is not agents or env.frame != frame:
            raise RuntimeError(
                "an opponent played or reset the `env` of this VersusEnv while it chose its "
                "action: opponents may only return actions; call reset first"
            )
        every = dict(zip(env.possible_agents, chosen, strict=True))
        agent = self._agent()
        observations, rewards, terminations, truncations, infos = env.step(
            {name: every[name] for name in env.agents}
        )
        seen, info = self._seen(observations), self._info(infos)
        reward, over, cut = float(rewards[agent]), bool(terminations[agent]), truncations[agent]
        following = None if over or cut else self._kept(seen)
        result = seen, reward, over, bool(cut and not over), info
        self._observation = following
        return result

    def _agent(self) -> str:
        name: str = self.env.possible_agents[self._seats.own[0]]
        return name

    def _seen(self, observations: dict[str, Any]) -> npt.NDArray[Any]:
        seen: npt.NDArray[Any] = observations[self._agent()].reshape(self._shape)
        return seen

    def _kept(self, seen: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Observations for opponents in the next step; the agent may change its own."""
        return seen.copy() if self._seats.needs_observations else seen

    def _info(self, infos: dict[str, dict[str, Any]]) -> dict[str, Any]:
        return {"seat": int(self._seats.own[0]), **infos.get(self._agent(), {})}

    @known_names
    def branches(self, n: int, *, others: Any = "random", num_threads: int = 1) -> Any:
        """Make branches of the game, as `pyale_ma.multi.ParallelAtariEnv.branches` does.

        They have all seats: opponents are not copied.
        """
        return self.env.branches(n, others=others, num_threads=num_threads)

    def render(self) -> npt.NDArray[Any] | None:
        """The screen, uint8 (height, 160, 3); None, with it in a window, for "human".

        Raises:
            gymnasium.error.Error: The environment was made without a render mode.
        """
        if self.render_mode is None:
            raise error.Error(
                "the environment was made without a render mode: give it render_mode='rgb_array'"
            )
        return self.env.render()

    def __repr__(self) -> str:
        return shown(self, **self._seats.facts(), obs_type=self._obs_type)

    def close(self) -> None:
        """Close the window, if there is one."""
        self.env.close()

    def __getattr__(self, name: str) -> NoReturn:
        """Refuse unknown attributes, and say why there is no ``ale``, which some wrappers need."""
        if name == "ale":
            raise AttributeError(
                "VersusEnv has no `ale`: do not wrap it in AtariPreprocessing or AtariWrapper, "
                "which play the frames of a step and read lives themselves, while opponents choose "
                "once a step. It skips frames itself (frameskip); a VersusVectorEnv of one game "
                "makes pictures smaller and stacks them"
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def get_action_meanings(self) -> list[str]:
        """The names of the actions, by index."""
        return action_names(self.env.action_mapping.tolist())
