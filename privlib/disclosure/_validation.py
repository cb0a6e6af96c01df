"""Checks of the arguments of `privlib.disclosure`: sizes, codes, transition matrices.

What is rational stays rational: integers and fractions come back as ``Fraction``, and only
floats make floats. That is what lets the same function give an exact answer or a fast one.
"""

from __future__ import annotations

import math
import numbers
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks

choice = checks.choice

IntArray = npt.NDArray[np.int64]
Number = Fraction | float

SUM_TOLERANCE = 1e-9


def number(where: str, name: str, value: Any) -> Number:
    """Return `value` as a ``Fraction`` if it is rational, else as a finite float."""
    if isinstance(value, numbers.Rational) and not isinstance(value, bool):
        return Fraction(int(value.numerator), int(value.denominator))
    return checks.real(where, name, value)


def non_negative(where: str, name: str, value: Any) -> Number:
    """Return `value` as a number that is not negative."""
    result = number(where, name, value)
    if result < 0:
        raise ValueError(f"{where}: {name} must not be negative, got {value!r}")
    return result


def probability(where: str, name: str, value: Any, *, positive: bool = False) -> Number:
    """Return `value` as a number in [0, 1], or in (0, 1] if it has to be `positive`."""
    result = number(where, name, value)
    if not 0 <= result <= 1 or (positive and result == 0):
        bracket = "(" if positive else "["
        raise ValueError(f"{where}: {name} must be in {bracket}0, 1], got {value!r}")
    return result


def at_least_one(where: str, name: str, value: Any) -> Number:
    """Return `value` as a number of at least 1 (a level *k*)."""
    result = number(where, name, value)
    if result < 1:
        raise ValueError(f"{where}: {name} must be at least 1, got {value!r}")
    return result


def sizes(where: str, n: Any, n_sampled: Any) -> tuple[int, int]:
    """Return the number of records and of sampled ones, ``1 <= n_sampled <= n``."""
    records = checks.integer(where, "n", n, low=1)
    return records, checks.integer(where, "n_sampled", n_sampled, low=1, high=records)


def codes(where: str, name: str, values: Any, categories: int) -> IntArray:
    """Return `values` as a vector of codes ``0..categories-1``; an empty one is refused."""
    array = np.asarray(values)
    if array.ndim != 1 or not array.size:
        raise ValueError(
            f"{where}: {name} must be a non-empty vector of codes, got shape {array.shape}"
        )
    if array.dtype.kind not in "iu":
        raise TypeError(f"{where}: {name} must hold integer codes, got {values!r}")
    bad = array[(array < 0) | (array >= categories)]
    if bad.size:
        raise ValueError(f"{where}: {name} must be codes in 0..{categories - 1}, got {bad[0]}")
    return array.astype(np.int64)


def transition_matrix(where: str, transition: Any) -> npt.NDArray[Any]:
    """Return a row-stochastic matrix: object array of ``Fraction`` if rational, else ``float64``.

    Rows are true categories, columns are shown ones; it need not be square. Rational rows have to
    sum to 1 exactly, float rows to within `SUM_TOLERANCE`.
    """
    try:
        array = np.asarray(transition)
    except ValueError as error:
        raise ValueError(
            f"{where}: transition must be a rectangular matrix, got {transition!r}"
        ) from error
    if array.ndim != 2 or not array.size:
        raise ValueError(f"{where}: transition must be a non-empty matrix, got shape {array.shape}")
    if array.dtype.kind not in "iufO":
        raise TypeError(f"{where}: transition must hold real numbers, got {transition!r}")
    if array.dtype.kind != "f":
        entries = [number(where, "transition", entry) for entry in array.flat]
        exact = all(isinstance(entry, Fraction) for entry in entries)
        array = np.array(entries, dtype=object if exact else np.float64).reshape(array.shape)
    array = array if array.dtype == object else array.astype(np.float64)
    for row, (entries, total) in enumerate(zip(array, array.sum(axis=1))):
        if not math.isfinite(total):
            raise ValueError(f"{where}: transition must be finite, got the row {row}: {entries}")
        if min(entries) < 0:
            raise ValueError(
                f"{where}: transition must not have negative entries, got {min(entries)} "
                f"in row {row}"
            )
        if abs(total - 1) > (0 if array.dtype == object else SUM_TOLERANCE):
            raise ValueError(
                f"{where}: every row of transition must sum to 1, got {total} in row {row}"
            )
    return array


def is_exact(array: npt.NDArray[Any]) -> bool:
    """Tell whether a checked matrix holds fractions."""
    return array.dtype == object
