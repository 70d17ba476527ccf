"""The equilibrium of a symmetric zero-sum game that has the most entropy, by SciPy.

It is what Nash averaging weights policies by (Balduzzi et al. 2018, arXiv 1806.02643).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.linalg import null_space
from scipy.optimize import linprog, minimize

__all__ = ["equilibrium"]

Array: TypeAlias = npt.NDArray[np.float64]

_NONE = 1e-7  # a probability that linear programming cannot tell from 0


def equilibrium(payoffs: Array) -> Array:
    """The mixture that nothing beats; of all such mixtures the one with the most entropy.

    So policies that are equal have equal shares, and copies of a policy share what it has alone.

    Args:
        payoffs: float64 (n, n), antisymmetric: what the row wins from the column.

    Returns:
        float64 (n,): probabilities.

    Raises:
        RuntimeError: SciPy finds none, which does not happen with numbers of ordinary size.
    """
    count = len(payoffs)
    # Mixtures that nothing beats are a polytope.  Its points with the largest share of each policy
    # say which have one at all, and their mean lies within.
    corners = np.array([_corner(payoffs, one) for one in range(count)])
    within = corners.mean(axis=0)
    members = corners.max(axis=0) > _NONE
    within = np.where(members, within, 0) / within[members].sum()
    # All members of a mixture win nothing: these are the directions in which that stays so.
    inner = null_space(
        np.vstack((payoffs[np.ix_(members, members)], np.ones(members.sum()))), rcond=1e-9
    )
    if inner.shape[1]:
        ways = np.zeros((count, inner.shape[1]))
        ways[members] = inner
        within = _most_even(within, ways, members, payoffs[~members])
    shares = np.clip(within, 0, None)
    mixture: Array = shares / shares.sum()
    return mixture


def _corner(payoffs: Array, one: int) -> Array:
    """The mixture that nothing beats with the largest share of one policy."""
    count = len(payoffs)
    solution = linprog(
        -np.eye(count)[one],
        A_ub=payoffs,
        b_ub=np.zeros(count),
        A_eq=np.ones((1, count)),
        b_eq=[1],
        bounds=(0, 1),
        method="highs",
    )
    if not solution.success:
        raise RuntimeError(f"no equilibrium was found: {solution.message}")
    shares: Array = np.clip(solution.x, 0, None)
    return shares


def _most_even(within: Array, ways: Array, members: npt.NDArray[np.bool_], others: Array) -> Array:
    """The point of the most entropy that one comes to from a point within."""

    def shares(way: Array) -> Array:
        each: Array = np.clip((within + ways @ way)[members], 1e-300, None)
        return each

    def disorder(way: Array) -> float:
        each = shares(way)
        return float(each @ np.log(each))

    def slope(way: Array) -> Array:
        gained: Array = ways[members].T @ (np.log(shares(way)) + 1)
        return gained

    limits = np.vstack((-ways[members], others @ ways))
    room = np.concatenate((within[members], -others @ within))
    solution = minimize(
        disorder,
        np.zeros(ways.shape[1]),
        jac=slope,
        constraints={
            "type": "ineq",
            "fun": lambda way: room - limits @ way,
            "jac": lambda way: -limits,
        },
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    if not solution.success:
        raise RuntimeError(f"no most even equilibrium was found: {solution.message}")
    best: Array = within + ways @ solution.x
    return best
