"""`record`: writes what an environment plays to a file."""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import os
import weakref
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from pyale_ma._base.arguments import known_names
from pyale_ma.console.observations import VECTOR_OBSERVATIONS
from pyale_ma.recording.file.chunk_writer import ChunkWriter, FileOptions
from pyale_ma.recording.file.format import RecordingError
from pyale_ma.recording.keeper import Keeper
from pyale_ma.recording.replay.layers import layer_for, layer_of

_Self = TypeVar("_Self", bound="Recorder")


@known_names
def record(
    env: Any,
    path: str | os.PathLike[str],
    *,
    check_every: int = 100,
    steps_per_chunk: int | None = None,
    keyframes: bool = False,
    metadata: dict[str, Any] | None = None,
    overwrite: bool = False,
) -> Recorder:
    """Record all that an environment plays from now on.

    The environment stays as it is, and so do wrappers around it, whether put there before or after;
    what is recorded are the steps of the innermost one.  ``env.close()`` completes the file, and so
    does the recorder's `Recorder.close`, or the end of a ``with`` block::

        with record(env, "play.zip"):
            ...

    If neither is done, the file is completed when the interpreter exits, or when the environment is
    garbage collected.  If the process is killed the file ends with its last complete chunk.

    Of a collector of `pyale_ma.distributed` the driver writes a file for each worker, with what was
    received of it.

    Args:
        env: A `pyale_ma.single.AtariEnv`, a PettingZoo environment of `pyale_ma.multi`, or an
            `AtariVectorEnv` with `batch_size` 0, in any wrappers; a `Console`; or a collector.
        path: The new file, such as "play.zip"; of a collector a folder, old or new, in which
            "worker-0000.zip" and so on will be.
        check_every: Steps after which RAM is kept, with which a replay is compared.
        steps_per_chunk: Steps that are written at a time; None: 4096, fewer of large vectors.
        keyframes: Whether each chunk begins with a saved state, from which replays can begin.
        metadata: What JSON can say about the recording, for its readers.
        overwrite: Whether to replace a file that is there; of a collector its workers' files.

    Examples:
        ```python
        from pyale_ma.recording import record
        from pyale_ma.vector import AtariVectorEnv

        envs = AtariVectorEnv("quartet", 8)
        with record(envs, "games.zip"):
            envs.reset(seed=42)
            for _ in range(10):
                envs.step(envs.action_space.sample())
        ```

    Raises:
        RecordingError: The environment cannot be recorded, or is closed; the text says why.
        FileExistsError: There is a file of this name.
        NotADirectoryError: `path` is a file, and `env` a collector.
        OSError: The file cannot be written.
        TypeError: `metadata` is not a dict of what JSON can say, a number is not whole, or
            `overwrite` is not a flag.
        ValueError: `check_every` or `steps_per_chunk` is below 1, or `metadata` has NaN or
            Infinity.
    """
    options = FileOptions(check_every, steps_per_chunk, keyframes, metadata, overwrite)
    start = getattr(env, "_record_collector", None)  # whose classes not everybody can import
    made: Recorder = (start or functools.partial(EnvRecorder, env))(path, options)
    return made


class Recorder(ABC):
    """Writes a recording; `record` makes it.

    Attributes:
        path: The file, or the folder of a collector's files.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._is_open = False

    def _open(self) -> None:
        """Have `close` called at the latest when the interpreter exits."""
        self._is_open = True
        _recorders.add(self)

    @property
    @abstractmethod
    def steps(self) -> int:
        """Number of steps recorded so far, of a collector those of all workers."""

    @abstractmethod
    def close(self) -> None:
        """Complete the file; the environment can be played further, unrecorded."""

    def _leave_to_parent(self) -> None:
        """Write nothing more, in a forked process: the file is its parent's."""
        self._is_open = False

    def __reduce__(self) -> NoReturn:
        raise TypeError("a recorder cannot be copied or pickled: it writes to a file")

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class EnvRecorder(Keeper, Recorder):
    """Records an environment; see `record`."""

    def __init__(self, env: Any, path: str | os.PathLike[str], options: FileOptions) -> None:
        Recorder.__init__(self, path)
        Keeper.__init__(self, layer_of(env))
        inner = self._layer.env
        if getattr(inner, "closed", False):
            raise RecordingError("the vector is closed: record it before it is")
        renders = (
            options.keyframes and self._layer.name == "vector" and inner.render_mode is not None
        )
        # What was rendered is in its states alone.
        if renders and not VECTOR_OBSERVATIONS[inner.obs_type].is_picture:
            raise RecordingError(
                f"keyframes is True, but states of a vector that observes {inner.obs_type!r} and "
                "renders are not those of a replay: make it without render_mode, or record it "
                "without keyframes"
            )
        header = self._layer.header(options.metadata or {})
        self._options = self._layer.options_in_force()
        if self._options is not None:
            again = layer_for(header, {})
            self._options, self._layer.kept = again.options_in_force(), again.kept
            again.close()
        self._layer.check_settings()
        self._check_options()

        self._keyframes, self._envs = options.keyframes, header.envs
        self._has_strengths = "strengths" in header.shapes(0, 0)
        self._episode = False  # what comes next is an episode's first step
        self._chunks = ChunkWriter(path, header, self._layer.row, options)
        try:
            self._layer.attach(self)
            self._open()
        except BaseException:  # such as an interrupt: nobody has this recorder
            self._layer.attach(None)
            self._chunks.discard()
            raise

    @property
    def steps(self) -> int:
        """Number of steps recorded so far."""
        return self._chunks.steps

    def _check_options(self) -> None:
        if self._layer.options_in_force() != self._options:
            raise RecordingError(
                "settings of the console were changed by its ALEInterface (setInt, setFloat, "
                "setBool, or loadROM with another cartridge or other rules), which no argument of "
                "the environment says, so it is not recorded; make one with the arguments wanted"
            )

    # ---- Resets ----------------------------------------------------------------------------------

    def _prepare_reset(self, seed: Any, options: dict[str, Any] | None) -> Any:
        """Be ready for a reset; one that no reader would allow is a change like any other."""
        self._layer.check_settings()
        self._look_beside()
        sent = self._given is not None and self._layer.sends
        entry, alone = (None, False) if sent else self._layer.entry(seed, options)
        if entry is None or not self._chunks.may_reset(entry, alone):
            entry = None
            if not sent:  # else there is more to come, if it is refused
                self._chunks.flush(None if self._moved else self._layer.rams())
        else:
            if self._chunks.has_most_resets(alone) and not self._moved:
                self._flush()
            self._prepare(alone)
        return entry, alone

    def _add_reset(self, kept: Any) -> None:
        entry, alone = kept
        if entry is None:
            self._episode = True
            return
        try:
            self._check_options()
        except RecordingError:
            self._complete()
            raise
        self._chunks.reset(entry, alone)
        self._follow()

    # ---- Chunks ----------------------------------------------------------------------------------

    def _lose(self) -> None:
        if self._is_open and self._chunks.failed:
            self._detach()

    def _go_on(self) -> None:
        self._prepare(False)

    def _prepare(self, alone: bool) -> None:
        """Start a chunk if needed.

        Args:
            alone: Whether a reset comes that depends on nothing before.
        """
        if self._moved:
            self._flush(check=False)
            if not alone:
                self._take_state("start")
                self._follow()

    def _take_state(self, kind: str) -> None:
        self._check_options()
        self._chunks.begin(kind, *self._layer.save(), episode=self._episode)

    def _add(self, actions: Any, result: Any) -> None:
        strengths = self._layer.strengths() if self._has_strengths else None
        due = self._chunks.add(actions, *self._layer.numbers(result), strengths)
        self._episode = False
        self._follow()
        if due:
            self._chunks.check(self._layer.rams())
            if self._keyframes and self._chunks.begins_chunk:
                self._take_state("keyframe")

    def _flush(self, check: bool = True) -> None:
        """Write the chunk; it ends with RAM as it is, if that still is as the last step left it."""
        self._chunks.flush(self._layer.rams() if check else None)

    # ---- The end ---------------------------------------------------------------------------------

    def _complete(self) -> None:
        screens = None
        try:
            if self._is_open:
                self._is_open = False
                self._look_beside()
                screens = self._finish()
        finally:
            self._detach(screens)

    def _finish(self) -> list[str]:
        """Write what was played, and return the digests of the last screens."""
        follows = not (self._moved or self._given is not None or self._chunks.is_at_start)
        self._flush(check=follows)
        return [
            hashlib.sha256(self._layer.screen(index).tobytes()).hexdigest()
            for index in range(self._envs if follows else 0)
        ]

    def _detach(self, screens: list[str] | None = None) -> None:
        """Leave the environment to itself, and close the file; None: as it is, without an end."""
        self._is_open = False
        self._leave()
        self._chunks.close(screens)

    def _leave_to_parent(self) -> None:
        super()._leave_to_parent()
        self._leave()

    def __del__(self) -> None:
        """Complete the file, without what only the environment knows: it may be freed already."""
        if getattr(self, "_is_open", False):
            self._is_open = False
            self._chunks.close([])


_recorders: weakref.WeakSet[Recorder] = weakref.WeakSet()


@atexit.register
def _complete_files() -> None:
    """Complete open files when the interpreter exits, each even if another one fails."""
    with contextlib.ExitStack() as stack:
        for recorder in list(_recorders):
            stack.callback(recorder.close)


def _leave_files() -> None:
    for recorder in list(_recorders):
        recorder._leave_to_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_files)
