"""The page and the Python package write and read the same recordings."""

from __future__ import annotations

import io
import itertools
import json
import random
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pyale_ma import _native, roms
from pyale_ma.recording import Recording, RecordingError
from recording import all_games
from recording.playing import (
    agents,
    change_json,
    console,
    play_agents,
    play_frames,
    play_vector,
    recorded,
    rewrite,
    small_single,
    vector,
    with_lineup,
)

FIRST, CHUNK = "recording.json", "chunks/000000/chunk.json"
RESET = {"step": 0, "seed": None}

# Of lines with the paths of a recording and its image, prints in JSON what the page says of each.
VERIFY = """
import { readFileSync } from 'node:fs';
import { Library, Rom } from './libale.js';
import { isRecording, readRecording } from './recording.js';
import { verify } from './replay.js';

const library = await Library.load(readFileSync('ale.wasm'));
for (const line of readFileSync(0, 'utf8').trim().split('\\n')) {
  const [file, image] = JSON.parse(line);
  const rom = new Rom(library, new Uint8Array(readFileSync(image)));
  let said;
  try {
    const bytes = new Uint8Array(readFileSync(file));
    if (!isRecording(bytes)) throw new Error('it is no recording');
    said = await verify(rom, await readRecording(bytes));
  } catch (error) {
    if (error.constructor.name !== 'Error' && error.constructor.name !== 'AleError') throw error;
    said = `refused: ${error.message}`;
  }
  rom.close();
  console.log(JSON.stringify(said));
}
"""


# Prints how often the page pauses while it verifies a recording.
PAUSES = """
import { readFileSync } from 'node:fs';
import { Library, Rom } from './libale.js';
import { readRecording } from './recording.js';
import { verify } from './replay.js';

const [file, image] = process.argv.slice(2).map((path) => new Uint8Array(readFileSync(path)));
const rom = new Rom(await Library.load(readFileSync('ale.wasm')), image);
let pauses = 0;
await verify(rom, await readRecording(file), async () => { pauses += 1; });
console.log(pauses);
"""


@pytest.fixture(scope="module")
def node(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the page's modules, and programs for Node."""
    folder = tmp_path_factory.mktemp("node")
    shutil.copytree(built, folder, dirs_exist_ok=True)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "verify.js").write_text(VERIFY)
    (folder / "pauses.js").write_text(PAUSES)
    return folder


@pytest.fixture(scope="module")
def page_says(node: Path) -> Callable[[list[tuple[Path, Path]]], list[str]]:
    """Has the page's modules verify recordings with images, in Node."""

    def says(pairs: list[tuple[Path, Path]]) -> list[str]:
        lines = "\n".join(json.dumps([str(file), str(image)]) for file, image in pairs)
        done = subprocess.run(
            ["node", "verify.js"], cwd=node, input=lines, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        found = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(found) == len(pairs)
        return found

    return says


QUARTET = Path(roms.find_rom("quartet"))


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of two players and several chunks."""
    path = tmp_path_factory.mktemp("good") / "good.zip"
    options: dict[str, Any] = {"steps_per_chunk": 130, "keyframes": True, "check_every": 20}
    recorded(path, console(), play_frames, 300, **options)
    return path


def test_all_games(page_says: Any, tmp_path: Path) -> None:
    files = all_games.write(tmp_path)
    assert {file.name.split("-")[0] for file in files} == set(_native.games())
    pairs = [(file, Path(roms.find_rom(file.name.split("-")[0]))) for file in files]
    wanted = f"verified, {all_games.FRAMES} steps"
    wrong = {pair[0].name: said for pair, said in zip(pairs, page_says(pairs), strict=True)}
    assert {name: said for name, said in wrong.items() if said != wanted} == {}


def altered(path: Path, member: str, change: Callable[[Any], None]) -> Path:
    """With other numbers in an array."""

    def apply(members: dict[str, bytes]) -> None:
        array = np.load(io.BytesIO(members[member]))
        change(array)
        out = io.BytesIO()
        np.save(out, array)
        members[member] = out.getvalue()

    return rewrite(path, apply)


def test_both_find_the_same_differences(page_says: Any, good: Path, tmp_path: Path) -> None:
    def add(place: Any) -> Callable[[Any], None]:
        def change(array: Any) -> None:
            array[place] = array[place] + 1 if array.dtype != bool else ~array[place]

        return change

    cases = [
        ("chunks/000000/rewards.npy", (17, 0, 1)),
        ("chunks/000001/terminations.npy", (5, 0, 0)),
        ("chunks/000001/truncations.npy", (6, 0)),
        ("chunks/000000/ram.npy", (3, 0, 40)),
        ("chunks/000001/ram.npy", (-1, 0, 127)),
        ("chunks/000002/actions.npy", (slice(None), 0, 0)),
    ]
    files, said = [], []
    for number, (member, place) in enumerate(cases):
        files.append(tmp_path / f"{number}.zip")
        shutil.move(altered(good, member, add(place)), files[-1])
    files.append(tmp_path / "screen.zip")
    bad = change_json(good, "end.json", lambda end: end.update(screens=["0" * 64]))
    shutil.move(bad, files[-1])
    said = [str(Recording.open(file).verify()) for file in files]
    assert all("diverges at step" in text for text in said)
    as_page = [text.replace("True", "1").replace("False", "0") for text in said]
    assert page_says([(file, QUARTET) for file in files]) == as_page
    cut = tmp_path / "cut.zip"
    cut.write_bytes(good.read_bytes()[:-2000])
    assert page_says([(cut, QUARTET), (good, QUARTET)]) == [
        str(Recording.open(file).verify()) for file in (cut, good)
    ]


REFUSED: list[tuple[str, str, Callable[[dict[str, Any]], None], str]] = [
    ("version", FIRST, lambda it: it.update(version=2), "version is 2; it must be 1"),
    ("format", FIRST, lambda it: it.update(format="x"), 'format is "x"'),
    ("card", FIRST, lambda it: it["games"][0].update(card="x"), "is defined by a card"),
    ("games", FIRST, lambda it: it.update(games=[]), "games is no JSON object"),
    ("mode", FIRST, lambda it: it["options"].update(mode=99), "has no mode 99"),
    ("players", FIRST, lambda it: it.update(players=4), "players is 2; it must be 4"),
    ("rules", FIRST, lambda it: it["options"].update(rules=7), "rules is 7; it must be a whole"),
    ("steps", CHUNK, lambda it: it.update(steps=2**40), "steps is 1099511627776; it must be"),
    ("checks", CHUNK, lambda it: it.update(checks=[3, 2]), "checks is [3,2]; it must be"),
    ("resets", CHUNK, lambda it: it.update(resets=[None]), "resets is [null]; it must be"),
    ("row", CHUNK, lambda it: it.update(resets=[RESET] * 65), "must be at most 64 before a step"),
    ("seed", CHUNK, lambda it: it["resets"][0].update(seed=1), "seed is 1; it must be null"),
    ("start", "chunks/000001/chunk.json", lambda it: it["begin"].update(kind="start"), "saved s"),
    ("end", "end.json", lambda it: it.update(steps=1), "steps is 1; it must be 300"),
    ("screens", "end.json", lambda it: it.update(screens=[3]), "screens is [3]; it must be"),
    ("text", "end.json", lambda it: it.update(screens=[["0" * 64]]), 'screens is [["000'),
]


def test_what_is_refused(page_says: Any, good: Path, tmp_path: Path) -> None:
    files: list[Path] = []
    for name, member, change, _ in REFUSED:
        files.append(tmp_path / f"{name}.zip")
        shutil.move(change_json(good, member, change), files[-1])
    said = page_says([(file, QUARTET) for file in files])
    for (name, _, _, text), words in zip(REFUSED, said, strict=True):
        assert words.startswith("refused: "), name
        assert text in words, name


def test_other_layers_are_refused_with_the_remedy(page_says: Any, tmp_path: Path) -> None:
    single, multi, many = (tmp_path / f"{name}.zip" for name in ("single", "multi", "vector"))
    small_single(single, 5)
    recorded(multi, agents(), play_agents, 5)
    recorded(many, vector(), play_vector, 5)
    said = page_says([(file, QUARTET) for file in (single, multi, many)])
    for words, layer, reason in (
        (said[0], "single", "whose steps have several frames, and whose seeds go through NumPy's"),
        (said[1], "multi", "whose steps have several frames, and whose seeds go through NumPy's"),
        (said[2], "vector", "which is many environments"),
    ):
        assert f'(layer "{layer}"), and this page plays one console frame by frame' in words
        assert reason in words
        assert "verify it with `pyale-ma replay FILE`" in words


def test_numbers_that_no_play_has(page_says: Any, good: Path, tmp_path: Path) -> None:
    files, texts = [], ("must have finite numbers", "has a truth value that is neither 0 nor 1")
    for name, change in (
        ("strengths", lambda array: array.__setitem__((0, 0, 0), np.nan)),
        ("terminations", lambda array: array.view(np.uint8).__setitem__((0, 0, 0), 2)),
    ):
        files.append(tmp_path / f"{name}.zip")
        shutil.move(altered(good, f"chunks/000000/{name}.npy", change), files[-1])
    for file, words, text in zip(
        files, page_says([(file, QUARTET) for file in files]), texts, strict=True
    ):
        assert words == f"refused: chunks/000000/{file.stem}.npy {text}"
        with pytest.raises(RecordingError, match=text.removeprefix("must ")):
            Recording.open(file).verify()


def test_lists_deeper_than_the_stack_are_refused(page_says: Any, good: Path) -> None:
    def nest(members: dict[str, bytes]) -> None:
        chunk = json.loads(members[CHUNK])
        text = json.dumps({**chunk, "checks": "here"})
        deep = "[" * 100_000 + "]" * 100_000
        members[CHUNK] = text.replace('"here"', deep).encode()

    (said,) = page_says([(rewrite(good, nest), QUARTET)])
    assert "checks is [[" in said or "is no JSON" in said


def test_resets_of_many_chunks_are_counted_together(page_says: Any, good: Path) -> None:
    """Those that end a chunk and those that begin the next come before the same step."""

    def change(members: dict[str, bytes]) -> None:
        for number, step, count in ((0, 130, 40), (1, 0, 25)):
            name = f"chunks/{number:06}/chunk.json"
            chunk = {**json.loads(members[name]), "resets": [{**RESET, "step": step}] * count}
            members[name] = json.dumps(chunk).encode()

    (said,) = page_says([(rewrite(good, change), QUARTET)])
    assert "000001/chunk.json: resets is" in said
    assert "at most 64 before a step" in said


def test_verifying_pauses_for_resets_too(node: Path, good: Path) -> None:
    """A page that waits for 40 resets and a step does not stand still."""
    bad = change_json(good, CHUNK, lambda it: it.update(resets=[RESET] * 40))
    done = subprocess.run(
        ["node", "pauses.js", str(bad), str(QUARTET)], cwd=node, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 4


def places(value: Any) -> Any:
    """All places of a JSON value, with what holds them."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from places(value[key])


def test_damage(page_says: Any, good: Path, tmp_path: Path) -> None:
    """Bytes and values at random: each is refused by name, or found, and nothing else happens."""
    drawn, data = random.Random(0), good.read_bytes()
    directory = data.index(b"PK\x01\x02")
    with zipfile.ZipFile(good) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    files: list[Path] = []
    for number in range(120):
        files.append(tmp_path / f"{number}.zip")
        if number % 2:
            bad = bytearray(data)
            for _ in range(drawn.randrange(1, 4)):
                bad[drawn.randrange(30 + len(FIRST), directory)] ^= 1 << drawn.randrange(8)
            if number % 4 == 1:
                del bad[drawn.randrange(60, directory) :]
            files[-1].write_bytes(bad)
            continue
        target = drawn.choice([name for name in members if name.endswith(".json")])
        value = json.loads(members[target])
        place, key = drawn.choice(list(places(value)))
        strange: tuple[Any, ...]
        strange = (None, True, -1, 2**31, 10**30, 1e300, "", "x" * 500, [], [[]], {}, [-1], 0.5, 7)
        place[key] = drawn.choice(strange)
        changed = {**members, target: json.dumps(value).encode()}
        with zipfile.ZipFile(files[-1], "w", zipfile.ZIP_DEFLATED) as after:
            for name, content in changed.items():
                after.writestr(name, content)
    said = page_says([(file, QUARTET) for file in files])
    assert sum(words.startswith("refused: ") for words in said) > 60
    assert all(words.startswith(("refused: ", "diverges at ", "verified, ")) for words in said)
    assert "verified, 300 steps" not in said[1::4]  # but "cut off there"


def test_what_a_killed_recorder_left_behind(page_says: Any, good: Path, tmp_path: Path) -> None:
    """Up to its last whole chunk, as the package reads it."""
    data = good.read_bytes()
    whole = data[: data.index(b"PK\x01\x02")]
    files: list[Path] = []
    places = [found.start() for found in re.finditer(b"PK\x03\x04", whole)]
    for place, stop in itertools.pairwise([*places[1:], len(whole)]):
        no_sizes = bytearray(whole[:stop])
        no_sizes[place + 14 : place + 22] = bytes(8)
        for bad in (no_sizes, whole[: stop - 4] + bytes(4)):
            files.append(tmp_path / f"{len(files)}.zip")
            files[-1].write_bytes(bad)
    said = page_says([(file, QUARTET) for file in files])
    for file, words in zip(files, said, strict=True):
        recording = Recording.open(file)
        assert not recording.complete
        if len(recording):
            assert words.startswith(f"verified, {len(recording)} steps")


# ---- In the browser ------------------------------------------------------------------------------


def played_here(page: Any, path: Path) -> Path:
    """Save the page's present episode with its button."""
    page.run("""
        window.files = [];
        URL.createObjectURL = (blob) => { files.push(blob); return '#'; };
        document.querySelector('#numbers').open = true;
    """)
    page.click("#record")
    page.wait("return files.length > 0")
    data = page.run("return files[0].arrayBuffer().then((it) => [...new Uint8Array(it)])")
    path.write_bytes(bytes(data))
    return path


def play(page: Any, frames: int) -> None:
    page.run("for (let i = 0; i < arguments[0]; i++) player.frame()", frames)


@pytest.mark.parametrize(("game", "players"), [("quartet", 4), ("pong", 1), ("seaquest", 1)])
def test_python_verifies_what_the_page_saves(
    page: Any, game: str, players: int, tmp_path: Path
) -> None:
    if game != "quartet":
        page.upload("#file", roms.find_rom(game))
        page.wait(f"return player.game.name === {json.dumps(game)}")
    if players > 1:
        page.choose("#players", players)
    page.run("player.input.drag(0.06, 0); document.querySelector('#stage').focus()")
    play(page, 130)
    page.click("#save")
    page.keys(("keyDown", "ArrowRight"), ("keyDown", "d"))
    play(page, 150)
    page.keys(("keyUp", "ArrowRight"), ("keyUp", "d"))
    page.click("#restore")  # what led here counts, and nothing else
    page.keys(("keyDown", "ArrowUp"), ("keyDown", " "))
    play(page, 145)
    page.keys(("keyUp", "ArrowUp"), ("keyUp", " "))
    path = played_here(page, tmp_path / "page.zip")
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
    recording = Recording.open(path)
    verdict = recording.verify()
    assert str(verdict) == "verified, 275 steps"
    assert recording.header.metadata == {"lineup": ["person"] * players}
    returns = page.run("return player.game.returns")[:players]
    assert recording.array("rewards").sum(axis=(0, 1)).tolist() == returns
    # And the page opens what it saved.
    page.upload("#file", path)
    page.wait("return !!player.game.replay")
    said = page.run("return document.querySelector('#message').innerText")
    assert f"page.zip: verified, 275 steps. Played by {', '.join(['person'] * players)}." in said


def test_page_shows_a_recording(page: Any, good: Path, tmp_path: Path) -> None:
    page.upload("#file", good)
    page.wait("return !!player.game.replay")
    said = page.run("return document.querySelector('#message').innerText")
    assert "good.zip: verified, 300 steps." in said
    assert page.run("return document.querySelector('#go').innerText") == "Watch"
    disabled = "return ['save', 'record'].map((id) => document.querySelector('#' + id).disabled)"
    assert page.run(disabled) == [True, True]
    play(page, 250)
    seen = page.run("return [...player.game.console.ram]")
    recording = Recording.open(good)
    (step,) = recording.steps(249, 250)
    assert seen == step.ram[0].tolist()
    for place in (280, 120):  # forwards, and back from the beginning
        page.run(
            """const bar = document.querySelector('#seek');
            bar.value = arguments[0];
            bar.dispatchEvent(new Event('input'));""",
            place,
        )
        (step,) = recording.steps(place - 1, place)
        assert page.run("return [...player.game.console.ram]") == step.ram[0].tolist()
        shown = page.run("return document.querySelector('#place').textContent")
        assert shown == f"{place} of 300"
    page.choose("#speed", 8)
    page.click("#go")
    page.wait("return player.game.over")
    assert "The recording is over." in page.run("return document.body.innerText")
    page.click("#again")  # a game of one's own
    assert page.run("return [player.game.replay, player.game.players, player.game.over]") == [
        None,
        2,
        0,
    ]
    assert page.run(disabled) == [False, False]
    play(page, 5)
    assert Recording.open(played_here(page, tmp_path / "own.zip")).verify()


def test_page_says_which_opponents_played(page: Any, tmp_path: Path) -> None:
    page.choose("#players", 2)
    levels = page.run("return player.game.levels.map((level) => level.name)")
    page.run("player.playAgainst(player.game.levels[arguments[0]], 0)", levels.index("sticky"))
    play(page, 20)
    path = played_here(page, tmp_path / "against.zip")
    assert Recording.open(path).header.metadata == {"lineup": ["person", "sticky"]}
    for lineup, said in ((["me", "you"], " Played by me, you."), ([{}], ""), ("me", "")):
        changed = with_lineup(path, lineup)
        page.upload("#file", changed)
        page.wait("return !!player.game.replay")
        message = page.run("return document.querySelector('#message').innerText")
        assert f"changed.zip: verified, 20 steps.{said}" in message
        assert ("Played by" in message) == bool(said)
        page.click("#again")


def test_page_finds_the_installed_game_of_a_recording(page: Any, tmp_path: Path) -> None:
    path = tmp_path / "pong.zip"
    recorded(path, console("pong"), play_frames, 20)
    page.upload("#file", path)
    page.wait("return !!player.game.replay")
    said = page.run("return document.querySelector('#message').innerText")
    assert "pong.zip: verified, 20 steps." in said
    assert page.run("return player.game.name") == "pong"


def test_page_says_what_is_wrong_with_a_recording(page: Any, good: Path, tmp_path: Path) -> None:
    play(page, 5)
    other = tmp_path / "other.zip"
    recorded(other, console("pong"), play_frames, 20)
    page.run("player.games = ['quartet']")  # as where no other ROM file is installed
    page.upload("#file", other)
    words = "return document.querySelector('#message span').textContent"
    page.wait(f"{words}.includes('it is a recording of pong: open its ROM file first')")
    page.upload("#file", change_json(good, FIRST, lambda it: it.update(version=2)))
    page.wait(f"{words}.includes('version is 2; it must be 1')")
    assert page.run("return [player.game.name, player.game.acts.length]") == ["quartet", 5]
    page.upload("#file", altered(good, "chunks/000001/ram.npy", lambda it: it.fill(0)))
    page.wait(f"{words}.includes('diverges at step 149: RAM[')")
    assert page.run("return !!player.game.replay")  # it is shown all the same
