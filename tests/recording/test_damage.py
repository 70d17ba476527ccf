"""Files of strangers: whatever they say is refused by name, or found to diverge."""

from __future__ import annotations

import io
import json
import os
import random
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pyale_ma.recording import Recording, RecordingError, record
from recording.playing import (
    agents,
    change_json,
    console,
    play_agents,
    play_frames,
    play_one,
    play_vector,
    quartet,
    recorded,
    rewrite,
    small_single,
    vector,
)

LAYERS = ("single", "multi", "vector", "console")


def npy(array: Any, **options: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array, **options)
    return out.getvalue()


def outcome(path: Path) -> str:
    """What is said of a file: "" if all is as it was, and complete."""
    try:
        recording = Recording.open(path)
        verdict = recording.verify()
        assert len(recording.episodes) <= len(recording) * recording.header.envs + 1
    except RecordingError as error:
        text = str(error)
        assert path.name in text
        return text
    return "" if verdict and verdict.complete else str(verdict)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recordings of each layer."""
    made = tmp_path_factory.mktemp("recordings")
    small_single(made / "single.zip", 150, keyframes=True, steps_per_chunk=60, check_every=10)
    for name, env, play in (
        ("console", console(), play_frames),
        ("multi", agents(num_players=4), play_agents),
        ("vector", vector(), play_vector),
    ):
        recorded(made / f"{name}.zip", env, play, 60, keyframes=True, steps_per_chunk=20)
    assert all(outcome(made / f"{name}.zip") == "" for name in LAYERS)
    return made


# ---- At random -----------------------------------------------------------------------------------


# Of the layers together 1,120 files, 140 of them in the quick tests.
PARTS = [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, 8))]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("name", LAYERS)
def test_random_damage(folder: Path, tmp_path: Path, name: str, part: int) -> None:
    """Cut, flipped, exchanged, inserted: said, or without effect on what is played."""
    good = (folder / f"{name}.zip").read_bytes()
    directory = good.index(b"PK\x01\x02")  # which only other programs read
    drawn, bad = random.Random(part), tmp_path / "bad.zip"
    said = 0
    for number in range(35):
        data = bytearray(good)
        place = drawn.randrange(directory)
        kind = number % 4
        if kind == 0:
            del data[place:]
        elif kind == 1:
            for _ in range(drawn.randrange(1, 4)):
                data[drawn.randrange(directory)] ^= 1 << drawn.randrange(8)
        elif kind == 2:
            data[place : place + drawn.randrange(1, 40)] = drawn.randbytes(drawn.randrange(40))
        else:
            data[drawn.randrange(directory, len(data))] ^= 255
        bad.write_bytes(data)
        text = outcome(bad)
        said += bool(text)
        if kind in (0, 2) and bytes(data) != good:
            assert text
    assert said >= 18


@pytest.mark.parametrize("part", range(2))
@pytest.mark.parametrize("name", LAYERS)
def test_random_values(folder: Path, name: str, part: int, tmp_path: Path) -> None:
    """Any value anywhere in the JSON, and any element of the arrays, in a sound zip."""
    drawn = random.Random(f"{name} {part}")
    strange = (None, True, -1, 2**31, 10**30, 1e300, "", "x" * 5000, [], [[]], {}, [-1], 0.5, 7)
    with zipfile.ZipFile(folder / f"{name}.zip") as archive:
        members = {each: archive.read(each) for each in archive.namelist()}
    for _ in range(30):
        target = drawn.choice(list(members))
        data = members[target]
        if target.endswith(".json"):
            value = json.loads(data)
            place, key = drawn.choice(list(places(value)))
            place[key] = drawn.choice(strange)
            changed = json.dumps(value).encode()
        else:
            body = bytearray(data)
            body[drawn.randrange(len(body))] ^= 1 << drawn.randrange(8)
            changed = bytes(body)
        bad = tmp_path / "bad.zip"
        with zipfile.ZipFile(bad, "w", zipfile.ZIP_DEFLATED) as after:
            for each, content in members.items():
                after.writestr(each, changed if each == target else content)
        outcome(bad)  # says what it may, but raises nothing else


def places(value: Any) -> Any:
    """All places of a JSON value, with what holds them."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from places(value[key])


# ---- One by one ----------------------------------------------------------------------------------

HEADER: list[tuple[str, Callable[[dict[str, Any]], None], str]] = [
    ("format", lambda h: h.update(format="x"), "format is \"x\"; it must be 'pyale_ma recording'"),
    ("version", lambda h: h.update(version=2), "version is 2; it must be 1; read it with a newer"),
    ("layer", lambda h: h.update(layer="x"), 'layer is "x"; it must be'),
    ("game", lambda h: h["games"][0].update(name="x"), "its game 'x' is unknown to pyale_ma"),
    ("path", lambda h: h["games"][0].update(name="/tmp/x.toml"), "its game '/tmp/x.toml' is unk"),
    ("md5", lambda h: h["games"][0].update(md5="0" * 32), "an image of quartet whose MD5 is 000"),
    ("card", lambda h: h["games"][0].update(card="= ="), "its card has a mistake"),
    ("envs", lambda h: h.update(game_of_env=[0, 0]), "game_of_env is"),
    ("unused game", lambda h: h.update(games=h["games"] * 2), "names each of 2 games"),
    ("no envs", lambda h: h.update(game_of_env=[]), "game_of_env is"),
    ("other game", lambda h: h.update(game_of_env=[1]), "game_of_env is"),
    ("players", lambda h: h.update(players=2), "players is 2; it must be as its options"),
    ("option", lambda h: h["options"].update(rom="/etc/passwd"), "there is no option 'rom'"),
    ("mode", lambda h: h["options"].update(mode=999), "Invalid game mode requested: 999"),
    ("frames", lambda h: h["options"].update(frameskip=10**6), "frameskip is 1000000; it must be"),
    ("type", lambda h: h["options"].update(obs_type=3), "obs_type is 3; it must be str"),
    ("no frames", lambda h: h["options"].update(frameskip=[]), "generator is null"),
    ("half letter", lambda h: h["games"][0].update(card="\ud800"), "card is"),
    ("long", lambda h: h["options"].update({"x" * 60000: 1}), f"{'x' * 80}..."),
    ("steady", lambda h: h.update(continuous=True), "continuous is true; it must be as its"),
    ("metadata", lambda h: h.update(metadata=[]), "metadata is []; it must be an object"),
]


@pytest.mark.parametrize(
    ("change", "text"), [each[1:] for each in HEADER], ids=[h[0] for h in HEADER]
)
def test_header(
    folder: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None], text: str
) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes((folder / "single.zip").read_bytes())
    assert text in outcome(change_json(path, "recording.json", change))


CHUNK = "chunks/000001/"
MEMBERS: list[tuple[str, bytes | None, str]] = [
    ("state.npy", None, "state.npy is missing"),
    (
        "state.npy",
        npy(np.zeros(1, np.uint8)).replace(b"(1,), }   ", b"(True,), }"),
        "state.npy is uint8 (True,)",
    ),
    ("actions.npy", None, "actions.npy is missing"),
    ("actions.npy", b"x", "actions.npy is no .npy file"),
    (
        "actions.npy",
        npy(np.zeros((61, 1, 1), np.uint8)),
        "is uint8 (61, 1, 1); it must be uint8 (60",
    ),
    ("actions.npy", npy(np.zeros((60, 1, 1), np.int8)), "is int8"),
    (
        "actions.npy",
        npy(np.full((60, 1, 1), 99, np.uint8)),
        "step 60 cannot be played: action is 99",
    ),
    (
        "rewards.npy",
        npy(np.full((60, 1, 1), 3, np.int32)),
        "diverges at step 60: reward is 0, was 3",
    ),
    (
        "terminations.npy",
        npy(np.ones((60, 1, 1), bool)),
        "diverges at step 60: termination is False",
    ),
    (
        "truncations.npy",
        npy(np.ones((60, 1), bool)),
        "diverges at step 60: truncation is False, was",
    ),
    ("ram.npy", npy(np.zeros((6, 1, 128), np.uint8)), "diverges at step 69: RAM["),
    ("actions.npy", npy(np.array([{}] * 60), allow_pickle=True), "it must be"),
    ("chunk.json", b"[" * 100000, "chunk.json is no JSON"),
    ("chunk.json", b"{NaN", "chunk.json is no JSON"),
    (
        "chunk.json",
        b'{"steps":0,"checks":[],"final":false,"resets":[%s{}]}' % (b"{}," * 2**17),
        "resets has 131073; it may have 131072",
    ),
    ("chunk.json", b"[]", "chunk.json is no JSON object"),
    ("extra.npy", b"x", "there is no place for 'chunks/000001/extra.npy'"),
]


@pytest.mark.parametrize(("name", "data", "text"), MEMBERS)
def test_members(folder: Path, tmp_path: Path, name: str, data: bytes | None, text: str) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes((folder / "single.zip").read_bytes())

    def change(members: dict[str, bytes]) -> None:
        if data is None:
            del members[CHUNK + name]
        else:
            members[CHUNK + name] = data

    assert text in outcome(rewrite(path, change))


def test_an_altered_action_is_found(tmp_path: Path) -> None:
    """At the next place where anything is kept that it changes."""
    small_single(tmp_path / "a.zip", 120, check_every=10)

    def change(members: dict[str, bytes]) -> None:
        actions = np.load(io.BytesIO(members["chunks/000000/actions.npy"]))
        actions[60:80] = np.where(actions[60:80] == 2, 3, 2)
        members["chunks/000000/actions.npy"] = npy(actions)

    verdict = Recording.open(rewrite(tmp_path / "a.zip", change)).verify()
    assert not verdict
    assert verdict.step is not None
    assert 60 <= verdict.step < 80
    assert " is " in verdict.difference
    assert ", was " in verdict.difference


def test_an_altered_screen_is_found(tmp_path: Path) -> None:
    small_single(tmp_path / "a.zip", 20)
    bad = change_json(tmp_path / "a.zip", "end.json", lambda end: end.update(screens=["0" * 64]))
    assert outcome(bad) == "diverges at step 20: the screen is another"


def test_bombs(tmp_path: Path) -> None:
    """What unpacks to more than it may is refused before it is unpacked."""
    small_single(tmp_path / "a.zip", 20)

    def large(members: dict[str, bytes]) -> None:
        members["chunks/000000/actions.npy"] = bytes(10**8)

    assert "has 100000000 bytes; it must have at most 4116" in outcome(
        rewrite(tmp_path / "a.zip", large)
    )
    data = bytearray((tmp_path / "a.zip").read_bytes())
    place = data.index(b"PK\x03\x04", 1)
    struct.pack_into("<I", data, place + 22, 50)  # its size unpacked
    (tmp_path / "a.zip").write_bytes(data)
    assert "is damaged: its checksum is another" in outcome(tmp_path / "a.zip")
    wide = change_json(
        small_single(tmp_path / "b.zip", 20) and tmp_path / "b.zip",
        "chunks/000000/chunk.json",
        lambda chunk: chunk.update(steps=2**30),
    )
    assert "steps is 1073741824; it must be a whole number, 0 to 16777216" in outcome(wide)


def test_vast_vectors(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes((folder / "vector.zip").read_bytes())
    for change, text in (
        (lambda h: h.update(game_of_env=[0] * 20000), "game_of_env is [0, 0"),
        (lambda h: h["options"].update(img_height=4096, img_width=4096, stack_num=1024), "2**32"),
    ):
        assert text in outcome(change_json(path, "recording.json", change))


def test_other_files(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="is a folder: name a recording in it"):
        Recording.open(tmp_path)
    with pytest.raises(FileNotFoundError):
        Recording.open(tmp_path / "none.zip")
    file = tmp_path / "a.zip"
    file.write_bytes(b"")
    with pytest.raises(RecordingError, match="is no recording: it does not begin with a zip"):
        Recording.open(file)
    with pytest.raises(RecordingError, match="is no regular file"):
        Recording.open(os.devnull)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(RecordingError, match=r"begins with 'readme.txt', not with recording.json"):
        Recording.open(file)


def test_a_state_of_another_version(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes((folder / "single.zip").read_bytes())

    def change(members: dict[str, bytes]) -> None:
        members[f"{CHUNK}state.npy"] = npy(np.zeros(100, np.uint8))

    path = rewrite(path, change)
    assert "before step 60 cannot be restored: " in outcome(path)
    path = change_json(path, "recording.json", lambda header: header.update(pyale_ma="0.0.1"))
    recording = Recording.open(path)
    assert recording.verify()  # which needs no keyframe
    with pytest.raises(RecordingError, match=r"before step 60 cannot be restored: .*pyale_ma 0"):
        next(recording.steps(70))


@pytest.mark.parametrize("name", LAYERS)
def test_keyframes_are_compared(folder: Path, tmp_path: Path, name: str) -> None:
    """With what was played, byte by byte."""
    path = tmp_path / "a.zip"
    path.write_bytes((folder / f"{name}.zip").read_bytes())

    def change(members: dict[str, bytes]) -> None:
        members["chunks/000002/state.npy"] = members["chunks/000001/state.npy"]

    text = outcome(rewrite(path, change))
    assert (
        text == f"diverges at step {120 if name == 'single' else 40}: the keyframe is another state"
    )


def test_looking_at_pictures_changes_no_keyframe(tmp_path: Path) -> None:
    """Though its bytes tell of it."""
    with record(env := quartet(), tmp_path / "a.zip", keyframes=True, steps_per_chunk=10):
        env.reset(seed=1)
        for number in range(30):
            env.step(number % 6)
            env.ale.getScreenRGB()
    assert outcome(tmp_path / "a.zip") == ""


def test_a_keyframe_follows_from_steps(tmp_path: Path) -> None:
    """At the beginning it is a start, and given."""
    with record(env := quartet(), tmp_path / "a.zip"):
        env.ale.setRAM(1, 1)
        env.reset(seed=1)
        env.ale.setRAM(1, 2)
        env.step(0)
    recording = Recording.open(tmp_path / "a.zip")
    assert [chunk.steps for chunk in recording._reader.chunks] == [0, 1]
    assert recording.verify().given == 1
    member = "chunks/000001/chunk.json"
    bad = change_json(
        tmp_path / "a.zip", member, lambda chunk: chunk["begin"].update(kind="keyframe")
    )
    assert "kind is \"keyframe\"; it must be 'start'" in outcome(bad)


GENERATOR = {"bit_generator": "PCG64", "state": {"state": 0, "inc": 1}}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"bit_generator": "MT19937"}, "bit_generator is"),
        ({"state": {"state": 0, "inc": 0}}, "inc is 0; it must be an odd number"),
        ({"state": {"state": 2**128, "inc": 1}}, "state is 3402823"),
        ({"state": {"state": 0, "inc": 1, "x": 1}}, "there is no field 'x'"),
        ({"has_uint32": 2}, "has_uint32 is 2"),
        ({"uinteger": -1}, "uinteger is -1"),
    ],
)
def test_generators(tmp_path: Path, value: dict[str, Any], text: str) -> None:
    """That of NumPy would never end with some."""
    env = quartet(frameskip=(2, 5))
    recorded(tmp_path / "a.zip", env, play_one, 20, keyframes=True, steps_per_chunk=10)
    assert outcome(tmp_path / "a.zip") == ""
    bad = change_json(
        tmp_path / "a.zip",
        "chunks/000001/chunk.json",
        lambda chunk: chunk["begin"]["generator"].update(value),
    )
    assert text in outcome(bad)


def test_an_image_that_is_missing(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes((folder / "single.zip").read_bytes())
    card = 'name = "own"\nrom = "own.bin"\nscore = "ram[13]"\n'
    bad = change_json(
        path,
        "recording.json",
        lambda h: h["games"][0].update(name="own", md5="1" * 32, card=card),
    )
    with pytest.raises(FileNotFoundError, match="PYALE_MA_ROMS"):
        Recording.open(bad).verify()
