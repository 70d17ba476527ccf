"""Turn-based environments: `AECAtariEnv`, their type, which PettingZoo leaves untyped."""
# ruff: noqa: D102 (PettingZoo says what the methods do)

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pettingzoo import AECEnv  # type: ignore[import-untyped]
from pettingzoo.utils.conversions import (  # type: ignore[import-untyped]
    parallel_to_aec_wrapper,
)

from pyale_ma._native import interrupted
from pyale_ma.multi.base import ArgumentError, TurnwiseAtariEnv

if TYPE_CHECKING:
    import gymnasium
    import numpy as np
    import numpy.typing as npt

    class AECAtariEnv(AECEnv[str, Any, int | None]):  # type: ignore[misc]
        """PettingZoo's `AECEnv` with its types, which type checkers do not read in PettingZoo."""

        metadata: dict[str, Any]
        possible_agents: list[str]
        agents: list[str]
        agent_selection: str
        rewards: dict[str, float]
        terminations: dict[str, bool]
        truncations: dict[str, bool]
        infos: dict[str, dict[str, Any]]
        num_agents: int
        max_num_agents: int

        def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None: ...
        def step(self, action: int | None) -> None: ...
        def observe(self, agent: str) -> Any: ...
        def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]: ...
        def agent_iter(self, max_iter: int = 2**63) -> Iterable[str]: ...
        def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]: ...
        def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]: ...
        def get_action_meanings(self) -> list[str]: ...
        def state(self) -> npt.NDArray[np.uint8]: ...
        def render(self) -> npt.NDArray[np.uint8] | None: ...
        def close(self) -> None: ...

else:
    AECAtariEnv = AECEnv


class _Turns(parallel_to_aec_wrapper):  # type: ignore[misc]
    """PettingZoo's converter, which asks for `reset` after it was interrupted in the middle."""

    # Set before the converter or its environment changes, and cleared after it.
    _interrupted = False

    def get_action_meanings(self) -> list[str]:
        meanings: list[str] = self.env.get_action_meanings()
        return meanings

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self.env._check_reset(seed, options)
        self._interrupted = True
        super().reset(seed=seed, options=options)
        self._interrupted = False

    def step(self, action: int | None) -> None:
        if self._interrupted:
            self.env._ensure_free()
            raise interrupted()
        self._interrupted = True
        try:
            super().step(action)
        except ArgumentError:  # before anything was played
            self._interrupted = False
            raise
        self._interrupted = False


def by_turns(env: TurnwiseAtariEnv) -> AECAtariEnv:
    """Return an environment in which agents act in turn, and the last one starts the frame."""
    made: AECAtariEnv = _Turns(env)
    return made
