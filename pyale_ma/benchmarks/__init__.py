"""The benchmarks that papers call "Atari": game suites, protocols, scores and reports.

::

    from pyale_ma import benchmarks

    protocol = benchmarks.PROTOCOLS["atari_100k"]
    training = AtariVectorEnv("breakout", 8, **protocol.vector_options("training"))
    ...
    report = benchmarks.evaluate(make_policy, suite="atari_100k", protocol="atari_100k")
    print(report)  # a table per game; median, mean and interquartile mean with intervals

``docs/benchmarks.md`` is the guide.
"""

from pyale_ma.benchmarks.evaluate import evaluate
from pyale_ma.benchmarks.protocols import PROTOCOLS, Protocol
from pyale_ma.benchmarks.report import Aggregates, Episode, Interval, Report, aggregate
from pyale_ma.benchmarks.scores import SUITES, human_score, normalized, random_score, suite_of

__all__ = [
    "PROTOCOLS",
    "SUITES",
    "Aggregates",
    "Episode",
    "Interval",
    "Protocol",
    "Report",
    "aggregate",
    "evaluate",
    "human_score",
    "normalized",
    "random_score",
    "suite_of",
]
