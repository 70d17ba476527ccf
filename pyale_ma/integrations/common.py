"""Code that the adapters share: checks of vectors, and several players as rows."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from pyale_ma.integrations.adapters import ADAPTERS, LIBRARIES
from pyale_ma.multi.base import AGENTS
from pyale_ma.vector import AtariVectorEnv

Array: TypeAlias = npt.NDArray[Any]

_FOR_SEVERAL = " or ".join(name for name, traits in ADAPTERS.items() if traits.own_views)


def check_vector(envs: Any, adapter: str) -> None:
    """Check that an adapter can use a vector.

    Args:
        envs: What was given for the vector.
        adapter: Its key in `ADAPTERS`.

    Raises:
        TypeError: It is not an `AtariVectorEnv`.
        ValueError: It was made with arguments that do not fit; the text says which would.
    """
    traits = ADAPTERS[adapter]
    module, _, name = adapter.partition(".")
    if not isinstance(envs, AtariVectorEnv):
        raise TypeError(f"{name} takes an AtariVectorEnv, not {type(envs).__name__}")
    if envs.autoreset_mode != traits.autoreset:
        raise ValueError(
            f"{name} needs autoreset_mode={traits.autoreset.value!r}; "
            f"this vector was made with {envs.autoreset_mode.value!r}"
        )
    if envs.batch_size < envs.num_envs:
        raise ValueError(
            f"{name} steps all environments at once; this vector was made with "
            f"batch_size={envs.batch_size} for {envs.num_envs}: leave batch_size out"
        )
    if envs.single_action_space is None:
        counts = sorted(set(envs.num_actions))
        raise ValueError(
            f"{name} needs one action space, but these games have {counts} actions: "
            "make the vector with full_action_space=True, which gives all of them the same 18"
        )
    if not traits.several_players and (envs.num_players or 1) > 1:
        raise ValueError(
            f"{name} is for one player, and this vector has num_players={envs.num_players}: "
            f"leave num_players out, or take {_FOR_SEVERAL}, which know several"
        )
    if not traits.own_views and (envs.agent_indicator or envs.mirror):
        raise ValueError(
            f"{name} shows the screen as it is: make the vector without agent_indicator and "
            f"mirror, or take {_FOR_SEVERAL}, which give each player its own"
        )
    if traits.keeps and not envs.copy:
        library = LIBRARIES[module].name
        raise ValueError(f"{library} keeps observations: make the vector without copy=False")


def agent_names(players: int) -> list[str]:
    """Return PettingZoo's names of the agents of Atari environments for this many players."""
    return list(AGENTS[:players])


class PlayerRows:
    """Several players of an environment as several rows of a batch.

    Environment i's player p is row ``i * players + p``.  A player who is out waits, with rewards of
    0, for the end of the game, which ends the episode of all its rows.

    Args:
        envs: The vector.
        agent_indicator: Add a plane for each player to the front axis of observations, 255 in the
            row's own and 0 in the others': all players see one screen, and a network that plays for
            several of them must know for whom.

    Attributes:
        players: Rows of each environment.
        count: All rows.
        observation_space: Of one row.
        action_space: Of one row.
    """

    def __init__(self, envs: AtariVectorEnv, *, agent_indicator: bool = False) -> None:
        self.envs = envs
        self.players = envs.num_players or 1
        self.count = envs.num_envs * self.players
        if agent_indicator and envs.agent_indicator:
            raise ValueError(
                "the vector has agent_indicator=True already: leave it out in one of the two places"
            )
        self._indicator = agent_indicator
        self._apart = envs.agent_indicator or envs.mirror  # each player has its own observation
        shape = envs.single_observation_space.shape or ()
        stack, *frame = shape[1:] if self._apart else shape
        self._stack = stack
        single = envs.single_observation_space
        assert isinstance(single, spaces.Box)
        low, high = (bound[0] if self._apart else bound for bound in (single.low, single.high))
        if agent_indicator:
            indicator = np.full((self.players, *frame), 255, single.dtype)
            low = np.concatenate([low, np.zeros_like(indicator)])
            high = np.concatenate([high, indicator])
        self.observation_space: Any = spaces.Box(low, high, dtype=single.dtype)
        space = envs.single_action_space
        if envs.num_players is None:
            self.action_space = space
        elif isinstance(space, spaces.MultiDiscrete):
            self.action_space = spaces.Discrete(int(space.nvec[0]))
        else:
            assert isinstance(space, spaces.Box)
            self.action_space = spaces.Box(space.low[0], space.high[0])
        self._actions_shape = envs.action_space.shape
        self._own = np.zeros((self.players, self.players, *[1] * len(frame)), single.dtype)
        self._own[range(self.players), range(self.players)] = 255

    def observations(self, batch: Array) -> Array:
        """Each row's observation, from one for each environment."""
        if not self._indicator and self._apart:
            return batch.reshape(-1, *batch.shape[2:])
        if not self._indicator:
            return batch if self.players == 1 else np.repeat(batch, self.players, axis=0)
        shape = self.observation_space.shape
        rows = np.empty((len(batch), self.players, *shape), batch.dtype)
        rows[:, :, : self._stack] = batch if self._apart else batch[:, None]
        rows[:, :, self._stack :] = self._own
        return rows.reshape(-1, *shape)

    def actions(self, rows: Array) -> Array:
        """The vector's actions, from one for each row.

        Raises:
            ValueError: There is not one for each row.
        """
        rows = np.asarray(rows)
        shape = (self.count, *(self.action_space.shape or ()))
        if rows.shape != shape:
            raise ValueError(f"actions must have shape {shape}, not {rows.shape}")
        return rows.reshape(self._actions_shape)

    def spread(self, each: Array) -> Array:
        """A value for each row, from one for each environment or one for each player."""
        if each.ndim == 1 and self.players > 1:
            each = np.repeat(each, self.players)
        return each.reshape(-1)

    def ends(self, terminations: Array, truncations: Array) -> tuple[Array, Array]:
        """Return whose episode is over, and whose only because it was truncated."""
        if terminations.ndim == 1:
            return terminations | truncations, truncations & ~terminations
        over = terminations.all(axis=1) | truncations
        return self.spread(over), (truncations[:, None] & ~terminations).reshape(-1)
