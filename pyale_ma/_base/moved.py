"""Modules that were elsewhere once, for pickles that name classes by their older places."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

_PACKAGE = __name__.partition(".")[0]
_ROOMS = {  # where modules are now, and where they were
    ("console", ""): ("interface", "observations"),
    ("evaluation", ""): ("crossplay", "matches"),
    ("evaluation", ".opponents"): ("arena", "rating"),
    ("games", ""): ("actions", "environments", "modes"),
    ("opponents", ""): ("policies",),
    ("recording.data", ".recording"): ("dataset", "memory"),
    ("recording.file", ".recording"): ("format",),
    ("recording.replay", ".recording"): ("layers", "reader", "windows"),
}
PLACES = {
    f"{_PACKAGE}{before}.{name}": f"{_PACKAGE}.{room}.{name}"
    for (room, before), names in _ROOMS.items()
    for name in names
}


class _Names(Loader):
    """Fills a module with the names of the one that replaces it."""

    def exec_module(self, module: ModuleType) -> None:
        for name, value in vars(import_module(PLACES[module.__name__])).items():
            if not name.startswith("__"):
                setattr(module, name, value)


class _Moved(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, _Names()) if fullname in PLACES else None


def keep_places() -> None:
    """Let the older places be imported, from now on and in the whole process."""
    if not any(type(finder).__name__ == _Moved.__name__ for finder in sys.meta_path):
        sys.meta_path.append(_Moved())
