"""`Branches`: copies of games that play on, while the games stand still."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pyale_ma._base.arguments import integer, number, whole_numbers
from pyale_ma._native import OPEN
from pyale_ma.console.state import ALEState
from pyale_ma.games.selection import Selection
from pyale_ma.labels import known_labels
from pyale_ma.vector import checks as check

if TYPE_CHECKING:
    from pyale_ma.vector.env import AtariVectorEnv

__all__ = ["OPEN", "Branches"]

Array: TypeAlias = npt.NDArray[Any]


class Branches:
    """A pool of consoles onto which games are copied, and that play many steps in one call.

    Environments make it by their method ``branches``.  The games themselves stand still.  A branch
    plays by the options of its game: its frame skip, its sticky actions, its limit of frames.  When
    its episode ends, it stands still.

    Attributes:
        envs: The branches as a vector, to copy onto each other (`copy_envs`) and to look at.  It
            observes RAM and has no automatic resets.
        num_actions: Number of actions.
        num_players: Seats of a game.

    Examples:
        ```python
        import numpy as np

        from pyale_ma.vector import AtariVectorEnv

        envs = AtariVectorEnv("quartet", num_envs=2)
        envs.reset(seed=42)
        branches = envs.branches(8)
        branches.copy(0)  # the first game, on all eight
        plans = np.random.default_rng(0).integers(branches.num_actions, size=(20, 8, 1))
        returns, are_over = branches.rollout(plans)  # of 20 steps each
        ```
    """

    def __init__(
        self,
        played: Selection,
        rows: int,
        save: Callable[[int], Any],
        count: int,
        others: Any,
        options: dict[str, Any],
    ) -> None:
        """Make branches; `save` returns the state of the game in a row, of those that there are."""
        from pyale_ma.vector.env import AtariVectorEnv  # it makes branches

        self._rows, self._save, self._played = rows, save, played
        self.envs: AtariVectorEnv = AtariVectorEnv(
            played,
            integer("n", count, 1),
            num_players=played.num_players,
            mode=played.mode,
            difficulty=played.difficulty,
            full_action_space=played.full_action_space,
            variation=played.variation,
            obs_type="ram",
            stack_num=1,
            autoreset_mode="Disabled",
            noop_max=0,
            use_fire_reset=False,
            reward_clipping=False,
            copy=False,
            **options,
        )
        self.num_actions = self.envs.num_actions[0]
        self.num_players = played.players
        self._native = self.envs._native
        self._seat(others, options["frameskip"])
        self.envs.reset(seed=0)

    def _seat(self, others: Any, frameskip: int) -> None:
        """Let a trained player choose in open seats; "random": nobody does."""
        from pyale_ma.opponents import catalogue  # whose environments are vectors
        from pyale_ma.opponents.trained import TrainedPolicy

        policy: Any = None
        if others != "random":
            if isinstance(others, (str, TrainedPolicy)):
                policy = catalogue.fitted(others, self._played, frameskip)
            if not isinstance(policy, TrainedPolicy):
                raise ValueError(
                    f'others is {others!r}; it must be "random", the level of a trained player, '
                    "or a TrainedPolicy"
                )
        for branch in range(len(self)):
            for player in range(self.num_players):
                native = None if policy is None else policy._native
                self._native.seat(branch, player, native, branch * self.num_players + player)

    def __len__(self) -> int:
        return self.envs.num_envs

    def __repr__(self) -> str:
        return f"Branches({self._played.source!r}, {len(self)})"

    def copy(
        self,
        sources: Any = 0,
        targets: Sequence[int] | Array | None = None,
        seeds: int | Sequence[int] | Array | None = None,
    ) -> None:
        """Make branches copies of games as they stand now.

        Args:
            sources: A row of the vector (0: the only game) for each target, or one for all.  Or
                states, as ``save_state`` and ``save_states`` of any layer make them: their limit of
                frames begins anew.
            targets: Numbers of branches, each at most once; None: all.
            seeds: Of the branches' random generators, those of sticky actions and of open seats;
                one for each target, or s for s, s + 1, ...  Equal seeds give equal random numbers.
                None: exact copies, whose sticky actions are those that the game will have.

        Raises:
            IndexError: There is no such row or branch.
            ValueError: Not as many sources or seeds as targets, a target occurs twice, or a state
                is another game's.
            TypeError: They are not whole numbers.
        """
        self._native.check_open()
        every = range(len(self)) if targets is None else targets
        onto = check.env_numbers("targets", every, len(self)).tolist()
        if len({*onto}) < len(onto):
            raise ValueError("targets has a number twice; each branch can be there once")
        one_for_all = _is_state(sources) or np.ndim(sources) == 0
        each: list[Any] = [sources] * len(onto) if one_for_all else [*sources]
        check.env_numbers("sources", [it for it in each if not _is_state(it)], self._rows)
        if len(each) != len(onto):
            raise ValueError(f"there are {len(each)} sources, but {len(onto)} targets")
        given = check.seeds_of(seeds, onto, len(self))
        if self._native.interrupted:
            self.envs.reset()
        first: dict[Any, int] = {}  # the branch of each source, from which others are copied
        keys = [(id(it),) if _is_state(it) else int(it) for it in each]
        for source, key, branch in zip(each, keys, onto, strict=True):
            if key not in first:
                first[key] = branch
                self._restore(branch, source if _is_state(source) else self._save(int(source)))
        self.envs.copy_envs([first[key] for key in keys], onto)
        if given is not None:
            self._native.seed(np.array(onto, np.int32), np.ascontiguousarray(given[onto]))

    def _restore(self, branch: int, state: bytes | ALEState) -> None:
        if isinstance(state, bytes):  # of a vector's row
            self._native.restore_env(branch, state)
        else:
            self.envs.restore_states([branch], state)

    def rollout(self, actions: Any, *, discount: float = 1.0) -> tuple[Array, Array]:
        """Play many steps in one call.

        Args:
            actions: Whole numbers (steps, m, players): indices into the action set, for the first
                m branches; -1 (`OPEN`) leaves a seat to chance, or to the trained player that
                ``branches`` was given.
            discount: What a step's rewards are worth, compared with those of the step before.

        Returns:
            The discounted sums of rewards, float64 (m, players), and whether episodes are over,
            bool (m,).  A branch whose episode is over has no more rewards.

        Raises:
            IndexError: An action is outside the action set; nothing was played.
            ValueError: `actions` has another shape, or `discount` is not from 0 to 1.
            TypeError: `actions` are no whole numbers.
            gymnasium.error.ResetNeeded: The last call was interrupted, and there was no `copy`
                since.
        """
        self._native.check_open()
        chosen = whole_numbers("actions", actions)
        if chosen.ndim != 3 or chosen.shape[2] != self.num_players:
            raise ValueError(
                f"actions must have shape (steps, branches, {self.num_players}), not {chosen.shape}"
            )
        if not 1 <= chosen.shape[1] <= len(self):
            raise ValueError(f"actions are of {chosen.shape[1]} branches; there are {len(self)}")
        wrong = (chosen < OPEN) | (chosen >= self.num_actions)
        if wrong.any():
            raise IndexError(
                f"an action is {chosen[wrong][0]}; they are 0 to {self.num_actions - 1}, and -1 "
                "for open seats"
            )
        factor = number("discount", discount)
        if not 0 <= factor <= 1:
            raise ValueError(f"discount is {discount}; it must be from 0 to 1")
        return self._native.roll_out(np.ascontiguousarray(chosen, np.int32), factor)

    def step(self, actions: Any) -> tuple[Array, Array]:
        """Play one step, with actions (m, players); see `rollout`."""
        return self.rollout(np.asarray(actions)[None])

    @property
    def ram(self) -> npt.NDArray[np.uint8]:
        """RAM of all branches, uint8 (n, 128)."""
        self._native.check_open()
        return self._native.rams()

    @property
    def labels(self) -> npt.NDArray[np.int32]:
        """Labels of all branches, int32 (n, number of labels), in the order of `label_names`.

        Raises:
            ValueError: The game has no labels.
        """
        return known_labels(self._played.game).values(self.ram)

    def close(self) -> None:
        """Stop the threads and free the branches."""
        self.envs.close()


def _is_state(source: Any) -> bool:
    return isinstance(source, ALEState)
