"""`install_as_ale_py`: what imports ale-py runs on this package."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from common import run_python, start_python
from pyale_ma import registration, roms, single


def test_older_gymnasium() -> None:
    """One sentence says what is needed, and ale-py's name is left alone."""
    code = """
import gymnasium.vector, sys
del gymnasium.vector.AutoresetMode
gymnasium.__version__ = "0.29.1"
import pyale_ma
try:
    pyale_ma.install_as_ale_py()
except ImportError as problem:
    print(problem)
assert "ale_py" not in sys.modules
"""
    wanted = "vectors need Gymnasium 1.1 or later, and 0.29.1 is installed: run `pip install"
    assert run_python(code).startswith(wanted)


def test_modules_and_names() -> None:
    code = """
import pyale_ma
pyale_ma.install_as_ale_py()
pyale_ma.install_as_ale_py()

import ale_py
import ale_py.env, ale_py.registration, ale_py.roms, ale_py.vector_env
from ale_py import ALEInterface, ALEState, Action, AtariEnv, AtariVectorEnv, LoggerMode, roms
from ale_py.env import AtariEnv as A, AtariEnvStepMetadata
from ale_py.registration import register_v0_v4_envs, register_v5_envs, rom_id_to_name
from ale_py.roms import get_all_rom_ids, get_rom_path
from ale_py.vector_env import AtariVectorEnv as V
import gymnasium, importlib, importlib.util, pickle

for thing in (ALEInterface, ALEState, Action, A, V):
    assert thing.__module__.startswith("pyale_ma"), thing
assert importlib.import_module("ale_py") is ale_py
for name in ("ale_py", "ale_py.registration", "ale_py.roms"):
    assert importlib.util.find_spec(name) is not None
assert ale_py.__version__ == "0.12.1"
try:
    import ale_py.nonsense
except ModuleNotFoundError:
    pass
else:
    raise AssertionError
import importlib.resources, os, pathlib, warnings
import ale_py._ale_py
from ale_py._ale_py import UPFIRE, ALEInterface as B, Action as C, Error
assert (B, C, UPFIRE, Error) == (ALEInterface, Action, Action.UPFIRE, LoggerMode.Error)
assert ale_py._ale_py.__version__ == "0.12.1"
folder = pathlib.Path(ale_py.__file__).parent
assert str(folder) == ale_py.packagedir == ale_py.__path__[0]
assert folder.name == "ale_py"
files = importlib.resources.files("ale_py.roms")
assert files == folder / "roms" == pathlib.Path(ale_py.roms.__file__).parent
assert (files / "pong.bin").read_bytes() == get_rom_path("pong").read_bytes()
parts = [ale_py.env, ale_py.roms, ale_py.registration, ale_py.vector_env, ale_py._ale_py]
for module in (ale_py, *parts):
    assert importlib.reload(module) is module
    assert module.__spec__.origin == module.__file__
    assert importlib.util.find_spec(module.__name__)
assert ale_py.AtariEnv is A

from unittest import mock
with mock.patch("ale_py.ALEInterface", type("Mine", (ALEInterface,), {"act": lambda *_: 5})):
    env = A("pong")
    assert (type(env.ale).__name__, env.reset() and env.step(0)[1]) == ("Mine", 20)
with mock.patch("ale_py.ALEInterface.act", return_value=2):
    env = ale_py.AtariEnv("pong")
    assert env.reset() and env.step(0)[1] == 8
assert type(ale_py.AtariEnv("pong").ale) is ALEInterface

register_v0_v4_envs(), register_v5_envs(), ale_py.register_v5_envs()
assert rom_id_to_name("ms_pacman") == "MsPacman"
env = gymnasium.make("ALE/Pong-v5")
assert isinstance(env.unwrapped, ale_py.AtariEnv)
assert gymnasium.make(gymnasium.envs.registration.EnvSpec.from_json(env.spec.to_json())).unwrapped
assert pickle.loads(pickle.dumps(Action.UP)) is Action.UP
ale = ALEInterface()
ale.loadROM(get_rom_path("pong"))
print(*sorted(n for n in dir(ale_py) if n[0] != "_"))
"""
    names = set(run_python(code).split())
    assert names == {*single.__all__, "packagedir"} - {"__version__"}


def test_original_has_no_more_names() -> None:
    pytest.importorskip("ale_py")
    """Of the module that a program may import under its name instead."""
    theirs = run_python("import ale_py; print(*ale_py.__all__)").split()
    alias = "import pyale_ma.single as ale_py; print(*dir(ale_py))"
    functions = {"register_v0_v4_envs", "register_v5_envs"}
    modules = {"env", "registration", "roms", "vector_env"}
    missing = {*theirs, *functions, *modules} - set(run_python(alias).split())
    assert missing == {"ALEVectorInterface"}


def test_rom_files_are_found_all_the_same() -> None:
    ask = "from pyale_ma import roms; print(roms.find_rom('pong'))"
    code = f"import pyale_ma; pyale_ma.install_as_ale_py(); import ale_py; {ask}"
    assert run_python(code) == str(roms.find_rom("pong"))


def test_after_the_original() -> None:
    pytest.importorskip("ale_py")
    code = """
import warnings
import ale_py as theirs, ale_py.vector_env
import gymnasium, pyale_ma, sys
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    pyale_ma.install_as_ale_py()
assert "imported before install_as_ale_py" in str(caught[-1].message)
import ale_py
assert ale_py is not theirs
assert {m for m in sys.modules if m.startswith("ale_py.")} == {
    "ale_py._ale_py", "ale_py.env", "ale_py.registration", "ale_py.roms", "ale_py.vector_env"}
print(gymnasium.spec("ALE/Pong-v5").entry_point)
"""
    assert run_python(code).splitlines()[-1] == "ale_py.env:AtariEnv"


def test_ids_have_the_entry_points_of_the_original() -> None:
    """Others compare these texts and store them; without the installation they are ours."""
    ask = """
import gymnasium
specs = [spec for spec in gymnasium.registry.values() if "pyale_ma/" not in spec.id]
for spec in specs:
    if "AtariEnv" in str(spec.entry_point):
        print(spec.to_json())
"""
    install = "import pyale_ma; pyale_ma.install_as_ale_py()"
    ours = run_python(f"{install}; import ale_py\n{ask}").splitlines()
    assert len(ours) == 352
    again = "pyale_ma.register_ale_ids(); import ale_py; ale_py.registration.register_v5_envs()"
    assert run_python(f"{install}; {again}\n{ask}").splitlines() == ours
    own = run_python(f"import pyale_ma; pyale_ma.register_ale_ids()\n{ask}").splitlines()
    assert [*map(json.loads, own)] == [
        {
            **json.loads(line),
            "entry_point": registration.ENTRY_POINT,
            "vector_entry_point": registration.VECTOR_ENTRY_POINT if "-v5" in line else None,
        }
        for line in ours
    ]
    pytest.importorskip("ale_py")
    assert sorted(run_python(f"import ale_py\n{ask}").splitlines()[-352:]) == sorted(ours)


SPAWNING = """
import pyale_ma
pyale_ma.install_as_ale_py()

import ale_py
import multiprocessing

def module(_):
    return ale_py.ALEInterface.__module__, ale_py.packagedir

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(*pool.map(module, [None])[0], ale_py.packagedir)
"""


def test_spawned_processes(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(SPAWNING)
    done = start_python(str(tmp_path / "program.py"))
    assert done.returncode == 0, done.stderr
    interface, folder, same = done.stdout.split()
    assert interface == "pyale_ma.single.interface"
    assert folder == same
    assert not Path(folder).exists()  # it is gone with the process, whose workers were ended


PETTINGZOO = """
import importlib, sys, warnings, zlib
warnings.simplefilter("ignore")
import numpy as np

def play(name, folder=None, **options):
    module = importlib.import_module(f"pettingzoo.atari.{name}")
    env = module.parallel_env(auto_rom_install_path=folder, **options)
    generator = np.random.default_rng(0)
    total = 0
    for seed in (1, 2):
        observations, infos = env.reset(seed=seed)
        for step in range(120):
            if not env.agents:
                break
            actions = {a: int(generator.integers(env.action_space(a).n)) for a in env.agents}
            observations, *rest = env.step(actions)
            for agent in sorted(observations):
                total = zlib.crc32(observations[agent].tobytes(), total)
            plain = [{a: float(each[a]) for a in sorted(each)} for each in rest[:3]]
            total = zlib.crc32(repr(plain).encode(), total)
    print(name, total, type(env.unwrapped.ale).__module__)

def play_all(folder=None):
    play("warlords_v3", folder, obs_type="ram")
    play("pong_v3", folder, num_players=4)
    play("space_invaders_v2", folder, obs_type="grayscale_image")
"""


def test_pettingzoo() -> None:
    """PettingZoo's own modules see the same on both."""
    pytest.importorskip("multi_agent_ale_py", reason="PettingZoo on it is compared with")
    folder = roms.find_rom("warlords").parent
    theirs = run_python(f"{PETTINGZOO}\nplay_all({str(folder)!r})").splitlines()
    install = "import pyale_ma; pyale_ma.install_as_multi_agent_ale_py()"
    ours = run_python(f"{install}\n{install}\n{PETTINGZOO}\nplay_all()").splitlines()
    assert [line.split()[:2] for line in ours] == [line.split()[:2] for line in theirs]
    assert {line.split()[2] for line in ours} == {"pyale_ma.multi.multi_interface"}
    assert {line.split()[2] for line in theirs} == {"multi_agent_ale_py.ale_python_interface"}


def test_multi_agent_ale_py_has_no_more_names() -> None:
    code = """
import pyale_ma
pyale_ma.install_as_multi_agent_ale_py()
import importlib, multi_agent_ale_py, multi_agent_ale_py.ale_python_interface, pathlib
from multi_agent_ale_py.ale_python_interface import ALEInterface
assert importlib.reload(multi_agent_ale_py) is multi_agent_ale_py
assert ALEInterface is multi_agent_ale_py.ALEInterface is pyale_ma.multi.ALEInterface
folder = pathlib.Path(multi_agent_ale_py.__file__).parent
assert (folder / "quartet.bin").exists()
print(folder)
"""
    assert not Path(run_python(code)).exists()  # it is gone with the process


def test_ocatari() -> None:
    """A package that imports ale-py itself and reads the console's RAM."""
    pytest.importorskip("ocatari", reason="OCAtari is not installed", exc_type=ImportError)
    pytest.importorskip("ale_py", reason="OCAtari on ale-py is compared with")
    code = """
from ocatari.core import OCAtari
env = OCAtari("ALE/Pong-v5", mode="ram", hud=True, render_mode="rgb_array")
env.reset(seed=0)
for action in [1, *[2] * 60]:
    env.step(action)
print(type(env._ale).__module__, env.objects)
"""
    theirs = run_python(code).splitlines()[-1]
    ours = run_python(f"import pyale_ma; pyale_ma.install_as_ale_py()\n{code}").splitlines()[-1]
    assert "Ball at" in theirs
    assert ours == theirs.replace("ale_py._ale_py", "pyale_ma.single.interface")
