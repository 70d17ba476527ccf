"""Labels and named boxes of an environment that has a console."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyale_ma.console.objects import ObjectBox

if TYPE_CHECKING:
    from pyale_ma.games.selection import Selection
    from pyale_ma.labels import Labels


class Labelled:
    """An environment whose console, `ale`, plays one game."""

    ale: Any
    _played: Selection

    def labels(self) -> dict[str, int]:
        """The present values of the game's labels, by name (docs/labels.md).

        `pyale_ma.labels.labels_of` says what each means.  `pyale_ma.labels.LabelInfo`, or
        `pyale_ma.labels.ParallelLabelInfo` for several agents, adds them to the infos.

        Raises:
            ValueError: The game has no labels.
        """
        return self._labels_of_game().named(self.ale.getRAM())

    def named_boxes(self) -> dict[str, list[ObjectBox]]:
        """The boxes of the screen by the names of what they surround (docs/objects.md).

        The names are the roles of the game's labels, such as "player" and "ball".  The list of a
        name is empty if no box is where the labels say.

        Raises:
            ValueError: The game has no labels.
        """
        return self._labels_of_game().named_boxes(self.ale.getRAM(), self.ale.getObjectBoxes())

    def _labels_of_game(self) -> Labels:
        from pyale_ma.labels import known_labels  # no file is read unless somebody asks

        return known_labels(self._played.game)
