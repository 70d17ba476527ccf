"""Writes all figures of speed and memory into the documents, from benchmarks/results.json.

    python docs/tools/generate_results.py

Between ``<!-- results NAME -->`` and ``<!-- end -->`` stands a table or a sentence; the bars are
docs/images/speed.svg.  The benchmarks write the file of results with --record.
"""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results.json"
PAGES = [ROOT / page for page in ("README.md", "docs/index.md", "docs/performance.md")]
PLOT = ROOT / "docs" / "images" / "speed.svg"
BLOCK = re.compile(r"(<!-- results (\w+) -->\n).*?(<!-- end -->\n)", re.DOTALL)

Rows = dict[str, dict[str, float]]
results: dict[str, dict[str, Any]] = json.loads(RESULTS.read_text(encoding="utf-8"))


def rows(section: str) -> Rows:
    """Return the rows of a section."""
    found: Rows = results[section]["rows"]
    return found


def ratios(section: str, over: str) -> dict[str, float]:
    """Return how many times as fast each row is that both can play, the slowest first."""
    ratio = f"over {over}"
    found = {label: row[ratio] for label, row in rows(section).items() if ratio in row}
    return dict(sorted(found.items(), key=lambda item: item[1]))


def mean(section: str, over: str) -> float:
    """Return the geometric mean of a section's ratios."""
    return statistics.geometric_mean(ratios(section, over).values())


def numbers() -> Iterator[float]:
    """Yield every figure of the file, and the means of the ratios."""
    for section in results:
        for row in rows(section).values():
            yield from row.values()
        for name in next(iter(rows(section).values())):
            if name.startswith("over "):
                yield mean(section, name.removeprefix("over "))


def digits(value: float, count: int = 3) -> str:
    """Return a number with so many significant digits."""
    short = float(f"{value:.{count}g}")
    return f"{short:,.0f}" if short >= 10 ** (count - 1) else f"{short:g}"


def times(value: float) -> str:
    """Return a ratio with two digits."""
    return f"{digits(value, 2)}x"


# ---- Tables --------------------------------------------------------------------------------------


def table(head: list[str], lines: list[list[str]]) -> str:
    """Return a table of Markdown: the first column is text."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "".join(f"| {' | '.join(line)} |\n" for line in (head, rule, *lines))


def beside(first: str, second: str, titles: tuple[str, str]) -> str:
    """Return a table of two sections with the same games."""
    head = ["game"]
    for title in titles:
        head += [f"{title}: ale-py", "pyale_ma", "ratio"]
    lines = []
    for game in rows(first):
        line = [game]
        for section in (first, second):
            row = rows(section)[game]
            line += [digits(row["ale-py"]), digits(row["pyale_ma"]), times(row["over ale-py"])]
        lines.append(line)
    means = [f"**{times(mean(section, 'ale-py'))}**" for section in (first, second)]
    lines.append(["**geometric mean**", "", "", means[0], "", "", means[1]])
    return table(head, lines)


def multi() -> str:
    """Return the table of environments for several agents."""
    head = ["environment"]
    for obs in ("RGB", "RAM"):
        head += [f"{obs}: PettingZoo", "pyale_ma", "ratio"]
    sections = ("multi rgb_image", "multi ram")
    lines = []
    for label in rows(sections[0]):
        line = [label.replace(" num_players=", ", players: ")]
        for section in sections:
            row = rows(section)[label]
            line += [digits(row["PettingZoo"]), digits(row["pyale_ma"])]
            line.append(times(row["over PettingZoo"]))
        lines.append(line)
    means = [f"**{times(mean(section, 'PettingZoo'))}**" for section in sections]
    lines.append(["**geometric mean**", "", "", means[0], "", "", means[1]])
    return table(head, lines)


def vectors() -> str:
    """Return the table of vectors."""
    names = ["ale-py", "EnvPool"]
    head = ["game", *names, "pyale_ma", *(f"over {name}" for name in names)]
    lines = []
    for game, row in rows("vector games").items():
        line = [game, *(digits(row[name]) for name in (*names, "pyale_ma"))]
        lines.append([*line, *(times(row[f"over {name}"]) for name in names)])
    means = [f"**{times(mean('vector games', name))}**" for name in names]
    lines.append(["**geometric mean**", "", "", "", *means])
    return table(head, lines)


def all_games() -> str:
    """Return the sentence about all games."""
    over = ratios("vector all", "ale-py")
    slow = ", ".join(f"{game} ({times(ratio)})" for game, ratio in list(over.items())[:5])
    fast, most = list(over.items())[-1]
    ten = sum(ratio >= 10 for ratio in over.values())
    return (
        f"In {len(over)} games with 8 environments each, the mean is "
        f"{times(mean('vector all', 'ale-py'))} ale-py and {times(mean('vector all', 'EnvPool'))} "
        f"EnvPool. {ten} games reach ten times ale-py. The fastest is {fast} ({times(most)}). "
        f"The slowest are {slow}.\n"
    )


def latency() -> str:
    """Return the table of the time of a step."""
    names = ["ale-py", "EnvPool", "pyale_ma"]
    lines = []
    for label, row in rows("vector latency").items():
        cells = [f"{digits(row[n])}, {digits(row[f'{n}, 99th percentile'])}" for n in names]
        lines.append([*label.split(), *cells])
    return table(["environments", "threads", *names], lines)


def threads() -> str:
    """Return the table of the speed by the number of threads."""
    lines = []
    for label, row in rows("vector threads").items():
        figures = (row["one thread"], row["so many"])
        lines.append([label.split()[-1], *map(digits, figures), times(row["over one thread"])])
    return table(["threads", "frames a second with one", "with so many", "ratio"], lines)


def measured() -> str:
    """Return where and when the sections were measured."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for about in results.values():
        where = (f"{about['machine']}, {about['python']}", f"`{about['commit']}`", about["date"])
        groups.setdefault(where, []).append(f"`{about['command']}`")
    lines = [[", ".join(commands), *where] for where, commands in groups.items()]
    return table(["commands", "machine", "commit", "date"], lines).replace("---:", "---")


def summary() -> str:
    """Return the table of the first page."""
    games = "104 of 104 games"
    multi_results = "PettingZoo with multi-agent-ale-py: observations, rewards, ends"
    pool = (
        f"{times(mean('vector games', 'ale-py'))}; {times(mean('vector games', 'EnvPool'))} EnvPool"
    )
    lines = [
        [
            "`ALEInterface.act`",
            "ale-py: RAM, screen, sound, reward, lives, ends",
            f"{games}, all modes",
            times(mean("act", "ale-py")),
        ],
        ["`act` + `getScreenRGB`", "ale-py", games, times(mean("screen", "ale-py"))],
        [
            "`AtariEnv.step`",
            "ale-py: observations, infos, seeds",
            "all ids",
            times(mean("env", "ale-py")),
        ],
        [
            "`cloneState` + `restoreState`",
            "ale-py, and [complete](docs/compatibility.md#saved-states)",
            games,
            times(mean("states", "ale-py")),
        ],
        [
            "`parallel_env.step`, RGB",
            multi_results,
            "24 of 24 modules",
            times(mean("multi rgb_image", "PettingZoo")),
        ],
        [
            "`parallel_env.step`, RAM",
            "the same",
            "24 of 24 modules",
            times(mean("multi ram", "PettingZoo")),
        ],
        [
            "`AtariVectorEnv.step`, 64 environments",
            "ale-py: observations, rewards, ends, infos",
            f"{games}, all options",
            pool,
        ],
    ]
    return table(["call", "equal to", "in", "times as fast"], lines).replace("---:", "---")


def memory() -> str:
    """Return the sentence about memory."""
    row = rows("memory")["pong"]
    return (
        f"An environment takes {digits(row['pyale_ma'])} KiB of memory where ale-py's takes "
        f"{digits(row['ale-py'])}.\n"
    )


def facts() -> str:
    """Return the facts of the site's home."""
    told = [
        (
            "104 of 104",
            "games equal to ale-py 0.12.1: RAM, screen, sound, rewards, lives and ends, "
            "[in all modes](reliability.md)",
        ),
        (
            times(mean("vector games", "ale-py")),
            "the frames per second of ale-py's `AtariVectorEnv`, and "
            f"[{times(mean('vector games', 'EnvPool'))} EnvPool's](performance.md)",
        ),
        (
            times(mean("states", "ale-py")),
            "as fast as ale-py in `cloneState` and `restoreState`: [planners](planners.md) branch "
            "in a microsecond",
        ),
        ("36", "modules for several agents, [twelve of them only here](environments/README.md)"),
    ]
    parts = [f"<div markdown>\n<b>{figure}</b>\n\n{words}\n</div>\n" for figure, words in told]
    return f'<div class="facts" markdown>\n{"".join(parts)}</div>\n'


BLOCKS: dict[str, Callable[[], str]] = {
    "all": all_games,
    "consoles": lambda: beside("act", "screen", ("`act`", "`act` + RGB")),
    "environments": lambda: beside("env", "states", ("`AtariEnv.step`", "clone + restore")),
    "facts": facts,
    "latency": latency,
    "measured": measured,
    "memory": memory,
    "multi": multi,
    "summary": summary,
    "threads": threads,
    "vectors": vectors,
}


def page(text: str) -> str:
    """The page with all its blocks written anew.

    Raises:
        KeyError: It has a block that does not exist.
    """
    return BLOCK.sub(lambda found: f"{found[1]}\n{BLOCKS[found[2]]()}\n{found[3]}", text)


# ---- Bars ----------------------------------------------------------------------------------------


def plot() -> str:
    """Return bars of frames a second: eight games, three packages."""
    colours = {"pyale_ma": "#2b7de0", "ale-py": "#d9722b", "EnvPool": "#3a9a6e"}
    games = rows("vector games")
    longest = max(row["pyale_ma"] for row in games.values())
    parts = []
    y = 62
    for game, row in games.items():
        title = game.replace("_", " ")
        parts.append(f'<text class="w" x="148" y="{y + 19}" text-anchor="end">{title}</text>')
        for name, colour in colours.items():
            width = 242 * row[name] / longest
            parts.append(f'<rect x="154" y="{y}" width="{width:.1f}" height="8" fill="{colour}"/>')
            if name == "pyale_ma":
                said = f"{digits(row[name] / 1000, 2)}k, {times(row['over ale-py'])}"
                parts.append(f'<text class="v" x="{width + 159:.1f}" y="{y + 9}">{said}</text>')
            y += 9
        y += 11
    legend = []
    for x, (name, colour) in zip((154, 248, 328), colours.items(), strict=True):
        legend.append(f'<rect x="{x}" y="39" width="11" height="11" fill="{colour}"/>')
        legend.append(f'<text class="w" x="{x + 16}" y="50">{name}</text>')
    said = "Frames a second in eight games on one core"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 500 {y + 4}" role="img">\n'
        f"<title>{said}: pyale_ma, ale-py and EnvPool</title>\n"
        "<style>text { font: 13px system-ui, sans-serif; fill: #1d2033 } .v { font-size: 12px }\n"
        ".t { font-weight: 600; font-size: 15px } .b { fill: #fff }\n"
        "@media (prefers-color-scheme: dark) { text { fill: #e4e6f0 } "
        ".b { fill: #14161f } }</style>\n"
        f'<rect class="b" width="500" height="{y + 4}" rx="8"/>\n'
        f'<text class="t" x="12" y="24">{said}</text>\n'
        + "\n".join([*legend, *parts])
        + "\n</svg>\n"
    )


def main() -> None:
    """Write all pages and the plot."""
    for path in PAGES:
        path.write_text(page(path.read_text(encoding="utf-8")), encoding="utf-8")
    PLOT.write_text(plot(), encoding="utf-8")


if __name__ == "__main__":
    main()
