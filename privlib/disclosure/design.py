r"""Designing a release: how much retention for a level, which sample, at what accuracy.

*Level to noise.* Retention has :math:`g_2 = \gamma^2`, so Theorem 5.1 reads
:math:`k = 1 + (n - s)\gamma + (s - 1)\gamma^2`, and the positive root of this quadratic is the
least noise for *k*,

.. math::

    \gamma^* = \frac{2 (k - 1)}{(n - s) + \sqrt{(n - s)^2 + 4 (s - 1)(k - 1)}}, \qquad
    \rho^* = \frac{1 - \gamma^*}{1 + (N - 1)\gamma^*} .

*Noise to accuracy.* Let :math:`\lambda = \pi A` be the shares of the shown categories and *W* a
right inverse, *A W* = *I*. Then :math:`\hat\pi = \hat\lambda W` is unbiased, and its variance has
a part of the rewriting and one of the sample,

.. math::

    \mathrm{Var}(\hat\pi_i) = \frac1s \sum_u \pi_u \Bigl(\sum_a A_{ua} W_{ai}^2 - \delta_{ui}\Bigr)
    + \frac1s \Bigl(1 - \frac sn\Bigr) \frac{n}{n - 1}\, \pi_i (1 - \pi_i) .

At equal *k* the second part may cost more than the first one gains: less noise per record is not
better accuracy. Leaving out a *few* records does help (`best_thinning`).

*Strata.* With :math:`s_h` of :math:`n_h` records from stratum *h*, the swap lemma keeps to the
exchanges that leave the numbers :math:`s_h` alone. If the release does not show the strata,
exchanges of three records come in: *r* out of its slot, a sampled record *t* of another stratum
into it, an unsampled one of stratum *h* into the slot that *t* left.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib.disclosure import _levels as pram
from privlib.disclosure import _validation as valid

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]

LABELS = ("released", "hidden")
MAX_RECORDS = 10**8  # best_thinning tries every sample size: seconds at this number
_CHUNK = 2**18


@dataclass(frozen=True)
class Shares:
    """Estimated shares of the true categories.

    Attributes
    ----------
    estimate : ndarray of float, shape (N,)
        Unbiased estimates; they sum to 1, and may be negative.
    variance : ndarray of float, shape (N,)
        Unbiased estimates of their variances.
    """

    estimate: Floats
    variance: Floats


@dataclass(frozen=True)
class Thinning:
    r"""The sample size that is most accurate at a given level, with retention.

    Attributes
    ----------
    n_sampled : int
        Number of records in the release.
    drop : int
        Number of records left out.
    keep : float
        Retention probability that reaches the level.
    variance_ratio : float
        Variance of the share, relative to a release of all records at the same level.
    asymptotic_drop : float
        What `drop` tends to for :math:`n \gg k`.
    asymptotic_ratio : float
        What `variance_ratio` tends to.
    """

    n_sampled: int
    drop: int
    keep: float
    variance_ratio: float
    asymptotic_drop: float
    asymptotic_ratio: float


def retention_for_k(k: valid.Number, n: int, n_sampled: int, categories: int) -> float:
    r"""Return the largest retention probability that reaches a level.

    Parameters
    ----------
    k : int, Fraction or float
        Level, in ``1..n``.
    n : int
        Number of records of the table.
    n_sampled : int
        Number of records of the release.
    categories : int
        Number of categories *N*, at least 2.

    Returns
    -------
    float
        :math:`\rho^*`, rounded towards 0: the level of the number returned is at least `k`.

    Raises
    ------
    ValueError
        `k` is more than `n` (unreachable with any matrix), less than 1, or a number is out of its
        range.
    TypeError
        A number has the wrong type.

    Notes
    -----
    The level falls from *n* at :math:`\rho = 0` (all rows equal) to 1 at :math:`\rho = 1`. For
    *s* = 1 the root is :math:`(k - 1)/(n - 1)`, for *s* = *n* it is
    :math:`\sqrt{(k - 1)/(n - 1)}`. The square root is a float; the level is then checked in
    fractions.

    References
    ----------
    Theorem 5.1 solved for the noise; the paper has no closed form.

    Examples
    --------
    >>> retention_for_k(10, 1000, 1000, 10), retention_for_k(10, 1000, 100, 10)
    (0.4881, 0.9083)
    """
    where = "retention_for_k"
    n, s = valid.sizes(where, n, n_sampled)
    size = checks.integer(where, "categories", categories, low=2)
    level = Fraction(valid.at_least_one(where, "k", k))
    if level > n:
        raise ValueError(f"{where}: k must be at most n = {n} (unreachable), got {k!r}")
    rho = float(_retention(float(level), n, np.array(s), size))
    step = 2.0**-60
    while rho and _retention_level(Fraction(rho), n, s, size) < level:
        rho, step = max(0.0, rho - max(step, math.ulp(rho))), 2 * step
    return rho


def stratified_pk_level(
    transition: Any, sizes: npt.ArrayLike, samples: npt.ArrayLike, *, labels: str = "released"
) -> Array:
    r"""Return the level of the records of every stratum under stratified sampling.

    Parameters
    ----------
    transition : array_like, shape (N, M)
        Row-stochastic matrix without zeros.
    sizes : array_like of int, shape (H,)
        Numbers of records :math:`n_h` of the strata.
    samples : array_like of int, shape (H,)
        Numbers of sampled records :math:`s_h`, each in :math:`1..n_h`.
    labels : {"released", "hidden"}
        Whether the release shows the stratum of a slot.

    Returns
    -------
    ndarray, shape (H,)
        "released": :math:`1 + (n_h - s_h)\gamma + (s_h - 1) g_2`, Theorem 5.1 inside the stratum.
        "hidden": :math:`1 + (n_h - s_h)\gamma + (s - 1) g_2`
        :math:`{} + (n_h - s_h)(s - s_h)\gamma^2/s_h`.
        Fractions for a rational matrix.

    Raises
    ------
    ValueError
        `transition` is not row-stochastic or has an entry 0, or a number is out of its range.
    TypeError
        An argument has the wrong type.

    Notes
    -----
    With hidden labels the samples of other strata are cover too: exchanges of two sampled records
    (*s* − 1 of them), and of three records as in the module's opening, each result of which comes
    from :math:`s_h` choices of the middle slot. A factor of the latter is
    :math:`R_{uv}(a) R_{xu}(b) \ge \gamma^2`, *x* the value of the record that comes in. A stratum
    that is taken whole has no unsampled record: :math:`k_h = 1 + (s - 1) g_2`.

    References
    ----------
    Section 6, future work.

    Examples
    --------
    >>> A = pram.retention_matrix(Fraction(1, 2), 3)
    >>> stratified_pk_level(A, [3, 2], [1, 2], labels="hidden")
    array([Fraction(15, 8), Fraction(9, 8)], dtype=object)
    """
    where = "stratified_pk_level"
    valid.choice(where, "labels", labels, LABELS)
    n_h = _whole_numbers(where, "sizes", sizes)
    s_h = _whole_numbers(where, "samples", samples)
    if n_h.shape != s_h.shape:
        raise ValueError(
            f"{where}: sizes and samples must have one number for each stratum, got "
            f"{n_h.size} and {s_h.size}"
        )
    for n, s in zip(n_h, s_h):  # over strata
        if not 1 <= s <= n:
            raise ValueError(f"{where}: samples must be in 1..{n} in a stratum of {n}, got {s}")
    low, high, _, _ = pram._pairs(where, transition)
    gamma, g2 = low.min(), (low / high).min()
    levels = 1 + (n_h - s_h) * gamma  # object arrays: fractions stay fractions
    if labels == "released":
        levels = levels + (s_h - 1) * g2
    else:
        s = s_h.sum()
        levels = levels + (s - 1) * g2 + (n_h - s_h) * (s - s_h) * gamma**2 / s_h
    return np.asarray(levels.astype(low.dtype))


def conditional_poisson_pk_level(transition: Any, odds: npt.ArrayLike, n_sampled: int) -> Array:
    r"""Return the level of every record under sampling with unequal probabilities.

    Parameters
    ----------
    transition : array_like, shape (N, M)
        Row-stochastic matrix without zeros.
    odds : array_like, shape (n,)
        Positive weights :math:`\omega_t`: a sample of size *s* has probability proportional to
        the product of its weights.
    n_sampled : int
        Number of records in the release, in ``1..n``.

    Returns
    -------
    ndarray of float, shape (n,)
        :math:`1 + \gamma\,\Omega_r/\omega_r + (s - 1) g_2`, :math:`\Omega_r` the sum of the
        *n* − *s* smallest weights of other records.

    Raises
    ------
    ValueError
        A weight is not positive and finite, or an argument is out of its range.
    TypeError
        An argument has the wrong type.

    Notes
    -----
    An exchange with an unsampled record *t* multiplies the probability of the sample by
    :math:`\omega_t/\omega_r`; one with a sampled record leaves it alone. Equal weights give
    Theorem 5.1. A record that is all but sure to be sampled has next to no cover.

    References
    ----------
    Section 6, future work.

    Examples
    --------
    >>> A = pram.retention_matrix(0.5, 2)
    >>> conditional_poisson_pk_level(A, [1, 1, 1, 3], 2)
    array([1.778, 1.778, 1.778, 1.333])
    """
    where = "conditional_poisson_pk_level"
    low, high, _, _ = pram._pairs(where, transition)
    weights = np.asarray(odds)
    if weights.ndim != 1 or not weights.size:
        raise ValueError(f"{where}: odds must be a non-empty vector, got shape {weights.shape}")
    if weights.dtype.kind not in "iuf":
        raise TypeError(f"{where}: odds must hold real numbers, got {odds!r}")
    bad = weights[~(np.isfinite(weights) & (weights > 0))]
    if bad.size:
        raise ValueError(f"{where}: odds must be positive and finite, got {bad[0]}")
    weights = weights.astype(np.float64)
    n, s = valid.sizes(where, weights.size, n_sampled)
    order = np.argsort(weights, kind="stable")
    sums = np.concatenate([[0.0], np.cumsum(weights[order])])
    # A record among the n - s smallest is replaced by the next one.
    smallest = np.full(n, sums[n - s])
    inside = order[: n - s]
    smallest[inside] = sums[n - s + 1] - weights[inside]
    gamma, g2 = float(low.min()), float((low / high).min())
    return np.asarray(1 + gamma * smallest / weights + (s - 1) * g2)


def estimate_shares(release: npt.ArrayLike, transition: Any, n: int) -> Shares:
    r"""Return unbiased estimates of the shares of the true categories, and of their variances.

    Parameters
    ----------
    release : array_like of int, shape (s,)
        Shown codes.
    transition : array_like, shape (N, M)
        Row-stochastic matrix with independent rows.
    n : int
        Number of records of the table, at least *s*.

    Returns
    -------
    Shares
        ``estimate`` and ``variance``.

    Raises
    ------
    ValueError
        The rows of `transition` are dependent, or *s* = 1 < *n* (one record tells nothing of the
        spread), or a code or number is out of its range.
    TypeError
        An argument has the wrong type.

    Notes
    -----
    The variance of `share_variance` is linear in :math:`\pi` but for
    :math:`-c\pi_i^2`, :math:`c = (n - s)/(s(n - 1))`. As
    :math:`E[\hat\pi_i^2] = \pi_i^2 + \mathrm{Var}(\hat\pi_i)`, the formula at :math:`\hat\pi`,
    divided by 1 − *c*, has the right expectation.

    References
    ----------
    Not in the paper; Gouweleeuw et al. (1998) for the rewriting alone.

    Examples
    --------
    >>> shares = estimate_shares([0, 0, 0, 1], [[0.75, 0.25], [0.25, 0.75]], 4)
    >>> shares.estimate, shares.variance
    (array([1., 0.]), array([0.1875, 0.1875]))
    """
    where = "estimate_shares"
    A = valid.transition_matrix(where, transition).astype(np.float64)
    W = _right_inverse(where, A)
    shown = valid.codes(where, "release", release, A.shape[1])
    s = shown.size
    n = checks.integer(where, "n", n, low=s)
    if s == 1 < n:
        raise ValueError(f"{where}: release must have at least 2 slots if n is more, got 1")
    estimate = np.bincount(shown, minlength=A.shape[1]) / s @ W
    c = _finite_population(n, s)
    return Shares(estimate, _variance(estimate, A, W, s, c) / (1 - c))


def share_variance(shares: npt.ArrayLike, n: int, n_sampled: int, transition: Any) -> Floats:
    r"""Return the exact variance of the estimated shares.

    Parameters
    ----------
    shares : array_like, shape (N,)
        True shares :math:`\pi` of the table, a probability vector.
    n : int
        Number of records of the table.
    n_sampled : int
        Number of records of the release.
    transition : array_like, shape (N, M)
        Row-stochastic matrix with independent rows.

    Returns
    -------
    ndarray of float, shape (N,)
        The variance of the module's opening, of the rewriting and of the sample.

    Raises
    ------
    ValueError
        `shares` is not a probability vector over the rows, the rows are dependent, or a number is
        out of its range.
    TypeError
        An argument has the wrong type.

    Notes
    -----
    A slot contributes :math:`W[X, i]`, whose expectation given the record is the indicator of its
    category: the law of total variance, with the variance of a mean without replacement. For
    retention it is :math:`[\pi a(1 - a) + (1 - \pi) b (1 - b)]/(s\rho^2)` plus the sample's part,
    with :math:`b = (1 - \rho)/N` and :math:`a = \rho + b`. If the matrix is not square, *W* is
    the right inverse of least norm.

    References
    ----------
    Not in the paper; Gouweleeuw et al. (1998) for the rewriting alone.

    Examples
    --------
    >>> A = pram.retention_matrix(0.5, 2)
    >>> share_variance([0.5, 0.5], 10, 5, A), share_variance([0.5, 0.5], 10, 5, [[1, 0], [0, 1]])
    (array([0.177778, 0.177778]), array([0.027778, 0.027778]))
    """
    where = "share_variance"
    A = valid.transition_matrix(where, transition).astype(np.float64)
    W = _right_inverse(where, A)
    pi = np.asarray(shares)
    if pi.dtype.kind not in "iufO":
        raise TypeError(f"{where}: shares must hold real numbers, got {shares!r}")
    if pi.shape != (A.shape[0],):
        raise ValueError(
            f"{where}: shares must have one entry for each of {A.shape[0]} rows, got shape "
            f"{pi.shape}"
        )
    pi = np.array([checks.probability(where, "shares", share) for share in pi.tolist()])
    if abs(pi.sum() - 1) > valid.SUM_TOLERANCE:
        raise ValueError(f"{where}: shares must sum to 1, got {pi.sum()}")
    n, s = valid.sizes(where, n, n_sampled)
    return _variance(pi, A, W, s, _finite_population(n, s))


def best_thinning(n: int, k: valid.Number, categories: int, share: float) -> Thinning:
    r"""Return the sample size with the most accurate share at a given level.

    Parameters
    ----------
    n : int
        Number of records of the table, at most 10^8.
    k : int, Fraction or float
        Level, more than 1 and less than *n*.
    categories : int
        Number of categories *N*, at least 2.
    share : float
        The share :math:`\pi` that matters, in (0, 1).

    Returns
    -------
    Thinning
        The best of all sample sizes ``1..n``, and what asymptotics say.

    Raises
    ------
    ValueError
        A number is out of its range.
    TypeError
        A number has the wrong type.

    Notes
    -----
    For :math:`n \gg k` and *q* = *n* − *s* small against *n*,
    :math:`k - 1 \approx q\gamma + n\gamma^2`, and the variance is proportional to
    :math:`\gamma + \beta q/n` with :math:`\beta = \pi(1 - \pi)/(1 + \pi(N - 2)) \le 1/4`. Its
    minimum is at :math:`\gamma = \sqrt{\beta (k - 1) / ((1 - \beta) n)}`, hence

    .. math::

        q^* \approx \frac{1 - 2\beta}{\sqrt{\beta (1 - \beta)}} \sqrt{n (k - 1)}, \qquad
        \text{ratio} \to 2\sqrt{\beta (1 - \beta)} .

    References
    ----------
    Not in the paper. Its section 5.2 compares the noise, not the accuracy.

    Examples
    --------
    >>> best = best_thinning(1000, 10, 10, 0.1)
    >>> best.drop, best.keep, best.variance_ratio
    (288, 0.769, 0.430)
    """
    where = "best_thinning"
    n = checks.integer(where, "n", n, low=3, high=MAX_RECORDS)
    level = float(valid.at_least_one(where, "k", k))
    if not 1 < level < n:
        raise ValueError(f"{where}: k must be between 1 and n = {n}, got {k!r}")
    size = checks.integer(where, "categories", categories, low=2)
    pi = checks.probability(where, "share", share)
    if pi in (0, 1):
        raise ValueError(f"{where}: share must be in (0, 1), got {share!r}")

    def variance(s: Array) -> Floats:
        return _retention_variance(pi, n, s, _retention(level, n, s, size), size)

    least, best = math.inf, n
    for start in range(1, n + 1, _CHUNK):  # over blocks of sample sizes
        s = np.arange(start, min(start + _CHUNK, n + 1))
        values = variance(s)
        if values.min() < least:
            least, best = float(values.min()), int(s[values.argmin()])
    beta = pi * (1 - pi) / (1 + pi * (size - 2))
    root = math.sqrt(beta * (1 - beta))
    return Thinning(
        n_sampled=best,
        drop=n - best,
        keep=retention_for_k(level, n, best, size),
        variance_ratio=least / float(variance(np.array(n))),
        asymptotic_drop=(1 - 2 * beta) / root * math.sqrt(n * (level - 1)),
        asymptotic_ratio=2 * root,
    )


# ---------------------------------------------------------------------------------------------


def _retention(k: float, n: int, s: Array, size: int) -> Array:
    """Return the retention probability of level `k` for every sample size."""
    free = (n - s).astype(np.float64)
    root = np.sqrt(free**2 + 4 * (s - 1.0) * (k - 1))
    positive = np.where(free + root > 0, free + root, 1.0)  # n = 1: no noise needed
    gamma = np.minimum(2 * (k - 1) / positive, 1.0)
    return np.asarray((1 - gamma) / (1 + (size - 1) * gamma))


def _retention_level(rho: Fraction, n: int, s: int, size: int) -> Fraction:
    """Return the level of retention, exactly."""
    gamma = (1 - rho) / (1 + (size - 1) * rho)
    return 1 + (n - s) * gamma + (s - 1) * gamma**2


def _retention_variance(pi: float, n: int, s: Array, rho: Array, size: int) -> Floats:
    """Return the variance of one share under retention, for every sample size; rho > 0."""
    b = (1 - rho) / size
    a = rho + b
    rewriting = (pi * a * (1 - a) + (1 - pi) * b * (1 - b)) / rho**2
    return np.asarray(rewriting / s + _finite_population(n, s) * pi * (1 - pi))


def _finite_population(n: int, s: Any) -> Any:
    """Return (1 - s/n) / s * n/(n - 1), 0 without sampling."""
    return (n - s) / (s * max(n - 1, 1))


def _variance(pi: Floats, A: Floats, W: Floats, s: int, c: float) -> Floats:
    """Return the variance formula at the shares `pi`."""
    rewriting = (pi @ (A @ W**2) - pi) / s
    return np.asarray(rewriting + c * pi * (1 - pi))


def _right_inverse(where: str, A: Floats) -> Floats:
    """Return the right inverse of least norm."""
    if np.linalg.matrix_rank(A) < A.shape[0]:
        raise ValueError(
            f"{where}: transition must have independent rows (else the shares cannot be told "
            f"apart), got rank {np.linalg.matrix_rank(A)} for {A.shape[0]} rows"
        )
    return np.asarray(np.linalg.inv(A) if A.shape[0] == A.shape[1] else np.linalg.pinv(A))


def _whole_numbers(where: str, name: str, values: npt.ArrayLike) -> Array:
    """Return a vector of integers as Python integers, so that fractions can multiply them."""
    array = np.asarray(values)
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{where}: {name} must be a non-empty vector, got shape {array.shape}")
    if array.dtype.kind not in "iu":
        raise TypeError(f"{where}: {name} must hold integers, got {values!r}")
    return array.astype(object)
