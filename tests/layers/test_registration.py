"""The ids under which Gymnasium knows the environments."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import pyale_ma
from common import run_python
from pyale_ma import multi, registration

OURS = {spec.id: spec for spec in registration._specs()}


@pytest.fixture
def registry() -> Iterator[None]:
    """Puts the registry back as it was."""
    before = dict(gymnasium.registry)
    yield
    gymnasium.registry.clear()
    gymnasium.registry.update(before)


def test_counts() -> None:
    ids = list(OURS)
    assert len(ids) == 352
    assert sum(i.startswith("ALE/") and i.endswith("-v5") for i in ids) == 104
    assert sum(i.endswith("-v0") for i in ids) == 124
    assert sum(i.endswith("-v4") for i in ids) == 124
    assert sum("NoFrameskip" in i for i in ids) == 124


@pytest.mark.parametrize(
    ("game", "name"),
    [
        ("ms_pacman", "MsPacman"),
        ("up_n_down", "UpNDown"),
        ("qbert", "Qbert"),
        ("et", "Et"),
        ("tic_tac_toe_3d", "TicTacToe3D"),
        ("pitfall2", "Pitfall2"),
    ],
)
def test_names(game: str, name: str) -> None:
    assert gymnasium.spec(f"pyale_ma/{name}-v5").kwargs["game"] == game
    assert f"ALE/{name}-v5" in OURS


def test_specs_are_those_of_ale_py() -> None:
    pytest.importorskip("ale_py")
    code = """
import gymnasium, json, ale_py
print(json.dumps({
    spec.id: [spec.kwargs, spec.max_episode_steps, spec.nondeterministic, spec.reward_threshold,
              spec.order_enforce, spec.disable_env_checker, spec.vector_entry_point is not None]
    for spec in gymnasium.registry.values() if "ale_py" in str(spec.entry_point)}))
"""
    import json

    theirs = json.loads(run_python(code).splitlines()[-1])
    ours = {
        spec.id: [
            spec.kwargs,
            spec.max_episode_steps,
            spec.nondeterministic,
            spec.reward_threshold,
            spec.order_enforce,
            spec.disable_env_checker,
            spec.vector_entry_point is not None,
        ]
        for spec in OURS.values()
    }
    assert json.loads(json.dumps(ours)) == theirs


def test_own_namespace_has_the_same() -> None:
    own = {
        i.removeprefix("pyale_ma/"): s for i, s in gymnasium.registry.items() if "pyale_ma/" in i
    }
    del own["Atari-v5"]  # any game, or card
    assert {name for name in multi.ENVIRONMENTS if own.pop(name).kwargs == {"game": name}} == set(
        multi.ENVIRONMENTS
    )
    assert own.pop("Versus-v0").entry_point == "pyale_ma.opponents:VersusEnv"
    assert set(own) == {i.removeprefix("ALE/") for i in OURS} | {"Quartet-v0"}
    for i, spec in OURS.items():
        twin = own[i.removeprefix("ALE/")]
        assert twin.entry_point == registration.ENTRY_POINT
        assert twin.kwargs == spec.kwargs
        assert twin.vector_entry_point == spec.vector_entry_point


def run(code: str, *options: str, **environment: str) -> str:
    """Return the output of a program in which a warning is an error."""
    return run_python(code, "-W", "error", *options, **{"PYALE_MA_ALE_IDS": "", **environment})


def test_import_registers_all() -> None:
    code = """
import gymnasium, pyale_ma
print(sum(s.entry_point == "pyale_ma.single.env:AtariEnv" for s in gymnasium.registry.values()))
"""
    assert run(code) == "706"


def test_ids_of_another_package_are_left_until_asked_for() -> None:
    code = """
import gymnasium
gymnasium.register("ALE/Pong-v5", "other:Env")
import pyale_ma
print(gymnasium.spec("ALE/Pong-v5").entry_point, gymnasium.spec("Pong-v4").entry_point)
pyale_ma.register_ale_ids()
print(gymnasium.spec("ALE/Pong-v5").entry_point)
"""
    ours = registration.ENTRY_POINT
    assert run(code).split() == ["other:Env", ours, ours]


@pytest.fixture
def other(tmp_path: Path) -> str:
    """A folder with a package called ale_py, which registers two ids as ale-py does."""
    (tmp_path / "ale_py.py").write_text(
        "import gymnasium\n"
        "gymnasium.register('ALE/Pong-v5', 'ale_py:Env')\n"
        "gymnasium.register('Pong-v4', 'ale_py:Env')\n"
    )
    return str(tmp_path)


WHOSE = """
print(*(gymnasium.spec(i).entry_point.partition(":")[0] for i in ("ALE/Pong-v5", "Pong-v0")))
"""
OURS_BOTH = "pyale_ma.single.env pyale_ma.single.env"


@pytest.mark.parametrize(
    "order",
    [
        "import pyale_ma; pyale_ma.register_ale_ids(); import ale_py",
        "import pyale_ma; pyale_ma.register_ale_ids(); import ale_py, importlib;"
        "importlib.reload(ale_py)",
        "import ale_py; import pyale_ma; pyale_ma.register_ale_ids()",
        "import pyale_ma, importlib; pyale_ma.register_ale_ids();"
        "importlib.reload(pyale_ma.registration); importlib.reload(pyale_ma); import ale_py",
    ],
)
def test_ids_that_were_taken_stay(order: str, other: str) -> None:
    code = f"import gymnasium, sys; sys.path.insert(0, {other!r}); {order}\n{WHOSE}"
    assert run(code) == OURS_BOTH


@pytest.mark.parametrize("order", ["pyale_ma, ale_py", "ale_py, pyale_ma"])
def test_ids_stay_in_processes_started(order: str, other: str) -> None:
    code = f"import gymnasium, sys; sys.path.insert(0, {other!r}); import {order}\n{WHOSE}"
    assert run(code, PYALE_MA_ALE_IDS="1") == OURS_BOTH


def test_ale_py_that_cannot_be_imported_takes_nothing(other: str) -> None:
    with (Path(other) / "ale_py.py").open("a") as module:
        module.write("raise ImportError('broken')\n")
    code = f"""
import gymnasium, pyale_ma, sys, warnings
sys.path.insert(0, {other!r})
try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ale_py
except ImportError as error:
    print(error)
print(len(gymnasium.registry) - len([i for i in gymnasium.registry if "pyale_ma/" in i]) >= 352)
"""
    assert run(code).split() == ["broken", "True"]


def test_the_real_ale_py() -> None:
    pytest.importorskip("ale_py")
    code = f"import gymnasium, pyale_ma; pyale_ma.register_ale_ids(); import ale_py\n{WHOSE}"
    assert run(code).splitlines()[-1] == OURS_BOTH


WITHOUT_IMPORT = [
    "pyale_ma:ALE/Pong-v5",
    "pyale_ma:pyale_ma/Pong-v5",
    gymnasium.spec("pyale_ma/Pong-v5"),  # pickled, it says itself what to import
]


@pytest.mark.parametrize("id_", WITHOUT_IMPORT, ids=str)
def test_workers_that_have_not_imported_the_package(id_: Any) -> None:
    make = functools.partial(gymnasium.make, id_, obs_type="ram")
    env = gymnasium.vector.AsyncVectorEnv([make, make], context="spawn")
    assert env.reset(seed=0)[0].shape == (2, 128)
    env.close()


@pytest.mark.usefixtures("registry")
def test_taking_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYALE_MA_ALE_IDS", "")
    gymnasium.registry["ALE/Pong-v5"] = gymnasium.envs.registration.EnvSpec("ALE/Pong-v5", "a:B")
    pyale_ma.register_ale_ids()
    assert gymnasium.spec("ALE/Pong-v5").entry_point == registration.ENTRY_POINT


def test_make_own_id() -> None:
    env = gymnasium.make("pyale_ma/Breakout-v5", obs_type="ram")
    assert env.reset(seed=0)[0].shape == (128,)
    assert type(env.unwrapped).__module__ == "pyale_ma.single.env"
    assert env.spec is not None
    assert gymnasium.make(env.spec).spec == env.spec


def test_import_leaves_rare_modules_alone() -> None:
    code = """
import sys
import numpy, gymnasium
before = set(sys.modules)
import pyale_ma
print(*{"platformdirs", "zipfile", "importlib.resources"} & (set(sys.modules) - before))
"""
    assert run_python(code).split() == []
