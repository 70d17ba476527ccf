"""Players: what they decide, what their files may hold, and which there are."""

from __future__ import annotations

import copy
import ctypes
import hashlib
import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import known_games
from opponents import oracle
from opponents.trained_players import ACTIONS, DUEL, LEVEL, logits, network, trained
from pyale_ma import _native, opponents
from pyale_ma._native import NativePolicy
from pyale_ma.evaluation import Arena
from pyale_ma.opponents import (
    ConsoleOpponents,
    Contest,
    StillPolicy,
    TrainedPolicy,
    VersusEnv,
    catalogue,
    load_file,
)
from pyale_ma.opponents.catalogue import contest_of
from pyale_ma.opponents.network import DenseLayer, Network
from pyale_ma.opponents.planner import planner_settings
from pyale_ma.opponents.policies import RandomPolicy, Turn
from pyale_ma.opponents.weights import numbers, parse, shape, write

PLAYED = Contest("quartet", 2, DUEL)


def ram(count: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).integers(0, 256, (count, 128), dtype=np.uint8)


def turn(count: int, states: list[Any] | None = None) -> Turn:
    generators = [np.random.default_rng(row) for row in range(count)]
    fresh = states is None
    return Turn(np.arange(count), np.full(count, fresh), generators, states or [None] * count)


# ---- Decisions -----------------------------------------------------------------------------------


def native(net: Network, actions: Any = ACTIONS) -> NativePolicy:
    seats = len(net.first.bias)
    return NativePolicy(seats, actions=actions, numbers=numbers(net), **shape(net))


def told(player: NativePolicy, actions: int, rams: Any, before: Any, seats: Any) -> Any:
    """The logits that the library computes."""
    count = len(rams)
    said, players = np.empty((count, actions), np.int64), seats.astype(np.uint32)
    chosen, randoms = np.empty(count, np.int32), (ctypes.c_uint32 * count)()
    given = (array.ctypes.data for array in (rams, before, players))
    results = chosen.ctypes.data, said.ctypes.data, said.size
    assert not _native.lib.ale_policy_act(player._handle, count, *given, randoms, *results)
    return said


def assert_decides_as_the_oracle(
    player: NativePolicy, net: Network, actions: Any, rams: Any, before: Any
) -> Any:
    """For all seats in turn."""
    seats = np.arange(len(rams)) % len(net.first.bias)
    randoms = np.arange(len(rams), dtype=np.uint32) * np.uint32(4294967)
    expected = oracle.logits(net, rams, before, seats)
    assert np.array_equal(told(player, len(actions), rams, before, seats), expected)
    states, drawn = oracle.next_random(randoms)
    chosen = np.array(actions)[oracle.choose(expected, drawn)]
    found, moved = player.act(rams, before, seats, randoms)
    assert np.array_equal(found, chosen)
    assert np.array_equal(moved, states)
    return expected


def extremes(count: int, seed: int) -> Any:
    """RAM whose bytes, and their changes, are as far from each other as they may be."""
    rows = np.random.default_rng(seed).choice(np.array([0, 1, 128, 255], np.uint8), (count, 128))
    rows[:2] = [[0], [255]]
    return rows


def fullest(layer: DenseLayer) -> DenseLayer:
    """A layer whose numbers are all as large as they may be."""
    weights, bias = np.full_like(layer.weights, 2**15 - 1), np.full_like(layer.bias, 2**31 - 1)
    return DenseLayer(weights, bias, 0)


@pytest.mark.parametrize("largest", [3, 400, 2**15 - 1])
@pytest.mark.parametrize("seed", range(4))
def test_sums_are_exact(seed: int, largest: int) -> None:
    """However large the numbers, and whatever adds them up."""
    net, now, before = network(seed, largest=largest), ram(40), ram(40, 1)
    before[0] = now[0]
    found = assert_decides_as_the_oracle(native(net), net, ACTIONS, now, before)
    expected = [logits(net, now[row].tolist(), before[row].tolist(), row % 2) for row in range(40)]
    assert found.tolist() == expected
    assert len({tuple(row) for row in expected}) > 1


@pytest.mark.parametrize(
    "sizes",
    [(1, 1, 1, 1), (1, 256, 1, 2), (128, 1, 256, 18), (128, 256, 256, 18), (3, 8, 9, 17)],
)
@pytest.mark.parametrize("largest", [3, 2**15 - 1])
@pytest.mark.parametrize("seats", [1, 4])
def test_networks_of_all_sizes(sizes: tuple[int, int, int, int], largest: int, seats: int) -> None:
    """The smallest and the largest, with layers that do not fill the library's registers."""
    for seed in range(3):
        net = network(seed, seats=seats, largest=largest, sizes=sizes)
        if seed == 2:  # no sums are larger
            net = replace(net, first=fullest(net.first), between=fullest(net.between))
        actions = range(sizes[-1])
        for seen in (ram, extremes):
            rams, before = seen(60, seed), seen(60, seed + 1)
            assert_decides_as_the_oracle(native(net, actions), net, actions, rams, before)


@pytest.mark.parametrize("players", opponents.available(), ids=lambda it: contest_of(it).stem)
def test_shipped_players_decide_as_the_oracle(players: Any) -> None:
    """On any RAM; `TrainedPolicy` remembers what they saw."""
    for level, net in players.networks.items():
        player, states = TrainedPolicy(players, level), turn(200)
        randoms = [np.random.default_rng(row).integers(2**32) for row in range(200)]
        drawn, seats = np.array(randoms, np.uint32), np.arange(200) % players.players
        before = ram(200)
        for number in range(4):
            rams = extremes(200, number) if number == 2 else ram(200, number)
            given = player._native, net, players.actions, rams, before
            expected = assert_decides_as_the_oracle(*given)
            drawn, randoms = oracle.next_random(drawn)
            chosen = player(rams, seats, turn=states)
            assert np.array_equal(chosen, oracle.choose(expected, randoms))
            before = rams


def test_random_numbers() -> None:
    """They are those of these operations on 32 bits, in any language."""
    states, drawn = np.arange(1000, dtype=np.uint32) * np.uint32(4294967), []
    for _ in range(3):
        expected = []
        for state in states.tolist():
            x = (state + 0x9E3779B9) & 0xFFFFFFFF
            x ^= x >> 16
            x = x * 0x21F0AAAD & 0xFFFFFFFF
            x ^= x >> 15
            x = x * 0x735A2D97 & 0xFFFFFFFF
            expected.append(x ^ x >> 15)
        states, numbers = oracle.next_random(states)
        assert numbers.tolist() == expected
        drawn += expected
    assert abs(np.mean(drawn) / 2**32 - 0.5) < 0.02


def test_choices_have_their_probabilities() -> None:
    said = np.array([[0, 32, 64, -10_000]])
    drawn = np.linspace(0, 2**32 - 1, 10_000).astype(np.uint32)
    chosen = oracle.choose(np.repeat(said, len(drawn), 0), drawn)
    shares = np.bincount(chosen, minlength=4) / len(drawn)
    expected = np.exp([0, 1, 2, -np.inf])
    assert shares == pytest.approx(expected / expected.sum(), abs=2e-4)
    assert oracle.choose(said, np.array([0], np.uint32)) == [0]
    net = network(0, sizes=(1, 1, 1, 4))
    last = replace(net.last, weights=np.zeros((1, 4)), bias=said[0] * 2.0**5, shift=0)
    net, rams, seats = replace(net, last=last), np.zeros((40_000, 128), np.uint8), np.zeros(40_000)
    found, _ = native(net, range(4)).act(rams, rams, seats, np.arange(40_000))
    shares = np.bincount(found, minlength=4) / len(found)
    assert shares == pytest.approx(expected / expected.sum(), abs=0.01)


def test_recorded_decisions() -> None:
    """A player's decisions in a game of Quartet are the same on every processor and system."""
    player = TrainedPolicy(trained(5), "strong")
    arena = Arena("quartet", 2, mode=DUEL, max_num_frames_per_episode=1600, img_height=8)
    results = arena.play({"one": player, "sticky": "sticky"}, games=2, seed=3)
    actions = b"".join(match.actions.tobytes() for match in results.matches)
    assert len(set(actions)) == len(ACTIONS)
    assert hashlib.sha256(actions).hexdigest()[:16] == "9720a3c64e2eea17"


def test_batches_do_not_matter() -> None:
    """A player of one game, or of many, in any order, does the same in each."""
    player = TrainedPolicy(trained(), "weak")
    steps = [ram(6, seed) for seed in range(5)]
    seats = np.array([0, 1, 1, 0, 0, 1])
    together = turn(6)
    expected = [player(step, seats, turn=together) for step in steps]
    order = np.array([4, 2, 0, 1, 5, 3])
    mixed = turn(6)
    mixed.generators[:] = [mixed.generators[row] for row in order]
    for step, actions in zip(steps, expected, strict=True):
        stacked = np.stack([ram(6, 9), step], axis=1)  # the last of a stack is seen
        assert (player(stacked[order], seats[order], turn=mixed) == actions[order]).all()
    whole, halves = turn(6), [slice(0, 2), slice(2, 6)]
    for number, (step, actions) in enumerate(zip(steps, expected, strict=True)):
        for part in [slice(0, 6)] if number % 2 else halves:  # who decides together changes
            its = Turn(
                whole.matches[part], whole.starts[part], whole.generators[part], whole.states[part]
            )
            assert (player(step[part], seats[part], turn=its) == actions[part]).all()
            whole.states[part] = its.states
    assert len(np.unique(expected)) > 1


def test_solo() -> None:
    """A function of one game's RAM is what the policy is."""
    player = TrainedPolicy(trained(), "strong")
    act, again = player.solo(1, seed=7), player.solo(1, seed=7)
    done = [act(step) for step in ram(50)]
    assert done == [again(step) for step in ram(50)]
    assert done != [player.solo(1, seed=8)(step) for step in ram(50)]
    with pytest.raises(ValueError, match="seat is 2"):
        player.solo(2)


def decisions(player: TrainedPolicy) -> list[int]:
    act = player.solo(1, seed=3)
    return [act(step) for step in ram(60)]


def test_copies_decide_the_same() -> None:
    player = TrainedPolicy(trained(), "weak", range(18))
    expected = decisions(player)
    for copied in (copy.copy(player), copy.deepcopy(player), pickle.loads(pickle.dumps(player))):
        assert decisions(copied) == expected
        assert repr(copied) == repr(player)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(decisions, [player] * 20)) == [expected] * 20


def test_what_is_seen_is_remembered() -> None:
    """Although the same memory holds what comes next."""
    player, seats = TrainedPolicy(trained(), "strong"), np.array([0, 1])
    kept, reused = turn(2), turn(2)
    memory = np.empty((2, 128), np.uint8)
    for number in range(20):
        memory[:] = ram(2, number)
        expected = player(ram(2, number), seats, turn=kept)
        assert np.array_equal(player(memory, seats, turn=reused), expected)


@pytest.mark.parametrize("level", ["strong", "sticky"])
def test_on_a_console(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked in each frame, it decides in every fourth, from what it sees then, until a new game."""
    monkeypatch.setattr(catalogue, "_trained", lambda: {PLAYED: trained(5)})
    console = ConsoleOpponents(PLAYED, level, [1], seed=5)
    seen, played = ram(80), []
    for _ in range(2):
        played.append([console.actions(each)[0] for each in seen])
        console.begin()
    policy, actions = opponents.load(PLAYED, level), catalogue.select(PLAYED).action_set
    for match, done in enumerate(played):
        generator = np.random.default_rng(np.random.SeedSequence(5, spawn_key=(match, 1)))
        states: list[Any] = [None]
        expected = []
        for each in seen[::4]:
            its = Turn(np.array([match]), np.array([states[0] is None]), [generator], states)
            expected += 4 * [actions[policy(each[None], np.array([1]), turn=its)[0]]]
        assert done == expected
    if level == "sticky":  # the other is too sure for chance to matter
        assert played[0] != played[1]
    assert console.people == (0,)
    assert ConsoleOpponents(PLAYED, level, [1]).actions(seen[0])  # with a seed of its own


def test_what_a_console_refuses() -> None:
    refused: list[tuple[Any, Any, str]] = [
        (PLAYED, [0, 2], r"seats has 2; quartet for 2 .* has 0 to 1"),
        (PLAYED, [0, 0], r"seats is \[0, 0\]; each can be there once"),
        (PLAYED, 1, "seats must be a list of whole numbers, not 1"),
        (PLAYED, [0.5], "seats must be a list of whole numbers"),
        (PLAYED, [True], "seats must be a list of whole numbers"),
        ("quartet", [1], "played must be a Contest"),
    ]
    for played, seats, message in refused:
        with pytest.raises((TypeError, ValueError), match=message):
            ConsoleOpponents(played, "still", seats)
    console = ConsoleOpponents(PLAYED, "still", [1])
    wrong: Any
    for wrong in (ram(2), [0] * 128, ram(1)[0].astype(int)):
        with pytest.raises(ValueError, match=r"ram.*uint8 \(128,\)"):
            console.actions(wrong)


@pytest.mark.parametrize("wrong", [True, "1", 0.5, -1])
def test_numbers_that_players_refuse(wrong: Any) -> None:
    """Seeds and actions are whole numbers from 0; truth values are none."""
    whole = {
        "seed": (
            lambda: ConsoleOpponents(PLAYED, "still", [1], seed=wrong),
            lambda: StillPolicy().solo(0, wrong),
            lambda: RandomPolicy(6, wrong),
        ),
        "action": (lambda: StillPolicy(wrong),),
    }
    for name, calls in whole.items():
        for call in calls:
            with pytest.raises((TypeError, ValueError), match=f"^{name} (is|must be a whole) "):
                call()


def test_action_sets() -> None:
    """With all 18 actions, it presses the same as with those of its game."""
    few = TrainedPolicy(trained(), "strong")
    all_of_them = TrainedPolicy(trained(), "strong", range(18))
    chosen = few(ram(50), np.zeros(50, int), turn=turn(50))
    numbers = all_of_them(ram(50), np.zeros(50, int), turn=turn(50))
    assert numbers.tolist() == [ACTIONS[action] for action in chosen]
    with pytest.raises(ValueError, match=r"action_set.*\[0, 1, 3\].*\[4, 11, 12\]"):
        TrainedPolicy(trained(), "strong", [0, 1, 3])


def test_what_it_refuses() -> None:
    player = TrainedPolicy(trained(), "strong")
    with pytest.raises(ValueError, match=r"seats.*0.*2.*0.*1"):
        player(ram(2), np.array([0, 2]), turn=turn(2))
    with pytest.raises(ValueError, match=r"sees RAM, .*uint8 \(2, 84\)"):
        player(ram(2)[:, :84], np.array([0, 1]), turn=turn(2))
    for seats in ([np.nan, 0], [0.7, 1.2], ["0", "1"], 0):
        with pytest.raises(ValueError, match=r"seats is"):
            player(ram(2), np.array(seats), turn=turn(2))
    with pytest.raises(ValueError, match="sees RAM"):
        player(np.zeros((2, 0, 128), np.uint8), np.array([0, 1]), turn=turn(2))
    with pytest.raises(ValueError, match=r"seats.*1 elements.*2 observations"):
        player(ram(2), np.array([0]), turn=turn(2))
    with pytest.raises(ValueError, match=r"turn\.states.*3 elements.*2 observations"):
        player(ram(2), np.array([0, 1]), turn=turn(3))
    for player_without in (player, opponents.load("quartet", "sticky")):
        with pytest.raises(TypeError, match="give it a Turn"):
            player_without(ram(1), np.array([0]))
    with pytest.raises(ValueError, match=r"was given float64"):
        player(ram(2).astype(float), np.array([0, 1]), turn=turn(2))
    with pytest.raises(TypeError, match=r"seat.*'0'"):
        player.solo("0")  # type: ignore[arg-type]
    level: Any
    for level in (["weak"], {}):
        with pytest.raises(ValueError, match=r"level is .*quartet"):
            opponents.load("quartet", level)
        with pytest.raises(ValueError, match=r"level is"):
            TrainedPolicy(trained(), level)
    with pytest.raises(TypeError, match=r"full_action_space.*'no'"):
        opponents.load("quartet", num_players=2, full_action_space="no")  # type: ignore[arg-type]


def test_names_of_cards_are_escaped(tmp_path: Path) -> None:
    write(tmp_path / "one", replace(trained(), game="evil\x1b[2J\nname", card="0" * 64))
    player = TrainedPolicy(load_file(tmp_path / "one"), "weak")
    for call in (
        lambda: VersusEnv("quartet", player, mode=DUEL),
        lambda: player(ram(1), np.array([2]), turn=turn(1)),
        lambda: TrainedPolicy(player.trained, "weak", [0]),
    ):
        with pytest.raises(ValueError, match=r" evil\\x1b\[2J\\nname "):
            call()


# ---- Files ---------------------------------------------------------------------------------------


def test_files_keep_everything(tmp_path: Path) -> None:
    """Those of a card, which may have no MD5, too."""
    file = tmp_path / "one.players"
    card = replace(trained(), game="mine", card="0" * 64)
    for written in (trained(), replace(card, md5=""), replace(card, md5="0" * 32)):
        write(file, written)
        found = load_file(file)
        for name in ("game", "md5", "card", "players", "mode", "frameskip", "actions", "levels"):
            assert getattr(found, name) == getattr(written, name)
        assert [*found.networks] == [*written.networks]
        for level, net in written.networks.items():
            assert shape(found.networks[level]) == shape(net)
            assert numbers(found.networks[level]) == numbers(net)


def test_numbers_that_do_not_fit(tmp_path: Path) -> None:
    for wrong in (2**15, 0.5, np.nan):
        net = network(0)
        net.scale[0] = wrong
        given = trained(networks={"weak": net, "strong": net})
        for use in (lambda: write(tmp_path / "one", given), lambda: TrainedPolicy(given, "weak")):  # noqa: B023
            with pytest.raises(ValueError, match=r"scale.*no int16"):
                use()
    assert not list(tmp_path.iterdir())


@pytest.fixture
def whole(tmp_path: Path) -> bytes:
    write(tmp_path / "one", trained())
    return (tmp_path / "one").read_bytes()


def signed(body: bytes) -> bytes:
    return body + hashlib.sha256(body).digest()


def test_damaged_files(whole: bytes, tmp_path: Path) -> None:
    """Every cut and every changed byte is noticed."""
    parse(whole)
    for size in (0, 5, 18, 19, 50, 400, len(whole) - 33, len(whole) - 1):
        with pytest.raises(ValueError, match=r"damaged|begin"):
            parse(whole[:size])
    for at in range(0, len(whole), 7):
        changed = bytearray(whole)
        changed[at] ^= 1 << at % 8
        with pytest.raises(ValueError, match=r"damaged|begin"):
            parse(bytes(changed))
    (tmp_path / "two").write_bytes(whole + bytes(200_000))
    with pytest.raises(ValueError, match=r"two.*102400 bytes"):
        load_file(tmp_path / "two")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "golf"}, "no game 'golf'"),
        ({"game": ["quartet"]}, "game is .* it must be a text of at most 100"),
        ({"game": "q" * 200}, "game is .* it must be a text of at most 100"),
        ({"players": 0}, "players is 0; it must be a whole number, 1 to 4"),
        ({"players": 10**30}, "players is 10000"),
        ({"players": True}, "players is true; it must be a whole"),
        ({"players": 4}, "ends too early"),
        ({"players": 1}, "bytes too many"),
        ({"mode": -1}, "mode is -1; it must be a whole"),
        ({"mode": 0.5}, "mode is 0.5; it must be a whole"),
        ({"frameskip": 0}, "frameskip is 0; it must be a whole number, 1 to 60"),
        ({"actions": []}, r"actions is \[\]; it must be a list of 1 to 18"),
        ({"actions": [0, 0]}, "actions is .* in ascending order"),
        ({"actions": [0, 18]}, r"actions is \[0, 18\]; .* whole numbers, 0 to 17"),
        ({"levels": {}}, "levels is {}; it must be a list of objects"),
        ({"levels": 3}, "levels is 3; it must be a list of objects"),
        ({"levels": [3]}, "levels is .*; it must be a list of objects"),
        ({"levels": []}, "levels is .* some of the levels"),
    ],
)
def test_hostile_headers(whole: bytes, changes: dict[str, Any], message: str) -> None:
    refuse(whole, lambda header: header.update(changes), message)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "best"}, "levels is .*; it must be a list of some of the levels weak, middle"),
        ({"name": "strong"}, "levels is .* in this order"),
        ({"score": float("nan")}, "weak: score is NaN; it must be a number, 0 to 1"),
        ({"score": 1.5}, "score is 1.5; it must be"),
        ({"low": "0.5"}, "low is .* it must be a number"),
        ({"high": 10**400}, "high is 1000.* it must be a number, 0 to 1"),
        ({"steps": -1}, "steps is -1; it must be a whole"),
        ({"network": None}, "network is null; it must be an object"),
        ({"network": {"used": [128]}}, r"network: used is \[128\]; .* whole numbers, 0 to 127"),
        ({"network": {"used": []}}, "used is .* a list of 1 to 128"),
        ({"network": {"used": [1], "neurons": [257, 1]}}, r"neurons is \[257, 1\]; it must be"),
        (
            {"network": {"used": [1], "neurons": [1]}},
            r"neurons is \[1\]; it must be a list of 2",
        ),
        (
            {"network": {"used": [1], "neurons": [1, 1], "shifts": [0, 0, 16]}},
            r"shifts is \[0, 0, 16\]; .* whole numbers, 0 to 15",
        ),
        (
            {"network": {"used": list(range(128)), "neurons": [256, 256], "shifts": [0, 0, 0]}},
            "ends too early",
        ),
    ],
)
def test_hostile_levels(whole: bytes, changes: dict[str, Any], message: str) -> None:
    level = 1 if changes.get("name") == "best" else 0
    refuse(whole, lambda header: header["levels"][level].update(changes), message)


def refuse(whole: bytes, change: Any, message: str) -> None:
    """A file with another header, whose checksum is right, is refused."""
    first, second, numbers = whole[:-32].split(b"\n", 2)
    header = json.loads(second)
    change(header)
    body = b"\n".join((first, json.dumps(header).encode(), numbers))
    with pytest.raises(ValueError, match=message):
        parse(signed(body))


def test_headers_that_are_none(whole: bytes) -> None:
    first, _, numbers = whole[:-32].split(b"\n", 2)
    for second in (b"{", b"[]", b"\xff", b"[" * 10_000, b'{"mode": ' + b"9" * 9_000 + b"}"):
        with pytest.raises(ValueError, match=r"no JSON|no object"):
            parse(signed(b"\n".join((first, second, numbers))))
    with pytest.raises(ValueError, match="no second line"):
        parse(signed(first + b"\n" + b"x" * 20_000))


def test_players_of_something_else(tmp_path: Path) -> None:
    file = tmp_path / "one"
    write(file, trained(md5="0" * 32))
    with pytest.raises(ValueError, match="with the MD5 000"):
        load_file(file)
    write(file, trained(mode=3))
    with pytest.raises(ValueError, match="learned mode 3"):
        load_file(file)


# ---- Which there are -----------------------------------------------------------------------------


def test_scripted_players() -> None:
    seats = np.zeros(400, int)
    assert set(opponents.load("quartet", "still")(ram(400), seats)) == {0}
    for level in opponents.SCRIPTED:
        alone = opponents.load("quartet", level).solo(seat=3, seed=1)
        chosen = [alone(ram(1)[0]) for _ in range(50)]
        again = opponents.load("quartet", level).solo(seat=3, seed=1)
        assert chosen == [again(ram(1)[0]) for _ in range(50)]
        assert (len(set(chosen)) > 1) == (level != "still")
    with pytest.raises(ValueError, match="seat is 4"):
        opponents.load("quartet", "still").solo(4)
    sticky: Any = opponents.load("quartet", "sticky")
    table = turn(400)
    before = sticky(ram(400), seats, turn=table)
    after = sticky(ram(400), seats, turn=table)
    assert set(before) == set(range(6))
    assert 0.85 < (before == after).mean() < 0.97  # 0.9, and a sixth of the rest
    every = opponents.load("quartet", "random", full_action_space=True)
    assert set(every(ram(400), seats)) == set(range(18))


def test_unknown_players(monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue = opponents.catalogue
    known = trained()
    there = {opponents.Contest("quartet", 2, DUEL): known}
    monkeypatch.setattr(catalogue, "_trained", lambda: there)
    assert opponents.available() == [known]
    player = opponents.load("quartet", "weak", num_players=2, full_action_space=True)
    assert isinstance(player, TrainedPolicy)
    assert player.strength == LEVEL
    with pytest.raises(ValueError, match=r"2 players.*mode 2.*weak"):
        opponents.load("quartet", "middle", num_players=2)
    with pytest.raises(ValueError, match="level is 'best'"):
        opponents.load("pong", "best")
    text = r"weak.*4 players in mode 6.*num_players=2, mode=2.*planner, random, still, sticky"
    with pytest.raises(ValueError, match=text):
        opponents.load("quartet_v0", "weak")


def test_arena_takes_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    """By name it plays what it plays as a policy; pictures may be observed."""
    there = {opponents.Contest("quartet", 2, DUEL): trained()}
    monkeypatch.setattr(opponents.catalogue, "_trained", lambda: there)
    short: dict[str, Any] = {"mode": DUEL, "max_num_frames_per_episode": 800, "img_height": 8}
    played = []
    options: Any
    for policies, options in (
        ({"a": "strong", "b": "random"}, {}),
        (
            {
                "a": opponents.load("quartet", mode=DUEL),
                "b": opponents.load("quartet", "random"),
            },
            {},
        ),
        ({"a": "strong", "b": "random"}, {"obs_type": "ram", "num_envs": 1}),
    ):
        results = Arena("quartet", 2, **short, **options).play(policies, games=2)
        played.append([match.actions.tolist() for match in results.matches])
    assert played[0] == played[1] == played[2]
    with pytest.raises(ValueError, match=r"trained.*frameskip=4.*3"):
        Arena("quartet", 2, frameskip=3, **short).play({"a": "strong", "b": "random"})
    with pytest.raises(ValueError, match="level is 'best'"):
        Arena("quartet", 2, **short).play({"a": "best", "b": "random"})
    with pytest.raises(ValueError, match=r"opponents.*several players"):
        Arena("quartet", 1, mode=3).play({"a": "random"})
    actions = _native.bits(_native.games()["quartet"].describe(_native.Rules.MULTI).minimal_actions)
    assert tuple(actions) == ACTIONS


def test_other_action_sets_are_refused() -> None:
    """Where the number of an action means another one."""
    player = TrainedPolicy(trained(), "strong")
    options: dict[str, Any] = {"full_action_space": True, "obs_type": "ram"}
    with pytest.raises(ValueError, match="chooses from the actions"):
        VersusEnv("quartet", player, mode=DUEL, num_players=2, **options)
    with pytest.raises(ValueError, match="chooses from the actions"):
        Arena("quartet", 2, mode=DUEL, **options).play({"one": player, "other": "still"})
    with pytest.raises(ValueError, match="was trained for quartet"):
        Arena("boxing", 2).play({"one": player, "other": "still"})


def test_settings_of_planners_are_of_contests() -> None:
    contests = {opponents.contest(*each).stem for each in known_games.ENVIRONMENTS}
    trained = {contest_of(it).stem for it in opponents.available()}
    assert {*planner_settings()} <= contests | trained
