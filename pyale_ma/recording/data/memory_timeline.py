"""`MemoryTimeline`: the latest steps of a vector, in arrays that are overwritten in turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyale_ma.recording.file.format import Header
from pyale_ma.recording.replay.replayer import Keyframe
from pyale_ma.recording.replay.timelines import Packed, Reset, Timeline
from pyale_ma.recording.replay.windows import Array, Index

MOST_STEP = 2**40
MOST_RESETS = 4  # of an environment before a step; after more of them its state is kept
_SAME_BASE = 64  # keyframes of an environment that are packed with the same other one


class MemoryTimeline(Timeline):
    """The latest steps of a vector, in arrays that are written in turn.

    Args:
        header: What makes such a vector.
        warm_up: As `Timeline` has it.
        room: Steps that are kept.

    Attributes:
        count: Steps that were played, and the time of the next one.
        reset_only: bool (room, envs): the step only reset the environment.
        breaks: bool (room, envs): the step's state does not come from the step before.
        next_fresh: bool (envs,): `fresh` of the next step.
        next_breaks: bool (envs,): `breaks` of the next step.
        keyframes: Of each environment, by their time.
    """

    name = "the memory"

    def __init__(self, header: Header, warm_up: int, room: int) -> None:
        super().__init__(header, warm_up)
        self.count = 0
        self.room = room
        shapes = header.shapes(room, 0)
        names = ("actions", "rewards", "terminations", "truncations")
        self.columns = {name: np.zeros(*shapes[name]) for name in names}
        self.fresh = np.zeros((room, header.envs), np.bool_)
        self.reset_only = np.zeros((room, header.envs), np.bool_)
        self.breaks = np.zeros((room, header.envs), np.bool_)
        self.next_fresh = np.zeros(header.envs, np.bool_)
        self.next_breaks = np.zeros(header.envs, np.bool_)
        self.keyframes: list[dict[int, Packed]] = [{} for _ in range(header.envs)]
        self._bases = [(b"", 0)] * header.envs  # and how many were packed with it

    def rows(self, times: Any) -> Any:
        """The rows of the columns in which these times are."""
        return times % self.room

    @property
    def first(self) -> int:
        """The earliest step that is kept."""
        return max(0, self.count - self.room)

    def keyframe(self, env: int, time: int) -> Keyframe:
        """The keyframe of an anchor."""
        packed = self.keyframes[env].get(time)
        return Keyframe(packed.state() if packed else None, {})

    def keep(self, env: int, state: bytes) -> None:
        """Keep an environment's present state."""
        base, used = self._bases[env]
        if used % _SAME_BASE == 0:
            base = state
        self._bases[env] = base, used + 1
        self.keyframes[env][self.count] = Packed.of(state, base)
        if self.anchors[env][-1:] != [self.count]:  # after an interrupt neither lacks the other
            self.anchors[env].append(self.count)

    def add_reset(self, env: int, reset: Reset) -> bool:
        """Note a reset before the next step; False: there are too many before it."""
        if reset.seed is None:
            resets = self.resets[env].setdefault(self.count, [])
            if len(resets) == MOST_RESETS:
                return False
            resets.append(reset)
        else:  # nothing before matters
            self.resets[env][self.count] = [reset]
            if not self.keyframes[env].pop(self.count, None):
                self.anchors[env].append(self.count)
        self.next_fresh[env] = True
        return True

    def break_off(self, env: int, state: bytes) -> None:
        """Note that the next step's state does not come from the step before."""
        self.resets[env].pop(self.count, None)
        self.next_fresh[env], self.next_breaks[env] = False, True
        self.keep(env, state)

    def add(self, reset_only: Array, fresh_after: Array, **columns: Array) -> int:
        """Add a step of all environments; the row that it is in."""
        row, gone = self.count % self.room, self.count - self.room
        for env in range(self.header.envs) if gone >= 0 else ():
            self.resets[env].pop(gone, None)
            anchors = self.anchors[env]
            while anchors and anchors[0] <= gone:
                self.keyframes[env].pop(anchors.pop(0), None)
        for name, column in self.columns.items():
            column[row] = columns[name].reshape(column.shape[1:])
        self.reset_only[row] = reset_only
        self.fresh[row], self.breaks[row] = self.next_fresh, self.next_breaks
        self.next_fresh[:], self.next_breaks[:] = fresh_after, False
        self.count += 1
        return row

    def make_index(self) -> Index:
        """The steps that windows consist of, by their rows in the order of time."""
        rows = self.rows(np.arange(self.first, self.count))
        played, breaks = ~self.reset_only[rows], self.breaks[rows]
        self.leave_out_warm_up(played, breaks, self.first)
        return Index(played, self.fresh[rows], breaks)
