"""Finds, checks and declares libale: what ``libale/include/ale/ale.h`` says, in ctypes' words.

A test holds one against the other.  The rest of the package imports all this from `_native`.
"""

from __future__ import annotations

import ctypes
import os
import sys
from ctypes import (
    POINTER,
    c_char,
    c_char_p,
    c_float,
    c_int,
    c_int32,
    c_size_t,
    c_uint32,
    c_uint64,
    c_void_p,
)
from enum import IntEnum
from importlib import resources
from typing import Any, ClassVar, NoReturn

ABI_VERSION = 1
MAX_PLAYERS = 4
GAME_UNKNOWN = -1
GAME_NONE = -2
SCREEN_WIDTH = 160
RAM_SIZE = 128
AUDIO_SIZE = 512
ROM_SIZE_LIMIT = 512 * 1024


class Status(IntEnum):
    """``ale_status``."""

    OK = 0
    INVALID_ARGUMENT = 1
    OUT_OF_MEMORY = 2
    BAD_ROM = 3
    UNSUPPORTED = 4
    MODE_NOT_REACHED = 5
    BAD_STATE = 6
    OUT_OF_ORDER = 7
    UNFINISHED = 8
    BAD_CARD = 9


class Rules(IntEnum):
    """``ale_rules``: how an environment treats its game."""

    SOLO = 0
    MULTI = 1


class Format(IntEnum):
    """``ale_format``: the display format of a cartridge."""

    FORMAT_AUTO = -1
    NTSC = 0
    PAL = 1
    SECAM = 2


class Pixels(IntEnum):
    """``ale_pixels``: what a screen is made of."""

    INDEXED = 0
    RGB = 1
    GRAYSCALE = 2
    OBJECTS = 3


class Observation(IntEnum):
    """``ale_observation``: what the environments of a vector observe."""

    OBSERVE_GRAYSCALE = 0
    OBSERVE_RGB = 1
    OBSERVE_RAM = 2
    OBSERVE_OBJECTS = 3


class Autoreset(IntEnum):
    """``ale_autoreset``: what happens to an environment whose episode is over."""

    NEXT_STEP = 0
    SAME_STEP = 1
    NO_RESET = 2


# ---- Structs -------------------------------------------------------------------------------------


class Struct(ctypes.Structure):
    """A struct that begins with its own size."""

    struct_size: int

    def __init__(self) -> None:
        super().__init__(ctypes.sizeof(self))


class GameInfo(Struct):
    """``ale_game_info``."""

    _fields_: ClassVar = [
        ("struct_size", c_uint32),
        ("rules", c_uint32),
        ("name", c_char_p),
        ("title", c_char_p),
        ("md5", c_char_p),
        ("minimal_actions", c_uint32),
        ("legal_actions", c_uint32),
        ("difficulties", c_uint32),
        ("player_counts", c_uint32),
        ("default_mode", c_int32),
        ("paddles", c_uint32),
    ]
    rules: int
    name: bytes
    title: bytes
    md5: bytes
    minimal_actions: int
    legal_actions: int
    difficulties: int
    player_counts: int
    default_mode: int
    paddles: int


class CardInfo(Struct):
    """``ale_card_info``."""

    _fields_: ClassVar = [
        ("struct_size", c_uint32),
        ("rules", c_uint32),
        ("name", c_char_p),
        ("title", c_char_p),
        ("md5", c_char_p),
        ("rom", c_char_p),
        ("minimal_actions", c_uint32),
        ("legal_actions", c_uint32),
        ("difficulties", c_uint32),
        ("player_counts", c_uint32),
        ("default_mode", c_int32),
        ("variations", c_uint32),
    ]
    rules: int
    name: bytes
    title: bytes
    md5: bytes
    rom: bytes
    minimal_actions: int
    legal_actions: int
    difficulties: int
    player_counts: int
    default_mode: int
    variations: int


class RomOptions(Struct):
    """``ale_rom_options``."""

    _fields_: ClassVar = [
        ("struct_size", c_uint32),
        ("format", c_int32),
        ("game", c_char_p),
        ("scheme", c_char_p),
        ("card", c_void_p),
        ("variation", c_char_p),
    ]
    format: int
    game: bytes | None
    scheme: bytes | None
    card: c_void_p | None
    variation: bytes | None


class RomInfo(Struct):
    """``ale_rom_info``."""

    _fields_: ClassVar = [
        ("struct_size", c_uint32),
        ("game", c_int32),
        ("md5", c_char * 40),
        ("scheme", c_char_p),
        ("format", c_int32),
        ("paddles", c_uint32),
    ]
    game: int
    md5: bytes
    scheme: bytes
    format: int
    paddles: int


class EnvOptions(Struct):
    """``ale_env_options``."""

    _fields_: ClassVar = [
        ("struct_size", c_uint32),
        ("rules", c_int32),
        ("random_seed", c_uint32),
        ("system_seed", c_uint32),
        ("repeat_action_probability", c_float),
        ("frame_skip", c_uint32),
        ("max_num_frames_per_episode", c_int32),
        ("truncate_on_loss_of_life", c_uint32),
        ("reward_min", c_int32),
        ("reward_max", c_int32),
        ("paddle_min", c_int32),
        ("paddle_max", c_int32),
        ("color_averaging", c_uint32),
        ("sound", c_uint32),
        ("max_turn_time", c_int32),
        ("fast_paths", c_uint32),
        ("objects", c_uint32),
    ]


class EnvInfo(Struct):
    """``ale_env_info``."""

    _fields_: ClassVar = [
        ("struct_size", c_uint32),
        ("rules", c_int32),
        ("game", c_int32),
        ("screen_width", c_uint32),
        ("screen_height", c_uint32),
        ("format", c_int32),
        ("minimal_actions", c_uint32),
        ("legal_actions", c_uint32),
        ("difficulties", c_uint32),
        ("player_counts", c_uint32),
        ("default_mode", c_int32),
        ("paddles", c_uint32),
    ]
    rules: int
    game: int
    screen_width: int
    screen_height: int
    format: int
    minimal_actions: int
    legal_actions: int
    difficulties: int
    player_counts: int
    default_mode: int
    paddles: int


class Report(Struct):
    """``ale_report``."""

    _fields_: ClassVar = [
        ("struct_size", c_uint32),
        ("players", c_int32),
        ("rewards", c_int32 * MAX_PLAYERS),
        ("lives", c_int32 * MAX_PLAYERS),
        ("terminated", c_uint32),
        ("truncated", c_uint32),
        ("frame_number", c_int32),
        ("episode_frame_number", c_int32),
        ("mode", c_int32),
        ("difficulty", c_int32),
    ]
    players: int
    rewards: ctypes.Array[c_int32]
    lives: ctypes.Array[c_int32]
    terminated: int
    truncated: int
    frame_number: int
    episode_frame_number: int
    mode: int
    difficulty: int
    owner: Any  # of the memory, kept alive with this


class Screens(Struct):
    """``ale_screens``: where screens go, as addresses."""

    _fields_: ClassVar = [
        ("struct_size", c_uint32),
        ("pixels", c_int32),
        ("count", c_uint32),
        ("size", c_size_t),
        ("out", c_void_p * MAX_PLAYERS),
    ]
    pixels: int
    count: int
    size: int
    out: ctypes.Array[c_void_p]


class ObjectBox(ctypes.Structure):
    """``ale_object_box``."""

    _fields_: ClassVar = [
        ("object", c_int32),
        ("color", c_int32),
        ("x", c_int32),
        ("y", c_int32),
        ("width", c_int32),
        ("height", c_int32),
    ]
    object: int
    color: int
    x: int
    y: int
    width: int
    height: int


class StateInfo(Struct):
    """``ale_state_info``."""

    _fields_: ClassVar = [
        ("struct_size", c_uint32),
        ("empty", c_uint32),
        ("includes_random", c_uint32),
        ("rules", c_int32),
        ("frame_number", c_int32),
        ("episode_frame_number", c_int32),
        ("mode", c_int32),
        ("difficulty", c_int32),
        ("rom_md5", c_char * 40),
        ("serialized_size", c_size_t),
    ]
    empty: int
    includes_random: int
    rules: int
    frame_number: int
    episode_frame_number: int
    mode: int
    difficulty: int
    rom_md5: bytes
    serialized_size: int


class VectorOptions(Struct):
    """``ale_vector_options``."""

    _fields_: ClassVar = [
        ("struct_size", c_uint32),
        ("batch_size", c_uint32),
        ("num_threads", c_uint32),
        ("thread_affinity_offset", c_int32),
        ("patience_ms", c_uint32),
        ("rules", c_int32),
        ("players", c_uint32),
        ("autoreset", c_int32),
        ("observation", c_int32),
        ("img_height", c_uint32),
        ("img_width", c_uint32),
        ("stack_num", c_uint32),
        ("frame_skip", c_uint32),
        ("maxpool", c_uint32),
        ("noop_max", c_uint32),
        ("use_fire_reset", c_uint32),
        ("episodic_life", c_uint32),
        ("life_loss_info", c_uint32),
        ("reward_clipping", c_uint32),
        ("max_num_frames_per_episode", c_int32),
        ("repeat_action_probability", c_float),
        ("full_action_space", c_uint32),
        ("sound", c_uint32),
        ("agent_indicator", c_uint32),
        ("mirror", c_uint32),
    ]


class Batch(Struct):
    """``ale_batch``: where the results of one batch go, as addresses."""

    _fields_: ClassVar = [
        ("struct_size", c_uint32),
        ("observations", c_void_p),
        ("rewards", c_void_p),
        ("terminations", c_void_p),
        ("truncations", c_void_p),
        ("env_ids", c_void_p),
        ("lives", c_void_p),
        ("frame_numbers", c_void_p),
        ("episode_frame_numbers", c_void_p),
        ("episode_ends", c_void_p),
        ("episode_returns", c_void_p),
        ("episode_lengths", c_void_p),
        ("unclipped_rewards", c_void_p),
        ("ram", c_void_p),
        ("sound", c_void_p),
        ("final_observations", c_void_p),
        ("final_lives", c_void_p),
        ("final_frame_numbers", c_void_p),
        ("final_episode_frame_numbers", c_void_p),
    ]
    number: int  # of all that a vector was given


class VectorInfo(Struct):
    """``ale_vector_info``."""

    _fields_: ClassVar = [
        ("struct_size", c_uint32),
        ("num_envs", c_uint32),
        ("batch_size", c_uint32),
        ("num_threads", c_uint32),
        ("players", c_uint32),
        ("outstanding", c_uint32),
        ("posted", c_uint32),
        ("received", c_uint64),
        ("observation_size", c_size_t),
    ]
    num_envs: int
    batch_size: int
    num_threads: int
    players: int
    outstanding: int
    posted: int
    received: int
    observation_size: int


# ---- Functions -----------------------------------------------------------------------------------

_Object = c_void_p  # ale_rom *, ale_env *, ale_state *, ale_vector *
_Buffer = c_void_p  # pointer to plain numbers: an address, or a ctypes array

# Name: (result, arguments).
DECLARATIONS: dict[str, tuple[Any, list[Any]]] = {
    "ale_abi_version": (c_uint32, []),
    "ale_version": (c_char_p, []),
    "ale_last_error": (c_char_p, []),
    "ale_game_count": (c_int32, []),
    "ale_game_by_name": (c_int32, [c_char_p]),
    "ale_game_by_md5": (c_int32, [c_char_p]),
    "ale_game_describe": (c_int, [c_int32, c_int, POINTER(GameInfo)]),
    "ale_game_modes": (
        c_int,
        [c_int32, c_int, c_uint32, _Buffer, c_size_t, POINTER(c_size_t)],
    ),
    "ale_card_create": (c_int, [c_char_p, c_size_t, POINTER(_Object)]),
    "ale_card_release": (None, [_Object]),
    "ale_card_describe": (c_int, [_Object, c_int, POINTER(CardInfo)]),
    "ale_card_modes": (
        c_int,
        [_Object, c_int, c_uint32, _Buffer, c_size_t, POINTER(c_size_t)],
    ),
    "ale_card_variation": (c_char_p, [_Object, c_uint32]),
    "ale_rom_options_init": (None, [POINTER(RomOptions), c_uint32]),
    "ale_rom_create": (c_int, [_Buffer, c_size_t, POINTER(RomOptions), POINTER(_Object)]),
    "ale_rom_retain": (_Object, [_Object]),
    "ale_rom_release": (None, [_Object]),
    "ale_rom_describe": (c_int, [_Object, POINTER(RomInfo)]),
    "ale_env_options_init": (None, [POINTER(EnvOptions), c_uint32]),
    "ale_env_create": (c_int, [_Object, POINTER(EnvOptions), POINTER(_Object)]),
    "ale_env_destroy": (None, [_Object]),
    "ale_env_describe": (c_int, [_Object, POINTER(EnvInfo)]),
    "ale_env_report": (POINTER(Report), [_Object]),
    "ale_env_reset": (c_int, [_Object]),
    "ale_env_reload": (c_int, [_Object, c_uint32]),
    "ale_env_act": (c_int, [_Object, _Buffer, _Buffer, c_uint32, c_uint32]),
    "ale_env_step": (
        c_int,
        [_Object, _Buffer, _Buffer, c_uint32, c_uint32, POINTER(Screens)],
    ),
    "ale_env_modes": (c_int, [_Object, c_uint32, _Buffer, c_size_t, POINTER(c_size_t)]),
    "ale_env_set_mode": (c_int, [_Object, c_int32]),
    "ale_env_set_difficulty": (c_int, [_Object, c_int32]),
    "ale_env_screen": (c_int, [_Object, c_int, _Buffer, c_size_t]),
    "ale_env_screen_indices": (_Buffer, [_Object]),
    "ale_env_object_boxes": (
        c_int,
        [_Object, POINTER(ObjectBox), c_size_t, POINTER(c_size_t)],
    ),
    "ale_env_palette": (c_int, [_Object, c_int, _Buffer, c_size_t]),
    "ale_env_ram": (_Buffer, [_Object]),
    "ale_env_set_ram": (c_int, [_Object, c_uint32, c_uint32]),
    "ale_env_audio": (_Buffer, [_Object]),
    "ale_state_create": (c_int, [POINTER(_Object)]),
    "ale_state_destroy": (None, [_Object]),
    "ale_state_describe": (c_int, [_Object, POINTER(StateInfo)]),
    "ale_state_equal": (c_int, [_Object, _Object, POINTER(c_uint32)]),
    "ale_env_save": (c_int, [_Object, c_uint32, _Object]),
    "ale_env_copy": (c_int, [_Object, _Object]),
    "ale_env_restore": (c_int, [_Object, _Object]),
    "ale_state_serialize": (c_int, [_Object, _Buffer, c_size_t]),
    "ale_state_deserialize": (c_int, [_Object, _Buffer, c_size_t]),
    "ale_vector_options_init": (None, [POINTER(VectorOptions), c_uint32]),
    "ale_vector_create": (
        c_int,
        [POINTER(_Object), _Buffer, c_uint32, POINTER(VectorOptions), POINTER(_Object)],
    ),
    "ale_vector_destroy": (None, [_Object]),
    "ale_vector_describe": (c_int, [_Object, POINTER(VectorInfo)]),
    "ale_vector_env": (_Object, [_Object, c_uint32]),
    "ale_vector_post": (c_int, [_Object, POINTER(Batch)]),
    "ale_vector_select": (c_int, [_Object, c_uint32, c_int32, c_int32]),
    "ale_vector_reset": (c_int, [_Object, _Buffer, _Buffer]),
    "ale_vector_send": (c_int, [_Object, _Buffer, _Buffer]),
    "ale_vector_recv": (c_int, [_Object]),
    "ale_vector_step": (c_int, [_Object, _Buffer, _Buffer, POINTER(Batch)]),
    "ale_vector_save": (c_int, [_Object, _Buffer, c_size_t, POINTER(c_size_t)]),
    "ale_vector_copy": (c_int, [_Object, _Buffer, _Buffer, c_uint32]),
    "ale_vector_restore": (c_int, [_Object, _Buffer, c_size_t]),
}


# ---- Loading -------------------------------------------------------------------------------------

_ADVICE = (
    "Install the package (pip install pyale_ma, or from its sources: pip install .), and do not "
    "import it from the source folder, which has no built library."
)


def library_path() -> str:
    """Where libale is: in the installed package, or (to debug) where ``PYALE_MA_LIBRARY`` says."""
    chosen = os.environ.get("PYALE_MA_LIBRARY")
    if chosen:
        return chosen
    name = {"darwin": "libale.dylib", "win32": "ale.dll"}.get(sys.platform, "libale.so")
    # In an editable install the sources are in one folder, the library in another; this knows both.
    return str(resources.files(__package__) / name)


def _load() -> ctypes.CDLL:
    path = library_path()
    if not os.path.isfile(path):
        raise ImportError(f"pyale_ma's library is missing: {path}\n{_ADVICE}", path=path)
    try:
        library = ctypes.CDLL(path)
        library.ale_abi_version.restype = c_uint32
        version = library.ale_abi_version()
    except (OSError, AttributeError) as error:
        raise ImportError(f"pyale_ma's library cannot be loaded: {error}\n{_ADVICE}") from error
    if version != ABI_VERSION:
        raise ImportError(
            f"{path} has version {version} of the ABI, this pyale_ma needs {ABI_VERSION}: "
            "the two are of different releases; reinstall pyale_ma."
        )
    for name, (result, arguments) in DECLARATIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


lib = _load()
VERSION: str = lib.ale_version().decode()


def quick(name: str) -> Any:
    """A function that returns a status, and passes on what it is given without a look at it.

    Its arguments must be ctypes objects as declared, or None; where 32 bits are declared, small
    ints will do.
    """
    return lib[name]


EXCEPTIONS: dict[int, type[Exception]] = {
    Status.INVALID_ARGUMENT: ValueError,
    Status.OUT_OF_MEMORY: MemoryError,
    Status.BAD_ROM: ValueError,
    Status.UNSUPPORTED: ValueError,
    Status.MODE_NOT_REACHED: RuntimeError,
    Status.BAD_STATE: ValueError,
    Status.OUT_OF_ORDER: RuntimeError,
    Status.BAD_CARD: ValueError,
}


def fail(status: int) -> NoReturn:
    """Raise what the library refused, in its own words."""
    raise EXCEPTIONS.get(status, RuntimeError)(lib.ale_last_error().decode())


def bits(mask: int) -> list[int]:
    """The numbers of the bits that are set, ascending."""
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]
