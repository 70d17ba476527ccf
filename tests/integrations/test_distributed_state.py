"""The files that collectors' states are saved in."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray", reason="the collectors run on Ray")

from pyale_ma.distributed import state


def test_files_that_are_no_states(tmp_path: Path) -> None:
    """Whatever is in a file, it is read as data or refused."""
    file = tmp_path / "state"
    tree: dict[str, Any] = {
        "a": [1, 2.5, None, "text"],
        "array": {"array": np.arange(6).reshape(2, 3)},
    }
    tree |= {"empty": np.zeros((0, 2), np.float32), "flag": np.array(True)}
    state.write(file, tree)
    found = state.read(file)
    assert found.keys() == tree.keys()
    assert found["a"] == tree["a"]
    for name in ("empty", "flag"):
        assert np.array_equal(found[name], tree[name])
    assert np.array_equal(found["array"]["array"], np.arange(6).reshape(2, 3))

    good = file.read_bytes()
    magic, header, rest = good.split(b"\n", 2)

    def with_arrays(*arrays: Any) -> bytes:
        said = json.dumps({"tree": {}, "arrays": arrays}).encode()
        return b"\n".join((magic, said, rest))

    for bad, message in [
        (b"", "does not begin as one"),
        (good[:-1], "another length"),
        (good + b"\0", "another length"),
        (good[:-40] + bytes([good[-40] ^ 1]) + good[-39:], "checksum"),
        (b"\n".join((magic, b"[" * 100_000, rest)), ""),
        (b"\n".join((magic, header[:-3], rest)), ""),
        (with_arrays(["|O", [1]]), "dtype"),
        (with_arrays(["|V8", [1]]), "dtype"),
        (with_arrays(["<i8", [2**62, 2**62]]), "another length"),
        (with_arrays(["<i8", [-1]]), "not a shape"),
        (with_arrays(["|u1", [0] * 9]), "not a shape"),
        (with_arrays(*[["|u1", [0]]] * (2**16 + 1)), "more than 65536 arrays"),
        (with_arrays(["<i8"]), ""),
        (magic + b"\n" + b" " * 2**23 + header + b"\n" + rest, "JSON has more than 8388608 bytes"),
    ]:
        file.write_bytes(bad)
        with pytest.raises(ValueError, match=f"state is not a state of a collector.*{message}"):
            state.read(file)

    if hasattr(os, "mkfifo"):  # which is not waited for
        file.unlink()
        os.mkfifo(file)
        with pytest.raises(OSError, match="state is no regular file"):
            state.read(file)
        file.unlink()

    file.write_bytes(good)
    with pytest.raises(ValueError, match="bytes of JSON cannot be saved, only 8388608"):
        state.write(file, {"bad": "x" * 2**23})
    with pytest.raises(TypeError, match="array of object cannot be saved"):
        state.write(file, {"bad": np.array([None])})
    with pytest.raises(ValueError, match=r"arrays of 8 axes can be saved; this is array 0"):
        state.write(file, {"bad": np.zeros((1,) * 9)})
    assert file.read_bytes() == good
    assert list(tmp_path.iterdir()) == [file]
