"""PettingZoo's registry has our environments: ``pettingzoo.make(..., "pyale_ma/pong-v3")``."""

from __future__ import annotations

import importlib
import pickle
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo  # type: ignore[import-untyped]
import pytest

import pyale_ma
from common import run_python
from multi.reference import MODULES, compare_steps, our_module
from pyale_ma import multi

KINDS = {"aec": "env", "parallel": "parallel_env"}
HAS_REGISTRY = hasattr(pettingzoo, "register")
needs_registry = pytest.mark.skipif(not HAS_REGISTRY, reason="PettingZoo 1.27 has a registry")


def id_of(module: str, namespace: str = "pyale_ma") -> str:
    return f"{namespace}/{module.replace('_v', '-v')}"


@pytest.fixture
def _registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Puts PettingZoo's registry back as it was."""
    monkeypatch.setenv("PYALE_MA_PETTINGZOO_IDS", "")
    registries = [pettingzoo.aec_registry, pettingzoo.parallel_registry]
    before = [dict(registry) for registry in registries]
    yield
    for registry, entries in zip(registries, before, strict=True):
        registry.clear()
        registry.update(entries)


@needs_registry
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("module", multi.ENVIRONMENTS)
def test_make(module: str, kind: str) -> None:
    """The module's environment, without a warning."""
    spec = pettingzoo.spec(kind, id_of(module))
    assert spec.entry_point == f"pyale_ma.multi.{module}:{KINDS[kind]}"
    assert pettingzoo.spec(kind, f"pyale_ma/{module}") is spec
    assert pettingzoo.spec(kind, spec.id.partition("-v")[0]) is spec
    made = pettingzoo.make(kind, spec.id, obs_type="ram")
    own = getattr(our_module(module), KINDS[kind])(obs_type="ram")
    assert type(made) is type(own)
    assert str(made) == str(own)
    assert made.possible_agents == own.possible_agents
    made.reset(seed=1)
    for env in (pettingzoo.make(kind, pickle.loads(pickle.dumps(spec))), spec.make(obs_type="ram")):
        assert env.possible_agents == own.possible_agents


@needs_registry
def test_arguments() -> None:
    made = pettingzoo.make("parallel", "pyale_ma/pong-v3", num_players=4, obs_type="ram")
    own = our_module("pong_v3").parallel_env(num_players=4, obs_type="ram")
    compare_steps(("reset",), own.reset(seed=3), made.reset(seed=3))
    for t in range(40):
        actions = {agent: (t + p) % 6 for p, agent in enumerate(own.agents)}
        compare_steps((t,), own.step(actions), made.step(actions))
    with pytest.raises(TypeError, match=r"pong_v3\.parallel_env.*'players'"):
        pettingzoo.make("parallel", "pyale_ma/pong-v3", players=4)


@needs_registry
@pytest.mark.parametrize("kind", KINDS)
def test_max_cycles(kind: str) -> None:
    """-1 leaves the module's own number, as of PettingZoo's environments."""
    for given, steps in ((7, 7), (None, 100_000), (-1, 100_000)):
        env = pettingzoo.make(kind, "pyale_ma/boxing-v2", max_cycles=given)
        assert env.unwrapped.max_cycles == steps
    env = pettingzoo.make(kind, "pyale_ma/boxing-v2", max_cycles=7, obs_type="ram")
    env.reset(seed=0)
    steps = 0
    while env.agents:
        if kind == "parallel":
            env.step(dict.fromkeys(env.agents, 0))
        else:
            _, _, terminated, truncated, _ = env.last()
            env.step(None if terminated or truncated else 0)
        steps += 1
    # By turns, each of the two agents acts, and at the end takes leave.
    assert steps == (7 if kind == "parallel" else 2 * 7 + 2)


@needs_registry
def test_printed(capsys: pytest.CaptureFixture[str]) -> None:
    pettingzoo.pprint_registry()
    lines = capsys.readouterr().out.splitlines()
    for module in multi.ENVIRONMENTS:
        assert lines.count(f"  {id_of(module)}") == len(KINDS)


@needs_registry
def test_errors() -> None:
    from pettingzoo.env_registry.exceptions import (  # type: ignore[import-untyped]
        NameNotFound,
        VersionNotFound,
    )

    with pytest.raises(VersionNotFound, match="Available version: v3"):
        pettingzoo.make("parallel", "pyale_ma/pong-v2")
    with pytest.raises(NameNotFound):
        pettingzoo.make("parallel", "pyale_ma/pang-v3")


ASK = """
print(*sorted({s.entry_point.partition(".")[0] for s in pettingzoo.parallel_registry.values()
               if s.namespace == "atari"}),
      sum(s.namespace == "pyale_ma" for s in pettingzoo.aec_registry.values()))
"""
NUMBER = len(multi.ENVIRONMENTS)


@needs_registry
@pytest.mark.parametrize(
    ("before", "whose"),
    [
        ("import pyale_ma, pettingzoo", "pettingzoo"),
        ("import pettingzoo, pyale_ma", "pettingzoo"),
        ("import pyale_ma, pettingzoo, importlib; importlib.reload(pyale_ma)", "pettingzoo"),
        ("import pyale_ma; pyale_ma.register_pettingzoo_ids(); import pettingzoo", "pyale_ma"),
        ("import pettingzoo, pyale_ma; pyale_ma.register_pettingzoo_ids()", "pyale_ma"),
    ],
)
def test_order_of_imports(before: str, whose: str) -> None:
    assert (
        run_python(before + ASK, "-W", "error", PYALE_MA_PETTINGZOO_IDS="") == f"{whose} {NUMBER}"
    )


@needs_registry
@pytest.mark.parametrize("order", ["pyale_ma, pettingzoo", "pettingzoo, pyale_ma"])
def test_ids_stay_in_processes_started(order: str) -> None:
    ours = run_python(f"import {order}{ASK}", "-W", "error", PYALE_MA_PETTINGZOO_IDS="1")
    assert ours == f"pyale_ma {NUMBER}"


def test_import_leaves_pettingzoo_alone() -> None:
    assert run_python("import sys, pyale_ma; print('pettingzoo' in sys.modules)") == "False"


@needs_registry
@pytest.mark.usefixtures("_registry")
def test_taking_over() -> None:
    """All of PettingZoo's Atari ids are ours then, and no others."""
    theirs = {i for i in pettingzoo.parallel_registry if i.startswith("atari/")}
    assert theirs == {id_of(module, "atari") for module in MODULES}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pyale_ma.register_pettingzoo_ids()
        pyale_ma.register_pettingzoo_ids()
    for kind, function in KINDS.items():
        for module in MODULES:
            entry_point = pettingzoo.spec(kind, id_of(module, "atari")).entry_point
            assert entry_point == f"pyale_ma.multi.{module}:{function}"
    assert {i for i in pettingzoo.parallel_registry if i.startswith("atari/")} == theirs
    env = pettingzoo.make("parallel", "atari/pong-v3", num_players=4)
    assert isinstance(env, multi.ParallelAtariEnv)


@needs_registry
def test_pettingzoo_without_atari(monkeypatch: pytest.MonkeyPatch) -> None:
    """A PettingZoo whose Atari environments have left it gets ours, when they are asked for."""
    monkeypatch.setenv("PYALE_MA_PETTINGZOO_IDS", "")
    code = """
import pettingzoo
for registry in (pettingzoo.aec_registry, pettingzoo.parallel_registry):
    for id_ in [id_ for id_ in registry if id_.startswith("atari/")]:
        del registry[id_]
import pyale_ma
pyale_ma.register_pettingzoo_ids()
"""
    assert run_python(code + ASK, "-W", "error") == f"pyale_ma {NUMBER}"


OWN = """
import pettingzoo
env = pettingzoo.make("parallel", "atari/pong-v3", num_players=4, obs_type="ram")
print(type(env.unwrapped).__module__, type(env.unwrapped.ale).__module__)
env.reset(seed=1)
"""


@needs_registry
def test_pettingzoos_own_on_our_interface() -> None:
    """`install_as_multi_agent_ale_py` serves what PettingZoo's registry makes."""
    pytest.importorskip("pygame", reason="PettingZoo's Atari modules import it")
    code = "import pyale_ma; pyale_ma.install_as_multi_agent_ale_py()" + OWN
    made = run_python(code, "-W", "error::UserWarning").splitlines()[-1]
    assert made == "pettingzoo.atari.base_atari_env pyale_ma.multi.multi_interface"


OLD = """
import sys
sys.path.insert(0, {folder!r})
import pyale_ma, pettingzoo
from pyale_ma.multi import pong_v3
assert not hasattr(pettingzoo, "register")
try:
    pyale_ma.register_pettingzoo_ids()
except ImportError as error:
    print(error)
"""


def test_pettingzoo_without_a_registry(tmp_path: Path) -> None:
    """Versions 1.24 to 1.26, here by a package with their names and this one's modules."""
    installed = Path(str(pettingzoo.__file__)).parent
    old = tmp_path / "pettingzoo"
    old.mkdir()
    (old / "__init__.py").write_text(
        f"__path__.append({str(installed)!r})\n__version__ = '1.26.1'\n"
        "from pettingzoo.utils.env import AECEnv, ParallelEnv\n"
    )
    said = run_python(OLD.format(folder=str(tmp_path)), "-W", "error")
    assert "needs PettingZoo 1.27 or later" in said
    assert "this is 1.26.1" in said


@pytest.mark.parametrize("module", multi.ENVIRONMENTS)
def test_vectors_of_gymnasium(module: str) -> None:
    """`gymnasium.make_vec` makes the vector of a module's name."""
    made: Any = gymnasium.make_vec(f"pyale_ma/{module}", num_envs=2, obs_type="ram")
    own: Any = importlib.import_module("pyale_ma.vector").AtariVectorEnv(
        module, num_envs=2, obs_type="ram"
    )
    assert made.action_space == own.action_space
    assert np.array_equal(made.reset(seed=1)[0], own.reset(seed=1)[0])
    made.close()
    own.close()


def test_no_single_environment_of_several_players() -> None:
    with pytest.raises(gymnasium.error.Error, match=r"entry_point.*specified"):
        gymnasium.make("pyale_ma/pong_v3")
