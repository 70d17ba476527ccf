"""Files of strangers: whatever they say is refused by name, or found to diverge."""

from __future__ import annotations

import io
import math
import os
import random
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from common import run_python
from pyale_ma._native import VERSION
from pyale_ma.recording import (
    Dataset,
    Recording,
    RecordingError,
    SequenceMemory,
    record,
)
from pyale_ma.recording.file import chunk_writer, reader
from pyale_ma.recording.file.format import least_state
from pyale_ma.recording.file.npy import pack, unpack
from pyale_ma.recording.replay.layers import layer_of
from pyale_ma.single import AtariEnv
from pyale_ma.vector import AtariVectorEnv
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
    """Return the message about a file: "" if it is complete and verifies."""
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


@pytest.mark.parametrize("times", [10, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", LAYERS)
def test_what_is_cut_or_exchanged_is_said(
    folder: Path, tmp_path: Path, name: str, times: int
) -> None:
    """test_hostile_files.py damages more, but cannot tell what has to be noticed."""
    good = (folder / f"{name}.zip").read_bytes()
    directory = good.index(b"PK\x01\x02")  # which only other programs read
    drawn, bad = random.Random(times), tmp_path / "bad.zip"
    for _ in range(times):
        place = drawn.randrange(directory)
        size, others = drawn.randrange(1, 40), drawn.randbytes(drawn.randrange(40))
        for data in (good[:place], good[:place] + others + good[place + size :]):
            bad.write_bytes(data)
            assert outcome(bad) or data == good


# ---- One by one ----------------------------------------------------------------------------------


ANOTHER = f"; pyale_ma 0.9 wrote it, this is {VERSION}"


def of_another_version(path: Path) -> Path:
    return change_json(path, "recording.json", lambda header: header.update(pyale_ma="0.9"))


QUARTET = "name = 'quartet'\n"  # of a card
HEADER: list[tuple[str, Callable[[dict[str, Any]], None], str]] = [
    ("format", lambda h: h.update(format="x"), "format is \"x\"; it must be 'pyale_ma recording'"),
    ("version", lambda h: h.update(version=2), "version is 2; it must be 1; read it with a newer"),
    ("layer", lambda h: h.update(layer="x"), 'layer is "x"; it must be'),
    ("game", lambda h: h["games"][0].update(name="x"), "its game 'x' is unknown to pyale_ma"),
    ("path", lambda h: h["games"][0].update(name="/tmp/x.toml"), "its game '/tmp/x.toml' is unk"),
    ("md5", lambda h: h["games"][0].update(md5="0" * 32), "an image of quartet whose MD5 is 000"),
    ("card", lambda h: h["games"][0].update(card="= ="), "its card has a mistake"),
    ("image", lambda h: h["games"][0].update(card=f"{QUARTET}md5 = '{'1' * 32}'\n"), "1" * 32),
    *(
        (
            f"image {rom}",
            lambda h, rom=rom: h["games"][0].update(card=f"{QUARTET}rom = '{rom}'\n"),
            text,
        )
        for rom, text in (
            ("..", "rom is the name of a file beside the card, without a folder"),
            (".game.toml", "rom is the name of a file beside the card"),
            ("../x.bin", "rom is the name of a file beside the card"),
            ("/tmp/x.bin", "rom is the name of a file beside the card"),
            ("c:x.bin", "rom is the name of a file beside the card"),
            ("x" * 128, "rom has 128 bytes"),
        )
    ),
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
    ("games", lambda h: h.update(games=h["games"] * 1025), "games has 1025; it may have 1024"),
    ("metadata", lambda h: h.update(metadata=[]), "metadata is []; it must be an object"),
]


@pytest.mark.parametrize(
    ("change", "text"), [each[1:] for each in HEADER], ids=[h[0] for h in HEADER]
)
def test_header(folder: Path, change: Callable[[dict[str, Any]], None], text: str) -> None:
    """The text also says so if another version wrote the file."""
    path = change_json(folder / "single.zip", "recording.json", change)
    told = outcome(path)
    assert text in told
    if "chunk.json" not in told:
        assert outcome(of_another_version(path)) == told + ANOTHER


CHUNK = "chunks/000001/"
MEMBERS: list[tuple[str, bytes | None, str]] = [
    ("state.npy", None, "state.npy is missing"),
    (
        "state.npy",
        npy(np.zeros(1, np.uint8)).replace(b"(1,), }   ", b"(True,), }"),
        "state.npy is no .npy file",
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
    ("actions.npy", npy(np.array([{}] * 60), allow_pickle=True), "is no .npy file of numbers"),
    ("actions.npy", npy(np.zeros((60, 1, 1), np.uint8))[:-1], "has 59 bytes of numbers, not as"),
    (
        "terminations.npy",
        npy(np.full((60, 1, 1), 2, np.uint8)).replace(b"|u1", b"|b1"),
        "has a truth",
    ),
    ("state.npy", npy(np.zeros(2**20 + 8192, np.uint8)), "bytes; it must have at most 1052672"),
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
def test_members(folder: Path, name: str, data: bytes | None, text: str) -> None:
    def change(members: dict[str, bytes]) -> None:
        if data is None:
            del members[CHUNK + name]
        else:
            members[CHUNK + name] = data

    assert text in outcome(rewrite(folder / "single.zip", change))


# Some that Python evaluates, and some that only look like those of NumPy.
HEADERS = [
    b"{'descr': '|u1', 'fortran_order': False, 'shape': (60, 1, 1)[:9](), }",
    b"{'descr': '|u1', 'fortran_order': False, 'shape': (60, 1, 1)()(), }",
    b"{'descr': '|u1', 'fortran_order': False, 'shape': (60, 01, 1), }",
    b"{'descr': '|u1', 'fortran_order': True, 'shape': (60, 1, 1), }",
    b"{'descr': [('a', '|u1')], 'fortran_order': False, 'shape': (60, 1, 1), }",
    b"{'descr': '|u1', 'fortran_order': False, 'shape': (60, 1, 1), }#",
    b"{'shape': (60, 1, 1), 'descr': '|u1', 'fortran_order': False, }",
    b"(" * 90,
    b"\\d" * 9,
]


@pytest.mark.parametrize("header", HEADERS, ids=range(len(HEADERS)))
def test_headers_of_arrays_are_not_evaluated(folder: Path, header: bytes) -> None:
    """Not even by NumPy, whose parser may warn; a warning fails the test."""

    def change(members: dict[str, bytes]) -> None:
        text = header.ljust(117) + b"\n"
        members[CHUNK + "actions.npy"] = npy(np.zeros(60, np.uint8))[:8] + b"v\0" + text + bytes(60)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "actions.npy is no .npy file of numbers" in outcome(
            rewrite(folder / "single.zip", change)
        )


def test_arrays_are_read_as_numpy_reads_them() -> None:
    for dtype in ("?", "u1", "i1", "<u2", "<i4", "<i8", "<f4", "<f8"):
        for shape in ((), (0,), (7,), (3, 0, 2), (2, 3, 4, 5)):
            array = np.arange(math.prod(shape)).reshape(shape).astype(dtype)
            assert pack(array) == npy(array)
            found = unpack(npy(array), shape, np.dtype(dtype))
            assert (found.dtype, found.shape) == (array.dtype, shape)
            assert (found == array).all()


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite(tmp_path: Path, number: float) -> None:
    """No file has them: a step with them is not played while it is recorded."""
    joystick = AtariEnv("quartet", obs_type="ram", continuous=True)
    envs = vector(continuous=True)
    for env, good in (
        (joystick, np.zeros(3, np.float32)),
        (envs, np.zeros((3, 3), np.float32)),
    ):
        bad, path = good.copy(), tmp_path / f"{type(env).__name__}.zip"
        bad[..., 1] = number
        with record(env, path):
            env.reset(seed=1)
            env.step(good)
            with pytest.raises(RecordingError, match=rf"actions.*{number}"):
                env.step(bad)
            env.step(good)
        recording = Recording.open(path)
        assert (len(recording), recording.verify().given) == (2, 0)

        def change(members: dict[str, bytes]) -> None:
            values = np.load(io.BytesIO(members["chunks/000000/actions.npy"])).copy()
            values[1, ..., 2] = number
            members["chunks/000000/actions.npy"] = npy(values)

        text = (
            f"chunks/000000/actions.npy has {number} at [1, 0, 0, 2]; it must have finite numbers"
        )
        assert text in outcome(rewrite(path, change))

    memory = SequenceMemory(envs, 1000)
    envs.reset(seed=1)
    with pytest.raises(RecordingError, match=r"actions.*played"):
        envs.step(bad)
    envs.step(good)
    assert len(memory) == 3

    played = console("pong")
    with record(played, tmp_path / "console.zip"):
        play_frames(played, 2)
        played.env.strengths[1] = number
        with pytest.raises(RecordingError, match=r"strengths.*played"):
            played.env.act(2)
    path = tmp_path / "console.zip"
    assert len(Recording.open(path)) == 2

    def weaken(members: dict[str, bytes]) -> None:
        members["chunks/000000/strengths.npy"] = npy(np.full((2, 1, 2), number, np.float32))

    assert f"chunks/000000/strengths.npy has {number} at [0, 0, 0]" in outcome(
        rewrite(path, weaken)
    )


def test_more_resets_than_steps_allow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In all chunks together; a recorder keeps the state after too many of them."""
    for module in (reader, chunk_writer):
        monkeypatch.setattr(module, "MOST_RESETS", 20)
    many = tmp_path / "many.zip"
    env = quartet()
    with record(env, many):
        for seed in range(50):  # the last of them is kept
            env.reset(seed=seed)
        for _ in range(50):
            env.reset()
        for _ in range(5):
            env.step(2)
            env.reset()
    recording = Recording.open(many)
    assert str(recording.verify()) == "verified, 5 steps, from 1 saved state"
    assert sum(len(chunk.resets) for chunk in recording._reader.chunks) == 20 + 5

    small_single(path := tmp_path / "a.zip", 10, steps_per_chunk=5)
    for number in range(2):
        path = change_json(
            path,
            f"chunks/{number:06}/chunk.json",
            lambda chunk: chunk.update(resets=[{"step": 5, "seed": None}] * 20),
        ).rename(tmp_path / f"{number}.zip")
        refused = "chunks/000001/chunk.json: resets has more than the steps until then allow"
        assert (refused in outcome(path)) == (number == 1)


@pytest.mark.parametrize("obs_type", ["grayscale", "rgb", "objects", "ram"])
def test_states_are_within_their_bound(obs_type: str) -> None:
    size = {"img_height": 200, "img_width": 160, "stack_num": 16}
    envs = vector(1, obs_type=obs_type, **size)
    envs.reset(seed=1)
    layer = layer_of(envs)
    header = layer.header({})
    assert least_state(header) < len(layer.save()[0]) <= header.most_state < 8 * 2**20


def test_an_altered_action_is_found(tmp_path: Path) -> None:
    """At the next place where anything is kept that it changes."""
    small_single(tmp_path / "a.zip", 120, check_every=10)

    def change(members: dict[str, bytes]) -> None:
        actions = np.load(io.BytesIO(members["chunks/000000/actions.npy"]))
        actions[60:80] = np.where(actions[60:80] == 2, 3, 2)
        members["chunks/000000/actions.npy"] = npy(actions)

    path = rewrite(tmp_path / "a.zip", change)
    verdict = Recording.open(path).verify()
    assert not verdict
    assert outcome(of_another_version(path)) == str(verdict) + ANOTHER
    assert verdict.step is not None
    assert 60 <= verdict.step < 80
    assert " is " in verdict.difference
    assert ", was " in verdict.difference


def test_bombs(tmp_path: Path) -> None:
    """A file that unpacks to more than is allowed is refused before it is unpacked."""
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
    small_single(tmp_path / "b.zip", 20)
    wide = change_json(
        tmp_path / "b.zip",
        "chunks/000000/chunk.json",
        lambda chunk: chunk.update(steps=2**30),
    )
    assert "steps is 1073741824; it must be a whole number, 0 to 16777216" in outcome(wide)


def test_files_that_claim_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is read at once of more than a bound; it can be verified all the same."""
    small_single(tmp_path / "a.zip", 30, steps_per_chunk=10)
    monkeypatch.setattr(reader, "MOST_AT_ONCE", 29)
    recording = Recording.open(tmp_path / "a.zip")
    for read in (
        lambda: recording.array("rewards"),
        lambda: recording.episodes,
        lambda: Dataset(tmp_path / "a.zip"),
    ):
        with pytest.raises(RecordingError, match=r"a\.zip.*30 steps.*1 players; 29"):
            read()
    assert recording.verify()


def test_resets_that_list_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In all chunks together; a recorder keeps the state after them instead."""
    for module in (reader, chunk_writer):
        monkeypatch.setattr(module, "MOST_LISTED", 8 * 5)
    env = quartet()
    with record(env, tmp_path / "a.zip", steps_per_chunk=2):
        for seed in range(8):
            env.reset(seed=seed)
            env.step(2)
    recording = Recording.open(tmp_path / "a.zip")
    assert str(recording.verify()) == "verified, 8 steps, from 3 saved states"
    for module in (reader, chunk_writer):
        monkeypatch.setattr(module, "MOST_LISTED", 8 * 5 - 1)
    text = "chunks/000002/chunk.json: resets has too many: those of all chunks may list 39 numbers"
    assert text in outcome(tmp_path / "a.zip")


def test_vast_vectors(folder: Path) -> None:
    for change, text in (
        (lambda h: h.update(game_of_env=[0] * 20000), "game_of_env is [0, 0"),
        (lambda h: h["options"].update(img_height=4096, img_width=4096, stack_num=1024), "2**32"),
    ):
        assert text in outcome(change_json(folder / "vector.zip", "recording.json", change))


def test_other_files(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"folder.*\(\.zip files\)"):
        Recording.open(tmp_path)
    (tmp_path / "play.zip").touch()
    with pytest.raises(RecordingError, match=r"folder.*play\.zip"):
        Recording.open(tmp_path)
    with pytest.raises(FileNotFoundError):
        Recording.open(tmp_path / "none.zip")
    file = tmp_path / "a.zip"
    file.write_bytes(b"")
    with pytest.raises(RecordingError, match=r"entry.*writer.*killed"):
        Recording.open(file)
    file.write_bytes(b"x")
    with pytest.raises(RecordingError, match=r"recording.*begin.*zip"):
        Recording.open(file)
    with pytest.raises(RecordingError, match="is no regular file"):
        Recording.open(os.devnull)
    if hasattr(os, "mkfifo"):  # which is not waited for
        os.mkfifo(tmp_path / "pipe.zip")
        with pytest.raises(RecordingError, match=r"pipe\.zip.*regular file"):
            Recording.open(tmp_path / "pipe.zip")
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(RecordingError, match=r"begins.*'readme.txt'"):
        Recording.open(file)


def test_a_state_of_another_version(folder: Path) -> None:
    def change(members: dict[str, bytes]) -> None:
        members[f"{CHUNK}state.npy"] = npy(np.zeros(100, np.uint8))

    path = rewrite(folder / "single.zip", change)
    assert "before step 60 cannot be restored: " in outcome(path)
    path = of_another_version(path)
    recording = Recording.open(path)
    assert recording.verify()  # which needs no keyframe
    with pytest.raises(RecordingError, match=r"before step 60.*pyale_ma 0"):
        next(recording.steps(70))


@pytest.mark.parametrize("name", LAYERS)
def test_keyframes_are_compared(folder: Path, name: str) -> None:
    """With what was played, byte by byte."""

    def change(members: dict[str, bytes]) -> None:
        members["chunks/000002/state.npy"] = members["chunks/000001/state.npy"]

    text = outcome(rewrite(folder / f"{name}.zip", change))
    assert (
        text == f"diverges at step {120 if name == 'single' else 40}: the keyframe is another state"
    )


def test_what_was_played_before_changes_no_keyframe(tmp_path: Path) -> None:
    """A vector that was played and one that was not are saved as the same bytes after a reset."""
    for obs_type in ("grayscale", "rgb", "ram", "objects"):
        fresh = vector(2, obs_type=obs_type)
        fresh.reset(seed=3)
        for steps in range(5):
            envs = vector(2, obs_type=obs_type)
            play_vector(envs, steps)
            path = tmp_path / f"{obs_type}{steps}.zip"
            with record(envs, path, keyframes=True, steps_per_chunk=10):
                envs.reset(seed=3)
                assert envs.save_state() == fresh.save_state()
                play_vector(envs, 25, reset=False)
            assert outcome(path) == ""


PLAYED_BY_OTHER_CODE = """
import sys
from pathlib import Path
from pyale_ma.multi import quartet_v0
from pyale_ma.recording import record
from pyale_ma.single import AtariEnv

folder = Path(sys.argv[1])
env = AtariEnv("quartet", obs_type="ram", frameskip=3000)
with record(env, folder / "single.zip", keyframes=True, steps_per_chunk=5):
    env.reset(seed=1)
    for number in range(20):
        env.step(number % 6)
env = quartet_v0.parallel_env(obs_type="ram", frame_skip=100)
with record(env, folder / "multi.zip", keyframes=True, steps_per_chunk=5):
    env.reset(seed=1)
    for number in range(200):
        env.step(dict.fromkeys(env.agents, number % 6))
    env.reset(seed=2)
"""


def test_late_collisions_change_no_keyframe(tmp_path: Path) -> None:
    """A start that was copied has collisions evaluated that one which was played has not."""
    env = AtariVectorEnv("quartet", 1, obs_type="ram", stack_num=1, num_threads=1)
    with record(env, tmp_path / "a.zip", steps_per_chunk=1, check_every=1, keyframes=True):
        env.reset(seed=1)
        for action in (5, 5, 2):
            env.step(np.array([action]))
        for _ in range(2):
            env.reset(seed=3)
        for action in (4, 0):
            env.step(np.array([action]))
        env.restore_state(env.save_state())
        for action in (2, 2, 2, 0, 2):
            env.step(np.array([action]))
    assert Recording.open(tmp_path / "a.zip").verify()


def test_keyframes_after_an_episode(tmp_path: Path) -> None:
    """There no step tells that two states are alike, of which one was played without fast paths."""
    run_python(
        f"import sys; sys.argv.append({str(tmp_path)!r})\n{PLAYED_BY_OTHER_CODE}", ALE_TRANSLATE="0"
    )
    for name in ("single", "multi"):
        assert outcome(tmp_path / f"{name}.zip") == ""


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


def test_an_image_that_is_missing(folder: Path) -> None:
    card = 'name = "own"\nrom = "own.bin"\nscore = "ram[13]"\n'
    bad = change_json(
        folder / "single.zip",
        "recording.json",
        lambda h: h["games"][0].update(name="own", md5="1" * 32, card=card),
    )
    with pytest.raises(FileNotFoundError, match="PYALE_MA_ROMS"):
        Recording.open(bad).verify()
