"""Many environments in a batch: `AtariVectorEnv`, a native Gymnasium vector environment.

``docs/vector.md`` is the guide.  `TorchVectorizedEnv` is for environments of other kinds.
"""

from pyale_ma.vector.deprecated import VectorAtariEnv
from pyale_ma.vector.env import AtariVectorEnv
from pyale_ma.vector.factory import make_atari_vector_env
from pyale_ma.vector.workers import TorchVectorizedEnv

__all__ = ["AtariVectorEnv", "TorchVectorizedEnv", "VectorAtariEnv", "make_atari_vector_env"]


def __dir__() -> list[str]:
    return sorted(__all__)
