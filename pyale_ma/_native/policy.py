"""Trained players."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import byref, c_char_p, c_uint32, c_void_p
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pyale_ma._native.abi import RAM_SIZE, PolicyNumbers
from pyale_ma._native.library import check, lib
from pyale_ma._native.owner import Address, Handle, Owner, set_field

Array: TypeAlias = npt.NDArray[Any]


class NativePolicy(Owner):
    """A trained player, which chooses actions here or has seats in vectors; it never changes.

    Args:
        players: For how many it can play.
        used: The bytes of RAM that it sees.
        neurons: Outputs of its first two layers.
        shifts: Of its three layers.
        actions: What it chooses from, by ale-py's numbers.
        numbers: As of ``ale_policy_numbers``.

    Raises:
        ValueError: A number is out of range, or there are too many or too few.
    """

    __slots__ = ()

    def __init__(
        self,
        players: int,
        used: Sequence[int],
        neurons: Sequence[int],
        shifts: Sequence[int],
        actions: Sequence[int],
        numbers: bytes,
    ) -> None:
        self._handle = None
        fields = PolicyNumbers()
        counts = {"players": players, "used_count": len(used), "action_count": len(actions)}
        for name, value in (
            *counts.items(),
            *((f"neurons_{i}", count) for i, count in enumerate(neurons, 1)),
            *((f"shift_{i}", shift) for i, shift in enumerate(shifts, 1)),
        ):
            set_field(fields, name, value)
        arrays = [c_char_p(bytes(array)) for array in (used, actions, numbers)]
        places = [ctypes.cast(array, c_void_p).value for array in arrays]
        fields.used, fields.actions, fields.numbers = places
        fields.size = len(numbers)
        handle = Handle.from_buffer(Address(lib.ale_policy_release))
        check(lib.ale_policy_create(byref(fields), byref(handle)))
        self._handle = handle

    def act(
        self, rams: Array, before: Array, players: Array, randoms: Array
    ) -> tuple[Array, Array]:
        """Choose an action for each of n players, wherever they play.

        Args:
            rams: uint8 (n, 128): what each sees.
            before: uint8 (n, 128): what it saw at its last action; at its first, as `rams`.
            players: uint32 (n,): which player of its game it is, 0 for the first.
            randoms: uint32 (n,): the states of their random numbers.

        Returns:
            int32 (n,): the actions, by ale-py's numbers; and uint32 (n,): the next states.

        Raises:
            ValueError: An array has another shape, or there is no such player.
        """
        rams, before = (np.ascontiguousarray(array, np.uint8) for array in (rams, before))
        players, randoms = np.ascontiguousarray(players, np.uint32), np.array(randoms, np.uint32)
        count = len(rams)
        for name, array, shape in (
            ("rams", rams, (count, RAM_SIZE)),
            ("before", before, (count, RAM_SIZE)),
            ("players", players, (count,)),
            ("randoms", randoms, (count,)),
        ):
            if array.shape != shape:  # C would read beyond its end
                raise ValueError(f"{name} has shape {array.shape}; it must be {shape}")
        actions = np.empty(count, np.int32)
        memory, seats = (rams.ctypes.data, before.ctypes.data), players.ctypes.data
        states = (c_uint32 * count).from_buffer(randoms.data)
        check(
            lib.ale_policy_act(
                self._handle, count, *memory, seats, states, actions.ctypes.data, None, 0
            )
        )
        return actions, randoms
