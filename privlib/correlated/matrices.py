r"""Precision matrices: read, tested, solved, and by how much rounding may have moved the solution.

**Which errors count.** A coefficient is a ratio of covariances, :math:`y_i / V_{ii}` with
:math:`y = P^{-1} a` and :math:`V = P^{-1}`. With a computed factor, :math:`P \approx G G^\top`, and
the inverse *T* of *G*, put :math:`E = T P T^\top - 1`. If :math:`\|E\| \le e < 1` then
:math:`T^\top T` is the covariance up to the factors :math:`1/(1 \pm e)`, as a quadratic form. For
any *y*, with the residual :math:`r = a - P y`, Cauchy and Schwarz give
:math:`|(P^{-1} r)_i| \le \sqrt{V_{ii}} \sqrt{r^\top P^{-1} r}`. So the error of every ratio follows
from *E* and *r*, whatever way *G* and *y* were found.

The norm of *E* is taken from its products with a few random vectors, of which it exceeds four
times the root mean square with a probability below :math:`10^{-7}`; rounding in sums of *n* terms
is counted as :math:`\sqrt n + 8` units.

**Where that is not enough** (a nearly singular matrix), two slower ways keep all digits. If *P* is
diagonally dominant with no positive entry off the diagonal, elimination can be done on the
off-diagonal entries and the row sums without a subtraction (Grassmann, Taksar, Heyman); the row
sums are added exactly. Small matrices of any signs are solved in integers. Where neither applies
the result is refused.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_solve, eigvalsh, lapack

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import Array, FloatArray

# What other folders of the package may use; the rest is for this part.
__all__ = ["cholesky"]

MAX_DENSE = 10_000
"""Largest sparse matrix that is taken as a dense one."""
MAX_INTEGER = 24
"""Largest matrix of floats that is solved in integers."""
MAX_DOMINANT = 1000
"""Largest matrix that is eliminated without subtractions."""
SYMMETRY_TOLERANCE = 1e-10
"""By how much two entries may differ, relative to the diagonal entries of both tuples."""
INVERSE_TOLERANCE = 1e-11
"""By how much an inverse may miss, relative to the covariance as a quadratic form."""
LARGEST_SHARE = 1e-3
"""By how much the rounding of these numbers themselves may have hidden that it misses."""
LARGEST = 1e60
"""Largest magnitude of what is given; products of four such numbers are still floats."""
SMALLEST = 1e-60
"""Smallest magnitude of what is given and not 0 (and not off the diagonal)."""

_EPS = float(np.finfo(np.float64).eps)
_BLOCK = 256
_PROBES = 16


@dataclass(frozen=True, eq=False)
class Doubt:
    r"""By how much a matrix *P* may miss what was meant.

    The difference *D* is the sum of two. Of one no entry is larger than that of `entries`. The
    other is at most the `share` of *P* as a quadratic form, so that Cauchy and Schwarz give
    :math:`|u^\top D v| \le s \sqrt{u^\top P u \; v^\top P v}`. Where a `covariance` of floats
    was meant, it is kept, for what rounding leaves open.
    """

    entries: FloatArray | None = None
    share: float = 0.0
    covariance: FloatArray | None = None

    def by_entries(self, P: FloatArray) -> Doubt:
        """Return a doubt that is no smaller and has no share."""
        root = np.sqrt(np.maximum(P.diagonal(), 0.0))
        doubt = self.share * np.outer(root, root)
        if self.entries is not None:
            doubt = doubt + self.entries
        return Doubt(doubt)


class Matrix(NamedTuple):
    """A symmetric matrix, and by how much it may miss what was meant."""

    entries: Array
    doubt: Doubt | None = None


# --- reading ------------------------------------------------------------------------------------


def read(where: str, value: Any, name: str = "precision") -> Matrix:
    """Return a symmetric matrix: ``float64`` (a copy), or exact entries.

    Two entries in floats may differ by `SYMMETRY_TOLERANCE`, relative to the diagonal entries of
    both tuples; their mean is taken, and half the difference is the doubt. Exact entries are
    Fractions, if they are rational, or sympy expressions.
    """
    instead = "networks.precision(graph, tau), or use GaussianModel.from_graph(graph, tau)"
    checks.no_graph(where, name, value, instead)
    if checks.is_pandas(value):
        _safety.square_labels(where, name, value)
        value = value.to_numpy()
    if hasattr(value, "tocsr"):
        if max(value.shape) > MAX_DENSE:
            rule = f"{name} must be dense or have at most {MAX_DENSE} rows"
            got = f"a sparse matrix of shape {value.shape}; sparse.max_leakage_bounds takes it"
            raise ValueError(f"{where}: {rule}, got {got}")
        value = value.toarray()
    if checks.is_exact(value):
        return Matrix(_exact_matrix(where, name, value))
    A = checks.reals(where, name, value)
    checks.square(where, name, A.shape)
    checks.refuse(where, name, A, f"at most {LARGEST:g} in magnitude", np.abs(A) <= LARGEST)
    diagonal = A.diagonal()
    in_range = (diagonal == 0) | (np.abs(diagonal) >= SMALLEST)
    checks.refuse(where, f"the diagonal of {name}", diagonal, f"0 or at least {SMALLEST:g}",
                  in_range)  # fmt: skip
    given = np.asarray(value)
    rounded = None
    if given.dtype.kind == "O" or given.dtype.itemsize > 8:
        rounded = _EPS * np.abs(A)
    return _symmetric(where, name, A, rounded)


def _symmetric(where: str, name: str, A: FloatArray, doubt: FloatArray | None) -> Matrix:
    """Return the symmetric matrix that `A` is up to rounding."""
    root = np.sqrt(np.abs(A.diagonal()))
    exactly = True
    for start in range(0, len(A), _BLOCK):  # blocks: no second matrix, cache-friendly
        rows = slice(start, start + _BLOCK)
        gap = np.abs(A[rows, start:] - A[start:, rows].T)
        if not gap.any():
            continue
        exactly = False
        excess = gap - SYMMETRY_TOLERANCE * root[rows, None] * root[start:]
        if excess.max() > 0:
            i, j = (int(k) + start for k in np.unravel_index(int(excess.argmax()), gap.shape))
            raise _asymmetric(where, name, A, i, j)
    if exactly:
        return Matrix(A, None if doubt is None else Doubt(doubt))
    half = np.abs(A - A.T) / 2
    if doubt is not None:
        half = half + doubt
    return Matrix((A + A.T) / 2, Doubt(half))


def _exact_matrix(where: str, name: str, value: Any) -> Array:
    """Return a sympy matrix or object array as a symmetric object array of exact entries."""
    A = np.array(value if isinstance(value, np.ndarray) else value.tolist(), dtype=object)
    checks.square(where, name, A.shape)
    A = each(lambda entry: exact_entry(where, name, entry), A)
    for i, j in np.argwhere(A != A.T):
        difference = A[i, j] - A[j, i]
        if not hasattr(difference, "equals") or not difference.equals(0):
            raise _asymmetric(where, name, A, i, j)
    return A


def exact_entry(where: str, name: str, entry: Any) -> Any:
    """Return an exact entry: a ``Fraction``, or a sympy expression without floats."""
    import sympy as sp

    if isinstance(entry, (float, np.floating, sp.Float)):
        raise TypeError(f"{where}: {name} must have exact entries, got the float {entry!r}")
    if isinstance(entry, sp.Expr):
        if entry.has(sp.Float, sp.nan) or entry.is_real is False or entry.is_finite is False:
            raise TypeError(f"{where}: {name} must have exact real entries, got {entry}")
        return entry
    if isinstance(entry, checks.REFUSED) or not isinstance(entry, numbers.Rational):
        raise TypeError(f"{where}: {name} must hold real numbers, got {entry!r}")
    return Fraction(int(entry.numerator), int(entry.denominator))


def _asymmetric(where: str, name: str, A: Array, i: int, j: int) -> ValueError:
    entries = f"{A[i, j]} at ({i}, {j}) and {A[j, i]} at ({j}, {i})"
    return ValueError(f"{where}: {name} must be symmetric, got {entries}")


def each(function: Any, array: Array) -> Array:
    """Apply a function to every entry of an object array."""
    with np.errstate(all="ignore"):  # flags that sympy's own floats leave behind
        return np.asarray(np.frompyfunc(function, 1, 1)(array), dtype=object)


def to_sympy(array: Array) -> Array:
    """Turn exact entries into sympy numbers."""
    import sympy as sp

    def number(entry: Any) -> Any:
        if isinstance(entry, Fraction):
            return sp.Rational(entry.numerator, entry.denominator)
        return sp.sympify(entry, strict=True)

    return each(number, array)


def cancel(values: Array) -> Array:
    """Put exact values over one denominator each."""
    import sympy as sp

    return each(sp.cancel, values)


# --- definiteness -------------------------------------------------------------------------------


def require_semidefinite(
    where: str, P: Array, *, singular: bool = True, name: str = "precision"
) -> Array:
    """Return `P`; refuse it if it has a negative eigenvalue (beyond rounding, for floats).

    The diagonal is scaled to 1 first, so that one large entry hides nothing. Exact matrices may be
    refused where they are `singular`, too. Of a matrix with symbols only the minors of one and two
    rows are looked at, as far as sympy knows their signs.
    """
    n = len(P)
    sign = _exact_sign(P) if P.dtype == object else _sign_when_shifted(P)
    if sign < 0:
        rule = f"{name} must be positive definite (without prior: semidefinite)"
        raise ValueError(f"{where}: {rule}, got a {n}x{n} matrix with a negative eigenvalue")
    if sign == 0 and not singular:
        rule = f"{name} must be positive definite"
        raise ValueError(f"{where}: {rule}, got a singular {n}x{n} matrix")
    return P


def _sign_when_shifted(P: FloatArray) -> int:
    """Return -1 if the scaled matrix has a negative eigenvalue that is not rounding, else 1."""
    diagonal = P.diagonal()
    empty = diagonal == 0
    if (diagonal < 0).any() or P[empty].any():
        return -1
    root = np.sqrt(np.where(empty, 1.0, diagonal))
    scaled = P / root
    scaled /= root[:, None]
    np.fill_diagonal(scaled, 1 + 10 * len(P) * _EPS)
    failed = lapack.dpotrf(scaled.T, lower=1, overwrite_a=1)[1]
    return -1 if failed else 1


def _exact_sign(P: Array) -> int:
    """Return 1 if an exact matrix is positive definite, 0 if it is singular, -1 if neither."""
    import sympy as sp

    entries = [sp.sympify(entry) for entry in P.flat]
    if all(entry.is_Rational for entry in entries):
        values = [Fraction(int(entry.p), int(entry.q)) for entry in entries]
        return _rational_sign([values[k : k + len(P)] for k in range(0, len(values), len(P))])
    if any(entry.free_symbols for entry in entries):
        return _symbolic_sign(P)
    M = sp.Matrix(P)
    if M.is_positive_definite:
        return 1
    return 0 if M.is_positive_semidefinite else -1


def _rational_sign(rows: list[list[Fraction]]) -> int:
    """Eliminate in fractions: all pivots positive, or a zero pivot in a row of zeros."""
    n = len(rows)
    sign = 1
    for k in range(n):
        pivot = rows[k][k]
        if pivot < 0:
            return -1
        if pivot == 0:
            if any(rows[k][k:]):
                return -1
            sign = 0
            continue
        for i in range(k + 1, n):
            if rows[i][k] == 0:
                continue
            share = rows[i][k] / pivot
            for j in range(k + 1, n):
                rows[i][j] -= share * rows[k][j]
    return sign


def is_definite(P: FloatArray) -> bool:
    """Tell whether a small matrix of floats, taken at its word, is positive definite."""
    rows = [[Fraction(float(v)) for v in row] for row in P]
    return _rational_sign(rows) == 1


def _symbolic_sign(P: Array) -> int:
    """Return -1 if sympy knows that a minor of one or two rows is negative, else 1."""
    for i in range(len(P)):
        if P[i, i].is_negative:
            return -1
        for j in range(i):
            minor = P[i, i] * P[j, j] - P[i, j] * P[j, i]
            if minor.is_negative or minor.expand().is_negative:
                return -1
    return 1


# --- solving ------------------------------------------------------------------------------------


def cholesky(P: FloatArray, rule: str) -> FloatArray:
    """Return the lower Cholesky factor in Fortran order, its upper triangle zero.

    Parameters
    ----------
    P : ndarray of float64, shape (n, n)
        A symmetric matrix.
    rule : str
        What the message says if it is not positive definite.

    Returns
    -------
    ndarray of float64, shape (n, n)
        The factor *L* of :math:`P = L L^T`.

    Raises
    ------
    ValueError
        The matrix is not positive definite, up to rounding.

    Examples
    --------
    >>> cholesky(np.array([[4.0, 2.0], [2.0, 5.0]]), "precision must be positive definite").tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """
    factor, info = lapack.dpotrf(P.T, lower=1, clean=1)  # the transpose of C order: no reordering
    bad = info - 1
    if not info:
        # A pivot is the entry times 1 - R^2; below rounding it is not distinguishable from zero.
        pivots = np.square(factor.diagonal()) / P.diagonal()
        bad = int(pivots.argmin()) if pivots.min() <= max(len(P), 10) * _EPS else -1
    if bad >= 0:
        hint = ""
        if np.all(np.abs(P.sum(axis=1)) <= 1e-12 * np.abs(P).sum(axis=1)):
            weak = "in a connected graph without prior every weak adversary has coefficient n - 1"
            hint = f"; its rows sum to 0 (no prior): {weak}, eq. (29)"
        raise ValueError(f"GaussianModel: {rule}, got no positive pivot in row {bad}{hint}")
    return np.asarray(factor)


def inverse(where: str, covariance: FloatArray, doubt: Doubt | None) -> tuple[FloatArray, Doubt]:
    """Return the inverse of a covariance and what it may miss, or say why it has none."""
    n, variances = len(covariance), covariance.diagonal()
    rule = "covariance must be positive definite"
    advice = (
        "the covariance of a sample that is not larger than the number of tuples always is; use a "
        "graph (GaussianModel.from_graph) or a shrunk estimate"
    )
    if not variances.min() > 0:
        raise ValueError(f"{where}: {rule}, got the variance {variances.min()}")
    # Powers of two: scaling by them rounds nothing.
    root = np.exp2(np.round(np.log2(variances) / 2))
    units = np.multiply.outer(root, root)
    scaled = covariance / units
    factor, info = lapack.dpotrf(scaled.T, lower=1, clean=1)
    if info or (np.square(factor.diagonal()) / scaled.diagonal()).min() <= max(n, 10) * _EPS:
        raise ValueError(f"{where}: {rule}, got one that is singular up to rounding; {advice}")
    T = lapack.dtrtri(factor, lower=1)[0]
    product = T.T @ T
    product = (product + product.T) / 2
    unit = np.eye(n)
    missing = float(np.linalg.norm(factor.T @ product @ factor - unit))
    missing += float(np.linalg.norm(T @ scaled @ T.T - unit))
    size = np.abs(T)
    if doubt is not None and doubt.entries is not None:
        missing += float((size @ ((doubt.entries / units) @ (size.T @ np.ones(n)))).max())
    # The covariance is L (1 + F) L' with the factor L, its inverse L^-T (1 + F)^-1 L^-1, and T is
    # L^-1 but for G = T L - 1. These three misses, and the rounding with which they are computed:
    lower = np.abs(factor)
    share = missing + 2 * float(np.linalg.norm(T @ factor - unit))
    share += 2 * _units(n) * float(np.linalg.norm(lower.T @ np.abs(product) @ lower))
    share += 2 * _units(n) * float(np.linalg.norm(size @ np.abs(scaled) @ size.T))
    share += 2 * _units(n) * float(np.linalg.norm(size @ lower))
    if not (missing <= INVERSE_TOLERANCE and share <= LARGEST_SHARE):
        raise _safety.UncertifiedError(
            f"{where}: the covariance is so nearly singular that floats determine its inverse only "
            f"up to {share:.1e}, and {INVERSE_TOLERANCE:g} is forgiven; {advice}, or pass exact "
            "entries (numpy.array of Fraction)"
        )
    # The shares are small, so that their products are far below a per cent of them.
    known = covariance if doubt is None else None
    return np.asarray(product / units), Doubt(share=1.01 * share, covariance=known)


def exact_solve(A: Array, B: Array) -> Array:
    """Solve A X = B in the field generated by the entries; results come out cancelled."""
    import sympy as sp
    from sympy.polys.matrices import DomainMatrix
    from sympy.polys.matrices.exceptions import DMNonInvertibleMatrixError

    left = DomainMatrix.from_Matrix(sp.Matrix(A)).to_field()
    right = DomainMatrix.from_Matrix(sp.Matrix(B)).to_field()
    left, right = left.unify(right)
    try:
        solution = left.lu_solve(right)
    except DMNonInvertibleMatrixError as error:
        rule = "precision must be positive definite on the unknown tuples"
        got = f"the singular block {A.tolist()}"
        raise ValueError(f"GaussianModel: {rule}, got {got}") from error
    return np.array(solution.to_Matrix().tolist(), dtype=object)


def _units(terms: int) -> float:
    """What rounding may take of a sum of so many terms, relative to their magnitudes."""
    return (math.sqrt(terms) + 8) * _EPS


def _random(n: int) -> FloatArray:
    """Return the vectors with which matrices are probed, the same every time."""
    return np.random.default_rng(20260101).standard_normal((n, _PROBES))


def _norm_from(products: FloatArray) -> float:
    """Bound the norm of a matrix by its products with the vectors of `_random`."""
    return 4 * math.sqrt(float(np.square(products).sum()) / _PROBES)


class Weak(NamedTuple):
    """What the weak adversaries learn, with bounds of the rounding."""

    values: FloatArray  # a_i + l_i = (P^-1 a)_i / (P^-1)_ii
    errors: FloatArray  # the values are off by at most so much
    units: FloatArray  # what no value can exceed: sd(a'x) / sd(x_i)
    form: float  # the covariance is off by at most this share, as a quadratic form
    spread: float  # sd(a'x)


def weak(P: FloatArray, a: FloatArray, doubt: Doubt | None, rule: str) -> Weak:
    """Return what the weak adversaries of a positive definite matrix learn."""
    n = len(P)
    factor = cholesky(P, rule)
    y = cho_solve((factor, True), a, check_finite=False)
    T = lapack.dtrtri(factor, lower=1, overwrite_c=1)[0]  # T' T is the covariance
    inverse = T.T  # rows: columns of the inverse
    variances = np.einsum("ik,ik->i", inverse, inverse)
    values = y / variances

    # E and r of the head of the module.
    probes = _random(n)
    e = _norm_from(T @ (P @ (T.T @ probes)) - probes)
    residual = a - P @ y
    blur = _units(n) * (np.abs(a) + np.abs(P) @ np.abs(y))
    missing = float(np.linalg.norm(T @ residual)) + _norm_from(T @ (blur[:, None] * probes)) / 2
    spread = math.sqrt(max(float(a @ y), 0.0))
    if doubt is not None:
        if doubt.entries is not None:
            size = np.abs(T)
            e += float((size @ (doubt.entries @ (size.T @ np.ones(n)))).max())
            missing += float(np.linalg.norm(size @ (doubt.entries @ np.abs(y))))
        # y' P y is a' y but for the residual, and T P T' is 1 but for e.
        missing += doubt.share * (spread + missing) * (1 + e)
        e += doubt.share * (1 + e)
    units = spread / np.sqrt(variances)
    if not e < 0.5:
        return Weak(values, np.full(n, np.inf), units, math.inf, spread)
    factor_error = e / (1 - e)
    errors = factor_error * np.abs(values) + missing * np.sqrt((1 + factor_error) / variances)
    return Weak(values, errors, units, factor_error, spread)


def settle(
    where: str, P: FloatArray, a: FloatArray, doubt: Doubt | None, first: Weak, allowed: Any,
    *, otherwise: Any = 0.0,
) -> FloatArray:  # fmt: skip
    """Return values of the weak adversaries whose errors are `allowed`, or refuse.

    Where no slower way applies, errors up to `allowed` and `otherwise` together are taken, too.
    """
    if np.all(first.errors <= allowed):
        return first.values
    better = None
    if doubt is None:
        better = _without_subtractions(P, a)
        if better is None:
            better = _in_integers(P, a)
    elif doubt.covariance is not None and len(P) <= MAX_INTEGER:
        better = _from_covariance(doubt.covariance, a)
    if better is None and np.all(first.errors <= allowed + otherwise):
        return first.values
    if better is None:
        lost = float(np.max(first.errors / np.maximum(np.abs(first.values), 1e-300)))
        raise _safety.UncertifiedError(
            f"{where}: the precision is so nearly singular, or so little symmetric, that rounding "
            f"may move a coefficient by {lost:.1e} of its value, and {_safety.SLACK:g} is "
            "forgiven; raise the prior, or pass exact entries (numpy.array of Fraction)"
        )
    differences = np.abs(better - first.values)
    limit = first.errors + _safety.SLACK * np.abs(better)
    _safety.certify(where, "the distance of two computations", differences, limit)
    return better


def _without_subtractions(P: FloatArray, a: FloatArray) -> FloatArray | None:
    """Return what the weak adversaries learn of a diagonally dominant M-matrix, to all digits.

    ``None`` if the matrix is none, the weights have both signs, or it is too large.
    """
    n = len(P)
    weights = -P
    np.fill_diagonal(weights, 0.0)
    if n > MAX_DOMINANT or weights.min() < 0 or not (a.min() >= 0 or a.max() <= 0):
        return None
    tau = np.array([math.fsum(row) for row in P])
    if tau.min() < 0:
        return None
    lower, pivots = np.eye(n), np.zeros(n)
    for k in range(n):
        rest = slice(k + 1, n)
        column = weights[rest, k].copy()
        pivots[k] = tau[k] + column.sum()
        if pivots[k] <= 0:
            return None
        share = column / pivots[k]
        lower[rest, k] = -share
        weights[rest, rest] += np.outer(share, column)  # what it adds to the diagonal is not read
        tau[rest] += share * tau[k]
    inverse = lapack.dtrtri(lower.T, lower=0, unitdiag=1)[0].T  # no entry is negative
    y = inverse.T @ (inverse @ a / pivots)
    variances = np.einsum("ki,ki,k->i", inverse, inverse, 1 / pivots)
    return np.asarray(y / variances)


def _integers(*arrays: FloatArray) -> list[list[list[int]]]:
    """Return matrices of floats as integers, all multiplied by one power of two."""
    # Denominators of floats are powers of two: the largest is a multiple of all.
    common = 1
    for array in arrays:
        for value in array.flat:
            common = max(common, float(value).as_integer_ratio()[1])
    matrices = []
    for array in arrays:
        rows = []
        for row in array:
            integers = []
            for value in row:
                top, bottom = float(value).as_integer_ratio()
                integers.append(top * (common // bottom))
            rows.append(integers)
        matrices.append(rows)
    return matrices


def _fraction_free(A: list[list[int]], B: list[list[int]]) -> tuple[int, list[list[int]]]:
    """Return det A and ``det(A) A^-1 B`` of a positive definite matrix of integers (Bareiss)."""
    n = len(A)
    rows = [[*left, *right] for left, right in zip(A, B)]
    before = 1
    for k in range(n):
        pivot = rows[k][k]
        if pivot <= 0:
            rule = "precision must be positive definite on the unknown tuples"
            raise ValueError(f"GaussianModel: {rule}, got no positive pivot in row {k}")
        for i in range(n):
            if i == k:
                continue
            factor = rows[i][k]
            rows[i] = [
                (pivot * own - factor * other) // before for own, other in zip(rows[i], rows[k])
            ]
        before = pivot
    # Gauss-Jordan without fractions: every row ends on the last pivot, the determinant.
    return before, [row[n:] for row in rows]


def _in_integers(P: FloatArray, a: FloatArray) -> FloatArray | None:
    """Return what the weak adversaries learn, exactly up to the last rounding; small matrices."""
    n = len(P)
    if n > MAX_INTEGER:
        return None
    scaled, right, unit = _integers(P, a[:, None], np.eye(n))
    sides = [[*one, *identity] for one, identity in zip(right, unit)]
    _, solution = _fraction_free(scaled, sides)
    # Both sides carry one power of two, numerator and denominator one determinant.
    values = [Fraction(row[0], row[1 + i]) for i, row in enumerate(solution)]
    return np.array([_as_float(value) for value in values])


def _from_covariance(covariance: FloatArray, a: FloatArray) -> FloatArray:
    """Return what the weak adversaries learn, Cov(x_i, a'x) / Var(x_i), in fractions."""
    weights = [Fraction(float(value)) for value in a]
    values = []
    for i, row in enumerate(covariance):
        shared = sum((Fraction(float(c)) * w for c, w in zip(row, weights)), Fraction(0))
        values.append(_as_float(shared / Fraction(float(row[i]))))
    return np.array(values)


def _as_float(value: Fraction) -> float:
    return _safety.exact_float("GaussianModel", "a coefficient", value)


class Known(NamedTuple):
    """What one adversary learns: E[a'x | x_i, x_K] has the slope a_i + coefficient in x_i."""

    coefficient: float
    variance: float  # of a'x, given x_i and x_K
    error: float
    variance_error: float
    unit: float  # what the coefficient is made of: sum |a_u h_u|
    slope: float  # a_i + coefficient, though the two may cancel


def one_adversary(
    P: FloatArray, a: FloatArray, doubt: Doubt | None, i: int, unknown: Sequence[int]
) -> Known:
    """Return the coefficient of one adversary, with a bound of the rounding."""
    U = list(unknown)
    if not U:
        return Known(0.0, 0.0, 0.0, 0.0, 0.0, float(a[i]))
    block, link, weights = P[np.ix_(U, U)], P[U, i], a[U]
    rule = f"precision must be positive definite on the unknown tuples {tuple(unknown)[:8]}"
    factor = cholesky(block, rule)
    spread = cho_solve((factor, True), weights)
    shares = -cho_solve((factor, True), link)
    coefficient, variance = -float(spread @ link), float(spread @ weights)

    def solved(right: FloatArray) -> FloatArray:
        return np.asarray(lapack.dtrtrs(factor, right, lower=1)[0])

    m = len(U)
    probes = _random(m)
    lifted = lapack.dtrtrs(factor, probes, lower=1, trans=1)[0]
    e = _norm_from(solved(block @ lifted) - probes)
    residual = weights - block @ spread
    blur = _units(m) * (np.abs(weights) + np.abs(block) @ np.abs(spread))
    missing = float(np.linalg.norm(solved(residual[:, None])))
    missing += _norm_from(solved(blur[:, None] * probes)) / 2
    link_error = _units(m) * float(np.abs(spread) @ np.abs(link))
    if doubt is not None:
        if doubt.entries is not None:
            size = np.abs(lapack.dtrtri(factor, lower=1)[0])
            between = doubt.entries[np.ix_(U, U)]
            e += float((size @ (between @ (size.T @ np.ones(m)))).max())
            missing += float(np.linalg.norm(size @ (between @ np.abs(spread))))
            link_error += float(np.abs(spread) @ doubt.entries[U, i])
        # spread' D (e_i - h), with h as below: the two parts of D in one.
        missing += doubt.share * (math.sqrt(max(variance, 0.0)) + missing) * (1 + e)
        e += doubt.share * (1 + e)
    if e < 0.5:
        missing /= math.sqrt(1 - e)
    else:
        missing = math.inf
    # h' P_UU h <= P_ii for h = P_UU^-1 P_Ui, as the matrix has no negative eigenvalue.
    error = missing * math.sqrt(P[i, i]) + link_error
    variance_error = missing * math.sqrt(max(variance, 0.0)) + _units(m) * float(
        np.abs(spread) @ np.abs(weights)
    )
    unit = float(np.abs(weights) @ np.abs(shares))
    return Known(coefficient, variance, error, variance_error, unit, float(a[i]) + coefficient)


def settle_one(
    where: str, P: FloatArray, a: FloatArray, doubt: Doubt | None, i: int, unknown: Any
) -> Known:
    """Return what one adversary learns, certified; in integers where floats are not enough."""
    first = one_adversary(P, a, doubt, i, unknown)
    strict = _safety.SLACK * abs(a[i] + first.coefficient)
    if first.error <= strict and first.variance_error <= _safety.SLACK * first.variance:
        return first
    small = len(unknown) <= MAX_INTEGER if doubt is None else len(P) <= MAX_INTEGER
    if small and solves_in_integers(doubt):
        coefficient, variance = one_in_integers(P, a, doubt, i, unknown)
        exact = _as_float(coefficient)
        limit = first.error + _safety.SLACK * abs(exact)
        difference = abs(exact - first.coefficient)
        _safety.certify(where, "the distance of two computations", difference, limit)
        slope = _as_float(Fraction(float(a[i])) + coefficient)
        return Known(exact, _as_float(variance), 0.0, 0.0, first.unit, slope)
    # What cancels is known to the digits of what it is made of.
    allowed = _safety.SLACK * (abs(a[i]) + first.unit)
    _safety.certify(where, "the rounding of the coefficient", first.error, allowed, slack=0)
    _safety.certify(
        where, "the rounding of the variance", first.variance_error, _safety.SLACK * first.variance,
        slack=0,
    )  # fmt: skip
    return first


def solves_in_integers(doubt: Doubt | None) -> bool:
    """Tell whether what was meant is known: the precision itself, or a covariance."""
    return doubt is None or doubt.covariance is not None


def one_in_integers(
    P: FloatArray, a: FloatArray, doubt: Doubt | None, i: int, unknown: Any
) -> tuple[Any, Any]:
    """Return the coefficient and the variance of one adversary as fractions."""
    U = list(unknown)
    if not U:
        return Fraction(0), Fraction(0)
    if doubt is not None and doubt.covariance is not None:
        return _one_from_covariance(doubt.covariance, a, i, U)
    block, right = _integers(P[np.ix_(U, U)], a[U][:, None])
    determinant, solution = _fraction_free(block, right)
    spread = [Fraction(row[0], determinant) for row in solution]
    coefficient = -sum((s * Fraction(float(P[u, i])) for s, u in zip(spread, U)), Fraction(0))
    variance = sum((s * Fraction(float(a[u])) for s, u in zip(spread, U)), Fraction(0))
    return coefficient, variance


def _one_from_covariance(C: FloatArray, a: FloatArray, i: int, U: list[int]) -> tuple[Any, Any]:
    """Return the two by the regression of a'x on x_i and what is known."""
    seen = [i] + [j for j in range(len(C)) if j != i and j not in U]
    block, rest = _integers(C[np.ix_(seen, seen)], C[np.ix_(seen, U)])
    determinant, solution = _fraction_free(block, rest)
    weights = [Fraction(float(a[u])) for u in U]
    shares = [[Fraction(entry, determinant) for entry in row] for row in solution]
    coefficient = sum((s * w for s, w in zip(shares[0], weights)), Fraction(0))
    variance = Fraction(0)
    for column, (u, own) in enumerate(zip(U, weights)):
        for v, other in zip(U, weights):
            left = Fraction(float(C[u, v]))
            for row, k in zip(shares, seen):
                left -= row[column] * Fraction(float(C[k, v]))
            variance += own * other * left
    return coefficient, variance


def all_errors(
    P: FloatArray, a: FloatArray, doubt: Doubt | None, solution: FloatArray, unknown: Any
) -> FloatArray:
    """Bound the rounding of ``-(solution @ P)``, for every set of unknown tuples and target.

    Rows are sets *U* of unknown tuples, ``solution[U]`` is :math:`P_{UU}^{-1} a_U`, columns are
    targets outside of *U*. The residual, scaled by the diagonal, is divided by the least eigenvalue
    of all blocks, which is that of one that lacks a single tuple.
    """
    n = len(P)
    scale = np.sqrt(np.where(P.diagonal() > 0, P.diagonal(), 1.0))
    scaled = P / scale / scale[:, None]
    least = 1.0
    for i in range(n):
        rest = [j for j in range(n) if j != i]
        if not rest:
            break
        least = min(least, float(eigvalsh(scaled[np.ix_(rest, rest)])[0]))
    least -= 10 * n * _EPS
    if not least > 0:
        return np.where(unknown.any(axis=1)[:, None], np.inf, np.zeros((len(solution), n)))
    size = np.abs(solution) @ np.abs(P)
    missing = np.abs(solution @ P - a) + _units(n) * (np.abs(a) + size)
    link = _units(n) * size
    if doubt is not None and doubt.entries is not None:
        both = np.abs(solution) @ doubt.entries
        missing += both
        link += both
    missing = np.where(unknown, missing / scale, 0.0)
    left = np.sqrt(np.square(missing).sum(axis=1) / least)
    if doubt is not None and doubt.share:
        # As for one adversary; the sum of a * solution may have lost the digits of its terms.
        variance = np.maximum(solution @ a, 0.0) + _units(n) * (np.abs(solution) @ np.abs(a))
        spread = np.sqrt(variance) + left
        link = link + doubt.share * (1 + doubt.share) * spread[:, None] * scale
    # A target's own factor is sqrt(P_iU P_UU^-1 P_Ui): 0 if it is linked to nobody.
    links = scaled - np.diag(scaled.diagonal())
    reach = np.minimum(1.0, np.sqrt(np.square(links).sum(axis=1) / least))
    return np.asarray(left[:, None] * (scale * reach) + link)
