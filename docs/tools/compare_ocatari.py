"""Compares OCAtari's objects with the boxes and labels of this package, frame by frame.

    pip install ocatari==2.2.1 'numpy<2'
    python docs/tools/compare_ocatari.py [GAME ...]

OCAtari computes objects from the RAM by formulas of its own; this package reads what the TIA draws,
here without the playfield.  Both play the same game: OCAtari runs on this package instead of
ale-py, and each frame checks that both consoles have the same RAM.  The output is the table of
docs/objects.md, in Markdown:

* `our name`: the name that `named_boxes()` has most often for the nearest box.  The table has the
  objects of which this holds for half or more; with ``--all``, the others too.
* `objects`: how many OCAtari reports, in all frames together.
* `alike`: the share of them for which a box has the same four edges, within a pixel.
* `difference`: the mean of the largest distance of an edge from that of the nearest box, in pixels,
  of those that a box touches.
* `nothing`: the share that no box touches: the TIA draws nothing there.
* `fits`: of the touched that are not alike, the share whose rectangle fits, within a pixel, what is
  seen of the nearest box there: its pixels that no other object covers, or that have its color.
  Where it fits, OCAtari is right, too: our box has hidden pixels, or more of them farther away.
  Where it does not fit, our box alone is right.
* `right`: who is, for most of those that are not alike; "" if 95% are alike.
* `usual`: the most frequent difference of those that are not alike: how far our left, top, right
  and bottom edge are from theirs.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import random
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import pyale_ma
from pyale_ma import _native
from pyale_ma.labels import GAMES, labels_of
from pyale_ma.objects import ObjectBox
from pyale_ma.single import ALEInterface, AtariEnv

FRAMES = 1000
START = 60  # frames that are not compared: titles, and OCAtari's first guesses
NEAR = 1  # pixels
EDGES = ("left", "top", "right", "bottom")


@dataclass
class Comparison:
    """Of a category of OCAtari's objects in a game."""

    objects: int = 0
    alike: int = 0
    touched: int = 0
    distance: int = 0
    fitting: int = 0
    names: Counter[str] = field(default_factory=Counter)
    differences: Counter[tuple[int, ...]] = field(default_factory=Counter)

    @property
    def name(self) -> str:
        """Our name for most of them; "" if there is none for half of them."""
        name, count = (self.names.most_common(1) or [("", 0)])[0]
        return name if 2 * count >= self.objects else ""

    def row(self, game: str, category: str) -> str:
        """A row of the table."""
        usual = self.differences.most_common(1)
        others = self.touched - self.alike
        right = "both" if 2 * self.fitting > others else "ours"
        cells = (
            _native.games()[game].title,
            category,
            self.name,
            f"{self.objects:,}",
            f"{self.alike / self.objects:.0%}",
            f"{self.distance / self.touched:.1f}" if self.touched else "",
            f"{1 - self.touched / self.objects:.0%}",
            f"{self.fitting / others:.0%}" if others else "",
            right if others and self.alike < 0.95 * self.objects else "",
            ", ".join(map(str, usual[0][0])) if usual else "",
        )
        return f"| {' | '.join(cells)} |"


def rectangles(env: Any) -> Iterator[tuple[str, tuple[int, int, int, int]]]:
    """The visible objects of OCAtari, each with its edges."""
    for found in env.objects:
        if found and found.visible and found.category != "NoObject" and found.w and found.h:
            x, y, width, height = map(int, found.xywh)
            yield found.category, (x, y, x + width - 1, y + height - 1)


def difference(box: ObjectBox, edges: tuple[int, ...]) -> tuple[int, ...]:
    """The distances of the edges of a box from those."""
    return tuple(box.edge(name) - edge for name, edge in zip(EDGES, edges, strict=True))


def distance(box: ObjectBox, edges: tuple[int, ...]) -> int:
    """The largest distance of an edge."""
    return max(map(abs, difference(box, edges)))


def touches(box: ObjectBox, edges: tuple[int, ...]) -> bool:
    """Whether a box and a rectangle have a pixel in common."""
    left, top, right, bottom = edges
    return (
        box.x <= right
        and box.edge("right") >= left
        and box.y <= bottom
        and box.edge("bottom") >= top
    )


def fits(ale: ALEInterface, box: ObjectBox, edges: tuple[int, ...]) -> bool:
    """Whether a rectangle fits what is seen of a box's object there.

    Args:
        ale: The console.
        box: A box that touches the rectangle.
        edges: Those of the rectangle.
    """
    left, top, right, bottom = edges
    x, y = max(left - NEAR - 1, 0), max(top - NEAR - 1, 0)
    part = (slice(y, bottom + NEAR + 2), slice(x, right + NEAR + 2))
    cover, screen = ale.getScreenObjects()[part], ale.getScreen()[part]
    bit = 1 << box.object
    rows, columns = np.nonzero((cover == bit) | ((cover & bit != 0) & (screen == box.color)))
    if not len(rows):
        return False
    seen = (x + columns.min(), y + rows.min(), x + columns.max(), y + rows.max())
    return all(abs(a - b) <= NEAR for a, b in zip(seen, edges, strict=True))


def compare(game: str, frames: int = FRAMES, seed: int = 3) -> dict[str, Comparison]:
    """Play at random, and compare all objects of each frame.

    Args:
        game: The game's name.
        frames: How many are compared.
        seed: Of the game and of the play.

    Raises:
        Exception: OCAtari does not know the game, or fails in it.
    """
    from ocatari.core import OCAtari

    title = "".join(word.capitalize() for word in game.split("_"))
    settings = {"frameskip": 1, "repeat_action_probability": 0.0}
    theirs = OCAtari(f"ALE/{title}-v5", mode="ram", hud=False, render_mode="rgb_array", **settings)
    ours = AtariEnv(game, obs_type="objects", **settings)
    chance = random.Random(seed)
    results: defaultdict[str, Comparison] = defaultdict(Comparison)
    theirs.reset(seed=seed)
    ours.reset(seed=seed)
    action, left = 0, 0
    for frame in range(START + frames):
        if left == 0:
            action, left = chance.randrange(ours.action_space.n), chance.choice((1, 2, 4, 8, 16))
        left -= 1
        _, _, terminated, truncated, _ = theirs.step(action)
        ours.step(action)
        if not np.array_equal(theirs.get_ram(), ours.ale.getRAM()):
            raise RuntimeError(f"{game}: the consoles differ in frame {frame}")
        if frame >= START:
            boxes = [box for box in ours.ale.getObjectBoxes() if box.register != "PF"]
            named = ours.named_boxes()
            for category, edges in rectangles(theirs):
                _count(results[category], ours.ale, edges, boxes, named)
        if terminated or truncated:
            theirs.reset()
            ours.reset()
    return results


def _count(
    result: Comparison,
    ale: ALEInterface,
    edges: tuple[int, ...],
    boxes: list[ObjectBox],
    named: dict[str, list[ObjectBox]],
) -> None:
    result.objects += 1
    near = [box for box in boxes if touches(box, edges)]
    if not near:
        return
    nearest = min(near, key=lambda box: distance(box, edges))
    far = distance(nearest, edges)
    result.touched += 1
    result.distance += far
    if far <= NEAR:
        result.alike += 1
    else:
        result.differences[difference(nearest, edges)] += 1
        result.fitting += fits(ale, nearest, edges)
    result.names.update(name for name, own in named.items() if nearest in own)


def main() -> None:
    """Compare games, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("game", nargs="*", help="compare these alone")
    parser.add_argument("--frames", type=int, default=FRAMES, help="of each game")
    parser.add_argument("--all", action="store_true", help="print objects without our names, too")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")  # OCAtari's
    pyale_ma.install_as_ale_py()
    with_roles = [game for game in GAMES if any(label.role for label in labels_of(game).labels)]
    print(
        "| game | OCAtari | our name | objects | alike | difference | nothing | fits | right "
        "| usual |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    )
    for game in arguments.game or with_roles:
        if _native.Rules.SOLO not in _native.games()[game].rules:
            continue
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                results = compare(game, arguments.frames)
        except Exception as error:  # of any kind: another package's
            print(f"{game}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
            continue
        for category, result in sorted(results.items()):
            if arguments.all or result.name:
                print(result.row(game, category), flush=True)


if __name__ == "__main__":
    main()
