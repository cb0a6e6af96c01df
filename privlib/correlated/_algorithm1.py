r"""Proposition 5.1 and Algorithm 1: merging the unknown tuples into one.

An adversary who does not know U needs only the law of the mean
:math:`x_0 = \frac1m \sum_{u \in U} x_u`, the target and what it knows. Proposition 5.1 updates
the precision of that vector when one more tuple is forgotten; Algorithm 1 reaches all weak
adversaries by forgetting one half of the tuples, recursing, and forgetting the other half
instead. The leaf is a 2 x 2 matrix, and :math:`l = m w_{01} / w_0` (Theorem 5.1).
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib.correlated import _dense as dense
from privlib.correlated import _validation as validation

__all__ = ["REPAIRS", "algorithm1", "combine"]

AnyArray = npt.NDArray[Any]

REPAIRS = ("leaf", "m", "dummy")


def _absorb_last(where: str, A: AnyArray, m: Any) -> AnyArray:
    """Merge the last tuple into the block (index 0) of m tuples; overwrites A, returns a view."""
    w0, w0j, wj = A[0, 0], -A[0, -1], A[-1, -1]
    w0c, wjc = -A[0, 1:-1], -A[-1, 1:-1]
    scale = m * m * wj + 2 * m * w0j + w0
    if not getattr(scale, "free_symbols", ()) and scale <= 0:
        raise ValueError(
            f"{where}: precision must be positive definite on the block and tuple "
            f"{len(A) - 1}, got m^2 w_j + 2 m w_0j + w_0 = {scale}"
        )
    row = -(m + 1) * ((w0j + m * wj) * w0c + (w0 + m * w0j) * wjc) / scale
    change = w0c - m * wjc
    if A.dtype == object:
        A[1:-1, 1:-1] -= np.outer(change, change / scale)
    else:  # one root instead of a division of n^2 entries; keeps the result symmetric
        change /= math.sqrt(scale)
        A[1:-1, 1:-1] -= np.outer(change, change)
    A[0, 0] = (m + 1) ** 2 * (w0 * wj - w0j**2) / scale
    A[0, 1:-1] = A[1:-1, 0] = row
    return A[:-1, :-1]


def combine(precision: Any, j: int, m: Any) -> Any:
    r"""Merge tuple `j` into the block of unknown tuples (Proposition 5.1).

    Parameters
    ----------
    precision : array_like or sympy.Matrix, shape (n, n)
        Precision of :math:`(x_0, x_1, \dots)`, where :math:`x_0` is the mean of the `m` unknown
        tuples. Positive definite, or a Laplacian; the signs are arbitrary.
    j : int
        Tuple that the adversary forgets, in ``1..n-1``.
    m : int or sympy expression
        Number of tuples in the block. With ``m = 0`` row 0 is an edgeless dummy with any positive
        pivot, and tuple `j` becomes the block as it is.

    Returns
    -------
    ndarray or sympy.Matrix, shape (n - 1, n - 1)
        Precision of (mean of the ``m + 1`` unknown tuples, the remaining tuples in order). A float
        array for float input, otherwise exact and of the kind that was given.

    Raises
    ------
    ValueError
        If the matrix is not square, finite and symmetric, `j` or `m` is out of range, or the
        matrix is not positive (semi)definite.
    TypeError
        If `j` is no integer, or `m` is neither an integer nor, for exact input, an expression.

    Notes
    -----
    Write :math:`y = (m x_0 + x_j)/(m + 1)` and integrate out the other direction. In the
    variables :math:`(y, x_0)` the direction :math:`x_0 \mapsto x_0 + t`, :math:`x_j \mapsto x_j -
    m t` leaves :math:`y` fixed; its pivot is :math:`m^2 w_j + 2 m w_{0j} + w_0`, the denominator
    of all three updates. Neither :math:`L 1 = 0` nor :math:`w \ge 0` is used. The result may have
    negative weights where `precision` has none: on the path 1-2-3-4 merging 2 and 3 links 1
    and 4 with weight -1/6.

    The sign convention is the paper's: :math:`w_{0j} = -P_{0j}`.

    References
    ----------
    Proposition 5.1, equations (21) and (22).

    Examples
    --------
    >>> import sympy as sp
    >>> path = sp.Matrix([[1, -1, 0, 0], [-1, 2, -1, 0], [0, -1, 2, -1], [0, 0, -1, 1]])
    >>> combine(path.extract([1, 2, 0, 3], [1, 2, 0, 3]), 1, 1)
    Matrix([
    [ 2,   -1,   -1],
    [-1,  5/6,  1/6],
    [-1,  1/6,  5/6]])
    """
    exact = validation.is_exact(precision)
    check = validation.exact_matrix if exact else validation.precision_matrix
    A = check("combine", precision)
    n = len(A)
    if n < 2:
        raise ValueError("combine: precision must hold the block and a tuple, got a 1x1 matrix")
    if checks.integer("combine", "j", j) not in range(1, n):
        raise ValueError(f"combine: j must be in 1..n-1, got {j} for a {n}x{n} matrix")
    if not (exact and hasattr(m, "free_symbols")):
        m = checks.integer("combine", "m", m, low=0)
    dense.require_semidefinite("combine", A)
    order = [k for k in range(n) if k != j] + [j]
    if exact and not isinstance(precision, np.ndarray):
        import sympy as sp

        A = np.array(sp.Matrix(A).tolist(), dtype=object)
        return type(precision)(_absorb_last("combine", A[np.ix_(order, order)], m).tolist())
    return _absorb_last("combine", A[np.ix_(order, order)], m).copy()


def _merge_tail(A: AnyArray, count: int, m: int) -> AnyArray:
    """Merge the last `count` tuples, last first, into the block of `m`; overwrites A."""
    symbolic = A.dtype == object and any(v.free_symbols for v in A.flat)
    for size in range(m, m + count):
        A = _absorb_last("algorithm1", A, size)
        if symbolic:
            import sympy as sp

            A = np.asarray(np.frompyfunc(sp.cancel, 1, 1)(A), dtype=object)
    return A


def _branch(A: AnyArray, m: int, repairs: Collection[str]) -> list[Any]:
    """Return what the leaves of Algorithm 1 return, in the order of their tuples."""
    n = len(A)
    if n == 2:
        w0, w01 = A[0, 0], -A[0, 1]
        if "leaf" in repairs:
            return [m * w01 / w0]
        if w01 == 0:
            raise ValueError(
                "algorithm1: the printed leaf w0/w01 needs every pair linked, got w01 = 0"
            )
        return [w0 / w01]
    k = n // 2 + 1  # the ceiling of (n + 1)/2; tuples 1..k-1 and k..n-1 counted from 0
    order = [0, *range(k, n), *range(1, k)]
    upper = _branch(_merge_tail(A[np.ix_(order, order)], k - 1, m), m + k - 1, repairs)
    if "m" not in repairs:
        m += k - 1  # as printed: the first loop has advanced m, nothing restores it
    lower = _branch(_merge_tail(A.copy(), n - k, m), m + n - k, repairs)
    return lower + upper


def algorithm1(
    precision: Any, *, as_printed: bool = False, repairs: Collection[str] | None = None
) -> Any:
    r"""Compute leakage coefficients by recursive halving (Algorithm 1), printed or repaired.

    Parameters
    ----------
    precision : array_like or sympy.Matrix, shape (n, n)
        Precision matrix, or the Laplacian of a connected graph (no prior).
    as_printed : bool
        Follow the text to the letter; the same as ``repairs=()``.
    repairs : collection of str, optional
        Which of the three repairs to make, all by default:

        ``"leaf"``
            a leaf returns :math:`m w_{01}/w_0` (Theorem 5.1), not :math:`w_0/w_{01}`;
        ``"m"``
            `m` is restored before the second loop;
        ``"dummy"``
            an edgeless row is put first and `m` starts at 0, so that the first tuple is a target
            too; the values are collected by tuple.

    Returns
    -------
    ndarray, shape (n,), or number
        With ``"dummy"``: the value of every tuple's leaf, which under all three repairs is the
        coefficient of the weak adversary :math:`A(i, \emptyset)`. Without: the maximum over
        the leaves, as in the text. sympy numbers for exact input.

    Raises
    ------
    ValueError
        If the matrix is not a (semi)definite precision matrix, a repair is unknown, `repairs`
        contradicts `as_printed`, there is no second tuple (without ``"dummy"``), or the printed
        leaf divides by zero.

    Notes
    -----
    The declared call is followed: L is n x n and m = 1, so that tuple 1 is the block from the
    start and :math:`A(1, \emptyset)` is never evaluated. A star with its centre first shows
    it: with both other repairs the result for n = 3, :math:`\tau = 1` is 3/5, the truth is 1.

    The work is :math:`T(n) = 2 T(n/2) + (7/6) n^3 = (14/9) n^3` flops in :math:`O(n^2)` memory.
    `leakage_coefficients` gives the same numbers from one Cholesky factor.

    References
    ----------
    Algorithm 1, Theorem 5.3.

    Examples
    --------
    >>> star = np.array([[3.0, -1, -1], [-1, 2, 0], [-1, 0, 2]])
    >>> algorithm1(star).round(4)
    array([1. , 0.6, 0.6])
    >>> round(algorithm1(star, as_printed=True), 4)
    3.3333
    >>> [round(algorithm1(star, repairs=some), 4) for some in (["leaf"], ["leaf", "m"])]
    [1.0, 0.6]
    """
    if as_printed and repairs is not None:
        raise ValueError("algorithm1: repairs must not be given with as_printed=True, got both")
    chosen = () if as_printed else REPAIRS if repairs is None else tuple(repairs)
    for name in chosen:
        validation.choice("algorithm1", "repairs", name, REPAIRS)
    A = dense.model("algorithm1", precision)
    if "dummy" in chosen:
        padded = np.zeros((len(A) + 1, len(A) + 1), dtype=A.dtype)
        if A.dtype == object:
            padded += A[0, 0] * 0  # zeros of the same kind
        padded[0, 0] += 1
        padded[1:, 1:] = A
        return np.array(_branch(padded, 0, chosen), dtype=A.dtype)
    if len(A) < 2:
        raise ValueError(
            "algorithm1: without the dummy row the matrix must have at least 2 rows, got 1"
        )
    largest = max(_branch(A, 1, chosen))
    return largest if A.dtype == object else float(largest)
