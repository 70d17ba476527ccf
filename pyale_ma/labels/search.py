"""`RamSearch`: find the byte that holds a thing, by how it behaves."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pyale_ma._base.arguments import integer
from pyale_ma._native import RAM_SIZE

__all__ = ["RamSearch"]

Bytes = npt.NDArray[np.uint8]


class RamSearch:
    """Which bytes of RAM may be the one looked for; each search leaves fewer.

    Searches compare with the RAM of the latest search, and return how many bytes are left.

    Args:
        ram: The console's RAM as it is when the search begins.

    Attributes:
        candidates: bool (128,), the bytes that fit all that was asked so far.

    Examples:
        ```python
        from pyale_ma.labels import RamSearch
        from pyale_ma.single import AtariEnv

        env = AtariEnv("quartet", obs_type="ram")
        ram, info = env.reset(seed=42)
        search = RamSearch(ram)
        for action, search_for in ((2, search.changed), (0, search.same), (3, search.changed)):
            for _ in range(5):
                ram, *_ = env.step(action)
            print(search_for(ram), "bytes fit")
        print(search.candidates.nonzero()[0])
        ```
    """

    def __init__(self, ram: Bytes) -> None:
        self._before = _checked(ram)
        self.candidates = np.ones(RAM_SIZE, bool)

    def _keep(self, ram: Bytes, fit: Callable[[Bytes, Bytes], npt.NDArray[np.bool_]]) -> int:
        """Keep the bytes that fit, as a function of RAM now and before says."""
        now = _checked(ram)
        self.candidates &= fit(now, self._before)
        self._before = now
        return int(self.candidates.sum())

    def equal(self, ram: Bytes, number: int) -> int:
        """Keep the bytes that are a number."""
        wanted = integer("number", number, None)
        return self._keep(ram, lambda now, before: now == wanted)

    def changed(self, ram: Bytes) -> int:
        """Keep those that have changed."""
        return self._keep(ram, np.not_equal)

    def same(self, ram: Bytes) -> int:
        """Keep those that have not changed."""
        return self._keep(ram, np.equal)

    def more(self, ram: Bytes) -> int:
        """Keep those that have become more."""
        return self._keep(ram, np.greater)

    def less(self, ram: Bytes) -> int:
        """Keep those that have become less."""
        return self._keep(ram, np.less)

    def up(self, ram: Bytes, number: int) -> int:
        """Keep those that have become more by a number, as bytes or as two decimal digits."""
        more = integer("number", number, None)

        def fit(now: Bytes, before: Bytes) -> npt.NDArray[np.bool_]:
            plain = (now.astype(int) - before) % 256 == more % 256
            decimal = (_decimal(now) - _decimal(before)) % 100 == more % 100
            fits: npt.NDArray[np.bool_] = plain | (decimal & _is_decimal(now) & _is_decimal(before))
            return fits

        return self._keep(ram, fit)

    def digits(self, ram: Bytes, number: int) -> int:
        """Keep those that hold two neighbouring digits of a number, counted from its last one."""
        last = integer("number", number, 0)
        pairs = []
        for shown in (last, 10 * last, last // 10, last // 100):
            pairs.append(shown % 100 // 10 * 16 + shown % 10)
            while shown := shown // 100:
                pairs.append(shown % 100 // 10 * 16 + shown % 10)
        return self._keep(ram, lambda now, before: np.isin(now, pairs))


def _checked(ram: Bytes) -> Bytes:
    """Return a copy of a console's RAM.

    Raises:
        ValueError: It is none.
    """
    if not (isinstance(ram, np.ndarray) and ram.dtype == np.uint8 and ram.shape == (RAM_SIZE,)):
        raise ValueError(f"ram must be an array of {RAM_SIZE} bytes, uint8; it is {ram!r}")
    copy: Bytes = ram.copy()
    return copy


def _decimal(ram: Bytes) -> npt.NDArray[np.int64]:
    numbers: npt.NDArray[np.int64] = (ram >> 4).astype(np.int64) * 10 + (ram & 15)
    return numbers


def _is_decimal(ram: Bytes) -> npt.NDArray[np.bool_]:
    return ((ram >> 4) < 10) & ((ram & 15) < 10)
