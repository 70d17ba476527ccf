"""`install_as_ale_py`: what imports ale-py runs on this package."""

from __future__ import annotations

import pytest

from common import run_python
from pyale_ma import roms, single


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
register_v0_v4_envs(), register_v5_envs(), ale_py.register_v5_envs()
assert rom_id_to_name("ms_pacman") == "MsPacman"
env = gymnasium.make("ALE/Pong-v5")
assert isinstance(env.unwrapped, ale_py.AtariEnv)
assert pickle.loads(pickle.dumps(Action.UP)) is Action.UP
ale = ALEInterface()
ale.loadROM(get_rom_path("pong"))
print(*sorted(n for n in dir(ale_py) if n[0] != "_"))
"""
    names = set(run_python(code).split())
    known = "env registration roms vector_env register_v0_v4_envs register_v5_envs".split()
    assert names == {*known, *single.__all__, "AtariVectorEnv"} - {"__version__"}


def test_original_has_no_more_names() -> None:
    pytest.importorskip("ale_py")
    ask = "import ale_py; print(*(n for n in ale_py.__all__))"
    theirs = set(run_python(ask).split())
    ours = set(run_python(f"import pyale_ma; pyale_ma.install_as_ale_py(); {ask}").split())
    assert theirs - ours == {"ALEVectorInterface"}  # the native object of its vector


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
    "ale_py.env", "ale_py.registration", "ale_py.roms", "ale_py.vector_env"}
print(gymnasium.spec("ALE/Pong-v5").entry_point)
"""
    assert run_python(code).splitlines()[-1] == "pyale_ma.single.env:AtariEnv"


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
