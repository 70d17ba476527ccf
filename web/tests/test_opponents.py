"""The page's opponents decide what Python's do, and play where the page says."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opponents.oracle import choose, logits, next_random
from opponents.trained_players import DUEL, trained
from pyale_ma import _native, roms
from pyale_ma.opponents import LEVELS, Trained, catalogue, load_file
from pyale_ma.opponents.weights import write
from pyale_ma.recording import Recording

FILE = Path(catalogue.__file__).parent / "players" / "pong-2-4.players"
FRAMESKIP = 4
START = 2**32 - 5  # of the opponents' random numbers
QUARTET = roms.find_rom("quartet")

# Of lines with a file, a level, a seat, a start of random numbers and RAM at each decision, prints
# what speaks for each action, and which is chosen; or why the file is refused.
DECIDE = """
import { readFileSync } from 'node:fs';
import { Library, Policy, RAM_SIZE } from './libale.js';
import { levelsOf, readPlayers } from './opponents.js';

const library = await Library.load(readFileSync('ale.wasm'));

// What the module says of the RAM of several decisions, one row each.
function logits(network, rams, seat) {
  const policy = new Policy(library, network);
  const count = rams.length, outputs = network.actions.length, said = 8 * outputs * count;
  return library.lend(said + (2 * RAM_SIZE + 12) * count, (all) => {
    const now = all + said, then = now + RAM_SIZE * count;
    const [seats, randoms, actions] = [0, 4, 8].map((at) => then + (RAM_SIZE + at) * count);
    library.bytes.set(rams.flat(), now);
    library.bytes.set([rams[0], ...rams.slice(0, -1)].flat(), then);
    library.words.fill(seat, seats / 4, seats / 4 + count);
    library.check(library.c.ale_policy_act(
      policy.pointer, count, now, then, seats, randoms, actions, all, outputs * count,
    ));
    policy.close();
    const words = new BigInt64Array(library.c.memory.buffer, all, outputs * count);
    return rams.map((_, i) => Array.from(words.slice(outputs * i, outputs * (i + 1)), Number));
  });
}

for (const line of readFileSync(0, 'utf8').trim().split('\\n')) {
  const { file, level, seat, start, rams } = JSON.parse(line);
  let said;
  try {
    const trained = await readPlayers(new Uint8Array(readFileSync(file)));
    const levels = levelsOf(library, trained);
    const decide = levels.find(({ name }) => name === level).sit(seat, start);
    const all = logits(trained.networks.get(level), rams, seat);
    said = rams.map((ram, i) => [all[i], decide(Uint8Array.from(ram))]);
    for (const one of levels) one.close();
  } catch (error) {
    if (error.constructor.name !== 'Error') throw error;
    said = `refused: ${error.message}`;
  }
  console.log(JSON.stringify(said));
}
"""

# Prints what two opponents of each scripted level do in 4000 frames.
SCRIPTED = """
import { Opponents, scriptedLevels } from './opponents.js';

let start = 0;
const levels = scriptedLevels([0, 1, 3, 12]).map((level) => {
  const two = new Opponents([[1, level], [2, level]], () => (start += 1));
  return [level.name, Array.from({ length: 4000 }, () => two.act(new Uint8Array(128)))];
});
console.log(JSON.stringify(Object.fromEntries(levels)));
"""


@pytest.fixture(scope="module")
def node(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], str]:
    """Runs a program in Node, beside the page's modules."""
    folder = tmp_path_factory.mktemp("node")
    shutil.copytree(built, folder, dirs_exist_ok=True)
    (folder / "package.json").write_text('{"type": "module"}')

    def run(program: str, given: str = "") -> str:
        (folder / "program.js").write_text(program)
        done = subprocess.run(
            ["node", "program.js"], cwd=folder, input=given, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


Decide = Callable[..., list[Any]]


@pytest.fixture(scope="module")
def page_decides(node: Callable[[str, str], str]) -> Decide:
    def decide(*asked: dict[str, Any]) -> list[Any]:
        told = node(DECIDE, "\n".join(map(json.dumps, asked)))
        return [json.loads(line) for line in told.splitlines()]

    return decide


def decided(players: Trained, level: str, seat: int, rams: Any, start: int = START) -> list[Any]:
    """Return NumPy's logits at each decision of an episode, and the chosen actions."""
    network, random = players.networks[level], np.array([start], np.uint32)
    before, made = [rams[0], *rams[:-1]], []
    for said in logits(network, rams, before, np.full(len(rams), seat)):
        random, drawn = next_random(random)
        made.append([said.tolist(), players.actions[choose(said[None], drawn)[0]]])
    return made


def console(game: str, mode: int, seed: int) -> _native.Env:
    env = _native.Env(
        _native.Rom(Path(roms.find_rom(game)).read_bytes()),
        rules=_native.Rules.MULTI,
        random_seed=seed,
        repeat_action_probability=0,
    )
    env.set_mode(mode)
    env.reset()
    return env


def act(env: _native.Env, actions: Any) -> None:
    env.actions[: len(actions)] = actions
    env.act(len(actions))


# ---- Decisions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
def test_shipped_players_decide_as_in_python(page_decides: Decide, level: str) -> None:
    """On RAM of play, and on any."""
    players = load_file(FILE)
    env, drawn = console("pong", players.mode, 3), np.random.default_rng(0)
    played = []
    for _ in range(400):
        played.append(env.ram.tolist())
        actions = drawn.choice(players.actions, 2)
        for _ in range(FRAMESKIP):
            act(env, actions)
    asked: list[dict[str, Any]] = [
        {"file": str(FILE), "level": level, "seat": seat, "start": start, "rams": rams}
        for seat, start in ((0, 0), (1, START))
        for rams in (played, drawn.integers(0, 256, (300, 128)).tolist())
    ]
    for question, said in zip(asked, page_decides(*asked), strict=True):
        expected = decided(players, level, question["seat"], question["rams"], question["start"])
        assert said == expected
        assert len({action for _, action in said}) > 2


def test_largest_numbers_are_exact(page_decides: Decide, tmp_path: Path) -> None:
    asked = []
    for seed in range(20):
        file = tmp_path / f"{seed}.players"
        write(file, trained(seed))
        rams = np.random.default_rng(seed).choice((0, 1, 128, 255), (20, 128)).tolist()
        common = {"file": str(file), "start": seed, "rams": rams}
        asked += [{**common, "level": "weak", "seat": 0}, {**common, "level": "strong", "seat": 1}]
    for question, said in zip(asked, page_decides(*asked), strict=True):
        players = load_file(question["file"])
        del question["file"]
        assert said == decided(players, **question)


def test_scripted_levels(node: Callable[..., str]) -> None:
    """They hold what they do for four frames; random numbers are spread as they should be."""
    played = json.loads(node(SCRIPTED))
    assert list(played) == ["still", "random", "sticky"]
    for name, frames in played.items():
        turns = np.array(frames).reshape(-1, FRAMESKIP, 2)
        assert (turns == turns[:, :1]).all()
        turns = turns[:, 0]
        stays = (turns[1:] == turns[:-1]).mean()
        if name == "still":
            assert not turns.any()
            continue
        assert set(turns.ravel()) == {0, 1, 3, 12}
        assert (turns[:, 0] != turns[:, 1]).mean() > 0.6  # each draws for itself
        assert stays == pytest.approx(0.25 if name == "random" else 0.925, abs=0.03)


def test_files_are_named_after_their_games() -> None:
    """By which the page finds them."""
    for file in FILE.parent.glob("*.players"):
        players = load_file(file)
        assert file.name == f"{players.game}-{players.players}-{players.mode}.players"


# ---- Files ---------------------------------------------------------------------------------------

DEEP = "here"  # where lists deeper than the stack are put


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda it: it.update(md5=["0"]), 'md5 is ["0"]; it must be a text of at most 32 letters'),
        (lambda it: it.update(players=5), "players is 5; it must be a whole number, 1 to 4"),
        (lambda it: it.update(players=10**400), "players is null; it must be"),
        (lambda it: it.update(players=4), "ends too early"),
        (lambda it: it.update(players=1), "bytes too many"),
        (lambda it: it.update(mode=-1), "mode is -1"),
        (lambda it: it.update(frameskip=0), "frameskip is 0; it must be a whole number, 1 to 60"),
        (lambda it: it.update(actions=[]), "actions is []; it must be a list of whole numbers"),
        (lambda it: it.update(actions=[0, 0]), "actions is [0,0]"),
        (lambda it: it.update(actions=[0, 18]), "whole numbers below 18"),
        (lambda it: it.update(actions={"length": 1}), 'actions is {"length":1}'),
        (lambda it: it.update(actions=DEEP), "actions is [["),
        (lambda it: it.update(levels=[]), "levels is []; it must be a list of some of the levels"),
        (lambda it: it.update(levels=[None]), "levels is [null]"),
        (lambda it: it["levels"].reverse(), "in this order"),
        (lambda it: it["levels"][0].update(name="best"), "levels is "),
        (lambda it: it["levels"][0].update(network=None), "the network of weak is no JSON object"),
        (lambda it: it["levels"][0]["network"].update(used=[128]), "used is [128]"),
        (lambda it: it["levels"][0]["network"].update(neurons=[257, 1]), "neurons is [257,1]"),
        (lambda it: it["levels"][0]["network"].update(neurons=[1]), "a list of 2 whole numbers"),
        (lambda it: it["levels"][0]["network"].update(shifts=[0, 0, 16]), "3 whole numbers, 0 to"),
        (lambda it: it["levels"][0]["network"].update(neurons=[256, 256]), "ends too early"),
    ],
)
def test_hostile_headers(
    page_decides: Decide, change: Callable[[Any], None], message: str, tmp_path: Path
) -> None:
    """Whose checksum is right."""
    file = tmp_path / "file.players"
    write(file, trained())
    first, second, numbers = file.read_bytes()[:-32].split(b"\n", 2)
    header = json.loads(second)
    change(header)
    text = json.dumps(header).replace(f'"{DEEP}"', "[" * 5000 + "]" * 5000).encode()
    file.write_bytes(signed(b"\n".join((first, text, numbers))))
    assert refusal(page_decides, file).count(message) == 1


def refusal(page_decides: Decide, file: Path) -> str:
    asked = {"file": str(file), "level": "weak", "seat": 0, "start": 0, "rams": [[0] * 128]}
    (said,) = page_decides(asked)
    assert str(said).startswith("refused: "), said
    return str(said)


def signed(body: bytes) -> bytes:
    return body + hashlib.sha256(body).digest()


def test_damaged_files(page_decides: Decide, tmp_path: Path) -> None:
    whole, file = FILE.read_bytes(), tmp_path / "file.players"
    for content, message in (
        (b"", "does not begin with 'pyale_ma players 1'"),
        (whole[:30], "its checksum is another"),
        (whole[:-1], "its checksum is another"),
        (whole[:70_000] + bytes([whole[70_000] ^ 1]) + whole[70_001:], "its checksum is another"),
        (whole + bytes(50_000), "more than 102400 bytes"),
        (signed(b"pyale_ma players 1\nno end"), "no second line"),
        (signed(b"pyale_ma players 1\n{\n"), "its second line is no JSON"),
        (signed(b"pyale_ma players 1\n[]\n"), "its second line is no JSON object"),
    ):
        file.write_bytes(content)
        assert message in refusal(page_decides, file)


# ---- In the browser ------------------------------------------------------------------------------

NOW = """
const chosen = document.querySelector('#against').selectedOptions[0].text;
const { players, mode, seat } = player.game;
return [chosen, players, mode, seat];
"""
OFFERED = """
if (document.querySelector('#opponents').hidden) return null;
return [...document.querySelector('#against').children].map((one) =>
    one.label && one.children.length
        ? [one.label, ...[...one.children].map((option) => option.text)] : one.text);
"""
MESSAGE = "return document.querySelector('#message span').textContent"
SCRIPTED_ONES = ["scripted", "still", "random", "sticky"]
KINDS = {6: "melee", 10: "teams", 14: "rally", 18: "commons"}  # of Quartet for four, by mode
PONGS, QUARTETS = (
    [
        [f"trained, {n} players, {called}"] + [f"{level}, {n} players{told}" for level in LEVELS]
        for n, called, told in each
    ]
    for each in (
        [
            (n, f"mode {mode}", f", mode {mode}")
            for n, mode in ((2, 4), (2, 19), (2, 39), (4, 6), (4, 41))
        ],
        [(2, "duel", ""), *((4, kind, f", {kind}") for kind in KINDS.values())],
    )
)


def open_game(page: Any, game: str) -> None:
    page.upload("#file", roms.find_rom(game))
    page.wait(f"return player.game.name === {json.dumps(game)}")
    page.run("return player.findingLevels")


def go_to(page: Any, address: str) -> None:
    page.post("url", url=address)
    page.wait("return !!window.player")


def choose_level(page: Any, name: str) -> None:
    """From the list; the random numbers begin as said."""
    page.run("return player.findingLevels")
    page.run(f"player.game.drawStart = () => {START}")
    number = page.run("return player.game.levels.findIndex((it) => it.name === arguments[0])", name)
    page.choose("#against", number)


def play(page: Any, frames: int, *keys: str) -> None:
    page.run("document.querySelector('#stage').focus()")
    page.keys(*(("keyDown", key) for key in keys))
    page.run("for (let i = 0; i < arguments[0]; i++) player.frame()", frames)
    page.keys(*(("keyUp", key) for key in keys))


def saved(page: Any, path: Path) -> Recording:
    """The page's recording of the episode, which Python verifies."""
    path.write_bytes(bytes(page.run("return player.game.recording().then((it) => [...it])")))
    recording = Recording.open(path)
    assert str(recording.verify()).startswith("verified, ")
    return recording


def check_opponent(recording: Recording, level: str, seat: int, first: int = 0) -> None:
    """From a frame on, every fourth it does what Python decides from the RAM there."""
    players = load_file(FILE)
    actions = recording.array("actions")[:, 0]
    env = console("pong", players.mode, recording.header.options["random_seed"])
    rams = []
    for both in actions:
        rams.append(env.ram.tolist())
        act(env, both)
    chosen = [action for _, action in decided(players, level, seat, rams[first::FRAMESKIP])]
    played = actions[first:, seat]
    assert played.tolist() == np.repeat(chosen, FRAMESKIP)[: len(played)].tolist()
    assert len({*chosen}) > 1


@pytest.mark.parametrize(("level", "seat"), [("strong", 0), ("strong", 1), ("weak", 1)])
def test_page_plays_what_python_decides(page: Any, level: str, seat: int, tmp_path: Path) -> None:
    open_game(page, "pong")
    choose_level(page, level)
    page.choose("#seat", seat)
    assert page.run(NOW) == [f"{level}, 2 players, mode 4", 2, 4, seat]
    play(page, 61, "ArrowUp", "s", "e")  # of which W, S and the like are nobody's
    play(page, 242, "ArrowLeft", " ")
    recording = saved(page, tmp_path / "pong.zip")
    own = recording.array("actions")[:, 0, seat].tolist()
    assert own == [3] * 61 + [12] * 242
    check_opponent(recording, level, 1 - seat)
    cards = page.run("return [...document.querySelectorAll('.keys')].map((it) => it.innerText)")
    assert cards[1 - seat] == level
    assert "Space" in cards[seat]


SEATS = """
return [...document.querySelectorAll('#others label')].map((label) => {
    const choice = label.querySelector('select');
    return [label.firstChild.data.trim(), choice.value, [...choice.options].map((one) => one.text)];
});
"""
NAMES = ["still", "random", "sticky", *LEVELS]


def test_each_seat_has_a_level_of_its_own(page: Any, address: str, tmp_path: Path) -> None:
    """Chosen in lists, kept in the address, and there again after a reload."""
    go_to(page, f"{address}?game=pong&against=strong")
    assert page.run(SEATS) == []  # there is one opponent, whom `Against` chooses
    page.choose("#seat", -1)
    assert page.run(SEATS) == [["Player 1", "strong", NAMES], ["Player 2", "strong", NAMES]]
    page.choose("#others label:nth-child(1) select", "weak")
    assert page.run(NOW) == ["several, below", 2, 4, -1]
    query = page.run("return new URLSearchParams(location.search).toString()")
    assert {"against=weak%2Cstrong", "seat=0"} <= {*query.split("&")}
    go_to(page, f"{address}?{query}")
    assert page.run(NOW) == ["several, below", 2, 4, -1]
    page.run(f"player.game.drawStart = () => {START}")
    page.click("#again")
    play(page, 200)
    recording = saved(page, tmp_path / "pong.zip")
    assert recording.header.metadata["lineup"] == ["weak", "strong"]
    check_opponent(recording, "weak", 0)
    check_opponent(recording, "strong", 1)
    cards = page.run("return [...document.querySelectorAll('.keys')].map((it) => it.innerText)")
    assert cards == ["weak", "strong"]
    page.choose("#seat", 1)
    assert page.run(NOW) == ["weak, 2 players, mode 4", 2, 4, 1]
    assert {"against=weak", "seat=2"} <= {*page.run("return location.search.slice(1)").split("&")}


def test_scripted_and_trained_opponents_sit_together(page: Any, address: str) -> None:
    go_to(page, f"{address}?game=pong&players=4&mode=6&against=still,strong,random&seat=2")
    assert page.run(NOW) == ["several, below", 4, 6, 1]
    seated = [[name, level] for name, level, _ in page.run(SEATS)]
    assert seated == [["Player 1", "still"], ["Player 3", "strong"], ["Player 4", "random"]]
    play(page, 40, "ArrowLeft")
    actions = page.run("return player.game.acts")
    assert {tuple(row[:2]) for row in actions} == {(0, 4)}
    assert {row[2] for row in actions} != {0}
    assert len({row[3] for row in actions}) > 1
    other = page.run("return player.game.modes.find((mode) => ![6, 41].includes(mode))")
    page.choose("#mode", other)
    left = f"\u201cstrong\u201d cannot play mode {other} for 4 players."
    assert page.run(MESSAGE) == f"Player 3 is \u201cstill\u201d now: {left}"
    assert [level for _, level, _ in page.run(SEATS)] == ["still", "still", "random"]
    choose_level(page, "random")  # for all of them
    assert [level for _, level, _ in page.run(SEATS)] == ["random"] * 3


def test_opponents_forget_where_play_goes_on_elsewhere(page: Any, tmp_path: Path) -> None:
    open_game(page, "pong")
    choose_level(page, "middle")
    play(page, 101)
    page.click("#save")
    play(page, 30)
    page.click("#restore")
    play(page, 90)
    recording = saved(page, tmp_path / "restored.zip")
    assert len(recording) == 191
    check_opponent(recording, "middle", 1, first=101)
    page.click("#again")
    assert page.run(NOW) == ["middle, 2 players, mode 4", 2, 4, 0]
    play(page, 90)
    check_opponent(saved(page, tmp_path / "again.zip"), "middle", 1)


def test_address_chooses_opponents(page: Any, address: str) -> None:
    for wishes, now in (
        ("against=strong", ["strong, 2 players, mode 4", 2, 4, 0]),
        ("against=weak&seat=2", ["weak, 2 players, mode 4", 2, 4, 1]),
        ("against=weak&seat=3&players=4", ["weak, 4 players, mode 6", 4, 6, 2]),
        ("against=sticky&seat=9&players=4", ["sticky", 4, 1, 3]),
        ("against=random&seat=-1", ["random", 2, 1, 0]),
    ):
        go_to(page, f"{address}?game=pong&seed=5&{wishes}")
        said = page.run(NOW)
        assert said[:2] + said[3:] == now[:2] + now[3:]
        assert said[2] == now[2] or now[0] not in LEVELS
        assert page.run("return player.game.seed") == 5


@pytest.mark.parametrize(
    ("wishes", "now"),
    [
        ("players=4&against=strong&seat=4", ["strong, 4 players, melee", 4, 6, 3]),
        ("players=4&mode=6&against=strong&seat=4", ["strong, 4 players, melee", 4, 6, 3]),
        ("mode=6&against=weak", ["weak, 4 players, melee", 4, 6, 0]),
        ("players=2&against=weak&seat=2", ["weak, 2 players", 2, 2, 1]),
        ("players=4&mode=10&against=still&seat=2", ["still", 4, 10, 1]),
        ("mode=14", ["people", 4, 14, 0]),
    ],
)
def test_address_chooses_players_and_mode(
    page: Any, address: str, wishes: str, now: list[Any]
) -> None:
    go_to(page, f"{address}?game=quartet&{wishes}")
    assert page.run(NOW) == now
    assert page.run(MESSAGE) == ""


@pytest.mark.parametrize(
    ("wishes", "now", "message"),
    [
        (
            "game=quartet&players=2&mode=12&against=strong&seat=2",
            ["people", 2, 12, 0],
            "Quartet has no \u201cstrong\u201d opponents for 2 players in mode 12.",
        ),
        (
            "game=pong&against=nobody",
            ["the cartridge", 1, None, 0],
            "Pong (Video Olympics) has no \u201cnobody\u201d opponents.",
        ),
        (
            "game=pogn&players=4&against=strong&seat=9",
            ["the cartridge", 1, None, 0],
            "There is no game \u201cpogn\u201d here: this is Quartet.",
        ),
        (
            "players=3&mode=six&seat=2",
            ["the cartridge", 1, None, 0],
            "Quartet has no modes for 3 players. Quartet has no mode six. "
            "Seat 2 is only for who plays against opponents.",
        ),
        (
            "players=4&against=strong,weak&seat=1",
            ["several, below", 4, 6, 0],
            "There are 3 opponents, not 2.",
        ),
        (
            "game=pong&against=strong,nobody&seat=0",
            ["the cartridge", 1, None, 0],
            "Pong (Video Olympics) has no \u201cstrong,nobody\u201d opponents.",
        ),
        (
            "players=4&mode=99&against=strong&seat=5",
            ["strong, 4 players, melee", 4, 6, 3],
            "Quartet has no mode 99 for 4 players. There is no seat 5: yours is 4.",
        ),
        (
            "players=1&against=random",
            ["the cartridge", 1, None, 0],
            "Quartet has no \u201crandom\u201d opponents for 1 player.",
        ),
    ],
)
def test_address_asks_for_what_there_is_not(
    page: Any, address: str, wishes: str, now: list[Any], message: str
) -> None:
    go_to(page, f"{address}?{wishes}")
    said = page.run(NOW)
    assert [None if it is None else one for it, one in zip(now, said, strict=True)] == now
    assert page.run(MESSAGE) == message


def test_opponents_of_the_same_name_take_over(page: Any, address: str) -> None:
    go_to(page, f"{address}?game=quartet&players=2&against=strong&seat=2")
    page.choose("#players", 4)
    assert page.run(NOW) == ["strong, 4 players, melee", 4, 6, 1]
    page.choose("#players", 2)
    assert page.run(NOW) == ["strong, 2 players", 2, 2, 1]
    assert page.run(MESSAGE) == ""
    page.choose("#players", 4)
    page.choose("#mode", 14)
    assert page.run(NOW) == ["strong, 4 players, rally", 4, 14, 1]
    page.choose("#players", 2)
    page.choose("#mode", 12)
    assert page.run(NOW) == ["people", 2, 12, 0]
    left = "The opponents were removed: \u201cstrong\u201d cannot play mode 12 for 2 players."
    assert page.run(MESSAGE) == left


def test_only_what_exists_is_offered(page: Any) -> None:
    page.run("return player.findingLevels")
    assert page.run(OFFERED) == ["the cartridge", SCRIPTED_ONES, *QUARTETS]
    open_game(page, "pong")
    assert page.run(OFFERED) == ["the cartridge", SCRIPTED_ONES, *PONGS]
    page.choose("#players", 4)
    assert page.run(OFFERED) == ["people", SCRIPTED_ONES, *PONGS]
    choose_level(page, "strong")  # which brings its players and its mode
    assert page.run(NOW) == ["strong, 2 players, mode 4", 2, 4, 0]
    assert page.run("return document.querySelector('#mode').value") == "4"
    page.choose("#difficulty", 1)
    assert page.run(NOW) == ["strong, 2 players, mode 4", 2, 4, 0]
    page.choose("#mode", 3)
    assert page.run(NOW) == ["people", 2, 3, 0]
    assert "\u201cstrong\u201d cannot play mode 3 for 2 players." in page.run(MESSAGE)
    play(page, 10, "w")
    assert page.run("return player.game.acts.at(-1)") == [0, 3]
    open_game(page, "seaquest")
    assert page.run(OFFERED) is None


@pytest.mark.parametrize(("width", "height", "touch"), [(1280, 900, False), (390, 844, True)])
def test_opponents_can_be_read(
    page: Any, address: str, width: int, height: int, touch: bool
) -> None:
    """In the lists, with room for a frame and an arrow, and in the players' cards."""
    page.size(width, height, touch=touch)
    go_to(page, f"{address}?players=4&against=weak,middle,strong,sticky&seat=0")
    room = """
        const pen = document.createElement('canvas').getContext('2d');
        return [...document.querySelectorAll('#against, #seat, #others select')].map((list) => {
            pen.font = getComputedStyle(list).font;
            const widths = [...list.options].map((one) => pen.measureText(one.text).width);
            return list.clientWidth - 32 - Math.max(...widths);
        });
    """
    rooms = page.run(room)
    assert len(rooms) == 6
    assert min(rooms) > 0
    cards = page.run("return [...document.querySelectorAll('.keys')].map((it) => it.innerText)")
    assert cards == ["weak", "middle", "strong", "sticky"]
    assert page.run("return document.querySelector('.hint').innerText") == ""  # nobody steers


def test_scripted_opponents_take_all_other_seats(page: Any, tmp_path: Path) -> None:
    choose_level(page, "random")
    assert page.run(NOW)[:2] == ["random", 2]  # as one player has no opponents
    page.choose("#players", 4)
    page.choose("#seat", 3)
    assert page.run(NOW)[3] == 3
    page.run("player.input.drag(0.06, 0)")  # the mouse is the person's
    play(page, 100)
    actions = saved(page, tmp_path / "quartet.zip").array("actions")[:, 0]
    assert actions[0, 3] == 3
    assert all(len({*column}) > 2 for column in actions.T[:3])
    page.choose("#players", 2)
    assert page.run(NOW)[::3] == ["random", 1]
    page.choose("#players", 1)
    assert page.run(NOW)[::3] == ["the cartridge", 0]
    page.choose("#players", 2)
    choose_level(page, "still")
    page.click("#opponents option[value='']")
    assert page.run(NOW)[0] == "people"
    page.run("player.input.pressed.add('KeyD')")
    page.run("player.frame()")
    assert page.run("return player.game.acts") == [[0, 3]]


def test_recording_ends_the_play_against_opponents(page: Any, tmp_path: Path) -> None:
    choose_level(page, "random")
    play(page, 20)
    saved(page, tmp_path / "random.zip")
    page.upload("#file", tmp_path / "random.zip")
    page.wait("return !!player.game.replay")
    assert page.run(NOW)[0] == "people"
    play(page, 20)
    assert page.run("return player.game.over")


def come_with_the_page(page: Any, content: bytes) -> None:
    """The page, as if this were a file of players for Quartet that lies beside it."""
    page.run(
        """
        const { fetch } = window;
        window.fetch = (file) => (file === 'quartet-2-2.players'
            ? Promise.resolve(new Response(new Uint8Array(arguments[0]))) : fetch(file));
        player.trained = ['quartet-2-2.players'];
        """,
        list(content),
    )
    open_game(page, "quartet")
    page.run("return player.findingLevels")


def bytes_of(path: Path, players: Trained) -> bytes:
    write(path, players)
    return path.read_bytes()


def test_damaged_file_leaves_the_page_whole(page: Any, tmp_path: Path) -> None:
    whole = bytes_of(tmp_path / "players", trained())
    for content, message in (
        (whole[:-40] + b"?" + whole[-39:], "it is damaged: its checksum is another."),
        (b"<!doctype html>", "it does not begin with 'pyale_ma players 1'."),
    ):
        come_with_the_page(page, content)
        assert page.run(MESSAGE) == f"quartet-2-2.players: {message}"
        assert page.run(OFFERED) == ["the cartridge", SCRIPTED_ONES]
        play(page, 5)
        assert page.run("return player.game.acts.length") == 5
    come_with_the_page(page, whole)
    assert page.run(OFFERED)[2] == ["trained, 2 players, duel", "weak", "strong"]
    choose_level(page, "weak")
    play(page, 50)
    assert page.run(NOW) == ["weak", 2, DUEL, 0]


def test_players_of_something_else_are_not_offered(page: Any, tmp_path: Path) -> None:
    for other in (trained(md5="0" * 32), trained(actions=(0, 1, 2, 3, 4, 5), game="pong")):
        come_with_the_page(page, bytes_of(tmp_path / "players", other))
        assert page.run(OFFERED) == ["the cartridge", SCRIPTED_ONES]
    come_with_the_page(page, bytes_of(tmp_path / "players", trained(mode=99)))
    choose_level(page, "strong")
    assert page.run(MESSAGE) == "the game has no mode 99 for 2 players."
    assert page.run(NOW)[0] == "people"
    play(page, 5)
    assert page.run("return player.game.acts.length") == 5
