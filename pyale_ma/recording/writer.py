"""Records what an environment plays, while it is played as ever."""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import os
import tempfile
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from pyale_ma.recording.format import (
    MOST_CHECKS,
    MOST_ENTRIES,
    MOST_JSON,
    MOST_RESETS,
    Fields,
    RecordingError,
    Writer,
    check_header,
    environments_reset,
    member,
)
from pyale_ma.recording.layers import NothingPlayedError, layer_for, layer_of
from pyale_ma.recording.windows import whole
from pyale_ma.text import printable

_STEPS_PER_CHUNK = 4096
_BUFFERED = 2**19  # steps times environments times players, unless the user says another


def record(
    env: Any,
    path: str | os.PathLike[str],
    *,
    check_every: int = 100,
    steps_per_chunk: int | None = None,
    keyframes: bool = False,
    metadata: dict[str, Any] | None = None,
) -> Recorder:
    """Record all that an environment plays from now on.

    The environment stays as it is, and so do wrappers around it, whether put there before or after;
    what is recorded are the steps of the innermost one.  ``env.close()`` completes the file, and so
    does the recorder's `Recorder.close`, or the end of a ``with`` block::

        with record(env, "play.zip"):
            ...

    If neither is done, the file is completed when the interpreter exits, or when the environment is
    garbage collected.  If the process is killed the file ends with its last complete chunk.

    Args:
        env: A `pyale_ma.single.AtariEnv`, a PettingZoo environment of `pyale_ma.multi`, or an
            `AtariVectorEnv` with `batch_size` 0, in any wrappers; or a `Console`.
        path: The new file, such as "play.zip".
        check_every: After so many steps RAM is kept, with which a replay is compared.
        steps_per_chunk: Steps that are written at a time; None: 4096, fewer of large vectors.
        keyframes: Whether each chunk begins with a saved state, from which replays can begin.
        metadata: What JSON can say about the recording, for its readers.

    Raises:
        RecordingError: The environment cannot be recorded, or is closed; the text says why.
        FileExistsError: There is a file of this name.
        OSError: The file cannot be written.
        TypeError: `metadata` is no dict of what JSON can say, or a number is not whole.
        ValueError: `check_every` or `steps_per_chunk` is below 1, or `metadata` has NaN.
    """
    return Recorder(env, path, check_every, steps_per_chunk, keyframes, metadata)


class Recorder:
    """Writes a recording; `record` makes it.

    Attributes:
        path: The file.
        steps: Number of steps recorded so far.
    """

    def __init__(
        self,
        env: Any,
        path: str | os.PathLike[str],
        check_every: int,
        steps_per_chunk: int | None,
        keyframes: bool,
        metadata: dict[str, Any] | None,
    ) -> None:
        check_every = whole("check_every", check_every)
        if steps_per_chunk is not None:
            steps_per_chunk = whole("steps_per_chunk", steps_per_chunk)
        if not isinstance(metadata, (dict, type(None))):
            raise TypeError(f"metadata must be a dict, not {metadata!r}")
        self._layer = layer_of(env)
        inner = self._layer.env
        if getattr(inner, "closed", False):
            raise RecordingError("the vector is closed: record it before it is")
        seen = keyframes and self._layer.name == "vector" and inner.render_mode is not None
        if seen and inner.obs_type == "ram":  # what was rendered is in its states alone
            raise RecordingError(
                "keyframes is True, but states of a vector that observes RAM and renders are not "
                "those of a replay: make it without render_mode, or record it without keyframes"
            )
        if self._layer.step_name in vars(inner):
            raise RecordingError("the environment is being recorded already: close that recorder")
        self.path = Path(path)
        metadata = json.loads(json.dumps({} if metadata is None else metadata, allow_nan=False))
        header = self._header = self._layer.header(metadata)
        told = json.dumps(header.as_json())
        check_header(Fields("the environment", json.loads(told)))
        if len(told) > MOST_JSON:
            raise RecordingError(
                f"metadata makes a header of {len(told)} bytes; it may have {MOST_JSON}"
            )
        self._options = self._layer.options_in_force()
        if self._options is not None:
            with tempfile.TemporaryDirectory() as folder:
                again = layer_for(header, Path(folder), {})
            self._options = again.options_in_force()
            again.close()
        self._check_options()

        self._check_every, self._keyframes = check_every, keyframes
        each = header.envs * header.players
        usual = min(_STEPS_PER_CHUNK, max(1, _BUFFERED // each))
        self._size = min(
            *(usual if steps_per_chunk is None else steps_per_chunk, MOST_ENTRIES // each),
            check_every * max(1, MOST_CHECKS // header.envs - 1),
        )
        shapes = header.shapes(self._size, 0)
        self._columns: dict[str, Any] = {
            name: np.zeros(*shape) for name, shape in shapes.items() if name != "ram"
        }
        # As the environment has them.
        row, envs = self._layer.row, self._layer.row[:1]
        row_shapes = {
            "actions": (*row, *shapes["actions"][0][3:]),
            "rewards": row,
            "terminations": row,
            "truncations": envs if header.layer == "vector" else (),
        }
        self._rows = [
            self._columns[name].reshape(self._size, *shape) for name, shape in row_shapes.items()
        ]
        self._strengths = self._columns.get("strengths")
        self.steps = self._chunks = 0
        self._reset_envs = 0  # environments, by all resets
        self._begin: dict[str, Any] | None = None
        self._state = b""
        self._moved = True  # what comes next does not follow from what is recorded
        self._episode = False  # and is an episode's first step
        self._inside = self._thread = 0  # calls of the environment, and whose they are
        self._process = os.getpid()
        self._sent: list[Any] = []  # actions of which the results were not received
        self._new_chunk()
        self._lock = self._layer.lock
        try:
            self._writer = Writer(path)
        except FileExistsError:
            raise FileExistsError(f"there is a file {printable(path)} already") from None
        self._writer.json("recording.json", header.as_json())
        self._hooks: list[tuple[Any, str]] = []
        self._is_open = True
        self._attach()
        _recorders.add(self)

    def _check_options(self) -> None:
        if self._layer.options_in_force() != self._options:
            raise RecordingError(
                "settings of the console were changed by its ALEInterface (setInt, setFloat, "
                "setBool), which no argument of the environment says, so it is not recorded; make "
                "one with the arguments wanted"
            )

    # ---- What the environment is asked -----------------------------------------------------------

    def _attach(self) -> None:
        """Have the calls of the environment pass here."""
        env = self._layer.env
        self._hook(env, "reset", self._reset)
        self._hook(env, self._layer.step_name, self._step)
        self._hook(env, "close", self._close_both)
        if self._layer.name == "vector":
            self._hook(env, "send", self._send)
            self._hook(env, "recv", self._recv)
        for owner, names in self._layer.outside:
            for name in names:
                if hasattr(owner, name):
                    self._hook(owner, name, self._elsewhere)

    def _hook(self, owner: Any, name: str, through: Callable[..., Any]) -> None:
        original = getattr(owner, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            if self._inside and self._thread == threading.get_ident():
                return original(*args, **kwargs)
            if os.getpid() != self._process:  # the file is its parent's
                return original(*args, **kwargs)
            with self._lock:
                if not self._is_open:
                    return original(*args, **kwargs)
                self._thread = threading.get_ident()
                self._inside += 1
                try:
                    return through(original, *args, **kwargs)
                except NothingPlayedError:
                    raise
                except BaseException:
                    self._moved = True  # or it may have
                    if self._writer.failed:
                        self._detach()
                    raise
                finally:
                    self._inside -= 1

        call.__doc__ = original.__doc__
        setattr(owner, name, call)
        self._hooks.append((owner, name))

    def _reset(
        self, call: Callable[..., Any], seed: Any = None, options: dict[str, Any] | None = None
    ) -> Any:
        entry, alone = self._layer.entry(seed, options)
        self._sent.clear()
        envs = self._header.envs
        reset = environments_reset(entry or {}, envs)
        while alone and self._resets and self._resets[-1]["step"] == self._count:
            # Nothing that follows depends on that one.
            self._reset_envs -= environments_reset(self._resets.pop(), envs)
        # A reader would refuse more of them: what they lead to is kept instead.
        if entry is None or reset > MOST_RESETS + self.steps * envs - self._reset_envs:
            result = self._elsewhere(call, seed=seed, options=options)
            self._episode = True
            return result
        if len(self._resets) * envs >= MOST_RESETS and not self._moved:
            self._flush()
        self._prepare(alone)
        before = self._count
        result = self._layer.call_reset(call, seed, options)
        try:
            self._check_options()
        except RecordingError:
            self._moved = True
            self.close()
            raise
        self._resets.append({"step": before, **entry})
        self._reset_envs += reset
        return result

    def _step(self, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        actions = (*args, *kwargs.values(), None)[0]
        self._layer.check_numbers(actions)
        self._prepare(False)
        playing = self._layer.playing()
        result = call(*args, **kwargs)
        if playing:
            self._add(self._layer.columns(actions, playing), result)
        return result

    def _send(self, call: Callable[..., Any], actions: Any) -> None:
        self._layer.check_numbers(actions)
        self._prepare(False)
        columns = np.array(actions)
        call(actions)
        self._sent.append(columns)

    def _recv(self, call: Callable[..., Any]) -> Any:
        result = call()
        if self._sent:
            self._add(self._sent.pop(0), result)
        return result

    def _elsewhere(self, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """What changes the game otherwise; the state after it will be kept."""
        if not self._moved:
            self._flush()
        self._moved = True
        return call(*args, **kwargs)

    # ---- Chunks ----------------------------------------------------------------------------------

    def _prepare(self, alone: bool) -> None:
        """Be ready for a step or a reset, one that depends on nothing before or not."""
        if self._moved:
            self._flush(check=False)
            if not alone:
                self._take_state("start")
            self._moved = False

    def _new_chunk(self) -> None:
        self._count = 0
        self._resets: list[dict[str, Any]] = []
        self._checks: list[int] = []
        self._rams: list[Any] = []
        self._begin = None

    def _take_state(self, kind: str) -> None:
        self._state, extra = self._layer.save()
        self._begin = {"kind": kind, "episode": self._episode, **extra}
        self._episode = False

    def _add(self, actions: Any, result: Any) -> None:
        count = self._count
        taken, rewards, terminations, truncations = self._rows
        gains, ends, cuts = self._layer.numbers(result)
        taken[count], rewards[count], terminations[count], truncations[count] = (
            actions,
            gains,
            ends,
            cuts,
        )
        if self._strengths is not None:
            self._strengths[count, 0] = self._layer.strengths()
        self._count = count = count + 1
        self.steps += 1
        if count == self._size:
            self._flush()
            if self._keyframes:
                self._take_state("keyframe")
        elif count % self._check_every == 0:
            self._checks.append(count)
            self._rams.append(np.array(self._layer.rams()))

    def _flush(self, check: bool = True) -> None:
        """Write the chunk; it ends with RAM as it is, if that still is as the last step left it."""
        if self._count or self._resets:
            if check:
                self._rams.append(np.array(self._layer.rams()))
            try:
                self._write_chunk(check)
            except BaseException:  # such as an interrupt: what follows half a chunk is not read
                self._writer.failed = True
                raise
        self._new_chunk()

    def _write_chunk(self, final: bool) -> None:
        place = self._chunks
        arrays = {name: column[: self._count] for name, column in self._columns.items()}
        shape = self._header.shapes(0, len(self._rams))["ram"][0]
        arrays["ram"] = np.array(self._rams, np.uint8).reshape(shape)
        for name, array in arrays.items():
            self._writer.array(member(place, f"{name}.npy"), array)
        if self._begin:
            self._writer.array(member(place, "state.npy"), np.frombuffer(self._state, np.uint8))
        chunk = {
            "steps": self._count,
            "resets": self._resets,
            "checks": self._checks,
            "final": final,
            "begin": self._begin,
        }
        self._writer.json(member(place, "chunk.json"), chunk)
        self._chunks += 1

    # ---- The end ---------------------------------------------------------------------------------

    def _close_both(self, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        self.close()
        return call(*args, **kwargs)

    def close(self) -> None:
        """Complete the file; the environment can be played further, unrecorded."""
        if os.getpid() != self._process:  # the file is its parent's
            return
        with self._lock:
            if not self._is_open:
                return
            layer = self._layer
            try:
                self._inside, self._thread = self._inside + 1, threading.get_ident()
                follows = not self._moved and not self._sent
                self._flush(check=follows)
                screens = []
                if follows:
                    screens = [
                        hashlib.sha256(layer.screen(index).tobytes()).hexdigest()
                        for index in range(self._header.envs)
                    ]
                self._writer.json("end.json", {"steps": self.steps, "screens": screens})
            finally:
                self._inside -= 1
                self._detach()

    def _detach(self) -> None:
        """Leave the environment to itself, and the file as it is."""
        self._is_open = False
        for owner, name in self._hooks:
            vars(owner).pop(name, None)
        self._writer.close()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        """Complete the file, without what only the environment knows: it may be freed already."""
        if getattr(self, "_is_open", False):
            self._moved = True
            self.close()


_recorders: weakref.WeakSet[Recorder] = weakref.WeakSet()


@atexit.register
def _complete_files() -> None:
    """Complete what is open when the interpreter exits, each file whatever becomes of others."""
    with contextlib.ExitStack() as stack:
        for recorder in list(_recorders):
            stack.callback(recorder.close)
