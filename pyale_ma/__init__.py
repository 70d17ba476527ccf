"""Atari 2600 games for reinforcement learning: one agent, several agents, many environments.

* `pyale_ma.single`: ``gymnasium.make("ALE/Pong-v5")``, and the console itself.
* `pyale_ma.multi`: PettingZoo environments for two to four players.
* `pyale_ma.vector`: thousands of environments in a batch.

Importing this package registers its environments with Gymnasium and with PettingZoo.
"""

import importlib as _importlib
import os as _os
import signal as _signal
import sys as _sys
from pathlib import Path as _Path
from typing import TYPE_CHECKING as _TYPE_CHECKING, Any as _Any


def _is_command_line() -> bool:
    """Whether ``pyale-ma`` or ``python -m pyale_ma`` was started."""
    started = [*_sys.orig_argv[-len(_sys.argv) :], ""][0].removeprefix("-m")
    return _Path(started).stem in ("pyale-ma", "pyale_ma")


if _is_command_line():
    # While modules are imported, Ctrl-C ends a command at once; later `cli.main` ends it.
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    try:
        _os.getcwd()
    except FileNotFoundError:  # PettingZoo cannot be imported then
        _sys.exit("pyale-ma: the current folder is gone; change to another")
try:
    from pyale_ma import _native as _native
except ImportError as _error:
    if _is_command_line():
        _sys.exit(f"pyale-ma: {_error}")
    raise

if _TYPE_CHECKING:  # imported when they are first used
    from pyale_ma import (
        benchmarks as benchmarks,
        envpool as envpool,
        evaluation as evaluation,
        labels as labels,
        multi as multi,
        objects as objects,
        opponents as opponents,
        recording as recording,
        roms as roms,
        single as single,
        vector as vector,
    )
    from pyale_ma.single import ALEInterface as ALEInterface


from pyale_ma._native import VERSION as __version__  # noqa: E402
from pyale_ma.compat.stand_ins import install_as_ale_py, install_as_multi_agent_ale_py  # noqa: E402
from pyale_ma.games.modes import translate_mode  # noqa: E402
from pyale_ma.registration import (  # noqa: E402
    register_ale_ids,
    register_envs,
    register_pettingzoo_ids,
)

register_envs()

__all__ = [
    "ALEInterface",
    "__version__",
    "install_as_ale_py",
    "install_as_multi_agent_ale_py",
    "register_ale_ids",
    "register_pettingzoo_ids",
    "translate_mode",
]

_MODULES = (
    "benchmarks",
    "envpool",
    "evaluation",
    "labels",
    "multi",
    "objects",
    "opponents",
    "recording",
    "roms",
    "single",
    "vector",
)

_PLACES = {"ALEInterface": "pyale_ma.single"}

if not _TYPE_CHECKING:  # or any name would do

    def __getattr__(name: str) -> _Any:
        """A public name or module, which is imported when it is first asked for."""
        if name in _MODULES:
            return _importlib.import_module(f"{__name__}.{name}")
        if name in _PLACES:
            return getattr(_importlib.import_module(_PLACES[name]), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES})
