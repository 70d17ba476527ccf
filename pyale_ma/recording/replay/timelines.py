"""Timelines: steps of environments, and the keyframes from which windows of them are played."""

from __future__ import annotations

import itertools
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from pyale_ma.recording.file.format import MOST_STATE, Header, RecordingError, seeds_of_reset
from pyale_ma.recording.file.reader import Reader
from pyale_ma.recording.replay.layers import Layer, LazyLayer, layer_for
from pyale_ma.recording.replay.replayer import (
    Event,
    Keyframe,
    Replayer,
    events_of,
    keyframe_of,
    least_observations,
)
from pyale_ma.recording.replay.windows import Array, Bools, Index

_FARTHEST = 4096  # steps that may be played to come to a window


class Reset(NamedTuple):
    """A reset of one environment; of a vector with the mode and difficulty that it had then."""

    seed: int | None
    mode: int | None = None
    difficulty: int | None = None


class Packed(NamedTuple):
    """A saved state, packed.

    Attributes:
        data: Deflated.
        base: Another state of the same environment, from which it differs little; b"": none.
    """

    data: bytes
    base: bytes

    @classmethod
    def of(cls, state: bytes, base: bytes = b"") -> Packed:
        """Pack a state."""
        packer = zlib.compressobj(1, zlib.DEFLATED, -15, 9, zlib.Z_DEFAULT_STRATEGY, base)
        return cls(packer.compress(state) + packer.flush(), base)

    def state(self) -> bytes:
        """The state; ValueError: it is none."""
        unpacker = zlib.decompressobj(-15, self.base)
        try:
            state = unpacker.decompress(self.data, MOST_STATE)
        except zlib.error as error:
            raise ValueError(f"a keyframe is damaged: {error}") from None
        if not unpacker.eof:
            raise ValueError(f"a keyframe has more than {MOST_STATE} bytes, or is damaged")
        return state


def has_unclear_ends(header: Header) -> bool:
    """Whether terminations tell of lost lives, and not when an episode ends."""
    options = header.options
    alike = options.get("episodic_life") and header.players > 1
    return bool(options.get("life_loss_info") or alike)


class Timeline:
    """Steps that environments played, and the keyframes from which to play them again.

    Args:
        header: What makes such environments.
        warm_up: Steps after a keyframe until observations are those of the environment; after a
            reset they are so at once.

    Attributes:
        name: For messages.
        columns: Arrays by name, as recordings have them, with a row for each time.
        fresh: bool (times, envs): what was observed before the step is a reset's.
        resets: Of each environment the resets before a step, by its time.
        anchors: Of each environment the times of its keyframes, ascending.
    """

    name = "the recording"

    def __init__(self, header: Header, warm_up: int) -> None:
        self.header = header
        self.warm_up = warm_up
        self.columns: dict[str, Array] = {}
        self.fresh = np.zeros((0, header.envs), np.bool_)
        self.resets: list[dict[int, list[Reset]]] = [{} for _ in range(header.envs)]
        self.anchors: list[list[int]] = [[] for _ in range(header.envs)]

    @property
    def first(self) -> int:
        """The earliest step that is kept."""
        return 0

    def rows(self, times: Any) -> Any:
        """The rows of the columns in which these times are."""
        return times

    def keyframe(self, env: int, time: int) -> Keyframe:
        """The keyframe of an anchor."""
        raise NotImplementedError

    def events(self, first: int, stop: int) -> Iterator[Event]:
        """Return the events of the only environment, from an anchor to a step."""
        keyframe = self.keyframe(0, first)
        if keyframe.state is not None:
            yield Event("begin", first, keyframe=lambda: keyframe)
        for time in range(first, stop):
            for reset in self.resets[0].get(time, ()):
                yield Event("reset", time, entry={"seed": reset.seed})
            yield Event("step", time, self.columns, self.rows(time))

    def anchor(self, env: int, time: int) -> int | None:
        """The last anchor from which what was observed before a step is played exactly."""
        latest = time - self.warm_up
        for moment in range(time, max(latest, 0) - 1, -1):
            if self.fresh[self.rows(moment), env]:
                caused = moment if moment in self.resets[env] else moment - 1
                latest = max(latest, caused)
                break
        anchors = self.anchors[env]
        place = bisect_right(anchors, latest)
        return anchors[place - 1] if place else None

    def first_exact(self, env: int, anchor: int, stop: int) -> int:
        """The first step before `stop` that is played exactly from an anchor, or `stop`."""
        for time in range(anchor, min(anchor + self.warm_up, stop)):
            if self.fresh[self.rows(time), env]:
                caused = time if time in self.resets[env] else time - 1
                if caused >= anchor:
                    return time
        return min(anchor + self.warm_up, stop)

    def leave_out_warm_up(self, played: Bools, breaks: Bools, first: int = 0) -> None:
        """Leave out the steps from a time on before which nothing can be played exactly.

        Args:
            played: bool (steps, envs): what windows consist of; is changed.
            breaks: bool (steps, envs): the step's state does not come from the step before; moves
                to the first step that is played exactly.
            first: The time of the first step.
        """
        for env, anchors in enumerate(self.anchors):
            later = np.flatnonzero(breaks[1:, env]) + 1 + first
            for start, stop in itertools.pairwise([first, *later.tolist(), first + len(breaks)]):
                place = bisect_left(anchors, start)
                is_playable = place < len(anchors) and anchors[place] < stop
                ready = self.first_exact(env, anchors[place], stop) if is_playable else stop
                played[start - first : ready - first, env] = False
                breaks[ready - first : ready - first + 1, env] = True


class FileTimeline(Timeline):
    """A recording.

    Args:
        reader: Reads its file.
        observe: Arguments that change what is observed.
        keyframe_every: Play it once now, and make a keyframe after this many steps each; None: use
            those that it has.

    Attributes:
        index: Its steps.

    Raises:
        RecordingError: It is damaged, has too few keyframes, or nothing that could be played.
    """

    def __init__(self, reader: Reader, observe: dict[str, Any], keyframe_every: int | None) -> None:
        self.reader = reader
        header = reader.header
        self._is_vector = header.layer == "vector"
        stack = observe.get("stack_num", header.options["stack_num"]) if self._is_vector else 0
        super().__init__(header, int(stack) + self._is_vector)
        self.name = reader.name
        names = [name for name in header.shapes(0, 0) if name != "ram"]
        self.columns = {name: reader.whole(name) for name in names}
        self._count = reader.steps
        self._chunk_of: dict[int, int] = {}  # the chunk that begins with a state, by its time
        self._seeded: list[set[int]] = [set() for _ in range(header.envs)]
        self._kept: dict[int, list[Packed]] = {}  # keyframes of all environments, by their time
        self._extras: dict[int, dict[str, Any]] = {}  # what goes with them
        self._bases = [b""] * header.envs
        # In it, states of all environments are restored.
        self._source = LazyLayer(header, {}, self.name)
        self.fresh = np.zeros((self._count + 1, header.envs), np.bool_)
        breaks = self._read_chunks()
        ended = self._ended()
        if keyframe_every is not None or ended is None:
            ended = self._play_through(keyframe_every or _FARTHEST)
        for env, seeded in enumerate(self._seeded):
            self.anchors[env] = sorted({*self._chunk_of, *self._kept, *seeded})
        if keyframe_every is None:
            self._check_distances()
        self.index = self._make_index(ended, breaks)
        if not len(self.index):
            raise RecordingError(f"{self.name} has no steps to learn from")

    # ---- What the file says ----------------------------------------------------------------------

    def _read_chunks(self) -> Bools:
        """Note resets and states; where the state does not come from the step before."""
        breaks = np.zeros((self._count, self.header.envs), np.bool_)
        options = self.header.options
        everyone = range(self.header.envs)
        modes, difficulties = (
            _one_each(options.get(name), [None] * len(everyone)) for name in ("mode", "difficulty")
        )
        for number, chunk in enumerate(self.reader.chunks):
            first = chunk.first
            if chunk.begin:
                follows_reset = any(first in resets for resets in self.resets)
                if chunk.starts:
                    breaks[first : first + 1] = True
                    for env in everyone:
                        self.resets[env].pop(first, None)
                        self._seeded[env].discard(first)
                    self.fresh[first] = False
                    modes = _one_each(chunk.begin.get("modes"), modes)
                    difficulties = _one_each(chunk.begin.get("difficulties"), difficulties)
                if chunk.starts or not follows_reset:
                    self._chunk_of[first] = number
            for reset in chunk.resets:
                reset_modes = _one_each(reset.get("mode"), modes)
                reset_difficulties = _one_each(reset.get("difficulty"), difficulties)
                for env, seed in seeds_of_reset(reset, len(everyone)):
                    modes[env], difficulties[env] = reset_modes[env], reset_difficulties[env]
                    made = Reset(seed, modes[env], difficulties[env])
                    self._note_reset(first + reset["step"], env, made)
        return breaks

    def _note_reset(self, time: int, env: int, reset: Reset) -> None:
        alone = reset.seed is not None
        if self.header.layer == "console":  # which has no seeds, but begins as new
            alone = time == 0 and not self._chunk_of and not self.resets[env]
        if alone:
            self.resets[env][time] = [reset]
            self._seeded[env].add(time)
        else:
            self.resets[env].setdefault(time, []).append(reset)
        self.fresh[time, env] = True

    def _ended(self) -> Bools | None:
        """The steps that ended episodes; None: what the file says of lives does not tell."""
        if has_unclear_ends(self.header):
            return None
        ended: Bools = self.columns["terminations"].all(2) | self.columns["truncations"]
        return ended

    def _make_index(self, ended: Bools, breaks: Bools) -> Index:
        mode = self.header.options.get("autoreset_mode", "Disabled")
        played = np.ones_like(ended)
        # What comes next from an episode's end, unless another state was restored there.
        goes_on = ended & ~np.concatenate([breaks[1:], np.zeros_like(breaks[:1])])
        if mode == "NextStep":
            played[1:] = ~(goes_on[:-1] & ~self.fresh[1:-1])
            played &= self.header.options["max_num_frames_per_episode"] > 0
            self.fresh[1:] |= ~played
        elif mode == "SameStep":
            self.fresh[1:] |= goes_on
        self.leave_out_warm_up(played, breaks)
        return Index(played, self.fresh[:-1], breaks)

    def _check_distances(self) -> None:
        for env, anchors in enumerate(self.anchors):
            farthest = int(np.diff([*anchors, self._count]).max()) if anchors else 0
            if farthest > _FARTHEST:
                raise RecordingError(
                    f"{self.name} has no keyframes for long: {farthest} steps of environment {env} "
                    "would be played to come to a window. Give the dataset keyframe_every=128, and "
                    "it plays the recording once to make some; or record with keyframes=True and "
                    "steps_per_chunk=128"
                )

    # ---- Keyframes -------------------------------------------------------------------------------

    def keyframe(self, env: int, time: int) -> Keyframe:
        """The keyframe of an anchor."""
        if time in self._seeded[env]:
            return Keyframe(None, {})
        if time in self._kept:
            return Keyframe(self._kept[time][env].state(), self._extras.get(time, {}))
        number = self._chunk_of[time]
        if not self._is_vector:
            return keyframe_of(self.reader, number)
        source = self._source.get()
        self._replayer(source).restore(time, keyframe_of(self.reader, number))
        self._keep(source, time)
        return Keyframe(self._kept[time][env].state(), {})

    def _keep(self, layer: Layer, time: int) -> None:
        """Keep the states of all environments."""
        states = [layer.env._native.save_env(env) for env in range(self.header.envs)]
        if not self._kept:
            self._bases = states
        self._kept[time] = [
            Packed.of(state, base) for state, base in zip(states, self._bases, strict=True)
        ]

    def _play_through(self, every: int) -> Bools:
        """Play all of it, and keep states on the way.  The steps that ended episodes."""
        reader, header = self.reader, self.header
        ended = self._ended()
        reported = np.zeros((self._count, header.envs), np.bool_)
        observe = least_observations(header, reader.restored_states)
        if self._is_vector:
            observe["extra_infos"] = ("episode",)
        layer = layer_for(header, observe, self.name)
        try:
            for event in self._replayer(layer).play(events_of(reader, 0, self._count + 1)):
                if event.kind != "step":
                    continue
                if self._is_vector:
                    reported[event.number] = event.result[4].get("_episode", False)
                if event.next_step % every == 0:
                    self._keep_any(layer, event.next_step)
        finally:
            layer.close()
        return reported if ended is None else ended

    def _replayer(self, layer: Layer) -> Replayer:
        return Replayer(layer, self.header, self.name)

    def _keep_any(self, layer: Layer, time: int) -> None:
        if self._is_vector:
            self._keep(layer, time)
            return
        state, extra = layer.save()
        self._kept[time] = [Packed.of(state, self._bases[0])]
        self._extras[time] = extra
        self._bases[0] = self._bases[0] or state

    def close(self) -> None:
        """Free what keyframes are taken from."""
        self._source.close()


def _one_each(values: Any, before: list[Any]) -> list[Any]:
    """Return a value for each environment; the values before, if it is None."""
    if values is None:
        return list(before)
    if not isinstance(values, list):
        return [values] * len(before)
    if len(values) != len(before):
        raise RecordingError(
            f"a reset has {len(values)} modes or difficulties for {len(before)} environments; the "
            "file is damaged"
        )
    return list(values)
