"""Many games in a batch: `AtariVectorEnv`, a native Gymnasium vector environment.

``docs/vector.md`` is the guide.
"""

from pyale_ma.vector.env import AtariVectorEnv
from pyale_ma.vector.factory import make_atari_vector_env
from pyale_ma.vector.older_names import VectorAtariEnv

__all__ = ["AtariVectorEnv", "VectorAtariEnv", "make_atari_vector_env"]
