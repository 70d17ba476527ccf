"""The settings of an `ALEInterface`: named values, kept as text and read as numbers."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pyale_ma._base.text import nearest
from pyale_ma.console.settings_text import CORE, float_in, int_in, text_of, truth_in

# Settings that only the setter of their own type takes, by type, with what they are at first.
TYPED: Mapping[type, Mapping[str, bool | int | float | str]] = MappingProxyType(
    {
        int: {
            "random_seed": -1,
            "system_random_seed": 4753849,
            "frame_skip": 1,
            "max_num_frames_per_episode": 0,
            "reward_min": -(2**31),
            "reward_max": 2**31 - 1,
            "paddle_min": -1,
            "paddle_max": -1,
            "max_turn_time": -1,
            "max_num_frames": 0,
        },
        bool: {
            "truncate_on_loss_of_life": False,
            "color_averaging": False,
            "corrected_rules": False,
            "sound_obs": False,
            "objects_obs": False,
            "display_screen": False,
            "run_length_encoding": True,
            "restricted_action_set": False,
            "send_rgb": False,
        },
        float: {"repeat_action_probability": 0.25},
        str: {"record_screen_dir": "", "record_sound_filename": "", "cpu": "low", "rom_file": ""},
    }
)
_RANGES = {"volume": (0, 100, "100"), "freq": (0, 48000, "31400"), "tiafreq": (0, 48000, "31400")}
_PALETTES = ("standard", "z26", "user")


class SettingsTable:
    """The table of settings, complete from the start.

    Attributes:
        texts: What is set, by the names of the settings.
    """

    def __init__(self) -> None:
        self._types = {key: kind for kind, group in TYPED.items() for key in group}
        self.texts = {key: text_of(v) for group in TYPED.values() for key, v in group.items()}
        self.texts.update(CORE)

    def set(self, key: str, value: bool | int | float | str, kind: type) -> None:
        """Change one setting.

        Raises:
            RuntimeError: There is no such setting, or it is of another type than `kind`.
        """
        if key not in CORE and self._types.get(key) is not kind:
            have = self._types.get(key)
            keys = [*CORE, *self._types]
            absent = f"there is no such setting; {nearest(key, keys)}"
            what = f"it is of type {have.__name__}" if have else absent
            raise RuntimeError(f"The key {key!r} cannot be set to {value!r}: {what}.")
        self.texts[key] = text_of(value)
        for name, (low, high, usual) in _RANGES.items():
            if not low <= self.get_int(name) <= high:
                self.texts[name] = usual
        if self.texts["palette"] not in _PALETTES:
            self.texts["palette"] = "standard"

    def get_string(self, key: str) -> str:
        """The text; "" for an unknown setting."""
        return self.texts.get(key, "")

    def get_int(self, key: str) -> int:
        """The whole number that the text begins with, 0 if none; -1 for an unknown setting."""
        return int_in(self.texts.get(key, "-1"))

    def get_float(self, key: str) -> float:
        """The number that the text begins with, as float32, 0 if none; -1 if unknown."""
        return float_in(self.texts.get(key, "-1"))

    def get_bool(self, key: str) -> bool:
        """Whether the text says yes; False for an unknown setting."""
        return truth_in(self.texts.get(key, ""), is_core=key in CORE)
