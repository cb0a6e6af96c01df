"""Checks of the arguments of `privlib.correlated`.

What cannot be meant is refused with the name of the public function, the value and the rule.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks

FloatArray = npt.NDArray[np.float64]
Convert = Callable[[str, str, Any], Any]

# ---------------------------------------------------------------------------------------------
# Joint distributions, queries, adversaries
# ---------------------------------------------------------------------------------------------

SUM_TOLERANCE = 1e-9


def numbers(where: str, name: str, data: Any, convert: Convert = checks.real) -> npt.NDArray[Any]:
    """Return `data` as an array whose every entry has passed `convert`.

    With the default, the result is ``float64``; any other `convert` gives an object array.
    """
    try:
        array = np.asarray(data)
    except ValueError as error:
        raise ValueError(f"{where}: {name} must be a rectangular array, got {data!r}") from error
    if array.dtype.kind not in "iufO":
        raise TypeError(f"{where}: {name} must hold real numbers, got {data!r}")
    if convert is checks.real and array.dtype.kind != "O":
        floats: FloatArray = array.astype(np.float64)
        if not np.isfinite(floats).all():
            bad = floats[~np.isfinite(floats)][0]
            raise ValueError(f"{where}: {name} must be finite, got {bad!s}")
        return floats
    converted = np.empty(array.size, dtype=float if convert is checks.real else object)
    converted[:] = [convert(where, name, entry) for entry in array.flat]
    return converted.reshape(array.shape)


def joint_distribution(where: str, joint: Any) -> FloatArray:
    """Return `joint` as a ``float64`` array of probabilities, one axis a tuple."""
    array: FloatArray = numbers(where, "joint", joint)
    joint_shape(where, array.shape)
    if (array < 0).any():
        raise ValueError(f"{where}: joint must not have negative entries, got {array.min()}")
    if abs(array.sum() - 1) > SUM_TOLERANCE:
        raise ValueError(f"{where}: joint must sum to 1, got {array.sum()}")
    return array


def joint_shape(where: str, shape: tuple[int, ...]) -> None:
    """Refuse a joint law without tuples or with a tuple that has no value."""
    if not shape or 0 in shape:
        raise ValueError(
            f"{where}: joint must have one axis of length >= 1 for each tuple, got shape {shape}"
        )


def query_table(
    where: str,
    shape: tuple[int, ...],
    *,
    values: Sequence[Sequence[Any]] | None = None,
    weights: Sequence[Any] | None = None,
    query: Any = None,
    convert: Convert = checks.real,
) -> npt.NDArray[Any]:
    """Return the value of the query at every cell of a joint law of the given `shape`."""
    if query is not None:
        if values is not None or weights is not None:
            raise ValueError(f"{where}: query excludes values and weights, got both")
        table = numbers(where, "query", query, convert)
        if table.shape != shape:
            raise ValueError(
                f"{where}: query must have the joint's shape {shape}, got {table.shape}"
            )
        return table
    n = len(shape)
    if values is None:
        values = [range(size) for size in shape]
    if len(values) != n:
        raise ValueError(
            f"{where}: values must be {n} sequences, one for each tuple, got {len(values)}"
        )
    columns = [numbers(where, "values", list(column), convert) for column in values]
    sizes = tuple(column.shape for column in columns)
    if sizes != tuple((size,) for size in shape):
        raise ValueError(f"{where}: values must have the lengths {shape}, got {sizes}")
    factors = numbers(where, "weights", [1] * n if weights is None else weights, convert)
    if factors.shape != (n,):
        raise ValueError(f"{where}: weights must have length {n}, got shape {factors.shape}")
    terms = [
        (factor * column).reshape([-1 if axis == i else 1 for axis in range(n)])
        for i, (factor, column) in enumerate(zip(factors, columns))
    ]
    return np.asarray(reduce(operator.add, terms))


def adversary(
    where: str, n: int, target: Any, known: Iterable[Any]
) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Return the target, the known and the unknown tuples, both sorted."""
    i = checks.integer(where, "target", target, low=0, high=n - 1)
    if isinstance(known, (str, bytes)) or not isinstance(known, Iterable):
        raise TypeError(f"{where}: known must be a sequence of tuple indices, got {known!r}")
    indices = [checks.integer(where, "known", j, low=0, high=n - 1) for j in known]
    if len(set(indices)) != len(indices):
        raise ValueError(f"{where}: known must not repeat a tuple, got {tuple(indices)}")
    if i in indices:
        raise ValueError(f"{where}: known must not contain the target {i}, got {tuple(indices)}")
    unknown = tuple(j for j in range(n) if j != i and j not in indices)
    return i, tuple(sorted(indices)), unknown


def known_values(where: str, shape: tuple[int, ...], known: Any) -> dict[int, int]:
    """Return the positions of the known values, one for each known tuple."""
    if not isinstance(known, Mapping):
        raise TypeError(f"{where}: known_values must map tuples to positions, got {known!r}")
    checked = {}
    for j, position in known.items():
        axis = checks.integer(where, "known_values key", j, low=0, high=len(shape) - 1)
        checked[axis] = checks.integer(
            where, f"known_values[{axis}]", position, low=0, high=shape[axis] - 1
        )
    return checked


def choice(where: str, name: str, value: Any, options: tuple[str, ...]) -> str:
    """Return `value` if it is one of `options`."""
    if value not in options:
        raise ValueError(f"{where}: {name} must be one of {options}, got {value!r}")
    return str(value)


def stochastic_matrix(where: str, matrix: Any) -> FloatArray:
    """Return `matrix` as a square ``float64`` array whose rows are distributions."""
    array: FloatArray = numbers(where, "transition", matrix)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not array.size:
        raise ValueError(f"{where}: transition must be a square matrix, got shape {array.shape}")
    if (array < 0).any():
        raise ValueError(f"{where}: transition must not have negative entries, got {array.min()}")
    rows = array.sum(axis=1)
    if (abs(rows - 1) > SUM_TOLERANCE).any():
        raise ValueError(f"{where}: every row of transition must sum to 1, got sums {rows}")
    return array


# ---------------------------------------------------------------------------------------------
# Sparse precision matrices
# ---------------------------------------------------------------------------------------------


def sparse_precision(where: str, precision_sparse: Any) -> Any:
    """Return a sparse precision matrix ``L + diag(tau)`` as a canonical float csr_array.

    Accepted: scipy.sparse, square, real, finite, symmetric to rounding, no positive entry off
    the diagonal, positive row sums (a diagonally dominant M-matrix, hence positive definite).
    """
    import scipy.sparse as sps  # the dense checks do without it

    if not sps.issparse(precision_sparse):
        raise TypeError(
            f"{where}: precision_sparse must be a scipy.sparse matrix, "
            f"got {type(precision_sparse).__name__}"
        )
    if precision_sparse.dtype.kind not in "iuf":
        raise TypeError(
            f"{where}: precision_sparse must hold real numbers, got {precision_sparse.dtype}"
        )
    if precision_sparse.ndim != 2 or precision_sparse.shape[0] != precision_sparse.shape[1]:
        raise ValueError(
            f"{where}: precision_sparse must be square, got shape {precision_sparse.shape}"
        )
    n = precision_sparse.shape[0]
    if n == 0:
        raise ValueError(f"{where}: precision_sparse must not be empty, got shape (0, 0)")
    P = sps.csr_array(precision_sparse, dtype=np.float64, copy=True)
    P.sum_duplicates()
    P.eliminate_zeros()
    if not np.all(np.isfinite(P.data)):
        raise ValueError(f"{where}: precision_sparse must be finite, got nan or inf")
    gap = abs(P - P.T)
    if gap.nnz and gap.max() > 1e-12 * abs(P).max():
        raise ValueError(
            f"{where}: precision_sparse must be symmetric, "
            f"got entries that differ by {gap.max():.3g}"
        )
    rows = np.repeat(np.arange(n), np.diff(P.indptr))
    bad = np.flatnonzero((P.data > 0) & (rows != P.indices))
    if bad.size:
        i, j, value = int(rows[bad[0]]), int(P.indices[bad[0]]), float(P.data[bad[0]])
        raise ValueError(
            f"{where}: off-diagonal entries must not be positive, got {value:g} at ({i}, {j})"
        )
    sums = P @ np.ones(n)
    low = np.flatnonzero(
        sums <= 4 * np.finfo(np.float64).eps * abs(P).max(axis=1).toarray().ravel()
    )
    if low.size:
        raise ValueError(
            f"{where}: row sums (the priors tau_i) must exceed rounding, "
            f"got {sums[low[0]]:.3g} in row {int(low[0])} with diagonal entry "
            f"{P.diagonal()[low[0]]:.3g}"
        )
    return P


# ---------------------------------------------------------------------------------------------
# Dense precision matrices
# ---------------------------------------------------------------------------------------------

SYMMETRY_TOLERANCE = 1e-10
_BLOCK = 256


def is_exact(matrix: Any) -> bool:
    """Tell whether `matrix` is a sympy matrix or an object array (asked without sympy)."""
    if isinstance(matrix, np.ndarray):
        return bool(matrix.dtype == object)
    return type(matrix).__module__.partition(".")[0] == "sympy"


def _square(where: str, name: str, shape: tuple[int, ...]) -> None:
    """Refuse everything but a non-empty square matrix."""
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0:
        raise ValueError(f"{where}: {name} must be a non-empty square matrix, got shape {shape}")


def precision_matrix(where: str, P: Any, *, name: str = "precision") -> FloatArray:
    """Return `P` as a square, finite, symmetric ``float64`` array (not copied when it is one).

    Symmetric to 1e-10 of the largest entry; then one triangle speaks for both. Whether it is
    positive definite is left to the Cholesky factorisation that needs it.
    """
    if hasattr(P, "tocsr"):
        raise TypeError(
            f"{where}: {name} must be a dense matrix, got {type(P).__name__}; "
            "call .toarray(), or use max_leakage_bounds for a large sparse matrix"
        )
    A: FloatArray = numbers(where, name, P) if not _is_float(P) else P
    _square(where, name, A.shape)
    if not np.isfinite(A).all():
        raise ValueError(f"{where}: {name} must be finite, got {A[~np.isfinite(A)][0]}")
    largest = max(float(A.max()), -float(A.min()))
    for start in range(0, A.shape[0], _BLOCK):  # blocks: no second matrix, cache-friendly
        rows = slice(start, start + _BLOCK)
        gap = np.abs(A[rows, start:] - A[start:, rows].T)
        if gap.max() > SYMMETRY_TOLERANCE * largest:
            i, j = (int(k) + start for k in np.unravel_index(int(gap.argmax()), gap.shape))
            raise ValueError(
                f"{where}: {name} must be symmetric, got {A[i, j]} at ({i}, {j}) "
                f"and {A[j, i]} at ({j}, {i})"
            )
    return A


def _is_float(P: Any) -> bool:
    """Tell whether `P` is already a ``float64`` array."""
    return isinstance(P, np.ndarray) and P.dtype == np.float64


def exact_matrix(where: str, P: Any, *, name: str = "precision") -> npt.NDArray[Any]:
    """Return a sympy matrix or object array as a symmetric object array of exact entries.

    Python integers become Fractions, so that no division falls back to floats.
    """
    A = np.array(P if isinstance(P, np.ndarray) else P.tolist(), dtype=object)
    _square(where, name, A.shape)
    bad = [v for v in A.flat if isinstance(v, (float, np.floating))]
    if bad:
        raise TypeError(f"{where}: {name} must have exact entries, got the float {bad[0]!r}")
    integers = np.frompyfunc(lambda v: Fraction(int(v)) if isinstance(v, _INTEGERS) else v, 1, 1)
    A = np.asarray(integers(A), dtype=object)
    for i, j in np.argwhere(A != A.T):
        difference = A[i, j] - A[j, i]
        if not hasattr(difference, "equals") or not difference.equals(0):
            raise ValueError(
                f"{where}: {name} must be symmetric, got {A[i, j]} at ({i}, {j}) "
                f"and {A[j, i]} at ({j}, {i})"
            )
    return A


_INTEGERS = (int, np.integer)


def query_weights(where: str, n: int, weights: Any) -> FloatArray:
    """Return the coefficients of a linear query, all one by default, as an (n,) array."""
    if weights is None:
        return np.ones(n)
    a: FloatArray = numbers(where, "weights", weights)
    if a.shape != (n,):
        raise ValueError(f"{where}: weights must have shape ({n},), got {a.shape}")
    return a


def widths(where: str, n: int, width: Any) -> FloatArray:
    """Return the bounds ``M_i`` on ``|x_i - x_i'|`` as an (n,) array of positive numbers."""
    M: FloatArray = numbers(where, "width", width)
    if M.shape not in {(), (n,)}:
        raise ValueError(f"{where}: width must be a number or have shape ({n},), got {M.shape}")
    if (M <= 0).any():
        raise ValueError(f"{where}: width must be positive, got {M.min()}")
    return np.broadcast_to(M, (n,))
