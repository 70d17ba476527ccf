"""``ale_py.vector_env``: the vector environment."""

from pyale_ma.vector import AtariVectorEnv

__all__ = ["AtariVectorEnv"]
