"""Contents of a recording: header, chunks, and the bounds of each field.

docs/development/recording-file.md specifies it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from pyale_ma import _native
from pyale_ma._base.fields import Fields as JsonFields, is_text, short
from pyale_ma._base.text import printable
from pyale_ma.console.observations import VECTOR_OBSERVATIONS
from pyale_ma.vector.options import OPTIONS as VECTOR_OPTIONS

FORMAT, FORMAT_VERSION = "pyale_ma recording", 1


_MOST_ENVS = 2**14
_MOST_GAMES = 1024
MOST_SEED = 2**128 - 1
MOST_ENTRIES = 2**24  # steps of a chunk, times environments, times players
MOST_CHECKS = 2**20  # times at which a chunk keeps RAM, times environments
MOST_RESETS = 2**17  # of a chunk, times environments; and of environments without a step of theirs
MOST_JSON = 2**24  # bytes of a member
MOST_LISTED = 2**23  # numbers in the resets of all chunks; a reset counts as `RESET_LISTED`
RESET_LISTED = 8
MOST_AT_ONCE = 2**27  # steps that are read at once, times environments, times players
MOST_STATE = 2**20  # bytes of one environment's state, but for what was observed
MOST_DEEP = 100  # lists and dicts within each other, of metadata
MOST_MEMBER = 2**31 - 1  # bytes
_MOST_OBSERVED = 2**32  # bytes that a vector observes
_MOST_OBSERVED_BY_ONE = 2**26  # bytes that one of its environments observes
_LEAST_INT, MOST_INT = -(2**31), 2**31 - 1

# As files have them, on any machine.
_BOOL, UINT8, _INT32, _FLOAT32 = map(np.dtype, ("?", "u1", "<i4", "<f4"))

# The constructor's arguments that a file names, and of what kind they are.
OPTIONS: dict[str, dict[str, str]] = {
    "console": {
        "rules": "int",
        "players": "int",
        "mode": "int",
        "difficulty": "int",
        "random_seed": "int",
        "repeat_action_probability": "number",
        "corrected_rules": "bool",
    },
    "single": {
        "mode": "int | none",
        "difficulty": "int | none",
        "obs_type": "str",
        "frameskip": "int | ints",
        "repeat_action_probability": "number",
        "full_action_space": "bool",
        "continuous": "bool",
        "continuous_action_threshold": "number",
        "max_num_frames_per_episode": "int | none",
        "sound_obs": "bool",
        "corrected_rules": "bool",
        "terminal_on": "terminals | none",
    },
    "multi": {
        "num_players": "int",
        "mode_num": "int | none",
        "obs_type": "str",
        "full_action_space": "bool",
        "max_cycles": "int",
        "frame_skip": "int",
        "repeat_action_probability": "number",
        "difficulty": "int | none",
        "sound_obs": "bool",
        "detailed_infos": "bool",
        "noop_max": "int",
        "corrected_rules": "bool",
        "terminal_on": "terminals | none",
    },
    "vector": {name: option.kind for name, option in VECTOR_OPTIONS.items() if option.kind},
}
# Options that files of earlier versions lack, and what they mean there.
_ABSENT = {"corrected_rules": False, "terminal_on": None, "stack_fill": "zeros", "crop": [0] * 4}
MOST_LABELS = 128  # of a game
# How many frames a step or a reset may take at most.
_MOST_FRAMES = {
    "frameskip": _native.MAX_FRAME_SKIP,
    "frame_skip": _native.MAX_FRAME_SKIP,
    "noop_max": _native.MAX_NOOPS,
}
# Those that change what is observed, and nothing else.
OBSERVATION = {
    "console": ("obs_type", "sound_obs"),
    "single": ("obs_type", "sound_obs"),
    "multi": ("obs_type", "sound_obs", "detailed_infos"),
    "vector": tuple(name for name, option in VECTOR_OPTIONS.items() if option.observed),
}


class RecordingError(ValueError):
    """A file is not a recording, is damaged, or cannot be played here; the text says what to do."""


def other_version(written_by: str) -> str:
    """Return a note for messages if another version of pyale_ma wrote a file; "": this one did."""
    if written_by == _native.VERSION:
        return ""
    return f"; pyale_ma {printable(written_by)} wrote it, this is {_native.VERSION}"


@dataclass(frozen=True)
class Played:
    """A game as a recording names it.

    Attributes:
        name: The game's name.
        md5: Of its ROM image.
        card: The text of the card, for a game that is defined by one.
        variation: The card's variation that was played.
    """

    name: str
    md5: str
    card: str | None = None
    variation: str | None = None


@dataclass(frozen=True)
class Header:
    """Contents of ``recording.json``.

    Attributes:
        layer: "single", "multi", "vector" or "console".
        games: The games.
        game_of_env: Which of them each environment plays.
        players: Players of an environment.
        agents: Their names; [] where the layer has none.
        continuous: Whether actions are float32 (radius, angle, fire) instead of uint8 indices; of a
            console, whether each goes with a strength, of its paddles.
        options: Arguments of the environment's constructor.
        metadata: What the writer was given.
        pyale_ma: The version that wrote the file.
    """

    layer: str
    games: list[Played]
    game_of_env: list[int]
    players: int
    agents: list[str]
    continuous: bool
    options: dict[str, Any]
    metadata: dict[str, Any] = field(default_factory=dict)
    pyale_ma: str = _native.VERSION

    @property
    def envs(self) -> int:
        """The number of environments."""
        return len(self.game_of_env)

    @property
    def most_state(self) -> int:
        """The bytes that a saved state of it has at most."""
        # A stack is there twice after an episode's end.
        return min(self.envs * MOST_STATE + 2 * _stacks(self, MOST_LABELS), MOST_MEMBER)

    def shapes(self, steps: int, rams: int) -> dict[str, tuple[tuple[int, ...], np.dtype[Any]]]:
        """Shape and dtype of each array of a chunk."""
        each = (steps, self.envs, self.players)
        actions: dict[str, tuple[tuple[int, ...], np.dtype[Any]]] = {"actions": (each, UINT8)}
        if self.continuous and self.layer == "console":
            actions["strengths"] = (each, _FLOAT32)
        elif self.continuous:
            actions["actions"] = ((*each, 3), _FLOAT32)
        return {
            **actions,
            "rewards": (each, _INT32),
            "terminations": (each, _BOOL),
            "truncations": (each[:2], _BOOL),
            "ram": ((rams, self.envs, _native.RAM_SIZE), UINT8),
        }

    def as_json(self) -> dict[str, Any]:
        """For ``recording.json``; the metadata are the same."""
        contents = {**asdict(replace(self, metadata={})), "metadata": self.metadata}
        return {"format": FORMAT, "version": FORMAT_VERSION, **contents}


def least_state(header: Header) -> int:
    """Return the bytes that a saved state has at least: the stacks that a vector observes."""
    return _stacks(header, labels=1)


def _stacks(header: Header, labels: int) -> int:
    """Return the bytes of the stacks that a vector observes; `labels` is their number."""
    if header.layer != "vector":
        return 0
    stack: int = _frame_size(header.options, labels) * abs(header.options["stack_num"])
    return header.envs * stack


@dataclass(frozen=True)
class Chunk:
    """Consecutive steps, and what ``chunk.json`` says of them.

    Attributes:
        first: The number of the first step.
        steps: How many there are.
        resets: What `reset` was given, and before which step of the chunk.
        checks: After how many steps RAM was kept.
        final: Whether it was kept once more, after all steps and resets.
        begin: What goes with the saved state that the chunk begins with; None: there is none.
    """

    first: int
    steps: int
    resets: list[dict[str, Any]]
    checks: list[int]
    final: bool
    begin: dict[str, Any] | None

    @property
    def rams(self) -> int:
        """Number of times that RAM was kept."""
        return len(self.checks) + self.final

    @property
    def starts(self) -> bool:
        """Whether its state does not follow from what was played before."""
        return self.begin is not None and self.begin["kind"] == "start"


def check_observe(layer: str, observe: dict[str, Any], names: tuple[str, ...] = ()) -> None:
    """Refuse arguments that do not only change what is observed.

    Args:
        layer: The environment's layer.
        observe: The arguments.
        names: Those that are allowed; (): all of `OBSERVATION`.

    Raises:
        ValueError: There is no such argument.
    """
    names = names or OBSERVATION[layer]
    for name in observe:
        if name not in names:
            raise ValueError(
                f"there is no option {name!r} for observations of layer {layer!r}; there are "
                f"{', '.join(names)}"
            )


def environments_reset(entry: dict[str, Any], envs: int) -> int:
    """Return the number of environments that a reset is of; one that is of none counts as one."""
    chosen = entry.get("envs")
    return envs if chosen is None else max(len(chosen), 1)


def listed_in_reset(entry: dict[str, Any]) -> int:
    """Count the numbers that a reset adds to those that may be listed."""
    return RESET_LISTED + sum(len(value) for value in entry.values() if isinstance(value, list))


def seeds_of_reset(entry: dict[str, Any], envs: int) -> Iterator[tuple[int, int | None]]:
    """The environments that a reset is of, each with its seed; None: it was given none."""
    chosen = range(envs) if entry.get("envs") is None else entry["envs"]
    seeds = entry.get("seeds") or [entry.get("seed")] * len(chosen)
    for env, seed in zip(chosen, seeds, strict=True):
        yield env, None if seed == -1 else seed


def member(number: int, name: str = "") -> str:
    """Return the name of a member of a chunk."""
    return f"chunks/{number:06}/{name}"


def _frame_size(options: dict[str, Any], labels: int = MOST_LABELS) -> int:
    """The bytes of a frame that an environment of a vector observes.

    Args:
        options: Of the vector.
        labels: How many labels its game has.
    """
    if options["obs_type"] == "labels":
        return 4 * labels
    kind = VECTOR_OBSERVATIONS.get(options["obs_type"], VECTOR_OBSERVATIONS["objects"])
    height, width = abs(options["img_height"]), abs(options["img_width"])
    size: int = math.prod(kind.preprocessed_shape(height, width))
    return size


def _observed(options: dict[str, Any], players: int) -> int:
    """The bytes that an environment of a vector observes: all its players, if each for itself."""
    apart = options["agent_indicator"] or options["mirror"]
    frames: int = abs(options["stack_num"]) + players * options["agent_indicator"]
    return _frame_size(options) * frames * (players if apart else 1)


def deep(value: Any) -> bool:
    """Whether more lists and dicts are within each other than metadata may have."""
    level = [value]
    for _ in range(MOST_DEEP + 1):
        level = [
            inside
            for each in level
            for inside in (each.values() if isinstance(each, dict) else each)
            if isinstance(inside, (dict, list))
        ]
    return bool(level)


# ---- Checks --------------------------------------------------------------------------------------


class Fields(JsonFields):
    """Values of a recording's JSON."""

    error = RecordingError

    def kind(self, name: str, kinds: str, most: int = 2) -> Any:
        """Check a value of a kind that `OPTIONS` names; a list has at most `most` numbers."""
        value = self.values.get(name)
        fits = {
            "none": value is None,
            "bool": isinstance(value, bool),
            "int": type(value) is int and _LEAST_INT <= value <= MOST_INT,
            "number": isinstance(value, (int, float))
            and not isinstance(value, bool)
            and abs(value) < 1e30,
            "str": is_text(value, 100),
            "ints": isinstance(value, list)
            and len(value) <= most
            and all(type(each) is int and _LEAST_INT <= each <= MOST_INT for each in value),
            "terminals": isinstance(value, dict)
            and len(value) <= _native.MAX_TERMINALS
            and all(
                is_text(label, 100) and (is_text(when, 10) or type(when) is int)
                for label, when in value.items()
            ),
        }
        if not any(fits[kind] for kind in kinds.split(" | ")):
            self.refuse(
                name,
                kinds.replace("ints", "a list of numbers")
                .replace("terminals", "labels that end")
                .replace(" | ", " or "),
            )
        return value


def check_header(fields: Fields) -> Header:
    """Return the checked contents of ``recording.json``."""
    fields.one_of("format", (FORMAT,))
    if fields.integer("version", 1, 10**6) > FORMAT_VERSION:
        fields.refuse("version", f"{FORMAT_VERSION}; read it with a newer pyale_ma")
    layer: str = fields.one_of("layer", OPTIONS)
    games = []
    listed = fields.objects("games")
    if len(listed) > _MOST_GAMES:
        raise RecordingError(f"{fields.place}: games has {len(listed)}; it may have {_MOST_GAMES}")
    for game in listed:
        entry = Fields(f"{fields.place}: games", game)
        card, variation = game.get("card"), game.get("variation")
        games.append(
            Played(
                entry.string("name", 100),
                entry.string("md5", 40),
                None if card is None else entry.string("card", 64 * 1024),
                None if variation is None else entry.string("variation", 1000),
            )
        )
    game_of_env = fields.integers("game_of_env", _MOST_ENVS, 0, len(games) - 1)
    players = fields.integer("players", 1, _native.MAX_PLAYERS)
    if len(game_of_env) < 1 or (layer != "vector" and len(game_of_env) > 1):
        fields.refuse("game_of_env", "a list with a number for each environment")
    if set(game_of_env) != set(range(len(games))):
        fields.refuse("game_of_env", f"a list that names each of {len(games)} games")
    kinds = OPTIONS[layer]
    absent = {name: value for name, value in _ABSENT.items() if name in kinds}
    named = Fields(f"{fields.place}: options", absent | fields.object("options"))
    options = {name: named.kind(name, kinds[name], max(len(game_of_env) + 1, 4)) for name in kinds}
    for name in named.values.keys() - kinds.keys():
        raise RecordingError(f"{named.place}: there is no option {short(name)!r}")
    for name, most in _MOST_FRAMES.items():
        if np.max(options.get(name, 0), initial=0) > most:
            named.refuse(name, f"at most {most}")
    if layer == "vector":
        observed = _observed(options, players)
        if observed > _MOST_OBSERVED_BY_ONE or observed * len(game_of_env) > _MOST_OBSERVED:
            allowed = "2**26 bytes of an environment, 2**32 of all"
            named.refuse("img_height", f"less: this vector would observe more than {allowed}")
    continuous = fields.boolean("continuous")
    if continuous != options.get("continuous", layer == "console" and continuous):
        fields.refuse("continuous", "as its options have it")
    if players != (options.get("num_players") or options.get("players") or 1):
        fields.refuse("players", "as its options have it")
    return Header(
        layer,
        games,
        game_of_env,
        players,
        fields.strings("agents", players if layer == "multi" else 0, 100),
        continuous,
        options,
        _metadata(fields),
        fields.string("pyale_ma", 100),
    )


def _metadata(fields: Fields) -> dict[str, Any]:
    metadata = fields.object("metadata")
    if deep(metadata):
        raise RecordingError(
            f"{fields.place}: metadata has lists and objects more than {MOST_DEEP} deep within "
            "each other"
        )
    return metadata
