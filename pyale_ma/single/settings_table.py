"""The settings of an `ALEInterface`: named values, kept as text and read as numbers."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pyale_ma._base.text import nearest
from pyale_ma.console.settings import CORE, Settings, text_of

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


class SettingsTable(Settings):
    """The settings of ale-py, each of one type."""

    def __init__(self) -> None:
        super().__init__(CORE)
        self._types = {key: kind for kind, group in TYPED.items() for key in group}
        for group in TYPED.values():
            self.update((key, text_of(value)) for key, value in group.items())

    def set(self, key: str, value: bool | int | float | str, kind: type) -> None:
        """Change one setting.

        Raises:
            RuntimeError: There is no such setting, or it is of another type than `kind`.
        """
        if key not in CORE and self._types.get(key) is not kind:
            have = self._types.get(key)
            absent = f"there is no such setting; {nearest(key, self)}"
            what = f"it is of type {have.__name__}" if have else absent
            raise RuntimeError(f"The key {key!r} cannot be set to {value!r}: {what}.")
        self[key] = text_of(value)
        for name, (low, high, usual) in _RANGES.items():
            if not low <= self.get_int(name) <= high:
                self[name] = usual
        if self["palette"] not in _PALETTES:
            self["palette"] = "standard"
