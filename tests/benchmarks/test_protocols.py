"""Suites, protocols, normalised scores and reports of `pyale_ma.benchmarks`."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import known_games
from common import random_policy, rom_path
from pyale_ma import benchmarks
from pyale_ma.benchmarks import PROTOCOLS, SUITES, Episode, Report
from pyale_ma.benchmarks.evaluate import _SometimesRandom
from pyale_ma.benchmarks.report import RULES
from pyale_ma.evaluation import Turn
from pyale_ma.vector import AtariVectorEnv
from recording.playing import change_json, play_vector, recorded

# ---- Scores --------------------------------------------------------------------------------------


def test_suites() -> None:
    assert len(SUITES["atari_57"]) == 57
    assert len(SUITES["atari_100k"]) == 26
    assert set(SUITES["atari_100k"]) < set(SUITES["atari_57"])
    for game in SUITES["atari_57"]:
        assert game in known_games.ALONE
        assert benchmarks.human_score(game) > benchmarks.random_score(game)


def test_normalized_scores() -> None:
    for game in SUITES["atari_57"]:
        random, human = benchmarks.random_score(game), benchmarks.human_score(game)
        assert benchmarks.normalized(game, random) == 0
        assert benchmarks.normalized(game, human) == 1
    assert benchmarks.normalized("breakout", 30.5 + 28.8) == pytest.approx(2)
    assert benchmarks.normalized("ALE/Breakout-v5", 1.7) == 0


# ---- Protocols -----------------------------------------------------------------------------------


def vector(name: str, game: str, phase: Any, num_envs: int = 1, **more: Any) -> AtariVectorEnv:
    options = {**PROTOCOLS[name].vector_options(phase), **more}
    return AtariVectorEnv(game, num_envs, obs_type="ram", stack_num=1, num_threads=1, **options)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_vectors_begin_and_step_as_the_protocol_says(name: str) -> None:
    protocol = PROTOCOLS[name]
    with closing(vector(name, "breakout", "evaluation", 200)) as env:
        _, infos = env.reset(seed=0)
        began = set(infos["episode_frame_number"].tolist())
        assert (min(began), max(began)) == (0, protocol.noops)
        assert env.num_actions[0] == (18 if protocol.full_action_space else 4)
        *_, infos = env.step(np.zeros(200, np.int64))
        passed = set(infos["episode_frame_number"].tolist())
        assert passed == {frame + protocol.frameskip for frame in began}


@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.parametrize("phase", ["training", "evaluation"])
def test_lives_and_clipping_of_vectors(name: str, phase: Any) -> None:
    protocol = PROTOCOLS[name]
    with closing(vector(name, "space_invaders", phase, 4, autoreset_mode="Disabled")) as env:
        _, infos = env.reset(seed=3)
        lives, rewards, lost = infos["lives"], [], 0
        random = np.random.default_rng(0)
        for _ in range(400):
            _, reward, terminations, truncations, infos = env.step(random.integers(6, size=4))
            fewer = (infos["lives"] < lives) & (infos["lives"] > 0)
            signalled = phase == "training" and protocol.life_loss
            assert (terminations[fewer] == signalled).all()
            lost += int(fewer.sum())
            lives = infos["lives"]
            rewards += reward.tolist()
            if (over := (lives == 0) | truncations).any():
                _, infos = env.reset(options={"reset_mask": over})
                lives = np.where(over, 3, lives)
        assert lost
        assert (max(rewards) == 1) == (phase == "training" and protocol.clipped)


@pytest.mark.parametrize("name", ["dqn", "machado"])
def test_frame_limit(name: str) -> None:
    """Adventure, left alone, never ends.  The frames of NOOP come before what is limited."""
    protocol = PROTOCOLS[name]
    with closing(vector(name, "adventure", "evaluation")) as env:
        _, infos = env.reset(seed=0)
        began = infos["episode_frame_number"][0]
        steps = 0
        while True:
            *_, terminations, truncations, infos = env.step(np.zeros(1, np.int64))
            assert not terminations[0]
            steps += 1
            if truncations[0]:
                break
            assert steps <= protocol.max_frames // protocol.frameskip
        assert infos["episode_frame_number"][0] - began == protocol.max_frames


@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.parametrize("phase", ["training", "evaluation"])
def test_gymnasium(name: str, phase: Any) -> None:
    protocol = PROTOCOLS[name]
    pytest.importorskip("cv2")
    env = protocol.make("breakout", phase)
    observation, _ = env.reset(seed=0)
    assert observation.shape == ((4, 84, 84) if protocol.pooled else (210, 160, 3))
    _, _, _, _, before = env.step(0)
    _, _, _, _, after = env.step(0)
    assert after["episode_frame_number"] - before["episode_frame_number"] == protocol.frameskip
    assert env.action_space.n == (18 if protocol.full_action_space else 4)  # type: ignore[attr-defined]
    env.close()


# ---- Aggregates ----------------------------------------------------------------------------------


def test_interquartile_mean_is_scipy_s() -> None:
    stats = pytest.importorskip("scipy.stats")
    random = np.random.default_rng(1)
    for games, count in ((1, 1), (3, 1), (5, 7), (26, 10)):
        table = random.normal(size=(games, count))
        found = benchmarks.aggregate({str(row): list(table[row]) for row in range(games)})
        assert found.iqm.value == pytest.approx(stats.trim_mean(table, 0.25, axis=None))
        assert found.mean.value == pytest.approx(table.mean())
        assert found.median.value == pytest.approx(np.median(table.mean(axis=1)))
        for interval in found:
            assert interval.low <= interval.value <= interval.high


def test_intervals() -> None:
    same = benchmarks.aggregate({"a": [1.0] * 5, "b": [3.0] * 5})
    assert same.mean == (2, 2, 2)
    values = {"a": list(np.random.default_rng(0).normal(size=50))}
    wide, narrow = (benchmarks.aggregate(values, confidence=c).mean for c in (0.99, 0.5))
    assert wide.low < narrow.low < narrow.value < narrow.high < wide.high
    # Of a mean of 50 normal numbers: 1.96 standard errors to each side.
    half = 1.96 * np.std(values["a"], ddof=1) / 50**0.5
    mean = benchmarks.aggregate(values, resamples=20_000).mean
    assert mean.high - mean.low == pytest.approx(2 * half, rel=0.05)
    assert benchmarks.aggregate(values) == benchmarks.aggregate(values)


SKEWED = np.random.default_rng(2).lognormal(size=(12, 5))  # games, runs


def check_intervals(median: Any, mean: Any, iqm: Any) -> None:
    """Compare aggregates of `SKEWED`, each its value, its lower and its upper end, with ours.

    Both draw thousands of times, at random: the ends are within 5 % of an interval's width.
    """
    found = benchmarks.aggregate(
        {str(n): list(row) for n, row in enumerate(SKEWED)}, resamples=4000
    )
    for ours, theirs in zip(found, (median, mean, iqm), strict=True):
        assert ours.value == pytest.approx(theirs[0], rel=1e-12)
        assert ours[1:] == pytest.approx(theirs[1:], abs=0.05 * (ours.high - ours.low))


def test_intervals_are_those_of_scipy() -> None:
    """Whose bootstrap draws each of several samples anew."""
    stats = pytest.importorskip("scipy.stats")

    def of(statistic: Any) -> tuple[float, float, float]:
        ends = stats.bootstrap(
            tuple(SKEWED),
            lambda *rows: statistic(np.array(rows)),
            n_resamples=4000,
            vectorized=False,
            method="percentile",
            random_state=np.random.default_rng(0),
        ).confidence_interval
        return statistic(SKEWED), ends.low, ends.high

    check_intervals(
        of(lambda table: np.median(table.mean(axis=1))),
        of(np.mean),
        of(lambda table: stats.trim_mean(table, 0.25, axis=None)),
    )


@pytest.mark.parametrize(
    ("scores", "options", "says"),
    [
        ({}, {}, "same number of values"),
        ({"a": [1.0], "b": [1.0, 2.0]}, {}, "same number of values"),
        ({"a": []}, {}, "at least one"),
        ({"a": [1.0]}, {"confidence": 1}, "confidence is 1"),
        ({"a": [1.0]}, {"confidence": "x"}, "confidence must be a number, not 'x'"),
        ({"a": [1.0]}, {"resamples": 0}, "resamples is 0"),
        ({"a": [1.0]}, {"resamples": 1.5}, "resamples must be a whole number, not 1.5"),
        ({"a": [1.0]}, {"seed": -1}, "seed is -1"),
        ({"a": [1.0, math.nan]}, {}, r"scores\['a'\]\[1\] is nan; it must be finite"),
        ({"a": ["12"]}, {}, r"scores\['a'\]\[0\] must be a number, not '12'"),
    ],
)
def test_what_cannot_be_aggregated(scores: Any, options: Any, says: str) -> None:
    with pytest.raises((TypeError, ValueError), match=says):
        benchmarks.aggregate(scores, **options)


# ---- Reports -------------------------------------------------------------------------------------

REPORT = Report(
    "dqn",
    {
        "breakout": (Episode(0, 2, 100, False), Episode(1, 59, 200, True)),
        "pong": (Episode(0, -21, 800, False), Episode(1, -20, 900, False)),
    },
)


def test_report(tmp_path: Path) -> None:
    REPORT.save(tmp_path / "report.json")
    assert Report.load(tmp_path / "report.json") == REPORT
    text = str(REPORT)
    assert "| breakout | 2 | 30.5 ± 28.5 | 1.7 | 30.5 | 1.000 |" in text
    assert "| pong | 2 | -20.5 ± 0.5 | -20.7 | 14.6 | 0.006 |" in text
    assert f"| median | {REPORT.aggregates().median} |" in text
    means = [np.mean(scores) for scores in REPORT.scores().values()]
    assert REPORT.aggregates().iqm.value == pytest.approx(np.mean(means))  # of games' means
    one = Report("dqn", {"pong": REPORT.episodes["pong"][:1]})
    assert "| pong | 1 | -21.0 | -20.7 | 14.6 | -0.008 |" in str(one)
    pytest.importorskip("matplotlib")
    assert REPORT.picture(tmp_path / "report.png").read_bytes()[:4] == b"\x89PNG"


def test_names_of_reports_cannot_move_the_cursor(tmp_path: Path) -> None:
    file = tmp_path / "\x1b[31mreport.json"
    file.write_text("{")
    with pytest.raises(ValueError, match=r"\\x1b\[31mreport\.json.*report"):
        Report.load(file)


GOOD = {
    "format": "pyale_ma evaluation",
    "version": 1,
    "protocol": "dqn",
    "episodes": {"pong": [[0, -21, 800, False]]},
}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is no report"),
        ("[" * 100_000, "is no report"),
        ("[]", "its JSON is no object"),
        (json.dumps({**GOOD, "format": "another"}), 'format is "another"; it must be'),
        (json.dumps({**GOOD, "version": 2}), "version is 2; it must be 1"),
        (json.dumps({**GOOD, "protocol": "dqm"}), 'protocol is "dqm"; it must be .dqn. or'),
        (json.dumps({**GOOD, "protocol": []}), "protocol is"),
        (json.dumps({**GOOD, "episodes": []}), "episodes is .*; it must be an object"),
        (json.dumps({**GOOD, "episodes": {"pong": 3}}), "episodes is .*; it must be lists"),
        (json.dumps({**GOOD, "episodes": {"pogn": [[0, 1, 2, True]]}}), "did you mean"),
        (json.dumps({**GOOD, "episodes": {"pong": [[0, 1, 2, 3]]}}), "pong: an episode is"),
        (json.dumps({**GOOD, "episodes": {"pong": [[0, 1, 2]]}}), "pong: an episode is"),
        (json.dumps({**GOOD, "episodes": {"pong": ["abcd"]}}), "pong: an episode is"),
        (json.dumps({**GOOD, "episodes": {"pong": []}}), "lists of one length above 0"),
        (json.dumps({**GOOD, "version": True}), "version is true; it must be 1"),
        (json.dumps({**GOOD, "episodes": {"pong": [[0, 10**400, 2, True]]}}), "at most"),
        (json.dumps({**GOOD, "episodes": {"pong": [[0, 1, -2, True]]}}), "steps from 0 on"),
    ],
)
def test_what_is_no_report(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "report.json"
    file.write_text(json.dumps(GOOD))
    assert Report.load(file).episodes["pong"][0].score == -21
    file.write_text(text)
    with pytest.raises(ValueError, match=says):
        Report.load(file)


# ---- Evaluations ---------------------------------------------------------------------------------

QUICK: dict[str, Any] = {"obs_type": "ram", "stack_num": 1}


def test_evaluate() -> None:
    """Results do not depend on how many games are played at a time, nor where."""
    options: dict[str, Any] = {"suite": ["breakout", "pong"], "episodes": 3, "seed": 7, **QUICK}
    report = benchmarks.evaluate(random_policy, **options, num_envs=2)
    assert list(report.episodes) == ["breakout", "pong"]
    assert [episode.seed for episode in report.episodes["pong"]] == [7, 8, 9]
    assert all(-21 <= episode.score <= -17 for episode in report.episodes["pong"])
    assert benchmarks.evaluate(random_policy, **options) == report
    assert benchmarks.evaluate(random_policy, **options, workers=2) == report


def test_recordings_prove_a_report(tmp_path: Path) -> None:
    options: dict[str, Any] = {"suite": ["breakout", "pong"], "episodes": 3, "seed": 7, **QUICK}
    report = benchmarks.evaluate(random_policy, **options, num_envs=2, recordings=tmp_path / "a")
    assert sorted(file.name for file in (tmp_path / "a").iterdir()) == ["breakout.zip", "pong.zip"]
    report.check(tmp_path / "a")
    better = dataclasses.replace(report.episodes["pong"][1], score=21)
    false = {**report.episodes, "pong": (report.episodes["pong"][0], better)}
    with pytest.raises(ValueError, match=r"pong\.zip.*score=21"):
        Report("atari_100k", false).check(tmp_path / "a")
    with pytest.raises(ValueError, match=r"repeat_action_probability=0\.0; dopamine has"):
        Report("dopamine", report.episodes).check(tmp_path / "a")
    with pytest.raises(FileExistsError, match=r"breakout\.zip.*name.*folder"):
        benchmarks.evaluate(random_policy, **options, recordings=tmp_path / "a")
    (tmp_path / "a" / "pong.zip").unlink()  # as if the evaluation had ended before it
    played: list[str] = []

    def policy(game: str, num_actions: int) -> Any:
        played.append(game)
        return random_policy(game, num_actions)

    resumed: dict[str, Any] = {"num_envs": 2, "recordings": tmp_path / "a", "resume": True}
    assert benchmarks.evaluate(policy, **options, **resumed) == report
    assert played == ["pong"]
    with pytest.raises(ValueError, match=r"breakout\.zip.*seed 10"):
        benchmarks.evaluate(policy, **{**options, "episodes": 4}, **resumed)
    (tmp_path / "a" / "pong.zip").write_bytes((tmp_path / "a" / "breakout.zip").read_bytes())
    with pytest.raises(ValueError, match=r"pong\.zip.*breakout.*pong"):
        report.check(tmp_path / "a")
    (tmp_path / "a" / "breakout.zip").unlink()
    with pytest.raises(FileNotFoundError):
        report.check(tmp_path / "a")


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> tuple[Report, Path]:
    """A report, and the recording of its game."""
    folder = tmp_path_factory.mktemp("proof")
    options: dict[str, Any] = {"suite": ["breakout"], "episodes": 2, "seed": 7, **QUICK}
    return benchmarks.evaluate(random_policy, **options, recordings=folder), folder


FIRST, CHUNK = "recording.json", "chunks/000000/chunk.json"
OTHER_RULES = {
    "num_players": 1,
    "mode": [0],
    "difficulty": [0],
    "max_num_frames_per_episode": 20_000,
    "repeat_action_probability": 0.1,
    "full_action_space": True,
    "continuous_action_threshold": 0.6,
    "autoreset_mode": "NextStep",
    "frameskip": 3,
    "noop_max": 1,
    "episodic_life": True,
    "life_loss_info": True,
    "reward_clipping": True,
    "use_fire_reset": True,
    "mirror": True,
    "corrected_rules": True,
    "terminal_on": {"score": "rises"},
}


def refusal(proof: tuple[Report, Path], changed: Path) -> str:
    """Return a report's message about another recording."""
    folder = changed.parent / "changed"
    folder.mkdir(exist_ok=True)
    changed.replace(folder / "breakout.zip")
    with pytest.raises(ValueError, match=r"breakout\.zip") as refused:
        proof[0].check(folder)
    return str(refused.value)


def test_a_play_counts_once(proof: tuple[Report, Path]) -> None:
    report, folder = proof
    twice = {"breakout": (*report.episodes["breakout"], report.episodes["breakout"][1])}
    report.check(folder)
    with pytest.raises(ValueError, match=r"breakout\.zip.*seed 8"):
        Report(report.protocol, twice).check(folder)


def test_other_rules_prove_nothing(proof: tuple[Report, Path]) -> None:
    file = proof[1] / "breakout.zip"
    assert {*OTHER_RULES, "continuous"} == set(RULES)
    for name, value in OTHER_RULES.items():
        bad = change_json(file, FIRST, lambda it: it["options"].update({name: value}))  # noqa: B023
        assert f"was played with {name}={value!r}; atari_100k has" in refusal(proof, bad)

    def continuous(header: dict[str, Any]) -> None:
        header["continuous"] = header["options"]["continuous"] = True

    said = refusal(proof, change_json(file, FIRST, continuous))
    assert "was played with continuous=True; atari_100k has False" in said
    for name in ("mode", "difficulty"):
        bad = change_json(file, CHUNK, lambda it: it["resets"][-1].update({name: 0}))  # noqa: B023
        assert f"was reset with {name}=0; atari_100k leaves" in refusal(proof, bad)


def test_other_games_prove_nothing(proof: tuple[Report, Path]) -> None:
    file = proof[1] / "breakout.zip"
    own = {"name": "breakout", "md5": hashlib.md5(rom_path("breakout").read_bytes()).hexdigest()}
    for games in (
        [{**own, "card": "name = 'breakout'"}],
        [own, {**own, "card": "name = 'breakout'"}],
        [own, own],
        [{**own, "variation": "easy"}],
        [{**own, "md5": "0" * 32}],
        [{**own, "name": "\x1b[2Jowned"}],
    ):
        used = {"games": games, "game_of_env": [0, len(games) - 1]}
        bad = change_json(file, FIRST, lambda it: it.update(used))  # noqa: B023
        said = refusal(proof, bad)
        assert "not of breakout as `evaluate` plays it" in said
        assert said.isprintable()


def test_saved_states_prove_nothing(proof: tuple[Report, Path], tmp_path: Path) -> None:
    options = PROTOCOLS["atari_100k"].vector_options()
    more = {"steps_per_chunk": 10, "keyframes": True}
    with closing(AtariVectorEnv("breakout", autoreset_mode="Disabled", **options)) as env:
        recorded(tmp_path / "keyframes.zip", env, play_vector, 15, **more)
    said = refusal(proof, tmp_path / "keyframes.zip")
    assert "has a saved state before step 10" in said


def nothing(observations: Any, seats: Any) -> Any:
    return np.zeros(len(seats), np.int64)


def nothing_in_turn(observations: Any, seats: Any, turn: Turn) -> Any:
    return nothing(observations, seats)


@pytest.mark.parametrize("policy", [nothing, nothing_in_turn])
def test_random_actions(policy: Any) -> None:
    """As many as the protocol says, of all actions alike, by each match's own generator."""
    count = 100_000
    generators = [np.random.default_rng(seed) for seed in range(2)] * (count // 2)
    turn = Turn(np.arange(count), np.zeros(count, bool), generators, [None] * count)
    actions = _SometimesRandom(policy, 5, 0.05)(np.zeros(count), np.zeros(count, int), turn)
    drawn = np.bincount(actions, minlength=5)[1:] / count
    assert drawn == pytest.approx([0.01] * 4, rel=0.15)


@pytest.mark.skipif(os.name != "posix", reason="signals are sent to a process group")
def test_ctrl_c_ends_an_evaluation_by_several_processes() -> None:
    """At once, and nothing stays behind."""
    program = """
import signal

import common
from pyale_ma import benchmarks

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print("begins", flush=True)
    options = {"episodes": 100_000, "obs_type": "ram", "stack_num": 1}
    benchmarks.evaluate(common.random_policy, workers=2, **options)
"""
    tests = Path(__file__).parents[1] / "support"
    with subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=tests,
        env={**os.environ, "PYTHONPATH": str(tests)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "begins\n"
        time.sleep(1)  # at any moment
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=300)  # it waits for all who have the pipes
    assert "KeyboardInterrupt" in said


@pytest.mark.parametrize(
    ("options", "kind", "says"),
    [
        ({"protocol": "dqm"}, ValueError, "protocol is 'dqm'; there are dqn"),
        ({"episodes": 0}, ValueError, "episodes is 0"),
        ({"workers": -1}, ValueError, "workers is -1"),
        ({"workers": 2, "ray": True}, ValueError, "workers is 2; leave it out with ray=True"),
        ({"num_envs": 0}, ValueError, "num_envs is 0"),
        ({"frameskip": 3}, TypeError, "frameskip cannot be chosen: the protocol says it"),
        ({"games": ["pong"]}, TypeError, "games cannot be chosen"),
        ({"mode": 4}, TypeError, "mode cannot be chosen: the protocol says it"),
        ({"episodic_life": True}, TypeError, "episodic_life cannot be chosen"),
        ({"suite": "pong"}, ValueError, "suite is 'pong'"),
        ({"num_players": 2}, TypeError, "num_players cannot be chosen: a suite has games for one"),
        ({"episodes": "2"}, TypeError, "episodes must be a whole number"),
    ],
)
def test_what_cannot_be_evaluated(options: Any, kind: type[Exception], says: str) -> None:
    with pytest.raises(kind, match=says):
        benchmarks.evaluate(random_policy, **{"suite": ["pong"], **options})


def test_what_makes_no_policy() -> None:
    with pytest.raises(TypeError, match=r"make_policy.*int.*called"):
        benchmarks.evaluate(3, suite=["pong"])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"make_policy.*NoneType"):
        benchmarks.evaluate(lambda game, count: None, suite=["pong"])  # type: ignore[arg-type, return-value]


@pytest.mark.slow
@pytest.mark.parametrize("game", ["breakout", "jamesbond", "surround"])
def test_table_of_random_play(game: str) -> None:
    """The guide's table comes out the same on any machine."""
    page, cells = Path(__file__).parents[2] / "docs" / "benchmarks.md", []
    for protocol in ("atari_100k", "dopamine", "machado"):
        report = benchmarks.evaluate(
            random_policy,
            suite=[game],
            protocol=protocol,
            episodes=30,
            num_envs=30,
            obs_type="ram",
            stack_num=1,
        )
        scores = [episode.score for episode in report.episodes[game]]
        error = np.std(scores, ddof=1) / len(scores) ** 0.5
        cells.append(f"{np.mean(scores):.1f} ± {error:.1f}")
    row = rf"^\| {game} \| [\d.-]+ \| {re.escape(' | '.join(cells))} \|$"
    assert re.search(row, page.read_text("utf-8"), re.MULTILINE), cells
