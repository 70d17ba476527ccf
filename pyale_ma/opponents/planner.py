"""`Planner`: a player that needs no training: it tries plans on branches of the game."""

from __future__ import annotations

import functools
import reprlib
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pyale_ma._base.arguments import integer, number, probability
from pyale_ma.opponents.policies import NO_GAME, Player, Turn, needed
from pyale_ma.opponents.values import VALUES, Value
from pyale_ma.opponents.weights import LEVELS
from pyale_ma.vector.branches import OPEN, Branches

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["Planner", "planner_settings"]

Array: TypeAlias = npt.NDArray[Any]

_TABLE = Path(__file__).parent / "players" / "planner.toml"
_MOST_GAMES = 4  # whose branches are kept
_MOST_PLANS = 4096


@functools.cache
def planner_settings() -> dict[str, dict[str, Any]]:
    """Settings of the planner by contest, such as "space_war-2-1"; others have the defaults."""
    settings: dict[str, dict[str, Any]] = tomllib.loads(_TABLE.read_text("utf-8"))
    return settings


@dataclass
class Planner(Player):
    """A player that looks ahead: it copies the game, and plays the best of several plans.

    A plan is a sequence of actions that seldom change.  Each is played in a branch of the game
    against the same sample of the others' play.  Its value is the player's discounted return less
    the others' mean return.  The first steps of the best plan are played; the rest of it is one of
    the next plans.  With `value`, the worth of the position in which a plan ends counts as well.

    Branches have sticky actions of their own.  But what the cartridge itself decides, such as cards
    and dice, is copied: this player knows it in advance.

    Args:
        plans: How many plans it tries.
        depth: Steps of a plan.
        hold: Steps that are played of the best plan.
        keep: The probability that a step of a plan repeats the action before.
        discount: What a step's rewards are worth, compared with those of the step before.
        others: What it expects of the others: "random", or a trained player, by its level or as a
            `TrainedPolicy`.
        budget_ms: Try as many plans as fit into this time; then what it does depends on the
            machine.  None: `plans`.
        value: What a position is worth beyond its rewards: a function of RAM, uint8 (n, 128), that
            returns numbers (n, players), in units of rewards; or the name of one of the package's,
            such as "maze_craze".  None: nothing.
        rivalry: What the others' mean return costs it: 1 as a rival, 0 if only its own return
            counts, below 0 if it helps the others.

    Examples:
        ```python
        from pyale_ma.opponents import Planner, VersusEnv

        env = VersusEnv("quartet", Planner(plans=4, depth=20), num_players=2)
        env.reset(seed=42)
        env.step(env.action_space.sample())
        ```

    Raises:
        TypeError: A number is none, or not a whole one.
        ValueError: A number is out of range, or no value has this name.
    """

    plans: int = 16
    depth: int = 40
    hold: int = 4
    keep: float = 0.9
    discount: float = 0.99
    others: Any = "random"
    budget_ms: float | None = None
    value: str | Value | None = None
    rivalry: float = 1.0

    needs = "game"

    _pools: dict[int, tuple[Any, Branches]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _plan_ms: float = field(default=0.0, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        integer("plans", self.plans, 2, _MOST_PLANS)
        integer("hold", self.hold, 1)
        integer("depth", self.depth, self.hold)
        probability("keep", self.keep)
        probability("discount", self.discount)
        if not np.isfinite(number("rivalry", self.rivalry)):
            raise ValueError(f"rivalry is {self.rivalry}; it must be finite")
        if not (callable(self.others) or self.others in ("random", *LEVELS)):
            levels = ", ".join(map(repr, LEVELS))
            raise ValueError(
                f"others is {self.others!r}; it must be 'random', a level ({levels}) or a player"
            )
        if self.budget_ms is not None and not number("budget_ms", self.budget_ms) > 0:
            raise ValueError(f"budget_ms is {self.budget_ms}; it must be above 0")
        if not (self.value is None or callable(self.value) or self.value in (*VALUES,)):
            raise ValueError(
                f"value is {self.value!r}; it must be a function of RAM, None or one of "
                + ", ".join(map(repr, VALUES))
            )

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_pools": {}}

    def __call__(self, observations: Array, seats: Array, /, turn: Turn | None = None) -> Array:
        """Choose actions, int64 (n,).

        Raises:
            TypeError: It is given no turn.
            ValueError: The turn has no game, `others` is no trained player of it, or `value` is
                another game's, raises, or returns anything but finite numbers (n, players).
        """
        turn = needed(turn)
        if turn.game is None:
            raise ValueError(NO_GAME.format("a planner"))
        due = [k for k, it in enumerate(turn.states) if it is None or it[1] == self.hold]
        if due:
            self._decide(turn, np.asarray(seats), due)
        actions = np.array([plan[step] for plan, step in turn.states], np.int64)
        turn.states[:] = [(plan, step + 1) for plan, step in turn.states]
        return actions

    def _decide(self, turn: Turn, seats: Array, due: list[int]) -> None:
        """Find plans for some of the players."""
        began = time.perf_counter()
        plans = self.plans
        if self.budget_ms is not None and self._plan_ms:
            plans = min(max(int(self.budget_ms / self._plan_ms), 2), _MOST_PLANS)
        count = plans * len(due)
        branches = self._branches(turn.game, count)
        generators = [turn.generators[k] for k in due]
        own = np.array(
            [
                self._proposals(generator, turn.states[k], plans, branches.num_actions)
                for generator, k in zip(generators, due, strict=True)
            ]
        )
        every, seat = np.arange(count), np.repeat(seats[due], plans)
        actions = np.full((self.depth, count, branches.num_players), OPEN, np.int32)
        actions[:, every, seat] = own.reshape(count, -1).T
        seeds = [int(generator.integers(2**32)) for generator in generators]
        branches.copy(np.repeat(turn.rows[due], plans), every, np.repeat(seeds, plans))
        returns, _ = branches.rollout(actions, discount=self.discount)
        if self.value is not None:
            returns = returns + self._worth(branches, count)
        mine = returns[every, seat]
        theirs = (returns.sum(axis=1) - mine) / max(branches.num_players - 1, 1)
        values = mine - self.rivalry * theirs
        for k, generator, each, value in zip(
            due, generators, own, values.reshape(len(due), plans), strict=True
        ):
            tried = value + 1e-6 * generator.random(plans)
            if turn.states[k] is not None:
                tried[0] += 2e-6  # among equal plans go on with the old one
            turn.states[k] = (each[tried.argmax()], 0)
        self._plan_ms = 1000 * (time.perf_counter() - began) / count

    def _worth(self, branches: Branches, count: int) -> Array:
        """Return what the present positions of branches are worth to each player."""
        value: Any = self.value
        if isinstance(value, str):
            if value not in (played := branches.envs.games):
                raise ValueError(f"value is {value!r}, which is of another game than {played[0]}")
            value = VALUES[value]
        shape = (count, branches.num_players)
        wanted = f"it must return finite numbers {shape}, one for each player"
        try:
            returned = value(branches.ram[:count])
        except Exception as problem:
            raise ValueError(
                f"value raised {type(problem).__name__}: {problem}; {wanted}"
            ) from problem
        try:
            worth = np.asarray(returned)
        except ValueError as problem:  # lists of different lengths
            raise ValueError(f"value returned {reprlib.repr(returned)}; {wanted}") from problem
        if worth.dtype.kind not in "biuf":
            array = f"an array of {worth.dtype}" if worth.ndim else reprlib.repr(returned)
            raise ValueError(f"value returned {array}; {wanted}")
        if worth.shape != shape:
            raise ValueError(f"value returned an array {worth.shape}; {wanted}")
        if not np.isfinite(worth).all():
            raise ValueError(f"value returned {worth[~np.isfinite(worth)][0]}; {wanted}")
        return worth

    def _proposals(
        self, generator: np.random.Generator, before: Any, plans: int, num_actions: int
    ) -> Array:
        """Plans (plans, depth), of which the first goes on with the one before.

        Each action comes first in some, if there are enough plans.
        """
        shape = (plans, self.depth)
        own = generator.integers(num_actions, size=shape)
        own[:, 0] = (np.arange(plans) + generator.integers(num_actions)) % num_actions
        again = generator.random(shape) < self.keep
        again[:, 0] = False
        if before is not None:  # its end is as random as the other plans
            rest = before[0][self.hold :]
            own[0, : len(rest)] = rest
            again[0, : len(rest)] = False
        since = np.maximum.accumulate(np.where(again, 0, np.arange(self.depth)), axis=1)
        return np.take_along_axis(own, since, axis=1)

    def _branches(self, game: Any, count: int) -> Branches:
        """Return at least `count` branches of a game."""
        kept = self._pools.pop(id(game), None)
        if kept is None or len(kept[1]) < count:
            if kept is not None:
                kept[1].close()
                count = max(count, 2 * len(kept[1]))
            kept = (game, game.branches(count, others=self.others))
        self._pools[id(game)] = kept
        if len(self._pools) > _MOST_GAMES:
            self._pools.pop(next(iter(self._pools)))[1].close()
        return kept[1]
