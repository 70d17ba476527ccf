"""Results of an evaluation: the returns of all episodes, tables, aggregates, a picture."""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import os
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pyale_ma._base import install_hints
from pyale_ma._base.arguments import fraction, integer, known_names, number
from pyale_ma._base.fields import Fields
from pyale_ma._base.files import read_file, written_aside
from pyale_ma._base.text import Markdown, printable
from pyale_ma.benchmarks.protocols import PROTOCOLS, Protocol
from pyale_ma.benchmarks.scores import human_score, normalized, random_score, suite_of
from pyale_ma.recording import Recording
from pyale_ma.recording.file.format import OBSERVATION, OPTIONS
from pyale_ma.recording.file.reader import Reader
from pyale_ma.recording.replay.layers import layer_of
from pyale_ma.vector import AtariVectorEnv

Array: TypeAlias = npt.NDArray[np.float64]
_FORMAT = "pyale_ma evaluation"
_VERSION = 1
_MOST_BYTES = 64 * 2**20  # of a file
_MOST = 2**53  # of a score, which floats hold exactly up to there

RULES = tuple(name for name in OPTIONS["vector"] if name not in OBSERVATION["vector"])
"""Options of vectors that may change the game or its score, all of which protocols fix."""


class Interval(NamedTuple):
    """An estimate and its confidence interval.

    Attributes:
        value: The estimate.
        low: Lower end of the interval.
        high: Upper end.
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return the score as tables show it."""
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"


class Aggregates(NamedTuple):
    """Normalised scores over all games.

    Attributes:
        median: The median over games of their mean scores.
        mean: The mean over games of their mean scores.
        iqm: The interquartile mean: of the scores of all runs in all games together, the mean of
            the middle half.
    """

    median: Interval
    mean: Interval
    iqm: Interval


@known_names
def aggregate(
    scores: Mapping[str, Sequence[float]],
    *,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Aggregates:
    """Median, mean and interquartile mean, with percentile intervals of a stratified bootstrap.

    The scores of each game are drawn anew from that game's, as Agarwal et al. 2021 (arXiv
    2108.13264) recommend.

    Args:
        scores: Normalised scores by game, of each training run one: the mean of its episodes.
        confidence: Of the intervals, between 0 and 1.
        resamples: How often the scores are drawn.
        seed: Of the draws.

    Examples:
        ```python
        from pyale_ma.benchmarks import aggregate

        print(aggregate({"pong": [12, 15, 21], "breakout": [80, 240, 310]}).iqm)
        ```

    Raises:
        TypeError: `confidence` or a score is no number, or `resamples` or `seed` no whole number.
        ValueError: There is no game, games have different numbers of scores or none, a score is not
            finite, or an argument is out of range.
    """
    return _bootstrap(scores, lambda table: table, confidence, resamples, seed)


def _bootstrap(
    scores: Mapping[str, Sequence[float]],
    of_runs: Callable[[Array], Array],
    confidence: float,
    resamples: int,
    seed: int,
) -> Aggregates:
    """`aggregate` of what `of_runs` makes of the table with a row for each game."""
    confidence = fraction("confidence", confidence)
    resamples, seed = integer("resamples", resamples, 1), integer("seed", seed, 0)
    counts = {len(values) for values in scores.values()}
    if len(counts) != 1 or counts == {0}:
        raise ValueError("scores must have the same number of values for each game, at least one")
    table = np.array([_checked(game, values) for game, values in scores.items()], np.float64)
    games, count = table.shape
    random = np.random.default_rng(seed)
    rows = np.arange(games)[:, None]
    drawn = [
        of_runs(table[rows, random.integers(count, size=(games, count))]) for _ in range(resamples)
    ]
    tail = 50 * (1 - confidence)

    def interval(statistic: Callable[[Array], float]) -> Interval:
        low, high = np.percentile([statistic(sample) for sample in drawn], (tail, 100 - tail))
        return Interval(statistic(of_runs(table)), float(low), float(high))

    return Aggregates(interval(_median), interval(_mean), interval(_interquartile_mean))


def _checked(game: str, scores: Sequence[float]) -> list[float]:
    """Return a game's scores, if they are finite numbers."""
    checked = [number(f"scores[{game!r}][{k}]", score) for k, score in enumerate(scores)]
    for k, score in enumerate(checked):
        if not math.isfinite(score):
            raise ValueError(f"scores[{game!r}][{k}] is {score}; it must be finite")
    return checked


def _median(table: Array) -> float:
    return float(np.median(table.mean(axis=1)))


def _mean(table: Array) -> float:
    return float(table.mean())


def _interquartile_mean(table: Array) -> float:
    values = np.sort(table, axis=None)
    cut = len(values) // 4
    return float(values[cut : len(values) - cut].mean())


@dataclass(frozen=True)
class Episode:
    """One game from its beginning to its end.

    Attributes:
        seed: Of the environment.
        score: The return, before reward clipping.
        steps: How many actions were played.
        truncated: Whether the frame limit ended it.
    """

    seed: int
    score: int
    steps: int
    truncated: bool


@dataclass(frozen=True)
class Report(Markdown):
    """All episodes of an evaluation, which tables and aggregates are computed from.

    Attributes:
        protocol: The protocol's name.
        episodes: The episodes of each game, as many for each.
    """

    protocol: str
    episodes: dict[str, tuple[Episode, ...]]

    def scores(self) -> dict[str, list[float]]:
        """The normalised score of each episode, by game."""
        return {
            game: [normalized(game, episode.score) for episode in episodes]
            for game, episodes in self.episodes.items()
        }

    @known_names
    def aggregates(
        self, *, confidence: float = 0.95, resamples: int = 2000, seed: int = 0
    ) -> Aggregates:
        """Median, mean and interquartile mean over games, as of one training run.

        The score of a game is the mean of its episodes.  The intervals come of a bootstrap over
        episodes: they say how sure the scores of this agent are, and nothing of other runs.

        Args:
            confidence: Of the intervals, between 0 and 1.
            resamples: How often the episodes are drawn.
            seed: Of the draws.

        Raises:
            ValueError: An argument is out of range.
        """

        def of_runs(table: Array) -> Array:
            means: Array = table.mean(axis=1, keepdims=True)
            return means

        return _bootstrap(self.scores(), of_runs, confidence, resamples, seed)

    def __str__(self) -> str:
        """The tables for people, in Markdown."""
        rows = [
            f"Protocol {self.protocol}: {PROTOCOLS[self.protocol].source}",
            "",
            "| game | episodes | return | random | human | normalised |",
            "| --- | ---: | ---: | ---: | ---: | ---: |",
        ]
        for game, scores in self.scores().items():
            returns = [episode.score for episode in self.episodes[game]]
            spread = ""
            if len(returns) > 1:
                spread = f" ± {np.std(returns, ddof=1) / len(returns) ** 0.5:.1f}"
            rows.append(
                f"| {game} | {len(returns)} | {np.mean(returns):.1f}{spread} | "
                f"{random_score(game)} | {human_score(game)} | {np.mean(scores):.3f} |"
            )
        rows += ["", "| over all games | 95 % interval |", "| --- | --- |"]
        for name, interval in zip(("median", "mean", "interquartile mean"), self.aggregates()):  # noqa: B905
            rows.append(f"| {name} | {interval} |")
        return "\n".join(rows)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all episodes to a JSON file.

        Raises:
            OSError: It cannot be written.  The file that was there is as it was.
        """
        kept = {
            "format": _FORMAT,
            "version": _VERSION,
            "protocol": self.protocol,
            "episodes": {
                game: [[it.seed, it.score, it.steps, it.truncated] for it in episodes]
                for game, episodes in self.episodes.items()
            },
        }
        with written_aside(path) as aside:
            aside.write_text(json.dumps(kept) + "\n", encoding="utf-8")

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Report:
        """Read what `save` wrote.

        Raises:
            ValueError: The file is no such report; the text says what is wrong.
            OSError: It cannot be read.
        """
        whole = read_file(path, _MOST_BYTES)
        try:
            return _report(Fields("its JSON", json.loads(whole.decode("utf-8"))))
        except (ValueError, RecursionError) as problem:
            raise ValueError(f"{printable(path)} is no report: {problem}") from None

    def check(self, recordings: str | os.PathLike[str]) -> None:
        """Play the recordings of `evaluate` again, and compare the report with them.

        It is then proved that each episode's score comes of the actions that were recorded, from
        its seed, with the game's options as the protocol has them; not who chose the actions.

        Args:
            recordings: The folder.

        Raises:
            ValueError: A recording diverges, was cut off, goes on from a saved state, or was played
                by other options; or an episode of the report is not in it, or has the seed of
                another one.  The text names the file.
            OSError: A recording cannot be read, or the ROM image of its game.
        """
        for game, episodes in self.episodes.items():
            path = Path(recordings, f"{game}.zip")
            file, reader = printable(path), Reader(path)
            _check_rules(file, game, PROTOCOLS[self.protocol], reader)
            recording = Recording(reader)
            verdict = recording.verify()
            if not verdict or not verdict.complete or verdict.given:
                raise ValueError(f"{file}: {verdict}")
            episodes_played = set(_episodes_of(recording))
            seeds = set()
            for episode in episodes:
                if episode not in episodes_played:
                    raise ValueError(f"{file} has no such episode: {episode}")
                if episode.seed in seeds:  # else a play would count as often as it is told
                    raise ValueError(f"{file}: the report has seed {episode.seed} twice")
                seeds.add(episode.seed)

    def picture(self, path: str | os.PathLike[str]) -> Path:
        """Draw the normalised score of each game, and the aggregates, to a PNG, SVG or PDF file.

        Raises:
            gymnasium.error.DependencyNotInstalled: matplotlib is missing.
            OSError: The file cannot be written.  The one that was there is as it was.
        """
        try:
            from matplotlib.figure import Figure
        except ModuleNotFoundError as problem:
            command = "pip install matplotlib"
            raise install_hints.missing(problem, command, "picture()") from problem

        means = {game: float(np.mean(scores)) for game, scores in self.scores().items()}
        games = sorted(means, key=lambda game: means[game])
        figure = Figure(figsize=(7, 1.5 + 0.18 * len(games)), layout="constrained")
        axes = figure.subplots()
        axes.barh(games, [means[game] for game in games], height=0.7)
        axes.axvline(0, color="black", linewidth=0.8)
        axes.axvline(1, color="black", linewidth=0.8, linestyle=":")
        axes.set_xscale("symlog", linthresh=1)
        axes.tick_params(axis="y", labelsize=7)
        axes.set_ylim(-0.7, len(games) - 0.3)
        axes.set_xlabel("normalised score (0: random play, 1: human tester)")
        words = zip(("median", "mean", "IQM"), self.aggregates())  # noqa: B905
        axes.set_title("   ".join(f"{name} {it.value:.2f}" for name, it in words), fontsize=10)
        with written_aside(path) as aside:
            figure.savefig(aside, dpi=120)
        return Path(path)


def recorded(folder: Path, game: str, protocol: Protocol, seeds: range) -> tuple[Episode, ...]:
    """The episodes of these seeds in a folder's recording of a game, which is not played again.

    Raises:
        ValueError: It is of another game, has other options, or lacks an episode.
        OSError: It cannot be read.
    """
    path = folder / f"{game}.zip"
    file, reader = printable(path), Reader(path)
    _check_rules(file, game, protocol, reader)
    found = {episode.seed: episode for episode in _episodes_of(Recording(reader))}
    if missing := [seed for seed in seeds if seed not in found]:
        raise ValueError(
            f"{file} has no episode of seed {missing[0]}: name another folder, or remove the file"
        )
    return tuple(found[seed] for seed in seeds)


def _episodes_of(recording: Recording) -> list[Episode]:
    """The episodes that came to their end."""
    cut = recording.array("truncations")
    return [
        Episode(it.seed, int(it.returns[0]), it.stop - it.start, bool(cut[it.stop - 1, it.env]))
        for it in recording.episodes
        if it.ended and it.seed is not None
    ]


def _check_rules(file: str, game: str, protocol: Protocol, reader: Reader) -> None:
    """See that a file is of the same game, with the same options, as `evaluate` plays it."""
    options = protocol.vector_options("evaluation")
    env = AtariVectorEnv(game, num_threads=1, autoreset_mode="Disabled", **options)
    with contextlib.closing(env):
        expected = layer_of(env).header({})
    header = reader.header
    if header.layer != expected.layer or header.games != expected.games:
        games = printable(", ".join(sorted({it.name for it in header.games})))
        image = expected.games[0].md5
        raise ValueError(
            f"{file} is of {games[:200]}, not of {game} as `evaluate` plays it: a vector of "
            f"this game alone, without a card, with the ROM image of MD5 {image}"
        )
    for name in RULES:
        if header.options[name] != expected.options[name]:
            raise ValueError(
                f"{file} was played with {name}={reprlib.repr(header.options[name])}; "
                f"{protocol.name} has {expected.options[name]!r}"
            )
    for chunk in reader.chunks:
        if chunk.begin:
            raise ValueError(f"{file} has a saved state before step {chunk.first}")
        for name, reset in itertools.product(("mode", "difficulty"), chunk.resets):
            if reset[name] is not None:
                raise ValueError(
                    f"{file} was reset with {name}={reprlib.repr(reset[name])}; "
                    f"{protocol.name} leaves it as it is"
                )


def _report(kept: Fields) -> Report:
    """The report of a file's JSON; ValueError: there is none."""
    kept.one_of("format", (_FORMAT,))
    kept.one_of("version", (_VERSION,))
    protocol = kept.one_of("protocol", PROTOCOLS)
    games = kept.object("episodes")
    counts = {len(rows) if isinstance(rows, list) else 0 for rows in games.values()}
    if len(counts) != 1 or counts == {0}:
        kept.refuse("episodes", "lists of one length above 0, one for each game")
    episodes = zip(suite_of(games), games.values(), strict=True)
    return Report(
        protocol, {game: tuple(_episode(game, row) for row in rows) for game, rows in episodes}
    )


def _episode(place: str, row: Any) -> Episode:
    kinds = [int, int, int, bool]
    if not isinstance(row, list) or [type(it) for it in row] != kinds:
        raise ValueError(
            f"{place}: an episode is [seed, score, steps, truncated], not {reprlib.repr(row)}"
        )
    seed, score, steps, truncated = row
    if seed < 0 or steps < 0 or abs(score) > _MOST:
        raise ValueError(
            f"{place}: an episode has a seed and steps from 0 on and a score of at most {_MOST} "
            f"either way, not {reprlib.repr(row)}"
        )
    return Episode(seed, score, steps, truncated)
