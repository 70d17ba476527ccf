"""``ale_py.registration``: the functions that register the ids."""

from pyale_ma.single.registration import register_v0_v4_envs, register_v5_envs, rom_id_to_name

__all__ = ["register_v0_v4_envs", "register_v5_envs", "rom_id_to_name"]
