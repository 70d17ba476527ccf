"""Boxing: two boxers seen from above; land as many punches as you can.

A punch counts 1 or 2 points, more from close by.

Rewards: a boxer's points; the other boxer gets as much less.
End: two minutes have passed, or a boxer has 100 points.
"""

from pyale_ma.multi.module_functions import entry_points

__all__ = ["env", "parallel_env", "raw_env", "vector_options"]

env, parallel_env, raw_env, vector_options = entry_points(__name__)
