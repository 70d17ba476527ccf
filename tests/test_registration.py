"""The ids under which Gymnasium knows the environments."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator

import gymnasium
import pytest

import pyale_ma
from pyale_ma import registration

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
    assert registration.env_name(game) == name
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

    result = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    theirs = json.loads(result.stdout.splitlines()[-1])
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
    assert set(own) == {i.removeprefix("ALE/") for i in OURS}
    for i, spec in OURS.items():
        twin = own[i.removeprefix("ALE/")]
        assert twin.entry_point == registration.ENTRY_POINT
        assert twin.kwargs == spec.kwargs
        assert twin.vector_entry_point == spec.vector_entry_point


def run_python(code: str) -> str:
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        cwd=tempfile.gettempdir(),  # not the source folder, which would be imported
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_import_registers_all() -> None:
    code = """
import gymnasium, pyale_ma
print(sum(s.entry_point == "pyale_ma.single.env:AtariEnv" for s in gymnasium.registry.values()))
"""
    assert run_python(code) == "704"


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
    assert run_python(code).split() == ["other:Env", ours, ours]


@pytest.mark.usefixtures("registry")
def test_taking_over() -> None:
    gymnasium.registry["ALE/Pong-v5"] = gymnasium.envs.registration.EnvSpec("ALE/Pong-v5", "a:B")
    pyale_ma.register_ale_ids()
    assert gymnasium.spec("ALE/Pong-v5").entry_point == registration.ENTRY_POINT


def test_make_own_id() -> None:
    env = gymnasium.make("pyale_ma/Breakout-v5", obs_type="ram")
    assert env.reset(seed=0)[0].shape == (128,)
    assert type(env.unwrapped).__module__ == "pyale_ma.single.env"
    assert env.spec is not None
    assert gymnasium.make(env.spec).spec == env.spec
