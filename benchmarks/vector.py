"""Many environments in a batch: ours against ale-py's AtariVectorEnv and EnvPool, in the same run.

python benchmarks/vector.py [games] [all] [sizes] [roms] [threads] [latency] [pool] [torch]

games    frames per second in eight games, and the geometric mean
all      the same in every game, one player
sizes    by the number of environments
roms     by the number of different games: one vector of ours has them all, the others one vector
         a game, stepped one after another
threads  several threads over one
latency  how long one step takes
pool     send and recv in batches smaller than the number of environments
torch    tensors instead of arrays, also on a GPU where there is one

All play with the same settings, 84x84 gray, stacks of 4, 4 frames a step, the brighter of two, no
sticky actions, clipped rewards, and in rounds: in each round every side plays the same number of
steps, in an order that is turned round each time.  Ours and ale-py's play the very same frames.
Frames per second are those of the median round and count skipped frames; a ratio is the median of
the rounds' ratios, so that a busy neighbour favours nobody.  games, all and threads begin to
measure after 128 steps of each side, as games begin in other ways than they go on.

All takes some forty minutes, most of it for the others' environments, which take a tenth of a
second each to make and reset.  --quick is over in a minute.

--record writes the sections games, all, latency and threads to results.json, which the documents
take their figures from: games and all by the time of the processor, the others by the clock.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import itertools
import math
import os
import platform
import statistics
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from timing import GAMES, add_record_option, progress, record

from pyale_ma._native import Rules, games as known_games
from pyale_ma.cli import machine
from pyale_ma.games.rom_files import env_name
from pyale_ma.vector import AtariVectorEnv

OURS = "pyale_ma"
FRAMESKIP = 4
PLAN = 64  # steps until the actions repeat

SHARED = {
    "img_height": 84,
    "img_width": 84,
    "stack_num": 4,
    "noop_max": 30,
    "use_fire_reset": True,
    "repeat_action_probability": 0.0,
}
GYMNASIUM = {
    **SHARED,
    "grayscale": True,
    "frameskip": FRAMESKIP,
    "maxpool": True,
    "reward_clipping": True,
    "max_num_frames_per_episode": 108_000,
}
ENVPOOL = {
    **SHARED,
    "gray_scale": True,
    "frame_skip": FRAMESKIP,
    "reward_clip": True,
    "max_episode_steps": 108_000 // FRAMESKIP,
}


class AbsentError(Exception):
    """A side that cannot be measured here; the text says why."""


# ---- Sides ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Side:
    """An implementation that has been set up: `step` plays so many frames."""

    step: Callable[[], object]
    frames: int


@dataclass(frozen=True)
class Setting:
    """Games and options to play: `num_envs` environments in all, shared among the games.

    A step is one of all environments, also where it takes several batches of `batch_size`.
    """

    games: Sequence[str]
    num_envs: int
    threads: int
    batch_size: int = 0

    @property
    def order(self) -> list[str]:
        """The game of each environment."""
        return [self.games[i % len(self.games)] for i in range(self.num_envs)]


def plan(batch: int, counts: Any) -> Iterator[Any]:
    """Random actions below `counts`, over and over."""
    numbers = np.random.default_rng(0).integers(0, 2**16, (PLAN, batch))
    return itertools.cycle((numbers % counts).astype(np.int32))


def side(steps: Sequence[Callable[[], object]], setting: Setting) -> Side:
    """Vectors that are stepped one after another."""

    def step() -> None:
        for each in steps:
            each()

    return Side(steps[0] if len(steps) == 1 else step, setting.num_envs * FRAMESKIP)


def ours(setting: Setting) -> Side:
    return side([_stepping(our_vector(setting))], setting)


def our_vector(setting: Setting) -> AtariVectorEnv:
    return AtariVectorEnv(
        games=setting.order,
        batch_size=setting.batch_size,
        num_threads=setting.threads,
        **GYMNASIUM,  # type: ignore[arg-type]
    )


def ale_py(setting: Setting) -> Side:
    """One vector a game."""
    make = partial(
        _module("ale_py.vector_env").AtariVectorEnv,
        batch_size=setting.batch_size,
        num_threads=setting.threads,
        **GYMNASIUM,
    )
    games = Counter(setting.order).items()
    return side([_stepping(make(game, num_envs)) for game, num_envs in games], setting)


def _stepping(envs: Any) -> Callable[[], object]:
    """Steps a Gymnasium vector, in batches of any size."""
    envs.reset(seed=0)
    actions = plan(envs.batch_size, envs.action_space.nvec)
    if envs.batch_size == envs.num_envs:
        return lambda: envs.step(next(actions))

    def step() -> None:
        for _ in range(envs.num_envs // envs.batch_size):
            envs.send(next(actions))
            envs.recv()

    return step


def envpool(setting: Setting) -> Side:
    """One pool a game."""
    steps = []
    for game, num_envs in Counter(setting.order).items():
        try:
            envs = _module("envpool").make_gymnasium(
                f"{env_name(game)}-v5",
                num_envs=num_envs,
                batch_size=setting.batch_size or num_envs,
                num_threads=setting.threads,
                seed=0,
                **ENVPOOL,
            )
        except AssertionError as problem:  # it has no such game
            raise AbsentError(str(problem)) from problem
        steps.append(_pooling(envs, setting.batch_size))
    return side(steps, setting)


def _pooling(envs: Any, batch_size: int) -> Callable[[], object]:
    """Steps an EnvPool, in batches of any size."""
    actions = plan(batch_size or len(envs), int(envs.action_space.n))
    if not batch_size:
        envs.reset()
        return lambda: envs.step(next(actions))
    envs.async_reset()
    ready = envs.recv()[-1]["env_id"]

    def step() -> None:
        nonlocal ready
        for _ in range(len(envs) // batch_size):
            envs.send(next(actions), ready)
            ready = envs.recv()[-1]["env_id"]

    return step


def _module(name: str) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # ale-py registers ids that are ours already
            return importlib.import_module(name)
    except ImportError as problem:
        raise AbsentError(str(problem)) from problem


SIDES: dict[str, Callable[[Setting], Side]] = {"ale-py": ale_py, "EnvPool": envpool, OURS: ours}


# ---- Races ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Effort:
    """Number and length of measurements."""

    seconds: float  # of the slowest side in a round
    rounds: int
    steps: int = 1  # of a round, at least
    warm_up: int = 3  # steps of each side before


@dataclass(frozen=True)
class Figures:
    """One side's results, by the wall clock where CPU time (that of all threads) is not named."""

    setup: float  # seconds until the first observations
    frames_per_second: float
    frames_per_cpu_second: float
    p50: float  # milliseconds of a step
    p99: float
    steps: int


@dataclass(frozen=True)
class Row:
    """One line of a table: the last side is the one that is compared with the others."""

    labels: dict[str, str | int]
    figures: dict[str, Figures]
    ratios: dict[str, float]  # of frames per second
    cpu_ratios: dict[str, float]  # of frames per CPU second


# What is played, and how each side is set up for it.
Case: TypeAlias = tuple[dict[str, str | int], dict[str, Callable[[], Side]]]


def race(
    labels: dict[str, str | int], makers: Mapping[str, Callable[[], Side]], effort: Effort
) -> Row:
    """Let the sides take turns."""
    sides: dict[str, Side] = {}
    setup: dict[str, float] = {}
    for name, make in makers.items():
        start = time.perf_counter()
        try:
            sides[name] = make()
        except AbsentError as problem:
            print(f"{name} is not measured: {problem}\n", flush=True)
        setup[name] = time.perf_counter() - start
    slowest = max(_warm(each, effort.warm_up) for each in sides.values())
    steps = max(effort.steps, round(effort.seconds / slowest))
    wall: dict[str, list[float]] = {name: [] for name in sides}
    cpu: dict[str, list[float]] = {name: [] for name in sides}
    single: dict[str, list[float]] = {name: [] for name in sides}
    order = list(sides)
    for _ in range(effort.rounds):
        for name in order:
            step = sides[name].step
            cpu_start = time.process_time()
            clock = [time.perf_counter()]
            for _ in range(steps):
                step()
                clock.append(time.perf_counter())
            cpu[name].append(time.process_time() - cpu_start)
            wall[name].append(clock[-1] - clock[0])
            single[name] += [after - before for before, after in itertools.pairwise(clock)]
            _wait_for_idle_threads()
        order.reverse()
    *others, subject = sides
    figures = {
        name: Figures(
            setup=setup[name],
            frames_per_second=steps * each.frames / statistics.median(wall[name]),
            frames_per_cpu_second=steps * each.frames / statistics.median(cpu[name]),
            p50=float(np.quantile(single[name], 0.5)) * 1e3,
            p99=float(np.quantile(single[name], 0.99)) * 1e3,
            steps=len(single[name]),
        )
        for name, each in sides.items()
    }
    return Row(
        labels,
        figures,
        {name: _over(wall[name], wall[subject]) for name in others},
        {name: _over(cpu[name], cpu[subject]) for name in others},
    )


def _warm(each: Side, steps: int) -> float:
    """Seconds of a step after so many others."""
    for _ in range(steps):
        each.step()
    start = time.perf_counter()
    for _ in range(3):
        each.step()
    return (time.perf_counter() - start) / 3


def _wait_for_idle_threads() -> None:
    """Wait for threads that play on, or spin, when their batch was received."""
    busy = 1.0
    while busy > 0.1:
        start, cpu_start = time.perf_counter(), time.process_time()
        time.sleep(0.002)
        busy = (time.process_time() - cpu_start) / (time.perf_counter() - start)


def _over(theirs: Sequence[float], ours: Sequence[float]) -> float:
    return statistics.median(their / our for their, our in zip(theirs, ours, strict=True))


# ---- Tables --------------------------------------------------------------------------------------


def throughput_table(rows: Sequence[Row], *, mean: bool = False) -> str:
    """Frames per second and ratios, with their geometric means."""
    subject = list(rows[0].figures)[-1]
    names = list(dict.fromkeys(name for row in rows for name in row.figures if name != subject))
    header = [*rows[0].labels, *names, subject]
    header += [f"over {name}{suffix}" for suffix in ("", ", CPU time") for name in names]
    lines = [header]
    for row in rows:
        line = [str(label) for label in row.labels.values()]
        for name in (*names, subject):
            figures = row.figures.get(name)
            line.append(number(figures.frames_per_second) if figures else "")
        for ratios in (row.ratios, row.cpu_ratios):
            line += [times(ratios[name]) if name in ratios else "" for name in names]
        lines.append(line)
    if mean:
        blanks = [""] * (len(rows[0].labels) + len(names))
        lines.append(["**geometric mean**", *blanks])
        for columns in ([row.ratios for row in rows], [row.cpu_ratios for row in rows]):
            for name in names:
                values = [ratios[name] for ratios in columns if name in ratios]
                lines[-1].append(f"**{times(statistics.geometric_mean(values))}**")
    return markdown(lines, len(rows[0].labels))


def latency_table(rows: Sequence[Row]) -> str:
    """Milliseconds of a step: the median, and what one in a hundred exceeds."""
    names = list(rows[0].figures)
    lines = [[*rows[0].labels, *(f"{name} {p}" for name in names for p in ("p50", "p99")), "steps"]]
    for row in rows:
        line = [str(label) for label in row.labels.values()]
        for name in names:
            line += [number(row.figures[name].p50), number(row.figures[name].p99)]
        lines.append([*line, str(row.figures[names[0]].steps)])
    return markdown(lines, len(rows[0].labels))


def setup_table(rows: Sequence[Row]) -> str:
    """Seconds until the first observations."""
    names = list(rows[0].figures)
    lines = [[*rows[0].labels, *names]]
    for row in rows:
        seconds = [number(row.figures[name].setup) for name in names]
        lines.append([*map(str, row.labels.values()), *seconds])
    return markdown(lines, len(rows[0].labels))


def markdown(lines: Sequence[Sequence[str]], labels: int) -> str:
    rules = ["---"] * labels + ["---:"] * (len(lines[0]) - labels)
    return "\n".join(f"| {' | '.join(line)} |" for line in (lines[0], rules, *lines[1:]))


def number(value: float) -> str:
    """Three significant digits."""
    return f"{value:,.{max(0, 2 - math.floor(math.log10(value)))}f}"


def times(ratio: float) -> str:
    return f"{number(ratio)}x"


# ---- What is measured ----------------------------------------------------------------------------


class Benchmark:
    """The sections, with the settings of the command line; the first line of each is its title."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        quick: bool = arguments.quick
        self.effort = Effort(0.01, 2) if quick else Effort(arguments.seconds, arguments.rounds)
        self.least_steps = 3 if quick else 50  # in the first, caches still have other sides' memory
        self.warm_up = 3 if quick else 128  # by then ours knows which way to pictures is faster
        self.games: list[str] = arguments.games
        self.num_envs: int = arguments.num_envs
        self.threads: list[int] = arguments.threads
        self.sizes: list[int] = arguments.sizes or ([1, 4] if quick else [4**i for i in range(6)])
        solo = [name for name, game in known_games().items() if Rules.SOLO in game.rules]
        every = [name for name in solo if name != "quartet"]  # which the others do not have
        self.every = every[:: len(every) // 2] if quick else every
        self.counts: list[int] = arguments.roms or ([1, 2] if quick else [1, 4, 16, 48, len(every)])
        self.rows: dict[str, list[Row]] = {}
        self.sides = {}
        for name, make in SIDES.items():
            try:
                make(Setting(["pong"], 1, 1))
            except AbsentError as problem:
                print(f"{name} is not measured: {problem}\n", flush=True)
            else:
                self.sides[name] = make

    def run(self, section: str) -> None:
        """Measure and print one section."""
        method = getattr(self, section)
        print(f"## {method.__doc__.splitlines()[0]}\n", flush=True)
        method()

    def by_game(self) -> None:
        """Frames per second by game"""
        for threads in self.threads:
            self._compare_games("games", self.games, self.num_envs, threads)

    def all_games(self) -> None:
        """Frames per second in every game

        With few environments, because the others take a tenth of a second to make one.
        """
        self._compare_games("all", self.every, min(self.num_envs, 8), self.threads[0])

    def _compare_games(
        self, section: str, games: Sequence[str], num_envs: int, threads: int
    ) -> None:
        cases = [self._case(Setting([game], num_envs, threads), game=game) for game in games]
        rows = self._race(section, cases, steps=self.least_steps, warm_up=self.warm_up)
        print(f"{num_envs} environments, {_threads(threads)}.\n")
        print(throughput_table(rows, mean=True), end="\n\n")
        for name in rows[0].ratios:
            ranking = sorted(
                (row.ratios[name], row.labels["game"]) for row in rows if name in row.ratios
            )
            (least, worst), (most, best) = ranking[0], ranking[-1]
            print(f"Over {name}: worst {worst} {times(least)}, best {best} {times(most)}.\n")

    def by_size(self) -> None:
        """Frames per second by the number of environments"""
        cases = [
            self._case(Setting(self.games[:1], size, threads), environments=size, threads=threads)
            for threads in self.threads
            for size in self.sizes
        ]
        rows = self._race("sizes", cases)
        print(f"{self.games[0]}.\n\n{throughput_table(rows)}\n")
        print(f"Seconds to make and reset them:\n\n{setup_table(rows)}\n")

    def by_roms(self) -> None:
        """Frames per second by the number of different games

        One vector of ours has them all; of the others there is one a game.
        """
        num_envs = max(self.counts)
        # An even mixture, whichever the first are.
        mixture = [str(game) for game in np.random.default_rng(0).permutation(self.every)]
        cases = [
            self._case(Setting(mixture[:count], num_envs, threads), games=count, threads=threads)
            for threads in self.threads
            for count in self.counts
        ]
        rows = self._race("roms", cases)
        print(f"{num_envs} environments, shared among the games.\n\n{throughput_table(rows)}\n")

    def scaling(self) -> None:
        """Several threads over one"""
        one = Setting(self.games[:1], self.num_envs, 1)
        counts = [count for count in self.threads if count > 1] or [2]
        several = [replace(one, threads=count) for count in counts]
        cases: list[Case] = [
            (
                {"": name, "threads": more.threads},
                {"one thread": partial(make, one), "so many": partial(make, more)},
            )
            for name, make in self.sides.items()
            for more in several
        ]
        rows = self._race("threads", cases, steps=self.least_steps, warm_up=self.warm_up)
        print(f"{self.games[0]}, {self.num_envs} environments.\n\n{throughput_table(rows)}\n")

    def latency(self) -> None:
        """Milliseconds of a step"""
        cases = [
            self._case(Setting(self.games[:1], size, threads), environments=size, threads=threads)
            for threads in self.threads
            for size in sorted({1, 8, self.num_envs})
        ]
        rows = self._race("latency", cases, steps=self.least_steps)
        print(f"{self.games[0]}.\n\n{latency_table(rows)}\n")

    def pool(self) -> None:
        """Frames per second with send and recv

        What is under way when a round ends is not paid for: many steps make that little.
        """
        n = self.num_envs
        cases = [
            self._case(
                Setting(self.games[:1], n, threads, n // parts % n),
                batch_size=n // parts,
                threads=threads,
            )
            for threads in self.threads
            for parts in (1, 2, 4, 8)
            if n % parts == 0
        ]
        rows = self._race("pool", cases, steps=self.least_steps)
        print(f"{self.games[0]}, {n} environments.\n\n{throughput_table(rows)}\n")

    def tensors(self) -> None:
        """Tensors over arrays"""
        try:
            torch = _module("torch")
        except AbsentError as problem:
            print(f"torch is not measured: {problem}\n")
            return
        torch.set_num_threads(1)

        def through_torch(setting: Setting, device: str) -> Side:
            envs: Any = our_vector(setting)
            adapter = envs.torch(device=device)
            adapter.reset(seed=0)
            numbers = itertools.islice(plan(setting.num_envs, envs.action_space.nvec), PLAN)
            actions = itertools.cycle([torch.from_numpy(each).to(device) for each in numbers])
            return side([lambda: adapter.step(next(actions))], setting)

        settings = [
            Setting(self.games[:1], size, threads)
            for threads in self.threads
            for size in sorted({1, self.num_envs})
        ]
        cases: list[Case] = [
            (
                {
                    "device": device,
                    "environments": setting.num_envs,
                    "threads": setting.threads,
                },
                {
                    "arrays": partial(ours, setting),
                    "tensors": partial(through_torch, setting, device),
                },
            )
            for device in (["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"])
            for setting in settings
        ]
        print(f"{self.games[0]}.\n\n{throughput_table(self._race('torch', cases))}\n")

    def record(self, file: Path, section: str) -> None:
        """Write a section's rows to the file of results, if they belong there."""
        rows: dict[str, dict[str, float]] = {}
        for row in self.rows[section]:
            label = " ".join(str(label) for label in row.labels.values())
            sides = row.figures.items()
            if section in ("games", "all"):
                rows[label] = {name: side.frames_per_cpu_second for name, side in sides}
                rows[label] |= {f"over {name}": ratio for name, ratio in row.cpu_ratios.items()}
            elif section == "latency":
                rows[label] = {
                    f"{name}{suffix}": figure
                    for name, side in sides
                    for suffix, figure in (("", side.p50), (", 99th percentile", side.p99))
                }
            elif section == "threads":
                rows[label] = {name: side.frames_per_second for name, side in sides}
                rows[label] |= {f"over {name}": ratio for name, ratio in row.ratios.items()}
        if rows:
            unit = "milliseconds" if section == "latency" else "frames per second"
            options = f" --threads {' '.join(map(str, self.threads))}"
            if section == "games":
                options = f" --num-envs {self.num_envs}{options}"
            record(file, f"vector {section}", f"vector.py {section}{options}", unit, rows)

    def _case(self, setting: Setting, **labels: str | int) -> Case:
        """All sides with one setting."""
        return labels, {name: partial(make, setting) for name, make in self.sides.items()}

    def _race(self, section: str, cases: Sequence[Case], **more: int) -> list[Row]:
        """Measure each case, with more effort where that is said."""
        rows = []
        effort = replace(self.effort, **more)
        for done, (labels, makers) in enumerate(cases):
            progress(done, len(cases), f"{section} {' '.join(map(str, labels.values()))}")
            rows.append(race(labels, makers, effort))
            gc.collect()
        progress(len(cases), len(cases), "")
        self.rows.setdefault(section, []).extend(rows)
        return rows


SECTIONS = {
    "games": "by_game",
    "all": "all_games",
    "sizes": "by_size",
    "roms": "by_roms",
    "threads": "scaling",
    "latency": "latency",
    "pool": "pool",
    "torch": "tensors",
}


def _threads(count: int) -> str:
    return f"{count} thread{'s' * (count > 1)}"


# ---- Report --------------------------------------------------------------------------------------


def about() -> dict[str, Any]:
    """The machine and the packages."""
    packages = ("pyale_ma", "ale-py", "envpool", "numpy", "torch")
    versions = {package: machine.version_of(package) or "absent" for package in packages}
    return {
        "processor": machine.processor(),
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
        "packages": versions,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "what", nargs="*", metavar="what", help=f"some of {', '.join(SECTIONS)}; all"
    )
    parser.add_argument("--quick", action="store_true", help="see whether all works, not how fast")
    parser.add_argument("--games", nargs="+", default=list(GAMES), metavar="GAME")
    parser.add_argument("--num-envs", type=int, default=64, metavar="N", help="default: 64")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], metavar="N")
    parser.add_argument("--sizes", type=int, nargs="+", metavar="N", help="for sizes: 1 to 1024")
    parser.add_argument("--roms", type=int, nargs="+", metavar="N", help="for roms: 1 to 104")
    parser.add_argument("--seconds", type=float, default=0.15, help="of a round; default: 0.15")
    parser.add_argument("--rounds", type=int, default=7, metavar="N", help="default: 7")
    add_record_option(parser)
    arguments = parser.parse_args()
    chosen = arguments.what or list(SECTIONS)
    if unknown := set(chosen) - set(SECTIONS):
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}")

    if arguments.record and "games" in chosen and arguments.threads != [1]:
        parser.error("--record takes games with --threads 1")

    facts = about()
    packages = ", ".join(f"{name} {version}" for name, version in facts["packages"].items())
    print(f"{facts['processor']}, {facts['cpus']} CPUs; Python {facts['python']}; {packages}.\n")
    print("All by the wall clock, but for the columns that name CPU time.\n")
    benchmark = Benchmark(arguments)
    for section in chosen:
        benchmark.run(SECTIONS[section])
        if arguments.record:
            benchmark.record(arguments.record, section)


if __name__ == "__main__":
    main()
