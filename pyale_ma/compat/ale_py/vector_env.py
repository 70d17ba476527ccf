"""``ale_py.vector_env``: the vector environment."""

from pyale_ma.single import AtariEnv, AtariVectorEnv

__all__ = ["AtariEnv", "AtariVectorEnv"]
