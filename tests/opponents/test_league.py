"""The league: trainings go on where they stopped, and what they write is what has learned."""

from __future__ import annotations

import copy
import hashlib
import importlib.util
import io
import math
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from opponents.oracle import logits
from pyale_ma import opponents
from pyale_ma._base.files import locked
from pyale_ma.evaluation import RandomPolicy
from pyale_ma.evaluation.rating_table import read_table
from pyale_ma.opponents.catalogue import contest_of
from pyale_ma.opponents.weights import numbers, shape

torch = pytest.importorskip("torch", exc_type=ImportError)

ROOT = Path(__file__).parents[2]
FEW = ["--envs=8", "--rollout=8", "--minibatches=2", "--hidden=8", "--epochs=1"]
DUEL = opponents.Contest("quartet", 2, 2)


@pytest.fixture
def league(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The tool, which is not installed, and is found without the package's sources beside it."""
    folder = ROOT / "league"
    spec = importlib.util.spec_from_file_location("league", folder / "__init__.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "league", module)
    spec.loader.exec_module(module)
    for name in ("learner", "training", "export", "plan", "rate", "score", "exploit", "__main__"):
        monkeypatch.delitem(sys.modules, f"league.{name}", raising=False)
        importlib.import_module(f"league.{name}")
    return module


def run(league: Any, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["league", *arguments, *FEW])
    sys.modules["league.__main__"].main()


def short(league: Any, **changed: Any) -> tuple[Any, Any]:
    """The module of trainings, and settings of a short one."""
    numbers = {"steps": 384, "envs": 8, "rollout": 8, "minibatches": 2, "hidden": 8, "epochs": 1}
    settings = sys.modules["league.learner"].Settings(**{**numbers, **changed})
    return sys.modules["league.training"], settings


def test_interrupted(league: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Players of a training that was interrupted are those of one that was not."""
    quick: tuple[str, ...]
    quick = ("quartet", "--players=2", "--steps=384", "--matches=2", "--match-frames=80")
    quick += ("--selves=3",)
    run(league, monkeypatch, *quick, "--folder", str(tmp_path / "one"))
    for until in ("128", "320", "384"):
        run(league, monkeypatch, *quick, "--folder", str(tmp_path / "two"), "--until", until)
    once, often = (
        opponents.load_file(tmp_path / name / "quartet-2-2" / "quartet-2-2.players")
        for name in ("one", "two")
    )
    assert tuple(once.levels) == opponents.LEVELS
    assert [level.steps for level in once.levels.values()] == [0, 128, 384]
    for name, network in once.networks.items():
        other = often.networks[name]
        assert shape(network) == shape(other)
        assert numbers(network) == numbers(other)
        assert once.levels[name].score == often.levels[name].score
    checkpoint = tmp_path / "one" / "quartet-2-2" / "checkpoint.pt"
    command = (*quick, "--folder", str(tmp_path / "one"), "--steps=64", "--gamma=1")
    with pytest.raises(ValueError, match=r"training: steps is 384.*64, gamma is 0.99.*1.0"):
        run(league, monkeypatch, *command)
    checkpoint.write_bytes(checkpoint.read_bytes()[:5000])
    with pytest.raises(ValueError, match=r"checkpoint.*damaged.*checksum"):
        run(league, monkeypatch, *quick, "--folder", str(tmp_path / "one"))


def test_one_training_in_a_folder(
    league: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Another one would write an older checkpoint over a newer one."""
    quick = ("quartet", "--players=2", "--steps=128", "--matches=2", "--match-frames=80")
    folder = tmp_path / "quartet-2-2"
    folder.mkdir()
    with locked(folder / "training.lock"):
        with pytest.raises(BlockingIOError, match=r"training\.lock is in use"):
            run(league, monkeypatch, *quick, "--folder", str(tmp_path))
        assert [file.name for file in folder.iterdir()] == ["training.lock"]
    run(league, monkeypatch, *quick, "--folder", str(tmp_path))
    assert (folder / "checkpoint.pt").exists()


@pytest.mark.parametrize(("after", "text"), [(0, "there is no "), (1, "goes on from .*[/\\\\]")])
def test_ctrl_c(
    league: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, after: int, text: str
) -> None:
    """An interruption says from which checkpoint it goes on."""

    def interrupted(*arguments: Any) -> None:
        raise KeyboardInterrupt

    quick = ["quartet", "--players=2", "--steps=128", "--matches=2", "--match-frames=80"]
    quick += ["--folder", str(tmp_path)]
    if after:
        run(league, monkeypatch, *quick, "--until=64")
    monkeypatch.setattr(sys.modules["league.training"].Games, "play", interrupted)
    with pytest.raises(KeyboardInterrupt, match=f"{text}checkpoint"):
        run(league, monkeypatch, *quick)


def put(*path: Any) -> Callable[[Any], Any]:
    """Return a function that changes a state at a place, to a value or by a function."""
    *place, name, value = path

    def change(state: Any) -> Any:
        inner = state
        for each in place:
            inner = inner[each]
        inner[name] = value(inner[name]) if callable(value) else value
        return state

    return change


NETWORK = ("learner", "network")


DAMAGES: dict[str, Callable[[Any], Any]] = {
    **{f"update {it}": put("update", it) for it in (-5, math.nan, "x", None, 2.5, 10**9, True)},
    "minutes": put("minutes", math.nan),
    "no weights": put(*NETWORK, "policy.weight", lambda it: it * math.nan),
    "no list": put("selves", {}),
    "no Adam": put("learner", "optimizer", 0, "exp_avg_sq", lambda it: it - 1),
    "other bytes": put(*NETWORK, "used", lambda it: it.flip(0)),
    "other bytes of selves": put("selves", 0, "network", "used", lambda it: it + 1),
    "shape of out": put("games", "out", lambda it: it[:1]),
    "type of observations": put("games", "observations", lambda it: it.float()),
    "actions": put("games", "scripted", lambda it: it + 99),
    "rewards": put("games", "squares", lambda it: it - 1),
    "vector": put("games", "vector", lambda it: it[1:]),
    "no vector": put("games", "vector", None),
    "random": put("random", lambda it: it[:9]),
    "self": put("selves", [{}]),
    "a loss": put("selves", 0, "lost", 0.0),
    "setting": put("settings", lambda it: {"steps": 1}),
    "contest": put("contest", [1]),
    "missing": lambda state: {name: it for name, it in state.items() if name != "games"},
    "empty": lambda state: {},
    "list": lambda state: [state],
}


def sealed(body: bytes) -> bytes:
    return body + hashlib.sha256(body).digest()


def test_damaged_checkpoints(league: Any, tmp_path: Path) -> None:
    """Whatever stands in the file, it is refused, and nothing of it is used."""
    training, settings = short(league, past=0.5, scripted=2)
    training.Training(DUEL, settings, tmp_path).run(print, until=128)
    file = tmp_path / training.CHECKPOINT
    whole, state = file.read_bytes(), training.read_checkpoint(file)

    def refused(name: str) -> None:
        with pytest.raises(ValueError, match=r"checkpoint\.pt.*checkpoint.*damaged"):
            made._restore()
        assert (made.update, made.selves) == (0, []), name

    made = training.Training(DUEL, settings, tmp_path / "empty")
    made.folder = tmp_path
    for at in range(0, len(whole), len(whole) // 50):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        refused(f"byte {at}")
    for content in (b"", b"a text", sealed(b""), sealed(b"a text"), whole[:-1]):
        file.write_bytes(content)
        refused(repr(content[:9]))
    for name, change in DAMAGES.items():
        stream = io.BytesIO()
        torch.save(change(copy.deepcopy(state)), stream)
        file.write_bytes(sealed(stream.getvalue()))
        refused(name)
    file.write_bytes(whole)
    made._restore()
    assert made.update == 2


# ---- Checkpoints ---------------------------------------------------------------------------------


def test_all_of_a_plan(
    league: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    plan = tmp_path / "plan.toml"
    few = "steps = 128\nenvs = 8\nrollout = 8\nscripted = 2\nrivalry = 0.5\n"
    tables = [f'game = "quartet"\nplayers = {players}\n{few}' for players in (2, 4)]
    plan.write_text("".join(f"[[contest]]\n{table}" for table in tables), encoding="utf-8")
    arguments = ["--plan", str(plan), "--folder", str(tmp_path), "--workers=1"]
    command = ["league", "all", *arguments, "--matches=4", "--match-frames=40"]
    monkeypatch.setattr(sys, "argv", command)
    for left in (2, 0):
        sys.modules["league.__main__"].main()
        assert capsys.readouterr().out.count(" of 2: quartet for ") == left
    for file in tmp_path.glob("*/*.players"):
        opponents.load_file(file)
        assert 80_000 < file.stat().st_size <= 100 * 1024  # as many neurons as there is room for
    plan.write_text(f"[[contest]]\n{tables[0]}step = 1\n", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(ValueError, match=r"\[.step.\].*unknown"):
        sys.modules["league.__main__"].main()
    for line in ("until = 0", "until = true", "shares = [1, 0.5, 0.2]", "shares = 1", "gamma = 2"):
        plan.write_text(f"[[contest]]\n{tables[0]}{line}\n", encoding="utf-8")
        name = line.split()[0]
        with pytest.raises(ValueError, match=rf"plan\.toml.*2 .*: {name}"):
            sys.modules["league.__main__"].main()


def test_a_card(league: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Players of a card play that card, wherever it lies, and no other."""
    text = (ROOT / "tests" / "cards" / "pong_players.toml").read_text(encoding="utf-8")
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    (tmp_path / "moved.toml").write_text(text, encoding="utf-8")
    (tmp_path / "changed.toml").write_text(f"{text}\n# changed\n", encoding="utf-8")
    quick = ("--steps=128", "--matches=2", "--match-frames=80", "--folder", str(tmp_path))
    run(league, monkeypatch, str(tmp_path / "mine.toml"), "--players=2", *quick)
    [file] = tmp_path.glob("mine-2-*/mine-2-*.players")
    trained = opponents.load_file(file)
    player = opponents.TrainedPolicy(trained, "strong")
    game: dict[str, Any] = {"num_players": 2, "mode": trained.mode}
    env = opponents.VersusEnv(tmp_path / "moved.toml", player, **game)
    env.reset(seed=1)
    env.step(0)
    env.close()
    for other, refused in (
        (
            tmp_path / "changed.toml",
            "for a card of this name, as its text was then, not for .*changed.toml",
        ),
        ("pong", "for a card of this name, .* not for pong"),
    ):
        with pytest.raises(ValueError, match=refused):
            opponents.VersusEnv(other, player, **game)


def test_ratings(
    league: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The same arguments make the same file; another seed another one."""
    found = []
    for number, seed in enumerate(("0", "0", "5")):
        file = tmp_path / f"{number}.ratings"
        arguments = ["rate", "quartet", "--players=2", "--matches=3", "--match-frames=400"]
        arguments += ["--seed", seed, "--output", str(file)]
        monkeypatch.setattr(sys, "argv", ["league", *arguments])
        sys.modules["league.__main__"].main()
        found.append(file.read_bytes())
        table = read_table(file)
        assert f"{table}\n\n{table.crossplay}\n\nwritten: {file}" in capsys.readouterr().out
        assert (table.contest, table.matches, table.frames) == (DUEL, 4, 400)
        assert table.crossplay.names == (*opponents.SCRIPTED, *opponents.LEVELS)
    assert found[0] == found[1]
    assert read_table(tmp_path / "2.ratings").seed == 5
    assert found[0] != found[2].replace(b'"seed": 5', b'"seed": 0')


def test_scores_go_on(league: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Matches are added to those in the file; other frames, settings or players begin anew."""
    score = sys.modules["league.score"]

    def played(file: str, *matches: int, frames: int = 120) -> Any:
        monkeypatch.setattr(score, "FRAMES", dict.fromkeys(score.FRAMES, frames))
        for count in matches:
            monkeypatch.setattr(sys, "argv", [*command, str(count), "--file", str(tmp_path / file)])
            sys.modules["league.__main__"].main()
        found = score.read_scores(tmp_path / file)["quartet-2-2"]
        return {level: (it["frames"], it["seats"]) for level, it in found.items()}

    command = ["league", "score", "quartet_v0", "--players=2", "--levels", "planner", "weak"]
    command += ["--matches"]
    once = played("once", 16)
    assert played("often", 8, 16)["planner"] == once["planner"]
    assert all(sum(seat) == 8 for _, seats in once.values() for seat in seats)
    frames, seats = played("often", 8, frames=80)["planner"]
    assert (frames, sum(map(sum, seats))) == (80, 8)


def test_scores_where_nobody_wins(
    league: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In Atlantis all get the same rewards: those of planners and of random play are compared."""
    score, file = sys.modules["league.score"], tmp_path / "scores"
    monkeypatch.setattr(score, "FRAMES", dict.fromkeys(score.FRAMES, 400))
    score.main(["atlantis_v0", "--levels", "planner", "--matches", "3", "--file", str(file)])
    entry = score.read_scores(file)["atlantis-2-102"]["planner"]
    [seat] = entry["seats"]
    assert sum(seat) == score.CHUNK
    assert seat[0] > seat[2]
    assert entry["decisions"] == 8 * 2 * 400 / 4 / 4


def test_opponents_are_not_of_the_own_team(league: Any) -> None:
    score = sys.modules["league.score"]
    every = {it.contest.stem: it for it in score.contests()}
    assert every["pong-4-6"].opponents_of(1) == every["quartet-4-10"].opponents_of(3) == [0, 2]
    assert every["quartet-4-6"].opponents_of(1) == [0, 2, 3]
    assert every["pong-2-4"].opponents_of(1) == [0]


def test_the_plan_has_all_players_of_the_package(league: Any) -> None:
    planned = {it.contest for it in sys.modules["league.plan"].courses()}
    assert {contest_of(trained) for trained in opponents.available()} <= planned


def test_returns_are_compared_where_nobody_wins(league: Any) -> None:
    """In Quartet's rally all get the same rewards: each policy has all seats."""
    export, random = sys.modules["league.export"], RandomPolicy(6)
    strong = opponents.load("quartet", "strong", num_players=4, mode=14)
    arena = export.arena_for(opponents.Contest("quartet", 4, 14), 1000, 8)
    found = export.duel(arena, strong, random, 8, 5)
    returns = [
        [
            match.returns[0]
            for match in arena.play({"": it}, lineups=[[""] * 4], games=8, seed=5).matches
        ]
        for it in (strong, random)
    ]
    assert (found.matches, found.won) == (8, sum(map(int.__gt__, *returns)))
    assert found.score > 0.5


# ---- Best responses ------------------------------------------------------------------------------


def test_best_response(
    league: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One that was interrupted is that of one that was not, and its score is printed."""
    quick: tuple[str, ...]
    quick = ("exploit", "quartet", "--players=2", "--level=middle", "--steps=384")
    quick += ("--matches=4", "--match-frames=80")
    run(league, monkeypatch, *quick, "--folder", str(tmp_path / "one"))
    for until in ("128", "384"):
        run(league, monkeypatch, *quick, "--folder", str(tmp_path / "two"), "--until", until)
    files = [
        next(tmp_path.glob(f"{folder}/quartet-2-2-against-middle-*/*.players"))
        for folder in ("one", "two")
    ]
    once, often = map(opponents.load_file, files)
    [level] = once.levels.values()
    assert (level.steps, level.matches, level.frames) == (384, 4, 80)
    mine, other = (it.networks["strong"] for it in (once, often))
    assert shape(mine) == shape(other)
    assert numbers(mine) == numbers(other)

    printed = capsys.readouterr().out
    assert "384 steps of 384 " in printed
    assert "against the player 0." in printed
    table = printed.split("| against the middle player | score | 95 % |\n")[-1]
    assert re.match(
        r"\| --- \| ---: \| ---: \|\n"
        r"\| best response, 384 steps in \d\.\d minutes \| [01]\.\d{3} \| "
        r"[01]\.\d{3}-[01]\.\d{3} \|\n"
        r"\| random play \| [01]\.\d{3} \| .*\|\n"
        r"\| strong player \| [01]\.\d{3} \| .*\|\n\n"
        rf"written: {re.escape(str(files[1]))}\n$",
        table,
    )


def test_one_seat_learns(league: Any) -> None:
    """Each game has one seat that learns, on all in turn; the others do what the opponent does."""
    training, learner = sys.modules["league.training"], sys.modules["league.learner"]
    settings = learner.Settings(envs=8, rollout=3, past=1.0)
    games = training.Games(opponents.contest("quartet", 4), settings)
    network = learner.Network([1, 2, 3], 4, 8, games.actions)
    told = training.Met()
    played, _ = games.play(network, lambda seen: torch.full((len(seen), 4), 2), told)
    mine = torch.eye(4).repeat(2, 1).bool()
    assert (played.learns.bool() == mine).all()
    assert (played.actions[:, ~mine] == 2).all()
    assert (played.actions[:, mine] != 2).any()


# ---- Networks ------------------------------------------------------------------------------------


def test_whole_numbers_say_what_the_network_says(league: Any) -> None:
    learner, export = sys.modules["league.learner"], sys.modules["league.export"]
    torch.manual_seed(0)
    network = learner.Network([3, 5, 8, 13, 21], 2, 16, 6)
    torch.nn.init.normal_(network.policy.weight, std=0.5)
    random = np.random.default_rng(0)
    spread = np.array([1, 2, 10, 100, 255])
    memory = np.zeros((3000, 2, 128), np.uint8)
    memory[:, :, [3, 5, 8, 13, 21]] = random.random((3000, 2, 5)) * spread
    features = network.features(torch.from_numpy(memory), learn=True)
    expected = network(features)[0].logits.detach().numpy()
    whole = export.quantised(network.state_dict(), 2)
    for seat in (0, 1):
        found = logits(whole, memory[:, 1], memory[:, 0], np.full(3000, seat)) / 32
        found -= np.log(np.exp(found).sum(1, keepdims=True))
        assert np.abs(found - expected[:, seat]).max() < 0.1
