"""What rounding can hide of a risk from a matrix of floats, so that it can be rounded up.

A match probability is a ratio of two sums over the injections of slots into people, each term a
product of *s* entries. What is rounded up here is not below the probability

- for the entries as they are;
- for rows divided by their sums: two injections differ in at most min(s, n - s) people;
- for rows completed to 1 in any one entry that this changes by a part of 2^40 at most: more would
  not be rounding.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from privlib import _checks as checks
from privlib._checks import Array
from privlib.disclosure import _matching as matching
from privlib.disclosure import bounds, ratios

_PARTS = 2.0**40


@dataclass(frozen=True)
class RowSums:
    """How far the rows of a matrix are from 1 in sum.

    Attributes
    ----------
    unevenness : float
        Logarithm of the largest ratio of two sums.
    completion : float
        By how much, relatively, an entry may change if it makes the sum of its row 1.
    exact : bool
        Whether the matrix is rational, so that both are 0.
    """

    unevenness: float
    completion: float
    exact: bool

    @classmethod
    def of(cls, A: Array) -> RowSums:
        """Return what misses in the rows of a checked matrix."""
        if checks.is_exact(A):
            return cls(0.0, 0.0, exact=True)
        misses = np.abs(bounds.sums_minus_one(A))[:, None]
        large = np.where((A > 0) & (misses * _PARTS <= A), A, np.inf)
        completion = float(np.max(misses / large))
        uneven = ratios.sums_ratio(A) - 1
        return cls(math.log1p(float(uneven)), completion, exact=False)


def relative(rows: Sequence[RowSums], tau: Array, shown: Array, weights: Array) -> float:
    """Return by how much, relatively, results of `matching.by_value` may be off: 0 if exact."""
    if all(row.exact for row in rows):
        return 0.0
    slots = shown.size
    exchanged = min(slots, tau.size - slots)
    uneven = exchanged * sum(row.unevenness for row in rows)
    completion = 2 * slots * sum(row.completion for row in rows)
    products = 2 * slots * len(rows) * 2.0**-52
    logarithms = matching.relative_error(tau, shown, weights)
    return logarithms + products + uneven + completion


def around(risks: Iterable[Fraction], error: float) -> tuple[list[Fraction], list[Fraction]]:
    """Return the risks from below and from above, at most 1, for a relative error."""
    if error == 0:
        exact = list(risks)
        return exact, exact
    factor = 1 + Fraction(math.expm1(min(error, 700.0)) * (1 + 2.0**-50))
    low = [risk / factor for risk in risks]
    high = [min(risk * factor, Fraction(1)) for risk in risks]
    return low, high
