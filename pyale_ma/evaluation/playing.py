"""Matches in a vector: many that are played side by side, or one that is played again."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pyale_ma.evaluation.matches import Array, Lineup, Match
from pyale_ma.opponents.policies import Policy
from pyale_ma.opponents.seat_table import SeatTable
from pyale_ma.screen.film import Film
from pyale_ma.vector import AtariVectorEnv

__all__ = ["play", "replay"]

_IDLE = -1  # in place of a match's number: none is left for this environment


def play(
    envs: AtariVectorEnv,
    policies: Mapping[str, Policy],
    lineups: Sequence[Lineup],
    games: int,
    seed: int,
) -> list[Match]:
    """Play matches; the first ones begin first.

    Args:
        envs: A vector without automatic resets, of at most as many environments as matches.
        policies: The policies by name.
        lineups: The line-ups.
        games: Matches of each line-up.
        seed: Match k has the seed `seed` + k.
    """
    apart = envs.agent_indicator or envs.mirror  # each player has its own observation
    table = SeatTable(envs.num_envs, len(lineups[0]), envs.num_actions[0], game=envs)
    numbers = {name: table.add(name, policy) for name, policy in policies.items()}

    def seat(env: int, match: int) -> None:
        lineup = [numbers[name] for name in lineups[match // games]]
        table.begin(env, lineup, match, (seed + match,))

    count = games * len(lineups)
    matches = np.arange(envs.num_envs, dtype=np.int64)  # which each environment plays
    for env in range(envs.num_envs):
        seat(env, env)
    waiting = iter(range(envs.num_envs, count))
    done: dict[int, Match] = {}
    history: list[Array] = []  # the actions of all environments in all steps
    began = np.zeros(envs.num_envs, int)  # at which step
    returns = np.zeros((envs.num_envs, table.num_players), np.int64)
    observations, infos = envs.reset(seed=seed + matches)
    while len(done) < count:
        actions = np.zeros(returns.shape, np.int64)
        table.choose(actions, infos.get("ram"), observations, apart=apart)
        observations, _, terminations, truncations, infos = _step(envs, actions)
        history.append(actions.astype(np.uint8))
        returns += infos["unclipped_reward"].reshape(returns.shape)
        over = terminations.reshape(returns.shape).all(axis=1) | truncations
        for env in np.flatnonzero(over).tolist():
            match = int(matches[env])
            if match != _IDLE:
                done[match] = Match(
                    lineups[match // games],
                    seed + match,
                    tuple(returns[env].tolist()),
                    bool(truncations[env]),
                    np.array([step[env] for step in history[began[env] :]]),
                    zlib.crc32(observations[env].tobytes()),
                )
            matches[env] = match = next(waiting, _IDLE)
            if match == _IDLE:
                table.clear(env)
            else:
                seat(env, match)
        if over.any():
            began[over], returns[over] = len(history), 0
            seeds = seed + np.maximum(matches[over], 0)
            observations, infos = envs.reset(seed=seeds, options={"reset_mask": over})
    return [done[match] for match in range(count)]


def replay(envs: AtariVectorEnv, match: Match, film: Film | None, steps: int) -> None:
    """Play the first steps of a match again.

    Args:
        envs: A vector of one environment without automatic resets.
        match: The match.
        film: What takes each frame; None: nothing.
        steps: How many.

    Raises:
        ValueError: All were played, and other returns came of them.
    """

    def screen() -> npt.NDArray[np.uint8]:
        grid: npt.NDArray[np.uint8] = envs.render_grid([0])
        return grid

    returns = np.zeros(len(match.lineup), np.int64)
    envs.reset(seed=match.seed)
    if film:
        film.add(screen, envs._env_infos[0])
    for actions in match.actions[:steps]:
        *_, infos = _step(envs, actions.astype(np.int64))
        returns += infos["unclipped_reward"].reshape(-1)
        if film:
            film.add(screen, envs._env_infos[0])
    replayed = tuple(returns.tolist())
    if steps >= len(match.actions) and replayed != match.returns:
        raise ValueError(
            f"the match ended with {match.returns}, and with {replayed} when it was played "
            "again: it was played in an arena with other options"
        )


def _step(envs: AtariVectorEnv, actions: Array) -> Any:
    """A step; where the rules are those for one player, actions have no axis of players."""
    return envs.step(actions.reshape(envs.action_space.shape))
