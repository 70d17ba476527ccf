"""``pyale-ma doctor``."""

from __future__ import annotations

import _ctypes
import json
import platform
import re
import sys
from importlib import metadata
from pathlib import Path

import pytest

from common import start_python, take_roms_away
from pyale_ma import _native, roms
from pyale_ma._base import install_hints
from pyale_ma._native import library
from pyale_ma.cli import doctor, machine, main, page_server


def found(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, str]]:
    """Return the doctor's findings for programs, by name."""
    return {finding["name"]: finding for finding in json.loads(capsys.readouterr().out)}


@pytest.fixture(autouse=True)
def _no_array_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch and JAX take seconds to import; one test looks at them."""
    monkeypatch.setattr(doctor, "_LOOKS", doctor._LOOKS[:-1])


def test_all_is_well(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("PYALE_MA_ROMS", "ALE_ROMS_DIR"):
        monkeypatch.delenv(variable, raising=False)
    assert main(["doctor", "--json"]) == 0
    told = found(capsys)
    assert told["libale"]["found"].startswith(_native.library_path())
    assert told["a game"]["state"] == "good"
    assert f"of {len(roms.game_names())}:" in told["ROM files"]["found"]
    if sys.platform == "linux":
        models = re.findall(r"(?m)^model name\s*:(.*)", Path("/proc/cpuinfo").read_text())
        expected = " ".join((models or [platform.machine()])[0].split())
        assert told["processor"]["found"].startswith(f"{expected}, ")
    assert main(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["what", "state", "found"]
    for name, finding in told.items():
        assert any(line.startswith(name) and finding["state"] in line for line in lines)


def test_what_is_absent_has_a_remedy(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    take_roms_away(monkeypatch, tmp_path / "user")
    version_of = machine.version_of
    without = ("pygame-ce", "pygame", "imageio-ffmpeg")
    monkeypatch.setattr(
        machine, "version_of", lambda package: None if package in without else version_of(package)
    )
    monkeypatch.setattr(page_server, "__file__", str(tmp_path / "cli" / "page_server.py"))
    monkeypatch.setattr(_native, "library_path", lambda: str(tmp_path / "libale.so"))
    assert main(["doctor"]) == 0  # one can do without
    out = capsys.readouterr().out
    assert f"1 of {len(roms.game_names())}: 1 in" in out
    for remedy in (
        "ale-py",
        "roms import PATH",
        "pygame-ce",
        "imageio-ffmpeg",
        "--config-settings=player=true",
    ):
        assert remedy in out.split("what to do")[1]


def test_remedies_install_what_the_extras_do() -> None:
    """Remedies agree with the extras of pyproject.toml, as the installed package has them."""
    wanted = metadata.requires("pyale_ma") or []
    for extra, package in install_hints.OPTIONAL.items():
        theirs = [each for each in wanted if re.search(rf"extra == .{extra}\W", each)]
        assert [re.match(r"[\w-]+", each)[0] for each in theirs] == [package]  # type: ignore[index]


def test_what_is_wrong_is_an_exit_status(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYALE_MA_ROMS", "/nonexistent")
    assert main(["doctor", "--json"]) == 1
    told = found(capsys)
    assert told["PYALE_MA_ROMS"]["state"] == "bad"
    assert "/nonexistent" in told["PYALE_MA_ROMS"]["found"]
    assert "unset PYALE_MA_ROMS" in told["PYALE_MA_ROMS"]["remedy"]


@pytest.mark.skipif(sys.platform != "linux", reason="extension modules that load elsewhere")
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "is missing: "),
        (b"not a library", "cannot be loaded: "),
        (Path(_ctypes.__file__).read_bytes(), "cannot be loaded: "),
    ],
    ids=["missing", "foreign", "another"],
)
def test_a_library_that_cannot_be_used(content: bytes | None, words: str, tmp_path: Path) -> None:
    """Commands say so without a traceback."""
    file = tmp_path / "libale.so"
    if content:
        file.write_bytes(content)
    result = start_python("-m", "pyale_ma", "doctor", PYALE_MA_LIBRARY=str(file))
    assert (result.returncode, result.stdout) == (1, "")
    why, advice = result.stderr.splitlines()
    assert why.startswith("pyale-ma: pyale_ma's library ")
    assert words in why
    assert str(file) in why
    assert advice == "Correct or unset PYALE_MA_LIBRARY, which names this file"


def test_a_library_of_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "ABI_VERSION", 99)
    with pytest.raises(ImportError, match=r"99.*releases\n.*nstall"):
        library._load()


def test_translator(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("PYALE_MA_ROMS", "ALE_ROMS_DIR", "ALE_TRANSLATE"):
        monkeypatch.delenv(variable, raising=False)
    assert main(["doctor", "--json"]) == 0
    translated = _native.Rom(roms.find_rom("quartet").read_bytes()).info.translated
    assert found(capsys)["translator"]["state"] == ("good" if translated else "absent")
    monkeypatch.setenv("ALE_TRANSLATE", "0")
    assert main(["doctor", "--json"]) == 0
    assert found(capsys)["translator"]["remedy"] == "unset ALE_TRANSLATE"
