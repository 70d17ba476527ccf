"""The screens of a vector's environments, and boxes around what is on them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from gymnasium import error

from pyale_ma import _native
from pyale_ma._base.arguments import integer
from pyale_ma._native import EnvInfo
from pyale_ma.console.objects import ObjectBox, readable
from pyale_ma.vector import checks as check
from pyale_ma.vector.infos import Array

_MOST_COLUMNS = 1024  # of a picture of many screens


class Screens:
    """A vector of which people can see what its environments show."""

    num_envs: int
    games: list[str]
    render_mode: str | None
    _native: _native.Vector
    _env_infos: list[EnvInfo]
    _check_whole: Callable[[], None]

    def render(self) -> tuple[npt.NDArray[np.uint8], ...]:
        """The screens of all environments, uint8 (height, 160, 3) each.

        If games differ in height, all get the largest height, with black rows at the bottom.

        Raises:
            gymnasium.error.Error: The environment was made without a render mode.
        """
        self._check_whole()
        if self.render_mode != "rgb_array":
            raise error.Error(
                "the environment was made without a render mode: give it render_mode='rgb_array'"
            )
        return tuple(self._screens(range(self.num_envs)))

    def render_grid(self, env_ids: Sequence[int] | None = None, columns: int = 0) -> Array:
        """Screens side by side in one picture, uint8 (rows, columns, 3).

        Args:
            env_ids: Which environments; None: all.
            columns: Screens per row, at most 1024; 0: about as many as there are rows.

        Raises:
            IndexError: There is no environment with such a number.
            ValueError: `env_ids` is empty, or `columns` is out of range.
            TypeError: They are not whole numbers, or `env_ids` is not a list.
        """
        self._check_whole()
        columns = integer("columns", columns, 0, _MOST_COLUMNS)
        chosen = self._chosen(env_ids)
        if not chosen:
            raise ValueError("env_ids is empty: give one at least, or leave it out")
        screens = self._screens(chosen)
        count, height, width, depth = screens.shape
        across = columns or math.ceil(math.sqrt(count))
        down = -(-count // across)
        grid = np.zeros((down * across, height, width, depth), np.uint8)
        grid[:count] = screens
        tiles = grid.reshape(down, across, height, width, depth).swapaxes(1, 2)
        picture: Array = tiles.reshape(down * height, across * width, depth)
        return picture

    def object_boxes(self, env_ids: Sequence[int] | None = None) -> list[list[ObjectBox]]:
        """The boxes on the screens, of each environment as `ALEInterface.getObjectBoxes` has them.

        Args:
            env_ids: Which environments; None: all.

        Raises:
            IndexError: There is no environment with such a number.
            TypeError: `env_ids` is not a list of whole numbers.
        """
        self._check_whole()
        return [readable(self._native.object_boxes(env_id)) for env_id in self._chosen(env_ids)]

    def named_boxes(self, env_ids: Sequence[int] | None = None) -> list[dict[str, list[ObjectBox]]]:
        """These boxes by the names of what they surround, as `AtariEnv.named_boxes` has them.

        Args:
            env_ids: Which environments; None: all.

        Raises:
            IndexError: There is no environment with such a number.
            TypeError: `env_ids` is not a list of whole numbers.
            ValueError: A game has no labels.
        """
        from pyale_ma.labels import labels_of  # no file is read unless somebody asks

        boxes, rams = self.object_boxes(env_ids), self._native.rams()
        return [
            labels_of(str(self.games[env_id])).named_boxes(rams[env_id], seen)
            for env_id, seen in zip(self._chosen(env_ids), boxes, strict=True)
        ]

    def _chosen(self, env_ids: Sequence[int] | None) -> Sequence[int]:
        """The environments with these numbers; None: all."""
        if env_ids is None:
            return range(self.num_envs)
        chosen: list[int] = check.env_numbers("env_ids", env_ids, self.num_envs).tolist()
        return chosen

    def _screens(self, env_ids: Sequence[int]) -> npt.NDArray[np.uint8]:
        highest = max(env.screen_height for env in self._env_infos)
        screens = np.zeros((len(env_ids), highest, _native.SCREEN_WIDTH, 3), np.uint8)
        for screen, env_id in zip(screens, env_ids, strict=True):
            self._native.screen(env_id, screen[: self._env_infos[env_id].screen_height])
        return screens
