"""Files made to do harm: each is refused or read, by documented errors and in little memory."""

from __future__ import annotations

import contextlib
import io
import json
import math
import re
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from common import rom_path
from pyale_ma._base import files as files_module
from pyale_ma.recording import Recording, record
from pyale_ma.recording.file import format as file_format, reader
from pyale_ma.recording.file.npy import pack
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

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="measures memory as Linux tells it")

MOST_MEMORY = 400  # MiB that reading may take, Python and its modules included

READER = """
import contextlib, json, resource, sys, traceback
from pyale_ma.recording import Dataset, Recording

resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))

def dataset(path):
    with Dataset(path, num_threads=1) as made:
        if len(made):
            made.windows([0], 1)

USES = {
    "open": lambda path: Recording.open(path).header.as_json(),
    "episodes": lambda path: Recording.open(path).episodes,
    "dataset": dataset,
    "verify": lambda path: Recording.open(path).verify(),
}
for line in sys.stdin:
    path, *uses = json.loads(line)
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w") as peaks:
        peaks.write("5")  # begin anew with VmHWM
    told = []
    for use in uses:
        try:
            USES[use](path)
        except (ValueError, FileNotFoundError) as problem:  # the latter of an image
            told.append(str(problem))
        except BaseException:
            told.append("BROKEN " + traceback.format_exc())
        else:
            told.append("")
    with open("/proc/self/status") as status:
        peak = next(int(each.split()[1]) >> 10 for each in status if each.startswith("VmHWM"))
    print(json.dumps([peak, told]), flush=True)
"""

Use = Callable[..., list[str]]


@pytest.fixture(scope="module")
def use() -> Iterator[Use]:
    """Open, play and read files in a process of its own, and look at what that takes."""
    with subprocess.Popen(
        [sys.executable, "-c", READER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=tempfile.gettempdir(),  # not the source folder, which would be imported
    ) as process:

        def read(path: Path, *uses: str) -> list[str]:
            assert process.stdin
            assert process.stdout
            process.stdin.write(json.dumps([str(path), *uses]) + "\n")
            process.stdin.flush()
            peak, told = json.loads(process.stdout.readline())
            assert peak < MOST_MEMORY, (peak, told)
            for text in told:
                assert not text.startswith("BROKEN"), text
                assert "memory" not in text
            return list(told)

        yield read
        assert process.stdin
        process.stdin.close()


# ---- Any change ----------------------------------------------------------------------------------

LAYERS = ("single", "multi", "vector", "console")
NUMBERS = (0, 1, 2, 7, 255, 1000, 2**16, 2**24, 2**31 - 1, 2**31, 2**32, 2**64, -1, -(2**31), 0.5)
OTHERS: tuple[Any, ...] = (None, True, "", "x" * 200, [], [[]], {}, [0] * 100, 1e300)
MEMBER = struct.Struct("<4s5H3I2H")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A recording of each layer."""
    folder = tmp_path_factory.mktemp("files")
    for name, env, play in (
        ("single", quartet(frameskip=(2, 5)), play_one),
        ("multi", agents(num_players=4), play_agents),
        ("vector", vector(), play_vector),
        ("console", console(), play_frames),
    ):
        recorded(folder / f"{name}.zip", env, play, 40, keyframes=True, steps_per_chunk=10)
    return {name: folder / f"{name}.zip" for name in LAYERS}


def change_bytes(data: st.DataObject, path: Path) -> bytes:
    """Flip, cut and insert bytes; write other sizes and checksums into headers of members."""
    changed = bytearray(path.read_bytes())
    starts = [at for at in range(len(changed)) if changed[at : at + 4] == b"PK\3\4"]
    for _ in range(data.draw(st.integers(1, 3))):
        kind = data.draw(st.sampled_from(["flip", "cut", "insert", "size", "end"]))
        place = data.draw(st.integers(0, len(changed) - 1))
        if kind == "flip":
            changed[place] ^= 1 << data.draw(st.integers(0, 7))
        elif kind == "cut":
            del changed[place : place + data.draw(st.integers(1, 400))]
        elif kind == "insert":
            changed[place:place] = data.draw(st.binary(min_size=1, max_size=40))
        elif kind == "end":
            del changed[place:]
        else:
            field = data.draw(st.sampled_from([14, 18, 22])) + data.draw(st.sampled_from(starts))
            number = data.draw(st.sampled_from([0, 1, 2**16, 2**28, 2**31, 2**32 - 1]))
            if field + 4 <= len(changed):
                struct.pack_into("<I", changed, field, number)
        if not changed:
            break
    return bytes(changed)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from places(value[key])


def change_members(data: st.DataObject, path: Path) -> bytes:
    """Put other values into the JSON, and arrays of other sizes beside it, in a sound zip."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for _ in range(data.draw(st.integers(1, 3))):
        name = data.draw(st.sampled_from(sorted(members)))
        if name.endswith(".json"):
            value = json.loads(members[name])
            holder, key = data.draw(st.sampled_from(list(places(value))))
            holder[key] = data.draw(st.sampled_from([*NUMBERS, *OTHERS]))
            members[name] = json.dumps(value).encode()
            continue
        array = np.load(io.BytesIO(members[name]))
        count = data.draw(st.sampled_from([0, 1, 10, 3000]))
        filled = data.draw(st.sampled_from([0, 1, 17, 255]))
        members[name] = pack(np.full((count, *array.shape[1:]), filled, array.dtype))
        if data.draw(st.booleans()) and not name.endswith(
            "state.npy"
        ):  # and all that belongs to it
            chunk = name.rpartition("/")[0]
            told = json.loads(members[f"{chunk}/chunk.json"])
            members[f"{chunk}/chunk.json"] = json.dumps({**told, "steps": count}).encode()
            for part in ("actions", "rewards", "terminations", "truncations", "strengths"):
                if (other := f"{chunk}/{part}.npy") in members:
                    array = np.load(io.BytesIO(members[other]))
                    whole = np.zeros((count, *array.shape[1:]), array.dtype)
                    members[other] = pack(whole)
    return zipped(members, has_end=data.draw(st.booleans()))


def zipped(members: dict[str, bytes], *, has_end: bool) -> bytes:
    """A file of members, with or without the zip's directory."""
    whole = b"".join(entry(name, [data]) for name, data in members.items())
    return whole + (b"PK\1\2" + bytes(42) + b"PK\5\6" + bytes(18) if has_end else b"")


def entry(name: str, parts: list[bytes], times: int = 1) -> bytes:
    """A member: parts one after the other, the last as often as said."""
    packer, crc, size = zlib.compressobj(9, zlib.DEFLATED, -15), 0, 0
    packed = []
    for part in [*parts[:-1], *parts[-1:] * times]:
        packed.append(packer.compress(part))
        crc, size = zlib.crc32(part, crc), size + len(part)
    data = b"".join([*packed, packer.flush()])
    head = MEMBER.pack(b"PK\3\4", 20, 0, 8, 0, 33, crc, len(data), size, len(name), 0)
    return head + name.encode() + data


def check_any_change(use: Use, path: Path, folder: Path, data: st.DataObject) -> None:
    change = data.draw(st.sampled_from([change_bytes, change_members]))
    (bad := folder / "bad.zip").write_bytes(change(data, path))
    use(bad, "open", "episodes", "dataset", "verify")


FEW = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("name", LAYERS)
@FEW
@given(data=st.data())
def test_any_change(
    use: Use, files: dict[str, Path], tmp_path: Path, name: str, data: st.DataObject
) -> None:
    check_any_change(use, files[name], tmp_path, data)


@pytest.mark.slow
@pytest.mark.parametrize("name", LAYERS)
@settings(FEW, max_examples=500)
@given(data=st.data())
def test_any_change_more_often(
    use: Use, files: dict[str, Path], tmp_path: Path, name: str, data: st.DataObject
) -> None:
    check_any_change(use, files[name], tmp_path, data)


# ---- One by one ----------------------------------------------------------------------------------


def array_of_zeros(name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> bytes:
    """A member with a vast array of zeros."""
    kind = np.lib.format.dtype_to_descr(dtype)
    told = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    head = b"\x93NUMPY\1\0" + struct.pack("<H", len(told)) + told.encode()
    size = math.prod(shape) * dtype.itemsize
    if not size:
        return entry(name, [head])
    step = math.gcd(size, 2**20)
    return entry(name, [head, bytes(step)], size // step)


def vast(
    path: Path, to: Path, steps: int, change: Callable[[dict[str, Any]], None], state: int = 0
) -> Path:
    """An unfinished file of one chunk that says that it has so many steps."""
    with zipfile.ZipFile(path) as archive:
        header = json.loads(archive.read("recording.json"))
    change(header)
    made = file_format.check_header(file_format.Fields("vast", header))
    begin = {"kind": "start", "episode": True}
    if made.layer == "vector":
        begin |= {name: [0] * made.envs for name in ("modes", "difficulties")}
    chunk = {"steps": steps, "resets": [], "checks": [], "final": False}
    chunk["begin"] = begin if state else None
    if not state:
        chunk["resets"] = [{"step": 0, "seed": 1}]
    parts = [entry("recording.json", [json.dumps(header).encode()])]
    for name, (shape, dtype) in made.shapes(steps, 0).items():
        parts.append(array_of_zeros(f"chunks/000000/{name}.npy", shape, dtype))
    if state:
        name = "chunks/000000/state.npy"
        parts.append(array_of_zeros(name, (state,), np.dtype(np.uint8)))
    parts.append(entry("chunks/000000/chunk.json", [json.dumps(chunk).encode()]))
    to.write_bytes(b"".join(parts))
    return to


def test_a_vast_state(use: Use, files: dict[str, Path], tmp_path: Path) -> None:
    """The last state written is read in pieces, though nothing says what is in it."""

    def many(header: dict[str, Any]) -> None:
        header["game_of_env"] = [0] * 2**14

    path = vast(files["vector"], tmp_path / "a.zip", 0, many, 2**29)
    assert path.stat().st_size < 2**20
    assert use(path, "open") == [""]
    assert len(Recording.open(path)._reader.chunks) == 1
    data = bytearray(path.read_bytes())
    place = data.index(b"state.npy") + 9
    data[place + 1000 : place + 1010] = bytes([85]) * 10  # what a disk may have lost
    path.write_bytes(data)
    assert use(path, "open") == [""]
    assert len(Recording.open(path)._reader.chunks) == 0
    path = vast(files["vector"], tmp_path / "b.zip", 0, lambda _: None, 4 * 2**20)
    (told,) = use(path, "open")
    assert "state.npy has 4194432 bytes; it must have at most 3150" in told


@pytest.mark.parametrize("side", [1024, 2048])
@pytest.mark.parametrize("obs_type", ["rgb", "objects"])
def test_vast_observations(
    use: Use, files: dict[str, Path], tmp_path: Path, side: int, obs_type: str
) -> None:
    """None are made to verify that nothing was observed of, and a state has room for them."""
    size = {"img_height": side, "img_width": side, "stack_num": 8, "obs_type": obs_type}
    path = tmp_path / "a.zip"
    path.write_bytes(files["vector"].read_bytes())
    path = change_json(path, "recording.json", lambda header: header["options"].update(size))
    told = use(path, "open", "verify")
    refused = "would observe more than 2**26 bytes" if side == 2048 else "observe so much have at"
    assert [refused in text for text in told] == [True, True]


def test_vast_observations_of_a_mirrored_vector(use: Use, tmp_path: Path) -> None:
    """Which needs pictures, but no large ones."""
    rom_path("pong")
    size = {"img_height": 8, "img_width": 8, "stack_num": 1}
    envs = AtariVectorEnv("pong", 1, num_players=2, mirror=True, **size)  # type: ignore[arg-type]
    recorded(tmp_path / "a.zip", envs, play_vector, 5)
    vast = {"img_height": 1024, "img_width": 1024, "stack_num": 5, "obs_type": "objects"}
    path = change_json(
        tmp_path / "a.zip", "recording.json", lambda header: header["options"].update(vast)
    )
    assert use(path, "open", "verify") == ["", ""]
    assert Recording.open(path).verify()


def test_vastly_many_steps(use: Use, files: dict[str, Path], tmp_path: Path) -> None:
    """Steps take only a few bytes each."""

    def plain(header: dict[str, Any]) -> None:
        header["options"]["frameskip"] = 4

    path = vast(files["single"], tmp_path / "a.zip", 2**24, plain)
    told = use(path, "open", "episodes", "dataset")
    assert told[:2] == ["", ""]
    assert "has no keyframes for long: 16777216 steps" in told[2]


def test_many_chunks(use: Use, files: dict[str, Path], tmp_path: Path) -> None:
    """The file is opened once to look through it, and once for the arrays of a chunk."""
    count = 500
    with zipfile.ZipFile(files["multi"]) as archive:
        header = archive.read("recording.json")
    made = file_format.check_header(file_format.Fields("many", json.loads(header)))
    chunk = {"steps": 0, "resets": [], "checks": [], "final": False, "begin": None}
    parts = [entry("recording.json", [header])]
    for number in range(count):
        for name, (shape, dtype) in made.shapes(0, 0).items():
            parts.append(array_of_zeros(f"chunks/{number:06}/{name}.npy", shape, dtype))
        parts.append(entry(f"chunks/{number:06}/chunk.json", [json.dumps(chunk).encode()]))
    (path := tmp_path / "a.zip").write_bytes(b"".join(parts))
    use(path, "open", "episodes", "dataset", "verify")
    opened = []

    @contextlib.contextmanager
    def open_file(name: Path, inner: Any = files_module.open_file) -> Iterator[Any]:
        opened.append(name)
        with inner(name) as stream:
            yield stream

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "open_file", open_file)
        recording = Recording.open(path)
        assert (len(opened), len(recording._reader.chunks)) == (1, count)
        assert recording.episodes == []
        assert len(opened) == 1 + count


@pytest.mark.parametrize("depth", [99, 100, 101, 300, 600, 900, 960, 985, 990, 1000])
def test_metadata_that_are_nested_deep(use: Use, tmp_path: Path, depth: int) -> None:
    """As deep as they may be, they can be copied and written again; deeper ones are refused.

    So are other values, also those that are read but cannot be written, where Python's stack ends.
    """
    nested: Any = 1
    for _ in range(depth):
        nested = [nested]
    small_single(tmp_path / "a.zip", 10)

    deep = b"[" * depth + b"1" + b"]" * depth

    def replaced(before: bytes, after: bytes) -> Path:
        def change(members: dict[str, bytes]) -> None:
            members["recording.json"] = members["recording.json"].replace(before, after)

        return rewrite(tmp_path / "a.zip", change)

    (text,) = use(replaced(b'"obs_type": "ram"', b'"obs_type": ' + deep), "open")
    assert "obs_type is [[[" in text or "recording.json is no JSON" in text
    assert len(text) < 500
    path = replaced(b'"metadata": {}', b'"metadata": {"deep": ' + deep + b"}")
    told = use(path, "open", "dataset", "verify")
    if depth <= 100:
        assert told == [""] * 3
        assert json.loads(json.dumps(Recording.open(path).header.as_json()))
        record(quartet(), tmp_path / "b.zip", metadata={"deep": nested}).close()
        assert Recording.open(tmp_path / "b.zip").metadata == {"deep": nested}
    else:
        assert all(re.search("more than 100 deep|is no JSON", text) for text in told)
        with pytest.raises(ValueError, match=r"metadata.*100 deep"):
            record(quartet(), tmp_path / "b.zip", metadata={"deep": nested})
