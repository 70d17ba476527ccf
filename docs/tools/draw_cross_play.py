"""Draws docs/images/cross_play_*.png of the package's tables of ratings.

    python docs/tools/draw_cross_play.py

It plays nothing: `python -m league rate` has written the tables.  Needs matplotlib.
"""

from __future__ import annotations

from pathlib import Path

from pyale_ma.opponents import rating_table

IMAGES = Path(__file__).parents[1] / "images"
ENVIRONMENTS = {"pong": "pong_v3", "quartet": "quartet_v0"}


def main() -> None:
    """Draw all pictures."""
    for name, environment in ENVIRONMENTS.items():
        table = rating_table(environment)
        title = str(table.contest)
        print(table.crossplay.picture(IMAGES / f"cross_play_{name}.png", title=title))


if __name__ == "__main__":
    main()
