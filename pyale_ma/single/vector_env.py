"""``ale_py.vector_env``: where code for ale-py looks for `AtariVectorEnv`."""

from pyale_ma.vector import AtariVectorEnv

__all__ = ["AtariVectorEnv"]
