"""Checks what an `AtariVectorEnv` is given: each function returns the value, or raises an error."""

from __future__ import annotations

import functools
import operator
import os
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
from gymnasium import error
from gymnasium.vector import AutoresetMode

from pyale_ma import _native
from pyale_ma._base.arguments import (
    RESET_OPTIONS,
    flag,
    integer,
    is_one_of,
    refuse_masked,
    whole_numbers,
)
from pyale_ma._base.text import listed
from pyale_ma._native import SCREEN_WIDTH, Autoreset
from pyale_ma.console.observations import VECTOR_OBSERVATIONS, ObservationType
from pyale_ma.games import rom_files
from pyale_ma.games.selection import AnyGame, Selection, resolve
from pyale_ma.vector.results import EXTRA_INFOS

if TYPE_CHECKING:
    from pyale_ma.labels import Labels

_AUTORESETS = {
    AutoresetMode.NEXT_STEP: Autoreset.NEXT_STEP,
    AutoresetMode.SAME_STEP: Autoreset.SAME_STEP,
    AutoresetMode.DISABLED: Autoreset.NO_RESET,
}
_UNLIMITED = 2**31 - 1
_LISTS = (np.ndarray, list, tuple)
_MOST_ROWS, _MOST_COLUMNS = 299, SCREEN_WIDTH - 1  # that `crop` may leave out on one side
_Present = TypeVar("_Present")

# ---- Values of any kind --------------------------------------------------------------------------


def int32(name: str, value: Any, low: int = -(2**31)) -> int:
    """A whole number from `low` on that fits an int32, as which the library takes it."""
    return integer(name, value, low, 2**31 - 1)


def at_least(low: int) -> Callable[[str, Any], int]:
    """A check for whole numbers from `low` on."""
    return functools.partial(int32, low=low)


def clamped(low: int) -> Callable[[str, Any], int]:
    """A check for any whole numbers, of which those below `low` mean `low`."""
    return lambda name, value: max(low, int32(name, value))


def is_alone(values: Any) -> bool:
    """Whether one value is given for all environments, instead of a list with one for each."""
    try:
        return np.ndim(values) == 0
    except ValueError:  # rows of different lengths
        return True


def one_each(name: str, numbers: Any, present: list[_Present]) -> list[int | _Present]:
    """A value for each environment, from one for all or one for each; None: those present."""
    if numbers is None:
        return list(present)
    if is_alone(numbers):
        return [int32(name, numbers)] * len(present)
    values: list[int | _Present] = [int32(name, value) for value in numbers]
    if len(values) != len(present):
        raise ValueError(f"{name} has {len(values)} values for {len(present)} environments")
    return values


# ---- What is played ------------------------------------------------------------------------------


def selections(
    game: Any,
    games: Any,
    copies: int,
    num_players: Any,
    mode: Any,
    difficulty: Any,
    full_action_space: Any,
    variation: Any,
) -> list[Selection]:
    """Return what each environment plays.

    A mode, a difficulty and a variation may be given for each.
    """
    names: list[Any]
    if game is not None and games is None:
        if isinstance(game, (list, tuple)):
            raise TypeError(f"game must be one game, not {game!r}; for several give games=[...]")
        names = [game]
    elif game is None and games is not None:
        names = [games] if isinstance(games, (str, os.PathLike)) else list(games)
    else:
        raise ValueError("give either a game or a list of games")
    if not names:
        raise ValueError("the list of games is empty")
    for name in names:
        rom_files.check_no_id(name)
    count = copies * len(names)
    _native.check_size(count)
    is_one_for_all = is_alone(mode) and is_alone(difficulty) and not isinstance(variation, list)
    modes = one_each("mode", mode, [None] * count)
    difficulties = one_each("difficulty", difficulty, [None] * count)
    variations = _variation_of_each(variation, count)
    read: list[AnyGame] = list(names)  # a card is read once, also if its copies' modes differ
    numbers = [row // copies for row in range(count)]
    rows = list(zip(numbers, modes, difficulties, variations, strict=True))
    found: dict[Any, Selection] = {}
    for row, (number, its_mode, its_difficulty, its_variation) in enumerate(rows):
        if rows[row] in found:
            continue
        failure = ValueError if is_one_for_all else functools.partial(_failure_of, row)
        read[number] = found[rows[row]] = resolve(
            read[number],
            num_players,
            its_mode,
            its_difficulty,
            full_action_space,
            its_variation,
            counts=(),
            error=failure,
        )
    for what in ("num_players", "full_action_space"):
        values = {names[key[0]]: getattr(one, what) for key, one in found.items()}
        if len({*values.values()}) > 1:
            told = listed(f"{what}={value!r} for {name!r}" for name, value in values.items())
            raise ValueError(f"the games' names stand for {told}: give {what}, the same for all")
    return [found[row] for row in rows]


def _failure_of(row: int, text: str) -> ValueError:
    return ValueError(f"environment {row}: {text}")


def _variation_of_each(variation: Any, count: int) -> list[str | None]:
    """The variation of each environment's card."""
    if variation is None or isinstance(variation, str):
        return [variation] * count
    if not isinstance(variation, Iterable):
        raise TypeError(f"variation must be a name, or a list of names, not {variation!r}")
    variations = list(variation)
    if len(variations) != count:
        raise ValueError(f"variation has {len(variations)} values for {count} environments")
    return variations


def frameskip(name: str, value: Any) -> int:
    """A positive int; errors are ale-py's."""
    if type(value) is not int:
        raise error.Error(
            f"Invalid {name} type: {type(value)}. Expecting int: all environments skip alike."
        )
    if value <= 0:
        raise error.Error(f"Invalid {name} of {value}, {name} must be positive.")
    if value > _native.MAX_FRAME_SKIP:
        raise ValueError(f"{name} is {value}; it must be at most {_native.MAX_FRAME_SKIP}")
    return value


def autoreset(name: str, mode: Any) -> Autoreset:
    """The library's mode, from Gymnasium's or its value."""
    if not isinstance(mode, (str, AutoresetMode)):
        raise TypeError(f"autoreset_mode is {mode!r}; it must be an AutoresetMode or its value")
    try:
        return _AUTORESETS[AutoresetMode(mode)]
    except ValueError:
        each = ", ".join(repr(each.value) for each in AutoresetMode)
        raise ValueError(f"Invalid autoreset_mode: {mode!r}. Expecting: {each}.") from None


def extra_infos(names: Any) -> frozenset[str]:
    """Names of `EXTRA_INFOS`."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise TypeError(f"extra_infos must be a list of names, not {names!r}")
    try:
        chosen_infos = frozenset(names)
    except TypeError:
        raise TypeError(f"extra_infos must be a list of names, not {names!r}") from None
    for name in chosen_infos.difference(EXTRA_INFOS):
        raise ValueError(f"extra_infos has {name!r}; there are {', '.join(EXTRA_INFOS)}")
    return chosen_infos


def labels(played: Sequence[Selection]) -> Labels:
    """The labels of the one game of all environments."""
    from pyale_ma.labels import known_labels  # no file is read unless somebody asks

    games = list(dict.fromkeys(each.source for each in played))
    if len(games) > 1:
        raise ValueError(f"labels are of one game; there are {', '.join(games)}")
    return known_labels(played[0].game)


STACK_FILLS = ("zeros", "reset")


def stack_fill(name: str, fill: Any) -> int:
    """Return `stack_fill` as the library takes it."""
    if not is_one_of(fill, STACK_FILLS):
        raise ValueError(f"{name} is {fill!r}; it must be {listed(map(repr, STACK_FILLS))}")
    return STACK_FILLS.index(fill)


def crop(name: str, sides: Any) -> tuple[int, ...]:
    """Return `crop` as four numbers: rows at top and bottom, columns at left and right."""
    if not isinstance(sides, _LISTS) or len(sides) != 4:
        raise ValueError(
            f"{name} is {reprlib.repr(sides)}; it must have four numbers: rows at the top and the "
            "bottom, columns at the left and the right"
        )
    most = (_MOST_ROWS, _MOST_ROWS, _MOST_COLUMNS, _MOST_COLUMNS)
    return tuple(integer(f"{name}[{k}]", sides[k], 0, most[k]) for k in range(4))


def obs_type(name: Any, grayscale: Any) -> str:
    """A type of observation; None leaves it to `grayscale`."""
    if not is_one_of(name, (None, *VECTOR_OBSERVATIONS)):
        raise ValueError(f"obs_type is {name!r}; it must be {', '.join(VECTOR_OBSERVATIONS)}")
    return name or ("grayscale" if flag("grayscale", grayscale) else "rgb")


def players(name: str, count: Any) -> int:
    """Return the number of players; None: one, by the rules for one."""
    return 1 if count is None else integer(name, count, 1, _native.MAX_PLAYERS)


def crop_of(crop: tuple[int, ...], observed: ObservationType) -> None:
    """See whether there is a picture of which something can be left out."""
    if any(crop) and not observed.is_picture:
        raise ValueError(
            f"crop needs pictures, and obs_type is {observed.name!r}: take rgb, grayscale or "
            "objects, or leave crop out"
        )


def views(
    agent_indicator: bool, mirror: bool, num_players: int | None, observed: ObservationType
) -> None:
    """See whether players may have observations of their own."""
    if (agent_indicator or mirror) and num_players is None:
        name = "agent_indicator" if agent_indicator else "mirror"
        raise ValueError(f"{name} is for several players: give num_players")
    if mirror and not observed.is_picture:
        raise ValueError(
            f"mirror=True needs pictures, and obs_type is {observed.name!r}: take rgb, grayscale "
            "or objects, or leave mirror out"
        )


def frame_limit(name: str, frames: Any) -> int:
    """Frames after which an episode is truncated; None: never."""
    return _UNLIMITED if frames is None else int32(name, frames)


# ---- Environments by number ----------------------------------------------------------------------


def reset_options(
    options: Any, allowed: Sequence[str] = (*RESET_OPTIONS, "starts")
) -> dict[str, Any]:
    """Return the checked options of a reset, apart from seeds; None: nothing."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise TypeError(f"options must be a dict, not {options!r}")
    for name in options:
        if name not in allowed:
            raise ValueError(f"options has {name!r}; it may have {', '.join(map(repr, allowed))}")
    return dict(options)


def reset_mask(mask: Any, num_envs: int) -> npt.NDArray[np.bool_]:
    """Which environments are reset, as the library reads it."""
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        dtype = getattr(mask, "dtype", "none")
        raise TypeError(
            f"`reset_mask` must be a boolean numpy array, got {type(mask)} with dtype {dtype}"
        )
    refuse_masked("`reset_mask`", mask)
    array = np.asarray(mask)  # of no class of the user's, which may say anything of itself
    if array.shape != (num_envs,):
        raise ValueError(f"`reset_mask` must have shape ({num_envs},), got {array.shape}")
    return np.ascontiguousarray(array)


def seeds_of(
    seed: Any, chosen: Sequence[int], num_envs: int, name: str = "seed"
) -> npt.NDArray[np.int64] | None:
    """The seed of each environment, negative for none; `name` is that of the argument."""
    if seed is None:
        return None
    if isinstance(seed, (int, np.integer)):
        first = operator.index(seed)
        if first < 0:
            raise ValueError(f"`{name}` is {seed}; it must not be negative")
        if first + len(chosen) > 2**32:
            raise ValueError(
                f"`{name}` is {seed}; seeds have 32 bits, 0 to {2**32 - 1}, "
                f"and each of {len(chosen)} environments gets the next"
            )
        array = np.arange(len(chosen), dtype=np.int64) + first
    else:
        try:
            array = whole_numbers(f"`{name}`", seed if isinstance(seed, _LISTS) else [None])
        except (TypeError, ValueError):
            raise TypeError(
                f"Unsupported seed type {type(seed)}: `{name}` must be an int, or have one int for "
                f"each environment, not {reprlib.repr(seed)}"
            ) from None
        if array.shape != (len(chosen),):
            raise ValueError(
                f"`{name}` must have one entry per sub-environment being reset, "
                f"expected shape ({len(chosen)},), got {array.shape}"
            )
    if array.size and (largest := array.max()) >= 2**32:
        raise ValueError(f"`{name}` has {largest}; seeds have 32 bits, 0 to {2**32 - 1}")
    seeds = np.full(num_envs, -1, np.int64)
    seeds[list(chosen)] = np.maximum(array.astype(np.int64), -1)
    return seeds


def env_numbers(name: str, numbers: Any, num_envs: int) -> npt.NDArray[np.int32]:
    """Numbers of environments."""
    array = whole_numbers(name, numbers)
    if not array.size:
        return np.empty(0, np.int32)
    if array.ndim != 1:
        raise TypeError(f"{name} must be a list of whole numbers, not {reprlib.repr(numbers)}")
    if array.min() < 0 or array.max() >= num_envs:
        k = int(np.flatnonzero((array < 0) | (array >= num_envs))[0])
        raise IndexError(
            f"{name}[{k}] is {array[k]}; environments are numbered 0 to {num_envs - 1}"
        )
    return np.ascontiguousarray(array, np.int32)
