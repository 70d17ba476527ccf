"""``ale_py.registration``: its functions, which register this package's environments."""

from pyale_ma.games.rom_files import env_name
from pyale_ma.registration import (
    register_ale_ids as register_v0_v4_envs,
    register_ale_ids as register_v5_envs,
)

__all__ = ["register_v0_v4_envs", "register_v5_envs", "rom_id_to_name"]


def rom_id_to_name(rom: str) -> str:
    """The name in an environment's id: "MsPacman" for "ms_pacman"."""
    return env_name(rom)
