"""Code that both `ALEInterface`s share: before there is a console, and pictures as files."""

from __future__ import annotations

import os
from typing import NoReturn, cast

from PIL import Image

from pyale_ma._base.files import written_aside
from pyale_ma._base.text import shown
from pyale_ma._native import Env, Pixels, games


class _Empty:
    tap = None

    def __init__(self, error: str) -> None:
        self._error = error

    def __getattr__(self, name: str) -> NoReturn:
        raise RuntimeError(self._error)

    def ensure_free(self) -> None:
        pass


def no_env(error: str) -> Env:
    """Return a placeholder until there is an environment: any use of it raises this error."""
    return cast(Env, _Empty(error))


def shown_console(interface: object, env: Env) -> str:
    """Return the `repr` of an interface with this environment."""
    if isinstance(env, _Empty):
        return f"{type(interface).__name__}(no ROM)"
    number, report = env.info.game, env.report
    return shown(
        interface,
        *([*games()][number : number + 1] if number >= 0 else ()),  # a card has no number
        num_players=report.players,
        mode=report.mode,
        difficulty=report.difficulty,
    )


def save_png(env: Env, filename: str | os.PathLike[str]) -> None:
    """Write the screen to a PNG file.  A console's pixels are twice as wide as high: 320 wide."""
    pixels = env.screen(Pixels.RGB).repeat(2, axis=1)
    with written_aside(filename) as file:
        Image.fromarray(pixels).save(file, format="PNG")
