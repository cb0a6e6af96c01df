r"""The Gaussian correlation model: leakage in closed form.

**Model.** A weighted graph with Laplacian :math:`L` and a prior :math:`T = \mathrm{diag}(\tau_i)`
make the tuples jointly normal with precision :math:`P = L + T`; without prior (:math:`T = 0`)
only the conditional laws are proper. The sum :math:`s = 1^\top x` (or a query
:math:`a^\top x`) is released as :math:`r = s + \mathrm{Lap}(\lambda)`.

**One number an adversary.** For :math:`A(i, K)`, who does not know :math:`U`,

.. math:: \mathrm E[s \mid x_i, x_K] = (1 + l_A)\, x_i + \text{const}(x_K), \qquad
          l_A = -1^\top P_{UU}^{-1} P_{Ui},

and the variance of :math:`s` does not depend on :math:`x_i`. The two laws of :math:`r` that the
adversary compares are therefore one density, Laplace convolved with normal, at two positions
:math:`M |1 + l_A|` apart. The logarithm of that density has slopes in
:math:`(-1/\lambda, 1/\lambda)` that tend to the ends, hence

.. math:: \mathrm{BDPL}_A = \frac{M}{\lambda} |1 + l_A| .

The supremum is a limit :math:`r \to \pm\infty`; no output attains it unless :math:`U` is empty.

**All weak adversaries at once.** :math:`1 + l_i = \mathrm{Cov}(x_i, s) / \mathrm{Var}(x_i)
= (P^{-1} 1)_i / (P^{-1})_{ii}`: one Cholesky factor gives all of them.

**Forgetting a tuple.** For any positive definite :math:`P`, with :math:`K' = K \setminus j` and
:math:`b` the regression coefficient of :math:`x_j` on :math:`x_i` given :math:`x_{K'}`,

.. math:: l_{A(i,K')} = l_{A(i,K)} + b \, \bigl(1 + l_{A(j, K' \cup i)}\bigr).

If no off-diagonal entry is positive (an M-matrix) all terms are non-negative and the weak
adversaries are the worst (Theorem 5.2). With
:math:`P = \bigl(\begin{smallmatrix} 3 & -1 & 1 \\ -1 & 2 & 0 \\ 1 & 0 & 2 \end{smallmatrix}\bigr)`
they are not: :math:`1 + l_A` is 3/2 for :math:`A(1, \{3\})`, at most 6/5 for weak and strong ones.

Tuples are numbered from 0 here and from 1 in the paper. sympy matrices and object arrays (of
``Fraction``, say) are computed exactly, float arrays in double precision.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_solve, eigh, lapack

from privlib import _checks as checks
from privlib.correlated import _dense as dense
from privlib.correlated import _validation as validation
from privlib.correlated._algorithm1 import algorithm1, combine
from privlib.correlated._output_law import excess, log_density, log_ratio, output_density
from privlib.correlated.sparse import leakage_estimates, max_leakage_bounds

__all__ = [
    "Adversary",
    "algorithm1",
    "all_coefficients",
    "combine",
    "comparison_bound",
    "gaussian_noise_mu",
    "laplace_delta",
    "leakage_coefficient",
    "leakage_coefficients",
    "leakage_estimates",
    "leakage_sweep",
    "log_density",
    "log_ratio",
    "max_leakage_bounds",
    "noise_scale",
    "output_density",
    "worst_adversary",
]

FloatArray = npt.NDArray[np.float64]
AnyArray = npt.NDArray[Any]

MAX_TUPLES = 16
"""Largest n for which all n 2^(n-1) adversaries are enumerated."""


# ---------------------------------------------------------------------------------------------
# Closed forms
# ---------------------------------------------------------------------------------------------


def leakage_coefficient(precision: Any, target: int, known: Iterable[int] = ()) -> Any:
    r"""Leakage coefficient of one adversary.

    Parameters
    ----------
    precision : array_like or sympy.Matrix, shape (n, n)
        Precision matrix; a singular Laplacian will do if the unknown tuples are a proper part of
        every component.
    target : int
        Attacked tuple.
    known : iterable of int
        Tuples that the adversary knows.

    Returns
    -------
    float or sympy expression
        :math:`l_A`, 0 if nothing is unknown. Exact for exact input.

    Raises
    ------
    ValueError
        If the matrix is not symmetric, finite and positive definite on the unknown tuples (or has
        a negative eigenvalue), an index is out of range or repeated, or `known` has the target.
    TypeError
        If an index is no integer or the matrix holds no numbers.

    Notes
    -----
    :math:`\mathrm E[x_U \mid x_i, x_K] = -P_{UU}^{-1}(P_{Ui} x_i + P_{UK} x_K)`; summing the
    coefficients of :math:`x_i` gives :math:`l_A = -1^\top P_{UU}^{-1} P_{Ui}`. The paper's
    :math:`m w_{0i}/w_0` is the same number after merging U, and 0/0 for empty U.

    References
    ----------
    Theorem 5.1, equations (24) and (25).

    Examples
    --------
    >>> path = np.array([[1.0, -1, 0], [-1, 2, -1], [0, -1, 1]])
    >>> [round(leakage_coefficient(path, 0, K), 12) for K in ([], [2], [1, 2])]
    [2.0, 0.5, 0.0]
    >>> import sympy as sp
    >>> tau = sp.Symbol("tau", positive=True)
    >>> leakage_coefficient(sp.Matrix([[1 + tau, -1], [-1, 1 + tau]]), 0)
    1/(tau + 1)
    """
    where = "leakage_coefficient"
    P = dense.model(where, precision)
    i, _, unknown = validation.adversary(where, len(P), target, known)
    coefficient = 0.0 if P.dtype == float else P[0, 0] * 0
    if unknown:
        column = P[list(unknown), i]
        coefficient = -dense.solve(where, P, unknown, column).sum()
    return coefficient if P.dtype == object else float(coefficient)


def leakage_coefficients(precision: Any, *, weights: Any = None) -> AnyArray:
    r"""Leakage coefficients of all weak adversaries from one Cholesky factor.

    Parameters
    ----------
    precision : array_like or sympy.Matrix, shape (n, n)
        Positive definite precision matrix, of any signs.
    weights : array_like, shape (n,), optional
        Coefficients *a* of a linear query :math:`a^\top x`; all one by default.

    Returns
    -------
    ndarray, shape (n,)
        :math:`l_i = (P^{-1} a)_i / (P^{-1})_{ii} - a_i`: what the unknown tuples add, so that
        :math:`\mathrm{BDPL}_i = M_i |a_i + l_i| / \lambda`.

    Raises
    ------
    ValueError
        If the matrix is not symmetric, finite and positive definite, or `weights` does not fit.
    TypeError
        If the matrix or the weights hold no numbers.

    Notes
    -----
    :math:`a_i + l_i = \mathrm{Cov}(x_i, a^\top x) / \mathrm{Var}(x_i)`, a regression coefficient.
    With :math:`P = G G^\top` the diagonal of the inverse is the column sums of squares of
    :math:`G^{-1}`. Numerator and denominator share the factor, hence its error along the smallest
    eigenvector: the ratio keeps its digits as :math:`\tau \to 0`, where the shorter
    :math:`1/(\tau (P^{-1})_{ii})` loses them. It fails when a pivot drowns in rounding
    (:math:`\tau` below about :math:`10^{-16} n` times the degrees), and then says so.

    References
    ----------
    Theorem 5.1 for :math:`K = \emptyset`, equation (25); equation (29) is its limit.

    Examples
    --------
    >>> complete = 4.0 * np.eye(4) - np.ones((4, 4)) + 1.0 * np.eye(4)
    >>> leakage_coefficients(complete)
    array([1.5, 1.5, 1.5, 1.5])
    """
    where = "leakage_coefficients"
    if validation.is_exact(precision):
        P = dense.model(where, precision)
        a = dense.exact_weights(where, len(P), weights)
        solution = dense.exact_solve(where, P, np.hstack([a, np.eye(len(P), dtype=int)]))
        return _cancel(solution[:, 0] / solution[:, 1:].diagonal() - a[:, 0])
    P = validation.precision_matrix(where, precision)
    a = validation.query_weights(where, len(P), weights)
    factor = dense.cholesky(where, P)
    covariance_with_sum = cho_solve((factor, True), a, check_finite=False)
    inverse = lapack.dtrtri(factor, lower=1, overwrite_c=1)[0].T  # rows: columns of the inverse
    return np.asarray(covariance_with_sum / np.einsum("ik,ik->i", inverse, inverse) - a)


def _cancel(values: AnyArray) -> AnyArray:
    """Put exact values over one denominator each."""
    import sympy as sp

    return np.array([sp.cancel(v) for v in values], dtype=object)


def leakage_sweep(laplacian: Any, priors: Any) -> FloatArray:
    r"""Leakage coefficients of all weak adversaries for many uniform priors.

    Parameters
    ----------
    laplacian : array_like, shape (n, n)
        Laplacian of a graph with non-negative weights, connected or not.
    priors : array_like, shape (t,)
        Positive priors :math:`\tau`; the precision is :math:`L + \tau I`.

    Returns
    -------
    ndarray, shape (t, n)
        Row k holds the coefficients under ``priors[k]``.

    Raises
    ------
    ValueError
        If the matrix is not a Laplacian (symmetric, finite, no positive off-diagonal entry, rows
        that sum to 0), or a prior is not positive and finite.

    Notes
    -----
    As :math:`P 1 = \tau 1`, :math:`1 + l_i = 1 / (\tau (P^{-1})_{ii})`. In that form small
    :math:`\tau` loses digits, because the constant vector of each component contributes
    :math:`1/(\tau n_c)` through an eigenvalue that is zero only up to rounding. So the
    component's constant vector is first lifted to a known eigenvalue :math:`\alpha`,

    .. math:: \tilde L = L + \alpha \sum_c 1_c 1_c^\top / n_c, \qquad
       \frac{1}{1 + l_i} = \frac{1}{n_c} \frac{\alpha}{\alpha + \tau}
         + \tau \sum_k \frac{v_{ik}^2}{\tilde\lambda_k + \tau},

    where every term is positive: nothing cancels and no eigenvector need be recognised. All
    priors together cost one symmetric eigendecomposition and one matrix product. It fails only
    where the spectral gap itself is below rounding.

    References
    ----------
    Section 5.5; the sweep of Figures 4 and 5(b).

    Examples
    --------
    >>> L = 4.0 * np.eye(4) - np.ones((4, 4))
    >>> leakage_sweep(L, [1.0, 1e-12]).round(6)
    array([[1.5, 1.5, 1.5, 1.5],
           [3. , 3. , 3. , 3. ]])
    """
    from scipy.sparse.csgraph import connected_components  # slow to import, needed here only

    where = "leakage_sweep"
    L = validation.precision_matrix(where, laplacian, name="laplacian")
    tau: FloatArray = validation.numbers(where, "priors", priors)
    if tau.ndim != 1:
        raise ValueError(f"{where}: priors must be one-dimensional, got shape {tau.shape}")
    if tau.size and tau.min() <= 0:
        raise ValueError(f"{where}: priors must be positive, got {tau.min()}")
    n = len(L)
    lifted = L.copy()
    lifted.flat[:: n + 1] = 0.0
    if lifted.max() > 0:
        raise ValueError(
            f"{where}: off-diagonal entries must not be positive (weights w >= 0), "
            f"got {lifted.max()}"
        )
    excess = np.abs(L.sum(axis=1)).max()
    if excess > 1e-12 * n * np.abs(L).max():
        raise ValueError(f"{where}: every row of laplacian must sum to 0, got a sum of {excess}")
    _, component = connected_components(lifted, directed=False)
    size = np.bincount(component)[component]
    alpha = float(L.trace()) / n or 1.0
    lifted.flat[:: n + 1] = L.diagonal()
    lifted += (component[:, None] == component) * (alpha / size)
    values, squares = eigh(lifted.T, driver="evd", overwrite_a=True, check_finite=False)
    np.square(squares, out=squares)
    resolvent = 1 / (np.maximum(values, 0)[:, None] + tau)
    reciprocal = (alpha / (alpha + tau))[:, None] / size + tau[:, None] * (squares @ resolvent).T
    return np.asarray(1 / reciprocal - 1)


# ---------------------------------------------------------------------------------------------
# All adversaries
# ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Adversary:
    r"""An adversary and what it learns.

    Attributes
    ----------
    target : int
        Attacked tuple.
    known : tuple of int
        Tuples that the adversary knows, sorted.
    coefficient : float or sympy expression
        Leakage coefficient :math:`l_A`.
    factor : float or sympy expression
        :math:`M_i |a_i + l_A| = \lambda\,\mathrm{BDPL}_A`, that is :math:`|1 + l_A|` for the
        plain sum and widths of one.
    """

    target: int
    known: tuple[int, ...]
    coefficient: Any
    factor: Any


def _known_mask(n: int) -> npt.NDArray[np.int64]:
    """Return the bit mask of K for each column of `all_coefficients`, shape (n, 2^(n-1))."""
    column = np.arange(2 ** (n - 1))
    i = np.arange(n)[:, None]
    return np.asarray((column & ((1 << i) - 1)) | (column >> i << (i + 1)))


def _small(where: str, n: int) -> None:
    """Refuse to enumerate the adversaries of a large model."""
    if n > MAX_TUPLES:
        raise ValueError(
            f"{where}: n 2^(n-1) adversaries are enumerated only up to n = {MAX_TUPLES}, "
            f"got n = {n}; see comparison_bound"
        )


def all_coefficients(precision: Any, *, weights: Any = None) -> AnyArray:
    r"""Leakage coefficients of all :math:`n 2^{n-1}` adversaries.

    Parameters
    ----------
    precision : array_like or sympy.Matrix, shape (n, n)
        Precision matrix of any signs, or the Laplacian of a connected graph; n <= 16.
    weights : array_like, shape (n,), optional
        Coefficients *a* of a linear query, all one by default.

    Returns
    -------
    ndarray, shape (n, 2 ** (n - 1))
        Entry ``[i, k]`` belongs to the adversary that attacks *i* and knows tuple *j* if the bit
        of *j* is set in *k*, where the bits number the tuples other than *i* in increasing
        order. Column 0 holds the weak adversaries, the last column the strong ones (zero).

    Raises
    ------
    ValueError
        If n > 16, or some set of unknown tuples has no positive definite precision.
    TypeError
        If the matrix or the weights hold no numbers.

    Notes
    -----
    :math:`l_A = -a_U^\top P_{UU}^{-1} P_{Ui}`, so one solve for each set *U* serves all targets
    outside it: :math:`2^n` small systems, batched by size.

    References
    ----------
    Theorem 5.1; the hierarchy of Section 5.2.

    Examples
    --------
    >>> P = np.array([[3.0, -1, 1], [-1, 2, 0], [1, 0, 2]])
    >>> all_coefficients(P)[0]  # knows nothing, {1}, {2}, both
    array([ 0. , -0.5,  0.5,  0. ])
    """
    where = "all_coefficients"
    P = dense.model(where, precision)
    n = len(P)
    _small(where, n)
    exact = P.dtype == object
    a = (
        dense.exact_weights(where, n, weights)[:, 0]
        if exact
        else validation.query_weights(where, n, weights)
    )
    unknown = np.arange(2**n)[:, None] >> np.arange(n) & 1 == 1
    count = unknown.sum(axis=1)
    solution = np.zeros((2**n, n), dtype=P.dtype)
    for size in range(1, n):
        rows = np.flatnonzero(count == size)
        sets = np.nonzero(unknown[rows])[1].reshape(-1, size)
        if exact:
            for row, U in zip(rows, sets):
                solution[row, U] = dense.solve(where, P, tuple(U), a[U])
            continue
        blocks = P[sets[:, :, None], sets[:, None, :]]
        if size == n - 1:  # these blocks contain all others
            for block, U in zip(blocks, sets):
                dense.cholesky(where, block, f"precision must be positive definite on {tuple(U)}")
        solution[rows[:, None], sets] = np.linalg.solve(blocks, a[sets][..., None])[..., 0]
    known = _known_mask(n)
    target = np.arange(n)[:, None]
    coefficients = -(solution @ P)[2**n - 1 - known - (1 << target), target]
    if exact:
        return _cancel(coefficients.ravel()).reshape(coefficients.shape)
    return np.asarray(coefficients + 0.0)  # no negative zeros


def worst_adversary(precision: Any, *, weights: Any = None, width: Any = 1) -> Adversary:
    r"""Find the adversary with the largest leakage, among all, by enumeration.

    Parameters
    ----------
    precision : array_like or sympy.Matrix, shape (n, n)
        Precision matrix of any signs, or the Laplacian of a connected graph; n <= 16.
    weights : array_like, shape (n,), optional
        Coefficients *a* of a linear query, all one by default.
    width : float or array_like, shape (n,)
        Bounds :math:`M_i` on :math:`|x_i - x_i'|`.

    Returns
    -------
    Adversary
        The maximiser of :math:`M_i |a_i + l_A|`. Among equals (to 1e-12) the one that knows
        least, then the one with the smallest target.

    Raises
    ------
    ValueError
        As `all_coefficients`, or if `width` is not positive.
    TypeError
        As `all_coefficients`.

    Notes
    -----
    The leakage is proportional to :math:`|1 + l_A|`, not to :math:`l_A`: with positive
    off-diagonal entries :math:`1 + l_A` may be negative. Cost :math:`O(2^n n^2)` and more.

    References
    ----------
    Theorem 5.2 and Section 5.6, beyond its assumption w >= 0.

    Examples
    --------
    >>> worst_adversary([[3.0, 1, -1], [1, 2, 0], [-1, 0, 2]]).known
    (1,)
    """
    where = "worst_adversary"
    coefficients = all_coefficients(precision, weights=weights)
    n = len(coefficients)
    exact = coefficients.dtype == object
    if exact and any(v.free_symbols for v in coefficients.flat):
        raise ValueError(f"{where}: precision must be numeric to be maximised over, got symbols")
    M = validation.widths(where, n, width)[:, None]
    if exact:
        a = dense.exact_weights(where, n, weights)
        M = dense.exact_weights(where, n, np.broadcast_to(np.asarray(width, dtype=object), (n,)))
    else:
        a = validation.query_weights(where, n, weights)[:, None]
    factors = M * abs(a + coefficients)
    largest = factors.max()
    target, column = np.nonzero(factors >= (largest if exact else largest * (1 - 1e-12)))
    masks = _known_mask(n)[target, column]
    known = masks[:, None] >> np.arange(n) & 1 == 1
    best = np.lexsort((masks, target, known.sum(axis=1)))[0]
    i, k = int(target[best]), int(column[best])
    coefficient, factor = coefficients[i, k], factors[i, k]
    return Adversary(
        i,
        tuple(int(j) for j in np.flatnonzero(known[best])),
        coefficient if exact else float(coefficient),
        factor if exact else float(factor),
    )


def comparison_bound(precision: Any, *, weights: Any = None) -> FloatArray:
    r"""Bound the coefficients of all adversaries, for any signs and any n.

    Parameters
    ----------
    precision : array_like, shape (n, n)
        An H-matrix, for example a strictly diagonally dominant one.
    weights : array_like, shape (n,), optional
        Coefficients *a* of a linear query, all one by default.

    Returns
    -------
    ndarray, shape (n,)
        Entry i bounds :math:`|l_{A(i,K)}|` for every K.

    Raises
    ------
    ValueError
        If the comparison matrix is not positive definite (no H-matrix), or the input is no
        symmetric finite matrix.
    TypeError
        If the matrix or the weights hold no numbers.

    Notes
    -----
    The comparison matrix keeps the diagonal and takes :math:`-|P_{ij}|` elsewhere. By Ostrowski
    :math:`|P_{UU}^{-1}| \le \langle P_{UU} \rangle^{-1}` entry by entry, so :math:`|l_A|` is at
    most the coefficient of the same adversary in the comparison model with weights
    :math:`|a|`, where Theorem 5.2 applies. Equality for M-matrices (and weak adversaries); loose
    otherwise.

    References
    ----------
    Beyond the paper; uses Theorem 5.2.

    Examples
    --------
    >>> comparison_bound([[3.0, -1, 1], [-1, 3, 0], [1, 0, 3]]).round(3)
    array([0.667, 0.5  , 0.5  ])
    """
    where = "comparison_bound"
    P = validation.precision_matrix(where, precision)
    a = np.abs(validation.query_weights(where, len(P), weights))
    comparison = -np.abs(P)
    comparison.flat[:: len(P) + 1] = P.diagonal()
    dense.cholesky(where, comparison, "precision must be an H-matrix (comparison matrix definite)")
    return np.asarray(leakage_coefficients(comparison, weights=a))


def noise_scale(
    precision: Any, *, epsilon: float, width: Any, weights: Any = None, method: str = "exact"
) -> float:
    r"""Smallest Laplace scale that is private against every adversary.

    Parameters
    ----------
    precision : array_like, shape (n, n)
        Positive definite precision matrix.
    epsilon : float
        Privacy level.
    width : float or array_like, shape (n,)
        Bounds :math:`M_i` on :math:`|x_i - x_i'|`.
    weights : array_like, shape (n,), optional
        Coefficients *a* of a linear query, all one by default.
    method : {"exact", "bound"}
        ``"exact"``: the smallest scale; from the weak adversaries where Theorem 5.2 says that
        they are the worst, otherwise from all adversaries (n <= 16).
        ``"bound"``: a sufficient scale for any H-matrix, from `comparison_bound`.

    Returns
    -------
    float
        :math:`\lambda_0 = \max_A M_i |a_i + l_A| / \varepsilon`.

    Raises
    ------
    ValueError
        If off-diagonal entries are positive (or the weights have both signs) and n > 16, so
        that neither the theorem nor the enumeration applies; if epsilon or a width is not
        positive; if the matrix is not positive definite.
    TypeError
        If an argument holds no numbers.

    Notes
    -----
    Theorem 5.2 needs an M-matrix and weights of one sign. Without them the weak adversaries
    alone understate the scale: by 2.5 against 2 in the example. A positive off-diagonal entry
    below :math:`10^{-12} \sqrt{P_{ii} P_{jj}}` counts as rounding. :math:`\lambda_0` is a
    scale; the variance of the noise is :math:`2\lambda_0^2`.

    References
    ----------
    Theorem 5.2 and equation (26).

    Examples
    --------
    >>> noise_scale([[2.0, -1], [-1, 2.0]], epsilon=0.5, width=1)
    3.0
    >>> noise_scale([[3.0, 1, -1], [1, 2, 0], [-1, 0, 2]], epsilon=1, width=1)
    1.5
    """
    where = "noise_scale"
    P = validation.precision_matrix(where, precision)
    n = len(P)
    epsilon = checks.positive(where, "epsilon", epsilon)
    M = validation.widths(where, n, width)
    a = validation.query_weights(where, n, weights)
    if validation.choice(where, "method", method, ("exact", "bound")) == "bound":
        return float((M * (np.abs(a) + comparison_bound(P, weights=a))).max() / epsilon)
    dense.cholesky(where, P)
    root = np.sqrt(P.diagonal())
    positive = P / root / root[:, None] > 1e-12
    positive.flat[:: n + 1] = False
    if not positive.any() and (a.min() >= 0 or a.max() <= 0):
        return float((M * np.abs(a + leakage_coefficients(P, weights=a))).max() / epsilon)
    if n > MAX_TUPLES:
        raise ValueError(
            f"{where}: weak adversaries are the worst only if no off-diagonal entry is positive "
            "and the weights have one sign (Theorem 5.2); otherwise all adversaries count, which "
            f"worst_adversary enumerates up to n = {MAX_TUPLES}, got n = {n}; "
            'method="bound" gives a sufficient scale'
        )
    return float(worst_adversary(P, weights=a, width=M).factor / epsilon)


# ---------------------------------------------------------------------------------------------
# Normal noise, and (epsilon, delta)
# ---------------------------------------------------------------------------------------------


def _shift_and_variance(
    where: str, precision: Any, target: int, known: Iterable[int], width: float
) -> tuple[float, float]:
    """Return M |1 + l_A| and Var[s | x_i, x_K]."""
    P = validation.precision_matrix(where, precision)
    dense.require_semidefinite(where, P)
    i, _, unknown = validation.adversary(where, len(P), target, known)
    width = checks.positive(where, "width", width)
    if not unknown:
        return width, 0.0
    spread = dense.solve(where, P, unknown, np.ones(len(unknown)))
    return width * abs(1 - float(spread @ P[list(unknown), i])), float(spread.sum())


def gaussian_noise_mu(
    precision: Any, target: int, known: Iterable[int] = (), *, sigma: float, width: float
) -> float:
    r"""Gaussian-DP parameter of one adversary when the noise is normal.

    Parameters
    ----------
    precision : array_like, shape (n, n)
        Precision matrix.
    target : int
        Attacked tuple.
    known : iterable of int
        Tuples that the adversary knows.
    sigma : float
        Standard deviation of the noise; 0 allowed if something is unknown.
    width : float
        Bound *M* on :math:`|x_i - x_i'|`.

    Returns
    -------
    float
        :math:`\mu_A = M |1 + l_A| / \sqrt V` with
        :math:`V = \sigma^2 + \mathrm{Var}[s \mid x_i, x_K]`: telling the two values apart is
        exactly as hard as telling N(0, 1) from :math:`N(\mu_A, 1)`.

    Raises
    ------
    ValueError
        If the matrix is not positive definite on the unknown tuples, `sigma` is negative, or the
        output has no variance at all.
    TypeError
        If an argument has the wrong type.

    Notes
    -----
    Given :math:`x_i, x_K` the output is normal, of a variance :math:`\sigma^2 + 1^\top
    P_{UU}^{-1} 1` free of :math:`x_i`. What is unknown blurs the output here, so that Theorem
    5.2 does not extend to Gaussian noise: the strong adversary may be the worst.

    References
    ----------
    Beyond the paper.

    Examples
    --------
    >>> P = [[1.1, -0.1], [-0.1, 1.1]]
    >>> [round(gaussian_noise_mu(P, 0, K, sigma=1, width=1), 4) for K in ([], [1])]
    [0.7895, 1.0]
    """
    where = "gaussian_noise_mu"
    sigma = checks.non_negative(where, "sigma", sigma)
    shift, variance = _shift_and_variance(where, precision, target, known, width)
    if sigma == 0 and variance == 0:
        raise ValueError(f"{where}: sigma must be positive if all tuples are known, got 0")
    return shift / math.sqrt(sigma**2 + variance)


def laplace_delta(
    precision: Any,
    target: int,
    known: Iterable[int] = (),
    *,
    epsilon: float,
    scale: float,
    width: float,
) -> float:
    r"""Smallest delta at a given epsilon for one adversary under Laplace noise.

    Parameters
    ----------
    precision : array_like, shape (n, n)
        Precision matrix.
    target : int
        Attacked tuple.
    known : iterable of int
        Tuples that the adversary knows.
    epsilon : float
        Non-negative privacy level.
    scale : float
        Laplace scale :math:`\lambda`.
    width : float
        Bound *M* on :math:`|x_i - x_i'|`.

    Returns
    -------
    float
        :math:`\delta`, the supremum over *S* of :math:`\Pr(r \in S \mid x_i)`
        :math:`{} - e^\varepsilon \Pr(r \in S \mid x_i')`.

    Raises
    ------
    ValueError
        If the matrix is not positive definite on the unknown tuples, epsilon is negative, or the
        scale or the width is not positive.
    TypeError
        If an argument has the wrong type.

    Notes
    -----
    The log ratio of the two output densities falls monotonically (Laplace and normal are
    log-concave), so S is a half-line that ends where it equals epsilon. There
    :math:`g(t) = e^\varepsilon g(t - \Delta)`, so subtracting :math:`\lambda g` from both
    distribution functions changes nothing and removes the digits that would cancel. The strong
    adversary has :math:`1 - e^{(\varepsilon - M/\lambda)/2}`. Theorem 5.2 does not extend to
    :math:`(\varepsilon, \delta)`: see the example.

    References
    ----------
    Beyond the paper.

    Examples
    --------
    >>> P = [[1.1, -0.1], [-0.1, 1.1]]
    >>> [round(laplace_delta(P, 0, K, epsilon=0.5, scale=1, width=1), 4) for K in ([], [1])]
    [0.1184, 0.2212]
    """
    from scipy.optimize import brentq  # a third of the import time, and needed here only

    where = "laplace_delta"
    epsilon = checks.non_negative(where, "epsilon", epsilon)
    scale = checks.positive(where, "scale", scale)
    shift, variance = _shift_and_variance(where, precision, target, known, width)
    sigma = math.sqrt(variance)
    if epsilon * scale >= shift:
        return 0.0
    if sigma == 0:
        return -math.expm1((epsilon - shift / scale) / 2)

    def gap(t: float) -> float:
        return float(log_ratio(t, 0.0, shift, scale=scale, sigma=sigma)) - epsilon

    low = -39 * sigma  # beyond it the probability of the half-line is below 1e-300
    if gap(low) <= 0:
        return 0.0
    end = shift / 2 if epsilon == 0 else brentq(gap, low, shift / 2, xtol=1e-15 * sigma, rtol=1e-15)
    low_tail = excess(end - shift, scale, sigma)
    # In logarithms, as exp(epsilon) alone may overflow.
    taken = math.exp(epsilon + math.log(low_tail)) if low_tail > 0 else 0.0
    return max(0.0, excess(end, scale, sigma) - taken)
