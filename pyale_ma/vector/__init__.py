"""Many environments in a batch: `AtariVectorEnv`, a native Gymnasium vector environment.

``docs/vector.md`` is the guide.
"""

from pyale_ma.vector.env import AtariVectorEnv

__all__ = ["AtariVectorEnv"]
