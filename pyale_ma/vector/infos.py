"""Infos of `AtariVectorEnv`: all that is returned beyond observation, reward and flags.

Gymnasium's `RecordEpisodeStatistics` makes an entry "episode" of the rewards that it sees, and
refuses to find one there.  So under that wrapper ours takes the place of its entry when that is
made.
"""

from __future__ import annotations

import sys
from types import CodeType, FrameType
from typing import Any

import numpy.typing as npt
from gymnasium.wrappers.vector import RecordEpisodeStatistics

Array = npt.NDArray[Any]
Infos = dict[str, Any]

_RECORDING: CodeType = RecordEpisodeStatistics.step.__code__


def has_any(flags: Array) -> bool:
    """Whether one of these bools is true.  For few of them this takes a tenth of ``any``'s time."""
    return 1 in flags.tobytes()


def add_final(infos: Infos, numbers: dict[str, Array], images: Array, flagged: Array) -> None:
    """Add the results of the step before the reset.  Other rows are 0."""
    others = ~flagged
    images[others] = 0
    final = {
        "lives": numbers["final_lives"],
        "frame_number": numbers["final_frame_numbers"],
        "episode_frame_number": numbers["final_episode_frame_numbers"],
    }
    for array in final.values():
        array[others] = 0
    infos["final_obs"] = images
    infos["_final_obs"] = flagged
    infos["final_info"] = final
    infos["_final_info"] = flagged.copy()  # arrays of their own: one may be written to


def with_episodes(infos: Infos, numbers: dict[str, Array]) -> Infos:
    """Infos with the returns ``r`` and lengths ``l`` of the episodes that have ended, if any.

    Where there is a ``final_info``, it has them as well.

    Args:
        infos: What the step has to say else.
        numbers: The arrays of the batch.
    """
    ends = numbers["episode_ends"]
    ended = has_any(ends)
    # A lost life may be flagged as well, and is an episode to the wrapper.
    if not (ended or has_any(numbers["terminations"]) or has_any(numbers["truncations"])):
        return infos
    returns, lengths = numbers["episode_returns"], numbers["episode_lengths"]
    returns[~ends] = lengths[~ends] = 0
    if "final_info" in infos:
        infos["final_info"]["episode"] = {"r": returns.copy(), "l": lengths.copy()}
        infos["final_info"]["_episode"] = ends.copy()
    entries = {"episode": {"r": returns, "l": lengths}, "_episode": ends}
    if _recorder_is_waiting():
        return _RecordedInfos(infos, entries, ended=ended)
    if ended:
        infos.update(entries)
    return infos


class _RecordedInfos(Infos):
    """Infos on their way to `RecordEpisodeStatistics`, which adds an entry to them.

    If the name of its entry is that of ours, its entry becomes ours, with its time.  If not, there
    are both.
    """

    def __init__(self, infos: Infos, entries: Infos, *, ended: bool) -> None:
        super().__init__(infos)
        self._entries = entries
        self._ended = ended

    def __setitem__(self, key: str, value: Any) -> None:
        if key == "episode":
            value = {**value, **self._entries["episode"]}
        elif key == "_episode":
            value = self._entries[key]
        elif self._ended and sys._getframe(1).f_code is _RECORDING:
            self.update(self._entries)
        super().__setitem__(key, value)


def _recorder_is_waiting() -> bool:
    """Whether the step was called by the wrapper, directly or through others."""
    # Only the callers tell.  The wrapper looks with `"episode" in infos`, as programs do, and must
    # not find what they must find; a dict that answered by who asks would have to look at its
    # caller, too, and would be lost in the copy that a wrapper between may make.  Wrappers know
    # what they wrap, but vectors not by what they are wrapped, and an argument that says it would
    # have to be given by programs that need none today.
    frame: FrameType | None = sys._getframe(1)
    while frame := frame and frame.f_back:
        if frame.f_code is _RECORDING:
            return True
    return False
