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
better accuracy. For :math:`n \gg k` leaving out a *few* records does help (`best_thinning`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib._checks import Array
from privlib.disclosure import _validation as valid
from privlib.disclosure import posterior, pram

Floats = npt.NDArray[np.float64]

MAX_RECORDS = 10**8  # best_thinning tries every sample size: seconds at this number
_CHUNK = 2**18


@dataclass(frozen=True)
class Shares:
    """Estimated shares of the true categories.

    Attributes
    ----------
    estimate : ndarray or Series of float, shape (N,)
        Unbiased estimates; they sum to 1, and may be negative.
    variance : ndarray or Series of float, shape (N,)
        Unbiased estimates of their variances.
    """

    estimate: Any
    variance: Any


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


@dataclass(frozen=True)
class ReleaseLabel:
    """What to print under a release; ``str`` makes a small table of it.

    Attributes
    ----------
    records, lines : int
        Sizes of the table and of the release.
    fewest_equal_lines : int
        How often the rarest of the shown values is shown.
    k_table_known : Fraction or float
        Level against whoever knows the table.
    k_participants_known : Fraction or float
        Level against whoever also knows who took part.
    participation : tuple of Fraction or float
        Least and largest probability of having taken part, given any release.
    best_guess : tuple of Fraction or float
        Exact probability that the best guess is right: for a line of this release in the mean, and
        for the easiest one. Empty without the table.
    error_of_a_share : float
        Largest standard error of the estimated shares.
    """

    records: int
    lines: int
    fewest_equal_lines: int
    k_table_known: checks.Number
    k_participants_known: checks.Number
    participation: tuple[checks.Number, checks.Number]
    best_guess: tuple[checks.Number, ...]
    error_of_a_share: float

    def __str__(self) -> str:
        """Return the table, and what its numbers assume."""
        rows = ["Values rewritten independently; a simple random sample of fixed size, shuffled."]
        for name, value in vars(self).items():
            text = " to ".join(f"{float(x):.6g}" for x in np.ravel(value))
            rows.append(f"{name.replace('_', ' '):22s}{text or 'not computed'}")
        return "\n".join(rows)


def retention_for_k(
    n: int, k: checks.Number, *, categories: int, n_sampled: int | None = None
) -> float:
    r"""Return the largest retention probability that reaches a level.

    Parameters
    ----------
    n : int
        Number of records of the table, below ``2**63``.
    k : int, Fraction or float
        Level, in ``1..n``.
    categories : int
        Number of categories *N*, at least 2.
    n_sampled : int, optional
        Number of records of the release; all of them if not given.

    Returns
    -------
    float
        :math:`\rho^*`, rounded towards 0: the level of the number returned is at least `k`.

    Raises
    ------
    ValueError, TypeError
        `k` is more than `n` (unreachable with any matrix) or less than 1, or a number is out of its
        range.

    Notes
    -----
    The level falls from *n* at :math:`\rho = 0` (all rows equal) to 1 at :math:`\rho = 1`. For
    *s* = 1 the root is :math:`(k - 1)/(n - 1)`, for *s* = *n* it is
    :math:`\sqrt{(k - 1)/(n - 1)}`. The square root is a float; the level is then checked in
    fractions. For a fraction *k* that a float takes for 1 or for *n* the number may be well below
    :math:`\rho^*`, with very many categories 0; its level is at least `k` there, too.

    References
    ----------
    Theorem 5.1 solved for the noise; the paper has no closed form.

    Examples
    --------
    >>> retention_for_k(1000, 10, categories=10)
    0.4881
    >>> retention_for_k(1000, 10, categories=10, n_sampled=100)
    0.9083
    """
    where = "retention_for_k"
    n, s = valid.sizes(where, checks.integer(where, "n", n, high=2**63 - 1), n_sampled)
    size = checks.integer(where, "categories", categories, low=2)
    level = Fraction(valid.level(where, k))
    if level > n:
        raise ValueError(f"{where}: k must be at most n = {n} (unreachable), got {k!r}")
    rho = float(_retention(float(level), n, np.array(s), size))
    step = min(2.0**-60, rho * 2.0**-30)  # many categories need retentions far below 2**-60
    while rho and _retention_level(Fraction(rho), n, s, size) < level:
        rho, step = max(0.0, rho - max(step, math.ulp(rho))), 2 * step
    return rho


def estimate_shares(release: Any, transition: Any, *, n: int) -> Shares:
    r"""Return unbiased estimates of the shares of the true categories, and of their variances.

    Parameters
    ----------
    release : array_like or Series, shape (s,)
        Shown codes, or labels of the columns of `transition`.
    transition : array_like, DataFrame, sparse matrix or Graph, shape (N, M)
        Row-stochastic matrix with independent rows.
    n : int
        Number of records of the table, at least *s*.

    Returns
    -------
    Shares
        ``estimate`` and ``variance``, labelled like the rows of a DataFrame.

    Raises
    ------
    ValueError, TypeError
        The rows of `transition` are dependent, up to the rounding of floats, or *s* = 1 < *n* (one
        record tells nothing of the spread), or a code or number is out of its range.

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
    >>> shares = estimate_shares([0, 0, 0, 1], [[0.75, 0.25], [0.25, 0.75]], n=4)
    >>> shares.estimate, shares.variance
    (array([1., 0.]), array([0.1875, 0.1875]))
    """
    where = "estimate_shares"
    exact, _, columns = valid.matrix(where, transition)
    A, W = _with_inverse(where, exact)
    shown = valid.codes(where, "release", release, A.shape[1], labels=columns)
    s = shown.size
    n = checks.integer(where, "n", n, low=s)
    if s == 1 < n:
        raise ValueError(f"{where}: release must have at least 2 slots if n is more, got 1")
    estimate = np.bincount(shown, minlength=A.shape[1]) / s @ W
    c = _finite_population(n, s)
    variance = _variance(estimate, A, W, s, c) / (1 - c)
    return Shares(checks.labelled(estimate, transition), checks.labelled(variance, transition))


def label(
    release: Any, transition: Any, *, population_size: int, table: Any = None
) -> ReleaseLabel:
    r"""Return the numbers to print under a release.

    Parameters
    ----------
    release : array_like or Series, shape (s,)
        Shown codes, or labels of the columns of `transition`.
    transition : array_like, DataFrame, sparse matrix or Graph, shape (N, M)
        Row-stochastic matrix with independent rows; the identity for an unchanged sample. Dependent
        rows (more rows than columns, say) have levels, `pram.pk_level`, but no shares.
    population_size : int
        Number of records of the table, at least *s*.
    table : array_like or Series, shape (population_size,), optional
        The true categories, for the exact posterior. The categories of a categorical Series are
        those of a square `transition` without labels, in their order, for the release too.

    Returns
    -------
    ReleaseLabel

    Raises
    ------
    ValueError, TypeError
        As for `estimate_shares` and `posterior.match_probability`.

    Notes
    -----
    With *f* the fewest lines of one value, the levels are those of `pram.pk_level` and
    `pram.pk_level_response_knowledge` with ``shown=f``. A matrix with a zero beside a positive
    entry of its column has no :math:`\gamma` and :math:`g_2`; both levels are then *f*, which holds
    for every shuffled release. None of the numbers bounds what is told about a group whose lines
    are all alike.

    Who draws again until the label is good keeps the levels and the interval, but not the error:
    the estimates of rare values are then too high.

    References
    ----------
    Theorem 5.1; the other numbers are not in the paper.

    Examples
    --------
    >>> A = pram.retention_matrix(0.8, 2)
    >>> print(label([0, 0, 1, 1, 1], A, population_size=8))
    Values rewritten independently; a simple random sample of fixed size, shuffled.
    records               8
    lines                 5
    fewest equal lines    2
    k table known         2.37037
    k participants known  2.03704
    participation         0.15625 to 0.9375
    best guess            not computed
    error of a share      0.22964
    """
    A, _, columns = valid.matrix("label", transition, table)
    shown = valid.codes("label", "release", release, A.shape[1], labels=columns)
    n, s = valid.sizes("label", population_size, shown.size)
    f = int(np.unique(shown, return_counts=True)[1].min())
    plain: Any = f, f, (s // n, 1), ()
    k, told, presence, guess = plain
    if (A[:, A.any(axis=0)] != 0).all():
        k = pram.pk_level(A, n, n_sampled=s, shown=f)
        told = pram.pk_level_response_knowledge(A, n, n_sampled=s, shown=f)
        presence = pram.membership_interval(A, n, n_sampled=s)
    if table is not None:
        match = posterior.match_matrix(table, release, transition=transition, by="value")
        best = np.asarray(match).max(axis=0)[shown]
        guess = best.sum() / s, best.max()
    variance = max(0.0, *estimate_shares(shown, A, n=n).variance)
    return ReleaseLabel(n, s, f, k, told, presence, guess, float(variance) ** 0.5)


def share_variance(shares: Any, transition: Any, *, n: int, n_sampled: int | None = None) -> Any:
    r"""Return the exact variance of the estimated shares.

    Parameters
    ----------
    shares : array_like, Series or mapping, shape (N,)
        True shares :math:`\pi` of the table, a probability vector; a Series or a mapping goes by
        the labels of `transition`, if it has some.
    transition : array_like, DataFrame, sparse matrix or Graph, shape (N, M)
        Row-stochastic matrix with independent rows.
    n : int
        Number of records of the table.
    n_sampled : int, optional
        Number of records of the release; all of them if not given.

    Returns
    -------
    ndarray or Series of float, shape (N,)
        The variance of the module's opening, of the rewriting and of the sample.

    Raises
    ------
    ValueError, TypeError
        `shares` is not a probability vector over the rows, the rows are dependent, or a number is
        out of its range.

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
    >>> share_variance([0.5, 0.5], [[0.75, 0.25], [0.25, 0.75]], n=10, n_sampled=5)
    array([0.177778, 0.177778])
    >>> share_variance([0.5, 0.5], [[1, 0], [0, 1]], n=10, n_sampled=5)
    array([0.027778, 0.027778])
    """
    where = "share_variance"
    exact, rows, _ = valid.matrix(where, transition)
    A, W = _with_inverse(where, exact)
    shares = valid.by_labels(where, "shares", shares, rows)
    pi = checks.reals(where, "shares", shares, shape=A.shape[:1])
    pi = checks.distribution(where, "shares", pi)
    n, s = valid.sizes(where, n, n_sampled)
    return checks.labelled(_variance(pi, A, W, s, _finite_population(n, s)), shares)


def best_thinning(n: int, k: checks.Number, *, categories: int, share: float) -> Thinning:
    r"""Return the sample size with the most accurate share at a level, by retention.

    Parameters
    ----------
    n : int
        Number of records of the table, at most 10^8.
    k : int, Fraction or float
        Level, more than 1 and less than *n*, and so far from *n* that :math:`1 - \gamma^*` is at
        least 1e-9 for all records: rounding hides less.
    categories : int
        Number of categories *N*, at least 2, below ``2**63``.
    share : float
        The share :math:`\pi` that matters, in (0, 1).

    Returns
    -------
    Thinning
        The best of all sample sizes ``1..n``, and what asymptotics say.

    Raises
    ------
    ValueError, TypeError
        A number is out of its range.

    Notes
    -----
    For :math:`n \gg k` and *q* = *n* − *s* small against *n*,
    :math:`k - 1 \approx q\gamma + n\gamma^2`, and the variance is proportional to
    :math:`\gamma + \beta q/n` with :math:`\beta = \pi(1 - \pi)/(1 + \pi(N - 2)) \le 1/4`. Its
    minimum is at :math:`\gamma = \sqrt{\beta (k - 1) / ((1 - \beta) n)}`, hence

    .. math::

        q^* \approx \frac{1 - 2\beta}{\sqrt{\beta (1 - \beta)}} \sqrt{n (k - 1)}, \qquad
        \text{ratio} \to 2\sqrt{\beta (1 - \beta)} .

    For this share alone a recoding into two categories comes first; it needs less noise.

    References
    ----------
    Not in the paper. Its section 5.2 compares the noise, not the accuracy.

    Examples
    --------
    >>> best = best_thinning(1000, 10, categories=10, share=0.1)
    >>> best.drop, best.keep, best.variance_ratio
    (288, 0.769, 0.430)
    """
    where = "best_thinning"
    n = checks.integer(where, "n", n, low=3, high=MAX_RECORDS)
    level = float(min(valid.level(where, k), n))
    size = checks.integer(where, "categories", categories, low=2, high=2**63 - 1)
    # All records need the largest gamma; less than this of 1 - gamma is lost in its rounding.
    if level == 1 or 1 - math.sqrt((level - 1) / (n - 1)) < 1e-9:
        rule = f"between 1 and n = {n}, not so near 1 or n that floats do not tell them apart"
        raise ValueError(f"{where}: k must be {rule}, got {k!r}")
    pi = checks.real(where, "share", share)
    checks.bounded(where, "share", pi, "be in (0, 1)", lambda x: 0 < x < 1)

    def variance(s: Array) -> Floats:
        return _retention_variance(pi, n, s, _retention(level, n, s, size), size)

    blocks = (np.arange(start, min(start + _CHUNK, n + 1)) for start in range(1, n + 1, _CHUNK))
    # The least of all sample sizes; of equal ones the smallest.
    least, best = min((float(v.min()), int(s[v.argmin()])) for s in blocks for v in [variance(s)])
    beta = pi * (1 - pi) / (1 + pi * (size - 2))
    root = math.sqrt(beta * (1 - beta))
    keep = retention_for_k(n, k, categories=size, n_sampled=best)
    ratio = least / float(variance(np.array(n)))
    asymptotic_drop = (1 - 2 * beta) / root * math.sqrt(n * (level - 1))
    return Thinning(best, n - best, keep, ratio, asymptotic_drop, 2 * root)


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
    return np.asarray((pi @ (A @ W**2) - pi) / s + c * pi * (1 - pi))


def _with_inverse(where: str, exact: Array) -> tuple[Floats, Floats]:
    """Return a matrix in floats and its right inverse of least norm."""
    A = exact.astype(np.float64)
    if (rank := np.linalg.matrix_rank(A)) < len(A):  # then shares cannot be told apart
        rule = "have independent rows (so clearly that floats show it)"
        raise ValueError(f"{where}: transition must {rule}, got rank {rank} for {len(A)} rows")
    return A, np.asarray(np.linalg.inv(A) if A.shape[0] == A.shape[1] else np.linalg.pinv(A))
