"""The declarations against ale.h, the built library against libale.map, the classes' behaviour."""

from __future__ import annotations

import gc
import platform
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from common import module_at, run_python, start_python, tool
from pyale_ma import _native, roms
from pyale_ma._native import abi

LIBALE = Path(__file__).parents[2] / "libale"

pytest.importorskip("pycparser")

# ---- Declarations ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def generator() -> Any:
    return module_at(LIBALE / "generate_abi.py")


@pytest.fixture(scope="module")
def header(generator: Any) -> Any:
    return generator.Header()


def test_declarations_are_those_of_the_header(generator: Any, header: Any) -> None:
    written = (LIBALE.parent / "pyale_ma" / "_native" / "abi.py").read_text(encoding="utf-8")
    assert written == generator.module(header), "run python libale/generate_abi.py"


def test_vectors_compare_every_option_that_lasts() -> None:
    """``vector_state.c`` copies options up to ``mirror``, and the last one."""
    names = [name for name, *_ in abi.VectorOptions._fields_]
    assert names[names.index("mirror") + 1 :] == [
        *("frame_limit", "fast_paths", "corrected_rules", "fill_stack", "crop")
    ]


def test_installed_declarations_are_those_of_the_source() -> None:
    """And so whatever this tests is what was generated."""
    source = LIBALE.parent / "pyale_ma" / "_native" / "abi.py"
    assert Path(abi.__file__).read_text(encoding="utf-8") == source.read_text(encoding="utf-8")


def test_structs_lie_in_memory_as_the_compiler_lays_them(
    generator: Any, header: Any, tmp_path: Path
) -> None:
    places = [
        (name, field.name) for name, fields in header.structs.items() for field in fields or ()
    ]
    prints = [f'printf("%zu\\n", offsetof({struct}, {field}));' for struct, field in places]
    program = tmp_path / "places.c"
    lines = ["#include <ale/ale.h>", "#include <stdio.h>", "int main(void) {", *prints, "}"]
    program.write_text("\n".join(lines))
    build: list[str | Path]
    build = [tool("cc"), "-std=c11", f"-I{LIBALE / 'include'}", program, "-o", tmp_path / "places"]
    subprocess.run(build, check=True)
    output = subprocess.run([tmp_path / "places"], check=True, capture_output=True, text=True)
    compiled = [int(line) for line in output.stdout.split()]
    declared = [
        getattr(getattr(abi, generator.class_name(struct)), field).offset
        for struct, field in places
    ]
    assert compiled == declared


# ---- Exports ---------------------------------------------------------------------------------


def map_symbols() -> list[str]:
    exported = (LIBALE / "libale.map").read_text().partition("global:")[2].partition("local:")[0]
    return re.findall(r"(\w+);", exported)


def test_map_lists_what_the_header_declares(header: Any) -> None:
    assert sorted(map_symbols()) == sorted(header.functions)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the map is for ELF")
def test_library_exports_what_the_map_lists() -> None:
    command = [tool("nm"), "-D", "--defined-only", "--format=posix", _native.library_path()]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    symbols = {line.split()[0].partition("@")[0] for line in lines if line.split()[1] != "A"}
    assert symbols == set(map_symbols())


# ---- Loading ---------------------------------------------------------------------------------


def test_missing_library_is_explained() -> None:
    result = start_python("-c", "import pyale_ma", PYALE_MA_LIBRARY="/nonexistent/libale.so")
    assert result.returncode == 1
    assert "ImportError: pyale_ma's library is missing: /nonexistent/libale.so" in result.stderr
    assert "unset PYALE_MA_LIBRARY" in result.stderr


def test_objects_survive_interpreter_shutdown() -> None:
    code = """
from pyale_ma import _native, roms
from pyale_ma._native import abi
rom = _native.Rom(roms.find_rom("pong").read_bytes())
env = _native.Env(rom)
state = _native.State()
env.save(state)
import sys
sys.keep = [rom, env, state]
"""
    result = start_python("-c", code)
    assert (result.returncode, result.stderr) == (0, "")


# ---- Objects ---------------------------------------------------------------------------------


@pytest.fixture
def rom() -> _native.Rom:
    return _native.Rom(roms.find_rom("pong").read_bytes())


@pytest.fixture
def env(rom: _native.Rom) -> Iterator[_native.Env]:
    env = _native.Env(rom)
    yield env
    env.close()


def test_games() -> None:
    games = _native.games()
    sources = {file.stem for file in (LIBALE / "src" / "games").glob("*.c")}
    assert set(games) == sources - {"game", "registry"}
    assert list(games) == sorted(games)
    pong = games["pong"]
    assert len(pong.md5) == 32
    assert _native.lib.ale_game_by_name(b"pong") == pong.number
    assert _native.lib.ale_game_by_md5(pong.md5.encode()) == pong.number
    info = pong.describe(_native.Rules.SOLO)
    assert info.name == b"pong"
    assert _native.bits(info.minimal_actions) == [0, 1, 3, 4, 11, 12]
    assert pong.modes(_native.Rules.SOLO) == [0, 1]


@pytest.mark.parametrize(
    "options",
    [
        {"nonsense": 1},
        {"struct_size": 8},
        {"random_seed": 2**32},
        {"random_seed": -1},
        {"frame_skip": 0},
        {"frame_skip": 10_001},
        {"paddle_min": -2},
        {"paddle_max": -(2**31)},
        {"reward_min": 1, "reward_max": 0},
        {"repeat_action_probability": float("nan")},
        {"rules": 7},
    ],
)
def test_bad_options(rom: _native.Rom, options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        _native.Env(rom, **options)


def test_act_and_report(env: _native.Env) -> None:
    env.actions[0] = 2
    env.act()
    env.act(repeat=4)
    assert env.report.frame_number == 5
    assert env.report.players == 1
    assert list(env.report.rewards) == [0, 0, 0, 0]


def test_playing_alone_is_playing_one(rom: _native.Rom) -> None:
    one, alone = _native.Env(rom), _native.Env(rom)
    for i in range(40):
        one.actions[0] = i % 6
        if i % 2:
            one.act(1, 3)
            alone.act_alone(i % 6, 3)
        else:
            (image,), outcome = one.step(_native.Pixels.RGB, 1, 3)
            assert outcome == one.outcome()
            assert np.array_equal(alone.step_alone(_native.Pixels.RGB, i % 6, 3)[0], image)  # type: ignore[arg-type]
        assert bytes(alone.report) == bytes(one.report)
        report = alone.report
        assert alone.outcome() == (
            *report.rewards,
            *report.lives,
            report.terminated,
            report.truncated,
            report.frame_number,
            report.episode_frame_number,
        )
    assert report.frame_number == 120
    alone.close()
    assert alone.outcome() == (0,) * 12
    assert _native.act_alone(alone.alone, 0, 1) < _native.LEAST_REWARD


@pytest.mark.parametrize(
    "call",
    [
        lambda env: env.set_mode(77),
        lambda env: env.set_difficulty(9),
        lambda env: env.set_ram(128, 0),
        lambda env: env.set_ram(0, 256),
        lambda env: env.act(2),
        lambda env: env.act(1, 0),
        lambda env: env.step(_native.Pixels.RGB, 2),
        lambda env: env.step(_native.Pixels.RGB, 1, 0),
        lambda env: env.screen(_native.Pixels.RGB, np.empty(3, np.uint8)),
        lambda env: env.restore(_native.State()),
        lambda env: env.palette(_native.Pixels.INDEXED),
    ],
)
def test_bad_calls(env: _native.Env, call: Callable[[_native.Env], object]) -> None:
    before = env.ram.tobytes()
    with pytest.raises(ValueError, match=r"\w"):
        call(env)
    assert env.ram.tobytes() == before


def test_ram_view_is_current_and_read_only(env: _native.Env) -> None:
    env.set_ram(5, 77)
    assert env.ram[5] == 77
    with pytest.raises(ValueError, match="read-only"):
        env.ram[5] = 0


def test_closed_objects_refuse(rom: _native.Rom) -> None:
    env, state = _native.Env(rom), _native.State()
    for thing in (env, state, rom):
        thing.close()
        thing.close()
    with pytest.raises(ValueError, match="NULL"):
        env.act()
    with pytest.raises(ValueError, match="NULL"):
        env.save(state)
    with pytest.raises(ValueError, match="NULL"):
        _ = state.info
    with pytest.raises(ValueError, match="NULL"):
        _ = rom.info
    assert env.report.frame_number == 0
    assert env.ram.shape == (128,)


def test_environment_keeps_its_rom() -> None:
    env = _native.Env(_native.Rom(roms.find_rom("pong").read_bytes()))
    gc.collect()
    env.act()
    assert env.report.frame_number == 1


def test_state_round_trip(env: _native.Env) -> None:
    env.act(repeat=30)
    state = _native.State()
    assert state.info.empty
    env.save(state, include_random=True)
    data = state.serialize()
    again = _native.State(data)
    assert again.equals(state)
    assert again.serialize() == data
    assert again.info.frame_number == 30
    env.act(repeat=30)
    after = env.ram.tobytes()
    env.restore(again)
    env.act(repeat=30)
    assert env.ram.tobytes() == after


PLAYS_PONG = """
import hashlib
from pathlib import Path
from pyale_ma import roms
from pyale_ma.single import ALEInterface

ale = ALEInterface()
ale.setInt("random_seed", 1)
ale.loadROM(roms.find_rom("pong"))
rams = hashlib.md5()
for i in range(200):
    ale.act(i % 6)
    rams.update(ale.getRAM().tobytes())
maps = Path("/proc/self/maps")
code = [m.split() for m in maps.read_text().splitlines()] if maps.exists() else []
print(rams.hexdigest(), sum(m[1] == "r-xp" and m[4] == "0" and len(m) == 5 for m in code))
"""


def test_translation_can_be_switched_off() -> None:
    """A process with ALE_TRANSLATE=0 plays the same game, without machine code of its own."""
    (without, none), (with_code, some) = (
        run_python(PLAYS_PONG, ALE_TRANSLATE=wanted).split() for wanted in ("0", "1")
    )
    assert without == with_code
    if sys.platform == "linux" and platform.machine() == "x86_64":
        assert int(some) > int(none)
