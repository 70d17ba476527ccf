"""Recordings of collectors: the driver writes a file for each worker, of the results it received.

A worker's file is that of a vector.  Workers add data to their results that only they have: RAM,
and the reset or state that the file begins with.  Each result is received once, whichever process
played it, so the loss of a worker leaves no trace in its file.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import os
from pathlib import Path
from typing import Final, TypeAlias

from pyale_ma._base.text import printable
from pyale_ma.distributed.handles import Order, WorkerHandle
from pyale_ma.distributed.worker import Additions, Array, Request
from pyale_ma.recording.file.chunk_writer import ChunkWriter, FileOptions
from pyale_ma.recording.file.format import Header
from pyale_ma.recording.writer import Recorder

Columns: TypeAlias = tuple[Array, Array, Array, Array]

_numbers: Final = itertools.count()  # of recordings, by which orders are told apart


class _Track:
    """One worker's file.

    Attributes:
        chunks: The file.
        moved: Whether what comes next does not follow from what is in it.
    """

    def __init__(self, chunks: ChunkWriter) -> None:
        self.chunks = chunks
        self.moved = True
        self._ram: Array | None = None  # after the last step, if it is known

    def add(self, additions: Additions, columns: Columns) -> None:
        """Add steps that a worker has played."""
        ram, self._ram = self._ram, None
        if additions.reset is not None:
            self.chunks.reset(additions.reset)
        elif additions.state is not None:
            self.chunks.flush(ram)
            self.chunks.begin("start" if self.moved else "keyframe", *additions.state)
        self.moved = False
        for row in zip(*columns, strict=True):
            self.chunks.add(*row)
        self._ram = (
            None if additions.ram is None else additions.ram.copy()
        )  # not to keep all that came
        # Not due any more, or not yet, if a flush came in between.
        if self.chunks.is_full:
            self.flush()
        elif self._ram is not None and self.chunks.is_due_after(0):
            self.chunks.check(self._ram)

    def flush(self) -> None:
        """Write what came since the last chunk."""
        self.chunks.flush(self._ram)

    def close(self) -> None:
        """Complete the file, if it is as it should be."""
        try:
            if not self.chunks.failed:
                self.flush()
        finally:
            self.chunks.close([])


class CollectorRecorder(Recorder):
    """Writes the files of a collector's workers; `pyale_ma.recording.record` makes it.

    Args:
        folder: Where they will be; made if there is none.
        header: What each worker plays.
        options: See `FileOptions`; the metadata are those of all files.
        workers: Number of workers.
        row: The shape of a step's rewards.
        stride: Steps that come of a worker at a time.

    Raises:
        Exception: See `pyale_ma.recording.record`; no file was made then.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        header: Header,
        options: FileOptions,
        *,
        workers: int,
        row: tuple[int, ...],
        stride: int,
    ) -> None:
        super().__init__(folder)
        self._number = next(_numbers)
        self._stride, self._keyframes = stride, options.keyframes
        self._tracks: list[_Track] = []
        header = dataclasses.replace(header, metadata=options.metadata or {})
        with contextlib.ExitStack() as undo:
            if _make_folder(self.path):
                undo.callback(self.path.rmdir)
            for number in range(workers):
                file = self.path / f"worker-{number:04}.zip"
                chunks = ChunkWriter(file, header, row, options, stride)
                undo.callback(chunks.discard)
                self._tracks.append(_Track(chunks))
            undo.pop_all()
        self._open()

    @property
    def steps(self) -> int:
        """Number of steps recorded so far, of all workers."""
        return sum(track.chunks.steps for track in self._tracks)

    @property
    def is_open(self) -> bool:
        """Whether it records."""
        return self._is_open

    def request(self, worker: WorkerHandle, snapshot: bool, *, restores: bool = False) -> Request:
        """Return the data that a worker must send for the steps after its open orders.

        Args:
            worker: The worker.
            snapshot: Whether to request a snapshot.
            restores: Whether the worker plays these steps from a state of a file.
        """
        track = self._tracks[worker.number]
        ahead = sum(map(self.has, worker.orders)) * self._stride
        begin = (track.moved or restores) and not ahead
        if self._keyframes:
            begin = begin or not track.chunks.place_after(ahead)
        # Of a rollout it is cheap, but not of a step.
        ram = self._stride > 1 or track.chunks.is_due_after(ahead + self._stride)
        return Request(snapshot, self._number, begin, ram)

    def has(self, order: Order) -> bool:
        """Whether the result of an order belongs to this recording."""
        return order.request is not None and order.request.recording == self._number

    def add(self, worker: WorkerHandle, additions: Additions, columns: Columns) -> None:
        """Add what came of an order.

        Args:
            worker: Who played it.
            additions: The data that came with the results.
            columns: Actions, rewards, terminations and truncations, with a leading axis of steps.

        Raises:
            OSError: It cannot be written.  The recording has ended.
        """
        try:
            self._tracks[worker.number].add(additions, columns)
        except BaseException:  # such as an interrupt
            self.abandon()
            raise

    def flush(self) -> None:
        """Write all that was received.

        Raises:
            OSError: It cannot be written.  The recording has ended.
        """
        try:
            for track in self._tracks:
                track.flush()
        except BaseException:
            self.abandon()
            raise

    def move(self) -> None:
        """Note that the workers were brought to another state; call `flush` before."""
        for track in self._tracks:
            track.moved = True

    def abandon(self) -> None:
        """End the recording, as what comes next would not follow."""
        with contextlib.suppress(OSError):
            self.close()

    def close(self) -> None:
        """Complete the files; the collector can go on, unrecorded."""
        if not self._is_open:
            return
        self._is_open = False
        with contextlib.ExitStack() as stack:
            for track in self._tracks:
                stack.callback(track.close)

    def __del__(self) -> None:
        """Complete the files."""
        if getattr(self, "_is_open", False):
            self.close()


def _make_folder(path: Path) -> bool:
    """Make a folder, if there is none.  Whether there was none.

    Raises:
        NotADirectoryError: There is a file.
        OSError: It cannot be made.
    """
    try:
        path.mkdir()
    except FileExistsError:
        if not path.is_dir():
            raise NotADirectoryError(
                f"path is {printable(path)}, which is a file; a collector is recorded in a folder, "
                "with a file for each worker"
            ) from None
        return False
    return True
