"""libale's objects, as classes that own them: all of the package that knows ctypes.

``libale/include/ale/ale.h`` describes what they do:

* `Rom`: a cartridge image.
* `Env`: a console that plays it.
* `State`: a moment of an `Env`; `Starts`: several at which episodes begin.
* `Vector`: many environments in a batch.
* `NativePolicy`: a trained player.

They are closable.  What a call in one thread uses is freed only after it.  What the library refuses
becomes an exception whose text is the library's own.
"""

from __future__ import annotations

from pyale_ma._native.abi import (
    ABI_VERSION as ABI_VERSION,
    ACTION_COUNT as ACTION_COUNT,
    AUDIO_SIZE as AUDIO_SIZE,
    GAME_UNKNOWN as GAME_UNKNOWN,
    MAX_FRAME_SKIP as MAX_FRAME_SKIP,
    MAX_NOOPS as MAX_NOOPS,
    MAX_PLAYERS as MAX_PLAYERS,
    MAX_ROM_SIZE as MAX_ROM_SIZE,
    MAX_TERMINALS as MAX_TERMINALS,
    OPEN as OPEN,
    OUT as OUT,
    RAM_SIZE as RAM_SIZE,
    SCREEN_WIDTH as SCREEN_WIDTH,
    VERSION as VERSION,
    Action as Action,
    Autoreset as Autoreset,
    Batch as Batch,
    CardInfo as CardInfo,
    EnvInfo as EnvInfo,
    Format as Format,
    GameInfo as GameInfo,
    Label as Label,
    LabelCode as LabelCode,
    LabelKind as LabelKind,
    Object as Object,
    ObjectBox as ObjectBox,
    Observation as Observation,
    Pixels as Pixels,
    Report as Report,
    Rules as Rules,
)
from pyale_ma._native.cartridges import (
    Card as Card,
    Game as Game,
    Rom as Rom,
    TerminalOn as TerminalOn,
    Terminals as Terminals,
    checked_terminals as checked_terminals,
    games as games,
    shared_rom as shared_rom,
)
from pyale_ma._native.env import (
    FULL as FULL,
    LEAST_REWARD as LEAST_REWARD,
    REWARD as REWARD,
    Env as Env,
    Outcome as Outcome,
    Starts as Starts,
    State as State,
    act_alone as act_alone,
    restore as restore,
)
from pyale_ma._native.labels import (
    LabelReader as LabelReader,
    labels_of_game as labels_of_game,
    native_label as native_label,
)
from pyale_ma._native.library import (
    OrderError as OrderError,
    bits as bits,
    interrupted as interrupted,
    lib as lib,
    library_path as library_path,
)
from pyale_ma._native.owner import (
    argument_of as argument_of,
    fixed_array as fixed_array,
    memory_argument as memory_argument,
    view as view,
)
from pyale_ma._native.policy import (
    NativePolicy as NativePolicy,
)
from pyale_ma._native.vector import (
    Beginnings as Beginnings,
    StretchResults as StretchResults,
    Vector as Vector,
    check_size as check_size,
)
