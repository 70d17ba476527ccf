"""libale's objects, as classes that own them: all of the package that knows ctypes.

``libale/include/ale/ale.h`` describes what they do:

* `Rom`: a cartridge image.
* `Env`: a console that plays it.
* `State`: a moment of an `Env`; `Starts`: several at which episodes begin.
* `Vector`: many environments in a batch.
* `NativePolicy`: a trained player.

They are closable and context managers.  What a call in one thread uses is freed only after it.
What the library refuses becomes an exception whose text is the library's own.
"""

from __future__ import annotations

from pyale_ma._native.abi import (
    ABI_VERSION,
    ACTION_COUNT,
    AUDIO_SIZE,
    GAME_NONE,
    GAME_UNKNOWN,
    LABEL_BYTES,
    MAX_FRAME_SKIP,
    MAX_NOOPS,
    MAX_PLAYERS,
    MAX_ROM_SIZE,
    MAX_TERMINALS,
    OPEN,
    OUT,
    RAM_SIZE,
    SCREEN_WIDTH,
    VERSION,
    Action,
    Autoreset,
    Batch,
    CardInfo,
    EnvInfo,
    Format,
    GameInfo,
    Label,
    LabelCode,
    LabelKind,
    Object,
    ObjectBox,
    Observation,
    Pixels,
    Report,
    Rules,
)
from pyale_ma._native.cartridges import (
    Card,
    Game,
    Rom,
    TerminalOn,
    Terminals,
    checked_terminals,
    games,
    shared_rom,
)
from pyale_ma._native.env import (
    FULL,
    LEAST_REWARD,
    REWARD,
    Env,
    Outcome,
    Starts,
    State,
    act_alone,
    restore,
)
from pyale_ma._native.labels import LabelReader, labels_of_game, native_label
from pyale_ma._native.library import OrderError, bits, interrupted, lib, library_path
from pyale_ma._native.owner import argument_of, fixed_array, memory_argument, view
from pyale_ma._native.policy import NativePolicy
from pyale_ma._native.vector import Beginnings, StretchResults, Vector, check_size

# fmt: off
__all__ = [
    "ABI_VERSION",
    "ACTION_COUNT",
    "AUDIO_SIZE",
    "FULL",
    "GAME_NONE",
    "GAME_UNKNOWN",
    "LABEL_BYTES",
    "LEAST_REWARD",
    "MAX_FRAME_SKIP",
    "MAX_NOOPS",
    "MAX_PLAYERS",
    "MAX_ROM_SIZE",
    "MAX_TERMINALS",
    "OPEN",
    "OUT",
    "RAM_SIZE",
    "REWARD",
    "SCREEN_WIDTH",
    "VERSION",
    "Action",
    "Autoreset",
    "Batch",
    "Beginnings",
    "Card",
    "CardInfo",
    "Env",
    "EnvInfo",
    "Format",
    "Game",
    "GameInfo",
    "Label",
    "LabelCode",
    "LabelKind",
    "LabelReader",
    "NativePolicy",
    "Object",
    "ObjectBox",
    "Observation",
    "OrderError",
    "Outcome",
    "Pixels",
    "Report",
    "Rom",
    "Rules",
    "Starts",
    "State",
    "StretchResults",
    "TerminalOn",
    "Terminals",
    "Vector",
    "act_alone",
    "argument_of",
    "bits",
    "check_size",
    "checked_terminals",
    "fixed_array",
    "games",
    "interrupted",
    "labels_of_game",
    "lib",
    "library_path",
    "memory_argument",
    "native_label",
    "restore",
    "shared_rom",
    "view",
]
# fmt: on
