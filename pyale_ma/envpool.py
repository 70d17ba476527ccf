"""EnvPool's interface to the native vector: `make` with EnvPool's ids, options and info keys.

A program for EnvPool needs another import::

    from pyale_ma import envpool  # was: import envpool

    envs = envpool.make("Pong-v5", env_type="gymnasium", num_envs=8, episodic_life=True)

The emulators differ in details, so trajectories are not equal; everything else is EnvPool 1.2's.
``docs/integrations.md`` lists what differs.  The options are in ``integrations/envpool/pool.py``.
"""

from pyale_ma.integrations.envpool.gymnasium_pool import (
    GymnasiumEnvPool,
    list_all_envs,
    make,
    make_dm,
    make_gym,
    make_gymnasium,
    make_spec,
)
from pyale_ma.integrations.envpool.pool import EnvSpec

__all__ = [
    "EnvSpec",
    "GymnasiumEnvPool",
    "list_all_envs",
    "make",
    "make_dm",
    "make_gym",
    "make_gymnasium",
    "make_spec",
]
