"""`RamSearch`: find the byte that holds a thing, by how it behaves."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

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
        self._before = ram.copy()
        self.candidates = np.ones(RAM_SIZE, bool)

    def _keep(self, ram: Bytes, fitting: npt.NDArray[np.bool_]) -> int:
        self.candidates &= fitting
        self._before = ram.copy()
        return int(self.candidates.sum())

    def equal(self, ram: Bytes, number: int) -> int:
        """Keep the bytes that are a number."""
        return self._keep(ram, ram == number)

    def changed(self, ram: Bytes) -> int:
        """Keep those that have changed."""
        return self._keep(ram, ram != self._before)

    def same(self, ram: Bytes) -> int:
        """Keep those that have not changed."""
        return self._keep(ram, ram == self._before)

    def more(self, ram: Bytes) -> int:
        """Keep those that have become more."""
        return self._keep(ram, ram > self._before)

    def less(self, ram: Bytes) -> int:
        """Keep those that have become less."""
        return self._keep(ram, ram < self._before)

    def up(self, ram: Bytes, number: int) -> int:
        """Keep those that have become more by a number, as bytes or as two decimal digits."""
        plain = (ram.astype(int) - self._before) % 256 == number % 256
        decimal = (_decimal(ram) - _decimal(self._before)) % 100 == number % 100
        return self._keep(ram, plain | (decimal & _is_decimal(ram) & _is_decimal(self._before)))

    def digits(self, ram: Bytes, number: int) -> int:
        """Keep those that hold two neighbouring digits of a number, counted from its last one."""
        pairs = set()
        for shown in (number, 10 * number, number // 10, number // 100):
            while True:
                pairs.add(shown % 100 // 10 * 16 + shown % 10)
                shown //= 100
                if shown == 0:
                    break
        return self._keep(ram, np.isin(ram, sorted(pairs)))


def _decimal(ram: Bytes) -> npt.NDArray[np.int64]:
    numbers: npt.NDArray[np.int64] = (ram >> 4).astype(np.int64) * 10 + (ram & 15)
    return numbers


def _is_decimal(ram: Bytes) -> npt.NDArray[np.bool_]:
    return ((ram >> 4) < 10) & ((ram & 15) < 10)
