"""Memory use of vectors, and that they give it back."""

from __future__ import annotations

import mmap
from pathlib import Path

import numpy as np
import pytest

from common import run_python
from pyale_ma import _native
from pyale_ma._native.references import COUNTED
from pyale_ma.vector.results import ResultBuffers

only_where_it_is_measured = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="what is resident is read from Linux's /proc"
)

# In a process of its own, whose memory nothing else changes.
MEASURE = """
import gc, os
from pyale_ma.vector import AtariVectorEnv

def resident():
    gc.collect()
    with open("/proc/self/statm") as stream:
        return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def play(count):
    envs = AtariVectorEnv("pong", count, obs_type={obs_type!r})
    envs.reset(seed=0)
    for _ in range(4):
        envs.step(envs.action_space.sample())
    return envs

play(1).close()
before = resident()
envs = play(256)
taken = resident() - before
envs.close()
print(taken, resident() - before)
"""


@only_where_it_is_measured
@pytest.mark.parametrize("obs_type", ["grayscale", "ram"])
def test_closing_gives_memory_back(obs_type: str) -> None:
    taken, kept = map(int, run_python(MEASURE.format(obs_type=obs_type)).split())
    assert taken > 256 * 28 * 1024
    assert kept < 0.2 * taken


def _results() -> ResultBuffers:
    return ResultBuffers(
        2, None, (4,), extra_infos=(), final=False, copy=True, depth=1, shared=False
    )


@pytest.mark.skipif(not COUNTED, reason="memory is used again where references are counted")
def test_batches_are_used_again_with_their_memory() -> None:
    results = _results()
    first = results.take(())
    second = results.take((first,))
    assert second is not first
    assert second.images is not first.images
    assert second.numbers is not first.numbers
    assert results.take((second,)) is first
    assert results.take((first,)) is second
    third = results.take((first, second))
    assert third not in (first, second)
    views = third.images.views()  # which somebody keeps
    assert results.take(()).images is not third.images
    del views


@pytest.mark.parametrize("on_request", [True, False])
def test_large_arrays_do_without_large_pages(
    on_request: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if on_request and not hasattr(mmap, "MADV_HUGEPAGE"):
        pytest.skip("this system has no pages on request")
    if not on_request:
        monkeypatch.delattr(mmap, "MADV_HUGEPAGE", raising=False)
    array = _native.fixed_array((3, 1 << 20), np.int16)
    assert array.shape == (3, 1 << 20)
    assert not array.any()
    array[...] = 7
    assert (array[1:] == 7).all()
    assert not on_request or array.ctypes.data % (2 << 20) == 0
