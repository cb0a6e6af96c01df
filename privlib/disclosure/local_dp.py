r"""Local differential privacy of a matrix, and what it has to do with identification.

A matrix that rewrites each record on its own is :math:`\varepsilon`-locally private if
:math:`A[v][a] \le e^\varepsilon A[u][a]` for all *u*, *v*, *a*: if the smallest ratio
:math:`\gamma` of Theorem 5.1 is at least :math:`e^{-\varepsilon}`. So one number bounds both the
privacy of a record whose place in the release is known and, with the number of the others, the
chance that its place is found. Levels are rounded down, :math:`\varepsilon` is rounded up.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from privlib import _checks as checks
from privlib import _safety
from privlib.disclosure import bounds
from privlib.disclosure import ratios as pairs
from privlib.disclosure import validation as valid


def local_dp_epsilon(transition: Any) -> float:
    r"""Return the smallest :math:`\varepsilon` of local differential privacy of a matrix.

    Parameters
    ----------
    transition : array_like, shape (N, M)
        Row-stochastic matrix, no zero beside a positive entry of its column.

    Returns
    -------
    float
        :math:`-\ln \gamma`, rounded up.

    Notes
    -----
    :math:`\varepsilon`-local differential privacy asks for
    :math:`A[v][a] \le e^\varepsilon A[u][a]` for all *u*, *v*, *a*: that is
    :math:`\gamma \ge e^{-\varepsilon}`.

    References
    ----------
    Not in the paper, which leaves the relation of :math:`\varepsilon` and risk open (section 1.1).

    Examples
    --------
    >>> local_dp_epsilon([[0.75, 0.25], [0.25, 0.75]])  # ln 3
    1.098612
    """
    where = "local_dp_epsilon"
    A, used = pairs.positive(where, transition)
    A = A.take(used, axis=1)
    pairs.limit_work(where, A, exact=False)  # the second computation is in floats
    least = A.min(axis=0)
    most = A.max(axis=0)
    if A.dtype == object:
        ratio = max(high / low for low, high in zip(least, most))
    else:
        # The differences have no rounding where it matters; near ties are compared as fractions.
        with np.errstate(over="ignore"):
            excess = (most - least) / least
        near = np.flatnonzero(excess >= excess.max() * (1 - 1e-14))
        ends = np.unique(np.column_stack([least[near], most[near]]), axis=0)
        ratio = max(Fraction(high) / Fraction(low) for low, high in ends.tolist())
        ratio = ratio * pairs.sums_ratio(A)
    epsilon = bounds.log_up(ratio)
    # A second time by pairs of rows; a difference of logarithms is as exact as the larger one.
    logs, _ = bounds.log_extremes(A)
    unit = 4 * np.finfo(np.float64).eps * float(np.abs(bounds.logarithms(A)).max())
    _safety.certify(where, "the largest log ratio", -logs.min(), epsilon, unit=unit)
    return epsilon


def local_dp_pk_level(epsilon: float, n: int, *, n_sampled: int | None = None) -> float:
    r"""Return the level that every locally differentially private release guarantees.

    Parameters
    ----------
    epsilon : float
        Parameter of the local guarantee, not negative; infinite: no guarantee, level 1.
    n : int
        Number of records of the table.
    n_sampled : int, optional
        Number of records in the release, in ``1..n``; all of them if not given.

    Returns
    -------
    float
        :math:`1 + (n - s) e^{-\varepsilon} + (s - 1) e^{-2\varepsilon}`, rounded down.

    Raises
    ------
    ValueError, TypeError
        `epsilon` is negative or NaN, or a number is out of its range.

    Notes
    -----
    :math:`\gamma \ge e^{-\varepsilon}` and :math:`g_2 \ge \gamma^2`. Attained by retention.

    References
    ----------
    Not in the paper; Theorem 5.1 with :math:`\gamma = e^{-\varepsilon}`.

    Examples
    --------
    >>> local_dp_pk_level(5, 10**6), local_dp_pk_level(5, 10**6, n_sampled=10**5)
    (46.4, 6069.7)
    """
    where = "local_dp_pk_level"
    n, s = valid.sizes(where, n, n_sampled)
    eps = valid.epsilon(where, epsilon)
    gamma = bounds.exp_down(-eps) if eps else Fraction(1)
    level = 1 + (n - s) * gamma + (s - 1) * gamma**2
    rounded = Fraction(math.exp(-eps))  # a second time as floats have it, nested
    again = 1 + rounded * (n - s + rounded * (s - 1))
    bounds.certify_level(where, level, bounds.float_down(again))
    return bounds.float_down(level)


def amplified_epsilon(epsilon: float, p: checks.Number) -> float:
    r"""Return the :math:`\varepsilon` of a private mechanism on a sample without replacement.

    Parameters
    ----------
    epsilon : float
        Parameter of the mechanism on the sample, not negative. Infinite stays infinite.
    p : int, Fraction or float
        Sampling rate *s*/*n*, in (0, 1].

    Returns
    -------
    float
        :math:`\ln(1 + p\,(e^\varepsilon - 1))`, for tables that differ in one record; rounded up,
        so that it is 0 for :math:`\varepsilon = 0` only.

    Raises
    ------
    ValueError, TypeError
        `epsilon` is negative or NaN, or `p` is not in (0, 1].

    Notes
    -----
    With probability 1 − *p* the record is not in the sample and nothing differs. Exact for
    record-wise rewriting by *every* matrix: where :math:`\gamma = A[u][a]/A[v][a]`, let the record
    be *v* in one table and *u* in the other among records of value *u*, and all slots show *a*.

    **For one mechanism on one sample.** The levels of two mechanisms on the *same* sample do not
    add up: whoever is in the sample is in it for both. Compose on the sample first, then amplify
    once: two mechanisms of level *e* on one sample of rate *p* have together
    ``amplified_epsilon(2 * e, p)``, which is more than twice ``amplified_epsilon(e, p)``. Only the
    levels of mechanisms on samples that are drawn anew, independently, add up.

    References
    ----------
    The paper's reference [15] names the effect; Balle, Barthe and Gaboardi (2018) prove the form.

    Examples
    --------
    >>> amplified_epsilon(2, 0.1), amplified_epsilon(1, 0.01)
    (0.49403, 0.01704)

    Twice on the same sample, and the sum that would be too little:

    >>> amplified_epsilon(2 * 1, 0.5), 2 * amplified_epsilon(1, 0.5)
    (1.43378, 1.24023)
    """
    where = "amplified_epsilon"
    eps = valid.epsilon(where, epsilon)
    rate = Fraction(valid.sampling_rate(where, p))
    if math.isinf(eps) or eps == 0 or rate == 1:
        return eps
    grown = bounds.amplified_up(eps, rate)
    # A second time in floats.
    logarithm = math.log(rate.numerator) - math.log(rate.denominator)
    if eps < 1:
        again = math.log1p(math.exp(logarithm) * math.expm1(eps))
    else:  # in two steps, so that nothing overflows and nothing cancels
        exponent = logarithm + eps + math.log1p(-math.exp(-eps))
        again = max(exponent, 0.0) + math.log1p(math.exp(-abs(exponent)))
    _safety.certify(where, "the level of the sample", again, grown)
    return grown
