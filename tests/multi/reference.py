"""The originals: PettingZoo's Atari modules on multi-agent-ale-py, and what tests ask of them."""

from __future__ import annotations

import functools
import importlib
import itertools
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from common import rom_path
from pyale_ma import _native, multi, roms
from pyale_ma._native import Rules


def modes_of_reference(game: str, players: int) -> list[int]:
    """Return a game's modes for this number of players, without those of this package alone."""
    return [mode for mode in _native.games()[game].modes(Rules.MULTI, players) if mode < 100]


# All games of the originals with modes for several players, and their modules.
GAMES = [
    name
    for name, game in _native.games().items()
    if name not in roms.SHIPPED
    and Rules.MULTI in game.rules
    and (modes_of_reference(name, 2) or modes_of_reference(name, 4))
]
MODULES = [module for module in multi.ENVIRONMENTS if not module.endswith("_v0")]
MODES = [
    (game, players, mode)
    for game in GAMES
    for players in (1, 2, 4)
    for mode in modes_of_reference(game, players)
]

_PONG = ["classic", "two_paddles", "soccer", "foozpong", "hockey", "handball", "volleyball"]
_PONG += ["basketball"]
_TWO_OR_FOUR = {"num_players": [2, 4]}
_BOTH = [False, True]
# The values of each module's own arguments.
_ARGUMENTS: dict[str, list[dict[str, list[Any]]]] = {
    "basketball_pong_v3": [_TWO_OR_FOUR],
    "foozpong_v3": [_TWO_OR_FOUR],
    "volleyball_pong_v3": [_TWO_OR_FOUR],
    "pong_v3": [
        {"num_players": [2], "game_version": _PONG},
        {"num_players": [4], "game_version": [*_PONG, "quadrapong"]},
    ],
    "combat_plane_v2": [{"game_version": ["bi-plane", "jet"], "guided_missile": _BOTH}],
    "combat_tank_v2": [{"has_maze": _BOTH, "is_invisible": _BOTH, "billiard_hit": _BOTH}],
    "maze_craze_v3": [
        {"game_version": ["race", "robbers", "capture"], "visibilty_level": [0, 1, 2, 3]}
    ],
    "space_invaders_v2": [
        {
            "alternating_control": _BOTH,
            "moving_shields": _BOTH,
            "zigzaging_bombs": _BOTH,
            "fast_bomb": _BOTH,
            "invisible_invaders": _BOTH,
        }
    ],
}


def _combinations() -> list[tuple[str, dict[str, Any]]]:
    cases: list[tuple[str, dict[str, Any]]] = []
    for module in MODULES:
        cases.append((module, {}))
        for table in _ARGUMENTS.get(module, []):
            for values in itertools.product(*table.values()):
                cases.append((module, dict(zip(table, values, strict=True))))
    return cases


# Every module with every combination of its own arguments.
COMBINATIONS = _combinations()


def name_of(case: Any) -> str:
    """For pytest: "pong_v3-2-classic"."""
    if not isinstance(case, tuple):
        return str(case)
    parts = [v if isinstance(v, list) else str(v) for v in case]
    module, rest = parts[0], case[1:]
    values = [
        str(v) for part in rest for v in (part.values() if isinstance(part, dict) else [part])
    ]
    return "-".join([str(module), *values])


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="pyale_ma-roms-")


def rom_folder() -> str:
    """A folder in which the originals find the images under the names that they want."""
    folder = Path(_folder().name)
    for game in GAMES:
        link = folder / f"{game}.bin"
        if not link.exists():
            link.symlink_to(rom_path(game))
    return str(folder)


def original_interface() -> Any:
    package = pytest.importorskip(
        "multi_agent_ale_py", reason="the reference, multi-agent-ale-py, is not installed"
    )
    package.ALEInterface.setLoggerMode("error")
    return package.ALEInterface()


def original_module(name: str, *, bare: bool = False) -> Any:
    """One of PettingZoo's modules, whose functions look for ROMs in the right place.

    Args:
        name: The module.
        bare: Make `parallel_env` without the wrappers that hold the caller to the order of calls
            and to the bounds of actions, which takes long and changes nothing else.
    """
    original_interface()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        module = importlib.import_module(f"pettingzoo.atari.{name}")
    made_by = {kind: getattr(module, kind) for kind in ("env", "parallel_env", "raw_env")}
    if bare:
        conversions = importlib.import_module("pettingzoo.utils.conversions")
        made_by["parallel_env"] = conversions.parallel_wrapper_fn(module.raw_env)
    return SimpleNamespace(
        **{
            kind: functools.partial(make, auto_rom_install_path=rom_folder())
            for kind, make in made_by.items()
        }
    )


def our_module(name: str) -> Any:
    return importlib.import_module(f"pyale_ma.multi.{name}")


def held_actions(rng: np.random.Generator, acts: int, counts: Sequence[int]) -> Iterator[list[int]]:
    """Random actions of players who have so many of them; each is kept for some acts."""
    anew = rng.random((acts, len(counts))) < 0.3
    drawn = rng.integers(counts, size=anew.shape)
    held = np.zeros(len(counts), drawn.dtype)
    for t in range(acts):
        held = np.where(anew[t], drawn[t], held)
        yield held.tolist()


def compare_steps(where: Any, theirs: tuple[Any, ...], ours: tuple[Any, ...]) -> None:
    """Observations and what else reset or step returned."""
    expected, actual = theirs[0], ours[0]
    assert list(expected) == list(actual), where
    for agent, observation in expected.items():
        found = actual[agent]
        assert (observation.dtype, observation.shape) == (found.dtype, found.shape), where
        assert observation.tobytes() == found.tobytes(), (*where, agent)
    assert theirs[1:] == ours[1:], where
    if len(theirs) > 2:
        kinds = [{*map(type, part.values())} for part in theirs[1:4]]
        assert kinds == [{*map(type, part.values())} for part in ours[1:4]], where
