"""The ratios of the rows of a matrix, on which all levels with PRAM depend.

For two rows *u* and *v*, ``R(a) = A[u][a] / A[v][a]``; its extremes over the shown categories, for
all pairs of rows. Of a matrix of floats the minima are rounded down, so far that they are below
those of the exact entries, and of the same with rows of sum 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import Array
from privlib.disclosure import bounds
from privlib.disclosure import validation as valid

MAX_RATIOS = 2 * 10**10  # pairs of rows, times columns: about a minute
MAX_EXACT_RATIOS = 3 * 10**7  # the same of fractions

# What other folders of the package may use; the rest is for this part.
__all__ = ["Extremes", "extremes"]


@dataclass(frozen=True, eq=False)
class Extremes:
    """The ratios of a matrix, their minima on the safe side, and the same from logarithms.

    Parameters
    ----------
    low, high : ndarray, shape (N, N)
        Least and largest ratio of each pair of rows.
    gamma, g2 : Fraction
        The minima of Theorem 5.1, neither above the true one.
    exact : bool
        Whether the matrix is rational.
    unevenness : Fraction
        Largest ratio of two sums of rows.
    logs, log_highs : ndarray of float, shape (N, N)
        Logarithms of `low` and `high`, found without a division.
    again : tuple of float
        `gamma` and `g2` from the logarithms.

    Examples
    --------
    >>> most, least = Fraction(3, 4), Fraction(1, 4)
    >>> found = extremes("pk_level", [[most, least], [least, most]])
    >>> found.gamma, found.g2, found.exact
    (Fraction(1, 3), Fraction(1, 9), True)
    """

    low: Array
    high: Array
    gamma: Fraction
    g2: Fraction
    exact: bool
    unevenness: Fraction
    logs: checks.FloatArray
    log_highs: checks.FloatArray
    again: tuple[float, float]


def extremes(where: str, transition: Any) -> Extremes:
    """Return the ratios of a matrix, by division and by logarithms.

    Parameters
    ----------
    where : str
        Name of the public function, for the messages.
    transition : array_like, DataFrame, sparse matrix or Graph, shape (N, M)
        Row-stochastic matrix, no zero beside a positive entry of its column.

    Returns
    -------
    Extremes
        Of the columns that are shown with a positive probability.

    Raises
    ------
    ValueError, TypeError
        The matrix is not row-stochastic, has a 0 beside a positive entry of its column, or has
        more than `MAX_RATIOS` ratios (`MAX_EXACT_RATIOS`, if they are fractions).

    Examples
    --------
    The minima of a matrix of floats are rounded down.

    >>> found = extremes("pk_level", [[0.75, 0.25], [0.25, 0.75]])
    >>> found.low.round(3).tolist(), found.gamma < Fraction(1, 3)
    ([[1.0, 0.333], [0.333, 1.0]], True)
    """
    A, used = positive(where, transition)
    A = A.take(used, axis=1)
    low, high, _, _ = of_pairs(where, A, used)
    logs, log_highs = bounds.log_extremes(A)
    again = math.exp(logs.min()), math.exp((logs - log_highs).min())
    result = partial(Extremes, low, high, logs=logs, log_highs=log_highs, again=again)
    whole = Fraction(1)
    if A.dtype == object:
        return result(low.min(), (low / high).min(), exact=True, unevenness=whole)
    least = float(low.min())
    if least == 1:  # all rows are the same
        return result(whole, whole, exact=False, unevenness=whole)
    # A quotient of floats is rounded once; one of two quotients three times.
    unevenness = sums_ratio(A)
    gamma = Fraction(math.nextafter(least, 0)) / unevenness
    g2 = float((low / high).min())
    for _ in range(3):
        g2 = math.nextafter(g2, 0)
    return result(gamma, min(Fraction(g2), gamma), exact=False, unevenness=unevenness)


def sums_ratio(A: checks.FloatArray) -> Fraction:
    """Return the largest ratio of two sums of rows, which are 1 but for rounding."""
    misses = bounds.sums_minus_one(A)
    return (1 + Fraction(float(misses.max()))) / (1 + Fraction(float(misses.min())))


def positive(where: str, transition: Any) -> tuple[Array, Array]:
    """Return a matrix without a zero beside a positive entry, and the columns that are shown."""
    A, _, _ = valid.matrix(where, transition)
    used = np.flatnonzero(A.any(axis=0))
    zeros = np.argwhere(A.take(used, axis=1) == 0)
    if zeros.size:
        raise ValueError(
            f"{where}: transition must not have zeros beside positive entries of a column (then "
            f"only k >= 1 is certain), got 0 in row {zeros[0, 0]}, column {used[zeros[0, 1]]}"
        )
    return A, used


def limit_work(where: str, A: Array, *, exact: bool) -> None:
    """Refuse to compare all pairs of rows of a matrix if it is too large, in fractions or floats.

    Parameters
    ----------
    where : str
        Name of the public function, for the message.
    A : ndarray, shape (N, M)
        The matrix.
    exact : bool
        Whether the ratios are to be fractions, which take a thousand times as long.

    Raises
    ------
    ValueError
        There are more than `MAX_RATIOS` ratios, or `MAX_EXACT_RATIOS` fractions.

    Examples
    --------
    >>> limit_work("pk_level", np.full((2, 2), 0.5), exact=False)
    """
    rows, columns = A.shape
    most = MAX_EXACT_RATIOS if exact else MAX_RATIOS
    what = "ratios (pairs of rows of transition, times columns)"
    _safety.limit(where, what, rows**2 * columns, most, "merge categories")


def of_pairs(where: str, A: Array, used: Array) -> tuple[Array, ...]:
    """Return min and max of the ratios of all pairs of rows, and in which of the `used` columns."""
    limit_work(where, A, exact=A.dtype == object)
    lows = []
    highs = []
    at_lows = []
    at_highs = []
    with np.errstate(over="ignore", under="ignore"):
        for row in A:  # one category at a time, so that memory is O(N M)
            R = row / A
            lows.append(R.min(axis=1))
            highs.append(R.max(axis=1))
            at_lows.append(used[R.argmin(axis=1)])
            at_highs.append(used[R.argmax(axis=1)])
    return np.array(lows), np.array(highs), np.array(at_lows), np.array(at_highs)
