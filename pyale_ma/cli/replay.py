"""``pyale-ma replay``: play recordings again, verify them, and show what is in them."""

from __future__ import annotations

import argparse
import functools
import json
import sys
from collections.abc import Callable

import numpy as np

from pyale_ma._base.processes import over
from pyale_ma._base.terminal import progress, words_of
from pyale_ma._base.text import printable
from pyale_ma.cli.common import (
    Commands,
    add_command,
    add_force_argument,
    number_from_0,
    positive,
    words,
)
from pyale_ma.recording import Recording, RecordingError, Step, Verdict


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "replay",
        "verify recordings, or show parts of them",
        example="replay game.zip --film game.mp4",
        epilog="The exit status is 1 if a recording diverges, is damaged or missing, or has no "
        "steps, or if the process that verified it was killed.  The verdict says if the rules are "
        "those of a card in the file: its writer may have written them.  MP4 films have sound, "
        "except those of vectors, and of several agents with a frame_skip above 1.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="recordings to verify or show")
    parser.add_argument(
        "--film", metavar="FILM", help="film to make of one recording: .gif, .webp, .mp4 or .png"
    )
    add_force_argument(parser)
    parser.add_argument("--ram", action="store_true", help="print the changes of RAM at each step")
    parser.add_argument(
        "--objects", action="store_true", help="print the boxes of objects at each step"
    )
    parser.add_argument(
        "--from",
        type=number_from_0,
        dest="start",
        metavar="STEP",
        help="first step to show; default: 0",
    )
    parser.add_argument(
        "--to", type=number_from_0, metavar="STEP", help="stop before this step; default: the end"
    )
    parser.add_argument(
        "--env",
        type=number_from_0,
        metavar="N",
        help="environment of a vector to show; default: all",
    )
    parser.add_argument("--json", action="store_true", help="print one line of JSON for each file")
    parser.add_argument(
        "--workers",
        type=positive,
        default=1,
        metavar="N",
        help="number of files to verify at a time, each in its own process; default: 1",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Verify, or show."""
    if arguments.film and len(arguments.files) > 1:
        raise ValueError("--film makes one film: name one recording")
    shows = arguments.film or arguments.ram or arguments.objects
    for name, value in (("from", arguments.start), ("to", arguments.to), ("env", arguments.env)):
        if value is not None and not shows:
            raise ValueError(f"--{name} says what to show: give --ram, --objects or --film, too")
    if not shows:
        return verify(arguments.files, arguments.workers, as_json=arguments.json)
    if arguments.workers > 1:
        raise ValueError("--workers is for verifying: leave out --ram, --objects and --film")
    status = 0
    for file in arguments.files:
        try:
            recording = Recording.open(file)
        except (RecordingError, OSError) as error:
            print(problem_of(file, error, as_json=arguments.json))
            status = 1
            continue
        if len(arguments.files) > 1:
            print(f"{printable(file)}:")
        try:
            show(file, recording, arguments)
        except RecordingError as error:
            print(problem_of(file, error, as_json=arguments.json))
            status = 1
    return status


def verify(files: list[str], workers: int, *, as_json: bool) -> int:
    """Verify all, and print a line of each in their order."""
    workers = min(workers, len(files))
    sizes = [steps_of(file) for file in files] if sys.stderr.isatty() else [0] * len(files)
    results: dict[int, tuple[str, bool]] = {}
    done = printed = 0
    with progress(sum(sizes), "steps") as show_bar:

        def tell(played: int) -> None:
            show_bar(done + played, f"{len(results)} of {len(files)} files")

        # Other processes tell of whole files only.
        work = functools.partial(verified, as_json=as_json, tell=tell if workers == 1 else None)
        lost = functools.partial(unverified, as_json=as_json)
        for number, result in over(work, files, workers, lost):
            results[number] = result
            done += sizes[number]
            tell(0)
            while printed in results:
                print(results[printed][0], flush=True)
                printed += 1
    return 0 if all(is_true for _, is_true in results.values()) else 1


def steps_of(file: str) -> int:
    """The steps that are played to verify a file."""
    try:
        return len(Recording.open(file))
    except (RecordingError, OSError):
        return 0


def verified(file: str, *, as_json: bool, tell: Callable[[int], None] | None) -> tuple[str, bool]:
    """Return the text to print about a file, and whether the file verified.

    Args:
        file: The recording.
        as_json: Whether programs read it.
        tell: Called now and then with the number of steps that were played; None: never.
    """

    def tell_some(played: int) -> None:
        if tell and played % _TOLD == 0:
            tell(played)

    try:
        recording = Recording.open(file)
        verdict = recording._verify(tell_some)
        return words_about(file, recording, verdict, as_json=as_json), bool(verdict)
    except (RecordingError, OSError) as error:
        return problem_of(file, error, as_json=as_json), False


def unverified(file: str, why: str, *, as_json: bool) -> tuple[str, bool]:
    """Return `verified` for a file whose process was killed."""
    return problem_of(file, RuntimeError(f"not verified: {why}"), as_json=as_json), False


_TOLD = 200  # steps from one sight of the progress bar to the next


def problem_of(file: str, error: Exception, *, as_json: bool) -> str:
    """Why a recording cannot be played."""
    text = str(error) if isinstance(error, RecordingError) else words_of(error)
    if as_json:
        return json.dumps({"file": file, "verified": False, "problem": text})
    text = printable("; ".join(text.splitlines()))
    name = printable(file)
    return text if name in text else f"{name}: {text}"  # such as of a missing ROM file


def words_about(file: str, recording: Recording, verdict: Verdict, *, as_json: bool) -> str:
    """Describe the result of playing all of a recording."""
    header = recording.header
    games = ", ".join(dict.fromkeys(game.name for game in header.games))
    if as_json:
        report = {"file": file, "verified": bool(verdict), "games": games, "steps": len(recording)}
        problem = None if verdict else verdict.difference or str(verdict)
        report |= {"step": verdict.step, "problem": problem, "complete": verdict.complete}
        report |= {"lineup": lineup_of(recording)}
        report |= {"given": verdict.given, "cards": verdict.cards, "written_by": verdict.written_by}
        return json.dumps(report)
    played = f"{games}, {len(recording)} steps"
    if header.envs == 1 and recording.episodes:
        total = np.sum([episode.returns for episode in recording.episodes], axis=0)
        played += f", returns {words(total.tolist())}"
    if lineup := lineup_of(recording):
        played += f", played by {', '.join(lineup)}"
    return f"{printable(file)}: {verdict} ({printable(played)})"


def lineup_of(recording: Recording) -> list[str]:
    """Who played, by seat, as its writer says; empty: it does not say."""
    lineup = recording.header.metadata.get("lineup")
    if not isinstance(lineup, list) or len(lineup) > recording.header.players:
        return []
    return lineup if all(isinstance(name, str) for name in lineup) else []


def show(file: str, recording: Recording, arguments: argparse.Namespace) -> None:
    """Print and film a part."""
    start, stop, env = arguments.start or 0, arguments.to, arguments.env
    if env is not None and env >= recording.header.envs:
        raise ValueError(f"--env is {env}; it must be 0 to {recording.header.envs - 1}")
    if not len(recording):
        raise RecordingError(f"{printable(file)} has no steps to show")
    if start >= len(recording):
        raise ValueError(
            f"--from is {start}; it must be 0 to {len(recording) - 1}, as {printable(file)} has "
            f"{len(recording)} steps"
        )
    if stop is not None and stop <= start:
        raise ValueError(f"--to is {stop}; it must be above {start}, the first step shown")
    if arguments.ram:
        before: Step | None = None
        for step in recording.steps(start, stop):
            print_ram(step, before, env)
            before = step
    if arguments.objects:
        for step, boxes in recording.objects(start, stop):
            for box in boxes:
                color = "-" if box.color is None else f"{box.color:02x}"
                place = f"x {box.x} y {box.y} width {box.width} height {box.height}"
                print(f"step {step.number}: {box.register} color {color} {place}")
    if arguments.film:
        force = arguments.force
        print(printable(recording.film(arguments.film, start, stop, env=env, overwrite=force)))


def print_ram(step: Step, before: Step | None, chosen: int | None) -> None:
    """The bytes that are others than after the step before; at first all."""
    for env, ram in enumerate(step.ram):
        if chosen not in (None, env):
            continue
        where = f"step {step.number}" + (f", environment {env}" if len(step.ram) > 1 else "")
        if before is None:
            print(f"{where}: RAM {ram.tobytes().hex(' ')}")
            continue
        was = before.ram[env]
        changes = [f"[{n}] {was[n]} to {ram[n]}" for n in np.flatnonzero(ram != was)]
        print(f"{where}: {', '.join(changes) or 'as before'}")
