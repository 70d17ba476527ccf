"""``ale_py.env``: the environment for Gymnasium."""

from pyale_ma.single.env import AtariEnv, AtariEnvStepMetadata

__all__ = ["AtariEnv", "AtariEnvStepMetadata"]
