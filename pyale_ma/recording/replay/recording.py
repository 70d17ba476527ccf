"""Reads recordings: plays them again, and compares, shows or hands out what comes of it."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pyale_ma import _native
from pyale_ma._base.arguments import flag, integer, known_names
from pyale_ma._base.text import printable
from pyale_ma.console.objects import ObjectBox
from pyale_ma.recording.file.format import (
    MOST_AT_ONCE,
    OBSERVATION,
    Chunk,
    Header,
    RecordingError,
    other_version,
    seeds_of_reset,
)
from pyale_ma.recording.file.reader import Reader
from pyale_ma.recording.replay.layers import REFUSALS, Layer, layer_for
from pyale_ma.screen.film import Film

Array: TypeAlias = npt.NDArray[Any]

_COLUMNS = ("reward", "termination", "truncation")


class Step(NamedTuple):
    """A step as it is played again.  What is an array, a dict or a number is so in `env.step`.

    Attributes:
        number: The step's, from 0.
        starts: Whether the game does not come from the step before: after a reset, or a state that
            was restored.
        observation: What was observed before.
        action: What was played.
        next_observation: What was observed then.
        reward: The reward.
        terminated: Whether the game was over.
        truncated: Whether the episode was cut off.
        info: What else the environment says.
        ram: RAM after the step, uint8 (envs, 128).
    """

    number: int
    starts: bool
    observation: Any
    action: Any
    next_observation: Any
    reward: Any
    terminated: Any
    truncated: Any
    info: dict[str, Any]
    ram: npt.NDArray[np.uint8]


class Episode(NamedTuple):
    """An episode in a recording.

    Attributes:
        env: The number of the environment.
        start: The number of its first step.
        stop: The number after that of its last step.
        seed: What its reset was given; None: nothing.
        returns: The sum of each player's recorded rewards, int64 (players,).
        ended: Whether its last step terminated or truncated it.
    """

    env: int
    start: int
    stop: int
    seed: int | None
    returns: npt.NDArray[np.int64]
    ended: bool


@dataclass(frozen=True)
class Verdict:
    """Result of playing a recording again.  It is true if there were steps, all as recorded.

    Attributes:
        steps: Steps that were played again.
        difference: The first difference, and where it is; "": there is none.
        step: The step at which it was found; None: there is none.
        complete: Whether the recording has its end; else it was cut off after its last whole chunk.
        given: Saved states that were taken as they are, after changes of the game other than by
            steps and resets.
        cards: The names of games of which a card in the file says what is rewarded, and when an
            episode ends: the author of the file may have written it, too.
        written_by: The version of pyale_ma that wrote the file.
    """

    steps: int
    difference: str
    step: int | None
    complete: bool
    given: int
    cards: tuple[str, ...] = ()
    written_by: str = _native.VERSION

    def __bool__(self) -> bool:
        return self.steps > 0 and not self.difference

    def __str__(self) -> str:
        if self.difference:
            other = other_version(self.written_by)
            return f"diverges at step {self.step}: {self.difference}{other}"
        text = f"verified, {self.steps} steps" if self.steps else "it has no steps to verify"
        if self.given:
            text += f", from {self.given} saved state{'s' * (self.given > 1)}"
        if self.cards:
            text += f", by the file's own rules of {printable(', '.join(self.cards))} (a card)"
        return text if self.complete else f"{text}; cut off there, its writer did not end"


class _Event(NamedTuple):
    """The event that was played again just now.

    Attributes:
        kind: "begin": from a state; "keyframe": at one that follows from what was played; "reset";
            "step"; or "end", of a chunk.
        chunk: The chunk.
        arrays: Its arrays.
        row: Of the step in them, or of the next one.
        action: Of a step.
        result: Of a step or a reset.
        place: Of a keyframe, the number of its chunk.
        kept: What RAM was kept as after it; None: it was not kept.
    """

    kind: str
    chunk: Chunk
    arrays: dict[str, Array]
    row: int
    action: Any = None
    result: Any = None
    place: int = 0
    kept: Array | None = None

    @property
    def number(self) -> int:
        """The number of the step, or of the next one."""
        return self.chunk.first + self.row


class Recording:
    """A recorded play; `open` makes it.

    Attributes:
        header: What was played, with which options.
        metadata: What its writer was given to keep.
        complete: Whether the writer came to its end.
    """

    def __init__(self, reader: Reader) -> None:
        if not isinstance(reader, Reader):
            raise TypeError("Recording.open(path) opens a recording")
        self._reader = reader
        self.header: Header = reader.header
        self.metadata = reader.header.metadata
        self.complete = reader.end is not None

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Recording:
        """Open a file; of what a killed process left, all whole chunks.

        Raises:
            RecordingError: It is no recording, or damaged; the text names the field and its value.
            OSError: It cannot be read.
        """
        reader = Reader(path)
        reader.path = reader.path.absolute()  # it is read again, wherever the process is then
        return cls(reader)

    def __repr__(self) -> str:
        played = ", ".join(dict.fromkeys(printable(game.name) for game in self.header.games))
        whole = "" if self.complete else ", not complete"
        return f"<Recording {self._reader.name!r}: {played}, {len(self)} steps{whole}>"

    def __len__(self) -> int:
        """The number of steps."""
        last = self._reader.chunks[-1:]
        return last[0].first + last[0].steps if last else 0

    def array(self, name: str) -> Array:
        """A recorded array of all steps.

        Args:
            name: "actions", uint8 (steps, envs, players), if continuous float32 with a last axis
                of 3; "rewards", int32 (steps, envs, players); "terminations", bool of the same
                shape; or "truncations", bool (steps, envs).

        Raises:
            RecordingError: It has more steps than are read at once, or is damaged.
            ValueError: There is no such array.
        """
        shapes = self.header.shapes(0, 0)
        known = [column for column in shapes if column != "ram"]
        if name not in known:
            raise ValueError(f"name is {name!r}; it must be one of {', '.join(known)}")
        self._check_size()
        shape, dtype = self.header.shapes(len(self), 0)[name]
        whole = np.empty(shape, dtype)
        for number, chunk in enumerate(self._reader.chunks):
            whole[chunk.first : chunk.first + chunk.steps] = self._reader.column(number, name)
        return whole

    @property
    def episodes(self) -> list[Episode]:
        """The episodes of all environments, by their last step.

        Raises:
            RecordingError: It has more steps than are read at once, or is damaged.
        """
        self._check_size()
        return list(_episodes(self._reader))

    def _check_size(self) -> None:
        """Refuse to hand out all at once of more than memory should be taken for."""
        envs, players = self.header.envs, self.header.players
        if len(self) * envs * players > MOST_AT_ONCE:
            raise RecordingError(
                f"{self._reader.name} says that it has {len(self)} steps of {envs * players} "
                f"players; {MOST_AT_ONCE} of one player are read at once at most. Use "
                "steps(), or record shorter files"
            )

    # ---- Playing again ---------------------------------------------------------------------------

    @contextlib.contextmanager
    def _layer(self, observe: dict[str, Any]) -> Iterator[Layer]:
        known = OBSERVATION[self.header.layer]
        for name in observe:
            if name not in known:
                raise ValueError(f"there is no option {name!r}; there are {', '.join(known)}")
        layer = layer_for(self.header, observe, self._reader.name)
        try:
            yield layer
        finally:
            layer.close()

    def _play(self, layer: Layer, start: int, stop: int) -> Iterator[_Event]:
        """Play again, from the last saved state before `start` on."""
        chunks = self._reader.chunks
        # From step 0 nothing is left out, whatever the chunks say of it.
        first = max(
            (n for n, it in enumerate(chunks) if 0 < it.first <= start and it.begin), default=0
        )
        for number, chunk in enumerate(chunks[first:], first):
            if chunk.first >= stop:
                return
            arrays = self._reader.arrays(number)
            if chunk.begin and (number == first or chunk.starts):
                self._load(layer, number)
                yield _Event("begin", chunk, arrays, 0)
            elif chunk.begin:
                yield _Event("keyframe", chunk, arrays, 0, place=number)
            resets, rams = deque(chunk.resets), dict(zip(chunk.checks, arrays["ram"], strict=False))
            for row in range(chunk.steps + 1):
                while resets and resets[0]["step"] == row:
                    result = self._do(chunk.first + row, layer.reset, resets.popleft())
                    yield _Event("reset", chunk, arrays, row, None, result)
                if row < chunk.steps:
                    if chunk.first + row >= stop:
                        return
                    action = layer.actions(arrays["actions"][row])
                    if "strengths" in arrays:
                        layer.set_strengths(arrays["strengths"][row])
                    result = self._do(chunk.first + row, layer.step, action)
                    kept = rams.get(row + 1)
                    yield _Event("step", chunk, arrays, row, action, result, kept=kept)
            kept = arrays["ram"][-1] if chunk.final else None
            yield _Event("end", chunk, arrays, chunk.steps, kept=kept)

    def _do(self, number: int, call: Callable[[Any], Any], given: Any) -> Any:
        try:
            return call(given)
        except REFUSALS as error:
            raise RecordingError(
                f"{self._reader.name}: step {number} cannot be played: {printable(error)}"
                f"{other_version(self.header.pyale_ma)}"
            ) from error

    def _load(self, layer: Layer, number: int) -> None:
        chunk = self._reader.chunks[number]
        try:
            layer.load(self._reader.state(number), chunk.begin or {})
        except RecordingError:
            raise
        except REFUSALS as error:
            raise RecordingError(
                f"{self._reader.name}: the state before step {chunk.first} cannot be restored: "
                f"{printable(error)}{other_version(self.header.pyale_ma)}"
            ) from error

    # ---- Comparing -------------------------------------------------------------------------------

    def verify(self) -> Verdict:
        """Play all of it again, and compare rewards, ends, RAM where it was kept, and the screen.

        Keyframes are compared, too: each must be the state that was played.

        Raises:
            RecordingError: It cannot be played here; the text says why.
            FileNotFoundError: The ROM image is missing.
        """
        return self._verify(lambda played: None)

    def _verify(self, tell: Callable[[int], None]) -> Verdict:
        """`verify`; a function is told how many steps were played."""
        played, given = 0, sum(chunk.starts for chunk in self._reader.chunks)
        games = self.header.games
        own = tuple(dict.fromkeys(game.name for game in games if game.card is not None))

        def verdict(difference: str = "", step: int | None = None) -> Verdict:
            version = self.header.pyale_ma
            return Verdict(played, difference, step, self.complete, given, own, version)

        # States hold what was observed, so that keyframes are those of the same observations.
        has_keyframes = any(chunk.begin and not chunk.starts for chunk in self._reader.chunks)
        with self._layer({} if has_keyframes else self._least(given)) as layer:
            for event in self._play(layer, 0, len(self) + 1):
                if event.kind == "keyframe":
                    found = self._other_keyframe(layer, event.place)
                else:
                    found = self._difference(layer, event)
                if found:
                    return verdict(found, event.number)
                played = event.number + (event.kind == "step")
                tell(played)
            for env, digest in enumerate((self._reader.end or {}).get("screens", ())):
                if hashlib.sha256(layer.screen(env).tobytes()).hexdigest() != digest:
                    return verdict(f"the screen{self._of(env)} is another", played)
        return verdict()

    def _least(self, given: int) -> dict[str, Any]:
        """The observations that cost least."""
        if self.header.layer != "vector":
            return {"obs_type": "ram"}
        if given:
            return {}  # a vector's saved states are of the same observations
        least = {"stack_num": 1, "agent_indicator": False}
        if self.header.options["mirror"]:  # which needs pictures
            return {**least, "obs_type": "grayscale", "img_height": 1, "img_width": 1}
        return {**least, "obs_type": "ram"}

    def _other_keyframe(self, layer: Layer, number: int) -> str:
        """In what the keyframe of a chunk is not the present state; "": in nothing."""
        state, begin = self._reader.state(number), self._reader.chunks[number].begin or {}
        played, extra = layer.save()
        for name, value in extra.items():
            if begin.get(name) != value:
                return f"{name} of the keyframe is another"
        if played == state:
            return ""
        now = self._seen(layer)
        try:
            self._load(layer, number)
        except RecordingError:
            if other_version(self.header.pyale_ma):
                return ""  # nothing can be played from it here
            raise
        # States of the same play may differ in how much of the picture somebody had looked at. A
        # step later they do not, but for collisions that were evaluated late.
        alike = self._seen(layer) == now
        if alike:
            after = self._after_a_step(layer, played, begin)
            kept = self._after_a_step(layer, state, begin)
            alike = after == kept
            if not alike and after and kept:
                alike = after[1] == kept[1] and layer.same(after[0], kept[0])
        layer.load(played, begin)
        return "" if alike else "the keyframe is another state"

    def _seen(self, layer: Layer) -> list[bytes]:
        """RAM and screens."""
        screens = (layer.screen(env).tobytes() for env in range(self.header.envs))
        return [layer.rams().tobytes(), *screens]

    def _after_a_step(self, layer: Layer, state: bytes, begin: dict[str, Any]) -> Any:
        """The state a step after another, or after the reset that is due; None: none can follow."""
        layer.load(state, begin)
        before = layer.frames()
        shape, dtype = self.header.shapes(1, 0)["actions"]
        try:
            layer.step(layer.actions(np.zeros(shape, dtype)[0]))
            if before is not None and layer.frames() == before:  # the episode is over
                entry, _ = layer.entry(None, None)
                if entry is None:  # no two such resets are alike
                    return None
                layer.reset(entry)
        except REFUSALS:
            return None
        return layer.save()

    def _of(self, env: int) -> str:
        return f" of environment {env}" if self.header.envs > 1 else ""

    def _difference(self, layer: Layer, event: _Event) -> str:
        """Describe the first difference from the recording; "": there is none."""
        arrays = event.arrays
        if event.kind == "step":
            row = event.row
            for name, now in zip(_COLUMNS, layer.numbers(event.result), strict=True):
                was = arrays[f"{name}s"][row]
                now = np.reshape(now, was.shape).astype(was.dtype)
                if (now != was).any():
                    place = tuple(np.argwhere(now != was)[0])
                    player = (
                        f" of player {place[1]}" if len(place) > 1 and layer.players > 1 else ""
                    )
                    env = self._of(int(place[0]))
                    return f"{name}{player}{env} is {now[place]}, was {was[place]}"
        if (was := event.kept) is None:
            return ""
        now = layer.rams()
        if (now == was).all():
            return ""
        env, byte = np.argwhere(now != was)[0]
        return f"RAM[{byte}]{self._of(int(env))} is {now[env, byte]}, was {was[env, byte]}"

    # ---- Showing ---------------------------------------------------------------------------------

    def steps(self, start: int = 0, stop: int | None = None, **observe: Any) -> Iterator[Step]:
        """Play again, step by step.

        Args:
            start: The first step; what comes before is played from the last keyframe on.
            stop: The step before which to end; None: after the last.
            **observe: What to observe instead of what was: of one agent `obs_type` and `sound_obs`;
                of several also `detailed_infos`; of vectors `obs_type`, `img_height`, `img_width`,
                `stack_num`, `maxpool` and `agent_indicator`.  A vector's recording that begins from
                a saved state, or from a keyframe, can only be observed as it was.

        Raises:
            ValueError: There is no such option, or a number is below 0.
            TypeError: A number is not whole.
            RecordingError: It cannot be played here; the text says why.
            FileNotFoundError: The ROM image is missing.
        """
        for _, step in self._steps(start, stop, observe):
            yield step

    def _steps(
        self, start: int, stop: int | None, observe: dict[str, Any]
    ) -> Iterator[tuple[Layer, Step]]:
        start, stop = integer("start", start, 0), self._stop(stop)
        observation, starts = None, True
        with self._layer(observe) as layer:
            for event in self._play(layer, start, stop):
                if event.kind == "begin":
                    observation, starts = layer.observation(), True
                elif event.kind == "reset":
                    observation, starts = event.result, True
                elif event.kind == "step":
                    after, reward, terminated, truncated, info = event.result
                    if event.number >= start:
                        ram = np.array(layer.rams())
                        yield (
                            layer,
                            Step(
                                *(event.number, starts, observation, event.action, after),
                                *(reward, terminated, truncated, info, ram),
                            ),
                        )
                    observation, starts = after, False

    def _stop(self, stop: int | None) -> int:
        """The step before which to end."""
        return len(self) if stop is None else integer("stop", stop, 0)

    def objects(
        self, start: int = 0, stop: int | None = None
    ) -> Iterator[tuple[Step, list[ObjectBox]]]:
        """The steps, each with the boxes of the objects on the screen after it.

        Raises:
            RecordingError: As `steps`; or it is of a vector, which has no boxes.
        """
        for layer, step in self._steps(start, stop, {"obs_type": "objects"}):
            yield step, layer.boxes()

    @known_names
    def film(
        self,
        path: str | os.PathLike[str],
        start: int = 0,
        stop: int | None = None,
        *,
        env: int | None = None,
        overwrite: bool = False,
    ) -> Path:
        """Make a film of all frames, in MP4 files with their sound.

        Of a vector, and of several agents with a `frame_skip` above 1, it has the last frame of
        each step, without sound: the library hands out no others.

        Args:
            path: The file, by whose suffix it is .gif, .webp, .mp4 or .png (the last picture).
            start: The first step.
            stop: The step before which to end; None: after the last.
            env: Which environment of a vector; None: all, side by side.
            overwrite: Whether to replace a file that is there.

        Raises:
            ValueError: The suffix is another, there is no such environment, or no step.
            FileExistsError: There is a file of this name.
            TypeError: A number is not whole, or `overwrite` no flag.
            RecordingError: It cannot be played here; the text says why.
            OSError: The file cannot be written.
        """
        overwrite = flag("overwrite", overwrite)
        if env is not None:
            env = integer("env", env, 0, self.header.envs - 1)
        start = integer("start", start, 0, max(0, len(self) - 1))
        if stop is not None:
            stop = integer("stop", stop, start + 1)
        options = self.header.options
        if self.header.layer == "vector":  # whose states are of the same observations
            frames, observe = options["frameskip"], {}
        else:  # the frames of one agent's steps are played one by one
            frames, observe = options.get("frame_skip", 1), {"obs_type": "ram", "sound_obs": True}
        film = Film(path, frames_per_step=frames, overwrite=overwrite)
        number = 0  # of the step that is played

        def see() -> None:
            if number >= start:
                layer.take(film, env)

        with self._layer(observe) as layer:
            layer.watch(see)
            for event in self._play(layer, start, self._stop(stop)):
                number = event.number + (event.kind == "step")
        return film.save()


def _episodes(reader: Reader) -> Iterator[Episode]:
    """The episodes, by what the arrays say of resets and ends."""
    header = reader.header
    renewed = header.options.get("autoreset_mode", "Disabled") != "Disabled"
    running: dict[int, tuple[int, int | None]] = {}  # start and seed, of those that run
    returns = np.zeros((header.envs, header.players), np.int64)
    out = np.zeros((header.envs, header.players), np.bool_)

    def end(env: int, stop: int, ended: bool) -> Iterator[Episode]:
        if env in running:
            start, seed = running.pop(env)
            if stop > start:
                yield Episode(env, start, stop, seed, returns[env].copy(), ended)
        returns[env], out[env] = 0, False

    for number, chunk in enumerate(reader.chunks):
        arrays = reader.arrays(number)
        flags, cuts = arrays["terminations"], arrays["truncations"]
        for env in range(header.envs):
            if chunk.starts and chunk.begin and chunk.begin["episode"]:
                yield from end(env, chunk.first, False)
            if chunk.starts:
                running.setdefault(env, (chunk.first, None))
        ends = (np.flatnonzero(flags.any((1, 2)) | cuts.any(1)) + 1).tolist()
        before, resets = 0, deque(chunk.resets)
        for row in sorted({*ends, *(reset["step"] for reset in chunk.resets), chunk.steps}):
            returns += arrays["rewards"][before:row].sum(0)
            if row > before:
                out |= flags[before:row].any(0)
                for env in np.flatnonzero(out.all(1) | cuts[row - 1]).tolist():
                    yield from end(env, chunk.first + row, True)
                    if renewed:
                        running[env] = (chunk.first + row, None)
            while resets and resets[0]["step"] == row:
                for env, seed in seeds_of_reset(resets.popleft(), header.envs):
                    yield from end(env, chunk.first + row, False)
                    running[env] = (chunk.first + row, seed)
            before = row
    for env in list(running):
        yield from end(env, sum(chunk.steps for chunk in reader.chunks), False)
