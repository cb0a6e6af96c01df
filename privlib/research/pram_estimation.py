r"""Most likely shares, invariant matrices, and the distance of neighbouring counts.

*Most likely shares.* Of *s* records a share :math:`f_a` shows the category *a*. True shares
:math:`\pi` show it with probability :math:`\lambda_a = \sum_u \pi_u A_{ua}`; the mean log
likelihood is :math:`\ell(\pi) = \sum_a f_a \ln \lambda_a`. Its slope in :math:`\pi_u` is the
*score* :math:`g_u = \sum_a f_a A_{ua} / \lambda_a`, and :math:`\sum_u \pi_u g_u = 1`. As
:math:`\ln x \le x - 1`, for every other :math:`\pi^*`

.. math::

    \ell(\pi^*) - \ell(\pi) = \sum_a f_a \ln \frac{\lambda^*_a}{\lambda_a}
    \le \sum_a f_a \frac{\lambda^*_a}{\lambda_a} - 1 = \sum_u \pi^*_u g_u - 1
    \le \max_u g_u - 1 .

The last number is a certificate: it bounds what is missing, whoever found :math:`\pi`. The step of
the EM algorithm is :math:`\pi_u \leftarrow \pi_u g_u`; where it stands still every share that is
not 0 has the score 1, and it is a maximum if no other has more (Karush-Kuhn-Tucker).

*Invariant matrices.* With :math:`Q_{au} = \pi_u A_{ua} / \lambda_a`, the distribution of the true
category given the shown one, :math:`\pi A Q = \lambda Q = \pi`: to draw a true category for each
shown one leaves the shares as they are in the mean.

*Counts.* Rows of a matrix may be counts instead of categories of a record. Nobody's row of a file
is then behind a slot, and there is no level of Pk-anonymity. What a person can ask is how far the
distributions of two counts that differ by one are apart:
:math:`\delta(\varepsilon) = \max_i \sum_j (P_{ij} - e^\varepsilon P_{i \pm 1, j})_+`.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib import _safety
from privlib.disclosure import bounds
from privlib.disclosure import validation as valid

_ROUNDING = 1e-9  # of sums of probabilities


def mle_proportions(
    counts: npt.ArrayLike, transition: Any, *, gap: float = 1e-10, rounds: int = 100_000
) -> tuple[Any, float]:
    r"""Return the most likely shares of the true categories, and how much may be missing.

    Parameters
    ----------
    counts : array_like or mapping, shape (M,)
        How often each category is shown, not negative, in the order of the columns of `transition`;
        any positive multiple of it will do. A mapping goes by their labels: what it has not counts
        0. A Series must have the index 0, 1, ...; of others pass
        ``counts.reindex(categories, fill_value=0).to_numpy()``.
    transition : array_like, DataFrame, sparse matrix or Graph, shape (N, M)
        Row-stochastic matrix.
    gap : float
        Stop as soon as the bound is not more than this.
    rounds : int
        Stop after so many rounds at the latest.

    Returns
    -------
    tuple of (ndarray of float, shape (N,), float)
        Shares, none negative, of sum 1, in the order of the rows, and :math:`\max_u g_u - 1`: the
        mean log likelihood of no other shares is larger by more than that. Up to rounding, so some
        1e-15 less means 0.

    Raises
    ------
    ValueError, TypeError
        `transition` is not row-stochastic, `counts` does not fit its columns, has labels in an
        order of their own or no positive entry, a shown category comes from no true one, `gap` is
        not positive or `rounds` negative.

    Notes
    -----
    The EM algorithm from equal shares; each round makes the counts more likely. Where the unbiased
    estimate is possible, it is what is found. A share that tends to 0 does so geometrically if its
    score stays below 1, else slowly: look at the bound, not at the rounds. Dependent rows are
    taken; the most likely shares are then not unique.

    Two rewritten attributes are one with the Kronecker product: ``np.kron(A, B)`` and
    ``table.ravel()``.

    References
    ----------
    Not in the paper. Van den Hout and van der Heijden (2002); as iterative Bayesian update,
    ElSalamouny and Palamidessi (2025).

    Examples
    --------
    >>> shares, missing = mle_proportions([9, 1], [[0.75, 0.25], [0.25, 0.75]])
    >>> shares.round(6), missing <= 1e-10  # the unbiased estimate is 1.3, -0.3
    (array([1., 0.]), True)
    """
    where = "mle_proportions"
    P, _, columns = valid.matrix(where, transition)
    counts = valid.by_position(where, "counts", counts, columns)
    f = checks.reals(where, "counts", counts, "at least 0", lambda x: x >= 0, shape=P.shape[1:])
    with np.errstate(over="ignore"):
        checks.positive(where, "the sum of counts", f.sum())
    checks.refuse(where, "counts", f, "0 where no row shows it", (f == 0) | P.any(axis=0))
    gap, left = checks.positive(where, "gap", gap), checks.integer(where, "rounds", rounds, low=0)
    A, f = _scaled(P[:, f > 0]), f[f > 0] / f.sum()
    shares = np.full(len(A), 1 / len(A))
    while (score := A @ (f / (shares @ A))).max() - 1 > gap and left:
        shares, left = shares * score, left - 1
    return shares, float(score.max() - 1)


def invariant_matrix(transition: Any, shares: npt.ArrayLike) -> npt.NDArray[Any]:
    r"""Return a matrix that leaves the shares of a table as they are, in the mean.

    Parameters
    ----------
    transition : array_like, shape (N, M)
        Row-stochastic matrix *A*: the first rewriting.
    shares : array_like or mapping, shape (N,)
        Positive shares, or counts, of the true categories, in the order of the rows of
        `transition`; a mapping goes by their labels. A Series must have the index 0, 1, ...: pass
        ``shares.reindex(categories, fill_value=0).to_numpy()``.

    Returns
    -------
    ndarray, shape (N, N)
        *A Q*, fractions if both arguments are rational.

    Raises
    ------
    ValueError, TypeError
        `transition` is not row-stochastic, or `shares` does not fit its rows, is not positive or
        has labels in an order of their own.
    UncertifiedError
        Rounding keeps the shares from being left as they are.

    Notes
    -----
    *Q* draws a true category given the shown one, by Bayes' rule. :math:`\pi_u R_{uw}` is symmetric
    in *u* and *w*: rewriting moves as many people from *u* to *w* as back. Mixed with the identity
    it stays invariant. No second rewriting lowers a level (`anonymity.pk_level`):
    every ratio of two rows of *A Q* is an average of those of *A*.

    The matrix tells the shares of the table. Whoever knows the table learns nothing from that;
    where shares are a secret, it is not to be published.

    References
    ----------
    Gouweleeuw et al. (1998), the two-stage method; it is how sdcMicro makes its matrices.

    Examples
    --------
    >>> from fractions import Fraction
    >>> half = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    >>> invariant_matrix(half, [3, 1])
    array([[Fraction(4, 5), Fraction(1, 5)],
           [Fraction(3, 5), Fraction(2, 5)]], dtype=object)
    """
    where = "invariant_matrix"
    A, rows, _ = valid.matrix(where, transition)
    shares = valid.by_position(where, "shares", shares, rows)
    pi = checks.reals(where, "shares", shares, exact=A.dtype == object, shape=A.shape[:1])
    checks.refuse(where, "shares", pi, "positive", pi > 0)
    A = A[:, A.any(axis=0)]
    joint = pi[:, None] * (A if pi.dtype == object else _scaled(A))  # true and shown
    R = np.asarray(A.astype(pi.dtype) @ (joint / joint.sum(axis=0)).T)
    # The two promises: it is a matrix, and it leaves the shares as they are.
    _safety.certify(where, "the sum of a row", abs(R.sum(axis=1) - 1), 0.0, unit=_ROUNDING)
    moved = abs((pi @ R - pi) / pi)  # of each share by itself: one person in 10^8 may not vanish
    _safety.certify(where, "the relative change of a share", moved, 0.0, unit=_ROUNDING)
    return R


def _scaled(P: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return columns in floats, in units that cancel, so that none underflows."""
    most = P.max(axis=0)
    A = (P / np.where(most < 2.0**-1000, most, 1)).astype(np.float64)  # before fractions round to 0
    return np.asarray(np.ldexp(A, -np.frexp(A.max(axis=0))[1]))  # changes no digit


def neighbour_delta(transition: Any, epsilon: float = 0) -> checks.Number:
    r"""Return how far the distributions of two neighbouring rows are apart.

    Parameters
    ----------
    transition : array_like, shape (N, M)
        Row-stochastic matrix whose rows are counts in increasing order: a ptable of the cell-key
        method. Zeros are allowed. The index of a DataFrame must be whole numbers, each one more
        than the one before.
    epsilon : float
        Not negative; 0 gives the largest distance in total variation. Infinite: the probability
        of what the neighbour never shows.

    Returns
    -------
    Fraction or float
        The least :math:`\delta` with
        :math:`P_i(J) \le e^\varepsilon P_{i \pm 1}(J) + \delta` for all rows *i* and sets *J*, a
        fraction if the matrix is rational and `epsilon` is 0, else a float rounded up.

    Raises
    ------
    ValueError, TypeError
        `transition` is not row-stochastic, has one row only or rows that are no neighbours, or
        `epsilon` is negative or NaN.

    Notes
    -----
    The sums are made in fractions, with :math:`e^\varepsilon` to some 50 digits, for those pairs of
    rows that floats do not exclude.

    For one count, and somebody who knows all but one person of it: a person who is in *m* published
    counts, each with noise of its own, needs *m* of these guarantees. It is no level of
    Pk-anonymity, which asks whose a row of a file is.

    References
    ----------
    Not in the paper. Rinott et al. (2018) ask for this :math:`\delta` of tables of counts.

    Examples
    --------
    >>> from fractions import Fraction
    >>> noise = [[Fraction(v, 3) for v in row] for row in ([1, 1, 1, 0], [0, 1, 1, 1])]
    >>> neighbour_delta(noise)
    Fraction(1, 3)
    """
    where = "neighbour_delta"
    P, rows, _ = valid.matrix(where, transition)
    checks.integer(where, "number of rows", len(P), low=2)
    if rows is not None and not _consecutive(list(rows)):
        raise ValueError(
            f"{where}: the index of transition must be whole numbers, each one more than the one "
            f"before, got {list(rows)[:4]}; pass transition.reindex(range(first, last + 1))"
        )
    eps = valid.epsilon(where, epsilon)
    lower, upper = np.concatenate([P[:-1], P[1:]]), np.concatenate([P[1:], P[:-1]])
    about = _about(lower, upper, eps)  # a second time, in floats
    exact = P.dtype == object
    if exact and eps == 0:
        total: checks.Number = max(_excess(*rows_, Fraction(1)) for rows_ in zip(upper, lower))
        _safety.certify(where, "the distance", about.max(), float(total), unit=_ROUNDING)
        return total
    # Floats miss a sum of so many terms by less than this.
    near = np.flatnonzero(about >= about.max() - 2 * P.shape[1] * 2.0**-50)
    factor = _factor(P, eps)
    worst = max(_excess(upper[i], lower[i], factor) for i in near)
    delta = bounds.float_up(worst)
    _safety.certify(where, "the distance", about.max(), delta, unit=P.shape[1] * 2.0**-50)
    return delta


def _consecutive(labels: list[Any]) -> bool:
    """Tell whether labels are whole numbers, each one more than the one before."""
    if not all(isinstance(label, (int, np.integer)) for label in labels):
        return False
    return all(int(b) - int(a) == 1 for a, b in itertools.pairwise(labels))


def _about(
    lower: npt.NDArray[Any], upper: npt.NDArray[Any], epsilon: float
) -> npt.NDArray[np.float64]:
    """Return the excess of every pair of rows in floats."""
    low, high = lower.astype(np.float64), upper.astype(np.float64)
    if epsilon == np.inf:
        return np.asarray(np.where(lower == 0, high, 0).sum(axis=1))
    first, second = np.exp([min(epsilon, 700), min(max(epsilon - 700, 0), 50)])
    grown = np.minimum(first * low, 2) * second  # no overflow, and above 1 it does not matter
    return np.asarray(np.maximum(high - grown, 0).sum(axis=1))


def _factor(P: npt.NDArray[Any], epsilon: float) -> Fraction:
    """Return the exponential of epsilon, rounded down; no more than what lifts all entries to 1."""
    least = Fraction(P[P > 0].min())
    largest = math.log(least.denominator) - math.log(least.numerator) + 1
    if epsilon > largest:
        return 1 / least
    return bounds.exp_down(epsilon) if epsilon else Fraction(1)


def _excess(high: npt.NDArray[Any], low: npt.NDArray[Any], factor: Fraction) -> Fraction:
    """Return the sum of what one row has more than a multiple of another."""
    shown = high > 0  # elsewhere the difference is not positive
    differences = (Fraction(a) - factor * Fraction(b) for a, b in zip(high[shown], low[shown]))
    return sum((difference for difference in differences if difference > 0), Fraction(0))
