"""Atari 2600 games for reinforcement learning: one agent, several agents, many environments.

* `pyale_ma.single`: ``gymnasium.make("ALE/Pong-v5")``, and the console itself.
* `pyale_ma.multi`: PettingZoo environments for two to four players.
* `pyale_ma.vector`: thousands of environments in a batch.

Importing this package registers its environments with Gymnasium.
"""

from pyale_ma._native import VERSION as __version__
from pyale_ma.registration import register_ale_ids, register_envs
from pyale_ma.stand_in import install_as_ale_py

register_envs()

__all__ = ["__version__", "install_as_ale_py", "register_ale_ids"]
