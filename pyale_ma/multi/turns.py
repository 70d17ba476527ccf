"""`AECAtariEnv`: a type for turn-based environments, which PettingZoo leaves untyped."""
# ruff: noqa: D102 (PettingZoo says what the methods do)

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pettingzoo import AECEnv  # type: ignore[import-untyped]

__all__ = ["AECAtariEnv"]

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
        def state(self) -> npt.NDArray[np.uint8]: ...
        def render(self) -> npt.NDArray[np.uint8] | None: ...
        def close(self) -> None: ...

else:
    AECAtariEnv = AECEnv
