"""Many environments in a batch: `AtariVectorEnv`, a native Gymnasium vector environment.

``docs/vector.md`` is the guide.
"""

import gymnasium.vector

if not hasattr(gymnasium.vector, "AutoresetMode"):
    raise ImportError(
        f"vectors need Gymnasium 1.1 or later, and {gymnasium.__version__} is installed: run "
        "`pip install 'gymnasium>=1.1'`"
    )

from pyale_ma.vector.branches import Branches
from pyale_ma.vector.env import AtariVectorEnv

__all__ = ["AtariVectorEnv", "Branches"]
