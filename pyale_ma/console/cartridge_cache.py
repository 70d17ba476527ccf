"""Code that both `ALEInterface`s share: a cache of the loaded cartridge, and pictures as files."""

from __future__ import annotations

import hashlib
import os
from typing import Any, NoReturn, cast

from PIL import Image

from pyale_ma._base.files import written_aside
from pyale_ma._base.text import shown
from pyale_ma._native import Env, Pixels, Rom, games


class CartridgeCache:
    """Keeps the loaded cartridge, so that it is not built anew when it is loaded again.

    Attributes:
        rom: None: there is none.
        options: Those of the environment, with seed 0; {} at first.
    """

    def __init__(self) -> None:
        self.rom: Rom | None = None
        self.options: dict[str, float] = {}
        self._key: tuple[object, ...] | None = None

    def find(self, key: tuple[object, ...]) -> Rom | None:
        """The loaded cartridge, if it was inserted with this `key_of`; else None."""
        return self.rom if key == self._key else None

    def holding(
        self, rom: Rom, options: dict[str, float], key: tuple[object, ...] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The change that puts a cartridge here, for `atomic.update`.

        Args:
            rom: The cartridge.
            options: Of the environment.
            key: For `find`.
        """
        unseeded = {**options, "random_seed": 0}
        return vars(self), {"rom": rom, "options": unseeded, "_key": key}

    def check_objects(self, method: str) -> None:
        """Raise RuntimeError, which names a method, if objects are not kept track of."""
        if self.rom and not self.options.get("objects"):
            raise RuntimeError(
                f"{method}: call setBool('objects_obs', True) before loadROM, or make the "
                "environment with obs_type='objects'"
            )


def key_of(data: bytes, *rules: object) -> tuple[object, ...]:
    """Tells a cartridge from others: by its bytes and by what says the rules."""
    return (hashlib.sha256(data).digest(), *rules)


class _Empty:
    tap = None

    def __init__(self, error: str) -> None:
        self._error = error

    def __getattr__(self, name: str) -> NoReturn:
        raise RuntimeError(self._error)


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
