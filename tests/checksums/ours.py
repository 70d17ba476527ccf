"""Play a case on our own classes."""

from __future__ import annotations

import importlib

from checksums.cases import Case, Sums, load, play_module, play_multi, play_solo, play_vector
from common import rom_path
from pyale_ma import multi, single
from pyale_ma.vector import AtariVectorEnv


def play(case: Case) -> Sums:
    """Return the checksums of a case; skip the test where there is no ROM."""
    if case.kind == "module":
        return play_module(importlib.import_module(f"pyale_ma.multi.{case.name}"), case.options)
    rom = rom_path(case.name)
    if case.kind == "vector":
        return play_vector(AtariVectorEnv, case.name, case.options)
    if case.kind == "multi":
        return play_multi(load(multi.ALEInterface(), rom, case.options), case.options)
    return play_solo(load(single.ALEInterface(), rom, case.options), case.options)
