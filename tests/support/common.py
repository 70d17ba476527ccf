"""Helpers that tests of all layers share: ROM images, settings, array sums, other programs."""

from __future__ import annotations

import functools
import importlib.util
import io
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pyale_ma import roms
from pyale_ma.evaluation import RandomPolicy
from pyale_ma.games import rom_files

Settings = Mapping[str, bool | int | float | str]

_SETTERS = {bool: "setBool", int: "setInt", float: "setFloat", str: "setString"}


class Terminal(io.StringIO):
    """A stream that says it is one."""

    def isatty(self) -> bool:
        return True


@functools.cache
def rom_path(game: str) -> Path:
    """The image of a game; skips the test where there is none."""
    try:
        return roms.find_rom(game)
    except FileNotFoundError:
        pytest.skip(f"no ROM image of {game}")


def take_roms_away(monkeypatch: pytest.MonkeyPatch, user: Path) -> None:
    """Have only the package's own images found, and those in a folder as the user's."""
    monkeypatch.setattr(rom_files, "user_folder", lambda: user)
    monkeypatch.setattr(rom_files, "_package_folders", lambda: ())
    for variable in ("PYALE_MA_ROMS", "ALE_ROMS_DIR"):
        monkeypatch.delenv(variable, raising=False)


def tool(name: str) -> str:
    """Where a program is; without it the test is skipped, or fails where CI_STRICT=1."""
    path = shutil.which(name)
    if path is None:
        missing = f"{name} is not installed"
        if os.environ.get("CI_STRICT") == "1":
            pytest.fail(missing)
        pytest.skip(missing)
    return path


def configure(interface: Any, settings: Settings) -> None:
    """Set each setting with the setter of its value's type."""
    for key, value in settings.items():
        getattr(interface, _SETTERS[type(value)])(key, value)


def load(interface: Any, game: str | Path, **settings: bool | int | float | str) -> Any:
    """Load a game, by its name or its file, into an `ALEInterface` of any package.

    Args:
        interface: It is returned.
        game: The game.
        **settings: The seed is 0 and no action sticks where they say nothing else.
    """
    configure(interface, {"random_seed": 0, "repeat_action_probability": 0.0, **settings})
    interface.loadROM(str(game if isinstance(game, Path) else rom_path(game)))
    return interface


def crc(array: np.ndarray, before: int = 0) -> int:
    """CRC-32 of an array's bytes, after what is summed up in `before`."""
    return zlib.crc32(array.tobytes(), before)


def interrupt(call: Callable[[], Any], when: Callable[[], bool]) -> None:
    """Make a call that ends with KeyboardInterrupt: SIGINT is sent once something holds."""
    main = threading.main_thread().ident
    assert main is not None

    def send() -> None:
        while not when():
            time.sleep(0.001)
        signal.pthread_kill(main, signal.SIGINT)

    thread = threading.Thread(target=send)

    def call_it() -> None:
        thread.start()
        call()

    with pytest.raises(KeyboardInterrupt):
        call_it()
    thread.join()


def start_python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python with these arguments to its end, with the installed package."""
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        cwd=tempfile.gettempdir(),  # not the source folder, which would be imported
    )


def run_python(code: str, *options: str, **environment: str) -> str:
    """Return the output of a program, which must end well."""
    result = start_python(*options, "-c", code, **environment)
    assert result.returncode == 0, result.stderr[-3000:]
    return result.stdout.strip()


def module_at(file: Path) -> Any:
    """A module that is in no package, such as a script."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def random_policy(game: str, num_actions: int) -> RandomPolicy:
    """Plays any game; here, where a process that another starts can import it."""
    return RandomPolicy(num_actions)
