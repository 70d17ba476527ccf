"""`corrected_rules` corrects rewards and ends; ordinary play stays as it is."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import pyale_ma.integrations.envpool_pool as pool
from common import module_at, rom_path
from pyale_ma import _native
from pyale_ma._native import Env, Rules
from pyale_ma.recording import Recording, record
from pyale_ma.single import AtariEnv
from pyale_ma.vector import AtariVectorEnv

TOOLS = Path(__file__).parents[2] / "docs" / "tools"
ALONE = [name for name, game in _native.games().items() if Rules.SOLO in game.rules]
MILLION = 1_000_000
# Bytes of the score in RAM, its highest digits first.
SCORES = {
    "asterix": (94, 95, 96),
    "atlantis2": (33, 34, 35),
    "bank_heist": (88, 89, 90),
    "demon_attack": (1, 3, 5),
    "frostbite": (72, 73, 74),
    "gopher": (48, 49, 50),
    "up_n_down": (0, 1, 2),
    "video_pinball": (52, 50, 48),
}


@pytest.fixture(scope="module")
def audit() -> Any:
    return module_at(TOOLS / "audit_rules.py")


def make(game: str, corrected: bool) -> Env:
    """A game for one player, without sticky actions."""
    rom = _native.shared_rom(rom_path(game).read_bytes())
    env = Env(rom, repeat_action_probability=0.0, corrected_rules=corrected)
    env.reset()
    return env


def actions_of(env: Env) -> list[int]:
    return _native.bits(env.info.minimal_actions)


def wrapped(audit: Any, game: str, corrected: bool) -> tuple[int, int]:
    """The reward that passes the highest score, and what it would be below it."""
    env = make(game, corrected)
    state, played, usual = next(audit.scoring(env, actions_of(env)))
    env.restore(state)
    for byte in SCORES[game]:
        env.set_ram(byte, 0x99)
    return [env.act_alone(action) for action in played][-1], usual


@pytest.mark.parametrize("game", SCORES)
def test_scores_that_wrap(audit: Any, game: str) -> None:
    reward, usual = wrapped(audit, game, corrected=True)
    assert reward == usual > 0
    reward, usual = wrapped(audit, game, corrected=False)
    assert reward == usual - MILLION


@pytest.mark.parametrize(("game", "score", "shown"), [
    ("hero", (55, 56, 57), 222_222),
    ("kung_fu_master", (24, 25, 26), 666_666),
])  # fmt: skip
def test_signs_instead_of_a_score(
    audit: Any, game: str, score: tuple[int, ...], shown: int
) -> None:
    for corrected in (False, True):
        env = make(game, corrected)
        state, played, _ = next(audit.scoring(env, actions_of(env)))
        env.restore(state)
        for byte in score:
            env.set_ram(byte, 0x99)
        assert [env.act_alone(action) for action in played][-1] == (1 if corrected else shown)
        assert bool(env.report.terminated) is corrected


def until_end(env: Env, most: int) -> int:
    """Frames without an action until the end."""
    for frame in range(most):
        if env.report.terminated:
            return frame
        env.act_alone(0)
    return most


def test_clock_of_pitfall() -> None:
    for corrected in (False, True):
        env = make("pitfall", corrected)
        env.set_ram(88, 0)
        env.set_ram(89, 2)
        assert (until_end(env, 1000) < 200) is corrected
    assert until_end(make("pitfall", True), 72_100) > 71_900  # 20 minutes


def test_last_life_that_is_lost_to_the_cold() -> None:
    assert until_end(make("frostbite", False), 20_000) == 20_000
    assert until_end(make("frostbite", True), 20_000) < 12_600


@pytest.mark.parametrize("game", ALONE)
def test_ordinary_play_is_the_same(game: str) -> None:
    plain, corrected = make(game, False), make(game, True)
    random = np.random.default_rng(3)
    for action in random.choice(actions_of(plain), 3000).tolist():
        assert corrected.act_alone(action, 2) == plain.act_alone(action, 2)
        assert bytes(corrected.report) == bytes(plain.report)
        if plain.report.terminated:
            plain.reset()
            corrected.reset()


# ---- The ways to ask for it ----------------------------------------------------------------------


def reward_of(env: Any) -> float:
    """The reward of the step in which the score passes 999,999, of an `AtariEnv` of Gopher."""
    for byte in SCORES["gopher"]:
        env.ale.setRAM(byte, 0)
    env.step(0)
    env.ale.setRAM(SCORES["gopher"][0], 0x99)
    env.step(0)
    env.ale.setRAM(SCORES["gopher"][0], 0)
    return float(env.step(0)[1])


def test_atari_env() -> None:
    rom_path("gopher")
    for options, reward in (({}, -990_000), ({"corrected_rules": True}, 10_000)):
        env = AtariEnv("gopher", **options)  # type: ignore[arg-type]
        env.reset(seed=1)
        assert reward_of(env) == reward
        assert ("corrected_rules=True" in repr(env)) is bool(options)
        assert reward_of(pickle.loads(pickle.dumps(env))) == reward


def test_gymnasium_make() -> None:
    rom_path("gopher")
    env = gymnasium.make("pyale_ma/Gopher-v5", corrected_rules=True)
    env.reset()
    assert env.spec is not None
    assert env.spec.kwargs["corrected_rules"] is True
    assert reward_of(env.unwrapped) == 10_000


@pytest.mark.parametrize("value", [2, "yes", None])
def test_what_is_no_truth_value(value: Any) -> None:
    rom_path("gopher")
    for call in (AtariEnv, AtariVectorEnv):
        with pytest.raises((TypeError, ValueError), match="corrected_rules"):
            call("gopher", corrected_rules=value)


def ended(envs: Any, step: Callable[[], Any]) -> bool:
    return any(bool(step()[2].any()) for _ in range(3500))


def test_vector() -> None:
    rom_path("frostbite")
    for corrected in (False, True):
        envs = AtariVectorEnv(
            "frostbite",
            2,
            corrected_rules=corrected,
            obs_type="ram",
            reward_clipping=False,
            use_fire_reset=False,
        )
        envs.reset(seed=1)
        idle = np.zeros(2, np.int64)
        assert ended(envs, lambda: envs.step(idle)) is corrected  # noqa: B023
        state = envs.save_state()
        other = AtariVectorEnv(
            "frostbite",
            2,
            corrected_rules=not corrected,
            obs_type="ram",
            reward_clipping=False,
            use_fire_reset=False,
        )
        with pytest.raises(ValueError, match="options"):
            other.restore_state(state)


def test_pool() -> None:
    rom_path("gopher")
    made = pool.Pool("Gopher-v5", {"corrected_rules": True})
    assert made.envs._native.options["corrected_rules"]


def test_recording(tmp_path: Path) -> None:
    rom_path("frostbite")
    env = AtariEnv("frostbite", corrected_rules=True, repeat_action_probability=0.0, obs_type="ram")
    record(env, tmp_path / "one.zip")
    env.reset(seed=1)
    ends = [env.step(0)[2] for _ in range(3200)]
    env.close()
    assert ends[-1]
    recording = Recording.open(tmp_path / "one.zip")
    assert recording.header.options["corrected_rules"] is True
    assert recording.verify()
