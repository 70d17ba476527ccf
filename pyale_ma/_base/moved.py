"""Modules that were elsewhere once, for pickles that name classes by their older places."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

_PACKAGE = __name__.partition(".")[0]
_MOVED = {
    "actions": "games.actions",
    "compat.envpool": "integrations.envpool.gymnasium_pool",
    "crossplay": "evaluation.crossplay",
    "environments": "games.environments",
    "integrations.envpool_pool": "integrations.envpool.pool",
    "integrations.pool": "integrations.envpool.pool",
    "interface": "console.interface",
    "matches": "evaluation.matches",
    "modes": "games.modes",
    "observations": "console.observations",
    "opponents.arena": "evaluation.arena",
    "opponents.rating": "evaluation.rating",
    "policies": "opponents.policies",
    "recording.dataset": "recording.data.dataset",
    "recording.format": "recording.file.format",
    "recording.layers": "recording.replay.layers",
    "recording.memory": "recording.data.memory",
    "recording.reader": "recording.replay.recording",
    "recording.replay.players": "recording.replay.window_players",
    "recording.windows": "recording.replay.windows",
}
PLACES = {f"{_PACKAGE}.{before}": f"{_PACKAGE}.{now}" for before, now in _MOVED.items()}


# Without the abstract bases of loaders and finders, which import `importlib.resources`.
class _Names:
    """Fills a module with the names of the one that replaces it."""

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave it to Python."""

    def exec_module(self, module: ModuleType) -> None:
        for name, value in vars(import_module(PLACES[module.__name__])).items():
            if not name.startswith("__"):
                setattr(module, name, value)


class _Moved:
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, _Names()) if fullname in PLACES else None  # type: ignore[arg-type]


def keep_places() -> None:
    """Let the older places be imported, from now on and in the whole process."""
    if not any(type(finder).__name__ == _Moved.__name__ for finder in sys.meta_path):
        sys.meta_path.append(_Moved())
