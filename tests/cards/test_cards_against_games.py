"""Games of many kinds, rewritten as cards, against the built-in rules in long random play."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pyale_ma import _native, roms
from pyale_ma._native import Env, Report, Rules
from pyale_ma.games import cards

FOLDER = Path(__file__).parent
FRAMES = 3000
FRAME_SKIP = 5  # of long play: rewards are compared as sums of so many frames


def files() -> list[Path]:
    return sorted(FOLDER.glob("*.toml"))


def test_there_are_enough() -> None:
    assert len(files()) >= 40
    assert sum(file.stem.endswith("_players") for file in files()) >= 12


def pair(file: Path, rules: Rules, **options: float) -> tuple[Env, Env]:
    """An environment by the built-in rules, and the same by the card."""
    card = cards.load_card(file)
    data = roms.read(roms.find_rom(file))
    game = _native.games()[card.name]
    assert card.title == game.title
    assert card.md5 == game.md5
    env = Env(_native.shared_rom(data), rules=rules, random_seed=1, **options)
    ours = Env(cards.shared_rom(data, card), rules=rules, random_seed=1, **options)
    for field in ("minimal_actions", "legal_actions", "difficulties", "paddles", "screen_height"):
        assert getattr(env.info, field) == getattr(ours.info, field), field
    for players in (1, 2, 4):
        if rules == Rules.MULTI or players == 1:
            assert env.modes(players) == ours.modes(players)
    return env, ours


def bytes_of(file: Path) -> list[int]:
    """The bytes of RAM that a card looks at."""
    text = file.read_text()
    named = text.partition("[ram]\n")[2].partition("\n[")[0]
    found = re.findall(r"(?m)^\w+ = (\d+)$", named) + re.findall(r"ram\[(\d+)\]", text)
    return sorted(set(map(int, found)))


def same_reports(env: Env, ours: Env, where: str) -> None:
    """Compare what both tell of the game."""
    if bytes(env.report) != bytes(ours.report):
        assert told(env.report) == told(ours.report), where


def told(report: Report) -> dict[str, Any]:
    values = {name: getattr(report, name) for name, *_ in report._fields_}
    return {name: v if isinstance(v, int) else list(v) for name, v in values.items()}


def play(
    env: Env, ours: Env, acts: int, seed: int, disturbed: list[int] | None = None
) -> tuple[int, int]:
    """Play so many acts of both alike; how many had a reward, and how many episodes ended.

    Some bytes of RAM may be `disturbed`: set to a number, alike in both, before every tenth act.
    """
    random = np.random.default_rng(seed)
    actions = _native.bits(env.info.minimal_actions)
    players = env.report.players
    chosen = random.choice(actions, (acts // 6 + 1, players)).tolist()
    rewarded = ended = 0
    for act in range(acts):
        if act % 6 == 0:
            env.actions[:players] = ours.actions[:players] = chosen[act // 6]
        if disturbed and act % 10 == 9:
            index = int(random.choice(disturbed))
            value = int(random.choice([0, 1, 0x10, 0x80, 0x99, 0xFF, int(random.integers(256))]))
            env.set_ram(index, value)
            ours.set_ram(index, value)
        env.act(players)
        ours.act(players)
        same_reports(env, ours, f"act {act}")
        rewarded += any(env.report.rewards)
        if env.report.terminated:
            ended += 1
            env.reset()
            ours.reset()
            same_reports(env, ours, f"reset after act {act}")
    assert (env.ram == ours.ram).all()
    return rewarded, ended


@pytest.mark.parametrize("file", files(), ids=lambda file: file.stem)
def test_plays_as_the_built_in_game(file: Path) -> None:
    rules = Rules.MULTI if file.stem.endswith("_players") else Rules.SOLO
    env, ours = pair(file, rules)
    modes = [(n, m) for n in (1, 2, 4) for m in {*env.modes(n)[:1], *env.modes(n)[-1:]}]
    modes = [(n, m) for n, m in modes if n == 1 or rules == Rules.MULTI]
    frames = FRAMES // len(modes)
    happened = 0
    for number, (_, mode) in enumerate(modes):
        for one in (env, ours):
            one.set_mode(mode)
            one.reset()
        play(env, ours, frames // 2, number)
        happened += sum(play(env, ours, frames // 2, number, bytes_of(file)))
    assert happened > 3 * len(modes)


@pytest.mark.slow
@pytest.mark.parametrize("file", files(), ids=lambda file: file.stem)
def test_plays_as_the_built_in_game_for_long(file: Path) -> None:
    rules = Rules.MULTI if file.stem.endswith("_players") else Rules.SOLO
    env, ours = pair(file, rules, frame_skip=FRAME_SKIP)
    for players in (1, 2, 4) if rules == Rules.MULTI else (1,):
        for mode in env.modes(players):
            for one in (env, ours):
                one.set_mode(mode)
                one.reset()
            play(env, ours, 100_000 // FRAME_SKIP // len(env.modes(players)), mode)


@pytest.mark.parametrize("name", ["tennis_players", "othello_players"])
@pytest.mark.parametrize("limit", [0, 20])
def test_time_for_a_move(name: str, limit: int) -> None:
    env, ours = pair(FOLDER / f"{name}.toml", Rules.MULTI, max_turn_time=limit)
    for one in (env, ours):
        one.set_mode(env.modes(2)[0])
        one.reset()
    rewarded, _ = play(env, ours, 2000, 0)
    assert rewarded > 20 or limit == 0
