"""Files of JSON and arrays, from collectors and memories: read as data, or refused."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pyale_ma._base.container import Container

FILE = Container("a file of the test", "pyale_ma test 1")


def signed(body: bytes) -> bytes:
    return body + hashlib.sha256(body).digest()


def test_trees_are_read_as_written(tmp_path: Path) -> None:
    tree: dict[str, Any] = {
        "a": [1, 2.5, None, "text"],
        "array": {"array": np.arange(6).reshape(2, 3)},
        "empty": np.zeros((0, 2), np.float32),
        "flag": np.array(True),
        "big endian": np.arange(3, dtype=">i4"),
    }
    FILE.write(tmp_path / "file", tree)
    fields = FILE.read(tmp_path / "file")
    assert fields.values.keys() == tree.keys()
    assert fields.values["a"] == tree["a"]
    for name in ("empty", "flag", "big endian"):
        assert np.array_equal(fields.values[name], tree[name])
    array = fields.inside("array").array("array", np.int64, (None, 3))
    assert np.array_equal(array, np.arange(6).reshape(2, 3))
    assert array.flags.writeable
    for dtype, shape in ((np.int32, (2, 3)), (np.int64, (2, 2)), (np.int64, (6,))):
        with pytest.raises(ValueError, match=r"array is .* shape \(2, 3\)"):
            fields.inside("array").array("array", dtype, shape)


def test_bytes_that_are_promised() -> None:
    """The layout is that of the first version."""
    pieces = FILE.pack({"tree": {}, "arrays": [["|u1", [2]]]}, [b"\1\2"])
    body = b'pyale_ma test 1\n{"tree":{},"arrays":[["|u1",[2]]]}\n\1\2'
    assert b"".join(pieces) == signed(body)


def test_files_of_strangers(tmp_path: Path) -> None:
    """Whatever is in a file, it is read as data or refused."""
    file = tmp_path / "file"
    FILE.write(file, {"numbers": np.arange(6), "flag": np.array(True)})
    good = file.read_bytes()
    title, header, rest = good[:-32].split(b"\n", 2)

    def lines(header: bytes) -> bytes:
        return signed(b"\n".join((title, header, rest)))

    def with_arrays(*arrays: Any, tree: Any = {}) -> bytes:  # noqa: B006
        return lines(json.dumps({"tree": tree, "arrays": arrays}).encode())

    numbers, flag = ["<i8", [6]], ["|b1", []]
    file.write_bytes(with_arrays(numbers, flag))
    assert FILE.read(file).values == {}
    for bad, message in [
        (b"", "does not begin with 'pyale_ma test 1'"),
        (b"PK\3\4", "does not begin"),
        (title + b"\n", "checksum is another"),
        (good[:-1], "checksum is another"),
        (good + b"\0", "checksum is another"),
        (good[:-40] + bytes([good[-40] ^ 1]) + good[-39:], "checksum is another"),
        (signed(good[:-33]), "ends too early"),
        (signed(good[:-32] + b"\0"), "1 bytes too many"),
        (signed(good[:-33] + b"\2"), "truth value"),
        (signed(title + b"\n{}"), "no second line"),
        (lines(b"[" * 100_000), "no JSON"),
        (lines(header[:-3]), "no JSON"),
        (lines(b"\xff"), "no JSON"),
        (lines(b"[]"), "no JSON object"),
        (lines(b"{}"), "no list of at most 65536"),
        (lines(b'{"arrays": []}'), "bytes too many"),
        (lines(b'{"tree": ' + b"[" * 900 + b"]" * 900 + b"}"), "no list"),
        (with_arrays(numbers, flag, tree=[]), "tree is .*; it must be an object"),
        (with_arrays(numbers, flag, tree={"a": {"array": 2}}), "it has no array 2"),
        (with_arrays(numbers, flag, tree={"a": {"array": -1}}), "it has no array -1"),
        (with_arrays(["|O", [1]]), "dtype"),
        (with_arrays(["|V8", [1]]), "dtype"),
        (with_arrays([["<i8"], [1]]), "dtype"),
        (with_arrays(["<i8", [2**61]]), "ends too early"),
        (with_arrays(["<i8", [2**62]]), "not a shape"),
        (with_arrays(["<i8", [-1]]), "not a shape"),
        (with_arrays(["<i8", [True]]), "not a shape"),
        (with_arrays(["|u1", [0] * 9]), "not a shape"),
        (with_arrays(*[["|u1", [0]]] * (2**16 + 1)), "list of at most 65536"),
        (with_arrays(["<i8"]), "does not describe an array"),
        (with_arrays(3), "does not describe an array"),
        (lines(b" " * 2**23 + header), "no second line of at most 8388608 bytes"),
    ]:
        file.write_bytes(bad)
        with pytest.raises(ValueError, match=rf"test: .*{message}"):
            FILE.read(file)

    deep: Any = json.loads(b"[" * 900 + b"]" * 900)
    file.write_bytes(with_arrays(numbers, flag, tree={"deep": deep}))
    with contextlib.suppress(ValueError):  # and no other error
        assert FILE.read(file).values == {"deep": deep}

    if hasattr(os, "mkfifo"):  # which is not waited for
        file.unlink()
        os.mkfifo(file)
        with pytest.raises(OSError, match=r"file.*regular file"):
            FILE.read(file)


def test_values_that_are_not_written(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"the file before")
    for tree, problem, message in [
        ({"bad": "x" * 2**23}, ValueError, "bytes of JSON cannot be saved, only 8388608"),
        ({"bad": np.array([None])}, TypeError, "array of object cannot be saved"),
        ({"bad": np.zeros((1,) * 9)}, ValueError, "arrays of 8 axes can be saved; this is array 0"),
        ({"bad": {"array": 3}}, TypeError, "it would be read as an array"),
        ({1: 2}, TypeError, "names that are not texts"),
    ]:
        with pytest.raises(problem, match=message):
            FILE.write(file, tree)
    assert file.read_bytes() == b"the file before"
    assert list(tmp_path.iterdir()) == [file]


def test_a_kind_with_few_bytes() -> None:
    small = Container("a small file", "small", most_bytes=100)
    whole = b"".join(small.pack({}, [bytes(100)]))
    with pytest.raises(ValueError, match="100 bytes"):
        small.unpack(whole)
