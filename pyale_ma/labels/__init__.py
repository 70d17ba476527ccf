"""Names for bytes of RAM: positions in pixels, scores, lives and counts, each proven by play.

The labels of a game are in a TOML file of this folder, ``GAME.toml``, with a line for each, or for
a row of them (docs/labels.md).  A label is a function of the console's RAM alone, so anything that
has RAM has labels: `AtariEnv.labels`, observations and infos of all layers, recordings.

The wrappers take an environment of a game that has labels, which other wrappers may be around; for
other games they raise ValueError.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from pettingzoo import ParallelEnv  # type: ignore[import-untyped]
from pettingzoo.utils.wrappers import BaseParallelWrapper  # type: ignore[import-untyped]

from pyale_ma import _native
from pyale_ma._base.text import listed, nearest, printable, shown
from pyale_ma._native import (
    RAM_SIZE,
    LabelCode,
    LabelKind,
    LabelReader,
    native_label,
)
from pyale_ma.games import cards, rom_files
from pyale_ma.games.boxes import ObjectBox
from pyale_ma.games.environments import game_named
from pyale_ma.labels.search import RamSearch

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# fmt: off
__all__ = [
    "GAMES", "KINDS", "Label", "LabelInfo", "LabelObservation", "Labels", "ParallelLabelInfo",
    "RamSearch", "labels_of",
]
# fmt: on

Array: TypeAlias = npt.NDArray[np.int32]

KINDS: Mapping[str, str] = {
    "x": "column of the screen",
    "y": "row of the screen",
    "score": "points",
    "lives": "lives",
    "count": "number",
}
"""The kinds of labels, and the unit of each."""

_FOLDER = Path(__file__).parent
_EDGES: Mapping[str, tuple[str, ...]] = {"x": ("left", "right"), "y": ("top", "bottom")}
_CODES: Mapping[str, LabelCode] = {
    "binary": LabelCode.LABEL_BINARY,
    "bcd": LabelCode.LABEL_BCD,
    "digits": LabelCode.LABEL_DIGITS,
    "hmove": LabelCode.LABEL_HMOVE,
    "signed": LabelCode.LABEL_SIGNED,
}
_KIND_NUMBERS: Mapping[str, LabelKind] = {
    "x": LabelKind.LABEL_X,
    "y": LabelKind.LABEL_Y,
    "score": LabelKind.LABEL_SCORE,
    "lives": LabelKind.LABEL_LIVES,
    "count": LabelKind.LABEL_NUMBER,
}


@dataclass(frozen=True)
class Label:
    """A name for bytes of RAM.

    Attributes:
        name: The name, such as "player_x".
        kind: One of `KINDS`.
        about: The thing that it tells of.
        bytes: Indices into RAM; of several, the one with the highest digits first.
        code: "binary"; "signed", binary in two's complement; "bcd", two decimal digits a byte;
            "digits", one a byte; or "hmove", a position as the TIA's registers take it: the
            column's fifteens below, and above them the columns to the left, signed.
        mask: The bits that count; of several bytes, the lowest eight bits are those of the last.
            The bits of a single byte, and those of each of "digits", are shifted to the right until
            the lowest of them is bit 0.
        blank: The digit that is drawn as nothing and counts as 0; None: no digit is.
        scale: The number of units that 1 stands for.
        offset: The value where the bits that count are 0.
        box: For positions: the register of the box, as in `pyale_ma.objects.ObjectBox`; else "".
        edge: For positions: the edge of the box, "left" or "right", "top" or "bottom"; else "".
        tolerance: For positions: by how many pixels the box may be elsewhere.
        player: Whose it is, from 1; 0: nobody's.
        players: The number of players in whose play it was proven; 0: the least that can play.
        aliases: Other names, AtariARI's.
    """

    name: str
    kind: str
    about: str
    bytes: tuple[int, ...]
    code: str = "binary"
    mask: int = -1  # all bits
    blank: int | None = None
    scale: int = 1
    offset: int = 0
    box: str = ""
    edge: str = ""
    tolerance: int = 0
    player: int = 0
    players: int = 0
    aliases: tuple[str, ...] = ()

    @property
    def unit(self) -> str:
        """The unit of its values."""
        return KINDS[self.kind]

    @property
    def role(self) -> str:
        """The name of the thing whose place it tells: its own name without the axis.

        It is "" if the label is not a position.
        """
        if not self.box:
            return ""
        return re.sub(r"_[xy](?=_?\d*$)", "", self.name)

    def fits(self, box: ObjectBox, value: int) -> bool:
        """Whether a box is of its register, with its edge where a value says, within `tolerance`.

        Args:
            box: A box of the screen.
            value: The label's value.
        """
        return box.register == self.box and abs(box.edge(self.edge) - value) <= self.tolerance

    @property
    def low(self) -> int:
        """The least value that any RAM gives."""
        return int(self._native().low)

    @property
    def high(self) -> int:
        """The greatest value that any RAM gives."""
        return int(self._native().high)

    def _fields(self) -> dict[str, Any]:
        """The fields of the library's ``ale_label``, apart from bounds."""
        return {
            "name": self.name,
            "about": self.about,
            "kind": _KIND_NUMBERS[self.kind],
            "player": self.player,
            "places": self.bytes,
            "mask": self.mask & 256 ** len(self.bytes) - 1,
            "code": _CODES[self.code],
            "blank": -1 if self.blank is None else self.blank,
            "scale": self.scale,
            "offset": self.offset,
        }

    def _native(self) -> _native.Label:
        """Return the label as the library reads it.

        Raises:
            ValueError: A field is out of range, or values do not fit into 32 bits.
        """
        fields = self._fields()
        texts = {name: fields[name].encode() for name in ("name", "about")}
        return native_label(**{**fields, **texts})


class Labels:
    """All labels of a game, by name, in the order of `names`.

    Args:
        game: The game's name.
        labels: The labels, in the order of `names` and of the values of an array.

    Attributes:
        game: As given.
        labels: As given, as a tuple.
        names: Their names.
        low: The least value of each, int32.
        high: The greatest value of each.
    """

    def __init__(self, game: str, labels: tuple[Label, ...]) -> None:
        self.game = game
        self.labels = labels
        self.names = [label.name for label in labels]
        natives = [label._native() for label in labels]
        self.low = np.array([native.low for native in natives], np.int32)
        self.high = np.array([native.high for native in natives], np.int32)
        self._reader = LabelReader(natives)

    def __reduce__(self) -> tuple[Any, ...]:
        return Labels, (self.game, self.labels)

    def __repr__(self) -> str:
        return shown(self, self.game, names=self.names)

    def __iter__(self) -> Iterator[str]:
        """Yield the names, without aliases."""
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        """Whether a label has this name or alias."""
        return any(name == label.name or name in label.aliases for label in self.labels)

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, name: str) -> Label:
        """A label by its name or an alias; KeyError: there is none."""
        for label in self.labels:
            if name == label.name or name in label.aliases:
                return label
        raise KeyError(f"{self.game} has no label {name!r}; {nearest(name, self.names)}")

    def keys(self) -> list[str]:
        """The names, so that ``dict(labels)`` has the labels by name."""
        return list(self.names)

    def items(self) -> list[tuple[str, Label]]:
        """The names and their labels."""
        return list(zip(self.names, self.labels, strict=True))

    def get(self, name: str, default: Any = None) -> Any:
        """A label by its name or an alias; `default` if there is none."""
        return self[name] if name in self else default  # noqa: SIM401 (this is it)

    def values(self, ram: npt.NDArray[np.uint8]) -> Array:
        """The values of all labels.

        Args:
            ram: RAM, uint8 ``(..., 128)``, as ``getRAM()``, observations and infos have it.

        Returns:
            int32 ``(..., number of labels)``, in the order of `names`.

        Raises:
            ValueError: `ram` has another shape or type of numbers.
            TypeError: It is not an array.
        """
        if not isinstance(ram, np.ndarray):
            raise TypeError(f"ram must be an array of uint8, not {type(ram).__name__}")
        if ram.dtype != np.uint8 or ram.shape[-1:] != (RAM_SIZE,):
            raise ValueError(
                f"ram is {ram.dtype} {ram.shape}; it must be uint8 with a last axis of {RAM_SIZE}"
            )
        return self._reader.values(ram)

    def named(self, ram: npt.NDArray[np.uint8]) -> dict[str, int]:
        """The values of all labels, by name, of the RAM ``(128,)`` of one console."""
        if np.shape(ram) != (RAM_SIZE,):
            raise ValueError(
                f"ram has shape {np.shape(ram)}; it must be ({RAM_SIZE},), one console"
            )
        return dict(zip(self.names, self.values(ram).tolist(), strict=True))

    def named_boxes(
        self, ram: npt.NDArray[np.uint8], boxes: Iterable[ObjectBox]
    ) -> dict[str, list[ObjectBox]]:
        """The boxes that each thing with a role may have, by the thing's name.

        A box is a thing's if it fits all positions that the thing has: its column, its row, or
        both.  So a box may be several things', and a thing may have no box or several.

        Args:
            ram: RAM ``(128,)`` of one console.
            boxes: Its boxes in the same frame, as ``getObjectBoxes()`` returns them.

        Returns:
            A list for each role of the labels (`Label.role`), in the order of `names`.
        """
        values = self.named(ram).values()
        things: dict[str, list[tuple[Label, int]]] = {}
        for label, value in zip(self.labels, values, strict=True):
            if label.role:
                things.setdefault(label.role, []).append((label, value))
        seen = list(boxes)
        return {
            name: [box for box in seen if all(label.fits(box, value) for label, value in places)]
            for name, places in things.items()
        }


class LabelInfo(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Adds the labels to the infos of an `AtariEnv`: ``info["labels"]``, a dict by name and alias.

    Aliases are the names of AtariARI's wrapper; docs/labels.md says where its values differ.

    Examples:
        ```python
        from pyale_ma.labels import LabelInfo
        from pyale_ma.single import AtariEnv

        env = LabelInfo(AtariEnv("quartet"))
        observation, info = env.reset(seed=42)
        print(info["labels"]["ball_x"])
        ```
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self.labels()  # see whether there are some

    def labels(self) -> dict[str, int]:
        """The present values, by name and by alias."""
        env: Any = self.unwrapped
        return _with_aliases(env.labels(), env._labels_of_game())

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        """Start an episode."""
        observation, info = self.env.reset(**kwargs)
        return observation, {**info, "labels": self.labels()}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Play an action."""
        *results, info = self.env.step(action)
        observation, reward, terminated, truncated = results
        return observation, reward, terminated, truncated, {**info, "labels": self.labels()}


class LabelObservation(gymnasium.ObservationWrapper[Any, Any, Any]):
    """Observes the labels of an `AtariEnv`, as ``obs_type="labels"`` does, within other wrappers.

    ``obs_type="ram"`` of the environment spares it screens that nobody sees.

    Examples:
        ```python
        from pyale_ma.labels import LabelObservation
        from pyale_ma.single import AtariEnv

        env = LabelObservation(AtariEnv("quartet"))
        observation, info = env.reset(seed=42)  # int32, in the order of `Labels.names`
        ```
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        atari: Any = self.unwrapped
        self._labels: Labels = atari._labels_of_game()
        self.observation_space = gymnasium.spaces.Box(
            self._labels.low, self._labels.high, dtype=np.int32
        )

    def observation(self, observation: Any) -> Array:
        """The present labels, whatever was observed."""
        atari: Any = self.unwrapped
        return self._labels.values(atari.ale.getRAM())


class ParallelLabelInfo(BaseParallelWrapper[str, Any, int]):  # type: ignore[misc]
    """`LabelInfo` of a `pyale_ma.multi.ParallelAtariEnv`: every agent's info has all labels.

    Examples:
        ```python
        from pyale_ma.labels import ParallelLabelInfo
        from pyale_ma.multi import quartet_v0

        env = ParallelLabelInfo(quartet_v0.parallel_env())
        observations, infos = env.reset(seed=42)
        print(infos["first_0"]["labels"]["ball_x"])
        ```
    """

    def __init__(self, env: ParallelEnv[str, Any, int]) -> None:
        super().__init__(env)
        env.unwrapped.labels()  # see whether there are some

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start an episode."""
        observations, infos = super().reset(seed=seed, options=options)
        return observations, self._with_labels(infos)

    def step(self, actions: Any) -> Any:
        """Play an action of each agent."""
        *results, infos = super().step(actions)
        return *results, self._with_labels(infos)

    def _with_labels(self, infos: dict[str, Any]) -> dict[str, Any]:
        env = self.env.unwrapped
        values = _with_aliases(env.labels(), env._labels_of_game())
        return {agent: {**info, "labels": dict(values)} for agent, info in infos.items()}


GAMES: tuple[str, ...] = tuple(sorted(file.stem for file in _FOLDER.glob("*.toml")))
"""The games that have labels."""


@functools.cache
def labels_of(game: str) -> Labels:
    """The labels of a game.

    Args:
        game: The game's name, such as "ms_pacman", the name in its id, such as "MsPacman" or
            "ALE/MsPacman-v5", or that of an environment, such as "pong_v3".

    Examples:
        ```python
        from pyale_ma.labels import labels_of

        label = labels_of("quartet")["ball_x"]
        print(label.about, label.unit, label.bytes)
        ```

    Raises:
        TypeError: `game` is not a name.
        ValueError: There is no such game, or it has no labels.
    """
    if cards.is_card(game):
        raise _no_labels(printable(game))
    return known_labels(_native.games()[rom_files.known_game(game_named(game))])


@functools.cache
def known_labels(game: _native.Game | cards.Card) -> Labels:
    """The labels of a game that was found already; see `labels_of`.

    A card has none, whatever its name is.
    """
    if isinstance(game, cards.Card) or game.name not in GAMES:
        raise _no_labels(cards.place_of(game))
    tables = tomllib.loads((_FOLDER / f"{game.name}.toml").read_text(encoding="utf-8"))
    return Labels(game.name, tuple(_label(name, **table) for name, table in _lines(tables)))


def _no_labels(game: str) -> ValueError:
    return ValueError(f"{game} has no labels; {len(GAMES)} games have: {listed(GAMES)}")


def _with_aliases(values: dict[str, int], labels: Labels) -> dict[str, int]:
    return values | {
        alias: values[label.name] for label in labels.labels for alias in label.aliases
    }


def _lines(tables: dict[str, dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a line for each label: with `repeat` one states several, in neighbouring bytes."""
    for name, table in tables.items():
        if "repeat" not in table:
            yield name, table
        for place in range(table.pop("repeat", 0)):
            stem, _, first = name.rpartition("_")
            yield f"{stem}_{int(first) + place}", {**table, "byte": table["byte"] + place}


def _label(name: str, *, byte: int | None = None, **fields: Any) -> Label:
    """A label as its line states it."""
    places = fields.pop("bytes") if byte is None else (byte,)
    aliases = fields.pop("aliases", ())
    if fields["kind"] in _EDGES:
        fields.setdefault("edge", _EDGES[fields["kind"]][0])
    return Label(name, bytes=tuple(places), aliases=tuple(aliases), **fields)
