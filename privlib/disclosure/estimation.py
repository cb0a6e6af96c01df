r"""Most likely shares, invariant matrices, and the distance of neighbouring counts.

*Most likely shares.* Of *s* records a share :math:`f_a` shows the category *a*. True shares
:math:`\pi` show it with probability :math:`\lambda_a = \sum_u \pi_u A_{ua}`; the mean log
likelihood is :math:`\ell(\pi) = \sum_a f_a \ln \lambda_a`. Its slope in :math:`\pi_u` is the *pull*
:math:`g_u = \sum_a f_a A_{ua} / \lambda_a`, and :math:`\sum_u \pi_u g_u = 1`. As
:math:`\ln x \le x - 1`, for every other :math:`\pi^*`

.. math::

    \ell(\pi^*) - \ell(\pi) = \sum_a f_a \ln \frac{\lambda^*_a}{\lambda_a}
    \le \sum_a f_a \frac{\lambda^*_a}{\lambda_a} - 1 = \sum_u \pi^*_u g_u - 1
    \le \max_u g_u - 1 .

The last number is a certificate: it bounds what is missing, whoever found :math:`\pi`. The step of
the EM algorithm is :math:`\pi_u \leftarrow \pi_u g_u`; where it stands still every share that is
not 0 has the pull 1, and it is a maximum if no other has more (Karush-Kuhn-Tucker).

*Invariant matrices.* With :math:`Q_{au} = \pi_u A_{ua} / \lambda_a`, the law of the true category
given the shown one, :math:`\pi A Q = \lambda Q = \pi`: to draw a true category for each shown one
leaves the shares as they are in the mean.

*Counts.* Rows of a matrix may be counts instead of categories of a record. Nobody's row of a file
is then behind a slot, and there is no level of Pk-anonymity. What a person can ask is how far the
laws of two counts that differ by one are apart:
:math:`\delta(\varepsilon) = \max_i \sum_j (P_{ij} - e^\varepsilon P_{i \pm 1, j})_+`.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib.disclosure import _validation as valid


def most_likely_shares(
    counts: npt.ArrayLike, transition: Any, *, gap: float = 1e-10, rounds: int = 100_000
) -> tuple[Any, float]:
    r"""Return the most likely shares of the true categories, and how much may be missing.

    Parameters
    ----------
    counts : array_like, Series or mapping, shape (M,)
        How often each category is shown, not negative; any positive multiple of it will do. A
        Series or a mapping goes by the labels of `transition`, if it has some: what it has not
        counts 0.
    transition : array_like, DataFrame, sparse matrix or Graph, shape (N, M)
        Row-stochastic matrix.
    gap : float
        Stop as soon as the bound is not more than this.
    rounds : int
        Stop after so many rounds at the latest.

    Returns
    -------
    tuple of (ndarray or Series of float, shape (N,), float)
        Shares, none negative, of sum 1, labelled like the rows of a DataFrame, and
        :math:`\max_u g_u - 1`: the mean log likelihood of no other shares is larger by more than
        that. Up to rounding, so some 1e-15 less means 0.

    Raises
    ------
    ValueError, TypeError
        `transition` is not row-stochastic, `counts` does not fit its columns, has other labels or
        no positive entry, a shown category comes from no true one, `gap` is not positive or
        `rounds` negative.

    Notes
    -----
    The EM algorithm from equal shares; each round makes the counts more likely. Where the unbiased
    estimate is possible, it is what is found. A share that tends to 0 does so geometrically if its
    pull stays below 1, else slowly: look at the bound, not at the rounds. Dependent rows are taken;
    the most likely shares are then not unique.

    Two rewritten attributes are one with the Kronecker product: ``np.kron(A, B)`` and
    ``table.ravel()``.

    References
    ----------
    Not in the paper. Van den Hout and van der Heijden (2002); as iterative Bayesian update,
    ElSalamouny and Palamidessi (2025).

    Examples
    --------
    >>> shares, missing = most_likely_shares([9, 1], [[0.75, 0.25], [0.25, 0.75]])
    >>> shares.round(6), missing <= 1e-10  # the unbiased estimate is 1.3, -0.3
    (array([1., 0.]), True)
    """
    where = "most_likely_shares"
    P, _, columns = valid.matrix(where, transition)
    counts = valid.by_labels(where, "counts", counts, columns)
    f = checks.reals(where, "counts", counts, "at least 0", lambda x: x >= 0, shape=P.shape[1:])
    checks.positive(where, "the sum of counts", f.sum())
    checks.refuse(where, "counts", f, "0 where no row shows it", (f == 0) | P.any(axis=0))
    gap, left = checks.positive(where, "gap", gap), checks.integer(where, "rounds", rounds, low=0)
    A, f = _scaled(P[:, f > 0]), f[f > 0] / f.sum()
    shares = np.full(len(A), 1 / len(A))
    while (pull := A @ (f / (shares @ A))).max() - 1 > gap and left:
        shares, left = shares * pull, left - 1
    return checks.labelled(shares, transition), float(pull.max() - 1)


def invariant_matrix(transition: Any, shares: npt.ArrayLike) -> npt.NDArray[Any]:
    r"""Return a matrix that leaves the shares of a table as they are, in the mean.

    Parameters
    ----------
    transition : array_like, shape (N, M)
        Row-stochastic matrix *A*: the first rewriting.
    shares : array_like, Series or mapping, shape (N,)
        Positive shares, or counts, of the true categories; a Series or a mapping goes by the labels
        of `transition`, if it has some.

    Returns
    -------
    ndarray, shape (N, N)
        *A Q*, fractions if both arguments are rational.

    Raises
    ------
    ValueError, TypeError
        `transition` is not row-stochastic, or `shares` does not fit its rows or is not positive.

    Notes
    -----
    *Q* draws a true category given the shown one, by Bayes' rule. :math:`\pi_u R_{uw}` is symmetric
    in *u* and *w*: rewriting moves as many people from *u* to *w* as back. Mixed with the identity
    it stays invariant. No second rewriting lowers a level (`privlib.disclosure.pram.pk_level`):
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
    shares = valid.by_labels(where, "shares", shares, rows)
    pi = checks.reals(where, "shares", shares, exact=A.dtype == object, shape=A.shape[:1])
    checks.refuse(where, "shares", pi, "positive", pi > 0)
    A = A[:, A.any(axis=0)]
    joint = pi[:, None] * (A if pi.dtype == object else _scaled(A))  # true and shown
    return np.asarray(A.astype(pi.dtype) @ (joint / joint.sum(axis=0)).T)


def _scaled(P: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return columns in floats, in units that cancel, so that none underflows."""
    most = P.max(axis=0)
    A = (P / np.where(most < 2.0**-1000, most, 1)).astype(np.float64)  # before fractions round to 0
    return np.asarray(np.ldexp(A, -np.frexp(A.max(axis=0))[1]))  # changes no digit


def neighbour_delta(transition: Any, epsilon: float = 0) -> checks.Number:
    r"""Return how far the laws of two neighbouring rows are apart.

    Parameters
    ----------
    transition : array_like, shape (N, M)
        Row-stochastic matrix whose rows are counts in increasing order: a ptable of the cell-key
        method. Zeros are allowed.
    epsilon : float
        Not negative; 0 gives the largest distance in total variation.

    Returns
    -------
    Fraction or float
        The least :math:`\delta` with
        :math:`P_i(J) \le e^\varepsilon P_{i \pm 1}(J) + \delta` for all rows *i* and sets *J*, a
        fraction if the matrix is rational and `epsilon` is 0.

    Raises
    ------
    ValueError, TypeError
        `transition` is not row-stochastic or has one row only, or `epsilon` is negative.

    Notes
    -----
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
    P = valid.matrix(where, transition)[0]
    checks.integer(where, "number of rows", len(P), low=2)
    eps = checks.non_negative(where, "epsilon", epsilon)
    factor, rest = np.exp([min(eps, 700), min(max(eps - 700, 0), 50)]) if eps else (1, 1)
    grown = np.minimum(factor * P, 2) * rest  # no overflow, and above 1 it does not matter
    pairs = np.concatenate([P[1:] - grown[:-1], P[:-1] - grown[1:]])
    return cast("checks.Number", np.maximum(pairs, 0 * pairs).sum(axis=1).max())
