"""Every line of libale/tests/checksums.txt: quickly on our library, slowly on the originals."""

from __future__ import annotations

import importlib
import itertools
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from checksums import cases, record
from checksums.cases import (
    Case,
    Sums,
    known_to_original_vectors,
    load,
    play_module,
    play_multi,
    play_solo,
    play_vector,
    read,
    settings,
)
from checksums.ours import play
from common import rom_path
from multi.reference import original_interface, original_module

# The lines of each kind and name, such as those of "solo pong".
GROUPS = {
    f"{kind} {name}": [*lines]
    for kind in ("solo", "multi", "vector", "module")
    for name, lines in itertools.groupby(
        sorted(read(kind), key=attrgetter("name")), key=attrgetter("name")
    )
}


@pytest.mark.parametrize("group", GROUPS)
def test_ours(group: str) -> None:
    for case in GROUPS[group]:
        found = play(case)
        if found != dict(case.sums):
            pytest.fail(f"{case}: {found}; {where(case, found)}")


def where(case: Case, found: Sums) -> str:
    """Say where a play that is not as recorded leaves that of the original."""
    if case.kind == "vector" and not known_to_original_vectors(case):
        return "the original does not play this"
    try:
        return found.first_difference(play_on_original(case, {}))
    except pytest.skip.Exception as reason:
        return str(reason)


def test_every_case_is_in_the_file() -> None:
    assert [str(case) for case in record.cases()] == [str(case) for case in read()]


def test_missing_lines_are_added_and_others_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even a line that is wrong is kept, because it shows a bug."""
    text = cases.FILE.read_text(encoding="utf-8")
    missing, wrong = (
        next(line for line in text.splitlines() if line.startswith(start))
        for start in ("solo adventure ", "solo pong ")
    )
    file = tmp_path / "checksums.txt"
    spoiled = text.replace(wrong, f"{wrong.split(' : ')[0]} : ram=0")
    file.write_text(spoiled.replace(f"{missing}\n", ""), encoding="utf-8")
    for module in (cases, record):
        monkeypatch.setattr(module, "FILE", file)
    monkeypatch.setattr("sys.argv", ["record.py", "--missing"])
    rom_path("adventure")
    assert record.main() == 0
    assert file.read_text(encoding="utf-8") == spoiled


def as_loaded(case: Case, loaded: dict[str, tuple[Any, Any]]) -> Any:
    """multi-agent-ale-py's interface as a load leaves it.

    Lines with equal settings share one load, which takes 0.15 s, and return to its state.
    """
    key = str(settings(case.options))
    if key not in loaded:
        interface = load(original_interface(), str(rom_path(case.name)), case.options)
        loaded[key] = interface, interface.cloneSystemState()
    interface, state = loaded[key]
    interface.restoreSystemState(state)
    return interface


def play_on_original(case: Case, loaded: dict[str, tuple[Any, Any]]) -> Sums:
    if case.kind == "module":
        return play_module(original_module(case.name, bare=True), case.options)
    if case.kind == "multi":
        return play_multi(as_loaded(case, loaded), case.options)
    ale_py: Any = pytest.importorskip("ale_py", reason="the reference, ale-py, is not installed")
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    if case.kind == "solo":
        interface = load(ale_py.ALEInterface(), rom_path(case.name), case.options)
        return play_solo(interface, case.options)
    vectors: Any = importlib.import_module("ale_py.vector_env")
    return play_vector(vectors.AtariVectorEnv, case.name, case.options)


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_originals(group: str) -> None:
    loaded: dict[str, tuple[Any, Any]] = {}
    for case in GROUPS[group]:
        if case.kind != "vector" or known_to_original_vectors(case):
            assert play_on_original(case, loaded) == dict(case.sums), case
