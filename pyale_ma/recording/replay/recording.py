"""`Recording`: opens a recording, and verifies, shows or films its steps."""

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
from pyale_ma.console.state import ALEState
from pyale_ma.recording.file.format import (
    Header,
    check_observe,
    other_version,
    seeds_of_reset,
)
from pyale_ma.recording.file.reader import Reader
from pyale_ma.recording.replay.layers import Layer, layer_for
from pyale_ma.recording.replay.replayer import Replayer, events_of, least_observations
from pyale_ma.screen.film import Film

Array: TypeAlias = npt.NDArray[Any]


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


class Recording:
    """A recorded play; `open` makes it.

    Attributes:
        header: What was played, with which options.
        metadata: What its writer was given to keep.
        complete: Whether the writer came to its end.

    Examples:
        ```python
        from pyale_ma.recording import Recording, record
        from pyale_ma.single import AtariEnv

        env = AtariEnv("quartet")
        with record(env, "play.zip"):
            env.reset(seed=42)
            env.step(0)
        recording = Recording.open("play.zip")
        print(recording.verify())
        ```
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
        return cls(Reader(path))

    def __repr__(self) -> str:
        played = ", ".join(dict.fromkeys(printable(game.name) for game in self.header.games))
        whole = "" if self.complete else ", not complete"
        return f"<Recording {self._reader.name!r}: {played}, {len(self)} steps{whole}>"

    def __len__(self) -> int:
        """The number of steps."""
        return self._reader.steps

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
        return self._reader.whole(name)

    @property
    def episodes(self) -> list[Episode]:
        """The episodes of all environments, by their last step.

        Raises:
            RecordingError: It has more steps than are read at once, or is damaged.
        """
        self._reader.check_size()
        return list(_episodes(self._reader))

    # ---- Playing again ---------------------------------------------------------------------------

    @contextlib.contextmanager
    def _layer(self, observe: dict[str, Any]) -> Iterator[Layer]:
        check_observe(self.header.layer, observe)
        layer = layer_for(self.header, observe, self._reader.name)
        try:
            yield layer
        finally:
            layer.close()

    def _replayer(self, layer: Layer) -> Replayer:
        return Replayer(layer, self.header, self._reader.name)

    # ---- Comparing -------------------------------------------------------------------------------

    def verify(self) -> Verdict:
        """Play all of it again, and compare rewards, ends, RAM where it was kept, and the screen.

        Keyframes are compared, too: each must be the state that was played.

        Raises:
            RecordingError: It cannot be played here; the text says why.
            FileNotFoundError: The ROM image is missing.
        """
        return self._verify(lambda _: None)

    def _verify(self, report: Callable[[int], None]) -> Verdict:
        """Do as `verify`, and report the number of steps that were played after each."""
        reader, header = self._reader, self.header
        played, restored = 0, reader.restored_states
        cards = tuple(dict.fromkeys(game.name for game in header.games if game.card is not None))

        def verdict(difference: str = "", step: int | None = None) -> Verdict:
            version = header.pyale_ma
            return Verdict(played, difference, step, self.complete, restored, cards, version)

        # States hold what was observed, so that keyframes are those of the same observations.
        has_keyframes = any(chunk.begin and not chunk.starts for chunk in reader.chunks)
        with self._layer({} if has_keyframes else least_observations(header, restored)) as layer:
            replayer = self._replayer(layer)
            for event in replayer.play(events_of(reader, 0, len(self) + 1)):
                if difference := replayer.difference(event):
                    return verdict(difference, event.number)
                played = event.next_step
                report(played)
            for env, digest in enumerate((reader.end or {}).get("screens", ())):
                if hashlib.sha256(layer.screen(env).tobytes()).hexdigest() != digest:
                    return verdict(f"the screen{replayer.of_env(env)} is another", played)
        return verdict()

    # ---- Showing ---------------------------------------------------------------------------------

    def steps(self, start: int = 0, stop: int | None = None, **observe: Any) -> Iterator[Step]:
        """Play again, step by step.

        Args:
            start: The first step; what comes before is played from the last keyframe on.
            stop: The step before which to end; None: after the last.
            **observe: What to observe instead of what was: of one agent `obs_type` and `sound_obs`;
                of several also `detailed_infos`; of vectors `obs_type`, `img_height`, `img_width`,
                `crop`, `stack_num`, `stack_fill`, `maxpool` and `agent_indicator`.  A vector's
                recording that begins from a saved state, or from a keyframe, can only be observed
                as it was.

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
            for event in self._replayer(layer).play(events_of(self._reader, start, stop)):
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

    def starts(self, every: int = 1, env: int = 0) -> list[ALEState]:
        """Play again, and return the states at which episodes can begin (docs/starts.md).

        Args:
            every: Return the state before each step whose number is a multiple of this.
            env: Which environment of a vector.

        Returns:
            The states in the order of the steps, without those in which the game is over.

        Raises:
            ValueError: A number is out of range.
            RecordingError: As `steps`.
        """
        every, env = integer("every", every, 1), integer("env", env, 0, self.header.envs - 1)
        states: dict[int, ALEState | None] = {}
        with self._layer(least_observations(self.header, self._reader.restored_states)) as layer:
            for event in self._replayer(layer).play(events_of(self._reader, 0, len(self))):
                number = event.next_step
                is_played = event.kind in ("begin", "reset", "step")
                if is_played and number % every == 0 and number < len(self):
                    states[number] = layer.start(env)
        return [state for state in states.values() if state is not None]

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

        def take_frame() -> None:
            if number >= start:
                layer.take(film, env)

        with self._layer(observe) as layer:
            layer.watch(take_frame)
            events = events_of(self._reader, start, self._stop(stop))
            for event in self._replayer(layer).play(events):
                number = event.next_step
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
        yield from end(env, reader.steps, False)
