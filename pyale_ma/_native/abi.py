"""The constants, enumerations, structs and functions of libale, as ctypes needs them.

Written by libale/generate_abi.py from libale/include/ale/ale.h, which says what everything means:
change the header, then run the generator.  The rest of the package imports all this from `_native`.
"""

from __future__ import annotations

import ctypes
from ctypes import (
    POINTER,
    c_char,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
)
from enum import IntEnum
from typing import Any, ClassVar

ABI_VERSION = 1
VERSION = "1.0.0"
ACTION_COUNT = 18
MAX_PLAYERS = 4
GAME_UNKNOWN = -1
GAME_NONE = -2
GAME_CARD = -3
MAX_ROM_SIZE = 524288
MAX_TERMINALS = 8
MAX_FRAME_SKIP = 10000
MAX_NOOPS = 100000
FAST_CPU = 1
FAST_LOOPS = 2
FAST_RASTER = 4
FAST_ROWS = 8
FAST_TRANSLATE = 16
FAST_ENGINE = 32
FAST_ALL = 63
OUT = -1
SCREEN_WIDTH = 160
RAM_SIZE = 128
AUDIO_SIZE = 512
OBJECT_COUNT = 6
LABEL_BYTES = 8
OPEN = -1


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
    STOPPED = 10
    BAD_ACTION = 11
    INTERRUPTED = 12


class Action(IntEnum):
    """``ale_action``: what one player does with the controller for a frame."""

    NOOP = 0
    FIRE = 1
    UP = 2
    RIGHT = 3
    LEFT = 4
    DOWN = 5
    UPRIGHT = 6
    UPLEFT = 7
    DOWNRIGHT = 8
    DOWNLEFT = 9
    UPFIRE = 10
    RIGHTFIRE = 11
    LEFTFIRE = 12
    DOWNFIRE = 13
    UPRIGHTFIRE = 14
    UPLEFTFIRE = 15
    DOWNRIGHTFIRE = 16
    DOWNLEFTFIRE = 17


class Rules(IntEnum):
    """``ale_rules``: the rule set under which an environment plays its game."""

    SOLO = 0
    MULTI = 1
    BY_MODE = 2


class Format(IntEnum):
    """``ale_format``."""

    FORMAT_AUTO = -1
    NTSC = 0
    PAL = 1
    SECAM = 2


class When(IntEnum):
    """``ale_when``: when a label ends the episode."""

    CHANGES = 0
    RISES = 1
    FALLS = 2
    STAYS = 3


class Pixels(IntEnum):
    """``ale_pixels``."""

    INDEXED = 0
    RGB = 1
    GRAYSCALE = 2
    OBJECTS = 3


class Object(IntEnum):
    """``ale_object``: the objects from which the console's video chip, the TIA, draws a picture."""

    PLAYER0 = 0
    PLAYER1 = 1
    MISSILE0 = 2
    MISSILE1 = 3
    BALL = 4
    PLAYFIELD = 5


class LabelKind(IntEnum):
    """``ale_label_kind``."""

    LABEL_X = 0
    LABEL_Y = 1
    LABEL_SCORE = 2
    LABEL_LIVES = 3
    LABEL_NUMBER = 4


class LabelCode(IntEnum):
    """``ale_label_code``: how bytes are a number."""

    LABEL_BINARY = 0
    LABEL_BCD = 1
    LABEL_DIGITS = 2
    LABEL_HMOVE = 3
    LABEL_SIGNED = 4


class Observation(IntEnum):
    """``ale_observation``."""

    OBSERVE_GRAYSCALE = 0
    OBSERVE_RGB = 1
    OBSERVE_RAM = 2
    OBSERVE_OBJECTS = 3
    OBSERVE_LABELS = 4


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
    """``ale_game_info``: a game under one rule set."""

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
        ("default_modes", c_int32 * MAX_PLAYERS),
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
    default_modes: ctypes.Array[c_int32]


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
        ("default_modes", c_int32 * MAX_PLAYERS),
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
    default_modes: ctypes.Array[c_int32]


class Terminal(ctypes.Structure):
    """``ale_terminal``."""

    _fields_: ClassVar = [
        ("label", c_char_p),
        ("when", c_int32),
        ("frames", c_uint32),
    ]
    label: bytes
    when: int
    frames: int


class RomOptions(Struct):
    """``ale_rom_options``."""

    _fields_: ClassVar = [
        ("struct_size", c_uint32),
        ("format", c_int32),
        ("game", c_char_p),
        ("scheme", c_char_p),
        ("card", c_void_p),
        ("variation", c_char_p),
        ("terminals", c_void_p),
        ("terminal_count", c_uint32),
    ]
    format: int
    game: bytes | None
    scheme: bytes | None
    card: c_void_p | int | None
    variation: bytes | None
    terminals: c_void_p | int | None
    terminal_count: int


class RomInfo(Struct):
    """``ale_rom_info``."""

    _fields_: ClassVar = [
        ("struct_size", c_uint32),
        ("game", c_int32),
        ("md5", c_char * 40),
        ("scheme", c_char_p),
        ("format", c_int32),
        ("paddles", c_uint32),
        ("translated", c_uint32),
    ]
    game: int
    md5: bytes
    scheme: bytes
    format: int
    paddles: int
    translated: int


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
        ("frame_limit", c_void_p),
        ("idle_action", c_int32),
        ("corrected_rules", c_uint32),
    ]
    rules: int
    random_seed: int
    system_seed: int
    repeat_action_probability: float
    frame_skip: int
    max_num_frames_per_episode: int
    truncate_on_loss_of_life: int
    reward_min: int
    reward_max: int
    paddle_min: int
    paddle_max: int
    color_averaging: int
    sound: int
    max_turn_time: int
    fast_paths: int
    objects: int
    frame_limit: c_void_p | int | None
    idle_action: int
    corrected_rules: int


class EnvInfo(Struct):
    """``ale_env_info``: what stays the same as long as an environment exists."""

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
        ("default_modes", c_int32 * MAX_PLAYERS),
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
    default_modes: ctypes.Array[c_int32]


class Report(Struct):
    """``ale_report``: the current status of an environment."""

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
        ("ended_by", c_int32),
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
    ended_by: int


class Screens(Struct):
    """``ale_screens``: buffers for the screen."""

    _fields_: ClassVar = [
        ("struct_size", c_uint32),
        ("pixels", c_int32),
        ("count", c_uint32),
        ("size", c_size_t),
        ("out", c_void_p * MAX_PLAYERS),
        ("report", c_void_p),
    ]
    pixels: int
    count: int
    size: int
    out: ctypes.Array[c_void_p]
    report: c_void_p | int | None


class ObjectBox(ctypes.Structure):
    """``ale_object_box``: a box around pixels of one object that belong together."""

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


class Label(Struct):
    """``ale_label``: a label."""

    _fields_: ClassVar = [
        ("struct_size", c_uint32),
        ("kind", c_int32),
        ("name", c_char_p),
        ("about", c_char_p),
        ("player", c_uint32),
        ("byte_count", c_uint32),
        ("places", c_uint8 * LABEL_BYTES),
        ("mask", c_uint64),
        ("code", c_int32),
        ("blank", c_int32),
        ("scale", c_int32),
        ("offset", c_int32),
        ("low", c_int32),
        ("high", c_int32),
    ]
    kind: int
    name: bytes
    about: bytes
    player: int
    byte_count: int
    places: ctypes.Array[c_uint8]
    mask: int
    code: int
    blank: int
    scale: int
    offset: int
    low: int
    high: int


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
        ("frame_limit", c_void_p),
        ("fast_paths", c_uint32),
        ("corrected_rules", c_uint32),
        ("fill_stack", c_uint32),
        ("crop", c_uint32 * 4),
    ]
    batch_size: int
    num_threads: int
    thread_affinity_offset: int
    patience_ms: int
    rules: int
    players: int
    autoreset: int
    observation: int
    img_height: int
    img_width: int
    stack_num: int
    frame_skip: int
    maxpool: int
    noop_max: int
    use_fire_reset: int
    episodic_life: int
    life_loss_info: int
    reward_clipping: int
    max_num_frames_per_episode: int
    repeat_action_probability: float
    full_action_space: int
    sound: int
    agent_indicator: int
    mirror: int
    frame_limit: c_void_p | int | None
    fast_paths: int
    corrected_rules: int
    fill_stack: int
    crop: ctypes.Array[c_uint32]


class Batch(Struct):
    """``ale_batch``: memory for the results of one batch."""

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
        ("labels", c_void_p),
        ("starts", c_void_p),
        ("ended_by", c_void_p),
        ("observation_stride", c_size_t),
    ]
    observations: c_void_p | int | None
    rewards: c_void_p | int | None
    terminations: c_void_p | int | None
    truncations: c_void_p | int | None
    env_ids: c_void_p | int | None
    lives: c_void_p | int | None
    frame_numbers: c_void_p | int | None
    episode_frame_numbers: c_void_p | int | None
    episode_ends: c_void_p | int | None
    episode_returns: c_void_p | int | None
    episode_lengths: c_void_p | int | None
    unclipped_rewards: c_void_p | int | None
    ram: c_void_p | int | None
    sound: c_void_p | int | None
    final_observations: c_void_p | int | None
    final_lives: c_void_p | int | None
    final_frame_numbers: c_void_p | int | None
    final_episode_frame_numbers: c_void_p | int | None
    labels: c_void_p | int | None
    starts: c_void_p | int | None
    ended_by: c_void_p | int | None
    observation_stride: int


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


class Stretches(Struct):
    """``ale_stretches``: stretches of play, for ale_vector_play()."""

    _fields_: ClassVar = [
        ("struct_size", c_uint32),
        ("count", c_uint32),
        ("states", c_void_p),
        ("sizes", c_void_p),
        ("steps", c_void_p),
        ("observations", c_void_p),
        ("played", c_void_p),
        ("actions", c_void_p),
        ("strengths", c_void_p),
        ("observed", c_void_p),
        ("rewards", c_void_p),
        ("terminations", c_void_p),
        ("truncations", c_void_p),
        ("resets", c_uint64),
        ("reset_steps", c_void_p),
        ("seeds", c_void_p),
        ("modes", c_void_p),
        ("difficulties", c_void_p),
    ]
    count: int
    states: c_void_p | int | None
    sizes: c_void_p | int | None
    steps: c_void_p | int | None
    observations: c_void_p | int | None
    played: c_void_p | int | None
    actions: c_void_p | int | None
    strengths: c_void_p | int | None
    observed: c_void_p | int | None
    rewards: c_void_p | int | None
    terminations: c_void_p | int | None
    truncations: c_void_p | int | None
    resets: int
    reset_steps: c_void_p | int | None
    seeds: c_void_p | int | None
    modes: c_void_p | int | None
    difficulties: c_void_p | int | None


class Rollout(Struct):
    """``ale_rollout``: many steps of the first `count` environments, for ale_vector_roll_out()."""

    _fields_: ClassVar = [
        ("struct_size", c_uint32),
        ("count", c_uint32),
        ("steps", c_uint32),
        ("discount", c_double),
        ("actions", c_void_p),
        ("returns", c_void_p),
        ("ended", c_void_p),
    ]
    count: int
    steps: int
    discount: float
    actions: c_void_p | int | None
    returns: c_void_p | int | None
    ended: c_void_p | int | None


class PolicyNumbers(Struct):
    """``ale_policy_numbers``: the network of a policy."""

    _fields_: ClassVar = [
        ("struct_size", c_uint32),
        ("players", c_uint32),
        ("used_count", c_uint32),
        ("neurons_1", c_uint32),
        ("neurons_2", c_uint32),
        ("action_count", c_uint32),
        ("shift_1", c_uint32),
        ("shift_2", c_uint32),
        ("shift_3", c_uint32),
        ("used", c_void_p),
        ("actions", c_void_p),
        ("numbers", c_void_p),
        ("size", c_size_t),
    ]
    players: int
    used_count: int
    neurons_1: int
    neurons_2: int
    action_count: int
    shift_1: int
    shift_2: int
    shift_3: int
    used: c_void_p | int | None
    actions: c_void_p | int | None
    numbers: c_void_p | int | None
    size: int


# ---- Functions -----------------------------------------------------------------------------------

_Object = c_void_p  # ale_rom *, ale_env *, ale_state *, ...
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
    "ale_game_modes": (c_int, [c_int32, c_int, c_uint32, _Buffer, c_size_t, POINTER(c_size_t)]),
    "ale_card_create": (c_int, [c_char_p, c_size_t, POINTER(_Object)]),
    "ale_card_release": (None, [_Object]),
    "ale_card_describe": (c_int, [_Object, c_int, POINTER(CardInfo)]),
    "ale_card_modes": (c_int, [_Object, c_int, c_uint32, _Buffer, c_size_t, POINTER(c_size_t)]),
    "ale_card_variation": (c_char_p, [_Object, c_uint32]),
    "ale_rom_options_init": (None, [POINTER(RomOptions), c_uint32]),
    "ale_rom_create": (c_int, [_Buffer, c_size_t, POINTER(RomOptions), POINTER(_Object)]),
    "ale_rom_retain": (_Object, [_Object]),
    "ale_rom_release": (None, [_Object]),
    "ale_rom_describe": (c_int, [_Object, POINTER(RomInfo)]),
    "ale_set_frame_limit": (None, [POINTER(c_uint32), c_uint32]),
    "ale_env_options_init": (None, [POINTER(EnvOptions), c_uint32]),
    "ale_env_create": (c_int, [_Object, POINTER(EnvOptions), POINTER(_Object)]),
    "ale_env_destroy": (None, [_Object]),
    "ale_env_describe": (c_int, [_Object, POINTER(EnvInfo)]),
    "ale_env_report": (POINTER(Report), [_Object]),
    "ale_env_reset": (c_int, [_Object]),
    "ale_env_reload": (c_int, [_Object, c_uint32]),
    "ale_env_act": (c_int, [_Object, _Buffer, _Buffer, c_uint32, c_uint32]),
    "ale_env_act_alone": (c_int64, [_Object, c_int32, c_uint32]),
    "ale_env_modes": (c_int, [_Object, c_uint32, _Buffer, c_size_t, POINTER(c_size_t)]),
    "ale_env_set_mode": (c_int, [_Object, c_int32]),
    "ale_env_set_difficulty": (c_int, [_Object, c_int32]),
    "ale_env_step": (c_int, [_Object, _Buffer, _Buffer, c_uint32, c_uint32, POINTER(Screens)]),
    "ale_env_screen": (c_int, [_Object, c_int, _Buffer, c_size_t]),
    "ale_env_screen_indices": (_Buffer, [_Object]),
    "ale_env_object_boxes": (c_int, [_Object, POINTER(ObjectBox), c_size_t, POINTER(c_size_t)]),
    "ale_env_palette": (c_int, [_Object, c_int, _Buffer, c_size_t]),
    "ale_env_ram": (_Buffer, [_Object]),
    "ale_env_set_ram": (c_int, [_Object, c_uint32, c_uint32]),
    "ale_env_audio": (_Buffer, [_Object]),
    "ale_game_label_count": (c_uint32, [c_int32]),
    "ale_game_label": (c_int, [c_int32, c_uint32, POINTER(Label)]),
    "ale_env_labels": (c_int, [_Object, _Buffer, c_size_t, POINTER(c_size_t)]),
    "ale_label_bound": (c_int, [POINTER(Label)]),
    "ale_label_values": (c_int, [POINTER(POINTER(Label)), c_uint32, _Buffer, c_size_t, _Buffer]),
    "ale_state_create": (c_int, [POINTER(_Object)]),
    "ale_state_destroy": (None, [_Object]),
    "ale_state_describe": (c_int, [_Object, POINTER(StateInfo)]),
    "ale_state_equal": (c_int, [_Object, _Object, POINTER(c_uint32)]),
    "ale_env_save": (c_int, [_Object, c_uint32, _Object]),
    "ale_env_restore": (c_int, [_Object, _Object]),
    "ale_env_seed": (c_int, [_Object, c_uint32]),
    "ale_env_copy": (c_int, [_Object, _Object]),
    "ale_state_serialize": (c_int, [_Object, _Buffer, c_size_t]),
    "ale_state_deserialize": (c_int, [_Object, _Buffer, c_size_t]),
    "ale_starts_create": (c_int, [_Object, POINTER(_Object), _Buffer, c_uint32, POINTER(_Object)]),
    "ale_starts_release": (None, [_Object]),
    "ale_env_start": (c_int, [_Object, _Object, c_int64, _Buffer]),
    "ale_vector_options_init": (None, [POINTER(VectorOptions), c_uint32]),
    "ale_vector_check": (c_int, [POINTER(VectorOptions), c_uint32]),
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
    "ale_vector_set_starts": (c_int, [_Object, _Object]),
    "ale_vector_reset_from": (
        c_int,
        [_Object, _Buffer, _Buffer, _Buffer, _Buffer, _Object, _Buffer, c_uint32],
    ),
    "ale_vector_send": (c_int, [_Object, _Buffer, _Buffer]),
    "ale_vector_send_to": (c_int, [_Object, _Buffer, c_uint32, _Buffer, _Buffer]),
    "ale_vector_recv": (c_int, [_Object]),
    "ale_vector_wait": (c_int, [_Object]),
    "ale_vector_discard": (c_int, [_Object]),
    "ale_vector_step": (c_int, [_Object, _Buffer, _Buffer, POINTER(Batch)]),
    "ale_vector_copy": (c_int, [_Object, _Buffer, _Buffer, c_uint32]),
    "ale_vector_seed": (c_int, [_Object, _Buffer, _Buffer, c_uint32]),
    "ale_vector_save": (c_int, [_Object, _Buffer, c_size_t, POINTER(c_size_t)]),
    "ale_vector_restore": (c_int, [_Object, _Buffer, c_size_t]),
    "ale_vector_saved_equal": (
        c_int,
        [_Object, _Buffer, c_size_t, _Buffer, c_size_t, POINTER(c_uint32)],
    ),
    "ale_vector_save_env": (c_int, [_Object, c_uint32, _Buffer, c_size_t, POINTER(c_size_t)]),
    "ale_vector_restore_env": (c_int, [_Object, c_uint32, _Buffer, c_size_t]),
    "ale_vector_play": (c_int, [_Object, POINTER(Stretches)]),
    "ale_vector_roll_out": (c_int, [_Object, POINTER(Rollout)]),
    "ale_policy_create": (c_int, [POINTER(PolicyNumbers), POINTER(_Object)]),
    "ale_policy_release": (None, [_Object]),
    "ale_policy_act": (
        c_int,
        [
            _Object,
            c_uint32,
            _Buffer,
            _Buffer,
            _Buffer,
            POINTER(c_uint32),
            _Buffer,
            _Buffer,
            c_size_t,
        ],
    ),
    "ale_vector_seat": (c_int, [_Object, c_uint32, c_uint32, _Object, c_uint32]),
    "ale_vector_choose": (c_int, [_Object, _Buffer]),
}
