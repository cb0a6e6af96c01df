"""Checks of the arguments of `privlib.location`: transitions, histograms, equal totals.

A transition matrix is row-stochastic. Rational entries (integers, fractions) stay rational, and
floats stay floats, so that the same function gives an exact answer or a fast one. A histogram
counts people by state: integers, or real masses where a function says that it takes them.
"""

from __future__ import annotations

import numbers
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from privlib import _checks as checks

choice = checks.choice

Array = npt.NDArray[Any]
FloatArray = npt.NDArray[np.float64]

SUM_TOLERANCE = 1e-9
SMALLEST = 1e-12  # share of the total that one state may hold


def _entry(where: str, value: Any) -> Any:
    """Return an entry as a ``Fraction`` if it is rational, else as a finite float."""
    if isinstance(value, numbers.Rational) and not isinstance(value, bool):
        return Fraction(int(value.numerator), int(value.denominator))
    return checks.real(where, "transition", value)


def _sparse_transition(where: str, transition: Any) -> Any:
    """Return a sparse row-stochastic matrix as CSR; rows without any entry are kept empty."""
    matrix = sparse.csr_matrix(transition, dtype=np.float64, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    _square(where, matrix.shape)
    if not np.isfinite(matrix.data).all() or (matrix.data < 0).any():
        raise ValueError(f"{where}: transition must hold probabilities")
    sums = np.asarray(matrix.sum(axis=1)).ravel()
    _rows(where, np.where(np.diff(matrix.indptr) == 0, 1.0, sums))
    return matrix


def _square(where: str, shape: tuple[int, ...]) -> None:
    if len(shape) != 2 or shape[0] != shape[1] or not shape[0]:
        raise ValueError(
            f"{where}: transition must be a square matrix with at least one state, "
            f"got shape {shape}"
        )


def _rows(where: str, sums: Array, tolerance: float = SUM_TOLERANCE) -> None:
    bad = np.flatnonzero(np.abs(sums - 1) > tolerance)
    if bad.size:
        raise ValueError(
            f"{where}: every row of transition must sum to 1, got {sums[bad[0]]} in row {bad[0]}"
        )


def transition(where: str, P: Any) -> Any:
    """Return a row-stochastic matrix: ``float64``, object array of ``Fraction``, or CSR.

    Rows of floats must sum to 1 within 1e-9, rows of fractions exactly. A sparse matrix may have
    empty rows: states that nobody was seen to leave.
    """
    if sparse.issparse(P):
        return _sparse_transition(where, P)
    try:
        array = np.asarray(P)
    except ValueError as error:
        raise ValueError(f"{where}: transition must be a square matrix, got {P!r}") from error
    _square(where, array.shape)
    if array.dtype.kind in "iuO":
        entries = [_entry(where, value) for value in array.flat]
        exact = all(isinstance(value, Fraction) for value in entries)
        array = np.array(entries, dtype=object if exact else np.float64).reshape(array.shape)
    elif array.dtype.kind != "f":
        raise TypeError(f"{where}: transition must hold real numbers, got {P!r}")
    exact = array.dtype.kind == "O"
    array = array if exact else array.astype(np.float64)
    outside = array[(array < 0) | ~(array <= 1 + SUM_TOLERANCE)]  # a nan is outside
    if outside.size:
        raise ValueError(f"{where}: transition must hold probabilities, got {outside.flat[0]}")
    _rows(where, array.sum(axis=1), 0 if exact else SUM_TOLERANCE)
    return array


def floats(P: Any) -> Any:
    """Return a checked transition as ``float64`` (dense) or CSR."""
    return P if sparse.issparse(P) else np.asarray(P, dtype=np.float64)


def histogram(where: str, name: str, x: Any, *, size: int, integer: bool = True) -> Array:
    """Return a histogram over `size` states: ``int64`` counts, or real masses if not `integer`.

    Floats that are whole numbers are counts. Without `integer`, the result is still ``int64``
    when all masses are whole.
    """
    array = np.asarray(x)
    if array.shape != (size,):
        raise ValueError(
            f"{where}: {name} must be a histogram over {size} states, got shape {array.shape}"
        )
    if array.dtype.kind == "O":
        array = np.array([checks.real(where, name, value) for value in array])
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{where}: {name} must hold numbers, got {x!r}")
    bad = array[~(np.isfinite(array) & (array >= 0))]
    if bad.size:
        raise ValueError(f"{where}: {name} must not be negative or infinite, got {bad[0]}")
    whole = array == np.rint(array)
    if whole.all():
        return array.astype(np.int64)
    if integer:
        raise ValueError(f"{where}: {name} must hold whole counts, got {array[~whole][0]}")
    dust = array[(array > 0) & (array < SMALLEST * array.sum())]
    if dust.size:
        raise ValueError(
            f"{where}: masses of {name} must be 0 or at least {SMALLEST:g} of the total, "
            f"got {dust[0]}: it cannot be told from a rounding error"
        )
    return array.astype(np.float64)


def same_total(where: str, before: Array, after: Array, name: str = "after") -> None:
    """Raise unless both histograms count the same, positive, number of people."""
    total, other = before.sum(), after.sum()
    if abs(total - other) > SUM_TOLERANCE * max(1, total):
        raise ValueError(
            f"{where}: before and {name} must have the same total, got {total} and {other}"
        )
    if total <= 0:
        raise ValueError(f"{where}: before must count somebody, got {total}")


def pair(
    where: str, before: Any, after: Any, P: Any, *, integer: bool = True, name: str = "after"
) -> tuple[Array, Array, Any]:
    """Return the checked (before, after, transition)."""
    matrix = transition(where, P)
    size = matrix.shape[0]
    first = histogram(where, "before", before, size=size, integer=integer)
    second = histogram(where, name, after, size=size, integer=integer)
    same_total(where, first, second, name)
    return first, second, matrix
